"""What kernels of cuda.jit may say beyond the basics: loops over several things, all of math, libdevice, float16,
short vectors; and what programs ask of Numba around kernels. Python and NumPy are the oracles."""
import asyncio
import math

import numpy as np
import pytest

from cuprite.numba import cuda, float32, float64, int32, njit, vectorize
from cuprite.numba.cuda import libdevice

rng = np.random.default_rng(11)
eq = np.testing.assert_array_equal


def close(a, b, ulps, dtype="d"):
    """Equal but for so many ulps of the type."""
    np.testing.assert_allclose(a, b, rtol=ulps * np.finfo(dtype).eps, atol=0)


# --- loops ---
def loops(x, y, n, out):
    for i, v in enumerate(x):
        out[0] += v * i
    for a, b in zip(x, y):
        out[1] += a * b
    for i, (a, b) in enumerate(zip(x, y), 3):
        out[2] += a * b * i
    for j, t in enumerate((1, 2.5, 3)):
        out[3] += j * t
    for v in reversed(range(n)):
        out[4] = out[4] * 3 + v
    for v in reversed(x):
        out[5] = out[5] / 2 + v
    for i, v in enumerate(range(n, -n, -2), start=n):
        out[6] += i * v
    for i, j, v in zip(range(2, 20, 3), range(n), x):
        out[7] += i * j * v
    for pair in zip(x, (1, 2, 3)):
        out[8] += pair[0] * pair[1]
    for i, row in enumerate(y[::2]):
        out[9] += i * row
    for i, v in enumerate(x):
        if v > 0.9:
            break
        if v < 0.1:
            continue
        out[10] += i
    else:
        out[10] += 1000
    for i, v in zip(range(0), x):
        out[11] = 1
    else:
        out[11] += 5


def test_loops_over_several_things():
    x, y = rng.random(10), rng.random(12)
    source = cuda.jit(loops)
    got, expected = np.zeros(12), np.zeros(12)
    source[1, 1](x, y, 7, got)
    loops(x, y, 7, expected)
    close(got, expected, 8)
    x[:] = 0.5
    got[:], expected[:] = 0, 0
    source[1, 1](x, y, 0, got)
    loops(x, y, 0, expected)
    close(got, expected, 8)


@pytest.mark.parametrize("line, text", [
    ("for v in enumerate(): pass", "enumerate takes something to loop over and a start"),
    ("for v in enumerate(x, 1.5): pass", "enumerate starts at an integer"),
    ("for v in zip(): pass", "zip takes what it goes over"),
    ("for a, b in zip(x, 3): pass", "cannot be looped over|cannot be indexed"),
    ("for v in reversed(x, x): pass", "reversed takes one argument"),
    ("for a, b, c in zip(x, x): pass", "2 values cannot be assigned to 3 names")])
