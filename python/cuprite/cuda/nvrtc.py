"""The error of cupy.cuda.nvrtc."""
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)



class NVRTCError(RuntimeError):
    """The run-time compiler failed otherwise than by refusing a source."""
