"""Loops over threads that are fewer than the regions: regions of threads of a row share the loop over the rows, and
lanes read what others keep in place. Each against NumPy, on every device; what is written for the CPU
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


TYPES = {"float": "f4", "double": "f8", "int": "i4", "unsigned char": "u1", "short": "i2", "long long": "i8"}
BLOCKS = [(256,), (45,), (1024,), (24, 3), (8, 4, 3), (31,)]
SUM = """
extern "C" __global__ void k(const TYPE *x, TYPE *y, int first, int width)
{
    int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    TYPE v = x[t];
    for (int d = first; d; d /= 2) v BODY;
    y[t] = v;
}
"""


def down(v, by, width):
    """__shfl_down_sync with the whole mask: lanes that a warp lacks bring 0, and 40 is a distance of 8."""
    by = by % 32
    padded = np.pad(v, (0, 64 + by))
    lane = np.arange(v.size) % 32
    return np.where(lane % width + by >= width, v, padded[np.arange(v.size) + by])


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("first, width", [(16, 32), (31, 32), (8, 16), (2, 4), (40, 32)])
@pytest.mark.parametrize("name", TYPES)
def test_sums_by_values_from_above(name, first, width, block):
    x = (np.arange(np.prod(block)) * 7919 % 97).astype(TYPES[name])
    y = cp.zeros_like(cp.asarray(x))
    k = cp.RawKernel(SUM.replace("TYPE", name).replace("BODY", "+= __shfl_down_sync(~0u, v, d, width)"), "k")
    k((1,), block, (cp.asarray(x), y, np.int32(first), np.int32(width)))
    v, d = x, first
    while d:
        v, d = (v + down(v, d, width)).astype(x.dtype), d // 2
    if x.size % 32 == 0 or first == 16:
        np.testing.assert_array_equal(y.get(), v)
    else:  # lanes that are not there are anybody's guess on a GPU
        whole = x.size // 32 * 32
        np.testing.assert_array_equal(y.get()[:whole], v[:whole])
    if not CHECKED:
        assert k.kernel.tier in ("regions", "gpu")


@pytest.mark.parametrize("body, step", {
    "= max(v, __shfl_down_sync(~0u, v, d))": lambda v, d: np.maximum(v, down(v, d, 32)),
    "= __shfl_down_sync(~0u, v, d) - 3 * v": lambda v, d: down(v, d, 32) - 3 * v,
    "= (v ^ t) + __shfl_down_sync(~0u, v, d + 1) * d": lambda v, d: (v ^ np.arange(96)) + down(v, d + 1, 32) * d,
    "+= __shfl_down_sync(~0u, v, d) + __shfl_down_sync(~0u, v, 1)": lambda v, d: v + down(v, d, 32) + down(v, 1, 32),
    "+= __shfl_down_sync(~0u, v, t & 7)": lambda v, d: v + np.array([down(v, int(t & 7), 32)[t] for t in range(96)]),
    "+= __shfl_up_sync(~0u, v, d)": lambda v, d: v + np.where(np.arange(96) % 32 < d, v, np.roll(v, d)),
    "+= __shfl_up_sync(~0u, v, t & 7)": lambda v, d: v + v[np.where(np.arange(96) % 32 < (np.arange(96) & 7), 0,
                                                                    -(np.arange(96) & 7)) + np.arange(96)],
    "+= __shfl_xor_sync(~0u, v, d)": lambda v, d: v + v[np.arange(96) ^ d],
    "+= __shfl_xor_sync(~0u, v, d) - __shfl_xor_sync(~0u, v, d + 1)": lambda v, d: (
        v + v[np.arange(96) ^ d] - np.where(d < 31, v[np.arange(96) & ~31 | (np.arange(96) % 32 ^ (d + 1)) % 32], 0)),
    "-= __shfl_sync(~0u, v, d)": lambda v, d: v - v[np.arange(96) & ~31 | d],
    "+= __shfl_sync(~0u, v, v + t)": lambda v, d: v + v[np.arange(96) & ~31 | (v + np.arange(96)) % 32],
    "+= __shfl_down_sync(~0u, v + 1, d)": lambda v, d: v + down(v + 1, d, 32),
    "+= __shfl_down_sync(~0u, v, d), atomicAdd(y + 96 + (v & 3), 1)": lambda v, d: v + down(v, d, 32),
}.items(), ids=lambda v: v if isinstance(v, str) else "")
def test_what_lanes_make_of_values_from_above(body, step):
    x = (np.arange(96) * 7919 % 61).astype("i4")
    y = cp.zeros(100, "i4")
    k = cp.RawKernel(SUM.replace("TYPE", "int").replace("BODY", body), "k")
    k((1,), (96,), (cp.asarray(x), y, np.int32(16), np.int32(32)))
    expected, counts, d = x, np.zeros(4, int), 16
    with np.errstate(over="ignore"):
        while d:
            expected, d = step(expected, d).astype("i4"), d // 2
            counts += np.bincount(expected & 3, minlength=4) * ("atomicAdd" in body)
    np.testing.assert_array_equal(y.get(), np.concatenate([expected, counts]))


def test_unrolled_sums_and_sums_of_several_variables():
    x = (np.arange(128) * 7919 % 61).astype("i4")
    y = cp.zeros((3, 128), "i4")
    chain = " ".join(f"v += __shfl_down_sync(~0u, v, {d});" for d in (16, 8, 4, 2, 1) * 3)
    cp.RawKernel('extern "C" __global__ void k(const int *x, int *y) { int t = threadIdx.x, v = x[t], a = t, b = 2 * '
                 "t; " + chain + " y[t] = v; for (int d = 16; d; d /= 2) { a += __shfl_down_sync(~0u, a, d); b = "
                 "min(b, __shfl_down_sync(~0u, b, d)); } y[128 + t] = a; y[256 + t] = b; }", "k")(
        (1,), (128,), (cp.asarray(x), y))
    v, a, b = x, np.arange(128), 2 * np.arange(128)
    for d in (16, 8, 4, 2, 1) * 3:
        v = v + down(v, d, 32)
    for d in (16, 8, 4, 2, 1):
        a, b = a + down(a, d, 32), np.minimum(b, down(b, d, 32))
    np.testing.assert_array_equal(y.get(), [v, a, b])


@pytest.mark.parametrize("block", BLOCKS, ids=str)
@pytest.mark.parametrize("name", TYPES)
def test_scans_and_butterflies(name, block):
    """Whose values take turns in two arrays, also in a branch that a part of the block takes."""
    n = int(np.prod(block))
    x = (np.arange(n) * 7919 % 5).astype(TYPES[name])
    y = cp.zeros((3, n), TYPES[name])
    cp.RawKernel("""
    extern "C" __global__ void k(const TYPE *x, TYPE *y)
    {
        int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z), n = NUMBER;
        TYPE v = x[t], a = v;
        for (int d = 1; d < 32; d *= 2) {
            TYPE u = __shfl_up_sync(~0u, v, d);
            if (t % 32 >= d) v += u;
        }
        y[t] = v;
        for (int d = 16; d; d /= 2) a += __shfl_xor_sync(~0u, a, d);
        y[n + t] = a;
        if (t < 32) {
            v = a;
            v -= __shfl_sync(~0u, v, 0);
            v += __shfl_up_sync(~0u, v, 1);
        }
        __syncthreads();
        y[2 * n + t] = v;
    }""".replace("TYPE", name).replace("NUMBER", str(n)), "k")((1,), block, (cp.asarray(x), y))
    whole = n // 32 * 32
    scans = [np.cumsum(x[i:i + 32]) for i in range(0, n, 32)]
    sums = np.repeat([x[i:i + 32].sum() for i in range(0, whole, 32)], 32)
    np.testing.assert_array_equal(y.get()[0], np.concatenate(scans).astype(x.dtype))
    np.testing.assert_array_equal(y.get()[1, :whole], sums.astype(x.dtype))
    np.testing.assert_array_equal(y.get()[2, 32:], y.get()[0, 32:])
    np.testing.assert_array_equal(y.get()[2, :min(32, whole)], 0)


@pytest.mark.once
@pytest.mark.parametrize("body, puts", [("+= __shfl_down_sync(~0u, v, d)", 0),
                                        ("= max(v, __shfl_down_sync(~0u, v, d))", 0),
                                        ("+= __shfl_down_sync(~0u, v, t & 3)", 1),
                                        ("+= __shfl_xor_sync(~0u, v, d)", 0), ("+= __shfl_up_sync(~0u, v, t)", 0),
                                        ("+= __shfl_up_sync(~0u, v + 1, d)", 1),
                                        ("+= x[__shfl_down_sync(~0u, v, d)]", 1)])
def test_nobody_puts_what_is_read_in_place(body, puts, tmp_path, monkeypatch):
    text = text_of(SUM.replace("TYPE", "int").replace("BODY", body), tmp_path, monkeypatch)
    assert len(re.findall(r"__cu_put\(", text)) == puts
