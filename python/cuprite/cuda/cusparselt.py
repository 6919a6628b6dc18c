"""cupy.cuda.cusparselt: no interface to cuSPARSELt is there. Its functions can be named; NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuSPARSELt")
