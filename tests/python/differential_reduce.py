"""Cases of reductions, of those without NaN, and of scans, for differential.py: reductions, nan, scans.

Sums of small numbers have one answer; where others are drawn, the bound is that of any order of additions."""
import math

import numpy as np

from differential import COMPLEX, INEXACT, TYPES, Array, Case, alike, run

PLAIN = ["sum", "prod", "mean", "var", "std", "min", "max", "amin", "amax", "ptp", "argmin", "argmax", "any", "all",
         "count_nonzero", "median"]
NANS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanargmin", "nanargmax", "nanmedian"]
METHODS = {"sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"}
SCANS = ["cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "nancumsum", "nancumprod", "diff", "ediff1d",
         "gradient", "trapezoid"]
HAS_WHERE = {"sum", "prod", "mean", "var", "std", "min", "max", "amin", "amax", "any", "all", "nansum", "nanprod",
             "nanmean", "nanvar", "nanstd", "nanmin", "nanmax"}
HAS_INITIAL = {"sum", "prod", "min", "max", "amin", "amax", "nansum", "nanprod", "nanmin", "nanmax"}
HAS_DTYPE = {"sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd"}
DEVIATIONS = {"var", "std", "nanvar", "nanstd"}
EXACT = {"min", "max", "amin", "amax", "ptp", "argmin", "argmax", "any", "all", "count_nonzero"}


def close(case, got, want):
    """About the same as NumPy's result, or as the one that NumPy converts to the type of out= and dtype= afterwards, or
    that it finds in float64."""
    if near(case, got, want):
        return True
    o = case.options
    given = [k for k in ("out", "dtype") if o.get(k) is not None]
    chars = [np.dtype(t).char for t in (getattr(case.args[0], "char", "d"), getattr(o.get("out"), "char", "d"),
                                        o.get("dtype") or "d")]
    wide = any(c in "efF" for c in chars) and (case.about in HAS_DTYPE or "cum" in case.about)
    for left_out in [("out",)] * ("out" in given) + [("out", "dtype")] * (("dtype" in given) + wide):
        options = {k: v for k, v in o.items() if k not in left_out}
        if wide and left_out[-1] == "dtype":
            options["dtype"] = "D" if case.args[0].char in "FD" else "d"
        error, result, _, _ = run(Case(case.f, case.args, options), np, {})
        if error is None and np.shape(result) == got.shape and becomes(case, got, want, np.asarray(result)):
            return True
    return False


def becomes(case, got, want, result):
    """Is `got`, where it is not `want`, that result of NumPy's in another type? What no integer holds is
    nobody's."""
    if got.dtype.kind == "f" and result.dtype.kind == "c":   # a part is as exact as the whole
        eps = max(float(np.finfo(t).eps) for t in (got.dtype, result.dtype))
        return bool(alike(got, result.real, eps * 64, eps * 64 * np.where(np.isfinite(result), abs(result), 0)).all())
    modulus = abs(result) if result.dtype.kind == "c" else 0   # a part is as exact as this
    if got.dtype.kind != "c":
        result = result.real
    if got.dtype.kind in "iu" and bool(((got == want) | (abs(got.astype("f8") - result) <= 1e-13 * modulus)).all()):
        return True
    if got.dtype.kind == "b":
        return bool(np.array_equal(got, result.astype(bool)))
    if got.dtype.kind == "f" or got.dtype.kind == "c":
        return near(case, got, result.astype(got.dtype))
    i = np.iinfo(got.dtype)
    if result.dtype.kind in "biu":
        return bool(((got == result.astype(got.dtype)) | (got == want)).all())
    held = np.isfinite(result) & (result > i.min) & (result < i.max)
    whole = np.where(held, result, 0)
    least = 1e-12 * np.maximum(abs(whole), 1)
    exact = (got == np.trunc(whole - least).astype(got.dtype)) | (got == np.trunc(whole + least).astype(got.dtype))
    if any(np.dtype(t).char in "efF" for t in (case.arrays()[0].dtype, case.options.get("dtype") or "d")):
        least = 1e-3 * np.maximum(abs(whole), 1000)
    rounded = abs(got.astype("f8") - whole) <= least
    return bool(((got == want) | ~held | exact | rounded).all()) or near(case, got.astype("f8"), whole)


