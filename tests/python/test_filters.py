"""Filters against SciPy: drawn inputs, types, layouts, modes, origins, outputs; errors by their type.

Sums are SciPy's operation by operation on the CPU, so they are compared exactly there; on a GPU, which adds in another
order, within a few roundings. Where SciPy's own results are not right there is another oracle: exact means, orders with
NaN."""
import fractions
import itertools
import re
import warnings

import cuprite as cp
import numpy as np
import pytest
import scipy.ndimage
from cuprite.scipy import ndimage

REAL = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64"]
MODES = ["reflect", "mirror", "nearest", "wrap", "constant", "grid-mirror", "grid-wrap", "grid-constant"]


def values(rng, shape, dtype):
    """Numbers that every type holds the sums of."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        return rng.integers(0 if dtype.kind == "u" else -20, 21, shape).astype(dtype)
    if dtype.kind == "c":
        return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(dtype)
    return rng.normal(size=shape).astype(dtype)


def shape_of(rng, most=4):
    ndim = int(rng.integers(1, most + 1))
    return tuple(int(n) for n in rng.integers(1, [40, 18, 9, 6][ndim - 1], ndim))


def laid_out(rng, x):
    """The same elements in another order of memory: (NumPy's, Cuprite's)."""
    how = rng.integers(4)
    if how == 1:
        x = np.asfortranarray(x)
    elif how == 2:
        wide = np.repeat(x, 2, axis=-1)
        return wide[..., ::2], cp.asarray(wide)[..., ::2]
    elif how == 3:
        turned = (slice(None, None, -1),) * x.ndim
        return x[turned], cp.asarray(x)[turned]
    return x, cp.asarray(x)


def origin_of(rng, size, below=0):
    return int(rng.integers(-(size // 2) + below, (size - 1) // 2 + 1))


def agree(got, want, exact=True, ulps=4):
    """The same type, shape and elements; `exact` or, on a device that adds otherwise, nearly."""
    g = got.get()
    assert g.dtype == want.dtype and g.shape == want.shape
    if exact or g.dtype.kind in "biu":
        np.testing.assert_array_equal(g, want)
    else:
        part = g.real.dtype
        scale = np.abs(want).max(initial=0) + 1
        np.testing.assert_allclose(g, want, rtol=ulps * np.finfo(part).eps, atol=ulps * np.finfo(part).eps * scale)


def outcome(f):
    """The class of the exception that a call raises, or its result."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f()
        except Exception as e:  # noqa: BLE001
            return type(e) if type(e) is np.exceptions.AxisError else next(
                t for t in type(e).__mro__ if t.__module__ == "builtins")


def is_host():
    """Are sums those of the CPU's code? The mock device runs it too."""
    return "CUDA" not in repr(cp.ones(1).device)


def both(name, x, args=(), exact=True, ulps=8, **keywords):
    """A filter of SciPy's and of ours, with the same arguments, compared. x: (NumPy's, Cuprite's)."""
    given = {k: v[0] if isinstance(v, Pair) else v for k, v in keywords.items()}
    ours = {k: v[1] if isinstance(v, Pair) else v for k, v in keywords.items()}
    want = getattr(scipy.ndimage, name)(x[0], *args, **given)
    got = getattr(ndimage, name)(x[1], *args, **ours)
    if want is None:
        want, got = given["output"], ours["output"]
    agree(got, want, exact and is_host(), ulps)
    if "output" in given and isinstance(given["output"], np.ndarray):
        assert got is ours["output"]


class Pair(tuple):
    """What SciPy and Cuprite get of one argument."""


def output_of(rng, x, types=REAL):
    """No output, a type, an array; of unsigned integers only where nothing is negative."""
    how = rng.integers(4)
    if how == 0:
        return {}
    dtype = types[int(rng.integers(len(types)))]
    if how == 1:
        return {"output": np.dtype(dtype)}
    a = np.zeros(x[0].shape, dtype)
    if how == 2:
        return {"output": Pair((a, cp.asarray(a)))}
    wide = np.zeros([2 * n for n in x[0].shape], dtype)
    every = (slice(None, None, 2),) * x[0].ndim
    return {"output": Pair((wide[every], cp.asarray(wide)[every]))}


SIGNED = ["int16", "int32", "int64", "float32", "float64"]


