"""Solutions of lesson 8, atomics."""
import numpy as np

import cuprite as cp

rng = cp.random.default_rng(8)
n = 10_000

# 1. Integers may be added in any order, so the result is exact.
scatter = cp.RawKernel(r"""
extern "C" __global__ void scatter(const int *labels, const int *x, int *sums, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&sums[labels[i]], x[i]);
}""", "scatter")
labels, x = rng.integers(0, 10, n).astype(np.int32), rng.integers(0, 100, n).astype(np.int32)
sums = cp.zeros(10, np.int32)
scatter((79,), (128,), (labels, x, sums, np.int32(n)))
print(1, bool((sums == cp.bincount(labels, weights=x)).all()))

# 2. atomicAdd returns what was there before: a different number for each thread. Which thread comes first is not known,
#    so the list's order is not, either; its elements are.
select = cp.RawKernel(r"""
extern "C" __global__ void select(const int *x, int t, int *found, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && x[i] > t) found[atomicAdd(count, 1)] = i;
}""", "select")
found, count = cp.empty(n, np.int32), cp.zeros(1, np.int32)
select((79,), (128,), (x, np.int32(90), found, count, np.int32(n)))
found = cp.sort(found[:int(count[0])])
print(2, found.size, cp.array_equal(found, cp.flatnonzero(x > 90)))

# 3. Only the first thread with a value gets 0 back.
distinct = cp.RawKernel(r"""
extern "C" __global__ void distinct(const int *values, int *seen, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && atomicExch(&seen[values[i]], 1) == 0) atomicAdd(count, 1);
}""", "distinct")
values = (x * x) % 256
seen, count = cp.zeros(256, np.int32), cp.zeros(1, np.int32)
distinct((79,), (128,), (values, seen, count, np.int32(n)))
print(3, int(count[0]), cp.unique(values).size)

# It prints:
#
# 1 True
# 2 907 True
# 3 44 44
