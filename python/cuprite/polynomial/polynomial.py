"""Power series, the lowest power first: values, tables of powers, sums, products, quotients, roots, fits."""
from __future__ import annotations

import cuprite
from cuprite import _polynomials
from cuprite.polynomial.polyutils import as_series, trimcoef, trimseq

__all__ = ["polyadd", "polycompanion", "polyder", "polydiv", "polyfromroots", "polyint", "polyline", "polymul",
           "polymulx", "polypow", "polyroots", "polysub", "polytrim", "polyval", "polyval2d", "polyval3d",
           "polyvalfromroots", "polyvander"]

polytrim = trimcoef


def polyvander(x, deg):
    """x to the powers 0 .. deg in a new last axis.

    Parameters: x: an array; deg: an integer not below 0.
    Errors: ValueError for a negative deg."""
    import operator
    n = operator.index(deg)
    if n < 0:
        raise ValueError("deg must be non-negative")
    x = cuprite.array(x, copy=None, ndmin=1) + 0.0
    return _polynomials._powers(x, n + 1)


def polycompanion(c):
    """The companion matrix of a series.

    Parameters: c: coefficients, the lowest power first.
    Errors: ValueError for less than two coefficients."""
    [c] = as_series([c])
    if len(c) < 2:
        raise ValueError("Series must have maximum degree of at least 1.")
    n = len(c) - 1
    if n == 1:
        return (-c[0] / c[1]).reshape(1, 1)
    m = cuprite.eye(n, k=-1, dtype=c.dtype)
    m[:, -1] -= c[:-1] / c[-1]
    return m


