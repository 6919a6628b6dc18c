"""Operators of expressions: given their operands as values, the value of the result. No tree, no statements."""
import operator

from . import elements
from .rules import SIGNS
from .types import (BOOL, DOUBLE, FLOAT, HALF, INT64, UINT32, UINT64, Array, Opaque, Scalar, Tuple)
from .values import Value, as_type, convert, describe, items_of, known, literal, nonneg_as, number

_PYTHON = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
           "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "lshift": operator.lshift,
           "rshift": operator.rshift, "and": operator.and_, "or": operator.or_, "xor": operator.xor}
_COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
            ">=": operator.ge}


def of_python(name, *numbers):
    """An operator of Python on numbers."""
    # ~ of a bool, which Python deprecates, is that of an integer
    one = {"USub": operator.neg, "UAdd": operator.pos, "Invert": lambda x: ~+x, "Not": operator.not_}
    if name in ("pow", "lshift") and abs(numbers[1]) > 128:
        raise ValueError("a large number")
    return (one.get(name) or _PYTHON[name])(*numbers)


def foldable(*values):
    """Whether Python can compute with the values now, and what it gets has the type that the kernel's value has."""
    return all(v.known and (number(v.const) or isinstance(v.const, (tuple, str))) for v in values)


def _folds(unit, op, *values):
    """foldable, as Numba's rules have it: NumPy's scalars widen first, and an integer has 64 bits."""
    if not foldable(*values):
        return False
    if not unit.rules.widens:
        return True
    if any(_typed(v) for v in values):
        return False
    whole = all(isinstance(v.const, int) for v in values)
    return not (whole and op in ("pow", "lshift") and not 0 <= values[1].const < 64)


def binary(unit, op, a, b):
    """a op b."""
    if _folds(unit, op, a, b):
        try:
            made = _PYTHON[op](a.const, b.const)
        except ZeroDivisionError:   # if the kernel comes there, it computes as it does with variables
            if not unit.rules.widens:
                raise
        else:
            if not (unit.rules.widens and number(made)) or \
                    unit.rules.type_of(known(made)) is unit.rules.operands(op, a, b)[1]:
                return known(made)
    if op == "add" and items_of(a) is not None and items_of(b) is not None:
        from .values import make_tuple
        return make_tuple(items_of(a) + items_of(b))
    if isinstance(a.type, Opaque) and op in ("add", "sub"):
        return _pointer(op, a, b)
    if isinstance(a.type, Array) and a.type.layout == "C" and op == "add" and not unit.rules.widens and not (
            isinstance(b.type, Array)) and items_of(b) is None and unit.rules.type_of(b).integer:
        return _pointer(op, Value(Opaque(f"{a.type.dtype.c} *"), a.code, pure=a.pure), b)
    for v in (a, b):
        if isinstance(v.type, (Array, Tuple)):
            raise TypeError(f"unsupported operand for {SIGNS[op]}: {describe(v)}; a kernel computes "
                            "with single numbers")
    if elements.is_time(a, b):
        return elements.compute(unit, op, a, b)
    if op == "matmul":
        raise TypeError("the operator @ is not for single numbers")
    t, result = unit.rules.operands(op, a, b)
    return computed(unit, op, t, result, a, b, unit.rules.notes_zero)


def computed(unit, op, t, result, a, b, notes_zero=False):
    """a op b, computed in the type t and given as one of the type result."""
    pure = a.pure and b.pure
    if op == "pow":
        return _power(unit, t, result, a, b, pure)
    unit.need_type(t)
    p, q = nonneg_as(a, t), nonneg_as(b, t)
    nonneg = 0
    if op in ("add", "mul"):
        nonneg = min(p, q, 1)   # which may wrap
    elif op in ("floordiv", "mod", "rshift", "and", "or", "xor"):
        nonneg = max(p, q) if op == "and" else q if op == "mod" and q and b.known else min(p, q)
    x, y = as_type(a, t), as_type(b, t)
    if notes_zero and op in ("truediv", "floordiv", "mod") and not (b.known and b.const):
        y = unit.call("host_divisor", y)
    elif unit.zero_raises and op in ("truediv", "floordiv", "mod") and unit.rules.widens and b.pure and \
            not (b.known and b.const):
        unit.translator.stop_if(f"!({truth(Value(t, y))})", ZeroDivisionError("division by zero"))
    if t is HALF:
        x, y, t = convert(x, HALF, FLOAT), convert(y, HALF, FLOAT), FLOAT
    return Value(result, convert(_text(unit, op, t, x, y, p == 2, a, b), t, result), pure=pure, nonneg=nonneg)


