"""Reductions against NumPy: every operation, type, layout and choice of axes; on the CPU and each GPU."""
import cuprite as cp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import outcome

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
OPERATIONS = ["sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "any", "all", "count_nonzero"]
WITHOUT_NAN = ["nansum", "nanprod", "nanmin", "nanmax", "nanvar", "nanstd"]
OPERATIONS += WITHOUT_NAN
EXTREMES = ("min", "max", "nanmin", "nanmax")
SPECIAL = [np.nan, np.inf, -np.inf, -0.0, 0.0]

pytestmark = pytest.mark.filterwarnings("ignore")


def data(rng, shape, dtype, special):
    dtype = np.dtype(dtype)
    if dtype == bool:
        return rng.random(shape) < rng.choice([0.0, 0.5, 0.99, 1.0])
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = [(info.min, info.max), (max(info.min, -3), 3)][rng.integers(2)]
        return rng.integers(low, high, size=shape, dtype=dtype, endpoint=True)
    x = rng.standard_normal(shape) * rng.choice([1, 30]) + rng.choice([0, 4])
    if rng.random() < 0.4:
        x = np.round(x)
    if dtype.kind == "c":
        x = x + 1j * np.round(rng.standard_normal(shape))
    x = np.array(x, dtype)
    if special and x.size and rng.random() < 0.3:
        x.flat[rng.integers(x.size)] = SPECIAL[rng.integers(len(SPECIAL))]
    return x


@st.composite
def calls(draw):
    """(operation, array, keyword arguments)"""
    name = draw(st.sampled_from(OPERATIONS))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    large = draw(st.integers(0, 4)) == 0
    shape = draw(st.sampled_from([(200000,), (300, 1100), (1100, 300), (5, 70000), (70000, 5), (20, 30, 400),
                                  (3, 2, 50000)]) if large else st.one_of(
        st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 17, 33, 130]), max_size=2).map(tuple),
        st.lists(st.sampled_from([1, 2, 3, 4, 9, 17]), max_size=5).map(tuple)))
    x = data(rng, shape, draw(st.sampled_from(DTYPES)), True)
    if name in WITHOUT_NAN and x.dtype.kind in "fc" and x.size:
        x[rng.random(shape) < rng.choice([0.0, 0.1, 0.9, 1.0])] = np.nan
    if name in ("prod", "nanprod") and x.dtype.kind in "fc":   # no product on the way may pass the range of float64
        x = np.where(np.isfinite(x), rng.choice([1, -1, 0.5, 2], shape), x).astype(x.dtype)
    x = x[tuple(slice(None, None, draw(st.sampled_from([1, 1, 1, -1, 2, -3]))) for _ in shape)]
    if x.ndim > 1 and draw(st.booleans()):
        x = x.transpose(draw(st.permutations(range(x.ndim))))
    x = np.asarray(x)
    kw = {}
    if x.ndim and draw(st.booleans()):
        if name.startswith("arg"):
            kw["axis"] = draw(st.integers(-x.ndim, x.ndim - 1))
        else:
            kw["axis"] = tuple(draw(st.lists(st.sampled_from(range(x.ndim)), unique=True, max_size=x.ndim)))
    kw["keepdims"] = draw(st.booleans())
    if name.endswith(("var", "std")):
        kw["ddof"] = draw(st.sampled_from([0, 1, 2.5]))
    if name in ("sum", "prod", "nansum", "nanprod", *EXTREMES) and draw(st.integers(0, 4)) == 0:
        kw["initial"] = 2
    if not name.startswith("arg") and name != "count_nonzero" and draw(st.integers(0, 4)) == 0:
        kw["where"] = np.asarray(rng.random(x.shape[draw(st.integers(0, x.ndim)):]) < 0.6)
        if name in EXTREMES:
            kw["initial"] = 1
    return name, x, kw


def layout(x):
    """x on the device with the same strides."""
    if x.ndim == 0 or x.size == 0:
        return cp.asarray(x)
    steps = tuple(slice(None, None, -1) if s < 0 else slice(None) for s in x.strides)
    order = np.argsort([-abs(s) for s in x.strides], kind="stable")
    return cp.asarray(np.ascontiguousarray(x[steps].transpose(order))).transpose(tuple(np.argsort(order)))[steps]


def ours(name, x, kw):
    kw = {k: cp.asarray(v) if k == "where" else v for k, v in kw.items()}
    return cp.asnumpy(getattr(cp, name)(layout(x), **kw))


