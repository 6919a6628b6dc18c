"""scipy.ndimage's filters that call a function, of Python's or of C's (scipy.LowLevelCallable): windows are given to it
on the host, as SciPy does. vectorized_filter gives it arrays of the device, and kernels (CuPy's forms) run there."""
import math
import operator

import cuprite
from cuprite import _callbacks
from cuprite import _numpy as numpy
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite._low_level import LINE, WINDOW, capsule_of
from cuprite.scipy.ndimage._arguments import (
    OF_FILTERS, array, axes_of, axis_of, check_origins, documented, full_window, mode_of, one_mode, output_of,
    real, small, whole_origin, whole_window)
from cuprite.scipy.ndimage._kernels import is_kernel, lines_filtered, windows_filtered

__all__ = ["generic_filter", "generic_filter1d", "vectorized_filter"]
_NUMPYS = {"reflect": "symmetric", "grid-mirror": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap",
           "grid-wrap": "wrap", "constant": "constant", "grid-constant": "constant"}


def _on_host(x, dtype=None):
    """x as an array of NumPy's."""
    return numpy.asarray(x.get() if isinstance(x, ndarray) else x, dtype)


def _padding(mode, cval):
    """A filter's mode as one of pad, with its options."""
    return _NUMPYS[mode], {"constant_values": cval} if _NUMPYS[mode] == "constant" else {}


def _padded(x, widths, mode, cval):
    """NumPy's array with elements beyond its edges, as filters have them."""
    name, more = _padding(mode, cval)
    return numpy.pad(x, widths, mode=name, **more) if x.ndim else x


_CALLED = "what is called: a function, a kernel, or one of C's in a scipy.LowLevelCallable"
_OF_CALLS = OF_FILTERS | {
    "RuntimeError": "a wrong mode, size or number of dimensions, and a function of C's that fails",
    "ValueError": "a wrong origin, wrong axes, what cannot be called, a function of C's of another signature"}


