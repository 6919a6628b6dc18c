"""Kappa-sigma clipping of an array in chunks, with cuprite.sigma_clip_stats's result.

A sample is clipped first. It predicts a core that no bound will reach, and inside of it a window in which all medians
will lie. In one pass each chunk sums its core, and returns the values outside of it and those in the window, each value
once with its number: a few percent of the elements. The iterations then need no chunk. Where the prediction fails, the
pass is repeated with a smaller core and a wider window; an empty core holds for anything, and integers have few values.
"""
import math
import types

import dask
import numpy

import cuprite

_SAMPLE = 1 << 18
_FIELDS = ("center", "std", "lower", "upper", "count", "iterations")


def _sampled(block, step):
    return cuprite.asnumpy(cuprite.asarray(block).reshape(-1)[::step])


def _pairs(values):
    """Sorted distinct values and how often each occurs, on the host."""
    if not values.size:
        return numpy.empty(0), numpy.empty(0, int)
    return tuple(cuprite.asnumpy(a) for a in cuprite.unique(values, return_counts=True))


def _parts(block, plan):
    """What the iterations need of a chunk."""
    x = cuprite.asarray(block).reshape(-1)
    if x.dtype.kind != "f":
        x = x.astype(float)
    inside = x > plan.core[0]
    inside &= x < plan.core[1]
    core, fringe = x[inside], x[~inside]
    d = cuprite.subtract(core, plan.pivot, dtype=float)
    above = core > plan.window[0]
    below = core.size - int(cuprite.count_nonzero(above)) if core.size else 0
    above &= core < plan.window[1]
    return core.size, float(d.sum()), float(d @ d), below, _pairs(fringe[fringe == fringe]), _pairs(core[above])


class _Weighted:
    """Sorted values with their numbers."""

    def __init__(self, pairs):
        value = numpy.concatenate([p[0] for p in pairs]).astype(float)
        number = numpy.concatenate([p[1] for p in pairs])
        order = cuprite.asnumpy(cuprite.argsort(cuprite.asarray(value)))
        self.value, self.number = value[order], number[order]
        self.upto = numpy.concatenate([[0], numpy.cumsum(self.number)])

    def ranked(self, k):
        """The k-th of all, from 0."""
        return self.value[numpy.searchsorted(self.upto, k, side="right") - 1]


def _moments(n, s1, s2, pivot):
    m = s1 / n
    return pivot + m, math.sqrt(max(s2 - s1 * m, 0) / n)


class _Failed(Exception):
    """The core or the window was too narrow for what is asked."""


class _Data:
    """All that the chunks returned."""

    def __init__(self, parts, plan):
        self.plan = plan
        self.n, self.s1, self.s2, self.below = (f([p[i] for p in parts]) for i, f in
                                                enumerate((sum, math.fsum, math.fsum, sum)))
        self.fringe, self.window = _Weighted([p[4] for p in parts]), _Weighted([p[5] for p in parts])
        self.left = numpy.searchsorted(self.fringe.value, plan.core[0], side="right")  # the rest lies above the core

    def _rank(self, k, i, j):
        """The k-th value of what is kept: the fringe's values i to j, and the core."""
        f = self.fringe
        low = f.upto[self.left] - f.upto[i]
        if k < low:
            return f.ranked(f.upto[i] + k)
        if k >= low + self.n:
            return f.ranked(f.upto[i] + k - self.n)
        k -= low + self.below
        if not 0 <= k < self.window.upto[-1]:
            raise _Failed
        return self.window.ranked(k)

    def kept(self, lower, upper):
        """Count, median, mean and standard deviation of the values between the bounds; of all without bounds."""
        f = self.fringe
        i, j = 0, f.value.size
        if lower is not None:
            i = numpy.searchsorted(f.value, lower, side="right")
            j = max(i, numpy.searchsorted(f.value, upper, side="left"))
            if self.n and not (lower <= self.plan.core[0] and upper >= self.plan.core[1]):
                raise _Failed
        d, number = f.value[i:j] - self.plan.pivot, f.number[i:j]
        n = int(self.n + f.upto[j] - f.upto[i])
        if not n:
            return 0, math.nan, math.nan, math.nan
        with numpy.errstate(all="ignore"):
            s1, s2 = self.s1 + (d * number).sum(), self.s2 + (d * d * number).sum()
            mean, std = _moments(n, s1, s2, self.plan.pivot)
        middle = self._rank((n - 1) // 2, i, j), self._rank(n // 2, i, j)
        return n, middle, mean, std


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
    """The core and the window that a sample suggests: those of its own iterations with some space around them. They are
    values of the array's type, so that a chunk compares with what is compared with later."""
    of_type = sample.dtype.type if sample.dtype.kind == "f" else float
    plan = types.SimpleNamespace(core=(math.inf, -math.inf), window=(math.inf, -math.inf), pivot=0.0)
    x = sample[numpy.isfinite(sample)].astype(float)
    if x.size:
        plan.pivot = float(numpy.median(x))
    medians = []
    while x.size > 100:
        middle, std = numpy.median(x), x.std()
        medians.append(middle)
        about = x.mean() if center == "mean" else middle
        kept = x[(x > about - kappa * std) & (x < about + kappa * std)]
        if kept.size == x.size:
            break
        x = kept
    if x.size <= 100 or not std > 0 or rim >= 0.5:
        return plan
    space = 2 * rim * kappa * std
    spread = 250 * rim * std / math.sqrt(x.size)
    plan.core = float(of_type(about - kappa * std + space)), float(of_type(about + kappa * std - space))
    plan.window = (max(plan.core[0], float(of_type(min(medians) - spread))),
                   min(plan.core[1], float(of_type(max(medians) + spread))))
    plan.pivot = float(middle)
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
    blocks = list(x.to_delayed().ravel())
    if not blocks:
        return empty
    step = max(1, math.prod(x.shape) // _SAMPLE)
    sample = numpy.concatenate(dask.compute(*[dask.delayed(_sampled)(b, step) for b in blocks]))
    for rim in (0.02, 0.2, 1):
        plan = _predict(sample, kappa, rim, center)
        parts = dask.compute(*[dask.delayed(_parts)(b, plan) for b in blocks])
        try:
            return type(empty)(*_clip(_Data(parts, plan), rule, kappa, center, max_iterations))
        except _Failed:
            if rim == 1:  # everything is kept: it cannot fail
                raise
