"""Every option of every reduction together, against NumPy: result, dtype and shape, or the type of the exception."""
import itertools
import warnings

import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import as_numpy_does, outcome

pytestmark = pytest.mark.filterwarnings("ignore")
DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
SUMS, EXTREMES = ["sum", "prod", "nansum", "nanprod"], ["min", "max", "nanmin", "nanmax"]
MOMENTS, PLACES, TRUTHS = ["var", "std", "nanvar", "nanstd"], ["argmin", "argmax"], ["any", "all"]
NAMES = SUMS + EXTREMES + MOMENTS + PLACES + TRUTHS + ["mean", "count_nonzero"]
STARTS = [0, 1, -1, 3, 200, 300, -129, 2**31, 2.5, float("nan"), float("inf"), True, 1j, np.int8(3),
          np.uint64(3), np.float32(2.5), np.complex64(2), np.array(3), np.array([3, 1])]
WRONG = ["axis", "axis twice", "out's shape", "out's dimensions", "mask's shape", "mask's type", "a sequence"]


def fits(start, name, dtype):
    """Starts whose outcome is more than the truth value of some Python object."""
    if name not in EXTREMES:
        return True
    if dtype == "bool":
        return isinstance(start, (bool, int))
    return True


@st.composite
def calls(draw):
    name, dtype = draw(st.sampled_from(NAMES)), draw(st.sampled_from(DTYPES))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.lists(st.sampled_from([0, 1, 2, 3, 5]), min_size=1, max_size=3).map(tuple))
    x = rng.integers(0, 2 if "prod" in name else 5, shape).astype(dtype)
    axes = list(range(len(shape)))
    axis = draw(st.one_of(st.none(), st.sampled_from(axes), st.lists(st.sampled_from(axes), unique=True).map(tuple)))
    if name in PLACES and isinstance(axis, tuple):
        axis = None
    kw = {"axis": axis, "keepdims": draw(st.booleans())}
    if name in SUMS + MOMENTS + ["mean"] and draw(st.integers(0, 2)) == 0:
        kw["dtype"] = draw(st.sampled_from(DTYPES[name not in SUMS:]))  # booleans are neither divided nor subtracted
    if name in SUMS + EXTREMES and draw(st.integers(0, 2)) == 0:
        kw["initial"] = draw(st.sampled_from([s for s in STARTS if fits(s, name, dtype)]))
    if name in MOMENTS and draw(st.booleans()):
        kw["ddof"] = draw(st.sampled_from([1, 2, 2.5]))
    if name not in PLACES + ["count_nonzero"] and draw(st.integers(0, 2)) == 0:
        kw["where"] = np.asarray(rng.random(shape[draw(st.integers(0, len(shape))):]) < 0.6)
    gone = axes if axis is None else [axis] if isinstance(axis, int) else list(axis)
    result = tuple(1 if i in gone else n for i, n in enumerate(shape) if i not in gone or kw["keepdims"])
    out = None
    if name != "count_nonzero" and draw(st.booleans()):
        out = (result, draw(st.sampled_from(DTYPES)))
    wrong = draw(st.sampled_from([None] * 12 + WRONG))
    if wrong:
        kw, out = {"axis": 0}, None
    if wrong == "axis":
        kw["axis"] = len(shape)
    elif wrong == "axis twice":
        kw["axis"] = (0, 0)
    elif wrong == "out's shape" and name != "count_nonzero":
        out = (tuple(n + 1 for n in shape[1:]) or (2,), "int64" if name in PLACES else "complex128")
    elif wrong == "out's dimensions" and name != "count_nonzero":
        out = ((1,) + shape[1:], "int64" if name in PLACES else "complex128")
    elif wrong and wrong.startswith("mask") and name not in PLACES + ["count_nonzero"]:
        kw["where"] = np.ones(9, bool) if wrong.endswith("shape") else np.ones(shape)
        if name in EXTREMES:
            kw["initial"] = 1
    elif wrong == "a sequence" and name in SUMS:
        kw["initial"] = np.array([1, 2])
    if x.dtype.kind in "fc" and x.size and (out is None or out[1][0] in "fc") and kw.get("dtype", "f")[0] in "fc":
        x[rng.random(shape) < draw(st.sampled_from([0, 0.2, 1]))] = np.nan
    return name, x, kw, out


