"""Cases of creation and conversion for differential.py: ranges, filled, conversions."""
import numpy as np

from differential import FLOATS, REAL, TYPES, Array, Case, alike, made

DTYPES = (*TYPES, float, int, bool, complex, "float32", "i4", np.dtype("u2"), np.float16, None)
WRONG_DTYPES = ("nonsense", 3, b"f4", object())
ORDERS = ("C", "F", "A", "K")


def close(case, got, want):
    """Two ulps of the ends; integers made of what lies within that of one."""
    numbers = [np.asarray(a) for a in case.arrays()[:2]]
    most = max(float(np.max(abs(np.where(np.isfinite(a), a, 0)).astype("f8"), initial=0)) for a in numbers)
    if got.dtype.kind not in "fc":
        return got.dtype.kind != "b" and unholdable(case, got, want)
    power = case.about in ("logspace", "geomspace")
    types = [got.dtype] + [a.dtype for a in numbers if a.dtype.kind in "fc" and
                           any(isinstance(v, (Array, np.generic)) for v in case.args)]
    eps = max(float(np.finfo(t).eps) for t in types)
    spiral = max(abs(want).max(initial=0), abs(got).max(initial=0)) if any(a.dtype.kind == "c" for a in numbers) else 0
    if power:
        return bool(alike(got, want, eps * (16 + 8 * most), eps * (16 + 8 * most) * spiral).all())
    return bool(alike(got, want, eps * 2, eps * 2 * most).all())


def unholdable(case, got, want):
    """Equal but where no integer of the type holds the power."""
    o = dict(case.options)
    o.pop("dtype")
    x = made(case.args, np, {})
    o.pop("retstep", None)
    wide = np.asarray(getattr(np, case.about)(*x, **o))
    off = 2.5e-6 * abs(wide) * _single(case)             # 2^-23 of an exponent up to 8, times the logarithm of 10
    wide = wide.real
    i = np.iinfo(got.dtype)
    return bool(((wide <= i.min) | (wide >= i.max) | ~np.isfinite(wide) | (got == want) |
                 (abs(wide - np.round(wide)) < 1e-6 + off) &
                 (abs(got.astype("f8") - want.astype("f8")) <= np.maximum(1, off))).all())


def _single(case):
    """Whether an end has float32's digits or fewer."""
    return any(np.asarray(a).dtype.char in "efF" for a in case.arrays())


def dtype(r):
    return r.pick(DTYPES) if r.chance(0.98) else r.pick(WRONG_DTYPES)


def end(r, wide=False):
    return r.pick((0, 1, 2, 3, 5, -3, 10, 0.5, -2.5, 7.25, 1e3, True)) if r.chance(0.85) else \
        r.pick((r.scalar("bhiqefd"), r.scalar(FLOATS, "plain")))


def _endless(args):
    """Whether arange's numbers are more than a process should have, and not so many that no array has them."""
    start, stop, step = (0, *args, 1) if len(args) == 1 else (*args, 1) if len(args) == 2 else args
    if stop is None:
        start, stop = 0, start
    try:
        return 1e8 < (float(stop) - float(start)) / float(step) < 1e19
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return False


def ranges(r):
    """arange, linspace, logspace, geomspace."""
    name = r.pick(("arange", "arange", "linspace", "linspace", "logspace", "geomspace"))
    o = {}
    if name == "arange":
        args = [end(r) for _ in range(r.pick((1, 2, 3)))]
        if r.chance(0.03):
            args = [r.pick((1j, "a", None, np.inf, np.nan, 2**63, -2**63, 2**100, [1], 1e30)) for _ in args]
        elif len(args) == 3 and r.chance(0.3):
            args[2] = r.pick((0.1, 1 / 3, -0.7, 0.01, 1e-3 * 7))
        if r.chance(0.5):
            o["dtype"] = dtype(r)
            if r.chance(0.2):
                o = {"dtype": r.pick(TYPES)}
        if _endless(args):                                   # NumPy takes the memory, if it is given
            args = args[:1] * 2
        return Case(name, args, o, strides=True, about=name)
    args = [end(r), end(r)]
    if r.chance(0.2):
        args[r.randrange(2)] = r.pick((1j, 2 - 3j, np.inf, np.nan, -0.0, np.float32(2), np.complex64(1 + 2j)))
    if r.chance(0.25):
        args = [r.array(r.pick(TYPES), s, "positive" if name == "geomspace" else "small")
                for s in r.pick((((3,), (3,)), ((2, 1), (3,)), ((), (2,)), ((0,), (1,)), ((2,), (3,))))]
        if r.chance(0.3):
            args[r.randrange(2)] = end(r)
    if r.chance(0.03):
        return Case(name, [1, 2.5], {"num": r.pick((-1, 2.5, None, "a", True, np.int8(4)))}, close=close, about=name)
    if r.chance(0.8):
        o["num"] = r.pick((0, 1, 2, 3, 5, 7, 10, 50))
    if r.chance(0.3):
        o["endpoint"] = r.pick((True, False))
    if name == "linspace" and r.chance(0.2):
        o["retstep"] = r.pick((True, False))
    if r.chance(0.4):
        o["dtype"] = dtype(r)
    if r.chance(0.1):
        o["axis"] = r.pick((0, -1, 1, 2))
    if name == "logspace" and r.chance(0.3):
        o["base"] = r.pick((2, 2.0, 10, 0.5, np.float32(3), 1, 0))
    if name == "logspace":
        args = [a if not isinstance(a, float) or abs(a) < 50 else 4.0 for a in args]
    return Case(name, args, o, strides=False, close=close, about=name)


