"""Functions of numbers that kernels may call under their names in Python, math, NumPy and Cuprite: name -> what writes
the call. In float16 they compute in float32."""
import builtins
import math

from . import arithmetic
from .types import BOOL, CDOUBLE, CFLOAT, DOUBLE, FLOAT, HALF, INT32, INT64, UINT64, Array
from .values import Value, as_type, convert, describe, items_of, known, number

# NumPy's name -> the name in C; also of math's names that differ
UNARY = {"sqrt": "sqrt", "cbrt": "cbrt", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
         "log10": "log10", "log1p": "log1p", "sin": "sin", "cos": "cos", "tan": "tan", "arcsin": "asin",
         "arccos": "acos", "arctan": "atan", "sinh": "sinh", "cosh": "cosh", "tanh": "tanh", "arcsinh": "asinh",
         "arccosh": "acosh", "arctanh": "atanh", "asin": "asin", "acos": "acos", "atan": "atan", "asinh": "asinh",
         "acosh": "acosh", "atanh": "atanh", "erf": "erf", "erfc": "erfc", "gamma": "tgamma", "lgamma": "lgamma",
         "rint": "rint", "fabs": "fabs", "erfinv": "erfinv", "erfcinv": "erfcinv", "gammaln": "lgamma",
         "rsqrt": "rsqrt", "j0": "j0", "j1": "j1", "y0": "y0", "y1": "y1", "erfcx": "erfcx"}
WHOLE = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "fix": "trunc"}
BINARY = {"arctan2": "atan2", "atan2": "atan2", "hypot": "hypot", "copysign": "copysign", "fmod": "fmod",
          "nextafter": "nextafter"}
COMPLEX = {"sqrt", "exp", "log", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos", "atan", "asinh",
           "acosh", "atanh"}
TESTS = {"isnan": "isnan", "isinf": "isinf", "isfinite": "isfinite", "signbit": "signbit"}
OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv",
             "floor_divide": "floordiv", "remainder": "mod", "mod": "mod", "power": "pow", "left_shift": "lshift",
             "right_shift": "rshift", "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor",
             "bitwise_left_shift": "lshift", "bitwise_right_shift": "rshift", "float_power": "pow"}
COMPARISONS = {"equal": "==", "not_equal": "!=", "less": "<", "less_equal": "<=", "greater": ">", "greater_equal": ">="}


def run(tr, name, v, *more):
    """The call of a C function of floating numbers."""
    t = tr.rules.floating(v)
    for m in more:
        t = tr.rules.joined(Value(t, "x"), Value(tr.rules.floating(m), "y"))
    return _call(tr, name, t, [v, *more])


def _call(tr, name, t, values):
    pure = all(v.pure for v in values)
    tr.unit.need_type(t)
    if t.kind == "c":
        if name not in COMPLEX and name not in ("abs", "arg", "pow"):
            raise TypeError(f"{name} is not defined for complex numbers")
        return Value(t, f"{name}({', '.join(as_type(v, t) for v in values)})", pure=pure)
    work = FLOAT if t is HALF else t
    arguments = [convert(as_type(v, t), t, work) for v in values]
    text = f"{name}{'f' if work is FLOAT else ''}({', '.join(arguments)})"
    return Value(t, convert(text, work, t), pure=pure)


def _unary(c):
    return lambda tr, x: run(tr, c, x)


def _binary(c):
    return lambda tr, x, y: run(tr, c, x, y)


def _whole(c, of_math):
    def write(tr, x):
        if of_math and tr.rules.widens:  # math.floor gives a whole number
            t = tr.rules.type_of(x)
            return x if t.integer else Value(INT64, convert(run(tr, c, x).code, t, INT64), pure=x.pure)
        if tr.rules.type_of(x).integer:
            return x
        return run(tr, c, x)
    return write


