/* Discrete Fourier transforms: types, lengths, axes, norms, errors. The backend sees arrays of the computing type.
 *
 * float32 and complex64 compute in float32, half types too; everything else in float64. Axes are transformed from the
 * last of the list to the first, as NumPy does it; each is first cropped or zero-padded to its length. An inverse reads
 * only half of a halved axis: the rest are its conjugates. */
#include "fft/fft.h"

#include <math.h>
#include <string.h>

#include "compose/compose.h"
#include "cuprite/fft.h"
#include "fft/axes.h"
#include "operands/operands.h"

/* --- lengths, axes, types --- */

bool cpi_fft_is_single(cp_type t)
{
    return cpi_is_half(t) || t == CP_FLOAT32 || t == CP_COMPLEX64;
}

static cp_type complex_type(bool single) { return single ? CP_COMPLEX64 : CP_COMPLEX128; }
static cp_type real_type(bool single) { return single ? CP_FLOAT32 : CP_FLOAT64; }

cp_code cpi_fft_axes(const char *name, const cp_array *x, cp_shape s, cp_axes axes, int otherwise, cpi_fft_lengths *l)
{
    const int nd = x->ndim;
    if (s.n < 0 || s.n > CP_MAXDIM || axes.n > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: more than %d axes", name, CP_MAXDIM);
    if (axes.at) l->n = axes.n;
    else l->n = axes.n < 0 || !otherwise ? (s.dim ? s.n : nd) : otherwise;
    if (s.dim && s.n != l->n) return cpi_fail(CP_ERROR_VALUE, "%s: Shape and axes have different lengths.", name);
    for (int i = 0; i < l->n; i++) {
        l->axis[i] = axes.at ? axes.at[i] : i - l->n;
        if (cpi_axis(name, &l->axis[i], nd)) return cp_error();
        l->length[i] = s.dim ? s.dim[i] : -1;
        if (l->length[i] == -1) l->length[i] = x->shape[l->axis[i]];
    }
    return CP_OK;
}

cp_code cpi_fft_axis(const char *name, const cp_array *x, int64_t n, cp_axes axis, cpi_fft_lengths *l)
{
    if (axis.at && axis.n != 1) return cpi_fail(CP_ERROR_TYPE, "%s: one axis is transformed, %d given", name, axis.n);
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: Invalid number of FFT data points (%lld) specified.", name,
                               (long long)n);
    l->n = 1;
    l->axis[0] = axis.at ? axis.at[0] : -1;
    if (cpi_axis(name, &l->axis[0], x->ndim)) return cp_error();
    l->length[0] = n ? n : x->shape[l->axis[0]];
    return CP_OK;
}

cp_array *cpi_fft_fitted(const char *name, cp_array *x, const cpi_fft_lengths *l, cp_type type)
{
    cp_index cut[CP_MAXDIM];
    int64_t shape[CP_MAXDIM];
    bool longer = false, shorter = false;
    for (int d = 0; d < x->ndim; d++) {
        int64_t have = shape[d] = x->shape[d];
        for (int i = 0; i < l->n; i++)
            if (l->axis[i] == d) shape[d] = l->length[i];
        longer = longer || shape[d] > have;
        shorter = shorter || shape[d] < have;
        cut[d] = CP_RANGE(0, shape[d] < have ? shape[d] : have);
    }
    cp_array *y = shorter ? cp_slice(x, x->ndim, cut) : cpi_again(x);
    if (!y || (!longer && y->type == type)) return y;
    cpi_device *device = cpi_common_device(name, 1, &x);
    if (!device) return NULL;
    if (!longer) return cp_astype(y, type);
    cp_array *z = cpi_array_new(name, device, type, x->ndim, shape, 'C');
    if (!z) return NULL;
    const size_t bytes = (size_t)(z->size * cpi_itemsize(type));
    if (bytes && device->backend->zero(cpi_stream(device), z->data, bytes)) return NULL;
    cp_array *part = cp_slice(z, x->ndim, cut);
    return part && !cp_assign(part, y) ? z : NULL;
}

