"""LU by blocks, which matrices of more than 80 rows and columns get on the CPU, and what is made of it: solve, inv,
det, slogdet, lu, lu_factor. Sizes lie around the blocks' edges (48, and 64 from 640 rows on).

Bounds are those of the algorithm, relative to what its elements are made of: |PA - LU| <= n eps |L||U|, and a
solution's residual <= 3 n eps |L||U||x|. Residuals are computed in float64, which adds as much as one sum's rounding
to those of float64: n eps of the same."""
import cuprite as cp
import numpy as np
import pytest
from cuprite import linalg
from cuprite.scipy import linalg as more
from oracle import raises

TYPES = ["float32", "float64", "complex64", "complex128"]
EPS = {"float32": 2.0**-24, "float64": 2.0**-53, "complex64": 2.0**-21, "complex128": 2.0**-50}
SIZES = [80, 81, 95, 96, 97, 160, 161, 191, 192, 193, 239, 257, 336, 639, 640, 641, 705]


def random(rng, shape, dtype):
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if np.dtype(dtype).kind == "c" else x).astype(dtype)


def wide(a):
    return a.astype("c16" if a.dtype.kind == "c" else "f8")


def roundings(dtype, n, of):
    """`of` sums of n products of this type, and one for a residual in float64."""
    return n * EPS[dtype] * (of + (dtype in ("float64", "complex128")))


def check_lu(a, lu, pivots):
    """lu and pivots are the factors of a, and no multiplier is larger than 1."""
    m, n = a.shape
    r, order = min(m, n), np.arange(m)
    for i, p in enumerate(pivots):
        assert i <= p < m
        order[[i, p]] = order[[p, i]]
    lower = np.tril(lu[:, :r], -1) + np.eye(m, r, dtype=lu.dtype)
    upper = np.triu(lu[:r])
    c = 1 if a.dtype.kind == "f" else 2**0.5  # LAPACK compares |re| + |im|
    assert np.abs(lower).max() <= c * (1 + 4 * EPS[a.dtype.name])
    bound = roundings(a.dtype.name, r, 1) * (np.abs(lower).astype("f8") @ np.abs(upper).astype("f8"))
    assert np.all(np.abs(wide(a)[order] - wide(lower) @ wide(upper)) <= bound)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("m,n", [(161, 161), (193, 193), (337, 337), (641, 641), (161, 400), (400, 161), (192, 250),
                                 (300, 700), (700, 300), (720, 650), (650, 720), (1000, 162)])
def test_lu(dtype, m, n):
    a = random(np.random.default_rng(m + n), (m, n), dtype)
    lu, pivots = (cp.asnumpy(x) for x in more.lu_factor(cp.asarray(a)))
    assert lu.dtype == dtype
    check_lu(a, lu, pivots)
    p, lower, upper = (cp.asnumpy(x) for x in more.lu(cp.asarray(a)))
    bound = roundings(dtype, min(m, n), 1) * (p @ (np.abs(lower).astype("f8") @ np.abs(upper).astype("f8")))
    assert np.all(np.abs(wide(a) - p @ (wide(lower) @ wide(upper))) <= bound)


@pytest.mark.parametrize("dtype", TYPES)
def test_exchanges_from_far_away(dtype):
    """Rows in the opposite order: each pivot lies in another panel's rows; and rows of all sizes."""
    rng = np.random.default_rng(1)
    for n in (200, 643):
        a = (np.eye(n)[::-1] * 4 + rng.random((n, n)) / n).astype(dtype)
        check_lu(a, *(cp.asnumpy(x) for x in more.lu_factor(cp.asarray(a))))
        a = (random(rng, (n, n), dtype) * np.exp2(rng.integers(-30, 31, (n, 1)))).astype(dtype)
        check_lu(a, *(cp.asnumpy(x) for x in more.lu_factor(cp.asarray(a))))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", SIZES)
