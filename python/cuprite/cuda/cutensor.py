"""cupy.cuda.cutensor: no interface to cuTENSOR is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuTENSOR", "cuprite.einsum and cuprite.tensordot contract arrays")
