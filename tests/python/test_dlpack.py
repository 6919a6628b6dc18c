"""DLPack both ways, with NumPy on the other side and with capsules made by hand through ctypes: NumPy's answers, types
of errors and life of the memory, and tensors whose contents lie."""
import ctypes as C
import gc
import sys
import threading

import numpy as np
import pytest

import cuprite as cp
from oracle import kind, raises

pytestmark = pytest.mark.device

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]
END = C.CFUNCTYPE(None, C.c_void_p)
new_capsule, pointer_of = C.pythonapi.PyCapsule_New, C.pythonapi.PyCapsule_GetPointer
new_capsule.restype, new_capsule.argtypes = C.py_object, [C.c_void_p, C.c_char_p, C.c_void_p]
pointer_of.restype, pointer_of.argtypes = C.c_void_p, [C.py_object, C.c_char_p]
name_of = C.pythonapi.PyCapsule_GetName
name_of.restype, name_of.argtypes = C.c_char_p, [C.py_object]


class Tensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("device", C.c_int32), ("number", C.c_int32), ("ndim", C.c_int32),
                ("code", C.c_uint8), ("bits", C.c_uint8), ("lanes", C.c_uint16), ("shape", C.POINTER(C.c_int64)),
                ("strides", C.POINTER(C.c_int64)), ("offset", C.c_uint64)]


class Old(C.Structure):
    _fields_ = [("t", Tensor), ("owner", C.c_void_p), ("deleter", END)]


class New(C.Structure):
    _fields_ = [("major", C.c_uint32), ("minor", C.c_uint32), ("owner", C.c_void_p), ("deleter", END),
                ("flags", C.c_uint64), ("t", Tensor)]


class Producer:
    """An object with a capsule of 24 doubles, 0 to 23, described as asked."""

    def __init__(self, versioned=True, device=(1, 0), shape=(3,), strides=None, dtype=(2, 64, 1), offset=0, ndim=None,
                 data=True, flags=0, major=1, name=None, said=None, error=None, no_shape=False, no_deleter=False):
        self.memory, self.ended, self.said, self.error, self.words = np.arange(24.0), 0, said or device, error, None
        self.block = (New if versioned else Old)()
        t = self.block.t
        t.data = data if type(data) is int else self.memory.ctypes.data if data else None
        t.device, t.number = device
        t.ndim = len(shape) if ndim is None else ndim
        t.code, t.bits, t.lanes = dtype
        self.extents = (C.c_int64 * max(1, len(shape)))(*shape)
        t.shape = None if no_shape else self.extents
        if strides is not None:
            self.steps = (C.c_int64 * max(1, len(strides)))(*strides)
            t.strides = self.steps
        t.offset = offset
        self.end = END(self.count)
        if not no_deleter:
            self.block.deleter = self.end
        if versioned:
            self.block.major, self.block.flags = major, flags
        self.capsule = new_capsule(C.addressof(self.block), name or (b"dltensor_versioned" if versioned else
                                                                     b"dltensor"), None)

    def count(self, block):
        assert block == C.addressof(self.block)
        self.ended += 1

    def __dlpack__(self, **words):
        self.words = words
        if self.error:
            raise self.error
        return self.capsule

    def __dlpack_device__(self):
        return self.said


def told(f):
    """What came of it: the error's kind, or how the array looks."""
    try:
        x = f()
    except Exception as e:  # noqa: BLE001
        return kind(e)
    values = x.get() if isinstance(x, cp.ndarray) else x
    return x.shape, x.strides, x.dtype, bool(x.flags.writeable), values.tobytes()