@pytest.mark.parametrize("seed", range(40))
def test_correlate1d(seed):
    rng = np.random.default_rng(seed)
    for dtype in REAL:
        x = laid_out(rng, values(rng, shape_of(rng), dtype))
        size = int(rng.integers(1, 12))
        weights = rng.normal(size=size)
        kind = rng.integers(4)
        if kind == 1:
            weights = weights + weights[::-1]
        elif kind == 2:
            weights = weights - weights[::-1]
        elif kind == 3:
            weights = rng.integers(-3, 4, size)
        name = ["correlate1d", "convolve1d"][int(rng.integers(2))]
        both(name, x, (weights,), axis=int(rng.integers(-x[0].ndim, x[0].ndim)), mode=MODES[int(rng.integers(8))],
             cval=float(rng.normal()), origin=origin_of(rng, size) if name == "correlate1d" else
             -origin_of(rng, size) - (not size & 1), **(output_of(rng, x, SIGNED) or {"output": np.float64}))


@pytest.mark.parametrize("seed", range(30))
def test_windows_of_weights(seed):
    rng = np.random.default_rng(seed)
    for dtype in REAL:
        x = laid_out(rng, values(rng, shape_of(rng, 3), dtype))
        weights = rng.normal(size=tuple(int(n) for n in rng.integers(1, 5, x[0].ndim)))
        weights[rng.random(weights.shape) < 0.2] = 0
        convolve = bool(rng.integers(2))
        origin = [origin_of(rng, n) for n in weights.shape]
        if convolve:
            origin = [-o - (not n & 1) for o, n in zip(origin, weights.shape)]
        both(["correlate", "convolve"][convolve], x, (weights,), mode=MODES[int(rng.integers(8))],
             cval=float(rng.normal()), origin=origin, **(output_of(rng, x, SIGNED) or {"output": np.float64}))


@pytest.mark.parametrize("seed", range(20))
def test_complex(seed):
    rng = np.random.default_rng(seed)
    for dtype, of_weights in itertools.product(["float32", "complex64", "complex128"], "fc"):
        x = laid_out(rng, values(rng, shape_of(rng, 3), dtype))
        if dtype[0] == "f" and of_weights == "f":
            continue
        cval = complex(*rng.normal(size=2)) if dtype[0] == "c" else float(rng.normal())
        mode = MODES[int(rng.integers(8))]
        weights = values(rng, 5, "complex128" if of_weights == "c" else "float64")
        both("correlate1d", x, (weights,), mode=mode, cval=cval, axis=0, origin=origin_of(rng, 5))
        both("convolve1d", x, (weights,), mode=mode, cval=cval, axis=-1)
        weights = values(rng, (3,) * x[0].ndim, weights.dtype)
        both("correlate", x, (weights,), mode=mode, cval=cval)
        both("convolve", x, (weights,), mode=mode, cval=cval, output=np.complex128)
        if dtype[0] == "c":
            both("gaussian_filter", x, (1.3,), mode=mode, cval=cval, exact=False)
            both("uniform_filter1d", x, (4,), mode=mode, cval=cval, exact=False)


@pytest.mark.parametrize("seed", range(20))
def test_gaussians(seed):
    """Of whole numbers bit for bit; weights of floating results are of Python's exp, which is not NumPy's."""
    rng = np.random.default_rng(seed)
    for dtype in ["uint8", "int32", "float32", "float64"]:
        x = laid_out(rng, values(rng, shape_of(rng, 3), dtype))
        n = x[0].ndim
        axes = tuple(rng.permutation(n)[:int(rng.integers(1, n + 1))].tolist())
        mode = [MODES[int(i)] for i in rng.integers(0, 8, len(axes))]
        out = output_of(rng, x, SIGNED)
        both("gaussian_filter", x, ([float(s) for s in rng.choice([0, 0.3, 1, 2.5], len(axes))],), axes=axes,
             mode=mode, order=[int(o) for o in rng.integers(0, 4, len(axes))], cval=1.5, exact=False, **out)
        both("gaussian_filter1d", x, (1.7,), axis=axes[0], order=int(rng.integers(0, 4)), mode=mode[0], truncate=2.5,
             exact=False)
        both("gaussian_filter", x, (2,), radius=int(rng.integers(0, 6)), output=np.float64, exact=False)
        both("gaussian_laplace", x, (1.2,), mode=mode[0], output=np.float64, exact=False)
        both("gaussian_gradient_magnitude", x, (1.2,), mode=mode[0], output=np.float64, exact=False)
        for name in ("sobel", "prewitt"):
            both(name, x, axis=axes[0], mode=mode[0], cval=-1, output=np.float32)
        both("laplace", x, mode=mode, axes=axes, output=np.float64)


