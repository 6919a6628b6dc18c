"""Threads that wait in memory for other threads: of their warp, their block, of other blocks. GPUs of compute
capability 7.0 and later promise progress to each thread; on the CPU such kernels are fibers that take turns."""
import os

import numpy as np
import pytest

import cuprite as cp

HEAD = 'extern "C" __global__ void k'
CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"


def kernel(text, tier=None):
    k = cp.RawKernel(text, "k", options=("--std=c++17",))
    if tier and not CHECKED:
        assert k.kernel.tier in (tier, "gpu")
    return k


FLAGS = {
    "of another warp": ("__shared__ volatile int flag;", "while (flag == 0) ; y[t] = flag;", "t < 32", "flag = 7;"),
    "of the same warp": ("__shared__ volatile int flag;", "while (flag == 0) ; y[t] = flag;", "t < 7", "flag = 7;"),
    "a do loop": ("__shared__ volatile int flag;", "int f; do { f = flag; } while (f == 0); y[t] = f;", "t < 32",
                  "flag = 7;"),
    "left in the middle": ("__shared__ volatile int flag;", "for (;;) { int f = flag; if (f) { y[t] = f; break; } }",
                           "t < 32", "flag = 7;"),
    "through a pointer": ("__shared__ int flag;", "volatile int *p = &flag; while (!*p) {} y[t] = *p;", "t < 32",
                          "*(volatile int *)&flag = 7;"),
    "through a cast": ("__shared__ int flag;", "while (*(volatile int *)&flag == 0) ; y[t] = 7;", "t < 32",
                       "*(volatile int *)&flag = 7;"),
    "atomic": ("__shared__ int flag;", "while (atomicAdd(&flag, 0) == 0) ; y[t] = 7;", "t < 32",
               "atomicExch(&flag, 7);"),
    "that is taken away": ("__shared__ int flag;", "while (atomicCAS(&flag, 1, 0) != 1) ; y[t] = 7; "
                           "atomicExch(&flag, 1);", "t < 32", "atomicExch(&flag, 1);"),
    "in a function": ("__shared__ volatile int flag;", "y[t] = wait(&flag);", "t < 32", "flag = 7;"),
    "of a structure": ("__shared__ box b; volatile int &flag = b.flag;", "while (!b.flag) {} y[t] = b.flag;", "t < 32",
                       "b.flag = 7;"),
}


@pytest.mark.parametrize("name", FLAGS)
def test_a_flag(name):
    """Those who wait come before the one who sets it."""
    declared, waits, who, sets = FLAGS[name]
    text = f"""struct box {{ volatile int flag; }};
    __device__ int wait(volatile int *p) {{ while (*p == 0) {{}} return *p; }}
    {HEAD}(int *y)
    {{
        {declared}
        int t = threadIdx.x;
        if (t == 0) flag = 0;
        __syncthreads();
        if ({who}) {{ {waits} }}
        else if (t == 40) {{ {sets} }}
    }}"""
    y = cp.zeros(64, "i4")
    kernel(text, "fibers")((1,), (64,), (y,))
    t = np.arange(64)
    assert y.get().tolist() == np.where(eval(who), 7, 0).tolist()


@pytest.mark.parametrize("wait", ["while (atomicAdd(count, 0) < gridDim.x) ;",
                                  "while (*(volatile unsigned *)count < gridDim.x) ;",
                                  "while (__ldcv(count) < gridDim.x) __nanosleep(20);"])
@pytest.mark.parametrize("blocks", [1, 2, 64])
def test_a_barrier_of_all_blocks(blocks, wait):
    """Each block waits for all others, so all must have begun."""
    text = f"""{HEAD}(const int *x, int *y, unsigned *count)
    {{
        int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
        y[i] = x[i] * 2;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {{
            atomicAdd(count, 1u);
            {wait}
        }}
        __syncthreads();
        y[n + i] = ((volatile int *)y)[n - 1 - i];
    }}"""
    n = 64 * blocks
    x, y = cp.arange(n, dtype="i4"), cp.zeros(2 * n, "i4")
    kernel(text)((blocks,), (64,), (x, y, cp.zeros(1, "u4")))
    assert y.get().tolist() == [*range(0, 2 * n, 2), *reversed(range(0, 2 * n, 2))]


LOOK_BACK = HEAD + r"""(const int *x, int *y, volatile int *state, volatile int *sum, unsigned *next)
{
    __shared__ int s[128], before;
    __shared__ unsigned me;
    int t = threadIdx.x;
    if (t == 0) me = atomicAdd(next, 1u);
    __syncthreads();
    s[t] = x[me * 128 + t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        before = 0;
        if (me) {
            while (state[me - 1] == 0) ;
            before = sum[me - 1];
        }
        sum[me] = before + s[127];
        __threadfence();
        state[me] = 1;
    }
    __syncthreads();
    y[me * 128 + t] = before + s[t];
}"""


def test_blocks_that_wait_for_those_before_them():
    n = 300
    x = np.random.default_rng(1).integers(-9, 9, n * 128).astype("i4")
    y = cp.zeros(n * 128, "i4")
    kernel(LOOK_BACK, "fibers")((n,), (128,), (cp.asarray(x), y, cp.zeros(n, "i4"), cp.zeros(n, "i4"),
                                               cp.zeros(1, "u4")))
    assert (y.get() == np.cumsum(x)).all()


