"""NumPy's functions in kernels: each computes in the types of a loop of NumPy's ufunc, as the rules choose it, so that
np.add of two uint8 is a uint8. In float16 they compute in float32.

A writer gets a Call (the unit and the loop's types) and the expressions of the arguments in these types. It uses each
once and returns the expression of the result in the loop's type.
"""
import math

from . import arithmetic
from .numba_helpers import COMPLEX as _NUMBAS
from .types import BOOL, FLOAT, HALF, INT64, UINT64, Array
from .values import Value, as_type, convert, known, literal, make_tuple, number

#: name -> the C function, of floating numbers
PLAIN = {"sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
         "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin",
         "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
         "arccosh": "acosh", "arctanh": "atanh", "asin": "asin", "acos": "acos", "atan": "atan", "asinh": "asinh",
         "acosh": "acosh", "atanh": "atanh", "fabs": "fabs", "arctan2": "atan2", "atan2": "atan2", "hypot": "hypot",
         "copysign": "copysign", "nextafter": "nextafter"}
COMPLEX = {"sqrt", "exp", "log", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh",
           "acosh", "atanh"}
_CMATH = _NUMBAS - {"sinh", "cosh", "tanh"}   # which are cmath's: the others have no special cases in Numba
OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv",
             "floor_divide": "floordiv", "remainder": "mod", "mod": "mod", "power": "pow", "pow": "pow",
             "float_power": "pow", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor"}
COMPARISONS = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}
LOGICAL = {"logical_and": "&&", "logical_or": "||", "logical_xor": "!="}


class Call:
    """One call that is being written: the unit, and the types in which it computes and gives its result."""

    def __init__(self, unit, t, out):
        self.unit, self.t, self.out = unit, t, out

    @property
    def f(self):
        """The end of the name of a C function of these numbers."""
        return "f" if self.t is FLOAT else ""

    def fitted(self, text):
        """The text of an operation of C on small integers, which C has widened, in its own type again."""
        return f"(({self.t.c}){text})" if self.t.integer and self.t.size < 4 else text


def _plain(c):
    def write(call, *strings):
        if call.t.kind != "c":
            return f"{c}{call.f}({', '.join(strings)})"
        if call.unit.rules.widens and c in _CMATH:
            return call.unit.call(f"nb_c{c}", *strings)
        if c in COMPLEX:
            return f"{c}({', '.join(strings)})"
        return call.unit.call(f"np_c{c}", *strings)
    return write


def _operator(op):
    def write(call, x, y):
        t = call.t
        if op in ("mod", "floordiv") and t.kind == "f" and call.unit.rules.widens:
            return call.unit.call("nb_remainder" if op == "mod" else "nb_floor_divide", x, y)
        made = arithmetic.computed(call.unit, op, t, t, Value(t, x), Value(t, y))
        return made.code
    return write


def _compare(sign):
    def write(call, x, y):
        if call.t.kind == "c" and sign not in ("==", "!="):
            return call.unit.call("np_cless" if "=" not in sign else "np_cless_equal",
                                  *((x, y) if sign[0] == "<" else (y, x)))
        return f"({x} {sign} {y})"
    return write


def _helper(integer=None, real=None, complex=None):
    """A call of the helper for the kind of number."""
    names = {"b": integer, "i": integer, "u": integer, "f": real, "c": complex}

    def write(call, *strings):
        name = names[call.t.kind]
        if name is None:
            raise TypeError(f"it is not defined for {call.t.name}")
        return call.unit.call(name, *strings)
    return write


def _extreme(word, ignores):
    less = word == "min"

    def write(call, x, y):
        t = call.t
        if t is BOOL:
            return f"({x} {'&&' if less else '||'} {y})"
        if t.integer:
            return call.unit.call(f"py_{word}", x, y)
        name = f"np_f{word}" if ignores else f"np_{word}"
        return call.unit.call(name if t.kind == "f" else f"{name}_complex", x, y)
    return write


def _test(c):
    def write(call, x):
        t = call.t
        if t.kind == "c":
            return call.unit.call(f"np_c{c}", x)
        if t.integer:
            return call.unit.call("np_signbit", x) if c == "signbit" else "true" if c == "isfinite" else "false"
        return f"((bool){c}({x}))"
    return write


def _whole(c):
    def write(call, x):
        return x if call.t.integer else f"{c}{call.f}({x})"
    return write


def _rint(call, x):
    return call.unit.call("np_crint", x) if call.t.kind == "c" else f"rint{call.f}({x})"


def _unary(op):
    return lambda call, x: arithmetic.signed(call.unit, op, call.t, Value(call.t, x)).code


def _absolute(call, x):
    t = call.t
    if t.kind in "bu":
        return x
    return call.unit.call("py_abs", x) if t.kind == "i" else f"abs({x})" if t.kind == "c" else f"fabs{call.f}({x})"


def _scaled(factor):
    return lambda call, x: f"({x} * {literal(factor, call.t)})"


def _reciprocal(call, x):
    t = call.t
    name = "nb_reciprocal" if call.unit.rules.widens else "np_reciprocal"
    return call.unit.call(name, x) if t.integer else f"({literal(1, t)} / {x})"


def _sign(call, x):
    names = ("np_sign", "nb_sign" if call.unit.rules.widens else "np_sign", "np_csign")
    return _helper(*names)(call, x)


def _logical(sign):
    return lambda call, x, y: f"({convert(x, call.t, BOOL)} {sign} {convert(y, call.t, BOOL)})"


_SHIFT = {"left": _helper("np_shift_left"), "right": _helper("np_shift_right")}

