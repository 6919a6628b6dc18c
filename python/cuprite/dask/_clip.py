"""Kappa-sigma clipping of an array in chunks, with cuprite.sigma_clip_stats's result.

A sample is clipped first. It predicts a core that no bound will reach, and inside of it a window in which all medians
will lie. In one pass each chunk sums its core, and returns the values outside of it and those in the window, a few
percent of the elements; where they are many they repeat, and go with their numbers. The iterations then need no chunk.
Where the prediction fails, the pass is repeated with a smaller core and a wider window; an empty core holds for
anything.
"""
import math
import types

import numpy

import cuprite
from cuprite.dask._chunks import Chunks

_SAMPLE = 1 << 18
_FIELDS = ("center", "std", "lower", "upper", "count", "iterations")


def _sampled(block, step):
    return cuprite.asarray(block).reshape(-1)[::step].copy()


def _pairs(values, size):
    """The values; where they are many of `size`, the distinct ones and how often each occurs."""
    if values.size * 8 < size:
        return values, None
    return cuprite.unique(values, return_counts=True) if values.size else (values, None)


def _parts(block, plan):
    """What the iterations need of a chunk: number, mean and variance of the core, how much of it lies below the window,
    the fringe and the window."""
    x = cuprite.asarray(block).reshape(-1)
    if x.dtype.kind != "f":
        x = x.astype(float)
    inside = x > plan.core[0]
    inside &= x < plan.core[1]
    core, fringe = x[inside], x[~inside]
    n = core.size
    moments = (n, float(cuprite.mean(core, dtype=float)), float(cuprite.var(core, dtype=float))) if n else (0, 0.0, 0.0)
    above = core > plan.window[0]
    below = n - int(cuprite.count_nonzero(above)) if n else 0
    above &= core < plan.window[1]
    return moments, below, _pairs(fringe[fringe == fringe], x.size), _pairs(core[above], x.size)


class _Sorted:
    """The values of all chunks in order, on the current device, as float64. `upto[i]`: how many lie before value i."""

    def __init__(self, pairs):
        every = cuprite.concatenate([cuprite.asarray(v) for v, _ in pairs])
        self.number = None
        if all(n is None for _, n in pairs):
            self.value = cuprite.sort(every).astype(float)
        else:
            number = cuprite.concatenate([cuprite.ones(len(v), int) if n is None else cuprite.asarray(n)
                                          for v, n in pairs])
            order = cuprite.argsort(every)
            self.value, self.number = every[order].astype(float), number[order]
            self._upto = cuprite.concatenate([cuprite.zeros(1, int), cuprite.cumsum(self.number)])
        self.size = self.value.size

    def upto(self, i):
        return i if self.number is None else int(self._upto[i])

    def position(self, bound, side):
        return int(cuprite.searchsorted(self.value, cuprite.asarray(bound, float), side=side))

    def ranked(self, k):
        """The k-th of all, from 0."""
        if self.number is not None:
            k = int(cuprite.searchsorted(self._upto, cuprite.asarray(k), side="right")) - 1
        return float(self.value[k])

    def moments(self, i, j):
        """Number, mean and sum of squared differences of the values i to j."""
        v, n = self.value[i:j], self.upto(j) - self.upto(i)
        if not n:
            return 0, 0.0, 0.0
        if self.number is None:
            return n, float(v.mean()), float(v.var()) * n
        number = self.number[i:j]
        mean = float((v * number).sum()) / n
        return n, mean, float(((v - mean) ** 2 * number).sum())


def _together(parts):
    """Number, mean and sum of squared differences of several."""
    n = sum(p[0] for p in parts)
    if not n:
        return 0, math.nan, math.nan
    origin = next(p[1] for p in parts if p[0])  # differences of large numbers lose less
    mean = origin + math.fsum(p[0] * (p[1] - origin) for p in parts if p[0]) / n
    return n, mean, math.fsum(p[2] + p[0] * (p[1] - mean) ** 2 for p in parts if p[0])


class _Failed(Exception):
    """The core or the window was too narrow for what is asked."""


