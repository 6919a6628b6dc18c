"""cuprite.scipy.linalg against SciPy: LU and its solutions, triangular systems, Schur's form, exponentials, matrices of
known structure."""
import warnings

import numpy as np
import pytest
import scipy.linalg as theirs

import cuprite as cp
from cuprite.scipy import linalg as ours

from test_linalg import TYPES, adjoint, close, host, orthonormal, raised, random, within


def same(got, wanted, ulps=0, least=0.0):
    """Elements that are copied are equal; those that are computed by some roundings, of numbers no larger than `least`
    where they cancel, nearly so."""
    wanted = np.asarray(wanted)
    got = host(got)
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    if ulps:
        within(got, wanted, ulps * np.finfo(got.dtype).eps * np.maximum(np.abs(wanted), least))
    else:
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("shape", [(4, 4), (5, 3), (3, 5), (40, 33), (2, 6, 4), (20, 5, 5), (0, 3), (3, 0), (1, 1)])
@pytest.mark.parametrize("dtype", TYPES + ["i"])
def test_lu(shape, dtype):
    a = (random(shape, "D" if dtype in "FD" else "d") * 9).astype(dtype)
    x = cp.asarray(a)
    wanted = theirs.lu(a)
    p, lower, upper = map(host, ours.lu(x))
    single = dtype if dtype != "i" else "d"
    assert [p.dtype, lower.dtype, upper.dtype] == [single.lower(), single, single]
    assert p.shape == shape[:-1] + shape[-2:-1]
    assert [lower.shape, upper.shape] == [w.shape for w in wanted[1:]]
    close(p @ lower @ upper, a.astype(single), sum(shape), single)
    if a.size:
        np.testing.assert_array_equal(p, wanted[0])
    joined, again = map(host, ours.lu(x, permute_l=True))
    close(joined @ again, a.astype(single), sum(shape), single)
    rows, lower, upper = map(host, ours.lu(x, p_indices=True))
    if a.size:
        np.testing.assert_array_equal(rows, theirs.lu(a, p_indices=True)[0])
    packed, exchanges = map(host, ours.lu_factor(x))
    if len(shape) == 2 and a.size:
        np.testing.assert_array_equal(exchanges, theirs.lu_factor(a)[1])
        close(packed, theirs.lu_factor(a)[0], sum(shape), single, 200)


@pytest.mark.parametrize("n", [1, 3, 8, 33, 70])
@pytest.mark.parametrize("dtype", TYPES)
def test_systems(dtype, n):
    for batch in ((), (3,), (9,)):
        a = random(batch + (n, n), dtype, n) + 2 * np.sqrt(n) * np.eye(n, dtype=dtype)
        for trans, op in ((0, a), (1, a.swapaxes(-1, -2)), (2, adjoint(a))):
            for sides in (batch + (n, 3), (n,)):
                b = random(sides, dtype, 5)
                x = host(ours.lu_solve(ours.lu_factor(cp.asarray(a)), cp.asarray(b), trans))
                back = np.einsum("...ij,...j", op, x) if len(sides) == 1 else op @ x
                close(back, np.broadcast_to(b, back.shape), n, dtype, 20, np.abs(a).max() * np.abs(x).max() * n)
                for lower in (False, True):
                    for unit in (False, True):
                        half = (np.tril if lower else np.triu)(a)
                        if unit:
                            half = half / n
                            half[..., range(n), range(n)] = 1
                        of = [half, half.swapaxes(-1, -2), adjoint(half)][trans]
                        given = half + (np.triu(a, 1) if lower else np.tril(a, -1)) + (unit * np.eye(n, dtype=dtype))
                        x = host(ours.solve_triangular(cp.asarray(given.astype(dtype)), cp.asarray(b), "NTC"[trans],
                                                       lower, unit))
                        back = np.einsum("...ij,...j", of, x) if len(sides) == 1 else of @ x
                        close(back, np.broadcast_to(b, back.shape), n, dtype, 40,
                              np.abs(half).max() * np.abs(x).max() * n + 1)


