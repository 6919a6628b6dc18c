/* Discrete distributions whose tables the host makes (curandCreatePoissonDistribution, or a program with the same
 * structures): by the square histogram of Marsaglia, Tsang and Wang ("Fast generation of discrete random variables",
 * Journal of Statistical Software 11, 2004) one uniform number chooses a bin and what is in it; many events are
 * normal. */
#pragma once
#include "cuprite_device.h"

enum curandMethod {
    CURAND_CHOOSE_BEST, CURAND_ITR, CURAND_KNUTH, CURAND_HITR, CURAND_M1, CURAND_M2, CURAND_BINARY_SEARCH,
    CURAND_DISCRETE_GAUSS, CURAND_REJECTION, CURAND_DEVICE_API, CURAND_FAST_REJECTION, CURAND_3RD, CURAND_DEFINITION,
    CURAND_POISSON
};
typedef enum curandMethod curandMethod_t;
typedef double curandDistribution_st, curandHistogramM2V_st;
typedef unsigned curandHistogramM2K_st;
typedef curandDistribution_st *curandDistribution_t;
typedef curandHistogramM2V_st *curandHistogramM2V_t;
typedef curandHistogramM2K_st *curandHistogramM2K_t;
typedef struct curandDistributionShift_st {
    curandDistribution_t probability, host_probability;
    unsigned shift, length, host_gen;
} *curandDistributionShift_t;
typedef struct curandHistogramM2_st {
    curandHistogramM2V_t V, host_V; /* bin j: below V[j] it is j, else K[j] */
    curandHistogramM2K_t K, host_K;
    unsigned host_gen;
} *curandHistogramM2_t;
typedef struct curandDistributionM2Shift_st {
    curandHistogramM2_t histogram, host_histogram;
    unsigned shift, length, host_gen;
} *curandDistributionM2Shift_t;
typedef struct curandDiscreteDistribution_st {
    struct curandDiscreteDistribution_st *self_host_ptr;
    curandDistributionM2Shift_t M2, host_M2;
    double stddev, mean;
    curandMethod_t method;
    unsigned host_gen;
} *curandDiscreteDistribution_t;

template <class W> static inline unsigned __cu_discrete_of(W x, const curandDistributionM2Shift_st *d)
{
    const double u = __cu_uniform_double(x);
    const int j = (int)floor(d->length * u);
    return d->shift + (u < d->histogram->V[j] ? (unsigned)j : d->histogram->K[j]);
}
static inline unsigned __cu_discrete_normal(double v, const curandDiscreteDistribution_st *d)
{
    return (unsigned)(d->stddev * v + d->mean + 0.5);
}
template <class State> static inline unsigned curand_discrete(State *s, curandDiscreteDistribution_t d)
{
    if (d->method == CURAND_M2) return __cu_discrete_of(curand(s), d->M2);
    return __cu_discrete_normal(curand_normal_double(s), d);
}
static inline uint4 curand_discrete4(curandStatePhilox4_32_10_t *s, curandDiscreteDistribution_t d)
{
    if (d->method == CURAND_M2) {
        const uint4 v = curand4(s);
        return make_uint4(__cu_discrete_of(v.x, d->M2), __cu_discrete_of(v.y, d->M2), __cu_discrete_of(v.z, d->M2),
                          __cu_discrete_of(v.w, d->M2));
    }
    const double4 v = curand_normal4_double(s);
    return make_uint4(__cu_discrete_normal(v.x, d), __cu_discrete_normal(v.y, d), __cu_discrete_normal(v.z, d),
                      __cu_discrete_normal(v.w, d));
}
