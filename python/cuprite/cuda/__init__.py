"""Devices, streams, events, graphs and memory with the interface of cupy.cuda.

Device 0, 1, ... are the GPUs; the CPU is Device("cpu"), and Device(0) too where there is no GPU.
"""
from __future__ import annotations

from cuprite._core import OutOfMemoryError
from cuprite.cuda import _errors, device, memory, pinned_memory, stream  # noqa: F401
from cuprite.cuda.device import (  # noqa: F401
    CPU, Device, get_compute_capability, get_device_id, is_available)
from cuprite.cuda.graph import Graph
from cuprite.cuda.memory import (  # noqa: F401
    BaseMemory, CFunctionAllocator, ManagedMemory, Memory, MemoryAsync, MemoryAsyncPool, MemoryPointer, MemoryPool,
    PythonFunctionAllocator, UnownedMemory, alloc, get_allocator, malloc_async, malloc_managed, set_allocator,
    using_allocator)
from cuprite.cuda.memory_hook import MemoryHook
from cuprite.cuda.pinned_memory import (  # noqa: F401
    PinnedMemory, PinnedMemoryPointer, PinnedMemoryPool, alloc_pinned_memory, is_memory_pinned,
    set_pinned_memory_allocator)
from cuprite.cuda.stream import (  # noqa: F401
    Event, ExternalStream, Stream, _current, get_current_stream, get_elapsed_time)
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["BaseMemory", "CFunctionAllocator", "Device", "Event", "ExternalStream", "Graph", "ManagedMemory", "Memory",
           "MemoryAsync", "MemoryAsyncPool", "MemoryHook", "MemoryPointer", "MemoryPool", "OutOfMemoryError",
           "PinnedMemory", "PinnedMemoryPointer", "PinnedMemoryPool", "PythonFunctionAllocator", "Stream",
           "UnownedMemory", "alloc", "alloc_pinned_memory", "get_allocator", "get_current_stream", "get_device_id",
           "get_elapsed_time", "is_available", "malloc_async", "malloc_managed", "set_allocator",
           "set_pinned_memory_allocator", "using_allocator", "memory", "stream"]

# Modules, and names of theirs, that are imported when first used.
_LATER = {
    "compiler": "", "driver": "", "function": "", "graph": "", "memory_hook": "", "memory_hooks": "", "nvrtc": "",
    "nvtx": "", "profiler": "", "runtime": "", "cub": "", "cublas": "", "cudnn": "", "cufft": "", "curand": "",
    "cusolver": "", "cusparse": "", "cusparselt": "", "cutensor": "", "jitify": "", "nccl": "", "texture": "",
    "thrust": "", "Module": "function", "Function": "function",
}


def __getattr__(name):
    if name not in _LATER:
        raise _missing(__name__, name)
    import importlib
    value = importlib.import_module("cuprite.cuda." + (_LATER[name] or name))
    if _LATER[name]:
        value = getattr(value, name)
    globals()[name] = value
    return value


def profile():
    """A block that a profiler records: with cuprite.cuda.profile(): ..."""
    from cuprite.profiler import profile
    return profile()


def get_cuda_path() -> str | None:
    """The folder of CUDA's toolkit ($CUDA_PATH, or where nvcc lies); None where there is none."""
    import os
    import shutil
    path = os.environ.get("CUDA_PATH")
    nvcc = shutil.which("nvcc")
    if path or not nvcc:
        return path or ("/usr/local/cuda" if os.path.isdir("/usr/local/cuda") else None)
    return os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))


def get_nvcc_path() -> str | None:
    """$NVCC, or the path of nvcc; None where there is none. Nothing of Cuprite needs it."""
    import os
    import shutil
    path = os.environ.get("NVCC") or shutil.which("nvcc")
    home = get_cuda_path()
    return path or (home and shutil.which("nvcc", path=os.path.join(home, "bin")))


def get_rocm_path() -> str | None:
    """None: Cuprite has no devices of AMD's."""


def get_hipcc_path() -> str | None:
    """None: Cuprite has no devices of AMD's."""


def get_local_runtime_version() -> int:
    """The version of CUDA's runtime, as 13000, which is linked into the plugin; 0 where there is no GPU."""
    from cuprite.cuda import runtime
    return runtime.runtimeGetVersion()


def get_cublas_handle() -> int:
    """Cuprite makes no handles of CUDA's libraries: NotImplementedError."""
    raise NotImplementedError("get_cublas_handle: Cuprite makes no handles of CUDA's libraries; cublasCreate does")


__dir__ = _listing(__name__)
