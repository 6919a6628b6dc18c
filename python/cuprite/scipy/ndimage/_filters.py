"""scipy.ndimage's linear filters: correlations along one axis and over windows, and what is made of them."""
import functools
import math
import numbers
import operator

import cuprite
from cuprite import _numpy as numpy
from cuprite import _filters
from cuprite._core import ndarray
from cuprite._element_types import type_of
from cuprite.scipy.ndimage._arguments import (
    OF_SUMS, array, axes_of, axis_of, check_origins, documented, in_steps, mode_of, one_mode, output_of,
    per_axis, whole_origin, whole_window)

__all__ = ["convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter", "gaussian_filter1d",
           "gaussian_gradient_magnitude", "gaussian_laplace", "generic_gradient_magnitude", "generic_laplace",
           "laplace", "prewitt", "sobel", "uniform_filter", "uniform_filter1d"]


def _by_parts(filter_of, x, weights, output, cval):
    """A filter of complex numbers: filter_of(x, weights, out, cval) of their parts."""
    cval = complex(cval)
    if type_of(x).kind == "c" and _is_complex(weights):
        re, im = x.real, x.imag
        filter_of(re, weights.real, output.real, cval.real)
        part = output.real
        part -= filter_of(im, weights.imag, cuprite.empty(x.shape, type_of(im)), cval.imag)
        filter_of(re, weights.imag, output.imag, cval.real)
        part = output.imag
        part += filter_of(im, weights.real, cuprite.empty(x.shape, type_of(im)), cval.imag)
    elif type_of(x).kind == "c":
        filter_of(x.real, weights, output.real, cval.real)
        filter_of(x.imag, weights, output.imag, cval.imag)
    else:
        if cval.imag:
            raise ValueError("Cannot provide a complex-valued cval when the input is real.")
        filter_of(x, weights.real, output.real, cval.real)
        filter_of(x, weights.imag, output.imag, cval.real)
    return output


def _as_given(weights):
    """Weights as a function of C takes them: an array of Cuprite's or NumPy's, or a tuple of numbers."""
    if isinstance(weights, ndarray):
        return weights
    if type(weights) in (list, tuple) and weights and all(type(w) in (float, int, bool) for w in weights):
        return tuple(map(float, weights))
    return numpy.asarray(weights)


def _is_complex(weights):
    return type(weights) is not tuple and type_of(weights).kind == "c"


def _real(weights):
    """Real weights: NumPy's as float64."""
    return weights if isinstance(weights, (ndarray, tuple)) else weights.astype("float64", copy=False)


@functools.lru_cache(maxsize=64)
def _near(weights):
    """A tuple as an array in the host's memory."""
    return cuprite.array(weights, float, device="cpu")


def _line(x, weights, axis, output, mode, cval, origin):
    """The correlation of real numbers along an axis, into an array."""
    weights = _near(weights) if type(weights) is tuple and x._device < 0 else _real(weights)
    if type(weights) is not tuple and (weights.ndim != 1 or not weights.size):
        raise RuntimeError("no filter weights given")
    return _filters.correlate1d(x, weights, axis, mode_of(mode), cval, origin, output)


def _correlate(input, weights, axis, output, mode, cval, origin=0):
    """correlate1d, for weights as _as_given has them."""
    if type_of(input).kind != "c" and not _is_complex(weights):
        output = output_of(output, input)
        return _line(input, weights, axis_of(axis, input.ndim), output, mode, cval, origin)
    output = output_of(output, input, True)
    if _is_complex(weights):
        weights = weights.conj()
    return _by_parts(lambda x, w, out, c: _line(x, w, axis_of(axis, x.ndim), out, mode, c, origin), input,
                     weights, output, cval)


@documented("The correlation along an axis with weights of one dimension.", OF_SUMS)
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0) -> ndarray:
    return _correlate(array(input), _as_given(weights), axis, output, mode, cval, origin)


