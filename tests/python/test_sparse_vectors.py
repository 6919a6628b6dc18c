"""The vectors of iterative solvers: bases, passes and triangles of cuprite._sparse against NumPy and SciPy."""
import numpy as np
import pytest
import scipy.linalg

import cuprite as cp
from cuprite import _sparse
from cuprite.scipy.sparse.linalg import _passes
from cuprite.scipy.sparse.linalg._passes import MEASURE, ONE, ROOTS, STEP, A, B, factor, plan
from oracle import raises

TYPES = ("f4", "f8", "c8", "c16")
LENGTHS = (1, 7, 33, 1024, 1025, 5000)


def vectors(r, shape, dtype):
    x = r.normal(size=shape)
    return (x + 1j * r.normal(size=shape) if dtype[0] == "c" else x).astype(dtype)


def eps(dtype):
    return float(np.finfo(dtype).eps)


def basis(dtype, n, most, near):
    """Rows of the device made of random vectors, with these: (vectors, rows, h)."""
    r = np.random.default_rng((n, most, TYPES.index(dtype)))
    number = "c16" if dtype[0] == "c" else "f8"
    rows, h, gram = cp.empty((most + 1, n), dtype), cp.empty((most, most + 1), number), cp.empty((most, most), number)
    w = vectors(r, (most + 1, n), dtype)
    rows[0] = w[0] / np.linalg.norm(w[0])
    for j in range(most):
        _sparse.sparse_extend(rows, cp.asarray(w[j + 1]), h, gram if near < 0 else None, j,
                              near if near < 0 else max(j - near, 0))
    return w, rows.get(), h.get()


@pytest.mark.parametrize("near", (-1, 0, 1, 100))
@pytest.mark.parametrize("dtype", TYPES)
def test_bases(dtype, near):
    """Rows are orthonormal; with their coefficients they are the vectors again."""
    for n, most in ((1, 1), (7, 5), (33, 32), (1024, 9), (1025, 20), (5000, 3), (5000, 40)):
        most = min(most, n - 1) or 1
        w, rows, h = basis(dtype, n, most, near)
        tol = 40 * eps(dtype) * n**0.5
        whole = rows[:most + 1] if n > most else rows[:most]
        np.testing.assert_allclose(whole.conj() @ whole.T, np.eye(len(whole)), atol=tol)
        for j in range(most if n > most else 0):
            np.testing.assert_allclose(h[j, :j + 2] @ rows[:j + 2], w[j + 1], atol=tol * 10)
            exact = w[j + 1] @ rows[:j + 1].conj().T    # in an orthonormal basis both ways have these
            np.testing.assert_allclose(h[j, :j + 1], exact, atol=tol * 10)


@pytest.mark.parametrize("near", (-1, 0))
def test_nothing_left(near):
    rows, h, gram = cp.zeros((4, 50)), cp.zeros((3, 4)), cp.zeros((3, 3))
    rows[0, 3] = 1
    _sparse.sparse_extend(rows, rows[0] * 2, h, gram, 0, near)
    assert not rows[1].any() and h[0].tolist() == [2, 0, 0, 0]


@pytest.mark.once
def test_threads():
    """The same bits in any number of threads."""
    import subprocess
    import sys
    code = """
import cuprite as cp, hashlib
from cuprite import _sparse
r = cp.random.default_rng(3)
rows, h, gram = cp.zeros((9, 70001)), cp.zeros((8, 9)), cp.zeros((8, 8))
rows[0, 0] = 1
for j in range(8):
    _sparse.sparse_extend(rows, r.standard_normal(70001), h, gram, j, -1 if j % 2 else 0)
a = cp.scipy.sparse.diags_array([-cp.ones(70000), 3 * cp.ones(70001), -cp.ones(70000)], offsets=[-1, 0, 1]).tocsr()
xs = [getattr(cp.scipy.sparse.linalg, n)(a, rows[1] * 100)[0] for n in
      "cg cgs bicg bicgstab qmr tfqmr minres lsmr gmres".split()]
print([hashlib.sha256(x.get().tobytes()).hexdigest() for x in (rows, h, *xs)])
"""
    import os
    seen = {subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100, check=True,
                           env={**os.environ, "CUPRITE_NUM_THREADS": n}).stdout for n in ("1", "2", "5")}
    assert len(seen) == 1 and "[" in seen.pop()


