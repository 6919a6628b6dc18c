"""cuprite.scipy.signal against SciPy: each line is computed by both, for several types and layouts. A result has
SciPy's type and shape, and its values within a few units of the largest one."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import raises

ss = pytest.importorskip("scipy.signal")
our_signal = cp.scipy.signal
r = np.random.default_rng(3)
DATA = {
    "x": r.standard_normal(1000), "y": r.standard_normal(1000), "short": r.standard_normal(37),
    "m": r.standard_normal((3, 200)), "c": r.standard_normal((150, 2, 3)), "z": r.standard_normal(300) + 1j
    * r.standard_normal(300), "i": r.integers(-50, 50, 400), "k": r.integers(-9, 9, (5, 7)), "one": np.ones(1),
    "f": r.standard_normal(500).astype("f4"), "b": np.array([0.2, 0.3, 0.1]), "a": np.array([1.0, -0.6, 0.2]),
    "h": r.standard_normal(20), "e": np.zeros(0), "cube": r.standard_normal((5, 6, 7)),
    "small": r.standard_normal((2, 3, 2)),
    "u": r.integers(0, 5, (4, 5, 3)).astype("u1"),
    "t": np.sort(r.uniform(0, 50, 300)), "im": r.standard_normal((40, 31)),
    "big": r.standard_normal((120, 130)),
    "flat": r.integers(0, 5, 300).astype(float), "holes": np.where(r.random(200) < 0.1, np.nan, r.standard_normal(200)),
}
SOS = ss.butter(5, 0.3, output="sos")
NAMES = {"np": np, "SOS": SOS}

LINES = """
s.lfilter(b, a, x)
s.lfilter(b, a, x[::-2])
s.lfilter(b, a, m, 1)
s.lfilter(b, a, c, 0)
s.lfilter(b, a, np.asfortranarray(m) if xp is np else xp.asfortranarray(m), axis=-1)
s.lfilter(b, a, f)
s.lfilter(b, a, z)
s.lfilter(b * 1j, a, x)
s.lfilter(b, [2.0], x)
s.lfilter(b, 2 * a, x, zi=b[:2])
s.lfilter(b, a, m, zi=m[:, :2])
s.lfilter(b, a, m, 1, zi=m[:1, :2])
s.lfilter(b, one, m, 1, zi=m[:, :2])
s.lfilter(b, a, e)
s.lfilter(b, a, i)
s.lfilter(h, a, x)
s.lfilter(b, h / h[0] * 0.5 ** xp.arange(20), short)
s.lfilter([1.0], [1.0, -1.0], x)
s.lfilter([1.0], [1.0, -2.0, 1.0], short)
s.lfilter_zi(b, a)
s.lfilter_zi(h, a)
s.lfiltic(b, a, [0.5, 0.2])
s.lfiltic(b, a, [0.5], [1.0, 2.0, 3.0])
s.lfiltic(h, a, [0.5, 0.1], h)
s.sosfilt(SOS, x)
s.sosfilt(SOS, c, axis=0)
s.sosfilt(SOS.astype('f4'), f)
s.sosfilt(SOS, z)
s.sosfilt(SOS, m, zi=xp.ones((3, 3, 2)))
s.sosfilt_zi(SOS)
s.filtfilt(b, a, x)
s.filtfilt(b, a, c, 0)
s.filtfilt(b, a, x, padtype='even')
s.filtfilt(b, a, x, padtype='constant', padlen=30)
s.filtfilt(b, a, x, padtype=None)
s.filtfilt(b, a, x, padlen=0)
s.filtfilt(b, a, m, method='gust')
s.filtfilt(b, a, x, method='gust', irlen=60)
s.filtfilt(b, 2.0, x, method='gust')
s.filtfilt(b, a, f)
s.sosfiltfilt(SOS, x)
s.sosfiltfilt(SOS, c, 0)
s.sosfiltfilt(SOS, x, padtype='even', padlen=12)
s.deconvolve(x[:30], b)
s.deconvolve(b, x[:30])
s.hilbert(x)
s.hilbert(m, axis=0)
s.hilbert(x, 333)
s.hilbert(x, 1200)
s.hilbert(f)
s.hilbert2(im)
s.hilbert2(im, 16)
s.hilbert2(im, (20, 31))
s.hilbert2(cube, axes=(0, 2))
s.detrend(x)
s.detrend(c, axis=0)
s.detrend(x, bp=[100, 500])
s.detrend(f, type='constant')
s.detrend(z)
s.detrend(m, type='l', bp=np.array([50]))
s.upfirdn(h, x)
s.upfirdn(h, x, 3, 2)
s.upfirdn(h, m, 1, 5)
s.upfirdn(h, c, 4, 1, axis=0)
s.upfirdn(h, x[:1], 7, 3)
s.upfirdn(h, z, 3, 7)
s.upfirdn(h.astype('f4'), f, 2, 3)
s.upfirdn([1.0, 1.0], i, 2)
s.upfirdn(h, short, 3, 2, mode='symmetric')
s.upfirdn(h, short, 3, 2, mode='reflect')
s.upfirdn(h, short, 3, 2, mode='edge')
s.upfirdn(h, short, 1, 2, mode='wrap')
s.upfirdn(h, short, 2, 5, mode='constant', cval=3.5)
s.upfirdn(h, m, 3, 2, mode='smooth')
s.upfirdn(h, short, 3, 2, mode='antisymmetric')
s.upfirdn(h, short, 2, 3, mode='antireflect')
s.upfirdn(h, short, 3, 2, mode='line')
s.upfirdn(h, short[:3], 1, 1, mode='antireflect')
s.resample_poly(x, 3, 2)
s.resample_poly(x, 20, 30)
s.resample_poly(x, 4, 4)
s.resample_poly(c, 2, 3)
s.resample_poly(m, 1, 3, axis=1)
s.resample_poly(x, 3, 7, window='hamming')
s.resample_poly(x, 3, 2, window=h[:7])
s.resample_poly(m, 3, 2, axis=1, padtype='mean')
s.resample_poly(m, 3, 2, axis=1, padtype='median')
s.resample_poly(m, 3, 2, axis=1, padtype='minimum')
s.resample_poly(x, 5, 2, padtype='line')
s.resample_poly(x, 5, 2, padtype='constant', cval=2.0)
s.resample_poly(f, 2, 1)
s.resample(x, 300)
s.resample(x, 1500)
s.resample(x, 999)
s.resample(x[:999], 500)
s.resample(x, 1000)
s.resample(z, 100)
s.resample(z, 400)
s.resample(z[:299], 400)
s.resample(m, 77, axis=1)
s.resample(x, 300, window='hann')
s.resample(z, 100, window=('kaiser', 3.0))
s.resample(x, 250, t=xp.arange(1000) / 10)
s.resample(f, 100)
s.decimate(x, 4)
s.decimate(x, 4, zero_phase=False)
s.decimate(x, 3, ftype='fir')
s.decimate(x, 3, 30, ftype='fir', zero_phase=False)
s.decimate(m, 5, axis=1)
s.convolve(x, h)
s.convolve(h, x, 'same')
s.convolve(x, h, 'valid')
s.convolve(h, x, 'valid')
s.convolve(x, y, method='fft')
s.convolve(i, k[0])
s.convolve(i, i, method='fft')
s.convolve(im, k)
s.convolve(im, k, 'same', 'direct')
s.convolve(im, im[:7, :6], 'valid')
s.convolve(cube, small)
s.convolve(cube, small, 'same', 'direct')
s.convolve(small, cube, 'valid', 'direct')
s.convolve(u, u[:2, :2, :2], method='direct')
s.convolve(z, h, 'same')
s.convolve(f, f[:9])
s.correlate(x, h)
s.correlate(h, x, 'same')
s.correlate(h, x, 'valid')
s.correlate(x, h, 'valid', 'direct')
s.correlate(z, z[:20] * 2)
s.correlate(cube, small, 'same')
s.correlate(im, k, method='direct')
s.correlate(i, i[:30], 'valid')
s.correlation_lags(10, 4)
s.correlation_lags(4, 10, 'same')
s.correlation_lags(10, 4, 'valid')
s.correlation_lags(4, 10, 'valid')
s.fftconvolve(x, h)
s.fftconvolve(m, m[:, :7], axes=1)
s.fftconvolve(m, m[:1, :7], 'same', axes=[1])
s.fftconvolve(cube, small, 'valid')
s.fftconvolve(z, x)
s.fftconvolve(f, f)
s.fftconvolve(e, x)
s.fftconvolve(i, i, 'same')
s.oaconvolve(x, h)
s.oaconvolve(x, h, 'same')
s.oaconvolve(h, x, 'same')
s.oaconvolve(x, h, 'valid')
s.oaconvolve(m, m[:, :7], axes=1)
s.oaconvolve(c, c[:9, :1], 'same', axes=0)
s.oaconvolve(cube, small)
s.oaconvolve(x, y[:600])
s.periodogram(x)
s.periodogram(x, 10.0, 'hann', scaling='spectrum')
s.periodogram(m, nfft=256, detrend='linear')
s.periodogram(x, nfft=300)
s.periodogram(z)
s.periodogram(x, return_onesided=False)
s.welch(x, nperseg=128)
s.welch(c, nperseg=50, axis=0)
s.welch(x, 5.0, nperseg=100, noverlap=20, nfft=128, detrend=False)
s.welch(x, nperseg=99, average='median')
s.welch(x, window=h, detrend='linear')
s.welch(z, nperseg=64)
s.welch(f, nperseg=64)
s.welch(x, nperseg=128, scaling='spectrum', return_onesided=False)
s.welch(e)
s.csd(x, y, nperseg=128)
s.csd(x, short, nperseg=32)
s.csd(m, x[:200], nperseg=64)
s.csd(x, y, nperseg=100, average='median')
s.coherence(x, y, nperseg=100)
s.spectrogram(x, nperseg=100)
s.spectrogram(m, 2.0, nperseg=64, mode='magnitude')
s.spectrogram(x, nperseg=64, mode='complex')
s.spectrogram(x, nperseg=64, mode='angle')
s.spectrogram(x, nperseg=64, mode='phase')
s.stft(x)
s.stft(x, nperseg=100, noverlap=75)
s.stft(c, nperseg=32, axis=0)
s.stft(x, nperseg=64, boundary='odd', padded=False)
s.stft(x, nperseg=64, boundary='even')
s.stft(x, nperseg=64, boundary=None, scaling='psd')
s.stft(z, nperseg=64, return_onesided=False)
s.istft(s.stft(x, nperseg=100)[2], nperseg=100)
s.istft(s.stft(m, nperseg=64)[2])[1]
s.istft(s.stft(c, nperseg=32, axis=0)[2], time_axis=-1, freq_axis=0)[1]
s.istft(s.stft(x, nperseg=64, scaling='psd')[2], scaling='psd')
s.istft(s.stft(z, nperseg=64, return_onesided=False)[2], input_onesided=False)
s.istft(s.stft(x, window='boxcar', nperseg=64, noverlap=0, boundary=None)[2], 1, 'boxcar', 64, 0, boundary=False)
s.check_COLA('hann', 64, 32)
s.check_COLA('hann', 64, 20)
s.check_NOLA('hann', 64, 0)
s.check_NOLA(('tukey', 0.5), 60, 10)
s.lombscargle(t, x[:300], xp.linspace(0.1, 5, 200))
s.lombscargle(t, x[:300], xp.linspace(0.1, 5, 50), normalize=True)
s.lombscargle(t, x[:300], xp.linspace(0.1, 5, 50), floating_mean=True, weights=abs(y[:300]))
s.lombscargle(t, x[:300], xp.linspace(0.1, 5, 50), normalize='amplitude', floating_mean=True)
s.lombscargle(t, x[:300], [1.5])
s.lombscargle(t, x[:300], one, normalize='amplitude')
s.csd(x, x[::-1] + 1j, nperseg=64, return_onesided=False)
s.csd(x + 1j, x, nperseg=64)
s.vectorstrength(t, 5.0)
s.vectorstrength(t, np.array([1.0, 2.0, 7.0]))
s.sawtooth(x)
s.sawtooth(x, 0.3)
s.sawtooth(x, 0)
s.sawtooth(x, 1.5)
s.sawtooth(i)
s.square(x)
s.square(x, 0.3)
s.square(x, xp.linspace(0, 1, 1000))
s.gausspulse(x, 5)
s.gausspulse(x, 5, retquad=True, retenv=True)
s.gausspulse('cutoff', 5)
s.chirp(x, 1, 10, 5)
s.chirp(x, 1, 10, 5, 'quadratic')
s.chirp(x, 1, 10, 5, 'quadratic', vertex_zero=False)
s.chirp(x, 1, 10, 5, 'log', 30)
s.chirp(x, 3, 10, 3, 'log')
s.chirp(x, 1, 10, 5, 'hyperbolic')
s.chirp(x, 1, 10, 5, complex=True)
s.sweep_poly(x, [0.1, 2, 1], 20)
s.sweep_poly(x, np.poly1d([0.5, 1]))
s.unit_impulse(5)
s.unit_impulse((4, 5), (1, 2), 'f4')
s.unit_impulse((4, 5), 'mid')
s.unit_impulse((3, 3), 1, int)
s.gauss_spline(x, 3)
s.czt(x)
s.czt(short, 60, 0.999 * np.exp(-0.1j), 1.1)
s.czt(c, 20, axis=0)
s.czt(z)
s.czt_points(7)
s.czt_points(7, 0.9, 2)
s.zoom_fft(x, [0.1, 0.4])
s.zoom_fft(m, 0.3, 50, fs=3, endpoint=True)
s.CZT(37, 9)(short)
s.CZT(37, 9).points()
s.ZoomFFT(37, [0.2, 0.5], 12)(short)
s.argrelextrema(x, xp.greater)
s.argrelextrema(m, xp.less, axis=1, order=3)
s.argrelmax(c, mode='wrap')
s.argrelmin(i, order=2)
s.find_peaks(x)
s.find_peaks(flat)
s.find_peaks(flat, plateau_size=2)
s.find_peaks(flat, plateau_size=(1, 3), height=(None, 3))
s.find_peaks(x, height=0.5)
s.find_peaks(x, height=abs(y))
s.find_peaks(x, height=(xp.zeros(1000), abs(y)))
s.find_peaks(x, threshold=0.3)
s.find_peaks(x, threshold=(None, 2.0))
s.find_peaks(x, distance=5)
s.find_peaks(x, distance=17.3)
s.find_peaks(x, distance=4, prominence=1)
s.find_peaks(x, prominence=1)
s.find_peaks(x, prominence=(0.5, 2), wlen=20)
s.find_peaks(x, width=2)
s.find_peaks(x, width=(1, 4), rel_height=0.8, height=0, distance=3, threshold=0.1)
s.find_peaks(holes, height=0, prominence=0)
s.find_peaks(e)
s.find_peaks(i)
s.find_peaks(b)
s.find_peaks(short[::-1], prominence=0.2)
s.peak_prominences(x, [3, 10, 999, 0])
s.peak_prominences(flat, xp.arange(300), 7.2)
s.peak_prominences(x, [])
s.peak_widths(x, [3, 10, 900], 0.7)
s.peak_widths(flat, s.find_peaks(flat)[0], 1)
s.peak_widths(x, [3, 10], 0.5, s.peak_prominences(x, [3, 10], 5))
s.peak_widths(x, [3, 10], 0)
s.symiirorder1(x, 0.7, 0.3)
s.symiirorder1(m, 0.7, -0.6)
s.symiirorder1(z, 0.5, 0.2)
s.symiirorder2(x, 0.5, 0.7, 1e-28)
s.symiirorder2(m, 0.6, 2.0, 1e-28)
s.symiirorder2(m, 0.6, 0.0, 1e-28)
s.cspline1d(x)
s.cspline1d(x, 3.0)
s.qspline1d(x)
s.cspline1d_eval(short, xp.linspace(-60, 80, 300))
s.cspline1d_eval(short, xp.linspace(2, 9, 30), 0.25, 3.0)
s.qspline1d_eval(short, xp.linspace(-60, 80, 300))
s.cspline2d(big, 0.0, 1e-28)
s.cspline2d(big, 0.1, 1e-20)
s.qspline2d(big, 0.0, 1e-28)
s.sepfir2d(im, [1.0, 2.0, 3.0], [0.5, 1.0, 0.0, 0.2, 0.1])
s.order_filter(im, np.ones((3, 3)), 2)
s.order_filter(i, np.array([1, 0, 1]), 1)
s.medfilt(x)
s.medfilt(x, 7)
s.medfilt(i, 5)
s.medfilt(im, (3, 5))
s.medfilt(cube, 3)
s.medfilt2d(im)
s.medfilt2d(im.astype('f4'), [5, 3])
s.wiener(im)
s.wiener(im, (5, 4), 0.3)
s.wiener(x, 7)
s.savgol_filter(x, 7, 2)
s.savgol_filter(x, 8, 3, mode='nearest')
s.savgol_filter(c, 5, 2, deriv=1, delta=0.5, axis=0)
s.savgol_filter(m, 9, 4, mode='mirror', axis=1)
s.savgol_filter(x, 5, 1, mode='constant', cval=2.0)
s.savgol_filter(x, 5, 1, mode='wrap')
s.savgol_filter(f, 5, 2)
s.butter(4, 0.2)
s.butter(4, [0.2, 0.4], 'band', output='zpk')
s.firwin(21, 0.3)
s.freqz(b, a)
s.freqz(b, a, xp.linspace(0, 3, 9))
s.group_delay((b, a))
s.zpk2sos([0.5, -0.5], [0.1, 0.2], 2.0)
s.tf2zpk(b, a)
s.residue(b, a)
s.unique_roots([1.0, 1.0001, 3.0])
s.savgol_coeffs(5, 2)
s.max_len_seq(5)
s.kaiserord(60, 0.1)
s.minimum_phase(xp.asarray(ss.firwin(21, 0.3)))
s.TransferFunction(b, a).poles
s.TransferFunction(b, a).to_zpk().gain
s.lti([1.0], [1.0, 2.0, 3.0]).to_ss().A
s.step(([1.0], [1.0, 2.0, 3.0]), N=20)
s.impulse(s.lti([1.0], [1.0, 2.0, 3.0]), N=20)
s.dlsim(([1.0], [1.0, -0.5], 1), x[:20])
s.bode(([1.0], [1.0, 2.0]), n=10)
s.cont2discrete(([1.0], [1.0, 2.0]), 0.1)
s.dlti(b, a, dt=0.5).impulse(n=6)
""".strip().split("\n")


def evaluated(line, xp):
    """The line's value: of SciPy's functions of NumPy's arrays, or of ours."""
    at = {n: cp.asarray(v) if xp is cp else v for n, v in DATA.items()}
    s = our_signal if xp is cp else ss
    sos = {"SOS": cp.asarray(SOS)} if xp is cp else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(line, {**NAMES, **at, **sos, "s": s, "xp": xp, "ss": ss})


