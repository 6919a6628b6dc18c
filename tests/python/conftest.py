"""What the Python tests share: every test runs on the CPU and on each GPU.

`device` is the name of the device that is current during the test. Options: --device cpu (or cuda:0) runs one only.
"""
import gc

import pytest

import cuprite as cp
from cuprite import _device


def _devices():
    return ["cpu"] + [f"cuda:{i}" for i in range(_device.count())]


def pytest_addoption(parser):
    parser.addoption("--device", action="append", help="run on this device only (cpu, cuda:0, ...)")


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