/* --- one call of the slot --- */

static _Thread_local int64_t ready; /* cp_fft_ready's count */

/*: function("fft_ready", "change: int64", module="_fft", returns="int64", unlock="never",
             doc="""How transforms of this thread on a GPU are made, of 2^23 elements at most and 2^21 along an axis: by
kernels that are there at once, while the count of calls with 1 less those with -1 is above 0; else by cuFFT, whose are
faster but take 0.1 to 0.3 s to open, unless the transform is so small that both take as long. The result is the count.
Functions that make something else of transforms (convolutions, spectra) count up while they transform.""") */
int64_t (cp_fft_ready)(int64_t change) { return ready += change; }

typedef struct work {
    const char *function;
    cpi_fft_kind kind;
    int sign;
    bool single;
    double scale;
} work;

/* Transforms axes axis[0..rank) of `from` into the same axes of `to`. length: of the result, where it is not from's. */
static cp_code transform_axes(const work *w, cp_array *from, cp_array *to, int rank, const int *axis, int64_t length)
{
    cpi_fft_call c = {.function = w->function, .kind = w->kind, .ready = ready > 0, .single = w->single,
                      .sign = w->sign, .scale = w->scale, .rank = rank, .in = from->data, .out = to->data};
    bool taken[CP_MAXDIM] = {false};
    if (!to->size) return CP_OK;
    for (int i = 0; i < rank; i++) {
        int d = axis[i];
        c.n[i] = length ? length : from->shape[d];
        c.in_step[i] = from->strides[d];
        c.out_step[i] = to->strides[d];
        taken[d] = true;
    }
    for (int d = 0; d < from->ndim; d++) {
        if (taken[d]) continue;
        c.shape[c.ndim] = from->shape[d];
        c.in_stride[c.ndim] = from->strides[d];
        c.out_stride[c.ndim++] = to->strides[d];
    }
    cpi_array_used(from);
    cpi_array_used(to);
    return to->device->backend->fft->transform(cpi_stream(to->device), &c);
}

static bool repeats(const cpi_fft_lengths *l)
{
    for (int i = 0; i < l->n; i++)
        for (int k = 0; k < i; k++)
            if (l->axis[i] == l->axis[k]) return true;
    return false;
}

/* Checks in NumPy's order: axes from the last, where complex input to a real transform is found. */
static cp_code check(const char *name, cpi_fft_kind kind, const cp_array *x, const cpi_fft_lengths *l)
{
    for (int i = l->n - 1; i >= 0; i--) {
        if (l->length[i] < 1)
            return cpi_fail(CP_ERROR_VALUE, "%s: Invalid number of FFT data points (%lld) specified.", name,
                            (long long)l->length[i]);
        if (kind == CPI_FFT_R2C && cpi_is_complex(x->type))
            return cpi_fail(CP_ERROR_TYPE, "%s: the array must be real, it is %s", name, cp_type_name(x->type));
    }
    return CP_OK;
}

/* 1, 1 / n or its root, n the product of the lengths. */
static double scale_of(const cpi_fft_lengths *l, cp_fft_norm norm, bool forward)
{
    double n = 1;
    for (int i = 0; i < l->n; i++) n *= (double)l->length[i];
    if (norm == CP_FFT_NORM_ORTHO) return 1 / sqrt(n);
    return (norm == CP_FFT_NORM_FORWARD) == forward ? 1 / n : 1;
}

/* `from`, which x was made to, transformed along these axes into out, or a new array. n: the length along the last. */
static cp_array *into(const work *w, cp_array *x, cp_array *from, int rank, const int *axis, int64_t n, cp_array *out)
{
    int64_t shape[CP_MAXDIM];
    const bool back = w->kind == CPI_FFT_C2R;
    memcpy(shape, from->shape, (size_t)from->ndim * sizeof *shape);
    if (w->kind != CPI_FFT_C2C) shape[axis[rank - 1]] = back ? n : n / 2 + 1;
    cpi_output o = {.function = w->function, .device = from->device, .ndim = from->ndim, .shape = shape, .out = out,
                    .type = back ? real_type(w->single) : complex_type(w->single), .casting = CP_SAME_KIND,
                    .dense = true};
    if (cpi_output_open(&o, 2, (cp_array *[]){from, x})) return NULL;
    return cpi_output_close(&o, transform_axes(w, from, o.array, rank, axis, back ? n : 0));
}