def _typed(v):
    """The type of NumPy's scalars: in Numba Python's numbers do not adapt to them."""
    return type(v.const) if hasattr(v.const, "dtype") else None


def _pointer(op, a, b):
    """Iterators: moved on by a number, or how far they are from each other."""
    if isinstance(b.type, Opaque):
        if op != "sub" or a.type != b.type:
            raise TypeError(f"unsupported operands for {SIGNS[op]}: {describe(a)} and {describe(b)}")
        return Value(INT64, f"((long long)({a.code} - {b.code}))", pure=a.pure and b.pure)
    return Value(a.type, f"({a.code} {SIGNS[op]} {as_type(b, INT64)})", pure=a.pure and b.pure)


def _is_whole(v):
    return isinstance(v.type, Scalar) and (v.type is BOOL or v.type.integer)


def _text(unit, op, t, x, y, positive, a, b):
    if op == "floordiv" and t.integer and unit.rules.widens and not (b.known and b.const > 0):
        return unit.call("nb_floordiv", x, y)
    if op in ("floordiv", "mod"):
        if t.integer:
            if positive and b.known and b.nonneg and b.const != 0:
                text = f"({x} {'/' if op == 'floordiv' else '%'} {y})"
                return f"(({t.c}){text})" if t.size < 4 else text   # C widens small ones
            return unit.call("py_floordiv" if op == "floordiv" else "py_mod", x, y)
        unit.need("fmod_of", "copysign_of", "floor_of")
        return unit.call("py_ffloordiv" if op == "floordiv" else "py_fmod", x, y)
    if t is BOOL and op in ("add", "mul"):
        return f"({x} {'||' if op == 'add' else '&&'} {y})"
    sign = SIGNS[op]
    if op == "sub" and t.kind == "f" and x == literal(0.0, t):
        return unit.call("py_from_zero", y)
    if op == "sub" and t.kind == "f" and not (b.known and b.const) and (_is_whole(a) or _is_whole(b)):
        return unit.call("py_minus", x, y)
    if t.kind == "i" and t.size >= 4 and op in ("add", "sub", "mul"):  # wraps, where C++ takes overflow for impossible
        u = UINT64 if t is INT64 else UINT32
        return f"(({t.c})({convert(x, t, u)} {sign} {convert(y, t, u)}))"
    text = f"({x} {sign} {y})"
    if t is BOOL:
        return f"(bool){text}"
    return f"(({t.c}){text})" if t.integer and t.size < 4 else text


def _power(unit, t, result, a, b, pure):
    unit.need_type(t)
    x = as_type(a, t)
    exponent = b.const if b.known and isinstance(b.const, int) and not isinstance(b.const, bool) else None
    work, nonneg = t, min(1, nonneg_as(a, t) or int(exponent in (2, 4)))
    if t is HALF:
        x, work = convert(x, HALF, FLOAT), FLOAT
    if exponent in (2, 3):
        text = unit.call("py_square" if exponent == 2 else "py_cube", x)
    elif t.integer:
        y = as_type(b, t)
        if unit.rules.notes_zero and t.kind == "i" and not (b.known and b.nonneg):
            x = unit.call("host_base", x, y)
        text = unit.call("nb_ipow" if unit.rules.widens else "py_ipow", x, y)
    elif t.kind == "c":
        text = unit.call("py_cpowi", x, f"{exponent}LL") if exponent is not None and abs(exponent) <= 100 else \
            f"pow({x}, {as_type(b, t)})"
    elif exponent is not None and abs(exponent) <= 64:
        text = unit.call("py_powi", x, f"{exponent}LL")
    elif unit.rules.widens and unit.rules.type_of(b).integer:
        text = unit.call("nb_powi", x, as_type(b, INT64))
    else:
        text = f"{'powf' if work is FLOAT else 'pow'}({x}, {as_type(b, work)})"
    return Value(result, convert(text, work, result), pure=pure, nonneg=nonneg)


