"""What loops over a row of threads become vectors for: sums with the thread's index taken apart, variables with a new
value from a statement on, loops as long as the warp's number, folds made once for a warp, threads at every n-th place.
Each against NumPy, on every device; on the CPU the tier is `regions`."""
import os

import numpy as np
import pytest

import cuprite as cp

CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"
CG = "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n" \
     "namespace cg = cooperative_groups;\n"


def launch(body, block, *arguments, grid=(1,), parameters="int *y", head="", tier="regions"):
    text = f'{head}extern "C" __global__ void k({parameters}) {{ __shared__ int s[1024]; {body} }}'
    k = cp.RawKernel(text, "k", options=("--std=c++17",))
    k(grid, block, arguments)
    if not CHECKED:
        assert k.kernel.tier in (tier, "gpu")


def ids(block):
    number = np.arange(int(np.prod(block)))
    return number % block[0], number // block[0], number


FEW = {"(t & 5) == 0": lambda t: (t & 5) == 0, "t % 32 == 31": lambda t: t % 32 == 31,
       "(t & 7) == 3": lambda t: (t & 7) == 3, "t % 8 == 8": lambda t: t < 0, "t % 4 == 9": lambda t: t < 0,
       "(t & 0xf) == 017": lambda t: (t & 15) == 15, "t % 3 == 2 && t > 4": lambda t: (t % 3 == 2) & (t > 4),
       "t % 8 == -1": lambda t: t < 0}


@pytest.mark.parametrize("block", [(64,), (45,), (24, 3)], ids=str)
@pytest.mark.parametrize("test", FEW)
def test_threads_at_every_nth_place(test, block):
    x, _, number = ids(block)
    y = cp.zeros(number.size, "i4")
    launch(f"int t = threadIdx.x, id = t + blockDim.x * threadIdx.y; s[id] = 1; __syncthreads(); "
           f"if ({test}) s[id] += 5; __syncthreads(); y[id] = s[id];", block, y)
    np.testing.assert_array_equal(y.get(), np.where(FEW[test](x), 6, 1))


@pytest.mark.parametrize("block", [(32,), (24, 5), (8, 4, 3)], ids=str)
@pytest.mark.parametrize("test", ["r < k", "r == k", "r % 8 == 0", "r + k < 40"])
def test_ranks_of_a_block_in_each_row(test, block):
    number = np.arange(int(np.prod(block)))
    y = cp.zeros(number.size, "i4")
    launch(f"int r = cg::this_thread_block().thread_rank(), k = 21; s[r] = r; __syncthreads(); if ({test}) s[r] = -1; "
           "__syncthreads(); y[r] = s[r];", block, y, head=CG)
    took = {"r < k": number < 21, "r == k": number == 21, "r % 8 == 0": number % 8 == 0, "r + k < 40": number < 19}
    np.testing.assert_array_equal(y.get(), np.where(took[test], -1, number))


# Sums of which a row's threads are one behind the other, or seem to be.
SUMS = ["row * p + threadIdx.x", "row * p + t", "threadIdx.x + row * p", "row * p + t - 1 + 1", "t + p * row",
        "row * p + threadIdx.x * 1u", "(row * p + 3) + t - 3u", "row * p - 7 + t + 7"]


@pytest.mark.parametrize("e", SUMS)
def test_sums_with_the_index(e):
    n, p = 96, 40
    x = np.arange(5000, dtype="i4")[::-1].copy()
    y, z = cp.zeros(n, "i4"), cp.zeros(n, "i4")
    launch(f"int t = threadIdx.x; unsigned row = threadIdx.y; s[0] = 1; __syncthreads(); int c = {e}; "
           f"const int d = {e}, f = d + 1; y[row * 32 + t] = x[{e}] + (c == d ? 0 : 100000); "
           "z[row * 32 + t] = x[c] + f;",
           (32, 3), cp.asarray(x), y, z, np.uint32(p), parameters="const int *x, int *y, int *z, unsigned p")
    at = np.arange(n) // 32 * p + np.arange(n) % 32
    np.testing.assert_array_equal(y.get(), x[at])
    np.testing.assert_array_equal(z.get(), x[at] + at + 1)


