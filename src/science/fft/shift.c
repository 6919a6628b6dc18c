/* Helpers of transforms: sample frequencies, fftshift, and fast lengths. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "compose/compose.h"
#include "cuprite/fft.h"
#include "fft/plan.h"

/* 1 / (n d), with Python's errors. */
static bool width_of(const char *name, int64_t n, double d, double *width)
{
    if (n == 0 || d == 0) return cpi_fail(CP_ERROR_ZERO_DIVISION, "%s: division by zero", name), false;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: negative dimensions are not allowed", name), false;
    *width = 1 / ((double)n * d);
    return true;
}

/* Integers from `from` to below `to`, times the width. */
static cp_array *ramp(int64_t from, int64_t to, double width)
{
    return cp_multiply(cp_arange_int(from, to, 1, CP_INT64), cp_float(width));
}

/* Converts to the requested real floating type; frequencies are computed in float64. */
static cp_array *frequencies_as(const char *name, cp_array *r, bool typed, cp_type type)
{
    if (!typed || type == CP_FLOAT64) return r;
    if (cp_type_kind(type) == 'f') return cp_astype(r, type);
    cpi_fail(CP_ERROR_VALUE, "%s: dtype must be a real floating one, not %s", name, cp_type_name(type));
    return NULL;
}

/*: function("fftfreq", "n: int64, d: double = 1.0, dtype: dtype = None, device: device = None", module="_fft",
             unlock="size",
             doc="""The frequencies of fft's n elements, in cycles per unit of the samples' distance d. They are
computed in float64, whatever their dtype.""") */
cp_array *(cp_fftfreq)(int64_t n, double d, const cp_fftfreq_options *options)
{
    const cp_fftfreq_options *o = CPI_GIVEN(cp_fftfreq_options, options);
    double width;
    if (!width_of("fftfreq", n, d, &width)) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array *r = cp_empty((cp_shape){1, &n}, CP_FLOAT64);
    const int64_t middle = (n - 1) / 2 + 1;
    cp_array *first_half = cpi_range(r, 0, 0, middle), *back = cpi_range(r, 0, middle, n);
    bool good = first_half && back && !cp_assign(first_half, ramp(0, middle, width));
    if (good && n > middle) good = !cp_assign(back, ramp(-(n / 2), 0, width));
    return cp_scope_return(s, good ? frequencies_as("fftfreq", r, o->typed, o->dtype) : NULL);
}

/*: function("rfftfreq", "n: int64, d: double = 1.0, dtype: dtype = None, device: device = None", module="_fft",
             unlock="size",
             doc="""The frequencies of the elements of rfft of n samples at distance d. They are computed in
float64, whatever their dtype.""") */
cp_array *(cp_rfftfreq)(int64_t n, double d, const cp_rfftfreq_options *options)
{
    const cp_rfftfreq_options *o = CPI_GIVEN(cp_rfftfreq_options, options);
    double width;
    if (!width_of("rfftfreq", n, d, &width)) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    return cp_scope_return(s, frequencies_as("rfftfreq", ramp(0, n / 2 + 1, width), o->typed, o->dtype));
}