@pytest.mark.parametrize("name", ["gaussian_filter", "uniform_filter", "maximum_filter", "median_filter", "sobel",
                                  "correlate", "grey_opening", "gaussian_laplace"])
def test_in_place(name):
    """The output may be the input, or lie across it."""
    more = {"gaussian_filter": {"sigma": 1}, "sobel": {}, "correlate": {"weights": np.ones((3, 3))},
            "gaussian_laplace": {"sigma": 1}}.get(name, {"size": 3})
    x = np.random.default_rng(1).normal(size=(20, 30))
    want = getattr(scipy.ndimage, name)(x, **more)
    y = cp.asarray(x)
    assert getattr(ndimage, name)(y, output=y, **more) is y
    np.testing.assert_allclose(y.get(), want, rtol=1e-13, atol=1e-13)
    wide = cp.asarray(np.vstack([x, x]))
    getattr(ndimage, name)(wide[:20], output=wide[7:27], **more)
    np.testing.assert_allclose(wide[7:27].get(), want, rtol=1e-13, atol=1e-13)


def mean_of(x, size, axis, mode, cval, origin):
    """The exact means, cut off for integers."""
    before = size // 2 + origin
    widths = [(0, 0)] * x.ndim
    widths[axis] = (before, size - 1 - before)
    rule = {"reflect": "symmetric", "mirror": "reflect", "nearest": "edge", "wrap": "wrap"}.get(mode, "constant")
    padded = np.pad(x.astype(object), widths, rule, **({"constant_values": cval} if rule == "constant" else {}))
    windows = np.lib.stride_tricks.sliding_window_view(padded, size, axis)
    return np.vectorize(lambda s: int(fractions.Fraction(s) / size))(windows.sum(-1)) if x.size else x


@pytest.mark.parametrize("seed", range(20))
def test_means(seed):
    rng = np.random.default_rng(seed)
    shape = shape_of(rng, 3)
    size, axis = int(rng.integers(1, 14)), int(rng.integers(0, len(shape)))
    mode, origin = MODES[int(rng.integers(5))], origin_of(rng, size)
    for dtype in ["int8", "uint8", "int16", "int32", "uint32", "int64"]:
        x = laid_out(rng, values(rng, shape, dtype))
        want = mean_of(x[0], size, axis, mode, 3, origin)
        got = ndimage.uniform_filter1d(x[1], size, axis, mode=mode, cval=3, origin=origin)
        assert got.dtype == x[0].dtype
        np.testing.assert_array_equal(got.get(), want)
    for dtype in ["float32", "float64"]:
        x = laid_out(rng, values(rng, shape, dtype))
        both("uniform_filter1d", x, (size,), axis=axis, mode=mode, cval=0.5, origin=origin, exact=False)
        both("uniform_filter", x, (size,), mode=mode, exact=False)


def test_means_are_exact_beside_infinities():
    """SciPy's running sum carries a NaN to the end of the line."""
    x = np.arange(100.0)
    x[20] = np.inf
    got = ndimage.uniform_filter1d(cp.asarray(x), 5).get()
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 2, "symmetric"), 5)
    np.testing.assert_array_equal(got, windows.mean(-1))


@pytest.mark.parametrize("seed", range(20))
def test_extremes(seed):
    rng = np.random.default_rng(seed)
    for dtype in REAL:
        x = laid_out(rng, values(rng, shape_of(rng), dtype))
        size, mode = int(rng.integers(1, 12)), MODES[int(rng.integers(8))]
        name = ["minimum", "maximum"][int(rng.integers(2))]
        cval = float(rng.choice([0, 1]) if dtype == "bool" else rng.choice([0, 3, 1.5, -2]))
        if np.dtype(dtype).kind in "bu":
            cval = abs(int(cval))
        both(name + "_filter1d", x, (size,), axis=int(rng.integers(-x[0].ndim, x[0].ndim)), mode=mode, cval=cval,
             origin=origin_of(rng, size), **output_of(rng, x, SIGNED))
        both(name + "_filter", x, (size,), mode=mode, cval=cval, origin=origin_of(rng, size),
             **output_of(rng, x, SIGNED))
        footprint = rng.random(tuple(int(n) for n in rng.integers(1, 5, x[0].ndim))) < 0.6
        footprint.flat[0] = True  # SciPy's footprints, unlike its boxes, cut the constant off
        both(name + "_filter", x, footprint=footprint, mode=mode, cval=np.trunc(cval),
             origin=[origin_of(rng, n) for n in footprint.shape], **output_of(rng, x, SIGNED))


