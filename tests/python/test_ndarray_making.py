"""Making arrays: from lists, buffers and NumPy's arrays, by shape, by ranges. NumPy says what is right."""
import numpy as np
import pytest

import cuprite as cp
from ndarray_checks import TYPES, same, raises
from oracle import as_numpy_does


@pytest.mark.parametrize("dtype", TYPES)
def test_round_trip(dtype):
    a = np.arange(24).reshape(2, 3, 4).astype(dtype)
    for v in (a, a.T, a[:, ::-1], a[..., ::2], np.asfortranarray(a), a[:0], a[0, 0, 0],
              np.broadcast_to(a[0], (5, 3, 4))):
        x = cp.asarray(v)
        same(x, v)
        assert x.dtype == v.dtype and x.shape == v.shape and x.size == v.size and x.nbytes == v.size * v.itemsize
        assert x.ndim == v.ndim and x.itemsize == v.itemsize


def test_byte_swapped_and_readonly_input():
    a = np.arange(6.0).reshape(2, 3)
    same(cp.asarray(a.astype(">f8")), a)
    same(cp.asarray(a.astype(">i2")), a.astype("i2"))
    b = a.copy()
    b.flags.writeable = False
    same(cp.asarray(b), a)
    assert cp.empty(3, np.dtype("f8")).dtype.isnative


def test_buffers_are_taken():
    import array
    same(cp.asarray(array.array("d", [1, 2, 3])), np.array([1.0, 2, 3]))
    same(cp.asarray(bytearray(b"abc")), np.frombuffer(b"abc", np.uint8))
    same(cp.asarray(memoryview(np.arange(6, dtype="i4").reshape(2, 3))), np.arange(6, dtype="i4").reshape(2, 3))


@pytest.mark.parametrize("value", [
    1, 2.5, 1j, True, [], [[]], [[], []], [1, 2], [1, 2.5], [True, 2], [True, False], [1, 2j], [[1, 2], [3, 4]],
    (1, (2,)[0]), [(1, 2), [3, 4]], [[[1]]], [2**63], [np.float32(1), 2], [np.int8(1), np.int8(2)], np.float32(3),
    np.int8(3), np.bool(True), [np.arange(3), np.arange(3)], range(4), [2**64 - 1, 1], np.complex64(1j), -2**63,
], ids=repr)
def test_array_of_python_objects(value):
    same(cp.array(value), np.array(value))


@pytest.mark.parametrize("value", [[1, [2, 3]], [[1, 2], [3]], ["a"], "text", [None], [object()], b"abc", {1: 2},
                                   [[1], 2]], ids=lambda v: repr(v).split(" at 0x")[0])
def test_what_is_no_array_is_refused(value):
    with pytest.raises(ValueError):  # as CuPy does: "Unsupported dtype", and NumPy's own for ragged lists
        cp.array(value)


@pytest.mark.parametrize("dtype", TYPES)
def test_array_with_dtype(dtype):
    same(cp.array([[1, 0], [1, 3]], dtype), np.array([[1, 0], [1, 3]], dtype))
    if dtype[0] in "iu":
        for bad in (300 if dtype[-2:] == "t8" else 2**70, -2**70):
            with pytest.raises(OverflowError):
                cp.array([bad], dtype)


def test_lists_that_contain_themselves():
    x = cp.arange(3)
    for start in ([], [x], [1]):
        start.append(start)
        with pytest.raises(RecursionError if len(start) > 1 and start[0] is x else ValueError):
            cp.array(start)


def test_lists_of_arrays():
    x = cp.arange(3)
    same(cp.array([x, x + 1]), np.array([np.arange(3), np.arange(3) + 1]))
    same(cp.array([x[0], x[2]]), np.array([0, 2]))
    same(cp.array([[x, x], [x, x]], dtype="f4"), np.array([[np.arange(3)] * 2] * 2, dtype="f4"))


def test_array_arguments():
    x = cp.arange(6).reshape(2, 3)
    assert cp.asarray(x) is x and cp.array(x, copy=False) is x and cp.array(x) is not x
    assert cp.array(x, ndmin=4).shape == (1, 1, 2, 3)
    assert cp.asarray(x, "f4").dtype == "f4"
    f = cp.array(x, order="F")
    assert f.flags.f_contiguous and not f.flags.c_contiguous
    same(f, np.arange(6).reshape(2, 3))
    assert cp.asarray(np.asfortranarray(np.ones((2, 3)))).flags.f_contiguous
    assert cp.asarray(np.asfortranarray(np.ones((2, 3))), order="C").flags.c_contiguous
    assert cp.ascontiguousarray(f).flags.c_contiguous and cp.asfortranarray(x).flags.f_contiguous
    assert cp.ascontiguousarray(cp.asarray(3)).shape == (1,)
    with pytest.raises(ValueError):
        cp.array(x, order="Q")


@pytest.mark.parametrize("name", ["empty", "zeros", "ones"])
def test_new_arrays(name):
    f, g = getattr(cp, name), getattr(np, name)
    for args in [(3,), ((2, 3),), ((),), ((2, 0),), ([2, 2], "i4"), (np.int64(3), np.float32), ((2, 3), float, "F"),
                 (3, bool)]:
        x, a = f(*args), g(*args)
        assert x.shape == a.shape and x.dtype == a.dtype and x.flags.f_contiguous == a.flags.f_contiguous
        if name != "empty":
            same(x, a)
    for bad in (-1, (2, -1), (2**62, 2**62), 1.5, "3", (1,) * 65):
        as_numpy_does(lambda xp: getattr(xp, name)(bad))


