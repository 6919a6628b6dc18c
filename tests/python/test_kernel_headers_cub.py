"""Block and warp collectives of <cub/...> in user kernels, against the same in NumPy, over several sizes of blocks and
types. Kernels are what NVRTC takes with CCCL's headers."""
import numpy as np
import pytest

import cuprite as cp

RNG = np.random.default_rng(25)
TYPES = {"int": "i4", "unsigned": "u4", "long long": "i8", "float": "f4", "double": "f8", "unsigned char": "u1"}
MORE = """struct Larger {
    template <class T> __device__ T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
"""


def values(t, n, low=-50, high=50):
    """Whole numbers, so that sums are exact in every order."""
    return RNG.integers(0 if t[0] == "u" else low, high, n).astype(t)


def run(text, *arguments, block=(128,), grid=(1,), headers="cub/cub.cuh", shared=0):
    """Runs kernel k of the text."""
    head = "".join(f"#include <{h}>\n" for h in headers.split())
    f = cp.RawKernel(head + text, "k", options=("--std=c++17",))
    f(grid, block, arguments, shared_mem=shared)


def out(shape, t="i4"):
    return cp.full(shape, np.array(99).astype(t), t)


@pytest.mark.parametrize("threads", [32, 48, 128, 1024])
@pytest.mark.parametrize("c", TYPES)
def test_block_reduce(c, threads):
    t = TYPES[c]
    x = values(t, (4, threads), high=3)
    y = out((4, 2), t)
    run(MORE + f"""extern "C" __global__ void k(const {c} *x, {c} *y)
        {{
            typedef cub::BlockReduce<{c}, {threads}> BlockReduce;
            __shared__ typename BlockReduce::TempStorage temp;
            {c} v = x[blockIdx.x * blockDim.x + threadIdx.x];
            {c} sum = BlockReduce(temp).Sum(v);
            __syncthreads();
            {c} most = BlockReduce(temp).Reduce(v, Larger());
            if (threadIdx.x == 0) y[2 * blockIdx.x] = sum, y[2 * blockIdx.x + 1] = most;
        }}""", cp.asarray(x), y, block=(threads,), grid=(4,), headers="cub/block/block_reduce.cuh")
    np.testing.assert_array_equal(y.get(), np.stack([x.sum(1, dtype=t), x.max(1)], 1))


@pytest.mark.parametrize("how", ["RAKING", "RAKING_COMMUTATIVE_ONLY", "WARP_REDUCTIONS"])
def test_block_reduce_of_items_in_three_dimensions(how):
    x, y = values("i4", 64 * 5), out(3)
    run(f"""extern "C" __global__ void k(const int *x, int *y)
        {{
            using BlockReduce = cub::BlockReduce<int, 8, cub::BLOCK_REDUCE_{how}, 4, 2>;
            __shared__ BlockReduce::TempStorage temp[2];
            int t = threadIdx.x + 8 * (threadIdx.y + 4 * threadIdx.z), v[5];
            for (int i = 0; i < 5; i++) v[i] = x[t * 5 + i];
            int all = BlockReduce(temp[0]).Sum(v), some = BlockReduce(temp[1]).Sum(v[2], 41);
            if (t == 0) y[0] = all, y[1] = some;
        }}""", cp.asarray(x), y, block=(8, 4, 2))
    assert y.get().tolist() == [x.sum(), x[2::5][:41].sum(), 99]


def test_block_reduce_takes_the_order_of_threads():
    y = out(1, "i8")
    run("""struct Affine { long long a, b; };
        struct Then { __device__ Affine operator()(const Affine &f, const Affine &g) const
            { return {f.a * g.a % 1000003, (f.b * g.a + g.b) % 1000003}; } };
        extern "C" __global__ void k(long long *y)
        {
            typedef cub::BlockReduce<Affine, 96> Reduce;
            __shared__ Reduce::TempStorage temp;
            Affine own = {(long long)threadIdx.x % 7 + 2, (long long)threadIdx.x};
            Affine all = Reduce(temp).Reduce(own, Then());
            if (threadIdx.x == 0) *y = all.b;
        }""", y, block=(96,))
    b = 0
    for t in range(96):
        b = (b * (t % 7 + 2) + t) % 1000003
    assert y.get()[0] == b


