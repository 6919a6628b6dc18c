"""cuprite.fft for functions that make something else of transforms: on a GPU by kernels that are there at once, where
there are any, so that no first call waits for cuFFT to open (fft_ready)."""
from __future__ import annotations

import functools

from cuprite import fft as _fft
from cuprite._fft import fft_ready
from cuprite.fft import fftfreq, fftshift, ifftshift, rfftfreq  # noqa: F401


def _at_once(f):
    @functools.wraps(f)
    def transform(*args, **kwargs):
        try:
            fft_ready(1)  # within: an interrupt may come as soon as it has returned
            return f(*args, **kwargs)
        finally:
            fft_ready(-1)
    return transform


fft, ifft, rfft, irfft = map(_at_once, (_fft.fft, _fft.ifft, _fft.rfft, _fft.irfft))
fft2, ifft2, rfftn, irfftn, fftn, ifftn = map(
    _at_once, (_fft.fft2, _fft.ifft2, _fft.rfftn, _fft.irfftn, _fft.fftn, _fft.ifftn))
