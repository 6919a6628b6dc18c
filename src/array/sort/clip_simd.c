/* The passes of kappa-sigma clipping. Element i is added to lane i % 16, and the lanes are added as a tree, in every
 * variant: so the bits do not depend on the instruction set. */
#include "cpu/features.h"
#include "sort/clip_kernels.h"

enum { LANES = 16 };

static double lanes_sum(double *s)
{
    for (int w = LANES / 2; w; w /= 2)
        for (int j = 0; j < w; j++) s[j] += s[j + w];
    return s[0];
}

#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
#include <immintrin.h>

/* Sixteen elements as one vector of floats or two of doubles; masks have a bit an element. */
typedef struct moments { __m512d s1a, s1b, s2a, s2b; } moments;

static inline void add(moments *m, unsigned in, __m512d a, __m512d b, __m512d pivot)
{
    a = _mm512_maskz_sub_pd((__mmask8)in, a, pivot);
    b = _mm512_maskz_sub_pd((__mmask8)(in >> 8), b, pivot);
    m->s1a = _mm512_add_pd(m->s1a, a);
    m->s1b = _mm512_add_pd(m->s1b, b);
    m->s2a = _mm512_add_pd(m->s2a, _mm512_mul_pd(a, a));
    m->s2b = _mm512_add_pd(m->s2b, _mm512_mul_pd(b, b));
}

static void finish(const moments *m, cpi_clip_part *part)
{
    double s[LANES];
    _mm512_storeu_pd(s, m->s1a);
    _mm512_storeu_pd(s + 8, m->s1b);
    part->s1 = lanes_sum(s);
    _mm512_storeu_pd(s, m->s2a);
    _mm512_storeu_pd(s + 8, m->s2b);
    part->s2 = lanes_sum(s);
}

static inline unsigned valid_of(int64_t left) { return left >= LANES ? 0xFFFFu : (1u << left) - 1; }

typedef struct sixteen_float { __m512 v; } sixteen_float;
typedef struct sixteen_double { __m512d a, b; } sixteen_double;

static inline sixteen_float load_float(const float *x, unsigned valid)
{
    return (sixteen_float){_mm512_maskz_loadu_ps((__mmask16)valid, x)};
}
static inline sixteen_double load_double(const double *x, unsigned valid)
{
    return (sixteen_double){_mm512_maskz_loadu_pd((__mmask8)valid, x),
                            _mm512_maskz_loadu_pd((__mmask8)(valid >> 8), x + 8)};
}
#define COMPARE(name, op)                                                                                     \
    static inline unsigned name##_float(unsigned in, sixteen_float x, double limit)                           \
    {                                                                                                         \
        return _mm512_mask_cmp_ps_mask((__mmask16)in, x.v, _mm512_set1_ps((float)limit), op);                 \
    }                                                                                                         \
    static inline unsigned name##_double(unsigned in, sixteen_double x, double limit)                         \
    {                                                                                                         \
        return _mm512_mask_cmp_pd_mask((__mmask8)in, x.a, _mm512_set1_pd(limit), op) |                        \
               (unsigned)_mm512_mask_cmp_pd_mask((__mmask8)(in >> 8), x.b, _mm512_set1_pd(limit), op) << 8;   \
    }
COMPARE(from, _CMP_GE_OQ)
COMPARE(upto, _CMP_LE_OQ)

static inline void sum_float(moments *m, unsigned in, sixteen_float x, __m512d pivot)
{
    add(m, in, _mm512_cvtps_pd(_mm512_castps512_ps256(x.v)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(x.v, 1)), pivot);
}
static inline void sum_double(moments *m, unsigned in, sixteen_double x, __m512d pivot) { add(m, in, x.a, x.b, pivot); }

/* Appends; where `whole`, what lies behind the appended elements may be overwritten. */
static inline int64_t put_float(float *to, unsigned in, sixteen_float x, int whole)
{
    int n = __builtin_popcount(in);
    __m512 packed = _mm512_maskz_compress_ps((__mmask16)in, x.v);
    if (whole) _mm512_storeu_ps(to, packed);
    else _mm512_mask_storeu_ps(to, (__mmask16)((1u << n) - 1), packed);
    return n;
}
static inline int64_t put_double8(double *to, unsigned in, __m512d x, int whole)
{
    int n = __builtin_popcount(in);
    __m512d packed = _mm512_maskz_compress_pd((__mmask8)in, x);
    if (whole) _mm512_storeu_pd(to, packed);
    else _mm512_mask_storeu_pd(to, (__mmask8)((1u << n) - 1), packed);
    return n;
}
static inline int64_t put_double(double *to, unsigned in, sixteen_double x, int whole)
{
    int64_t n = put_double8(to, in & 0xFF, x.a, whole);
    return n + put_double8(to + n, in >> 8, x.b, whole);
}

#define T float
#include "sort/clip_masks.inc"
#define T double
#include "sort/clip_masks.inc"

#else

typedef struct lane_sums { double s1[LANES], s2[LANES]; } lane_sums;

#define T float
#include "sort/clip_blocks.inc"
#define T double
#include "sort/clip_blocks.inc"

#endif
