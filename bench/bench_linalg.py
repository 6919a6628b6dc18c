"""Linear algebra: many small matrices, and single large ones; on a GPU also our own kernels against NVIDIA's libraries
in one run (the rows "own" and "library", by CUPRITE_LINALG). Floors: the bytes of operands and results, and the
operations of the textbook's algorithms (a complex one counts four)."""
import os

import numpy as np

from common import Case

SMALL = 10_000
# operation: (its multiples of n^3, real) of n x n matrices, in flops
FLOPS = {"solve": 2 / 3, "inv": 2, "det": 2 / 3, "cholesky": 1 / 3, "qr": 8 / 3, "svd": 22, "svdvals": 8 / 3, "eigh": 9,
         "eigvalsh": 4 / 3, "eig": 25}
# targets: device, operation ("": any), matrices or, of one, its rows: (times the peer, the peer)
BARS = {("cpu", "", SMALL): (5, "numpy"), ("cpu", "", 512): (1, "numpy"), ("cpu", "", 2048): (1, "numpy"),
        ("gpu", "", SMALL): (2, "cupy"), ("gpu", "qr", 64): (2, "cupy"), ("gpu", "qr", 512): (2, "cupy"),
        ("gpu", "qr", 2048): (1, "cupy"), ("gpu", "svd", 512): (2, "torch"), ("gpu", "eigh", 1024): (1, "cupy"),
        ("gpu", "solve", 2048): (1, "cupy"), ("gpu", "cholesky", 2048): (1, "torch"), ("gpu", "det", 512): (2, "cupy"),
        ("gpu", "inv", 6000): (1, "torch")}


def random(shape, dtype, name):
    rng = np.random.default_rng(1)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    if name in ("eigh", "eigvalsh"):
        x = x + x.conj().swapaxes(-1, -2)
    if name == "cholesky":
        x = x @ x.conj().swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1])
    return (x + 3 * np.eye(shape[-1]) if name in ("solve", "inv", "det") else x).astype(dtype)


def by(way, call):
    """The call under CUPRITE_LINALG=way."""
    def run():
        os.environ["CUPRITE_LINALG"] = way
        try:
            return call()
        finally:
            del os.environ["CUPRITE_LINALG"]
    return run


def torch_call(b, name, t, right):
    """PyTorch's function of the same operands."""
    if t is None:
        return {}
    f = {"svd": lambda: b.torch.linalg.svd(t), "solve": lambda: b.torch.linalg.solve(t, right)}
    return b.torch_peer(f.get(name, lambda: getattr(b.torch.linalg, name)(t)))


def case(b, name, batch, n, dtype, ways=()):
    from cuprite import linalg
    xp = b.cupy if b.gpu else np
    shape = (batch, n, n) if batch > 1 else (n, n)
    a, right = random(shape, dtype, name), random(shape[:-1] + (1,), dtype, "")
    x, y, tx, ty = b.ours(a), b.ours(right), b.theirs(a), b.theirs(right)
    sides, theirs = ((y,), (ty,)) if name == "solve" else ((), ())
    ours, peer = getattr(linalg, name), getattr(xp.linalg, name, None) if xp is not None else None
    peers = b.array_peer(lambda: peer(tx, *theirs)) if peer else {}
    bar, against = BARS.get((b.device, name, n if batch == 1 else None),
                            BARS.get((b.device, "", batch if batch > 1 else n), (0, "")))
    title = f"{name} {dtype} " + (f"{batch} of {n}^2" if batch > 1 else f"{n}^2")
    counts = {"bytes": 2 * a.nbytes, "kind": "f32" if dtype in ("float32", "complex64") else "f64",
              "operations": FLOPS[name] * batch * n ** 3 * (4 if np.dtype(dtype).kind == "c" else 1)}
    yield Case(title, lambda: ours(x, *sides),
               {**peers, **torch_call(b, name, b.tensor(a), b.tensor(right) if name == "solve" else None)}, bar=bar,
               against=against, **counts)
    for way in ways if b.gpu else ():
        yield Case(f"{title}, {way}", by(way, lambda: ours(x, *sides)), **counts)


def small(b):
    for name in ("solve", "inv", "det", "cholesky", "qr", "svd", "svdvals", "eigh"):
        yield from case(b, name, SMALL, 8, "float64")
    for name in ("solve", "inv", "qr", "svd"):
        yield from case(b, name, SMALL, 8, "float32")
        yield from case(b, name, SMALL, 8, "complex128")
    for batch, n in ((1000, 3), (1000, 16), (1000, 32), (200, 64)):
        for name in ("solve", "inv", "qr", "svd", "eigh"):
            yield from case(b, name, batch, n, "float64")


def large(b):
    both = ("own", "library")
    for n in (64, 128, 512, 1024, 2048):
        for name in ("solve", "inv", "det", "cholesky", "qr", "eigh", "svd"):
            if n <= 512 or b.gpu or (n == 2048 and name not in ("svd", "eigh")):
                if n < 2048 or name != "svd":
                    ways = both if name not in ("svd", "eigh") or n <= 128 else ("library",)
                    yield from case(b, name, 1, n, "float64", ways)
    for name in ("det", "inv", "qr", "cholesky"):
        yield from case(b, name, 1, 512, "float32", both)
    for name in ("solve", "det", "qr", "svd") if b.gpu else ():
        yield from case(b, name, 1, 512, "complex128", both)
    yield from case(b, "eig", 1, 256, "float64")
    if b.gpu:
        yield from case(b, "solve", 1, 4096, "float64", both)
        yield from case(b, "inv", 1, 6000, "float32")


def cases(b):
    yield from small(b)
    yield from large(b)
