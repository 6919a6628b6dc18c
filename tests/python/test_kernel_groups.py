"""Cooperative groups of user kernels against the same in NumPy: which threads are together, and what they tell one
another. Two warps in a block, or one and a part of one."""
import numpy as np
import pytest

import cuprite as cp

T = np.arange(64)
HEAD = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
"""


def run(body, head="", threads=64, block=None):
    """What each thread leaves in y; `t` is its number."""
    text = HEAD + head + f"""extern "C" __global__ void k(int *y)
        {{
            int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
            auto block = cg::this_thread_block();
            {body}
        }}"""
    y = cp.full(threads, -7, "i4")
    cp.RawKernel(text, "k", options=("--std=c++17",))((1,), block or (threads,), (y,))
    return y.get()


def parts(n, f, threads=64):
    """f of the threads of each group of n."""
    return np.concatenate([np.asarray(f(np.arange(i, min(i + n, threads)))) for i in range(0, threads, n)])


def bits(which):
    return sum(1 << k for k, yes in enumerate(which) if yes)


def same(value):
    return lambda s: [value(s)] * len(s)


TILE = "auto g = cg::tiled_partition<{}>(block); "
TILES = {
    "rank and size": "y[t] = g.thread_rank() + 100 * g.size() + 10000 * g.num_threads();",
    "place above": "y[t] = g.meta_group_rank() + 100 * g.meta_group_size();",
    "shfl": "y[t] = g.shfl(t, 3);", "shfl_up": "y[t] = g.shfl_up(t, 3);", "shfl_down": "y[t] = g.shfl_down(t, 3);",
    "shfl_xor": "y[t] = g.size() > 1 ? g.shfl_xor(t, 1) : t;", "any": "y[t] = g.any(t == 9) + 2 * g.any(0);",
    "all": "y[t] = g.all(t < 16) + 2 * g.all(1);", "ballot": "y[t] = g.ballot(t % 3 == 0);",
    "match_any": "y[t] = g.match_any(t % 3);",
    "match_all": "int p, q; y[t] = (g.match_all(t / 12, p) != 0) + 2 * p; g.match_all(5, q); y[t] += 4 * q;",
    "sum": "y[t] = cg::reduce(g, t, cg::plus<int>());", "least": "y[t] = cg::reduce(g, t * 7 % 31, cg::less<int>());",
    "largest": "y[t] = cg::reduce(g, t * 7 % 31, cg::greater<int>());",
    "and": "y[t] = cg::reduce(g, t | 64, cg::bit_and<int>());", "or": "y[t] = cg::reduce(g, t, cg::bit_or<int>());",
    "xor": "y[t] = cg::reduce(g, t, cg::bit_xor<int>());",
    "a function": "y[t] = (int)cg::reduce(g, t + 0.5, [](double a, double b) { return a > b ? a : b; });",
    "running sum": "y[t] = cg::inclusive_scan(g, t);",
    "running maximum": "y[t] = cg::inclusive_scan(g, t * 7 % 31, cg::greater<int>());",
    "sum before": "y[t] = cg::exclusive_scan(g, t) + 100000 * (cg::exclusive_scan(g, 1u, cg::plus<unsigned>()));",
    "one for all": "y[t] = cg::invoke_one_broadcast(g, [&](int a) { return a + (int)g.meta_group_rank(); }, 40);",
}
MODELS = {
    "rank and size": lambda s, n: s % n + 10100 * n, "place above": lambda s, n: s // n + 100 * (64 // n),
    "shfl": lambda s, n: s * 0 + s[3 % n], "shfl_up": lambda s, n: np.where(s % n >= 3, s - 3, s),
    "shfl_down": lambda s, n: np.where(s % n + 3 < n, s + 3, s), "shfl_xor": lambda s, n: s ^ 1 if n > 1 else s,
    "any": lambda s, n: s * 0 + (9 in s), "all": lambda s, n: s * 0 + (s < 16).all() + 2,
    "ballot": lambda s, n: s * 0 + bits(s % 3 == 0), "match_any": lambda s, n: [bits(s % 3 == v % 3) for v in s],
    "match_all": lambda s, n: s * 0 + 3 * (len(set(s // 12)) == 1) + 4, "sum": lambda s, n: s * 0 + s.sum(),
    "least": lambda s, n: s * 0 + (s * 7 % 31).min(), "largest": lambda s, n: s * 0 + (s * 7 % 31).max(),
    "and": lambda s, n: s * 0 + np.bitwise_and.reduce(s | 64), "or": lambda s, n: s * 0 + np.bitwise_or.reduce(s),
    "xor": lambda s, n: s * 0 + np.bitwise_xor.reduce(s), "a function": lambda s, n: s * 0 + s.max(),
    "running sum": lambda s, n: np.cumsum(s), "running maximum": lambda s, n: np.maximum.accumulate(s * 7 % 31),
    "sum before": lambda s, n: np.cumsum(s) - s + 100000 * (s % n), "one for all": lambda s, n: s * 0 + 40 + s[0] // n,
}


@pytest.mark.parametrize("n", [1, 4, 16, 32])
@pytest.mark.parametrize("name", TILES)
def test_tiles(name, n):
    with np.errstate(all="ignore"):
        wanted = parts(n, lambda s: np.asarray(MODELS[name](s, n)))
    wanted = wanted.astype("u8").astype("u4").view("i4")
    assert run(TILE.format(n) + TILES[name]).tolist() == wanted.tolist()
    assert run(TILE.format(n) + TILES[name], block=(4, 8, 2)).tolist() == wanted.tolist()


def lanes(f, which):
    """f of the lanes that take part, of each warp; others have -7."""
    r = np.full(64, -7)
    for warp in (T[:32], T[32:]):
        s = warp[which(warp)]
        r[s] = f(s)
    return r


COALESCED = {
    "rank and size": ("g.thread_rank() + 100 * g.size() + 10000 * g.num_threads()",
                      lambda s: np.arange(len(s)) + 10100 * len(s)),
    "place above": ("g.meta_group_rank() + 100 * g.meta_group_size()", lambda s: 100),
    "shfl": ("g.shfl(t, 2)", lambda s: s[2]), "shfl_up": ("g.shfl_up(t, 2)", lambda s: np.r_[s[:2], s[:-2]]),
    "shfl_down": ("g.shfl_down(t, 2)", lambda s: np.r_[s[2:], s[-2:]]),
    "any": ("g.any(t == 33) + 2 * g.any(0)", lambda s: int(33 in s)),
    "all": ("g.all(t < 32)", lambda s: int(s[0] < 32)),
    "ballot": ("g.ballot(t & 1)", lambda s: bits(s & 1)),
    "match_any": ("g.match_any(t & 1)", lambda s: [bits(s % 2 == v % 2) for v in s]),
    "match_all": ("g.match_all(t & 1, p)", lambda s: 0), "match_all of one": ("g.match_all(t / 32, p)",
                                                                              lambda s: bits(s >= 0)),
    "sum": ("cg::reduce(g, t, cg::plus<int>())", lambda s: s.sum()),
    "running sum": ("cg::inclusive_scan(g, t)", np.cumsum),
    "sum before": ("cg::exclusive_scan(g, t, cg::plus<int>())", lambda s: np.cumsum(s) - s),
    "one for all": ("cg::invoke_one_broadcast(g, [=] { return t / 32 + 5; })", lambda s: s // 32 + 5),
    "tiles of four": ("part(cg::tiled_partition(g, 4), t)",
                      lambda s: np.concatenate([np.cumsum(s[i:i + 4]) + 1000 * (i // 4) + 100000 * (-(-len(s) // 4))
                                                for i in range(0, len(s), 4)])),
}
PART = """template <class G> __device__ int part(const G &g, int t)
{
    return cg::inclusive_scan(g, t) + 1000 * g.meta_group_rank() + 100000 * g.meta_group_size();
}
"""


@pytest.mark.parametrize("name", COALESCED)
def test_coalesced(name):
    text, f = COALESCED[name]
    body = f"if (t % 3 == 1) {{ auto g = cg::coalesced_threads(); int p = 0; y[t] = {text}; (void)p; }}"
    assert run(body, PART).tolist() == lanes(f, lambda s: s % 3 == 1).tolist()


def test_parts_by_what_lanes_say():
    warp = TILE.format(32)
    third = "y[t] = part(cg::labeled_partition({}, t % 3), t);"
    wanted = sum(np.where(T % 3 == k, lanes(lambda s: np.cumsum(s) + 1000 * (k - (s[0] >= 32) * 2) % 3000 + 300000,
                                            lambda s: s % 3 == k), 0) for k in range(3))
    # of the second warp the leaders are 32, 33, 34: labels 2, 0, 1
    assert run(warp + third.format("g"), PART).tolist() == wanted.tolist()
    assert run(third.format("cg::coalesced_threads()"), PART).tolist() == wanted.tolist()
    half = "y[t] = part(cg::binary_partition({}, t % 3 == 0), t);"
    wanted = sum(np.where((T % 3 == 0) == k, lanes(lambda s: np.cumsum(s) + 1000 * k + 200000,
                                                   lambda s: (s % 3 == 0) == k), 0) for k in (0, 1))
    assert run(warp + half.format("g"), PART).tolist() == wanted.tolist()
    assert run(warp + half.format("cg::coalesced_threads()"), PART).tolist() == wanted.tolist()
    alike = run(warp + "y[t] = part(cg::binary_partition(g, t >= 0), t);", PART)
    assert alike.tolist() == parts(32, lambda s: np.cumsum(s) + 100000).tolist()


def test_parts_of_parts():
    got = run("auto g = cg::tiled_partition<8>(cg::tiled_partition<32>(block)); y[t] = part(g, t);", PART)
    assert got.tolist() == parts(8, lambda s: np.cumsum(s) + 1000 * (s[0] % 32 // 8) + 400000).tolist()
    got = run("cg::thread_block_tile<16, cg::thread_block> g = cg::tiled_partition<16>(block);"
              "cg::thread_block_tile<16> any = g; y[t] = part(any, t);", PART)
    assert got.tolist() == parts(16, lambda s: np.cumsum(s) + 1000 * (s[0] // 16) + 400000).tolist()


SUM = """__device__ int sum(cg::thread_group g, int *room, int v)
{
    int rank = g.thread_rank();
    for (int half = g.size() / 2; half > 0; half /= 2) {
        room[rank] = v;
        g.sync();
        if (rank < half) v += room[rank + half];
        cg::sync(g);
    }
    return v;
}
"""


@pytest.mark.parametrize("group, n", [("block", 64), ("cg::tiled_partition<16>(block)", 16),
                                      ("cg::tiled_partition(block, 8)", 8),
                                      ("cg::tiled_partition(cg::tiled_partition(block, 32), 4)", 4),
                                      ("cg::coalesced_threads()", 32), ("cg::this_thread()", 1)])
def test_any_group(group, n):
    """As functions take them that are for all groups."""
    got = run(f"__shared__ int room[64]; int r = sum({group}, room + t / {n} * {n}, t); if (t % {n} == 0) y[t] = r;",
              SUM)
    assert got.tolist() == parts(n, lambda s: np.r_[s.sum(), [-7] * (len(s) - 1)]).tolist()
    got = run(f"cg::thread_group g = {group}; y[t] = g.thread_rank() + 1000 * g.size();")
    assert got.tolist() == (T % n + 1000 * n).tolist()


def test_last_warp_that_is_not_whole():
    for n in (8, 32):
        got = run(f"cg::thread_group g = cg::tiled_partition(block, {n}); y[t] = g.thread_rank() + 100 * g.size();",
                  threads=44)
        assert got.tolist() == parts(n, lambda s: s - s[0] + 100 * len(s), 44).tolist()
    got = run("auto g = cg::coalesced_threads(); y[t] = g.size() + 100 * cg::reduce(g, 1, cg::plus<int>());",
              threads=44)
    assert got.tolist() == [3232] * 32 + [1212] * 12


def test_block_and_grid():
    got = run("""auto g = cg::this_grid();
        y[t] = block.thread_rank() + 100 * block.num_threads() + 10000 * (block.dim_threads().y + block.group_index().x)
            + 100000 * (block.thread_index().z) + 1000000 * (g.dim_blocks().x + g.num_blocks() + g.block_rank())
            + 10000000 * (g.block_index().x + (g.thread_rank() == block.thread_rank()) + g.size() / 64);""",
              block=(4, 8, 2))
    assert got.tolist() == (T + 6400 + 80000 + 100000 * (T // 32) + 2000000 + 20000000).tolist()
    got = run("""__shared__ int s[64]; s[t] = t; auto token = block.barrier_arrive();
        block.barrier_wait(static_cast<cg::thread_block::arrival_token &&>(token)); y[t] = s[63 - t];""")
    assert got.tolist() == T[::-1].tolist()
    got = run("y[t] = 0; block.sync(); cg::invoke_one(block, [&](int v) { y[5] = v; }, 7);")
    assert got.tolist() == (7 * (T == 5)).tolist()


@pytest.mark.parametrize("kind, value, read", [
    ("struct { int a; double b; }", "{t, t * 0.5}", "v.a + (int)(v.b * 2)"), ("double2", "{1.0 * t, 2.0 * t}", "v.y"),
    ("struct { int a[3]; }", "{{t, 5, t}}", "v.a[0] + v.a[2]"), ("struct { char a; }", "{(char)t}", "v.a * 2"),
    ("struct { double a[4]; }", "{{0, 0, 0, 2.0 * t}}", "v.a[3]")])
def test_values_of_any_size(kind, value, read):
    head = f"typedef {kind} wide;\n"
    body = "wide mine = " + value + "; wide v = g.shfl(mine, 2); y[t] = " + read + ";"
    assert run(TILE.format(16) + body, head).tolist() == parts(16, lambda s: s * 0 + 2 * s[2]).tolist()
    got = run("if (t % 3 == 1) { auto g = cg::coalesced_threads(); " + body + "}", head)
    assert got.tolist() == lanes(lambda s: 2 * s[2], lambda s: s % 3 == 1).tolist()


def test_reducers_of_any_type():
    head = """#include <cuda_fp16.h>
        struct pair { double least; int at, times; };
        struct meet { __device__ pair operator()(const pair &a, const pair &b) const {
            pair r = b.least < a.least ? b : a; r.times = a.times + b.times; return r; } };
        """
    got = run(TILE.format(16) + "pair p = cg::reduce(g, pair{(t * 7) % 31 * 1.0, t, 1}, meet());"
              "y[t] = (int)p.least * 10000 + p.at * 100 + p.times;", head)
    assert got.tolist() == parts(16, lambda s: s * 0 + (s * 7 % 31).min() * 10000 + s[(s * 7 % 31).argmin()] * 100 +
                                 16).tolist()
    got = run(TILE.format(16) + "y[t] = (int)__half2float(cg::reduce(g, __float2half(t), cg::plus<__half>()));", head)
    assert got.tolist() == parts(16, lambda s: s * 0 + s.sum()).tolist()


def test_copies_by_groups(device):
    if device.startswith("cuda"):
        pytest.skip("CUDA's own header, which needs more of its library")
    head = "#include <cooperative_groups/memcpy_async.h>\n"
    got = run("""__shared__ int s[64]; y[t] = 3 * t; block.sync(); cg::memcpy_async(block, s, y, sizeof(int) * 61);
        cg::wait(block); if (t < 61) y[t] = s[60 - t];""", head)
    assert got.tolist() == [3 * (60 - t) if t < 61 else 3 * t for t in range(64)]
    got = run("""__shared__ int s[64]; y[t] = 3 * t; block.sync(); auto g = cg::tiled_partition<16>(block);
        cg::memcpy_async(g, s + t / 16 * 16, 16, y + t / 16 * 16, 20); cg::wait_prior<0>(g); y[t] = s[t ^ 15];""", head)
    assert got.tolist() == (3 * (T ^ 15)).tolist()
