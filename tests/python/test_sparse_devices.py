"""Sparse matrices while another device than theirs is current: results lie where their arrays do, the same ones."""
import numpy as np
import pytest

import cuprite as cp

sp = pytest.importorskip("scipy.sparse")
pytestmark = [pytest.mark.once, pytest.mark.filterwarnings("ignore:Changing the sparsity")]
HOME, ELSEWHERE = "late:0", ("late:1", "cpu")
MATRIX = sp.random_array((20, 20), density=.2, rng=np.random.default_rng(5)) + sp.eye_array(20) * 5
EVERY = """m @ x; m.T @ x; m @ X; x @ m; m @ m; m + m; m - m; m * 2; m.multiply(X); m.multiply(x); m.tocsc(); m.tocsr()
m.tocoo(); m.todia(); m.tobsr(); m.toarray(); m.sum(axis=0); m.diagonal(); m[1:5]; m[3]
m[3, 4]; m[idx]; m[mask]; m[idx, idx]; m == 0; m < m; abs(m); m.astype('f4'); m.copy(); m.nonzero(); m / 2; m / m; -m
m.reshape((10, 40)); m.maximum(m); s.hstack([m, m]); s.block_array([[m, None], [None, m]]); s.kron(m, m); s.tril(m)
s.find(m); X + m; X @ m"""
ONCE = """s.kronsum(m, m); s.block_diag([m, m]); s.csr_array(X); s.csc_array(X); s.coo_array(X); s.dia_array(X)
s.bsr_array(X); s.csr_array((X[0], (reverse, reverse)), shape=(20, 20)); s.csr_array((m.data, m.indices, m.indptr))
s.diags_array([x[:-1], x], offsets=[1, 0]); m ** 2; m.sorted_indices(); m.mean(axis=1); m.power(2); m.sqrt(); m.trace()
m.min(axis=1); m.max(axis=0); m.argmax(axis=0); m.count_nonzero(axis=0); m[:, [1, 2]]; m[[1, 2, 3]]
g.connected_components(m); g.shortest_path(m); g.dijkstra(m, indices=0)
g.laplacian(m); g.minimum_spanning_tree(m); g.breadth_first_order(m, 0); g.csgraph_from_dense(X); g.bellman_ford(m)
g.reverse_cuthill_mckee(m); l.norm(m); l.spsolve(m.tocsc(), x); l.splu(m.tocsc()).solve(x); l.cg(m @ m.T, x)[0]
l.gmres(m, x)[0]; l.aslinearoperator(m) @ x; l.expm_multiply(m, x); l.lsqr(m, x)[0]; l.factorized(m.tocsc())(x)
l.eigsh(m + m.T, 2, v0=x)[0]; l.onenormest(m); l.spsolve_triangular(s.tril(m).tocsr(), x); l.inv(m.tocsc())"""
IN_PLACE = """m[1, 2] = 5; m[1:3] = 2; m[:, 1] = x[:, None]; m[idx] = 1.5; m.setdiag(x); m.resize((10, 10))
m.eliminate_zeros(); m.sort_indices()"""


def split(text):
    return [c.strip() for line in text.splitlines() for c in line.split(";")]


CASES = [(f, c) for f in ("csr", "csc", "coo", "dia", "bsr") for c in split(EVERY)
         if f in ("csr", "csc") or "[" not in c]
CASES += [("csr", c) for c in split(ONCE) + split(IN_PLACE)] + [("csc", c) for c in split(IN_PLACE)]


def names(format):
    s = cp.scipy.sparse
    return {"m": getattr(s, format + "_array")(getattr(MATRIX, "to" + format)()), "x": cp.arange(20.0) + 1,
            "X": cp.asarray(np.random.default_rng(3).random((20, 20))), "idx": cp.asarray([3, 1, 4]),
            "mask": cp.arange(20) % 3 == 0, "reverse": cp.arange(20)[::-1], "s": s, "l": s.linalg, "g": s.csgraph}


def run(case, known):
    if case not in split(IN_PLACE):
        return eval(case, known)
    exec(case, known)
    return known["m"]


def arrays(x):
    """All arrays of a result, or its numbers."""
    if isinstance(x, (tuple, list)):
        return [a for part in x for a in arrays(part)]
    if cp.scipy.sparse.issparse(x):
        x = x if x.format == "coo" else x.tocsr().tocoo()
        return [x.data, *x.coords]
    return [x]


@pytest.mark.parametrize("format, case", CASES, ids=[f"{f}: {c}" for f, c in CASES])
def test_elsewhere(format, case):
    with cp.cuda.Device(HOME):
        expected = [np.asarray(a.get()) if isinstance(a, cp.ndarray) else a for a in arrays(run(case, names(format)))]
    for there in ELSEWHERE:
        with cp.cuda.Device(HOME):
            known = names(format)
        with cp.cuda.Device(there):
            result = run(case, known)
            assert cp.cuda.Device() == cp.cuda.Device(there)
            found = arrays(result)
        assert len(found) == len(expected)
        for a, b in zip(found, expected):
            if isinstance(a, cp.ndarray):
                assert str(a.device) == str(cp.cuda.Device(HOME))
                a = a.get()
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-12)


def test_two_devices():
    """Operands of two devices are an error."""
    with cp.cuda.Device("late:0"):
        m, near = cp.scipy.sparse.csr_array(MATRIX), cp.ones(20)
    with cp.cuda.Device("late:1"):
        x, other = cp.ones(20), cp.scipy.sparse.csr_array(MATRIX)
    for call in (lambda: m @ x, lambda: m + other, lambda: m @ other, lambda: other @ near, lambda: m.multiply(x)):
        with pytest.raises(ValueError, match="different devices"):
            call()
