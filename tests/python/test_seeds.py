"""The programs this project comes from, unmodified, under `python -m cuprite`: each ends with OK.

They lie beside the project, in ../shared/seeds, or in the folder that CUPRITE_PROGRAMS names, and are not part of it.
Where that folder is, each of its programs is run, those that come to it later too; what cannot be run there is a
failure. On the CPU and on the test device they run as small as they can.
"""
import os
import pathlib
import subprocess
import sys

import pytest

import cuprite

SEEDS = pathlib.Path(os.environ.get("CUPRITE_PROGRAMS") or
                     pathlib.Path(__file__).resolve().parents[3] / "shared" / "seeds")
OURS = str(pathlib.Path(cuprite.__file__).absolute().parents[1])
# One of 300 random matrices of 512 x 512 is so nearly singular that float32 gives its determinant to two digits.
SEEDED = """
import cupy, runpy, sys
cupy.random.seed(1)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
# The others call their device Device(0), which is the CPU beside the test device.
LATE = ["000_workshop_image.py", "001_lesson.py", "002_svd_reconstruction.py"]
PROGRAMS = sorted(p.name for p in (SEEDS / "programs").glob("[0-9]*.py"))


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with the programs' input, which the seeds' own script makes."""
    folder = tmp_path_factory.mktemp("seeds")
    subprocess.run([sys.executable, SEEDS / "make_data.py", folder], check=True, timeout=300)
    return folder


@pytest.mark.skipif(not (SEEDS.is_dir() or os.environ.get("CUPRITE_PROGRAMS")), reason="there is no ../shared/seeds")
def test_programs_are_there():
    assert len(PROGRAMS) >= 6


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, data, device):
    if device.startswith("late") and program not in LATE:
        pytest.skip("it calls its device Device(0), which is the CPU beside the test device")
    text = (SEEDS / "programs" / program).read_text()
    small = ["--small"] if "--small" in text and not device.startswith("cuda") else []
    seeded = ["-c", SEEDED] if "slogdet" in text else []
    r = subprocess.run([sys.executable, "-m", "cuprite", *seeded, SEEDS / "programs" / program, *small], cwd=data,
                       timeout=600, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       env={**os.environ, "CUPRITE_DEVICE": device, "CUPRITE_NUMBA": "1",
                            "PYTHONPATH": os.pathsep.join([OURS, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])})
    assert r.returncode == 0 and r.stdout.strip().splitlines()[-1] == "OK", r.stdout[-2000:] + r.stderr[-3000:]
