"""Running sums and products against NumPy: values, types, shapes, layouts, errors.

Integers are compared exactly; sums of floating numbers with exact ones of long doubles, within what rounding once to
the type and n additions in float64 may be off; products, which NumPy and the CPU make one after the other, likewise."""
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cuprite as cp
from oracle import as_numpy_does, instruction_sets, outcome
from test_compose import DTYPES, layout, sample, same

seeds = st.integers(0, 2**32 - 1)
shapes = st.lists(st.integers(0, 5), min_size=0, max_size=5)
NAMES = ["cumsum", "cumprod", "nancumsum", "nancumprod"]


def close(ours, theirs, x, name):
    """ours: exactly NumPy's for integers; for the others within the bound of what was added or multiplied."""
    if isinstance(theirs, type) or isinstance(ours, type):
        assert ours is theirs, (ours, theirs)
        return
    got = cp.asnumpy(ours)
    assert got.dtype == theirs.dtype and got.shape == theirs.shape
    if got.dtype.kind not in "fc":
        by_way_of = np.result_type(x.dtype, got.dtype)  # float64 where no whole type holds both
        near = 2 * x.size * np.finfo(by_way_of).eps if by_way_of.kind == "f" and x.dtype.kind in "iu" else 0
        np.testing.assert_allclose(got.astype("g"), theirs.astype("g"), rtol=near)
        return
    n = max(x.size, 2)
    eps = np.finfo(got.dtype).eps
    parts = [(got, theirs)] if got.dtype.kind == "f" else [(got.real, theirs.real), (got.imag, theirs.imag)]
    scale = float(np.nansum(np.abs(x[np.isfinite(x)].astype("D")))) if "sum" in name else None
    for g, w in parts:
        finite = np.isfinite(w) & np.isfinite(theirs)
        if g.dtype == "float16" and not finite.all():
            return                                           # NumPy's stays infinite, ours is added in a wider type
        np.testing.assert_array_equal(np.isfinite(g), np.isfinite(w))
        np.testing.assert_array_equal(np.isnan(g), np.isnan(w))
        if g.dtype.kind == "f" and finite.all():
            size = np.abs(theirs[finite])
            if x.dtype.kind == "c" and theirs.dtype.kind != "c":
                size = size.max(initial=0)  # one part of products whose other part is not seen here
            bound = n * eps * (scale if scale is not None else size)
            assert (np.abs(g[finite].astype("g") - w[finite].astype("g")) <= bound).all(), (g, w)


def mild(rng, shape, dtype):
    """Elements whose products stay finite and normal."""
    kind = np.dtype(dtype).kind
    if kind in "biu":
        return sample(rng, shape, dtype)
    x = rng.choice([-1, 1], shape) * rng.uniform(0.8, 1.25, shape)
    return (x + (1j * rng.uniform(0.5, 1, shape) if kind == "c" else 0)).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=120, deadline=None)
@given(seeds, shapes, st.sampled_from(DTYPES), st.sampled_from([None, None, *DTYPES]), st.data())
def test_scans(name, seed, shape, dtype, to, data):
    rng = np.random.default_rng(seed)
    x = mild(rng, shape, dtype)
    if name.startswith("nan") and x.dtype.kind in "fc":
        x = np.where(rng.random(shape) < 0.3, x.dtype.type(np.nan), x)
    if to is not None and np.dtype(dtype).kind in "fc" and np.dtype(to).kind in "biu":
        x = np.asarray(np.nan_to_num(x) * 3).astype(dtype)
    x, ours = layout(rng, x)
    axis = data.draw(st.sampled_from([None, *range(-len(shape) - 1, len(shape) + 1)]))
    options = {} if to is None else {"dtype": to}
    close(outcome(lambda: getattr(cp, name)(ours, axis, **options)),
          outcome(lambda: getattr(np, name)(x, axis, **options)), x, name)


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_out(name, dtype):
    rng = np.random.default_rng(5)
    for out in DTYPES:
        for shape, axis in (((3, 4), 1), ((3, 4), 0), ((5,), None)):
            x = mild(rng, shape, dtype)
            p, q = np.zeros(shape, out), cp.zeros(shape, out)
            ours = outcome(lambda: getattr(cp, name)(cp.asarray(x), axis, out=q))
            close(ours, outcome(lambda: getattr(np, name)(x, axis, out=p)), x, name)
            assert isinstance(ours, type) or ours is q


