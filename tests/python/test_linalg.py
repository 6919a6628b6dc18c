"""cuprite.linalg against NumPy: what factors and solutions multiply back to, and how orthogonal they are, with bounds
of c * n * eps; shapes on both sides of 32, where small kernels end; types, layouts, batches; errors and their messages.

A failure that depends on elements comes where the result is read, so what may fail is read inside `raised`.
"""
import warnings

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import cuprite as cp
from cuprite import linalg

TYPES = ["f", "d", "F", "D"]
EPS = np.finfo("d").eps
SIZES = [1, 2, 3, 5, 8, 16, 31, 32, 33, 70]
BATCHES = [(), (3,), (2, 9), (70,)]  # less than a pack, some packs


def random(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    return x.astype(dtype)


def sizes_of(batch):
    return SIZES if len(batch) < 2 and batch != (70,) else [1, 2, 5, 8, 32, 33]


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def host(x):
    return cp.asnumpy(x)


def largest(x):
    return np.abs(x).max() if x.size else 0.0


def close(got, wanted, n, dtype, c=20, scale=None):
    """Elements differ by at most c * n * eps of the largest wanted one."""
    assert got.shape == wanted.shape
    scale = largest(wanted) if scale is None else scale
    assert largest(got - wanted) <= c * max(n, 1) * np.finfo(dtype).eps * scale


def conditions(a):
    """The largest condition of the matrices, of the singular values that are not rounding."""
    s = np.linalg.svd(a.astype("D"), compute_uv=False)
    s = np.where(s > s[..., :1] * max(a.shape[-2:]) * np.finfo("d" if a.dtype.char in "dDil" else "f").eps, s, np.inf)
    return float((1 / s.min(-1) * np.where(np.isinf(s), 0, s).max(-1)).max()) if s.size else 1.0


def within(got, wanted, bound):
    """Element by element."""
    assert np.shape(got) == np.shape(wanted)
    assert np.all(np.abs(got - wanted) <= bound), np.max(np.abs(got - wanted) / bound)


def orthonormal(q, dtype, c=20):
    """Columns are."""
    n = q.shape[-1]
    close(adjoint(q) @ q, np.broadcast_to(np.eye(n), q.shape[:-2] + (n, n)), q.shape[-2], dtype, c, 1)


def raised(f):
    try:
        result = f()
        for r in result if isinstance(result, tuple) else (result,):
            if isinstance(r, cp.ndarray):
                host(r)
    except Exception as e:
        return e
    return None


def same_error(ours, numpys):
    """Both raise, the same type, and our text has NumPy's in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, got = raised(numpys), raised(ours)
    assert theirs is not None and type(got) is type(theirs), (got, theirs)
    text = " ".join(str(theirs).split()).removeprefix("solve1: ")
    assert text in " ".join(str(got).split())


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", TYPES)
def test_solve_and_inv(dtype, batch):
    for n in sizes_of(batch):
        a = random(batch + (n, n), dtype, n) + 2 * np.sqrt(n) * np.eye(n, dtype=dtype)
        x = host(linalg.inv(cp.asarray(a)))
        assert x.dtype == a.dtype
        close(a @ x, np.broadcast_to(np.eye(n), a.shape), n, dtype, 20, largest(a) * largest(x) * n)
        for k in (1, 3, 40):
            b = random(batch + (n, k), dtype, k)
            x = host(linalg.solve(cp.asarray(a), cp.asarray(b)))
            assert x.dtype == a.dtype
            close(a @ x, b, n, dtype, 20, largest(a) * largest(x) * n)
        v = random(n, dtype, 7)
        x = host(linalg.solve(cp.asarray(a), cp.asarray(v)))
        assert x.shape == np.linalg.solve(a, v).shape
        close(np.einsum("...ij,...j", a, x), np.broadcast_to(v, x.shape), n, dtype, 20, largest(a) * largest(x) * n)


@pytest.mark.parametrize("shapes", [((2, 1, 4, 4), (3, 4, 2)), ((4, 4), (5, 4, 2)), ((5, 4, 4), (4, 2)),
                                    ((3, 0, 0), (3, 0, 2)), ((0, 4, 4), (4, 2)), ((4, 4), (4, 0)), ((0, 0), (0,))])
def test_solve_broadcasts(shapes):
    a, b = random(shapes[0], "d"), random(shapes[1], "d", 1)
    wanted, got = np.linalg.solve(a, b), host(linalg.solve(cp.asarray(a), cp.asarray(b)))
    close(got, wanted, 4, "d", 20 * (conditions(a) if a.size else 1))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", TYPES)
def test_determinants(dtype, batch):
    for n in sizes_of(batch):
        a = random(batch + (n, n), dtype, n) / np.array(n ** .5, dtype)
        got, wanted = host(linalg.det(cp.asarray(a))), np.linalg.det(a.astype("D" if dtype in "FD" else "d"))
        assert got.dtype == a.dtype
        bound = 5 * np.sqrt(n) * np.finfo(dtype).eps * np.linalg.cond(a.astype("D"))  # relative
        within(got, wanted, bound * np.abs(wanted))
        sign, log = map(host, linalg.slogdet(cp.asarray(a)))
        assert sign.dtype == a.dtype and log.dtype == a.real.dtype
        within(log, np.log(np.abs(wanted)), bound + 4 * n * np.finfo(dtype).eps)
        within(sign, wanted / np.abs(wanted), bound if dtype in "FD" else 0)


def test_determinants_at_the_ends():
    a = np.diag([1e300, 1e300, 1e-300, 1e-300, 2.0])
    within(host(linalg.det(cp.asarray(a))), np.float64(2), 8 * EPS)
    within(host(linalg.det(cp.asarray(np.stack([a] * 9)))), np.full(9, 2.0), 16 * EPS)
    for shape in [(0, 0), (3, 0, 0), (0, 2, 2)]:
        for f in ("det", "slogdet"):
            wanted, got = getattr(np.linalg, f)(np.zeros(shape)), getattr(linalg, f)(cp.zeros(shape))
            for w, g in zip(*[x if isinstance(x, tuple) else (x,) for x in (wanted, got)]):
                np.testing.assert_array_equal(host(g), w)
    for stack in (1, 20):
        z = np.zeros((stack, 3, 3))
        sign, log = linalg.slogdet(cp.asarray(z))
        assert (host(linalg.det(cp.asarray(z))) == 0).all() and (host(sign) == 0).all()
        assert (host(log) == -np.inf).all()
    assert type(linalg.slogdet(cp.eye(2))).__name__ == "SlogdetResult"


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky(dtype, batch):
    for n in sizes_of(batch):
        x = random(batch + (n, n), dtype, n)
        a = x @ adjoint(x) + np.eye(n, dtype=dtype)
        lower, upper = (host(linalg.cholesky(cp.asarray(f(a)), upper=u)) for f, u in ((np.tril, 0), (np.triu, 1)))
        assert lower.dtype == a.dtype
        np.testing.assert_array_equal(lower, np.tril(lower))
        np.testing.assert_array_equal(upper, np.triu(upper))
        close(lower @ adjoint(lower), a, n, dtype)
        close(adjoint(upper) @ upper, a, n, dtype)


@pytest.mark.parametrize("n", [161, 209, 641, 1601])
@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky_in_blocks(dtype, n):
    """Of the other triangle nothing is read, and a pivot that is not positive is found in whichever block it is."""
    x = random((n, 60), dtype, n)
    a = x @ adjoint(x) + n * np.eye(n, dtype=dtype)
    for upper in (False, True):
        half = np.triu(a) if upper else np.tril(a)
        half[np.tril_indices(n, -1) if upper else np.triu_indices(n, 1)] = np.nan
        f = host(linalg.cholesky(cp.asarray(half), upper=upper))
        np.testing.assert_array_equal(f, np.triu(f) if upper else np.tril(f))
        close(adjoint(f) @ f if upper else f @ adjoint(f), a, n, dtype)
        for bad in (0, 100, n - 1):
            spoilt = half.copy()
            spoilt[bad, bad] = -1
            with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
                host(linalg.cholesky(cp.asarray(spoilt), upper=upper))


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", TYPES)
def test_qr(dtype, batch):
    for n in sizes_of(batch):
        for m in {1, n, max(n - 2, 1), n + 3, 2 * n}:
            a = random(batch + (m, n), dtype, n + m)
            x = cp.asarray(a)
            for mode in ("reduced", "complete"):
                q, r = map(host, linalg.qr(x, mode))
                nq, nr = np.linalg.qr(a, mode)
                assert q.shape == nq.shape and q.dtype == r.dtype == a.dtype
                close(q @ r, a, n + m, dtype)
                orthonormal(q, dtype)
                np.testing.assert_array_equal(r, np.triu(r))
                close(r, nr, n + m, dtype, 300)  # signs too; a small pivot makes more of rounding
            close(host(linalg.qr(x, "r")), np.linalg.qr(a, "r"), n + m, dtype, 300)
            h, tau = map(host, linalg.qr(x, "raw"))
            nh, ntau = np.linalg.qr(a, "raw")
            close(h, nh, n + m, dtype, 300)
            close(tau, ntau, n + m, dtype, 300, 1)


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", TYPES)
def test_svd(dtype, batch):
    for n in sizes_of(batch):
        for m in {1, n, max(n - 2, 1), n + 3, 2 * n}:
            a = random(batch + (m, n), dtype, n + m)
            if n > 2 and m > 2:
                a[..., 2, :] = a[..., 0, :]  # of lower rank
            r = min(m, n)
            wanted = np.linalg.svd(a, compute_uv=False)
            for full in (True, False):
                u, s, vt = map(host, linalg.svd(cp.asarray(a), full))
                assert u.shape[-2:] == (m, m if full else r) and vt.shape[-2:] == (n if full else r, n)
                assert u.dtype == vt.dtype == a.dtype and s.dtype == a.real.dtype
                close((u[..., :r] * s[..., None, :]) @ vt[..., :r, :], a, n + m, dtype)
                close(s, wanted, n + m, dtype)
                orthonormal(u, dtype)
                orthonormal(adjoint(vt), dtype)
                assert (np.diff(s) <= 0).all() and (s >= 0).all()
            close(host(linalg.svd(cp.asarray(a), compute_uv=False)), wanted, n + m, dtype)
            close(host(linalg.svdvals(cp.asarray(a))), wanted, n + m, dtype)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300, 0.0])
@pytest.mark.parametrize("n", [4, 40])
def test_far_from_one(n, scale):
    """Squares of elements vanish or overflow; results do not."""
    a = random((9, n, n), "d") * scale
    s = host(linalg.svdvals(cp.asarray(a)))
    wanted = np.linalg.svd(a, compute_uv=False)
    close(s, wanted, n, "d", 20, wanted.max() if scale else 1)
    q, r = map(host, linalg.qr(cp.asarray(a)))
    orthonormal(q, "d")
    close(q @ r, a, n, "d")
    h = a + adjoint(a)
    w = host(linalg.eigvalsh(cp.asarray(h)))
    close(w, np.linalg.eigvalsh(h), n, "d", 20, largest(w) if scale else 1)
    u, s, vt = map(host, linalg.svd(cp.asarray(a)))
    orthonormal(u, "d")
    orthonormal(adjoint(vt), "d")


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("dtype", TYPES)
def test_eigh(dtype, batch):
    for n in sizes_of(batch):
        x = random(batch + (n, n), dtype, n)
        a = x + adjoint(x)
        for word, half in (("L", np.tril), ("U", np.triu)):
            w, v = map(host, linalg.eigh(cp.asarray(half(a)), word))
            assert w.dtype == a.real.dtype and v.dtype == a.dtype
            close(a @ v, v * w[..., None, :], n, dtype, 20, largest(a) * np.sqrt(n))
            orthonormal(v, dtype)
            close(w, np.linalg.eigvalsh(a), n, dtype)
            close(host(linalg.eigvalsh(cp.asarray(half(a)), word.lower())), w, n, dtype)


@pytest.mark.parametrize("batch", [(), (3,), (20,)])
@pytest.mark.parametrize("dtype", TYPES)
def test_eig(dtype, batch):
    for n in (1, 2, 5, 8, 32, 33, 70):
        a = random(batch + (n, n), dtype, n)
        w, v = map(host, linalg.eig(cp.asarray(a)))
        nw = np.linalg.eigvals(a)
        assert w.dtype == v.dtype == np.result_type(a.dtype, "F")
        close(a @ v, v * w[..., None, :], n, dtype, 40, largest(a) * np.sqrt(n))
        close(np.linalg.norm(v, axis=-2), np.ones(w.shape), n, dtype)
        same_eigenvalues(host(linalg.eigvals(cp.asarray(a))), nw, a)
        same_eigenvalues(w, nw, a)


def same_eigenvalues(got, wanted, a):
    """Each has a partner that is as near as its own condition allows: rounding |A| times |x| |y| / (y, x), for its
    eigenvectors x and y; once for each of the two that are compared, which are both computed."""
    n = a.shape[-1]
    for w, numpys, m in zip(got.reshape(-1, n), wanted.reshape(-1, n), a.reshape(-1, n, n)):
        exact, v = np.linalg.eig(m.astype("D"))
        condition = np.linalg.norm(v, axis=0) * np.linalg.norm(np.linalg.inv(v), axis=1)
        bound = 4 * np.sqrt(n) * (np.finfo(a.dtype).eps + EPS) * np.linalg.norm(m) * condition
        for values in (w, numpys):
            far = np.abs(values[None, :].astype("D") - exact[:, None])
            mine, others = linear_sum_assignment(far)
            assert (far[mine, others] <= bound).all(), (far[mine, others] / bound).max()


def as_numpy_2_5(name, results):
    """What NumPy gives, complex where before 2.5 real matrices of real eigenvalues had real results."""
    if name not in ("eig", "eigvals"):
        return results
    several = isinstance(results, tuple)
    made = tuple(np.asarray(r).astype(np.result_type(r, "F")) for r in (results if several else (results,)))
    return made if several else made[0]


def test_real_eigenvalues_are_complex_numbers():
    """The type does not depend on the values."""
    a = np.triu(random((3, 5, 5), "d"))
    w, v = linalg.eig(cp.asarray(a))
    assert w.dtype == v.dtype == linalg.eigvals(cp.asarray(a)).dtype == np.complex128
    assert not host(w).imag.any() and not host(v).imag.any()
    np.testing.assert_array_equal(np.sort(host(w).real), np.sort(a.diagonal(0, 1, 2)))
    assert linalg.eig(cp.zeros((0, 0), "f"))[1].dtype == np.complex64


@pytest.mark.parametrize("given", ["?", "b", "u2", "i4", "u8", "f", "F"])
def test_types(given):
    a = (np.abs(random((3, 3), "d")) * 5).astype(given) + 7 * np.eye(3, dtype=given if given != "?" else "i4")
    for name in ("inv", "det", "slogdet", "qr", "svd", "svdvals", "eigvals", "matrix_power", "pinv", "norm", "cond"):
        more = (2,) if name == "matrix_power" else ()
        wanted = as_numpy_2_5(name, getattr(np.linalg, name)(a, *more))
        got = getattr(linalg, name)(cp.asarray(a), *more)
        pairs = zip(wanted, got) if isinstance(wanted, tuple) else [(wanted, got)]
        for w, g in pairs:
            assert np.asarray(w).dtype == g.dtype, name
            assert np.shape(w) == g.shape, name


@pytest.mark.parametrize("name", ["inv", "det", "slogdet", "cholesky", "qr", "svd", "svdvals", "eigh", "eigvalsh",
                                  "eig", "eigvals", "pinv", "matrix_rank", "cond"])
def test_bad_matrices(name):
    ours, numpys = getattr(linalg, name), getattr(np.linalg, name)
    for bad in (np.ones(3), np.ones(()), np.ones((2, 3)), np.ones((4, 2, 3)), np.ones((2, 2), "f2"),
                np.ones((3, 3), "f2")):
        if raised(lambda: numpys(bad)) is None:
            assert raised(lambda: ours(cp.asarray(bad))) is None
        else:
            same_error(lambda: ours(cp.asarray(bad)), lambda: numpys(bad))
    for empty in ((0, 0), (3, 0, 0), (0, 3, 3), (0, 3), (3, 0), (2, 0, 3), (0, 2, 3)):
        x = np.zeros(empty)
        if raised(lambda: numpys(x)) is not None:
            same_error(lambda: ours(cp.asarray(x)), lambda: numpys(x))
            continue
        wanted, got = as_numpy_2_5(name, numpys(x)), ours(cp.asarray(x))
        for w, g in zip(wanted, got) if isinstance(wanted, tuple) else [(wanted, got)]:
            np.testing.assert_array_equal(host(g), w)
            assert g.dtype == np.asarray(w).dtype
    with pytest.raises(TypeError):
        ours(np.eye(2))


@pytest.mark.parametrize("stack", [1, 3, 25])
@pytest.mark.parametrize("n", [2, 5, 40])
def test_singular(n, stack):
    a = random((stack, n, n), "d")
    a[-1] = 0
    b = np.ones((stack, n, 1))
    same_error(lambda: linalg.solve(cp.asarray(a), cp.asarray(b)), lambda: np.linalg.solve(a, b))
    same_error(lambda: linalg.inv(cp.asarray(a)), lambda: np.linalg.inv(a))
    same_error(lambda: linalg.matrix_power(cp.asarray(a), -2), lambda: np.linalg.matrix_power(a, -2))
    g = -np.broadcast_to(np.eye(n), a.shape)
    same_error(lambda: linalg.cholesky(cp.asarray(g)), lambda: np.linalg.cholesky(g))
    assert host(linalg.inv(cp.asarray(a + n * n * np.eye(n)))).shape == a.shape  # the next call works


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("stack", [1, 9])
@pytest.mark.parametrize("n", [1, 4, 40])
def test_not_finite(n, stack, value):
    """Everything ends: with NumPy's error, or with what the arithmetic gives."""
    a = random((stack, n, n), "d")
    a[-1, 0, 0] = value
    x = cp.asarray(a)
    for name, text in (("svd", "SVD did not converge"), ("svdvals", "SVD did not converge"),
                       ("eigh", "Eigenvalues did not converge"), ("eigvalsh", "Eigenvalues did not converge"),
                       ("eig", "Array must not contain infs or NaNs"),
                       ("eigvals", "Array must not contain infs or NaNs")):
        e = raised(lambda: getattr(linalg, name)(x))
        assert type(e) is np.linalg.LinAlgError and str(e) == f"{name}: {text}"
    for f in (linalg.inv, linalg.det, linalg.slogdet, linalg.qr, lambda y: linalg.solve(y, y), linalg.norm):
        assert raised(lambda: f(x)) is None
    if stack > 1:
        close(host(linalg.det(x))[0], np.linalg.det(a[0]), n, "d", 20 * conditions(a[:1]))


def test_bad_systems():
    for a, b in [((3, 3), (2,)), ((3, 3), (2, 2)), ((3, 3), (3, 2, 2)), ((2, 3), (2,)), ((3,), (3,)),
                 ((2, 3, 3), (3, 3, 1)), ((3, 3), ())]:
        x, y = np.ones(a), np.ones(b)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs, got = raised(lambda: np.linalg.solve(x, y)), raised(
                lambda: linalg.solve(cp.asarray(x), cp.asarray(y)))
        assert type(got) is type(theirs), (a, b, got, theirs)
    same_error(lambda: linalg.solve(cp.ones((3, 3)), cp.ones(2)), lambda: np.linalg.solve(np.ones((3, 3)), np.ones(2)))


@pytest.mark.parametrize("layout", ["F", "strided", "reversed", "broadcast", "offset"])
def test_layouts(layout):
    a = random((6, 10, 10), "d") + 5 * np.eye(10)
    view = {"F": np.asfortranarray(a), "strided": a[::2, 1::2, 1::2], "reversed": a[:, ::-1, ::-1],
            "broadcast": np.broadcast_to(a[0], (6, 10, 10)), "offset": a[1:, 2:, 2:]}[layout]
    base = cp.asarray(a)
    x = {"F": lambda: cp.asarray(np.asfortranarray(a)), "strided": lambda: base[::2, 1::2, 1::2],
         "reversed": lambda: base[:, ::-1, ::-1], "broadcast": lambda: cp.broadcast_to(base[0], (6, 10, 10)),
         "offset": lambda: base[1:, 2:, 2:]}[layout]()
    for name in ("inv", "det", "slogdet", "svdvals", "qr", "pinv"):
        wanted, got = getattr(np.linalg, name)(view), getattr(linalg, name)(x)
        for w, g in zip(wanted, got) if isinstance(wanted, tuple) else [(wanted, got)]:
            close(host(g), w, 10, "d", 20 * conditions(view))
    np.testing.assert_array_equal(host(x), view)  # inputs stay as they are


def test_same_bits():
    """Whatever stands beside a matrix, and however often."""
    a = random((300, 7, 7), "d")
    for f in (linalg.inv, linalg.svdvals, linalg.eigvalsh, linalg.det):
        whole = host(f(cp.asarray(a)))
        np.testing.assert_array_equal(whole, host(f(cp.asarray(a))))
        np.testing.assert_array_equal(whole[100:], host(f(cp.asarray(a[100:]))))


@pytest.mark.parametrize("dtype", ["?", "b", "f", "d", "F", "D"])
@pytest.mark.parametrize("shape", [(5,), (3, 4), (2, 3, 4), (4, 4)])
def test_norm(shape, dtype):
    a = (random(shape, "D" if dtype in "FD" else "d") * 3).astype(dtype)
    x = cp.asarray(a)
    for order in (None, 0, 1, -1, 2, -2, 3, .5, np.inf, -np.inf, "fro", "nuc", "bad"):
        for axis in (None, 0, -1, (0, 1), (-1, -2), (0, 0), (1,), (0, 1, 2), 9):
            for keepdims in (False, True):
                args = (order, axis, keepdims)
                theirs = raised(lambda: np.linalg.norm(a, *args))
                if theirs is not None:
                    got = raised(lambda: linalg.norm(x, *args))
                    assert isinstance(got, ValueError) if order == "bad" else type(got) is type(theirs)
                    assert order == "bad" or str(theirs) in str(got)
                    continue
                wanted, got = np.linalg.norm(a, *args), host(linalg.norm(x, *args))
                assert got.shape == np.shape(wanted) and got.dtype == np.asarray(wanted).dtype
                rounding = 4 * max(shape) * np.finfo("f" if dtype in "fF" else "d").eps
                of_values = rounding * largest(a) if order in (2, -2, "nuc") else 0  # singular ones of rank 1, say
                within(got, wanted, rounding * wanted + of_values)


def test_vector_and_matrix_norm():
    a = random((3, 4, 5), "d")
    x = cp.asarray(a)
    for axis in (None, 0, (0, 2), (2, 1, 0)):
        for order in (2, 1, 3, np.inf, -np.inf, 0):
            for keepdims in (False, True):
                wanted = np.linalg.vector_norm(a, axis=axis, ord=order, keepdims=keepdims)
                got = host(linalg.vector_norm(x, axis=axis, ord=order, keepdims=keepdims))
                assert got.shape == wanted.shape
                within(got, wanted, 20 * EPS * wanted)
    for order in ("fro", "nuc", 1, -1, 2, -2, np.inf):
        close(host(linalg.matrix_norm(x, ord=order, keepdims=True)),
              np.linalg.matrix_norm(a, ord=order, keepdims=True), 5, "d", 4, largest(a))


def test_condition_and_rank():
    a = random((4, 5, 5), "d")
    a[1] = 0
    a[2, 0, 0] = np.nan
    a[3, 1] = a[3, 0]
    good = a[[0, 1, 3]]
    for p in (None, 2, -2):
        wanted, got = np.linalg.cond(good, p), host(linalg.cond(cp.asarray(good), p))
        assert abs(got[0] - wanted[0]) <= 20 * 5 * EPS * conditions(a[:1]) * wanted[0]
        assert got[1] == wanted[1]  # of zeros: an infinity
        assert got[2] < 50 * EPS if p == -2 else got[2] > 1 / (50 * EPS)  # of rank 4
    for p in (1, -1, np.inf, -np.inf, "fro"):
        wanted, got = np.linalg.cond(a[:3], p), host(linalg.cond(cp.asarray(a[:3]), p))
        np.testing.assert_array_equal(np.isfinite(got), [True, False, False])
        np.testing.assert_array_equal(got[1:], wanted[1:])
        assert abs(got[0] - wanted[0]) <= 20 * 5 * EPS * conditions(a[:1]) * wanted[0]
    np.testing.assert_allclose(linalg.cond([[1, 2], [3, 5]]).get(), np.linalg.cond([[1, 2], [3, 5]]), rtol=1e-13)
    same_error(lambda: linalg.cond(cp.zeros((0, 0))), lambda: np.linalg.cond(np.zeros((0, 0))))
    for more in ({}, {"tol": 1.0}, {"rtol": .3}, {"hermitian": True}, {"tol": np.array([.1, 1, 3])}):
        ours = {k: cp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in more.items()}
        wanted, got = np.linalg.matrix_rank(good, **more), host(linalg.matrix_rank(cp.asarray(good), **ours))
        np.testing.assert_array_equal(got, wanted)
    assert host(linalg.matrix_rank(cp.zeros(3))) == 0 and host(linalg.matrix_rank(cp.ones(3))) == 1
    same_error(lambda: linalg.matrix_rank(cp.eye(2), 1, rtol=1), lambda: np.linalg.matrix_rank(np.eye(2), 1, rtol=1))


def test_hermitian():
    x = random((2, 6, 6), "D")
    a = x + adjoint(x)
    u, s, vt = map(host, linalg.svd(cp.asarray(np.tril(a)), hermitian=True))
    close((u * s[..., None, :]) @ vt, a, 6, "D")
    close(host(linalg.svd(cp.asarray(np.tril(a)), compute_uv=False, hermitian=True)),
          np.linalg.svd(a, compute_uv=False), 6, "D")
    close(host(linalg.pinv(cp.asarray(np.tril(a)), hermitian=True)), np.linalg.pinv(a), 6, "D", 20 * conditions(a))


@pytest.mark.parametrize("dtype", TYPES + ["i"])
def test_matrix_power(dtype):
    a = (random((3, 4, 4), "D" if dtype in "FD" else "d") * 2).astype(dtype)
    for n in (0, 1, 2, 3, 5, 8, 13, -1, -3):
        if dtype == "i" and n < 0:
            continue
        wanted, got = np.linalg.matrix_power(a, n), host(linalg.matrix_power(cp.asarray(a), n))
        assert got.dtype == wanted.dtype
        if dtype == "i":
            np.testing.assert_array_equal(got, wanted)
            continue
        factor = np.abs(a if n >= 0 else np.linalg.inv(a))
        inverted = np.linalg.cond(a.astype("D"))[:, None, None] if n < 0 else 1
        bound = 8 * max(abs(n), 1) * np.finfo(dtype).eps * inverted
        within(got, wanted, bound * np.linalg.matrix_power(factor, abs(n)))
    same_error(lambda: linalg.matrix_power(cp.eye(2), 1.5), lambda: np.linalg.matrix_power(np.eye(2), 1.5))
    same_error(lambda: linalg.matrix_power(cp.ones((2, 3)), 2), lambda: np.linalg.matrix_power(np.ones((2, 3)), 2))


def test_multi_dot():
    for shapes in ([(3, 4), (4, 5)], [(3, 4), (4, 5), (5, 2)], [(9, 2), (2, 30), (30, 3), (3, 8), (8, 1)],
                   [(4,), (4, 5), (5,)], [(4,), (4, 5), (5, 2)], [(3, 4), (4, 5), (5,)], [(4,), (4,)],
                   [(0, 3), (3, 2)]):
        arrays = [random(s, "d", i) for i, s in enumerate(shapes)]
        wanted, got = np.linalg.multi_dot(arrays), linalg.multi_dot([cp.asarray(a) for a in arrays])
        assert got.shape == np.shape(wanted)
        bound = 2 * sum(s[0] for s in shapes) * EPS * np.linalg.multi_dot([np.abs(a) for a in arrays])
        within(host(got), wanted, bound)
        out = cp.zeros(got.shape)
        if got.ndim == 2:
            assert linalg.multi_dot([cp.asarray(a) for a in arrays], out=out) is out
            within(host(out), wanted, bound)
    one = [np.eye(2)]
    same_error(lambda: linalg.multi_dot([cp.eye(2)]), lambda: np.linalg.multi_dot(one))
    bad = [np.eye(2), np.zeros((2, 2, 2)), np.eye(2)]
    same_error(lambda: linalg.multi_dot([cp.asarray(b) for b in bad]), lambda: np.linalg.multi_dot(bad))
    assert isinstance(raised(lambda: linalg.multi_dot([cp.eye(2), cp.eye(3), cp.eye(3)])), ValueError)


@pytest.mark.parametrize("dtype", TYPES + ["i"])
@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 4), (2, 7, 4), (0, 3), (3, 0), (2, 0, 3)])
def test_pinv(shape, dtype):
    a = (random(shape, "D" if dtype in "FD" else "d") * 9).astype(dtype)
    wanted, got = np.linalg.pinv(a), host(linalg.pinv(cp.asarray(a)))
    assert got.dtype == wanted.dtype or not a.size  # NumPy leaves integers without elements what they are
    n, single, c = max(shape), "f" if dtype in "fF" else "d", 20 * conditions(a)
    close(got, wanted, n, single, c)
    if a.size:
        close(host(linalg.pinv(cp.asarray(a), .5)), np.linalg.pinv(a, .5), n, single, c)
    if a.size and dtype != "i":
        close(host(linalg.pinv(cp.asarray(a), rtol=None)), np.linalg.pinv(a, rtol=None), n, single, c)