def reduced(xp, name, x, kw, out):
    """The type of the exception, or the value; and what stands in out."""
    kw = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in kw.items()}
    to = None
    if out:
        to = kw["out"] = xp.zeros(out[0], dtype=out[1])
    r = outcome(getattr(xp, name), xp.asarray(x), **kw)
    if isinstance(r, type):
        return r, None
    assert to is None or r is to
    return None, np.asarray(r if xp is np else cp.asnumpy(r))


@settings(max_examples=1000, deadline=None)
@given(calls())
def test_options_together(call):
    name, x, kw, out = call
    if x.size == 0 and name in SUMS and isinstance(kw.get("initial"), float) and x.dtype.kind == "c":
        kw.pop("initial")   # 1 * inf is inf + nan*j; NumPy multiplies nothing there
    (error, want), (ours, got) = (reduced(xp, *call) for xp in (np, cp))
    assert ours is error, (call, ours, error)
    if error:
        return
    assert got.dtype == want.dtype and got.shape == want.shape, call
    if name in MOMENTS + ["mean"] and np.dtype(kw.get("dtype", "f8")).kind in "iu":
        return              # NumPy divides in between and cuts, each step for itself
    by_floats = name in MOMENTS + ["mean"] or x.dtype.kind in "fc" or np.dtype(kw.get("dtype", "?")).kind in "fc"
    if want.dtype.kind in "biu" and by_floats:
        plain = reduced(np, name, x, {k: v for k, v in kw.items() if k not in ("dtype", "out")}, None)[1]
        if plain is None or not (abs(plain) < 100).all():
            return      # NaN and what is too large have no value as an integer
    types = [np.dtype(t) for t in (x.dtype, want.dtype, kw.get("dtype", "f8"))]
    narrow = min([t.itemsize // (1 + (t.kind == "c")) for t in types if t.kind in "fc"], default=8)
    exact = name in EXTREMES + PLACES + TRUTHS + ["count_nonzero"]
    rtol = 0 if exact else {2: 4e-3, 4: 1e-6, 8: 1e-13}[narrow]
    # what is rounded to an integer may be one off where the mean or deviation was rounded before
    atol = 1 if want.dtype.kind in "iu" and name in MOMENTS + ["mean"] else 0 if exact else rtol
    if want.dtype.kind in "biu" and not atol:
        np.testing.assert_array_equal(got, want, str(call))
    elif want.dtype.kind != "b":
        got, want = got.astype("D"), want.astype("D")
        if name in MOMENTS:     # NumPy divides the complex number by no degree of freedom: 0 / 0 beside the real part
            assert not np.nan_to_num(got.imag).any() and not np.nan_to_num(want.imag).any(), call
            got, want = got.real, want.real
        np.testing.assert_allclose(got, want, rtol=rtol, atol=atol, err_msg=str(call))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int64", "uint64", "float32"])
@pytest.mark.parametrize("name", SUMS + EXTREMES)
@pytest.mark.parametrize("start", [2**63, 2**63 - 1, -2**63, 2**64, -2**63 - 1, np.uint64(2**63), np.array(2**63)],
                         ids=str)
def test_starts_beyond_int64(name, dtype, start):
    """An integer is compared with the result's type, whatever the elements' type is."""
    if name in EXTREMES and dtype == "bool" and not -2**63 <= int(start) < 2**64:
        pytest.skip("NumPy takes the truth value of an integer that no type of it holds")
    if name in EXTREMES and dtype == "uint8" and isinstance(start, np.uint64):
        pytest.skip("NumPy wraps scalars of its own without a word; ours is an OverflowError, as for Python's integer")
    x = np.array([1, 1, 0]).astype(dtype)
    (error, want), (ours, got) = (reduced(xp, name, x, {"initial": start}, None) for xp in (np, cp))
    assert ours is error
    assert error or (got.dtype == want.dtype and got == want)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["bool", "int16", "uint64", "float16", "float64", "complex64"])
def test_every_out(name, dtype):
    """Which types take a result: any of a sum, no integers of a root, for an index those that int64 casts to."""
    if name == "count_nonzero":
        pytest.skip("it has no out")
    x = np.array([[1, 0, 3], [2, 5, 1]]).astype(dtype)
    for out, kw in itertools.product(DTYPES, ({"axis": 0}, {"axis": 1, "keepdims": True})):
        shape = (3,) if kw["axis"] == 0 else (2, 1)
        (error, want), (ours, got) = (reduced(xp, name, x, kw, (shape, out)) for xp in (np, cp))
        assert ours is error, out
        if not error and (out != "bool" or name not in MOMENTS + ["mean"]):
            off = want.dtype.kind in "iu" and name in MOMENTS
            np.testing.assert_allclose(got.astype("D"), want.astype("D"), rtol=4e-3, atol=off, err_msg=out)


@pytest.mark.parametrize("name", PLACES)
def test_types_of_places(name):
    """dtype= is CuPy's argument: the indices converted."""
    x = np.array([[1.5, 2.5, 0], [4, 1, 7]])
    for t in DTYPES:
        for axis in (None, 0, 1):
            got = getattr(cp, name)(cp.asarray(x), axis=axis, dtype=t)
            want = np.asarray(getattr(np, name)(x, axis=axis)).astype(t)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(cp.asnumpy(got), want)


@pytest.mark.parametrize("out", ["?", "u1", "i1", "u2", "i2", "i8", "f2", "f4", "c8"])
@pytest.mark.parametrize("name", ["min", "max", "sum", "prod", "nanmax"])
def test_starts_lie_in_out_first(name, out):
    """A start that `out` cannot hold is converted to its type first, before the reduction."""
    for dtype in ("?", "i1", "u1", "i4", "f4", "c8"):
        for start in (-1, 300, 2.5, -7.9, 1e30, True, np.float32(3.5), np.int8(-3)):
            if start == 1e30 and np.dtype(out).kind != "f":
                continue  # undefined in C
            def call(xp):
                y = xp.zeros((), out)
                getattr(xp, name)(xp.array([4], dtype), initial=start, out=y)
                return np.asarray(y.get() if xp is cp else y).item()
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                ours, theirs = result(call, cp), result(call, np)
            assert ours == theirs, (dtype, start, ours, theirs)


def result(call, xp):
    try:
        return call(xp)
    except Exception as e:
        return type(e)


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u4", "i8", "u8"])
@pytest.mark.parametrize("x", [np.arange(24).reshape(2, 3, 4) - 5, np.arange(24.).reshape(2, 3, 4) * 37.5,
                               np.arange(24, dtype="u1").reshape(2, 3, 4), np.arange(6).reshape(2, 3) > 1,
                               np.arange(6).reshape(2, 3) * (1 + 1j), np.zeros((0, 3)), np.array(3.5)], ids=range(7))
def test_means_in_integers(dtype, x):
    """NumPy divides a sum that wraps."""
    for order in "CF":
        for options in ({"axis": 0}, {}, {"axis": -1, "keepdims": True}, {"axis": ()}):
            as_numpy_does(lambda xp: xp.mean(xp.asarray(x, order=order), dtype=dtype, **options))
    if x.ndim == 3:
        as_numpy_does(lambda xp: xp.mean(xp.asarray(x), axis=1, dtype=dtype,
                                         where=xp.asarray(np.arange(3)[:, None] != 1)))
        as_numpy_does(lambda xp: xp.mean(xp.asarray(x), axis=1, dtype=dtype, out=xp.zeros((2, 4), "f8")))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "i4", "i8", "u8", "f2", "f4", "f8"])
