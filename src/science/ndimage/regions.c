/* Regions as lists of elements: a stable sort by label puts those of a region side by side, in C order. */
#include "cuprite/ndimage.h"

#include "compose/compose.h"
#include "operands/operands.h"

/* --- where values lie --- */

/* The positions of linear indices, (ndim, size); those of a 0-d array are none. */
static cp_array *positions_of(const cp_array *x, cp_array *order)
{
    const cp_shape shape = {x->ndim, x->shape};
    if (!x->ndim || !x->size) return cp_zeros(CP_SHAPE(x->ndim, x->size), CP_INT64);
    return cp_unravel_index(order, shape);
}

/*: python_module("_regions", doc="Regions as lists of elements, behind cuprite.scipy.ndimage.") */
/*: function("value_indices", "x: array", module="_regions", returns="(values, ends, positions)", unlock="always",
             raises={"ValueError": "anything but integers"},
             doc="""Distinct values, ascending, and all positions, sorted by them: value i has the columns ends[i - 1]
to ends[i] - 1.""") */
cp_code cp_value_indices(cp_array *x, cp_array **values, cp_array **ends, cp_array **positions)
{
    const char *name = "value_indices";
    cpi_composite f;
    cp_array *made[3] = {NULL}, **to[3] = {values, ends, positions};
    for (int i = 0; i < 3; i++) {
        if (cpi_null(name, to[i])) return CP_ERROR_VALUE;
        *to[i] = NULL;
    }
    if (cpi_null(name, x)) return cp_error();
    if (!cpi_is_int(x->type)) return cpi_fail(CP_ERROR_VALUE, "%s: the array must be one of integers", name);
    if (!cpi_begin(&f, name, x)) return cp_error();
    cp_array *flat = cp_contiguous(cp_ravel(x)), *order = cp_argsort(flat, 0), *counts = NULL;
    made[0] = order ? cp_unique(flat, .counts = &counts) : NULL;
    made[1] = made[0] ? cp_cumsum(counts, 0) : NULL;
    made[2] = made[1] ? positions_of(x, order) : NULL;
    for (int i = 0; i < 3 && made[2]; i++) *to[i] = cp_keep(made[i]);
    cpi_end(&f, NULL);
    for (int i = 0; i < 3 && made[2]; i++) cpi_into_scope(made[i]);
    return made[2] ? CP_OK : cp_error();
}

/* --- functions of regions --- */

typedef struct regions {
    const char *name;
    cp_region_function function;
    void *context;
    cp_array *elements, *places;    /* 1-d, of all or of the labelled elements; places: or NULL */
} regions;

