"""cuprite.scipy.sparse against SciPy: operations of random matrices of every format and type, with zeros that are
stored, duplicates and indices in any order. Elements are small integers, so most results are exact."""
import pickle

import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import FORMATS, TYPES, cs, dense, on_host, ours_of, outcome, same, sp, theirs_of

ELEMENTS = """A.sin() A.sqrt() A.expm1() A.sign() A.tan() A.arctan() A.rint() A.floor() A.deg2rad() round(A)""".split()
EXPRESSIONS = ELEMENTS + """
A+B
A-B
A+0
A-0
0-A
A+1
1-A
A*2
2*A
A*B.T
A@2
A.multiply(B)
A.multiply(3)
A.multiply(D)
A.multiply(D[:1])
A.multiply(D[:,:1])
A/2
A/B
-A
abs(A)
A+D
A-D
D-A
D+A
A.power(2)
A.power(0)
A**2 if arr else None
D*A if arr else None
A@v
A@V
v@A.T
w@A
W@A
A@w
A@B.T
A.T@w
A.dot(v)
A@host_v
A!=B
A==B
A<B
A>B
A<=B
A>=B
A>1
A<0
A!=0
A==0
A>=1
A<=-1
A==D
A!=float('nan')
A>float('nan')
A.maximum(B)
A.minimum(B)
A.maximum(0)
A.minimum(0)
A.maximum(1)
A.maximum(D)
A.sum()
A.sum(0)
A.sum(1)
A.sum(-1)
A.sum(2)
A.sum(0, dtype='f4')
A.mean()
A.mean(0)
A.mean(1)
A.mean(-1, dtype='f4')
A.diagonal()
A.diagonal(1)
A.diagonal(-2)
A.diagonal(50)
A.trace()
A.trace(1)
A.nnz
A.count_nonzero()
A.count_nonzero(0)
A.count_nonzero(1)
A.nonzero()
A.T
A.transpose()
A.transpose((0, 1))
A.reshape(N, M)
A.reshape(N * M, 1)
A.reshape(1, -1)
A.reshape(7, 11)
A.reshape((N, M), order='F')
A.astype('c16')
A.astype('f4')
A.astype('i4')
A.astype('f2')
A.conj()
A.conjugate()
A.real
A.imag
A.copy()
A.toarray()
A.toarray(order='F')
A.tocsr()
A.tocsc()
A.tocoo()
A.todia()
A.tobsr()
A.tolil()
A.todok()
A.asformat('no')
A.getnnz(0) if not arr else None
A.getnnz(1) if not arr else None
A.asfptype() if not arr else None
A.getrow(0) if not arr else None
A.getcol(-1) if not arr else None
A.getH() if not arr else None
s.tril(A)
s.triu(A, 1)
s.find(A)
s.kron(A, B)
s.hstack([A, B])
s.vstack([A, B])
s.bmat([[A, None], [None, B]])
s.block_array([[A, B]])
s.block_diag([A, B])
""".strip().splitlines()
EXTREMES = """A.max() A.min() A.max(0) A.min(1) A.max(-1) A.argmax() A.argmin() A.argmax(0) A.argmin(1) A.argmax(1)
A.nanmax() A.nanmin(0) A.max(1,explicit=True) A.argmin(1,explicit=True) A.min(explicit=True) A.argmax(explicit=True)
A.max(5) A.argmin(0,out=1)""".split()


def expected_difference(e, format, types, shape):
    """What is known to differ: SciPy's mistakes, and types that it does not check everywhere."""
    return (format in ("lil", "dok") and (e in ELEMENTS or e in ("A+1", "A+0", "A-0", "A/2"))  # SciPy's have none
            or e == "A/B" and ("c8" in types or "c16" in types)            # complex numbers by 0
            or format == "dia" and e in [*ELEMENTS, "A.astype('f2')"]       # float16 results
            or format == "dia" and e in ("A*B.T", "A@B.T", "A+B", "A-B")   # SciPy's own errors of casts and lengths
            or format == "coo" and 1 in shape and "@" in e or e == "A.dot(v)" and 1 in shape)  # SciPy gives a scalar


