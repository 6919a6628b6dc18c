"""Sequences of numbers and functions, and ellipsoidal harmonics."""
from __future__ import annotations

import math
import numbers
import operator
import warnings

from cuprite import _core, _special, ndarray
from cuprite._beside import all_beside
from cuprite._element_types import type_of
from cuprite._support import ufunc_of

__all__ = [
    "bernoulli", "ellip_harm", "ellip_harm_2", "ellip_normal", "euler", "lmbda", "lqmn", "lqn", "mathieu_even_coef",
    "mathieu_odd_coef", "obl_cv_seq", "pbdn_seq", "pbdv_seq", "pbvv_seq", "pro_cv_seq", "riccati_jn", "riccati_yn",
]


def _check_numbers(text, *x):
    """Errors: ValueError for arrays; what is no number is an error where it is used."""
    if not all(isinstance(v, (numbers.Number, str, bytes)) for v in x):
        raise ValueError(text)


def _count(n):
    """A number from 0 on, without its fraction."""
    _check_numbers("n must be a non-negative integer.", n)
    if n < 0:
        raise ValueError("n must be a non-negative integer.")
    return int(n)


def bernoulli(n) -> ndarray:
    """Bernoulli's numbers B0 to Bn; B1 is -1/2.

    Parameters: n: a number, 0 or more.
    Errors: ValueError for a negative n, and an array."""
    return _special.bernoulli(_count(n))


def _doubles(h2, k2, n, p, *s):
    """Arrays of float64; degrees without their fraction. Errors: TypeError for complex numbers and texts."""
    if any(isinstance(v, (str, bytes)) for v in (h2, k2, n, p, *s)):
        raise TypeError("ellipsoidal harmonics of numbers, not of texts")
    h2, k2, n, p, *s = map(_core.asarray, (h2, k2, n, p, *s))
    for x in (h2, k2, n, p, *s):
        if type_of(x).kind not in "fiub":
            raise TypeError(f"ellipsoidal harmonics of real numbers, not {x.dtype}")
    n, p = (_core.trunc(x.astype("d")) for x in (n, p))
    return h2.astype("d"), k2.astype("d"), n, p, *(x.astype("d") for x in s)


def ellip_harm(h2, k2, n, p, s, signm=1, signn=1) -> ndarray:
    """The ellipsoidal harmonic of the first kind, the p-th of degree n, at s; NaN where there is none, and where h2 and
    k2 are not in the order 0 < h2 < k2.

    Parameters: h2: the ellipsoid's h squared, an array or a number; k2: its k squared, an array or a number; n: the
        degree, an array of whole numbers, or one; p: which of 1 to 2 n + 1, an array of whole numbers, or one; s: the
        place, an array or a number; signm: the sign of the root of s*s - h2, an array or a number, 1 or -1; signn: that
        of s*s - k2, an array or a number.
    Errors: TypeError for complex numbers and texts.

    Example:
        >>> cp.scipy.special.ellip_harm(5, 8, 2, 3, cp.asarray([1.0, 2.5])).round(6)
        array([2.      , 2.795085])
    """
    if any(isinstance(v, (str, bytes)) for v in (h2, k2, n, p, s, signm, signn)):
        raise TypeError("ellip_harm: numbers, not texts")
    signm, signn = (None if type(v) is int and v == 1 else v for v in (signm, signn))
    return _special.ellip_harm(h2, k2, n, p, s, signm, signn)


def ellip_harm_2(h2, k2, n, p, s) -> ndarray:
    """The ellipsoidal harmonic of the second kind, the p-th of degree n, at s; NaN where there is none, between -k and
    k, and where h2 and k2 are not in the order 0 < h2 < k2.

    Parameters: h2: the ellipsoid's h squared, an array or a number; k2: its k squared, an array or a number; n: the
        degree, an array of whole numbers, or one; p: which of 1 to 2 n + 1, an array of whole numbers, or one; s: the
        place, an array or a number.
    Errors: TypeError for complex numbers and texts."""
    return ufunc_of("_special", "ellip_harm_2")(*_doubles(h2, k2, n, p, s))


