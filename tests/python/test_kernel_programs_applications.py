"""Kernels as applications have them: hashes, ciphers, numbers, graphs, dynamic programming, pictures, geometry,
simulations, networks. References are NumPy's or plain Python; integers are compared exactly, and each bound of a
floating-point result is stated where it is used."""
import base64
import math
import zlib

import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, close, grid, kernel, same

FILE = "applications"


def run(name, n, threads, *arguments, names=(), shared=0):
    kernel(FILE, name, names)((blocks(n, threads),), (threads,), arguments, shared_mem=shared)


def draw(seed=0):
    return np.random.default_rng(seed)


def graph(n, edges, seed=0):
    """An undirected graph without loops as (starts, neighbours in order) and its matrix."""
    a = np.zeros((n, n), bool)
    i, j = draw(seed).integers(0, n, (2, edges))
    a[i, j] = a[j, i] = True
    np.fill_diagonal(a, False)
    return np.concatenate(([0], a.sum(1).cumsum())).astype("i4"), np.nonzero(a)[1].astype("i4"), a


# --- hashes, ciphers, texts ---

@pytest.mark.parametrize("rows, columns", [(1, 1), (100, 37), (513, 0)])
@pytest.mark.parametrize("name, reference", [("crc32_rows", zlib.crc32), ("adler32_rows", zlib.adler32)])
def test_checksums(name, reference, rows, columns):
    x, out = draw().integers(0, 256, (rows, columns), "u1"), cp.zeros(rows, "u4")
    kernel(FILE, name)((blocks(rows, 64),), (64,), (cp.asarray(x), out, rows, columns))
    same(out, np.array([reference(r.tobytes()) for r in x], "u4"))


def murmur(words, seed):
    m, h = 0xffffffff, seed
    for k in words:
        k = int(k) * 0xcc9e2d51 & m
        h ^= (k << 15 | k >> 17) * 0x1b873593 & m
        h = ((h << 13 | h >> 19) & m) * 5 + 0xe6546b64 & m
    h ^= 4 * len(words)
    h = (h ^ h >> 16) * 0x85ebca6b & m
    h = (h ^ h >> 13) * 0xc2b2ae35 & m
    return h ^ h >> 16


@pytest.mark.parametrize("words", [0, 1, 7])
def test_murmur3(words):
    x, out = draw().integers(0, 2**32, (300, words), "u4"), cp.zeros(300, "u4")
    run("murmur3", 300, 128, cp.asarray(x), out, 300, words, np.uint32(42))
    same(out, np.array([murmur(r, 42) for r in x], "u4"))


def xtea(v, key):
    (y, z), total, m = (int(v[0]), int(v[1])), 0, 0xffffffff
    for _ in range(32):
        y = y + (((z << 4 ^ z >> 5) + z) ^ (total + key[total & 3])) & m
        total = total + 0x9e3779b9 & m
        z = z + (((y << 4 ^ y >> 5) + y) ^ (total + key[total >> 11 & 3])) & m
    return y, z


def test_xtea():
    x, key = draw().integers(0, 2**32, (77, 2), "u4"), [1, 0xdeadbeef, 3, 2**31]
    y, k = cp.asarray(x), cp.asarray(np.array(key, "u4"))
    run("xtea", 77, 32, y, k, 77, False)
    same(y, np.array([xtea(v, key) for v in x], "u4"))
    run("xtea", 77, 32, y, k, 77, True)
    same(y, x)


def test_base64():
    x, out = draw().integers(0, 256, 3 * 211, "u1"), cp.zeros(4 * 211, "u1")
    run("base64", 211, 64, cp.asarray(x), out, 211)
    assert out.get().tobytes() == base64.b64encode(x.tobytes())


def test_hamming_distances():
    x, n = draw().integers(0, 2**63, (50, 3), "u8"), 50
    out = cp.zeros((n, n), "i4")
    kernel(FILE, "hamming_distances")(grid((16, 8), n, n), (16, 8), (cp.asarray(x), out, n, 3))
    same(out, np.bitwise_count(x[:, None] ^ x[None]).sum(2))


# --- numbers ---

