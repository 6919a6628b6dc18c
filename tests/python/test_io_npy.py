"""NumPy's files and text: what either writes the other reads, byte for byte; damaged and hostile files; memory maps."""
import io
import os
import pickle
import tokenize
import warnings
import zipfile

import numpy as np
import pytest

import cuprite as cp
from oracle import raises

TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]
SHAPES = [(), (0,), (1,), (7,), (2, 3), (3, 1, 4), (2, 0, 3), (1,) * 20]


def sample(shape, dtype="f8", order="C"):
    n = int(np.prod(shape))
    a = (np.arange(n) * 37 % 251 / 2).astype(dtype).reshape(shape, order=order)
    return a


def same(x, a):
    assert isinstance(x, cp.ndarray) and x.dtype == a.dtype and x.shape == a.shape
    np.testing.assert_array_equal(x.get(), a)
    assert not a.size or x.strides == a.strides


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("dtype", TYPES)
def test_npy(tmp_path, dtype, order):
    for shape in SHAPES:
        a = sample(shape, dtype, order)
        x = cp.array(a, order="K")
        np.save(tmp_path / "theirs.npy", a)
        cp.save(tmp_path / "ours.npy", x)
        if a.size or order == "C":
            assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()
        for version in (1, 0), (2, 0), (3, 0):
            with open(tmp_path / "v.npy", "wb") as f:
                np.lib.format.write_array(f, a, version=version)
            same(cp.load(tmp_path / "v.npy"), np.load(tmp_path / "v.npy"))
        same(cp.load(tmp_path / "ours.npy"), np.load(tmp_path / "ours.npy"))


@pytest.mark.parametrize("form", [lambda a: a[::2], lambda a: a[::-1], lambda a: a.T, lambda a: a[:, 1:],
                                  lambda a: a[:, ::-1].T, lambda a: a[1]])
def test_views_are_saved_as_numpy_saves_them(tmp_path, form):
    a = sample((6, 8))
    np.save(tmp_path / "theirs.npy", form(a))
    cp.save(str(tmp_path / "ours"), form(cp.array(a)))
    assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()
    np.savez(tmp_path / "t.npz", form(a))
    same(cp.load(tmp_path / "t.npz")["arr_0"], np.load(tmp_path / "t.npz")["arr_0"])


@pytest.mark.parametrize("descr", [">i2", ">u4", ">f2", ">f8", ">c8", ">c16", "=f4", "|b1", "f8", "float32", "<i1",
                                   "complex64", "int64"])
def test_other_words_for_types(tmp_path, descr):
    a = sample((3, 5), descr)
    with open(tmp_path / "x.npy", "wb") as f:
        np.lib.format.write_array_header_1_0(f, {"descr": descr, "fortran_order": False, "shape": a.shape})
        f.write(a.tobytes())
    same(cp.load(tmp_path / "x.npy"), np.load(tmp_path / "x.npy").astype(a.dtype.newbyteorder("=")))
    same(cp.load(tmp_path / "x.npy", mmap_mode="r"), a.astype(a.dtype.newbyteorder("=")))


def test_bfloat16(tmp_path):
    x = cp.arange(10, dtype="bfloat16").reshape(2, 5)
    cp.save(tmp_path / "x.npy", x)
    y = cp.load(tmp_path / "x.npy")
    assert y.dtype.name == "bfloat16" and (y == x).all()
    buffer = io.BytesIO()
    cp.save(buffer, x)
    assert buffer.getvalue() == (tmp_path / "x.npy").read_bytes()
    cp.savez(tmp_path / "x.npz", a=x)
    assert cp.load(tmp_path / "x.npz")["a"].tobytes() == x.tobytes()
    x.tofile(tmp_path / "raw")
    back = cp.fromfile(tmp_path / "raw", "bfloat16")
    assert back.dtype.name == "bfloat16" and back.tolist() == x.ravel().tolist()
    assert pickle.loads(x.dumps()).dtype.name == "bfloat16"


