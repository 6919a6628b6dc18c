"""numpy.fft on Cuprite's arrays, with CuPy's `config` beside it."""
from cuprite._fft import (  # noqa: F401
    fft, fft2, fftfreq, fftn, fftshift, hfft, ifft, ifft2, ifftn, ifftshift, ihfft, irfft, irfft2, irfftn, rfft, rfft2,
    rfftfreq, rfftn)
from cuprite._fft_plans import look_in_wheels as _look
from cuprite.fft import config  # noqa: F401
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

_look()

__all__ = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "rfftn", "irfftn", "rfft2", "irfft2", "fft2", "ifft2",
           "fftn", "ifftn", "fftfreq", "rfftfreq", "fftshift", "ifftshift"]
