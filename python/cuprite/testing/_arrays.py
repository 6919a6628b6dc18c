"""numpy.testing's assertions for arrays of either module: those of Cuprite are copied to the host."""
import numpy.testing

from cuprite._core import asnumpy, ndarray


def host(x):
    """NumPy's array of what is one of Cuprite's; anything else as it is."""
    return asnumpy(x) if isinstance(x, ndarray) else x


def assert_allclose(actual, desired, rtol=1e-7, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False):
    """numpy.testing.assert_allclose.

    Parameters: actual: an array of ours, or what NumPy compares; desired: the same; rtol: relative tolerance; atol:
        absolute tolerance; equal_nan: True: NaN equals NaN; err_msg: a string for errors; verbose: True: errors show
        the arrays; strict: True: shapes and types must be equal.
    Errors: AssertionError where they differ."""
    numpy.testing.assert_allclose(host(actual), host(desired), rtol, atol, equal_nan, err_msg, verbose, strict=strict)


def assert_array_almost_equal(x, y, decimal=6, err_msg="", verbose=True):
    """numpy.testing.assert_array_almost_equal.

    Parameters: x: an array of ours, or what NumPy compares; y: the same; decimal: decimal places; err_msg: a string
        for errors; verbose: True: errors show the arrays.
    Errors: AssertionError where they differ."""
    numpy.testing.assert_array_almost_equal(host(x), host(y), decimal, err_msg, verbose)


def assert_array_almost_equal_nulp(x, y, nulp=1):
    """numpy.testing.assert_array_almost_equal_nulp.

    Parameters: x: an array of ours, or what NumPy compares; y: the same; nulp: ulps.
    Errors: AssertionError where they differ."""
    numpy.testing.assert_array_almost_equal_nulp(host(x), host(y), nulp)


def assert_array_max_ulp(a, b, maxulp=1, dtype=None):
    """numpy.testing.assert_array_max_ulp.

    Parameters: a: an array of ours, or what NumPy compares; b: the same; maxulp: how many numbers lie between;
        dtype: the type to compare in.
    Errors: AssertionError where they differ."""
    return numpy.testing.assert_array_max_ulp(host(a), host(b), maxulp, dtype)


def assert_array_equal(x, y, err_msg="", verbose=True, *, strict=False, strides_check=False):
    """numpy.testing.assert_array_equal; strides_check: the strides are equal, too.

    Parameters: x: an array of ours, or what NumPy compares; y: the same; err_msg: a string for errors; verbose: True:
        errors show the arrays; strict: True: shapes and types must be equal; strides_check: True or False.
    Errors: AssertionError where they differ."""
    numpy.testing.assert_array_equal(host(x), host(y), err_msg, verbose, strict=strict)
    if strides_check and x.strides != y.strides:
        raise AssertionError(f"{err_msg}\nStrides are not equal: {x.strides} and {y.strides}")


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    """numpy.testing.assert_array_less.

    Parameters: x: an array of ours, or what NumPy compares; y: the same; err_msg: a string for errors; verbose: True:
        errors show the arrays; strict: True: shapes and types must be equal.
    Errors: AssertionError where they differ."""
    numpy.testing.assert_array_less(host(x), host(y), err_msg, verbose, strict=strict)


def assert_array_list_equal(xlist, ylist, err_msg="", verbose=True):
    """Lists or tuples of the same kind and length whose arrays are equal, one by one.

    Parameters: xlist: a list or tuple of arrays; ylist: the same; err_msg: a string for errors; verbose: True: errors
        show the arrays.
    Errors: AssertionError where they differ."""
    if type(xlist) is not type(ylist):
        raise AssertionError(f"{err_msg}\nTypes of the lists differ: {type(xlist)} and {type(ylist)}")
    if not isinstance(xlist, (list, tuple)):
        raise AssertionError(f"{err_msg}\nA list or tuple expected, not {type(xlist)}")
    if len(xlist) != len(ylist):
        raise AssertionError(f"{err_msg}\nLengths differ: {len(xlist)} and {len(ylist)}")
    for x, y in zip(xlist, ylist):
        assert_array_equal(x, y, err_msg, verbose)