@pytest.mark.parametrize("seed", range(20))
def test_ranks(seed):
    rng = np.random.default_rng(seed)
    for dtype in REAL:
        x = laid_out(rng, values(rng, shape_of(rng, 3), dtype))
        mode = MODES[int(rng.integers(8))]
        cval = float(rng.integers(0, 2))
        size = tuple(int(n) for n in rng.integers(1, [9, 6, 4][x[0].ndim - 1] + 1, x[0].ndim))
        if x[0].ndim == 1:  # SciPy's 1-d rank filter has its own rules for sizes beyond the line
            size = (min(size[0], len(x[0])),)
        # and writes to outputs of other types and strides where they are not
        both("median_filter", x, size=size, mode=mode, cval=cval,
             **({} if x[0].ndim == 1 else output_of(rng, x, SIGNED)))
        if x[0].ndim == 1:
            continue
        footprint = rng.random(size) < 0.7
        footprint.flat[-1] = True
        n = int(footprint.sum())
        origin = [origin_of(rng, k) for k in size]
        both("rank_filter", x, rank=int(rng.integers(-n, n)), footprint=footprint, mode=mode, cval=cval, origin=origin,
             **output_of(rng, x, SIGNED))
        both("percentile_filter", x, percentile=float(rng.choice([0, 10, 50, 77.7, 100, -20])), size=size, mode=mode,
             cval=cval, origin=origin)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
