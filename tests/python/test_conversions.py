"""What becomes of Python's and NumPy's values in arrays: assignment, creation, comparison; NumPy is asked every time.

The lists of NumPy's signed-integer behaviour matter: a value that does not fit is refused, never wrapped.
"""
import itertools
import operator
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cuprite as cp
from oracle import as_numpy_does, told

TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "F", "D"]
NAN, INF = float("nan"), float("inf")
VALUES = [True, 0, 1, -1, 127, 128, 255, 256, 300, -129, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, 2**64, -2**63,
          -2**63 - 1, 2**70, 1.5, -1.5, -0.0, 300.0, 1e10, 1e30, NAN, INF, -INF, 1j, 2 + 0j, complex(NAN, 1),
          np.bool(True), np.int8(-1), np.uint8(200), np.int64(300), np.int64(-1), np.uint64(2**63), np.float16(1.5),
          np.float32(NAN), np.float64(-2.5), np.float64(1e10), np.complex64(3 + 1j), np.complex128(3 + 1j), None, "1",
          "2.5", "x", "", [1], [], (), {}, object]


def put(xp, dtype, key, value, shape=2):
    x = xp.zeros(shape, dtype)
    x[key] = value
    return x


@pytest.mark.parametrize("dtype", TYPES)
def test_a_number_assigned(dtype):
    for v in VALUES:
        if isinstance(v, (str, list, tuple, dict, type)):
            continue
        as_numpy_does(lambda xp: put(xp, dtype, slice(None), v))
        as_numpy_does(lambda xp: put(xp, dtype, 0, v))
        as_numpy_does(lambda xp: put(xp, dtype, Ellipsis, v, ()))


@pytest.mark.parametrize("dtype", TYPES)
def test_a_list_assigned(dtype):
    for v in VALUES:
        for value in ([v, 1], [1, v], (v, 0)):
            if dtype[0] == "f" and v == "x" or v == "":
                continue  # their words differ by Python's version
            as_numpy_does(lambda xp: put(xp, dtype, slice(None), value))
        as_numpy_does(lambda xp: put(xp, dtype, (slice(None), 0), [v, v], (2, 3)))
        as_numpy_does(lambda xp: put(xp, dtype, xp.asarray([True, False, True]), [v, 1], 3))


@pytest.mark.parametrize("dtype", TYPES)
def test_a_list_made_an_array_of_a_type(dtype):
    for v in VALUES:
        as_numpy_does(lambda xp: xp.array([v, 1], dtype))
        as_numpy_does(lambda xp: xp.asarray([[v], [v]], dtype))


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(TYPES), st.lists(st.one_of(st.integers(-2**70, 2**70), st.floats(), st.booleans(),
                                                  st.complex_numbers(), st.integers(-300, 300)), min_size=1,
                                        max_size=4))
def test_random_lists_assigned(dtype, values):
    as_numpy_does(lambda xp: put(xp, dtype, slice(None), values, len(values)))


