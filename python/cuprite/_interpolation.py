"""scipy.ndimage's geometric transformations: arguments as SciPy takes them, for the functions of cuprite._geometry."""
import itertools
import operator
import warnings

import cuprite
from cuprite import _callbacks, _geometry
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite._low_level import PLACE, capsule_of

_FLOAT64 = object()  # the default of the filters: float64, or complex128
_MODES = ("constant", "nearest", "reflect", "mirror", "wrap", "grid-wrap", "grid-constant", "grid-mirror")


def need_array(x):
    """Cuprite's arrays alone, as everywhere in cuprite.scipy.ndimage."""
    if not isinstance(x, ndarray):
        raise TypeError(f"Unsupported type {type(x)}")
    return x


def output_of(output, is_complex, bool_is_number=False):
    """`output` as the options dtype and out: None, a type, its name, or an array."""
    if output is None:
        return {}
    if isinstance(output, ndarray):
        return {"out": output}
    if isinstance(output, str):
        dtype = cuprite.dtype(output)
        if is_complex and dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        if dtype.kind == "b" and not bool_is_number:
            raise RuntimeError("output must have numeric dtype")
        return {"dtype": dtype}
    if isinstance(output, (type, cuprite.dtype)):
        if is_complex and cuprite.dtype(output).kind != "c":
            warnings.warn("promoting specified output dtype to complex", stacklevel=4)
        return {"dtype": output}
    raise TypeError(f"output: an array of Cuprite's, a dtype or its name, not {type(output)}")


def _order(name, order):
    """CuPy's None: order 1, with a warning."""
    if order is None:
        warnings.warn(f"Currently the default order of {name} is 1. In a future release this may change to 3 to match "
                      "scipy.ndimage ", stacklevel=3)
        return 1
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    return operator.index(order)


def _real(value):
    """A real number, of Python's, NumPy's or a 0-d array; no text, which float() reads."""
    if isinstance(value, str):
        raise TypeError("must be real number, not str")
    return float(value)


def _options(input, output, mode, cval, prefilter):
    if mode not in _MODES:
        raise RuntimeError("boundary mode not supported")
    is_complex = type_of(input).kind == "c"
    options = {"mode": mode, "filtered": not prefilter, **output_of(output, is_complex)}
    if is_complex:
        cval = complex(_real(cval) if isinstance(cval, str) else cval)
        return {**options, "cval": cval.real, "cval_imag": cval.imag}
    return {**options, "cval": _real(cval)}


def _numbers(value):
    """Numbers that are read on the host: an array, or one of the host's."""
    for part in value if isinstance(value, (list, tuple)) else (value,):
        if part is None or isinstance(part, str):  # of which NumPy makes NaN, and numbers
            raise TypeError(f"must be real numbers, not {type(part).__name__}")
    return value if isinstance(value, ndarray) else cuprite.array(value, "float64", device="cpu")


def _per_axis(value, ndim):
    """One for all axes, or one for each."""
    if not isinstance(value, ndarray) and not isinstance(value, str) and hasattr(value, "__iter__"):
        try:
            value = list(value)
        except TypeError:  # a 0-d array of NumPy's
            return _numbers(value)
        if len(value) != ndim:
            raise RuntimeError("sequence argument must have length equal to input rank")
    return _numbers(value)


def spline_filter1d(input, order=3, axis=-1, output=_FLOAT64, mode="mirror") -> ndarray:
    """The coefficients of splines along an axis.

    Parameters: input: an array; order: 0 to 5; axis: an axis; output: an array, a dtype or its name; mode: how lines
        continue beyond their ends.
    Errors: RuntimeError for an order beyond 0 to 5, an unknown mode, an output of another shape; TypeError for anything
        but Cuprite's arrays."""
    if order < 0 or order > 5:
        raise RuntimeError("spline order not supported")
    if order > 1 and mode not in _MODES:
        raise RuntimeError("boundary mode not supported")
    options = _filter_options(need_array(input), output)
    return _geometry.spline_filter1d(input, operator.index(order), axis, mode if order > 1 else "mirror", **options)


def _filter_options(input, output):
    if output is _FLOAT64:
        return {}
    return {"dtype": type_of(input)} if output is None else output_of(output, type_of(input).kind == "c")


