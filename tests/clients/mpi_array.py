"""cuprite.distributed.array over ranks of the CPU: the same program as on several devices, the same answer on every
rank. Run by tests/python/test_distributed_mpi.py: mpiexec -n 2 python mpi_array.py."""
import numpy as np
from mpi4py import MPI

import cuprite as cp
from cuprite import distributed
from cuprite.distributed import array as da

rank, n = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
group = distributed.init_process_group(n, rank, timeout=60)
x, y = np.arange(35.).reshape(7, 5), np.arange(35.).reshape(5, 7) % 4
overlap = {0: [(slice(4), slice(3)), slice(None, None, 2)], 1: [slice(1, None, 2), (slice(2, 6), slice(1, 5))]}
d = da.distributed_array(x, overlap)
assert list(d.all_chunks()) == [rank]  # the others' chunks are elsewhere
assert all(c.array is None for c in d._chunks_map[1 - rank])
for mode in (da.SUM, da.PROD, da.MAX, da.MIN):
    e = d.change_mode(mode)
    np.testing.assert_array_equal(e.get(), x)
    np.testing.assert_array_equal(e.reshard({0: slice(0, 3), 1: slice(3, 7)}).get(), x)
for name in ("sum", "max", "mean"):
    for axis in (None, 0, 1):
        np.testing.assert_allclose(getattr(d, name)(axis=axis).get(), getattr(x, name)(axis=axis))
e = da.distributed_array(x[::-1].copy(), {0: slice(0, 5), 1: slice(5, 7)})
np.testing.assert_array_equal((d * 2 + e).get(), x * 2 + x[::-1])
rows, columns = {0: slice(0, 3), 1: slice(3, 7)}, {0: slice(None), 1: slice(None)}
product = da.matmul(da.distributed_array(x, rows), da.distributed_array(y, columns))
np.testing.assert_array_equal(product.get(), x @ y)
parts = {r: (slice(None), s) for r, s in rows.items()}
inner = da.matmul(da.distributed_array(y, parts), da.distributed_array(x, rows))
np.testing.assert_array_equal(inner.change_mode(da.REPLICA).get(), y @ x)
try:
    da.distributed_array(x, {2: slice(None)})
except ValueError as error:
    assert "the group has 2 ranks" in str(error)
else:
    raise AssertionError("there is no rank 2")
assert isinstance(cp.asarray(d.get()), cp.ndarray)
group.stop()
print(f"rank {rank} done")
