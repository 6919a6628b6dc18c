"""cuprite.linalg where it is easily wrong: columns of very different size, infinite pivots, matrices without elements,
booleans, halves of Hermitian matrices, wrong axes and orders; that reading a result on the host reports the call's
failures."""
import numpy as np
import pytest

import cuprite as cp
from cuprite import linalg
from cuprite.scipy import linalg as more

from test_linalg import TYPES, adjoint, close, host, orthonormal, raised, random, same_error


def graded(n, dtype, decades):
    """Columns fall, or rise, by that many decades, down to numbers whose squares vanish."""
    return np.stack([random((n, n), dtype, s) * (10. ** (-decades * np.arange(n)[::order])).astype(dtype)
                     for s, order in enumerate([1, -1] * 4)])


@pytest.mark.parametrize("stack", [1, 8])
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [5, 12, 40])
def test_columns_of_all_sizes(n, dtype, stack):
    """Each column of Q R is a's to rounding of its own length, and all factors are orthonormal."""
    least = np.finfo(dtype).smallest_subnormal
    a = graded(n, dtype, (36 if dtype in "fF" else 300) / n)[:stack]
    wide = a.astype("G" if dtype in "FD" else "g")
    for mode in ("reduced", "complete"):
        q, r = map(host, linalg.qr(cp.asarray(a), mode))
        orthonormal(q, dtype)
        gap = np.abs(np.einsum("...ij,...jk", q.astype(wide.dtype), r.astype(wide.dtype)) - wide).max(-2)
        bound = 40 * n * (np.finfo(dtype).eps * np.abs(wide).max(-2) + least)
        assert (gap <= bound).all()
    u, s, vt = map(host, linalg.svd(cp.asarray(a)))
    orthonormal(u, dtype)
    orthonormal(adjoint(vt), dtype)
    close((u * s[..., None, :]) @ vt, a, n, dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_a_zeros_sign_is_lapacks(dtype, device):
    """The same for a single matrix and in a batch: the sign of a zero on the diagonal is R's."""
    if device.startswith("cuda"):
        pytest.skip("cuSOLVER's is not LAPACK's")
    for zero in (0.0, -0.0):
        a = np.array([[zero, 1], [3, 4]], dtype)
        alone = host(linalg.qr(cp.asarray(a), "r"))
        among = host(linalg.qr(cp.asarray(np.stack([a] * 9)), "r"))
        close(among, np.stack([alone] * 9), 2, dtype)


@pytest.mark.parametrize("stack", [1, 9])
@pytest.mark.parametrize("n", [1, 3, 40])
@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_infinite_determinants(value, n, stack, device):
    if device.startswith("cuda"):
        pytest.skip("cuSOLVER and the kernels there multiply pivots in their own way")
    a = np.stack([np.diag(np.arange(1.0, n + 1))] * stack)
    a[-1, 0, 0] = value
    x = cp.asarray(a)
    with np.errstate(invalid="ignore"):
        pairs = [(linalg.det(x), np.linalg.det(a)), *zip(linalg.slogdet(x), np.linalg.slogdet(a))]
    for got, wanted in pairs:
        np.testing.assert_allclose(host(got), wanted, rtol=1e-13)


def test_booleans():
    a = np.array([[True, True, False], [False, True, False], [True, False, True]])
    x, bound = cp.asarray(a), 8 * np.finfo("d").eps * np.linalg.cond(a)
    for name in ("inv", "det", "qr", "svd", "svdvals", "eigh", "eigvalsh", "pinv", "cond", "matrix_rank", "slogdet"):
        wanted, got = getattr(np.linalg, name)(a), getattr(linalg, name)(x)
        for w, g in zip(wanted, got) if isinstance(wanted, tuple) else [(wanted, got)]:
            assert g.dtype == w.dtype and g.shape == w.shape, name
        if name in ("inv", "det", "pinv", "cond", "svdvals", "eigvalsh"):
            np.testing.assert_allclose(host(got), wanted, rtol=0, atol=bound)
    np.testing.assert_allclose(host(linalg.solve(x, cp.ones(3, "?"))), np.linalg.solve(a, np.ones(3, "?")), rtol=0,
                               atol=bound)
    np.testing.assert_array_equal(host(linalg.cholesky(cp.eye(3, dtype="?"))), np.eye(3))
    for got, wanted in zip(more.lu_factor(x), ((3, 3), (3,))):
        assert got.shape == wanted


@pytest.mark.parametrize("stack", [(), (5,)])
def test_one_half_of_hermitian_matrices(stack):
    """The imaginary parts of the diagonal are not read, nor is the upper triangle."""
    a = random(stack + (4, 4), "D")
    whole = np.tril(a, -1) + adjoint(np.tril(a, -1)) + a.real * np.eye(4)
    u, s, vt = map(host, linalg.svd(cp.asarray(a), hermitian=True))
    close((u * s[..., None, :]) @ vt, whole, 4, "D")
    close(host(linalg.svd(cp.asarray(a), compute_uv=False, hermitian=True)), np.linalg.svd(whole)[1], 4, "D")
    inverse = np.linalg.inv(whole)
    bound = 16 * np.finfo("d").eps * np.linalg.cond(whole).max() * np.abs(inverse).max()
    np.testing.assert_allclose(host(linalg.pinv(cp.asarray(a), hermitian=True)), inverse, rtol=0, atol=bound)
    assert (host(linalg.matrix_rank(cp.asarray(np.diag([1j, 1, 1j])), hermitian=True)) ==
            np.linalg.matrix_rank(np.diag([1j, 1, 1j]), hermitian=True))


@pytest.mark.parametrize("shape", [(2, 3), (1, 4), (4, 1), (3, 2, 1), (3,)])
def test_halves_of_no_square(shape):
    a = np.ones(shape)
    for f in (lambda m, x: m.svd(x, hermitian=True), lambda m, x: m.svd(x, compute_uv=False, hermitian=True)):
        same_error(lambda: f(linalg, cp.asarray(a)), lambda: f(np.linalg, a))
    if len(shape) > 1:
        for f in (lambda m, x: m.pinv(x, hermitian=True), lambda m, x: m.matrix_rank(x, hermitian=True)):
            same_error(lambda: f(linalg, cp.asarray(a)), lambda: f(np.linalg, a))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 3), (0, 2, 2)])
