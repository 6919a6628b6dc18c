"""Views with shapes and strides of their own."""
from __future__ import annotations

import cuprite
from cuprite import _strides
from cuprite._core import ndarray
from cuprite._support import _own_asarray
from cuprite._missing import listing as _listing, missing as _missing

__all__ = ["as_strided", "broadcast_arrays", "broadcast_shapes", "broadcast_to", "sliding_window_view"]


def __getattr__(name):
    if name not in ("broadcast_arrays", "broadcast_shapes", "broadcast_to"):
        raise _missing(__name__, name)
    return getattr(cuprite, name)


def as_strided(x, shape=None, strides=None, subok=False, writeable=True) -> ndarray:
    """A view from x's first element on with this shape and these strides in bytes (x's by default). ValueError where
    elements would lie outside the memory of x.

    Parameters: x: an array; shape: the lengths of the axes; strides: bytes; subok: True or False (without effect);
        writeable: False: the view cannot be written to."""
    if not isinstance(x, ndarray):
        x = _own_asarray(x)
    view = _strides.as_strided(x, x.shape if shape is None else shape, x.strides if strides is None else strides)
    if not writeable:
        view.flags.writeable = False
    return view


def sliding_window_view(x, window_shape, axis=None, *, subok=False, writeable=False) -> ndarray:
    """All windows of that shape over the axes (all by default): a view, whose last axes are the windows'.

    Parameters: x: an array; window_shape: an integer or several; axis: as many axes (None: all); subok: True or
        False (without effect); writeable: True: the view can be written to.
    Errors: ValueError for a window that is negative or larger than the array, and for another number of axes.

    Example:
        >>> cp.lib.stride_tricks.sliding_window_view(cp.arange(4), 3)
        array([[0, 1, 2],
               [1, 2, 3]])
    """
    from numpy.lib.array_utils import normalize_axis_tuple
    window = tuple(window_shape) if getattr(window_shape, "ndim", 1) and hasattr(window_shape, "__iter__") \
        else (window_shape,)
    if not isinstance(x, ndarray):
        x = _own_asarray(x)
    if any(w < 0 for w in window):
        raise ValueError("`window_shape` cannot contain negative values")
    if axis is None:
        axis = tuple(range(x.ndim))
        if len(window) != len(axis):
            raise ValueError("Since axis is None, must provide window_shape for all dimensions of `x`; got "
                             f"{len(window)} window_shape elements and `x.ndim` is {x.ndim}.")
    else:
        axis = normalize_axis_tuple(axis, x.ndim, allow_duplicate=True)
        if len(window) != len(axis):
            raise ValueError("Must provide matching length window_shape and axis; got "
                             f"{len(window)} window_shape elements and {len(axis)} axes elements.")
    shape = list(x.shape)
    for a, w in zip(axis, window):
        if shape[a] < w:
            raise ValueError("window shape cannot be larger than input array shape")
        shape[a] -= w - 1
    return as_strided(x, (*shape, *window), (*x.strides, *(x.strides[a] for a in axis)), writeable=writeable)


__dir__ = _listing(__name__)
