"""Triangular systems on the CPU: solve_triangular, lu_solve, and solve with the sizes at which blocks (48 rows, halves
of multiples of 16), groups of rows (4) and tiles of columns (8 to 64) end.

The bound is the algorithm's, element by element: |T x - b| <= (n + 1) eps |T||x|, where one of the products is by a
pivot's inverse. Residuals are computed in a wider type."""
import cuprite as cp
import numpy as np
import pytest
from cuprite import linalg
from cuprite.scipy import linalg as more

TYPES = ["float32", "float64", "complex64", "complex128"]
EPS = {"float32": 2.0**-24, "float64": 2.0**-53, "complex64": 2.0**-22, "complex128": 2.0**-51}  # of a product
ROWS = [1, 2, 3, 4, 5, 15, 16, 17, 33, 47, 48, 49, 64, 65, 81, 97, 130, 200]
COLUMNS = [1, 2, 3, 7, 8, 9, 16, 17, 25, 31, 33, 48, 63, 64, 65, 130, 300]


def random(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def triangle(rng, n, dtype):
    """Full matrices whose triangles are well conditioned; what is not read are other numbers."""
    a = random(rng, (n, n), dtype) / dtype_of(dtype)(2 * np.sqrt(n))
    i = np.arange(n)
    a[i, i] = np.where(abs(a[i, i]) < 0.5, 1, a[i, i]) * dtype_of(dtype)(1.5)
    return a


def dtype_of(dtype):
    return np.dtype(dtype).type


def wide(a):
    """With more digits; of what has them, the same."""
    return a.astype({"f": "d", "F": "D", "d": "g", "D": "G"}.get(a.dtype.char, a.dtype))


def applied(a, trans):
    return (a, a.T, a.conj().T)[trans]


def check(t, x, b, dtype):
    """t x is b; t, wide, is what was solved with."""
    bound = (len(t) + 1) * EPS[dtype] * (abs(t).astype("d") @ abs(x).astype("d"))
    assert x.dtype == dtype and x.shape == b.shape
    assert np.all(abs(t @ wide(x) - wide(b)) <= bound)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", ROWS)
@pytest.mark.parametrize("unit", [False, True])
def test_triangles(dtype, n, unit):
    rng = np.random.default_rng(n)
    a = triangle(rng, n, dtype)
    for trans, lower in [(t, low) for t in range(3) for low in (False, True)]:
        t = np.tril(a) if lower else np.triu(a)
        if unit:
            t[np.arange(n), np.arange(n)] = 1
        every = 2 if n < 97 else 4  # of large ones each number of columns with one or two ways
        for k in COLUMNS[(trans + 2 * lower) % every::every]:
            b = random(rng, (n, k), dtype)
            x = more.solve_triangular(cp.asarray(a), cp.asarray(b), trans=trans, lower=lower, unit_diagonal=unit)
            check(wide(applied(t, trans)), cp.asnumpy(x), b, dtype)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 2, 5, 48, 65, 81, 170])
@pytest.mark.parametrize("trans", [0, 1, 2])
def test_factors(dtype, n, trans):
    """lu_solve: relative to |L||U||x|, or its transpose."""
    rng = np.random.default_rng(n)
    a = random(rng, (n, n), dtype)
    factors = more.lu_factor(cp.asarray(a))
    lu, order = cp.asnumpy(factors[0]), np.arange(n)
    for i, p in enumerate(cp.asnumpy(factors[1])):
        order[[i, p]] = order[[p, i]]
    size = np.zeros((n, n), "g")
    size[order] = abs(wide(np.tril(lu, -1) + np.eye(n))) @ abs(wide(np.triu(lu)))
    for k in (1, 2, 8, 65, 300):
        b = random(rng, (n, k), dtype)
        x = wide(cp.asnumpy(more.lu_solve(factors, cp.asarray(b), trans=trans)))
        bound = 3 * (n + 1) * EPS[dtype] * (applied(size, trans) @ abs(x))
        assert np.all(abs(wide(applied(a, trans)) @ x - wide(b)) <= bound)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("side", [-1, 1])
