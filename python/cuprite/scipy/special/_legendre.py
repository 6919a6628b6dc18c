"""Legendre functions of whole degree and order with their derivatives, and spherical harmonics: arguments as SciPy
takes them, for the functions of cuprite._special."""
from __future__ import annotations

import numbers
import operator

from cuprite import _core, _numpy as numpy, _special, ndarray
from cuprite._beside import all_beside
from cuprite._element_types import type_of
from cuprite._support import ufunc_of

__all__ = [
    "assoc_laguerre", "assoc_legendre_p", "assoc_legendre_p_all", "legendre_p", "legendre_p_all", "sph_harm_y",
    "sph_harm_y_all", "sph_legendre_p", "sph_legendre_p_all",
]


def _check_diff(diff_n):
    """The order of the derivatives."""
    if not hasattr(diff_n, "__index__") or operator.index(diff_n) < 0:
        raise ValueError(f"diff_n must be a non-negative integer, received: {diff_n}.")
    if operator.index(diff_n) > 2:
        raise ValueError(f"diff_n is currently only implemented for orders 0, 1, and 2, received: {diff_n}.")
    return operator.index(diff_n)


def _whole(x, name):
    """Degrees or orders, an array of integers. Errors: TypeError for other numbers."""
    x = _core.asarray(x)
    if type_of(x).kind not in "iub":
        raise TypeError(f"{name}: whole numbers, an array of integers, not of {x.dtype}")
    return x.astype("q")


def _real(x, name):
    x = _core.asarray(x)
    if type_of(x).kind not in "fiub":
        raise TypeError(f"{name}: real numbers, not {x.dtype}")
    return x.astype("d")


def _single(*given):
    """Are all of them of float32? Some of SciPy's results are then."""
    return all(getattr(getattr(x, "dtype", None), "char", "") == "f" for x in given)


def _most(n, name):
    """A degree or an order of one number, from 0 on."""
    whole = isinstance(n, numbers.Integral) or (getattr(n, "ndim", 1) == 0 and type_of(n).kind in "iu")
    if not whole or operator.index(n) < 0:
        raise ValueError(f"{name} must be a non-negative integer")
    return operator.index(n)


def _most_of(n):
    """The same for polynomials alone, of floating-point numbers too."""
    if getattr(n, "ndim", 0) or isinstance(n, (list, tuple, complex)) or getattr(type_of(n, None), "kind", "") == "c":
        raise TypeError("n must be a non-negative integer")
    return _most(int(n) if n == n and abs(n) < 2 ** 31 and int(n) == n else n, "n")


def _size(m):
    """An order's size, of one number: orders below 0 are asked for with those above. Errors: TypeError for others."""
    if not isinstance(m, numbers.Integral) and (getattr(m, "ndim", 1) or type_of(m).kind not in "iu"):
        raise TypeError("m must be an integer")
    return abs(operator.index(m))


def legendre_p(n, z, *, diff_n=0) -> ndarray:
    """Legendre's polynomial of degree n and its derivatives: (diff_n + 1, ...).

    Parameters: n: an array of whole numbers, or one; z: an array or a number; diff_n: 0, 1 or 2, how many
        derivatives.
    Errors: TypeError for degrees that are not whole, and complex z; ValueError for another diff_n."""
    diff, n, z = _check_diff(diff_n), _whole(n, "n"), _real(z, "z")
    return _special.legendre_p(n, z, diff)


def legendre_p_all(n, z, *, diff_n=0) -> ndarray:
    """Legendre's polynomials of degrees 0 to n and their derivatives: (diff_n + 1, n + 1, ...).

    Parameters: n: a whole number, 0 or more; z: an array or a number; diff_n: 0, 1 or 2, how many derivatives.
    Errors: ValueError for another n; TypeError for an array of them, and for complex z; ValueError for another
        diff_n."""
    diff = _check_diff(diff_n)
    found = _special.legendre_p_all(_most_of(n), _real(z, "z"), diff)
    return found.astype("f") if _single(z) else found


def _branch(branch_cut):
    if getattr(branch_cut, "ndim", 0) or branch_cut not in (2, 3):
        raise ValueError(f"branch_cut must be 2 or 3, received: {branch_cut}.")
    return int(branch_cut)


def assoc_legendre_p(n, m, z, *, branch_cut=2, norm=False, diff_n=0) -> ndarray:
    """The associated Legendre function of degree n and order m and its derivatives: (diff_n + 1, ...).

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; z: an array or a number;
        branch_cut: 2, for z from -1 to 1, or 3, for z from 1 on; norm: True: normalised; diff_n: 0, 1 or 2, how many
        derivatives.
    Errors: TypeError for degrees and orders that are not whole, and complex z; ValueError for another branch_cut;
        ValueError for another diff_n."""
    diff, n, m = _check_diff(diff_n), _whole(n, "n"), _whole(m, "m")
    return _special.assoc_legendre_p(n, m, _real(z, "z"), _branch(branch_cut), bool(norm), diff)


