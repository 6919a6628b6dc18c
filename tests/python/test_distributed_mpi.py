"""cuprite.distributed over MPI: processes that mpiexec starts on this machine (tests/clients/mpi_*.py)."""
import ctypes.util
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

import cuprite as cp
from cuprite import distributed

pytestmark = pytest.mark.once
CLIENTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "clients")
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
               "OMPI_MCA_btl": "self,vader", "OMPI_MCA_plm": "isolated", "CUPRITE_NUM_THREADS": "1",
               "PYTHONUNBUFFERED": ""}  # unbuffered, print() writes a line and its end in two parts: ranks' lines mix


def _environment(name, folder):
    """For mpi4py, which takes the first library that it finds; Debian's MPICH has a name that mpi4py does not know."""
    if name == "openmpi":
        return {**ENVIRONMENT, "MPI4PY_MPIABI": "openmpi"}
    library = ctypes.util.find_library("mpich") or ctypes.util.find_library("mpi")
    if not library:
        pytest.skip("MPICH's library is not installed")
    if library.startswith("libmpich"):
        paths = [line.split(" => ")[1].strip() for line in subprocess.run(
            ["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines() if library + " " in line]
        (folder / "libmpi.so.12").symlink_to(paths[0])
    before = os.environ.get("LD_LIBRARY_PATH")
    return {**ENVIRONMENT, "MPI4PY_MPIABI": "mpich",
            "LD_LIBRARY_PATH": os.pathsep.join([str(folder), *[before] * bool(before)])}


@pytest.fixture(scope="session", params=["openmpi", "mpich"])
def mpiexec(request, tmp_path_factory):
    """A function that runs a program of tests/clients on n ranks, of each MPI that is installed."""
    name = request.param
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    launcher = shutil.which("mpiexec." + name)
    if not launcher:
        pytest.skip(f"{name} is not installed (mpiexec.{name})")
    environment = _environment(name, tmp_path_factory.mktemp(name))
    if subprocess.run([launcher, "-n", "2", "true"], env=environment, capture_output=True, timeout=100).returncode:
        pytest.skip(f"{launcher} starts no two processes on this machine")

    def run(n, *command, timeout=200):
        command = [launcher, "-n", str(n), sys.executable, os.path.join(CLIENTS, command[0]), *command[1:]]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=timeout)
    return run


@pytest.mark.parametrize("n, where, every_type", [(2, "cpu", True), (3, "cpu", False), (2, "late:0", False)])
def test_collectives(mpiexec, n, where, every_type):
    r = mpiexec(n, "mpi_collectives.py", where, *["every type"] * every_type)
    assert r.returncode == 0, r.stderr[-4000:]
    assert sorted(re.findall(r"rank \d done", r.stdout)) == [f"rank {i} done" for i in range(n)], r.stdout


@pytest.mark.parametrize("n, where", [(3, "cpu"), (2, "late:0")])
def test_sparse_matrices(mpiexec, n, where):
    r = mpiexec(n, "mpi_sparse.py", where)
    assert r.returncode == 0, r.stderr[-4000:]
    assert sorted(re.findall(r"rank \d done", r.stdout)) == [f"rank {i} done" for i in range(n)], r.stdout


def test_arrays_over_ranks(mpiexec):
    r = mpiexec(2, "mpi_array.py")
    assert r.returncode == 0, r.stderr[-4000:]
    assert sorted(re.findall(r"rank \d done", r.stdout)) == ["rank 0 done", "rank 1 done"], r.stdout


def said(folder):
    """rank: the lines that it wrote into its file."""
    return {int(path.stem): path.read_text().splitlines() for path in folder.glob("*.said")}


def test_a_rank_that_does_not_come(mpiexec, tmp_path):
    start = time.monotonic()
    r = mpiexec(3, "mpi_faults.py", "absent", str(tmp_path))
    assert r.returncode != 0 and time.monotonic() - start < 150
    error = "all_reduce on rank {0} of 3: rank 1 did not come within 1.5 s"
    again = f"again: barrier on rank {{0}} of 3: {error}"
    assert said(tmp_path) == {rank: [error.format(rank), again.format(rank)] for rank in (0, 2)}, r.stderr[-3000:]


def test_a_rank_that_does_not_join(mpiexec, tmp_path):
    """A time-out while the group is made is an error as any other, and no segmentation fault."""
    start = time.monotonic()
    r = mpiexec(2, "mpi_faults.py", "start", str(tmp_path))
    error = "init_process_group on rank 0 of 2: a rank did not come within 1 s"
    assert said(tmp_path) == {0: [error]}, r.stderr[-3000:]
    assert r.returncode not in (0, 139) and "egmentation" not in r.stderr and time.monotonic() - start < 150


def test_a_rank_that_does_not_send(mpiexec, tmp_path):
    """The error comes once the time is over, and names the one rank that was waited for."""
    r = mpiexec(3, "mpi_faults.py", "silent", str(tmp_path))
    (line,) = said(tmp_path)[0]
    seconds, error = re.fullmatch(r"([\d.]+) s: (.*)", line).groups()
    assert r.returncode != 0 and 4 <= float(seconds) < 7
    assert error == "recv from rank 1 on rank 0 of 3: rank 1 did not come within 4 s"


def test_a_rank_that_dies(mpiexec, tmp_path):
    """mpiexec ends the others; which status it then ends with is the MPI's own (3, 9 and 1 were seen)."""
    start = time.monotonic()
    r = mpiexec(2, "mpi_faults.py", "dies", str(tmp_path))
    assert r.returncode not in (0, 139) and "egmentation" not in r.stderr and time.monotonic() - start < 150
    assert said(tmp_path) == {}


def test_arguments(monkeypatch):
    for args, options, words in (((0, 0), {}, "Invalid number of devices 0"),
                                 ((2, -1), {}, "Invalid number of rank -1 2"),
                                 ((2, 0), {"backend": "gloo"}, "gloo is not supported"),
                                 ((1, 0), {"timeout": 0}, "timeout must be more than 0 seconds"),
                                 ((1, 0), {"timeout": -1}, "timeout .*, not -1"),
                                 ((1, 0), {"timeout": float("nan")}, "timeout .*, not nan"),
                                 ((1, 0), {"timeout": float("inf")}, "timeout .*, not inf")):
        with pytest.raises(ValueError, match=words):
            distributed.init_process_group(*args, **options)
    for args, options in (((1.0, 0), {}), ((1, 0.0), {}), (("1", 0), {}), ((1, 0), {"timeout": "a"}),
                          ((1, 0), {"timeout": [1]})):
        with pytest.raises(TypeError):
            distributed.init_process_group(*args, **options)
    for name in ("CUPYX_DISTRIBUTED_PORT", "CUPRITE_DISTRIBUTED_TIMEOUT"):
        with monkeypatch.context() as m:
            m.setenv(name, "soon")
            with pytest.raises(ValueError, match=f"{name} must be a number, not 'soon'"):
                distributed.init_process_group(1, 0)


def test_without_mpi4py(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(NotImplementedError, match="needs mpi4py and an MPI"):
        distributed.init_process_group(1, 0, backend="mpi")
    if not cp._device.count():
        with pytest.raises(NotImplementedError, match="needs mpi4py"):
            distributed.init_process_group(1, 0)
