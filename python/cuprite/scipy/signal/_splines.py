"""B-splines of signals and images whose ends are mirrored: filters that run forth and back, and values between samples.

M. Unser, A. Aldroubi, M. Eden, "B-spline signal processing: part II", IEEE Trans. Signal Processing 41 (1993)."""
from __future__ import annotations

from cuprite import _numpy as numpy
from cuprite import _spectra, ndarray
from cuprite._beside import beside_its_arrays
from cuprite._element_types import type_of
from cuprite.scipy.signal._arrays import array


@beside_its_arrays
def symiirorder1(signal, c0, z1, precision=-1.0) -> ndarray:
    """c0 / ((1 - z1 / z) (1 - z1 z)) along the last axis of a signal whose ends are mirrored.

    Parameters: signal: of one or two dimensions; c0: a factor; z1: the pole, |z1| < 1; precision: the sum of the first
        state ends where its weights are no larger (not in (0, 1]: 1e-6 for float32 and complex64, else 1e-11).
    Errors: ValueError for other dimensions and poles, and where the sum does not end within the signal.
    """
    return _spectra.symiirorder1(array(signal), c0, z1, float(precision))


@beside_its_arrays
def symiirorder2(input, r, omega, precision=-1.0) -> ndarray:
    """A filter of second order forth and back along the last axis of a signal whose ends are mirrored.

    Parameters: input: of one or two dimensions; r: the poles' magnitude, below 1; omega: their angle; precision: the
        first states' sums end where their weights are no larger, on the way back than its root (not in (0, 1]: sums
        over the whole signal).
    Errors: ValueError for other dimensions and poles, and where a sum does not end within the signal.
    """
    return _spectra.symiirorder2(array(input), float(r), float(omega), float(precision))


# --- coefficients ---

@beside_its_arrays
def cspline1d(signal, lamb=0.0) -> ndarray:
    """Coefficients of the cubic spline through samples.

    Parameters: signal: 1-d; lamb: how much the spline is smoothed, above 1/144 (0: not at all).
    Errors: ValueError for other dimensions, another lamb, and one of which the filter is not stable.
    """
    return _spectra.cspline1d(array(signal), float(lamb))


@beside_its_arrays
def qspline1d(signal, lamb=0.0) -> ndarray:
    """Coefficients of the quadratic spline through samples.

    Parameters: signal: 1-d; lamb: 0.
    Errors: ValueError for other dimensions and another lamb.
    """
    return _spectra.qspline1d(array(signal), float(lamb))


@beside_its_arrays
def cspline2d(signal, lamb=0.0, precision=-1.0) -> ndarray:
    """Coefficients of the cubic spline through an image.

    Parameters: signal: 2-d; lamb: how much the spline is smoothed, above 1/144; precision: as
        symiirorder1's (not in (0, 1): sums over the whole lines).
    Errors: ValueError for other dimensions, a lamb of which the filter is not stable, and where a sum does not end
        within a line.
    """
    return _spectra.cspline2d(array(signal), float(lamb), float(precision))


@beside_its_arrays
def qspline2d(signal, lamb=0.0, precision=-1.0) -> ndarray:
    """Coefficients of the quadratic spline through an image.

    Parameters: signal: 2-d; lamb: 0; precision: as symiirorder1's (not in (0, 1): sums over the whole lines).
    Errors: ValueError for other dimensions, a lamb above 0, and where a sum does not end within a line.
    """
    return _spectra.qspline2d(array(signal), float(lamb), float(precision))


# --- values ---

def _places(newx, dx, x0):
    """In units of the samples' spacing, of a spacing 0 too."""
    return (array(newx) - x0) / float(dx)


@beside_its_arrays
def cspline1d_eval(cj, newx, dx=1.0, x0=0) -> ndarray:
    """Values of a cubic spline.

    Parameters: cj: cspline1d's coefficients; newx: places; dx: the samples' spacing; x0: the first one's place.
    Errors: ValueError where there are no coefficients.
    """
    return _spectra.cspline1d_eval(array(cj), _places(newx, dx, x0))


@beside_its_arrays
def qspline1d_eval(cj, newx, dx=1.0, x0=0) -> ndarray:
    """Values of a quadratic spline.

    Parameters: cj: qspline1d's coefficients; newx: places; dx: the samples' spacing; x0: the first one's place.
    Errors: ValueError where there are no coefficients.
    """
    return _spectra.qspline1d_eval(array(cj), _places(newx, dx, x0))


@beside_its_arrays
def sepfir2d(input, hrow, hcol) -> ndarray:
    """An image through a filter along its rows and one along its columns, reflected at its edges.

    Parameters: input: 2-d; hrow: a filter of odd length; hcol: another.
    Errors: ValueError for other shapes.
    """
    return _spectra.sepfir2d(array(input), array(hrow), array(hcol))


@beside_its_arrays
def spline_filter(Iin, lmbda=5.0) -> ndarray:
    """An image smoothed by a cubic spline.

    Parameters: Iin: 2-d, of a floating type; lmbda: how much.
    Errors: TypeError for other types.
    """
    x = array(Iin)
    if type_of(x).char not in "fdFD":
        raise TypeError(f"Invalid data type for Iin: {x.dtype = }")
    h = numpy.array([1.0, 4.0, 1.0]) / 6.0
    return sepfir2d(cspline2d(x, lmbda), h, h).astype(type_of(x), copy=False)
