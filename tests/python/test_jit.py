"""cuprite.jit: Python functions as kernels, compared with NumPy, and what is said of functions that cannot be one."""
import inspect
import linecache
import math

import numpy as np
import pytest

import cuprite as cp
from cuprite import jit

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
COMPLEX = [np.complex64, np.complex128]
T = 8
HALF = np.float32(0.5)


def sample(dtype, n=100, low=1):
    rng = np.random.default_rng(1)
    if np.dtype(dtype).kind in "iu":
        return rng.integers(low, 11, n).astype(dtype)
    if np.dtype(dtype).kind == "c":
        return (rng.uniform(0.5, 2, n) + 1j * rng.uniform(0.5, 2, n)).astype(dtype)
    return rng.uniform(low, 4, n).astype(dtype)


def run(kernel, *args, threads=32, blocks=4, **options):
    """The kernel's arguments after a launch, as NumPy arrays."""
    on_device = [cp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
    kernel((blocks,), (threads,), tuple(on_device), **options)
    return [a.get() if isinstance(a, cp.ndarray) else a for a in on_device]


@jit.rawkernel()
def square(x, y, size):
    tid = jit.blockIdx.x * jit.blockDim.x + jit.threadIdx.x
    ntid = jit.gridDim.x * jit.blockDim.x
    for i in range(tid, size, ntid):
        y[i] = x[i] * x[i]


def same(got, expected):
    """Equal, but for complex numbers, of which a compiler may fuse the products: each within an ulp of the sum."""
    assert got.dtype == expected.dtype
    if expected.dtype.kind == "c":
        assert np.all(abs(got - expected) <= 2 * np.finfo(expected.dtype).eps * abs(expected))
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("dtype", INTEGERS + FLOATS + COMPLEX)
def test_both_launch_styles(dtype):
    x = cp.asarray(sample(dtype))
    y = cp.zeros_like(x)
    square((2,), (16,), (x, y, np.uint32(100)))
    same(y.get(), x.get() * x.get())
    y[...] = 0
    square[2, 16](x, y, np.uint32(100))
    same(y.get(), x.get() * x.get())
    y[...] = 0
    square[(2,), (16,), 0](x, y, 100)
    same(y.get(), x.get() * x.get())


@jit.rawkernel(mode="numpy")
def operators(x, y, add, sub, mul, div, floor, rest, power):
    i = jit.grid(1)
    if i < len(x):
        add[i] = x[i] + y[i]
        sub[i] = x[i] - y[i]
        mul[i] = x[i] * y[i]
        div[i] = x[i] / y[i]
        floor[i] = x[i] // y[i]
        rest[i] = x[i] % y[i]
        power[i] = x[i] ** y[i]


@pytest.mark.parametrize("other", [np.int8, np.uint16, np.int32, np.int64, np.float32])
@pytest.mark.parametrize("dtype", INTEGERS + FLOATS)
def test_arithmetic_is_numpys(dtype, other):
    x, y = sample(dtype), sample(other)[::-1].copy()
    if np.dtype(dtype).kind != "u" and np.dtype(other).kind != "u":
        x[::3] = -x[::3]
    functions = [np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.power]
    with np.errstate(all="ignore"):
        expected = [f(x, y) for f in functions]
    got = run(operators, x, y, *(np.zeros_like(e) for e in expected))[2:]
    for f, e, g in zip(functions, expected, got):
        close = 4 * np.finfo(e.dtype).eps if e.dtype.kind == "f" and f is np.power else 0
        np.testing.assert_allclose(g, e, rtol=close, atol=0, err_msg=f.__name__)


@jit.rawkernel()
def types(x, n, out):
    out[0] = x[0] * 0.5 + 1
    out[1] = n / 2
    out[2] = x[0] * n
    out[3] = cp.float64(x[0]) * 0.1


def test_types_of_mode_cuda():
    """C's conversions: int64 times float32 is float32; whole constants are 32 bits wide."""
    x, out = np.array([3], np.float32), np.zeros(4)
    out = run(types, x, np.int64(1 << 24), out)[2]
    assert out[0] == 2.5 and out[1] == 1 << 23 and out[2] == np.float32(3 * (1 << 24)) and out[3] == 3 * 0.1
    assert "float" in types.cached_code and "double" in types.cached_code


@jit.rawkernel()
def bits(x, y, out):
    i = jit.grid(1)
    if i < x.size:
        out[0, i] = x[i] & y[i]
        out[1, i] = x[i] | y[i]
        out[2, i] = x[i] ^ y[i]
        out[3, i] = x[i] << 1
        out[4, i] = x[i] >> 1
        out[5, i] = ~x[i]
        out[6, i] = -x[i]
        out[7, i] = +x[i]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bits(dtype):
    x, y = sample(dtype), sample(dtype)[::-1].copy()
    out = run(bits, x, y, np.zeros((8, 100), dtype))[2]
    for got, expected in zip(out, [x & y, x | y, x ^ y, x << 1, x >> 1, ~x, -x, +x]):
        assert (got == expected).all()


@jit.rawkernel()
def copied(x, y):
    i, j = jit.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        y[i, j] = x[i, j]


@pytest.mark.parametrize("dtype", [np.bool_] + INTEGERS + FLOATS + COMPLEX)
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[::-1], lambda x: x[:, ::-2], lambda x: x.T,
                                  lambda x: x[1:, 1:], lambda x: x[::-1, ::-1].T])
