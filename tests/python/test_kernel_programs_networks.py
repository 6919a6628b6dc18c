"""Kernels of networks: products of small integers, packed weights, attention, normalizations, optimizers. References
are NumPy's, in double where the kernel sums; each bound is that of so many roundings of float32, 6e-8 each."""
import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, close, grid, kernel, same

FILE = "networks"
i4, f4 = np.int32, np.float32


def run(name, shape, block, *arguments, names=(), shared=0):
    kernel(FILE, name, names)(shape, block, arguments, shared_mem=shared)


def draw(seed=0):
    return np.random.default_rng(seed)


def normal(*shape, seed=0, dtype="f4"):
    return draw(seed).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize("m, n, words", [(1, 1, 1), (33, 17, 20)])
def test_products_of_bytes(m, n, words):
    a, b = draw().integers(-128, 128, (2, 40, 4 * words)).astype("i1")
    a, b, c = a[:m], b[:n], cp.zeros((m, n), "i4")
    run("gemm_dp4a", grid((16, 16), m, n), (16, 16), *map(cp.asarray, (a.view("i4"), b.view("i4"))), c, i4(m), i4(n),
        i4(words))
    same(c, a.astype("i4") @ b.T.astype("i4"))
    run("gemm_signs", (blocks(m * n, 64),), (64,), *map(cp.asarray, (a.view("u4"), b.view("u4"))), c, i4(m), i4(n),
        i4(words))
    signs = [1 - 2 * np.unpackbits(v.view("u1"), axis=1, bitorder="little").astype("i4") for v in (a, b)]
    same(c, signs[0] @ signs[1].T)


@pytest.mark.parametrize("rows, pairs", [(1, 1), (7, 100)])
def test_gemv_of_halves(rows, pairs):
    a, x, y = normal(rows, 2 * pairs, dtype="f2"), normal(2 * pairs, seed=1, dtype="f2"), cp.zeros(rows, "f4")
    run("gemv_half2", (rows,), (32,), cp.asarray(a), cp.asarray(x), y, i4(pairs))
    close(y, a.astype("f8") @ x.astype("f8"), 1e-5, 1e-5)


def packed(x):
    """Scales and numbers of -8 to 7 of blocks of 32."""
    b = x.reshape(-1, 32)
    scale = (np.abs(b).max(1) / f4(7)).astype("f2").astype("f4")
    inverse = np.divide(f4(1), scale, out=np.zeros_like(scale), where=scale > 0)
    return scale, np.clip(np.rint(b * inverse[:, None]), -8, 7).astype("i4")


