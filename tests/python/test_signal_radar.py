"""cuprite.signal, which is cupyx.signal: each function against loops of its formula over NumPy's arrays."""
import itertools

import numpy as np
import pytest

import cuprite as cp
from oracle import raises

s = cp.signal
r = np.random.default_rng(12)
TYPES = [np.float32, np.float64, np.complex64, np.complex128]


def values(shape, kind=np.float64):
    x = r.standard_normal(shape)
    return (x + 1j * r.standard_normal(shape) if np.dtype(kind).kind == "c" else x).astype(kind)


def close(got, want, bound=1e-11):
    assert isinstance(got, cp.ndarray) and got.shape == want.shape and got.dtype == want.dtype, (got.dtype, want.dtype)
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=bound * max(1, abs(want).max(initial=0)))


def bound_of(kind):
    return 1e-4 if np.dtype(kind).char in "fF" else 1e-11


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("n", [None, 16, 9, 31])
@pytest.mark.parametrize("axis", [-1, 0])
def test_real_cepstrum(kind, n, axis):
    x = values((12, 15), kind)
    want = np.fft.ifft(np.log(abs(np.fft.fft(x.astype(complex), n, axis))), n, axis).real
    close(s.real_cepstrum(cp.asarray(x), n, axis), want.astype(x.real.dtype), bound_of(kind))


def delayed_phase(spectrum):
    """(phase without slope, delay) of one line, step by step."""
    phase = [np.angle(spectrum[0])]
    for z in spectrum[1:]:
        step = np.angle(z) - np.angle(np.exp(1j * phase[-1]))
        phase.append(phase[-1] + (step + np.pi) % (2 * np.pi) - np.pi)
    n = len(phase)
    middle = (n + 1) // 2
    delay = np.round(phase[min(middle, n - 1)] / np.pi)
    return np.array([p - np.pi * delay * i / middle for i, p in enumerate(phase)]), delay


