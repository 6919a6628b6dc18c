"""Sparse matrices whose arrays lie, are written to behind their back or are claimed to be what they are not: every
operation gives an exception that is SciPy's kind, or a result, and the process goes on."""
import subprocess
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from oracle import raises
from sparse_oracle import cs, on_host, ours_of, outcome, sp

N = 12
OPERATIONS = """m@v m.T@v m@V m@m m+m m.multiply(m) m.maximum(m) m==m m.sum(0) m.sum(1) m.toarray() m.tocsc() m.tocsr()
m.tocoo() m.T.toarray() m.diagonal() m.tobsr((2,2)) m.todia() m.copy() m.get() m.astype('f4') str(m) m.count_nonzero()
abs(m) s.vstack([m,m]) s.tril(m) s.find(m) g.connected_components(m) g.dijkstra(abs(m),indices=0) g.laplacian(m)
g.breadth_first_order(m,0) g.minimum_spanning_tree(m) n.norm(m) n.cg(m,v,maxiter=2) n.spsolve(m,v)""".split()
ROWS = """m[3] m[:,3] m[[1,2]] m[:,[1,2]] m[1,2] m.max(0) m.max(1) m.argmax(0) m.eliminate_zeros() m.sum_duplicates()
m.sort_indices() m.resize(5,5)""".split()
WRITTEN = {
    "csr": ["m.indices[0] = 10**6", "m.indices[5] = -1", "m.indptr[3] = 10**6", "m.indptr[3] = -5",
            "m.indptr[-1] = 10**7", "m.indptr[0] = 4", "m.indices = m.indices + 100", "m.indptr = m.indptr[:-1]",
            "m.indices = m.indices[:10]", "m.indptr = m.indptr[::-1]"],
    "csc": ["m.indices[0] = 10**6", "m.indptr[3] = 10**6", "m.indptr[3] = -5"],
    "coo": ["m.row[0] = 10**6", "m.col[0] = 10**6", "m.row[5] = -3", "m.col = m.col + 1000", "m.row = m.row[:3]",
            "m.coords = (m.row,)", "m.data = m.data[:3]"],
    "bsr": ["m.indices[0] = 10**6", "m.indices[2] = -1", "m.indptr[3] = 10**6", "m.indptr[-1] = 10**7",
            "m.data = m.data[:3]", "m.indices = m.indices[:3]"]}

# what does not look at the arrays that were written to
UNTOUCHED = {"coo": ("m.count_nonzero()",), "csr": ("str(m)",)}


def a_matrix(format):
    r = np.random.default_rng(0)
    d = np.where(r.random((N, N)) < 0.4, r.integers(1, 5, (N, N)), 0).astype("f8") + np.eye(N)
    return ours_of(format, True, cp.asarray(d))


@pytest.mark.parametrize("format, change", [(f, c) for f, changes in WRITTEN.items() for c in changes])
def test_arrays_that_are_written_to(format, change):
    """What an attribute shows may be changed; the next operation checks it: ValueError, and nothing is read beyond."""
    names = {"s": cs, "g": cs.csgraph, "n": cs.linalg, "v": cp.ones(N), "V": cp.ones((N, 3))}
    for call in OPERATIONS + (ROWS if format in ("csr", "csc") else []):
        names["m"] = a_matrix(format)
        exec(change, names)
        def used():
            result = eval(call, names)  # noqa: B023
            return result.toarray() if cs.issparse(result) else result
        got = outcome(used)
        assert isinstance(got, type) and issubclass(got, ValueError) or call in UNTOUCHED.get(format, ()), (call, got)


