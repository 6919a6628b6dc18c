"""What kernels of the GPU divide by and iterate with (src/array/loop: divisor.h, unravel.cuh, device_loop.cuh,
transpose.cuh) and how they continue an axis (boundary.h), compiled as a
user's kernels, so that CI, which has no GPU, runs them on the CPU. The oracle is exact arithmetic of Python's."""
import functools
import pathlib
import random
import re
import sys

import numpy as np
import pytest

import cuprite as cp

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/generate"))
import module_folders  # noqa: E402

TYPES = """#ifndef __CUPRITE_CPU__  // NVRTC has no <stdint.h>
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#define UINT64_MAX 0xffffffffffffffffull
#endif
"""
DIVISION = """
extern "C" __global__ void small(const long long *by, const unsigned *i, unsigned *q, unsigned *rest, long long n)
{
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k >= n) return;
    cpi_divisor d = cpi_divisor_of(by[k]);
    q[k] = cpi_quotient(&d, i[k]);
    unsigned outer = i[k];
    rest[k] = cpi_index_along(d, outer);
    if (outer != q[k]) rest[k] = 0xffffffffu;
}
extern "C" __global__ void large(const long long *by, const unsigned long long *v, unsigned long long *q,
                                 unsigned long long *rest, long long n)
{
    long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (k >= n) return;
    cpi_divisor64 d = cpi_divisor64_of(by[k]);
    q[k] = cpi_quotient64(&d, v[k]);
    uint64_t outer = v[k];
    rest[k] = cpi_index_along(d, outer);
    if (outer != q[k]) rest[k] = ~0ull;
}
"""
UNRAVELLING = """
template <class Extent, class Index> __device__ void unravelled(int ndim, const Extent *shape, Index i, int64_t *to)
{
    for (int d = 0; d < ndim; d++) to[d] = -1;
    cpi_indices_of(ndim, shape, i, [&](int d, Index at) { to[d] = (int64_t)at; });
}
extern "C" __global__ void unravel(int kind, int ndim, const int64_t *shape, const int64_t *i, int64_t *to,
                                   int64_t n)
{
    int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (k >= n) return;
    cpi_divisor small[8];
    cpi_divisor64 large[8];
    for (int d = 0; d < ndim; d++) {
        if (kind == 0) small[d] = cpi_divisor_of(shape[d]);
        large[d] = cpi_divisor64_of(shape[d]);
    }
    if (kind == 0) unravelled(ndim, small, (uint32_t)i[k], to + k * ndim);
    if (kind == 1) unravelled(ndim, large, (uint64_t)i[k], to + k * ndim);
    if (kind == 2) unravelled(ndim, shape, i[k], to + k * ndim);
}
"""
TRANSPOSITION = """
template <class E, int TILE, int ROWS>
__global__ void transpose(const E *x, E *y, int m, int n)
{
    __shared__ cpi_tile<E, TILE> tile;
    const int tx = threadIdx.x, ty = threadIdx.y, tiles = (n + TILE - 1) / TILE, all = tiles * ((m + TILE - 1) / TILE);
    for (int b = blockIdx.x; b < all; b += gridDim.x) {
        const int i0 = b / tiles * TILE, j0 = b % tiles * TILE;
        cpi_transpose_tile<ROWS, true>(
            tile, tx, ty,
            [&](int j, E &v) { if (i0 + ty + j < m && j0 + tx < n) v = x[(i0 + ty + j) * n + j0 + tx]; },
            [&](int j, const E &v) { if (j0 + ty + j < n && i0 + tx < m) y[(j0 + ty + j) * m + i0 + tx] = v; });
    }
}
"""
# A kernel over a loop, as src/array/loop/README.md has it: lines that are one axis apart, each continued by a mode.
LINES = """
struct line_args {
    cpi_device_loop loop;
    char *out;
    const char *in;
    int64_t length, out_step, in_step;
    int mode;
};
__device__ void line(const line_args &g, int64_t i)
{
    int64_t offset[2];
    cpi_offset_of(g.loop, i, offset);
    for (int64_t k = 0; k < 3 * g.length; k++) {
        const int64_t at = cpi_boundary_index(k - g.length, g.length, (cpi_boundary)g.mode);
        *(int *)(g.out + offset[0] + k * g.out_step) = at < 0 ? -1 : *(const int *)(g.in + offset[1] + at * g.in_step);
    }
}
extern "C" __global__ void lines(int ndim, const int64_t *shape, const int64_t *strides, int64_t n, int64_t length,
                                 int64_t out_step, int64_t in_step, int mode, char *out, const char *in)
{
    line_args g;
    g.loop.ndim = ndim, g.loop.n = n;
    for (int d = 0; d < ndim; d++) {
        g.loop.shape[d] = cpi_divisor_of(shape[d]);
        for (int k = 0; k < 2; k++) g.loop.strides[k][d] = strides[k * ndim + d];
    }
    g.out = out, g.in = in, g.length = length, g.out_step = out_step, g.in_step = in_step, g.mode = mode;
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) line(g, i);
}
"""


