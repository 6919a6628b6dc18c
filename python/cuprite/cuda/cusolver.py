"""cupy.cuda.cusolver: no interface to cuSOLVER is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuSOLVER", "cuprite.linalg and cuprite.scipy.linalg do it for dense matrices")
