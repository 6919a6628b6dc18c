"""A program of a user's, which mypy --strict and pyright check and which runs: arrays, linear algebra, transforms,
random numbers, images, kernels, streams and files. tests/python/test_types.py says what each result is."""
import math
import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator
from types import ModuleType

import numpy as np

import cuprite as cp
from cuprite import jit
from cuprite.numba import cuda, njit, vectorize
from cuprite.scipy import fft as scipy_fft
from cuprite.scipy import linalg as scipy_linalg
from cuprite.scipy import ndimage, signal, special


@cp.fuse
def scaled(x: cp.ndarray, factor: float) -> cp.ndarray:
    return x * factor + cp.sin(x)


@cp.fuse(kernel_name="halved")
def halved(x: cp.ndarray) -> cp.ndarray:
    return x / 2


@jit.rawkernel()
def double_jit(x: cp.ndarray, y: cp.ndarray, n: int) -> None:
    i = jit.grid(1)
    if i < n:
        y[i] = 2 * x[i]


@cuda.jit
def double_numba(x: cp.ndarray, y: cp.ndarray) -> None:
    i = cuda.grid(1)
    if i < x.size:
        y[i] = 2 * x[i]


@njit
def polynomial(x: float, n: int) -> float:
    return x * n + 1


@vectorize(["float64(float64, float64)"], target="cuda")
def hypotenuse(a: float, b: float) -> float:
    return math.sqrt(a * a + b * b)


def arrays() -> cp.ndarray:
    x = cp.arange(12, dtype=cp.float32).reshape(3, 4)
    y = cp.asarray([[1.0, 2.0, 3.0, 4.0]])
    z = (x + y) * 2 - 1 / (y + 1) + x ** 2
    z[z > 10] = 10
    inside: cp.ndarray = (x > 1) & ~(x >= 7)
    total: float = float(x.sum()) + x.max().item()
    values, counts = cp.unique(cp.floor(z), return_counts=True)
    fraction, whole = cp.modf(z)
    cp.add(x, y, out=x)
    cp.multiply(x, 2, out=x, where=inside)
    for row in x:
        total += float(cp.median(row))
    parts = cp.split(x, 2, axis=1)
    heights, edges = cp.histogram(x, bins=4)
    host: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = x.get()
    print(parts[0].shape, heights.size, edges.dtype, host.mean(), total, values.ndim, counts.ndim, fraction.dtype)
    return cp.where(inside, whole, cp.concatenate([x[:2], x[2:]], axis=0))


def algebra(n: int = 4) -> tuple[cp.ndarray, float]:
    rng = cp.random.default_rng(3)
    a = rng.normal(size=(n, n))
    b = rng.integers(0, 10, size=n)
    q, r = cp.linalg.qr(a)
    u, s, vh = cp.linalg.svd(a, full_matrices=False)
    again = (u * s) @ vh
    x = cp.linalg.solve(q @ r, b)
    symmetric = cp.linalg.eigh(a + a.T)
    lu, pivots = scipy_linalg.lu_factor(a)
    x = x + scipy_linalg.lu_solve((lu, pivots), b)
    assert bool(cp.allclose(again, a)) and symmetric.eigenvalues.shape == (n,)
    return x, float(cp.linalg.norm(x))


def results(a: cp.ndarray) -> tuple[int, str]:
    """What has a name: the fields of named tuples, generators, fused functions, memory, versions."""
    svd = cp.linalg.svd(a)
    largest: cp.ndarray = svd.S[0]
    q: cp.ndarray = cp.linalg.qr(a).Q
    sign: cp.ndarray = cp.linalg.slogdet(a).sign
    counts: cp.ndarray = cp.unique_counts(cp.arange(3)).counts
    rng: cp.random.Generator = cp.random.default_rng(7)
    words: cp.random.BitGenerator = cp.random.Philox(7).jumped()
    fused: Callable[[cp.ndarray], cp.ndarray] = halved
    host: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = fused(q).get()
    memory: cp.cuda.MemoryPointer = a.data + 8
    place: cp.cuda.Device = memory.device
    contiguous: bool = a.flags.c_contiguous and not a.flags.f_contiguous
    first: cp.ndarray = next(a.flat)
    line = cp.poly1d([1, 2]) + cp.poly1d([1])
    series = cp.polynomial.Polynomial([1.0, 2.0]) * 2 if hasattr(cp.polynomial, "Polynomial") else None
    xp: ModuleType = cp.get_array_module(a)
    print(largest.ndim, sign.dtype, counts.size, rng.random(2).shape, type(words).__name__, host.shape, place.id,
          contiguous, first.item(), line.order, series, xp.__name__)
    return memory.ptr - a.data.ptr, str(cp.get_default_memory_pool().get_limit())


