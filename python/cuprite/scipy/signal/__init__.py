"""scipy.signal on Cuprite's arrays: convolutions, filters, spectra, resampling, waveforms, windows.

What passes over a signal runs on its device. What designs filters and systems works on few numbers: SciPy computes it
on the host, where it is installed, and results are arrays of the current device."""
from __future__ import annotations

from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("windows",)
_LATER = {  # names: the modules that have them
    "abcd_normalize": "_design", "argrelextrema": "_extrema", "argrelmax": "_extrema", "argrelmin": "_extrema",
    "band_stop_obj": "_design", "bessel": "_design", "besselap": "_design", "bilinear": "_design",
    "bilinear_zpk": "_design", "bode": "_systems", "buttap": "_design", "butter": "_design", "buttord": "_design",
    "cheb1ap": "_design", "cheb1ord": "_design", "cheb2ap": "_design", "cheb2ord": "_design", "cheby1": "_design",
    "cheby2": "_design", "check_COLA": "_spectral", "check_NOLA": "_spectral", "chirp": "_waveforms",
    "choose_conv_method": "_convolution", "coherence": "_spectral", "cont2discrete": "_systems",
    "convolve": "_convolution", "convolve2d": "_convolution", "correlate": "_convolution",
    "correlate2d": "_convolution", "correlation_lags": "_convolution", "csd": "_spectral", "cwt": "_waveforms",
    "CZT": "_czt", "czt": "_czt", "czt_points": "_czt", "dbode": "_systems", "decimate": "_resampling",
    "deconvolve": "_filtering", "detrend": "_filtering", "dfreqresp": "_systems", "dimpulse": "_systems",
    "dlsim": "_systems", "dlti": "_systems", "dstep": "_systems", "ellip": "_design", "ellipap": "_design",
    "ellipord": "_design", "fftconvolve": "_convolution", "filtfilt": "_filtering", "find_peaks": "_peaks",
    "peak_prominences": "_peaks", "peak_widths": "_peaks", "findfreqs": "_design",
    "firls": "_design", "firwin": "_design", "firwin2": "_design", "firwin_2d": "_design", "freqresp": "_systems",
    "freqs": "_design", "freqs_zpk": "_design", "freqz": "_design", "freqz_sos": "_design", "freqz_zpk": "_design",
    "gammatone": "_design", "gauss_spline": "_waveforms", "gausspulse": "_waveforms", "get_window": "_by_name",
    "group_delay": "_design", "hilbert": "_filtering", "hilbert2": "_filtering", "iircomb": "_design",
    "iirdesign": "_design", "iirfilter": "_design", "iirnotch": "_design", "iirpeak": "_design",
    "impulse": "_systems", "invres": "_design", "invresz": "_design", "istft": "_spectral",
    "kaiser_atten": "_design", "kaiser_beta": "_design", "kaiserord": "_design", "lfilter": "_filtering",
    "lfilter_zi": "_filtering", "lfiltic": "_filtering", "lombscargle": "_spectral", "lp2bp": "_design",
    "lp2bp_zpk": "_design", "lp2bs": "_design", "lp2bs_zpk": "_design", "lp2hp": "_design", "lp2hp_zpk": "_design",
    "lp2lp": "_design", "lp2lp_zpk": "_design", "lsim": "_systems", "lti": "_systems", "max_len_seq": "_design",
    "minimum_phase": "_design", "morlet": "_waveforms", "morlet2": "_waveforms", "normalize": "_design",
    "oaconvolve": "_convolution", "periodogram": "_spectral", "place_poles": "_design", "qmf": "_waveforms",
    "remez": "_design", "resample": "_resampling", "resample_poly": "_resampling", "residue": "_design",
    "residuez": "_design", "ricker": "_waveforms", "savgol_coeffs": "_design", "sawtooth": "_waveforms",
    "sos2tf": "_design", "sos2zpk": "_design", "sosfilt": "_filtering", "sosfilt_zi": "_filtering",
    "sosfiltfilt": "_filtering", "sosfreqz": "_design", "spectrogram": "_spectral", "square": "_waveforms",
    "ss2tf": "_design", "ss2zpk": "_design", "StateSpace": "_systems", "step": "_systems", "stft": "_spectral",
    "sweep_poly": "_waveforms", "tf2sos": "_design", "tf2ss": "_design", "tf2zpk": "_design",
    "TransferFunction": "_systems", "unique_roots": "_design", "unit_impulse": "_waveforms",
    "upfirdn": "_resampling", "vectorstrength": "_spectral", "welch": "_spectral", "ZerosPolesGain": "_systems",
    "zoom_fft": "_czt", "ZoomFFT": "_czt", "zpk2sos": "_design", "zpk2ss": "_design", "zpk2tf": "_design",
}

__all__ = sorted([*_LATER, "windows"])


def __getattr__(name):
    import importlib
    if name == "windows":
        return importlib.import_module("cuprite.scipy.signal.windows")
    if name == "BadCoefficients":  # SciPy's class
        return importlib.import_module("cuprite.scipy.signal._by_scipy").scipy_signal().BadCoefficients
    if name not in _LATER:
        raise _missing(__name__, name)
    value = globals()[name] = getattr(importlib.import_module("cuprite.scipy.signal." + _LATER[name]), name)
    return value


__dir__ = _listing(__name__, *_LATER)