static cp_array *many_complex(work *w, cp_array *x, const cpi_fft_lengths *l, cp_array *out)
{
    if (!l->n) return cpi_deliver(w->function, cpi_again(x), out, CP_SAME_KIND);
    if (repeats(l)) { /* one after the other, each cropped or padded anew */
        double scale = w->scale;
        cp_array *y = x;
        for (int i = l->n - 1; i >= 0 && y; i--) {
            cpi_fft_lengths one = {.n = 1, .axis = {l->axis[i]}, .length = {l->length[i]}};
            w->scale = i ? 1 : scale;
            y = many_complex(w, y, &one, i ? NULL : out);
        }
        return y;
    }
    cp_array *from = cpi_fft_fitted(w->function, x, l, complex_type(w->single));
    return from ? into(w, x, from, l->n, l->axis, l->length[l->n - 1], out) : NULL;
}

/* The last of the axes is halved, the others are complex. */
static cp_array *halved(work *w, cp_array *x, const cpi_fft_lengths *l, cp_array *out)
{
    cp_array *from = cpi_fft_fitted(w->function, x, l, real_type(w->single));
    return from ? into(w, x, from, l->n, l->axis, l->length[l->n - 1], out) : NULL;
}

static cp_array *restored(work *w, cp_array *x, const cpi_fft_lengths *l, cp_array *out)
{
    const int64_t n = l->length[l->n - 1];
    const bool narrow = l->n == 1 && cpi_is_half(x->type);
    cpi_fft_lengths half = *l;
    half.length[l->n - 1] = n / 2 + 1;
    cp_array *from = cpi_fft_fitted(w->function, x, &half, complex_type(w->single));
    if (from && l->n > 1) {
        work rest = *w;
        rest.kind = CPI_FFT_C2C;
        rest.scale = 1;
        from = into(&rest, x, from, l->n - 1, l->axis, l->length[l->n - 2], NULL);
    }
    cp_array *r = from ? into(w, x, from, 1, &l->axis[l->n - 1], n, narrow ? NULL : out) : NULL;
    return r && narrow ? cpi_deliver(w->function, cp_astype(r, x->type), out, CP_SAME_KIND) : r;
}

/* For axes named twice: transforms the halved one separately, the others before or after it. */
static cp_array *apart(work *w, cp_array *x, const cpi_fft_lengths *l, cp_array *out)
{
    cpi_fft_lengths rest = *l, last = {.n = 1, .axis = {l->axis[l->n - 1]}, .length = {l->length[l->n - 1]}};
    work complex = *w;
    complex.kind = CPI_FFT_C2C;
    complex.scale = 1;
    rest.n--;
    if (w->kind == CPI_FFT_R2C) {
        cp_array *y = halved(w, x, &last, NULL);
        return y ? many_complex(&complex, y, &rest, out) : NULL;
    }
    for (int i = 0; i < rest.n; i++) { /* NumPy's order: from the first */
        rest.axis[i] = l->axis[rest.n - 1 - i];
        rest.length[i] = l->length[rest.n - 1 - i];
    }
    cp_array *y = many_complex(&complex, x, &rest, NULL);
    return y ? restored(w, y, &last, out) : NULL;
}