@pytest.mark.parametrize("dtype", TYPES)
def test_passes(dtype):
    """Sums see those before them; products are of the results."""
    r = np.random.default_rng(TYPES.index(dtype))
    for n in (0, *LENGTHS):
        x, y, z = vectors(r, (3, n), dtype)
        a, b, c = (cp.asarray(v) for v in (x, y, z))
        numbers = cp.asarray(vectors(r, 6, "c16" if dtype[0] == "c" else "f8"))
        m = numbers.get()
        f, g = m[0] / m[1] * 0.5, -m[2] / m[3] * (m[1] / m[0])
        p = plan("xyz", [("x", ("y", ONE), ("z", factor(1, over=(0,), under=(1,)))),
                         ("y", ("x", factor(over=(2, 1), under=(3, 0), minus=True)), ("y", B)),
                         ("z", ("z", A))], ["xy", "zz"], 4)
        _sparse.sparse_pass([a, b, c], p, numbers, None, 0.5, -3.0)
        x = y + f * z
        y, z = g * x - 3 * y, 0.5 * z
        tol = 30 * eps(dtype)
        for got, want in ((a, x), (b, y), (c, z)):
            np.testing.assert_allclose(got.get(), want.astype(dtype), rtol=tol, atol=tol * abs(want).max(initial=1))
        found = numbers.get()
        np.testing.assert_allclose(found[4], np.vdot(a.get(), b.get()), rtol=0, atol=tol * np.linalg.norm(x) *
                                   np.linalg.norm(y) + 1e-300)
        np.testing.assert_allclose(found[5], np.vdot(c.get(), c.get()), rtol=tol)
        assert (found[:4] == m[:4]).all()
        four = plan("xyz", [("x", ("x", A), ("y", ONE)), ("y", ("x", B)), ("z", ("y", ONE), ("z", ONE)),
                            ("x", ("x", ONE), ("z", ONE))], ["xz"], 3)
        want = [v.get() for v in (a, b, c)]
        _sparse.sparse_pass([a, b, c], four, numbers, None, 0.5, -3.0)
        want[0] = 0.5 * want[0] + want[1]
        want[1] = -3.0 * want[0]
        want[2] = want[1] + want[2]
        want[0] = want[0] + want[2]
        for got, v in zip((a, b, c), want):
            np.testing.assert_allclose(got.get(), v.astype(dtype), rtol=tol, atol=tol * abs(v).max(initial=1))
        np.testing.assert_allclose(numbers.get()[3], np.vdot(a.get(), c.get()), rtol=0, atol=tol * np.linalg.norm(
            want[0]) * np.linalg.norm(want[2]) + 1e-300)
        _sparse.sparse_pass([c], plan("z", [], ["zz"], 0, ROOTS), numbers, None)
        np.testing.assert_allclose(numbers.get()[0], np.linalg.norm(c.get()), rtol=tol)


def test_products_are_exact_for_integers():
    """Every element is in its sum once, whatever the length."""
    for n in (1, 31, 32, 33, 1023, 1024, 1025, 2047, 40000):
        x = cp.arange(n, dtype="f8") % 13
        numbers = cp.zeros(1)
        _sparse.sparse_pass([x], plan("x", [], ["xx"]), numbers, None)
        assert numbers.item() == ((np.arange(n) % 13)**2).sum()