def spline_filter(input, order=3, output=_FLOAT64, mode="mirror") -> ndarray:
    """The coefficients of splines along all axes.

    Parameters: input: an array; order: 2 to 5; output: an array, a dtype or its name; mode: how lines continue beyond
        their ends.
    Errors: RuntimeError for an order beyond 2 to 5, an unknown mode, an output of another shape; TypeError for anything
        but Cuprite's arrays."""
    if order < 2 or order > 5:
        raise RuntimeError("spline order not supported")
    if mode not in _MODES:
        raise RuntimeError("boundary mode not supported")
    options = _filter_options(need_array(input), output)
    return _geometry.spline_filter(input, operator.index(order), mode, **options)


def map_coordinates(input, coordinates, output=None, order=3, mode="constant", cval=0.0, prefilter=True) -> ndarray:
    """The input's values at coordinates.

    Parameters: input: an array; coordinates: an array or lists (ndim, ...); output: an array, a dtype or its name;
        order: of the splines, 0 to 5; mode: how the input continues beyond its edges; cval: its value there; prefilter:
        False where the elements are coefficients already.
    Errors: RuntimeError for coordinates of another shape, an order beyond 0 to 5, an unknown mode; TypeError for
        complex coordinates, and for anything but Cuprite's arrays."""
    order = _order("map_coordinates", order)
    need_array(input)
    if isinstance(coordinates, (list, tuple)):
        coordinates = cuprite.array(coordinates, device=input._device)
    return _geometry.map_coordinates(input, need_array(coordinates), order,
                                     **_options(input, output, mode, cval, prefilter))


def affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
                     prefilter=True, *, texture_memory=False, float64_coords=False) -> ndarray:
    """The input's values at matrix @ index + offset.

    Parameters: input: an array; matrix: (n, n), a diagonal (n), or homogeneous, (n, n + 1) or (n + 1, n + 1); offset: a
        number, or one for each axis; output_shape: a shape, None: the output's or the input's; output: an array, a
        dtype or its name; order: of the splines, 0 to 5; mode: how the input continues beyond its edges; cval: its
        value there; prefilter: False where the elements are coefficients already; texture_memory, float64_coords:
        CuPy's, without effect.
    Errors: RuntimeError for a matrix of another shape, an order beyond 0 to 5, an unknown mode; ValueError for a
        homogeneous matrix whose last row is not 0, ..., 0, 1; TypeError for anything but Cuprite's arrays."""
    order = _order("affine_transform", order)
    need_array(input)
    if output_shape is not None:
        output_shape = tuple(output_shape)
    matrix = _numbers(matrix)
    if matrix.ndim == 2 and matrix.shape[1] == input.ndim + 1 and matrix.shape[0] in (input.ndim, input.ndim + 1):
        offset = 0.0
    return _geometry.affine_transform(input, matrix, order, _per_axis(offset, input.ndim), output_shape,
                                      **_options(input, output, mode, cval, prefilter))


def shift(input, shift, output=None, order=3, mode="constant", cval=0.0, prefilter=True) -> ndarray:
    """The input moved along its axes.

    Parameters: input: an array; shift: a number, or one for each axis; output: an array, a dtype or its name; order: of
        the splines, 0 to 5; mode: how the input continues beyond its edges; cval: its value there; prefilter: False
        where the elements are coefficients already.
    Errors: RuntimeError for shifts that are not one for each axis, an order beyond 0 to 5, an unknown mode; TypeError
        for anything but Cuprite's arrays."""
    order = _order("shift", order)
    return _geometry.shift(need_array(input), _per_axis(shift, input.ndim), order,
                           **_options(input, output, mode, cval, prefilter))


