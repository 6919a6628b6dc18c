// Tables, searches, sparse matrices, graphs: hash tables by compare and swap, filters of bits, look-back, sorted order
// by bits, formats of sparse matrices, frontiers, colours, trees.
typedef unsigned long long u64;
typedef unsigned u32;

#define EMPTY 0xffffffffffffffffull
#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)
#define GRID_LOOP(i, n) for (int i = THREAD; i < (n); i += gridDim.x * blockDim.x)

// --- tables ---

__device__ __host__ inline u32 mixed(u32 k)
{
    k ^= k >> 16, k *= 0x85ebca6bu, k ^= k >> 13, k *= 0xc2b2ae35u;
    return k ^ k >> 16;
}

// Key and value in one word; a key that is there gets the least of its values.
extern "C" __global__ void hash_insert(u64 *table, u32 capacity, const u32 *keys, const u32 *values, int n)
{
    GRID_LOOP(i, n) {
        const u64 pair = (u64)keys[i] << 32 | values[i];
        u32 slot = mixed(keys[i]) & (capacity - 1);
        while (true) {
            const u64 before = atomicCAS(&table[slot], EMPTY, pair);
            if (before == EMPTY) break;
            if (before >> 32 == keys[i]) {
                atomicMin(&table[slot], pair);
                break;
            }
            slot = (slot + 1) & (capacity - 1);
        }
    }
}
extern "C" __global__ void hash_find(const u64 *__restrict__ table, u32 capacity, const u32 *keys, u32 *values, int n)
{
    GRID_LOOP(i, n) {
        u32 slot = mixed(keys[i]) & (capacity - 1), found = ~0u;
        for (u64 pair; (pair = table[slot]) != EMPTY; slot = (slot + 1) & (capacity - 1))
            if (pair >> 32 == keys[i]) {
                found = (u32)pair;
                break;
            }
        values[i] = found;
    }
}

template <int HASHES> struct Bloom {
    u32 *bits;
    u32 mask;
    template <typename F> __device__ void each(u32 key, F f) const
    {
        u32 h = mixed(key), step = mixed(key ^ 0x9e3779b9u) | 1u;
#pragma unroll
        for (int i = 0; i < HASHES; i++, h += step) f(h & mask);
    }
    __device__ void add(u32 key) const
    {
        each(key, [this](u32 b) { atomicOr(&bits[b >> 5], 1u << (b & 31)); });
    }
    __device__ bool may_have(u32 key) const
    {
        bool all = true;
        each(key, [&](u32 b) { all = all && (bits[b >> 5] >> (b & 31) & 1); });
        return all;
    }
};
extern "C" __global__ void bloom_add(u32 *bits, u32 mask, const u32 *keys, int n)
{
    const Bloom<4> filter = {bits, mask};
    GRID_LOOP(i, n) filter.add(keys[i]);
}
extern "C" __global__ void bloom_ask(u32 *bits, u32 mask, const u32 *keys, bool *may, int n)
{
    const Bloom<4> filter = {bits, mask};
    GRID_LOOP(i, n) may[i] = filter.may_have(keys[i]);
}

// --- order ---

struct Less { template <class T> __device__ bool operator()(T a, T b) const { return a < b; } };
struct NotGreater { template <class T> __device__ bool operator()(T a, T b) const { return !(b < a); } };
template <class T, class Before>
__global__ void bounds(const T *sorted, int n, const T *keys, int *at, int m, Before before = Before())
{
    GRID_LOOP(i, m) {
        int low = 0, count = n;
        while (count > 0) {
            const int half = count >> 1;
            if (before(sorted[low + half], keys[i])) low += half + 1, count -= half + 1;
            else count = half;
        }
        at[i] = low;
    }
}

// 32 keys with their places in order, by shuffles alone.
extern "C" __global__ void bitonic_warp(float *keys, int *places)
{
    const int lane = threadIdx.x & 31, i = THREAD;
    float key = keys[i];
    int place = lane;
    for (int size = 2; size <= 32; size <<= 1)
        for (int step = size >> 1; step; step >>= 1) {
            const float other = __shfl_xor_sync(0xffffffff, key, step);
            const int theirs = __shfl_xor_sync(0xffffffff, place, step);
            const bool up = (lane & size) == 0, lower = (lane & step) == 0;
            const bool less = other < key || (other == key && theirs < place);
            if (less == (up == lower)) key = other, place = theirs;
        }
    keys[i] = key, places[i] = place;
}