def test_bad_systems():
    singular = np.diag([1.0, 0, 2])
    e = raised(lambda: ours.solve_triangular(cp.asarray(singular), cp.ones(3)))
    assert type(e) is np.linalg.LinAlgError and "Singular matrix" in str(e)
    assert raised(lambda: ours.solve_triangular(cp.asarray(singular), cp.ones(3), unit_diagonal=True)) is None
    assert "square" in str(raised(lambda: ours.solve_triangular(cp.ones((2, 3)), cp.ones(2))))
    assert isinstance(raised(lambda: ours.solve_triangular(cp.eye(3), cp.ones(2))), ValueError)
    assert isinstance(raised(lambda: ours.lu_solve(ours.lu_factor(cp.eye(3)), cp.ones(2))), ValueError)
    assert isinstance(raised(lambda: ours.lu_solve(ours.lu_factor(cp.eye(3)), cp.ones(3), 3)), ValueError)
    piv = cp.asarray([0, 7, 2], dtype="i4")
    assert isinstance(raised(lambda: ours.lu_solve((cp.eye(3), piv), cp.ones(3))), ValueError)
    bad = cp.asarray([[1.0, np.nan], [0, 1]])
    for f in (lambda: ours.lu(bad, check_finite=True), lambda: ours.lu_factor(bad, check_finite=True),
              lambda: ours.schur(bad)):
        assert isinstance(raised(f), ValueError) and "must not contain infs or NaNs" in str(raised(f))


@pytest.mark.parametrize("n", [1, 2, 5, 33, 70])
@pytest.mark.parametrize("dtype", TYPES + ["i"])
def test_schur(dtype, n):
    a = (random((2, n, n), "D" if dtype in "FD" else "d", n) * 5).astype(dtype)
    for output in ("real", "complex"):
        t, z = map(host, ours.schur(cp.asarray(a), output))
        wanted = theirs.schur(a[0], output)[0]
        assert t.dtype == z.dtype == (wanted.dtype if dtype != "i" else t.dtype)
        close(z @ t @ adjoint(z), a.astype(t.dtype), n, t.dtype, 40)
        orthonormal(z, z.dtype)
        below = np.tril(t, -1 if t.dtype.kind == "c" else -2)
        np.testing.assert_array_equal(below, 0 * below)
        for sort in ("lhp", "rhp", "iuc", "ouc"):
            t, z, count = map(host, ours.schur(cp.asarray(a), output, sort=sort))
            close(z @ t @ adjoint(z), a.astype(t.dtype), n, t.dtype, 80)
            orthonormal(z, z.dtype)
            for i in (0, 1):
                w = np.linalg.eigvals(a[i].astype("D"))
                inside = {"lhp": w.real < 0, "rhp": w.real >= 0, "iuc": np.abs(w) <= 1, "ouc": np.abs(w) > 1}[sort]
                assert count[i] == inside.sum()
                if t.dtype.kind == "c":
                    d = t[i].diagonal()
                    first = {"lhp": d.real < 0, "rhp": d.real >= 0, "iuc": np.abs(d) <= 1, "ouc": np.abs(d) > 1}[sort]
                    assert first[:count[i]].all() and not first[count[i]:].any()


@pytest.mark.parametrize("n", [1, 2, 6, 33])
@pytest.mark.parametrize("dtype", TYPES)
def test_schur_by_a_function(dtype, n):
    a = random((n, n), "D" if dtype in "FD" else "d", n).astype(dtype)
    for output in ("real", "complex"):
        plain = dtype in "fd" and output == "real"
        of_parts = (lambda x, y: y > 0.1, lambda x, y: x * x + y * y < 0.5 and y >= 0, lambda x, y: True)
        for sort in of_parts if plain else (lambda w: w.imag > 0.1, lambda w: abs(w) < 0.5, lambda w: False):
            t, z, count = map(host, ours.schur(cp.asarray(a), output, sort=sort))
            wanted = theirs.schur(a, output, sort=sort)
            assert count == wanted[2] and t.dtype == wanted[0].dtype
            close(z @ t @ adjoint(z), a.astype(t.dtype), n, t.dtype, 80)
            orthonormal(z, z.dtype)
            if not plain:
                assert all(sort(w) == (i < count) for i, w in enumerate(t.diagonal()))
            else:
                w = np.linalg.eigvals(t[:count, :count])
                assert all(sort(v.real, v.imag) or sort(v.real, -v.imag) for v in w)


def test_schur_by_a_function_of_many():
    a = random((3, 2, 5, 5), "d", 1)
    t, z, count = map(host, ours.schur(cp.asarray(a), sort=lambda x, y: x > 0))
    for i in np.ndindex(3, 2):
        assert count[i] == theirs.schur(a[i], sort=lambda x, y: x > 0)[2] == (np.linalg.eigvals(a[i]).real > 0).sum()
    close(z @ t @ adjoint(z), a, 5, t.dtype, 80)
    t, z, count = map(host, ours.schur(cp.zeros((0, 0)), sort=lambda x, y: True))
    assert t.shape == (0, 0) and count == 0
    with pytest.raises(ZeroDivisionError):
        ours.schur(cp.eye(3), sort=lambda x, y: 1 / 0)