@pytest.mark.parametrize("size", [3, 5, 7, (1, 9), (9, 1), (24, 23), (65, 67)])
def test_ranks_of_a_large_image(dtype, size):
    """Strips and their ends; (65, 67) has more taps than a network takes."""
    rng = np.random.default_rng(3)
    x = (rng.normal(size=(37, 211)) * 50).astype(dtype)
    both("median_filter", (x, cp.asarray(x)), size=size)
    if size == 5:
        n = 25
        for rank in range(n):
            both("rank_filter", (x, cp.asarray(x)), rank=rank, size=size)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nan_in_orders(dtype):
    """Extremes keep a NaN; in ranks it comes last."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(30, 40)).astype(dtype)
    x[rng.random(x.shape) < 0.1] = np.nan
    x[rng.random(x.shape) < 0.05] = -np.nan
    x[3, 4], x[3, 5] = np.inf, -np.inf
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 1, "symmetric"), (3, 3))
    flat = np.sort(windows.reshape(30, 40, 9), -1)
    y = cp.asarray(x)
    for rank in range(9):
        np.testing.assert_array_equal(ndimage.rank_filter(y, rank, 3).get(), flat[..., rank])
    np.testing.assert_array_equal(ndimage.median_filter(y, 3).get(), flat[..., 4])
    np.testing.assert_array_equal(ndimage.minimum_filter(y, 3).get(), windows.min((-1, -2)))
    np.testing.assert_array_equal(ndimage.maximum_filter(y, 3).get(), windows.max((-1, -2)))
    cross = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 0]], bool)
    np.testing.assert_array_equal(ndimage.minimum_filter(y, footprint=cross).get(), windows[..., cross].min(-1))
    np.testing.assert_array_equal(ndimage.maximum_filter(y, footprint=cross).get(), windows[..., cross].max(-1))


@pytest.mark.parametrize("dtype", ["float16"])
def test_halves(dtype):
    """SciPy has none: its results of float32, rounded."""
    x = np.random.default_rng(6).normal(size=(20, 30)).astype(dtype)
    y, wide = cp.asarray(x), x.astype("float64")
    for name, more in {"gaussian_filter1d": {"sigma": 1}, "uniform_filter": {"size": 1}, "median_filter": {"size": 5},
                       "maximum_filter": {"size": 3}, "correlate": {"weights": np.ones((3, 3))}}.items():
        want = getattr(scipy.ndimage, name)(wide, **more).astype(dtype)
        np.testing.assert_array_equal(getattr(ndimage, name)(y, **more).get(), want)


@pytest.mark.parametrize("seed", range(20))
def test_grey_morphology(seed):
    rng = np.random.default_rng(seed)
    for dtype in ["int16", "int32", "float32", "float64"]:
        x = laid_out(rng, values(rng, shape_of(rng, 3), dtype))
        n = x[0].ndim
        size = tuple(int(k) for k in rng.integers(1, 5, n))
        footprint = rng.random(size) < 0.7
        footprint.flat[0] = True
        structure = rng.integers(-3, 4, size)
        how = [{"size": size}, {"footprint": footprint}, {"structure": structure},
               {"footprint": footprint, "structure": structure}][int(rng.integers(4))]
        mode = MODES[int(rng.integers(8))]
        for name in ["grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
                     "morphological_laplace", "white_tophat", "black_tophat"]:
            both(name, x, mode=mode, cval=2, **how)


@pytest.mark.parametrize("seed", range(30))
def test_binary_morphology(seed):
    """SciPy step by step (brute_force): its other way writes outside of its memory where a structure is longer than
    the image."""
    rng = np.random.default_rng(seed)
    for _ in range(6):
        shape = shape_of(rng)
        x = laid_out(rng, rng.random(shape) < rng.choice([0.3, 0.6, 0.9]))
        structure = rng.random(tuple(int(n) for n in rng.integers(1, 4, len(shape)))) < 0.7
        origin = [origin_of(rng, n, not n & 1) for n in structure.shape]
        structure[tuple(n // 2 + o for n, o in zip(structure.shape, origin))] = True
        mask = laid_out(rng, rng.random(shape) < 0.7)
        border, iterations = int(rng.integers(2)), int(rng.choice([1, 2, 3, 5, -1, 0]))
        some = {"mask": Pair(mask)} if rng.integers(2) else {}
        brute = Pair((True, False))
        for name in ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"]:
            both(name, x, structure=structure, iterations=iterations, border_value=border, origin=origin,
                 brute_force=brute, **some)
        both("binary_hit_or_miss", x, structure1=structure, origin1=origin)
        both("binary_erosion", x, iterations=2, brute_force=brute, **output_of(rng, x, ["bool", "uint8", "float32"]))
        steps = {"iterations": -1, "brute_force": True}
        want = scipy.ndimage.binary_dilation(x[0], structure, mask=mask[0], origin=origin, **steps)
        agree(ndimage.binary_propagation(x[1], structure, mask[1], origin=origin), want)
        outside = scipy.ndimage.binary_dilation(np.zeros(shape, bool), mask=~x[0], border_value=1, **steps)
        agree(ndimage.binary_fill_holes(x[1]), ~outside)


@pytest.mark.parametrize("shape", [(300, 500), (40, 50, 60)])
def test_large_regions(shape):
    x = np.random.default_rng(0).random(shape) < 0.58
    steps = {"iterations": -1, "brute_force": True}
    outside = scipy.ndimage.binary_dilation(np.zeros(shape, bool), mask=~x, border_value=1, **steps)
    agree(ndimage.binary_fill_holes(cp.asarray(x)), ~outside)
    seeds = np.zeros(shape, bool)
    seeds.flat[::1001] = True
    agree(ndimage.binary_propagation(cp.asarray(seeds), mask=cp.asarray(x)),
          scipy.ndimage.binary_dilation(seeds, mask=x, **steps))
    agree(ndimage.binary_erosion(cp.asarray(x), iterations=-1, mask=cp.asarray(~seeds)),
          scipy.ndimage.binary_erosion(x, mask=~seeds, **steps))


def test_iterations_without_an_end():
    """Two images that take turns: SciPy does not return."""
    x = cp.asarray(np.arange(20) % 2 == 0)
    assert outcome(lambda: ndimage.binary_dilation(x, [True, False, True], -1)) is RuntimeError
    assert outcome(lambda: ndimage.binary_erosion(x, [True, False, True], -1, border_value=1)) is RuntimeError
    agree(ndimage.binary_dilation(x, [False, False, True], -1), np.zeros(20, bool))  # all leave the image


def test_structures():
    for rank, connectivity in itertools.product(range(-1, 4), range(-1, 5)):
        agree(ndimage.generate_binary_structure(rank, connectivity),
              scipy.ndimage.generate_binary_structure(rank, connectivity))
    s = scipy.ndimage.generate_binary_structure(2, 1)
    for iterations in range(5):
        agree(ndimage.iterate_structure(cp.asarray(s), iterations), scipy.ndimage.iterate_structure(s, iterations))
    got, origin = ndimage.iterate_structure(cp.asarray(s), 3, 1)
    want, origin_there = scipy.ndimage.iterate_structure(s, 3, 1)
    agree(got, want)
    assert list(origin) == list(origin_there)


@pytest.mark.parametrize("seed", range(20))
def test_fourier(seed):
    rng = np.random.default_rng(seed)
    shape = shape_of(rng, 3)
    for dtype in ["int32", "float32", "float64", "complex64", "complex128"]:
        x = laid_out(rng, values(rng, shape, dtype))
        n = int(rng.choice([-1, 2 * shape[-1] - 1]))
        sizes = [float(s) for s in rng.uniform(0.5, 4, len(shape))]
        for name in ["fourier_gaussian", "fourier_uniform", "fourier_shift", "fourier_ellipsoid"]:
            if name == "fourier_ellipsoid" and len(shape) == 2:
                continue
            both(name, x, (sizes,), n=n, exact=False, ulps=100)
        both("fourier_gaussian", x, (1.5,), axis=0, output=np.complex128, exact=False)


def test_fourier_ellipsoid_of_two_dimensions():
    """By the Bessel function itself: SciPy's approximation has eight digits."""
    from scipy.special import j1
    x = np.random.default_rng(0).normal(size=(12, 15))
    r = np.pi * np.hypot(np.fft.fftfreq(12)[:, None] * 2.5, np.fft.fftfreq(15) * 4)
    r[0, 0] = 1
    want = x * 2 * j1(r) / r
    want[0, 0] = x[0, 0]
    np.testing.assert_allclose(ndimage.fourier_ellipsoid(cp.asarray(x), [2.5, 4]).get(), want, rtol=1e-12, atol=1e-15)


