"""Functions of numbers that kernels may call under their names in Python, math, cmath, SciPy and Cuprite: name -> the
writer of the call. NumPy's ufuncs are in ufuncs.py. In float16 they compute in float32."""
import builtins
import math

from . import arithmetic, numba_helpers, ufuncs
from .rules import as_inexact
from .types import BOOL, CDOUBLE, CFLOAT, DOUBLE, FLOAT, HALF, INT8, INT32, INT64, UINT64, Array
from .values import Value, as_type, convert, describe, items_of, known, make_tuple, nonneg_as, number

# name -> the name in C. SPECIAL's are no ufuncs of NumPy's.
SPECIAL = {"erf": "erf", "erfc": "erfc", "gamma": "tgamma", "lgamma": "lgamma", "erfinv": "erfinv",
           "erfcinv": "erfcinv", "gammaln": "lgamma", "rsqrt": "rsqrt", "j0": "j0", "j1": "j1", "y0": "y0", "y1": "y1",
           "erfcx": "erfcx"}
MATH_OF_TWO = {"atan2", "hypot", "copysign", "fmod", "nextafter", "remainder", "pow"}
MATH = {"sqrt", "cbrt", "exp", "exp2", "expm1", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan",
        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "fabs", "erf", "erfc", *MATH_OF_TWO}
CMATH = ufuncs.COMPLEX - {"log"}


def run(tr, name, v, *more):
    """The call of a C function of floating numbers."""
    t = tr.rules.floating(v)
    for m in more:
        if tr.rules.widens:  # integers together are doubles; beside inexact ones they are what they are there
            t = tr.rules.matched(v, m)
            t = DOUBLE if t.integer else t
        else:
            t = tr.rules.joined(Value(t, "x"), Value(tr.rules.floating(m), "y"))
    return _call(tr, name, t, [v, *more])


def _call(tr, name, t, values):
    pure = all(v.pure for v in values)
    tr.unit.need_type(t)
    if t.kind == "c":
        if name not in ufuncs.COMPLEX and name not in ("abs", "arg", "pow"):
            raise TypeError(f"{name} is not defined for complex numbers")
        return Value(t, f"{name}({', '.join(as_type(v, t) for v in values)})", pure=pure)
    work = FLOAT if t is HALF else t
    arguments = [convert(as_type(v, t), t, work) for v in values]
    text = f"{name}{'f' if work is FLOAT else ''}({', '.join(arguments)})"
    return Value(t, convert(text, work, t), pure=pure)


def _of_c(c):
    return lambda tr, x: run(tr, c, x)


def _of_math(c):
    """A function of module math, which knows no complex numbers."""
    def write(tr, x, *more):
        if len(more) != (c in MATH_OF_TWO):
            raise TypeError(f"{c} takes {1 + (c in MATH_OF_TWO)} arguments, not {1 + len(more)}")
        if any(tr.rules.type_of(v).kind == "c" for v in (x, *more)):
            raise TypeError("functions of math are for real numbers: take cmath's")
        if c == "copysign" and tr.rules.widens:
            x, more = _inexact(tr, x), [_inexact(tr, v) for v in more]
        return run(tr, c, x, *more)
    return write


def _inexact(tr, v):
    t = as_inexact(tr.rules.type_of(v))
    return Value(t, as_type(v, t), pure=v.pure)


def _log(tr, x, base=None):
    made = _of_math("log")(tr, x)
    return made if base is None else arithmetic.binary(tr.unit, "truediv", made, _of_math("log")(tr, base))


def _whole(c):
    """math.floor and the like give an integer."""
    def write(tr, x):
        t = tr.rules.type_of(x)
        if tr.rules.widens:
            to = UINT64 if t.kind == "u" else INT64
            return Value(to, as_type(x, to) if t.integer else convert(run(tr, c, x).code, t, to), pure=x.pure)
        return x if t.integer else run(tr, c, x)
    return write


def _fix(tr, x):
    return x if tr.rules.type_of(x).integer else run(tr, "trunc", x)


def _test(c):
    """math.isnan and the like."""
    def write(tr, x):
        t = tr.rules.type_of(x)
        if t.kind == "c":
            tr.unit.need_type(t)
            return Value(BOOL, tr.unit.call(f"np_c{c}", as_type(x, t)), pure=x.pure)
        if t.integer:
            return known(c == "isfinite")
        return Value(BOOL, f"((bool){c}({convert(as_type(x, t), t, FLOAT if t is HALF else t)}))", pure=x.pure)
    return write


