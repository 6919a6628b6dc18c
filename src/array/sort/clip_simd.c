/* The passes of kappa-sigma clipping. Element i is added to lane i % 16, and the lanes are added as a tree, in
 * every variant: so the bits do not depend on the instruction set. */
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

typedef struct float16v { __m512 v; } float16v;
typedef struct double16v { __m512d a, b; } double16v;

static inline float16v load_float(const float *x, unsigned valid)
{
    return (float16v){_mm512_maskz_loadu_ps((__mmask16)valid, x)};
}
static inline double16v load_double(const double *x, unsigned valid)
{
    return (double16v){_mm512_maskz_loadu_pd((__mmask8)valid, x), _mm512_maskz_loadu_pd((__mmask8)(valid >> 8), x + 8)};
}
#define COMPARE(name, op)                                                                                     \
    static inline unsigned name##_float(unsigned in, float16v x, double limit)                                \
    {                                                                                                         \
        return _mm512_mask_cmp_ps_mask((__mmask16)in, x.v, _mm512_set1_ps((float)limit), op);                 \
    }                                                                                                         \
    static inline unsigned name##_double(unsigned in, double16v x, double limit)                              \
    {                                                                                                         \
        return _mm512_mask_cmp_pd_mask((__mmask8)in, x.a, _mm512_set1_pd(limit), op) |                        \
               (unsigned)_mm512_mask_cmp_pd_mask((__mmask8)(in >> 8), x.b, _mm512_set1_pd(limit), op) << 8;   \
    }
COMPARE(from, _CMP_GE_OQ)
COMPARE(upto, _CMP_LE_OQ)

static inline void sum_float(moments *m, unsigned in, float16v x, __m512d pivot)
{
    add(m, in, _mm512_cvtps_pd(_mm512_castps512_ps256(x.v)), _mm512_cvtps_pd(_mm512_extractf32x8_ps(x.v, 1)), pivot);
}
static inline void sum_double(moments *m, unsigned in, double16v x, __m512d pivot) { add(m, in, x.a, x.b, pivot); }

/* Appends; where `whole`, what lies behind the appended elements may be overwritten. */
static inline int64_t put_float(float *to, unsigned in, float16v x, int whole)
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
static inline int64_t put_double(double *to, unsigned in, double16v x, int whole)
{
    int64_t n = put_double8(to, in & 0xFF, x.a, whole);
    return n + put_double8(to + n, in >> 8, x.b, whole);
}

