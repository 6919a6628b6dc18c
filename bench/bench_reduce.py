"""Reductions and selection: whole arrays, rows, columns, inner axes, masks."""
import numpy as np

from common import Case


def cases(b):
    cp, gpu = b.cp, b.gpu
    xp = b.cupy if gpu else np
    rng = np.random.default_rng(1)

    def case(name, x, ours, theirs, torchs=None, bytes=None, bar=0, against=None):
        """One operation on one array (or several): ours, CuPy's or NumPy's, PyTorch's."""
        xs = x if isinstance(x, tuple) else (x,)
        mine, other = [b.ours(v) for v in xs], [b.theirs(v) for v in xs] if xp is not None else None
        peers = b.array_peer(lambda: theirs(*other)) if other else {}
        if torchs and b.torch is not None:
            tensors = [b.tensor(v) for v in xs]
            peers.update(b.torch_peer(lambda: torchs(*tensors)))
        return Case(name, lambda: ours(*mine), peers, bytes=bytes or sum(v.nbytes for v in xs), bar=bar,
                    against=against or ("torch" if gpu else "numpy") if bar else "")

    n = 10**7
    f4 = rng.random(n, dtype="f4")
    f8, i4 = f4.astype("f8"), rng.integers(0, 1000, n).astype("i4")
    table, cube = f4.reshape(4000, 2500), f4.reshape(200, 50, 1000)
    torch = b.torch
    yield case("sum 1e7 float32", f4, cp.sum, lambda x: xp.sum(x), lambda t: torch.sum(t), bar=1)
    yield case("sum 1e7 float64", f8, cp.sum, lambda x: xp.sum(x), lambda t: torch.sum(t))
    yield case("sum 1e7 int32", i4, cp.sum, lambda x: xp.sum(x), lambda t: torch.sum(t))
    yield case("sum 1e7 float16", f4.astype("f2"), cp.sum, lambda x: xp.sum(x), lambda t: torch.sum(t))
    yield case("sum 1e7 complex64", (f4 + 1j * f4).astype("c8"), cp.sum, lambda x: xp.sum(x), lambda t: torch.sum(t))
    yield case("sum 4000 x 2500 axis 0", table, lambda x: cp.sum(x, axis=0), lambda x: xp.sum(x, axis=0),
               lambda t: torch.sum(t, 0), bar=1)
    yield case("sum 4000 x 2500 axis 1", table, lambda x: cp.sum(x, axis=1), lambda x: xp.sum(x, axis=1),
               lambda t: torch.sum(t, 1), bar=1)
    yield case("sum 1e7/3 x 3 axis 0", f4[:9999999].reshape(-1, 3), lambda x: cp.sum(x, axis=0),
               lambda x: xp.sum(x, axis=0), lambda t: torch.sum(t, 0))
    yield case("sum 1e7/3 x 3 axis 1", f4[:9999999].reshape(-1, 3), lambda x: cp.sum(x, axis=1),
               lambda x: xp.sum(x, axis=1), lambda t: torch.sum(t, 1))
    yield case("var 200 x 50 x 1000 axes 0, 2", cube, lambda x: cp.var(x, axis=(0, 2)),
               lambda x: xp.var(x, axis=(0, 2)), lambda t: torch.var(t, (0, 2), correction=0), bar=1)
    yield case("std 1e7 float32", f4, cp.std, lambda x: xp.std(x), lambda t: torch.std(t, correction=0),
               bar=1 if gpu else 3)
    yield case("std 1e7 float64", f8, cp.std, lambda x: xp.std(x), lambda t: torch.std(t, correction=0))
    yield case("mean 1e7 int32", i4, cp.mean, lambda x: xp.mean(x))
    yield case("max 1e7 float32", f4, cp.max, lambda x: xp.max(x), lambda t: torch.max(t))
    yield case("argmax 1e7 float32", f4, cp.argmax, lambda x: xp.argmax(x), lambda t: torch.argmax(t), bar=1)
    yield case("argmax 4000 x 2500 axis 1", table, lambda x: cp.argmax(x, axis=1), lambda x: xp.argmax(x, axis=1),
               lambda t: torch.argmax(t, 1))
    half, kept = f4 > 0.5, f4 < 0.997
    yield case("count_nonzero 1e7 bool", half, cp.count_nonzero, lambda x: xp.count_nonzero(x),
               lambda t: torch.count_nonzero(t))
    yield case("sum 1e7 float32 where half", (f4, half), lambda x, m: cp.sum(x, where=m),
               (lambda x, m: xp.sum(x, where=m)) if not gpu else lambda x, m: xp.sum(x * m))
    yield case("x[x > 0.5] 1e7 float32", f4, lambda x: x[x > 0.5], lambda x: x[x > 0.5], lambda t: t[t > 0.5],
               bytes=80e6, bar=1)
    yield case("x[mask] 1e7 float64", (f8, half), lambda x, m: x[m], lambda x, m: x[m], lambda t, m: t[m], bytes=130e6)
    yield case("x.compress(c) 1e7 float32, 99.7 % kept", (f4, kept), lambda x, c: x.compress(c),
               lambda x, c: x.compress(c), lambda t, c: t[c], bytes=90e6, bar=1)
    yield case("nonzero 1e7 float32", np.where(half, f4, 0).astype("f4"), cp.nonzero, lambda x: xp.nonzero(x),
               lambda t: torch.nonzero(t), bytes=80e6, bar=1)
    yield case("argwhere 4000 x 2500 bool", half.reshape(4000, 2500), cp.argwhere, lambda x: xp.argwhere(x),
               lambda t: torch.argwhere(t), bytes=90e6)

    def fill(x, m):
        x[m] = 0

    yield case("x[mask] = 0 1e7 float32", (f4, half), fill, fill, fill, bytes=60e6)
    gaps, gaps8 = f4.copy(), f8.copy()
    gaps[::100] = gaps8[::100] = np.nan
    gapped = gaps.reshape(4000, 2500)
    yield case("nansum 1e7 float32", gaps, cp.nansum, lambda x: xp.nansum(x), lambda t: torch.nansum(t), bar=1)
    yield case("nansum 4000 x 2500 axis 0", gapped, lambda x: cp.nansum(x, axis=0), lambda x: xp.nansum(x, axis=0),
               lambda t: torch.nansum(t, 0))
    yield case("nanprod 1e7 float64", gaps8, cp.nanprod, lambda x: xp.nanprod(x))
    yield case("nanmin 1e7 float32", gaps, cp.nanmin, lambda x: xp.nanmin(x), bar=1)
    yield case("nanmax 4000 x 2500 axis 0", gapped, lambda x: cp.nanmax(x, axis=0), lambda x: xp.nanmax(x, axis=0))
    yield case("nanmax 4000 x 2500 axis 1", gapped, lambda x: cp.nanmax(x, axis=1), lambda x: xp.nanmax(x, axis=1))
    yield case("nanmin 1e7 complex64", (gaps + 1j * gaps).astype("c8"), cp.nanmin, lambda x: xp.nanmin(x))
    yield case("nanmin 1e7/3 x 3 axis 1", gaps[:9999999].reshape(-1, 3), lambda x: cp.nanmin(x, axis=1),
               lambda x: xp.nanmin(x, axis=1))
    yield case("sum 10 float32", f4[:10].copy(), cp.sum, lambda x: xp.sum(x), lambda t: torch.sum(t))
    yield case("std 1000 float32", f4[:1000].copy(), cp.std, lambda x: xp.std(x), lambda t: torch.std(t))
