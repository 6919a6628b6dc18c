"""Series of coefficients: cleaned, trimmed."""
from __future__ import annotations

import cuprite
from cuprite._core import ndarray

__all__ = ["as_series", "trimcoef", "trimseq"]


def trimseq(seq):
    """Without zeros at the end, but for one where nothing else is left.

    Parameters: seq: a sequence of coefficients."""
    if len(seq) == 0:
        return seq
    places = [i for i, c in enumerate(seq.tolist() if isinstance(seq, ndarray) else seq) if c != 0]
    return seq[:places[-1] + 1 if places else 1]


def as_series(alist, trim=True):
    """The coefficients as 1-d arrays of one floating type.

    Parameters: alist: a sequence of sequences of coefficients; trim: True: without zeros at the end.
    Errors: ValueError for what is empty or no sequence of numbers."""
    arrays = [cuprite.array(a, ndmin=1) for a in alist]
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
    return [cuprite.array(a, dtype) for a in arrays]


def trimcoef(c, tol=0):
    """Without coefficients of at most tol at the end; a zero where none is left.

    Parameters: c: coefficients, the lowest power first; tol: a number not below 0.
    Errors: ValueError for a negative tol."""
    if tol < 0:
        raise ValueError("tol must be non-negative")
    [c] = as_series([c])
    places = cuprite.nonzero(abs(c) > tol)[0].tolist()
    return c[:places[-1] + 1].copy() if places else c[:1] * 0
