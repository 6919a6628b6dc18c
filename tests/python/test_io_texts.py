"""What is read and written without NumPy's readers: strings, lists, buffers and files that hold nothing but numbers.
All else is NumPy's to read, so results and errors are its own either way."""
import io

import numpy as np
import pytest

import cuprite as cp
from oracle import outcome

TEXTS = ["1 2 3\n4 5 6", "1\n2\n3", "1 2 3", "7", "\n1 2\n\n3 4\n", "1e5 -2.5E-3 +.5\t3.\n", "0.1 0.30000000000000004",
         "1 2\n3", "1 x", "1e", "--1", "0x10", "nan inf", "1 2 # c\n", "1\r\n2", "1_0", "1\x1f2",
         "4.9e-324 1e400 -1e400"]


def host(x):
    return x.get() if isinstance(x, cp.ndarray) else x


def same(ours, theirs):
    """The same array to the bit, or the same exception."""
    a, b = outcome(lambda: host(ours())), outcome(theirs)
    if isinstance(b, np.ndarray):
        assert (a.shape, a.dtype, a.tobytes()) == (b.shape, b.dtype, b.tobytes())
    else:
        assert type(a) is type(b) and str(a) == str(b)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", TEXTS)
def test_texts(text):
    same(lambda: cp.loadtxt(io.StringIO(text)), lambda: np.loadtxt(io.StringIO(text)))
    same(lambda: cp.genfromtxt(io.StringIO(text)), lambda: np.genfromtxt(io.StringIO(text)))
    for t in (float, "f4", np.dtype("f8"), int):
        same(lambda: cp.fromstring(text, t, sep=" "), lambda: np.fromstring(text, t, sep=" "))


def test_the_rest_of_a_text_stays():
    f = io.StringIO("title\n1 2\n3 4\n")
    f.readline()
    assert cp.loadtxt(f).get().tolist() == [[1, 2], [3, 4]]
    f = io.StringIO("1 2\n3 4 # five\n")
    assert cp.loadtxt(f).get().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("fmt", ["%.18e", "%d", "%g", "%5.2f", "%s", "%r", "%.3e;"])
@pytest.mark.parametrize("x", [np.arange(6.0).reshape(2, 3) / 7, np.arange(5) / np.float32(3), np.arange(3, dtype="u1"),
                               np.zeros((0, 2)), np.ones(2) > 0, np.ones(2) * 1j, np.ones(())], ids=repr)
def test_texts_written(x, fmt):
    def written(f, x):
        to = io.StringIO()
        f(to, x, fmt)
        return np.frombuffer(to.getvalue().encode(), "u1")
    same(lambda: written(cp.savetxt, cp.asarray(x)), lambda: written(np.savetxt, x))


@pytest.mark.parametrize("t", [float, int, "f4", "u1", "?", "c8", "i2"])
@pytest.mark.parametrize("items", [[], [1, 2, 3], [1.5, 2], [True, 0], [300, -1], [1j], ["1"], [None], [[1], [2]]],
                         ids=repr)
def test_iterables(items, t):
    same(lambda: cp.fromiter(iter(items), t), lambda: np.fromiter(iter(items), t))


@pytest.mark.parametrize("count, offset", [(-1, 0), (2, 0), (1, 4), (-1, 8), (-1, 3), (9, 0), (0, 0), (1, -1), (1, 99)])
def test_buffers(count, offset):
    for data in (bytes(range(16)), bytearray(16), memoryview(b"12345678"), b"", 5):
        for t in ("f4", "i8", "u1", "?"):
            same(lambda: cp.frombuffer(data, t, count, offset), lambda: np.frombuffer(data, t, count, offset))


@pytest.mark.parametrize("x", [np.arange(6.0), np.arange(6).reshape(2, 3), np.asfortranarray(np.ones((3, 4), "f4")),
                               np.array(2.5), np.zeros((0, 3)), np.ones((2, 3, 4), "c8")[::-1], np.ones(3) > 0],
                         ids=repr)
def test_file_objects(x):
    ours, theirs = io.BytesIO(), io.BytesIO()
    np.save(theirs, x)
    cp.save(ours, cp.asarray(x))
    assert ours.getvalue() == theirs.getvalue()
    both = io.BytesIO(theirs.getvalue() * 2)  # one behind the other
    for _ in range(2):
        y = cp.load(both)
        assert not x.size or y.strides == np.load(io.BytesIO(theirs.getvalue())).strides
        assert y.dtype == x.dtype and (y.get() == x).all()
    short = theirs.getvalue()[:-1]
    if x.size:
        same(lambda: cp.load(io.BytesIO(short)), lambda: np.load(io.BytesIO(short)))


def test_options_of_printing():
    x = np.arange(3) / 7
    y = cp.asarray(x)
    assert (repr(y), str(y)) == (repr(x), str(x))
    with np.printoptions(precision=2):
        assert (repr(y), str(y)) == (repr(x), str(x)) and "0.14," in repr(y)
    assert repr(y) == repr(x)
