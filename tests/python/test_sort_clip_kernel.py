"""What the GPU's pass of clipping over a part computes (src/array/sort/clip_split.cuh), compiled as a user's kernel, so
that CI, which has no GPU, runs it on the CPU."""
import cuprite as cp
import numpy as np
import pytest
from test_loop_kernels import quick, text

KERNEL = """
struct cpi_clip_split {
    int type;
    int64_t n;
    const void *from;
    double core_low, core_high, window_low, window_high, pivot;
    void *fringe, *window;
};
"""
CALL = """
template <class T> __global__ void part(int64_t n, const T *x, const double *limits, T *fringe, T *window,
                                        unsigned long long *counts)
{
    cpi_clip_split q = {0, n, x, limits[0], limits[1], limits[2], limits[3], limits[4], fringe, window};
    cpi_split_part<T>(q, (cpi_split_lists *)counts);
}
"""


@pytest.mark.parametrize("char", "fd")
@pytest.mark.parametrize("n, blocks", [(1, 1), (300, 1), (5000, 3), (70001, 5)])
def test_part(device, char, n, blocks):
    x = (np.random.default_rng(n).standard_normal(n) * 8).round().astype(char) / 8
    x[::97] = np.nan
    low, high, left, right, pivot = -0.75, 1.5, -0.25, 0.25, 0.5
    module = cp.RawModule(code=text() + KERNEL + text("sort/clip_split.cuh") + CALL,
                          name_expressions=("part<float>", "part<double>"), options=("--std=c++17", *quick(device)))
    counts = cp.zeros(2 + 4 * 512, "u8")
    fringe, window = cp.empty(n, char), cp.empty(n, char)
    module.get_function(f"part<{'float' if char == 'f' else 'double'}>")(
        (blocks,), (256,), (n, cp.asarray(x), cp.asarray([low, high, left, right, pivot]), fringe, window, counts))
    core = (x >= low) & (x <= high)
    outside, inside = int(counts[0]), int(counts[1])
    parts = counts[2:2 + 4 * blocks].get().reshape(blocks, 4)
    assert parts[:, 0].sum() == core.sum() and parts[:, 1].sum() == (core & (x < left)).sum()
    d = x[core].astype("d") - pivot
    sums = parts.view("d")
    assert sums[:, 2].sum() == d.sum() and sums[:, 3].sum() == (d * d).sum()  # eighths: exact
    np.testing.assert_array_equal(np.sort(fringe[:outside].get()), np.sort(x[~core & (x == x)]))
    np.testing.assert_array_equal(np.sort(window[:inside].get()), np.sort(x[core & (x >= left) & (x <= right)]))
