"""Calls that large runs of tools/differential found to be different once (differential.py), and that a difference is
seen."""
import numpy as np
import pytest
from differential import Case, differ, text_case
from oracle import as_numpy_does, raises

import cuprite as cp

def test_comparison_can_fail():
    """Each kind of mismatch is one: elements, the sign of zero, type, shape, strides, errors, what a call writes."""
    case = Case("add", (1, 2), strides=True)
    want = np.array([[1.0, 0.0], [2.0, 3.0]])
    for got in (want + 1, want * [1, -1], want.astype("f4"), want[0], want.T.copy().T, np.array([[np.nan, 0], [2, 3]])):
        ours = cp.asarray(got)
        assert differ(case, ours, ours.get(), want), got
    assert differ(case, 3.0, 3.0, want) and differ(case, cp.asarray(want), want, (want, want))
    assert not differ(case, cp.asarray(want), want, want)


KEPT = [
    "xp.absolute(A('F', [3 + 4j, -3j]), dtype='d', casting='unsafe')",
    "xp.absolute(A('D', [3 + 4j]), dtype='f', casting='unsafe')",
    "xp.abs(A('F', [3 + 4j]), dtype='e', casting='unsafe')",
    "xp.cumprod(A('d', [1, 0.5, 2] * 100), dtype='?')",
    "xp.nancumsum(A('f', [0, 0.5, 0.25] * 100), dtype='?')",
    "xp.cumsum(A('F', [0, 0.5j] * 100), dtype='?')",
    "xp.cumprod(A('q', [2**32, 1] * 100), dtype='?')",
    "xp.cumulative_prod(A('e', [0.5, 1] * 100), dtype='?')",
    "xp.sum(A('?', [True] * 256), out=A('?', [0]).reshape(()))",
    "xp.nansum(A('?', [True] * 512).reshape(256, 2), axis=0, out=A('?', [0, 0]))",
    "xp.prod(A('?', [True] * 256), out=A('?', [0]).reshape(()))",
    "xp.nanquantile(A('d', [nan, 2]), 0.5, axis=(), weights=A('q', [0, 1]), method='inverted_cdf')",
    "xp.nanpercentile(A('e', [nan, nan]), 50, weights=A('B', [0, 0]), method='inverted_cdf')",
    "xp.histogram_bin_edges(A('f', [-24.414224624633789, 12] + [0, 0.001] * 23 + [0]), bins='auto')",
    "xp.histogram_bin_edges(A('f', [-24.414224624633789, 12] + [0, 0.001] * 23 + [0]), bins='sqrt')",
    "xp.bitwise_or(A('H', [1, 2, 3]).reshape(3, 1), A('i', [1, 2, 3, 4]).reshape(1, 4), order='A').strides",
    "xp.add(A('d', [1, 2, 3]), A('d', [1, 2]).reshape(2, 1), order='A').strides",
    "xp.divmod(np.int8(9), A('q', [9]).reshape(1, 1), out=(A('q', [1]).reshape(1, 1), A('d', [1, 2]).reshape(1, 2)))",
    "xp.nanmedian(A('d', [1.5, 2.5, 3.75]), out=A('q', [0]).reshape(()))",
    "xp.nanmedian(A('F', [1.5, 2.5, 3.75]), out=A('d', [0]).reshape(()))",
    "xp.histogramdd([A('b', [1, 2]), A('B', [1, 2]), A('e', [1, 2])], bins=2)",
    "xp.histogramdd(A('?', [True, False]).reshape(2, 1), bins=2)",
    "xp.array([A('q', [1, 2, 3, 4, 5, 6]).reshape(2, 3).T] * 2).strides",
    "xp.asanyarray([A('d', range(6)).reshape(3, 2).T, A('H', range(6)).reshape(3, 2).T]).strides",
    "xp.nanmean(A('B', [9]).reshape(()), 0)",
    "xp.nanmean(A('?', [True]).reshape(()), axis=-1)",
    "xp.nanmedian(A('F', [1 + 2j, complex(nan, 1), 3j, 1 + 1j, 2]))",
    "xp.nanmedian(A('D', [1, nan, nan, nan, 3j, 4]).reshape(3, 2), axis=1)",
    "xp.nanmedian(A('D', range(24)).reshape(2, 3, 4).transpose(2, 0, 1), axis=(0, 2), keepdims=True)",
    "xp.nanmedian(A('D', [2, 3j]).reshape(1, 2), axis=0, out=A('F', [0, 0]))",
    "xp.nanmedian(A('F', []).reshape(0, 3), axis=0)",
    "xp.histogramdd(A('e', [-0.0034389495849609375]).reshape(1, 1))",
    "xp.histogramdd(A('f', [1, 2, 3, 4, 5, 5.5]).reshape(3, 2), bins=[2, 3])[1]",
    "xp.histogram2d(A('e', [2.75]), A('b', [5]), bins=3)",
    "xp.histogram2d(A('f', [2.75, 3.1]), A('f', [2.75, 2.75]), bins=3, range=[(0, 3), None])",
    "xp.cov(A('q', [1, 2, 3]), dtype='i')",
    "xp.corrcoef(A('q', [1, 2, 3]), dtype='?')",
    "xp.cov(A('D', [1, 2j, 3]), dtype='f')",
    "xp.cov(A('d', [1, 2, 4]), A('F', [1, 2, 3]), dtype='d')",
    "xp.corrcoef(A('F', [7.75, 1, 2]), dtype='d')",
    "xp.geomspace(1, 1000, 4)",
    "xp.geomspace(0, 1)",
    "xp.geomspace(2, 5, num=2.5)",
    "xp.geomspace(2, 5, num=-1)",
    "xp.geomspace(A('d', [1.0, 2.0]), A('f', [8.0, 16.0]), 4, axis=1)",
    "xp.geomspace(1, 8, 4, dtype='f')",
    "xp.geomspace(2, 5, axis=1)",
    "xp.geomspace(np.float32(2), 4, 0)",
    "xp.max(A('b', [1, 2]), initial=np.int64(300))",
    "xp.max(A('b', [1, 2]), initial=np.int64(30))",
    "xp.sum(A('q', [1, 2]), initial=np.float64(2**63))",
    "xp.add.reduce(A('h', [1, 2]), initial=np.complex64(1 + 2j))",
    "xp.poly(A('i', [7, 1, 4]))",
    "xp.poly(A('?', [True]))",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", KEPT)
def test_kept(text):
    as_numpy_does(lambda xp: text_case(text, xp))


def test_a_list_is_not_extended():
    """NumPy adds, CuPy raises; Python alone would append the elements."""
    numbers = [1, 2]
    with raises(TypeError):
        numbers += cp.ones(2)
    assert numbers == [1, 2]


def test_results_in_out_leave_nothing(live_blocks):
    """nanmean once kept its result beside out."""
    x = cp.asarray([[1 + 2j, 3], [4, 5j]])
    out, pair = cp.zeros((), "D"), cp.zeros(2, "D")

    def calls():
        cp.nanmean(x, out=out), cp.nanmean(x, axis=0, out=pair)
        cp.nanmedian(x), cp.nanmedian(x, out=out), cp.nanmedian(x, axis=1, out=pair)
        cp.array([x.T, x.T])
    calls()
    before = live_blocks()
    for _ in range(10):
        calls()
    assert live_blocks() == before


def test_geomspace_of_complex_numbers():
    for ends in ((-1000, -1), (1j, 1000j), (1 + 2j, -3 - 4j), (-1, 1j)):
        np.testing.assert_allclose(cp.geomspace(*ends, num=7).get(), np.geomspace(*ends, num=7), rtol=1e-13)
    with raises(ValueError):
        cp.geomspace(cp.asarray([1.0, 0.0]), 5)
