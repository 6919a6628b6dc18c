/* thrust's linear congruential engines and its distributions, with its sequence and its numbers. */
#pragma once
#include <limits>
#include <thrust/words.h>

namespace thrust {
namespace random {

template <class U, U a, U c, U m> class linear_congruential_engine {
    U x;
    /* The result of n steps: what one step multiplies by, and adds. */
    void step(unsigned long long n)
    {
        unsigned long long by = a, more = c, factor = 1, sum = 0;
        for (; n; n >>= 1) {
            if (n & 1) factor = times(factor, by), sum = (times(sum, by) + more) % modulus();
            more = (times(more, by) + more) % modulus();
            by = times(by, by);
        }
        x = (U)((times(factor, x) + sum) % modulus());
    }
    static constexpr unsigned __int128 modulus()
    {
        return m ? (unsigned __int128)m : (unsigned __int128)1 << 8 * sizeof(U);
    }
    static constexpr unsigned long long times(unsigned long long p, unsigned long long q)
    {
        return (unsigned long long)((unsigned __int128)p * q % modulus());
    }

public:
    typedef U result_type;
    static constexpr U multiplier = a, increment = c, modulus_ = m, min = c == 0 ? 1 : 0, max = m - 1, default_seed = 1;
    explicit linear_congruential_engine(U s = default_seed) { seed(s); }
    void seed(U s = default_seed)
    {
        const U v = m ? s % m : s;
        x = c == 0 && v == 0 ? 1 : v;
    }
    U operator()()
    {
        if constexpr (m && sizeof(U) == 4) x = (U)(((unsigned long long)a * x + c) % m);
        else step(1);
        return x;
    }
    void discard(unsigned long long n) { step(n); }
    bool operator==(const linear_congruential_engine &b) const { return x == b.x; }
    bool operator!=(const linear_congruential_engine &b) const { return x != b.x; }
};
typedef linear_congruential_engine<unsigned, 16807, 0, 2147483647> minstd_rand0;
typedef linear_congruential_engine<unsigned, 48271, 0, 2147483647> minstd_rand;
typedef minstd_rand default_random_engine;

template <class T> struct __cu_parameters {
    typedef T result_type;
    typedef pair<T, T> param_type;
    param_type of;
    __cu_parameters(T a, T b) : of(a, b) {}
    __cu_parameters(const param_type &p) : of(p) {}
    param_type param() const { return of; }
    void param(const param_type &p) { of = p; }
    void reset() {}
};
template <class T = double> struct uniform_real_distribution : __cu_parameters<T> {
    explicit uniform_real_distribution(T a = 0, T b = 1) : __cu_parameters<T>(a, b) {}
    T a() const { return this->of.first; }
    T b() const { return this->of.second; }
    template <class E> T operator()(E &engine) { return (*this)(engine, this->of); }
    template <class E> T operator()(E &engine, const pair<T, T> &p)
    {
        T r = (T)(engine() - E::min);
        r /= T(1) + (T)(E::max - E::min);
        return r * (p.second - p.first) + p.first;
    }
};
template <class T = int> struct uniform_int_distribution : __cu_parameters<T> {
    explicit uniform_int_distribution(T a = 0, T b = ::std::numeric_limits<T>::max()) : __cu_parameters<T>(a, b) {}
    T a() const { return this->of.first; }
    T b() const { return this->of.second; }
    template <class E> T operator()(E &engine) { return (*this)(engine, this->of); }
    template <class E> T operator()(E &engine, const pair<T, T> &p)
    {
        uniform_real_distribution<double> real((double)p.first, (double)p.second + 1.0);
        return (T)real(engine);
    }
};
template <class T = double> struct normal_distribution : __cu_parameters<T> {
    explicit normal_distribution(T mean = 0, T stddev = 1) : __cu_parameters<T>(mean, stddev) {}
    T mean() const { return this->of.first; }
    T stddev() const { return this->of.second; }
    template <class E> T operator()(E &engine) { return (*this)(engine, this->of); }
    template <class E> T operator()(E &engine, const pair<T, T> &p)
    {
        constexpr auto range = E::max - E::min;
        constexpr T scale = (T)(1. / (double)range), half = scale / 2;
        T root = (T)-1.4142135623730950488016887242097;
        auto u = engine() - E::min;
        if (u > range / 2) u = range - u, root = -root;
        return p.first + p.second * root * erfcinv(2 * (u * scale + half));
    }
};

} // namespace random
using namespace random;
} // namespace thrust
