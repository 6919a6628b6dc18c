"""Filters and morphology of images: the calls that programs make of scipy.ndimage, 2048^2 float32 and 160^3."""
import numpy as np

from common import Case


def library(b):
    """The peer's ndimage."""
    if not b.gpu:
        import scipy.ndimage
        return scipy.ndimage
    if not b.cupy:
        return None
    import cupyx.scipy.ndimage
    return cupyx.scipy.ndimage


# name, function, the image, keywords, passes over it (each reads and writes it), operations of an element
CALLS = [
    ("gaussian, sigma 3", "gaussian_filter", "image", {"sigma": 3}, 2, 2 * 37),
    ("gaussian, sigma 2, three dimensions", "gaussian_filter", "volume", {"sigma": 2}, 3, 3 * 25),
    ("uniform 5", "uniform_filter", "image", {"size": 5}, 2, 2 * 3),
    ("uniform 5 of uint8", "uniform_filter", "bytes", {"size": 5}, 2, 2 * 3),
    ("median 3", "median_filter", "image", {"size": 3}, 1, 2 * 20),
    ("median 5", "median_filter", "image", {"size": 5}, 1, 2 * 100),
    ("median 5 of uint8", "median_filter", "bytes", {"size": 5}, 1, 2 * 100),
    ("median 11 of float64", "median_filter", "wide", {"size": 11}, 1, 2 * 600),
    ("percentile 30 of 5", "percentile_filter", "image", {"percentile": 30, "size": 5}, 1, 2 * 100),
    ("maximum 7", "maximum_filter", "image", {"size": 7}, 2, 2 * 3),
    ("sobel", "sobel", "image", {}, 2, 8),
    ("laplace", "laplace", "image", {}, 2, 10),
    ("gradient magnitude, sigma 2", "gaussian_gradient_magnitude", "image", {"sigma": 2}, 4, 4 * 25),
    ("convolve 7 x 7", "convolve", "image", {"weights": "kernel"}, 1, 2 * 49),
    ("grey opening 5", "grey_opening", "image", {"size": 5}, 4, 4 * 3),
    ("binary erosion", "binary_erosion", "mask", {}, 1, 5),
    ("binary dilation, 10 times", "binary_dilation", "mask", {"iterations": 10}, 1, 50),
    ("fill holes", "binary_fill_holes", "mask", {}, 1, 5),
    ("fourier gaussian", "fourier_gaussian", "spectrum", {"sigma": 3}, 1, 3),
]


def images():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2048, 2048))
    return {"image": x.astype("float32"), "wide": x[:1024, :1024].copy(), "bytes": (x * 40 + 128).astype("uint8"),
            "volume": rng.normal(size=(160, 160, 160)).astype("float32"), "mask": rng.random((2048, 2048)) < 0.6,
            "spectrum": x.astype("complex64"), "kernel": rng.normal(size=(7, 7))}


def cases(b):
    from cuprite.scipy import ndimage
    xp = library(b)
    given = images()
    ours, theirs = ({n: f(x) for n, x in given.items()} for f in (b.ours, b.theirs))
    for name, f, what, keywords, passes, operations in CALLS:
        x = given[what]

        def call(module, arrays, f=f, what=what, keywords=keywords):
            return getattr(module, f)(arrays[what], **{k: arrays[v] if v == "kernel" else v
                                                       for k, v in keywords.items()})
        peers = b.array_peer(lambda call=call: call(xp, theirs)) if hasattr(xp, f) else {}
        yield Case(f"{name}", lambda call=call: call(ndimage, ours), peers, bytes=2 * passes * x.nbytes,
                   operations=operations * x.size, kind="f32" if what in ("image", "volume", "bytes") else "f64",
                   bar=1 if b.gpu else 5, against="cupy" if b.gpu else "numpy")
