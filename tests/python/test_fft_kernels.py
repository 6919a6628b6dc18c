"""The GPU's own Fourier transforms (src/science/fft: own_plan.cuh, own.cuh), compiled as a user's kernels, so that CI,
which has no GPU, runs them on the CPU: the plan of a request, and its launches. The oracle is NumPy in long double."""
import functools
import os
import re
import subprocess
import sys

import cuprite as cp
import numpy as np
import pytest
from test_loop_kernels import module_folders, quick, text

HEAD = """#ifndef __CUPRITE_CPU__  // NVRTC has no <stdint.h>
typedef unsigned long long uintptr_t;
#endif
#define CP_MAXDIM 64
"""
KERNELS = """
extern "C" __global__ void plan(const int64_t *q, double scale, bool ready, cpi_fft_launches *to, int64_t *told)
{
    cpi_fft_call c;
    c.kind = (cpi_fft_kind)q[0], c.single = q[1] != 0, c.sign = (int)q[2], c.rank = (int)q[3], c.ndim = (int)q[4];
    c.scale = scale, c.ready = ready;
    const int64_t *r = q + 5, *s = r + 3 * c.rank;
    for (int i = 0; i < c.rank; i++) c.n[i] = r[3 * i], c.in_step[i] = r[3 * i + 1], c.out_step[i] = r[3 * i + 2];
    for (int i = 0; i < c.ndim; i++)
        c.shape[i] = s[3 * i], c.in_stride[i] = s[3 * i + 1], c.out_stride[i] = s[3 * i + 2];
    told[0] = cpi_fft_own_plan(&c, to);
    told[1] = to->count, told[2] = to->scratch;
    for (int i = 0; told[0] && i < to->count; i++) {
        const cpi_fft_pass &p = to->pass[i];
        told[3 + 3 * i] = p.blocks, told[4 + 3 * i] = p.threads, told[5 + 3 * i] = p.bytes;
    }
}
extern "C" __global__ void size(int64_t *bytes) { *bytes = sizeof(cpi_fft_launches); }
template <class T> __global__ void __launch_bounds__(CPI_FFT_OWN_THREADS)
run(const cpi_fft_launches *l, int k, const char *in, char *out, char *scratch)
{
    extern __shared__ __align__(16) double memory[];
    const cpi_fft_pass &g = l->pass[k];
    const char *from = g.in.where == CPI_FFT_IN ? in : g.in.where == CPI_FFT_OUT ? out : scratch;
    cpi_fft_block<T>(g, from, g.out.where == CPI_FFT_OUT ? out : scratch, blockIdx.x, memory);
}
"""
C2C, R2C, C2R = range(3)


def call_type():
    """cpi_fft_kind and cpi_fft_call of fft.h."""
    header = module_folders.file("fft/fft.h").read_text()
    return "\n".join(re.search(rf"typedef {what}.*?\}} {name};", header, re.S)[0]
                     for what, name in (("enum cpi_fft_kind", "cpi_fft_kind"), ("struct cpi_fft_call", "cpi_fft_call")))


@functools.lru_cache(maxsize=None)
def module(device):
    types = text()
    code = types + HEAD + call_type() + text("fft/own.cuh")[len(types):] + KERNELS
    return cp.RawModule(code=code, name_expressions=["run<float>", "run<double>"],
                        options=("--std=c++17", *quick(device)))


@functools.lru_cache(maxsize=None)
def plan_bytes(device):
    n = cp.empty(1, "i8")
    module(device).get_function("size")((1,), (1,), (n,))
    return int(n[0])


def planned(device, kind, single, x, out, axes, n, sign=-1, scale=1.0, ready=True):
    """(launches in device memory, bytes of scratch memory, their sizes); None: cuFFT's."""
    real = x.shape if kind == R2C else out.shape
    rows = [(n if kind != C2C and d == axes[-1] else real[d], x.strides[d], out.strides[d]) for d in axes]
    rows += [(out.shape[d], x.strides[d], out.strides[d]) for d in range(x.ndim) if d not in axes]
    q = np.array([kind, single, sign, len(axes), x.ndim - len(axes), *np.array(rows, "i8").ravel()], "i8")
    plan, told = cp.zeros(plan_bytes(device), "u1"), cp.zeros(3 + 3 * 24, "i8")
    module(device).get_function("plan")((1,), (1,), (cp.asarray(q), np.float64(scale), np.bool_(ready), plan, told))
    told = told.get().tolist()
    assert told[1] <= 24
    return (plan, told[2], [told[3 + 3 * i:6 + 3 * i] for i in range(told[1])]) if told[0] else None