@pytest.mark.parametrize("dtype", TYPES)
def test_host_arrays_assigned(dtype):
    """Arrays, other than lists, are converted without a check; a complex one warns."""
    for other in TYPES:
        a = np.array([0, 1, 2], other)
        as_numpy_does(lambda xp: put(xp, dtype, slice(None), a, 3))
        as_numpy_does(lambda xp: put(xp, dtype, slice(None), xp.asarray(a), 3))
        as_numpy_does(lambda xp: put(xp, dtype, slice(None), xp.asarray(a)[1], 3))
        as_numpy_does(lambda xp: xp.array(a, dtype))
        as_numpy_does(lambda xp: xp.array(a[1], dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_arrays_of_more_than_a_block_converted(dtype):
    rng = np.random.default_rng(20)
    x = rng.integers(0, 256, 1001 * np.dtype(dtype).itemsize, np.uint8).view(dtype) if dtype[0] in "iu" else \
        rng.integers(0, 2, 1001).astype(dtype) if dtype == "?" else (300 * rng.normal(size=1001)).astype(dtype)
    for other in TYPES:
        as_numpy_does(lambda xp: xp.asarray(x).astype(other))
        as_numpy_does(lambda xp: xp.asarray(x)[::-2].astype(other))


def test_a_warning_can_be_an_error():
    import warnings
    x, z = cp.zeros(2), cp.ones(2, "F")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for f in (lambda: put(cp, "f4", slice(None), z), lambda: cp.array(z, "i4"),
                  lambda: put(cp, "i4", 0, np.complex64(1j))):
            with pytest.raises(np.exceptions.ComplexWarning):
                f()
    assert x.tolist() == [0, 0]


# --- comparing ---
class Knows:
    """Answers comparisons with arrays itself."""
    def __eq__(self, other): return "eq"
    def __ne__(self, other): return "ne"
    def __lt__(self, other): return "lt"
    def __gt__(self, other): return "gt"
    __hash__ = None


STRANGERS = [[1, 3], [1, 2], (1, 2), [1, 2, 3], [[1], [2]], [], "a", "", b"a", None, {}, {"a": 1}, {1, 2}, object(),
             int, [1.5, NAN], [1j, 2], [True, False]]


@pytest.mark.parametrize("other", STRANGERS, ids=lambda v: repr(v).split(" at 0x")[0])
@pytest.mark.parametrize("a", [[1, 2], [1.0, NAN], 2, [[1, 2], [3, 4]], []], ids=repr)
def test_equal_to_what_is_no_array(a, other):
    as_numpy_does(lambda xp: xp.array(a) == other)
    as_numpy_does(lambda xp: xp.array(a) != other)
    as_numpy_does(lambda xp: other == xp.array(a))


def test_order_with_what_is_no_array():
    for other in ([1, 3], (2, 2), [1.5, 0], [1, 2, 3], "a", {}, object()):
        as_numpy_does(lambda xp: xp.array([1, 2]) < other)
        as_numpy_does(lambda xp: xp.array([1, 2]) >= other)


def test_who_knows_about_arrays_is_asked():
    x = cp.arange(3)
    assert (x == Knows(), x != Knows(), x < Knows(), x > Knows()) == ("eq", "ne", "gt", "lt")


class Peer:
    """Takes part in NumPy's ufuncs."""
    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        return ufunc.__name__, [type(i).__name__ for i in inputs], out is not None

    def __gt__(self, other): return "not asked"
    __radd__ = __gt__


class Aside:
    """Wants no part in ufuncs: its own operators are asked."""
    __array_ufunc__ = None

    def __radd__(self, other): return "radd"
    def __gt__(self, other): return "gt"
    def __eq__(self, other): return "eq"
    __hash__ = None


class Unknowing:
    def __radd__(self, other): return "radd"


def test_peers_get_the_operation_by_its_name():
    for f in (lambda x: x + Peer(), lambda x: x < Peer(), lambda x: x == Peer(), lambda x: x ** Peer(),
              lambda x: x >> Peer()):
        assert f(cp.arange(3)) == f(np.arange(3))
    assert cp.arange(3).__iadd__(Peer()) == ("add", ["ndarray", "Peer"], True)
    for f in (lambda x: x + Aside(), lambda x: x < Aside(), lambda x: x == Aside()):
        assert f(cp.arange(3)) == f(np.arange(3))


def test_in_place_with_a_stranger_raises():
    """Else what the stranger makes would silently take the array's name."""
    for other in (Unknowing(), [1, 2, 3], "a", None, object(), {}):
        def add(xp):
            x = xp.arange(3)
            x += other
            return x
        if isinstance(other, list):  # taken by NumPy, never here: an array is asked for
            with pytest.raises(TypeError):
                add(cp)
        else:
            as_numpy_does(add)
    x = cp.arange(3)
    assert x + Unknowing() == "radd"


# --- small things of arrays ---
def test_real_of_a_real_array_is_itself():
    for dtype in TYPES:
        as_numpy_does(lambda xp: (lambda a: a.real is a)(xp.ones(2, dtype)))
    for v in ([1, 1j], [1], 1j, 1, [[1.5]], [True], "a", []):
        as_numpy_does(lambda xp: (xp.iscomplexobj(v), xp.isrealobj(v)))


def test_foreign_byte_order_is_refused():
    """No array is kept in it: it would be another dtype than the one asked for."""
    for dtype in (">f4", ">i8", np.dtype(">u2"), ">c16", np.dtype("f8").newbyteorder(), "S3", "M8[s]", object, "g",
                  [("a", "i4")]):
        for f in (lambda: cp.zeros(2, dtype), lambda: cp.arange(2).astype(dtype), lambda: cp.array([1], dtype)):
            with pytest.raises(TypeError if type(dtype) is list else ValueError):
                f()
    for dtype in ("=f4", "<f4", ">u1", "|u1", "<i8"):
        assert cp.zeros(2, dtype).dtype == np.zeros(2, dtype).dtype.newbyteorder("=")
    assert cp.asarray(np.array([1, 2], ">i4")).dtype == np.int32  # their values are taken


def test_strides_of_a_new_array():
    for shape, strides in [((2, 3), (12, 4)), ((2, 3), (4, 8)), ((2, 3), (20, 4)), ((2, 3), (4,)), ((2, 3), (0, 0)),
                           ((2, 3), (0, 4)), ((2, 3), (-12, 4)), ((1, 3), (999, 4)), ((0, 3), (50, 50)), ((3,), (8,)),
                           ((), ())]:  # those between elements are test_alignment.py's
        as_numpy_does(lambda xp: xp.ndarray(shape, "f4", strides=strides).strides)
    with pytest.raises(ValueError):  # NumPy's sum of these wraps
        cp.ndarray((2, 2), "f4", strides=(2**62, 2**62))
    x = cp.ndarray((2, 3), "f4", strides=(4, 8))
    x[...] = [[1, 2, 3], [4, 5, 6]]
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]] and (x + 1).tolist()[1] == [5, 6, 7]


