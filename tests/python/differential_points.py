"""Cases of cuprite.scipy.spatial, interpolate and stats, compared with SciPy: families spatial, interpolate, stats.

A case is an expression of the modules `sp`, `sd`, `si` and `st` with arrays A(type, shape, seed, flavour) in it, which
both libraries evaluate; differential_matrices.py compares the results."""
import ast
import random
import re
import warnings

import numpy as np
import scipy.interpolate
import scipy.spatial
import scipy.spatial.distance
import scipy.stats

import cuprite as cp
from differential_matrices import Sources, Wrong, differs

METRICS = ("euclidean", "sqeuclidean", "cityblock", "chebyshev", "minkowski", "cosine", "correlation", "canberra",
           "braycurtis", "hamming", "jaccard", "dice", "russellrao", "sokalsneath", "rogerstanimoto", "yule",
           "jensenshannon", "seuclidean", "mahalanobis")
POINTS, LINES = ("points", "points", "points", "ties"), ("normal", "normal", "ties", "nan")


def array(char, shape, seed, flavour):
    """The elements: ties, NaN, truth values, positive or ascending ones, points in the unit cube."""
    r = np.random.default_rng(seed)
    draw = {"points": r.uniform, "positive": lambda size: r.uniform(0.1, 2, size),
            "truths": lambda size: r.integers(0, 2, size), "ties": lambda size: r.integers(-3, 4, size)}
    x = draw.get(flavour, r.standard_normal)(size=shape)
    if flavour == "ascending":
        x = np.cumsum(np.abs(x) + 0.05, axis=0)
    if flavour == "nan" and x.size and char in "fd":
        x = np.where(r.uniform(size=shape) < 0.15, np.nan, x)
    if char in "bhiq":
        x = np.round(x * 4)
    with np.errstate(all="ignore"):
        return x.astype(char)


class Arguments(Sources):
    def array(self, shape, flavours=("normal",), types="dddfi"):
        flavour = self.pick(flavours)
        return f"A({self.pick(types)!r}, {shape}, {self.r.randrange(1 << 20)}, {flavour!r})"

    def shape(self, most=3):
        shape = tuple(self.r.choice((1, 2, 3, 5, 8)) for _ in range(self.r.randint(1, most)))
        return shape if not self.chance(0.04) else (*shape[:-1], 0)


def _distances(d):
    n, m, k = d.r.randint(0, 9), d.r.randint(1, 9), d.r.randint(1, 6)
    metric, types = d.pick(METRICS), d.pick(("d", "d", "f", "i", "?"))
    of = ("truths",) if metric in METRICS[9:16] else ("positive",) if metric == "jensenshannon" else POINTS
    types = "d" if metric == "jensenshannon" else types      # of which no sum is 0
    a, b = d.array((n, k), of, types), d.array((m, k if not d.chance(0.02) else k + 1), of, types)
    more = d.pick(("", ", p=3", ", p=1.5")) if metric == "minkowski" else ""
    if metric not in ("jensenshannon", "seuclidean", "mahalanobis") and d.chance(0.25):
        more += f", w={d.array((k,), ('positive',), 'd')}"
    if d.chance(0.7):
        return f"sd.cdist({a}, {b}, {metric!r}{more})"
    return d.pick((f"sd.pdist({b}, {metric!r}{more})", f"sd.squareform(sd.pdist({b}))",
                   f"sd.directed_hausdorff({b}, {d.array((3, k), POINTS, 'd')})[0]", f"sp.distance_matrix({b}, {b})"))


def _trees(d):
    n, m, k = d.r.randint(1, 60), d.r.randint(1, 9), d.r.randint(1, 4)
    p, far = d.pick((1, 2, 2, 3, "xp.inf")), round(d.r.uniform(0.05, 0.7), 3)
    box = d.pick(("", "", ", boxsize=1.0"))
    tree = f"sp.KDTree({d.array((n, k), ('points',), 'd')}{box})"
    at, other = d.array((m, k), ("points",), "d"), f"sp.KDTree({d.array((m, k), ('points',), 'd')}{box})"
    return d.pick((f"{tree}.query({at}, {d.r.randint(1, 6)}, p={p})", f"L({tree}.query_ball_point({at}, {far}, p={p}))",
                   f"{tree}.query_ball_point({at}, {far}, return_length=True)",
                   f"{tree}.count_neighbors({other}, {far})",
                   f"P({tree}.query_pairs({far}, p={p}, output_type='ndarray'))",
                   f"{tree}.query({at}, distance_upper_bound={far})",
                   f"{tree}.sparse_distance_matrix({other}, {far}, p={p}, output_type='coo_matrix').toarray()"))


