"""cupy.cuda.cusolver: no interface to cuSOLVER is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuSOLVER", "make a handle with cusolverDnCreate, by ctypes or another package")