def images(n: int = 32) -> int:
    noise = cp.random.standard_normal((n, n)) + cp.zeros((n, n), dtype="f8")
    kernel = cp.ones((3, 3)) / 9
    smooth = signal.convolve2d(noise, kernel, mode="same")
    spectrum = cp.abs(cp.fft.fftshift(cp.fft.fft2(smooth)))
    waves = scipy_fft.rfft(smooth, axis=0)
    labels, count = ndimage.label(smooth > 0.3)
    sources = ndimage.measure(smooth, labels, count)
    flux: cp.ndarray = sources.flux
    print(spectrum.dtype, waves.shape, flux.shape, special.erf(smooth).dtype)
    return count


def kernels(n: int = 256) -> cp.ndarray:
    x = cp.linspace(0.0, 1.0, n)
    y = cp.empty_like(x)
    if jit_works():
        double_jit((1,), (n,), (x, y, n))
        double_jit[1, n](x, y, n)
        double_numba[1, n](x, y)
        raw = cp.RawKernel(SOURCE, "triple")
        raw((1,), (n,), (x, y, n))
        squares = cp.ElementwiseKernel("T x", "T y", "y = x * x", "squares")
        y = squares(x)
        print(cp.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")(x), hypotenuse(x, y))
        code: str | None = raw.code
        registers: int = raw.num_regs
        module = cp.RawModule(code=SOURCE)
        module.get_function("triple")((1,), (n,), (x, y, n))
        print(len(code or ""), registers)
    print(scaled(x, 2.0), polynomial(2.0, 3), halved(x))
    return y


SOURCE = r"""extern "C" __global__ void triple(const double *x, double *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 3 * x[i];
}"""


def jit_works() -> bool:
    return "--kernels" in sys.argv


def streams() -> float:
    start, stop = cp.cuda.Event(), cp.cuda.Event()
    with cp.cuda.Device(0) as device, cp.cuda.Stream(non_blocking=True) as stream:
        start.record(stream)
        x = cp.random.rand(100)
        stop.record(stream)
        stream.synchronize()
    free, total = device.mem_info
    done: bool = stream.done
    address: int = stream.ptr
    event: cp.cuda.Event = stream.record()
    current = cp.cuda.get_current_stream()
    current.wait_event(event)
    pool = cp.get_default_memory_pool()
    pool.free_all_blocks()
    assert free <= total and pool.used_bytes() >= 0 and x.device == device and (done or address >= 0)
    return cp.cuda.get_elapsed_time(start, stop)


def files(folder: pathlib.Path) -> Iterator[str]:
    x = cp.arange(6.0)
    cp.save(folder / "x.npy", x)
    cp.savez(str(folder / "x.npz"), x=x, y=2 * x)
    loaded = cp.load(folder / "x.npz")
    yield repr(cp.load(folder / "x.npy"))
    yield str(loaded)
    cp.savetxt(folder / "x.txt", x)
    yield from (str(v) for v in cp.loadtxt(folder / "x.txt"))


def main() -> int:
    xp = cp.get_array_module(arrays())
    print(xp.__name__, algebra(), images(), kernels().shape, streams(), results(cp.eye(3)))
    with tempfile.TemporaryDirectory() as folder:
        print(*files(pathlib.Path(folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
