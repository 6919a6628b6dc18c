"""Cases for differential.py: composites of other operations, and functions of types alone."""
import math

import numpy as np

from differential import COMPLEX, FLOATS, REAL, TYPES, Array, Case, alike

ONE = ["around", "round", ".round", "fix", "nan_to_num", "real_if_close", "angle", "unwrap", "sinc", "i0", "iscomplex",
       "isreal", "isneginf", "isposinf", "iscomplexobj", "isrealobj", "isfortran", "isscalar", "iterable", ".conjugate"]
TWO = ["isclose", "allclose", "array_equal", "array_equiv"]
WINDOWS = ["bartlett", "blackman", "hamming", "hanning", "kaiser"]
POLYNOMIALS = ["poly", "roots", "polyfit", "polydiv", "polynomial.polynomial.polymul", "polynomial.polynomial.polysub",
               "polynomial.polynomial.polydiv", "polynomial.polynomial.polypow", "polynomial.polynomial.polyval",
               "polynomial.polynomial.polyder", "polynomial.polynomial.polyint", "polynomial.polynomial.polymulx",
               "polynomial.polynomial.polyline", "polynomial.polynomial.polytrim",
               "polynomial.polynomial.polyfromroots",
               "polynomial.polynomial.polyroots", "polynomial.polynomial.polycompanion",
               "polynomial.polynomial.polyvalfromroots", "polynomial.polynomial.polyval2d",
               "polynomial.polynomial.polyval3d"]


def close(case, got, want):
    """Some ulps; of what cancels, those of the largest element."""
    if case.about in ("round", "around") and got.dtype.kind in "iu":     # beyond the type: what the processor makes
        exact = np.round(case.arrays()[0].astype("f8"), case.options.get("decimals", 0))
        i = np.iinfo(got.dtype)
        return bool(((got == want) | (exact > i.max) | (exact < i.min)).all())
    if got.dtype.kind not in "fc":
        return False
    types = [got.dtype] + [a.dtype for a in case.arrays()[:1] if a.dtype.kind in "fc"]
    eps = max(float(np.finfo(t).eps) for t in types)
    most = float(np.max(abs(np.where(np.isfinite(want), want, 0)), initial=0))
    if case.about in ("unwrap", "polyfit", "roots", "poly") or "poly" in case.about or case.about in WINDOWS:
        return bool(alike(got, want, eps * 1000, eps * 1000 * max(most, 1)).all())
    if case.about == "clip":                                 # zeros of either sign
        return bool(np.array_equal(got, want, equal_nan=True))
    if case.about == "sinc":                                 # pi times the argument is rounded
        x = case.arrays()[0]
        eps *= 1 + float(np.max(abs(np.where(np.isfinite(x), x, 0)), initial=0))
        if x.dtype.char == "F":                              # NumPy's sine overflows where the quotient does not
            near = alike(got, want, eps * 16, eps * 16)
            exact = np.sinc(x.astype("D")).astype("F")
            return bool((near | ~np.isfinite(want) & alike(got, exact, eps * 16)).all())
    if case.about == "i0" and got.dtype.char == "e":         # NumPy's polynomials of float16 are float16
        return bool(alike(got, np.i0(case.arrays()[0].astype("f4")).astype("e"), eps * 2).all())
    return bool(alike(got, want, eps * 16, eps * 16 if case.about in ("sinc", "angle") else 0).all())


def composites(r):
    """clip, round, nan_to_num, angle, unwrap, isclose, array_equal, windows and their like; polynomials."""
    kind = r.random()
    if kind < 0.45:
        return _one(r)
    if kind < 0.6:
        return _two(r)
    if kind < 0.75:
        return _clip(r)
    if kind < 0.8:
        name = r.pick(WINDOWS)
        n = r.pick((0, 1, 2, 3, 5, 12, 33)) if r.chance(0.97) else r.pick((-1, 2.5, "a", None))
        return Case(name, [n] + [r.pick((0, 2.5, 14))] * (name == "kaiser"), {}, close=close, about=name)
    return _polynomial(r)