/* What the function makes of elements from .. to - 1; it has one element where `one`. */
static cp_array *call_region(const regions *f, int64_t from, int64_t to, bool one)
{
    const bool all = !from && to == f->elements->size;
    cp_array *x = all ? f->elements : cpi_range(f->elements, 0, from, to);
    cp_array *at = f->places && !all ? cpi_range(f->places, 0, from, to) : f->places;
    cp_array *r = x && (at || !f->places) ? f->function(f->context, x, at) : NULL;
    if (r && one && r->size != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: the function must give one element", f->name), NULL;
    if (r || cp_error()) return r;
    return cpi_fail(CP_ERROR_RUNTIME, "%s: unknown error in region function", f->name), NULL;
}

/* The index as labels' type, 1-d; an error where that does not have its values. */
static cp_array *index_as(const char *name, cp_array *index, cp_type labels)
{
    cp_array *same = cp_ravel(cp_astype(index, labels));
    cp_array *differs = same ? cp_any(cp_not_equal(cp_astype(same, index->type), cp_ravel(index))) : NULL;
    bool lost = false;
    if (!differs || cp_to_host(differs, &lost, sizeof lost)) return NULL;
    if (!lost) return same;
    return cpi_fail(CP_ERROR_VALUE, "%s: Cannot convert index values from <%s> to <%s> (labels' type) without loss of "
                    "precision", name, cp_type_name(index->type), cp_type_name(labels)), NULL;
}

/* One result after the other for n regions: elements from[i] .. to[i] - 1. */
static cp_array *each_region(const regions *f, int64_t n, const int64_t *from, const int64_t *to, cp_array *empty,
                             cp_type type)
{
    cp_array *r = cp_empty(CP_SHAPE(n), type);
    for (int64_t i = 0; r && i < n; i++) {
        cp_scope *own = cp_scope_begin();
        cp_array *one = from[i] < to[i] ? call_region(f, from[i], to[i], true) : empty;
        cp_array *place = own && one ? cpi_range(r, 0, i, i + 1) : NULL;
        if (!place || cp_assign(place, one->ndim > 1 ? cp_ravel(one) : one)) r = NULL;
        cp_scope_end(own);
    }
    return r;
}

/* A result for each label of the index. */
static cp_array *of_index(regions *f, cp_array *labels, cp_array *index, cp_array *empty, cp_type type)
{
    cp_array *wanted = index_as(f->name, index, labels->type), *flat = cp_contiguous(cp_ravel(labels)), *r = NULL;
    cp_array *order = wanted && flat ? cp_argsort(flat, 0, .stable = true) : NULL;
    cp_array *sorted = order ? cp_take(flat, order, 0) : NULL;
    cp_array *low = sorted ? cp_searchsorted(sorted, wanted) : NULL;
    cp_array *high = low ? cp_searchsorted(sorted, wanted, .side = CP_SIDE_RIGHT) : NULL;
    f->elements = high ? cp_take(f->elements, order, 0) : NULL;
    f->places = f->elements && f->places ? order : NULL;
    int64_t *ends = f->elements ? cpi_malloc((size_t)(2 * wanted->size + 1) * sizeof *ends) : NULL;
    const size_t bytes = (size_t)(wanted ? wanted->size : 0) * sizeof *ends;
    if (ends && !cp_to_host(low, ends, bytes) && !cp_to_host(high, ends + wanted->size, bytes))
        r = each_region(f, wanted->size, ends, ends + wanted->size, empty, type);
    cpi_free_host(ends);
    return r ? cp_reshape(r, (cp_shape){index->ndim, index->shape}) : NULL;
}

static cp_array *of_regions(regions *f, cp_array *x, cp_array *labels, cp_array *index,
                            const cp_labeled_comprehension_options *o)
{
    int ndim;
    int64_t shape[CP_MAXDIM];
    if (cpi_common_shape(f->name, 2, (cp_array *[]){x, labels}, &ndim, shape)) return NULL;
    const cp_shape whole = {ndim, shape};
    f->elements = cp_contiguous(cp_ravel(labels ? cp_broadcast_to(x, whole) : x));
    if (!f->elements) return NULL;
    if (o->pass_positions && !(f->places = cp_arange(0, (double)f->elements->size, 1, CP_INT64))) return NULL;
    if (!labels) return call_region(f, 0, f->elements->size, false);
    labels = cp_broadcast_to(labels, whole);
    if (index && labels)
        return of_index(f, labels, index, o->empty ? o->empty : cp_int(0), o->typed ? o->dtype : CP_FLOAT64);
    cp_array *chosen = labels ? cp_ravel(cp_greater(labels, cp_int(0))) : NULL;
    f->elements = chosen ? cp_compress(chosen, f->elements, 0) : NULL;
    if (f->places) f->places = chosen ? cp_compress(chosen, f->places, 0) : NULL;
    if (!f->elements || (o->pass_positions && !f->places)) return NULL;
    return call_region(f, 0, f->elements->size, false);
}

cp_array *(cp_labeled_comprehension)(cp_array *x, cp_array *labels, cp_array *index, cp_region_function function,
                                     void *context, const cp_labeled_comprehension_options *options)
{
    const cp_labeled_comprehension_options *o = CPI_GIVEN(cp_labeled_comprehension_options, options);
    regions f = {.name = "labeled_comprehension", .function = function, .context = context};
    cpi_composite scope;
    cp_array *all[3] = {x, labels, index};
    if (cpi_null(f.name, x)) return NULL;
    if (!function) return cpi_fail(CP_ERROR_VALUE, "%s: no function is given", f.name), NULL;
    if (index && !labels) return cpi_fail(CP_ERROR_VALUE, "%s: index without defined labels", f.name), NULL;
    if (labels && (cpi_check_real(f.name, labels) || (index && cpi_check_real(f.name, index)))) return NULL;
    if (o->typed && cpi_check_type(f.name, o->dtype)) return NULL;
    if (o->empty && o->empty->size != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: the result of a region without elements is one number", f.name), NULL;
    if (!cpi_common_device(f.name, 3, all) || !cpi_begin(&scope, f.name, x)) return NULL;
    cp_array *r = of_regions(&f, x, labels, index, o);
    return cpi_end(&scope, r == x ? cpi_again(r) : r);
}
