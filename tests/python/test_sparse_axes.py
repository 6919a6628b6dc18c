"""coo arrays of three axes and more: arithmetic, sums along axes, products of stacks, shapes and indexing. SciPy is
the oracle; of indexing it is NumPy's dense array."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, dense, on_host, outcome, same, sp

EXPRESSIONS = """
A+B A-B A*B A*2 2*A A/2 -A abs(A) A+0 A==B A!=B A<B A>B A<=B A>=B A>1 A<0 A==0 A!=0 A.maximum(B) A.minimum(B)
A.maximum(0) A.maximum(2) A.minimum(-1) A+D D+A A-D D-A A*D A.multiply(D) A.maximum(D) A==D A<D A/A A/D
A.sum() A.sum(0) A.sum(1) A.sum(-1) A.sum((0,1)) A.sum((2,0)) A.sum((0,1,2)) A.sum(0,dtype='f4') A.mean() A.mean(0)
A.mean((0,2)) A.max() A.min() A.max(0) A.max((0,1)) A.min(2) A.min((1,2)) A.max(0,explicit=True) A.argmax()
A.argmin() A.argmax(0) A.argmin(1) A.argmax(2) A.nanmax(1) A.reshape(12,5) A.reshape(60) A.reshape(2,2,3,5)
A.reshape((4,3,5),order='F') A.reshape(-1,5) A.reshape((20,3),order='F') A.transpose() A.transpose((1,0,2)) A.T
A.astype('f4') A.astype('c16') A.real A.imag A.conj() A.power(2) A**2 A.rint() round(A) A.copy() A.tocoo() A.nnz
A.count_nonzero() A.nonzero() A.toarray() A.toarray(order='F') A@v A@M A@T A@Ms A@Ts A@vs W@A Ws@A Ks@T Ks@Ts
v@A.transpose((0,2,1)) A.dot(v) A.dot(M) A.dot(Ms) A.dot(T.transpose(1,0,2)) A.dot(Ts.transpose((1,0,2))) Q@M Qs@Ms
Qs@A.transpose((0,2,1)) A.tensordot(B,3) A.tensordot(D,3) A.tensordot(M,1) A.tensordot(Ms,1) A.tensordot(v,1)
A.tensordot(B,([0,1],[0,1])) A.tensordot(D,([2,1],[2,1])) A.tensordot(B,([0],[0])) Ks.tensordot(A,([0],[1]))
m.expand_dims(A,axis=0) m.expand_dims(A,axis=-1) m.expand_dims(Ms,axis=1) m.expand_dims(vs,axis=0)
m.expand_dims(m.csr_array(Ks),axis=2) m.swapaxes(A,0,2) m.permute_dims(A,(2,0,1)) m.kron(A,Ks) m.kron(A,B)
m.kron(vs,A) m.coo_array((2,3,4)).nnz m.coo_array((2,0,4)).sum(0) m.coo_array((2,3,4)).max(0)
m.coo_array((0,3,4)).toarray() m.coo_array((2,3,4))@m.coo_array((4,0)) m.coo_array((2,3,0))@m.coo_array((0,2))
repr(A) str(A) A.row A.col
A.tocsr() A.tocsc() A.tobsr() A.diagonal() A.trace() A.setdiag(1) A.resize(3,4,5) A.todok() A.todia()
A+B.transpose() A.multiply(Ks) A@K A@Ks A.dot(Ks) A.sum(5) A.max(4) A.tensordot(B,4) A.tensordot(B,([0],[1]))
A.tensordot(B,([0,1],[0])) A.dot(None) A@None A+1 A.transpose((0,1)) A.transpose((0,0,1)) A.transpose(1) len(A)
bool(A) A.max(0,out=1) m.coo_array((2,-3,4)) m.coo_array((2,0,4)).max(1) m.coo_array((2,0,4)).argmax()
m.expand_dims(A,axis=9) m.expand_dims(A,axis=1.5) m.swapaxes(A,0,5) A.reshape(7,9)""".split()


def operands(module, array):
    r = np.random.default_rng(2)
    shapes = {"A": (3, 4, 5), "B": (3, 4, 5), "M": (5, 6), "T": (3, 5, 2), "v": (5,), "W": (2, 3, 4), "Q": (2, 3, 4, 5),
              "K": (4, 5)}
    plain = {name: array(dense(r, shape, "f8", 0.5)) for name, shape in shapes.items()}
    sparse = {name + ("" if name in "AB" else "s"): module.coo_array(x) for name, x in plain.items()}
    return {**plain, "D": plain["B"], **sparse, "m": module}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_as_scipy(expression):
    theirs = outcome(lambda: eval(expression, operands(sp, np.asarray)))
    ours = outcome(lambda: eval(expression, operands(cs, cp.asarray)))
    if expression.startswith("str"):
        ours, theirs = ours.split("\n")[:3], theirs.split("\n")[:3]
        assert ours == theirs
    else:
        same(ours, theirs, stored=False)


def test_iteration_and_the_last_axes():
    a = cs.coo_array(cp.arange(24.0).reshape(2, 3, 4))
    np.testing.assert_array_equal([on_host(x) for x in a], np.arange(24.0).reshape(2, 3, 4))
    assert a.mT.shape == (2, 4, 3)
    np.testing.assert_array_equal(on_host(a.mT), np.arange(24.0).reshape(2, 3, 4).swapaxes(1, 2))


def test_duplicates():
    """Elements at one place are added; as many are counted as are stored."""
    at = tuple(cp.asarray(x) for x in ([1, 0, 1], [2, 0, 2], [3, 1, 3]))
    a = cs.coo_array((cp.asarray([1.0, 2.0, 4.0]), at), shape=(2, 3, 4))
    assert a.nnz == 3 and float(a[1, 2, 3]) == 5
    a = a.copy()
    a.sum_duplicates()
    assert a.nnz == 2 and a.has_canonical_format
    assert [int(x) for c in a.coords for x in c.get()] == [0, 1, 0, 2, 1, 3]


@pytest.mark.parametrize("bad", [([2], [0], [0]), ([0], [-1], [0]), ([0], [0], [4])])
def test_places_outside(bad):
    with raises(ValueError):
        cs.coo_array((cp.asarray([1.0]), tuple(map(cp.asarray, bad))), shape=(2, 3, 4))


def test_too_many_elements():
    """Numbers of elements are int64: an array of more is made, but not reshaped."""
    a = cs.coo_array((2**30, 2**30, 2**30))
    for call in (lambda: a.reshape(2**45, 2**45), lambda: a + a):
        with raises(ValueError):
            call()


def a_key(r, shape):
    key, i = [], 0
    while i < len(shape):
        n, choice = shape[i], r.integers(0, 9)
        if choice == 8:
            break
        i += choice != 7
        step = [None, 1, 2, -1, -2][r.integers(0, 5)]
        ends = [None if r.random() < 0.3 else int(x) for x in r.integers(-n - 1, n + 2, 2)]
        key.append([int(r.integers(-n, n)), slice(*ends, step), slice(None), r.integers(-n, n, 3),
                    r.integers(-n, n, (2, 3)), r.integers(0, 2, n).astype(bool), list(map(int, r.integers(-n, n, 3))),
                    None][choice])
    return tuple(key + [Ellipsis] if i < len(shape) and r.random() < 0.4 else key)


@pytest.mark.parametrize("seed", range(20))
def test_indexing(seed):
    """What a key gives and sets is NumPy's, for integers, slices, masks, arrays, new axes and their mixtures."""
    r = np.random.default_rng(seed)
    for _ in range(25):
        shape = tuple(map(int, r.integers(1, 5, r.integers(3, 5))))
        d = dense(r, shape, "f8", 0.5)
        key = a_key(r, shape)
        ours_key = tuple(cp.asarray(k) if isinstance(k, np.ndarray) and r.random() < 0.5 else k for k in key)
        a = cs.coo_array(cp.asarray(d))
        want, got = outcome(lambda: d[key]), outcome(lambda: a[ours_key])  # noqa: B023
        if isinstance(want, type):
            assert got is want
            continue
        assert cs.issparse(got) == (np.ndim(want) > 0) and got.dtype == want.dtype
        assert got.shape == want.shape
        np.testing.assert_array_equal(on_host(got), want)
        several = any(isinstance(k, (np.ndarray, list)) for k in key)  # which of several values stays is open
        x = float(r.integers(0, 3)) if several else dense(r, want.shape, "f8", 0.5)
        d[key] = x
        a[ours_key] = x if r.random() < 0.5 or not np.ndim(x) else cs.coo_array(cp.asarray(x))
        np.testing.assert_array_equal(on_host(a), d)


