/* What the labelling kernels share: the shape in words of 32 elements, runs in a word, the forest.
 *
 * An element that begins a run inside its word stands for the run. parent[] has an entry for each element, of
 * which only those of such elements are used; entries point to smaller positions, so a tree's root is its
 * component's first element. Concurrent unions keep that: an entry only ever becomes smaller. */
#ifndef CPI_NDIMAGE_LABEL_CUH
#define CPI_NDIMAGE_LABEL_CUH

#include <cuda/atomic>

#include "cuda/cuda.h"
#include "ndimage/ndimage.h"

#define TILE_WORDS 256
#define NEAR 4

struct label_shape {
    int64_t lines, width, words;  /* words of a line */
    int tile_log;                 /* a tile is 2^tile_log words wide */
    int64_t tiles_x;
    int axes, neighbours;
    bool joined;
    cpi_neighbour near[NEAR];     /* the list itself when it is short */
    const cpi_neighbour *list;    /* device memory when it is not */
    int64_t lead[CP_MAXDIM];
};

/* Where a thread's word lies: tile, place in the tile, line and word. */
struct word_position {
    int row, column, tile_width;
    int64_t first_line, line, word;
    bool inside;
};

__device__ __forceinline__ word_position position_of(const label_shape &s, int64_t tile, int k)
{
    word_position p;
    p.tile_width = 1 << s.tile_log;
    p.row = k >> s.tile_log;
    p.column = k & (p.tile_width - 1);
    int64_t ty = tile / s.tiles_x, tx = tile - ty * s.tiles_x;
    p.first_line = ty * (TILE_WORDS >> s.tile_log);
    p.line = p.first_line + p.row;
    p.word = (tx << s.tile_log) + p.column;
    p.inside = p.line < s.lines && p.word < s.words;
    return p;
}

/* Bit a of low (high): the line's index along axis a is the first (last). */
__device__ __forceinline__ void line_masks(const label_shape &s, int64_t line, uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    for (int a = s.axes; a-- > 0;) {
        int64_t n = s.lead[a], rest = line / n, at = line - rest * n;
        line = rest;
        *low |= (uint64_t)(at == 0) << a;
        *high |= (uint64_t)(at == n - 1) << a;
    }
}

__device__ __forceinline__ cpi_neighbour neighbour_of(const label_shape &s, int i)
{
    return s.neighbours <= NEAR ? s.near[i] : s.list[i];
}

/* First bits of the runs in a word. */
__device__ __forceinline__ unsigned heads(unsigned w, bool joined) { return joined ? w & ~(w << 1) : w; }
/* First bit of the run that holds set bit b. */
__device__ __forceinline__ int head_of(unsigned w, int b, bool joined)
{
    if (!joined) return b;
    unsigned gaps = ~w & ((1u << b) - 1);
    return gaps ? 32 - __clz((int)gaps) : 0;
}

/* Entries are read and written by threads that do not wait for each other: relaxed atomics say so. */
template <class U> __device__ __forceinline__ U entry(const U *p)
{
    return cuda::atomic_ref<U, cuda::thread_scope_device>(*const_cast<U *>(p)).load(cuda::memory_order_relaxed);
}
template <class U> __device__ __forceinline__ void set_entry(U *p, U v)
{
    cuda::atomic_ref<U, cuda::thread_scope_device>(*p).store(v, cuda::memory_order_relaxed);
}
__device__ __forceinline__ unsigned smaller(unsigned *p, unsigned v) { return atomicMin(p, v); }
__device__ __forceinline__ unsigned long long smaller(unsigned long long *p, unsigned long long v)
{
    return atomicMin(p, v);
}

/* Root of i; halves the way for those who come later. A lost store only leaves a longer way. */
template <class U> __device__ __forceinline__ U root_of(U *parent, U i)
{
    U up = entry(parent + i);
    while (up != i) {
        U above = entry(parent + up);
        if (above == up) return up;
        set_entry(parent + i, above);
        i = above;
        up = entry(parent + i);
    }
    return i;
}

/* Root of i without a store. Where others write final roots into the same entries, a store that halves the way may
 * come late and undo one of them. */
template <class U> __device__ __forceinline__ U seek_root(const U *parent, U i)
{
    U up = entry(parent + i);
    while (up != i) {
        i = up;
        up = entry(parent + i);
    }
    return i;
}

/* Makes a and b one tree. When a stopped being a root meanwhile, what it was hung under is united in its stead. */
template <class U> __device__ __forceinline__ void unite(U *parent, U a, U b)
{
    for (;;) {
        a = root_of(parent, a);
        b = root_of(parent, b);
        if (a == b) return;
        if (a < b) {
            U t = a;
            a = b;
            b = t;
        }
        U old = smaller(&parent[a], b);
        if (old == a) return;
        a = old;
    }
}

#endif
