"""What the GPU's code of the filters computes (src/science/filters/*_cuda.cu), run by one thread without a GPU
(tests/kernels/serial.h). The oracles are the functions of the CPU, which test_filters.py compares with SciPy."""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess

import cuprite as cp
import numpy as np
import pytest
from cuprite.scipy import ndimage

pytestmark = pytest.mark.once
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build"))
COMPILER = shutil.which(os.environ.get("CUPRITE_CXX") or "g++") or shutil.which("clang++")
INCLUDES = [*("src/base src/array src/compiler src/science src include".split()), BUILD / "generated/src",
            BUILD / "generated/include"]
FILES = ["padded", "line", "window", "binary", "fourier"]
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "bfloat16",
         "float32", "float64", "complex64", "complex128"]
BOUNDARIES = {"constant": 0, "nearest": 1, "reflect": 2, "mirror": 3, "wrap": 5}
CALLS = r"""
/* those are tested by test_filters_tiles.py */
bool cpi_filter_tile_line_cuda(cp_stream *, const cpi_line_filter *) { return false; }
bool cpi_filter_tile_window_cuda(cp_stream *, const cpi_window_filter *) { return false; }
cp_code cpi_filter_spread_bits_cuda(cp_stream *, const cpi_binary_filter *, bool *done) { return *done = false, CP_OK; }
static void copy(int n, int64_t *to, const int64_t *from) { memcpy(to, from, (size_t)n * sizeof *to); }
extern "C" int line(int op, int from, int to, int rule, const int64_t *sizes, double fill, const double *weights,
                    const void *in, void *out)
{
    cpi_line_filter f = {(cpi_line_op)op, (cp_type)from, (cp_type)to, (cpi_boundary)rule, sizes[0], sizes[1], sizes[2],
                         sizes[3], sizes[4], fill, weights, in, out};
    return of_line::cpi_filters_cuda_line(serial_stream(), &f);
}
extern "C" int window(int op, int from, int to, int rule, int ndim, const int64_t *shape, const int64_t *before,
                      const int64_t *size, double fill, int64_t ntaps, int64_t rank, const int64_t *taps,
                      const double *heights, const double *weights, const void *in, void *out)
{
    cpi_window_filter f = {(cpi_window_op)op, (cp_type)from, (cp_type)to, (cpi_boundary)rule, ndim};
    copy(ndim, f.shape, shape), copy(ndim, f.before, before), copy(ndim, f.size, size);
    f.fill = fill, f.ntaps = ntaps, f.rank = rank, f.taps = taps, f.heights = heights;
    f.nheights = heights ? ntaps : 0, f.weights = weights, f.in = in, f.out = out;
    return of_window::cpi_filters_cuda_window(serial_stream(), &f);
}
extern "C" int binary(int ndim, const int64_t *shape, const int64_t *before, const int64_t *size, int64_t ntaps,
                      const int64_t *taps, int64_t iterations, int how, const uint8_t *in, const uint8_t *mask,
                      uint8_t *out)
{
    cpi_binary_filter f = {ndim};
    copy(ndim, f.shape, shape), copy(ndim, f.before, before), copy(ndim, f.size, size);
    f.ntaps = ntaps, f.iterations = iterations, f.taps = taps, f.in = in, f.mask = mask, f.out = out;
    f.dilate = how & 1, f.border = how & 2, f.monotone = how & 4;
    return of_binary::cpi_filters_cuda_binary(serial_stream(), &f);
}
extern "C" int fourier(int op, int type, int ndim, const int64_t *shape, const double *tables, const void *in,
                       void *out)
{
    cpi_fourier_filter f = {(cpi_fourier_op)op, (cp_type)type, ndim};
    copy(ndim, f.shape, shape);
    f.tables = tables, f.in = in, f.out = out;
    return of_fourier::cpi_filters_cuda_fourier(serial_stream(), &f);
}
"""


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    """The module's GPU code as a library."""
    folder = ROOT / "src/science/filters"
    shared = (folder / "filters.cuh").read_text().replace("FILTER_THREADS = 256", "FILTER_THREADS = 1")
    text = '#include "serial.h"\n' + shared.replace('#include "cuda/cuda.h"', "") + '#include "filters/fourier.h"\n'
    for name in FILES:
        own = (folder / f"{name}_cuda.cu").read_text()
        own = re.sub(r"#include .*", "", re.sub(r"<<<.*?>>>\(", "(", own, flags=re.S))
        own = re.sub(r"#define (EACH\w*)\(", r"#undef \1\n#define \1(", own)
        text += own if name == "padded" else f"namespace of_{name} {{\n{own}\n}}\n"
    made = tmp_path_factory.mktemp("filters")
    (made / "code.cpp").write_text(text + CALLS)
    subprocess.run([COMPILER, "-std=c++17", "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC",
                    *(f"-I{ROOT / i}" for i in INCLUDES), f"-I{ROOT / 'tests/kernels'}", made / "code.cpp", "-o",
                    made / "code.so"], check=True)
    return ctypes.CDLL(str(made / "code.so"))


