"""scipy.ndimage's filters by order: extremes, ranks, medians, percentiles, and grey morphology."""
import functools
import math
import operator
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import _filters
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite.scipy.ndimage._arguments import (
    array, axes_of, axis_of, check_origins, documented, full_window, in_steps, mode_of, one_mode, output_of,
    per_axis, real, small, whole_origin, whole_window)

__all__ = ["black_tophat", "grey_closing", "grey_dilation", "grey_erosion", "grey_opening", "maximum_filter",
           "maximum_filter1d", "median_filter", "minimum_filter", "minimum_filter1d", "morphological_gradient",
           "morphological_laplace", "percentile_filter", "rank_filter", "white_tophat"]


def _warn_of_size(size, footprint):
    if size is not None and footprint is not None:
        warnings.warn("ignoring size because footprint is set", UserWarning, stacklevel=4)


def _line(name, x, size, axis, output, mode, cval, origin):
    axis, output = axis_of(axis, real(x).ndim), output_of(output, x)
    return getattr(_filters, name)(x, math.trunc(size), axis, mode_of(mode), cval, origin, output)


@documented("The least of neighbours along an axis; NaN where there is one.")
def minimum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0) -> ndarray:
    return _line("minimum_filter1d", input, size, axis, output, mode, cval, origin)


@documented("The greatest of neighbours along an axis; NaN where there is one.")
def maximum_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0) -> ndarray:
    return _line("maximum_filter1d", input, size, axis, output, mode, cval, origin)


def _by_axes(x, size, output, mode, cval, origin, low, axes):
    """Extremes of boxes, along one axis after the other."""
    n = len(axes)
    line = _filters.minimum_filter1d if low else _filters.maximum_filter1d

    def step(given, x, out):
        axis, size, origin, mode = given
        return line(x, int(size), axis, mode_of(mode), cval, operator.index(origin), out)
    lists = list(zip(axes, per_axis(size, n), per_axis(origin, n), per_axis(mode, n)))
    return in_steps([functools.partial(step, given) for given in lists if given[1] > 1], x, output)


def _extreme(x, size, footprint, structure, output, mode, cval, origin, low, axes):
    """The least (`low`) or the greatest elements of windows."""
    _warn_of_size(size, footprint)
    if structure is None and footprint is None and size is None:
        raise RuntimeError("no footprint provided")
    if footprint is not None:
        footprint = small(footprint, bool)
        if structure is None and not footprint.any():
            raise ValueError("All-zero footprint is not supported.")
        if structure is None and footprint.all():
            size, footprint = footprint.shape, None
    output = output_of(output, real(x))
    axes = axes_of(axes, x.ndim)
    if structure is None and footprint is None:
        return _by_axes(x, size, output, mode, cval, origin, low, axes)
    structure = None if structure is None else small(structure, "float64")
    footprint = cuprite.ones(structure.shape, bool, device="cpu") if footprint is None else footprint
    footprint = whole_window(footprint, axes, x.ndim)
    origins = whole_origin(origin, axes, x.ndim)
    check_origins(origins, footprint.shape)
    if structure is not None:
        if structure.ndim != len(axes):
            raise RuntimeError("structure array has incorrect shape")
        structure = whole_window(structure, axes, x.ndim, "structure")
    f = _filters.minimum_window if low else _filters.maximum_window
    return f(x, footprint, structure, one_mode(mode), cval, origins, output)


@documented("The least elements of windows; NaN where there is one.")
def minimum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                   axes=None) -> ndarray:
    return _extreme(input, size, footprint, None, output, mode, cval, origin, True, axes)


@documented("The greatest elements of windows; NaN where there is one.")
def maximum_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                   axes=None) -> ndarray:
    return _extreme(input, size, footprint, None, output, mode, cval, origin, False, axes)


def _percentile_rank(percentile, n):
    if percentile < 0.0:
        percentile += 100.0
    if not 0 <= percentile <= 100:
        raise RuntimeError("invalid percentile")
    return n - 1 if percentile == 100.0 else int(float(n) * percentile / 100.0)


def _ranked(x, rank_of, size, footprint, output, mode, cval, origin, axes):
    """The elements of windows whose rank is rank_of(number of elements)."""
    _warn_of_size(size, footprint)
    axes = axes_of(axes, real(x).ndim)
    if footprint is None:
        if size is None:
            raise RuntimeError("no footprint or filter size provided")
        footprint = full_window(size, len(axes))
    footprint = whole_window(small(footprint, bool), axes, x.ndim)
    origins = whole_origin(origin, axes, x.ndim)
    check_origins(origins, footprint.shape)
    n = int(footprint.sum())
    rank = rank_of(n)
    rank += n if rank < 0 else 0
    if not 0 <= rank < n:
        raise RuntimeError("rank not within filter footprint size")
    if rank == n - 1 or (rank == 0 and type_of(x).kind != "f"):  # in order NaN comes last
        return _extreme(x, None, footprint, None, output, _mode_of_all(mode, axes, x.ndim), cval, origins, rank == 0,
                        None)
    output = output_of(output, x)
    return _filters.rank_window(x, rank, footprint, one_mode(mode), cval, origins, output)