def test_fibonacci():
    n, a, b, wanted = [0, 1, 2, 3, 10, 93, 1000], 0, 1, {}
    for k in range(1001):
        wanted[k], a, b = a % 1000000007, b, a + b
    out = cp.zeros(len(n), "u8")
    run("fibonacci", len(n), 32, cp.asarray(np.array(n, "u8")), out, len(n))
    assert out.get().tolist() == [wanted[k] for k in n]


@pytest.mark.parametrize("t, dtype", [("int", "i4"), ("unsigned", "u4")])
def test_totients(t, dtype):
    n, out, name = [1, 2, 97, 360, 1024, 1], cp.zeros(6, dtype), f"totients<{t}>"
    k = kernel(FILE, name, ("totients<int>", "totients<unsigned>"))
    k((4,), (64,), (cp.asarray(np.array(n, dtype)), out, 6))
    assert out.get().tolist() == [sum(math.gcd(i, m) == 1 for i in range(1, m + 1)) for m in n]


def test_miller_rabin():
    x = [*range(200), 2047, 3215031751 % 2**32, 4294967291, 4294967295, 561, 41041, 2147483647]
    out = cp.zeros(len(x), bool)
    run("miller_rabin", len(x), 64, cp.asarray(np.array(x, "u4")), out, len(x))
    wanted = [n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1)) for n in x]
    assert out.get().tolist() == wanted


def test_wide_numbers():
    a, b = draw().integers(0, 2**32, (2, 60, 8), "u4")
    a[0], b[0] = 0xffffffff, 1
    out = cp.zeros((60, 8), "u4")
    run("wide_numbers", 60, 32, cp.asarray(a), cp.asarray(b), out, np.uint32(4000000007), 60)
    whole = [[int.from_bytes(r.tobytes(), "little") for r in v] for v in (a, b)]
    wanted = [(p + q) % 2**256 * 4000000007 % 2**256 for p, q in zip(*whole)]
    assert [int.from_bytes(r.tobytes(), "little") for r in out.get()] == wanted


def test_gaussian_powers():
    x, out = draw().integers(-5, 6, (100, 2)).astype("i4"), cp.zeros((100, 2), "i4")
    run("gaussian_powers", 100, 64, cp.asarray(x), out, 7, 100)
    re, im = np.ones(100, int), np.zeros(100, int)
    for _ in range(7):
        re, im = re * x[:, 0] - im * x[:, 1], re * x[:, 1] + im * x[:, 0]
    same(out, np.stack([-re, -im], 1))


@pytest.mark.parametrize("n, wanted", [(1, 1), (3, 0), (6, 4), (8, 92), (9, 352)])
def test_queens(n, wanted):
    count = cp.zeros(1, "i4")
    run("count_queens", n, 32, n, count)
    assert int(count[0]) == wanted


# --- graphs ---

@pytest.mark.parametrize("n, edges", [(1, 0), (40, 200), (300, 3000)])
def test_triangles(n, edges):
    start, to, a = graph(n, edges)
    count = cp.zeros(1, "u8")
    run("triangles", n, 64, cp.asarray(start), cp.asarray(to), n, count)
    assert int(count[0]) == np.trace(np.linalg.matrix_power(a.astype(int), 3)) // 6


def test_jaccard():
    start, to, a = graph(60, 300)
    pairs = draw(1).integers(0, 60, (200, 2)).astype("i4")
    out = cp.zeros(200)
    run("jaccard", 200, 64, cp.asarray(start), cp.asarray(to), cp.asarray(pairs), out, 200)
    both = (a[pairs[:, 0]] & a[pairs[:, 1]]).sum(1)
    either = (a[pairs[:, 0]] | a[pairs[:, 1]]).sum(1)
    same(out, np.where(either, both / np.maximum(either, 1), 0.0))


def test_pagerank():
    start, to, a = graph(80, 400)
    degree = np.maximum(a.sum(1), 1).astype("i4")
    rank, wanted = cp.full(80, 1 / 80), np.full(80, 1 / 80)
    for _ in range(10):
        after = cp.zeros(80)
        run("pagerank_step", 80, 32, cp.asarray(start), cp.asarray(to), cp.asarray(degree), rank, after, 0.85, 80)
        rank, wanted = after, 0.15 / 80 + 0.85 * (a * (wanted / degree)).sum(1)
    close(rank, wanted, 1e-13)  # ten sums of some ten terms


