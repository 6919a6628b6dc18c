"""Fused expressions: whatever the source, types and layouts, the bits, types, orders of axes and errors are those of
the same source run by Python operation by operation."""
import os
import pickle
import random
import threading
import warnings

import numpy as np
import pytest

import cuprite as cp
from cuprite import _core, _device
from oracle import kind

Fused = _core._Fused
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128"]
UFUNCS = [f for f in vars(_core).values() if isinstance(f, cp.ufunc) and f.nout == 1]
NAMES = sorted({f.name for f in UFUNCS if getattr(cp, f.name, None) is f})
WORDS = {name: getattr(cp, name) for name in NAMES} | {
    "where": cp.where, "divmod": cp.divmod, "modf": cp.modf, "frexp": cp.frexp, "inf": np.inf, "nan": np.nan}


def cast(name):
    """Of arrays astype; of numbers a number of the type, which has to hold one of Python's (bfloat16 has no number)."""
    def f(x):
        if isinstance(x, cp.ndarray):
            return x.astype(name)
        if name == "bfloat16":
            return cp.asarray(np.float32(x)).astype(name)
        if isinstance(x, np.generic):
            return np.asarray(x).astype(name)[()]
        return np.asarray(x, name)[()]
    return f


WORDS |= {name: cast(name) for name in TYPES}


def plain(text, operands):
    """The text as Python runs it: each statement by itself, each operation by ours."""
    place = dict(operands)
    lines = text.replace(";", "\n").split("\n")
    for line in lines[:-1]:
        exec(line.strip(), dict(WORDS), place)  # noqa: S102
    return eval(lines[-1].replace("return", "").strip(), dict(WORDS), place)  # noqa: S307


def bits(x):
    """The bytes of the elements, NaNs as one: their signs are whatever operand the compiler took them of."""
    x = np.ascontiguousarray(x.get())
    if x.dtype.kind in "fc" or x.dtype.name == "bfloat16":
        part = x.view(x.real.dtype) if x.dtype.kind == "c" and x.ndim else x
        if x.dtype.kind == "c" and not x.ndim:
            part = np.array([x.real, x.imag])
        return np.where(np.isnan(part), part.dtype.type(0), part).tobytes(), np.isnan(part).tobytes()
    return x.tobytes()


def same(got, want, text="", operands=()):
    if isinstance(want, tuple):
        assert isinstance(got, tuple) and len(got) == len(want), text
        for g, w in zip(got, want):
            same(g, w, text, operands)
        return
    if not isinstance(want, cp.ndarray):  # a number, where all operands are numbers
        want = cp.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape), text
    if min(got.shape, default=2) > 1 and id(want) not in operands:
        assert got.strides == want.strides, text
    assert bits(got) == bits(want), text


def outcome(f):
    with warnings.catch_warnings(record=True) as seen, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            value = f()
            for x in value if isinstance(value, tuple) else (value,):
                if isinstance(x, cp.ndarray):
                    x.get()  # what a device reports later
        except Exception as e:  # noqa: BLE001
            try:
                cp.cuda.Device().synchronize()
            except Exception as earlier:  # noqa: BLE001  (an operation before it failed, which a device reports later)
                e = earlier
            return kind(e), None, str(e)
    return None, value, {w.category for w in seen if w.category is np.exceptions.ComplexWarning}


def check(text, operands, names=None):
    error, want, said = outcome(lambda: plain(text, operands))
    no_text, f, _ = outcome(lambda: Fused(text, names))
    if no_text:  # errors of literals are reported first
        assert error or no_text is OverflowError, text
        return no_text
    got_error, got, got_said = outcome(lambda: f(*[operands[n] for n in f.names]))
    if got_error and ("64 bits" in got_said or "Python's" in got_said):
        return got_error  # Python's integers have no end
    assert got_error == error, (text, got_error, got_said, error, said)
    if error:
        ours = said.split(":")[0] in WORDS  # else Python's own words
        assert not ours or got_said.startswith(said), (text, got_said, said)
    else:
        assert got_said == said, text
        same(got, want, text, [id(x) for x in operands.values()])
        again = outcome(lambda: f(*[operands[n] for n in f.names]))  # its steps may have been kept
        assert again[::2] == (None, said)
        same(again[1], want, text, [id(x) for x in operands.values()])
    return error


