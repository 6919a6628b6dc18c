"""CUDA's intrinsics in user kernels: rounding in every mode against exact arithmetic of fractions, conversions,
integers, the bytes and halves of words. Both devices."""
import functools
import math
from fractions import Fraction

import numpy as np
import pytest

import cuprite as cp

MODES = ("rn", "rz", "rd", "ru")
FORMATS = {"f4": (24, -149, 128), "f8": (53, -1074, 1024), "e": (11, -24, 16), "bf": (8, -133, 128)}  # bits, ulp, top


def rounded(q, fmt, mode, zero=0.0):
    """The number of the format for the fraction q; `zero` is what an exact zero is."""
    bits, least, top = FORMATS[fmt]
    if q == 0:
        return zero
    a, negative = abs(q), q < 0
    e = a.numerator.bit_length() - a.denominator.bit_length()
    e -= Fraction(2) ** e > a
    ulp = Fraction(2) ** max(e - bits + 1, least)
    n, rest = divmod(a, ulp)
    up = {"rn": rest > ulp / 2 or (rest == ulp / 2 and n % 2), "rz": False, "rd": negative and rest > 0,
          "ru": not negative and rest > 0}[mode]
    r = (n + bool(up)) * ulp
    if r >= Fraction(2) ** top:
        away = mode in ("rn", "rd" if negative else "ru")
        r = math.inf if away else Fraction(2) ** top - Fraction(2) ** (top - bits)
    return math.copysign(float(r), -1 if negative else 1)


def numbers(dtype, n, seed):
    """Of all sizes, with those at the ends, and neighbours of one another."""
    r = np.random.default_rng(seed)
    f = np.finfo(dtype)
    wide = np.ldexp(r.uniform(1, 2, n), r.integers(f.minexp - f.nmant, f.maxexp, n)).astype(dtype)
    near = np.ldexp(r.uniform(1, 2, n), r.integers(-3, 4, n)).astype(dtype)
    few = np.ldexp(r.integers(1, 64, n).astype(dtype), r.integers(-8, 8, n)).astype(dtype)
    tiny = (r.integers(1, 9, n) * float(f.smallest_subnormal)).astype(dtype)
    ends = np.array([0, -0.0, 1, -1, f.max, -f.max, f.tiny, f.smallest_subnormal, -f.smallest_subnormal, np.inf,
                     -np.inf, np.nan, f.eps, 1 + f.eps, 3, 0.5], dtype)
    x = np.concatenate([wide, near, few, tiny]) * r.choice(np.array([-1, 1], dtype), 4 * n)
    return r.permutation(np.concatenate([x, r.choice(ends, n)]))


