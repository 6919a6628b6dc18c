"""cuprite.testing: what must pass passes, and what must fail fails."""
import random
import unittest
import warnings

import numpy as np
import pytest

import cuprite as cp
from cuprite import testing
from oracle import raises


def fails(f, *args, **options):
    with raises(AssertionError):
        f(*args, **options)


def test_numpys_own_comparison_is_what_it_was():
    """conftest.py answers for it where arrays are equal."""
    nan = np.nan
    equal = [([1, 2], [1, 2]), ([nan, 1.0], [nan, 1.0]), ([0.0], [-0.0]), ([complex(nan, 1)], [complex(2, nan)]),
             ([], []), ([[True]], [[True]])]
    different = [([1, 2], [1, 3]), ([nan, 1.0], [1.0, nan]), ([nan], [0.0]), ([1 + 2j], [1 + 3j]), ([1, 2], [[1], [2]]),
                 ([complex(nan, 1), 1], [1, complex(nan, 1)]), ([True], [False]), ([1, 2, 3], [1, 2])]
    for a, b in equal:
        np.testing.assert_array_equal(np.array(a), np.array(b))
        np.testing.assert_array_equal(np.array(a), np.array(b), strict=True)
    for a, b in different:
        fails(np.testing.assert_array_equal, np.array(a), np.array(b))
    np.testing.assert_array_equal(np.array([1]), np.array([1.0]))
    fails(np.testing.assert_array_equal, np.array([1]), np.array([1.0]), strict=True)


def test_assertions():
    x, y = cp.asarray([1.0, 2]), np.array([1.0, 2])
    near = y * (1 + 2**-50)
    testing.assert_array_equal(x, y, strides_check=True)
    testing.assert_array_equal(x[:1], 1.0)
    testing.assert_allclose(x, near)
    testing.assert_array_almost_equal(x, y + 1e-7)
    testing.assert_array_almost_equal_nulp(x, near, 4)
    testing.assert_array_max_ulp(x, near, 4)
    testing.assert_array_less(x, y + 1)
    testing.assert_array_list_equal([x, y], [y, x])
    fails(testing.assert_array_equal, x, near)
    fails(testing.assert_array_equal, x[:1], 1.0, strict=True)
    fails(testing.assert_array_equal, x[::2], y[:1], strides_check=True)
    fails(testing.assert_allclose, x, y + 1e-5)
    fails(testing.assert_allclose, x * np.nan, y * np.nan, equal_nan=False)
    fails(testing.assert_array_almost_equal, x, y + 1e-5)
    fails(testing.assert_array_almost_equal_nulp, x, near)
    fails(testing.assert_array_max_ulp, x, near, 3)
    fails(testing.assert_array_less, x, y)
    fails(testing.assert_array_list_equal, [x], [x, y])
    fails(testing.assert_array_list_equal, [x], (x,))
    fails(testing.assert_array_list_equal, [x], [near])


@pytest.mark.once
@pytest.mark.parametrize("name, options, wanted", [
    ("for_all_dtypes", {}, "?bhilBHILefdFD"), ("for_all_dtypes", {"no_bool": True, "no_float16": True}, "bhilBHILfdFD"),
    ("for_all_dtypes", {"no_complex": True}, "?bhilBHILefd"), ("for_float_dtypes", {}, "efd"),
    ("for_float_dtypes", {"no_float16": True}, "fd"), ("for_signed_dtypes", {}, "bhil"),
    ("for_unsigned_dtypes", {}, "BHIL"), ("for_int_dtypes", {}, "?bhilBHIL"), ("for_complex_dtypes", {}, "FD"),
    ("for_int_dtypes", {"no_bool": True, "name": "t"}, "bhilBHIL")])
def test_loops(name, options, wanted):
    seen = []

    def test(**words):
        seen.append(np.dtype(words[options.get("name", "dtype")]).char)
    getattr(testing, name)(**options)(test)()
    assert sorted(seen) == sorted(wanted)


@pytest.mark.once
def test_combinations_orders_axes():
    types, seen = ["f4", "f8", "i4", "i8"], []
    testing.for_dtypes_combination(types, ("a", "b"), full=True)(lambda a, b: seen.append((a, b)))()
    assert len(seen) == len(set(seen)) == 16
    seen.clear()
    testing.for_dtypes_combination(types, ("a", "b"), full=False)(lambda a, b: seen.append((a, b)))()
    assert {a for a, _ in seen} == {b for _, b in seen} == set(types) and len(seen) < 16
    seen.clear()
    testing.for_CF_orders()(lambda order: seen.append(order))()
    assert {"C", "F", None} <= set(seen)

    class Case:
        shape, order = (2, 3, 4), "C"

        @testing.for_contiguous_axes()
        def axes(self, axis):
            seen.append(axis)
    seen.clear()
    Case().axes()
    Case.order = "F"
    Case().axes()
    assert seen == [(2,), (1, 2), (0, 1, 2), (0,), (0, 1), (0, 1, 2)]


