"""cuprite.numba: what programs use of Numba, compared with NumPy."""
import linecache
import math
import os
import subprocess
import sys

import numpy as np
import pytest

import cuprite as cp
from cuprite import numba
from cuprite.numba import (
    boolean, cuda, float32, float64, guvectorize, int32, int64, njit, types, uint8, vectorize, void)
from cuprite.numba.cuda.random import (
    create_xoroshiro128p_states, init_xoroshiro128p_states, xoroshiro128p_next, xoroshiro128p_normal_float32,
    xoroshiro128p_normal_float64, xoroshiro128p_uniform_float32, xoroshiro128p_uniform_float64)
from cuprite._compiler.numba.errors import TypingError, UnsupportedError

DTYPES = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64,
          np.complex64, np.complex128, np.bool_]
T = 8
TABLE = np.array([[1.5, 2.5], [3.5, 4.5]])
TURNED = TABLE * -1j


@cuda.jit
def axpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]


@pytest.mark.parametrize("dtype", DTYPES[:-1])
def test_numpy_arrays_are_copied_in_and_back(dtype):
    x, y = np.arange(50).astype(dtype), np.ones(50, dtype)
    axpy[2, 32](np.dtype(dtype).type(2), x, y)
    assert (y == 1 + 2 * np.arange(50)).all()
    z = np.ones(100, dtype)
    axpy[2, 32](np.dtype(dtype).type(2), x[::-1], z[::2])
    assert (z[::2] == 1 + 2 * np.arange(50)[::-1]).all() and (z[1::2] == 1).all()
    fixed = np.ones(50, dtype)
    fixed.flags.writeable = False
    axpy.forall(50)(np.dtype(dtype).type(2), fixed, y)
    assert (y == 3 + 2 * np.arange(50)).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_device_arrays(dtype, order):
    a = np.asarray(np.arange(24).reshape(4, 6), dtype, order=order)
    d = cuda.to_device(a)
    assert (d.shape, d.dtype, d.size, d.strides, d.nbytes, d.ndim) == (a.shape, a.dtype, 24, a.strides, a.nbytes, 2)
    back = d.copy_to_host()
    assert (back == a).all() and back.strides == a.strides and back.dtype == a.dtype
    into = np.zeros_like(a)
    assert d.copy_to_host(into, stream=cuda.stream()) is into and (into == a).all()
    d.copy_to_device(a[::-1].copy(order=order))
    assert (d.copy_to_host() == a[::-1]).all()
    e = cuda.device_array_like(d)
    assert (e.shape, e.dtype, e.strides) == (d.shape, d.dtype, d.strides)
    e.copy_to_device(d)
    assert (e[1:3, ::2].copy_to_host() == a[::-1][1:3, ::2]).all() and e[1, 2] == a[::-1][1, 2]
    e[0] = np.zeros(6, dtype)
    e[1, 1] = 1
    assert not e[0].copy_to_host().any() and e[1, 1] == 1
    assert (e.T.copy_to_host() == e.copy_to_host().T).all() and len(e) == 4
    assert np.asarray(e).shape == (4, 6) and (cp.asarray(cuda.to_device(a)._x).get() == a).all()
    assert [p.size for p in cuda.to_device(np.arange(5)).split(2)] == [2, 2, 1]
    with pytest.raises(ValueError):
        d.copy_to_host(np.zeros((6, 4), dtype))
    with pytest.raises(TypeError):
        d.copy_to_device(np.zeros((4, 6), np.float16))


def test_pinned_and_mapped():
    like = np.zeros((3, 4), np.float32, order="F")
    for make in (cuda.pinned_array_like, cuda.mapped_array_like):
        p = make(like)
        assert isinstance(p, np.ndarray) and p.shape == (3, 4) and p.dtype == np.float32 and p.flags.f_contiguous
    assert cuda.pinned_array(5, np.int32).shape == (5,) and cuda.mapped_array((2, 3)).dtype == np.float64
    x = cuda.mapped_array(4)
    x[:] = 1
    axpy[1, 4](2.0, np.ones(4), x)
    assert (x == 3).all()
    y = np.ones(4)
    with cuda.mapped(y) as d, cuda.pinned(y), cuda.defer_cleanup():
        axpy[1, 4](2.0, d, d)
    assert (y == 3).all()
    scalar = cuda.to_device(np.float32(3))
    assert scalar.shape == () and scalar.copy_to_host() == 3