def test_block_reduce_of_pairs():
    x, y = RNG.permutation(64).astype("f4"), out(2)
    run("""extern "C" __global__ void k(const float *x, int *y)
        {
            typedef cub::KeyValuePair<int, float> Pair;
            typedef cub::BlockReduce<Pair, 64> Reduce;
            __shared__ Reduce::TempStorage temp;
            Pair own;
            own.key = threadIdx.x;
            own.value = x[threadIdx.x];
            Pair most = Reduce(temp).Reduce(own, cub::ArgMax());
            __syncthreads();
            Pair least = Reduce(temp).Reduce(own, cub::ArgMin());
            if (threadIdx.x == 0) y[0] = most.key, y[1] = least.key;
        }""", cp.asarray(x), y, block=(64,))
    assert y.get().tolist() == [x.argmax(), x.argmin()]


def test_block_reduce_with_storage_of_its_own_and_in_dynamic_memory():
    x, y = values("i4", 128), out(2)
    run("""extern "C" __global__ void k(const int *x, int *y)
        {
            extern __shared__ char memory[];
            typedef cub::BlockReduce<int, 128> Reduce;
            int a = Reduce().Sum(x[threadIdx.x]);
            Reduce::TempStorage &temp = *reinterpret_cast<Reduce::TempStorage *>(memory);
            int b = Reduce(temp).Sum(2 * x[threadIdx.x]);
            if (threadIdx.x == 0) y[0] = a, y[1] = b;
        }""", cp.asarray(x), y, shared=8192)
    assert y.get().tolist() == [x.sum(), 2 * x.sum()]


def test_a_sum_of_a_grid_by_blocks():
    x, y = values("i4", 100_000), cp.zeros(1, "i4")
    run("""extern "C" __global__ void k(const int *x, int *y, int n)
        {
            typedef cub::BlockReduce<int, 256> Reduce;
            __shared__ Reduce::TempStorage temp;
            int sum = 0;
            for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
            sum = Reduce(temp).Sum(sum);
            if (threadIdx.x == 0) atomicAdd(y, sum);
        }""", cp.asarray(x), y, np.int32(x.size), block=(256,), grid=(20,))
    assert y.get()[0] == x.sum()


