"""Linear algebra: many small matrices, and large ones alone. Floors: the bytes of operands and results, and the
operations of the textbook's algorithms (a complex one counts four)."""
import numpy as np

from common import Case

SMALL = 10_000
# operation: (its multiples of n^3, real) of n x n matrices, in flops
FLOPS = {"solve": 2 / 3, "inv": 2, "det": 2 / 3, "cholesky": 1 / 3, "qr": 8 / 3, "svd": 22, "svdvals": 8 / 3, "eigh": 9,
         "eigvalsh": 4 / 3, "eig": 25}
# the bars, times the better peer: on the CPU against NumPy, on the GPU against CuPy
BARS = {("cpu", SMALL): 5, ("cpu", 512): 1, ("cpu", 2048): 1, ("gpu", SMALL): 2}


def random(shape, dtype, positive):
    rng = np.random.default_rng(1)
    x = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * rng.standard_normal(shape)
    x = x.astype(dtype)
    if positive:
        x = x @ x.conj().swapaxes(-1, -2) / shape[-1] + np.eye(shape[-1], dtype=dtype)
    return x


def torch_call(b, name, t, right):
    """PyTorch's function of the same operands."""
    if t is None:
        return {}
    f = {"svd": lambda: b.torch.linalg.svd(t), "solve": lambda: b.torch.linalg.solve(t, right)}
    return b.torch_peer(f.get(name, lambda: getattr(b.torch.linalg, name)(t)))


def case(b, name, batch, n, dtype):
    from cuprite import linalg
    xp = b.cupy if b.gpu else np
    shape = (batch, n, n) if batch > 1 else (n, n)
    a = random(shape, dtype, name in ("cholesky", "eigh", "eigvalsh"))
    right = random(shape[:-1] + (1,), dtype, False)
    x, y, tx, ty = b.ours(a), b.ours(right), b.theirs(a), b.theirs(right)
    sides = (y,) if name == "solve" else ()
    theirs = (ty,) if name == "solve" else ()
    ours = getattr(linalg, name)
    peer = getattr(xp.linalg, name, None) if xp is not None else None
    peers = b.array_peer(lambda: peer(tx, *theirs)) if peer else {}
    many = "f32" if dtype in ("float32", "complex64") else "f64"
    return Case(f"{name} {dtype} " + (f"{batch} of {n}^2" if batch > 1 else f"{n}^2"), lambda: ours(x, *sides),
                {**peers, **torch_call(b, name, b.tensor(a), b.tensor(right) if name == "solve" else None)},
                bytes=2 * a.nbytes, kind=many,
                operations=FLOPS[name] * batch * n ** 3 * (4 if np.dtype(dtype).kind == "c" else 1),
                bar=BARS.get((b.device, batch if batch > 1 else n), 0), against="cupy" if b.gpu else "numpy")


def cases(b):
    for name in ("solve", "inv", "det", "cholesky", "qr", "svd", "svdvals", "eigh"):
        yield case(b, name, SMALL, 8, "float64")
    for name in ("solve", "inv", "qr", "svd"):
        yield case(b, name, SMALL, 8, "float32")
        yield case(b, name, SMALL, 8, "complex128")
    for n in (3, 16, 32):
        for name in ("solve", "qr", "svd", "eigh"):
            yield case(b, name, 1000, n, "float64")
    for n in (64, 512, 2048):
        for name in ("solve", "inv", "det", "cholesky", "qr", "svd", "eigh"):
            if n < 2048 or name != "svd" or b.gpu:
                yield case(b, name, 1, n, "float64")
    yield case(b, "det", 1, 512, "float32")
    yield case(b, "eigh", 1, 1024, "float64")
    yield case(b, "eig", 1, 256, "float64")
    if b.gpu:
        yield case(b, "inv", 1, 6000, "float32")