def _one(r):
    name = r.pick(ONE)
    char = r.pick(REAL) if name in ("fix", "isneginf", "isposinf", "unwrap", "i0") and r.chance(0.97) else r.pick(TYPES)
    x = r.array(char, r.shape(150), r.pick(("small", "special", "plain")))
    o = {}
    if name.endswith("round") or name == "around":
        if r.chance(0.6):
            o["decimals"] = r.pick((0, 1, 2, -1, -2, 5)) if r.chance(0.98) else r.pick((1.5, "a", None))
        if r.chance(0.1):
            o["out"] = r.array(r.pick((char, "d", r.pick(TYPES))), x.shape, "small", spread=0)
    elif name == "nan_to_num":
        for word in ("nan", "posinf", "neginf"):
            if r.chance(0.3):
                o[word] = r.pick((0.0, 1, -2.5, 7, None if word != "nan" else 3))
        if r.chance(0.2):
            o["copy"] = r.pick((True, False))
    elif name == "real_if_close" and r.chance(0.5):
        o["tol"] = r.pick((0, 100, 1e-3))
    elif name == "angle" and r.chance(0.5):
        o["deg"] = r.chance(0.5)
    elif name == "unwrap":
        x = r.array(char, r.shape(150, least_ndim=1), "small")
        if r.chance(0.4):
            o["axis"] = r.pick((-1, 0)) if r.chance(0.97) else 7
        if r.chance(0.3):
            o["period"] = r.pick((4, 2.5, 2 * math.pi))
        if r.chance(0.2):
            o["discont"] = r.pick((None, 1, 5))
    elif name in ("isneginf", "isposinf", "fix") and r.chance(0.15):
        o["out"] = r.array("?" if name != "fix" else r.pick("fd"), x.shape, "small", spread=0)
    args = [x]
    if r.chance(0.02) and not name.startswith(".") and name != "isfortran" and "out" not in o:
        args[0] = r.pick((3, 2.5, None, "a", [1, 2], 1j, r.scalar()))
    return Case(name, args, o, writes="out" in o, close=close, about=name.strip("."))


def _two(r):
    name = r.pick(TWO)
    how = r.pick(("small", "special", "plain"))
    shape = r.shape(150)
    char = r.pick(TYPES)
    x = r.array(char, shape, how)
    y = x if r.chance(0.2) else r.array(r.pick((char, r.pick(TYPES))), r.broadcastable(shape), how)
    o = {}
    if name.endswith("close"):
        for word in ("rtol", "atol"):
            if r.chance(0.3):
                o[word] = r.pick((0, 1e-3, 0.7, 2.3))
        if r.chance(0.4):
            o["equal_nan"] = r.chance(0.5)
    elif name == "array_equal" and r.chance(0.5):
        o["equal_nan"] = r.chance(0.7)
    return Case(name, [x, y if r.chance(0.95) else r.pick((1, 2.5, 1j, [1, 2]))], o, about=name)


def _clip(r):
    shape = r.shape(150)
    char = r.pick(REAL)
    how = r.pick(("small", "special", "wide"))
    x = r.array(char, shape, how)

    def bound():
        k = r.random()
        if k < 0.2:
            return None
        if k < 0.6:
            return r.pick((0, 1, -2, 3, 2.5, 300, -1, np.inf, math.nan, True))
        if k < 0.7:
            return r.scalar(REAL)
        return r.array(r.pick((char, r.pick(REAL))), r.broadcastable(shape), "small")
    o = {}
    args = [x, bound(), bound()]
    name = r.pick(("clip", "clip", ".clip"))
    if r.chance(0.2):
        o["out"] = r.array(r.pick((char, "d", r.pick(TYPES))), shape, "small", spread=0)
    if r.chance(0.1):
        o.update(min=args.pop(1), max=args.pop(1))
    return Case(name, args, o, writes="out" in o, close=close, about="clip")


def _coefficients(r, most=4, least=1):
    n = r.randrange(least, most + 1)
    return r.array(r.pick("ddddfqiFDB"), (n,), "positive")