def test_flags():
    for make in (lambda xp: xp.ones((2, 3)), lambda xp: xp.ones((2, 3)).T, lambda xp: xp.ones((4, 6))[::2, ::3],
                 lambda xp: xp.ones(3), lambda xp: xp.broadcast_to(xp.ones(3), (2, 3)), lambda xp: xp.ones(())):
        for name in ("c_contiguous", "f_contiguous", "owndata", "writeable", "aligned", "behaved", "carray", "fnc",
                     "forc", "num", "contiguous", "fortran"):
            as_numpy_does(lambda xp: getattr(make(xp).flags, name))
        for key in ("C", "F", "O", "W", "A", "C_CONTIGUOUS", "WRITEABLE", "ALIGNED", "CARRAY", "FNC", "wrong"):
            as_numpy_does(lambda xp: make(xp).flags[key])
        as_numpy_does(lambda xp: make(xp).flags == make(xp).flags)
    for name in ("c_contiguous", "f_contiguous", "owndata", "num"):
        as_numpy_does(lambda xp: setattr(xp.ones(3).flags, name, False))


def flat(xp, change, transposed=False):
    x = xp.arange(6).reshape(2, 3)
    x = x.T if transposed else x
    change(x, xp)
    return x


@pytest.mark.parametrize("transposed", [False, True])
def test_flat(transposed):
    def set_(key, value):
        def change(x, xp):
            x.flat[key] = xp.array(value[0]) if isinstance(value, set) else value
        return change
    grid = [(slice(None), [9, 8]), (slice(None), [[9, 8], [7, 6]]), (slice(0, 3), [9, 8]), (1, 9),
            (slice(None), list(range(10))), (slice(None), []), (None, 1), (1, [7, 8]), (1, [7]),
            (1, []), (1, np.array([7])), (slice(4, 0, -2), [7]), (-1, 5),
            (9, 1), ((0, 1), 1), (Ellipsis, 4), ("a", 1), (slice(None), 3), (slice(2, 2), [1, 2]), (1, 2.5),
            (slice(None), [2.5])]
    for key, value in grid:
        as_numpy_does(lambda xp: flat(xp, set_(key, value), transposed))
    as_numpy_does(lambda xp: flat(xp, lambda x, xp: x.flat.__setitem__(slice(None), xp.array([[9, 8], [7, 6]])),
                                  transposed))
    for values in ([7], [7, 8], [7, 8, 9, 10], [], 3, np.float64(2)):  # a mask's elements too
        as_numpy_does(lambda xp: flat(xp, lambda x, xp: x.flat.__setitem__(x.ravel() % 2 == 0, values), transposed))
    as_numpy_does(lambda xp: flat(xp, lambda x, xp: setattr(x, "flat", 5), transposed))
    as_numpy_does(lambda xp: flat(xp, lambda x, xp: setattr(x, "flat", [1, 2]), transposed))
    for key in (1, -1, slice(1, 4), slice(None, None, -2), Ellipsis, None, 9, (0, 1), "a"):
        as_numpy_does(lambda xp: flat(xp, lambda x, xp: None, transposed).flat[key])
    as_numpy_does(lambda xp: (lambda f: (next(f), next(f), f.index, f.coords, list(f), f.index))
                  (flat(xp, lambda x, xp: None, transposed).flat))
    as_numpy_does(lambda xp: flat(xp, lambda x, xp: None, transposed).flat == 2)
    as_numpy_does(lambda xp: flat(xp, lambda x, xp: None, transposed).flat.copy())
    as_numpy_does(lambda xp: len(flat(xp, lambda x, xp: None, transposed).flat))


