"""Polynomials by their coefficients, the highest power first: polyadd to polyfit, roots, poly1d. C operations do
the arithmetic; NumPy's rules about coefficients are here."""
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite._beside import beside_its_arrays
from cuprite import _polynomials_in_c, _triangles
from cuprite._core import ndarray
from cuprite._element_types import type_of

__all__ = [
    "poly", "poly1d", "polyadd", "polyder", "polydiv", "polyfit", "polyint", "polymul", "polysub", "polyval",
    "roots", "vander",
]


def _array(p):
    if isinstance(p, poly1d):
        return p.coeffs
    return p if isinstance(p, ndarray) else cuprite.asarray(p)


def _line(p):
    p = _array(p)
    return p.reshape(1) if p.ndim == 0 else p


def _sized(p):
    """The coefficients; TypeError for a 0-d array, which cannot be iterated over."""
    x = _array(p)
    if x.ndim == 0:
        raise TypeError("iteration over a 0-d array")
    return x


def _same(value, *given):
    """A poly1d where one was given."""
    return poly1d(value) if any(isinstance(g, poly1d) for g in given) else value


def _widened(p, n):
    """With zeros in front, up to n coefficients."""
    return cuprite.concatenate([cuprite.zeros(n - len(p), type_of(p)), p]) if len(p) < n else p


@beside_its_arrays
def polyadd(a1, a2):
    """The sum of two polynomials.

    Parameters: a1: coefficients, the highest power first, or a poly1d; a2: coefficients, the highest power first, or
        a poly1d."""
    return _same(_polynomials_in_c.polyadd(_line(a1), _line(a2)), a1, a2)


@beside_its_arrays
def polysub(a1, a2):
    """The difference of two polynomials.

    Parameters: a1: coefficients, the highest power first, or a poly1d; a2: coefficients, the highest power first, or
        a poly1d."""
    return _same(_polynomials_in_c.polysub(_line(a1), _line(a2)), a1, a2)


@beside_its_arrays
def polymul(a1, a2):
    """The product of two polynomials.

    Parameters: a1: coefficients, the highest power first, or a poly1d; a2: coefficients, the highest power first, or
        a poly1d."""
    return _same(_polynomials_in_c.polymul(_line(a1), _line(a2)), a1, a2)


@beside_its_arrays
def polydiv(u, v):
    """(quotient, remainder) of two polynomials.

    Parameters: u: coefficients, the highest power first, or a poly1d; v: coefficients, the highest power first, or a
        poly1d."""
    q, r = _polynomials_in_c.polydiv(_line(u), _line(v))
    if isinstance(u, poly1d) or isinstance(v, poly1d):
        return poly1d(q), poly1d(r)
    return q, r


@beside_its_arrays
def polyder(p, m=1):
    """The m-th derivative.

    Parameters: p: coefficients, the highest power first, or a poly1d; m: how often.
    Errors: ValueError for a negative m."""
    return _same(_polynomials_in_c.polyder(_sized(p), int(m)), p)


@beside_its_arrays
def polyint(p, m=1, k=None):
    """The m-th integral; k: its constants, one for all or one for each.

    Parameters: p: coefficients, the highest power first, or a poly1d; m: how often; k: a number or a sequence.
    Errors: ValueError for a negative m and too few constants."""
    return _same(_polynomials_in_c.polyint(_sized(p), int(m), None if k is None else _line(k)), p)


@beside_its_arrays
def polyval(p, x):
    """The polynomial at x, or of the polynomial x.

    Parameters: p: coefficients, the highest power first, or a poly1d; x: an array, a number, or a poly1d.

    Example:
        >>> cp.polyval(cp.asarray([2.0, 1.0]), 3.0)
        array(7.)
    """
    if not isinstance(x, poly1d):
        return _polynomials_in_c.polyval(_sized(p), _array(x))
    y = 0  # of no type of its own
    for c in _sized(p):
        y = y * x + c
    return y


@beside_its_arrays
def vander(x, N=None, increasing=False) -> ndarray:
    """The powers 0 .. N - 1 (by default as many as elements) of each element in a row, the highest or, `increasing`,
    the lowest first.

    Parameters: x: a 1-d array; N: the number of columns; increasing: True: 1, x, x^2, ....
    Errors: ValueError for another number of axes.

    Example:
        >>> cp.vander(cp.asarray([1, 2]), 3)
        array([[1, 1, 1],
               [4, 2, 1]])
    """
    x = _array(x)
    if x.ndim != 1:
        raise ValueError("x must be a one-dimensional array or sequence.")
    return _polynomials_in_c.vander(x, len(x) if N is None else N, increasing)


