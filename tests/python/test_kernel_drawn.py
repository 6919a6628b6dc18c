"""Kernels drawn by numbers against a plain emulator of their threads: see drawn_kernels.py and kernel_emulator.py."""
import pytest

from kernel_emulator import COMPILER, differences

pytestmark = pytest.mark.skipif(not COMPILER, reason="the emulator is compiled by a C++ compiler of the host")


@pytest.mark.parametrize("number", [3, 14, 159, 265, 358, 979, 3085, 3238])
def test_programs(number, tmp_path):
    found, tiers = differences(number, tmp_path)
    assert not found, "\n".join(found)
    assert tiers[0] == "gpu" or len(tiers) == 24
