"""Extrema of signals by comparisons with neighbours."""
from __future__ import annotations

import cuprite
from cuprite import _spectra, ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.signal._arrays import array, axis_of

_COMPARISONS = ("greater", "greater_equal", "less", "less_equal", "equal", "not_equal")


def _neighbours(data, axis, shift, mode):
    """data's elements `shift` places further along an axis; beyond its ends the last one, or around."""
    places = cuprite.arange(data.shape[axis]) + shift
    n = data.shape[axis]
    places = cuprite.clip(places, 0, n - 1) if mode == "clip" else places % n
    return cuprite.take(data, places, axis)


def _word(comparator):
    """The name of a ufunc that C compares by; None."""
    name = getattr(comparator, "__name__", None)
    return name if type(comparator).__name__ == "ufunc" and name in _COMPARISONS else None


@beside_its_arrays
def argrelextrema(data, comparator, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Where elements compare with each of their neighbours: a tuple of indices, one an axis.

    Parameters: data: the signal; comparator: a function of two arrays, such as greater; axis: an axis; order: how
        many neighbours on each side; mode: what lies beyond the ends, 'clip': the last element, 'wrap': the other
        end's, 'raise': an error.
    Errors: ValueError for an order below 1 and an unknown mode; IndexError of 'raise', where there are elements.
    """
    if int(order) != order or order < 1:
        raise ValueError("Order must be an int >= 1")
    if mode not in ("clip", "wrap", "raise", None):
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    data = array(data)
    axis, word, mode = axis_of(data, axis), _word(comparator), mode or "raise"
    order = min(int(order), max(data.shape[axis], 1))  # neighbours further away are the same again
    if mode == "raise" and all(data.shape[:axis + 1]):  # the first neighbour beyond the end, which every line has
        n = data.shape[axis]
        raise IndexError(f"index {n} is out of bounds for axis {axis} with size {n}")
    if not data.size:
        return cuprite.ones(data.shape, bool).nonzero()
    if word:
        return _spectra.argrelextrema(data, word, axis, order, mode)
    found = cuprite.ones(data.shape, bool)
    for shift in range(1, order + 1):
        if shift % 64 == 0 and not bool(found.any()):
            break
        found &= comparator(data, _neighbours(data, axis, shift, mode))
        found &= comparator(data, _neighbours(data, axis, -shift, mode))
    return found.nonzero()


def argrelmax(data, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Where elements are above their neighbours.

    Parameters: data: the signal; axis: an axis; order: how many neighbours on each side; mode: argrelextrema's.
    """
    return argrelextrema(data, cuprite.greater, axis, order, mode)


def argrelmin(data, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Where elements are below their neighbours.

    Parameters: data: the signal; axis: an axis; order: how many neighbours on each side; mode: argrelextrema's.
    """
    return argrelextrema(data, cuprite.less, axis, order, mode)
