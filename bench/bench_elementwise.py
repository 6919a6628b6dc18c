"""Elementwise operations: every row of the table on 1e7 float32, types, strides, broadcasting, choice, conversion."""
import numpy as np

from common import Case

#: operations with other names in PyTorch
TORCH = {"absolute": "abs", "negative": "neg", "not_equal": "ne", "equal": "eq", "less": "lt", "less_equal": "le",
         "greater": "gt", "greater_equal": "ge", "power": "pow", "conjugate": "conj", "invert": "bitwise_not",
         "left_shift": "bitwise_left_shift", "right_shift": "bitwise_right_shift", "rint": "round"}


def cases(b):
    cp, gpu = b.cp, b.gpu
    xp = b.cupy if gpu else np
    rng = np.random.default_rng(1)

    def case(name, xs, ours, theirs, torchs=None, bytes=None, bar=0):
        mine, other = [b.ours(v) for v in xs], [b.theirs(v) for v in xs] if xp is not None else None
        peers = b.array_peer(lambda: theirs(*other)) if other and theirs else {}
        if torchs and b.torch is not None:
            tensors = [b.tensor(v) for v in xs]
            peers.update(b.torch_peer(lambda: torchs(*tensors)))
        return Case(name, lambda: ours(*mine), peers, bytes=bytes or sum(v.nbytes for v in xs) + xs[0].nbytes, bar=bar,
                    against=("torch" if gpu and torchs else "cupy" if gpu else "numpy") if bar else "")

    n = 10**7
    f4 = rng.random(n, dtype="f4") + np.float32(0.01)
    g4 = rng.random(n, dtype="f4") + np.float32(0.01)
    i4 = rng.integers(1, 1000, n).astype("i4")
    f8 = f4.astype("f8")
    torch = b.torch
    ufunc = type(cp.add)
    rows = {f.__name__: f for f in vars(cp).values() if isinstance(f, ufunc)}
    few = i4 % 7 + 1
    for name, f in sorted(rows.items()):
        types = next((t for t in f.types if t.startswith("f")), f.types[0])
        ins, outs = types.split("->")
        xs = [{"f": (f4, g4, g4)[k], "d": f8}.get(t, few if k else i4) for k, t in enumerate(ins)]
        peer = getattr(xp, name, None) if xp is not None else None
        other = getattr(torch, TORCH.get(name, name), None) if torch is not None and f.nout == 1 else None
        out = sum({"?": 1, "d": 8}.get(t, 4) for t in outs)
        yield case(f"{name} 1e7 {xs[0].dtype}", xs, f, peer, other, bytes=sum(x.nbytes for x in xs) + n * out,
                   bar=1 if name in ("add", "exp", "multiply", "sqrt", "sin") else 0)
    f2, c8 = f4.astype("f2"), f4.astype("c8")
    for t, x in (("float64", f8), ("float16", f2), ("complex64", c8), ("int32", i4), ("uint8", i4.astype("u1"))):
        yield case(f"add 1e7 {t}", [x, x], cp.add, lambda a, c: xp.add(a, c), lambda a, c: a + c, bytes=3 * x.nbytes)
    yield case("exp 1e7 float64", [f8], cp.exp, lambda a: xp.exp(a), lambda a: a.exp())
    yield case("angle 1e7 float32", [f4], lambda a: cp.angle(a), lambda a: xp.angle(a), lambda a: torch.angle(a))
    yield case("remainder 1e7 float64", [f8, f8[::-1].copy()], cp.remainder, lambda a, c: xp.remainder(a, c),
               lambda a, c: torch.remainder(a, c), bytes=3 * f8.nbytes)
    yield case("int32 + float32 1e7", [i4, f4], cp.add, lambda a, c: xp.add(a, c), bytes=16 * n)
    yield case("add scalar 1e7 float32", [f4], lambda a: a + 1.5, lambda a: a + 1.5, lambda a: a + 1.5, bar=1)
    yield case("add scalar 1e7 float64", [f8], lambda a: a + 1.5, lambda a: a + 1.5, lambda a: a + 1.5)
    # memory allocated beforehand: neither the pool's reuse nor fresh pages count
    into = [make(np.empty_like(f4)) if make else None for make in (b.ours, xp is not None and b.theirs,
                                                                   torch is not None and b.tensor)]
    yield case("add 1e7 float32 into out", [f4, g4], lambda a, c: cp.add(a, c, out=into[0]),
               lambda a, c: xp.add(a, c, out=into[1]), lambda a, c: torch.add(a, c, out=into[2]), bytes=3 * f4.nbytes)
    yield case("add strided 5e6 float32", [f4], lambda a: a[::2] + a[::2], lambda a: a[::2] + a[::2],
               lambda a: a[::2] + a[::2], bytes=6e7, bar=1)
    m = f8[:3000 * 3000].reshape(3000, 3000)
    yield case("a + a.T 3000^2 float64", [m], lambda a: a + a.T, lambda a: a + a.T, lambda a: a + a.T,
               bytes=3 * m.nbytes)
    yield case("a + row 3000^2 float64", [m], lambda a: a + a[0], lambda a: a + a[0], lambda a: a + a[0],
               bytes=2 * m.nbytes)
    p = f4[:3 * 10**6].reshape(-1, 3)
    yield case("(1e6, 3) + (3,) float32", [p], lambda a: a + a[0], lambda a: a + a[0], lambda a: a + a[0],
               bytes=2 * p.nbytes)
    yield case("a + column 3000^2 float64", [m], lambda a: a + a[:, :1], lambda a: a + a[:, :1], lambda a: a + a[:, :1],
               bytes=2 * m.nbytes)
    yield case("row + column 3000^2 float64", [m], lambda a: a[0] + a[:, :1], lambda a: a[0] + a[:, :1],
               lambda a: a[0] + a[:, :1], bytes=m.nbytes)
    s4 = np.resize(f4, (4096, 4096))
    yield case("a.T copied, 4096^2 float32", [s4], lambda a: a.T.copy(), lambda a: a.T.copy(),
               lambda a: a.T.contiguous(), bytes=2 * s4.nbytes, bar=1)
    yield case("a.T copied, 3000^2 float64", [m], lambda a: a.T.copy(), lambda a: a.T.copy(),
               lambda a: a.T.contiguous(), bytes=2 * m.nbytes, bar=1)
    for axis in (0, 1):
        q = f4[:4 * 10**6].reshape(2000, 2000)
        yield case(f"concatenate three 2000^2 float32, axis {axis}", [q],
                   lambda a, k=axis: cp.concatenate([a, a, a], k), lambda a, k=axis: xp.concatenate([a, a, a], k),
                   lambda a, k=axis: torch.cat([a, a, a], k), bytes=6 * q.nbytes)
    u, v = f4[:6000].reshape(2000, 1, 3), f4[6000:12000].reshape(1, 2000, 3)
    yield case("distances 2000 x 2000 in 3-d", [u, v], lambda a, c: cp.sqrt(((a - c)**2).sum(axis=2)),
               lambda a, c: xp.sqrt(((a - c)**2).sum(axis=2)), lambda a, c: ((a - c)**2).sum(2).sqrt(),
               bytes=2 * 4 * 12 * 10**6)
    if gpu:
        host = f4[:8 * 10**6]
        yield Case("32 MB to the device", lambda: cp.asarray(host), {**b.array_peer(lambda: xp.asarray(host)),
                   **b.torch_peer(lambda: torch.from_numpy(host).cuda())})
        mine, other, t = b.ours(host), b.theirs(host), b.tensor(host)
        yield Case("32 MB to the host", lambda: cp.asnumpy(mine), {**b.array_peer(lambda: xp.asnumpy(other)),
                   **b.torch_peer(lambda: t.cpu())})
    d = f4[:2048 * 2048].reshape(2048, 2048)
    yield case("d > t 2048^2 float32", [d], lambda a: a > 0.5, lambda a: a > 0.5, lambda a: a > 0.5, bytes=5 * d.size,
               bar=1)
    yield case("where(d > t, 1, 0) 2048^2", [d], lambda a: cp.where(a > 0.5, 1, 0), lambda a: xp.where(a > 0.5, 1, 0),
               lambda a: torch.where(a > 0.5, 1, 0), bytes=14 * d.size, bar=1 if gpu else 1.5)
    yield case("clip 1e7 float32", [f4], lambda a: cp.clip(a, 0.2, 0.8), lambda a: xp.clip(a, 0.2, 0.8),
               lambda a: a.clamp(0.2, 0.8), bar=1)
    types = {"f8": "float64", "f2": "float16", "i4": "int32", "?": "bool"}
    for t in types:
        yield case(f"astype float32 to {np.dtype(t)} 1e7", [f4], lambda a, t=t: a.astype(t), lambda a, t=t: a.astype(t),
                   lambda a, t=t: a.to(getattr(torch, types[t])), bytes=f4.nbytes + n * np.dtype(t).itemsize,
                   bar=1 if t == "f8" else 0)
    i2 = i4.astype("i2")
    yield case("astype int16 to float32 1e7", [i2], lambda a: a.astype("f4"), lambda a: a.astype("f4"),
               lambda a: a.to(torch.float32), bytes=6 * n, bar=1)
    yield case("isclose 1e7 float64", [f8, f8], lambda a, c: cp.isclose(a, c), lambda a, c: xp.isclose(a, c),
               lambda a, c: torch.isclose(a, c), bytes=17 * n)
    yield case("allclose 1e7 float64", [f8, f8], lambda a, c: cp.allclose(a, c), lambda a, c: xp.allclose(a, c),
               lambda a, c: torch.allclose(a, c), bytes=16 * n)
    yield case("add one element", [f8[:1]], lambda a: a + a, lambda a: a + a, lambda a: a + a, bytes=24)