def test_sums_and_means_in_float16(dtype):
    """Elements become float16 first, a mean's sum is one: both may overflow. Sums of few, so that no order shows."""
    for x in ([3, 70000, 5], [2049, 2051], [70000, -70000], [40000, 40000], [1], [2**31 - 1, 7], [1000] * 60,
              [-3, 5, 4]):
        x = np.array(x, "i8").astype(dtype)
        for name in ("sum", "mean", "nansum"):
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), dtype="f2"))
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(np.stack([x, x])), axis=1, dtype="f2"))
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(np.stack([x, x])), axis=0, dtype="f2"))
            if name != "nansum":
                as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray(x), dtype="f2", where=xp.asarray(x != 5)))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_nothing_leaves_the_start_as_out_has_it():
    for dtype in ("i1", "i8", "u1", "f4", "F"):
        for out in ("u8", "i8", "i1", "u1", "f2", "f8", "D"):
            for name in ("sum", "prod", "max", "nansum"):
                for initial in (-3, 2.5, 1 + 2j):
                    call = (name, np.zeros((2, 0), dtype), {"axis": 1, "initial": initial}, ((2,), out))
                    (error, want), (ours, got) = (reduced(xp, *call) for xp in (np, cp))
                    assert ours is error, call
                    if error is None:
                        np.testing.assert_array_equal(got, want, err_msg=str(call))