# --- random expressions ---

SHAPES = [(), (1,), (5,), (300,), (3, 5), (3, 1), (1, 5), (2, 3, 5), (0,), (0, 5), (4, 300), (1, 300)]


def elements(rng, shape, dtype):
    """On the device, in C order; without a shape a number of NumPy's."""
    t = np.dtype("f4" if dtype == "bfloat16" else dtype)
    letter = t.kind
    if letter == "b":
        x = rng.random(shape) > 0.5
    elif letter in "iu":
        x = rng.integers(0 if letter == "u" else -9, 9, shape)
    else:
        x = rng.normal(size=shape) * 3
        special = rng.random(shape)
        x = np.where(special < 0.05, np.nan, np.where(special < 0.1, np.inf, np.where(special < 0.2, -0.0, x)))
        if letter == "c":
            x = x + 1j * rng.normal(size=shape)
    x = np.asarray(x).astype(t)
    return x[()] if shape == () else cp.asarray(x).astype(dtype, copy=False)


def operand(rng, shapes):
    """An array, in one of many layouts, or a number."""
    dtype = TYPES[rng.integers(len(TYPES))]
    which = rng.integers(12)
    if which == 0:
        return [int(rng.integers(-3, 4)), float(rng.normal()), complex(1, rng.normal()), True][rng.integers(4)]
    if which == 1 and dtype != "bool":
        return elements(rng, (), dtype)
    shape = shapes[rng.integers(len(shapes))]
    if which < 7 or not shape:
        return cp.asarray(elements(rng, shape, dtype))  # of numbers 0-d arrays
    if which < 9:
        return elements(rng, shape[::-1], dtype).T
    x = elements(rng, (*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    return x[..., ::-1] if which < 11 else cp.broadcast_to(x[..., :1], x.shape)


def string_of(r, depth, names):
    """A random expression of the names."""
    if depth == 0 or r.random() < 0.1:
        return r.choice([*names, *names, "2", "1.5", "3", "0.25", "-1", "True", "1j", "inf", "300"])
    dice, sub = r.random(), lambda: string_of(r, depth - 1, names)
    if dice < 0.5:
        op = r.choice("+ - * / // % & | ^ << >> < <= > >= == !=".split())
        return f"({sub()}) {op} ({sub()})"
    if dice < 0.55:
        return f"({sub()})**{r.choice(['2', '1', '3', '0.5', sub()])}" if r.random() < 0.3 else f"({sub()})**2"
    if dice < 0.65:
        return f"{r.choice('-+~')}({sub()})"
    if dice < 0.72:
        return f"where({sub()}, {sub()}, {sub()})"
    if dice < 0.8:
        return f"{r.choice(TYPES)}({sub()})"
    f = getattr(cp, r.choice(NAMES))
    return f"{f.name}({', '.join(sub() for _ in range(f.nin))})"


def shapes_of(r):
    return r.choice([[(300,)], [(5,), (3, 5), (3, 1), (), (1, 5)], [(4, 300), (300,), (4, 1)],
                     [(2, 3, 5), (5,), (3, 1)], [(0,), (1,)], [(0, 5), (5,)], SHAPES, [(1,), ()],
                     [(3, 5), (2, 3, 5), (2, 1, 1)]])


@pytest.mark.parametrize("part", range(8))
def test_random_texts(part):
    r = random.Random(part)
    rng = np.random.default_rng(part)
    failed = done = 0
    for _ in range(400):
        shapes = shapes_of(r)
        operands = {name: operand(rng, shapes) for name in "abc"}
        text = string_of(r, r.randint(1, 4), "abc")
        if r.random() < 0.3:
            text = f"t = {text}; {string_of(r, 2, ['t', 'a', 'b'])}"
        if r.random() < 0.2:
            text = f"{string_of(r, 2, 'ab')}".join(["u = ",
                                                    f"\nreturn {string_of(r, 2, 'uab')}, {string_of(r, 2, 'uab')}"])
        if "**" in text and any(isinstance(x, np.generic) for x in operands.values()):
            continue  # comparisons of NumPy's numbers are numbers, whose squares have another type
        if check(text, operands):
            failed += 1
        else:
            done += 1
    assert done > 100 and failed > 20


@pytest.mark.parametrize("dtype", TYPES)
def test_each_function(dtype):
    """Every function, of arrays and of an intermediate value made just before."""
    rng = np.random.default_rng(5)
    a, b, c = (elements(rng, (700,), dtype) for _ in range(3))
    for name in NAMES:
        n = getattr(cp, name).nin
        args = ", ".join("abc"[:n])
        check(f"{name}({args})", {"a": a, "b": b, "c": c}, "abc")
        check(f"t = where(a == b, a, c); u = {name}({args.replace('a', 't')}); where(isfinite(a), u, u)",
              {"a": a, "b": b, "c": c}, "abc")
    for name in ("modf", "frexp"):
        check(f"p, q = {name}(a); q, p, where(b == c, p, p)".replace("; q", "; return q"), {"a": a, "b": b, "c": c},
              "abc")
    check("p, q = divmod(a, b); return q, p", {"a": a, "b": b}, "ab")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128", "int32"])
@pytest.mark.parametrize("size", [1000, 200_003, 1_600_000])
def test_large(dtype, size):
    """Many blocks, several threads, results past the caches."""
    rng = np.random.default_rng(7)
    x, y = (elements(rng, (size,), dtype) for _ in range(2))
    check("t = x*2 + y; where(t == x, y, t)*t - 1", {"x": x, "y": y})
    check("return x + y, x - y, (x + y)*(x - y)", {"x": x, "y": y})
    rows = size // 1000
    two, row, column = x[:rows * 1000].reshape(rows, 1000), y[:1000], y[:rows].reshape(rows, 1)
    check("two*row + column*(row + 1) - two", {"two": two, "row": row, "column": column})
    check("two*row + column*2", {"two": two.T.copy().T, "row": row, "column": column})
    thin = x[:size // 7 * 7].reshape(-1, 7)
    check("thin*row + row*row - thin[0]".replace("thin[0]", "c"), {"thin": thin, "row": row[:7], "c": thin[:, :1]})


def test_numbers_alone_are_pythons():
    for text in ["2*3", "7//2", "-7//2", "-7 % 3", "7/2", "2**10", "2**-1", "1 << 5", "5 & 3 | 8 ^ 1", "~5", "-2**2",
                 "2**3**2", "1 < 2", "2.5 >= 2", "1.5 // 0.5", "-1.5 % 1", "0.1 + 0.2", "1j*1j", "(1+2j)/(3-4j)",
                 "True + True", "True & False", "True ^ True", "-True", "1e400", "1e-400", "0x1F + 0b11 + 0o7",
                 "1_000", ".5", "5.", "1e3", "3 == 3.0", "1j == 1j", "2**62",
                 "9007199254740993 > 9007199254740992.0", "inf > 1", "+3", "--3", "2 - -2", "-9223372036854775808"]:
        want = eval(text, {"inf": np.inf})  # noqa: S307
        got = Fused(text)()
        assert (got.shape, got.dtype.kind) == ((), np.asarray(want).dtype.kind), text
        assert got.item() == want or text == "1e400", text
    x = cp.asarray(np.arange(3, dtype="i1"))
    for text in ["2*3*x", "x*(100 + 27)", "x + 1/2", "x*(1 < 2)", "n*2*x", "x + n/2", "(n > 3)*x", "float32(2)*x",
                 "x**float32(2)", "int8(2)*x", "where(True, x, n)"]:
        for n in (2, 2.5, True):
            check(text, {"x": x, "n": n} if "n" in text.replace("int", "") else {"x": x})


@pytest.mark.parametrize("text, error, said", [
    ("a +", ValueError, "fused: an expression is missing at column 4 of 'a +'"),
    ("a b", ValueError, "fused: the end is expected, not 'b', at column 3 of 'a b'"),
    ("f(a)", ValueError, "fused: unknown function 'f' at column 1 of 'f(a)'"),
    ("a + where", ValueError, "fused: the function 'where' without its arguments at column 5 of 'a + where'"),
    ("sin(a, a)", ValueError, "fused: sin() with 2 arguments instead of 1 at column 1 of 'sin(a, a)'"),
    ("1 < a < 2", ValueError, "fused: a chain of comparisons, for which (a < b) & (b < c) is to be written, at column "
     "7 of '1 < a < 2'"),
    ("not a", ValueError, "fused: 'not', which is not for arrays (& | ~ and where() are), at column 1 of 'not a'"),
    ("a = 3", ValueError, "fused: an expression, which is the result, is missing at column 6 of 'a = 3'"),
    ("divmod(a, 2) + 1", ValueError, "fused: divmod(), which has two results, inside of an expression at column 1 of "
     "'divmod(a, 2) + 1'"),
    ("p, q = a; p", ValueError, "fused: 1 result for 2 names at column 8 of 'p, q = a; p'"),
    ("a ? b", ValueError, "fused: '?', which means nothing at column 3 of 'a ? b'"),
    ("a[0]", ValueError, "fused: '[', which means nothing at column 2 of 'a[0]'"),
    ("a + 9223372036854775808", ValueError, "fused: an integer beyond 64 bits at column 5 of 'a + "
     "9223372036854775808'"),
    ("1/0 + a", ZeroDivisionError, "division by zero, at column 2 of '1/0 + a'"),
    ("2**63*a", OverflowError, "an integer does not fit into 64 bits, at column 2 of '2**63*a'"),
    ("07", ValueError, "fused: leading zeros of an integer at column 1 of '07'"),
    ("(" * 300 + "a" + ")" * 300, ValueError, "fused: more than 200 levels at column 201"),
    ("", ValueError, "fused: an expression, which is the result, is missing at column 1 of ''"),
])
def test_what_is_no_text(text, error, said):
    with pytest.raises(error) as e:
        Fused(text, "a")
    assert str(e.value) == said


def test_errors_of_operands():
    x = cp.zeros(3)
    for text, operands, error, said in [
            ("1 + a*b", (x, cp.zeros(4)), ValueError,
             "multiply: operands could not be broadcast together with shapes (3,) (4,), at column 6 of '1 + a*b'"),
            ("a - b", (cp.ones(2, "?"), cp.ones(2, "?")), TypeError, "subtract: numpy boolean subtract, the `-` "
             "operator, is not supported, use the bitwise_xor, the `^` operator, or the logical_xor function instead, "
             "at column 3 of 'a - b'"),
            ("a + 300", (cp.zeros(2, "i1"),), OverflowError,
             "add: Python integer 300 out of bounds for int8, at column 3 of 'a + 300'"),
            ("uint8(n)*a", (-1, x), OverflowError,
             "uint8: Python integer -1 out of bounds for uint8, at column 1 of 'uint8(n)*a'"),
            ("a**b", (cp.arange(3), cp.asarray([1, -1, 2])), ValueError,
             "power: integers to negative integer powers are not allowed")]:
        with pytest.raises(error) as e:
            r = Fused(text)(*operands)
            r.get()  # a device may report it later
        assert str(e.value).startswith(said), e.value
    f = Fused("a + b", ["a", "b"])
    for arguments, options, error, said in [
            ((x,), {}, TypeError, "1 operands for an expression with 2"),
            ((x, "s"), {}, TypeError, "Unsupported type <class 'str'>"),
            ((x, x), {"axis": 1}, TypeError, "a fused expression has no keyword argument 'axis'"),
            ((x, x), {"out": np.zeros(3)}, TypeError,
             "return arrays must be of ArrayType (got <class 'numpy.ndarray'>)"),
            ((x, x), {"out": cp.zeros(3, "i8")}, cp.UFuncTypeError,
             "fused: Cannot cast output from dtype('float64') to dtype('int64') according to the rule 'same_kind'"),
            ((x, x), {"out": cp.zeros(2)}, ValueError, "fused: operands could not be broadcast together with shapes "
             "(3,) (2,)"),
            ((x, x), {"out": (x, x)}, ValueError, "out= takes a tuple with one array or None for each of the 1 "
             "results")]:
        with pytest.raises(error) as e:
            f(*arguments, **options)
        assert str(e.value) == said


def test_names():
    assert Fused("b*a + b").names == ("b", "a")
    assert Fused("t = b*2; t + a", ["a", "b", "c"]).names == ("a", "b", "c")
    assert Fused("t = b*2; t + a", ["a", "b", "c"])(1, 2, 3).item() == 5
    with pytest.raises(ValueError, match="unknown name 'z' at column 7 of 'a\\*x \\+ z'"):
        Fused("a*x + z", ["a", "x"])
    with pytest.raises(ValueError, match="two operands have the name 'a'"):
        Fused("a", ["a", "a"])
    with pytest.raises(ValueError, match="operand 1 has no name"):
        Fused("a", ["a", "2b"])
    with pytest.raises(ValueError, match="65 operands; 64 at most"):
        Fused("a", [f"a{i}" for i in range(65)])
    many = Fused(" + ".join(f"a{i}" for i in range(64)))
    assert many(*range(64)).item() == sum(range(64))
    x = cp.arange(5.)
    assert (many(*[x] * 64) == 64*x).all()
    f = pickle.loads(pickle.dumps(Fused("a*b + 1")))
    assert (f.text, f.names, f.nresults, repr(f)) == ("a*b + 1", ("a", "b"), 1, "<fused 'a*b + 1'>")
    assert Fused("# a comment ; with signs )\n(a +\n b)  # another").names == ("a", "b")


def test_long_texts():
    x = cp.arange(1000.)
    text = "x" + "".join(f" + {i}.5*x" for i in range(120))
    check(text, {"x": x})
    with pytest.raises(ValueError, match="more than 512 operations at column"):
        Fused("x" + "".join(f" + {i}.5*x" for i in range(300)))
    deep = "sin(" * 150 + "x" + ")" * 150
    check(deep, {"x": x})
    wide = "x" + "".join(f"*(x + {i}) - y" for i in range(60))  # many values live at once
    check(f"return {wide}, {wide}", {"x": x, "y": x + 1})
    live = "; ".join(f"t{i} = x*{i}.5 + y" for i in range(90)) + "; " + " - ".join(f"t{i}" for i in reversed(range(90)))
    check(live, {"x": x, "y": x + 1})
    with pytest.raises(ValueError, match="fused: an expression of 70001 bytes; 65536 at most"):
        Fused("x" + " " * 70000)


OUTS = [lambda x: x, lambda x: x[::-1], lambda x: cp.zeros_like(x), lambda x: cp.zeros(x.shape, "f4"),
        lambda x: cp.zeros((2, *x.shape)), lambda x: cp.zeros((2*x.size,))[::2]]


@pytest.mark.parametrize("size", [7, 5000, 900_000])
def test_out(size):
    for which, make in enumerate(OUTS):
        x, y = cp.asarray(np.linspace(-1, 1, size)), cp.asarray(np.linspace(2, 3, size))
        want = x*y + y
        out = make(x)
        r = Fused("x*y + y")(x, y, out=out)
        assert r is out, which
        assert bits(out) == bits(cp.broadcast_to(want.astype(out.dtype), out.shape)), which
    base = cp.asarray(np.arange(size + 1.))
    x, out = base[:-1], base[1:]
    want = x*2 + x
    Fused("x*2 + x")(x, out=out)
    assert bits(out) == bits(want)
    x, y = cp.asarray(np.arange(size + 0.)), cp.asarray(np.arange(size + 0.)) + 1
    p, q = x + y, x - y
    Fused("return x + y, x - y")(x, y, out=(x, y))
    assert bits(x) == bits(p) and bits(y) == bits(q)
    p, q = y + 0, x + 0
    Fused("return y, x", "xy")(x, y, out=(x, y))
    assert bits(x) == bits(p) and bits(y) == bits(q)
    s = Fused("return x + 1, y*2")(x, y, out=(None, y))
    assert s[1] is y and s[0] is not x
    z = cp.zeros(size, "i4")
    Fused("x*1.5")(x, out=z, casting="unsafe")
    assert bits(z) == bits((x*1.5).astype("i4"))
    z = cp.zeros(size, "f4")
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        with pytest.raises(np.exceptions.ComplexWarning):
            Fused("x*1.5j")(x, out=z, casting="unsafe")
    two = cp.asarray(np.arange(2.*size).reshape(2, size))
    want = two[0] + two
    Fused("r + two")(two[0], two, out=two)
    assert bits(two) == bits(want)


def test_what_was_kept_is_for_operands_of_its_kind():
    """Calls in any order of sizes, types, numbers and layouts."""
    rng = np.random.default_rng(1)
    f, r = Fused("t = a*x + y**n; where(t > y, t, float32(a))"), random.Random(2)
    for _ in range(1500):
        shape = r.choice([(), (1,), (2,), (300,), (3, 5), (40_000,), (0,)])
        dtype = r.choice(["float32", "float64", "int32", "float16"])
        x, y = elements(rng, (*shape, 2), dtype), elements(rng, (*shape, 2), r.choice([dtype, "float32"]))
        a, n = r.choice([2, 2.5, np.float32(2), -1.5, 300]), r.choice([1, 2, 3])
        if r.random() < 0.2:
            x = x[..., ::-1]
        if r.random() < 0.2:
            a = x
        operands = {"a": a, "x": x, "y": y, "n": n}
        error, want, _ = outcome(lambda: plain(f.text, operands))
        out = r.choice([None, None, cp.zeros(x.shape), cp.zeros(x.shape, "f4"), x, y, cp.zeros(x.shape, "i4")])
        if not error and out is not None and not cp.can_cast(want.dtype, out.dtype, "same_kind"):
            error = TypeError
        got_error, got, _ = outcome(lambda: f(*[operands[name] for name in f.names], out=out))
        assert got_error == error
        if not error:
            want = want if out is None else want.astype(out.dtype)
            same(got, want, "", [id(want)])  # what is given lies as it lies
            assert out is None or got is out


@pytest.mark.parametrize("text", ["x*y + z", "return x + 1, y*z", "where(x > y, z, x)", "exp(y)*x - z",
                                  "t = x*y; where(t > z, float32(t), z) + (x - 1)*float32(2)",
                                  "q, r = divmod(x, y); return q + r*z, sqrt(y*y), x"])
def test_what_was_kept_is_for_operands_of_its_layout(text):
    """Few operands of several shapes, strides and directions, whose data changes, in runs of equal calls."""
    rng, r = np.random.default_rng(3), random.Random(4)
    f = Fused(text)

    def made():
        x = elements(rng, (6, 10), "float64")
        return [x, x[::-1], x[:, ::2][:, ::-1], x[0], x[:, :1], x.T, x[:5, :5], x[:5, :5].T, x[:0], 1.5, x[3, 3],
                cp.broadcast_to(x[:, 2:3], (6, 10)), x[None], x.astype("f4"), x[2:3, ::-1], x[5, 0], x[3:4, 3:4]]
    for turn in range(500):
        which = [r.choice([10, 15, 16, 9] if turn % 5 == 0 else range(17)) for _ in "xyz"]
        for _ in range(r.randint(1, 4)):
            all_of_them = made()
            operands = dict(zip("xyz", [all_of_them[k] for k in which]))
            error, want, _ = outcome(lambda: plain(text, operands))
            got_error, got, _ = outcome(lambda: f(*[operands[name] for name in f.names]))
            assert got_error == error
            if not error:
                same(got, want, which, [id(x) for x in operands.values()])


def test_fused_takes_names_from_where_it_is_called():
    a, x = 2, cp.arange(4.)
    y = cp.ones(4)
    assert (cp.fused("a*x + y") == a*x + y).all()
    assert (cp.fused("a*x + y", a=3) == 3*x + y).all()
    assert (cp.fused("a*x", {"a": 5, "x": x}) == 5*x).all()
    assert (cp.fused("a*x", {"a": 5}, {"x": x}) == 5*x).all()
    out = cp.zeros(4)
    assert cp.fused("a*x", out=out) is out and (out == a*x).all()
    with pytest.raises(NameError, match="fused: the name 'nothing' of 'x\\*nothing' is not defined"):
        cp.fused("x*nothing")
    with pytest.raises(TypeError, match="fused: 'a\\*x' has no operand 'b'"):
        cp.fused("a*x", b=1)


@pytest.mark.parametrize("text", ["t = a*x + y; where(t > 0, t, x*x) - 1.5", "a*x + y*y - 1", "return x + y, -(x*y)",
                                  "p, q = divmod(x, y)\nreturn p*a, q", "float32(x)*a + int32(y)", "sin(x)/sqrt(y*y)",
                                  "\n  t = (x +\n    y)\n  t*t", "x", "erf(x) + inf"])
def test_fused_everywhere(text, device):
    """On other devices than the CPU a compiled kernel takes over, with the same bits."""
    from cuprite._compiler.fuse import expression
    rng = np.random.default_rng(4)
    x, y = elements(rng, (5000,), "float32"), elements(rng, (5000,), "float64")
    names = {"a": 2, "x": x, "y": y}
    names = {name: names[name] for name in Fused(text).names}
    want = Fused(text)(*names.values())
    for _ in range(4):
        same(cp.fused(text, **names), want, text, [id(x)])
        function = device != "cpu" and expression._function(text)
        if function:
            function.wait()
    if device != "cpu":
        assert function is not None, text
    with pytest.raises(TypeError, match="at column 3 of 'x & y'"):
        cp.fused("x & y", x=x, y=y)


def test_threads():
    x, y = cp.asarray(np.linspace(-3, 3, 200_000)), cp.asarray(np.linspace(1, 2, 200_000))
    f, failures = Fused("t = x*y + 1; where(t > 0, exp(-t), sin(t))"), []
    t = x*y + 1
    want = bits(cp.where(t > 0, cp.exp(-t), cp.sin(t)))
    current = _device.current()

    def work():
        _device.use(current)
        for _ in range(10):
            if bits(f(x, y)) != want:
                failures.append(1)
    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_fork(device):
    if device != "cpu":
        pytest.skip("only the CPU device works on in a child")
    x = cp.asarray(np.linspace(-3, 3, 500_000))
    f = Fused("exp(x)*2 + x")
    want = bits(f(x))
    child = os.fork()
    if not child:
        os._exit(0 if bits(f(x)) == want else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.once
def test_texts_of_noise():
    """Random bytes and damaged sources: a program, or an error that is raised."""
    r = random.Random(3)
    whole = "t = a*x + 0x1f; p, q = divmod(t, 3)\nreturn where(t >= 0, exp(t), 1e-3j) + p**2, (q << 2) // 5 # end"
    words = ("a x ( ) ( ) + - ** // % & | ^ ~ << >> < <= == = , ; \n sin( where( 1 2.5 1e5 0x 1j True return "
             "inf").split(" ")
    for i in range(30_000):
        if i % 3 == 0:
            text = "".join(r.choice(words) for _ in range(r.randint(1, 30)))
        elif i % 3 == 1:
            text = "".join(chr(r.choice([r.randint(1, 127), r.randint(1, 0x2ff)])) for _ in range(r.randint(0, 40)))
        else:
            place = r.randint(0, len(whole) - 1)
            text = whole[:place] + r.choice(["", chr(r.randint(1, 126)), whole[r.randint(0, 50):][:9]]) + \
                whole[place + r.randint(0, 3):]
        try:
            f = Fused(text)
        except (ValueError, OverflowError, ZeroDivisionError, TypeError) as e:
            assert str(e)
        else:
            try:
                f(*[2] * len(f.names))
            except (TypeError, ValueError, OverflowError, ZeroDivisionError) as e:
                assert str(e)


def test_negative_exponents_are_told_in_turn():
    """Type errors of a later operation are reported after value errors of an earlier one."""
    for value, error in ((-2, ValueError), (2, TypeError)):
        operands = {"a": cp.asarray([3, 4]), "b": cp.asarray([value, 1])}
        assert check("+(a**b > 1)", operands) is error
        assert check("p, q = divmod(a**b, b); return +(p > q)", operands, "ab") is error
