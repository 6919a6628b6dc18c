"""<cuda_fp6.h> and <cuda_fp4.h>: every code, and every number of 16 bits, against a table of the format's values and
the nearest of them."""
import numpy as np
import pytest

import cuprite as cp

KINDS = {"e2m3": (6, 3, 1), "e3m2": (6, 2, 3), "e2m1": (4, 1, 1)}  # bits, of the mantissa, bias


def values(kind):
    """Of the codes without a sign."""
    bits, mantissa, bias = KINDS[kind]
    code = np.arange(1 << (bits - 1))
    exponent, rest = code >> mantissa, code & (1 << mantissa) - 1
    fraction = rest / 2 ** mantissa
    return np.where(exponent, (1 + fraction) * 2.0 ** (exponent - bias), fraction * 2.0 ** (1 - bias))


def encoded(x, kind, nearest=True):
    """Codes of float64s."""
    v, sign = values(kind), 1 << (KINDS[kind][0] - 1)
    a = np.minimum(np.where(np.isnan(x), np.inf, np.abs(x)), v[-1])
    low = np.searchsorted(v, a, "right") - 1
    high = np.minimum(low + 1, len(v) - 1)
    down, up = a - v[low], v[high] - a
    up = np.where(high == low, np.inf, up)
    code = np.where((up < down) | ((up == down) & (low % 2 == 1)), high, low) if nearest else low
    return (code | np.where(np.signbit(x) & ~np.isnan(x), sign, 0)).astype("u1")


TEXT = """
#include <cuda_fp6.h>
#include <cuda_fp4.h>
extern "C" __global__ void codes(const unsigned char *c, float *out, __half *half, float2 *two, float4 *four, int n)
{
    const int i = threadIdx.x;
    if (i >= n) return;
    __nv_fp6_e2m3 a;
    __nv_fp6_e3m2 b;
    __nv_fp4_e2m1 d;
    a.__x = b.__x = d.__x = c[i];
    out[3 * i] = (float)a, out[3 * i + 1] = (float)b, out[3 * i + 2] = (float)d;
    half[3 * i] = __half(__nv_cvt_fp6_to_halfraw(c[i], __NV_E2M3)), half[3 * i + 1] = (__half)b;
    half[3 * i + 2] = __half(__nv_cvt_fp4_to_halfraw(c[i], __NV_E2M1));
    __nv_fp6x2_e2m3 a2;
    __nv_fp4x2_e2m1 d2;
    __nv_fp6x4_e3m2 b4;
    __nv_fp4x4_e2m1 d4;
    a2.__x = (unsigned short)(c[i] | 5 << 8), d2.__x = (unsigned char)((c[i] & 15) | 5 << 4);
    b4.__x = c[i] | 1 << 8 | 2 << 16 | 3 << 24, d4.__x = (unsigned short)((c[i] & 15) | 1 << 4 | 2 << 8 | 3 << 12);
    two[2 * i] = (float2)a2, two[2 * i + 1] = (float2)d2;
    four[2 * i] = (float4)b4, four[2 * i + 1] = (float4)d4;
}
extern "C" __global__ void numbers(const double *x, unsigned char *near, unsigned char *zero, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        near[3 * i] = __nv_fp6_e2m3(x[i]).__x, near[3 * i + 1] = __nv_fp6_e3m2(x[i]).__x;
        near[3 * i + 2] = __nv_fp4_e2m1(x[i]).__x;
        zero[3 * i] = __nv_cvt_double_to_fp6(x[i], __NV_E2M3, cudaRoundZero);
        zero[3 * i + 1] = __nv_cvt_double_to_fp6(x[i], __NV_E3M2, cudaRoundZero);
        zero[3 * i + 2] = __nv_cvt_double_to_fp4(x[i], __NV_E2M1, cudaRoundZero);
    }
}
extern "C" __global__ void halves(const unsigned short *x, unsigned char *out, unsigned short *pairs, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        __half_raw h;
        __half2_raw h2;
        __nv_bfloat16_raw b;
        h.x = b.x = x[i], h2.x = x[i], h2.y = 0x3c00;
        out[4 * i] = __nv_cvt_halfraw_to_fp6(h, __NV_E2M3, cudaRoundNearest);
        out[4 * i + 1] = __nv_fp6_e3m2(__half(h)).__x;
        out[4 * i + 2] = __nv_cvt_halfraw_to_fp4(h, __NV_E2M1, cudaRoundNearest);
        out[4 * i + 3] = __nv_cvt_bfloat16raw_to_fp6(b, __NV_E3M2, cudaRoundNearest);
        pairs[2 * i] = __nv_cvt_halfraw2_to_fp6x2(h2, __NV_E2M3, cudaRoundNearest);
        pairs[2 * i + 1] = __nv_cvt_halfraw2_to_fp4x2(h2, __NV_E2M1, cudaRoundNearest);
    }
}
extern "C" __global__ void integers(const float *x, int *out)
{
    const int i = threadIdx.x;
    const __nv_fp6_e3m2 a(x[i]), b((int)x[i]);
    const __nv_fp4x4_e2m1 c(make_float4(x[i], -x[i], 1, 9));
    const __nv_fp6x2_e2m3 d(make_float2(x[i], -1)), e(__float2half2_rn(x[i]));
    out[6 * i] = (int)a, out[6 * i + 1] = (signed char)a, out[6 * i + 2] = (unsigned)b, out[6 * i + 3] = c.__x;
    out[6 * i + 4] = d.__x, out[6 * i + 5] = e.__x * 2 + (bool)a;
}
"""