@pytest.mark.parametrize("dtype", ["f4", "d", "i4", "F"])
@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_a_correction_that_was_given(name, dtype):
    """NaN and None are no defaults."""
    for given in ({"correction": float("nan")}, {"ddof": float("nan")}, {"correction": None}, {"ddof": None},
                  {"ddof": 0, "correction": float("nan")}, {"ddof": 1, "correction": float("nan")},
                  {"ddof": 0, "correction": None}, {"correction": float("inf")}):
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([1, 2, 4, 7]).astype(dtype), **given))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([[1, 2, 4, 7]] * 3).astype(dtype), axis=0, **given))
        as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([1, 2, 4, 7]).astype(dtype), where=xp.ones(4, "?"),
                                                   **given))
        if dtype != "F":
            as_numpy_does(lambda xp: getattr(xp, name)(xp.asarray([1, 2, 4, 7]).astype(dtype),
                                                       mean=xp.asarray([3.5]), **given))


@pytest.mark.parametrize("shape", [0, (0, 3), (3, 0), (0, 0), 3, (2, 3), ()], ids=str)
@pytest.mark.parametrize("dtype", ["d", "f4", "i4", "?", "F"])
def test_no_start_at_all(dtype, shape):
    """initial=None: not even the identity, so that something must take part."""
    for name in ("sum", "prod", "nansum", "nanprod", "min", "max", "nanmax"):
        ones = lambda xp: -xp.zeros(shape, dtype) if dtype in "df4F" else xp.ones(shape, dtype)  # noqa: E731
        for axis in (None, 0, -1, ()):
            for given in ({}, {"where": True}, {"where": False}, {"keepdims": True}):
                as_numpy_does(lambda xp: getattr(xp, name)(ones(xp), axis=axis, initial=None, **given))
            as_numpy_does(lambda xp: getattr(xp, name)(ones(xp), axis=axis, initial=None, where=xp.ones((), "?")))
            if name in ("sum", "prod", "nansum", "nanprod") and dtype != "F":
                as_numpy_does(lambda xp: getattr(xp, name)(ones(xp), axis=axis, initial=None, dtype="f4"))
                as_numpy_does(lambda xp: getattr(xp, name)(ones(xp), axis=axis, initial=None, dtype="i4"))
                as_numpy_does(lambda xp: getattr(xp, name)(ones(xp), axis=axis, initial=None, dtype="?"))
    for name in ("add", "multiply", "maximum"):
        as_numpy_does(lambda xp: getattr(xp, name).reduce(xp.ones(shape, dtype), initial=None))
        as_numpy_does(lambda xp: getattr(xp, name).reduce(xp.ones(shape, dtype), initial=None, where=xp.ones((), "?")))
    if shape:
        as_numpy_does(lambda xp: np.signbit(_host(xp.sum(-xp.zeros(shape), axis=-1, initial=None))).tolist())


def _host(x):
    return x.get() if isinstance(x, cp.ndarray) else x
