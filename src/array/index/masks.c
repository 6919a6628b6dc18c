/* Assignment where masks are true, and choice by several conditions: made of masked copies and selections. */
#include "backend/array.h"
#include "cuprite/elementwise.h"
#include "cuprite/reduce.h"
#include "operands/operands.h"
#include "index/indexing.h"

/* Values must become the array's type without loss, as NumPy's do; a Python number must be a value of it. */
static cp_code check_values(const char *name, const cp_array *a, const cp_array *values)
{
    _Alignas(16) unsigned char value[16];
    if (values->flags & CPI_WEAK) {
        cp_code code = cpi_check_cast(name, CPI_DATA, cpi_counts_as(values, a->type), a->type, CP_SAFE);
        bool whole = !cpi_is_float(values->type) && !cpi_is_complex(values->type);
        return code || !whole ? code : cpi_value_as(name, values, a->type, value);
    }
    return cpi_check_cast(name, CPI_DATA, values->type, a->type, CP_SAFE);
}

static cp_code check_all(const char *name, cp_array *a, cp_array *mask, cp_array *values)
{
    if (cpi_null(name, a) || cpi_null(name, mask) || cpi_null(name, values) || cpi_check_writable(name, a))
        return cp_error();
    if (mask->size != a->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: mask and data must be the same size", name);
    return check_values(name, a, values);
}

/* The truth of each element, in a's shape. */
static cp_array *truth(cp_array *mask, const cp_array *a)
{
    cp_array *yes = mask->type == CP_BOOL ? cp_retain(mask) : cp_astype(mask, CP_BOOL);
    cp_array *r = yes ? cp_reshape(yes, (cp_shape){a->ndim, a->shape}) : NULL;
    cp_free(yes);
    return r;
}

/* The one value of an array; a number stays on the host. */
static cp_array *one_value(cp_array *values)
{
    return values->ndim ? cp_reshape(values, CP_SHAPE0) : cp_retain(values);
}

/*: function("putmask", "a: array, mask: array_like, values: safely_assigned", returns="none",
             doc="""Writes values where the mask is true, to each place that of the same place in the flattened values,
which come again when they are too few.""") */
cp_code cp_putmask(cp_array *a, cp_array *mask, cp_array *values)
{
    cp_code code = check_all("putmask", a, mask, values);
    cp_array *all[3] = {a, mask, values};
    cpi_device *device = code ? NULL : cpi_common_device("putmask", 3, all);
    if (!device) return cp_error();
    if (!a->size || !values->size) return CP_OK;
    cp_array *yes = truth(mask, a), *wide = NULL;
    if (yes && values->size == 1) {
        wide = one_value(values);
    } else if (yes) {
        cp_array *line = cpi_cycled("putmask", values, a->size, device);
        wide = line ? cp_reshape(line, (cp_shape){a->ndim, a->shape}) : NULL;
        cp_free(line);
    }
    code = wide ? cp_copyto(a, wide, .casting = CP_UNSAFE, .where = yes) : cp_error();
    cp_free(yes), cp_free(wide);
    return code;
}

/*: function("place", "arr: array, mask: array_like, vals: safely_assigned", returns="none",
             doc="""Writes the values one after the other where the mask is true, from the first again when they are too
few.""") */
cp_code cp_place(cp_array *arr, cp_array *mask, cp_array *vals)
{
    cp_code code = check_all("place", arr, mask, vals);
    cp_array *all[3] = {arr, mask, vals}, *count = NULL, *values = NULL;
    cpi_device *device = code ? NULL : cpi_common_device("place", 3, all);
    if (device && vals->size != 1 && vals->size >= arr->size) return cpi_assign_masked("place", arr, mask, vals);
    cp_array *yes = device ? truth(mask, arr) : NULL;
    if (!yes) return cp_error();
    if (vals->size != 1) {
        int64_t n = 0;
        if (!(count = cp_count_nonzero(yes)) || (n = cp_item_int(count), cp_error())) code = cp_error();
        if (!code && n && !vals->size) code = cpi_fail(CP_ERROR_VALUE, "place: Cannot insert from an empty array!");
        else if (!code && n) values = cpi_cycled("place", vals, n, device);
        if (!code && !n) goto done;
    } else {
        values = one_value(vals);
    }
    if (!code) code = values ? cp_mask_set(arr, yes, values) : cp_error();
done:
    cp_free(yes), cp_free(count), cp_free(values);
    return code;
}

/*: function("select", "condlist: arrays_or_numbers, choicelist: arrays_or_numbers, fallback: number_or_array_like",
             call="cp_select(condlist, choicelist, fallback)", module="_indexing",
             doc="""Each element from the first of the choices whose condition is true there, else the default; all
broadcast.""") */
cp_array *cp_select(int n, cp_array *const *condlist, int choices, cp_array *const *choicelist, cp_array *fallback)
{
    if (n != choices)
        return cpi_fail(CP_ERROR_VALUE, "select: list of cases must be same length as list of conditions"), NULL;
    if (n < 1) return cpi_fail(CP_ERROR_VALUE, "select: select with an empty condition list is not possible"), NULL;
    for (int i = 0; i < n; i++) {
        if (cpi_null("select", condlist[i]) || cpi_null("select", choicelist[i])) return NULL;
        if (condlist[i]->type != CP_BOOL)
            return cpi_fail(CP_ERROR_TYPE, "select: invalid entry %d in condlist: should be boolean ndarray", i), NULL;
    }
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array **all = cpi_calloc((size_t)n + 1, sizeof *all), *r = fallback ? fallback : cp_int(0);
    cp_type type = CP_BOOL;
    int ndim = 0;
    int64_t shape[CP_MAXDIM];
    if (all && r) {
        for (int i = 0; i < n; i++) all[i] = choicelist[i];
        all[n] = r;
        type = cpi_common_type(n + 1, all);
        if (cpi_common_shape("select", n, condlist, &ndim, shape)) r = NULL;
        for (int i = 0; i <= n && r; i++)
            if (cpi_broadcast("select", &ndim, shape, all[i]->ndim, all[i]->shape)) r = NULL;
        if (r) r = cp_broadcast_to(cp_astype(r, type), (cp_shape){ndim, shape});
        for (int i = n - 1; i >= 0 && r; i--) r = cp_where(condlist[i], cp_astype(choicelist[i], type), r);
    }
    cpi_free_host(all);
    return cp_scope_return(s, all ? r : NULL);
}