@pytest.mark.parametrize("compressed", [False, True])
def test_npz(tmp_path, compressed):
    ours, theirs = (cp.savez_compressed, np.savez_compressed) if compressed else (cp.savez, np.savez)
    arrays = {"a": sample((3, 4)), "b b": sample((2, 5), "c8", "F"), "ümlaut": sample((), "i2"),
              "large": np.random.default_rng(1).integers(0, 9, 3_000_001), "none": sample((0, 3))}
    ours(tmp_path / "ours", cp.arange(3), **{k: cp.array(v, order="K") for k, v in arrays.items()})
    theirs(tmp_path / "theirs", np.arange(3), **arrays)
    with np.load(tmp_path / "ours.npz") as a, cp.load(tmp_path / "theirs.npz") as b, \
            cp.load(tmp_path / "ours.npz") as c, np.load(tmp_path / "theirs.npz") as d:
        assert a.files == b.files == c.files == d.files and list(c) == list(d) and len(c) == len(d)
        for name in a.files:
            np.testing.assert_array_equal(a[name], d[name])
            same(b[name], d[name])
            same(c[name], d[name])
        assert "a" in c and "a.npy" in c and "x" not in c and c.get("x") is None
        same(c["a.npy"], d["a.npy"])
        same(c.f.a, d.f.a)
        with raises(KeyError):
            c["x"]
        assert repr(c).split("with")[1] == repr(d).split("with")[1]
        assert zipfile.ZipFile(tmp_path / "ours.npz").testzip() is None
    with raises(ValueError):
        cp.savez(tmp_path / "x", cp.arange(2), arr_0=cp.arange(2))
    with raises(ValueError):
        c["a"]


def test_the_same_arrays_give_the_same_archive(tmp_path):
    x = cp.arange(2_000_000) % 1000
    cp.savez_compressed(tmp_path / "a.npz", x)
    cp.savez_compressed(tmp_path / "b.npz", x)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert os.path.getsize(tmp_path / "a.npz") < 4_000_000


def test_many_members(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.npz", "w") as z:
        for i in range(70_000):
            z.writestr(f"{i}.npy", b"")
        buffer = io.BytesIO()
        np.save(buffer, np.arange(4))
        z.writestr("last.npy", buffer.getvalue())
    x = cp.load(tmp_path / "x.npz")
    assert len(x) == 70_001 and x["last"].tolist() == [0, 1, 2, 3]
    with open(tmp_path / "y.npz", "wb") as f:  # something stands before it
        f.write(b"PK\3\4" + bytes(100) + (tmp_path / "x.npz").read_bytes())
    assert cp.load(tmp_path / "y.npz")["last"].tolist() == [0, 1, 2, 3]
    many = {f"a{i}": cp.arange(2) for i in range(300)}
    cp.savez(tmp_path / "z.npz", **many)
    assert len(np.load(tmp_path / "z.npz").files) == 300


def test_empty_archive(tmp_path):
    cp.savez(tmp_path / "x.npz")
    assert cp.load(tmp_path / "x.npz").files == np.load(tmp_path / "x.npz").files == []


def test_file_objects(tmp_path):
    a = sample((3, 4))
    buffer = io.BytesIO()
    cp.save(buffer, cp.array(a))
    buffer.seek(0)
    same(cp.load(buffer), a)
    archive = io.BytesIO()
    cp.savez(archive, x=cp.array(a), y=a)
    archive.seek(0)
    loaded = cp.load(archive)
    same(loaded["x"], a)
    assert sorted(loaded) == ["x", "y"]
    cp.save(tmp_path / "n.npy", a)
    same(cp.load(os.fsencode(tmp_path / "n.npy")), a)
    odd = os.fsencode(tmp_path) + b"/\xff\xfe.npy"
    cp.save(odd, cp.array(a))
    same(cp.load(odd), a)


@pytest.mark.parametrize("mode", ["r", "readonly", "c", "r+"])
def test_memory_maps(tmp_path, mode, device):
    a = sample((30, 20), order="F")
    np.save(tmp_path / "x.npy", a)
    if device != "cpu" and mode == "r+":
        with raises(ValueError):
            cp.load(tmp_path / "x.npy", mmap_mode=mode)
        return
    x = cp.load(tmp_path / "x.npy", mmap_mode=mode)
    same(x, a)
    theirs = np.load(tmp_path / "x.npy", mmap_mode=mode)
    if device == "cpu":
        assert x.flags.writeable == theirs.flags.writeable
    if x.flags.writeable:
        x[0, 0] = 1000
        assert x[0, 0] == 1000
        assert (np.load(tmp_path / "x.npy")[0, 0] == 1000) == (mode == "r+")
    else:
        with raises(ValueError):
            x[0, 0] = 1000
    view = x[1:3]
    del x
    os.remove(tmp_path / "x.npy")
    np.testing.assert_array_equal(view.get(), a[1:3])


def test_wrong_maps(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3.0))
    for xp in (np, cp):
        with raises(ValueError):
            xp.load(tmp_path / "x.npy", mmap_mode="bogus")
    for mode in ("w", "w+", "readwrite", "copyonwrite"):  # NumPy opens the file to write it anew
        with raises(ValueError):
            cp.load(tmp_path / "x.npy", mmap_mode=mode)
    with raises(ValueError):
        cp.load(tmp_path / "x.npy", encoding="utf8")
    with raises(ValueError):
        np.load(tmp_path / "x.npy", encoding="utf8")
    np.save(tmp_path / "x.npy", np.arange(3, dtype=">f8"))
    with raises(ValueError):
        cp.load(tmp_path / "x.npy", mmap_mode="r+")
    np.save(tmp_path / "x.npy", np.zeros((0, 3)))
    assert cp.load(tmp_path / "x.npy", mmap_mode="r").shape == (0, 3)