def test_strides(dtype, view):
    x = cp.asarray(np.arange(48).reshape(6, 8).astype(dtype))
    given = view(x)
    y = cp.zeros(given.shape, dtype)
    copied[(1, 1), (8, 8)](given, y)
    assert (y.get() == view(x.get())).all()
    target = cp.zeros((6, 8), dtype)
    copied[(1, 1), (8, 8)](given, view(target))
    assert (view(target).get() == view(x.get())).all()


@jit.rawkernel()
def zero_d(x, y, n):
    y[()] = x[()] + n
    y[()] += len(jit_shape) + x.ndim + x.size


jit_shape = (4, 5)


def test_0d_and_empty():
    x, y = cp.asarray(np.float32(3)), cp.zeros((), np.float32)
    zero_d[1, 1](x, y, 2)
    assert y.get() == 8
    e = cp.zeros((0, 4), np.float32)
    copied[(1, 1), (2, 2)](e, e)
    square[1, 1](cp.zeros(0), cp.zeros(0), 0)
    half = cp.asarray((np.arange(6) + 1j * np.arange(6, 12)).astype(np.complex64))
    out = cp.zeros((2, 6), np.float32)
    copied[(1, 1), (8, 8)](half.real.reshape(1, 6), out[:1])
    copied[(1, 1), (8, 8)](half.imag.reshape(1, 6), out[1:])
    assert (out.get() == [np.arange(6), np.arange(6, 12)]).all()


@jit.rawkernel(device=True)
def ordered(a, b):
    if a > b:
        return b, a
    return a, b


@jit.rawkernel(device=True)
def scaled(x, by=2.0):
    return x * by


@jit.rawkernel()
def control(x, out):
    i = jit.threadIdx.x
    total = cp.float32(0)
    k = 0
    while True:
        k += 1
        if k % 2 == 0:
            continue
        if k > i:
            break
        total += k
    for a in range(10, 0, -3):
        total += a
    for a in range(3):
        for b in range(a):
            if b == 1:
                break
        else:
            total += 100
    while k > 0:
        k -= 1
    else:
        total += 1000
    lo, hi = ordered(x[i], x[i + 1])
    lo, hi = hi, lo
    total += lo - hi if 0 < i <= 5 else 0
    total += scaled(x[i]) + scaled(x[i], by=3)
    pair = (i, total)
    total = pair[1] + pair[0]
    if not (i == 0 or i == 3) and (i, 1) != (4, 1):
        total = -total
    out[i] = total


def expected_control(x, i):
    total, k = 0, 0
    while True:
        k += 1
        if k % 2 == 0:
            continue
        if k > i:
            break
        total += k
    total += 10 + 7 + 4 + 1 + 200 + 1000
    lo, hi = sorted((x[i], x[i + 1]), reverse=True)
    total += lo - hi if 0 < i <= 5 else 0
    total += 5 * x[i] + i
    return -total if i not in (0, 3, 4) else total


