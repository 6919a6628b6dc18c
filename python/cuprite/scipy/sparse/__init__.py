"""scipy.sparse on Cuprite's arrays: matrices of which most elements are 0.

The formats csr, csc, coo, dia and bsr hold arrays of the device; lil and dok, which are for building matrices element
by element, hold the host's lists and dictionaries."""
from __future__ import annotations

from cuprite._beside import beside_in as _beside_in
from cuprite._missing import listing as _listing, missing as _missing

_MODULES = ("csgraph", "linalg")
_LATER = {  # names: the modules that have them
    "_spbase": "_base",
    "block_array": "_construct", "block_diag": "_construct", "bmat": "_construct", "bsr_array": "_bsr",
    "bsr_matrix": "_bsr", "coo_array": "_coo", "coo_matrix": "_coo", "csc_array": "_compressed",
    "csc_matrix": "_compressed", "csr_array": "_compressed", "csr_matrix": "_compressed", "dia_array": "_dia",
    "dia_matrix": "_dia", "diags": "_construct", "diags_array": "_construct", "dok_array": "_host",
    "dok_matrix": "_host", "eye": "_construct", "eye_array": "_construct", "expand_dims": "_construct",
    "find": "_construct",
    "get_index_dtype": "_util", "hstack": "_construct", "identity": "_construct", "issparse": "_base",
    "isspmatrix": "_base", "isspmatrix_bsr": "_bsr", "isspmatrix_coo": "_coo", "isspmatrix_csc": "_compressed",
    "isspmatrix_csr": "_compressed", "isspmatrix_dia": "_dia", "isspmatrix_dok": "_host", "isspmatrix_lil": "_host",
    "kron": "_construct", "kronsum": "_construct", "lil_array": "_host", "lil_matrix": "_host",
    "load_npz": "_construct", "matrix_transpose": "_construct", "permute_dims": "_construct", "rand": "_construct",
    "random": "_construct", "random_array": "_construct", "safely_cast_index_arrays": "_util",
    "save_npz": "_construct", "sparray": "_base", "SparseEfficiencyWarning": "_util", "SparseFormatWarning": "_util",
    "SparseWarning": "_util", "spdiags": "_construct", "spmatrix": "_base", "swapaxes": "_construct",
    "tril": "_construct", "triu": "_construct", "vstack": "_construct",
}


def __getattr__(name):
    import importlib
    if name in _MODULES:
        return importlib.import_module("cuprite.scipy.sparse." + name)
    if name not in _LATER:
        raise _missing(__name__, name)
    module = importlib.import_module("cuprite.scipy.sparse." + _LATER[name])
    value = globals()[name] = (_beside_in if _LATER[name] == "_construct" else getattr)(module, name)
    return value


__dir__ = _listing(__name__, *_MODULES, *_LATER)
