"""Counting, bins, quantiles, interpolation, averages and covariances.

The floor of each is its elements read once and its results written once; products of a covariance are operations."""
import numpy as np

from common import Case

SIZES = (1, 100, 10**4, 10**7)


def cases(b):
    cp, gpu, torch = b.cp, b.gpu, b.torch
    xp = b.cupy if gpu else np
    rng = np.random.default_rng(1)

    def case(name, xs, ours, theirs, torchs=None, bytes=0, operations=0, bar=1, peers=None):
        """One operation on arrays: ours, CuPy's or NumPy's, PyTorch's."""
        xs = xs if isinstance(xs, tuple) else (xs,)
        mine = [b.ours(v) for v in xs]
        peers = dict(peers or {})
        if theirs and xp is not None:
            other = [b.theirs(v) for v in xs]
            peers.update(b.array_peer(lambda: theirs(*other)))
        if torchs and torch is not None:
            tensors = [b.tensor(v) for v in xs]
            peers.update(b.torch_peer(lambda: torchs(*tensors)))
        return Case(name, lambda: ours(*mine), peers, bytes=bytes or sum(v.nbytes for v in xs), operations=operations,
                    bar=bar, against=("cupy" if gpu else "numpy") if bar else "")

    for n in b.sizes(SIZES):
        size, ten = f"{n:.0e}", 10 if n == 10**7 and not gpu else 1
        f8 = rng.random(n)
        f4 = f8.astype("f4")
        normal = rng.standard_normal(n)
        i8 = rng.integers(0, 1000, n)
        gaps = f4.copy()
        gaps[50::100] = np.nan
        counts = min(n, 1000)

        # --- counts and bins ---
        yield case(f"bincount {size} int64 below 1000", i8, cp.bincount, lambda a: xp.bincount(a),
                   lambda t: torch.bincount(t), bar=ten)
        yield case(f"bincount {size} uint8", (i8 % 256).astype("u1"), cp.bincount, lambda a: xp.bincount(a),
                   lambda t: torch.bincount(t), bar=ten)
        yield case(f"bincount {size} int32", i8.astype("i4"), cp.bincount, lambda a: xp.bincount(a),
                   lambda t: torch.bincount(t), bar=ten)
        yield case(f"bincount {size} int64, one value", i8 * 0 + 7, cp.bincount, lambda a: xp.bincount(a),
                   lambda t: torch.bincount(t), bar=ten)
        yield case(f"bincount {size} int64 below 1e6", rng.integers(0, 10**6, n), cp.bincount,
                   lambda a: xp.bincount(a), lambda t: torch.bincount(t))
        yield case(f"bincount {size} int64 below 1000, weights", (i8, f8), lambda a, w: cp.bincount(a, w),
                   lambda a, w: xp.bincount(a, w), lambda t, w: torch.bincount(t, w))
        for x in (f4, normal, i8.astype("i4")):
            yield case(f"histogram {size} {x.dtype} 10 bins", x, cp.histogram, lambda a: xp.histogram(a),
                       lambda t: torch.histogram(t, 10) if not gpu else torch.histc(t, 10), bar=ten)
        yield case(f"histogram {size} float32 256 bins of 0 to 1", f4, lambda a: cp.histogram(a, 256, (0, 1)),
                   lambda a: xp.histogram(a, 256, (0, 1)), lambda t: torch.histc(t, 256, 0, 1), bar=ten)
        yield case(f"histogram {size} float64 1000 bins, weights", (normal, f8),
                   lambda a, w: cp.histogram(a, 1000, weights=w), lambda a, w: xp.histogram(a, 1000, weights=w),
                   None if gpu else lambda t, w: torch.histogram(t, 1000, weight=w))
        edges = np.sort(rng.random(101))
        yield case(f"histogram {size} float64, 101 edges", (f8, edges), lambda a, e: cp.histogram(a, e),
                   lambda a, e: xp.histogram(a, e), None if gpu else lambda t, e: torch.histogram(t, e), bar=ten)
        yield case(f"histogram2d {size} float64 30 x 30 bins", (normal, f8),
                   lambda x, y: cp.histogram2d(x, y, 30), lambda x, y: xp.histogram2d(x, y, 30),
                   None if gpu else lambda x, y: torch.histogramdd(torch.stack((x, y), 1), [30, 30]))
        yield case(f"digitize {size} float64, 101 edges", (f8, edges), cp.digitize, lambda a, e: xp.digitize(a, e),
                   lambda t, e: torch.bucketize(t, e), bytes=16 * n)
        yield case(f"digitize {size} float32, 11 edges", (f4, np.linspace(0, 1, 11, dtype="f4")), cp.digitize,
                   lambda a, e: xp.digitize(a, e), lambda t, e: torch.bucketize(t, e), bytes=12 * n)
        few, many = min(n, 10**6), np.sort(rng.random(n))
        yield case(f"searchsorted {few:.0e} in {size} float64", (many, f8[:few].copy()), cp.searchsorted,
                   lambda a, v: xp.searchsorted(a, v), lambda t, v: torch.searchsorted(t, v), bytes=16 * few)
        yield case(f"searchsorted {size} in 1000 float32", (np.sort(rng.random(1000, dtype="f4")), f4),
                   cp.searchsorted, lambda a, v: xp.searchsorted(a, v), lambda t, v: torch.searchsorted(t, v),
                   bytes=12 * n)
        samples, values = np.linspace(0, 1, counts), rng.random(counts)
        yield case(f"interp {size} in {counts} samples", (f8, samples, values), cp.interp,
                   lambda x, at, of: xp.interp(x, at, of), bytes=16 * n)
        yield case(f"interp {size} ascending in {counts} samples", (np.sort(f8), samples, values), cp.interp,
                   lambda x, at, of: xp.interp(x, at, of), bytes=16 * n)

        # --- quantiles ---
        for x in (f4, f8, i8):
            yield case(f"median {size} {x.dtype}", x, cp.median, lambda a: xp.median(a),
                       None if n > 10**4 else lambda t: torch.quantile(t.double(), 0.5))
        yield case(f"percentile {size} float32, 90", f4, lambda a: cp.percentile(a, 90),
                   lambda a: xp.percentile(a, 90), None if n > 10**4 else lambda t: torch.quantile(t, 0.9))
        q = [0.05, 0.25, 0.5, 0.75, 0.95]
        yield case(f"quantile {size} float64, five", f8, lambda a: cp.quantile(a, q),
                   lambda a: xp.quantile(a, xp.asarray(q)),
                   None if n > 10**4 else lambda t: torch.quantile(t, torch.tensor(q, dtype=t.dtype, device=t.device)))
        if not gpu:
            yield case(f"nanmedian {size} float32", gaps, cp.nanmedian, np.nanmedian,
                       None if n > 10**4 else lambda t: torch.nanquantile(t, 0.5))
        else:
            yield case(f"nanmedian {size} float32", gaps, cp.nanmedian, lambda a: xp.nanmedian(a))
        yield case(f"nanpercentile {size} float32, 90", gaps, lambda a: cp.nanpercentile(a, 90),
                   None if gpu else lambda a: np.nanpercentile(a, 90),
                   None if n > 10**4 else lambda t: torch.nanquantile(t, 0.9))

        # --- averages and covariances ---
        yield case(f"average {size} float32", f4, cp.average, lambda a: xp.average(a), lambda t: t.mean())
        yield case(f"average {size} float64, weights", (f8, normal), lambda a, w: cp.average(a, weights=w),
                   lambda a, w: xp.average(a, weights=w), lambda t, w: (t * w).sum() / w.sum())
        for name in ("nanmean", "nanvar", "nanstd"):
            yield case(f"{name} {size} float32", gaps, getattr(cp, name), lambda a, f=name: getattr(xp, f)(a),
                       (lambda t: torch.nanmean(t)) if name == "nanmean" else None)
        yield case(f"nanargmax {size} float32", gaps, cp.nanargmax, lambda a: xp.nanargmax(a))
        variables = {1: 1, 100: 4}.get(n, 10)
        table = f8.reshape(variables, -1)
        flops = variables * variables * table.shape[1]
        yield case(f"cov {variables} x {table.shape[1]} float64", table, cp.cov, lambda a: xp.cov(a),
                   lambda t: torch.cov(t), operations=flops)
        yield case(f"corrcoef {variables} x {table.shape[1]} float64", table, cp.corrcoef, lambda a: xp.corrcoef(a),
                   lambda t: torch.corrcoef(t), operations=flops)
        yield case(f"cov two of {size} float64", (f8, normal), lambda x, y: cp.cov(x, y), lambda x, y: xp.cov(x, y),
                   lambda x, y: torch.cov(torch.stack((x, y))))

    if not b.sizes((10**7,)):
        return
    rows = rng.random((10**4, 1000), dtype="f4")
    for axis in (0, 1):
        yield case(f"median axis {axis} of 1e4 x 1000 float32", rows, lambda a, k=axis: cp.median(a, k),
                   lambda a, k=axis: xp.median(a, k))
        yield case(f"percentile axis {axis} of 1e4 x 1000 float32, 90", rows,
                   lambda a, k=axis: cp.percentile(a, 90, k), lambda a, k=axis: xp.percentile(a, 90, k),
                   lambda t, k=axis: torch.quantile(t, 0.9, k))