def _shape(r):
    if r.chance(0.03):
        return r.pick((-1, (2, -1), 1.5, "a", None, (1.5,), [2, 3], np.int64(3), (np.int8(2), 3), True, 2**62,
                       (2**40, 2**40)))
    s = r.shape(60)
    if len(s) == 1 and r.chance(0.5):
        return s[0]
    return list(s) if r.chance(0.2) else s


def _value(r):
    k = r.random()
    if k < 0.55:
        return r.python()
    if k < 0.75:
        return r.scalar(TYPES, r.pick(("small", "wide")))
    if k < 0.95:
        return r.array(r.pick(TYPES), r.pick(((), (1,), (3,), (2, 1))), r.pick(("small", "special")))
    return r.pick(([1, 2, 3], (1, 2.5, 3), [1j, 2, 3], [[1], [2]], "a", None, [True, 2, 0.5], []))


def filled(r):
    """zeros, ones, empty, full, their *_like, eye, identity, tri."""
    name = r.pick(("zeros", "ones", "empty", "full", "full", "zeros_like", "ones_like", "empty_like", "full_like",
                   "eye", "identity", "tri"))
    o = {}
    if name in ("eye", "tri"):
        args = [r.pick((0, 1, 2, 3, 5))] if r.chance(0.97) else [r.pick((-1, "a", None, np.int8(3)))]
        if r.chance(0.5):
            args.append(r.pick((0, 1, 2, 4, None)))
        if r.chance(0.5):
            o["k"] = r.pick((0, 1, -1, 3, -7, 10, np.int16(1))) if r.chance(0.97) else r.pick((None, "a"))
            args[0] = 3 if o["k"] in (None, "a") else args[0]   # one mistake a case
    elif name == "identity":
        args = [r.pick((0, 1, 2, 3, 5))] if r.chance(0.97) else [r.pick((-1, "a", None, np.int8(3)))]
    elif name.endswith("_like"):
        args = [r.array(r.pick(TYPES), r.shape(60), "small")]
        if r.chance(0.2):
            o["shape"] = _shape(r)
        if r.chance(0.1):
            o["subok"] = r.pick((True, False))
            o["subok"] = False
    else:
        args = [_shape(r)]
    if name.startswith("full"):
        args.append(_value(r))
    if r.chance(0.6):
        o["dtype"] = dtype(r)
    if r.chance(0.3) and name not in ("identity", "tri") and o.get("k", 0) not in (None, "a"):
        o["order"] = r.pick(ORDERS if name.endswith("_like") else "CF") if r.chance(0.97) else r.pick(("Z", 3))
    return Case(name, args, o, strides=True, values=not name.startswith("empty"), about=name)


def _nested(r, depth=0):
    k = r.random()
    if depth > 2 or k < 0.55:
        return r.python("bifc" if r.chance(0.2) else "bif") if r.chance(0.8) else r.scalar()
    n = r.randrange(4)
    if r.chance(0.9):
        shape = r.pick(((n,), (n, 2), (2, n), (2, 1, n)))
        return _full(r, shape)
    return [_nested(r, depth + 1) for _ in range(n)]


def _full(r, shape):
    if not shape:
        return r.python("bif") if r.chance(0.85) else r.scalar(REAL)
    t = tuple if r.chance(0.2) else list
    return t(_full(r, shape[1:]) for _ in range(shape[0]))


