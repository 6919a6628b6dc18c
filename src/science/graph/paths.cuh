/* Shortest paths by threads: nodes near the sources first, and again where a shorter path to them is found (Davidson,
 * Baxter, Garland and Owens, 2014).
 *
 * Nodes whose distance became less lie in `near` where it is at most `reach`, to be left in the next step, else in
 * `far`. When `near` is empty the reach grows. A node is at most once in each list.
 *
 * Lengths are not negative, and sums round monotonically, so that the distances are those of Dijkstra's algorithm, bit
 * by bit. It takes nodes in the order of distance, then number; a node's predecessor is the first one in this order
 * from which its distance comes. That is found behind. Where an edge leads from a node to another one of the same
 * distance, the order is another: PATHS_LEVEL is set, and the result is not for use. */
#include "graph/workers.cuh"

enum { PATHS_THREADS = 512, PATHS_NONE = -9999 };
enum { PATHS_BAD = 1, PATHS_LEVEL = 2 };
#define NOWHERE __longlong_as_double(0x7ff0000000000000ll)

struct path_search {
    long long n, edges, rows, count; /* rows of results, each from `count` sources */
    const long long *ends;
    const int *target;
    const double *length;
    const long long *source;
    double limit, reach;      /* reach: how far beyond the nearest nodes, in mean lengths */
    double *distance;
    int *before;
    int *lists;               /* of each group of workers 6 n */
    struct path_state *state; /* of each group */
    unsigned *flags;          /* 0 */
    double *sum;              /* of finite lengths; 0 */
};

struct path_state { /* all 0 before the first search */
    unsigned arrived;
    int near[3], far[2]; /* lengths of lists: of a step, and of those behind and before it */
    graph_word least[2];
};

/* Distances are not negative: their bits order as they do. */
static __device__ __forceinline__ graph_word bits_of(double x) { return (graph_word)__double_as_longlong(x); }
static __device__ __forceinline__ double double_of(graph_word x) { return __longlong_as_double((long long)x); }

/* The sum of lengths; PATHS_BAD where one is negative or NaN, or a source is no node. */
static __device__ void measure(const path_search &s)
{
    double sum = 0;
    bool bad = false;
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < s.edges; k += step) {
        const double x = s.length[k];
        if (!(x >= 0)) bad = true;
        else if (x < 1e300) sum += x;
    }
    for (int lane = 16; lane; lane /= 2) sum += __shfl_down_sync(~0u, sum, lane);
    if (threadIdx.x % 32 == 0 && sum > 0) atomicAdd(s.sum, sum);
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < s.rows * s.count; i += step)
        if (s.source[i] < 0 || s.source[i] >= s.n) bad = true;
    if (bad) atomicOr(s.flags, PATHS_BAD);
}

/* One row's lists and counts. near: of this step and the next; far: of now and of behind the next growth. */
struct path_row {
    graph_word *distance;
    int *before, *near[2], *far[2], *marked, *waits;
    path_state *state;
    double limit;
};

static __device__ path_row row_of(const path_search &s, long long row, long long group)
{
    int *lists = s.lists + group * 6 * s.n;
    path_row r;
    r.distance = (graph_word *)s.distance + row * s.n;
    r.before = s.before + row * s.n;
    for (int i = 0; i < 2; i++) {
        r.near[i] = lists + i * s.n;
        r.far[i] = lists + (2 + i) * s.n;
    }
    r.marked = lists + 4 * s.n; /* the last step for which a node was listed */
    r.waits = lists + 5 * s.n;  /* whether it lies in far */
    r.state = s.state + group;
    r.limit = s.limit;
    return r;
}

/* Leaves a node along its edges, by LANES threads together. */
static __device__ void leave_node(const path_search &s, const path_row &r, int v, int step, int far, double reach)
{
    const double d = double_of(*(volatile graph_word *)(r.distance + v));
    for (long long k = s.ends[v] + threadIdx.x % LANES; k < s.ends[v + 1]; k += LANES) {
        const int w = s.target[k];
        const double there = d + s.length[k];
        const graph_word bits = bits_of(there);
        if (there > r.limit || bits >= *(volatile graph_word *)(r.distance + w)) continue;
        if (atomicMin(r.distance + w, bits) <= bits) continue;
        if (there <= reach) {
            if (atomicExch(r.marked + w, step + 1) != step + 1)
                r.near[(step + 1) % 2][atomicAdd(&r.state->near[(step + 1) % 3], 1)] = w;
        } else if (!atomicExch(r.waits + w, 1)) {
            r.far[far][atomicAdd(&r.state->far[far], 1)] = w;
        }
    }
}

/* The reach grows: nodes of `far` that it takes in go to this step's `near`, those that were left already nowhere.
 * False where no node waits. */
