"""find_peaks_cwt: maxima of wavelet transforms of several widths, connected to ridges."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import _wavelets, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.signal._arrays import array, host
from cuprite.scipy.signal._convolution import convolve
from cuprite.scipy.signal._waveforms import ricker


def _transforms(x, wavelet, widths):
    """A row for each width."""
    complex_too = numpy.asarray(host(wavelet(1, widths[0]))).dtype.kind == "c"
    rows = cuprite.empty((len(widths), x.size), "complex128" if complex_too else "float64")
    for row, width in zip(rows, widths):
        weights = array(wavelet(min(10 * width, x.size), width))
        row[...] = convolve(x, weights[::-1].conj(), "same")
    return rows


@beside_its_arrays
def find_peaks_cwt(vector, widths, wavelet=None, max_distances=None, gap_thresh=None, min_length=None, min_snr=1,
                   noise_perc=10, window_size=None) -> ndarray:
    """The places of peaks: maxima that wavelet transforms of several widths have near one another.

    Parameters: vector: the signal, 1-d; widths: widths of peaks, a number or several; wavelet: a function (samples,
        width) (None: Ricker's); max_distances: of each width how far maxima that are connected may lie apart (None: a
        quarter of the width); gap_thresh: over how many widths a ridge may have no maximum (None: the first width);
        min_length: the fewest widths of a ridge (None: a quarter of them); min_snr: the least ratio to the noise;
        noise_perc: the percentile that is the noise; window_size: of how many samples around (None: a twentieth of
        them).
    Result: their indices, in order, integers also where there are none.
    Errors: ValueError for too few distances, a percentile beyond 0..100 and other than 1-d signals.

    P. Du, W. A. Kibbe, S. M. Lin, "Improved peak detection in mass spectrum by incorporating continuous wavelet
    transform-based pattern matching", Bioinformatics 22 (2006).

    Example:
        >>> cp.scipy.signal.find_peaks_cwt(cp.sin(cp.arange(0, 3.1, 0.05)), cp.arange(1, 10))
        array([32])
    """
    vector = array(vector)
    if vector.ndim != 1:
        raise ValueError("find_peaks_cwt: the signal has one axis")
    widths = numpy.atleast_1d(host(widths))
    if not 0 <= noise_perc <= 100:
        raise ValueError("percentile must be in the range [0, 100]")
    gap = numpy.ceil(widths[0]) if gap_thresh is None else gap_thresh
    distances = cuprite.asarray(widths / 4.0 if max_distances is None else max_distances).ravel()
    # in C 0 means the default; these mean 0
    options = (gap or 0.5, 0 if min_length is None else min_length or 1, min_snr or -1, noise_perc or -1,
               0 if window_size is None else int(window_size) or -1)
    if wavelet is None and type_of(vector).kind != "c":
        return _wavelets.find_peaks_cwt(vector, cuprite.asarray(widths), distances, *options)
    return _wavelets.ridge_peaks(_transforms(vector, wavelet or ricker, widths), distances, *options)