def test_control_flow():
    x = np.random.default_rng(0).random(9).astype(np.float32)
    out = run(control, x, np.zeros(8, np.float32), threads=8, blocks=1)[1]
    assert np.allclose(out, [expected_control(x, i) for i in range(8)], rtol=1e-6)


@jit.rawkernel()
def functions(x, out):
    i = jit.threadIdx.x
    v = x[i]
    out[0, i] = math.sin(v) + cp.cos(v) + np.tan(v)
    out[1, i] = math.sqrt(v) + cp.exp(v) - math.log(v)
    out[2, i] = min(v, 0.5, 2) + max(v, 1)
    out[3, i] = abs(-v) + math.floor(v) + math.ceil(v)
    out[4, i] = math.atan2(v, 2) + math.hypot(v, 3) + math.fmod(v, 0.3)
    out[5, i] = cp.where(v > 0.5, v, -v)
    out[6, i] = int(v * 10) + float(i)
    out[7, i] = cp.isnan(v) + cp.isfinite(v) * 2 + round(v) + math.pi * v
    out[8, i] = cp.maximum(v, 0.3) + cp.minimum(v, 0.3) + cp.sign(v) + cp.square(v)
    out[9, i] = v ** 2 + v ** 3 + v ** 0.5 + v ** -1 + cp.int32(2) ** 3


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions(dtype):
    x = np.random.default_rng(0).uniform(0.1, 3, 16).astype(dtype)
    v = x.astype(np.float64)
    out = run(functions, x, np.zeros((10, 16), np.float64), threads=16, blocks=1)[1]
    i = np.arange(16)
    expected = [np.sin(v) + np.cos(v) + np.tan(v), np.sqrt(v) + np.exp(v) - np.log(v),
                np.minimum(v, 0.5) + np.maximum(v, 1), v + np.floor(v) + np.ceil(v),
                np.arctan2(v, 2) + np.hypot(v, 3) + np.fmod(v, dtype(0.3)), np.where(v > 0.5, v, -v),
                (x * 10).astype(int) + i, 2 + np.round(v) + np.pi * v,
                np.maximum(v, 0.3) + np.minimum(v, 0.3) + 1 + v * v,
                v ** 2 + v ** 3 + v ** 0.5 + 1 / v + 8]
    for got, e in zip(out, expected):
        assert np.allclose(got, e, rtol=8 * np.finfo(dtype).eps, atol=8 * np.finfo(dtype).eps)


@jit.rawkernel()
def of_complex(x, y, out, real):
    i = jit.threadIdx.x
    out[0, i] = x[i] + y[i]
    out[1, i] = x[i] * y[i] - 1j
    out[2, i] = x[i] / y[i]
    out[3, i] = cp.exp(x[i]) + cp.sqrt(y[i])
    out[4, i] = x[i].conjugate() ** 2
    real[0, i] = x[i].real
    real[1, i] = x[i].imag
    real[2, i] = x[i] == y[i]
    real[3, i] = abs(x[i])


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex(dtype):
    x, y = sample(dtype, 16), sample(dtype, 16)[::-1].copy()
    x[3] = y[3]
    _, _, out, (*real, size) = run(of_complex, x, y, np.zeros((5, 16), dtype), np.zeros((4, 16)), threads=16, blocks=1)
    close = 8 * np.finfo(dtype).eps
    for got, e in zip(out, [x + y, x * y - 1j, x / y, np.exp(x) + np.sqrt(y), np.conj(x) ** 2]):
        assert np.allclose(got, e, rtol=close, atol=0)
    for got, e in zip(real, [x.real, x.imag, x == y]):
        np.testing.assert_array_equal(got, e)
    np.testing.assert_allclose(size, np.abs(x), rtol=close, atol=0)


@jit.rawkernel()
def half(x, out):
    i = jit.threadIdx.x
    v = x[i] * x[i] + 1
    out[0, i] = v
    out[1, i] = cp.sqrt(x[i]) if x[i] > 2 else -x[i]
    out[2, i] = max(x[i], x[0])
    out[3, i] += x[i]