def check(name, x, kw):
    try:
        want = np.asarray(getattr(np, name)(x, **kw))
    except ValueError:
        with pytest.raises(ValueError):
            ours(name, x, kw)
        return
    got = ours(name, x, kw)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.kind in "biu" or name in EXTREMES:
        np.testing.assert_array_equal(got, want)
        return
    # sums with more digits, so that NumPy's own rounding does not count; products with the range that ours have
    real, pairs = ("float64", "complex128") if "prod" in name else ("longdouble", "clongdouble")
    wide = x.astype(pairs if x.dtype.kind == "c" else real)
    oracle = name.removeprefix("nan") if x.dtype.kind in "biu" else name  # nanvar of integers is var, for want of a NaN
    exact = np.asarray(getattr(np, oracle)(wide, **kw))
    # NumPy divides by n + 0j, so that a part that is not finite spoils the other
    if name == "mean" and x.dtype.kind == "c":
        exact = np.empty(np.shape(exact), wide.dtype)
        exact.real, exact.imag = np.mean(wide.real, **kw), np.mean(wide.imag, **kw)
    part = {"complex64": "float32", "complex128": "float64"}.get(want.dtype.name, want.dtype.name)
    size = np.abs(np.where(np.isfinite(x), x, 0).astype("complex128" if x.dtype.kind == "c" else "float64"))
    axes = {"axis": kw.get("axis"), "keepdims": kw["keepdims"]}
    if name in ("sum", "mean", "nansum"):
        # the terms' rounding, and one rounding to the result's type; a mean divides both
        terms = np.sum(size, **axes) + abs(kw.get("initial", 0))
        count = np.sum(np.broadcast_to(kw.get("where", True), x.shape), **axes) if name == "mean" else 1
        bound = 2e-16 * terms * 8 / np.maximum(count, 1)
    elif name in ("prod", "nanprod"):
        bound = 1e-13 * np.where(np.isfinite(exact), np.abs(exact), 0)
    else:
        # deviations of large numbers: those of the mean's rounding
        mean = np.max(size, initial=0)
        bound = 16e-16 * mean * mean
        if name.endswith("std"):  # a root halves the relative error, and of nothing makes its own root
            with np.errstate(divide="ignore", invalid="ignore"):
                bound = np.fmin(np.sqrt(bound), bound / np.abs(exact).astype("float64"))
    for g, w in zip((got.real, got.imag), (exact.real, exact.imag)):
        g = g.astype("float64")
        finite = np.isfinite(w)
        tiny = float(np.finfo(part).smallest_subnormal)
        with np.errstate(over="ignore"):
            near = np.abs(g - w) <= bound + np.finfo(part).eps * np.abs(w) + tiny
            rounds_up = np.isinf(g) & (np.abs(w) >= 0.999 * float(np.finfo(part).max)) & (np.sign(g) == np.sign(w))
        same = (g == w) | (np.isnan(g) & np.isnan(w))
        # a product of complex infinities has parts that depend on the order: it is not finite, no more
        open_ = ~np.isfinite(exact) & ~np.isfinite(got) if want.dtype.kind == "c" and "prod" in name else False
        # an infinite part divided by a count leaves NaN in the other one or not, as NumPy has it for the type
        numpys = False
        if name == "mean" and want.dtype.kind == "c":
            alike = [(a == b) | np.isnan(a) & np.isnan(b) for a, b in ((got.real, want.real), (got.imag, want.imag))]
            numpys = ~np.isfinite(exact) & alike[0] & alike[1]
        assert np.all(np.where(finite, near | rounds_up, same) | open_ | numpys), (name, x.dtype, kw)


@settings(max_examples=600, deadline=None)
@given(calls())
def test_against_numpy(call):
    check(*call)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_types(name, dtype):
    x = data(np.random.default_rng(5), (7, 40), dtype, False)
    for axis in (None, 0, 1):
        check(name, x, {"axis": axis, "keepdims": False})


