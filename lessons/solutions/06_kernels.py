"""Solutions of lesson 6, kernels of your own."""
import numpy as np

import cuprite as cp
from cuprite import jit

# 1. Numbers below 2 are no primes; `d * d <= i` needs no square root.
primes = cp.RawKernel(r"""
extern "C" __global__ void primes(int *is_prime, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int yes = i >= 2;
    for (int d = 2; yes && d * d <= i; d++)
        if (i % d == 0) yes = 0;
    is_prime[i] = yes;
}""", "primes")
n = 100_000
is_prime = cp.empty(n, np.int32)
primes(((n + 127) // 128,), (128,), (is_prime, np.int32(n)))
print(1, int(is_prime.sum()), cp.flatnonzero(is_prime)[:8])

# 2.
blend = cp.ElementwiseKernel("T a, T b, bool mask", "T y", "y = mask ? a : b", "blend")
a, b = cp.arange(12.0).reshape(3, 4), -cp.ones(4)
mask = a % 3 == 0
print(2, bool((blend(a, b, mask) == cp.where(mask, a, b)).all()))


# 3. With a single block of 128 threads a thread has every 128th element.
@jit.rawkernel()
def soft_jit(x, t, y, n):
    first = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    for i in range(first, n, jit.gridDim.x * jit.blockDim.x):
        if x[i] > t:
            y[i] = x[i] - t
        elif x[i] < -t:
            y[i] = x[i] + t
        else:
            y[i] = 0


x = cp.linspace(-5, 5, 1001)
y = cp.empty_like(x)
soft_jit[1, 128](x, 1.0, y, np.int32(x.size))
print(3, bool((y == cp.sign(x) * cp.maximum(abs(x) - 1, 0)).all()))

# It prints:
#
# 1 9592 [ 2  3  5  7 11 13 17 19]
# 2 True
# 3 True
