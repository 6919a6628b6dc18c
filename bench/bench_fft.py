"""Fourier transforms: long ones, images, primes, batches of short ones, cosines; on a GPU our own kernels against
cuFFT in the same library (CUPRITE_FFT), the rows "own" and "library"; the others are as users have them. Floors: each
launch reads and writes once; what own kernels take is one launch an axis, and two of long ones."""
import math
import os

import numpy as np

from common import Case


def random(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 1, shape)
    if np.dtype(dtype).kind == "c":
        return (x + 1j * rng.normal(0, 1, shape)).astype(dtype)
    return x.astype(dtype)


def operations(n, lanes, real=False):
    """Operations: 5 n log2 n for a complex transform, half of it for a real one, as usual."""
    return 5 * n * math.log2(n) * lanes * (0.5 if real else 1)


def modules(b):
    """(numpy-like fft module, scipy-like one) of the array peer, or None."""
    if b.gpu:
        if not b.cupy:
            return None, None
        import cupyx.scipy.fft
        return b.cupy.fft, cupyx.scipy.fft
    import scipy.fft
    return np.fft, scipy.fft


def by(way, call):
    """The call by our own kernels or by cuFFT."""
    def run():
        os.environ["CUPRITE_FFT"] = way
        try:
            return call()
        finally:
            del os.environ["CUPRITE_FFT"]
    return run


# What both can do: names, shapes, axes; complex numbers, and real ones for "rfft"
WAYS = [*((f"fft 2^{k}", "fft", (1 << k,), (-1,)) for k in (8, 10, 12, 14, 16, 18, 20, 21)),
        ("rfft 2^18", "rfft", (1 << 18,), (-1,)), ("fft 1000", "fft", (1000,), (-1,)),
        ("fft 10^6", "fft", (10 ** 6,), (-1,)),
        *((f"fft {(1 << 20) >> k} x 2^{k}", "fft", ((1 << 20) >> k, 1 << k), (-1,)) for k in (4, 8, 10, 12)),
        ("fft 2000 x 1000", "fft", (2000, 1000), (-1,)), ("fft 1024^2 axis 0", "fft", (1024, 1024), (0,)),
        ("rfft 2048 x 256", "rfft", (2048, 256), (-1,)), ("fft2 512^2", "fftn", (512, 512), (0, 1)),
        ("fft2 1024^2", "fftn", (1024, 1024), (0, 1)), ("rfft2 1024^2", "rfftn", (1024, 1024), (0, 1)),
        ("fftn 128^3", "fftn", (128, 128, 128), (0, 1, 2))]