def _shaped(c, x, tensor):
    c = cuprite.array(c, ndmin=1, copy=None)
    c = c if c.dtype.kind in "fc" else c + 0.0
    x = cuprite.asarray(x) if isinstance(x, (tuple, list)) else x
    if isinstance(x, cuprite.ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    return c, x


def polyval(x, c, tensor=True):
    """The series at x; of several series, the further axes of c, all at all of x, or (tensor False) side by side."""
    c, x = _shaped(c, x, tensor)
    value = c[-1] + x * 0
    for i in range(2, len(c) + 1):
        value = c[-i] + value * x
    return value


def polyval2d(x, y, c):
    """A series of two variables at (x, y).

    Parameters: x: an array; y: an array of the same shape; c: coefficients, the lowest power first, along the first
        two axes.
    Errors: ValueError for different shapes."""
    x, y = cuprite.asarray(x), cuprite.asarray(y)
    if x.shape != y.shape:
        raise ValueError("x, y are incompatible")
    return polyval(y, polyval(x, c), tensor=False)


def polyval3d(x, y, z, c):
    """A series of three variables at (x, y, z).

    Parameters: x: an array; y: an array of the same shape; z: an array of the same shape; c: coefficients, the
        lowest power first, along the first three axes.
    Errors: ValueError for different shapes."""
    x, y, z = cuprite.asarray(x), cuprite.asarray(y), cuprite.asarray(z)
    if x.shape != y.shape or x.shape != z.shape:
        raise ValueError("x, y, z are incompatible")
    return polyval(z, polyval(y, polyval(x, c), tensor=False), tensor=False)


def polyvalfromroots(x, r, tensor=True):
    """The series with roots r at x.

    Parameters: x: an array, a NumPy array, a number or nested lists; r: the roots, along the first axis; tensor:
        True: each x with each column of r (False: they broadcast).
    Errors: ValueError for x of as many axes as r where tensor is False."""
    r = cuprite.array(r, ndmin=1, copy=None)
    if r.dtype.kind in "biu":
        r = r.astype("float64")
    x = cuprite.asarray(x) if isinstance(x, (tuple, list)) else x
    if isinstance(x, cuprite.ndarray):
        if tensor:
            r = r.reshape(r.shape + (1,) * x.ndim)
        elif x.ndim >= r.ndim:
            raise ValueError("x.ndim must be < r.ndim when tensor == False")
    return cuprite.prod(x - r, axis=0)


def polyline(off, scl):
    """off + scl x."""
    return cuprite.asarray([off, scl] if scl != 0 else [off])


def polyfromroots(roots):
    """The series with these roots and a highest coefficient of 1."""
    if len(roots) == 0:
        return cuprite.ones(1)
    [roots] = as_series([roots], trim=False)
    roots = cuprite.sort(roots).astype("D" if roots.dtype.kind == "c" else "d")
    series = [cuprite.concatenate([-roots[i:i + 1], cuprite.ones(1, roots.dtype)]) for i in range(len(roots))]
    while len(series) > 1:
        m, odd = divmod(len(series), 2)
        halves = [polymul(series[i], series[i + m]) for i in range(m)]
        if odd:
            halves[0] = polymul(halves[0], series[-1])
        series = halves
    return series[0]


def _sum(c1, c2, sign):
    c1, c2 = as_series([c1, c2])
    n = max(len(c1), len(c2))
    c1, c2 = (cuprite.concatenate([c, cuprite.zeros(n - len(c), c.dtype)]) if len(c) < n else c for c in (c1, c2))
    return trimseq(c1 + c2 if sign > 0 else c1 - c2)


def polyadd(c1, c2):
    """The sum of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first."""
    return _sum(c1, c2, 1)


def polysub(c1, c2):
    """The difference of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first."""
    return _sum(c1, c2, -1)


def polymulx(c):
    """The series times x.

    Parameters: c: coefficients, the lowest power first."""
    [c] = as_series([c])
    if len(c) == 1 and c[0] == 0:
        return c
    return cuprite.concatenate([cuprite.zeros(1, c.dtype), c])


def polymul(c1, c2):
    """The product of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first."""
    c1, c2 = as_series([c1, c2])
    return trimseq(cuprite.convolve(c1, c2))


def polydiv(c1, c2):
    """(quotient, remainder) of two series.

    Parameters: c1: coefficients, the lowest power first; c2: coefficients, the lowest power first.
    Errors: ZeroDivisionError where the divisor ends in 0."""
    c1, c2 = as_series([c1, c2])
    if c2[-1] == 0:
        raise ZeroDivisionError
    n1, n2 = len(c1), len(c2)
    if n1 < n2:
        return c1[:1] * 0, c1
    if n2 == 1:
        return c1 / c2[-1], c1[:1] * 0
    d, scale, c1 = n1 - n2, c2[-1], c1.copy()
    c2 = c2[:-1] / scale
    i, j = d, n1 - 1
    while i >= 0:
        c1[i:j] -= c2 * c1[j]
        i, j = i - 1, j - 1
    return c1[j + 1:] / scale, trimseq(c1[:j + 1])


def polypow(c, pow, maxpower=None):
    """The series to a whole power.

    Parameters: c: coefficients, the lowest power first; pow: an integer not below 0; maxpower: the largest allowed,
        or None.
    Errors: ValueError for a pow that is none of these."""
    [c] = as_series([c])
    power = int(pow)
    if power != pow or power < 0:
        raise ValueError("Power must be a non-negative integer.")
    if maxpower is not None and power > maxpower:
        raise ValueError("Power is too large")
    result = cuprite.ones(1, c.dtype)
    for _ in range(power):
        result = cuprite.convolve(result, c)
    return result


def polyder(c, m=1, scl=1, axis=0):
    """The m-th derivative along an axis, each time multiplied by scl.

    Parameters: c: coefficients, the lowest power first; m: how often, not below 0; scl: a factor; axis: an axis
        (negative ones count from the last).
    Errors: ValueError for a negative m; AxisError for an axis out of bounds."""
    c = cuprite.array(c, ndmin=1, copy=True)
    c = c if c.dtype.kind in "fc" else c + 0.0
    m = _count(m, "derivation")
    c = cuprite.moveaxis(c, axis, 0)
    if m >= len(c):
        return cuprite.moveaxis(c[:1] * 0, 0, axis)
    for _ in range(m):
        n = len(c) - 1
        powers = cuprite.arange(1, n + 1, dtype=c.real.dtype).reshape((n,) + (1,) * (c.ndim - 1))
        c = powers * (c[1:] * scl)
    return cuprite.moveaxis(c, 0, axis)


def _count(m, what):
    import operator
    m = operator.index(m)
    if m < 0:
        raise ValueError(f"The order of {what} must be non-negative")
    return m


def polyint(c, m=1, k=[], lbnd=0, scl=1, axis=0):
    """The m-th integral along an axis from lbnd on, each time multiplied by scl, with constants k.

    Parameters: c: coefficients, the lowest power first; m: how often, not below 0; k: the constants; lbnd: where the
        integrals begin; scl: a factor; axis: an axis (negative ones count from the last).
    Errors: ValueError for a negative m, too many constants, and an lbnd or scl that is no number."""
    c = cuprite.array(c, ndmin=1, copy=True)
    c = c if c.dtype.kind in "fc" else c + 0.0
    k = list(k) if hasattr(k, "__iter__") else [k]
    m = _count(m, "integration")
    if len(k) > m:
        raise ValueError("Too many integration constants")
    if cuprite.ndim(lbnd) or cuprite.ndim(scl):
        raise ValueError("lbnd and scl must be scalars.")
    c = cuprite.moveaxis(c, axis, 0)
    for i in range(m):
        n = len(c)
        c = c * scl
        if n == 1 and not c[0].any():                        # 0 stays one coefficient
            c[0] += k[i] if i < len(k) else 0
            continue
        powers = cuprite.arange(1, n + 1, dtype=c.real.dtype).reshape((n,) + (1,) * (c.ndim - 1))
        c = cuprite.concatenate([c[:1] * 0, c / powers])
        c[0] += (k[i] if i < len(k) else 0) - polyval(lbnd, c)
    return cuprite.moveaxis(c, 0, axis)


def polyroots(c):
    """The roots of a series, in ascending order.

    Parameters: c: coefficients, the lowest power first."""
    [c] = as_series([c])
    if len(c) < 2:
        return cuprite.zeros(0, c.dtype)
    if len(c) == 2:
        return (-c[0] / c[1]).reshape(1)
    return cuprite.sort(_polynomials.eigenvalues(polycompanion(c)))
