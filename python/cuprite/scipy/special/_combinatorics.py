"""Counting: combinations, permutations, factorials, Stirling's numbers; and Dirichlet's kernel, softplus.

Exact results are Python's integers, of numbers, or int64, of arrays: there are no arrays of larger integers here."""
from __future__ import annotations

import math
import numbers

from cuprite import _core, _numpy as numpy, _special, ndarray
from cuprite._beside import all_beside
from cuprite._element_types import type_of
from cuprite._support import ufunc_of

__all__ = ["comb", "diric", "factorial", "factorial2", "factorialk", "perm", "softplus", "stirling2"]


def _own(name):
    return ufunc_of("scipy.special", name)


def _whole(x, name):
    """A number's value as an integer. Errors: ValueError for another one; for arrays comb has int's TypeError."""
    if hasattr(x, "dtype"):
        x = x.tolist()
    if name == "perm":
        while isinstance(x, (list, tuple)) and len(x) == 1:
            x = x[0]
        if isinstance(x, (list, tuple)):
            raise ValueError("`N` and `k` must be scalar integers with `exact=True`.")
    if int(x) != x:
        raise ValueError("Non-integer `N` and `k` with `exact=True` is not supported.")
    return int(x)


def comb(N, k, *, exact=False, repetition=False) -> ndarray | int:
    """How many ways there are to take k of N things.

    Parameters: N: an array or a number; k: an array or a number; exact: True: an integer of Python's, for numbers;
        repetition: True: things may be taken several times.
    Errors: ValueError for numbers that are not whole, TypeError for arrays, where exact is True."""
    if exact:
        N, k = _whole(N, "comb"), _whole(k, "comb")
        if repetition:
            if k == 0 and N >= 0:
                return 1
            N = N + k - 1
        return math.comb(N, k) if N >= 0 and k >= 0 else 0
    return _special.comb(N, k, bool(repetition))


def perm(N, k, exact=False) -> ndarray | int:
    """How many ways there are to take k of N things in an order.

    Parameters: N: an array or a number; k: an array or a number; exact: True: an integer of Python's, for numbers.
    Errors: ValueError for numbers that are not whole, or arrays, where exact is True."""
    if exact:
        N, k = _whole(N, "perm"), _whole(k, "perm")
        return math.perm(N, k) if N >= 0 and k >= 0 else 0
    return _special.perm(N, k)


def _range_product(n, k):
    """n (n - k) (n - 2 k) ..., exact."""
    return math.factorial(n) if k == 1 else math.prod(range(n, 0, -k))


def _exact(n, k):
    """Of an array of integers: a table of the products, and its elements."""
    most = int(n.max())
    table = [_range_product(max(i, 0), k) for i in range(most + 1)] if most < 400 else [2 ** 64]
    if table and table[-1] >= 2 ** 63:
        raise OverflowError(f"exact factorials of {most} do not fit int64; numbers have exact ones of any size")
    products = _core.asarray([0, *table], dtype="q")
    return products[_core.clip(n, -1, most).astype("q") + 1]


def _gamma1p(x):
    """gamma(x + 1), NaN at its poles."""
    r = _own("gamma")(x + 1)
    return r if type_of(r).kind == "c" else _core.where(_core.isinf(r) & (x < 0), math.nan, r)


def _continued(n, k):
    """The factorial of any number, complex ones too."""
    if not (isinstance(k, numbers.Integral) and k == 1):
        kind = "D" if isinstance(k, complex) or k < 0 or type_of(n).kind == "c" else "d"
        own = type_of(n)
        result = kind if own.char not in "efF" else own if kind == "d" else "F" if own.char == "F" else kind
        base, n = _core.asarray(k, dtype=kind), n.astype(kind)
        scale = _core.power(base, (n - 1) / k) * _own("rgamma")(_core.asarray(1 / k + 1))
        return (scale * _gamma1p(n / k)).astype(result)
    return _gamma1p(n)


_NEEDS_COMPLEX = ("In order to use non-integer arguments, you must opt into this by passing `extend='complex'`. Note "
                  "that this changes the result for all negative arguments (which by default return 0).")


def _check(name, n, k, exact, extend):
    """SciPy's refusals."""
    if extend not in ("zero", "complex"):
        raise ValueError(f"argument `extend` must be either 'zero' or 'complex', received: {extend}")
    if exact and extend == "complex":
        raise ValueError("Incompatible options: `exact=True` and `extend='complex'`")
    if name == "factorialk":
        kind = numpy.asarray(k.get() if isinstance(k, ndarray) else k).dtype.kind
        if kind not in "iufc":
            raise ValueError(f"Unsupported data type for `k` in {name}: {type(k)}")
        if kind in "fc" and extend != "complex":
            raise ValueError(_NEEDS_COMPLEX)
        if extend == "zero" and k < 1:
            raise ValueError(f"For `extend='zero'`, k must be a positive integer, received: {k}")
        if k == 0:
            raise ValueError("Parameter k cannot be zero!")
    if type_of(n).kind not in "iufc":
        raise ValueError(f"Unsupported data type for `n` in {name}: {n.dtype}")
    if type_of(n).kind in ("c" if name == "factorial" else "fc") and extend != "complex":
        raise ValueError(_NEEDS_COMPLEX)