def launched(text, *arrays, out):
    n = len(arrays[0])
    r = cp.zeros(n, out)
    cp.RawKernel(text, "f")((-(-n // 128),), (128,), (*map(cp.asarray, arrays), r, n))
    return r.get()


def kernel(call, types, out, head=""):
    """out[i] = call of x0[i], x1[i], ..."""
    args = ", ".join(f"const {t} *x{k}" for k, t in enumerate(types))
    return (f'{head}\nextern "C" __global__ void f({args}, {out} *out, int n)\n{{ int i = blockIdx.x * blockDim.x + '
            f"threadIdx.x; if (i < n) out[i] = {call}; }}")


class Batch:
    """Calls that are compiled together, as kernels of one source: each is asked for with what looks at its results."""

    def __init__(self, head=""):
        self.head, self.asked = head, []

    def ask(self, call, types, out, arrays, dtype, check):
        self.asked.append((call, types, out, arrays, dtype, check))

    def run(self):
        module = cp.RawModule(code=self.head + "\n" + "\n".join(
            kernel(call, types, out).replace(" f(", f" f{i}(") for i, (call, types, out, *_) in enumerate(self.asked)))
        for i, (call, types, out, arrays, dtype, check) in enumerate(self.asked):
            n, r = len(arrays[0]), cp.zeros(len(arrays[0]), dtype)
            module.get_function(f"f{i}")((-(-n // 128),), (128,), (*map(cp.asarray, arrays), r, n))
            check(r.get())


def same(ours, wanted, *inputs):
    """The same bits, but for NaN's."""
    wanted = np.array(wanted, ours.dtype)
    ok = (ours == wanted) & (np.signbit(ours) == np.signbit(wanted)) | (np.isnan(ours) & np.isnan(wanted))
    bad = np.flatnonzero(~ok)[:5]
    assert ok.all(), [([x[i].item().hex() for x in inputs], ours[i].item().hex(), wanted[i].item().hex()) for i in bad]


def exact_sum(x, y, mode):
    """The zero that x + y is, x and y zeros or x = -y."""
    if x == 0 and y == 0 and math.copysign(1, x) == math.copysign(1, y):
        return x
    return -0.0 if mode == "rd" else 0.0


def wanted_of(name, fmt, mode, x, y, z):
    dtype = np.dtype(fmt).type
    if not all(math.isfinite(v) for v in (x, y, z)[:{"sqrt": 1, "rcp": 1, "fma": 3}.get(name, 2)]):
        if name == "fma" and math.isfinite(x) and math.isfinite(y):
            return z
        with np.errstate(all="ignore"):
            x, y, z = dtype(x), dtype(y), dtype(z)
            return {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "div": lambda: x / y,
                    "rcp": lambda: dtype(1) / x, "sqrt": lambda: np.sqrt(x), "fma": lambda: x * y + z}[name]()
    sign = math.copysign(1, x) * math.copysign(1, y)
    if name in ("div", "rcp"):
        x, y = (1.0, x) if name == "rcp" else (x, y)
        sign = math.copysign(1, x) * math.copysign(1, y)
        if y == 0:
            return math.nan if x == 0 else sign * math.inf
        return rounded(Fraction(x) / Fraction(y), fmt, mode, sign * 0.0)
    if name == "sqrt":
        if x <= 0:
            return x if x == 0 else math.nan
        q = Fraction(x) * 4 ** 600  # an integer; its root with more bits than any format, and a sticky one
        n = q.numerator * 4 ** 100 // q.denominator
        root = math.isqrt(n)
        exact = root * root * q.denominator == q.numerator * 4 ** 100
        return rounded(Fraction(2 * root + (not exact), 2 ** 701), fmt, mode)
    if name == "mul":
        return rounded(Fraction(x) * Fraction(y), fmt, mode, sign * 0.0)
    if name == "fma":
        zero = exact_sum(sign * 0.0, z, mode) if x == 0 or y == 0 else -0.0 if mode == "rd" else 0.0
        return rounded(Fraction(x) * Fraction(y) + Fraction(z), fmt, mode, zero)
    y = -y if name == "sub" else y
    return rounded(Fraction(x) + Fraction(y), fmt, mode, exact_sum(x, y, mode))


NAMES = {"f4": {"add": "__fadd", "sub": "__fsub", "mul": "__fmul", "div": "__fdiv", "rcp": "__frcp", "sqrt": "__fsqrt",
                "fma": "__fmaf"},
         "f8": {"add": "__dadd", "sub": "__dsub", "mul": "__dmul", "div": "__ddiv", "rcp": "__drcp", "sqrt": "__dsqrt",
                "fma": "__fma"}}


@pytest.mark.parametrize("name", NAMES["f4"])
@pytest.mark.parametrize("fmt", NAMES)
def test_rounding(fmt, name):
    x, y, z = (numbers(fmt, 300, seed) for seed in (1, 2, 3))
    if name == "fma":  # sums that cancel, wholly or nearly
        k = len(x) // 3
        with np.errstate(all="ignore"):
            z[:k] = -(x[:k] * y[:k])
            z[k:k + 99] = np.nextafter(z[k:k + 99] * 0 - x[k:k + 99] * y[k:k + 99], np.array(1, fmt))
    if name in ("add", "sub"):
        y[::7] = -x[::7] if name == "add" else x[::7]
    t = {"f4": "float", "f8": "double"}[fmt]
    arrays = {"sqrt": (x,), "rcp": (x,), "fma": (x, y, z)}.get(name, (x, y))
    batch, rows = Batch(), list(zip(x.tolist(), y.tolist(), z.tolist()))
    for mode in MODES:
        call = f"{NAMES[fmt][name]}_{mode}({', '.join(f'x{k}[i]' for k in range(len(arrays)))})"
        batch.ask(call, [t] * len(arrays), t, arrays, fmt, lambda ours, mode=mode:
                  same(ours, [wanted_of(name, fmt, mode, *v) for v in rows], *arrays))
    batch.run()


def test_no_contraction():
    """A product that was rounded stays so when something is added to it."""
    r = np.random.default_rng(5)
    a, b = r.random(1000, "f4"), r.random(1000, "f4")
    ours = launched(kernel("__fmul_rn(x0[i], x1[i]) - x2[i]", ["float"] * 3, "float"), a, b, a * b, out="f4")
    assert (ours == 0).all()
    ours = launched(kernel("__dmul_rn(x0[i], x1[i]) - x2[i]", ["double"] * 3, "double"),
                    *(v.astype("f8") / 3 for v in (a, b)), (a.astype("f8") / 3) * (b.astype("f8") / 3), out="f8")
    assert (ours == 0).all()


def test_reciprocal_root():
    x = np.abs(numbers("f4", 400, 7))
    x = x[np.isfinite(x) & (x > 0)]
    ours = launched(kernel("__frsqrt_rn(x0[i])", ["float"], "float"), x, out="f4")
    for v, r in zip(x.tolist(), ours.tolist()):
        r = np.float32(r)
        up, down = (Fraction(float(np.nextafter(r, np.float32(to)))) for to in (np.inf, 0))
        m = Fraction(float(r))
        assert ((m + down) / 2) ** 2 * Fraction(v) <= 1 <= ((m + up) / 2) ** 2 * Fraction(v)


INTEGERS = {"int": "i4", "uint": "u4", "ll": "i8", "ull": "u8"}
C_TYPES = {"i1": "signed char", "i2": "short", "u2": "unsigned short", "i4": "int", "u4": "unsigned", "i8": "long long",
           "u8": "unsigned long long", "f4": "float", "f8": "double"}


def integers(dtype, n=400, seed=11):
    r = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    wide = r.integers(info.min, info.max, n, dtype, endpoint=True)
    return np.concatenate([wide, wide >> np.array(r.integers(0, info.bits, n), dtype),
                           np.array([info.min, info.max, info.max - 1, 0, 1, info.max // 2 + 1], dtype)])


@pytest.mark.parametrize("mode", MODES)
def test_integers_to_floating(mode):
    batch = Batch()
    for name, dtype in INTEGERS.items():
        for to, fmt in (("float", "f4"), ("double", "f8")):
            if to == "double" and name in ("int", "uint") and mode != "rn":
                continue
            x = integers(dtype)
            batch.ask(f"__{name}2{to}_{mode}(x0[i])", [C_TYPES[dtype]], to, [x], fmt, lambda ours, x=x, fmt=fmt:
                      same(ours, [rounded(Fraction(v), fmt, mode) for v in x.tolist()], x))
    x = numbers("f8", 200, 13)
    with np.errstate(over="ignore"):
        x[:400] = x[:400].astype("f4").astype("f8") * (1 + 2.0 ** -30)
    batch.ask(f"__double2float_{mode}(x0[i])", ["double"], "float", [x], "f4", lambda ours: same(
        ours, [rounded(Fraction(v), "f4", mode, v) if math.isfinite(v) else v for v in x.tolist()], x))
    batch.run()


WHOLE = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}


@pytest.mark.parametrize("mode", MODES)
def test_floating_to_integers(mode):
    batch = Batch()
    for source, fmt in (("float", "f4"), ("double", "f8")):
        r = np.random.default_rng(17)
        x = np.concatenate([numbers(fmt, 200, 19), (r.integers(-9, 9, 200) / 2).astype(fmt),
                            np.array([2.0 ** k + d for k in (31, 32, 63, 64) for d in (0, -1, 1, -0.5)] +
                                     [-2.0 ** 31, -2.0 ** 63, -2.0 ** 31 - 1, -0.5, -0.9], fmt)])
        for name, dtype in INTEGERS.items():
            info = np.iinfo(dtype)
            nan = 0 if fmt == "f4" and info.bits == 32 else info.min or info.max // 2 + 1
            wanted = [nan if v != v else info.max if v == math.inf else info.min if v == -math.inf else
                      min(max(WHOLE[mode](Fraction(v)), info.min), info.max) for v in x.tolist()]
            batch.ask(f"__{source}2{name}_{mode}(x0[i])", [source], C_TYPES[dtype], [x], dtype,
                      lambda ours, wanted=wanted: np.testing.assert_array_equal(ours, np.array(wanted, ours.dtype)))
    batch.run()


SMALL = {"e": ("half", "#include <cuda_fp16.h>"), "bf": ("bfloat16", "#include <cuda_bf16.h>")}


def of_bits(fmt, bits):
    bits = np.asarray(bits, "u2")
    with np.errstate(invalid="ignore"):
        return (bits.view("f2") if fmt == "e" else (bits.astype("u4") << 16).view("f4")).astype("f8")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("fmt", SMALL)
def test_small_floats(fmt, mode):
    word, head = SMALL[fmt]
    batch = Batch(head)
    x = numbers("f4", 150, 23)
    with np.errstate(all="ignore"):
        x[::2] = np.ldexp(x[::2] / np.abs(x[::2]) * np.random.default_rng(1).uniform(1, 2, len(x[::2])), np.random
                          .default_rng(2).integers(-28, 18, len(x[::2]))).astype("f4")
    batch.ask(f"__{word}_as_ushort(__float2{word}_{mode}(x0[i]))", ["float"], "unsigned short", [x], "u2",
              lambda ours: same(of_bits(fmt, ours), [rounded(Fraction(v), fmt, mode, v) if math.isfinite(v) else v
                                                     for v in x.tolist()], x))
    bits = np.arange(0, 65536, 13, dtype="u2")
    values = of_bits(fmt, bits).tolist()
    keep = [k for k, v in enumerate(values) if v == v]  # of NaN CUDA's own headers say several things
    for name, dtype in {**INTEGERS, "short": "i2", "ushort": "u2"}.items():
        n = integers(dtype, 200)
        batch.ask(f"__{word}_as_ushort(__{name}2{word}_{mode}(x0[i]))", [C_TYPES[dtype]], "unsigned short", [n], "u2",
                  lambda ours, n=n: same(of_bits(fmt, ours), [rounded(Fraction(v), fmt, mode) for v in n.tolist()], n))
        info = np.iinfo(dtype)
        wanted = [0 if v != v else info.max if v == math.inf else info.min if v == -math.inf else
                  min(max(WHOLE[mode](Fraction(v)), info.min), info.max) for v in values]
        batch.ask(f"__{word}2{name}_{mode}(__ushort_as_{word}(x0[i]))", ["unsigned short"], C_TYPES[dtype], [bits],
                  dtype, lambda ours, name=name, wanted=wanted: np.testing.assert_array_equal(
                      ours[keep], np.array([wanted[k] for k in keep], ours.dtype), name))
    batch.run()


@pytest.mark.parametrize("fmt", SMALL)
def test_small_fma(fmt):
    """Rounded once, also where the sum of the exact product and the third has more bits than a double."""
    word, head = SMALL[fmt]
    r = np.random.default_rng(29)
    bits = [r.integers(0, 65536, 3000).astype("u2") for _ in range(3)]
    bits[2][:1000] = r.choice([1, 0x8001, 2, 3], 1000)  # far below the product
    x, y, z = (of_bits(fmt, b) for b in bits)
    call = f"__{word}_as_ushort(__hfma({', '.join(f'__ushort_as_{word}(x{k}[i])' for k in range(3))}))"
    ours = of_bits(fmt, launched(kernel(call, ["unsigned short"] * 3, "unsigned short", head), *bits, out="u2"))
    keep = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    exact = [rounded(Fraction(a) * Fraction(b) + Fraction(c), fmt, "rn") for a, b, c in
             zip(x[keep].tolist(), y[keep].tolist(), z[keep].tolist())]
    ok = ours[keep] == np.array(exact)
    assert ok.all(), [(a[keep][~ok][:3]) for a in (x, y, z, ours)]


@pytest.mark.parametrize("fmt", SMALL)
def test_small_floats_of_doubles(fmt):
    """A double is rounded once."""
    word, head = SMALL[fmt]
    r = np.random.default_rng(31)
    half = of_bits(fmt, r.integers(0x0001, 0x7b00, 2000))
    x = half + np.diff(of_bits(fmt, np.arange(0x7b01)))[np.searchsorted(of_bits(fmt, np.arange(0x7b01)), half)] / 2
    x *= 1 + r.choice([-1, 0, 1], 2000) * 2.0 ** -40  # at, and beside, the middle of two
    ours = launched(kernel(f"__{word}_as_ushort(__double2{word}(x0[i]))", ["double"], "unsigned short", head), x,
                    out="u2")
    same(of_bits(fmt, ours), [rounded(Fraction(v), fmt, "rn") for v in x.tolist()], x)


def lanes(x, bits, signed):
    v = [(x >> s) & (2 ** bits - 1) for s in range(0, 32, bits)]
    return [n - 2 ** bits if signed and n >> (bits - 1) else n for n in v]


def joined(v, bits):
    return functools.reduce(lambda a, k: a | (v[k] & (2 ** bits - 1)) << (k * bits), range(len(v)), 0)


def clamped(n, bits, signed):
    low, high = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2 ** bits - 1)
    return min(max(n, low), high)


def lane_functions(bits):
    """name: whether lanes are signed, what is done with two of them"""
    both = {"add": (0, lambda a, b: a + b), "sub": (0, lambda a, b: a - b), "neg": (1, lambda a, b: -a),
            "addss": (1, lambda a, b: clamped(a + b, bits, 1)), "addus": (0, lambda a, b: clamped(a + b, bits, 0)),
            "subss": (1, lambda a, b: clamped(a - b, bits, 1)), "subus": (0, lambda a, b: clamped(a - b, bits, 0)),
            "abs": (1, lambda a, b: abs(a)), "absss": (1, lambda a, b: clamped(abs(a), bits, 1)),
            "negss": (1, lambda a, b: clamped(-a, bits, 1)), "avgu": (0, lambda a, b: (a + b + 1) >> 1),
            "haddu": (0, lambda a, b: (a + b) >> 1), "absdiffs": (1, lambda a, b: abs(a - b)),
            "absdiffu": (0, lambda a, b: abs(a - b)), "maxs": (1, max), "maxu": (0, max), "mins": (1, min),
            "minu": (0, min), "cmpeq": (0, lambda a, b: -(a == b)), "cmpne": (0, lambda a, b: -(a != b)),
            "seteq": (0, lambda a, b: a == b), "setne": (0, lambda a, b: a != b),
            "avgs": (1, lambda a, b: (a + b + (a + b >= 0)) >> 1)}
    for kind, signed in (("s", 1), ("u", 0)):
        for name, f in (("ge", lambda a, b: a >= b), ("gt", lambda a, b: a > b), ("le", lambda a, b: a <= b),
                        ("lt", lambda a, b: a < b)):
            both[f"cmp{name}{kind}"] = (signed, lambda a, b, f=f: -f(a, b))
            both[f"set{name}{kind}"] = (signed, f)
    return both


@pytest.mark.parametrize("n", [2, 4])
def test_lanes(n):
    bits = 32 // n
    a, b = integers("u4", 200, 37), integers("u4", 200, 41)
    b[::3] = a[::3]
    functions = lane_functions(bits)
    one = ("neg", "abs", "absss", "negss")
    calls = [f"__v{name}{n}({'x0[i]' if name in one else 'x0[i], x1[i]'})" for name in functions]
    text = "".join(f"out[i * {len(calls)} + {k}] = {call}; " for k, call in enumerate(calls))
    out = cp.zeros((len(a), len(calls)), "u4")
    cp.RawKernel('extern "C" __global__ void f(const unsigned *x0, const unsigned *x1, unsigned *out, int n) { int i = '
                 "threadIdx.x + blockIdx.x * blockDim.x; if (i < n) { " + text + "} }", "f")(
        (-(-len(a) // 64),), (64,), (cp.asarray(a), cp.asarray(b), out, len(a)))
    ours = out.get()
    for k, (name, (signed, f)) in enumerate(functions.items()):
        wanted = [joined([int(f(p, q)) for p, q in zip(lanes(x, bits, signed), lanes(y, bits, signed))], bits)
                  for x, y in zip(a.tolist(), b.tolist())]
        assert ours[:, k].tolist() == wanted, name
    for name, signed in (("sads", 1), ("sadu", 0)):
        ours = launched(kernel(f"__v{name}{n}(x0[i], x1[i])", ["unsigned"] * 2, "unsigned"), a, b, out="u4")
        assert ours.tolist() == [sum(abs(p - q) for p, q in zip(lanes(x, bits, signed), lanes(y, bits, signed)))
                                 for x, y in zip(a.tolist(), b.tolist())]


def wrapped(n, bits=32, signed=True):
    n &= 2 ** bits - 1
    return n - 2 ** bits if signed and n >> (bits - 1) else n


def permuted(x, y, s):
    v = [(x | y << 32) >> 8 * k & 255 for k in range(8)]
    r = 0
    for i in range(4):
        r |= v[s >> 4 * i & 7] << 8 * i  # the fourth bit means nothing, unlike prmt's
    return r


def place_of_nth(mask, base, n):
    if n == 0:
        return base if mask >> base & 1 else 2 ** 32 - 1
    order = range(base, 32) if n > 0 else range(base, -1, -1)
    found = [k for k in order if mask >> k & 1]
    return found[abs(n) - 1] if len(found) >= abs(n) else 2 ** 32 - 1


def low24(n, signed):
    return wrapped(n, 24, signed)


# name and arguments, the words' types, what it is of Python's numbers
WORDS = {
    "__brev(a)": ("u", lambda a, b, c: int(f"{a:032b}"[::-1], 2)),
    "__popc(a)": ("i", lambda a, b, c: a.bit_count()), "__clz(a)": ("i", lambda a, b, c: 32 - a.bit_length()),
    "__ffs(a)": ("i", lambda a, b, c: (a & -a).bit_length()),
    "__mulhi((int)a, (int)b)": ("i", lambda a, b, c: wrapped(a) * wrapped(b) >> 32),
    "__umulhi(a, b)": ("u", lambda a, b, c: a * b >> 32),
    "__mul24((int)a, (int)b)": ("i", lambda a, b, c: wrapped(low24(a, True) * low24(b, True))),
    "__umul24(a, b)": ("u", lambda a, b, c: low24(a, False) * low24(b, False) % 2 ** 32),
    "__sad((int)a, (int)b, c)": ("u", lambda a, b, c: (abs(wrapped(a) - wrapped(b)) + c) % 2 ** 32),
    "__usad(a, b, c)": ("u", lambda a, b, c: (abs(a - b) + c) % 2 ** 32),
    "__hadd((int)a, (int)b)": ("i", lambda a, b, c: wrapped(a) + wrapped(b) >> 1),
    "__rhadd((int)a, (int)b)": ("i", lambda a, b, c: wrapped(a) + wrapped(b) + 1 >> 1),
    "__uhadd(a, b)": ("u", lambda a, b, c: a + b >> 1), "__urhadd(a, b)": ("u", lambda a, b, c: a + b + 1 >> 1),
    "__byte_perm(a, b, c)": ("u", lambda a, b, c: permuted(a, b, c)),
    "__funnelshift_l(a, b, c)": ("u", lambda a, b, c: (b << 32 | a) << (c & 31) >> 32 & 2 ** 32 - 1),
    "__funnelshift_r(a, b, c)": ("u", lambda a, b, c: (b << 32 | a) >> (c & 31) & 2 ** 32 - 1),
    "__funnelshift_lc(a, b, c)": ("u", lambda a, b, c: (b << 32 | a) << min(c, 32) >> 32 & 2 ** 32 - 1),
    "__funnelshift_rc(a, b, c)": ("u", lambda a, b, c: (b << 32 | a) >> min(c, 32) & 2 ** 32 - 1),
    "__fns(a, b & 31, (int)(c & 15) - 7)": ("u", lambda a, b, c: place_of_nth(a, b & 31, (c & 15) - 7)),
    "__dp4a((int)a, (int)b, (int)c)": ("i", lambda a, b, c: wrapped(c + sum(
        p * q for p, q in zip(lanes(a, 8, True), lanes(b, 8, True))))),
    "__dp4a(a, b, c)": ("u", lambda a, b, c: (c + sum(p * q for p, q in zip(lanes(a, 8, False), lanes(
        b, 8, False)))) % 2 ** 32),
    "__dp2a_lo((int)a, (int)b, (int)c)": ("i", lambda a, b, c: wrapped(c + sum(
        p * q for p, q in zip(lanes(a, 16, True), lanes(b, 8, True)[:2])))),
    "__dp2a_hi(a, b, c)": ("u", lambda a, b, c: (c + sum(p * q for p, q in zip(lanes(a, 16, False), lanes(
        b, 8, False)[2:]))) % 2 ** 32),
    "__vimax3_s32((int)a, (int)b, (int)c)": ("i", lambda a, b, c: max(map(wrapped, (a, b, c)))),
    "__vimin3_u32(a, b, c)": ("u", lambda a, b, c: min(a, b, c)),
    "__viaddmax_s32((int)a, (int)b, (int)c)": ("i", lambda a, b, c: max(wrapped(a + b), wrapped(c))),
    "__vimin_s32_relu((int)a, (int)b)": ("i", lambda a, b, c: max(min(wrapped(a), wrapped(b)), 0)),
}


def test_words():
    a, b, c = (integers("u4", 300, seed) for seed in (43, 47, 53))
    c[::2] %= 40
    for call, (kind, f) in WORDS.items():
        out = "i4" if kind == "i" else "u4"
        text = kernel(call.replace("a", "x0[i]", 0), ["unsigned"] * 3, C_TYPES[out])
        text = text.replace("if (i < n)", "if (i >= n) return; unsigned a = x0[i], b = x1[i], c = x2[i]; ")
        ours = launched(text, a, b, c, out=out)
        assert ours.tolist() == [f(*v) for v in zip(a.tolist(), b.tolist(), c.tolist())], call


def test_wide_words():
    a, b = integers("i8", 300, 59), integers("i8", 300, 61)
    for call, f in {"__mul64hi(x0[i], x1[i])": lambda a, b: a * b >> 64, "__brevll(x0[i])": lambda a, b: wrapped(
            int(f"{a % 2 ** 64:064b}"[::-1], 2), 64), "__popcll(x0[i])": lambda a, b: (a % 2 ** 64).bit_count(),
            "__clzll(x0[i])": lambda a, b: 64 - (a % 2 ** 64).bit_length(),
            "__ffsll(x0[i])": lambda a, b: (a & -a).bit_length(),
            "min(x0[i], x1[i])": min, "max(x0[i], x1[i])": max,
            "(long long)__umul64hi(x0[i], x1[i])": lambda a, b: wrapped((a % 2 ** 64) * (b % 2 ** 64) >> 64,
                                                                                 64)}.items():
        ours = launched(kernel(call, ["long long"] * 2, "long long"), a, b, out="i8")
        assert ours.tolist() == [f(*v) for v in zip(a.tolist(), b.tolist())], call


def test_extremes_of_mixed_types(device):
    """min and max of two integer types are of the type that C++ computes with. (CUDA has only some of the pairs.)"""
    types = ["int", "unsigned"]
    if not device.startswith("cuda"):
        types += ["long", "unsigned long", "long long", "unsigned long long"]
    head = "template <class A, class B> struct same { static const bool is = false; };\n" \
           "template <class A> struct same<A, A> { static const bool is = true; };\n"
    checks = "".join(f"static_assert(same<decltype({f}(({a})1, ({b})2)), decltype(({a})1 + ({b})2)>::is);\n"
                     for f in ("min", "max") for a in types for b in types)
    checks += "static_assert(same<decltype(min(1.f, 2.0)), double>::is && same<decltype(max(1.f, 2.f)), float>::is);\n"
    ours = launched(kernel("min(x0[i], -1) + max(x0[i], 3u)", ["int"], "unsigned", head + checks),
                    np.array([5, 0], "i4"), out="u4")
    assert ours.tolist() == [4, 2]


@pytest.mark.parametrize("kind, dtype", [("float", "f4"), ("double", "f8")])
def test_extremes_and_halves(kind, dtype):
    """In loops that are vectors on the CPU: NaN beside numbers, zeros of both signs, halves and their neighbours."""
    tiny, large = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    half = [0.5, np.nextafter(np.array(0.5, dtype), 0), 1.5, 2.5, 2.0 ** 23 - 0.5, 2.0 ** 52 - 0.5, 2.0 ** 53 + 2, 0.3]
    some = np.array([0, tiny, 1, large, np.inf, np.nan, *half], dtype)
    some = np.concatenate([some, -some])
    x, y = [np.ascontiguousarray(v).reshape(-1) for v in np.meshgrid(some, some)]
    for name, f, zero in (("fmax", np.fmax, False), ("fmin", np.fmin, True)):
        wanted = f(x, y)
        wanted[(x == 0) & (y == 0) & (np.signbit(x) != np.signbit(y))] = -0.0 if zero else 0.0
        for call in (name, name + "f") if kind == "float" else (name,):
            ours = launched(kernel(f"{call}(x0[i], x1[i])", [kind] * 2, kind), x, y, out=dtype)
            numbers = ~np.isnan(wanted)
            assert (np.isnan(ours) == ~numbers).all()
            assert ours[numbers].tobytes() == wanted[numbers].tobytes(), call
    with np.errstate(invalid="ignore"):
        wanted = np.trunc(x) + np.copysign((abs(x - np.trunc(x)) >= 0.5).astype(dtype), x)
    for call in ("round", "roundf") if kind == "float" else ("round",):
        ours = launched(kernel(f"{call}(x0[i])", [kind], kind), x, out=dtype)
        numbers = np.isfinite(x)
        assert ours[numbers].tobytes() == wanted[numbers].tobytes(), call
        assert np.array_equal(ours[~numbers], x[~numbers], equal_nan=True)


def of_halves(f, signed):
    return lambda *v: joined([f(*n) for n in zip(*(lanes(x, 16, signed) for x in v))], 16)


def test_halves_of_words():
    a, b, c = (integers("u4", 200, seed) for seed in (67, 71, 73))
    b[::3], c[::4] = a[::3], a[::4]
    for kind, signed in (("s", True), ("u", False)):
        for name, f in (("max", max), ("min", min)):
            calls = {f"__vi{name}3_{kind}16x2(a, b, c)": of_halves(f, signed),
                     f"__viadd{name}_{kind}16x2(a, b, c)": of_halves(
                         lambda x, y, z: f(wrapped(x + y, 16, signed), z), signed)}
            if signed:
                calls |= {f"__vi{name}_s16x2_relu(a, b)": of_halves(lambda x, y, z: max(f(x, y), 0), True),
                          f"__vi{name}3_s16x2_relu(a, b, c)": of_halves(lambda *v: max(f(v), 0), True),
                          f"__viadd{name}_s16x2_relu(a, b, c)": of_halves(
                              lambda x, y, z: max(f(wrapped(x + y, 16), z), 0), True)}
            for call, wanted in calls.items():
                text = kernel(call, ["unsigned"] * 3, "unsigned").replace(
                    "if (i < n)", "if (i >= n) return; unsigned a = x0[i], b = x1[i], c = x2[i]; ")
                ours = launched(text, a, b, c, out="u4")
                assert ours.tolist() == [wanted(*v) for v in zip(a.tolist(), b.tolist(), c.tolist())], call
            first = (lambda x, y: x >= y) if name == "max" else (lambda x, y: x <= y)
            text = kernel("0", ["unsigned"] * 2, "unsigned").replace("if (i < n)", f"""if (i >= n) return;
                bool high, low, is; unsigned r = __vib{name}_{kind}16x2(x0[i], x1[i], &high, &low);
                r ^= (unsigned)__vib{name}_{kind}32(x0[i], x1[i], &is);
                out[i] = r * 8 + high * 4 + low * 2 + is; return; """)
            ours = launched(text, a, b, out="u4")
            wanted = []
            for x, y in zip(a.tolist(), b.tolist()):
                p, q = (lanes(v, 16, signed) for v in (x, y))
                X, Y = (wrapped(v, 32, signed) for v in (x, y))
                r = joined([f(*n) for n in zip(p, q)], 16) ^ f(X, Y) % 2 ** 32
                wanted.append((r * 8 + first(p[1], q[1]) * 4 + first(p[0], q[0]) * 2 + first(X, Y)) % 2 ** 32)
            assert ours.tolist() == wanted, (name, kind)


@pytest.mark.parametrize("fmt", SMALL)
def test_small_comparisons(fmt):
    """Ordered ones are false where a NaN is, the others (..u) true; of pairs as numbers, masks and both together."""
    word, head = SMALL[fmt]
    special = np.array([0, 0x8000, 0x7f80, 0x7c00, 0x7fff, 0xffff, 0x3c00, 0xbc00, 1], "u2")
    x = np.array([(p, q) for p in special for q in special]).ravel().astype("u2")
    r = np.random.default_rng(3)
    y = np.where(r.random(len(x)) < 0.3, x, r.choice(special, len(x))).astype("u2")
    a, b = (v.view("u4") for v in (x, y))
    fx, fy = (of_bits(fmt, v).reshape(-1, 2) for v in (x, y))
    nan = np.isnan(fx) | np.isnan(fy)
    with np.errstate(invalid="ignore"):
        found = {"eq": fx == fy, "ne": fx != fy, "lt": fx < fy, "gt": fx > fy, "le": fx <= fy, "ge": fx >= fy}
    pair = f"__halves2{word}2(__ushort_as_{word}({{0}} & 65535), __ushort_as_{word}({{0}} >> 16))"
    both = f"{pair.format('x0[i]')}, {pair.format('x1[i]')}"
    batch = Batch(head)
    for name, ordered in found.items():
        for u, wanted in (("", ordered & ~nan), ("u", ordered | nan)):
            for call, out, dtype, expected in (
                    (f"__h{name}{u}2_mask({both})", "unsigned", "u4", wanted @ np.array([0xffff, 0xffff0000], "u4")),
                    (f"__hb{name}{u}2({both})", "unsigned", "u4", wanted.all(1)),
                    (f"__low2float(__h{name}{u}2({both})) + 2 * __high2float(__h{name}{u}2({both}))", "float", "f4",
                     wanted @ np.array([1, 2]))):
                batch.ask(call, ["unsigned"] * 2, out, [a, b], dtype, lambda ours, expected=expected, call=call:
                          np.testing.assert_array_equal(ours, expected, call))
    batch.run()


def exponential(square):
    return lambda x: np.exp(np.longdouble(x) ** 2 * square)


def scaled_erfc(special, x):
    """With the square exact enough, where SciPy's is not."""
    return np.where(x < 0, 2 * exponential(1)(x) - special.erfcx(-x), special.erfcx(x)).astype("f8")


def normal(special, x):
    return np.where(x < 0, special.erfcx(-x / 2 ** 0.5) / 2 * exponential(np.longdouble(-0.5))(x),
                    special.ndtr(x)).astype("f8")


REAL = {  # of double: where, what it is (SciPy's), and how many ulps CUDA allows
    "cyl_bessel_i0": (lambda r: r.uniform(-700, 700, 400), "i0", 8),
    "cyl_bessel_i1": (lambda r: np.r_[r.uniform(-700, 700, 300), r.uniform(-40, 40, 300)], "i1", 8),
    "erfcx": (lambda r: np.r_[r.uniform(-5, 30, 400), r.uniform(19, 21, 50), 1e5, 1e300, -20], scaled_erfc, 6),
    "normcdf": (lambda r: r.uniform(-37, 9, 500), normal, 8),
    "erfinv": (lambda r: r.uniform(-1, 1, 300), "erfinv", 8),
    "erfcinv": (lambda r: np.r_[r.uniform(0, 2, 300), 10.0 ** r.uniform(-300, 0, 100)], "erfcinv", 8),
    "normcdfinv": (lambda r: np.r_[r.uniform(0, 1, 300), 10.0 ** r.uniform(-300, 0, 100)], "ndtri", 12)}


@pytest.mark.parametrize("name", REAL)
def test_real_functions(name):
    special = pytest.importorskip("scipy.special")
    where, oracle, ulps = REAL[name]
    x = where(np.random.default_rng(5))
    wanted_of = functools.partial(oracle, special) if callable(oracle) else getattr(special, oracle)
    wanted = wanted_of(x)
    ours = launched(kernel(f"{name}(x0[i])", ["double"], "double"), x, out="f8")
    far = np.abs(ours - wanted) > ulps * np.spacing(np.abs(wanted))
    assert not far.any(), [(v.hex(), a.hex(), b.hex()) for v, a, b in zip(x[far], ours[far], wanted[far])][:4]
    x = x.astype("f4")
    with np.errstate(over="ignore"):
        wanted = wanted_of(x.astype("f8")).astype("f4")
    ours = launched(kernel(f"{name}f(x0[i])", ["float"], "float"), x, out="f4")
    with np.errstate(invalid="ignore"):
        near = (ours == wanted) | (np.abs(ours - wanted) <= 8 * np.spacing(np.abs(wanted)))
    assert near.all(), [(v.hex(), a, b) for v, a, b in zip(x[~near], ours[~near], wanted[~near])][:4]


def turned(x, shift):
    """The sine of pi times x, and of half a turn more by `shift`, to 17 digits: exact reduction, then the series."""
    r = (Fraction(x) + shift) % 2
    negative, r = r > 1, r % 1
    r = min(r, 1 - r)
    a = r * Fraction(3141592653589793238462643383279502884197, 10 ** 39)
    term, total = a, a
    for k in range(1, 20):
        term = -term * a * a / ((2 * k) * (2 * k + 1))
        total += term
    return float(-total if negative else total)


def test_half_turns():
    r = np.random.default_rng(9)
    x = np.concatenate([r.uniform(-9, 9, 200), r.integers(-40, 40, 100) / 2 * (1 + r.choice([0, 1e-15, -1e-9], 100)),
                        [0.0, -0.0, 1, -1, 0.5, 1.5, 2, 1e15 + 0.5, 1e300]])
    for name, shift in (("sinpi", 0), ("cospi", Fraction(1, 2))):
        ours = launched(kernel(f"{name}(x0[i])", ["double"], "double"), x, out="f8")
        wanted = np.array([turned(v, shift) for v in x.tolist()])
        far = np.abs(ours - wanted) > 3 * np.spacing(np.abs(wanted))
        assert not far.any(), (name, x[far], ours[far], wanted[far])


@pytest.mark.parametrize("t", ["float", "double"])
def test_lengths(t):
    """Without undue overflow, and of any number of numbers."""
    fmt = {"float": "f4", "double": "f8"}[t]
    f, (info, r) = "f" if t == "float" else "", (np.finfo(fmt), np.random.default_rng(4))
    x = np.ldexp(r.uniform(-1, 1, (64, 5)), r.integers(info.minexp // 3, info.maxexp - 3, (64, 1))).astype(fmt)
    x[0], x[1, 2], x[2, 1] = 0, np.inf, info.smallest_subnormal
    text = f"""extern "C" __global__ void f(const {t} *x, {t} *out) {{ int i = threadIdx.x; x += 5 * i; out += 6 * i;
        out[0] = norm{f}(5, x); out[1] = rnorm{f}(5, x); out[2] = norm3d{f}(x[0], x[1], x[2]);
        out[3] = norm4d{f}(x[0], x[1], x[2], x[3]); out[4] = rnorm3d{f}(x[0], x[1], x[2]);
        out[5] = rnorm4d{f}(x[0], x[1], x[2], x[3]); }}"""
    out = cp.zeros((64, 6), fmt)
    cp.RawKernel(text, "f")((1,), (64,), (cp.asarray(x), out))

    def length(v):
        if not np.isfinite(v).all():
            return math.inf
        n = sum(Fraction(float(e)) ** 2 for e in v)
        return float(Fraction(math.isqrt(int(n * 4 ** 1400)), 2 ** 1400))

    for v, got in zip(x, out.get()):
        wanted = [length(v), 0, length(v[:3]), length(v[:4]), 0, 0]
        with np.errstate(all="ignore"):
            for k, of in ((1, 0), (4, 2), (5, 3)):
                wanted[k] = float(np.float64(1) / np.float64(wanted[of]))
            near = np.array(wanted).astype(fmt)
            ok = (got == near) | (np.abs(got - near) <= 4 * np.spacing(near))
        assert ok.all(), (v, got, near)


def test_assumptions_and_atomics_of_a_scope():
    ours = launched(kernel("0", ["int"], "int").replace("if (i < n)", """if (i >= n) return;
        __builtin_assume(n > 0); __builtin_assume(i >= 0);
        atomicAnd_block(&out[0], -1); atomicOr_system(&out[0], 1); atomicInc_block((unsigned *)&out[1], 99u);
        atomicMin_system(&out[2], x0[i]); atomicXor_block(&out[3], x0[i]); atomicSub_system(&out[4], 1);
        if (i < 0)"""),
                    np.arange(-20, 20).astype("i4"), out="i4")
    assert ours[:6].tolist() == [1, 40, -20, functools.reduce(lambda a, b: a ^ b, range(-20, 20)), -40, 0]


@pytest.mark.parametrize("name", ["__isShared(out)", "__isConstant(out)"])
def test_names_that_the_cpu_lacks(name, device):
    f = cp.RawKernel(f'extern "C" __global__ void f(int *out) {{ out[0] = {name}; }}', "f")
    if device.startswith("cuda"):
        f.compile()
        return
    with pytest.raises(NotImplementedError, match=r"line 1: the kind of memory of an address \(__is"):
        f.compile()


def test_attributes_of_shared_memory(device):
    """Static shared memory is counted, whatever scopes it is declared in; the carveout is what was asked for."""
    code = """extern "C" __global__ void f(float *a) { __shared__ double s[10]; if (a[0] > 1) { __shared__ int t[5];
        t[threadIdx.x % 5] = 1; __syncthreads(); a[1] = t[0]; } else { __shared__ float u[50]; u[threadIdx.x % 50] = 2;
        __syncthreads(); a[1] = u[3]; } s[threadIdx.x % 10] = a[1]; __syncthreads(); a[2] = s[1]; }
    extern "C" __global__ void g(float *a) { a[0] = 1; }
    template <class T> __global__ void h(T *a) { __shared__ T s[16]; s[threadIdx.x] = a[0]; __syncthreads();
        a[0] = s[15]; }"""
    m = cp.RawModule(code=code, name_expressions=["h<double>"])
    f, g, h = (m.get_function(name) for name in ("f", "g", "h<double>"))
    assert (g.shared_size_bytes, h.shared_size_bytes) == (0, 128)
    assert 280 <= f.shared_size_bytes <= 320
    if device == "cpu":
        assert f.preferred_shared_memory_carveout == -1
    f.preferred_shared_memory_carveout = 50
    assert f.preferred_shared_memory_carveout == 50 and f.attributes["preferred_shared_memory_carveout"] == 50
    if device.startswith("cuda"):
        return  # what a driver refuses is its own
    with pytest.raises(cp.cuda.driver.CUDADriverError):
        f.preferred_shared_memory_carveout = 101
    assert f.preferred_shared_memory_carveout == 50
