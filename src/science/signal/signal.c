/* Convolution and correlation: shapes, types and errors. Everything becomes one cpi_correlation; the backend
 * sees contiguous operands of the result's type. */
#include "signal/signal.h"

#include <math.h>
#include <string.h>

#include "cpu/ending.h"
#include "cuprite/elementwise.h"
#include "operands/operands.h"

/* Length of the result along one axis and the image's index under the kernel's first element for result 0. */
static cp_code extent(const char *name, cp_mode mode, bool flip, int64_t n, int64_t k, int64_t *size, int64_t *origin)
{
    int64_t most;
    if (__builtin_add_overflow(n, k, &most))
        return cpi_fail(CP_ERROR_VALUE, "%s: the result has too many elements", name);
    if (mode == CP_MODE_FULL) {
        *size = most - 1;
        *origin = 1 - k;
    } else if (mode == CP_MODE_SAME) {
        *size = n;
        *origin = flip ? (k - 1) / 2 - (k - 1) : -((k - 1) / 2); /* SciPy's halves for even kernels */
    } else {
        *size = n - k + 1;
        *origin = 0;
    }
    if (*size < 0) return cpi_fail(CP_ERROR_VALUE, "%s: negative dimensions are not allowed", name);
    return CP_OK;
}

static cp_code check_words(const char *name, cp_mode mode, cp_boundary boundary)
{
    if ((unsigned)mode > CP_MODE_SAME)
        return cpi_fail(CP_ERROR_VALUE, "%s: acceptable mode flags are 'valid', 'same', or 'full'", name);
    if ((unsigned)boundary > CP_BOUNDARY_SYMM)
        return cpi_fail(CP_ERROR_VALUE, "%s: acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and "
                        "'symmetric' (or 'symm')", name);
    return CP_OK;
}

/* Runs the correlation of contiguous a and b of one type; `c` has all members but operands and result. */
static cp_array *compute(const char *name, cpi_device *device, cp_array *a, cp_array *b, cpi_correlation *c,
                         int ndim)
{
    cp_stream *stream = cpi_stream(device);
    const int64_t shape[2] = {ndim == 2 ? c->h : c->w, c->w};
    cp_array *r = cpi_array_new(name, device, c->type, ndim, shape, 'C');
    if (!r || !r->size) return r;
    cp_code code;
    if (!b->size) {
        code = device->backend->zero(stream, r->data, (size_t)(r->size * cpi_itemsize(c->type)));
    } else {
        c->image = a->data;
        c->kernel = b->data;
        c->result = r->data;
        if (c->w == 1 && c->image_w == 1 && c->kernel_w == 1) { /* a column is a row: the same memory */
            int64_t t;
            t = c->image_h, c->image_h = c->image_w, c->image_w = t;
            t = c->kernel_h, c->kernel_h = c->kernel_w, c->kernel_w = t;
            t = c->h, c->h = c->w, c->w = t;
            t = c->origin_y, c->origin_y = c->origin_x, c->origin_x = t;
        }
        code = cpi_ending_named(name, device->backend->signal->correlate(stream, c));
    }
    if (code != CP_OK) {
        cp_free(r);
        return NULL;
    }
    return r;
}

/* Converts the operands, then computes; takes no references. */
static cp_array *convert_and_compute(const char *name, cp_array *a, cp_array *b, cpi_correlation *c, int ndim)
{
    cpi_device *device = cpi_common_device(name, 2, (cp_array *const[]){a, b});
    if (!device) return NULL;
    cp_array *x = cpi_dense(name, a, c->type, device);
    cp_array *k = x ? cpi_dense(name, b, c->type, device) : NULL;
    cp_array *r = k ? compute(name, device, x, k, c, ndim) : NULL;
    cp_free(k);
    cp_free(x);
    return r;
}

static cp_code check_lines(const char *name, cp_array *a, cp_array *v, cp_mode mode)
{
    if (cpi_null(name, a) || cpi_null(name, v)) return cp_error();
    cp_code code = check_words(name, mode, CP_BOUNDARY_FILL);
    if (code) return code;
    if (a->ndim > 0 && a->shape[0] == 0) return cpi_fail(CP_ERROR_VALUE, "%s: a cannot be empty", name);
    if (v->ndim > 0 && v->shape[0] == 0) return cpi_fail(CP_ERROR_VALUE, "%s: v cannot be empty", name);
    if (a->ndim > 1 || v->ndim > 1) return cpi_fail(CP_ERROR_VALUE, "%s: object too deep for desired array", name);
    return CP_OK;
}

/* Correlates a 1-d array with one that is no longer. */
static cp_array *of_lines(const char *name, cp_array *a, cp_array *v, cp_mode mode, bool flip)
{
    cpi_correlation c = {.type = cp_promote(a->type, v->type), .flip = flip, .bounded = true};
    c.image_h = c.kernel_h = c.h = 1;
    c.image_w = a->size;
    c.kernel_w = v->size;
    if (extent(name, mode, true, a->size, v->size, &c.w, &c.origin_x) != CP_OK) return NULL;
    return convert_and_compute(name, a, v, &c, 1);
}

cp_array *cp_convolve(cp_array *a, cp_array *v, cp_mode mode)
{
    if (check_lines("convolve", a, v, mode)) return NULL;
    return v->size > a->size ? of_lines("convolve", v, a, mode, true) : of_lines("convolve", a, v, mode, true);
}

