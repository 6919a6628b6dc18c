"""Names of NumPy's and CuPy's that arrange or ask: windows, spaced numbers, memory that is shared, types, old names."""
import io
import math
import pickle
import types

import numpy as np
import pytest
import scipy.linalg

import cuprite as cp
from oracle import as_numpy_does, equal, outcome, raises
from test_linalg import TYPES, close, host, random

EPS = np.finfo(float).eps


# --- windows, powers ---

@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
@pytest.mark.parametrize("M", [-3, 0, 1, 2, 3, 12, 51, 1000, True, 0.5, 1.5, 5.5, np.int8(7), np.float32(4)])
def test_windows(name, M):
    ours, theirs = getattr(cp, name)(M).get(), getattr(np, name)(M)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=2 * EPS)


@pytest.mark.parametrize("M", [0, 1, 2, 3, 12, 51, 5.5])
@pytest.mark.parametrize("beta", [0, 0.5, 5, 8.6, 14.0, -3, 700.0])
def test_kaiser(M, beta):
    with np.errstate(all="ignore"):
        theirs = np.kaiser(M, beta)
    ours = cp.kaiser(M, beta).get()
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours, theirs, rtol=8 * EPS * max(1, abs(beta)), atol=0)


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows_refuse(name):
    for M in (math.nan, math.inf, "x", None):
        assert outcome(getattr(cp, name), M) in (TypeError, ValueError, OverflowError), M


@pytest.mark.parametrize("args", [
    (0, 3), (0, 3, 7), (2, -2, 5, False), (1, 1, 1), (0, 3, 0), (0, 3, 4, True, 2), (0, 3, 4, True, 2.5), (0, 1j, 4),
    (0, 3, 4, True, 10.0, "f4"), (0, 3, 4, True, 10.0, "i4"), (0, 3, -1), (0, 3, 4, True, -2)])
def test_logspace(args):
    ours, theirs = outcome(cp.logspace, *args), outcome(np.logspace, *args)
    if isinstance(theirs, type):
        assert ours is theirs
        return
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    eps = 0 if theirs.dtype.kind == "i" else np.finfo(theirs.dtype).eps
    np.testing.assert_allclose(ours.get(), theirs, rtol=4 * eps)


@pytest.mark.parametrize("axis", [0, 1, -1, -2, 2])
@pytest.mark.parametrize("base", [[2.0, 3.0, 10.0], [[2.0], [3.0]], 2.0, [2.0, 3.0]])
def test_logspace_of_arrays(axis, base):
    def made(xp):
        array = xp.asarray
        return xp.logspace(array([0.0, 1, 2]), array([1.0, 3, 5]), 4, base=array(base) if np.ndim(base) else base,
                           axis=axis)
    ours, theirs = outcome(made, cp), outcome(made, np)
    if isinstance(theirs, type):
        assert ours is theirs
        return
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    np.testing.assert_allclose(ours.get(), theirs, rtol=4 * EPS)


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "i8", "f2", "f4", "f8", "F", "D"])
@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("N", [None, 0, 1, 2, 5, -1])
@pytest.mark.parametrize("increasing", [False, True])
def test_vander(dtype, n, N, increasing):
    as_numpy_does(lambda xp: xp.vander(xp.asarray((np.arange(2 * n) % 3 + 0.5).astype(dtype))[::-2], N, increasing))


def test_vander_takes_vectors():
    as_numpy_does(lambda xp: xp.vander([3, 1, 2]))
    as_numpy_does(lambda xp: xp.vander(xp.ones((2, 2))))
    as_numpy_does(lambda xp: xp.vander(xp.ones(())))
    assert cp.vander(cp.arange(4.0)).strides == np.vander(np.arange(4.0)).strides


# --- making ---

def test_fromfunction_and_fromiter():
    as_numpy_does(lambda xp: xp.fromfunction(lambda i, j: i * 10 + j, (2, 3)))
    as_numpy_does(lambda xp: xp.fromfunction(lambda i, j, k: np.where(i == j, k, 0), (2, 3), dtype=int, k=4))
    as_numpy_does(lambda xp: xp.fromiter((i * i for i in range(5)), "f4"))
    as_numpy_does(lambda xp: xp.fromiter(range(9), int, count=4))
    as_numpy_does(lambda xp: xp.fromiter(range(3), int, count=4))
    as_numpy_does(lambda xp: xp.fromiter(["a"], float))
    assert isinstance(cp.fromiter([1], int), cp.ndarray) and isinstance(cp.fromfunction(lambda i: i, (3,)), cp.ndarray)