WRITERS = {
    **{n: _plain(c) for n, c in PLAIN.items()}, **{n: _operator(c) for n, c in OPERATORS.items()},
    **{n: _compare(c) for n, c in COMPARISONS.items()}, **{n: _logical(c) for n, c in LOGICAL.items()},
    **{n: _test(n) for n in ("isnan", "isinf", "isfinite", "signbit")},
    **{n: _whole(n) for n in ("floor", "ceil", "trunc")},
    "logical_not": lambda call, x: f"(!{convert(x, call.t, BOOL)})", "rint": _rint,
    "absolute": _absolute, "abs": _absolute, "negative": _unary("-"), "positive": _unary("+"),
    "invert": _unary("~"), "bitwise_not": _unary("~"), "bitwise_invert": _unary("~"),
    "conjugate": lambda call, x: f"conj({x})" if call.t.kind == "c" else x,
    "conj": lambda call, x: f"conj({x})" if call.t.kind == "c" else x,
    "fmod": _helper("np_fmod", "np_fmod_real"), "left_shift": _SHIFT["left"], "right_shift": _SHIFT["right"],
    "bitwise_left_shift": _SHIFT["left"], "bitwise_right_shift": _SHIFT["right"],
    "maximum": _extreme("max", False), "minimum": _extreme("min", False), "fmax": _extreme("max", True),
    "fmin": _extreme("min", True), "sign": _sign,
    "square": lambda call, x: call.unit.call("py_square", x), "reciprocal": _reciprocal,
    "deg2rad": _scaled(math.pi / 180), "radians": _scaled(math.pi / 180), "rad2deg": _scaled(180 / math.pi),
    "degrees": _scaled(180 / math.pi), "gcd": _helper("py_gcd"), "lcm": _helper("np_lcm"),
    "heaviside": _helper(real="np_heaviside"), "logaddexp": _helper(real="np_logaddexp"),
    "logaddexp2": _helper(real="np_logaddexp2"), "spacing": _helper(real="np_spacing"),
    "bitwise_count": _helper("np_bitwise_count"),
}


def write(name):
    """What writes a call of the ufunc of this name: of numbers, or of arrays with the array that takes the results."""
    def written(tr, *values):
        import numpy
        ufunc = getattr(numpy, name)
        if len(values) == ufunc.nin + 1 and ufunc.nout == 1:
            return _into(tr, name, ufunc, values)
        if len(values) != ufunc.nin:
            raise TypeError(f"{name} takes {ufunc.nin} arguments, not {len(values)}")
        return of_numbers(tr, name, ufunc, values)
    return written


def _folded(ufunc, values, widens):
    """The constant integer or truth value that constant arguments give, else None; with Numba's rules it keeps its
    type."""
    import numpy
    if not all(v.known and number(v.const) for v in values):
        return None
    try:
        with numpy.errstate(all="ignore"):
            made = ufunc(*(v.const for v in values))
    except (TypeError, OverflowError):  # which the rules may know of
        return None
    except ValueError:                  # a negative exponent of an integer, which Numba's rules know of
        if not widens:
            raise
        return None
    if ufunc.nout > 1 or made.dtype.kind not in "biu" or any(hasattr(v.const, "dtype") for v in values):
        return None
    return made if widens else made.item()


def of_numbers(tr, name, ufunc, values):
    """The value of a ufunc of numbers."""
    made = _folded(ufunc, values, tr.rules.widens)
    if made is not None and not tr.rules.widens:
        return known(made)
    inputs, outputs = tr.rules.loop(ufunc, values)
    if made is not None and made.dtype == outputs[0].dtype:
        return known(made)
    for t in inputs + outputs:
        tr.unit.need_type(t)
    work = [FLOAT if t is HALF else t for t in inputs]
    strings = [convert(as_type(v, t), t, w) for v, t, w in zip(values, inputs, work)]
    out = outputs[0]
    pure = all(v.pure for v in values)
    decided = arithmetic.beyond(tr.unit, inputs[0], COMPARISONS[name], *values) if name in COMPARISONS else None
    if decided is not None:
        return decided
    if len(set(inputs)) == 2 and name in COMPARISONS:  # int64 beside uint64
        return Value(BOOL, _mixed(COMPARISONS[name], inputs[0], *strings), pure=pure, nonneg=True)
    text = WRITERS[name](Call(tr.unit, work[0], out), *strings)
    if inputs[0] is HALF and out is HALF:
        text = convert(text, FLOAT, HALF)
    return Value(out, text, pure=pure, nonneg=int(name in ("absolute", "abs") and out.integer))


def _mixed(sign, t, x, y):
    """A signed number of 64 bits beside an unsigned one: a negative one is smaller than all."""
    if t is UINT64:
        negative, below, y = f"({y} < 0)", sign in ("!=", ">", ">="), convert(y, INT64, UINT64)
    else:
        negative, below, x = f"({x} < 0)", sign in ("!=", "<", "<="), convert(x, INT64, UINT64)
    return f"({negative} || {x} {sign} {y})" if below else f"(!{negative} && {x} {sign} {y})"


def _into(tr, name, ufunc, values):
    """ufunc(*inputs, out): every element of the array `out`."""
    *inputs, out = values
    if not isinstance(out.type, Array):
        raise TypeError(f"{name}: what takes the results is an array")
    inputs = [tr._kept(v) for v in inputs]  # once: they may read what is written

    def element(item):
        return of_numbers(tr, name, ufunc, [item(v) for v in inputs])
    tr.each(out, element)
    return out


def divided(tr, x, y):
    """np.divmod."""
    import numpy
    return make_tuple([of_numbers(tr, n, getattr(numpy, n), [x, y]) for n in ("floor_divide", "remainder")])


