/* Making arrays. Values are written by the backend's copy and ramp kernels; nothing here touches device memory. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/array.h"
#include "core/shape.h"
#include "move/move.h"
#include "scalar/scalar.h"

static cp_array *new_here(const char *function, cp_shape shape, cp_type type)
{
    cpi_device *device = cpi_device_current();
    return device ? cpi_array_new(function, device, type, shape.n, shape.dim, 'C') : NULL;
}

/* x; or NULL, with x freed, when `code` is a failure. */
static cp_array *checked(cp_array *x, cp_code code)
{
    if (!code) return x;
    cp_free(x);
    return NULL;
}

static cp_array *zeroed(cp_array *x)
{
    if (!x || !x->size) return x;
    return checked(x, x->device->backend->zero(cpi_stream(x->device), x->data, (size_t)cp_nbytes(x)));
}

static cp_array *filled(cp_array *x, const cp_array *value) { return x ? checked(x, cp_assign(x, value)) : NULL; }

static cp_array *filled_with_one(cp_array *x)
{
    int64_t one = 1;
    cp_array *value = x ? cp_scalar(CP_INT64, &one) : NULL;
    x = x ? checked(x, value ? CP_OK : CP_ERROR_MEMORY) : NULL;
    x = filled(x, value);
    cp_free(value);
    return x;
}

cp_array *cp_empty(cp_shape shape, cp_type type) { return new_here("empty", shape, type); }
cp_array *cp_zeros(cp_shape shape, cp_type type) { return zeroed(new_here("zeros", shape, type)); }
cp_array *cp_ones(cp_shape shape, cp_type type) { return filled_with_one(new_here("ones", shape, type)); }

cp_array *cp_eye(int64_t rows, int64_t columns, int64_t k, cp_type type)
{
    cp_array *x = zeroed(new_here("eye", (cp_shape){2, (int64_t[]){rows, columns}}, type));
    if (!x || k >= columns || k <= -rows) return x;
    cp_array *line = cp_diagonal(x, k, 0, 1), *ones = filled_with_one(line);
    cp_code code = ones ? CP_OK : cp_error();
    cp_free(ones);
    return checked(x, code);
}

cp_array *cp_full(cp_shape shape, cp_type type, const cp_array *value)
{
    if (cpi_null("full", value)) return NULL;
    return filled(new_here("full", shape, type == CP_DEFAULT ? value->type : type), value);
}

static cp_array *like(const char *function, const cp_array *x, cp_type type)
{
    if (cpi_null(function, x)) return NULL;
    return cpi_array_like(function, x, type == CP_DEFAULT ? x->type : type, x->ndim, x->shape);
}

cp_array *cp_empty_like(const cp_array *x, cp_type type) { return like("empty_like", x, type); }
cp_array *cp_zeros_like(const cp_array *x, cp_type type) { return zeroed(like("zeros_like", x, type)); }
cp_array *cp_ones_like(const cp_array *x, cp_type type) { return filled_with_one(like("ones_like", x, type)); }

cp_array *cp_full_like(const cp_array *x, cp_type type, const cp_array *value)
{
    if (cpi_null("full_like", value)) return NULL;
    return filled(like("full_like", x, type), value);
}

static cp_array *ramp(const char *function, int64_t n, double start, double step, double stop, bool use_stop,
                      cp_type type)
{
    cp_array *x = new_here(function, CP_SHAPE(n), type == CP_DEFAULT ? CP_FLOAT64 : type);
    if (!x || !n) return x;
    return checked(x, x->device->backend->move->ramp(cpi_stream(x->device), x->data, x->type, n, start, step,
                                                            stop, use_stop));
}

/* Writes an arithmetic progression of floating-point numbers to x, which may be strided, as complex parts are. */
static cp_code floats_to(cp_array *x, const void *first, const void *second)
{
    double a, b;
    if (!x) return cp_error();
    cpi_convert_value(x->type, first, CP_FLOAT64, &a);
    cpi_convert_value(x->type, second, CP_FLOAT64, &b);
    cp_array *line = cp_is_c_contiguous(x) ? cp_retain(x) : new_here("arange", CP_SHAPE(x->size), x->type);
    cp_code code = line ? line->device->backend->move->ramp_on(cpi_stream(line->device), line->data, x->type, x->size,
                                                               a, b)
                        : cp_error();
    if (!code && line->data != x->data) code = cp_assign(x, line);
    cp_free(line);
    return code;
}

