"""cupy.cuda.cusparse: no interface to cuSPARSE is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuSPARSE", "make a handle with cusparseCreate, by ctypes or another package")