def text(*files):
    """Headers of src, each once, without what they include of the system's."""
    seen, lines = set(), []

    def take(name):
        if name in seen:
            return
        seen.add(name)
        for line in module_folders.file(name).read_text().splitlines():
            own = re.match(r'#include "(.*)"', line)
            if own:
                take(own.group(1))
            elif not line.startswith("#include <"):
                lines.append(line)

    for file in files:
        take(file)
    return TYPES + "\n".join(lines)


def quick(device):
    """The option that lets g++ compile in a third of the time; older versions of NVRTC do not know it."""
    return () if device.startswith("cuda") else ("--Ofast-compile=max",)


@functools.lru_cache(maxsize=None)
def module(device, file, more, names=()):
    return cp.RawModule(code=text(file) + more, name_expressions=names, options=("--std=c++17", *quick(device)))


@pytest.fixture
def kernel(device):
    def get(file, more, name, names=()):
        return module(device, file, more, names).get_function(name)
    return get


def divided(f, pairs, dtype):
    by, i = (np.array(side, t) for side, t in zip(zip(*pairs), ("i8", dtype)))
    n = len(by)
    q, rest = cp.empty(n, dtype), cp.empty(n, dtype)
    f((-(-n // 256),), (256,), (cp.asarray(by), cp.asarray(i), q, rest, np.int64(n)))
    wanted = [divmod(int(v), int(d)) for d, v in zip(by, i)]
    assert cp.asnumpy(q).tolist() == [w[0] for w in wanted]
    assert cp.asnumpy(rest).tolist() == [w[1] for w in wanted]


def near(limit, *values):
    return sorted({w for v in values for w in (v - 1, v, v + 1) if 0 <= w < limit})


def test_divisors_of_31_bits(kernel):
    """All powers of two and their neighbours, small divisors, random ones: numerators at multiples and beside them."""
    rng, pairs, limit = random.Random(7), [], 1 << 31
    powers = [d for k in range(32) for d in ((1 << k) - 1, 1 << k, (1 << k) + 1) if 0 < d <= limit]
    for d in {*powers, *range(1, 200), *(rng.randrange(1, limit) for _ in range(300))}:
        ends = near(limit, 0, d, 2 * d, (limit - 1) // d * d, limit - 1,
                    *(rng.randrange(limit) // d * d for _ in range(5)))
        pairs += [(d, i) for i in ends + [rng.randrange(limit) for _ in range(5)]]
    divided(kernel("loop/unravel.cuh", DIVISION, "small"), pairs, "u4")


def test_divisors_of_64_bits(kernel):
    rng, pairs, limit = random.Random(8), [], 1 << 64
    powers = [d for k in range(64) for d in ((1 << k) - 1, 1 << k, (1 << k) + 1) if 0 < d < 1 << 63]
    for d in {*powers, *range(1, 100), *(rng.randrange(1, 1 << rng.randrange(1, 64)) for _ in range(300))}:
        ends = near(limit, 0, d, (1 << 31) // d * d, (1 << 32) // d * d, (1 << 63) - 1, ((1 << 63) - 1) // d * d,
                    (limit - 1) // d * d, limit - 1)
        pairs += [(d, i) for i in ends + [rng.randrange(1 << rng.randrange(1, 65)) for _ in range(5)]]
    divided(kernel("loop/unravel.cuh", DIVISION, "large"), pairs, "u8")


@pytest.mark.parametrize("shape", [(1,), (7,), (3, 5), (1, 1, 4), (2, 3, 4, 5), (1 << 15, 1 << 15), (65521, 32749),
                                   (3, 1 << 20, 600), (1 << 20, 1 << 20, 1 << 20), ((1 << 61) - 1, 3),
                                   (1 << 32, 1 << 30), (5, (1 << 32) + 1, 1 << 16)])
@pytest.mark.parametrize("kind", [0, 1, 2], ids=["31 bits", "64 bits", "undivided"])
def test_indices_of_a_linear_index(kernel, kind, shape):
    size = int(np.prod([int(n) for n in shape], dtype=object))
    if kind == 0 and size > 1 << 31:
        size = 1 << 31  # numerators that are allowed
        if max(shape) > 1 << 31:
            return
    rng = random.Random(9)
    i = near(size, 0, size // 2, size - 1, *(rng.randrange(size) for _ in range(50)),
             *(rng.randrange(size) // shape[-1] * shape[-1] for _ in range(20)))
    to = cp.full((len(i), len(shape)), -2, "i8")
    kernel("loop/unravel.cuh", UNRAVELLING, "unravel")(
        (-(-len(i) // 64),), (64,), (np.int32(kind), np.int32(len(shape)), cp.array(shape, "i8"), cp.array(i, "i8"), to,
                                     np.int64(len(i))))
    wanted = []
    for v in i:
        at = []
        for n in reversed(shape[1:]):
            v, rest = divmod(v, n)
            at.insert(0, rest)
        wanted.append([v, *at])
    assert cp.asnumpy(to).tolist() == wanted


@pytest.mark.parametrize("m, n", [(1, 1), (32, 32), (64, 64), (33, 31), (5, 200), (200, 5), (130, 70)])
@pytest.mark.parametrize("dtype, c, tile, rows", [("u1", "unsigned char", 64, 4), ("u2", "unsigned short", 64, 4),
                                                  ("u4", "unsigned", 64, 4), ("u4", "unsigned", 16, 4),
                                                  ("u8", "unsigned long long", 32, 8)])
def test_transposed_tiles(kernel, m, n, dtype, c, tile, rows):
    name = f"transpose<{c}, {tile}, {rows}>"
    x = np.random.default_rng(3).integers(0, 256, (m, n)).astype(dtype)
    y = cp.full((n + 1, m), 77, dtype)
    kernel("loop/transpose.cuh", TRANSPOSITION, name, (name,))(
        (3,), (tile, rows), (cp.asarray(x), y, np.int32(m), np.int32(n)))
    np.testing.assert_array_equal(cp.asnumpy(y)[:n], x.T)
    assert (cp.asnumpy(y)[n] == 77).all()


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("mode, numpys", [(0, "constant"), (1, "edge"), (2, "symmetric"), (3, "reflect"), (5, "wrap")])
def test_lines_of_a_loop(device, axis, mode, numpys):
    """A kernel over the other axes of a strided array, whose lines are continued on both sides."""
    x = np.arange(4 * 5 * 6, dtype="i4").reshape(4, 6, 5).transpose(0, 2, 1)[::-1, :, ::2]
    n, shape = x.shape[axis], [1 if d == axis else m for d, m in enumerate(x.shape)]
    wide = [3 * n if d == axis else m for d, m in enumerate(x.shape)]
    ours, out = cp.asarray(x.base).reshape(4, 6, 5).transpose(0, 2, 1)[::-1, :, ::2], cp.full(wide, -7, "i4")
    strides = [*out.strides, *ours.strides]
    more = text("loop/boundary.h").removeprefix(TYPES) + LINES
    f = module(device, "loop/device_loop.cuh", more).get_function("lines")
    f((2,), (16,), (np.int32(3), cp.array(shape, "i8"), cp.array(strides, "i8"), np.int64(np.prod(shape)), np.int64(n),
                    np.int64(out.strides[axis]), np.int64(ours.strides[axis]), np.int32(mode), out, ours))
    options = {"constant_values": -1} if numpys == "constant" else {}
    widths = [(n, n) if d == axis else (0, 0) for d in range(3)]
    np.testing.assert_array_equal(cp.asnumpy(out), np.pad(x, widths, numpys, **options))
