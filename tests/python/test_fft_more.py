"""What stands beside Fourier transforms: cosine, sine and Hankel transforms against SciPy's, scipy.fft's and fftpack's
arguments, plans as CuPy's programs hold them; on every device."""
import inspect

import cuprite as cp
import cuprite.scipy.fft
import cuprite.scipy.fftpack
import numpy as np
import pytest
import scipy.fft
import scipy.fftpack
from cuprite.cuda import cufft
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import outcome
from test_fft import NORMS, close, layout, random

ours = cp.scipy.fft
COSINES = ["dct", "idct", "dst", "idst"]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(COSINES), st.sampled_from(["bool", "int16", "float16", "float32", "float64", "complex64",
                                                  "complex128"]),
       st.integers(1, 4), st.integers(1, 40), st.sampled_from([1, 2, 17]), st.sampled_from([0, 1]),
       st.sampled_from(NORMS), st.sampled_from([None, True, False]), st.sampled_from([None, None, 1, 5, 12]),
       st.sampled_from(["C", "F", "steps", "back"]), st.integers(0, 2**32 - 1))
def test_cosines(name, dtype, kind, n, lanes, axis, norm, orthogonalize, length, how, seed):
    x = random(np.random.default_rng(seed), (lanes, n) if axis else (n, lanes), dtype)
    wide = x.astype(complex if x.dtype.kind == "c" else float)
    args = dict(type=kind, n=length, axis=axis, norm=norm, orthogonalize=orthogonalize)
    if kind == 1 and "c" in name and (length or n) == 1:  # a RuntimeError of SciPy's
        with pytest.raises(ValueError, match="DCT-I is not defined for size < 2"):
            getattr(ours, name)(cp.asarray(x), **args)
        return
    transform = getattr(scipy.fft, name)  # of complex numbers it passes orthogonalize over
    want = transform(wide.real, **args) + (1j * transform(wide.imag, **args) if x.dtype.kind == "c" else 0)
    got = getattr(ours, name)(layout(x, how), **args)
    single = dtype in ("float16", "float32", "complex64")
    assert got.dtype == getattr(scipy.fft, name)(x.astype("float32") if dtype == "float16" else x, **args).dtype
    close(got, want, single, 64, 4)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from([c + "n" for c in COSINES]), st.integers(2, 4), st.sampled_from([(4, 6), (3, 1, 5), (2, 3, 4)]),
       st.sampled_from(NORMS), st.sampled_from([None, (0,), (-1, 0), (1, 1)]), st.booleans(), st.integers(0, 2**32 - 1))
def test_cosines_of_several_axes(name, kind, shape, norm, axes, longer, seed):
    x = random(np.random.default_rng(seed), shape, "float64")
    s = tuple(5 for _ in (axes if axes is not None else shape)) if longer else None
    want = outcome(getattr(scipy.fft, name), x, kind, s, axes, norm)
    if isinstance(want, type):
        with pytest.raises(want):
            getattr(ours, name)(cp.asarray(x), kind, s, axes, norm)
        return
    close(getattr(ours, name)(cp.asarray(x), kind, s, axes, norm), want, False, 64, 4)


@pytest.mark.parametrize("n", [100, 1000, 1024, 1009, 4097])
def test_long_cosines(n):
    x = random(np.random.default_rng(n), (3, n), "float64")
    for name in COSINES:
        for kind in (1, 2, 3, 4):
            close(getattr(ours, name)(cp.asarray(x), kind), getattr(scipy.fft, name)(x, kind), False, n, 4)
            back = getattr(ours, name[1:] if name[0] == "i" else "i" + name)
            close(back(getattr(ours, name)(cp.asarray(x), kind), kind), x, False, n, 4)


def test_cosines_refuse():
    x = cp.ones(4)
    for args, text in ((dict(type=5), "Type must be 1, 2, 3 or 4"), (dict(type=0), "Type must be 1, 2, 3 or 4"),
                       (dict(n=0), "Invalid number of FFT data points (0) specified."), (dict(norm="x"), "norm")):
        with pytest.raises(ValueError) as e:
            ours.dct(x, **args)
        assert text in str(e.value)
    with pytest.raises(ValueError, match="not defined for size < 2"):
        ours.dct(cp.ones(1), 1)
    with pytest.raises(np.exceptions.AxisError):
        ours.dst(x, axis=3)
    with pytest.raises(ValueError, match="All axes must be unique"):
        ours.dctn(cp.ones((3, 3)), axes=(0, 0))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["fht", "ifht"]), st.integers(1, 64), st.sampled_from([0.01, 0.1, 1.0]),
       st.sampled_from([0.0, 0.5, 1.0, 2.5, -0.3]), st.sampled_from([0.0, 0.2, -1.0]),
       st.sampled_from([0.0, 0.1, -0.4]), st.sampled_from(["float32", "float64"]), st.integers(0, 2**32 - 1))