def test_full_and_like():
    same(cp.full((2, 3), 7), np.full((2, 3), 7))
    same(cp.full(3, 2.5, "f4"), np.full(3, 2.5, "f4"))
    same(cp.full((2, 3), [1, 2, 3]), np.full((2, 3), [1, 2, 3]))
    same(cp.full((2, 3), cp.arange(3)), np.full((2, 3), np.arange(3)))
    a = np.asfortranarray(np.arange(6, dtype="f4").reshape(2, 3))
    x = cp.asarray(a)
    for name, args in (("zeros_like", ()), ("ones_like", ()), ("full_like", (5,))):
        f, g = getattr(cp, name), getattr(np, name)
        same(f(x, *args), g(a, *args))
        assert f(x, *args).flags.f_contiguous
        same(f(x, *args, dtype="i2"), g(a, *args, dtype="i2"))
        same(f(x, *args, shape=(4,)), g(a, *args, shape=(4,)))
        assert f(x, *args, order="C").flags.c_contiguous
    assert cp.empty_like(x, shape=(2, 2)).shape == (2, 2)


@pytest.mark.parametrize("args", [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (0,), (5, 2), (1.5,), (0, 1, 0.1), (5, 1, -0.5),
                                  (3, None), (np.int64(4),), (0, 2**40, 2**38)])
def test_arange(args):
    same(cp.arange(*args), np.arange(*args))
    x = cp.arange(*args, dtype="f4")  # NumPy rounds the step to float32 first
    assert x.dtype == np.float32
    np.testing.assert_allclose(x.get(), np.arange(*args, dtype="f4"), rtol=1e-6)


def test_arange_errors():
    for args in ((1, 5, 0), (1, 5, 0.0), (0, 0, 0), (0, np.nan), (0, np.inf), (None,), (), (1, 2, 3, "i4", 5)):
        with pytest.raises(Exception) as expected:
            np.arange(*args)
        raises(expected.value, lambda: cp.arange(*args))
    with pytest.raises(TypeError):
        cp.arange("a")


@pytest.mark.parametrize("args", [(0, 1), (2, 3, 5), (0, 10, 1), (0, 10, 0), (1, -1, 7), (-2, 2, 15)])
def test_linspace(args):
    np.testing.assert_allclose(cp.linspace(*args).get(), np.linspace(*args), rtol=0, atol=1e-15)
    np.testing.assert_allclose(cp.linspace(*args, endpoint=False).get(), np.linspace(*args, endpoint=False), rtol=0,
                               atol=1e-15)
    same(cp.linspace(*args, dtype=int), np.linspace(*args, dtype=int))
    x, step = cp.linspace(*args, retstep=True)
    assert np.isclose(step, np.linspace(*args, retstep=True)[1], equal_nan=True)


def test_linspace_of_arrays():
    a, b = np.array([0.0, 1]), np.array([10.0, 3])
    for axis in (0, 1, -1):
        np.testing.assert_allclose(cp.linspace(cp.asarray(a), cp.asarray(b), 5, axis=axis).get(),
                                   np.linspace(a, b, 5, axis=axis))


def test_eye_and_meshgrid():
    for args in [(3,), (3, 4), (3, 4, 1), (4, 3, -2), (2, 2, 5)]:
        same(cp.eye(*args), np.eye(*args))
    same(cp.identity(3, "i4"), np.identity(3, "i4"))
    for args in [(0,), (3, 0), (0, 3), (3, None, -1), (2, 3, 2), (2, 3, -1), (2, 3, 2**62), (2, 3, -2**63)]:
        for dtype in ("?", "u1", "f2", "c8", None):
            for order in "CF":
                ours, theirs = cp.eye(*args, dtype=dtype, order=order), np.eye(*args, dtype=dtype, order=order)
                same(ours, theirs)
                assert ours.strides == theirs.strides or ours.size == 0
    for args in [(-1,), (3, -2)]:
        with pytest.raises(ValueError):
            cp.eye(*args)
    with pytest.raises(TypeError):
        cp.eye(2.5)
    for kw in ({}, {"indexing": "ij"}, {"sparse": True}, {"sparse": True, "indexing": "ij", "copy": False}):
        a = [np.arange(2), np.arange(3), np.arange(4)]
        for n in (1, 2, 3):
            for x, y in zip(cp.meshgrid(*map(cp.asarray, a[:n]), **kw), np.meshgrid(*a[:n], **kw)):
                same(x, y)


def test_constructor():
    x = cp.ndarray((2, 3), "f4", order="F")
    assert x.shape == (2, 3) and x.dtype == np.float32 and x.flags.f_contiguous and x.base is None
    y = cp.arange(6.0)
    z = cp.ndarray((3,), float, memptr=y.data, strides=(16,))
    same(z, np.arange(0, 6, 2.0))
    del y
    same(z, np.arange(0, 6, 2.0))

    class Mine(cp.ndarray):
        pass
    assert type(Mine(3)) is Mine and isinstance(Mine(3), cp.ndarray) and Mine(3).shape == (3,)