ODD = [dict(), dict(ndim=-1), dict(ndim=65), dict(ndim=100000, shape=(1,) * 3), dict(ndim=-2**31), dict(offset=4),
       dict(offset=8), dict(dtype=(2, 64, 2)), dict(dtype=(2, 64, 0)), dict(dtype=(2, 64, 65535)),
       dict(dtype=(2, 128, 1)), dict(dtype=(6, 8, 1)), dict(dtype=(6, 1, 1)), dict(dtype=(5, 64, 1), shape=(2,)),
       dict(dtype=(5, 128, 1), offset=4, shape=(2,)), dict(dtype=(7, 8, 1)), dict(dtype=(3, 64, 1)),
       dict(dtype=(2, 8, 1)), dict(dtype=(255, 255, 1)), dict(dtype=(0, 0, 1)), dict(dtype=(0, 4, 1)),
       dict(device=(3, 0)), dict(device=(99, 0)), dict(device=(-1, 0)), dict(device=(12, 0)), dict(device=(1, 5)),
       dict(shape=(-3,)), dict(shape=(2**62, 4)), dict(shape=(2**40, 2**40)), dict(flags=1), dict(flags=2),
       dict(flags=2**64 - 1), dict(major=0), dict(shape=()), dict(shape=(2, 3), strides=(1, 2)),
       dict(shape=(3,), strides=(-2,), offset=64), dict(shape=(4, 3), strides=(0, 1)), dict(shape=(2, 0, 3)),
       dict(shape=(1, 3), strides=(2**62, 1)), dict(name=b"foo"), dict(name=b"used_dltensor"),
       dict(error=TypeError("x")), dict(error=ValueError("x")), dict(error=BufferError("x"))]


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("case", ODD, ids=str)
def test_a_tensor_is_read_as_numpy_reads_it(case, versioned):
    a, b = Producer(versioned, **case), Producer(versioned, **case)
    theirs, ours = told(lambda: np.from_dlpack(a)), told(lambda: cp.from_dlpack(b))
    if isinstance(theirs, type):
        assert ours is (BufferError if theirs is RuntimeError else theirs)  # RuntimeError: NumPy before 2.5
    elif theirs[1] != ours[1]:  # where there is no element, or one, along an axis
        assert (theirs[0], *theirs[2:]) == (ours[0], *ours[2:]) and {0, 1} & {*theirs[0]}
    else:
        assert ours == theirs
    gc.collect()
    assert b.ended == a.ended == (not isinstance(theirs, type))
    assert (name_of(b.capsule) or b"").startswith(b"used") or isinstance(theirs, type)


@pytest.mark.parametrize("versioned", [True, False])
@pytest.mark.parametrize("case, error", [
    (dict(data=False), BufferError), (dict(no_shape=True), BufferError),
    (dict(data=2**64 - 8, offset=64), BufferError),
    (dict(shape=(3,), strides=(2**61,)), BufferError), (dict(shape=(3, 3), strides=(2**59, 2**59)), BufferError),
    (dict(shape=(3, 3), strides=(-2**59, -2**59)), BufferError), (dict(strides=(-2**63,)), BufferError),
    (dict(shape=(3,), device=(2, 1000)), BufferError), (dict(said=(2, -1)), BufferError),
    (dict(said=(2, 1000)), BufferError), (dict(said=3), TypeError), (dict(said=(1, 2, 3)), TypeError),
    (dict(said=("a", 0)), TypeError), (dict(said=(1, "a")), TypeError)], ids=str)
def test_what_cannot_be_an_array_is_refused(case, error, versioned):
    p = Producer(versioned, **case)
    with raises(error):
        cp.from_dlpack(p)
    assert p.ended == 0 and not name_of(p.capsule).startswith(b"used")


def test_a_higher_version_is_refused():
    p = Producer(major=2)
    with raises(BufferError):
        cp.from_dlpack(p)
    with raises(BufferError):
        np.from_dlpack(p)
    assert p.ended == 0


def test_a_tensor_needs_no_deleter():
    p = Producer(no_deleter=True)
    x = cp.from_dlpack(p)
    assert x.tolist() == [0, 1, 2]


def test_no_memory_for_no_elements():
    x = cp.from_dlpack(Producer(data=False, shape=(0, 3)))
    assert x.shape == (0, 3) and x.size == 0 and cp.sum(x).item() == 0


