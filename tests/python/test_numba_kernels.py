"""Kernels in the style of textbooks, written for Numba: every one against NumPy."""
import math

import numpy as np
import pytest

from cuprite.numba import cuda, float32, float64, int32, njit, vectorize
from cuprite.numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

THREADS = 128
TILE = 16
G = 0.5


@cuda.jit(device=True)
def escapes(x, y, most):
    c = complex(x, y)
    z = 0.0j
    for i in range(most):
        z = z * z + c
        if (z.real * z.real + z.imag * z.imag) >= 4:
            return i
    return most


@cuda.jit
def mandelbrot(left, right, top, bottom, image, most):
    height = image.shape[0]
    width = image.shape[1]
    pixel_x = (right - left) / width
    pixel_y = (bottom - top) / height
    start_x, start_y = cuda.grid(2)
    grid_x = cuda.gridDim.x * cuda.blockDim.x
    grid_y = cuda.gridDim.y * cuda.blockDim.y
    for x in range(start_x, width, grid_x):
        real = left + x * pixel_x
        for y in range(start_y, height, grid_y):
            imag = top + y * pixel_y
            image[y, x] = escapes(real, imag, most)


def test_mandelbrot():
    image = np.zeros((40, 60), np.uint8)
    mandelbrot[(2, 2), (8, 8)](-2.0, 1.0, -1.0, 1.0, image, 20)
    x, y = -2 + np.arange(60) * (3 / 60), -1 + np.arange(40) * (2 / 40)
    c = x + 1j * y[:, None]
    z, count, inside = np.zeros_like(c), np.zeros(c.shape, int), np.ones(c.shape, bool)
    for _ in range(20):
        z[inside] = z[inside] ** 2 + c[inside]
        inside &= z.real ** 2 + z.imag ** 2 < 4
        count[inside] += 1
    assert (image == count).mean() > 0.995  # a rounding may decide at the edge


@cuda.jit
def histogram(data, low, width, bins):
    mine = cuda.shared.array(32, int32)
    t = cuda.threadIdx.x
    if t < bins.size:
        mine[t] = 0
    cuda.syncthreads()
    for i in range(cuda.grid(1), data.size, cuda.gridsize(1)):
        b = int((data[i] - low) / width)
        if b >= 0 and b < bins.size:
            cuda.atomic.add(mine, b, 1)
    cuda.syncthreads()
    if t < bins.size:
        cuda.atomic.add(bins, t, mine[t])


def test_histogram():
    data = np.random.default_rng(0).normal(size=5000)
    bins = np.zeros(16, np.int32)
    histogram[4, THREADS](data, -4.0, 0.5, bins)
    assert (bins == np.histogram(data, 16, (-4, 4))[0]).all()


@cuda.jit
def scan(x, out):
    s = cuda.shared.array(THREADS, float64)
    t = cuda.threadIdx.x
    s[t] = x[t]
    cuda.syncthreads()
    offset = 1
    while offset < cuda.blockDim.x:
        v = s[t]
        if t >= offset:
            v += s[t - offset]
        cuda.syncthreads()
        s[t] = v
        cuda.syncthreads()
        offset *= 2
    out[t] = s[t]


@cuda.jit
def scan_by_shuffles(x, out):
    sums = cuda.shared.array(32, float64)
    t = cuda.threadIdx.x
    lane, warp = t % cuda.warpsize, t // cuda.warpsize
    v = x[t]
    d = 1
    while d < 32:
        w = cuda.shfl_up_sync(0xffffffff, v, d)
        if lane >= d:
            v += w
        d <<= 1
    if lane == 31:
        sums[warp] = v
    cuda.syncthreads()
    for k in range(warp):
        v += sums[k]
    out[t] = v


@pytest.mark.parametrize("kernel", [scan, scan_by_shuffles])
def test_scans(kernel):
    x, out = np.random.default_rng(0).random(THREADS), np.zeros(THREADS)
    kernel[1, THREADS](x, out)
    assert np.allclose(out, np.cumsum(x), rtol=1e-13, atol=0)


