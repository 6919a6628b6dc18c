"""scipy.ndimage's binary morphology, and structuring elements."""
import functools
import itertools
import numbers
import operator

import cuprite
from cuprite import _numpy as numpy
from cuprite import _device, _filters
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite.scipy.ndimage._arguments import (
    NO_ARRAY, OF_FILTERS, array, axes_of, check_origins, documented, output_of, per_axis, real, small,
    whole_origin, whole_window)

__all__ = ["binary_closing", "binary_dilation", "binary_erosion", "binary_fill_holes", "binary_hit_or_miss",
           "binary_opening", "binary_propagation", "generate_binary_structure", "iterate_structure"]


def _structure(rank, connectivity):
    most = max(connectivity, 1)
    true = [sum(map(abs, steps)) <= most for steps in itertools.product((-1, 0, 1), repeat=max(rank, 0))]
    return cuprite.array(true, bool, device="cpu").reshape((3,) * max(rank, 0))


@functools.lru_cache(maxsize=8)
def _cross(rank):
    return _structure(rank, 1)


@documented("A structuring element of 3 elements along each axis, true where at most `connectivity` coordinates differ "
            "from the middle.", {"TypeError": "what is no integer"}, rank="the number of dimensions")
def generate_binary_structure(rank, connectivity) -> ndarray:
    return cuprite.array(_structure(rank, connectivity), device=_device.current())


@documented("A structuring element dilated by itself.", NO_ARRAY,
            iterations="how often, with itself counted", origin="its origin: then the result is a tuple of the "
            "element and the new origin; None: the element alone")
def iterate_structure(structure, iterations, origin=None) -> "ndarray | tuple[ndarray, list[int]]":
    array(structure, "structure")
    if iterations < 2:
        return structure.copy()
    more = iterations - 1
    out = cuprite.zeros([n + more * (n - 1) for n in structure.shape], bool)
    out[tuple(slice(more * (n // 2), more * (n // 2) + n) for n in structure.shape)] = structure != 0
    out = binary_dilation(out, structure, iterations=more)
    return out if origin is None else (out, [iterations * o for o in per_axis(origin, structure.ndim)])


def _given(structure, ndim):
    """A structure on the host. CuPy's forms of an all-true one, a length and a tuple of lengths, are taken where as
    SciPy's, the elements, they do not fit."""
    lengths = structure if isinstance(structure, tuple) else (structure,) * ndim
    if ndim > (1 if isinstance(structure, tuple) else 0) and len(lengths) == ndim and \
            all(isinstance(n, numbers.Integral) and not isinstance(n, bool) for n in lengths):
        return cuprite.ones(lengths, bool, device="cpu")
    return small(structure, bool)


def _morphed(f, x, structure, iterations, mask, output, border_value, origin, axes):
    """Erosion or dilation, with checked arguments."""
    try:
        iterations = operator.index(iterations)
    except TypeError as why:
        raise TypeError("iterations parameter should be an integer") from why
    axes = axes_of(axes, real(x).ndim)
    structure = _cross(len(axes)) if structure is None else _given(structure, len(axes))
    if structure.size < 1:
        raise RuntimeError("structure must not be empty")
    if len(axes) < x.ndim:
        structure = whole_window(structure, axes, x.ndim, "structure")
    if structure.ndim != x.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    if mask is not None and array(mask, "mask").shape != x.shape:
        raise RuntimeError("mask and input must have equal sizes")
    if isinstance(output, ndarray):
        if type_of(output).kind == "c":
            raise TypeError("Complex output type not supported")
        output_of(output, x)
    elif hasattr(output, "__array__") and not isinstance(output, (type, numpy.there("dtype"))):
        output_of(output, x)
    origins = whole_origin(origin, axes, x.ndim)
    if f is _filters.binary_erosion:
        check_origins(origins, structure.shape)
    else:
        check_origins([-o - (not n & 1) for o, n in zip(origins, structure.shape)], structure.shape)
    return f(x, structure, iterations, mask, bool(border_value), origins,
             output if isinstance(output, ndarray) else None)


@documented("Binary erosion: true where the structure fits into the true elements.")
def binary_erosion(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                   brute_force=False, *, axes=None) -> ndarray:
    return _morphed(_filters.binary_erosion, input, structure, iterations, mask, output, border_value, origin, axes)


@documented("Binary dilation: true where the turned structure meets a true element.")
def binary_dilation(input, structure=None, iterations=1, mask=None, output=None, border_value=0, origin=0,
                    brute_force=False, *, axes=None) -> ndarray:
    return _morphed(_filters.binary_dilation, input, structure, iterations, mask, output, border_value, origin, axes)


@documented("Binary opening: an erosion, then a dilation.")
def binary_opening(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False, *, axes=None) -> ndarray:
    tmp = binary_erosion(input, structure, iterations, mask, None, border_value, origin, brute_force, axes=axes)
    return binary_dilation(tmp, structure, iterations, mask, output, border_value, origin, brute_force, axes=axes)


@documented("Binary closing: a dilation, then an erosion.")
def binary_closing(input, structure=None, iterations=1, output=None, origin=0, mask=None, border_value=0,
                   brute_force=False, *, axes=None) -> ndarray:
    tmp = binary_dilation(input, structure, iterations, mask, None, border_value, origin, brute_force, axes=axes)
    return binary_erosion(tmp, structure, iterations, mask, output, border_value, origin, brute_force, axes=axes)


@documented("True where one structure fits into the true elements and another one into the others.")
def binary_hit_or_miss(input, structure1=None, structure2=None, output=None, origin1=0, origin2=None, *,
                       axes=None) -> ndarray:
    n = len(axes_of(axes, array(input).ndim))
    structure1 = _structure(n, 1) if structure1 is None else small(structure1)
    structure2 = cuprite.logical_not(structure1) if structure2 is None else small(structure2)
    origin2 = origin1 if origin2 is None else origin2
    hit = binary_erosion(input, structure1, 1, None, None, 0, origin1, axes=axes)
    # the second one misses where it fits into the complement, beyond whose edges everything is false as well
    miss = binary_erosion(cuprite.logical_not(input), structure2, 1, None, None, 1, origin2, axes=axes)
    if isinstance(output, ndarray):
        output_of(output, input)
        return cuprite.logical_and(hit, miss, out=output, casting="unsafe")
    return cuprite.logical_and(hit, miss, out=miss)


@documented("Dilation within a mask until nothing changes.", OF_FILTERS)
def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0, *,
                       axes=None) -> ndarray:
    return binary_dilation(input, structure, -1, mask, output, border_value, origin, axes=axes)


@documented("The true elements, and those that they enclose.", OF_FILTERS)
def binary_fill_holes(input, structure=None, output=None, origin=0, *, axes=None) -> ndarray:
    mask = cuprite.logical_not(array(input))
    given = output if isinstance(output, ndarray) else None
    out = binary_dilation(cuprite.zeros(mask.shape, bool), structure, -1, mask, given, 1, origin, axes=axes)
    return cuprite.logical_not(out, out=out, casting="unsafe")
