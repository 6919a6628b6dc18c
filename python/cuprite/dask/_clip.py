"""Kappa-sigma clipping of an array in chunks, with cuprite.sigma_clip_stats's result.

A sample is clipped first. It predicts a core that no bound will reach, inside of it a window in which all medians will
lie, and outside of it windows for the bounds of each iteration. In one pass each chunk returns the values in the
windows, about a percent, and the moments of the core and of the gaps between windows; where values are many they
repeat, and go with their numbers. The iterations then need no chunk. Where the prediction fails, the pass is repeated
with a smaller core, a wider window, and all values outside; an empty core holds for anything.
"""
import bisect
import math
import types

import numpy

import cuprite
from cuprite import _clip as clip
from cuprite.dask._chunks import Chunks, check_chunks

_SAMPLE = 1 << 18, 1 << 22  # of an array of less than 2^26 elements, and the most
_FIELDS = ("center", "std", "lower", "upper", "count", "iterations")


def _sampled(block, step):
    return cuprite.asarray(block).reshape(-1)[::step].copy()


def _pairs(values, size):
    """The values; where they are many of `size`, the distinct ones and how often each occurs."""
    if values.size * 8 < size:
        return values, None
    return cuprite.unique(values, return_counts=True) if values.size else (values, None)


def _cut(values, edges):
    """Number, mean and sum of squared differences of the values in each gap between windows, and those in windows.

    Parameters: edges: begin and end of each window, in order; None: all is a window."""
    if edges is None:
        return (), values
    at = cuprite.searchsorted(cuprite.asarray(edges), values.astype(float), side="right")
    inside = (at & 1).astype(bool)
    gap, v = (at >> 1)[~inside], values[~inside].astype(float)
    size = len(edges) // 2 + 1
    n = cuprite.bincount(gap, minlength=size)
    mean = cuprite.bincount(gap, v, size) / cuprite.maximum(n, 1)
    squares = cuprite.bincount(gap, (v - mean[gap]) ** 2, size)
    return tuple(zip(n.tolist(), mean.tolist(), squares.tolist())), values[inside]


def _parts(block, plan):
    """What the iterations need of a chunk: number, mean and sum of squared differences of the core, how much of it lies
    below the window, the same of the gaps, the values outside of the core that are needed, and the window's."""
    x = cuprite.asarray(block)
    pivot = sum(plan.window) / 2 if math.isfinite(sum(plan.window)) else 0.0
    n, below, s1, s2, fringe, window = clip.sigma_clip_split(x, *plan.core, *plan.window, pivot)
    moments = (n, pivot + s1 / n, max(s2 - s1 * s1 / n, 0) if s2 < math.inf else s2) if n else (0, 0, 0)
    gaps, fringe = _cut(fringe, plan.edges)
    return moments, below, gaps, _pairs(fringe, x.size), _pairs(window, x.size)


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
    parts = [p for p in parts if p[0]]
    n = sum(p[0] for p in parts)
    if not n:
        return 0, math.nan, math.nan
    if not all(math.isfinite(v) for p in parts for v in p):
        mean = sum(p[0] / n * p[1] for p in parts)
        return n, mean, sum(p[2] for p in parts) if math.isfinite(mean) else math.nan
    origin = parts[0][1]  # differences of large numbers lose less
    mean = origin + math.fsum(p[0] * (p[1] - origin) for p in parts) / n
    return n, mean, math.fsum(p[2] + p[0] * (p[1] - mean) ** 2 for p in parts)


class _Failed(Exception):
    """The core or a window was too narrow for what is asked."""


