"""Linear algebra on a GPU: the sizes that the peers were measured at, batches of small matrices, and our own kernels
against NVIDIA's libraries in one run (the rows "own" and "library", by CUPRITE_LINALG)."""
import os

import numpy as np

from common import Case


def by(way, call):
    """The call under CUPRITE_LINALG=way."""
    def run():
        os.environ["CUPRITE_LINALG"] = way
        try:
            return call()
        finally:
            del os.environ["CUPRITE_LINALG"]
    return run


def cases(b):
    if not b.gpu:
        return
    cp = b.cp
    rng = np.random.default_rng(1)

    def case(name, x, ours, theirs, torchs, operations, kind, bar=1, against="cupy", ways=("own", "library")):
        mine, other = b.ours(x), b.theirs(x)
        peers = {}
        if other is not None:
            peers.update(b.array_peer(lambda: theirs(other)))
        if b.torch is not None:
            t = b.tensor(x)
            peers.update(b.torch_peer(lambda: torchs(t)))
        yield Case(name, lambda: ours(mine), peers, bytes=2 * x.nbytes, operations=operations, kind=kind, bar=bar,
                   against=against)
        for way in ways:
            yield Case(f"{name}, {way}", by(way, lambda: ours(mine)), {}, bytes=2 * x.nbytes, operations=operations,
                       kind=kind)

    la, xp, th = cp.linalg, b.cupy, b.torch

    def square(n, dtype="f8"):
        return (rng.standard_normal((n, n)) + 3 * np.eye(n)).astype(dtype)

    for n, bar in ((64, 2), (512, 2), (1024, 0), (2048, 1)):
        yield from case(f"qr {n} float64", square(n), la.qr, lambda o: xp.linalg.qr(o), lambda t: th.linalg.qr(t),
                        8 / 3 * n**3, "f64", bar)
    for n, bar in ((128, 0), (512, 2), (1024, 0)):
        yield from case(f"svd {n} float64", square(n), la.svd, lambda o: xp.linalg.svd(o), lambda t: th.linalg.svd(t),
                        20 * n**3, "f64", bar, "torch", ways=("own", "library") if n == 512 else ())
    for n in (64, 128, 512, 1024):
        x = square(n)
        yield from case(f"eigh {n} float64", x + x.T, la.eigh, lambda o: xp.linalg.eigh(o), lambda t: th.linalg.eigh(t),
                        9 * n**3, "f64", n == 1024, ways=("own", "library") if n <= 64 else ())
    for n in (128, 512, 1024, 2048, 4096):
        x = square(n)
        v = b.ours(x[:, 0].copy()), b.theirs(x[:, 0].copy()), b.tensor(x[:, 0].copy()) if th is not None else None
        yield from case(f"solve {n} float64", x, lambda m, v=v: la.solve(m, v[0]),
                        lambda o, v=v: xp.linalg.solve(o, v[1]), lambda t, v=v: th.linalg.solve(t, v[2]), 2 / 3 * n**3,
                        "f64", n == 2048)
        p = x @ x.T + np.eye(n)
        yield from case(f"cholesky {n} float64", p, la.cholesky, lambda o: xp.linalg.cholesky(o),
                        lambda t: th.linalg.cholesky(t), n**3 / 3, "f64", n == 2048, "torch")
    yield from case("det 512 float32", square(512, "f4"), la.det, lambda o: xp.linalg.det(o),
                    lambda t: th.linalg.det(t), 2 / 3 * 512**3, "f32", 2)
    for n in (512, 2048, 6000):
        yield from case(f"inv {n} float32", square(n, "f4"), la.inv, lambda o: xp.linalg.inv(o),
                        lambda t: th.linalg.inv(t), 2 * n**3, "f32", n == 6000, "torch")
    for count, n in ((10000, 8), (10000, 16), (1000, 32), (200, 64)):
        x = rng.standard_normal((count, n, n)) + 3 * np.eye(n)
        h = x + x.swapaxes(1, 2)
        v = rng.standard_normal((count, n, 1))
        rhs = b.ours(v), b.theirs(v), b.tensor(v) if th is not None else None
        bar = 2 if count == 10000 and n == 8 else 0
        name = f"{count} x {n}^2 float64"
        work = count * n**3
        yield from case(f"solve {name}", x, lambda m, r=rhs: la.solve(m, r[0]),
                        lambda o, r=rhs: xp.linalg.solve(o, r[1]), lambda t, r=rhs: th.linalg.solve(t, r[2]), work,
                        "f64", bar, ways=())
        for f, w in (("inv", x), ("det", x), ("svd", x), ("qr", x), ("eigh", h)):
            yield from case(f"{f} {name}", w, getattr(la, f), lambda o, f=f: getattr(xp.linalg, f)(o),
                            lambda t, f=f: getattr(th.linalg, f)(t), work, "f64", bar, ways=())
