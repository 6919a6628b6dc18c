/* Products of arrays: matrices, vectors, tensors, einsum.
 *
 * Types promote as those of elementwise operations; the sum is formed in the result's type: integers wrap, booleans are
 * joined by "and" and "or", small floats add up in float32. Floating types go through OpenBLAS or MKL on the CPU, where
 * there is one, and cuBLAS on a GPU, in full precision: TF32 only where CUPRITE_TF32=1 is set. Operands are on one
 * device; the result is a new array there, or `out`, which may overlap them. May return before a GPU is done.
 * CP_ERROR_VALUE for shapes that do not fit, CP_ERROR_CASTING for types that may not be converted. */
#ifndef CUPRITE_PRODUCTS_H
#define CUPRITE_PRODUCTS_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_product_options {
    CP_OPTION(cp_array *, out);     /* of the result's shape; its type may differ */
    CP_OPTION(cp_type, dtype);      /* the type to compute in, with `typed` */
    CP_OPTION(bool, typed);         /* dtype is meant */
    CP_OPTION(cp_casting, casting); /* rule for the operands and out */
    CP_OPTION(char, order);         /* 'F': a new result is in Fortran order; else in C order */
    int _;
} cp_product_options;
/* Matrices (..., m, k) and (..., k, n); the axes before the last two broadcast. A 1-d operand is a row on the left, a
 * column on the right, and that axis is removed from the result. */
CP_API cp_array *cp_matmul(cp_array *x1, cp_array *x2, const cp_product_options *options);
/* Vectors along the last axes, which are summed over; those of x1 are conjugated. The others broadcast. */
CP_API cp_array *cp_vecdot(cp_array *x1, cp_array *x2, const cp_product_options *options);
/* Matrices (..., m, n) and vectors (..., n). */
CP_API cp_array *cp_matvec(cp_array *x1, cp_array *x2, const cp_product_options *options);
/* Vectors (..., n), conjugated, and matrices (..., n, m). */
CP_API cp_array *cp_vecmat(cp_array *x1, cp_array *x2, const cp_product_options *options);
#define cp_matmul(...) CP_CALL2(cp_matmul, cp_product_options, __VA_ARGS__, ._ = 0)
#define cp_vecdot(...) CP_CALL2(cp_vecdot, cp_product_options, __VA_ARGS__, ._ = 0)
#define cp_matvec(...) CP_CALL2(cp_matvec, cp_product_options, __VA_ARGS__, ._ = 0)
#define cp_vecmat(...) CP_CALL2(cp_vecmat, cp_product_options, __VA_ARGS__, ._ = 0)

typedef struct cp_dot_options {
    CP_OPTION(cp_array *, out); /* of the result's type and shape, C-contiguous */
    int _;
} cp_dot_options;
/* Sums over the last axis of a and the second to last of b (or its only one); an elementwise product where one is
 * 0-d. */
CP_API cp_array *cp_dot(cp_array *a, cp_array *b, const cp_dot_options *options);
#define cp_dot(...) CP_CALL2(cp_dot, cp_dot_options, __VA_ARGS__, ._ = 0)
/* The sum of conj(a) * b, of the two flattened: 0-d. */
CP_API cp_array *cp_vdot(cp_array *a, cp_array *b);
/* Sums over the last axes of both. */
CP_API cp_array *cp_inner(cp_array *a, cp_array *b);
/* Sums over the axes of a and of b that the lists name, in their order; a's other axes come first. */
CP_API cp_array *cp_tensordot(cp_array *a, cp_array *b, cp_axes a_axes, cp_axes b_axes);
/* The Kronecker product: b once for each element of a, times that element. */
CP_API cp_array *cp_kron(cp_array *a, cp_array *b);

/* The contraction order of more than two operands. */
typedef enum cp_path { CP_PATH_BEST, CP_PATH_GREEDY, CP_PATH_OPTIMAL, CP_PATH_GIVEN_ORDER } cp_path;
typedef struct cp_einsum_options {
    CP_OPTION(cp_array *, out);
    CP_OPTION(cp_type, dtype);
    CP_OPTION(bool, typed);
    CP_OPTION(cp_casting, casting); /* CP_SAFE unless `cast`, as in NumPy */
    CP_OPTION(bool, cast);          /* casting is meant */
    CP_OPTION(char, order);         /* 'C', 'F', 'A', or 'K' (0): free */
    CP_OPTION(cp_path, optimize);   /* by default the cheapest order for few operands, a good one for many */
    CP_OPTION(int, steps);          /* of `path`, instead */
    CP_OPTION(const cp_axes *, path); /* positions of the operands that a step contracts; its result is appended */
    int _;
} cp_einsum_options;
/* "ij,jk->ik": the sum over the letters that are not after the arrow; "..." broadcasts. Without an arrow the result has
 * the letters that occur once, in alphabetical order. For one operand without a sum, a view. */
CP_API cp_array *cp_einsum(const char *subscripts, int n, cp_array *const *operands, const cp_einsum_options *options);
#define cp_einsum(...) CP_CALL3(cp_einsum, cp_einsum_options, __VA_ARGS__, ._ = 0)

/* One line that names the library for linear algebra on the CPU, and its file; it is opened. CUPRITE_BLAS chooses it:
 * "openblas", as where nothing is said, or "mkl". NULL with the error set where it is not there, or the word is
 * another. */
CP_API const char *cp_blas_library(void);

#ifdef __cplusplus
}
#endif
#endif