@pytest.mark.parametrize("key", [(0, 0, 0, 0), (5,), (slice(None), [7]), (0.5,), ([0, 1], [0, 1, 2])])
def test_keys_that_are_refused(key):
    a = cs.coo_array(cp.ones((3, 4, 5)))
    theirs = outcome(lambda: sp.coo_array(np.ones((3, 4, 5)))[key])
    assert outcome(lambda: a[key]) is theirs


def test_new_axes_of_a_matrix():
    a = cs.coo_array(cp.asarray([[1.0, 0], [0, 2]]))
    for key in ((None,), (slice(None), None, 1), (None, 0, None, 1), (None, [0, 1], [1, 1])):
        np.testing.assert_array_equal(on_host(a[key]), a.toarray().get()[key])


def test_back_and_forth():
    """To SciPy and back, and through pickle."""
    import pickle
    a = cs.coo_array(cp.asarray(dense(np.random.default_rng(0), (3, 2, 4), "f4")))
    for b in (cs.coo_array(a.get()), pickle.loads(pickle.dumps(a))):
        assert type(b) is cs.coo_array and b.shape == a.shape and b.dtype == a.dtype
        np.testing.assert_array_equal(on_host(a), on_host(b))


@pytest.mark.parametrize("key", [
    (slice(None, 1), [[1, 3]]), ([[0, 0]], slice(None, 1)), ([[0, 1], [2, 3]],), ([[[1], [2]]], [[[0, 1]]]),
    (Ellipsis, [[1, 2], [0, 3]]), ([[1, 2], [0, 3]], Ellipsis), ([[[1], [2]]], slice(1, 4))])