@pytest.mark.parametrize("seed", range(3))
def test_claims(seed):
    """Order and uniqueness by the user's word: results may be wrong where that is, memory is not touched. In a process
    of its own, which must live."""
    code = f"""
import numpy as np, cuprite as cp, warnings
warnings.simplefilter("ignore")
s, r = cp.scipy.sparse, np.random.default_rng({seed})
for _ in range(6):
    nnz = int(r.integers(0, 300))
    indptr = np.concatenate([[0], np.sort(r.integers(0, nnz + 1, {N} - 1)), [nnz]])
    arrays = [cp.asarray(x) for x in (r.integers(-2, 3, nnz).astype("f8"), r.integers(0, {N}, nnz), indptr)]
    for call in {OPERATIONS[:24] + ROWS[:8]!r}:
        for name in ("csr_array", "csc_array"):
            m = getattr(s, name)(tuple(x.copy() for x in arrays), shape=({N}, {N}))
            v, V = cp.ones({N}), cp.ones(({N}, 3))
            setattr(m, "has_canonical_format" if r.random() < 0.6 else "has_sorted_indices", True)
            try:
                eval(call)
            except (ValueError, IndexError):
                pass
print("lives")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "lives\n", (done.returncode, done.stderr[-500:])


@pytest.mark.parametrize("is_array", [True, False])
@pytest.mark.parametrize("format", ["csr", "csc"])
@pytest.mark.parametrize("arrays", [
    ([1.0, 2], [0, 1], [0, 2, 1]), ([1.0, 2], [0, 1], [1, 1, 2]), ([1.0, 2], [0, 1], [0, 1, 5]),
    ([1.0, 2], [0, 1], [0, -1, 2]), ([1.0, 2], [0, 9], [0, 1, 2]), ([1.0, 2], [0, -1], [0, 1, 2]),
    ([1.0, 2, 3], [0, 1], [0, 1, 2]), ([[1.0, 2]], [0, 1], [0, 1, 2]),
    ([1.0, 2], [[0, 1]], [0, 1, 2]), ([1.0, 2], [0, 1], []), ([1.0, 2], [0, 2**62], [0, 1, 2])])
def test_arrays_that_lie(format, is_array, arrays):
    arrays = tuple(cp.asarray(x) for x in arrays)
    if arrays[2].size == 0:
        arrays = arrays[:2] + (arrays[2].astype("i8"),)
    with raises(ValueError):
        ours_of(format, is_array, arrays, shape=(2, 2))


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
@pytest.mark.parametrize("format", ["csr", "csc", "coo", "dia", "bsr"])
def test_nothing(format, shape):
    """Matrices without elements: SciPy's results and exceptions."""
    calls = """A@B A+A A.multiply(A) A.T A.sum() A.sum(0) A.sum(1) A.mean() A.mean(0) A.toarray() A.tocsr() A.tocsc()
        A.tocoo() A.todia() A.diagonal() A.reshape(A.shape[::-1]) A==A A!=A A<A A.maximum(A) abs(A) A*2 m.kron(A,B)
        m.hstack([A,A]) m.vstack([A,A]) m.block_diag([A,B]) m.tril(A) A.power(2) A.trace()""".split()
    for call in calls:
        results = []
        for module in (cs, sp):
            a, b = (getattr(module, format + "_array")(s) for s in (shape, shape[::-1]))
            results.append(outcome(lambda: eval(call, {"A": a, "B": b, "m": module})))  # noqa: B023
        ours, theirs = results
        if isinstance(ours, type) or isinstance(theirs, type):
            assert ours is theirs, (call, ours, theirs)
        else:
            assert on_host(ours).shape == (theirs.toarray() if sp.issparse(theirs) else np.asarray(theirs)).shape, call


def test_negative_cycles_end():
    """SciPy's own Dijkstra runs for ever along a cycle of negative length."""
    g = cs.csgraph
    for graph in ([[-1.0, 0], [0, 1]], [[0, 1.0, 0], [0, 0, -3], [1, 0, 0]]):
        for call in (g.dijkstra, lambda x: g.shortest_path(x, method="D")):
            with pytest.raises(g.NegativeCycleError):
                call(cs.csr_array(cp.asarray(graph)))
    fine = cp.asarray([[0, 2.0, 0], [0, 0, -1], [0, 0, 0]])
    np.testing.assert_array_equal(g.dijkstra(cs.csr_array(fine), indices=0).get(), [0, 2, 1])


