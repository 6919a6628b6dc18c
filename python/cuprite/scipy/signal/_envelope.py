"""The envelope of a signal in a band of frequencies."""
from __future__ import annotations

from cuprite import _spectra, ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.signal._arrays import array


def _band(bp_in, n):
    """The first frequency of envelope's filter and the one behind the last. Errors: ValueError."""
    if len(bp_in) != 2 or not all(b is None or isinstance(b, int) for b in bp_in):
        raise ValueError(f"{bp_in=} isn't a 2-tuple of type (int | None, int | None)!")
    low = -(n // 2) if bp_in[0] is None else bp_in[0]
    high = (n + 1) // 2 if bp_in[1] is None else bp_in[1]
    if not -n // 2 <= low < high <= (n + 1) // 2:
        raise ValueError(f"`-n//2 <= bp_in[0] < bp_in[1] <= (n+1)//2` does not hold for n={n} and {bp_in=}!")
    return low, high


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
    z = array(z)
    if not -z.ndim <= axis < z.ndim:
        raise ValueError(f"Invalid parameter {axis=} for {z.shape=}!")
    if not z.shape[axis] > 0:
        raise ValueError(f"z.shape[axis] not > 0 for {z.shape=}, {axis=}!")
    if not (n_out is None or isinstance(n_out, int) and n_out > 0):
        raise ValueError(f"{n_out=} is not a positive integer or None!")
    if residual not in ("lowpass", "all", None):
        raise ValueError(f"{residual=} not in ['lowpass', 'all', None]!")
    band = _band(bp_in, z.shape[axis])
    return _spectra.envelope(z, *band, n_out or 0, bool(squared), residual or "none", axis)