@pytest.mark.parametrize("n, edges", [(10, 0), (500, 300), (500, 2000)])
def test_components_by_hooking(n, edges):
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components
    e = draw(edges).integers(0, n, (edges, 2)).astype("i4")
    parent = cp.arange(n, dtype="i4")
    if edges:
        run("hook", edges, 64, cp.asarray(e), parent, edges)
    run("flatten", n, 64, parent, n)
    labels = connected_components(coo_array((np.ones(edges), (e[:, 0], e[:, 1])), (n, n)), directed=False)[1]
    least = np.array([np.nonzero(labels == c)[0][0] for c in labels])
    same(parent, least)


def test_independent_set():
    start, to, a = graph(200, 800)
    priority = draw(5).permutation(200).astype("u4")
    state, rounds = cp.zeros(200, "i1"), 0
    while (state == 0).any():
        after = cp.zeros(200, "i1")
        run("independent_round", 200, 64, cp.asarray(start), cp.asarray(to), cp.asarray(priority), state, after, 200)
        state, rounds = after, rounds + 1
        assert rounds < 50
    chosen = np.zeros(200, bool)
    for v in np.argsort(-priority.astype(int)):  # the one that is chosen greedily
        chosen[v] = not (a[v] & chosen).any()
    same(state == 1, chosen)


# --- dynamic programming ---

@pytest.mark.parametrize("rows, columns, threads", [(1, 5, 32), (20, 100, 64), (50, 33, 128)])
def test_pathfinder(rows, columns, threads):
    wall, out = draw().integers(0, 10, (rows, columns)).astype("i4"), cp.zeros(columns, "i4")
    run("pathfinder", 1, threads, cp.asarray(wall), out, rows, columns, shared=8 * columns)
    cost = wall[0]
    for r in wall[1:]:
        wide = np.pad(cost, 1, constant_values=10**6)
        cost = r + np.minimum(np.minimum(wide[:-2], wide[2:]), wide[1:-1])
    same(out, cost)


@pytest.mark.parametrize("n, m", [(1, 1), (40, 70), (90, 33)])
def test_needleman_wunsch(n, m):
    a, b = draw().integers(0, 4, n, "i1"), draw(1).integers(0, 4, m, "i1")
    out = cp.zeros((n + 1, m + 1), "i4")
    run("needleman_wunsch", 1, 64, cp.asarray(a), cp.asarray(b), out, n, m, 3)
    s = np.zeros((n + 1, m + 1), int)
    s[:, 0], s[0] = -3 * np.arange(n + 1), -3 * np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            s[i, j] = max(s[i - 1, j - 1] + (2 if a[i - 1] == b[j - 1] else -1), s[i - 1, j] - 3, s[i, j - 1] - 3)
    same(out, s)


def test_count_change():
    coins, amount = [32, 50, 41, 100], 2000
    ways = [1] + [0] * amount
    for c in coins:
        for i in range(c, amount + 1):
            ways[i] += ways[i - c]
    out = cp.zeros(amount + 1, "u8")
    run("count_change", 1, 32, cp.asarray(np.array(coins, "i4")), 4, amount, out)
    assert out.get().tolist() == ways


# --- pictures ---

SHAPES = [(1, 1), (16, 16), (33, 47), (50, 20)]


@pytest.mark.parametrize("height, width", SHAPES)
@pytest.mark.parametrize("op, radius", [("Least", 1), ("Greatest", 2)])
def test_morphology(op, radius, height, width):
    from scipy import ndimage
    x, out = draw().integers(-99, 99, (height, width)).astype("i4"), cp.zeros((height, width), "i4")
    k = kernel(FILE, f"morphology<{op}, {radius}>", ("morphology<Least, 1>", "morphology<Greatest, 2>"))
    k(grid((16, 16), height, width), (16, 16), (cp.asarray(x), out, height, width))
    f, edge = (ndimage.minimum_filter, 2**31 - 1) if op == "Least" else (ndimage.maximum_filter, -2**31)
    same(out, f(x, 2 * radius + 1, mode="constant", cval=edge))


def plane(name, *arguments, height, width):
    kernel(FILE, name)(grid((16, 8), height, width), (16, 8), arguments)


