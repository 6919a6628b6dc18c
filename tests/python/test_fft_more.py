"""What stands beside Fourier transforms: cosine, sine and Hankel transforms against SciPy's, scipy.fft's and fftpack's
arguments, plans as CuPy's programs hold them; on every device."""
import inspect
import itertools
import os
import subprocess
import sys

import cuprite as cp
import cuprite.scipy.fft
import cuprite.scipy.fftpack
import numpy as np
import pytest
import scipy.fft
import scipy.fftpack
import scipy.special
from cuprite._fft import fft_ready
from cuprite.cuda import cufft
from cuprite.scipy import signal
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import outcome, raises
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
        with raises(ValueError, match="DCT-I is not defined for size < 2"):
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
        assert outcome(getattr(ours, name), cp.asarray(x), kind, s, axes, norm) is want
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


@pytest.mark.parametrize("shape", [(1, 257), (3, 5001), (40, 33000), (1, 131072), (1, 2**20 + 20)])
def test_cosines_of_many_elements(shape):
    """A slice split into chunks or many side by side; beyond 2^20 made of products and of other transforms."""
    x = random(np.random.default_rng(3), shape, "float64")
    for forward in ("dct", "dst"):
        wanted = {kind: getattr(scipy.fft, forward)(x, kind, norm="ortho")
                  for kind in ((1, 2, 3, 4) if shape[1] < 2**20 else (2, 3))}
        for name, kind in itertools.product((forward, "i" + forward), wanted):
            want = wanted[kind if name == forward else (1, 3, 2, 4)[kind - 1]]  # of kinds 2 and 3 one is the inverse
            close(getattr(ours, name)(cp.asarray(x), kind, norm="ortho"), want, False, shape[1], 4)
            if shape[1] < 2**15:
                close(getattr(ours, name)(cp.asarray(x.T), kind, axis=0, norm="ortho"), want.T, False, shape[1], 4)


def test_cosines_refuse():
    x = cp.ones(4)
    for args, text in ((dict(type=5), "Type must be 1, 2, 3 or 4"), (dict(type=0), "Type must be 1, 2, 3 or 4"),
                       (dict(n=0), "Invalid number of FFT data points (0) specified."), (dict(norm="x"), "norm")):
        with raises(ValueError) as e:
            ours.dct(x, **args)
        assert text in str(e.value)
    with raises(ValueError, match="not defined for size < 2"):
        ours.dct(cp.ones(1), 1)
    with raises(np.exceptions.AxisError):
        ours.dst(x, axis=3)
    with raises(ValueError, match="All axes must be unique"):
        ours.dctn(cp.ones((3, 3)), axes=(0, 0))


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(["fht", "ifht"]), st.integers(1, 64), st.sampled_from([0.01, 0.1, 1.0]),
       st.sampled_from([0.0, 0.5, 1.0, 2.5, -0.3]), st.sampled_from([0.0, 0.2, -1.0]),
       st.sampled_from([0.0, 0.1, -0.4]), st.sampled_from(["float32", "float64"]), st.integers(0, 2**32 - 1))
def test_hankel(name, n, dln, mu, offset, bias, dtype, seed):
    x = random(np.random.default_rng(seed), (2, n), dtype)
    want = getattr(scipy.fft, name)(x.astype(float), dln, mu, offset=offset, bias=bias)
    got = getattr(ours, name)(cp.asarray(x), dln, mu, offset=offset, bias=bias)
    assert got.dtype == (dtype if bias == 0 else "float64") and np.isfinite(want).all()  # SciPy's slopes are float64
    assert np.all(np.abs(cp.asnumpy(got) - want) <= 2 * hankel_error(name, x, dln, mu, offset, bias))