@pytest.mark.parametrize("dtype", TYPES + ["i"])
def test_lstsq(dtype):
    for m, n, k in [(8, 3, 2), (3, 8, 2), (5, 5, 1), (8, 3, None), (40, 35, 3), (6, 4, 0), (4, 0, 2), (0, 3, 2)]:
        a = (random((m, n), "D" if dtype in "FD" else "d", m) * 9).astype(dtype)
        b = random((m,) if k is None else (m, k), dtype if dtype != "i" else "d", n)
        for low in (False, True):
            if low and n > 1 and m:
                a[:, 1] = a[:, 0]
            wanted, got = np.linalg.lstsq(a, b), linalg.lstsq(cp.asarray(a), cp.asarray(b))
            for w, g in zip(wanted, got):
                assert g.shape == np.shape(w) and g.dtype == np.asarray(w).dtype
            single, condition = "f" if dtype in "fF" else "d", conditions(a)
            left = largest(a @ wanted[0] - b) * condition ** 2 / (largest(a) or 1)
            close(host(got[0]), wanted[0], max(m, n), single, 20, condition * largest(wanted[0]) + left)
            close(host(got[1]), wanted[1], max(m, n), single, 20, condition * m * largest(b) ** 2)
            assert host(got[2]) == wanted[2]
            close(host(got[3]), wanted[3], max(m, n), single)
    for x, y in [((3, 2), (4,)), ((3, 2, 2), (3,)), ((3, 2), (3, 2, 1)), ((3,), (3,))]:
        same_error(lambda: linalg.lstsq(cp.ones(x), cp.ones(y)), lambda: np.linalg.lstsq(np.ones(x), np.ones(y)))


