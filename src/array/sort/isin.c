/* isin and in1d: which elements are among others, found by search, elements of one type by the device in its own way.
 * NaN is among nothing. */
#include "cuprite/elementwise.h"
#include "cuprite/index.h"
#include "operands/operands.h"
#include "sort/sort.h"

static cp_array *isin_same(const char *name, cpi_device *device, cp_array *element, cp_array *test, bool invert)
{
    cp_array *x = cpi_dense(name, element, element->type, device);
    cp_array *from = x ? cpi_dense(name, test, test->type, device) : NULL;
    cp_array *r = from ? cpi_array_new(name, device, CP_BOOL, x->ndim, x->shape, 'C') : NULL;
    cp_code code = CP_OK;
    if (r && r->size)
        code = device->backend->sort->isin(cpi_stream(device), x->type, from->size, from->data, x->size, x->data,
                                           invert, (uint8_t *)r->data);
    cp_free(x), cp_free(from);
    return code ? cp_free(r), NULL : r;
}

/* Of two types: those that the search finds are compared as they are. */
static cp_array *isin_others(cp_array *element, cp_array *test, bool invert)
{
    cp_array *sorted = cp_sort(test, CP_FLAT), *at = sorted ? cp_searchsorted(sorted, element) : NULL;
    cp_array *found = at ? cp_take(sorted, at, 0, .mode = CP_INDEX_CLIP) : NULL, *r = NULL;
    cp_array *both[2] = {found, element};
    if (found) r = cp_elementwise(invert ? CP_OP_not_equal : CP_OP_equal, both, &(cp_ufunc_options){0});
    cp_free(sorted), cp_free(at), cp_free(found);
    return r;
}

static cp_array *isin(const char *name, cp_array *element, cp_array *test, bool invert)
{
    cp_array *both[2] = {element, test};
    cpi_device *device = cpi_common_device(name, 2, both);
    if (!device) return NULL;
    if (!test->size) {
        cp_array *all = cp_int(invert);
        cp_array *r = all ? cp_full((cp_shape){element->ndim, element->shape}, CP_BOOL, all) : NULL;
        cp_free(all);
        return r;
    }
    return element->type == test->type ? isin_same(name, device, element, test, invert)
                                       : isin_others(element, test, invert);
}

/*: function("isin",
             "element: array_like, test_elements: array_like, assume_unique: flag = False, invert: bool = False",
             call="cp_isin(element, test_elements, .invert = invert)", module="_indexing",
             doc="Whether each element is among those tested: an array of its shape.") */
cp_array *(cp_isin)(cp_array *element, cp_array *test_elements, const cp_isin_options *options)
{
    const char *name = "isin";
    if (cpi_null(name, element) || cpi_null(name, test_elements)) return NULL;
    return isin(name, element, test_elements, options && options->invert);
}

/*: function("in1d", "ar1: array_like, ar2: array_like, assume_unique: flag = False, invert: bool = False",
             call="cp_in1d(ar1, ar2, .invert = invert)",
             doc="Whether each element of the flattened ar1 is in ar2: a 1-d array.") */
cp_array *(cp_in1d)(cp_array *ar1, cp_array *ar2, const cp_in1d_options *options)
{
    const char *name = "in1d";
    if (cpi_null(name, ar1) || cpi_null(name, ar2)) return NULL;
    cp_array *row = cp_ravel(ar1), *r = row ? isin(name, row, ar2, options && options->invert) : NULL;
    cp_free(row);
    return r;
}
