"""Scans and adjacent differences: cumulative sums, products and maxima, diff, gradient, trapezoid.

The floor of each is its elements read once and its results written once."""
import numpy as np

from common import Case

SIZES = (1, 100, 10**4, 10**7)


def cases(b):
    cp, gpu, torch = b.cp, b.gpu, b.torch
    xp = b.cupy if gpu else np
    rng = np.random.default_rng(1)

    def case(name, xs, ours, theirs, torchs=None, bytes=0, bar=0):
        """One operation on arrays: ours, CuPy's or NumPy's, PyTorch's."""
        xs = xs if isinstance(xs, tuple) else (xs,)
        mine = [b.ours(v) for v in xs]
        peers = {}
        if theirs and xp is not None:
            other = [b.theirs(v) for v in xs]
            peers = b.array_peer(lambda: theirs(*other))
        if torchs and torch is not None:
            tensors = [b.tensor(v) for v in xs]
            peers.update(b.torch_peer(lambda: torchs(*tensors)))
        return Case(name, lambda: ours(*mine), peers, bytes=bytes or 2 * sum(v.nbytes for v in xs), bar=bar,
                    against=("torch" if gpu else "numpy") if bar else "")

    for n in b.sizes(SIZES):
        f8 = rng.random(n)
        f4 = f8.astype("f4")
        gaps = f4.copy()
        gaps[50::100] = np.nan
        near_one = (1 + (f8 - 0.5) / 1e4).astype("f4")   # products that stay within the range
        i4, i8 = rng.integers(0, 100, n).astype("i4"), rng.integers(0, 100, n)
        size = f"{n:.0e}"
        for x in (f4, f8, i4, i8, f4 > 0.5, f4.astype("f2"), (f4 + 1j * f4).astype("c8")):
            wide = 8 * n if x.dtype.kind in "bi" else x.nbytes
            yield case(f"cumsum {size} {x.dtype}", x, cp.cumsum, lambda a: xp.cumsum(a),
                       lambda t: torch.cumsum(t, 0), bytes=x.nbytes + wide, bar=1)
        for x in (near_one, near_one.astype("f8"), i8):
            yield case(f"cumprod {size} {x.dtype}", x, cp.cumprod, lambda a: xp.cumprod(a),
                       lambda t: torch.cumprod(t, 0), bar=1)
        yield case(f"nancumsum {size} float32", gaps, cp.nancumsum, lambda a: xp.nancumsum(a), bar=1)
        for x in (f4, f8, i8):
            yield case(f"maximum.accumulate {size} {x.dtype}", x, cp.maximum.accumulate,
                       None if gpu else np.maximum.accumulate, lambda t: torch.cummax(t, 0))
        yield case(f"diff {size} float32", f4, cp.diff, lambda a: xp.diff(a), lambda t: torch.diff(t), bar=1)
        yield case(f"diff {size} int64", i8, cp.diff, lambda a: xp.diff(a), lambda t: torch.diff(t), bar=1)
        yield case(f"diff {size} float32, second", f4, lambda a: cp.diff(a, 2), lambda a: xp.diff(a, 2),
                   lambda t: torch.diff(t, 2), bar=1)
        at = np.cumsum(f8 + 0.1)
        if n > 1:
            yield case(f"gradient {size} float32", f4, cp.gradient, lambda a: xp.gradient(a),
                       lambda t: torch.gradient(t), bar=1)
            yield case(f"gradient {size} float64, uneven", (f8, at), cp.gradient, lambda a, x: xp.gradient(a, x),
                       lambda t, x: torch.gradient(t, spacing=(x,)), bytes=24 * n, bar=1)
        yield case(f"trapezoid {size} float32", f4, cp.trapezoid, lambda a: xp.trapezoid(a),
                   lambda t: torch.trapezoid(t), bytes=f4.nbytes, bar=1)
        yield case(f"trapezoid {size} float64 at places", (f8, at), cp.trapezoid, lambda a, x: xp.trapezoid(a, x),
                   lambda t, x: torch.trapezoid(t, x), bytes=16 * n, bar=1)
    if not b.sizes((10**7,)):
        return
    square = rng.random((3162, 3162), dtype="f4")
    for axis in (0, 1):
        yield case(f"cumsum axis {axis} of 3162^2 float32", square, lambda a, k=axis: cp.cumsum(a, k),
                   lambda a, k=axis: xp.cumsum(a, k), lambda t, k=axis: torch.cumsum(t, k), bar=1)
        yield case(f"maximum.accumulate axis {axis} of 3162^2 float32", square,
                   lambda a, k=axis: cp.maximum.accumulate(a, k),
                   None if gpu else lambda a, k=axis: np.maximum.accumulate(a, k),
                   lambda t, k=axis: torch.cummax(t, k))
        yield case(f"diff axis {axis} of 3162^2 float32", square, lambda a, k=axis: cp.diff(a, axis=k),
                   lambda a, k=axis: xp.diff(a, axis=k), lambda t, k=axis: torch.diff(t, dim=k), bar=1)
        yield case(f"gradient axis {axis} of 3162^2 float32", square, lambda a, k=axis: cp.gradient(a, axis=k),
                   lambda a, k=axis: xp.gradient(a, axis=k), lambda t, k=axis: torch.gradient(t, dim=k), bar=1)
    rows = rng.random((10**6, 10), dtype="f4")
    yield case("cumsum axis 1 of 1e6 x 10 float32", rows, lambda a: cp.cumsum(a, 1), lambda a: xp.cumsum(a, 1),
               lambda t: torch.cumsum(t, 1), bar=1)
