"""Kernels as textbooks teach them: sorting, compaction, sparse matrices, graphs, dynamic programming, text."""
import numpy as np
import pytest

import cuprite as cp
from kernels import blocks, kernel, same

SIZES = [1, 33, 1000, 4096, 100003]


def integers(*shape, low=0, high=100, dtype="i4", seed=0):
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


# --- sorts ---

@pytest.mark.parametrize("n", [1, 2, 100, 256, 1000])
def test_bitonic_block(n):
    x, threads = integers(n, low=-500, high=500), 1 << (n - 1).bit_length()
    a = cp.asarray(x)
    kernel("sorts", "bitonic_shared")((1,), (threads,), (a, np.int32(n)), shared_mem=4 * threads)
    same(a, np.sort(x))


@pytest.mark.parametrize("n", [2, 64, 4096])
def test_bitonic_steps(n):
    x = np.random.default_rng(1).random(n, "f4")
    a, step = cp.asarray(x), kernel("sorts", "bitonic_step")
    k = 2
    while k <= n:
        j = k // 2
        while j:
            step((blocks(n, 128),), (128,), (a, np.int32(j), np.int32(k), np.int32(n)))
            j //= 2
        k *= 2
    same(a, np.sort(x))


@pytest.mark.parametrize("n", [1, 2, 63, 300])
def test_odd_even(n):
    x, rounds = integers(n, high=50), cp.zeros(1, "i4")
    a, k = cp.asarray(x), kernel("sorts", "odd_even_sort")
    k((1,), (64,), (a, np.int32(n), rounds))
    same(a, np.sort(x))
    assert rounds.get()[0] <= n // 2 + 2
    k((1,), (64,), (a, np.int32(n), rounds))
    assert rounds.get()[0] == 1  # it was sorted


@pytest.mark.parametrize("na, nb", [(1, 1), (100, 7), (1000, 1000), (0, 5), (333, 5000)])
def test_merges(na, nb):
    a, b = np.sort(integers(na, high=300)), np.sort(integers(nb, high=300, seed=1))
    wanted = np.sort(np.concatenate([a, b]))
    out = cp.zeros(na + nb, "i4")
    x, y = cp.asarray(a), cp.asarray(b)
    sizes = np.int32(na), np.int32(nb)
    kernel("sorts", "merge_by_rank")((blocks(max(na, nb), 128),), (128,), (x, sizes[0], y, sizes[1], out))
    same(out, wanted)
    for each in (1, 13):
        out[:] = -1
        kernel("sorts", "merge_path_kernel")((blocks(na + nb, 32 * each),), (32,),
                                             (x, sizes[0], y, sizes[1], out, np.int32(each)))
        same(out, wanted)


@pytest.mark.parametrize("n, threads", [(1, 32), (30, 32), (200, 256), (256, 256)])
def test_radix_block(n, threads):
    x = integers(n, high=1 << 12, dtype="u4")
    a = cp.asarray(x)
    kernel("sorts", "radix_sort_block")((1,), (threads,), (a, np.int32(n), np.int32(12)))
    same(a, np.sort(x))


@pytest.mark.parametrize("n", [1, 128, 5000, 20001])
def test_radix_passes(n):
    x, g = integers(n, high=2 ** 32, dtype="u4"), blocks(n, 128)
    a, b, counts = cp.asarray(x), cp.zeros(n, "u4"), cp.zeros(16 * g, "i4")
    for shift in range(0, 32, 4):
        kernel("sorts", "radix_count")((g,), (128,), (a, np.int32(n), np.int32(shift), counts))
        c = counts.get()
        starts = cp.asarray((np.cumsum(c) - c).astype("i4"))
        kernel("sorts", "radix_scatter")((g,), (128,), (a, b, np.int32(n), np.int32(shift), starts))
        a, b = b, a
    same(a, np.sort(x))


@pytest.mark.parametrize("n", [1, 100, 512])
def test_compaction_in_order(n):
    x, out, count = integers(n), cp.full(n, -1, "i4"), cp.zeros(1, "i4")
    kernel("sorts", "compact_scan")((1,), (512,), (cp.asarray(x), out, count, np.int32(n)))
    wanted = x[x % 3 == 0]
    assert count.get()[0] == len(wanted)
    same(out[:len(wanted)], wanted)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("name", ["compact_aggregated", "compact_ballot"])
def test_compaction_by_warps(n, name):
    x, out, count = integers(n, low=-50, high=50), cp.full(n, -1, "i4"), cp.zeros(1, "i4")
    kernel("sorts", name)((blocks(n, 192),), (192,), (cp.asarray(x), out, count, np.int32(n)))
    wanted = np.sort(x[x > 0])
    assert count.get()[0] == len(wanted)
    same(np.sort(out.get()[:len(wanted)]), wanted)


@pytest.mark.parametrize("n", [1, 50, 999])
def test_rank_sort(n):
    x, out = integers(n, high=200, dtype="f8"), cp.zeros(n)
    kernel("sorts", "rank_sort")((blocks(n, 64),), (64,), (cp.asarray(x), out, np.int32(n)))
    same(out, np.sort(x))


# --- sparse matrices and graphs ---

def sparse(rows, cols, density=0.1):
    r = np.random.default_rng(2)
    dense = r.integers(1, 10, (rows, cols)) * (r.random((rows, cols)) < density)
    counts = (dense != 0).sum(1)
    ptr = np.concatenate([[0], np.cumsum(counts)]).astype("i4")
    return dense.astype("f4"), ptr, np.nonzero(dense)[1].astype("i4"), dense[dense != 0].astype("f4")


