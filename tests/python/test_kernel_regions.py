"""Loops between barriers: branches that few threads take, variables that are one for the block though they change, and
groups as what they are made of. Each against NumPy, on every device; on the CPU the tier is `regions`."""
import os

import numpy as np
import pytest

import cuprite as cp

CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"


def run(body, block, head="", tier="regions", arguments=()):
    """y of each thread, which is 0 before; t is threadIdx.x, id the thread's number."""
    text = f"""{head} extern "C" __global__ void k(int *y, int n, int m)
    {{
        __shared__ int s[256];
        int t = threadIdx.x;
        int id = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        {body}
    }}"""
    threads = int(np.prod(block))
    y = cp.zeros(threads, "i4")
    k = cp.RawKernel(text, "k", options=("--std=c++17",))
    k((1,), block, (y, np.int32(12), np.int32(5)))
    if not CHECKED:
        assert k.kernel.tier in (tier, "gpu")
    return y.get()


def threads(block):
    """threadIdx.x and the number of each thread."""
    number = np.arange(int(np.prod(block)))
    return number % block[0], number


BLOCKS = [(64,), (7,), (16, 4), (5, 3, 2)]
# In C and in NumPy.
TESTS = {
    "t < n": lambda t, i, k: t < 12, "t < k": lambda t, i, k: t < k, "t == 0": lambda t, i, k: t == 0,
    "t == m": lambda t, i, k: t == 5, "!t": lambda t, i, k: t == 0, "(t < k)": lambda t, i, k: t < k,
    "t < -1": lambda t, i, k: t < -1, "t < 2.5f": lambda t, i, k: t < 2.5, "t % k == 0": lambda t, i, k: t % k == 0,
    "t % (2 * k) == 0": lambda t, i, k: t % (2 * k) == 0, "(t & 3) == 0": lambda t, i, k: t & 3 == 0,
    "t % 4 == 0 && t + k < n": lambda t, i, k: (t % 4 == 0) & (t + k < 12), "t % -3 == 0": lambda t, i, k: t % 3 == 0,
    "t < n && id != 3": lambda t, i, k: (t < 12) & (i != 3), "t + m < n": lambda t, i, k: t + 5 < 12,
    "t < n && (t > 2 || id == 0)": lambda t, i, k: (t < 12) & ((t > 2) | (i == 0)),
    "a < n": lambda t, i, k: 2 * k * t < 12, "a + k < n": lambda t, i, k: 2 * k * t + k < 12,
    "a < blockDim.x": lambda t, i, k: None, "u < 10u": lambda t, i, k: t < 10, "u % 3 == 0": lambda t, i, k: t % 3 == 0,
    "t < n || t == 20": lambda t, i, k: (t < 12) | (t == 20), "t < s[0]": lambda t, i, k: t < 9,
    "threadIdx.x == 3": lambda t, i, k: t == 3, "threadIdx.x % 5 == 0": lambda t, i, k: t % 5 == 0,
}


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("test", TESTS)
def test_a_branch_that_few_take(test, block):
    body = f"""unsigned u = threadIdx.x;
        s[id & 255] = 9;
        __syncthreads();
        for (int k = 1; k < 9; k *= 2) {{
            int v = id + k;
            int a = 2 * k * t;
            y[id] += v;
            if ({test}) y[id] = y[id] * 3 + v + a;
            y[id] ^= a + v;
            __syncthreads();
        }}"""
    t, number = threads(block)
    y = np.zeros(len(t), "i8")
    for k in (1, 2, 4, 8):
        takes = 2 * k * t < block[0] if "blockDim" in test else TESTS[test](t, number, k)
        y += number + k
        y = np.where(takes, y * 3 + number + k + 2 * k * t, y)
        y = y.astype("i4").astype("i8") ^ (2 * k * t + number + k)
    assert run(body, block).tolist() == y.astype("i4").tolist()