def compared(got, want, line):
    if isinstance(want, dict):
        assert list(got) == list(want)
        got, want = list(got.values()), list(want.values())
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            compared(g, w, line)
    elif isinstance(want, np.ndarray):
        assert isinstance(got, cp.ndarray) and got.shape == want.shape
        got = got.get()
        assert got.dtype == want.dtype
        if want.dtype.kind in "fc" and want.size:
            scale = np.nanmax(np.abs(np.where(np.isfinite(want), want, 0)))
            bound = (3e-5 if want.dtype.char in "fF" else 1e-10) * max(scale, 1e-300)
            np.testing.assert_array_equal(np.isnan(got), np.isnan(want))
            np.testing.assert_allclose(got, want, rtol=0, atol=bound)
        else:
            np.testing.assert_array_equal(got, want)
    elif isinstance(want, (float, complex, np.number)):
        np.testing.assert_allclose(complex(got), complex(want), rtol=1e-10)
    else:
        assert got == want


@pytest.mark.parametrize("line", LINES)
def test_line(line):
    compared(evaluated(line, cp), evaluated(line, np), line)


WRONG = """
s.lfilter(b, [0.0, 1.0], x)
s.lfilter([], a, x)
s.lfilter(b, a, 1.0)
s.lfilter(m, a, x)
s.lfilter(b, a, x, zi=xp.ones(5))
s.sosfilt(m, x)
s.sosfilt(SOS * 2, x)
s.sosfilt(SOS, x, zi=xp.ones((2, 2)))
s.sosfilt_zi(m)
s.lfilter_zi(m, a)
s.lfiltic(b, [0.0, 1.0], b)
s.filtfilt(b, a, x, padtype='other')
s.filtfilt(b, a, x, padlen=1000)
s.filtfilt(b, a, b)
s.filtfilt(b, a, x, method='other')
s.hilbert(z)
s.hilbert(x, 0)
s.hilbert2(im, -1)
s.hilbert2(im, axes=(0, 0))
s.hilbert2(im, axes=(0, 1, 2))
s.detrend(x, type='other')
s.detrend(x, bp=2000)
s.upfirdn(h, x, 0)
s.upfirdn(h, x, 1, 0)
s.upfirdn(m, x)
s.upfirdn(e, x)
s.upfirdn(h, x, mode='other')
s.resample_poly(x, 0, 1)
s.resample_poly(x, 3, 2, padtype='other')
s.resample_poly(x, 3, 2, padtype='mean', cval=1)
s.resample(x, 10, domain='other')
s.resample(x, 10, window=b)
s.decimate(x, 3, ftype='other')
s.convolve(x, m)
s.convolve(x, h, 'other')
s.convolve(x, h, method='other')
s.correlate(x, m)
s.correlate(cube, im[:, :, None], 'valid')
s.fftconvolve(x, m)
s.fftconvolve(m, m[:2], axes=1)
s.fftconvolve(x, h, axes=[])
s.fftconvolve(x, h, axes=3)
s.oaconvolve(x, h, 'other')
s.correlation_lags(3, 2, 'other')
s.welch(x, nperseg=0)
s.welch(x, nperseg=64, noverlap=64)
s.welch(x, nperseg=64, nfft=32)
s.welch(x, nperseg=64, scaling='other')
s.welch(x, nperseg=64, average='other')
s.welch(x, -2.0, nperseg=64)
s.welch(short, window=x)
s.stft(x, boundary='other')
s.stft(x, scaling='other')
s.istft(x)
s.istft(im, nperseg=10, noverlap=10)
s.spectrogram(x, mode='other')
s.check_COLA('hann', 0, 0)
s.check_NOLA('hann', 10, 10)
s.lombscargle(t, x, t)
s.lombscargle(t, t, t, normalize='other')
s.vectorstrength(im, 1.0)
s.vectorstrength(t, -1.0)
s.gausspulse(x, -1)
s.gausspulse('other')
s.chirp(x, 1, 1, 1, 'other')
s.chirp(x, -1, 1, 1, 'log')
s.czt(x, 0)
s.zoom_fft(x, [0.1, 0.2, 0.3])
s.czt_points(-1)
s.argrelextrema(x, xp.greater, order=0)
s.symiirorder1(x, 1, 1.5)
s.symiirorder1(cube, 1, 0.5)
s.symiirorder2(x, 1.5, 1)
s.qspline1d(x, 1.0)
s.cspline1d_eval(e, x)
s.qspline2d(im, 1.0)
s.spline_filter(i)
s.order_filter(im, np.ones((2, 3)), 2)
s.medfilt(x, 4)
s.medfilt(im, (3, 3, 3))
s.medfilt2d(x)
s.savgol_filter(x, 7, 2, mode='other')
s.savgol_filter(x, 5, 7)
s.savgol_filter(short, 39, 2)
s.butter(4, 2.0)
s.find_peaks(m)
s.find_peaks(x, distance=0.5)
s.find_peaks(x, height=xp.ones(3))
s.find_peaks(x, prominence=1, wlen=1)
s.peak_prominences(x, [1000])
s.peak_prominences(x, [-1])
s.peak_prominences(x, [1.5])
s.peak_prominences(x, [[1]])
s.peak_prominences(m, [1])
s.peak_widths(x, [3], -1)
s.peak_widths(x, [3], 0.5, (xp.ones(2), xp.asarray([1, 1]), xp.asarray([4, 4])))
s.peak_widths(x, [3], 0.5, (xp.ones(1), xp.asarray([4]), xp.asarray([5])))
s.peak_widths(x, [3], 0.5, (xp.ones(1), xp.asarray([1]), xp.asarray([1000])))
""".strip().split("\n")


