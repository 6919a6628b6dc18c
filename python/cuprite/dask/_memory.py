"""Where a worker keeps results: on the device within a limit, then in host memory, then on disk."""
import os
import sys
from collections.abc import MutableMapping

import zict
from distributed.spill import SpillBuffer

import cuprite
from cuprite import ndarray
from cuprite.dask import _serialize


def _on_device(value):
    return type(value) is ndarray and value.device.backend != "cpu"


class DeviceMemory(MutableMapping):
    """A worker's results: arrays of a device stay there as long as they have at most `device_limit` bytes together; the
    ones that were used longest ago go to host memory, and from there to files in the worker's folder when all that is
    there has more than `host_limit` bytes. What is asked for comes back.

    Parameters: worker_local_directory: the worker's folder; device_limit: bytes, None: no limit; host_limit: bytes,
        None: no limit.
    """

    def __init__(self, worker_local_directory, device_limit=None, host_limit=None):
        self.host = SpillBuffer(os.path.join(worker_local_directory, "storage"), host_limit or sys.maxsize)
        self.device = zict.LRU(device_limit or sys.maxsize, {}, on_evict=[self._to_host],
                               weight=lambda key, x: int(x.nbytes))

    def _to_host(self, key, x):
        self.host[key] = _serialize.OnHost(*_serialize.to_host(x))

    def __setitem__(self, key, value):
        if key in self:
            del self[key]
        if _on_device(value):
            self.device[key] = value
        else:
            self.host[key] = value

    def __getitem__(self, key):
        if key in self.device:
            return self.device[key]
        value = self.host[key]
        if isinstance(value, _serialize.OnHost):
            value = _serialize.from_host(value.header, value.frames)
            del self.host[key]
            self[key] = value
        return value

    def __delitem__(self, key):
        del (self.device if key in self.device else self.host)[key]

    def __contains__(self, key) -> bool:
        return key in self.device or key in self.host

    def __iter__(self):
        yield from list(self.device)
        yield from list(self.host)

    def __len__(self) -> int:
        return len(self.device) + len(self.host)

    # what distributed asks of a store that spills

    @property
    def fast(self):
        """What is in host memory."""
        return self.host.fast

    @property
    def memory(self):
        """What is in host memory."""
        return self.host.memory

    @property
    def disk(self):
        """What is in files."""
        return self.host.disk

    @property
    def spilled_total(self) -> int:
        """Bytes in files."""
        return self.host.spilled_total

    @property
    def cumulative_metrics(self) -> dict:
        """Seconds and bytes of the files."""
        return self.host.cumulative_metrics

    def evict(self) -> int:
        """Writes one result to a file; its bytes, or -1."""
        return self.host.evict()