def _powers(x, n, first=0):
    """x to the powers first .. first + n - 1 in a new last axis, one the product of that before it and x."""
    columns = [cuprite.ones_like(x)]
    for _ in range(n - 1):
        columns.append(columns[-1] * x)
    return cuprite.stack(columns[:n], -1) if n else cuprite.empty((*x.shape, 0), type_of(x))


@beside_its_arrays
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """The coefficients of the polynomial of degree deg with the least squared distance from y at x.

    w: weights of the samples. full: (coefficients, residuals, rank, singular values, rcond); cov: (coefficients, their
    covariances, "unscaled" as they are).

    Parameters: x: a 1-d array; y: an array of one or two axes; deg: an integer not below 0; rcond: singular values
        below so much of the largest do not count; full: True or False; w: a 1-d array; cov: True, False or
        'unscaled'.
    Errors: ValueError for a negative deg, and too few samples for covariances; TypeError for arrays whose axes or
        lengths do not fit.

    Example:
        >>> cp.round(cp.polyfit(cp.asarray([0.0, 1.0, 2.0]), cp.asarray([1.0, 3.0, 5.0]), 1), 6)
        array([2., 1.])
    """
    from cuprite import linalg
    x, y = _array(x) + 0.0, _array(y) + 0.0
    order = int(deg) + 1
    if deg < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim not in (1, 2):
        raise TypeError("expected 1D or 2D array for y")
    if x.shape[0] != y.shape[0]:
        raise TypeError("expected x and y to have same length")
    if rcond is None:
        rcond = len(x) * float(cuprite.finfo(type_of(x)).eps)
    table = cuprite.flip(_powers(x.astype(cuprite.promote_types(type_of(x), "int64")), order), 1)
    if w is not None:
        w = _array(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected a 1-d array for weights")
        if w.shape[0] != y.shape[0]:
            raise TypeError("expected w and y to have the same length")
        table, y = table * w[:, None], y * (w[:, None] if y.ndim == 2 else w)
    scale = cuprite.sqrt((table * table).sum(0))
    table = table / scale
    c, residuals, rank, s = linalg.lstsq(table, y, rcond)
    c = (c.T / scale).T
    if not full and int(rank) != order:
        from numpy.exceptions import RankWarning
        warnings.warn("Polyfit may be poorly conditioned", RankWarning, stacklevel=2)
    if full:
        return c, residuals, rank, s, rcond
    if not cov:
        return c
    base = linalg.inv(cuprite.dot(table.T, table)) / cuprite.outer(scale, scale)
    if cov == "unscaled":
        factor = 1
    elif len(x) <= order:
        raise ValueError("the number of data points must exceed order to scale the covariance matrix")
    else:
        factor = residuals / (len(x) - order)
    return c, base * factor if y.ndim == 1 else base[:, :, None] * factor


@beside_its_arrays
def poly(seq_of_zeros) -> ndarray:
    """The coefficients of the polynomial with these roots, or of a square matrix' characteristic one.

    Parameters: seq_of_zeros: roots, or a square matrix.
    Errors: ValueError for what is neither."""
    zeros = _line(seq_of_zeros)
    return _triangles.poly(zeros) if zeros.shape != (0,) else 1.0


def eigenvalues(a):
    """Real numbers where all are."""
    from cuprite import linalg
    found = linalg.eigvals(a)
    real = type_of(found).kind == "c" and type_of(a).kind != "c" and not found.imag.any()
    return found.real.copy() if real else found


@beside_its_arrays
def roots(p) -> ndarray:
    """The roots of the polynomial: eigenvalues of its companion matrix.

    Parameters: p: coefficients, the highest power first, or a poly1d.
    Errors: ValueError for coefficients of more than one axis; TypeError for a 0-d array."""
    return _triangles.roots(_sized(p))


@beside_its_arrays
class poly1d:
    """A polynomial of one variable by its coefficients, the highest power first, or (r=True) by its roots.

    Parameters: c_or_r: a sequence of numbers, or a polynomial; r: True: they are the roots; variable: the variable's
        name, 'x' unless said.
    Errors: ValueError for coefficients of more than one axis."""
    _held = "_c"
    __hash__ = None

    def __init__(self, c_or_r, r=False, variable=None):
        if isinstance(c_or_r, poly1d):
            self._c, self._variable = c_or_r._c, c_or_r._variable if variable is None else variable
            return
        if not hasattr(c_or_r, "dtype") and type(c_or_r).__module__.startswith("numpy"):
            c_or_r, variable = c_or_r.coeffs, variable or c_or_r.variable
        on_host = isinstance(c_or_r, (numpy.there("ndarray"), numpy.there("generic"))) and c_or_r.ndim < 2 and not r
        if on_host:  # trimmed there: no device need be waited for
            c_or_r = numpy.trim_zeros(numpy.atleast_1d(c_or_r), "f")
        c = _line(poly(c_or_r) if r else c_or_r)
        if c.ndim > 1:
            raise ValueError("Polynomial must be 1d only.")
        if not on_host:
            c = cuprite.trim_zeros(c, "f")
        self._c = c if len(c) else cuprite.zeros(1, type_of(c))
        self._variable = "x" if variable is None else variable

    @property
    def coeffs(self) -> ndarray:
        """The coefficients, an array."""
        return self._c

    @coeffs.setter
    def coeffs(self, value):
        if value is not self._c:
            raise AttributeError("Cannot set attribute")

    @property
    def variable(self) -> str:
        """The name that the polynomial is written with."""
        return self._variable

    @property
    def order(self) -> int:
        """The degree."""
        return len(self._c) - 1

    @property
    def roots(self) -> ndarray:
        """The values at which it is 0."""
        return roots(self._c)

    r = roots
    c = coef = coefficients = coeffs
    o = order

    def get(self, stream=None, out=None):
        """numpy.poly1d of the same coefficients.

        Parameters: stream: the stream in which it happens (None: the current one); out: None, or a numpy.poly1d to
            fill."""
        import numpy
        if out is not None:
            self._c.get(out=out.coeffs)
            return out
        return numpy.poly1d(self._c.get(), variable=self._variable)

    def set(self, polyin, stream=None):
        """Takes the coefficients and the variable's name of a numpy.poly1d.

        Parameters: polyin: a numpy.poly1d; stream: the stream in which it happens (None: the current one).
        Errors: TypeError for what is none."""
        if not isinstance(polyin, numpy.poly1d):
            raise TypeError("Only numpy.poly1d can be set to a poly1d")
        with cuprite.cuda.Device._of(self._c._device):
            self._c = cuprite.asarray(polyin.coeffs)
        self._variable = polyin.variable

    def __cupy_get_ndarray__(self):
        return self._c

    def __array__(self, *args, **kwargs):
        return self._c.__array__(*args, **kwargs)

    def __len__(self):
        return self.order

    def __repr__(self):
        return f"poly1d({repr(self._c)[6:-1]})"

    def __str__(self):
        return str(self.get())

    def __call__(self, val):
        return polyval(self._c, val)

    def __neg__(self):
        return poly1d(-self._c)

    def __pos__(self):
        return self

    def __add__(self, other):
        return poly1d(polyadd(self._c, poly1d(other)._c))

    __radd__ = __add__

    def __sub__(self, other):
        return poly1d(polysub(self._c, poly1d(other)._c))

    def __rsub__(self, other):
        return poly1d(polysub(poly1d(other)._c, self._c))

    def __mul__(self, other):
        return poly1d(self._c * other if cuprite.isscalar(other) else polymul(self._c, poly1d(other)._c))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return poly1d(self._c / other) if cuprite.isscalar(other) else polydiv(self, poly1d(other))

    def __rtruediv__(self, other):
        return poly1d(other / self._c) if cuprite.isscalar(other) else polydiv(poly1d(other), self)

    def __pow__(self, val):
        if not cuprite.isscalar(val) or int(val) != val or val < 0:
            raise ValueError("Power to non-negative integers only.")
        result = cuprite.asarray([1])
        for _ in range(val):
            result = polymul(self._c, result)
        return poly1d(result)

    def __eq__(self, other):
        if not isinstance(other, poly1d):
            return NotImplemented
        return self._c.shape == other._c.shape and bool((self._c == other._c).all())

    def __ne__(self, other):
        return NotImplemented if not isinstance(other, poly1d) else not self == other

    def __getitem__(self, val):
        if not 0 <= val <= self.order:
            return self._c.dtype.type(0)
        return self._c[self.order - val]

    def __setitem__(self, key, val):
        if key < 0:
            raise ValueError("Does not support negative powers.")
        self._c = _widened(self._c, key + 1)
        self._c[self.order - key] = val

    def __iter__(self):
        return iter(self._c)

    def integ(self, m=1, k=0) -> "poly1d":
        """The m-th integral.

        Parameters: m: how often; k: the constants.
        Errors: ValueError for a negative m."""
        return poly1d(polyint(self._c, m, k))

    def deriv(self, m=1) -> "poly1d":
        """The m-th derivative."""
        return poly1d(polyder(self._c, m))
