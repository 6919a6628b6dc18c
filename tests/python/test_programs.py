"""A program written for CuPy, run unmodified through `python -m cuprite`, on each device. Those that this project comes
from are in test_seeds.py."""
import os
import subprocess
import sys

import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device


def run(program, folder, device):
    """The program's device 0 is this one: of GPUs it sees no other."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    # the programs' packages may lie there
    paths = [home, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths)), "CUPRITE_DEVICE": device,
                   "CUPRITE_NUMBA": "1"}
    if _device.count():
        seen = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        number = int(device.removeprefix("cuda:")) if device.startswith("cuda:") else None
        environment["CUDA_VISIBLE_DEVICES"] = "" if number is None else seen[number] if seen[0] else str(number)
        if number is not None:
            environment["CUPRITE_DEVICE"] = "cuda:0"
    r = subprocess.run([sys.executable, "-m", "cuprite", program], cwd=folder, env=environment, capture_output=True,
                       text=True, timeout=600)
    assert r.returncode == 0, r.stdout + r.stderr
    assert r.stdout.rstrip().endswith("OK"), r.stdout


PROGRAM = """
import cupy as cp
import cupyx.scipy.ndimage as ndimage
import numpy as np
from cupyx.profiler import benchmark

y, x = np.mgrid[:64, :64]
image = np.random.default_rng(1).normal(0, 1, (64, 64))
for row, column in ((10, 12), (30, 50), (55, 20)):
    image += 100 * np.exp(-((y - row)**2 + (x - column)**2) / 8)
with cp.cuda.Device(), cp.cuda.Stream() as stream:
    data = cp.asarray(image)
    labels, n = ndimage.label(data > cp.median(data) + 5 * cp.std(data[data < 3]))
    centres = cp.asarray(ndimage.center_of_mass(data, labels, cp.arange(1, n + 1)))
    stream.synchronize()
assert cp.allclose(centres, cp.array([[10, 12], [30, 50], [55, 20]]), atol=0.5), centres
assert benchmark(cp.median, (data,), n_repeat=3).gpu_times.shape[1] == 3
print("OK")
"""


def test_program_of_ours(tmp_path, device):
    (tmp_path / "program.py").write_text(PROGRAM)
    run(str(tmp_path / "program.py"), tmp_path, device)
