"""Numbers of 16 and 8 bits in user kernels: pairs and functions of cuda_fp16.h and cuda_bf16.h, and cuda_fp8.h, against
NumPy's float16 and exact tables. Both devices."""
import numpy as np
import pytest

import cuprite as cp

E4M3, E5M2 = (3, 7, 0x7e), (2, 15, 0x7b)  # bits of mantissa, bias, largest finite


def value(code, mantissa, bias, most):
    """By the definition of OFP8."""
    sign, a = -1.0 if code & 0x80 else 1.0, code & 0x7f
    if a > most:
        return sign * np.inf if mantissa == 2 and a == 0x7c else np.nan
    exponent, rest = a >> mantissa, a & (1 << mantissa) - 1
    return sign * (rest * 2.0 ** (1 - bias - mantissa) if exponent == 0
                   else (1 + rest / 2 ** mantissa) * 2.0 ** (exponent - bias))


def nearest(x, kind, saturated):
    """The code of the nearest number, ties to the even code; beyond the largest the rounded exponent decides."""
    most = kind[2]
    table = np.array([value(c, *kind) for c in range(most + 1)])
    table = np.append(table, 2 * table[-1] - table[-2])  # what would come next
    a = np.abs(x)
    up = np.clip(np.searchsorted(table, a), 1, most + 1)
    low, high = table[up - 1], table[up]
    code = np.where(a - low < high - a, up - 1, np.where(a - low > high - a, up, up - up % 2))
    code = np.where(a >= table[-1], most + 1, code)
    beyond = most if saturated else 0x7c if kind[0] == 2 else 0x7f
    code = np.where(code > most, beyond, code)
    return np.where(np.isnan(x), 0x7f, code | np.signbit(x).astype(int) << 7)


ENCODE = """#include <cuda_fp8.h>
extern "C" __global__ void encode(const float *x, unsigned char *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    to[i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E4M3);
    to[n + i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E4M3);
    to[2 * n + i] = __nv_cvt_float_to_fp8(x[i], __NV_SATFINITE, __NV_E5M2);
    to[3 * n + i] = __nv_cvt_float_to_fp8(x[i], __NV_NOSAT, __NV_E5M2);
    to[4 * n + i] = __nv_fp8_e4m3(x[i]).__x;
    to[5 * n + i] = __nv_fp8_e5m2(x[i]).__x;
    double d = x[i];
    to[6 * n + i] = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E4M3);
    to[7 * n + i] = __nv_cvt_double_to_fp8(d, __NV_SATFINITE, __NV_E5M2);
}
extern "C" __global__ void decode(float *f, unsigned short *h, int *i)
{
    int k = threadIdx.x;
    __nv_fp8_e4m3 a;
    __nv_fp8_e5m2 b;
    a.__x = k, b.__x = k;
    f[k] = float(a), f[256 + k] = float(b);
    h[k] = __nv_cvt_fp8_to_halfraw(k, __NV_E4M3).x, h[256 + k] = __nv_cvt_fp8_to_halfraw(k, __NV_E5M2).x;
    i[k] = (int)a, i[256 + k] = (int)(signed char)b, i[512 + k] = (bool)a;
}
extern "C" __global__ void pairs(const float4 *x, unsigned *to, float4 *back)
{
    __nv_fp8x4_e4m3 four(*x);
    __nv_fp8x2_e5m2 two(make_float2(x->x, x->y));
    to[0] = four.__x, to[1] = two.__x, to[2] = __nv_cvt_float2_to_fp8x2(make_float2(x->z, x->w), __NV_NOSAT, __NV_E4M3);
    *back = float4(four);
    float2 b = float2(two);
    back[1] = make_float4(b.x, b.y, sizeof four, sizeof two);
}
"""


def some_floats():
    r = np.random.default_rng(8)
    n = 3000
    wide = np.ldexp(r.uniform(1, 2, n), r.integers(-24, 20, n))
    few = np.ldexp(r.integers(1, 64, n).astype("f8"), r.integers(-24, 12, n))  # ties among them
    x = np.concatenate([wide, few]) * r.choice([-1, 1], 2 * n)
    ends = [0, -0.0, np.inf, -np.inf, np.nan, 448, 464, 464.5, 480, 57344, 61440, 61439, 2 ** -9, 2 ** -10, 2 ** -17,
            1.5 * 2 ** -10, 1e-45]
    return np.concatenate([x, ends]).astype("f4")


