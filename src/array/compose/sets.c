/* Sets as sorted 1-d arrays, and functions that are sorts in another form. NaN equals nothing, not even itself. */
#include "backend/scope.h"
#include "compose/compose.h"

/* The elements flattened, sorted and unique; only flattened where they are unique already. */
static cp_array *elements(cp_array *x, bool are_unique)
{
    return !x ? NULL : are_unique ? cp_ravel(x) : cp_unique(x);
}

static cp_array *joined(cp_array *a, cp_array *b)
{
    cp_array *both[2] = {a, b};
    return a && b ? cp_concatenate(2, both, 0) : NULL;
}

/* x[1:] op x[:-1] */
static cp_array *neighbours(cp_op op, cp_array *x)
{
    cp_array *later = cpi_range(x, 0, 1, INT64_MAX), *former = later ? cpi_range(x, 0, 0, -1) : NULL;
    return former ? cpi_apply_2(op, later, former, NULL) : NULL;
}

/*: function("union1d", "ar1: array_like, ar2: array_like", doc="The union of two arrays: sorted, unique.") */
cp_array *cp_union1d(cp_array *ar1, cp_array *ar2)
{
    cpi_composite f;
    if (cpi_null("union1d", ar2) || !cpi_begin(&f, "union1d", ar1)) return NULL;
    cp_array *all = joined(cp_ravel(ar1), cp_ravel(ar2));
    return cpi_end(&f, all ? cp_unique(all) : NULL);
}

/* Maps indices of the unique elements to indices of the original array, by the indices of first occurrences. */
static cp_array *through(cp_array *first, cp_array *indices)
{
    return first && indices ? cp_take(first, indices, 0) : indices;
}

typedef struct common { cp_array *values, *comm1, *comm2; } common;

/* The common elements of two arrays without repetitions, and their indices in each. */
static bool intersect(cp_array *a, cp_array *b, bool indices, common *c)
{
    cp_array *all = joined(a, b), *order = all && indices ? cp_argsort(all, 0) : NULL;
    cp_array *sorted = !all ? NULL : indices ? (order ? cp_take(all, order, 0) : NULL) : cp_sort(all, 0);
    cp_array *mask = sorted ? neighbours(CP_OP_equal, sorted) : NULL;
    c->values = mask ? cp_mask_get(cpi_range(sorted, 0, 0, -1), mask) : NULL;
    if (!c->values || !indices) return c->values;
    c->comm1 = cp_mask_get(cpi_range(order, 0, 0, -1), mask);
    cp_array *second = c->comm1 ? cp_mask_get(cpi_range(order, 0, 1, INT64_MAX), mask) : NULL;
    c->comm2 = second ? cp_subtract(second, cp_int(cp_size(a))) : NULL;
    return c->comm2;
}

/*: function("intersect1d",
             "ar1: array_like, ar2: array_like, assume_unique: bool = False, return_indices: bool = False",
             returns="array, comm1, comm2 if return_indices",
             doc="""The intersection of two arrays: sorted, unique. With return_indices also the indices of the first
occurrences in each of them, flattened.""") */
cp_array *(cp_intersect1d)(cp_array *ar1, cp_array *ar2, const cp_intersect1d_options *options)
{
    const cp_intersect1d_options *o = CPI_GIVEN(cp_intersect1d_options, options);
    cpi_composite f;
    common c = {0};
    bool indices = o->comm1 || o->comm2, once = o->assume_unique;
    if (o->comm1) *o->comm1 = NULL;
    if (o->comm2) *o->comm2 = NULL;
    if (cpi_null("intersect1d", ar2) || !cpi_begin(&f, "intersect1d", ar1)) return NULL;
    cp_array *first1 = NULL, *first2 = NULL, *a, *b;
    a = once || !indices ? elements(ar1, once) : cp_unique(ar1, .index = &first1);
    b = !a ? NULL : once || !indices ? elements(ar2, once) : cp_unique(ar2, .index = &first2);
    if (!b || !(cp_size(a) + cp_size(b))) {
        c.values = b ? joined(a, b) : NULL;
        if (c.values && indices) c.comm1 = cp_zeros(CP_SHAPE(0), CP_INT64), c.comm2 = cp_zeros(CP_SHAPE(0), CP_INT64);
    } else if (!intersect(a, b, indices, &c)) {
        c.values = NULL;
    }
    if (c.values && indices) {
        c.comm1 = through(first1, c.comm1), c.comm2 = c.comm1 ? through(first2, c.comm2) : NULL;
        if (!c.comm2) c.values = NULL;
    }
    if (c.values && o->comm1) *o->comm1 = cp_keep(c.comm1);
    if (c.values && o->comm2) *o->comm2 = cp_keep(c.comm2);
    cp_array *common = cpi_end(&f, c.values);
    if (common && o->comm1) cpi_into_scope(*o->comm1);
    if (common && o->comm2) cpi_into_scope(*o->comm2);
    return common;
}

/*: function("setdiff1d", "ar1: array_like, ar2: array_like, assume_unique: bool = False",
             like=True, doc="Elements of ar1 not in ar2: sorted, unique; with assume_unique in ar1's order.") */
cp_array *(cp_setdiff1d)(cp_array *ar1, cp_array *ar2, const cp_setdiff1d_options *options)
{
    cpi_composite f;
    if (cpi_null("setdiff1d", ar2) || !cpi_begin(&f, "setdiff1d", ar1)) return NULL;
    cp_array *a = elements(ar1, options && options->assume_unique);
    cp_array *mask = a ? cp_isin(a, ar2, .invert = true) : NULL;
    return cpi_end(&f, mask ? cp_mask_get(a, mask) : NULL);
}

/*: function("setxor1d", "ar1: array_like, ar2: array_like, assume_unique: bool = False",
             doc="Elements of one array that are not in the other: sorted, unique.") */
cp_array *(cp_setxor1d)(cp_array *ar1, cp_array *ar2, const cp_setxor1d_options *options)
{
    bool once = options && options->assume_unique;
    cpi_composite f;
    if (cpi_null("setxor1d", ar2) || !cpi_begin(&f, "setxor1d", ar1)) return NULL;
    cp_array *all = joined(elements(ar1, once), elements(ar2, once)), *sorted = all ? cp_sort(all, 0) : NULL;
    if (!sorted || !cp_size(sorted)) return cpi_end(&f, sorted);
    cp_array *end = cp_ones(CP_SHAPE(1), CP_BOOL), *inner = end ? neighbours(CP_OP_not_equal, sorted) : NULL;
    cp_array *flags = inner ? joined(joined(end, inner), end) : NULL;
    cp_array *alone = flags ? neighbours(CP_OP_logical_and, flags) : NULL;
    return cpi_end(&f, alone ? cp_mask_get(sorted, alone) : NULL);
}

/*: function("sort_complex", "a: array_like",
             doc="A copy sorted along the last axis, as complex numbers: complex64 for integers of 8 and 16 bits.") */
cp_array *cp_sort_complex(cp_array *a)
{
    cpi_composite f;
    if (!cpi_begin(&f, "sort_complex", a)) return NULL;
    cp_array *r = cp_sort(a, -1);
    char kind = r ? cp_type_kind(cp_type_of(r)) : 0;
    bool small = (kind == 'i' || kind == 'u') && cp_type_size(cp_type_of(r)) <= 2;
    return cpi_end(&f, r && kind != 'c' ? cp_astype(r, small ? CP_COMPLEX64 : CP_COMPLEX128) : r);
}

/*: function("msort", "a: array_like", doc="A copy sorted along the first axis.") */
cp_array *cp_msort(cp_array *a) { return cp_sort(a, 0); }
