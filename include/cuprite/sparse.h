/* Sparse matrices: a format, the number of rows and columns, and three arrays (diagonals: two) on one device.
 *
 * A matrix is a counted reference, released once with cp_sparse_free, in any thread; scopes do not own it. It never
 * changes: a function gives a new matrix, or one more reference to the same where there is nothing to do, and matrices
 * share arrays where they can. The arrays that the caller hands in are used without a copy and checked once, when the
 * matrix is made; they must not be written to while a matrix has them.
 *
 * Elements are of any type but float16 and bfloat16; two operands become the type that holds both. Indices are int32,
 * or int64 where they were given so or lengths exceed 2^31 - 1. Elements that stand twice count as their sum. Sums have
 * a fixed order: the same bits on every device. Functions return NULL on failure. csr.h has the functions of three
 * arrays that these are made of. */
#ifndef CUPRITE_SPARSE_H
#define CUPRITE_SPARSE_H

#include "csr.h"
#include "random.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_sparse cp_sparse;
/* What the three arrays are. */
typedef enum cp_sparse_format {
    CP_SPARSE_CSR, /* compressed rows: data, columns of the elements, where each row begins and the end */
    CP_SPARSE_CSC, /* compressed columns: data, rows of the elements, where each column begins and the end */
    CP_SPARSE_COO, /* triples in any order: data, rows, columns */
    CP_SPARSE_DIA, /* diagonals: data (n, length), whose element (i, c) is in column c, and n different offsets, each */
                   /* so far above the main diagonal; what lies outside of the matrix is no element */
    CP_SPARSE_BSR  /* compressed rows of blocks: data (n, height, width), columns of the blocks, counted in blocks, */
                   /* where each row of blocks begins and the end */
} cp_sparse_format;

/* --- making matrices --- */
/* A matrix of arrays that are there, 1-d but for the data of diagonals and blocks: data, indices and indptr, for
 * triples data, rows and columns, for diagonals data, offsets and NULL. CP_ERROR_VALUE for lengths that do not fit,
 * pointers that descend, indices outside of the matrix, offsets that stand twice, blocks that are empty or of which
 * rows and columns are no multiples. Waits. Contiguous arrays with int32 or int64 for both indices are not copied. */
CP_API cp_sparse *cp_sparse_new(cp_sparse_format format, int64_t rows, int64_t columns, cp_array *data, cp_array *first,
                                cp_array *second);
/* The elements of a 2-d array that are not 0. Waits. */
CP_API cp_sparse *cp_sparse_from_dense(cp_array *x, cp_sparse_format format);
/* The diagonals of a matrix: row k of the 2-d `diagonals` is the one offsets[k] above the main one, and its element c
 * is in column c, as in scipy.sparse.dia_array. Zeros are left out, but in the format of diagonals. */
CP_API cp_sparse *cp_sparse_from_diagonals(int64_t rows, int64_t columns, cp_array *diagonals, int n,
                                           const int64_t *offsets, cp_sparse_format format);
/* Ones on the k-th diagonal above the main one, on the current device. */
CP_API cp_sparse *cp_sparse_eye(int64_t rows, int64_t columns, int64_t k, cp_type type, cp_sparse_format format);
/* Random elements at random places, density (0 to 1) times as many as there are, on the current device: floating ones
 * from 0 to 1, complex ones of two such numbers, integers of all that the type holds but the greatest. The numbers are
 * those of cuprite.scipy.sparse.random for the same generator. */
CP_API cp_sparse *cp_sparse_random(int64_t rows, int64_t columns, double density, cp_type type, cp_sparse_format format,
                                   cp_rng *g);
CP_API cp_sparse *cp_sparse_retain(cp_sparse *a); /* one more reference, for one more cp_sparse_free; returns a */
CP_API void cp_sparse_free(cp_sparse *a);         /* one reference less; NULL is fine */

/* --- attributes --- */
CP_API cp_sparse_format cp_sparse_format_of(const cp_sparse *a); /* which arrays it has */
CP_API cp_type cp_sparse_type_of(const cp_sparse *a);    /* type of the elements */
CP_API int64_t cp_sparse_rows(const cp_sparse *a);       /* how many rows the matrix has */
CP_API int64_t cp_sparse_columns(const cp_sparse *a);    /* number of columns */
CP_API int64_t cp_sparse_nnz(const cp_sparse *a);        /* number of elements that are stored */
CP_API int cp_sparse_device_of(const cp_sparse *a);      /* number of the device */
/* Do the indices ascend, without an element that stands twice? False of triples unless it is known. */
CP_API bool cp_sparse_is_canonical(const cp_sparse *a);
/* References to the three arrays, in the format's order, the last one NULL of diagonals; the caller frees each, and
 * writes to none. */
