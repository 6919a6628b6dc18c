/* Diagonals and triangles: matrices of them, and assignment to them. */
#include "backend/array.h"
#include "compose/compose.h"
#include "operands/operands.h"
#include "shape/triangles.h"

#include <stdlib.h>
#include <string.h>

/* Zeros with v on the k-th diagonal. */
static cp_array *matrix_of(cp_array *v, int64_t k)
{
    int64_t n = cp_size(v), side;
    if (k < -INT64_MAX || __builtin_add_overflow(n, llabs(k), &side))
        return cpi_fail(CP_ERROR_VALUE, "diag: offset %lld is too large", (long long)k), NULL;
    cp_array *r = cp_zeros(CP_SHAPE(side, side), cp_type_of(v)), *d = r && n ? cp_diagonal(r, k, 0, 1) : NULL;
    if (n && (!d || cp_assign(d, v))) return NULL;
    return r;
}

/*: function("diag", "v: array_like, k: int64 = 0",
             like=True,
             doc="The k-th diagonal of a 2-d array, a view; of a 1-d array the square matrix that has it there.") */
cp_array *(cp_diag)(cp_array *v, const cp_diag_options *options)
{
    int64_t k = options ? options->k : 0;
    cpi_composite f;
    if (!cpi_begin(&f, "diag", v)) return NULL;
    if (cp_ndim(v) == 1) return cpi_end(&f, matrix_of(v, k));
    if (cp_ndim(v) == 2) return cpi_end(&f, cp_diagonal(v, k, 0, 1));
    return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "diag: Input must be 1- or 2-d."), NULL));
}

/*: function("diagflat", "v: array_like, k: int64 = 0",
             like=True, doc="The square matrix that has the flattened array as its k-th diagonal.") */
cp_array *(cp_diagflat)(cp_array *v, const cp_diagflat_options *options)
{
    cpi_composite f;
    if (!cpi_begin(&f, "diagflat", v)) return NULL;
    cp_array *flat = cp_ravel(v);
    return cpi_end(&f, flat ? matrix_of(flat, options ? options->k : 0) : NULL);
}

/*: function("tri", "N: extent, M: extent, k: clamped_int64, dtype: dtype", module="_indexing",
             call="cp_tri(N, M, k, dtype)",
             doc="Ones on and below the k-th diagonal of an N by M array, 0 elsewhere.") */
cp_array *cp_tri(int64_t N, int64_t M, int64_t k, cp_type dtype)
{
    cp_array *one = cp_ones(CP_SHAPE0, dtype), *all = one ? cp_broadcast_to(one, CP_SHAPE(N, M)) : NULL;
    cp_array *r = all ? cpi_triangles("tri", all, k, false) : NULL;
    cp_free(one), cp_free(all);
    return r;
}

/* --- assignment --- */

/* The elements of the flattened array that fill_diagonal assigns: their number and stride. */
static cp_code measure(const cp_array *a, bool wrap, int64_t *count, int64_t *step)
{
    int nd = a->ndim;
    if (nd < 2) return cpi_fail(CP_ERROR_VALUE, "fill_diagonal: array must be at least 2-d");
    int64_t least = a->shape[0], each = 1;
    *step = 1;
    for (int i = 1; i < nd; i++) {
        if (nd > 2 && a->shape[i] != a->shape[0])
            return cpi_fail(CP_ERROR_VALUE, "fill_diagonal: All dimensions of input must be of equal length");
        least = a->shape[i] < least ? a->shape[i] : least;
    }
    for (int i = nd - 1; i > 0; i--) each *= a->shape[i], *step += each;
    *count = nd == 2 && wrap && a->size ? (a->size - 1) / *step + 1 : least;
    return CP_OK;
}

/* The diagonal as a view. Where it wraps below the square, x must be C-contiguous. */
static cp_array *diagonal_view(cp_array *x, int64_t count, int64_t step)
{
    int64_t stride = 0;
    if (cp_is_c_contiguous(x)) stride = step * cpi_itemsize(x->type);
    else
        for (int i = 0; i < x->ndim; i++) stride += x->strides[i];
    return cpi_array_view(x, x->type, 1, &count, &stride, x->data);
}

static cp_code write_values(cp_array *view, cp_array *val)
{
    int64_t count = cp_size(view);
    if (!count) return CP_OK;
    if (cp_size(val) == 1) return cp_assign(view, cp_ndim(val) ? cp_reshape(val, CP_SHAPE0) : val);
    cp_array *line = cp_ravel(val);
    if (!line) return cp_error();
    cp_array *values = cp_size(line) >= count ? cpi_range(line, 0, 0, count)
                     : cp_take(line, cp_arange_int(0, count, 1, CP_INT64), 0, .mode = CP_INDEX_WRAP);
    return values ? cp_assign(view, values) : cp_error();
}

/*: function("fill_diagonal", "a: array, val: assigned, wrap: bool = False", returns="none",
             doc="""Writes val to the main diagonal of an array whose axes are equally long, or of a 2-d one, where
`wrap` begins it anew below the square. Several values come one after the other, and again from the first.""") */
cp_code (cp_fill_diagonal)(cp_array *a, cp_array *val, const cp_fill_diagonal_options *options)
{
    bool wrap = options && options->wrap, whole;
    int64_t count = 0, step = 1;
    _Alignas(16) unsigned char value[16];
    if (cpi_null("fill_diagonal", a) || cpi_null("fill_diagonal", val) || cpi_check_writable("fill_diagonal", a) ||
        measure(a, wrap, &count, &step))
        return cp_error();
    whole = !cpi_is_float(val->type) && !cpi_is_complex(val->type);
    if (val->flags & CPI_WEAK && whole && cpi_value_as("fill_diagonal", val, a->type, value)) return cp_error();
    if (!val->size || !count) return CP_OK;
    cpi_composite f;
    if (!cpi_begin(&f, "fill_diagonal", a)) return cp_error();
    bool apart = a->ndim == 2 && wrap && count > a->shape[1] && !cp_is_c_contiguous(a);
    cp_array *x = apart ? cp_copy(a) : a, *view = x ? diagonal_view(x, count, step) : NULL;
    cp_code code = view ? write_values(view, val) : cp_error();
    if (!code && apart) code = cp_assign(a, x);
    cpi_end(&f, NULL);
    return code;
}
