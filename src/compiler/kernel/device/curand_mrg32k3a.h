/* L'Ecuyer's generator MRG32k3a ("Good parameters and implementations for combined multiple recursive random number
 * generators", 1999) as cuRAND has it: the same numbers for a seed, a subsequence and an offset. Subsequences are 2^76
 * numbers apart, sequences 2^127. A jump by n steps multiplies the state by the n-th power of a matrix of each of the
 * two recurrences. */
#pragma once
#include "cuprite_device.h"

struct curandStateMRG32k3a {
    unsigned s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

enum : unsigned { __CU_MRG_1 = 4294967087u, __CU_MRG_2 = 4294944443u };
/* One step, 2^76 steps, 2^127 steps. */
static const unsigned __cu_mrg_matrices[3][2][3][3] = {
    {{{0u, 1u, 0u},
      {0u, 0u, 1u},
      {4294156359u, 1403580u, 0u}},
     {{0u, 1u, 0u},
      {0u, 0u, 1u},
      {4293573854u, 0u, 527612u}}},
    {{{82758667u, 1871391091u, 4127413238u},
      {3672831523u, 69195019u, 1871391091u},
      {3672091415u, 3528743235u, 69195019u}},
     {{1511326704u, 3759209742u, 1610795712u},
      {4292754251u, 1511326704u, 3889917532u},
      {3859662829u, 4292754251u, 3708466080u}}},
    {{{2427906178u, 3580155704u, 949770784u},
      {226153695u, 1230515664u, 3580155704u},
      {1988835001u, 986791581u, 1230515664u}},
     {{1464411153u, 277697599u, 1610723613u},
      {32183930u, 1464411153u, 1022607788u},
      {2824425944u, 32183930u, 2093834863u}}},
};

template <unsigned m>
static inline void __cu_mrg_product(const unsigned a[3][3], const unsigned b[3][3], unsigned to[3][3])
{
    unsigned r[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            unsigned long long sum = 0; /* a product is below 2^64, reduced before the next is added */
            for (int k = 0; k < 3; k++) sum += (unsigned long long)a[i][k] * b[k][j] % m;
            r[i][j] = (unsigned)(sum % m);
        }
    __builtin_memcpy(to, r, sizeof r);
}
template <unsigned m> static inline void __cu_mrg_jump(const unsigned step[3][3], unsigned long long n, unsigned v[3])
{
    unsigned power[3][3];
    __builtin_memcpy(power, step, sizeof power);
    for (; n; n >>= 1) {
        if (n & 1) {
            unsigned r[3];
            for (int i = 0; i < 3; i++) {
                unsigned long long sum = 0;
                for (int k = 0; k < 3; k++) sum += (unsigned long long)power[i][k] * v[k] % m;
                r[i] = (unsigned)(sum % m);
            }
            __builtin_memcpy(v, r, sizeof r);
        }
        if (n > 1) __cu_mrg_product<m>(power, power, power);
    }
}
static inline void __cu_mrg_skip(int which, unsigned long long n, curandStateMRG32k3a *s)
{
    __cu_mrg_jump<__CU_MRG_1>(__cu_mrg_matrices[which][0], n, s->s1);
    __cu_mrg_jump<__CU_MRG_2>(__cu_mrg_matrices[which][1], n, s->s2);
}
static inline void skipahead(unsigned long long n, curandStateMRG32k3a *s) { __cu_mrg_skip(0, n, s); }
static inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a *s) { __cu_mrg_skip(1, n, s); }
static inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a *s) { __cu_mrg_skip(2, n, s); }
static inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                               curandStateMRG32k3a *s)
{
    const unsigned long long x[2] = {(unsigned)seed ^ 0x55555555u, (unsigned)(seed >> 32) ^ 0xaaaaaaaau};
    for (int i = 0; i < 3; i++) {
        s->s1[i] = seed ? (unsigned)(x[i % 2] * 12345 % __CU_MRG_1) : 12345u;
        s->s2[i] = seed ? (unsigned)(x[(i + 1) % 2] * 12345 % __CU_MRG_2) : 12345u;
    }
    skipahead_subsequence(subsequence, s);
    skipahead(offset, s);
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0;
    s->boxmuller_extra_double = 0;
}
/* 1 to the first modulus. */
static inline double curand_MRG32k3a(curandStateMRG32k3a *s)
{
    const unsigned long long a = (1403580ull * s->s1[1] + 810728ull * (__CU_MRG_1 - s->s1[0])) % __CU_MRG_1;
    const unsigned long long b = (527612ull * s->s2[2] + 1370589ull * (__CU_MRG_2 - s->s2[0])) % __CU_MRG_2;
    s->s1[0] = s->s1[1], s->s1[1] = s->s1[2], s->s1[2] = (unsigned)a;
    s->s2[0] = s->s2[1], s->s2[1] = s->s2[2], s->s2[2] = (unsigned)b;
    return (double)(a > b ? a - b : a + __CU_MRG_1 - b);
}
static inline unsigned curand(curandStateMRG32k3a *s) { return (unsigned)(curand_MRG32k3a(s) * 1.000000048662); }
static inline float curand_uniform(curandStateMRG32k3a *s)
{
    return (float)(curand_MRG32k3a(s) * 2.3283065498378288e-10);
}
static inline double curand_uniform_double(curandStateMRG32k3a *s)
{
    return curand_MRG32k3a(s) * 2.3283065498378288e-10;
}
