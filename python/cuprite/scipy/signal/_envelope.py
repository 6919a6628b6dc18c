"""The envelope of a signal in a band of frequencies."""
from __future__ import annotations

import cuprite
from cuprite import ndarray
from cuprite.scipy.signal import _transforms as _fft
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.signal._arrays import floating
from cuprite.scipy.signal._resampling import resample


def _band(bp_in, n):
    """The frequencies of envelope's filter as a slice. Errors: ValueError."""
    if len(bp_in) != 2 or not all(b is None or isinstance(b, int) for b in bp_in):
        raise ValueError(f"{bp_in=} isn't a 2-tuple of type (int | None, int | None)!")
    low = -(n // 2) if bp_in[0] is None else bp_in[0]
    high = (n + 1) // 2 if bp_in[1] is None else bp_in[1]
    if not -n // 2 <= low < high <= (n + 1) // 2:
        raise ValueError(f"`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` does not hold for n={n} and {bp_in=}!")
    return slice(low, high)


def _places(band):
    """The band's places in a spectrum, of one that does not hold frequency 0."""
    return slice(band.start, None if band.stop == 0 else band.stop)


def _rest(Z, band, n, n_out, residual, real):
    """What envelope's filter removed, of the spectrum, which is changed; all of it, or below the band."""
    if not band.start <= 0 < band.stop:
        Z[..., _places(band)] = 0
    else:
        Z[..., :band.stop] = 0
        Z[..., band.start:] = 0
    if residual == "lowpass" and band.stop > 0:
        Z[..., band.stop:(n + 1) // 2] = 0
    elif residual == "lowpass":
        Z[..., band.start:] = 0
        Z[..., :(n + 1) // 2] = 0
    if not real:
        return resample(Z, n_out, axis=-1, domain="freq")
    least = min(n, n_out)
    if n_out != n and least % 2 == 0:
        Z[..., least // 2] *= 2 if n_out < n else 0.5
    return (n_out / n) * _fft.irfft(Z, n_out)


@beside_its_arrays
def envelope(z, bp_in=(1, None), *, n_out=None, squared=False, residual="lowpass", axis=-1) -> ndarray:
    """The envelope of what a signal has in a band of frequencies, and what it has below.

    Parameters: z: the signal; bp_in: the first frequency of the band and the one behind the last, in cycles of the
        whole signal, None for the lowest or highest; n_out: how many samples the result has (None: z's); squared:
        whether the envelope is squared; residual: what is returned too, 'lowpass': what lies below the band, 'all':
        what lies outside of it, or None; axis: an axis.
    Result: (envelope, residual) as one array, with residual None the envelope.
    Errors: ValueError for an empty axis, a band that z does not have, and other words.
    """
    z = floating(z)
    if not -z.ndim <= axis < z.ndim:
        raise ValueError(f"Invalid parameter {axis=} for {z.shape=}!")
    if not z.shape[axis] > 0:
        raise ValueError(f"z.shape[axis] not > 0 for {z.shape=}, {axis=}!")
    if not (n_out is None or isinstance(n_out, int) and n_out > 0):
        raise ValueError(f"{n_out=} is not a positive integer or None!")
    if residual not in ("lowpass", "all", None):
        raise ValueError(f"{residual=} not in ['lowpass', 'all', None]!")
    n, real = z.shape[axis], type_of(z).kind != "c"
    band = _band(bp_in, n)
    n_out = n if n_out is None else n_out
    z = cuprite.moveaxis(z, axis, -1)
    if real:  # the frequencies below zero stay zeros
        half = _fft.rfft(z)
        Z = cuprite.zeros(z.shape, type_of(half))
        Z[..., :n // 2 + 1] = half
        if band.start > 0:
            Z[..., band] *= 2
        elif band.stop > 0:
            Z[..., 1:band.stop] *= 2
    else:
        Z = _fft.fft(z)
    if not band.start <= 0 < band.stop:  # moved to zero, which leaves the envelope as it is
        part = Z[..., _places(band)]
    else:
        part = _fft.fftshift(Z, axes=-1)[..., band.start + n // 2:band.stop + n // 2]
    part = _fft.ifft(part, n_out) * (n_out / n)
    found = part.real ** 2 + part.imag ** 2 if squared else abs(part)
    found = cuprite.moveaxis(found, -1, axis)
    if residual is None:
        return found
    rest = _rest(Z, band, n, n_out, residual, real)
    return cuprite.stack([found, cuprite.moveaxis(rest, -1, axis)])
