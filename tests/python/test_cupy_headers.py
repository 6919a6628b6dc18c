"""The headers that kernels of CuPy's programs include, and complex powers: on the CPU and, through NVRTC, on a GPU."""
import numpy as np
import pytest

import cuprite as cp

COMPLEX = r'''
#include <cuComplex.h>
extern "C" __global__ void f(cuDoubleComplex *a, cuFloatComplex *b, double *d)
{
    cuDoubleComplex x = make_cuDoubleComplex(1, 2), y = a[0];
    a[0] = cuCmul(x, y), a[1] = cuCdiv(x, y), a[2] = cuCadd(x, y), a[3] = cuCsub(x, cuConj(y));
    a[4] = cuCfma(x, y, x);
    d[0] = cuCabs(y), d[1] = cuCreal(y), d[2] = cuCimag(y);
    cuFloatComplex u = make_cuComplex(3.f, 4.f), v = make_cuFloatComplex(1.f, -1.f);
    b[0] = cuCaddf(u, v), b[1] = cuCmulf(u, v), b[2] = cuComplexDoubleToFloat(x), b[3] = cuCdivf(u, v);
    d[3] = cuCabsf(u), d[4] = cuCreal(cuComplexFloatToDouble(u));
}'''


@pytest.mark.parametrize("include", ["<cuComplex.h>", '"cuComplex.h"', " <cuComplex.h>  "])
@pytest.mark.parametrize("translate", [True, False])
def test_cucomplex(translate, include, device):
    if not translate and device.startswith("cuda"):
        pytest.skip("NVRTC needs CUDA's own header for that")
    y = 0.5 - 1.5j
    a, b, d = cp.zeros(5, "c16"), cp.zeros(4, "c8"), cp.zeros(5)
    a[0] = y
    cp.RawKernel(COMPLEX.replace("<cuComplex.h>", include), "f", translate_cucomplex=translate)((1,), (1,), (a, b, d))
    x = 1 + 2j
    np.testing.assert_allclose(a.get(), [x * y, x / y, x + y, x - np.conj(y), x * y + x], rtol=1e-15)
    np.testing.assert_allclose(b.get(), [4 + 3j, (3 + 4j) * (1 - 1j), 1 + 2j, (3 + 4j) / (1 - 1j)], rtol=1e-6)
    np.testing.assert_allclose(d.get(), [abs(y), 0.5, -1.5, 5, 3], rtol=1e-15)


@pytest.mark.parametrize("header", ["cupy/complex.cuh", "cupy/carray.cuh", "cupy/float16.cuh", "cupy/atomics.cuh",
                                    "cupy/math_constants.h"])
def test_headers_are_there(header, device):
    y = cp.zeros(1, "f4")
    cp.RawKernel('#include <%s>\nextern "C" __global__ void f(float *x) { x[0] = 1; }' % header, "f")((1,), (1,), (y,))
    assert y.get() == 1


def test_constants(device):
    y = cp.zeros(8)
    cp.RawKernel(r'''
#include <cupy/math_constants.h>
extern "C" __global__ void f(double *x)
{
    x[0] = CUDART_PI, x[1] = CUDART_INF, x[2] = CUDART_NAN, x[3] = CUDART_LN2, x[4] = CUDART_SQRT_TWO;
    x[5] = CUDART_PI_F, x[6] = CUDART_INF_F, x[7] = CUDART_MIN_DENORM_F > 0 && CUDART_NAN_F != CUDART_NAN_F;
}''', "f")((1,), (1,), (y,))
    np.testing.assert_array_equal(y.get(), [np.pi, np.inf, np.nan, np.log(2), np.sqrt(2), np.float32(np.pi), np.inf, 1])


def test_float16(device):
    x, y = cp.array([1.5, -2, 65504], "f2"), cp.zeros(3, "f2")
    cp.RawKernel(r'''
#include <cupy/float16.cuh>
extern "C" __global__ void f(const float16 *x, float16 *y)
{
    int i = threadIdx.x;
    float16 square = x[i] * x[i];
    y[i] = max(square, float16(3.0f));
}''', "f")((1,), (3,), (x, y))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(y.get(), np.maximum(x.get() * x.get(), np.float16(3)))


def test_atomics(device):
    x, n, most = cp.asarray(np.random.default_rng(0).normal(size=1000)), cp.zeros(1, "i8"), cp.full(2, -9.0)
    least = cp.full(1, 9.0, "f4")
    cp.RawKernel(r'''
#include <cupy/atomics.cuh>
extern "C" __global__ void f(const double *x, long long *n, double *most, float *least)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 1000) {
        atomicAdd(n, (long long)-i);
        atomicMax(most, x[i]);
        atomicMin(least, (float)x[i]);
    }
}''', "f")((8,), (128,), (x, n, most, least))
    assert int(n[0]) == -sum(range(1000)) and most.get()[0] == x.get().max()
    assert least.get()[0] == x.get().astype("f4").min()


@pytest.mark.parametrize("text, want", [
    ("pow(x, 2)", (1 + 2j)**2), ("pow(x, 2.0f)", (1 + 2j)**2), ("pow(x, 2.0)", (1 + 2j)**2), ("pow(2, x)", 2**(1 + 2j)),
    ("pow(2.0, x)", 2**(1 + 2j)), ("pow(x, complex<float>(2, 0))", (1 + 2j)**2), ("pow(x, x)", (1 + 2j)**(1 + 2j)),
    ("pow(complex<float>(2, 0), x)", 2**(1 + 2j)), ("pow(x, 2u)", (1 + 2j)**2), ("pow(x, (short)2)", (1 + 2j)**2)])
def test_complex_powers(text, want, device):
    got = cp.ElementwiseKernel("T x", "T z", f"z = {text}", "k")(cp.array([1 + 2j])).get()
    np.testing.assert_allclose(got, [want], rtol=1e-14)


@pytest.mark.parametrize("text", ["pow(x, 2)", "pow(2, x)", "fmod(x, 2)", "atan2(x, 1)", "hypot(3, x)", "fmax(1, x)",
                                  "pow((float)x, 2)", "copysign((float)x, -x)"])
def test_real_functions_of_two(text, device):
    """Of mixed numbers they are those of double still."""
    x = cp.array([0.5, 2.0, -3.0])
    got = cp.ElementwiseKernel("T x", "T z", f"z = {text}", "k")(x).get()
    want = eval(text.replace("pow", "np.power").replace("fmod", "np.fmod").replace("atan2", "np.arctan2")
                .replace("hypot", "np.hypot").replace("fmax", "np.fmax").replace("copysign", "np.copysign")
                .replace("(float)x", "x").replace("(2, x)", "(2.0, x)"), {"np": np, "x": x.get()})
    np.testing.assert_allclose(got, want, rtol=1e-6)
