"""Series of orthogonal polynomials: the functions of NumPy's six modules, written once from a basis' recurrence.

Invariant: a Basis is its recurrence, P[0] = 1, P[1] = first[0] + first[1] x, and for n > 1
P[n] = (s(n) + t(n) x) P[n - 1] - back(n) P[n - 2] with step(n) = (s(n), t(n)), its derivatives and its integrals in
itself; sums, values, tables, products, quotients, roots and Gauss's rule follow (Abramowitz and Stegun, chapter 22).
Coefficients are arrays of Cuprite's, the lowest degree first; what depends on degrees alone is computed on the host.
"""
from __future__ import annotations

import math
import operator

import cuprite
from cuprite._beside import beside_its_arrays
from cuprite import _polynomials
from cuprite._support import _own_array
from cuprite.polynomial.polyutils import _fit, _from_roots, _grid, _powers, _sum, _times_x, _values, as_series, trimseq


def _shaped(c, x, tensor):
    """Coefficients of a floating type, with an axis for each of x's where each series is taken at all of x; x."""
    c = _own_array(c, ndmin=1, copy=None)
    c = c if c.dtype.kind in "fc" else c + 0.0
    x = cuprite.asarray(x) if isinstance(x, (tuple, list)) else x
    if isinstance(x, cuprite.ndarray) and tensor:
        c = c.reshape(c.shape + (1,) * x.ndim)
    return c, x


def _derivative_of(c, m, axis, once):
    """The m-th derivative along an axis; once(c) is the first one along axis 0."""
    c = _own_array(c, ndmin=1, copy=True)
    c = c if c.dtype.kind in "fc" else c + 0.0
    m = _count(m, "derivation")
    c = cuprite.moveaxis(c, axis, 0)
    if m >= len(c):
        return cuprite.moveaxis(c[:1] * 0, 0, axis)
    for _ in range(m):
        c = once(c)
    return cuprite.moveaxis(c, 0, axis)


def _integral_of(c, m, k, lbnd, scl, axis, once, value):
    """The m-th integral along an axis; once(c) is the first one along axis 0, value(x, c) the series at x."""
    c = _own_array(c, ndmin=1, copy=True)
    c = c if c.dtype.kind in "fc" else c + 0.0
    k = list(k) if hasattr(k, "__iter__") else [k]
    m = _count(m, "integration")
    if len(k) > m:
        raise ValueError("Too many integration constants")
    if cuprite.ndim(lbnd) or cuprite.ndim(scl):
        raise ValueError("lbnd and scl must be scalars.")
    c = cuprite.moveaxis(c, axis, 0)
    for constant in [*k, *[0] * (m - len(k))]:
        c = c * scl
        if len(c) == 1 and not c[0].any():  # 0 stays one coefficient
            c[0] += constant
            continue
        c = once(c)
        c[0] += constant - value(lbnd, c)
    return cuprite.moveaxis(c, 0, axis)


def _count(m, what):
    m = operator.index(m)
    if m < 0:
        raise ValueError(f"The order of {what} must be non-negative")
    return m


def _degree(deg, least=0):
    n = operator.index(deg)
    if n < least:
        raise ValueError("deg must be a positive integer" if least else "deg must be non-negative")
    return n


