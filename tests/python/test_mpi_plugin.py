"""libcuprite-mpi.so and its example, compiled for each MPI that is installed and run by its mpiexec on this machine."""
import gzip
import os
import pathlib
import shutil
import subprocess
import time

import numpy as np
import pytest
from astropy.io import fits

pytestmark = pytest.mark.once
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("CUPRITE_BUILD", ROOT / "build"))
FLAGS = ["-std=gnu17", "-Wall", "-Wextra", "-Werror", "-O1", f"-I{ROOT}/include", f"-I{BUILD}/generated/include",
         f"-I{ROOT}/mpi/include"]
LINK = [f"-L{BUILD}/lib", "-lcuprite", f"-Wl,-rpath,{BUILD}/lib", "-lm"]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_plm": "isolated", "CUPRITE_NUM_THREADS": "1"}


@pytest.fixture(scope="session", params=["openmpi", "mpich"])
def mpi(request, tmp_path_factory):
    """A function that runs a program on n ranks; the library is compiled for each MPI, of which a build has one."""
    compiler, launcher = (shutil.which(f"{name}.{request.param}") for name in ("mpicc", "mpiexec"))
    if not compiler or not launcher:
        pytest.skip(f"{request.param} is not installed (mpicc.{request.param}, mpiexec.{request.param})")
    if subprocess.run([launcher, "-n", "2", "true"], env=ENVIRONMENT, capture_output=True, timeout=100).returncode:
        pytest.skip(f"{launcher} starts no two processes on this machine")
    folder = tmp_path_factory.mktemp(request.param)
    subprocess.run([compiler, *FLAGS, "-shared", "-fPIC", ROOT / "mpi/mpi.c", "-o", folder / "libcuprite-mpi.so",
                    *LINK], check=True)

    def run(n, source, *args):
        program = folder / pathlib.Path(source).stem
        if not program.exists():
            subprocess.run([compiler, *FLAGS, ROOT / source, "-o", program, f"-L{folder}", "-lcuprite-mpi",
                            f"-Wl,-rpath,{folder}", *LINK], check=True)
        return subprocess.run([launcher, "-n", str(n), program, *map(str, args)], env=ENVIRONMENT, capture_output=True,
                              text=True, timeout=200)
    return run


@pytest.mark.parametrize("n, where", [(2, "cpu"), (3, "cpu"), (2, "late:0")])
def test_every_function(mpi, n, where):
    r = mpi(n, "tests/clients/mpi_plugin.c", where)
    assert r.returncode == 0, r.stderr[-3000:]
    assert sorted(r.stdout.split("\n")[:-1]) == [f"rank {i} done" for i in range(n)]


def test_a_rank_that_does_not_come(mpi, tmp_path):
    start = time.monotonic()
    r = mpi(2, "tests/clients/mpi_plugin.c", "cpu", "absent", tmp_path / "error")
    assert r.returncode != 0 and time.monotonic() - start < 100, r.stderr
    assert (tmp_path / "error").read_text() == "allreduce on rank 0 of 2: a rank did not come within 1 s\n"


def test_a_rank_that_dies(mpi, tmp_path):
    start = time.monotonic()
    r = mpi(2, "tests/clients/mpi_plugin.c", "cpu", "dies", tmp_path / "error")
    assert r.returncode not in (0, 139) and time.monotonic() - start < 100 and not (tmp_path / "error").exists()


def sky(path, shape, dtype):
    """Noise and sources, some of which cross the borders between rows of 2, 3 and 4 ranks."""
    seed = shape[0]
    rng = np.random.default_rng(seed)
    image = rng.normal(3, 1, shape)
    y, x = np.indices(shape)
    places = [(shape[0] * k // m, rng.uniform(20, shape[1] - 20)) for m in (2, 3, 4) for k in range(1, m)]
    places += list(zip(rng.uniform(0, shape[0], 25), rng.uniform(0, shape[1], 25)))
    for cy, cx in places:
        image += rng.uniform(20, 200) * np.exp(-((y - cy) ** 2 + (x - cx) ** 2) / 8)
    if dtype == "f4":
        image[5, 7] = np.nan
    fits.PrimaryHDU(image.round().astype(dtype) if dtype == "i2" else image.astype(dtype)).writeto(path)


@pytest.mark.parametrize("shape, dtype, packed", [((120, 90), "f4", False), ((61, 200), "i2", False),
                                                  ((70, 80), "f4", True)])
def test_the_same_catalogue(mpi, tmp_path, shape, dtype, packed):
    """Few values that repeat too; a file that is not read in parts."""
    sky(path := tmp_path / "sky.fits", shape, dtype)
    if packed:
        path = tmp_path / "sky.fits.gz"
        path.write_bytes(gzip.compress((tmp_path / "sky.fits").read_bytes()))
    alone = tmp_path / "source_finding"
    subprocess.run(["gcc", *FLAGS, ROOT / "examples/source_finding.c", "-o", alone, *LINK], check=True)
    expected = subprocess.run([alone, path, "cpu"], capture_output=True, text=True, check=True).stdout
    assert expected.count("\n") == 13
    for n in (1, 2, 4):
        r = mpi(n, "examples/source_finding_mpi.c", path, "cpu")
        assert r.returncode == 0, r.stderr[-2000:]
        assert r.stdout == expected
    for place, words in ((tmp_path / "none.fits", "none.fits"), (path, "'cpux' is no device")):
        r = mpi(2, "examples/source_finding_mpi.c", place, "cpux" if place == path else "cpu")
        assert r.returncode == 1 and r.stderr.count(words) == 2, r.stderr
