"""Cases of statistics for differential.py: quantiles, counts, statistics.

Quantiles round step by step as NumPy's; sums are of small numbers."""
import numpy as np

from differential import FLOATS, REAL, TYPES, Array, Buffer, Case, alike, made, run
from differential_reduce import reduced

METHODS = ["linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf", "averaged_inverted_cdf",
           "closest_observation", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased"]
SHARES = (0, 1, 0.5, 0.25, 0.1, 1 / 3, 0.999, 0.75, 1e-9)
RULES = ("auto", "fd", "doane", "scott", "rice", "sturges", "sqrt")


def close(case, got, want):
    """Some units of the largest number; a quantile in out= is the one without it, converted."""
    if about(case, got, want):
        return True
    x = case.arrays()[0]
    weights = case.options.get("weights")
    if case.about == "histogram" and getattr(weights, "char", None) == "e":   # which NumPy adds up in float16
        wide = {**case.options, "weights": weights.plain.astype("d")}
        error, result, _, _ = run(Case(case.f, case.args, wide), np, {})
        return error is None and result[0].shape == got.shape and bool(alike(got, result[0], 1e-3).all())
    if not case.about.endswith(("quantile", "percentile")):
        return False
    if "out" in case.options:
        options = {k: v for k, v in case.options.items() if k != "out"}
        error, result, _, _ = run(Case(case.f, case.args, options), np, {})
        eps = float(np.finfo(x.dtype).eps) if x.dtype.kind == "f" else 2.3e-16
        most = float(np.max(abs(np.where(np.isfinite(x), x, 0)).astype("f8"), initial=0))
        if error is None and np.shape(result) == got.shape and \
                alike(got, np.asarray(result), eps * 2, eps * most).all():
            return True
    q = np.asarray(made(case.args[1], np, {}))
    eps = float(np.finfo(q.dtype).eps if q.dtype.kind == "f" else 2.3e-16) * 4
    if x.dtype.char in "qQlL" and alike(got, want, eps).all():   # float64 holds them in part: where they are rounded
        return True
    return wraps(case, got, x, max(eps, 1e-12))


def wraps(case, got, x, eps):
    """Differences of signed integers wrap in NumPy; ours are what it finds in float64."""
    if x.dtype.kind == "i" and x.size and int(x.max()) - int(x.min()) > np.iinfo(x.dtype).max:
        wide = [x.astype("d"), made(case.args[1], np, {})]
        error, result, _, _ = run(Case(case.f, wide, {k: v for k, v in case.options.items() if k != "out"}), np, {})
        return error is None and bool(alike(got, np.asarray(result), eps, eps * float(abs(wide[0]).max())).all())
    return False


def about(case, got, want):
    """Some units of the largest number."""
    if got.dtype.kind not in "fc":
        return False
    most = max([float(np.max(abs(np.where(np.isfinite(a), a, 0)).astype("f8"), initial=0))
                for a in case.arrays() if a.dtype.kind in "biufc"] + [0])
    x = case.arrays()[0]
    dtype = case.options.get("dtype") or got.dtype
    eps = max([float(np.finfo(t).eps) for t in (got.dtype, x.dtype, np.dtype(dtype)) if t.kind in "fc"])
    if case.about == "cov":
        most *= most
    if case.about == "corrcoef":
        most = 1
        eps = np.sqrt(eps)                                   # of deviations that cancel
    if case.about in ("interp", "average", "histogram", "cov", "corrcoef"):
        return bool(alike(got, want, eps * 32, eps * 32 * most).all())
    return bool(alike(got, want, eps * 2).all()) \
        if "weights" in case.options or case.about.startswith("hist") else \
        bool(np.array_equal(got, want, equal_nan=True))


def quantiles(r):
    """percentile, quantile, nanpercentile, nanquantile: all methods, weights, q of any shape."""
    name = r.pick(("percentile", "quantile", "nanpercentile", "nanquantile"))
    shape = r.shape(200)
    n = len(shape)
    char = r.pick(REAL)
    how = r.pick(("nans", "small", "plain") if name.startswith("nan") else ("small", "plain", "special", "wide"))
    if char in "efd" and how == "wide":
        how = "plain"
    x = r.array(char, shape, how)
    scale = 100 if "percent" in name else 1
    k = r.random()
    if k < 0.4:
        q = r.pick(SHARES) * scale
    elif k < 0.6:
        q = [r.pick(SHARES) * scale for _ in range(r.randrange(1, 4))]
    elif k < 0.65:
        q = r.pick((1, 0, np.float32(0.5), np.float64(0.25)))
    elif k < 0.95:
        qs = np.array([r.pick(SHARES) * scale for _ in range(r.pick((0, 1, 2, 4, 6)))], r.pick("ddddf"))
        steps = () if r.chance(0.6) or len(qs) % 2 else (("reshape", (2, len(qs) // 2)),)
        q = Array(Buffer(qs), steps, qs.shape, qs.dtype.char)
    else:
        q = r.pick((-1, 101, 1.5, -0.1, np.nan, "a", None, [0.5, 2000]))
    o = {}
    if k >= 0.95:
        return Case(name, [r.array(char, tuple(max(m, 1) for m in shape), how), q], o, close=close, about=name)
    if r.chance(0.7):
        o["axis"] = r.axis(n)
        if _bad_axis(o["axis"], n):
            return Case(name, [x, 0.5 * scale], {"axis": o["axis"]}, about=name)
    if r.chance(0.3):
        o["keepdims"] = r.chance(0.7)
    if r.chance(0.6):
        o["method"] = r.pick(METHODS)
        if r.chance(0.02):
            return Case(name, [r.array("d", (3, 4), "small"), 0.5], {"method": r.pick(("bogus", 3))}, about=name)
    if r.chance(0.05):
        o["overwrite_input"] = True
    if r.chance(0.2) and n:
        o["method"] = "inverted_cdf" if r.chance(0.95) else o.get("method", "linear")
        a = o.get("axis")
        full = shape
        if isinstance(a, int) and -n <= a < n and r.chance(0.5):
            full = (shape[a],)
        o["weights"] = r.array(r.pick("dddfiqB"), full, r.pick(("positive", "positive", "small")))
    elif r.chance(0.08):
        want = reduced(shape, o.get("axis"), o.get("keepdims")) if not _bad_axis(o.get("axis"), n) else ()
        qshape = np.shape(q.plain if isinstance(q, Array) else q)
        o["out"] = r.array("d", qshape + want, "small", spread=0)
    return Case(name, [x, q], o, writes="out" in o, close=close, about=name)


def _bad_axis(axis, n):
    axes = axis if isinstance(axis, tuple) else (axis,)
    return axis is not None and (not all(isinstance(a, int) and -n <= a < n for a in axes))


def _bounded(x, options):
    """No rule that makes gigabytes of bins: of integers of which a few are far from the others."""
    if x.dtype.kind in "iu" and x.size and float(x.max()) - float(x.min()) > 1e6 and options.get("bins") in RULES:
        options["bins"] = "rice"


def _edges(r, increasing=True):
    k = r.random()
    if k < 0.5:
        return r.pick((1, 2, 3, 5, 10, 10, 17))
    if k < 0.55:
        return r.pick((0, -1, 2.5, "auto", None, True, np.int64(4)))
    values = sorted({r.pick((-8, -4, -2.5, -1, 0, 0.5, 1, 2, 3, 3.25, 7, 9, 20)) for _ in range(r.randrange(1, 7))})
    if r.chance(0.05):
        values.reverse()
    if k < 0.6:
        return values
    b = np.array(values, r.pick("ddfqib"))
    return Array(Buffer(b), (), b.shape, b.dtype.char)


def counts(r):
    """bincount, digitize, histogram, histogram_bin_edges, histogram2d, histogramdd, searchsorted."""
    name = r.pick(("bincount", "digitize", "histogram", "histogram", "histogram_bin_edges", "histogram2d",
                   "histogramdd"))
    o = {}
    if name == "bincount":
        n = r.pick((0, 1, 2, 5, 9, 33, 100))
        x = r.array(r.pick("bBhHiIqQ?") if r.chance(0.97) else r.pick(TYPES), (n,) if r.chance(0.97) else r.shape(20),
                    "positive" if r.chance(0.9) else "small")
        if r.chance(0.4):
            o["weights"] = r.array(r.pick(TYPES), x.shape if r.chance(0.95) else (n + 1,), "small")
        if r.chance(0.5):
            o["minlength"] = r.pick((0, 1, 5, 20, np.int8(3)) if len(x.shape) != 1 or x.char not in "bBhHiIqQ?"
                                    else (0, 5, 20, -1, None, np.int8(3)))
        return Case(name, [x], o, close=close, about=name)
    if name == "digitize":
        values = sorted(r.pick((-8, -4, -2.5, -1, 0, 0.5, 1, 2, 3, 7)) for _ in range(r.randrange(7)))
        if r.chance(0.3):
            values.reverse()
        if r.chance(0.05):
            r.shuffle(values)
        b = np.array(values, r.pick("ddfqibe"))
        bins = Array(Buffer(b), (), b.shape, b.dtype.char)
        x = r.array(r.pick(REAL) if r.chance(0.97) else r.pick(TYPES), r.shape(60),
                    r.pick(("small", "plain", "special")))
        if r.chance(0.4):
            o["right"] = r.pick((True, False, 1))
        return Case(name, [x, bins], o, about=name)
    how = r.pick(("small", "small", "plain", "special")) if r.chance(0.9) else "wide"
    if name in ("histogram", "histogram_bin_edges"):
        char = r.pick(REAL)
        if char in FLOATS and how == "wide":
            how = "plain"
        x = r.array(char, r.shape(200), how)
        args = [x]
        if r.chance(0.85):
            o["bins"] = _edges(r) if r.chance(0.85) else r.pick(RULES)
            if isinstance(o["bins"], str) and (char == "e" or how == "wide"):
                o["bins"] = "rice"                           # of integers far apart: gigabytes of bins
        if r.chance(0.4):
            o["range"] = r.pick(((0, 1), (-8, 8), (-2.5, 3), (0, 0), (3, 1), (0, np.inf), (1,), None, [0, 5]))
        if r.chance(0.35):
            o["weights"] = r.array(r.pick(TYPES), x.shape if r.chance(0.97) else r.shape(10),
                                   "unit")
        if name == "histogram" and r.chance(0.3):
            o["density"] = r.pick((True, False))
        if "bins" not in o or isinstance(o["bins"], str):
            _bounded(x.plain, o)
        return Case(name, args, o, close=close, about=name)
    n = r.pick((0, 1, 3, 10, 40, 100))
    if how in ("special", "wide"):
        how = "plain"
    if name == "histogram2d":
        args = [r.array(r.pick(REAL), (n,), how), r.array(r.pick(REAL), (n if r.chance(0.97) else n + 1,), how)]
        d = 2
    else:
        d = r.pick((1, 2, 2, 3))
        args = [r.array(r.pick(REAL), (n, d), how)]
        if r.chance(0.1):
            args = [[r.array(r.pick(REAL), (n,), how) for _ in range(d)]]
    if r.chance(0.7):
        o["bins"] = r.pick((1, 3, 5)) if r.chance(0.4) else [_edges(r) for _ in range(d)]
    if r.chance(0.3):
        o["range"] = [r.pick(((0, 1), (-8, 8), (-2.5, 3), None)) for _ in range(d)]
    if r.chance(0.3):
        o["weights"] = r.array(r.pick("dfiqB?"), (n,) if r.chance(0.97) else (n + 1,), "small")
    if r.chance(0.3):
        o["density"] = True
    return Case(name, args, o, close=close, about=name)


def statistics(r):
    """average, cov, corrcoef, interp."""
    name = r.pick(("average", "cov", "corrcoef", "interp"))
    o = {}
    if name == "average":
        shape = r.shape(100)
        n = len(shape)
        x = r.array(r.pick(TYPES), shape, "small")
        if r.chance(0.7):
            o["axis"] = r.axis(n)
        if r.chance(0.6):
            a = o.get("axis")
            full = shape
            if isinstance(a, int) and -n <= a < n and r.chance(0.6):
                full = (shape[a],)
            elif isinstance(a, tuple) and all(-n <= v < n for v in a) and r.chance(0.3):
                full = tuple(shape[v] for v in a)
            elif r.chance(0.05):
                full = r.shape(10)
            o["weights"] = r.array(r.pick(TYPES), full, r.pick(("positive", "positive", "small")))
        if r.chance(0.4):
            o["returned"] = r.chance(0.7)
        if r.chance(0.3):
            o["keepdims"] = r.chance(0.7)
        return Case(name, [x], o, close=close, about=name)
    if name in ("cov", "corrcoef"):
        shape = r.pick(((), (3,), (1, 4), (2, 5), (3, 7), (4, 2), (5, 1), (0, 3), (3, 0), (2, 2, 2), (0,), (20, 3)))
        m = r.array(r.pick(TYPES), shape, "small" if r.chance(0.9) else "special")
        args = [m]
        if r.chance(0.3):
            args.append(r.array(r.pick(TYPES), r.pick((shape, shape[-1:], (3,))), "small"))
        if r.chance(0.4):
            o["rowvar"] = r.pick((True, False, 0, 1))
        if name == "cov":
            if r.chance(0.3):
                o["bias"] = r.pick((True, False))
            if r.chance(0.3):
                o["ddof"] = r.pick((0, 1, 2, 10, None, 1.5, -1))
            rowvar = o.get("rowvar", True)
            count = 1 if not shape else shape[-1] if rowvar or len(shape) == 1 else shape[0]
            if r.chance(0.2):
                o["fweights"] = r.array(r.pick("iqBI") if r.chance(0.95) else "d",
                                        (count,) if r.chance(0.95) else (2, 2),
                                        "positive" if r.chance(0.95) else "small")
            if r.chance(0.2):
                o["aweights"] = r.array(r.pick("dfiq"), (count,) if r.chance(0.95) else (count + 1,),
                                        "positive" if r.chance(0.95) else "small")
        if r.chance(0.2):
            o["dtype"] = r.pick(("f", "d", "F", "D", "e", None))
            if r.chance(0.05):
                return Case(name, [r.array(r.pick("dfq"), (2, 3), "small")], {"dtype": r.pick("iq?B")}, about=name)
        return Case(name, args, o, close=close, about=name)
    if r.chance(0.02):
        return Case(name, [r.array("d", r.shape(9), "small"), r.array("d", (0,), "small"), r.array("d", (0,), "small")],
                    about=name)
    m = r.pick((1, 2, 3, 5, 9))
    xs = sorted(r.sample((-8, -4, -2.5, -1, 0, 0.5, 1, 2, 3, 7), m))
    b = np.array(xs, r.pick("ddf" if m > 6 or -2.5 in xs or 0.5 in xs else "ddfqi"))
    xp = Array(Buffer(b), (), b.shape, b.dtype.char)
    fp = r.array(r.pick("ddfqiFD?eB"), (m if r.chance(0.97) else m + 1,), "small" if r.chance(0.9) else "special",
                 spread=0)
    x = r.array(r.pick(REAL), r.shape(40), r.pick(("small", "plain", "special")))
    if r.chance(0.1):
        x = r.python("bif")
    if r.chance(0.2):
        o["left"] = r.pick((0, -1.5, None, np.nan, 1j if fp.char in "FD" else 1))
    if r.chance(0.2):
        o["right"] = r.pick((0, 99, None, np.float32(3)))
    if r.chance(0.2):
        o["period"] = r.pick((100, 0, -20.5, 360, None))
    return Case(name, [x, xp, fp], o, close=close, about=name)

FAMILIES = {"quantiles": quantiles, "counts": counts, "statistics": statistics}
