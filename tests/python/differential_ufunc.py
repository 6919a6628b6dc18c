"""Cases of ufuncs and of their methods, for differential.py: families unary, binary, several, methods.

Values: the row's bound in ulps of NumPy's result or of its long double's (test_elementwise), the
very bits where the row has none; methods join small numbers, whose sums have one answer."""
import numpy as np

import cuprite as cp
from differential import COMPLEX, TYPES, WRONG, Array, Buffer, Case, alike, made, same
from test_elementwise import ANY_ZERO, CANCELS, MODERATE, ROW, bound_of, error, several
from test_ufunc import LOOSE

UFUNCS = sorted(n for n in dir(np) if isinstance(getattr(np, n), np.ufunc)
                and isinstance(getattr(cp, n, None), cp.ufunc) and getattr(np, n).signature is None)
UNARY = [n for n in UFUNCS if getattr(np, n).nin == 1 and getattr(np, n).nout == 1]
BINARY = [n for n in UFUNCS if getattr(np, n).nin == 2 and getattr(np, n).nout == 1]
SEVERAL = [n for n in UFUNCS if getattr(np, n).nout > 1]
OPERATORS = {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "floordiv": "floor_divide",
             "mod": "remainder", "pow": "power", "lshift": "left_shift", "rshift": "right_shift", "and_": "bitwise_and",
             "or_": "bitwise_or", "xor": "bitwise_xor", "eq": "equal", "ne": "not_equal", "lt": "less",
             "le": "less_equal", "gt": "greater", "ge": "greater_equal", "iadd": "add", "isub": "subtract",
             "imul": "multiply", "itruediv": "divide", "ifloordiv": "floor_divide", "imod": "remainder",
             "ipow": "power", "ilshift": "left_shift", "irshift": "right_shift", "iand": "bitwise_and",
             "ior": "bitwise_or", "ixor": "bitwise_xor"}
UNARY_OPERATORS = {"neg": "negative", "pos": "positive", "invert": "invert", "abs": "absolute"}
SHIFTS = ("left_shift", "right_shift", "bitwise_left_shift", "bitwise_right_shift")
COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
CASTINGS = ("no", "equiv", "safe", "same_kind", "unsafe", "same_kind", "unsafe")
#: chosen by its own arguments: what NumPy's loops of these take to be one (pow and power are one ufunc, ...)
ALIAS = {n: getattr(np, n).__name__ for n in UFUNCS}
ALIAS.update({"abs": "absolute", "pow": "power"})


def objects(name):
    """A dtype of objects, but where NumPy would make Python's integers of 10^9 digits."""
    return "S3" if name.startswith(("power", "left_shift", "op:")) else "O"


def row_name(name):
    """The row's name in the table of a ufunc's name."""
    n = ALIAS.get(name, name)
    if n in ROW:
        return n
    for row in ROW:
        if n in ROW[row].get("aliases", ()):
            return row
    return n


ROWS = {n: row_name(n) for n in UFUNCS}


def wide(f, arrays, index, dtype):
    """NumPy's result from long double, where it has such a loop."""
    g = "G" if dtype.kind == "c" or any(a.dtype.kind == "c" for a in arrays) else "g"
    try:
        return np.asarray(several(f(*[a.astype(g) for a in arrays]))[index]).astype(dtype)
    except TypeError:
        return None


def close(case, got, want):
    """Within the row's bound, of NumPy's result or of that from long double; zeros of either sign where the table says
    so; integers made of what no integer holds are nobody's."""
    if shared_under_mask(case):
        return masked(case, got, want)
    return within(case, got, want)


def shared_under_mask(case):
    """NumPy rewrites what a mask leaves where out lies in an operand's memory: through bool, say, so that 9 is 1."""
    out, where = case.options.get("out"), case.options.get("where")
    outs = [o for o in (out if isinstance(out, tuple) else (out,)) if isinstance(o, Array)]
    return (isinstance(where, Array) or where is False) and \
        any(isinstance(a, Array) and a.buffer is o.buffer for a in case.args for o in outs)


