/* Copying into an array: broadcast, under a casting rule, where a mask is true. */
#include "operands/operands.h"

/* A number of Python's goes to any type of its kind or a higher one, but for the rules that take it as typed. */
static cp_code check_cast(const cp_array *dst, const cp_array *src, cp_casting rule)
{
    bool weak = rule == CP_SAFE || rule == CP_SAME_KIND;
    return cpi_check_cast("copyto", CPI_DATA, weak ? cpi_counts_as(src, dst->type) : src->type, dst->type, rule);
}

/* x without the leading axes of extent 1 that it has before `ndim` others; x itself (retained) where there are none. */
static cp_array *trimmed(cp_array *x, int ndim)
{
    int skip = x->ndim - ndim;
    for (int i = 0; i < skip; i++)
        if (x->shape[i] != 1) skip = 0; /* the broadcast refuses it */
    return skip <= 0 ? cp_retain(x) : cpi_array_view(x, x->type, ndim, x->shape + skip, x->strides + skip, x->data);
}

/* src where the mask is true, on the device of dst and apart from it. */
static cp_code copy_masked(cp_array *dst, cp_array *src, cp_array *mask)
{
    bool host = src->flags & CPI_HOST_SCALAR;
    cp_array *from = host || !cpi_may_overlap(dst, src) ? cp_retain(src) : cp_copy_order(src, 'K');
    cp_array *near = from && !host ? trimmed(from, dst->ndim) : NULL;
    cp_array *wide = near ? cpi_broadcast_view("copyto", near, dst->ndim, dst->shape) : host ? cp_retain(from) : NULL;
    cp_array *apart = wide && cpi_may_overlap(dst, mask) ? cp_copy(mask) : cp_retain(mask);
    cp_code code = cp_error();
    if (wide && apart) code = cpi_assign_where(dst, wide, apart, dst->ndim, dst->shape);
    cp_free(apart);
    cp_free(wide);
    cp_free(near);
    cp_free(from);
    return code;
}

cp_code(cp_copyto)(cp_array *dst, cp_array *src, const cp_copyto_options *options)
{
    const cp_copyto_options *o = CPI_GIVEN(cp_copyto_options, options);
    cp_array *all[3] = {dst, src, o->where};
    cp_code code;
    if (cpi_null("copyto", dst) || cpi_null("copyto", src)) return cp_error();
    if ((code = cpi_check_writable("copyto", dst)) || (code = check_cast(dst, src, o->casting))) return code;
    if (!cpi_common_device("copyto", 3, all)) return cp_error();
    if (!o->where) return cp_assign(dst, src);
    cp_array *mask = cpi_mask("copyto", o->where, dst->device, dst->ndim, dst->shape);
    code = mask ? copy_masked(dst, src, mask) : cp_error();
    cp_free(mask);
    return code;
}
