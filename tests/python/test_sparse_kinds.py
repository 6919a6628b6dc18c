"""Formats and classes of what sparse matrices give: rows one after the other, sums in place, trees and Laplacians of
graphs are of SciPy's types, not only of its values."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

ss = pytest.importorskip("scipy.sparse")
graphs = pytest.importorskip("scipy.sparse.csgraph")
sparse = cp.scipy.sparse
DENSE = np.array([[0, 1.5, 0, 2], [0, 0, 3, 0], [4, 0, 0, 0], [0, 0, 5, 0]])
FORMATS = [f"{f}_{k}" for f in ("csr", "csc", "coo", "lil", "dia", "bsr", "dok") for k in ("array", "matrix")]


def same(got, want):
    assert type(got).__name__ == type(want).__name__ and got.shape == want.shape and got.dtype == want.dtype
    np.testing.assert_array_equal(got.toarray().get(), want.toarray())


def both(name, x=DENSE):
    theirs = getattr(ss, name)(x)
    return getattr(sparse, name)(theirs), theirs


@pytest.mark.parametrize("name", ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "lil_array", "lil_matrix",
                                  "coo_array"])
def test_rows_one_after_the_other(device, name):
    ours, theirs = both(name)
    found, wanted = list(ours), list(theirs)
    assert len(found) == len(wanted) == 4
    for got, want in zip(found, wanted):
        same(got, want)


@pytest.mark.parametrize("name", ["lil_array", "lil_matrix"])
@pytest.mark.parametrize("dtype", ["d", "i", "D"])
@pytest.mark.parametrize("other", ["csr_array", "lil_matrix", "dense"])
def test_lists_are_added_to_in_place(device, name, dtype, other):
    ours, theirs = both(name, DENSE.astype(dtype))
    mine, there = ours, theirs
    if other == "dense":
        more = cp.asarray(DENSE * 1.25), DENSE * 1.25
    else:
        more = both(other, DENSE * 1.25)
    ours += more[0]
    theirs += more[1]
    assert ours is mine and theirs is there
    same(ours, theirs)
    ours -= more[0]
    theirs -= more[1]
    assert ours is mine
    same(ours, theirs)


@pytest.mark.parametrize("name", ["lil_array", "lil_matrix", "csr_matrix"])
def test_one_row_of_lists(device, name):
    ours, theirs = both(name)
    for i in (0, 2, -1):
        same(ours.getrow(i), theirs.getrow(i))
    with raises(IndexError):
        ours.getrow(9)


@pytest.mark.parametrize("name", ["bsr_array", "bsr_matrix", "csr_array"])
def test_sorted_copies(device, name):
    blocks = name.startswith("bsr")
    data = np.arange(12.0).reshape(3, 2, 2) if blocks else np.arange(3.0)
    made = [(data, np.array([1, 0, 1]), np.array([0, 2, 3]))] * 2
    ours, theirs = (getattr(m, name)(a) for m, a in zip((sparse, ss), made))
    got, want = ours.sorted_indices(), theirs.sorted_indices()
    same(got, want)
    np.testing.assert_array_equal(got.indices.get(), [0, 1, 1])
    np.testing.assert_array_equal(got.data.get(), want.data)
    np.testing.assert_array_equal(ours.indices.get(), [1, 0, 1])     # the matrix itself is as it was


@pytest.mark.parametrize("name", ["dense", *FORMATS])
def test_trees_and_laplacians(device, name):
    ours, theirs = (cp.asarray(DENSE), DENSE) if name == "dense" else both(name)
    for f in ("breadth_first_tree", "depth_first_tree"):
        same(getattr(sparse.csgraph, f)(ours, 0), getattr(graphs, f)(theirs, 0))
    got, want = sparse.csgraph.laplacian(ours), graphs.laplacian(theirs)
    if name == "dense":
        np.testing.assert_array_equal(got.get(), want)
    else:
        same(got, want)
    for form in ("function", "lo"):
        f = sparse.csgraph.laplacian(ours, form=form)
        f = f.matvec if form == "lo" else f
        np.testing.assert_allclose(f(cp.arange(4.0)).get(), (graphs.laplacian(DENSE) @ np.arange(4.0)))


@pytest.mark.parametrize("join", ["hstack", "vstack"])
def test_nothing_to_join(device, join):
    with raises(ValueError):
        getattr(sparse, join)([])