def test_packed_weights():
    rows, columns = 9, 96
    w, x = normal(rows, columns), normal(columns, seed=1)
    w[0, :32] = 0
    n = rows * columns // 32
    out, y = cp.zeros((n, 20), "u1"), cp.zeros(rows, "f4")
    run("quantise_4", (blocks(n, 4),), (32, 4), cp.asarray(w), out, i4(n))
    scale, q = packed(w)
    same(out[:, :2].get().view("f2")[:, 0], scale.astype("f2"))
    same(out[:, 2:18], (q[:, :16] + 8 | (q[:, 16:] + 8) << 4).astype("u1"))
    run("gemv_4", (rows,), (32,), out, cp.asarray(x), y, i4(columns // 32))
    close(y, (q * scale[:, None].astype("f8")).reshape(rows, columns) @ x, 1e-5, 1e-5)


def test_rows_as_bytes():
    x = normal(5, 300)
    x[3] = 0
    q, s = cp.zeros(x.shape, "i1"), cp.zeros(5, "f4")
    run("quantise_rows", (5,), (128,), cp.asarray(x), q, s, i4(300))
    scale = np.abs(x).max(1) / f4(127)
    same(s, scale)
    same(q, np.rint(np.divide(x, scale[:, None], out=np.zeros_like(x), where=scale[:, None] > 0)).astype("i1"))


FLASH = ["flash_attention<8, 16>", "flash_attention<32, 32>"]


@pytest.mark.parametrize("name, d, tile", [(FLASH[0], 8, 16), (FLASH[1], 32, 32)])
@pytest.mark.parametrize("n", [1, 16, 45])
@pytest.mark.parametrize("causal", [False, True])
def test_flash_attention(name, d, tile, n, causal):
    q, k, v = normal(3, 2, n, d)
    out = cp.zeros((2, n, d), "f4")
    run(name, (blocks(n, tile), 2), (tile,), *map(cp.asarray, (q, k, v)), out, i4(n), f4(d ** -0.5), np.bool_(causal),
        names=FLASH)
    s = q.astype("f8") @ k.transpose(0, 2, 1) * d ** -0.5
    if causal:
        s = np.where(np.tri(n, dtype=bool), s, -np.inf)
    e = np.exp(s - s.max(-1, keepdims=True))
    close(out, e / e.sum(-1, keepdims=True) @ v, 1e-5, 1e-5)


def test_rotary():
    x = normal(7, 6, 2)
    y = cp.asarray(x)
    run("rotary", (2,), (32,), y, i4(6), i4(7), f4(10000))
    angle = np.arange(7)[:, None] * 10000.0 ** (-np.arange(6) / 6)
    z = (x[..., 0] + 1j * x[..., 1]) * np.exp(1j * angle)
    close(y, np.stack([z.real, z.imag], -1), 1e-5, 1e-5)


NORMS = ["rms_norm<float>", "rms_norm<half>", "rms_norm<__nv_bfloat16, 96>"]


@pytest.mark.parametrize("name, dtype, block, bound", [(NORMS[0], "f4", 64, 1e-6), (NORMS[1], "f2", 64, 1e-3),
                                                       (NORMS[2], "u2", 96, 8e-3)])
@pytest.mark.parametrize("columns", [1, 200])
def test_rms_norm(name, dtype, block, bound, columns):
    x, gain = normal(4, columns), normal(columns, seed=1)
    narrow = (x.view("u4") >> 16).astype("u2") if dtype == "u2" else x.astype(dtype)
    exact = (narrow.astype("u4") << 16).view("f4") if dtype == "u2" else narrow
    y = cp.zeros(x.shape, dtype)
    run(name, (4,), (block,), cp.asarray(narrow), cp.asarray(gain), y, i4(columns), f4(1e-5), names=NORMS)
    got = (y.get().astype("u4") << 16).view("f4") if dtype == "u2" else y.get()
    exact = exact.astype("f8")
    close(got.astype("f8"), exact / np.sqrt((exact ** 2).mean(1, keepdims=True) + 1e-5) * gain, bound, 1e-6)


@pytest.mark.parametrize("columns", [1, 31, 500])
def test_welford(columns):
    x = normal(6, columns) + f4(1000)
    mean, variance = cp.zeros(6, "f4"), cp.zeros(6, "f4")
    run("welford_rows", (6,), (32,), cp.asarray(x), mean, variance, i4(columns))
    close(mean, x.mean(1, dtype="f8"), 1e-6)
    close(variance, x.astype("f8").var(1), 1e-3, 1e-6)


def test_cross_entropy():
    x, labels = 5 * normal(8, 100), draw(1).integers(0, 100, 8).astype("i4")
    loss, gradient = cp.zeros(8, "f4"), cp.zeros((8, 100), "f4")
    run("cross_entropy", (8,), (32,), cp.asarray(x), cp.asarray(labels), loss, gradient, i4(100))
    e = np.exp(x.astype("f8") - x.max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    close(loss, -np.log(p[range(8), labels]), 1e-4, 1e-5)  # __expf and __logf
    close(gradient, p - np.eye(100)[labels], 1e-4, 1e-6)


def test_adamw():
    n = 1000
    w, g, m, v = normal(n), normal(n, seed=1, dtype="f2"), normal(n, seed=2) / 10, abs(normal(n, seed=3)) / 10
    a, small, c, d = cp.asarray(w), cp.zeros(n, "f2"), cp.asarray(m), cp.asarray(v)
    run("adamw", (3,), (64,), a, small, cp.asarray(g), c, d, i4(n), f4(0.01), f4(0.1), i4(3))
    m, v = 0.9 * m + 0.1 * g.astype("f8"), 0.999 * v + 0.001 * g.astype("f8") ** 2
    wanted = w - 0.01 * (m / (1 - 0.9 ** 3) / (np.sqrt(v / (1 - 0.999 ** 3)) + 1e-8) + 0.1 * w)
    close(a, wanted, 1e-5, 1e-6)
    same(small, a.get().astype("f2"))


def test_swiglu():
    g, u = normal(400), normal(400, seed=1)
    out = cp.zeros(400, "f4")
    run("swiglu", (4,), (32,), cp.asarray(g), cp.asarray(u), out, i4(100))
    close(out, g / (1 + np.exp(-g.astype("f8"))) * u, 1e-6, 1e-7)


def philox(quad, seed):
    c, k, m = [quad, 0, 0, 0], [seed & 0xffffffff, seed >> 32], 0xffffffff
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [b >> 32 ^ c[1] ^ k[0], b & m, a >> 32 ^ c[3] ^ k[1], a & m]
        k = [k[0] + 0x9E3779B9 & m, k[1] + 0xBB67AE85 & m]
    return c


def test_dropout():
    n, seed = 333, 0x123456789abcdef
    x = normal(n)
    y, kept = cp.zeros(n, "f4"), cp.zeros(n, "u1")
    run("dropout", (blocks(n, 4 * 32),), (32,), cp.asarray(x), y, kept, i4(n), f4(0.25), np.uint64(seed))
    words = np.array([philox(q, seed) for q in range(blocks(n, 4))]).ravel()[:n]
    keep = (words >> 8) * 2.0 ** -24 >= 0.25
    same(kept, keep)
    same(y, np.where(keep, x / f4(0.75), f4(0)))


def test_stochastic_rounding():
    x, noise, y = normal(500), draw(1).integers(0, 65536, 500).astype("u2"), cp.zeros(500, "u2")
    run("bfloat16_stochastic", (4,), (128,), cp.asarray(x), y, cp.asarray(noise), i4(500))
    same(y, (x.view("u4") + noise >> 16).astype("u2"))


def test_moments_of_a_batch():
    x, sums = normal(3, 5, 200), cp.zeros((5, 2))
    run("batch_moments", (2, 5, 3), (64,), cp.asarray(x), sums, i4(5), i4(200))
    x = x.astype("f8")
    close(sums, np.stack([x.sum((0, 2)), (x * x).sum((0, 2))], 1), 1e-12, 1e-12)


POOLS = ["max_pool<2, 2>", "max_pool<3, 1>"]


@pytest.mark.parametrize("name, k, s", [(POOLS[0], 2, 2), (POOLS[1], 3, 1)])
def test_max_pool(name, k, s):
    x = normal(2, 11, 14)
    windows = np.lib.stride_tricks.sliding_window_view(x, (k, k), (1, 2))[:, ::s, ::s]
    shape = windows.shape[:3]
    y, where = cp.zeros(shape, "f4"), cp.zeros(shape, "i4")
    run(name, (*grid((8, 4), *shape[1:]), 2), (8, 4), cp.asarray(x), y, where, i4(11), i4(14), names=POOLS)
    same(y, windows.max((3, 4)))
    same(np.take_along_axis(x.reshape(2, -1), where.get().reshape(2, -1), 1).reshape(shape), windows.max((3, 4)))


def test_im2col():
    x, k = normal(3, 7, 9), 3
    out = cp.zeros((3, k, k, 7, 9), "f4")
    run("im2col", (4,), (64,), cp.asarray(x), out, i4(3), i4(7), i4(9), i4(k), i4(1))
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1)))
    same(out, np.stack([np.stack([padded[:, i:i + 7, j:j + 9] for j in range(k)], 1) for i in range(k)], 1))