def pair(r, format, is_array, dtype, shape):
    d = dense(r, shape, dtype)
    theirs = theirs_of(format, is_array, d)
    if format in ("csr", "csc") and theirs.nnz and r.random() < 0.5:
        theirs.data[0] = 0
    return ours_of(format, is_array, theirs), theirs


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_array", [True, False])
@pytest.mark.parametrize("format", FORMATS)
def test_expressions(format, is_array, seed):
    r = np.random.default_rng((seed, is_array, FORMATS.index(format)))
    types = str(r.choice(TYPES)), str(r.choice(TYPES))
    shape = (4, 6) if seed == 3 else tuple(int(n) for n in r.integers(1, 7, 2))
    (a, sa), (b, sb) = pair(r, format, is_array, types[0], shape), pair(r, r.choice(FORMATS), is_array, types[1], shape)
    m, n = shape
    host = {"v": r.integers(-3, 4, n).astype("i4"), "V": r.integers(-3, 4, (n, 3)).astype("f8"),
            "w": r.integers(-3, 4, m).astype("f8"), "W": r.integers(-3, 4, (2, m)).astype("f4"),
            "D": dense(r, shape, "f8", 1)}
    theirs = {**host, "A": sa, "B": sb, "s": sp, "M": m, "N": n, "arr": is_array, "host_v": host["v"]}
    ours = {**{k: cp.asarray(v) for k, v in host.items()}, "A": a, "B": b, "s": cs, "M": m, "N": n, "arr": is_array,
            "host_v": host["v"]}
    loose = format in ("lil", "dok", "bsr")
    for e in EXPRESSIONS + (EXTREMES if hasattr(sa, "argmax") else []):
        if expected_difference(e, format, types, shape):
            continue
        got, want = outcome(lambda: eval(e, dict(ours))), outcome(lambda: eval(e, dict(theirs)))
        try:
            same(got, want, format=not loose and e != "A*B.T", stored=not loose and format != "dia")
        except AssertionError as error:
            raise AssertionError(f"{e} of {format}, {types}, {shape}: {error}") from None


def rough(r, format, dtype, shape, wide):
    """A csr or csc matrix of SciPy's with duplicates, in no order, with zeros and empty lines."""
    m, n = shape
    count = int(r.integers(0, m * n + 3)) if m * n else 0
    row, column = r.integers(0, max(m, 1), count), r.integers(0, max(n, 1), count)
    data = dense(r, count, dtype, 0.8)
    major, minor = (row, column) if format == "csr" else (column, row)
    order = np.argsort(major, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(major, minlength=m if format == "csr" else n))])
    index = "i8" if wide else "i4"
    new = getattr(sp, format + "_array")((data[order], minor[order], ends), shape=shape)
    new.indices, new.indptr = new.indices.astype(index), new.indptr.astype(index)
    return new


ROUGH = """A+B|A-B|A.multiply(B)|A@B.T|B.T@A|A.toarray()|A.tocsr()|A.tocsc()|A.tocoo()|A.T|A.sum(0)|A.sum(1)|A@v|w@A
A.sum()|A.diagonal()|A.diagonal(1)|A.max(0) if 0 not in shape else 0|A.argmin(1) if 0 not in shape else 0
A.count_nonzero()|A!=B|A<B|A>0|A.maximum(B)|abs(A)|A.astype('f4')|A.sorted_indices()|A.nonzero()|A.copy()|A.todia()
A.sign()|A[:, ::-1]|A[::-1]|A[1:3]|A[:, 1:3]|A.reshape(-1, 1)|A.has_sorted_indices
A.has_canonical_format""".replace("\n", "|").split("|")


@pytest.mark.parametrize("seed", range(25))
def test_duplicates_and_order(seed):
    r = np.random.default_rng(seed)
    format, dtype = str(r.choice(["csr", "csc"])), str(r.choice(["i1", "i8", "f4", "f8", "c16", "u2"]))
    shape = tuple(int(n) for n in r.integers(0 if seed % 5 == 0 else 1, 9, 2))
    sa, sb = rough(r, format, dtype, shape, seed % 2), rough(r, format, dtype, shape, seed % 3 == 0)
    for e in ROUGH:
        host = {"v": np.arange(shape[1]) - 2, "w": np.arange(shape[0]) - 2}
        theirs = {"A": sa.copy(), "B": sb.copy(), "shape": shape, **host}
        ours = {"A": cs.csr_array(sa) if format == "csr" else cs.csc_array(sa),
                "B": cs.csr_array(sb) if format == "csr" else cs.csc_array(sb), "shape": shape,
                **{k: cp.asarray(v) for k, v in host.items()}}
        got, want = outcome(lambda: eval(e, ours)), outcome(lambda: eval(e, theirs))
        try:
            same(got, want, stored=e not in ("A+B", "A-B", "A.multiply(B)"))
        except AssertionError as error:
            raise AssertionError(f"{e} of {format}, {dtype}, {shape}: {error}") from None


