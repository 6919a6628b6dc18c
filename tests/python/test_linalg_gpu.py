"""The GPU's code paths of cuprite.linalg: sizes on both sides of each switch (a team a matrix, panels, libraries), the
forms that slots distinguish, batches that shared memory holds and others, and errors that are reported late.

Bounds are NumPy's own: what factors multiply back to and how orthogonal they are, c * n * eps. CUPRITE_LINALG chooses
between our kernels and NVIDIA's libraries; each is held to the same bounds."""
import os

import numpy as np
import pytest

import cuprite as cp
from cuprite import linalg

if cp.cuda.runtime.getDeviceCount() == 0 or not os.path.exists("/dev/nvidiactl"):  # two thousand cases
    pytest.skip("no GPU of NVIDIA's", allow_module_level=True)
TYPES = ["f", "d", "F", "D"]
WAYS = ["own", "library", ""]


@pytest.fixture(params=WAYS, autouse=True)
def way(request, monkeypatch):
    monkeypatch.setenv("CUPRITE_LINALG", request.param)
    return request.param


def random(shape, dtype, seed=0):
    rng = np.random.default_rng([seed, *shape])
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def adjoint(x):
    return x.conj().swapaxes(-1, -2)


def close(got, wanted, n, dtype, c=30, scale=None):
    got, wanted = cp.asnumpy(got), np.asarray(wanted)
    assert got.shape == wanted.shape
    scale = np.abs(wanted).max() if scale is None else scale
    assert np.abs(got - wanted).max() <= c * max(n, 1) * np.finfo(dtype).eps * scale


def orthonormal(q, dtype):
    q = cp.asnumpy(q)
    close(adjoint(q) @ q, np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2), q.shape[-2], dtype,
          scale=1)


