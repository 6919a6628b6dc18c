"""Design of filters, and their forms: SciPy's, of few numbers."""
from __future__ import annotations

import math

from cuprite import ndarray
from cuprite.scipy.signal._by_scipy import by_scipy


@by_scipy
def abcd_normalize(A=None, B=None, C=None, D=None) -> tuple[ndarray, ...]:
    """Matrices of a state-space system, with zeros for those that are missing."""


@by_scipy
def band_stop_obj(wp, ind, passb, stopb, gpass, gstop, type) -> float:
    """What buttord, cheb1ord and others minimise for a band that is stopped."""


@by_scipy
def bessel(N, Wn, btype="low", analog=False, output="ba", norm="phase", fs=None) -> ndarray | tuple[ndarray, ...]:
    """Bessel's filter."""


@by_scipy
def besselap(N, norm="phase") -> tuple[ndarray, ...]:
    """Zeros, poles and gain of Bessel's analog filter of order N."""


@by_scipy
def bilinear(b, a, fs=1.0) -> tuple[ndarray, ...]:
    """A digital filter of an analog one, by the bilinear transform."""


@by_scipy
def bilinear_zpk(z, p, k, fs) -> tuple[ndarray, ...]:
    """The same of zeros, poles and gain."""


@by_scipy
def buttap(N) -> tuple[ndarray, ...]:
    """Zeros, poles and gain of Butterworth's analog filter of order N."""


@by_scipy
def butter(N, Wn, btype="low", analog=False, output="ba", fs=None) -> ndarray | tuple[ndarray, ...]:
    """Butterworth's filter."""


@by_scipy
def buttord(wp, ws, gpass, gstop, analog=False, fs=None) -> tuple[int, ndarray]:
    """(order, frequency) of the Butterworth filter that meets the limits."""


@by_scipy
def cheb1ap(N, rp) -> tuple[ndarray, ...]:
    """Zeros, poles and gain of Chebyshev's analog filter of the first kind."""


@by_scipy
def cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None) -> tuple[int, ndarray]:
    """(order, frequency) of the Chebyshev filter of the first kind that meets the limits."""


@by_scipy
def cheb2ap(N, rs) -> tuple[ndarray, ...]:
    """Zeros, poles and gain of Chebyshev's analog filter of the second kind."""


@by_scipy
def cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None) -> tuple[int, ndarray]:
    """(order, frequency) of the Chebyshev filter of the second kind that meets the limits."""


@by_scipy
def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None) -> ndarray | tuple[ndarray, ...]:
    """Chebyshev's filter of the first kind: ripples where it passes."""


@by_scipy
def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None) -> ndarray | tuple[ndarray, ...]:
    """Chebyshev's filter of the second kind: ripples where it stops."""


@by_scipy
def ellip(N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None) -> ndarray | tuple[ndarray, ...]:
    """The elliptic (Cauer) filter."""


@by_scipy
def ellipap(N, rp, rs) -> tuple[ndarray, ...]:
    """Zeros, poles and gain of the elliptic analog filter."""


@by_scipy
def ellipord(wp, ws, gpass, gstop, analog=False, fs=None) -> tuple[int, ndarray]:
    """(order, frequency) of the elliptic filter that meets the limits."""


@by_scipy
def findfreqs(num, den, N, kind="ba") -> ndarray:
    """Angular frequencies that show an analog filter's response."""


@by_scipy
def firls(numtaps, bands, desired, weight=None, fs=None) -> ndarray:
    """A filter without feedback, by least squares."""


@by_scipy
def firwin(numtaps, cutoff, width=None, window="hamming", pass_zero=True, scale=True, fs=None) -> ndarray:
    """A filter without feedback, by a window."""


@by_scipy
def firwin2(numtaps, freq, gain, nfreqs=None, window="hamming", antisymmetric=False, fs=None) -> ndarray:
    """A filter without feedback of a given frequency response, by a window."""


