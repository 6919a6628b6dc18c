"""Fourier transforms against their definition, in long double, and against NumPy's: types, shapes, axes, lengths,
norms, layouts, errors; on every device. What stands beside them (cosines, Hankel, plans) is in test_fft_more.py."""
import contextlib
import os
import threading
from functools import partial

import cuprite as cp
import numpy as np
import pytest
from cuprite import _device
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle import outcome, raises

DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
SINGLE = ("float16", "float32", "complex64")
# 1, primes of every way (butterflies, general ones, Bluestein), powers, products, and those that vectors do not divide
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 22, 25, 30, 31, 32, 37, 49, 59, 60, 61, 64, 67, 77, 81,
           96, 100, 121, 127, 128, 134, 169, 243, 256, 263, 300, 331, 512, 521, 625, 1000, 1009, 1024, 1155]
NORMS = [None, "backward", "ortho", "forward"]
ONE = ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]
SEVERAL = ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"]
REAL_IN = ("rfft", "ihfft", "rfft2", "rfftn")


def random(rng, shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -100, 100, shape).astype(dtype)
    x = rng.normal(0, 1, shape)
    return (x + 1j * rng.normal(0, 1, shape) if kind == "c" else x).astype(dtype)


def layout(x, how):
    """An array of Cuprite's with x's values that lies in memory in another way."""
    if how == "F":
        return cp.asarray(np.asfortranarray(x), order="F")
    if how == "steps" and x.ndim:
        wide = np.zeros(tuple(2 * n for n in x.shape), x.dtype)
        wide[tuple(slice(1, None, 2) for _ in x.shape)] = x
        return cp.asarray(wide)[tuple(slice(1, None, 2) for _ in x.shape)]
    if how == "back" and x.ndim:
        turned = tuple(slice(None, None, -1) for _ in x.shape)
        return cp.asarray(np.ascontiguousarray(x[turned]))[turned]
    return cp.asarray(x)


def exact(name, x, *args, **options):
    """NumPy's transform in long double."""
    long = np.clongdouble if x.dtype.kind == "c" else np.longdouble
    return getattr(np.fft, name)(x.astype(long), *args, **options)


def largest_prime(n):
    most, p = 1, 2
    while p * p <= n:
        while n % p == 0:
            most, n = p, n // p
        p += 1
    return max(most, n)


def magnitudes(x):
    return np.abs(x.astype("complex128" if x.dtype.kind == "c" else "float64"))


def mean_square_root(x):
    """Of numbers whose squares float64 need not hold."""
    largest = float(x.max())
    return largest * float(np.sqrt(np.mean((x / largest) ** 2))) if largest else 0.0


def close(got, want, single, n, factor=1.0):
    """Root mean square of the errors at most factor * eps * sqrt(log2 n) of the values', and no error far beyond."""
    got = cp.asnumpy(got)
    assert got.shape == want.shape
    eps = 2.0 ** -24 if single else 2.0 ** -53
    if not got.size:
        return
    # what is subtracted in long double is measured in float64, in a fifth of the time
    wrong = magnitudes(got.astype(want.dtype) - want)
    sizes = magnitudes(want)
    largest, size = float(sizes.max()), mean_square_root(sizes)
    if _device.current() in range(_device.count()):  # cuFFT's roots are less exact than ours
        factor *= 3
    convolved = max(largest_prime(m) for m in (*got.shape, n)) > 61  # by transforms of twice the length, and back
    bound = (3 if convolved else 1) * factor * eps * np.sqrt(np.log2(n) + 2) * size
    assert mean_square_root(wrong) <= bound
    assert float(wrong.max()) <= max(12 * bound, 2 * bound * (largest / size if size else 0))


def result_type(name, dtype):
    """NumPy's."""
    return getattr(np.fft, name)(np.ones((2, 2), dtype)).dtype


def refused(got, want):
    """NumPy's kind of exception; of an axis that is not there an AxisError, also where NumPy lets a tuple raise its own
    IndexError (an AxisError is one)."""
    return got is want or (want is IndexError and got is np.exceptions.AxisError)


# --- one axis ---