def zoom(input, zoom, output=None, order=3, mode="constant", cval=0.0, prefilter=True, *, grid_mode=False) -> ndarray:
    """The input with more or fewer elements.

    Parameters: input: an array; zoom: a factor, or one for each axis; output: an array, a dtype or its name; order: of
        the splines, 0 to 5; mode: how the input continues beyond its edges; cval: its value there; prefilter: False
        where the elements are coefficients already; grid_mode: edges lie over edges, not centres over centres.
    Errors: RuntimeError for factors that are not one for each axis, an order beyond 0 to 5, an unknown mode; ValueError
        for a factor below 0 or NaN; OverflowError for an infinite one; TypeError for anything but Cuprite's arrays."""
    order = _order("zoom", order)
    need_array(input)
    advice = {"constant": "grid-constant", "wrap": "grid-wrap"}.get(mode)
    options = _options(input, output, mode, cval, prefilter)
    zoom = _per_axis(zoom, input.ndim)
    if grid_mode and advice and not (prefilter and bool((zoom == 1).all())):
        warnings.warn(f"It is recommended to use mode = {advice} instead of {mode} when grid_mode is True.",
                      stacklevel=2)
    return _geometry.zoom(input, zoom, order, grid_mode=bool(grid_mode), **options)


def rotate(input, angle, axes=(1, 0), reshape=True, output=None, order=3, mode="constant", cval=0.0,
           prefilter=True) -> ndarray:
    """The input turned in the plane of two axes.

    Parameters: input: an array; angle: in degrees; axes: two of them; reshape: the result holds all of the input, else
        it has its shape; output: an array, a dtype or its name; order: of the splines, 0 to 5; mode: how the input
        continues beyond its edges; cval: its value there; prefilter: False where the elements are coefficients already.
    Errors: ValueError for fewer than two axes, what is no plane, an angle that is not finite; RuntimeError for an order
        beyond 0 to 5, an unknown mode; TypeError for anything but Cuprite's arrays."""
    need_array(input)
    if input.ndim < 2:
        raise ValueError("input array should be at least 2D")
    axes = list(axes)
    if len(axes) != 2:
        raise ValueError("axes should contain exactly two values")
    if not all(float(axis).is_integer() for axis in axes):
        raise ValueError("axes should contain only integer values")
    axes = [int(axis) + input.ndim if axis < 0 else int(axis) for axis in axes]
    if not all(0 <= axis < input.ndim for axis in axes):
        raise ValueError("invalid rotation plane specified")
    order = _order("rotate", order)
    return _geometry.rotate(input, _real(angle), order, tuple(axes), not reshape,
                            **_options(input, output, mode, cval, prefilter))


def geometric_transform(input, mapping, output_shape=None, output=None, order=3, mode="constant", cval=0.0,
                        prefilter=True, extra_arguments=(), extra_keywords=None) -> ndarray:
    """The input's values where a function says.

    Parameters: input: an array; mapping: called with each index of the result, a tuple, gives the coordinates in the
        input; or a scipy.LowLevelCallable; output_shape: a shape, None: the input's; output: an array, a dtype or its
        name; order: of the splines, 0 to 5; mode: how the input continues beyond its edges; cval: its value there;
        prefilter: False where the elements are coefficients already; extra_arguments: further arguments of the
        function; extra_keywords: further named ones.
    Errors: RuntimeError for no axes, an order beyond 0 to 5, an unknown mode, a function of C that fails; ValueError
        for what cannot be called, and one of another signature; TypeError for coordinates of another number, and for
        anything but Cuprite's arrays."""
    need_array(input)
    order = _order("geometric_transform", order)
    shape = input.shape if output_shape is None else tuple(output_shape)
    if input.ndim < 1 or len(shape) < 1:
        raise RuntimeError("input and output rank must be > 0")
    if min(shape) < 0:
        raise ValueError(f"output_shape: negative dimensions are not allowed, not {shape}")
    options = _options(input, output, mode, cval, prefilter)
    if mapping is None:
        raise RuntimeError("One of `map`, `matrix` or `coordinates` must be provided")  # SciPy's words
    capsule = capsule_of(mapping, PLACE)
    if capsule is not None:
        return _callbacks.geometric_transform(input, capsule, order, shape, **options)
    keywords = extra_keywords or {}
    places = []
    for index in itertools.product(*map(range, shape)):
        place = mapping(index, *extra_arguments, **keywords)
        if len(place) != input.ndim:
            raise TypeError(f"mapping: the input has {input.ndim} axes, not {len(place)}")
        places.append([float(at) for at in place])
    where = cuprite.array(places, "float64", device=input._device).reshape(-1, input.ndim).T
    where = where.reshape(input.ndim, *shape)
    return _geometry.map_coordinates(input, where, order, **options)