@by_scipy
def firwin_2d(hsize, window, *, fc=None, fs=2, circular=False, pass_zero=True, scale=True) -> ndarray:
    """A filter without feedback of two dimensions, by a window."""


@by_scipy
def freqs(b, a, worN=200, plot=None) -> tuple[ndarray, ...]:
    """(w, h): an analog filter's response."""


@by_scipy
def freqs_zpk(z, p, k, worN=200) -> tuple[ndarray, ...]:
    """(w, h): an analog filter's response, of zeros, poles and gain."""


@by_scipy
def freqz(b, a=1, worN=512, whole=False, plot=None, fs=2 * math.pi, include_nyquist=False) -> tuple[ndarray, ...]:
    """(w, h): a digital filter's response."""


@by_scipy
def freqz_sos(sos, worN=512, whole=False, fs=2 * math.pi) -> tuple[ndarray, ...]:
    """(w, h): the response of sections."""


@by_scipy
def freqz_zpk(z, p, k, worN=512, whole=False, fs=2 * math.pi) -> tuple[ndarray, ...]:
    """(w, h): a digital filter's response, of zeros, poles and gain."""


@by_scipy
def gammatone(freq, ftype, order=None, numtaps=None, fs=None) -> tuple[ndarray, ...]:
    """The gammatone filter, which models hearing."""


@by_scipy
def group_delay(system, w=512, whole=False, fs=2 * math.pi) -> tuple[ndarray, ...]:
    """(w, delay): a filter's group delay in samples."""


@by_scipy
def iircomb(w0, Q, ftype="notch", fs=2.0, *, pass_zero=False) -> tuple[ndarray, ...]:
    """A comb filter that stops, or passes, multiples of a frequency."""


@by_scipy
def iirdesign(wp, ws, gpass, gstop, analog=False, ftype="ellip", output="ba", fs=None) -> ndarray | tuple[ndarray, ...]:
    """The filter of least order that meets the limits."""


@by_scipy
def iirfilter(N, Wn, rp=None, rs=None, btype="band", analog=False, ftype="butter", output="ba",
              fs=None) -> ndarray | tuple[ndarray, ...]:
    """A filter with feedback, of an order and a kind."""


@by_scipy
def iirnotch(w0, Q, fs=2.0) -> tuple[ndarray, ...]:
    """A filter that stops one frequency."""


@by_scipy
def iirpeak(w0, Q, fs=2.0) -> tuple[ndarray, ...]:
    """A filter that passes one frequency."""


@by_scipy
def invres(r, p, k, tol=0.001, rtype="avg") -> tuple[ndarray, ...]:
    """(b, a) of partial fractions in s."""


@by_scipy
def invresz(r, p, k, tol=0.001, rtype="avg") -> tuple[ndarray, ...]:
    """(b, a) of partial fractions in 1/z."""


@by_scipy
def kaiser_atten(numtaps, width) -> float:
    """The attenuation of a filter by Kaiser's window, in decibels."""


@by_scipy
def kaiser_beta(a) -> float:
    """beta of Kaiser's window for an attenuation."""


@by_scipy
def kaiserord(ripple, width) -> tuple[int, float]:
    """(taps, beta) of the filter by Kaiser's window that meets the limits."""


@by_scipy
def lp2bp(b, a, wo=1.0, bw=1.0) -> tuple[ndarray, ...]:
    """An analog low-pass filter made a band-pass filter."""


@by_scipy
def lp2bp_zpk(z, p, k, wo=1.0, bw=1.0) -> tuple[ndarray, ...]:
    """The same of zeros, poles and gain."""


@by_scipy
def lp2bs(b, a, wo=1.0, bw=1.0) -> tuple[ndarray, ...]:
    """An analog low-pass filter made a band-stop filter."""


@by_scipy
def lp2bs_zpk(z, p, k, wo=1.0, bw=1.0) -> tuple[ndarray, ...]:
    """The same of zeros, poles and gain."""


