"""What geometry's kernels compute (src/science/geometry: resample.cuh, nearest.cuh), compiled as a user's kernels, so
that CI, which has no GPU, runs them on the CPU. The oracles are the same functions of the tested device, which
test_geometry.py compares with SciPy."""
import functools

import cuprite as cp
import numpy as np
import pytest
from cuprite import _geometry
from cuprite.scipy import ndimage
from test_loop_kernels import quick, text

MODES = {"constant": 0, "nearest": 1, "reflect": 2, "mirror": 3, "wrap": 4, "grid-wrap": 5, "grid-constant": 6}
RESAMPLE = """
extern "C" __global__ void positions_args(cpi_resample_args *g, bool small, int order, int in_ndim, int out_ndim,
                                          int kind, int mode, double cval, double pad, int64_t n, const int64_t *in,
                                          const int64_t *out, const double *place, const double *from, double *to)
{
    g->order = order, g->in_ndim = in_ndim, g->out_ndim = out_ndim, g->kind = kind, g->mode = (cpi_boundary)mode;
    g->cval = cval, g->pad = pad, g->n = g->out_size = n, g->in_size = 1;
    for (int d = 0; d < in_ndim; d++) g->in_size *= g->in_shape[d] = in[d];
    for (int d = 0; d < in_ndim && d < 3; d++) g->length[d] = (double)in[d];
    for (int d = 0; d < out_ndim; d++) g->out_shape[d] = out[d];
    g->small = small;
    for (int d = 0; d < out_ndim && d < 3; d++) g->by[d] = cpi_divisor_of(out[d]);
    g->place = place, g->from = from, g->to = to;
}
template <int ND, int ORDER> __global__ void resample(const cpi_resample_args *g)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= g->n) return;
    double at[ND ? ND : ORDER];
    cpi_resample_positions<ND, ND ? ND : ORDER>(*g, i, at);
    if constexpr (ND) ((double *)g->to)[i] = cpi_resample_known<double, ND, ORDER>(*g, (const double *)g->from, at);
    else ((double *)g->to)[i] = cpi_resample_any<double, ORDER>(*g, (const double *)g->from, at);
}
extern "C" __global__ void filter(int forwards, int order, int pole, int ends, int64_t outer, int64_t n, int64_t inner,
                                  double gain, const double *from, double *to)
{
    const int64_t segments = (n + CPI_SPLINE_SEGMENT - 1) / CPI_SPLINE_SEGMENT;
    cpi_spline_args g = {order, pole, (cpi_spline_ends)ends, outer, n, inner, segments, gain, from, to};
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outer * inner * segments) return;
    if (forwards) cpi_spline_forwards<double>(g, i);
    else cpi_spline_backwards(g, i);
}
"""
NEAREST = """
extern "C" __global__ void nearest(int what, int64_t outer, int64_t n, int64_t inner, int64_t parts, double step,
                                   const uint8_t *x, int *low, int *high, uint64_t *zeros, const double *from,
                                   double *least, double *to, int *nearest)
{
    cpi_nearest_args g = {outer * n * inner, outer, n, inner, parts, step, x, low, high, zeros, from, least, to,
                          nearest, false};
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (what == 0 && i < parts * inner) cpi_nearest_ends(g, i);
    if (what == 1 && i < inner) cpi_nearest_around(g, i);
    if (what == 2 && i < parts * inner) cpi_nearest_fill(g, i);
    if (what == 3 && i < outer * parts * inner) cpi_nearest_least(g, i);
    if (what == 4 && i < g.size) cpi_nearest_search(g, i);
}
extern "C" __global__ void nearest_line(bool exact, int64_t outer, int64_t n, double step, const double *from,
                                        double *to, int *nearest)
{
    extern __shared__ double memory[];
    cpi_nearest_args g = {};
    g.outer = outer, g.n = n, g.step = step, g.exact = exact;
    const int64_t first = (int64_t)blockIdx.x * n;
    cpi_nearest_line<128>(g, from + first, memory, [&](int i, double square, int32_t which) {
        to[first + i] = square, nearest[first + i] = which;
    });
}
"""
TYPES = """#ifdef __CUDACC_RTC__
typedef unsigned char uint8_t;
typedef unsigned int uint32_t;
typedef int int32_t;
typedef unsigned long long uint64_t;
#ifndef INFINITY
#define INFINITY __longlong_as_double(0x7ff0000000000000ll)
#endif
#endif
"""


