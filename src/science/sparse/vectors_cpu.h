/* A solver's vectors on the CPU, a chunk at a time; compiled once per instruction set. */
#ifndef CPI_SPARSE_VECTORS_CPU_H
#define CPI_SPARSE_VECTORS_CPU_H

#include "sparse/vectors.h"

enum { CPI_SPARSE_BLOCK = 8 };

/* Of a type: float32, float64, complex64, complex128. n is at most CPI_SPARSE_CHUNK. */
typedef struct cpi_vector_loops {
    cpi_number (*dot)(const void *x, const void *y, int64_t n);
    /* to = x[0] by[0] + x[1] by[1] + ..., from element `at` on. A first factor that is 1 and others below 0 make
     * differences. */
    void (*sum)(void *to, int terms, const void *const *x, const cpi_number *by, int64_t at, int64_t n);
    /* x[rows] -= columns[0] factors[0] + columns[1] factors[1] + ..., 1 to CPI_SPARSE_BLOCK terms; any n, of rows of
     * which none is there twice. Factors are of the type. */
    void (*change)(void *x, const int32_t *rows, int64_t n, const void *const *columns, const void *factors, int terms);
} cpi_vector_loops;
typedef const cpi_vector_loops *cpi_vector_table(cp_type type);
extern cpi_vector_table cpi_vector_table_v2, cpi_vector_table_v3, cpi_vector_table_v4;

#endif