def test_numbers_where_arrays_are_asked_for():
    for name in ("atleast_1d", "atleast_2d", "atleast_3d", "meshgrid", "broadcast_arrays"):
        for args in ((3,), (2.5,), (1, 2), (1j, True), (np.float32(2),)):
            theirs = getattr(np, name)(*args)
            as_numpy_does(lambda xp: getattr(xp, name)(*args))
            assert isinstance(getattr(cp, name)(*args), tuple) == isinstance(theirs, tuple)
    for a, b in ((1, 2), ([1, 2], 3), (2, [1, 2]), ([1, 2], 2.5), ([1, 2], [3, 4])):
        as_numpy_does(lambda xp: xp.add.outer(*[xp.array(v) if isinstance(v, list) else v for v in (a, b)]))
    as_numpy_does(lambda xp: xp.add.outer(xp.array([1, 2], "i1"), 3))
    as_numpy_does(lambda xp: (type(xp.meshgrid()), type(xp.broadcast_arrays()),
                              type(xp.meshgrid(xp.arange(2), xp.arange(3)))))


def test_arrays_in_annotations():
    assert cp.ndarray[int, np.dtype[np.float64]].__origin__ is cp.ndarray and cp.ndarray[int].__args__ == (int,)


# --- devices and streams ---
def test_devices_have_an_order():
    d = cp.cuda.Device("cpu")
    assert d <= d and d >= d and not d < d and not d > d and sorted([d, d]) == [d, d]
    with pytest.raises(TypeError):
        d <= 1


def test_null_streams_are_equal():
    null = cp.cuda.Stream.null
    s = cp.cuda.Stream()
    assert null == type(null)() and hash(null) == hash(type(null)()) and null != s and s == s and s != cp.cuda.Stream()
    with s:
        assert null == type(null)() and null != s and cp.cuda.get_current_stream() != null
    assert null != 0 and not null == "a"


def test_a_stream_used_inside_a_block_and_deleted():
    null, outer = cp.cuda.Stream.null, cp.cuda.Stream()
    with outer:
        cp.cuda.Stream().use()
        with cp.cuda.Stream() as inner:
            assert cp.cuda.get_current_stream() is inner
        assert cp.cuda.get_current_stream() is outer
        kept = cp.cuda.Stream().use()
        with cp.cuda.Stream():
            pass
        assert cp.cuda.get_current_stream() is kept
    assert cp.cuda.get_current_stream() == null
    cp.cuda.Stream().use()
    with cp.cuda.Stream():
        pass
    assert cp.cuda.get_current_stream() == null


