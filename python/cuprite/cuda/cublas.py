"""cupy.cuda.cublas: no interface to cuBLAS is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuBLAS", "make a handle with cublasCreate, by ctypes or another package")