CP_API cp_code cp_sparse_arrays(const cp_sparse *a, cp_array **data, cp_array **first, cp_array **second);

/* --- other forms of one matrix --- */
/* The same elements in another format; zeros of diagonals are left out. Blocks get the size that SciPy would choose. */
CP_API cp_sparse *cp_sparse_convert(cp_sparse *a, cp_sparse_format format);
/* As blocks of a size, of which rows and columns are multiples; 0, 0: as cp_sparse_convert. */
CP_API cp_sparse *cp_sparse_to_blocks(cp_sparse *a, int64_t height, int64_t width);
CP_API cp_array *cp_sparse_dense(cp_sparse *a);                   /* as an array (rows, columns) */
CP_API cp_sparse *cp_sparse_astype(cp_sparse *a, cp_type type);   /* elements of another type */
CP_API cp_sparse *cp_sparse_to_device(cp_sparse *a, int device);  /* on another device */
/* The same arrays, read the other way; diagonals and blocks are moved, and stay such. */
CP_API cp_sparse *cp_sparse_transpose(cp_sparse *a);
/* Of diagonals and blocks the next three, slices, and arithmetic but cp_sparse_scale give compressed rows. */
CP_API cp_sparse *cp_sparse_sort_indices(cp_sparse *a);           /* ascending in each row, or column */
CP_API cp_sparse *cp_sparse_sum_duplicates(cp_sparse *a);         /* ascending, and elements that stand twice added */
CP_API cp_sparse *cp_sparse_eliminate_zeros(cp_sparse *a);        /* without stored elements that are 0 */
/* Rows and columns by CP_AT, CP_RANGE, CP_STEP, CP_FULL or CP_BY(1-d array of integers or truth values), n items; the
 * axes behind are whole. Always a matrix: an integer gives one row or column. CP_ERROR_INDEX for one outside. */
CP_API cp_sparse *cp_sparse_slice(cp_sparse *a, int n, const cp_index *items);
/* The elements on and below the k-th diagonal above the main one, or on and above it, in a's format (compressed rows of
 * diagonals, blocks). */
CP_API cp_sparse *cp_sparse_tril(cp_sparse *a, int64_t k); /* the lower triangle */
CP_API cp_sparse *cp_sparse_triu(cp_sparse *a, int64_t k); /* the upper triangle */
/* n matrices beside each other, of as many rows, or below each other, of as many columns, in the first one's format
 * (compressed rows of diagonals, blocks) and the type that holds all. */
CP_API cp_sparse *cp_sparse_hstack(int n, cp_sparse *const *a); /* beside each other */
CP_API cp_sparse *cp_sparse_vstack(int n, cp_sparse *const *a); /* below each other */
/* n matrices along the diagonal of a larger one, whose other elements are 0; in a format as stacks. */
CP_API cp_sparse *cp_sparse_block_diag(int n, cp_sparse *const *a);
/* A grid of down x right matrices, row by row, NULL where all elements are 0. Those beside each other have as many
 * rows, those below each other as many columns; a line of the grid without a matrix has none. In the format of the
 * first one, as stacks. */
CP_API cp_sparse *cp_sparse_bmat(int down, int right, cp_sparse *const *blocks);
/* The same elements in the order of rows in another shape of as many; one length may be -1: what is left. In a's format
 * (compressed rows of diagonals, blocks), as what the functions up to the diagonal give. */
CP_API cp_sparse *cp_sparse_reshape(cp_sparse *a, int64_t rows, int64_t columns);
/* The elements that are inside of another shape; what is beyond the old one is 0. */
CP_API cp_sparse *cp_sparse_resize(cp_sparse *a, int64_t rows, int64_t columns);
/* A matrix with other elements, converted to a's type, at the places rows[i], columns[i]: integers, negative ones from
 * the end. values: as many, or one for all. Of a place that is there twice the last one counts. */
