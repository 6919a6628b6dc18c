/* The CPU's loops over lines and windows, compiled once for each instruction set.
 *
 * Sums are SciPy's, operation by operation: products are rounded before they are added, whatever the processor has. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/vectors.h"
#include "filters/cpu.h"
#include "scalar/convert.h"
#include "scalar/conversions.h"

typedef double vec __attribute__((vector_size(VECTOR_BYTES)));
typedef double loose __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));
enum { LANES = VECTOR_BYTES / 8, V = 4, SHORT = 12 };

/* --- elements as numbers --- */

#define LOAD(A, s)                                                                                \
    case CPS_ENUM_##s:                                                                            \
        for (int64_t i = 0; i < n; i++) to[i] = cps_##s##_to_f64(((const CPS_CTYPE_##s *)from)[i]); \
        break;
static void load(cp_type type, double *to, const void *from, int64_t n)
{
    switch ((int)type) {
        CPS_REALS(LOAD, )
    }
}

#define STORE(A, s)                                                                               \
    case CPS_ENUM_##s:                                                                            \
        for (int64_t i = 0; i < n; i++) ((CPS_CTYPE_##s *)to)[i] = cps_f64_to_##s(from[i]);       \
        break;
static void store(cp_type type, void *to, const double *from, int64_t n)
{
    if (type == CP_BOOL) { /* as an integer, whose fraction is cut off */
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = fabs(from[i]) >= 1;
        return;
    }
    switch ((int)type) {
        CPS_REALS(STORE, )
    }
}

/* --- elements as keys: integers in the order of the numbers, NaN above (or below) all --- */

/* Of the bits u of a floating number of an integer type S, the largest S being MOST: negative numbers' magnitudes are
 * turned round. */
#define KEYED(S, u, inf, most) (((u) & (most)) > (inf) ? nan_key : (S)((S)(u) < 0 ? (u) ^ (most) : (u)))
#define ENCODE(name, S, U, most)                                                                  \
    static void encode_##name(S *to, const U *from, int64_t n, U inf, bool nan_low)               \
    {                                                                                             \
        const S nan_key = nan_low ? (S)~(most) : (S)(most);                                       \
        for (int64_t i = 0; i < n; i++) to[i] = KEYED(S, from[i], inf, (U)(most));                \
    }                                                                                             \
    static void decode_##name(U *to, const S *from, int64_t n, U quiet)                           \
    {                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                         \
            const U u = (U)from[i];                                                               \
            to[i] = u == (U)(most) || u == (U)~(most) ? quiet : (S)u < 0 ? (U)(u ^ (U)(most)) : u; \
        }                                                                                         \
    }
ENCODE(16, int16_t, uint16_t, 0x7fffu)
ENCODE(32, int32_t, uint32_t, 0x7fffffffu)
ENCODE(64, int64_t, uint64_t, 0x7fffffffffffffffu)

/* The bits of a number of a small floating type. */
#define BITS(A, s) case CPS_ENUM_##s: return cps_f32_to_##s(x);
static uint16_t half_bits(cp_type type, float x)
{
    switch ((int)type) {
        CPS_HALVES(BITS, )
    default: return 0;
    }
}

static void encode(const cpi_filter_keys *k, void *to, const void *from, int64_t n)
{
    if (!k->keyed) memcpy(to, from, (size_t)(n * cpi_filter_work_bytes(k->work)));
    else if (k->work == CPI_WORK_i16) encode_16(to, from, n, half_bits(k->type, INFINITY), k->nan_low);
    else if (k->work == CPI_WORK_i32) encode_32(to, from, n, 0x7f800000u, k->nan_low);
    else encode_64(to, from, n, 0x7ff0000000000000u, k->nan_low);
}
static void decode(const cpi_filter_keys *k, void *to, const void *from, int64_t n)
{
    if (!k->keyed) memcpy(to, from, (size_t)(n * cpi_filter_work_bytes(k->work)));
    else if (k->work == CPI_WORK_i16) decode_16(to, from, n, half_bits(k->type, NAN));
    else if (k->work == CPI_WORK_i32) decode_32(to, from, n, 0x7fc00000u);
    else decode_64(to, from, n, 0x7ff8000000000000u);
}

/* --- sums along a line --- */

/* SciPy's rule for weights that are symmetric (1), antisymmetric (-1) or neither. */
static int symmetry(const double *w, int64_t size)
{
    if (!(size & 1)) return 0;
    const double *middle = w + size / 2;
    bool even = true, odd = true;
    for (int64_t k = 1; k <= size / 2; k++) {
        even = even && !(fabs(middle[k] - middle[-k]) > DBL_EPSILON);
        odd = odd && !(fabs(middle[k] + middle[-k]) > DBL_EPSILON);
    }
    return even ? 1 : odd ? -1 : 0;
}

static void correlate(double *to, const double *in, int64_t n, int64_t step, const double *w, int64_t size)
{
    const int way = symmetry(w, size);
    const int64_t half = size / 2;
    for (int64_t i = 0; i < n; i += V * LANES) {
        const double *a = in + i, *middle = a + half * step;
        vec sum[V];
        /* SciPy begins with the middle, or, without symmetry, with the last one */
        const double *first = way ? middle : a + (size - 1) * step;
        UNROLL for (int v = 0; v < V; v++)
            sum[v] = *(const loose *)(first + v * LANES) * CPI_SPLAT(vec, way ? w[half] : w[size - 1]);
        if (way > 0) {
            for (int64_t k = half; k > 0; k--) UNROLL for (int v = 0; v < V; v++)
                sum[v] += (*(const loose *)(middle - k * step + v * LANES) +
                           *(const loose *)(middle + k * step + v * LANES)) * CPI_SPLAT(vec, w[half - k]);
        } else if (way < 0) {
            for (int64_t k = half; k > 0; k--) UNROLL for (int v = 0; v < V; v++)
                sum[v] += (*(const loose *)(middle - k * step + v * LANES) -
                           *(const loose *)(middle + k * step + v * LANES)) * CPI_SPLAT(vec, w[half - k]);
        } else {
            for (int64_t k = 0; k < size - 1; k++) UNROLL for (int v = 0; v < V; v++)
                sum[v] += *(const loose *)(a + k * step + v * LANES) * CPI_SPLAT(vec, w[k]);
        }
        UNROLL for (int v = 0; v < V; v++) *(loose *)(to + i + v * LANES) = sum[v];
    }
}

/* a / b, rounded as a division is: with the rounded reciprocal r the error of a * r is known exactly (Markstein). It
 * takes a third of the time. */
INLINE vec quotient(vec a, vec b, vec r)
{
#if defined(__FMA__)
    typedef int64_t mask __attribute__((vector_size(VECTOR_BYTES)));
    const vec q = a * r, better = CPI_MAC(q, CPI_MAC(a, -q, b), r);
    const mask finite = q - q == 0; /* infinities and NaN stay */
    return (vec)(((mask)better & finite) | ((mask)q & ~finite));
#else
    (void)r;
    return a / b;
#endif
}
static void divide(double *to, int64_t n, int64_t size)
{
    const double b = (double)size, r = 1 / b;
    for (int64_t i = 0; i < n; i += LANES)
        *(loose *)(to + i) = quotient(*(loose *)(to + i), CPI_SPLAT(vec, b), CPI_SPLAT(vec, r));
}
/* The same of few elements, one after the other. */
static void short_mean(double *to, const double *in, int64_t n, int64_t step, int64_t size)
{
    const double b = (double)size, r = 1 / b;
    for (int64_t i = 0; i < n; i += V * LANES) {
        vec sum[V];
        UNROLL for (int v = 0; v < V; v++) sum[v] = *(const loose *)(in + i + v * LANES);
        for (int64_t k = 1; k < size; k++) UNROLL for (int v = 0; v < V; v++)
            sum[v] += *(const loose *)(in + i + k * step + v * LANES);
        UNROLL for (int v = 0; v < V; v++)
            *(loose *)(to + i + v * LANES) = quotient(sum[v], CPI_SPLAT(vec, b), CPI_SPLAT(vec, r));
    }
}

/* Sums of 1, 2, 4, ... elements are made in place; those of the binary digits of `size` are added. So no error is
 * carried along, and a NaN stays within its windows. */
static void mean(double *restrict to, double *in, int64_t n, int64_t step, int64_t size)
{
    int64_t done = 0, most = n + (size - 1) * step;
    if (size <= SHORT) {
        short_mean(to, in, n, step, size);
        return;
    }
    for (int64_t p = 1;; p *= 2) {
        if (size & p) {
            const double *part = in + done * step;
            if (done) for (int64_t i = 0; i < n; i++) to[i] += part[i];
            else for (int64_t i = 0; i < n; i++) to[i] = part[i];
            done += p;
        }
        if (2 * p > size) break;
        most -= p * step;
        _Pragma("GCC ivdep") for (int64_t i = 0; i < most; i++) in[i] += in[i + p * step];
    }
    divide(to, n, size);
}

/* --- windows --- */

static void weigh(double *to, const double *in, int64_t n, const int64_t *at, const double *w, int64_t taps)
{
    for (int64_t i = 0; i < n; i += V * LANES) {
        vec sum[V];
        UNROLL for (int v = 0; v < V; v++) sum[v] = (vec){0};
        for (int64_t k = 0; k < taps; k++) {
            const double *a = in + i + at[k];
            const vec c = CPI_SPLAT(vec, w[k]);
            UNROLL for (int v = 0; v < V; v++) sum[v] += *(const loose *)(a + v * LANES) * c;
        }
        UNROLL for (int v = 0; v < V; v++) *(loose *)(to + i + v * LANES) = sum[v];
    }
}

static void extreme_above(double *to, const double *in, int64_t n, const int64_t *at, const double *heights,
                          int64_t taps, bool high)
{
    for (int64_t k = 0; k < taps; k++) {
        const double *a = in + at[k], h = high ? heights[k] : -heights[k];
        if (!k) for (int64_t i = 0; i < n; i++) to[i] = a[i] + h;
        else if (high) for (int64_t i = 0; i < n; i++) {
            const double x = a[i] + h;
            to[i] = to[i] > x || to[i] != to[i] ? to[i] : x;
        } else for (int64_t i = 0; i < n; i++) {
            const double x = a[i] + h;
            to[i] = to[i] < x || to[i] != to[i] ? to[i] : x;
        }
    }
}

static bool binary(uint8_t *to, const uint8_t *in, const uint8_t *own, const uint8_t *mask, int64_t n,
                   const int64_t *at, int64_t taps, bool dilate)
{
    enum { CHUNK = CPI_FILTER_STRIP };
    uint8_t changed = 0;
    for (int64_t x = 0; x < n; x += CHUNK) {
        uint8_t r[CHUNK];
        memcpy(r, in + x + at[0], sizeof r);
        for (int64_t k = 1; k < taps; k++) {
            const uint8_t *a = in + x + at[k];
            if (dilate) for (int j = 0; j < CHUNK; j++) r[j] |= a[j];
            else for (int j = 0; j < CHUNK; j++) r[j] &= a[j];
        }
        const int64_t m = n - x < CHUNK ? n - x : CHUNK;
        if (mask) for (int64_t j = 0; j < m; j++) {
            const uint8_t old = own[x + j], free = (uint8_t) - (mask[x + j] != 0); /* all bits */
            r[j] = (r[j] & free) | (old & (uint8_t)~free);
        }
        for (int64_t j = 0; j < m; j++) changed |= r[j] ^ own[x + j];
        memcpy(to + x, r, (size_t)m);
    }
    return changed;
}

/* --- orders --- */

#define T uint8_t
#define NAME(f) f##_u8
#include "filters/order.inc"
#define T int8_t
#define NAME(f) f##_i8
#include "filters/order.inc"
#define T uint16_t
#define NAME(f) f##_u16
#include "filters/order.inc"
#define T int16_t
#define NAME(f) f##_i16
#include "filters/order.inc"
#define T uint32_t
#define NAME(f) f##_u32
#include "filters/order.inc"
#define T int32_t
#define NAME(f) f##_i32
#include "filters/order.inc"
#define T uint64_t
#define NAME(f) f##_u64
#include "filters/order.inc"
#define T int64_t
#define NAME(f) f##_i64
#include "filters/order.inc"
#define T float
#define NAME(f) f##_f32
#include "filters/order.inc"
#define T double
#define NAME(f) f##_f64
#include "filters/order.inc"

#define LINES(name, type) extreme_line_##name,
#define WINDOWS(name, type) extreme_##name,
#define NETWORKS(name, type) network_##name,
#define SELECTS(name, type) select_##name,
extern const cpi_filters_simd CPI_ISA_NAME(cpi_filters_simd);
const cpi_filters_simd CPI_ISA_NAME(cpi_filters_simd) = {
    load, store, encode, decode, correlate, mean,
    {CPI_FILTER_WORK(LINES)}, weigh, {CPI_FILTER_WORK(WINDOWS)}, extreme_above, {CPI_FILTER_WORK(NETWORKS)},
    {CPI_FILTER_WORK(SELECTS)}, binary,
};