def test_shared_arrays():
    data, indices, indptr = cp.arange(4.0), cp.array([0, 2, 1, 2], dtype="i4"), cp.array([0, 2, 3, 4], dtype="i4")
    a = cs.csr_matrix((data, indices, indptr), shape=(3, 3))
    assert a.data is data and a.indices is indices and a.indptr is indptr
    data[3] = 7
    assert float(a[2, 2]) == 7
    assert cs.csr_matrix((data, indices, indptr), shape=(3, 3), copy=True).data is not data
    assert a.T.data is data and a.T.format == "csc"
    a.indices = cp.array([0, 2, 1, 3], dtype="i4")
    with raises(ValueError):
        a @ cp.ones(3)


BAD = {
    "pointers that fall": ([1., 2, 3], [0, 1, 2], [0, 2, 1, 3]), "too long": ([1., 2], [0, 1], [0, 1, 5, 2]),
    "negative pointer": ([1., 2], [0, 1], [0, -1, 1, 2]), "start": ([1., 2], [0, 1], [1, 1, 2, 2]),
    "end": ([1., 2], [0, 1], [0, 1, 2, 9]), "high index": ([1., 2], [0, 3], [0, 1, 2, 2]),
    "low index": ([1., 2], [0, -1], [0, 1, 2, 2]), "lengths": ([1., 2, 3], [0, 1], [0, 1, 2, 2]),
    "few pointers": ([1., 2], [0, 1], [0, 1, 2]), "two axes": ([[1., 2]], [0, 1], [0, 1, 2, 2]),
}


@pytest.mark.parametrize("what", BAD)
@pytest.mark.parametrize("format", ["csr", "csc"])
def test_bad_arrays(format, what):
    data, indices, indptr = BAD[what]

    def theirs():
        theirs_of(format, True, (data, indices, indptr), shape=(3, 3)).check_format(full_check=True)
    assert outcome(theirs) is ValueError
    with raises(ValueError):
        ours_of(format, True, (cp.array(data), cp.array(indices), cp.array(indptr)), shape=(3, 3))


