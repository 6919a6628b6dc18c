"""scipy.ndimage's geometric transformations against SciPy: all types, modes, orders, shapes and layouts.

SciPy is not the oracle where it is wrong: in mode 'reflect' its coefficients of short lines are off by z^(2n) for a
pole z, so that a spline misses its elements; the exact coefficients are then those of a system of equations. The other
differences are in src/science/geometry/README.md."""
import os
import subprocess
import sys
import warnings

import cuprite as cp
import numpy as np
import pytest
import scipy.ndimage as theirs
from cuprite.scipy import ndimage as ours
from oracle import raises

MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant"]
TYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64",
         "complex64", "complex128"]
# How the filter of each mode continues a line, by the mode of numpy.pad.
CONTINUED = {"reflect": "symmetric", "grid-mirror": "symmetric", "nearest": "symmetric", "grid-wrap": "wrap",
             **dict.fromkeys(["mirror", "wrap", "constant", "grid-constant"], "reflect")}
BASIS = {2: [1 / 8, 6 / 8, 1 / 8], 3: [1 / 6, 4 / 6, 1 / 6], 4: [1 / 384, 76 / 384, 230 / 384, 76 / 384, 1 / 384],
         5: [1 / 120, 26 / 120, 66 / 120, 26 / 120, 1 / 120]}