def test_pivots_at_the_ends(dtype, side):
    """The inverse of a pivot leaves the range of normal numbers, the quotient does not: powers of two are exact. Beside
    them are usual rows, in the same block and in others."""
    real, n = np.finfo(dtype), 100
    want = np.ones((n, 20)) * np.exp2(-(np.arange(20) % 5))
    pivots = np.ones(n)
    pivots[[3, 50, 99]] = 2.0 ** (real.minexp - 4 if side < 0 else real.maxexp - 1)
    a, b = np.diag(pivots).astype(dtype), (pivots[:, None] * want).astype(dtype)
    for lower in (False, True):
        x = cp.asnumpy(more.solve_triangular(cp.asarray(a), cp.asarray(b), lower=lower))
        np.testing.assert_array_equal(x, want.astype(dtype))
    lu = (cp.asarray(a), cp.arange(n, dtype="i"))
    np.testing.assert_array_equal(cp.asnumpy(more.lu_solve(lu, cp.asarray(b))), want.astype(dtype))
    if np.dtype(dtype).kind == "c":  # a power of two times 1 + i
        x = more.solve_triangular(cp.asarray(a * (1 + 1j) / 2), cp.asarray(b * (1 + 1j) / 2))
        np.testing.assert_array_equal(cp.asnumpy(x), want.astype(dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_what_is_not_finite_goes_on(dtype):
    """A NaN reaches what depends on it and nothing before, in its column alone."""
    rng = np.random.default_rng(6)
    a, b = triangle(rng, 90, dtype), random(rng, (90, 70), dtype)
    b[40, 33] = np.nan
    x = cp.asnumpy(more.solve_triangular(cp.asarray(a), cp.asarray(b), lower=True))
    bad = np.isnan(x)
    assert bad[40:, 33].all() and not bad[:40].any() and not np.delete(bad, 33, 1).any()
    x = cp.asnumpy(more.solve_triangular(cp.asarray(a), cp.asarray(b), lower=False))
    bad = np.isnan(x)
    assert bad[:41, 33].all() and not bad[41:].any() and not np.delete(bad, 33, 1).any()


@pytest.mark.parametrize("dtype", TYPES)
def test_the_same_bits_by_any_number_of_threads(dtype, device):
    from cuprite import _device
    if device != "cpu":
        pytest.skip("the CPU's threads")
    rng = np.random.default_rng(5)
    a, b = cp.asarray(triangle(rng, 500, dtype)), cp.asarray(random(rng, (500, 333), dtype))
    before, results = _device.threads(), []
    try:
        for n in (1, 2, 5):
            _device.threads(n)
            factors = more.lu_factor(a)
            results.append([cp.asnumpy(v) for v in (
                *(more.solve_triangular(a, b, lower=low, trans=t) for low in (False, True) for t in range(3)),
                more.lu_solve(factors, b), more.lu_solve(factors, b, trans=2), linalg.inv(a))])
    finally:
        _device.threads(before)
    for other in results[1:]:
        for x, y in zip(results[0], other):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("n", [2, 5, 40, 130])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_zeros_have_no_sign(dtype, n, device):
    """Of a diagonal matrix: an inverse is printed without a minus before its zeros, as NumPy's is."""
    a = np.diag(np.arange(1, n + 1)).astype(dtype)
    for got in (cp.linalg.inv(cp.asarray(a)), cp.linalg.solve(cp.asarray(a), cp.eye(n, dtype=dtype))):
        got = cp.asnumpy(got)
        parts = [got.real, got.imag] if got.dtype.kind == "c" and not device.startswith("cuda") else [got.real]
        assert not any(np.signbit(part[part == 0]).any() for part in parts)
