"""Kernels as textbooks teach them, first part: vectors, stencils, transposes, reductions, scans, histograms, matrices.

Integers are compared exactly. Bounds of floating-point results are those of a sum in another order: n terms of size m
differ by at most n m epsilon, mostly by its square root."""
import pathlib
import re

import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, close, grid, kernel, same, tier, written

SIZES = [1, 33, 1000, 4096, 100003]
SHAPES = [(1, 1), (16, 16), (33, 47), (64, 96), (130, 257)]


def random(*shape, seed=0):
    return np.random.default_rng(seed).random(shape, "f4")


def integers(*shape, low=0, high=100, dtype="i4", seed=0):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


@pytest.mark.once
def test_there_are_enough_of_them():
    """At least 60 kernels, each asked for by a test."""
    here = pathlib.Path(__file__).parent
    text = "".join(p.read_text() for p in here.glob("test_kernel_programs*.py"))
    found = set(written())
    assert len(found) >= 60
    missing = [n for n in sorted(found) if not re.search(rf'"(?:\w+::)?{n[1]}["<]', text)]
    assert not missing
    assert {tier(*n) for n in found} == {"loop", "regions", "fibers"}


# --- vectors ---

@pytest.mark.parametrize("n", SIZES)
def test_vector_add(n):
    a, b, c = random(n), random(n, seed=1), cp.zeros(n, "f4")
    kernel("vectors", "vector_add")((blocks(n, 256),), (256,), (cp.asarray(a), cp.asarray(b), c, np.int32(n)))
    same(c, a + b)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shape", [(1, 32), (7, 100), (64, 256)])
def test_saxpy(n, shape):
    x, y = random(n), random(n, seed=1)
    out = cp.asarray(y)
    kernel("vectors", "saxpy")(shape[:1], shape[1:], (np.int32(n), np.float32(2.5), cp.asarray(x), out))
    close(out, np.float32(2.5) * x + y, 1e-6)  # one rounding or two


@pytest.mark.parametrize("n", SIZES)
def test_unrolled_by_hand(n):
    x, y = random(n).astype("f8"), random(n, seed=1).astype("f8")
    out = cp.asarray(y)
    kernel("vectors", "scale_add_unrolled")((3,), (64,), (cp.asarray(x), out, 0.5, n))
    same(out, y + 0.5 * x)


