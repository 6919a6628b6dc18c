"""Kernels as textbooks teach them: bodies, random numbers, fractals, primes, pictures, networks, Fourier.

Bounds: a kernel of float32 is compared with the same in float64; a sum of n terms of one sign has an error of at most
n epsilon (n 6e-8), functions of CUDA's have errors of a few ulps."""
import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, close, grid, kernel, same, variable

SHAPES = [(1, 1), (16, 16), (33, 47), (64, 96), (130, 257)]


def random(*shape, seed=0):
    return np.random.default_rng(seed).random(shape, "f4")


def integers(*shape, low=0, high=100, dtype="i4", seed=0):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


# --- simulations ---

@pytest.mark.parametrize("n, threads", [(1, 32), (64, 64), (200, 128), (301, 64)])
def test_nbody(n, threads):
    p, v = random(n, 4), random(n, 4, seed=1)
    x, velocity, a = cp.asarray(p), cp.asarray(v), cp.zeros((n, 4), "f4")
    kernel("simulations", "nbody_shared")((blocks(n, threads),), (threads,), (x, a, np.int32(n)),
                                          shared_mem=16 * threads)
    d = p[None, :, :3].astype("f8") - p[:, None, :3]
    s = p[None, :, 3] / ((d ** 2).sum(2) + 0.01) ** 1.5
    wanted = (d * s[..., None]).sum(1)
    terms = np.abs(d * s[..., None]).sum(1)
    assert (np.abs(a.get()[:, :3] - wanted) <= 1e-5 * terms + 1e-6).all()
    kernel("simulations", "integrate")((blocks(n, 64),), (64,), (x, velocity, a, np.float32(0.5), np.int32(n)))
    wanted = v[:, :3] + 0.5 * a.get()[:, :3].astype("f8")
    close(velocity[:, :3], wanted, 1e-6, 1e-5)
    close(x[:, :3], p[:, :3] + 0.5 * wanted, 1e-6, 1e-5)


@pytest.mark.parametrize("grid_size, threads, darts", [(1, 32, 100), (20, 128, 50)])
def test_pi(grid_size, threads, darts):
    n = grid_size * threads
    hits = cp.zeros(1, "u8")
    kernel("simulations", "pi_lcg")((grid_size,), (threads,), (hits, np.int32(darts), np.uint32(7)))
    state = (7 + np.arange(n, dtype="u8") * 2654435761 & 0xffffffff).astype("u4")
    wanted = 0
    for _ in range(darts):
        state = state * np.uint32(1664525) + np.uint32(1013904223)
        x = (state >> 16).astype("u8")
        state = state * np.uint32(1664525) + np.uint32(1013904223)
        y = (state >> 16).astype("u8")
        wanted += (x * x + y * y < 65536 ** 2).sum()
    assert hits.get()[0] == wanted and abs(4 * wanted / (n * darts) - np.pi) < 0.15
    each = cp.zeros(n, "i4")
    kernel("simulations", "pi_xorshift")((grid_size,), (threads,), (each, np.int32(darts)))
    assert abs(4 * each.get().sum() / (n * darts) - np.pi) < 0.15


@pytest.mark.parametrize("shape", [(1, 1), (50, 70)])
def test_mandelbrot(shape):
    out = cp.zeros(shape, "i4")
    kernel("simulations", "mandelbrot")(grid((16, 8), *shape), (16, 8), (out, *map(np.int32, shape), -2.0, -1.0, 0.04,
                                                                         np.int32(60)))
    y, x = np.indices(shape)
    c = -2.0 + x * 0.04 + 1j * (-1.0 + y * 0.04)
    z, wanted = np.zeros_like(c), np.zeros(shape, "i4")
    for _ in range(60):
        inside = z.real ** 2 + z.imag ** 2 <= 4
        wanted += inside & (wanted == _)
        z = np.where(inside, z * z + c, z)
    # where a compiler joins a product and a sum, a point of the edge may take another way: one of a hundred
    assert (out.get() != wanted).mean() < 0.01


