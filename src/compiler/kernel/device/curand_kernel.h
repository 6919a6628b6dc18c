/* cuRAND's device functions for the generators XORWOW (curandState), Philox4x32-10 (Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", 2011), MRG32k3a and Sobol's: the same integers as on a GPU, and uniforms from them in
 * the same way. MTGP32's parameters and the tables of curand_discrete are the program's: cuRAND's library makes them on
 * the host. */
#pragma once
#include "cuprite_device.h"
#include "curand_xorwow.h"
#include "curand_mrg32k3a.h"

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE; /* the word of `output` that comes next */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

static inline uint4 curand_Philox4x32_10(uint4 c, uint2 k)
{
    for (int i = 0; i < 10; i++) {
        unsigned lo0 = 0xd2511f53u * c.x, hi0 = __umulhi(0xd2511f53u, c.x);
        unsigned lo1 = 0xcd9e8d57u * c.z, hi1 = __umulhi(0xcd9e8d57u, c.z);
        c = make_uint4(hi1 ^ c.y ^ k.x, lo1, hi0 ^ c.w ^ k.y, lo0);
        k.x += 0x9e3779b9u;
        k.y += 0xbb67ae85u;
    }
    return c;
}
/* The counter's four words are one number, its upper two the sequence. */
static inline void __cu_philox_add(curandStatePhilox4_32_10_t *s, unsigned long long n)
{
    unsigned long long low = ((unsigned long long)s->ctr.y << 32 | s->ctr.x) + n;
    unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + (low < n);
    s->ctr = make_uint4((unsigned)low, (unsigned)(low >> 32), (unsigned)high, (unsigned)(high >> 32));
}
static inline void __cu_philox_refill(curandStatePhilox4_32_10_t *s)
{
    s->output = curand_Philox4x32_10(s->ctr, s->key);
}
static inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    s->STATE += (unsigned)(n & 3);
    n /= 4;
    if (s->STATE > 3) n++, s->STATE -= 4;
    __cu_philox_add(s, n);
    __cu_philox_refill(s);
}
static inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *s)
{
    unsigned long long high = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
    s->ctr.z = (unsigned)high;
    s->ctr.w = (unsigned)(high >> 32);
    __cu_philox_refill(s);
}
static inline void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                               curandStatePhilox4_32_10_t *s)
{
    s->ctr = make_uint4(0, 0, 0, 0);
    s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
    s->STATE = 0;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    skipahead_sequence(sequence, s);
    skipahead(offset, s);
}
static inline unsigned curand(curandStatePhilox4_32_10_t *s)
{
    unsigned at = s->STATE++;
    unsigned r = at == 0 ? s->output.x : at == 1 ? s->output.y : at == 2 ? s->output.z : s->output.w;
    if (s->STATE == 4) {
        __cu_philox_add(s, 1);
        __cu_philox_refill(s);
        s->STATE = 0;
    }
    return r;
}
static inline uint4 curand4(curandStatePhilox4_32_10_t *s)
{
    uint4 a = s->output;
    __cu_philox_add(s, 1);
    __cu_philox_refill(s);
    const uint4 &b = s->output;
    return s->STATE == 0   ? a
           : s->STATE == 1 ? make_uint4(a.y, a.z, a.w, b.x)
           : s->STATE == 2 ? make_uint4(a.z, a.w, b.x, b.y)
                           : make_uint4(a.w, b.x, b.y, b.z);
}

/* In (0, 1]. */
static inline float __cu_uniform(unsigned x) { return (float)x * 2.3283064e-10f + 2.3283064e-10f / 2; }
static inline double __cu_uniform_double(unsigned x, unsigned y)
{
    unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
    return (double)z * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
static inline float4 curand_uniform4(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    return make_float4(__cu_uniform(x.x), __cu_uniform(x.y), __cu_uniform(x.z), __cu_uniform(x.w));
}
static inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    return make_double2(__cu_uniform_double(x.x, x.y), __cu_uniform_double(x.z, x.w));
}
static inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t *s)
{
    const double2 a = curand_uniform2_double(s), b = curand_uniform2_double(s);
    return make_double4(a.x, a.y, b.x, b.y);
}
/* Of one word here. */
static inline double curand_uniform_double(curandStatePhilox4_32_10_t *s)
{
    return (double)curand(s) * 2.3283064365386963e-10 + 2.3283064365386963e-10;
}
template <class State> static inline float curand_uniform(State *s) { return __cu_uniform(curand(s)); }
template <class State> static inline double curand_uniform_double(State *s)
{
    unsigned x = curand(s), y = curand(s);
    return __cu_uniform_double(x, y);
}