class Runs:
    ran = []

    def __reduce__(self):
        return self.ran.append, (1,)


def test_pickles_do_not_run(tmp_path):
    path = tmp_path / "x.npy"
    odd = np.array([Runs(), 1], object)
    for write in (lambda: np.save(path, odd, allow_pickle=True), lambda: path.write_bytes(pickle.dumps(Runs())),
                  lambda: path.write_bytes(b"no pickle")):
        write()
        for xp in (np, cp):
            with raises(ValueError):
                xp.load(path)
    np.savez(tmp_path / "x.npz", a=odd, b=np.arange(3))
    x = cp.load(tmp_path / "x.npz")
    assert x["b"].tolist() == [0, 1, 2]
    for y in (x, np.load(tmp_path / "x.npz")):
        with raises(ValueError):
            y["a"]
    assert Runs.ran == []
    cp.arange(6).reshape(2, 3).dump(tmp_path / "dumped")
    y = cp.load(tmp_path / "dumped", allow_pickle=True)
    assert isinstance(y, cp.ndarray) and y.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert pickle.loads(y.dumps()).tolist() == y.tolist()


@pytest.mark.parametrize("what", ["nothing", "folder", "missing", "missing/x", "unreadable type", "text", "record"])
def test_what_cannot_be_loaded(tmp_path, what):
    path = tmp_path / "x.npy"
    if what == "nothing":
        path.write_bytes(b"")
    elif what == "folder":
        path.mkdir()
    elif what == "missing/x":
        path = path / "x"
    elif what == "unreadable type":
        np.save(path, np.zeros(3, "M8[s]"))
    elif what == "text":
        np.save(path, np.array(["a", "b"]))
    elif what == "record":
        np.save(path, np.zeros(3, [("a", "f4")]))
    try:
        np.load(path)
        want = ValueError  # no array here can have that type
    except Exception as e:  # noqa: BLE001
        want = type(e)
    with pytest.raises(want) as caught:
        cp.load(path)
    assert type(caught.value) is want
    assert cp.arange(3).sum() == 3


@pytest.mark.parametrize("where", ["missing/x.npy", "folder.npy", "file.npy/x.npy"])
def test_what_cannot_be_saved(tmp_path, where):
    (tmp_path / "folder.npy").mkdir()
    np.save(tmp_path / "file.npy", np.arange(3))
    for save, name in ((lambda xp, p: xp.save(p, xp.arange(3)), ".npy"), (lambda xp, p: xp.savez(p, xp.arange(3)), "")):
        path = tmp_path / (where if name else where.replace("folder.npy", "folder.npz"))
        if not name and where == "folder.npy":
            path.mkdir(exist_ok=True)
        with pytest.raises(OSError) as theirs:
            save(np, path)
        with pytest.raises(OSError) as ours:
            save(cp, path)
        assert type(ours.value) is type(theirs.value)
    assert sorted(os.listdir(tmp_path))[:2] == ["file.npy", "folder.npy"]
    for xp in (np, cp):
        with raises(ValueError):
            xp.save("a\0b", xp.arange(3))