@by_scipy
def lp2hp(b, a, wo=1.0) -> tuple[ndarray, ...]:
    """An analog low-pass filter made a high-pass filter."""


@by_scipy
def lp2hp_zpk(z, p, k, wo=1.0) -> tuple[ndarray, ...]:
    """The same of zeros, poles and gain."""


@by_scipy
def lp2lp(b, a, wo=1.0) -> tuple[ndarray, ...]:
    """An analog low-pass filter made a low-pass filter."""


@by_scipy
def lp2lp_zpk(z, p, k, wo=1.0) -> tuple[ndarray, ...]:
    """The same of zeros, poles and gain."""


@by_scipy
def max_len_seq(nbits, state=None, length=None, taps=None) -> tuple[ndarray, ...]:
    """(sequence, state): a maximum length sequence of bits."""


@by_scipy
def minimum_phase(h, method="homomorphic", n_fft=None, half=True) -> ndarray:
    """The filter of minimum phase with that response."""


@by_scipy
def normalize(b, a) -> tuple[ndarray, ...]:
    """(b, a) divided by a[0], without zeros before b."""


@by_scipy
def place_poles(A, B, poles, method="YT", rtol=0.001, maxiter=30):
    """The gain of feedback that gives a system its poles."""


@by_scipy
def remez(numtaps, bands, desired, *, weight=None, type="bandpass", maxiter=25, grid_density=16, fs=None) -> ndarray:
    """A filter without feedback whose largest error is least (Parks, McClellan)."""


@by_scipy
def residue(b, a, tol=0.001, rtype="avg") -> tuple[ndarray, ...]:
    """(r, p, k): partial fractions of b(s) / a(s)."""


@by_scipy
def residuez(b, a, tol=0.001, rtype="avg") -> tuple[ndarray, ...]:
    """(r, p, k): partial fractions of b(z) / a(z) in 1/z."""


@by_scipy
def savgol_coeffs(window_length, polyorder, deriv=0, delta=1.0, pos=None, use="conv") -> ndarray:
    """The coefficients of a Savitzky-Golay filter."""


@by_scipy
def sos2tf(sos) -> tuple[ndarray, ...]:
    """(b, a) of sections."""


@by_scipy
def sos2zpk(sos) -> tuple[ndarray, ...]:
    """(z, p, k) of sections."""


@by_scipy
def ss2tf(A, B, C, D, input=0) -> tuple[ndarray, ...]:
    """(b, a) of a state-space system."""


@by_scipy
def ss2zpk(A, B, C, D, input=0) -> tuple[ndarray, ...]:
    """(z, p, k) of a state-space system."""


@by_scipy
def tf2sos(b, a, pairing=None, *, analog=False) -> ndarray:
    """Sections of (b, a)."""


@by_scipy
def tf2ss(num, den) -> tuple[ndarray, ...]:
    """(A, B, C, D) of (b, a)."""


@by_scipy
def tf2zpk(b, a) -> tuple[ndarray, ...]:
    """(z, p, k) of (b, a)."""


@by_scipy
def unique_roots(p, tol=0.001, rtype="min") -> tuple[ndarray, ...]:
    """(roots, multiplicities) of roots that lie close together."""


@by_scipy
def zpk2sos(z, p, k, pairing=None, *, analog=False) -> ndarray:
    """Sections of (z, p, k)."""


@by_scipy
def zpk2ss(z, p, k) -> tuple[ndarray, ...]:
    """(A, B, C, D) of (z, p, k)."""


@by_scipy
def zpk2tf(z, p, k) -> tuple[ndarray, ...]:
    """(b, a) of (z, p, k)."""


@by_scipy
def sosfreqz(sos, worN=512, whole=False, fs=2 * math.pi) -> tuple[ndarray, ...]:
    """(w, h): the response of sections; freqz_sos by its older name."""
