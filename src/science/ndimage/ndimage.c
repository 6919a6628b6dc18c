/* The front of cp_label: checks, and the plan that backends work from.
 *
 * Invariant: a plan's lines are C-contiguous, none of its leading axes has extent 1, and its neighbours come
 * before the line in C order, so that the first element of a component is its smallest position. */
#include "cuprite/ndimage.h"

#include <string.h>

#include "operands/operands.h"
#include "ndimage/ndimage.h"

/* The structure as bytes in host memory (3^ndim of them), or NULL with the error written. */
static uint8_t *read_structure(cp_array *structure, int ndim)
{
    if (structure->ndim != ndim) {
        cpi_fail(CP_ERROR_RUNTIME, "label: structure and input must have equal rank");
        return NULL;
    }
    for (int a = 0; a < ndim; a++)
        if (structure->shape[a] != 3) {
            cpi_fail(CP_ERROR_VALUE, "label: structure dimensions must be equal to 3");
            return NULL;
        }
    cp_array *plain = cp_contiguous(structure);
    size_t each = (size_t)cpi_itemsize(structure->type), n = (size_t)structure->size;
    uint8_t *bytes = plain ? cpi_malloc(n * each) : NULL;
    bool good = bytes && cp_to_host(plain, bytes, n * each) == CP_OK;
    cp_free(plain);
    for (size_t i = 0; good && i < n; i++) {
        uint8_t truth;
        cpi_convert_value(structure->type, bytes + i * each, CP_BOOL, &truth);
        bytes[i] = truth;
    }
    for (size_t i = 0; good && i < n / 2; i++)
        if (bytes[i] != bytes[n - 1 - i]) {
            cpi_fail(CP_ERROR_VALUE, "label: structuring element is not symmetric");
            good = false;
        }
    if (!good) {
        cpi_free_host(bytes);
        return NULL;
    }
    return bytes;
}

/* The cross: the line before along each leading axis, element over element. */
static void cross(cpi_label_plan *plan, cpi_neighbour *list)
{
    int64_t stride = 1;
    for (int a = plan->axes; a-- > 0;) {
        list[a] = (cpi_neighbour){stride, (uint64_t)1 << a, 0, CPI_REACH_SAME};
        stride *= plan->lead[a];
    }
    plan->neighbours = plan->axes;
    plan->joined = true;
}

/* Which of the three elements at `at` of the structure (last kept axis varying by `step`) connect. */
static int reach_of(const uint8_t *structure, int64_t at, int64_t step)
{
    return (structure[at - step] ? CPI_REACH_BACK : 0) | (structure[at] ? CPI_REACH_SAME : 0) |
           (structure[at + step] ? CPI_REACH_AHEAD : 0);
}

/* The neighbours a structure names. `step[a]` is the structure's stride along plan axis a, step[axes] along the
 * line, `centre` its centre; `list` has room for (3^axes - 1) / 2. */
static void from_structure(cpi_label_plan *plan, cpi_neighbour *list, const uint8_t *structure, int64_t centre,
                           const int64_t *step)
{
    int axes = plan->axes, offset[CP_MAXDIM];
    for (int a = 0; a < axes; a++) offset[a] = -1;
    plan->neighbours = 0;
    for (;;) {
        int first = 0;
        while (first < axes && offset[first] == 0) first++;
        if (first == axes) break; /* the centre: what follows mirrors what came */
        int64_t at = centre, delta = 0, stride = 1;
        cpi_neighbour n = {0};
        for (int a = axes; a-- > 0;) {
            at += offset[a] * step[a];
            delta -= offset[a] * stride;
            stride *= plan->lead[a];
            if (offset[a] < 0) n.minus |= (uint64_t)1 << a;
            if (offset[a] > 0) n.plus |= (uint64_t)1 << a;
        }
        n.delta = delta;
        n.reach = reach_of(structure, at, step[axes]);
        if (n.reach) list[plan->neighbours++] = n;
        int a = axes - 1;
        while (a >= 0 && offset[a] == 1) offset[a--] = -1;
        offset[a]++;
    }
    plan->joined = structure[centre + step[axes]] != 0;
}

