"""Orthogonal polynomials as objects: SciPy's coefficients, and our functions where they are called."""
from __future__ import annotations

import functools
from collections.abc import Callable

from cuprite import asarray, ndarray, poly1d
from cuprite.scipy.special._by_scipy import documented, scipy_special, to_device

__all__ = [
    "chebyc", "chebys", "chebyt", "chebyu", "gegenbauer", "genlaguerre", "hermite", "hermitenorm", "jacobi", "laguerre",
    "legendre", "orthopoly1d", "sh_chebyt", "sh_chebyu", "sh_jacobi", "sh_legendre",
]


class orthopoly1d(poly1d):
    """An orthogonal polynomial: a poly1d that knows its weights, and that is called by its recurrence.

    Parameters: polynomial: SciPy's."""

    def __init__(self, polynomial):
        super().__init__(asarray(polynomial.coeffs))
        self._theirs, self.weights = polynomial, to_device(polynomial.weights)

    @property
    def weight_func(self) -> Callable:
        """The weight, a function of a number."""
        return self._theirs.weight_func

    @property
    def limits(self) -> tuple:
        """The interval."""
        return self._theirs.limits

    @property
    def normcoef(self) -> float:
        """The root of the integral of the weight times the polynomial's square."""
        return self._theirs.normcoef

    def __call__(self, v) -> ndarray:
        evaluate = getattr(self._theirs, "_eval_func", None)
        if evaluate is None or isinstance(v, poly1d) or type(v).__name__ == "poly1d":
            return super().__call__(v)
        return evaluate(v if isinstance(v, ndarray) else asarray(v))  # SciPy's ufunc, whose place ours takes


def _polynomial(function):
    """The function that gives SciPy's polynomial of that name as ours."""
    @functools.wraps(function)
    def call(*args, **options):
        return orthopoly1d(getattr(scipy_special(), function.__name__)(*args, **options))
    call.__doc__ = documented(function, "Its coefficients are computed by SciPy.")
    return call


@_polynomial
def chebyc(n, monic=False) -> orthopoly1d:
    """Chebyshev's polynomial of the first kind on [-2, 2]."""


@_polynomial
def chebys(n, monic=False) -> orthopoly1d:
    """Chebyshev's polynomial of the second kind on [-2, 2]."""


@_polynomial
def chebyt(n, monic=False) -> orthopoly1d:
    """Chebyshev's polynomial of the first kind."""


@_polynomial
def chebyu(n, monic=False) -> orthopoly1d:
    """Chebyshev's polynomial of the second kind."""


@_polynomial
def gegenbauer(n, alpha, monic=False) -> orthopoly1d:
    """Gegenbauer's polynomial."""


@_polynomial
def genlaguerre(n, alpha, monic=False) -> orthopoly1d:
    """Laguerre's generalized polynomial."""


@_polynomial
def hermite(n, monic=False) -> orthopoly1d:
    """Hermite's polynomial."""


@_polynomial
def hermitenorm(n, monic=False) -> orthopoly1d:
    """Hermite's polynomial of the weight exp(-x*x / 2)."""


@_polynomial
def jacobi(n, alpha, beta, monic=False) -> orthopoly1d:
    """Jacobi's polynomial."""


@_polynomial
def laguerre(n, monic=False) -> orthopoly1d:
    """Laguerre's polynomial."""


@_polynomial
def legendre(n, monic=False) -> orthopoly1d:
    """Legendre's polynomial."""


@_polynomial
def sh_chebyt(n, monic=False) -> orthopoly1d:
    """Chebyshev's polynomial of the first kind on [0, 1]."""


@_polynomial
def sh_chebyu(n, monic=False) -> orthopoly1d:
    """Chebyshev's polynomial of the second kind on [0, 1]."""


@_polynomial
def sh_jacobi(n, p, q, monic=False) -> orthopoly1d:
    """Jacobi's polynomial on [0, 1]."""


@_polynomial
def sh_legendre(n, monic=False) -> orthopoly1d:
    """Legendre's polynomial on [0, 1]."""
