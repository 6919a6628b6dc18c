/* Kernels made from the rows of reduce.def, for every fold and type; compiled once per instruction set.
 *
 * A block is folded in lanes, some 256 bytes of accumulators, element by element in loops of a fixed length that
 * compilers turn into vectors, then as a tree. Invariant: the order does not depend on the instruction set, so
 * neither do the bits; positions (PLACE) may meet in any order. */
#include <string.h>

#include "reduce/folds.h"
#include "reduce/kernels.h"

#define CPF_FULL(name) CPS_CAT3(row_, CPF_KIND(name), CPF_X)

/* V: x in `map`; A: the accumulator; what the row says becomes three functions */
#define BODY(N, V, A, IDENTITY, MAP, COMBINE)                                                                 \
    CPS_MATH A N##_identity(void) { return IDENTITY; }                                                        \
    CPS_MATH A N##_map(V x, int64_t i) { return (void)i, MAP; }                                               \
    CPS_MATH A N##_combine(A a, A b) { return COMBINE; }

/* four rows p, q, r, s of column j */
#define STEP(N, j)                                                                                            \
    a[j] = N##_combine(a[j], N##_combine(                                                                     \
        N##_combine(N##_map(CPF_READ(p + (j)), base + i), N##_map(CPF_READ(q + (j)), base + i + 1)),          \
        N##_combine(N##_map(CPF_READ(r + (j)), base + i + 2), N##_map(CPF_READ(s + (j)), base + i + 3))));

#define KERNEL(N, T, A, PLACED, WARMTH)                                                                       \
    WARMTH static void N##_columns(const void *data, int64_t pitch, int64_t rows, int64_t cols, int64_t base, \
                            const double *shift, void *acc)                                                   \
    {                                                                                                         \
        const char *at = data;                                                                                \
        A *restrict a = acc;                                                                                  \
        int64_t i = 0;                                                                                        \
        enum { W = 256 / sizeof(T) };                                                                         \
        (void)shift;                                                                                          \
        if (!PLACED)                                                                                          \
            for (int64_t j = 0; j < cols; j++) a[j] = N##_identity();                                         \
        for (; i + 4 <= rows; i += 4, at += 4 * pitch) {                                                      \
            const T *restrict p = (const T *)at, *restrict q = (const T *)(at + pitch);                       \
            const T *restrict r = (const T *)(at + 2 * pitch), *restrict s = (const T *)(at + 3 * pitch);     \
            int64_t j = 0;                                                                                    \
            for (; j + W <= cols; j += W) {                                                                   \
                for (int k = 0; k < 16; k++) /* the same part of the next four rows */                        \
                    __builtin_prefetch((const char *)(p + j) + (4 + k / 4) * pitch + k % 4 * 64);             \
                for (int l = 0; l < W; l++) STEP(N, j + l)                                                    \
            }                                                                                                 \
            for (; j < cols; j++) STEP(N, j)                                                                  \
        }                                                                                                     \
        for (; i < rows; i++, at += pitch) {                                                                  \
            const T *restrict p = (const T *)at;                                                              \
            for (int64_t j = 0; j < cols; j++) a[j] = N##_combine(a[j], N##_map(CPF_READ(p + (j)), base + i)); \
        }                                                                                                     \
    }                                                                                                         \
    WARMTH static void N##_run(const void *data, int64_t n, int64_t base, const double *shift, void *acc)     \
    {                                                                                                         \
        enum { L = sizeof(A) > 16 ? 8 : 256 / sizeof(A) }; /* a power of two, for the tree */                 \
        const T *x = data;                                                                                    \
        A s = N##_identity();                                                                                 \
        int64_t i = 0;                                                                                        \
        (void)shift;                                                                                          \
        if (PLACED) memcpy(&s, acc, sizeof s);                                                                \
        if (n >= 16) { /* less is not worth the tree */                                                       \
            A a[L];                                                                                           \
            for (int l = 0; l < L; l++) a[l] = N##_identity();                                                \
            for (; i + 4 * L <= n; i += 4 * L) {                                                              \
                CPI_REDUCE_FETCH(x + i, 4 * L * sizeof(T));                                                   \
                for (int l = 0; l < L; l++)                                                                   \
                    a[l] = N##_combine(a[l], N##_combine(                                                     \
                        N##_combine(N##_map(CPF_READ(x + i + l), base + i + l),                               \
                                    N##_map(CPF_READ(x + i + L + l), base + i + L + l)),                      \
                        N##_combine(N##_map(CPF_READ(x + i + 2 * L + l), base + i + 2 * L + l),               \
                                    N##_map(CPF_READ(x + i + 3 * L + l), base + i + 3 * L + l))));            \
            }                                                                                                 \
            for (; i + L <= n; i += L)                                                                        \
                for (int l = 0; l < L; l++)                                                                   \
                    a[l] = N##_combine(a[l], N##_map(CPF_READ(x + i + l), base + i + l));                     \
            for (int l = 0; l < n - i; l++)                                                                   \
                a[l] = N##_combine(a[l], N##_map(CPF_READ(x + i + l), base + i + l));                         \
            i = n;                                                                                            \
            for (int half = L / 2; half; half /= 2)                                                           \
                for (int l = 0; l < half; l++) a[l] = N##_combine(a[l], a[l + half]);                         \
            s = N##_combine(s, a[0]);                                                                         \
        }                                                                                                     \
        for (; i < n; i++) s = N##_combine(s, N##_map(CPF_READ(x + i), base + i));                            \
        memcpy(acc, &s, sizeof s);                                                                            \
    }                                                                                                         \
    WARMTH static void N##_join(void *av, const void *bv, int64_t n)                                          \
    {                                                                                                         \
        A *restrict a = av;                                                                                   \
        const A *restrict b = bv;                                                                             \
        for (int64_t i = 0; i < n; i++) a[i] = N##_combine(a[i], b[i]);                                       \
    }                                                                                                         \
    WARMTH static void N##_empty(void *acc)                                                                   \
    {                                                                                                         \
        A a = N##_identity();                                                                                 \
        memcpy(acc, &a, sizeof a);                                                                            \
    }

