"""Ranks that do not come. Run by tests/python/test_distributed_mpi.py: mpiexec -n N python mpi_faults.py FAULT FOLDER.
The first rank that ends ends the others, so those that speak wait for each other, by files in the folder. What a rank
says goes into its file: an MPI's launcher may end before it has read all that the ranks wrote to it."""
import os
import pathlib
import sys
import time

from mpi4py import MPI

import cuprite as cp
from cuprite import distributed

rank, n = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
folder = pathlib.Path(sys.argv[2])


def say(*lines):
    """The file appears with all its lines at once."""
    half = folder / f"{rank}.half"
    half.write_text("".join(line + "\n" for line in lines))
    half.rename(folder / f"{rank}.said")


if sys.argv[1] == "start":  # rank 1 does not even join the group
    if rank == 1:
        time.sleep(600)  # ended by the other one
    try:
        distributed.init_process_group(n, rank, backend="mpi", timeout=1)
    except distributed.DistributedTimeout as e:
        say(str(e))
    sys.exit()
seconds = {"absent": 1.5, "silent": 4}.get(sys.argv[1], 60)
group = distributed.init_process_group(n, rank, backend="mpi", timeout=seconds)
group.barrier()
x = cp.ones(5)
if sys.argv[1] == "silent":
    if rank:
        time.sleep(600)  # ended by rank 0
    start = time.monotonic()
    try:
        group.recv(x, 1)
    except distributed.DistributedTimeout as e:
        say(f"{time.monotonic() - start:.1f} s: {e}")
    sys.exit(1)
if rank == 1:
    if sys.argv[1] == "dies":
        os._exit(3)
    time.sleep(600)  # absent: ended by the others
try:
    group.all_reduce(x, x)
except distributed.DistributedTimeout as e:
    lines = [str(e)]
    try:
        group.barrier()
    except distributed.DistributedError as again:
        lines.append(f"again: {again}")
    say(*lines)
    until = time.monotonic() + 60
    while len(list(folder.glob("*.said"))) < n - 1 and time.monotonic() < until:
        time.sleep(0.01)
else:
    say("all_reduce returned")