def damaged(rng, b):
    """A file's bytes, changed somewhere; the header more often than what is behind it."""
    b, head = bytearray(b), 90
    how = rng.integers(6)
    if how == 0:
        return b[:rng.integers(len(b))]
    if how == 1:
        for _ in range(rng.integers(1, 4)):
            b[rng.integers(len(b) if rng.integers(2) else head)] = rng.integers(256)
    elif how == 2:
        at = rng.integers(head)
        del b[at:at + rng.integers(1, 4)]
    elif how == 3:
        at = rng.integers(head)
        letters = list(b"0123456789()',:<>{}fiucbTrue \n#L_x-+.[]\\\"e")
        b[at:at] = bytes(rng.choice(letters, rng.integers(1, 4)).tolist())
    elif how == 4:
        b[rng.integers(6, 12)] = rng.integers(256)
    else:
        at = b.find(b"(")
        b[at + 1:at + 2] = str(rng.integers(2**62)).encode()
    return b


def is_numpys(b):
    """Whether a header is written as NumPy writes it."""
    f = io.BytesIO(b)
    version = np.lib.format.read_magic(f)
    size = int.from_bytes(f.read(2 if version == (1, 0) else 4), "little")
    text = f.read(size).decode("latin1")
    try:
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(io.BytesIO(b[8:]))
    except Exception:  # noqa: BLE001
        return False
    return text == f"{{'descr': {dtype.str!r}, 'fortran_order': {fortran}, 'shape': {shape}, }}".ljust(size - 1) + "\n"


def test_damaged_files(tmp_path):
    """What loads is what NumPy loads; what does not is a ValueError, and NumPy refuses it too unless the header is
    written as nobody writes one."""
    rng, path = np.random.default_rng(3), tmp_path / "x.npy"
    accidents = (tokenize.TokenError, SyntaxError, TypeError, OverflowError, MemoryError)  # NumPy's parser's
    for _ in range(2000):
        a = np.arange(24).astype(rng.choice(["f8", ">i4", "c16", "u1", "?", "f2"]))
        a = a.reshape([(24,), (2, 3, 4), (4, 6)][rng.integers(3)], order="CF"[rng.integers(2)])
        f = io.BytesIO()
        np.lib.format.write_array(f, a, version=[(1, 0), (2, 0), (3, 0)][rng.integers(3)])
        b = damaged(rng, f.getvalue())
        path.write_bytes(b)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                theirs = np.load(path)
            except Exception as e:  # noqa: BLE001
                theirs = e
        try:
            ours = cp.load(path, mmap_mode=[None, "r", "c"][rng.integers(3)])
        except Exception as e:  # noqa: BLE001
            ours = e
        if isinstance(ours, cp.ndarray):
            assert isinstance(theirs, np.ndarray), (bytes(b), theirs)
            same(ours, theirs.astype(theirs.dtype.newbyteorder("=")))
        elif isinstance(theirs, np.ndarray):
            assert type(ours) is ValueError
            assert theirs.dtype.name not in TYPES or not is_numpys(bytes(b)), bytes(b)
        else:
            assert type(ours) in (ValueError, EOFError), (bytes(b), ours)
            assert isinstance(theirs, (type(ours), *accidents)), (bytes(b), theirs, ours)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                of_object = cp.load(io.BytesIO(b))
            same(of_object, theirs.astype(theirs.dtype.newbyteorder("=")))
        except Exception as e:  # noqa: BLE001
            assert type(e) in (ValueError, EOFError), (bytes(b), e)
            assert isinstance(theirs, Exception) or theirs.dtype.name not in TYPES, (bytes(b), e)