@documented("The convolution along an axis: the correlation with the reversed weights.", OF_SUMS)
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0) -> ndarray:
    weights = _as_given(weights)[::-1]
    origin = -origin - (not len(weights) & 1)
    weights = weights.conj() if _is_complex(weights) else weights
    return _correlate(array(input), weights, axis, output, mode, cval, origin)


def _window(x, weights, output, mode, cval, origin, convolution, axes):
    """The correlation or convolution of real numbers with weights over axes, into an array."""
    axes = axes_of(axes, x.ndim)
    weights = _real(weights)
    lengths = [n for n in weights.shape if n]
    if not weights.size and len(lengths) == len(axes) == x.ndim:  # SciPy and CuPy do not count such an axis
        one_mode(mode)
        check_origins([origin] * len(axes) if numpy.isscalar(origin) else origin, lengths)
        output[...] = 0
        return output
    weights = whole_window(weights, axes, x.ndim, "weights")
    origins = whole_origin(origin, axes, x.ndim)
    if convolution:
        weights = weights[(slice(None, None, -1),) * weights.ndim]
        origins = [-o - (not n & 1) for o, n in zip(origins, weights.shape)]
    check_origins(origins, weights.shape)
    return _filters.correlate_nd(x, weights, one_mode(mode), cval, origins, output)


def _correlation(input, weights, output, mode, cval, origin, convolution, axes):
    array(input)
    weights = weights if isinstance(weights, ndarray) else numpy.asarray(weights)
    if type_of(input).kind != "c" and not _is_complex(weights):
        return _window(input, weights, output_of(output, input), mode, cval, origin, convolution, axes)
    output = output_of(output, input, True)
    if _is_complex(weights) and not convolution:
        weights = weights.conj()
    return _by_parts(lambda x, w, out, c: _window(x, w, out, mode, c, origin, convolution, axes), input, weights,
                     output, cval)


@documented("The correlation with weights of as many dimensions as axes.", OF_SUMS)
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None) -> ndarray:
    return _correlation(input, weights, output, mode, cval, origin, False, axes)


@documented("The convolution with weights of as many dimensions as axes.", OF_SUMS)
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None) -> ndarray:
    return _correlation(input, weights, output, mode, cval, origin, True, axes)


@functools.lru_cache(maxsize=64, typed=True)
def _gaussian_weights(sigma, order, radius, whole):
    """The weights as a correlation takes them. Of `whole` numbers, which are cut off, SciPy's bits decide what a result
    is: they are by NumPy, whose exp is another one."""
    if order < 0:
        raise ValueError("order must be non-negative")
    return tuple(reversed((_kernel_of_numpy if whole else _kernel)(sigma, order, radius)))


def _kernel(sigma, order, radius):
    """The values of a Gaussian function's derivative: the function times a polynomial q, lowest coefficient first."""
    sigma2 = sigma * sigma
    factor, places = float(-0.5 / sigma2), range(-radius, radius + 1)
    phi = [math.exp(factor * x ** 2) for x in places]
    total = math.fsum(phi)
    q = [1.0]
    for _ in range(order):  # of q(x) * phi(x) the derivative is (q'(x) - q(x) * x / sigma2) * phi(x)
        rise = [k * v for k, v in enumerate(q)][1:] + [0.0, 0.0]
        q = [a - b for a, b in zip(rise, [0.0, *(v / float(sigma2) for v in q)])]
    return [functools.reduce(lambda r, c: r * x + c, reversed(q)) * (v / total) for x, v in zip(places, phi)]


def _kernel_of_numpy(sigma, order, radius):
    """The same by SciPy's steps."""
    sigma2 = sigma * sigma
    x = numpy.arange(-radius, radius + 1)
    phi = numpy.exp(-0.5 / sigma2 * x ** 2)
    phi = phi / phi.sum()
    if order == 0:
        return phi.tolist()
    exponents = numpy.arange(order + 1)
    q = numpy.zeros(order + 1)
    q[0] = 1
    derive = numpy.diag(exponents[1:], 1) + numpy.diag(numpy.ones(order) / -sigma2, -1)
    for _ in range(order):
        q = derive.dot(q)
    return ((x[:, None] ** exponents).dot(q) * phi).tolist()