def test_indices_of_two_axes_that_give_more(key):
    dense = np.arange(30.0).reshape(5, 6) * (np.arange(30).reshape(5, 6) % 3 > 0)
    want = dense[tuple(np.array(k) if isinstance(k, list) else k for k in key)]
    for form in (key, tuple(cp.asarray(k) if isinstance(k, list) else k for k in key)):
        np.testing.assert_array_equal(cs.coo_array(cp.asarray(dense))[form].toarray().get(), want)
        if want.ndim > 2:
            with pytest.raises(IndexError):
                cs.csr_array(cp.asarray(dense))[form]


@pytest.mark.parametrize("old, new", [((5, 6), (12,)), ((5, 6), (40,)), ((30,), (4, 5)), ((30,), (6, 7)),
                                      ((5, 6), (0,)), ((30,), (30, 1))])
def test_resize_between_one_axis_and_two(old, new):
    dense = (np.arange(30.0) * (np.arange(30) % 3 > 0)).reshape(old)
    a = cs.coo_array(cp.asarray(dense))
    a.resize(new)
    want = np.zeros(np.prod(new, dtype=int))
    want[:30] = dense.ravel()[:want.size]
    np.testing.assert_array_equal(a.toarray().get(), want.reshape(new))
    with pytest.raises(ValueError, match="1-D or 2-D"):
        a.resize(1, 2, 3)


def test_dictionaries_of_keys():
    places = [(0, 2), (1, 0), (2, 1)]
    for name in ("dok_array", "dok_matrix"):
        want, got = getattr(sp, name), getattr(cs, name)
        for rest in ((), (-1,)):
            np.testing.assert_array_equal(got.fromkeys(places, *rest).toarray().get(),
                                          want.fromkeys(places, *rest).toarray())
        a = got.fromkeys(places)
        with pytest.raises(KeyError):
            a.pop((5, 5))
        assert a.pop((5, 5), None) is None and a.pop((0, 2)) == 1 and a.nnz == 2
        for other in (10, 2j):
            b = a + other
            assert b.format == "dok" and type(b) is got
            np.testing.assert_array_equal(b.toarray().get(), a.toarray().get() + other)
            np.testing.assert_array_equal((other + a).toarray().get(), b.toarray().get())
        a.update({(0, 0): 7})
        a.update(got.fromkeys([(1, 1)]))
        assert a[0, 0] == 7 and a[1, 1] == 1
        with pytest.raises(IndexError):
            a.update({(9, 9): 1})


@pytest.mark.parametrize("kind", ["?", "i1", "f4", "D"])
def test_one_axis_as_an_array(kind):
    """toarray of one axis: elements at one place are added, layouts and out= are SciPy's."""
    data, at = np.asarray([100, 100, 1, 0]).astype(kind), np.asarray([3, 3, 0, 1])
    for index in ("i4", "i8"):
        ours = cs.coo_array((cp.asarray(data), (cp.asarray(at.astype(index)),)), shape=(5,))
        theirs = sp.coo_array((data, (at.astype(index),)), shape=(5,))
        for order in (None, "C", "F"):
            got, want = ours.toarray(order=order), theirs.toarray(order=order)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.get(), want)
        out = cp.full(5, 1, kind)
        assert ours.toarray(out=out) is out
        np.testing.assert_array_equal(out.get(), theirs.toarray(out=np.full(5, 1, kind)))
        for wrong in (lambda m, x: m.toarray(order="K"), lambda m, x: m.toarray(order="C", out=x.zeros(5, kind)),
                      lambda m, x: m.toarray(out=x.zeros(4, kind)), lambda m, x: m.toarray(out=x.zeros(5, "u2"))):
            for m, x in ((ours, cp), (theirs, np)):
                with raises(ValueError):
                    wrong(m, x)
    empty = cs.coo_array((4,), dtype=kind).toarray()
    assert empty.shape == (4,) and not empty.any()