def _infinite(sign):
    """np.isposinf and np.isneginf"""
    def write(tr, x):
        t = tr.rules.type_of(x)
        if t.kind == "c":
            raise TypeError("a complex number has no sign")
        if t.integer:
            return known(False)
        return Value(BOOL, f"({convert(as_type(x, t), t, DOUBLE)} == {sign}(1e300 * 1e300))", pure=x.pure)
    return write


# --- cmath: always complex ---

def _cargument(tr, z):
    t = as_inexact(tr.rules.type_of(z))
    t = t if t.kind == "c" else CFLOAT if t in (FLOAT, HALF) else CDOUBLE
    tr.unit.need_type(t)
    return t, as_type(z, t)


def _of_cmath(c):
    def write(tr, z):
        t, text = _cargument(tr, z)
        if c in ("acosh", "log10", "tanh") and tr.rules.widens:  # which Numba has in complex128 alone
            tr.unit.need_type(CDOUBLE)
            if t is CFLOAT:
                return Value(CDOUBLE, tr.unit.call(f"nb_c{c}_single", text), pure=z.pure)
        special = tr.rules.widens and c in numba_helpers.COMPLEX
        return Value(t, tr.unit.call(f"nb_c{c}", text) if special else f"{c}({text})", pure=z.pure)
    return write


def _clog(tr, z, base=None):
    made = _of_cmath("log")(tr, z)
    return made if base is None else arithmetic.binary(tr.unit, "truediv", made, _of_cmath("log")(tr, base))


def _phase(tr, z):
    t, text = _cargument(tr, z)
    return Value(FLOAT if t is CFLOAT else DOUBLE, f"arg({text})", pure=z.pure)


def _polar(tr, z):
    t, text = _cargument(tr, z)
    part = FLOAT if t is CFLOAT else DOUBLE
    return make_tuple([Value(part, f"{name}({text})", pure=z.pure) for name in ("abs", "arg")])


def _rect(tr, r, phi):
    t = tr.rules.matched(r, phi) if tr.rules.widens else tr.rules.joined(r, phi)
    t = DOUBLE if t.integer or t is HALF else t
    made = CFLOAT if t is FLOAT else CDOUBLE
    tr.unit.need_type(made)
    x, y = as_type(r, t), as_type(phi, t)
    text = tr.unit.call("nb_rect", x, y) if tr.rules.widens else f"{made.c}({x} * cos({y}), {x} * sin({y}))"
    return Value(made, text, pure=r.pure and phi.pure)


# --- Python's own ---

def absolute(tr, x):
    """abs()"""
    t = tr.rules.type_of(x)
    if x.known and t is not BOOL:
        import numpy
        with numpy.errstate(over="ignore"):
            made = known(abs(x.const))
        if t.kind != "i" or not tr.rules.widens or tr.rules.type_of(made) is t:
            return made
    if t is BOOL and tr.rules.widens:
        return Value(INT8, as_type(x, INT8), pure=x.pure, nonneg=True)
    if t.kind in "bu":
        return x
    tr.unit.need_type(t)
    if t.kind == "i":
        return Value(t, tr.unit.call("py_abs", as_type(x, t)), pure=x.pure, nonneg=1)
    if t.kind == "c":
        return Value(FLOAT if t is CFLOAT else DOUBLE, f"abs({as_type(x, t)})", pure=x.pure)
    return _call(tr, "fabs", t, [x])


def conjugate(tr, x):
    """The method of a number."""
    t = tr.rules.type_of(x)
    return Value(t, f"conj({as_type(x, t)})", pure=x.pure) if t.kind == "c" else x


def _typed(tr, made, values):
    """A constant number as one of the type that these values have together."""
    t = tr.rules.type_of(values[0])
    for v in values[1:]:
        t = tr.rules.joined(Value(t, "x"), v)
    if t.kind == "c":
        raise TypeError("complex numbers have no order")
    return known({BOOL: bool, INT64: int, DOUBLE: float}.get(t, t.dtype.type)(made))


