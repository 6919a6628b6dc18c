/* Peaks: arguments and results. */
#include "peaks/peaks.h"

#include "cuprite/elementwise.h"
#include "cuprite/index.h"
#include "cuprite/reduce.h"
#include "cuprite/reductions.h"
#include "cuprite/sort.h"
#include "operands/operands.h"

/* x as a dense 1-d array of float64. */
static cp_array *signal_of(const char *name, cp_array *x, cpi_device *device)
{
    if (x->ndim != 1) return cpi_fail(CP_ERROR_VALUE, "%s: x must be a 1-D array, not one of %d", name, x->ndim), NULL;
    if (cpi_check_real(name, x) != CP_OK) return NULL;
    return cpi_dense(name, x, CP_FLOAT64, device);
}

static cp_array *line(const char *name, cpi_device *device, cp_type type, int64_t n)
{
    return cpi_array_new(name, device, type, 1, &n, 'C');
}

/* Frees what was made where something is missing; else gives it to the caller. */
static cp_code give(int n, cp_array **made, cp_array ***results, cp_code code)
{
    for (int i = 0; i < n; i++)
        if (!made[i] && code == CP_OK) code = cp_error();
    for (int i = 0; i < n; i++) {
        if (code == CP_OK) *results[i] = made[i];
        else cp_free(made[i]);
    }
    return code;
}

cp_code cp_local_maxima(cp_array *x, cp_array **left, cp_array **right)
{
    const char *name = "find_peaks";
    if (cpi_null(name, x) || cpi_null(name, left) || cpi_null(name, right)) return cp_error();
    cpi_device *device = cpi_common_device(name, 1, &x);
    cp_array *made[2] = {NULL, NULL};
    cp_array *values = device ? signal_of(name, x, device) : NULL;
    cp_array *mask = values ? line(name, device, CP_BOOL, values->size) : NULL;
    const int64_t n = mask ? mask->size : 0;
    cp_code code = mask ? CP_OK : cp_error();
    if (n) code = device->backend->peaks->rises(cpi_stream(device), n, (const double *)values->data,
                                                (uint8_t *)mask->data);
    if (code == CP_OK) made[0] = cp_flatnonzero(mask);
    if (made[0]) made[1] = line(name, device, CP_INT64, made[0]->size);
    if (made[1] && made[0]->size)
        code = device->backend->peaks->ends(cpi_stream(device), n, (const double *)values->data, made[0]->size,
                                            (const int64_t *)made[0]->data, (int64_t *)made[1]->data);
    cp_free(mask);
    cp_free(values);
    return give(2, made, (cp_array **[]){left, right}, code);
}

/* An error where a peak, or a base, lies outside of 0..n-1. */
static cp_code check_inside(const char *name, cp_array *peaks, int64_t n, const char *what)
{
    if (!peaks->size) return CP_OK;
    cp_array *bits = cp_view_as(peaks, CP_UINT64), *high = bits ? cp_max(bits) : NULL; /* negative ones are largest */
    cp_code code = high ? CP_OK : cp_error();
    if (code == CP_OK && (uint64_t)cp_item_int(high) >= (uint64_t)n)
        code = cp_error() != CP_OK ? cp_error()
             : cpi_fail(CP_ERROR_VALUE, "%s: %s: one is not a valid index for `x`, which has %lld elements", name, what,
                        (long long)n);
    if (code == CP_OK) code = cp_error(); /* of reading the extremes */
    cp_free(high);
    cp_free(bits);
    return code;
}