@cuda.jit
def bitonic_step(x, j, k):
    i = cuda.grid(1)
    ixj = i ^ j
    if ixj > i:
        if (i & k) == 0:
            if x[i] > x[ixj]:
                x[i], x[ixj] = x[ixj], x[i]
        elif x[i] < x[ixj]:
            x[i], x[ixj] = x[ixj], x[i]


def test_bitonic_sort():
    x = np.random.default_rng(0).random(256).astype(np.float32)
    d = cuda.to_device(x)
    k = 2
    while k <= x.size:
        j = k >> 1
        while j > 0:
            bitonic_step[2, THREADS](d, j, k)
            j >>= 1
        k <<= 1
    assert (d.copy_to_host() == np.sort(x)).all()


@cuda.jit
def life(old, new):
    y, x = cuda.grid(2)
    h, w = old.shape
    if y >= h or x >= w:
        return
    alive = 0
    for dy in (-1, 0, 1):
        for dx in range(-1, 2):
            if dy != 0 or dx != 0:
                alive += old[(y + dy) % h, (x + dx) % w]
    new[y, x] = 1 if alive == 3 or (old[y, x] and alive == 2) else 0


def test_life():
    old = (np.random.default_rng(0).random((30, 41)) < 0.4).astype(np.uint8)
    new = np.zeros_like(old)
    life[(2, 3), (16, 16)](old, new)
    alive = sum(np.roll(old, (dy, dx), (0, 1)).astype(int) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - old
    assert (new == ((alive == 3) | ((old == 1) & (alive == 2)))).all()


@cuda.jit(device=True)
def pull(a, b, eps):
    dx, dy = b[0] - a[0], b[1] - a[1]
    r = math.sqrt(dx * dx + dy * dy + eps ** 2)
    return G * dx / r ** 3, G * dy / r ** 3


@cuda.jit
def n_body(p, force):
    i = cuda.grid(1)
    if i >= p.shape[0]:
        return
    mine = cuda.local.array(2, float64)
    mine[0] = mine[1] = 0
    for j in range(p.shape[0]):
        fx, fy = pull(p[i], p[j], 0.1)
        mine[0] += fx
        mine[1] += fy
    force[i, 0], force[i, 1] = mine[0], mine[1]


def test_n_body():
    p = np.random.default_rng(0).random((50, 2))
    force = np.zeros_like(p)
    n_body[1, 64](p, force)
    d = p[None] - p[:, None]
    r = np.sqrt((d ** 2).sum(-1) + 0.01)
    terms = 0.5 * d / r[..., None] ** 3
    assert (abs(force - terms.sum(1)) <= 50 * np.finfo(float).eps * abs(terms).sum(1)).all()  # they cancel


@cuda.jit
def transpose(a, b):
    tile = cuda.shared.array((TILE, TILE + 1), float32)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    x = cuda.blockIdx.x * TILE + tx
    y = cuda.blockIdx.y * TILE + ty
    if y < a.shape[0] and x < a.shape[1]:
        tile[ty, tx] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * TILE + tx
    y = cuda.blockIdx.x * TILE + ty
    if y < b.shape[0] and x < b.shape[1]:
        b[y, x] = tile[tx, ty]


def test_transpose():
    a = np.random.default_rng(0).random((37, 50)).astype(np.float32)
    b = np.zeros((50, 37), np.float32)
    transpose[(4, 3), (TILE, TILE)](a, b)
    assert (b == a.T).all()


@cuda.jit
def total(x, partial):
    s = cuda.shared.array(THREADS, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < len(x) else 0
    cuda.syncthreads()
    half = cuda.blockDim.x // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        partial[cuda.blockIdx.x] = s[0]


def test_total():
    x = np.random.default_rng(0).random(1000).astype(np.float32)
    partial = np.zeros(8, np.float32)
    total[8, THREADS](x, partial)
    assert abs(partial.sum(dtype="f8") - x.sum(dtype="f8")) <= 12 * 2.0 ** -24 * x.sum()  # a tree and a last few


@cuda.jit
def monte_carlo(states, draws, out):
    i = cuda.grid(1)
    inside = 0
    for _ in range(draws):
        x = xoroshiro128p_uniform_float32(states, i)
        y = xoroshiro128p_uniform_float32(states, i)
        if x ** 2 + y ** 2 <= 1.0:
            inside += 1
    out[i] = 4.0 * inside / draws


def test_monte_carlo():
    out = np.zeros(256, np.float32)
    monte_carlo[2, 128](create_xoroshiro128p_states(256, seed=1), 1000, out)
    assert abs(out.mean() - math.pi) < 0.02 and out.std() > 0.01


@cuda.jit
def heat(old, new, k):
    i, j = cuda.grid(2)
    if 1 <= i < old.shape[0] - 1 and 1 <= j < old.shape[1] - 1:
        new[i, j] = old[i, j] + k * (old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1] - 4 * old[i, j])


def test_heat():
    u = np.random.default_rng(0).random((20, 33))
    a, b = cuda.to_device(u), cuda.to_device(u)
    for _ in range(10):
        heat[(2, 3), (TILE, TILE)](a, b, 0.1)
        a, b = b, a
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
                                              - 4 * u[1:-1, 1:-1])
    assert np.allclose(a.copy_to_host(), u, rtol=1e-13, atol=0)