LOCKS = {
    "of a loop with a flag": "bool done = false; while (!done) { if (atomicCAS(lock, 0, 1) == 0) { __threadfence(); "
                             "work(sum); __threadfence(); atomicExch(lock, 0); done = true; } }",
    "by tickets": "unsigned mine = atomicAdd(lock, 1); bool done = false; while (!done) { if (*(volatile int *)(lock "
                  "+ 1) "
                  "== mine) { work(sum); __threadfence(); *(volatile int *)(lock + 1) = mine + 1; done = true; } }",
}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock(name):
    text = f"""__device__ void work(volatile int *sum) {{ int v = sum[0]; sum[1] += v & 1; sum[0] = v + 1; }}
    {HEAD}(int *lock, int *sum) {{ {LOCKS[name]} }}"""
    sums = cp.zeros(2, "i4")
    kernel(text)((5,), (64,), (cp.zeros(2, "i4"), sums))
    assert sums.get().tolist() == [320, 160]


# Maximal independent sets as in ECL-MIS: a node decides when its neighbours of higher rank have.
MIS = HEAD + r"""(int n, const int *start, const int *to, volatile unsigned char *state)
{
    const int from = threadIdx.x + blockIdx.x * blockDim.x, step = blockDim.x * gridDim.x;
    int missing;
    do {
        missing = 0;
        for (int v = from; v < n; v += step) {
            const unsigned char mine = state[v];
            if (!(mine & 1)) continue;
            int i = start[v];
            while (i < start[v + 1] && (mine > state[to[i]] || (mine == state[to[i]] && v > to[i]))) i++;
            if (i < start[v + 1]) {
                missing = 1;
            } else {
                for (int k = start[v]; k < start[v + 1]; k++) state[to[k]] = 0;
                state[v] = 0xfe;
            }
        }
    } while (missing != 0);
}"""


def test_a_maximal_independent_set():
    rng, n = np.random.default_rng(3), 400
    edges = {(int(a), int(b)) for a, b in rng.integers(0, n, (900, 2)) if a != b}
    edges |= {(b, a) for a, b in edges}
    lists = [sorted(b for a, b in edges if a == v) for v in range(n)]
    start = np.r_[0, np.cumsum([len(one) for one in lists])].astype("i4")
    to = np.array([b for one in lists for b in one], "i4")
    state = cp.asarray(rng.integers(1, 120, n).astype("u1") * 2 + 1)
    kernel(MIS, "fibers")((2,), (64,), (np.int32(n), cp.asarray(start), cp.asarray(to), state))
    chosen = state.get() == 0xFE
    assert set(state.get().tolist()) <= {0, 0xFE}
    assert not any(chosen[a] and chosen[b] for a, b in edges)
    assert all(chosen[v] or any(chosen[b] for b in lists[v]) for v in range(n))


# What ends by itself stays a loop.
FREE = {
    "a sum by compare and swap": ("loop", "(double *sum, const double *x, int n) { int i = blockIdx.x * blockDim.x + "
        "threadIdx.x; if (i < n) { unsigned long long *p = (unsigned long long *)sum, old = *p, seen; do { seen = old; "
        "old = atomicCAS(p, seen, (unsigned long long)__double_as_longlong(x[i] + __longlong_as_double(seen))); } "
        "while (seen != old); } }"),
    "a table with open addresses": ("loop", "(double *sum, const double *x, int n) { __shared__ int none; int i = "
        "blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { int *table = (int *)sum + 2, at = i % 7; while (true) { "
        "int "
        "was = atomicCAS(&table[at], 0, i + 1); if (was == 0) { atomicAdd(sum, x[i]); return; } at = (at + 1) % 512; "
        "} } }"),
    "counted, of a volatile array": ("loop", "(double *sum, const volatile double *x, int n) { if (blockIdx.x == 0 && "
        "threadIdx.x == 0) for (int i = 0; i < n; i++) sum[0] += x[i]; }"),
    "halved, of a volatile array": ("regions", "(double *sum, const double *x, int n) { __shared__ volatile double "
        "s[64]; int t = threadIdx.x; s[t] = x[blockIdx.x * 64 + t]; __syncthreads(); int k = 32; while (k != 0) { "
        "double "
        "v = t < k ? s[t + k] : 0.0; __syncthreads(); s[t] += v; __syncthreads(); k /= 2; } if (t == 0) atomicAdd(sum, "
        "s[0]); }"),
}


@pytest.mark.parametrize("name", FREE)
def test_loops_that_do_not_wait(name):
    tier, text = FREE[name]
    x = np.arange(256.0)
    y = cp.zeros(300, "f8")
    k = kernel(HEAD + text)
    k((4,), (64,), (y, cp.asarray(x), np.int32(256)))
    assert y.get()[0] == x.sum()
    if not CHECKED:
        assert k.kernel.tier in (tier, "gpu")


@pytest.mark.once
def test_a_block_that_fails_ends_those_that_wait_for_it():
    k = kernel(HEAD + "(volatile int *flag, int *y) { if (blockIdx.x < 3) { while (*flag == 0) ; } else { y[0] = 1; "
               "*flag = 1; } }")
    with pytest.raises(Exception, match="illegal address|lies in no"):
        k((4,), (32,), (cp.zeros(1, "i4"), np.int64(16)))
    flag = cp.zeros(1, "i4")
    k((4,), (32,), (flag, cp.zeros(1, "i4")))
    assert flag.get()[0] == 1