def _mode_of_all(mode, axes, ndim):
    if isinstance(mode, str) or not numpy.iterable(mode):
        return mode
    modes = ["constant"] * ndim
    for m, a in zip(per_axis(mode, len(axes)), axes):
        modes[a] = m
    return modes


@documented("The elements of a rank in windows; NaN comes last.")
def rank_filter(input, rank, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                axes=None) -> ndarray:
    rank = operator.index(rank)
    return _ranked(input, lambda n: rank, size, footprint, output, mode, cval, origin, axes)


@documented("The medians of windows; NaN comes last in their order.")
def median_filter(input, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                  axes=None) -> ndarray:
    return _ranked(input, lambda n: n // 2, size, footprint, output, mode, cval, origin, axes)


@documented("The percentiles of windows; NaN comes last in their order.")
def percentile_filter(input, percentile, size=None, footprint=None, output=None, mode="reflect", cval=0.0, origin=0,
                      *, axes=None) -> ndarray:
    return _ranked(input, lambda n: _percentile_rank(percentile, n), size, footprint, output, mode, cval, origin, axes)


# --- grey morphology ---

def _need_window(size, footprint, structure):
    if size is None and footprint is None and structure is None:
        raise ValueError("size, footprint, or structure must be specified")


@documented("Grey erosion: the least elements of windows, less the structure's.")
def grey_erosion(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None) -> ndarray:
    _need_window(size, footprint, structure)
    return _extreme(input, size, footprint, structure, output, mode, cval, origin, True, axes)


def _turned(x):
    x = small(x)
    return x[(slice(None, None, -1),) * x.ndim]


@documented("Grey dilation: the greatest elements of turned windows, with the structure's added.")
def grey_dilation(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0,
                  *, axes=None) -> ndarray:
    _need_window(size, footprint, structure)
    structure = None if structure is None else _turned(structure)
    footprint = None if footprint is None else _turned(footprint)
    n = len(axes_of(axes, array(input).ndim))
    lengths = footprint.shape if footprint is not None else structure.shape if structure is not None else \
        per_axis(size, n)
    origins = [-o - (not k & 1) for o, k in zip(per_axis(origin, n), lengths)]
    return _extreme(input, size, footprint, structure, output, mode, cval, origins, False, axes)


@documented("Grey opening: an erosion, then a dilation.")
def grey_opening(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None) -> ndarray:
    _warn_of_size(size, footprint)
    size = None if footprint is not None else size
    tmp = grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_dilation(tmp, size, footprint, structure, output, mode, cval, origin, axes=axes)


@documented("Grey closing: a dilation, then an erosion.")
def grey_closing(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None) -> ndarray:
    _warn_of_size(size, footprint)
    size = None if footprint is not None else size
    tmp = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    return grey_erosion(tmp, size, footprint, structure, output, mode, cval, origin, axes=axes)


def _difference(a, b, output):
    """a - b, of booleans where they differ."""
    f = cuprite.bitwise_xor if type_of(a) == bool and type_of(b) == bool else cuprite.subtract
    if isinstance(output, ndarray):
        return f(a, b, out=output, casting="unsafe")
    return f(a, b)


@documented("The morphological gradient: dilation less erosion.")
def morphological_gradient(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                           origin=0, *, axes=None) -> ndarray:
    more = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    less = grey_erosion(input, size, footprint, structure, output if isinstance(output, ndarray) else None, mode, cval,
                        origin, axes=axes)
    return cuprite.subtract(more, less, out=less, casting="unsafe") if isinstance(output, ndarray) else more - less


@documented("The morphological Laplace filter: dilation and erosion, less the input twice.")
def morphological_laplace(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0,
                          origin=0, *, axes=None) -> ndarray:
    more = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    own = input.copy() if isinstance(output, ndarray) and cuprite.may_share_memory(input, output) else input
    less = grey_erosion(input, size, footprint, structure, output if isinstance(output, ndarray) else None, mode, cval,
                        origin, axes=axes)
    cuprite.add(more, less, out=less, casting="unsafe")
    cuprite.subtract(less, own, out=less, casting="unsafe")
    return cuprite.subtract(less, own, out=less, casting="unsafe")


@documented("The white top hat: the input less its opening.")
def white_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None) -> ndarray:
    _warn_of_size(size, footprint)
    size = None if footprint is not None else size
    tmp = grey_erosion(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    opened = grey_dilation(tmp, size, footprint, structure, None if isinstance(output, ndarray) else output, mode, cval,
                           origin, axes=axes)
    return _difference(input, opened, output if isinstance(output, ndarray) else opened)


@documented("The black top hat: the closing less the input.")
def black_tophat(input, size=None, footprint=None, structure=None, output=None, mode="reflect", cval=0.0, origin=0, *,
                 axes=None) -> ndarray:
    _warn_of_size(size, footprint)
    size = None if footprint is not None else size
    tmp = grey_dilation(input, size, footprint, structure, None, mode, cval, origin, axes=axes)
    closed = grey_erosion(tmp, size, footprint, structure, None if isinstance(output, ndarray) else output, mode, cval,
                          origin, axes=axes)
    return _difference(closed, input, output if isinstance(output, ndarray) else closed)