def test_a_sum_that_wraps_in_a_row():
    x = np.arange(100, dtype="i4")
    y = cp.zeros(64, "i4")
    launch("unsigned t = threadIdx.x; s[t] = 0; __syncthreads(); if (t >= back) s[t] = x[t - back]; __syncthreads(); "
           "y[t] = s[t]; if (t > 9) y[t] += x[0u - back + threadIdx.x];", (64,), cp.asarray(x), y, np.uint32(3),
           parameters="const int *x, int *y, unsigned back")
    t = np.arange(64)
    np.testing.assert_array_equal(y.get(), np.where(t >= 3, x[t - 3], 0) * np.where(t > 9, 2, 1))


def test_a_sum_of_several_blocks_and_types():
    y = cp.zeros(6 * 40, "i8")
    launch("s[0] = 0; __syncthreads(); long i = blockIdx.x * 40 + threadIdx.x; int j = blockIdx.x * 40 + threadIdx.x; "
           "short k = blockIdx.x * 40 + threadIdx.x; unsigned u = blockIdx.x * n + threadIdx.x; "
           "y[u] = i * 1000000000 + j * 10000 + k;", (40,), y, np.uint32(40), grid=(6,),
           parameters="long long *y, unsigned n")
    i = np.arange(240, dtype="i8")
    np.testing.assert_array_equal(y.get(), i * 1000000000 + i * 10000 + i)


VERSIONS = {
    # body behind `int c = t * 2; s[t] = c; barrier`, and y
    "c = 63 - t; B y[t] = s[c] + c;": lambda t: (63 - t) * 3,
    "int d = c + 1; B c = 63 - t; B y[t] = d * 1000 + c;": lambda t: (2 * t + 1) * 1000 + 63 - t,
    "B c = 63 - t; int d = c + 1; B c = t; B y[t] = d * 1000 + c;": lambda t: (64 - t) * 1000 + t,
    "B c = n; B y[t] = s[c] + t; B c = n + 1; B y[t] += c;": lambda t: 10 + t + 6,
    "B c = s[(t + 1) & 63]; B s[t] = 0; B y[t] = c;": lambda t: 2 * ((t + 1) & 63),
    "B c = 63 - t; B if (t < 5) c = 7; B y[t] = c;": lambda t: np.where(t < 5, 7, 63 - t),
    "B c = 63 - t; B for (int k = 0; k < 3; k++) { B c += k; } B y[t] = c;": lambda t: 66 - t,
    "B int *q = &c; B c = 63 - t; B y[t] = *q;": lambda t: 63 - t,
    "B int &q = c; B c = 63 - t; B y[t] = q;": lambda t: 63 - t,
    "y[t] = 0; for (int k = 0; k < 3; k++) { int e = t; B e = t * k; B y[t] += e; }": lambda t: 3 * t,
    "for (int k = 0; k < 3; k++) { B c = c + 1; B } y[t] = c;": lambda t: 2 * t + 3,
    "B if (n > 3) { B c = 63 - t; B } y[t] = c;": lambda t: 63 - t,
    "B if (t < 32) { c = 1; } B c = c * 2; B y[t] = c;": lambda t: np.where(t < 32, 2, 4 * t),
    "B { int c = 5 + t; B c = 1 - t; B s[t] = c; } B y[t] = c + s[t];": lambda t: 2 * t + 1 - t,
    "B c = 63 - t, s[t] = 1; B y[t] = c + s[t];": lambda t: 64 - t,
    "unsigned char e = 1; B e = t + 300; B y[t] = e;": lambda t: (t + 300) & 255,
}


@pytest.mark.parametrize("body", VERSIONS)
def test_variables_with_a_new_value(body):
    y = cp.zeros(64, "i4")
    launch("int t = threadIdx.x; int c = t * 2; s[t] = c; __syncthreads(); " + body.replace("B ", "__syncthreads(); "),
           (64,), y, np.int32(5), parameters="int *y, int n",
           tier="fibers" if "&c" in body or "&q" in body else "regions")
    np.testing.assert_array_equal(y.get(), VERSIONS[body](np.arange(64)))


@pytest.mark.parametrize("block", [(256,), (80,), (20,), (48, 3)], ids=str)
@pytest.mark.parametrize("loop", ["for (int k = 0; k < t / 32; k++) v += s[k];",
                                  "for (int k = threadIdx.x >> 5; k >= 0; --k) { int w = s[k]; v += w * k; }",
                                  "for (int k = m; k < t / warpSize + m; k += 2) v += s[k] + t;"])
