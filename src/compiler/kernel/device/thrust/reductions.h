/* Sums, running sums, merges, sets and sorts by one thread. */
#pragma once
#include <thrust/sequential.h>

/* Recursive: compilers inline such functions in themselves, which costs seconds. */
#define __CU_APART __attribute__((noinline)) constexpr

namespace __cu_seq {

template <class I, class T, class F = sum> constexpr T reduce(I a, I z, T r, F f = F())
{
    for (; a != z; ++a) r = f(r, *a);
    return r;
}
template <class I> constexpr value<I> reduce(I a, I z) { return __cu_seq::reduce(a, z, value<I>()); }
template <class I, class T, class F = sum> constexpr T accumulate(I a, I z, T r, F f = F())
{
    return __cu_seq::reduce(a, z, r, f);
}
template <class I, class U, class T, class F> constexpr T transform_reduce(I a, I z, U u, T r, F f)
{
    for (; a != z; ++a) r = f(r, u(*a));
    return r;
}
template <class I, class J, class T, class F = sum, class G = product>
constexpr T inner_product(I a, I z, J b, T r, F f = F(), G g = G())
{
    for (; a != z; ++a, ++b) r = f(r, g(*a, *b));
    return r;
}
template <class K, class V, class O, class P, class E = same, class F = sum>
constexpr auto reduce_by_key(K a, K z, V v, O keys, P sums, E alike = E(), F f = F())
{
    while (a != z) {
        value<K> key = *a;
        value<V> r = *v;
        for (++a, ++v; a != z && alike(key, *a); ++a, ++v) r = f(r, *v);
        *keys = key, ++keys;
        *sums = r, ++sums;
    }
    return __cu_two(keys, sums);
}
template <class I, class O, class F = sum> constexpr O inclusive_scan(I a, I z, O to, F f = F())
{
    if (a == z) return to;
    value<I> r = *a;
    *to = r;
    for (++a, ++to; a != z; ++a, ++to) *to = r = f(r, *a);
    return to;
}
template <class I, class O, class T, class F> constexpr O inclusive_scan(I a, I z, O to, T r, F f)
{
    for (; a != z; ++a, ++to) *to = r = f(r, *a);
    return to;
}
template <class I, class O, class F = sum> constexpr O partial_sum(I a, I z, O to, F f = F())
{
    return __cu_seq::inclusive_scan(a, z, to, f);
}
template <class I, class O, class T, class F = sum> constexpr O exclusive_scan(I a, I z, O to, T r, F f = F())
{
    for (; a != z; ++a, ++to) {
        T next = f(r, *a);
        *to = r;
        r = next;
    }
    return to;
}
template <class I, class O> constexpr O exclusive_scan(I a, I z, O to)
{
    return __cu_seq::exclusive_scan(a, z, to, value<I>());
}
template <class I, class O, class U, class F> constexpr O transform_inclusive_scan(I a, I z, O to, U u, F f)
{
    if (a == z) return to;
    auto r = u(*a);
    *to = r;
    for (++a, ++to; a != z; ++a, ++to) *to = r = f(r, u(*a));
    return to;
}
template <class I, class O, class U, class T, class F>
constexpr O transform_exclusive_scan(I a, I z, O to, U u, T r, F f)
{
    for (; a != z; ++a, ++to) {
        T next = f(r, u(*a));
        *to = r;
        r = next;
    }
    return to;
}
template <class K, class V, class O, class E = same, class F = sum>
constexpr O inclusive_scan_by_key(K a, K z, V v, O to, E alike = E(), F f = F())
{
    while (a != z) {
        value<K> key = *a;
        value<V> r = *v;
        *to = r;
        for (++a, ++v, ++to; a != z && alike(key, *a); ++a, ++v, ++to) *to = r = f(r, *v), key = *a;
    }
    return to;
}
template <class K, class V, class O, class T, class E = same, class F = sum>
constexpr O exclusive_scan_by_key(K a, K z, V v, O to, T initial, E alike = E(), F f = F())
{
    while (a != z) {
        value<K> key = *a;
        T r = initial;
        bool first = true;
        for (; a != z && (first || alike(key, *a)); ++a, ++v, ++to, first = false) {
            T next = f(r, *v);
            key = *a;
            *to = r;
            r = next;
        }
    }
    return to;
}
template <class K, class V, class O> constexpr O exclusive_scan_by_key(K a, K z, V v, O to)
{
    return __cu_seq::exclusive_scan_by_key(a, z, v, to, value<V>());
}
template <class I, class O, class F = difference> constexpr O adjacent_difference(I a, I z, O to, F f = F())
{
    if (a == z) return to;
    value<I> last = *a;
    *to = last;
    for (++a, ++to; a != z; ++a, ++to) {
        value<I> v = *a;
        *to = f(v, last);
        last = v;
    }
    return to;
}
template <class I, class T> constexpr void iota(I a, I z, T v)
{
    for (; a != z; ++a, ++v) *a = v;
}

/* --- merges and sets of sorted numbers; what only the one or the other, or both have, as `take` says --- */

enum { FIRST = 1, SECOND = 2, BOTH = 4, AGAIN = 8 };
template <int take, class I, class J, class O, class F> constexpr O combined(I a, I z, J b, J y, O to, F f)
{
    while (a != z && b != y) {
        if (f(*b, *a)) {
            if (take & SECOND) *to = *b, ++to;
            ++b;
        } else if (take & AGAIN || f(*a, *b)) {
            if (take & FIRST) *to = *a, ++to;
            ++a;
        } else {
            if (take & BOTH) *to = *a, ++to;
            ++a, ++b;
        }
    }
    for (; take & FIRST && a != z; ++a, ++to) *to = *a;
    for (; take & SECOND && b != y; ++b, ++to) *to = *b;
    return to;
}
#define __CU_SEQ_SET(name, take)                                                                             \
    template <class I, class J, class O, class F = less> constexpr O name(I a, I z, J b, J y, O to, F f = F()) \
    {                                                                                                        \
        return combined<take>(a, z, b, y, to, f);                                                            \
    }
__CU_SEQ_SET(merge, FIRST | SECOND | AGAIN)
__CU_SEQ_SET(set_union, FIRST | SECOND | BOTH)
__CU_SEQ_SET(set_intersection, BOTH)
__CU_SEQ_SET(set_difference, FIRST)
__CU_SEQ_SET(set_symmetric_difference, FIRST | SECOND)
#undef __CU_SEQ_SET
template <class I, class J, class F = less> constexpr bool includes(I a, I z, J b, J y, F f = F())
{
    for (; b != y; ++a) {
        if (a == z || f(*b, *a)) return false;
        if (!f(*a, *b)) ++b;
    }
    return true;
}
template <class K, class L, class V, class W, class O, class P, class F = less>
constexpr auto merge_by_key(K a, K z, L b, L y, V v, W w, O keys, P values, F f = F())
{
    for (; a != z || b != y; ++keys, ++values) {
        if (a == z || (b != y && f(*b, *a))) *keys = *b, *values = *w, ++b, ++w;
        else *keys = *a, *values = *v, ++a, ++v;
    }
    return __cu_two(keys, values);
}

/* --- sorts: by insertion in short runs, then by merges in place, which need no memory --- */

template <class I, class F> __CU_APART void merged_in_place(I a, I middle, I z, F &f)
{
    const ptrdiff_t n = middle - a, m = z - middle;
    if (!n || !m) return;
    if (n + m == 2) {
        if (f(*middle, *a)) __cu_seq::iter_swap(a, middle);
        return;
    }
    I left = n > m ? a + n / 2 : a, right = n > m ? middle : middle + m / 2;
    if (n > m) right = __cu_seq::lower_bound(middle, z, *left, f);
    else left = __cu_seq::upper_bound(a, middle, *right, f);
    I between = __cu_seq::rotate(left, middle, right);
    __cu_seq::merged_in_place(a, left, between, f);
    __cu_seq::merged_in_place(between, right, z, f);
}
template <class I, class F> __CU_APART void insertion_sorted(I a, ptrdiff_t n, F &f)
{
    for (ptrdiff_t i = 1; i < n; i++) {
        value<I> v = a[i];
        ptrdiff_t k = i;
        for (; k > 0 && f(v, a[k - 1]); k--) a[k] = a[k - 1];
        a[k] = v;
    }
}
template <class I, class F> __CU_APART void stable_sorted(I a, I z, F &f)
{
    const ptrdiff_t n = z - a;
    if (n <= 16) return __cu_seq::insertion_sorted(a, n, f);
    I middle = a + n / 2;
    __cu_seq::stable_sorted(a, middle, f);
    __cu_seq::stable_sorted(middle, z, f);
    __cu_seq::merged_in_place(a, middle, z, f);
}
template <class I, class F = less> constexpr void stable_sort(I a, I z, F f = F()) { __cu_seq::stable_sorted(a, z, f); }

/* A heap for what need not be stable. */
template <class I, class F> constexpr void heap_down(I a, ptrdiff_t i, ptrdiff_t n, F &f)
{
    value<I> v = a[i];
    for (ptrdiff_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && f(a[k], a[k + 1])) k++;
        if (!f(v, a[k])) break;
        a[i] = a[k];
    }
    a[i] = v;
}
template <class I, class F> __CU_APART void heap_sorted(I a, ptrdiff_t n, F &f)
{
    for (ptrdiff_t i = n / 2; i-- > 0;) __cu_seq::heap_down(a, i, n, f);
    while (n > 1) __cu_seq::iter_swap(a, a + --n), __cu_seq::heap_down(a, 0, n, f);
}
template <class I, class F> __CU_APART void quick_sorted(I a, ptrdiff_t n, int depth, F &f)
{
    while (n > 24) {
        if (!depth--) return __cu_seq::heap_sorted(a, n, f);
        const ptrdiff_t h = n / 2;
        if (f(a[h], a[0])) __cu_seq::iter_swap(a, a + h);
        if (f(a[n - 1], a[h])) __cu_seq::iter_swap(a + h, a + (n - 1));
        if (f(a[h], a[0])) __cu_seq::iter_swap(a, a + h);
        const value<I> pivot = a[h];
        ptrdiff_t i = 0, k = n - 1;
        while (i <= k) {
            while (f(a[i], pivot)) i++;
            while (f(pivot, a[k])) k--;
            if (i <= k) __cu_seq::iter_swap(a + i++, a + k--);
        }
        __cu_seq::quick_sorted(a, k + 1, depth, f);
        a = a + i, n -= i;
    }
    __cu_seq::insertion_sorted(a, n, f);
}
template <class I, class F = less> constexpr void sort(I a, I z, F f = F())
{
    int depth = 2;
    for (ptrdiff_t n = z - a; n > 1; n /= 2) depth += 2;
    __cu_seq::quick_sorted(a, z - a, depth, f);
}
template <class I, class F = less> constexpr void partial_sort(I a, I, I z, F f = F()) { __cu_seq::sort(a, z, f); }
template <class I, class F = less> constexpr void nth_element(I a, I, I z, F f = F()) { __cu_seq::sort(a, z, f); }

