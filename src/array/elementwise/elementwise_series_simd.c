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

#define LOOPS CPI_LOOPS_F64
#include "elementwise/series_f64.inc"
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
