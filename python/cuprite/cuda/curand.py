"""cupy.cuda.curand: no interface to cuRAND is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuRAND", "cuprite.random has generators, and kernels may include <curand_kernel.h>")