def near(case, got, want):
    """What another order of additions or multiplications may give: some units of the largest terms."""
    name = case.about
    if got.dtype.kind in "iu":                               # floating results that became integers
        return case.arrays()[0].dtype.kind in "fc" and "prod" in name and \
            bool(np.allclose(got.astype("f8"), want.astype("f8"), rtol=1e-12, atol=0))
    if got.dtype.kind not in "fc":
        return False
    if name in ("min", "max", "amin", "amax", "nanmin", "nanmax", "ptp"):
        return bool(np.array_equal(got, want, equal_nan=True))     # zeros of either sign
    x = case.arrays()[0]
    out = case.options.get("out")
    types = [got.dtype, np.dtype(case.options.get("dtype") or got.dtype)] + ([x.dtype] if x.dtype.kind in "fc" else [])
    eps = max(float(np.finfo(t).eps) for t in types if t.kind in "fc")
    if out is not None and x.dtype.kind == "f" and x.dtype.itemsize < 8:
        eps = max(eps, float(np.finfo(x.dtype).eps))
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x.astype("f8"),)
    most = sum(float(np.max(abs(np.where(np.isfinite(p), p, 0)), initial=0)) for p in parts)
    if "prod" in name:
        near = alike(got, want, eps * 64)
        if got.dtype.kind == "c":                            # of infinite factors the parts are what the order makes
            near |= ~np.isfinite(got) & ~np.isfinite(want)
        return bool(near.all())
    n = max(x.size, 1)
    scale = most * (most if name in ("var", "nanvar") else 1) * (n if "sum" in name or name == "trapezoid" else 1)
    if name == "trapezoid":                                  # what the heights are multiplied by
        steps = [a.plain if isinstance(a, Array) else a for a in (*case.args[1:], case.options.get("x"),
                                                                  case.options.get("dx"))]
        scale *= max([1.0] + [2 * float(np.max(abs(np.asarray(s, "D")), initial=0)) for s in steps if s is not None])
        unsigned = [s for s in steps if np.ndim(s) and np.asarray(s).dtype.kind == "u"]       # which wrap below 0
        scale *= max([1.0] + [float(np.diff(s, axis=k).max(initial=0)) for s in unsigned for k in range(s.ndim)])
    bound = (eps * 16 + 2.3e-16 * n) * max(scale, 1e-300)    # one after the other, as under a mask: n times float64's
    least = 1.2e-7 if x.dtype.char == "e" else 0             # variances of float16 that NumPy rounds where digits end
    if name in ("var", "nanvar"):
        bound = max(bound, least)
    if name in ("std", "nanstd"):
        bound = math.sqrt(eps) * 4 * most    # of a variance that cancels to about nothing
        near = alike(got, want, eps * 64) | (abs(got) <= bound) & (abs(want) <= bound)
        squares = max(least, (eps * 16 + 2.3e-16 * n) * most * most)  # the variances' bound
        near |= abs(abs(got.astype("D")) ** 2 - abs(want.astype("D")) ** 2) <= squares
        return bool(near.all())
    return bool(alike(got, want, eps * 16, bound).all())


def reduced(shape, axis, keepdims):
    """The shape of a reduction, where axis is a right one."""
    n = len(shape)
    axes = range(n) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = {a % n for a in axes if isinstance(a, int)} if n else set()
    if keepdims:
        return tuple(1 if k in axes else m for k, m in enumerate(shape))
    return tuple(m for k, m in enumerate(shape) if k not in axes)


def flavour(r, name):
    if "nan" in name and "prod" not in name:
        return r.pick(("nans", "nans", "small", "special"))
    if "prod" in name:
        return "unit"
    return r.pick(("small", "small", "small", "special", "plain"))


