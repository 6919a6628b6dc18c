/* Algorithms over iterators by one thread: those of <cuda/std/algorithm> and <cuda/std/numeric>, of which thrust's with
 * thrust::seq are made. */
#pragma once
#include <cuda/std/words.h>

namespace __cu_seq {

struct less { template <class A, class B> constexpr bool operator()(const A &a, const B &b) const { return a < b; } };
struct same { template <class A, class B> constexpr bool operator()(const A &a, const B &b) const { return a == b; } };
struct sum { template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a + b; } };
struct product {
    template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a * b; }
};
struct difference {
    template <class A, class B> constexpr auto operator()(const A &a, const B &b) const { return a - b; }
};
/* What an iterator points to, without a reference: of a proxy too. */
template <class I> using value = typename __cu_value_of<I>::type;
template <class I> using if_iterator = decltype(*__cu_made<I &>(), ++__cu_made<I &>());

/* --- one by one --- */

template <class I, class F> constexpr I for_each(I a, I z, F f)
{
    for (; a != z; ++a) f(*a);
    return a;
}
template <class I, class N, class F> constexpr I for_each_n(I a, N n, F f)
{
    for (; n > 0; --n, ++a) f(*a);
    return a;
}
template <class I, class O> constexpr O copy(I a, I z, O to)
{
    for (; a != z; ++a, ++to) *to = *a;
    return to;
}
template <class I, class N, class O> constexpr O copy_n(I a, N n, O to)
{
    for (; n > 0; --n, ++a, ++to) *to = *a;
    return to;
}
template <class I, class O, class P> constexpr O copy_if(I a, I z, O to, P p)
{
    for (; a != z; ++a)
        if (p(*a)) *to = *a, ++to;
    return to;
}
template <class I, class S, class O, class P> constexpr O copy_if(I a, I z, S stencil, O to, P p)
{
    for (; a != z; ++a, ++stencil)
        if (p(*stencil)) *to = *a, ++to;
    return to;
}
template <class I, class O> constexpr O copy_backward(I a, I z, O end)
{
    while (a != z) *--end = *--z;
    return end;
}
template <class I, class T> constexpr void fill(I a, I z, const T &v)
{
    for (; a != z; ++a) *a = v;
}
template <class I, class N, class T> constexpr I fill_n(I a, N n, const T &v)
{
    for (; n > 0; --n, ++a) *a = v;
    return a;
}
template <class I, class F> constexpr void generate(I a, I z, F f)
{
    for (; a != z; ++a) *a = f();
}
template <class I, class N, class F> constexpr I generate_n(I a, N n, F f)
{
    for (; n > 0; --n, ++a) *a = f();
    return a;
}
template <class I, class O, class F> constexpr O transform(I a, I z, O to, F f)
{
    for (; a != z; ++a, ++to) *to = f(*a);
    return to;
}
template <class I, class J, class O, class F> constexpr O transform(I a, I z, J b, O to, F f)
{
    for (; a != z; ++a, ++b, ++to) *to = f(*a, *b);
    return to;
}
template <class I, class O, class F, class P> constexpr O transform_if(I a, I z, O to, F f, P p)
{
    for (; a != z; ++a, ++to)
        if (p(*a)) *to = f(*a);
    return to;
}
template <class I, class S, class O, class F, class P> constexpr O transform_if(I a, I z, S stencil, O to, F f, P p)
{
    for (; a != z; ++a, ++stencil, ++to)
        if (p(*stencil)) *to = f(*a);
    return to;
}
template <class I, class T> constexpr void sequence(I a, I z, T v)
{
    for (; a != z; ++a, v = v + T(1)) *a = v;
}
template <class I, class T> constexpr void sequence(I a, I z, T v, T step)
{
    for (; a != z; ++a, v = v + step) *a = v;
}
template <class I> constexpr void sequence(I a, I z) { __cu_seq::sequence(a, z, value<I>(0)); }
template <class I, class F> constexpr void tabulate(I a, I z, F f)
{
    for (ptrdiff_t i = 0; a != z; ++a, ++i) *a = f(i);
}
template <class M, class I, class O> constexpr O gather(M a, M z, I from, O to)
{
    for (; a != z; ++a, ++to) *to = from[*a];
    return to;
}
template <class M, class S, class I, class O, class P> constexpr O gather_if(M a, M z, S stencil, I from, O to, P p)
{
    for (; a != z; ++a, ++stencil, ++to)
        if (p(*stencil)) *to = from[*a];
    return to;
}
template <class M, class S, class I, class O> constexpr O gather_if(M a, M z, S stencil, I from, O to)
{
    return __cu_seq::gather_if(a, z, stencil, from, to, [](auto v) { return (bool)v; });
}
template <class I, class M, class O> constexpr void scatter(I a, I z, M map, O to)
{
    for (; a != z; ++a, ++map) to[*map] = *a;
}
template <class I, class M, class S, class O, class P> constexpr void scatter_if(I a, I z, M map, S stencil, O to, P p)
{
    for (; a != z; ++a, ++map, ++stencil)
        if (p(*stencil)) to[*map] = *a;
}
template <class I, class M, class S, class O> constexpr void scatter_if(I a, I z, M map, S stencil, O to)
{
    __cu_seq::scatter_if(a, z, map, stencil, to, [](auto v) { return (bool)v; });
}
template <class I, class J> constexpr J swap_ranges(I a, I z, J b)
{
    for (; a != z; ++a, ++b) {
        value<I> v = *a;
        *a = *b;
        *b = v;
    }
    return b;
}
template <class I, class J> constexpr void iter_swap(I a, J b)
{
    value<I> v = *a;
    *a = *b;
    *b = v;
}
template <class I> constexpr void reverse(I a, I z)
{
    while (a != z && a != --z) __cu_seq::iter_swap(a, z), ++a;
}
template <class I, class O> constexpr O reverse_copy(I a, I z, O to)
{
    for (; a != z; ++to) *to = *--z;
    return to;
}
template <class I> constexpr I rotate(I a, I middle, I z)
{
    __cu_seq::reverse(a, middle);
    __cu_seq::reverse(middle, z);
    __cu_seq::reverse(a, z);
    return a + (z - middle);
}
template <class I, class T> constexpr void replace(I a, I z, const T &old, const T &now)
{
    for (; a != z; ++a)
        if (*a == old) *a = now;
}
template <class I, class P, class T> constexpr void replace_if(I a, I z, P p, const T &now)
{
    for (; a != z; ++a)
        if (p(*a)) *a = now;
}
template <class I, class S, class P, class T> constexpr void replace_if(I a, I z, S stencil, P p, const T &now)
{
    for (; a != z; ++a, ++stencil)
        if (p(*stencil)) *a = now;
}
template <class I, class O, class T> constexpr O replace_copy(I a, I z, O to, const T &old, const T &now)
{
    for (; a != z; ++a, ++to) *to = *a == old ? now : *a;
    return to;
}
template <class I, class O, class P, class T> constexpr O replace_copy_if(I a, I z, O to, P p, const T &now)
{
    for (; a != z; ++a, ++to) *to = p(*a) ? now : *a;
    return to;
}