def ellip_normal(h2, k2, n, p) -> ndarray:
    """The normalization constant of ellipsoidal harmonics, of the p-th of degree n; NaN where there is none.

    Parameters: h2: the ellipsoid's h squared, an array or a number; k2: its k squared, an array or a number; n: the
        degree, an array of whole numbers, or one; p: which of 1 to 2 n + 1, an array of whole numbers, or one.
    Errors: TypeError for complex numbers and texts."""
    return ufunc_of("_special", "ellip_normal")(*_doubles(h2, k2, n, p))


def euler(n) -> ndarray:
    """Euler's numbers E0 to En.

    Parameters: n: a number, 0 or more.
    Errors: ValueError for a negative n, and an array."""
    return _special.euler(_count(n))


def lmbda(v, x) -> tuple[ndarray, ...]:
    """Jahnke and Emde's Lambda functions of orders v0, v0 + 1, ... v, and their derivatives; v0 is from 0 to 1.

    Parameters: v: the order, a number from 0 on; x: the place, a number.
    Errors: ValueError for a negative v, and arrays."""
    _check_numbers("arguments must be scalars.", v, x)
    if v < 0:
        raise ValueError("argument must be > 0.")
    return tuple(_special.lmbda(v, x))


def _degree(n, name):
    """A number from 0 on, without its fraction."""
    if not isinstance(n, (numbers.Number, str, bytes)) or n < 0:
        raise ValueError(f"{name} must be a non-negative integer.")
    return int(n)


def _place(z):
    """An array; of numbers that SciPy's functions have no type for, float64."""
    z = _core.asarray(z)
    return z.astype("d") if type_of(z).kind not in "fc" else z


def lqmn(m, n, z) -> tuple[ndarray, ...]:
    """Associated Legendre functions of the second kind of orders 0 to m and degrees 0 to n, and their derivatives: two
    arrays (m + 1, n + 1, ...). Of complex numbers they are those of the cut from -1 to 1 where |z| <= 1, else those
    that decay.

    Parameters: m: a number, 0 or more; n: a number, 0 or more; z: an array or a number.
    Errors: ValueError for a negative m or n, one above 100000, and an array.

    Example:
        >>> cp.scipy.special.lqmn(1, 2, 0.5)[0].round(6)
        array([[ 0.549306, -0.725347, -0.818663],
               [-1.154701, -1.053063,  0.729806]])
    """
    m, n = _degree(m, "m"), _degree(n, "n")
    return tuple(_special.lqmn(m, n, _place(z)))


def lqn(n, z) -> tuple[ndarray, ...]:
    """Legendre functions of the second kind of degrees 0 to n, and their derivatives: two arrays (n + 1, ...). Of
    complex numbers they are those of the cut from -1 to 1 where |z| <= 1, else those that decay.

    Parameters: n: a whole number, 0 or more; z: an array or a number.
    Errors: ValueError for an n below 0, above 100000, or with a fraction, TypeError for what is no number.

    Example:
        >>> cp.scipy.special.lqn(2, 3.0)[0].round(6)
        array([0.346574, 0.039721, 0.005457])
    """
    try:
        if math.floor(n) != n or n < 0:
            raise ValueError
    except (TypeError, ValueError) as e:
        raise type(e)("n must be a non-negative integer") from None
    return tuple(_special.lqn(int(n), _place(z)))


def _mathieu_order(m, q, least):
    _check_numbers("m and q must be scalars.", m, q)
    if q < 0:
        raise ValueError("q >=0")
    if m != math.floor(m) or m < least:
        raise ValueError(f"m must be an integer of at least {least}")
    h = math.sqrt(q)
    if 0.5 * m + (17.0 + 3.1 * h - .126 * q + .0037 * h * q if q > 1 else 0) >= 252:
        warnings.warn("Too many predicted coefficients.", RuntimeWarning, stacklevel=4)
    return int(m)


def mathieu_even_coef(m, q) -> ndarray:
    """Fourier coefficients of the even Mathieu function of order m and parameter q, 251 at most.

    Parameters: m: the order, a whole number; q: the parameter, a number from 0 on.
    Errors: ValueError for an m below 0 or with a fraction, a negative q, and arrays."""
    return _special.mathieu_even_coef(_mathieu_order(m, q, 0), q)


