"""Distributions: densities, distribution functions and their inverses over cuprite.scipy.special, random numbers."""
from __future__ import annotations

import math

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy import special as sc
from cuprite.scipy.stats._distribution import Distribution

_ROOT = math.sqrt(2 * math.pi)


@beside_its_arrays
class _Norm(Distribution):
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
class _Uniform(Distribution):
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
class _Expon(Distribution):
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
class _Gamma(Distribution):
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
class _Chi2(Distribution):
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
class _Beta(Distribution):
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
class _T(Distribution):
    """Student's distribution of df degrees of freedom."""

    shapes = ("df",)

    def _logpdf(self, y, df) -> ndarray:
        many = df > 1e20    # it is the normal distribution then, to rounding
        less = cuprite.where(many, 1.0, df)
        found = (cuprite.log(sc.poch(less / 2, 0.5)) - 0.5 * cuprite.log(less * math.pi)
                 - (less + 1) / 2 * cuprite.log1p(y ** 2 / less))
        return cuprite.where(many, norm._logpdf(y), found)

    def _cdf(self, y, df) -> ndarray:
        return sc.stdtr(df, y)

    def _sf(self, y, df) -> ndarray:
        return sc.stdtr(df, -y)

    def _ppf(self, q, df) -> ndarray:
        return sc.stdtrit(df, q)

    def _isf(self, q, df) -> ndarray:
        return -self._ppf(q, df)

    def _moments(self, df) -> tuple[ndarray, ndarray]:
        variance = cuprite.where(df > 2, df / cuprite.where(df > 2, df - 2, 1.0),
                                 cuprite.where(df > 1, cuprite.inf, cuprite.nan))
        variance = cuprite.where(cuprite.isinf(df), 1.0, variance)
        return cuprite.where(df > 1, 0.0, cuprite.inf), variance

    def _draw(self, rng, size, df) -> ndarray:
        return rng.standard_t(df, size)


@beside_its_arrays
class _F(Distribution):
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
        more = cuprite.where(d > 4, d - 4, cuprite.nan)
        return cuprite.where(d > 2, d / (d - 2), cuprite.inf), 2 * d ** 2 * (n + d - 2) / (n * (d - 2) ** 2 * more)

    def _draw(self, rng, size, n, d) -> ndarray:
        return rng.f(n, d, size)


@beside_its_arrays
class _Lognorm(Distribution):
    """The distribution of the exponential of normal numbers of standard deviation s."""

    shapes, low = ("s",), 0.0

    def _logpdf(self, y, s) -> ndarray:
        logs = cuprite.log(y)
        return cuprite.where(y > 0, -logs ** 2 / (2 * s ** 2) - cuprite.log(s * y * _ROOT), -cuprite.inf)

    def _cdf(self, y, s) -> ndarray:
        return sc.ndtr(cuprite.log(y) / s)

    def _sf(self, y, s) -> ndarray:
        return sc.ndtr(-cuprite.log(y) / s)

    def _logcdf(self, y, s) -> ndarray:
        return sc.log_ndtr(cuprite.log(y) / s)

    def _logsf(self, y, s) -> ndarray:
        return sc.log_ndtr(-cuprite.log(y) / s)

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
class _Cauchy(Distribution):
    """Cauchy's distribution."""

    def _logpdf(self, y) -> ndarray:
        size = abs(y)   # whose square may be infinite
        return -math.log(math.pi) - cuprite.where(size > 1e10, 2 * cuprite.log(size), cuprite.log1p(y * y))

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
        return cuprite.full((), cuprite.nan), cuprite.full((), cuprite.nan)


