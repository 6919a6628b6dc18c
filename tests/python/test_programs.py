"""Programs written for CuPy, run unmodified through `python -m cuprite`, on each device.

The programs and the script that writes their data lie beside the repository, in ../shared/seeds, or in the folder that
CUPRITE_PROGRAMS names. Where they are not, what runs is the program at the end of this file.
"""
import os
import subprocess
import sys

import pytest

import cuprite as cp
from cuprite import _device

pytestmark = pytest.mark.device

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = os.environ.get("CUPRITE_PROGRAMS")
if SEEDS and not os.path.isdir(os.path.join(SEEDS, "programs")):
    raise NotADirectoryError(f"CUPRITE_PROGRAMS names {SEEDS!r}, where there is no folder 'programs'")
if not SEEDS:
    beside = [os.path.join(HERE, *[".."] * up, "shared", "seeds") for up in (3, 2)]
    SEEDS = next(filter(os.path.isdir, beside), beside[0])
PROGRAMS = ["000_workshop_image.py", "001_lesson.py", "002_svd_reconstruction.py", "003_slides.py"]


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    subprocess.run([sys.executable, os.path.join(SEEDS, "make_data.py"), str(folder)], check=True, capture_output=True)
    return folder


@pytest.mark.skipif(not os.path.isdir(SEEDS), reason="the programs are not here")
@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, data, device):
    if program == "003_slides.py" and device.startswith("late"):
        pytest.skip("it sets a limit for device 0, which is the CPU there, and expects it of the current device")
    run(os.path.join(SEEDS, "programs", program), data, device)


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