def test_half():
    x = sample(np.float16, 16)
    out = run(half, x, np.ones((4, 16), np.float16), threads=16, blocks=1)[1]
    f = x.astype(np.float32)
    for got, e in zip(out, [f * f + 1, np.where(f > 2, np.sqrt(f), -f), np.maximum(f, f[0]), f + 1]):
        np.testing.assert_allclose(got.astype(np.float32), e, rtol=2.0 ** -10, atol=0)


@jit.rawkernel()
def block_sum(x, out):
    t = jit.threadIdx.x
    s = jit.shared_memory(cp.float64, 64)
    s[t] = x[jit.grid(1)]
    jit.syncthreads()
    step = 32
    while step > 0:
        if t < step:
            s[t] += s[t + step]
        jit.syncthreads()
        step //= 2
    if t == 0:
        out[jit.blockIdx.x] = s[0]


@jit.rawkernel()
def reversed_by_dynamic(x, out):
    s = jit.shared_memory(np.float32, None)
    t = jit.threadIdx.x
    s[t] = x[t]
    jit.syncthreads()
    out[t] = s[jit.blockDim.x - 1 - t]
    if t == 0:
        out[63] = len(s)


def test_shared_memory():
    x = np.random.default_rng(0).random(256)
    assert np.allclose(run(block_sum, x, np.zeros(4), threads=64)[1], x.reshape(4, 64).sum(1), rtol=1e-13, atol=0)
    y = np.arange(64, dtype=np.float32)
    out = run(reversed_by_dynamic, y, np.zeros(64, np.float32), threads=48, blocks=1, shared_mem=4 * 48)[1]
    assert (out[:48] == y[:48][::-1]).all() and out[63] == 48


@jit.rawkernel()
def tiles(a, b):
    s = jit.shared_memory(np.float32, (T, T + 1))
    i, j = jit.threadIdx.x, jit.threadIdx.y
    x, y = jit.blockIdx.x * T + i, jit.blockIdx.y * T + j
    s[i, j] = a[x, y]
    jit.syncthreads()
    b[jit.blockIdx.y * T + i, jit.blockIdx.x * T + j] = s[j, i]


def test_two_dimensions_of_shared_memory():
    a = cp.asarray(np.random.default_rng(0).random((16, 24)).astype(np.float32))
    b = cp.zeros((24, 16), np.float32)
    tiles[(2, 3), (T, T)](a, b)
    assert (b.get() == a.get().T).all()


@jit.rawkernel()
def shuffles(x, out):
    t = jit.threadIdx.x
    lane = jit.laneid()
    out[0, t] = jit.shfl_sync(0xffffffff, x[t], 5)
    out[1, t] = jit.shfl_up_sync(0xffffffff, x[t], 1)
    out[2, t] = jit.shfl_down_sync(0xffffffff, x[t], 2, width=16)
    out[3, t] = jit.shfl_xor_sync(0xffffffff, x[t], 1)
    jit.syncwarp()
    jit.syncwarp(mask=0xffffffff)
    out[4, t] = lane + jit.warpsize * 100


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.float32, np.float64])
def test_shuffles(dtype):
    x = np.arange(64).astype(dtype)
    out = run(shuffles, x, np.zeros((5, 64), dtype), threads=64, blocks=1)[1]
    w = x.reshape(2, 32)
    assert (out[0].reshape(2, 32) == w[:, 5:6]).all()
    assert (out[1].reshape(2, 32) == np.concatenate([w[:, :1], w[:, :-1]], 1)).all()
    down = x.reshape(4, 16)
    assert (out[2].reshape(4, 16) == np.concatenate([down[:, 2:], down[:, -2:]], 1)).all()
    assert (out[3] == x.reshape(-1, 2)[:, ::-1].ravel()).all()
    assert (out[4].reshape(2, 32) == np.arange(32) + 3200).all()


def atomic_kernel(operation):
    @jit.rawkernel()
    def kernel(x, y, old):
        i = jit.grid(1)
        old[i] = operation(y, i % 4, x[i])
    return kernel


@pytest.mark.parametrize("name, fold, dtypes", [
    ("add", np.add, [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]),
    ("sub", lambda a, b: a - b, [np.int32, np.uint32, np.int64, np.float64]),
    ("min", np.minimum, [np.int32, np.uint32, np.int64, np.uint64]),
    ("max", np.maximum, [np.int32, np.uint32, np.int64, np.uint64]),
    ("and", np.bitwise_and, [np.int32, np.uint32, np.int64, np.uint64]),
    ("or", np.bitwise_or, [np.int32, np.uint32, np.int64, np.uint64]),
    ("xor", np.bitwise_xor, [np.int32, np.uint32, np.int64, np.uint64])])
