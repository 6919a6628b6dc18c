/* Cooperative groups on the CPU: the block, tiles of a warp, the coalesced lanes and the grid.
 *
 * Groups are made inside functions that have no context of their own, so they read the thread's (__CU_HIDDEN). */
#pragma once
#include "cuprite_device.h"

namespace cooperative_groups {

struct thread_block {
    static void sync() { __syncthreads(); }
    static void barrier_wait() { __syncthreads(); }
    static unsigned thread_rank() { return __ctx.t.x + __ctx.bd.x * (__ctx.t.y + __ctx.bd.y * __ctx.t.z); }
    static unsigned size() { return __ctx.bd.x * __ctx.bd.y * __ctx.bd.z; }
    static unsigned num_threads() { return size(); }
    static dim3 group_index() { return dim3(__ctx.b.x, __ctx.b.y, __ctx.b.z); }
    static dim3 thread_index() { return dim3(__ctx.t.x, __ctx.t.y, __ctx.t.z); }
    static dim3 group_dim() { return __ctx.bd; }
    static dim3 dim_threads() { return __ctx.bd; }
};
typedef thread_block thread_group_base;
static inline thread_block this_thread_block() { return {}; }

struct grid_group {
    static void sync()
    {
        (void)__cu_wait((__ctx.worker->host->grid_barrier(__ctx.worker, __LINE__), 0));
    }
    static bool is_valid() { return true; }
    static unsigned long long thread_rank()
    {
        unsigned long long block =
            __ctx.b.x + (unsigned long long)__ctx.gd.x * (__ctx.b.y + (unsigned long long)__ctx.gd.y * __ctx.b.z);
        return block * thread_block::size() + thread_block::thread_rank();
    }
    static unsigned long long size()
    {
        return (unsigned long long)__ctx.gd.x * __ctx.gd.y * __ctx.gd.z * thread_block::size();
    }
    static unsigned long long num_threads() { return size(); }
    static unsigned long long num_blocks() { return (unsigned long long)__ctx.gd.x * __ctx.gd.y * __ctx.gd.z; }
    static dim3 group_dim() { return __ctx.gd; }
};
static inline grid_group this_grid() { return {}; }

/* Lanes of one warp that act together. */
struct __cu_lanes {
    unsigned mask, first; /* first: of a tile, the lane it begins with */
    unsigned own() const { return __cu_lane(__ctx); }
    void sync() const { __syncwarp(mask); }
    unsigned ballot_lanes(int p) const { return __ballot_sync(mask, p); }
    int any(int p) const { return __any_sync(mask, p); }
    int all(int p) const { return __all_sync(mask, p); }
};

template <unsigned n> struct thread_block_tile : __cu_lanes {
    static_assert(n <= 32 && (n & (n - 1)) == 0, "a tile has 1, 2, 4, ... 32 threads");
    unsigned thread_rank() const { return own() & (n - 1); }
    static constexpr unsigned size() { return n; }
    static constexpr unsigned num_threads() { return n; }
    unsigned meta_group_rank() const { return thread_block::thread_rank() / n; }
    unsigned meta_group_size() const { return (thread_block::size() + n - 1) / n; }
    template <class T> T shfl(T v, int lane) const { return __shfl_sync(mask, v, lane, (int)n); }
    template <class T> T shfl_up(T v, unsigned by) const { return __shfl_up_sync(mask, v, by, (int)n); }
    template <class T> T shfl_down(T v, unsigned by) const { return __shfl_down_sync(mask, v, by, (int)n); }
    template <class T> T shfl_xor(T v, unsigned by) const { return __shfl_xor_sync(mask, v, (int)by, (int)n); }
    unsigned ballot(int p) const { return ballot_lanes(p) >> first; }
    template <class T> unsigned match_any(T v) const { return __match_any_sync(mask, v) >> first; }
};

struct coalesced_group : __cu_lanes {
    unsigned thread_rank() const { return (unsigned)__popc(mask & ((1u << own()) - 1)); }
    unsigned size() const { return (unsigned)__popc(mask); }
    unsigned num_threads() const { return size(); }
    unsigned lane_of(unsigned rank) const
    {
        unsigned left = mask;
        for (; rank && left; rank--) left &= left - 1;
        return left ? (unsigned)__ffs((int)left) - 1 : 0;
    }
    template <class T> T shfl(T v, int rank) const { return __shfl_sync(mask, v, (int)lane_of((unsigned)rank)); }
    template <class T> T shfl_down(T v, unsigned by) const
    {
        unsigned rank = thread_rank() + by;
        return __shfl_sync(mask, v, (int)(rank < size() ? lane_of(rank) : own()));
    }
    template <class T> T shfl_up(T v, unsigned by) const
    {
        unsigned rank = thread_rank();
        return __shfl_sync(mask, v, (int)(rank >= by ? lane_of(rank - by) : own()));
    }
    unsigned ballot(int p) const
    {
        unsigned votes = ballot_lanes(p), r = 0, k = 0;
        for (unsigned left = mask; left; left &= left - 1, k++) r |= (votes & left & (0u - left)) ? 1u << k : 0u;
        return r;
    }
};

template <unsigned n, class G> static inline thread_block_tile<n> tiled_partition(const G &)
{
    thread_block_tile<n> t;
    t.first = __cu_lane(__ctx) & ~(n - 1);
    t.mask = (n == 32 ? ~0u : (1u << (n & 31)) - 1) << t.first;
    return t;
}
static inline coalesced_group coalesced_threads(int line = __builtin_LINE())
{
    coalesced_group g;
    g.mask = __cu_gather(line);
    g.first = 0;
    return g;
}
template <class G> static inline void sync(const G &g) { g.sync(); }

/* cooperative_groups/reduce.h */
template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <class G, class T, class F> static inline T reduce(const G &g, T v, F f)
{
    return __cu_fold(__cu_exchange(g.mask, v), g.mask, v, f);
}
template <class G, class T, class F> static inline T inclusive_scan(const G &g, T v, F f)
{
    const unsigned upto = __cu_lane(__ctx) == 31 ? ~0u : (2u << __cu_lane(__ctx)) - 1;
    return __cu_fold(__cu_exchange(g.mask, v), g.mask & upto, v, f);
}
template <class G, class T> static inline T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T, class F> static inline T exclusive_scan(const G &g, T v, F f)
{
    const unsigned below = g.mask & ((1u << __cu_lane(__ctx)) - 1);
    return __cu_fold(__cu_exchange(g.mask, v), below, T(), f);
}
template <class G, class T> static inline T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

} // namespace cooperative_groups