def test_hankel(name, n, dln, mu, offset, bias, dtype, seed):
    x = random(np.random.default_rng(seed), (2, n), dtype)
    want = getattr(scipy.fft, name)(x.astype(float), dln, mu, offset=offset, bias=bias)
    got = getattr(ours, name)(cp.asarray(x), dln, mu, offset=offset, bias=bias)
    assert got.dtype == dtype
    if np.isfinite(want).all():
        np.testing.assert_allclose(cp.asnumpy(got), want, rtol=0,
                                   atol=(3e-5 if dtype == "float32" else 1e-9) * max(1, np.abs(want).max()))


def test_hankel_at_poles():
    x = random(np.random.default_rng(1), 16, "float64")
    for mu, bias in ((-2.0, 1.0), (-0.5, -0.5), (0.0, -1.0), (0.0, 1.0), (-3.0, 0.0), (-4.0, 1.0)):
        for name, f in (("fht", scipy.fft.fht), ("ifht", scipy.fft.ifht)):
            with pytest.warns() if singular(name, mu, bias) else no_warning():
                got = cp.asnumpy(getattr(ours, name)(cp.asarray(x), 0.3, mu, bias=bias))
            with np.errstate(all="ignore"), pytest.warns() if singular(name, mu, bias) else no_warning():
                want = f(x, 0.3, mu, bias=bias)
            np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-9 * max(1, np.abs(want).max()))


def singular(name, mu, bias):
    """Whether the first coefficient, 2^q gamma(p) / gamma(m), is infinite, or 0 of the inverse."""
    p, m = (mu + 1 + bias) / 2, (mu + 1 - bias) / 2
    pole = [v <= 0 and v == int(v) for v in (p, m)]
    return pole == [True, False] if name == "fht" else pole == [False, True]


def no_warning():
    import contextlib
    return contextlib.nullcontext()


def test_hankel_offset():
    for dln in (0.01, 0.3):
        for mu in (0.0, 1.5):
            for initial, bias in ((0.0, 0.0), (0.5, 0.1)):
                assert abs(ours.fhtoffset(dln, mu, initial, bias) - scipy.fft.fhtoffset(dln, mu, initial, bias)) < 1e-12


def test_hankel_refuses():
    with pytest.raises(TypeError):
        ours.fht(cp.ones(4, complex), 0.1, 0.0)
    with pytest.raises(ValueError, match="dln"):
        ours.fht(cp.ones(4), 0, 0.0)
    with pytest.raises(IndexError):
        ours.fht(cp.asarray(1.0), 0.1, 0.0)
    with pytest.raises(ValueError, match="dln"):
        ours.fhtoffset(0, 0.0)


# --- scipy.fft ---