def test_threads_share_a_matrix():
    r = np.random.default_rng(1)
    at = cp.asarray(r.integers(0, 50, 900)), cp.asarray(np.linspace(0, 900, 51).astype(int))
    m = cs.csr_array((cp.asarray(r.integers(1, 3, 900).astype("f8")), *at), shape=(50, 50))
    wrong = []

    def work():
        try:
            with m.device:
                for _ in range(30):
                    x = (m @ cp.ones(50)).get()
                    m.sum_duplicates()
                    y = m.toarray().get().sum(1)
                    _ = m.indices, m.has_sorted_indices, m.T.tocsr(), m[3:9]
                    wrong.extend([] if np.array_equal(x, y) else ["values"])
        except Exception as e:  # noqa: BLE001
            wrong.append(e)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong


@pytest.mark.parametrize("options", [{"panel_size": p} for p in (0, -1, 2**31 - 1, -2**31, 2**62)]
                         + [{"options": {"PanelSize": 0}}, {"fill_factor": 0}, {"fill_factor": float("nan")},
                            {"options": {"ILU_FillFactor": 0.0}}], ids=str)
def test_sizes_that_superlu_does_not_check(options):
    """SuperLU writes beyond its work space, or never ends, with these: they are a ValueError before."""
    m = cs.csc_array(cp.asarray(np.eye(6) * 20 + 1))
    for make in (cs.linalg.splu, cs.linalg.spilu):
        if "Fill" not in str(options) + str(options).replace("fill", "Fill") or make is cs.linalg.spilu:
            with raises(ValueError, match="panel_size|fill_factor"):
                make(m, **options)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_structurally_singular(dtype):
    """Places that leave rows or columns without a pivot, which end SciPy's process now and then: singular as others."""
    import cuprite.scipy.sparse.linalg as cl
    r = np.random.default_rng(ord(dtype[0]) + int(dtype[1:]))
    for i in range(60):
        n = (40, 100)[i % 2]
        d = np.where(r.random((n, n)) < (0.06, 0.03, 0.05)[i % 3], r.normal(size=(n, n)), 0).astype(dtype)
        d[r.integers(n)] = 0
        a = (cs.csc_array, cs.csr_array)[i // 2 % 2](cp.asarray(d))
        for b in (cp.ones(n, dtype=dtype), cp.ones((n, 2), dtype="f8")):
            with pytest.warns(cl.MatrixRankWarning, match="exactly singular"):
                x = cl.spsolve(a, b)
            assert x.shape == b.shape and bool(cp.isnan(x).all())
        for f in (cl.splu, cl.factorized, lambda m: cl.splu(m, permc_spec="NATURAL"), cl.inv):
            with raises(RuntimeError, match="exactly singular"):
                f(a.tocsc())


def test_singular_systems_and_preconditioners_leave_finite_iterates():
    """No direction that is dependent but for rounding is divided by that rounding."""
    singular, right = np.diag([1.0, 1, 0]), np.array([0.0, 1, 1])
    for name in ("gmres", "lgmres", "gcrotmk"):
        for start in (None, np.array([1.0, 0, 0])):
            x, info = getattr(cs.linalg, name)(cp.asarray(singular), cp.asarray(right), rtol=1e-15, maxiter=6,
                                        x0=None if start is None else cp.asarray(start))
            assert info > 0
            np.testing.assert_allclose(x.get()[:2], [0, 1], atol=1e-12)
            assert np.abs(x.get()).max() < 10
    a, m, b = np.diag([2.0, 3, 4]), np.diag([1.0, 1, 0]), np.array([0.0, 1, 1])
    x, info = cs.linalg.gmres(cp.asarray(a), cp.asarray(b), x0=cp.asarray([1.0, 0, 0]), M=cp.asarray(m), rtol=1e-15)
    assert info > 0
    np.testing.assert_allclose(x.get(), [0, 1 / 3, 0], atol=1e-15)


def test_earlier_names_of_generators():
    a = cs.csr_array(cp.asarray(np.arange(70.0).reshape(10, 7) % 11))
    for seed in (1, np.random.RandomState(1), np.random.default_rng(1)):
        for solver in ("arpack", "propack"):
            s = cs.linalg.svds(a, k=2, solver=solver, random_state=seed, return_singular_vectors=False)
            np.testing.assert_allclose(np.sort(s.get()), np.sort(np.linalg.svd(a.toarray().get())[1])[-2:], rtol=1e-8)
    cp.scipy.interpolate.BarycentricInterpolator(cp.arange(3.0), cp.arange(3.0), random_state=1)


# a change of indices that two matrices have, or that the user kept: what is made of m, then what is written to
SHARED = {
    "csr": ["m.T", "s.csr_array(m)", "m.astype('f8', copy=False)", "m.conj(copy=False)", "m.tocoo(copy=False)",
            "m.T.T", "n.aslinearoperator(m).T", "n.aslinearoperator(m)", "m.tocoo(copy=False).tocsr()"],
    "csc": ["m.T", "s.csc_array(m)", "m.tocoo(copy=False)"],
    "coo": ["m.T", "s.coo_array(m)", "s.permute_dims(m, (1, 0))", "m.tocsr()", "m.tocsr().T"]}


@pytest.mark.parametrize("format, made", [(f, x) for f, many in SHARED.items() for x in many])
def test_arrays_that_matrices_share(format, made):
    """Whatever matrix shows the arrays, all that have them are checked again."""
    names = {"s": cs, "n": cs.linalg, "m": a_matrix(format)}
    names["m"].sum_duplicates()
    t, v = eval(made, names), cp.ones(N)
    t @ v
    name = "col" if format == "coo" else "indices"
    getattr(names["m"], name)[5] = 10**6
    with raises(ValueError):
        t @ v
    getattr(names["m"], name)[5] = 0        # and the other way round
    t @ v
    m = names["m"]
    if cs.issparse(t):
        for x in t.coords if t.format == "coo" else [t.indices]:
            x[3] = -7
        with raises(ValueError):
            m @ v


@pytest.mark.once
@pytest.mark.parametrize("kept", [
    "i = m.indices", "i = m.indptr", "i = m.indices[2:]", "i = m.T.indices", "i = m.tocoo(copy=False).col",
    "m = s.csr_array((m.data, i := m.indices.copy(), m.indptr), shape=m.shape)",
    "i = m.indices[::2]; m = s.csr_array((m.data[::2].copy(), i, cp.array([0] * N + [i.size], dtype=i.dtype)), "
    "shape=m.shape)", "m = m.tocoo(); i = m.col",
    "m = m.tocoo(); i = m.col.copy(); m = s.coo_array((m.data, (m.row, i)), shape=m.shape)",
    "m = m.tobsr((2, 2)); i = m.indices", "m = m.tocsc(); i = m.indices"])
def test_arrays_that_are_kept(kept):
    """On the CPU an array that the user keeps may be written to at any time. In a process of its own, which must
    live."""
    code = f"""
import cuprite as cp
from cuprite.scipy import sparse as s
N = 9000
m = s.csr_array(s.random_array((N, N), density=0.0002, rng=1))
{kept}
v = cp.ones(N)
for bad in (2**30, -2**30):
    m @ v
    old = int(i[1])
    i[1] = bad
    for call in (lambda: m @ v, lambda: m.T @ v, lambda: m.T.tocoo(), lambda: m @ m, lambda: m.sum(0), lambda: m + m):
        try:
            call()
            print("no error of", m.format)
        except ValueError:
            pass
    i[1] = old
print("lives")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "lives\n", (done.returncode, done.stdout, done.stderr[-500:])


@pytest.mark.once
def test_checks_that_are_not_needed(monkeypatch):
    """One check of arrays that nobody else can write to, however often they are used."""
    from cuprite import _sparse
    calls, check = [], _sparse.sparse_check
    monkeypatch.setattr(_sparse, "sparse_check", lambda *a: calls.append(1) or check(*a))
    v = cp.ones(N)
    m = ours_of("csr", True, ([1.0] * N, list(range(N)), list(range(N + 1))), shape=(N, N))
    m @ v, m.T @ v, m.tocoo() @ v, m + m, m @ m, m[3:5] @ v
    assert len(calls) == 1
    m.indices.sum()         # a look at an array: one more
    m @ v, m.T @ v, m @ v
    assert len(calls) == 2
    kept = m.indices
    m @ v, m @ v
    assert len(calls) == 4
    del kept
    m @ v, m @ v
    assert len(calls) == 4


@pytest.mark.parametrize("solver", ["cg", "bicgstab", "gmres", "minres", "cgs", "bicg", "qmr", "tfqmr", "lsqr", "lsmr"])
def test_a_matrix_that_changes_while_a_solver_runs(solver):
    """A preconditioner, or another operator of the solver's, writes to the matrix: ValueError."""
    m = (ours_of("csr", True, cp.diag(cp.arange(1.0, N + 1)) + cp.ones((N, N)))).tocsr()
    steps = []

    class Writes(cs.linalg.LinearOperator):
        def _matvec(self, x):
            steps.append(1)
            m.indices[3] = 10**6
            return x

        _rmatvec = _matvec

    o = Writes(m.dtype, m.shape)
    with raises(ValueError):
        if solver in ("lsqr", "lsmr"):
            getattr(cs.linalg, solver)(cs.linalg.aslinearoperator(m) @ o, cp.ones(N))
        else:
            getattr(cs.linalg, solver)(m, cp.arange(1.0, N + 1), **{"M1" if solver == "qmr" else "M": o})
    assert steps


@pytest.mark.parametrize("role", ["matrix", "preconditioner"])
@pytest.mark.parametrize("solver", ["cg", "bicgstab", "gmres", "minres", "cgs", "bicg", "qmr", "tfqmr", "lsqr", "lsmr"])
def test_operators_that_turn_out_to_be_complex(solver, role):
    """One that says it is real: TypeError, as SciPy's of most solvers; no imaginary part is dropped."""
    turns = cs.linalg.LinearOperator((N, N), matvec=lambda x: x * (1 + 1j), rmatvec=lambda x: x * (1 - 1j), dtype="f8")
    m, b = a_matrix("csr"), cp.arange(1.0, N + 1)
    m = m + m.T
    if role == "matrix":
        with raises(TypeError):
            getattr(cs.linalg, solver)(turns, b)
    elif solver not in ("lsqr", "lsmr"):    # which have none
        with raises(TypeError):
            getattr(cs.linalg, solver)(m, b, **{"M1" if solver == "qmr" else "M": turns})


def test_factors_are_shared_by_threads():
    """Those that many solutions have had as rows are made by whoever comes first, and others wait for no part."""
    m = a_matrix("csc") + 9 * cs.eye_array(N, format="csc")
    b, wrong = cp.arange(1.0, N + 1), []
    want = np.linalg.solve(m.toarray().get(), b.get())
    for _ in range(20):
        lu, gate = cs.linalg.splu(m), threading.Barrier(4)

        def solves(lu=lu, gate=gate):
            gate.wait()
            for _ in range(8):
                try:
                    if not np.allclose(lu.solve(b).get(), want, rtol=1e-10):
                        wrong.append("value")
                except Exception as e:
                    wrong.append(repr(e))
        threads = [threading.Thread(target=solves) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    assert not wrong, wrong[:3]


@pytest.mark.parametrize("solver", ["lsqr", "lsmr"])
@pytest.mark.parametrize("dense", [True, False])
def test_right_sides_of_least_squares_that_do_not_fit(solver, dense):
    """The message names the argument; SciPy takes a b of zeros of any shape."""
    d = cp.arange(12.0).reshape(4, 3)
    a, f = d if dense else cs.csr_matrix(d), getattr(cs.linalg, solver)
    for shape in ((), (3,), (5,), (4, 2), (0,), (2, 2)):
        for make in (cp.zeros, cp.ones):
            with raises(ValueError, match="b must have 4 elements"):
                f(a, make(shape))
    for shape in ((4,), (3, 2), ()):
        with raises(ValueError, match="x0 must have 3 elements"):
            f(a, cp.ones(4), x0=cp.ones(shape))
    assert f(a, cp.ones((4, 1)))[0].shape == f(a, cp.ones((1, 4)), x0=[1, 2, 3])[0].shape == (3,)
    assert f(cp.ones((1, 1)), cp.ones((1, 1)))[0].tolist() == f(cp.ones((1, 1)), 1.0)[0].tolist() == [1.0]