def test_lstm_cell():
    gates, bias, c0 = normal(3, 4, 20), normal(4, 20, seed=1), normal(3, 20, seed=2)
    c1, h1 = cp.zeros((3, 20), "f4"), cp.zeros((3, 20), "f4")
    run("lstm_cell", (2,), (32,), *map(cp.asarray, (gates, bias, c0)), c1, h1, i4(3), i4(20))
    g = gates.astype("f8") + bias
    i, f, o = (1 / (1 + np.exp(-g[:, k])) for k in (0, 1, 3))
    c = f * c0 + i * np.tanh(g[:, 2])
    close(c1, c, 1e-5, 1e-6)
    close(h1, o * np.tanh(c), 1e-5, 1e-6)


def test_top_k():
    x = normal(4, 150).round(1)  # equal values: the first place counts
    values, places = cp.zeros((4, 9), "f4"), cp.zeros((4, 9), "i4")
    run("top_k", (4,), (64,), cp.asarray(x), values, places, i4(150), i4(9), shared=8 * 150)
    order = np.argsort(-x, 1, kind="stable")[:, :9]
    same(places, order)
    same(values, np.take_along_axis(x, order, 1))


def test_scatter_of_pairs():
    rows, values = draw().integers(0, 5, 40).astype("i4"), draw(1).integers(0, 8, (40, 6)).astype("f2")
    table = cp.zeros((5, 6), "f2")
    run("scatter_half2", (2,), (32,), table, cp.asarray(rows), cp.asarray(values), i4(40), i4(3))
    wanted = np.zeros((5, 6))
    np.add.at(wanted, rows, values)
    same(table, wanted.astype("f2"))
