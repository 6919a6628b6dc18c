/* Mathematical functions of float and double through SLEEF's vector functions, where they are correct for every
 * argument. The table's scalar bodies serve the others. The last, partial vector goes through the same vector
 * function, so a value's result does not depend on its index. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "elementwise/loops.h"
#include "elementwise/series.h"
#include "elementwise/special.h"

#if defined(CPI_HAVE_SLEEF) && defined(__AVX2__)
#include <immintrin.h>
#include <sleef.h>
#define HAVE 1
#if defined(__AVX512F__)
typedef __m512 vf;
typedef __m512d vd;
#define SF(name, ulp) Sleef_##name##f16_##ulp##avx512f
#define SD(name, ulp) Sleef_##name##d8_##ulp##avx512f
#define LOADF(p) _mm512_loadu_ps(p)
#define LOADD(p) _mm512_loadu_pd(p)
#define STOREF(p, v) _mm512_storeu_ps(p, v)
#define STORED(p, v) _mm512_storeu_pd(p, v)
#define SETF(x) _mm512_set1_ps(x)
#define SETD(x) _mm512_set1_pd(x)
#define ABOVED(v, limit) _mm512_cmp_pd_mask(v, _mm512_set1_pd(limit), _CMP_GT_OQ)
#define BEYONDD(v, limit) _mm512_cmp_pd_mask(_mm512_abs_pd(v), _mm512_set1_pd(limit), _CMP_GT_OQ)
#define ABSD(v) _mm512_abs_pd(v)
#else
typedef __m256 vf;
typedef __m256d vd;
#define SF(name, ulp) Sleef_##name##f8_##ulp##avx2
#define SD(name, ulp) Sleef_##name##d4_##ulp##avx2
#define LOADF(p) _mm256_loadu_ps(p)
#define LOADD(p) _mm256_loadu_pd(p)
#define STOREF(p, v) _mm256_storeu_ps(p, v)
#define STORED(p, v) _mm256_storeu_pd(p, v)
#define SETF(x) _mm256_set1_ps(x)
#define SETD(x) _mm256_set1_pd(x)
#define ABOVED(v, limit) _mm256_movemask_pd(_mm256_cmp_pd(v, _mm256_set1_pd(limit), _CMP_GT_OQ))
#define BEYONDD(v, limit) (unsigned)_mm256_movemask_pd( \
    _mm256_cmp_pd(_mm256_andnot_pd(_mm256_set1_pd(-0.0), v), _mm256_set1_pd(limit), _CMP_GT_OQ))
#define ABSD(v) _mm256_andnot_pd(SETD(-0.0), v)
#endif

#define INLINE static inline __attribute__((always_inline))
#define T float
#define V vf
#define X f32
#define LOAD LOADF
#define STORE STOREF
#define SET SETF
#include "elementwise/vector_function.inc"

#define T double
#define V vd
#define X f64
#define LOAD LOADD
#define STORE STORED
#define SET SETD
#include "elementwise/vector_function.inc"

#define UNARY(name, fn, suffix)                                                                                   \
    static void name##_##suffix(void *const *op, int64_t n, unsigned s)                                           \
    {                                                                                                             \
        (void)s;                                                                                                  \
        unary_##suffix(op[0], op[1], n, fn);                                                                      \
    }
#define BINARY(name, fn, suffix)                                                                                  \
    static void name##_##suffix(void *const *op, int64_t n, unsigned s)                                           \
    {                                                                                                             \
        binary_##suffix(op[0], op[1], op[2], n, s, fn);                                                           \
    }
#define BOTH(name, sleef, ulp)              \
    UNARY(name, SF(sleef, ulp), f32)        \
    UNARY(name, SD(sleef, ulp), f64)
#define BOTH2(name, sleef, ulp)             \
    BINARY(name, SF(sleef, ulp), f32)       \
    BINARY(name, SD(sleef, ulp), f64)

/* SLEEF's pow of doubles overflows early, from 1.797690e308 on. Values that may have overflowed wrongly are computed
 * one by one, but not those that certainly overflow: random data would otherwise cost an unpredictable branch. */
enum { LANES = sizeof(vd) / sizeof(double) };
static vd power_lanes(vd a, vd b, vd result, unsigned far)
{
    double x[LANES], y[LANES], r[LANES];
    STORED(x, a);
    STORED(y, b);
    STORED(r, result);
    far &= ~(unsigned)ABOVED(b * SD(log2, u35)(ABSD(a)), 1024.001);
    for (; far; far &= far - 1) {
        int k = __builtin_ctz(far);
        if (isfinite(x[k]) && isfinite(y[k])) r[k] = pow(x[k], y[k]);
    }
    return LOADD(r);
}
static inline vd power_d(vd a, vd b)
{
    vd r = SD(pow, u10)(a, b);
    unsigned far = BEYONDD(r, DBL_MAX);
    return __builtin_expect(far != 0, 0) ? power_lanes(a, b, r, far) : r;
}

