"""Kernels that search: hash tables, order, sparse matrices, graphs. References are NumPy's, SciPy's or plain Python;
integers are compared exactly, sums of floats within a few roundings."""
import numpy as np
import pytest
import scipy.sparse as sparse
import scipy.sparse.csgraph as csgraph
from scipy.spatial import cKDTree

import cuprite as cp
from kernels import blocks, close, kernel, same, variable

FILE = "searches"
i4, u4 = np.int32, np.uint32


def run(name, shape, block, *arguments, names=(), shared=0):
    shape, block = ((v,) if isinstance(v, int) else v for v in (shape, block))
    arguments = [cp.asarray(a) if isinstance(a, np.ndarray) and a.ndim else a for a in arguments]
    kernel(FILE, name, names)(shape, block, tuple(arguments), shared_mem=shared)


def draw(seed=0):
    return np.random.default_rng(seed)


def test_hash_table():
    n, capacity = 1000, 2048
    keys, values = draw().integers(0, 600, n, "u4"), draw(1).integers(0, 2**32 - 1, n, "u4")
    table = cp.asarray(np.full(capacity, 2**64 - 1, "u8"))
    run("hash_insert", 5, 64, table, u4(capacity), keys, values, i4(n))
    wanted = {}
    for k, v in zip(keys.tolist(), values.tolist()):
        wanted[k] = min(v, wanted.get(k, v))
    asked, found = np.arange(700, dtype="u4"), cp.zeros(700, "u4")
    run("hash_find", 5, 64, table, u4(capacity), asked, found, i4(700))
    same(found, np.array([wanted.get(k, 2**32 - 1) for k in range(700)], "u4"))
    assert int((table.get() != 2**64 - 1).sum()) == len(wanted)


def mixed(k):
    m = 0xffffffff
    k = (k ^ k >> 16) * 0x85ebca6b & m
    k = (k ^ k >> 13) * 0xc2b2ae35 & m
    return k ^ k >> 16