@pytest.mark.parametrize("name, per_row", [("spmv_csr_scalar", 1), ("spmv_csr_vector", 32)])
@pytest.mark.parametrize("rows, cols", [(1, 1), (64, 64), (101, 333)])
def test_sparse_times_vector(name, per_row, rows, cols):
    dense, ptr, indices, data = sparse(rows, cols)
    x, y = integers(cols, dtype="f4"), cp.ones(rows, "f4")
    kernel("graphs", name)((blocks(rows * per_row, 128),), (128,), (
        np.int32(rows), cp.asarray(ptr), cp.asarray(indices), cp.asarray(data), cp.asarray(x), y))
    same(y, 1 + dense @ x)


@pytest.mark.parametrize("name", ["bfs_step", "bfs_step_queued"])
@pytest.mark.parametrize("n, density", [(1, 0.0), (50, 0.05), (600, 0.01), (600, 0.5)])
def test_breadth_first_search(name, n, density):
    dense, ptr, neighbours, _ = sparse(n, n, density)
    row, neighbour, level = cp.asarray(ptr), cp.asarray(neighbours), cp.full(n, -1, "i4")
    level[0] = 0
    frontier, size, depth = cp.zeros(n, "i4"), 1, 0
    wanted, reached, seen = np.full(n, -1), np.zeros(n, bool), np.zeros(n, bool)
    reached[0] = True
    while size:
        wanted[reached & ~seen] = depth
        seen = reached
        depth += 1
        following, count = cp.zeros(n, "i4"), cp.zeros(1, "i4")
        kernel("graphs", name)((blocks(size, 64),), (64,), (row, neighbour, level, frontier, np.int32(size), following,
                                                            count, np.int32(depth)))
        frontier, size = following, int(count.get()[0])
        reached = seen | (seen @ (dense != 0))
        assert size == (reached & ~seen).sum()
    same(level, wanted)


def test_shortest_ways():
    n, far = 70, 1 << 29
    r = np.random.default_rng(5)
    d = np.where(r.random((n, n)) < 0.06, r.integers(1, 100, (n, n)), far).astype("i4")
    np.fill_diagonal(d, 0)
    a = cp.asarray(d)
    start = np.full(n, far, "i4")
    start[3] = 0
    one, changed = cp.asarray(start), cp.ones(1, "i4")
    source, target = np.nonzero((d > 0) & (d < far))
    edges = [cp.asarray(v.astype("i4")) for v in (source, target, d[source, target])]
    while changed.get()[0]:
        changed[:] = 0
        kernel("graphs", "relax_edges")((blocks(len(source), 64),), (64,),
                                        (*edges, np.int32(len(source)), one, changed))
    for k in range(n):
        kernel("graphs", "floyd_warshall")((blocks(n, 32), n), (32,), (a, np.int32(n), np.int32(k)))
        d = np.minimum(d, np.minimum(d[:, k:k + 1].astype("i8") + d[k:k + 1], far))
    same(a, d)
    same(one, d[3])


@pytest.mark.parametrize("m, n", [(1, 1), (5, 8), (300, 211)])
def test_edit_distance(m, n):
    a, b = integers(m, low=97, high=101, dtype="u1"), integers(n, low=97, high=101, dtype="u1", seed=1)
    out = cp.zeros(1, "i4")
    kernel("graphs", "edit_distance")((1,), (128,), (cp.asarray(a), np.int32(m), cp.asarray(b), np.int32(n), out),
                                      shared_mem=12 * (m + 1))
    table = np.zeros((m + 1, n + 1), "i4")
    table[0], table[:, 0] = np.arange(n + 1), np.arange(m + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            table[i, j] = min(table[i - 1, j - 1] + (a[i - 1] != b[j - 1]), table[i - 1, j] + 1, table[i, j - 1] + 1)
    assert out.get()[0] == table[m, n]


def test_words():
    text = b"the cat and the dog saw the other cats; then they slept" * 20
    for word in (b"the", b"cats", b"x", text):
        places, count = cp.zeros(len(text), "i4"), cp.zeros(1, "i4")
        kernel("graphs", "find_word")((blocks(len(text), 128),), (128,), (
            cp.asarray(np.frombuffer(text, "i1")), np.int32(len(text)), cp.asarray(np.frombuffer(word, "i1")),
            np.int32(len(word)), places, count))
        wanted = [i for i in range(len(text)) if text.startswith(word, i)]
        same(np.sort(places.get()[:count.get()[0]]), wanted)


def test_caesar():
    text = b"abcxyz" * 32 + b"Veni, vidi, vici. " * 11
    a, small = cp.asarray(np.frombuffer(text, "i1")), cp.zeros(1, "i4")
    kernel("graphs", "caesar")((blocks(len(text), 64),), (64,), (a, np.int32(len(text)), np.int32(3), small))
    turned = bytes((c - 97 + 3) % 26 + 97 if 97 <= c < 123 else (c - 65 + 3) % 26 + 65 if 65 <= c < 91 else c
                   for c in text)
    assert a.get().tobytes() == turned
    pieces = [text[i:i + 64] for i in range(0, len(text), 64)]
    assert small.get()[0] == sum(all(97 <= c < 123 for c in p) for p in pieces)


@pytest.mark.parametrize("shape", [(1, 1), (7, 9), (40, 31)])
def test_components(shape):
    image, label = integers(*shape, high=2, dtype="u1", seed=9), cp.zeros(shape, "i4")
    kernel("graphs", "label_components")((1,), (96,), (cp.asarray(image), label, *map(np.int32, shape)))
    wanted = np.where(image, np.arange(image.size).reshape(shape), -1)
    while True:
        p = np.pad(np.where(image, wanted, image.size), 1, constant_values=image.size)
        least = np.minimum.reduce([p[1:-1, 1:-1], p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]])
        least = np.where(image, least, -1)
        if (least == wanted).all():
            break
        wanted = least
    same(label, wanted)
