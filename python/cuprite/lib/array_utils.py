"""Axes by their numbers, and the memory bounds of an array."""
from cuprite._core import ndarray
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["byte_bounds", "normalize_axis_index", "normalize_axis_tuple"]


def _extent(x):
    if x.size == 0:
        return 0, 0
    low = high = x.data.ptr
    for extent, stride in zip(x.shape, x.strides):
        low += min(stride * (extent - 1), 0)
        high += max(stride * (extent - 1), 0)
    return low, high + x.itemsize


def byte_bounds(a) -> "tuple[int, int]":
    """The address of the first byte of the array, and that behind its last one.

    Parameters: a: an array.
    Errors: TypeError for what is none."""
    if not isinstance(a, ndarray):
        raise TypeError(f"Unsupported type {type(a)}")
    low, high = _extent(a)
    return (low, high) if a.size else (a.data.ptr, a.data.ptr)


def normalize_axis_index(axis, ndim, msg_prefix=None) -> int:
    """The axis from 0 on; AxisError where there is none.

    Parameters: axis: an integer; ndim: the number of axes; msg_prefix: what the error's text begins with."""
    from numpy.lib.array_utils import normalize_axis_index as normalize
    return normalize(axis, ndim, msg_prefix)


def normalize_axis_tuple(axis, ndim, argname=None, allow_duplicate=False) -> "tuple[int, ...]":
    """One axis or several, from 0 on.

    Parameters: axis: an integer or several; ndim: the number of axes; argname: the argument's name, for errors;
        allow_duplicate: True: an axis may come twice.
    Errors: AxisError for one that is not there; ValueError for one that comes twice."""
    from numpy.lib.array_utils import normalize_axis_tuple as normalize
    return normalize(axis, ndim, argname, allow_duplicate)