def test_empty_and_small():
    for shape in [(0,), (3, 0), (0, 4), (1, 1, 1)]:
        x = np.ones(shape)
        for name, args in {"gaussian_filter": (1,), "uniform_filter": (3,), "median_filter": (3,),
                           "maximum_filter": (5,), "sobel": (), "laplace": (), "grey_erosion": (3,),
                           "binary_erosion": (), "binary_fill_holes": ()}.items():
            both(name, (x, cp.asarray(x)), args, exact=False)
    x = np.array(3.5)
    for name, args in {"gaussian_filter": (1,), "uniform_filter": (3,), "laplace": (), "binary_dilation": (),
                       "binary_erosion": (), "maximum_filter": (3,), "median_filter": (3,)}.items():
        both(name, (x, cp.asarray(x)), args)


@pytest.mark.parametrize("size", [11, 64, 501])
def test_windows_larger_than_the_image(size):
    x = np.random.default_rng(2).normal(size=(3, 5))
    for mode in MODES:
        both("maximum_filter1d", (x, cp.asarray(x)), (size,), mode=mode)
        both("uniform_filter1d", (x, cp.asarray(x)), (size,), axis=0, mode=mode, exact=False, ulps=size)
        both("correlate1d", (x, cp.asarray(x)), (np.random.default_rng(size).normal(size=size),), mode=mode)
        if size == 11:
            both("median_filter", (x, cp.asarray(x)), size=size, mode=mode)
            both("minimum_filter", (x, cp.asarray(x)), footprint=np.eye(size, dtype=bool), mode=mode)
            both("correlate", (x, cp.asarray(x)), (np.ones((size, size)),), mode=mode)


def test_long_lines_and_many():
    """Blocks: their ends, lines that are cut, lines that share one, lanes."""
    rng = np.random.default_rng(8)
    for shape in [(30000,), (3, 9000), (5000, 3), (700, 3, 2), (40, 300, 5), (9, 2, 1100), (2, 300, 300)]:
        x = rng.normal(size=shape).astype("float32")
        for axis in range(len(shape)):
            both("gaussian_filter1d", (x, cp.asarray(x)), (2,), axis=axis)
            both("minimum_filter1d", (x, cp.asarray(x)), (6,), axis=axis)
        both("correlate", (x, cp.asarray(x)), (rng.normal(size=(3,) * len(shape)),), mode="wrap")


def test_generic():
    rng = np.random.default_rng(4)
    for shape in [(12,), (6, 7), (3, 4, 5)]:
        for dtype in ["int32", "float32", "float64"]:
            x = values(rng, shape, dtype)
            for mode in MODES:
                pair = (x, cp.asarray(x))
                both("generic_filter", pair, (np.mean,), size=3, mode=mode, cval=1, origin=1)
                both("generic_filter", pair, (lambda b, k, extra: b[0] * k + extra,), footprint=np.ones((2,) * x.ndim),
                     extra_arguments=(2,), extra_keywords={"extra": 1}, mode=mode, output=np.float64)

                def cumulate(line, out):
                    out[:] = np.cumsum(line)[3 - 1:] / 2
                both("generic_filter1d", pair, (cumulate, 3), axis=0, mode=mode, cval=2, origin=-1)
            both("generic_laplace", pair, (by_difference(scipy.ndimage),), mode="wrap")
            both("generic_gradient_magnitude", pair, (by_difference(scipy.ndimage),), output=np.float64)


