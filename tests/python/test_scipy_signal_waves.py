"""The C functions behind cuprite.scipy.signal's waveforms, and other rates by polyphase filters, against SciPy."""
import numpy as np
import pytest

import cuprite as cp
from cuprite import _spectra
from oracle import raises

ss = pytest.importorskip("scipy.signal")
s = cp.scipy.signal
r = np.random.default_rng(13)
T = np.linspace(-3, 9, 500)


def near(got, want, bound=1e-10):
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound)


@pytest.mark.parametrize("method", ["linear", "lin", "li", "quadratic", "quad", "q", "logarithmic", "log", "lo",
                                    "hyperbolic", "hyp"])
@pytest.mark.parametrize("f0, t1, f1", [(1.0, 7, 3.0), (2, 7.0, 2), (5.0, 3.0, 0.5)])
def test_chirps(method, f0, t1, f1):
    for vertex in (True, False):
        for whole in (True, False):
            want = ss.chirp(T, f0, t1, f1, method, 30, vertex, complex=whole)
            near(s.chirp(cp.asarray(T), f0, t1, f1, method, 30, vertex, complex=whole), want, 1e-9)
            for kind in ("f4", "i4", "f2", "?"):
                t = T.astype(kind)
                got = s.chirp(cp.asarray(t), f0, t1, f1, method, 30, vertex, complex=whole)
                near(got, ss.chirp(t.astype(float), f0, t1, f1, method, 30, vertex, complex=whole), 1e-9)
    single = _spectra.chirp(cp.asarray(T, "f4"), f0, t1, f1)
    assert single.dtype == np.float32  # in C the times' own type


def test_chirps_that_are_none():
    t = cp.asarray(T)
    for call in ((t, 1, 2, -1, "log"), (t, 0, 2, 1, "log"), (t, 0, 2, 1, "hyp"), (t, 1, 2, 0, "hyp"), (t, 1, 2, 3, "x"),
                 (t, 1, 2, 3, "linear\0")):
        with raises(ValueError):
            s.chirp(*call)
    with raises(ValueError):
        _spectra.chirp(t, np.nan, 2, 3, "logarithmic")
    near(s.chirp(cp.zeros((0, 3)), 1, 2, 3), np.zeros((0, 3)))
    near(s.chirp(cp.asarray(0.5), 1, 2, 3), np.asarray(ss.chirp(0.5, 1, 2, 3)))


def test_pulses():
    want, turned = ss.gausspulse(T, 2.0, 0.4, -3, retquad=True)
    near(_spectra.gausspulse(cp.asarray(T), 2.0, 0.4, -3.0), want)
    near(_spectra.gausspulse(cp.asarray(T), 2.0, 0.4, -3.0, True), want + 1j * turned)
    near(s.gausspulse(cp.asarray(T), 2.0, 0.4, -3), want)
    for wrong in ((-1, 0.5, -6), (1, 0, -6), (1, 0.5, 0), (1, np.nan, -6)):
        with raises(ValueError):
            _spectra.gausspulse(cp.asarray(T), *map(float, wrong))


@pytest.mark.parametrize("part", [0, 0.3, 1, 1.2, -0.1, np.linspace(-0.1, 1.1, 500), np.array([[0.2], [0.7]])],
                         ids=str)
def test_periods(part):
    t = cp.asarray(T)
    near(s.sawtooth(t, cp.asarray(part)), ss.sawtooth(T, part))
    near(s.square(t, cp.asarray(part)), ss.square(T, part))


@pytest.mark.parametrize("poly", [[0.1, -0.3, 2.0], [1.5], [0, 0, 1, 2, 3], np.poly1d([0.2, 0.1])])
def test_polynomials_of_time(poly):
    for phi in (0, 40):
        near(s.sweep_poly(cp.asarray(T), poly, phi), ss.sweep_poly(T, poly, phi), 1e-8)
    near(s.sweep_poly(cp.asarray(T), cp.asarray([2, 1])), ss.sweep_poly(T, [2, 1]), 1e-8)
    for wrong in (cp.ones((2, 2)), cp.ones(())):
        with raises(ValueError):
            _spectra.sweep_poly(cp.asarray(T), wrong)
    with raises(TypeError):
        _spectra.sweep_poly(cp.asarray(T), cp.ones(2, complex))


@pytest.mark.parametrize("kind", ["f8", "f4", "c16", "i4", "c8"])
@pytest.mark.parametrize("shape, axis", [((50,), 0), ((7, 40), 1), ((33, 3), 0), ((1,), 0), ((2, 5), 0)])
def test_other_rates(shape, axis, kind):
    x = (10 * r.standard_normal(shape)).astype(kind)
    bound = 1e-4 if kind in ("f4", "c8") else 1e-10
    h = np.array([1.0, 2, 3, 1])
    for up, down in ((2, 3), (3, 2), (1, 4), (5, 1), (4, 6), (3, 3), (7, 11)):
        near(_spectra.resample_poly(cp.asarray(x), up, down, None, axis), ss.resample_poly(x, up, down, axis), bound)
        want = ss.resample_poly(x, up, down, axis, window=h)
        got = _spectra.resample_poly(cp.asarray(x), up, down, cp.asarray(h), axis)
        np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound)
    for q in (2, 5):
        for n in (0, 7, 8):
            for zero_phase in (True, False):
                want = ss.decimate(x, q, n or None, "fir", axis, zero_phase)
                near(_spectra.decimate(cp.asarray(x), q, n, not zero_phase, axis), want, bound)


def test_rates_that_are_none():
    x = cp.ones(9)
    for up, down in ((0, 1), (1, 0), (-1, 2), (2 ** 62 + 1, 2), (1, 2 ** 62 + 1)):
        with raises(ValueError):
            _spectra.resample_poly(x, up, down)
    for window in (cp.ones((2, 2)), cp.ones(0), cp.ones(())):
        with raises(ValueError):
            _spectra.resample_poly(x, 3, 2, window)
    for wrong in ((x, 0), (x, -2), (x, 2, -1), (cp.ones(()), 2)):
        with raises((np.exceptions.AxisError if not wrong[0].ndim else ValueError)):
            _spectra.decimate(*wrong)
    assert _spectra.resample_poly(cp.ones((0, 4)), 3, 2, None, 1).shape == (0, 6)
    assert _spectra.resample_poly(cp.ones((4, 0)), 3, 2, None, 1).shape == (4, 0)
    assert _spectra.decimate(cp.ones((4, 0)), 2, axis=1).shape == (4, 0)
    assert _spectra.decimate(x, 1).tolist() == pytest.approx([1.0] * 9)