@pytest.mark.parametrize("line", WRONG)
def test_wrong(line):
    try:
        evaluated(line, np)
    except Exception as theirs:
        kind = {np.exceptions.AxisError: np.exceptions.AxisError}.get(type(theirs), type(theirs))
    else:
        pytest.fail(f"SciPy takes {line}")
    with raises(kind):
        evaluated(line, cp)


def test_splines_are_exact():
    """SciPy's first states are sums that end early, to 1e-6 in spline_filter; and of one sample it forgets a factor."""
    x, h = DATA["big"], np.array([1, 4, 1]) / 6
    exact = ss.sepfir2d(ss.cspline2d(x, 0.1, 1e-15), h, h)
    for kind, bound in (("f8", 1e-6), ("f4", 1e-5), ("D", 1e-6)):
        got = our_signal.spline_filter(cp.asarray(x.astype(kind)), 0.1)
        assert got.dtype == kind
        np.testing.assert_allclose(got.get(), exact, rtol=0, atol=bound)
    assert our_signal.cspline1d(cp.asarray([2.0])).get() == our_signal.qspline1d(cp.asarray([2.0])).get() == 2
    t = np.arange(50.0)
    values = our_signal.cspline1d_eval(our_signal.cspline1d(cp.asarray(x[0, :50])), cp.asarray(t)).get()
    np.testing.assert_allclose(values, x[0, :50], atol=1e-13)