def test_julia():
    n = 60
    out = cp.zeros((n, n), "u1")
    kernel("simulations", "julia")((n, n), (1,), (out, np.int32(n)))
    y, x = np.indices((n, n))
    a = 1.5 * ((n // 2 - x) + 1j * (n // 2 - y)) / (n // 2)
    inside = np.ones((n, n), bool)
    for _ in range(200):
        a = np.where(inside, a * a + (-0.8 + 0.156j), a)
        inside &= np.abs(a) ** 2 <= 1000
    assert (out.get() != 255 * inside).mean() < 0.02  # float32 takes other ways at the edge


@pytest.mark.parametrize("n", [10, 1000, 30011])
def test_primes(n):
    wanted = np.ones(n, bool)
    wanted[:2] = False
    for p in range(2, int(n ** 0.5) + 1):
        wanted[p * p::p] = False
    composite, root = cp.zeros(n, "u1"), int(n ** 0.5)
    kernel("simulations", "sieve")((blocks(root, 64),), (64,), (composite, np.int32(n), np.int32(root)))
    same(composite.get()[2:] == 0, wanted[2:])
    found = variable("simulations", "primes_found", (), "i4")
    found[...] = 0
    kernel("simulations", "count_primes")((blocks(n, 256),), (256,), (np.int32(n),))
    assert int(found) == wanted.sum()


def test_collatz():
    x = np.concatenate([np.arange(1, 3000), [837799, 2 ** 31 - 1]]).astype("u4")
    out = cp.zeros(len(x), "u4")
    kernel("simulations", "collatz")((blocks(len(x), 128),), (128,), (cp.asarray(x), out, np.int32(len(x))))

    def steps(v):
        n = 0
        while v != 1:
            v, n = (3 * v + 1 if v % 2 else v // 2), n + 1
        return n
    same(out, [steps(int(v)) for v in x])


def test_bitmaps():
    n = 64
    out = cp.zeros((n, n), "u1")
    kernel("simulations", "ripple")((4, 4), (16, 16), (out, np.int32(n), np.int32(5)))
    y, x = np.indices((n, n)) - n // 2
    d = np.hypot(x, y)
    wanted = 128 + 127 * np.cos(d / 10 - 5 / 7) / (d / 10 + 1)
    assert (np.abs(out.get() - wanted) < 1.01).all()
    kernel("simulations", "shared_bitmap")((4, 4), (16, 16), (out, np.int32(n)))
    y, x = np.indices((n, n))
    s = 255 * (np.sin(x * 2 * np.pi / 128) + 1) * (np.sin(y * 2 * np.pi / 128) + 1) / 4
    wanted = s.reshape(4, 16, 4, 16)[:, ::-1, :, ::-1].reshape(n, n)
    assert (np.abs(out.get() - wanted) < 1.01).all()


# --- images ---

@pytest.mark.parametrize("shape", SHAPES)
def test_grey_and_blur(shape):
    x = integers(*shape, 4, high=256, dtype="u1")
    h, w = shape
    grey, out = cp.zeros(shape, "u1"), cp.zeros((*shape, 4), "u1")
    kernel("images", "greyscale")(grid((32, 4), *shape), (32, 4), (cp.asarray(x), grey, np.int32(h), np.int32(w)))
    same(grey, (x[..., :3].astype("i4") @ [77, 151, 28]) >> 8)
    kernel("images", "blur")(grid((16, 16), *shape), (16, 16), (cp.asarray(x), out, np.int32(w), np.int32(h)))
    p, ones = np.pad(x.astype("i4"), ((2, 2), (2, 2), (0, 0))), np.pad(np.ones(shape, "i4"), 2)
    total = sum(p[i:i + h, j:j + w] for i in range(5) for j in range(5))
    count = sum(ones[i:i + h, j:j + w] for i in range(5) for j in range(5))
    same(out.get()[..., :3], (total // count[..., None])[..., :3])
    same(out.get()[..., 3], x[..., 3])


@pytest.mark.parametrize("shape", SHAPES)
def test_sobel(shape):
    x, out = integers(*shape, high=256, dtype="u1"), cp.zeros(shape, "i2")
    kernel("images", "sobel")(grid((16, 16), *shape), (16, 16), (cp.asarray(x), out, *map(np.int32, shape)))
    h, w = shape
    p = np.pad(x.astype("i4"), 1, mode="edge")
    at = lambda i, j: p[i:i + h, j:j + w]  # noqa: E731
    gx = at(0, 2) + 2 * at(1, 2) + at(2, 2) - at(0, 0) - 2 * at(1, 0) - at(2, 0)
    gy = at(2, 0) + 2 * at(2, 1) + at(2, 2) - at(0, 0) - 2 * at(0, 1) - at(0, 2)
    same(out, abs(gx) + abs(gy))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name, tile", [("convolution_2d_constant", 16), ("convolution_tiled", 12)])
def test_convolution(shape, name, tile):
    x, f, out = integers(*shape, dtype="f4"), integers(5, 5, dtype="f4", seed=1), cp.zeros(shape, "f4")
    variable("images", "F", (5, 5), "f4")[...] = cp.asarray(f)
    h, w = shape
    kernel("images", name)(grid((tile, tile), *shape), (16, 16), (cp.asarray(x), out, np.int32(w), np.int32(h)))
    p = np.pad(x, 2)
    same(out, sum(f[i, j] * p[i:i + h, j:j + w] for i in range(5) for j in range(5)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("radius", [0, 3, 40])
def test_rows_of_a_separable_filter(shape, radius):
    x, f, out = integers(*shape, dtype="f4"), integers(2 * radius + 1, dtype="f4", seed=1), cp.zeros(shape, "f4")
    h, w = shape
    kernel("images", "convolution_rows")((blocks(w, 64), h), (64,), (
        cp.asarray(x), out, cp.asarray(f), np.int32(w), np.int32(radius)), shared_mem=4 * (64 + 2 * radius))
    p = np.pad(x, ((0, 0), (radius, radius)))
    same(out, sum(f[k] * p[:, k:k + w] for k in range(2 * radius + 1)))


@pytest.mark.parametrize("shape", SHAPES)
def test_dithering(shape):
    x, out = integers(*shape, high=256, dtype="u1"), cp.zeros(shape, "u1")
    kernel("images", "dither_ordered")(grid((16, 16), *shape), (16, 16), (cp.asarray(x), out, *map(np.int32, shape)))
    t = np.array([[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]]) * 16 + 8
    y, xs = np.indices(shape)
    same(out, np.where(x > t[y % 4, xs % 4], 255, 0))
    h, w = shape
    a = cp.asarray(x.astype("i4"))
    kernel("images", "dither_diffusion")((1,), (h,), (a, np.int32(h), np.int32(w)))
    p = x.astype("i4").tolist()

    def part(error, weight):
        return int(error * weight / 16)  # C rounds to zero
    for i in range(h):
        for j in range(w):
            old = p[i][j]
            p[i][j] = 0 if old < 128 else 255
            e = old - p[i][j]
            for di, dj, weight in ((0, 1, 7), (1, -1, 3), (1, 0, 5), (1, 1, 1)):
                if i + di < h and 0 <= j + dj < w:
                    p[i + di][j + dj] += part(e, weight)
    same(a, p)


# --- learning ---

@pytest.mark.parametrize("rows, cols", [(1, 1), (5, 128), (33, 777)])
def test_softmax(rows, cols):
    x = random(rows, cols) * 20 - 10
    e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
    wanted = e / e.sum(1, keepdims=True)
    out = cp.zeros((rows, cols), "f4")
    kernel("learning", "softmax")((rows,), (128,), (cp.asarray(x), out, np.int32(cols)))
    close(out, wanted, 2e-5)
    out[...] = 0
    kernel("learning", "softmax_online")((blocks(rows, 4),), (32, 4), (cp.asarray(x), out, np.int32(rows),
                                                                     np.int32(cols)))
    close(out, wanted, 5e-5)


@pytest.mark.parametrize("rows, cols", [(1, 2), (5, 256), (33, 777)])
def test_layer_norm(rows, cols):
    x, g, b, out = random(rows, cols), random(cols, seed=1), random(cols, seed=2), cp.zeros((rows, cols), "f4")
    kernel("learning", "layer_norm")((rows,), (256,), (cp.asarray(x), out, cp.asarray(g), cp.asarray(b), np.int32(cols),
                                                       np.float32(1e-3)))
    d = x.astype("f8") - x.mean(1, keepdims=True, dtype="f8")
    close(out, d / np.sqrt((d ** 2).mean(1, keepdims=True) + 1e-3) * g + b, 1e-4, 1e-4)


@pytest.mark.parametrize("n, k", [(1, 1), (1000, 5), (5003, 17)])
def test_kmeans(n, k):
    x, c = integers(n, 2, dtype="f4"), integers(k, 2, dtype="f4", seed=1)
    label, sums, counts = cp.zeros(n, "i4"), cp.zeros((k, 2)), cp.zeros(k, "i4")
    a = cp.asarray(x)
    kernel("learning", "kmeans_assign")((blocks(n, 128),), (128,), (a, cp.asarray(c), label, np.int32(n), np.int32(k)))
    wanted = ((x[:, None] - c[None]) ** 2).sum(2).argmin(1)
    same(label, wanted)
    kernel("learning", "kmeans_update")((blocks(n, 128),), (128,), (a, label, sums, counts, np.int32(n), np.int32(k)),
                                        shared_mem=20 * k)
    same(counts, np.bincount(wanted, minlength=k))
    same(sums, [x[wanted == i].sum(0, dtype="f8") for i in range(k)])


@pytest.mark.parametrize("name, slope", [("apply<Relu>", 0), ("apply<LeakyRelu>", 0.125)])
@pytest.mark.parametrize("n", [1, 1000, 5003])
def test_function_objects(name, slope, n):
    x, out = integers(n, low=-50, high=50, dtype="f4"), cp.zeros(n, "f4")
    kernel("learning", name, ["apply<Relu>", "apply<LeakyRelu>"])((3,), (64,), (cp.asarray(x), out, np.int32(n)))
    same(out, np.where(x > 0, x, slope * x))


@pytest.mark.parametrize("log_n", [1, 4, 10])
@pytest.mark.parametrize("batch", [1, 6])
def test_fft(log_n, batch):
    n = 1 << log_n
    x = (random(batch, n) + 1j * random(batch, n, seed=1)).astype("c16")
    a, b, k = cp.asarray(x), cp.zeros((batch, n), "c16"), kernel("learning", "fft_shared")
    k((batch,), (64,), (a, b, np.int32(log_n), np.int32(0)), shared_mem=16 * n)
    close(b, np.fft.fft(x), 1e-13, 1e-12 * n ** 0.5)
    k((batch,), (64,), (b, a, np.int32(log_n), np.int32(1)), shared_mem=16 * n)
    close(a, x, 1e-13, 1e-13)


@pytest.mark.parametrize("n", [1, 1000, 5003])
def test_options(n):
    import math
    price, strike, years = 5 + 25 * random(n), 1 + 99 * random(n, seed=1), 0.25 + 9 * random(n, seed=2)
    call, put = cp.zeros(n, "f4"), cp.zeros(n, "f4")
    kernel("learning", "black_scholes")((4,), (128,), (call, put, *map(cp.asarray, (price, strike, years)),
                                                       np.float32(0.02), np.float32(0.3), np.int32(n)))
    s, x, t = (v.astype("f8") for v in (price, strike, years))
    d1 = (np.log(s / x) + (0.02 + 0.045) * t) / (0.3 * np.sqrt(t))
    d2 = d1 - 0.3 * np.sqrt(t)
    cnd = np.vectorize(lambda d: 0.5 * math.erfc(-d / math.sqrt(2)))
    worth = x * np.exp(-0.02 * t)
    close(call, s * cnd(d1) - worth * cnd(d2), 1e-5, 1e-4)  # differences of numbers up to 100
    close(put, worth * cnd(-d2) - s * cnd(-d1), 1e-5, 1e-4)
