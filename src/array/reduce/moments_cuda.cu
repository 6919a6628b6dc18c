/* Variance and standard deviation on the GPU, in one pass.
 *
 * A thread subtracts its own first element from all its elements and sums differences and their squares. As that
 * element is one of them, cancellation costs at most as many bits as the thread's count has, and the count is kept
 * below LIMIT. Partial results are joined by Chan's rule around one element of the whole, so that a large common mean
 * costs no precision. Differences, squares and sums are doubles.
 *
 * Elements of at most 32 bits have a faster path (Near). Those loaded together are reduced to a mean and squares
 * about it in float32, and only these are joined in double, around the first element of the result. As that is one of
 * its n elements, cancellation costs at most a factor n of 2^-53, far below float32's precision. */
#include "reduce/reducer.cuh"
#include "reduce/reducers_cuda.h"

namespace reducer {

enum { LIMIT = 1024 };

__device__ __forceinline__ moments join_moments(moments a, moments b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    double n = a.n + b.n, d = b.mean - a.mean, e = b.im - a.im, part = b.n / n;
    return moments{n, a.mean + d * part, a.im + e * part, a.m2 + b.m2 + (d * d + e * e) * (a.n * part)};
}

/* The shift of a whole result: its first element, where that is finite and takes part. */
__device__ __forceinline__ double usable(double k, const plan &p)
{
    return p.a.where || p.a.reduced == 0 || !isfinite(k) ? 0.0 : k;
}

/* Elements as numbers. Signed and unsigned integers of up to 32 bits share kernels: with the sign bit flipped, a signed
 * one is as unsigned what it is above the least. */
template <class T> struct as_number {
    __device__ __forceinline__ explicit as_number(cp_type) {}
    __device__ __forceinline__ double operator()(T x) const { return number(x); }
};
template <class U> struct as_whole_number {
    uint32_t sign;
    __device__ __forceinline__ explicit as_whole_number(cp_type type) : sign((uint32_t)cpi_order_flip(type, false)) {}
    __device__ __forceinline__ double operator()(U x) const { return (double)(x ^ sign) - (double)sign; }
};
template <> struct as_number<uint8_t> : as_whole_number<uint8_t> { using as_whole_number::as_whole_number; };
template <> struct as_number<uint16_t> : as_whole_number<uint16_t> { using as_whole_number::as_whole_number; };
template <> struct as_number<uint32_t> : as_whole_number<uint32_t> { using as_whole_number::as_whole_number; };

template <class T> struct Real {
    typedef T Raw;
    typedef moments Acc;
    struct State {
        as_number<T> of;
        double shift, k, s, q;
        int n;
        moments done;
        __device__ __forceinline__ State() : of(CP_DEFAULT) {}
    };
    static __device__ void start(State &s, const plan &p, const Raw *first)
    {
        s.of = as_number<T>(p.a.type);
        s.shift = p.a.where || p.a.reduced == 0 ? 0.0 : usable(s.of(*first), p);
        s.k = s.s = s.q = 0, s.n = 0;
        s.done = moments{0, 0, 0, 0};
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t)
    {
        double v = s.of(x);
        if (s.n == 0) s.k = v;
        double d = v - s.k;
        s.s += d;
        s.q = fma(d, d, s.q);
        s.n++;
    }
    enum { MASKS = true };
    static __device__ void skip(State &, const plan &) {}
    static __device__ moments open(const State &s)
    {
        if (s.n == 0) return moments{0, 0, 0, 0};
        double n = s.n, m2 = s.q - s.s * s.s / n;
        return moments{n, (s.k - s.shift) + s.s / n, 0, m2 < 0 ? 0.0 : m2};
    }
    static __device__ void turn(State &s)
    {
        if (s.n < LIMIT) return;
        s.done = join_moments(s.done, open(s));
        s.s = s.q = 0, s.n = 0;
    }
    static __device__ Acc result(const State &s) { return join_moments(s.done, open(s)); }
    static __device__ Acc join(Acc a, Acc b) { return join_moments(a, b); }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        cpi_store_number(p.a.result, out, cpi_finalize_moments(p.a.op, a.m2, a.n, p.a.ddof), 0);
    }
};