@documented("A Gaussian filter along an axis, or its derivative.", OF_SUMS)
def gaussian_filter1d(input, sigma, axis=-1, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *,
                      radius=None) -> ndarray:
    width = int(truncate * float(sigma) + 0.5) if radius is None else radius
    if not isinstance(width, numbers.Integral) or width < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    sigma = sigma if isinstance(sigma, (float, int, numpy.there("number"))) else float(sigma)
    output = output_of(output, array(input), type_of(input).kind == "c")
    weights = _gaussian_weights(sigma, order, int(width), type_of(output).kind in "biu")
    return _correlate(input, weights, axis, output, mode, cval)


@documented("A Gaussian filter, or its derivatives.", OF_SUMS)
def gaussian_filter(input, sigma, order=0, output=None, mode="reflect", cval=0.0, truncate=4.0, *, radius=None,
                    axes=None) -> ndarray:
    output = output_of(output, array(input), type_of(input).kind == "c")
    axes = axes_of(axes, input.ndim)
    n = len(axes)
    lists = zip(axes, per_axis(sigma, n), per_axis(order, n), per_axis(mode, n), per_axis(radius, n))
    return in_steps([functools.partial(_gaussian_step, given, cval, truncate) for given in lists if given[1] > 1e-15],
                    input, output)


def _gaussian_step(given, cval, truncate, x, out):
    axis, sigma, order, mode, radius = given
    return gaussian_filter1d(x, sigma, axis, order, out, mode, cval, truncate, radius=radius)


_DIFFERENCE, _SECOND, _ONES, _TENT = (-1.0, 0.0, 1.0), (1.0, -2.0, 1.0), (1.0, 1.0, 1.0), (1.0, 2.0, 1.0)


def _derivative(input, axis, output, mode, cval, beside):
    """A difference along an axis, smoothed with the weights `beside` along all others."""
    axis = axis_of(axis, array(input).ndim)
    output = output_of(output, input, type_of(input).kind == "c")
    modes = per_axis(mode, input.ndim)
    order = [axis] + [a for a in range(input.ndim) if a != axis]

    def step(a, x, out):
        return _correlate(x, _DIFFERENCE if a == axis else beside, a, out, modes[a], cval)
    return in_steps([functools.partial(step, a) for a in order], input, output)


@documented("Prewitt's filter: a difference along an axis, a sum along all others.", OF_SUMS)
def prewitt(input, axis=-1, output=None, mode="reflect", cval=0.0) -> ndarray:
    return _derivative(input, axis, output, mode, cval, _ONES)


@documented("Sobel's filter: a difference along an axis, a weighted sum along all others.", OF_SUMS)
def sobel(input, axis=-1, output=None, mode="reflect", cval=0.0) -> ndarray:
    return _derivative(input, axis, output, mode, cval, _TENT)


def _each_axis(input, derivative, output, mode, cval, axes, square, given=None):
    """The sum of what derivative gives along each axis, or of its squares, of which the root is taken. `given`: further
    arguments of a function of the user's, which knows NumPy's types."""
    arguments, keywords = given or ((), {})
    output = output_of(output, array(input), type_of(input).kind == "c")
    axes = axes_of(axes, input.ndim)
    if not axes:
        output[...] = input
        return output
    result = output
    if cuprite.may_share_memory(input, output):
        result = cuprite.empty(output.shape, type_of(output))
    for axis, m in zip(axes, per_axis(mode, len(axes))):
        part = output.dtype if given else type_of(output)
        part = derivative(input, axis, result if axis == axes[0] else part, m, cval, *arguments, **keywords)
        part = result if axis == axes[0] else part
        if square:
            cuprite.multiply(part, part, out=part)
        if part is not result:
            cuprite.add(result, part, out=result, casting="unsafe")
    if square:
        cuprite.sqrt(result, out=result, casting="unsafe")
    if result is not output:
        output[...] = result
    return output


