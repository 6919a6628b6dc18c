/* A search in breadth by threads, level by level, in the order of a queue.
 *
 * A level is a part of `order`. A node's claim is the place in `order`, from 1, of the first node that has an edge to
 * it, times 2^32, plus which of that node's edges it is: the least one is the edge along which a queue finds the node.
 * Each node of a level counts the edges that are claims; their sums are where the next level's nodes stand in `order`.
 * A block counts and writes for a part of the level.
 *
 * Invariant: claims of older levels are less than any of this one, and stay. */
#include "graph/workers.cuh"

enum { BREADTH_THREADS = 512, BREADTH_BLOCKS = 1024 /* at most */, NO_NODE = -9999 };

struct breadth_search {
    long long n;
    const long long *ends;
    const int *target;
    int start;
    int *order, *before;
    graph_word *claim; /* n */
    int *number;       /* n: how many claims each node of a level has */
    long long *parts;  /* BREADTH_BLOCKS: their sum for each block */
    unsigned *arrived; /* 0 */
    long long *count;  /* result: how many nodes are reached */
};

/* The sum of a value over the block's threads with lower numbers, and over all of them. */
static __device__ long long sum_before(long long value, long long *sums, long long *all)
{
    const int t = threadIdx.x, n = blockDim.x;
    sums[t] = value;
    __syncthreads();
    for (int step = 1; step < n; step *= 2) {
        const long long more = t >= step ? sums[t - step] : 0;
        __syncthreads();
        sums[t] += more;
        __syncthreads();
    }
    const long long before = t ? sums[t - 1] : 0;
    *all = sums[n - 1];
    __syncthreads();
    return before;
}

/* The claims among the edges of the node order[at], by LANES threads together: how many there are; where `order` is to
 * be written, their nodes to `to` and on. */
static __device__ int node_claims(const breadth_search &s, long long at, bool write, long long to)
{
    const int v = s.order[at], lane = threadIdx.x % LANES, shift = threadIdx.x % 32 / LANES * LANES;
    const unsigned group = ((1u << LANES) - 1) << shift;
    const long long first = s.ends[v], last = s.ends[v + 1];
    int count = 0;
    for (long long base = first; base < last; base += LANES) {
        const long long k = base + lane;
        const int w = k < last ? s.target[k] : -1;
        const bool own = w >= 0 && s.claim[w] == ((graph_word)(at + 1) << 32 | (graph_word)(k - first));
        const unsigned owns = __ballot_sync(group, own) >> shift;
        if (own && write) {
            s.order[to + count + __popc(owns & ((1u << lane) - 1))] = w;
            s.before[w] = v;
        }
        count += __popc(owns & ((1u << LANES) - 1));
    }
    return count;
}

static __device__ void claim_edges(const breadth_search &s, long long at)
{
    const int v = s.order[at];
    const long long first = s.ends[v], last = s.ends[v + 1];
    for (long long k = first + threadIdx.x % LANES; k < last; k += LANES) {
        graph_word *claim = s.claim + s.target[k];
        const graph_word mine = (graph_word)(at + 1) << 32 | (graph_word)(k - first);
        if (*(volatile graph_word *)claim > mine) atomicMin(claim, mine);
    }
}

template <class W>
static __device__ void search_breadth(const breadth_search &s)
{
    __shared__ long long sums[BREADTH_THREADS], places[BREADTH_THREADS];
    W all(s.arrived);
    for (long long v = all.thread(); v < s.n; v += all.threads()) {
        s.before[v] = NO_NODE;
        s.claim[v] = v == s.start ? 0 : ~0ull;
    }
    if (!all.thread()) s.order[0] = s.start;
    all.barrier();
    const int groups = blockDim.x / LANES, group = threadIdx.x / LANES;
    for (long long first = 0, last = 1; first < last;) {
        const long long share = (last - first + all.blocks() - 1) / all.blocks();
        const long long from = first + share * all.block(), to = from + share < last ? from + share : last;
        for (long long at = from + group; at < to; at += groups) claim_edges(s, at);
        all.barrier();
        long long mine = 0, total, ahead;
        for (long long at = from + group; at < to; at += groups) {
            const int count = node_claims(s, at, false, 0);
            if (threadIdx.x % LANES) continue;
            s.number[at - first] = count;
            mine += count;
        }
        sum_before(mine, sums, &total);
        if (!threadIdx.x) s.parts[all.block()] = total;
        all.barrier();
        long long next = last; /* where this block writes */
        mine = ahead = 0;
        for (long long b = threadIdx.x; b < all.blocks(); b += blockDim.x) {
            mine += s.parts[b];
            if (b < all.block()) ahead += s.parts[b];
        }
        sum_before(mine, sums, &total);
        sum_before(ahead, sums, &ahead);
        next += ahead;
        for (long long tile = from; tile < to; tile += blockDim.x) {
            const long long at = tile + threadIdx.x;
            const long long place = sum_before(at < to ? s.number[at - first] : 0, sums, &mine);
            places[threadIdx.x] = next + place;
            __syncthreads();
            for (int i = group; i < blockDim.x && tile + i < to; i += groups)
                node_claims(s, tile + i, true, places[i]);
            next += mine;
            __syncthreads();
        }
        all.barrier();
        first = last, last += total;
        if (first == last && !all.thread()) *s.count = last;
    }
}

static __global__ void breadth_by_block(breadth_search s) { search_breadth<block_workers>(s); }
static __global__ void breadth_by_grid(breadth_search s) { search_breadth<grid_workers>(s); }