def test_memory_by_its_pointer():
    m = cp.cuda.Memory(80)
    assert m.size == 80 and m.ptr and int(m) == m.ptr and m.device == cp.cuda.Device()
    assert cp.cuda.memory.Memory is cp.cuda.Memory
    p = cp.cuda.MemoryPointer(m, 16)
    assert p.ptr == m.ptr + 16 and (p + 8).ptr == m.ptr + 24 and (p - 8).mem is m
    x = cp.ndarray((4,), float, memptr=p)
    x[...] = 7
    del m, p
    y = cp.ndarray((8,), float, memptr=cp.cuda.alloc(64))
    y[...] = 1
    assert x.tolist() == [7] * 4 and cp.ndarray((2,), float, memptr=x.data + 16).tolist() == [7, 7]
    assert cp.cuda.Memory(0).ptr == 0


# --- writing under a casting rule ---
CASTINGS = ["no", "equiv", "safe", "same_kind", "unsafe"]
SOURCES = [True, 0, 1, 300, -1, 2**63, 2**70, 1.5, -2.0, 1j, np.int8(1), np.int64(3), np.float32(1.5), np.float64(2),
           np.complex64(1j), np.array(1), np.array(1.5), np.array(1j)]


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i8", "u8", "f2", "f8", "F"])
def test_copyto_of_numbers(dtype, casting):
    def copied(xp, v, **options):
        x = xp.zeros(2, dtype)
        xp.copyto(x, v, casting=casting, **options)
        return x
    for v in SOURCES:
        if v in (2**63, 2**70) and dtype == "?":
            continue  # NumPy's order of two errors
        as_numpy_does(lambda xp: copied(xp, v))
        as_numpy_does(lambda xp: copied(xp, v, where=xp.array([True, False])))
    for other in TYPES:
        as_numpy_does(lambda xp: copied(xp, xp.array([0, 1], other)))


def test_where_is_boolean():
    for mask in ([True, False], [1, 0], [1.0, 0.0]):
        for write in (lambda xp, m: xp.copyto(xp.zeros(2), 1, where=m),
                      lambda xp, m: xp.add(xp.zeros(2), 1, where=m, out=xp.zeros(2))):
            as_numpy_does(lambda xp: write(xp, xp.array(mask)))


def test_fill():
    for dtype in ("i1", "u8", "f4", "F", "?"):
        for v in SOURCES + [NAN]:
            def filled(xp):
                x = xp.zeros(2, dtype)
                x.fill(v)
                return x
            as_numpy_does(filled)
        for v in (2, 1.5):
            as_numpy_does(lambda xp: (lambda x: (x.fill(xp.array(v)), x)[1])(xp.zeros(2, dtype)))
        for bad in (cp.array([1]), cp.array([1, 2]), np.array([1]), np.array([1, 2])):  # as CuPy; NumPy's type varies
            with pytest.raises(ValueError):
                cp.zeros(2, dtype).fill(bad)
        for v in ([1], (), "a", "1", None):
            as_numpy_does(lambda xp: (lambda x: (x.fill(v), x)[1])(xp.zeros(2, dtype)))


def test_full():
    for dtype in ("i2", "u1", "f4", "F", "?"):
        for v in SOURCES + [[1, 2], [1j, 2]]:
            as_numpy_does(lambda xp: xp.full(2, v, dtype))
            as_numpy_does(lambda xp: xp.full_like(xp.zeros(2, dtype), v))
    for v in (1, 2.5, 1j, True, [1, 2]):
        as_numpy_does(lambda xp: xp.full((3, 2), v))