CP_API cp_sparse *cp_sparse_assign(cp_sparse *a, cp_array *rows, cp_array *columns, cp_array *values);
/* The same at each row and column that cp_sparse_slice would take; values, at most 2-d, broadcast. */
CP_API cp_sparse *cp_sparse_assign_slice(cp_sparse *a, int n, const cp_index *items, cp_array *values);
/* The same on the k-th diagonal above the main one: a number, or 1-d values from its beginning on. */
CP_API cp_sparse *cp_sparse_set_diagonal(cp_sparse *a, cp_array *values, int64_t k);
/* The elements at the places rows[i], columns[i], 1-d; integers as above. */
CP_API cp_array *cp_sparse_elements(cp_sparse *a, cp_array *rows, cp_array *columns);
/* Rows, columns and values of the elements that are not 0, in the order of rows; the caller frees each, and writes to
 * none. */
CP_API cp_code cp_sparse_find(cp_sparse *a, cp_array **rows, cp_array **columns, cp_array **values);
CP_API cp_array *cp_sparse_diagonal(cp_sparse *a, int64_t k);     /* the k-th one above the main one, 1-d */
CP_API cp_array *cp_sparse_trace(cp_sparse *a, int64_t k);        /* the sum of such a diagonal, 0-d */

/* --- arithmetic --- */
/* Sums, differences and products of elements of matrices of one shape, in a's format (compressed rows but of columns).
 * Elements that become 0 are left out. */
CP_API cp_sparse *cp_sparse_add(cp_sparse *a, cp_sparse *b);       /* the sum of two matrices */
CP_API cp_sparse *cp_sparse_subtract(cp_sparse *a, cp_sparse *b);  /* the difference of two matrices */
CP_API cp_sparse *cp_sparse_multiply(cp_sparse *a, cp_sparse *b);  /* elements of a times those of b */
CP_API cp_sparse *cp_sparse_scale(cp_sparse *a, cp_array *factor); /* times a number, a 0-d array such as cp_float(2) */
/* Elements times those of an array, where one is stored, in a's format (compressed rows of diagonals, blocks). Both
 * broadcast. */
CP_API cp_sparse *cp_sparse_multiply_dense(cp_sparse *a, cp_array *x);
CP_API cp_sparse *cp_sparse_conj(cp_sparse *a);                    /* the complex conjugates of the elements */
CP_API cp_sparse *cp_sparse_matmul(cp_sparse *a, cp_sparse *b);    /* the product of two matrices, in a's format */
CP_API cp_array *cp_sparse_dot(cp_sparse *a, cp_array *x);         /* times a vector, or an array (columns, k) */
/* Kronecker's product of matrices: each element of a times b, in a's format (compressed rows of diagonals, blocks). */
CP_API cp_sparse *cp_sparse_kron(cp_sparse *a, cp_sparse *b);
/* Kronecker's sum of square matrices: kron(I, a) + kron(b, I). */
CP_API cp_sparse *cp_sparse_kronsum(cp_sparse *a, cp_sparse *b);
/* A square matrix times itself: the product of n of them, n = 0: ones on the diagonal. */
CP_API cp_sparse *cp_sparse_matrix_power(cp_sparse *a, int64_t n);
/* The sums of columns (axis 0) or rows (axis 1), 1-d, or of all elements (CP_FLAT), 0-d. Integers become int64 or
 * uint64, as in NumPy. */
CP_API cp_array *cp_sparse_sum(cp_sparse *a, int axis);

/* Means likewise; those of integers are float64. */
CP_API cp_array *cp_sparse_mean(cp_sparse *a, int axis);
/* Greatest and least elements likewise, NaN where there is one; zeros that are not stored count, unless the option says
 * that they do not: then a line without elements gives 0. CP_ERROR_VALUE where there is no element along the axis.
 * Along an axis these wait. */