@pytest.mark.parametrize("n", SIZES + [4, 5, 6, 7])
def test_float4(n):
    x, out = random(n), cp.zeros(n, "f4")
    kernel("vectors", "copy_float4")((blocks(max(n // 4, 4), 64),), (64,), (cp.asarray(x), out, np.int32(n)))
    same(out, 2 * x)


@pytest.mark.parametrize("shape", SHAPES)
def test_matrix_add(shape):
    a, b, c = integers(*shape), integers(*shape, seed=1), cp.zeros(shape, "i4")
    kernel("vectors", "matrix_add")(grid((16, 8), *shape), (16, 8), (cp.asarray(a), cp.asarray(b), c,
                                                                   *map(np.int32, shape)))
    same(c, a + b)


@pytest.mark.parametrize("n", SIZES)
def test_gather(n):
    table, index, out = random(77).astype("f8"), integers(n, high=77), cp.zeros(n)
    kernel("vectors", "gather")((blocks(n, 128),), (128,), (cp.asarray(table), cp.asarray(index), out, np.int32(n)))
    same(out, table[index])


@pytest.mark.parametrize("shape", [(1, 1, 1), (4, 6, 8), (5, 7, 11)])
def test_three_dimensions(shape):
    block = (4, 3, 2)
    g = grid(block, *shape)
    b, t = cp.zeros(shape, "i4"), cp.zeros(shape, "i4")
    kernel("vectors", "where_am_i")(g, block, (b, t, *map(np.int32, reversed(shape))))
    z, y, x = np.indices(shape)
    same(b, (z // 2 * g[1] + y // 3) * g[0] + x // 4)
    same(t, (z % 2 * 3 + y % 3) * 4 + x % 4)


# --- stencils ---

@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["stencil_1d_plain", "stencil_1d_shared"])
def test_stencil_1d(n, name):
    x, out = integers(n), cp.zeros(n, "i4")
    kernel("stencils", name)((blocks(n, 128),), (128,), (cp.asarray(x), out, np.int32(n)))
    same(out, np.convolve(x, np.ones(7, "i4"))[3:3 + n])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["laplace_step", "laplace_step_shared"])
def test_laplace(shape, name):
    x, out = random(*shape), cp.zeros(shape, "f4")
    kernel("stencils", name)(grid((16, 16), *shape), (16, 16), (cp.asarray(x), out, *map(np.int32, shape)))
    wanted = x.copy()
    wanted[1:-1, 1:-1] = 0.25 * ((x[1:-1, :-2] + x[1:-1, 2:]) + (x[:-2, 1:-1] + x[2:, 1:-1]))
    same(out, wanted)


@pytest.mark.parametrize("shape", [(1, 1, 1), (8, 8, 8), (5, 9, 17), (12, 30, 21)])
@pytest.mark.parametrize("name, block", [("heat_3d", (8, 4, 2)), ("heat_3d_marching", (8, 8))])
def test_heat(shape, name, block):
    x, out = random(*shape).astype("f8"), cp.zeros(shape)
    g = grid(block, *shape)[:len(block)]
    kernel("stencils", name)(g, block, (cp.asarray(x), out, *map(np.int32, reversed(shape)), 0.1))
    p = np.pad(x, 1)
    around = sum(np.roll(p, s, a) for a in range(3) for s in (1, -1))[1:-1, 1:-1, 1:-1]
    close(out, x + 0.1 * (around - 6 * x), 1e-13, 1e-14)


@pytest.mark.parametrize("shape", SHAPES)
def test_life(shape):
    x = integers(*shape, high=2, dtype="u1")
    a, b, k = cp.asarray(x), cp.zeros(shape, "u1"), kernel("stencils", "life")
    for _ in range(3):
        k(grid((16, 16), *shape), (16, 16), (a, b, *map(np.int32, shape)))
        a, b = b, a
        around = sum(np.roll(x, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        x = ((around == 3) | ((around == 2) & (x == 1))).astype("u1")
    same(a, x)


# --- transposes ---

@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name, tile, block", [("transpose_naive", 16, (16, 16)), ("transpose_tiled", 32, (32, 8))])
def test_transpose(shape, name, tile, block):
    x, out = random(*shape), cp.zeros(shape[::-1], "f4")
    kernel("transposes", name)(grid((tile, tile), *shape), block, (cp.asarray(x), out, *map(np.int32, shape)))
    same(out, x.T)


PADDED = ["transpose_padded<float, 16>", "transpose_padded<double, 32>", "transpose_padded<unsigned char, 8>"]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name, dtype, tile", [(PADDED[0], "f4", 16), (PADDED[1], "f8", 32), (PADDED[2], "u1", 8)])
def test_transpose_padded(shape, name, dtype, tile):
    x, out = integers(*shape, dtype=dtype), cp.zeros(shape[::-1], dtype)
    k = kernel("transposes", name, PADDED)
    k(grid((tile, tile), *shape), (tile, tile), (cp.asarray(x), out, *map(np.int32, shape)))
    same(out, x.T)


@pytest.mark.parametrize("n", [1, 16, 47, 128])
def test_transpose_in_place(n):
    x = integers(n, n)
    a = cp.asarray(x)
    kernel("transposes", "transpose_in_place")(grid((16, 16), n, n), (16, 16), (a, np.int32(n)))
    same(a, x.T)


# --- reductions ---

def reduced(name, x, dtype, threads, per_thread=1, shared=0, **how):
    """The sum by a kernel that leaves one sum a block, run until one is left."""
    k, a = kernel("reductions", name, **how), cp.asarray(x)
    while True:
        n = a.size
        out = cp.zeros(blocks(n, threads * per_thread), dtype)
        k((out.size,), (threads,), (a, out, np.int32(n)), shared_mem=shared)
        if out.size == 1:
            return out.get()[0]
        a = out


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threads", [64, 128, 512])
@pytest.mark.parametrize("name, per_thread", [
    ("reduce_interleaved", 1), ("reduce_strided", 1), ("reduce_sequential", 1), ("reduce_first_add", 2),
    ("reduce_unrolled_volatile", 2), ("reduce_unrolled_syncwarp", 2)])
def test_reductions_by_steps(n, threads, name, per_thread):
    x = integers(n)
    assert reduced(name, x, "i4", threads, per_thread, 4 * threads) == x.sum()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("grid", [1, 5])
def test_largest_by_lanes_in_step(n, grid):
    x, out = integers(n, low=-10 ** 6, high=10 ** 6), cp.zeros(grid, "i4")
    kernel("reductions", "largest_volatile")((grid,), (128,), (cp.asarray(x), out, np.uint32(n)))
    assert out.get().max() == x.max()


TEMPLATES = [f"reduce_template<{n}>" for n in (32, 64, 128, 256, 512)]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threads", [32, 64, 128, 256, 512])
def test_reduction_by_template(n, threads):
    x = integers(n)
    assert reduced(f"reduce_template<{threads}>", x, "i4", threads, 4, names=TEMPLATES) == x.sum()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threads", [32, 96, 1024])
def test_reduction_by_shuffles(n, threads):
    x = integers(n, dtype="f4")  # integers: sums below 2^24 are exact in any order
    assert reduced("reduce_shuffle", x, "f4", threads, 2) == x.sum(dtype="f8")


@pytest.mark.parametrize("n", SIZES)
def test_reductions_by_atomics(n):
    x = integers(n, dtype="u4", high=2 ** 32)
    total = cp.zeros(1, "u8")
    kernel("reductions", "reduce_atomic")((blocks(n, 256),), (256,), (cp.asarray(x), total, np.int32(n)))
    assert total.get()[0] == x.sum(dtype="u8")
    x, total = integers(n, low=-50), cp.zeros(1, "i4")
    kernel("reductions", "reduce_warp_atomic")((blocks(n, 96),), (96,), (cp.asarray(x), total, np.int32(n)))
    assert total.get()[0] == x.sum()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shape", [(1, 256), (13, 64), (300, 256)])
def test_last_block(n, shape):
    x, partial, out = integers(n, dtype="f8"), cp.zeros(shape[0]), cp.zeros(1)
    k = kernel("reductions", "reduce_last_block")
    for _ in range(2):  # the counter is ready for the next launch
        k(shape[:1], shape[1:], (cp.asarray(x), partial, out, np.int32(n)))
        assert out.get()[0] == x.sum()


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("grid", [1, 11])
def test_arg_max(n, grid):
    x = integers(n, high=5000, dtype="f4")
    value, place = cp.zeros(grid, "f4"), cp.zeros(grid, "i4")
    kernel("reductions", "arg_max")((grid,), (128,), (cp.asarray(x), value, place, np.int32(n)))
    value, place = value.get(), place.get()
    assert value.max() == x.max() and place[value == value.max()].min() == x.argmax()


@pytest.mark.parametrize("n", SIZES)
def test_dot(n):
    a, b, out = integers(n, dtype="f8"), integers(n, dtype="f8", seed=1), cp.zeros(1)
    kernel("reductions", "dot")((min(32, blocks(n, 256)),), (256,), (cp.asarray(a), cp.asarray(b), out, np.int32(n)))
    assert out.get()[0] == a @ b


# --- scans ---

@pytest.mark.parametrize("n", [1, 2, 31, 64, 777, 1024])
def test_hillis_steele(n):
    x, out = integers(n), cp.zeros(n, "i4")
    kernel("scans", "scan_hillis_steele")((1,), (n,), (cp.asarray(x), out, np.int32(n)), shared_mem=8 * n)
    same(out, np.cumsum(x) - x)


@pytest.mark.parametrize("n", SIZES)
def test_scan_in_place(n):
    x = integers(n)
    a = cp.asarray(x)
    kernel("scans", "scan_inclusive_in_place")((blocks(n, 200),), (200,), (a, np.int32(n)))
    same(a, np.concatenate([np.cumsum(x[i:i + 200]) for i in range(0, n, 200)]))


@pytest.mark.parametrize("n", [1, 64, 500, 5000, 100003])
@pytest.mark.parametrize("threads", [32, 256])
def test_three_phases(n, threads):
    """Blocks are scanned, then their sums, in as many levels as it takes; then the sums are added."""
    scan, add = kernel("scans", "scan_blelloch"), kernel("scans", "add_block_offsets")

    def scanned(a):
        count = blocks(a.size, 2 * threads)
        out, sums = cp.zeros(a.size, "i4"), cp.zeros(count, "i4")
        room = 4 * (2 * threads + 2 * threads // 32 + 1)
        scan((count,), (threads,), (a, out, sums, np.int32(a.size)), shared_mem=room)
        if count > 1:
            add((count,), (threads,), (out, scanned(sums), np.int32(a.size), np.int32(2 * threads)))
        return out
    x = integers(n)
    same(scanned(cp.asarray(x)), np.cumsum(x) - x)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("threads", [32, 256, 1024])
def test_scan_by_shuffles(n, threads):
    x, out, count = integers(n), cp.zeros(n, "i4"), blocks(n, threads)
    sums = cp.zeros(count, "i4")
    kernel("scans", "scan_shuffle")((count,), (threads,), (cp.asarray(x), out, sums, np.int32(n)))
    parts = [np.cumsum(x[i:i + threads]) for i in range(0, n, threads)]
    same(out, np.concatenate(parts))
    same(sums, [p[-1] for p in parts])
    kernel("scans", "scan_shuffle")((count,), (threads,), (cp.asarray(x), out, None, np.int32(n)))
    same(out, np.concatenate(parts))


def test_scan_by_lanes_in_step():
    x = integers(3 * 128)
    a = cp.asarray(x)
    kernel("scans", "scan_warp_volatile")((3,), (128,), (a,))
    same(a, np.cumsum(x.reshape(-1, 32), axis=1).ravel())


@pytest.mark.parametrize("n", [1, 100, 256])
def test_segmented_scan(n):
    x, flags, out = integers(n), (integers(n, seed=3) < 10).astype("i4"), cp.zeros(n, "i4")
    kernel("scans", "scan_segmented")((1,), (256,), (cp.asarray(x), cp.asarray(flags), out, np.int32(n)))
    parts = np.split(x, np.flatnonzero(flags))
    same(out, np.concatenate([np.cumsum(p) for p in parts]))


# --- histograms ---

@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["histogram_global", "histogram_shared"])
@pytest.mark.parametrize("shape", [(1, 100), (40, 256)])
def test_histogram(n, name, shape):
    x, bins = integers(n, high=256, dtype="u1"), cp.zeros(256, "u4")
    kernel("histograms", name)(shape[:1], shape[1:], (cp.asarray(x), np.int32(n), bins))
    same(bins, np.bincount(x, minlength=256))


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("each", [1, 7])
def test_histogram_of_letters(n, each):
    text = integers(n, low=90, high=126, dtype="u1")
    bins = cp.zeros(7, "u4")
    kernel("histograms", "histogram_private_coarse")((blocks(n, 128 * each),), (128,),
                                                     (cp.asarray(text), np.uint32(n), bins, np.int32(each)))
    letters = text[(text >= 97) & (text < 123)] - 97
    same(bins, np.bincount(letters // 4, minlength=7))


@pytest.mark.parametrize("n", SIZES)
def test_histogram_per_warp(n):
    x, bins = random(n) * 3 - 1, cp.zeros(64, "i4")
    kernel("histograms", "histogram_per_warp")((5,), (128,), (cp.asarray(x), np.int32(n), np.float32(0), np.float32(1),
                                                              np.int32(64), bins), shared_mem=4 * 4 * 64)
    inside = x[(x >= 0) & (x < 1)]
    same(bins, np.bincount((inside * 64).astype("i4"), minlength=64))


@pytest.mark.parametrize("n", SIZES)
def test_histogram_by_matching(n):
    x, bins = integers(n, high=9), cp.zeros(9, "i4")
    kernel("histograms", "histogram_match")((blocks(n, 64),), (64,), (cp.asarray(x), np.int32(n), bins))
    same(bins, np.bincount(x, minlength=9))


# --- matrices ---

MATRIX = np.dtype([("rows", "i4"), ("cols", "i4"), ("stride", "i4"), ("elements", "u8")], align=True)


def matrix(a):
    return np.array((*a.shape, a.strides[0] // 4, a.data.ptr), MATRIX)


@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (16, 16, 16), (33, 17, 50)])
def test_matmul_of_structures(m, n, k):
    a, b = integers(m, k, dtype="f4"), integers(k, n, dtype="f4", seed=1)
    wide = cp.zeros((m, n + 3), "f4")
    x, y, c = cp.asarray(a), cp.asarray(b), wide[:, :n]
    kernel("matrices", "matmul_naive")(grid((16, 16), m, n), (16, 16), (matrix(x), matrix(y), matrix(c)))
    same(c, a @ b)
    assert not wide[:, n:].any()


@pytest.mark.parametrize("n", [16, 64, 144])
def test_matmul_tiled(n):
    a, b, c = integers(n, n, dtype="f4"), integers(n, n, dtype="f4", seed=1), cp.zeros((n, n), "f4")
    kernel("matrices", "matmul_tiled")(grid((16, 16), n, n), (16, 16), (cp.asarray(a), cp.asarray(b), c, np.int32(n)))
    same(c, a @ b)


GUARDED = ["matmul_guarded<float, 16>", "matmul_guarded<long long, 8>", "matmul_guarded<double, 32>"]


@pytest.mark.parametrize("name, dtype, tile", [(GUARDED[0], "f4", 16), (GUARDED[1], "i8", 8), (GUARDED[2], "f8", 32)])
@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (64, 32, 96), (33, 70, 51)])
def test_matmul_guarded(name, dtype, tile, m, n, k):
    a, b, c = integers(m, k, dtype=dtype), integers(k, n, dtype=dtype, seed=1), cp.zeros((m, n), dtype)
    kernel("matrices", name, GUARDED)(grid((tile, tile), m, n), (tile, tile),
                                      (cp.asarray(a), cp.asarray(b), c, *map(np.int32, (m, n, k))))
    same(c, a @ b)


@pytest.mark.parametrize("n, tile", [(1, 4), (40, 8), (65, 16)])
def test_matmul_dynamic_shared(n, tile):
    a, b, c = integers(n, n, dtype="f8"), integers(n, n, dtype="f8", seed=1), cp.zeros((n, n))
    kernel("matrices", "matmul_dynamic_shared")(grid((tile, tile), n, n), (tile, tile), (
        cp.asarray(a), cp.asarray(b), c, np.int32(n)), shared_mem=16 * tile * tile)
    same(c, a @ b)


@pytest.mark.parametrize("m, n, k", [(1, 1, 1), (64, 128, 32), (100, 70, 33)])
def test_matmul_in_registers(m, n, k):
    a, b, c = integers(m, k, dtype="f4"), integers(k, n, dtype="f4", seed=1), cp.zeros((m, n), "f4")
    kernel("matrices", "matmul_register_tiled")(grid((64, 64), m, n), (256,), (
        cp.asarray(a), cp.asarray(b), c, *map(np.int32, (m, n, k))))
    same(c, a @ b)


@pytest.mark.parametrize("name, per_row", [("matvec_shared", 1), ("matvec_warp", 32)])
@pytest.mark.parametrize("rows, cols", [(1, 1), (128, 128), (301, 77), (5, 1000)])
def test_matrix_times_vector(name, per_row, rows, cols):
    a, x, y = integers(rows, cols, dtype="f4"), integers(cols, dtype="f4", seed=1), cp.zeros(rows, "f4")
    kernel("matrices", name)((blocks(rows * per_row, 128),), (128,),
                             (cp.asarray(a), cp.asarray(x), y, np.int32(rows), np.int32(cols)))
    same(y, a @ x)


@pytest.mark.parametrize("n", [1, 2, 17, 40])
def test_elimination(n):
    """L U is the matrix again: n steps, each with an error of an epsilon of the pivots."""
    a = random(n, n).astype("f8") + n * np.eye(n)
    x, column, rest = cp.asarray(a), kernel("matrices", "lu_multipliers"), kernel("matrices", "lu_update")
    for k in range(n - 1):
        column((blocks(n, 32),), (32,), (x, np.int32(n), np.int32(k)))
        rest(grid((8, 8), n, n), (8, 8), (x, np.int32(n), np.int32(k)))
    low, up = np.tril(x.get(), -1) + np.eye(n), np.triu(x.get())
    close(low @ up, a, 1e-12, 1e-12)
    b = random(n, seed=1).astype("f8")
    y = cp.asarray(b)
    kernel("matrices", "solve_lower")((1,), (32,), (cp.asarray(low + np.eye(n)), y, np.int32(n)))
    close((low + np.eye(n)) @ y.get(), b, 1e-11, 1e-12)