@beside_its_arrays
class _Laplace(Distribution):
    """Laplace's distribution."""

    def _logpdf(self, y) -> ndarray:
        return -abs(y) - math.log(2)

    def _cdf(self, y) -> ndarray:
        return cuprite.where(y > 0, 1.0 - 0.5 * cuprite.exp(-abs(y)), 0.5 * cuprite.exp(-abs(y)))

    def _sf(self, y) -> ndarray:
        return self._cdf(-y)

    def _logcdf(self, y) -> ndarray:
        return cuprite.where(y > 0, cuprite.log1p(-0.5 * cuprite.exp(-abs(y))), -abs(y) - math.log(2))

    def _logsf(self, y) -> ndarray:
        return self._logcdf(-y)

    def _ppf(self, q) -> ndarray:
        return cuprite.where(q > 0.5, -cuprite.log(2 * (1 - q)), cuprite.log(2 * q))

    def _isf(self, q) -> ndarray:
        return -self._ppf(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.zeros(()), cuprite.full((), 2.0)

    def _draw(self, rng, size) -> ndarray:
        return rng.laplace(0, 1, size)


@beside_its_arrays
class _Logistic(Distribution):
    """The logistic distribution."""

    def _logpdf(self, y) -> ndarray:
        y = -abs(y)
        return y - 2.0 * cuprite.log1p(cuprite.exp(y))

    def _cdf(self, y) -> ndarray:
        return sc.expit(y)

    def _sf(self, y) -> ndarray:
        return sc.expit(-y)

    def _logcdf(self, y) -> ndarray:
        return sc.log_expit(y)

    def _logsf(self, y) -> ndarray:
        return sc.log_expit(-y)

    def _ppf(self, q) -> ndarray:
        return sc.logit(q)

    def _isf(self, q) -> ndarray:
        return -sc.logit(q)

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.zeros(()), cuprite.full((), math.pi ** 2 / 3)

    def _draw(self, rng, size) -> ndarray:
        return rng.logistic(0, 1, size)


@beside_its_arrays
class _WeibullMin(Distribution):
    """Weibull's distribution of shape c."""

    shapes, low = ("c",), 0.0

    def _logpdf(self, y, c) -> ndarray:
        return cuprite.log(c) + sc.xlogy(c - 1, y) - y ** c

    def _cdf(self, y, c) -> ndarray:
        return -cuprite.expm1(-y ** c)

    def _sf(self, y, c) -> ndarray:
        return cuprite.exp(-y ** c)

    def _logsf(self, y, c) -> ndarray:
        return -y ** c

    def _ppf(self, q, c) -> ndarray:
        return (-cuprite.log1p(-q)) ** (1.0 / c)

    def _isf(self, q, c) -> ndarray:
        return (-cuprite.log(q)) ** (1.0 / c)

    def _moments(self, c) -> tuple[ndarray, ndarray]:
        first, second = (cuprite.exp(sc.gammaln(1 + k / c)) for k in (1, 2))
        return first, second - first ** 2


@beside_its_arrays
class _Pareto(Distribution):
    """Pareto's distribution of shape b."""

    shapes, low = ("b",), 1.0

    def _middle(self, *shapes) -> float:
        return 2.0

    def _logpdf(self, y, b) -> ndarray:
        return cuprite.log(b) - (b + 1) * cuprite.log(y)

    def _cdf(self, y, b) -> ndarray:
        return -cuprite.expm1(-b * cuprite.log(y))

    def _sf(self, y, b) -> ndarray:
        return y ** -b

    def _logsf(self, y, b) -> ndarray:
        return -b * cuprite.log(y)

    def _ppf(self, q, b) -> ndarray:
        return (1 - q) ** (-1.0 / b)

    def _isf(self, q, b) -> ndarray:
        return q ** (-1.0 / b)

    def _moments(self, b) -> tuple[ndarray, ndarray]:
        return (cuprite.where(b > 1, b / (b - 1), cuprite.inf),
                cuprite.where(b > 2, b / ((b - 2.0) * (b - 1.0) ** 2), cuprite.inf))


@beside_its_arrays
class _Rayleigh(Distribution):
    """Rayleigh's distribution."""

    low = 0.0

    def _logpdf(self, y) -> ndarray:
        return cuprite.log(y) - 0.5 * y * y

    def _cdf(self, y) -> ndarray:
        return -cuprite.expm1(-0.5 * y ** 2)

    def _sf(self, y) -> ndarray:
        return cuprite.exp(-0.5 * y * y)

    def _logsf(self, y) -> ndarray:
        return -0.5 * y * y

    def _ppf(self, q) -> ndarray:
        return cuprite.sqrt(-2 * cuprite.log1p(-q))

    def _isf(self, q) -> ndarray:
        return cuprite.sqrt(-2 * cuprite.log(q))

    def _moments(self) -> tuple[ndarray, ndarray]:
        return cuprite.full((), math.sqrt(math.pi / 2)), cuprite.full((), 2 - math.pi / 2)


@beside_its_arrays
class _Gumbel(Distribution):
    """Gumbel's distribution of largest values."""

    def _logpdf(self, y) -> ndarray:
        return -y - cuprite.exp(-y)

    def _cdf(self, y) -> ndarray:
        return cuprite.exp(-cuprite.exp(-y))

    def _sf(self, y) -> ndarray:
        return -cuprite.expm1(-cuprite.exp(-y))

    def _logcdf(self, y) -> ndarray:
        return -cuprite.exp(-y)

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