def _test(c):
    def write(tr, x):
        t = tr.rules.type_of(x)
        if t.kind == "c":
            word = "&&" if c == "isfinite" else "||"
            code = as_type(x, t)
            return Value(BOOL, f"((bool){c}({code}.real()) {word} (bool){c}({code}.imag()))", pure=x.pure)
        if t.integer:
            return known(c == "isfinite") if c != "signbit" else arithmetic.compare(tr.unit, "<", x, known(0))
        t2 = tr.rules.floating(x)
        text = convert(as_type(x, t2), t2, FLOAT if t2 is HALF else t2)
        return Value(BOOL, f"((bool){c}({text}))", pure=x.pure)
    return write


def _operator(op):
    return lambda tr, x, y: arithmetic.binary(tr.unit, op, x, y)


def _comparison(sign):
    return lambda tr, x, y: arithmetic.compare(tr.unit, sign, x, y)


def absolute(tr, x):
    if x.known and number(x.const):
        return known(abs(x.const))
    t = tr.rules.type_of(x)
    if t.kind in "bu":
        return x
    tr.unit.need_type(t)
    if t.kind == "i":
        return Value(t, tr.unit.call("py_abs", as_type(x, t)), pure=x.pure, nonneg=True)
    if t.kind == "c":
        return Value(FLOAT if t is CFLOAT else DOUBLE, f"abs({as_type(x, t)})", pure=x.pure)
    return _call(tr, "fabs", t, [x])


def conjugate(tr, x):
    t = tr.rules.type_of(x)
    return Value(t, f"conj({as_type(x, t)})", pure=x.pure) if t.kind == "c" else x


def _extreme(helper, of_numpy):
    """min, max, minimum, ...: of several numbers, or of one tuple."""
    def write(tr, *values):
        if len(values) == 1 and items_of(values[0]) is not None:
            values = items_of(values[0])
        if not values:
            raise TypeError(f"{helper[3:]} expects at least one number")
        if all(v.known for v in values):
            return known((min if helper.endswith("min") else max)(v.const for v in values))
        out = values[0]
        for v in values[1:]:
            t = tr.rules.joined(out, v)
            if t.kind == "c":
                raise TypeError("complex numbers have no order")
            name = helper.replace("py_", "np_") if (of_numpy or not tr.rules.widens) and t.kind == "f" else \
                "py_" + helper[-3:]
            work = FLOAT if t is HALF else t
            x, y = (convert(as_type(a, t), t, work) for a in (out, v))
            nonneg = out.nonneg and v.nonneg or (helper.endswith("max") and t.integer and (out.nonneg or v.nonneg))
            out = Value(t, convert(tr.unit.call(name, x, y), work, t), pure=out.pure and v.pure, nonneg=nonneg)
        return out
    return write


def _length(tr, x):
    if isinstance(x.type, Array):
        from .arrays import extent
        if not x.type.ndim:
            raise TypeError("len() of a 0-d array")
        return extent(x, 0)
    items = items_of(x)
    if items is None and not (x.known and hasattr(x.const, "__len__")):
        raise TypeError(f"{describe(x)} has no length")
    return known(len(x.const if items is None else items))


def _round(tr, x, digits=None):
    t = tr.rules.type_of(x)
    if digits is not None and not (digits.known and digits.const in (0, None)):
        t = tr.rules.floating(x)
        if t.kind == "c":
            raise TypeError("a complex number cannot be rounded")
        text = tr.unit.call("py_round", as_type(x, t) if t is DOUBLE else convert(as_type(x, t), t, DOUBLE),
                            as_type(digits, INT64))
        return Value(t, convert(text, DOUBLE, t), pure=x.pure and digits.pure)
    if t.integer:
        return x
    r = run(tr, "rint", x)
    return Value(INT64, convert(r.code, t, INT64), pure=x.pure) if digits is None else r


def _power(tr, x, y, modulus=None):
    if modulus is not None:
        raise NotImplementedError("pow with a modulus cannot stand in a kernel: multiply and take % in a loop")
    return arithmetic.binary(tr.unit, "pow", x, y)