cp_array *cpi_fft_run(const char *name, cpi_fft_kind kind, int sign, cp_array *x, const cpi_fft_lengths *l,
                      cp_fft_norm norm, cp_array *out)
{
    work w = {.function = name, .kind = kind, .sign = sign, .single = cpi_fft_is_single(x->type)};
    if ((unsigned)norm > CP_FFT_NORM_FORWARD)
        return cpi_fail(CP_ERROR_VALUE, "%s: Invalid norm value; should be \"backward\", \"ortho\" or \"forward\".",
                        name), NULL;
    if (kind != CPI_FFT_C2C && !l->n)
        return cpi_fail(CP_ERROR_INDEX, "%s: at least 1 axis must be transformed", name), NULL;
    if (check(name, kind, x, l)) return NULL;
    w.scale = scale_of(l, norm, sign < 0);
    if (kind == CPI_FFT_C2C) return many_complex(&w, x, l, out);
    if (repeats(l)) return apart(&w, x, l, out);
    return (kind == CPI_FFT_R2C ? halved : restored)(&w, x, l, out);
}

/* --- the functions --- */

/*: python_module("_fft", doc="The transforms below cuprite.fft and cuprite.scipy.fft.") */
/*: words("fft_norm", "backward ortho forward", c="cp_fft_norm") */

static cp_array *one(const char *name, cpi_fft_kind kind, int sign, cp_array *a, int64_t n, cp_axes axis,
                     cp_fft_norm norm, cp_array *out)
{
    cpi_fft_lengths l;
    cpi_composite f;
    if (!cpi_begin(&f, name, a)) return NULL;
    cp_array *r = NULL;
    if (!cpi_fft_axis(name, a, n, axis, &l)) {
        if (kind == CPI_FFT_C2R && !n) l.length[0] = 2 * (l.length[0] - 1);
        r = cpi_fft_run(name, kind, sign, a, &l, norm, out);
    }
    return cpi_end(&f, r);
}

/*: function("fft", "a: array_like, n: length = None, axis: last_axis = -1, norm: fft_norm = None, out: out = None",
             module="_fft", unlock="always",
             doc="""The discrete Fourier transform along an axis, which is cropped or zero-padded to n elements:
sums of a[j] * exp(-2 pi i j k / n). norm: 'backward' (the inverse is divided by n), 'ortho' (both by its root) or
'forward'. float32 and half types give complex64, everything else complex128.""") */
cp_array *(cp_fft)(cp_array *a, const cp_fft_options *options)
{
    const cp_fft_options *o = CPI_GIVEN(cp_fft_options, options);
    return one("fft", CPI_FFT_C2C, -1, a, o->n, o->axis, o->norm, o->out);
}

/*: function("ifft", "a: array_like, n: length = None, axis: last_axis = -1, norm: fft_norm = None, out: out = None",
             module="_fft", unlock="always", doc="The inverse of fft.") */
cp_array *(cp_ifft)(cp_array *a, const cp_ifft_options *options)
{
    const cp_ifft_options *o = CPI_GIVEN(cp_ifft_options, options);
    return one("ifft", CPI_FFT_C2C, 1, a, o->n, o->axis, o->norm, o->out);
}

/*: function("rfft", "a: array_like, n: length = None, axis: last_axis = -1, norm: fft_norm = None, out: out = None",
             module="_fft", unlock="always",
             doc="""The transform of real numbers: its first n // 2 + 1 elements, of which the others are the
conjugates. TypeError for complex numbers.""") */
cp_array *(cp_rfft)(cp_array *a, const cp_rfft_options *options)
{
    const cp_rfft_options *o = CPI_GIVEN(cp_rfft_options, options);
    return one("rfft", CPI_FFT_R2C, -1, a, o->n, o->axis, o->norm, o->out);
}

/*: function("irfft", "a: array_like, n: length = None, axis: last_axis = -1, norm: fft_norm = None, out: out = None",
             module="_fft", unlock="always",
             doc="The inverse of rfft: n real numbers, 2 * (m - 1) of m by default.") */
cp_array *(cp_irfft)(cp_array *a, const cp_irfft_options *options)
{
    const cp_irfft_options *o = CPI_GIVEN(cp_irfft_options, options);
    return one("irfft", CPI_FFT_C2R, 1, a, o->n, o->axis, o->norm, o->out);
}

