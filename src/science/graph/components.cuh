/* Weak components by threads: a forest of nodes whose trees are joined by compare-and-swap, the higher root below the
 * lower (Jaiganesh and Burtscher, 2018). A tree's root is its lowest node, in whatever order edges are taken.
 *
 * Invariant: root[v] <= v, and it falls only; a reader of an old value goes on from a node of the same tree. */

#include "graph/workers.cuh"

static __device__ int tree_of(volatile int *root, int v)
{
    for (int up = root[v]; up != v; up = root[v]) {
        const int over = root[up];
        root[v] = over; /* a node of the same tree, nearer to its root */
        v = over;
    }
    return v;
}

static __global__ void own_tree(long long n, int *root)
{
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) root[v] = (int)v;
}

static __global__ void join_trees(long long n, const long long *ends, const int *target, int *root)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x, v = i / LANES;
    if (v >= n) return;
    for (long long k = ends[v] + i % LANES; k < ends[v + 1]; k += LANES) {
        int a = tree_of(root, (int)v), b = tree_of(root, target[k]);
        while (a != b) {
            const int high = a > b ? a : b, low = a > b ? b : a;
            const int was = atomicCAS(root + high, high, low);
            if (was == high) break;
            a = tree_of(root, was), b = tree_of(root, low);
        }
    }
}

/* The same without a store: one that halves a path may come after a node was given its root. */
static __device__ int found_root(const volatile int *root, int v)
{
    for (int up = root[v]; up != v; up = root[v]) v = up;
    return v;
}

/* Every node points to its root; is_root: 1 at roots, 0 elsewhere. */
static __global__ void flatten_trees(long long n, int *root, int *is_root)
{
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    const int r = found_root(root, (int)v);
    root[v] = r;
    is_root[v] = r == v;
}

/* count: how many roots there are up to a node. */
static __global__ void number_trees(long long n, const int *count, int *label)
{
    const long long v = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) label[v] = count[label[v]] - 1;
}