@pytest.mark.parametrize("lanes", [32, 16, 4])
@pytest.mark.parametrize("c", ["int", "double", "unsigned char"])
def test_warp_reduce(c, lanes):
    t = TYPES[c]
    x, y = values(t, 64, high=3), out((3, 64 // lanes), t)
    run(MORE + f"""extern "C" __global__ void k(const {c} *x, {c} *y)
        {{
            typedef cub::WarpReduce<{c}, {lanes}> Reduce;
            __shared__ Reduce::TempStorage temp[64 / {lanes}];
            int w = threadIdx.x / {lanes}, n = 64 / {lanes};
            {c} sum = Reduce(temp[w]).Sum(x[threadIdx.x]);
            {c} most = Reduce(temp[w]).Reduce(x[threadIdx.x], Larger());
            {c} some = Reduce(temp[w]).Sum(x[threadIdx.x], 3);
            if (threadIdx.x % {lanes} == 0) y[w] = sum, y[n + w] = most, y[2 * n + w] = some;
        }}""", cp.asarray(x), y, block=(64,), headers="cub/warp/warp_reduce.cuh")
    rows = x.reshape(-1, lanes)
    np.testing.assert_array_equal(y.get(), [rows.sum(1, dtype=t), rows.max(1), rows[:, :3].sum(1, dtype=t)])


def test_warp_reduce_of_segments():
    x, flag, y = values("i4", 32), (RNG.random(32) < 0.2).astype("i4"), out((2, 32))
    flag[0] = 1
    run("""extern "C" __global__ void k(const int *x, const int *flag, int *y)
        {
            typedef cub::WarpReduce<int> Reduce;
            __shared__ Reduce::TempStorage temp;
            int t = threadIdx.x;
            int heads = Reduce(temp).HeadSegmentedSum(x[t], flag[t]);
            int tails = Reduce(temp).TailSegmentedSum(x[t], flag[t]);
            y[t] = flag[t] ? heads : 0;
            y[32 + t] = t == 0 || flag[t - 1] ? tails : 0;
        }""", cp.asarray(x), cp.asarray(flag), y, block=(32,))
    heads, tails = np.zeros(32, int), np.zeros(32, int)
    begins = [i for i in range(32) if flag[i]] + [32]
    for a, z in zip(begins, begins[1:]):
        heads[a] = x[a:z].sum()
    ends = [0, *[i + 1 for i in range(32) if flag[i]], 32]
    for a, z in zip(ends, ends[1:]):
        if z > a:
            tails[a] = x[a:z].sum()
    np.testing.assert_array_equal(y.get(), [heads, tails])


@pytest.mark.parametrize("threads", [32, 64, 200, 512])
@pytest.mark.parametrize("how", ["RAKING", "RAKING_MEMOIZE", "WARP_SCANS"])
def test_block_scan(how, threads):
    if how == "WARP_SCANS" and threads % 32:
        pytest.skip("CUB's scans by warps want whole warps")
    x, y = values("i4", threads), out((7, threads))
    run(MORE + f"""extern "C" __global__ void k(const int *x, int *y)
        {{
            typedef cub::BlockScan<int, {threads}, cub::BLOCK_SCAN_{how}> Scan;
            __shared__ Scan::TempStorage temp[5];
            int t = threadIdx.x, n = {threads}, v = x[t], a, b, c, d, e, total, most;
            Scan(temp[0]).ExclusiveSum(v, a);
            Scan(temp[1]).InclusiveSum(v, b, total);
            Scan(temp[2]).ExclusiveScan(v, c, -20, Larger());
            Scan(temp[3]).InclusiveScan(v, d, Larger(), most);
            Scan(temp[4]).ExclusiveScan(v, e, Larger());
            y[t] = a, y[n + t] = b, y[2 * n + t] = c, y[3 * n + t] = d, y[4 * n + t] = t ? e : 0;
            y[5 * n + t] = total, y[6 * n + t] = most;
        }}""", cp.asarray(x), y, block=(threads,), headers="cub/block/block_scan.cuh")
    running = np.maximum.accumulate(x)
    np.testing.assert_array_equal(y.get(), [
        np.cumsum(x) - x, np.cumsum(x), np.maximum(np.r_[-20, running[:-1]], -20), running, np.r_[0, running[:-1]],
        np.full(threads, x.sum()), np.full(threads, x.max())])


def test_block_scan_of_items_with_a_running_prefix():
    n = 1000
    x, y = values("i4", n), out(n)
    run("""struct Prefix {
            int total;
            __device__ Prefix(int total) : total(total) {}
            __device__ int operator()(int sum) { int old = total; total += sum; return old; }
        };
        extern "C" __global__ void k(const int *x, int *y, int n)
        {
            typedef cub::BlockLoad<int, 64, 3, cub::BLOCK_LOAD_TRANSPOSE> Load;
            typedef cub::BlockStore<int, 64, 3, cub::BLOCK_STORE_TRANSPOSE> Store;
            typedef cub::BlockScan<int, 64> Scan;
            __shared__ union { Load::TempStorage load; Store::TempStorage store; Scan::TempStorage scan; } temp;
            Prefix prefix(7);
            for (int at = 0; at < n; at += 192) {
                int v[3], valid = n - at < 192 ? n - at : 192;
                Load(temp.load).Load(x + at, v, valid, 0);
                __syncthreads();
                Scan(temp.scan).ExclusiveSum(v, v, prefix);
                __syncthreads();
                Store(temp.store).Store(y + at, v, valid);
                __syncthreads();
            }
        }""", cp.asarray(x), y, np.int32(n), block=(64,))
    np.testing.assert_array_equal(y.get(), 7 + np.cumsum(x) - x)


def test_block_scan_of_items():
    x, y = values("f8", 96 * 4), out((4, 96 * 4), "f8")
    run(MORE + """extern "C" __global__ void k(const double *x, double *y)
        {
            typedef cub::BlockScan<double, 96> Scan;
            __shared__ Scan::TempStorage temp;
            int t = threadIdx.x, n = 96 * 4;
            double v[4], r[4], total;
            for (int i = 0; i < 4; i++) v[i] = x[t * 4 + i];
            Scan(temp).InclusiveSum(v, r);
            for (int i = 0; i < 4; i++) y[t * 4 + i] = r[i];
            __syncthreads();
            Scan(temp).ExclusiveSum(v, r, total);
            for (int i = 0; i < 4; i++) y[n + t * 4 + i] = r[i];
            __syncthreads();
            Scan(temp).InclusiveScan(v, r, 10.0, Larger());
            for (int i = 0; i < 4; i++) y[2 * n + t * 4 + i] = r[i], y[3 * n + t * 4 + i] = total;
        }""", cp.asarray(x), y, block=(96,))
    np.testing.assert_array_equal(y.get(), [np.cumsum(x), np.cumsum(x) - x, np.maximum(np.maximum.accumulate(x), 10),
                                            np.full(x.size, x.sum())])


@pytest.mark.parametrize("lanes", [32, 8])
def test_warp_scan(lanes):
    x, y = values("i4", 64), out((5, 64))
    run(MORE + f"""extern "C" __global__ void k(const int *x, int *y)
        {{
            typedef cub::WarpScan<int, {lanes}> Scan;
            __shared__ Scan::TempStorage temp[64 / {lanes}];
            int t = threadIdx.x, w = t / {lanes}, a, b, c, d, total;
            Scan(temp[w]).InclusiveSum(x[t], a);
            Scan(temp[w]).ExclusiveSum(x[t], b, total);
            Scan(temp[w]).ExclusiveScan(x[t], c, -7, Larger());
            d = Scan(temp[w]).Broadcast(x[t], 3);
            y[t] = a, y[64 + t] = b, y[128 + t] = total, y[192 + t] = c, y[256 + t] = d;
        }}""", cp.asarray(x), y, block=(64,), headers="cub/warp/warp_scan.cuh")
    rows = x.reshape(-1, lanes)
    most = np.maximum.accumulate(np.c_[np.full(len(rows), -7), rows], 1)[:, :-1]
    wanted = [np.cumsum(rows, 1), np.cumsum(rows, 1) - rows, np.repeat(rows.sum(1), lanes), most,
              np.repeat(rows[:, 3], lanes)]
    np.testing.assert_array_equal(y.get(), [np.ravel(w) for w in wanted])


@pytest.mark.parametrize("how", ["DIRECT", "STRIPED", "VECTORIZE", "TRANSPOSE", "WARP_TRANSPOSE"])
def test_block_load_and_store(how):
    x, y, z = values("i4", 256), out(256), out(256)
    run(f"""extern "C" __global__ void k(const int *x, int *y, int *z)
        {{
            typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_{how}> Load;
            typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_{how}> Store;
            __shared__ Load::TempStorage load;
            __shared__ Store::TempStorage store;
            int v[4];
            Load(load).Load(x, v);
            for (int i = 0; i < 4; i++) z[threadIdx.x * 4 + i] = v[i];
            for (int i = 0; i < 4; i++) v[i] *= 2;
            Store(store).Store(y, v, 201);
        }}""", cp.asarray(x), y, z, block=(64,))
    np.testing.assert_array_equal(y.get(), np.r_[2 * x[:201], np.full(55, 99)])
    np.testing.assert_array_equal(z.get(), x.reshape(4, 64).T.ravel() if how == "STRIPED" else x)


def test_warp_load_and_store():
    x, y = values("f4", 64 * 3), out(64 * 3, "f4")
    run("""extern "C" __global__ void k(const float *x, float *y)
        {
            typedef cub::WarpLoad<float, 3, cub::WARP_LOAD_TRANSPOSE, 16> Load;
            typedef cub::WarpStore<float, 3, cub::WARP_STORE_STRIPED, 16> Store;
            __shared__ Load::TempStorage load[4];
            __shared__ Store::TempStorage store[4];
            int w = threadIdx.x / 16;
            float v[3];
            Load(load[w]).Load(x + w * 48, v);
            Store(store[w]).Store(y + w * 48, v);
        }""", cp.asarray(x), y, block=(64,))
    np.testing.assert_array_equal(y.get(), x.reshape(4, 16, 3).transpose(0, 2, 1).ravel())


@pytest.mark.parametrize("name", ["StripedToBlocked", "BlockedToStriped", "WarpStripedToBlocked",
                                  "BlockedToWarpStriped"])
def test_block_exchange(name):
    """Item i of thread t is number blocked(t, i), striped(t, i) or so of all."""
    t, i = np.divmod(np.arange(192), 3)
    place = {"Blocked": t * 3 + i, "Striped": i * 64 + t, "WarpStriped": t // 32 * 96 + i * 32 + t % 32}
    a, b = (place[w] for w in name.split("To"))
    x, y = values("i4", 192), out((2, 192))
    run(f"""extern "C" __global__ void k(const int *x, int *y)
        {{
            typedef cub::BlockExchange<int, 64, 3> Exchange;
            __shared__ Exchange::TempStorage temp;
            int v[3], w[3];
            for (int i = 0; i < 3; i++) v[i] = x[threadIdx.x * 3 + i];
            Exchange(temp).{name}(v, w);
            __syncthreads();
            Exchange(temp).{name}(v);
            for (int i = 0; i < 3; i++) y[threadIdx.x * 3 + i] = w[i], y[192 + threadIdx.x * 3 + i] = v[i];
        }}""", cp.asarray(x), y, block=(64,))
    ordered = np.empty(192, int)
    ordered[a] = x
    np.testing.assert_array_equal(y.get(), [ordered[b]] * 2)


def test_block_exchange_scatters():
    x, rank = values("i4", 128), RNG.permutation(128).astype("i4")
    y = out((3, 128))
    run("""extern "C" __global__ void k(const int *x, const int *rank, int *y)
        {
            typedef cub::BlockExchange<int, 32, 4> Exchange;
            __shared__ Exchange::TempStorage temp;
            int v[4], w[4], r[4];
            for (int i = 0; i < 4; i++) v[i] = w[i] = x[threadIdx.x * 4 + i], r[i] = rank[threadIdx.x * 4 + i];
            Exchange(temp).ScatterToBlocked(v, r);
            for (int i = 0; i < 4; i++) y[threadIdx.x * 4 + i] = v[i], v[i] = w[i];
            __syncthreads();
            Exchange(temp).ScatterToStriped(v, r);
            for (int i = 0; i < 4; i++) y[128 + threadIdx.x * 4 + i] = v[i];
        }""", cp.asarray(x), cp.asarray(rank), y, block=(32,))
    placed = np.empty(128, int)
    placed[rank] = x
    np.testing.assert_array_equal(y.get()[:2], [placed, placed.reshape(4, 32).T.ravel()])


def test_warp_exchange():
    x, y = values("i4", 64 * 2), out((2, 128))
    run("""extern "C" __global__ void k(const int *x, int *y)
        {
            typedef cub::WarpExchange<int, 2, 16> Exchange;
            __shared__ Exchange::TempStorage temp[4];
            int w = threadIdx.x / 16, v[2], s[2];
            for (int i = 0; i < 2; i++) v[i] = x[threadIdx.x * 2 + i];
            Exchange(temp[w]).BlockedToStriped(v, s);
            for (int i = 0; i < 2; i++) y[threadIdx.x * 2 + i] = s[i];
            Exchange(temp[w]).StripedToBlocked(s, v);
            for (int i = 0; i < 2; i++) y[128 + threadIdx.x * 2 + i] = v[i];
        }""", cp.asarray(x), y, block=(64,))
    striped = x.reshape(4, 2, 16).transpose(0, 2, 1).ravel()
    np.testing.assert_array_equal(y.get(), [striped, x])


def test_block_shuffle():
    x, y = values("i4", 48), out((4, 48))
    run("""extern "C" __global__ void k(const int *x, int *y)
        {
            typedef cub::BlockShuffle<int, 48> Shuffle;
            __shared__ Shuffle::TempStorage temp[4];
            int t = threadIdx.x, a = -1, b, v[1] = {x[t]}, up[1] = {-5}, down[1] = {-6};
            Shuffle(temp[0]).Offset(x[t], a, 3);
            Shuffle(temp[1]).Rotate(x[t], b, 5);
            Shuffle(temp[2]).Up(v, up);
            Shuffle(temp[3]).Down(v, down);
            y[t] = t < 45 ? a : -1, y[48 + t] = b, y[96 + t] = t ? up[0] : 0, y[144 + t] = t < 47 ? down[0] : 0;
        }""", cp.asarray(x), y, block=(48,))
    np.testing.assert_array_equal(y.get(), [np.r_[x[3:], [-1] * 3], np.roll(x, -5), np.r_[0, x[:-1]], np.r_[x[1:], 0]])


@pytest.mark.parametrize("threads", [32, 128, 256])
@pytest.mark.parametrize("c", ["int", "unsigned char", "long long", "float", "double"])
def test_block_radix_sort(c, threads):
    t = TYPES[c]
    x = values(t, threads * 3)
    if t[0] == "f":
        x += RNG.random(x.size).astype(t)
        x[:5] = 0.0, -0.0, np.inf, -np.inf, -1e-30
    y, z, w = out((2, x.size), t), out(x.size), out(x.size, t)
    run(f"""extern "C" __global__ void k(const {c} *x, {c} *y, int *z, {c} *w)
        {{
            typedef cub::BlockRadixSort<{c}, {threads}, 3> Sort;
            typedef cub::BlockRadixSort<{c}, {threads}, 3, int> Pairs;
            __shared__ union {{ Sort::TempStorage sort; Pairs::TempStorage pairs; }} temp;
            int t = threadIdx.x, n = {threads} * 3, p[3];
            {c} v[3], u[3];
            for (int i = 0; i < 3; i++) v[i] = u[i] = x[t * 3 + i], p[i] = t * 3 + i;
            Sort(temp.sort).Sort(v);
            for (int i = 0; i < 3; i++) y[t * 3 + i] = v[i];
            __syncthreads();
            Sort(temp.sort).SortDescendingBlockedToStriped(v);
            for (int i = 0; i < 3; i++) y[n + t + i * {threads}] = v[i];
            __syncthreads();
            Pairs(temp.pairs).Sort(u, p);
            for (int i = 0; i < 3; i++) z[t * 3 + i] = p[i], w[t * 3 + i] = u[i];
        }}""", cp.asarray(x), y, z, w, block=(threads,), headers="cub/block/block_radix_sort.cuh")
    order = np.argsort(x, kind="stable")
    np.testing.assert_array_equal(y.get(), [np.sort(x), np.sort(x)[::-1]])
    np.testing.assert_array_equal(z.get(), order)
    np.testing.assert_array_equal(w.get(), x[order])


def test_block_radix_sort_by_some_bits():
    x, y = RNG.integers(0, 2**32, 128, dtype="u4"), out((2, 128), "u4")
    run("""extern "C" __global__ void k(const unsigned *x, unsigned *y)
        {
            typedef cub::BlockRadixSort<unsigned, 64, 2> Sort;
            __shared__ Sort::TempStorage temp;
            unsigned v[2] = {x[threadIdx.x * 2], x[threadIdx.x * 2 + 1]}, w[2] = {v[0], v[1]};
            Sort(temp).Sort(v, 8, 14);
            __syncthreads();
            Sort(temp).SortDescending(w, 4, 9);
            for (int i = 0; i < 2; i++) y[threadIdx.x * 2 + i] = v[i], y[128 + threadIdx.x * 2 + i] = w[i];
        }""", cp.asarray(x), y, block=(64,))
    up = x[np.argsort(x >> 8 & 63, kind="stable")]
    down = x[np.argsort(31 - (x >> 4 & 31).astype(int), kind="stable")]
    np.testing.assert_array_equal(y.get(), [up, down])


def test_block_merge_sort():
    x = RNG.integers(0, 20, 256).astype("i4")
    y, z, w = out((2, 256)), out(256), out(256)
    run("""struct ByLowDigit {
            __device__ bool operator()(const int &a, const int &b) const { return a % 10 < b % 10; }
        };
        struct Less { __device__ bool operator()(const int &a, const int &b) const { return a < b; } };
        extern "C" __global__ void k(const int *x, int *y, int *z, int *w)
        {
            typedef cub::BlockMergeSort<int, 64, 4> Sort;
            typedef cub::BlockMergeSort<int, 64, 4, int> Pairs;
            __shared__ union { Sort::TempStorage sort; Pairs::TempStorage pairs; } temp;
            int t = threadIdx.x, v[4], u[4], p[4];
            for (int i = 0; i < 4; i++) v[i] = u[i] = x[t * 4 + i], p[i] = t * 4 + i;
            Sort(temp.sort).StableSort(v, ByLowDigit());
            for (int i = 0; i < 4; i++) y[t * 4 + i] = v[i], v[i] = x[t * 4 + i];
            __syncthreads();
            Sort(temp.sort).Sort(v, Less(), 199, 1000);
            for (int i = 0; i < 4; i++) y[256 + t * 4 + i] = v[i];
            __syncthreads();
            Pairs(temp.pairs).StableSort(u, p, Less());
            for (int i = 0; i < 4; i++) z[t * 4 + i] = p[i], w[t * 4 + i] = u[i];
        }""", cp.asarray(x), y, z, w, block=(64,))
    np.testing.assert_array_equal(y.get()[0], x[np.argsort(x % 10, kind="stable")])
    np.testing.assert_array_equal(y.get()[1][:199], np.sort(x[:199]))
    np.testing.assert_array_equal(z.get(), np.argsort(x, kind="stable"))
    np.testing.assert_array_equal(w.get(), np.sort(x))


def test_warp_merge_sort():
    x, y = values("f8", 192), out(192, "f8")
    run("""struct Greater { __device__ bool operator()(double a, double b) const { return a > b; } };
        extern "C" __global__ void k(const double *x, double *y)
        {
            typedef cub::WarpMergeSort<double, 3, 16> Sort;
            __shared__ Sort::TempStorage temp[4];
            double v[3];
            for (int i = 0; i < 3; i++) v[i] = x[threadIdx.x * 3 + i];
            Sort(temp[threadIdx.x / 16]).Sort(v, Greater());
            for (int i = 0; i < 3; i++) y[threadIdx.x * 3 + i] = v[i];
        }""", cp.asarray(x), y, block=(64,))
    np.testing.assert_array_equal(y.get(), np.sort(x.reshape(4, 48), 1)[:, ::-1].ravel())


@pytest.mark.parametrize("how", ["SORT", "ATOMIC"])
def test_block_histogram(how):
    x, y = RNG.integers(0, 40, 64 * 6).astype("u1"), out(64)
    run(f"""extern "C" __global__ void k(const unsigned char *x, int *y)
        {{
            typedef cub::BlockHistogram<unsigned char, 64, 3, 64, cub::BLOCK_HISTO_{how}> Histogram;
            __shared__ Histogram::TempStorage temp;
            __shared__ unsigned bins[64];
            unsigned char v[3];
            for (int i = 0; i < 3; i++) v[i] = x[threadIdx.x * 3 + i];
            Histogram(temp).Histogram(v, bins);
            __syncthreads();
            for (int i = 0; i < 3; i++) v[i] = x[192 + threadIdx.x * 3 + i];
            Histogram(temp).Composite(v, bins);
            __syncthreads();
            y[threadIdx.x] = bins[threadIdx.x];
        }}""", cp.asarray(x), y, block=(64,))
    np.testing.assert_array_equal(y.get(), np.bincount(x, minlength=64))


def test_block_discontinuity():
    x, y = np.sort(RNG.integers(0, 30, 128)).astype("i4"), out((4, 128))
    run("""struct Differs { __device__ bool operator()(int a, int b) const { return a != b; } };
        extern "C" __global__ void k(const int *x, int *y)
        {
            typedef cub::BlockDiscontinuity<int, 64> Flags;
            __shared__ Flags::TempStorage temp;
            int t = threadIdx.x, v[2] = {x[t * 2], x[t * 2 + 1]}, h[2], l[2], a[2], b[2];
            Flags(temp).FlagHeads(h, v, Differs());
            __syncthreads();
            Flags(temp).FlagTails(l, v, Differs(), 29);
            __syncthreads();
            Flags(temp).FlagHeadsAndTails(a, 0, b, v, Differs());
            for (int i = 0; i < 2; i++)
                y[t * 2 + i] = h[i], y[128 + t * 2 + i] = l[i], y[256 + t * 2 + i] = a[i], y[384 + t * 2 + i] = b[i];
        }""", cp.asarray(x), y, block=(64,))
    change = x[1:] != x[:-1]
    np.testing.assert_array_equal(y.get(), [np.r_[1, change], np.r_[change, x[-1] != 29], np.r_[x[0] != 0, change],
                                            np.r_[change, 1]])


def test_block_adjacent_difference():
    x, y = values("i4", 128), out((5, 128))
    run("""struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
        extern "C" __global__ void k(const int *x, int *y)
        {
            typedef cub::BlockAdjacentDifference<int, 64> Difference;
            __shared__ Difference::TempStorage temp;
            int t = threadIdx.x, v[2] = {x[t * 2], x[t * 2 + 1]}, r[5][2];
            Difference(temp).SubtractLeft(v, r[0], Minus());
            __syncthreads();
            Difference(temp).SubtractLeft(v, r[1], Minus(), 1000);
            __syncthreads();
            Difference(temp).SubtractRight(v, r[2], Minus());
            __syncthreads();
            Difference(temp).SubtractLeftPartialTile(v, r[3], Minus(), 77);
            __syncthreads();
            Difference(temp).SubtractRightPartialTile(v, r[4], Minus(), 77);
            for (int k = 0; k < 5; k++)
                for (int i = 0; i < 2; i++) y[128 * k + t * 2 + i] = r[k][i];
        }""", cp.asarray(x), y, block=(64,))
    left, right = np.r_[x[0], np.diff(x)], np.r_[x[:-1] - x[1:], x[-1]]
    np.testing.assert_array_equal(y.get(), [left, np.r_[x[0] - 1000, np.diff(x)], right, np.r_[left[:77], x[77:]],
                                            np.r_[right[:76], x[76:]]])


def test_block_run_length_decode():
    value, length = values("i4", 64), RNG.integers(1, 5, 64).astype("u4")
    wanted = np.repeat(value, length)
    y, total = out(512), out(1)
    run("""extern "C" __global__ void k(const int *value, const unsigned *length, int *y, int *total)
        {
            typedef cub::BlockRunLengthDecode<int, 32, 2, 4> Decode;
            __shared__ Decode::TempStorage temp;
            int t = threadIdx.x, v[2] = {value[t * 2], value[t * 2 + 1]};
            unsigned n[2] = {length[t * 2], length[t * 2 + 1]}, size = 0;
            Decode decode(temp, v, n, size);
            for (unsigned at = 0; at < size; at += 128) {
                int items[4];
                decode.RunLengthDecode(items, at);
                for (int i = 0; i < 4; i++)
                    if (at + t * 4 + i < size) y[at + t * 4 + i] = items[i];
                __syncthreads();
            }
            if (t == 0) *total = size;
        }""", cp.asarray(value), cp.asarray(length), y, total, block=(32,),
        headers="cub/block/block_run_length_decode.cuh")
    assert total.get()[0] == wanted.size
    np.testing.assert_array_equal(y.get()[:wanted.size], wanted)


def test_collectives_in_templates_methods_and_device_functions():
    x = values("i4", 128)
    text = """#include <cub/cub.cuh>
        template <int N> using Reduce = cub::BlockReduce<int, N>;
        template <class B> __device__ int sum(B block, int v) { return block.Sum(v); }
        struct Adder {
            typename cub::WarpReduce<int>::TempStorage *temp;
            __device__ int operator()(int v) { return cub::WarpReduce<int>(temp[threadIdx.x / 32]).Sum(v); }
        };
        template <int N, class T> __global__ void k(const T *x, T *y)
        {
            __shared__ typename Reduce<N>::TempStorage temp;
            __shared__ typename cub::WarpReduce<int>::TempStorage warps[N / 32];
            T all = sum(Reduce<N>(temp), x[threadIdx.x]);
            Adder adder = {warps};
            T some = adder(x[threadIdx.x]);
            if (threadIdx.x == 0) y[0] = all, y[1] = some;
        }
        template <class T> __global__ void plain(const T *x, T *y) { y[threadIdx.x] = x[threadIdx.x]; }"""
    m = cp.RawModule(code=text, name_expressions=("k<128, int>", "plain<int>"), options=("--std=c++17",))
    y, z = out(2), out(128)
    m.get_function("k<128, int>")((1,), (128,), (cp.asarray(x), y))
    m.get_function("plain<int>")((1,), (128,), (cp.asarray(x), z))
    assert y.get().tolist() == [x.sum(), x[:32].sum()]
    np.testing.assert_array_equal(z.get(), x)


def test_a_class_as_an_argument_of_a_template():
    text = """#include <cub/block/block_scan.cuh>
        template <class Scan> __global__ void k(int *y)
        {
            __shared__ typename Scan::TempStorage temp;
            int r;
            Scan(temp).InclusiveSum((int)threadIdx.x, r);
            y[threadIdx.x] = r;
        }"""
    name = "k<cub::BlockScan<int, 64> >"
    y = out(64)
    cp.RawModule(code=text, name_expressions=(name,), options=("--std=c++17",)).get_function(name)((1,), (64,), (y,))
    np.testing.assert_array_equal(y.get(), np.cumsum(np.arange(64)))


def test_search_and_reduction_by_a_thread():
    x, y = np.sort(values("i4", 100)), out((2, 8))
    run(MORE + """extern "C" __global__ void k(const int *x, int *y)
        {
            int t = threadIdx.x, v[4] = {t, 3, 7, 1};
            y[t] = cub::LowerBound(x, 100, t * 5 - 20);
            y[8 + t] = cub::ThreadReduce(v, Larger());
        }""", cp.asarray(x), y, block=(8,), headers="cub/thread/thread_search.cuh cub/thread/thread_reduce.cuh")
    t = np.arange(8)
    np.testing.assert_array_equal(y.get(), [np.searchsorted(x, t * 5 - 20), np.maximum(t, 7)])


@pytest.mark.parametrize("how", ["using namespace cub;", "namespace collectives = cub; using collectives::BlockReduce;",
                                 "using cub::BlockReduce;"])
def test_other_names_of_the_namespace(how):
    y = out(1)
    run(how + """
        template <class T> struct Adder {
            static __device__ T sum(typename BlockReduce<T, 64>::TempStorage &temp, T v)
            {
                return BlockReduce<T, 64>(temp).Sum(v);
            }
        };
        extern "C" __global__ void k(int *y)
        {
            __shared__ BlockReduce<int, 64>::TempStorage temp;
            int sum = Adder<int>::sum(temp, threadIdx.x);
            if (threadIdx.x == 0) *y = sum;
        }""", y, block=(64,))
    assert y.get()[0] == sum(range(64))


def test_a_variable_called_cub_is_none():
    y = out(4)
    cp.RawKernel("""extern "C" __global__ void k(int *y)
        {
            int cub = threadIdx.x, cuda = cub;
            y[threadIdx.x] = cuda;
        }""", "k")((1,), (4,), (y,))
    assert y.get().tolist() == [0, 1, 2, 3]
