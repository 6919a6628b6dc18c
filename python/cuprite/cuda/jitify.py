"""cupy.cuda.jitify: no interface to Jitify is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "Jitify", "RawModule finds the headers of CUDA without it")
