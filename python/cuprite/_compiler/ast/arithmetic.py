"""Operators of expressions: given their operands as values, the value of the result. No tree, no statements."""
import operator

from .rules import SIGNS
from .types import (BOOL, FLOAT, HALF, INT64, UINT64, Array, Opaque, Scalar, Tuple)
from .values import Value, as_type, convert, describe, items_of, known, number

_PYTHON = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": operator.truediv,
           "floordiv": operator.floordiv, "mod": operator.mod, "pow": operator.pow, "lshift": operator.lshift,
           "rshift": operator.rshift, "and": operator.and_, "or": operator.or_, "xor": operator.xor}
_COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
            ">=": operator.ge}


def foldable(*values):
    """Whether Python can compute with the values now, and what it gets has the type that the kernel's value has."""
    return all(v.known and (number(v.const) or isinstance(v.const, (tuple, str))) for v in values)


def binary(unit, op, a, b):
    """a op b."""
    if foldable(a, b) and not (unit.rules.widens and _typed(a) != _typed(b)):
        return known(_PYTHON[op](a.const, b.const))
    if op == "add" and items_of(a) is not None and items_of(b) is not None:
        from .values import make_tuple
        return make_tuple(items_of(a) + items_of(b))
    if isinstance(a.type, Opaque) and op in ("add", "sub"):
        return _pointer(op, a, b)
    for v in (a, b):
        if isinstance(v.type, (Array, Tuple)):
            raise TypeError(f"unsupported operand for {SIGNS[op]}: {describe(v)}; a kernel computes "
                            "with single numbers")
    if op == "matmul":
        raise TypeError("the operator @ is not for single numbers")
    pure = a.pure and b.pure
    t, result = unit.rules.operands(op, a, b)
    if op == "pow":
        return _power(unit, t, result, a, b, pure)
    unit.need_type(t)
    nonneg = result.kind == "u" or result is BOOL or (
        a.nonneg and b.nonneg and op in ("add", "mul", "floordiv", "mod", "rshift", "and", "or", "xor")) or (
        op == "and" and (a.nonneg or b.nonneg)) or (op == "mod" and b.known and b.nonneg)
    x, y = as_type(a, t), as_type(b, t)
    if unit.rules.notes_zero and op in ("truediv", "floordiv", "mod") and t.kind != "c" and not (b.known and b.const):
        y = unit.call("host_divisor", y)
    if t is HALF:
        x, y, t = convert(x, HALF, FLOAT), convert(y, HALF, FLOAT), FLOAT
    return Value(result, convert(_text(unit, op, t, x, y, a, b), t, result), pure=pure, nonneg=nonneg)


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


def _text(unit, op, t, x, y, a, b):
    if op in ("floordiv", "mod"):
        if t.integer:
            if a.nonneg and b.known and b.nonneg and b.const != 0:
                return f"({x} {'/' if op == 'floordiv' else '%'} {y})"
            return unit.call("py_floordiv" if op == "floordiv" else "py_mod", x, y)
        unit.need("fmod_of", "copysign_of", "floor_of")
        return unit.call("py_ffloordiv" if op == "floordiv" else "py_fmod", x, y)
    if t is BOOL and op in ("add", "mul"):
        return f"({x} {'||' if op == 'add' else '&&'} {y})"
    sign = SIGNS[op]
    text = f"({x} {sign} {y})"
    if t is BOOL:
        return f"(bool){text}"
    return f"(({t.c}){text})" if t.integer and t.size < 4 else text


def _power(unit, t, result, a, b, pure):
    unit.need_type(t)
    x = as_type(a, t)
    exponent = b.const if b.known and isinstance(b.const, int) and not isinstance(b.const, bool) else None
    work, nonneg = t, a.nonneg or exponent in (2, 4)
    if t is HALF:
        x, work = convert(x, HALF, FLOAT), FLOAT
    if exponent in (2, 3):
        text = unit.call("py_square" if exponent == 2 else "py_cube", x)
    elif t.integer:
        text = unit.call("py_ipow", x, as_type(b, t))
    elif t.kind == "c":
        text = unit.call("py_cpowi", x, f"{exponent}LL") if exponent is not None and abs(exponent) <= 100 else \
            f"pow({x}, {as_type(b, t)})"
    elif exponent is not None and abs(exponent) <= 64:
        text = unit.call("py_powi", x, f"{exponent}LL")
    else:
        text = f"{'powf' if work is FLOAT else 'pow'}({x}, {as_type(b, work)})"
    return Value(result, convert(text, work, result), pure=pure, nonneg=nonneg)


def unary(unit, op, v):
    """op is '-', '+', '~' or 'not'."""
    if op == "not":
        if v.known:
            return known(not v.const)
        return Value(BOOL, f"(!{truth(v)})", pure=v.pure, nonneg=True)
    if foldable(v):
        return known({"-": operator.neg, "+": operator.pos, "~": operator.invert}[op](v.const))
    t = unit.rules.type_of(v)
    if op == "~":
        if not t.integer:
            raise TypeError(f"unsupported operand for ~: {t.name}")
        if t is BOOL and not unit.rules.widens:
            return Value(BOOL, f"(!{v.code})", pure=v.pure)
    if unit.rules.widens and t.integer:
        t = UINT64 if t.kind == "u" else INT64
    elif t is BOOL:
        raise TypeError(f"unsupported operand for {op}: bool")
    unit.need_type(t)
    text = as_type(v, t)
    if op == "+":
        return Value(t, text, pure=v.pure, nonneg=v.nonneg)
    if t is HALF:
        return Value(t, convert(f"(-{convert(text, HALF, FLOAT)})", FLOAT, HALF), pure=v.pure)
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
    for v in (a, b):
        if isinstance(v.type, (Array, Tuple)) or (v.known and not number(v.const)):
            raise TypeError(f"{describe(a)} and {describe(b)} cannot be compared in a kernel")
    t = unit.rules.compared(a, b)
    if t.kind == "c" and sign not in ("==", "!="):
        raise TypeError(f"complex numbers have no order ({sign})")
    unit.need_type(t)
    x, y = as_type(a, t), as_type(b, t)
    if t is HALF:
        x, y = convert(x, HALF, FLOAT), convert(y, HALF, FLOAT)
    text = f"({x} {sign} {y})"
    signs = (unit.rules.type_of(a), unit.rules.type_of(b))
    if unit.rules.widens and t is UINT64 and signs[0].kind != signs[1].kind and not (a.nonneg and b.nonneg):
        text = _mixed(sign, a, b, x, y)
    return Value(BOOL, text, pure=a.pure and b.pure, nonneg=True)


def _mixed(sign, a, b, x, y):
    """A signed against an unsigned number of 64 bits: a negative one is smaller than all."""
    if a.type is UINT64 or (a.known and b.type is not UINT64):
        negative, below = f"({as_type(b, INT64)} < 0)", sign in ("!=", ">", ">=")
    else:
        negative, below = f"({as_type(a, INT64)} < 0)", sign in ("!=", "<", "<=")
    return f"({negative} || {x} {sign} {y})" if below else f"(!{negative} && {x} {sign} {y})"


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
    t = unit.rules.joined(a, b)
    unit.need_type(t)
    return Value(t, f"({condition} ? {as_type(a, t)} : {as_type(b, t)})", pure=pure and a.pure and b.pure,
                 nonneg=a.nonneg and b.nonneg)


def logical(unit, sign, values):
    """`and` and `or` over values; each is asked for only when those before it have not decided."""
    rest = []
    for v in values:
        if v.known and (not v.const) == (sign == "&&"):
            rest.append(v)
            break
        if not (v.known and v is not values[-1]):
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
