/* Outputs of operations. Invariant: an array given as out= changes only when everything before its last assignment
 * has succeeded, or when the kernel writes to it directly. */
#include "operands/operands.h"
#include "move/move.h"

/* The absolute stride of an operand along an axis of the result; 0 where it does not constrain the axis order. */
static int64_t step(const cp_array *x, int ndim, int axis)
{
    int at = axis - (ndim - x->ndim);
    int64_t s = at < 0 || x->shape[at] == 1 ? 0 : x->strides[at];
    return s < 0 ? -s : s;
}

/* Should the outer axis lie inside the inner one? 1 yes; 0 no, for which one operand suffices; -1 undetermined. */
static int turns(int ndim, int n, cp_array *const *inputs, int outer, int inner)
{
    int verdict = -1;
    for (int k = 0; k < n; k++) {
        int64_t so = inputs[k] ? step(inputs[k], ndim, outer) : 0, si = inputs[k] ? step(inputs[k], ndim, inner) : 0;
        if (!so || !si) continue;
        if (si <= so) return 0;
        verdict = 1;
    }
    return verdict;
}

/* Insertion sort of the axes from the last one. An axis moves as far as an operand requires it, past undetermined
 * axes: exactly NumPy's order. */
bool cpi_common_order(int ndim, int n, cp_array *const *inputs, int64_t *strides)
{
    int order[CP_MAXDIM]; /* innermost first */
    bool changed = false;
    for (int i = 0; i < ndim; i++) {
        int axis = ndim - 1 - i, place = i;
        for (int j = i - 1; j >= 0; j--) {
            int verdict = turns(ndim, n, inputs, axis, order[j]);
            if (verdict == 0) break;
            if (verdict > 0) place = j;
        }
        for (int j = i; j > place; j--) order[j] = order[j - 1];
        order[place] = axis;
        changed |= place != i;
    }
    for (int j = 0; j < ndim; j++) strides[order[j]] = j + 1;
    return changed;
}

cp_array *cpi_array_for(const char *function, cpi_device *device, cp_type type, int ndim, const int64_t *shape, int n,
                        cp_array *const *inputs)
{
    int64_t strides[CP_MAXDIM];
    if (ndim < 2 || !cpi_common_order(ndim, n, inputs, strides))
        return cpi_array_new(function, device, type, ndim, shape, 'C');
    cp_array like = {.device = device, .ndim = ndim, .strides = strides};
    return cpi_array_like(function, &like, type, ndim, shape);
}

cp_code cpi_broadcast_output(const char *function, const cp_array *out, int *ndim, int64_t *shape)
{
    char have[160], want[160];
    if (cpi_has_shape(out, *ndim, shape)) return CP_OK;
    cp_code code = cpi_broadcast(function, ndim, shape, out->ndim, out->shape);
    if (code || cpi_has_shape(out, *ndim, shape)) return code;
    return cpi_fail(CP_ERROR_VALUE, "%s: non-broadcastable output operand with shape %s doesn't match the broadcast "
                    "shape %s", function, cpi_shape_string(out->ndim, out->shape, have, sizeof have),
                    cpi_shape_string(*ndim, shape, want, sizeof want));
}

cp_code cpi_assign_where(cp_array *out, cp_array *x, cp_array *where, int ndim, const int64_t *shape)
{
    if (!where) return cp_assign(out, x);
    cpi_loop loop;
    cpi_loop_init(&loop, ndim, shape, 3, (const cp_array *const[]){out, x, where});
    cpi_loop_coalesce(&loop);
    return loop.size ? out->device->backend->move->copy(cpi_stream(out->device), &loop) : CP_OK;
}

cp_code cpi_check_out(const cpi_output *o)
{
    char have[256], want[256];
    const cp_array *out = o->out;
    if (cpi_check_writable(o->function, out)) return cp_error();
    cpi_array_used(out);
    if (o->device && out->device != o->device)
        return cpi_fail(CP_ERROR_TWO_DEVICES, "%s: operands lie on different devices (%s and %s)", o->function,
                        o->device->label, out->device->label);
    if (!cpi_has_shape(out, o->ndim, o->shape))
        return cpi_fail(CP_ERROR_VALUE, "%s: out has shape %s, the result %s", o->function,
                        cpi_shape_string(out->ndim, out->shape, have, sizeof have),
                        cpi_shape_string(o->ndim, o->shape, want, sizeof want));
    return cpi_check_cast(o->function, CPI_OUTPUT, o->type, out->type, o->casting);
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
             : cpi_array_for(o->function, o->device, o->type, o->ndim, o->shape, o->nlike, o->like);
    return o->array ? CP_OK : cp_error();
}

cp_code cpi_output_separate(cpi_output *o)
{
    cp_array *fresh = cpi_array_new(o->function, o->device, o->type, o->ndim, o->shape, 'C');
    if (!fresh) return cp_error();
    cp_free(o->array);
    o->array = fresh;
    return CP_OK;
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