/* Folds with kernels of their own need these only to be compared with: the portable variant, compiled for size,
 * serves for that. */
#define WARMTH_0
#define WARMTH_1 __attribute__((cold))
#ifdef __AVX2__
#define PICK(name, ...) CPS_CAT(PICK_, CPF_IS(CPF_TUNED_##name))(__VA_ARGS__)
#else
#define PICK(name, ...) __VA_ARGS__
#endif
#define PICK_0(...) __VA_ARGS__
#define PICK_1(...)

#define EXPAND_BODY(...) BODY(__VA_ARGS__)
#define EXPAND_KERNEL(...) KERNEL(__VA_ARGS__)
#define CPF_ROW(name, identity, map, combine)                                     \
    PICK(name, EXPAND_BODY(CPF_FULL(name), CPF_V, CPF_A, identity, map, combine)  \
                   EXPAND_KERNEL(CPF_FULL(name), CPF_T, CPF_A, CPF_PLACED, CPS_CAT(WARMTH_, CPF_IS(CPF_TUNED_##name))))
#include "reduce/folds.inc"

/* --- the table --- */

#define ENTRY(KIND, X, N, A) \
    [CPS_CAT(CPI_KIND_, KIND)][CPS_CAT(CPS_ENUM_, X)] = {sizeof(A), N##_run, N##_columns, N##_join, N##_empty},
#define EXPAND_ENTRY(...) ENTRY(__VA_ARGS__)
#define CPF_ROW(name, identity, map, combine) PICK(name, EXPAND_ENTRY(CPF_KIND(name), CPF_X, CPF_FULL(name), CPF_A))

const cpi_reduce_kernels CPI_ISA_NAME(cpi_reduce_rows) = {
    [0][0] = {0}, /* no kernel of bool's own */
#include "reduce/folds.inc"
};
