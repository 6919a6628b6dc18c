"""All collectives of cuprite.distributed over MPI, compared with NumPy; ranks whose calls differ; two groups in two
threads. Run by tests/python/test_distributed_mpi.py: mpiexec -n N python mpi_collectives.py DEVICE."""
import re
import sys
import threading

import numpy as np
from mpi4py import MPI

import cuprite as cp
from cuprite import distributed

rank, n = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
cp.cuda.Device(sys.argv[1]).use()
group = distributed.init_process_group(n, rank, timeout=60)  # where there is no GPU nccl is MPI
assert isinstance(group, distributed.MPIBackend) and (group.rank, group.size) == (rank, n)
TYPES = ["?", "b", "B", "h", "H", "i", "I", "l", "L", "e", "f", "d", "F", "D"] if sys.argv[2:] else ["?", "e", "d", "D"]


def of(r, dtype, shape=(2, 3)):
    """What rank r has, known to all ranks."""
    x = np.random.default_rng(r).integers(0, 5, shape)
    return (x + 1j * x[::-1] if dtype in "FD" else x).astype(dtype)


def same(x, expected):
    np.testing.assert_array_equal(x.get(), expected)
    assert x.dtype == expected.dtype, (x.dtype, expected.dtype)


def all_ranks(dtype, shape=(2, 3)):
    return np.stack([of(r, dtype, shape) for r in range(n)])


for dtype in TYPES:
    every, mine = all_ranks(dtype), cp.asarray(of(rank, dtype))
    for op, f in (("sum", np.add), ("prod", np.multiply), ("max", np.maximum), ("min", np.minimum)):
        if op != "sum" and dtype not in "?Hed":
            continue
        result = f.reduce(every, axis=0, dtype=dtype)
        out = cp.empty_like(mine)
        group.all_reduce(mine, out, op)
        same(out, result)
        same(mine, every[rank])
        again = mine.copy()
        group.all_reduce(again, again, op)
        same(again, result)
        out.fill(0)
        group.reduce(mine, out, n - 1, op)
        same(out, result if rank == n - 1 else np.zeros_like(result))
        wide = cp.asarray(of(rank, dtype, (n, 2)))
        part = cp.empty(2, dtype)
        group.reduce_scatter(wide, part, 2, op)
        same(part, f.reduce(all_ranks(dtype, (n, 2)), axis=0, dtype=dtype)[rank])
    x = mine.copy()
    group.broadcast(x, n - 1)
    same(x, every[n - 1])
    out = cp.empty((n, 2, 3), dtype)
    group.all_gather(mine, out, mine.size)
    same(out, every)
    out.fill(0)
    group.gather(mine, out, 0)
    same(out, every if rank == 0 else np.zeros_like(every))
    out = cp.empty_like(mine)
    rows = cp.asarray(every) if rank == n - 1 else None
    group.scatter(rows, out, n - 1)
    same(out, every[rank])
    table, out = cp.asarray(of(rank, dtype, (n, 2))), cp.empty((n, 2), dtype)
    group.all_to_all(table, out)
    same(out, all_ranks(dtype, (n, 2))[:, rank])
    out, other = cp.empty_like(mine), rank ^ 1
    if other < n:
        group.send_recv(mine, out, other)
        same(out, every[other])
    if rank == 0:
        group.send(mine, n - 1)
    if rank == n - 1:
        group.recv(out, 0)
        same(out, every[0])
wide = cp.asarray(of(rank, "f")).astype(cp.bfloat16)
group.all_reduce(wide, wide)
same(wide.astype("f"), all_ranks("f").sum(0))
for dtype in "de":  # of which MPI has no sum of the latter
    fortran = cp.asfortranarray(cp.asarray(of(rank, dtype)))
    out = cp.empty_like(fortran)
    group.all_reduce(fortran, out)
    same(out, all_ranks(dtype).sum(0))
    group.reduce(fortran, fortran, 0)
    same(fortran, all_ranks(dtype).sum(0) if rank == 0 else of(rank, dtype))
empty = cp.empty((0, 3))
group.all_reduce(empty, empty)
group.barrier()


def refused(kind, words, f, *args):
    """The error's class and words; afterwards the group goes on."""
    try:
        f(*args)
    except kind as e:
        assert re.search(words, str(e)), (words, str(e))
    else:
        raise AssertionError(f"no {kind.__name__}")


other = 1 if rank == 0 else 0
call = f"all_reduce on rank {rank} of {n}: rank {other} called all_reduce of "
x = cp.zeros(4 if rank == 0 else 3)
refused(distributed.DistributedError, call + r"float64 of shape \(\d,\)", group.all_reduce, x, x)
x = cp.zeros(4, "f" if rank == 0 else "d")
refused(distributed.DistributedError, call + r"float\d\d of", group.all_reduce, x, x)
x = cp.zeros(4)
refused(distributed.DistributedError, call + ".* (sum|max), this rank", group.all_reduce, x, x,
        "max" if rank == 0 else "sum")