/* Without a mask: the number of elements is known. */
template <class T> struct Near {
    typedef T Raw;
    typedef pair Acc; /* sum of differences to the first element, and of their squares */
    struct State { double first, s, q; };
    static __device__ void start(State &s, const plan &p, const Raw *first)
    {
        s.first = p.a.reduced ? usable(number(*first), p) : 0.0;
        s.s = s.q = 0;
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t)
    {
        double d = number(x) - s.first;
        s.s += d;
        s.q = fma(d, d, s.q);
    }
    enum { MASKS = false };
    static __device__ void skip(State &, const plan &) {}
    static __device__ void turn(State &) {}
    static __device__ Acc result(const State &s) { return pair{s.s, s.q}; }
    static __device__ Acc join(Acc a, Acc b) { return pair{a.re + b.re, a.im + b.im}; }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        double n = (double)p.a.reduced, m2 = p.a.reduced ? a.im - a.re * a.re / n : 0.0;
        cpi_store_number(p.a.result, out, cpi_finalize_moments(p.a.op, m2 < 0 ? 0.0 : m2, n, p.a.ddof), 0);
    }
};

template <class T> struct batch<Near<T>> {
    template <int U, int V>
    static __device__ __forceinline__ void add(typename Near<T>::State &s, const vector<T, V> (&v)[U], int64_t, int64_t)
    {
        constexpr int N = U * V;
        float d[N], k = cpi_widen(v[0].x[0]), sums[4] = {0, 0, 0, 0}, squares[4] = {0, 0, 0, 0};
#pragma unroll
        for (int i = 0; i < N; i++) d[i] = cpi_widen(v[i / V].x[i % V]) - k, sums[i % 4] += d[i];
        float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]), mean = sum * (1.0f / N);
#pragma unroll
        for (int i = 0; i < N; i++) {
            float e = d[i] - mean;
            squares[i % 4] = fmaf(e, e, squares[i % 4]);
        }
        float m2 = (squares[0] + squares[1]) + (squares[2] + squares[3]);
        if (N >= 4 && m2 > 1e-28f && m2 < 1e38f) {
            double g = fma((double)N, (double)k - s.first, (double)sum);
            s.s += g;
            s.q += fma(g * (1.0 / N), g, (double)m2);
        } else { /* too few, or squares outside float32's range, or not a number */
#pragma unroll
            for (int i = 0; i < N; i++) Near<T>::add(s, v[i / V].x[i % V], 0);
        }
    }
};

template <class T> struct Plane {
    typedef T Raw;
    typedef moments Acc;
    struct State { pair shift, k, s; double q; int n; moments done; };
    static __device__ void start(State &s, const plan &p, const Raw *first)
    {
        s.shift = pair{0, 0};
        if (!p.a.where && p.a.reduced) s.shift = pair{usable(real(*first), p), usable(imag(*first), p)};
        if (p.a.about_real) s.shift.im = 0;
        s.k = s.s = pair{0, 0}, s.q = 0, s.n = 0;
        s.done = moments{0, 0, 0, 0};
    }
    static __device__ __forceinline__ void add(State &s, Raw x, int64_t)
    {
        if (s.n == 0) s.k = pair{real(x), imag(x)};
        double d = real(x) - s.k.re, e = imag(x) - s.k.im;
        s.s.re += d, s.s.im += e;
        s.q = fma(d, d, fma(e, e, s.q));
        s.n++;
    }
    enum { MASKS = true };
    static __device__ void skip(State &, const plan &) {}
    static __device__ moments open(const State &s)
    {
        if (s.n == 0) return moments{0, 0, 0, 0};
        double n = s.n, m2 = s.q - (s.s.re * s.s.re + s.s.im * s.s.im) / n;
        return moments{n, (s.k.re - s.shift.re) + s.s.re / n, (s.k.im - s.shift.im) + s.s.im / n, m2 < 0 ? 0.0 : m2};
    }
    static __device__ void turn(State &s)
    {
        if (s.n < LIMIT) return;
        s.done = join_moments(s.done, open(s));
        s.s = pair{0, 0}, s.q = 0, s.n = 0;
    }
    static __device__ Acc result(const State &s) { return join_moments(s.done, open(s)); }
    static __device__ Acc join(Acc a, Acc b) { return join_moments(a, b); }
    static __device__ void finalize(const plan &p, Acc a, char *out)
    {
        cpi_store_number(p.a.result, out, cpi_finalize_moments(p.a.op, cpi_deviations(&p.a, a), a.n, p.a.ddof), 0);
    }
};

} // namespace reducer

cp_code cpi_reducer_moments(cp_stream *s, const cpi_reduce_args *a)
{
    using namespace reducer;
    return cpi_with_type(a->type, [&](auto e) {
        typedef decltype(e) E;
        typedef stored<E> R;
        if constexpr (E::kind == 'c') return launch<Plane<R>>(s, a);
        else if constexpr (std::is_same<cpi_wide<R>, float>::value)
            return a->where ? launch_masked<Real<R>>(s, a) : launch<Near<R>>(s, a);
        else if constexpr (E::kind != 'f' && sizeof(R) <= 4) return launch<Real<typename E::Bits>>(s, a);
        else return launch<Real<R>>(s, a);
    });
}
