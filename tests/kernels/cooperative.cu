// Groups of threads that act together: the grid, the block, tiles of a warp, and whoever happens to be there.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// One sum in one launch: blocks leave theirs, the grid waits, the first block adds them.
extern "C" __global__ void grid_reduce(const int *in, int *partial, int *out, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    extern __shared__ int s[];
    int mine = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) mine += in[i];
    s[block.thread_rank()] = mine;
    cg::sync(block);
    for (int half = block.size() / 2; half > 0; half /= 2) {
        if (block.thread_rank() < half) s[block.thread_rank()] += s[block.thread_rank() + half];
        block.sync();
    }
    if (block.thread_rank() == 0) partial[blockIdx.x] = s[0];
    grid.sync();
    if (grid.thread_rank() == 0) {
        int all = 0;
        for (int b = 0; b < gridDim.x; b++) all += partial[b];
        *out = all;
    }
}

// Many steps of a stencil in one launch: the grid waits after each, and the arrays change places.
extern "C" __global__ void jacobi(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
        float *t = a;
        a = b;
        b = t;
        grid.sync();
    }
}

// Tiles of a size that the compiler knows.
template <int SIZE> __global__ void tile_sums(const int *in, int *sums, int *ranks)
{
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
    for (int d = tile.size() / 2; d > 0; d /= 2) v += tile.shfl_down(v, d);
    if (tile.thread_rank() == 0) sums[i / SIZE] = v;
    ranks[i] = tile.thread_rank();
}

// The lanes that are in a branch count themselves, and one of them reserves room for all.
__device__ int reserve(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int first;
    if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
    return active.shfl(first, 0) + active.thread_rank();
}

extern "C" __global__ void filter_coalesced(const int *in, int *out, int *count, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && (in[i] & 1)) out[reserve(count)] = in[i];
}