def test_atomics(name, fold, dtypes):
    kernel = atomic_kernel(getattr(jit, f"atomic_{name}"))
    for dtype in dtypes:
        x = np.random.default_rng(0).integers(1, 100, 128).astype(dtype)
        start = np.full(4, 50, dtype)
        y = run(kernel, x, start, np.zeros(128, dtype))[1]
        expected = start.copy()
        with np.errstate(over="ignore"):
            for k, v in enumerate(x):
                expected[k % 4] = fold(expected[k % 4], v)
        assert np.allclose(y, expected, rtol=1e-13, atol=0), dtype


@jit.rawkernel()
def other_atomics(y, old):
    old[0] = jit.atomic_exch(y, 0, 7)
    old[1] = jit.atomic_cas(y, 1, 1, 9)
    old[2] = jit.atomic_cas(y, 2, 1, 9)
    old[3] = jit.atomic_inc(y, 3, 3)
    old[4] = jit.atomic_dec(y, 4, 9)
    old[5] = jit.atomic_inc(y, 3, 3)


def test_exchanges():
    y, old = run(other_atomics, np.arange(5, dtype=np.uint32), np.zeros(6, np.uint32), threads=1, blocks=1)
    assert (y == [7, 9, 2, 1, 3]).all() and (old == [0, 1, 2, 3, 4, 0]).all()


@jit.rawkernel()
def unrolled(x, out):
    i = jit.threadIdx.x
    total = 0.0
    for k in jit.range(4, unroll=True):
        total += x[i, k]
    for k in jit.range(0, 4, 2, unroll=2):
        total += x[i, k]
    for k in jit.range(0, 4, unroll=False):
        total += x[i, k]
    out[i] = total


def test_unrolled_loops():
    x = np.arange(32, dtype=np.float32).reshape(8, 4)
    assert (run(unrolled, x, np.zeros(8), threads=8, blocks=1)[1] == 2 * x.sum(1) + x[:, 0] + x[:, 2]).all()
    assert unrolled.cached_code.count("#pragma unroll") == 3


def made_with(factor, flag):
    @jit.rawkernel()
    def kernel(x):
        i = jit.threadIdx.x
        if flag:
            x[i] = x[i] * factor + HALF
        else:
            x[i] = unknown_name  # noqa: F821 (not looked at: the branch is decided while the kernel is compiled)
    return kernel


def test_closures_and_constants():
    x = np.arange(4, dtype=np.float32)
    assert (run(made_with(3, True), x.copy(), threads=4, blocks=1)[0] == x * 3 + 0.5).all()
    assert (run(made_with(2.5, 1), x.copy(), threads=4, blocks=1)[0] == x * 2.5 + 0.5).all()
    with pytest.raises(NameError, match="unknown_name"):
        run(made_with(3, False), x)


@jit.rawkernel()
def later(x, n):
    if n > 0:
        value = 1.0
    else:
        value = 2.0
    previous = 0.0
    for i in range(4):
        if i > 0:
            previous = last
        last = x[i]
        value += previous
    x[0] = value


def test_variables_live_in_the_function():
    x = run(later, np.array([1., 2, 3, 4]), 1, threads=1, blocks=1)[0]
    assert x[0] == 1 + 0 + 1 + 2 + 3


def test_one_text_for_each_list_of_types():
    @jit.rawkernel()
    def kernel(x, n):
        x[0] += n
    for x in (cp.zeros(1), cp.zeros(1), cp.zeros(1, np.float32), cp.zeros((1,), np.int32)):
        kernel[1, 1](x, 1)
        assert x.get()[0] == 1
    assert len(kernel.cached_codes) == 3 and all("__global__" in c for c in kernel.cached_codes.values())
    with pytest.warns(UserWarning):
        assert isinstance(kernel.cached_code, str)


