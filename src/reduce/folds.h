/* The words that the rows CP_FOLD of reduce.def may use, for C17 and CUDA C++ alike, and the machinery that walks
 * the rows type by type (folds.inc).
 *
 * A word acts on the accumulators of the class and type at hand, whose suffix (i8, ..., c128) is CPF_ACC. Invariant:
 * all is defined for every value, and branch-free where compilers should vectorise it. */
#ifndef CPI_REDUCE_FOLDS_H
#define CPI_REDUCE_FOLDS_H

#include "reduce/result.h"
#include "scalar/scalar.h"

/* --- functions of one type --- */

/* `b` or a. On the CPU by masks: conditions in a row become branches, and those keep loops from becoming vectors. */
#ifdef __CUDACC__
CPS_MATH float cpf_choose_f32(int b, float x, float y) { return b ? y : x; }
CPS_MATH double cpf_choose_f64(int b, double x, double y) { return b ? y : x; }
#else
CPS_MATH float cpf_choose_f32(int b, float x, float y)
{
    uint32_t m = 0 - (uint32_t)b;
    return cps_from_bits_f32((cps_bits_f32(x) & ~m) | (cps_bits_f32(y) & m));
}
CPS_MATH double cpf_choose_f64(int b, double x, double y)
{
    uint64_t m = 0 - (uint64_t)b;
    return cps_from_bits_f64((cps_bits_f64(x) & ~m) | (cps_bits_f64(y) & m));
}
#endif
CPS_MATH cp_complex64 cpf_choose_c64(int b, cp_complex64 x, cp_complex64 y)
{
    return cps_pair32(cpf_choose_f32(b, x.re, y.re), cpf_choose_f32(b, x.im, y.im));
}
CPS_MATH cp_complex128 cpf_choose_c128(int b, cp_complex128 x, cp_complex128 y)
{
    return cps_pair64(cpf_choose_f64(b, x.re, y.re), cpf_choose_f64(b, x.im, y.im));
}
/* The order of floating-point numbers: the first of equals; NaN wins, or a number wins. */
#define CPF_ORDER(X, T)                                                                                      \
    CPS_MATH T cpf_lower_##X(T a, T b)                                                                       \
    {                                                                                                        \
        return cpf_choose_##X((cpf_less_##X(b, a) | cpf_isnan_##X(b)) & !cpf_isnan_##X(a), a, b);            \
    }                                                                                                        \
    CPS_MATH T cpf_higher_##X(T a, T b)                                                                      \
    {                                                                                                        \
        return cpf_choose_##X((cpf_less_##X(a, b) | cpf_isnan_##X(b)) & !cpf_isnan_##X(a), a, b);            \
    }                                                                                                        \
    CPS_MATH T cpf_lower_known_##X(T a, T b)                                                                 \
    {                                                                                                        \
        return cpf_choose_##X(cpf_less_##X(b, a) | cpf_isnan_##X(a), a, b);                                  \
    }                                                                                                        \
    CPS_MATH T cpf_higher_known_##X(T a, T b)                                                                \
    {                                                                                                        \
        return cpf_choose_##X(cpf_less_##X(a, b) | cpf_isnan_##X(a), a, b);                                  \
    }

/* A place: where an element is, -1 for nowhere. The first of equal elements, and of NaN. */
#define CPF_PLACES(X, T)                                                                                     \
    typedef struct cpf_place_##X { int64_t index; T value; } cpf_place_##X;                                  \
    CPS_MATH cpf_place_##X cpf_at_##X(T x, int64_t i)                                                        \
    {                                                                                                        \
        cpf_place_##X p;                                                                                     \
        p.index = i, p.value = x;                                                                            \
        return p;                                                                                            \
    }                                                                                                        \
    /* `better`: b's element is beyond a's, neither is NaN */                                                \
    CPS_MATH cpf_place_##X cpf_first_##X(cpf_place_##X a, cpf_place_##X b, int better, int worse)            \
    {                                                                                                        \
        int an = cpf_isnan_##X(a.value), bn = cpf_isnan_##X(b.value), earlier = a.index < b.index;           \
        if (b.index < 0) return a;                                                                           \
        if (a.index < 0) return b;                                                                           \
        if (an | bn) return (an & bn ? earlier : an) ? a : b;                                                \
        return worse || (!better && earlier) ? a : b;                                                        \
    }                                                                                                        \
    CPS_MATH cpf_place_##X cpf_lower_place_##X(cpf_place_##X a, cpf_place_##X b)                             \
    {                                                                                                        \
        return cpf_first_##X(a, b, cpf_less_##X(b.value, a.value), cpf_less_##X(a.value, b.value));          \
    }                                                                                                        \
    CPS_MATH cpf_place_##X cpf_higher_place_##X(cpf_place_##X a, cpf_place_##X b)                            \
    {                                                                                                        \
        return cpf_first_##X(a, b, cpf_less_##X(a.value, b.value), cpf_less_##X(b.value, a.value));          \
    }

