"""Series as objects, as numpy.polynomial's classes: coefficients, a domain mapped to the basis' window, a symbol.

Invariant: coef, domain and window are 1-d arrays of Cuprite's; arithmetic needs the same class, domain, window and
symbol. A class names its basis (`_basis`: whatever has add to weight) and the ends of its window and domain (`_ends`).
"""
from __future__ import annotations

import numbers

import cuprite
from cuprite._beside import beside_its_arrays
from cuprite.polynomial.polyutils import as_series, getdomain, mapdomain, mapparms, trimcoef


class _Ends:
    """The class' domain, or window, on the device of the coefficients; one that an object was given hides it."""

    def __get__(self, series, kind):
        return cuprite.array(kind._ends, device=None if series is None else series.coef._device)


@beside_its_arrays
class ABCPolyBase:
    """What the classes of all bases share.

    Parameters: coef: coefficients, the lowest degree first; domain: (least, largest), which is mapped to the window
        (None: the class'); window: (least, largest), likewise; symbol: the variable's name.
    Errors: ValueError for other than two ends, no coefficients, and a symbol that is no identifier; TypeError for a
        symbol that is no text."""

    _held = "coef"
    __hash__ = None
    __array_ufunc__ = None  # NumPy's operators leave theirs to these
    maxpower = 100
    basis_name = None
    _basis, _ends = None, (-1.0, 1.0)
    domain, window = _Ends(), _Ends()

    def __init__(self, coef, domain=None, window=None, symbol="x"):
        [self.coef] = as_series([coef], trim=False)
        for name, ends in (("domain", domain), ("window", window)):
            if ends is not None:
                [ends] = as_series([ends], trim=False)
                if len(ends) != 2:
                    raise ValueError(f"{name.title()} has wrong number of elements.")
                setattr(self, name, ends)
        if not hasattr(symbol, "isidentifier"):
            raise TypeError("Symbol must be a non-empty string")
        if not symbol.isidentifier():
            raise ValueError("Symbol string must be a valid Python identifier")
        self._symbol = symbol

    @property
    def symbol(self):
        """The variable's name in printed series."""
        return self._symbol

    def _like(self, coef):
        return type(self)(coef, self.domain, self.window, self.symbol)

    # --- what is the same ---

    def has_samecoef(self, other):
        """Whether the coefficients are the same.

        Parameters: other: a series of a class here."""
        return len(self.coef) == len(other.coef) and bool((self.coef == other.coef).all())

    def has_samedomain(self, other):
        """Whether the domains are the same.

        Parameters: other: a series of a class here."""
        return bool((self.domain == other.domain).all())

    def has_samewindow(self, other):
        """Whether the windows are the same.

        Parameters: other: a series of a class here."""
        return bool((self.window == other.window).all())

    def has_sametype(self, other):
        """Whether the other is of this class.

        Parameters: other: any object."""
        return isinstance(other, type(self))

    def __eq__(self, other):
        return (isinstance(other, type(self)) and self.has_samedomain(other) and self.has_samewindow(other)
                and self.has_samecoef(other) and self.symbol == other.symbol)

    def __ne__(self, other):
        return not self == other

    # --- printing: NumPy's, of the same numbers ---

    def _theirs(self):
        import numpy.polynomial
        name = next(c.__name__ for c in type(self).__mro__ if hasattr(numpy.polynomial, c.__name__))
        own = (self.coef, self.domain, self.window)
        return getattr(numpy.polynomial, name)(*(a.get() for a in own), symbol=self.symbol)

    def __repr__(self):
        coef, domain, window = (repr(a)[6:-1] for a in (self.coef, self.domain, self.window))
        return f"{type(self).__name__}({coef}, domain={domain}, window={window}, symbol={self.symbol!r})"

    def __str__(self):
        return str(self._theirs())

    def __format__(self, how):
        return format(self._theirs(), how)

    def _repr_latex_(self):
        return self._theirs()._repr_latex_()

    # --- values, containers, copies ---

    def __call__(self, arg):
        return self._basis.val(mapdomain(arg, self.domain, self.window), self.coef)

    def __iter__(self):
        return iter(self.coef)

    def __len__(self):
        return len(self.coef)

    def __getstate__(self):
        return {"coef": self.coef.copy(), "domain": self.domain.copy(), "window": self.window.copy(),
                "_symbol": self.symbol}

    def __setstate__(self, state):
        self.__dict__ = dict(state)

    def copy(self):
        """The same series in an object of its own."""
        return self._like(self.coef)

    # --- arithmetic ---

    def _coefficients(self, other):
        if not isinstance(other, ABCPolyBase):
            return other
        if not isinstance(other, type(self)):
            raise TypeError("Polynomial types differ")
        if not self.has_samedomain(other):
            raise TypeError("Domains differ")
        if not self.has_samewindow(other):
            raise TypeError("Windows differ")
        if self.symbol != other.symbol:
            raise ValueError("Polynomial symbols differ")
        return other.coef

    def _operated(self, operate, left, right):
        """The series of an operation of the basis; NotImplemented for what is no series."""
        try:
            result = operate(left, right)
        except ZeroDivisionError:
            raise
        except Exception:  # noqa: BLE001  whatever it is, Python asks the other operand
            return NotImplemented
        return tuple(map(self._like, result)) if isinstance(result, tuple) else self._like(result)

    def __neg__(self):
        return self._like(-self.coef)

    def __pos__(self):
        return self

    def __add__(self, other):
        return self._operated(self._basis.add, self.coef, self._coefficients(other))

    def __radd__(self, other):
        return self._operated(self._basis.add, other, self.coef)

    def __sub__(self, other):
        return self._operated(self._basis.sub, self.coef, self._coefficients(other))

    def __rsub__(self, other):
        return self._operated(self._basis.sub, other, self.coef)

    def __mul__(self, other):
        return self._operated(self._basis.mul, self.coef, self._coefficients(other))

    def __rmul__(self, other):
        return self._operated(self._basis.mul, other, self.coef)

    def __divmod__(self, other):
        return self._operated(self._basis.div, self.coef, self._coefficients(other))

    def __rdivmod__(self, other):
        return self._operated(self._basis.div, other, self.coef)

    def __floordiv__(self, other):
        both = self.__divmod__(other)
        return both if both is NotImplemented else both[0]

    def __rfloordiv__(self, other):
        both = self.__rdivmod__(other)
        return both if both is NotImplemented else both[0]

    def __mod__(self, other):
        both = self.__divmod__(other)
        return both if both is NotImplemented else both[1]

    def __rmod__(self, other):
        both = self.__rdivmod__(other)
        return both if both is NotImplemented else both[1]

    def __truediv__(self, other):
        if not isinstance(other, numbers.Number) or isinstance(other, bool):
            raise TypeError(f"unsupported types for true division: '{type(self)}', '{type(other)}'")
        return self // other

    def __rtruediv__(self, other):
        return NotImplemented

    def __pow__(self, other):
        return self._like(self._basis.pow(self.coef, other, maxpower=self.maxpower))

    # --- degrees ---

    def degree(self):
        """The number of coefficients less one."""
        return len(self) - 1

    def cutdeg(self, deg):
        """The series up to a degree.

        Parameters: deg: an integer not below 0.
        Errors: ValueError for another."""
        return self.truncate(deg + 1)

    def trim(self, tol=0):
        """Without coefficients of at most tol at the end.

        Parameters: tol: a number not below 0.
        Errors: ValueError for a negative tol."""
        return self._like(trimcoef(self.coef, tol))

    def truncate(self, size):
        """The first coefficients.

        Parameters: size: how many, at least 1.
        Errors: ValueError for another size."""
        n = int(size)
        if n != size or n < 1:
            raise ValueError("size must be a positive integer")
        return self._like(self.coef[:n])

    # --- other bases, domains and windows ---

    def mapparms(self):
        """(offset, scale) of the line from the domain to the window."""
        return mapparms(self.domain, self.window)

    def convert(self, domain=None, kind=None, window=None):
        """The same polynomial as a series of another class, domain or window.

        Parameters: domain: (least, largest), or None: the class'; kind: a class, or None: this; window: (least,
            largest), or None: the class'."""
        kind = type(self) if kind is None else kind
        return self(kind.identity(kind.domain if domain is None else domain,
                                  kind.window if window is None else window, self.symbol))

    @classmethod
    def _given(cls, domain, window):
        return cls.domain if domain is None else domain, cls.window if window is None else window

    @classmethod
    def identity(cls, domain=None, window=None, symbol="x"):
        """The series whose value at x is x.

        Parameters: domain: (least, largest), or None: the class'; window: (least, largest), or None: the class';
            symbol: the variable's name."""
        domain, window = cls._given(domain, window)
        off, scl = mapparms(window, domain)
        return cls(cls._basis.line(float(off), float(scl)), domain, window, symbol)

    @classmethod
    def basis(cls, deg, domain=None, window=None, symbol="x"):
        """The basis' polynomial of a degree.

        Parameters: deg: an integer not below 0; domain: (least, largest), or None: the class'; window: (least,
            largest), or None: the class'; symbol: the variable's name.
        Errors: ValueError for another degree."""
        n = int(deg)
        if n != deg or n < 0:
            raise ValueError("deg must be non-negative integer")
        return cls([0] * n + [1], *cls._given(domain, window), symbol)

    @classmethod
    def cast(cls, series, domain=None, window=None):
        """A series of any class as one of this.

        Parameters: series: a series of a class here; domain: (least, largest), or None: the class'; window: (least,
            largest), or None: the class'."""
        domain, window = cls._given(domain, window)
        return series.convert(domain, cls, window)

    # --- calculus, roots, fits ---

    def integ(self, m=1, k=[], lbnd=None):
        """The m-th integral from lbnd on, with constants k.

        Parameters: m: how often, not below 0; k: the constants; lbnd: where the integrals begin (None: 0 in the
            window).
        Errors: ValueError for a negative m and too many constants."""
        off, scl = self.mapparms()
        return self._like(self._basis.int(self.coef, m, k, 0 if lbnd is None else off + scl * lbnd, 1. / scl))

    def deriv(self, m=1):
        """The m-th derivative.

        Parameters: m: how often, not below 0.
        Errors: ValueError for a negative m."""
        return self._like(self._basis.der(self.coef, m, self.mapparms()[1]))

    def roots(self):
        """The roots, in the domain's scale."""
        return mapdomain(self._basis.roots(self.coef), self.window, self.domain)

    def linspace(self, n=100, domain=None):
        """(x, values) at n evenly spaced points of a domain.

        Parameters: n: how many; domain: (least, largest), or None: the series'."""
        first, last = self.domain if domain is None else domain
        x = cuprite.linspace(first, last, n)
        return x, self(x)

    @classmethod
    def fit(cls, x, y, deg, domain=None, rcond=None, full=False, w=None, window=None, symbol="x"):
        """The series of degree deg with the least squared distance from y at x.

        Parameters: x: a 1-d array; y: an array of one or two axes; deg: an integer, or several; domain: (least,
            largest), None: that of x, []: the class'; rcond: singular values below this part of the largest are 0;
            full: True: (series, [residuals, rank, singular values, rcond]); w: weights of the samples; window: (least,
            largest), or None: the class'; symbol: the variable's name.
        Errors: TypeError for other shapes and a deg that is no integer; ValueError for a negative deg."""
        if domain is None:
            domain = getdomain(x)
            if domain[0] == domain[1]:
                domain[0] -= 1
                domain[1] += 1
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        result = cls._basis.fit(mapdomain(x, domain, window), y, deg, rcond, full, w)
        coef = result[0] if full else result
        series = cls(coef, domain, window, symbol)
        return (series, result[1]) if full else series

    @classmethod
    def fromroots(cls, roots, domain=[], window=None, symbol="x"):
        """The series with these roots whose power series has a highest coefficient of 1.

        Parameters: roots: a sequence of numbers; domain: (least, largest), None: that of the roots, []: the class';
            window: (least, largest), or None: the class'; symbol: the variable's name.
        Errors: ValueError for no roots."""
        [roots] = as_series([roots], trim=False)
        if domain is None:
            domain = getdomain(roots)
        elif isinstance(domain, list) and not domain:
            domain = cls.domain
        window = cls.window if window is None else window
        off, scl = mapparms(domain, window)
        return cls(cls._basis.fromroots(off + scl * roots) / scl ** len(roots), domain, window, symbol)
