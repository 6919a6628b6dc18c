/* Which elements are among others: found by search, elements of one type by the device in its own way. */
#include "cuprite/elementwise.h"
#include "cuprite/index.h"
#include "front/front.h"
#include "sort/sort.h"

static cp_array *among_same(const char *name, cpi_device *device, cp_array *element, cp_array *test, bool invert)
{
    cp_array *x = cpi_dense(name, element, element->type, device);
    cp_array *from = x ? cpi_dense(name, test, test->type, device) : NULL;
    cp_array *r = from ? cpi_array_new(name, device, CP_BOOL, x->ndim, x->shape, 'C') : NULL;
    cp_code code = CP_OK;
    if (r && r->size)
        code = device->backend->sort->among(cpi_stream(device), x->type, from->size, from->data, x->size, x->data,
                                            invert, (uint8_t *)r->data);
    cp_free(x), cp_free(from);
    return code ? cp_free(r), NULL : r;
}

/* Of two types: those that the search finds are compared as they are. */
static cp_array *among_others(cp_array *element, cp_array *test, bool invert)
{
    cp_array *sorted = cp_sort(test, CP_FLAT), *at = sorted ? cp_searchsorted(sorted, element) : NULL;
    cp_array *found = at ? cp_take(sorted, at, 0, .mode = CP_INDEX_CLIP) : NULL, *r = NULL;
    cp_array *both[2] = {found, element};
    if (found) r = cp_elementwise(invert ? CP_OP_not_equal : CP_OP_equal, both, &(cp_ufunc_options){0});
    cp_free(sorted), cp_free(at), cp_free(found);
    return r;
}

cp_array *cpi_among(const char *name, cp_array *element, cp_array *test, bool invert)
{
    cp_array *both[2] = {element, test};
    cpi_device *device = cpi_common_device(name, 2, both);
    if (!device) return NULL;
    if (!test->size) return cp_full((cp_shape){element->ndim, element->shape}, CP_BOOL, cp_int(invert));
    return element->type == test->type ? among_same(name, device, element, test, invert)
                                       : among_others(element, test, invert);
}
