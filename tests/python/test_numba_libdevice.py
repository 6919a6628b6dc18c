"""numba.cuda.libdevice: every function of Numba's list is there, with its types; those that round, by exact
arithmetic."""
import math
from fractions import Fraction

import numpy as np
import pytest

from cuprite.numba import cuda, int64
from cuprite.numba.cuda import libdevice

UNSIGNED = {"uint": 32, "ull": 64}


def rounded(exact, mode, dtype):
    """A fraction as a number of a type, by the mode's name."""
    if dtype in ("i4", "i8", "u4", "u8"):
        below = math.floor(exact)
        at = {"rd": below, "ru": math.ceil(exact), "rz": math.trunc(exact), "rn": round(exact)}[mode]
        return np.array(at).astype(dtype)
    near = np.dtype(dtype).type(exact.numerator / exact.denominator)  # one of the two that it lies between
    low = near if Fraction(float(near)) <= exact else np.nextafter(near, near.dtype.type(-np.inf))
    high = low if Fraction(float(low)) == exact else np.nextafter(low, low.dtype.type(np.inf))
    if mode == "rn":
        a, b = exact - Fraction(float(low)), Fraction(float(high)) - exact
        even = low.view(f"i{low.itemsize}") % 2 == 0
        return low if a < b or a == b and even else high
    return {"rd": low, "ru": high, "rz": low if exact >= 0 else high}[mode]


def fused(a, b, c):
    return a * b + c


# name without its mode: type of the result, types of the arguments, the exact result
ROUNDING = {
    "dadd": ("f8", "f8 f8", Fraction.__add__), "ddiv": ("f8", "f8 f8", Fraction.__truediv__),
    "dmul": ("f8", "f8 f8", Fraction.__mul__), "drcp": ("f8", "f8", lambda a: 1 / a), "fma": ("f8", "f8 f8 f8", fused),
    "fadd": ("f4", "f4 f4", Fraction.__add__), "fsub": ("f4", "f4 f4", Fraction.__sub__),
    "fdiv": ("f4", "f4 f4", Fraction.__truediv__), "fmul": ("f4", "f4 f4", Fraction.__mul__),
    "frcp": ("f4", "f4", lambda a: 1 / a), "fmaf": ("f4", "f4 f4 f4", fused),
    "double2float": ("f4", "f8", Fraction), "double2int": ("i4", "f8", Fraction), "double2ll": ("i8", "f8", Fraction),
    "double2uint": ("i4", "f8", abs), "double2ull": ("i8", "f8", abs), "float2int": ("i4", "f4", Fraction),
    "float2ll": ("i8", "f4", Fraction), "float2uint": ("i4", "f4", abs), "float2ull": ("i8", "f4", abs),
    "int2float": ("f4", "i4", Fraction), "uint2float": ("f4", "i4", Fraction), "ll2float": ("f4", "i8", Fraction),
    "ll2double": ("f8", "i8", Fraction), "ull2float": ("f4", "i8", Fraction), "ull2double": ("f8", "i8", Fraction)}


def arguments(name, words):
    rng = np.random.default_rng(3)
    out = []
    for word in words.split():
        if word[0] == "i":
            x = rng.integers(-2 ** (8 * int(word[1]) - 1), 2 ** (8 * int(word[1]) - 1), 12).astype(word)
            x[:3] = 0, -1, 2 ** 25 + 1
        else:
            x = (rng.standard_normal(12) * 100).astype(word)
            x[:4] = 2.5, -2.5, 3, 1 / 3
        out.append(abs(x) if "2u" in name else x)
    return out


def kernel_of(calls, path):
    """A kernel that writes the k-th call's result to the k-th array."""
    names = ", ".join(f"o{k}" for k in range(len(calls)))
    body = "".join(f"    o{k}[i] = {text}\n" for k, text in enumerate(calls))
    path.write_text(f"def kernel(x, {names}):\n    i = cuda.grid(1)\n{body}")
    space = {"cuda": cuda, "libdevice": libdevice}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return cuda.jit(space["kernel"])


