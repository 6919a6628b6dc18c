"""Peaks of signals: prominences, widths, and those that meet conditions."""
from __future__ import annotations

import math
import warnings

import cuprite
from cuprite import _numpy as numpy
from cuprite import _peaks, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.signal._arrays import array


class PeakPropertyWarning(RuntimeWarning):
    """A peak's property was unexpected."""


def _signal(x):
    x = array(x)
    if type_of(x).kind == "c":
        raise TypeError("Cannot cast array data from complex to float64 according to the rule 'safe'")
    if x.ndim != 1:
        raise ValueError("`x` must be a 1-D array")
    return x.astype("float64", copy=False)


def _places(peaks):
    peaks = array(peaks)
    if peaks.size == 0:
        peaks = peaks.astype("int64")
    if peaks.ndim != 1:
        raise ValueError("`peaks` must be a 1-D array")
    if type_of(peaks).kind not in "iu":
        raise TypeError("cannot safely cast `peaks` to dtype('intp')")
    return peaks


def _window_length(wlen):
    """As C has it: 0 for all."""
    if wlen is None:
        return 0
    if not 1 < wlen:
        raise ValueError(f"`wlen` must be larger than 1, was {wlen}")
    return math.ceil(wlen)


@beside_its_arrays
def peak_prominences(x, peaks, wlen=None) -> tuple[ndarray, ...]:
    """(prominences, left bases, right bases): how much the signal falls on both sides before it is above a peak.

    Parameters: x: the signal, 1-d; peaks: indices; wlen: how many elements around a peak count (None: all).
    Errors: ValueError for other shapes, indices outside of the signal, and a wlen that is not above 1; TypeError for
        indices that are no integers.

    Example:
        >>> cp.scipy.signal.peak_prominences(cp.asarray([0.0, 3.0, 1.0, 2.0, 0.0]), cp.asarray([1, 3]))[0]
        array([3., 1.])
    """
    x, peaks = _signal(x), _places(peaks)
    found = _peaks.peak_prominences(x, peaks, _window_length(wlen))
    if found[0].size and bool((found[0] == 0).any()):
        warnings.warn("some peaks have a prominence of 0", PeakPropertyWarning, stacklevel=3)
    return found


@beside_its_arrays
def peak_widths(x, peaks, rel_height=0.5, prominence_data=None, wlen=None) -> tuple[ndarray, ...]:
    """(widths, heights, left places, right places) at a part of the prominence below the top.

    Parameters: x: the signal, 1-d; peaks: indices; rel_height: the part, 0 or above; prominence_data: what
        peak_prominences gives (None: it is computed); wlen: how many elements around a peak count then.
    Errors: ValueError for other shapes, indices outside of the signal, bases that do not lie beside the peaks, and a
        negative rel_height; TypeError for indices that are no integers.
    """
    x, peaks = _signal(x), _places(peaks)
    if rel_height < 0:
        raise ValueError("`rel_height` must be greater or equal to 0.0")
    if prominence_data is None:
        prominence_data = _peaks.peak_prominences(x, peaks, _window_length(wlen))
    if any(v is None for v in prominence_data):
        raise TypeError("prominence_data must have three arrays, not None")
    found = _peaks.peak_widths(x, peaks, rel_height, *(array(v) for v in prominence_data))
    if found[0].size and bool((found[0] == 0).any()):
        warnings.warn("some peaks have a width of 0", PeakPropertyWarning, stacklevel=3)
    return found


# --- conditions ---

def _limits(interval, x, peaks):
    """(lowest, highest) of a condition: a number, an array with an element for each of x's, or two of these."""
    try:
        low, high = interval
    except (TypeError, ValueError):
        low, high = interval, None
    parts = []
    for limit in (low, high):
        if isinstance(limit, (numpy.there("ndarray"), cuprite.ndarray)) and limit.ndim:
            if limit.size != x.size:
                raise ValueError("array size of " + ("lower" if limit is low else "upper") +
                                 " interval border must match x")
            limit = array(limit)[peaks]
        parts.append(limit)
    return parts


def _within(values, low, high):
    if low is None and high is None:
        return cuprite.ones(values.shape, bool)
    if low is None or high is None:
        return values <= high if low is None else low <= values
    return (low <= values) & (values <= high)


@beside_its_arrays
def find_peaks(x, height=None, threshold=None, distance=None, prominence=None, width=None, wlen=None, rel_height=0.5,
               plateau_size=None) -> tuple[ndarray, dict[str, ndarray]]:
    """(peaks, properties): the local maxima that meet conditions, and what was looked at for these, a dict of arrays.

    A condition is the lowest value, or the lowest and the highest, each None, a number, or an array with an element for
    each of the signal's.

    Parameters: x: the signal, 1-d; height: of the peaks; threshold: the steps to the neighbours; distance: the least
        distance, above 1: lower peaks are dropped first; prominence: as peak_prominences has it; width: as peak_widths
        has it; wlen: for prominences; rel_height: for widths; plateau_size: how many elements a peak has.
    Errors: ValueError for other than 1-d signals and a distance below 1; TypeError for complex ones.

    Example:
        >>> cp.scipy.signal.find_peaks(cp.asarray([0.0, 3.0, 1.0, 2.0, 0.0]), height=2.5)[0]
        array([1])
    """
    x = _signal(x)
    if distance is not None and distance < 1:
        raise ValueError("`distance` must be greater or equal to 1")
    left, right = _peaks.local_maxima(x)
    peaks = left + right >> 1
    properties = {}

    def reduced(keep, peaks, **more):
        """The peaks that are kept, with their properties."""
        properties.update(more)
        kept = cuprite.flatnonzero(keep)
        for name, values in properties.items():
            properties[name] = values[kept]
        return peaks[kept]

    if plateau_size is not None:
        sizes = right - left + 1
        keep = _within(sizes, *_limits(plateau_size, x, peaks))
        peaks = reduced(keep, peaks, plateau_sizes=sizes, left_edges=left, right_edges=right)
    if height is not None:
        heights = x[peaks]
        peaks = reduced(_within(heights, *_limits(height, x, peaks)), peaks, peak_heights=heights)
    if threshold is not None:
        low, high = _limits(threshold, x, peaks)
        before, behind = x[peaks] - x[peaks - 1], x[peaks] - x[peaks + 1]
        keep = cuprite.ones(peaks.shape, bool)
        if low is not None:
            keep &= cuprite.minimum(before, behind) >= low
        if high is not None:
            keep &= cuprite.maximum(before, behind) <= high
        peaks = reduced(keep, peaks, left_thresholds=before, right_thresholds=behind)
    if distance is not None:
        peaks = reduced(_peaks.peaks_distant(peaks, x[peaks], math.ceil(min(distance, 2.0 ** 62))), peaks)
    if prominence is not None or width is not None:
        names = ("prominences", "left_bases", "right_bases")
        properties.update(zip(names, peak_prominences(x, peaks, wlen)))
    if prominence is not None:
        peaks = reduced(_within(properties["prominences"], *_limits(prominence, x, peaks)), peaks)
    if width is not None:
        data = tuple(properties[name] for name in ("prominences", "left_bases", "right_bases"))
        found = peak_widths(x, peaks, rel_height, data)
        properties.update(zip(("widths", "width_heights", "left_ips", "right_ips"), found))
        peaks = reduced(_within(found[0], *_limits(width, x, peaks)), peaks)
    return peaks, properties