/* Fills the plan for an array of this shape; *list is to be freed with cpi_free_host. */
static cp_code plan_label(cpi_label_plan *plan, int ndim, const int64_t *shape, cp_array *structure,
                          cpi_neighbour **list)
{
    int64_t step[CP_MAXDIM + 1], kept_step[CP_MAXDIM + 1], power = 1, most = 1;
    uint8_t *bytes = NULL;
    if (structure) {
        bytes = read_structure(structure, ndim);
        if (!bytes) return cp_error();
        for (int a = ndim; a-- > 0; power *= 3) step[a] = power;
    }
    int kept = 0;
    int64_t extent[CP_MAXDIM];
    for (int a = 0; a < ndim; a++)
        if (shape[a] != 1) {
            kept_step[kept] = structure ? step[a] : 0;
            extent[kept++] = shape[a];
        }
    plan->lines = plan->width = 1;
    plan->axes = kept ? kept - 1 : 0;
    for (int a = 0; a < plan->axes; a++) {
        plan->lead[a] = extent[a];
        plan->lines *= extent[a];
        if (structure) most *= 3;
    }
    if (kept) plan->width = extent[kept - 1];
    *list = cpi_malloc(sizeof **list * (size_t)(structure ? most / 2 + 1 : plan->axes + 1));
    if (!*list) {
        cpi_free_host(bytes);
        return CP_ERROR_MEMORY;
    }
    plan->joined = true;
    plan->neighbours = 0;
    if (kept && structure)
        from_structure(plan, *list, bytes, power / 2, kept_step);
    else if (kept)
        cross(plan, *list);
    plan->neighbour = *list;
    cpi_free_host(bytes);
    return CP_OK;
}

/* Labels x into out, C-contiguous both and not empty. */
static cp_code label_into(cp_array *x, cp_array *structure, cp_array *out, int64_t *count)
{
    cpi_label_plan plan = {.limit = cpi_label_limit(out->type)};
    cpi_neighbour *list = NULL;
    cp_code code = plan_label(&plan, x->ndim, x->shape, structure, &list);
    if (!code) code = out->device->backend->ndimage->label(cpi_stream(out->device), &plan, x, out, count);
    cpi_free_host(list);
    return code;
}

/* An image without elements: the structure is checked all the same. */
static cp_code label_nothing(cp_array *x, cp_array *structure, int64_t *count)
{
    uint8_t *bytes = structure ? read_structure(structure, x->ndim) : NULL;
    if (structure && !bytes) return cp_error();
    cpi_free_host(bytes);
    if (count) *count = 0;
    return CP_OK;
}

cp_array *cp_label(cp_array *x, cp_array *structure, cp_array *out, int64_t *count)
{
    if (cpi_null("label", x) || cpi_check_real("label", x) || (out && cpi_check_real("label", out))) return NULL;
    cp_array *arrays[2] = {x, out};
    cpi_output o = {.function = "label", .device = cpi_common_device("label", 2, arrays), .ndim = x->ndim,
                    .shape = x->shape, .out = out, .dense = true};
    o.type = out ? out->type : x->size >= INT32_MAX - 1 ? CP_INT64 : CP_INT32;
    /* backends label in place, so an array that is labelled into itself needs no copy */
    if (!o.device || cpi_output_open(&o, out != x, &x)) return NULL;
    if (!x->size) return cpi_output_close(&o, label_nothing(x, structure, count));
    cp_array *dense = cpi_dense("label", x, x->type, o.device);
    cp_code code = dense ? label_into(dense, structure, o.array, count) : cp_error();
    cp_free(dense);
    return cpi_output_close(&o, code);
}