@pytest.mark.parametrize("strides", [(16, 4), (-16, 4), (4, -8), (0, 4)])
def test_arrays_of_any_strides(strides):
    """Elements are where they say, in memory that has space for all of them."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    x[1] = x[1] if strides[0] else x[0]
    d = cuda.device_array((2, 3), np.float32, strides)
    assert d.strides == strides
    d.copy_to_device(x)
    assert (d.copy_to_host() == x).all()
    for make in (cuda.pinned_array, cuda.mapped_array):
        h = make((2, 3), np.float32, strides)
        h[...] = x
        assert h.strides == strides and (h == x).all()
        with pytest.raises(TypeError, match="elements are Python objects"):
            make((2, 3), object, (24, 8))
    with pytest.raises(ValueError, match="2 strides are given for 1 dimensions"):
        cuda.device_array(3, strides=strides)


@cuda.jit("void(Array(float32, 2, 'C'), Array(float32, 1, 'C'), Array(float32, 2, 'F'), int32, Array(float32, 2, 'C'))")
def product(u, s, vt, k, y):
    m, n = cuda.grid(2)
    if m >= u.shape[0] or n >= vt.shape[1]:
        return
    element = 0.0
    for p in range(k):
        element += u[m, p] * s[p] * vt[p, n]
    y[m, n] = element


def test_signature_with_orders():
    rng = np.random.default_rng(0)
    u, s, vt = (rng.random(shape).astype(np.float32) for shape in ((20, 10), (10,), (10, 30)))
    y = np.zeros((20, 30), np.float32)
    product[(2, 2), (16, 16)](u, s, np.asfortranarray(vt), 10, y)
    assert np.allclose(y, (u * s) @ vt, rtol=1e-6, atol=0)
    with pytest.raises(TypeError, match="No matching definition"):
        product[(2, 2), (16, 16)](u, s, vt, 10, y)
    with pytest.raises(TypeError, match="No matching definition"):
        product[(2, 2), (16, 16)](u.astype(np.float64), s, np.asfortranarray(vt), 10, y)
    assert "__global__" in next(iter(product.inspect_source().values())) and len(product.signatures) == 1


@cuda.jit([void(float32[:], int32), (float64[:], int64), "void(uint8[::1], uint8)"])
def several(x, n):
    x[cuda.grid(1)] = n / 2


def test_several_signatures():
    for dtype, n in ((np.float32, 3), (np.float64, 3)):
        x = np.zeros(4, dtype)
        several[1, 4](x, n)
        assert (x == 1.5).all()
    x = np.zeros(8, np.float32)
    several[1, 4](x[::2], 3.0)
    assert (x[::2] == 1.5).all() and not x[1::2].any()
    b = np.zeros(4, np.uint8)
    several[1, 4](b, 5)
    assert (b == 2).all()


@cuda.jit
def tiled(a, b, c):
    sa = cuda.shared.array(shape=(T, T), dtype=float32)
    sb = cuda.shared.array((T, T), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    acc = float32(0.)
    for i in range((a.shape[1] + T - 1) // T):
        sa[ty, tx] = 0
        sb[ty, tx] = 0
        if y < a.shape[0] and (tx + i * T) < a.shape[1]:
            sa[ty, tx] = a[y, tx + i * T]
        if x < b.shape[1] and (ty + i * T) < b.shape[0]:
            sb[ty, tx] = b[ty + i * T, x]
        cuda.syncthreads()
        for j in range(T):
            acc += sa[ty, j] * sb[j, tx]
        cuda.syncthreads()
    if y < c.shape[0] and x < c.shape[1]:
        c[y, x] = acc


def test_tiles_in_a_stream():
    rng = np.random.default_rng(0)
    a, b = rng.random((20, 13)).astype(np.float32), rng.random((13, 17)).astype(np.float32)
    stream = cuda.stream()
    start, end = cuda.event(), cuda.event(timing=True)
    start.record(stream)
    with stream.auto_synchronize():
        da, db = cuda.to_device(a, stream=stream), cuda.to_device(b, stream=stream)
        dc = cuda.device_array((20, 17), dtype=np.float32, stream=stream)
        tiled[(3, 3), (T, T), stream](da, db, dc)
        c = dc.copy_to_host(stream=stream)
    end.record(stream)
    end.synchronize()
    np.testing.assert_allclose(c, a.astype("f8") @ b, rtol=a.shape[1] * 2.0 ** -24, atol=0)
    assert cuda.event_elapsed_time(start, end) >= 0 and end.query() and start.elapsed_time(end) >= 0
    end.wait(stream)
    seen = []
    stream.add_callback(lambda s, status, arg: seen.append((status, arg)), "x")
    stream.synchronize()
    assert seen == [(0, "x")] and bool(stream) and isinstance(int(cuda.default_stream()), int)


@cuda.jit
def types_of_variables(x, n, out):
    i = cuda.threadIdx.x
    acc = 0                 # becomes float64
    for k in range(n):
        acc += x[k]
    out[0] = acc
    out[1] = n / 2
    out[2] = -7 // n
    out[3] = -7 % n
    out[4] = x[-1] + x[n - 5]
    big = 1
    for k in range(40):
        big *= 2
    out[5] = big
    out[6] = np.float32(0.1) + np.float32(0.2)
    out[7] = x[i] ** 2 + n ** 3 + 2.0 ** -1
    value = 1 if n > 100 else 2.5
    out[8] = value
    out[9] = (n and 5) + (0 or n)
    out[10] = int(x[1]) + math.floor(-0.5) + round(2.6)
    last = 0
    for v in x:
        last = v
    out[11] = last
    row = out[12:]
    row[0] = len(row) + row.shape[0]
    row[1:][0] = min(n, 2.5) + max(1, 2)
    if i == 0:
        return
    out[11] = -1


def test_types_are_numbas():
    x, out = np.arange(1, 9, dtype=np.float32), np.zeros(14)
    types_of_variables[1, 1](x, 4, out)
    expected = [10, 2, -2, 1, 8 + 8, 1 << 40, np.float32(0.1) + np.float32(0.2), 65.5, 2.5, 9, 2 - 1 + 3, 8, 4, 4.5]
    assert np.allclose(out, expected, rtol=1e-7), list(zip(out, expected))


@cuda.jit
def negative_and_unsigned(x, i, u, out):
    out[0] = x[i]
    out[1] = x[-u + 1] if u else 0
    out[2] = i < u
    out[3] = x[1, 0] if x.ndim == 2 else -1
    out[4] = True + 1


@cuda.jit
def names_of_cpp(x, float, int_, out):
    double = x[0]
    sqrt, result, at, stop, unsigned = 1, 2, 3, 4, 5
    x_n0 = 100
    sqrtf = HALF * 0.1          # float64, as 0.1 is
    lo, hi = ordered(double, x[1])
    for at in range(stop):
        result += at
    out[0] = sqrt + result + at + unsigned + x_n0 + len(x)
    out[1] = sqrtf
    out[2] = hi - lo
    größe = float + int_
    out[3] = größe


@cuda.jit(device=True)
def ordered(a, b):
    """Two