typedef struct cp_sparse_extreme_options {
    CP_OPTION(bool, stored); /* whether only stored elements count, SciPy's `explicit` */
    int _;
} cp_sparse_extreme_options;
CP_API cp_array *cp_sparse_max(cp_sparse *a, int axis, const cp_sparse_extreme_options *options); /* greatest ones */
#define cp_sparse_max(...) CP_CALL2(cp_sparse_max, cp_sparse_extreme_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_sparse_min(cp_sparse *a, int axis, const cp_sparse_extreme_options *options); /* least ones */
#define cp_sparse_min(...) CP_CALL2(cp_sparse_min, cp_sparse_extreme_options, __VA_ARGS__, ._ = 0)
/* The same of those that are not NaN. */
CP_API cp_array *cp_sparse_nanmax(cp_sparse *a, int axis, const cp_sparse_extreme_options *options); /* greatest */
#define cp_sparse_nanmax(...) CP_CALL2(cp_sparse_nanmax, cp_sparse_extreme_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_sparse_nanmin(cp_sparse *a, int axis, const cp_sparse_extreme_options *options); /* least */
#define cp_sparse_nanmin(...) CP_CALL2(cp_sparse_nanmin, cp_sparse_extreme_options, __VA_ARGS__, ._ = 0)
/* Where they are, int64: the first one of equal ones, for CP_FLAT in the order of rows. NaN counts as the extreme of a
 * line whose elements are all stored; where some are not, the first of those zeros does, as in SciPy. Of stored
 * elements alone NaN is the extreme; CP_FLAT is the place among all elements, CP_ERROR_VALUE where none is stored. */
CP_API cp_array *cp_sparse_argmax(cp_sparse *a, int axis, const cp_sparse_extreme_options *options); /* of greatest */
#define cp_sparse_argmax(...) CP_CALL2(cp_sparse_argmax, cp_sparse_extreme_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_sparse_argmin(cp_sparse *a, int axis, const cp_sparse_extreme_options *options); /* of least */
#define cp_sparse_argmin(...) CP_CALL2(cp_sparse_argmin, cp_sparse_extreme_options, __VA_ARGS__, ._ = 0)
/* How many elements are not 0, int64. */
CP_API cp_array *cp_sparse_count_nonzero(cp_sparse *a, int axis);
/* A norm, 0-d: 'F' Frobenius' (the root of the sum of squares), '1' the greatest sum of a column's absolute values, 'I'
 * of a row's. */
CP_API cp_array *cp_sparse_norm(cp_sparse *a, char order);

/* --- functions of elements --- */
/* f of each element, for functions that keep 0, such as cp_sqrt, cp_sin and cp_sign: it is called with 1-d arrays, and
 * with a 0. CP_ERROR_VALUE where f(0) is not 0. Waits. In a's format (compressed rows of diagonals, blocks). */
CP_API cp_sparse *cp_sparse_apply(cp_sparse *a, cp_array *(*f)(cp_array *x));
/* Stored elements to a power, a 0-d array such as cp_float(2). CP_ERROR_VALUE for 0. Waits. In the format as apply. */
CP_API cp_sparse *cp_sparse_power(cp_sparse *a, cp_array *exponent);
/* Elements beside elements of two matrices of one shape, in a's format (compressed rows but of columns); what becomes 0
 * is left out. The results of comparisons are of bool. */
CP_API cp_sparse *cp_sparse_maximum(cp_sparse *a, cp_sparse *b);   /* the greater one */
CP_API cp_sparse *cp_sparse_minimum(cp_sparse *a, cp_sparse *b);   /* the smaller one */
CP_API cp_sparse *cp_sparse_not_equal(cp_sparse *a, cp_sparse *b); /* whether they differ */
CP_API cp_sparse *cp_sparse_less(cp_sparse *a, cp_sparse *b);      /* whether a's is smaller */
CP_API cp_sparse *cp_sparse_greater(cp_sparse *a, cp_sparse *b);   /* whether a's is greater */
/* The negations of these, as in SciPy: true for two zeros, so that about all elements are stored, and for NaN where
 * the comparison before is not. */
CP_API cp_sparse *cp_sparse_equal(cp_sparse *a, cp_sparse *b);         /* not not_equal */
CP_API cp_sparse *cp_sparse_less_equal(cp_sparse *a, cp_sparse *b);    /* not greater */
CP_API cp_sparse *cp_sparse_greater_equal(cp_sparse *a, cp_sparse *b); /* not less */

/* --- systems of equations, by factors --- */
/* x with a x = b for a square a; b is a vector or (rows, k). Integers become float64. Systems of at most 100 rows or of
 * a narrow band are solved in an array, others by the factors below; both in the host's memory, so that devices give
 * the same bits. CP_ERROR_LINALG for a singular matrix. Waits. */
CP_API cp_array *cp_sparse_spsolve(cp_sparse *a, cp_array *b);
/* The same with the columns of a matrix as right sides: compressed columns where a is, else rows, of what is not 0. As
 * many columns at once as 2^22 elements hold are solved in an array. */
