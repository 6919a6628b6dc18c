/* thrust's function objects, pairs, tuples, execution policies and pointers. */
#pragma once
#include <cuda/std/functional>
#include <tuple>

#define THRUST_VERSION 300000
#define THRUST_MAJOR_VERSION 3
#define THRUST_MINOR_VERSION 0

namespace thrust {

using ::std::get;
using ::std::make_pair;
using ::std::make_tuple;
using ::std::pair;
using ::std::swap;
using ::std::tie;
using ::std::tuple;
using ::std::tuple_element;
using ::std::tuple_size;
struct null_type {};

using ::cuda::maximum;
using ::cuda::minimum;
using ::cuda::std::identity;
using ::cuda::std::not_fn;
using ::std::bit_and;
using ::std::bit_or;
using ::std::bit_xor;
using ::std::divides;
using ::std::equal_to;
using ::std::greater;
using ::std::greater_equal;
using ::std::less;
using ::std::less_equal;
using ::std::logical_and;
using ::std::logical_not;
using ::std::logical_or;
using ::std::minus;
using ::std::modulus;
using ::std::multiplies;
using ::std::negate;
using ::std::not_equal_to;
using ::std::plus;
template <class T = void> struct square { constexpr T operator()(const T &v) const { return v * v; } };
template <> struct square<void> {
    template <class T> constexpr T operator()(const T &v) const { return v * v; }
};
template <class = void, class = void> struct project1st {
    template <class A, class B> constexpr A operator()(const A &a, const B &) const { return a; }
};
template <class = void, class = void> struct project2nd {
    template <class A, class B> constexpr B operator()(const A &, const B &b) const { return b; }
};

/* In kernels all of them mean: by the thread that calls. */
struct execution_policy_base {};
template <class P> struct execution_policy : execution_policy_base {};
struct __cu_policy : execution_policy<__cu_policy> {
    template <class A> constexpr const __cu_policy &operator()(const A &) const { return *this; }
    template <class A> constexpr const __cu_policy &on(const A &) const { return *this; }
};
static constexpr __cu_policy seq{}, device{}, host{};
namespace cuda {
static constexpr __cu_policy par{}, par_nosync{};
}

template <class T> struct device_ptr {
    typedef T value_type;
    typedef T element_type;
    typedef ptrdiff_t difference_type;
    typedef T *pointer;
    typedef T &reference;
    T *p;
    constexpr device_ptr(T *p = nullptr) : p(p) {}
    constexpr T *get() const { return p; }
    constexpr T &operator*() const { return *p; }
    constexpr T *operator->() const { return p; }
    constexpr T &operator[](ptrdiff_t i) const { return p[i]; }
    constexpr device_ptr &operator++() { return ++p, *this; }
    constexpr device_ptr &operator--() { return --p, *this; }
    constexpr device_ptr operator++(int) { return device_ptr(p++); }
    constexpr device_ptr operator--(int) { return device_ptr(p--); }
    constexpr device_ptr &operator+=(ptrdiff_t n) { return p += n, *this; }
    constexpr device_ptr &operator-=(ptrdiff_t n) { return p -= n, *this; }
    constexpr device_ptr operator+(ptrdiff_t n) const { return device_ptr(p + n); }
    constexpr device_ptr operator-(ptrdiff_t n) const { return device_ptr(p - n); }
    constexpr ptrdiff_t operator-(const device_ptr &b) const { return p - b.p; }
    constexpr bool operator==(const device_ptr &b) const { return p == b.p; }
    constexpr bool operator!=(const device_ptr &b) const { return p != b.p; }
    constexpr bool operator<(const device_ptr &b) const { return p < b.p; }
};
template <class T> constexpr device_ptr<T> device_pointer_cast(T *p) { return device_ptr<T>(p); }
template <class T> constexpr T *raw_pointer_cast(T *p) { return p; }
template <class T> constexpr T *raw_pointer_cast(device_ptr<T> p) { return p.p; }
template <class T> constexpr T &raw_reference_cast(T &v) { return v; }
template <class T> constexpr T *addressof(T &v) { return __builtin_addressof(v); }
template <class I, class N> constexpr void advance(I &i, N n) { i += n; }
template <class I> constexpr I next(I i, ptrdiff_t n = 1) { return i + n; }
template <class I> constexpr I prev(I i, ptrdiff_t n = 1) { return i - n; }
template <class I> constexpr auto distance(I a, I z) { return z - a; }

template <class T> constexpr T min(const T &a, const T &b) { return b < a ? b : a; }
template <class T> constexpr T max(const T &a, const T &b) { return a < b ? b : a; }
template <class T, class F> constexpr T min(const T &a, const T &b, F f)
{
    return f(b, a) ? b : a;
}
template <class T, class F> constexpr T max(const T &a, const T &b, F f)
{
    return f(a, b) ? b : a;
}

} // namespace thrust