def image(rng, shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < 0.5
    if kind in "iu":
        return rng.integers(0 if kind == "u" else -100, 100, shape).astype(dtype)
    x = rng.normal(0, 10, shape)
    return (x + 1j * rng.normal(0, 10, shape)).astype(dtype) if kind == "c" else x.astype(dtype)


def turned(rng, x):
    """x with some axes backwards, and in Fortran's order."""
    x = x[tuple(slice(None, None, int(s)) for s in rng.choice([1, 1, -1], x.ndim))]
    return np.asfortranarray(x) if rng.random() < 0.3 else x


def exact_coefficients(x, order, axis, mode):
    """By the equations that the spline has the elements' values at their places."""
    n = x.shape[axis]
    if n < 2 or order < 2:
        return x
    basis, half = BASIS[order], len(BASIS[order]) // 2
    places, system = np.pad(np.arange(n), half, mode=CONTINUED[mode]), np.zeros((n, n))
    for i in range(n):
        for k, w in enumerate(basis):
            system[i, places[i + k]] += w
    lines = np.moveaxis(x, axis, 0)
    return np.moveaxis(np.linalg.solve(system, lines.reshape(n, -1)).reshape(lines.shape), 0, axis)


def by_scipy(name, x, args, options):
    """SciPy's result, of exact coefficients where its own are not."""
    options = dict(options)
    if not options["prefilter"] or options["order"] < 2 or CONTINUED[options["mode"]] != "symmetric" or \
            options["mode"] == "nearest" or name == "zoom" and np.all(np.equal(args[0], 1)):
        # 'nearest' it extends by 12 elements first; zoomed by 1 are the elements themselves
        return getattr(theirs, name)(x, *args, **options)
    options.setdefault("output", x.dtype)
    axes = options.get("axes", range(x.ndim))
    filtered = x.astype("complex128" if x.dtype.kind == "c" else "float64")
    for axis in axes:
        filtered = exact_coefficients(filtered, options["order"], axis, options["mode"])
    return getattr(theirs, name)(filtered, *args, **{**options, "prefilter": False})


def is_close(got, want, precise):
    """A few roundings of the result's type; an integer may be rounded to the other side where it is a tie but for a
    rounding of float64: `precise` is SciPy's result in float64."""
    got = cp.asnumpy(got)
    assert got.dtype == want.dtype and got.shape == want.shape, (got.dtype, want.dtype, got.shape, want.shape)
    if want.dtype.kind in "fc":
        eps = np.finfo(want.dtype).eps
        scale = max(30, np.max(np.abs(want), initial=0))
        np.testing.assert_allclose(got, want, rtol=0, atol=(200 if eps < 1e-10 else 4) * eps * scale)
        return
    odd = got != want
    if odd.any():
        value = precise()
        from_tie = np.abs(value - np.round(value)) if want.dtype.kind == "b" else np.abs(np.abs(value % 1) - 0.5)
        assert (from_tie[odd] < 1e-9).all(), (got[odd][:5], want[odd][:5], value[odd][:5])


def matrix_of(rng, ndim):
    return rng.normal(0, 1, (ndim, ndim)) if rng.random() < 0.7 else rng.integers(-2, 3, (ndim, ndim)) * 1.0


def arguments_of(rng, name, ndim):
    """Arguments behind the input, and options of the function alone."""
    if name == "map_coordinates":
        places = rng.uniform(-20, 30, (ndim, int(rng.integers(1, 40))))
        return (places if rng.random() < 0.7 else rng.integers(-20, 30, (ndim, 3, 4)),), {}
    if name == "shift":
        return (rng.choice([0, 1, -2, 0.5, 3.25, -1.3, 40.7], ndim) if rng.random() < 0.8 else rng.normal(0, 3),), {}
    if name == "zoom":
        return (rng.choice([0.01, 0.5, 1, 2, 1.37, 0.77, 3.1], ndim) if rng.random() < 0.8 else 1.5,), {
            "grid_mode": bool(rng.random() < 0.5)}
    if name == "rotate":
        axes = [int(axis) for axis in rng.permutation(ndim)[:2]]
        return (float(rng.choice([0, 90, 45, 30, 180, -70, 12.345, 400])),), {"axes": axes,
                                                                            "reshape": bool(rng.random() < 0.5)}
    if name == "geometric_transform":
        return (lambda at: tuple(0.9 * i - 1.3 for i in at),), {}
    shape = {"output_shape": tuple(rng.integers(1, 12, ndim).tolist())} if rng.random() < 0.6 else {}
    kind, offset = rng.integers(4), rng.normal(0, 4, ndim)
    if kind == 0:
        return (rng.choice([0.5, 1, 2, 0.3, -1, 1.7], ndim), offset), shape
    matrix = matrix_of(rng, ndim)
    if kind == 1:
        return (matrix, offset), shape
    matrix = np.hstack([matrix, offset[:, None]])
    return (np.vstack([matrix, [0] * ndim + [1]]) if kind == 2 else matrix,), shape


def compare(name, seed):
    rng = np.random.default_rng([seed, len(name)])
    ndim = max(int(rng.integers(1, 5)), 2 if name == "rotate" else 1)
    shape = tuple(rng.integers(1, [40, 14, 7, 4][ndim - 1] + 1, ndim).tolist())
    dtype, mode = str(rng.choice(TYPES)), str(rng.choice(MODES))
    x = turned(rng, image(rng, shape, dtype))
    args, more = arguments_of(rng, name, ndim)
    options = {"order": int(rng.integers(0, 6)), "mode": mode, "prefilter": bool(rng.random() < 0.8), **more,
               "cval": float(rng.choice([0, 2.5, -7]))}
    if mode == "grid-constant" and x.dtype.kind in "biu":  # SciPy extends by cval as an element first
        options["cval"] = 1.0
    if rng.random() < 0.3 and x.dtype.kind != "c":
        options["output"] = [np.float32, np.float64, "int16", np.uint8, "float64"][rng.integers(5)]
    if name == "zoom" and x.dtype.kind == "c":  # SciPy forgets grid_mode there
        options["grid_mode"] = False
    want = by_scipy(name, x, args, options)
    there = [cp.asarray(a) if name == "map_coordinates" else a for a in args]
    got = getattr(ours, name)(cp.asarray(x), *there, **options)
    is_close(got, want, lambda: by_scipy(name, x, args, {**options, "output": np.float64}))


@pytest.mark.filterwarnings("ignore:It is recommended")
@pytest.mark.parametrize("part", range(6))
@pytest.mark.parametrize("name", ["map_coordinates", "affine_transform", "shift", "zoom", "rotate",
                                  "geometric_transform"])
def test_as_scipy(name, part):
    many = 12 if name == "geometric_transform" else 40
    for seed in range(part * many, (part + 1) * many):
        try:
            compare(name, seed)
        except Exception as e:
            raise AssertionError(f"{name}, seed {seed}: {e}") from e


@pytest.mark.parametrize("order", [2, 3, 4, 5])
@pytest.mark.parametrize("mode", MODES)
def test_coefficients(mode, order):
    rng = np.random.default_rng(order)
    for n in [1, 2, 3, 4, 7, 8, 9, 33, 150, 400]:
        for shape, axis in [((n,), 0), ((n, 3), 0), ((3, n), 1), ((2, n, 9), 1), ((n, 17), -2)]:
            x = image(rng, shape, "float64")
            got = cp.asnumpy(ours.spline_filter1d(cp.asarray(x), order, axis, mode=mode))
            np.testing.assert_allclose(got, exact_coefficients(x, order, axis, mode), rtol=0, atol=2e-13)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_filter_of_types(dtype, order):
    x = turned(np.random.default_rng(order), image(np.random.default_rng(3), (25, 31), dtype))
    for output in [np.float64, "float32", None]:
        if x.dtype.kind == "c" and output is not None:
            output = np.complex64 if output == "float32" else np.complex128
        if output is None:  # the elements' type, in which integers are cut off
            got = ours.spline_filter(cp.asarray(x), order, output=None)
            assert got.dtype == dtype
            output = np.complex128 if x.dtype.kind == "c" else np.float64
        is_close(ours.spline_filter(cp.asarray(x), order, output=output), theirs.spline_filter(x, order, output=output),
                 None)
    assert ours.spline_filter(cp.asarray(x), order).dtype == ("complex128" if x.dtype.kind == "c" else "float64")
    one = ours.spline_filter1d(cp.asarray(x), order, 0, output="int32" if x.dtype.kind != "c" else "complex64")
    want = theirs.spline_filter1d(x, order, 0, output="int32" if x.dtype.kind != "c" else "complex64")
    assert np.abs(cp.asnumpy(one) - want).max() <= (1e-4 if x.dtype.kind == "c" else 1)  # cut off at a whole number


def test_filter_into_an_array():
    x = np.random.default_rng(1).normal(0, 9, (7, 8))
    for out in (cp.zeros((7, 16))[:, ::-2], cp.zeros((7, 8), "float32"), cp.zeros((8, 7)).T):
        assert ours.spline_filter(cp.asarray(x), output=out) is not None
        is_close(out, theirs.spline_filter(x, output=np.float32 if out.dtype == "float32" else np.float64), None)
    with raises(RuntimeError):
        ours.spline_filter(cp.asarray(x), output=cp.zeros((7, 7)))
    for output in ("float64", cp.zeros((7, 8))):
        with raises(RuntimeError):
            ours.spline_filter(cp.asarray(x) + 1j, output=output)


@pytest.mark.parametrize("shape", [(2, 1 << 18), (1 << 18, 2), (1 << 19,)])
def test_coefficients_of_long_lines(shape):
    x = np.random.default_rng(1).normal(0, 1, shape)
    is_close(ours.spline_filter(cp.asarray(x)), theirs.spline_filter(x), None)


def test_orders_0_and_1_are_the_elements():
    x = np.arange(6, dtype="int16").reshape(2, 3)
    for order in (0, 1):
        got = ours.spline_filter1d(cp.asarray(x), order)
        assert got.dtype == "float64"
        np.testing.assert_array_equal(cp.asnumpy(got), x)


@pytest.mark.parametrize("mode", MODES)
def test_splines_have_the_elements_values(mode):
    """In every mode, which SciPy misses in 'reflect'."""
    rng = np.random.default_rng(8)
    for shape in [(1,), (2,), (5,), (3, 4), (2, 3, 4)]:
        x = rng.normal(0, 1, shape)
        places = np.indices(shape).astype(float)
        for order in range(6):
            got = ours.map_coordinates(cp.asarray(x), cp.asarray(places), order=order, mode=mode)
            np.testing.assert_allclose(cp.asnumpy(got), x, rtol=0, atol=3e-9 if mode in ("nearest", "grid-constant")
                                       else 1e-13)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_far_places(mode, order):
    """What has no place in a period is cval; so is NaN, but where taps are taken by themselves it stays one."""
    x = np.array([1.0, 10, 100, 1000])
    places = np.array([[np.nan, np.inf, -np.inf, 1e300, -1e300, 1e17, -1e17]])
    got = cp.asnumpy(ours.map_coordinates(cp.asarray(x), cp.asarray(places), order=order, mode=mode, cval=7))
    alone = mode in ("nearest", "grid-constant")
    assert np.isnan(got[0]) if alone and order else got[0] == (1 if mode == "nearest" else 7)
    ends = [1000, 1] * 3 if mode == "nearest" else [7] * 6
    np.testing.assert_allclose(got[1:], ends, rtol=3e-3 if mode == "nearest" else 1e-12)  # SciPy's is as far off
    near = np.array([[2**40 + 0.5, -2**40 - 0.25, 12345.678]])
    want = by_scipy("map_coordinates", x, (near,), {"order": order, "mode": mode, "prefilter": True, "cval": 7})
    got = cp.asnumpy(ours.map_coordinates(cp.asarray(x), cp.asarray(near), order=order, mode=mode, cval=7))
    np.testing.assert_allclose(got, want, rtol=1e-9)


def test_values_that_are_not_finite():
    x = np.arange(20.0).reshape(4, 5)
    x[1, 2] = np.nan
    x[3, 0] = np.inf
    for order in (0, 1):
        got = ours.shift(cp.asarray(x), (0.5, -0.25), order=order, mode="nearest")
        np.testing.assert_allclose(cp.asnumpy(got), theirs.shift(x, (0.5, -0.25), order=order, mode="nearest"))
    assert np.isnan(cp.asnumpy(ours.spline_filter(cp.asarray(x)))).all()
    got = cp.asnumpy(ours.shift(cp.asarray(np.array([np.nan, 1e30, -1e30])), 0, order=0, output="int16"))
    assert got[1:].tolist() == [32767, -32768]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_small_floats(dtype):
    """Computed in float64 and rounded once; SciPy has none of them."""
    x = cp.asarray(np.random.default_rng(2).normal(0, 3, (12, 13))).astype(dtype)
    wide = x.astype("float64")
    for name, args in [("shift", (0.3,)), ("zoom", (1.4,)), ("rotate", (33,)),
                       ("affine_transform", ([[0.9, 0.1], [0, 1.1]],))]:
        got, want = getattr(ours, name)(x, *args), getattr(ours, name)(wide, *args)
        assert got.dtype == dtype
        assert bool((got == want.astype(dtype)).all())


@pytest.mark.parametrize("name, args", [("shift", (0.3,)), ("zoom", (1.0,)), ("rotate", (33,)), ("zoom", ((1, 1.01),)),
                                        ("affine_transform", ([0.9, 0.8],)),
                                        ("geometric_transform", (lambda at: (at[1], at[0] * 0.5),))])
@pytest.mark.parametrize("dtype", ["float64", "uint8", "complex64"])
def test_outputs(name, args, dtype):
    """An output of another layout, one that overlaps the input, and the input itself."""
    rng = np.random.default_rng(6)
    x = image(rng, (9, 9), dtype)
    options = {"reshape": False} if name == "rotate" else {}
    want = getattr(theirs, name)(x, *args, **options)

    def check(got):
        is_close(got, want, lambda: getattr(theirs, name)(x, *args, **options, output=np.float64))

    there = cp.asarray(x)
    place = cp.zeros((18, 27), dtype)
    for out in (place[::2, ::3], place[::-2, ::-3], place[:9, :9].T):
        assert getattr(ours, name)(there, *args, **options, output=out) is not None
        check(out)
    whole = cp.zeros((10, 9), dtype)
    whole[:9] = there
    getattr(ours, name)(whole[:9], *args, **options, output=whole[1:])
    check(whole[1:])
    getattr(ours, name)(there, *args, **options, output=there)
    check(there)
    if name != "affine_transform":  # whose result has the output's shape
        with raises(RuntimeError):
            getattr(ours, name)(cp.asarray(x), *args, **options, output=cp.zeros((9, 8), dtype))


def test_complex_outputs():
    x = np.random.default_rng(1).normal(0, 1, (6, 7)) + 1j
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = theirs.shift(x, 0.5, output=np.float32, cval=1 + 2j)
    with pytest.warns(UserWarning, match="promoting specified output dtype to complex"):
        got = ours.shift(cp.asarray(x), 0.5, output=np.float32, cval=1 + 2j)
    is_close(got, want, None)
    for output in ("float64", cp.zeros((6, 7))):
        with raises(RuntimeError, match="output must have complex dtype"):
            ours.shift(cp.asarray(x), 0.5, output=output)


def test_empty():
    x = cp.zeros((0, 3))
    assert ours.shift(x, 1.5).shape == (0, 3)
    assert ours.zoom(cp.ones((4, 5)), (0.01, 2)).shape == (0, 10)
    assert ours.spline_filter(x).shape == (0, 3)
    assert ours.map_coordinates(cp.ones(3), cp.zeros((1, 0))).shape == (0,)
    for mode in MODES:
        got = ours.map_coordinates(cp.zeros(0), cp.array([[0.0, 1.0, -5.0]]), mode=mode, cval=3)
        assert got.tolist() == [3, 3, 3]
    assert ours.affine_transform(cp.ones((3, 3)), np.eye(2), output_shape=(0, 4)).shape == (0, 4)


@pytest.mark.parametrize("ndim", [5, 7, 12])
def test_many_axes(ndim):
    shape = tuple([2, 1, 3, 1, 2, 1, 2, 1, 1, 2, 1, 1][:ndim])
    x = np.random.default_rng(ndim).normal(0, 1, shape)
    matrix = np.eye(ndim)
    matrix[0, 2] = 0.5
    for order in (0, 1) if ndim > 7 else (0, 1, 2):
        for mode in ("mirror", "grid-constant")[:1 if order > 1 else 2]:  # which is extended first
            want = theirs.affine_transform(x, matrix, 0.25, order=order, mode=mode)
            is_close(ours.affine_transform(cp.asarray(x), matrix, 0.25, order=order, mode=mode), want, None)
            is_close(ours.shift(cp.asarray(x), 0.25, order=order, mode=mode),
                     theirs.shift(x, 0.25, order=order, mode=mode), None)


def test_another_number_of_axes():
    x = np.random.default_rng(4).normal(0, 1, (9, 8))
    matrix = np.array([[1.0, 0, 0.5, 0.75], [0.25, 1, 0, -1]])
    want = theirs.affine_transform(x, matrix, 0.5, output_shape=(3, 4, 5, 2))
    is_close(ours.affine_transform(cp.asarray(x), matrix, 0.5, output_shape=(3, 4, 5, 2)), want, None)
    want = theirs.affine_transform(x, matrix[:, :1], output_shape=(6,))
    is_close(ours.affine_transform(cp.asarray(x), matrix[:, :1], output_shape=(6,)), want, None)
    want = theirs.geometric_transform(x, lambda at: (at[0] + 0.5, at[0] * 0.3), (7,))
    is_close(ours.geometric_transform(cp.asarray(x), lambda at: (at[0] + 0.5, at[0] * 0.3), (7,)), want, None)


def test_arguments_that_are_arrays():
    """A matrix, an offset, a shift and coordinates of any real type, of ours or of NumPy's."""
    x = np.random.default_rng(4).normal(0, 1, (9, 8))
    matrix = np.array([[1, 0], [1, 1]])
    want = theirs.affine_transform(x, matrix, np.array([1, 2], "int8"))
    for kind in (np.asarray, cp.asarray, np.ndarray.tolist):
        got = ours.affine_transform(cp.asarray(x), kind(matrix), kind(np.array([1, 2], "int8")))
        is_close(got, want, None)
        is_close(ours.shift(cp.asarray(x), kind(np.array([0.5, 1]))), theirs.shift(x, [0.5, 1]), None)
    is_close(ours.shift(cp.asarray(x), cp.array(0.5)), theirs.shift(x, 0.5), None)
    places = np.array([[1, 2, 3], [4, 5, 7]], "int8")
    for kind in (cp.asarray, np.ndarray.tolist):
        is_close(ours.map_coordinates(cp.asarray(x), kind(places)), theirs.map_coordinates(x, places), None)


BAD = [
    "shift(x, (1, 2, 3))", "shift(x, 1, order=6)", "shift(x, 1, order=-1)", "shift(x, 1, mode='unknown')",
    "shift(zero, 1)", "zoom(x, (1, 2, 3))", "zoom(x, float('nan'))", "zoom(x, float('inf'))", "zoom(x, -1)",
    "zoom(zero, 2)", "rotate(line, 30)", "rotate(x, 30, axes=(0,))", "rotate(x, 30, axes=(0, 5))",
    "rotate(x, 30, axes=(0, 0.5))", "rotate(x, 30, axes=(-3, 0))", "rotate(x, 30, order=7)",
    "affine_transform(x, [[1, 0]])", "affine_transform(x, [1, 2, 3])", "affine_transform(x, 3)",
    "affine_transform(x, [[1, 0], [0, 1]], [1, 2, 3])", "affine_transform(x, [[1, 0, 0], [0, 1, 0], [0, 1, 1]])",
    "affine_transform(x, [[1, 0], [0, 1]], output_shape=(3,))", "affine_transform(zero, [[1]])",
    "map_coordinates(x, places)", "map_coordinates(x, places[:2] * 1j)", "map_coordinates(zero, places)",
    "map_coordinates(x, places[:2, 0])", "spline_filter(x, 1)", "spline_filter(x, 6)", "spline_filter1d(x, 7)",
    "spline_filter1d(x, 3, 2)", "spline_filter1d(x, 3, -3)", "spline_filter1d(x, mode='unknown')",
    "geometric_transform(x, lambda at: (1,))", "geometric_transform(x, 'name')",
    "geometric_transform(zero, lambda at: ())",
    "shift(x, 'a')", "shift(x, 1, cval='b')", "shift(x, 1, cval=1j)", "shift(x, 1, order='a')",
    "shift(x, 1, order=2.5)",
    "rotate(x, 'a')", "rotate(x, 3, axes=5)", "zoom(x, (1, 'a'))", "zoom(x, 1e12)", "zoom(x, 1e200)",
    "affine_transform(x, [[1, 0], [0, 1]], output_shape=(1 << 40, 1 << 40))",
    "affine_transform(x, [[1, 0], [0, 1]], output_shape=(-1, 3))",
    "shift(x, 1, output='bool')", "spline_filter(x, mode='unknown')", "geometric_transform(x, lambda at: 1 / 0)",
]


@pytest.mark.parametrize("expression", BAD)
def test_errors(expression):
    def of(module, xp):
        names = {"x": xp.ones((4, 5)), "zero": xp.array(1.0), "line": xp.ones(3), "places": xp.zeros((3, 4))}
        functions = {name: getattr(module, name) for name in dir(module) if not name.startswith("_")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                eval(expression, functions | names)
            except Exception as e:
                return type(e)
    want = of(theirs, np)
    assert want is not None
    assert of(ours, cp) is want


def test_refusals_of_ours():
    with raises(ValueError):
        ours.rotate(cp.ones((3, 3)), float("nan"))
    for x in ([1.0, 2.0], np.ones(3), 5):
        with raises(TypeError):
            ours.shift(x, 1)
    with raises(TypeError):
        ours.map_coordinates(cp.ones(3), np.array([[1.0]]))


def test_cupys_arguments():
    x = np.random.default_rng(4).normal(0, 1, (9, 8))
    is_close(ours.affine_transform(cp.asarray(x), np.eye(2), 0.5, texture_memory=False, float64_coords=True),
             theirs.affine_transform(x, np.eye(2), 0.5), None)
    with pytest.warns(UserWarning, match="default order of shift is 1"):
        got = ours.shift(cp.asarray(x), 0.5, order=None)
    is_close(got, theirs.shift(x, 0.5, order=1), None)
    with pytest.warns(UserWarning, match="recommended to use mode = grid-wrap"):
        ours.zoom(cp.asarray(x), 2, mode="wrap", grid_mode=True)


BITS = """
import hashlib, sys
import cuprite as cp, numpy as np
from cuprite.scipy import ndimage
x = cp.asarray(np.random.default_rng(0).normal(0, 1, (301, 407)).astype("float32"))
seen = hashlib.sha256()
for y in (ndimage.rotate(x, 31), ndimage.zoom(x, 1.3), ndimage.shift(x, 0.4, mode="grid-wrap"),
          ndimage.spline_filter(x), ndimage.distance_transform_edt(x > 1, sampling=(1, 0.7))):
    seen.update(y.get().tobytes())
print(seen.hexdigest())
"""


@pytest.mark.once
def test_the_same_bits_by_any_number_of_threads():
    def run(n):
        return subprocess.run([sys.executable, "-c", BITS], env={**os.environ, "CUPRITE_NUM_THREADS": str(n)},
                              capture_output=True, text=True, check=True, timeout=100).stdout
    assert len({run(n) for n in (1, 2, 5)}) == 1
