"""What distributions have in common: parameters, location and scale, and methods over functions of the standard one."""
from __future__ import annotations

import math

import cuprite
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy._generators import generator
from cuprite.scipy.stats._arrays import floating
from cuprite.scipy.stats._by_scipy import BySciPy


@beside_its_arrays
class Distribution(BySciPy):
    """A distribution with parameters of its shape, a location and a scale. Subclasses have functions of the standard
    one: `_logpdf` (`_logpmf`), `_cdf`, `_sf`, `_ppf`, `_isf`, `_moments` and `_draw`."""

    shapes = ()
    low, high = -math.inf, math.inf
    discrete = False

    def __init__(self, name):
        self.name = name

    def __call__(self, *args, **kwds) -> Frozen:
        """The distribution with parameters that are fixed.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return Frozen(self, args, kwds)

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
        inside = (y >= low) & (y <= high) & cuprite.isfinite(y)
        found = function(cuprite.where(inside, y, self._middle(*shapes)), *shapes)
        found = cuprite.where(inside, found, cuprite.where(y < high, below, above))
        return cuprite.where(good & ~cuprite.isnan(y), found, cuprite.nan), scale

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
        return self._log(self._cdf(y, *shapes), self._sf, y, shapes)

    def logsf(self, x, *args, **kwds) -> ndarray:
        """The logarithm of one less the distribution function.

        Parameters: x: where; args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        return self._of(x, args, kwds, self._logsf, 0.0, -math.inf)[0]

    def _logsf(self, y, *shapes) -> ndarray:
        return self._log(self._sf(y, *shapes), self._cdf, y, shapes)

    @staticmethod
    def _log(p, rest, y, shapes):
        """The logarithm of a probability: near 1 by the rest's digits."""
        return cuprite.where(p > 0.5, cuprite.log1p(-rest(y, *shapes)), cuprite.log(p))

    def _inverse(self, q, args, kwds, function, at_0, at_1) -> ndarray:
        _, shapes, loc, scale, good = self._read(args, kwds)
        q, good, *shapes = cuprite.broadcast_arrays(floating(q), good, *shapes)
        ends = self._support(*shapes)
        found = function(cuprite.where((q > 0) & (q < 1), q, 0.5), *shapes)
        found = cuprite.where(q == 0, ends[at_0], cuprite.where(q == 1, ends[at_1], found))
        return cuprite.where(good & (q >= 0) & (q <= 1), found * scale + loc, cuprite.nan)

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
        whole = cuprite.broadcast_arrays(*shapes, loc, scale)[0].shape
        size = whole if size is None else size
        drawn = self._draw(rng, size, *(float(v) if v.ndim == 0 else v for v in shapes))
        return drawn * scale + loc if not self.discrete else drawn + loc.astype("int64")

    def _draw(self, rng, size, *shapes) -> ndarray:
        return self._ppf(rng.random(size), *map(floating, shapes))

    def mean(self, *args, **kwds) -> ndarray:
        """The mean.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        _, shapes, loc, scale, good = self._read(args, kwds)
        return cuprite.where(good, self._moments(*shapes)[0] * scale + loc, cuprite.nan)

    def var(self, *args, **kwds) -> ndarray:
        """The variance.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        _, shapes, loc, scale, good = self._read(args, kwds)
        return cuprite.where(good & (loc == loc), self._moments(*shapes)[1] * scale ** 2, cuprite.nan)

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
        Errors: ValueError for a part below 0 or above 1.
        """
        part = floating(confidence)
        if bool(((part < 0) | (part > 1)).any()):
            raise ValueError("alpha must be between 0 and 1 inclusive")
        return self.ppf((1 - part) / 2, *args, **kwds), self.ppf((1 + part) / 2, *args, **kwds)

    def support(self, *args, **kwds) -> tuple[ndarray, ndarray]:
        """(low, high): where the density is not 0.

        Parameters: args: the shape's parameters, loc and scale; kwds: the same by their names.
        """
        _, shapes, loc, scale, good = self._read(args, kwds)
        good, loc, scale, *shapes = cuprite.broadcast_arrays(good, loc, scale, *shapes)
        return tuple(cuprite.where(good, end * scale + loc, cuprite.nan) for end in self._support(*shapes))


class Frozen:
    """A distribution with parameters that are fixed."""

    def __init__(self, dist, args, kwds):
        dist._read(args, kwds)
        self.dist, self.args, self.kwds = dist, args, kwds

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        method = getattr(self.dist, name)
        if name == "expect":
            return lambda func=None, lb=None, ub=None, conditional=False, **kwds: self._expect(
                func, lb, ub, conditional, kwds)
        if name not in _FROZEN:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

        def call(*args, **options):
            names = _FROZEN[name]
            if len(args) > len(names):
                raise TypeError(f"{name}() takes at most {len(names)} arguments but {len(args)} were given")
            twice = [n for n in names[:len(args)] if n in options]
            if twice:
                raise TypeError(f"{name}() got multiple values for argument '{twice[0]}'")
            options = dict(zip(names, args), **options)
            needed = [n for n in names[:1] if n not in ("size", "moments")]
            if any(n not in options for n in needed):
                raise TypeError(f"{name}() missing 1 required positional argument: '{needed[0]}'")
            first = [options.pop(n) for n in needed]
            return method(*first, *self.args, **options, **self.kwds)
        return call

    def __dir__(self):
        return [*super().__dir__(), *_FROZEN, "expect"]

    def _expect(self, func, lb, ub, conditional, kwds):
        given, names = self.dist._read(self.args, self.kwds)[0], self.dist.shapes
        shapes = tuple(given[n] for n in names)
        return self.dist.expect(func, shapes, given.get("loc", 0), given.get("scale", 1), lb, ub, conditional, **kwds)


_FROZEN = {  # methods of a frozen distribution: their arguments
    **dict.fromkeys(("pdf", "logpdf", "cdf", "logcdf", "sf", "logsf"), ("x",)), "ppf": ("q",), "isf": ("q",),
    **dict.fromkeys(("mean", "var", "std", "median", "support", "entropy"), ()), "interval": ("confidence",),
    "moment": ("order",), "rvs": ("size", "random_state"), "stats": ("moments",),
}
