/* A matrix as solvers see it: what multiplies vectors, a cp_sparse as compressed rows or the caller's function. */
#ifndef CPI_SPARSE_LINEAR_H
#define CPI_SPARSE_LINEAR_H

#include "sparse/handle.h"

typedef struct cpi_linear {
    const char *name;           /* the public function's */
    const cp_sparse_map *map;   /* NULL where there is a matrix */
    cp_sparse *a, *adjoint;     /* owned: compressed rows of the type; the adjoint where it is needed */
    int64_t rows, columns;
    cp_type type;               /* of vectors */
} cpi_linear;

/* Checks what is given and sets name, map, shape and type: that of the elements, integers and halves as float64. */
cp_code cpi_linear_check(cpi_linear *l, const char *name, const cp_sparse *a, const cp_sparse_map *map, bool adjoint);
/* Begins a call on the device of the matrix, of a map's on that of x, where it is not NULL. */
bool cpi_linear_begin(cpi_composite *f, const cpi_linear *l, const cp_sparse *a, const cp_array *x);
/* Makes the rows that products are of, in l->type. False on failure. */
bool cpi_linear_open(cpi_linear *l, cp_sparse *a, bool adjoint);
void cpi_linear_close(cpi_linear *l);
/* The matrix, or its adjoint, times a vector or an array (n, k): a new array of this type, contiguous. */
cp_array *cpi_linear_times(const cpi_linear *l, cp_array *x);
cp_array *cpi_linear_adjoint(const cpi_linear *l, cp_array *x);

/* What a caller's function makes of x, of so many rows, as an array of a type; x itself where it gives that back. */
cp_array *cpi_sparse_called(const char *name, const char *what, cp_sparse_operator f, void *context, cp_array *x,
                            int64_t rows, cp_type type);
/* The conjugate transpose of compressed rows, as such. */
cp_sparse *cpi_sparse_adjoint(cp_sparse *a);
/* The type of a solution, as SciPy's: float and complex ones of both, all others as float64. */
cp_type cpi_sparse_solution_type(cp_type a, cp_type b);

/* Gives the caller a result that was taken out of the call's scope, as one of his own scope; nothing where `to` or x is
 * NULL. */
void cpi_sparse_given(cp_array **to, cp_array *x);
/* Ends the call and hands n results out where `to` says; on failure, or where one of these is missing, frees them. */
cp_code cpi_sparse_give(const cpi_composite *f, int n, cp_array **const *to, cp_array **made);

static inline bool cpi_sparse_single(cp_type type) { return type == CP_FLOAT32 || type == CP_COMPLEX64; }
static inline double cpi_sparse_epsilon(cp_type type) { return cpi_sparse_single(type) ? 0x1p-23 : 0x1p-52; }
/* The type of the numbers of vectors. */
static inline cp_type cpi_sparse_number(cp_type type) { return cpi_is_complex(type) ? CP_COMPLEX128 : CP_FLOAT64; }

#endif