@pytest.mark.parametrize("name", ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2",
                                  "rfftn", "irfftn", "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_scipy_fft(name, dtype):
    if dtype == "complex128" and name in ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn"):
        with pytest.raises(TypeError):
            getattr(ours, name)(cp.ones((4, 4), dtype))
        return
    x = random(np.random.default_rng(1), (6, 9, 5), dtype)
    for norm in NORMS:
        want = getattr(scipy.fft, name)(x, norm=norm)
        got = getattr(ours, name)(cp.asarray(x), norm=norm, overwrite_x=False, workers=2)
        assert got.dtype == want.dtype
        close(got, want, dtype == "float32", 270, 3)
    if name[-1] in "2n" and name != "fftn":
        close(getattr(ours, name)(cp.asarray(x), s=(4, 12), axes=(2, 0)), getattr(scipy.fft, name)(x, (4, 12), (2, 0)),
              dtype == "float32", 270, 3)
    have = list(inspect.signature(getattr(ours, name)).parameters)
    assert have == list(inspect.signature(getattr(scipy.fft, name)).parameters)


def test_scipy_fft_refuses():
    x = cp.ones((4, 6))
    with pytest.raises(ValueError, match="all axes must be unique"):
        ours.fftn(x, axes=(0, 0))
    for workers in (0, -1000):
        with pytest.raises(ValueError, match="workers"):
            ours.fft(x, workers=workers)
    with pytest.raises(TypeError):
        ours.dct(x, workers="two")


@pytest.mark.once
def test_next_fast_len():
    for n in [*range(1, 400), 1021, 4097, 65537, 1000003, 10**9 + 7]:
        for real in (False, True):
            assert ours.next_fast_len(n, real) == scipy.fft.next_fast_len(n, real)
    for bad in (-1, 2**62):
        with pytest.raises(ValueError):
            ours.next_fast_len(bad)
    with pytest.raises(TypeError):
        ours.next_fast_len(2.5)


# --- plans ---

def test_plans():
    x = random(np.random.default_rng(1), (6, 8), "complex128")
    a = cp.asarray(x)
    plan = ours.get_fft_plan(a, axes=1)
    close(ours.fft(a, plan=plan), np.fft.fft(x), False, 8, 3)
    with plan:
        assert cufft.get_current_plan() is plan
        close(ours.fft(a), np.fft.fft(x), False, 8, 3)
        with ours.get_fft_plan(a) as inner:
            assert cufft.get_current_plan() is inner
            close(cp.fft.fftn(a), np.fft.fftn(x), False, 48, 3)
    assert cufft.get_current_plan() is None
    both = ours.get_fft_plan(a, shape=(4, 5), axes=(0, 1))
    close(ours.fftn(a, s=(4, 5), axes=(0, 1), plan=both), np.fft.fftn(x, (4, 5), (0, 1)), False, 20, 3)
    real = ours.get_fft_plan(a.real, value_type="R2C")
    close(ours.rfftn(a.real, plan=real), np.fft.rfftn(x.real), False, 48, 3)
    back = ours.get_fft_plan(a, shape=(6, 14), value_type="C2R")
    close(ours.irfftn(a, s=(6, 14), plan=back), np.fft.irfftn(x, (6, 14), (0, 1)), False, 84, 3)


def test_plans_that_do_not_fit():
    a = cp.ones((6, 8), complex)
    plan = ours.get_fft_plan(a, axes=1)
    for call in (lambda: ours.fft(a, axis=0, plan=plan), lambda: ours.fft(a, n=5, plan=plan),
                 lambda: ours.fft(a[:3], plan=plan), lambda: ours.rfft(a.real, plan=plan),
                 lambda: ours.fft(a.astype("complex64"), plan=plan), lambda: ours.fftn(a, plan=plan)):
        with pytest.raises(ValueError, match="plan is for"):
            call()
    with pytest.raises(TypeError, match="get_fft_plan"):
        ours.fft(a, plan=3)
    with pytest.raises(ValueError, match="value_type"):
        ours.get_fft_plan(a, value_type="Z2Z")
    with pytest.raises(TypeError):
        ours.get_fft_plan(a, value_type="R2C")
    with pytest.raises(ValueError, match="different lengths"):
        ours.get_fft_plan(a, shape=(3,), axes=(0, 1))
    with pytest.raises(np.exceptions.AxisError):
        ours.get_fft_plan(a, axes=(4,))


# --- scipy.fftpack ---

@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "int32"])
def test_fftpack(dtype):
    x = random(np.random.default_rng(1), (5, 6), dtype)
    pack = cp.scipy.fftpack
    single = dtype in ("float32", "complex64")
    for name in ("fft", "ifft"):
        for args in ((), (4,), (9, 0)):
            close(getattr(pack, name)(cp.asarray(x), *args), getattr(scipy.fftpack, name)(x, *args), single, 30, 3)
    for name in ("fft2", "ifft2", "fftn", "ifftn"):
        for args in ((), ((4, 7),), ((4, 7), (1, 0))):
            close(getattr(pack, name)(cp.asarray(x), *args), getattr(scipy.fftpack, name)(x, *args), single, 30, 3)
    if x.dtype.kind == "c":
        with pytest.raises(TypeError):
            pack.rfft(cp.asarray(x))
        with pytest.raises(TypeError):
            pack.irfft(cp.asarray(x))
        return
    for name in ("rfft", "irfft"):
        for args in ((), (1,), (2,), (3,), (4,), (7,), (12,), (None, 0), (4, 0), (9, 0)):
            want = getattr(scipy.fftpack, name)(x, *args)
            got = getattr(pack, name)(cp.asarray(x), *args)
            assert got.dtype == want.dtype
            close(got, want, single, 30, 3)
    close(pack.fft(cp.asarray(x), plan=pack.get_fft_plan(cp.asarray(x), axes=1)), scipy.fftpack.fft(x), single, 30, 3)
