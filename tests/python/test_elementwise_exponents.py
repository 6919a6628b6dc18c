"""Exponents: of integer powers the loop's type has their sign; the largest results of exp and power; ldexp's types."""
import numpy as np
import pytest

import cuprite as cp
from oracle import as_numpy_does, equal, outcome

EXPONENTS = {  # of which the loop, whose type dtype= names, makes other numbers
    "wraps below 0": ("i8", [200, 2], "i1"), "wraps to 0": ("i8", [-256, 2], "i1"),
    "of uint64": ("u8", [2**63, 2], "i8"), "uint64 fits": ("u8", [3, 2], "i8"), "to uint64": ("i8", [-1, 2], "u8"),
    "uint32 widens": ("u4", [2**31, 2], "i8"),
    "uint16 to int32": ("u2", [65535, 2], "i4"), "uint32 to int32": ("u4", [2**31, 2], "i4"),
    "uint8 to int8": ("u1", [255, 2], "i1"), "of float64": ("f8", [-1, 2], "i4"),
    "a fraction": ("f8", [-0.5, 2.5], "i8"),
    "of float32": ("f4", [3, -7.5], "i2"), "of float16": ("f2", [3, -1], "i8"), "a half": ("f2", [3, -0.75], "i8"),
    "of complex": ("D", [-2, 3], "i8"), "imaginary": ("F", [1 - 2j, 3], "i8"), "bool": ("?", [True, False], "i4"),
}


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("case", EXPONENTS)
def test_negative_as_the_loop_has_them(case):
    own, exponents, loop = EXPONENTS[case]
    for base in ("i8", "u1", "f4"):
        def powers(xp, where, *exponents):
            a, b = xp.asarray([2, 3], dtype=base), xp.asarray(exponents, dtype=own)
            r = xp.power(a, b, out=xp.ones(2, loop), dtype=loop, casting="unsafe", where=xp.asarray(where))
            return r if xp is np else cp.asarray(r.get())  # a GPU reports it at the latest here
        for where in ([True, True], [True, False], [False, True], [False, False]):
            theirs, ours = (outcome(powers, xp, where, *exponents) for xp in (np, cp))
            equal(ours, theirs)
    for value in exponents:
        def power_of_all(xp):
            return xp.power(xp.asarray([2, 3], dtype="i8"), np.dtype(own).type(value), dtype=loop, casting="unsafe")
        theirs, ours = (outcome(power_of_all, xp) for xp in (np, cp))
        equal(ours, theirs)


def close(ours, theirs):
    """One ulp apart at most; the largest number and infinity are one ulp apart, and must differ."""
    np.testing.assert_array_equal(np.isinf(ours.get()), np.isinf(theirs))
    np.testing.assert_array_max_ulp(ours.get(), theirs, 1)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("size", [1, 3, 8, 21])
def test_the_largest_results(size):
    """Up to the largest number nothing is infinite."""
    most = np.finfo("f8").max * (1 - np.array([0, 1e-16, 1e-15, 1e-10, 1e-7, 1e-6, 1.7e-6, 1.8e-6, 1e-5]))
    far = np.array([np.inf, -np.inf, np.nan, 0, 710, -746, 1e308])
    for x in (np.log(np.finfo("f8").max) - np.array([-2e-13, 0, 1e-13, 1e-10, 1e-7, 1e-6, 1.8e-6, 1e-5, 1e-3]), far):
        x = np.resize(x, size)
        close(cp.exp(cp.asarray(x)), np.exp(x))
    for x, e in ((most, 1), (-most, 1), (np.sqrt(most), 2), (1 / most, -1), (-np.cbrt(most) * (1 - 1e-15), 3),
                 (far, 3)):
        x = np.resize(x, size)
        for e in (np.full(size, e, "f8"), np.resize([e, 1, np.inf, np.nan], size).astype("f8")):
            want = np.power(x, e)
            close(cp.power(cp.asarray(x), cp.asarray(e)), want)
            close(cp.float_power(cp.asarray(x), cp.asarray(e)), want)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_ldexp_has_two_loops(casting):
    for mantissa in ("f2", "f4", "f8", "i4", "F"):
        for exponent in ("?", "i1", "u2", "i4", "u4", "i8", "u8", "f4"):
            def call(xp):
                a, n = xp.asarray([1.5, 3]).astype(mantissa), xp.asarray([3, 1], dtype=exponent)
                return xp.ldexp(a, n, casting=casting)
            as_numpy_does(call)