template <class W>
static __device__ bool grow(W &all, const path_row &r, int step, int far, int growths, double *reach, double by)
{
    const int m = *(volatile int *)&r.state->far[far];
    if (!m) return false;
    graph_word least = ~0ull;
    for (long long i = all.thread(); i < m; i += all.threads()) {
        const graph_word d = r.distance[r.far[far][i]];
        if (double_of(d) > *reach && d < least) least = d;
    }
    if (least != ~0ull) atomicMin(&r.state->least[growths % 2], least);
    if (!all.thread()) r.state->far[1 - far] = 0;
    all.barrier();
    least = *(volatile graph_word *)&r.state->least[growths % 2];
    if (least == ~0ull) return false;
    const double before = *reach;
    *reach = double_of(least) + by;
    if (!all.thread()) r.state->least[(growths + 1) % 2] = ~0ull;
    for (long long i = all.thread(); i < m; i += all.threads()) {
        const int v = r.far[far][i];
        const double d = double_of(r.distance[v]);
        if (d > *reach) {
            r.far[1 - far][atomicAdd(&r.state->far[1 - far], 1)] = v;
            continue;
        }
        r.waits[v] = 0;
        if (d > before) r.near[step % 2][atomicAdd(&r.state->near[step % 3], 1)] = v;
    }
    all.barrier();
    return true;
}

template <class W>
static __device__ void find_distances(W &all, const path_search &s, const path_row &r, const long long *source)
{
    for (long long v = all.thread(); v < s.n; v += all.threads()) {
        r.distance[v] = bits_of(NOWHERE);
        r.before[v] = PATHS_NONE;
        r.marked[v] = -1;
        r.waits[v] = 0;
    }
    if (!all.thread()) {
        for (int i = 0; i < 3; i++) r.state->near[i] = 0;
        for (int i = 0; i < 2; i++) r.state->far[i] = 0, r.state->least[i] = ~0ull;
    }
    all.barrier();
    for (long long i = all.thread(); i < s.count; i += all.threads()) {
        r.distance[source[i]] = 0;
        if (atomicExch(r.marked + source[i], 0) == -1) r.near[0][atomicAdd(&r.state->near[0], 1)] = (int)source[i];
    }
    all.barrier();
    const double by = s.edges ? *s.sum / (double)s.edges * s.reach : 0;
    double reach = by;
    for (int step = 0, far = 0, growths = 0;;) {
        const int m = *(volatile int *)&r.state->near[step % 3];
        if (!m) {
            if (!grow(all, r, step, far, growths, &reach, by)) break;
            far = 1 - far, growths++;
            continue;
        }
        if (!all.thread()) r.state->near[(step + 2) % 3] = 0;
        const long long groups = all.threads() / LANES;
        for (long long i = all.thread() / LANES; i < m; i += groups)
            leave_node(s, r, r.near[step % 2][i], step, far, reach);
        all.barrier();
        step++;
    }
    all.barrier();
}

/* The nodes before the last: of those from which a distance comes, the nearest, and of these the one with the lowest
 * number. The lists' memory holds the distances of the nearest. */
template <class W>
static __device__ void find_predecessors(W &all, const path_search &s, const path_row &r)
{
    graph_word *nearest = (graph_word *)r.near[0];
    for (long long v = all.thread(); v < s.n; v += all.threads()) nearest[v] = ~0ull;
    all.barrier();
    const long long groups = all.threads() / LANES;
    for (int pass = 0; pass < 2; pass++) {
        for (long long v = all.thread() / LANES; v < s.n; v += groups) {
            const graph_word from = r.distance[v];
            const double d = double_of(from);
            if (d == NOWHERE) continue;
            for (long long k = s.ends[v] + threadIdx.x % LANES; k < s.ends[v + 1]; k += LANES) {
                const int w = s.target[k];
                const double there = d + s.length[k];
                if (w == v || there == NOWHERE || bits_of(there) != r.distance[w]) continue;
                if (!(d < there)) atomicOr(s.flags, PATHS_LEVEL);
                else if (!pass) atomicMin(nearest + w, from);
                else if (nearest[w] == from) atomicMin((unsigned *)r.before + w, (unsigned)v); /* PATHS_NONE is more */
            }
        }
        all.barrier();
    }
}

template <class W>
static __device__ void search_paths(const path_search &s, long long first, long long step)
{
    if (*s.flags & PATHS_BAD) return; /* a cycle of negative length has no end */
    W all(&s.state[first].arrived);
    for (long long row = first; row < s.rows; row += step) {
        const path_row r = row_of(s, row, first);
        find_distances(all, s, r, s.source + row * s.count);
        find_predecessors(all, s, r);
    }
}

static __global__ void measure_lengths(path_search s) { measure(s); }
static __global__ void paths_by_block(path_search s) { search_paths<block_workers>(s, blockIdx.x, gridDim.x); }
static __global__ void paths_by_grid(path_search s) { search_paths<grid_workers>(s, 0, 1); }