/* Keys and values that move together. */
template <class K, class V, class F>
__CU_APART void merged_by_key(K a, V v, ptrdiff_t h, ptrdiff_t n, F &f)
{
    const ptrdiff_t m = n - h;
    if (!h || !m) return;
    if (n == 2) {
        if (f(a[1], a[0])) __cu_seq::iter_swap(a, a + 1), __cu_seq::iter_swap(v, v + 1);
        return;
    }
    ptrdiff_t left = h / 2, right = h + m / 2;
    if (h > m) right = __cu_seq::lower_bound(a + h, a + n, a[left], f) - a;
    else left = __cu_seq::upper_bound(a, a + h, a[right], f) - a;
    __cu_seq::rotate(a + left, a + h, a + right);
    __cu_seq::rotate(v + left, v + h, v + right);
    const ptrdiff_t between = left + right - h;
    __cu_seq::merged_by_key(a, v, left, between, f);
    __cu_seq::merged_by_key(a + between, v + between, right - between, n - between, f);
}
template <class K, class V, class F> __CU_APART void sorted_by_key(K a, V v, ptrdiff_t n, F &f)
{
    if (n > 12) {
        const ptrdiff_t h = n / 2;
        __cu_seq::sorted_by_key(a, v, h, f);
        __cu_seq::sorted_by_key(a + h, v + h, n - h, f);
        __cu_seq::merged_by_key(a, v, h, n, f);
        return;
    }
    for (ptrdiff_t i = 1; i < n; i++) {
        value<K> key = a[i];
        value<V> w = v[i];
        ptrdiff_t k = i;
        for (; k > 0 && f(key, a[k - 1]); k--) a[k] = a[k - 1], v[k] = v[k - 1];
        a[k] = key, v[k] = w;
    }
}
template <class K, class V, class F = less> constexpr void stable_sort_by_key(K a, K z, V v, F f = F())
{
    __cu_seq::sorted_by_key(a, v, z - a, f);
}
template <class K, class V, class F = less> constexpr void sort_by_key(K a, K z, V v, F f = F())
{
    __cu_seq::stable_sort_by_key(a, z, v, f);
}

} // namespace __cu_seq
