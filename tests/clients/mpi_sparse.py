"""Collectives of sparse matrices, compared with SciPy's matrices of all ranks. As a program over MPI, run by
tests/python/test_distributed_mpi.py: mpiexec -n N python mpi_sparse.py DEVICE."""
import sys

import numpy as np
import scipy.sparse

import cuprite as cp
from cuprite.scipy import sparse

FORMATS, TYPES = ("csr", "csc", "coo"), ("?", "f", "d", "D")


def of(r, format, dtype, shape=(5, 7), density=0.3):
    """What rank r has, known to all ranks: SciPy's."""
    x = scipy.sparse.random(*shape, density=0 if r == 1 else density, format=format, rng=np.random.default_rng(r))
    x.data = np.arange(1, x.nnz + 1).astype(dtype) * (1 + 1j if dtype == "D" else 1)
    return x.astype(dtype)


def same(m, expected, format, kind):
    assert type(m) is getattr(sparse, f"{format}_{kind}"), type(m)
    assert m.dtype == expected.dtype and m.shape == expected.shape, (m.dtype, m.shape)
    np.testing.assert_array_equal(m.toarray().get(), expected.toarray())
    assert m.nnz == expected.nnz


def combined(matrices, op):
    result = matrices[0]
    for m in matrices[1:]:
        result = result + m if op == "sum" else result.multiply(m)
    return result


def check(group, kind="matrix", types=TYPES):
    """All collectives of one group."""
    n, rank = group.size, group.rank
    for format in FORMATS:
        make = getattr(sparse, f"{format}_{kind}")
        for dtype in types:
            every = [of(r, format, dtype) for r in range(n)]
            parts = [[of(10 * r + k, format, dtype, (k + 1, 3)) for k in range(n)] for r in range(n)]
            mine, empties = make(every[rank]), lambda: [make((1, 1)) for _ in range(n)]
            for op in ("sum", "prod"):
                out = make((2, 2))
                group.all_reduce(mine, out, op)
                same(out, combined(every, op), format, kind)
                out = make((2, 2))
                group.reduce(mine, out, n - 1, op)
                same(out, combined(every, op) if rank == n - 1 else make((2, 2)).get(), format, kind)
                out = make((2, 2))
                group.reduce_scatter([make(m) for m in parts[rank]], out, 1, op)
                same(out, combined([p[rank] for p in parts], op), format, kind)
            x = make(every[rank])
            group.broadcast(x, n - 1)
            same(x, every[n - 1], format, kind)
            out = empties()
            group.all_gather(mine, out, 1)
            [same(a, b, format, kind) for a, b in zip(out, every)]
            out = make((1, 1))
            group.scatter([make(m) for m in parts[0]] if rank == 0 else None, out, 0)
            same(out, parts[0][rank], format, kind)
            out = empties()
            group.gather(mine, out, 0)
            [same(a, b if rank == 0 else make((1, 1)).get(), format, kind) for a, b in zip(out, every)]
            out = empties()
            group.all_to_all([make(m) for m in parts[rank]], out)
            [same(a, p[rank], format, kind) for a, p in zip(out, parts)]
            same(mine, every[rank], format, kind)
        messages(group, make, format, kind)
    refuse(group)


def messages(group, make, format, kind):
    """What two ranks say to one another."""
    rank, a, b = group.rank, of(3, format, "f", (4, 9)), of(1, format, "D", (2, 6))
    out = make((1, 1))
    if rank == 0:
        group.send(make(a), 1)
        group.recv(out, 1)
        same(out, b, format, kind)
        group.send_recv(make(a), out, 1)
        same(out, b, format, kind)
    elif rank == 1:
        group.recv(out, 0)
        same(out, a, format, kind)
        group.send(make(b), 0)
        group.send_recv(make(b), out, 0)
        same(out, a, format, kind)
    other = sparse.csr_matrix((1, 1)) if format != "csr" else sparse.csc_matrix((1, 1))
    if rank == 0:  # the receiver keeps its format
        group.send(make(a), 1)
    elif rank == 1:
        group.recv(other, 0)
        same(other, a, other.format, "matrix")


def raises(kind, words, call):
    try:
        call()
    except kind as e:
        assert words in str(e), e
    else:
        raise AssertionError(f"no {kind.__name__}")


def refuse(group):
    """Every rank's argument is wrong: none waits for the others."""
    x = sparse.csr_matrix(np.eye(3))
    raises(ValueError, "'sum' and 'prod'", lambda: group.all_reduce(x, x, "max"))
    raises(TypeError, "csr, csc or coo", lambda: group.broadcast(sparse.dia_matrix(np.eye(3)), 0))
    raises(TypeError, "not ndarray", lambda: group.all_reduce(x, cp.zeros(3)))
    raises(RuntimeError, "one for each rank", lambda: group.all_gather(x, [x], 1))
    raises(ValueError, "is no rank", lambda: group.broadcast(x, 99))


if __name__ == "__main__":
    from mpi4py import MPI

    from cuprite import distributed
    cp.cuda.Device(sys.argv[1]).use()
    group = distributed.init_process_group(MPI.COMM_WORLD.size, MPI.COMM_WORLD.rank, timeout=60)
    check(group)
    check(group, "array", "d")
    group.stop()
    print(f"rank {group.rank} done", flush=True)
