/* Cosine and sine transforms, types 1 to 4: by the backend's slot where it has one, else by rfft and products with
 * cosines, on every device.
 *
 * The latter works along one axis, which is moved to the end. Type 2 is Makhoul's: the even elements, then the odd ones
 * reversed, are a sequence whose transform is the result up to a rotation; type 3 is its inverse. Type 1 extends the
 * sequence by its mirror image, type 4 rotates one of twice the length. Sine transforms are cosine transforms of
 * alternating signs, backwards. */
#include <math.h>
#include <string.h>

#include "compose/compose.h"
#include "cuprite/fft.h"
#include "fft/axes.h"
#include "operands/operands.h"

static const double PI = 3.14159265358979323846264338327950288;

/* x[..., from:to:step] of the last axis. */
static cp_array *part(cp_array *x, int64_t from, int64_t to, int64_t step)
{
    return x ? cp_slice(x, CP_ITEMS(CP_ELLIPSIS, CP_STEP(from, to, step))) : NULL;
}
static cp_array *backwards(cp_array *x) { return x ? cp_flip(x, CP_AXES(-1)) : NULL; }

/* An array of x's shape but for the last axis, of length n, and of this type. */
static cp_array *capacity(cp_array *x, int64_t n, cp_type type)
{
    int64_t shape[CP_MAXDIM];
    memcpy(shape, cp_dims(x), (size_t)cp_ndim(x) * sizeof *shape);
    shape[cp_ndim(x) - 1] = n;
    return cp_empty((cp_shape){cp_ndim(x), shape}, type);
}

static bool copy_into(cp_array *to, cp_array *value) { return to && value && !cp_assign(to, value); }

/* exp(-i pi (a k + b)), k < n, of x's precision. */
static cp_array *turns(int64_t n, double a, double b, const cp_array *x)
{
    const bool single = cpi_fft_is_single(x->type);
    cp_array *k = cp_multiply(cp_arange_int(0, n, 1, CP_FLOAT64), cp_float(a * PI));
    cp_array *angle = b != 0 ? cp_add(k, cp_float(b * PI)) : k;
    cp_array *t = angle ? cp_empty((cp_shape){1, &n}, CP_COMPLEX128) : NULL;
    if (!t || !copy_into(cp_real_part(t), cp_cos(angle)) || !copy_into(cp_imag_part(t), cp_negative(cp_sin(angle))))
        return NULL;
    return single ? cp_astype(t, CP_COMPLEX64) : t;
}

static cp_array *rfft_of(cp_array *x) { return x ? cp_rfft(x) : NULL; }

static cp_array *cosine_2(cp_array *x)
{
    const int64_t n = cp_dim(x, cp_ndim(x) - 1), h = n / 2;
    cp_array *v = capacity(x, n, x->type);
    if (!v || !copy_into(part(v, 0, (n + 1) / 2, 1), part(x, 0, n, 2))) return NULL;
    if (h && !copy_into(part(v, (n + 1) / 2, n, 1), backwards(part(x, 1, n, 2)))) return NULL;
    cp_array *u = cp_multiply(rfft_of(v), turns(h + 1, 0.5 / (double)n, 0, x));
    if (!u) return NULL;
    u = cp_multiply(u, cp_float(2));
    if (!copy_into(part(v, 0, h + 1 < n ? h + 1 : n, 1), part(cp_real_part(u), 0, h + 1 < n ? h + 1 : n, 1)))
        return NULL;
    const int64_t left = n - h - 1;
    if (left > 0 && !copy_into(part(v, h + 1, n, 1), cp_negative(backwards(part(cp_imag_part(u), 1, left + 1, 1)))))
        return NULL;
    return v;
}

static cp_array *cosine_3(cp_array *x)
{
    const int64_t n = cp_dim(x, cp_ndim(x) - 1), h = n / 2;
    const bool single = x->type == CP_FLOAT32;
    cp_array *z = capacity(x, h + 1, single ? CP_COMPLEX64 : CP_COMPLEX128), *r = capacity(x, n, x->type);
    if (!z || !r) return NULL;
    if (n == 1) return x;
    if (!copy_into(cp_real_part(z), part(x, 0, h + 1, 1)) || !copy_into(part(cp_imag_part(z), 0, 1, 1), cp_float(0)))
        return NULL;
    if (h && !copy_into(part(cp_imag_part(z), 1, h + 1, 1), cp_negative(part(backwards(x), 0, h, 1)))) return NULL;
    z = cp_multiply(z, cp_conjugate(turns(h + 1, 0.5 / (double)n, 0, x)));
    cp_array *v = z ? cp_irfft(z, .n = n, .norm = CP_FFT_NORM_FORWARD) : NULL;
    if (!copy_into(part(r, 0, n, 2), part(v, 0, (n + 1) / 2, 1))) return NULL;
    return copy_into(part(r, 1, n, 2), backwards(part(v, (n + 1) / 2, n, 1))) ? r : NULL;
}

