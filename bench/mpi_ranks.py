"""Speedup of examples/source_finding_mpi.c by ranks of one thread each, on this machine.

    python bench/mpi_ranks.py [--build build] [--size 8000] [--ranks 1 2 4] [--repeat 5] [--mpi openmpi]

Least seconds of several runs, the ranks' numbers in turn; an idle processor for each rank is needed. CPU seconds are
those of all ranks with the start of MPI; they do not depend on what else runs."""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import tempfile

import numpy as np
from astropy.io import fits

ROOT = pathlib.Path(__file__).resolve().parents[1]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader", "OMPI_MCA_plm": "isolated",
               "OMPI_MCA_mpi_yield_when_idle": "1", "CUPRITE_NUM_THREADS": "1"}


def paint(path, size):
    r = np.random.default_rng(1)
    x = r.standard_normal((size, size), dtype="f4") + np.float32(3)
    y = np.arange(-9, 10)
    disk = np.exp(-(y[:, None] ** 2 + y**2) / 8).astype("f4")
    for cy, cx in r.integers(10, size - 10, (size * size // 40000, 2)):
        x[cy - 9:cy + 10, cx - 9:cx + 10] += np.float32(r.uniform(20, 200)) * disk
    fits.writeto(path, x)


def compiled(folder, build, mpi):
    flags = ["-std=gnu17", "-O2", f"-I{ROOT}/include", f"-I{build}/generated/include", f"-I{ROOT}/mpi/include"]
    link = [f"-L{build}/lib", "-lcuprite", f"-Wl,-rpath,{build}/lib", "-lm"]
    subprocess.run([f"mpicc.{mpi}", *flags, "-shared", "-fPIC", ROOT / "mpi/mpi.c", "-o",
                    folder / "libcuprite-mpi.so", *link], check=True)
    subprocess.run([f"mpicc.{mpi}", *flags, ROOT / "examples/source_finding_mpi.c", "-o", folder / "find",
                    f"-L{folder}", "-lcuprite-mpi", f"-Wl,-rpath,{folder}", *link], check=True)
    return folder / "find"


def one(command):
    """(reading, the rest, CPU) seconds of a run, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=True, timeout=600)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    reading, rest = re.search(r"seconds: (\S+) for reading, (\S+) for", done.stderr).groups()
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (float(reading), float(rest), cpu), done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--size", type=int, default=8000)
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], default="openmpi")
    o = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        paint(folder / "sky.fits", o.size)
        program = compiled(folder, o.build.resolve(), o.mpi)
        times, said = {n: [] for n in o.ranks}, set()
        for _ in range(o.repeat):
            for n in o.ranks:
                seconds, text = one([f"mpiexec.{o.mpi}", "-n", str(n), program, folder / "sky.fits", "cpu"])
                times[n].append(seconds)
                said.add(text)
    assert len(said) == 1, "the catalogues differ"
    print(f"{o.size} x {o.size} float32, {o.mpi}, load {os.getloadavg()[0]:.1f}")
    print("ranks  reading      rest  speedup  CPU")
    first = None
    for n in o.ranks:
        reading, rest, cpu = (min(t[i] for t in times[n]) for i in range(3))
        first = first or rest
        print(f"{n:5d} {reading:8.3f} {rest:9.3f} {first / rest:8.2f} {cpu:6.2f}")


if __name__ == "__main__":
    main()
