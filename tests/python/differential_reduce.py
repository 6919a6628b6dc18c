"""Cases of reductions, of those without NaN, and of scans, for differential.py: reductions, nan, scans.

Sums of small numbers have one answer; where others are drawn, the bound is that of any order of additions."""
import math

import numpy as np

from cuprite import _device
from differential import COMPLEX, INEXACT, INTEGERS, TYPES, Array, Case, Known, alike
from differential_ufunc import reads_out, refused

PLAIN = ["sum", "prod", "mean", "var", "std", "min", "max", "amin", "amax", "ptp", "argmin", "argmax", "any", "all",
         "count_nonzero", "median"]
NANS = ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmin", "nanmax", "nanargmin", "nanargmax", "nanmedian"]
METHODS = {"sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all"}
SCANS = ["cumsum", "cumprod", "cumulative_sum", "cumulative_prod", "nancumsum", "nancumprod", "diff", "ediff1d", "gradient",
         "trapezoid"]
HAS_WHERE = {"sum", "prod", "mean", "var", "std", "min", "max", "amin", "amax", "any", "all", "nansum", "nanprod", "nanmean",
             "nanvar", "nanstd", "nanmin", "nanmax"}
HAS_INITIAL = {"sum", "prod", "min", "max", "amin", "amax", "nansum", "nanprod", "nanmin", "nanmax"}
HAS_DTYPE = {"sum", "prod", "mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd"}
DEVIATIONS = {"var", "std", "nanvar", "nanstd"}
NO_KEEP = {"trapezoid"}


def close(case, got, want):
    """What another order of additions or multiplications may give: some units of the largest terms."""
    name = case.about
    if got.dtype.kind in "iu":                               # floating results that became whole numbers
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
    bound = eps * 16 * max(scale, 1e-300)
    if name in ("std", "nanstd"):
        bound = math.sqrt(eps) * 4 * most    # of a variance that cancels to about nothing
        bound = max(bound, 2.5e-4 if x.dtype.char == "e" else 0)   # of a variance that NumPy rounds to float16's zero
        near = alike(got, want, eps * 64) | (abs(got) <= bound) & (abs(want) <= bound)
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
        return r.pick(("unit", "unit", "small"))
    return r.pick(("small", "small", "small", "special", "plain"))


def call(r, names):
    name = r.pick(names)
    shape = r.shape(400)
    n = len(shape)
    char = r.pick(TYPES)
    how = flavour(r, name)
    if name in ("min", "max", "amin", "amax", "ptp", "argmin", "argmax", "any", "all", "count_nonzero") and r.chance(0.5):
        how = "wide"
    x = r.array(char, shape, how)
    if r.chance(0.01):
        x = r.pick((r.scalar(), 3, 2.5, [1, 2], None, "a"))
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
                o.update({"ddof": 1, "correction": 1})
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
            o["out"] = r.pick((3, [1], (o["out"],), None))
    if name == "median" and (r.chance(0.1)):
        o.pop("out", None)
    wrong = [k for k in o if k in ("axis", "dtype", "out", "initial", "where") and mistaken(x, o, k)]
    for k in wrong[1:]:                                      # one mistake a case: which of two is told is nobody's
        del o[k]
    if wrong:
        o.pop("correction", None)
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


def mistaken(x, o, k):
    """Whether an option may be a wrong one."""
    v, n = o.get(k), len(x.shape) if isinstance(x, Array) else 0
    if k == "axis":
        axes = v if isinstance(v, tuple) else (v,)
        return v is not None and (not all(isinstance(a, int) and -n <= a < n for a in axes) or len(set(axes)) < len(axes))
    if k == "dtype":
        return v == "nonsense"
    if k == "out":
        return v is not None and (not isinstance(v, Array) or v.shape != reduced(x.shape, o.get("axis"), o.get("keepdims"))
                                  if isinstance(x, Array) and not mistaken(x, o, "axis") else True)
    if k == "initial":
        return not isinstance(v, (int, float)) or v != v or v in (math.inf, -1, 300, 2.5)
    return isinstance(v, Array) and v.char != "?"


def reductions(r):
    """sum to median, as functions and as methods: axis, keepdims, dtype, out, where, initial, ddof, correction, mean."""
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
            o["n"] = r.pick((0, 1, 1, 2, 3, 5, -1, 1.5, None))
        if r.chance(0.6):
            o["axis"] = r.axis(n, tuples=False)
            if o["axis"] is None:
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
        count = n if axes is None else len(axes) if isinstance(axes, tuple) else 1
        which = range(n) if axes is None else axes if isinstance(axes, tuple) else (axes,)
        if r.chance(0.5):
            for a in [0] if r.chance(0.3) else which:
                m = shape[a] if isinstance(a, int) and -n <= a < n else 3
                args.append(r.pick((1, 2.0, 0.5, r.scalar("dfi", "positive"), r.array(r.pick("dfiqe"), (m,), "positive"))))
                if r.chance(0.03):
                    args[-1] = r.array("d", (m + 1,), "positive")
        if r.chance(0.4):
            o["edge_order"] = r.pick((1, 2, 3))
        if count > 3:
            o.pop("edge_order", None)
    else:
        if r.chance(0.6):
            o["axis"] = r.axis(n, tuples=r.chance(0.05))
        axis = o.get("axis", -1)
        m = shape[axis] if isinstance(axis, int) and -n <= axis < n else 3
        if r.chance(0.4):
            o[r.pick(("x", "dx"))] = r.pick((1, 2.0, r.array(r.pick(TYPES), r.pick(((m,), shape, (m + 1,))), "small")))
        if isinstance(o.get("x"), (int, float)):
            o["dx"] = o.pop("x")
    return Case(path, args, o, writes="out" in o, close=close, about=name)