def _factorial(name, n, k, exact, extend):
    number = type_of(n, None) is None and not isinstance(n, (list, tuple))
    if number and n is None:
        n = math.nan
        if name != "factorial":
            return _core.asarray(math.nan)
    x = _core.asarray(n)
    _check(name, x, k, exact, extend)
    if exact and type_of(x).kind == "f":
        if number and (n != n or n < 0 or n in (0, 1)):
            return n if n != n else int(n >= 0)
        raise ValueError(f"`exact=True` only supports integers, cannot use data type {x.dtype}")
    if not x.size:
        return x
    scalar = number or isinstance(n, numpy.there("generic"))
    if not exact:
        if scalar and n in (0, 1):  # whatever extend is
            return _core.asarray(1.0)
        r = _special.factorialk(x, int(k)) if extend == "zero" else _continued(x, k)
        if number or not scalar or type_of(r).kind == "c" or type_of(x).kind != "f":
            return r
        single = name == "factorial" and type_of(x).char == "f" and (n > 0 or extend == "complex")
        return r.astype("f" if single else "d")  # of NumPy's scalars SciPy's results have other types
    if scalar:
        return 0 if n < 0 else _range_product(int(n), k)
    return _exact(x, k)


def factorial(n, exact=False, extend="zero") -> ndarray | int:
    """n!, of numbers that are not whole gamma(n + 1); of negative ones 0.

    Parameters: n: an array or a number; exact: True: integers, Python's of a number, int64 of an array; extend:
        'zero', or 'complex': gamma(n + 1) of negative and of complex numbers too.
    Errors: ValueError for another extend, and complex numbers without it; OverflowError for exact results of an array
        that do not fit int64."""
    return _factorial("factorial", n, 1, exact, extend)


def factorial2(n, exact=False, extend="zero") -> ndarray | int:
    """n!!, the product n (n - 2) (n - 4) ...

    Parameters: n: an array or a number; exact: True: integers, Python's of a number, int64 of an array; extend:
        'zero', or 'complex': numbers that are not whole too.
    Errors: ValueError for another extend, and numbers that are not whole without it; OverflowError for exact results of
        an array that do not fit int64."""
    return _factorial("factorial2", n, 2, exact, extend)


def factorialk(n, k, exact=False, extend="zero") -> ndarray | int:
    """The product n (n - k) (n - 2 k) ...

    Parameters: n: an array or a number; k: the step, a number above 0; exact: True: integers, Python's of a number,
        int64 of an array; extend: 'zero', or 'complex': numbers that are not whole too.
    Errors: ValueError for another k or extend, and numbers that are not whole without it; OverflowError for exact
        results of an array that do not fit int64."""
    return _factorial("factorialk", n, k, exact, extend)


def _stirling_row(n):
    """Stirling's numbers of the second kind of n things, as integers of Python's."""
    row = [1]
    for i in range(1, n + 1):
        row = [0] + [k * row[k] + row[k - 1] for k in range(1, i)] + [1]
    return row


def stirling2(N, K, *, exact=False) -> ndarray | int:
    """Stirling's numbers of the second kind: how many ways there are to put N things into K sets. Waits for the device.

    Parameters: N: an array of whole numbers, or one, up to 2000; K: an array of whole numbers, or one; exact: True:
        integers, Python's of numbers, int64 of arrays.
    Errors: TypeError for numbers that are not whole; ValueError for an N above 2000; OverflowError for exact results of
        arrays that do not fit int64."""
    number = all(isinstance(v, numbers.Integral) for v in (N, K))
    N, K = _core.asarray(N), _core.asarray(K)
    for name, x in (("N", N), ("K", K)):
        if type_of(x).kind not in "iu":
            raise TypeError(f"Argument `{name}` must contain only integers")
    if number and exact:
        if int(N) > 2000:
            raise ValueError(f"stirling2: N of at most 2000, not {int(N)}")
        return _stirling_row(int(N))[int(K)] if 0 <= int(K) <= int(N) else 0
    return _special.stirling2(N, K, bool(exact))


def diric(x, n) -> ndarray:
    """Dirichlet's kernel sin(n x / 2) / (n sin(x / 2)).

    Parameters: x: an array or a number; n: an array of whole numbers above 0, or one; NaN for others."""
    return _special.diric(x, n)


def softplus(x, **kwargs) -> ndarray:
    """log(1 + exp(x)), without overflow.

    Parameters: x: an array or a number; kwargs: a ufunc's (out, where, dtype, ...)."""
    return _core.logaddexp(0, x, **kwargs)

all_beside(__all__, globals())
