"""What Numba's rules give where they differ from Python's and NumPy's: type and value of expressions. The table is
Numba's answers, written down; where Numba is installed it is asked whether they still are."""
import cmath
import importlib.util
import linecache
import math
import re

import numpy as np
import pytest

from cuprite.numba import cuda

inf, nan = math.inf, math.nan
f4, f8, c8, c16 = np.float32, np.float64, np.complex64, np.complex128
K = 3
LOW = {t: np.dtype(t).type(np.iinfo(t).min) for t in ("int8", "int16", "int32", "int64")}
END = int(LOW["int64"])

#: (expression, its x and y, type of the result, its value)
DIVISIONS = [
    ("np.floor_divide(x, y)", (f8(-inf), f8(0.5)), "float64", -inf),
    ("np.floor_divide(x, y)", (f4(inf), f4(-2)), "float32", -inf),
    ("np.floor_divide(x, y)", (f8(-1), f8(inf)), "float64", -0.0),
    ("np.floor_divide(x, y)", (f8(1), f8(0.1)), "float64", 10.0),
    ("np.divmod(x, y)[0]", (f4(-1), f4(inf)), "float32", -0.0),
    *[("np.floor_divide(x, y)", (low, low.dtype.type(-1)), t, 0) for t, low in LOW.items()],
    *[(text, (low, low.dtype.type(-1)), "int64", 0 if t == "int64" else -int(low))
      for t, low in LOW.items() for text in ("x // y", "divmod(x, y)[0]")],
    *[("x % y", (low, low.dtype.type(-1)), "int64", 0) for low in LOW.values()],
]
NUMBERS = [
    ("round(x, 3)", (f4(-4.9685),), "float32", f4(-4.968)), ("np.around(x, 3)", (f8(-4.9685),), "float64", -4.968),
    ("round(x, 2)", (f8(2.675),), "float64", 2.68), ("round(x, -2)", (f4(1234.5),), "float32", 1200),
    ("round(x, 31)", (f8(1.5e-30),), "float64", 1.5e-30), ("round(x, 25)", (f8(1e300),), "float64", 1e300),
    ("round(x, 1)", (f4(-inf),), "float32", -inf), ("round(x, 2)", (f4(3.4e38),), "float32", inf),
    ("round(x, 1)", (np.int8(3),), "float32", 3.0), ("round(x, 1)", (np.uint64(3),), "float64", 3.0),
    ("(y * x) - ((x and False) - np.float32(x))", (np.False_, f8(-1.5)), "float64", -0.0),
    ("(0.0 * x) - (not y)", (np.True_, np.int64(7)), "float64", 0.0),
    *[("x - y", (x, y), "float64", right) for x, y, right in [
        (f8(-0.0), np.int64(0), -0.0), (f8(0.0), np.int64(0), 0.0), (np.int64(0), f8(0.0), 0.0),
        (np.int64(0), f8(-0.0), 0.0), (f8(2.5), np.int64(2), 0.5), (f8(3), np.int64(3), 0.0),
        (f8(inf), np.bool_(1), inf)]],
    ("x ** y", (f8(1.0000000001), np.int64(100000)), "float64", 1.0000100000508272),
]
CONSTANTS = [
    ("min(7, False)", (), "int64", 0), ("max(int(-5), np.float32(100))", (), "float64", 100.0),
    ("not ((4294967296 ** 3) >> 6)", (), "bool", False),
    ("max(True, False)", (), "bool", True), ("min(-100, np.uint16(7))", (), "int64", -100),
    ("max(np.int8(2), np.int8(3))", (), "int8", 3), ("min(True, 2.5, 3)", (), "float64", 1.0),
    ("max(np.float32(1), 2)", (), "float64", 2.0), ("min((3, np.uint8(2)))", (), "int64", 2),
    ("float(np.float32(1))", (), "float32", 1.0), ("int(np.uint32(5))", (), "uint32", 5),
    ("complex(np.float32(1))", (), "complex64", 1), ("complex(np.complex64(1))", (), "complex128", 1),
    ("np.power(np.int16(7), -2)", (), "int64", 0), ("np.power(np.int8(0), np.int8(-1))", (), "int8", -128),
    ("np.power(np.int8(-1), np.int8(-3))", (), "int8", -1), ("abs(np.int8(-128))", (), "int8", -128),
    ("abs(4611686018427387904) * 2", (), "int64", END), ("abs(2) ** 70", (), "int64", 0),
    ("abs(-9223372036854775808)", (), "int64", END), ("-abs(-9223372036854775808)", (), "int64", END),
]
#: of x = 2.5: what a condition is, where no compiler sees it before there are types, leaves the type to both values
CONDITIONS = [(text, (f8(2.5),), t, value) for t, value, texts in (
    ("int64", 1, ["1 if (bool(x) or ~False) else x", "1 if K else x", "1 if K == 3 else x", "1 if K + 1 else x",
                  "1 if (K == 3 and 2 > 1) else x", "1 if 1 < 2 < 3 else x", "1 if (x or True) else 2j"]),
    ("float64", 1, ["1 if np.isfinite(3) else x", "1 if np.int8(3) else x", "1 if math.pi > 3 else x",
                    "1 if abs(-3) > 2 else x", "1 if bool(3) else x"]),
    ("float64", 2.5, ["1 if (0.5 == (True == False)) else x", "1 if not 1j.imag else x", "1 if 0.5 == 1 else x",
                      "1 and x", "np.int8(3) and x", "np.int8(0) or x", "K and x", "1 if (bool(x) and False) else x"]),
) for text in texts]
#: cmath at infinities: what a NaN is beside one, and which part stays 0
INFINITIES = [(f"{f}(x)", (c16(z),), "complex128", c16(right)) for f, z, right in (
    ("cmath.exp", complex(inf, nan), complex(inf, nan)), ("np.exp", complex(-inf, inf), 0),
    ("cmath.sqrt", complex(1, -inf), complex(inf, -inf)), ("np.sqrt", complex(-inf, 1), complex(0, inf)),
    ("cmath.sinh", complex(-inf, 0), complex(-inf, 0)), ("cmath.sinh", complex(inf, nan), complex(inf, nan)),
    ("cmath.cosh", complex(-inf, 0), complex(inf, 0)), ("cmath.tanh", complex(-inf, inf), -1),
    ("cmath.sin", complex(0, inf), complex(0, inf)), ("np.cos", complex(0, inf), complex(inf, 0)),
    ("np.tan", complex(1, inf), 1j), ("cmath.tanh", complex(0, inf), complex(nan, nan)),
    ("cmath.asinh", complex(inf, 1), complex(inf, 0)), ("np.arcsinh", complex(inf, inf), complex(inf, math.pi / 4)),
    ("cmath.acosh", complex(-inf, 1), complex(inf, math.pi)),
    ("cmath.acos", complex(1, inf), complex(math.pi / 2, -inf)),
    ("np.arccos", complex(-inf, inf), complex(3 * math.pi / 4, -inf)),
    ("cmath.asin", complex(inf, 1), complex(math.pi / 2, inf)),
    ("cmath.atan", complex(inf, 1), math.pi / 2), ("cmath.atanh", complex(inf, 0), complex(0, math.pi / 2)),
    ("np.arctanh", complex(nan, -inf), complex(0, -math.pi / 2)),
    ("np.arctan", complex(-inf, nan), complex(-math.pi / 2, 0)),
    ("cmath.atanh", 1 + 1e-200j, complex(230.60508288968455, math.pi / 4)), ("cmath.tanh", 800 + 1e308j, 1),
)]
#: of complex64, some of which Numba computes in float32 though the result is complex128
SINGLE = [
    ("cmath.acosh(x)", (c8(complex(0.001, inf)),), "complex128", complex(inf, float(f4(math.pi / 2)))),
    ("cmath.acosh(x)", (c8(0.3 + 0.4j),), "complex128", 0.40511234408870767 + 1.2901667538151373j),
    ("cmath.log10(x)", (c8(20 + 1j),), "complex128", 1.3015721660984485 + 0.02169665601284861j),
    ("cmath.tanh(x)", (c8(0.3 + 0.4j),), "complex128", 0.33825473906155346 + 0.38113209469241993j),
    ("cmath.exp(x)", (c8(5420),), "complex64", complex(inf, nan)),
]
TABLE = SINGLE + DIVISIONS + NUMBERS + CONSTANTS + CONDITIONS + INFINITIES