def masked(case, got, want):
    """What the mask leaves is what it was; the rest is NumPy's."""
    out = case.options["out"]
    mask = np.broadcast_to(made(case.options["where"], np, {}), got.shape).astype(bool)
    outs = [o.plain for o in (out if isinstance(out, tuple) else (out,)) if isinstance(o, Array)]
    if not any(o.dtype == got.dtype and same(got[~mask], o[~mask]) for o in outs):
        return False
    want = want.copy()
    want[~mask] = got[~mask]
    return same(got, want) or within(case, got, want)


def within(case, got, want):
    name = case.about
    row = ROWS[name]
    f = getattr(np, name)
    arrays = [np.asarray(a) for a in case.arrays()[:f.nin]]
    if want.dtype.kind == "b" and "out" in case.options and f.nout == 1:
        # NumPy 2.4's isnan, signbit and their like leave elements of a strided out as they were
        return bool(np.array_equal(got, np.broadcast_to(f(*arrays), got.shape)))
    if want.dtype.kind in "biu":
        return unfit(case, f, arrays, got, want)
    halves = any(isinstance(a, Array) and a.char == "e" or isinstance(a, np.float16) for a in case.args)
    if row in ANY_ZERO or row == "nextafter" and halves:     # float16's zeros: C's, and NumPy's from 2.5 on
        return bool(((got == want) | np.isnan(got) & np.isnan(want)).all())
    dtype = case.options.get("dtype")
    if case.options.get("out") is not None and f.nout == 1:  # what was computed may have fewer digits than out
        computed = {} if dtype is None else {"dtype": dtype, "casting": "unsafe"}
        whole = f(*[a.plain if isinstance(a, Array) else a for a in case.args[:f.nin]], **computed)
        natural = whole.dtype
        if natural.kind == "c" and got.dtype.kind == "f":    # a part is as exact as the whole
            got, want = ((v + 1j * whole.imag).astype(natural) for v in (got, want))
        elif natural.kind in "fc" and np.finfo(natural).eps > np.finfo(got.dtype).eps:
            if natural.kind == "f" and got.dtype.kind == "c":
                if not same(got.imag, want.imag):
                    return False
                got, want = got.real, want.real
            got, want = got.astype(natural), want.astype(natural)
    bound = bound_of(row, got.dtype)
    if not bound:
        return False
    if row in CANCELS and got.dtype.kind == "f":
        largest = np.maximum(*[np.where(np.isfinite(a), abs(a), 0) for a in arrays])
        bound = bound * np.fmax(1, largest / np.maximum(abs(want), np.finfo(want.dtype).tiny))
    e = error(got, want)
    if dtype is not None:
        arrays = [a.astype(dtype) if np.dtype(dtype).kind in "fc"[a.dtype.kind == "c":] else a for a in arrays]
    try:
        best = wide(f, arrays, 0 if case.about not in SEVERAL else None, want.dtype)
    except TypeError:
        best = None
    if best is not None:
        e = np.minimum(e, error(got, np.broadcast_to(best, got.shape)))
    if got.dtype.kind == "c":                                # a part that is finite beside one that is not
        parts = np.maximum(error(got.real, want.real), error(got.imag, want.imag))
        e = np.where(np.isfinite(want) | np.isnan(want), e, np.minimum(e, parts))
        if row in ("power", "float_power"):                  # beyond the range the parts' signs are nobody's
            e = np.where(np.isfinite(got) | np.isfinite(want), e, 0)
    return bool((e <= bound).all())


def unfit(case, f, arrays, got, want):
    """Whether they differ only where a floating result had no integer of that type to become."""
    if case.options.get("casting") != "unsafe" or f.nout > 1:
        return False
    dtype = case.options.get("dtype")
    natural = np.asarray(f(*arrays, **({} if dtype is None else {"dtype": dtype, "casting": "unsafe"})))
    if natural.dtype.kind not in "fc":
        return False
    i = np.iinfo(want.dtype) if want.dtype.kind in "iu" else None
    if i is None:
        return False
    holds = (natural.real > i.min) & (natural.real < i.max)
    return bool((~np.broadcast_to(holds, want.shape) | (got == want)).all())


