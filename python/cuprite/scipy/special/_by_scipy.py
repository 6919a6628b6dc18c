"""Functions of few numbers, and ufuncs, that SciPy computes on the host: arguments of ours become NumPy's, results
arrays of ours on the current device. SciPy is imported at the first call."""
import functools

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite.scipy._installed import scipy_module

_ABOUT = {  # parameters that several functions have
    "alpha": "the first exponent, above -1", "beta": "the second exponent, above -1",
    "complex": "True: the complex zeros",
    "monic": "True: the highest coefficient is 1", "mu": "True: the sum of the weights too", "n": "the degree",
    "nt": "how many", "p": "the order", "p1": "the first exponent", "q": "the parameter", "q1": "the second exponent",
    "v": "the order",
}


def scipy_special():
    """scipy.special. Errors: ImportError, in a line."""
    return scipy_module("special", "cuprite.scipy.special computes zeros, quadratures and polynomials by SciPy")


def to_host(x):
    """x, or NumPy's array of ours."""
    return x.get() if isinstance(x, ndarray) else x


def to_device(x):
    """x with our arrays in place of NumPy's, and of its numbers."""
    if isinstance(x, (numpy.ndarray, numpy.generic)):
        return cuprite.asarray(x)
    return tuple(to_device(v) for v in x) if isinstance(x, (tuple, list)) else x


def documented(function, text):
    """The docstring of a function of SciPy's, with its parameters."""
    code = function.__code__
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return f"{function.__doc__} {text}\n\nParameters: " + "; ".join(f"{n}: {_ABOUT[n]}" for n in names) + ".\n"


def by_scipy(function):
    """The function that is scipy.special's of that name; its docstring gets the parameters."""
    name = function.__name__

    @functools.wraps(function)
    def call(*args, **options):
        run = getattr(scipy_special(), name)
        return to_device(run(*map(to_host, args), **{k: to_host(v) for k, v in options.items()}))
    call.__doc__ = documented(function, "Computed by SciPy on the host.")
    return call

