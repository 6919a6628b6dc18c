/* The slots a backend fills for the module reduce.
 *
 * The API layer brings every call to one form: `kept` results, each made of `reduced` elements. Both are iterated by
 * a few merged dimensions with strides in bytes. Kept dimensions are sorted by x's stride, the last one is the
 * smallest. Reduced ones are too, unless the positions of elements matter (argmin, argmax): then they stay in C
 * order. Strides of x are positive where the order does not matter. kept >= 1; reduced may be 0 for reductions that
 * have an identity or an initial value. `out` is not read and overlaps nothing. */
#ifndef CPI_REDUCE_H
#define CPI_REDUCE_H

#include "backend/backend.h"
#include "cuprite/reduce.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CPI_REDUCE_DIMS 8

#include "reduce/rows.h"

/* Rows of the tables. A reducer has its accumulator class, the reducer that takes integers, whether results are
 * joined with 0 by default, and whether small integers are accumulated exactly. */
typedef struct cpi_reducer_row { cpi_class class_of; cpi_reducer integers; bool from_zero, exact; } cpi_reducer_row;
typedef struct cpi_reduction_row {
    const char *name;
    cpi_reducer reducer;
    cpi_reduce_rule rule;
    cp_reduction whole;      /* the reduction that NumPy uses for integers instead, or itself */
    cp_warning warns;        /* or CP_NWARNINGS */
    bool identity, root;     /* root: NumPy takes a root in the result */
    const char *ufunc, *doc; /* NumPy's name of the operation, for messages */
} cpi_reduction_row;
extern const cpi_reducer_row cpi_reducers[CPI_NREDUCERS];
extern const cpi_reduction_row cpi_reductions[CP_NREDUCTIONS];

typedef struct cpi_reduce_dim {
    int64_t n;            /* length */
    int64_t x, where, out; /* strides in bytes; out's is 0 for reduced dimensions */
} cpi_reduce_dim;

typedef struct cpi_reduce_args {
    cp_reduction op;
    cpi_reducer reducer;
    cp_type type, result; /* of x's elements and of the results */
    int nkept, nreduced;
    int64_t kept, reduced;
    cpi_reduce_dim keep[CPI_REDUCE_DIMS], reduce[CPI_REDUCE_DIMS];
    const char *x;
    const uint8_t *where; /* elements whose byte is 0 take no part; NULL: all do. Not for argmin and argmax */
    char *out;
    double ddof;
    bool about_real;   /* complex moments are taken about the real part of the mean */
    cpi_class class_of; /* of the reducer's accumulators */
    bool whole; /* integers, accumulated as uint64_t modulo 2^64: they stay integers, or (exact) sums fit 64 bits */
    bool exact;
    bool known;        /* positions and means ignore NaN, where the device supports that */
    bool initial;      /* joined to every result: in `value`, of type `result` */
    unsigned char value[16] __attribute__((aligned(16)));
} cpi_reduce_args;

/* Rows of n contiguous elements of a floating type, float32 or float64. With m the largest one, or 0 where that is not
 * finite: exp(x - m) divided by its sum, or with `logarithm` one number, the logarithm of that sum, plus m. */
typedef struct cpi_exponentials {
    cp_type type;
    bool logarithm;
    int64_t rows, n; /* positive */
    const void *from;
    void *to;        /* no overlap */
} cpi_exponentials;

/*: slot("reduce", name="cpi_reduce_name(args->op)",
 *      bytes="args->kept * (args->reduced * (int64_t)cp_type_size(args->type) + 8)")
 * slot("exponentials", bytes="2 * e->rows * e->n * (int64_t)cp_type_size(e->type)") */
typedef struct cpi_reduce_ops {
    cp_code (*reduce)(cp_stream *stream, const cpi_reduce_args *args);
    cp_code (*exponentials)(cp_stream *stream, const cpi_exponentials *e);
    /* Supports args->known: argmin and argmax of real floating types, and means of all floating types. A slice of NaN
     * only is an error, raised at the stream's next check. */
    bool known;
} cpi_reduce_ops;
/*: value("known", cuda="true") */


#ifndef __CUDACC__
/* argmin, argmax and mean of elements that are not NaN, in one pass: where the device supports it
 * (cpi_reduces_known). */
bool cpi_reduces_known(cp_reduction r, const cp_array *x);
cp_array *cpi_reduce_knowing(cp_reduction r, cp_array *x, const cp_reduce_options *o);
#endif

/* The type whose kernels reduce `in` into `out`: for bool, uint8. */
static inline cp_type cpi_reduce_kernel_type(cp_type in) { return in == CP_BOOL ? CP_UINT8 : in; }
/* True when the smallest stride belongs to a kept dimension: iterate over rows of results. */
static inline bool cpi_reduce_by_columns(const cpi_reduce_args *a, int64_t least)
{
    if (a->where || !a->nkept || a->keep[a->nkept - 1].n < least) return false;
    if (!a->nreduced) return true;
    int64_t k = a->keep[a->nkept - 1].x, r = a->reduce[a->nreduced - 1].x;
    if (k < 0) k = -k;
    if (r < 0) r = -r;
    return k && (!r || k < r);
}

#ifdef __cplusplus
}
#endif
#include "reduce/slots.h"

#endif
