"""Static shared memory of kernels, functions, methods and the source, where several blocks run at once: launches with a
barrier of the grid, and blocks that wait for each other. Each block has its own."""
import numpy as np
import pytest

import cuprite as cp

GROUPS = "#include <cooperative_groups.h>\n"
MEETS = "cooperative_groups::this_grid().sync();"
WAITS = ("__threadfence(); if (threadIdx.x == 0) atomicAdd((int *)y + 1000, 1); while (y[1000] < (int)gridDim.x) {} "
         "__syncthreads();")
KERNEL = 'extern "C" __global__ void f(volatile int *y) { int t = threadIdx.x, i = blockIdx.x * blockDim.x + t; '
BODY = "__shared__ int s[32]; s[t] = v; @ return s[t];"
PLACES = {
    "kernel": KERNEL + "__shared__ int s[32]; s[t] = blockIdx.x; @ y[i] = s[t]; }",
    "source": "__shared__ int s[32];\n" + KERNEL + "s[t] = blockIdx.x; @ y[i] = s[t]; }",
    "function": "__device__ int g(volatile int *y, int t, int v) { " + BODY + " }\n" + KERNEL +
                "y[i] = g(y, t, blockIdx.x); }",
    "method": "struct S { __device__ int g(volatile int *y, int t, int v) { " + BODY + " } };\n" + KERNEL +
              "y[i] = S().g(y, t, blockIdx.x); }",
    "template": "template <class T> __device__ T g(volatile int *y, int t, T v) { " + BODY.replace("int", "T") + " }\n" +
                KERNEL + "y[i] = g<int>(y, t, blockIdx.x); }",
    "scope": KERNEL + "{ __shared__ int r[32]; r[t] = 7; y[900] = r[0]; } __shared__ int s[32]; s[t] = blockIdx.x; @ "
             "y[i] = s[t]; }",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("waits", [MEETS, WAITS], ids=["a barrier of the grid", "in memory"])
def test_static_shared_memory(place, waits):
    y = cp.zeros(1024, "i4")
    text = GROUPS * (waits == MEETS) + PLACES[place].replace("@", waits)
    k = cp.RawKernel(text, "f", enable_cooperative_groups=waits == MEETS)
    for _ in range(2):
        y[...] = 0
        k((7,), (32,), (y,))
        assert y.get()[:7 * 32].tolist() == np.repeat(np.arange(7), 32).tolist()