@pytest.mark.parametrize("height, width", SHAPES)
def test_median_3x3(height, width):
    from scipy import ndimage
    x, out = draw().random((height, width), "f4"), cp.zeros((height, width), "f4")
    plane("median_3x3", cp.asarray(x), out, height, width, height=height, width=width)
    same(out, ndimage.median_filter(x, 3, mode="nearest"))


def test_bilateral():
    h, w, x, out = 30, 41, draw().random((30, 41), "f4"), cp.zeros((30, 41), "f4")
    plane("bilateral", cp.asarray(x), out, h, w, 2, np.float32(1.5), np.float32(0.3), height=h, width=w)
    wide, total, weights = np.pad(x.astype("f8"), 2, mode="edge"), 0, 0
    for dy in range(5):
        for dx in range(5):
            v = wide[dy:dy + h, dx:dx + w]
            weight = np.exp(-((dx - 2) ** 2 + (dy - 2) ** 2) / 4.5 - (v - x) ** 2 / 0.18)
            total, weights = total + weight * v, weights + weight
    close(out, total / weights, 5e-6)  # 25 terms of float32, each with an exponential of 2 ulps


@pytest.mark.parametrize("height, width", SHAPES)
def test_integral_image(height, width):
    x, out = draw().integers(0, 9, (height, width)).astype("i4"), cp.zeros((height, width), "i4")
    run("integral_rows", height, 32, cp.asarray(x), out, height, width)
    run("integral_columns", width, 32, out, height, width)
    same(out, x.cumsum(0).cumsum(1))


def test_resize_bilinear():
    x, out = draw().random((20, 30), "f4"), cp.zeros((45, 17), "f4")
    plane("resize_bilinear", cp.asarray(x), out, 20, 30, 45, 17, height=45, width=17)
    y, z = (np.arange(45) + 0.5) * 20 / 45 - 0.5, (np.arange(17) + 0.5) * 30 / 17 - 0.5
    rows = np.array([np.interp(y, np.arange(20), c) for c in x.T.astype("f8")]).T
    close(out, np.array([np.interp(z, np.arange(30), r) for r in rows]), 1e-5, 1e-5)  # positions of float32 to 30


@pytest.mark.parametrize("n", [1, 1000])
def test_equalize(n):
    x = (draw().random(n) ** 2 * 200).astype("u1")
    total = np.bincount(x, minlength=256).cumsum()
    least, y = int(total[0]), cp.asarray(x)
    kernel(FILE, "equalize")((3,), (64,), (y, cp.asarray(total.astype("i4")), n))
    table = (total - least) * 255 // (n - least) if n > least else total * 0
    same(y, table[x].astype("u1"))


def test_dct_8x8():
    from scipy.fft import dctn
    x, out = draw().random((24, 40), "f4"), cp.zeros((24, 40), "f4")
    kernel(FILE, "dct_8x8")((5, 3), (8, 8), (cp.asarray(x), out, 40))
    tiles = x.astype("f8").reshape(3, 8, 5, 8)
    close(out, dctn(tiles, axes=(1, 3), norm="ortho").reshape(24, 40), 0, 5e-6)  # sums of 16 products below 8


@pytest.mark.parametrize("n", [2, 64, 256])
def test_haar(n):
    x = draw().integers(-50, 50, (5, n)).astype("i4")
    y = cp.asarray(x)
    kernel(FILE, "haar_1d")((5,), (128,), (y, n), shared_mem=4 * n)
    wanted, row, size = x.copy(), x, n // 2
    while size:
        wanted[:, size:2 * size], row = row[:, ::2] - row[:, 1::2], row[:, ::2] + row[:, 1::2]
        size //= 2
    wanted[:, 0] = row[:, 0]
    same(y, wanted)


# --- geometry ---

def test_rotate():
    q, a = draw().standard_normal((100, 4)), draw(1).standard_normal((100, 3))
    q /= np.linalg.norm(q, axis=1)[:, None]
    out = cp.zeros((100, 3), "f4")
    run("rotate", 100, 32, cp.asarray(q.astype("f4")), cp.asarray(a.astype("f4")), out, 100)
    t = 2 * np.cross(q[:, 1:], a)
    close(out, a + q[:, :1] * t + np.cross(q[:, 1:], t), 0, 5e-6)  # some ten operations on numbers below 10