# --- Cholesky ---

@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("n", [1, 3, 33])
def test_cho_solve_and_invh(dtype, n):
    from cuprite import linalg as ours
    for batch in ((), (3,)):
        a = random(batch + (n, n), dtype, n)
        a = a @ a.conj().swapaxes(-1, -2) + n * np.eye(n, dtype=dtype)
        for upper in (False, True):
            c = ours.cholesky(cp.asarray(a), upper=upper)
            c = c + (cp.tril if upper else cp.triu)(cp.full_like(c, 7), -1 if upper else 1)  # is not read
            b = random(batch + (n, 2), dtype, 5)
            x = host(ours.cho_solve((c, not upper), cp.asarray(b)))
            assert x.dtype == np.dtype(dtype) and x.shape == b.shape
            close(a @ x, b, 8 * n, dtype)
            if not batch:
                theirs = scipy.linalg.cho_solve((host(c), not upper), b)
                close(x, theirs, 8 * n, dtype)
                v = host(ours.cho_solve((c, not upper), cp.asarray(b[:, 0])))
                close(v, theirs[:, 0], 8 * n, dtype)
        inverse = host(ours.invh(cp.asarray(a)))
        assert inverse.dtype == np.dtype(dtype) and inverse.shape == a.shape
        close(a @ inverse, np.broadcast_to(np.eye(n), a.shape).astype(dtype), 16 * n, dtype)


def test_cho_solve_and_invh_refuse():
    from cuprite import linalg as ours
    one = cp.eye(2)
    with raises(np.linalg.LinAlgError):
        host(ours.invh(cp.asarray([[1.0, 2], [2, 1]])))
    with raises(np.linalg.LinAlgError):
        ours.invh(cp.ones((2, 3)))
    with raises(TypeError):
        ours.invh(np.eye(2))
    with raises(ValueError):
        ours.cho_solve((cp.ones((2, 3)), True), cp.ones(2))
    with raises(ValueError):
        ours.cho_solve((one, True), cp.asarray([1, np.nan]))
    with raises(ValueError):
        ours.cho_solve((one * np.inf, True), cp.ones(2))
    assert np.isnan(host(ours.cho_solve((one, True), cp.asarray([1, np.nan]), check_finite=False))[1])
    assert ours.invh(cp.empty((0, 0))).shape == (0, 0)


# --- memory ---

def test_shares_memory():
    rng = np.random.default_rng(3)
    x = np.zeros((6, 7, 5), "i4")
    y = cp.asarray(x)
    for _ in range(300):
        parts = []
        for _ in range(2):
            at = tuple(slice(*sorted(rng.integers(0, n + 1, 2)), rng.integers(1, 4)) for n in x.shape)
            parts.append(at[:rng.integers(1, 4)])
        for flip in (slice(None), slice(None, None, -1)):
            p, q = parts
            assert cp.shares_memory(y[p][flip], y[q].T) is np.shares_memory(x[p][flip], x[q].T)
            assert cp.may_share_memory(y[p][flip], y[q]) is np.may_share_memory(x[p][flip], x[q])
            assert cp.may_share_memory(y[p], y[q], max_work=10**6) is np.shares_memory(x[p], x[q])
    assert cp.shares_memory(y, y) and not cp.shares_memory(y, y.copy()) and not cp.shares_memory(y[:0], y)
    assert cp.shares_memory(y[:, ::2], y[:, 1::2]) is False
    for xp, z in ((np, x), (cp, y)):
        with raises(np.exceptions.TooHardError):
            xp.shares_memory(z[:, ::2], z[:, 1::2], max_work=0)
        wide = xp.zeros((17, 19, 23, 29), "i1")
        assert xp.may_share_memory(wide[:, ::5, ::7, ::3], wide[:, 2::6, 3::5, 1::4], max_work=1) is True
        assert xp.may_share_memory(z[::2], z[1::2], max_work=-1) is False
    assert cp.shares_memory(y, y.view("i1")[..., 3:4])
    with raises(TypeError):
        cp.shares_memory(y, x)


