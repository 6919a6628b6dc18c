"""Comparison of sparse matrices with SciPy's: random matrices, their results and their exceptions."""
import warnings

import numpy as np
import pytest

import cuprite as cp
from oracle import kind

sp = pytest.importorskip("scipy.sparse")
cs = cp.scipy.sparse
FORMATS = ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")
TYPES = ("bool", "i1", "u1", "i2", "u4", "i8", "f4", "f8", "c8", "c16")


def dense(r, shape, dtype, density=0.4):
    """Small integers of a type at random places."""
    d = np.where(r.random(shape) < density, r.integers(-4, 5, shape), 0)
    d = (d != 0) if dtype == "bool" else abs(d) if dtype[0] == "u" else d
    return d.astype(dtype) * np.dtype(dtype).type(1 + 2j) if dtype[0] == "c" else d.astype(dtype)


def theirs_of(format, is_array, *args, **kwargs):
    return getattr(sp, format + ("_array" if is_array else "_matrix"))(*args, **kwargs)


def ours_of(format, is_array, *args, **kwargs):
    return getattr(cs, format + ("_array" if is_array else "_matrix"))(*args, **kwargs)


def outcome(f):
    """The result of a call, or the kind of its exception."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f()
        except Exception as e:  # noqa: BLE001
            return kind(e)


def on_host(x):
    return x.toarray().get() if cs.issparse(x) else x.get() if isinstance(x, cp.ndarray) else np.asarray(x)


def same(ours, theirs, format=True, stored=True):
    """Asserts that a result of ours is SciPy's.

    Parameters: format: whether the class must be; stored: whether as many elements must be stored."""
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs, (ours, theirs)
    elif isinstance(theirs, tuple):
        assert isinstance(ours, tuple) and len(ours) == len(theirs)
        for a, b in zip(ours, theirs):
            same(a, b)
    elif theirs is None or isinstance(theirs, (str, bool)):
        assert type(ours) is type(theirs) and ours == theirs, (ours, theirs)
    else:
        assert cs.issparse(ours) == sp.issparse(theirs), (ours, theirs)
        if sp.issparse(theirs):
            assert ours.shape == theirs.shape and ours.dtype == theirs.dtype, (ours, theirs)
            assert not format or type(ours).__name__ == type(theirs).__name__, (ours, theirs)
            assert not stored or ours.nnz == theirs.nnz, (ours, theirs)
            theirs = theirs.toarray()
        got, want = on_host(ours), np.asarray(theirs)
        assert got.shape == want.shape, (got, want)
        assert isinstance(theirs, (int, float)) or got.dtype == want.dtype, (got, want)
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-6)
