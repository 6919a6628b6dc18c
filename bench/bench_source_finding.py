"""The source-finding pipeline: its targets, step by step and as a whole.

The image is 2048 x 2048 float32 with 200 sources on noise (as the lesson's), labels as the program makes them.
"""
import numpy as np

from common import Case

N = 2048


def sky(n=N, sources=200, seed=20221102):
    rng = np.random.default_rng(seed)
    image = rng.normal(0.0, 0.0133, (n, n))
    r = 16
    yy, xx = np.mgrid[-r:r + 1, -r:r + 1]
    for _ in range(sources):
        y, x = rng.integers(r + 1, n - r - 1, 2)
        peak = min(0.12 * (1 + rng.pareto(1.3)), 1.5)
        sy, sx = rng.uniform(1.5, 3.5, 2)
        image[y - r:y + r + 1, x - r:x + r + 1] += peak * np.exp(-(yy**2 / (2 * sy**2) + xx**2 / (2 * sx**2)))
    R = 40
    yy, xx = np.mgrid[-R:R + 1, -R:R + 1]
    image[n // 2 - R:n // 2 + R + 1, n // 2 - R:n // 2 + R + 1] += 2.5 * np.exp(-(yy**2 + xx**2) / (2 * 7.0**2))
    return image.astype(np.float32)


def clipper(xp):
    """The reference program, written for one array library."""
    def run(data):
        while True:
            med = xp.median(data)
            std = xp.std(data)
            lower = data.compress(data > med - 3 * std)
            both = lower.compress(lower < med + 3 * std)
            if len(both) == len(data):
                return both
            data = both
    return run


def clipper_torch(torch):
    """The same program for PyTorch; its median is the lower middle one, which is as much work."""
    def run(data):
        while True:
            med, std = data.median(), data.std(unbiased=False)
            lower = data[data > med - 3 * std]
            both = lower[lower < med + 3 * std]
            if len(both) == len(data):
                return both
            data = both
    return run


def mean_clippers(b, x):
    """Complete clipping functions of other libraries: SciPy's about the mean, and astropy's in C where it is
    installed."""
    if b.gpu:
        return {}
    from scipy.stats import sigmaclip
    peers = {"scipy": lambda: sigmaclip(x, 3, 3)}
    try:
        from astropy.stats import sigma_clip
        peers["astropy"] = lambda: sigma_clip(x, sigma=3, maxiters=None, cenfunc="mean", masked=False, copy=False)
    except ImportError:
        pass
    return peers


def libraries(b):
    """(array library, its ndimage, its convolve2d) of the peer."""
    if b.gpu:
        if not b.cupy:
            return None, None, None
        import cupyx.scipy.ndimage as ndimage
        from cupyx.scipy.signal import convolve2d
        return b.cupy, ndimage, convolve2d
    import scipy.ndimage as ndimage
    from scipy.signal import convolve2d
    return np, ndimage, convolve2d


def measure_sources(ndimage, xp, image, labels, count):
    index = xp.arange(1, count + 1)
    return (ndimage.sum_labels(image, labels, index), ndimage.center_of_mass(image, labels, index),
            ndimage.maximum(image, labels, index))


def peer_steps(b, xp, ndimage):
    """All four steps of the reference program with the peer's library."""
    clip = clipper(xp)

    def run(image):
        kept = clip(image.ravel())
        segmented = xp.where(image > 5 * xp.std(kept), 1, 0)
        labels, count = ndimage.label(segmented)
        count = int(count)
        found = measure_sources(ndimage, xp, image, labels, count)
        return [np.asarray(f.get() if hasattr(f, "get") else f) if not isinstance(f, (list, tuple)) else f
                for f in found]
    return run


def our_steps(cp):
    from cuprite.scipy import ndimage

    def run(image):
        stats = cp.sigma_clip_stats(image)
        labels, count = ndimage.label(image > 5 * stats.std)
        found = ndimage.measure(image, labels, int(count))
        return found.flux.get(), found.centroid.get(), found.peak.get()
    return run


def cases(b):
    cp, xp_ndimage = b.cp, None
    from cuprite.scipy import ndimage as our_ndimage
    from cuprite.scipy.signal import convolve2d as our_convolve2d
    xp, xp_ndimage, xp_convolve2d = libraries(b)
    against = "cupy" if b.gpu else "numpy"
    bar = (lambda cpu, gpu: gpu) if b.gpu else (lambda cpu, gpu: cpu)

    def peer(f):
        return b.array_peer(f) if xp is not None else {}

    image = sky()
    flat = image.ravel()
    mine, theirs, tensor = b.ours(flat), b.theirs(flat), b.tensor(flat)
    rounds = 1
    data = flat
    while True:
        med, std = np.median(data), np.std(data)
        kept = data[(data > med - 3 * std) & (data < med + 3 * std)]
        if len(kept) == len(data):
            break
        rounds, data = rounds + 1, kept
    size = flat.nbytes
    torch_clip = clipper_torch(b.torch) if b.torch is not None else None
    yield Case("clipping program", lambda: clipper(cp)(mine),
               {**peer(lambda: clipper(xp)(theirs)), **b.torch_peer(lambda: torch_clip(tensor))},
               bytes=rounds * 7 * size, bar=bar(8, 8), against=against)
    yield Case("sigma_clip", lambda: cp.sigma_clip(mine),
               {**peer(lambda: clipper(xp)(theirs)), **b.torch_peer(lambda: torch_clip(tensor))},
               bytes=2 * size, bar=bar(20, 30), against=against)

    yield Case("sigma_clip about the mean", lambda: cp.sigma_clip(mine, center="mean"), mean_clippers(b, theirs),
               bytes=2 * size)

    threshold = float(5 * std)
    m2, t2 = b.ours(image), b.theirs(image)
    p2 = b.tensor(image)
    yield Case("segmentation where(d > t, 1, 0)", lambda: cp.where(m2 > threshold, 1, 0),
               {**peer(lambda: xp.where(t2 > threshold, 1, 0)),
                **b.torch_peer(lambda: b.torch.where(p2 > threshold, 1, 0))},
               bytes=size + 2 * size / 4 + 2 * size, bar=bar(1.5, 2), against=against)

    for name, level in (("sparse", threshold), ("dense", float(np.quantile(image, 0.42)))):
        segmented = (image > level).astype(np.int64)
        ms, ts = b.ours(segmented), b.theirs(segmented)
        yield Case(f"label {name}", lambda ms=ms: our_ndimage.label(ms),
                   peer(lambda ts=ts: xp_ndimage.label(ts)), bytes=2 * size + size, bar=bar(3, 2), against=against)

    segmented = (image > threshold).astype(np.int64)
    import scipy.ndimage
    labels, count = scipy.ndimage.label(segmented)
    ml, tl = b.ours(labels), b.theirs(labels)
    yield Case("flux, centroid, peak of all sources", lambda: our_ndimage.measure(m2, ml, count),
               peer(lambda: measure_sources(xp_ndimage, xp, t2, tl, count)),
               bytes=2 * size, bar=bar(40, 20), against=against)
    index = cp.arange(1, count + 1)
    yield Case("sum_labels + center_of_mass + maximum", lambda: (our_ndimage.sum_labels(m2, ml, index),
                                                                 our_ndimage.center_of_mass(m2, ml, index),
                                                                 our_ndimage.maximum(m2, ml, index)),
               peer(lambda: measure_sources(xp_ndimage, xp, t2, tl, count)),
               bytes=2 * size, bar=bar(40, 20), against=against)

    deltas = np.zeros((N, N))
    deltas[8::16, 8::16] = 1
    x, y = np.meshgrid(np.linspace(-2, 2, 15), np.linspace(-2, 2, 15))
    kernels = {"gaussian": np.exp(-(x**2 + y**2) / 2), "random": np.random.default_rng(1).normal(size=(15, 15))}
    md, td = b.ours(deltas), b.theirs(deltas)
    for name, kernel in kernels.items():
        mk, tk = b.ours(kernel), b.theirs(kernel)
        peers = peer(lambda tk=tk: xp_convolve2d(td, tk))
        if b.torch is not None:
            pd, pk = b.tensor(deltas)[None, None], b.tensor(np.ascontiguousarray(kernel[::-1, ::-1]))[None, None]
            peers.update(b.torch_peer(lambda pk=pk, pd=pd: b.torch.nn.functional.conv2d(pd, pk, padding=14)))
        yield Case(f"convolve2d full 15x15 {name}", lambda mk=mk: our_convolve2d(md, mk), peers,
                   bytes=2 * 8 * N * N, operations=2 * 225 * (N + 14)**2, kind="f64", bar=bar(25, 10), against=against)

    if xp is not None:
        def with_copies():
            return cp.asnumpy(our_convolve2d(cp.asarray(deltas), cp.asarray(kernels["random"])))
        if b.gpu:
            yield Case("convolve2d with copies in and out", with_copies,
                       peer(lambda: xp.asnumpy(xp_convolve2d(xp.asarray(deltas), xp.asarray(kernels["random"])))))

    ten = np.random.default_rng(2).normal(size=10_000_000).astype(np.float32)
    m10, t10, p10 = b.ours(ten), b.theirs(ten), b.tensor(ten)
    yield Case("std 1e7", lambda: cp.std(m10),
               {**peer(lambda: xp.std(t10)), **b.torch_peer(lambda: p10.std(unbiased=False))},
               bytes=ten.nbytes, bar=bar(3, 1), against="torch" if b.gpu else against)
    yield Case("median 1e7", lambda: cp.median(m10),
               {**peer(lambda: xp.median(t10)), **b.torch_peer(lambda: p10.median())},
               bytes=ten.nbytes, bar=bar(5, 4), against=against)

    steps = our_steps(cp)
    theirs_steps = peer_steps(b, xp, xp_ndimage) if xp is not None else None
    yield Case("all four steps, pixels to catalogue", lambda: steps(m2), peer(lambda: theirs_steps(t2)),
               bytes=4 * size, bar=bar(20, 15), against=against)