def test_reduced_view():
    x = np.arange(2 * 3 * 4 * 5, dtype="i2").reshape(2, 3, 4, 5)
    y = cp.asarray(x)
    for at, shape in [((), (120,)), ((slice(None), slice(1, 3)), (2, 40)), ((slice(None), slice(0, 1)), (2, 20)),
                      ((..., slice(0, 3)), (24, 3)), ((..., slice(None, None, -1)), (24, 5)), ((0, 0, 0, 0), ()),
                      ((slice(0, 0),), (0,)), ((slice(0, 1), 0, slice(0, 1), slice(0, 1)), (1,))]:
        view = y[at].reduced_view()
        assert view.shape == shape and (not view.size or cp.shares_memory(view, y))
        np.testing.assert_array_equal(view.get().ravel(), x[at].ravel())
    assert y.T.reduced_view().shape == (5, 4, 3, 2)


def test_scatter_methods():
    at, value = cp.asarray([1, 1, 0]), cp.asarray([2.0, 3, 4])
    for name, f in (("add", np.add), ("max", np.maximum), ("min", np.minimum)):
        x, y = np.array([1.0, 2.5, 9]), cp.asarray([1.0, 2.5, 9])
        f.at(x, at.get(), value.get())
        assert getattr(y, "scatter_" + name)(at, value) is None
        np.testing.assert_array_equal(y.get(), x)


def test_members_of_classes():
    b = cp.broadcast(cp.ones((2, 1)), cp.ones(3))
    assert (b.shape, b.size, b.nd, len(b.values)) == ((2, 3), 6, 2, 2)
    k = cp.ElementwiseKernel("T x", "T y", "y = x", "same")
    assert k.nin == 1 and k.name == "same" and hasattr(type(k), "in_params")
    m = cp.RawModule(code='extern "C" __global__ void f() {}')
    assert m.backend == "nvrtc" and hasattr(type(m), "name_expressions")
    assert pickle.loads(pickle.dumps(m)).code == m.code
    assert cp.RawKernel('extern "C" __global__ void f() {}', "f").name == "f" and hasattr(cp.RawKernel, "options")


# --- types ---

def test_common_type():
    for types_ in ["e", "f", "d", "F", "D", "i", "ef", "fi", "eF", "fD", "bB", "dF", ""]:
        assert cp.common_type(*[cp.ones(2, t) for t in types_]) is np.common_type(*[np.ones(2, t) for t in types_])
    assert outcome(cp.common_type, cp.ones(2, "?")) is outcome(np.common_type, np.ones(2, "?")) is TypeError


def test_min_scalar_type():
    for v in (0, 255, 256, -1, 1e5, 1e300, 1 + 2j, True, 2**40):
        assert cp.min_scalar_type(v) == np.min_scalar_type(v)
        assert cp.min_scalar_type(cp.asarray(v)) == np.min_scalar_type(np.asarray(v))
        assert cp.min_scalar_type(cp.asarray([v])) == np.asarray([v]).dtype


def test_questions_about_types():
    assert cp.obj2sctype("f4") is cp.obj2sctype(cp.ones(1, "f4")) is cp.obj2sctype(np.float32) is np.float32
    assert cp.obj2sctype("no such type") is None and cp.obj2sctype("no such type", 3) == 3
    assert cp.obj2sctype(list) is np.object_ and cp.obj2sctype(int) is np.int64
    assert cp.issctype(np.int32) and cp.issctype(np.dtype("f4")) and cp.issctype(float)
    assert not cp.issctype(list) and not cp.issctype(1.1) and not cp.issctype("f4")
    assert cp.issubclass_(np.int32, int) is False is cp.issubclass_(3, int) and cp.issubclass_(np.int32, np.integer)
    assert cp.issubsctype("S8", str) is False and cp.issubsctype(np.array([1]), int)
    assert cp.issubsctype("f4", np.inexact)
    assert [cp.sctype2char(t) for t in (np.int32, "f8", complex, cp.ones(1, "e"))] == ["i", "d", "D", "e"]
    with raises(ValueError):
        cp.sctype2char("no such type")
    assert cp.typename("d") == np.typename("d") and cp.mintypecode("fd") == np.mintypecode("fd")
    assert cp.format_parser(["f8", "i4"], ["a", "b"], []).dtype == np.dtype([("a", "f8"), ("b", "i4")])