@pytest.mark.parametrize("name", ["sum", "prod", "std", "max", "argmin", "count_nonzero", "nansum", "nanmax"])
def test_columns_of_every_width(name):
    """Widths that fill no warp, odd heights, heights that are cut into parts; several reduced and kept dimensions."""
    rng = np.random.default_rng(4)
    shapes = [(n, width) for width in (2, 3, 5, 7, 17, 31, 32, 33, 50, 65, 100, 129, 300) for n in (3, 40, 1025)]
    shapes += [(100003, 3), (50021, 10), (20011, 50), (5, 4001, 3), (31, 2, 700), (3000, 700)]
    for shape in shapes:
        x = data(rng, shape, rng.choice(["int8", "float16", "float32", "float64", "int64", "complex64"]), False)
        if name == "prod":
            x = rng.choice([1, -1, 0.5, 2], shape).astype("float64")
        for axis in (0,) if len(shape) == 2 else (0, 1, (0, 1)):
            if not (name == "argmin" and isinstance(axis, tuple)):
                check(name, x, {"axis": axis, "keepdims": False})


@pytest.mark.parametrize("name", ["sum", "std", "min", "argmax", "any", "nansum"])
def test_many_short_rows(name):
    rng = np.random.default_rng(6)
    types = ("uint8", "float16", "float32", "float64", "complex64")
    for k, (n, width) in enumerate(((65536, 1), (65537, 2), (70001, 3), (131073, 4), (99999, 5), (66000, 16),
                                    (270337, 7))):
        for dtype in sorted({types[k % 5], types[(k + 2) % 5], "float32"}):
            x = data(rng, (n, width), dtype, False)
            check(name, x[:, ::-1] if dtype == types[k % 5] else x, {"axis": 1, "keepdims": False})


@pytest.mark.parametrize("name", WITHOUT_NAN)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64", "complex128"])
def test_without_nan(name, dtype):
    rng = np.random.default_rng(8)
    for shape in [(1,), (33,), (300007,), (40, 3000), (3000, 40), (20000, 3), (6, 50, 70)]:
        x = np.round(rng.standard_normal(shape) * 3) if "prod" not in name else rng.choice([1, -1, 0.5, 2], shape)
        x = (x + 1j * np.round(rng.standard_normal(shape)) if dtype[0] == "c" and "prod" not in name
             else x).astype(dtype)
        x[rng.random(shape) < 0.2] = np.nan
        if dtype[0] == "c":
            x.imag[rng.random(shape) < 0.1] = np.nan    # a number with one part unknown is unknown
        x[..., -1] = np.nan
        x[:1] = np.nan
        for axis in (None, 0, -1):
            check(name, x, {"axis": axis, "keepdims": False})
        check(name, np.full_like(x, np.nan), {"axis": 0, "keepdims": True})


def test_without_nan_as_other_types():
    """What is NaN takes no part before the conversion to dtype, not after it."""
    x = np.array([[1.5, np.nan, 0.0], [np.nan, np.nan, np.nan], [2.0, 3.7, np.nan]])
    for dtype in ("int8", "uint16", "int64", "bool", "float16", "float32", "complex64"):
        for name in ("nansum", "nanprod"):
            for kw in ({}, {"axis": 0}, {"axis": 1}, {"axis": 1, "where": np.array([True, True, False])}):
                want = getattr(np, name)(x, dtype=dtype, **kw)
                got = getattr(cp, name)(cp.asarray(x), dtype=dtype,
                                        **{k: cp.asarray(v) if k == "where" else v for k, v in kw.items()})
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(cp.asnumpy(got), want)
    for name in ("nansum", "nanprod"):     # zeros have the sign that NumPy gives them
        got, want = getattr(cp, name)(cp.asarray([-0.0])), getattr(np, name)(np.array([-0.0]))
        assert np.signbit(float(got)) == np.signbit(want)
        assert np.signbit(float(getattr(cp,
                                        name)(cp.asarray([-0.0,
                                                          np.nan])))) == np.signbit(getattr(np, name)([-0.0, np.nan]))
    out = cp.zeros(3)
    assert cp.nanmax(cp.asarray(x), axis=1, out=out) is out
    np.testing.assert_array_equal(cp.asnumpy(out), np.nanmax(x, axis=1))
    with pytest.raises(ValueError, match="zero-size array to reduction operation fmin which has no identity"):
        cp.nanmin(cp.zeros((0, 3)), axis=0)
    with pytest.raises(ValueError):
        cp.nanmax(cp.asarray(x), where=cp.ones(3, dtype=bool))
    assert not hasattr(cp.ndarray, "nansum")


