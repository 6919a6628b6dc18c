"""Reading and setting parts of cuprite.scipy.sparse's matrices, against SciPy: random indices of random matrices, with
duplicates, in any order, empty ones, and of both index types."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, dense, ours_of, outcome, same, sp, theirs_of
from test_sparse import rough


def numbers(r, n, count):
    return r.integers(-n, n, count) if n else np.zeros(0, int)


def along(r, n):
    """An index of an axis of n elements."""
    kind = r.integers(0, 9)
    if kind < 2:
        return int(r.integers(-n, n)) if n else 0
    if kind < 5:
        ends = [None if r.random() < 0.3 else int(r.integers(-n - 1, n + 2)) for _ in range(2)]
        return slice(*ends, None if r.random() < 0.4 else int(r.choice([1, 1, 2, 3, -1, -2])))
    if kind == 5:
        return numbers(r, n, r.integers(0, 5))
    if kind == 6:
        return numbers(r, n, r.integers(1, 4)).tolist()
    return r.random(n) < 0.5 if kind == 7 else slice(None)


def key_of(r, shape, d):
    m, n = shape
    kind, k = r.integers(0, 15), r.integers(1, 5)
    if kind < 8:
        return along(r, m), along(r, n)
    if kind == 12 and m and n:
        return numbers(r, m, 4).reshape(2, 2), numbers(r, n, 4).reshape(2, 2)
    return {8: along(r, m), 9: d > 1, 10: (numbers(r, m, k).reshape(-1, 1), numbers(r, n, k)),
            11: (numbers(r, m, k), numbers(r, n, k)), 12: (Ellipsis, along(r, n)), 13: (None, along(r, m), along(r, n)),
            14: (m + 2, 0)}[int(kind)]


def on_device(r, key):
    if isinstance(key, tuple):
        return tuple(on_device(r, k) for k in key)
    return cp.asarray(key) if isinstance(key, np.ndarray) and r.random() < 0.5 else key


def is_strided_after_array(key):
    """SciPy takes (array, slice with a step) as pairs of indices, and an empty array as a dense result."""
    pair = isinstance(key, tuple) and len(key) == 2 and isinstance(key[1], slice) and key[1].step not in (None, 1)
    return pair and isinstance(key[0], (list, np.ndarray))


def matrices(r, seed):
    format = str(r.choice(["csr", "csc", "lil", "dok"] if seed % 5 == 0 else ["csr", "csc"]))
    is_array, dtype = bool(r.integers(0, 2)), str(r.choice(["bool", "i1", "u2", "i8", "f4", "f8", "c16"]))
    shape = tuple(int(n) for n in r.integers(0 if seed % 7 == 0 else 1, 8, 2))
    if format in ("csr", "csc") and seed % 3 == 0 and 0 not in shape:
        theirs = theirs_of(format, is_array, rough(r, format, dtype, shape, seed % 2))
    else:
        theirs = theirs_of(format, is_array, dense(r, shape, dtype))
    return ours_of(format, is_array, theirs), theirs


def run(seed, check):
    r = np.random.default_rng(seed)
    for _ in range(60):
        ours, theirs = matrices(r, seed)
        d = theirs.toarray()
        key = key_of(r, theirs.shape, d)
        if is_strided_after_array(key):
            continue
        try:
            check(r, ours, theirs, key, d)
        except AssertionError as error:
            raise AssertionError(f"{type(ours).__name__} {theirs.shape} {theirs.dtype}, [{key}]: {error}") from None


@pytest.mark.parametrize("seed", range(20))
def test_reading(seed):
    def check(r, ours, theirs, key, d):
        mine = on_device(r, key)
        same(outcome(lambda: ours[mine]), outcome(lambda: theirs[key]), format=False, stored=False)
    run(seed, check)


def value_for(r, d, key):
    """What is assigned: (of ours, of SciPy)."""
    shape = outcome(lambda: d[key])
    shape = shape.shape if hasattr(shape, "shape") else (1,)
    kind = r.integers(0, 5)
    if kind < 2:
        return 2 * int(kind), 2 * int(kind)
    if kind == 4 and len(shape) == 2:
        theirs = sp.csr_matrix(r.integers(0, 3, shape).astype(d.dtype))
        return cs.csr_matrix(theirs), theirs
    theirs = r.integers(0, 4, shape if kind == 3 else (1,) * len(shape)).astype(d.dtype)
    return cp.asarray(theirs), theirs


def put(x, key, value):
    x = x.copy()
    x[key] = value
    return x


@pytest.mark.parametrize("seed", range(20))
def test_setting(seed):
    def check(r, ours, theirs, key, d):
        mine, (x, y) = on_device(r, key), value_for(r, d, key)
        got, want = outcome(lambda: put(ours, mine, x)), outcome(lambda: put(theirs, key, y))
        if not isinstance(got, type) and not isinstance(want, type) and not sp.issparse(y):
            exact = outcome(lambda: put(d, key, y))   # of several values for one element NumPy's is the last
            if not isinstance(exact, type):
                np.testing.assert_array_equal(got.toarray().get(), exact)
                return
        same(got, want, format=False, stored=False)
    run(seed, check)


@pytest.mark.parametrize("seed", range(6))
def test_diagonals(seed):
    r = np.random.default_rng(seed)
    for format in ("csr", "csc", "coo", "dia", "bsr", "lil", "dok"):
        shape = tuple(int(n) for n in r.integers(1, 8, 2))
        d = dense(r, shape, "f8")
        for k in (0, 1, -2, 9):
            for values in (3, [1.0, 2], np.arange(12.0)):
                ours = ours_of(format, True, d)
                theirs = theirs_of("csr" if format == "bsr" else format, True, d)   # SciPy's own of bsr fails
                got, want = outcome(lambda: ours.setdiag(values, k)), outcome(lambda: theirs.setdiag(values, k))
                assert got is want, (format, shape, k, values, got, want)
                np.testing.assert_array_equal(ours.toarray().get(), theirs.toarray())
                np.testing.assert_array_equal(ours.diagonal(k).get(), theirs.diagonal(k))


@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr", "lil", "dok"])
def test_resize(format):
    r = np.random.default_rng(5)
    d = dense(r, (5, 6), "f8")
    for shape in ((3, 4), (8, 9), (2, 9), (9, 2), (5, 6), (0, 3)):
        ours, theirs = ours_of(format, False, d), theirs_of(format, False, d)
        ours.resize(*shape)
        theirs.resize(*shape)
        assert ours.shape == shape
        np.testing.assert_array_equal(ours.toarray().get(), theirs.toarray())


def test_rows_of_many():
    r = np.random.default_rng(2)
    theirs = sp.random(3000, 500, density=0.05, format="csr", random_state=r)
    ours = cs.csr_matrix(theirs)
    rows, columns = r.integers(0, 3000, 700), r.integers(-500, 500, 900)
    for key in (rows, slice(100, 2000), slice(None, None, -3), (slice(None), columns), (rows, slice(3, 77)),
                (slice(None), slice(10, 400, 7)), (rows[:500], columns[:500]), (rows[:, None], columns)):
        mine = tuple(cp.asarray(k) if isinstance(k, np.ndarray) else k for k in (key if type(key) is tuple else (key,)))
        same(ours[mine], theirs[key], format=False)


def test_errors():
    a = cs.csr_array((3, 4))
    for key in ((5, 0), (0, 4), (slice(None), [4]), ([-4], 0), (0, 0, 0), (Ellipsis, Ellipsis), [True, False],
                (cp.array([3]), 0), a, ([[[0]]], 0), ([0, 1], [0, 1, 2])):
        with raises(IndexError):
            a[key]
    with raises(ValueError):
        a[0, 0] = [1, 2]
    with raises(ValueError):
        a[:2] = cp.ones((3, 4))
    with raises(ValueError):
        a[:2] = cs.csr_array((3, 4))
    with raises(TypeError):
        cs.coo_matrix((3, 3))[0, 0]


def test_a_row_is_a_copy():
    a = cs.csr_matrix(cp.eye(3))
    for part in (a[:], a[0:3], a.getrow(1), a[:, :], a.getcol(0)):
        part.data[:] = 9
    np.testing.assert_array_equal(a.toarray().get(), np.eye(3))