def test_fp8_of_floats():
    x = some_floats()
    to = cp.zeros((8, len(x)), "u1")
    encode = cp.RawModule(code=ENCODE).get_function("encode")
    encode((-(-len(x) // 128),), (128,), (cp.asarray(x), to, np.int32(len(x))))
    got = to.get()
    with np.errstate(invalid="ignore"):
        wide = x.astype("f8")
        right = [nearest(wide, E4M3, True), nearest(wide, E4M3, False), nearest(wide, E5M2, True),
                 nearest(wide, E5M2, False)]
    number = ~np.isnan(x)
    for k, w in enumerate([*right, right[0], right[2], right[0], right[2]]):
        assert (got[k] == w)[number].all(), (k, x[number][(got[k] != w)[number]][:5])
    assert (got[:2, ~number] & 0x7f == 0x7f).all() and ((got[2:4, ~number] & 0x7f) > 0x7c).all()


def test_values_of_fp8():
    f, h, i = cp.zeros((2, 256), "f4"), cp.zeros((2, 256), "u2"), cp.zeros((3, 256), "i4")
    cp.RawModule(code=ENCODE).get_function("decode")((1,), (256,), (f, h, i))
    right = np.array([[value(c, *kind) for c in range(256)] for kind in (E4M3, E5M2)])
    assert np.array_equal(f.get(), right, equal_nan=True)
    assert (np.signbit(f.get()) == np.signbit(right))[right == 0].all()
    assert np.array_equal(h.get().view("f2"), right, equal_nan=True)
    clean = np.nan_to_num(right, posinf=127, neginf=-128)
    assert (i.get()[0] == np.trunc(clean[0])).all()
    assert (i.get()[1] == np.clip(np.trunc(clean[1]), -128, 127)).all()
    assert (i.get()[2] == (right[0] != 0)).all()


def test_several_fp8():
    x = np.array([1.06, -300, 0.02, 1000], "f4")
    to, back = cp.zeros(3, "u4"), cp.zeros((2, 4), "f4")
    cp.RawModule(code=ENCODE).get_function("pairs")((1,), (1,), (cp.asarray(x), to, back))
    four = nearest(x.astype("f8"), E4M3, True)
    two = nearest(x[:2].astype("f8"), E5M2, True)
    last = nearest(x[2:].astype("f8"), E4M3, False)
    assert to.get().tolist() == [int(sum(int(c) << 8 * k for k, c in enumerate(v))) for v in (four, two, last)]
    assert back.get()[0].tolist() == [value(c, *E4M3) for c in four]
    assert back.get()[1].tolist() == [*(value(c, *E5M2) for c in two), 4, 2]


TYPES = {"half": ("cuda_fp16.h", "__half", "__half2", "half"),
         "bfloat16": ("cuda_bf16.h", "__nv_bfloat16", "__nv_bfloat162", "bfloat16")}


def rounded(x, kind):
    """float64 to the type and back, to the nearest."""
    if kind == "half":
        with np.errstate(over="ignore"):
            return x.astype("f2").astype("f8")
    bits = x.astype("f4").view("u4").astype("u8")
    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16 << 16
    return np.where(np.isnan(x), np.nan, bits.astype("u4").view("f4").astype("f8"))


def bits_of(x, kind):
    return x.astype("f2").view("u2") if kind == "half" else (x.astype("f4").view("u4") >> 16).astype("u2")


def numbers_of(bits, kind):
    return bits.view("f2").astype("f8") if kind == "half" else (bits.astype("u4") << 16).view("f4").astype("f8")


PAIRS = {"p + q": lambda p, q: p + q, "p - q": lambda p, q: p - q, "p * q": lambda p, q: p * q,
         "p / q": lambda p, q: p / q, "-p": lambda p, q: -p, "+p": lambda p, q: p, "__hadd2(p, q)": lambda p, q: p + q,
         "__hsub2(p, q)": lambda p, q: p - q, "__hmul2(p, q)": lambda p, q: p * q, "__h2div(p, q)": lambda p, q: p / q,
         "__hmax2(p, q)": np.fmax, "__hmin2(p, q)": np.fmin, "__habs2(p)": lambda p, q: abs(p),
         "__hneg2(p)": lambda p, q: -p, "__lowhigh2highlow(p)": lambda p, q: p[:, ::-1],
         "__low22(p)": lambda p, q: p[:, [0, 0]], "__heq2(p, q)": lambda p, q: (p == q) * 1.0,
         "__hlt2(p, q)": lambda p, q: (p < q) * 1.0, "__hgeu2(p, q)": lambda p, q: (p >= q) * 1.0,
         "__hadd2_sat(p, q)": lambda p, q: np.clip(p + q, 0, 1), "h2sqrt(__habs2(p))": lambda p, q: np.sqrt(abs(p)),
         "h2floor(p)": lambda p, q: np.floor(p), "h2trunc(p)": lambda p, q: np.trunc(p),
         "h2rint(p)": lambda p, q: np.rint(p), "h2ceil(p)": lambda p, q: np.ceil(p),
         "(r = p, r += q, r)": lambda p, q: p + q, "(r = p, r *= q, r)": lambda p, q: p * q,
         "(r = p, r -= q, r)": lambda p, q: p - q, "(r = p, r /= q, r)": lambda p, q: p / q,
         "(r = p, r++, r)": lambda p, q: p + 1, "(r = p, --r)": lambda p, q: p - 1, "(r = p, r--)": lambda p, q: p}


@pytest.mark.parametrize("kind", TYPES)
def test_pairs(kind):
    """Each rounded once from the exact result."""
    header, _, pair, word = TYPES[kind]
    r = np.random.default_rng(9)
    p, q = (rounded(r.uniform(-4, 4, (500, 2)), kind) for _ in range(2))
    q[::9] = p[::9]
    body = "".join(f"  to[{k} * n + i] = {e.replace('__low22', f'__low2{word}2')};\n" for k, e in enumerate(PAIRS))
    text = f"""#include <{header}>
    extern "C" __global__ void f(const {pair} *x, const {pair} *y, {pair} *to, int *tests, int n)
    {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      {pair} p = x[i], q = y[i], r;
{body}      tests[i] = (p == q) | (p != q) << 1 | (p < q) << 2 | (p > q) << 3 | (p <= q) << 4 | (p >= q) << 5;
    }}"""
    to, tests = cp.zeros((len(PAIRS), 500, 2), "u2"), cp.zeros(500, "i4")
    cp.RawKernel(text, "f")((4,), (128,), (cp.asarray(bits_of(p, kind)), cp.asarray(bits_of(q, kind)), to, tests,
                                           np.int32(500)))
    for e, got in zip(PAIRS, numbers_of(to.get(), kind)):
        assert np.array_equal(got, rounded(np.asarray(PAIRS[e](p, q), "f8"), kind)), e
    both = [(c).all(1) for c in (p == q, p != q, p < q, p > q, p <= q, p >= q)]
    assert (tests.get() == sum(c << k for k, c in enumerate(b.astype(int) for b in both))).all()


FUNCTIONS = {"exp": np.exp, "exp2": np.exp2, "exp10": lambda x: 10 ** x, "log": np.log, "log2": np.log2,
             "log10": np.log10, "sin": np.sin, "cos": np.cos, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
             "rcp": lambda x: 1 / x, "tanh": np.tanh}


@pytest.mark.parametrize("kind", TYPES)
def test_functions(kind):
    """Within one unit in the last place; conversions to bytes saturate."""
    header, number, _, word = TYPES[kind]
    r = np.random.default_rng(10)
    x = rounded(np.ldexp(r.uniform(1, 2, 600), r.integers(-6, 2, 600)), kind)
    body = "".join(f"  to[{k} * n + i] = h{f}(v);\n" for k, f in enumerate(FUNCTIONS))
    text = f"""#include <{header}>
    extern "C" __global__ void f(const {number} *x, {number} *to, int *bytes, int n)
    {{
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i >= n) return;
      {number} v = x[i], w = v;
{body}      bytes[i] = __{word}2char_rz(v * __float2{word}(-40.f));
      bytes[n + i] = __{word}2uchar_rz(v * __float2{word}(80.f));
      w++;
      bytes[2 * n + i] = w-- == v + __float2{word}(1.f);
    }}"""
    to, bytes_ = cp.zeros((len(FUNCTIONS), 600), "u2"), cp.zeros((3, 600), "i4")
    cp.RawKernel(text, "f")((5,), (128,), (cp.asarray(bits_of(x, kind)), to, bytes_, np.int32(600)))
    unit = 2.0 ** (-10 if kind == "half" else -7)
    for name, got in zip(FUNCTIONS, numbers_of(to.get(), kind)):
        right = FUNCTIONS[name](x)
        ulp = unit * 2.0 ** np.floor(np.log2(np.maximum(abs(right), 2.0 ** -14 if kind == "half" else 1e-30)))
        bad = abs(got - right) > 1.01 * ulp + (2 * unit * 2.0 ** -10 if name in ("sin", "cos", "log") else 0)
        assert not bad.any(), (name, x[bad][:3], got[bad][:3], right[bad][:3])
    assert (bytes_.get()[0] == np.clip(np.trunc(rounded(x * -40, kind)), -128, 127)).all()
    assert (bytes_.get()[1] == np.clip(np.trunc(rounded(x * 80, kind)), 0, 255)).all() and bytes_.get()[2].all()


@pytest.mark.parametrize("kind", TYPES)
def test_atomics_and_shuffles(kind):
    header, number, pair, word = TYPES[kind]
    text = f"""#include <{header}>
    extern "C" __global__ void f({number} *sum, {pair} *two, {number} *to)
    {{
      {number} v = __float2{word}((float)threadIdx.x);
      atomicAdd(sum, __float2{word}(1.f));
      atomicAdd(two, __floats2{word}2_rn(1.f, 2.f));
      to[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1);
      {pair} w = __shfl_down_sync(0xffffffff, __{word}2{word}2(v), 2);
      to[32 + threadIdx.x] = w.y;
    }}"""
    total, two, to = cp.zeros(2, "u2"), cp.zeros(2, "u2"), cp.zeros(64, "u2")
    cp.RawKernel(text, "f")((1,), (32,), (total, two, to))
    lanes = np.arange(32)
    assert numbers_of(total.get(), kind)[0] == 32 and numbers_of(two.get(), kind).tolist() == [32, 64]
    assert (numbers_of(to.get(), kind) == np.concatenate([lanes ^ 1, np.where(lanes < 30, lanes + 2, lanes)])).all()