def _extreme(word):
    """min and max: of several numbers, or of one tuple. Outside Numba's rules a NaN wins, as in NumPy."""
    def write(tr, *values):
        if len(values) == 1 and items_of(values[0]) is not None:
            values = items_of(values[0])
        if not values:
            raise TypeError(f"{word} expects at least one number")
        if all(v.known for v in values):
            made = getattr(builtins, word)(v.const for v in values)
            return _typed(tr, made, values) if tr.rules.widens else known(made)
        out = values[0]
        for v in values[1:]:
            t = tr.rules.joined(out, v)
            if t.kind == "c":
                raise TypeError("complex numbers have no order")
            work = FLOAT if t is HALF else t
            x, y = (convert(as_type(a, t), t, work) for a in (out, v))
            p, q = nonneg_as(out, t), nonneg_as(v, t)
            nonneg = max(p, q) if word == "max" and t.integer else min(p, q)
            name = f"np_{word}" if not tr.rules.widens and t.kind == "f" else f"py_{word}"
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


def _rounding(tr):
    return "nb_round" if tr.rules.widens else "py_round"


def _round(tr, x, digits=None):
    t = tr.rules.type_of(x)
    if digits is not None and not (digits.known and digits.const in (0, None) and not tr.rules.widens):
        t = as_inexact(t) if t.kind != "f" else tr.rules.floating(x)
        if t.kind == "c":
            raise TypeError("a complex number cannot be rounded")
        work = t if t is FLOAT and tr.rules.widens and tr.rules.notes_zero else DOUBLE  # Numba's for the CPU: rintf
        text = tr.unit.call(_rounding(tr), convert(as_type(x, t), t, work), as_type(digits, INT64))
        return Value(t, convert(text, work, t), pure=x.pure and digits.pure)
    if t.integer and not tr.rules.widens:
        return x
    r = run(tr, "rint", _inexact(tr, x))
    return Value(INT64, convert(r.code, r.type, INT64), pure=x.pure) if digits is None else r


def _around(tr, x, decimals=known(0)):
    """np.around: Numba's gives 64-bit types."""
    t = tr.rules.type_of(x)
    if t.kind == "c":
        part = FLOAT if t is CFLOAT else DOUBLE
        re, im = (_around(tr, Value(part, f"{as_type(x, t)}.{p}()", pure=x.pure), decimals) for p in ("real", "imag"))
        t = CDOUBLE if tr.rules.widens else t
        part = FLOAT if t is CFLOAT else DOUBLE
        return Value(t, f"{t.c}({as_type(re, part)}, {as_type(im, part)})", pure=x.pure and decimals.pure)
    if tr.rules.widens:
        t = INT64 if t.integer and t is not UINT64 else DOUBLE
    if t.integer and decimals.known and decimals.const >= 0:
        return Value(t, as_type(x, t), pure=x.pure)
    if decimals.known and decimals.const == 0:
        return run(tr, "rint", Value(t, as_type(x, t), pure=x.pure))
    text = tr.unit.call(_rounding(tr), convert(as_type(x, t), t, DOUBLE), as_type(decimals, INT64))
    return Value(t, convert(text, DOUBLE, t), pure=x.pure and decimals.pure)


def _power(tr, x, y, modulus=None):
    if modulus is not None:
        raise NotImplementedError("pow with a modulus cannot stand in a kernel: multiply and take % in a loop")
    return arithmetic.binary(tr.unit, "pow", x, y)


def _math_power(tr, x, y):
    if tr.rules.widens and tr.rules.type_of(y).integer:
        base = Value(DOUBLE, as_type(x, DOUBLE), pure=x.pure)
        return arithmetic.computed(tr.unit, "pow", DOUBLE, DOUBLE, base, y)
    return _of_math("pow")(tr, x, y)


def _divmod(tr, x, y):
    if not tr.rules.widens:
        return make_tuple([arithmetic.binary(tr.unit, op, x, y) for op in ("floordiv", "mod")])
    t = tr.rules.matched(x, y)
    if t.kind == "c":
        raise TypeError("divmod is for real numbers")
    return make_tuple([arithmetic.computed(tr.unit, op, t, t, x, y, tr.rules.notes_zero) for op in ("floordiv", "mod")])