@pytest.mark.parametrize("make", [
    lambda s, x: s.coo_array(([1.0, 2], ([0, 3], [1, 1])), shape=(3, 3)),
    lambda s, x: s.coo_array(([1.0, 2], ([0, -1], [1, 1])), shape=(3, 3)),
    lambda s, x: s.coo_array(([1.0], ([0, 1], [1, 1])), shape=(3, 3)), lambda s, x: s.coo_array(([], ([], []))),
    lambda s, x: s.csr_array((3, -1)), lambda s, x: s.csr_matrix((3,)), lambda s, x: s.csr_matrix((1, 2, 3, 4)),
    lambda s, x: s.csr_array(3.0), lambda s, x: s.csr_array(x.zeros((2, 2, 2))), lambda s, x: s.csc_array(x.zeros(3)),
    lambda s, x: s.csr_array(x.zeros((2, 2), dtype="f2")), lambda s, x: s.dia_array((x.ones((1, 3)), [0])),
    lambda s, x: s.dia_array((x.ones((2, 3)), [0, 0]), shape=(3, 3)),
    lambda s, x: s.dia_array((x.ones((2, 3)), [0]), shape=(3, 3)), lambda s, x: s.bsr_array((3, 4), blocksize=(2, 2)),
    lambda s, x: s.bsr_array(s.eye_array(6), blocksize=(4, 2)), lambda s, x: len(s.csr_array((3, 3))),
    lambda s, x: bool(s.csr_array((3, 3))), lambda s, x: s.csr_array((3, 3)) @ x.ones(4),
    lambda s, x: s.csr_array((3, 3)) @ x.ones((4, 2)), lambda s, x: s.csr_array((3, 3)) @ s.csr_array((4, 3)),
    lambda s, x: x.ones(4) @ s.csr_array((3, 3)), lambda s, x: s.csr_array((3, 3)) + s.csr_array((3, 4)),
    lambda s, x: s.csr_array((3, 3)) < s.csr_array((3, 4)), lambda s, x: s.csr_array((3, 3)) + x.ones((4, 4)),
    lambda s, x: s.csr_array((3, 3)).multiply(s.csr_array((2, 3))), lambda s, x: s.csr_matrix((3, 4)) ** 2,
    lambda s, x: s.csr_matrix((3, 3)) ** -1, lambda s, x: s.csr_matrix((3, 3)) ** 1.5,
    lambda s, x: s.csr_array((3, 0)).max(), lambda s, x: s.csr_array((3, 0)).max(1),
    lambda s, x: s.csr_array((3, 3)).setdiag([1], 5), lambda s, x: s.csr_array((3, 3)).reshape(2, 2),
    lambda s, x: s.csr_array((3, 3)).reshape(-1, -1), lambda s, x: s.csr_array((3, 3)).sum(axis=(0, 0)),
    lambda s, x: s.csr_array((3, 3)).sum(axis=1.5), lambda s, x: s.csr_array((3, 3)).sum(axis=()),
    lambda s, x: s.csr_array((3, 3), dtype=bool).__neg__(), lambda s, x: s.csr_array((3, 3))[1.5],
    lambda s, x: s.coo_matrix((3, 3))[0], lambda s, x: s.kronsum(s.eye(3, 4), s.eye(3)),
    lambda s, x: s.hstack([s.eye(3), s.eye(4)]), lambda s, x: s.bmat([s.eye(3)]),
    lambda s, x: s.diags_array([[1, 2, 3]], offsets=[0, 1]), lambda s, x: s.diags_array([[1, 2]], shape=(5, 5)),
    lambda s, x: s.diags_array([[1, 2], [1]], offsets=[0, 9], shape=(2, 2)),
    lambda s, x: s.random_array((3, 3), density=2), lambda s, x: s.csr_array((3, 3)).asformat("x"),
])
def test_errors(make):
    ours, theirs = outcome(lambda: make(cs, cp)), outcome(lambda: make(sp, np))
    assert isinstance(theirs, type), theirs
    assert ours is theirs


def test_of_one_axis():
    for x in ([0, 3, 0, 4.0], [0, 0], [5]):
        a, b = cs.coo_array(cp.array(x)), sp.coo_array(np.array(x))
        for e in ("A", "A+A", "A.sum()", "A.toarray()", "A@A", "A.tocsr()", "A.T", "A*2", "A.nonzero()",
                  "A.reshape(-1, 1)", "A.max()", "A.tocsr()[0]", "A.tocsr()[-1:]", "A.tocsr()+A",
                  "A.tocsr()@A.toarray()",
                  "A.count_nonzero()", "A.tocsc()", "repr(A)", "str(A)", "A.tocsr().multiply(A.toarray())"):
            same(outcome(lambda: eval(e, {"A": a})), outcome(lambda: eval(e, {"A": b})))


@pytest.mark.parametrize("format", FORMATS)
def test_to_and_from_scipy(format, tmp_path):
    d = dense(np.random.default_rng(1), (5, 7), "f8")
    for is_array in (True, False):
        theirs = theirs_of(format, is_array, d)
        ours = ours_of(format, is_array, theirs)
        back = ours.get()
        assert type(back) is type(theirs) and (back.toarray() == d).all()
        again = pickle.loads(pickle.dumps(ours))
        assert type(again) is type(ours) and (on_host(again) == d).all()
        if format in ("lil", "dok"):
            with raises(NotImplementedError):
                cs.save_npz(tmp_path / "m.npz", ours)
            continue
        cs.save_npz(tmp_path / "m.npz", ours)
        same(ours, sp.load_npz(tmp_path / "m.npz"))
        same(cs.load_npz(tmp_path / "m.npz"), theirs)