def test_complex_to_real_warns():
    z = [1j, 2]
    for dtype in TYPES:
        as_numpy_does(lambda xp: xp.array(z).astype(dtype))
        as_numpy_does(lambda xp: xp.asarray(xp.array(z), dtype))
        as_numpy_does(lambda xp: xp.array(z).astype(dtype, casting="same_kind"))
    for options in ({}, {"casting": "unsafe"}):
        as_numpy_does(lambda xp: xp.array(z).astype("F", **options))


# --- ranges ---
@pytest.mark.parametrize("args", [(10, "?"), (2, "?"), (3, "?"), (0, "?"), (2.5, "?"), (-3, 7.5, 1, "u1"),
                                  (-3, 3, 1, "u1"), (0, 5, 1, "u1"), (250, 260, 1, "u1"), (300, 310, 1, "u1"),
                                  (127, 130, 1, "i1"), (5, 0, -1, "u1"), (0, 3, 0.5, "i2"), (-1, 2, 1, "u8"),
                                  (1, 10, 0, "i8"), (1, 10, 0.0, "f8"), (10, 1, 1, "u1"), (-3, -5, 1, "u1"),
                                  (0, 10, 2.5, "i4"), (-0.5, 2, 1, "u2")])
def test_arange_of_a_type(args):
    *numbers, dtype = args
    as_numpy_does(lambda xp: xp.arange(*numbers, dtype=dtype))


def test_arange_by_name():
    for options in ({"stop": 3}, {"start": 1, "stop": 3}, {"stop": 5, "step": 2}, {}, {"stop": 3, "dtype": "f4"}):
        as_numpy_does(lambda xp: xp.arange(**options))
    for step in (0, 0.0, np.int64(0), np.float64(0)):
        as_numpy_does(lambda xp: xp.arange(1, 5, step))


# --- the order of elements ---
def views():
    a = np.arange(24).reshape(2, 3, 4)
    yield from (a, a.T, a.transpose(1, 0, 2), a[:, ::2], a[::-1], a[::-1].T, a[:, :, ::-2], a[0], a[0].T, a[:, 0],
                a[:, :1], a[:0], np.arange(10)[::2], np.arange(6)[::-1], np.broadcast_to(np.arange(3), (2, 3)),
                np.broadcast_to(np.arange(3), (2, 3)).T, np.array(5), np.zeros((0, 3)), a.transpose(2, 0, 1)[::2])


def shown(xp, a):
    """The array with a's strides, by the same steps in both: views of a contiguous block."""
    if xp is np:
        return a
    base = a
    while base.base is not None:
        base = base.base
    block = cp.asarray(np.ascontiguousarray(base).reshape(-1))
    return cp.ndarray(a.shape, a.dtype, memptr=block.data + (a.ctypes.data - base.ctypes.data), strides=a.strides)


@pytest.mark.parametrize("order", ["C", "F", "A", "K"])
@pytest.mark.parametrize("n", range(len(list(views()))))
def test_order_of_elements(n, order):
    a = list(views())[n]
    def both(f):
        as_numpy_does(lambda xp: f(shown(xp, a)))
    both(lambda x: x.ravel(order))
    both(lambda x: x.flatten(order))
    both(lambda x: (x.ravel(order).strides, x.flatten(order).strides))
    both(lambda x: x.copy(order))
    both(lambda x: x.copy(order).strides)
    if order != "K":
        both(lambda x: x.tobytes(order))
    flat = shown(cp, a).flatten(order)
    assert flat.base is None


@pytest.mark.parametrize("n", range(len(list(views()))))
def test_order_of_new_arrays(n):
    a = list(views())[n]
    for order in "CFAK":
        for options in ({}, {"shape": (5,) * a.ndim}, {"shape": (3, 4, 5)}, {"shape": (6, 7)}, {"shape": ()},
                        {"shape": (0, 2)}):
            as_numpy_does(lambda xp: xp.empty_like(shown(xp, a), order=order, **options).strides)
    for order in "CF":
        as_numpy_does(lambda xp: xp.array(shown(xp, a), order=order).strides)
    as_numpy_does(lambda xp: pickle.loads(pickle.dumps(shown(xp, a))).flags.f_contiguous)
    as_numpy_does(lambda xp: pickle.loads(pickle.dumps(shown(xp, a))))