def by_difference(_):
    def derivative(x, axis, output, mode, cval):
        module = scipy.ndimage if isinstance(x, np.ndarray) else ndimage
        return module.correlate1d(x, [-1, 0, 1], axis, output, mode, cval)
    return derivative


def test_generic_by_kernels():
    """CuPy's forms: a reduction of each window, a function of a RawKernel."""
    x = np.random.default_rng(4).normal(size=(9, 12))
    y = cp.asarray(x)
    largest = cp.ReductionKernel("X x", "Y y", "x", "max(a, b)", "y = a", "-1e300", "largest")
    want = scipy.ndimage.maximum_filter(x, 3, mode="wrap")
    agree(ndimage.generic_filter(y, largest, 3, mode="wrap"), want)
    second = cp.RawKernel(r"""extern "C" __global__ void second(const double *b, int n, double *r)
        { *r = b[1] + n; }""", "second")
    footprint = np.array([[1, 0, 1], [0, 1, 0]], bool)
    agree(ndimage.generic_filter(y, second, footprint=footprint, output=np.float32),
          scipy.ndimage.generic_filter(x, lambda b: b[1] + len(b), footprint=footprint, output=np.float32))
    line = cp.RawKernel(r"""extern "C" __global__ void sums(const double *in, ptrdiff_t m, double *out, ptrdiff_t n)
        { for (ptrdiff_t i = 0; i < n; i++) out[i] = in[i] + in[i + m - n]; }""", "sums")

    def sums(a, out):
        out[:] = a[:len(out)] + a[len(a) - len(out):]
    agree(ndimage.generic_filter1d(y, line, 4, axis=0, mode="mirror"),
          scipy.ndimage.generic_filter1d(x, sums, 4, axis=0, mode="mirror"))
    assert outcome(lambda: ndimage.generic_filter1d(y, largest, 3)) is TypeError


def test_vectorized():
    x = np.random.default_rng(4).normal(size=(9, 11))
    y = cp.asarray(x)
    for mode in ["reflect", "mirror", "nearest", "wrap", "constant", "valid"]:
        for size in [3, (2, 5)]:
            want = scipy.ndimage.vectorized_filter(x, np.max, size=size, mode=mode)
            agree(ndimage.vectorized_filter(y, cp.max, size=size, mode=mode), want)
    footprint = np.array([[1, 0, 1], [0, 1, 0]], bool)
    want = scipy.ndimage.vectorized_filter(x, np.min, footprint=footprint, origin=(-1, 1))
    agree(ndimage.vectorized_filter(y, cp.min, footprint=footprint, origin=(-1, 1)), want)
    for memory in (np.inf, 1e300):
        want = scipy.ndimage.vectorized_filter(x, np.max, size=3)
        agree(ndimage.vectorized_filter(y, cp.max, size=3, batch_memory=memory), want)
    want = scipy.ndimage.vectorized_filter(x, np.max, size=3, axes=(0,), batch_memory=400)
    agree(ndimage.vectorized_filter(y, cp.max, size=3, axes=(0,), batch_memory=400), want)