def flavour(r, name, chars, options=None):
    if ROWS[name] in MODERATE and any(c in COMPLEX for c in chars) or (options and "casting" in options):
        return r.pick(("small", "positive", "plain"))
    if ROWS[name] == "power" and r.chance(0.9):
        return "positive"
    return r.pick(("wide", "wide", "special", "plain", "small", "positive"))


def operand(r, shape, char, how):
    x = r.random()
    if x < 0.86:
        return r.array(char, shape, how)
    if x < 0.91:
        return r.scalar(TYPES, how)
    if x < 0.985:
        return r.python()
    return r.pick(WRONG)


def add_options(r, case, shape, chars, how):
    """out, where, dtype, casting, order and what is no option."""
    o = case.options
    f = getattr(np, case.about)
    mistake = not all(isinstance(a, (Array, np.generic, bool, float, complex)) or
                                 type(a) is int and -2**63 <= a < 2**63 for a in case.args)
    if not mistake and r.chance(0.01):
        o.update(r.pick(({"bogus": 1}, {"axis": 0}, {"subok": True}, {"subok": False}, {"casting": "wrong"},
                         {"casting": 3})))
        mistake = True
    if mistake:                                              # one a case: which of two is reported is unspecified
        return
    if r.chance(0.3):
        full = shape
        if r.chance(0.1):
            full = (r.pick((1, 2, 3)),) + shape
        elif r.chance(0.04):
            full = shape[1:]
        elif r.chance(0.03):
            full = tuple(n + 1 for n in shape)
        outs = []
        for _ in range(f.nout):
            char = r.pick((r.pick(chars), "d", "D", "?", r.pick(TYPES)))
            out = None
            sources = [a for a in case.args if isinstance(a, Array)]
            if sources and r.chance(0.3):
                a = r.pick(sources)
                if not any(b.buffer is a.buffer for b in outs):
                    out = r.out_over(a, full, a.char) or (a if r.chance(0.3) else None)
            outs.append(out or r.array(char, full, how, spread=0.03))
        if f.nout > 1:
            o["out"] = tuple(outs)
            case.strides = False
            if r.chance(0.2):
                o["out"] = (outs[0],) + (None,) * (f.nout - 1)
        else:
            o["out"] = outs[0]
            if r.chance(0.15):
                o["out"] = r.pick(((outs[0],), None, (None,), (outs[0], outs[0]), [outs[0]], 3, ()))
                if not isinstance(o["out"], tuple) or len(o["out"]) != 1:
                    return
        case.writes = True
        if r.chance(0.3):
            o["casting"] = r.pick(CASTINGS)
    if r.chance(0.12):
        char = "?" if r.chance(0.9) else r.pick(TYPES)
        if char != "?" and any(type(a) is int for a in case.args):
            char = "?"
        mask = r.array(char, r.broadcastable(shape), "small")
        case.strides = False                                 # the mask's order counts too there
        o["where"] = mask if r.chance(0.9) else r.pick((True, False, 1, [True], np.True_))
        out = o.get("out")
        if out is None or isinstance(out, tuple) and None in out or not out:
            case.values = o["where"] is True or o["where"] is np.True_
    if r.chance(0.1):
        o["dtype"] = r.pick((r.pick(TYPES), "float32", np.dtype("f8"), float, int, bool, complex, None, "nonsense", 3,
                             "S3", objects(case.f)))
        if r.chance(0.4):
            o["casting"] = r.pick(CASTINGS)
    if r.chance(0.05):
        o["order"] = r.pick(("C", "F", "A", "K"))
        case.strides = o["order"] != "A"                     # of what lies in neither order, NumPy's copies decide
        if r.chance(0.1):
            case.options = {"order": r.pick(("Z", 3))}