def test_out_of_other_layouts_and_in_place():
    x = np.arange(12.0).reshape(3, 4)
    for axis in (0, 1):
        want = np.cumsum(x, axis)
        o = cp.zeros((4, 3)).T
        assert cp.cumsum(cp.asarray(x), axis, out=o) is o
        np.testing.assert_array_equal(o.get(), want)
        y = cp.asarray(x)
        cp.cumsum(y, axis, out=y)
        np.testing.assert_array_equal(y.get(), want)
        z = cp.asarray(x)
        cp.cumsum(z[::-1], axis, out=z)
        np.testing.assert_array_equal(z.get(), np.cumsum(x[::-1], axis))
    a, b = np.arange(6.0), cp.arange(6.0)
    np.testing.assert_array_equal(cp.cumsum(b[:5], out=b[1:]).get(), np.cumsum(a[:5]))


@pytest.mark.parametrize("f", [
    lambda xp: xp.cumsum(xp.zeros((2, 3)), out=xp.zeros((2, 3))),
    lambda xp: xp.cumsum(xp.zeros((2, 3)), axis=2),
    lambda xp: xp.cumsum(xp.zeros((2, 3)), axis=0.0),
    lambda xp: xp.cumsum(xp.asarray(3)),
    lambda xp: xp.cumsum(xp.asarray(3), axis=-1),
    lambda xp: xp.cumprod(xp.asarray(3), axis=1),
    lambda xp: xp.cumsum(xp.asarray([1 + 2j, 3]), dtype="f8"),
    lambda xp: xp.cumsum(xp.asarray([1 + 2j, 3]), out=xp.zeros(2)),
    lambda xp: xp.asarray([[1, 2], [3, 4]]).cumsum(0),
    lambda xp: xp.asarray([[1, 2], [3, 4]]).cumprod(axis=1, dtype="f4"),
    lambda xp: xp.cumulative_sum(xp.asarray(3)),
    lambda xp: xp.cumulative_sum(xp.zeros((2, 2))),
    lambda xp: xp.cumulative_sum(xp.zeros((2, 2)), axis=2),
    lambda xp: xp.cumulative_sum(xp.ones((2, 2), "i1"), axis=1, include_initial=True, dtype="i1"),
    lambda xp: xp.cumulative_sum(xp.ones((2, 2), "i1"), axis=-2, include_initial=True),
    lambda xp: xp.cumulative_prod(xp.asarray([2, 3, 4]), include_initial=True),
    lambda xp: xp.cumulative_prod(xp.asarray([2.5, 3, 4]), include_initial=True, out=xp.zeros(4, "f4")),
    lambda xp: xp.cumulative_sum(xp.asarray([1, 2.5]), include_initial=True, out=xp.zeros(3, "i4")),
    lambda xp: xp.cumulative_sum(xp.zeros((0, 3)), axis=0, include_initial=True),
    lambda xp: xp.cumulative_sum(xp.zeros(3), 0),
    lambda xp: xp.nancumsum(xp.asarray([1, float("nan"), 2])),
    lambda xp: xp.nancumsum(xp.asarray([1, 2], "i1")),
    lambda xp: xp.cumsum(xp.zeros((0, 3)), axis=0),
    lambda xp: xp.cumsum(xp.zeros((3, 0)), axis=0),
])
def test_as_numpy(f):
    as_numpy_does(f)