def test_tensors():
    a, b = random((2, 3, 6), "d"), random((2, 3), "d", 1)
    close(host(linalg.tensorsolve(cp.asarray(a), cp.asarray(b))), np.linalg.tensorsolve(a, b), 6, "d",
          20 * conditions(a.reshape(6, 6)))
    a, b = random((3, 6, 2), "d"), random((3, 2), "d", 1)
    close(host(linalg.tensorsolve(cp.asarray(a), cp.asarray(b), axes=(1,))), np.linalg.tensorsolve(a, b, axes=(1,)), 6,
          "d", 20 * conditions(a.transpose(0, 2, 1).reshape(6, 6)))
    a = random((4, 6, 8, 3), "d")
    close(host(linalg.tensorinv(cp.asarray(a))), np.linalg.tensorinv(a), 24, "d", 20 * conditions(a.reshape(24, 24)))
    same_error(lambda: linalg.tensorinv(cp.ones((2, 3)), 0), lambda: np.linalg.tensorinv(np.ones((2, 3)), 0))
    same_error(lambda: linalg.tensorinv(cp.ones((2, 3)), 1), lambda: np.linalg.tensorinv(np.ones((2, 3)), 1))
    same_error(lambda: linalg.tensorsolve(cp.ones((2, 3)), cp.ones(2)),
               lambda: np.linalg.tensorsolve(np.ones((2, 3)), np.ones(2)))


