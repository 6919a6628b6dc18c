"""Sorting: long rows of several types, many rows, orders, distinct values."""
import numpy as np

from common import Case


def cases(b):
    cp = b.cp
    xp = (b.cupy if b.gpu else np)
    against = "cupy" if b.gpu else "numpy"
    rng = np.random.default_rng(1)

    def peer(f):
        return b.array_peer(f) if xp is not None else {}

    def tensor(x):
        return b.tensor(x) if b.torch is not None else None

    def case(name, x, ours, numpys, torchs=None, bytes=None, bar=0):
        mine, other, t = b.ours(x), b.theirs(x), tensor(x) if torchs else None
        peers = peer(lambda: numpys(other))
        if t is not None:
            peers.update(b.torch_peer(lambda: torchs(t)))
        return Case(name, lambda: ours(mine), peers, bytes=bytes or 2 * x.nbytes, bar=bar, against=against if bar
                    else "")

    n = 10**7
    f4 = rng.standard_normal(n, dtype="f4")
    yield case("sort 1e7 float32", f4, cp.sort, lambda x: xp.sort(x), lambda t: b.torch.sort(t), bar=1)
    yield case("sort 1e7 float64", f4.astype("f8"), cp.sort, lambda x: xp.sort(x), lambda t: b.torch.sort(t))
    yield case("sort 1e7 int64", rng.integers(-10**12, 10**12, n), cp.sort, lambda x: xp.sort(x),
               lambda t: b.torch.sort(t))
    yield case("sort 1e7 int16", rng.integers(-2**15, 2**15, n).astype("i2"), cp.sort, lambda x: xp.sort(x),
               lambda t: b.torch.sort(t))
    yield case("sort 1e7 uint8", rng.integers(0, 256, n).astype("u1"), cp.sort, lambda x: xp.sort(x),
               lambda t: b.torch.sort(t))
    yield case("sort 1e6 complex64", (f4[:10**6] + 1j * f4[-10**6:]), cp.sort, lambda x: xp.sort(x))
    yield case("sort 1e6 complex128", (f4[:10**6] + 1j * f4[-10**6:]).astype("c16"), cp.sort, lambda x: xp.sort(x))
    yield case("sort 1e4 float32", f4[:10**4].copy(), cp.sort, lambda x: xp.sort(x), lambda t: b.torch.sort(t))
    for shape in ((10000, 1000), (100000, 100), (1000000, 10), (1000, 10000)):
        x = f4.reshape(shape)
        yield case(f"sort {shape[0]} x {shape[1]} along 1", x, lambda m: cp.sort(m, 1), lambda o: xp.sort(o, 1),
                   lambda t: b.torch.sort(t, 1), bar=shape[1] == 1000)
    yield case("sort 1000 x 10000 along 0", f4.reshape(1000, 10000), lambda m: cp.sort(m, 0), lambda o: xp.sort(o, 0),
               lambda t: b.torch.sort(t, 0))
    f = f4[:10**6].copy()
    yield case("argsort 1e6 float32", f, cp.argsort, lambda x: xp.argsort(x), lambda t: b.torch.argsort(t), bytes=12e6,
               bar=1)
    yield case("argsort 1e6 float64", f.astype("f8"), cp.argsort, lambda x: xp.argsort(x), lambda t: b.torch.argsort(t),
               bytes=16e6)
    yield case("argsort 1e7 float32", f4, cp.argsort, lambda x: xp.argsort(x), lambda t: b.torch.argsort(t), bytes=12e7)
    middle = n // 2
    yield case("partition 1e7 float32", f4, lambda x: cp.partition(x, middle), lambda x: xp.partition(x, middle))
    yield case("argpartition 1e7 float32", f4, lambda x: cp.argpartition(x, middle),
               lambda x: xp.argpartition(x, middle), bytes=12e7)
    yield case("lexsort 2 x 1e6 float32", f4[:2 * 10**6].reshape(2, -1), cp.lexsort, lambda x: xp.lexsort(x),
               bytes=16e6)
    yield case("argsort 10000 x 1000 along 1", f4.reshape(10000, 1000), lambda m: cp.argsort(m, 1),
               lambda o: xp.argsort(o, 1), lambda t: b.torch.argsort(t, 1), bytes=12e7)
    for top in (1000, 10**9):
        x = rng.integers(0, top, 10**6)
        yield case(f"unique 1e6 int64 below {top:g}", x, cp.unique, lambda o: xp.unique(o), lambda t: b.torch.unique(t),
                   bytes=8e6, bar=1)
        yield case(f"unique 1e6 int64 below {top:g}, counts", x, lambda m: cp.unique(m, return_counts=True),
                   lambda o: xp.unique(o, return_counts=True), lambda t: b.torch.unique(t, return_counts=True),
                   bytes=8e6)
        yield case(f"unique 1e6 int64 below {top:g}, inverse", x, lambda m: cp.unique(m, return_inverse=True),
                   lambda o: xp.unique(o, return_inverse=True), lambda t: b.torch.unique(t, return_inverse=True),
                   bytes=16e6)
    yield case("unique 1e6 int32", rng.integers(0, 10**5, 10**6).astype("i4"), cp.unique, lambda o: xp.unique(o),
               lambda t: b.torch.unique(t), bytes=4e6, bar=1)
    few = rng.integers(0, 20, (10**6, 3)).astype("f4")
    for name, x in (("1e6 x 3 float32, 8000 distinct", few), ("1e6 x 3 float32, distinct",
                                                              f4[:3 * 10**6].reshape(-1, 3)),
                    ("1e4 x 100 float32", f4[:10**6].reshape(-1, 100)),
                    ("1e6 x 16 uint8", rng.integers(0, 256, (10**6, 16)).astype("u1")),
                    ("1e6 x 16 uint8 below 2", rng.integers(0, 2, (10**6, 16)).astype("u1"))):
        yield case(f"unique rows {name}", x, lambda m: cp.unique(m, axis=0), lambda o: xp.unique(o, axis=0),
                   lambda t: b.torch.unique(t, dim=0), bytes=2 * x.nbytes, bar=1)
    yield case("unique rows 1e6 x 3 float32, 8000 distinct, inverse", few,
               lambda m: cp.unique(m, axis=0, return_inverse=True), lambda o: xp.unique(o, axis=0, return_inverse=True),
               lambda t: b.torch.unique(t, dim=0, return_inverse=True), bytes=few.nbytes + 8e6)
