"""The filters' kernels with shared memory (src/science/filters/tile*.cuh) and their launches (tile_cuda.cu), run on the
CPU with blocks of threads (tests/kernels/emulator.h). The oracles are the functions of the CPU, which test_filters.py
compares with SciPy."""
import ctypes
import re
import subprocess

import cuprite as cp
import numpy as np
import pytest
from cuprite.scipy import ndimage
from test_filters_kernels import BOUNDARIES, COMPILER, INCLUDES, ROOT, TYPES, numbers, pointer

pytestmark = pytest.mark.once
HEAD = """
#include "emulator.h"
#define SERIAL_THREADS
#include "serial.h"
#include "cuda/integers.h"
#include <functional>
static std::function<void()> kernel_;
static int launches_;
static void body_() { kernel_(); }
static double tile_memory[6144];
static void run(std::function<void()> f, dim3 grid, unsigned threads, size_t bytes)
{
    if (bytes > sizeof tile_memory) abort();
    memset(tile_memory, 0xa5, sizeof tile_memory);
    kernel_ = f, launches_++;
    const unsigned g[3] = {grid.x, grid.y, grid.z}, b[3] = {threads, 1, 1};
    emulated::launch(body_, g, b);
}
"""
CALLS = """
static void copy(int n, int64_t *to, const int64_t *from) { memcpy(to, from, (size_t)n * sizeof *to); }
extern "C" int line(int op, int from, int to, int rule, const int64_t *sizes, double fill, const double *weights,
                    const void *in, void *out)
{
    cpi_line_filter f = {(cpi_line_op)op, (cp_type)from, (cp_type)to, (cpi_boundary)rule, sizes[0], sizes[1], sizes[2],
                         sizes[3], sizes[4], fill, weights, in, out};
    return cpi_filter_tile_line_cuda(serial_stream(), &f);
}
extern "C" int window(int op, int from, int to, int rule, int ndim, const int64_t *shape, const int64_t *before,
                      const int64_t *size, double fill, int64_t ntaps, int64_t rank, const double *weights,
                      const void *in, void *out)
{
    cpi_window_filter f = {(cpi_window_op)op, (cp_type)from, (cp_type)to, (cpi_boundary)rule, ndim};
    copy(ndim, f.shape, shape), copy(ndim, f.before, before), copy(ndim, f.size, size);
    f.fill = fill, f.ntaps = ntaps, f.rank = rank, f.weights = weights, f.in = in, f.out = out;
    return cpi_filter_tile_window_cuda(serial_stream(), &f);
}
"""


