"""What lfilter's and peaks' kernels compute (src/science/lfilter/recur.cuh, src/science/peaks/look.h), compiled as a
user's kernels, so that CI, which has no GPU, runs them on the CPU. The oracle is SciPy."""
import functools

import cuprite as cp
import numpy as np
import pytest
from test_loop_kernels import quick, text

ss = pytest.importorskip("scipy.signal")
HEAD = """
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
WORDS = {"f": "float", "d": "double", "F": "pair_of<float>", "D": "pair_of<double>"}


@functools.lru_cache(maxsize=None)
def module(device):
    names = [f"{k}<{w}>" for k in ("pieces", "phases") for w in WORDS.values()]
    names += [f"carry<{w}, {'pair_of<double>' if 'pair' in w else 'double'}>" for w in WORDS.values()]
    types = "#ifdef __CUDACC_RTC__\ntypedef unsigned char uint8_t;\n#endif\n"
    code = types + HEAD + text("lfilter/recur.cuh") + KERNELS
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