CP_API cp_sparse *cp_sparse_spsolve_sparse(cp_sparse *a, cp_sparse *b);
/* The same of a triangle by substitution; elements of the other one are not read, and with unit_diagonal neither are
 * those of the diagonal, which count as 1. CP_ERROR_LINALG for a zero on the diagonal. */
CP_API cp_array *cp_sparse_spsolve_triangular(cp_sparse *a, cp_array *b, bool lower, bool unit_diagonal);
/* How columns are ordered, so that factors have few elements. */
typedef enum cp_sparse_order {
    CP_SPARSE_ORDER_CHOSEN,   /* CP_SPARSE_ORDER_SYMMETRIC where places are symmetric and each diagonal element is at */
                              /* least as large as the rest of its column together; else CP_SPARSE_ORDER_COLUMNS */
    CP_SPARSE_ORDER_NATURAL,  /* as they are */
    CP_SPARSE_ORDER_COLUMNS,  /* by approximate minimum degree of columns, for any pivots (COLAMD) */
    CP_SPARSE_ORDER_SYMMETRIC /* likewise of the matrix and its transpose together, for pivots on the diagonal */
} cp_sparse_order;
typedef struct cp_sparse_lu_options {
    CP_OPTION(cp_sparse_order, order);
    CP_OPTION(double, threshold); /* the diagonal is the pivot where it has this part of the column's greatest one; */
                                  /* 0: 1, the greatest one; negative: wherever it is not 0 */
    CP_OPTION(double, drop);      /* incomplete factors: elements below this part of the column's greatest one are */
                                  /* left out; 0: none */
    CP_OPTION(double, fill);      /* each factor's column has at most so many times the elements of a's; 0: all */
    int _;
} cp_sparse_lu_options;
typedef struct cp_sparse_factors cp_sparse_factors;
/* Factors P a Q = L U of a square matrix, with pivots of the greatest size in each column (Gilbert and Peierls, 1988),
 * in the host's memory; any number of threads may solve with them. CP_ERROR_LINALG where a column has no pivot. Waits.
 */
CP_API cp_sparse_factors *cp_sparse_lu(cp_sparse *a, const cp_sparse_lu_options *options);
#define cp_sparse_lu(...) CP_CALL(cp_sparse_lu, cp_sparse_lu_options, __VA_ARGS__, ._ = 0)
CP_API void cp_sparse_lu_free(cp_sparse_factors *f); /* NULL is fine */
/* x with op(a) x = b on b's device, in the factors' type, complex where b is; trans 0: a, 1: its transpose, 2: its
 * conjugate transpose. */
CP_API cp_array *cp_sparse_lu_solve(const cp_sparse_factors *f, cp_array *b, int trans);
CP_API int64_t cp_sparse_lu_nnz(const cp_sparse_factors *f); /* elements of both factors, L's ones not counted */
/* L with its ones and U, compressed columns on the matrix' device, and where each row and column goes (int32); the
 * caller frees all four. */
CP_API cp_code cp_sparse_lu_parts(const cp_sparse_factors *f, cp_sparse **l, cp_sparse **u, cp_array **rows,
                                  cp_array **columns);

/* --- systems of equations --- */
/* A function of vectors: a new array, of as many elements as the matrix that it stands for has rows, a reference to an
 * older one, or x; NULL, with the error set, on failure. It is called inside a scope that ends after the step. x is not
 * to be written to. */