def pointer(x):
    return None if x is None else x.ctypes.data_as(ctypes.c_void_p)


def numbers(*values):
    return np.array(values, "i8")


def drawn(rng, shape, dtype):
    if np.dtype(dtype).kind == "f":
        x = (rng.normal(size=shape) * 20).astype(dtype)
        x.flat[::17] = np.nan
        return x
    return rng.integers(0, 2 if dtype == "bool" else 100, shape).astype(dtype)


REALS = [t for t in TYPES if t != "bfloat16" and t[0] != "c"]


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("mode", BOUNDARIES)
def test_lines(code, dtype, mode):
    rng = np.random.default_rng(1)
    x, out = drawn(rng, (5, 7, 4), dtype), np.zeros((5, 7, 4), dtype)
    y = cp.asarray(x)
    for size, origin, axis in [(3, 0, 0), (4, -1, 1), (9, 2, 2), (1, 0, 1)]:
        sizes = numbers(np.prod(x.shape[:axis]), x.shape[axis], np.prod(x.shape[axis + 1:]), size // 2 + origin, size)
        more = {"axis": axis, "mode": mode, "cval": 1, "origin": origin}
        weights = rng.normal(size=size)
        for w in (weights, weights + weights[::-1], weights - weights[::-1]):
            to = np.zeros(x.shape)
            assert not code.line(0, TYPES.index(dtype), 12, BOUNDARIES[mode], pointer(sizes), ctypes.c_double(1),
                                 pointer(w), pointer(x), pointer(to))
            np.testing.assert_array_equal(to, ndimage.correlate1d(y, w, output="float64", **more).get())
        for op, f in ((1, "uniform"), (2, "minimum"), (3, "maximum")):
            assert not code.line(op, TYPES.index(dtype), TYPES.index(dtype), BOUNDARIES[mode], pointer(sizes),
                                 ctypes.c_double(1), None, pointer(x), pointer(out))
            want = getattr(ndimage, f + "_filter1d")(y, size, **more).get()
            if f == "uniform":  # sums of float64 in another order
                np.testing.assert_allclose(out.astype("f8"), want.astype("f8"), rtol=1e-3 if dtype == "float16" else
                                           1e-6 if dtype == "float32" else 1e-12, atol=1e-12)
            else:
                np.testing.assert_array_equal(out, want)


@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("mode", BOUNDARIES)
def test_windows(code, dtype, mode):
    rng = np.random.default_rng(2)
    x, out = drawn(rng, (6, 9, 5), dtype), np.zeros((6, 9, 5), dtype)
    y, t, rule = cp.asarray(x), TYPES.index(dtype), BOUNDARIES[mode]
    for shape in [(2, 3, 1), (3, 3, 3), (4, 4, 4)]:
        footprint = rng.random(shape) < 0.7
        footprint.flat[0] = True
        footprint.flat[-1] = False
        taps, origin = np.flatnonzero(footprint).astype("i8"), [0, -1, 0]
        place = [pointer(numbers(*a)) for a in (x.shape, [n // 2 + o for n, o in zip(shape, origin)], shape)]
        more = {"mode": mode, "cval": 1, "origin": origin}

        def run(op, to, rank=0, heights=None, weights=None, x=x, t=t, place=place, taps=taps):
            assert not code.window(op, t, TYPES.index(to.dtype.name), rule, 3, *place, ctypes.c_double(1),
                                   ctypes.c_int64(len(taps)), ctypes.c_int64(rank), pointer(taps), pointer(heights),
                                   pointer(weights), pointer(x), pointer(to))
            return to
        weights = rng.normal(size=shape) * footprint
        np.testing.assert_array_equal(run(0, np.zeros(x.shape), weights=weights),
                                      ndimage.correlate(y, weights, output="float64", **more).get())
        for op, f in ((1, ndimage.minimum_filter), (2, ndimage.maximum_filter)):
            np.testing.assert_array_equal(run(op, out), f(y, footprint=footprint, **more).get())
        for rank in (0, 1, len(taps) // 2, len(taps) - 1):
            want = ndimage.rank_filter(y, rank, footprint=footprint, **more).get()
            np.testing.assert_array_equal(run(3, out, rank), want)
        wide, heights = x.astype("f8"), rng.normal(size=shape)
        want = ndimage.grey_erosion(cp.asarray(wide), footprint=footprint, structure=heights, **more).get()
        got = run(1, np.zeros(x.shape), heights=heights.ravel()[taps].copy(), x=wide, t=12)
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("iterations", [1, 4, 0])
@pytest.mark.parametrize("shape", [(70,), (40, 75), (7, 8, 9)])
def test_binary(code, shape, iterations):
    rng = np.random.default_rng(3)
    ndim = len(shape)
    for dilate, border, masked in [(0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)]:
        x, mask = rng.random(shape) < (0.1 if dilate else 0.9), rng.random(shape) < 0.7
        out, given = np.zeros(shape, bool), mask if masked else None
        cross = ndimage.generate_binary_structure(ndim, 1).get()
        taps = np.flatnonzero(cross).astype("i8")
        place = [pointer(numbers(*a)) for a in (shape, [1] * ndim, [3] * ndim)]
        assert not code.binary(ndim, *place, ctypes.c_int64(len(taps)), pointer(taps), ctypes.c_int64(iterations),
                               dilate | 2 * border | 4, pointer(x), pointer(given), pointer(out))
        f = ndimage.binary_dilation if dilate else ndimage.binary_erosion
        want = f(cp.asarray(x), None, iterations, None if given is None else cp.asarray(given), border_value=border)
        np.testing.assert_array_equal(out, want.get())


@pytest.mark.parametrize("shape", [(13,), (8,), (7, 21), (6, 16), (3, 5, 12), (2, 3, 4, 5)])
@pytest.mark.parametrize("size, full", [(3, True), (5, False), (12, False)])
def test_binary_windows(code, shape, size, full):
    """Windows that reach over several words and rows, at all places; whole words and others."""
    rng, ndim = np.random.default_rng(size), len(shape)
    structure = np.ones((size,) * ndim, bool) if full else rng.random((size,) * ndim) < 60 / size**ndim
    taps = np.flatnonzero(structure).astype("i8")
    for how, iterations in [(0, 1), (1, 1), (2, 2), (3, 5), (1, 4)]:
        dilate, border = how & 1, how >> 1
        x, mask = rng.random(shape) < (0.1 if dilate else 0.97), rng.random(shape) < 0.7
        before = rng.integers(0, size, ndim)
        origin = before - size // 2
        if dilate:  # the window of a dilation is turned round
            mine, window = size - 1 - before, np.flip(structure)
        else:
            mine, window = before, structure
        taps = np.flatnonzero(window).astype("i8")
        out, given = np.zeros(shape, bool), mask if iterations == 4 else None
        place = [pointer(numbers(*a)) for a in (shape, mine, [size] * ndim)]
        assert not code.binary(ndim, *place, ctypes.c_int64(len(taps)), pointer(taps), ctypes.c_int64(iterations),
                               dilate | 2 * border, pointer(x), pointer(given), pointer(out))
        f = ndimage.binary_dilation if dilate else ndimage.binary_erosion
        want = f(cp.asarray(x), cp.asarray(structure), iterations, None if given is None else cp.asarray(given),
                 border_value=border, origin=tuple(int(o) for o in origin))
        np.testing.assert_array_equal(out, want.get())


def test_iterations_without_an_end(code):
    x, out, taps = np.arange(20) % 2 == 0, np.zeros(20, bool), numbers(0, 2)
    place = [pointer(numbers(*a)) for a in ((20,), (1,), (3,))]
    assert code.binary(1, *place, ctypes.c_int64(2), pointer(taps), ctypes.c_int64(0), 1, pointer(x), None,
                       pointer(out))


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_fourier(code, dtype):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(5, 6)).astype(dtype)
    y, out = cp.asarray(x), np.zeros_like(x)
    k = [np.fft.fftfreq(n) for n in x.shape]
    tables = {"gaussian": [np.exp(-2 * (np.pi * a * 1.5)**2) for a in k],
              "ellipsoid": [(np.pi * a * 1.5)**2 for a in k], "shift": [-2 * np.pi * a * 1.5 for a in k]}
    for op, name in enumerate(["gaussian", "shift", "ellipsoid"]):
        if name == "shift" and x.dtype.kind != "c":
            continue
        assert not code.fourier(op, TYPES.index(dtype), 2, pointer(numbers(5, 6)),
                                pointer(np.concatenate(tables[name])), pointer(x), pointer(out))
        want = getattr(ndimage, "fourier_" + name)(y, 1.5).get()
        np.testing.assert_allclose(out, want, rtol=1e-6 if out.real.dtype == "float32" else 1e-13, atol=1e-14)