def kernel(name):
    return cp.RawModule(code=TEXT, options=("--std=c++17",)).get_function(name)


def signed(kind):
    v = values(kind)
    return np.concatenate([v, -v])


def test_codes():
    n = 64
    c = np.arange(n, dtype="u1")
    out, half = cp.zeros((n, 3), "f4"), cp.zeros((n, 3), "f2")
    two, four = cp.zeros((n, 2, 2), "f4"), cp.zeros((n, 2, 4), "f4")
    kernel("codes")((1,), (n,), (cp.asarray(c), out, half, two, four, np.int32(n)))
    a, b, d = signed("e2m3"), signed("e3m2"), signed("e2m1")[c & 15]
    for got in (out.get(), half.get()):
        np.testing.assert_array_equal(got[:, 0], a)
        np.testing.assert_array_equal(got[:, 1], b)
        np.testing.assert_array_equal(got[:, 2], d)
        assert np.signbit(got[32, :2]).all()
    np.testing.assert_array_equal(two.get(), np.stack([np.stack([a, np.full(n, a[5])], 1),
                                                       np.stack([d, np.full(n, d[5])], 1)], 1))
    np.testing.assert_array_equal(four.get()[:, 0], np.stack([b, *(np.full(n, b[k]) for k in (1, 2, 3))], 1))
    np.testing.assert_array_equal(four.get()[:, 1], np.stack([d, *(np.full(n, d[k]) for k in (1, 2, 3))], 1))


def test_numbers():
    edges = []
    for kind in KINDS:
        v = values(kind)
        edges += [v, (v[1:] + v[:-1]) / 2, v[-1:] * 1.01, v[1:2] / 2]
    x = np.concatenate(edges)
    x = np.concatenate([x, np.nextafter(x, 9e9), np.nextafter(x, -1), [1e-300, 5e-324, 1e300, np.inf, np.nan]])
    x = np.concatenate([x, -x])
    near, zero = cp.zeros((x.size, 3), "u1"), cp.zeros((x.size, 3), "u1")
    kernel("numbers")((2,), (64,), (cp.asarray(x), near, zero, np.int32(x.size)))
    for k, kind in enumerate(KINDS):
        np.testing.assert_array_equal(near.get()[:, k], encoded(x, kind))
        np.testing.assert_array_equal(zero.get()[:, k], encoded(x, kind, False))


def test_every_half():
    x = np.arange(65536).astype("u2")
    out, pairs = cp.zeros((x.size, 4), "u1"), cp.zeros((x.size, 2), "u2")
    kernel("halves")((64,), (64,), (cp.asarray(x), out, pairs, np.int32(x.size)))
    with np.errstate(invalid="ignore"):
        f = x.view("f2").astype("f8")
        b = (x.astype("u4") << 16).view("f4").astype("f8")
    for k, kind in enumerate(KINDS):
        np.testing.assert_array_equal(out.get()[:, k], encoded(f, kind))
    np.testing.assert_array_equal(out.get()[:, 3], encoded(b, "e3m2"))
    one = [int(encoded(np.ones(1), k)[0]) for k in ("e2m3", "e2m1")]
    np.testing.assert_array_equal(pairs.get()[:, 0], encoded(f, "e2m3").astype(int) | one[0] << 8)
    np.testing.assert_array_equal(pairs.get()[:, 1], encoded(f, "e2m1").astype(int) | one[1] << 4)


def test_integers_and_vectors():
    x = np.array([0, 1, 2.6, -3.4, 30, -0.05, 7.5, 1.25], "f4")
    out = cp.zeros((x.size, 6), "i4")
    kernel("integers")((1,), (x.size,), (cp.asarray(x), out))
    a = signed("e3m2")[encoded(x.astype("f8"), "e3m2")]
    b = signed("e3m2")[encoded(np.trunc(x).astype("f8"), "e3m2")]
    c, d = encoded(x.astype("f8"), "e2m1").astype(int), encoded(x.astype("f8"), "e2m3").astype(int)
    one, minus, most = (int(encoded(np.array([v]), k)[0]) for v, k in ((1.0, "e2m1"), (-1.0, "e2m3"), (9.0, "e2m1")))
    other = encoded(-x.astype("f8"), "e2m1").astype(int)
    np.testing.assert_array_equal(out.get(), np.stack([
        np.trunc(a), np.trunc(a), np.maximum(np.trunc(b), 0), c | other << 4 | one << 8 | most << 12,
        d | minus << 8, (d | d << 8) * 2 + (a != 0)], 1))
