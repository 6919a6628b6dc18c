"""cupy.fft.config: the settings of transforms.

Plans are kept by the library, a cache for each device, on the CPU too; `get_plan_cache` is a view of it. Several GPUs
for one transform and callbacks in cuFFT's kernels are not supported and raise NotImplementedError."""
from __future__ import annotations

import sys
import types
import warnings

from cuprite import _device
from cuprite._fft import fft_plan_cache
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

use_multi_gpus = False
_enable_nd_planning = True


class _Config(types.ModuleType):
    """The module, whose switch enable_nd_planning warns where it is read or set, as CuPy's does: transforms along
    several axes are planned as one where the library can, whatever it says."""

    @property
    def enable_nd_planning(self):
        _warn_of_planning()
        return self._enable_nd_planning

    @enable_nd_planning.setter
    def enable_nd_planning(self, value):
        _warn_of_planning()
        self._enable_nd_planning = value


def _warn_of_planning():
    warnings.warn("enable_nd_planning is deprecated and has no effect; multi-dimensional plans are always used",
                  DeprecationWarning, stacklevel=3)


sys.modules[__name__].__class__ = _Config


class PlanCache:
    """The plans that a device keeps: the least recently used one goes first when there are more than `size`, or than
    `memsize` bytes of theirs (-1: as many as there is memory).

    Parameters: dev: a Device or its number."""

    def __init__(self, dev):
        self._dev = dev

    def _ask(self, size=-1, memsize=-2, clear=False):
        before = _device.current()
        try:  # an interrupt comes behind the call
            _device.use(self._dev)
            return fft_plan_cache(size, memsize, clear).tolist()
        finally:
            _device.use(before)

    def get_size(self) -> int:
        """The most plans that are kept."""
        return self._ask()[1]

    def set_size(self, size) -> None:
        """Keeps at most `size` plans; -1: no limit, 0: none is kept.

        Errors: ValueError for less than -1."""
        if size < -1:
            raise ValueError(f"size is a number of plans, or -1, not {size}")
        self._ask(size=2**62 if size == -1 else size)

    def get_memsize(self) -> int:
        """The most bytes of plans that are kept; -1: no limit."""
        return self._ask()[3]

    def set_memsize(self, memsize) -> None:
        """Keeps at most `memsize` bytes of plans; -1: no limit, 0: none is kept.

        Errors: ValueError for less than -1."""
        if memsize < -1:
            raise ValueError(f"memsize is a number of bytes, or -1, not {memsize}")
        self._ask(memsize=memsize)

    def get_curr_size(self) -> int:
        """Plans that are kept now."""
        return self._ask()[0]

    def get_curr_memsize(self) -> int:
        """Their bytes."""
        return self._ask()[2]

    def clear(self) -> None:
        """Forgets all plans, and counts hits anew."""
        self._ask(clear=True)

    def show_info(self) -> None:
        """Prints the numbers."""
        print(self)

    def __str__(self):
        from cuprite.cuda import stream
        plans, most, used, most_bytes, hits, misses = self._ask()
        limit = "unlimited" if most >= 2**62 else most
        return (f"------------------- FFT plan cache (device {stream._shown(self._dev)}) -------------------\n"
                f"current / max size: {plans} / {limit} (counts)\n"
                f"current / max memsize: {used} / {'unlimited' if most_bytes < 0 else most_bytes} (bytes)\n"
                f"hits / misses: {hits} / {misses} (counts)\n")


def get_plan_cache() -> PlanCache:
    """The current device's cache of plans."""
    return PlanCache(_device.current())


def clear_plan_cache() -> None:
    """Forgets the current device's plans."""
    get_plan_cache().clear()


def show_plan_cache_info() -> None:
    """Prints what the current device's cache holds."""
    get_plan_cache().show_info()


def set_cufft_gpus(gpus):
    """Not there: one transform runs on one device.

    Parameters: gpus: numbers of devices.
    Errors: NotImplementedError always."""
    raise NotImplementedError("set_cufft_gpus: a transform runs on one device; share out batches over devices instead")


def set_cufft_callbacks(cb_load="", cb_store="", *, cb_load_aux_arr=None, cb_store_aux_arr=None, **kwargs):
    """Not there: cuFFT is opened while the program runs, and its callbacks need its static library.

    Parameters: cb_load: code; cb_store: code; cb_load_aux_arr: an array; cb_store_aux_arr: an array.
    Errors: NotImplementedError always."""
    raise NotImplementedError("set_cufft_callbacks: callbacks need cuFFT's static library, which Cuprite does not "
                              "link; apply the function before or after the transform (cuprite.fuse)")