def test_strides_where_one_order_is_the_other():
    for shape in ((1, 3, 1), (1, 1), (3, 1), (1,), (2, 0), (0, 2), (0,), (2, 0, 3), ()):
        for order in "CF":
            as_numpy_does(lambda xp: xp.zeros(shape, order=order).strides)
            as_numpy_does(lambda xp: xp.array(np.ones(shape), order=order).strides)
            as_numpy_does(lambda xp: xp.ones(shape).copy(order).strides)
        as_numpy_does(lambda xp: (xp.zeros(shape) + 1).strides)


def test_real_imag_and_rounding_of_numbers():
    for v in (1j, 3, 2.5, np.float32(1.25), np.complex64(1 + 2j), True):
        as_numpy_does(lambda xp: np.asarray(xp.real(v)).shape if xp is np else xp.real(v).shape)
        assert cp.real(v).item() == np.real(v) and cp.imag(v).item() == np.imag(v)
    for v in (1.25, 2.5, -0.5, 7, np.float32(1.25)):
        for d in (0, 1, -1):
            if not isinstance(v, int):
                as_numpy_does(lambda xp: xp.around(v, d) if xp is cp else np.asarray(np.around(v, d))[()])
            assert cp.round(v, d).item() == np.round(v, d)


def test_formats():
    for a in ([1, 2], 3, [3], 2.5, [[1]]):
        for spec in ("", "5", ".2f", "x"):
            as_numpy_does(lambda xp: format(xp.array(a), spec))


def test_copy_that_must_not_be():
    x = [1, 2]
    for args, options in (((x,), {}), ((3,), {}), ((np.arange(2),), {"dtype": "f4"})):
        as_numpy_does(lambda xp: xp.array(*args, copy=False, **options))
    y = cp.arange(3)
    assert cp.array(y, copy=False) is y and cp.asarray(y, copy=None) is y and cp.array(x, copy=None).tolist() == x
    with pytest.raises(ValueError):
        cp.array(y, "f4", copy=False)


class Prior:
    """An array of the old kind, which goes first by its priority."""
    __array_priority__ = 1000
    def __radd__(self, other): return "radd"
    def __lt__(self, other): return "lt"


def test_priority_and_refusal_in_place():
    def add(xp, other):
        x = xp.arange(3)
        x += other
        return x
    for other in (Prior(), Aside()):
        as_numpy_does(lambda xp: add(xp, other))
    as_numpy_does(lambda xp: (xp.arange(3) + Prior(), xp.arange(3) > Prior()))


class Host:
    """Has a NumPy array to give."""
    def __array__(self, dtype=None, copy=None):
        return np.arange(3)


@pytest.mark.parametrize("f", [operator.eq, operator.ne, operator.lt, operator.ge])
def test_comparison_with_sequences(f):
    for other in ([0, 5, 2], (0, 1, 2), range(3), range(2), ["a", "b", "c"], [None, 1, 2], ["0"], [[0], [1]], [],
                  [1, [2]], [2**70, 1, 2]):
        as_numpy_does(lambda xp: f(xp.arange(3), other))
        as_numpy_does(lambda xp: f(other, xp.arange(3)))
    with pytest.raises(TypeError):  # as a NumPy array is: the transfer must be asked for
        f(cp.arange(3), Host())


@pytest.mark.parametrize("dtype", ["?", "i1", "i2", "u4", "i8", "u8", "f4"])
@pytest.mark.parametrize("name", ["true_divide", "arctan2", "hypot", "float_power", "copysign", "logaddexp", "power",
                                  "add", "maximum"])