def _curves(d):
    n, k = d.r.randint(2, 12), d.r.randint(1, 3)
    x = d.array((n,), ("ascending",), "d")
    y = d.array((n,) if d.chance(0.6) else (n, 2), ("normal",), "dddfiD" if d.chance(0.5) else "d")
    at = d.array(d.shape(2), ("positive", "normal"), "ddfi")
    near = d.array(d.shape(2), ("points",), "ddf")  # polynomials of a high degree lose all digits elsewhere
    kind = d.pick(("linear", "nearest", "previous", "next", "quadratic", "cubic", "slinear", "zero"))
    end = d.pick(("not-a-knot", "natural", "clamped"))
    return d.pick((f"si.CubicSpline({x}, {y}, bc_type={end!r})({at})", f"si.PchipInterpolator({x}, {y})({at})",
                   f"si.Akima1DInterpolator({x}, {y})({at})", f"si.make_interp_spline({x}, {y}, {k})({at})",
                   f"si.interp1d({x}, {y}, {kind!r}, axis=0, bounds_error=False)({at})",
                   f"si.interp1d({x}, {y}, {kind!r}, axis=0, fill_value='extrapolate')({at})",
                   f"si.CubicSpline({x}, {y}).derivative()({at})", f"si.CubicSpline({x}, {y}).integrate(0.2, 1.1)",
                   f"si.PPoly({d.array((k + 1, n - 1), ('normal',), 'd')}, {x})({at}, {d.r.randint(0, 2)})",
                   f"si.BarycentricInterpolator({x}, {y})({near})", f"si.KroghInterpolator({x}, {y})({near})"))


def _grids(d):
    shape = tuple(d.r.randint(2, 6) for _ in range(d.r.randint(1, 3)))
    x = ", ".join(d.array((n,), ("ascending",), "d") for n in shape)
    values, at = d.array(shape, ("normal",), "ddfD"), d.array((d.r.randint(0, 6), len(shape)), ("positive",), "d")
    return f"si.RegularGridInterpolator(({x},), {values}, {d.pick(('linear', 'nearest'))!r}, bounds_error=False, " \
           f"fill_value={d.pick(('None', 'xp.nan', '0.0'))})({at})"


def _samples(d):
    shape, axis = d.shape(), d.pick(("0", "-1", "None", "1"))
    x, types = d.array(shape, LINES), "dddfi"
    policy = d.pick(("", "", ", nan_policy='omit'"))
    a, b = d.array((12,), LINES[:3], types), d.array((12,), LINES[:3], types)
    positive = d.array(shape, ("positive",), "dddf")
    return d.pick((
        f"st.zscore({x}, axis={axis})", f"st.skew({x}, axis={axis}{policy})", f"st.kurtosis({x}, axis={axis}{policy})",
        f"st.moment({x}, {d.r.randint(0, 4)}, axis={axis})", f"st.gmean({positive}, axis={axis})",
        f"st.hmean({positive}, axis={axis})", f"st.variation({positive}, axis={axis})", f"st.sem({x}, axis={axis})",
        f"st.rankdata({x}, {d.pick(('average', 'min', 'max', 'dense', 'ordinal'))!r}, axis={axis})",
        f"T(st.describe({x}, axis={axis}))", f"st.entropy({positive}, axis={axis})", f"T(st.pearsonr({a}, {b}))",
        f"T(st.spearmanr({a}, {b}))", f"T(st.ttest_ind({a}, {b}))", f"T(st.ttest_rel({a}, {b}))",
        f"T(st.linregress({a}, {b}))", f"st.trim_mean({x}, 0.1, axis={axis})", f"T(st.mode({x}, axis={axis}))",
        f"st.norm.{d.pick(('pdf', 'cdf', 'sf', 'logpdf'))}({x})", f"st.norm.ppf({d.array(shape, ('points',), 'd')})",
        f"st.expon.cdf({x})", f"st.gamma.pdf({positive}, 2.5)", f"st.t.cdf({x}, 5)", f"st.iqr({x}, axis={axis})"))


def _modules(xp):
    def lists(found):
        return tuple(xp.asarray(np.sort(np.asarray(v.get() if hasattr(v, "get") else v, "q"))) for v in found)

    def pairs(found):
        found = np.asarray(found.get() if hasattr(found, "get") else found).reshape(-1, 2)
        return xp.asarray(found[np.lexsort(found.T[::-1])])
    root = scipy if xp is np else cp.scipy
    return {"xp": xp, "sp": root.spatial, "sd": root.spatial.distance, "si": root.interpolate, "st": root.stats,
            "A": lambda *args: xp.asarray(array(*args)), "L": lists, "P": pairs, "T": tuple}