def call(r, names, operators):
    name = r.pick(names)
    f = getattr(np, name)
    shape = r.shape()
    one = r.pick(TYPES)
    chars = [one if r.chance(0.5) else r.pick(TYPES) for _ in range(f.nin)]
    how = flavour(r, name, chars)
    shapes = [shape] + [r.broadcastable(shape) for _ in range(f.nin - 1)]
    if f.nin > 1 and r.chance(0.5):
        shapes.reverse()
    args = [operand(r, s, c, how) for s, c in zip(shapes, chars)]
    if not any(isinstance(a, Array) for a in args) or all(isinstance(a, Array) for a in args) and r.chance(0.02):
        args[0] = r.array(chars[0], shapes[0], how)
    path = name
    if operators and r.chance(0.2):
        path = r.pick(tuple(operators))
        name = operators[path]
        path = "op:" + path
    case = Case(path, args, {}, strides=True, close=close, about=name)
    if not path.startswith("op:"):
        add_options(r, case, shape, chars, how)
    else:
        case.writes = path[3] == "i" and path != "op:invert"
    o = case.options
    if ROWS[name] in MODERATE and ("dtype" in o or any(not isinstance(a, Array) or a.char in COMPLEX for a in args)) \
            or o.get("casting") == "unsafe" or "dtype" in o:
        # values that stay themselves whatever the type is
        for k, a in enumerate(args):
            if isinstance(a, Array):
                a.buffer.values = r.buffer(a.char, len(a.buffer.values), "positive").values
            elif isinstance(a, (float, complex)):
                args[k] = r.pick((1.0, 2.5, 3.0))
    if name in COMPARISONS and "where" in o and any(type(a) is int for a in args):
        del o["where"]                                       # NumPy 2.4 crashes where the number does not fit the type
        case.values = True
    if name in SHIFTS:                                       # NumPy's C shifts by what the processor makes of it
        for k, a in enumerate(args):
            if isinstance(a, int):
                args[k] = r.pick((0, 1, 3))
    return case


def unary(r):
    """f(x, ...) of one input and one output; operators of one operand."""
    return call(r, UNARY, UNARY_OPERATORS)


def binary(r):
    """f(x, y, ...) of two inputs and one output; operators, in place too."""
    return call(r, BINARY, OPERATORS)


def several_outputs(r):
    """frexp, modf, divmod."""
    return call(r, SEVERAL, {})


# --- methods ---

#: what joins small numbers without a rounding that depends on the grouping
EXACT = ["add", "subtract", "multiply", "maximum", "minimum", "fmax", "fmin", "bitwise_and", "bitwise_or",
         "bitwise_xor", "logical_and", "logical_or", "logical_xor", "gcd", "lcm", "equal", "not_equal", "less",
         "greater", "less_equal", "greater_equal", "hypot", "divide", "floor_divide", "remainder", "arctan2",
         "logaddexp", "copysign", "nextafter", "left_shift", "right_shift", "fmod", "power", "heaviside", "float_power",
         "logaddexp2"]


def joined(case, got, want):
    """What regrouping leaves of small numbers: 64 units, or 8 of 1."""
    name = case.f.split(".")[0]
    if got.dtype.kind not in "fc":
        return False
    loose = name in LOOSE or ROWS[name] in LOOSE
    eps = float(np.finfo(got.dtype).eps)
    if got.dtype.kind == "c" and "power" in ROWS[name]:      # exp(b log(a)): the error grows with its size
        with np.errstate(all="ignore"):
            size = 1 + np.log2(1 + np.where(np.isfinite(want), abs(want), 1))
        return bool(alike(got, want, eps * 64 * size.max(initial=1), eps * 8).all())
    if name in ANY_ZERO or name in ("logical_and",):
        return bool(np.array_equal(got, want, equal_nan=True))
    return loose and bool(alike(got, want, eps * 64, eps * 8).all())


