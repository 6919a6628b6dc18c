/* Copying into an array: broadcast, under a casting rule, where a mask is true. */
#include "operands/operands.h"

/* A Python number may become any type of its kind or a higher one, except under the rules that take it as typed. */
static cp_code check_cast(const cp_array *dst, const cp_array *src, cp_casting rule)
{
    bool weak = rule == CP_SAFE || rule == CP_SAME_KIND;
    return cpi_check_cast("copyto", CPI_DATA, weak ? cpi_counts_as(src, dst->type) : src->type, dst->type, rule);
}

/* x without its leading axes of length 1 beyond `ndim`; x itself (retained) where there are none. */
static cp_array *trimmed(cp_array *x, int ndim)
{
    int skip = x->ndim - ndim;
    for (int i = 0; i < skip; i++)
        if (x->shape[i] != 1) skip = 0; /* the broadcast fails */
    return skip <= 0 ? cp_retain(x) : cpi_array_view(x, x->type, ndim, x->shape + skip, x->strides + skip, x->data);
}

/* Copies src where the mask is true. src must be on dst's device and share no memory with it. */
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

static cp_code copied_to(cp_array *dst, cp_array *src, cp_array *where)
{
    cp_array *all[3] = {dst, src, where};
    if (!cpi_common_device("copyto", 3, all)) return cp_error();
    if (!where) return cp_assign(dst, src);
    cp_array *mask = cpi_mask("copyto", where, dst->device, dst->ndim, dst->shape);
    cp_code code = mask ? copy_masked(dst, src, mask) : cp_error();
    cp_free(mask);
    return code;
}

/* A source on another device is copied from there, as CuPy's is. */
cp_code(cp_copyto)(cp_array *dst, cp_array *src, const cp_copyto_options *options)
{
    const cp_copyto_options *o = CPI_GIVEN(cp_copyto_options, options);
    cp_code code;
    if (cpi_null("copyto", dst) || cpi_null("copyto", src)) return cp_error();
    if ((code = cpi_check_writable("copyto", dst)) || (code = check_cast(dst, src, o->casting))) return code;
    if (src->flags & CPI_HOST_SCALAR || src->device == dst->device) return copied_to(dst, src, o->where);
    cp_array *here = cp_to_device(src, dst->device->id);
    code = here ? copied_to(dst, here, o->where) : cp_error();
    cp_free(here);
    return code;
}
