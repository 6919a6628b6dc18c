"""The arguments of scipy.ndimage's filters: modes, axes, origins, outputs, and what their docstrings say of them."""
import math
import operator
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite._beside import beside_its_arrays
from cuprite._core import ndarray
from cuprite._element_types import ElementType, common_type, type_of

_MODES = ("reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant")
_MEANINGS = {
    "input": "the array",
    "weights": "the weights, as many dimensions as axes",
    "axis": "the axis along which the filter goes",
    "axes": "the axes along which the filter goes; None: all",
    "output": "the array that the result is written to, or its type; None: the input's",
    "mode": "how the array goes on beyond its edges: 'reflect', 'mirror', 'nearest', 'wrap', 'constant' or a grid mode",
    "cval": "the element beyond the edges, for the constant mode",
    "origin": "how far the window is shifted: 0 has the element in its middle; one number, or one an axis",
    "size": "the window's length: one number, or one an axis",
    "footprint": "an array that is true where elements take part",
    "structure": "the structuring element; of binary morphology a length, or lengths, too: an all-true one",
    "sigma": "the standard deviation: one number, or one an axis",
    "order": "the order of the derivative, 0 for none",
    "truncate": "after how many standard deviations the window ends",
    "radius": "the window's radius, in place of truncate",
    "rank": "which of the ordered elements; negative numbers count from the end",
    "percentile": "which percentile of the elements; negative numbers count from 100",
    "function": "what is called",
    "filter_size": "the number of elements of a window",
    "extra_arguments": "further arguments of what is called",
    "extra_keywords": "its further arguments by name",
    "derivative": "the function derivative(input, axis, output, mode, cval, *extra_arguments, **extra_keywords)",
    "derivative2": "the same for second derivatives",
    "batch_memory": "the bytes that windows may take at once",
    "iterations": "how often it is done; below 1: until nothing changes",
    "mask": "an array that is true where elements may change; None: everywhere",
    "border_value": "what lies beyond the edges",
    "brute_force": "of SciPy's: the result is the same",
    "structure1": "the structuring element that must fit",
    "structure2": "the one that must miss; None: the complement",
    "origin1": "the first one's origin", "origin2": "the second one's origin; None: the first one's",
    "connectivity": "how many coordinates of a neighbour may differ", "ndim": "the number of dimensions",
    "n": "the length of the axis before a real transform; negative: the transform was complex",
    "shift": "by how many elements it is shifted: one number, or one an axis",
}
NO_ARRAY = {"TypeError": "anything but Cuprite's arrays"}
OF_FILTERS = {"RuntimeError": "a wrong mode, size or number of dimensions",
              "ValueError": "a wrong origin or wrong axes",
              "TypeError": "complex numbers, or an input that is no array of Cuprite's"}
OF_SUMS = OF_FILTERS | {"TypeError": "an input that is no array of Cuprite's"}


def documented(summary, errors=OF_FILTERS, **meanings):
    """A decorator: the docstring of a filter, from its parameters' names; it runs on its arrays' device."""
    def decorate(f):
        names = [n for n in f.__code__.co_varnames[:f.__code__.co_argcount + f.__code__.co_kwonlyargcount]]
        what = "; ".join(f"{n}: {meanings.get(n) or _MEANINGS[n]}" for n in names)
        f.__doc__ = f"{summary}\n\nParameters: {what}.\nErrors: " + "; ".join(
            f"{e} for {why}" for e, why in errors.items()) + "."
        return beside_its_arrays(f)
    return decorate


def array(x, name="input"):
    """x, an array of Cuprite's."""
    if not isinstance(x, ndarray):
        raise TypeError(f"{name} is an array of Cuprite's, not {type(x).__name__}: cuprite.asarray makes one")
    return x


def real(x):
    """x, an array of real numbers."""
    if type_of(array(x)).kind == "c":
        raise TypeError("Complex type not supported")
    return x


def small(x, dtype=None):
    """x as an array of Cuprite's in the host's memory, where functions of C read it without a wait."""
    return cuprite.array(x, dtype, device="cpu")


def per_axis(x, n):
    """A list of n: x for each axis, or its elements."""
    if isinstance(x, str) or not numpy.iterable(x):
        return [x] * n
    x = list(x)
    if len(x) != n:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return x


def mode_of(mode):
    """One mode."""
    if isinstance(mode, str) and mode in _MODES:
        return mode
    raise RuntimeError("boundary mode not supported")