def test_index_types():
    assert cs.csr_array((3, 3)).indices.dtype == cp.int32
    assert cs.csr_array((3, 2**31 + 5)).indices.dtype == cp.int64
    wide = cp.array([0, 1], dtype="i8"), cp.array([0, 1, 2], dtype="i8")
    assert cs.csr_matrix((cp.ones(2), *wide), shape=(2, 2)).indices.dtype == cp.int32
    assert cs.csr_array((cp.ones(2), *wide), shape=(2, 2)).indices.dtype == cp.int64
    far = cs.coo_array(([1.0, 2], ([0, 1], [2**40, 5])), shape=(2, 2**40 + 1))
    assert far.col.dtype == cp.int64 and float(far.tocsr()[0, 2**40]) == 1
    assert float((far.tocsr() + far.tocsr()).sum()) == 6
    wide = cs.csr_array((cp.array([1.0, 2, 3]), cp.array([2**40, 7, 2**39]), cp.array([0, 2, 3])), shape=(2, 2**40 + 1))
    product = cs.csr_array(cp.array([[1.0, 1], [0, 2]])) @ wide
    assert product.indices.tolist() == [7, 2**39, 2**40, 2**39] and product.data.tolist() == [2, 3, 1, 6]
    assert wide.sorted_indices().indices.tolist() == [7, 2**40, 2**39]
    for s in (cs, sp):  # few rows among very many
        twice = s.coo_array(([1.0, 2, 3, 4], ([2**39, 1, 2**39, 2**40 - 1], [3, 1, 3, 0])), shape=(2**40, 4))
        twice.sum_duplicates()
        assert twice.row.tolist() == [1, 2**39, 2**40 - 1] and twice.col.tolist() == [1, 3, 0]
        assert twice.data.tolist() == [2, 4, 4] and twice.shape == (2**40, 4) and twice.row.dtype == np.int64
    tall = cs.dia_array((cp.arange(1.0, 7).reshape(2, 3), [-2**39, -7]), shape=(2**40, 4)).tocoo()  # SciPy makes rows
    assert tall.row.tolist() == [7, 8, 9, 2**39, 2**39 + 1, 2**39 + 2] and tall.col.tolist() == [0, 1, 2] * 2
    assert tall.data.tolist() == [4, 5, 6, 1, 2, 3] and tall.shape == (2**40, 4)
    with raises(ValueError):
        cs.safely_cast_index_arrays(far.tocsr())
    for s in (cs, sp):
        assert s.get_index_dtype(maxval=2**31) == np.int64 and s.get_index_dtype(maxval=2**31 - 1) == np.int32


@pytest.mark.device
def test_sums_have_the_same_bits_everywhere(device):
    r = np.random.default_rng(9)
    for density, n in ((0.002, 3000), (0.2, 300)):
        m = sp.random(n, n, density=density, format="csr", random_state=r, data_rvs=lambda k: r.normal(size=k))
        x, many = r.normal(size=n), r.normal(size=(n, 3))
        results = []
        for where in ("cpu", device):
            with cp.cuda.Device(where):
                a = cs.csr_array(m)
                d = cp.asarray(x)
                product = a @ a
                found = (a @ d, a.T @ d, a @ cp.asarray(many), a.sum(0), a.sum(1), product.data, product.indices,
                         (a + a.T).data, a.T.tocsr().data)
                results.append([v.get() for v in found])
        for p, q in zip(*results):
            np.testing.assert_array_equal(p, q)


def test_the_module_of_a_matrix():
    a = cs.csr_matrix((2, 2))
    assert cp.get_array_module(a) is cp and cp.scipy.get_array_module(1, a) is cp.scipy
    assert cp.get_array_module(sp.csr_matrix((2, 2))) is np


def test_large_rows_and_products():
    r = np.random.default_rng(4)
    n = 100000
    row, column = r.integers(0, 400, n), r.integers(0, 20000, n)
    row[:60000] = 7     # one row has most of the elements
    data = r.integers(-3, 4, n).astype(float)
    theirs = sp.coo_array((data, (row, column)), shape=(400, 20000))
    ours = cs.coo_array((cp.asarray(data), (cp.asarray(row), cp.asarray(column))), shape=(400, 20000))
    same(ours.tocsr(), theirs.tocsr())
    same(ours.tocsc(), theirs.tocsc())
    same(ours.tocsr() @ ours.tocsr().T, theirs.tocsr() @ theirs.tocsr().T)
    same(ours.T @ cp.arange(400.0), theirs.T @ np.arange(400.0))
    same(ours.tocsr()[[7, 7, 3]], theirs.tocsr()[[7, 7, 3]])