if rank == 0:
    refused(distributed.DistributedError, "all_reduce on rank 0 of .: rank 1 called barrier of all ranks",
            group.all_reduce, x, x)
else:
    refused(distributed.DistributedError, "rank 0 called all_reduce", group.barrier)
if rank == 0:
    refused(ValueError, "in_array has 4 elements, so out_array has 4, not 3", group.all_reduce, x, cp.zeros(3))
else:
    refused(distributed.DistributedError, "rank 0 could not make its call: ValueError: in_array has 4",
            group.all_reduce, x, x)
refused(RuntimeError, "Unknown op mean for MPI", group.all_reduce, x, x, "mean")
refused(ValueError, "Only sum is supported for complex", group.all_reduce, cp.zeros(2, "D"), cp.zeros(2, "D"), "max")
refused(ValueError, "is no rank of", group.broadcast, x, n)
refused(RuntimeError, "contiguous", group.broadcast, cp.zeros((4, 4))[::2, ::2])
refused(TypeError, "must be a cuprite.ndarray", group.broadcast, np.zeros(3))
refused(TypeError, "integer", group.broadcast, x, 0.0)
refused(TypeError, "integer", group.send, x, 0.5)
for call in (group.reduce_scatter, group.all_gather):  # on one rank too: the others do not wait
    wide = cp.zeros(3 * n)
    arrays = (wide, cp.zeros(3)) if call == group.reduce_scatter else (cp.zeros(3), wide)
    refused(*((TypeError, "integer") if rank == 0 else (distributed.DistributedError, "rank 0 could not make")), call,
            *arrays, 2.0 if rank == 0 else 2)
square = cp.zeros((n, n)).T
refused(ValueError, "in_array is in F order, out_array in C order", group.all_reduce, square, cp.zeros((n, n)))
refused(*((ValueError, "in_array is in C order, out_array in F order") if rank == 0 else
          (distributed.DistributedError, "rank 0 could not make")), group.scatter, cp.zeros((n, n, n)), square)
refused(distributed.DistributedError, "F float64, 9 a rank" if n == 3 else "F float64, 4 a rank", group.all_gather,
        square if rank == 0 else cp.zeros((n, n)), *[cp.zeros((n, n, n)).T if rank == 0 else cp.zeros((n, n, n))],
        n * n)
refused(RuntimeError, "first axis must have a length of", group.all_to_all, cp.zeros(n + 1), cp.zeros(n + 1))
refused(ValueError, "count is 9", group.all_gather, cp.zeros(3), cp.zeros(3 * n), 9)
if rank == 0:
    group.send(cp.zeros(3, "f"), 1)
    group.send(cp.zeros(3), 1)
    group.send(cp.arange(5.), 1)
elif rank == 1:
    refused(distributed.DistributedError, "recv from rank 0 on rank 1 of .: 12 bytes of float32 came, where 3 elements "
            "of float64", group.recv, cp.zeros(3), 0)
    refused(distributed.DistributedError, "24 bytes of float64 came, where 2 elements", group.recv, cp.zeros(2), 0)
    group.recv(out := cp.zeros(5), 0)
    same(out, np.arange(5.))

# messages of several types that wait already come in the order in which they were sent
if rank == 0:
    for dtype in TYPES[::-1]:
        group.send(cp.asarray(of(0, dtype)), n - 1)
group.barrier()
if rank == n - 1:
    for dtype in TYPES[::-1]:
        group.recv(out := cp.empty((2, 3), dtype), 0)
        same(out, of(0, dtype))
out = cp.asfortranarray(cp.asarray(of(rank, "d")))
if rank ^ 1 < n:
    group.send_recv(out, out, rank ^ 1)
    same(out, of(rank ^ 1, "d"))

# two groups in two threads, whose calls come in another order on each rank
device, wrong = cp.cuda.Device(), []
groups = [distributed.MPIBackend(n, rank, timeout=60) for _ in range(2)]


def many(which):
    try:
        device.use()
        for i in range(5):
            v = cp.full(50, float(rank + i + 100 * which))
            groups[which].all_reduce(v, v)
            same(v, np.full(50, sum(r + i + 100. * which for r in range(n))))
    except BaseException as e:
        wrong.append(e)


threads = [threading.Thread(target=many, args=(w,)) for w in ((0, 1) if rank == 0 else (1, 0))]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert not wrong, wrong

# mpi4py takes arrays of the CPU where they lie
if sys.argv[1] == "cpu":
    x = cp.full(3, float(rank))
    at = x.data.ptr
    MPI.COMM_WORLD.Allreduce(MPI.IN_PLACE, x)
    same(x, np.full(3, sum(range(n)), float))
    assert x.data.ptr == at
assert distributed.is_cuda_aware() in (True, False)
for g in groups + [group]:
    g.stop()
refused(distributed.DistributedError, "barrier on rank . of .: it was stopped", group.barrier)
print(f"rank {rank} done")
