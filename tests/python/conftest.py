"""What the Python tests share: every test runs on the CPU and on each GPU; `make test` runs them on the test device
late:0 too.

Tests of what has no device (headers, stubs, installation, rows, the command's words) are marked `once`, mostly by their
file's `pytestmark`: they run with the CPU only, unless they ask for `device` themselves.

--sample N takes at most N cases of each parametrized function, spread evenly, but for functions that are marked
`device`, whose subject is the device: what happens between a program and a device (memory, order, what a call keeps)
does not depend on the values that the other cases are about. Of a function whose cases hypothesis draws it takes 10 N.
`make test` runs late:0 so. --until T skips what has not begun at the time T (seconds of the epoch).

`device` is the name of the device that is current during the test. --device cpu (or late:0, cuda:0; more than once, if
wanted) or CUPRITE_DEVICE says which ones instead.
"""
import functools
import gc
import inspect
import os
import time

import hypothesis
import numpy as np
import pytest
from _pytest.runner import runtestprotocol

import cuprite as cp
from cuprite import _device
from cuprite._compiler.fuse import fusion as _fuse


def _devices():
    chosen = os.environ.get("CUPRITE_DEVICE")
    return [chosen] if chosen else ["cpu"] + [f"cuda:{i}" for i in range(_device.count())]


# The same cases in every run, so that a change is what makes a test fail; CUPRITE_RANDOM=1 draws others each time.
hypothesis.settings.register_profile("same", derandomize=True)
if not os.environ.get("CUPRITE_RANDOM"):
    hypothesis.settings.load_profile("same")


SETTINGS = "_hypothesis_internal_use_settings"  # where hypothesis keeps those of a function


_numpys = np.testing.assert_array_equal


@functools.wraps(_numpys)
def _assert_array_equal(actual, desired, *args, **options):
    """NumPy's, which is not asked about arrays of one type and shape that are equal (NaN equals NaN): it takes seven to
    thirty times as long as the comparison, a sixth of the time of many files. All others it decides, and reports."""
    if type(actual) is type(desired) is np.ndarray and actual.dtype == desired.dtype and \
            actual.shape == desired.shape and actual.dtype.kind in "biufc":
        equal = actual == desired
        if equal.all() or (equal | (actual != actual) & (desired != desired)).all():
            return
    _numpys(actual, desired, *args, **options)


np.testing.assert_array_equal = _assert_array_equal


def pytest_addoption(parser):
    parser.addoption("--device", action="append", help="run on this device only (cpu, late:0, cuda:0, ...)")
    parser.addoption("--sample", type=int, help="at most so many cases of a function that is not marked `device`")
    parser.addoption("--until", type=float, help="skip what has not begun at this time, in seconds of the epoch")


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "error::pytest.PytestUnhandledThreadExceptionWarning")  # fails its test
    config.addinivalue_line("markers", "once: looks at no device; runs with the CPU only")
    config.addinivalue_line("markers", "checked: `make check` does it too; left out where CUPRITE_CHECKED is set")
    config.addinivalue_line("markers", "device: its subject is the device; --sample takes all of its cases")


def _asked_for(config):
    return config.getoption("--device") or _devices()


def _runs_once(item):
    return item.get_closest_marker("once") and "device" not in inspect.signature(item.obj).parameters


def pytest_generate_tests(metafunc):
    devices = ["cpu"] if _runs_once(metafunc.definition) else _asked_for(metafunc.config)
    metafunc.parametrize("device", devices, indirect=True)


def _draw_fewer(function, most):
    """Lets hypothesis draw at most that many cases of the function."""
    function = getattr(function, "__func__", function)
    own = getattr(function, SETTINGS, None)
    if own and own.max_examples > most:
        setattr(function, SETTINGS, hypothesis.settings(own, max_examples=most))


def _sampled(items, most):
    """At most that many cases of each function, spread evenly; the same in every run."""
    cases = {}
    for item in items:
        cases.setdefault((item.path, getattr(item, "originalname", item.name), item.callspec.params.get("device")
                          if hasattr(item, "callspec") else None), []).append(item)
    kept = set()
    for found in cases.values():
        device = found[0].get_closest_marker("device")
        if not device and getattr(found[0].obj, "is_hypothesis_test", False):
            _draw_fewer(found[0].obj, 10 * most)
        if len(found) <= most or device:
            kept.update(found)
        else:
            kept.update(found[i * len(found) // most] for i in range(most))
    return [i for i in items if i in kept]


_begun = None  # the file whose tests run


def pytest_runtest_setup(item):
    """Some 30,000 cases, their reports and what tests import live as long as the process; the collector, which tests of
    leaks call hundreds of times, leaves alone what is there when a file's tests begin."""
    global _begun
    if item.path != _begun:
        _begun = item.path
        gc.collect()
        gc.freeze()
    until = item.config.getoption("--until")
    if until and time.time() > until:
        pytest.skip("no time left")


def pytest_runtest_protocol(item, nextitem):
    """As pytest's own, but that one of several processes says only what somebody reads: five messages for each of some
    40,000 tests take longer than many of the tests."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def _leave_out(config, items, which):
    config.hook.pytest_deselected(items=[i for i in items if which(i)])
    items[:] = [i for i in items if not which(i)]


def pytest_collection_modifyitems(config, items):
    if os.environ.get("CUPRITE_CHECKED"):
        _leave_out(config, items, lambda item: item.get_closest_marker("checked"))
    if config.getoption("--sample"):
        kept = _sampled(items, config.getoption("--sample"))
        taken = set(kept)
        _leave_out(config, items, lambda item: item not in taken)
    if "cpu" in _asked_for(config):
        return
    if not all(map(_runs_once, items)):  # named alone, they are meant
        _leave_out(config, items, _runs_once)


@pytest.fixture(autouse=True)
def device(request):
    """The device that is current during the test."""
    name = getattr(request, "param", "cpu")
    before = _device.current()
    _device.use(_device.parse(name))
    yield name
    _device.use(before)


@pytest.fixture
def no_leak():
    """Checks that the test leaves as much memory in use as it found."""
    gc.collect()
    number = _device.current()
    before = _device.pool(number)["used"]
    yield
    gc.collect()
    assert _device.pool(number)["used"] == before


@pytest.fixture
def live_blocks():
    """Counts the library's blocks in use, when what earlier tests left under way has ended: fuse's thread, work on
    late devices, cycles that only the collector ends."""
    def count():
        _fuse.wait()
        gc.collect()
        _device.synchronize(_device.current())
        return _device.test_live()
    return count


@pytest.fixture
def xp():
    return cp