/*: function("hfft", "a: array_like, n: length = None, axis: last_axis = -1, norm: fft_norm = None, out: out = None",
             module="_fft", unlock="always",
             doc="The transform of what is its own conjugate backwards, given by its first half: n real numbers.") */
cp_array *(cp_hfft)(cp_array *a, const cp_hfft_options *options)
{
    const cp_hfft_options *o = CPI_GIVEN(cp_hfft_options, options);
    return one("hfft", CPI_FFT_C2R, -1, a, o->n, o->axis, o->norm, o->out);
}

/*: function("ihfft", "a: array_like, n: length = None, axis: last_axis = -1, norm: fft_norm = None, out: out = None",
             module="_fft", unlock="always", doc="The inverse of hfft.") */
cp_array *(cp_ihfft)(cp_array *a, const cp_ihfft_options *options)
{
    const cp_ihfft_options *o = CPI_GIVEN(cp_ihfft_options, options);
    return one("ihfft", CPI_FFT_R2C, 1, a, o->n, o->axis, o->norm, o->out);
}

/* `otherwise`: the last two axes, or 0: all. */
static cp_array *several(const char *name, cpi_fft_kind kind, int sign, cp_array *a, cp_shape s, cp_axes axes,
                         int otherwise, cp_fft_norm norm, cp_array *out)
{
    cpi_fft_lengths l;
    cpi_composite f;
    if (!cpi_begin(&f, name, a)) return NULL;
    cp_array *r = NULL;
    if (!cpi_fft_axes(name, a, s, axes, otherwise, &l)) {
        if (kind == CPI_FFT_C2R && !s.dim && l.n) l.length[l.n - 1] = 2 * (l.length[l.n - 1] - 1);
        r = cpi_fft_run(name, kind, sign, a, &l, norm, out);
    }
    return cpi_end(&f, r);
}

/*: function("fft2", "a: array_like, s: lengths = None, axes: plane_axes = (-2, -1), norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always",
             doc="The transform along two axes, or those that are given.") */
cp_array *(cp_fft2)(cp_array *a, const cp_fft2_options *options)
{
    const cp_fft2_options *o = CPI_GIVEN(cp_fft2_options, options);
    return several("fft2", CPI_FFT_C2C, -1, a, o->s, o->axes, 2, o->norm, o->out);
}

/*: function("ifft2", "a: array_like, s: lengths = None, axes: plane_axes = (-2, -1), norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always", doc="The inverse of fft2.") */
cp_array *(cp_ifft2)(cp_array *a, const cp_ifft2_options *options)
{
    const cp_ifft2_options *o = CPI_GIVEN(cp_ifft2_options, options);
    return several("ifft2", CPI_FFT_C2C, 1, a, o->s, o->axes, 2, o->norm, o->out);
}

/*: function("fftn", "a: array_like, s: lengths = None, axes: index_axes = None, norm: fft_norm = None, "
             "out: out = None",
             module="_fft", unlock="always",
             doc="""The transform along several axes: all, the last len(s), or those that are given. s: their lengths,
-1 for an axis as it is.""") */
cp_array *(cp_fftn)(cp_array *a, const cp_fftn_options *options)
{
    const cp_fftn_options *o = CPI_GIVEN(cp_fftn_options, options);
    return several("fftn", CPI_FFT_C2C, -1, a, o->s, o->axes, 0, o->norm, o->out);
}

/*: function("ifftn", "a: array_like, s: lengths = None, axes: index_axes = None, norm: fft_norm = None, "
             "out: out = None",
             module="_fft", unlock="always", doc="The inverse of fftn.") */
cp_array *(cp_ifftn)(cp_array *a, const cp_ifftn_options *options)
{
    const cp_ifftn_options *o = CPI_GIVEN(cp_ifftn_options, options);
    return several("ifftn", CPI_FFT_C2C, 1, a, o->s, o->axes, 0, o->norm, o->out);
}