def test_loops_as_long_as_the_warps_number(loop, block):
    x, _, number = ids(block)
    y = cp.zeros(number.size, "i4")
    launch(f"int t = threadIdx.x, id = t + blockDim.x * threadIdx.y; s[id] = id + 3; int v = t; __syncthreads(); "
           f"{loop} __syncthreads(); y[id] = v;", block, y, np.int32(1), parameters="int *y, int m")
    s, expected = number + 3, x.copy()
    for i, t in enumerate(x):
        if "k = 0" in loop:
            expected[i] += s[:t // 32].sum()
        elif ">>" in loop:
            expected[i] += sum(s[k] * k for k in range(t // 32 + 1))
        else:
            expected[i] += sum(s[k] + t for k in range(1, t // 32 + 1, 2))
    np.testing.assert_array_equal(y.get(), expected)


@pytest.mark.parametrize("block", [(128,), (40,), (16, 6)], ids=str)
@pytest.mark.parametrize("size", [32, 16, 4])
def test_folds_and_scans_of_tiles(size, block):
    number = np.arange(int(np.prod(block)))
    x = (number * 7919 % 101).astype("i4")
    y, f = cp.zeros((4, number.size), "i4"), cp.zeros(number.size, "f4")
    launch(f"auto b = cg::this_thread_block(); auto w = cg::tiled_partition<{size}>(b); int r = b.thread_rank(), n = "
           "b.size(), v = x[r]; y[r] = cg::reduce(w, v, cg::plus<int>()); y[n + r] = cg::reduce(w, v, "
           "cg::greater<int>()); y[2 * n + r] = cg::inclusive_scan(w, v, cg::plus<int>()); y[3 * n + r] = "
           "cg::exclusive_scan(w, v, cg::plus<int>()); f[r] = cg::reduce(w, 1.0f / (v + 1), cg::plus<float>());",
           block, cp.asarray(x), y, f, parameters="const int *x, int *y, float *f", head=CG)
    tiles = [x[i:i + size] for i in range(0, x.size, size)]
    expected = [np.repeat([a.sum() for a in tiles], [a.size for a in tiles]),
                np.repeat([a.max() for a in tiles], [a.size for a in tiles]),
                np.concatenate([np.cumsum(a) for a in tiles]), np.concatenate([np.cumsum(a) - a for a in tiles])]
    np.testing.assert_array_equal(y.get(), expected)
    sums = [np.float32(1) / (a + 1).astype("f4") for a in tiles if a.size == size]
    for k, v in enumerate(sums):  # a GPU's order: each half with the other
        while v.size > 1:
            v = v[:v.size // 2] + v[v.size // 2:]
        np.testing.assert_array_equal(f.get()[k * size:(k + 1) * size], v[0])


def test_reductions_of_whole_and_of_half_warps():
    x = (np.arange(96) * 37 % 61).astype("i4")
    y = cp.zeros((3, 96), "i4")
    launch("int t = threadIdx.x, v = x[t]; y[t] = __reduce_add_sync(0xffffffff, v); "
           "y[96 + t] = __reduce_max_sync(t % 32 < 16 ? 0xffffu : 0xffff0000u, v); if (t < 64) { "
           "y[192 + t] = __reduce_min_sync(0xffffffff, v); }", (96,), cp.asarray(x), y,
           parameters="const int *x, int *y")
    whole, half = x.reshape(3, 32), x.reshape(6, 16)
    np.testing.assert_array_equal(y.get()[0], np.repeat(whole.sum(1), 32))
    np.testing.assert_array_equal(y.get()[1], np.repeat(half.max(1), 16))
    np.testing.assert_array_equal(y.get()[2], np.where(np.arange(96) < 64, np.repeat(whole.min(1), 32), 0))


@pytest.mark.parametrize("threads", [32, 45, 96, 1024])
def test_votes_of_a_block_that_is_all_there(threads):
    y = cp.zeros((4, threads), "i4")
    launch("int t = threadIdx.x, n = blockDim.x; y[t] = __syncthreads_and(t >= 0); y[n + t] = __syncthreads_and(t != 7); "
           "y[2 * n + t] = __syncthreads_count(t % 3 == 0); y[3 * n + t] = __all_sync(~0u, t < 40);", (threads,), y)
    t = np.arange(threads)
    assert (y.get()[0] != 0).all() and not y.get()[1].any() and (y.get()[2] == (t % 3 == 0).sum()).all()
    np.testing.assert_array_equal(y.get()[3] != 0, t // 32 < 1 if threads > 40 else t >= 0)