def undone(ceps, delay):
    """The signal of one line."""
    n = len(ceps)
    phase = np.array([np.pi * delay * i / ((n + 1) // 2) for i in range(n)])
    return np.fft.ifft(np.exp(np.fft.fft(ceps) + 1j * phase)).real


@pytest.mark.parametrize("n", [1, 7, 8, 16, 33])
def test_complex_cepstrum_and_back(n):
    x = values((3, n)) + 0.1
    x[1] = np.roll(np.exp(-np.arange(n)), min(3, n // 2))  # has a delay
    ceps, delay = s.complex_cepstrum(cp.asarray(x))
    back = s.inverse_complex_cepstrum(ceps, delay).get()
    for row, got, d, signal in zip(x, ceps.get(), delay.get(), back):
        spectrum = np.fft.fft(row)
        phase, want = delayed_phase(spectrum)
        assert d == want
        np.testing.assert_allclose(got, np.fft.ifft(np.log(abs(spectrum)) + 1j * phase).real, atol=1e-10)
        np.testing.assert_allclose(signal, undone(got, d), atol=1e-10)
        if n % 2 == 0 and row.sum() > 0:  # else a part of the phase is not in the cepstrum's real part
            np.testing.assert_allclose(signal, row, atol=1e-10)
    one, d = s.complex_cepstrum(cp.asarray(x[1]))
    assert d.shape == ()
    for given in (d, float(d), cp.full(n, float(d))):
        close(s.inverse_complex_cepstrum(one, given), back[1], 1e-9)
    close(s.complex_cepstrum(cp.asarray(x.T.copy()), axis=0)[0], ceps.get().T, 1e-9)


@pytest.mark.parametrize("n, length", [(8, None), (9, None), (8, 13), (9, 6), (1, None), (40, 64)])
def test_minimum_phase(n, length):
    """The magnitudes are the signal's, and the cepstrum has nothing at negative times."""
    x = values(n)
    got = s.minimum_phase(cp.asarray(x), length).get()
    m = n if length is None else length
    ceps = np.fft.ifft(np.log(abs(np.fft.fft(x, m)))).real
    folded = np.array([c * (1 if i == 0 or 2 * i == m else 2 if 2 * i < m else 0) for i, c in enumerate(ceps)])
    np.testing.assert_allclose(got, np.fft.ifft(np.exp(np.fft.fft(folded))).real, atol=1e-10)
    np.testing.assert_allclose(abs(np.fft.fft(got)), abs(np.fft.fft(x, m)), rtol=1e-8)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("window", [None, "hann", ("kaiser", 3.0), np.arange(1.0, 6.0), lambda f: 1 + f])
def test_pulses_are_compressed(kind, normalize, window):
    x, sent = values((3, 20), kind), values(5, kind)
    weights = {str: lambda: np.sin(np.pi * np.arange(5) / 4) ** 2, tuple: lambda: np.kaiser(5, 3.0),
               np.ndarray: lambda: window, type(None): lambda: 1}.get(type(window), lambda: window(np.fft.fftfreq(5)))()
    template = sent * weights
    template = template / np.sqrt((abs(template) ** 2).sum()) if normalize else template
    for n in (20, 32):
        want = np.zeros((3, n), complex)
        rows = np.pad(x, ((0, 0), (0, n - 20)))
        for p, k, j in itertools.product(range(3), range(n), range(5)):
            want[p, k] += rows[p, (k + j) % n] * template[j].conj()
        got = s.pulse_compression(cp.asarray(x), cp.asarray(sent), normalize, window, None if n == 20 else n)
        close(got, (want if np.iscomplexobj(x) else want.real).astype(got.dtype), bound_of(kind))
        assert got.dtype == np.result_type(kind, np.float32)  # real pulses have real correlations


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("window", [None, "hamming"])
def test_doppler(kind, window):
    x = values((6, 4), kind)
    w = np.hamming(6) if window else np.ones(6)
    for n in (6, 9):
        want = np.zeros((n, 4), complex)
        for f, p, k in itertools.product(range(n), range(6), range(4)):
            want[f, k] += w[p] * x[p, k] * np.exp(-2j * np.pi * f * p / n)
        got = s.pulse_doppler(cp.asarray(x), window, None if n == 6 else n)
        close(got, want.astype(got.dtype), bound_of(kind))
        assert got.dtype == np.result_type(kind, np.complex64)


def test_alpha():
    for pfa, n in ((1e-3, 10), (1e-6, 32), (0.5, 1)):
        assert s.cfar_alpha(pfa, n) == pytest.approx(n * (pfa ** (-1 / n) - 1), rel=1e-14)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("shape, guard, around", [
    ((40,), 2, 5), ((15,), 2, 5), ((40,), 0, 1), ((12, 17), (1, 2), (2, 3)), ((9, 30), [0, 3], [4, 0])])
def test_cfar(kind, shape, guard, around):
    x = (abs(values(shape)) * 5).astype(kind)
    x[tuple(n // 2 for n in shape)] = 500
    thresholds, found = s.ca_cfar(cp.asarray(x), guard, around, 1e-2)
    want = np.zeros(shape, np.float32)
    g, a = np.atleast_1d(guard), np.atleast_1d(around)
    for at in np.ndindex(shape):
        if all(i >= m and i < n - m for i, m, n in zip(at, g + a, shape)):
            cells = [float(x[tuple(np.add(at, d))]) for d in itertools.product(*(range(-m, m + 1) for m in g + a))
                     if any(abs(e) > f for e, f in zip(d, g))]
            want[at] = len(cells) * (1e-2 ** (-1 / len(cells)) - 1) * np.mean(cells)
    close(thresholds, want, 1e-6)
    np.testing.assert_array_equal(found.get(), x > thresholds.get())
    assert found[tuple(n // 2 for n in shape)]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("shape", [(4,), (4, 1)])
def test_beamformer(kind, shape):
    x, steering = values((4, 50), kind), values(shape, kind)
    centred = x - x.mean(1, keepdims=True)
    covariance = centred @ centred.T.conj() / 49
    solved = np.linalg.solve(covariance, steering)
    want = solved / (steering.T.conj() @ solved)
    got = s.mvdr(cp.asarray(x), cp.asarray(steering))
    close(got, want.astype(np.result_type(kind, np.float32)), bound_of(kind))
    close(s.mvdr(cp.asarray(covariance), cp.asarray(steering), calc_cov=False), want.astype(kind), bound_of(kind))
    np.testing.assert_allclose((steering.T.conj() @ got.get()).ravel(), 1, rtol=1e-3)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128, np.int16])
def test_frequencies_are_shifted(kind):
    x = (values((2, 9)) * 20).astype(kind)
    want = np.array([v * np.exp(-2j * np.pi * 3.0 / 20.0 * k) for k, v in enumerate(x.ravel())]).reshape(2, 9)
    close(s.freq_shift(cp.asarray(x), 3.0, 20.0), want)


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("n, taps, channels", [
    (60, 12, 4), (61, 14, 4), (7, 3, 3), (10, 6, 1), (3, 4, 4), (300, 160, 4)])
def test_channels(kind, n, taps, channels):
    x, h = values(n, kind), values(taps, kind)
    want = np.zeros((channels, n // channels), complex)
    for c, i, k in itertools.product(range(channels), range(n // channels), range(taps // channels * channels)):
        at = channels * (i + 1) - 1 - k
        if at >= 0:
            want[c, i] += np.conj(h[k].conj() * x[at] * np.exp(-2j * np.pi * c * k / channels))
    got = s.channelize_poly(cp.asarray(x), cp.asarray(h), channels)
    close(got, want.astype(np.result_type(kind, np.complex64)), bound_of(kind) * 10)


@pytest.mark.parametrize("kind", [*TYPES, np.int32])
@pytest.mark.parametrize("shape", [(3, 3), (1, 1), (4, 2), (2, 5), (3, 3, 3), (1, 2, 3), (4, 1, 2)])
def test_convolutions_of_higher_order(kind, shape):
    x, h = (values(14) * 4).astype(kind), (values(shape) * 4).astype(kind)
    f = s.convolve1d2o if len(shape) == 2 else s.convolve1d3o
    want = np.zeros(14 - max(shape) + 1, kind)
    for i in range(want.size):
        for at in np.ndindex(shape):
            want[i] += h[at] * np.prod([x[i + n - 1 - k] for n, k in zip(shape, at)])
    close(f(cp.asarray(x), cp.asarray(h)), want, bound_of(kind))
    close(f(cp.asarray(np.repeat(x, 2))[::2], cp.asarray(h)), want, bound_of(kind))


@pytest.mark.parametrize("kind", TYPES)
def test_filters_without_feedback(kind):
    b, x = values(4, kind), values((3, 30), kind)
    want = np.array([np.convolve(b, row)[:30] for row in x])
    close(s.firfilter(cp.asarray(b), cp.asarray(x)), want, bound_of(kind))
    close(s.firfilter(cp.asarray(b), cp.asarray(x.T.copy()), 0), want.T, bound_of(kind))
    first, state = s.firfilter(cp.asarray(b), cp.asarray(x[:, :11]), zi=cp.zeros((3, 3), kind))
    rest, _ = s.firfilter(cp.asarray(b), cp.asarray(x[:, 11:]), zi=state)
    close(cp.concatenate([first, rest], 1), want, bound_of(kind))
    close(s.firfilter_zi(cp.asarray(b)), np.cumsum(b[:0:-1])[::-1].astype(kind), bound_of(kind))
    around = np.concatenate([2 * x[:, :1] - x[:, 12:0:-1], x, 2 * x[:, -1:] - x[:, -2:-14:-1]], 1)  # odd
    padded = np.concatenate([np.repeat(around[:, :1], 3, 1), around], 1)
    once = np.array([np.convolve(b, row)[:padded.shape[1]] for row in padded])[:, 3:]
    back = np.concatenate([np.repeat(once[:, -1:], 3, 1), once[:, ::-1]], 1)
    twice = np.array([np.convolve(b, row)[:back.shape[1]] for row in back])[:, 3:][:, ::-1]
    close(s.firfilter2(cp.asarray(b), cp.asarray(x)), twice[:, 12:-12], 10 * bound_of(kind))


WRONG = [
    (ValueError, "s.mvdr(x.T.copy(), x[0])"), (ValueError, "s.mvdr(x, x[0])"), (ValueError, "s.mvdr(x[0], x[0])"),
    (ValueError, "s.pulse_compression(x[0], x[0])"), (ValueError, "s.pulse_compression(x, x)"),
    (ValueError, "s.pulse_compression(x, x[0], window=cp.ones(3))"), (ValueError, "s.pulse_doppler(x[0])"),
    (TypeError, "s.ca_cfar(x[None], 1, 1)"), (TypeError, "s.ca_cfar(x, 1, 1)"), (TypeError, "s.ca_cfar(x + 1j, 1, 1)"),
    (ValueError, "s.ca_cfar(x[0], 2, 3)"), (ValueError, "s.ca_cfar(x[0], -1, 3)"),
    (ValueError, "s.ca_cfar(x[0], 1, 0)"),
    (ValueError, "s.convolve1d2o(x, x)"), (ValueError, "s.convolve1d2o(x[0], x[0])"),
    (ValueError, "s.convolve1d2o(x[0, :3], x)"), (ValueError, "s.convolve1d3o(x[0], x)"),
    (NotImplementedError, "s.convolve1d2o(x[0], x, 'full')"),
    (NotImplementedError, "s.convolve1d3o(x[0], x[None], 'valid', 'fft')"),
    (ValueError, "s.channelize_poly(x, x[0], 2)"), (ValueError, "s.channelize_poly(x[0], x[0], 0)"),
    (ValueError, "s.channelize_poly(x[0], x[0], 11)"), (ValueError, "s.inverse_complex_cepstrum(1.0, 0)"),
    (np.exceptions.AxisError, "s.complex_cepstrum(x, axis=2)"), (ValueError, "s.real_cepstrum(x, 0)"),
    (ValueError, "s.firfilter(x, x)"), (ValueError, "s.firfilter_zi(x)"),
]


@pytest.mark.parametrize("kind, line", WRONG)
def test_wrong(kind, line):
    with raises(kind):
        eval(line, {"s": s, "cp": cp, "x": cp.asarray(values((3, 10)))})