SHAPES = [(1, 1, 1), (1, 24, 24), (1, 96, 96), (1, 97, 97), (3, 130, 130), (100, 40, 40), (101, 3, 3), (101, 8, 8),
          (71, 9, 9), (70, 16, 16), (70, 17, 17), (70, 32, 32), (1, 400, 400), (2, 257, 257), (1, 512, 512),
          (1, 513, 513), (1, 1024, 1024), (1, 1030, 1030), (1, 1700, 1700)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_systems(dtype, shape):
    """solve, inv, det: the residual is small beside |A| |x|."""
    n = shape[-1]
    a = random(shape, dtype) + np.eye(n, dtype=dtype) * 3
    for k in (1, 3, 4, 5, 70):
        b = random((*shape[:-1], k), dtype, 1)
        x = cp.asnumpy(linalg.solve(cp.asarray(a), cp.asarray(b)))
        close(a @ x, b, n, dtype, scale=np.abs(a).max() * np.abs(x).max() * np.sqrt(n))
    x = cp.asnumpy(linalg.inv(cp.asarray(a)))
    close(a @ x, np.broadcast_to(np.eye(n), shape), n, dtype, scale=np.abs(a).max() * np.abs(x).max() * np.sqrt(n))
    sign, log = (cp.asnumpy(v) for v in linalg.slogdet(cp.asarray(a)))
    wanted = np.linalg.slogdet(a.astype("D" if np.dtype(dtype).kind == "c" else "d"))
    close(log, wanted[1], n, dtype, c=300)
    close(sign, wanted[0], n, dtype, c=3000, scale=1)


@pytest.mark.parametrize("shape", [(1, 96, 90), (1, 90, 200), (1, 200, 90), (1, 512, 512), (1, 700, 300),
                                   (1, 1024, 40), (1, 1100, 1200), (1, 2100, 60)], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_lu(dtype, shape):
    from cuprite.scipy.linalg import lu_factor, lu_solve

    a = random(shape[1:], dtype)
    m, n = a.shape
    lu, pivots = (cp.asnumpy(v) for v in lu_factor(cp.asarray(a)))
    r = min(m, n)
    rows = np.arange(m)
    for i, p in enumerate(pivots[:r]):
        rows[[i, p]] = rows[[p, i]]
    lower, upper = np.tril(lu, -1)[:, :r] + np.eye(m, r), np.triu(lu)[:r]
    assert np.abs(lower).max() < 1.5
    close(lower @ upper, a[rows], max(m, n), dtype)
    a = random((n, n), dtype)
    b = random((n, 3), dtype, 1)
    f = lu_factor(cp.asarray(a))
    for trans, op in enumerate((a, a.T, a.conj().T)):
        x = cp.asnumpy(lu_solve(f, cp.asarray(b), trans=trans))
        close(op @ x, b, n, dtype, scale=np.abs(a).max() * np.abs(x).max() * np.sqrt(n))


@pytest.mark.parametrize("n", [100, 200, 600])
def test_pivots_of_equal_entries(n):
    """LAPACK's: the first of the largest, in the order that its exchanges have led to. Pivots are powers of 2, so what
    is computed is exact, and all bits are those of SciPy's factors."""
    scipy = pytest.importorskip("scipy.linalg")
    from cuprite.scipy.linalg import lu_factor

    rng = np.random.default_rng(n)
    h = scipy.hadamard(8) * rng.choice([-1, 1], (8, 1)) * rng.choice([-1, 1], 8)
    a = np.kron(h[rng.permutation(8)], np.eye(-(-n // 8)))[rng.permutation(-(-n // 8) * 8)]
    if os.environ["CUPRITE_LINALG"] == "library":
        pytest.skip("cuSOLVER's choice among equal ones is its own")
    lu, pivots = lu_factor(cp.asarray(a))
    wanted = scipy.lu_factor(a)
    np.testing.assert_array_equal(cp.asnumpy(pivots), wanted[1])
    np.testing.assert_array_equal(cp.asnumpy(lu), wanted[0])


@pytest.mark.parametrize("n", [8, 70, 200])
def test_strided(n):
    """Matrices that lie otherwise: transposed, every second row and column, a batch's axis last, reversed."""
    a = random((2 * n, 2 * n), "d") + 4 * np.eye(2 * n)
    many = random((n, n, 3), "d")
    b = random((n, 2), "d", 1)
    x = cp.asarray(a)
    for take in (lambda v: v[:n, :n].T, lambda v: v[::2, ::2], lambda v: v[n - 1::-1, :n],
                 lambda v: v[:n, 2 * n:n - 1:-1]):
        one, ours = take(a), take(x)
        close(linalg.solve(ours, cp.asarray(b)), np.linalg.solve(one, b), n, "d", c=1e4)
        close(linalg.inv(ours), np.linalg.inv(one), n, "d", c=1e4)
        q, r = (cp.asnumpy(v) for v in linalg.qr(ours))
        close(q @ r, one, n, "d")
        close(linalg.svd(ours, compute_uv=False), np.linalg.svd(one, compute_uv=False), n, "d")
    close(linalg.slogdet(cp.asarray(many).transpose(2, 0, 1))[1], np.linalg.slogdet(many.transpose(2, 0, 1))[1], n, "d",
          c=300)


@pytest.mark.parametrize("n", [5, 33, 300])
@pytest.mark.parametrize("dtype", TYPES)
def test_triangles(dtype, n):
    from cuprite.scipy.linalg import solve_triangular

    a = random((n, n), dtype) / n + np.eye(n, dtype=dtype) * 2
    b = random((n, 40), dtype, 1)
    for lower in (False, True):
        for trans in (0, 1, 2):
            for unit in (False, True):
                x = cp.asnumpy(solve_triangular(cp.asarray(a), cp.asarray(b), trans=trans, lower=lower,
                                                unit_diagonal=unit))
                t = np.tril(a) if lower else np.triu(a)
                if unit:
                    t = t - np.diag(np.diag(t)) + np.eye(n)
                t = (t, t.T, t.conj().T)[trans]
                close(t @ x, b, n, dtype, scale=np.abs(x).max() * 4)


@pytest.mark.parametrize("shape", [(1, 96, 96), (1, 97, 97), (40, 60, 60), (2, 300, 300), (1, 1100, 1100)], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_cholesky(dtype, shape):
    g = random(shape, dtype)
    a = g @ adjoint(g) + np.eye(shape[-1], dtype=dtype)
    for upper in (False, True):
        half = np.triu(a) if upper else np.tril(a)
        f = cp.asnumpy(linalg.cholesky(cp.asarray(half), upper=upper))
        assert (f == (np.triu(f) if upper else np.tril(f))).all()
        close(adjoint(f) @ f if upper else f @ adjoint(f), a, shape[-1], dtype)


@pytest.mark.parametrize("kind", ["random", "deficient", "graded", "small"])
@pytest.mark.parametrize("shape", [(1, 33, 33), (3, 64, 64), (1, 96, 40), (1, 5, 90), (1, 40, 90), (2, 97, 97),
                                   (1, 512, 512), (1, 513, 300), (1, 300, 513), (200, 20, 20), (1, 1024, 70),
                                   (1, 1100, 200), (1, 2048, 100), (1, 2100, 40)], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_qr(dtype, shape, kind):
    a = random(shape, dtype)
    m, n = shape[1:]
    if kind != "random" and n > 100 and m > 512:
        pytest.skip("the smaller ones take the same way")
    if kind == "deficient":
        a[..., n // 2] = a[..., n // 3] = 0
        a[..., n - 1] = a[..., 0]
    if kind == "graded":
        a = (a * 10.0 ** -np.linspace(0, 20, n)).astype(dtype)
    if kind == "small":
        a = (a * np.finfo(dtype).tiny * 2.0 ** 30).astype(dtype)  # whose squares vanish
    for mode in ("reduced", "complete"):
        q, r = linalg.qr(cp.asarray(a), mode)
        orthonormal(q, dtype)
        close(cp.asnumpy(q) @ cp.asnumpy(r), a, max(m, n), dtype)
        assert (cp.asnumpy(r) == np.triu(cp.asnumpy(r))).all()
    r = cp.asnumpy(linalg.qr(cp.asarray(a), "r"))
    if kind != "deficient":  # what is nothing but rounding below a deficient column has any sign
        close(r, np.linalg.qr(a.astype("D" if np.dtype(dtype).kind == "c" else "d"), "r"), max(m, n), dtype, c=300)
    h, tau = (cp.asnumpy(v) for v in linalg.qr(cp.asarray(a), "raw"))
    close(np.triu(h.swapaxes(-1, -2))[..., : min(m, n), :], r, max(m, n), dtype)
    assert tau.shape == (shape[0], min(m, n))


@pytest.mark.parametrize("kind", ["random", "deficient", "graded", "repeated", "zero", "tiny", "huge"])
@pytest.mark.parametrize("shape", [(1, 64, 64), (40, 32, 32), (1, 97, 97), (1, 200, 130), (1, 130, 200), (100, 12, 9),
                                   (2, 256, 256),
                                   (1, 512, 512), (1, 900, 30), (1, 30, 900)], ids=str)
@pytest.mark.parametrize("dtype", TYPES)
def test_svd(dtype, shape, kind):
    a = random(shape, dtype)
    m, n = shape[1:]
    if kind == "deficient":
        a = (a[..., :3] @ random((shape[0], 3, n), dtype, 1)).astype(dtype)
        a[..., -1, :] = 0
        a[..., :, 0] = 0
    if kind == "graded":
        a = (a * 10.0 ** -np.linspace(0, 6, n)).astype(dtype)
    if kind == "repeated":
        u, _, vt = np.linalg.svd(a, full_matrices=False)
        a = ((u * np.repeat([3, 1, 0.5], -(-min(m, n) // 3))[:min(m, n)]) @ vt).astype(dtype)
    if kind == "zero":
        a = a * 0
    if kind in ("tiny", "huge"):
        a = (a * np.sqrt(np.finfo(dtype).tiny if kind == "tiny" else np.finfo(dtype).max) ** 1.8).astype(dtype)
    exact = a.astype("D" if np.dtype(dtype).kind == "c" else "d")
    wanted = np.linalg.svd(exact, compute_uv=False)
    for full in (False, True):
        u, s, vt = (cp.asnumpy(v) for v in linalg.svd(cp.asarray(a), full_matrices=full))
        r = min(m, n)
        orthonormal(u, dtype)
        orthonormal(adjoint(vt), dtype)
        close(s, wanted, max(m, n), dtype)
        assert (np.diff(s) <= 0).all()
        close(u[..., :r] * s[..., None, :] @ vt[..., :r, :], a, max(m, n), dtype)
    close(linalg.svd(cp.asarray(a), compute_uv=False), wanted, max(m, n), dtype)


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 33, 33), (1, 64, 64), (1, 65, 65), (100, 12, 12),
                                   (50, 16, 16), (50, 32, 32), (20, 80, 80), (2, 200, 200),
                                   (1, 300, 300)], ids=str)
@pytest.mark.parametrize("size", [1, "tiny", "max"])
@pytest.mark.parametrize("dtype", TYPES)
def test_eigh(dtype, shape, size):
    g = random(shape, dtype)
    a = g + adjoint(g)
    if size != 1:
        a = (a * np.sqrt(getattr(np.finfo(dtype), size)) ** 1.8).astype(dtype)
    n = shape[-1]
    wanted = np.linalg.eigvalsh(a.astype("D" if np.dtype(dtype).kind == "c" else "d"))
    for part in "LU":
        half = np.tril(a) if part == "L" else np.triu(a)
        w, v = (cp.asnumpy(x) for x in linalg.eigh(cp.asarray(half), part))
        orthonormal(v, dtype)
        close(w, wanted, n, dtype)
        close(a @ v, v * w[..., None, :], n, dtype, scale=np.abs(wanted).max())
        close(linalg.eigvalsh(cp.asarray(half), part), wanted, n, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_eig(dtype):
    a = random((3, 40, 40), dtype)
    w, v = (cp.asnumpy(x) for x in linalg.eig(cp.asarray(a)))
    close(a @ v, v * w[..., None, :], 40, dtype, scale=np.abs(w).max())


def late(f, *arrays):
    """LinAlgError at the latest where the result is read, and the device works on."""
    with pytest.raises(np.linalg.LinAlgError) as e:
        result = f(*(cp.asarray(x) for x in arrays))
        for x in result if isinstance(result, tuple) else (result,):
            cp.asnumpy(x)
    assert cp.asnumpy(linalg.det(cp.eye(3))) == 1
    return str(e.value)


@pytest.mark.parametrize("n", [4, 20, 97, 300])
@pytest.mark.parametrize("dtype", TYPES)
def test_errors(dtype, n):
    a = random((3, n, n), dtype)
    a[1, :, n // 2] = 0
    assert "Singular matrix" in late(linalg.inv, a)
    assert "Singular matrix" in late(linalg.solve, a, random((3, n, 2), dtype))
    assert cp.asnumpy(linalg.det(cp.asarray(a)))[1] == 0
    sign, log = linalg.slogdet(cp.asarray(a))
    assert cp.asnumpy(sign)[1] == 0 and cp.asnumpy(log)[1] == -np.inf
    assert "not positive definite" in late(linalg.cholesky, -np.eye(n, dtype=dtype))
    for value in (np.nan, np.inf):
        b = random((n, n), dtype)
        b[n // 3, 1] = b[1, n // 3] = value
        assert "did not converge" in late(linalg.svd, b)
        assert "did not converge" in late(linalg.eigh, b)
        assert not np.isfinite(cp.asnumpy(linalg.qr(cp.asarray(b), "r"))).all()


def test_same_bits():
    for n in (50, 300):
        a = cp.asarray(random((n, n), "d"))
        for f in (linalg.inv, linalg.det, linalg.qr, linalg.svd):
            one, two = f(a), f(a)
            for x, y in zip(*((v if isinstance(v, tuple) else (v,)) for v in (one, two))):
                assert (cp.asnumpy(x) == cp.asnumpy(y)).all()