def test_a_lying_header_asks_for_no_memory(tmp_path):
    path = tmp_path / "x.npy"
    for shape in ("(1000000000000,)", "(99999999999999999999,)", "(4611686018427387904, 4611686018427387904)",
                  "(0, 99999999999999999999)", "(-1,)", "(-3, -4)", "3", "(3)", "(3.0,)", "None", "[3]"):
        text = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode()
        path.write_bytes(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + bytes(64))
        for mode in (None, "r", "c"):
            with raises(ValueError):
                cp.load(path, mmap_mode=mode)
        with raises(ValueError):
            cp.load(io.BytesIO(path.read_bytes()))
        with raises(ValueError), open(path, "rb") as f:
            cp.load(f)
    for size in (2**31, 2**32 - 1, 10**6):
        path.write_bytes(b"\x93NUMPY\2\0" + size.to_bytes(4, "little") + b"{")
        with raises(ValueError):
            cp.load(path)
    text = (b"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }" + b" " * 20000)
    path.write_bytes(b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + bytes(24))
    for xp in (np, cp):
        with raises(ValueError):
            xp.load(path)
        assert xp.load(path, max_header_size=30000).shape == (3,)
        assert xp.load(path, allow_pickle=True).shape == (3,)


@pytest.mark.parametrize("compressed", [False, True])
def test_damaged_archives(tmp_path, compressed):
    """Any byte changed: the array that was there, or an error that says so."""
    path, rng = tmp_path / "x.npz", np.random.default_rng(7)
    a = np.arange(300.0)
    (np.savez_compressed if compressed else np.savez)(path, a=a, b=a[:3])
    whole = path.read_bytes()
    allowed = (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError, KeyError)
    seen = set()
    for turn in range(800):
        b = bytearray(whole)
        if turn % 10 == 0:
            b = b[:rng.integers(6, len(b))]
        else:
            where = rng.integers(len(b)) if turn % 2 else len(b) - 1 - rng.integers(150)
            b[where] = rng.integers(256)
        path.write_bytes(b)
        try:
            x = cp.load(path)["a"]
        except allowed as e:
            seen.add(type(e))
            continue
        np.testing.assert_array_equal(x.get(), a)
    assert zipfile.BadZipFile in seen


def test_a_bomb_is_refused(tmp_path):
    """A member that says more than deflate can make of its bytes."""
    path = tmp_path / "x.npz"
    np.savez_compressed(path, a=np.zeros(10))
    b = bytearray(path.read_bytes())
    at = b.rfind(b"PK\1\2")
    b[at + 24:at + 28] = (2**31).to_bytes(4, "little")
    path.write_bytes(b)
    with pytest.raises(zipfile.BadZipFile):
        cp.load(path)["a"]


# --- bytes and text ---

def same_error(f):
    with pytest.raises(Exception) as theirs:
        f(np)
    with pytest.raises(type(theirs.value)) as ours:
        f(cp)
    assert type(ours.value) is type(theirs.value)


def test_raw_files(tmp_path):
    a = sample((4, 5))
    x = cp.array(a)
    for form in (lambda v: v, lambda v: v.T, lambda v: v[::-1, ::2]):
        form(x).tofile(tmp_path / "ours")
        form(a).tofile(tmp_path / "theirs")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
        form(x).tofile(tmp_path / "ours", sep=",", format="%.3f")
        form(a).tofile(tmp_path / "theirs", sep=",", format="%.3f")
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    for options in (dict(sep=","), dict(sep=",", count=3), dict(sep=",", dtype=np.float32)):
        same(cp.fromfile(tmp_path / "ours", **options), np.fromfile(tmp_path / "ours", **options))
    a.tofile(tmp_path / "raw")
    for options in (dict(), dict(dtype="i4"), dict(count=5), dict(offset=16), dict(dtype="u1", count=7, offset=3)):
        same(cp.fromfile(tmp_path / "raw", **options), np.fromfile(tmp_path / "raw", **options))
    with open(tmp_path / "raw", "rb") as f, open(tmp_path / "raw", "rb") as g:
        same(cp.fromfile(f, count=2), np.fromfile(g, count=2))
        assert f.tell() == g.tell()
    with open(tmp_path / "o", "wb") as f:
        x.tofile(f)
        assert f.tell() == x.nbytes
    for name, options in (("raw", dict(offset=-1)), ("raw", dict(dtype=object)), ("raw", dict(dtype="bogus")),
                          ("raw", dict(offset="a")), ("nothing", dict()), ("", dict())):
        same_error(lambda xp: xp.fromfile(tmp_path / name, **options))


