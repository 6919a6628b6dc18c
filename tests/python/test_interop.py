"""What other libraries ask of an array: __cuda_array_interface__ both ways, the array API's namespace, Python's
numbers, bytes, pickles and copies; and how arrays are printed."""
import copy
import io
import math
import operator
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from hypothesis.extra import numpy as hnp

import cuprite as cp
from oracle import kind, raises

pytestmark = pytest.mark.device


def told(f):
    try:
        return f()
    except Exception as e:  # noqa: BLE001
        return kind(e)


# --- __cuda_array_interface__ ---

class Lender:
    """An object that says where memory of a GPU is."""

    def __init__(self, **words):
        self.__cuda_array_interface__ = {"shape": (2, 3), "typestr": "<f8", "data": (4096, False), "version": 3} | words


WRONG = [(dict(mask=[True]), ValueError), (dict(shape=(-1, 3)), ValueError), (dict(typestr=">f8"), ValueError),
         (dict(typestr="|O"), ValueError), (dict(typestr="<M8[s]"), ValueError), (dict(typestr="bogus"), TypeError),
         (dict(strides=(8,)), ValueError), (dict(shape=("a", 3)), TypeError), (dict(shape=(2**64, 3)), OverflowError),
         (dict(strides=(2**70, 1)), OverflowError), (dict(data=3), TypeError), (dict(stream="a"), TypeError)]


@pytest.mark.parametrize("words, error", WRONG, ids=str)
def test_what_cannot_be_lent(words, error):
    with raises(error):
        cp.asarray(Lender(**words))


LENT = """
import numpy as np
import cuprite as cp
if {describes}:
    cp.install_as_cupy()  # arrays on the CPU are described too

class Lent:
    def __init__(self, x):
        self.x = x
    if {describes}:
        __cuda_array_interface__ = property(lambda self: self.x.__cuda_array_interface__)
    else:
        def __cupy_get_ndarray__(self):
            return self.x

for x in (cp.arange(6.0).reshape(2, 3), cp.arange(6, dtype="i4").reshape(3, 2).T[::-1], cp.ones((0, 2)), cp.ones(())):
    host, lent = x.get(), Lent(x)
    assert (cp.asnumpy(lent) == host).all() and cp.asnumpy(lent).dtype == host.dtype
    out = np.empty(host.shape, host.dtype)
    assert cp.asnumpy(lent, out=out) is out and (out == host).all()
    add = cp.ElementwiseKernel("T x, T y", "T z", "z = x + y", "add")
    for got in (add(lent, lent), add(x, lent), add(lent, host.dtype.type(1)) - 1 + x, lent + x, x + lent):
        assert (got.get() == 2 * host).all() and got.dtype == host.dtype and got.shape == host.shape, got
    assert (add(lent, x, cp.empty_like(x)).get() == 2 * host).all()
    assert cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(lent).get() == host.sum()
    assert (x == lent).get().all() and not (lent != x).get().any() and not (x < lent).get().any()
    assert (x - lent == 0).get().all() and (lent - 2 * x == -x).get().all()
    y = x.copy()
    y += lent
    assert (y.get() == 2 * host).all() and type(y) is cp.ndarray
for wrong in (object(), "a", None):
    try:
        add(wrong, x)
    except TypeError as e:
        assert "Unsupported type" in str(e)
    else:
        raise AssertionError(wrong)
"""


@pytest.mark.once
@pytest.mark.parametrize("describes", [True, False])
def test_operands_that_are_lent(describes):
    """Kernels, operators and asnumpy take what describes an array, or gives one, as ufuncs do."""
    text = LENT.replace("{describes}", str(describes))
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True,
                          env={**os.environ, "CUPRITE_DEVICE": "cpu"})
    assert done.returncode == 0, done.stderr


def test_lent_memory(device):
    assert cp.asarray(Lender(shape=(0, 3), data=(0, False))).shape == (0, 3)
    if not device.startswith("cuda"):
        with raises(AttributeError):
            cp.zeros(3).__cuda_array_interface__
        if cp.cuda.is_available():
            return
        with raises(RuntimeError):
            cp.asarray(Lender())
        return
    x = cp.arange(6.0).reshape(2, 3)
    for y in (x, x.T, x[::-1], x[:, 1:], x[1, 2]):
        d = y.__cuda_array_interface__
        assert d["version"] == 3 and d["shape"] == y.shape and d["typestr"] == "<f8"
        assert d["data"] == (y.data.ptr, False)
        for stream in (None, 1, d["stream"]):
            z = cp.asarray(Lender(**(d | {"stream": stream})))
            assert z.data.ptr == y.data.ptr and z.strides == y.strides and z.tolist() == y.tolist()
        assert cp.array(Lender(**d)).data.ptr != y.data.ptr
        assert cp.asarray(Lender(**d), copy=False).data.ptr == y.data.ptr
        with raises(ValueError):
            cp.asarray(Lender(**d), "f4", copy=False)
    assert cp.asarray(Lender(**(x.__cuda_array_interface__ | {"data": (x.data.ptr, True)}))).flags.writeable is False
    with raises(ValueError):
        cp.asarray(Lender(**(x.__cuda_array_interface__ | {"stream": 0})))
    assert cp.zeros((0, 3)).__cuda_array_interface__["data"][0] == 0


