/* Sobol's quasi-random numbers of 32 and 64 bits, plain and scrambled, in the order of Gray codes (Antonov and Saleev,
 * 1979; Bratley and Fox, 1988), as cuRAND has them. The program brings the direction vectors. Normal numbers are made
 * of one number each, by the inverse of the distribution. */
#pragma once
#include "cuprite_device.h"

typedef unsigned curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define __CU_SOBOL_STATE(name, W, bits)                                                               \
    struct name { W i, x, c, direction_vectors[bits]; };                                              \
    typedef struct name name##_t;
__CU_SOBOL_STATE(curandStateSobol32, unsigned, 32)
__CU_SOBOL_STATE(curandStateScrambledSobol32, unsigned, 32)
__CU_SOBOL_STATE(curandStateSobol64, unsigned long long, 64)
__CU_SOBOL_STATE(curandStateScrambledSobol64, unsigned long long, 64)
#undef __CU_SOBOL_STATE

template <class W, class State> static inline void __cu_sobol_skip(W n, State *s)
{
    s->i += n;
    s->x = s->c;
    const W gray = s->i ^ s->i >> 1;
    for (unsigned k = 0; k < 8 * sizeof(W); k++)
        if (gray >> k & 1) s->x ^= s->direction_vectors[k];
}
template <class W, class State> static inline void __cu_sobol_init(const W *vectors, W scramble, W offset, State *s)
{
    for (unsigned k = 0; k < 8 * sizeof(W); k++) s->direction_vectors[k] = vectors[k];
    s->i = 0;
    s->c = scramble;
    __cu_sobol_skip(offset, s);
}
/* The next one differs by the vector of the lowest bit of i that is 0. */
template <class State> static inline auto __cu_sobol_next(State *s)
{
    const auto r = s->x;
    const int most = 8 * sizeof r - 1, bit = s->i + 1 == 0 ? most : __builtin_ctzll(~(unsigned long long)s->i);
    s->x ^= s->direction_vectors[bit];
    s->i++;
    return r;
}
static inline float __cu_uniform(unsigned long long x) { return __cu_uniform((unsigned)(x >> 32)); }
static inline double __cu_uniform_double(unsigned x) { return (double)x * 0x1p-32 + 0x1p-32; }
static inline double __cu_uniform_double(unsigned long long x) { return (double)(x >> 11) * 0x1p-53 + 0x1p-54; }
/* Mirrored, so that the tails are alike; small numbers give small ones. */
static inline float __cu_normal_of(unsigned x)
{
    const bool upper = x > 0x80000000u;
    const float r = 1.41421356f * erfcinvf(2 * __cu_uniform(upper ? ~x : x));
    return upper ? r : -r;
}
static inline float __cu_normal_of(unsigned long long x) { return __cu_normal_of((unsigned)(x >> 32)); }
static inline double __cu_normal_of_double(unsigned x)
{
    const bool upper = x > 0x80000000u;
    const double r = 1.4142135623730951 * erfcinv(2 * ((double)(upper ? ~x : x) * 0x1p-32 + 0x1p-33));
    return upper ? r : -r;
}
static inline double __cu_normal_of_double(unsigned long long x)
{
    x >>= 11;
    const bool upper = x > 1ull << 52;
    if (upper) x = (1ull << 53) - 1 - x;
    const double r = 1.4142135623730951 * erfcinv(2 * ((double)x * 0x1p-53 + 0x1p-54));
    return upper ? r : -r;
}
#define __CU_SOBOL(State, W)                                                                                      \
    static inline void skipahead(W n, State *s) { __cu_sobol_skip(n, s); }                                        \
    static inline W curand(State *s) { return __cu_sobol_next(s); }                                               \
    static inline float curand_uniform(State *s) { return __cu_uniform(curand(s)); }                              \
    static inline double curand_uniform_double(State *s) { return __cu_uniform_double(curand(s)); }               \
    static inline float curand_normal(State *s) { return __cu_normal_of(curand(s)); }                             \
    static inline double curand_normal_double(State *s) { return __cu_normal_of_double(curand(s)); }              \
    static inline float curand_log_normal(State *s, float mean, float stddev)                                     \
    {                                                                                                             \
        return expf(mean + stddev * curand_normal(s));                                                            \
    }                                                                                                             \
    static inline double curand_log_normal_double(State *s, double mean, double stddev)                           \
    {                                                                                                             \
        return exp(mean + stddev * curand_normal_double(s));                                                      \
    }                                                                                                             \
    static inline unsigned curand_poisson(State *s, double lambda) { return __cu_poisson_of(curand(s), lambda); }
#define __CU_SOBOL_INITS(bits, W)                                                                                 \
    static inline void curand_init(curandDirectionVectors##bits##_t vectors, W offset, curandStateSobol##bits *s) \
    {                                                                                                             \
        __cu_sobol_init<W>(vectors, 0, offset, s);                                                                \
    }                                                                                                             \
    static inline void curand_init(curandDirectionVectors##bits##_t vectors, W scramble, W offset,                \
                                   curandStateScrambledSobol##bits *s)                                            \
    {                                                                                                             \
        __cu_sobol_init<W>(vectors, scramble, offset, s);                                                         \
    }
/* The least k whose probability, with those below, is u: terms are summed, scaled by e^500 at first where they would
 * vanish (Fishman). Many events are normal. */
template <class W> static inline unsigned __cu_poisson_of(W x, double lambda)
{
    if (lambda >= 1000) return (unsigned)(sqrt(lambda) * __cu_normal_of_double(x) + lambda + 0.5);
    const double u = sizeof x == 4 ? (double)x * 0x1p-32 + 0x1p-33 : (double)((unsigned long long)x >> 11) * 0x1p-53 +
                                                                     0x1p-55;
    double term = 1, sum = 1;
    unsigned k = 0;
    int done = 0;
    do {
        const double factor = lambda > done + 500.0 ? exp(-500.0) : exp(done - lambda);
        term *= factor;
        sum *= factor;
        done += 500;
        while (u > sum) {
            k++;
            term *= lambda / k;
            sum += term;
        }
    } while (done < lambda);
    return k;
}
__CU_SOBOL(curandStateSobol32, unsigned)
__CU_SOBOL(curandStateScrambledSobol32, unsigned)
__CU_SOBOL(curandStateSobol64, unsigned long long)
__CU_SOBOL(curandStateScrambledSobol64, unsigned long long)
__CU_SOBOL_INITS(32, unsigned)
__CU_SOBOL_INITS(64, unsigned long long)
#undef __CU_SOBOL
#undef __CU_SOBOL_INITS
