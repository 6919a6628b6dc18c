"""Arguments that are another library's arrays, or numbers and lists: converted, handed to their own method, or refused,
as CuPy 14 does with each function."""
import numpy as np
import pytest

import cuprite as cp

A = np.arange(6.0).reshape(2, 3)
V = np.array([3.0, 1.0, 2.0])

CONVERTED = {
    "append": lambda xp, a: xp.append(a, a), "atleast_1d": lambda xp, a: xp.atleast_1d(a),
    "atleast_2d": lambda xp, a: xp.atleast_2d(a), "atleast_3d": lambda xp, a: xp.atleast_3d(a),
    "cross": lambda xp, a: xp.cross(a, a), "diff": lambda xp, a: xp.diff(a), "dstack": lambda xp, a: xp.dstack([a, a]),
    "hstack": lambda xp, a: xp.hstack([a, a]), "vstack": lambda xp, a: xp.vstack([a, a]),
    "vstack of rows": lambda xp, a: xp.vstack(a), "resize": lambda xp, a: xp.resize(a, (3, 4)),
    "round": lambda xp, a: xp.round(a), "tile": lambda xp, a: xp.tile(a, (2, 2)), "tril": lambda xp, a: xp.tril(a),
    "triu": lambda xp, a: xp.triu(a, 1), "unwrap": lambda xp, a: xp.unwrap(a), "isreal": lambda xp, a: xp.isreal(a),
    "iscomplex": lambda xp, a: xp.iscomplex(a), "diag": lambda xp, a: xp.diag(a), "real": lambda xp, a: xp.real(a),
    "gradient": lambda xp, a: xp.gradient(a)[0], "average": lambda xp, a: xp.average(a),
    "union1d": lambda xp, a: xp.union1d(a, a),
}
LIKE = ["empty_like", "zeros_like", "ones_like", "full_like"]
METHODS = {
    "all of the axes": lambda xp, a: xp.sum(a), "sum": lambda xp, a: xp.sum(a, 1), "sum, named": lambda xp, a:
    xp.sum(a, axis=0, keepdims=True), "prod": lambda xp, a: xp.prod(a, 0), "max": lambda xp, a: xp.max(a),
    "amax": lambda xp, a: xp.amax(a, 0), "min": lambda xp, a: xp.min(a), "amin": lambda xp, a: xp.amin(a, axis=1),
    "mean": lambda xp, a: xp.mean(a, 0), "var": lambda xp, a: xp.var(a), "std": lambda xp, a: xp.std(a, ddof=1),
    "argmax": lambda xp, a: xp.argmax(a), "argmin": lambda xp, a: xp.argmin(a, 1), "argsort": lambda xp, a:
    xp.argsort(a), "argpartition": lambda xp, a: xp.argpartition(a, 1)[:, 1], "clip": lambda xp, a: xp.clip(a, 1, 2),
    "copy": lambda xp, a: xp.copy(a), "diagonal": lambda xp, a: xp.diagonal(a), "dot": lambda xp, a: xp.dot(a, a.T),
    "ravel": lambda xp, a: xp.ravel(a), "repeat": lambda xp, a: xp.repeat(a, 2), "reshape": lambda xp, a:
    xp.reshape(a, (3, 2)), "squeeze": lambda xp, a: xp.squeeze(a[None]), "swapaxes": lambda xp, a:
    xp.swapaxes(a, 0, 1), "take": lambda xp, a: xp.take(a, [1, 2]), "trace": lambda xp, a: xp.trace(a),
    "transpose": lambda xp, a: xp.transpose(a), "compress": lambda xp, a: xp.compress([True, False], a, 0),
    "choose": lambda xp, a: xp.choose(a.astype(int) % 2, [5, 6]), "sort": lambda xp, a: xp.sort(a[:, ::-1]),
    "partition": lambda xp, a: xp.partition(a[:, ::-1], 1)[:, 1],
}
REFUSED = {
    "concatenate": lambda a: cp.concatenate([a, a]), "stack": lambda a: cp.stack([a, a]), "median": cp.median,
    "column_stack": lambda a: cp.column_stack([a, a]), "any": cp.any, "all": cp.all, "nonzero": cp.nonzero,
    "add": lambda a: cp.add(cp.ones(3), a), "ediff1d": cp.ediff1d, "trapezoid": cp.trapezoid,
    "percentile": lambda a: cp.percentile(a, 50), "flip": cp.flip, "expand_dims": lambda a: cp.expand_dims(a, 0),
    "linalg.solve": lambda a: cp.linalg.solve(a, a), "moveaxis": lambda a: cp.moveaxis(a, 0, 1),
}