def test_integers_beyond_int64(name, dtype):
    """They are reals to an operation that computes with reals, and else do not fit."""
    for v in (2**70, -2**70, 2**64 - 1, 2**63, -2**63 - 1):
        for f in (lambda xp: getattr(xp, name)(xp.ones(1, dtype), v),
                  lambda xp: getattr(xp, name)(v, xp.ones(1, dtype))):
            their_error, theirs, _ = told(f, np)
            if dtype == "?" and name in ("power", "add", "maximum") and theirs is not None and theirs.dtype == object:
                continue  # Python's own integers
            our_error, ours, _ = told(f, cp)
            assert our_error is their_error
            if not their_error:
                assert ours.dtype == theirs.dtype
                np.testing.assert_allclose(ours.get(), theirs, rtol=0 if theirs.dtype.kind == "u"
                                           else 4 * np.finfo(theirs.dtype).eps)


def test_arrays_in_lists_promote_one_by_one():
    for types in itertools.permutations(["i1", "u2", "f4", "?", "u8", "F"], 3):
        as_numpy_does(lambda xp: xp.array([xp.ones((), t) for t in types]))
        as_numpy_does(lambda xp: xp.array([xp.ones(2, t) for t in types]))


def test_order_of_results():
    """Memory order: of ufuncs by order=, of copies of arrays whose axes of one element have any strides."""
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(rng.integers(1, 5))
        shape, axes = rng.choice([1, 1, 2, 3], n), rng.permutation(n)
        keys = [[slice(None), slice(None, None, -1), slice(0, 1), slice(None, None, 2)][k]
                for k in rng.integers(0, 4, n)]
        for order in "CFAK":
            def copies(xp):
                x = xp.zeros(shape).transpose(axes)[tuple(keys)]
                return [y.strides for y in (x.copy(order), xp.array(x, order=order), x.astype("f4", order=order),
                                            xp.empty_like(x, order=order))]
            as_numpy_does(copies)
            if order != "K":
                as_numpy_does(lambda xp: (lambda y: (y.flags.c_contiguous, y.flags.f_contiguous))(
                    xp.add(xp.zeros(shape).transpose(axes)[tuple(keys)], 1, order=order)))


# --- an integer beyond int64 beside numbers; where= ---
@pytest.mark.parametrize("other", [np.float32(1), np.float16(1), np.int32(1), np.uint64(1), np.bool(1), True, 1, 1.0,
                                   1j, np.complex64(1)],
                         ids=lambda v: f"{type(v).__name__}")
@pytest.mark.parametrize("huge", [2**63, 2**64, -2**63 - 1, 2**70])
def test_a_huge_integer_is_weak_beside_a_number(huge, other):
    for name in ("add", "true_divide") if isinstance(other,
                                                     bool | np.bool) else ("add", "less", "equal", "true_divide"):
        for pair in ((huge, other), (other, huge)):
            if not isinstance(other, complex | np.complexfloating):
                as_numpy_does(lambda xp: getattr(xp, name)(*pair))
    if isinstance(other, float | np.floating):
        as_numpy_does(lambda xp: xp.where(xp.asarray([True, False]), huge, other))


@pytest.mark.parametrize("where", [None, True, False, 0, 1, 1.5, 0.0, np.bool(False), np.int64(1), np.float32(0)],
                         ids=repr)
def test_where_takes_the_truth_of_a_number(where):
    as_numpy_does(lambda xp: xp.sum(xp.asarray([1.0, 2]), where=where))
    as_numpy_does(lambda xp: xp.max(xp.asarray([1.0, 2]), where=where, initial=-5))
    as_numpy_does(lambda xp: xp.any(xp.asarray([1.0, 2]), where=where))
    as_numpy_does(lambda xp: xp.add(xp.asarray([1.0, 2]), 1, where=where, out=xp.zeros(2)))
    as_numpy_does(lambda xp: xp.add.reduce(xp.asarray([1.0, 2]), where=where))
    for f in (lambda xp: xp.sum(xp.asarray([1.0, 2]), where=xp.asarray([1, 0])),
              lambda xp: xp.add(xp.asarray([1.0, 2]), 1, where=xp.asarray([1, 0]), out=xp.zeros(2))):
        as_numpy_does(f)