def call(r, names):
    name = r.pick(names)
    shape = r.shape(400)
    n = len(shape)
    char = r.pick(TYPES)
    how = flavour(r, name)
    if name in EXACT and r.chance(0.5):
        how = "wide"
    x = r.array(char, shape, how)
    if r.chance(0.01):
        x = r.pick((r.scalar(), 3, 2.5, [1, 2], None, "a"))
        return Case(name, [x], {}, about=name)
    o = {}
    if r.chance(0.75):
        o["axis"] = r.axis(n, tuples=not name.startswith(("arg", "nanarg")))
    if r.chance(0.3):
        o["keepdims"] = r.pick((True, False, 1))
    if name in HAS_DTYPE and r.chance(0.15):
        o["dtype"] = r.pick((r.pick(TYPES), r.pick(INEXACT), float, int, None, "nonsense"))
    if name in HAS_WHERE and r.chance(0.2) or r.chance(0.005):
        o["where"] = r.array("?" if r.chance(0.95) else r.pick(TYPES), r.broadcastable(shape), "small")
    if name in HAS_INITIAL and r.chance(0.2) or r.chance(0.005):
        o["initial"] = r.pick((0, 1, 2, -1, 2.5, 300, True, 1j, None, math.inf, np.float32(3), np.int8(2), "a"))
    if name in DEVIATIONS:
        if r.chance(0.4):
            o[r.pick(("ddof", "ddof", "correction"))] = r.pick((0, 1, 2, 1.5, -1, 100))
            if r.chance(0.02):
                return Case(name, [x], {"ddof": 1, "correction": 1}, about=name)
        if r.chance(0.1):
            mean = reduced(shape, o.get("axis"), True)
            o["mean"] = r.array("d" if char not in COMPLEX else "D", mean, "small")
    if r.chance(0.15) and name not in ("count_nonzero",):
        full = reduced(shape, o.get("axis"), o.get("keepdims"))
        if r.chance(0.06):
            full = r.pick(((2,) + full, full + (1,), full[1:]))
        natural = {"arg": "q"}.get(name.removeprefix("nan")[:3]) or r.pick((char, "d", "q", "D", r.pick(TYPES)))
        o["out"] = r.array(natural if r.chance(0.95) else r.pick(TYPES), full, "small", spread=0.02)
        if r.chance(0.04):
            o["out"] = r.pick((3, None)) if name.startswith("nan") else r.pick((3, [1], (o["out"],), None))
    if name == "median" and (r.chance(0.1)):
        o.pop("out", None)
    if name.endswith("var") or name.endswith("std") or name.endswith("mean"):
        if o.get("out") == 3 and name.startswith("nan"):
            del o["out"]
    wrong = [k for k in o if k in ("axis", "dtype", "out", "initial", "where") and mistaken(x, o, k)]
    for k in wrong[1:]:                                      # one mistake a case: the reported one is unspecified
        del o[k]
    if wrong and wrong[0] != "dtype" and "dtype" in o:
        del o["dtype"]
    if wrong and wrong[0] != "initial" and "initial" in o:
        del o["initial"]
    if wrong:
        for k in ("correction", "ddof"):
            o.pop(k, None)
        if wrong[0] != "out" and isinstance(x, Array):       # nothing and nothing but NaN are mistakes of their own
            x = r.array(x.char, tuple(max(m, 1) for m in shape), "small")
            for k in ("where", "mean"):
                if k in o and wrong[0] != k:
                    del o[k]
            if wrong[0] == "where":
                o["where"] = r.array(o["where"].char, (), "small")
    if r.chance(0.003) and not wrong:
        o.update(r.pick(({"bogus": 1}, {"axes": 0}, {"order": "C"})))
    if name == "median" or name == "nanmedian":
        if r.chance(0.1):
            o["overwrite_input"] = r.chance(0.5)
    path = name
    args = [x]
    if name in METHODS and isinstance(x, Array) and r.chance(0.4):
        path = "." + name
        o.pop("correction", None)
    elif r.chance(0.1) and "axis" in o:
        args.append(o.pop("axis"))
    return Case(path, args, o, writes="out" in o, close=close, about=name)


def _mistaken_axes(axes, n):
    axes = axes if isinstance(axes, tuple) else (axes,)
    return not all(isinstance(a, int) and -n <= a < n for a in axes) or len(set(axes)) < len(axes)


def mistaken(x, o, k):
    """Whether an option may be a wrong one."""
    v, n = o.get(k), len(x.shape) if isinstance(x, Array) else 0
    if k == "axis":
        return v is not None and _mistaken_axes(v, n)
    if k == "dtype":
        return v == "nonsense"
    if k == "out":
        if v is None or not isinstance(x, Array) or mistaken(x, o, "axis"):
            return v is not None
        return not isinstance(v, Array) or v.shape != reduced(x.shape, o.get("axis"), o.get("keepdims"))
    if k == "initial":
        return not isinstance(v, (int, float)) or v != v or v in (math.inf, -1, 300, 2.5)
    return isinstance(v, Array) and v.char != "?"


def reductions(r):
    """sum to median, as functions and methods: axis, keepdims, dtype, out, where, initial, ddof, correction, mean."""
    return call(r, PLAIN)


def nan(r):
    """nansum to nanmedian, of arrays a third of which is NaN."""
    return call(r, NANS)