def _polynomial(r):
    name = r.pick(POLYNOMIALS)
    short = name.rpartition(".")[2]
    o = {}
    args = [_coefficients(r)]
    if short in ("polydiv", "polymul", "polysub"):
        args.append(_coefficients(r))
    elif short == "polypow":
        args.append(r.pick((0, 1, 2, 3)) if r.chance(0.95) else r.pick((-1, 1.5)))
    elif short in ("polyval", "polyvalfromroots"):
        args = [r.array("d", r.shape(12, most_ndim=2), "small"), r.array("d", (3,), "small")]
        if r.chance(0.3):
            o["tensor"] = r.chance(0.5)
    elif short in ("polyder", "polyint"):
        if r.chance(0.6):
            o["m"] = r.pick((0, 1, 2, 5)) if r.chance(0.96) else r.pick((-1, 1.5))
        if r.chance(0.3):
            o["scl"] = r.pick((1, 2.0))
    elif short == "polyline":
        args = [r.pick((0, 1, 2.5)), r.pick((0, 1, -2))]
    elif short == "polytrim" and r.chance(0.5):
        o["tol"] = r.pick((0, 1, 2.5)) if r.chance(0.95) else -1
    elif short == "polyfit":
        n = r.pick((3, 5, 8))
        args = [np.arange(n), r.array(r.pick("dfq"), (n,), "small"), r.pick((0, 1, 2)) if r.chance(0.96) else -1]
        args[0] = _ramp(n)
    elif short == "polycompanion":
        args = [_coefficients(r, 4, 2 if r.chance(0.9) else 1)]
    elif short in ("polyval2d", "polyval3d"):
        k = 2 + (short == "polyval3d")
        args = [r.array("d", (3,), "small") for _ in range(k)] + [r.array("d", (2,) * k, "small")]
    elif short == "poly" and r.chance(0.3):
        args = [r.array("d", (2, 2), "small")]
        args[0] = _symmetric()
    values = short not in ("roots", "polyroots") or args[0].shape[0] < 3      # of more, the order is nobody's
    return Case(name, args, o, close=close, values=values, about=short)


def _ramp(n):
    from differential import Buffer
    return Array(Buffer(np.arange(n, dtype="d")), (), (n,), "d")


def _symmetric():
    from differential import Buffer
    return Array(Buffer(np.array([2.0, 1, 1, 5])), (("reshape", (2, 2)),), (2, 2), "d")


# --- types ---

NAMED = [np.dtype(t) for t in TYPES] + [np.dtype(t).name for t in TYPES] + list(TYPES) + [float, int, bool, complex,
                                                                                         np.float32, np.int8]
ABSTRACT = [np.number, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.floating, np.complexfloating,
            np.generic]
KINDS = ["bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric"]


def types(r):
    """can_cast, result_type, promote_types, isdtype and others whose answer only types decide."""
    name = r.pick(("can_cast", "result_type", "promote_types", "min_scalar_type", "isdtype", "issubdtype",
                   "common_type", "mintypecode", "typename", "broadcast_shapes", "base_repr", "binary_repr"))
    named = lambda: r.pick(NAMED) if r.chance(0.97) else r.pick(("nonsense", 3, None))  # noqa: E731
    o = {}
    if name == "can_cast":
        args = [named(), named()]
        if r.chance(0.6):
            args.append(r.pick(("no", "equiv", "safe", "same_kind", "unsafe") if r.chance(0.97) else ("bogus", 3)))
        if r.chance(0.05):
            args[0] = r.pick((1, 2.5, r.scalar()))
    elif name == "result_type":
        args = [r.pick((named(), r.python("bif"), r.scalar(), r.array(r.pick(TYPES), r.shape(6), "small")))
                for _ in range(r.pick((1, 2, 2, 3, 0)))]
    elif name == "promote_types":
        args = [named(), named()]
    elif name == "min_scalar_type":
        args = [r.pick((r.python(), r.scalar(TYPES, "wide")))]
    elif name == "isdtype":
        args = [r.pick(NAMED[:len(TYPES)]), r.pick(
            KINDS if r.chance(0.8) else (("bool", "integral"), "bogus", np.float32))]
    elif name == "issubdtype":
        args = [named(), r.pick(ABSTRACT + NAMED)]
    elif name == "common_type":
        args = [r.array(r.pick(TYPES), r.shape(6), "small") for _ in range(r.pick((1, 2, 3)))]
    elif name == "mintypecode":
        args = ["".join(r.pick("?bhilefdFD") for _ in range(r.pick((1, 2, 3))))]
    elif name == "typename":
        args = [r.pick("?bBhHiIlLqQfdFD")]
    elif name == "broadcast_shapes":
        s = r.shape(60)
        args = [s, *(r.broadcastable(s, 0.1) for _ in range(r.randrange(3)))]
    elif name == "base_repr":
        args = [r.randrange(-99, 99), r.randrange(1, 38), r.randrange(4)]
    else:
        args = [r.randrange(-99, 99), r.pick((None, 3, 8, 12))]
    return Case(name, args, o, about=name)


FAMILIES = {"composites": composites, "types": types}