def one_mode(mode):
    """The mode of a filter whose axes are not treated one by one."""
    if not isinstance(mode, str) and numpy.iterable(mode):
        raise RuntimeError("A sequence of modes is not supported")
    return mode_of(mode)


def axes_of(axes, ndim):
    """A tuple of different axes, not negative."""
    if axes is None:
        return tuple(range(ndim))
    if numpy.isscalar(axes):
        return (axis_of(axes, ndim),)
    if not numpy.iterable(axes):
        raise ValueError("axes must be an integer, iterable of integers, or None")
    axes = tuple(operator.index(a) for a in axes)
    for a in axes:
        if not -ndim <= a < ndim:
            raise ValueError(f"specified axis: {a} is out of range")
    axes = tuple(a % ndim for a in axes)
    if len(set(axes)) != len(axes):
        raise ValueError("axes must be unique")
    return axes


def axis_of(axis, ndim):
    """One axis, not negative."""
    axis = operator.index(axis)
    if not -ndim <= axis < ndim:
        raise cuprite.exceptions.AxisError(axis, ndim)
    return axis % ndim


def output_of(output, x, complex_output=False):
    """The array for a result of x's shape: `output` itself, or a new one of that type."""
    if output is None:
        dtype = common_type(type_of(x), "complex64") if complex_output else type_of(x)
    elif isinstance(output, ndarray):
        if output.shape != x.shape:
            raise RuntimeError("output shape not correct")
        if complex_output and type_of(output).kind != "c":
            raise RuntimeError("output must have complex dtype")
        return _real_output(output, complex_output)
    elif hasattr(output, "__array__") and not isinstance(output, (type, str)):
        raise TypeError(f"output is an array of Cuprite's or a type, not {type(output).__name__}")
    else:
        try:
            dtype = common_type(output)
        except (TypeError, ValueError):  # none of ours
            dtype = numpy.dtype(output)
        named = isinstance(output, str) and not isinstance(output, ElementType)
        if named and (dtype.kind not in "iufc" or complex_output and dtype.kind != "c"):
            raise RuntimeError(f"output must have {'complex' if complex_output else 'numeric'} dtype")
        if complex_output and dtype.kind != "c":
            warnings.warn("promoting specified output dtype to complex", stacklevel=4)
            dtype = common_type(dtype, "complex64")
    return _real_output(cuprite.empty(x.shape, dtype), complex_output)


def _real_output(output, complex_output):
    """output, which a filter of real numbers has no complex numbers for."""
    if type_of(output).kind == "c" and not complex_output:
        raise RuntimeError(f"output type {output.dtype} not supported: the input is real")
    return output


def in_steps(steps, x, output):
    """Filters one after the other: each step(x, out) writes to an array of output's type, the last one to output."""
    if not steps:
        output[...] = x
        return output
    for step in steps[:-1]:
        x = step(x, cuprite.empty(output.shape, type_of(output)))
    steps[-1](x, output)
    return output


def whole_origin(origin, axes, ndim):
    """A list of the origins of all axes."""
    origins = [0] * ndim
    for o, a in zip(per_axis(origin, len(axes)), axes):
        origins[a] = operator.index(o)
    return origins


_MOST = 2 ** 28  # elements of a window that is no product of lines: gigabytes of offsets


def full_window(size, n):
    """A footprint of ones. Errors: MemoryError, before it is made, of a size that no memory holds with its offsets."""
    sizes = [operator.index(s) for s in per_axis(size, n)]
    if math.prod(sizes) > _MOST:
        raise MemoryError(f"a window of {' x '.join(map(str, sizes))} elements: the most are {_MOST}")
    return cuprite.ones(sizes, bool, device="cpu")


def whole_window(window, axes, ndim, name="footprint"):
    """A window over some axes as one over all."""
    if len(axes) < ndim:
        if window.ndim != len(axes):
            raise RuntimeError(f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})")
        ordered = sorted(axes)  # as SciPy: the window's dimensions are those of the axes in ascending order
        window = window.reshape([window.shape[ordered.index(a)] if a in axes else 1 for a in range(ndim)])
    if window.ndim != ndim or 0 in window.shape:
        raise RuntimeError(f"{name}.ndim ({window.ndim}) must match len(axes) ({len(axes)})")
    return window


def check_origins(origins, shape):
    """ValueError where one lies outside of its window."""
    for o, n in zip(origins, shape):
        if not 0 <= n // 2 + o < n:
            raise ValueError("invalid origin")