def test_ufunc_reduce_without_nan():
    x = np.array([[1.5, np.nan], [np.nan, np.nan], [-2.0, 3.0]], "float32")
    for name in ("fmin", "fmax"):
        for axis in (0, 1, None):
            np.testing.assert_array_equal(cp.asnumpy(getattr(cp, name).reduce(cp.asarray(x), axis=axis)),
                                          getattr(np, name).reduce(x, axis=axis))
    np.testing.assert_array_equal(cp.asnumpy(np.nansum(cp.asarray(x), axis=1)), np.nansum(x, axis=1))


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "min", "argmax", "nansum", "nanmax"])
def test_bfloat16(name):
    x = np.random.default_rng(1).integers(1, 4, (5, 6)).astype("float32")
    a = cp.asarray(x).astype("bfloat16")
    got = getattr(cp, name)(a, axis=1)
    assert str(got.dtype) == ("int64" if name == "argmax" else "bfloat16")
    np.testing.assert_allclose(cp.asnumpy(got.astype("float32")), getattr(np, name)(x, axis=1), rtol=8e-3)


def test_dtype_and_out():
    x = np.arange(12, dtype="int16").reshape(3, 4)
    a = cp.asarray(x)
    for dtype in ("int8", "float32", "complex64", "bool"):
        for name in ("sum", "prod"):
            got, want = getattr(cp, name)(a, axis=0, dtype=dtype), getattr(np, name)(x, axis=0, dtype=dtype)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(cp.asnumpy(got), want)
    f = np.array([1.7, 2.6, -3.9])
    assert int(cp.sum(cp.asarray(f), dtype="int64")) == np.sum(f, dtype="int64")
    assert cp.mean(a, dtype="float32").dtype == np.float32
    out = cp.zeros(4, dtype="float32")
    assert cp.sum(a, axis=0, out=out) is out
    np.testing.assert_array_equal(cp.asnumpy(out), x.sum(0))
    with pytest.raises(ValueError):
        cp.sum(a, axis=0, out=cp.zeros(3))
    big = cp.asarray(np.arange(20.0).reshape(4, 5))
    cp.sum(big, axis=0, out=big[0])       # the result's memory is part of the input
    np.testing.assert_array_equal(cp.asnumpy(big[0]), np.arange(20.0).reshape(4, 5).sum(0))


def reduced(xp, name, x, **kw):
    """Type and value of a reduction, or the type of the exception."""
    kw = {k: xp.asarray(v) if isinstance(v, np.ndarray) else v for k, v in kw.items()}
    got = outcome(getattr(xp, name), xp.asarray(x), **kw)
    if isinstance(got, type):
        return got
    got = np.asarray(got if xp is np else cp.asnumpy(got))
    return got.dtype, got.tolist()


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "uint64", "float32"])
@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
@pytest.mark.parametrize("initial", [-5, 0, 100, 300, -129, 2**40, 2.5, float("nan"), float("inf")])
def test_initial(name, dtype, initial):
    """A Python number that is no value of the result's type is an error, as NumPy says it."""
    x = np.array([1, 2], dtype)
    want, got = reduced(np, name, x, initial=initial), reduced(cp, name, x, initial=initial)
    if not isinstance(want, tuple):
        assert got is want
    elif want[1] == want[1]:
        assert got == want
    else:
        assert got[0] == want[0] and np.isnan(got[1])


@pytest.mark.parametrize("out", ["int8", "int32", "int64", "uint64", "float32", "complex64", "bool"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean", "var", "min", "max", "any", "all", "argmin", "argmax",
                                  "nansum"])
def test_out_of_another_type(name, out):
    """Results go into any type; indices only into one that int64 casts to."""
    x = np.array([[1.5, 2.5], [3.25, -4.75]])
    kw = {"axis": 0} if name.startswith("arg") else {}
    shape = (2,) if kw else ()
    want, got = (reduced(xp, name, x, out=np.zeros(shape, out), **kw) for xp in (np, cp))
    if isinstance(want, tuple):
        assert got == want
    else:
        assert issubclass(got, want)