#define CPF_INTEGER(X, T, LOWEST, HIGHEST)                                                                   \
    CPS_MATH T cpf_of_##X(double re, double im) { return (void)im, (T)re; }                                  \
    CPS_MATH T cpf_add_##X(T a, T b) { return (T)((uint64_t)a + (uint64_t)b); }                              \
    CPS_MATH T cpf_multiply_##X(T a, T b) { return (T)((uint64_t)a * (uint64_t)b); }                         \
    CPS_MATH int cpf_isnan_##X(T x) { return (void)x, 0; }                                                   \
    CPS_MATH int cpf_nonzero_##X(T x) { return x != 0; }                                                     \
    CPS_MATH int cpf_less_##X(T a, T b) { return a < b; }                                                    \
    CPS_MATH T cpf_lower_##X(T a, T b) { return b < a ? b : a; }                                             \
    CPS_MATH T cpf_higher_##X(T a, T b) { return b > a ? b : a; }                                            \
    CPS_MATH T cpf_lower_known_##X(T a, T b) { return b < a ? b : a; }                                       \
    CPS_MATH T cpf_higher_known_##X(T a, T b) { return b > a ? b : a; }                                      \
    CPS_MATH T cpf_lowest_##X(void) { return LOWEST; }                                                       \
    CPS_MATH T cpf_highest_##X(void) { return HIGHEST; }                                                     \
    CPF_PLACES(X, T)
CPF_INTEGER(i8, int8_t, INT8_MIN, INT8_MAX)
CPF_INTEGER(u8, uint8_t, 0, UINT8_MAX)
CPF_INTEGER(i16, int16_t, INT16_MIN, INT16_MAX)
CPF_INTEGER(u16, uint16_t, 0, UINT16_MAX)
CPF_INTEGER(i32, int32_t, INT32_MIN, INT32_MAX)
CPF_INTEGER(u32, uint32_t, 0, UINT32_MAX)
CPF_INTEGER(i64, int64_t, INT64_MIN, INT64_MAX)
CPF_INTEGER(u64, uint64_t, 0, UINT64_MAX)

#define CPF_REAL(X, T)                                                                                       \
    CPS_MATH T cpf_of_##X(double re, double im) { return (void)im, (T)re; }                                  \
    CPS_MATH T cpf_add_##X(T a, T b) { return a + b; }                                                       \
    CPS_MATH T cpf_multiply_##X(T a, T b) { return a * b; }                                                  \
    CPS_MATH int cpf_isnan_##X(T x) { return x != x; }                                                       \
    CPS_MATH int cpf_nonzero_##X(T x) { return x != 0; }                                                     \
    CPS_MATH int cpf_less_##X(T a, T b) { return a < b; }                                                    \
    CPS_MATH T cpf_lowest_##X(void) { return (T)-INFINITY; }                                                 \
    CPS_MATH T cpf_highest_##X(void) { return (T)INFINITY; }                                                 \
    CPF_ORDER(X, T)                                                                                          \
    CPF_PLACES(X, T)
CPF_REAL(f32, float)
CPF_REAL(f64, double)