def scans(r):
    """cumsum and its like, diff, ediff1d, gradient, trapezoid."""
    name = r.pick(SCANS)
    shape = r.shape(300, least_ndim=0 if r.chance(0.1) else 1)
    n = len(shape)
    char = r.pick(TYPES)
    x = r.array(char, shape, flavour(r, name))
    o, args, path = {}, [x], name
    if r.chance(0.01):
        args[0] = r.pick((3, 2.5, [1, 2], None, "a", r.scalar()))
    if "cum" in name:
        if r.chance(0.7) or name.startswith("cumulative") and n != 1:
            o["axis"] = r.axis(n, tuples=False)
        if r.chance(0.2):
            o["dtype"] = r.pick((r.pick(TYPES), float, int, None, "nonsense" if n == 1 and "axis" not in o else "d"))
        if name.startswith("cumulative") and r.chance(0.4):
            o["include_initial"] = r.pick((True, False))
        if r.chance(0.15):
            a = o.get("axis")
            full = (math.prod(shape),) if a is None and not name.startswith("cumulative") else shape
            if a is None and n == 1:
                a = 0
            if o.get("include_initial") and isinstance(a, int) and -n <= a < n:
                full = tuple(m + (k == a % n) for k, m in enumerate(full))
            if n:                                            # NumPy 2.4 crashes: cumulative_sum of 0-d with out=
                o["out"] = r.array(r.pick((char, "d", "D", "q", r.pick(TYPES))), full, "small", spread=0.02)
        if name in ("cumsum", "cumprod") and r.chance(0.3) and isinstance(args[0], Array):
            path = "." + name
    elif name == "diff":
        if r.chance(0.6):
            o["n"] = r.pick((0, 1, 1, 2, 3, 5)) if r.chance(0.98) else r.pick((-1, 1.5, None))
        if o.get("n") in (1, 2, 3, 5) and r.chance(0.6):
            o["axis"] = r.axis(n, tuples=False)
            if not isinstance(o["axis"], int):
                del o["axis"]
        for side in ("prepend", "append"):
            if r.chance(0.15):
                if r.chance(0.5):
                    o[side] = r.pick((0, 1, 2.5, True, r.scalar()))
                else:
                    axis = o.get("axis", -1)
                    full = list(shape)
                    if full and isinstance(axis, int) and -n <= axis < n:
                        full[axis] = r.randrange(3)
                    o[side] = r.array(r.pick((char, r.pick(TYPES))), tuple(full), "small")
    elif name == "ediff1d":
        for side in ("to_begin", "to_end"):
            if r.chance(0.25):
                o[side] = r.pick((0, 1, 2.5, True, -1, 300, 1j, r.array(r.pick((char, r.pick(TYPES))),
                                                                       r.shape(6, most_ndim=2), "small")))
    elif name == "gradient":
        axes = None
        if r.chance(0.5):
            axes = o["axis"] = r.axis(n)
            if axes is not None and _mistaken_axes(axes, n):
                axes = o["axis"] = None
        count = n if axes is None else len(axes) if isinstance(axes, tuple) else 1
        which = range(n) if axes is None else axes if isinstance(axes, tuple) else (axes,)
        if r.chance(0.5):
            for a in [0] if r.chance(0.3) else which:
                m = shape[a] if isinstance(a, int) and -n <= a < n else 3
                args.append(r.pick((1, 2.0, 0.5, r.scalar("dfi", "positive"),
                                    r.array(r.pick("dfiqe"), (m,), "positive"))))
                if r.chance(0.03):
                    args[-1] = r.array("d", (m + 1,), "positive")
        if r.chance(0.4):
            o["edge_order"] = r.pick((1, 2, 3))
        if count > 3:
            o.pop("edge_order", None)
    else:
        if r.chance(0.6):
            o["axis"] = r.axis(n, tuples=False)
        if o.get("axis", 0) is None:
            del o["axis"]
        axis = o.get("axis", -1)
        m = shape[axis] if isinstance(axis, int) and -n <= axis < n else 3
        if r.chance(0.4):
            o[r.pick(("x", "dx"))] = r.pick((1, 2.0, r.array(r.pick(TYPES), r.pick(((m,), shape, (m + 1,))), "small")))
        if isinstance(o.get("x"), (int, float)):
            o["dx"] = o.pop("x")
    return Case(path, args, o, writes="out" in o, close=close, about=name)

FAMILIES = {"reductions": reductions, "nan": nan, "scans": scans}
