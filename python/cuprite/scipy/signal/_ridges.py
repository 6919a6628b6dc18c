"""find_peaks_cwt: maxima of wavelet transforms of several widths, connected to ridges. The transforms and their maxima
are computed on the device; ridges, of few maxima, on the host."""
from __future__ import annotations

import cuprite
from cuprite import _numpy as numpy
from cuprite import ndarray
from cuprite._beside import beside_its_arrays
from cuprite.scipy.signal._arrays import array, host
from cuprite.scipy.signal._convolution import convolve


def _ricker(n, width):
    t = numpy.arange(n) - (n - 1.0) / 2
    squares = t * t / width ** 2
    return 2 / (numpy.sqrt(3 * width) * cuprite.pi ** 0.25) * (1 - squares) * numpy.exp(-0.5 * squares)


def _transforms(x, wavelet, widths):
    """A row for each width."""
    complex_too = numpy.asarray(host(wavelet(1, widths[0]))).dtype.kind == "c"
    rows = cuprite.empty((len(widths), x.size), "complex128" if complex_too else "float64")
    for row, width in zip(rows, widths):
        weights = array(wavelet(min(10 * width, x.size), width))
        row[...] = convolve(x, weights[::-1].conj(), "same")
    return rows


def _maxima(rows):
    """Where elements are above both neighbours of their row, on the host; the ends have themselves beside them."""
    found = numpy.zeros(rows.shape, bool)
    if rows.shape[1] > 2:
        middle = rows[:, 1:-1]
        found[:, 1:-1] = host((middle > rows[:, 2:]) & (middle > rows[:, :-2]))
    return found


def _nearest(places, wanted):
    """(index, distance) of the nearest of places for each one wanted; of equally near ones the first."""
    order = numpy.argsort(places, kind="stable")
    ordered = places[order]
    above = numpy.searchsorted(ordered, wanted)
    right = numpy.minimum(above, ordered.size - 1)
    left = numpy.searchsorted(ordered, ordered[numpy.maximum(above - 1, 0)])  # the first one of equal places
    dl, dr = abs(wanted - ordered[left]), abs(wanted - ordered[right])
    take_left = (dl < dr) | ((dl == dr) & (order[left] < order[right]))
    return numpy.where(take_left, order[left], order[right]), numpy.minimum(dl, dr)


def _ridges(maxima, distances, gap):
    """Lines of (rows, columns), the widest row first."""
    if len(distances) < len(maxima):
        raise ValueError("Max_distances must have at least as many rows as matr")
    some = numpy.flatnonzero(maxima.any(axis=1))
    if not some.size:
        return []
    lines = [[[some[-1]], [c], 0] for c in numpy.flatnonzero(maxima[some[-1]])]
    ended = []
    for row in range(some[-1] - 1, -1, -1):
        for line in lines:
            line[2] += 1
        columns = numpy.flatnonzero(maxima[row])
        if lines and columns.size:
            nearest, distance = _nearest(numpy.array([line[1][-1] for line in lines]), columns)
            close = distance <= distances[row]
            for k, column in zip(nearest[close], columns[close]):
                lines[k][0].append(row)
                lines[k][1].append(column)
                lines[k][2] = 0
            columns = columns[~close]
        lines += [[[row], [c], 0] for c in columns]
        ended += [line for line in lines if line[2] > gap]
        lines = [line for line in lines if not line[2] > gap]
    return ended + lines


def _noise(row, at, size, percent):
    """The percentile of what lies around an element."""
    half, odd = divmod(size, 2)
    values = numpy.sort(row[max(at - half, 0):min(at + half + odd, row.size)])
    if not values.size:
        return cuprite.nan
    place = percent / 100.0 * (values.size - 1)
    low = int(place)
    if low == place:
        return values[low]
    return values[low] * (low + 1 - place) + values[low + 1] * (place - low)


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
    distances = widths / 4.0 if max_distances is None else host(max_distances)
    rows = _transforms(vector, _ricker if wavelet is None else wavelet, widths)
    lines = _ridges(_maxima(rows), distances, gap)
    least = numpy.ceil(len(widths) / 4) if min_length is None else min_length
    size = int(numpy.ceil(vector.size / 20) if window_size is None else window_size)
    lines = [line for line in lines if not len(line[0]) < least]
    values, found = host(rows), []
    for line in lines:
        row, column = line[0][-1], line[1][-1]  # of the smallest width, there the last one
        with numpy.errstate(divide="ignore", invalid="ignore"):
            ratio = abs(values[row, column] / _noise(values[0], column, size, noise_perc))
        if not ratio < min_snr:
            found.append(column)
    return cuprite.asarray(numpy.sort(numpy.array(found, "int64")))
