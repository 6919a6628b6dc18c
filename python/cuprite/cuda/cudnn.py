"""cupy.cuda.cudnn: no interface to cuDNN is there. Its functions can be named, and raise NotImplementedError."""
from cuprite.cuda._absent import names

available = False
__getattr__ = names(__name__, "cuDNN")
