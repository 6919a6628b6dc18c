"""Text of arrays: to the letter what NumPy's str, repr and array2string write, called in C through ctypes."""
import ctypes
import os
import pathlib

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", pathlib.Path(__file__).resolve().parents[2] / "build"))
lib = ctypes.CDLL(str(BUILD / "lib" / "libcuprite.so"))
P = ctypes.c_void_p


class Shape(ctypes.Structure):
    _fields_ = [("n", ctypes.c_int), ("dim", ctypes.POINTER(ctypes.c_int64))]


class Options(ctypes.Structure):
    _fields_ = [("repr", ctypes.c_bool), ("precision", ctypes.c_int), ("threshold", ctypes.c_int64),
                ("edgeitems", ctypes.c_int), ("linewidth", ctypes.c_int), ("suppress", ctypes.c_bool),
                ("_", ctypes.c_int)]


def declare(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


from_host = declare("cp_from_host", P, P, ctypes.c_int, Shape, ctypes.POINTER(ctypes.c_int64))
to_string = declare("cp_array_to_string", P, P, ctypes.POINTER(Options))
fprint = declare("cp_fprint", ctypes.c_int, P, P, ctypes.POINTER(Options))
free, text_free = declare("cp_free", None, P), declare("cp_string_free", None, P)
type_of = declare("cp_type_from_name", ctypes.c_int, ctypes.c_char_p)
message = declare("cp_error_message", ctypes.c_char_p)
device_use = declare("cp_device_use", ctypes.c_int, ctypes.c_int)
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64", "complex64", "complex128"]


def array(x, name=None):
    """A cp_array of NumPy's, with its strides."""
    x = np.asarray(x)
    dims, strides = (ctypes.c_int64 * 64)(*x.shape), (ctypes.c_int64 * 64)(*x.strides)
    y = from_host(x.ctypes.data, type_of((name or x.dtype.name).encode()), Shape(x.ndim, dims), strides)
    assert y, message()
    return y


def text(x, name=None, **options):
    y = array(x, name)
    got = to_string(y, ctypes.byref(Options(**options)) if options else None)
    free(y)
    assert got, message()
    words = ctypes.string_at(got).decode()
    text_free(got)
    return words


def same(x):
    x = np.asarray(x)
    assert text(x) == str(x)
    assert text(x, repr=True) == repr(x)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.1, 0.5, 1 / 3, 1e-4, 9.9999e-5, 1e-5, 99999999.0, 1e8, 123456789.0, 1e15, 1e16, 1e17,
           2.5e-8, 0.999999999, 9.999999995, 0.000000005, 1234.56789, np.pi, 1e100, -1e-100, 5e-324,
           1.7976931348623157e308, 2.0**-44, 2.0**60, 65504.0, 6e-8, 2.0**-24, np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("name", TYPES)
def test_numbers_alone_and_together(name):
    with np.errstate(all="ignore"):
        values = np.array(SPECIAL).astype(name)
        if values.dtype.kind == "c":
            values = (values[:, None] + values * 1j).ravel()[::7].copy()
            values.real[::5] = 0
    same(values)
    for a in values:
        same(a)
        same(np.array([a]))
    for a, b in zip(values, values[1:]):
        same(np.array([[a, b]]))


@pytest.mark.parametrize("name", ["float16", "float32", "float64", "complex64"])
def test_powers_of_two_have_uneven_neighbours(name):
    info = np.finfo(name)
    with np.errstate(all="ignore"):
        every = (np.float64(2) ** np.arange(np.log2(float(info.smallest_subnormal)), info.maxexp)).astype(name)
    for chunk in np.array_split(every, 40):
        same(chunk)
        for x in chunk[:3]:
            same(x)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_any_array(data):
    name = data.draw(st.sampled_from(TYPES))
    shape = data.draw(hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=7))
    x = data.draw(hnp.arrays(name, shape))
    same(x)
    if x.ndim > 1:
        same(x.T)
        same(x[::-1, ::2])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_options(data):
    name = data.draw(st.sampled_from(TYPES))
    shape = data.draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=12))
    elements = st.floats(-1e3, 1e3, width=16) if np.dtype(name).kind == "f" and data.draw(st.booleans()) else None
    x = data.draw(hnp.arrays(name, shape, elements=elements))
    precision, threshold = data.draw(st.integers(1, 20)), data.draw(st.integers(1, 60))
    edge, width, suppress = data.draw(st.integers(1, 5)), data.draw(st.integers(10, 100)), data.draw(st.booleans())
    want = np.array2string(x, max_line_width=width, precision=precision, suppress_small=suppress, threshold=threshold,
                           edgeitems=edge)
    assert text(x, precision=precision, threshold=threshold, edgeitems=edge, linewidth=width, suppress=suppress) == want
    with np.printoptions(precision=precision, threshold=threshold, edgeitems=edge, linewidth=width, suppress=suppress):
        assert text(x, precision=precision, threshold=threshold, edgeitems=edge, linewidth=width, suppress=suppress,
                    repr=True) == repr(x)


