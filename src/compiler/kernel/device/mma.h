/* CUDA's <mma.h> on the CPU: products of small matrices that a warp holds together (namespace nvcuda::wmma).
 *
 * Element e of a lane's fragment is number 32 e + lane of the matrix, row by row; a fragment has as many elements as
 * on a GPU, where those of __half hold each one twice. In mma_sync the lanes tell each other where their fragments are,
 * and the first of them computes all: products of __half, bfloat16 and tf32 are summed in double and rounded once. */
#pragma once
#include "cuprite_device.h"
#include "cuda_fp16.h"
#include "cuda_bf16.h"

namespace nvcuda {
namespace wmma {
struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

/* To the nearest of 11 bits, ties away from zero. */
static inline float __float_to_tf32(float x)
{
    return __builtin_isfinite(x) ? __uint_as_float((__float_as_uint(x) + 0x1000) & ~0x1fffu) : x;
}

/* How elements are stored: `packed` of them in a word. */
template <class T> struct __cu_element { typedef T stored; enum { packed = 1 }; };
template <> struct __cu_element<precision::tf32> { typedef float stored; enum { packed = 1 }; };
template <> struct __cu_element<experimental::precision::u4> { typedef unsigned stored; enum { packed = 8 }; };
template <> struct __cu_element<experimental::precision::s4> { typedef int stored; enum { packed = 8 }; };
template <> struct __cu_element<experimental::precision::b1> { typedef unsigned stored; enum { packed = 32 }; };

template <class T, class U> struct __cu_same { static constexpr bool value = false; };
template <class T> struct __cu_same<T, T> { static constexpr bool value = true; };
template <class T> constexpr bool __cu_shape(int m, int n, int k, bool sums)
{
    const bool large = k == 16 && ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
    const bool tf32 = m == 16 && n == 16 && k == 8, small = m == 8 && n == 8;
    if (__cu_same<T, float>::value) return sums && (large || tf32);
    if (__cu_same<T, int>::value) return sums && (large || (small && (k == 32 || k == 128)));
    if (__cu_same<T, double>::value) return small && k == 4;
    if (__cu_same<T, __half>::value) return large;
    if (__cu_same<T, precision::tf32>::value) return tf32 && !sums;
    if (__cu_same<T, experimental::precision::b1>::value) return small && k == 128 && !sums;
    return (__cu_element<T>::packed == 8 ? small && k == 32 : large) && !sums;
}

template <class Use, int m, int n, int k, class T, class Layout = void> struct fragment {
    static constexpr bool a = __cu_same<Use, matrix_a>::value, sums = __cu_same<Use, accumulator>::value;
    static_assert(__cu_shape<T>(m, n, k, sums), "matrices of this shape and type have no fragments");
    static constexpr int __packed = __cu_element<T>::packed, __rows = sums || a ? m : k, __columns = a ? k : n;
    static constexpr int __words = __rows * __columns / __packed / 32;
    enum { num_storage_elements = __cu_same<T, __half>::value && !sums ? 16 : __words };
    enum { num_elements = num_storage_elements * __packed };
    typedef T element_type;
    typedef typename __cu_element<T>::stored storage_element_type;
    storage_element_type __attribute__((aligned(8))) x[num_storage_elements];
};

template <class Use, int m, int n, int k, class T, class Layout>
static inline void fill_fragment(fragment<Use, m, n, k, T, Layout> &f, const typename __cu_element<T>::stored &value)
{
    auto word = value;
    if constexpr (__cu_element<T>::packed == 8) word = (decltype(word))(((unsigned)value & 15) * 0x11111111u);
    if constexpr (__cu_element<T>::packed == 32) word = (unsigned)value & 1 ? ~0u : 0;
    for (auto &x : f.x) x = word;
}

/* Where word e of a lane is in memory, in words: those of packed elements lie along k. */
template <class F> static inline size_t __cu_place(int e, unsigned lane, unsigned ldm, bool by_rows)
{
    const unsigned at = (unsigned)(e % F::__words) * 32 + lane;
    if constexpr (F::__packed > 1) {
        const unsigned words = (F::a ? F::__columns : F::__rows) / F::__packed;
        return at / words * (size_t)(ldm / F::__packed) + at % words;
    }
    const size_t row = at / F::__columns, column = at % F::__columns;
    return by_rows ? row * ldm + column : row + column * ldm;
}
static inline void __cu_warp_meets(const __cu_ctx __ctx, int line)
{
    (void)__cu_wait(__ctx.worker->host->exchange(__ctx.worker, line, 0xffffffffu, 0));
}
template <class F, class P> static inline void __cu_load(const __cu_ctx __ctx, int line, F &f, const P *p, unsigned ldm,
                                                         bool by_rows)
{
    typedef typename F::storage_element_type word;
    __cu_warp_meets(__ctx, line);
    const unsigned lane = __cu_lane(__ctx);
    for (int e = 0; e < F::num_storage_elements; e++) f.x[e] = ((const word *)p)[__cu_place<F>(e, lane, ldm, by_rows)];
}
template <class Use, int m, int n, int k, class T, class Layout, class P>
static inline void __cu_load_matrix(const __cu_ctx c, int line, fragment<Use, m, n, k, T, Layout> &f, const P *p,
                                    unsigned ldm)
{
    __cu_load(c, line, f, p, ldm, __cu_same<Layout, row_major>::value);
}
template <int m, int n, int k, class T>
static inline void __cu_load_matrix(const __cu_ctx c, int line, fragment<accumulator, m, n, k, T> &f, const T *p,
                                    unsigned ldm, layout_t layout)
{
    __cu_load(c, line, f, p, ldm, layout == mem_row_major);
}
template <int m, int n, int k, class T>
static inline void __cu_store_matrix(const __cu_ctx __ctx, int line, T *p, const fragment<accumulator, m, n, k, T> &f,
                                     unsigned ldm, layout_t layout)
{
    typedef fragment<accumulator, m, n, k, T> F;
    __cu_warp_meets(__ctx, line);
    const unsigned lane = __cu_lane(__ctx);
    for (int e = 0; e < F::__words; e++) p[__cu_place<F>(e, lane, ldm, layout == mem_row_major)] = f.x[e];
    __cu_warp_meets(__ctx, line);
}

/* Elements as they are multiplied: of tf32 the upper 19 bits. */
static inline float __cu_factor(float x, precision::tf32) { return __uint_as_float(__float_as_uint(x) & ~0x1fffu); }
template <class T> static inline auto __cu_factor(T x, T)
{
    if constexpr (__is_class(T)) return (float)x;
    else if constexpr (sizeof(T) == 1) return (int)x;
    else return x;
}
template <class T> struct __cu_sum_of { typedef double type; };
template <> struct __cu_sum_of<int> { typedef long long type; };

/* All that the product is made of; of each lane. */
struct __cu_operands { void *d; const void *a, *b, *c; };

/* One sum of products: exact for integers; fused steps of double; else in double, whose products are exact. */
template <class A, class B, int k, class S> static inline S __cu_row_times_column(const A *a, const B *b, S sum)
{
    for (int i = 0; i < k; i++) {
        if constexpr (__cu_same<A, double>::value) sum = fma(a[i], b[i], sum);
        else sum += (S)a[i] * (S)b[i];
    }
    return sum;
}
template <class D> static inline D __cu_total(double sum, bool) { return D(sum); }
template <class D> static inline D __cu_total(long long sum, bool saturated)
{
    if (saturated) return (D)(sum > 2147483647 ? 2147483647 : sum < -2147483647 - 1 ? -2147483647 - 1 : sum);
    return (D)(unsigned)sum;
}
/* Packed elements, word by word. */
template <class T> static inline int __cu_packed_product(unsigned a, unsigned b)
{
    int sum = 0;
    for (int i = 0; i < 32; i += 4) {
        if constexpr (__cu_same<T, experimental::precision::s4>::value)
            sum += ((int)(a << (28 - i)) >> 28) * ((int)(b << (28 - i)) >> 28);
        else sum += (int)(a >> i & 15) * (int)(b >> i & 15);
    }
    return sum;
}
template <class FA, class FB, class FD, class FC, class Op>
static inline void __cu_words(const unsigned long long *lanes, bool saturated, Op op)
{
    auto of = [&](int lane) { return (const __cu_operands *)lanes[lane]; };
    constexpr int words = FA::__columns / FA::__packed;
    for (int at = 0; at < FD::__words * 32; at++) {
        const int i = at / FD::__columns, j = at % FD::__columns, e = at / 32, lane = at % 32;
        long long sum = ((const FC *)of(lane)->c)->x[e];
        for (int w = 0; w < words; w++)
            sum += op((unsigned)((const FA *)of(i * words + w)->a)->x[0],
                      (unsigned)((const FB *)of(j * words + w)->b)->x[0]);
        ((FD *)of(lane)->d)->x[e] = __cu_total<int>(sum, saturated);
    }
}
template <class FA, class FB, class FD, class FC> static inline void __cu_product(const unsigned long long *lanes,
                                                                                  bool saturated)
{
    typedef typename FA::element_type TA;
    typedef typename FB::element_type TB;
    typedef typename FD::element_type TD;
    auto of = [&](int lane) { return (const __cu_operands *)lanes[lane]; };
    constexpr int m = FA::__rows, k = FA::__columns, n = FB::__columns;
    decltype(__cu_factor(FA().x[0], TA())) a[m][k];
    decltype(__cu_factor(FB().x[0], TB())) b[n][k];
    for (int at = 0; at < m * k; at++)
        a[at / k][at % k] = __cu_factor(((const FA *)of(at % 32)->a)->x[at / 32], TA());
    for (int at = 0; at < k * n; at++)
        b[at % n][at / n] = __cu_factor(((const FB *)of(at % 32)->b)->x[at / 32], TB());
    typedef typename __cu_sum_of<TD>::type S;
    for (int at = 0; at < m * n; at++) {
        const S c = (S)__cu_factor(((const FC *)of(at % 32)->c)->x[at / 32], typename FC::element_type());
        const S sum =
            __cu_row_times_column<decltype(a[0][0] + 0), decltype(b[0][0] + 0), k, S>(a[at / n], b[at % n], c);
        ((FD *)of(at % 32)->d)->x[at / 32] = __cu_total<TD>(sum, saturated);
    }
}
/* The first lane computes; nobody goes on before. */
template <class Compute>
static inline void __cu_together(const __cu_ctx __ctx, int line, __cu_operands mine, Compute compute)
{
    const unsigned long long *lanes =
        __cu_wait(__ctx.worker->host->exchange(__ctx.worker, line, 0xffffffffu, (unsigned long long)&mine));
    for (int i = 0; i < 32; i++)
        if (!lanes[i])
            __ctx.worker->host->fail(__ctx.worker, line,
                                     "a product of matrices (wmma) in a warp of less than 32 threads");
    if (__cu_lane(__ctx) == 0) compute(lanes);
    __cu_warp_meets(__ctx, line);
}
template <int m, int n, int k, class TD, class TA, class TB, class TC, class LA, class LB>
static inline void __cu_mma(const __cu_ctx __ctx, int line, fragment<accumulator, m, n, k, TD> &d,
                            const fragment<matrix_a, m, n, k, TA, LA> &a, const fragment<matrix_b, m, n, k, TB, LB> &b,
                            const fragment<accumulator, m, n, k, TC> &c, bool saturated = false)
{
    static_assert(__cu_same<TA, TB>::value, "the factors are of two types");
    typedef fragment<matrix_a, m, n, k, TA, LA> FA;
    typedef fragment<matrix_b, m, n, k, TB, LB> FB;
    typedef fragment<accumulator, m, n, k, TD> FD;
    typedef fragment<accumulator, m, n, k, TC> FC;
    __cu_together(__ctx, line, {&d, &a, &b, &c}, [=](const unsigned long long *lanes) {
        if constexpr (FA::__packed == 1) __cu_product<FA, FB, FD, FC>(lanes, saturated);
        else __cu_words<FA, FB, FD, FC>(lanes, saturated, __cu_packed_product<TA>);
    });
}
template <class FD, class FA, class FB, class FC>
static inline void __cu_bmma(const __cu_ctx __ctx, int line, FD &d, const FA &a, const FB &b, const FC &c,
                             experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
                             experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
    __cu_together(__ctx, line, {&d, &a, &b, &c}, [=](const unsigned long long *lanes) {
        __cu_words<FA, FB, FD, FC>(lanes, false, [=](unsigned x, unsigned y) {
            return __builtin_popcount(op == experimental::bmmaBitOpAND ? x & y : x ^ y);
        });
    });
}
/* For using-declarations; calls are macros, which know the thread. */
template <class... T> void load_matrix_sync(T &&...);
template <class... T> void store_matrix_sync(T &&...);
template <class... T> void mma_sync(T &&...);
template <class... T> void bmma_sync(T &&...);
namespace experimental {
using wmma::__cu_bmma;
using wmma::bmma_sync;
} // namespace experimental
} // namespace wmma
} // namespace nvcuda
#define load_matrix_sync(...) __cu_load_matrix(__ctx, __LINE__, __VA_ARGS__)
#define store_matrix_sync(...) __cu_store_matrix(__ctx, __LINE__, __VA_ARGS__)
#define mma_sync(...) __cu_mma(__ctx, __LINE__, __VA_ARGS__)
#define bmma_sync(...) __cu_bmma(__ctx, __LINE__, __VA_ARGS__)
