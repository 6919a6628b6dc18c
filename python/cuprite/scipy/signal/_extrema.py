"""Extrema of signals by comparisons with neighbours."""
from __future__ import annotations

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.signal._arrays import array, axis_of


def _neighbours(data, axis, shift, mode):
    """data's elements `shift` places further along an axis; beyond its ends the last one, or around."""
    places = cuprite.arange(data.shape[axis]) + shift
    n = data.shape[axis]
    places = cuprite.clip(places, 0, n - 1) if mode == "clip" else places % n
    return cuprite.take(data, places, axis)


@beside_its_arrays
def argrelextrema(data, comparator, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Where elements compare with each of their neighbours: a tuple of indices, one an axis.

    Parameters: data: the signal; comparator: a function of two arrays, such as greater; axis: an axis; order: how
        many neighbours on each side; mode: 'clip', or 'wrap' around the ends.
    Errors: ValueError for an order below 1; NotImplementedError for another mode.
    """
    if int(order) != order or order < 1:
        raise ValueError("Order must be an int >= 1")
    if mode not in ("clip", "wrap"):
        raise NotImplementedError(f"CuPy and Cuprite have the modes 'clip' and 'wrap', not {mode!r}")
    data = array(data)
    axis = axis_of(data, axis)
    found = cuprite.ones(data.shape, bool)
    for shift in range(1, min(int(order), data.shape[axis]) + 1):  # neighbours further away are the same again
        if shift % 64 == 0 and not bool(found.any()):
            break
        found &= comparator(data, _neighbours(data, axis, shift, mode))
        found &= comparator(data, _neighbours(data, axis, -shift, mode))
    return found.nonzero()


def argrelmax(data, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Where elements are above their neighbours.

    Parameters: data: the signal; axis: an axis; order: how many neighbours on each side; mode: 'clip' or 'wrap'.
    """
    return argrelextrema(data, cuprite.greater, axis, order, mode)


def argrelmin(data, axis=0, order=1, mode="clip") -> tuple[ndarray, ...]:
    """Where elements are below their neighbours.

    Parameters: data: the signal; axis: an axis; order: how many neighbours on each side; mode: 'clip' or 'wrap'.
    """
    return argrelextrema(data, cuprite.less, axis, order, mode)