def mathieu_odd_coef(m, q) -> ndarray:
    """Fourier coefficients of the odd Mathieu function of order m and parameter q, 251 at most.

    Parameters: m: the order, a whole number; q: the parameter, a number from 0 on.
    Errors: ValueError for an m below 1 or with a fraction, a negative q, and arrays."""
    return _special.mathieu_odd_coef(_mathieu_order(m, q, 1), q)


def _modes(m, n, c):
    _check_numbers("Arguments must be scalars.", m, n, c)
    if n != math.floor(n) or m != math.floor(m):
        raise ValueError("Modes must be integers.")
    if n - m > 199:
        raise ValueError("Difference between n and m is too large.")
    return operator.index(m), operator.index(n)


def obl_cv_seq(m, n, c) -> ndarray:
    """Characteristic values of oblate spheroidal functions of mode m and degrees m to n.

    Parameters: m: the mode, a whole number; n: the degree, a whole number; c: the parameter, a number.
    Errors: ValueError for modes with a fraction, an n above m + 199 or below m - 1, and arrays; TypeError for modes
        that are floating-point numbers."""
    return _special.obl_cv_seq(*_modes(m, n, c), c)


def _number(z):
    """Errors: TypeError for texts."""
    return complex(z.real, z.imag) if hasattr(z, "real") else float(operator.index(z))


def pbdn_seq(n, z) -> tuple[ndarray, ...]:
    """Parabolic cylinder functions D0 to Dn of a complex number, and their derivatives: two orders at least.

    Parameters: n: the greatest order, a whole number from 0 on; z: the place, a number.
    Errors: ValueError for an n below 0 or with a fraction, and arrays; TypeError for an n that is a floating-point
        number above 1."""
    _check_numbers("arguments must be scalars.", n, z)
    if math.floor(n) != n:
        raise ValueError("n must be an integer.")
    if n < 0:
        raise ValueError(f"n must be a non-negative integer, not {n}")
    return tuple(_special.pbdn_seq(1 if n <= 1 else operator.index(n), _number(z)))


def pbdv_seq(v, x) -> tuple[ndarray, ...]:
    """Parabolic cylinder functions Dv0 to Dv, and their derivatives: two orders at least, v0 from 0 to 1.

    Parameters: v: the order, a number; x: the place, a number.
    Errors: ValueError for arrays."""
    _check_numbers("arguments must be scalars.", v, x)
    return tuple(_special.pbdv_seq(float(v), x))


def pbvv_seq(v, x) -> tuple[ndarray, ...]:
    """Parabolic cylinder functions Vv0 to Vv, and their derivatives: two orders at least, v0 from 0 to 1.

    Parameters: v: the order, a number; x: the place, a number.
    Errors: ValueError for arrays."""
    _check_numbers("arguments must be scalars.", v, x)
    return tuple(_special.pbvv_seq(float(v), x))


def pro_cv_seq(m, n, c) -> ndarray:
    """Characteristic values of prolate spheroidal functions of mode m and degrees m to n.

    Parameters: m: the mode, a whole number; n: the degree, a whole number; c: the parameter, a number.
    Errors: ValueError for modes with a fraction, an n above m + 199 or below m - 1, and arrays; TypeError for modes
        that are floating-point numbers."""
    return _special.pro_cv_seq(*_modes(m, n, c), c)


def _order(n, x):
    _check_numbers("arguments must be scalars.", n, x)
    if n != math.floor(n) or n < 0:
        raise ValueError("n must be a non-negative integer")
    return int(n)


def riccati_jn(n, x) -> tuple[ndarray, ...]:
    """x times the spherical Bessel functions of the first kind of orders 0 to n, and their derivatives.

    Parameters: n: the greatest order, a whole number from 0 on; x: the place, a number.
    Errors: ValueError for an n below 0 or with a fraction, and arrays."""
    return tuple(_special.riccati_jn(_order(n, x), x))


def riccati_yn(n, x) -> tuple[ndarray, ...]:
    """x times the spherical Bessel functions of the second kind of orders 0 to n, and their derivatives.

    Parameters: n: the greatest order, a whole number from 0 on; x: the place, a number.
    Errors: ValueError for an n below 0 or with a fraction, and arrays."""
    return tuple(_special.riccati_yn(_order(n, x), x))

all_beside(__all__, globals())
