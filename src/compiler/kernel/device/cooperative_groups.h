/* Cooperative groups on the CPU: the block, tiles of a warp, the coalesced lanes, the grid, and a cluster of one block.
 *
 * Most programs are rewritten without these classes (region_groups.c). What is left of them is made inside functions
 * that have no context of their own, so they read the thread's (__CU_HIDDEN). */
#pragma once
#include "cuprite_device.h"

namespace cooperative_groups {

struct thread_block {
    struct arrival_token {};
    static void sync() { __syncthreads(); }
    static arrival_token barrier_arrive() { return {}; }
    static void barrier_wait(arrival_token &&) { __syncthreads(); }
    static unsigned thread_rank() { return __ctx.t.x + __ctx.bd.x * (__ctx.t.y + __ctx.bd.y * __ctx.t.z); }
    static unsigned num_threads() { return __ctx.bd.x * __ctx.bd.y * __ctx.bd.z; }
    static unsigned size() { return num_threads(); }
    static dim3 group_index() { return dim3(__ctx.b.x, __ctx.b.y, __ctx.b.z); }
    static dim3 thread_index() { return dim3(__ctx.t.x, __ctx.t.y, __ctx.t.z); }
    static dim3 group_dim() { return __ctx.bd; }
    static dim3 dim_threads() { return __ctx.bd; }
};
static inline thread_block this_thread_block() { return {}; }
/* What groups of several warps need on older GPUs. */
template <unsigned most = 1024> struct block_tile_memory { char unused; };
template <unsigned most> static inline thread_block this_thread_block(block_tile_memory<most> &) { return {}; }

struct grid_group {
    typedef unsigned arrival_token;
    static void sync()
    {
        __cu_grid_sync();
    }
    static arrival_token barrier_arrive() { return 0; }
    static void barrier_wait(arrival_token &&) { sync(); }
    static bool is_valid() { return true; }
    static dim3 block_index() { return dim3(__ctx.b.x, __ctx.b.y, __ctx.b.z); }
    static unsigned long long block_rank()
    {
        return __ctx.b.x + (unsigned long long)__ctx.gd.x * (__ctx.b.y + (unsigned long long)__ctx.gd.y * __ctx.b.z);
    }
    static dim3 thread_index()
    {
        return dim3(__ctx.b.x * __ctx.bd.x + __ctx.t.x, __ctx.b.y * __ctx.bd.y + __ctx.t.y,
                    __ctx.b.z * __ctx.bd.z + __ctx.t.z);
    }
    static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::size() + thread_block::thread_rank();
    }
    static unsigned long long num_blocks() { return (unsigned long long)__ctx.gd.x * __ctx.gd.y * __ctx.gd.z; }
    static unsigned long long num_threads() { return num_blocks() * thread_block::size(); }
    static unsigned long long size() { return num_threads(); }
    static dim3 group_dim() { return __ctx.gd; }
    static dim3 dim_blocks() { return __ctx.gd; }
    static dim3 dim_threads()
    {
        return dim3(__ctx.gd.x * __ctx.bd.x, __ctx.gd.y * __ctx.bd.y, __ctx.gd.z * __ctx.bd.z);
    }
};
static inline grid_group this_grid() { return {}; }

/* Of one block, as in launches that ask for no cluster. */
struct cluster_group : thread_block {
    static void barrier_wait() { sync(); }
    static void barrier_wait(arrival_token &&) { sync(); }
    static unsigned query_shared_rank(const void *) { return 0; }
    template <class T> static T *map_shared_rank(T *at, int) { return at; }
    static dim3 block_index() { return dim3(0, 0, 0); }
    static unsigned block_rank() { return 0; }
    static dim3 dim_blocks() { return dim3(1, 1, 1); }
    static unsigned num_blocks() { return 1; }
};
static inline cluster_group this_cluster() { return {}; }

/* --- lanes of one warp --- */
/* What lanes bring that is more than an exchange takes goes in words. */
template <class T> struct __cu_brought {
    unsigned there;
    alignas(T) unsigned char bytes[32][sizeof(T)];
    __cu_brought(unsigned mask, const T &own)
    {
        static_assert(sizeof(T) <= 32, "lanes exchange at most 32 bytes");
        for (unsigned at = 0; at < sizeof(T); at += 8) {
            const unsigned n = sizeof(T) - at < 8 ? sizeof(T) - at : 8;
            unsigned long long word = 0;
            __builtin_memcpy(&word, (const char *)&own + at, n);
            const unsigned long long *all = __cu_exchange(mask, word);
            for (int i = 0; i < 32; i++) __builtin_memcpy(&bytes[i][at], &all[i], n);
            there = mask & (unsigned)all[32];
        }
    }
    const T &of(unsigned lane) const { return *(const T *)bytes[lane & 31]; }
};
template <class T> static inline T __cu_of_lane(unsigned mask, const T &own, unsigned lane)
{
    if constexpr (sizeof(T) <= 8) return __cu_read<T>(__cu_exchange(mask, own), lane);
    else return __cu_brought<T>(mask, own).of(lane);
}
/* The fold of the lanes in `which`, or `none`. */
template <class T, class F> static inline T __cu_reduce_of(unsigned mask, unsigned which, const T &own, T none, F &f)
{
    const __cu_brought<T> all(mask, own);
    bool first = true;
    which &= all.there;
    for (int i = 0; i < 32; i++)
        if (which >> i & 1) none = first ? all.of(i) : f(none, all.of(i)), first = false;
    return none;
}
static inline unsigned __cu_own_lane() { return __cu_lane(__ctx); }
static inline unsigned __cu_lanes_below() { return (1u << __cu_own_lane()) - 1; }

