"""Selection and kappa-sigma clipping: one long row, many rows, partition, the clipping of an image."""


def _program(xp, x):
    while True:
        middle, std = xp.median(x), xp.std(x)
        kept = x.compress(x > middle - 3 * std)
        kept = kept.compress(kept < middle + 3 * std)
        if len(kept) == len(x):
            return kept
        x = kept


def _torch_program(torch, x):
    while True:
        middle, std = x.median(), x.std(correction=0)
        kept = x[(x > middle - 3 * std) & (x < middle + 3 * std)]
        if len(kept) == len(x):
            return kept
        x = kept


def _image(np):
    """Noise with a few hundred sources: eight passes until nothing is clipped."""
    rng = np.random.default_rng(20221102)
    image = rng.normal(0.0, 0.0133, (2048, 2048))
    yy, xx = np.mgrid[-16:17, -16:17]
    for _ in range(200):
        y, x = rng.integers(17, 2031, 2)
        peak = min(0.12 * (1 + rng.pareto(1.3)), 1.5)
        image[y - 16:y + 17, x - 16:x + 17] += peak * np.exp(-(yy**2 + xx**2) / (2 * rng.uniform(1.5, 3.5)**2))
    return image.astype("f4")


def cases(b):
    from common import Case
    np, cp = b.np, b.cp
    peer = b.cupy if b.gpu else np
    rng = np.random.default_rng(1)

    def median(name, x, axis=None, bar=0):
        ours, theirs, tensor = b.ours(x), b.theirs(x), b.tensor(x)
        peers = b.array_peer(lambda: peer.median(theirs, axis=axis))
        if tensor is not None and x.dtype.kind == "f":
            peers |= b.torch_peer((lambda: tensor.median()) if axis is None else (lambda: tensor.median(dim=axis)))
        return Case(name, lambda: cp.median(ours, axis=axis), peers, bytes=x.nbytes, bar=bar,
                    against="cupy" if b.gpu else "numpy")

    x = rng.random(10_000_000, dtype="f4")
    yield median("median_1e7", x, bar=4 if b.gpu else 5)
    yield median("median_1e7_f8", x.astype("f8"))
    yield median("median_1e7_u1", (x * 255).astype("u1"))
    yield median("median_10000x1000_axis1", x.reshape(10_000, 1000), 1)
    yield median("median_10000x1000_axis0", x.reshape(10_000, 1000), 0)
    yield median("median_1e6x10_axis1", x.reshape(1_000_000, 10), 1)
    yield median("median_10x1e6_axis0", x.reshape(10, 1_000_000), 0)

    ours, theirs = b.ours(x), b.theirs(x)
    yield Case("partition_1e7", lambda: cp.partition(ours, 5_000_000),
               b.array_peer(lambda: peer.partition(theirs, 5_000_000)), bytes=3 * x.nbytes)

    image = _image(np)
    for name, data, bar in (("kappa_sigma", image, 30 if b.gpu else 20), ("kappa_sigma_f8", image.astype("f8"), 0)):
        ours, theirs, tensor = b.ours(data), b.theirs(data.ravel()), b.tensor(data.ravel())
        peers = b.array_peer(lambda t=theirs: _program(peer, t))
        if tensor is not None:
            peers |= b.torch_peer(lambda t=tensor: _torch_program(b.torch, t))
        yield Case(name, lambda o=ours: cp.sigma_clip(o), peers, bytes=2 * data.nbytes, bar=bar,
                   against="cupy" if b.gpu else "numpy")
        yield Case(name + "_stats", lambda o=ours: cp.sigma_clip_stats(o), peers, bytes=data.nbytes)
