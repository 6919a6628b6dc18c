/* Scans over groups: cooperative_groups.h has those of values; here are those that take a place of an atomic sum. */
#pragma once
#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cooperative_groups {

/* The last thread adds the sum of all to the atomic, and all results are behind what was there. */
template <class G, class A, class T, class F> static inline T __cu_taken(const G &g, A &sum, T all, F f)
{
    T before{};
    if (g.thread_rank() + 1 == g.size())
        before = (T)sum.update([&](auto old) { return f((T)old, all); }, cuda::memory_order_relaxed, __LINE__);
    return g.shfl(before, (int)g.size() - 1);
}
template <class G, class A, class T, class F> static inline T inclusive_scan_update(const G &g, A &&sum, T v, F f)
{
    const T r = inclusive_scan(g, v, f);
    return f(__cu_taken(g, sum, r, f), r);
}
template <class G, class A, class T> static inline T inclusive_scan_update(const G &g, A &&sum, T v)
{
    return inclusive_scan_update(g, sum, v, plus<T>());
}
template <class G, class A, class T, class F> static inline T exclusive_scan_update(const G &g, A &&sum, T v, F f)
{
    const T all = inclusive_scan(g, v, f), before = exclusive_scan(g, v, f), old = __cu_taken(g, sum, all, f);
    return g.thread_rank() ? f(old, before) : old;
}
template <class G, class A, class T> static inline T exclusive_scan_update(const G &g, A &&sum, T v)
{
    return exclusive_scan_update(g, sum, v, plus<T>());
}

} // namespace cooperative_groups