def _math_power(tr, x, y):
    return run(tr, "pow", x, y)


def _divmod(tr, x, y):
    from .values import make_tuple
    return make_tuple([arithmetic.binary(tr.unit, op, x, y) for op in ("floordiv", "mod")])


def _sign(tr, x):
    t = tr.rules.type_of(x)
    if t.kind in "cb":
        raise TypeError(f"sign is not defined for {t.name}")
    work = FLOAT if t is HALF else t
    return Value(t, convert(tr.unit.call("np_sign", convert(as_type(x, t), t, work)), work, t), pure=x.pure)


def _where(tr, condition, x, y):
    if condition.known:
        return x if condition.const else y
    return arithmetic.choose(tr.unit, arithmetic.truth(condition), x, y, condition.pure)


def _ldexp(tr, x, e):
    t = tr.rules.floating(x)
    work = FLOAT if t is HALF else t
    text = f"ldexp{'f' if work is FLOAT else ''}({convert(as_type(x, t), t, work)}, {as_type(e, INT32)})"
    return Value(t, convert(text, work, t), pure=x.pure and e.pure)


def _scaled(factor):
    def write(tr, x):
        t = tr.rules.floating(x)
        return arithmetic.binary(tr.unit, "mul", Value(t, as_type(x, t)), Value(t, as_type(known(factor), t)))
    return write


def _square(tr, x):
    return arithmetic.binary(tr.unit, "pow", x, known(2))


def _reciprocal(tr, x):
    t = tr.rules.type_of(x)
    return arithmetic.binary(tr.unit, "floordiv" if t.integer else "truediv",
                             Value(t, as_type(known(1), t)), x)


def _logical(sign):
    return lambda tr, x, y: Value(BOOL, f"({arithmetic.truth(x)} {sign} {arithmetic.truth(y)})", pure=x.pure and y.pure)


def _gcd(tr, x, y):
    t = tr.rules.common(x, y)
    if not t.integer:
        raise TypeError("gcd is for whole numbers")
    return Value(t, tr.unit.call("py_gcd", as_type(x, t), as_type(y, t)), pure=x.pure and y.pure, nonneg=True)


def _angle(tr, z):
    t = tr.rules.floating(z)
    if t.kind == "c":
        return Value(FLOAT if t is CFLOAT else DOUBLE, f"arg({as_type(z, t)})", pure=z.pure)
    return run(tr, "atan2", known(0.0), z)


def _part(name):
    def write(tr, z):
        from .intrinsics import attribute
        return attribute(tr, z, name)
    return write


def _complex(tr, re=None, im=None):
    from .intrinsics import cast
    if im is None:
        return cast(tr, known(0) if re is None else re, complex)
    t = tr.rules.joined(Value(tr.rules.floating(re), "a"), Value(tr.rules.floating(im), "b"))
    part = FLOAT if t is FLOAT and tr.rules.widens else DOUBLE
    made = CFLOAT if part is FLOAT else CDOUBLE
    tr.unit.need_type(made)
    return Value(made, f"{made.c}({as_type(re, part)}, {as_type(im, part)})", pure=re.pure and im.pure)


def _frexp(tr, x):
    """(mantissa, exponent)"""
    from .values import make_tuple
    t = tr.rules.floating(x)
    work = FLOAT if t is HALF else t
    e, m = tr.fresh("exponent"), tr.fresh("mantissa")
    tr.put_before(f"int {e};")
    tr.put_before(f"{work.c} {m} = frexp{'f' if work is FLOAT else ''}({convert(as_type(x, t), t, work)}, &{e});")
    return make_tuple([Value(t, convert(m, work, t)), Value(INT32, e)])


def _modf(tr, x):
    from .values import make_tuple
    whole = run(tr, "trunc", x)
    return make_tuple([arithmetic.binary(tr.unit, "sub", x, whole), whole])