def methods(r):
    """reduce, accumulate, reduceat, outer, at."""
    name = r.pick(EXACT)
    if r.chance(0.01):
        name = r.pick([n for n in UFUNCS if n != "ldexp"])   # whose two operands have types of their own
    method = r.pick(("reduce", "reduce", "accumulate", "reduceat", "outer", "at"))
    shape = r.shape(120)
    n = len(shape)
    char = r.pick(TYPES)
    how = "small" if r.chance(0.7) else "positive"
    if name in ("power", "float_power", "lcm", "left_shift", "divide", "hypot", "arctan2", "multiply"):
        how = "positive"
    x = r.array(char, shape, how)
    o = {}
    case = Case(f"{name}.{method}", [x], o, close=joined, about=name)
    if method in ("reduce", "accumulate", "reduceat"):
        if r.chance(0.7):
            o["axis"] = r.axis(n, method == "reduce")
        if r.chance(0.2):
            o["dtype"] = r.pick((r.pick(TYPES), float, int, "f8", None, objects(name), "nonsense"))
    if method == "reduce":
        if r.chance(0.3):
            o["keepdims"] = r.pick((True, False, 1, np.True_))
        if r.chance(0.2):
            o["initial"] = r.pick((0, 1, 2, 2.5, None, -1, np.float32(3), True, 300, 1j, "a"))
        if r.chance(0.2):
            o["where"] = r.array("?" if r.chance(0.9) else r.pick(TYPES), r.broadcastable(shape), "small")
    elif method == "reduceat":
        axis = o.get("axis", 0)
        m = shape[axis] if isinstance(axis, int) and -n <= axis < n else 3
        places = [r.randrange(max(m, 1)) if r.chance(0.99) else r.pick((-1, m, m + 3)) for _ in range(r.randrange(6))]
        case.args.append(places if r.chance(0.3) else Array(*_places(places), (len(places),), "q"))
    elif method == "outer":
        y = operand(r, r.shape(12, most_ndim=3), r.pick(TYPES), how)
        if "power" in name and type(y) is int and abs(y) >= 1 << 63:
            y = 7                                            # Python's own power with 2^100 never ends
        case.args.append(y)
    elif method == "at":
        case.writes = True
        case.args.append(_index(r, shape))
        if r.chance(0.95):
            y = r.pick((r.array(r.pick((char, r.pick(TYPES))), r.pick(((), (), (1,), shape[1:])), how), r.python("bif"),
                        r.scalar(TYPES, "positive")))
            case.args.append(y)
        case.args[0] = r.array(char, shape, how, spread=0.02)
    if method in ("reduce", "accumulate", "reduceat") and r.chance(0.15):
        axis = o.get("axis", 0)
        if method != "reduce":
            full = shape
        else:
            axes = range(n) if axis is None else axis if isinstance(axis, tuple) else (axis,)
            axes = {a % n for a in axes if isinstance(a, int)} if n else ()
            full = tuple(1 if k in axes else m for k, m in enumerate(shape)) if o.get("keepdims") else \
                tuple(m for k, m in enumerate(shape) if k not in axes)
        o["out"] = r.array(r.pick((char, "d", r.pick(TYPES))), full, "small", spread=0.02)
        case.writes = True
    return case


def _places(values):
    return Buffer(np.array(values, "q")), ()


def _index(r, shape):
    if not shape:
        return r.pick(((), Ellipsis, 0))
    m = shape[0]
    k = r.randrange(5)
    places = [r.randrange(-m, m) if m and r.chance(0.995) else m for _ in range(r.randrange(6))] if m else []
    if k < 2:
        return Array(*_places(places), (len(places),), "q")
    if k == 2:
        return places or [0]
    if k == 3:
        return r.array("?", shape[:r.pick((1, len(shape)))], "small")
    return r.pick((slice(None), slice(0, 2), Ellipsis, 0, slice(None, None, -1)))

FAMILIES = {"unary": unary, "binary": binary, "several": several_outputs, "methods": methods}