@documented("The sum of the second derivatives that a function gives.", OF_SUMS)
def generic_laplace(input, derivative2, output=None, mode="reflect", cval=0.0, extra_arguments=(), extra_keywords=None,
                    *, axes=None) -> ndarray:
    return _each_axis(input, derivative2, output, mode, cval, axes, False,
                      (extra_arguments, extra_keywords or {}))


@documented("The sum of second differences.", OF_SUMS)
def laplace(input, output=None, mode="reflect", cval=0.0, *, axes=None) -> ndarray:
    def second(x, axis, out, m, c):
        return _correlate(x, _SECOND, axis, out, m, c)
    return _each_axis(input, second, output, mode, cval, axes, False)


def _gaussian_derivative(order, sigma, keywords):
    def derivative(x, axis, out, m, c):
        orders = [0] * x.ndim
        orders[axis] = order
        return gaussian_filter(x, sigma, orders, out, m, c, **keywords)
    return derivative


@documented("The sum of second derivatives of a Gaussian filter, which takes the further arguments.", OF_SUMS)
def gaussian_laplace(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None, **kwargs) -> ndarray:
    axes = axes_of(axes, array(input).ndim)
    sigmas = [0] * input.ndim
    for s, a in zip(per_axis(sigma, len(axes)), axes):
        sigmas[a] = s
    return _each_axis(input, _gaussian_derivative(2, sigmas, kwargs), output, mode, cval, axes, False)


@documented("The magnitude of the gradient whose components a function gives.", OF_SUMS)
def generic_gradient_magnitude(input, derivative, output=None, mode="reflect", cval=0.0, extra_arguments=(),
                               extra_keywords=None, *, axes=None) -> ndarray:
    return _each_axis(input, derivative, output, mode, cval, axes, True,
                      (extra_arguments, extra_keywords or {}))


@documented("The magnitude of the gradient by a Gaussian filter, which takes the further arguments.", OF_SUMS)
def gaussian_gradient_magnitude(input, sigma, output=None, mode="reflect", cval=0.0, *, axes=None,
                                **kwargs) -> ndarray:
    return _each_axis(input, _gaussian_derivative(1, sigma, kwargs), output, mode, cval, axes, True)


def _mean(x, size, axis, out, mode, cval, origin):
    return _filters.uniform_filter1d(x, size, axis, mode_of(mode), cval, origin, out)


@documented("The mean of neighbours along an axis.", OF_SUMS)
def uniform_filter1d(input, size, axis=-1, output=None, mode="reflect", cval=0.0, origin=0) -> ndarray:
    axis, size = axis_of(axis, array(input).ndim), math.trunc(size)
    output = output_of(output, input, type_of(input).kind == "c")
    if type_of(input).kind != "c":
        return _mean(input, size, axis, output, mode, cval, origin)
    for part, out, c in ((input.real, output.real, complex(cval).real), (input.imag, output.imag, complex(cval).imag)):
        _mean(part, size, axis, out, mode, c, origin)
    return output


@documented("The mean of neighbours along each axis.", OF_SUMS)
def uniform_filter(input, size=3, output=None, mode="reflect", cval=0.0, origin=0, *, axes=None) -> ndarray:
    output = output_of(output, array(input), type_of(input).kind == "c")
    axes = axes_of(axes, input.ndim)
    n = len(axes)

    one = _mean if type_of(input).kind != "c" else uniform_filter1d

    def step(given, x, out):
        axis, size, origin, mode = given
        return one(x, int(size), axis, out, mode, cval, operator.index(origin))
    lists = zip(axes, per_axis(size, n), per_axis(origin, n), per_axis(mode, n))
    return in_steps([functools.partial(step, given) for given in lists if given[1] > 1], input, output)