values in order."""
    return min(a, b), max(a, b)


HALF = np.float32(0.3)


def test_names_that_mean_something_in_cpp():
    out = np.zeros(4)
    names_of_cpp[1, 1](np.array([5., 2.]), 1, 2, out)
    assert np.allclose(out, [1 + 8 + 3 + 5 + 100 + 2, np.float64(HALF) * 0.1, 3, 3], rtol=1e-12)


@cuda.jit
def sign_of_index(x, out):
    i = 2
    total = 0.0
    while i > -3:
        total += x[i] * 10.0 ** i
        i -= 1
    out[0] = total
    n = 7
    for n in range(n, n + 3):
        pass
    out[1] = n
    for k in range(3):
        k += 10
        out[2] = k
    for k in range(2, -2, -2):
        out[3] = out[3] * 10 + x[k]


def test_loops_that_change_their_variables():
    x, out = np.array([1., 2, 3, 4]), np.zeros(4)
    sign_of_index[1, 1](x, out)
    assert np.allclose(out, [3 * 100 + 2 * 10 + 1 + 4 * 0.1 + 3 * 0.01, 9, 12, 31], rtol=1e-13, atol=0)


def test_negative_indices_wrap():
    out = np.zeros(5)
    negative_and_unsigned[1, 1](np.arange(5.), -2, np.int64(3), out)
    assert (out == [3, 3, 1, -1, 2]).all()
    negative_and_unsigned[1, 1](np.arange(5.), -2, np.uint64(0), out)
    assert (out == [3, 0, 1, -1, 2]).all()  # -2 is less than 0 of any type


@cuda.jit(device=True, inline=True)
def polar(x, y):
    return math.sqrt(x * x + y * y), math.atan2(y, x)


@njit
def twice(x):
    return 2 * x


@cuda.jit("float64(float64)", device=True)
def halved(x):
    return x / 2


@cuda.jit(fastmath=True)
def calls(x, y, r, a):
    i = cuda.grid(1)
    if i < x.shape[0]:
        r[i], angle = polar(x[i], y[i])
        a[i] = twice(halved(angle))


def test_device_functions():
    rng = np.random.default_rng(0)
    x, y = rng.random(40), rng.random(40)
    r, a = np.zeros(40), np.zeros(40)
    calls[2, 32](x, y, r, a)
    assert np.allclose(r, np.hypot(x, y), rtol=1e-13, atol=0) and np.allclose(a, np.arctan2(y, x), rtol=1e-13, atol=0)
    assert twice(3) == 6
    with pytest.raises(RuntimeError, match="device function"):
        polar(1, 2)


@cuda.jit
def votes(x, out):
    i = cuda.threadIdx.x
    out[0, i] = cuda.syncthreads_count(x[i] > 5)
    out[1, i] = cuda.syncthreads_and(x[i] >= 0)
    out[2, i] = cuda.syncthreads_or(x[i] == 7)
    out[3, i] = cuda.ballot_sync(0xffffffff, x[i] % 2 == 0)
    out[4, i] = cuda.all_sync(0xffffffff, x[i] < 100)
    out[5, i] = cuda.any_sync(0xffffffff, x[i] > 100)
    out[6, i] = cuda.shfl_xor_sync(0xffffffff, x[i], 3)
    out[7, i] = cuda.laneid + cuda.warpsize
    cuda.syncwarp()
    cuda.threadfence()
    out[8, i] = cuda.popc(x[i]) + 100 * cuda.clz(int32(x[i])) + 10000 * cuda.ffs(x[i])
    out[9, i] = cuda.selp(x[i] > 3, 1, 2) + cuda.fma(2.0, 3.0, 4.0) + cuda.cbrt(8.0)
    out[10, i] = cuda.eq_sync(0xffffffff, x[i] >= 0) + 2 * cuda.eq_sync(0xffffffff, x[i] > 5)
    out[11, i] = cuda.gridsize(1) + cuda.blockDim.x + cuda.gridDim.x + cuda.blockIdx.x


def test_votes_and_bits():
    x = np.arange(32, dtype=np.int64)
    out = np.zeros((12, 32), np.int64)
    votes[1, 32](x, out)
    assert (out[:3] == np.array([[26], [1], [1]])).all() and (out[3] == 0x55555555).all()
    assert out[4].all() and not out[5].any() and (out[6] == x ^ 3).all() and (out[7] == x + 32).all()
    bits = [bin(v).count("1") + 100 * (32 - int(v).bit_length()) + 10000 * ((v & -v).bit_length() if v else 0)
            for v in map(int, x)]
    assert (out[8] == bits).all() and (out[9] == np.where(x > 3, 1, 2) + 12).all()
    assert (out[10] == 1).all() and (out[11] == 32 + 32 + 1).all()


@cuda.jit
def dynamic(x, out):
    s = cuda.shared.array(0, dtype=float64)
    mine = cuda.local.array(4, float64)
    table, turned = cuda.const.array_like(TABLE), cuda.const.array_like(TURNED)
    t = cuda.threadIdx.x
    s[t] = x[t]
    for k in range(4):
        mine[k] = k * x[t]
    cuda.syncthreads()
    out[t] = s[cuda.blockDim.x - 1 - t] + mine[3] + table[t % 2, 1] + TABLE[0, t % 2] + turned[t % 2, 0].imag


def test_dynamic_local_and_constant_arrays():
    x, out = np.arange(16.), np.zeros(16)
    dynamic[1, 16, 0, 16 * 8](x, out)
    t = np.arange(16)
    assert np.allclose(out, x[::-1] + 3 * x + TABLE[t % 2, 1] + TABLE[0, t % 2] - TABLE[t % 2, 0], rtol=1e-13, atol=0)


@cuda.jit
def atomics(x, sums, most, least, swapped, counts):
    i = cuda.grid(1)
    if i < x.size:
        cuda.atomic.add(sums, (i % 2, 0), x[i])
        cuda.atomic.sub(sums, (i % 2, 1), x[i])
        cuda.atomic.max(most, 0, x[i])
        cuda.atomic.min(least, 0, x[i])
        cuda.atomic.compare_and_swap(swapped, 7, 9)
        cuda.atomic.exch(swapped, 1, 5)
        cuda.atomic.cas(swapped, 2, 7, 3)
        cuda.atomic.inc(counts, 0, 1000)
        cuda.atomic.or_(counts, 1, 1 << (i % 8))
        cuda.atomic.and_(counts, 2, 3)
        cuda.atomic.xor(counts, 3, 1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_atomics(dtype):
    x = np.random.default_rng(0).integers(0, 1000, 99).astype(dtype)
    sums, most, least = np.zeros((2, 2), dtype), np.full(1, 500, dtype), np.full(1, 500, dtype)
    swapped, counts = np.full(3, 7, np.int32), np.full(4, 7, np.uint32)
    counts[0] = 0
    atomics[4, 32](x, sums, most, least, swapped, counts)
    assert (sums[:, 0] == [x[::2].sum(), x[1::2].sum()]).all() and (sums[:, 1] == -sums[:, 0]).all()
    assert most[0] == x.max() and least[0] == x.min()
    assert (swapped == [9, 5, 3]).all() and (counts == [99, 255, 3, 6]).all()


# -- vectorize, guvectorize, reduce

@pytest.mark.parametrize("target", ["cuda", "cpu", "parallel"])
def test_vectorize(target):
    @vectorize(["float32(float32)", float64(float64)], target=target)
    def root(x):
        return math.sqrt(x)

    @vectorize([float32(float32, float32), int64(int64, int64), "float64(float64, float64)"], target=target)
    def sum_of(a, b):
        return a + b

    a = np.arange(4096, dtype=np.float32)
    assert type(root(a)) is np.ndarray and root(a).dtype == np.float32 and np.array_equal(root(a), np.sqrt(a))
    assert root(np.arange(5)).dtype == np.float64 and root(4.0) == 2 and root.nin == 1
    x, y = np.arange(12).reshape(3, 4), np.arange(4)
    assert (sum_of(x, y) == x + y).all() and sum_of(x, y).dtype == np.int64
    assert (sum_of(x[::-1, ::2], 1) == x[::-1, ::2] + 1).all() and sum_of(np.zeros((0, 3)), 1.0).shape == (0, 3)
    assert (sum_of(a, 1) == a + 1).all() and sum_of(a, 1).dtype == np.float32
    out = np.zeros((3, 4), np.int64)
    assert sum_of(x, y, out=out) is out and (out == x + y).all()
    assert (sum_of.reduce(x) == x.sum(0)).all() and (sum_of.reduce(x, axis=1) == x.sum(1)).all()
    assert sum_of.reduce(np.arange(101)) == 5050 and (sum_of.accumulate(np.arange(10)) == np.arange(10).cumsum()).all()
    assert (sum_of.outer(y, y) == np.add.outer(y, y)).all()
    with pytest.raises(TypeError, match="did not contain a loop"):
        root(np.ones(3, complex))
    with pytest.raises(ValueError):
        sum_of(np.ones(3), np.ones(4))
    with pytest.raises(TypeError, match="takes 2 arguments"):
        sum_of(x)


def test_vectorize_on_the_device():
    @vectorize([float32(float32, float32)], target="cuda")
    def times(a, b):
        return a * b
    d = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    r = times(d, d)
    assert isinstance(r, cuda.DeviceNDArray) and (r.copy_to_host() == np.arange(6).reshape(2, 3) ** 2).all()
    out = cuda.device_array((2, 3), np.float32)
    stream = cuda.stream()
    cuda.synchronize()
    assert times(d, 2, out=out, stream=stream) is out
    assert (out.copy_to_host(stream=stream) == d.copy_to_host() * 2).all()
    assert times(d, out).copy_to_host()[1, 2] == 50


def test_vectorize_without_signatures_and_a_lambda():
    @vectorize
    def clipped(x, low, high):
        if x < low:
            return low
        return high if x > high else x
    x = np.arange(-5, 6)
    assert (clipped(x, -2, 3) == np.clip(x, -2, 3)).all()
    assert clipped(x * 0.5, -1.0, 1.0).dtype == np.float64
    f = vectorize([float64(float64)])(lambda x: x * x + 1)
    assert (f(np.arange(3.)) == [1, 2, 5]).all()


@pytest.mark.parametrize("target", ["cuda", "cpu"])
def test_guvectorize(target):
    @guvectorize(["void(float64[:,:], float64[:], float64[:])", (float32[:, :], float32[:], float32[:])],
                 "(m,n),(n)->(m)", target=target)
    def matvec(a, x, y):
        for i in range(a.shape[0]):
            t = 0.
            for j in range(a.shape[1]):
                t += a[i, j] * x[j]
            y[i] = t

    @guvectorize([(int64[:], int64, int64[:])], "(n),()->(n)", target=target)
    def add(x, k, out):
        for i in range(x.shape[0]):
            out[i] = x[i] + k

    @guvectorize("void(float64[:], float64[:], float64[:])", "(n)->(),()", target=target)
    def extremes(x, low, high):
        low[0] = high[0] = x[0]
        for v in x:
            low[0] = min(low[0], v)
            high[0] = max(high[0], v)

    rng = np.random.default_rng(0)
    a, x = rng.random((5, 3, 4)), rng.random((5, 4))
    assert np.allclose(matvec(a, x), np.einsum("kij,kj->ki", a, x), rtol=1e-13, atol=0)
    assert np.allclose(matvec(a[0], x), np.einsum("ij,kj->ki", a[0], x), rtol=1e-13, atol=0)
    assert np.allclose(matvec(a[:, None], x), np.einsum("lij,kj->lki", a, x), rtol=1e-13, atol=0)
    assert matvec(a.astype(np.float32), x.astype(np.float32)).dtype == np.float32
    out = np.zeros((5, 3))
    assert matvec(a, x, out) is out and np.allclose(out, matvec(a, x, out=np.zeros((5, 3))), rtol=1e-13, atol=0)
    assert (add(np.arange(6).reshape(2, 3), [10, 20]) == np.arange(6).reshape(2, 3) + [[10], [20]]).all()
    low, high = extremes(a)
    assert (low == a.min(2)).all() and (high == a.max(2)).all() and extremes(np.arange(3.)) == (0, 2)
    assert matvec(np.zeros((0, 3, 4)), x[0]).shape == (0, 3)
    with pytest.raises(ValueError, match="dimension n"):
        matvec(a, x[:, :3])
    with pytest.raises(ValueError, match="layout"):
        guvectorize([], "m->n")
    if target == "cuda":
        d = matvec(cuda.to_device(a), x)
        assert np.allclose(d.copy_to_host(), np.einsum("kij,kj->ki", a, x), rtol=1e-13, atol=0)


def test_reduce():
    @cuda.reduce
    def total(a, b):
        return a + b
    most = cuda.Reduce(lambda a, b: a if a > b else b)
    x = np.random.default_rng(0).random(1001)
    assert np.isclose(total(x), x.sum()) and total(np.arange(5), init=7) == 17 and total(np.zeros(0)) == 0
    assert most(x, init=-1.0) == x.max() and np.isclose(total(x, size=10), x[:10].sum())
    res = cuda.to_device(np.zeros(2))
    assert total(cuda.to_device(x), res=res) is None and np.isclose(res.copy_to_host()[0], x.sum())


# -- random numbers

def xoroshiro(seed):
    """The generator in integers of Python: (state, next, jump)."""
    full = (1 << 64) - 1

    def step(s):
        a, b = s
        b ^= a
        return (((a << 55 | a >> 9) & full) ^ b ^ (b << 14) & full, (b << 36 | b >> 28) & full)

    def jump(s):
        x = y = 0
        for word in (0xbeac0467eba5facb, 0xd86b048b86aa9922):
            for k in range(64):
                if word >> k & 1:
                    x, y = x ^ s[0], y ^ s[1]
                s = step(s)
        return x, y
    z = (seed + 0x9E3779B97F4A7C15) & full
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & full
    z = (z ^ z >> 27) * 0x94D049BB133111EB & full
    z ^= z >> 31
    return (z, z), step, jump


@cuda.jit
def draw(states, words, single, double, normal, normal2):
    i = cuda.grid(1)
    if i < words.size:
        words[i] = xoroshiro128p_next(states, i)
        single[i] = xoroshiro128p_uniform_float32(states, i)
        double[i] = xoroshiro128p_uniform_float64(states, i)
        normal[i] = xoroshiro128p_normal_float32(states, i)
        normal2[i] = xoroshiro128p_normal_float64(states, i)


def test_random_states_are_numbas():
    n = 20
    states = create_xoroshiro128p_states(n, seed=5)
    assert states.shape == (n,) and states.dtype.names == ("s0", "s1")
    first = states.copy_to_host()
    s, step, jump = xoroshiro(5)
    words, single, double = np.zeros(n, np.uint64), np.zeros(n, np.float32), np.zeros(n)
    normal, normal2 = np.zeros(n, np.float32), np.zeros(n)
    draw[1, 32](states, words, single, double, normal, normal2)
    for k in range(n):
        assert tuple(map(int, first[k])) == s
        drawn, t = [], s
        for _ in range(7):
            drawn.append(sum(t) & (1 << 64) - 1)
            t = step(t)
        unit = [(d >> 11) / 2 ** 53 for d in drawn]
        assert words[k] == drawn[0] and single[k] == np.float32(unit[1]) and double[k] == unit[2]
        for got, u, v, eps in ((normal[k], *unit[3:5], 2.0 ** -23), (normal2[k], *unit[5:7], 2.0 ** -52)):
            radius = math.sqrt(-2 * math.log(u))
            assert abs(got - radius * math.cos(2 * math.pi * v)) <= 8 * eps * radius
        s = jump(s)
    assert (create_xoroshiro128p_states(3, 5, subsequence_start=17).copy_to_host() == first[17:]).all()
    init_xoroshiro128p_states(states, 6)
    assert tuple(map(int, states.copy_to_host()[0])) == xoroshiro(6)[0]


# -- types, devices, errors

def test_types():
    assert float32(1.5).dtype == np.float32 and str(float32[:, ::1]) == "array(float32, 2d, C)"
    assert float32[::1, :].layout == "F" and float32[:].layout == "A" and types.float64 is float64
    assert numba.typeof(np.zeros((2, 3), np.int32)) == int32[:, ::1] and numba.typeof(1) == int64
    assert numba.from_dtype(np.uint8) is uint8 and boolean(1) and types.UniTuple(int64, 2).count == 2
    assert void(float32[:]) == void(float32[:]) and hash(int32[:]) == hash(int32[:])
    with pytest.raises(TypeError, match="not a signature"):
        cuda.jit("void(float33)")
    with pytest.raises(TypeError, match="void return type"):
        cuda.jit("float32(float32)")(lambda x: x)


def test_devices():
    assert cuda.is_available() and cuda.detect() and len(cuda.gpus) >= 1 and len(cuda.list_devices()) >= 1
    assert cuda.get_current_device().name and cuda.current_context().get_memory_info().total > 0
    device = cuda.get_current_device()
    attributes = cp.cuda.Device().attributes
    assert device.WARP_SIZE == attributes["WarpSize"] and device.MAX_GRID_DIM_X == attributes["MaxGridDimX"]
    assert device.MULTIPROCESSOR_COUNT == attributes["MultiProcessorCount"]
    with pytest.raises(AttributeError):
        device.NOTHING
    cuda.synchronize()
    cuda.profile_start()
    cuda.profile_stop()
    with cuda.profiling():
        pass
    with pytest.raises(IndexError):
        cuda.select_device(99)


def test_launch_errors():
    with pytest.raises(ValueError, match="configuration was not specified"):
        axpy(1, 2, 3)
    with pytest.raises(ValueError, match="griddim and blockdim"):
        axpy[1]
    with pytest.raises(ValueError, match="1, 2 or 3"):
        axpy[(1, 1, 1, 1), 1]
    with pytest.raises(TypeError, match="integers"):
        axpy[1.5, 1]
    with pytest.raises(TypingError, match="Cannot determine Numba type"):
        axpy[1, 1]("a", np.zeros(1), np.zeros(1))
    assert axpy.forall(0)(1, np.zeros(0), np.zeros(0)) is None
    empty = np.zeros(0)
    axpy[1, 32](1.0, empty, empty)
    one = axpy.specialize(1.0, np.zeros(3), np.zeros(3))
    y = np.zeros(3)
    one[1, 3](2.0, np.ones(3), y)
    assert (y == 2).all() and one.specialized
    with pytest.raises(NotImplementedError, match="inspect_source"):
        axpy.inspect_asm()


@pytest.mark.parametrize("body, error, match", [
    (["a = n", "while n:", "    n = a", "    a = x"], TypingError, "variable 'a'"),
    (["x[0] = nothing"], TypingError, "nothing"),
    (["with n:", "    pass"], UnsupportedError, "with"),
    (["try:", "    pass", "except ValueError:", "    pass"], UnsupportedError, "try"),
    (["y = [n]"], UnsupportedError, "list"),
    (["x[0] = np.linalg.norm(x)"], TypingError, "norm"),
    (["s = cuda.shared.array(n, np.float32)"], TypingError, "constant"),
    (["return 1"], TypingError, "returns nothing"),
    (["x[0, 1] = 1"], TypingError, "too many indices"),
    (["x[0] = host(1)"], TypingError, "device functions"),
    (["x[0] = cuda.atomic.add(x, 0)"], TypingError, "atomic.add"),
    (["x[0] = 1j"], TypingError, "complex"),
])
def test_errors_name_the_line(body, error, match):
    lines = ["@cuda.jit\n", "def kernel(x, n):\n"] + [f"    {line}\n" for line in body]
    name = f"<wrong numba {abs(hash(tuple(body)))}>"
    linecache.cache[name] = (1, None, lines, name)
    scope = {"cuda": cuda, "np": np, "host": lambda x: x}
    exec(compile("".join(lines), name, "exec"), scope)
    with pytest.raises(error, match=match) as caught:
        scope["kernel"][1, 1](np.zeros(4), 3)
    at = next(k for k, line in enumerate(body) if error is not TypingError or k == len(body) - 1)
    assert f"{name}:{at + 3}: in kernel" in str(caught.value)


PROGRAM = """
from numba import cuda, njit, float32
import numba, numba.cuda.random, numpy
from numba.core.errors import NumbaPerformanceWarning
assert numba.__name__ == "{name}", numba.__name__
assert numba.core.errors.NumbaPerformanceWarning is NumbaPerformanceWarning
if "cuprite" in numba.__name__:
    @cuda.jit
    def kernel(x):
        x[cuda.grid(1)] += 1
    x = numpy.zeros(4)
    kernel[1, 4](x)
    assert (x == 1).all()
