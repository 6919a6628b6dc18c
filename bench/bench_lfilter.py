"""scipy.signal's filters, spectra, resampling and peaks: 10^6 samples of float64, images of 2048^2 float32."""
import numpy as np

from common import Case


def libraries(b):
    """(array library, its scipy.signal) of the peer."""
    if b.gpu and not b.cupy:
        return None, None
    if b.gpu:
        from cupyx.scipy import signal
        return b.cupy, signal
    from scipy import signal
    return np, signal


def calls(s, x, many, image, host):
    """(name, call, least bytes, least operations) of a module and its arrays; `host` turns NumPy's into its own."""
    import scipy.signal as design
    n, pixels = x.size, image.size
    b, a = (host(c) for c in design.butter(4, 0.1))
    sos, taps = host(design.butter(8, 0.1, output="sos")), host(design.firwin(64, 0.3))
    times, places = host(np.sort(np.random.default_rng(2).uniform(0, 100, 4000))), host(np.linspace(0.1, 10, 4000))
    long, kernel = host(np.random.default_rng(3).normal(0, 1, 5000)), image[:63, :63]
    log = np.log2(n)
    yield "fftconvolve, 10^6 and 10^5", lambda: s.fftconvolve(x, x[:100000]), 24 * n, 7.5 * n * log
    yield "fftconvolve, 2048^2 and 63^2 float32", lambda: s.fftconvolve(image, kernel, "same"), 8 * pixels, \
        7.5 * pixels * 22
    yield "oaconvolve, 10^6 and 5000", lambda: s.oaconvolve(x, long), 16 * n, 0
    yield "correlate, direct, 10^6 and 64", lambda: s.correlate(x, taps, method="direct"), 16 * n, 128 * n
    yield "lfilter, order 4", lambda: s.lfilter(b, a, x), 16 * n, 17 * n
    yield "sosfilt, 64 x 20000, 4 sections", lambda: s.sosfilt(sos, many), 16 * many.size, 36 * many.size
    yield "sosfiltfilt, 4 sections", lambda: s.sosfiltfilt(sos, x), 32 * n, 72 * n
    one = host(np.ones(1))
    yield "lfilter, 64 taps", lambda: s.lfilter(taps, one, x), 16 * n, 128 * n
    yield "resample to 3/4", lambda: s.resample(x, 750000), 14 * n, 0
    yield "resample_poly 3/2", lambda: s.resample_poly(x, 3, 2), 20 * n, 0
    yield "upfirdn 3/2, 64 taps", lambda: s.upfirdn(taps, x, 3, 2), 20 * n, 2 * 64 * n / 2
    yield "spectrogram, 256", lambda: s.spectrogram(x, nperseg=256), 16 * n, 0
    yield "welch, 1024", lambda: s.welch(x, nperseg=1024), 8 * n, 0
    yield "stft, 256", lambda: s.stft(x, nperseg=256), 24 * n, 0
    yield "hilbert", lambda: s.hilbert(x), 24 * n, 7.5 * n * log
    yield "detrend", lambda: s.detrend(x), 16 * n, 0
    yield "medfilt, 5", lambda: s.medfilt(x, 5), 16 * n, 0
    yield "medfilt2d, 5 x 5, 2048^2 float32", lambda: s.medfilt2d(image, 5), 8 * pixels, 0
    yield "wiener, 5 x 5, 2048^2 float32", lambda: s.wiener(image, 5), 8 * pixels, 0
    yield "savgol_filter, 11", lambda: s.savgol_filter(x, 11, 3), 16 * n, 22 * n
    yield "find_peaks, prominence 1", lambda: s.find_peaks(x, prominence=1), 8 * n, 0
    yield "czt, 10^5 places", lambda: s.zoom_fft(x[:100000], [0.1, 0.2]), 0, 0
    yield "lombscargle, 4000 x 4000", lambda: s.lombscargle(times, x[:4000], places), 0, 0


def cases(b):
    cp = b.cp
    ours, (xp, theirs) = cp.scipy.signal, libraries(b)
    rng = np.random.default_rng(1)
    data = rng.normal(0, 1, 10**6), rng.normal(0, 1, (64, 20000)), rng.normal(0, 1, (2048, 2048)).astype("float32")
    mine = calls(ours, *(cp.asarray(v) for v in data), cp.asarray)
    others = calls(theirs, *(xp.asarray(v) for v in data), xp.asarray) if xp is not None else None
    for name, call, bytes_, operations in mine:
        peers = b.array_peer(next(others)[1]) if others else {}
        yield Case(name, call, peers, bytes=bytes_, operations=operations, bar=3 if b.gpu else 5,
                   against="cupy" if b.gpu else "numpy")