@documented("What a function makes of each window, an array of float64 in one dimension.", _OF_CALLS, function=_CALLED)
def generic_filter(input, function, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0,
                   extra_arguments=(), extra_keywords=None, *, axes=None) -> ndarray:
    axes = axes_of(axes, real(input).ndim)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = full_window(size, len(axes))
    footprint = whole_window(_on_host(footprint, bool), axes, input.ndim)
    origins = whole_origin(origin, axes, input.ndim)
    check_origins(origins, footprint.shape)
    output, mode = output_of(output, input), one_mode(mode)
    capsule = None if is_kernel(function) else capsule_of(function, WINDOW)
    if not input.size:
        return output
    if capsule is not None:
        _callbacks.generic_filter(input, capsule, small(footprint), mode, cval, origins, output)
        return output
    widths = [(n // 2 + o, n - 1 - n // 2 - o) for n, o in zip(footprint.shape, origins)]
    if is_kernel(function):
        output[...] = windows_filtered(function, input, footprint.shape, widths, _padding(mode, cval), footprint,
                                       type_of(output))
        return output
    x = _on_host(input, "float64")
    windows = numpy.lib.stride_tricks.sliding_window_view(_padded(x, widths, mode, cval), footprint.shape)
    result, keywords = numpy.empty(x.shape, type_of(output)), extra_keywords or {}
    buffer = numpy.empty(int(footprint.sum()))
    for at in numpy.ndindex(x.shape):
        buffer[:] = windows[at][footprint]
        result[at] = _as(float(function(buffer, *extra_arguments, **keywords)), type_of(output))
    output[...] = cuprite.asarray(result)
    return output


def _as(value, dtype):
    """A float as an element: C's conversion."""
    return numpy.float64(value).astype(dtype) if dtype.kind in "fc" else numpy.asarray(math.trunc(value)).astype(dtype)


@documented("What a function writes of each line along an axis: function(line with its surroundings, line to write).",
            _OF_CALLS, function=_CALLED)
def generic_filter1d(input, function, filter_size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0,
                     extra_arguments=(), extra_keywords=None) -> ndarray:
    output = output_of(output, real(input))
    if filter_size < 1:
        raise RuntimeError("invalid filter size")
    axis = axis_of(axis, input.ndim)
    check_origins([operator.index(origin)], [filter_size])
    mode = mode_of(mode)
    capsule = None if is_kernel(function) else capsule_of(function, LINE)
    if not input.size:
        return output
    if capsule is not None:
        _callbacks.generic_filter1d(input, capsule, filter_size, axis, mode, cval, origin, output)
        return output
    before = filter_size // 2 + origin
    if is_kernel(function):
        output[...] = lines_filtered(function, input, axis, (before, filter_size - 1 - before), _padding(mode, cval))
        return output
    x = numpy.moveaxis(_on_host(input, "float64"), axis, -1)
    lines = _padded(x, [(0, 0)] * (x.ndim - 1) + [(before, filter_size - 1 - before)], mode, cval)
    result = numpy.empty(x.shape)
    for at in numpy.ndindex(x.shape[:-1]):
        line = numpy.empty(x.shape[-1])
        function(lines[at].copy(), line, *extra_arguments, **(extra_keywords or {}))
        result[at] = line
    result = numpy.moveaxis(result, -1, axis)
    if type_of(output).kind not in "fc":
        result = numpy.trunc(result)
    output[...] = cuprite.asarray(numpy.ascontiguousarray(result))
    return output


def _integers(x, n, name):
    x = [x] * n if numpy.isscalar(x) else list(x)
    if not all(numpy.asarray(i).dtype.kind in "iu" for i in x):
        raise ValueError(f"All elements of `{name}` must be integers.")
    return x


def _check_window(input, size, footprint, axes):
    """(axes, window's lengths)."""
    if size is None and footprint is None:
        raise ValueError("Either `size` or `footprint` must be provided.")
    if size is not None and footprint is not None:
        raise ValueError("Either `size` or `footprint` may be provided, not both.")
    axes = tuple(range(-input.ndim, 0)) if axes is None else (axes,) if numpy.isscalar(axes) else tuple(axes)
    if len(axes) > input.ndim:
        raise ValueError("The length of `axes` may not exceed the dimensionality of `input`(`input.ndim`).")
    if footprint is not None:
        size = footprint.shape
    else:
        size = (size,) * len(axes) if numpy.isscalar(size) else tuple(size)
        if not all(numpy.asarray(i).dtype.kind in "iu" and i > 0 for i in size):
            raise ValueError("All elements of `size` must be positive integers.")
    if len(axes) != len(size):
        raise ValueError("`axes` must be compatible with the dimensionality of the window specified by `size` or "
                         "`footprint`.")
    return axes, size


def _check_rule(mode, cval, origin, n):
    """(mode of pad's, cval, origins)."""
    origins = _integers(0 if origin is None else origin, n, "origin")
    if len(origins) != n:
        raise ValueError("`origin` must be an integer or tuple of integers with length equal to the number of axes.")
    if mode not in _NUMPYS and mode != "valid":
        raise ValueError(f"`mode` must be one of {sorted([*_NUMPYS, 'valid'])}.")
    # SciPy's grid-mirror is NumPy's reflect here, and its wrap NumPy's
    padding = "reflect" if mode == "grid-mirror" else _NUMPYS.get(mode, mode)
    if mode == "valid" and any(origins):
        raise ValueError("`mode='valid'` is incompatible with use of `origin`.")
    if cval is not None and padding != "constant":
        raise ValueError("Use of `cval` is compatible only with `mode='constant'`.")
    cval = 0.0 if cval is None else cval
    if numpy.asarray(_on_host(cval)).dtype.kind not in "iufc":
        raise ValueError("`cval` must include only numbers.")
    return padding, cval, origins


def _in_batches(view, function, output, batch_memory, n):
    """function(windows, axis=the last n) of view, at most batch_memory bytes at once."""
    where = tuple(range(-n, 0))
    each = math.prod(view.shape[1:]) * type_of(view).itemsize
    count = view.shape[0] if batch_memory >= view.shape[0] * each else int(batch_memory // each)  # it may be infinite
    if count < 1:
        raise ValueError("`batch_memory` is insufficient for minimum chunk size.")
    for i in range(0, view.shape[0], count):
        part = function(view[i:i + count], axis=where)
        if output is None:
            if count == view.shape[0]:
                return part
            output = cuprite.empty(view.shape[:-n], type_of(part))
        output[i:i + count] = part
    return output


@documented("What a function of arrays makes of all windows: function(windows, axis=their axes).",
            OF_FILTERS | {"ValueError": "wrong arguments"})
def vectorized_filter(input, function, *, size=None, footprint=None, output=None, mode="reflect", cval=None,
                      origin=None, axes=None, batch_memory=2**30) -> ndarray:
    array(input)
    if not callable(function):
        raise ValueError("`function` must be a callable.")
    footprint = None if footprint is None else _on_host(footprint, bool)
    axes, size = _check_window(input, size, footprint, axes)
    n = len(axes)
    padding, cval, origins = _check_rule(mode, cval, origin, n)
    batch = numpy.asarray(batch_memory)
    if batch.ndim or type_of(batch).kind not in "iuf" or batch <= 0:
        raise ValueError("`batch_memory` must be positive number.")
    if not input.size:
        return input
    if input.ndim == 0 and size == ():
        return cuprite.asarray(function(input if footprint is None else input[cuprite.asarray(footprint)]))
    chosen = None if footprint is None else cuprite.asarray(footprint)

    def of_windows(windows, axis):
        return function(windows, axis=axis) if chosen is None else function(windows[..., chosen], axis=-1)
    where = tuple(range(-n, 0))
    x = cuprite.moveaxis(input, axes, where)
    output = output if output is None else cuprite.moveaxis(output, axes, where)
    if padding != "valid":
        borders = [(0, 0)] * (x.ndim - n) + [(k // 2 + o, (k - 1) // 2 - o) for k, o in zip(size, origins)]
        x = cuprite.pad(x, borders, padding, **({"constant_values": cval} if padding == "constant" else {}))
    view = cuprite.lib.stride_tricks.sliding_window_view(x, size, where) if n else x
    result = _in_batches(view, of_windows, output, batch_memory, n) if n else of_windows(view, ())
    return cuprite.moveaxis(result, where, axes)