# --- the array API ---

def test_namespace():
    x = cp.zeros(3)
    assert x.__array_namespace__() is cp and cp.__array_api_version__ == "2024.12"
    for version in ("2021.12", "2022.12", "2023.12", "2024.12", None):
        assert x.__array_namespace__(api_version=version) is cp
        assert np.zeros(3).__array_namespace__(api_version=version) is np
    for version in ("2099.12", "", 3):
        for xp in (np, cp):
            with raises(ValueError):
                xp.zeros(3).__array_namespace__(api_version=version)
    with raises(TypeError):
        x.__array_namespace__("2024.12")


def test_namespace_info():
    ours, theirs = cp.__array_namespace_info__(), np.__array_namespace_info__()
    assert ours.capabilities() == theirs.capabilities() and ours.default_dtypes() == theirs.default_dtypes()
    for k in (None, "bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating",
              "numeric", ("bool", "integral"), ()):
        assert ours.dtypes(kind=k) == theirs.dtypes(kind=k)
    for k in ("bogus", ("bool", "bogus"), 3):
        assert told(lambda: ours.dtypes(kind=k)) is told(lambda: theirs.dtypes(kind=k)) is ValueError
    assert ours.default_device() == cp.zeros(1).device and cp.cuda.Device("cpu") in ours.devices()
    for d in ours.devices():
        assert cp.zeros(1, device=d).device == d and cp.zeros(1).to_device(d).device == d
        assert ours.default_dtypes(device=d) == theirs.default_dtypes() and ours.dtypes(device=d) == theirs.dtypes()
    with raises(ValueError):
        ours.dtypes(device="bogus")


@pytest.mark.parametrize("k", ["bool", "signed integer", "unsigned integer", "integral", "real floating",
                               "complex floating", "numeric", np.dtype("f4"), np.float32, ("bool", "real floating"),
                               ("integral", np.dtype("f4")), "bogus", (), None])
def test_isdtype(k):
    for name in ("bool", "int8", "uint64", "float16", "float32", "float64", "complex64"):
        assert told(lambda: cp.isdtype(np.dtype(name), k)) == told(lambda: np.isdtype(np.dtype(name), k))
        assert told(lambda: cp.isdtype(getattr(np, name), k)) == told(lambda: np.isdtype(getattr(np, name), k))
    bfloat16 = cp.zeros(1, "bfloat16").dtype
    assert cp.isdtype(bfloat16, "real floating") and cp.isdtype(bfloat16, ("bool", "numeric"))
    assert cp.isdtype(bfloat16, bfloat16) and not cp.isdtype(bfloat16, "integral")


# --- Python's numbers ---

NUMBERS = [np.array(v) for v in (3.5, 3, True, 1 + 2j, [3.5], [3], [[3]], [], [1, 2], np.nan, np.inf, -np.inf, [True],
                                 [1 + 0j], 1e300, 2.0**70, -7)]
NUMBERS += [np.array(2**63, "u8"), np.array(300, "i2"), np.array(1, "f2"), np.array(1.1, "f4"), np.array(1.1j, "c8")]
CONVERSIONS = {
    "int": int, "float": float, "complex": complex, "bool": bool, "index": operator.index, "len": len, "hash": hash,
    "trunc": math.trunc, "floor": math.floor, "item": lambda v: v.item(), "item0": lambda v: v.item(0), "hex": hex,
    "item9": lambda v: v.item(9), "range": range, "subscript": lambda v: "abcdefgh"[v], "tolist": lambda v: v.tolist(),
    "format": lambda v: format(v, ".2f"), "format d": lambda v: format(v, "d"), "format ''": lambda v: format(v, ""),
    "contains": lambda v: 3 in v, "str": str, "repr": repr, "bytes": bytes, "tobytes": lambda v: v.tobytes(),
    "f-string": lambda v: f"{v} {v!r} {v!s}", "sqrt": math.sqrt, "not": operator.not_,
    "int(str)": lambda v: int(str(v)),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_numbers_are_numpys(name):
    for a in NUMBERS:
        ours, theirs = told(lambda: CONVERSIONS[name](cp.asarray(a))), told(lambda: CONVERSIONS[name](a))
        assert type(ours) is type(theirs) and repr(ours) == repr(theirs), (a, ours, theirs)


# --- copies and pickles ---

@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("form", [lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[0, 0],
                                  lambda a: a[:0]])
def test_pickles_keep_the_layout(form, protocol):
    a = np.arange(24, dtype="c8").reshape(4, 6)
    x = form(cp.array(a))
    y, b = pickle.loads(pickle.dumps(x, protocol)), pickle.loads(pickle.dumps(form(a), protocol))
    assert y.dtype == b.dtype and y.shape == b.shape and y.tobytes() == b.tobytes()
    assert (y.flags.c_contiguous, y.flags.f_contiguous) == (b.flags.c_contiguous, b.flags.f_contiguous)
    file = io.BytesIO()
    x.dump(file)
    assert pickle.loads(file.getvalue()).tobytes() == pickle.loads(x.dumps()).tobytes() == b.tobytes()


@pytest.mark.parametrize("form", [lambda a: a, lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1],
                                  lambda a: a.transpose(1, 0)[::-1]])