/* The elements of each axis rolled by half of it (forwards: n / 2): 2^k blocks, each copied once. */
static cp_array *shifted(const char *name, cp_array *x, cp_axes axes, bool forwards)
{
    cpi_composite f;
    int64_t by[CP_MAXDIM] = {0};
    int rolled[CP_MAXDIM], n = 0;
    if (!cpi_begin(&f, name, x)) return NULL;
    const int nd = cp_ndim(x), count = axes.at ? axes.n : nd;
    for (int i = 0; i < count; i++) {
        int d = axes.at ? axes.at[i] : i;
        if (cpi_axis(name, &d, nd)) return cpi_end(&f, NULL);
        int64_t extent = cp_dim(x, d), half = extent / 2;
        if (extent) by[d] = (by[d] + (forwards ? half : extent - half)) % extent;
    }
    for (int d = 0; d < nd; d++)
        if (by[d]) rolled[n++] = d;
    cp_array *r = cp_empty_like(x, CP_DEFAULT);
    if (n > 30) r = NULL, cpi_fail(CP_ERROR_VALUE, "%s: more than 30 axes", name);
    for (uint32_t which = 0; r && which < (uint32_t)1 << n; which++) {
        cp_index from[CP_MAXDIM], to[CP_MAXDIM];
        for (int d = 0; d < nd; d++) from[d] = to[d] = CP_FULL;
        for (int i = 0; i < n; i++) {
            int d = rolled[i];
            int64_t extent = cp_dim(x, d), cut = extent - by[d];
            bool end = which >> i & 1;
            from[d] = end ? CP_RANGE(cut, extent) : CP_RANGE(0, cut);
            to[d] = end ? CP_RANGE(0, by[d]) : CP_RANGE(by[d], extent);
        }
        cp_array *part = cp_slice(r, nd, to);
        if (!part || cp_assign(part, cp_slice(x, nd, from))) r = NULL;
    }
    return cpi_end(&f, r);
}

/*: function("fftshift", "x: array_like, axes: index_axes = None", module="_fft", unlock="size",
             doc="Moves the zero frequency to the middle: exchanges the halves of axes (all by default).") */
cp_array *(cp_fftshift)(cp_array *x, const cp_fftshift_options *options)
{
    const cp_fftshift_options *o = CPI_GIVEN(cp_fftshift_options, options);
    return shifted("fftshift", x, o->axes, true);
}

/*: function("ifftshift", "x: array_like, axes: index_axes = None", module="_fft", unlock="size",
             doc="The inverse of fftshift.") */
cp_array *(cp_ifftshift)(cp_array *x, const cp_ifftshift_options *options)
{
    const cp_ifftshift_options *o = CPI_GIVEN(cp_ifftshift_options, options);
    return shifted("ifftshift", x, o->axes, false);
}

/*: function("next_fast_len", "target: int64, real: bool = False", module="_fft", returns="int64", unlock="never",
             doc="""The least length from `target` on whose transform is fast: a product of 2, 3, 5, 7 and 11, of
real numbers of 2, 3 and 5.""") */
int64_t (cp_next_fast_len)(int64_t target, const cp_next_fast_len_options *options)
{
    const cp_next_fast_len_options *o = CPI_GIVEN(cp_next_fast_len_options, options);
    if (target < 0 || target > INT64_MAX / 64)
        return cpi_fail(CP_ERROR_VALUE, "next_fast_len: target length must be positive, and not beyond 2^57"), -1;
    return target ? cpi_fft_good_length(target, o->real ? 5 : 11) : 0;
}

/*: function("fft_plan_cache", "size: int64 = -1, memsize: int64 = -2, clear: bool = False", module="_fft",
             unlock="always",
             doc="""The current device's plan cache, as six integers: plans, their limit, their bytes, the limit of
these (-1: none), hits, misses. First sets the limits (size -1, memsize -2: unchanged), and removes all plans with
`clear`.""") */
cp_array *(cp_fft_plan_cache)(int64_t size, int64_t memsize, const cp_fft_plan_cache_options *options)
{
    const cp_fft_plan_cache_options *o = CPI_GIVEN(cp_fft_plan_cache_options, options);
    cpi_device *device = cpi_device_current();
    cpi_fft_cache now;
    if (!device) return NULL;
    if (size < -1 || memsize < -2)
        return cpi_fail(CP_ERROR_VALUE, "fft_plan_cache: limits are not negative, but for -1 and -2"), NULL;
    if (device->backend->fft->cache(cpi_stream(device), size, memsize, o->clear, &now)) return NULL;
    const int64_t reported[] = {now.plans, now.most_plans, now.bytes, now.most_bytes, now.hits, now.misses};
    return cp_from_host(reported, CP_INT64, CP_SHAPE(6), NULL);
}