def test_types_asked_for():
    x = np.array([1.5, 2.5, 4.0])
    for name in ("var", "std"):
        for t in ("F", "D", "f", "d"):
            got, want = getattr(cp, name)(cp.asarray(x), dtype=t), getattr(np, name)(x, dtype=t)
            assert got.dtype == want.dtype
            np.testing.assert_allclose(cp.asnumpy(got), want, rtol=1e-6)
    assert cp.argmax(cp.asarray(x), dtype="int32").dtype == np.int32      # CuPy's argument
    assert int(cp.argmin(cp.asarray(x), dtype="int8")) == 0


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax", "nanmin", "nanmax"])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_nan_in_one_part(name, dtype):
    """A number whose imaginary part is NaN is NaN, wherever it stands and however rows are cut."""
    for n in (2, 3, 9, 40, 1000, 5001):
        for at in (0, n // 2, n - 1):
            x = (np.arange(n) % 7 + 3).astype(dtype)
            x[at] = complex(2, np.nan)
            for y, axis in ((x, None), (np.stack([x, x[::-1], x + 1]), 1), (np.stack([x, x[::-1], x + 1]).T.copy(), 0)):
                want, got = getattr(np, name)(y, axis=axis), cp.asnumpy(getattr(cp, name)(cp.asarray(y), axis=axis))
                np.testing.assert_array_equal(got, want)


def bits(x):
    """The numbers of a complex array; a NaN is identified by the part that is not NaN."""
    x = np.atleast_1d(x)
    return repr([x.dtype, x.real.tolist(), x.imag.tolist()])


@pytest.mark.parametrize("name", EXTREMES)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_the_first_of_several_nan(name, dtype):
    """The position decides which NaN it is, the start first, however vectors, blocks and parts are combined."""
    rng = np.random.default_rng(5)
    for n, share in ((1, 1), (2, 1), (4, 1), (4, 0.5), (9, 0.6), (40, 0.2), (300, 1), (5001, 0.001), (5001, 1),
                     (300000, 0.001)):
        x = (rng.integers(-9, 9, n) + 1j * rng.integers(-9, 9, n)).astype(dtype)
        nan = rng.random(n) < share
        part = rng.integers(0, 3, n)
        x.real[nan & (part != 1)] = np.nan
        x.imag[nan & (part != 0)] = np.nan
        cases = [(x, None), (np.stack([x, x[::-1], -x]), 1), (np.ascontiguousarray(np.stack([x, x[::-1], -x] * 6).T),
                                                              0)]
        if n == 300:
            cases += [(x.reshape(10, 5, 6), (0, 2)), (x.reshape(10, 5, 6), 1), (x[::2], None)]
        for y, axis in cases:
            want, got = getattr(np, name)(y, axis=axis), cp.asnumpy(getattr(cp, name)(cp.asarray(y), axis=axis))
            assert bits(got) == bits(want), (n, share, axis)
            where = rng.random(y.shape) < 0.5
            for start in (1, complex(5, np.nan), complex(np.nan, 6)):
                kw = {"axis": axis, "initial": start}
                want = getattr(np, name)(y, where=where, **kw)
                got = getattr(cp, name)(cp.asarray(y), where=cp.asarray(where), **kw)
                assert bits(cp.asnumpy(got)) == bits(want), (n, share, axis, start)
    x = cp.asarray([0, complex(7, np.nan), complex(1, np.nan), complex(9, np.nan)])
    assert bits(cp.max(x).get()) == bits(x[cp.argmax(x)].get())


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("x", ["complex64", "complex128"])
def test_complex_moments_of_a_real_type(name, x):
    """NumPy's mean loses its imaginary part, the elements keep theirs."""
    rng = np.random.default_rng(6)
    for shape, axis in (((3,), None), ((40, 30), 0), ((30, 40), 1), ((5000,), None), ((7, 6, 5), (0, 2))):
        a = (rng.standard_normal(shape) + 3 + 1j * (rng.standard_normal(shape) + 100)).astype(x)
        if name.startswith("nan"):
            a[rng.random(shape) < 0.2] = np.nan
        where = rng.random(shape) < 0.8
        for dtype in ("f4", "f8"):
            for kw in ({}, {"ddof": 1}, {"keepdims": True}, {"where": where}):
                ours = {k: cp.asarray(v) if k == "where" else v for k, v in kw.items()}
                want = getattr(np, name)(a, axis=axis, dtype=dtype, **kw)
                got = getattr(cp, name)(cp.asarray(a), axis=axis, dtype=dtype, **ours)
                assert got.dtype == want.dtype and got.shape == want.shape
                np.testing.assert_allclose(got.get(), want, rtol=1e-5 if dtype == "f4" or x == "complex64" else 1e-12)
    with pytest.warns(np.exceptions.ComplexWarning):
        getattr(cp, name)(cp.ones(3, x), dtype="f8")


def test_order_of_results():
    """The axes that stay lie in memory as those of x did, except for indices, as in NumPy."""
    for shape in ((2, 3, 4), (3, 1, 2), (2, 3, 4, 5)):
        x = np.arange(np.prod(shape)).reshape(shape) + 1.0
        n = len(shape)
        for axes in ([*range(n)], [*range(n)][::-1], [1, 0, *range(2, n)], [*range(1, n), 0]):
            for name in [*OPERATIONS, "ptp"]:
                for axis in range(len(shape)):
                    for keep in ({}, {"keepdims": True}):
                        want = getattr(np, name)(x.transpose(axes), axis=axis, **keep)
                        got = getattr(cp, name)(cp.asarray(x).transpose(axes), axis=axis, **keep)
                        said = [[s for s, n in zip(r.strides, r.shape) if n > 1] for r in (got, want)]
                        assert said[0] == said[1], (name, shape, axes, axis, got.strides, want.strides)
                        np.testing.assert_allclose(got.get(), want)
            for name in ("sort", "partition", "argsort"):
                further = (0,) if name == "partition" else ()
                for axis in range(len(shape)):
                    want = getattr(np, name)(-x.transpose(axes), *further, axis=axis)
                    got = getattr(cp, name)(-cp.asarray(x).transpose(axes), *further, axis=axis)
                    said = [[s for s, n in zip(r.strides, r.shape) if n > 1] for r in (got, want)]
                    assert said[0] == said[1], (name, shape, axes, axis, got.strides, want.strides)
                    np.testing.assert_array_equal(got.get(), want)
            for name in ("concatenate", "stack", "hstack", "vstack", "dstack") if 1 not in shape else ():
                want = getattr(np, name)([x.transpose(axes)] * 2)
                got = getattr(cp, name)([cp.asarray(x).transpose(axes)] * 2)
                said = [[s for s, n in zip(r.strides, r.shape) if n > 1] for r in (got, want)]
                assert said[0] == said[1], (name, shape, axes, got.strides, want.strides)
                np.testing.assert_array_equal(got.get(), want)


def test_axes_of_no_axes():
    """An axis 0 of a 0-d array is one where NumPy repeats an operation, and none where it takes a mean."""
    x = np.array(1.5)
    for name in [*OPERATIONS, "median", "ptp"]:
        for axis in (0, -1, 1, -2, ()):
            want, got = outcome(getattr(np, name), x, axis=axis), outcome(getattr(cp, name), cp.asarray(x), axis=axis)
            if isinstance(want, type) or isinstance(got, type):
                assert got is want, (name, axis, got, want)
            else:
                assert float(got) == float(want)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "bool"])