@beside_its_arrays
class Basis:
    """The functions of one basis; a module gives them its names (chebval is the val of Chebyshev's basis)."""

    def __init__(self, first, step, back, derivative, integral, mass, weight):
        """derivative(j): {i: the coefficient of P[i] in P[j]'}; integral(j) likewise, but for the constant; mass: the
        integral of the weight; weight: a function of an array."""
        self.first, self.step, self.back = first, step, back
        self._derivative, self._integral, self._mass, self._weight = derivative, integral, mass, weight

    # --- coefficients ---

    def add(self, c1, c2):
        """The sum of two series.

        Parameters: c1: coefficients, the lowest degree first; c2: coefficients, the lowest degree first."""
        return _sum(c1, c2, 1)

    def sub(self, c1, c2):
        """The difference of two series.

        Parameters: c1: coefficients, the lowest degree first; c2: coefficients, the lowest degree first."""
        return _sum(c1, c2, -1)

    def line(self, off, scl):
        """off + scl x as a series."""
        if scl == 0:
            return cuprite.asarray([off])
        o, s = self.first
        scl = scl * s if abs(s) == 1 else scl / s  # integers stay integers
        return cuprite.asarray([off - scl * o if o else off, scl])

    def mulx(self, c):
        """The series times x.

        Parameters: c: coefficients, the lowest degree first."""
        [c] = as_series([c])
        if len(c) == 1 and c[0] == 0:
            return c
        return self._times_x(c)

    def _times_x(self, c):
        n = len(c)
        up, at, down = [1 / self.first[1]], [-self.first[0] / self.first[1]], []
        for j in range(2, n + 1):  # x P[j - 1] = (P[j] - s P[j - 1] + back P[j - 2]) / t
            s, t = self.step(j)
            up, at, down = [*up, 1 / t], [*at, -s / t], [*down, self.back(j) / t]
        r = cuprite.zeros(n + 1, c.dtype)
        r[1:] = c * cuprite.asarray(up, c.real.dtype)
        if any(at):
            r[:-1] += c * cuprite.asarray(at, c.real.dtype)
        if down:
            r[:n - 1] += c[1:] * cuprite.asarray(down, c.real.dtype)
        return r

    def _clenshaw(self, terms, scaled, times_x, add):
        """The sum of terms[i] P[i] (Clenshaw, Math. Comp. 9, 1955): what a term is the three functions know."""
        def through(c, line):
            off, scl = line
            product = scaled(times_x(c), scl) if scl != 1 else times_x(c)
            return add(product, scaled(c, off)) if off else product

        if len(terms) == 1:
            return terms[0]
        c0, c1 = terms[-2], terms[-1]
        for n in range(len(terms) - 1, 1, -1):
            c0, c1 = add(terms[n - 2], scaled(c1, -self.back(n))), add(c0, through(c1, self.step(n)))
        return add(c0, through(c1, self.first))

    def mul(self, c1, c2):
        """The product of two series.

        Parameters: c1: coefficients, the lowest degree first; c2: coefficients, the lowest degree first."""
        c1, c2 = as_series([c1, c2])
        few, many = (c2, c1) if len(c1) > len(c2) else (c1, c2)
        return trimseq(self._clenshaw([c * many for c in few], lambda c, a: c * a, self._times_x, self.add))

    def div(self, c1, c2):
        """(quotient, remainder) of two series.

        Parameters: c1: coefficients, the lowest degree first; c2: coefficients, the lowest degree first.
        Errors: ZeroDivisionError where the divisor ends in 0."""
        c1, c2 = as_series([c1, c2])
        if c2[-1] == 0:
            raise ZeroDivisionError
        n = len(c1) - len(c2)
        if n < 0:
            return c1[:1] * 0, c1
        if len(c2) == 1:
            return c1 / c2[-1], c1[:1] * 0
        quotient, rest = cuprite.empty(n + 1, c1.dtype), c1
        for i in range(n, -1, -1):
            product = self.mul(cuprite.asarray([0] * i + [1], c2.dtype), c2)
            q = rest[-1] / product[-1]
            rest, quotient[i] = rest[:-1] - q * product[:-1], q
        return quotient, trimseq(rest)

    def pow(self, c, pow, maxpower=16):
        """The series to a whole power.

        Parameters: c: coefficients, the lowest degree first; pow: an integer not below 0; maxpower: the largest
            allowed, or None.
        Errors: ValueError for a pow that is none of these."""
        [c] = as_series([c])
        power = int(pow)
        if power != pow or power < 0:
            raise ValueError("Power must be a non-negative integer.")
        if maxpower is not None and power > maxpower:
            raise ValueError("Power is too large")
        result = c if power else cuprite.ones(1, c.dtype)
        for _ in range(power - 1):
            result = self.mul(result, c)
        return result

    def fromroots(self, roots):
        """The series with these roots whose power series has a highest coefficient of 1."""
        return _from_roots(self.line, self.mul, roots)

    def to_powers(self, c):
        """The same polynomial as a power series.

        Parameters: c: coefficients, the lowest degree first."""
        [c] = as_series([c])
        terms = [c[i:i + 1] for i in range(len(c))]
        return self._clenshaw(terms, lambda p, a: p * a, _times_x, self.add) if len(c) > 1 else c

    def of_powers(self, pol):
        """The same polynomial as a series of this basis.

        Parameters: pol: coefficients, the lowest power first."""
        [pol] = as_series([pol])
        result = pol[-1:] * 0
        for i in range(len(pol) - 1, -1, -1):
            result = self.add(self.mulx(result), pol[i:i + 1])
        return result

    # --- derivatives and integrals: a matrix of the basis on the first axis ---

    def _apply(self, entries, rows, c):
        m = [[0.0] * len(c) for _ in range(rows)]
        for j in range(len(c)):
            for i, value in entries(j).items():
                m[i][j] = value
        return cuprite.tensordot(cuprite.asarray(m, c.real.dtype), c, 1)

    def der(self, c, m=1, scl=1, axis=0):
        """The m-th derivative along an axis, each time multiplied by scl.

        Parameters: c: coefficients, the lowest degree first; m: how often, not below 0; scl: a factor; axis: an axis
            (negative ones count from the last).
        Errors: ValueError for a negative m; AxisError for an axis out of bounds."""
        return _derivative_of(c, m, axis, lambda c: self._apply(self._derivative, len(c) - 1, c * scl))

    def int(self, c, m=1, k=[], lbnd=0, scl=1, axis=0):
        """The m-th integral along an axis from lbnd on, each time multiplied by scl, with constants k.

        Parameters: c: coefficients, the lowest degree first; m: how often, not below 0; k: the constants; lbnd: where
            the integrals begin; scl: a factor; axis: an axis (negative ones count from the last).
        Errors: ValueError for a negative m, too many constants, and an lbnd or scl that is no number."""
        return _integral_of(c, m, k, lbnd, scl, axis, lambda c: self._apply(self._integral, len(c) + 1, c), self.val)

    # --- values ---

    def val(self, x, c, tensor=True):
        """The series at x; of several series, the further axes of c, all at all of x, or (tensor False) side by side.

        Parameters: x: an array, a NumPy array, a number or nested lists; c: coefficients, the lowest degree first,
            along the first axis; tensor: True or False."""
        c, x = _shaped(c, x, tensor)
        if len(c) == 1:
            return c[0] + 0 * x
        return self._clenshaw(c, lambda t, a: t * a, lambda t: t * x, lambda a, b: a + b)

    def val2d(self, x, y, c):
        """A series of two variables at (x, y).

        Parameters: x: an array; y: an array of the same shape; c: coefficients along the first two axes.
        Errors: ValueError for different shapes."""
        return _values(self.val, c, x, y)

    def val3d(self, x, y, z, c):
        """A series of three variables at (x, y, z).

        Parameters: x: an array; y: an array of the same shape; z: an array of the same shape; c: coefficients along
            the first three axes.
        Errors: ValueError for different shapes."""
        return _values(self.val, c, x, y, z)

    def valnd(self, pts, c):
        """A series of several variables at the points whose coordinates are given.

        Parameters: pts: arrays of one shape, one for each variable; c: coefficients along as many first axes.
        Errors: ValueError for different shapes."""
        return _values(self.val, c, *pts)

    def grid2d(self, x, y, c):
        """A series of two variables at each x with each y.

        Parameters: x: an array; y: an array; c: coefficients along the first two axes."""
        return _grid(self.val, c, x, y)

    def grid3d(self, x, y, z, c):
        """A series of three variables at each x with each y and each z.

        Parameters: x: an array; y: an array; z: an array; c: coefficients along the first three axes."""
        return _grid(self.val, c, x, y, z)

    def vander(self, x, deg):
        """The polynomials of degrees 0 .. deg at x in a new last axis.

        Parameters: x: an array; deg: an integer not below 0.
        Errors: ValueError for a negative deg."""
        n = _degree(deg)
        x = _own_array(x, copy=None, ndmin=1) + 0.0
        columns = [x * 0 + 1]
        for i in range(1, n + 1):
            s, t = self.step(i) if i > 1 else self.first
            column = (x * t + s if s else x * t) * columns[-1]
            columns.append(column - columns[-2] * self.back(i) if i > 1 else column)
        return cuprite.stack(columns, -1)

    def vander2d(self, x, y, deg):
        """The products of the polynomials at x with those at y, in a new last axis.

        Parameters: x: an array; y: an array of the same shape; deg: two integers not below 0.
        Errors: ValueError for other than two."""
        return _powers(self.vander, (x, y), deg)

    def vander3d(self, x, y, z, deg):
        """The products of the polynomials at x, at y and at z, in a new last axis.

        Parameters: x: an array; y: an array of the same shape; z: an array of the same shape; deg: three integers
            not below 0.
        Errors: ValueError for other than three."""
        return _powers(self.vander, (x, y, z), deg)

    def fit(self, x, y, deg, rcond=None, full=False, w=None):
        """The series of degree deg (or of the degrees deg) with the least squared distance from y at x.

        Parameters: x: a 1-d array; y: an array of one or two axes; deg: an integer, or several; rcond: singular values
            below this part of the largest are 0 (None: of len(x) ulps); full: True: (coefficients,
            [residuals, rank, singular values, rcond]); w: weights of the samples.
        Errors: TypeError for other shapes and a deg that is no integer; ValueError for a negative deg."""
        return _fit(self.vander, x, y, deg, rcond, full, w)

    # --- roots and Gauss's rule ---

    def _jacobi(self, n):
        """x P[j] = above[j] P[j + 1] + at[j] P[j] + below[j - 1] P[j - 1] for j < n: (above, at, below)."""
        lines = [(*self.first, 0.0), *((*self.step(j), self.back(j)) for j in range(2, n + 1))]
        return [1 / t for _, t, _ in lines], [-s / t for s, t, _ in lines], [b / t for _, t, b in lines[1:]]

    def companion(self, c):
        """The symmetric (but for its last column) companion matrix of a series: its eigenvalues are the roots.

        Parameters: c: coefficients, the lowest degree first.
        Errors: ValueError for less than two coefficients."""
        [c] = as_series([c])
        if len(c) < 2:
            raise ValueError("Series must have maximum degree of at least 1.")
        n = len(c) - 1
        above, at, below = self._jacobi(n)
        m = [[0.0] * n for _ in range(n)]
        scale = [1.0]
        for j in range(n):
            m[j][j] = at[j]
            if j + 1 < n:
                m[j][j + 1] = m[j + 1][j] = math.copysign(math.sqrt(above[j] * below[j]), above[j])
                scale.append(scale[-1] * math.sqrt(below[j] / above[j]))
        m = cuprite.asarray(m, c.dtype)
        m[:, -1] -= c[:-1] / c[-1] * cuprite.asarray([s / scale[-1] * above[-1] for s in scale], c.real.dtype)
        return m

    def roots(self, c):
        """The roots of a series, in ascending order.

        Parameters: c: coefficients, the lowest degree first."""
        [c] = as_series([c])
        if len(c) < 2:
            return cuprite.zeros(0, c.dtype)
        m = self.companion(c)
        if len(c) == 2:
            return m.reshape(1)
        return cuprite.sort(_polynomials.eigenvalues(m[::-1, ::-1]))

    def gauss(self, deg):
        """(points, weights) of Gauss's rule: integrals of up to degree 2 deg - 1 times the basis' weight.

        Parameters: deg: an integer above 0.
        Errors: ValueError for a deg below 1. Source: Golub and Welsch, Math. Comp. 23 (1969)."""
        n = _degree(deg, 1)
        above, at, below = self._jacobi(n + 1)
        off = [math.sqrt(a * b) for a, b in zip(above, below)]
        m = [[0.0] * n for _ in range(n)]
        for j in range(n):
            m[j][j] = at[j]
            if j + 1 < n:
                m[j][j + 1] = m[j + 1][j] = off[j]
        x = cuprite.linalg.eigvalsh(cuprite.asarray(m, float))
        for last in (False, True):  # a Newton step, then the weights at the better points
            p, before, slope, slope_before, squares = 1 + 0 * x, 0 * x, 0 * x, 0 * x, 1 + 0 * x
            for j in range(n):
                b = off[j - 1] if j else 0.0
                p, before, slope, slope_before = (((x - at[j]) * p - b * before) / off[j], p,
                                                  ((x - at[j]) * slope + p - b * slope_before) / off[j], slope)
                if j + 1 < n:
                    squares = squares + p * p
            if not last:
                x = x - p / slope
        w = 1 / squares
        if not any(at):  # an even weight: points in pairs
            x, w = (x - x[::-1]) / 2, (w + w[::-1]) / 2
        return x, w * (self._mass / w.sum())

    def weight(self, x):
        """The weight for which the basis is orthogonal, at x.

        Parameters: x: an array or a number."""
        return self._weight(cuprite.asarray(x) if isinstance(x, (tuple, list)) else x)
