"""Labelling and measurements: sparse sources, half-full noise, one component, three dimensions; regions by SciPy's
calls."""
import numpy as np

from common import Case


def sources(side, n, seed=0):
    """Discs of radius 3 to 12 in an empty image."""
    rng = np.random.default_rng(seed)
    x = np.zeros((side, side), "int64")
    i, j = np.ogrid[:side, :side]
    for _ in range(n):
        a, b, r = rng.integers(side), rng.integers(side), rng.integers(3, 13)
        part = (slice(max(a - r, 0), a + r + 1), slice(max(b - r, 0), b + r + 1))
        x[part][(i[part[0]] - a)**2 + (j[:, part[1]] - b)**2 <= r * r] = 1
    return x


def library(b):
    """The peer's ndimage."""
    if not b.gpu:
        import scipy.ndimage
        return scipy.ndimage
    if not b.cupy:
        return None
    import cupyx.scipy.ndimage
    return cupyx.scipy.ndimage


def cases(b):
    from cuprite.scipy import ndimage
    xp = library(b)
    against = "cupy" if b.gpu else "numpy"
    rng = np.random.default_rng(1)

    def peer(f):
        return b.array_peer(f) if xp is not None else {}

    noise = rng.random((2048, 2048))
    images = {
        "200 sources, 2048^2 int64": (sources(2048, 200), 2, 3),
        "58 % set, 2048^2 int64": ((noise < 0.58).astype("int64"), 2, 3),
        "all set, 2048^2 int64": (np.ones((2048, 2048), "int64"), 0, 0),
        "58 % set, 2048^2 bool": (noise < 0.58, 0, 0),
        "30 % set, 256^3 bool": (rng.random((256, 256, 256)) < 0.3, 0, 0),
    }
    for name, (x, gpu, cpu) in images.items():
        for full in (False, True) if x.dtype == bool else (False,):
            s = np.ones((3,) * x.ndim, bool) if full else None
            mine, theirs = b.ours(x), b.theirs(x)
            ms, ts = (b.ours(s), b.theirs(s)) if full else (None, None)
            yield Case(f"label {name}" + (", every neighbour" if full else ""),
                       lambda mine=mine, ms=ms: ndimage.label(mine, ms),
                       peer(lambda theirs=theirs, ts=ts: xp.label(theirs, ts)),
                       bytes=x.nbytes + 4 * x.size, bar=gpu if b.gpu else cpu, against=against)

    x = sources(2048, 200)
    import scipy.ndimage
    labels, n = scipy.ndimage.label(x)
    image, index = rng.normal(size=x.shape).astype("float32"), np.arange(1, n + 1)
    mine, theirs = [b.ours(a) for a in (image, labels, index)], [b.theirs(a) for a in (image, labels, index)]

    def three(module, a):
        module.sum_labels(*a)
        module.center_of_mass(*a)
        module.maximum(*a)

    yield Case("sum, centre of mass, maximum of 200 sources", lambda: three(ndimage, mine),
               peer(lambda: three(xp, theirs)), bytes=3 * labels.nbytes, bar=20 if b.gpu else 40, against=against)
    yield Case("measure 200 sources", lambda: ndimage.measure(mine[0], mine[1], n), bytes=labels.nbytes)
    for name in ("sum_labels", "variance", "maximum_position"):
        yield Case(f"{name} of 200 sources", lambda name=name: getattr(ndimage, name)(*mine),
                   peer(lambda name=name: getattr(xp, name)(*theirs)), bytes=labels.nbytes)
    dense, m = scipy.ndimage.label(noise < 0.58)
    many, theirs_many = [b.ours(a) for a in (image, dense, np.arange(1, m + 1))], \
        [b.theirs(a) for a in (image, dense, np.arange(1, m + 1))]
    yield Case(f"sum_labels of {m} regions", lambda: ndimage.sum_labels(*many),
               peer(lambda: xp.sum_labels(*theirs_many)), bytes=dense.nbytes + image.nbytes)
    yield Case("find_objects of 200 sources", lambda: ndimage.find_objects(mine[1]),
               {} if b.gpu else peer(lambda: xp.find_objects(theirs[1])), bytes=labels.nbytes)