def same(got, want):
    assert type(got) is type(want) and got.dtype == want.dtype
    np.testing.assert_array_equal(got, want, strict=True)


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray, np.ndarray.tolist], ids=["array", "fortran", "list"])
@pytest.mark.parametrize("name", CONVERTED)
def test_converted(name, make, device):
    got = CONVERTED[name](cp, make(A))
    assert isinstance(got, cp.ndarray) and str(got.device) == str(cp.cuda.Device())
    same(got.get(), np.asarray(CONVERTED[name](np, A)))


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "c8"])
@pytest.mark.parametrize("name", ["append", "tril", "vstack", "atleast_1d", "tile"])
def test_converted_types(name, dtype):
    same(CONVERTED[name](cp, A.astype(dtype)).get(), np.asarray(CONVERTED[name](np, A.astype(dtype))))


def test_converted_numbers():
    """Numbers are 0-d arrays to these; NumPy's scalars have their types."""
    for x in (10, 2.5, 1j, True, np.int8(3), np.float32(1.5)):
        for f in (lambda xp: xp.append(x, xp.arange(2)), lambda xp: xp.append(xp.arange(2), x),
                  lambda xp: xp.resize(x, (2, 2)), lambda xp: xp.tile(x, 3), lambda xp: xp.hstack([x, x]),
                  lambda xp: xp.atleast_2d(x), lambda xp: xp.round(x)):
            same(f(cp).get(), np.asarray(f(np)))
        same(np.asarray(cp.nan_to_num(x).get()), np.asarray(np.nan_to_num(x)))
    assert cp.nan_to_num(np.nan) == 0 and cp.nan_to_num(np.inf, posinf=5) == 5
    assert cp.nan_to_num(3.0).ndim == 0


@pytest.mark.parametrize("make", [np.asarray, np.asfortranarray], ids=["C", "F"])
@pytest.mark.parametrize("name", LIKE)
def test_like(name, make):
    a, more = make(A.astype("f4")), (7,) if name == "full_like" else ()
    got = getattr(cp, name)(a, *more)
    want = getattr(np, name)(a, *more)
    assert isinstance(got, cp.ndarray)
    assert (got.shape, got.dtype, got.strides) == (want.shape, want.dtype, want.strides)
    if name != "empty_like":
        same(got.get(), want)
    with pytest.raises(TypeError):
        getattr(cp, name)([1, 2], *more)


@pytest.mark.parametrize("name", METHODS)
def test_their_own_methods(name):
    """The result is NumPy's, as the method gives it."""
    got, want = METHODS[name](cp, A), METHODS[name](np, A)
    same(got, want)
    assert not isinstance(got, cp.ndarray)


def test_their_own_methods_of_other_classes():
    """Whatever says by __array__ that it is an array is asked, a subclass and a scalar of NumPy's too; lists, numbers
    and what has no such method are refused as before."""
    class Box:
        def __array__(self, dtype=None, copy=None):
            return A

        def sum(self, *args, **kwargs):
            return "sum", args, kwargs

    assert cp.sum(Box(), 1, keepdims=True) == ("sum", (1,), {"keepdims": True})
    assert cp.mean(np.ma.array([1.0, 5.0], mask=[False, True])) == 1
    assert cp.sum(np.float64(3)) == 3
    for bad in ([1, 2], (1, 2), 3, 2.5, None, "abc", Box):
        with pytest.raises(TypeError):
            cp.sum(bad)
    with pytest.raises(TypeError):
        cp.mean(Box())
    with pytest.raises(TypeError):
        cp.copy([1, 2])
    assert cp.sum(cp.asarray(A)).get() == 15


def test_mixed_operands():
    """NumPy's method meets Cuprite's array: the implicit conversion stays refused."""
    with pytest.raises(TypeError):
        cp.dot(A, cp.asarray(A.T))
    with pytest.raises(TypeError):
        cp.dot(cp.asarray(A), A.T)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(TypeError):
        REFUSED[name](V)
