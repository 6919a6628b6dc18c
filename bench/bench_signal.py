"""Convolution and correlation: kernels of several sizes, types and boundaries (the lesson's case is in
source_finding)."""
import numpy as np

from common import Case


def libraries(b):
    """(array library, convolve2d, correlate2d) of the peer."""
    if b.gpu:
        if not b.cupy:
            return None, None, None
        from cupyx.scipy.signal import convolve2d, correlate2d
        return b.cupy, convolve2d, correlate2d
    from scipy.signal import convolve2d, correlate2d
    return np, convolve2d, correlate2d


def by_fft(b):
    """The peer's alternatives by Fourier transforms."""
    if b.gpu and not b.cupy:
        return {}
    if b.gpu:
        from cupyx.scipy import signal
    else:
        from scipy import signal
    return {"fftconvolve": signal.fftconvolve, "oaconvolve": signal.oaconvolve}


def random(shape, dtype, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(0, 4, shape)
    if np.dtype(dtype).kind == "c":
        return (x + 1j * rng.normal(0, 4, shape)).astype(dtype)
    return x.astype(dtype)


def operations(dtype, results, taps):
    return 2.0 * results * taps * (4 if np.dtype(dtype).kind == "c" else 1)


def cases(b):
    cp = b.cp
    from cuprite.scipy.signal import convolve2d, correlate2d
    xp, xp_convolve2d, xp_correlate2d = libraries(b)
    against = "cupy" if b.gpu else "numpy"

    def peer(f):
        return b.array_peer(f) if xp is not None else {}

    def bar(cpu, gpu):
        return gpu if b.gpu else cpu

    def torch2d(x, k):
        """PyTorch's conv2d of the same operands, full."""
        if b.torch is None or x.dtype.kind != "f":
            return {}
        p, q = b.tensor(x)[None, None], b.tensor(np.ascontiguousarray(k[::-1, ::-1]))[None, None]
        pad = tuple(n - 1 for n in k.shape)
        return b.torch_peer(lambda: b.torch.nn.functional.conv2d(p, q, padding=pad))

    for dtype, side, taps, gpu_bar in (("float64", 2048, 15, 10), ("float32", 2048, 15, 0), ("int32", 2048, 15, 0),
                                       ("complex128", 1024, 15, 0), ("float64", 2048, 3, 0), ("float64", 1024, 63, 0)):
        x, k = random((side, side), dtype), random((taps, taps), dtype, 2)
        mx, mk, tx, tk = b.ours(x), b.ours(k), b.theirs(x), b.theirs(k)
        results = (side + taps - 1)**2
        yield Case(f"convolve2d {dtype} {side}^2 by {taps}^2", lambda mx=mx, mk=mk: convolve2d(mx, mk),
                   {**peer(lambda tx=tx, tk=tk: xp_convolve2d(tx, tk)), **torch2d(x, k)},
                   bytes=x.itemsize * (x.size + results), operations=operations(dtype, results, taps**2),
                   kind="f32" if dtype in ("float32", "int32") else "f64",
                   bar=bar(25 if gpu_bar else 0, gpu_bar), against=against)

    x, k = random((2048, 2048), "float64"), random((15, 15), "float64", 2)
    mx, mk, tx, tk = b.ours(x), b.ours(k), b.theirs(x), b.theirs(k)
    for name, f in by_fft(b).items():
        for side, taps in ((2048, 15), (1024, 63)):
            u, v = random((side, side), "float64"), random((taps, taps), "float64", 2)
            mu, mv, tu, tv = b.ours(u), b.ours(v), b.theirs(u), b.theirs(v)
            yield Case(f"convolve2d against {name}, {side}^2 by {taps}^2", lambda mu=mu, mv=mv: convolve2d(mu, mv),
                       peer(lambda f=f, tu=tu, tv=tv: f(tu, tv)), bytes=8 * (u.size + (side + taps - 1)**2),
                       operations=operations("float64", (side + taps - 1)**2, taps**2))
    for boundary in ("wrap", "symm"):
        yield Case(f"correlate2d same {boundary} 2048^2 by 15^2",
                   lambda boundary=boundary: correlate2d(mx, mk, "same", boundary),
                   peer(lambda boundary=boundary: xp_correlate2d(tx, tk, "same", boundary)),
                   bytes=16 * x.size, operations=operations("float64", x.size, 225))

    for dtype, n, taps in (("float64", 4_200_000, 15), ("float32", 4_200_000, 15), ("float64", 100_000, 10_000)):
        x, k = random(n, dtype), random(taps, dtype, 2)
        mx, mk, tx, tk = b.ours(x), b.ours(k), b.theirs(x), b.theirs(k)
        yield Case(f"convolve {dtype} {n:g} by {taps}", lambda mx=mx, mk=mk: cp.convolve(mx, mk),
                   peer(lambda tx=tx, tk=tk: xp.convolve(tx, tk)), bytes=2 * x.nbytes,
                   operations=operations(dtype, n + taps - 1, taps), kind="f32" if dtype == "float32" else "f64")