def test_means_of_integers_are_exact(dtype):
    rng = np.random.default_rng(11)
    for shape, axis in (((100003,), None), ((50, 3000), 1), ((3000, 50), 0), ((30000, 5), 1)):
        x = rng.integers(0, 2, shape).astype(bool) if dtype == "bool" else \
            rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, shape, dtype, endpoint=True)
        n = x.size if axis is None else x.shape[axis]
        want = np.asarray(x.astype(object).sum(axis=axis), dtype=object)
        got = cp.asnumpy(cp.mean(cp.asarray(x), axis=axis))
        exact = np.array([int(v) / n for v in want.ravel()]).reshape(want.shape)
        np.testing.assert_allclose(got, exact, rtol=0 if x.itemsize <= 2 else 1e-13, atol=0 if x.itemsize <= 2 else
                                   1e-13 * float(np.abs(x.astype("f8")).max()))
        for t in ("float32", "complex64"):
            part = np.asarray(want, dtype=float)
            np.testing.assert_allclose(cp.asnumpy(cp.sum(cp.asarray(x), axis=axis, dtype=t)), part, rtol=1e-6,
                                       atol=1e-7 * float(np.abs(x.astype("f8")).max()) * n**0.5)
    small = np.array([3, 1, 2], dtype)
    assert float(cp.prod(cp.asarray(small), dtype="float64")) == np.prod(small, dtype="float64")


def test_errors():
    a = cp.zeros((2, 3))
    with pytest.raises(np.exceptions.AxisError):
        a.sum(axis=2)
    with pytest.raises(ValueError, match="duplicate|twice|repeated"):
        a.sum(axis=(0, 0))
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum which has no identity"):
        cp.zeros((0, 3)).max(axis=0)
    with pytest.raises(ValueError, match="attempt to get argmax of an empty sequence"):
        cp.zeros(0).argmax()
    with pytest.raises(ValueError):
        a.max(where=cp.ones(3, dtype=bool))
    with pytest.raises(TypeError):
        a.sum(where=cp.ones(3))
    with pytest.raises(ValueError):
        a.sum(where=cp.ones(4, dtype=bool))
    assert float(a.sum()) == 0