def test_states():
    """A solver that is not live keeps its vectors and its steps."""
    x, r, state, numbers = cp.ones(4), cp.full(4, 2.0), cp.ones(3), cp.ones(1)
    p = plan("xr", [("x", ("x", ONE), ("r", factor(over=(0,))))], ["rr"], 0, MEASURE | STEP)
    state[1] = 0
    _sparse.sparse_pass([x, r], p, numbers, state, limit=3.0)
    assert x.tolist() == [3] * 4 and state.tolist() == [1, 1, 4] and numbers.tolist() == [16]
    _sparse.sparse_pass([x, r], p, numbers, state, limit=5.0)       # live before, no longer behind it
    assert x.tolist() == [35] * 4 and state.tolist() == [0, 2, 4]
    _sparse.sparse_pass([x, r], p, numbers, state, limit=3.0)
    assert x.tolist() == [35] * 4 and state.tolist() == [0, 2, 4]
    state[:] = 1
    _sparse.sparse_pass([r * cp.nan], plan("r", [], ["rr"], 0, MEASURE), numbers, state, limit=0.0)
    assert state[:2].tolist() == [0, 1]
    safe = plan("xr", [("x", ("r", factor(under=(0,), safe=True)))])
    _sparse.sparse_pass([x, r], safe, cp.zeros(1), None)
    assert x.tolist() == [0] * 4


def test_extreme_quotients():
    """Complex quotients of numbers whose squares overflow or underflow."""
    for size in (1e200, 1e-200):
        numbers = cp.asarray([3 + 4j, 1 - 2j]) * size
        x = cp.ones(3, dtype="c16")
        _sparse.sparse_pass([x], plan("x", [("x", ("x", factor(over=(0,), under=(1,))))]), numbers, None)
        np.testing.assert_allclose(x.get(), (3 + 4j) / (1 - 2j), rtol=1e-14)


BAD_PASSES = """[x], (0,)|[x], (0, 0, 1, 3, 1, 0, 0, 0)|[x], (0, 0, 1, 0, 0, 0)|[x], (0, 0, 0, 1, 0, 1)
[x], (0, 0, 0, 0, 0)|[x], (-1, 0, 0, 0)|[x], (0, 3, 0, 1, 0, 0)|[x, x[:2]], (0, 0, 0, 0)|[x[::2]], (0, 0, 0, 0)
[], (0, 0, 0, 0)|[x], (0, 0, 1, 0, 1, 0, 80, 0)|[x], (1, 0, 0, 1, 0, 0)|[x], (0, 0, 1, 0, 1, 0, 1 << 20, 0)
[x], (0, 0, 1, 0, 1, 0, 14, 0)|[x, x.astype("f4")], (0, 0, 0, 0)|[x], (0, 0, 5, 0)"""


@pytest.mark.parametrize("e", BAD_PASSES.replace("\n", "|").split("|"))
def test_bad_passes(e):
    x, numbers = cp.ones(6), cp.ones(3)
    given = eval(e)
    with raises(ValueError):
        _sparse.sparse_pass(*given, numbers, None)
    assert x.tolist() == [1] * 6


def test_bad_turns():
    """A turn that there is not, and arrays that are too short for one: nothing is written."""
    for turn, numbers, state in ((8, 10, 21), (16, 10, 21), (32, 8, 5), (40, 8, 5), (48, 15, 9), (72, 15, 9),
                                 (80, 11, 7), (104, 11, 7), (112, 9, 9), (128, 9, 9), (136, 15, 22), (144, 15, 22)):
        for n, m in ((numbers - 1, state), (numbers, state - 1), (numbers, 0)):
            x, known, of = cp.ones(4), cp.ones(n), cp.ones(m) if m else None
            with raises(ValueError):
                _sparse.sparse_pass([x], plan("x", [], ["xx"], 1, turn), known, of)
            assert known.tolist() == [1] * n
        if turn < 136:
            _sparse.sparse_pass([cp.ones(4)], plan("x", [], ["xx"], 1, turn), cp.ones(numbers), cp.ones(state))


