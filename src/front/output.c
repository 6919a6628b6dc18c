/* Where results go. Invariant: an array given as out= changes only when everything before its last assignment has
 * succeeded, or when the kernel writes to it directly. */
#include "front/front.h"

cp_code cpi_check_out(const cpi_output *o)
{
    char have[256], want[256];
    const cp_array *out = o->out;
    if (cpi_check_writable(o->function, out)) return cp_error();
    cpi_array_used(out);
    if (o->device && out->device != o->device)
        return cpi_fail(CP_ERROR_VALUE, "%s: operands lie on different devices (%s and %s)", o->function,
                        o->device->label, out->device->label);
    if (!cpi_has_shape(out, o->ndim, o->shape))
        return cpi_fail(CP_ERROR_VALUE, "%s: out has shape %s, the result %s", o->function,
                        cpi_shape_text(out->ndim, out->shape, have, sizeof have),
                        cpi_shape_text(o->ndim, o->shape, want, sizeof want));
    if (!cp_can_cast(o->type, out->type, o->casting))
        return cpi_fail(CP_ERROR_CASTING, "%s: Cannot cast the output from dtype('%s') to dtype('%s') with casting rule "
                        "'%s'", o->function, cp_type_name(o->type), cp_type_name(out->type),
                        cpi_casting_name(o->casting));
    return CP_OK;
}

/* May the kernel write to out itself? */
static bool is_direct(const cpi_output *o, int n, cp_array *const *inputs)
{
    const cp_array *out = o->out;
    if (out->type != o->type || (o->dense && !cp_is_c_contiguous(out))) return false;
    for (int i = 0; i < n; i++)
        if (inputs[i] && cpi_may_overlap(out, inputs[i])) return false;
    return true;
}

cp_code cpi_output_open(cpi_output *o, int n, cp_array *const *inputs)
{
    o->array = NULL;
    if (o->out && cpi_check_out(o)) return cp_error();
    o->array = o->out && is_direct(o, n, inputs) ? cp_retain(o->out)
                                                 : cpi_array_new(o->function, o->device, o->type, o->ndim, o->shape, 'C');
    return o->array ? CP_OK : cp_error();
}

cp_array *cpi_output_close(cpi_output *o, cp_code code)
{
    cp_array *made = o->array;
    o->array = NULL;
    if (!code && !o->out) return made;
    if (!code && made != o->out) code = cp_assign(o->out, made);
    cp_free(made);
    return code ? NULL : cpi_again(o->out);
}

cp_array *cpi_deliver(const char *function, cp_array *result, cp_array *out, cp_casting casting)
{
    if (!result || !out) return result;
    cpi_output o = {.function = function, .type = result->type, .ndim = result->ndim, .shape = result->shape,
                    .out = out, .casting = casting};
    cp_code code = cpi_check_out(&o);
    if (!code) code = cp_assign(out, result);
    cp_free(result);
    return code ? NULL : cpi_again(out);
}