def unary(unit, op, v):
    """op is '-', '+', '~' or 'not'."""
    if op == "not":
        if v.known:
            return known(not v.const)
        return Value(BOOL, f"(!{truth(v)})", pure=v.pure, nonneg=True)
    if elements.is_time(v):
        return elements.signed(unit, op, v)
    if foldable(v) and not (unit.rules.widens and (_typed(v) or (op == "~" and isinstance(v.const, bool)))):
        made = known({"-": operator.neg, "+": operator.pos, "~": lambda x: ~+x}[op](v.const))
        kinds = [unit.rules.type_of(x).kind for x in (made, v)]
        if not unit.rules.widens or kinds[0] == kinds[1] or kinds[1] == "b":
            return made
    t = unit.rules.type_of(v)
    wide = t
    if unit.rules.widens and t.integer and not (t is BOOL and op == "~"):
        wide = UINT64 if t.kind == "u" else INT64
        t = INT64 if t is BOOL else t   # a number is negated before it is widened
    made = signed(unit, op, t, v)
    return Value(wide, convert(made.code, t, wide), pure=made.pure, nonneg=made.nonneg)


def signed(unit, op, t, v):
    """op v, computed in the type t."""
    unit.need_type(t)
    text = as_type(v, t)
    if op == "+":
        return Value(t, text, pure=v.pure, nonneg=v.nonneg)
    if op == "~" and not t.integer or t is BOOL and op != "~":
        raise TypeError(f"unsupported operand for {op}: {t.name}")
    if t is BOOL:
        return Value(BOOL, f"(!{text})", pure=v.pure)
    if t is HALF:
        return Value(t, convert(f"(-{convert(text, HALF, FLOAT)})", FLOAT, HALF), pure=v.pure)
    if op == "-" and t.kind == "i" and t.size >= 4 and not v.known:
        return Value(t, f"(({t.c})(0 - {convert(text, t, UINT64 if t is INT64 else UINT32)}))", pure=v.pure)
    text = f"({op}{text})"
    return Value(t, f"(({t.c}){text})" if t.integer and t.size < 4 else text, pure=v.pure)


def compare(unit, sign, a, b):
    """a sign b, a truth value."""
    if foldable(a, b) or (a.known and b.known):
        return known(bool(_COMPARE[sign](a.const, b.const)))
    xs, ys = items_of(a), items_of(b)
    if xs is not None and ys is not None and sign in ("==", "!="):
        if len(xs) != len(ys):
            return known(sign == "!=")
        parts = [compare(unit, sign, x, y) for x, y in zip(xs, ys)]
        text = (" && " if sign == "==" else " || ").join(truth(p) for p in parts)
        return Value(BOOL, f"({text})", nonneg=True)
    if isinstance(a.type, Opaque) and a.type == b.type:
        return Value(BOOL, f"({a.code} {sign} {b.code})", pure=a.pure and b.pure)
    if elements.is_time(a, b):
        return elements.compare(unit, sign, a, b)
    for v in (a, b):
        if isinstance(v.type, (Array, Tuple)) or (v.known and not number(v.const)):
            raise TypeError(f"{describe(a)} and {describe(b)} cannot be compared in a kernel")
    t = _exactly(unit.rules.compared(a, b), a, b)
    if t.kind == "c" and sign not in ("==", "!="):
        raise TypeError(f"complex numbers have no order ({sign})")
    unit.need_type(t)
    decided = beyond(unit, t, sign, a, b)
    if decided is not None:
        return decided
    x, y = as_type(a, t), as_type(b, t)
    if t is HALF:
        x, y = convert(x, HALF, FLOAT), convert(y, HALF, FLOAT)
    return Value(BOOL, f"({x} {sign} {y})", pure=a.pure and b.pure, nonneg=True)


