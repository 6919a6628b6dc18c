"""Decorators of tests that return an array: it is called with Cuprite and with NumPy, and the results are compared."""
import unittest
from importlib import import_module

import numpy

import cuprite
from cuprite._core import ndarray
from cuprite.testing import _arrays
from cuprite.testing._loops import as_without


def _called(test, args, kwargs):
    try:
        return test(*args, **kwargs), None
    except Exception as e:
        return None, e


def _modules(name, sp_name, scipy_name):
    """The words for our call and for NumPy's."""
    ours, theirs = {name: cuprite}, {name: numpy}
    if sp_name:
        ours[sp_name], theirs[sp_name] = import_module("cuprite.scipy.sparse"), import_module("scipy.sparse")
    if scipy_name:
        ours[scipy_name], theirs[scipy_name] = import_module("cuprite.scipy"), import_module("scipy")
    return ours, theirs


def _check_errors(ours, theirs, accept):
    """Both calls raised: what is accepted, and of the same kind. One only: AssertionError."""
    if ours is None or theirs is None:
        what = "Only cupy raises error" if theirs is None else "Only numpy raises error"
        error = ours if theirs is None else theirs
        raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
    accept = Exception if accept is True else accept
    if not accept:
        raise ours
    if not isinstance(ours, accept) or not isinstance(theirs, accept) or \
            not (isinstance(ours, type(theirs)) or isinstance(theirs, type(ours))):
        raise AssertionError(f"Errors differ or are not accepted: {ours!r} and {theirs!r}") from ours


def _beside(compare, name, sp_name, scipy_name, accept_error=False):
    """compare(ours, theirs) of what a test returns for either module."""
    def decorate(test):
        @as_without(test, [name, sp_name, scipy_name])
        def run(*args, **kwargs):
            ours, theirs = _modules(name, sp_name, scipy_name)
            result, error = _called(test, args, {**kwargs, **ours})
            wanted, their_error = _called(test, args, {**kwargs, **theirs})
            if isinstance(error, unittest.SkipTest):
                raise error
            if error is not None or their_error is not None:
                return _check_errors(error, their_error, accept_error)
            compare(result, wanted)
        return run
    return decorate


def _dense(x):
    """The array of a sparse matrix, in C's layout, which says nothing about the matrix; a polynomial's coefficients."""
    if isinstance(x, (cuprite.poly1d, numpy.poly1d)):
        return x.coeffs
    return x.toarray(order="C") if hasattr(x, "toarray") else x


def _arrays_of(ours, theirs, type_check, check):
    """Compares arrays, or tuples and lists of arrays, by check(ours, theirs)."""
    if isinstance(theirs, (tuple, list)):
        if not isinstance(ours, (tuple, list)) or len(ours) != len(theirs):
            raise AssertionError(f"{len(theirs)} results of NumPy's, and {ours!r}")
        pairs = list(zip(ours, theirs))
    else:
        pairs = [(ours, theirs)]
    for x, y in pairs:
        if getattr(x, "variable", None) != getattr(y, "variable", None):
            raise AssertionError(f"Variables differ: {x!r} and {y!r}")
        x, y = _dense(x), _dense(y)
        if not isinstance(x, (ndarray, numpy.ndarray, numpy.generic, int, float, complex)):
            raise AssertionError(f"The result is no array: {type(x)}")
        mine, other = getattr(x, "dtype", numpy.asarray(y).dtype), numpy.asarray(y).dtype
        if type_check and mine != other:
            raise AssertionError(f"ndarrays of different dtypes are returned.\ncupy: {mine}\nnumpy: {other}")
        if numpy.shape(y) != x.shape if hasattr(x, "shape") else numpy.ndim(y):
            raise AssertionError(f"Shapes differ: {getattr(x, 'shape', ())} and {numpy.shape(y)}")
        check(x, y)


def _tolerance(given, dtype):
    """A number, or the one for this type in a dict by types with "default"."""
    if not isinstance(given, dict):
        return given
    return {"default" if k == "default" else numpy.dtype(k): v for k, v in given.items()}.get(
        numpy.dtype(dtype), given.get("default", 0))


def numpy_cupy_allclose(rtol=1e-7, atol=0, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
                        sp_name=None, scipy_name=None, contiguous_check=True, *, _check_sparse_format=True):
    """Decorator: the results of the test are close. rtol and atol may be dicts by types, with a "default";
    contiguous_check: where NumPy's result is C- or Fortran-contiguous, so is ours. accept_error: that both raise
    errors, or these, is fine.

    Parameters: rtol: relative tolerance; atol: absolute tolerance; err_msg: a string for errors; verbose: True: errors
        show the arrays; name: the argument that gets the module; type_check: True: types must be equal;
        accept_error: True, or a class: an error of both is fine; sp_name: the argument that gets its sparse module;
        scipy_name: the argument that gets its SciPy; contiguous_check: True or False.
    Errors: AssertionError where the results differ."""
    def check(x, y):
        dtype = numpy.asarray(y).dtype
        _arrays.assert_allclose(x, y, _tolerance(rtol, dtype), _tolerance(atol, dtype), True, err_msg, verbose)
        if contiguous_check and isinstance(y, numpy.ndarray) and isinstance(x, ndarray):
            for flag in ("c_contiguous", "f_contiguous"):
                if getattr(y.flags, flag) and not getattr(x.flags, flag):
                    raise AssertionError(f"The state of {flag} flag is false.")

    def compare(ours, theirs):
        if _check_sparse_format and hasattr(theirs, "format") and hasattr(theirs, "toarray") and \
                ours.format != theirs.format:
            raise AssertionError(f"Formats differ: {ours.format} and {theirs.format}")
        _arrays_of(ours, theirs, type_check, check)
    return _beside(compare, name, sp_name, scipy_name, accept_error)