def test_signs_infinities_and_nan():
    for x in ([-0.0, -0.0], [1.0, np.inf, -np.inf, 1], [np.nan, 1], [1e308, 1e308, -1e308]):
        for name in ("cumsum", "cumprod"):
            with np.errstate(all="ignore"):
                want = getattr(np, name)(np.array(x))
            got = getattr(cp, name)(cp.asarray(x)).get()
            np.testing.assert_array_equal(got, want)
            np.testing.assert_array_equal(np.signbit(got[want == 0]), np.signbit(want[want == 0]))
    z = np.array([complex(np.inf, 1), 2, 1j])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(cp.cumprod(cp.asarray(z)).get()[:1], z[:1])


def test_strides_are_numpys():
    x = np.zeros((2, 3, 4)).transpose(2, 0, 1)
    y = cp.zeros((2, 3, 4)).transpose(2, 0, 1)
    for axis in range(3):
        assert cp.cumsum(y, axis).strides == np.cumsum(x, axis).strides


@pytest.mark.parametrize("n", [1, 127, 128, 8320, 16640, 16641, 100_003, 1_000_001])
@pytest.mark.parametrize("dtype", ["u1", "i4", "i8", "f4", "f8", "F", "D"])
def test_long_rows(n, dtype):
    rng = np.random.default_rng(n)
    x = sample(rng, n, dtype)
    exact = np.cumsum(x.astype({"f": "g", "c": "G"}[x.dtype.kind]) if x.dtype.kind in "fc" else x)
    got = cp.cumsum(cp.asarray(x)).get()
    if x.dtype.kind in "iu":
        np.testing.assert_array_equal(got, exact)
    else:                                    # float64 sums of n terms, rounded once to the type
        bound = n * 2**-53 * np.abs(x.astype("D")).cumsum() + np.finfo(dtype).eps * np.abs(exact)
        assert (np.abs(got - exact) <= bound).all()
    again = [cp.cumsum(cp.asarray(x)).get().tobytes() for _ in range(5)]
    assert set(again) == {got.tobytes()}


@pytest.mark.parametrize("shape", [(3, 20_000), (20_000, 3), (300, 200), (2, 9000, 5), (70_000, 2)])
def test_rows_and_columns(shape):
    x = np.random.default_rng(1).integers(-9, 9, shape)
    for axis in range(len(shape)):
        for turned in (x, np.asfortranarray(x)):
            np.testing.assert_array_equal(cp.cumsum(cp.asarray(turned), axis).get(), np.cumsum(x, axis))
    y = np.random.default_rng(2).choice([-1, 1, 2, 3], shape)
    for axis in range(len(shape)):
        np.testing.assert_array_equal(cp.cumprod(cp.asarray(y), axis).get(), np.cumprod(y, axis))


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_products_are_numpys_bits(dtype, device):
    if not device.startswith("cuda"):
        x = np.random.default_rng(3).uniform(0.5, 2, 5000).astype(dtype)
        np.testing.assert_array_equal(cp.cumprod(cp.asarray(x)).get(), np.cumprod(x))


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.array([1.5, 2.25, -3, 100, 0.125], ml_dtypes.bfloat16)
    got = cp.cumsum(cp.asarray(x))
    assert got.dtype == x.dtype
    np.testing.assert_array_equal(got.get().astype("f4"),
                                  np.cumsum(x.astype("f4")).astype(ml_dtypes.bfloat16).astype("f4"))


def test_one_answer():
    x = cp.asarray(np.random.default_rng(0).normal(size=300_000).astype("f4"))
    first = cp.cumsum(x).get().tobytes()
    assert all(cp.cumsum(x).get().tobytes() == first for _ in range(100))


def test_same_helper_can_fail():
    with pytest.raises(AssertionError):
        same(cp.cumsum(cp.asarray([1, 2])), np.array([1, 4]))


# --- rows of many tiles ---

