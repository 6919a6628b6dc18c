"""What lfilter's and peaks' kernels compute (src/science/lfilter: recur.cuh, cascade.cuh, phases.cuh;
src/science/peaks/levels.cuh), compiled as a user's kernels, so that CI, which has no GPU, runs them on the CPU. The
oracle is SciPy."""
import functools

import cuprite as cp
import numpy as np
import pytest
from test_loop_kernels import quick, text

ss = pytest.importorskip("scipy.signal")
HEAD = """#ifndef __CUPRITE_CPU__  // NVRTC has no <stdint.h>
typedef unsigned char uint8_t;
#endif
enum { CPI_LFILTER_RESPONSE = 256 };
struct cpi_polyphase {
    int type;
    int64_t rows, n, m, up, down, taps;
    const void *h, *from;
    void *to;
};
"""
KERNELS = """
template <class T> __device__ cpi_recur_job<T> job_of(const int64_t *sizes, const T *from, const T *c, T *to, T *state,
                                                      T *states, uint8_t *whole)
{
    cpi_recur_job<T> j;
    j.rows = sizes[0], j.n = sizes[1], j.chunks = sizes[2], j.each = sizes[3], j.order = (int)sizes[4];
    j.apart = j.order;
    j.from = from, j.b = c, j.a = c + j.order + 1, j.to = to, j.state = state;
    j.states = j.chunks > 1 ? states : (T *)nullptr;
    j.whole = whole;
    return j;
}
template <class T> __global__ void pieces(bool elements, const int64_t *sizes, const T *from, const T *c, T *to,
                                          T *state, T *states, uint8_t *whole)
{
    const cpi_recur_job<T> j = job_of<T>(sizes, from, c, to, state, states, whole);
    const int64_t at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (j.order == 2) cpi_recur_chunk<2>(j, at, elements);
    else cpi_recur_chunk<0>(j, at, elements);
}
template <class T, class W> __global__ void carry(const int64_t *sizes, const T *from, const T *c, T *to, T *state,
                                                  T *states, uint8_t *whole, const W *response)
{
    const cpi_recur_job<T> j = job_of<T>(sizes, from, c, to, state, states, whole);
    cpi_recur_carry<T>(j, response);
}
template <class T> __global__ void phases(const int64_t *sizes, const T *h, const T *from, T *to)
{
    const cpi_polyphase p = {0, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], h, from, to};
    cpi_filter_phases<T>(p, (int64_t)blockIdx.x * blockDim.x + threadIdx.x, (int64_t)gridDim.x * blockDim.x);
}
"""
PHASES = """
template <class T> __global__ void dense(const int64_t *sizes, const T *h, const T *from, T *to, int64_t blocks)
{
    __shared__ cpi_dense_tile<T> tile;
    const cpi_polyphase p = {0, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], h, from, to};
    cpi_filter_dense<T>(p, tile, blockIdx.x / blocks, blockIdx.x % blocks * cpi_dense_tile<T>::RESULTS);
}
template <class T> __global__ void rate(const int64_t *sizes, const T *h, const T *from, T *to, int64_t blocks)
{
    __shared__ T memory[1024];
    const cpi_polyphase p = {0, sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5], h, from, to};
    cpi_filter_rate<T>(p, memory, blockIdx.x / blocks, blockIdx.x % blocks * 128, 128);
}
"""
SCAN = """
template <class T> __device__ cpi_cascade_job<T> scan_of(const int64_t *sizes, const T *from, T *to, T *state,
                                                      typename wide_of<T>::type *work, uint8_t *whole)
{
    cpi_cascade_job<T> j;
    j.rows = sizes[0], j.n = sizes[1], j.chunks = sizes[2], j.each = sizes[3], j.apart = sizes[4];
    j.groups = (j.chunks + 31) / 32;
    j.from = from, j.to = to, j.state = state, j.whole = whole;
    j.sums = work, j.heads = work ? work + j.apart * j.rows * j.groups * 32 : work;
    return j;
}
template <int O, int F, class T>
__global__ void passes(bool elements, const int64_t *sizes, const T *from, T *to, T *state,
                       typename wide_of<T>::type *work, uint8_t *whole, const T *c,
                       const typename wide_of<T>::type *powers)
{
    using W = typename wide_of<T>::type;
    __shared__ cpi_cascade_tile<T> tiles[4];
    const cpi_cascade_job<T> j = scan_of<T>(sizes, from, to, state, work, whole);
    cpi_cascade_pass<O, F>(j, *(const cpi_cascade_filters<O, F, T> *)c, *(const cpi_cascade_powers<O * F, W> *)powers,
                        tiles[threadIdx.x / 32], (int64_t)blockIdx.x * 4 + threadIdx.x / 32, elements);
}
template <int S, class T>
__global__ void heads(const int64_t *sizes, const T *from, T *to, T *state, typename wide_of<T>::type *work,
                      uint8_t *whole, const typename wide_of<T>::type *one, const typename wide_of<T>::type *each)
{
    using W = typename wide_of<T>::type;
    __shared__ cpi_cascade_shared<S, W> shared;
    const cpi_cascade_job<T> j = scan_of<T>(sizes, from, to, state, work, whole);
    cpi_cascade_carry<S, W>(cpi_cascade_ends_of(j), (const W(*)[S])one, (const W(*)[S])each, shared);
}
"""
WORDS = {"f": "float", "d": "double", "F": "pair_of<float>", "D": "pair_of<double>"}