def test_source_as_a_notebook_keeps_it():
    text = "from cuprite import jit\n@jit.rawkernel()\ndef f(x):\n    x[jit.threadIdx.x] = 7\n"
    name = "<ipython-input-1-cell>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    scope = {}
    exec(compile(text, name, "exec"), scope)
    assert (run(scope["f"], np.zeros(4), threads=4, blocks=1)[0] == 7).all()
    scope = {}
    exec(text, scope)
    with pytest.raises(OSError, match="source"):
        run(scope["f"], np.zeros(4))


# -- reductions, groups, algorithms

@jit.rawkernel()
def folds(x, out):
    Block = jit.cub.BlockReduce[np.float32, 64]
    Warp = jit.cub.WarpReduce[np.float32]
    storage = jit.shared_memory(Block.TempStorage, 1)
    warp_storage = jit.shared_memory(Warp.TempStorage, 1)
    t = jit.threadIdx.x
    total = Block(storage[0]).Sum(x[t])
    jit.syncthreads()
    most = Block(storage[0]).Reduce(x[t], jit.cub.Max())
    least = Warp(warp_storage[0]).Reduce(x[t], jit.cub.Min())
    if t == 0:
        out[0] = total
        out[1] = most
        out[2] = least


def test_cub():
    x = np.random.default_rng(0).random(64).astype(np.float32)
    out = run(folds, x, np.zeros(3, np.float32), threads=64, blocks=1)[1]
    assert abs(out[0] - x.sum(dtype="f8")) <= 6 * 2.0 ** -24 * x.sum() and (out[1:] == [x.max(), x[:32].min()]).all()


@jit.rawkernel()
def groups(x, out):
    g = jit.cg.this_thread_block()
    s = jit.shared_memory(np.float32, 64)
    jit.cg.memcpy_async(g, s, 0, x, 0, 256)
    jit.cg.wait(g)
    out[g.thread_rank()] = s[63 - g.thread_rank()] + g.size()
    jit.cg.sync(g)
    g.sync()


def test_groups():
    x = np.arange(64, dtype=np.float32)
    assert (run(groups, x, np.zeros(64, np.float32), threads=64, blocks=1)[1] == x[::-1] + 64).all()


@jit.rawkernel()
def algorithms(x, keys, values, out):
    th, s = jit.thrust, jit.thrust.seq
    th.sort(s, x.begin(), x.end())
    out[0] = th.lower_bound(s, x.begin(), x.end(), 0.5) - x.begin()
    out[1] = th.count(s, keys.begin(), keys.end(), 3)
    out[2] = th.reduce(s, x.begin(), x.end())
    th.stable_sort_by_key(s, keys.begin(), keys.end(), values.begin())
    a, b = th.equal_range(s, keys.begin(), keys.end(), 3)
    out[3] = b - a
    c, d = th.unique_by_key(s, keys.begin(), keys.end(), values.begin())
    out[4] = c - keys.begin()
    out[5] = th.reduce(s, th.make_counting_iterator(5), th.make_counting_iterator(15))
    out[6] = th.is_sorted(s, x.begin(), x.end())
    out[7] = th.find(s, keys.begin(), keys.end(), 2) - keys.begin()
    out[8] = th.inner_product(s, values.begin(), values.end(), values.begin(), 1)


def test_thrust():
    rng = np.random.default_rng(0)
    x, keys, values = rng.random(50), rng.integers(0, 6, 40), np.arange(40.)
    sx, sk, sv, out = run(algorithms, x, keys, values, np.zeros(9), threads=1, blocks=1)
    unique, first = np.unique(keys, return_index=True)
    assert (sx == np.sort(x)).all() and (sk[:6] == unique).all() and (sv[:6] == first).all()
    expected = [(np.sort(x) < 0.5).sum(), (keys == 3).sum(), x.sum(), (keys == 3).sum(), 6, 95, 1, 2]
    assert np.allclose(out[:8], expected, rtol=1e-13, atol=0)
    assert np.isclose(out[8], (sv * sv).sum() + 1)


@jit.rawkernel()
def own_comparison(x):
    jit.thrust.sort(jit.thrust.seq, x.begin(), x.end(), None)