def test_bloom_filter():
    size, keys = 4096, draw().choice(10**6, 300, False).astype("u4")
    bits, may = cp.zeros(size // 32, "u4"), cp.zeros(1000, "?")
    run("bloom_add", 2, 64, bits, u4(size - 1), keys, i4(300))

    def places(k):
        return [(mixed(k) + i * (mixed(k ^ 0x9e3779b9) | 1)) % size for i in range(4)]
    there = np.zeros(size, bool)
    for k in keys.tolist():
        there[places(k)] = True
    same(bits, np.packbits(there, bitorder="little").view("u4"))
    asked = np.concatenate([keys, draw(1).integers(0, 10**6, 700).astype("u4")])
    run("bloom_ask", 2, 64, bits, u4(size - 1), asked, may, i4(1000))
    same(may, [bool(there[places(k)].all()) for k in asked.tolist()])
    assert may.get()[:300].all() and not may.get().all()


BOUNDS = ["bounds<float, Less>", "bounds<float, NotGreater>", "bounds<long long, Less>"]


@pytest.mark.parametrize("name, dtype, side", [(BOUNDS[0], "f4", "left"), (BOUNDS[1], "f4", "right"),
                                               (BOUNDS[2], "i8", "left")])
@pytest.mark.parametrize("n", [0, 1, 777])
def test_bounds(name, dtype, side, n):
    x = np.sort(draw().integers(0, 300, n)).astype(dtype)
    keys, at = draw(1).integers(-5, 305, 400).astype(dtype), cp.zeros(400, "i4")
    kernel(FILE, name, BOUNDS)((3,), (64,), (cp.asarray(x), i4(n), cp.asarray(keys), at, i4(400), np.uint8(0)))
    same(at, np.searchsorted(x, keys, side))


def test_bitonic_warp():
    x = draw().integers(0, 20, (6, 32)).astype("f4")
    keys, places = cp.asarray(x), cp.zeros((6, 32), "i4")
    run("bitonic_warp", 2, 96, keys, places)
    same(keys, np.sort(x, 1))
    same(places, np.argsort(x, 1, kind="stable"))


@pytest.mark.parametrize("k", [0, 17, 499])
def test_radix_select(k):
    x = draw().integers(0, 2**32, (4, 500), "u4")
    x[1] >>= 24
    out = cp.zeros(4, "u4")
    run("radix_select", 4, 128, x, out, i4(500), i4(k))
    same(out, np.sort(x, 1)[:, k])


@pytest.mark.parametrize("n", [1, 128, 3000])
def test_look_back(n):
    x, out, states = draw().integers(-100, 100, n).astype("i4"), cp.zeros(n, "i4"), cp.zeros(blocks(n, 128), "u8")
    k = kernel(FILE, "look_back")
    variable(FILE, "ticket", (), "u4")[...] = 0
    k((blocks(n, 128),), (128,), (cp.asarray(x), out, states, i4(n)))
    same(out, np.cumsum(x))


def test_run_heads():
    n = 1000
    x = np.repeat(draw().integers(0, 5, n), draw(1).integers(1, 9, n))[:n].astype("i4")
    masks, counts = cp.zeros(blocks(n, 96) * 3, "u4"), cp.zeros(blocks(n, 96), "i4")
    run("run_heads", blocks(n, 96), 96, x, masks, counts, i4(n))
    heads = np.zeros(blocks(n, 96) * 96, bool)
    heads[:n] = np.concatenate(([True], x[1:] != x[:-1]))
    same(masks, np.packbits(heads, bitorder="little").view("u4"))
    same(counts, heads.reshape(-1, 96).sum(1))


def test_morton_codes():
    points = draw().random((200, 3)).astype("f4") * 1.2 - 0.1
    codes, common = cp.zeros(200, "u4"), cp.zeros(199, "i1")
    run("morton_codes", 2, 64, points, codes, i4(200))
    cell = np.clip(points * np.float32(1024), 0, 1023).astype("u4")
    wanted = sum((cell[:, a] >> b & 1) << (3 * b + 2 - a) for a in range(3) for b in range(10))
    same(codes, wanted)
    order = np.sort(wanted)
    order[50:60] = order[50]
    order = np.sort(order)
    run("common_prefixes", 2, 64, order.astype("u4"), common, i4(200))

    def prefix(a, b):
        return 32 - (int(a) ^ int(b)).bit_length()
    same(common, [prefix(order[i], order[i + 1]) if order[i] != order[i + 1] else 32 + prefix(i, i + 1)
                  for i in range(199)])


@pytest.mark.parametrize("n, m", [(1, 1), (20, 33), (70, 50)])
def test_smith_waterman(n, m):
    a, b = (np.frombuffer(b"ACGT", "i1")[draw(s).integers(0, 4, k)] for s, k in ((1, n), (2, m)))
    best = cp.zeros(1, "i4")
    run("smith_waterman", 1, 32, a, i4(n), b, i4(m), best, shared=12 * (n + 1))
    h = np.zeros((n + 1, m + 1), int)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            h[i, j] = max(0, h[i - 1, j - 1] + (3 if a[i - 1] == b[j - 1] else -2), h[i - 1, j] - 1, h[i, j - 1] - 1)
    same(best, [h.max()])


def matrix(n, density, seed=0, dtype="f4"):
    a = sparse.random(n, n, density, "csr", random_state=seed, dtype=np.float64).astype(dtype)
    a.sort_indices()
    return a


def test_formats_of_sparse_matrices():
    n = 100
    a, x = matrix(n, 0.05), draw(1).random(n).astype("f4")
    wanted = a.astype("f8") @ x
    width = int(np.diff(a.indptr).max())
    values, columns = np.zeros((width, n), "f4"), np.full((width, n), -1, "i4")
    for r in range(n):
        row = slice(a.indptr[r], a.indptr[r + 1])
        values[:row.stop - row.start, r], columns[:row.stop - row.start, r] = a.data[row], a.indices[row]
    y = cp.zeros(n, "f4")
    run("spmv_ell", 2, 64, values, columns, x, y, i4(n), i4(width))
    close(y, wanted, 1e-5, 1e-6)
    coo, y = a.tocoo(), cp.zeros(n)
    run("spmv_coo", 2, 64, coo.row.astype("i4"), coo.col.astype("i4"), coo.data.astype("f8"), x.astype("f8"), y,
        i4(coo.nnz))
    close(y, wanted, 1e-6, 1e-7)
    y = cp.zeros(n, "f4")
    run("spmv_segments", blocks(coo.nnz, 64), 64, coo.row.astype("i4"), coo.col.astype("i4"), coo.data, x, y,
        i4(coo.nnz))
    close(y, wanted, 1e-5, 1e-6)


def test_diagonals():
    n, offsets = 150, np.array([-7, -1, 0, 3], "i4")
    d, x, y = draw().random((4, n)).astype("f4"), draw(1).random(n).astype("f4"), cp.zeros(n, "f4")
    run("spmv_dia", 3, 64, d, offsets, x, y, i4(n), i4(4))
    dense = np.zeros((n, n))
    for k, o in enumerate(offsets):
        r = np.arange(max(0, -o), min(n, n - o))
        dense[r, r + o] = d[k, r]
    close(y, dense @ x, 1e-5)


BSR = ["spmv_bsr<float, 2>", "spmv_bsr<double, 4>"]


@pytest.mark.parametrize("name, dtype, b", [(BSR[0], "f4", 2), (BSR[1], "f8", 4)])
def test_blocks_of_a_matrix(name, dtype, b):
    a, x = matrix(48, 0.1, dtype=dtype).tobsr((b, b)), draw(1).random(48).astype(dtype)
    y = cp.zeros(48, dtype)
    run(name, 1, 64, a.indptr.astype("i4"), a.indices.astype("i4"), a.data, x, y, i4(48 // b), names=BSR)
    close(y, a.astype("f8") @ x, 1e-5 if dtype == "f4" else 1e-12, 1e-6)


GRAPH = np.dtype([("starts", "u8"), ("neighbours", "u8"), ("n", "i4")], align=True)


def graph(n, edges, seed=0):
    """An undirected graph: the kernels' record with its arrays, and SciPy's matrix."""
    i, j = draw(seed).integers(0, n, (2, edges))
    i, j = i[i != j], j[i != j]
    a = sparse.coo_matrix((np.ones(2 * i.size), (np.r_[i, j], np.r_[j, i])), (n, n)).tocsr()
    a.sum_duplicates()
    starts, neighbours = cp.asarray(a.indptr.astype("i4")), cp.asarray(a.indices.astype("i4"))
    return np.array((starts.data.ptr, neighbours.data.ptr, n), GRAPH), (starts, neighbours), a


def test_bfs_bottom_up():
    n = 300
    g, kept, a = graph(n, 500)
    level, frontier, changed = np.full(n, -1, "i4"), np.zeros(blocks(n, 32), "u4"), cp.zeros(1, "i4")
    level[5], frontier[0] = 0, 1 << 5
    level, frontier, depth = cp.asarray(level), cp.asarray(frontier), 0
    while True:
        depth += 1
        after = cp.zeros(blocks(n, 32), "u4")
        changed[0] = 0
        run("bfs_bottom_up", blocks(n, 64), 64, g, frontier, after, level, i4(depth), changed)
        frontier = after
        if not int(changed[0]):
            break
    d = csgraph.shortest_path(a, unweighted=True, indices=5)
    same(level, np.where(np.isinf(d), -1, d))


def test_weighted_paths():
    n = 200
    g, kept, a = graph(n, 400, 1)
    a.data = draw(2).integers(1, 50, a.nnz).astype("f8")  # integers: sums are exact
    distance, changed = cp.full(n, np.inf, "f4"), cp.zeros(1, "i4")
    distance[0] = 0
    for _ in range(n):
        changed[0] = 0
        run("relax_weighted", blocks(n, 64), 64, g, a.data.astype("f4"), distance, changed)
        if not int(changed[0]):
            break
    same(distance, csgraph.shortest_path(a, indices=0, directed=True))


def test_colours():
    n = 250
    g, kept, a = graph(n, 700, 2)
    keys, colours, left = draw(3).integers(0, 100, n, "u4"), cp.full(n, -1, "i4"), cp.zeros(1, "i4")
    for _ in range(n):
        left[0] = 0
        run("colour_round", blocks(n, 64), 64, g, keys, colours.copy(), colours, left)
        if not int(left[0]):
            break
    got, (i, j) = colours.get(), a.nonzero()
    assert got.min() == 0 and (got[i] != got[j]).all() and got.max() <= np.diff(a.indptr).max()


def test_cores():
    n = 200
    g, kept, a = graph(n, 600, 3)
    degrees, core, removed, k = np.diff(a.indptr).astype("i4"), cp.full(n, -1, "i4"), cp.zeros(1, "i4"), 0
    wanted, d = np.full(n, -1), degrees.copy()
    degrees = cp.asarray(degrees)
    while (core.get() < 0).any():
        removed[0] = 0
        run("peel", blocks(n, 64), 64, g, degrees, core, i4(k), removed)
        k += not int(removed[0])
    level = 0
    while (wanted < 0).any():
        least = np.where(wanted < 0, d, n)
        v = int(least.argmin())
        level = max(level, int(d[v]))
        wanted[v] = level
        d[a.indices[a.indptr[v]:a.indptr[v + 1]]] -= 1
    same(core, wanted)


def test_components():
    n = 400
    edges = draw(4).integers(0, n, (300, 2)).astype("i4")
    parent, out = cp.arange(n, dtype="i4"), cp.zeros(n, "i4")
    run("unite", 3, 64, edges, i4(300), parent)
    run("roots", 3, 64, parent, out, i4(n))
    count, label = csgraph.connected_components(sparse.coo_matrix((np.ones(300), edges.T), (n, n)), directed=False)
    least = np.full(count, n)
    np.minimum.at(least, label, np.arange(n))
    same(out, least[label])


def kd_heap(points):
    """The points as a heap whose levels divide x and y by turns, left of its size."""
    tree = np.zeros_like(points)

    def fill(node, p, axis):
        if not len(p):
            return
        p = p[np.argsort(p[:, axis], kind="stable")]
        full = 1 << (len(p).bit_length() - 1)  # nodes of the last level if it were whole
        last = len(p) - (full - 1)
        left = max(full // 2 - 1, 0) + min(last, full // 2)
        tree[node] = p[left]
        fill(2 * node + 1, p[:left], 1 - axis)
        fill(2 * node + 2, p[left + 1:], 1 - axis)
    fill(0, points, 0)
    return tree


@pytest.mark.parametrize("n", [1, 2, 300])
def test_kd_tree(n):
    points, queries, found = draw().random((n, 2)).astype("f4"), draw(1).random((100, 2)).astype("f4"), \
        cp.zeros(100, "i4")
    tree = kd_heap(points)
    run("kd_nearest", 2, 64, tree, i4(n), queries, found, i4(100))
    distance = cKDTree(points).query(queries)[0]
    close(np.hypot(*(tree[found.get()] - queries).astype("f8").T), distance, 1e-6, 1e-7)
