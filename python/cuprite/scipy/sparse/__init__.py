"""scipy.sparse on Cuprite's arrays: matrices of which most elements are 0.

The formats csr, csc, coo, dia and bsr hold arrays of the device; lil and dok, which are for building matrices element by
element, hold the host's lists and dictionaries."""
from __future__ import annotations

from cuprite._missing import listing as _listing, missing as _missing

_LATER = {  # names: the modules that have them
    "SparseEfficiencyWarning": "_util", "SparseFormatWarning": "_util", "SparseWarning": "_util",
    "coo_array": "_coo", "coo_matrix": "_coo", "csc_array": "_compressed", "csc_matrix": "_compressed",
    "csr_array": "_compressed", "csr_matrix": "_compressed", "get_index_dtype": "_util", "isspmatrix": "_base",
    "isspmatrix_coo": "_coo", "isspmatrix_csc": "_compressed", "isspmatrix_csr": "_compressed", "issparse": "_base",
    "safely_cast_index_arrays": "_util", "sparray": "_base", "spmatrix": "_base",
}


def __getattr__(name):
    import importlib
    if name not in _LATER:
        raise _missing(__name__, name)
    value = globals()[name] = getattr(importlib.import_module("cuprite.scipy.sparse." + _LATER[name]), name)
    return value


__dir__ = _listing(__name__, *_LATER)
