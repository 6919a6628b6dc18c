"""Kernels of fields and signals: stencils, lattices, tridiagonal systems, particles, transforms, filters, random
numbers, prices. References are NumPy's or SciPy's; integers are compared exactly, floats within a few roundings of
float32."""
import fractions

import numpy as np
import pytest
import scipy.linalg

import cuprite as cp
from kernels import blocks, close, grid, kernel, same, variable

FILE = "fields"
i4, f4 = np.int32, np.float32


def run(name, shape, block, *arguments, names=(), shared=0):
    shape, block = ((v,) if isinstance(v, int) else v for v in (shape, block))
    arguments = [cp.asarray(a) if isinstance(a, np.ndarray) and a.ndim else a for a in arguments]
    kernel(FILE, name, names)(shape, block, tuple(arguments), shared_mem=shared)


def draw(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("nx, ny, nz", [(8, 8, 1), (16, 24, 7)])
def test_fdtd(nx, ny, nz):
    x, w = draw().random((nz + 4, ny + 4, nx + 4)).astype("f4"), np.array([-3, 0.5, 0.25], "f4")
    variable(FILE, "weights", (3,), "f4")[...] = cp.asarray(w)
    out = cp.zeros(x.shape, "f4")
    run("fdtd_3d", (nx // 8, ny // 8), (8, 8), out, x, i4(nx), i4(ny), i4(nz))
    wanted = w[0] * x.astype("f8")
    for i in (1, 2):
        wanted += w[i] * sum(np.roll(x, s, a) for a in range(3) for s in (i, -i))
    inner = (slice(2, -2),) * 3
    close(out.get()[inner], wanted[inner], 1e-5, 1e-5)


def test_lattice_boltzmann():
    ny, nx, omega = 13, 21, 1.3
    e = np.array([[0, 0], [1, 0], [0, 1], [-1, 0], [0, -1], [1, 1], [-1, 1], [-1, -1], [1, -1]])
    w = np.array([16, 4, 4, 4, 4, 1, 1, 1, 1]) / 36
    f = (w[:, None, None] * (1 + 0.1 * draw().random((9, ny, nx)))).astype("f4")
    a = [cp.asarray(v) for v in f]
    b = [cp.zeros((ny, nx), "f4") for _ in f]
    records = [np.array([v.data.ptr for v in s], "u8").view("V72")[0] for s in (a, b)]
    run("lattice_boltzmann", grid((8, 8), ny, nx), (8, 8), *records, i4(nx), i4(ny), f4(omega))
    g = np.stack([np.roll(f[k].astype("f8"), (e[k, 1], e[k, 0]), (0, 1)) for k in range(9)])
    rho = g.sum(0)
    u = np.tensordot(e.T, g, 1) / rho
    along = 3 * np.tensordot(e, u, 1)
    balance = w[:, None, None] * rho * (1 + along + along ** 2 / 2 - 1.5 * (u ** 2).sum(0))
    for k in range(9):
        close(b[k], (g + omega * (balance - g))[k], 1e-5, 1e-6)


def test_srad():
    j, q0 = (1 + draw().random((37, 50))).astype("f4"), f4(0.05)
    c, out = cp.zeros(j.shape, "f4"), cp.zeros(j.shape, "f4")
    run("srad_coefficients", grid((16, 16), 37, 50), (16, 16), j, c, i4(37), i4(50), q0)
    p = np.pad(j.astype("f8"), 1, "edge")
    n, s, w, e = (v - j for v in (p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]))
    g2, lap = (n * n + s * s + w * w + e * e) / j.astype("f8") ** 2, (n + s + w + e) / j
    q = (0.5 * g2 - lap ** 2 / 16) / (1 + lap / 4) ** 2
    wanted = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
    close(c, wanted, 1e-4, 1e-5)
    run("srad_step", grid((16, 8), 37, 50), (16, 8), j, c, out, i4(37), i4(50), f4(0.5))
    pc = np.pad(c.get().astype("f8"), 1, "edge")
    own = pc[1:-1, 1:-1]
    close(out, j + 0.125 * (own * n + pc[2:, 1:-1] * s + own * w + pc[1:-1, 2:] * e), 1e-5)


THOMAS = ["tridiagonal_thomas<float>", "tridiagonal_thomas<double>"]


def test_tridiagonal_systems():
    n, systems = 50, 6
    a, c, d = draw().random((3, systems, n))
    b = 3 + draw(1).random((systems, n))
    x = cp.zeros((systems, n))
    run("tridiagonal_pcr", systems, n, a, b, c, d, x, shared=32 * n)
    wanted = np.array([scipy.linalg.solve_banded((1, 1), [np.r_[0, c[s, :-1]], b[s], np.r_[a[s, 1:], 0]], d[s])
                       for s in range(systems)])
    close(x, wanted, 1e-12)
    for name, dtype, bound in zip(THOMAS, ("f4", "f8"), (1e-5, 1e-13)):
        solved = cp.asarray(np.ascontiguousarray(d.T.astype(dtype)))
        columns = [np.ascontiguousarray(v.T.astype(dtype)) for v in (a, b, c)]
        run(name, 1, 32, *columns, solved, cp.zeros((n, systems), dtype), i4(n), i4(systems), names=THOMAS)
        close(solved, wanted.T, bound, bound)


def test_verlet():
    n = 100
    p, v, m = draw().random((n, 3)).astype("f4"), draw(1).random((n, 3)).astype("f4"), draw(2).random(n).astype("f4")
    got = cp.asarray(v)
    run("verlet", 4, 32, p, got, m, i4(n), f4(0.01), f4(0.1), shared=16 * 32)
    d = p[None].astype("f8") - p[:, None]
    r = (d ** 2).sum(-1) + 0.01
    close(got, v + 0.01 * (m[None, :, None] * d / r[..., None] ** 1.5).sum(1), 1e-4, 1e-5)


def test_sphere_march():
    h, w, eye, sphere = 30, 40, np.array([0, 0, -4], "f4"), np.array([0.2, 0.1, 1, 1.25], "f4")
    depth, steps = cp.zeros((h, w), "f4"), cp.zeros((h, w), "i4")
    run("sphere_march", grid((8, 8), h, w), (8, 8), depth, steps, i4(w), i4(h), eye.view("V12")[0],
        sphere.view("V16")[0])
    y, x = np.mgrid[:h, :w]
    ray = np.stack([(2.0 * x - w) / h, (2.0 * y - h) / h, np.full((h, w), 1.5)], -1)
    ray /= np.linalg.norm(ray, axis=-1, keepdims=True)
    o = (eye - sphere[:3]).astype("f8")
    b, c = ray @ o, o @ o - float(sphere[3]) ** 2
    inside = b * b - c
    hit, got = inside > 1e-2, depth.get()
    close(got[hit], (-b - np.sqrt(np.maximum(inside, 0)))[hit], 0, 2e-3)  # it stops 1e-4 before, more where it grazes
    assert (got[inside < -1e-2] == -1).all() and hit.sum() > 100 and (steps.get()[hit] > 0).all()


def test_twofold_sums():
    a = draw().standard_normal((5, 200)) * 10.0 ** draw(1).integers(-8, 9, (5, 200))
    b = draw(2).standard_normal((5, 200))
    a[:, 100:], b[:, 100:] = a[:, :100], -b[:, :100] * (1 + 1e-13)  # nearly all of it cancels
    out = cp.zeros(5)
    run("dot_twofold", 5, 1, a, b, out, i4(200))
    exact = [float(sum(fractions.Fraction(x) * fractions.Fraction(y) for x, y in zip(r.tolist(), s.tolist())))
             for r, s in zip(a, b)]
    close(out, exact, 1e-14)


@pytest.mark.parametrize("log2n", [1, 5, 9])
def test_walsh(log2n):
    x = draw().integers(-9, 10, (3, 1 << log2n)).astype("f4")
    got = cp.asarray(x)
    run("walsh_shared", 3, 64, got, i4(log2n), shared=4 << log2n)
    same(got, x @ scipy.linalg.hadamard(1 << log2n))


FFTS = ["fft_stockham<4>", "fft_stockham<64>", "fft_stockham<512>"]


@pytest.mark.parametrize("name, n", [*zip(FFTS, (4, 64, 512))])
def test_fft(name, n):
    x = (draw().standard_normal((3, n)) + 1j * draw(1).standard_normal((3, n))).astype("c8")
    out = cp.zeros((3, n), "c8")
    run(name, 3, n // 2, x, out, names=FFTS)
    close(out, np.fft.fft(x.astype("c16")), 1e-5, 1e-4)


def test_separable_filters():
    x, w = draw().random((29, 45)).astype("f4"), np.array([1, 6, 15, 20, 15, 6, 1], "f4") / 64
    variable(FILE, "taps", (7,), "f4")[...] = cp.asarray(w)
    middle, out = cp.zeros(x.shape, "f4"), cp.zeros(x.shape, "f4")
    run("separable_rows", grid((16, 4), 29, 45), (16, 4), x, middle, i4(29), i4(45))
    run("separable_columns", grid((16, 4), 29, 45), (16, 4), middle, out, i4(29), i4(45))
    wanted = np.apply_along_axis(np.convolve, 0, np.apply_along_axis(np.convolve, 1, x.astype("f8"), w, "same"), w,
                                 "same")
    close(out, wanted, 1e-5, 1e-6)


def test_exponential_filter():
    x, a = draw().random((9, 60)).astype("f4"), 0.3
    out = cp.zeros(x.shape, "f4")
    run("exponential_both_ways", 1, 32, x, out, i4(9), i4(60), f4(a))

    def smoothed(v):
        r, before = np.empty(v.shape), v[:, 0]
        for i in range(v.shape[1]):
            r[:, i] = before = a * v[:, i] + (1 - a) * before
        return r
    close(out, smoothed(smoothed(x.astype("f8"))[:, ::-1])[:, ::-1], 1e-5)


@pytest.mark.parametrize("n", [1, 64, 150])
def test_masks_of_overlaps(n):
    corner, size = draw().random((n, 2)), 0.05 + 0.3 * draw(1).random((n, 2))
    b = np.concatenate([corner, corner + size], 1).astype("f4")
    words = blocks(n, 64)
    masks = cp.zeros((n, words), "u8")
    run("nms_masks", (words, words), 64, i4(n), f4(0.3), b, masks)
    b = b.astype("f8")
    wh = np.clip(np.minimum(b[:, None, 2:], b[None, :, 2:]) - np.maximum(b[:, None, :2], b[None, :, :2]), 0, None)
    both, area = wh.prod(-1), (b[:, 2:] - b[:, :2]).prod(1)
    iou = both / (area[:, None] + area - both)
    bits = np.unpackbits(masks.get().view("u1"), axis=1, bitorder="little")[:, :n].astype(bool)
    sure = (abs(iou - 0.3) > 1e-5) & (np.arange(n)[:, None] < np.arange(n))
    same(bits[sure], (iou > 0.3)[sure])
    assert not bits[np.tril_indices(n)].any()


def test_disparity():
    h, w, most = 6, 50, 9
    left, right = draw().integers(0, 256, (2, h, w, 4)).astype("u1")
    right[:, :-4] = left[:, 4:]
    out = cp.zeros((h, w), "u1")
    run("disparity", (2, h), 32, left.view("u4")[..., 0], right.view("u4")[..., 0], out, i4(w), i4(h), i4(most))
    x, cost = np.arange(w), []
    for d in range(most + 1):
        ks = range(-2, 3)
        cost.append(sum(abs(left[:, np.clip(x + k, 0, w - 1)].astype(int) -
                            right[:, np.clip(x + k - d, 0, w - 1)]).sum(-1) for k in ks))
    same(out, np.argmin(cost, 0))


def test_blend():
    a, b = draw().integers(0, 256, (2, 100, 4)).astype("u1")
    out = cp.zeros((100, 4), "u1")
    run("blend", 2, 64, b, a, out, i4(100))
    alpha = a[:, 3:].astype(int)
    wanted = (a[:, :3] * alpha + b[:, :3] * (255 - alpha) + 127) // 255
    same(out, np.concatenate([wanted, np.full((100, 1), 255)], 1).astype("u1"))


def test_mersenne_twister():
    generators = [np.random.RandomState(s) for s in (1, 2)]
    states = np.stack([g.get_state()[1] for g in generators]).astype("u4")
    out = cp.zeros((2, 3 * 624), "u4")
    run("mersenne", 2, 224, states, out, i4(3))
    same(out, np.stack([g.randint(0, 2**32, 3 * 624, "u4") for g in generators]))


def test_halton():
    out = cp.zeros((50, 3), "f4")
    run("halton", 1, 64, out, i4(50), i4(7))

    def inverse(k, base):
        digits = []
        while k:
            k, d = divmod(k, base)
            digits.append(d)
        return float(sum(fractions.Fraction(d, base ** (i + 1)) for i, d in enumerate(digits)))
    close(out, [[inverse(7 + i, b) for b in (2, 3, 5)] for i in range(50)], 1e-7)


def test_random_walks():
    ends = cp.zeros(4096, "i4")
    run("random_walks", 32, 128, np.uint64(5), ends, i4(64))
    e = ends.get()
    assert (e % 2 == 0).all() and abs(e).max() <= 64
    assert abs(e.mean()) < 5 * 8 / 64 and abs(e.var() / 64 - 1) < 5 * np.sqrt(2 / 4096)


def test_binomial_options():
    n, spot, strike = 60, np.array([90, 100, 110, 140], "f4"), np.full(4, 100, "f4")
    dt = 1 / n
    up, growth = np.exp(0.3 * np.sqrt(dt)), np.exp(0.05 * dt)
    chance = (growth - 1 / up) / (up - 1 / up)
    price = cp.zeros(4, "f4")
    run("binomial_options", 4, 32, spot, strike, price, i4(n), f4(up), f4(chance), f4(1 / growth), shared=4 * (n + 1))
    for k in range(4):
        v = np.maximum(strike[k] - spot[k] * up ** (2.0 * np.arange(n + 1) - n), 0)
        for level in range(n - 1, -1, -1):
            v = np.maximum((chance * v[1:] + (1 - chance) * v[:-1]) / growth,
                           strike[k] - spot[k] * up ** (2.0 * np.arange(level + 1) - level))
        close(price.get()[k], v[0], 1e-4, 1e-4)