def hankel_error(name, x, dln, mu, offset, bias):
    """What rounding makes of a result: logarithms of gamma functions are as exact as their size lets them be, of which
    the phase grows with the frequency; the inverse divides by the real part of the middle coefficient."""
    n = x.shape[-1]
    y = np.pi * np.arange(n // 2 + 1) / (n * dln)
    p, m = (scipy.special.loggamma((mu + 1 + s * bias) / 2 + 1j * y) for s in (1, -1))
    size = np.exp(p.real - m.real + bias * np.log(2))
    growth = 20 + 2 * y * (np.log(y + 12) + 2 + abs(offset))  # 20: a gamma function's logarithm beyond 12, and back
    if name == "ifht":
        size = 1 / size
        if n % 2 == 0:
            cosine = abs(np.cos(p.imag[-1] + m.imag[-1] + 2 * y[-1] * (np.log(2) - offset)))
            size[-1] /= cosine
            growth[-1] /= cosine
    j = (np.arange(n) - (n - 1) / 2) * dln
    into, out = (-bias * j, -bias * (j + offset)) if name == "fht" else (bias * (j + offset), bias * j)
    norm = np.linalg.norm(x * np.exp(into), axis=-1, keepdims=True)
    coefficients, transforms = (size * growth).max(), size.max() * (2 + np.log2(n))
    return (2.0 ** -52 * coefficients + np.finfo(x.dtype).eps * transforms) * norm * np.exp(out)


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
    with raises(TypeError):
        ours.fht(cp.ones(4, complex), 0.1, 0.0)
    with raises(ValueError, match="dln"):
        ours.fht(cp.ones(4), 0, 0.0)
    with raises(IndexError):
        ours.fht(cp.asarray(1.0), 0.1, 0.0)
    with raises(ValueError, match="dln"):
        ours.fhtoffset(0, 0.0)


# --- scipy.fft ---

@pytest.mark.parametrize("name", ["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2",
                                  "rfftn", "irfftn", "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128"])
def test_scipy_fft(name, dtype):
    if dtype == "complex128" and name in ("rfft", "rfft2", "rfftn", "ihfft", "ihfft2", "ihfftn"):
        with raises(TypeError):
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


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_scipy_fft_of_halves(dtype):
    x = cp.ones((4, 6), dtype)
    for name in ("irfft", "hfft", "irfft2", "hfft2", "irfftn", "hfftn", "dct", "idst", "dctn"):
        assert getattr(ours, name)(x).dtype == "float32"
        assert getattr(scipy.fft, name)(np.ones((4, 6), "float16")).dtype == "float32"
    for name in ("fft", "rfft", "ifftn", "ihfft2"):
        assert getattr(ours, name)(x).dtype == "complex64"


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn", "fft2", "fft"])
def test_workers_change_nothing(name):
    """Nor do they where an array is transformed in blocks."""
    x = random(np.random.default_rng(5), (40, 72, 61), "float32" if name == "rfftn" else "complex64")
    want = getattr(ours, name)(cp.asarray(x))
    close(want, getattr(scipy.fft, name)(x.astype("float64" if name == "rfftn" else "complex128")), True, x.size, 1.5)
    for workers in (None, 1, 2, -1):
        got = getattr(ours, name)(cp.asarray(x), workers=workers)
        assert got.dtype == want.dtype and bool((got == want).all())


def test_scipy_fft_refuses():
    x = cp.ones((4, 6))
    for name in ("rfftn", "irfftn", "hfftn", "ihfftn", "rfft2", "irfft2"):
        for a, axes in ((x, ()), (cp.asarray(2.0), None)):
            for f, b in ((getattr(ours, name), a), (getattr(scipy.fft, name), cp.asnumpy(a))):
                with raises(ValueError, match="at least 1 axis must be transformed"):
                    f(b, axes=axes)
    with raises(ValueError, match="all axes must be unique"):
        ours.fftn(x, axes=(0, 0))
    for workers in (0, -1000):
        with raises(ValueError, match="workers"):
            ours.fft(x, workers=workers)
    with raises(TypeError):
        ours.dct(x, workers="two")


@pytest.mark.once
def test_next_fast_len():
    for n in [*range(1, 400), 1021, 4097, 65537, 1000003, 10**9 + 7]:
        for real in (False, True):
            assert ours.next_fast_len(n, real) == scipy.fft.next_fast_len(n, real)
    for bad in (-1, 2**62):
        with raises(ValueError):
            ours.next_fast_len(bad)
    with raises(TypeError):
        ours.next_fast_len(2.5)


# --- a GPU's two ways ---

@pytest.mark.device
@pytest.mark.parametrize("way", ["own", "library"])
@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("shape, axes", [((1 << 12,), (0,)), ((3, 100), (1,)), ((100, 7), (0,)), ((5, 24, 6), (1,)),
                                         ((20, 33), (0, 1)), ((4, 1, 30), (0, 2)), ((3, 4, 5, 6), (0, 2, 3))])
def test_ways(way, single, shape, axes, monkeypatch):
    """What both our own kernels and cuFFT can do, by each of them."""
    monkeypatch.setenv("CUPRITE_FFT", way)
    x = random(np.random.default_rng(5), shape, "complex64" if single else "complex128")
    for how in ("C", "F", "steps", "back"):
        close(cp.fft.ifftn(layout(x, how), axes=axes), np.fft.ifftn(x.astype(complex), axes=axes), single, x.size)
        close(cp.fft.rfftn(layout(x.real, how), axes=axes), np.fft.rfftn(x.real.astype(float), axes=axes), single,
              x.size)
        close(cp.fft.irfftn(layout(x, how), axes=axes), np.fft.irfftn(x.astype(complex), axes=axes), single, x.size)
        close(cp.fft.hfft(layout(x, how), axis=axes[-1]), np.fft.hfft(x.astype(complex), axis=axes[-1]), single, x.size)


MODERATE = """
import cuprite as cp
from cuprite.scipy import signal
x, f = cp.sin(cp.arange(1 << 18)), cp.ones((512, 512), "f4")
signal.fftconvolve(f, f), signal.oaconvolve(x, x[:500]), signal.hilbert(x), signal.welch(x), signal.stft(x)
signal.fftconvolve(cp.ones((2048, 2048), "f4"), f[:63, :63], "same")
signal.spectrogram(x), signal.czt(x, 500), signal.resample(x, 1000), signal.envelope(x)
signal.istft(signal.stft(x)[2]), signal.ShortTimeFFT(cp.ones(256), 128, 1.0).stft(x), signal.hilbert2(f)
cp.fft.fft(cp.ones(2048)), cp.fft.irfft(cp.fft.rfft(x[:4096])), cp.fft.fft(f[:64, :64], axis=0)
print("cufft" in open("/proc/self/maps").read())
"""


@pytest.mark.device
def test_moderate_transforms_open_no_library(device):
    """cuFFT takes 0.1 to 0.3 s to open."""
    r = subprocess.run([sys.executable, "-c", MODERATE], capture_output=True, text=True, timeout=300,
                       env={**os.environ, "CUPRITE_DEVICE": device})
    assert r.stdout == "False\n", r.stderr


@pytest.mark.device
@pytest.mark.parametrize("char", "fdFD")
def test_convolutions_of_large_images(char, device):
    """On a GPU 3.3 million elements are transformed by kernels of our own."""
    rng = np.random.default_rng(5)
    x, h = (rng.standard_normal(s + (2,)).view("D")[..., 0] for s in ((1600, 2000), (43, 31)))
    x, h = (v.astype(char) if char in "FD" else v.real.astype(char) for v in (x, h))
    shape = (1642, 2030)
    want = np.fft.ifft2(np.fft.fft2(x, shape) * np.fft.fft2(h, shape))
    got = signal.fftconvolve(cp.asarray(x), cp.asarray(h))
    assert got.dtype == char and got.shape == shape
    np.testing.assert_allclose(got.get(), want if char in "FD" else want.real, rtol=0,
                               atol=(4e-5 if char in "fF" else 1e-13) * 40)


def test_functions_leave_the_way_as_it_was():
    """fft_ready counts up and down, where a function fails too."""
    x = cp.sin(cp.arange(1000.0))
    for call in (lambda: signal.fftconvolve(x, x), lambda: signal.stft(x), lambda: signal.hilbert(x),
                 lambda: signal.hilbert2(x.reshape(10, 100)), lambda: signal.resample(x, 30), lambda: signal.czt(x, 7),
                 lambda: signal.oaconvolve(x, x[:9]), lambda: signal.envelope(x),
                 lambda: signal.istft(signal.stft(x)[2])):
        call()
        assert fft_ready(0) == 0
    with raises(ValueError):
        signal.resample(x, -3)
    with raises(ValueError):
        signal.czt(x, 0)
    with raises(ValueError):
        signal.hilbert(x + 1j)
    assert fft_ready(0) == 0
    assert (fft_ready(1), fft_ready(1), fft_ready(-2)) == (1, 2, 0)


def test_an_interrupt_leaves_the_way_as_it_was(monkeypatch):
    """Python asks for one when a call returns: that of fft_ready itself too."""
    from cuprite.scipy.signal import _transforms

    def interrupted(change):
        count = fft_ready(change)
        if change == 1:
            raise KeyboardInterrupt
        return count
    monkeypatch.setattr(_transforms, "fft_ready", interrupted)
    with raises(KeyboardInterrupt):
        _transforms.fft(cp.arange(8.0))
    assert fft_ready(0) == 0


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
        with raises(ValueError, match="plan is for"):
            call()
    with raises(TypeError, match="get_fft_plan"):
        ours.fft(a, plan=3)
    with raises(ValueError, match="value_type"):
        ours.get_fft_plan(a, value_type="Z2Z")
    with raises(TypeError):
        ours.get_fft_plan(a, value_type="R2C")
    with raises(ValueError, match="different lengths"):
        ours.get_fft_plan(a, shape=(3,), axes=(0, 1))
    with raises(np.exceptions.AxisError):
        ours.get_fft_plan(a, axes=(4,))


@pytest.mark.parametrize("single", [True, False])
def test_cufft_plans_of_one_axis(single):
    rng = np.random.default_rng(5)
    z = random(rng, (3, 8), "complex64" if single else "complex128")
    for kind, x, forward, backward in (
            ("C2C", z, np.fft.fft(z), 8 * np.fft.ifft(z)), ("R2C", z.real.copy(), np.fft.rfft(z.real), None),
            ("C2R", z[:, :5].copy(), None, 8 * np.fft.irfft(z[:, :5], 8))):
        number = getattr(cufft, "CUFFT_" + (kind if single else kind.replace("C", "Z").replace("R", "D")))
        plan = cufft.Plan1d(8, number, 3)
        assert (plan.nx, plan.batch, plan.fft_type, plan.gpus) == (8, 3, number, None)
        a = cp.asarray(x)
        out = plan.get_output_array(a)
        plan.check_output_array(a, out)
        if forward is not None:
            plan.fft(a, out, cufft.CUFFT_FORWARD)
            close(out, forward, single, 8, 3)
        if backward is not None:
            plan.fft(a, out, cufft.CUFFT_INVERSE)
            close(out, backward, single, 8, 3)
    a = cp.asarray(z)
    plan = cufft.Plan1d(8, cufft.CUFFT_C2C if single else cufft.CUFFT_Z2Z, 3)
    plan.fft(a, a, cufft.CUFFT_FORWARD)  # in place
    close(a, np.fft.fft(z), single, 8, 3)
    with plan:
        assert cufft.get_current_plan() is plan
    close(ours.fft(cp.asarray(z), plan=plan), np.fft.fft(z), single, 8, 3)
    assert isinstance(ours.get_fft_plan(a, axes=1), cufft.Plan1d) and isinstance(ours.get_fft_plan(a), cufft.PlanNd)


def test_cufft_plans_of_memory():
    """Every second element of rows of 5 of blocks of 4 rows; results with gaps of another width."""
    rng = np.random.default_rng(6)
    memory = random(rng, (3 * 4 * 5 * 2,), "complex128")
    inner = memory.reshape(3, 4, 5, 2)[:, :3, :4, 0]
    plan = cufft.PlanNd((3, 4), (4, 5), 2, 40, (3, 6), 1, 20, cufft.CUFFT_Z2Z, 3, "C", None, None)
    out = cp.zeros(60, complex)
    plan.fft(cp.asarray(memory), out, -1)
    got = cp.asnumpy(out).reshape(3, 20)[:, :18].reshape(3, 3, 6)
    np.testing.assert_allclose(got[..., :4], np.fft.fftn(inner, axes=(1, 2)), rtol=0, atol=1e-13)
    assert not got[..., 4:].any()
    dense = cufft.PlanNd((4, 6), None, 1, 0, None, 1, 0, cufft.CUFFT_D2Z, 2, "C", -1, 4)
    x = random(rng, (2, 4, 6), "float64")
    y = dense.get_output_array(cp.asarray(x))
    dense.fft(cp.asarray(x), y, -1)
    close(y, np.fft.rfftn(x, axes=(1, 2)), False, 24, 3)


def test_cufft_plans_refuse():
    plan = cufft.Plan1d(8, cufft.CUFFT_C2C, 3)
    a = cp.zeros((3, 8), "complex64")
    for call, error in ((lambda: plan.fft(a, a.astype("complex128"), -1), ValueError),
                        (lambda: plan.fft(a, a[:2], -1), ValueError), (lambda: plan.fft(a[:, ::2], a, -1), ValueError),
                        (lambda: plan.fft(a, a, 0), ValueError),
                        (lambda: plan.fft(np.zeros((3, 8), "F"), a, -1), TypeError),
                        (lambda: plan.check_output_array(a, a[:2]), ValueError),
                        (lambda: plan.check_output_array(a, a.real), ValueError),
                        (lambda: cufft.Plan1d(8, 3, 1), ValueError), (lambda: cufft.Plan1d(0, 0x29, 1), ValueError),
                        (lambda: cufft.Plan1d(8, 0x29, 1, [0, 1]), NotImplementedError),
                        (lambda: cufft.PlanNd((8,), (4, 4), 1, 1, (8,), 1, 1, 0x29, 1, "C", None, None), ValueError),
                        (lambda: cufft.PlanNd((8,), None, 1, 1, None, 1, 1, 0x29, 1, "A", None, None), ValueError),
                        (lambda: cufft.PlanNd((8,), (8,), -9, 8, (8,), 1, 8, 0x29, 2, "C", None, None).fft(a, a, -1),
                         ValueError)):
        with pytest.raises(error):
            call()


# --- SciPy's backends ---

def test_scipy_backend():
    x = random(np.random.default_rng(7), (4, 6), "float64")
    a = cp.asarray(x)
    with scipy.fft.set_backend(ours):
        for name in ours.__all__:
            if not hasattr(getattr(scipy.fft, name, None), "arg_extractor"):
                continue  # no transform
            args = (0.1, 0.5) if name in ("fht", "ifht") else ()
            got = getattr(scipy.fft, name)(a, *args)
            assert isinstance(got, cp.ndarray)
            wanted = getattr(scipy.fft, name)(x, *args)
            bound = 32 * np.finfo("d").eps * np.abs(wanted).max()
            np.testing.assert_allclose(cp.asnumpy(got), wanted, rtol=0, atol=bound)
        assert isinstance(scipy.fft.fft(x), np.ndarray)  # SciPy's own
        assert isinstance(scipy.fft.dct(a, 3, norm="ortho", axis=0, workers=2), cp.ndarray)
        with pytest.raises(np.exceptions.AxisError):
            scipy.fft.fft(a, axis=5)
    with scipy.fft.set_backend(ours, only=True), pytest.raises(scipy.fft._backend.ua.BackendNotImplementedError):
        scipy.fft.fft(x)


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
        with raises(TypeError):
            pack.rfft(cp.asarray(x))
        with raises(TypeError):
            pack.irfft(cp.asarray(x))
        return
    for name in ("rfft", "irfft"):
        for args in ((), (1,), (2,), (3,), (4,), (7,), (12,), (None, 0), (4, 0), (9, 0)):
            want = getattr(scipy.fftpack, name)(x, *args)
            got = getattr(pack, name)(cp.asarray(x), *args)
            assert got.dtype == want.dtype
            close(got, want, single, 30, 3)
    close(pack.fft(cp.asarray(x), plan=pack.get_fft_plan(cp.asarray(x), axes=1)), scipy.fftpack.fft(x), single, 30, 3)


@pytest.mark.parametrize("name", ["fftn", "ifft2", "rfftn", "irfft2", "hfftn", "dctn", "idstn"])
def test_lengths_and_axes_as_scipy(name):
    """A number or numbers; anything else is a ValueError, as SciPy's."""
    x = np.random.default_rng(0).normal(size=(3, 4))
    f, g = getattr(cp.scipy.fft, name), getattr(scipy.fft, name)
    np.testing.assert_allclose(f(cp.asarray(x), s=3, axes=1).get(), g(x, s=3, axes=1), atol=1e-13)
    for words in (dict(s=(1.5, 2)), dict(s=1.5), dict(s="ab"), dict(axes=(0.5,)), dict(axes=0.5), dict(s=(None, 2))):
        assert outcome(f, cp.asarray(x), **words) is outcome(g, x, **words) is ValueError, words
