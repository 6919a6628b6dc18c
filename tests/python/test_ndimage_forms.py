"""cuprite.scipy.ndimage: the forms of arguments that CuPy takes, beside SciPy's."""
import numpy as np
import pytest

import cuprite as cp
from oracle import raises

theirs = pytest.importorskip("scipy.ndimage")
ndimage = cp.scipy.ndimage
r = np.random.default_rng(12)

ABOVE = ("_raw_x[_in_ind.size() / 2] > x", "a + b", "y = a", "0", "above", "int")
SQUARES = ("x * x", "a + b", "y = a / _in_ind.size()", "0", "squares", "double")
LATER = ("_J > 1 ? x : 0", "a + b", "y = a", "0", "later")
SPREAD = ("x - _raw_x[0] + 0 * _j", "max(a, b)", "y = a", None, "spread")
OF_WINDOWS = [(ABOVE, lambda w: (w[len(w) // 2] > w).sum()), (SQUARES, lambda w: (w * w).mean()),
              (LATER, lambda w: w[2:].sum()), (SPREAD, lambda w: (w - w[0]).max())]


@pytest.mark.parametrize("source, function", OF_WINDOWS)
@pytest.mark.parametrize("kind", ["u1", "i4", "f4", "f8"])
def test_reductions_know_their_window(source, function, kind):
    """_raw_x, _in_ind and the counters of a ReductionKernel are those of a window, not of all windows."""
    kernel = cp.ReductionKernel("X x", "Y y", *source)
    x = r.integers(0, 9, (6, 7)).astype(kind)
    footprint = np.array([[0, 1, 1], [1, 1, 0]], bool)
    for options in ({"size": 3}, {"size": (2, 3), "mode": "wrap", "origin": (0, 1)}, {"footprint": footprint},
                    {"size": 3, "mode": "constant", "cval": 2, "output": np.float64}):
        if source is SPREAD and kind == "u1" and "cval" not in options:
            continue  # differences of unsigned elements, where SciPy has float64's
        want = theirs.generic_filter(x, function, **options)
        got = ndimage.generic_filter(cp.asarray(x), kernel, **options)
        assert got.dtype == want.dtype
        np.testing.assert_allclose(got.get(), want, rtol=1e-6)


def test_reductions_of_other_types():
    kernel = cp.ReductionKernel("T x", "T y", "x + _J", "a + b", "y = a", "0", "alike")
    with raises(TypeError):
        ndimage.generic_filter(cp.ones((3, 3)), kernel, 3, output=np.float32)
    assert ndimage.generic_filter(cp.ones((3, 3)), kernel, 3).tolist() == [[9.0 + 36] * 3] * 3


MORPHOLOGY = ["binary_erosion", "binary_dilation", "binary_opening", "binary_closing"]


@pytest.mark.parametrize("name", MORPHOLOGY)
def test_lengths_as_structures(name):
    """A length, and a tuple of them, are all-true structures, where they are no elements of one."""
    ours, scipys = getattr(ndimage, name), getattr(theirs, name)
    x = r.random((9, 10)) < 0.8
    for given, shape in ((3, (3, 3)), (2, (2, 2)), ((3, 2), (3, 2)), ((1, 3), (1, 3)), (np.int64(3), (3, 3))):
        np.testing.assert_array_equal(ours(cp.asarray(x), given).get(), scipys(x, np.ones(shape, bool)))
    cube = r.random((4, 5, 6)) < 0.8
    np.testing.assert_array_equal(ours(cp.asarray(cube), (2, 1, 3)).get(), scipys(cube, np.ones((2, 1, 3), bool)))
    # SciPy's forms stay what they are
    rows = ((0, 1, 0), (1, 1, 1), (0, 1, 0))
    np.testing.assert_array_equal(ours(cp.asarray(x), rows).get(), scipys(x, rows))
    np.testing.assert_array_equal(ours(cp.asarray(x[0]), (1, 0, 1)).get(), scipys(x[0], (1, 0, 1)))
    for wrong in ((3, 3, 3), (3,), [3, 3], True, 2.0, (0, 3)):
        with raises(RuntimeError):
            ours(cp.asarray(x), wrong)


@pytest.mark.parametrize("kind", ["i4", "i8", "u4", "u8", "i2", "u2"])
def test_indices_of_distances(kind):
    x = r.random((20, 30)) < 0.9
    want = theirs.distance_transform_edt(x, return_distances=False, return_indices=True)
    distances = theirs.distance_transform_edt(x)
    out = cp.empty((2, 20, 30), kind)
    got = ndimage.distance_transform_edt(cp.asarray(x), return_indices=True, indices=out)
    np.testing.assert_allclose(got.get(), distances)
    i = out.get().astype(int)
    np.testing.assert_allclose(np.sqrt(((np.indices(x.shape) - i) ** 2).sum(0)), distances)
    assert not x[tuple(i)].any() and i.shape == want.shape
    cube, out = cp.asarray(r.random((3, 4, 5)) < 0.9), cp.empty((3, 3, 4, 5), kind)
    if kind[1] == "2":  # of three dimensions 32 bits, as CuPy's
        with raises(RuntimeError):
            ndimage.distance_transform_edt(cube, return_indices=True, indices=out)
        with raises(RuntimeError):
            ndimage.distance_transform_edt(cp.zeros(40000), return_indices=True, indices=cp.empty((1, 40000), kind))
    else:
        ndimage.distance_transform_edt(cube, return_indices=True, indices=out)


def test_outputs_of_distances_that_do_not_fit():
    x = cp.ones((4, 4))
    for kind in ("i1", "u1", "f4", "?"):
        with raises(RuntimeError):
            ndimage.distance_transform_edt(x, return_indices=True, indices=cp.empty((2, 4, 4), kind))
    for name in ("distance_transform_bf", "distance_transform_cdt"):  # SciPy alone has these
        with raises(ValueError if name.endswith("cdt") else RuntimeError):
            getattr(ndimage, name)(x, return_indices=True, indices=cp.empty((2, 4, 4), "i8"))


@pytest.mark.parametrize("kind", ["f2", "f4", "f8", "c8", "c16"])
def test_labels_are_integers(kind):
    with raises(TypeError):
        theirs.find_objects(np.ones((2, 2), kind))
    with raises(TypeError):
        ndimage.find_objects(cp.ones((2, 2), kind))


@pytest.mark.parametrize("name", ["correlate", "convolve"])
def test_weights_without_elements(name):
    """An axis of no length, beyond as many as there are, is not counted; sums of nothing are 0."""
    x = r.standard_normal((4, 5))
    ours, scipys = getattr(ndimage, name), getattr(theirs, name)
    for shape, options in (((0, 3, 3), {}), ((3, 0, 2), {"output": np.float32}),
                           ((0, 3, 3), {"mode": "wrap"})):
        want = scipys(x, np.ones(shape), **options)
        got = ours(cp.asarray(x), cp.ones(shape), **options)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.get(), want)
    for shape, kind, options in (((0, 3), RuntimeError, {}), ((0, 0, 0), RuntimeError, {}),
                                 ((0, 2), RuntimeError, {"axes": (1,)}),
                                 ((0, 3, 3), RuntimeError, {"mode": "none"}), ((0, 3, 3), ValueError, {"origin": 5})):
        with raises(kind):
            scipys(x, np.ones(shape), **options)
        with raises(kind):
            ours(cp.asarray(x), cp.ones(shape), **options)


# --- bool, and no axes ---

@pytest.mark.parametrize("shape", [7, (5, 6)])
def test_sums_over_axes_of_bool(shape):
    x = np.random.default_rng(3).integers(0, 2, shape).astype(bool)

    def difference(x, axis, output, mode, cval):
        module = ndimage if isinstance(x, cp.ndarray) else theirs
        return module.correlate1d(x, [-1, 0, 1], axis, output, mode, cval)
    for name, given in (("generic_gradient_magnitude", (difference,)), ("generic_laplace", (difference,)),
                        ("gaussian_gradient_magnitude", (1.0,)), ("gaussian_laplace", (1.0,)), ("laplace", ())):
        got = getattr(ndimage, name)(cp.asarray(x), *given)
        want = getattr(theirs, name)(x, *given)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.get(), want)
    with raises(RuntimeError):
        ndimage.laplace(cp.asarray(x), output="bool")
    assert ndimage.laplace(cp.asarray(x), output=np.str_("f")).dtype == np.float32


@pytest.mark.parametrize("mode", ["nearest", "constant", "mirror"])
def test_functions_of_windows_without_axes(mode):
    for options in ({"size": 3}, {"footprint": np.array(True)}, {"footprint": np.array(False)}):
        got, want = (m.generic_filter(x, lambda v: 2 * v.sum(), mode=mode, **options)
                     for m, x in ((ndimage, cp.array(-6.0)), (theirs, np.array(-6.0))))
        assert got.shape == () and float(got) == float(want)


def test_no_array_of_a_geometric_transform():
    with raises(TypeError):
        ndimage.geometric_transform([1.0, 2.0], lambda at: at, (2,))


def test_derivatives_are_given_types_as_numpys():
    """The function is told where the first derivative goes, and the type of the others, as by SciPy."""
    x = np.arange(30.0, dtype="f4").reshape(5, 6)
    for name in ("generic_laplace", "generic_gradient_magnitude"):
        results, told = [], []
        for module, given in ((theirs, x), (ndimage, cp.asarray(x))):
            seen = []

            def derivative(x, axis, output, mode, cval):
                seen.append(output if isinstance(output, np.dtype) else output.dtype)
                if not isinstance(output, np.dtype):
                    output[...] = x + axis
                    return output
                return x + axis
            results.append(np.asarray(getattr(module, name)(given, derivative).get() if module is ndimage
                                      else getattr(module, name)(given, derivative)))
            told.append(seen)
        np.testing.assert_allclose(*results, rtol=1e-6)
        assert told[0] == told[1] == [np.dtype("f4")] * 2
