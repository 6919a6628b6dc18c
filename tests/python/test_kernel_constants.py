"""Constants of <math.h>, <limits.h> and <float.h> in user kernels, by the headers' names, without them, and a program's
own. Both devices."""
import math

import numpy as np
import pytest

import cuprite as cp

FLT, DBL = np.finfo("f4"), np.finfo("f8")
CONSTANTS = {
    "math.h": {"M_E": math.e, "M_LOG2E": 1 / math.log(2), "M_LOG10E": 1 / math.log(10), "M_LN2": math.log(2),
               "M_LN10": math.log(10), "M_PI": math.pi, "M_PI_2": math.pi / 2, "M_PI_4": math.pi / 4,
               "M_1_PI": 1 / math.pi, "M_2_PI": 2 / math.pi, "M_2_SQRTPI": 2 / math.sqrt(math.pi),
               "M_SQRT2": math.sqrt(2), "M_SQRT1_2": math.sqrt(0.5), "INFINITY": math.inf, "HUGE_VAL": math.inf,
               "HUGE_VALF": math.inf, "NAN": math.nan, "FP_NAN": 0, "FP_NORMAL": 4},
    "limits.h": {"CHAR_BIT": 8, "SCHAR_MIN": -128, "SCHAR_MAX": 127, "UCHAR_MAX": 255, "SHRT_MIN": -2 ** 15,
                 "SHRT_MAX": 2 ** 15 - 1, "USHRT_MAX": 2 ** 16 - 1, "INT_MIN": -2 ** 31, "INT_MAX": 2 ** 31 - 1,
                 "UINT_MAX": 2 ** 32 - 1, "LONG_MIN": -2.0 ** 63, "LONG_MAX": 2.0 ** 63, "ULONG_MAX": 2.0 ** 64,
                 "LLONG_MIN": -2.0 ** 63, "LLONG_MAX": 2.0 ** 63, "ULLONG_MAX": 2.0 ** 64},
    "float.h": {"FLT_MAX": FLT.max, "FLT_MIN": FLT.tiny, "FLT_EPSILON": FLT.eps, "FLT_TRUE_MIN": 2.0 ** -149,
                "FLT_DIG": 6, "FLT_MANT_DIG": 24, "FLT_MAX_EXP": 128, "FLT_MIN_EXP": -125, "FLT_MAX_10_EXP": 38,
                "FLT_MIN_10_EXP": -37, "FLT_DECIMAL_DIG": 9, "FLT_RADIX": 2, "DBL_MAX": DBL.max, "DBL_MIN": DBL.tiny,
                "DBL_EPSILON": DBL.eps, "DBL_TRUE_MIN": 2.0 ** -1074, "DBL_DIG": 15, "DBL_MANT_DIG": 53,
                "DBL_MAX_EXP": 1024, "DBL_MIN_EXP": -1021, "DBL_MAX_10_EXP": 308, "DBL_MIN_10_EXP": -307,
                "DBL_DECIMAL_DIG": 17},
    "stdint.h": {"INT8_MIN": -128, "UINT8_MAX": 255, "INT16_MAX": 2 ** 15 - 1, "UINT16_MAX": 2 ** 16 - 1,
                 "INT32_MIN": -2 ** 31, "UINT32_MAX": 2 ** 32 - 1, "INT64_MIN": -2.0 ** 63, "UINT64_MAX": 2.0 ** 64,
                 "SIZE_MAX": 2.0 ** 64, "INTPTR_MAX": 2.0 ** 63, "PTRDIFF_MIN": -2.0 ** 63, "INTMAX_MAX": 2.0 ** 63},
}
CPP = {"math.h": "cmath", "limits.h": "climits", "float.h": "cfloat", "stdint.h": "cstdint"}


def values(head, names):
    text = head + '\nextern "C" __global__ void f(double *y) {' + "".join(
        f" y[{i}] = (double)({n});" for i, n in enumerate(names)) + "}"
    y = cp.zeros(len(names))
    cp.RawKernel(text, "f")((1,), (1,), (y,))
    return y.get()


@pytest.mark.parametrize("cpp", [False, True])
@pytest.mark.parametrize("header", CONSTANTS)
def test_constants(header, cpp):
    wanted = CONSTANTS[header]
    ours = values(f"#include <{CPP[header] if cpp else header}>", wanted)
    for n, a, b in zip(wanted, ours, wanted.values()):  # 1 / log(2) and its like are rounded twice here
        close = n.startswith("M_") and abs(a - b) <= np.spacing(b)
        assert a == b or close or (a != a and b != b), (n, a, b)


