/* CUDA's complex numbers for C, on the CPU: pairs of numbers and functions, with the steps of CUDA's own header. */
#if !defined(CU_COMPLEX_H_)
#define CU_COMPLEX_H_
#include "cuprite_device.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

/* Quotients are scaled, and moduli taken of the larger part, so that neither overflows on the way. */
#define __CU_COMPLEX_SCALED(C, T, f, most)                                                                    \
    static inline C cuCdiv##f(C x, C y)                                                                       \
    {                                                                                                         \
        const T oos = T(1) / (fabs##f(y.x) + fabs##f(y.y));                                                   \
        const T a = x.x * oos, b = x.y * oos, c = y.x * oos, d = y.y * oos, s = T(1) / (c * c + d * d);       \
        return make_##C##_pair((a * c + b * d) * s, (b * c - a * d) * s);                                     \
    }                                                                                                         \
    static inline T cuCabs##f(C x)                                                                            \
    {                                                                                                         \
        const T a = fabs##f(x.x), b = fabs##f(x.y), v = a > b ? a : b, w = a > b ? b : a, t = w / v;          \
        return v == 0 || v > most || w > most ? v + w : v * sqrt##f(T(1) + t * t);                            \
    }                                                                                                         \
    static inline C cuCfma##f(C x, C y, C d)                                                                  \
    {                                                                                                         \
        const T real = x.x * y.x + d.x, imag = x.x * y.y + d.y;                                               \
        return make_##C##_pair(-(x.y * y.y) + real, x.y * y.x + imag);                                        \
    }
#define __CU_COMPLEX(C, T, f, make)                                                                           \
    static inline T cuCreal##f(C x) { return x.x; }                                                           \
    static inline T cuCimag##f(C x) { return x.y; }                                                           \
    static inline C make_cu##make##Complex(T r, T i) { return make_##C##_pair(r, i); }                        \
    static inline C cuConj##f(C x) { return make_##C##_pair(x.x, -x.y); }                                     \
    static inline C cuCadd##f(C x, C y) { return make_##C##_pair(x.x + y.x, x.y + y.y); }                     \
    static inline C cuCsub##f(C x, C y) { return make_##C##_pair(x.x - y.x, x.y - y.y); }                     \
    static inline C cuCmul##f(C x, C y)                                                                       \
    {                                                                                                         \
        return make_##C##_pair(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);                                 \
    }
#define make_cuFloatComplex_pair make_float2
#define make_cuDoubleComplex_pair make_double2
__CU_COMPLEX(cuFloatComplex, float, f, Float)
__CU_COMPLEX(cuDoubleComplex, double, , Double)
__CU_COMPLEX_SCALED(cuFloatComplex, float, f, 3.402823466e38f)
__CU_COMPLEX_SCALED(cuDoubleComplex, double, , 1.79769313486231570e+308)
#undef __CU_COMPLEX
#undef __CU_COMPLEX_SCALED
#undef make_cuFloatComplex_pair
#undef make_cuDoubleComplex_pair

static inline cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex(c.x, c.y); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c)
{
    return make_cuFloatComplex((float)c.x, (float)c.y);
}
#endif