static cp_array *cosine_1(cp_array *x)
{
    const int64_t n = cp_dim(x, cp_ndim(x) - 1);
    cp_array *v = capacity(x, 2 * (n - 1), x->type);
    if (!copy_into(part(v, 0, n, 1), x)) return NULL;
    if (n > 2 && !copy_into(part(v, n, 2 * (n - 1), 1), backwards(part(x, 1, n - 1, 1)))) return NULL;
    cp_array *u = rfft_of(v);
    return u ? cp_real_part(u) : NULL;
}

static cp_array *sine_1(cp_array *x)
{
    const int64_t n = cp_dim(x, cp_ndim(x) - 1);
    cp_array *v = capacity(x, 2 * (n + 1), x->type);
    if (!copy_into(part(v, 0, 1, 1), cp_float(0)) || !copy_into(part(v, 1, n + 1, 1), x)) return NULL;
    if (!copy_into(part(v, n + 1, n + 2, 1), cp_float(0))) return NULL;
    if (!copy_into(part(v, n + 2, 2 * n + 2, 1), cp_negative(backwards(x)))) return NULL;
    cp_array *u = rfft_of(v);
    return u ? cp_negative(part(cp_imag_part(u), 1, n + 1, 1)) : NULL;
}

static cp_array *cosine_4(cp_array *x)
{
    const int64_t n = cp_dim(x, cp_ndim(x) - 1);
    cp_array *z = cp_multiply(x, turns(n, 0.5 / (double)n, 0, x));
    cp_array *f = z ? cp_fft(z, .n = 2 * n) : NULL;
    cp_array *u = cp_multiply(part(f, 0, n, 1), turns(n, 0.5 / (double)n, 0.25 / (double)n, x));
    return u ? cp_multiply(cp_real_part(u), cp_float(2)) : NULL;
}

/* A copy of x with the sign of every second element changed. */
static cp_array *alternating(cp_array *x)
{
    const int64_t n = x ? cp_dim(x, cp_ndim(x) - 1) : 0;
    cp_array *y = x ? cp_copy(x) : NULL;
    if (n < 2) return y;
    cp_array *odd = part(y, 1, n, 2);
    return odd && cpi_apply_1(CP_OP_negative, odd, odd) ? y : NULL;
}

/* x with one element of the last axis, the first or the last one, multiplied. A copy. */
static cp_array *weighted(cp_array *x, bool last, double by)
{
    cp_array *y = x ? cp_copy(x) : NULL;
    if (!y) return NULL;
    const int64_t n = cp_dim(y, cp_ndim(y) - 1);
    cp_array *end = last ? part(y, n - 1, n, 1) : part(y, 0, 1, 1);
    return end && cpi_apply_2(CP_OP_multiply, end, cp_float(by), end) ? y : NULL;
}

typedef struct cosines {
    const char *name;
    int type;        /* of the transform that is done */
    bool sine, orthogonal, scaled;
    cp_fft_norm norm;
    bool inverse;
} cosines;

static cp_array *unscaled(const cosines *c, cp_array *x)
{
    const double root = sqrt(2);
    if (c->type == 1 && !c->sine) {
        if (c->orthogonal) x = weighted(weighted(x, false, root), true, root);
        cp_array *y = x ? cosine_1(x) : NULL;
        return c->orthogonal ? weighted(weighted(y, false, 1 / root), true, 1 / root) : y;
    }
    if (c->type == 1) return sine_1(x);
    if (c->type == 3 && c->orthogonal) x = weighted(x, c->sine, root);
    if (x && c->sine) x = c->type == 2 ? alternating(x) : backwards(x);
    if (!x) return NULL;
    cp_array *y = c->type == 2 ? cosine_2(x) : c->type == 3 ? cosine_3(x) : cosine_4(x);
    if (c->sine) y = c->type == 2 ? backwards(y) : alternating(y);
    return c->type == 2 && c->orthogonal ? weighted(y, c->sine, 1 / root) : y;
}

/* The factor of a forward and a backward transform together. */
static double gain(const cosines *c, int64_t n)
{
    return 2.0 * (double)(c->type == 1 ? c->sine ? n + 1 : n - 1 : n);
}