def test_solve_inv_det(dtype, n):
    rng = np.random.default_rng(n)
    a = random(rng, (n, n), dtype) + 3 * np.eye(n, dtype=dtype)
    lu = cp.asnumpy(more.lu_factor(cp.asarray(a))[0])
    size = (np.abs(np.tril(lu, -1)) + np.eye(n)).astype("f8") @ np.abs(np.triu(lu)).astype("f8")
    for k in (1, 2, 63, 300, 64, 65)[SIZES.index(n) % 2::2]:
        b = random(rng, (n, k), dtype)
        x = cp.asnumpy(linalg.solve(cp.asarray(a), cp.asarray(b)))
        assert x.dtype == dtype
        assert np.all(np.abs(wide(a) @ wide(x) - wide(b)) <= roundings(dtype, n, 3) * (size @ np.abs(x).astype("f8")))
    x = cp.asnumpy(linalg.inv(cp.asarray(a)))
    assert np.all(np.abs(wide(a) @ wide(x) - np.eye(n)) <= roundings(dtype, n, 3) * (size @ np.abs(x).astype("f8")))
    sign, log = (np.asarray(cp.asnumpy(v)) for v in linalg.slogdet(cp.asarray(a)))
    nsign, nlog = np.linalg.slogdet(wide(a))
    condition = np.linalg.cond(wide(a), 1)
    assert abs(log - nlog) <= n * EPS[dtype] * condition and abs(sign - nsign) <= n * EPS[dtype] * condition


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("where", [0, 47, 48, 100, 199])
def test_singular(dtype, where):
    """A column of zeros in the first panel, at a block's edge, in the last one."""
    a = random(np.random.default_rng(2), (200, 200), dtype)
    a[:, where] = 0
    x = cp.asarray(a)
    raises(np.linalg.LinAlgError, lambda: cp.asnumpy(linalg.solve(x, x)))
    raises(np.linalg.LinAlgError, lambda: cp.asnumpy(linalg.inv(x)))
    assert float(abs(linalg.det(x))) == 0
    sign, log = linalg.slogdet(x)
    assert complex(sign) == 0 and float(log) == -np.inf


@pytest.mark.parametrize("dtype", TYPES)
def test_determinants_that_leave_the_range(dtype):
    for scale in (1e30, 1e-30):
        a = (np.eye(300) * scale).astype(dtype)
        a[[7, 250]] = a[[250, 7]]
        sign, log = linalg.slogdet(cp.asarray(a))
        assert complex(sign) == -1
        wanted = 300 * np.log(float(np.abs(a[0, 0])))
        assert abs(float(log) - wanted) <= 300 * EPS[dtype] * abs(wanted)  # 300 sums of at most that
        assert float(abs(linalg.det(cp.asarray(a)))) == (np.inf if scale > 1 else 0)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(dtype, bad):
    """It ends, and what comes of it is not finite either."""
    a = random(np.random.default_rng(3), (230, 230), dtype)
    a[100, 120] = bad
    assert not np.isfinite(cp.asnumpy(linalg.det(cp.asarray(a))))
    assert not np.isfinite(cp.asnumpy(linalg.inv(cp.asarray(a)))).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_several_and_in_any_layout(dtype):
    rng = np.random.default_rng(4)
    a = random(rng, (3, 270, 270), dtype) + 3 * np.eye(270, dtype=dtype)
    many = cp.asnumpy(linalg.inv(cp.asarray(a)))
    room = np.full((3, 540, 272), np.nan, dtype)
    room[:, 539::-2, 1:271] = a
    for i in range(3):
        np.testing.assert_array_equal(cp.asnumpy(linalg.inv(cp.asarray(a[i]))), many[i])
        np.testing.assert_array_equal(cp.asnumpy(linalg.inv(cp.asarray(np.asfortranarray(a[i])))), many[i])
    np.testing.assert_array_equal(cp.asnumpy(linalg.inv(cp.asarray(room)[:, 539::-2, 1:271])), many)
    b = random(rng, (3, 270, 0), dtype)
    assert linalg.solve(cp.asarray(a), cp.asarray(b)).shape == (3, 270, 0)


@pytest.mark.parametrize("dtype", TYPES)
def test_the_same_bits_by_any_number_of_threads(dtype, device):
    from cuprite import _device
    if device != "cpu":
        pytest.skip("the CPU's threads")
    rng = np.random.default_rng(5)
    a = cp.asarray(random(rng, (700, 700), dtype) + 3 * np.eye(700, dtype=dtype))
    b = cp.asarray(random(rng, (700, 150), dtype))
    before, results = _device.threads(), []
    try:
        for n in (1, 2, 5):
            _device.threads(n)
            results.append([cp.asnumpy(v) for v in (*more.lu_factor(a), linalg.solve(a, b), linalg.inv(a))])
    finally:
        _device.threads(before)
    for other in results[1:]:
        for x, y in zip(results[0], other):
            np.testing.assert_array_equal(x, y)
