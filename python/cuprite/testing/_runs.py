"""Decorators and checks for running tests: skipping, parameters, fixed seeds, expected warnings."""
import contextlib
import functools
import inspect
import itertools
import random
import unittest
import unittest.mock
import warnings

import numpy

import cuprite

_fixed = []  # the seed, while a test with fix_random runs


def product(parameter):
    """All combinations: of a dict of lists a list of dicts, of a list of lists of dicts too, as product_dict.

    Parameters: parameter: a dict, or a list.
    Errors: TypeError for what is neither."""
    if isinstance(parameter, dict):
        names = sorted(parameter)
        return [dict(zip(names, values)) for values in itertools.product(*(parameter[n] for n in names))]
    if isinstance(parameter, list):
        if not all(isinstance(part, dict) for dicts in parameter for part in dicts):
            raise TypeError("lists of dicts expected")
        return product_dict(*parameter)
    raise TypeError(f"parameter must be either dict or list. Actual: {type(parameter)}")


def product_dict(*parameters):
    """All combinations of dicts, one from each list, joined.

    Parameters: *parameters: lists of dicts."""
    return [{k: v for part in parts for k, v in part.items()} for parts in itertools.product(*parameters)]


def parameterize(*params, _ids=True, **kwargs):
    """Decorator of classes of tests: they run for each dict, whose items are attributes. Of a unittest.TestCase classes
    are made, one a dict, beside it; others are parametrized by pytest (`kwargs` go there).

    Parameters: *params: dicts; _ids: True: a test's name says its dict, else only which one it is."""
    def decorate(cls):
        if issubclass(cls, unittest.TestCase):
            import sys
            module = sys.modules[cls.__module__]
            for i, words in enumerate(params):
                name = f"{cls.__name__}_param_{i}"
                setattr(module, name, type(name, (cls,), {**words, "__module__": cls.__module__}))
            return None
        import pytest
        name = f"_parameters_{sum(n.startswith('_parameters_') for n in dir(cls))}"

        def set_attributes(self, request):
            for k, v in request.param.items():
                setattr(self, k, v)
        setattr(cls, name, pytest.fixture(autouse=True, name=name)(set_attributes))
        ids = [f"_param_{i}_" + (str(words) if _ids else "").replace("[", "(").replace("]", ")")
               for i, words in enumerate(params)]
        return pytest.mark.parametrize(name, params, indirect=True, **{"ids": ids, **kwargs})(cls)
    return decorate


def slow(*args, **kwargs):
    """pytest.mark.slow."""
    import pytest
    return pytest.mark.slow(*args, **kwargs)


def multi_gpu(gpu_num):
    """Decorator: the test is skipped where there are fewer GPUs.

    Parameters: gpu_num: how many GPUs."""
    from cuprite import _device
    return unittest.skipIf(_device.count() < gpu_num, f"{gpu_num} GPUs are needed")


def installed(*specifiers):
    """Whether packages are installed that meet requirements as "numpy>=2.0".

    Parameters: *specifiers: strings."""
    from importlib import metadata
    from packaging.requirements import Requirement
    for text in specifiers:
        wanted = Requirement(text)
        try:
            if not wanted.specifier.contains(metadata.version(wanted.name), prereleases=True):
                return False
        except metadata.PackageNotFoundError:
            return False
    return True


def numpy_satisfies(version_range):
    """Whether NumPy's version is in a range as ">=1.20,<3".

    Parameters: version_range: a string."""
    from packaging.specifiers import SpecifierSet
    return SpecifierSet(version_range).contains(numpy.__version__, prereleases=True)


def with_requires(*requirements):
    """Decorator: the test is skipped where one of the requirements is not installed."""
    return unittest.skipUnless(installed(*requirements), "requires: " + ",".join(requirements))


def generate_seed():
    """A seed, under fix_random one that is always the same."""
    return _fixed[-1].randrange(2**31 - 1) if _fixed else random.randrange(2**31 - 1)


@contextlib.contextmanager
def _seeds():
    before = random.getstate(), numpy.random.get_state()
    random.seed(100)
    numpy.random.seed(100)
    cuprite.random.seed(101)
    _fixed.append(random.Random(102))
    try:
        yield
    finally:
        _fixed.pop()
        random.setstate(before[0])
        numpy.random.set_state(before[1])
        cuprite.random.seed()


def _with_seeds(test):
    @functools.wraps(test)
    def run(*args, **kwargs):
        with _seeds():
            return test(*args, **kwargs)
    return run


def fix_random():
    """Decorator of tests, or of classes of them: Python's, NumPy's and Cuprite's random numbers are always the same."""
    def decorate(target):
        if not inspect.isclass(target):
            return _with_seeds(target)
        for name, f in inspect.getmembers(target, inspect.isfunction):
            if name.startswith("test"):
                setattr(target, name, _with_seeds(f))
        return target
    return decorate


@contextlib.contextmanager
def assert_warns(expected):
    """A block in which a warning of that class is issued; AssertionError where none is.

    Parameters: expected: a class of warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield
    if not any(isinstance(w.message, expected) for w in seen):
        raise AssertionError(f"{getattr(expected, '__name__', expected)} not triggered")


class AssertFunctionIsCalled:
    """A block in which a function, as unittest.mock.patch names it, is called so many times; what is called is a
    mock.

    Parameters: times_called: how often.
    Errors: AssertionError where it was not."""

    def __init__(self, *args, times_called=1, **kwargs):
        self.times_called = times_called
        self._patch = unittest.mock.patch(*args, **kwargs)

    def __enter__(self):
        self.handle = self._patch.__enter__()
        return self.handle

    def __exit__(self, kind, value, trace):
        if kind is None and self.handle.call_count != self.times_called:
            self._patch.__exit__(None, None, None)
            raise AssertionError(f"called {self.handle.call_count} times, not {self.times_called}")
        return self._patch.__exit__(kind, value, trace)


class _Alias(unittest.TestCase):
    """Tests of the function that a subclass names in `func`."""
    func = None

    @property
    def cupy_func(self):
        return getattr(cuprite, self.func)

    @property
    def numpy_func(self):
        return getattr(numpy, self.func)


class NumpyAliasBasicTestBase(_Alias):
    """Whether a function has the arguments that NumPy's has, and a docstring of its own."""

    def test_argspec(self):
        """Fails where the arguments differ."""
        self.assertEqual(list(inspect.signature(self.cupy_func).parameters),
                         list(inspect.signature(self.numpy_func).parameters))

    def test_docstring(self):
        """Fails where the docstring is NumPy's, or missing."""
        self.assertTrue(self.cupy_func.__doc__)
        self.assertIsNot(self.cupy_func.__doc__, self.numpy_func.__doc__)


class NumpyAliasValuesTestBase(_Alias):
    """Whether a function gives for `args` what NumPy's gives."""
    args = ()

    def test_values(self):
        """Fails where the values differ."""
        self.assertEqual(self.cupy_func(*self.args), self.numpy_func(*self.args))