@pytest.mark.parametrize("shape", [(1001,), (2000, 3), (3, 2000), (7, 7, 7, 7), (1, 1, 3000), (6, 1000), (40, 5, 6),
                                   (0, 3), (3, 0)])
@pytest.mark.parametrize("name", ["bool", "int16", "uint64", "float32", "complex128"])
def test_summaries(shape, name):
    x = (np.arange(np.prod(shape)) * 37 % 1000 / 7).astype(name).reshape(shape)
    same(x)
    same(np.asfortranarray(x))


def test_negative_options():
    x = np.array([[1.25, 2.5, 3.75]] * 9)
    assert text(x, precision=-1, threshold=-1, edgeitems=1) == np.array2string(x, precision=0, threshold=0, edgeitems=1)


def test_bfloat16():
    bits = np.array([0x3F80, 0x3DCD, 0x4049, 0xC145, 0x7F80, 0x7FC0, 0x0000], np.uint16)
    assert text(bits, "bfloat16") == "[  1.     0.1    3.14 -12.3     inf    nan   0.  ]"
    assert text(bits[:2], "bfloat16", repr=True) == "array([1. , 0.1], dtype=bfloat16)"


def test_print_to_a_file(tmp_path, capfd):
    libc = ctypes.CDLL(None)
    libc.fopen.restype, libc.fclose.argtypes = P, [P]
    path, x = tmp_path / "x.txt", np.arange(6.0).reshape(2, 3)
    y = array(x)
    file = libc.fopen(os.fsencode(path), b"w")
    assert fprint(file, y, None) == 0
    libc.fclose(file)
    assert path.read_text() == f"{x}\n"
    assert declare("cp_print", ctypes.c_int, P, P)(y, None) == 0
    libc.fflush(None)
    assert capfd.readouterr().out == f"{x}\n"
    full = libc.fopen(b"/dev/full", b"w")
    libc.setvbuf.argtypes = [P, P, ctypes.c_int, ctypes.c_size_t]
    libc.setvbuf(full, None, 2, 0)
    assert fprint(full, y, None) != 0 and b"print" in message()
    lib.cp_error_clear()
    libc.fclose(full)
    assert fprint(None, y, None) != 0 and to_string(None, None) is None
    lib.cp_error_clear()
    free(y)


def test_every_allocation_can_fail(live_blocks):
    """No leak and a memory error, whichever allocation fails."""
    fail, asked = declare("cp_test_fail_allocation", None,
                          ctypes.c_int64), declare("cp_test_allocations", ctypes.c_int64)
    live, error = declare("cp_test_live", ctypes.c_int64), declare("cp_error", ctypes.c_int)
    memory = next(c for c in range(20) if declare("cp_code_exception", ctypes.c_char_p, ctypes.c_int)(c)
                  == b"MemoryError")
    y = array(np.arange(2000.0).reshape(20, 100).astype("complex64"))
    text_free(to_string(y, None))
    live_blocks()
    before, n = live(), 0
    while True:
        n += 1
        fail(n)
        got = to_string(y, ctypes.byref(Options(repr=True)))
        hit = asked() >= n
        fail(0)
        if not got:
            assert hit and error() == memory
        lib.cp_error_clear()
        text_free(got)
        assert live() == before
        if not hit:
            break
    assert n > 5
    free(y)
