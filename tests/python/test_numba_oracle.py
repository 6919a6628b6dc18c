"""A sample of the differential cases of kernels with fixed numbers: expressions and programs compared with Numba, CUDA
C++ with g++, jit and fuse with NumPy. tools/differential runs as many as one likes."""
import importlib.util

import pytest
from differential import quiet

NUMBERS = {"numba": 100, "programs": 10, "jit": 100, "fuse": 30, "kernels": 100}  # a hundred are compiled at once


@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NUMBERS)
def test_family(name, device):
    if name == "numba" and device.startswith("late"):
        pytest.skip("`programs` shows the same of this device; Numba compiles a hundred expressions for 5 s")
    if name in ("numba", "programs") and importlib.util.find_spec("numba") is None:
        pytest.skip("numba is not installed")
    from differential_kernels import KERNELS
    family = KERNELS[name]
    with quiet():
        found = [family.verdict(number) for number in range(NUMBERS[name])]
    wrong = [w for w in found if w and not isinstance(w, str)]
    assert not wrong, "\n".join(f"{w.number}: {w.text[:800]}\n    {w.what}" for w in wrong[:5])
    assert sum(w is None for w in found) > len(found) // 2   # most were compared