def test_copies_keep_the_layout(form):
    a = np.arange(24.0).reshape(4, 6)
    x, b = form(cp.array(a)), form(a)
    for how in (copy.copy, copy.deepcopy, lambda v: v.copy(), lambda v: v.copy(order="K"), lambda v: v.copy("F")):
        y, c = how(x), how(b)
        assert y.strides == c.strides and y.tolist() == c.tolist() and y.data.ptr != x.data.ptr


# --- printing ---

@settings(max_examples=150, deadline=None)
@given(st.data())
def test_printed_as_numpy_prints(data):
    name = data.draw(st.sampled_from(["bool", "int8", "uint64", "float16", "float32", "float64", "complex64",
                                      "complex128"]))
    a = data.draw(hnp.arrays(name, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)))
    x = cp.array(a)
    options = data.draw(st.fixed_dictionaries({}, optional={
        "precision": st.integers(0, 12), "threshold": st.integers(0, 50), "edgeitems": st.integers(1, 4),
        "linewidth": st.integers(20, 120), "suppress": st.booleans(), "sign": st.sampled_from(" +-"),
        "floatmode": st.sampled_from(["fixed", "unique", "maxprec", "maxprec_equal"]), "nanstr": st.just("NN"),
        "formatter": st.just({"float": "<{:.1f}>".format})}))
    with np.printoptions(**options):
        assert (str(x), repr(x), f"{x}") == (str(a), repr(a), f"{a}")
        assert cp.array_repr(x) == np.array_repr(a) and cp.array_str(x) == np.array_str(a)
        assert cp.array2string(x) == np.array2string(a)
    with cp.printoptions(**options):
        assert repr(x) == repr(a) and cp.get_printoptions() == np.get_printoptions()
    assert cp.array_repr(x, 40, 3, True) == np.array_repr(a, 40, 3, True)
    assert cp.array_str(x, 40, 3, True) == np.array_str(a, 40, 3, True)
    words = {"separator": ";", "prefix": "abc", "threshold": 5, "edgeitems": 1, "suffix": "--", "precision": 2}
    assert cp.array2string(x, **words) == np.array2string(a, **words)


@pytest.mark.parametrize("shape", [(20001,), (200, 300), (3, 40000), (40000, 3), (9, 9, 9, 9, 9), (7, 1, 50000),
                                   (100000, 1)])
@pytest.mark.parametrize("name", ["int16", "float64", "complex64", "bool"])
def test_summaries_fetch_the_ends(shape, name):
    a = (np.arange(np.prod(shape)) * 37 % 1000 / 7).astype(name).reshape(shape)
    a.reshape(-1)[a.size // 2] = 1  # in the middle, which is not shown
    if name == "float64":
        a.reshape(-1)[a.size // 2] = 1e300
    x = cp.array(a)
    for form in (lambda v: v, lambda v: v.T, lambda v: v[::-1]):
        assert (str(form(x)), repr(form(x))) == (str(form(a)), repr(form(a)))
    with np.printoptions(edgeitems=2, threshold=10, precision=3):
        assert repr(x) == repr(a)
    with np.printoptions(edgeitems=0):  # where NumPy formats every element
        assert repr(x.ravel()[:1009]) == repr(a.ravel()[:1009])
    assert cp.array2string(x, threshold=6, edgeitems=1) == np.array2string(a, threshold=6, edgeitems=1)


def test_set_printoptions():
    before = np.get_printoptions()
    try:
        cp.set_printoptions(precision=2)
        assert str(cp.array([1.23456])) == "[1.23]" == str(np.array([1.23456]))
    finally:
        np.set_printoptions(**before)
    assert cp.format_float_positional(1e16 / 3, trim="-") == np.format_float_positional(1e16 / 3, trim="-")
    assert cp.format_float_scientific(1234.5) == np.format_float_scientific(1234.5)
    assert cp.base_repr(10, 3) == "101" and cp.binary_repr(-3, width=5) == "11101"


def test_types_that_numpy_lacks_are_printed():
    x = cp.array([1, 0.1], "bfloat16")
    assert repr(x).endswith("dtype=bfloat16)") and cp.array_repr(x) == repr(x)
    big = cp.zeros(100000, "bfloat16")
    assert repr(big) == repr(np.zeros(100000, "f4")).replace("float32", "bfloat16")