typedef cp_array *(*cp_sparse_operator)(void *context, cp_array *x);
/* A matrix that is a function: the option `map` of solvers, whose argument `a` is NULL then. */
typedef struct cp_sparse_map {
    int64_t rows, columns;          /* its shape */
    cp_type type;                   /* of its elements: float32, float64, complex64 or complex128 */
    cp_sparse_operator multiply;    /* the matrix times x, which is 1-d, or (columns, k) where functions say so */
    cp_sparse_operator adjoint;     /* its conjugate transpose times x; NULL where none is needed */
    void *context;                  /* the first argument of both */
} cp_sparse_map;
typedef struct cp_sparse_report {
    int64_t iterations;     /* steps that changed x */
    double residual;        /* the norm of b - a x, as the method updates it */
    double tolerance;       /* what it had to be below */
    bool converged;
    int64_t looks;          /* how often the norm was read from the device */
} cp_sparse_report;
typedef struct cp_sparse_solve_options {
    CP_OPTION(cp_array *, x0);      /* where to begin, instead of 0 */
    CP_OPTION(double, rtol);        /* the residual's norm that is enough, relative to b's; 0: 1e-5, negative: none */
    CP_OPTION(double, atol);        /* the same as it is; the greater one counts */
    CP_OPTION(int64_t, maxiter);    /* the most steps; 0: ten times the rows */
    CP_OPTION(cp_sparse *, m);      /* an approximate inverse of a, */
    CP_OPTION(cp_sparse_operator, apply); /* or a function that multiplies by one; */
    CP_OPTION(void *, context);     /* its first argument */
    CP_OPTION(cp_sparse_operator, adjoint); /* of bicg and qmr: a function that multiplies by apply's adjoint */
    CP_OPTION(int64_t, every);      /* steps between two looks at the norm; 0: see below */
    CP_OPTION(int64_t, restart);    /* of gmres, lgmres and gcrotmk: the steps of a cycle; 0: 20, of lgmres 30 */
    CP_OPTION(double, shift);       /* of minres: subtracted from a's diagonal */
    CP_OPTION(cp_sparse_report *, report); /* where not NULL: receives how it went */
    CP_OPTION(const cp_sparse_map *, map); /* what multiplies where a is NULL; of bicg and qmr with its adjoint */
    CP_OPTION(int64_t, outer);      /* of lgmres and gcrotmk: vectors kept across cycles; 0: 3, and restart's */
    CP_OPTION(bool, smallest);      /* of gcrotmk: the least important vectors are dropped, not the oldest ones */
    int _;
} cp_sparse_solve_options;
/* x with a x = b for a Hermitian positive definite a, by conjugate gradients (Hestenes and Stiefel, 1952). The result
 * is the iterate that was reached where the steps did not suffice: no error, see the report.
 *
 * Where reading a number means waiting for the device, the norm is read after 1, 2, 4, 8, 16 steps, then after each
 * sixteenth. The device itself compares it with the tolerance at each step and sets the steps behind to 0, so that x
 * and the report's iterations do not depend on when it was read. */
CP_API cp_array *cp_sparse_cg(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_cg(...) CP_CALL2(cp_sparse_cg, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
/* x with a x = b for any square a, by stabilized biconjugate gradients (van der Vorst, 1992), whose numbers are read
 * as those of cg. Where the method breaks down it stops, and the report says that it has not converged. */
CP_API cp_array *cp_sparse_bicgstab(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_bicgstab(...) CP_CALL2(cp_sparse_bicgstab, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
/* x with a x = b for any square a, by conjugate gradients squared (Sonneveld, 1989), by biconjugate gradients (Lanczos,
 * 1952; Fletcher, 1976), and by quasi-minimal residuals (Freund and Nachtigal, 1991), with m on the left. The last two
 * multiply by a's adjoint, which is made once. They stop where a method breaks down, and read numbers as cg does. */
CP_API cp_array *cp_sparse_cgs(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_cgs(...) CP_CALL2(cp_sparse_cgs, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_sparse_bicg(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options); /* see cgs */
#define cp_sparse_bicg(...) CP_CALL2(cp_sparse_bicg, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
CP_API cp_array *cp_sparse_qmr(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options); /* see cgs */
#define cp_sparse_qmr(...) CP_CALL2(cp_sparse_qmr, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
/* x with a x = b for any square a, by quasi-minimal residuals without the adjoint (Freund, 1993), with m on the right.
 * A step is one half of a pair of the method's, as in SciPy, and the report's residual is the method's bound. Numbers
 * are read as those of cg. */
CP_API cp_array *cp_sparse_tfqmr(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_tfqmr(...) CP_CALL2(cp_sparse_tfqmr, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
/* x with (a - shift) x = b for a Hermitian a, definite or not, by minimal residuals (Paige and Saunders, 1975), with a
 * positive definite m. rtol is relative to the norms of a and x, as the method estimates them; atol does not count. A
 * solution of least squares, where a is singular, counts as one. The numbers are read as those of cg. */
CP_API cp_array *cp_sparse_minres(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_minres(...) CP_CALL2(cp_sparse_minres, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)
/* x with a x = b for any square a, by generalized minimal residuals, restarted (Saad and Schultz, 1986), with m on the
 * left. Where reading a number means waiting, that is done twice a cycle. */
CP_API cp_array *cp_sparse_gmres(cp_sparse *a, cp_array *b, const cp_sparse_solve_options *options);
#define cp_sparse_gmres(...) CP_CALL2(cp_sparse_gmres, cp_sparse_solve_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
