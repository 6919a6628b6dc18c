"""scipy.signal on Cuprite's arrays: convolutions, filters, spectra, resampling, waveforms, windows.

What passes over a signal runs on its device. What designs filters and systems works on few numbers: SciPy computes it
on the host, where it is installed, and results are arrays of the arguments' device, or of the current one."""
from __future__ import annotations

from cuprite._beside import beside_in as _beside_in
from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("windows",)
_LATER = {  # names: the modules that have them
    "abcd_normalize": "_design", "argrelextrema": "_extrema", "argrelmax": "_extrema", "argrelmin": "_extrema",
    "band_stop_obj": "_design", "bessel": "_design", "besselap": "_design", "bilinear": "_design",
    "bilinear_zpk": "_design", "bode": "_systems", "buttap": "_design", "butter": "_design", "buttord": "_design",
    "cheb1ap": "_design", "cheb1ord": "_design", "cheb2ap": "_design", "cheb2ord": "_design", "cheby1": "_design",
    "cheby2": "_design", "check_COLA": "_spectral", "check_NOLA": "_spectral", "chirp": "_waveforms",
    "choose_conv_method": "_convolution", "closest_STFT_dual_window": "_short_time", "coherence": "_spectral",
    "cont2discrete": "_systems", "convolve": "_convolution", "convolve2d": "_convolution", "correlate": "_convolution",
    "correlate2d": "_convolution", "correlation_lags": "_convolution", "csd": "_spectral", "cspline1d": "_splines",
    "cspline1d_eval": "_splines", "cspline2d": "_splines", "cwt": "_waveforms", "CZT": "_czt", "czt": "_czt",
    "czt_points": "_czt", "dbode": "_systems", "decimate": "_resampling", "deconvolve": "_filtering",
    "detrend": "_filtering", "dfreqresp": "_systems", "dimpulse": "_systems", "dlsim": "_systems", "dlti": "_systems",
    "dstep": "_systems", "ellip": "_design", "ellipap": "_design", "ellipord": "_design", "envelope": "_envelope",
    "fftconvolve": "_convolution", "filtfilt": "_filtering", "find_peaks": "_peaks", "find_peaks_cwt": "_ridges",
    "findfreqs": "_design", "firls": "_design", "firwin": "_design", "firwin2": "_design", "firwin_2d": "_design",
    "freqresp": "_systems", "freqs": "_design", "freqs_zpk": "_design", "freqz": "_design", "freqz_sos": "_design",
    "freqz_zpk": "_design", "gammatone": "_design", "gauss_spline": "_waveforms", "gausspulse": "_waveforms",
    "get_window": "_by_name", "group_delay": "_design", "hilbert": "_filtering", "hilbert2": "_filtering",
    "iircomb": "_design", "iirdesign": "_design", "iirfilter": "_design", "iirnotch": "_design", "iirpeak": "_design",
    "impulse": "_systems", "invres": "_design", "invresz": "_design", "istft": "_spectral", "kaiser_atten": "_design",
    "kaiser_beta": "_design", "kaiserord": "_design", "lfilter": "_filtering", "lfilter_zi": "_filtering",
    "lfiltic": "_filtering", "lombscargle": "_spectral", "lp2bp": "_design", "lp2bp_zpk": "_design", "lp2bs": "_design",
    "lp2bs_zpk": "_design", "lp2hp": "_design", "lp2hp_zpk": "_design", "lp2lp": "_design", "lp2lp_zpk": "_design",
    "lsim": "_systems", "lti": "_systems", "max_len_seq": "_design", "medfilt": "_smoothing", "medfilt2d": "_smoothing",
    "minimum_phase": "_design", "morlet": "_waveforms", "morlet2": "_waveforms", "normalize": "_design",
    "oaconvolve": "_convolution", "order_filter": "_smoothing", "peak_prominences": "_peaks", "peak_widths": "_peaks",
    "periodogram": "_spectral", "place_poles": "_design", "qmf": "_waveforms", "qspline1d": "_splines",
    "qspline1d_eval": "_splines", "qspline2d": "_splines", "remez": "_design", "resample": "_resampling",
    "resample_poly": "_resampling", "residue": "_design", "residuez": "_design", "ricker": "_waveforms",
    "savgol_coeffs": "_design", "savgol_filter": "_smoothing", "sawtooth": "_waveforms", "sepfir2d": "_splines",
    "ShortTimeFFT": "_short_time", "sos2tf": "_design", "sos2zpk": "_design", "sosfilt": "_filtering",
    "sosfilt_zi": "_filtering", "sosfiltfilt": "_filtering", "sosfreqz": "_design", "spectrogram": "_spectral",
    "spline_filter": "_splines", "square": "_waveforms", "ss2tf": "_design", "ss2zpk": "_design",
    "StateSpace": "_systems", "step": "_systems", "stft": "_spectral", "sweep_poly": "_waveforms",
    "symiirorder1": "_splines", "symiirorder2": "_splines", "tf2sos": "_design", "tf2ss": "_design",
    "tf2zpk": "_design", "TransferFunction": "_systems", "unique_roots": "_design", "unit_impulse": "_waveforms",
    "upfirdn": "_resampling", "vectorstrength": "_spectral", "welch": "_spectral", "wiener": "_smoothing",
    "ZerosPolesGain": "_systems", "zoom_fft": "_czt", "ZoomFFT": "_czt", "zpk2sos": "_design", "zpk2ss": "_design",
    "zpk2tf": "_design",
}


def __getattr__(name):
    import importlib
    if name == "windows":
        return importlib.import_module("cuprite.scipy.signal.windows")
    if name == "BadCoefficients":  # SciPy's class
        return importlib.import_module("cuprite.scipy.signal._by_scipy").scipy_signal().BadCoefficients
    if name not in _LATER:
        raise _missing(__name__, name)
    module = importlib.import_module("cuprite.scipy.signal." + _LATER[name])
    value = globals()[name] = _beside_in(module, name)
    return value


__dir__ = _listing(__name__, *_LATER, "windows")