def conversions(r):
    """array, asarray, asanyarray, ascontiguousarray, asfortranarray, copy, astype, copyto, fill, item, tolist."""
    name = r.pick(("array", "array", "asarray", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray", "copy",
                   ".copy", ".astype", ".astype", ".astype", "astype", "copyto", ".fill", ".item", ".tolist"))
    o = {}
    char = r.pick(TYPES)
    how = r.pick(("small", "positive", "plain", "wide", "special"))
    x = r.array(char, r.shape(100), how)
    args = [x]
    case = Case(name, args, o, strides=True, about=name, close=unfit)
    if name in ("array", "asarray", "asanyarray", "ascontiguousarray", "asfortranarray"):
        if r.chance(0.45):
            args[0] = _nested(r)
        elif r.chance(0.1):
            args[0] = r.pick((r.python(), r.scalar(), None, "a", b"a", {}, object(), [None], ["a", 1], [[1], [1, 2]],
                              [[], []], range(5), (i for i in ()), 2**64, [2**63, 1], [2**64], [-1, 2**63],
                              [2**100, 1]))
        elif r.chance(0.1):
            args[0] = [r.array(char, x.shape, how), r.array(r.pick(TYPES), x.shape, how)]
        if r.chance(0.5):
            o["dtype"] = dtype(r)
        if name in ("array", "asarray", "asanyarray") and r.chance(0.3):
            o["order"] = r.pick(ORDERS) if r.chance(0.98) else r.pick(("Z", 3))
        if name in ("array", "asarray") and r.chance(0.2):
            o["copy"] = r.pick((True, False, None))
        if name == "array" and r.chance(0.2):
            o["ndmin"] = r.pick((0, 1, 2, 3, 5)) if r.chance(0.95) else r.pick((-1, 70, 1.5, None))
    elif name in ("copy", ".copy"):
        if r.chance(0.5):
            o["order"] = r.pick(ORDERS) if r.chance(0.98) else r.pick(("Z", 3))
    elif name == ".astype":
        args.append(dtype(r))
        if r.chance(0.3):
            o["order"] = r.pick(ORDERS)
        if r.chance(0.3):
            o["casting"] = r.pick(("no", "equiv", "safe", "same_kind", "unsafe")) if r.chance(0.97) else "wrong"
        if r.chance(0.3):
            o["copy"] = r.pick((True, False))
    elif name == "astype":
        args.append(dtype(r))
        if r.chance(0.3):
            o["copy"] = r.pick((True, False))
    elif name == "copyto":
        case.writes = True
        x = args[0] = r.array(char, x.shape, how, spread=0.02)
        src = r.array(r.pick((char, r.pick(TYPES))), r.broadcastable(x.shape), how) if r.chance(0.7) else _value(r)
        if r.chance(0.15):
            src = r.out_over(x, x.shape, x.char) or src
        args.append(src)
        if r.chance(0.3):
            o["casting"] = r.pick(("no", "equiv", "safe", "same_kind", "unsafe"))
        if r.chance(0.3):
            o["where"] = r.array("?" if r.chance(0.95) else r.pick(TYPES), r.broadcastable(x.shape), "small") \
                if r.chance(0.9) else r.pick((True, False))
    elif name == ".fill":
        case.writes = True
        args[0] = r.array(char, x.shape, how, spread=0.02)
        args.append(r.python() if r.chance(0.6) else r.scalar() if r.chance(0.5) else _value(r))
    return case


def unfit(case, got, want):
    """Floating numbers that no integer of the type holds become what the processor makes of them."""
    if got.dtype.kind not in "biu" or got.dtype.kind == "b":
        return False
    source = case.args[0] if case.about not in ("copyto", ".fill") else case.args[1]
    x = made(source, np, {})
    if isinstance(x, (list, tuple)):
        x = np.array([np.asarray(e) for e in x]) if x and isinstance(x[0], np.ndarray) else np.array(x)
    x = np.asarray(x)
    if x.dtype.kind not in "fc" or x.shape != got.shape and case.about != "copyto":
        return False
    x = np.broadcast_to(x, got.shape)
    i = np.iinfo(got.dtype)
    with np.errstate(all="ignore"):
        holds = (x.real > i.min - 1.0) & (x.real < i.max + 1.0) & np.isfinite(x.real)
    return bool((~holds | (got == want)).all())

FAMILIES = {"ranges": ranges, "filled": filled, "conversions": conversions}
