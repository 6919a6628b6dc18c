"""numba.cuda.cudadrv.drvapi: the types that addresses are given in."""
import ctypes

cu_device_ptr = ctypes.c_size_t
cu_stream = ctypes.c_void_p
