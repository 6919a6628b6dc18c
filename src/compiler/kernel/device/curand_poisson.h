/* Poisson's distribution of the generators XORWOW, MRG32k3a and Philox. Below 64 Knuth's products of uniform numbers,
 * above 4000 a rounded normal number: cuRAND's sequence. Between them Hoermann's transformed rejection (PTRS, "The
 * transformed rejection method for generating Poisson random variables", 1993): the same distribution, other
 * numbers. */
#pragma once
#include "cuprite_device.h"

template <class State> static inline unsigned __cu_poisson_products(State *s, float lambda)
{
    unsigned k = 0;
    float p = expf(lambda);
    do {
        k++;
        p *= curand_uniform(s);
    } while (p > 1);
    return k - 1;
}
template <class State> static inline unsigned __cu_poisson_rejection(State *s, double lambda)
{
    const double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, log_lambda = log(lambda);
    const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
    while (true) {
        const double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + lambda + 0.43);
        if (us >= 0.07 && v <= sure) return (unsigned)k;
        if (k < 0 || (us < 0.013 && v > us)) continue;
        if (log(v * inverse_alpha / (a / (us * us) + b)) <= k * log_lambda - lambda - lgamma(k + 1)) return (unsigned)k;
    }
}
template <class State> static inline unsigned curand_poisson(State *s, double lambda)
{
    if (lambda < 64) return __cu_poisson_products(s, (float)lambda);
    if (lambda > 4000) return (unsigned)(sqrt(lambda) * curand_normal_double(s) + lambda + 0.5);
    return __cu_poisson_rejection(s, lambda);
}
static inline uint4 curand_poisson4(curandStatePhilox4_32_10_t *s, double lambda)
{
    if (lambda > 4000) {
        const double4 v = curand_normal4_double(s);
        const double root = sqrt(lambda), middle = lambda + 0.5;
        return make_uint4((unsigned)(root * v.x + middle), (unsigned)(root * v.y + middle),
                          (unsigned)(root * v.z + middle), (unsigned)(root * v.w + middle));
    }
    const unsigned x = curand_poisson(s, lambda), y = curand_poisson(s, lambda), z = curand_poisson(s, lambda);
    return make_uint4(x, y, z, curand_poisson(s, lambda));
}
