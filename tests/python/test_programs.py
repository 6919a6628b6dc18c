"""Programs written for CuPy, run unmodified through `python -m cuprite`, on the CPU and on a GPU where there is one.

The programs and the script that writes their data lie beside the repository, in ../shared/seeds; without them there is
nothing to run. CUPRITE_PROGRAMS names another folder.
"""
import os
import subprocess
import sys

import pytest

import cuprite as cp
from cuprite import _device

HERE = os.path.dirname(os.path.abspath(__file__))
SEEDS = os.environ.get("CUPRITE_PROGRAMS")
if SEEDS and not os.path.isdir(os.path.join(SEEDS, "programs")):
    raise NotADirectoryError(f"CUPRITE_PROGRAMS names {SEEDS!r}, where there is no folder 'programs'")
if not SEEDS:
    beside = [os.path.join(HERE, *[".."] * up, "shared", "seeds") for up in (3, 2)]
    SEEDS = next(filter(os.path.isdir, beside), beside[0])
PROGRAMS = ["000_workshop_image.py", "001_lesson.py"]


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    subprocess.run([sys.executable, os.path.join(SEEDS, "make_data.py"), str(folder)], check=True, capture_output=True)
    return folder


@pytest.mark.skipif(not os.path.isdir(SEEDS), reason="the programs are not here")
@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, data, device):
    """A program runs on device 0: the first GPU, or the CPU once the GPUs are hidden."""
    if device not in ("cpu", "cuda:0"):
        return
    home = os.path.dirname(os.path.dirname(os.path.abspath(cp.__file__)))
    paths = [home, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p)]  # the programs' packages may lie there
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, paths))}
    if device == "cpu" and _device.count():
        environment["CUDA_VISIBLE_DEVICES"] = ""
    r = subprocess.run([sys.executable, "-m", "cuprite", os.path.join(SEEDS, "programs", program)], cwd=data, env=environment,
                       capture_output=True, text=True, timeout=600)
    assert r.returncode == 0, r.stdout + r.stderr
    assert r.stdout.rstrip().endswith("OK"), r.stdout