@pytest.mark.parametrize("arrays, numbers, wanted", [
    ([], ["i8", "f4", "c8"], "c16"), (["f4"], ["i8", "f8"], "f4"), (["f4"], ["i8", "c16"], "c16"), (["f4"], [], "f4"),
    (["i8"], ["f4"], "f8"), (["i4", "f4"], [], "f8"), (["u1", "i1"], [], "i2"), (["?"], ["i4"], "i4"),
    (["f8"], ["c8"], "c16"), ([], [], None), (["i2", "u8"], [], "f8")])
def test_find_common_type(arrays, numbers, wanted):
    # what NumPy 1.26 gave; the first of these is an example of its documentation
    assert cp.find_common_type(arrays, numbers) == (wanted and np.dtype(wanted))


def test_make_aligned_dtype():
    d = cp.make_aligned_dtype([("a", "i1"), ("z", "c16"), ("b", "i2")])
    assert [d.fields[n][1] for n in "azb"] == [0, 16, 32] and d.itemsize == 48 and d.isalignedstruct
    inner = np.dtype([("x", "i1"), ("z", "c8")])
    d = cp.make_aligned_dtype([("k", "i1"), ("s", inner, (2,))])
    assert d["s"].base.itemsize == 16 and d.fields["s"][1] == 8 and d.itemsize == 40
    d = cp.make_aligned_dtype([("k", "i1"), ("s", inner)], recurse=False)
    assert d["s"] == inner and d.fields["s"][1] == 1
    assert cp.make_aligned_dtype([("a", "f4"), ("b", "f4")], alignment=16).itemsize == 16
    assert cp.make_aligned_dtype("f4") == np.dtype("f4")
    for wrong in (0, 3, -2):
        with raises(ValueError):
            cp.make_aligned_dtype([("a", "f4")], alignment=wrong)


# --- old names, words ---

def test_constants():
    assert cp.Inf == cp.infty == cp.Infinity == cp.PINF == np.inf and cp.NINF == -np.inf
    assert math.isnan(cp.NaN) and math.isnan(cp.NAN) and math.copysign(1, cp.NZERO) == -1 == -math.copysign(1, cp.PZERO)
    assert cp.complex_ is cp.cfloat is np.complex128 and cp.singlecomplex is np.complex64 and cp.float_ is np.float64
    assert cp.disable_experimental_feature_warning is False


def test_exceptions_and_typing():
    for name in cp.exceptions.__all__:
        assert getattr(cp.exceptions, name) is getattr(np.exceptions, name)
    assert cp.ComplexWarning is np.exceptions.ComplexWarning and cp.RankWarning is np.exceptions.RankWarning
    alias = cp.typing.NDArray[np.float32]
    assert isinstance(alias, types.GenericAlias) and alias.__origin__ is cp.ndarray
    assert alias.__args__[1].__args__ == (np.float32,)
    assert cp.typing.DTypeLike is np.typing.DTypeLike and cp.ndarray in cp.typing.ArrayLike.__args__


def test_words(capsys):
    cp.disp("hello", linefeed=False)
    cp.disp(3)
    assert capsys.readouterr().out == "hello3\n"
    to = io.StringIO()
    cp.disp(cp.arange(2), to)
    assert to.getvalue() == "[0 1]\n"
    assert cp.safe_eval("[1, (2, 'a')]") == [1, (2, "a")]
    assert outcome(cp.safe_eval, "open('x')") is ValueError
    assert cp.get_array_wrap(3, [4]) is None and cp.get_array_wrap(3, np.ones(2))(np.ones(1)).shape == (1,)
    cp.show_config()
    assert cp.__version__ in capsys.readouterr().out


def test_who(capsys):
    x = cp.ones((2, 3), "f4")
    cp.who({"x": x, "y": x[:1], "z": 3, "w": cp.ones(5, "i8")})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[2] == "x 2 x 3 24 float32".split() and lines[3] == "y 1 x 3 12 (x) float32".split()
    assert lines[4] == ["w", "5", "40", "int64"] and lines[5] == "Upper bound on total bytes: 64".split()


def test_set_string_function():
    x = cp.arange(3)
    before = repr(x), str(x)
    try:
        cp.set_string_function(lambda a: f"<{a.shape}>")
        assert (repr(x), str(x)) == ("<(3,)>", before[1])
        cp.set_string_function(lambda a: "s", repr=False)
        assert (repr(x), str(x), f"{x}") == ("<(3,)>", "s", "s")
        with raises(TypeError):
            cp.set_string_function(3)
    finally:
        cp.set_string_function(None)
        cp.set_string_function(None, repr=False)
    assert (repr(x), str(x)) == before
