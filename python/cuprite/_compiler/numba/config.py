"""numba.core.config, which numba.config is: the switches that programs look at and set."""
ENABLE_CUDASIM = False
DISABLE_JIT = False
#: a launch of fewer than 128 blocks warns
CUDA_LOW_OCCUPANCY_WARNINGS = 0
#: a NumPy array among the arguments of a launch warns
CUDA_WARN_ON_IMPLICIT_COPY = 0
#: debug=True for kernels that do not say
CUDA_DEBUGINFO_DEFAULT = 0
#: arrays bring their stream along, and the launch waits for it
CUDA_ARRAY_INTERFACE_SYNC = True
CUDA_PER_THREAD_DEFAULT_STREAM = 0
CUDA_USE_NVIDIA_BINDING = 0
CUDA_ENABLE_MINOR_VERSION_COMPATIBILITY = 0
CUDA_MEMORY_MANAGER = "default"
CUDA_INCLUDE_PATH = ""
CUDA_DEALLOCS_COUNT = 10
CUDA_DEALLOCS_RATIO = 0.2
CUDA_LOG_LEVEL = "CRITICAL"
THREADING_LAYER = "default"
CACHE_DIR = ""
IS_WIN32 = IS_OSX = IS_32BITS = False


def __getattr__(name):
    if name in ("NUMBA_NUM_THREADS", "NUMBA_DEFAULT_NUM_THREADS"):
        from cuprite import _device
        return _device.threads()
    from cuprite._missing import missing
    raise missing(__name__, name)