@pytest.mark.once
def test_the_inner_of_two_loops():
    seen = []
    testing.for_dtypes(["f4"])(testing.for_dtypes(["f8", "i4"])(lambda dtype: seen.append(dtype)))()
    assert seen == [np.float64, np.int32]


@pytest.mark.once
def test_names_of_parameterized_tests():
    for ids, wanted in ((True, ["_param_0_{'a': (1)}"]), (False, ["_param_0_"])):
        class Test:
            pass
        assert testing.parameterize({"a": [1]}, _ids=ids)(Test).pytestmark[0].kwargs["ids"] == wanted


@pytest.mark.once
def test_loops_fail_and_skip(capsys):
    def test(dtype):
        if dtype == "f8":
            raise ValueError(dtype)
        raise unittest.SkipTest("no")
    with raises(ValueError):
        testing.for_dtypes(["f4", "f8"])(test)()
    assert capsys.readouterr().out == "dtype is f8\n"
    with raises(unittest.SkipTest):
        testing.for_dtypes(["f4", "i4"])(test)()


def test_beside():
    t = testing
    t.numpy_cupy_array_equal()(lambda xp: xp.arange(3))()
    t.numpy_cupy_array_equal(name="m")(lambda m: (m.arange(3), m.ones(2)))()
    t.numpy_cupy_allclose()(lambda xp: xp.ones(2) * (1 + 1e-9 * (xp is cp)))()
    t.numpy_cupy_allclose(rtol={"f4": 0, "default": 1e-3})(lambda xp: xp.ones(2) * (1 + 1e-5 * (xp is cp)))()
    t.numpy_cupy_array_almost_equal()(lambda xp: xp.ones(2) + 1e-7 * (xp is cp))()
    t.numpy_cupy_array_max_ulp(2)(lambda xp: xp.ones(2) * (1 + 2**-52 * (xp is cp)))()
    t.numpy_cupy_array_almost_equal_nulp(2)(lambda xp: xp.ones(2) * (1 + 2**-52 * (xp is cp)))()
    t.numpy_cupy_array_less()(lambda xp: xp.ones(2) + (xp is np))()
    t.numpy_cupy_array_list_equal()(lambda xp: [xp.ones(2), xp.ones(1)])()
    t.numpy_cupy_equal()(lambda xp: xp.ones(3).shape)()
    t.numpy_cupy_equal(scipy_name="scp")(lambda xp, scp: scp.__name__.split(".")[-1])()
    t.numpy_cupy_raises()(lambda xp: xp.ones(3).reshape(2))()
    t.numpy_cupy_array_equal(accept_error=ValueError)(lambda xp: xp.ones(3).reshape(2))()
    t.numpy_cupy_array_equal()(lambda xp: xp.poly1d([0, 1, 2], variable="y"))()
    fails(t.numpy_cupy_array_equal()(lambda xp: xp.poly1d([1, 2 + (xp is cp)])))
    fails(t.numpy_cupy_array_equal()(lambda xp: xp.poly1d([1, 2], variable="xy"[xp is cp])))
    fails(t.numpy_cupy_array_equal()(lambda xp: xp.arange(3) + (xp is cp)))
    fails(t.numpy_cupy_array_equal()(lambda xp: xp.ones(3, "f4" if xp is cp else "f8")))
    fails(t.numpy_cupy_array_equal()(lambda xp: xp.ones((1, 3) if xp is cp else 3)))
    t.numpy_cupy_array_equal(type_check=False)(lambda xp: xp.ones(3, "f4" if xp is cp else "f8"))()
    fails(t.numpy_cupy_array_equal(strides_check=True)(lambda xp: xp.ones((2, 3), order="F" if xp is cp else "C")))
    fails(t.numpy_cupy_allclose()(lambda xp: xp.ones((2, 3), order="F" if xp is cp else "C")))
    fails(t.numpy_cupy_allclose()(lambda xp: xp.ones(2) * (1 + 1e-5 * (xp is cp))))
    fails(t.numpy_cupy_allclose(rtol={"f8": 0, "default": 1})(lambda xp: xp.ones(2) * (1 + 1e-5 * (xp is cp))))
    fails(t.numpy_cupy_array_less()(lambda xp: xp.ones(2)))
    fails(t.numpy_cupy_array_list_equal()(lambda xp: [xp.ones(2)] * (1 + (xp is cp))))
    fails(t.numpy_cupy_equal()(lambda xp: xp is cp))
    fails(t.numpy_cupy_raises()(lambda xp: xp.ones(3)))
    fails(t.numpy_cupy_raises()(lambda xp: 1 / 0 if xp is cp else xp.ones(3)))
    fails(t.numpy_cupy_raises()(lambda xp: 1 / 0 if xp is cp else [][1]))
    fails(t.numpy_cupy_array_equal()(lambda xp: 1 / 0 if xp is np else xp.ones(3)))
    fails(t.numpy_cupy_array_equal(accept_error=TypeError)(lambda xp: xp.ones(3).reshape(2)))
    with raises(ValueError):
        t.numpy_cupy_array_equal()(lambda xp: xp.ones(3).reshape(2))()