/* --- leaving out --- */

template <class I, class P> constexpr I remove_if(I a, I z, P p)
{
    I to = a;
    for (; a != z; ++a)
        if (!p(*a)) *to = *a, ++to;
    return to;
}
template <class I, class S, class P> constexpr I remove_if(I a, I z, S stencil, P p)
{
    I to = a;
    for (; a != z; ++a, ++stencil)
        if (!p(*stencil)) *to = *a, ++to;
    return to;
}
template <class I, class T> constexpr I remove(I a, I z, const T &v)
{
    const T gone = v;
    return __cu_seq::remove_if(a, z, [&](const auto &x) { return x == gone; });
}
template <class I, class O, class P> constexpr O remove_copy_if(I a, I z, O to, P p)
{
    return __cu_seq::copy_if(a, z, to, [&](const auto &x) { return !p(x); });
}
template <class I, class O, class T> constexpr O remove_copy(I a, I z, O to, const T &v)
{
    return __cu_seq::copy_if(a, z, to, [&](const auto &x) { return !(x == v); });
}
template <class I, class P = same> constexpr I unique(I a, I z, P p = P())
{
    if (a == z) return z;
    I to = a;
    for (++a; a != z; ++a)
        if (!p(*to, *a)) *++to = *a;
    return ++to;
}
template <class I, class O, class P = same> constexpr O unique_copy(I a, I z, O to, P p = P())
{
    if (a == z) return to;
    value<I> last = *a;
    *to = last;
    for (++a, ++to; a != z; ++a)
        if (!p(last, *a)) last = *a, *to = last, ++to;
    return to;
}
template <class I, class P = same> constexpr ptrdiff_t unique_count(I a, I z, P p = P())
{
    ptrdiff_t n = a != z;
    for (I b = a; a != z && ++b != z; a = b) n += !p(*a, *b);
    return n;
}
template <class K, class V, class P = same> constexpr auto unique_by_key(K a, K z, V v, P p = P())
{
    if (a == z) return __cu_two(a, v);
    K to = a;
    V w = v;
    for (++a, ++v; a != z; ++a, ++v)
        if (!p(*to, *a)) *++to = *a, *++w = *v;
    return __cu_two(++to, ++w);
}
template <class I, class P> __attribute__((noinline)) constexpr I stable_partition(I a, I z, P p)
{
    const ptrdiff_t n = z - a;
    if (n <= 1) return n && p(*a) ? z : a;
    I middle = a + n / 2;
    return __cu_seq::rotate(__cu_seq::stable_partition(a, middle, p), middle, __cu_seq::stable_partition(middle, z, p));
}
template <class I, class P> constexpr I partition(I a, I z, P p) { return __cu_seq::stable_partition(a, z, p); }
template <class I, class O, class Q, class P> constexpr auto partition_copy(I a, I z, O yes, Q no, P p)
{
    for (; a != z; ++a) {
        if (p(*a)) *yes = *a, ++yes;
        else *no = *a, ++no;
    }
    return __cu_two(yes, no);
}
template <class I, class O, class Q, class P> constexpr auto stable_partition_copy(I a, I z, O yes, Q no, P p)
{
    return __cu_seq::partition_copy(a, z, yes, no, p);
}
template <class I, class P> constexpr I partition_point(I a, I z, P p)
{
    ptrdiff_t n = z - a;
    while (n > 0) {
        I middle = a + n / 2;
        if (p(*middle)) a = middle + 1, n -= n / 2 + 1;
        else n /= 2;
    }
    return a;
}
template <class I, class P> constexpr bool is_partitioned(I a, I z, P p)
{
    while (a != z && p(*a)) ++a;
    for (; a != z; ++a)
        if (p(*a)) return false;
    return true;
}

