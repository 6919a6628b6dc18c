"""ufuncs along axes and at indices: accumulate, reduce where no reduction repeats the operation, reduceat, at."""
import numpy as np

from common import Case


def cases(b):
    cp, gpu, torch = b.cp, b.gpu, b.torch
    xp = b.cupy if gpu else np
    rng = np.random.default_rng(1)

    def case(name, xs, ours, theirs, torchs=None, bytes=0):
        mine, other = [b.ours(v) for v in xs], [b.theirs(v) for v in xs] if xp is not None else None
        peers = b.array_peer(lambda: theirs(*other)) if other and theirs else {}
        if torchs and torch is not None:
            tensors = [b.tensor(v) for v in xs]
            peers.update(b.torch_peer(lambda: torchs(*tensors)))
        return Case(name, lambda: ours(*mine), peers, bytes=bytes)

    for n in b.sizes((100, 10**4, 10**6, 10**7)):
        for t in ("f4", "f8", "i8"):
            x = rng.random(n).astype(t) if t[0] == "f" else rng.integers(0, 100, n)
            yield case(f"add.accumulate {n:.0e} {x.dtype}", [x], cp.add.accumulate,
                       lambda a: xp.cumsum(a) if gpu else np.add.accumulate(a), lambda a: torch.cumsum(a, 0),
                       bytes=2 * x.nbytes)
        f4 = rng.random(n, dtype="f4")
        yield case(f"maximum.accumulate {n:.0e} float32", [f4], cp.maximum.accumulate,
                   None if gpu else np.maximum.accumulate, lambda a: torch.cummax(a, 0), bytes=2 * f4.nbytes)
        yield case(f"subtract.accumulate {n:.0e} float32", [f4], cp.subtract.accumulate,
                   None if gpu else np.subtract.accumulate, bytes=2 * f4.nbytes)
        yield case(f"subtract.reduce {n:.0e} float32", [f4], cp.subtract.reduce,
                   None if gpu else np.subtract.reduce, bytes=f4.nbytes)
        i4 = rng.integers(0, 1 << 30, n).astype("i4")
        yield case(f"bitwise_xor.reduce {n:.0e} int32", [i4], cp.bitwise_xor.reduce,
                   None if gpu else np.bitwise_xor.reduce, bytes=i4.nbytes)
        starts = np.arange(0, n, 10)
        yield case(f"add.reduceat tens of {n:.0e} float32", [f4, starts], cp.add.reduceat,
                   lambda a, i: xp.add.reduceat(a, i), bytes=f4.nbytes + f4.nbytes // 10 + 2 * starts.nbytes)
        places, into = rng.integers(0, n // 10, n), np.zeros(n // 10, "f4")
        yield case(f"add.at {n:.0e} float32", [into, places, f4], cp.add.at, lambda a, i, v: xp.add.at(a, i, v),
                   lambda a, i, v: a.index_add_(0, i, v), bytes=places.nbytes + f4.nbytes + 2 * into.nbytes)
        whole, i8 = np.zeros(n // 10, "i8"), rng.integers(0, 100, n)
        yield case(f"add.at {n:.0e} int64", [whole, places, i8], cp.add.at, lambda a, i, v: xp.add.at(a, i, v),
                   lambda a, i, v: a.index_add_(0, i, v), bytes=places.nbytes + i8.nbytes + 2 * whole.nbytes)
        yield case(f"maximum.at {n:.0e} float32", [into, places, f4], cp.maximum.at,
                   lambda a, i, v: xp.maximum.at(a, i, v), lambda a, i, v: a.index_reduce_(0, i, v, "amax"),
                   bytes=places.nbytes + f4.nbytes + 2 * into.nbytes)
    if not b.sizes((10**7,)):
        return
    square = rng.random((3162, 3162), dtype="f4")
    for axis in (0, 1):
        yield case(f"add.accumulate axis {axis} of 3162^2 float32", [square], lambda a, k=axis: cp.add.accumulate(a, k),
                   lambda a, k=axis: xp.cumsum(a, k) if gpu else np.add.accumulate(a, k),
                   lambda a, k=axis: torch.cumsum(a, k), bytes=2 * square.nbytes)