def moved(x):
    """The real numbers of x, by one further than where memory begins."""
    real = x.ravel().view(x.dtype.char.lower())
    r = cp.empty(real.size + 1, real.dtype)
    r[1:] = real
    return r[1:]


def transformed(device, kind, x, axes=(-1,), n=None, sign=-1, scale=1.0, launches=None, in_place=False, order="C",
                shifted=False):
    """x, an array of Cuprite's, transformed by the kernels. shifted: it and the result are aligned to real numbers
    only, not to complex ones."""
    axes = tuple(d % x.ndim for d in axes)
    single = x.dtype.itemsize == (4 if kind == R2C else 8)
    n = n or x.shape[axes[-1]]
    shape = list(x.shape)
    if kind != C2C:
        shape[axes[-1]] = n // 2 + 1 if kind == R2C else n
    chars = ("F", "f") if single else ("D", "d")
    out = x if in_place else cp.full(tuple(shape), np.nan, chars[kind == C2R], order=order)
    made = planned(device, kind, single, x, out, axes, n, sign, scale)
    assert made is not None
    plan, bytes_, passes = made
    if launches is not None:
        assert len(passes) == launches
    scratch, source, target = cp.full(max(1, bytes_ // 8), np.nan), x, out
    if shifted:
        source, target = moved(x), moved(out)
    kernel = module(device).get_function("run<float>" if single else "run<double>")
    for k, (blocks, threads, shared) in enumerate(passes):
        assert shared <= 48 << 10 and 32 <= threads <= 512
        kernel((blocks,), (threads,), (plan, np.int32(k), source, target, scratch), shared_mem=shared)
    return target.get().view(out.dtype).reshape(out.shape) if shifted else out.get()


def random(shape, char, seed=1):
    r = np.random.default_rng(seed)
    x = r.standard_normal(shape)
    return (x + 1j * r.standard_normal(shape) if char in "FD" else x).astype(char)


def close(got, want, n, factor=None):
    """Root mean square of the errors below factor * ulp * sqrt(log2 n) of the values', none of them far beyond. 0.6 is
    usual; passes of 3 round more often for each factor."""
    assert got.shape == want.shape
    factor = factor or (0.75 if n % 27 else 0.9)
    eps = 2.0 ** -24 if got.dtype.char in "fF" else 2.0 ** -53
    size = np.sqrt(np.mean(np.abs(want) ** 2))
    wrong = np.abs(got - want)
    bound = factor * eps * np.sqrt(np.log2(n) + 1) * size
    assert np.sqrt(np.mean(wrong ** 2)) <= bound, float(np.sqrt(np.mean(wrong ** 2)) / bound)
    assert wrong.max() <= 8 * bound, float(wrong.max() / bound)


def smooth(n):
    for p in (2, 3, 5, 7, 11):
        while n % p == 0:
            n //= p
    return n == 1


def exact(kind, x, axes=(-1,), n=None, sign=-1, scale=1.0):
    """By NumPy in long double, not normalized."""
    if kind == R2C:
        y = np.fft.rfftn(x.astype(np.longdouble), axes=axes)
        return (y if sign < 0 else y.conj()) * scale
    y = x.astype(np.clongdouble)
    if kind == C2R:
        return np.fft.irfft(y if sign > 0 else y.conj(), n, axes[0], norm="forward") * scale
    return (np.fft.fftn(y, axes=axes) if sign < 0 else np.fft.ifftn(y, axes=axes, norm="forward")) * scale


# Every length in a few groups, so that a failure says where.
LENGTHS = [n for n in range(1, 1025) if smooth(n)]
GROUPS = [LENGTHS[k::8] for k in range(8)]


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("group", range(8))
def test_every_length(device, char, group):
    for n in GROUPS[group]:
        x = random((max(3, 512 // n), n), char, n)
        for sign in (-1, 1):
            got = transformed(device, C2C, cp.asarray(x), sign=sign, launches=1)
            close(got, exact(C2C, x, sign=sign), n)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("group", range(8))
def test_every_real_length(device, char, group):
    for n in GROUPS[group]:
        lines = max(3, 512 // n)
        x, y = random((lines, n), char.lower(), n), random((lines, n // 2 + 1), char, n)
        for sign in (-1, 1):
            got = transformed(device, R2C, cp.asarray(x), sign=sign, launches=1)
            close(got, exact(R2C, x, sign=sign), n)
            got = transformed(device, C2R, cp.asarray(y), n=n, sign=sign, launches=1)
            close(got, exact(C2R, y, n=n, sign=sign), n)


# Lengths of two launches, with sides that are even, odd, powers, and near a block's limit.
LONG = [2048, 4096, 4374, 5000, 6561, 7776, 10000, 14641, 15625, 16384, 16807, 30030 // 13, 32768, 33275, 65536, 99000]


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("n", LONG)
@pytest.mark.parametrize("batch, axis", [(1, -1), (2, -1), (3, 0)])
def test_long(device, char, n, batch, axis):
    shape = (batch, n) if axis else (n, batch)
    x, real = random(shape, char, n), random(shape, char.lower(), n)
    half = random((batch, n // 2 + 1) if axis else (n // 2 + 1, batch), char, n)
    for sign in (-1, 1) if batch == 2 else (-1,):
        close(transformed(device, C2C, cp.asarray(x), (axis,), sign=sign), exact(C2C, x, (axis,), sign=sign), n)
        close(transformed(device, R2C, cp.asarray(real), (axis,), sign=sign), exact(R2C, real, (axis,), sign=sign), n)
        close(transformed(device, C2R, cp.asarray(half), (axis,), n, sign=sign), exact(C2R, half, (axis,), n, sign), n)
    if batch == 2:
        array = cp.asarray(x)
        close(transformed(device, C2C, array, in_place=True), exact(C2C, x), n)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("kind", [C2C, R2C, C2R])
def test_a_million(device, char, kind):
    n = 1 << 20
    x = random(n if kind != C2R else n // 2 + 1, char.lower() if kind == R2C else char)
    got = transformed(device, kind, cp.asarray(x), n=n, sign=1 if kind == C2R else -1, launches=2)
    want = np.fft.irfft(x, n, norm="forward") if kind == C2R else (np.fft.rfft if kind == R2C else np.fft.fft)(
        x.astype("D" if kind == C2C else "d"))
    close(got, want, n, None if char == "F" else 1.2)  # NumPy's own error is there too


SHAPES = [((6, 10), (0, 1)), ((6, 10), (1, 0)), ((4, 6, 10), (0,)), ((4, 6, 10), (1,)), ((4, 6, 10), (0, 2)),
          ((3, 4, 5, 6), (0, 1, 2, 3)), ((7, 1, 12), (1, 2)), ((7, 1, 12), (1,)), ((1, 1), (0, 1)), ((100, 90), (0, 1)),
          ((2, 300, 40), (1,)), ((2, 2500, 12), (1,)), ((2500, 22), (0, 1)), ((33, 64), (0,)), ((512, 3), (0,))]


def layout(x, how):
    """An array of Cuprite's with x's values that lies in memory in another way."""
    if how == "F":
        return cp.asarray(np.asfortranarray(x), order="F")
    if how == "steps":
        wide = cp.full(tuple(2 * n + 1 for n in x.shape), np.nan, x.dtype)
        part = wide[tuple(slice(1, None, 2) for _ in x.shape)]
        part[...] = cp.asarray(x)
        return part
    if how == "back":
        turned = tuple(slice(None, None, -1) for _ in x.shape)
        return cp.asarray(np.ascontiguousarray(x[turned]))[turned]
    if how == "turned":  # neighbours of the axis before the last are adjacent
        return cp.asarray(np.ascontiguousarray(np.moveaxis(x, 0, -1))).transpose(
            (x.ndim - 1, *range(x.ndim - 1)))
    return cp.asarray(x)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("shape, axes", SHAPES)
@pytest.mark.parametrize("how", ["C", "F", "steps", "back", "turned"])
def test_axes(device, char, shape, axes, how):
    n, last = shape[axes[-1]], axes[-1]
    x, real = random(shape, char), random(shape, char.lower())
    order = "F" if how == "steps" else "C"
    got = transformed(device, C2C, layout(x, how), axes, sign=1, scale=0.25, order=order)
    close(got, exact(C2C, x, axes, sign=1, scale=0.25), x.size)
    got = transformed(device, R2C, layout(real, how), axes, scale=3, order=order)
    close(got, exact(R2C, real, axes, scale=3), x.size)
    half = random((*shape[:last], n // 2 + 1, *shape[last + 1:]), char)
    got = transformed(device, C2R, layout(half, how), axes[-1:], n, sign=1, scale=0.5, order=order)
    close(got, exact(C2R, half, axes[-1:], n, sign=1, scale=0.5), x.size)


@pytest.mark.parametrize("char", "FD")
@pytest.mark.parametrize("n", [12, 45, 4096])
def test_memory_that_is_not_aligned(device, char, n):
    x, real, half = random((3, n), char), random((3, n), char.lower()), random((3, n // 2 + 1), char)
    close(transformed(device, C2C, cp.asarray(x), shifted=True), exact(C2C, x), n)
    close(transformed(device, R2C, cp.asarray(real), shifted=True), exact(R2C, real), n)
    close(transformed(device, C2R, cp.asarray(half), n=n, shifted=True), exact(C2R, half, n=n), n)


def test_several_axes_backwards(device):
    """ihfft2: the conjugate along the axis of real numbers, and the others backwards."""
    x = random((12, 20), "d")
    close(transformed(device, R2C, cp.asarray(x), (0, 1), sign=1), exact(R2C, x, (0, 1), sign=1), 240)


def test_lines_do_not_touch_each_other(device):
    """A line of NaN in the same block: its neighbours have the bits that they have without it."""
    for n, axis in ((16, 1), (16, 0), (45, 1), (10000, 0)):
        for kind in (C2C, R2C):
            x = random((5, n) if axis else (n, 5), "d" if kind == R2C else "D")
            want = transformed(device, kind, cp.asarray(x), (axis,))
            (x if axis else x.T)[2] = np.nan
            got = transformed(device, kind, cp.asarray(x), (axis,))
            if not axis:
                got, want = got.T, want.T
            assert np.isnan(got[2]).all()
            np.testing.assert_array_equal(got[[0, 1, 3, 4]], want[[0, 1, 3, 4]])


def test_imaginary_parts_that_do_not_count(device):
    """Of the first element of a half, and of the last one of an even length."""
    for n in (1, 2, 3, 8, 15, 100, 4096, 4374, 15625):
        x = random((2, n // 2 + 1), "D")
        want = transformed(device, C2R, cp.asarray(x), n=n, sign=1)
        x.imag[:, 0] = np.nan
        if n % 2 == 0:
            x.imag[:, -1] = np.nan
        np.testing.assert_array_equal(transformed(device, C2R, cp.asarray(x), n=n, sign=1), want)


def test_impulses_are_exact(device):
    for n in (2, 12, 100, 4096, 1 << 15):
        x = np.zeros(n, "D")
        x[0] = 3
        np.testing.assert_array_equal(transformed(device, C2C, cp.asarray(x)), np.full(n, 3.0))
        x[:] = 1
        got = transformed(device, C2C, cp.asarray(x))
        assert got[0] == n
        if n & (n - 1) == 0:
            np.testing.assert_array_equal(got[1:], 0)


@pytest.mark.parametrize("n", [7, 12, 100, 256, 770, 1024, 4096, 9604, 1 << 16])
def test_roots(device, n):
    """The transform of an impulse at 1 is the circle: some roots are rounded once, others are products of a few."""
    for char, eps in (("F", 2.0 ** -24), ("D", 2.0 ** -53)):
        x = np.zeros(n, char)
        x[1] = 1
        got, want = transformed(device, C2C, cp.asarray(x)), exact(C2C, x)
        wrong = np.concatenate([abs(got.real - want.real), abs(got.imag - want.imag)]) / eps
        assert wrong.max() <= 4 and np.sqrt(np.mean(wrong ** 2)) <= 0.75


def test_what_is_served_unasked(device):
    """What takes no longer than by cuFFT: one launch, few elements."""
    def asked(shape, axes, char="D"):
        x = cp.empty(shape, char)
        return planned(device, C2C, char == "F", x, x, axes, x.shape[axes[-1]], ready=False)
    assert asked((2048,), (0,)) and asked((8, 1024), (1,)) and asked((4096,), (0,), "F") and asked((8, 1024), (0,))
    assert not asked((8, 1025), (1,)) and not asked((4096,), (0,)) and not asked((8, 8), (0, 1))


def test_what_is_not_served(device):
    def asked(shape, axes=(-1,), char="D"):
        x = cp.empty(shape, char)
        return planned(device, C2C, char == "F", x, x, tuple(d % x.ndim for d in axes), x.shape[axes[-1]])
    assert asked(1 << 21) and asked((4, 1 << 21)) and not asked((5, 1 << 21))  # 2^23 elements
    assert not asked(1 << 22) and not asked((2, 1 << 22)) and asked((1 << 22, 2), (1,))  # 2^21 along an axis
    assert asked((3, 5, 7), (1,)) and not asked((3, 13), (1,)) and asked((3, 13), (0,)) and not asked(9973)
    assert asked(7 ** 7) and asked(7 ** 7, char="F")


def test_lines_of_a_block(device):
    """Blocks of 1024 elements; where lines are adjacent, enough of them for 128 bytes, as far as a block can have; many
    dimensions are merged."""
    def blocks(shape, axis, char):
        x = cp.empty(shape, char)
        return [b for b, _, _ in planned(device, C2C, char == "F", x, x, (axis,), shape[axis])[2]]
    assert blocks((256, 64), 1, "F") == [16] and blocks((256, 64), 0, "F") == [4]
    assert blocks((256, 512), 0, "D") == [64] and blocks((4096, 100), 0, "F") == [100]
    assert blocks((2,) * 12, 3, "D") == [4] and blocks((1 << 20,), 0, "D") == [512, 512]


CHECKED = """
import sys
sys.path.insert(0, sys.argv[1])
import cuprite as cp
from test_fft_kernels import C2C, R2C, C2R, close, exact, random, transformed
for kind, n in ((C2C, 12), (C2C, 100), (R2C, 100), (R2C, 45), (C2R, 100), (C2R, 45), (C2C, 4096), (R2C, 4096),
                (C2R, 4096), (R2C, 6561), (C2R, 6561)):
    for shifted in (False, True):
        x = random((3, n // 2 + 1 if kind == C2R else n), "d" if kind == R2C else "D")
        close(transformed("cpu", kind, cp.asarray(x), n=n, shifted=shifted), exact(kind, x, n=n), n)
"""


@pytest.mark.once
def test_without_races():
    """No element is written twice, or read before a barrier, or beyond an array's end, or where it is not aligned."""
    r = subprocess.run([sys.executable, "-c", CHECKED, os.path.dirname(__file__)], capture_output=True, text=True,
                       timeout=300, env={**os.environ, "CUPRITE_DEVICE": "cpu", "CUPRITE_CHECK": "1"})
    assert r.returncode == 0 and "ERROR SUMMARY: 0 errors" in r.stderr, r.stderr[-2000:]


def test_the_plan_is_the_requests_alone(device):
    x = cp.empty((30, 1000), "D")
    a, b = (planned(device, C2C, False, x, x, (0, 1), 1000) for _ in range(2))
    np.testing.assert_array_equal(a[0].get(), b[0].get())
    assert a[1:] == b[1:] and len(a[2]) == 2