@functools.lru_cache(maxsize=None)
def module(device, file, more, names=()):
    code = text(file).replace("#define CPI_BOTH static inline", "#define CPI_BOTH __device__ static inline")
    return cp.RawModule(code=TYPES + code + more, name_expressions=names, options=("--std=c++17", *quick(device)))


def launch(f, n, *args):
    f((-(-int(n) // 64),), (64,), args)


KNOWN = [(1, 1), (2, 0), (2, 1), (2, 3), (3, 1), (3, 3), (0, 3)]


def resampled(device, name, x, place, shape, kind, order, mode, small):
    functions = tuple(f"resample<{nd}, {o}>" for nd, o in KNOWN)
    m = module(device, "geometry/resample.cuh", RESAMPLE, functions)
    args, n = cp.zeros(4096, "uint8"), int(np.prod(shape))
    to = cp.full(n, np.nan)
    ints = [cp.array(v, "int64") for v in (x.shape, shape)]
    launch(m.get_function("positions_args"), 1, args, small, np.int32(order), np.int32(x.ndim), np.int32(len(shape)),
           np.int32(kind), np.int32(MODES[mode]), np.float64(2.5), np.float64(0), np.int64(n), *ints, place, x, to)
    launch(m.get_function(name), n, args)
    return to.get().reshape(shape)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("nd, order", KNOWN)
def test_values(device, nd, order, mode):
    rng = np.random.default_rng(order)
    ndim = nd or 2
    x = cp.asarray(rng.normal(0, 1, (9, 7, 5)[:ndim]))
    shape = (6, 5, 8)[:ndim]
    places = rng.uniform(-20, 30, (ndim, *shape))
    places.reshape(-1)[:3] = [np.nan, 1e300, -np.inf]
    matrix, offset = rng.normal(0, 1, (ndim, ndim)), rng.normal(0, 3, ndim)
    options = {"mode": mode, "cval": 2.5, "filtered": True}
    tests = [(3, places, _geometry.map_coordinates(x, cp.asarray(places), order, **options)),
             (0, np.hstack([matrix, offset[:, None]]),
              _geometry.affine_transform(x, cp.asarray(matrix), order, cp.asarray(offset), shape, **options)),
             (1, np.stack([matrix[0], offset / matrix[0]], 1),
              _geometry.affine_transform(x, cp.asarray(matrix[0]), order, cp.asarray(offset), shape, **options))]
    for kind, place, want in tests:
        name = f"resample<{nd}, {order}>"
        for small in (False, True):
            got = resampled(device, name, x, cp.array(place, "float64"), shape, kind, order, mode, small)
            np.testing.assert_allclose(got, want.get(), rtol=0, atol=1e-12)


STEPS = """
template <int ND, int ORDER> __global__ void steps(const cpi_resample_args *given, const double *place, int wide,
                                                   int high, uint32_t x, uint32_t y)
{
    __shared__ cpi_steps_taps<ORDER> rows[CPI_STEPS_ROWS * CPI_STEPS_THREADS / CPI_STEPS_NARROW];
    cpi_resample_args g = *given;
    for (int i = 0; i < 2 * ND; i++) g.numbers[i] = place[i];
    const cpi_steps_tiles tiles = {wide, high, x, y, 0};
    cpi_resample_steps<double, ND, ORDER>(g, tiles, blockIdx.x, rows,
                                          [&](int64_t i, double v) { ((double *)g.to)[i] = v; });
}
"""


def tiles_of(shape):
    """cpi_steps_tiles_of."""
    wide = max(5, min(8, int(shape[-1] - 1).bit_length()))
    high = 8 * (256 >> wide)
    x, y = -(-shape[-1] // 2 ** wide), -(-shape[-2] // high)
    return wide, high, x, y, x * y * (shape[0] if len(shape) == 3 else 1)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize("size, shape", [((9, 7), (9, 7)), ((70, 300), (70, 300)), ((40, 50), (23, 290)),
                                         ((5, 20, 33), (5, 20, 33)), ((3, 9, 7), (7, 70, 5))])
def test_steps(device, mode, order, size, shape):
    """Positions of one index each: the bits of the kernel of any positions."""
    rng, nd = np.random.default_rng(len(shape)), len(shape)
    x = rng.normal(0, 1, size)
    x.reshape(-1)[5:8] = [np.nan, np.inf, -np.inf]
    x = cp.asarray(x)
    names = tuple(f"steps<{d}, {o}>" for d in (2, 3) for o in (0, 1)) + \
        tuple(f"resample<{d}, {o}>" for d in (2, 3) for o in (0, 1) if (d, o) != (3, 0)) + ("resample<0, 3>",)
    m = module(device, "geometry/resample_steps.cuh", RESAMPLE + STEPS, names)
    args, n = cp.zeros(4096, "uint8"), int(np.prod(shape))
    wide, high, tiles_x, tiles_y, blocks = tiles_of(shape)
    ints = [cp.array(v, "int64") for v in (size, shape)]
    for kind, place in [(1, [[1, -3.3], [1, 2.7], [1, 0.25]][:nd]), (1, [[1, 2], [1, -3], [1, 1e300]][:nd]),
                        (1, [[0.61, 0], [1.3, 0], [-0.7, 3]][:nd]), (2, [[0.5, 0], [0.17, 0], [0.4, 0]][:nd]),
                        (1, [[1, np.nan], [1, 1], [1, 1]][:nd])]:
        place, results = cp.array(place, "float64"), []
        for name in (f"steps<{nd}, {order}>", f"resample<{0 if (nd, order) == (3, 0) else nd}, "
                     f"{3 if (nd, order) == (3, 0) else order}>"):
            to = cp.full(n, 7.0)
            launch(m.get_function("positions_args"), 1, args, True, np.int32(order), np.int32(nd), np.int32(nd),
                   np.int32(kind), np.int32(MODES[mode]), np.float64(2.5), np.float64(0), np.int64(n), *ints, place, x,
                   to)
            if name.startswith("steps"):
                m.get_function(name)((blocks,), (256,), (args, place, np.int32(wide), np.int32(high),
                                                         np.uint32(tiles_x), np.uint32(tiles_y)))
            else:
                launch(m.get_function(name), n, args)
            results.append(to.get())
        np.testing.assert_array_equal(*results)
        assert not (results[0] == 7).any()


POLES = {2: [np.sqrt(8) - 3], 3: [np.sqrt(3) - 2], 4: [-0.361341225900220177, -0.0137254292973391214],
         5: [-0.430575347099973792, -0.0430962882032646538]}
TILE = """
extern "C" __global__ void tile(int order, int pole, int ends, int64_t outer, int64_t n, int64_t inner, int64_t groups,
                                double gain, const double *from, double *to)
{
    extern __shared__ double memory[];
    cpi_spline_args g = {order, pole, (cpi_spline_ends)ends, outer, n, inner, 1, gain, from, to};
    cpi_spline_tile<double, 64>(g, groups, memory);
}
"""


@pytest.mark.parametrize("ends, mode", [(0, "mirror"), (1, "reflect")])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_coefficients_in_tiles(device, order, ends, mode):
    f = module(device, "geometry/spline_tile.cuh", TILE).get_function("tile")
    f.max_dynamic_shared_size_bytes = 276 * 33 * 8
    poles = POLES[order]
    gain = np.prod([(1 - z) * (1 - 1 / z) for z in poles])
    for shape in [(2, 2, 3), (1, 3, 1), (2, 50, 2), (1, 177, 9), (3, 52, 40), (40, 130, 1), (2, 353, 1), (1, 700, 3)]:
        x = cp.asarray(np.random.default_rng(1).normal(0, 1, shape))
        groups, parts = -(-shape[0] * shape[2] // 32), -(-shape[1] // 176)
        rows = min(shape[1], -(-shape[1] // parts) + 100)
        from_ = x
        for pole in range(len(poles)):
            to = cp.full(shape, np.nan)
            f((groups * parts,), (64,), (np.int32(order), np.int32(pole), np.int32(ends), *map(np.int64, shape),
                                         np.int64(groups), np.float64(1 if pole else gain), from_, to),
              shared_mem=rows * 33 * 8)
            from_ = to
        want = ndimage.spline_filter1d(x, order, 1, mode=mode)
        np.testing.assert_allclose(to.get(), want.get(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("ends, mode", [(0, "mirror"), (1, "reflect"), (2, "grid-wrap")])
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_coefficients(device, order, ends, mode):
    m = module(device, "geometry/resample.cuh", RESAMPLE, tuple(f"resample<{nd}, {o}>" for nd, o in KNOWN))
    poles = POLES[order]
    gain = np.prod([(1 - z) * (1 - 1 / z) for z in poles])
    for shape in [(2, 2, 3), (1, 3, 1), (2, 50, 2), (1, 128, 1), (3, 129, 1), (1, 177, 2), (1, 179, 1), (2, 500, 3)]:
        x = cp.asarray(np.random.default_rng(1).normal(0, 1, shape))
        from_, between = x, cp.empty(shape)
        for pole in range(len(poles)):
            to = cp.empty(shape)
            for forwards, a, b in ((1, from_, between), (0, between, to)):
                launch(m.get_function("filter"), shape[0] * shape[2] * -(-shape[1] // 128), np.int32(forwards),
                       np.int32(order), np.int32(pole), np.int32(ends), *map(np.int64, shape),
                       np.float64(gain if forwards and not pole else 1), a, b)
            from_ = to
        want = ndimage.spline_filter1d(x, order, 1, mode=mode)
        np.testing.assert_allclose(to.get(), want.get(), rtol=0, atol=1e-12)


@pytest.mark.parametrize("lines", ["elements", "exact", "rounded"])
@pytest.mark.parametrize("density", [0.3, 0.9, 0.9995, 1.0, "edge", "corners", "blocks"])
@pytest.mark.parametrize("shape", [(300,), (200, 90), (3, 700), (700, 3), (6, 90, 7), (1, 64), (64, 1), (129, 33),
                                   (150, 600)])
def test_nearest(device, shape, density, lines):
    """Axis by axis, as the launcher goes."""
    made = module(device, "geometry/nearest_line.cuh", NEAREST)
    f, line = made.get_function("nearest"), made.get_function("nearest_line")
    rng = np.random.default_rng(7)
    x = rng.random(shape) < density if isinstance(density, float) else np.ones(shape, bool)
    if density == "edge":  # all columns have zeros, far away
        x[0] = False
    if density == "corners":  # few do
        x.reshape(-1)[:7] = x.reshape(-1)[-5:] = False
    if density == "blocks":  # many do, far from most
        x[..., shape[-1] // 3:shape[-1] // 2] = False
    if density != 1:
        x.reshape(-1)[-1] = False
    here, size, sampling = cp.asarray(x).view("uint8"), x.size, [0.75, 1.5, 2][:x.ndim]
    nothing, planes = cp.empty(1, "int32"), np.zeros((x.ndim, size), "int32")
    outer, inner, now = 1, size, cp.empty(size)
    for axis, n in enumerate(shape):
        inner //= n
        to, which = cp.empty(size), cp.empty(size, "int32")
        parts = -(-n // (32 if axis else 64))
        low, high = cp.empty(parts * inner, "int32"), cp.empty(parts * inner, "int32")
        zeros, least = cp.empty(parts * inner, "uint64"), cp.empty(outer * parts * inner)
        by_lines = axis and inner == 1 and lines != "elements"
        if by_lines:
            line((outer,), (128,), (lines == "exact", np.int64(outer), np.int64(n), np.float64(sampling[axis]), now, to,
                                    which), shared_mem=18 * n + 1024)
        for what in () if by_lines else (3, 4) if axis else (0, 1, 2):
            launch(f, max(size, outer * parts * inner), np.int32(what), *map(np.int64, (outer, n, inner, parts)),
                   np.float64(sampling[axis]), here, *((nothing,) * 3 if axis else (low, high, zeros)), now, least, to,
                   which)
        which = which.get()
        at = np.arange(size)
        source = np.where(which < 0, at, (at // inner // n * n + which) * inner + at % inner)
        planes[:axis] = planes[:axis, source]
        planes[axis] = which
        now, outer = to, outer * n
    if density == 1:
        assert np.isinf(now.get()).all() and (planes[-1] == -1).all()
        return
    want, places = ndimage.distance_transform_edt(cp.asarray(x), sampling, return_indices=True)
    np.testing.assert_array_equal(np.sqrt(now.get()).reshape(shape), want.get())
    np.testing.assert_array_equal(planes.reshape(x.ndim, *shape), places.get())