def test_virtual_functions():
    kind, size, out = draw().integers(0, 2, 100).astype("i4"), draw(1).random(100), cp.zeros(100)
    run("areas", 100, 32, cp.asarray(kind), cp.asarray(size), out, 100)
    same(out, np.where(kind, size * 3 / 2, size * size))


def test_points_in_polygon():
    corners = np.array([[0, 0], [8, 0], [8, 8], [4, 3], [0, 8]], "f4")
    points = draw().integers(-8, 72, (500, 2)).astype("f4") / 8 + np.float32(1 / 32)
    out = cp.zeros(500, bool)
    run("points_in_polygon", 500, 64, cp.asarray(points), cp.asarray(corners), 500, 5, out)
    x, y = points.T.astype("f8")
    notch = np.where(x < 4, 8 - 1.25 * x, 3 + 1.25 * (x - 4))  # the two upper edges
    same(out, (x > 0) & (x < 8) & (y > 0) & (y < notch))


def test_haversine():
    a, b = draw().uniform(-1.5, 1.5, (2, 200, 2))
    out = cp.zeros(200)
    run("haversine", 200, 64, cp.asarray(a), cp.asarray(b), out, 200)
    u = [np.stack([np.cos(p[:, 0]) * np.cos(p[:, 1]), np.cos(p[:, 0]) * np.sin(p[:, 1]), np.sin(p[:, 0])], 1)
         for p in (a, b)]
    close(out, 6371 * np.arctan2(np.linalg.norm(np.cross(*u), axis=1), (u[0] * u[1]).sum(1)), 1e-12)


@pytest.mark.parametrize("n, m", [(4, 1), (200, 50), (129, 128)])
def test_nearest(n, m):
    points, asked = draw().integers(0, 1000, (n, 3)).astype("i4"), draw(1).integers(0, 1000, (m, 3)).astype("i4")
    out = cp.zeros((m, 4), "i4")
    kernel(FILE, "nearest<4>", ("nearest<4>",))((blocks(m, 64),), (64,), (cp.asarray(points), cp.asarray(asked), out, n,
                                                                         m))
    d = ((points[None].astype(int) - asked[:, None]) ** 2).sum(2)
    same(out, np.argsort(d, 1, kind="stable")[:, :4])


# --- simulations ---

def test_lorenz():
    y = draw().uniform(0.5, 1.5, (64, 3)).astype("f4")
    x = cp.asarray(y)
    run("lorenz", 64, 32, x, np.float32(0.01), 20, 64)

    def flow(p):
        x, y, z = p.T
        return np.stack([10 * (y - x), x * (28 - z) - y, x * y - np.float64(np.float32(8) / 3) * z], 1)

    p, h = y.astype("f8"), float(np.float32(0.01))
    for _ in range(20):
        a = flow(p)
        b = flow(p + h / 2 * a)
        c = flow(p + h / 2 * b)
        p = p + h / 6 * (a + 2 * b + 2 * c + flow(p + h * c))
    close(x, p, 1e-4)  # 20 steps, which stretch errors by about 10


def test_integrals():
    a, out = draw().random(50), cp.zeros(50)
    run("integrals", 50, 32, cp.asarray(a), out, 50)
    top = 2.0 + np.arange(50) % 3
    close(out, a * top ** 4 / 4 + top ** 3 / 3 - 2 * top, 1e-13, 1e-13)  # exact for cubics, but for rounding