def test_accuracy():
    rng = np.random.default_rng(3)
    x = rng.random(1 << 20, dtype="float32") + np.float32(1000)
    a = cp.asarray(x)
    assert float(cp.sum(a)) == float(np.float32(x.sum(dtype="float64")))
    np.testing.assert_allclose(float(cp.var(a)), x.var(dtype="float64"), rtol=2e-7)
    far = rng.standard_normal(1 << 18) + 1e8     # NumPy's two passes keep some 16 digits of the deviations
    exact = np.var((far - 1e8).astype("longdouble"))
    np.testing.assert_allclose(float(cp.var(cp.asarray(far))), float(exact), rtol=1e-13)


@pytest.mark.parametrize("scale,offset", [(1, 0), (1e-20, 0), (1e25, 0), (30, 1e8), (1e-3, 1), (0, 5)])
@pytest.mark.parametrize("first", [None, 1e4])
@pytest.mark.parametrize("shape,axis", [((300007,), None), ((400, 1003), 1), ((1003, 400), 0), ((37,), None)])
def test_moments_of_float32(scale, offset, first, shape, axis):
    x = (np.random.default_rng(6).standard_normal(shape) * scale + offset).astype("float32")
    if first:   # an element far from the others must not spoil them
        x.flat[0] = offset + scale * first
    np.testing.assert_allclose(cp.asnumpy(cp.std(cp.asarray(x), axis=axis)), x.std(axis=axis, dtype="float64"),
                               rtol=1e-6)


def test_same_bits_every_time():
    x = cp.asarray(np.random.default_rng(4).standard_normal((500, 2003)).astype("float32"))
    for f in (cp.sum, cp.std, lambda m: cp.sum(m, axis=0), lambda m: cp.var(m, axis=1), lambda m: cp.mean(m.T, axis=0)):
        first = cp.asnumpy(f(x)).tobytes()
        for _ in range(5):
            assert cp.asnumpy(f(x)).tobytes() == first


@pytest.mark.parametrize("name", ["sum", "mean", "nansum", "prod"])
def test_signs_of_zeros(name, device):
    """NumPy begins sums at 0 and products at 1."""
    for z in (np.array([-0.0]), np.zeros((5, 3)) * -1, np.zeros((3, 5000), "f4") * -1, np.zeros((70000, 3), "f4") * -1,
              np.array([complex(-0.0, -0.0)] * 3), np.zeros((100, 40), "f2") * -1):
        for axis in (None, 0, -1):
            for kw in ({}, {"initial": -0.0}):
                if name in ("mean", "prod") and (kw or np.iscomplexobj(z)):
                    continue
                want = np.asarray(getattr(np, name)(z, axis=axis, **kw))
                got = getattr(cp, name)(cp.asarray(z), axis=axis, **kw).get()
                for part in ("real", "imag"):
                    assert np.array_equal(np.signbit(getattr(got, part)),
                                          np.signbit(getattr(want, part))), (z.shape, axis, kw)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 16, 17])
def test_views_of_many_short_rows(n, device):
    """A result for each of many rows of a few elements, in every type: whole, misaligned, transposed and strided."""
    rng = np.random.default_rng(n)
    for t in "?bHiqefdFD"[n % 2::2]:
        x = (rng.standard_normal((70001, n)) * 3).astype(t)
        wide, y = x.astype("f8") if t in "ef" else x, cp.asarray(x)
        for name in ("sum", "min", "argmax", "std", "any", "count_nonzero"):
            rows, turned = (getattr(np, name)(r, axis=1) for r in (wide, wide[:, ::-1]))  # of each row, and so of some
            for view, want in ((np.s_[:], rows), (np.s_[1:], rows[1:]), (np.s_[:, ::-1], turned),
                               (np.s_[::2], rows[::2])):
                got = getattr(cp, name)(y[view], axis=1).get()
                np.testing.assert_allclose(got, want, rtol=1e-3 if t == "e" else 1e-6 if t in "fF" else 1e-14,
                                           atol=1e-14 if t not in "eF" else 1e-5)
