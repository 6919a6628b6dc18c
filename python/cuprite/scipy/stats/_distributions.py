"""Distributions: densities, distribution functions and their inverses over cuprite.scipy.special, random numbers."""
from __future__ import annotations

import math

import numpy

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy import special as sc
from cuprite.scipy._generators import generator
from cuprite.scipy.stats._arrays import floating

_ROOT = math.sqrt(2 * math.pi)


class _Distribution:
    """A distribution with parameters of its shape, a location and a scale. Subclasses have functions of the standard
    one: `_logpdf` (`_logpmf`), `_cdf`, `_sf`, `_ppf`, `_isf`, `_moments` and `_draw`."""

    shapes = ()
    low, high = -math.inf, math.inf
    discrete = False

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwds) -> _Frozen:
        """The distribution with parameters that are fixed.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return _Frozen(self, args, kwds)

    freeze = __call__

    def _read(self, args, kwds) -> tuple[object, ...]:
        """(x scaled, shape's parameters, scale, where parameters are good)."""
        names = (*self.shapes, "loc") if self.discrete else (*self.shapes, "loc", "scale")
        if len(args) > len(names):
            raise TypeError(f"_parse_args() takes {len(names) + 1} positional arguments but {len(args) + 1} were given")
        given = dict(zip(names, args))
        for name, value in kwds.items():
            if name not in names or name in given:
                raise TypeError(f"_parse_args() got an unexpected keyword argument '{name}'")
            given[name] = value
        lacking = [n for n in self.shapes if n not in given]
        if lacking:
            raise TypeError(f"_parse_args() missing {len(lacking)} required positional argument: '{lacking[0]}'")
        parts = [floating(given.get(n, 1 if n == "scale" else 0)) for n in names]
        shapes, loc = parts[:len(self.shapes)], parts[len(self.shapes)]
        scale = parts[-1] if not self.discrete else cuprite.ones(())
        good = scale > 0
        for ok in self._good(*shapes):
            good = good & ok
        return given, shapes, loc, scale, good

    def _good(self, *shapes) -> list[ndarray]:
        return [s > 0 for s in shapes]

    def _support(self, *shapes) -> tuple[object, object]:
        return self.low, self.high

    def _of(self, x, args, kwds, function, below, above) -> tuple[ndarray, ndarray]:
        """function of the standard distribution at x, other values outside of the support, NaN for bad parameters."""
        _, shapes, loc, scale, good = self._read(args, kwds)
        y = (floating(x) - loc) / scale
        y, good, *shapes = cuprite.broadcast_arrays(y, good, *shapes)
        low, high = self._support(*shapes)
        with numpy.errstate(all="ignore"):
            inside = (y >= low) & (y <= high) & cuprite.isfinite(y)
            found = function(cuprite.where(inside, y, self._middle(*shapes)), *shapes)
        found = cuprite.where(inside, found, cuprite.where(y < high, below, above))
        return cuprite.where(good & ~cuprite.isnan(y), found, numpy.nan), scale

    def _middle(self, *shapes) -> float:
        return 0.5 if self.low >= 0 else 0.0

    def pdf(self, x, *args, **kwds) -> ndarray:
        """The density.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        found, scale = self._of(x, args, kwds, self._pdf, 0.0, 0.0)
        return found / scale

    def logpdf(self, x, *args, **kwds) -> ndarray:
        """The logarithm of the density.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        found, scale = self._of(x, args, kwds, self._logpdf, -math.inf, -math.inf)
        return found - cuprite.log(scale)

    def _pdf(self, y, *shapes) -> ndarray:
        return cuprite.exp(self._logpdf(y, *shapes))

    def cdf(self, x, *args, **kwds) -> ndarray:
        """The distribution function.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._of(x, args, kwds, self._cdf, 0.0, 1.0)[0]

    def sf(self, x, *args, **kwds) -> ndarray:
        """One less the distribution function, with its digits.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._of(x, args, kwds, self._sf, 1.0, 0.0)[0]

    def _sf(self, y, *shapes) -> ndarray:
        return 1 - self._cdf(y, *shapes)

    def logcdf(self, x, *args, **kwds) -> ndarray:
        """The logarithm of the distribution function.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._of(x, args, kwds, self._logcdf, -math.inf, 0.0)[0]

    def _logcdf(self, y, *shapes) -> ndarray:
        return cuprite.log(self._cdf(y, *shapes))

    def logsf(self, x, *args, **kwds) -> ndarray:
        """The logarithm of one less the distribution function.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._of(x, args, kwds, self._logsf, 0.0, -math.inf)[0]

    def _logsf(self, y, *shapes) -> ndarray:
        return cuprite.log(self._sf(y, *shapes))

    def _inverse(self, q, args, kwds, function, at_0, at_1) -> ndarray:
        _, shapes, loc, scale, good = self._read(args, kwds)
        q, good, *shapes = cuprite.broadcast_arrays(floating(q), good, *shapes)
        ends = self._support(*shapes)
        with numpy.errstate(all="ignore"):
            found = function(cuprite.where((q > 0) & (q < 1), q, 0.5), *shapes)
        found = cuprite.where(q == 0, ends[at_0], cuprite.where(q == 1, ends[at_1], found))
        return cuprite.where(good & (q >= 0) & (q <= 1), found * scale + loc, numpy.nan)

    def ppf(self, q, *args, **kwds) -> ndarray:
        """The inverse of the distribution function.

        Parameters: q: probabilities; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._inverse(q, args, kwds, self._ppf, 0, 1)

    def isf(self, q, *args, **kwds) -> ndarray:
        """The inverse of sf.

        Parameters: q: probabilities; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._inverse(q, args, kwds, self._isf, 1, 0)

    def _isf(self, q, *shapes) -> ndarray:
        return self._ppf(1 - q, *shapes)

    def rvs(self, *args, size=None, random_state=None, **kwds) -> ndarray:
        """Random numbers.

        Parameters: args: the shape's parameters, loc and scale; size: the shape; random_state: a generator, or its
            seed; kwds: the parameters by their names.
        Errors: ValueError for parameters that the distribution does not have.
        """
        _, shapes, loc, scale, good = self._read(args, kwds)
        if not bool(good.all()):
            raise ValueError("Domain error in arguments. The `scale` parameter must be positive for all distributions, "
                             "and many distributions have restrictions on shape parameters.")
        rng = generator(random_state)
        whole = numpy.broadcast_shapes(*(v.shape for v in (*shapes, loc, scale)))
        size = whole if size is None else size
        drawn = self._draw(rng, size, *(float(v) if v.ndim == 0 else v for v in shapes))
        return drawn * scale + loc if not self.discrete else drawn + loc.astype(numpy.int64)

    def _draw(self, rng, size, *shapes) -> ndarray:
        return self._ppf(rng.random(size), *map(floating, shapes))

    def mean(self, *args, **kwds) -> ndarray:
        """The mean.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        _, shapes, loc, scale, good = self._read(args, kwds)
        return cuprite.where(good, self._moments(*shapes)[0] * scale + loc, numpy.nan)

    def var(self, *args, **kwds) -> ndarray:
        """The variance.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        _, shapes, _, scale, good = self._read(args, kwds)
        return cuprite.where(good, self._moments(*shapes)[1] * scale ** 2, numpy.nan)

    def std(self, *args, **kwds) -> ndarray:
        """The standard deviation.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return cuprite.sqrt(self.var(*args, **kwds))

    def median(self, *args, **kwds) -> ndarray:
        """The median.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self.ppf(0.5, *args, **kwds)

    def interval(self, confidence, *args, **kwds) -> tuple[ndarray, ndarray]:
        """(low, high): where a part of the probability lies, as much of the rest on both sides.

        Parameters: confidence: the part; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        half = (1 - floating(confidence)) / 2
        return self.ppf(half, *args, **kwds), self.ppf(1 - half, *args, **kwds)

    def support(self, *args, **kwds) -> tuple[ndarray, ndarray]:
        """(low, high): where the density is not 0.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        _, shapes, loc, scale, _ = self._read(args, kwds)
        low, high = self._support(*shapes)
        return low * scale + loc, high * scale + loc


class _Frozen:
    """A distribution with parameters that are fixed."""

    def __init__(self, dist, args, kwds):
        dist._read(args, kwds)
        self.dist, self.args, self.kwds = dist, args, kwds

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if name in ("mean", "var", "std", "median", "support"):
            return lambda: method(*self.args, **self.kwds)
        if name == "rvs":
            return lambda size=None, random_state=None: method(*self.args, size=size, random_state=random_state,
                                                               **self.kwds)
        return lambda x: method(x, *self.args, **self.kwds)


@beside_its_arrays
class _Norm(_Distribution):
    """The normal distribution."""

    def _logpdf(self, y) -> ndarray:
        return -y ** 2 / 2 - math.log(_ROOT)

    def _pdf(self, y) -> ndarray:
        return cuprite.exp(-y ** 2 / 2) / _ROOT

    def _cdf(self, y) -> ndarray:
        return sc.ndtr(y)

    def _sf(self, y) -> ndarray:
        return sc.ndtr(-y)

    def _logcdf(self, y) -> ndarray:
        return sc.log_ndtr(y)

    def _logsf(self, y) -> ndarray:
        return sc.log_ndtr(-y)

    def _ppf(self, q) -> ndarray:
        return sc.ndtri(q)

    def _isf(self, q) -> ndarray:
        return -sc.ndtri(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.zeros(()), cuprite.ones(())

    def _draw(self, rng, size) -> ndarray:
        return rng.standard_normal(size)


@beside_its_arrays
class _Uniform(_Distribution):
    """The uniform distribution from 0 to 1."""

    low, high = 0.0, 1.0

    def _logpdf(self, y) -> ndarray:
        return cuprite.zeros_like(y)

    def _cdf(self, y) -> ndarray:
        return y

    def _ppf(self, q) -> ndarray:
        return q

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.full((), 0.5), cuprite.full((), 1 / 12)


@beside_its_arrays
class _Expon(_Distribution):
    """The exponential distribution."""

    low = 0.0

    def _logpdf(self, y) -> ndarray:
        return -y

    def _cdf(self, y) -> ndarray:
        return -cuprite.expm1(-y)

    def _sf(self, y) -> ndarray:
        return cuprite.exp(-y)

    def _logsf(self, y) -> ndarray:
        return -y

    def _ppf(self, q) -> ndarray:
        return -cuprite.log1p(-q)

    def _isf(self, q) -> ndarray:
        return -cuprite.log(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.ones(()), cuprite.ones(())

    def _draw(self, rng, size) -> ndarray:
        return rng.standard_exponential(size)


@beside_its_arrays
class _Gamma(_Distribution):
    """The gamma distribution of shape a."""

    shapes, low = ("a",), 0.0

    def _logpdf(self, y, a) -> ndarray:
        return sc.xlogy(a - 1.0, y) - y - sc.gammaln(a)

    def _cdf(self, y, a) -> ndarray:
        return sc.gammainc(a, y)

    def _sf(self, y, a) -> ndarray:
        return sc.gammaincc(a, y)

    def _ppf(self, q, a) -> ndarray:
        return sc.gammaincinv(a, q)

    def _isf(self, q, a) -> ndarray:
        return sc.gammainccinv(a, q)

    def _moments(self, a) -> tuple[ndarray, ndarray]:
        return a, a

    def _draw(self, rng, size, a) -> ndarray:
        return rng.standard_gamma(a, size)


@beside_its_arrays
class _Chi2(_Distribution):
    """The chi-squared distribution of df degrees of freedom."""

    shapes, low = ("df",), 0.0

    def _logpdf(self, y, df) -> ndarray:
        return sc.xlogy(df / 2.0 - 1, y) - y / 2.0 - sc.gammaln(df / 2.0) - math.log(2) * df / 2.0

    def _cdf(self, y, df) -> ndarray:
        return sc.gammainc(df / 2, y / 2)

    def _sf(self, y, df) -> ndarray:
        return sc.gammaincc(df / 2, y / 2)

    def _ppf(self, q, df) -> ndarray:
        return 2 * sc.gammaincinv(df / 2, q)

    def _isf(self, q, df) -> ndarray:
        return 2 * sc.gammainccinv(df / 2, q)

    def _moments(self, df) -> tuple[ndarray, ndarray]:
        return df, 2 * df

    def _draw(self, rng, size, df) -> ndarray:
        return rng.chisquare(df, size)


@beside_its_arrays
class _Beta(_Distribution):
    """The beta distribution of a and b."""

    shapes, low, high = ("a", "b"), 0.0, 1.0

    def _logpdf(self, y, a, b) -> ndarray:
        return sc.xlog1py(b - 1.0, -y) + sc.xlogy(a - 1.0, y) - sc.betaln(a, b)

    def _cdf(self, y, a, b) -> ndarray:
        return sc.betainc(a, b, y)

    def _sf(self, y, a, b) -> ndarray:
        return sc.betaincc(a, b, y)

    def _ppf(self, q, a, b) -> ndarray:
        return sc.betaincinv(a, b, q)

    def _isf(self, q, a, b) -> ndarray:
        return sc.betainccinv(a, b, q)

    def _moments(self, a, b) -> tuple[ndarray, ndarray]:
        return a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))

    def _draw(self, rng, size, a, b) -> ndarray:
        return rng.beta(a, b, size)


@beside_its_arrays
class _T(_Distribution):
    """Student's distribution of df degrees of freedom."""

    shapes = ("df",)

    def _logpdf(self, y, df) -> ndarray:
        return (sc.gammaln((df + 1) / 2) - sc.gammaln(df / 2) - 0.5 * cuprite.log(df * math.pi)
                - (df + 1) / 2 * cuprite.log1p(y ** 2 / df))

    def _cdf(self, y, df) -> ndarray:
        return sc.stdtr(df, y)

    def _sf(self, y, df) -> ndarray:
        return sc.stdtr(df, -y)

    def _ppf(self, q, df) -> ndarray:
        """By the beta distribution: of the smaller tail."""
        tail = cuprite.minimum(q, 1 - q)
        x = sc.betaincinv(df / 2, 0.5, 2 * tail)
        size = cuprite.sqrt(df * (1 - x) / x)
        other = sc.betaincinv(cuprite.full_like(df, 0.5), df / 2, 1 - 2 * tail)
        size = cuprite.where(tail > 0.25, cuprite.sqrt(df * other / (1 - other)), size)
        return cuprite.where(q < 0.5, -size, size)

    def _isf(self, q, df) -> ndarray:
        return -self._ppf(q, df)

    def _moments(self, df) -> tuple[ndarray, ndarray]:
        variance = cuprite.where(df > 2, df / cuprite.where(df > 2, df - 2, 1.0),
                                 cuprite.where(df > 1, numpy.inf, numpy.nan))
        return cuprite.where(df > 1, 0.0, numpy.inf), variance

    def _draw(self, rng, size, df) -> ndarray:
        return rng.standard_t(df, size)


@beside_its_arrays
class _F(_Distribution):
    """The F distribution of dfn and dfd degrees of freedom."""

    shapes, low = ("dfn", "dfd"), 0.0

    def _logpdf(self, y, n, d) -> ndarray:
        return (d / 2 * cuprite.log(d) + n / 2 * cuprite.log(n) + sc.xlogy(n / 2 - 1, y)
                - ((n + d) / 2 * cuprite.log(d + n * y) + sc.betaln(n / 2, d / 2)))

    def _cdf(self, y, n, d) -> ndarray:
        return sc.fdtr(n, d, y)

    def _sf(self, y, n, d) -> ndarray:
        return sc.fdtrc(n, d, y)

    def _ppf(self, q, n, d) -> ndarray:
        return sc.fdtri(n, d, q)

    def _moments(self, n, d) -> tuple[ndarray, ndarray]:
        more = cuprite.where(d > 4, d - 4, numpy.nan)
        return cuprite.where(d > 2, d / (d - 2), numpy.inf), 2 * d ** 2 * (n + d - 2) / (n * (d - 2) ** 2 * more)

    def _draw(self, rng, size, n, d) -> ndarray:
        return rng.f(n, d, size)


@beside_its_arrays
class _Lognorm(_Distribution):
    """The distribution of the exponential of normal numbers of standard deviation s."""

    shapes, low = ("s",), 0.0

    def _logpdf(self, y, s) -> ndarray:
        logs = cuprite.log(y)
        return cuprite.where(y > 0, -logs ** 2 / (2 * s ** 2) - cuprite.log(s * y * _ROOT), -numpy.inf)

    def _cdf(self, y, s) -> ndarray:
        return sc.ndtr(cuprite.log(y) / s)

    def _sf(self, y, s) -> ndarray:
        return sc.ndtr(-cuprite.log(y) / s)

    def _ppf(self, q, s) -> ndarray:
        return cuprite.exp(s * sc.ndtri(q))

    def _isf(self, q, s) -> ndarray:
        return cuprite.exp(-s * sc.ndtri(q))

    def _moments(self, s) -> tuple[ndarray, ndarray]:
        p = cuprite.exp(s * s)
        return cuprite.sqrt(p), p * (p - 1)

    def _draw(self, rng, size, s) -> ndarray:
        return cuprite.exp(s * rng.standard_normal(size))


@beside_its_arrays
class _Cauchy(_Distribution):
    """Cauchy's distribution."""

    def _logpdf(self, y) -> ndarray:
        return -math.log(math.pi) - cuprite.log1p(y * y)

    def _pdf(self, y) -> ndarray:
        return 1.0 / math.pi / (1.0 + y * y)

    def _cdf(self, y) -> ndarray:
        return cuprite.arctan2(1.0, -y) / math.pi

    def _sf(self, y) -> ndarray:
        return cuprite.arctan2(1.0, y) / math.pi

    def _ppf(self, q) -> ndarray:
        tail = cuprite.minimum(q, 1 - q)
        size = 1 / cuprite.tan(math.pi * tail)
        return cuprite.where(tail > 0.25, cuprite.tan(math.pi * q - math.pi / 2.0), cuprite.where(q < 0.5, -size, size))

    def _isf(self, q) -> ndarray:
        return -self._ppf(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.full((), numpy.nan), cuprite.full((), numpy.nan)


@beside_its_arrays
class _Laplace(_Distribution):
    """Laplace's distribution."""

    def _logpdf(self, y) -> ndarray:
        return -abs(y) - math.log(2)

    def _cdf(self, y) -> ndarray:
        return cuprite.where(y > 0, 1.0 - 0.5 * cuprite.exp(-abs(y)), 0.5 * cuprite.exp(-abs(y)))

    def _sf(self, y) -> ndarray:
        return self._cdf(-y)

    def _ppf(self, q) -> ndarray:
        return cuprite.where(q > 0.5, -cuprite.log(2 * (1 - q)), cuprite.log(2 * q))

    def _isf(self, q) -> ndarray:
        return -self._ppf(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.zeros(()), cuprite.full((), 2.0)

    def _draw(self, rng, size) -> ndarray:
        return rng.laplace(0, 1, size)


@beside_its_arrays
class _Logistic(_Distribution):
    """The logistic distribution."""

    def _logpdf(self, y) -> ndarray:
        y = -abs(y)
        return y - 2.0 * cuprite.log1p(cuprite.exp(y))

    def _cdf(self, y) -> ndarray:
        return sc.expit(y)

    def _sf(self, y) -> ndarray:
        return sc.expit(-y)

    def _ppf(self, q) -> ndarray:
        return sc.logit(q)

    def _isf(self, q) -> ndarray:
        return -sc.logit(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.zeros(()), cuprite.full((), math.pi ** 2 / 3)

    def _draw(self, rng, size) -> ndarray:
        return rng.logistic(0, 1, size)


@beside_its_arrays
class _WeibullMin(_Distribution):
    """Weibull's distribution of shape c."""

    shapes, low = ("c",), 0.0

    def _logpdf(self, y, c) -> ndarray:
        return cuprite.log(c) + sc.xlogy(c - 1, y) - y ** c

    def _cdf(self, y, c) -> ndarray:
        return -cuprite.expm1(-y ** c)

    def _sf(self, y, c) -> ndarray:
        return cuprite.exp(-y ** c)

    def _ppf(self, q, c) -> ndarray:
        return (-cuprite.log1p(-q)) ** (1.0 / c)

    def _isf(self, q, c) -> ndarray:
        return (-cuprite.log(q)) ** (1.0 / c)

    def _moments(self, c) -> tuple[ndarray, ndarray]:
        first, second = (cuprite.exp(sc.gammaln(1 + k / c)) for k in (1, 2))
        return first, second - first ** 2


@beside_its_arrays
class _Pareto(_Distribution):
    """Pareto's distribution of shape b."""

    shapes, low = ("b",), 1.0

    def _middle(self, *shapes) -> float:
        return 2.0

    def _logpdf(self, y, b) -> ndarray:
        return cuprite.log(b) - (b + 1) * cuprite.log(y)

    def _cdf(self, y, b) -> ndarray:
        return 1 - y ** -b

    def _sf(self, y, b) -> ndarray:
        return y ** -b

    def _ppf(self, q, b) -> ndarray:
        return (1 - q) ** (-1.0 / b)

    def _isf(self, q, b) -> ndarray:
        return q ** (-1.0 / b)

    def _moments(self, b) -> tuple[ndarray, ndarray]:
        return (cuprite.where(b > 1, b / (b - 1), numpy.inf),
                cuprite.where(b > 2, b / ((b - 2.0) * (b - 1.0) ** 2), numpy.inf))


@beside_its_arrays
class _Rayleigh(_Distribution):
    """Rayleigh's distribution."""

    low = 0.0

    def _logpdf(self, y) -> ndarray:
        return cuprite.log(y) - 0.5 * y * y

    def _cdf(self, y) -> ndarray:
        return -cuprite.expm1(-0.5 * y ** 2)

    def _sf(self, y) -> ndarray:
        return cuprite.exp(-0.5 * y * y)

    def _ppf(self, q) -> ndarray:
        return cuprite.sqrt(-2 * cuprite.log1p(-q))

    def _isf(self, q) -> ndarray:
        return cuprite.sqrt(-2 * cuprite.log(q))

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.full((), math.sqrt(math.pi / 2)), cuprite.full((), 2 - math.pi / 2)


@beside_its_arrays
class _Gumbel(_Distribution):
    """Gumbel's distribution of largest values."""

    def _logpdf(self, y) -> ndarray:
        return -y - cuprite.exp(-y)

    def _cdf(self, y) -> ndarray:
        return cuprite.exp(-cuprite.exp(-y))

    def _sf(self, y) -> ndarray:
        return -cuprite.expm1(-cuprite.exp(-y))

    def _ppf(self, q) -> ndarray:
        return -cuprite.log(-cuprite.log(q))

    def _isf(self, q) -> ndarray:
        return -cuprite.log(-cuprite.log1p(-q))

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.full((), 0.5772156649015329), cuprite.full((), math.pi ** 2 / 6)


norm, uniform, expon = _Norm("norm"), _Uniform("uniform"), _Expon("expon")
gamma, chi2, beta = _Gamma("gamma"), _Chi2("chi2"), _Beta("beta")
t, f, lognorm = _T("t"), _F("f"), _Lognorm("lognorm")
cauchy, laplace, logistic = _Cauchy("cauchy"), _Laplace("laplace"), _Logistic("logistic")
weibull_min, pareto, rayleigh = _WeibullMin("weibull_min"), _Pareto("pareto"), _Rayleigh("rayleigh")
gumbel_r = _Gumbel("gumbel_r")