#define KERNELS(T)                                                                                               \
    static cpi_clip_part split_##T(const void *from, int64_t n, const cpi_clip_plan *p, void *fringe, void *window) \
    {                                                                                                            \
        const T *x = from;                                                                                       \
        cpi_clip_part part = {0};                                                                                \
        moments m = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};        \
        const cpi_clip_plan plan = *p;                                                                           \
        const __m512d pivot = _mm512_set1_pd(plan.pivot);                                                        \
        for (int64_t i = 0; i < n; i += LANES) {                                                                 \
            unsigned valid = valid_of(n - i);                                                                    \
            T##16v v = load_##T(x + i, valid);                                                                   \
            unsigned core = upto_##T(from_##T(valid, v, plan.core_low), v, plan.core_high);                      \
            unsigned out = upto_##T(from_##T(valid & ~core, v, plan.low), v, plan.high);                         \
            unsigned above = from_##T(core, v, plan.window_low), in = upto_##T(above, v, plan.window_high);      \
            sum_##T(&m, core, v, pivot);                                                                         \
            part.count += __builtin_popcount(core);                                                              \
            part.below += __builtin_popcount(core & ~above);                                                     \
            part.fringe += put_##T((T *)fringe + part.fringe, out, v, valid == 0xFFFF);                          \
            part.inside += put_##T((T *)window + part.inside, in, v, valid == 0xFFFF);                           \
        }                                                                                                        \
        finish(&m, &part);                                                                                       \
        return part;                                                                                             \
    }                                                                                                            \
    static cpi_clip_part count_##T(const void *from, int64_t n, const cpi_clip_plan *p)                          \
    {                                                                                                            \
        const T *x = from;                                                                                       \
        cpi_clip_part part = {0};                                                                                \
        moments m = {_mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd(), _mm512_setzero_pd()};        \
        const cpi_clip_plan plan = *p;                                                                           \
        const __m512d pivot = _mm512_set1_pd(plan.pivot);                                                        \
        for (int64_t i = 0; i < n; i += LANES) {                                                                 \
            unsigned valid = valid_of(n - i);                                                                    \
            T##16v v = load_##T(x + i, valid);                                                                   \
            unsigned in = upto_##T(from_##T(valid, v, plan.low), v, plan.high);                                  \
            sum_##T(&m, in, v, pivot);                                                                           \
            part.count += __builtin_popcount(in);                                                                \
            part.below += __builtin_popcount(in & ~from_##T(in, v, plan.window_low));                            \
        }                                                                                                        \
        finish(&m, &part);                                                                                       \
        return part;                                                                                             \
    }                                                                                                            \
    static int64_t keep_##T(const void *from, int64_t n, double low, double high, void *to)                      \
    {                                                                                                            \
        const T *x = from;                                                                                       \
        int64_t kept = 0;                                                                                        \
        for (int64_t i = 0; i < n; i += LANES) {                                                                 \
            unsigned valid = valid_of(n - i);                                                                    \
            T##16v v = load_##T(x + i, valid);                                                                   \
            unsigned in = upto_##T(from_##T(valid, v, low), v, high);                                            \
            kept += to ? put_##T((T *)to + kept, in, v, in == 0xFFFF) : __builtin_popcount(in);                  \
        }                                                                                                        \
        return kept;                                                                                             \
    }                                                                                                            \
    const cpi_clip_kernels CPI_ISA_NAME(cpi_clip_##T) = {split_##T, count_##T, keep_##T};
KERNELS(float)
KERNELS(double)

#else

typedef struct lane_sums { double s1[LANES], s2[LANES]; } lane_sums;

/* Blocks of 16 so that the sums vectorise; what is appended is written always and stays where the place moves. */
#define KERNELS(T)                                                                                               \
    /* adds those of m <= LANES elements that lie in low..high */                                                \
    static inline __attribute__((always_inline)) void sum_##T(const T *x, int m, T low, T high, T window_low,    \
                                                              double pivot, lane_sums *s, cpi_clip_part *part)   \
    {                                                                                                            \
        int64_t count = 0, below = 0;                                                                            \
        for (int j = 0; j < m; j++) {                                                                            \
            T v = x[j];                                                                                          \
            int in = (v >= low) & (v <= high);                                                                   \
            double d = in ? (double)v - pivot : 0;                                                               \
            s->s1[j] += d;                                                                                       \
            s->s2[j] += d * d;                                                                                   \
            count += in;                                                                                         \
            below += in & (v < window_low);                                                                      \
        }                                                                                                        \
        part->count += count;                                                                                    \
        part->below += below;                                                                                    \
    }                                                                                                            \
    static cpi_clip_part split_##T(const void *from, int64_t n, const cpi_clip_plan *p, void *out, void *inside) \
    {                                                                                                            \
        const T *x = from;                                                                                       \
        T *fringe = out, *window = inside;                                                                       \
        const T low = (T)p->low, high = (T)p->high, core_low = (T)p->core_low, core_high = (T)p->core_high;      \
        const T window_low = (T)p->window_low, window_high = (T)p->window_high;                                  \
        const double pivot = p->pivot;                                                                           \
        lane_sums sums = {{0}, {0}};                                                                             \
        cpi_clip_part part = {0};                                                                                \
        for (int64_t i = 0; i < n; i += LANES) {                                                                 \
            int m = n - i < LANES ? (int)(n - i) : LANES;                                                        \
            sum_##T(x + i, m, core_low, core_high, window_low, pivot, &sums, &part);                             \
            for (int j = 0; j < m; j++) {                                                                        \
                T v = x[i + j];                                                                                  \
                fringe[part.fringe] = v;                                                                         \
                part.fringe += (v >= low) & (v <= high) & !((v >= core_low) & (v <= core_high));                 \
                window[part.inside] = v;                                                                         \
                part.inside += (v >= window_low) & (v <= window_high);                                           \
            }                                                                                                    \
        }                                                                                                        \
        part.s1 = lanes_sum(sums.s1);                                                                            \
        part.s2 = lanes_sum(sums.s2);                                                                            \
        return part;                                                                                             \
    }                                                                                                            \
    static cpi_clip_part count_##T(const void *from, int64_t n, const cpi_clip_plan *p)                          \
    {                                                                                                            \
        const T *x = from;                                                                                       \
        const T low = (T)p->low, high = (T)p->high, window_low = (T)p->window_low;                               \
        const double pivot = p->pivot;                                                                           \
        lane_sums sums = {{0}, {0}};                                                                             \
        cpi_clip_part part = {0};                                                                                \
        for (int64_t i = 0; i < n; i += LANES) {                                                                 \
            int m = n - i < LANES ? (int)(n - i) : LANES;                                                        \
            sum_##T(x + i, m, low, high, window_low, pivot, &sums, &part);                                       \
        }                                                                                                        \
        part.s1 = lanes_sum(sums.s1);                                                                            \
        part.s2 = lanes_sum(sums.s2);                                                                            \
        return part;                                                                                             \
    }                                                                                                            \
    static int64_t keep_##T(const void *from, int64_t n, double low_, double high_, void *out)                   \
    {                                                                                                            \
        const T *x = from, low = (T)low_, high = (T)high_;                                                       \
        T *to = out;                                                                                             \
        int64_t kept = 0;                                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                        \
            T v = x[i];                                                                                          \
            if ((v >= low) & (v <= high)) {                                                                      \
                if (to) to[kept] = v;                                                                            \
                kept++;                                                                                          \
            }                                                                                                    \
        }                                                                                                        \
        return kept;                                                                                             \
    }                                                                                                            \
    const cpi_clip_kernels CPI_ISA_NAME(cpi_clip_##T) = {split_##T, count_##T, keep_##T};
KERNELS(float)
KERNELS(double)

#endif