#define UNARIES(X) X(exp2, exp2, u10) X(arcsin, asin, u35) X(arccos, acos, u35)
#define BINARIES(X) X(arctan2, atan2, u35) X(hypot, hypot, u05)
/* float32 has its own */
#define DOUBLES(X) X(power, pow)
/* The angle of complex numbers: interleaved parts are separated first. */
#define ANGLE(T, C, V, LOAD, STORE, fn, suffix)                                                                   \
    static void angle_##suffix(void *const *op, int64_t n, unsigned s)                                            \
    {                                                                                                             \
        enum { W = sizeof(V) / sizeof(T) };                                                                       \
        T *out = op[0], re[W] = {0}, im[W] = {0}, r[W];                                                           \
        const C *a = op[1];                                                                                       \
        const int64_t step = s & 1 ? 0 : 1;                                                                       \
        int64_t i = 0;                                                                                            \
        for (; step && i + W <= n; i += W) {                                                                      \
            for (int k = 0; k < W; k++) re[k] = a[i + k].re, im[k] = a[i + k].im;                                 \
            STORE(out + i, fn(LOAD(im), LOAD(re)));                                                               \
        }                                                                                                         \
        for (; i < n; i += W) {                                                                                   \
            const int64_t m = n - i < W ? n - i : W;                                                              \
            for (int64_t k = 0; k < m; k++) re[k] = a[(i + k) * step].re, im[k] = a[(i + k) * step].im;           \
            STORE(r, fn(LOAD(im), LOAD(re)));                                                                     \
            memcpy(out + i, r, (size_t)m * sizeof(T));                                                            \
        }                                                                                                         \
    }
ANGLE(float, cp_complex64, vf, LOADF, STOREF, SF(atan2, u35), c64)
ANGLE(double, cp_complex128, vd, LOADD, STORED, SD(atan2, u35), c128)
BINARY(power, power_d, f64)
UNARIES(BOTH)
BINARIES(BOTH2)
/* of trigonometry.inc */
#define FAR(name)                                                                                                  \
    void CPI_ISA_NAME(cpi_far_##name##_f32)(float *out, const float *a, int64_t n)                                 \
    {                                                                                                              \
        unary_f32(out, a, n, SF(name, u10));                                                                       \
    }                                                                                                              \
    void CPI_ISA_NAME(cpi_far_##name##_f64)(double *out, const double *a, int64_t n)                               \
    {                                                                                                              \
        unary_f64(out, a, n, SD(name, u10));                                                                       \
    }
#define ENTRY_F32(name, ...) [CP_OP_##name] = name##_f32,
#define ENTRY_F64(name, ...) [CP_OP_##name] = name##_f64,
#define ANGLE_ENTRY(suffix) [CP_OP_angle] = angle_##suffix,
#define FLOAT_POWER [CP_OP_float_power] = power_f64,
#else
#define UNARIES(X)
#define BINARIES(X)
#define DOUBLES(X)
#define ANGLE_ENTRY(suffix)
#define FLOAT_POWER
#define FAR(name)                                                                                                  \
    void CPI_ISA_NAME(cpi_far_##name##_f32)(float *out, const float *a, int64_t n)                                 \
    {                                                                                                              \
        for (int64_t i = 0; i < n; i++) out[i] = name##f(a[i]);                                                    \
    }                                                                                                              \
    void CPI_ISA_NAME(cpi_far_##name##_f64)(double *out, const double *a, int64_t n)                               \
    {                                                                                                              \
        for (int64_t i = 0; i < n; i++) out[i] = name(a[i]);                                                       \
    }
#endif
#if defined(__FMA__)
FAR(sin)
FAR(cos)
FAR(tan)
#endif

#if defined(__FMA__) /* elementwise_fmod_simd.c */
#define REMAINDERS(X) X(fmod) X(remainder) X(floor_divide) X(divmod)
#define DECLARE(name) \
    extern void CPI_ISA_NAME(cpi_##name##_f32)(void *const *, int64_t, unsigned); \
    extern void CPI_ISA_NAME(cpi_##name##_f64)(void *const *, int64_t, unsigned);
REMAINDERS(DECLARE)
#define REMAINDER_F32(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_##name##_f32),
/* elementwise_float32_simd.c */
#define CHEAP(X) X(cbrt) X(tanh) X(power) X(exp) X(spacing) X(nextafter) X(i0) X(logaddexp) X(logaddexp2)
#define DECLARE_CHEAP(name) \
    extern void CPI_ISA_NAME(cpi_cheap_##name##_f32)(void *const *, int64_t, unsigned);
CHEAP(DECLARE_CHEAP)
#define CHEAP_F32(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_cheap_##name##_f32),
#define REMAINDER_F64(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_##name##_f64),
#else
#define REMAINDERS(X)
#define CHEAP(X)
#endif

#define SPECIAL_F32(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_special_##name##_f32),
#define SPECIAL_F64(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_special_##name##_f64),
#define SERIES_F32(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_series_##name##_f32),
#define SERIES_F64(name) [CP_OP_##name] = CPI_ISA_NAME(cpi_series_##name##_f64),
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_f32)[CPI_NKERNELS] = {
    UNARIES(ENTRY_F32) BINARIES(ENTRY_F32) REMAINDERS(REMAINDER_F32) CHEAP(CHEAP_F32)
    CPI_SERIES_F32(SERIES_F32) CPI_SPECIAL(SPECIAL_F32)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_f64)[CPI_NKERNELS] = {
    UNARIES(ENTRY_F64) BINARIES(ENTRY_F64) DOUBLES(ENTRY_F64) FLOAT_POWER REMAINDERS(REMAINDER_F64)
#if defined(__FMA__) && defined(__AVX2__)
    SPECIAL_F64(i0)
#endif
    CPI_SERIES_F64(SERIES_F64) CPI_SPECIAL(SPECIAL_F64)};
/* elementwise_magnitude_simd.c */
extern void CPI_ISA_NAME(cpi_absolute_c64)(void *const *, int64_t, unsigned);
extern void CPI_ISA_NAME(cpi_absolute_c128)(void *const *, int64_t, unsigned);
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_c64)[CPI_NKERNELS] = {
    [CP_OP_absolute] = CPI_ISA_NAME(cpi_absolute_c64), ANGLE_ENTRY(c64)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_c128)[CPI_NKERNELS] = {
    [CP_OP_absolute] = CPI_ISA_NAME(cpi_absolute_c128), ANGLE_ENTRY(c128)};