def function(source, **space):
    """The function f of a source, which the compilers can read."""
    file = f"<values {abs(hash(source))}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space |= {"np": np, "math": math, "cmath": cmath, "K": K}
    exec(compile(source, file, "exec"), space)
    return space["f"]


def giving(text, given):
    return function(f"def f({', '.join('xy'[:len(given)])}):\n    return ({text},)\n")


def same(got, right):
    """Bit by bit but for complex numbers; a NaN is a NaN, and the sign of a complex number's zero is free."""
    a, b = np.atleast_1d(got), np.atleast_1d(right)
    if a.dtype.kind != "c":
        return np.array_equal(a, b, equal_nan=True) and bool((np.signbit(a) == np.signbit(b)).all())
    return np.allclose([a.real, a.imag], [b.real, b.imag], rtol=1e-9, atol=1e-15, equal_nan=True)


@pytest.mark.parametrize("text, given, t, right", TABLE, ids=[row[0] for row in TABLE])
def test_type_and_value(text, given, t, right):
    from cuprite._compiler.numba import _native, _types
    right = np.dtype(t).type(right)
    made = _native.Native(giving(text, given), tuple(_types.to_kernel_type(_types.typeof(x)) for x in given))
    assert made.result.items[0].dtype == t
    assert same(np.dtype(t).type(made(list(given))[0][0]), right)


