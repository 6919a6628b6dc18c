"""What the interpolators share: arguments as arrays, columns of real numbers, axes, SciPy."""
import math

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._element_types import type_of
from cuprite.scipy._installed import scipy_module


def array(x) -> ndarray:
    """x as an array of ours."""
    return x if isinstance(x, ndarray) else cuprite.asarray(x)


def floating(x) -> ndarray:
    """The same of float64 or complex128. Errors: TypeError for what are no numbers."""
    x = array(x)
    if type_of(x).kind not in "biufcV" and type_of(x).name != "bfloat16":
        raise TypeError(f"numbers are needed, not {x.dtype}")
    return x.astype("complex128" if type_of(x).kind == "c" else "float64", copy=False)


def real(x) -> ndarray:
    """The same of float64. Errors: TypeError for complex numbers."""
    x = floating(x)
    if type_of(x).kind == "c":
        raise TypeError("Cannot cast array data from complex128 to float64 according to the rule 'safe'")
    return x


def host(x):
    """x as a NumPy array."""
    return x.get() if isinstance(x, ndarray) else numpy.asarray(x)


def any_of(mask) -> bool:
    """Is one of the elements true? Waits."""
    return bool(mask.any())


def finite(x) -> bool:
    """Are all elements finite? Waits."""
    return bool(cuprite.isfinite(x).all())


def axis_of(axis, ndim) -> int:
    """The axis, counted from 0. Errors: AxisError."""
    if not -ndim <= axis < ndim:
        raise cuprite.exceptions.AxisError(axis, ndim)
    return axis % ndim


def columns(c, lead) -> ndarray:
    """c, float64 or complex128, with its axes behind the first `lead` as one of real numbers."""
    c = c.reshape(c.shape[:lead] + (math.prod(c.shape[lead:]),))
    if type_of(c).kind != "c":
        return c.astype("float64", copy=False)
    c = cuprite.ascontiguousarray(c.astype("complex128", copy=False))
    if c.size == 0:
        return cuprite.zeros(c.shape[:-1] + (2 * c.shape[-1],))
    return c.view("float64")


def restored(values, like, shape) -> ndarray:
    """Real columns, (places, columns), as the type of `like` in a shape."""
    if type_of(like).kind == "c":
        if values.size == 0:
            return cuprite.zeros(shape, "complex128")
        values = cuprite.ascontiguousarray(values).view("complex128")
    return values.reshape(shape)


def places_of(x):
    """(shape, x as float64 in one dimension)."""
    x = real(x)
    return x.shape, x.reshape(x.size)


def axis_moved(values, ndim, axis) -> ndarray:
    """Values at places of `ndim` dimensions, whose axes come first, with these at the interpolation's axis."""
    if axis == 0:
        return values
    order = list(range(values.ndim))
    return values.transpose(order[ndim:ndim + axis] + order[:ndim] + order[ndim + axis:])


def on_first(x, ndim) -> ndarray:
    """A 1-d array in a shape that broadcasts along the first of `ndim` axes."""
    return x.reshape(x.shape + (1,) * (ndim - 1))


def scipy_interpolate():
    """scipy.interpolate. Errors: ImportError, in a line."""
    return scipy_module("interpolate", "cuprite.scipy.interpolate takes FITPACK and Qhull from SciPy")


def sparse_rows(data, indices, indptr, shape):
    """A sparse matrix by rows: SciPy's csr_array, on the host, where there are none of ours."""
    try:
        from cuprite.scipy import sparse
    except ImportError:
        from scipy import sparse
        data, indices, indptr = host(data), host(indices), host(indptr)
    return getattr(sparse, "csr_array", sparse.csr_matrix)((data, indices, indptr), shape=shape)
