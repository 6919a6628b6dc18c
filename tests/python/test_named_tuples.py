"""Named tuples of results: their repr fits a screen, whatever the arrays' sizes, and shows every field."""
import collections

import pytest

import cuprite as cp
from cuprite import linalg
from cuprite.scipy import ndimage

SMALL = "SlogdetResult(sign=array(-1.), logabsdet=array(0.))"
MIDDLE = """SVDResult(
    U=array([[1., 0.],
             [0., 1.]]),
    S=array([4., 3.]),
    Vh=array([[1., 0.],
              [0., 1.]]))"""
LARGE = """QRResult(
    Q=<array of shape (40, 30), float64>,
    R=<array of shape (30, 30), float64>)"""


def test_repr():
    assert repr(linalg.slogdet(cp.asarray([[1.0, 0.0], [0.0, -1.0]]))) == SMALL
    identity = cp.eye(2)
    assert repr(linalg.SVDResult(identity, cp.asarray([4.0, 3.0]), identity)) == MIDDLE
    assert repr(linalg.qr(cp.ones((40, 30)))) == LARGE


def test_a_short_one_is_written_as_python_writes_it():
    plain = collections.namedtuple("EigResult", "eigenvalues eigenvectors")(cp.ones(1), cp.zeros(1))
    assert repr(linalg.EigResult(*plain)) == repr(plain)


@pytest.mark.parametrize("make", [
    lambda n: linalg.svd(cp.random.rand(n, n)), lambda n: linalg.eigh(cp.eye(n)), lambda n: linalg.eig(cp.eye(n)),
    lambda n: linalg.qr(cp.ones((n, 3))), lambda n: cp.unique_all(cp.arange(n)),
    lambda n: cp.unique_counts(cp.arange(n)), lambda n: cp.unique_inverse(cp.arange(n)),
    lambda n: cp.sigma_clip_stats(cp.arange(1.0 + n)),
    lambda n: ndimage.measure(cp.arange(n), 1 + cp.arange(n), n)])
@pytest.mark.parametrize("n", [2, 9, 120])
def test_repr_fits_a_screen(make, n):
    result = make(n)
    text = repr(result)
    lines = text.split("\n")
    assert len(lines) <= 24 and max(map(len, lines)) <= 100
    assert text.startswith(type(result).__name__ + "(") and all(f"{f}=" in text for f in result._fields)
    assert isinstance(result, tuple) and "__dict__" not in text