/* NumPy steps by the difference of the first two elements, both values of the type. */
static cp_array *progression(int64_t n, cp_type t, cp_type t0, const void *from, cp_type t1, const void *next)
{
    _Alignas(16) unsigned char first[16], second[16];
    if (t == CP_BOOL && n > 2) {
        cpi_fail(CP_ERROR_TYPE,
                 "arange: is only supported for booleans when the result has at most length 2, not %lld", (long long)n);
        return NULL;
    }
    cp_array *x = new_here("arange", CP_SHAPE(n), t);
    if (!x || !n) return x;
    cpi_convert_value(t0, from, t, first);
    cpi_convert_value(t1, next, t, second);
    if (cpi_is_whole(t)) {
        uint64_t a, b;
        cpi_convert_value(t, first, CP_UINT64, &a);
        cpi_convert_value(t, second, CP_UINT64, &b);
        return checked(x, x->device->backend->move->ramp_int(cpi_stream(x->device), x->data, t, n, (int64_t)a,
                                                             (int64_t)(b - a)));
    }
    if (!cpi_is_complex(t)) return checked(x, floats_to(x, first, second));
    size_t half = cp_type_size(t) / 2;
    cp_array *re = cp_real_part(x), *im = cp_imag_part(x);
    cp_code code = floats_to(re, first, second);
    if (!code) code = floats_to(im, first + half, second + half);
    cp_free(re);
    cp_free(im);
    return checked(x, code);
}

cp_array *cp_arange(double start, double stop, double step, cp_type type)
{
    double parts = (stop - start) / step, n = ceil(parts);
    if (parts == 0 && stop != start) n = !signbit(parts); /* an infinite step, or too small a quotient */
    if (step == 0) return cpi_fail(CP_ERROR_ZERO_DIVISION, "arange: the step is zero"), NULL;
    if (isnan(n)) {
        cpi_fail(CP_ERROR_VALUE, "arange: cannot compute length (start %g, stop %g, step %g)", start, stop, step);
        return NULL;
    }
    if (n >= 0x1p63 || n < -0x1p63) {
        cpi_fail(CP_ERROR_VALUE, "arange: maximum allowed size exceeded (%g elements)", n);
        return NULL;
    }
    double next = start + step;
    return progression(n > 0 ? (int64_t)n : 0, type == CP_DEFAULT ? CP_FLOAT64 : type, CP_FLOAT64, &start, CP_FLOAT64,
                       &next);
}

cp_array *cp_progression(int64_t n, const cp_array *first, const cp_array *second, cp_type type)
{
    if (cpi_null("progression", first) || cpi_null("progression", second)) return NULL;
    if (first->flags & second->flags & CPI_HOST_SCALAR)
        return progression(n, type == CP_DEFAULT ? cp_promote(first->type, second->type) : type, first->type,
                           first->value, second->type, second->value);
    return cpi_fail(CP_ERROR_TYPE, "progression: the first two elements must be host scalars"), NULL;
}

cp_array *cp_arange_int(int64_t start, int64_t stop, int64_t step, cp_type type)
{
    if (step == 0) return cpi_fail(CP_ERROR_ZERO_DIVISION, "arange: the step is zero"), NULL;
    uint64_t span = 0, stride = step > 0 ? (uint64_t)step : -(uint64_t)step, n;
    if (step > 0 && stop > start) span = (uint64_t)stop - (uint64_t)start;
    if (step < 0 && stop < start) span = (uint64_t)start - (uint64_t)stop;
    n = span / stride + (span % stride != 0);
    if (n > INT64_MAX) {
        cpi_fail(CP_ERROR_VALUE, "arange: maximum allowed size exceeded");
        return NULL;
    }
    cp_array *x = new_here("arange", CP_SHAPE((int64_t)n), type == CP_DEFAULT ? CP_INT64 : type);
    if (!x || !n) return x;
    return checked(x, x->device->backend->move->ramp_int(cpi_stream(x->device), x->data, x->type, (int64_t)n,
                                                                start, step));
}

cp_array *cp_ramp(double start, double stop, int64_t num, bool endpoint, cp_type type)
{
    if (num < 0) {
        cpi_fail(CP_ERROR_VALUE, "ramp: number of samples, %lld, must be non-negative", (long long)num);
        return NULL;
    }
    int64_t parts = endpoint ? num - 1 : num;
    double step = parts > 0 ? (stop - start) / (double)parts : 0;
    return ramp("ramp", num, start, step, stop, endpoint && num > 1, type);
}

cp_array *cp_from_host(const void *data, cp_type type, cp_shape shape, const int64_t *strides)
{
    const char *function = "from_host";
    cp_array *x = new_here(function, shape, type);
    if (!x || !x->size) return x;
    cp_stream *stream = cpi_stream(x->device);
    if (!data) return checked(x, cpi_fail(CP_ERROR_VALUE, "%s: data is NULL", function));
    if (!strides || cpi_is_contiguous(x->ndim, x->shape, strides, cpi_itemsize(type), 'C'))
        return checked(x, x->device->backend->from_host(stream, x->data, data, (size_t)cp_nbytes(x)));
    cp_array *host = cp_from_memory((void *)(uintptr_t)data, type, shape, strides, CP_CPU, NULL, NULL);
    if (host && x->device->backend->at_once) { /* gathered directly into the result */
        x = checked(x, cp_assign(x, host));
    } else {
        cp_array *flat = host ? cp_copy(host) : NULL;
        x = checked(x, flat ? x->device->backend->from_host(stream, x->data, flat->data, (size_t)cp_nbytes(x))
                            : CP_ERROR_MEMORY);
        cp_free(flat);
    }
    cp_free(host);
    return x;
}