def test_schur_words():
    assert isinstance(raised(lambda: ours.schur(cp.eye(2), "bad")), ValueError)
    assert isinstance(raised(lambda: ours.schur(cp.eye(2), sort="bad")), ValueError)
    t, z, count = ours.schur(cp.zeros((0, 0)), sort="lhp")
    assert t.shape == z.shape == (0, 0) and host(count) == 0


@pytest.mark.parametrize("dtype", TYPES + ["i"])
def test_expm(dtype):
    for n in (1, 2, 5, 30):
        for scale in (1e-8, .1, 1, 20):
            a = (random((3, n, n), "D" if dtype in "FD" else "d", n) * scale / np.sqrt(n)).astype(dtype)
            wanted = np.stack([theirs.expm(m.astype("D" if dtype in "FD" else "d")) for m in a])
            got = host(ours.expm(cp.asarray(a)))
            assert got.dtype == (a.dtype if dtype != "i" else np.float64)
            for g, w in zip(got, wanted):
                assert np.abs(g - w).max() <= 300 * n * (1 + scale) * np.finfo(got.dtype).eps * np.abs(w).max()
    assert host(ours.expm(cp.zeros((3, 0, 0)))).shape == (3, 0, 0)
    assert np.isnan(host(ours.expm(cp.asarray([[np.nan, 0], [0, 1.0]])))).any()
    for bad in (np.ones(3), np.ones((2, 3))):
        assert type(raised(lambda: ours.expm(cp.asarray(bad)))) is type(raised(lambda: theirs.expm(bad)))