_FORMATS = {"b": ("%s", None), "i": ("%lld", INT64), "u": ("%llu", UINT64), "f": ("%f", DOUBLE)}


def _print(tr, *values, sep=None, end=None):
    """print: strings and numbers, between spaces."""
    words, arguments = [], []

    def add(v):
        if v.known and not number(v.const):
            words.append(str(v.const).replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n"))
            return
        items = items_of(v)
        if items is not None:
            raise TypeError("print in a kernel takes numbers and strings")
        t = tr.rules.type_of(v)
        if t.kind == "c":
            raise TypeError("print in a kernel takes real numbers: print .real and .imag")
        form, to = _FORMATS[t.kind]
        words.append(form)
        arguments.append(f'({as_type(v, t)} ? "True" : "False")' if to is None else as_type(v, to))
    for v in values:
        add(v)
    gap = " " if sep is None else str(sep.const)
    last = "\\n" if end is None else str(end.const).replace("\n", "\\n")
    tr.put_before(f"printf({', '.join([chr(34) + gap.join(words) + last + chr(34)] + arguments)});")




NAMED = {**{n: _unary(c) for n, c in UNARY.items()}, **{n: _binary(c) for n, c in BINARY.items()},
         **{n: _test(c) for n, c in TESTS.items()}, **{n: _whole(c, False) for n, c in WHOLE.items()},
         **{n: _operator(c) for n, c in OPERATORS.items()}, **{n: _comparison(c) for n, c in COMPARISONS.items()},
         "absolute": absolute, "abs": absolute, "negative": lambda tr, x: arithmetic.unary(tr.unit, "-", x),
         "positive": lambda tr, x: arithmetic.unary(tr.unit, "+", x), "conjugate": conjugate, "conj": conjugate,
         "maximum": _extreme("py_max", True), "minimum": _extreme("py_min", True),
         "fmax": _extreme("py_fmax", True), "fmin": _extreme("py_fmin", True), "sign": _sign, "where": _where,
         "ldexp": _ldexp, "deg2rad": _scaled(math.pi / 180), "radians": _scaled(math.pi / 180),
         "rad2deg": _scaled(180 / math.pi), "degrees": _scaled(180 / math.pi), "square": _square,
         "reciprocal": _reciprocal, "logical_and": _logical("&&"), "logical_or": _logical("||"),
         "logical_xor": _logical("!="), "logical_not": lambda tr, x: arithmetic.unary(tr.unit, "not", x),
         "invert": lambda tr, x: arithmetic.unary(tr.unit, "~", x), "gcd": _gcd, "angle": _angle,
         "frexp": _frexp, "bitwise_not": lambda tr, x: arithmetic.unary(tr.unit, "~", x), "modf": _modf,
         "real": _part("real"), "imag": _part("imag"), "round": _round, "around": _round}
OF_MATH = {**NAMED, **{n: _whole(c, True) for n, c in WHOLE.items()}, "pow": _math_power, "fabs": _unary("fabs"),
           "remainder": _binary("remainder")}
BUILTIN = {"abs": absolute, "min": _extreme("py_min", False), "max": _extreme("py_max", False), "len": _length,
           "round": _round, "pow": _power, "divmod": _divmod, "print": _print, "complex": _complex}


def lookup(x):
    """What writes a call of the function x of the host, else None."""
    name = getattr(x, "__name__", None)
    if name is None:
        return None
    if getattr(builtins, name, None) is x:
        return BUILTIN.get(name)
    if getattr(math, name, None) is x:
        return OF_MATH.get(name)
    module = getattr(x, "__module__", None) or ""
    if module == "cmath":
        return NAMED.get(name)
    home = type(x).__module__ if module in ("", None) else module
    if home.split(".")[0] in ("numpy", "cuprite", "scipy", "cupy") or type(x).__name__ == "ufunc":
        return NAMED.get(name)
    return None