def _by(check, name, type_check, accept_error, sp_name, scipy_name):
    return _beside(lambda ours, theirs: _arrays_of(ours, theirs, type_check, check), name, sp_name, scipy_name,
                   accept_error)


def numpy_cupy_array_almost_equal(decimal=6, err_msg="", verbose=True, name="xp", type_check=True, accept_error=False,
                                  sp_name=None, scipy_name=None):
    """Decorator: the results of the test are equal to so many decimal places.

    Parameters: decimal: decimal places; err_msg: a string for errors; verbose: True: errors show the arrays; name: the
        argument that gets the module; type_check: True: types must be equal; accept_error: True, or a class: an
        error of both is fine; sp_name: the argument that gets its sparse module; scipy_name: the argument that gets
        its SciPy.
    Errors: AssertionError where the results differ."""
    return _by(lambda x, y: _arrays.assert_array_almost_equal(x, y, decimal, err_msg, verbose), name, type_check,
               accept_error, sp_name, scipy_name)


def numpy_cupy_array_almost_equal_nulp(nulp=1, name="xp", type_check=True, accept_error=False, sp_name=None,
                                       scipy_name=None):
    """Decorator: the results of the test are within so many ulps.

    Parameters: nulp: ulps; name: the argument that gets the module; type_check: True: types must
        be equal; accept_error: True, or a class: an error of both is fine; sp_name: the argument that gets its
        sparse module; scipy_name: the argument that gets its SciPy.
    Errors: AssertionError where the results differ."""
    return _by(lambda x, y: _arrays.assert_array_almost_equal_nulp(x, y, nulp), name, type_check, accept_error,
               sp_name, scipy_name)


def numpy_cupy_array_max_ulp(maxulp=1, dtype=None, name="xp", type_check=True, accept_error=False, sp_name=None,
                             scipy_name=None):
    """Decorator: the results of the test are within so many numbers of one another.

    Parameters: maxulp: how many numbers lie between; dtype: the type to compare in; name: the argument that gets the
        module; type_check: True: types must be equal; accept_error: True, or a class: an error of both is fine;
        sp_name: the argument that gets its sparse module; scipy_name: the argument that gets its SciPy.
    Errors: AssertionError where the results differ."""
    return _by(lambda x, y: _arrays.assert_array_max_ulp(x, y, maxulp, dtype), name, type_check, accept_error, sp_name,
               scipy_name)


def numpy_cupy_array_equal(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None,
                           scipy_name=None, strides_check=False):
    """Decorator: the results of the test are equal; strides_check: their strides are, too.

    Parameters: err_msg: a string for errors; verbose: True: errors show the arrays; name: the argument that gets the
        module; type_check: True: types must be equal; accept_error: True, or a class: an error of both is fine;
        sp_name: the argument that gets its sparse module; scipy_name: the argument that gets its SciPy;
        strides_check: True or False.
    Errors: AssertionError where the results differ."""
    return _by(lambda x, y: _arrays.assert_array_equal(x, y, err_msg, verbose, strides_check=strides_check), name,
               type_check, accept_error, sp_name, scipy_name)


def numpy_cupy_array_less(err_msg="", verbose=True, name="xp", type_check=True, accept_error=False, sp_name=None,
                          scipy_name=None):
    """Decorator: the elements of our result are less than those of NumPy's.

    Parameters: err_msg: a string for errors; verbose: True: errors show the arrays; name: the argument that gets the
        module; type_check: True: types must be equal; accept_error: True, or a class: an error of both is fine;
        sp_name: the argument that gets its sparse module; scipy_name: the argument that gets its SciPy.
    Errors: AssertionError where the results differ."""
    return _by(lambda x, y: _arrays.assert_array_less(x, y, err_msg, verbose), name, type_check, accept_error, sp_name,
               scipy_name)


def numpy_cupy_array_list_equal(err_msg="", verbose=True, name="xp", sp_name=None, scipy_name=None):
    """Decorator: the test returns lists of equal arrays.

    Parameters: err_msg: a string for errors; verbose: True: errors show the arrays; name: the argument that gets the
        module; sp_name: the argument that gets its sparse module; scipy_name: the argument that gets its SciPy.
    Errors: AssertionError where the results differ."""
    return _beside(lambda ours, theirs: _arrays.assert_array_list_equal(ours, theirs, err_msg, verbose), name, sp_name,
                   scipy_name)


def numpy_cupy_equal(name="xp", sp_name=None, scipy_name=None):
    """Decorator: the test returns objects that are equal.

    Parameters: name: the argument that gets the module; sp_name: the argument that gets its sparse module;
        scipy_name: the argument that gets its SciPy.
    Errors: AssertionError where the results differ."""
    def compare(ours, theirs):
        if not ours == theirs:
            raise AssertionError(f"Results are not equal:\ncupy: {ours}\nnumpy: {theirs}")
    return _beside(compare, name, sp_name, scipy_name)


def numpy_cupy_raises(name="xp", sp_name=None, scipy_name=None, accept_error=Exception):
    """Decorator: the test raises the same kind of error with either module.

    Parameters: name: the argument that gets the module; sp_name: the argument that gets its sparse module;
        scipy_name: the argument that gets its SciPy; accept_error: True, or a class: an error of both is fine.
    Errors: AssertionError where they do not."""
    def compare(ours, theirs):
        raise AssertionError(f"No error is raised: {ours!r} and {theirs!r}")
    return _beside(compare, name, sp_name, scipy_name, accept_error)