@pytest.mark.parametrize("r, omega", [(0.5, 0.7), (0.6, 0.0), (0.6, np.pi), (0.8, 2.5)])
def test_symiirorder2_is_the_filter_of_the_mirrored_signal(r, omega):
    """Where the poles are negative and equal, SciPy's last elements are others."""
    x = DATA["x"][:200]
    whole = np.concatenate([x[::-1], x, x[::-1]])
    b, a = [1 - 2 * r * np.cos(omega) + r * r], [1, -2 * r * np.cos(omega), r * r]
    want = ss.lfilter(b, a, ss.lfilter(b, a, whole)[::-1])[::-1][200:400]
    np.testing.assert_allclose(our_signal.symiirorder2(cp.asarray(x), r, omega).get(), want, atol=1e-9)


def test_leading_zeros_of_a_denominator_are_dropped():
    """As SciPy did; from version 1.18 on it is a ValueError there."""
    got = our_signal.lfilter_zi([1.0], [0.0, 2.0, 1.0])
    compared(got, ss.lfilter_zi([1.0], [2.0, 1.0]), "lfilter_zi")


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("rows, n", [(1, 70001), (3, 4100), (2, 2048)])
@pytest.mark.parametrize("order", range(1, 11))
def test_long_rows(char, rows, n, order):
    """Rows that are cut into chunks, with states before and behind; of every order that has a way of its own."""
    r = np.random.default_rng(n + order)
    kind = "f" if char in "fF" else "d"
    poles = 0.95 * np.exp(1j * np.linspace(0.2, 2.5, order // 2))
    a = np.poly(np.concatenate([poles, poles.conj(), [0.8] * (order % 2)])).real.astype(kind)
    b = r.standard_normal(order + 1).astype(kind)
    x, zi = (r.standard_normal((rows, k)) + (1j * r.standard_normal((rows, k)) if char in "FD" else 0)
             for k in (n, order))
    x, zi = x.astype(char), zi.astype(char)
    got = our_signal.lfilter(*(cp.asarray(v) for v in (b, a, x)), zi=cp.asarray(zi))
    want = ss.lfilter(b.astype("D" if char in "FD" else "d"), a.astype("d"), x.astype("D"), zi=zi.astype("D"))
    compared(got, tuple(v.astype(char) if char in "FD" else v.real.astype(char) for v in want), "lfilter")
    if rows == 3:
        x[1, n // 2] = np.nan  # from there on the row is NaN, and that row alone
        y = our_signal.lfilter(cp.asarray(b), cp.asarray(a), cp.asarray(x)).get()
        assert np.isnan(y[1, n // 2:]).all() and np.isnan(y).sum() == n - n // 2


@pytest.mark.parametrize("char", "fdFD")
@pytest.mark.parametrize("sections", range(1, 10))
def test_long_rows_through_sections(char, sections):
    r = np.random.default_rng(sections)
    n, kind = 9001, "f" if char in "fF" else "d"
    angles, radii = np.linspace(0.3, 2.5, sections), np.linspace(0.8, 0.95, sections)
    one, zero = np.ones(sections), np.zeros(sections)
    sos = np.stack([0.4 * one, 0.1 * one, zero, one, -2 * radii * np.cos(angles), radii ** 2], 1).astype(kind)
    x, zi = ((r.standard_normal(k) + (1j * r.standard_normal(k) if char in "FD" else 0)).astype(char)
             for k in ((2, n), (sections, 2, 2)))
    got = our_signal.sosfilt(cp.asarray(sos), cp.asarray(x), zi=cp.asarray(zi))
    want = ss.sosfilt(sos.astype("d"), x.astype("D"), zi=zi.astype("D"))
    compared(got, tuple(v.astype(char) if char in "FD" else v.real.astype(char) for v in want), "sosfilt")


@pytest.mark.parametrize("char, bound", [("f", 2e-4), ("d", 2e-12), ("F", 2e-4), ("D", 2e-12)])
@pytest.mark.parametrize("cutoff", [0.1, 0.02])
def test_sections_whose_gains_differ(device, char, bound, cutoff):
    """The first section's state grows by 1e4 to 1e9 behind the others: rows are cut into chunks all the same."""
    r, n = np.random.default_rng(2), 30000
    sos = ss.butter(8, cutoff, output="sos")
    x = (r.standard_normal((3, n)) + (1j * r.standard_normal((3, n)) if char in "FD" else 0)).astype(char)
    zi = (r.standard_normal((4, 3, 2)) * np.array([1e-6, 1e-4, 1e-2, 1])[:, None, None]).astype(char)
    sos = sos.astype("f" if char in "fF" else "d")
    got = our_signal.sosfilt(cp.asarray(sos), cp.asarray(x), zi=cp.asarray(zi))
    want = ss.sosfilt(sos.astype("d"), x.astype("D"), zi=zi.astype("D"))
    for mine, theirs in zip(got, want):
        assert mine.dtype == char
        np.testing.assert_allclose(mine.get(), theirs, rtol=0, atol=bound * np.abs(theirs).max())


def test_filters_that_resampling_keeps(device):
    """One filter serves many calls, also from windows that have no hash; long ones are not kept."""
    from cuprite.scipy.signal import _resampling
    x = np.random.default_rng(3).standard_normal(40)
    for window in (("kaiser", 5.0), ("kaiser", np.array(5.0)), "hann", ("kaiser", 5.0)):
        for _ in range(2):
            got = our_signal.resample_poly(cp.asarray(x), 7, 3, window=window)
            np.testing.assert_allclose(got.get(), ss.resample_poly(x, 7, 3, window=window), rtol=1e-10, atol=1e-12)
            got *= 0
    kept = _resampling._kept_lowpass.cache_info()
    got = our_signal.resample_poly(cp.asarray(x), 5003, 5000)
    np.testing.assert_allclose(got.get(), ss.resample_poly(x, 5003, 5000), rtol=1e-10, atol=1e-12)
    assert _resampling._kept_lowpass.cache_info().currsize == kept.currsize


def test_growing_filters():
    """Such rows are not cut."""
    x = np.random.default_rng(1).standard_normal(3000)
    for b, a in (([1.0], [1.0, -1.01]), ([1.0], [1.0, -2.0, 1.0]), ([1.0, 2.0], [1.0, -1.0])):
        got = our_signal.lfilter(*(cp.asarray(v) for v in (b, a, x)))
        compared(got, ss.lfilter(b, a, x), "lfilter")


@pytest.mark.parametrize("view", [lambda d: d, lambda d: d[...], lambda d: d[..., ::-1][..., ::-1]])
def test_a_function_that_gives_back_its_segments(view):
    """They overlap in the signal, which must stay as it was."""
    x = cp.asarray(DATA["x"])
    got = our_signal.welch(x, nperseg=64, detrend=view)[1].get()
    np.testing.assert_array_equal(x.get(), DATA["x"])
    np.testing.assert_allclose(got, ss.welch(DATA["x"], nperseg=64, detrend=False)[1], rtol=1e-10)


@pytest.mark.parametrize("fs, nperseg, nfft", [(1e30, 65, None), (3, 1, 1), (2, 2, 2), (1.5, 64, 99)])
def test_scales_of_spectra(fs, nperseg, nfft):
    for name, options in (("welch", {}), ("welch", {"scaling": "spectrum"}), ("periodogram", {}),
                          ("welch", {"return_onesided": False}), ("spectrogram", {"mode": "magnitude"})):
        more = {} if name == "periodogram" else {"nperseg": nperseg, "noverlap": nperseg // 2, "nfft": nfft}
        want = getattr(ss, name)(DATA["x"], fs, **more, **options)
        compared(getattr(our_signal, name)(cp.asarray(DATA["x"]), fs, **more, **options), want, name)


@pytest.mark.parametrize("n, count, span", [(1, 1, 1), (3, 2000, 10), (129, 5, 10), (5000, 1, 100), (20000, 3, 1e5),
                                            (1000, 600, 50)])
def test_trigonometric_sums(n, count, span):
    """What lombscargle adds up, of few times and many frequencies and the other way round."""
    r = np.random.default_rng(n)
    x, f, w, v = r.uniform(0, span, n), r.uniform(0, 10, count), r.random(n), r.standard_normal(n)
    got = cp._signal.trigonometric_sums(*(cp.asarray(a) for a in (x, f, w, v)))
    c, s = np.cos(f[:, None] * x), np.sin(f[:, None] * x)
    want = np.stack([c @ w, s @ w, c @ v, s @ v, (c * c) @ w, (c * s) @ w])
    assert got.shape == (6, count) and got.dtype == float
    np.testing.assert_allclose(got.get(), want, rtol=0, atol=1e-13 * n)


@pytest.mark.parametrize("what, kind", [((np.ones((2, 2)), np.ones(2), np.ones(2), np.ones(2)), ValueError),
                                        ((np.ones(3), np.ones(2), np.ones(2), np.ones(3)), ValueError),
                                        ((np.ones(3), np.ones(2), np.ones(3), np.ones(2)), ValueError),
                                        ((1j * np.ones(3), np.ones(2), np.ones(3), np.ones(3)), TypeError)])
def test_trigonometric_sums_refuse(what, kind):
    with pytest.raises(kind):
        cp._signal.trigonometric_sums(*(cp.asarray(a) for a in what))