def _singular(text):
    """Whether the points' covariance has no inverse, but for rounding."""
    rows = [array(*ast.literal_eval(f"({a})")) for a in re.findall(r"A\((.*?\), \d+, '\w+')\)", text)]
    rows = [x.astype("d") for x in rows if x.ndim == 2]
    return not np.linalg.cond(np.cov(np.concatenate(rows), rowvar=False)) < 1e13


def _same_where_varied(text, ours, theirs):
    """Whether distances agree but for those of a point whose coordinates are one number."""
    rows = [array(*ast.literal_eval(f"({a})")) for a in re.findall(r"A\((.*?\), \d+, '\w+')\)", text)]
    rows = [x for x in rows if x.ndim == 2]
    varied = [(np.ptp(x.astype("d"), axis=1) > 0) if x.size else np.zeros(len(x), bool) for x in rows]
    if len(varied) < 2 or np.shape(ours) != (len(rows[0]), len(rows[1])):
        varied = [varied[0]] * 2
        ours, theirs = (cp.scipy.spatial.distance.squareform(cp.asarray(x)) for x in (ours, theirs))
    kept = np.ix_(*map(np.flatnonzero, varied))
    return np.allclose(np.asarray(ours.get())[kept], theirs[kept] if isinstance(theirs, np.ndarray)
                       else theirs.get()[kept], rtol=1e-5, atol=1e-5)


class Points:
    """A family of expressions, as differential_families.py has them."""

    def __init__(self, name, makers, about, exact):
        self.name, self.makers, self.about, self.exact = name, makers, about, exact

    def text(self, number):
        d = Arguments(random.Random(f"{self.name}:{number}"))
        return d.pick(self.makers)(d)

    def names(self, number):
        return set()

    def verdict(self, number, careful=True):
        text = self.text(number)
        found = []
        for xp in (cp, np):
            if xp not in NAMES:
                NAMES[xp] = _modules(xp)
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                try:
                    found.append(eval(text, dict(NAMES[xp])))
                except Exception as e:  # noqa: BLE001
                    found.append(e)
        wrong = differs(*found, self.exact)
        if wrong is None:
            return None
        for reason, holds in KNOWN.items():
            if holds(text, wrong, *found):
                return reason
        call = text[:text.index("(")] + "".join(f".{w}" for w in ("query", "cdf") if f".{w}" in text)
        return Wrong(f"{call}: {wrong}", f"{wrong}: {found[0]!r} for {found[1]!r}", number, text)


NAMES = {}
#: differences that docs/from-numpy.md gives reasons for
KNOWN = {
    "metrics of truth values take whatever is not 0 as true": lambda text, wrong, ours, theirs:
        wrong == "value" and "dice" in text and "A('?'" not in text,
    "the correlation with equal numbers is NaN, or what rounding leaves": lambda text, wrong, ours, theirs:
        wrong == "value" and "'correlation'" in text and _same_where_varied(text, ours, theirs),
    "the Jensen-Shannon distance of equal distributions is 0, not the root of what rounding leaves": lambda text, wrong,
        ours, theirs: wrong == "value" and "'jensenshannon'" in text and (
            (ours.get() == theirs) | (ours.get() == 0) & ~(theirs > 1e-7)).all(),
    "the covariance is singular but for rounding, whose inverse is of any sign": lambda text, wrong, ours, theirs:
        "'mahalanobis'" in text and _singular(text),
    "SciPy does not always look at how many weights there are": lambda text, wrong, ours, theirs:
        isinstance(ours, ValueError) and str(ours).startswith("Weights must have same size") and "w=" in text,
    "weights are looked at where there are no pairs": lambda text, wrong, ours, theirs:
        "pdist" in text and isinstance(ours, ValueError) and np.size(theirs) == 0,
    "polynomials through many points lose digits where their values are large": lambda text, wrong, ours, theirs:
        wrong == "value" and re.match("si.(Bary|Krogh)", text) and np.allclose(ours.get(), theirs, rtol=1e-4),
}
FAMILIES = {"spatial": Points("spatial", (_distances, _distances, _trees), "distances and trees of points", 1e-9),
            "interpolate": Points("interpolate", (_curves, _curves, _grids), "splines, polynomials and grids", 1e-7),
            "stats": Points("stats", (_samples,), "statistics of samples and distributions", 1e-7)}
