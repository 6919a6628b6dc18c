/* Reductions over groups: cooperative_groups.h has those of values; here are those to a place in memory. */
#pragma once
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cooperative_groups {

template <class G, class A, class T, class F> static inline void reduce_update_async(const G &g, A &&to, T v, F f)
{
    const T all = reduce(g, v, f);
    if (g.thread_rank() == 0)
        (void)to.update([&](auto old) { return f((T)old, all); }, cuda::memory_order_relaxed, __LINE__);
}
template <class G, class A, class T, class F> static inline void reduce_store_async(const G &g, A &&to, T v, F f)
{
    const T all = reduce(g, v, f);
    if (g.thread_rank() == 0) to.store(all, cuda::memory_order_relaxed);
}
template <class G, class T, class F> static inline void reduce_store_async(const G &g, T *to, T v, F f)
{
    const T all = reduce(g, v, f);
    if (g.thread_rank() == 0) *to = all;
}

} // namespace cooperative_groups