#define CPF_COMPLEX(X, T, R)                                                                                 \
    CPS_MATH T cpf_of_##X(double re, double im) { return cps_make_##X((R)re, (R)im); }                       \
    CPS_MATH T cpf_add_##X(T a, T b) { return cps_add_##X(a, b); }                                           \
    CPS_MATH T cpf_multiply_##X(T a, T b) { return cps_multiply_##X(a, b); }                                 \
    CPS_MATH int cpf_isnan_##X(T x) { return cps_isnan_##X(x); }                                             \
    CPS_MATH int cpf_nonzero_##X(T x) { return (x.re != 0) | (x.im != 0); }                                  \
    CPS_MATH int cpf_less_##X(T a, T b) { return cps_less_##X(a, b); }                                       \
    CPS_MATH T cpf_lowest_##X(void) { return cps_make_##X((R)-INFINITY, (R)-INFINITY); }                     \
    CPS_MATH T cpf_highest_##X(void) { return cps_make_##X((R)INFINITY, (R)INFINITY); }                      \
    CPF_ORDER(X, T)                                                                                          \
    CPF_PLACES(X, T)
CPF_COMPLEX(c64, cp_complex64, float)
CPF_COMPLEX(c128, cp_complex128, double)

CPS_MATH cpi_moments cpf_moments(double n, double mean, double im, double m2)
{
    cpi_moments m;
    m.n = n, m.mean = mean, m.im = im, m.m2 = m2;
    return m;
}
/* x - x: what is not finite has no deviation. */
CPS_MATH cpi_moments cpf_moment_f64(double x) { return cpf_moments(1, x, 0, x - x); }
CPS_MATH cpi_moments cpf_moment_c128(cpi_pair x) { return cpf_moments(1, x.re, x.im, (x.re - x.re) + (x.im - x.im)); }
/* Chan, Golub and LeVeque's rule for two parts. */
CPS_MATH cpi_moments cpf_join(cpi_moments a, cpi_moments b)
{
    if (b.n == 0) return a;
    if (a.n == 0) return b;
    double n = a.n + b.n, d = b.mean - a.mean, e = b.im - a.im, part = b.n / n;
    return cpf_moments(n, a.mean + d * part, a.im + e * part, a.m2 + b.m2 + (d * d + e * e) * (a.n * part));
}

/* --- the words --- */

#define CPF(function) CPS_CAT3(cpf_, function, CPF_ACC)
#define ZERO CPF(of)(0.0, 0.0)
#define MINUS_ZERO CPF(of)(-0.0, -0.0)
#define ONE CPF(of)(1.0, 0.0)
#define UNKNOWN CPF(of)(NAN, NAN) /* floating-point types only */
#define LOWEST CPF(lowest)()
#define HIGHEST CPF(highest)()
#define ADD(a, b) CPF(add)(a, b)
#define MULTIPLY(a, b) CPF(multiply)(a, b)
#define LOWER(a, b) CPF(lower)(a, b)             /* NaN wins */
#define HIGHER(a, b) CPF(higher)(a, b)
#define LOWER_KNOWN(a, b) CPF(lower_known)(a, b) /* numbers win over NaN */
#define HIGHER_KNOWN(a, b) CPF(higher_known)(a, b)
#define KNOWN(x, otherwise) (CPF(isnan)(x) ? (otherwise) : (x))
#define NONZERO(x) ((uint64_t)CPS_CAT3(cpf_, nonzero, CPF_X)(x))
#define EMPTY cpf_moments(0, 0, 0, 0)
#define MOMENT(x) CPS_CAT3(cpf_, moment, CPF_NUMBER)(x)
#define JOIN(a, b) cpf_join(a, b)
#define NOWHERE CPF(at)(CPS_CAT3(cpf_, of, CPF_X)(0.0, 0.0), -1)
#define PLACE(x, i) CPF(at)(x, i)
#define LOWER_PLACE(a, b) CPF(lower_place)(a, b)
#define HIGHER_PLACE(a, b) CPF(higher_place)(a, b)

/* --- choosing rows: CPF_IF(a, b)(text) is `text` where both are 1; CPF_IS(WORD) is 1 where WORD is CPF_YES --- */

#define CPF_YES ~, 1
#define CPF_SECOND(a, b, ...) b
#define CPF_IS(...) CPF_SECOND(__VA_ARGS__, 0, 0)
#define CPF_IF(a, b) CPF_IF_(a, b)
#define CPF_IF_(a, b) CPF_IF_##a##b
#define CPF_IF_00(...)
#define CPF_IF_01(...)
#define CPF_IF_10(...)
#define CPF_IF_11(...) __VA_ARGS__
#define CPF_INTEGERS_SELF CPF_YES

#endif