@settings(max_examples=400, deadline=None)
@given(st.sampled_from(ONE), st.sampled_from(DTYPES), st.sampled_from(LENGTHS), st.sampled_from([1, 2, 3, 7, 16, 35]),
       st.sampled_from([0, 1]), st.sampled_from(["C", "F", "steps", "back"]), st.sampled_from(NORMS),
       st.sampled_from([0, 0, -3, 5, 1]), st.integers(0, 2**32 - 1))
def test_one_axis(name, dtype, n, lanes, axis, how, norm, change, seed):
    rng = np.random.default_rng(seed)
    x = random(rng, (lanes, n) if axis else (n, lanes), dtype)
    length = None if change == 0 else max(1, n + change)
    if x.dtype.kind == "c" and name in REAL_IN:
        with raises(TypeError):
            getattr(cp.fft, name)(layout(x, how), length, axis, norm)
        return
    if name in ("irfft", "hfft") and n == 1 and length is None:
        length = 1
    got = getattr(cp.fft, name)(layout(x, how), length, axis, norm)
    want = exact(name, x, length, axis, norm)
    half = dtype == "float16" and name in ("irfft", "hfft")
    assert got.dtype == result_type(name, dtype)
    close(got, want, dtype in SINGLE, max(2, want.shape[axis], length or n), 2.0 ** 13 if half else 1.3)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("n", [2047, 2048, 4096, 4099, 5000, 10007, 16384, 30030, 32749, 65536, 99991, 131072, 177147])