def _complex(tr, re=None, im=None):
    from .intrinsics import cast
    if im is None:
        return cast(tr, known(0) if re is None else re, complex)
    t = tr.rules.joined(Value(tr.rules.floating(re), "a"), Value(tr.rules.floating(im), "b"))
    part = FLOAT if t is FLOAT and tr.rules.widens else DOUBLE
    made = CFLOAT if part is FLOAT else CDOUBLE
    tr.unit.need_type(made)
    return Value(made, f"{made.c}({as_type(re, part)}, {as_type(im, part)})", pure=re.pure and im.pure)


def _scaled(factor):
    """math.radians and math.degrees"""
    def write(tr, x):
        t = tr.rules.floating(x)
        return arithmetic.computed(tr.unit, "mul", t, t, x, known(factor))
    return write


# --- NumPy's that are no ufuncs, and ufuncs of several results ---

def _where(tr, condition, x, y):
    if condition.known:
        return x if condition.const else y
    return arithmetic.choose(tr.unit, arithmetic.truth(condition), x, y, condition.pure)


def _ldexp(tr, x, e):
    t = tr.rules.floating(x)
    work = FLOAT if t is HALF else t
    text = f"ldexp{'f' if work is FLOAT else ''}({convert(as_type(x, t), t, work)}, {as_type(e, INT32)})"
    return Value(t, convert(text, work, t), pure=x.pure and e.pure)


def _np_ldexp(tr, x, e):
    import numpy
    if tr.rules.widens:
        t = tr.rules.loop(numpy.ldexp, [x, e])[0][0]
        x = Value(t, as_type(x, t), pure=x.pure)
    return _ldexp(tr, x, e)


def _math_gcd(tr, x, y):
    """math.gcd, in the smaller of the types that holds both, where there is one."""
    a, b = tr.rules.type_of(x), tr.rules.type_of(y)
    if not (a.integer and b.integer):
        raise TypeError("gcd is for integers")
    t = tr.rules.common(x, y)
    if tr.rules.widens:
        met = tr.rules.joined(x, y)
        t = INT64 if a is b is BOOL else met if met in (a, b) else {a: b, b: a}.get(UINT64, INT64)
    return Value(t, tr.unit.call("py_gcd", as_type(x, t), as_type(y, t)), pure=x.pure and y.pure, nonneg=True)


def _of_double(helper):
    """A function that computes in float64, of integers and in Numba of all."""
    def write(tr, x):
        t = tr.rules.floating(x)
        t = DOUBLE if tr.rules.widens and t.kind != "c" else t
        if t.kind == "c":
            raise TypeError("it is not for complex numbers here")
        work = FLOAT if t is HALF else t
        return Value(t, convert(tr.unit.call(helper, convert(as_type(x, t), t, work)), work, t), pure=x.pure)
    return write


def _nan_to_num(tr, x, copy=None, nan=known(0.0), posinf=known(None), neginf=known(None)):
    import numpy
    t = tr.rules.type_of(x)
    if t.integer:
        return x
    if t.kind == "c":
        part = FLOAT if t is CFLOAT else DOUBLE
        parts = [_nan_to_num(tr, Value(part, f"{as_type(x, t)}.{p}()", pure=x.pure), copy, nan, posinf, neginf)
                 for p in ("real", "imag")]
        return Value(t, f"{t.c}({parts[0].code}, {parts[1].code})", pure=x.pure)
    work = FLOAT if t is HALF else t
    top = float(numpy.finfo(t.dtype).max)
    limits = [v if not (v.known and v.const is None) else known(d) for v, d in ((posinf, top), (neginf, -top))]
    text = tr.unit.call("np_finite", convert(as_type(x, t), t, work), *(as_type(v, work) for v in (nan, *limits)))
    return Value(t, convert(text, work, t), pure=x.pure)


def _angle(tr, z):
    t = tr.rules.floating(z)
    if t.kind == "c":
        part = FLOAT if t is CFLOAT else DOUBLE
        made = Value(part, f"arg({as_type(z, t)})", pure=z.pure)
    else:
        made = run(tr, "atan2", known(0.0), z)
    return Value(DOUBLE, convert(made.code, made.type, DOUBLE), pure=z.pure) if tr.rules.widens else made


def _part(name):
    def write(tr, z):
        from .intrinsics import attribute
        return attribute(tr, z, name)
    return write