def test_constants_are_double():
    """M_SQRT1_2 of a program's own, of float, cost an FFT nine digits."""
    ours = values("#include <math.h>\n#ifndef M_SQRT1_2\n#define M_SQRT1_2 0.7071f\n#endif", ["M_SQRT1_2"])
    assert ours[0] == math.sqrt(0.5)


@pytest.mark.parametrize("own", ["const double M_PI = 3;", "__constant__ float INFINITY = 1e30f;",
                                 "static const int INT_MAX = 7;", "constexpr double NAN = -1;",
                                 "const float M_PI{2}, FLT_MAX{4};", "#define M_PI 3.0\n#define INT_MAX 12"])
def test_own_constants(own):
    """What NVRTC compiles without the headers: their names are a program's to take."""
    name = next(n for n in ("M_PI", "INFINITY", "INT_MAX", "NAN") if n in own)
    wanted = {"const double M_PI = 3;": 3, "const float M_PI{2}, FLT_MAX{4};": 2, "constexpr double NAN = -1;": -1,
              "static const int INT_MAX = 7;": 7, "#define M_PI 3.0\n#define INT_MAX 12": 3}
    assert values(own, [name, f"-{name} * 2"]).tolist() == pytest.approx(
        [wanted.get(own, 1e30), -2 * wanted.get(own, 1e30)], rel=1e-7)


def test_own_variable_in_function():
    text = """extern "C" __global__ void f(double *y) { double M_PI = 3; int INT_MAX = 4; y[0] = M_PI + INT_MAX; }"""
    y = cp.zeros(1)
    cp.RawKernel(text, "f")((1,), (1,), (y,))
    assert y.item() == 7


def test_expressions_are_no_declarations():
    """Names behind a name, a star or a bracket that declare nothing: the program includes <math.h>, so it compiles."""
    text = """#include <math.h>
    #include <limits.h>
    __device__ double g(int i, double x)
    {
        switch (i) { case INT_MAX: return INFINITY; default: break; }
        return i < 0 ? (x * M_PI) : sizeof NAN * M_PI;
    }
    extern "C" __global__ void f(double *y) { y[0] = g(-1, 2); y[1] = g(INT_MAX, 0); y[2] = g(1, 0); }"""
    y = cp.zeros(3)
    cp.RawKernel(text, "f")((1,), (1,), (y,))
    assert y.tolist() == [2 * math.pi, math.inf, 4 * math.pi]


C_HEADERS = """math.h cmath float.h cfloat limits.h climits stdint.h cstdint stddef.h cstddef stdio.h cstdio stdlib.h
cstdlib string.h cstring assert.h cassert""".split()


@pytest.mark.parametrize("order", [1, -1])
def test_c_headers_together(order):
    text = "".join(f"#include <{h}>\n" for h in C_HEADERS[::order]) + """
    struct pair { int a; double b; };
    extern "C" __global__ void f(double *y, const float *x, std::uint64_t *u, std::size_t n)
    {
        std::int_least16_t small = -3;
        std::intmax_t most = INTMAX_MAX;
        std::nullptr_t none = nullptr;
        assert(none == nullptr && most > 0);
        y[0] = std::sin(x[0]) + std::pow(x[0], 2) + std::fabs(x[1]);
        y[1] = offsetof(pair, b) + std::abs(small) + std::abs(-2.5) + std::isnan(x[0]);
        std::memcpy(y + 2, &y[0], sizeof(double));
        int e;
        y[3] = std::frexp(y[1], &e) + e + std::max(1.0, y[1]) + std::fmaxf(x[0], x[1]);
        y[4] = u[0] + n + UINT32_MAX;
    }"""
    x = np.array([0.5, -2], "f4")
    y = cp.zeros(5)
    cp.RawKernel(text, "f")((1,), (1,), (y, cp.asarray(x), cp.array([5], "u8"), 6))
    y0 = float(np.sin(x[0])) + 0.25 + 2
    assert y.get() == pytest.approx([y0, 8 + 3 + 2.5, y0, math.frexp(13.5)[0] + 4 + 13.5 + 0.5, 11 + 2 ** 32 - 1],
                                    rel=1e-6)
