"""How tests of arrays compare with NumPy: elements, types and exceptions."""
import numpy as np
import pytest

import cuprite as cp
from oracle import kind

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]


def same(ours, theirs):
    """Equal shape, type and elements (NaN equals NaN)."""
    assert isinstance(ours, cp.ndarray)
    theirs = np.asarray(theirs)
    got = ours.get()
    assert got.dtype == theirs.dtype and got.shape == theirs.shape, (got.dtype, theirs.dtype, got.shape, theirs.shape)
    np.testing.assert_array_equal(got, theirs)


def both(f, *arrays):
    """f on our arrays and on NumPy's; exceptions must be of the same kind."""
    try:
        want = f(*arrays)
    except Exception as e:  # noqa: BLE001
        raises(e, lambda: f(*[cp.asarray(a) for a in arrays]))
        return
    got = f(*[cp.asarray(a) for a in arrays])
    same(got, want)


def raises(theirs, call):
    """The call raises what NumPy did: the same class, no mere base of it."""
    with pytest.raises(kind(theirs)) as caught:
        call()
    assert kind(caught.value) is kind(theirs), (caught.value, theirs)