def assoc_legendre_p_all(n, m, z, *, branch_cut=2, norm=False, diff_n=0) -> ndarray:
    """The associated Legendre functions of degrees 0 to n and orders 0 to m and -m to -1 and their derivatives:
    (diff_n + 1, n + 1, 2 m + 1, ...).

    Parameters: n: a whole number, 0 or more; m: a whole number, 0 or more; z: an array or a number; branch_cut: 2, for
        z from -1 to 1, or 3, for z from 1 on; norm: True: normalised; diff_n: 0, 1 or 2, how many derivatives.
    Errors: ValueError for another n, m or branch_cut; TypeError for complex z; ValueError for another diff_n."""
    diff, n, m, z = _check_diff(diff_n), _most(n, "n"), _most(m, "m"), _real(z, "z")
    return _special.assoc_legendre_p_all(n, m, z, _branch(branch_cut), bool(norm), diff)


def sph_legendre_p(n, m, theta, *, diff_n=0) -> ndarray:
    """The spherical Legendre function of degree n and order m and its derivatives: (diff_n + 1, ...).

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; theta: the polar angle, an
        array or a number; diff_n: 0, 1 or 2, how many derivatives.
    Errors: TypeError for degrees and orders that are not whole; ValueError for another diff_n."""
    diff, n, m = _check_diff(diff_n), _whole(n, "n"), _whole(m, "m")
    return _special.sph_legendre_p(n, m, _real(theta, "theta"), diff)


def sph_legendre_p_all(n, m, theta, *, diff_n=0) -> ndarray:
    """The spherical Legendre functions of degrees 0 to n and orders 0 to m and -m to -1 and their derivatives:
    (diff_n + 1, n + 1, 2 m + 1, ...).

    Parameters: n: a whole number, 0 or more; m: a whole number, as -m; theta: the polar angle, an array or a number;
        diff_n: 0, 1 or 2, how many derivatives.
    Errors: ValueError for another n or m; ValueError for another diff_n."""
    diff, n, m, x = _check_diff(diff_n), _most(n, "n"), _size(m), _real(theta, "theta")
    found = _special.sph_legendre_p_all(n, m, x, diff)
    return found.astype("f") if _single(theta) else found


def _with_derivatives(parts):
    """Of the harmonic and its derivatives: it, its gradient, its Hessian matrix."""
    if len(parts) == 1:
        return parts[0]
    gradient = _core.stack(parts[1:3], -1)
    if len(parts) == 3:
        return parts[0], gradient
    return parts[0], gradient, _core.stack([_core.stack(parts[3:5], -1), _core.stack(parts[4:], -1)], -2)


def sph_harm_y(n, m, theta, phi, *, diff_n=0) -> ndarray | tuple[ndarray, ...]:
    """The spherical harmonic of degree n and order m at the polar angle theta and the azimuth phi; with diff_n its
    gradient (..., 2) and its Hessian matrix (..., 2, 2) too.

    Parameters: n: an array of whole numbers, or one; m: an array of whole numbers, or one; theta: an array or a number;
        phi: an array or a number; diff_n: 0, 1 or 2.
    Errors: TypeError for degrees and orders that are not whole, where derivatives are asked for; ValueError for another
        diff_n."""
    diff = _check_diff(diff_n)
    if not diff:
        return ufunc_of("scipy.special", "sph_harm_y")(n, m, theta, phi)
    n, m, theta, phi = _whole(n, "n"), _whole(m, "m"), _real(theta, "theta"), _real(phi, "phi")
    return _with_derivatives(tuple(_special.sph_harm_y_derivatives(n, m, theta, phi, diff)))


def sph_harm_y_all(n, m, theta, phi, *, diff_n=0) -> ndarray | tuple[ndarray, ...]:
    """The spherical harmonics of degrees 0 to n and orders 0 to m and -m to -1: (n + 1, 2 m + 1, ...); with diff_n
    their gradients and Hessian matrices too.

    Parameters: n: a whole number, 0 or more; m: a whole number, as -m; theta: the polar angle, an array or a number;
        phi: the azimuth, an array or a number; diff_n: 0, 1 or 2.
    Errors: ValueError for another n or m; ValueError for another diff_n."""
    diff, single = _check_diff(diff_n), _single(theta, phi)
    parts = _special.sph_harm_y_all(_most(n, "n"), _size(m), _real(theta, "theta"), _real(phi, "phi"), diff)
    return _with_derivatives(tuple(parts.astype("F") if single else parts))


def assoc_laguerre(x, n, k=0.0) -> ndarray:
    """Laguerre's generalized polynomial of degree n and parameter k at x: eval_genlaguerre(n, k, x).

    Parameters: x: an array or a number; n: an array or a number; k: an array or a number."""
    return ufunc_of("scipy.special", "eval_genlaguerre")(n, k, x)

all_beside(__all__, globals())