@pytest.mark.parametrize("dtype", ["?", "b", "i", "f", "d", "F", "D"])
def test_of_vectors(dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in (1, 2, 3, 4, 7, 8):
            c = (random(n, "D" if dtype in "FD" else "d", n) * 5).astype(dtype)
            r = (random(n + 2, "D" if dtype in "FD" else "d", 9) * 5).astype(dtype)
            c[c == 0] = 1
            x, y = cp.asarray(c), cp.asarray(r)
            same(ours.toeplitz(x), theirs.toeplitz(c))
            same(ours.toeplitz(x, y), theirs.toeplitz(c, r))
            same(ours.hankel(x), theirs.hankel(c))
            same(ours.hankel(x, y), theirs.hankel(c, r))
            same(ours.circulant(x), theirs.circulant(c))
            if dtype != "?":
                for m in (1, 2, 5, 9):
                    for mode in ("full", "same", "valid"):
                        same(ours.convolution_matrix(x, m, mode), theirs.convolution_matrix(c, m, mode))
                if n > 1:
                    same(ours.companion(x), theirs.companion(c), 4 if dtype in "FD" else 0)  # a division
                    same(ours.fiedler(x), theirs.fiedler(c), 2 if dtype in "FD" else 0)
                    same(ours.leslie(x, x[1:]), theirs.leslie(c, c[1:]))
            if dtype in TYPES:
                wanted = theirs.fiedler_companion(c) if n > 1 else np.zeros((0, 0), dtype)  # (0,) before SciPy 1.18
                same(ours.fiedler_companion(x), wanted, 4 if dtype in "FD" else 0)


def test_of_sizes():
    for n in (1, 2, 5, 8, 16):
        same(ours.hilbert(n), theirs.hilbert(n))
        same(ours.helmert(n), theirs.helmert(n))
        same(ours.helmert(n, full=True), theirs.helmert(n, full=True))
        same(ours.tri(n, 3, -1), np.tri(n, 3, -1, dtype="i8"))
        for scale in (None, "sqrtn", "n"):
            turns = np.outer(np.arange(n), np.arange(n)) % n / np.longdouble(n)
            roots = np.exp(-8j * np.arctan(np.longdouble(1)) * turns)  # SciPy's are powers of one root
            exact = (roots / {None: 1, "sqrtn": np.sqrt(np.longdouble(n)), "n": n}[scale]).astype("D")
            same(ours.dft(n, scale), exact, 4)  # an angle below a turn is rounded
            close(host(ours.dft(n, scale)), theirs.dft(n, scale), n * n, "d", 1)
    for n in (1, 2, 8):
        same(ours.hadamard(n), theirs.hadamard(n))
        same(ours.hadamard(n, "F"), theirs.hadamard(n, "F"))
    for bad in (lambda m: m.hadamard(3), lambda m: m.hadamard(0), lambda m: m.dft(3, "x")):
        assert type(raised(lambda: bad(ours))) is type(raised(lambda: bad(theirs))) is ValueError


def test_of_matrices():
    a, b = random((3, 4), "d"), random((5, 4), "F", 1)
    same(ours.khatri_rao(cp.asarray(a), cp.asarray(b)), theirs.khatri_rao(a, b))
    same(ours.kron(cp.asarray(a), cp.asarray(b)), np.kron(a, b))
    same(ours.block_diag(cp.asarray([1, 2]), cp.asarray(b), cp.asarray(3)), theirs.block_diag([1, 2], b, 3))
    same(ours.block_diag(), theirs.block_diag())
    for x in (np.zeros((3, 3)), np.eye(3), np.triu(np.ones((3, 5)), 1), np.tril(np.ones((4, 4))), np.ones((0, 3))):
        assert ours.bandwidth(cp.asarray(x)) == tuple(theirs.bandwidth(x))
    for bad in (lambda m, x: m.companion(x([1.0])), lambda m, x: m.companion(x([0.0, 1])),
                lambda m, x: m.leslie(x([1.0, 2]), x([1.0, 2])), lambda m, x: m.convolution_matrix(x([1.0]), 0),
                lambda m, x: m.fiedler_companion(x([0.0, 1, 2]))):
        e = raised(lambda: bad(theirs, np.array))
        got = raised(lambda: bad(ours, cp.asarray))
        assert type(got) is type(e) is ValueError and str(e) in str(got)


def test_numpy_arrays_are_taken():
    """By the functions that CuPy has for either kind; what is no matrix is a LinAlgError, a ValueError too."""
    a, b = random((3, 4), "d"), random((5, 4), "f", 1)
    same(ours.khatri_rao(a, b), theirs.khatri_rao(a, b))
    same(ours.expm(np.eye(3) * 2), theirs.expm(np.eye(3) * 2), 4)
    assert ours.bandwidth(np.tri(4)) == theirs.bandwidth(np.tri(4))
    for bad in (lambda: ours.khatri_rao(cp.ones(3), cp.ones((2, 3))), lambda: ours.bandwidth(cp.ones(3)),
                lambda: ours.bandwidth(np.ones((2, 2, 2)))):
        assert type(raised(bad)) is np.linalg.LinAlgError


@pytest.mark.parametrize("dtype", "fdFD")
def test_solutions_have_scipys_order(dtype):
    a, b = random((4, 4), dtype) + 3 * np.eye(4, dtype=dtype), random((4, 3), dtype, 1)
    for x in (b, b[:, 0].copy()):
        got = (ours.lu_solve(ours.lu_factor(cp.asarray(a)), cp.asarray(x)),
               ours.solve_triangular(cp.asarray(a), cp.asarray(x)))
        want = theirs.lu_solve(theirs.lu_factor(a), x), theirs.solve_triangular(a, x)
        for g, w in zip(got, want):
            assert g.flags.f_contiguous and w.flags.f_contiguous and g.flags.c_contiguous == w.flags.c_contiguous
            np.testing.assert_allclose(host(g), w, rtol=1e-3 if dtype in "fF" else 1e-10)


def test_cho_solve_of_stacks_of_vectors():
    """A b with one axis less than the factor, as CuPy's."""
    a = random((2, 3, 3), "d")
    a = a @ a.transpose(0, 2, 1) + np.eye(3)
    c = cp.linalg.cholesky(cp.asarray(a))
    b = random((2, 3), "d", 1)
    np.testing.assert_allclose(host(cp.linalg.cho_solve((c, True), cp.asarray(b))),
                               np.linalg.solve(a, b[..., None])[..., 0], rtol=1e-10)
    b = random((3, 3), "d", 1)  # as many vectors as could be one matrix
    stack = np.stack([a[0]] * 3)
    np.testing.assert_allclose(host(cp.linalg.cho_solve((cp.linalg.cholesky(cp.asarray(stack)), True), cp.asarray(b))),
                               np.linalg.solve(stack, b[..., None])[..., 0], rtol=1e-10)