/* Box and Muller's transform. */
static inline float2 __cu_normal2(unsigned x, unsigned y)
{
    float u = __cu_uniform(x), v = (float)y * (2.3283064e-10f * 6.2831855f) + (2.3283064e-10f * 6.2831855f) / 2;
    float r = sqrtf(-2 * logf(u));
    return make_float2(sinf(v) * r, cosf(v) * r);
}
static inline double2 __cu_normal2_double(unsigned a, unsigned b, unsigned c, unsigned d)
{
    double u = __cu_uniform_double(a, b), v = __cu_uniform_double(c, d) * 2, r = sqrt(-2 * log(u));
    return make_double2(sinpi(v) * r, cospi(v) * r);
}
static inline float4 curand_normal4(curandStatePhilox4_32_10_t *s)
{
    uint4 x = curand4(s);
    float2 a = __cu_normal2(x.x, x.y), b = __cu_normal2(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
template <class State> static inline float2 curand_normal2(State *s)
{
    unsigned x = curand(s), y = curand(s);
    return __cu_normal2(x, y);
}
template <class State> static inline double2 curand_normal2_double(State *s)
{
    unsigned a = curand(s), b = curand(s), c = curand(s), d = curand(s);
    return __cu_normal2_double(a, b, c, d);
}
static inline float2 curand_normal2(curandStateMRG32k3a *s)
{
    const float u = curand_uniform(s), v = curand_uniform(s) * 6.2831853f, r = sqrtf(-2 * logf(u));
    return make_float2(sinf(v) * r, cosf(v) * r);
}
static inline double2 curand_normal2_double(curandStateMRG32k3a *s)
{
    const double u = curand_uniform_double(s), v = curand_uniform_double(s) * 2, r = sqrt(-2 * log(u));
    return make_double2(sinpi(v) * r, cospi(v) * r);
}
static inline double4 curand_normal4_double(curandStatePhilox4_32_10_t *s)
{
    const double2 a = curand_normal2_double(s), b = curand_normal2_double(s);
    return make_double4(a.x, a.y, b.x, b.y);
}
static inline float4 curand_log_normal4(curandStatePhilox4_32_10_t *s, float mean, float stddev)
{
    const float4 v = curand_normal4(s);
    return make_float4(expf(mean + stddev * v.x), expf(mean + stddev * v.y), expf(mean + stddev * v.z),
                       expf(mean + stddev * v.w));
}
static inline double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *s, double mean, double stddev)
{
    const double4 v = curand_normal4_double(s);
    return make_double4(exp(mean + stddev * v.x), exp(mean + stddev * v.y), exp(mean + stddev * v.z),
                        exp(mean + stddev * v.w));
}
template <class State> static inline float2 curand_log_normal2(State *s, float mean, float stddev)
{
    float2 v = curand_normal2(s);
    return make_float2(expf(mean + stddev * v.x), expf(mean + stddev * v.y));
}
template <class State> static inline double2 curand_log_normal2_double(State *s, double mean, double stddev)
{
    double2 v = curand_normal2_double(s);
    return make_double2(exp(mean + stddev * v.x), exp(mean + stddev * v.y));
}

/* A pair is returned number by number. The second is for the next call of the same function: the flag says which. */
enum { __CU_NORMAL = 1, __CU_LOG_NORMAL = 2 };
template <class State> static inline float curand_normal(State *s)
{
    if (s->boxmuller_flag == __CU_NORMAL) {
        s->boxmuller_flag = 0;
        return s->boxmuller_extra;
    }
    float2 v = curand_normal2(s);
    s->boxmuller_extra = v.y;
    s->boxmuller_flag = __CU_NORMAL;
    return v.x;
}
template <class State> static inline double curand_normal_double(State *s)
{
    if (s->boxmuller_flag_double == __CU_NORMAL) {
        s->boxmuller_flag_double = 0;
        return s->boxmuller_extra_double;
    }
    double2 v = curand_normal2_double(s);
    s->boxmuller_extra_double = v.y;
    s->boxmuller_flag_double = __CU_NORMAL;
    return v.x;
}
template <class State> static inline float curand_log_normal(State *s, float mean, float stddev)
{
    if (s->boxmuller_flag == __CU_LOG_NORMAL) {
        s->boxmuller_flag = 0;
        return s->boxmuller_extra;
    }
    float2 v = curand_log_normal2(s, mean, stddev);
    s->boxmuller_extra = v.y;
    s->boxmuller_flag = __CU_LOG_NORMAL;
    return v.x;
}
template <class State> static inline double curand_log_normal_double(State *s, double mean, double stddev)
{
    if (s->boxmuller_flag_double == __CU_LOG_NORMAL) {
        s->boxmuller_flag_double = 0;
        return s->boxmuller_extra_double;
    }
    double2 v = curand_log_normal2_double(s, mean, stddev);
    s->boxmuller_extra_double = v.y;
    s->boxmuller_flag_double = __CU_LOG_NORMAL;
    return v.x;
}
#include "curand_sobol.h"
#include "curand_poisson.h"
#include "curand_discrete.h"
#ifdef __CU_MTGP32
#include "curand_mtgp32.h"
#endif