def test_long(n, dtype):
    rng = np.random.default_rng(n)
    single, k = dtype == "complex64", np.arange(n // 2 + 1)
    for lanes in (1, 2):
        x = random(rng, (lanes, n), dtype)
        want = exact("fft", x)  # the other answers follow from few of NumPy's, which take most of the time
        close(cp.fft.fft(cp.asarray(x)), want, single, n)
        close(cp.fft.ifft(cp.asarray(x.conj())), want.conj() / n, single, n)
        real = np.ascontiguousarray(x.real)
        want = (want[:, k] + want[:, -k].conj()) / 2
        close(cp.fft.rfft(cp.asarray(real)), want, single, n)
        close(cp.fft.rfft(cp.asarray(real.T), axis=0).T, want, single, n)
        half = x[:, :n // 2 + 1]
        want = exact("irfft", half, n)
        close(cp.fft.irfft(cp.asarray(half), n), want, single, n, 1.5)
        close(cp.fft.hfft(cp.asarray(half.conj()), n), want * n, single, n, 1.5)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_million(dtype):
    """2^20, and a prime: the error of the prime is that of transforms of twice its length, forth and back."""
    rng = np.random.default_rng(4)
    for n, factor in ((1 << 20, 1), (1000003, 1.5), (1 << 20 | 1, 1.5)):
        x = random(rng, n, dtype)
        got = cp.fft.fft(cp.asarray(x))
        want = np.fft.fft(x.astype(complex))
        close(got, want, dtype == "complex64", n, factor + (dtype == "complex128"))


def definition(x):
    """Sums of products in long double, of roots that are right to its last bit."""
    n = x.shape[-1]
    k = np.arange(n)
    angle = k.astype(np.longdouble) * (2 * np.longdouble("3.14159265358979323846264338327950288") / n)
    roots = np.cos(angle) - 1j * np.sin(angle)
    return x.astype(np.clongdouble) @ roots[np.outer(k, k) % n]


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_definition(dtype):
    rng = np.random.default_rng(3)
    for n in list(range(1, 70)) + [97, 128, 251, 256, 343, 512]:
        x = random(rng, (21, n), dtype)
        want = definition(x)
        for lanes in (slice(1), slice(1, None)):
            close(cp.fft.fft(cp.asarray(x[lanes])), want[lanes], dtype == "complex64", n)
            close(cp.fft.ifft(cp.asarray(x[lanes].conj()), norm="forward"), want[lanes].conj(), dtype == "complex64", n)


def test_errors_grow_like_the_root_of_the_logarithm(device):
    rng = np.random.default_rng(1)
    seen = []
    for n in (16, 256, 4096, 65536, 1 << 20):
        x = random(rng, n, "complex64")
        want = np.fft.fft(x.astype(complex))
        wrong = cp.asnumpy(cp.fft.fft(cp.asarray(x))) - want
        seen.append(np.sqrt(np.mean(np.abs(wrong) ** 2) / np.mean(np.abs(want) ** 2)) * 2 ** 24 / np.sqrt(np.log2(n)))
    assert max(seen) < (2 if device.startswith("cuda") else 0.8)  # cuFFT's float32 is not ours
    assert seen[-1] < 2 * seen[1]


def test_impulses_are_exact_where_roots_are():
    for n in (1, 2, 4, 8, 16, 1024, 1 << 16):
        x = np.zeros(n)
        x[0] = 3
        np.testing.assert_array_equal(cp.asnumpy(cp.fft.fft(cp.asarray(x))), np.full(n, 3.0))
        np.testing.assert_array_equal(cp.asnumpy(cp.fft.rfft(cp.asarray(x))), np.full(n // 2 + 1, 3.0))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("n", [8, 100, 67, 512, 4096])
def test_what_is_not_finite_stays_in_its_lane(n, bad):
    rng = np.random.default_rng(2)
    x = random(rng, (20, n), "complex128")
    x[3, n // 2] = bad
    for axis in (0, 1):
        got = cp.asnumpy(cp.fft.fft(cp.asarray(x if axis else np.ascontiguousarray(x.T)), axis=axis))
        got = got if axis else got.T
        assert not np.isfinite(got[3]).any()
        assert np.isfinite(np.delete(got, 3, 0)).all()


def test_tiny_and_large():
    rng = np.random.default_rng(2)
    for dtype, scale in (("complex128", 1e-300), ("complex128", 1e300), ("complex64", 1e-36), ("complex64", 1e34)):
        x = (random(rng, (3, 360), "complex128") * scale).astype(dtype)
        close(cp.fft.fft(cp.asarray(x)), exact("fft", x), dtype == "complex64", 360, 1.5)


# --- several axes ---

SHAPES = [(1,), (5,), (0, 3), (3, 0, 4), (4, 6), (16, 17), (33, 2), (2, 3, 4), (7, 1, 20), (20, 18, 17), (2, 3, 2, 5),
          (3, 40, 3), (64, 64)]


@st.composite
def several(draw):
    shape = draw(st.sampled_from(SHAPES))
    axes = draw(st.one_of(st.none(), st.lists(st.integers(-len(shape), len(shape) - 1), min_size=0, max_size=3)))
    count = len(axes) if axes is not None else draw(st.integers(1, len(shape)))
    s = draw(st.one_of(st.none(), st.lists(st.sampled_from([-1, -1, 1, 2, 3, 8, 19, 0]), min_size=count,
                                           max_size=count)))
    return shape, s, axes


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(SEVERAL), st.sampled_from(DTYPES), several(), st.sampled_from(["C", "F", "steps", "back"]),
       st.sampled_from(NORMS), st.booleans(), st.integers(0, 2**32 - 1))
@example("rfftn", "float32", ((20, 18, 17), None, None), "C", None, False, 1)
@example("fftn", "complex128", ((4, 6), [3, 8], [0, 0]), "C", "ortho", False, 1)
@example("irfftn", "complex128", ((4, 6), None, [1, 1, 0]), "C", "ortho", False, 1)
@example("rfft2", "complex64", ((1,), [0, -1], [0, 0]), "C", None, False, 0)
@example("rfft2", "complex64", ((4, 6), [2, 0], None), "C", None, False, 0)
def test_several_axes(name, dtype, case, how, norm, default, seed):
    shape, s, axes = case
    x = random(np.random.default_rng(seed), shape, dtype)
    options = {} if default and s is None else {"axes": axes}
    want = outcome(getattr(np.fft, name), x, s, norm=norm, **options)
    if isinstance(want, type):
        assert refused(outcome(getattr(cp.fft, name), cp.asarray(x), s, norm=norm, **options), want)
        return
    got = getattr(cp.fft, name)(layout(x, how), s, norm=norm, **options)
    assert got.dtype == want.dtype
    if want.dtype.kind != "c" and want.dtype.kind != "f":  # no axes: the array itself
        np.testing.assert_array_equal(cp.asnumpy(got), want)
        return
    half = want.dtype == np.float16
    if axes == [] and options:
        np.testing.assert_array_equal(cp.asnumpy(got), want)
    else:
        exactly = outcome(exact, name, x, s, norm=norm, **options)
        if not x.size:  # of nothing continued with zeros; NumPy's inverses read what is not there
            exactly = np.zeros_like(exactly)
        close(got, exactly, dtype in SINGLE, 2048, 2.0 ** 13 if half else 1.5)


# --- larger than caches: blocks of the last axes, columns side by side, results written past the caches ---

# shape, axes: the last ones make blocks, all or some; slices that fill vectors or do not; rows that fall into the same
# sets of a cache, or begin at no multiple of a line; two axes that are far from one another
LARGE = [((64, 64, 64), None), ((20, 96, 100), (1, 2)), ((20, 96, 100), (2, 1)), ((20, 96, 100), (0, 2)),
         ((33, 67, 130), None), ((4, 5, 20, 33, 35), None), ((6, 5, 40, 32, 31), (-3, -1)), ((600, 77, 8), (0, 1, 2)),
         ((17, 3, 128, 64), (3, 2, 1)), ((128, 1024), (0,)), ((128, 1031), (0,)), ((509, 512), (0,)),
         ((512, 515), (0,)), ((2, 100, 1040), (1,)), ((61, 4111), (0,)), ((16, 128, 256), (1, 2))]


@pytest.mark.parametrize("shape,axes,dtype", [
    (*large, t) for k, large in enumerate(LARGE) for t in (("float32", "complex128"), ("float64", "complex64"))[k % 2]])
def test_larger_than_caches(shape, axes, dtype):
    rng = np.random.default_rng(len(shape))
    x = random(rng, shape, dtype)
    n = int(np.prod([shape[a] for a in axes or range(len(shape))]))
    single = dtype in SINGLE
    wide = x.astype("complex128" if x.dtype.kind == "c" else "float64") if single else x
    want = (np.fft.fftn if single else partial(exact, "fftn"))(wide, axes=axes)
    if x.dtype.kind == "c":
        second = "ifftn", x.conj(), want.conj() / n
    else:
        last = (axes or (-1,))[-1] % x.ndim
        second = "rfftn", x, want[(slice(None),) * last + (slice(shape[last] // 2 + 1),)]
    for name, x, want in (("fftn", x, want), second):
        for how in ("C", "steps", "back"):
            close(getattr(cp.fft, name)(layout(x, how), axes=axes), want, single, n, 1.3)
        out = cp.empty((*want.shape[:-1], want.shape[-1] + 3), "complex64" if single else "complex128")[..., 1:-2]
        assert getattr(cp.fft, name)(cp.asarray(x), axes=axes, out=out) is out
        close(out, want, single, n, 1.3)
        if x.dtype.kind == "c":
            same = cp.asarray(x)
            getattr(cp.fft, name)(same, axes=axes, out=same)
            close(same, want, single, n, 1.3)


@pytest.mark.parametrize("shape,axis,dtype", [
    ((70, 65536), 0, "complex64"), ((70, 65537), 0, "complex64"), ((4100, 1024), 1, "complex64"),
    ((65600, 64), 1, "complex64"), ((65600, 65), 1, "complex64"), ((2100, 1000), 1, "complex128"),
    ((600, 4096), 1, "complex128"), ((2100, 1000), 0, "complex128"), ((9000, 1001), 1, "float32"),
    ((4200, 1000), 1, "float64"), ((4194305,), 0, "complex64"), ((2097152,), 0, "complex128")])
def test_past_the_caches(shape, axis, dtype):
    """Results of 32 MiB and more; one whose lines begin elsewhere must be the same."""
    rng = np.random.default_rng(shape[0])
    x = random(rng, shape, dtype)
    name = "fft" if x.dtype.kind == "c" else "rfft"
    a = cp.asarray(x)
    got = getattr(cp.fft, name)(a, axis=axis)
    close(got, getattr(np.fft, name)(x.astype(complex if name == "fft" else float), axis=axis), dtype in SINGLE,
          shape[axis], 1.5 if dtype in SINGLE else 3)  # NumPy's own errors, in float64
    out = cp.empty(got.size + 1, got.dtype)[1:].reshape(got.shape)
    getattr(cp.fft, name)(a, axis=axis, out=out)
    assert bool((out == got).all())
    if name == "rfft":
        back = cp.fft.irfft(got, shape[axis], axis)
        close(back, x, dtype in SINGLE, shape[axis], 2)


# --- out ---

@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "ihfft", "fft2", "fftn", "ifftn", "rfft2", "rfftn"])
def test_out(name):
    rng = np.random.default_rng(5)
    x = random(rng, (6, 10), "float64" if name in REAL_IN else "complex128")
    want = getattr(np.fft, name)(x)
    for make in (lambda: cp.empty(want.shape, want.dtype), lambda: cp.empty(want.shape[::-1], want.dtype).T,
                 lambda: cp.empty((want.shape[0], 2 * want.shape[1]), want.dtype)[:, ::2]):
        out = make()
        assert getattr(cp.fft, name)(cp.asarray(x), out=out) is out
        close(out, want, False, 60, 3)
    narrow = cp.empty(want.shape, "complex64" if want.dtype.kind == "c" else "float32")
    getattr(cp.fft, name)(cp.asarray(x), out=narrow)
    close(narrow, want, True, 60, 3)
    with raises(ValueError, match="out has shape"):
        getattr(cp.fft, name)(cp.asarray(x), out=cp.empty((3,), want.dtype))
    if want.dtype.kind == "c":
        with raises(TypeError):
            getattr(cp.fft, name)(cp.asarray(x), out=cp.empty(want.shape, "float64"))


@pytest.mark.parametrize("n", [8, 60, 67, 600, 5000])
def test_out_is_the_argument(n):
    rng = np.random.default_rng(n)
    x = random(rng, (4, n), "complex128")
    for axis in (0, 1):
        a = cp.asarray(x)
        cp.fft.fft(a, axis=axis, out=a)
        close(a, exact("fft", x, axis=axis), False, n)
    a = cp.asarray(x)
    cp.fft.fft(a[:, ::-1], out=a)  # the same memory, backwards
    close(a, exact("fft", x[:, ::-1]), False, n)
    a = cp.asarray(x)
    cp.fft.fftn(a[1:], out=a[:-1])
    close(a[:-1], exact("fftn", x[1:]), False, 4 * n)


# --- arguments ---

BAD = [
    ("fft", dict(n=0)), ("fft", dict(n=-2)), ("fft", dict(axis=2)), ("fft", dict(axis=-3)), ("fft", dict(norm="Ortho")),
    ("fft", dict(norm=3)), ("fft", dict(n=2.5)), ("fft", dict(axis=1.0)), ("ifft", dict(n=0)), ("rfft", dict(n=0)),
    ("irfft", dict(n=0)), ("hfft", dict(axis=5)), ("ihfft", dict(norm="x")), ("fftn", dict(axes=(0, 2))),
    ("fftn", dict(s=(3,), axes=(0, 1))), ("fftn", dict(s=(3, 0), axes=(0, 1))), ("fft2", dict(s=(3,))),
    ("rfftn", dict(axes=())), ("irfftn", dict(axes=())), ("rfft2", dict(norm="none")),
    ("fftn", dict(s=(1, 2, 3), axes=(0, 1, 2))), ("irfft2", dict(s=(2, 0)))]


@pytest.mark.parametrize("name,options", BAD)
def test_bad_arguments(name, options):
    x = np.ones((4, 6))
    want = outcome(getattr(np.fft, name), x, **options)
    assert isinstance(want, type)
    assert refused(outcome(getattr(cp.fft, name), cp.asarray(x), **options), want)


def test_errors_in_words():
    x = cp.ones((4, 6))
    for call, error, text in [
            (lambda: cp.fft.fft(x, n=0), ValueError, "Invalid number of FFT data points (0) specified."),
            (lambda: cp.fft.fft(cp.ones((4, 0))), ValueError, "Invalid number of FFT data points (0) specified."),
            (lambda: cp.fft.irfft(cp.ones((4, 1))), ValueError, "Invalid number of FFT data points (0) specified."),
            (lambda: cp.fft.fftn(x, s=(2, 2), axes=(0,)), ValueError, "Shape and axes have different lengths."),
            (lambda: cp.fft.rfft(x + 1j), TypeError, "the array must be real"),
            (lambda: cp.fft.rfftn(x, axes=()), IndexError, "at least 1 axis must be transformed"),
            (lambda: cp.fft.fft(x, norm="x"), ValueError, "one of 'backward', 'ortho', 'forward' (got 'x')"),
            (lambda: cp.fft.fft(cp.asarray(3.0)), np.exceptions.AxisError, "axis")]:
        with raises(error) as e:
            call()
        assert text in str(e.value)


def test_empty():
    for shape, axis in (((0, 4), 1), ((4, 0), 0), ((3, 0, 5), 0)):
        x = np.ones(shape)
        for name in ONE:
            want = getattr(np.fft, name)(x, axis=axis)
            got = getattr(cp.fft, name)(cp.asarray(x), axis=axis)
            assert got.shape == want.shape and got.dtype == want.dtype
    got = cp.fft.fft(cp.ones((2, 0)), n=5)
    np.testing.assert_array_equal(cp.asnumpy(got), np.zeros((2, 5)))


def test_lists_and_bfloat16():
    close(cp.fft.fft([1, 2, 3, 4]), np.fft.fft([1, 2, 3, 4]), False, 4)
    x = cp.asarray(np.arange(8.0)).astype("bfloat16")
    got = cp.fft.fft(x)
    assert got.dtype == np.complex64
    close(got, np.fft.fft(np.arange(8.0)), True, 8)


# --- shifts and frequencies ---

@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 100, 101])
def test_frequencies(n):
    for d in (1.0, 0.1, 3, -2.0):
        np.testing.assert_array_equal(cp.asnumpy(cp.fft.fftfreq(n, d)), np.fft.fftfreq(n, d))
        np.testing.assert_array_equal(cp.asnumpy(cp.fft.rfftfreq(n, d)), np.fft.rfftfreq(n, d))


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_frequencies_of_a_type(name, device):
    for f in ("fftfreq", "rfftfreq"):
        for place in ("cpu", None):
            x = getattr(cp.fft, f)(9, 0.3, dtype=name, device=place)
            want = cp.asarray(getattr(np.fft, f)(9, 0.3)).astype(name)
            assert x.dtype == name and x.tolist() == want.tolist()
            assert x.device == cp.cuda.Device("cpu" if place else device)


@pytest.mark.parametrize("name", ["bool", "int32", "uint8", "complex64"])
def test_frequencies_are_real_floating(name):
    for f in (cp.fft.fftfreq, cp.fft.rfftfreq):
        with raises(ValueError, match=name):
            f(5, dtype=name)


def test_frequencies_refused():
    for f in ("fftfreq", "rfftfreq"):
        for args in ((0,), (4, 0)):
            with raises(ZeroDivisionError):
                getattr(cp.fft, f)(*args)
        with raises(ValueError):
            getattr(cp.fft, f)(-3)
        with raises(TypeError):
            getattr(cp.fft, f)(2.5)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["fftshift", "ifftshift"]), st.sampled_from([(1,), (5,), (4, 7), (0, 3), (2, 3, 5)]),
       st.sampled_from(DTYPES), st.data())
def test_shifts(name, shape, dtype, data):
    axes = data.draw(st.one_of(st.none(), st.integers(-3, 3), st.lists(st.integers(-3, 2), max_size=3).map(tuple)))
    x = random(np.random.default_rng(1), shape, dtype)
    want = outcome(getattr(np.fft, name), x, axes)
    if isinstance(want, type):
        assert refused(outcome(getattr(cp.fft, name), cp.asarray(x), axes), want)
    else:
        got = getattr(cp.fft, name)(cp.asarray(x), axes)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(cp.asnumpy(got), want)


# --- threads and processes ---

def test_bits_do_not_depend_on_threads():
    rng = np.random.default_rng(6)
    arrays = [random(rng, shape, dtype) for shape, dtype in
              [((1 << 18,), "complex128"), ((300, 1000), "complex64"), ((1000, 300), "float64"),
               ((99991,), "complex64"), ((40, 50, 60), "complex128"), ((64, 64, 64), "complex64"),
               ((20, 96, 100), "float64"), ((128, 4100), "complex64")]]
    before, seen = _device.threads(), []
    try:
        for threads in (1, 2, 5):
            _device.threads(threads)
            seen.append([cp.asnumpy((cp.fft.rfftn if x.dtype.kind == "f" else cp.fft.fftn)(cp.asarray(x)))
                         for x in arrays])
    finally:
        _device.threads(before)
    for other in seen[1:]:
        for a, b in zip(seen[0], other):
            np.testing.assert_array_equal(a, b)


def test_many_threads_share_plans(device):
    rng = np.random.default_rng(8)
    lengths = [97, 100, 128, 263, 512, 640, 1009, 2048]
    data = {n: random(rng, (3, n), "complex128") for n in lengths}
    want = {n: exact("fft", data[n]) for n in lengths}

    def work(k):
        _device.use(_device.parse(device))
        for i in range(40):
            n = lengths[(i * (k + 1)) % len(lengths)]
            close(cp.fft.fft(cp.asarray(data[n])), want[n], False, n)
            if i % 10 == 9:
                cp.fft.config.clear_plan_cache()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()  # what a thread raises fails the test: conftest.py


@pytest.mark.once  # only the CPU device works on in a child
def test_forked_child():
    x = np.random.default_rng(9).normal(size=(8, 5000))
    cp.fft.rfft(cp.asarray(x))
    read, write = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            close(cp.fft.rfft(cp.asarray(x)), exact("rfft", x), False, 5000)
            os.write(write, b"1")
        os._exit(0)
    os.close(write)
    assert os.read(read, 1) == b"1"
    assert os.waitpid(child, 0)[1] == 0


# --- the cache ---

def test_plan_cache():
    cache = cp.fft.config.get_plan_cache()
    size, memsize = cache.get_size(), cache.get_memsize()
    try:
        cache.clear()
        assert cache.get_curr_size() == 0 and cache.get_curr_memsize() == 0
        for n in (13, 26, 39, 52):  # a GPU has no plans where its own kernels serve, without a factor of 13
            cp.fft.fft(cp.ones((2, n), complex))
        cp.cuda.Stream.null.synchronize()
        assert cache.get_curr_size() == 4
        cache.set_size(2)
        assert cache.get_size() == 2 and cache.get_curr_size() == 2
        cp.fft.fft(cp.ones((2, 65), complex))
        cp.cuda.Stream.null.synchronize()
        assert cache.get_curr_size() == 2
        cache.set_size(0)
        close(cp.fft.fft(cp.ones(13)), np.fft.fft(np.ones(13)), False, 13)
        cp.cuda.Stream.null.synchronize()
        assert cache.get_curr_size() == 0
        cache.set_size(-1)
        cache.set_memsize(0)
        close(cp.fft.fft(cp.ones(13)), np.fft.fft(np.ones(13)), False, 13)
        cp.cuda.Stream.null.synchronize()
        assert cache.get_memsize() == 0 and "unlimited" in str(cache)
        cache.set_memsize(-1)
        assert cache.get_memsize() == -1
        with raises(ValueError):
            cache.set_size(-2)
        with raises(ValueError):
            cache.set_memsize(-5)
    finally:
        cache.set_size(size)
        cache.set_memsize(memsize)
    cp.fft.config.show_plan_cache_info()


def test_config_refuses_what_is_not_there():
    with raises(NotImplementedError, match="one device"):
        cp.fft.config.set_cufft_gpus([0, 1])
    with raises(NotImplementedError, match="static library"):
        with cp.fft.config.set_cufft_callbacks(cb_load="x"):
            pass
    assert cp.fft.config.enable_nd_planning in (True, False)
    assert cp.fft.config.use_multi_gpus is False


def test_no_leak(no_leak):
    rng = np.random.default_rng(1)
    x = random(rng, (20, 30), "float32")
    for name in ONE + SEVERAL:
        getattr(cp.fft, name)(cp.asarray(x))
        with raises(ValueError):
            getattr(cp.fft, name)(cp.asarray(x), norm="bad")
    with raises(ValueError):
        cp.fft.fftn(cp.asarray(x), s=(3,), axes=(0, 1))