struct __cu_lanes {
    unsigned mask, rank_above, number_above; /* which group of how many it is in what it is a part of */
    unsigned meta_group_rank() const { return rank_above; }
    unsigned meta_group_size() const { return number_above; }
    void sync() const { __syncwarp(mask); }
    int any(int p) const { return __any_sync(mask, p); }
    int all(int p) const { return __all_sync(mask, p); }
};

template <unsigned n, class Parent = void, bool wide = (n > 32)> struct thread_block_tile : __cu_lanes {
    static_assert((n & (n - 1)) == 0, "a tile has 1, 2, 4, ... 1024 threads");
    thread_block_tile(const __cu_lanes &lanes) : __cu_lanes(lanes) {}
    static unsigned thread_rank() { return __cu_own_lane() & (n - 1); }
    static constexpr unsigned size() { return n; }
    static constexpr unsigned num_threads() { return n; }
    static unsigned first() { return __cu_own_lane() & ~(n - 1); }
    template <class T> T shfl(T v, int lane) const
    {
        return __cu_of_lane(mask, v, __cu_idx_lane(__cu_own_lane(), lane, n));
    }
    template <class T> T shfl_up(T v, unsigned by) const
    {
        return __cu_of_lane(mask, v, __cu_up_lane(__cu_own_lane(), by, n));
    }
    template <class T> T shfl_down(T v, unsigned by) const
    {
        return __cu_of_lane(mask, v, __cu_down_lane(__cu_own_lane(), by, n));
    }
    template <class T> T shfl_xor(T v, unsigned by) const
    {
        return __cu_of_lane(mask, v, __cu_xor_lane(__cu_own_lane(), (int)by, n));
    }
    unsigned ballot(int p) const { return __ballot_sync(mask, p) >> first(); }
    template <class T> unsigned match_any(T v) const { return __match_any_sync(mask, v) >> first(); }
    template <class T> unsigned match_all(T v, int &all) const { return __match_all_sync(mask, v, &all) >> first(); }
};

#include "cooperative_groups/wide_tiles.h"

struct coalesced_group : __cu_lanes {
    coalesced_group(unsigned lanes, unsigned rank = 0, unsigned number = 1) : __cu_lanes{lanes, rank, number} {}
    unsigned thread_rank() const { return (unsigned)__popc(mask & __cu_lanes_below()); }
    unsigned size() const { return (unsigned)__popc(mask); }
    unsigned num_threads() const { return size(); }
    unsigned lane_of(unsigned rank) const
    {
        unsigned left = mask;
        for (; rank && left; rank--) left &= left - 1;
        return left ? (unsigned)__ffs((int)left) - 1 : 0;
    }
    template <class T> T shfl(T v, int rank) const { return __cu_of_lane(mask, v, lane_of((unsigned)rank)); }
    template <class T> T shfl_down(T v, unsigned by) const
    {
        unsigned rank = thread_rank() + by;
        return __cu_of_lane(mask, v, rank < size() ? lane_of(rank) : __cu_own_lane());
    }
    template <class T> T shfl_up(T v, unsigned by) const
    {
        unsigned rank = thread_rank();
        return __cu_of_lane(mask, v, rank >= by ? lane_of(rank - by) : __cu_own_lane());
    }
    /* Lanes as ranks. */
    unsigned packed(unsigned lanes) const
    {
        unsigned r = 0, k = 0;
        for (unsigned left = mask; left; left &= left - 1, k++) r |= (lanes & left & (0u - left)) ? 1u << k : 0u;
        return r;
    }
    unsigned ballot(int p) const { return packed(__ballot_sync(mask, p)); }
    template <class T> unsigned match_any(T v) const { return packed(__match_any_sync(mask, v)); }
    template <class T> unsigned match_all(T v, int &all) const { return packed(__match_all_sync(mask, v, &all)); }
};

static inline coalesced_group coalesced_threads(int line = __builtin_LINE())
{
    return coalesced_group(__cu_gather(line));
}
static inline thread_block_tile<1> this_thread() { return __cu_lanes{1u << __cu_own_lane(), 0, 1}; }

