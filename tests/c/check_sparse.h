/* Shared by the tests of sparse linear algebra: drawn matrices of the four types, norms, functions that multiply. */
#ifndef CHECK_SPARSE_H
#define CHECK_SPARSE_H

#include "check.h"

static uint64_t seed;
static inline double drawn(void)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(seed >> 11) / (double)(INT64_C(1) << 52) - 1;
}
enum { MOST = 60 };
static const cp_type TYPES[] = {CP_FLOAT64, CP_FLOAT32, CP_COMPLEX128, CP_COMPLEX64};
#define FOR_TYPES(t) size_t t = 0; t < 4; t++
static inline bool is_single(cp_type t) { return t == CP_FLOAT32 || t == CP_COMPLEX64; }
static inline bool is_complex(cp_type t) { return t == CP_COMPLEX128 || t == CP_COMPLEX64; }

/* A dense matrix of numbers in -1..1, a third of them not 0, plus `diagonal` on the diagonal. */
static inline cp_array *dense_of(int64_t m, int64_t n, double diagonal, cp_type type)
{
    static cp_complex128 x[MOST * MOST];
    for (int64_t i = 0; i < m * n; i++) {
        const double re = drawn(), im = drawn();
        x[i] = (cp_complex128){drawn() < -0.3 ? re : 0, 0};
        if (x[i].re != 0 && is_complex(type)) x[i].im = im;
        if (i / n == i % n) x[i].re += diagonal;
    }
    cp_array *a = cp_from_host(x, CP_COMPLEX128, CP_SHAPE(m, n), NULL);
    return cp_astype(is_complex(type) ? a : cp_copy(cp_real_part(a)), type);
}
static inline cp_array *vector_of(int64_t n, cp_type type)
{
    cp_array *x = dense_of(n, 1, 0, type), *y = dense_of(n, 1, 0, type);
    return cp_ravel(cp_add(x, y));
}
/* The adjoint of a matrix. */
static inline cp_array *turned(cp_array *a) { return cp_conjugate(cp_transpose(a, CP_ALL)); }
static inline double largest(cp_array *x)
{
    ok(x);
    return cp_item_float(cp_max(cp_absolute(x)));
}
static inline double length(cp_array *x)
{
    ok(x);
    cp_array *size = cp_astype(cp_absolute(x), CP_FLOAT64);
    return sqrt(cp_item_float(cp_sum(cp_multiply(size, size))));
}
#define check_below(value, bound)                                                               \
    do {                                                                                        \
        const double value_ = (value), bound_ = (bound);                                        \
        if (!(value_ <= bound_)) fail_msg("%s is %g, not below %g", #value, value_, bound_);    \
    } while (0)
#define fails(call, code, text)  \
    do {                         \
        assert_null(call);       \
        failed_with(code, text); \
    } while (0)

/* A function that multiplies by a dense matrix, and by its adjoint, and counts. */
typedef struct dense { cp_array *a, *adjoint; int calls; } dense;
static inline cp_array *times(void *context, cp_array *x)
{
    dense *d = context;
    d->calls++;
    return cp_matmul(d->a, x);
}
static inline cp_array *times_adjoint(void *context, cp_array *x)
{
    dense *d = context;
    d->calls++;
    return cp_matmul(d->adjoint, x);
}
static inline cp_sparse_map map_of(dense *d)
{
    return (cp_sparse_map){cp_dim(d->a, 0), cp_dim(d->a, 1), cp_type_of(d->a), times, times_adjoint, d};
}
static inline dense dense_map(cp_array *a) { return (dense){a, turned(a), 0}; }

#endif
