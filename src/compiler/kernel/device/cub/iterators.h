/* Iterators of <cub/iterator/...>, those that CUB no longer has included. */
#pragma once
#include <cub/operators.h>
#include <thrust/iterators.h>

namespace cub {

template <class T, class = ptrdiff_t> using CountingInputIterator = thrust::counting_iterator<T>;
template <class T, class = ptrdiff_t> using ConstantInputIterator = thrust::constant_iterator<T>;
template <class T, class F, class I, class = ptrdiff_t>
struct TransformInputIterator : thrust::transform_iterator<F, I> {
    constexpr TransformInputIterator(I i, F f) : thrust::transform_iterator<F, I>(i, f) {}
};
template <CacheLoadModifier how, class T, class = ptrdiff_t> struct CacheModifiedInputIterator
    : thrust::__cu_walk<CacheModifiedInputIterator<how, T>> {
    typedef T value_type;
    const T *p;
    CacheModifiedInputIterator(const T *p) : p(p) {}
    void move(ptrdiff_t n) { p += n; }
    ptrdiff_t from(const CacheModifiedInputIterator &b) const { return p - b.p; }
    T at() const { return *p; }
};
template <CacheStoreModifier how, class T, class = ptrdiff_t> struct CacheModifiedOutputIterator
    : thrust::__cu_walk<CacheModifiedOutputIterator<how, T>> {
    typedef T value_type;
    T *p;
    CacheModifiedOutputIterator(T *p) : p(p) {}
    void move(ptrdiff_t n) { p += n; }
    ptrdiff_t from(const CacheModifiedOutputIterator &b) const { return p - b.p; }
    T &at() const { return *p; }
};
/* Pairs of a number's place and the number. */
template <class I, class O = ptrdiff_t, class T = typename __cu_value_of<I>::type> struct ArgIndexInputIterator
    : thrust::__cu_walk<ArgIndexInputIterator<I, O, T>> {
    typedef KeyValuePair<O, T> value_type;
    I i;
    O k;
    ArgIndexInputIterator(I i, O k = 0) : i(i), k(k) {}
    void move(ptrdiff_t n) { k += (O)n; }
    ptrdiff_t from(const ArgIndexInputIterator &b) const { return (ptrdiff_t)(k - b.k); }
    value_type at() const { return {k, i[k]}; }
    void normalize() { i += k, k = 0; }
};

} // namespace cub