/* By the backend's own slot. */
static cp_array *by_slot(const cosines *c, cp_array *x, int axis, double scale)
{
    cpi_cosine_call call = {.function = c->name, .single = x->type == CP_FLOAT32, .sine = c->sine,
                            .orthogonal = c->orthogonal, .type = c->type, .scale = scale, .n = x->shape[axis],
                            .in_step = x->strides[axis]};
    cp_array *y = cpi_array_new(c->name, x->device, x->type, x->ndim, x->shape, 'C');
    if (!y || !y->size) return y;
    for (int d = 0; d < x->ndim; d++) {
        if (d == axis) continue;
        call.shape[call.ndim] = x->shape[d];
        call.in_stride[call.ndim] = x->strides[d];
        call.out_stride[call.ndim++] = y->strides[d];
    }
    call.out_step = y->strides[axis];
    call.in = x->data, call.out = y->data;
    cpi_array_used(x);
    return x->device->backend->fft->cosine(cpi_stream(x->device), &call) ? NULL : y;
}

static cp_array *along(const cosines *c, cp_array *x, int axis, int64_t n)
{
    if (n < 2 && c->type == 1 && !c->sine)
        return cpi_fail(CP_ERROR_VALUE, "%s: DCT-I is not defined for size < 2", c->name), NULL;
    const double by = c->norm == CP_FFT_NORM_ORTHO ? 1 / sqrt(gain(c, n))
              : (c->norm == CP_FFT_NORM_FORWARD) != c->inverse ? 1 / gain(c, n) : 1;
    if (x->device->backend->fft->cosine && n <= CPI_COSINE_MOST) return by_slot(c, x, axis, by);
    cp_array *y = cp_moveaxis(x, CP_AXES(axis), CP_AXES(-1));
    if (!y) return NULL;
    if (cp_size(y)) y = unscaled(c, y);
    if (y && by != 1) y = cp_multiply(y, cp_float(by));
    return y ? cp_moveaxis(y, CP_AXES(-1), CP_AXES(axis)) : NULL;
}

static cp_array *real_transform(const cosines *c, cp_array *x, const cpi_fft_lengths *l)
{
    cp_type type = cpi_fft_is_single(x->type) ? CP_FLOAT32 : CP_FLOAT64;
    cp_array *y = cpi_fft_fitted(c->name, x, l, type);
    for (int i = l->n - 1; i >= 0 && y; i--) y = along(c, y, l->axis[i], l->length[i]);
    return y ? cp_is_c_contiguous(y) && y != x ? y : cp_copy(y) : NULL;
}

static cp_array *transform(cosines *c, cp_array *x, const cpi_fft_lengths *l, int orthogonalize)
{
    static const int inverse[] = {0, 1, 3, 2, 4};
    if (c->type < 1 || c->type > 4)
        return cpi_fail(CP_ERROR_VALUE, "%s: Type must be 1, 2, 3 or 4, not %d", c->name, c->type), NULL;
    if (c->inverse) c->type = inverse[c->type];
    c->orthogonal = orthogonalize ? orthogonalize > 0 : c->norm == CP_FFT_NORM_ORTHO;
    for (int i = 0; i < l->n; i++) {
        for (int k = 0; k < i; k++)
            if (l->axis[i] == l->axis[k]) return cpi_fail(CP_ERROR_VALUE, "%s: All axes must be unique", c->name), NULL;
        if (l->length[i] < 1)
            return cpi_fail(CP_ERROR_VALUE, "%s: Invalid number of data points (%lld) specified", c->name,
                            (long long)l->length[i]), NULL;
    }
    if (!cpi_is_complex(x->type)) return real_transform(c, x, l);
    cp_array *re = real_transform(c, cp_real_part(x), l), *im = re ? real_transform(c, cp_imag_part(x), l) : NULL;
    cp_array *r = im ? cp_empty((cp_shape){re->ndim, re->shape}, x->type) : NULL;
    return r && copy_into(cp_real_part(r), re) && copy_into(cp_imag_part(r), im) ? r : NULL;
}

typedef struct how { const char *name; bool sine, inverse; } how;

static cp_array *one(how h, cp_array *x, int type, int64_t n, cp_axes axis, cp_fft_norm norm, int orthogonalize)
{
    cosines c = {.name = h.name, .type = type, .sine = h.sine, .inverse = h.inverse, .norm = norm};
    cpi_fft_lengths l;
    cpi_composite f;
    if (!cpi_begin(&f, h.name, x)) return NULL;
    cp_array *r = cpi_fft_axis(h.name, x, n, axis, &l) ? NULL : transform(&c, x, &l, orthogonalize);
    return cpi_end(&f, r);
}

static cp_array *several(how h, cp_array *x, int type, cp_shape s, cp_axes axes, cp_fft_norm norm,
                         int orthogonalize)
{
    cosines c = {.name = h.name, .type = type, .sine = h.sine, .inverse = h.inverse, .norm = norm};
    cpi_fft_lengths l;
    cpi_composite f;
    if (!cpi_begin(&f, h.name, x)) return NULL;
    cp_array *r = cpi_fft_axes(h.name, x, s, axes, 0, &l) ? NULL : transform(&c, x, &l, orthogonalize);
    return cpi_end(&f, r);
}

