/* Ranks of a short row's columns among those of another, by comparing each with each in vectors: no comparison waits
 * for another one, as those of a merge do. */
#ifndef CPI_SPARSE_RANKS_H
#define CPI_SPARSE_RANKS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { CPI_SPARSE_SHORT = 32, CPI_SPARSE_VECTOR = 4 };
typedef int32_t cpi_sparse_columns __attribute__((vector_size(4 * CPI_SPARSE_VECTOR)));

/* less[i]: how many of b's nb columns are below a[i]; equal[i]: -1 where one is the same, else 0. na and nb are at most
 * CPI_SPARSE_SHORT, and less and equal have as many elements. `there`: how many elements behind a may be read. */
static inline void cpi_sparse_ranks(const int32_t *a, int na, int64_t there, const int32_t *b, int nb, int32_t *less,
                                    int32_t *equal)
{
    for (int i = 0; i < na; i += CPI_SPARSE_VECTOR) {
        cpi_sparse_columns x = {a[i]}, below = {0}, same = {0};
        if (i + CPI_SPARSE_VECTOR <= there) memcpy(&x, a + i, sizeof x);
        else
            for (int k = 1; i + k < na; k++) x[k] = a[i + k];
        for (int k = 0; k < nb; k++) {
            const cpi_sparse_columns y = b[k] - (cpi_sparse_columns){0};
            below -= y < x;
            same |= y == x;
        }
        memcpy(less + i, &below, sizeof below);
        memcpy(equal + i, &same, sizeof same);
    }
}
/* less[i]: how many of n different columns are below x[i], in `vectors` of them, of which x and less have room for. */
static inline __attribute__((always_inline)) void cpi_sparse_order_in(const int32_t *x, int n, int32_t *less,
                                                                      int vectors)
{
    cpi_sparse_columns v[CPI_SPARSE_SHORT / CPI_SPARSE_VECTOR], below[CPI_SPARSE_SHORT / CPI_SPARSE_VECTOR];
    for (int i = 0; i < vectors; i++) {
        memcpy(&v[i], x + i * CPI_SPARSE_VECTOR, sizeof v[i]);
        below[i] = (cpi_sparse_columns){0};
    }
    for (int k = 0; k < n; k++) {
        const cpi_sparse_columns y = x[k] - (cpi_sparse_columns){0};
        for (int i = 0; i < vectors; i++) below[i] -= y < v[i];
    }
    for (int i = 0; i < vectors; i++) memcpy(less + i * CPI_SPARSE_VECTOR, &below[i], sizeof below[i]);
}
/* The same of n <= CPI_SPARSE_SHORT; x and less have CPI_SPARSE_SHORT elements. */
static inline void cpi_sparse_order(const int32_t *x, int n, int32_t *less)
{
    if (n <= 4) cpi_sparse_order_in(x, n, less, 1);
    else if (n <= 8) cpi_sparse_order_in(x, n, less, 2);
    else if (n <= 12) cpi_sparse_order_in(x, n, less, 3);
    else if (n <= 16) cpi_sparse_order_in(x, n, less, 4);
    else cpi_sparse_order_in(x, n, less, 8);
}
/* May one of them have a column of the other one? Never false where it has. */
static inline bool cpi_sparse_meet(const int32_t *a, int na, int64_t there, const int32_t *b, int nb)
{
    cpi_sparse_columns same = {0};
    for (int i = 0; i < na; i += CPI_SPARSE_VECTOR) {
        cpi_sparse_columns x = {a[i], a[i], a[i], a[i]};
        if (i + CPI_SPARSE_VECTOR <= there) memcpy(&x, a + i, sizeof x);
        else
            for (int k = 1; i + k < na; k++) x[k] = a[i + k];
        for (int k = 0; k < nb; k++) same |= x == b[k] - (cpi_sparse_columns){0};
    }
    return (same[0] | same[1] | same[2] | same[3]) != 0;
}

#endif