#: around what a tile has of 4, 8 and 16 bytes an element, and around what is joined one after the other
LENGTHS = [127, 128, 129, 2047, 2048, 2049, 4095, 4096, 4097, 8191, 8192, 8193, 20000, 70001]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_rows_of_many_tiles(name, dtype):
    """Integers, whose sums and products every order of joining has alike."""
    rng = np.random.default_rng(1)
    for n in LENGTHS:
        x = rng.integers(0 if name == "cumsum" else 1, 4, n)
        if np.dtype(dtype).kind in "fc" and name == "cumprod":
            x[rng.permutation(n)[4:]] = 1
        x = x.astype(dtype)
        theirs = getattr(np, name)(x, dtype="g" if x.dtype.kind == "f" else None)
        with np.errstate(over="ignore"):
            theirs = theirs.astype(x.dtype) if x.dtype.kind == "f" else theirs
        np.testing.assert_array_equal(getattr(cp, name)(cp.asarray(x)).get(), theirs)
        two = np.stack([x, x[::-1]])
        ours = getattr(cp, name)(cp.asarray(two), axis=1).get()
        np.testing.assert_array_equal(ours[0], theirs)
        if x.dtype.kind in "biu":
            np.testing.assert_array_equal(ours, getattr(np, name)(two, axis=1))


@pytest.mark.parametrize("to", ["i1", "u2", "i4", "i8", "f2", "f4", "f8", "c8", "?"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "f2", "f8"])
def test_rows_that_are_converted(dtype, to):
    rng = np.random.default_rng(2)
    for shape in ((30000,), (3, 9000), (7000, 9), (70, 500)):
        x = rng.integers(0, 2, shape).astype(dtype)
        x.reshape(-1)[rng.permutation(x.size)[500:]] = 0     # sums that a float16 holds
        np.testing.assert_array_equal(cp.cumsum(cp.asarray(x), -1, dtype=to).get(), np.cumsum(x, -1, dtype=to))
        out = cp.empty(shape, to)
        assert cp.cumsum(cp.asarray(x), -1, dtype=to, out=out) is out
        np.testing.assert_array_equal(out.get(), np.cumsum(x, -1, dtype=to))


def test_long_rows_in_place():
    for dtype in ("i8", "u1", "f4", "c16"):
        x = np.random.default_rng(3).integers(0, 3, 50000).astype(dtype)
        q = cp.asarray(x)
        cp.cumsum(q, dtype=dtype, out=q)
        np.testing.assert_array_equal(q.get(), np.cumsum(x, dtype=dtype))


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
def test_zeros_and_infinities_in_tiles(dtype):
    x = np.full(30000, -0.0, dtype)
    assert np.signbit(cp.cumsum(cp.asarray(x)).get().real).all()
    x[12345], x[20000] = np.inf, -np.inf
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(cp.cumsum(cp.asarray(x)).get(), np.cumsum(x))


PROGRAM = """
import hashlib, numpy as np, cuprite as cp
rng = np.random.default_rng(4)
for dtype in ("f2", "f4", "f8", "c8", "c16"):
    x = rng.standard_normal(300001)
    x = (x + 1j * x[::-1]).astype(dtype) if dtype[0] == "c" else x.astype(dtype)
    for y in (cp.cumsum(cp.asarray(x)), cp.cumsum(cp.asarray(x[:300000].reshape(300, -1)), 1),
              cp.cumsum(cp.asarray(x[:300000].reshape(3, -1)), 1), cp.cumsum(cp.asarray(x[:300000].reshape(3, -1)), 0)):
        print(hashlib.sha256(y.get().tobytes()).hexdigest())
"""


@pytest.mark.once
def test_bits_depend_on_neither_threads_nor_processor():
    def answer(**more):
        env = {**os.environ, "CUPRITE_DEVICE": "cpu", **more}
        return subprocess.run([sys.executable, "-c", PROGRAM], env=env, check=True, capture_output=True).stdout
    first = answer(CUPRITE_NUM_THREADS="1")
    assert first.count(b"\n") == 20
    for more in ({"CUPRITE_NUM_THREADS": "2"}, {"CUPRITE_NUM_THREADS": "5"},
                 *({"CUPRITE_CPU": isa, "CUPRITE_NUM_THREADS": "3"} for isa in instruction_sets())):
        assert answer(**more) == first, more