def test_ising():
    n, chance = 20, [0, 600000000, 80000000]
    spin = draw().choice([-1, 1], (n, n)).astype("i1")
    x, r, c = cp.asarray(spin), *np.indices((n, n))

    def mixed(a, b):
        h = a * np.uint32(0x9e3779b1) ^ np.uint32((int(b) + 0x85ebca77) * 0xc2b2ae3d & 0xffffffff)
        h = (h ^ h >> np.uint32(15)) * np.uint32(0x2c1b3c6d)
        return h ^ h >> np.uint32(13)

    for step in range(6):
        plane("ising", x, n, step % 2, np.uint32(step), cp.asarray(np.array(chance, "u4")), height=n, width=n)
        around = sum(np.roll(spin, s, k).astype(int) for s in (1, -1) for k in (0, 1))
        energy = spin * around
        draws = mixed((r * n + c).astype("u4"), step)
        turns = (energy <= 0) | (draws < np.array(chance)[np.maximum(energy, 0) // 2])
        spin = np.where(turns & ((r + c) % 2 == step % 2), -spin, spin)
    same(x, spin)


def test_leaky_neurons():
    current = (draw().integers(0, 16, (50, 70)) / 64).astype("f4")
    v, spikes = cp.zeros(70, "f4"), cp.zeros(70, "i4")
    run("leaky_neurons", 70, 32, cp.asarray(current), v, spikes, 4, 70)
    u, fired = np.zeros(70), np.zeros(70, int)
    for s in range(4):  # sixteenths of sixteenths: all of it exact in float32
        u = 0.9375 * u + current[s]
        fired += u >= 1
        u = np.where(u >= 1, 0, u)
    same(spikes, fired)
    same(v, u.astype("f4"))


@pytest.mark.parametrize("height, width", SHAPES)
def test_hotspot(height, width):
    t, power = (draw().integers(0, 100, (2, height, width)) / 8).astype("f4")
    out = cp.zeros((height, width), "f4")
    plane("hotspot", cp.asarray(t), cp.asarray(power), out, height, width, height=height, width=width)
    w = np.pad(t, 1, mode="edge")
    same(out, t + (power + w[:-2, 1:-1] + w[2:, 1:-1] + w[1:-1, :-2] + w[1:-1, 2:] - 4 * t) / 8)  # exact


# --- networks ---

def test_adam():
    w, m, v, g = draw().standard_normal((4, 1000)).astype("f4")
    v = np.abs(v)
    x = [cp.asarray(a) for a in (w, m, v)]
    kernel(FILE, "adam")((3,), (128,), (*x, cp.asarray(g), 3, np.float32(0.01), 1000))
    b1, b2 = float(np.float32(0.9)), float(np.float32(0.999))
    m, v = b1 * m.astype("f8") + (1 - b1) * g, b2 * v.astype("f8") + (1 - b2) * g.astype("f8") ** 2
    close(x[0], w - 0.01 * (m / (1 - b1 ** 3)) / (np.sqrt(v / (1 - b2 ** 3)) + 1e-8), 1e-4, 1e-5)  # 1 - b2^3: 2e-5 off
    close(x[1], m, 1e-5, 1e-6)


@pytest.mark.parametrize("n", [1, 50, 200])
def test_attention(n):
    q, k, v = draw().standard_normal((3, n, 16)).astype("f4")
    out = cp.zeros((n, 16), "f4")
    kernel(FILE, "attention<16>", ("attention<16>",))((n,), (64,), (*map(cp.asarray, (q, k, v)), out, n),
                                                     shared_mem=4 * n)
    s = q.astype("f8") @ k.T.astype("f8") / 4
    p = np.exp(s - s.max(1, keepdims=True))
    close(out, p / p.sum(1, keepdims=True) @ v.astype("f8"), 0, 1e-5)  # scores below 20 to a few ulps, sums of 200


def test_gelu():
    from scipy.special import erf
    x, out = np.linspace(-6, 6, 777, dtype="f4"), cp.zeros(777, "f4")
    run("gelu", 777, 128, cp.asarray(x), out, 777)
    close(out, 0.5 * x.astype("f8") * (1 + erf(x.astype("f8") / 2 ** 0.5)), 1e-5, 1e-6)  # 1 + erf cancels below 0


def test_embedding_bag():
    table, index = draw().integers(-9, 9, (40, 33)).astype("i4"), draw(1).integers(0, 40, 100).astype("i4")
    start = np.sort(np.append(draw(2).integers(0, 101, 9), [0, 100])).astype("i4")
    out = cp.zeros((10, 33), "i4")
    kernel(FILE, "embedding_bag")((10,), (32,), (*map(cp.asarray, (table, index, start)), out, 10, 33))
    same(out, np.array([table[index[a:b]].sum(0) for a, b in zip(start, start[1:])]))


def test_scatter_add():
    index, value = draw().integers(0, 30, 2000).astype("i4"), draw(1).integers(-9, 9, 2000).astype("i4")
    out, wanted = cp.zeros(30, "i4"), np.zeros(30, "i4")
    run("scatter_add", 2000, 256, out, cp.asarray(index), cp.asarray(value), 2000)
    np.add.at(wanted, index, value)
    same(out, wanted)
