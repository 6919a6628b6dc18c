/* Functions of float and double for which vector libraries cost more than the rows' error bounds (elementwise.def)
 * require: series.inc for each type. The polynomials are minimax, with relative errors below 2^-57 and 2^-26 of the
 * results. */
#include <math.h>

#include "elementwise/loops.h"
#include "elementwise/series.h"
#include "scalar/scalar.h"

#if defined(__FMA__)
enum { SEGMENT = 256 };
#define INLINE static inline __attribute__((always_inline))

#define T double
#define U uint64_t
#undef X
#define X f64
#define MANTISSA 52
#define BIAS 1023
#define FMA fma
#define SQRT sqrt
#define ABS fabs
#define SIGN copysign
#define BITS cps_bits_f64
#define FROM_BITS cps_from_bits_f64
INLINE double horner_log_f64(double z)
{
    double p = fma(z, 0x1.2f0610e92971ap-3, 0x1.39a1aa65b489ap-3);
    p = fma(z, fma(z, p, 0x1.74663f80f9fdap-3), 0x1.c71c5206a6991p-3);
    return fma(z, fma(z, fma(z, p, 0x1.24924941f4399p-2), 0x1.999999997fd85p-2), 0x1.5555555555592p-1);
}
INLINE double horner_exp_f64(double r)
{
    double p = fma(r, fma(r, 0x1.1f941b4227066p-29, 0x1.af5d00a699678p-26), 0x1.27e4c6916899ap-22);
    p = fma(r, fma(r, fma(r, p, 0x1.71ddf9657ff80p-19), 0x1.a01a01b034391p-16), 0x1.a01a01af6f669p-13);
    p = fma(r, fma(r, fma(r, p, 0x1.6c16c16c14650p-10), 0x1.111111110f7f7p-7), 0x1.555555555555ap-5);
    return fma(r, fma(r, p, 0x1.5555555555559p-3), 0.5);
}
INLINE double horner_atan_f64(double z)
{
    double p = fma(z, fma(z, -0x1.0ab2b6d84373cp-6, 0x1.2b339c5d06487p-5), -0x1.97ad7178d167cp-5);
    p = fma(z, fma(z, fma(z, p, 0x1.dde10caaecd4dp-5), -0x1.10d6473f17f79p-4), 0x1.3b0f278f72eeap-4);
    p = fma(z, fma(z, fma(z, p, -0x1.745cdc1e02f57p-4), 0x1.c71c6fe00cfa4p-4), -0x1.2492492001fe9p-3);
    return fma(z, fma(z, p, 0x1.999999998ea9ap-3), -0x1.555555555550cp-2);
}
INLINE double horner_sin_f64(double z)
{
    double p = fma(z, fma(z, 0x1.5d785c07940b2p-33, -0x1.ae5e0afc55064p-26), 0x1.71de3504206ccp-19);
    return fma(z, fma(z, fma(z, p, -0x1.a01a019b8d881p-13), 0x1.111111110f465p-7), -0x1.5555555555546p-3);
}
INLINE double horner_cos_f64(double z)
{
    double p = fma(z, fma(z, -0x1.8f954b490202bp-37, 0x1.1ee9bc2040089p-29), -0x1.27e4f7c5773b1p-22);
    return fma(z, fma(z, fma(z, p, 0x1.a01a019c55cacp-16), -0x1.6c16c16c14df1p-10), 0x1.555555555554ap-5);
}
#define HORNER_LOG horner_log_f64
#define HORNER_EXP horner_exp_f64
#define HORNER_ATAN horner_atan_f64
#define HORNER_SIN horner_sin_f64
#define HORNER_COS horner_cos_f64
#define LOOPS CPI_LOOPS_F64
#include "elementwise/series.inc"
#include "elementwise/trigonometry.inc"

#undef T
#undef U
#undef X
#undef MANTISSA
#undef BIAS
#undef FMA
#undef SQRT
#undef ABS
#undef SIGN
#undef BITS
#undef FROM_BITS
#undef HORNER_LOG
#undef HORNER_EXP
#undef HORNER_ATAN
#undef HORNER_SIN
#undef HORNER_COS
#undef LOOPS

#define T float
#define U uint32_t
#define X f32
#define MANTISSA 23
#define BIAS 127
#define FMA fmaf
#define SQRT sqrtf
#define ABS fabsf
#define SIGN copysignf
#define BITS cps_bits_f32
#define FROM_BITS cps_from_bits_f32
INLINE float horner_log_f32(float z)
{
    return fmaf(z, fmaf(z, 0x1.31e33cp-2f, 0x1.995eb8p-2f), 0x1.55557ap-1f);
}
INLINE float horner_exp_f32(float r)
{
    float p = fmaf(r, fmaf(r, 0x1.a19e56p-13f, 0x1.6d6faap-10f), 0x1.111092p-7f);
    return fmaf(r, fmaf(r, fmaf(r, p, 0x1.5554b4p-5f), 0x1.555556p-3f), 0.5f);
}
INLINE float horner_atan_f32(float z)
{
    return fmaf(z, fmaf(z, fmaf(z, fmaf(z, -0x1.dd1ccep-5f, 0x1.adcd3ap-4f), -0x1.236e0ep-3f), 0x1.998de0p-3f),
                -0x1.555542p-2f);
}
INLINE float horner_sin_f32(float z)
{
    return fmaf(z, fmaf(z, -0x1.99171ap-13f, 0x1.1106b8p-7f), -0x1.555544p-3f);
}
INLINE float horner_cos_f32(float z)
{
    return fmaf(z, fmaf(z, 0x1.99daacp-16f, -0x1.6c0c04p-10f), 0x1.55554ap-5f);
}
#define HORNER_LOG horner_log_f32
#define HORNER_EXP horner_exp_f32
#define HORNER_ATAN horner_atan_f32
#define HORNER_SIN horner_sin_f32
#define HORNER_COS horner_cos_f32
#define LOOPS CPI_LOOPS_F32
#include "elementwise/series.inc"
#include "elementwise/trigonometry.inc"
#else
typedef int cpi_series_no_fma; /* the scalar bodies serve */
#endif
