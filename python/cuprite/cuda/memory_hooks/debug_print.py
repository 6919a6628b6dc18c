"""A hook that prints a line for each thing that a pool does: a JSON object."""
from __future__ import annotations

import sys

from cuprite.cuda.memory_hook import MemoryHook
from cuprite._missing import listing as _listing

__all__ = ["DebugPrintHook"]


class DebugPrintHook(MemoryHook):
    """Prints, for each thing done, its name and figures to a file, the standard output by default.

    Parameters: file: a file object; flush: True: each line is written at once."""

    name = "DebugPrintHook"

    def __init__(self, file=sys.stdout, flush=True):
        self.file, self.flush = file, flush

    def _print(self, hook, **reported):
        import json
        for name in ("mem_ptr", "pmem_id"):
            if name in reported:
                reported[name] = hex(reported[name])
        print(json.dumps({"hook": hook, **reported}), file=self.file, flush=self.flush)

    def alloc_postprocess(self, device_id, mem_size, mem_ptr):
        """Prints the figures.

        Parameters: device_id: the device's number; mem_size: the bytes given; mem_ptr: their address."""
        self._print("alloc", device_id=device_id, mem_size=mem_size, mem_ptr=mem_ptr)

    def malloc_postprocess(self, device_id, size, mem_size, mem_ptr, pmem_id):
        """Prints the figures.

        Parameters: device_id: the device's number; size: the bytes asked for; mem_size: the bytes given; mem_ptr:
            their address; pmem_id: the memory's number."""
        self._print("malloc", device_id=device_id, size=size, mem_size=mem_size, mem_ptr=mem_ptr, pmem_id=pmem_id)

    def free_postprocess(self, device_id, mem_size, mem_ptr, pmem_id):
        """Prints the figures.

        Parameters: device_id: the device's number; mem_size: the bytes given; mem_ptr: their address; pmem_id: the
            memory's number."""
        self._print("free", device_id=device_id, mem_size=mem_size, mem_ptr=mem_ptr, pmem_id=pmem_id)


__dir__ = _listing(__name__)