/*: function("rfft2", "a: array_like, s: lengths = None, axes: plane_axes = (-2, -1), norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always",
             doc="fft2 of real numbers: the last of the axes is halved, as by rfft.") */
cp_array *(cp_rfft2)(cp_array *a, const cp_rfft2_options *options)
{
    const cp_rfft2_options *o = CPI_GIVEN(cp_rfft2_options, options);
    return several("rfft2", CPI_FFT_R2C, -1, a, o->s, o->axes, 2, o->norm, o->out);
}

/*: function("irfft2", "a: array_like, s: lengths = None, axes: plane_axes = (-2, -1), norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always", doc="The inverse of rfft2.") */
cp_array *(cp_irfft2)(cp_array *a, const cp_irfft2_options *options)
{
    const cp_irfft2_options *o = CPI_GIVEN(cp_irfft2_options, options);
    return several("irfft2", CPI_FFT_C2R, 1, a, o->s, o->axes, 2, o->norm, o->out);
}

/*: function("rfftn", "a: array_like, s: lengths = None, axes: index_axes = None, norm: fft_norm = None, "
             "out: out = None",
             module="_fft", unlock="always", doc="fftn of real numbers: the last of the axes is halved, as by rfft.") */
cp_array *(cp_rfftn)(cp_array *a, const cp_rfftn_options *options)
{
    const cp_rfftn_options *o = CPI_GIVEN(cp_rfftn_options, options);
    return several("rfftn", CPI_FFT_R2C, -1, a, o->s, o->axes, 0, o->norm, o->out);
}

/*: function("irfftn", "a: array_like, s: lengths = None, axes: index_axes = None, norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always", doc="The inverse of rfftn.") */
cp_array *(cp_irfftn)(cp_array *a, const cp_irfftn_options *options)
{
    const cp_irfftn_options *o = CPI_GIVEN(cp_irfftn_options, options);
    return several("irfftn", CPI_FFT_C2R, 1, a, o->s, o->axes, 0, o->norm, o->out);
}

/*: function("hfft2", "a: array_like, s: lengths = None, axes: plane_axes = (-2, -1), norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always",
             doc="hfft along the last of two axes, the transform along the other.") */
cp_array *(cp_hfft2)(cp_array *a, const cp_hfft2_options *options)
{
    const cp_hfft2_options *o = CPI_GIVEN(cp_hfft2_options, options);
    return several("hfft2", CPI_FFT_C2R, -1, a, o->s, o->axes, 2, o->norm, o->out);
}

/*: function("hfftn", "a: array_like, s: lengths = None, axes: index_axes = None, norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always",
             doc="hfft along the last of several axes, the transform along the others.") */
cp_array *(cp_hfftn)(cp_array *a, const cp_hfftn_options *options)
{
    const cp_hfftn_options *o = CPI_GIVEN(cp_hfftn_options, options);
    return several("hfftn", CPI_FFT_C2R, -1, a, o->s, o->axes, 0, o->norm, o->out);
}

/*: function("ihfft2", "a: array_like, s: lengths = None, axes: plane_axes = (-2, -1), norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always",
             doc="The inverse of hfft2.") */
cp_array *(cp_ihfft2)(cp_array *a, const cp_ihfft2_options *options)
{
    const cp_ihfft2_options *o = CPI_GIVEN(cp_ihfft2_options, options);
    return several("ihfft2", CPI_FFT_R2C, 1, a, o->s, o->axes, 2, o->norm, o->out);
}

/*: function("ihfftn", "a: array_like, s: lengths = None, axes: index_axes = None, norm: fft_norm = None, "
             "out: out = None", module="_fft", unlock="always",
             doc="The inverse of hfftn.") */
cp_array *(cp_ihfftn)(cp_array *a, const cp_ihfftn_options *options)
{
    const cp_ihfftn_options *o = CPI_GIVEN(cp_ihfftn_options, options);
    return several("ihfftn", CPI_FFT_R2C, 1, a, o->s, o->axes, 0, o->norm, o->out);
}
