/* Basic indexing: integers, slices, newaxis and `...` make a view. Python's rules for bounds. */
#include "operands/operands.h"
#include "move/move.h"

/* Start and number of steps of a slice of an axis with n elements. */
static cp_code slice_range(const cp_index *item, int64_t n, int64_t *first, int64_t *count)
{
    int64_t step = item->step, start = item->start, stop = item->stop;
    if (step == 0) return cpi_fail(CP_ERROR_VALUE, "slice: slice step cannot be zero");
    int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    if (!(item->has & CP_HAS_START)) {
        start = step > 0 ? low : high;
    } else {
        if (start < 0) start += n;
        start = start < low ? low : start > high ? high : start;
    }
    if (!(item->has & CP_HAS_STOP)) {
        stop = step > 0 ? high : low;
    } else {
        if (stop < 0) stop += n;
        stop = stop < low ? low : stop > high ? high : stop;
    }
    *first = start;
    *count = 0;
    if (step > 0 && start < stop) *count = (stop - start - 1) / step + 1;
    /* -(step + 1) + 1 would wrap for the smallest step only on the way: divide in unsigned arithmetic */
    if (step < 0 && start > stop) *count = (int64_t)((uint64_t)(start - stop - 1) / (0 - (uint64_t)step)) + 1;
    return CP_OK;
}

static cp_code count_items(const cp_array *x, int n, const cp_index *items, int *used, bool *ellipsis)
{
    int made = 0;
    *used = 0;
    *ellipsis = false;
    for (int i = 0; i < n; i++) {
        if (items[i].kind == CP_IX_ARRAY)
            return cpi_fail(CP_ERROR_INDEX, "slice: item %d is an array, which makes no view: cp_index_get", i);
        if ((unsigned)items[i].kind > CP_IX_ELLIPSIS)
            return cpi_fail(CP_ERROR_VALUE, "slice: item %d is of no kind (%d)", i, (int)items[i].kind);
        if (items[i].kind == CP_IX_ELLIPSIS) {
            if (*ellipsis) return cpi_fail(CP_ERROR_INDEX, "slice: an index can only have a single ellipsis ('...')");
            *ellipsis = true;
        }
        *used += items[i].kind == CP_IX_INT || items[i].kind == CP_IX_SLICE;
        made += items[i].kind == CP_IX_NEW;
    }
    if (*used > x->ndim)
        return cpi_fail(CP_ERROR_INDEX,
                        "slice: too many indices for array: array is %d-dimensional, but %d were indexed", x->ndim,
                        *used);
    if (x->ndim + made > CP_MAXDIM)
        return cpi_fail(CP_ERROR_INDEX, "slice: the result would have %d dimensions, at most %d are possible",
                        x->ndim + made, CP_MAXDIM);
    return CP_OK;
}

/* Integers alone, of an array in memory that has as many axes? */
static bool integers(const cp_array *x, int n, const cp_index *items)
{
    if (n < 1 || n > x->ndim) return false;
    for (int i = 0; i < n; i++)
        if (items[i].kind != CP_IX_INT) return false;
    return true;
}

/* x[i, j, ...] with all the axes behind those of the integers: the commonest. */
static cp_array *part_at(cp_array *x, int n, const cp_index *items)
{
    char *data = x->data;
    for (int i = 0; i < n; i++) {
        const int64_t at = items[i].start, extent = x->shape[i];
        if (at < -extent || at >= extent) {
            cpi_fail(CP_ERROR_INDEX, "slice: index %lld is out of bounds for axis %d with size %lld", (long long)at, i,
                     (long long)extent);
            return NULL;
        }
        data += (at < 0 ? at + extent : at) * x->strides[i];
    }
    return cpi_array_view(x, x->type, x->ndim - n, x->shape + n, x->strides + n, data);
}

cp_array *cp_slice(cp_array *x, int n, const cp_index *items)
{
    if (x && items && integers(x, n, items)) return part_at(x, n, items);
    int64_t shape[CP_MAXDIM], strides[CP_MAXDIM], first = 0, count = 0;
    int axis = 0, ndim = 0, used;
    bool ellipsis;
    if (cpi_null("slice", x) || (n > 0 && cpi_null("slice", items))) return NULL;
    if (n < 0) {
        cpi_fail(CP_ERROR_VALUE, "slice: %d items given", n);
        return NULL;
    }
    if (count_items(x, n, items, &used, &ellipsis)) return NULL;
    if (x->flags & CPI_HOST_SCALAR) { /* 0-d: only newaxis and `...` are left; they need memory */
        cp_array *solid = cpi_as_contiguous("slice", x, x->type), *v = solid ? cp_slice(solid, n, items) : NULL;
        cp_free(solid);
        return v;
    }
    char *data = x->data;
    for (int i = 0; i <= n; i++) {
        const cp_index *item = i < n ? &items[i] : NULL;
        int rest = !item ? x->ndim - axis : item->kind == CP_IX_ELLIPSIS ? x->ndim - used : 0;
        for (; rest > 0; rest--, axis++) {
            shape[ndim] = x->shape[axis];
            strides[ndim++] = x->strides[axis];
        }
        if (!item || item->kind == CP_IX_ELLIPSIS) continue;
        if (item->kind == CP_IX_NEW) {
            shape[ndim] = 1;
            strides[ndim++] = 0;
        } else if (item->kind == CP_IX_INT) {
            int64_t at = item->start, extent = x->shape[axis];
            if (at < -extent || at >= extent) {
                cpi_fail(CP_ERROR_INDEX, "slice: index %lld is out of bounds for axis %d with size %lld", (long long)at,
                         axis, (long long)extent);
                return NULL;
            }
            data += (at < 0 ? at + extent : at) * x->strides[axis++];
        } else {
            if (slice_range(item, x->shape[axis], &first, &count)) return NULL;
            if (count > 0) data += first * x->strides[axis];
            shape[ndim] = count;
            int64_t stride;
            if (__builtin_mul_overflow(x->strides[axis], item->step, &stride)) stride = 0; /* then count <= 1 */
            strides[ndim++] = stride;
            axis++;
        }
    }
    return cpi_array_view(x, x->type, ndim, shape, strides, data);
}
