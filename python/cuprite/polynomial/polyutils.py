"""Series of coefficients: cleaned, trimmed; domains; what the functions of all bases share."""
from __future__ import annotations

import warnings

import numpy

import cuprite
from cuprite._beside import beside_its_arrays
from cuprite._core import ndarray
from cuprite._support import _own_array, _own_asarray
from cuprite._missing import getter as _getter

__getattr__ = _getter(__name__)

__all__ = ["as_series", "getdomain", "mapdomain", "mapparms", "trimcoef", "trimseq"]


@beside_its_arrays
def trimseq(seq) -> ndarray:
    """Without zeros at the end, but for one where nothing else is left.

    Parameters: seq: a sequence of coefficients."""
    if len(seq) == 0:
        return seq
    places = [i for i, c in enumerate(seq.tolist() if isinstance(seq, ndarray) else seq) if c != 0]
    return seq[:places[-1] + 1 if places else 1]


@beside_its_arrays
def as_series(alist, trim=True):
    """The coefficients as 1-d arrays of one floating type.

    Parameters: alist: a sequence of sequences of coefficients; trim: True: without zeros at the end.
    Errors: ValueError for what is empty or no sequence of numbers."""
    arrays = [_own_array(a, ndmin=1) for a in alist]
    for a in arrays:
        if a.size == 0:
            raise ValueError("Coefficient array is empty")
        if a.ndim != 1:
            raise ValueError("Coefficient array is not 1-d")
    if trim:
        arrays = [trimseq(a) for a in arrays]
    if any(a.dtype == bool for a in arrays):
        raise ValueError("Coefficient arrays have no common type")
    dtype = cuprite.result_type(*(a.dtype if a.dtype.kind in "fcV" else cuprite.float64 for a in arrays))
    return [_own_array(a, dtype) for a in arrays]


@beside_its_arrays
def trimcoef(c, tol=0) -> ndarray:
    """Without coefficients of at most tol at the end; a zero where none is left.

    Parameters: c: coefficients, the lowest power first; tol: a number not below 0.
    Errors: ValueError for a negative tol."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    [c] = as_series([c])
    places = cuprite.nonzero(abs(c) > tol)[0].tolist()
    return c[:places[-1] + 1].copy() if places else c[:1] * 0


@beside_its_arrays
def getdomain(x):
    """The least interval that has all of x, or for complex ones the corners of the least rectangle.

    Parameters: x: a sequence of numbers.
    Errors: ValueError for none, and for more than one axis."""
    [x] = as_series([x], trim=False)
    if x.dtype.kind == "c":
        return cuprite.stack([x.real.min() + 1j * x.imag.min(), x.real.max() + 1j * x.imag.max()])
    return cuprite.stack([x.min(), x.max()])


@beside_its_arrays
def mapparms(old, new):
    """(offset, scale) of the line that takes the ends of one domain to those of another.

    Parameters: old: a domain, (least, largest); new: a domain."""
    length = old[1] - old[0]
    return (old[1] * new[0] - old[0] * new[1]) / length, (new[1] - new[0]) / length


@beside_its_arrays
def mapdomain(x, old, new):
    """x under the line that takes one domain to another.

    Parameters: x: an array, a number or nested lists; old: a domain, (least, largest); new: a domain."""
    x = cuprite.asarray(x) if isinstance(x, (tuple, list)) else x
    off, scl = mapparms(old, new)
    return off + scl * x


# --- what the functions of all bases share ---

def _sum(c1, c2, sign):
    c1, c2 = as_series([c1, c2])
    n = max(len(c1), len(c2))
    c1, c2 = (cuprite.concatenate([c, cuprite.zeros(n - len(c), c.dtype)]) if len(c) < n else c for c in (c1, c2))
    return trimseq(c1 + c2 if sign > 0 else c1 - c2)


def _times_x(c):
    """A power series times x."""
    [c] = as_series([c])
    if len(c) == 1 and c[0] == 0:
        return c
    return cuprite.concatenate([cuprite.zeros(1, c.dtype), c])


def _from_roots(line, mul, roots):
    """The product of the lines through the roots, in halves."""
    if len(roots) == 0:
        return cuprite.ones(1)
    [roots] = as_series([roots], trim=False)
    series = [line(-r, 1) for r in cuprite.sort(roots).tolist()]
    while len(series) > 1:
        m, odd = divmod(len(series), 2)
        halves = [mul(series[i], series[i + m]) for i in range(m)]
        if odd:
            halves[0] = mul(halves[0], series[-1])
        series = halves
    return series[0]


def _values(val, c, *places):
    places = [_own_asarray(x) for x in places]
    if any(x.shape != places[0].shape for x in places):
        names = {2: "x, y", 3: "x, y, z"}.get(len(places), "ordinates")
        raise ValueError(f"{names} are incompatible")
    c = val(places[0], c)
    for x in places[1:]:
        c = val(x, c, tensor=False)
    return c


def _grid(val, c, *places):
    for x in places:
        c = val(x, c)
    return c


def _powers(vander, places, degrees):
    """The products of the variables' tables, flat in a new last axis, the first variable's degrees slowest."""
    if len(degrees) != len(places):
        raise ValueError(f"Expected {len(places)} dimensions of degrees, got {len(degrees)}")
    places = [x + 0.0 for x in cuprite.broadcast_arrays(*(_own_array(x, ndmin=1) for x in places))]
    table = vander(places[0], degrees[0])
    for x, n in zip(places[1:], degrees[1:]):
        table = table[..., :, None] * vander(x, n)[..., None, :]
        table = table.reshape(*table.shape[:-2], -1)
    return table


def _fit(vander, x, y, deg, rcond, full, w):
    """The least squares of a table's columns, each scaled to length 1."""
    x, y, deg = _own_asarray(x) + 0.0, _own_asarray(y) + 0.0, numpy.asarray(deg)
    if deg.ndim > 1 or deg.dtype.kind not in "iu" or deg.size == 0:
        raise TypeError("deg must be an int or non-empty 1-D array of int")
    if deg.min() < 0:
        raise ValueError("expected deg >= 0")
    if x.ndim != 1:
        raise TypeError("expected 1D vector for x")
    if x.size == 0:
        raise TypeError("expected non-empty vector for x")
    if y.ndim < 1 or y.ndim > 2:
        raise TypeError("expected 1D or 2D array for y")
    if len(x) != len(y):
        raise TypeError("expected x and y to have same length")
    degrees = numpy.arange(deg + 1) if deg.ndim == 0 else numpy.sort(deg)
    table = vander(x, int(degrees[-1]))
    table = table if deg.ndim == 0 else table[:, degrees.tolist()]
    if w is not None:
        w = _own_asarray(w) + 0.0
        if w.ndim != 1:
            raise TypeError("expected 1D vector for w")
        if len(x) != len(w):
            raise TypeError("expected x and w to have same length")
        table, y = table * w[:, None], (y.T * w).T
    rcond = len(x) * float(cuprite.finfo(x.dtype).eps) if rcond is None else rcond
    scale = cuprite.sqrt((abs(table) ** 2).sum(0))
    scale[scale == 0] = 1
    c, residuals, rank, s = cuprite.linalg.lstsq(table / scale, y, rcond)
    c = (c.T / scale).T
    if deg.ndim:
        spread = cuprite.zeros((int(degrees[-1]) + 1, *c.shape[1:]), c.dtype)
        spread[degrees.tolist()] = c
        c = spread
    if full:
        return c, [residuals, rank, s, rcond]
    if rank != len(degrees):
        warnings.warn("The fit may be poorly conditioned", numpy.exceptions.RankWarning, stacklevel=3)
    return c
