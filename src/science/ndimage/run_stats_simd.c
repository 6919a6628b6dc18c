/* Statistics of one run of elements. Sums run in eight lanes from 32 elements on: the order of additions
 * depends on the length alone. */
#include "ndimage/run_stats.h"

#include "cpu/features.h"
#include "ndimage/key.h"

#define IS(v) (v)
#define TRUTH(v) ((v) != 0)

#define INLINE static inline __attribute__((always_inline))

/* Of element k of a run: as a double, as an integer for sums of integers, and as a key that is ordered as values are,
 * NaN as `nan` says. Every function that takes them is inlined with them, so that loops over a type are vectors. */
typedef double (*value_of)(const void *p, int64_t k);
typedef uint64_t (*integer_of)(const void *p, int64_t k);
typedef uint64_t (*key_of)(const void *p, int64_t k, uint64_t nan);

/* What is summed: of a value v, element k of the run. */
typedef double (*term_of)(double v, int64_t k, const run_stats *r);
INLINE double plain(double v, int64_t k, const run_stats *r)
{
    (void)k;
    return v - r->background;
}
INLINE double square(double v, int64_t k, const run_stats *r)
{
    (void)k;
    return (v - r->mean) * (v - r->mean);
}
INLINE double moment(double v, int64_t k, const run_stats *r) { return (v - r->background) * (double)(r->column + k); }

INLINE double sum_of(const void *p, int64_t n, const run_stats *r, value_of value, term_of term)
{
    double total = 0;
    int64_t k = 0;
    if (n >= 32) {
        double lane[8] = {0};
        for (; k + 8 <= n; k += 8)
            for (int i = 0; i < 8; i++) lane[i] += term(value(p, k + i), k + i, r);
        total = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    }
    for (; k < n; k++) total += term(value(p, k), k, r);
    return total;
}

/* The extremum of n elements from `at` on and its position. */
INLINE void find_extremum(const void *p, int64_t at, int64_t n, run_stats *r, key_of key)
{
    enum { BLOCK = 256 }; /* looked through for the extremum first, for its position only when it is a new one */
    uint64_t nan = r->nan, flip = r->greatest ? 0 : UINT64_MAX, best = 0;
    int64_t position = 0;
    for (int64_t k = 0; n < 16 && k < n; k++) {
        uint64_t order = key(p, k, nan) ^ flip;
        if (k == 0 || order > best) best = order, position = k;
    }
    for (int64_t start = 0; n >= 16 && start < n; start += BLOCK) {
        int64_t end = n - start < BLOCK ? n : start + BLOCK;
        uint64_t most = 0;
        for (int64_t k = start; k < end; k++) {
            uint64_t order = key(p, k, nan) ^ flip;
            most = order > most ? order : most;
        }
        if (start && most <= best) continue;
        best = most;
        for (int64_t k = start; k < end; k++)
            if ((key(p, k, nan) ^ flip) == best) {
                position = k;
                break;
            }
    }
    r->key = best ^ flip;
    r->position = at + position;
}

/* The statistics that are wanted of the n elements at p, the first of which is the array's number `at`. */
INLINE void add_run(const void *p, int64_t at, int64_t n, run_stats *r, value_of value, integer_of integer, key_of key)
{
    if (r->want & WANT_INTEGER) {
        uint64_t whole = 0;
        for (int64_t k = 0; k < n; k++) whole += integer(p, k);
        r->whole = whole;
    } else if (r->want & WANT_SUM) {
        r->sum = sum_of(p, n, r, value, plain);
    }
    if (r->want & WANT_SQUARES) r->sum = sum_of(p, n, r, value, square);
    if (r->want & WANT_MOMENT) r->moment = sum_of(p, n, r, value, moment);
    if (r->want & WANT_EXTREMUM) find_extremum(p, at, n, r, key);
}

/* For a type: INTEGER and KEY are of element p[k]. */
#define RUN(NAME, T, VALUE, INTEGER, KEY)                                                                              \
    INLINE double value_##NAME(const void *x, int64_t k) { return (double)VALUE(((const T *)x)[k]); }                  \
    INLINE uint64_t integer_##NAME(const void *x, int64_t k)                                                           \
    {                                                                                                                  \
        const T *p = x;                                                                                                \
        return (void)p, (void)k, (uint64_t)(INTEGER);                                                                  \
    }                                                                                                                  \
    INLINE uint64_t key_##NAME(const void *x, int64_t k, uint64_t nan)                                                 \
    {                                                                                                                  \
        const T *p = x;                                                                                                \
        return (void)nan, (KEY);                                                                                       \
    }                                                                                                                  \
    static void run_##NAME(const void *x, int64_t at, int64_t n, run_stats *r)                                         \
    {                                                                                                                  \
        add_run((const T *)x + at, at, n, r, value_##NAME, integer_##NAME, key_##NAME);                                \
    }                                                                                                                  \
    static void values_##NAME(const void *x, int64_t at, double *to)                                                   \
    {                                                                                                                  \
        for (int k = 0; k < 64; k++) to[k] = value_##NAME((const T *)x + at, k);                                       \
    }

#define SIGNED(v) ((uint64_t)(int64_t)(v) ^ (uint64_t)1 << 63)
RUN(b, uint8_t, TRUTH, p[k] != 0, SIGNED(p[k] != 0))
RUN(i8, int8_t, IS, (int64_t)p[k], SIGNED(p[k]))
RUN(u8, uint8_t, IS, p[k], SIGNED(p[k]))
RUN(i16, int16_t, IS, (int64_t)p[k], SIGNED(p[k]))
RUN(u16, uint16_t, IS, p[k], SIGNED(p[k]))
RUN(i32, int32_t, IS, (int64_t)p[k], SIGNED(p[k]))
RUN(u32, uint32_t, IS, p[k], SIGNED(p[k]))
RUN(i64, int64_t, IS, p[k], SIGNED(p[k]))
RUN(u64, uint64_t, IS, p[k], p[k])
#define RUN_HALF(A, s) RUN(s, CPS_CTYPE_##s, cps_##s##_to_f32, 0, cpi_order_double(cps_##s##_to_f32(p[k]), nan))
CPS_HALVES(RUN_HALF, )
RUN(f32, float, IS, 0, cpi_order_double(p[k], nan))
RUN(f64, double, IS, 0, cpi_order_double(p[k], nan))

run_function CPI_ISA_NAME(cpi_run_function)(cp_type type)
{
#define RUN_ENTRY(A, s) [CPS_ENUM_##s] = run_##s,
    static const run_function table[CP_NTYPES] = {CPS_REALS(RUN_ENTRY, )};
    return table[type];
}

values_function CPI_ISA_NAME(cpi_values_function)(cp_type type)
{
#define VALUES_ENTRY(A, s) [CPS_ENUM_##s] = values_##s,
    static const values_function table[CP_NTYPES] = {CPS_REALS(VALUES_ENTRY, )};
    return table[type];
}