def beyond(unit, t, sign, a, b):
    """The comparison of numbers of the integer type t with a constant of Python's beyond it, which NumPy compares
    exactly; None: it is within."""
    if unit.rules.mode != "numpy" or t.kind not in "iu":
        return None
    bits = 8 * t.size
    low, high = (-1 << (bits - 1), 1 << (bits - 1)) if t.kind == "i" else (0, 1 << bits)
    for v, other in ((a, b), (b, a)):
        if v.known and type(v.const) is int and not low <= v.const < high:
            holds = _COMPARE[sign](v.const, 0) if v is a else _COMPARE[sign](0, v.const)
            return Value(BOOL, "true" if holds else "false", pure=other.pure, nonneg=True)
    return None


def _exactly(t, a, b):
    """UINT64 in place of the DOUBLE in which Numba compares such a number with a small constant: no answer differs."""
    if t is DOUBLE and (a.type is UINT64 or b.type is UINT64):
        other = b if a.type is UINT64 else a
        if other.known and isinstance(other.const, int) and 0 <= other.const < 1 << 53:
            return UINT64
    return t


def truth(v):
    """The text of a condition."""
    if v.known:
        return "true" if v.const else "false"
    if isinstance(v.type, Tuple):
        return "true" if v.items else "false"
    if not isinstance(v.type, Scalar):
        raise TypeError(f"{describe(v)} has no truth value in a kernel")
    return v.code if v.type is BOOL else convert(v.code, v.type, BOOL)


def choose(unit, condition, a, b, pure):
    """condition ? a : b, for values of any types that can be joined."""
    xs, ys = items_of(a), items_of(b)
    if xs is not None and ys is not None and len(xs) == len(ys):
        from .values import make_tuple
        return make_tuple([choose(unit, condition, x, y, pure) for x, y in zip(xs, ys)])
    if isinstance(a.type, Array) and isinstance(b.type, Array):
        return _choose_array(condition, a, b, pure)
    same = a.type == b.type and not isinstance(a.type, Scalar) and hasattr(a.type, "from_value")
    t = a.type if same else unit.rules.joined(a, b)
    unit.need_type(t)
    text = f"({condition} ? {as_type(a, t)} : {as_type(b, t)})"
    if same:
        return Value(t, text, pure=pure and a.pure and b.pure, lvalue=a.lvalue is True and b.lvalue is True)
    return Value(t, text, pure=pure and a.pure and b.pure, nonneg=min(nonneg_as(a, t), nonneg_as(b, t)))


def _choose_array(condition, a, b, pure):
    """One of two arrays of a type: its address, and the lengths and strides that differ, are chosen each for itself."""
    from . import arrays
    if a.type[:2] != b.type[:2] or "B" in (a.type.layout, b.type.layout) and a.type != b.type:
        raise TypeError(f"{describe(a)} and {describe(b)} cannot take each other's place")

    def one(x, y):
        return x if x == y else f"({condition} ? {x} : {y})"
    same = a.type == b.type and a.s is None and b.s is None
    t = a.type if same else a.type._replace(layout="B" if a.type.layout == "B" else "A")
    s = None if same else [one(arrays.stride(a, k), arrays.stride(b, k)) for k in range(t.ndim)]
    return Value(t, f"({condition} ? {a.code} : {b.code})", n=[one(x, y) for x, y in zip(a.n, b.n)], s=s,
                 pure=pure and a.pure and b.pure)


def logical(unit, sign, values, fixed=None):
    """`and` and `or` over values; each is asked for only when those before it have not decided. fixed: of each value,
    whether a constant decides which values the expression has; otherwise its type is that of all."""
    rest = []
    for k, v in enumerate(values):
        decides = v.known and (fixed is None or fixed[k])
        if decides and (not v.const) == (sign == "&&"):
            rest.append(v)
            break
        if not (decides and v is not values[-1]):
            rest.append(v)
    if len(rest) == 1:
        return rest[0]
    if not unit.rules.widens or all((v.known and isinstance(v.const, bool)) or v.type is BOOL for v in rest):
        return Value(BOOL, "(" + f" {sign} ".join(truth(v) for v in rest) + ")", pure=all(v.pure for v in rest),
                     nonneg=True)
    out = rest[-1]
    for v in reversed(rest[:-1]):
        if not v.pure:
            raise TypeError("`and` and `or` of numbers would compute a call twice here: give its result a name first")
        out = choose(unit, truth(v), out, v, True) if sign == "&&" else choose(unit, truth(v), v, out, True)
    return out