def source(*files):
    """The headers behind what they need of lfilter.h, and that behind the types' names."""
    types = text()
    return types + HEAD + text(*files)[len(types):]


@functools.lru_cache(maxsize=None)
def module(device):
    names = [f"{k}<{w}>" for k in ("pieces", "phases", "dense", "rate") for w in WORDS.values()]
    names += [f"carry<{w}, {'pair_of<double>' if 'pair' in w else 'double'}>" for w in WORDS.values()]
    code = source("lfilter/recur.cuh", "lfilter/phases.cuh") + KERNELS + PHASES
    return cp.RawModule(code=code, name_expressions=names, options=("--std=c++17", *quick(device)))


def response(a, each):
    """The states after `each` zeros, a row for each state that was 1: by SciPy."""
    order = len(a) - 1
    return np.array([ss.lfilter(np.zeros(1), a, np.zeros(each), zi=z)[1] for z in np.eye(order, dtype=a.dtype)])


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("rows, n, chunks, order", [(1, 50, 1, 2), (3, 40, 1, 3), (1, 403, 8, 2), (2, 1000, 7, 4)])
def test_recurrences(device, char, rows, n, chunks, order):
    r = np.random.default_rng(n)
    b, a = (c.astype(char) for c in ss.butter(order, 0.2))
    x, zi = r.standard_normal((rows, n)).astype(char), r.standard_normal((rows, order)).astype(char)
    if rows == 2:
        x[1, n // 2] = np.inf  # this row is computed in one piece
    each = n // chunks
    wide = "D" if char in "FD" else "d"
    sizes, state = cp.asarray(np.array([rows, n, chunks, each, order])), cp.asarray(zi)
    c, to = cp.asarray(np.concatenate([b, a])), cp.empty((rows, n), char)
    states, whole = cp.zeros((rows, chunks + 1, order), char), cp.zeros(rows, "u1")
    carried = cp.asarray(response(a.astype(wide), each))
    word = WORDS[char]
    args = sizes, cp.asarray(x), c, to, state, states, whole
    run = module(device).get_function(f"pieces<{word}>")
    if chunks > 1:
        run((-(-rows * chunks // 128),), (128,), (False, *args))
        other = "pair_of<double>" if char in "FD" else "double"
        module(device).get_function(f"carry<{word}, {other}>")((rows,), (128,), (*args, carried))
        assert whole.tolist() == ([0, 1] if rows == 2 else [0])
    run((-(-rows * chunks // 128),), (128,), (True, *args))
    with np.errstate(all="ignore"):
        want, final = ss.lfilter(b, a, x, zi=zi)
    bound = 1e-4 if char in "fF" else 1e-11
    np.testing.assert_allclose(to.get(), want, atol=bound)
    np.testing.assert_allclose(state.get(), final, atol=bound)


@functools.lru_cache(maxsize=None)
def scan_module(device):
    names = [f"passes<{k}, {w}>" for k in ("4, 1", "2, 3", "1, 1") for w in WORDS.values()]
    names += [f"heads<{k}, {w}>" for k in (4, 6, 1) for w in WORDS.values()]
    code = source("lfilter/recur.cuh", "lfilter/cascade.cuh") + SCAN
    return cp.RawModule(code=code, name_expressions=names, options=("--std=c++17", *quick(device)))


def cascade(sections, x, zi):
    """(y, final states) of filters one behind the other."""
    order, final = sections.shape[-1] - 1, []
    for k, (b, a) in enumerate(sections):
        x, z = ss.lfilter(b, a, x, zi=zi[:, k * order:(k + 1) * order])
        final.append(z)
    return x, np.concatenate(final, 1)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("order, count", [(4, 1), (2, 3), (1, 1)])
@pytest.mark.parametrize("rows, n, each", [(1, 3000, 32), (3, 2111, 64), (2, 40000, 32), (4, 140000, 32), (70, 37, 0),
                                           (1, 1, 0)])
def test_scans(device, char, order, count, rows, n, each):
    """Rows in chunks of `each`, or rows as chunks: a warp has 32 of them."""
    r, states, wide = np.random.default_rng(n), order * count, "D" if char in "FD" else "d"
    sections = np.array([ss.butter(order, f) for f in (0.2, 0.3, 0.25)[:count]]).astype(char)
    x, zi = r.standard_normal((rows, n)).astype(char), r.standard_normal((rows, states)).astype(char)
    if rows == 3:
        x[1, n // 2] = np.inf  # this row is computed in one piece
    chunks = -(-n // each) if each else rows
    threads = 64 if rows == 2 else 32 if rows < 4 else 256
    sizes = cp.asarray(np.array([rows, n, chunks, each, states] if each else [1, rows * n, rows, n, states]))
    groups = -(-chunks // 32)
    warps = groups * (rows if each else 1)
    work = cp.full(33 * warps * states, np.nan, wide) if each else None
    state, to, whole = cp.asarray(zi), cp.full((rows, n), np.nan, char), cp.full(rows, 7, "u1")
    args = sizes, cp.asarray(x), to, state, work, whole
    kinds, grid = f"{order}, {count}, {WORDS[char]}", (-(-warps // 4),)
    step = np.array([cascade(sections.astype(wide), np.zeros((1, each)), z[None])[1][0]
                     for z in np.eye(states, dtype=wide)]) if each else np.eye(states, dtype=wide)
    powers = [np.linalg.matrix_power(step, 1 << k) for k in range(6)]
    run = scan_module(device).get_function(f"passes<{kinds}>")
    more = cp.asarray(sections.swapaxes(0, 1).copy()), cp.asarray(np.array(powers[:5]))
    if each:
        run(grid, (128,), (False, *args, *more))
        many = np.linalg.matrix_power(powers[5], -(-groups // threads))
        scan_module(device).get_function(f"heads<{states}, {WORDS[char]}>")(
            (rows,), (threads,), (*args, cp.asarray(powers[5]), cp.asarray(many)))
        assert whole.tolist() == [int(rows == 3 and k == 1) for k in range(rows)]
    run(grid, (128,), (True, *args, *more))
    with np.errstate(all="ignore"):
        want, final = cascade(sections, x, zi)
    bound = 1e-4 if char in "fF" else 1e-11
    np.testing.assert_allclose(to.get(), want, atol=bound)
    np.testing.assert_allclose(state.get(), final, atol=bound)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("up, down", [(1, 1), (3, 2), (2, 7), (5, 1)])
def test_phases(device, char, up, down):
    r = np.random.default_rng(up)
    h, x = r.standard_normal(11).astype(char), r.standard_normal((2, 40)).astype(char)
    want = ss.upfirdn(h, x, up, down)
    to = cp.empty(want.shape, char)
    sizes = cp.asarray(np.array([2, 40, want.shape[1], up, down, 11]))
    module(device).get_function(f"phases<{WORDS[char]}>")((2,), (32,), (sizes, cp.asarray(h), cp.asarray(x), to))
    np.testing.assert_allclose(to.get(), want, atol=1e-5 if char in "fF" else 1e-13)


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("n", [1, 100, 1100, 1601])
@pytest.mark.parametrize("taps", [1, 3, 65, 130])
def test_dense_phases(device, char, n, taps):
    """The same bits as without tiles."""
    r = np.random.default_rng(n + taps)
    h, x = r.standard_normal(taps).astype(char), r.standard_normal((2, n)).astype(char)
    h[-1] = np.inf  # multiplies elements alone, no zeros beyond the ends
    m = n + taps - 1
    sizes, args = cp.asarray(np.array([2, n, m, 1, 1, taps])), (cp.asarray(h), cp.asarray(x))
    to, plain = cp.full((2, m), np.nan, char), cp.empty((2, m), char)
    blocks = -(-m // 512)
    module(device).get_function(f"dense<{WORDS[char]}>")((2 * blocks,), (128,), (sizes, *args, to, blocks))
    module(device).get_function(f"phases<{WORDS[char]}>")((2,), (128,), (sizes, *args, plain))
    np.testing.assert_array_equal(to.get(), plain.get())


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("n, taps, up, down", [(1, 1, 3, 2), (500, 64, 3, 2), (700, 21, 2, 7), (300, 5, 7, 1),
                                               (40, 130, 4, 5), (1000, 3, 1, 4)])
def test_rate_phases(device, char, n, taps, up, down):
    r = np.random.default_rng(n + taps)
    h, x = r.standard_normal(taps).astype(char), r.standard_normal((2, n)).astype(char)
    want = ss.upfirdn(h, x, up, down)
    m = want.shape[1]
    sizes, blocks = cp.asarray(np.array([2, n, m, up, down, taps])), -(-m // 128)
    args = (cp.asarray(h), cp.asarray(x))
    to, plain = cp.full((2, m), np.nan, char), cp.empty((2, m), char)
    module(device).get_function(f"rate<{WORDS[char]}>")((2 * blocks,), (128,), (sizes, *args, to, blocks))
    module(device).get_function(f"phases<{WORDS[char]}>")((2,), (128,), (sizes, *args, plain))
    np.testing.assert_array_equal(to.get(), plain.get())
    np.testing.assert_allclose(to.get(), want, atol=1e-4 if char in "fF" else 1e-12)


LEVELS = """
extern "C" __global__ void build(int64_t count, const double *x, const double *from, double *to1, double *to2,
                                 double *to3)
{
    const cpi_level_step s = {count, x, (const cpi_low_high *)from,
                              {(cpi_low_high *)to1, (cpi_low_high *)to2, (cpi_low_high *)to3}};
    cpi_level_build(s);
}
template <class I> __global__ void bases(int64_t n, int levels, const int64_t *places, const double *x,
                                         const double *work, int64_t half, double *low, int64_t *place)
{
    cpi_levels l;
    l.n = n, l.levels = levels, l.x = x;
    for (int k = 1; k < levels; k++) l.of[k] = (const cpi_low_high *)work + places[k - 1];
    const I k = (I)blockIdx.x * blockDim.x + threadIdx.x;
    if (k >= n) return;
    low[2 * k] = cpi_level_search<-1>(l, k, (I)(k > half ? k - half : 0), place + 2 * k);
    low[2 * k + 1] = cpi_level_search<1>(l, k, (I)(k + half < n ? k + half : n - 1), place + 2 * k + 1);
}
"""


@functools.lru_cache(maxsize=None)
def level_module(device):
    return cp.RawModule(code=text("peaks/levels.cuh") + LEVELS, name_expressions=["bases<int>", "bases<int64_t>"],
                        options=("--std=c++17", *quick(device)))


def walked(x, at, end):
    """(the lowest value from x[at] on, before one that is above it; its place), by a walk."""
    step, low, place = (1 if end >= at else -1), x[at], at
    for i in range(at, end + step, step):
        if not x[i] <= x[at]:
            break
        if x[i] < low:
            low, place = x[i], i
    return low, place


@pytest.mark.parametrize("index", ["int", "int64_t"])
@pytest.mark.parametrize("n", [1, 2, 8, 9, 65, 511, 1025, 5000])
@pytest.mark.parametrize("half", [1, 30, 9000])
@pytest.mark.parametrize("how", ["normal", "few values", "rising", "holes"])
def test_bases(device, index, n, half, how):
    """What the search over levels of blocks finds on both sides of every element."""
    r = np.random.default_rng(n)
    x = np.arange(float(n)) if how == "rising" else r.normal(0, 3, n)
    if how == "few values":
        x = np.floor(x / 2)
    if how == "holes":
        x[r.integers(0, n, 3)] = np.nan, np.inf, -np.inf
    values, work, places, at, size = cp.asarray(x), cp.full((n + 60, 2), np.nan), [], 0, n
    source = cp.empty((1, 2))
    while size > 8:
        blocks, parts = -(-size // 1024), []
        count = size
        for _ in range(3):
            places += [at] * (count > 8)
            count = -(-count // 8)
            parts.append(work[at:at + count])
            at += count
        level_module(device).get_function("build")((blocks,), (1024,), (
            size, values if size == n else None, source, *parts))
        size, source = count, parts[-1]
    lows, found = cp.empty((n, 2)), cp.empty((n, 2), int)
    level_module(device).get_function(f"bases<{index}>")((-(-n // 128),), (128,), (
        n, np.int32(1 + len(places)), cp.asarray(np.array(places or [0])), values, work, half, lows, found))
    chosen = r.integers(0, n, 60)
    want = [[walked(x, k, max(k - half, 0)), walked(x, k, min(k + half, n - 1))] for k in chosen]
    np.testing.assert_array_equal(lows.get()[chosen], [[low for low, _ in two] for two in want])
    np.testing.assert_array_equal(found.get()[chosen], [[place for _, place in two] for two in want])