/*: function("dct", "x: array_like, type: int = 2, n: length = None, axis: last_axis = -1, norm: fft_norm = None, "
             "orthogonalize: choice = None", module="_fft", unlock="always",
             doc="""The cosine transform of type 1 to 4 along an axis, which is cropped or zero-padded to n elements.
norm: 'backward', 'ortho' or 'forward'; orthogonalize: whether the first and the last coefficients are
weighted so that the transform is an orthogonal one (None: where norm is 'ortho'). float32 and half types give
float32; the parts of complex numbers are transformed alike.""") */
cp_array *(cp_dct)(cp_array *x, int type, const cp_dct_options *options)
{
    const cp_dct_options *o = CPI_GIVEN(cp_dct_options, options);
    return one((how){"dct", false, false}, x, type, o->n, o->axis, o->norm, o->orthogonalize);
}

/*: function("dctn", "x: array_like, type: int = 2, s: lengths = None, axes: index_axes = None, "
             "norm: fft_norm = None, orthogonalize: choice = None", module="_fft", unlock="always",
             doc="The cosine transform along several axes: all, the last len(s), or those that are given.") */
cp_array *(cp_dctn)(cp_array *x, int type, const cp_dctn_options *options)
{
    const cp_dctn_options *o = CPI_GIVEN(cp_dctn_options, options);
    return several((how){"dctn", false, false}, x, type, o->s, o->axes, o->norm, o->orthogonalize);
}

/*: function("idct", "x: array_like, type: int = 2, n: length = None, axis: last_axis = -1, norm: fft_norm = None, "
             "orthogonalize: choice = None", module="_fft", unlock="always",
             doc="""The inverse of dct.""") */
cp_array *(cp_idct)(cp_array *x, int type, const cp_idct_options *options)
{
    const cp_idct_options *o = CPI_GIVEN(cp_idct_options, options);
    return one((how){"idct", false, true}, x, type, o->n, o->axis, o->norm, o->orthogonalize);
}

/*: function("idctn", "x: array_like, type: int = 2, s: lengths = None, axes: index_axes = None, "
             "norm: fft_norm = None, orthogonalize: choice = None", module="_fft", unlock="always",
             doc="The inverse of dctn.") */
cp_array *(cp_idctn)(cp_array *x, int type, const cp_idctn_options *options)
{
    const cp_idctn_options *o = CPI_GIVEN(cp_idctn_options, options);
    return several((how){"idctn", false, true}, x, type, o->s, o->axes, o->norm, o->orthogonalize);
}

/*: function("dst", "x: array_like, type: int = 2, n: length = None, axis: last_axis = -1, norm: fft_norm = None, "
             "orthogonalize: choice = None", module="_fft", unlock="always",
             doc="""The sine transform, as dct.""") */
cp_array *(cp_dst)(cp_array *x, int type, const cp_dst_options *options)
{
    const cp_dst_options *o = CPI_GIVEN(cp_dst_options, options);
    return one((how){"dst", true, false}, x, type, o->n, o->axis, o->norm, o->orthogonalize);
}

/*: function("dstn", "x: array_like, type: int = 2, s: lengths = None, axes: index_axes = None, "
             "norm: fft_norm = None, orthogonalize: choice = None", module="_fft", unlock="always",
             doc="The sine transform along several axes, as dctn.") */
cp_array *(cp_dstn)(cp_array *x, int type, const cp_dstn_options *options)
{
    const cp_dstn_options *o = CPI_GIVEN(cp_dstn_options, options);
    return several((how){"dstn", true, false}, x, type, o->s, o->axes, o->norm, o->orthogonalize);
}

/*: function("idst", "x: array_like, type: int = 2, n: length = None, axis: last_axis = -1, norm: fft_norm = None, "
             "orthogonalize: choice = None", module="_fft", unlock="always",
             doc="""The inverse of dst.""") */
cp_array *(cp_idst)(cp_array *x, int type, const cp_idst_options *options)
{
    const cp_idst_options *o = CPI_GIVEN(cp_idst_options, options);
    return one((how){"idst", true, true}, x, type, o->n, o->axis, o->norm, o->orthogonalize);
}

/*: function("idstn", "x: array_like, type: int = 2, s: lengths = None, axes: index_axes = None, "
             "norm: fft_norm = None, orthogonalize: choice = None", module="_fft", unlock="always",
             doc="The inverse of dstn.") */
cp_array *(cp_idstn)(cp_array *x, int type, const cp_idstn_options *options)
{
    const cp_idstn_options *o = CPI_GIVEN(cp_idstn_options, options);
    return several((how){"idstn", true, true}, x, type, o->s, o->axes, o->norm, o->orthogonalize);
}