@pytest.mark.parametrize("part", range(4))
def test_those_that_round(part, tmp_path, device):
    calls, given, expected = [], [], []
    for name, (result, words, exact) in list(ROUNDING.items())[part::4]:
        inputs = arguments(name, words)
        first = len(given)
        given += inputs
        bits = next((n for word, n in UNSIGNED.items() if name.startswith(word)), 0)
        whole = [[Fraction(int(v)) % (1 << bits) if bits else Fraction(float(v)) if v.dtype.kind == "f" else
                  Fraction(int(v)) for v in row] for row in zip(*inputs)]
        for mode in ("rd", "rn", "ru", "rz"):
            texts = ", ".join(f"x[{first + k}][i]" for k in range(len(inputs)))
            calls.append(f"libdevice.{name}_{mode}({texts})")
            expected.append(np.array([rounded(exact(*row), mode, result) for row in whole], result))
    outs = [np.zeros_like(e) for e in expected]
    kernel_of(calls, tmp_path / "rounding.py")[1, 12](tuple(given), *outs)
    for call, out, e in zip(calls, outs, expected):
        np.testing.assert_array_equal(out, e, err_msg=call)


def test_others(tmp_path, device):
    x = np.array([-7, 1 << 30, 3, -(1 << 31)])
    y = np.array([0.3, 2.75, 17.5, 1e-3])
    table = [  # call, result
        ("brev(x[0][i])", [int(f"{v % (1 << 32):032b}"[::-1], 2) for v in x.tolist()]),
        ("umax(x[0][i], 5)", [max(v % (1 << 32), 5) for v in x.tolist()]),
        ("urhadd(x[0][i], 4)", [(v % (1 << 32) + 5) >> 1 for v in x.tolist()]),
        ("umulhi(x[0][i], 8)", [(v % (1 << 32)) * 8 >> 32 for v in x.tolist()]),
        ("float_as_int(x[1][i])", y.astype("f4").view("i4").tolist()),
        ("int_as_float(libdevice.float_as_int(x[1][i]))", y.astype("f4").tolist()),
        ("float2half_rn(x[1][i])", y.astype("f2").view("i2").tolist()),
        ("half2float(libdevice.float2half_rn(x[1][i]))", y.astype("f2").tolist()),
        ("powi(x[1][i], 3)", (y ** 3).tolist()),
        ("powif(x[1][i], 2)", (y.astype("f4") ** 2).tolist()),
        ("remquo(x[1][i], 0.7)[0]", [math.remainder(v, 0.7) for v in y]),
        ("remquof(x[1][i], 2.0)[0]", [math.remainder(v, 2.0) for v in y.astype("f4")]),
        ("remquo(x[1][i], 0.7)[1] % 8", [round((v - math.remainder(v, 0.7)) / 0.7) % 8 for v in y]),
        ("llrintf(x[1][i])", np.rint(y).astype(int).tolist()),
        ("isnand(x[1][i]) + libdevice.finitef(x[1][i])", [1] * 4),
        ("normcdf(libdevice.normcdfinv(x[1][i] / 20))", (y / 20).tolist()),
        ("jnf(0, x[1][i]) - libdevice.j0f(x[1][i])", [0] * 4), ("ynf(1, x[1][i]) - libdevice.y1f(x[1][i])", [0] * 4)]
    outs = [np.zeros(4) for _ in table]
    kernel_of([f"libdevice.{call}" for call, _ in table], tmp_path / "others.py")[1, 4]((x.astype("i4"), y), *outs)
    for (call, e), out in zip(table, outs):
        if call[0] in "bu":  # the bits are those of an int32
            e = np.array(e, "u4").view("i4")
        np.testing.assert_allclose(out, e, rtol=4e-7, atol=1e-7, err_msg=call)


@pytest.mark.once
def test_all_of_numbas_are_there():
    listed = pytest.importorskip("numba.cuda.libdevicefuncs").functions
    for name, (result, args) in listed.items():
        text = getattr(libdevice, name.removeprefix("__nv_")).__doc__
        taken, given = text.partition(": ")[2].split(" -> ")
        assert len(taken.split(", ")) == sum(not a.is_ptr for a in args), name
        assert given in ("a tuple", str(result)) or any(a.is_ptr for a in args), name
    assert len(listed) > 300 and int64.bitwidth == 64
