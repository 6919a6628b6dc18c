"""scipy.ndimage's filters of Fourier coefficients."""
import cuprite
from cuprite import _numpy as numpy
from cuprite import _filters
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite.scipy.ndimage._arguments import array, axis_of, documented, per_axis, small

__all__ = ["fourier_ellipsoid", "fourier_gaussian", "fourier_shift", "fourier_uniform"]
_ERRORS = {"RuntimeError": "a wrong number of parameters or type of output",
           "TypeError": "an input that is no array of Cuprite's"}


def _filtered(f, input, parameter, n, axis, output, types):
    """f of the coefficients, into an array of one of the types, of which the last one is the default."""
    array(input)
    if output is None:
        output = cuprite.empty(input.shape, type_of(input) if type_of(input).name in types else types[-1])
    elif isinstance(output, ndarray):
        if output.shape != input.shape:
            raise RuntimeError("output shape not correct")
    else:
        if hasattr(output, "__array__") and not isinstance(output, type):
            raise TypeError("output is an array of Cuprite's or a type")
        if numpy.dtype(output).name not in types:
            raise RuntimeError("output type not supported")
        output = cuprite.empty(input.shape, output)
    axis = axis_of(axis, input.ndim)
    return f(input, small(per_axis(parameter, input.ndim), "float64"), n, axis, output)


_TYPES = ("complex64", "complex128", "float32", "float64")


@documented("The coefficients of an image filtered by a Gaussian function.", _ERRORS)
def fourier_gaussian(input, sigma, n=-1, axis=-1, output=None) -> ndarray:
    return _filtered(_filters.fourier_gaussian, input, sigma, n, axis, output, _TYPES)


@documented("The coefficients of an image filtered by the mean of a box.", _ERRORS)
def fourier_uniform(input, size, n=-1, axis=-1, output=None) -> ndarray:
    return _filtered(_filters.fourier_uniform, input, size, n, axis, output, _TYPES)


@documented("The coefficients of an image filtered by the mean of an ellipsoid.",
            _ERRORS | {"NotImplementedError": "more than 3 dimensions"})
def fourier_ellipsoid(input, size, n=-1, axis=-1, output=None) -> ndarray:
    return _filtered(_filters.fourier_ellipsoid, input, size, n, axis, output, _TYPES)


@documented("The coefficients of a shifted image.", _ERRORS)
def fourier_shift(input, shift, n=-1, axis=-1, output=None) -> ndarray:
    return _filtered(_filters.fourier_shift, input, shift, n, axis, output, _TYPES[:2])