class _Data:
    """All that the chunks returned."""

    def __init__(self, parts, plan):
        self.plan = plan
        self.core = _together([p[0] for p in parts])
        self.n, self.below = self.core[0], sum(p[1] for p in parts)
        self.gaps = [_together(of_chunks) for of_chunks in zip(*[p[2] for p in parts])]
        self.fringe, self.window = _Sorted([p[3] for p in parts]), _Sorted([p[4] for p in parts])
        self.left = self.fringe.position(plan.core[0], "right")  # the rest lies above the core

    def _gaps_between(self, lower, upper):
        """The gaps before and after the core, which bounds in windows leave."""
        edges = self.plan.edges
        if edges is None:
            return [], []
        first, end = 0, len(self.gaps)
        if lower is not None:
            a, b = bisect.bisect_right(edges, lower), bisect.bisect_right(edges, upper)
            if not a % 2 or not b % 2:
                raise _Failed
            first, end = (a + 1) // 2, (b + 1) // 2
        middle = bisect.bisect_right(edges, self.plan.core[0]) // 2 + 1
        return self.gaps[first:middle], self.gaps[middle:end]

    def _rank(self, k, i, j, before):
        """The k-th value of what is kept: the fringe's values i to j, so many before the core in gaps, and the core."""
        f = self.fringe
        low = f.upto(self.left) - f.upto(i) + before
        if self.plan.edges is None and k < low:
            return f.ranked(f.upto(i) + k)
        if self.plan.edges is None and k >= low + self.n:
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
        before, after = self._gaps_between(lower, upper)
        at = min(max(self.left, i), j)  # the two sides are summed alone: each is narrow
        n, mean, squares = _together([self.core, f.moments(i, at), f.moments(at, j), *before, *after])
        if not n:
            return 0, math.nan, math.nan, math.nan
        before = sum(g[0] for g in before)
        middle = self._rank((n - 1) // 2, i, j, before), self._rank(n // 2, i, j, before)
        return n, middle, mean, math.sqrt(squares / n)


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


def _joined(windows):
    """Windows that do not overlap, as a list of begins and ends."""
    edges = []
    for begin, end in sorted(windows):
        if edges and begin <= edges[-1]:
            edges[-1] = max(edges[-1], end)
        else:
            edges += [begin, end]
    return edges


def _edges(steps, core, space):
    """Windows for the bounds of each iteration: six times what a sample errs by, and the last ones reach to the core.

    Parameters: steps: lower and upper bound of each of the sample's iterations, and their error."""
    if not all(math.isfinite(v) for step in steps for v in step):
        return None
    low = [(a - 6 * e, a + 6 * e) for a, _, e in steps] + [(core[0] - 2 * space, core[0])]
    high = [(b - 6 * e, b + 6 * e) for _, b, e in steps] + [(core[1], core[1] + 2 * space)]
    wild = [i for i, (a, b, e) in enumerate(steps) if 60 * e > b - a]  # of a few large values, or of none by chance
    if wild:
        low.append((-math.inf, low[wild[-1] + 1][1]))
        high.append((high[wild[-1] + 1][0], math.inf))
    upto = math.nextafter(core[0], math.inf)  # windows end before their ends
    return (_joined((a, min(b, upto) if b < core[0] else upto) for a, b in low if a <= core[0]) +
            _joined((max(a, core[1]), b) for a, b in high if b > core[1]))


def _predict(sample, kappa, rim, center):
    """The core and the windows that a sorted sample suggests: those of its own iterations with some space around them.
    The first ones are values of the array's type, so that a chunk compares with what is compared with later."""
    of_type = sample.dtype.type if sample.dtype.kind == "f" else float
    plan = types.SimpleNamespace(core=(math.inf, -math.inf), window=(math.inf, -math.inf), edges=None)
    x = sample.astype(float)
    medians, steps = [], []
    while x.size > 100:
        middle, mean, std = float(x[x.size // 2]), float(x.mean()), float(x.std())
        if not std > 0:
            break
        medians.append(middle)
        about = mean if center == "mean" else middle
        squares = cuprite.square((x - mean) / std)
        fourth = max(float((squares * squares).mean()), 3)
        steps.append((about - kappa * std, about + kappa * std,
                      std * (kappa * math.sqrt(fourth - 1) / 2 + 1.3) / math.sqrt(x.size)))
        i, j = (int(at) for at in cuprite.searchsorted(x, cuprite.asarray(steps[-1][:2])).get())
        if j - i == x.size:
            break
        x = x[i:j]
    if x.size <= 100 or not std > 0 or rim >= 0.5:
        return plan
    space = 2 * rim * kappa * std
    spread = max(5, 250 * rim) * std / math.sqrt(x.size)
    plan.core = float(of_type(about - kappa * std + space)), float(of_type(about + kappa * std - space))
    plan.window = (max(plan.core[0], float(of_type(min(medians) - spread))),
                   min(plan.core[1], float(of_type(max(medians) + spread))))
    if rim < 0.1:
        plan.edges = _edges(steps, plan.core, space)
    return plan


def sigma_clip_stats(x, kappa=3, center="median", max_iterations=0):
    """Kappa-sigma clipping of an array of Dask's: computes what cuprite.sigma_clip_stats does of the whole, passing
    once over the chunks.

    Parameters: x: an array of Dask's, of real numbers; kappa: how many standard deviations are kept, above 0; center:
        'median' or 'mean'; max_iterations: the most passes, 0: until nothing is dropped.

    Errors: TypeError for what is no array of Dask's, and for complex numbers; ValueError for an unknown center, and for
        unknown chunks.
    """
    check_chunks(x)
    empty = cuprite.sigma_clip_stats(cuprite.empty(0, x.dtype), kappa, center, max_iterations)  # checks the arguments
    rule = x.dtype if x.dtype.kind == "f" else numpy.dtype(float)
    if not x.size:
        return empty
    chunks = Chunks(x)
    step = max(1, x.size // min(max(_SAMPLE[0], x.size >> 8), _SAMPLE[1]))
    bands = chunks.bands()
    sample = cuprite.concatenate([cuprite.asarray(s) for s in chunks.compute(_sampled, step)])
    sample = cuprite.sort(sample[cuprite.isfinite(sample)])
    for rim in (0.01, 0.2, 1):
        plan = _predict(sample, kappa, rim, center)
        parts = chunks.compute(_parts, plan, bands=bands)
        try:
            return type(empty)(*_clip(_Data(parts, plan), rule, kappa, center, max_iterations))
        except _Failed:
            if rim == 1:  # everything is kept: it cannot fail
                raise