BITS = """
extern "C" int spread(int ndim, const int64_t *shape, const int64_t *before, const int64_t *size, int64_t ntaps,
                      const int64_t *taps, int how, const uint8_t *in, const uint8_t *mask, uint8_t *out)
{
    cpi_binary_filter f = {ndim};
    copy(ndim, f.shape, shape), copy(ndim, f.before, before), copy(ndim, f.size, size);
    f.ntaps = ntaps, f.taps = taps, f.in = in, f.mask = mask, f.out = out;
    f.dilate = how & 1, f.border = how & 2, f.monotone = true;
    bool done;
    return cpi_filter_spread_bits_cuda(serial_stream(), &f, &done) || !done;
}
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    """The launchers as a library."""
    folder = ROOT / "src/science/filters"
    own = (folder / "tile_cuda.cu").read_text().replace("extern __shared__ double tile_memory[];", "")
    own += re.sub("#include .*", "", (folder / "bits_cuda.cu").read_text())
    own, n = re.subn(r"(\w+(?:<[\w, -]+>)?)<<<(.+), (\w+), (.+), s>>>\((.*)\);$", r"run([&] { \1(\5); }, \2, \3, \4);",
                     own, flags=re.M)
    assert n and "<<<" not in own
    made = tmp_path_factory.mktemp("tiles")
    shared = (folder / "filters.cuh").read_text().replace('#include "cuda/cuda.h"', "")
    own = own.replace('#include "filters/filters.cuh"', shared)
    (made / "code.cpp").write_text(HEAD + own + CALLS + BITS)
    subprocess.run([COMPILER, "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC",
                    *(f"-I{ROOT / i}" for i in INCLUDES), f"-I{ROOT / 'tests/kernels'}", made / "code.cpp", "-o",
                    made / "code.so"], check=True)
    return ctypes.CDLL(str(made / "code.so"))


def drawn(rng, shape, dtype):
    if np.dtype(dtype).kind == "f":
        x = (rng.normal(size=shape) * 20).astype(dtype)
        x.flat[::97] = np.nan
        x.flat[1::61] = -np.inf
        return x
    return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


def exactly(got, want):
    np.testing.assert_array_equal(got, want)


TILED = ["bool", "int8", "uint8", "int16", "float16", "float32", "float64"]


def some(mode):
    """Every type has several modes."""
    at = list(BOUNDARIES).index(mode)
    return [t for n, t in enumerate(TILED) if (n + at) % 2 or t == "float32"]


SHAPES = [(37, 90), (3, 600), (2, 140, 3), (1, 5, 70)]


def line(code, x, op, axis, size, origin, mode, weights=None, dtype=None):
    to = np.zeros(x.shape, dtype or x.dtype)
    sizes = numbers(np.prod(x.shape[:axis]), x.shape[axis], np.prod(x.shape[axis + 1:]), size // 2 + origin, size)
    assert code.line(op, TYPES.index(x.dtype.name), TYPES.index(to.dtype.name), BOUNDARIES[mode], pointer(sizes),
                     ctypes.c_double(1), pointer(weights), pointer(x), pointer(to))
    return to


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("mode", BOUNDARIES)
def test_lines(code, shape, mode):
    rng = np.random.default_rng(1)
    for n, dtype in enumerate(some(mode)):
        x = drawn(rng, shape, dtype)
        y = cp.asarray(x)
        for axis in range(len(shape)):
            size = (3, 4, 5, 7, 9, 12, 25)[(n + axis) % 7]
            origin = (0, -1, 1)[n % 3]
            more = {"axis": axis, "mode": mode, "cval": 1, "origin": origin}
            weights = rng.normal(size=size)
            for w in (weights, weights + weights[::-1], weights - weights[::-1]):
                exactly(line(code, x, 0, axis, size, origin, mode, w, "float64"),
                        ndimage.correlate1d(y, w, output="float64", **more).get())
            w = weights + weights[::-1]
            if x.dtype.kind == "f":
                exactly(line(code, x, 0, axis, size, origin, mode, w), ndimage.correlate1d(y, w, **more).get())
            if size <= 12:  # sums of more are added in another order
                exactly(line(code, x, 1, axis, size, origin, mode), ndimage.uniform_filter1d(y, size, **more).get())
            exactly(line(code, x, 2, axis, size, origin, mode), ndimage.minimum_filter1d(y, size, **more).get())
            exactly(line(code, x, 3, axis, size, origin, mode), ndimage.maximum_filter1d(y, size, **more).get())


def window(code, x, op, size, origin, mode, rank=0, weights=None, dtype=None):
    to = np.zeros(x.shape, dtype or x.dtype)
    place = [pointer(numbers(*a)) for a in (x.shape, [n // 2 + o for n, o in zip(size, origin)], size)]
    done = code.window(op, TYPES.index(x.dtype.name), TYPES.index(to.dtype.name), BOUNDARIES[mode], x.ndim, *place,
                       ctypes.c_double(1), ctypes.c_int64(int(np.prod(size))), ctypes.c_int64(rank), pointer(weights),
                       pointer(x), pointer(to))
    return to if done else None


@pytest.mark.parametrize("shape", [(37, 90), (70, 33), (2, 9, 140), (5, 4), (130,), (1, 300)])
@pytest.mark.parametrize("mode", BOUNDARIES)
def test_sums(code, shape, mode):
    rng = np.random.default_rng(2)
    for dtype in some(mode):
        x = drawn(rng, shape, dtype)
        size = {1: (9,), 2: (3, 5) if dtype[0] == "f" else (4, 11), 3: (1, 7, 8)}[len(shape)]
        weights = rng.normal(size=size)
        weights.flat[2] = 1e-17
        weights.flat[1] = 0
        origin = [0, -1, 1][:len(shape)]
        if len(shape) == 3:
            origin = [0, 1, -2]
        want = ndimage.correlate(cp.asarray(x), weights, output="float64", mode=mode, cval=1, origin=origin).get()
        exactly(window(code, x, 0, size, origin, mode, weights=weights, dtype="float64"), want)
        if dtype == "float32":
            exactly(window(code, x, 0, size, origin, mode, weights=weights), want.astype(dtype))


@pytest.mark.parametrize("shape", [(37, 90), (70, 33), (2, 9, 140), (5, 4), (130,), (4, 50, 3)])
@pytest.mark.parametrize("mode", BOUNDARIES)
def test_ranks(code, shape, mode):
    rng = np.random.default_rng(3)
    for i, dtype in enumerate(some(mode)):
        x = drawn(rng, shape, dtype)
        y = cp.asarray(x)
        sizes = [(1,) * (len(shape) - 2) + (n, n) for n in (3, 5)] if len(shape) > 1 else []
        n = (3, 5, 7, 9)[i % 4]
        sizes += [tuple(n if d == axis else 1 for d in range(len(shape))) for axis in range(len(shape))]
        for size in sizes:
            taps = int(np.prod(size))
            for rank in {0, taps // 2, taps // 3, taps - 1, int(rng.integers(taps))}:
                origin = [(0, 1, -1)[i % 3] if n > 1 else 0 for n in size]
                want = ndimage.rank_filter(y, rank, size=size, mode=mode, cval=1, origin=origin).get()
                exactly(window(code, x, 3, size, origin, mode, rank), want)


@pytest.mark.parametrize("mode", ["reflect", "constant"])
def test_ranks_of_larger_boxes(code, mode):
    rng = np.random.default_rng(4)
    for dtype in TILED:
        for shape, size in [((37, 50), (7, 7)), ((2, 20, 33), (1, 4, 6)), ((40, 9), (11, 11)), ((9, 40), (1, 13))]:
            some = [drawn(rng, shape, dtype), np.full(shape, 3, dtype), rng.integers(0, 2, shape).astype(dtype)]
            if dtype[:5] == "float":
                far = rng.normal(size=shape) * 10.0**rng.integers(-4, 5, shape)
                many = np.where(rng.random(shape) < 0.5, np.nan, far)
                some += [far.astype(dtype), many.astype(dtype)]
            for x in some:
                taps = int(np.prod(size))
                for rank in {0, taps // 2, taps - 1, int(rng.integers(taps))}:
                    want = ndimage.rank_filter(cp.asarray(x), rank, size=size, mode=mode, cval=1).get()
                    exactly(window(code, x, 3, size, [0] * x.ndim, mode, rank), want)


def test_left_to_others(code):
    """What does not fit launches nothing."""
    x = np.zeros((64, 64), "f4")
    assert window(code, x[:4], 3, (4, 4), (0, 0), "reflect", 3) is None
    assert window(code, x, 0, (65, 65), (0, 0), "reflect", weights=np.ones((65, 65))) is None
    assert window(code, x, 2, (3, 3), (0, 0), "reflect") is None
    assert window(code, x.astype("i8"), 3, (3, 3), (0, 0), "reflect", 4) is None


def spread(code, x, structure, before, mask, dilate, border):
    out = np.zeros(x.shape, bool)
    window = np.flip(structure) if dilate else structure
    mine = [n - 1 - b if dilate else b for n, b in zip(structure.shape, before)]
    taps = np.flatnonzero(window).astype("i8")
    place = [pointer(numbers(*a)) for a in (x.shape, mine, structure.shape)]
    assert not code.spread(x.ndim, *place, ctypes.c_int64(len(taps)), pointer(taps), dilate | 2 * border, pointer(x),
                           pointer(mask), pointer(out))
    return out


@pytest.mark.parametrize("shape", [(300,), (7, 40), (70, 135), (260, 30)])
def test_regions(code, shape):
    """Until nothing changes, over the edges of words, warps and blocks."""
    rng, ndim = np.random.default_rng(len(shape)), len(shape)
    cross, full = (ndimage.generate_binary_structure(ndim, k).get() for k in (1, ndim))
    upper = full.copy()
    upper[-1] = False
    for structure, before in [(cross, [1] * ndim), (full, [1] * ndim), (upper, [1] * ndim),
                              (np.ones((2,) * ndim, bool), [0] * ndim)]:
        for dilate, border, masked in [(1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 0)]:
            x, mask = rng.random(shape) < (0.002 if dilate else 0.998), rng.random(shape) < 0.62
            x.flat[:: 977] = bool(dilate)
            given = mask if masked else None
            got = spread(code, x, structure, before, given, dilate, border)
            f = ndimage.binary_dilation if dilate else ndimage.binary_erosion
            want = f(cp.asarray(x), cp.asarray(structure), -1, None if given is None else cp.asarray(given),
                     border_value=border, origin=tuple(b - n // 2 for b, n in zip(before, structure.shape)))
            np.testing.assert_array_equal(got, want.get())


def test_a_region_that_winds(code):
    """A path through all blocks, there and back."""
    mask = np.zeros((260, 150), bool)
    mask[:, ::16] = True
    for k in range(0, 144, 16):
        mask[0 if k % 32 else -1, k:k + 16] = True
    x = np.zeros_like(mask)
    x[0, 0] = True
    got = spread(code, x, np.ones((3, 3), bool), [1, 1], mask, 1, 0)
    np.testing.assert_array_equal(got, mask)