@njit
def cumulative(x):
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    tail = 0.39894228 * math.exp(-0.5 * x * x) * (k * (0.31938153 + k * (-0.356563782 + k * (
        1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    return 1 - tail if x > 0 else tail


@vectorize(["float64(float64, float64, float64)"], target="cuda")
def call_price(price, strike, years):
    root = math.sqrt(years)
    d = (math.log(price / strike) + (0.02 + 0.5 * 0.3 * 0.3) * years) / (0.3 * root)
    return price * cumulative(d) - strike * math.exp(-0.02 * years) * cumulative(d - 0.3 * root)


def test_black_scholes():
    rng = np.random.default_rng(0)
    price, strike = rng.uniform(5, 30, 200), rng.uniform(1, 100, 200)
    d = (np.log(price / strike) + (0.02 + 0.045) * 2) / (0.3 * np.sqrt(2))
    n = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))
    expected = price * n(d) - strike * np.exp(-0.04) * n(d - 0.3 * np.sqrt(2))
    # the kernel's polynomial is a normal distribution's within 7.5e-8
    np.testing.assert_allclose(call_price(price, strike, 2.0), expected, rtol=0, atol=7.5e-8 * (30 + 100))


@cuda.jit
def primes(limit, flags):
    n = cuda.grid(1)
    if n >= limit:
        return
    prime = n > 1
    d = 2
    while d * d <= n:
        if n % d == 0:
            prime = False
            break
        d += 1
    flags[n] = prime


def test_primes():
    flags = np.zeros(1000, np.bool_)
    primes.forall(1000)(1000, flags)
    assert flags.sum() == 168 and flags[[2, 3, 997]].all() and not flags[[0, 1, 4, 999]].any()


@cuda.jit
def blurred(image, kernel, out):
    y, x = cuda.grid(2)
    if y >= image.shape[0] or x >= image.shape[1]:
        return
    r = kernel.shape[0] // 2
    for c in range(image.shape[2]):
        value = 0.0
        for i in range(-r, r + 1):
            for j in range(-r, r + 1):
                yy = min(max(y + i, 0), image.shape[0] - 1)
                xx = min(max(x + j, 0), image.shape[1] - 1)
                value += kernel[i + r, j + r] * image[yy, xx, c]
        out[y, x, c] = value


def test_blur():
    rng = np.random.default_rng(0)
    image, kernel = rng.integers(0, 255, (20, 30, 3)).astype(np.uint8), rng.random((5, 5))
    out = np.zeros(image.shape)
    blurred[(2, 2), (16, 16)](image, kernel, out)
    padded = np.pad(image, ((2, 2), (2, 2), (0, 0)), "edge")
    expected = sum(kernel[i, j] * padded[i:i + 20, j:j + 30] for i in range(5) for j in range(5))
    assert np.allclose(out, expected, rtol=1e-13, atol=0)