def test_norms_of_nothing(shape):
    a, x = np.zeros(shape), cp.zeros(shape)
    for order in (None, 0, 1, -1, 2, -2, 3, np.inf, -np.inf, "fro", "nuc"):
        for axis in (None, 0, -1, (0, 1), (-1, -2)):
            for f in (lambda m, y: m.norm(y, order, axis), lambda m, y: m.vector_norm(y, ord=order, axis=axis),
                      lambda m, y: m.matrix_norm(y, ord=order)):
                theirs = raised(lambda: f(np.linalg, a))
                if theirs is not None:
                    assert type(raised(lambda: f(linalg, x))).__name__ == type(theirs).__name__
                    continue
                wanted, got = f(np.linalg, a), host(f(linalg, x))
                assert got.shape == np.shape(wanted)
                np.testing.assert_array_equal(got, wanted)


def test_axes_and_orders_of_norms():
    number, line = np.array(2.0), np.ones(3)
    for a, axis in ((number, 0), (number, -1), (number, (0,)), (line, 1), (line, (0, 1))):
        for name in ("norm", "vector_norm"):
            same_error(lambda: getattr(linalg, name)(cp.asarray(a), axis=axis),
                       lambda: np.linalg.norm(a, axis=axis))
    same_error(lambda: linalg.norm(cp.ones((2, 2)), axis=[0, 1]), lambda: np.linalg.norm(np.ones((2, 2)), axis=[0, 1]))
    assert host(linalg.norm(cp.ones((2, 3)), axis=1.0)).shape == (2,)  # as int() reads it
    for order in (1j, [2], b"fro", "bad"):
        assert isinstance(raised(lambda: linalg.norm(cp.ones((2, 2)), order)), ValueError)


