"""Loops over threads that are fewer than the regions: regions of threads of a row share the loop over the rows, and
lanes that read from those above them do so in place. Each against NumPy, on every device; what is written for the CPU
is in its text."""
import os
import re

import numpy as np
import pytest

import cuprite as cp

CHECKED = os.environ.get("CUPRITE_CHECK", "0") != "0"
HALO = """
extern "C" __global__ void k(const int *x, int *y, int nx, int ny, int nz)
{
    __shared__ int s[10][18][34];
    int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z, bx = blockDim.x, by = blockDim.y, bz = blockDim.z;
    int c = blockIdx.x * bx + tx, r = blockIdx.y * by + ty, d = blockIdx.z * bz + tz, i = (d * ny + r) * nx + c;
    RETURN
    s[tz + 1][ty + 1][tx + 1] = x[i];
    if (tx == 0) s[tz + 1][ty + 1][0] = c ? x[i - 1] : 0;
    if (tx == bx - 1) s[tz + 1][ty + 1][bx + 1] = c < nx - 1 ? x[i + 1] : 0;
    int of_row = blockIdx.y * 1000;
    if (ty == 0) s[tz + 1][0][tx + 1] = r ? x[i - nx] : of_row - of_row;
    if (ty == by - 1) s[tz + 1][by + 1][tx + 1] = r < ny - 1 ? x[i + nx] : 0;
    if (tx < 2 && tz == 0) s[0][ty + 1][tx + 1] = 5;
    __syncthreads();
    int v = s[tz + 1][ty][tx + 1] + 10 * s[tz + 1][ty + 2][tx + 1] + 100 * s[tz + 1][ty + 1][tx] +
            1000 * s[tz + 1][ty + 1][tx + 2];
    if (tx < 2) v += s[0][ty + 1][tx + 1];
    y[i] = v;
}
"""


def text_of(source, path, monkeypatch):
    """What is written for the CPU."""
    for variable in ("CUPRITE_CHECK", "CUPRITE_KERNEL_TIER", "CUPRITE_KERNEL_LOCKSTEP"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("CUPRITE_KERNEL_TEXT", str(path / "text"))
    assert cp.RawKernel(source, "k", options=("--std=c++17",)).kernel.tier == "regions"
    return (path / "text").read_text()


@pytest.mark.parametrize("block, grid", [((16, 16, 1), (3, 2, 1)), ((32, 4, 1), (1, 3, 2)), ((8, 4, 3), (2, 2, 2)),
                                         ((5, 7, 8), (3, 1, 1)), ((2, 1, 1), (4, 3, 1))], ids=str)
@pytest.mark.parametrize("leaves", [False, True])
def test_tiles_with_their_halo(block, grid, leaves):
    nx, ny, nz = (b * g for b, g in zip(block, grid))
    x = (np.arange(nx * ny * nz) * 7919 % 10).astype("i4").reshape(nz, ny, nx)
    y = cp.zeros_like(cp.asarray(x))
    source = HALO.replace("RETURN", "if (d >= nz - 1 && nz > 100) return;" if leaves else "")
    k = cp.RawKernel(source, "k")
    k(grid, block, (cp.asarray(x), y, np.int32(nx), np.int32(ny), np.int32(nz)))
    p = np.pad(x, 1)
    expected = (p[1:-1, :-2, 1:-1] + 10 * p[1:-1, 2:, 1:-1] + 100 * p[1:-1, 1:-1, :-2] + 1000 * p[1:-1, 1:-1, 2:] +
                np.where(np.arange(nx) % block[0] < 2, 5, 0))
    np.testing.assert_array_equal(y.get(), expected)
    if not CHECKED:
        assert k.kernel.tier in ("regions", "gpu")


@pytest.mark.once
@pytest.mark.parametrize("rows", [True, False])
def test_regions_of_a_row_share_the_loop_over_the_rows(rows, tmp_path, monkeypatch):
    """In kernels that may have several; a barrier ends the loop."""
    ty = "threadIdx.y" if rows else "0"
    text = text_of('extern "C" __global__ void k(int *x) { __shared__ int s[32][33]; int t = threadIdx.x, r = ' + ty +
                   "; s[r][t] = x[t]; if (t == 0) s[r][32] = 1; if (t < 2) s[r][t] = 2; __syncthreads(); x[t] = "
                   "s[r][t + 1]; if (t == 3) x[t] = 2; }", tmp_path, monkeypatch)
    loops = re.findall(r"__CU_ROWS|__CU_ROW\w*|__CU_THREADS\w*", text)
    assert loops == (["__CU_ROWS", "__CU_ROW", "__CU_ROW_ONE", "__CU_ROW_OF", "__CU_ROWS", "__CU_ROW", "__CU_ROW_ONE"]
                     if rows else
                     ["__CU_THREADS", "__CU_THREADS_ONE", "__CU_THREADS_OF", "__CU_THREADS", "__CU_THREADS_ONE"])