def test_loops_that_cannot_be(line, text, tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(f"def k(x):\n    {line}\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    with pytest.raises(Exception, match=text) as e:
        cuda.jit(space["k"])[1, 1](np.zeros(3))
    assert line in str(e.value)


def test_variables_are_as_wide_as_all_that_they_are_given():
    @cuda.jit
    def k(x, f, out):
        acc = 0
        for v in x:
            acc += v
        out[0] = acc
        narrow = float32(0)
        for v in f:
            narrow += v
        out[1] = narrow
        wide = 0.0
        for v in f:
            wide += v
        out[2] = wide
        truth = True
        truth = truth + 1
        out[3] = truth
        z = 0
        z = z + 1j
        out[4] = z.imag
        most = 0
        for v in x:
            if v > most:
                most = v
        out[5] = most
        n = int32(7)
        n = n / 2
        out[6] = n
    x, f, out = rng.random(100), rng.random(100).astype("f"), np.zeros(7)
    k[1, 1](x, f, out)
    acc, narrow, wide = 0, np.float32(0), 0.0
    for v in x:
        acc += v
    for v in f:
        narrow, wide = narrow + v, wide + float(v)
    eq(out, [acc, narrow, wide, 2, 1, x.max(), 3.5])


def reused(x, n, out):
    i = 3
    out[0] = x[i]               # an integer here
    i = 0.5
    out[1] = i * 3
    for v in x:
        out[2] += v
    for v in (7, 8):
        out[3] = out[3] * 10 + v // 2
    t = n
    if n > 2:
        t = 1.5
    out[4] = t * 2              # both meet here
    t = n // 2
    while t > 0:
        t -= 1
        if t == 3:
            continue
        t = t * 1
        out[5] += t
    else:
        out[5] += 0.25
    n = n * 0.5                 # a parameter that becomes another number
    out[6] = n
    a, b = 1, 2
    a, b = b * 0.5, a
    out[7] = a + b // 2
    for k in range(5):
        if k == 0:
            last = k
        elif k == 3:
            break
        out[8] += last
        last = k * 0.5
    out[9] = last
    s = x[0]
    s += 1
    s = 5
    s //= 2
    out[10] = s


def never_assigned(x, n, out):
    i = cuda.grid(1)
    for k in range(i, n):
        last = x[k] + 1
    if i >= 4:
        place = i
    out[i] = last * 10 + place


def test_variables_that_no_way_assigned_are_zero():
    """Numba's variables begin as zeros; those of C++ as what was there."""
    x, out = np.arange(8.0), np.full(8, -1.0)
    cuda.jit(never_assigned)[1, 8](x, 6, out)
    eq(out, [60 + (i if i >= 4 else 0) if i < 6 else i for i in range(8)])


def test_a_name_that_is_used_again_is_another_variable():
    x = rng.random(6)
    got, expected = np.zeros(11), np.zeros(11)
    kernel = cuda.jit(reused)
    for n in (1, 9):
        kernel[1, 1](x, n, got)
        reused(x, n, expected)
        eq(got, expected)


def test_barriers_that_decide():
    @cuda.jit
    def k(out):
        i = cuda.threadIdx.x
        if cuda.syncthreads_or(i == 3) and i < 10:
            out[i] = 1
        out[i] += cuda.syncthreads_count(i < 10) and 2
    out = np.zeros(64)
    k[1, 64](out)
    eq(out, np.where(np.arange(64) < 10, 3, 2))


# --- functions ---
def test_functions_of_math():
    @cuda.jit
    def k(x, y, out, digits):
        i = cuda.grid(1)
        if i < x.size:
            out[i, 0] = math.remainder(x[i] * 9, y[i])
            m, e = math.frexp(x[i])
            out[i, 1] = m
            out[i, 2] = e
            f, w = math.modf(x[i] * 5)
            out[i, 3] = f
            out[i, 4] = w
            out[i, 5] = round(x[i] * 100, 2)
            out[i, 6] = round(x[i] * 100, digits)
            out[i, 7] = round(x[i] * 100)
            out[i, 8] = math.ldexp(x[i], 3)
            out[i, 9] = math.nextafter(x[i], 2.0)
            out[i, 10] = math.gcd(int(x[i] * 100), 12)
            out[i, 11] = round(x[i] * 12345, -2)
    x, y, out = rng.random(40), rng.random(40) + 0.1, np.zeros((40, 12))
    k[2, 32](x, y, out, 3)
    for a, b, row in zip(x, y, out):
        expected = [math.remainder(a * 9, b), *math.frexp(a), *math.modf(a * 5), round(a * 100, 2), round(a * 100, 3),
                    round(a * 100), math.ldexp(a, 3), math.nextafter(a, 2), math.gcd(int(a * 100), 12),
                    round(a * 12345, -2)]
        close(row, expected, 2)


def test_rounding_of_float32_in_kernels():
    """Scaled and rounded as a double: as a float32 0.3425 * 1000 would be a tie. On the host Numba rounds that."""
    def rounded(x, out, digits):
        for i in range(x.size):
            out[i] = round(x[i], digits)
    x = np.append(np.float32([0.3425, 2.675, 1.005, 0.125, -0.3425, 3e38, np.inf]), np.float32(rng.random(200) * 10))
    for digits in (3, 2, 0):
        out = np.zeros_like(x)
        cuda.jit(rounded)[1, 1](x, out, digits)
        assert (out[:-1] == np.float32([v if np.isinf(v) else round(float(v), digits) for v in x])[:-1]).all()
    assert njit(lambda v: round(v, 3))(np.float32(0.3425)) == np.float32(0.342)


UNARY = "acos asin atan ceil cos cosh erf erfc exp exp2 expm1 fabs floor log log10 log1p log2 sin sinh sqrt tan tanh " \
        "tgamma lgamma acosh asinh atanh cbrt trunc".split()


@pytest.mark.parametrize("name", UNARY)
def test_libdevice_of_one_number(name, tmp_path):
    oracle = {"tgamma": math.gamma, "cbrt": np.cbrt, "exp2": np.exp2}.get(name) or getattr(math, name)
    x = rng.random(33) * 0.9 + (1 if name == "acosh" else 0.05)
    for suffix, dtype in (("", "d"), ("f", "f")):
        path = tmp_path / f"kernel{suffix}.py"
        path.write_text(f"def k(x, out):\n    i = cuda.grid(1)\n    if i < x.size:\n"
                        f"        out[i] = libdevice.{name}{suffix}(x[i])\n")
        space = {"cuda": cuda, "libdevice": libdevice}
        exec(compile(path.read_text(), str(path), "exec"), space)
        out = np.zeros(33, dtype)
        cuda.jit(space["k"])[2, 32](x.astype(dtype), out)
        expected = np.array([oracle(float(v)) for v in x.astype(dtype)])
        # lgamma crosses 0 near 1 and 2, where only the error of the whole matters
        np.testing.assert_allclose(out, expected, rtol=8 * np.finfo(dtype).eps,
                                   atol=4 * np.finfo(dtype).eps if name == "lgamma" else 0)


def test_libdevice_of_more():
    @cuda.jit
    def k(x, out):
        i = cuda.grid(1)
        s, c = libdevice.sincos(x[i])
        out[i, 0] = s
        out[i, 1] = c
        out[i, 2] = libdevice.popc(i)
        out[i, 3] = libdevice.clz(i)
        out[i, 4] = libdevice.float2int_rn(float32(x[i] * 10))
        out[i, 5] = libdevice.fma(x[i], x[i], -1.0)
        out[i, 6] = libdevice.double_as_longlong(x[i]) >> 52
        m, e = libdevice.frexp(x[i])
        out[i, 7] = m * 2.0 ** e
        out[i, 8] = libdevice.umax(i, 5)
        out[i, 9] = libdevice.isnand(x[i])
        out[i, 10] = libdevice.atan2(x[i], 0.5)
        out[i, 11] = libdevice.byte_perm(0x12345678, 0, 0x0123)
    x, out = rng.random(32), np.zeros((32, 12))
    k[1, 32](x, out)
    i = np.arange(32)
    close(out[:, 0], np.sin(x), 3)  # CUDA's may be two units from the exact value, NumPy's one
    close(out[:, 1], np.cos(x), 3)
    eq(out[:, 2], [bin(n).count("1") for n in i])
    eq(out[:, 3], [32 - int(n).bit_length() for n in i])
    eq(out[:, 4], np.rint(x.astype("f") * np.float32(10)))
    eq(out[:, 6], x.view("i8") >> 52)
    close(out[:, 7], x, 2)  # by way of pow()
    eq(out[:, 8], np.maximum(i, 5))
    eq(out[:, 9], 0)
    close(out[:, 10], np.arctan2(x, 0.5), 3)
    eq(out[:, 11], 0x78563412)
    exact = [float(__import__("fractions").Fraction(v) ** 2 - 1) for v in x]
    eq(out[:, 5], exact)


def test_float16():
    @cuda.jit
    def k(a, b, out):
        i = cuda.grid(1)
        out[i, 0] = cuda.fp16.hadd(a[i], b[i])
        out[i, 1] = cuda.fp16.hmul(a[i], b[i])
        out[i, 2] = cuda.fp16.hneg(a[i])
        out[i, 3] = cuda.fp16.hmax(a[i], b[i])
        out[i, 4] = cuda.fp16.hlt(a[i], b[i])
        out[i, 5] = cuda.fp16.hsqrt(a[i])
        out[i, 6] = cuda.fp16.hdiv(a[i], b[i])
        out[i, 7] = cuda.fp16.hfma(a[i], b[i], a[i])
    a, b, out = rng.random(32).astype("e"), rng.random(32).astype("e"), np.zeros((32, 8), "e")
    k[1, 32](a, b, out)
    with np.errstate(all="ignore"):
        wide = (a.astype("d") * b.astype("d") + a.astype("d")).astype("e")
        expected = [a + b, a * b, -a, np.maximum(a, b), a < b, np.sqrt(a), a / b, wide]
    close(out, np.stack(expected, 1), 1, "e")
    eq(out[:, :5], np.stack(expected[:5], 1))


def test_short_vectors():
    @cuda.jit
    def k(out):
        v, w = cuda.float32x3(1, 2.5, 3), cuda.uint32x2(4, -1)
        out[0] = v.x + v.y * v.z
        out[1] = w.x + w.y
        u = cuda.float64x4(v, 7.0)
        out[2] = u.w * u.y
        out[3] = cuda.int2(3.9, 1).x
    out = np.zeros(4)
    k[1, 1](out)
    eq(out, [8.5, 4 + 2**32 - 1, 17.5, 3])


# --- around kernels ---
def test_vectorized_folds_go_from_the_first_to_the_last():
    plain = np.frompyfunc(lambda x, y: x + y * 2, 2, 1)
    for target in ("cpu", "parallel"):
        @vectorize(["int64(int64,int64)", "float64(float64,float64)"], target=target)
        def f(x, y):
            return x + y * 2
        for dtype in ("i8", "f8", "i4", "f4"):
            x = rng.integers(0, 9, (4, 5, 6)).astype(dtype)
            for axis in (0, 1, 2, -1):
                eq(f.reduce(x, axis=axis), plain.reduce(x.astype(object), axis=axis).astype("d"))
                eq(f.accumulate(x, axis=axis), plain.accumulate(x.astype(object), axis=axis).astype("d"))
                assert f.reduce(x, axis=axis, keepdims=True).shape == np.add.reduce(x, axis=axis, keepdims=True).shape
            assert f.reduce(x, axis=None) == plain.reduce(x.ravel().astype(object))
        with pytest.raises(ValueError, match="zero-size array to reduction operation f which has no identity"):
            f.reduce(np.array([]))

        @vectorize(target=target, identity=1)
        def product(x, y):
            return x * y
        assert product.reduce(np.array([2, 3, 4], "i4")) == 24 and product.reduce(np.array([])) == 1

        @vectorize(target=target)
        def ratio(x, y):
            return x / y
        assert ratio.reduce(np.array([8, 2, 2])) == 2


def test_stream_to_await():
    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1
    x, s = cuda.to_device(np.zeros(1000)), cuda.stream()

    async def work():
        k[8, 128, s](x)
        await s.async_done()
        return x.copy_to_host(stream=s)
    eq(asyncio.run(work()), 1.0)


def test_questions_to_kernels_and_devices():
    @cuda.jit
    def k(x):
        x[0] = 1
    k[1, 1](np.zeros(1))
    types, = k.get_max_threads_per_block()
    assert k.get_max_threads_per_block(types) == k.get_max_threads_per_block()[types] >= 32
    for ask in (k.get_regs_per_thread, k.get_shared_mem_per_block, k.get_local_mem_per_thread, k.get_const_mem_size):
        assert ask()[types] >= 0
    assert k.targetoptions == {"device": False, "debug": False, "fastmath": False}
    assert cuda.get_current_device().uuid.startswith("GPU-") and len(cuda.get_current_device().uuid) == 40
    from cuprite.numba.cuda.cudadrv.driver import CudaAPIError, driver
    from cuprite.numba.cuda.cudadrv.nvvm import NvvmSupportError  # noqa: F401
    assert issubclass(CudaAPIError, RuntimeError) and len(driver.get_version()) == 2 == len(cuda.runtime.get_version())
    with pytest.raises(NotImplementedError, match="inspect_source"):
        cuda.compile_ptx(k, ())
    d = cuda.to_device(np.arange(3.0))
    assert d.bind() is d and float64(2) == 2