def ways(b):
    for name, f, shape, axes in WAYS:
        for dtype in ("complex64", "complex128"):
            real, n = f.startswith("r"), math.prod(shape)
            kind = {"complex64": "float32", "complex128": "float64"}[dtype] if real else dtype
            x = b.ours(random(shape, kind))
            where = {"axes": axes} if f.endswith("n") else {"axis": axes[0]}
            launches = sum(2 if shape[d] > (4096 if dtype == "complex64" else 2048) else 1 for d in axes)
            counts = {"bytes": launches * n * np.dtype(dtype).itemsize * (1 if real else 2), "operations":
                      operations(math.prod(shape[d] for d in axes), n // math.prod(shape[d] for d in axes), real),
                      "kind": "f32" if dtype == "complex64" else "f64"}

            def call(x=x, f=f, where=where):
                return getattr(b.cp.fft, f)(x, **where)
            yield Case(f"{name} {kind}, own", by("own", call), **counts)
            yield Case(f"{name} {kind}, library", by("library", call), **counts)


def cases(b):
    import cuprite.scipy.fft as ours_scipy
    cp = b.cp
    peer, scipy_peer = modules(b)
    against = "torch" if b.torch is not None else "cupy" if b.gpu else "numpy"

    def case(name, f, shape, dtype, bytes_, ops, bar, scipy=True, **options):
        x = random(shape, dtype)
        a, t = b.ours(x), b.theirs(x)
        peers = {}
        if peer is not None:
            peers.update(b.array_peer(lambda: getattr(peer, f)(t, **options)))
        if scipy and scipy_peer is not None and not b.gpu:
            peers["scipy"] = lambda: getattr(scipy_peer, f)(t, workers=2, **options)
        if b.torch is not None:
            named = {"axis": "dim", "axes": "dim"}
            moved = {named.get(k, k): v for k, v in options.items()}
            tensor = b.tensor(x)
            peers.update(b.torch_peer(lambda: getattr(b.torch.fft, f)(tensor, **moved)))
        kind = "f32" if np.dtype(dtype).itemsize == (8 if np.dtype(dtype).kind == "c" else 4) else "f64"
        return Case(name, lambda: getattr(cp.fft, f)(a, **options), peers, bytes=bytes_, operations=ops, kind=kind,
                    bar=bar, against=against if against == "torch" or not b.gpu else "cupy")

    bar = 1.0
    n = 1 << 20
    yield case("fft 2^20 complex128", "fft", n, "complex128", 32 * n, operations(n, 1), bar)
    yield case("fft 2^20 complex64", "fft", n, "complex64", 16 * n, operations(n, 1), bar)
    yield case("rfft 2^20 float64", "rfft", n, "float64", 16 * n, operations(n, 1, True), bar)
    m = 2048
    yield case("rfft2 2048^2 float32", "rfft2", (m, m), "float32", 8 * m * m, operations(m * m, 1, True), bar)
    yield case("rfft2 2048^2 float64", "rfft2", (m, m), "float64", 16 * m * m, operations(m * m, 1, True), bar)
    yield case("irfft2 2048^2 complex64", "irfft2", (m, m // 2 + 1), "complex64", 8 * m * m,
               operations(m * m, 1, True), bar)
    yield case("fft2 1024^2 complex128", "fft2", (1024, 1024), "complex128", 32 * n, operations(n, 1), bar)
    p = 1000003
    yield case("fft 1,000,003 complex128", "fft", p, "complex128", 32 * p, operations(p, 1), bar)
    yield case("fft 10^6 complex128", "fft", 10 ** 6, "complex128", 32 * 10 ** 6, operations(10 ** 6, 1), bar)
    yield case("fft 10,000 x 64 complex128", "fft", (10000, 64), "complex128", 32 * 640000, operations(64, 10000), bar)
    yield case("fft 10,000 x 64 complex64", "fft", (10000, 64), "complex64", 16 * 640000, operations(64, 10000), bar)
    yield case("fft 100,000 x 64 complex64", "fft", (100000, 64), "complex64", 16 * 6400000, operations(64, 100000),
               bar)
    yield case("fft 1000 x 1000 complex64", "fft", (1000, 1000), "complex64", 16 * 10 ** 6, operations(1000, 1000), bar)
    yield case("fft 1000 x 1000 axis 0", "fft", (1000, 1000), "complex128", 32 * 10 ** 6, operations(1000, 1000), bar,
               **({"axis": 0}))
    yield case("fftn 128^3 complex64", "fftn", (128, 128, 128), "complex64", 16 << 21, operations(1 << 21, 1), bar)
    yield case("fft2 100 x 128^2 complex64", "fft2", (100, 128, 128), "complex64", 16 * 1638400, operations(16384, 100),
               bar)
    yield case("fft 1024 complex128", "fft", 1024, "complex128", 32 * 1024, operations(1024, 1), bar)
    yield case("fft 8 complex128", "fft", 8, "complex128", 256, operations(8, 1), bar)
    x = random((1000, 1000), "float64")
    a, t = b.ours(x), b.theirs(x)
    peers = {}
    if scipy_peer is not None:
        peers["cupy" if b.gpu else "scipy"] = lambda: scipy_peer.dct(t)
    yield Case("dct 1000 x 1000 float64", lambda: ours_scipy.dct(a), peers, bytes=16 * 10 ** 6,
               operations=operations(1000, 1000, True))
    if b.gpu:
        yield from ways(b)