def whole(case, wrong):
    """Means and deviations in whole numbers: NumPy converts on the way, the result here is converted."""
    o = case.options
    kinds = [np.dtype(o["dtype"]).kind if o.get("dtype") not in (None, "nonsense") else "",
             np.dtype(o["out"].char).kind if isinstance(o.get("out"), Array) else ""]
    return wrong.startswith(("value", "after")) and case.about in ("mean", "var", "std", "median", "nanmean", "nanvar",
                                                                   "nanstd", "nanmedian") and \
        any(k and k in "biu" for k in kinds)


def converted_extreme(case, wrong):
    return wrong.startswith(("value", "after")) and isinstance(case.options.get("out"), Array) and \
        case.about in ("min", "max", "amin", "amax", "ptp", "nanmin", "nanmax") and \
        case.options["out"].char != getattr(case.args[0], "char", None)


def parts_apart(case, wrong):
    """The mean of complex numbers divides each part by itself: an infinite one leaves no NaN in the other."""
    x = case.arrays()[0]
    complexes = x.dtype.kind == "c" or any("c" == np.dtype(t).kind for t in (
        case.options.get("dtype"), getattr(case.options.get("out"), "char", None)) if t and t != "nonsense")
    return wrong.startswith(("value", "after")) and case.about.endswith(("mean", "median", "var", "std")) and \
        complexes and "nan" in wrong


def told_by_elements(case, wrong):
    on_cpu = _device.current() < 0
    return wrong.startswith("warning") and ("where" in case.options or "nan" in case.about and not on_cpu)


def no_operand(case, wrong):
    return wrong.startswith("error: TypeError") and not isinstance(case.args[0], Array)


def unfit(case, wrong):
    """Floating numbers that no whole number of the type holds are nobody's, of dtype= and out=."""
    return False


def in_out(case, wrong):
    """NumPy gathers in the type of dtype= or out=, where a narrower one overflows or rounds at each step; out of
    complex numbers is read on the way, with a warning; negative numbers and whole numbers too large for an unsigned or
    a narrow type are nobody's."""
    o = case.options
    if case.about not in PLAIN + NANS + SCANS:
        return False
    wide = np.dtype(getattr(case.args[0], "char", "d"))
    narrow = [np.dtype(t) for t in (o.get("dtype"), getattr(o.get("out"), "char", None)) if t and t != "nonsense"]
    if wrong.startswith("warning"):
        return any(t.kind == "c" for t in narrow)
    return wrong.startswith(("value", "after")) and (
        any(t.char == "e" and wide.char != "e" for t in narrow) or
        any(t.kind in "iu" for t in narrow) and (wide.kind in "fc" or any(t.kind in "fc" for t in narrow)))


KNOWN = [
    Known("NumPy warns of imaginary parts of out's old elements below a mask, which stay", reads_out),
    Known("CuPy: lists, strings and objects are no operands (no implicit conversion)", refused),
    Known("CuPy: a dtype without elements here (object, strings) is a ValueError",
          lambda case, wrong: wrong.startswith("error: ValueError") and "Unsupported dtype" in wrong),
    Known("where NumPy gathers in the type of out= or dtype=, overflows and roundings on the way", in_out),
    Known("an axis that is none is an AxisError, which is an IndexError and a ValueError", lambda case, wrong:
          wrong.startswith(("error: AxisError for IndexError", "error: AxisError for ValueError"))),
    Known("an out of a wrong shape and a wrong type", lambda case, wrong:
          wrong.startswith("error: TypeError for ValueError") and "Cannot cast output" in wrong),
    Known("NumPy looks whether a read-only input may be overwritten, which nobody does here", lambda case, wrong:
          "read-only" in wrong and case.options.get("overwrite_input")),
    Known("float16 and float32 are gathered in float64 (docs/python.md)", lambda case, wrong:
          wrong.startswith("value") and "cum" in case.about and ("inf" in wrong or "nan" in wrong) and
          getattr(case.args[0], "char", "d") in "efF"),
    Known("means and deviations in whole numbers convert the result (docs/python.md)", whole),
    Known("extremes with out= of another type are found, then converted (docs/python.md)", converted_extreme),
    Known("means of complex infinities divide each part by itself (docs/python.md)", parts_apart),
    Known("what only a mask's elements tell is not warned of", told_by_elements),
    Known("NumPy's median of nothing along no axes does not come to an end it means to", lambda case, wrong:
          "cannot reshape" in wrong and case.about == "median"),
    Known("median may leave its overwritten input in any order", lambda case, wrong: wrong.startswith("after") and
          case.options.get("overwrite_input")),
    Known("CuPy: numbers, lists and strings are no operands of reductions and scans (no implicit conversion)", no_operand),
]

FAMILIES = {"reductions": (reductions, KNOWN), "nan": (nan, KNOWN), "scans": (scans, KNOWN)}