/* For a longer v the operands are exchanged and the result reversed. */
cp_array *cp_correlate(cp_array *a, cp_array *v, cp_mode mode)
{
    if (check_lines("correlate", a, v, mode)) return NULL;
    if (!a->ndim || !v->ndim)
        return cpi_fail(CP_ERROR_VALUE, "correlate: object of too small depth for desired array"), NULL;
    cp_array *other = cpi_is_complex(v->type) ? cp_conjugate(v) : cp_retain(v), *r = NULL, *turned = NULL;
    if (!other) return NULL;
    const bool longer = v->size > a->size;
    r = longer ? of_lines("correlate", other, a, mode, false) : of_lines("correlate", a, other, mode, false);
    cp_free(other);
    if (!r || !longer) return r;
    turned = cp_flip(r, CP_ALL);
    cp_free(r);
    r = turned ? cp_copy(turned) : NULL;
    cp_free(turned);
    return r;
}

/* Can `type` hold the value of type `from`? Fractions are cut off; an imaginary part may not be. */
static bool holds(cp_type type, cp_type from, const void *value)
{
    if (cpi_is_complex(from) && !cpi_is_complex(type)) return false;
    if (!cpi_is_int(type)) return true;
    int bits = (int)cpi_itemsize(type) * 8 - cpi_is_signed(type);
    if (cpi_is_float(from)) {
        double v;
        cpi_convert_value(from, value, CP_FLOAT64, &v);
        v = trunc(v);
        return v >= (cpi_is_signed(type) ? -ldexp(1.0, bits) : 0.0) && v < ldexp(1.0, bits);
    }
    uint64_t most = UINT64_MAX >> (64 - bits), u;
    cpi_convert_value(from, value, CP_UINT64, &u);
    if (cpi_is_signed(from) && (int64_t)u < 0) return cpi_is_signed(type) && ~u <= most;
    return u <= most;
}

/* The fill value as the result's type, in host memory. */
static cp_code fill_value(const char *name, const cp_array *f, cpi_correlation *c)
{
    if (!f) return CP_OK;
    if (f->size != 1)
        return cpi_fail(CP_ERROR_VALUE, "%s: `fillvalue` must be scalar or an array with one element", name);
    _Alignas(16) unsigned char value[16];
    cp_code code = cp_to_host(f, value, sizeof value);
    if (code != CP_OK) return code;
    if (!holds(c->type, f->type, value))
        return cpi_fail(CP_ERROR_VALUE, "%s: could not cast `fillvalue` to the output type", name);
    cpi_convert_value(f->type, value, c->type, c->fill);
    return CP_OK;
}

static const cpi_boundary rule_of[] = {[CP_BOUNDARY_FILL] = CPI_BOUNDARY_CONSTANT,
                                       [CP_BOUNDARY_WRAP] = CPI_BOUNDARY_GRID_WRAP,
                                       [CP_BOUNDARY_SYMM] = CPI_BOUNDARY_REFLECT};

/* Both 2-d functions; `flip`: convolution, else correlation. */
static cp_array *correlate(const char *name, cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary,
                           const cp_array *fillvalue, bool flip)
{
    if (cpi_null(name, a) || cpi_null(name, b)) return NULL;
    if (check_words(name, mode, boundary) != CP_OK) return NULL;
    cp_type type = cp_promote(a->type, b->type);
    if (a->ndim != 2 || b->ndim != 2)
        return cpi_fail(CP_ERROR_VALUE, "%s inputs must both be 2-D arrays", name), NULL;
    bool swapped = false;
    if (mode == CP_MODE_VALID && (a->shape[0] < b->shape[0] || a->shape[1] < b->shape[1])) {
        if (b->shape[0] < a->shape[0] || b->shape[1] < a->shape[1])
            return cpi_fail(CP_ERROR_VALUE, "%s: for 'valid' mode, one must be at least as large as the other in "
                            "every dimension", name), NULL;
        cp_array *t = a;
        a = b;
        b = t;
        swapped = true;
    }
    cpi_correlation c = {.type = type, .boundary = rule_of[boundary], .flip = flip};
    c.conjugate = !flip && cpi_is_complex(c.type);
    c.image_h = a->shape[0], c.image_w = a->shape[1];
    c.kernel_h = b->shape[0], c.kernel_w = b->shape[1];
    if (extent(name, mode, flip, c.image_h, c.kernel_h, &c.h, &c.origin_y) != CP_OK) return NULL;
    if (extent(name, mode, flip, c.image_w, c.kernel_w, &c.w, &c.origin_x) != CP_OK) return NULL;
    if (boundary != CP_BOUNDARY_FILL && !a->size && b->size && c.h && c.w)
        return cpi_fail(CP_ERROR_VALUE, "%s: an empty array cannot be continued beyond its edges", name), NULL;
    if (boundary == CP_BOUNDARY_FILL && fill_value(name, fillvalue, &c) != CP_OK) return NULL;
    cp_array *r = convert_and_compute(name, a, b, &c, 2);
    if (!r || flip || !swapped || !r->size) return r;
    cp_array *back = cpi_array_view(r, r->type, 2, r->shape, (const int64_t[]){-r->strides[0], -r->strides[1]},
                                    r->data + (r->size - 1) * cpi_itemsize(r->type));
    cp_free(r);
    return back;
}

cp_array *cp_convolve2d(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue)
{
    return correlate("convolve2d", a, b, mode, boundary, fillvalue, true);
}

cp_array *cp_correlate2d(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue)
{
    return correlate("correlate2d", a, b, mode, boundary, fillvalue, false);
}