def test_bad_bases():
    rows, h, gram, w = cp.zeros((3, 5)), cp.zeros((2, 3)), cp.zeros((2, 2)), cp.zeros(5)
    with raises(ValueError, match="basis must have at least 4 contiguous rows"):
        _sparse.sparse_extend(rows, w, h, gram, 2, -1)
    with raises(ValueError, match="gram must be given"):
        _sparse.sparse_extend(rows, w, h, None, 0, -1)
    with raises(ValueError, match="basis must have"):
        _sparse.sparse_extend(rows, cp.zeros(6), h, gram, 0, -1)
    with raises(TypeError, match="h must be float64"):
        _sparse.sparse_extend(rows, w, h.astype("f4"), gram, 0, -1)
    with raises(IndexError):
        _sparse.sparse_extend(rows, w, h, gram, 0, 1)
    with raises(IndexError):
        _sparse.sparse_extend(rows, w, h, gram, -1, -1)
    with raises(TypeError, match="floating"):
        _sparse.sparse_extend(rows.astype("i4"), w, h, gram, 0, -1)
    with raises(TypeError, match="floating"):
        _sparse.sparse_pass([cp.zeros(3, "i4")], (0, 0, 0, 0), None, None)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("upper", (False, True))
def test_triangles(dtype, upper):
    if cp.zeros(1).device.backend == "cuda":
        pytest.skip("on the CPU alone")
    r = np.random.default_rng(3)
    for n in (1, 2, 9, 60, 300):
        d = np.where(r.random((n, n)) < 0.2, vectors(r, (n, n), dtype), 0) / n + np.diag(vectors(r, n, dtype) + 3)
        d = (np.triu(d) if upper else np.tril(d)).astype(dtype)
        a = cp.scipy.sparse.csr_array(d)
        for wide in ("i4", "i8"):
            for shape in ((n,), (n, 1), (n, 3)):
                b = vectors(r, shape, dtype)
                x = _sparse.sparse_substitute(a.data, a.indices.astype(wide), a.indptr.astype(wide), upper,
                                              cp.asarray(b))
                want = scipy.linalg.solve_triangular(d, b, lower=not upper)
                np.testing.assert_allclose(x.get(), want, rtol=n * 50 * eps(dtype), atol=n * 50 * eps(dtype))
                assert x.dtype == dtype and x.shape == shape
    a = cp.scipy.sparse.csr_array(np.array([[1.0, 0], [2, 0]]))
    with raises(ValueError, match="row 1 has no element on the diagonal"):
        _sparse.sparse_substitute(a.data, a.indices, a.indptr, False, cp.ones(2))
    with raises(ValueError, match="as many rows"):
        _sparse.sparse_substitute(a.data, a.indices, a.indptr, False, cp.ones(3))


def test_factors_are_kept():
    """After some solutions SuperLU's factors are solved in as rows, with the same results."""
    sl, cs = pytest.importorskip("scipy.sparse.linalg"), cp.scipy.sparse
    r = np.random.default_rng(5)
    for dtype in TYPES:
        d = np.where(r.random((80, 80)) < 0.05, vectors(r, (80, 80), dtype), 0) + np.diag(vectors(r, 80, dtype) * 4)
        a = cs.csc_array(d.astype(dtype))
        lu, theirs = cs.linalg.splu(a), sl.splu(a.get())
        for i in range(25):
            b = vectors(r, ((80,), (80, 2))[i % 2], dtype)
            got, want = lu.solve(cp.asarray(b)), theirs.solve(b)
            assert got.dtype == want.dtype and got.shape == want.shape
            np.testing.assert_allclose(got.get(), want, rtol=1e4 * eps(dtype), atol=1e4 * eps(dtype))
        assert (lu._triangles is not None) == (cp.zeros(1).device.backend == "cpu")
        for trans in "TH":
            np.testing.assert_allclose(lu.solve(cp.asarray(b), trans).get(), theirs.solve(b, trans),
                                       rtol=1e4 * eps(dtype), atol=1e4 * eps(dtype))
        with raises(ValueError):
            lu.solve(cp.asarray(b[:3]))


def test_looks():
    """Steps are looked at more seldom where it waits, and always behind the last one."""
    class Elsewhere:
        device = type("Device", (), {"backend": "cuda"})
    looks = _passes.Looks(Elsewhere, False)
    assert [i for i in range(1, 60) if looks.due(i)] == [1, 2, 4, 8, 16, 32, 48]
    assert all(_passes.Looks(Elsewhere, True).due(i) for i in range(1, 9))