@jit.rawkernel()
def several_targets(x, out):
    i = jit.threadIdx.x
    a = b = jit.atomic_add(x, 0, 1)
    if i == 3:
        out[64] = out[65] = jit.atomic_add(x, 1, 2) + 7
    c, out[i] = jit.shfl_sync(0xffffffff, a, 3), a - b
    d = e = jit.shfl_sync(0xffffffff, a, 5)
    out[32 + i] = c - jit.shfl_sync(0xffffffff, b, 3) + d - e


def test_a_call_for_several_targets():
    """It is done once."""
    x, out = run(several_targets, np.zeros(2, "i4"), np.full(66, 9, "i4"), threads=32, blocks=1)
    assert x.tolist() == [32, 2] and not out[:64].any() and out[64:].tolist() == [7, 7]


def test_thrust_says_what_it_lacks():
    with pytest.raises(NotImplementedError, match="comparisons"):
        run(own_comparison, np.zeros(3))
    with pytest.raises(RuntimeError, match="kernel"):
        jit.thrust.sort()


# -- programs that are wrong: the error names the line

def wrong(body, error, match, device=False):
    """A kernel of these lines fails with the error, which names the last of them."""
    lines = ["@jit.rawkernel()\n", "def kernel(x, n):\n"] + [f"    {line}\n" for line in body]
    name = f"<wrong {abs(hash(tuple(body)))}>"
    linecache.cache[name] = (1, None, lines, name)
    scope = {"jit": jit, "cp": cp, "np": np, "math": math, "plain": lambda x: x, "A": cp.zeros(3), "ordered": ordered}
    exec(compile("".join(lines), name, "exec"), scope)
    with pytest.raises(error, match=match) as caught:
        scope["kernel"][1, 1](cp.zeros(4), 3)
    assert f"{name}:{len(lines)}: in kernel" in str(caught.value)
    assert body[-1].strip() in str(caught.value)


@pytest.mark.parametrize("body, error, match", [
    (["y = [i for i in range(3)]"], NotImplementedError, "list comprehension"),
    (["y = {1: 2}"], NotImplementedError, "dict"),
    (["y = lambda: 0"], NotImplementedError, "lambda"),
    (["import os"], NotImplementedError, "import"),
    (["def g(): pass"], NotImplementedError, "function in a function"),
    (["del x"], NotImplementedError, "del"),
    (["x[0] = nothing"], NameError, "nothing"),
    (["a = 1", "a = 2.5"], TypeError, "variable 'a' is int32 and cannot become float32"),
    (["a = 1", "a = x"], TypeError, "variable 'a'"),
    (["x[0] = 1j"], TypeError, "complex"),
    (["x[0, 0] = 1"], IndexError, "too many indices"),
    (["x[0.5] = 1"], TypeError, "integer"),
    (["x[0] = plain(x[0])"], TypeError, "device functions"),
    (["x[0] = x"], TypeError, "not a number"),
    (["x[0] = x * 2"], TypeError, "single numbers"),
    (["x[0] = np.median(x)"], TypeError, "median cannot be called"),
    (["x[0] = x.flags"], AttributeError, "flags"),
    (["x[0] = jit.threadIdx.w"], AttributeError, "w"),
    (["a, b = 1, 2, 3"], ValueError, "3 values"),
    (["for i in range(1, 2, 0): pass"], ValueError, "zero"),
    (["for i in range(0.5): pass"], TypeError, "integers"),
    (["s = jit.shared_memory(np.float32, n)"], TypeError, "constant"),
    (["s = jit.shared_memory('U5', 3)"], TypeError, "type"),
    (["x[0] = jit.atomic_add(n, 0, 1)"], TypeError, "array"),
    (["x[0] = jit.atomic_and(x, 0, 1)"], TypeError, "float64"),
    (["x[0] = jit.grid(4)"], ValueError, "dimensions"),
    (["x[0] = math.sin(1, 2)"], TypeError, "sin"),
    (["x[0] = ordered(x[0])"], TypeError, "ordered"),
    (["return n"], TypeError, "returns nothing"),
    (["x[0] = q", ], NameError, "q"),
    (["x[0] = x[0] if n else 'text'"], TypeError, "text"),
    (["a = n > 0 and x[ordered(n, 1)[0]]"], NotImplementedError, "name first"),
    (["x[0] += range(3)"], NotImplementedError, "for statement"),
])
def test_errors_name_the_line(body, error, match):
    wrong(body, error, match)