BAD = [
    ("correlate1d", ([],), {}), ("correlate1d", ([[1, 2]],), {}), ("correlate1d", ([1, 2, 3],), {"axis": 2}),
    ("correlate1d", ([1, 2, 3],), {"origin": 2}), ("correlate1d", ([1, 2, 3],), {"origin": -2}),
    ("correlate1d", ([1, 2, 3],), {"mode": "nowhere"}), ("correlate", (np.ones(3),), {}),
    ("correlate", (np.ones((3, 3)),), {"mode": ["wrap", "wrap"]}), ("correlate", (np.ones((3, 3)),), {"origin": 2}),
    ("correlate", (np.ones((3, 3)),), {"axes": 0}), ("correlate", (np.ones((3, 0)),), {}),
    ("convolve", (np.ones((3, 3)),), {"origin": [1]}), ("gaussian_filter", ([1, 2, 3],), {}),
    ("gaussian_filter", (1,), {"order": -1}), ("gaussian_filter", (1,), {"radius": -1}),
    ("gaussian_filter", (1,), {"radius": 1.5}), ("gaussian_filter", (1,), {"axes": (0, 0)}),
    ("gaussian_filter", (1,), {"axes": 5}), ("gaussian_filter", (-1,), {"axes": "x"}),
    ("gaussian_filter", (1,), {"mode": "x"}), ("uniform_filter1d", (0,), {}), ("uniform_filter1d", (-3,), {}),
    ("uniform_filter1d", (3,), {"origin": 2}), ("maximum_filter1d", (0,), {}), ("maximum_filter1d", (3,), {"axis": 7}),
    ("maximum_filter", (), {}), ("maximum_filter", (), {"footprint": np.zeros((3, 3))}),
    ("maximum_filter", (), {"footprint": np.array([1, 0, 1])}), ("median_filter", (), {}),
    ("median_filter", (), {"size": [3, 3, 3]}), ("rank_filter", (9,), {"size": 3}),
    ("rank_filter", (-10,), {"size": 3}),
    ("rank_filter", (1.5,), {"size": 3}), ("percentile_filter", (101,), {"size": 3}),
    ("percentile_filter", (-101,), {"size": 3}), ("median_filter", (3,), {"origin": 3}),
    ("grey_erosion", (), {}), ("grey_dilation", (), {}), ("binary_erosion", (np.ones(3),), {}),
    ("binary_erosion", (np.ones((0, 0)),), {}), ("binary_erosion", (), {"iterations": 1.5}),
    ("binary_dilation", (), {"iterations": "a"}), ("fourier_gaussian", ([1, 2, 3],), {}),
    ("fourier_shift", (1,), {"axis": 2}), ("generic_filter", (np.max,), {}), ("generic_filter1d", (np.max, 0), {}),
    ("generic_filter1d", (np.max, 3), {"origin": 4}), ("vectorized_filter", (np.max,), {}),
    ("vectorized_filter", (1,), {"size": 3}), ("vectorized_filter", (np.max,), {"size": 0}),
    ("vectorized_filter", (np.max,), {"size": 3, "mode": "x"}),
    ("vectorized_filter", (np.max,), {"size": 3, "cval": 1}),
    ("vectorized_filter", (np.max,), {"size": 3, "batch_memory": 1}),
]


@pytest.mark.parametrize("name, args, keywords", BAD, ids=lambda x: re.sub(" at 0x[0-9a-f]+", "", str(x))[:40])
def test_errors(name, args, keywords):
    x = np.ones((6, 7))
    want = outcome(lambda: getattr(scipy.ndimage, name)(x, *args, **keywords))
    got = outcome(lambda: getattr(ndimage, name)(cp.asarray(x), *args, **keywords))
    assert isinstance(want, type) and got is want, (got, want)


@pytest.mark.parametrize("name, args", [("median_filter", (3,)), ("maximum_filter", (3,)), ("minimum_filter1d", (3,)),
                                        ("binary_erosion", ()), ("grey_erosion", (3,)), ("generic_filter1d", (len, 3))])
def test_complex_is_refused(name, args):
    x = np.ones((6, 7), complex)
    assert outcome(lambda: getattr(ndimage, name)(cp.asarray(x), *args)) is TypeError


@pytest.mark.parametrize("name, args", [("gaussian_filter", (1,)), ("uniform_filter", (3,)), ("median_filter", (3,)),
                                        ("sobel", ()), ("laplace", ()), ("correlate", (np.ones((3, 3)),)),
                                        ("grey_erosion", (3,)), ("maximum_filter1d", (3,))])
@pytest.mark.parametrize("dtype", ["F", "D"])
def test_complex_outputs_of_real_inputs(name, args, dtype):
    """are SciPy's RuntimeError, given as a type and as an array; there is no complex input to speak of."""
    x = np.arange(30.0).reshape(5, 6)
    for bring in (np.asarray, cp.asarray):
        module = scipy.ndimage if bring is np.asarray else ndimage
        given = [bring(a) if isinstance(a, np.ndarray) else a for a in args]
        for output in (np.dtype(dtype), bring(np.empty(x.shape, dtype))):
            with pytest.raises(RuntimeError):
                getattr(module, name)(bring(x), *given, output=output)


def test_outputs_are_checked():
    x = cp.ones((4, 5))
    for output in [cp.ones((5, 4)), cp.ones(3), "bool"]:
        assert outcome(lambda: ndimage.gaussian_filter(x, 1, output=output)) is RuntimeError
        assert outcome(lambda: ndimage.median_filter(x, 3, output=output)) is RuntimeError
    assert outcome(lambda: ndimage.gaussian_filter(x, 1, output=np.ones((4, 5)))) is TypeError
    assert outcome(lambda: ndimage.gaussian_filter(np.ones((4, 5)), 1)) is TypeError
    with pytest.warns(UserWarning):
        ndimage.median_filter(x, size=3, footprint=np.ones((3, 3)))


