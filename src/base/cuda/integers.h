/* Small functions of integers for launchers and kernels. The result has the type that the operator has. This header
 * needs no other one, so that tests compile it as a user's kernel. */
#ifndef CPI_CUDA_INTEGERS_H
#define CPI_CUDA_INTEGERS_H

/* n / d, rounded up: n >= 0, d > 0. */
template <class N, class D> __host__ __device__ constexpr auto cpi_ceil_div(N n, D d) { return (n + d - 1) / d; }
/* The next multiple of `unit`: n >= 0, unit > 0. */
template <class N, class D> __host__ __device__ constexpr auto cpi_round_up(N n, D unit)
{
    return (n + unit - 1) / unit * unit;
}

#endif
