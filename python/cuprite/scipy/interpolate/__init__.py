"""scipy.interpolate on Cuprite's arrays: splines, polynomials, interpolation on grids, scattered points.

Places are evaluated on the arrays' device, and systems are solved there. Knots that FITPACK chooses and triangulations
of Qhull are computed by SciPy on the host, where it is installed."""
from __future__ import annotations

from cuprite._missing import later as _later

_LATER = {  # names: the modules that have them
    "Akima1DInterpolator": "_cubic", "approximate_taylor_polynomial": "_points", "barycentric_interpolate": "_points",
    "BarycentricInterpolator": "_points", "BPoly": "_polynomials", "BSpline": "_bsplines",
    "CloughTocher2DInterpolator": "_scattered", "CubicHermiteSpline": "_cubic", "CubicSpline": "_cubic",
    "griddata": "_scattered", "insert": "_fitpack", "interp1d": "_lines", "interpn": "_grids",
    "InterpolatedUnivariateSpline": "_fitpack", "krogh_interpolate": "_points", "KroghInterpolator": "_points",
    "LinearNDInterpolator": "_scattered", "LSQUnivariateSpline": "_fitpack", "make_interp_spline": "_interpolating",
    "make_lsq_spline": "_interpolating", "make_smoothing_spline": "_interpolating", "NdBSpline": "_grids",
    "NdPPoly": "_several", "NearestNDInterpolator": "_scattered", "pchip": "_cubic", "pchip_interpolate": "_cubic",
    "PchipInterpolator": "_cubic", "PPoly": "_polynomials", "RBFInterpolator": "_radial",
    "RegularGridInterpolator": "_grids", "spalde": "_fitpack", "splantider": "_bsplines", "splder": "_bsplines",
    "splev": "_fitpack", "splint": "_fitpack", "splrep": "_fitpack", "sproot": "_fitpack",
    "UnivariateSpline": "_fitpack",
}

__getattr__ = _later(__name__, _LATER)
