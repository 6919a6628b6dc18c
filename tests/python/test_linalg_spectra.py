"""Singular values and Hermitian eigenvalues of matrices of more than 96 rows and columns, which the CPU computes by
tasks of its own: svd, svdvals, eigh, eigvalsh. Sizes lie around the edges of panels (16 columns, the last 96 are
LAPACK's), of parts (32) and of leaves (25); matrices are those that deflate, split or leave the range of numbers.

Bounds are those of backward stable algorithms: elements of the residual at most 10 sqrt(n) eps |A|, of vectors'
products 10 sqrt(n) eps from those of the identity, values within n eps |A| of NumPy's in float64."""
import cuprite as cp
import numpy as np
import pytest
from cuprite import linalg
from oracle import raises

TYPES = ["float32", "float64", "complex64", "complex128"]
EPS = {"float32": 2.0**-24, "float64": 2.0**-53, "complex64": 2.0**-24, "complex128": 2.0**-53}


def random(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def wide(a):
    return a.astype("c16" if a.dtype.kind == "c" else "f8")


def check_svd(a, full=False):
    m, n = a.shape
    r, most = min(m, n), max(m, n)
    u, s, vt = (cp.asnumpy(x) for x in linalg.svd(cp.asarray(a), full_matrices=full))
    assert u.dtype == vt.dtype == a.dtype and s.dtype == a.real.dtype
    assert u.shape == (m, m if full else r) and vt.shape == (n if full else r, n) and s.shape == (r,)
    bound = most * EPS[a.dtype.name]
    u, s, vt, a8 = wide(u), s.astype("f8"), wide(vt), wide(a)
    assert np.all(s[:-1] >= s[1:]) and np.all(s >= 0)
    wanted = np.linalg.svd(a8, compute_uv=False)
    assert np.abs(s - wanted).max() <= bound * wanted[0]
    # (of ones LAPACK itself, on a processor with AVX2, is 10.4 sqrt(n) off)
    element = (60 if on_gpu() else 20) * most**0.5 * EPS[a.dtype.name]
    assert np.abs((u[:, :r] * s) @ vt[:r] - a8).max() <= element * wanted[0]
    assert np.abs(u.conj().T @ u - np.eye(u.shape[1])).max() <= element
    assert np.abs(vt @ vt.conj().T - np.eye(vt.shape[0])).max() <= element
    alone = cp.asnumpy(linalg.svd(cp.asarray(a), compute_uv=False)).astype("f8")
    assert np.abs(alone - wanted).max() <= bound * wanted[0]


def on_gpu():
    """NVIDIA's library, whose vectors are less orthogonal."""
    from cuprite import _device
    return 0 <= _device.current() < 64  # the numbers of GPUs


def check_eigh(a, half):
    """`a` may have anything in its other half."""
    n = len(a)
    w, v = (cp.asnumpy(x) for x in linalg.eigh(cp.asarray(a), half))
    assert v.dtype == a.dtype and w.dtype == a.real.dtype
    one = np.tril(a, -1) if half == "L" else np.triu(a, 1)
    a8 = wide(one) + wide(one).conj().T
    a8[range(n), range(n)] = a.diagonal().real
    w, v, bound = w.astype("f8"), wide(v), n * EPS[a.dtype.name]
    assert np.all(w[:-1] <= w[1:])
    wanted = np.linalg.eigvalsh(a8)
    size = np.abs(wanted).max()
    assert np.abs(w - wanted).max() <= bound * size
    element = (60 if on_gpu() else 10) * n**0.5 * EPS[a.dtype.name]
    assert np.abs((v * w) @ v.conj().T - a8).max() <= element * size
    assert np.abs(v.conj().T @ v - np.eye(n)).max() <= element
    alone = cp.asnumpy(linalg.eigvalsh(cp.asarray(a), half)).astype("f8")
    assert np.abs(alone - wanted).max() <= bound * size


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m,n", [(97, 97), (112, 112), (113, 113), (128, 128), (193, 193), (257, 257), (130, 120),
                                 (120, 130), (300, 101), (101, 300), (177, 97), (178, 97), (97, 178)])
def test_svd(dtype, m, n):
    a = random(np.random.default_rng(m + 3 * n), (m, n), dtype)
    check_svd(a, full=m % 2 == 0)
    if m != n:
        check_svd(a, full=m % 2 == 1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [97, 98, 112, 113, 129, 193, 256, 301])
def test_eigh(dtype, n):
    a = random(np.random.default_rng(n), (n, n), dtype)
    check_eigh(a, "L")
    check_eigh(a, "U")