/* --- any group --- */
class thread_group;
static inline thread_group tiled_partition(const thread_group &, unsigned);
class thread_group {
    enum { BLOCK, GRID, LANES } kind;
    coalesced_group lanes;
    friend thread_group tiled_partition(const thread_group &, unsigned);

public:
    thread_group(const thread_block &) : kind(BLOCK), lanes(0) {}
    thread_group(const grid_group &) : kind(GRID), lanes(0) {}
    thread_group(const coalesced_group &g) : kind(LANES), lanes(g) {}
    template <unsigned n, class P> thread_group(const thread_block_tile<n, P> &g) : kind(LANES), lanes(g.mask) {}
    void sync() const
    {
        if (kind == LANES) lanes.sync();
        else if (kind == GRID) grid_group::sync();
        else thread_block::sync();
    }
    unsigned long long size() const
    {
        return kind == LANES ? lanes.size() : kind == GRID ? grid_group::size() : thread_block::size();
    }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const
    {
        return kind == LANES ? lanes.thread_rank() : kind == GRID ? grid_group::thread_rank()
                                                                  : thread_block::thread_rank();
    }
};

template <class G> static inline void sync(const G &g) { g.sync(); }
template <class G> static inline auto thread_rank(const G &g) -> decltype(g.thread_rank()) { return g.thread_rank(); }
template <class G> static inline auto group_size(const G &g) -> decltype(g.size()) { return g.size(); }

/* --- parts --- */
/* The lanes of a tile of n that this one is in. */
static inline unsigned __cu_tile_mask(unsigned n)
{
    return (n == 32 ? ~0u : (1u << (n & 31)) - 1) << (__cu_own_lane() & ~(n - 1));
}
template <unsigned n, class G> static inline thread_block_tile<n, G> tiled_partition(const G &g)
{
    if constexpr (n > 32) return __cu_place{(unsigned)g.thread_rank() / n, ((unsigned)g.size() + n - 1) / n};
    else return __cu_lanes{__cu_tile_mask(n), (unsigned)g.thread_rank() / n, ((unsigned)g.size() + n - 1) / n};
}
static inline coalesced_group tiled_partition(const coalesced_group &g, unsigned n)
{
    if (g.size() <= n) return g;
    const unsigned rank = g.thread_rank(), from = rank / n * n;
    unsigned lanes = 0, k = 0;
    for (unsigned left = g.mask; left; left &= left - 1, k++)
        if (k >= from && k < from + n) lanes |= left & (0u - left);
    return coalesced_group(lanes, rank / n, (g.size() + n - 1) / n);
}
static inline thread_group tiled_partition(const thread_group &g, unsigned n)
{
    if (g.kind == thread_group::LANES) return tiled_partition(g.lanes, n);
    const unsigned rank = thread_block::thread_rank(), left = thread_block::size() - (rank & ~(n - 1));
    const unsigned there = left < 32 ? (1u << left) - 1 : ~0u;
    return coalesced_group(__cu_tile_mask(n) & there << (__cu_own_lane() & ~(n - 1)), rank / n,
                           (thread_block::size() + n - 1) / n);
}
template <class G> static inline coalesced_group binary_partition(const G &g, bool p)
{
    const unsigned yes = __ballot_sync(g.mask, p);
    if (yes == g.mask || !yes) return coalesced_group(g.mask);
    return coalesced_group(p ? yes : g.mask & ~yes, p, 2);
}
template <class G, class T> static inline coalesced_group labeled_partition(const G &g, T label)
{
    const unsigned alike = __match_any_sync(g.mask, label), leader = (unsigned)__ffs((int)alike) - 1;
    const unsigned leaders = __ballot_sync(g.mask, leader == __cu_own_lane());
    return coalesced_group(alike, (unsigned)__popc(leaders & ((1u << leader) - 1)), (unsigned)__popc(leaders));
}
template <class G> static inline coalesced_group labeled_partition(const G &g, bool label)
{
    return binary_partition(g, label);
}

/* --- one for all --- */
template <class G, class F, class... A> static inline void invoke_one(const G &g, F &&f, A &&...a)
{
    if (g.thread_rank() == 0) ((F &&)f)((A &&)a...);
}
template <class G, class F, class... A> static inline auto invoke_one_broadcast(const G &g, F &&f, A &&...a)
{
    decltype(__cu_value(((F &&)f)((A &&)a...))) r{};
    if (g.thread_rank() == 0) r = ((F &&)f)((A &&)a...);
    return g.shfl(r, 0);
}

/* --- cooperative_groups/reduce.h, scan.h --- */
template <class T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };
template <class G, class T, class F> static inline T reduce(const G &g, T v, F f)
{
    if constexpr (__cu_is_wide<G>::value) return g.fold(v, f);
    else return __cu_reduce_of(g.mask, g.mask, v, v, f);
}
template <class G, class T, class F> static inline T inclusive_scan(const G &g, T v, F f)
{
    if constexpr (__cu_is_wide<G>::value) return g.scan(v, f);
    else return __cu_reduce_of(g.mask, g.mask & (__cu_lanes_below() << 1 | 1), v, v, f);
}
template <class G, class T> static inline T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T, class F> static inline T exclusive_scan(const G &g, T v, F f)
{
    if constexpr (__cu_is_wide<G>::value) return g.scan_before(v, f);
    else return __cu_reduce_of(g.mask, g.mask & __cu_lanes_below(), v, T(), f);
}
template <class G, class T> static inline T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

} // namespace cooperative_groups