ONE = {
    "halved": ("int k = n; while (k != 0) { s[id] = id * k; __syncthreads(); y[id] += s[id ^ 1]; __syncthreads(); k "
               "/= 2; }",
               lambda i: sum((i ^ 1) * k for k in (12, 6, 3, 1))),
    "a counter outside": ("int k; for (k = 0; k < m; k++) { s[id] = id + k; __syncthreads(); y[id] += s[id ^ 1]; "
                          "__syncthreads(); } y[id] += k * 1000;", lambda i: 5 * (i ^ 1) + 10 + 5000),
    "do": ("int k = 1; do { s[id] = id * k; __syncthreads(); y[id] += s[id ^ 1]; __syncthreads(); k <<= 1; } while (k "
           "< n);",
           lambda i: 15 * (i ^ 1)),
    "a pair that changes places": ("int *p = s, *q = s + 64; p[id] = id; __syncthreads(); for (int k = 0; k < 3; k++) "
                                   "{ "
                                   "q[id] = p[id ^ 1] + k; __syncthreads(); int *r = p; p = q; q = r; } y[id] = p[id];",
                                   lambda i: (i ^ 1) + 3),
    "under a condition of the block": ("int k = n; s[id] = id; __syncthreads(); if (m > 3) { k += 7; __syncthreads(); "
                                       "} else "
                                       "{ k -= 7; __syncthreads(); } y[id] = s[id ^ 1] + k;", lambda i: (i ^ 1) + 19),
    "under a condition of the thread": ("int k = n; s[id] = id; __syncthreads(); if (id & 1) { k += 7; } "
                                        "__syncthreads(); "
                                        "y[id] = s[id ^ 1] + k;", lambda i: (i ^ 1) + 12 + 7 * (i & 1)),
    "from memory": ("s[id] = id; __syncthreads(); int k = 1; k += s[id ^ 1]; __syncthreads(); y[id] = k;",
                    lambda i: (i ^ 1) + 1),
    "in a loop that threads leave": ("int k = 0, r = id / 32 + 1; while (r > 0) { r--; __syncthreads(); k += 2; } "
                                     "y[id] = k;",
                                     lambda i: 2 * (i // 32 + 1)),
    "left in the middle": ("int k = 0; while (true) { s[id] = k; __syncthreads(); if (k > m) break; y[id] += s[id ^ "
                           "1]; k += "
                           "2; __syncthreads(); } y[id] += 100 * k;", lambda i: 0 * i + 606),
    "by which others are computed": ("int k = 1; s[id] = id; __syncthreads(); while (k < n) { int a = id + k; k *= 2; "
                                     "__syncthreads(); y[id] += a * k; __syncthreads(); }",
                                     lambda i: sum((i + k) * 2 * k for k in (1, 2, 4, 8))),
    "the argument": ("s[id] = id; for (; n > 3; n -= 4) { __syncthreads(); y[id] += n; } y[id] += n;",
    lambda i: 24 + 0 * i),
    "with a return": ("if (id >= 48) return; int k = 4; while (k) { s[id] = id; __syncthreads(); y[id] += s[id ^ 1] + "
                      "k; "
                      "__syncthreads(); k--; }", lambda i: np.where(i < 48, 4 * (i ^ 1) + 10, 0)),
    "changed twice": ("int k = 1; while (k < 40) { s[id] = k; __syncthreads(); k += 3; y[id] += s[id ^ 1] + k; "
                      "__syncthreads(); "
                      "k *= 2; }", lambda i: 0 * i + sum(k + k + 3 for k in (1, 8, 22))),
    "a block inside": ("int k = 3; { int j = k; while (j) { __syncthreads(); y[id] += j; j--; } k = j + 50; } "
                       "__syncthreads(); "
                       "y[id] += k;", lambda i: 0 * i + 56),
}


@pytest.mark.parametrize("fibers", [False, True])
@pytest.mark.parametrize("name", ONE)
def test_variables_that_are_one_for_the_block(name, fibers, monkeypatch):
    body, model = ONE[name]
    if fibers:
        monkeypatch.setenv("CUPRITE_KERNEL_TIER", "fibers")
    y = run(body, (64,), tier="fibers" if fibers else "regions")
    assert y.tolist() == np.asarray(model(np.arange(64))).tolist()


HEAD = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
__device__ int total(cg::thread_block block, int *s, int v)
{
    s[block.thread_rank()] = v;
    block.sync();
    for (int k = block.size() / 2; k > 0; k /= 2) {
        if (block.thread_rank() < k) s[block.thread_rank()] += s[block.thread_rank() + k];
        cg::sync(block);
    }
    int r = s[0];
    block.sync();
    return r;
}
template <int N> __device__ int of_tile(cg::thread_block_tile<N> tile, int v)
{
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_xor(v, d);
    return v;
}
"""
GROUPS = {
    "the block": ("auto b = cg::this_thread_block(); y[id] = total(b, s, id) + b.thread_rank();",
                  lambda i: 2016 + i, "regions"),
    "made where it is used": ("s[id] = id; cg::this_thread_block().sync(); y[id] = s[id ^ 1] + (t == 0 ? "
                              "(int)cg::this_thread_block().size() : 0);", None, "regions"),
    "a tile as an argument": ("cg::thread_block b = cg::this_thread_block(); cg::thread_block_tile<8> g = "
                              "cg::tiled_partition<8>(b); y[id] = of_tile<8>(g, id);", lambda i: i // 8 * 64 + 28,
                              "regions"),
    "a tile of a tile": ("auto w = cg::tiled_partition<32>(cg::this_thread_block()); auto g = "
                         "cg::tiled_partition<4>(w); y[id] "
                         "= cg::reduce(g, id, cg::plus<int>()) + 1000 * g.meta_group_rank() + 100000 * "
                         "g.meta_group_size();",
                         lambda i: i // 4 * 16 + 6 + 1000 * (i % 32 // 4) + 800000, "regions"),
    "a copy": ("auto b = cg::this_thread_block(); __shared__ int from[64]; from[id] = id * 3; b.sync(); "
               "cg::memcpy_async(b, s, "
               "from, 64 * sizeof(int)); cg::wait(b); y[id] = s[63 - id];", lambda i: 3 * (63 - i), "regions"),
    "a lane of each tile": ("auto g = cg::tiled_partition<16>(cg::this_thread_block()); int v = g.shfl(id, 3); if "
                            "(g.thread_rank() == 0) s[g.meta_group_rank()] = v; cg::this_thread_block().sync(); y[id] "
                            "= s[id / "
                            "16];", lambda i: i // 16 * 16 + 3, "regions"),
    "who happens to be there": ("if (id & 1) { auto g = cg::coalesced_threads(); y[id] = g.size(); }",
                                lambda i: 16 * (i & 1), "fibers"),
}


@pytest.mark.parametrize("block", [(64,), (8, 8), (4, 4, 4)], ids=str)
@pytest.mark.parametrize("name", GROUPS)
def test_groups(name, block):
    body, model, tier = GROUPS[name]
    t, number = threads(block)
    wanted = model(number) if model else (number ^ 1) + np.where(t == 0, 64, 0)
    assert run(body, block, HEAD, tier).tolist() == wanted.tolist()


def test_other_kernels_of_a_text_with_groups():
    """The header alone changes no tier."""
    text = HEAD + """extern "C" __global__ void plain(int *y) { y[blockIdx.x * blockDim.x + threadIdx.x] += 2; }
    extern "C" __global__ void turned(int *y)
    { __shared__ int s[64]; s[threadIdx.x] = y[threadIdx.x]; __syncthreads(); y[threadIdx.x] = s[63 - threadIdx.x]; }"""
    module = cp.RawModule(code=text, options=("--std=c++17",))
    y = cp.arange(64, dtype="i4")
    for name, tier in (("plain", "loop"), ("turned", "regions")):
        k = module.get_function(name)
        k((1,), (64,), (y,))
        if not CHECKED:
            assert k.kernel.tier in (tier, "gpu")
    assert y.get().tolist() == [65 - i for i in range(64)]


@pytest.mark.once
def test_lockstep(monkeypatch):
    """Lanes of a warp that read each other's shared memory with neither volatile nor __syncwarp()."""
    monkeypatch.setenv("CUPRITE_KERNEL_LOCKSTEP", "1")
    text = """extern "C" __global__ void k(int *o)
    {
        __shared__ int s[64];
        int t = threadIdx.x, w = t & 32;
        s[t] = t;
        o[t] = s[w | ((t + 1) & 31)];
        for (int d = 16; d > 0; d /= 2) { if ((t & 31) < d) s[t] += s[t + d]; }
        o[64 + t] = s[w];
    }"""
    o = cp.zeros(128, "i4")
    cp.RawKernel(text, "k")((1,), (64,), (o,))
    t = np.arange(64)
    assert o.get().tolist() == [*(t & 32 | (t + 1) & 31), *np.where(t < 32, 496, 1520)]


POINTERS = """struct P { int *p; __device__ void set(int *q) { p = q; } };
struct A { int a[2]; };
__device__ int *next(int *p) { return p + 1; }
__device__ int sum(const int *p) { return p[0] + p[1]; }
__device__ int take(const int *p) { return *p; }
"""
# Where a pointer to a thread's variable comes from, and what is read behind a barrier: 3 * id.
KEPT = [("int *a = l;", "a[1]"), ("int *a; a = l + 1;", "a[0]"), ("int *b = l; int *a = b + 1;", "*a"),
        ("int *a = &l[1];", "a[0]"), ("int *a = 0; if (n == 12) { int *b = l; a = b; }", "a[1]"),
        ("P q; q.set(l);", "q.p[1]"), ("P q = {l};", "q.p[1]"), ("int *a = next(l);", "a[0]"),
        ("P q; q.p = (int *)&l;", "q.p[1]"), ("int *a[2] = {l, l + 1};", "*a[1]"), ("void *a = l;", "((int *)a)[1]"),
        ("int v[2][2]; v[1][0] = 3 * id; int *a = v[1];", "a[0]"), ("int a = sum(l);", "a - id"),
        ("int *b = l; int *a = &b[1];", "a[0]"), ("int *b = s + id, *a = &b[0]; b[0] = 2 * id;", "2 * id + *a"),
        ("int v = id, *p = s + id; *p++ = sum(l) + take(&v);", "p[-1] + 2 * id"),
        ("int x = 3 * id; unsigned a = *(unsigned *)&x;", "a"), ("int x = 3 * id, a = ((int *)&x)[0];", "a")]
COPIED = [("int x = 3 * id; int *a = &x;", "*a"), ("int x = 3 * id, *b = &x; int *a = b;", "*a"),
          ("A z; z.a[1] = 3 * id; int *a = z.a;", "a[1]"), ("int &r = l[1];", "r")]


@pytest.mark.parametrize("declared, value", KEPT + COPIED)
def test_pointers_to_variables_of_a_thread(declared, value):
    """They hold behind a barrier: arrays keep their places; with others the kernel is not split."""
    body = f"""int l[2];
        l[0] = id;
        l[1] = 3 * id;
        {declared}
        s[id] = id;
        __syncthreads();
        y[id] = {value} + s[(id + 1) % 64];"""
    tier = "fibers" if (declared, value) in COPIED else "regions"
    i = np.arange(64)
    assert run(body, (32, 2), POINTERS, tier).tolist() == (3 * i + (i + 1) % 64).tolist()