def special(name, n, rng):
    q = np.linalg.qr(rng.standard_normal((n, n)))[0]
    if name == "zeros":
        return np.zeros((n, n))
    if name == "one element":
        return np.where(np.arange(n * n).reshape(n, n) == (n // 2) * (n + 1), 3.0, 0.0)
    if name == "identity":
        return np.eye(n)
    if name == "diagonal":
        return np.diag(rng.standard_normal(n))
    if name == "rank 5":
        x = rng.standard_normal((n, 5))
        return x @ x.T
    if name == "two values":
        return q * np.where(np.arange(n) % 2, 1.0, 4.0) @ q.T
    if name == "graded":
        return q * np.exp2(-np.arange(n) / 2) @ q.T
    if name == "graded rows":
        x = rng.standard_normal((n, n)) * np.exp2(-np.arange(n) / 3)
        return x + x.T
    if name == "nearly diagonal":
        x = rng.standard_normal((n, n)) * 1e-9
        return np.diag(np.arange(n) + 1.0) + x + x.T
    if name == "blocks":
        x = np.zeros((n, n))
        for first, last in ((0, 1), (1, 40), (40, 110), (110, n)):
            x[first:last, first:last] = rng.standard_normal((last - first, last - first))
        return x + x.T
    if name == "bidiagonal":
        return np.diag(rng.standard_normal(n)) + np.diag(rng.standard_normal(n - 1), 1)
    if name == "Wilkinson":
        return np.diag(np.abs(np.arange(n) - n // 2) * 1.0) + np.eye(n, k=1) + np.eye(n, k=-1)
    if name == "arrow":
        x = np.diag(np.arange(n) * 1.0)
        x[0], x[:, 0] = 1, 1
        return x
    return np.ones((n, n))


NAMES = ["zeros", "one element", "identity", "diagonal", "rank 5", "two values", "graded", "graded rows",
         "nearly diagonal", "blocks", "bidiagonal", "Wilkinson", "arrow", "ones"]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_special_matrices(dtype, name):
    for n in (131, 180):
        a = special(name, n, np.random.default_rng(n)).astype(dtype)
        check_svd(a)
        check_eigh(a, "LU"[n % 2])


@pytest.mark.parametrize("dtype", TYPES)
def test_near_both_ends_of_the_range(dtype):
    """Values of a matrix that is multiplied by a power of two are too, and vectors are the same, to the last bit."""
    a = random(np.random.default_rng(1), (170, 140), dtype)
    top = 120 if np.dtype(dtype).char in "fF" else 1015

    def results(e):
        x = cp.asarray(a * a.real.dtype.type(2.0**e))
        u, s, vt = (cp.asnumpy(v) for v in linalg.svd(x))
        w, v = (cp.asnumpy(v) for v in linalg.eigh(x[:140]))
        return u, np.ldexp(s, -e), vt, np.ldexp(w, -e), v

    wanted = results(60)
    size = np.linalg.svd(wide(a), compute_uv=False)
    assert np.abs(wanted[1] - size).max() <= 170 * EPS[dtype] * size[0]
    for e in (top, -60, 24 - top):
        for x, y in zip(results(e), wanted):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(dtype, bad):
    """NumPy's errors; what lies in the other half of a Hermitian matrix is not read."""
    a = random(np.random.default_rng(3), (130, 130), dtype)
    a[100, 20] = bad
    x = cp.asarray(a)
    for uv in (True, False):
        raises(np.linalg.LinAlgError, lambda: cp.asnumpy(linalg.svd(x, compute_uv=uv)[0]))
    raises(np.linalg.LinAlgError, lambda: cp.asnumpy(linalg.eigh(x, "L")[0]))
    raises(np.linalg.LinAlgError, lambda: cp.asnumpy(linalg.eigvalsh(x, "L")))
    check_eigh(a, "U")


@pytest.mark.parametrize("dtype", TYPES)
def test_several_and_in_any_layout(dtype):
    """A matrix' bits depend neither on its batch nor on how it lies. (A GPU has other algorithms for batches.)"""
    if on_gpu():
        pytest.skip("of the CPU's algorithm")
    a = random(np.random.default_rng(4), (3, 120, 140), dtype)
    space = np.full((3, 240, 142), np.nan, dtype)
    space[:, 239::-2, 1:141] = a
    many = [cp.asnumpy(x) for x in linalg.svd(cp.asarray(a))]
    for x, y in zip(linalg.svd(cp.asarray(space)[:, 239::-2, 1:141]), many):
        np.testing.assert_array_equal(cp.asnumpy(x), y)
    values, vectors = (cp.asnumpy(x) for x in linalg.eigh(cp.asarray(a[:, :, :120])))
    for i in range(3):
        for x, y in zip(linalg.svd(cp.asarray(np.asfortranarray(a[i]))), many):
            np.testing.assert_array_equal(cp.asnumpy(x), y[i])
        w, v = linalg.eigh(cp.asarray(a[i, :, :120]))
        np.testing.assert_array_equal(cp.asnumpy(w), values[i])
        np.testing.assert_array_equal(cp.asnumpy(v), vectors[i])


@pytest.mark.parametrize("dtype", TYPES)
def test_the_same_bits_by_any_number_of_threads(dtype, device):
    from cuprite import _device
    if device != "cpu":
        pytest.skip("the CPU's threads")
    rng = np.random.default_rng(5)
    a, b = (cp.asarray(random(rng, shape, dtype)) for shape in ((330, 260), (400, 130)))
    before, results = _device.threads(), []
    try:
        for n in (1, 2, 5):
            _device.threads(n)
            results.append([cp.asnumpy(v) for v in (*linalg.svd(a), *linalg.svd(b), *linalg.eigh(a[:260]),
                                                    linalg.eigvalsh(a[:260]))])
    finally:
        _device.threads(before)
    for other in results[1:]:
        for x, y in zip(results[0], other):
            np.testing.assert_array_equal(x, y)