/* --- searching --- */

template <class I, class P> constexpr I find_if(I a, I z, P p)
{
    while (a != z && !p(*a)) ++a;
    return a;
}
template <class I, class P> constexpr I find_if_not(I a, I z, P p)
{
    while (a != z && p(*a)) ++a;
    return a;
}
template <class I, class T> constexpr I find(I a, I z, const T &v)
{
    while (a != z && !(*a == v)) ++a;
    return a;
}
template <class I, class P = same> constexpr I adjacent_find(I a, I z, P p = P())
{
    for (I b = a; a != z && ++b != z; a = b)
        if (p(*a, *b)) return a;
    return z;
}
template <class I, class T> constexpr ptrdiff_t count(I a, I z, const T &v)
{
    ptrdiff_t n = 0;
    for (; a != z; ++a) n += *a == v;
    return n;
}
template <class I, class P> constexpr ptrdiff_t count_if(I a, I z, P p)
{
    ptrdiff_t n = 0;
    for (; a != z; ++a) n += (bool)p(*a);
    return n;
}
template <class I, class P> constexpr bool all_of(I a, I z, P p) { return __cu_seq::find_if_not(a, z, p) == z; }
template <class I, class P> constexpr bool any_of(I a, I z, P p) { return !(__cu_seq::find_if(a, z, p) == z); }
template <class I, class P> constexpr bool none_of(I a, I z, P p) { return __cu_seq::find_if(a, z, p) == z; }
template <class I, class J, class P = same> constexpr bool equal(I a, I z, J b, P p = P())
{
    for (; a != z; ++a, ++b)
        if (!p(*a, *b)) return false;
    return true;
}
template <class I, class J, class P = same> constexpr auto mismatch(I a, I z, J b, P p = P())
{
    while (a != z && p(*a, *b)) ++a, ++b;
    return __cu_two(a, b);
}
template <class I, class F = less> constexpr I max_element(I a, I z, F f = F())
{
    I best = a;
    for (; a != z; ++a)
        if (f(*best, *a)) best = a;
    return best;
}
template <class I, class F = less> constexpr I min_element(I a, I z, F f = F())
{
    I best = a;
    for (; a != z; ++a)
        if (f(*a, *best)) best = a;
    return best;
}
template <class I, class F = less> constexpr auto minmax_element(I a, I z, F f = F())
{
    return __cu_two(__cu_seq::min_element(a, z, f), __cu_seq::max_element(a, z, f));
}
template <class I, class T, class F = less> constexpr I lower_bound(I a, I z, const T &v, F f = F())
{
    return __cu_seq::partition_point(a, z, [&](const auto &x) { return f(x, v); });
}
template <class I, class T, class F = less> constexpr I upper_bound(I a, I z, const T &v, F f = F())
{
    return __cu_seq::partition_point(a, z, [&](const auto &x) { return !f(v, x); });
}
template <class I, class T, class F = less> constexpr bool binary_search(I a, I z, const T &v, F f = F())
{
    I at = __cu_seq::lower_bound(a, z, v, f);
    return at != z && !f(v, *at);
}
template <class I, class T, class F = less> constexpr auto equal_range(I a, I z, const T &v, F f = F())
{
    return __cu_two(__cu_seq::lower_bound(a, z, v, f), __cu_seq::upper_bound(a, z, v, f));
}
template <class I, class J, class F = less> constexpr bool lexicographical_compare(I a, I z, J b, J y, F f = F())
{
    for (; b != y; ++a, ++b) {
        if (a == z || f(*a, *b)) return true;
        if (f(*b, *a)) return false;
    }
    return false;
}
template <class I, class F = less> constexpr I is_sorted_until(I a, I z, F f = F())
{
    for (I b = a; a != z && ++b != z; a = b)
        if (f(*b, *a)) return b;
    return z;
}
template <class I, class F = less> constexpr bool is_sorted(I a, I z, F f = F())
{
    return __cu_seq::is_sorted_until(a, z, f) == z;
}

} // namespace __cu_seq
