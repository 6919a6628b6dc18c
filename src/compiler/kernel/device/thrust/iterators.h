/* thrust's iterators: numbers that are counted, constant, transformed, permuted or zipped while they are read. */
#pragma once
#include <thrust/words.h>

namespace thrust {

struct any_system_tag {};
typedef any_system_tag device_system_tag;
typedef any_system_tag host_system_tag;
template <class I, class = void> struct iterator_traits {
    typedef typename __cu_value_of<I>::type value_type;
    typedef ptrdiff_t difference_type;
    typedef decltype(*__cu_made<I &>()) reference;
    typedef value_type *pointer;
};
template <class I> using iterator_value_t = typename __cu_value_of<I>::type;
template <class I> using iterator_reference_t = decltype(*__cu_made<I &>());
template <class I> using iterator_difference_t = ptrdiff_t;
template <class I> struct iterator_value { typedef iterator_value_t<I> type; };
template <class I> struct iterator_reference { typedef iterator_reference_t<I> type; };
template <class I> struct iterator_difference { typedef ptrdiff_t type; };

/* What moves an iterator I, which has `void move(ptrdiff_t)`, `ptrdiff_t from(const I &)` and `at()`. */
template <class I> struct __cu_walk {
    typedef ptrdiff_t difference_type;
    constexpr I &self() { return static_cast<I &>(*this); }
    constexpr const I &self() const { return static_cast<const I &>(*this); }
    constexpr I &operator++() { return self().move(1), self(); }
    constexpr I &operator--() { return self().move(-1), self(); }
    constexpr I operator++(int) { I old = self(); return self().move(1), old; }
    constexpr I operator--(int) { I old = self(); return self().move(-1), old; }
    constexpr I &operator+=(ptrdiff_t n) { return self().move(n), self(); }
    constexpr I &operator-=(ptrdiff_t n) { return self().move(-n), self(); }
    constexpr I operator+(ptrdiff_t n) const { I r = self(); return r.move(n), r; }
    constexpr I operator-(ptrdiff_t n) const { I r = self(); return r.move(-n), r; }
    constexpr friend I operator+(ptrdiff_t n, const I &i) { return i + n; }
    constexpr ptrdiff_t operator-(const I &b) const { return self().from(b); }
    constexpr decltype(auto) operator*() const { return self().at(); }
    constexpr decltype(auto) operator[](ptrdiff_t n) const { return *(*this + n); }
    constexpr bool operator==(const I &b) const { return self().from(b) == 0; }
    constexpr bool operator!=(const I &b) const { return self().from(b) != 0; }
    constexpr bool operator<(const I &b) const { return self().from(b) < 0; }
    constexpr bool operator>(const I &b) const { return self().from(b) > 0; }
    constexpr bool operator<=(const I &b) const { return self().from(b) <= 0; }
    constexpr bool operator>=(const I &b) const { return self().from(b) >= 0; }
};

template <class T, class = void, class = void, class = void>
struct counting_iterator : __cu_walk<counting_iterator<T>> {
    typedef T value_type;
    typedef T reference;
    T v;
    constexpr explicit counting_iterator(T v = T()) : v(v) {}
    constexpr void move(ptrdiff_t n) { v = (T)(v + (T)n); }
    constexpr ptrdiff_t from(const counting_iterator &b) const { return (ptrdiff_t)v - (ptrdiff_t)b.v; }
    constexpr T at() const { return v; }
    constexpr T base() const { return v; }
};
template <class T> constexpr counting_iterator<T> make_counting_iterator(T v) { return counting_iterator<T>(v); }

template <class T, class = void, class = void> struct constant_iterator : __cu_walk<constant_iterator<T>> {
    typedef T value_type;
    typedef T reference;
    T v;
    ptrdiff_t i;
    constexpr constant_iterator(T v = T(), ptrdiff_t i = 0) : v(v), i(i) {}
    constexpr void move(ptrdiff_t n) { i += n; }
    constexpr ptrdiff_t from(const constant_iterator &b) const { return i - b.i; }
    constexpr T at() const { return v; }
    constexpr T value() const { return v; }
};
template <class T> constexpr constant_iterator<T> make_constant_iterator(T v, ptrdiff_t i = 0) { return {v, i}; }

template <class F, class I, class = void, class = void>
struct transform_iterator : __cu_walk<transform_iterator<F, I>> {
    typedef ::std::decay_t<decltype(__cu_made<F &>()(*__cu_made<I &>()))> value_type;
    I i;
    F f;
    constexpr transform_iterator() {}
    constexpr transform_iterator(I i, F f = F()) : i(i), f(f) {}
    /* A lambda cannot be assigned: the place alone is. */
    constexpr transform_iterator(const transform_iterator &b) : i(b.i), f(b.f) {}
    constexpr transform_iterator &operator=(const transform_iterator &b)
    {
        i = b.i;
        if constexpr (::std::is_copy_assignable<F>::value) f = b.f;
        return *this;
    }
    constexpr void move(ptrdiff_t n) { i += n; }
    constexpr ptrdiff_t from(const transform_iterator &b) const { return i - b.i; }
    constexpr decltype(auto) at() const { return const_cast<F &>(f)(*i); }
    constexpr I base() const { return i; }
    constexpr F functor() const { return f; }
};
template <class F, class I> constexpr transform_iterator<F, I> make_transform_iterator(I i, F f) { return {i, f}; }

/* What is assigned is transformed. */
template <class F, class I> struct transform_output_iterator : __cu_walk<transform_output_iterator<F, I>> {
    struct proxy {
        I i;
        F f;
        template <class T> constexpr proxy &operator=(const T &v) { return *i = f(v), *this; }
    };
    I i;
    F f;
    constexpr transform_output_iterator(I i, F f) : i(i), f(f) {}
    constexpr void move(ptrdiff_t n) { i += n; }
    constexpr ptrdiff_t from(const transform_output_iterator &b) const { return i - b.i; }
    constexpr proxy at() const { return {i, f}; }
};
template <class F, class I> constexpr transform_output_iterator<F, I> make_transform_output_iterator(I i, F f)
{
    return {i, f};
}
template <class F> struct tabulate_output_iterator : __cu_walk<tabulate_output_iterator<F>> {
    struct proxy {
        F f;
        ptrdiff_t i;
        template <class T> constexpr proxy &operator=(const T &v) { return f(i, v), *this; }
    };
    F f;
    ptrdiff_t i;
    constexpr tabulate_output_iterator(F f, ptrdiff_t i = 0) : f(f), i(i) {}
    constexpr void move(ptrdiff_t n) { i += n; }
    constexpr ptrdiff_t from(const tabulate_output_iterator &b) const { return i - b.i; }
    constexpr proxy at() const { return {f, i}; }
};
template <class F> constexpr tabulate_output_iterator<F> make_tabulate_output_iterator(F f, ptrdiff_t i = 0)
{
    return {f, i};
}

template <class E, class M> struct permutation_iterator : __cu_walk<permutation_iterator<E, M>> {
    typedef typename __cu_value_of<E>::type value_type;
    E elements;
    M map;
    constexpr permutation_iterator() {}
    constexpr permutation_iterator(E e, M m) : elements(e), map(m) {}
    constexpr void move(ptrdiff_t n) { map += n; }
    constexpr ptrdiff_t from(const permutation_iterator &b) const { return map - b.map; }
    constexpr decltype(auto) at() const { return elements[*map]; }
};
template <class E, class M> constexpr permutation_iterator<E, M> make_permutation_iterator(E e, M m) { return {e, m}; }

template <class I> struct reverse_iterator : __cu_walk<reverse_iterator<I>> {
    typedef typename __cu_value_of<I>::type value_type;
    I i;
    constexpr reverse_iterator() {}
    constexpr explicit reverse_iterator(I i) : i(i) {}
    constexpr void move(ptrdiff_t n) { i -= n; }
    constexpr ptrdiff_t from(const reverse_iterator &b) const { return b.i - i; }
    constexpr decltype(auto) at() const { return i[-1]; }
    constexpr I base() const { return i; }
};
template <class I> constexpr reverse_iterator<I> make_reverse_iterator(I i) { return reverse_iterator<I>(i); }

template <class = void> struct discard_iterator : __cu_walk<discard_iterator<>> {
    struct proxy { template <class T> constexpr const proxy &operator=(const T &) const { return *this; } };
    typedef proxy value_type;
    ptrdiff_t i;
    constexpr discard_iterator(ptrdiff_t i = 0) : i(i) {}
    constexpr void move(ptrdiff_t n) { i += n; }
    constexpr ptrdiff_t from(const discard_iterator &b) const { return i - b.i; }
    constexpr proxy at() const { return {}; }
};
constexpr discard_iterator<> make_discard_iterator(ptrdiff_t i = 0) { return discard_iterator<>(i); }

template <class T> struct zip_iterator {};
template <class... I> struct zip_iterator<tuple<I...>> : __cu_walk<zip_iterator<tuple<I...>>> {
    typedef tuple<typename __cu_value_of<I>::type...> value_type;
    typedef tuple<decltype(*__cu_made<I &>())...> reference;
    tuple<I...> of;
    constexpr zip_iterator() {}
    constexpr zip_iterator(tuple<I...> t) : of(t) {}
    constexpr void move(ptrdiff_t n)
    {
        ::std::apply([n](auto &...i) { ((i += n), ...); }, of);
    }
    constexpr ptrdiff_t from(const zip_iterator &b) const { return ::std::get<0>(of) - ::std::get<0>(b.of); }
    constexpr reference at() const
    {
        return ::std::apply([](const auto &...i) { return reference(*i...); }, of);
    }
    constexpr const tuple<I...> &get_iterator_tuple() const { return of; }
};
template <class... I> constexpr zip_iterator<tuple<I...>> make_zip_iterator(tuple<I...> t) { return {t}; }
template <class... I> constexpr zip_iterator<tuple<I...>> make_zip_iterator(I... i) { return {tuple<I...>(i...)}; }

/* A function of several arguments, called with a tuple of them. */
template <class F> struct zip_function {
    F f;
    constexpr zip_function(F f) : f(f) {}
    template <class T> constexpr decltype(auto) operator()(T &&t) const
    {
        return ::std::apply(const_cast<F &>(f), (T &&)t);
    }
};
template <class F> constexpr zip_function<F> make_zip_function(F f) { return {f}; }

} // namespace thrust