def numbered(k, text, end=""):
    """The expression of row k with variables of its own."""
    return re.sub(r"\b[xy]\b", lambda m: f"{m[0]}{k}{end}", text)


def given_by(rows):
    return {f"{name}{k}": x for k, row in enumerate(rows) for name, x in zip("xy", row[1])}


# Of a float32 Numba's code for CUDA rounds the double, that for the CPU the float32, which has a tie or is infinite.
IN_KERNELS = {("round(x, 3)", "float32"): -4.969, ("round(x, 2)", "float32"): 3.4e38}


@pytest.mark.parametrize("t", sorted({row[2] for row in TABLE}))
def test_values_in_a_kernel(t):
    """One kernel for all rows of a type: on a GPU each costs a compilation."""
    rows = [row for row in TABLE if row[2] == t]
    given = {name: np.array([x]) for name, x in given_by(rows).items()}
    lines = [f"    o[{k}] = {numbered(k, row[0], '[0]')}" for k, row in enumerate(rows)]
    o = np.zeros(len(rows), t)
    cuda.jit(function("\n".join([f"def f({', '.join([*given, 'o'])}):", *lines, ""])))[1, 1](*given.values(), o)
    right = [np.dtype(t).type(IN_KERNELS.get((row[0], t), row[3])) for row in rows]
    assert [row[0] for row, got, v in zip(rows, o, right) if not same(got, v)] == []


@pytest.mark.once
def test_numba_says_the_same():
    """Of the table: nothing of ours runs."""
    if importlib.util.find_spec("numba") is None:
        pytest.skip("numba is not installed")
    import numba
    from differential_numba import dtype_of
    given = given_by(TABLE)
    lines = [f"    r{k} = {numbered(k, row[0])}" for k, row in enumerate(TABLE)]
    results = ", ".join(f"r{k}" for k in range(len(TABLE)))
    f = numba.njit(function("\n".join([f"def f({', '.join(given)}):", *lines, f"    return {results}", ""])),
                   error_model="numpy")
    values = f(*given.values())
    for (text, x, t, right), got, made in zip(TABLE, values, f.nopython_signatures[0].return_type):
        assert dtype_of(made) == t, text
        assert same(np.dtype(t).type(got), np.dtype(t).type(right)), (text, x, got)