def test_cross():
    for dtype in "idFD":
        a, b = ((random((2, 3, 4), "D" if dtype in "FD" else "d", s) * 9).astype(dtype) for s in (1, 2))
        got, x, y = host(linalg.cross(cp.asarray(a), cp.asarray(b), axis=1)), np.abs(a), np.abs(b)
        assert got.dtype == a.dtype
        sums = np.roll(x, 1, 1) * np.roll(y, -1, 1) + np.roll(x, -1, 1) * np.roll(y, 1, 1)
        within(got, np.linalg.cross(a, b, axis=1), 4 * np.finfo(dtype).eps * sums if dtype != "i" else 0)
    a = np.ones((2, 4))
    same_error(lambda: linalg.cross(cp.asarray(a), cp.asarray(a)), lambda: np.linalg.cross(a, a))
    x, y = random((3, 5), "d"), random((4, 5, 3), "d")
    close(host(cp.cross(cp.asarray(x), cp.asarray(y), 0, -1, 1)), np.cross(x, y, 0, -1, 1), 1, "d", 4,
          largest(x) * largest(y))


def test_other_names():
    a = random((2, 3, 3), "d")
    x = cp.asarray(a)
    close(host(linalg.trace(x)), np.linalg.trace(a), 3, "d", 1, largest(a))
    np.testing.assert_array_equal(host(linalg.diagonal(x, offset=1)), np.linalg.diagonal(a, offset=1))
    np.testing.assert_array_equal(host(linalg.matrix_transpose(x)), np.linalg.matrix_transpose(a))
    np.testing.assert_array_equal(host(linalg.outer(x[0, 0], x[1, 1])), np.linalg.outer(a[0, 0], a[1, 1]))
    same_error(lambda: linalg.outer(x, x), lambda: np.linalg.outer(a, a))
    close(host(linalg.matmul(x, x)), a @ a, 3, "d", 1, 3 * largest(a) ** 2)
    close(host(linalg.vecdot(x, x)), np.linalg.vecdot(a, a), 3, "d", 1, 3 * largest(a) ** 2)
    close(host(linalg.tensordot(x, x[0], 1)), np.tensordot(a, a[0], 1), 3, "d", 1, 3 * largest(a) ** 2)
    assert linalg.LinAlgError is np.linalg.LinAlgError
    assert set(linalg.__all__) >= set(np.linalg.__all__) - {"linalg"}
    for name in linalg.__all__:
        assert getattr(linalg, name)


def test_words():
    same_error(lambda: linalg.eigh(cp.eye(2), "x"), lambda: np.linalg.eigh(np.eye(2), "x"))
    same_error(lambda: linalg.qr(cp.eye(2), "bad"), lambda: np.linalg.qr(np.eye(2), "bad"))
    assert [type(r).__name__ for r in (linalg.eig(cp.eye(2)), linalg.eigh(cp.eye(2)), linalg.qr(cp.eye(2)),
                                       linalg.svd(cp.eye(2)))] == ["EigResult", "EighResult", "QRResult", "SVDResult"]