/* Peaks as dense int64, which are checked. */
static cp_array *peaks_of(const char *name, cp_array *peaks, int64_t n, cpi_device *device, const char *what)
{
    if (peaks->ndim != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: %s must be a 1-D array, not one of %d", name, what, peaks->ndim), NULL;
    if (peaks->size && !cpi_is_int(peaks->type))
        return cpi_fail(CP_ERROR_TYPE, "%s: %s must be integers, not %s", name, what, cp_type_name(peaks->type)), NULL;
    cp_array *dense = cpi_dense(name, peaks, CP_INT64, device);
    if (dense && check_inside(name, dense, n, what) != CP_OK) {
        cp_free(dense);
        return NULL;
    }
    return dense;
}

cp_code cp_peak_prominences(cp_array *x, cp_array *peaks, int64_t wlen, cp_array **prominences, cp_array **left_bases,
                            cp_array **right_bases)
{
    const char *name = "peak_prominences";
    if (cpi_null(name, x) || cpi_null(name, peaks)) return cp_error();
    if (wlen == 1 || wlen < 0)
        return cpi_fail(CP_ERROR_VALUE, "%s: wlen must be larger than 1, not %lld", name, (long long)wlen);
    cp_array *const both[] = {x, peaks};
    cpi_device *device = cpi_common_device(name, 2, both);
    cp_array *values = device ? signal_of(name, x, device) : NULL;
    cp_array *at = values ? peaks_of(name, peaks, values->size, device, "peaks") : NULL;
    cp_array *made[3] = {NULL, NULL, NULL};
    cp_code code = at ? CP_OK : cp_error();
    if (at) {
        made[0] = line(name, device, CP_FLOAT64, at->size);
        made[1] = line(name, device, CP_INT64, at->size);
        made[2] = line(name, device, CP_INT64, at->size);
    }
    if (made[0] && made[1] && made[2] && at->size) {
        const cpi_peaks p = {.n = values->size, .count = at->size, .x = (const double *)values->data,
                             .peak = (const int64_t *)at->data, .wlen = wlen ? wlen | 1 : 0,
                             .prominence = (double *)made[0]->data, .left = (int64_t *)made[1]->data,
                             .right = (int64_t *)made[2]->data};
        code = device->backend->peaks->prominences(cpi_stream(device), &p);
    }
    cp_free(at);
    cp_free(values);
    return give(3, made, (cp_array **[]){prominences, left_bases, right_bases}, code);
}

/* Are the bases on both sides of the peaks? Waits. */
static cp_code check_bases(cp_array *peaks, cp_array *left, cp_array *right)
{
    cp_array *before = cp_greater(left, peaks), *behind = before ? cp_less(right, peaks) : NULL;
    cp_array *either = behind ? cp_logical_or(before, behind) : NULL, *any = either ? cp_any(either) : NULL;
    const bool wrong = any && cp_item_int(any);
    cp_free(any);
    cp_free(either);
    cp_free(behind);
    cp_free(before);
    if (!any || cp_error() != CP_OK) return cp_error();
    return wrong ? cpi_fail(CP_ERROR_VALUE, "peak_widths: prominence data is invalid: bases must lie beside the peaks")
                 : CP_OK;
}

cp_code cp_peak_widths(cp_array *x, cp_array *peaks, double rel_height, cp_array *prominences, cp_array *left_bases,
                       cp_array *right_bases, cp_array **widths, cp_array **heights, cp_array **left, cp_array **right)
{
    const char *name = "peak_widths";
    cp_array *const all[] = {x, peaks, prominences, left_bases, right_bases};
    for (int i = 0; i < 5; i++)
        if (cpi_null(name, all[i])) return cp_error();
    if (!(rel_height >= 0))
        return cpi_fail(CP_ERROR_VALUE, "%s: `rel_height` must be greater or equal to 0.0, not %g", name, rel_height);
    for (int i = 2; i < 5; i++)
        if (all[i]->ndim != 1 || all[i]->size != peaks->size)
            return cpi_fail(CP_ERROR_VALUE, "%s: arrays in `prominence_data` must have the same shape as `peaks`",
                            name);
    cpi_device *device = cpi_common_device(name, 5, all);
    cp_array *values = device ? signal_of(name, x, device) : NULL, *dense[4] = {NULL, NULL, NULL, NULL};
    const int64_t n = values ? values->size : 0;
    if (values) dense[0] = peaks_of(name, peaks, n, device, "peaks");
    if (dense[0]) dense[1] = peaks_of(name, left_bases, n, device, "prominence data is invalid: bases");
    if (dense[1]) dense[2] = peaks_of(name, right_bases, n, device, "prominence data is invalid: bases");
    if (dense[2]) dense[3] = cpi_dense(name, prominences, CP_FLOAT64, device);
    cp_code code = dense[3] ? CP_OK : cp_error();
    cp_array *made[4] = {NULL, NULL, NULL, NULL};
    const int64_t count = peaks->size;
    if (code == CP_OK && count) code = check_bases(dense[0], dense[1], dense[2]);
    for (int i = 0; i < 4 && code == CP_OK; i++)
        if (!(made[i] = line(name, device, CP_FLOAT64, count))) code = cp_error();
    if (code == CP_OK && count) {
        const cpi_peaks p = {.n = n, .count = count, .x = (const double *)values->data, .rel_height = rel_height,
                             .peak = (const int64_t *)dense[0]->data, .prominence = (double *)dense[3]->data,
                             .left = (int64_t *)dense[1]->data, .right = (int64_t *)dense[2]->data,
                             .width = (double *)made[0]->data, .height = (double *)made[1]->data,
                             .left_place = (double *)made[2]->data, .right_place = (double *)made[3]->data};
        code = device->backend->peaks->widths(cpi_stream(device), &p);
    }
    for (int i = 0; i < 4; i++) cp_free(dense[i]);
    cp_free(values);
    return give(4, made, (cp_array **[]){widths, heights, left, right}, code);
}

cp_array *cp_peaks_distant(cp_array *peaks, cp_array *priority, int64_t distance)
{
    const char *name = "find_peaks";
    if (cpi_null(name, peaks) || cpi_null(name, priority)) return NULL;
    cp_array *const both[] = {peaks, priority};
    cpi_device *device = cpi_common_device(name, 2, both);
    if (!device) return NULL;
    if (distance < 1) return cpi_fail(CP_ERROR_VALUE, "%s: `distance` must be greater or equal to 1", name), NULL;
    if (peaks->ndim != 1 || priority->ndim != 1 || peaks->size != priority->size)
        return cpi_fail(CP_ERROR_VALUE, "%s: peaks and priority must be 1-D and of one length", name), NULL;
    cp_array *at = cpi_dense(name, peaks, CP_INT64, device), *order = at ? cp_argsort(priority, -1) : NULL;
    cp_array *keep = order ? line(name, device, CP_BOOL, at->size) : NULL;
    if (keep && at->size &&
        device->backend->peaks->distant(cpi_stream(device), at->size, (const int64_t *)at->data,
                                      (const int64_t *)order->data, distance, (uint8_t *)keep->data) != CP_OK) {
        cp_free(keep);
        keep = NULL;
    }
    cp_free(order);
    cp_free(at);
    return keep;
}