def test_no_arrays():
    for f in (lambda: linalg.pinv([[1.0]], rtol=None), lambda: linalg.cross([1, 2, 3], [1, 2, 3]),
              lambda: linalg.outer([1], [2]), lambda: linalg.cross(cp.ones(3), [1, 2, 3]),
              lambda: more.bandwidth([[1]]), lambda: more.schur([[1.0]], "complex")):
        assert isinstance(raised(f), TypeError)


@pytest.mark.parametrize("axes", [(0, 1), (1, 0), (1,), (0, 0), (2, 0), (2, 1, 0)])
def test_axes_of_tensorsolve(axes):
    """They are the axes of a as it was given, also where several move."""
    a, b = random((2, 2, 2, 2), "d"), random((2, 2), "d", 1)
    np.testing.assert_allclose(host(linalg.tensorsolve(cp.asarray(a), cp.asarray(b), axes)),
                               np.linalg.tensorsolve(a, b, axes), rtol=1e-8)
    assert isinstance(raised(lambda: linalg.tensorsolve(cp.asarray(a), cp.asarray(b), (4,))), ValueError)


@pytest.mark.parametrize("rcond", [None, -1, -.5, 0, 1, 2, .3, 1e-12])
def test_shares_of_lstsq(rcond):
    """LAPACK's: one that is not between 0 and 1 is the distance of 1 to the next number."""
    u, _ = np.linalg.qr(random((6, 4), "d"))
    v, _ = np.linalg.qr(random((4, 4), "d", 1))
    a, b = (u * [1, .5, .1, 1e-14]) @ v, random((6, 2), "d", 2)
    wanted, got = np.linalg.lstsq(a, b, rcond), linalg.lstsq(cp.asarray(a), cp.asarray(b), rcond)
    assert host(got[2]) == wanted[2]
    assert got[1].shape == wanted[1].shape
    # the smallest singular value, where it counts, makes the solution 1e14 times as long, and has two digits
    rounding = 1e-1 if wanted[2] == 4 else 200 * np.finfo("d").eps * 10**2
    np.testing.assert_allclose(host(got[0]), wanted[0], rtol=0, atol=rounding * np.abs(wanted[0]).max())


def test_wrong_operands_of_lstsq():
    a, b = np.ones((3, 2)), np.ones(3)
    for x, y in ((a.astype("e"), b.astype("F")), (a.astype("D"), b.astype("e")), (a.astype("e"), b)):
        same_error(lambda: linalg.lstsq(cp.asarray(x), cp.asarray(y)), lambda: np.linalg.lstsq(x, y))
    x, y = cp.asarray(a), cp.asarray(b)
    assert isinstance(raised(lambda: linalg.lstsq(x, y, cp.asarray([.1, .2]))), ValueError)
    assert isinstance(raised(lambda: linalg.lstsq(x, y, 1j)), TypeError)
    assert "inv: 1-dimensional" in str(raised(lambda: linalg.inv(y)))  # and no word of the calls before


def test_tiny_matrices_have_a_condition():
    a = (random((3, 4, 4), "d") + 3 * np.eye(4)).astype("f")
    for p in (1, -1, np.inf, -np.inf, "fro"):
        for scale in (1, 1e-37, 1e37):
            got = linalg.cond(cp.asarray((a * np.float32(scale)).astype("f")), p)
            assert got.dtype == np.float32
            np.testing.assert_allclose(host(got), np.linalg.cond(a, p), rtol=1e-4)


@pytest.mark.parametrize("call", [lambda x: more.companion(x), lambda x: more.fiedler_companion(x),
                                  lambda x: more.expm(cp.stack([x, x])),
                                  lambda x: linalg.lstsq(cp.ones((3, 2)), cp.ones(3), x[0])])
def test_a_singular_matrix_is_told_where_a_call_reads(call):
    """On a GPU and its like the error of an earlier call comes where something is read, and is not lost there."""
    x = linalg.inv(cp.asarray([[2.0, 0], [0, 2]]))[0] + 1
    try:
        linalg.inv(cp.zeros((2, 2)))
        call(x)
        host(x)
    except np.linalg.LinAlgError as e:
        assert str(e) == "inv: Singular matrix"
    else:
        pytest.fail("the error is lost")
    call(x)
    assert "inv: 1-dimensional" in str(raised(lambda: linalg.inv(x)))  # nothing is left of it
