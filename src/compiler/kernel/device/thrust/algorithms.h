/* thrust's algorithms in kernels: those of sequential.h and reductions.h, with an execution policy or without. */
#pragma once
#include <thrust/words.h>
#include <thrust/reductions.h>

namespace thrust {

template <class P> struct __cu_is_policy : ::std::is_base_of<execution_policy_base, ::std::decay_t<P>> {};
#define __CU_THRUST(name)                                                                                    \
    template <class P, class... A, ::std::enable_if_t<__cu_is_policy<P>::value, int> = 0>                    \
    constexpr decltype(auto) name(const P &, A... a)                                                         \
    {                                                                                                        \
        return __cu_seq::name(a...);                                                                         \
    }                                                                                                        \
    template <class P, class... A, ::std::enable_if_t<!__cu_is_policy<P>::value, int> = 0>                   \
    constexpr decltype(auto) name(P p, A... a)                                                               \
    {                                                                                                        \
        return __cu_seq::name(p, a...);                                                                      \
    }
__CU_THRUST(adjacent_difference) __CU_THRUST(all_of) __CU_THRUST(any_of) __CU_THRUST(copy) __CU_THRUST(copy_if)
__CU_THRUST(copy_n) __CU_THRUST(count) __CU_THRUST(count_if) __CU_THRUST(equal) __CU_THRUST(equal_range)
__CU_THRUST(exclusive_scan) __CU_THRUST(exclusive_scan_by_key) __CU_THRUST(fill) __CU_THRUST(fill_n) __CU_THRUST(find)
__CU_THRUST(find_if) __CU_THRUST(find_if_not) __CU_THRUST(for_each) __CU_THRUST(for_each_n) __CU_THRUST(gather)
__CU_THRUST(gather_if) __CU_THRUST(generate) __CU_THRUST(generate_n) __CU_THRUST(inclusive_scan)
__CU_THRUST(inclusive_scan_by_key) __CU_THRUST(inner_product) __CU_THRUST(is_partitioned) __CU_THRUST(is_sorted)
__CU_THRUST(is_sorted_until) __CU_THRUST(max_element) __CU_THRUST(merge) __CU_THRUST(merge_by_key)
__CU_THRUST(min_element) __CU_THRUST(minmax_element) __CU_THRUST(mismatch) __CU_THRUST(none_of) __CU_THRUST(partition)
__CU_THRUST(partition_copy) __CU_THRUST(partition_point) __CU_THRUST(reduce) __CU_THRUST(reduce_by_key)
__CU_THRUST(remove) __CU_THRUST(remove_copy) __CU_THRUST(remove_copy_if) __CU_THRUST(remove_if) __CU_THRUST(replace)
__CU_THRUST(replace_copy) __CU_THRUST(replace_copy_if) __CU_THRUST(replace_if) __CU_THRUST(reverse)
__CU_THRUST(reverse_copy) __CU_THRUST(scatter) __CU_THRUST(scatter_if) __CU_THRUST(sequence)
__CU_THRUST(set_difference) __CU_THRUST(set_intersection) __CU_THRUST(set_symmetric_difference) __CU_THRUST(set_union)
__CU_THRUST(sort) __CU_THRUST(sort_by_key) __CU_THRUST(stable_partition) __CU_THRUST(stable_partition_copy)
__CU_THRUST(stable_sort) __CU_THRUST(stable_sort_by_key) __CU_THRUST(swap_ranges) __CU_THRUST(tabulate)
__CU_THRUST(transform) __CU_THRUST(transform_exclusive_scan) __CU_THRUST(transform_if)
__CU_THRUST(transform_inclusive_scan) __CU_THRUST(transform_reduce) __CU_THRUST(unique) __CU_THRUST(unique_by_key)
__CU_THRUST(unique_copy) __CU_THRUST(unique_count)
#undef __CU_THRUST
template <class... A> constexpr decltype(auto) uninitialized_copy(A... a) { return thrust::copy(a...); }
template <class... A> constexpr decltype(auto) uninitialized_copy_n(A... a) { return thrust::copy_n(a...); }
template <class... A> constexpr decltype(auto) uninitialized_fill(A... a) { return thrust::fill(a...); }
template <class... A> constexpr decltype(auto) uninitialized_fill_n(A... a) { return thrust::fill_n(a...); }
template <class I, class J> constexpr void iter_swap(I a, J b) { __cu_seq::iter_swap(a, b); }

/* Of one number, or of each of a range: then the answers go to `to`. */
#define __CU_THRUST(name)                                                                                    \
    template <class I, class T> constexpr auto name(I a, I z, const T &v) { return __cu_seq::name(a, z, v); } \
    template <class I, class T, class F, ::std::enable_if_t<!__cu_is_policy<I>::value, int> = 0>             \
    constexpr auto name(I a, I z, const T &v, F f)                                                           \
    {                                                                                                        \
        return __cu_seq::name(a, z, v, f);                                                                   \
    }
__CU_THRUST(lower_bound)
__CU_THRUST(upper_bound)
__CU_THRUST(binary_search)
#undef __CU_THRUST
#define __CU_THRUST(name, answer)                                                                            \
    template <class I, class J, class O, class F = __cu_seq::less>                                           \
    constexpr O name(I a, I z, J b, J y, O to, F f = F())                                                    \
    {                                                                                                        \
        for (; b != y; ++b, ++to) {                                                                          \
            auto at = __cu_seq::name(a, z, *b, f);                                                           \
            *to = answer;                                                                                    \
        }                                                                                                    \
        return to;                                                                                           \
    }                                                                                                        \
    template <class P, class... A, ::std::enable_if_t<__cu_is_policy<P>::value, int> = 0>                    \
    constexpr auto name(const P &, A... rest)                                                                \
    {                                                                                                        \
        return thrust::name(rest...);                                                                        \
    }
__CU_THRUST(lower_bound, at - a)
__CU_THRUST(upper_bound, at - a)
__CU_THRUST(binary_search, at)
#undef __CU_THRUST

} // namespace thrust
