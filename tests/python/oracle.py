"""Outcomes of a call, ours and NumPy's, compared: values, dtypes, shapes, the type of an exception, ComplexWarning."""
import contextlib
import os
import pathlib
import re
import warnings

import numpy as np
import pytest

import cuprite as cp


def kind(e):
    """The exception that a program would catch: the first of its classes that Python or NumPy documents."""
    public = (np.exceptions.AxisError, np.exceptions.ComplexWarning, np.linalg.LinAlgError)
    return next(t for t in type(e).__mro__ if t.__module__ == "builtins" or t in public)


PROMISED = {np.exceptions.AxisError, np.linalg.LinAlgError, TypeError, ValueError, IndexError, OverflowError,
            ZeroDivisionError, MemoryError}


@contextlib.contextmanager
def raises(error, match=None):
    """pytest.raises for exactly this kind of exception: an AxisError is no ValueError here, nor an IndexError."""
    with pytest.raises(error, match=match) as caught:
        yield caught
    assert error in (type(caught.value), kind(caught.value)), repr(caught.value)


def outcome(f, *args, **options):
    """What a call gives: its result, or the kind of its exception. What nobody promises is a mistake of the test."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return f(*args, **options)
        except Exception as e:  # noqa: BLE001
            if kind(e) not in PROMISED:
                raise
            return kind(e)


def told(f, xp):
    """(exception kind or None, value, categories of the warnings that Cuprite promises)."""
    with warnings.catch_warnings(record=True) as seen, np.errstate(all="ignore"):
        warnings.simplefilter("always")
        try:
            error, value = None, f(xp)
        except Exception as e:  # noqa: BLE001
            error, value = kind(e), None
    return error, value, {w.category for w in seen if w.category is np.exceptions.ComplexWarning}


def equal(ours, theirs):
    """Equal structure, shape, dtype and elements (NaN equals NaN); a 0-d array of ours is a scalar of NumPy's."""
    if isinstance(theirs, (tuple, list)):
        assert type(ours) is type(theirs) and len(ours) == len(theirs), (ours, theirs)
        for p, q in zip(ours, theirs):
            equal(p, q)
    elif isinstance(ours, cp.ndarray):
        got, want = ours.get(), np.asarray(theirs)
        assert got.dtype == want.dtype and got.shape == want.shape, (got, want)
        np.testing.assert_array_equal(got, want)
    else:
        assert type(ours) is type(theirs) and (ours == theirs or ours != ours), (ours, theirs)


def as_numpy_does(f):
    """f(cp) does what f(np) does; f gets the module and makes its arrays with it."""
    their_error, theirs, their_warnings = told(f, np)
    our_error, ours, our_warnings = told(f, cp)
    assert our_error is their_error, (our_error, their_error, ours, theirs)
    assert our_warnings == their_warnings
    if their_error is None:
        equal(ours, theirs)


def instruction_sets():
    """The instruction sets that the tested build has kernels for; all, where its folder does not say."""
    folder = pathlib.Path(os.environ.get("CUPRITE_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
    cache = folder / "CMakeCache.txt"
    found = re.search(r"^CUPRITE_ISAS:STRING=(.*)$", cache.read_text(), re.M) if cache.exists() else None
    return [f"x86-64-{isa}" for isa in (found[1] if found else "v2;v3;v4").split(";")]