class _Data:
    """All that the chunks returned."""

    def __init__(self, parts, plan):
        self.plan = plan
        self.core = _together([(n, mean, var * n) for (n, mean, var), *_ in parts])
        self.n, self.below = self.core[0], sum(p[1] for p in parts)
        self.fringe, self.window = _Sorted([p[2] for p in parts]), _Sorted([p[3] for p in parts])
        self.left = self.fringe.position(plan.core[0], "right")  # the rest lies above the core

    def _rank(self, k, i, j):
        """The k-th value of what is kept: the fringe's values i to j, and the core."""
        f = self.fringe
        low = f.upto(self.left) - f.upto(i)
        if k < low:
            return f.ranked(f.upto(i) + k)
        if k >= low + self.n:
            return f.ranked(f.upto(i) + k - self.n)
        k -= low + self.below
        if not 0 <= k < self.window.upto(self.window.size):
            raise _Failed
        return self.window.ranked(k)

    def kept(self, lower, upper):
        """Count, median, mean and standard deviation of the values between the bounds; of all without bounds."""
        f = self.fringe
        i, j = 0, f.size
        if lower is not None:
            i = f.position(lower, "right")
            j = max(i, f.position(upper, "left"))
            if self.n and not (lower <= self.plan.core[0] and upper >= self.plan.core[1]):
                raise _Failed
        at = min(max(self.left, i), j)  # the two sides are summed alone: each is narrow
        n, mean, squares = _together([self.core, f.moments(i, at), f.moments(at, j)])
        if not n:
            return 0, math.nan, math.nan, math.nan
        return n, (self._rank((n - 1) // 2, i, j), self._rank(n // 2, i, j)), mean, math.sqrt(squares / n)


def _clip(data, rule, kappa, center, most):
    """The iterations; the bounds are computed in the precision of `rule`, as sigma_clip_stats does."""
    def rounded(v):
        return float(v if rule.itemsize == 8 else rule.type(numpy.float32(v)))

    lower = upper = count = None
    result = ()
    for i in range(1 << 30):
        n, middle, mean, std = data.kept(lower, upper)
        if not n:
            break
        if n == count:
            return (*result[:5], i)
        count = n
        with numpy.errstate(all="ignore"):
            if center == "median":
                low, high = middle
                mean = (low + high) / 2 if rule.itemsize == 8 else (numpy.float32(low) + numpy.float32(high)) / 2
            c, s = rounded(mean), rounded(std)
            width = rounded(rounded(kappa) * s)
            result = (c, s, rounded(c - width), rounded(c + width), n, i)
        if i and i == most:
            return result
        if math.isnan(result[2]) or math.isnan(result[3]):
            i += 1
            break
        lower, upper = (max(lower, result[2]), min(upper, result[3])) if i else result[2:4]
    return (math.nan,) * 4 + (0, i)


def _predict(sample, kappa, rim, center):
    """The core and the window that a sorted sample suggests: those of its own iterations with some space around them.
    They are values of the array's type, so that a chunk compares with what is compared with later."""
    of_type = sample.dtype.type if sample.dtype.kind == "f" else float
    plan = types.SimpleNamespace(core=(math.inf, -math.inf), window=(math.inf, -math.inf))
    x = sample.astype(float)
    medians = []
    while x.size > 100:
        middle, std = float(x[x.size // 2]), float(x.std())
        medians.append(middle)
        about = float(x.mean()) if center == "mean" else middle
        bounds = cuprite.asarray([about - kappa * std, about + kappa * std])
        i, j = (int(at) for at in cuprite.searchsorted(x, bounds).get())
        if not std > 0 or j - i == x.size:
            break
        x = x[i:j]
    if x.size <= 100 or not std > 0 or rim >= 0.5:
        return plan
    space = 2 * rim * kappa * std
    spread = 250 * rim * std / math.sqrt(x.size)
    plan.core = float(of_type(about - kappa * std + space)), float(of_type(about + kappa * std - space))
    plan.window = (max(plan.core[0], float(of_type(min(medians) - spread))),
                   min(plan.core[1], float(of_type(max(medians) + spread))))
    return plan


def sigma_clip_stats(x, kappa=3, center="median", max_iterations=0):
    """Kappa-sigma clipping of an array of Dask's: computes what cuprite.sigma_clip_stats does of the whole, passing
    once over the chunks.

    Parameters: x: an array of Dask's, of real numbers; kappa: how many standard deviations are kept, above 0; center:
        'median' or 'mean'; max_iterations: the most passes, 0: until nothing is dropped.

    Errors: TypeError for complex numbers; ValueError for an unknown center.
    """
    empty = cuprite.sigma_clip_stats(cuprite.empty(0, x.dtype), kappa, center, max_iterations)  # checks the arguments
    rule = x.dtype if x.dtype.kind == "f" else numpy.dtype(float)
    if not x.size:
        return empty
    chunks = Chunks(x)
    step = max(1, math.prod(x.shape) // _SAMPLE)
    sample = cuprite.concatenate([cuprite.asarray(s) for s in chunks.compute(_sampled, step)])
    sample = cuprite.sort(sample[cuprite.isfinite(sample)])
    for rim in (0.02, 0.2, 1):
        plan = _predict(sample, kappa, rim, center)
        parts = chunks.compute(_parts, plan)
        try:
            return type(empty)(*_clip(_Data(parts, plan), rule, kappa, center, max_iterations))
        except _Failed:
            if rim == 1:  # everything is kept: it cannot fail
                raise