def _frexp(tr, x):
    """(mantissa, exponent)"""
    t = tr.rules.floating(x)
    work = FLOAT if t is HALF else t
    e, m = tr.fresh("exponent"), tr.fresh("mantissa")
    tr.put_before(f"int {e};")
    tr.put_before(f"{work.c} {m} = frexp{'f' if work is FLOAT else ''}({convert(as_type(x, t), t, work)}, &{e});")
    return make_tuple([Value(t, convert(m, work, t)), Value(INT32, e)])


def _modf(tr, x):
    """(fraction, whole part), both of the sign of x; the fraction of an infinity is 0."""
    t = tr.rules.floating(x)
    work = FLOAT if t is HALF else t
    f, m, w = "f" if work is FLOAT else "", tr.fresh("fraction"), tr.fresh("whole")
    tr.put_before(f"{work.c} {w};")
    tr.put_before(f"{work.c} {m} = modf{f}({convert(as_type(x, t), t, work)}, &{w});")
    return make_tuple([Value(t, convert(m, work, t)), Value(t, convert(w, work, t))])


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


NAMED = {**{n: _of_c(c) for n, c in SPECIAL.items()}, **{n: ufuncs.write(n) for n in ufuncs.WRITERS},
         "divmod": ufuncs.divided, "where": _where, "ldexp": _np_ldexp, "fix": _fix, "angle": _angle, "frexp": _frexp,
         "modf": _modf, "real": _part("real"), "imag": _part("imag"), "round": _around, "around": _around,
         "isposinf": _infinite("+"), "isneginf": _infinite("-"), "sinc": _of_double("np_sinc"),
         "i0": _of_double("np_i0"), "nan_to_num": _nan_to_num}
OF_MATH = {**{n: _of_math(n) for n in MATH}, "gamma": _of_math("tgamma"), "lgamma": _of_math("lgamma"), "log": _log,
           **{n: _test(n) for n in ("isnan", "isinf", "isfinite")},
           **{n: _whole(n) for n in ("floor", "ceil", "trunc")},
           "pow": _math_power, "gcd": _math_gcd, "ldexp": _ldexp, "frexp": _frexp, "modf": _modf,
           "radians": _scaled(math.pi / 180), "degrees": _scaled(180 / math.pi)}
OF_CMATH = {**{n: _of_cmath(n) for n in CMATH}, "log": _clog, "phase": _phase, "polar": _polar, "rect": _rect,
            **{n: _test(n) for n in ("isnan", "isinf", "isfinite")}}
BUILTIN = {"abs": absolute, "min": _extreme("min"), "max": _extreme("max"), "len": _length, "round": _round,
           "pow": _power, "divmod": _divmod, "print": _print, "complex": _complex}


def _operator(write):
    return lambda tr, *values: write(tr.unit, *values)


def _getitem(tr, v, index):
    return tr.subscript(v, index)


#: of the module operator; what it does in place gives the result of numbers
OF_OPERATOR = {"neg": _operator(lambda u, v: arithmetic.unary(u, "-", v)),
               "pos": _operator(lambda u, v: arithmetic.unary(u, "+", v)),
               "invert": _operator(lambda u, v: arithmetic.unary(u, "~", v)),
               "not_": _operator(lambda u, v: arithmetic.unary(u, "not", v)),
               "truth": lambda tr, v: Value(BOOL, arithmetic.truth(v), pure=v.pure), "getitem": _getitem,
               "abs": absolute}
OF_OPERATOR["inv"] = OF_OPERATOR["invert"]
for _op in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor"):
    _write = _operator(lambda u, a, b, op=_op: arithmetic.binary(u, op, a, b))
    OF_OPERATOR.update({_op + "_" * (_op in ("and", "or")): _write, "i" + _op: _write})
for _name, _sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    OF_OPERATOR[_name] = _operator(lambda u, a, b, sign=_sign: arithmetic.compare(u, sign, a, b))


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
        return OF_CMATH.get(name)
    if module == "_operator":
        return OF_OPERATOR.get(name)
    home = type(x).__module__ if module in ("", None) else module
    if home.split(".")[0] in ("numpy", "cuprite", "scipy", "cupy") or type(x).__name__ == "ufunc":
        return NAMED.get(name)
    return None