// The k-th of a block's numbers, eight bits at a time.
extern "C" __global__ void radix_select(const u32 *x, u32 *out, int n, int k)
{
    __shared__ int counts[256];
    __shared__ u32 prefix;
    __shared__ int rest;
    const u32 *row = x + (size_t)blockIdx.x * n;
    if (threadIdx.x == 0) prefix = 0, rest = k;
    for (int shift = 24; shift >= 0; shift -= 8) {
        for (int b = threadIdx.x; b < 256; b += blockDim.x) counts[b] = 0;
        __syncthreads();
        const u32 known = shift == 24 ? 0 : ~0u << (shift + 8);
        for (int i = threadIdx.x; i < n; i += blockDim.x)
            if ((row[i] & known) == prefix) atomicAdd(&counts[row[i] >> shift & 255], 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            int digit = 0, left = rest;
            while (left >= counts[digit]) left -= counts[digit++];
            rest = left, prefix |= (u32)digit << shift;
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = prefix;
}

// One pass over memory: a block waits for the sums of those before it (Merrill and Garland).
enum : u64 { NOTHING = 0, OWN = 1, ALL = 2 };
__device__ u32 ticket;
extern "C" __global__ void look_back(const int *x, int *out, volatile u64 *states, int n)
{
    __shared__ int own, before, sums[128];
    if (threadIdx.x == 0) own = atomicAdd(&ticket, 1u);
    __syncthreads();
    const int tile = own, i = tile * 128 + threadIdx.x;
    const int v = i < n ? x[i] : 0;
    sums[threadIdx.x] = v;
    __syncthreads();
    for (int by = 1; by < 128; by *= 2) {
        const int more = threadIdx.x >= by ? sums[threadIdx.x - by] : 0;
        __syncthreads();
        sums[threadIdx.x] += more;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        const u32 total = (u32)sums[127];
        int sum = 0;
        if (tile > 0) {
            states[tile] = (u64)total << 2 | OWN;
            __threadfence();
            for (int at = tile - 1;;) {
                const u64 state = states[at];
                if ((state & 3) == NOTHING) continue;
                sum += (int)(u32)(state >> 2);
                if ((state & 3) == ALL) break;
                at--;
            }
        }
        states[tile] = (u64)(u32)(sum + (int)total) << 2 | ALL;
        __threadfence();
        before = sum;
    }
    __syncthreads();
    if (i < n) out[i] = before + sums[threadIdx.x];
}

// Runs of equal numbers: where they begin, counted by a ballot.
extern "C" __global__ void run_heads(const int *x, unsigned *masks, int *counts, int n)
{
    const int i = THREAD;
    const bool head = i < n && (i == 0 || x[i] != x[i - 1]);
    const unsigned mask = __ballot_sync(0xffffffffu, head);
    if ((threadIdx.x & 31) == 0) masks[i / 32] = mask;
    const int all = __syncthreads_count(head);
    if (threadIdx.x == 0) counts[blockIdx.x] = all;
}

// Bits of three coordinates by turns, and how far neighbours in that order agree.
__device__ __forceinline__ u32 spread_bits(u32 v)
{
    v = (v * 0x00010001u) & 0xFF0000FFu;
    v = (v * 0x00000101u) & 0x0F00F00Fu;
    v = (v * 0x00000011u) & 0xC30C30C3u;
    return (v * 0x00000005u) & 0x49249249u;
}
extern "C" __global__ void morton_codes(const float3 *points, u32 *codes, int n)
{
    GRID_LOOP(i, n) {
        const float3 p = points[i];
        const u32 x = (u32)fminf(fmaxf(p.x * 1024.0f, 0.0f), 1023.0f);
        const u32 y = (u32)fminf(fmaxf(p.y * 1024.0f, 0.0f), 1023.0f);
        const u32 z = (u32)fminf(fmaxf(p.z * 1024.0f, 0.0f), 1023.0f);
        codes[i] = spread_bits(x) << 2 | spread_bits(y) << 1 | spread_bits(z);
    }
}
extern "C" __global__ void common_prefixes(const u32 *codes, signed char *common, int n)
{
    GRID_LOOP(i, n - 1) common[i] = codes[i] == codes[i + 1] ? 32 + __clz(i ^ (i + 1)) : __clz(codes[i] ^ codes[i + 1]);
}

// Smith and Waterman's local alignment: a block goes along the antidiagonals.
extern "C" __global__ void smith_waterman(const char *a, int n, const char *b, int m, int *best)
{
    extern __shared__ int diagonals[];
    int *before = diagonals, *last = before + n + 1, *now = last + n + 1;
    int most = 0;
    for (int i = threadIdx.x; i <= n; i += blockDim.x) before[i] = last[i] = now[i] = 0;
    __syncthreads();
    for (int d = 2; d <= n + m; ++d) {
        for (int i = 1 + threadIdx.x; i <= n; i += blockDim.x) {
            const int j = d - i;
            if (j < 1 || j > m) {
                now[i] = 0;
                continue;
            }
            const int match = before[i - 1] + (a[i - 1] == b[j - 1] ? 3 : -2);
            now[i] = max(0, max(match, max(last[i], last[i - 1]) - 1));
            most = max(most, now[i]);
        }
        __syncthreads();
        int *oldest = before;
        before = last, last = now, now = oldest;
        __syncthreads();
    }
    atomicMax(best, most);
}

// --- sparse matrices ---

extern "C" __global__ void spmv_ell(const float *values, const int *columns, const float *x, float *y, int rows,
                                    int width)
{
    const int r = THREAD;
    if (r >= rows) return;
    float sum = 0.f;
    for (int k = 0; k < width; k++) {
        const int c = columns[k * rows + r];
        if (c >= 0) sum += values[k * rows + r] * __ldg(&x[c]);
    }
    y[r] = sum;
}
extern "C" __global__ void spmv_coo(const int *rows, const int *columns, const double *values, const double *x,
                                    double *y, int n)
{
    GRID_LOOP(i, n) atomicAdd(y + rows[i], values[i] * x[columns[i]]);
}
extern "C" __global__ void spmv_dia(const float *diagonals, const int *offsets, const float *x, float *y, int n,
                                    int ndiagonals)
{
    __shared__ int at[16];
    if (threadIdx.x < ndiagonals) at[threadIdx.x] = offsets[threadIdx.x];
    __syncthreads();
    const int r = THREAD;
    if (r < n) {
        float sum = 0;
        for (int d = 0; d < ndiagonals; d++) {
            const int c = r + at[d];
            if (c >= 0 && c < n) sum += diagonals[d * n + r] * x[c];
        }
        y[r] = sum;
    }
}
template <typename T, int B>
__global__ void spmv_bsr(const int *starts, const int *columns, const T *blocks, const T *x, T *y, int block_rows)
{
    const int r = THREAD / B, in = THREAD % B;
    if (r >= block_rows) return;
    T sum(0);
    for (int k = starts[r]; k < starts[r + 1]; ++k)
#pragma unroll
        for (int j = 0; j < B; ++j) sum += blocks[(k * B + in) * B + j] * x[columns[k] * B + j];
    y[r * B + in] = sum;
}
// Sums of segments within a warp: heads stop what comes from below.
extern "C" __global__ void spmv_segments(const int *rows, const int *columns, const float *values, const float *x,
                                         float *y, int n)
{
    const int i = THREAD, lane = threadIdx.x & 31;
    const int row = i < n ? rows[i] : -1;
    float sum = i < n ? values[i] * x[columns[i]] : 0.0f;
    for (int by = 1; by < 32; by <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, row, by);
        const float more = __shfl_up_sync(0xffffffffu, sum, by);
        if (lane >= by && other == row) sum += more;
    }
    const int next = __shfl_down_sync(0xffffffffu, row, 1);
    if (row >= 0 && (lane == 31 || next != row)) atomicAdd(&y[row], sum);
}

// --- graphs ---

struct Graph {
    const int *starts, *neighbours;
    int n;
    struct Range {
        const int *first, *last;
        __device__ const int *begin() const { return first; }
        __device__ const int *end() const { return last; }
    };
    __device__ Range of(int v) const { return {neighbours + starts[v], neighbours + starts[v + 1]}; }
};
extern "C" __global__ void bfs_bottom_up(Graph g, const u32 *frontier, u32 *next, int *level, int depth, int *changed)
{
    const int v = THREAD;
    if (v >= g.n || level[v] >= 0) return;
    for (int u : g.of(v))
        if (frontier[u >> 5] >> (u & 31) & 1) {
            level[v] = depth;
            atomicOr(&next[v >> 5], 1u << (v & 31));
            *changed = 1;
            break;
        }
}
__device__ float atomicMinimum(float *at, float v)
{
    int old = __float_as_int(*at), assumed;
    do {
        assumed = old;
        if (__int_as_float(assumed) <= v) break;
        old = atomicCAS((int *)at, assumed, __float_as_int(v));
    } while (old != assumed);
    return __int_as_float(old);
}
extern "C" __global__ void relax_weighted(Graph g, const float *weights, float *distance, int *changed)
{
    const int v = THREAD;
    if (v >= g.n) return;
    const float own = distance[v];
    if (isinf(own)) return;
    for (int e = g.starts[v]; e < g.starts[v + 1]; e++) {
        const float through = own + weights[e];
        if (through < distance[g.neighbours[e]] && atomicMinimum(&distance[g.neighbours[e]], through) > through)
            *changed = 1;
    }
}
// Jones and Plassmann: who has the largest key among the uncoloured takes the least free colour.
extern "C" __global__ void colour_round(Graph g, const u32 *keys, const int *before, int *colours, int *left)
{
    const int v = THREAD;
    if (v >= g.n || before[v] >= 0) return;
    u64 used = 0;
    for (int u : g.of(v)) {
        if (before[u] >= 0) used |= 1ull << before[u];
        else if (keys[u] > keys[v] || (keys[u] == keys[v] && u > v)) {
            atomicAdd(left, 1);
            return;
        }
    }
    colours[v] = __ffsll(~used) - 1;
}
extern "C" __global__ void peel(Graph g, int *degrees, int *core, int k, int *removed)
{
    const int v = THREAD;
    if (v >= g.n || core[v] >= 0 || degrees[v] > k) return;
    core[v] = k;
    atomicAdd(removed, 1);
    for (const int u : g.of(v)) atomicSub(&degrees[u], 1);
}

// Components by hooks and halved paths, all in one launch.
__device__ int root_of(int v, volatile int *parent)
{
    int p = parent[v];
    while (p != v) {
        const int above = parent[p];
        if (above < p) parent[v] = above;
        v = p, p = above;
    }
    return v;
}
extern "C" __global__ void unite(const int2 *edges, int n, int *parent)
{
    GRID_LOOP(i, n) {
        int a = root_of(edges[i].x, parent), b = root_of(edges[i].y, parent);
        while (a != b) {
            if (a < b) {
                const int t = a;
                a = b, b = t;
            }
            const int seen = atomicCAS(&parent[a], a, b);
            if (seen == a) break;
            a = root_of(seen, parent), b = root_of(b, parent);
        }
    }
}
extern "C" __global__ void roots(int *parent, int *out, int n)
{
    GRID_LOOP(i, n) out[i] = root_of(i, parent);
}

// The nearest point in a k-d tree that lies as a heap; what is to be visited is on a stack of the thread's.
extern "C" __global__ void kd_nearest(const float2 *tree, int n, const float2 *queries, int *found, int m)
{
    const int q = THREAD;
    if (q >= m) return;
    const float2 at = queries[q];
    int stack[32], depth = 0, best = -1;
    float least = INFINITY;
    stack[depth++] = 0;
    while (depth) {
        const int node = stack[--depth];
        if (node >= n) continue;
        const float2 p = tree[node];
        const float dx = at.x - p.x, dy = at.y - p.y, d = dx * dx + dy * dy;
        if (d < least) least = d, best = node;
        const bool vertical = (31 - __clz(node + 1)) & 1;
        const float side = vertical ? dy : dx;
        const int closer = 2 * node + (side < 0 ? 1 : 2), other = 2 * node + (side < 0 ? 2 : 1);
        if (side * side < least) stack[depth++] = other;
        stack[depth++] = closer;
    }
    found[q] = best;
}