print("OK")
"""


@pytest.mark.parametrize("there", ["absent", "broken", "a folder", "real", "real but for kernels", "unwanted",
                                   "wanted"])
def test_numba_stands_for_it_where_it_is_absent(there, tmp_path):
    package = tmp_path / "numba"
    if there != "absent":
        package.mkdir()
    if there == "broken":
        (package / "__init__.py").write_text("raise SystemError('needs another NumPy')")
    (tmp_path / "before").mkdir()  # what stands before site-packages: nothing there turns numba.cuda elsewhere
    (tmp_path / "before" / "_numba_cuda_redirector.py").write_text("")
    path = os.pathsep.join([str(tmp_path / "before"), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path, "CUPRITE_NUMBA": {"unwanted": "1", "wanted": "0"}.get(there, "")}
    if there in ("real", "real but for kernels", "unwanted", "wanted"):
        for folder in (package, package / "core", package / "cuda"):
            folder.mkdir(exist_ok=True)
            (folder / "__init__.py").write_text("jit = njit = float32 = None\nprint('executed', __name__)\n")
        (package / "__init__.py").write_text("import numba.core\njit = njit = float32 = None\nprint('executed')\n")
        (package / "cuda" / "random.py").write_text("")
        (package / "core" / "errors.py").write_text("class NumbaPerformanceWarning(Warning): pass")
        if there == "real but for kernels":
            (package / "cuda" / "cudaimpl.py").write_text("import math\nmath.row_stack")
    elif there != "broken" and subprocess.run([sys.executable, "-c", "import numba"], stderr=-1).returncode == 0:
        pytest.skip("Numba is here")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(name="numba" if there in ("real", "wanted") else "cuprite.numba"))
    r = subprocess.run([sys.executable, "-m", "cuprite", str(program)], capture_output=True, text=True, env=environment)
    once = ("" if there in ("absent", "broken", "a folder", "unwanted") else
            "executed numba.core\nexecuted\nexecuted numba.cuda\n")
    assert r.returncode == 0 and r.stdout == once + "OK\n", r.stdout + r.stderr