def test_bfloat16():
    p = Producer(dtype=(4, 16, 1), shape=(96,))
    x = cp.from_dlpack(p)
    assert x.dtype.name == "bfloat16" and cp.from_dlpack(x).dtype.name == "bfloat16"
    want = (p.memory.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(x.astype("f4").get(), want)
    block = New.from_address(pointer_of(x.__dlpack__(max_version=(1, 0)), b"dltensor_versioned"))
    assert (block.t.code, block.t.bits, block.t.lanes) == (4, 16, 1)


@pytest.mark.parametrize("case", [dict(), dict(copy=True), dict(copy=False), dict(copy=None), dict(device="cpu")],
                         ids=str)
def test_whom_it_asks_how(case):
    a, b = Producer(), Producer()
    theirs, ours = np.from_dlpack(a, **case), cp.from_dlpack(b, **case)
    here = cp.cuda.Device("cpu") if "device" in case else None
    want = dict(a.words)
    if here:
        want["dl_device"] = None  # it is there already, which NumPy does not look at
    assert b.words == want
    np.testing.assert_array_equal(ours.get(), theirs)
    shared = b.memory.ctypes.data == ours.data.ptr
    assert shared != (case.get("copy") is True)


class Plain:
    """What knows the words of the first versions only."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, stream=None):
        assert stream is None
        return self.x.__dlpack__()

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_producers_of_old():
    a = np.arange(4.0)
    x = cp.from_dlpack(Plain(a))
    assert x.data.ptr == a.ctypes.data and not x.flags.writeable and not np.from_dlpack(Plain(a)).flags.writeable
    y = cp.from_dlpack(Plain(a), copy=True)
    assert y.data.ptr != a.ctypes.data and y.flags.writeable


@pytest.mark.parametrize("x", [[1], 3, "a", None, object()])
def test_what_has_no_dlpack(x):
    with raises(AttributeError):
        np.from_dlpack(x)
    with raises(AttributeError):
        cp.from_dlpack(x)


@pytest.mark.parametrize("where", ["foo", "cuda:99", "late:9"])
def test_devices_that_are_not_there(where):
    with pytest.raises((ValueError, RuntimeError)):
        cp.from_dlpack(np.arange(3.0), device=where)


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("shape", [(), (0,), (7,), (2, 3), (3, 1, 4), (2, 0, 3)])
def test_numpy_reads_ours_and_we_read_numpys(name, shape, device):
    a = (np.arange(np.prod(shape)) % 2 if name == "bool" else np.arange(np.prod(shape))).astype(name).reshape(shape)
    x = cp.array(a)
    forms = [lambda v: v, lambda v: v.T] + ([lambda v: v[::-1], lambda v: v[..., ::2]] if shape else [])
    for form in forms:
        got = np.from_dlpack(form(x), device="cpu")
        np.testing.assert_array_equal(got, form(a))
        assert got.dtype == a.dtype and got.shape == form(a).shape
        if device == "cpu":
            assert got.strides == form(x).strides or not got.size
        back = cp.from_dlpack(form(a))
        np.testing.assert_array_equal(back.get(), form(a))
        assert back.dtype == a.dtype and back.strides == form(a).strides and back.device == cp.cuda.Device("cpu")
        again = cp.from_dlpack(form(x))
        np.testing.assert_array_equal(again.get(), form(a))
        assert again.device == x.device


def test_nothing_is_copied(device):
    a = np.arange(6.0).reshape(2, 3)
    x = cp.from_dlpack(a)
    x[0, 0] = 42
    assert a[0, 0] == 42 and x.data.ptr == a.ctypes.data and x.flags.writeable
    y = cp.arange(6.0).reshape(2, 3)
    z = cp.from_dlpack(y)
    z[1] = -1
    assert y.tolist() == [[0, 1, 2], [-1, -1, -1]]
    if device == "cpu":
        b = np.from_dlpack(y)
        b[0, 0] = 5
        assert y[0, 0] == 5 and b.ctypes.data == y.data.ptr


def test_copies(device):
    y = cp.arange(6.0).reshape(2, 3).T
    z = cp.from_dlpack(y, copy=True)
    z[...] = 0
    assert y[1, 1] == 4 and z.strides == y.strides
    for f in (lambda: cp.from_dlpack(y, copy="x"), lambda: np.from_dlpack(np.arange(3), copy="x")):
        with raises(ValueError):
            f()
    if device != "cpu":
        with raises(BufferError):
            cp.from_dlpack(y, device="cpu", copy=False)
        with raises(BufferError):
            cp.from_dlpack(np.arange(3.0), device=device, copy=False)
    moved = cp.from_dlpack(np.arange(3.0), device=device)
    assert moved.device == y.device and moved.tolist() == [0, 1, 2]
    back = cp.from_dlpack(y, device="cpu")
    assert back.device == cp.cuda.Device("cpu") and back.tolist() == y.tolist()


def test_read_only(device):
    x = cp.broadcast_to(cp.arange(3.0), (2, 3))
    y = cp.from_dlpack(x)
    assert not y.flags.writeable and y.tolist() == x.tolist()
    for f in (x.__dlpack__, x.toDlpack, lambda: x.__dlpack__(max_version=(0, 9))):
        with raises(BufferError):
            f()
    assert cp.from_dlpack(x, copy=True).flags.writeable
    assert name_of(x.__dlpack__(copy=True)) == b"dltensor"
    a = np.arange(3.0)
    a.flags.writeable = False
    assert not cp.from_dlpack(a).flags.writeable
    if device == "cpu":
        assert not np.from_dlpack(x).flags.writeable


WORDS = [dict(), dict(max_version=(1, 0)), dict(max_version=(2, 5)), dict(max_version=(0, 8)), dict(max_version=None),
         dict(max_version=3), dict(max_version=(1,)), dict(max_version=("a", 1)), dict(max_version=[1, 0]),
         dict(dl_device=(1, 0)), dict(dl_device=(2, 0)), dict(dl_device=(99, 0)), dict(dl_device=3),
         dict(dl_device=(1,)), dict(dl_device=("a", 0)), dict(copy=True), dict(copy=False), dict(copy="x"),
         dict(copy=3), dict(stream=None), dict(nothing=1)]


@pytest.mark.parametrize("words", WORDS, ids=str)
def test_words_of_the_method_are_numpys(words):
    with cp.cuda.Device("cpu"):
        x, a = cp.arange(3.0), np.arange(3.0)
        got, want = [], []
        for v, to in ((x, got), (a, want)):
            try:
                to.append(name_of(v.__dlpack__(**words)))
            except Exception as e:  # noqa: BLE001
                to.append(kind(e))
        assert got == want
        assert x.__dlpack_device__() == a.__dlpack_device__()
        with raises(TypeError):
            x.__dlpack__(1)


@pytest.mark.parametrize("stream", [-2, -100, "a", 1.5])
def test_no_streams(stream):
    with pytest.raises((ValueError, TypeError)):
        cp.arange(3.0).__dlpack__(stream=stream)


def test_streams_are_put_in_order(device):
    """The consumer's stream is behind what ours got; the memory is not reused before it has passed."""
    for number in (None, 1, 2, -1):
        assert cp.arange(3.0).__dlpack__(stream=number) is not None
    mine, theirs = cp.cuda.Stream(non_blocking=True), cp.cuda.Stream(non_blocking=True)
    for _ in range(20):
        with mine:
            x = cp.zeros(4096)
            x += 1
            capsule = x.__dlpack__(stream=theirs.ptr) if device != "cpu" else x.__dlpack__()
        with theirs:
            y = cp.fromDlpack(capsule)
            z = y * 2
        with mine:
            del x, y, capsule
            other = cp.full(4096, 7.0)
        theirs.synchronize()
        mine.synchronize()
        assert z.tolist() == [2.0] * 4096 and other[0] == 7


def test_a_capsule_is_taken_once(device):
    x = cp.arange(3.0)
    for capsule in (x.toDlpack(), x.__dlpack__(), x.__dlpack__(max_version=(1, 0))):
        y = cp.fromDlpack(capsule)
        assert y.tolist() == [0, 1, 2] and y.flags.writeable
        with raises(ValueError):
            cp.fromDlpack(capsule)
    for wrong in (3, None, x, new_capsule(1, b"stream", None)):
        with pytest.raises((TypeError, ValueError)):
            cp.fromDlpack(wrong)


def test_one_thread_takes_a_capsule():
    """While functions wait in a stream calls let other threads run: of several that take one capsule one gets it."""
    taken, ended = [], []

    def race(_):
        for i in range(200):
            producer, start, got = Producer(versioned=bool(i % 2)), threading.Barrier(4), []
            capsule = producer.capsule

            def take():
                start.wait()
                try:
                    got.append(cp.fromDlpack(capsule))
                except ValueError:
                    pass

            threads = [threading.Thread(target=take) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            taken.append(len(got))
            got.clear()
            ended.append(producer.ended)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        stream = cp.cuda.Stream()
        stream.launch_host_func(race, None)
        stream.synchronize()
    finally:
        sys.setswitchinterval(interval)
    assert taken == [1] * 200 and ended == [1] * 200


def test_who_owns_what(no_leak, device):
    a = np.arange(1000.0)
    references = []
    for f in (lambda: cp.from_dlpack(a), lambda: cp.from_dlpack(a)[::2], lambda: cp.from_dlpack(a).T + 0):
        references.append(f())
    del references
    x = cp.arange(1000.0)
    capsules = [x.toDlpack(), x.__dlpack__(max_version=(1, 0)), x.__dlpack__(copy=True)]
    y = cp.fromDlpack(capsules[0])
    del capsules, x
    gc.collect()
    assert y[999] == 999
    base = Producer()
    z = cp.from_dlpack(base)
    view = z[1:]
    del z
    gc.collect()
    assert base.ended == 0 and view.tolist() == [1, 2]
    del view
    assert base.ended == 1


def test_the_producer_outlives_its_name():
    x = cp.from_dlpack(np.arange(100000.0))
    gc.collect()
    assert float(x.sum()) == sum(range(100000))
    with cp.cuda.Device("cpu"):
        a = np.from_dlpack(cp.arange(100000.0))
    gc.collect()
    assert a.sum() == sum(range(100000))


def test_the_last_view_may_go_on_any_thread():
    producers = [Producer() for _ in range(50)]
    arrays = [cp.from_dlpack(p) for p in producers]
    thread = threading.Thread(target=arrays.clear)
    thread.start()
    thread.join()
    assert [p.ended for p in producers] == [1] * 50


def test_strides_that_are_no_whole_elements():
    with cp.cuda.Device("cpu"):
        wide = cp.ndarray((2, 2), "f4", memptr=cp.zeros(6, "f4").data, strides=(6, 4))
        with raises(BufferError):
            wide.__dlpack__()
        one = cp.ndarray((1, 2), "f4", memptr=cp.zeros(6, "f4").data, strides=(6, 4))
        assert np.from_dlpack(one).shape == (1, 2)


class Lender:
    """What lends by DLPack and refuses to be NumPy's, as a tensor of bfloat16 does."""

    def __init__(self, x, refuse=None):
        self.x, self.refuse = x, refuse

    def __array__(self, *args, **words):
        raise TypeError("not for NumPy")

    def __dlpack__(self, **words):
        if self.refuse:
            raise self.refuse
        return self.x.__dlpack__(**words)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_asarray_takes_what_only_dlpack_lends(device, no_leak):
    for x in (cp.arange(6.0).reshape(2, 3).T, cp.ones(3, "bfloat16"), cp.zeros((0, 2)), cp.arange(4, device="cpu")):
        for f in (cp.asarray, cp.array):
            y = f(Lender(x))
            assert y.dtype == x.dtype and y.tolist() == x.tolist() and y.shape == x.shape
            assert y.device == cp.cuda.Device(device) and (not x.size or y.data.ptr != x.data.ptr)
        assert cp.asarray(Lender(x), "f4").dtype == "float32"
    for error in (BufferError("no"), ValueError("no"), TypeError("no")):
        with raises(TypeError, match="not for NumPy"):
            cp.asarray(Lender(x, error))


def test_random_tensors_never_crash():
    """Bytes of the record changed at random: an error or an array, and no deleter is called twice."""
    rng = np.random.default_rng(5)
    for _ in range(3000):
        p = Producer(versioned=bool(rng.integers(2)), shape=(2, 3))
        block = (C.c_uint8 * C.sizeof(Tensor)).from_address(C.addressof(p.block.t))
        for at in rng.integers(8, 24, rng.integers(1, 4)):  # addresses, which are behind, are believed
            block[at] = int(rng.integers(256))
        p.block.t.ndim = min(p.block.t.ndim, 2) if p.block.t.ndim < 65 else p.block.t.ndim
        p.said = (p.block.t.device, p.block.t.number)
        try:
            x = cp.from_dlpack(p)
        except (RuntimeError, ValueError, BufferError, OverflowError):
            assert p.ended == 0
            continue
        del x
        assert p.ended == 1
