"""cupy.cuda.cublas: no interface to cuBLAS is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuBLAS", "cuprite.matmul and its like go to it")