def test_a_missing_return():
    @jit.rawkernel(device=True)
    def partial(x):
        if x > 0:
            return x

    @jit.rawkernel()
    def kernel(x):
        x[0] = partial(x[0])
    with pytest.raises(TypeError, match="return a value on every way") as caught:
        run(kernel, np.zeros(1))
    assert f"{__file__}:{inspect.getsourcelines(partial._function)[1] + 1}: in partial" in str(caught.value)


def test_recursion_and_hosts():
    @jit.rawkernel(device=True)
    def recursive(x):
        return recursive(x - 1)

    @jit.rawkernel()
    def kernel(x):
        x[0] = recursive(x[0])
    with pytest.raises(NotImplementedError, match="recursive"):
        run(kernel, np.zeros(1))
    with pytest.raises(TypeError, match="device function"):
        recursive[1, 1](1)
    with pytest.raises(RuntimeError, match="kernel only"):
        jit.syncthreads()
    with pytest.raises(RuntimeError, match="kernel"):
        jit.threadIdx.x
    with pytest.raises(ValueError, match="mode"):
        jit.rawkernel(mode="c")
    with pytest.raises(TypeError, match="grid, block"):
        kernel[1]
    with pytest.raises(TypeError, match="takes 1 arguments"):
        kernel[1, 1](1, 2)
    with pytest.raises(TypeError, match="type str"):
        kernel[1, 1]("a")


@jit.rawkernel(mode="numpy")
def compared_with_constants(x, y):
    i = jit.threadIdx.x
    y[i, 0], y[i, 1], y[i, 2] = x[i] < -70000, x[i] >= -70000, -70000 < x[i]
    y[i, 3], y[i, 4], y[i, 5] = x[i] == 70000, 70000 != x[i], x[i] <= 70000
    y[i, 6], y[i, 7] = np.less(x[i], -70000), np.greater_equal(-70000, x[i])
    y[i, 8], y[i, 9] = np.not_equal(x[i], 70000), np.less_equal(70000, x[i])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_constants_beyond_a_type_are_compared_exactly(dtype):
    x = np.array([0, 1, 100, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
    y = run(compared_with_constants, x, np.zeros((5, 10), "?"), threads=5, blocks=1)[1]
    right = [x < -70000, x >= -70000, -70000 < x, x == 70000, 70000 != x, x <= 70000, np.less(x, -70000),
             np.greater_equal(-70000, x), np.not_equal(x, 70000), np.less_equal(70000, x)]
    assert y.tolist() == np.transpose(right).tolist()


@jit.rawkernel(mode="numpy")
def from_zero(n, x, y):
    i = jit.threadIdx.x
    y[i, 0], y[i, 1], y[i, 2] = 0.0 - n[i], 0 - abs(x[i]), np.subtract(0.0, n[i])
    y[i, 3] = -0.0 - x[i]


def test_zero_minus_zero_has_no_sign():
    n, x = np.array([0, 1, -1]), np.array([-0.0, 0.5, -0.5])
    y = run(from_zero, n, x, np.ones((3, 4)), threads=3, blocks=1)[2]
    right = np.transpose([0.0 - n, 0 - abs(x), np.subtract(0.0, n), -0.0 - x])
    assert y.tobytes() == np.ascontiguousarray(right).tobytes()


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.bool_])
def test_quotients_of_small_integers_keep_their_type(dtype):
    """C widens them; what takes the quotient must not see that."""
    @jit.rawkernel(mode="numpy")
    def kernel(x, y, out, rest, product):
        i = jit.threadIdx.x
        out[i] = y[i] % (x[i] // True)
        rest[i] = np.fmax(y[i], x[i] % 3)
        product[i] = x[i] // 2 * y[i]
    x, y = [np.arange(k, k + 8).astype(dtype) for k in (1, 5)]
    if dtype is np.bool_:
        y = y.astype(np.uint8)
    want = [y % (x // True), np.fmax(y, x % 3), x // 2 * y]
    got = run(kernel, x, y, *[np.zeros_like(w) for w in want], threads=8, blocks=1)[2:]
    for a, b in zip(got, want):
        np.testing.assert_array_equal(a, b)
