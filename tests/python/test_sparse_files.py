"""Sparse matrices in files through the C API, against SciPy's reading and writing: what C wrote of what SciPy wrote has
the members of SciPy's file byte for byte, and what does not fit is refused with one line. (tests/c/test_sparse_files.c
has devices.)"""
import ctypes
import os
import zipfile

import numpy as np
import pytest
import scipy.sparse as sp

pytestmark = pytest.mark.once
BUILD = os.environ.get("CUPRITE_BUILD", os.path.join(os.path.dirname(__file__), "../../build"))
lib = ctypes.CDLL(os.path.join(BUILD, "lib", "libcuprite.so"))
FORMATS = ["csr", "csc", "coo", "dia", "bsr"]
TYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


class SaveOptions(ctypes.Structure):
    _fields_ = [("compressed", ctypes.c_bool), ("_", ctypes.c_int)]


def declare(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


save = declare("cp_sparse_save", ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(SaveOptions))
load = declare("cp_sparse_load", ctypes.c_void_p, ctypes.c_char_p)
free = declare("cp_sparse_free", None, ctypes.c_void_p)
message = declare("cp_error_message", ctypes.c_char_p)
clear = declare("cp_error_clear", None)
scope_begin = declare("cp_scope_begin", ctypes.c_void_p)
scope_end = declare("cp_scope_end", None, ctypes.c_void_p)


def said():
    text = message().decode()
    clear()
    return text


def through_c(path, target, compressed=False):
    """Reads a file and writes another one, the first within a scope that ends before the second."""
    scope = scope_begin()
    a = load(os.fsencode(path))
    scope_end(scope)
    assert a, said()
    assert save(os.fsencode(target), a, SaveOptions(compressed, 0)) == 0, said()
    free(a)


def members_of(path):
    """Names and bytes, in the file's order."""
    with zipfile.ZipFile(path) as f:
        return [(name, f.read(name)) for name in f.namelist()]


def example(form, dtype, shape=(6, 4), seed=0):
    rng = np.random.default_rng(seed)
    values = rng.integers(1, 100, shape) + (1j * rng.integers(1, 9, shape) if np.dtype(dtype).kind == "c" else 0)
    return sp.coo_array(np.where(rng.random(shape) < .4, values, 0).astype(dtype)).asformat(form)


def same(a, b):
    assert a.format == b.format and a.shape == b.shape and a.dtype == b.dtype
    np.testing.assert_array_equal(a.toarray(), b.toarray())


@pytest.mark.parametrize("form", FORMATS)
def test_files_are_scipys(form, tmp_path):
    for dtype in TYPES:
        for shape in [(6, 4), (4, 6), (1, 1), (0, 3), (3, 0)]:
            if form == "bsr" and 0 in shape:
                continue  # SciPy makes no such blocks of it
            a = example(form, dtype, shape)
            sp.save_npz(tmp_path / "a.npz", a, compressed=False)
            through_c(tmp_path / "a.npz", tmp_path / "b.npz")
            assert members_of(tmp_path / "b.npz") == members_of(tmp_path / "a.npz"), (dtype, shape)
        sp.save_npz(tmp_path / "a.npz", a)
        through_c(tmp_path / "a.npz", tmp_path / "b.npz", True)
        b = sp.load_npz(tmp_path / "b.npz")
        assert isinstance(b, sp.sparray)
        same(a, b)


@pytest.mark.parametrize("form", FORMATS)
def test_forms_of_arrays(form, tmp_path):
    """Matrices, int64 indices, the other order of bytes and of axes."""
    a = example(form, "f8")
    sp.save_npz(tmp_path / "want.npz", a, compressed=False)
    with np.load(tmp_path / "want.npz") as f:
        members = dict(f)
    indices = [k for k in ("indices", "indptr", "row", "col", "offsets") if k in members]

    def gives(want, **changed):
        np.savez(tmp_path / "a.npz", **{**members, **changed})
        through_c(tmp_path / "a.npz", tmp_path / "b.npz")
        same(sp.load_npz(tmp_path / "b.npz"), want)
        with np.load(tmp_path / "b.npz") as f:
            return dict(f)

    sp.save_npz(tmp_path / "a.npz", getattr(sp, form + "_matrix")(a))
    through_c(tmp_path / "a.npz", tmp_path / "b.npz")
    assert members_of(tmp_path / "b.npz") == members_of(tmp_path / "want.npz")
    wide = gives(a, **{k: members[k].astype("i8") for k in indices})
    assert {wide[k].dtype for k in indices} == {np.dtype("i8")}
    gives(a, **{k: members[k].astype(">i4") for k in indices}, data=members["data"].astype(">f8"))
    gives(a, data=np.asfortranarray(members["data"]))
    gives(a, shape=np.array(a.shape, "i4"))
    gives(a, shape=np.array(a.shape, ">u8"))
    for word in (np.array(form), np.array(form, ">U7"), np.array(form.encode(), "S9")):
        gives(a, format=word)


def test_triples_as_coordinates(tmp_path):
    """SciPy reads rows and columns as one array too, and means to write them so."""
    a = example("coo", "f4")
    np.savez(tmp_path / "a.npz", coords=a.coords, format=b"coo", shape=a.shape, data=a.data, _is_array=True)
    same(sp.load_npz(tmp_path / "a.npz"), a)
    through_c(tmp_path / "a.npz", tmp_path / "b.npz")
    same(sp.load_npz(tmp_path / "b.npz"), a)


def test_order_and_duplicates_stay(tmp_path):
    a = sp.csr_array((np.array([1., 2, 3, 0]), np.array([2, 0, 0, 1]), np.array([0, 3, 4])), shape=(2, 3))
    b = sp.coo_array((np.array([1, 2, 3]), (np.array([1, 0, 1]), np.array([2, 0, 2]))), shape=(2, 3))
    for x in (a, b):
        sp.save_npz(tmp_path / "a.npz", x, compressed=False)
        through_c(tmp_path / "a.npz", tmp_path / "b.npz")
        assert members_of(tmp_path / "b.npz") == members_of(tmp_path / "a.npz")


i4 = np.int32
ROWS = dict(format=b"csr", shape=(2, 3), data=np.ones(3), indices=np.array([0, 2, 1], i4),
            indptr=np.array([0, 2, 3], i4))
TRIPLES = dict(format=b"coo", shape=(2, 3), data=np.ones(2), row=np.array([0, 1], i4), col=np.array([2, 0], i4))
DIAGONALS = dict(format=b"dia", shape=(2, 3), data=np.ones((2, 3)), offsets=np.array([0, 1], i4))
BLOCKS = dict(format=b"bsr", shape=(4, 4), data=np.ones((2, 2, 2)), indices=np.array([0, 1], i4),
              indptr=np.array([0, 1, 2], i4))
REFUSED = [
    (ROWS, dict(format=None), "there is no array format in it, so it has no sparse matrix"),
    (ROWS, dict(shape=None), "there is no array shape in it"), (ROWS, dict(data=None), "there is no array data in it"),
    (ROWS, dict(indices=None), "there is no array indices in it"),
    (ROWS, dict(indptr=None), "there is no array indptr in it"),
    (TRIPLES, dict(row=None), "there is no array row in it"),
    (TRIPLES, dict(col=None), "there is no array col in it"),
    (DIAGONALS, dict(offsets=None), "there is no array offsets in it"),
    (ROWS, dict(format=b"lil"), 'its format "lil" is none of csr, csc, coo, dia and bsr'),
    (ROWS, dict(format=b"csr_"), 'its format "csr_" is none'),
    (ROWS, dict(format=np.array("c\u00e9\n")), '"c??" is none'),
    (ROWS, dict(format=b"c" * 16), "its format is not one short word"),
    (ROWS, dict(format=np.array(b"c" * 200)), "type that arrays here cannot have"),
    (ROWS, dict(format=np.frombuffer(b"csr", "u1")), "its format is not one short word"),
    (ROWS, dict(format=np.array([b"csr"])), "its format is not one short word"),
    (ROWS, dict(format=np.array([], "S3")), "its format is not one short word"),
    (ROWS, dict(format=np.array(3)), "its format is not one short word"),
    (ROWS, dict(format=b"coo"), "there is no array row in it"),
    (ROWS, dict(format=b"bsr"), "data must be 3-D, not 1-D"),
    (ROWS, dict(shape=(2, 3, 1)), "its shape is not two integers"), (ROWS, dict(shape=(2,)), "its shape is not two"),
    (ROWS, dict(shape=np.ones((1, 2), int)), "its shape is not two"),
    (ROWS, dict(shape=(2., 3.)), "its shape is not two"),
    (ROWS, dict(shape=(-2, 3)), "rows must not be negative"),
    (ROWS, dict(shape=(2, -3)), "columns must not be negative"),
    (ROWS, dict(shape=np.array([2**64 - 1, 3], "u8")), "rows must not be negative"),
    (ROWS, dict(shape=(2**63 - 1, 3)), "at most 2^62"), (ROWS, dict(shape=(2**61, 3)), "indptr must have"),
    (ROWS, dict(shape=(3, 3)), "indptr must have 4 elements"), (ROWS, dict(shape=(2, 2)), "indices must be below 2"),
    (ROWS, dict(data=np.ones(2)), "indices must have 2 elements"), (ROWS, dict(data=np.ones((3, 1))), "must be 1-D"),
    (ROWS, dict(data=np.ones(3, "f2")), "must not be float16"), (ROWS, dict(data=np.ones(3, "g")), "cannot have"),
    (ROWS, dict(data=np.array(["a", "b", "c"])), "cannot have"),
    (ROWS, dict(indices=np.array([0, 2, -1], i4)), "indices must not be negative"),
    (ROWS, dict(indices=np.array([0., 2, 1])), "indices must be integers"),
    (ROWS, dict(indptr=np.array([0, 4, 3], i4)), "indptr must not descend"),
    (ROWS, dict(indptr=np.array([1, 2, 3], i4)), "indptr must start with 0"),
    (ROWS, dict(indptr=np.array([0, 2, 4], i4)), "indptr must end with at most 3"),
    (ROWS, dict(indptr=np.array([0, 2**62, 3])), "indptr must not descend"),
    (ROWS, dict(indptr=np.array([0, -2**62, 3])), "indptr must not descend"),
    (TRIPLES, dict(row=np.array([0, 2], i4)), "rows must be below 2"),
    (TRIPLES, dict(col=np.array([0, -1], i4)), "columns must not be negative"),
    (TRIPLES, dict(col=np.array([0], i4)), "columns must have 2 elements"),
    (TRIPLES, dict(coords=np.zeros((3, 2), i4)), "its coords are not rows and columns"),
    (TRIPLES, dict(coords=np.zeros(2, i4)), "its coords are not rows and columns"),
    (TRIPLES, dict(coords=np.array([[0, 9], [0, 0]], i4)), "rows must be below 2"),
    (DIAGONALS, dict(offsets=np.array([0, 0], i4)), "offsets"), (DIAGONALS, dict(offsets=np.array([0], i4)), "offsets"),
    (DIAGONALS, dict(data=np.ones(3)), "data must be 2-D"),
    (BLOCKS, dict(shape=(5, 4)), ""), (BLOCKS, dict(data=np.ones((2, 0, 2))), ""),
    (BLOCKS, dict(indices=np.array([0, 2], i4)), "indices must be below 2"),
]


@pytest.mark.parametrize("members, changed, words", REFUSED)
def test_what_does_not_fit_is_refused(members, changed, words, tmp_path):
    np.savez(tmp_path / "good.npz", **members)
    through_c(tmp_path / "good.npz", tmp_path / "b.npz")
    path = tmp_path / "a.npz"
    np.savez(path, **{k: v for k, v in {**members, **changed}.items() if v is not None})
    assert not load(os.fsencode(path))
    text = said()
    assert text.startswith(f"sparse_load: {path}: ") and words in text and "\n" not in text, text


def test_objects_and_pickles_are_refused(tmp_path):
    for name in ("format", "shape", "data"):
        np.savez(tmp_path / "a.npz", **{**ROWS, name: np.array([{}, 1], object)})
        assert not load(os.fsencode(tmp_path / "a.npz"))
        assert "Object arrays cannot be loaded" in said()


def test_numpys_strings_stay_unknown_elsewhere(tmp_path):
    """Only the format is read as a string: cp_load has no type for one."""
    import cuprite as cp
    sp.save_npz(tmp_path / "a.npz", example("csr", "f8"))
    with cp.load(tmp_path / "a.npz") as f, pytest.raises(ValueError, match="cannot have"):
        f["format"]