@testing.for_CF_orders()
@testing.for_all_dtypes(no_bool=True)
@testing.numpy_cupy_allclose(rtol=1e-2)
def test_decorated(xp, dtype, order):
    return xp.sqrt(testing.shaped_arange((2, 3), xp, dtype, order=order or "C"))


@testing.parameterize(*testing.product({"a": [1, 2], "b": [3]}))
class TestParameterized:
    @pytest.fixture(autouse=True)
    def called(self):
        """What the test's calls saw: the decorator calls its body once for each type, in whatever process it runs."""
        self.seen = []
        yield
        assert self.seen == [(self.a, dtype) for dtype in ("f8", "f4", "f2")]

    @testing.for_float_dtypes()
    def test_attributes(self, dtype, tmp_path):
        assert self.a in (1, 2) and self.b == 3 and tmp_path.exists()
        self.seen.append((self.a, np.dtype(dtype).str[1:]))


def test_arrays_that_are_made():
    equal = np.testing.assert_array_equal
    equal(testing.shaped_arange((2, 3)).get(), [[1, 2, 3], [4, 5, 6]])
    equal(testing.shaped_arange((3,), dtype="?").get(), [False, True, False])
    equal(testing.shaped_arange((2,), np, "D"), [1 + 1j, 2 + 2j])
    assert testing.shaped_arange((2, 3), order="F").flags.f_contiguous
    equal(testing.shaped_reverse_arange((2, 2), dtype="i4").get(), [[4, 3], [2, 1]])
    for length in (5, (5,)):
        equal(testing.shaped_linspace(0, 1, length, np), np.linspace(0, 1, 5, dtype="f4"))
    for dtype in ("?", "i4", "f2", "f8", "D"):
        ours, theirs = (testing.shaped_random((3, 4), xp, dtype, scale=5, seed=2) for xp in (cp, np))
        equal(ours.get(), theirs)
        assert ours.dtype == dtype and len(np.unique(theirs)) > 1 and abs(theirs).max() <= 8
    values = np.array([[3.0, 1], [5, 0.5]])
    for dtype in ("f8", "D"):
        a = testing.generate_matrix((2, 3, 2), cp, dtype, singular_values=values)
        np.testing.assert_allclose(np.linalg.svd(a.get(), compute_uv=False), values, rtol=1e-12)
    for error, shape, options in ((TypeError, (2, 2), {}), (ValueError, (2,), {"singular_values": 1}),
                                  (ValueError, (2, 2), {"dtype": "i4", "singular_values": 1})):
        with raises(error):
            testing.generate_matrix(shape, **options)
    import scipy.sparse
    m = testing.shaped_sparse_random((20, 30), scipy.sparse, "f8", 0.1, "csr")
    assert m.format == "csr" and m.nnz == 60 and m.dtype == "f8"


@pytest.mark.once
def test_requirements():
    assert testing.installed("numpy>=1.0", "pytest") and not testing.installed("numpy>=999")
    assert not testing.installed("no-such-package-as-this") and testing.numpy_satisfies(">=2,<999")
    assert not testing.numpy_satisfies("<1") and testing.slow.__name__ == "slow"
    with raises(unittest.SkipTest):
        testing.with_requires("numpy>=999")(lambda: None)()
    assert testing.with_requires("numpy>=1")(lambda: 3)() == 3
    with raises(unittest.SkipTest):
        testing.multi_gpu(1000)(lambda: None)()
    assert testing.multi_gpu(0)(lambda: 3)() == 3
    assert testing.product([[{"a": 1}, {"a": 2}], [{"b": 3}]]) == [{"a": 1, "b": 3}, {"a": 2, "b": 3}]


def test_random_numbers_are_fixed():
    draw = testing.fix_random()(lambda: (random.random(), np.random.rand(), cp.random.rand(2).tolist(),
                                         testing.generate_seed()))
    assert draw() == draw()
    assert testing.generate_seed() != testing.generate_seed()


@pytest.mark.once
def test_calls_and_warnings():
    with testing.AssertFunctionIsCalled("cuprite._old_names.disp", times_called=2):
        from cuprite import _old_names
        _old_names.disp(1), _old_names.disp(2)
    with raises(AssertionError):
        with testing.AssertFunctionIsCalled("cuprite._old_names.disp"):
            pass
    with testing.assert_warns(UserWarning):
        warnings.warn("so")
    with raises(AssertionError):
        with testing.assert_warns(FutureWarning):
            warnings.warn("so")


class TestAliases(testing.NumpyAliasValuesTestBase, testing.NumpyAliasBasicTestBase):
    func, args = "mintypecode", ("fd",)
    test_docstring = None  # it is NumPy's own