def test_buffers_and_strings():
    b = np.arange(24.0).tobytes()
    for options in (dict(), dict(dtype="i2"), dict(count=4), dict(offset=8), dict(dtype="c16", count=2, offset=16)):
        same(cp.frombuffer(b, **options), np.frombuffer(b, **options))
    same(cp.frombuffer(bytearray(b"abc"), "u1"), np.frombuffer(b"abc", "u1"))
    same(cp.fromstring("1 2 3.5", sep=" "), np.fromstring("1 2 3.5", sep=" "))
    same(cp.fromstring("1,2,3", dtype=int, sep=",", count=2), np.fromstring("1,2,3", dtype=int, sep=",", count=2))
    assert cp.frombuffer(b"\x80\x3f", "bfloat16").tolist() == [1]
    for f in (lambda xp: xp.frombuffer(b"abc"), lambda xp: xp.frombuffer(b, offset=-1), lambda xp: xp.frombuffer("a"),
              lambda xp: xp.frombuffer(b, count=1000), lambda xp: xp.frombuffer(3),
              lambda xp: xp.fromstring(3, sep=" "),
              lambda xp: xp.fromstring("1"), lambda xp: xp.fromstring("1 a", sep=" ", dtype=object)):
        same_error(f)
    same(cp.frombuffer(b""), np.frombuffer(b""))


def test_texts(tmp_path):
    a = sample((5, 3))
    for options in (dict(), dict(fmt="%.2f", delimiter=","), dict(header="h", footer="f", newline="\r\n")):
        cp.savetxt(tmp_path / "ours", cp.array(a), **options)
        np.savetxt(tmp_path / "theirs", a, **options)
        assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    np.savetxt(tmp_path / "t", a, delimiter=",")
    for options in (dict(delimiter=","), dict(delimiter=",", usecols=(0, 2)), dict(delimiter=",", skiprows=2, ndmin=2),
                    dict(delimiter=",", dtype="f4", max_rows=2), dict(delimiter=",", unpack=True)):
        x, y = cp.loadtxt(tmp_path / "t", **options), np.loadtxt(tmp_path / "t", **options)
        np.testing.assert_array_equal(x.get(), y)
        assert x.dtype == y.dtype
    text = "1,2,x\n3,,5\n"
    np.testing.assert_array_equal(cp.genfromtxt(io.StringIO(text), delimiter=",").get(),
                                  np.genfromtxt(io.StringIO(text), delimiter=","))
    np.testing.assert_array_equal(cp.genfromtxt(io.StringIO(text), float, "#", ",").get(),
                                  np.genfromtxt(io.StringIO(text), float, "#", ","))
    assert cp.loadtxt(io.StringIO("1 2"), dtype="bfloat16").dtype.name == "bfloat16"
    for xp in (np, cp):
        with raises(ValueError):
            xp.loadtxt(io.StringIO("1 2\n3"))


@pytest.mark.parametrize("name", TYPES)
def test_byteswap(name):
    for a in (sample((3, 4), name), sample((3, 4), name, "F"), sample((3, 4), name)[::2, ::-1], sample((), name),
              sample((0, 2), name)):
        x = cp.array(a, order="K")
        got, want = x.byteswap(), a.byteswap()
        assert got.tobytes() == want.tobytes() and got.dtype == want.dtype and (not a.size or got.strides == x.strides)
        assert x.tobytes() == a.tobytes()
        view = x[1:, ::2] if x.ndim == 2 else x
        assert view.byteswap(True) is view
        theirs = a.copy(order="K")
        (theirs[1:, ::2] if x.ndim == 2 else theirs).byteswap(True)
        assert x.tobytes() == theirs.tobytes()
    assert cp.broadcast_to(cp.arange(3), (2, 3)).byteswap().tolist() == np.broadcast_to(
        np.arange(3), (2, 3)).byteswap().tolist()
    with raises(ValueError):
        cp.broadcast_to(cp.arange(3), (2, 3)).byteswap(True)
