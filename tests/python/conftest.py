"""What the Python tests share: every test runs on the CPU and on each GPU; `make test` runs them on the test device late:0 too.

`device` is the name of the device that is current during the test. --device cpu (or late:0, cuda:0; more than once, if
wanted) or CUPRITE_DEVICE says which ones instead.
"""
import gc
import os

import pytest

import cuprite as cp
from cuprite import _device


def _devices():
    chosen = os.environ.get("CUPRITE_DEVICE")
    return [chosen] if chosen else ["cpu"] + [f"cuda:{i}" for i in range(_device.count())]


def pytest_addoption(parser):
    parser.addoption("--device", action="append", help="run on this device only (cpu, late:0, cuda:0, ...)")


def pytest_generate_tests(metafunc):
    if "device" in metafunc.fixturenames:
        metafunc.parametrize("device", metafunc.config.getoption("--device") or _devices(), indirect=True)


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
def xp():
    return cp
