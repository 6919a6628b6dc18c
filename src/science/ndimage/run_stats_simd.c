/* Statistics of one stretch of elements. Sums run in eight lanes from 32 elements on: the order of additions
 * depends on the length alone. */
#include "ndimage/run_stats.h"

#include "cpu/features.h"
#include "ndimage/key.h"

#define IS(v) (v)
#define TRUTH(v) ((v) != 0)

/* Sum over the stretch of TERM, which may use v (the element as a double) and k (its number). */
#define SUM_OF(RESULT, VALUE, TERM)                                   \
    do {                                                              \
        double total_ = 0;                                            \
        int64_t k = 0;                                                \
        if (n >= 32) {                                                \
            double lane_[8] = {0};                                    \
            for (; k + 8 <= n; k += 8)                                \
                for (int i_ = 0; i_ < 8; i_++) {                      \
                    double v = (double)VALUE(p[k + i_]);              \
                    int64_t at_ = k + i_;                             \
                    (void)at_;                                        \
                    lane_[i_] += TERM;                                \
                }                                                     \
            total_ = ((lane_[0] + lane_[1]) + (lane_[2] + lane_[3])) + \
                     ((lane_[4] + lane_[5]) + (lane_[6] + lane_[7])); \
        }                                                             \
        for (; k < n; k++) {                                          \
            double v = (double)VALUE(p[k]);                           \
            int64_t at_ = k;                                          \
            (void)at_;                                                \
            total_ += TERM;                                           \
        }                                                             \
        RESULT = total_;                                              \
    } while (0)

#define BLOCK 256 /* looked through for the extremum first, for its place only when it is a new one */
#define RUN(NAME, T, VALUE, WHOLE, ORDER)                                                   \
    static void run_##NAME(const void *x, int64_t at, int64_t n, run_stats *r)              \
    {                                                                                       \
        const T *p = (const T *)x + at;                                                     \
        if (r->want & WANT_INTEGER) {                                                       \
            uint64_t whole = 0;                                                             \
            for (int64_t k = 0; k < n; k++) whole += (uint64_t)(WHOLE);                     \
            r->whole = whole;                                                               \
        } else if (r->want & WANT_SUM) {                                                    \
            SUM_OF(r->sum, VALUE, v - r->background);                                                     \
        }                                                                                   \
        if (r->want & WANT_SQUARES) SUM_OF(r->sum, VALUE, (v - r->mean) * (v - r->mean));   \
        if (r->want & WANT_MOMENT) SUM_OF(r->moment, VALUE, (v - r->background) * (double)(r->column + at_)); \
        if (r->want & WANT_EXTREMUM) {                                                      \
            uint64_t nan = r->nan, flip = r->greatest ? 0 : UINT64_MAX, best = 0;           \
            int64_t position = 0;                                                           \
            (void)nan;                                                                      \
            for (int64_t k = 0; n < 16 && k < n; k++) {                                     \
                uint64_t order = (ORDER) ^ flip;                                            \
                if (k == 0 || order > best) best = order, position = k;                     \
            }                                                                               \
            for (int64_t start = 0; n >= 16 && start < n; start += BLOCK) {                          \
                int64_t end = n - start < BLOCK ? n : start + BLOCK;                        \
                uint64_t most = 0;                                                          \
                for (int64_t k = start; k < end; k++) {                                     \
                    uint64_t order = (ORDER) ^ flip;                                        \
                    most = order > most ? order : most;                                     \
                }                                                                           \
                if (start && most <= best) continue;                                        \
                best = most;                                                                \
                for (int64_t k = start; k < end; k++)                                       \
                    if (((ORDER) ^ flip) == best) {                                         \
                        position = k;                                                       \
                        break;                                                              \
                    }                                                                       \
            }                                                                               \
            r->key = best ^ flip;                                                           \
            r->position = at + position;                                                    \
        }                                                                                   \
    }                                                                                       \
    static void values_##NAME(const void *x, int64_t at, double *to)                        \
    {                                                                                       \
        const T *p = (const T *)x + at;                                                     \
        for (int k = 0; k < 64; k++) to[k] = (double)VALUE(p[k]);                           \
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
