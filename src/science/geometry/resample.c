/* Splines sampled at other places: types, shapes and the description of where the results lie. */
#include "geometry/parts.h"

#include <math.h>
#include <string.h>

typedef struct sampling {
    const char *name;
    cp_array *x;
    int images;               /* axes before those that are sampled: each of their elements is an image */
    int order;
    cp_resample_mode mode;
    double cval[2];           /* real and imaginary part */
    bool filtered, typed;
    cp_type dtype;
    cp_array *out;
    cpi_positions kind;
    int ndim;                 /* of a result, without `images` */
    int64_t shape[CP_MAXDIM];
    const double *numbers;    /* what `place` holds, on the host */
    int64_t count;
    cp_array *coordinates;    /* or what it is */
} sampling;

/* The one list of options that all functions have. */
#define SAMPLING(function, o)                                                                                        \
    {.name = function, .x = input, .order = order, .mode = (o)->mode, .cval = {(o)->cval, (o)->cval_imag},           \
     .filtered = (o)->filtered, .typed = (o)->typed, .dtype = (o)->dtype, .out = (o)->out}

enum { PAD = 12 }; /* SciPy's: modes without a filter of their own are continued by that many elements first */

static bool is_padded(const sampling *s)
{
    return !s->filtered && s->order > 1 &&
           (s->mode == CP_RESAMPLE_MODE_NEAREST || s->mode == CP_RESAMPLE_MODE_GRID_CONSTANT);
}

/* What is sampled: coefficients, or the elements themselves, dense; the caller frees it. */
static cp_array *source_of(const sampling *s, cp_array *x, double cval, cpi_boundary mode)
{
    if (s->filtered || s->order < 2) {
        cpi_device *device = cpi_common_device(s->name, 1, &x);
        return device ? cpi_dense(s->name, x, cpi_sampled_type(x->type), device) : NULL;
    }
    if (is_padded(s)) {
        int64_t widths[2 * CP_MAXDIM] = {0};
        for (int d = 2 * s->images; d < 2 * x->ndim; d++) widths[d] = PAD;
        const bool nearest = s->mode == CP_RESAMPLE_MODE_NEAREST;
        if (!nearest) x = cp_astype(x, CP_FLOAT64);
        if (x) x = cp_pad(x, 2 * x->ndim, widths, nearest ? CP_PAD_MODE_EDGE : CP_PAD_MODE_CONSTANT,
                          cp_float(cval));
    }
    return x ? cpi_spline_coefficients(s->name, x, s->order, mode, s->images) : NULL;
}

/* Results of real numbers, dense and of a type that slots write. */
static cp_code sample_dense(const sampling *s, const cp_array *source, cpi_boundary mode, double cval,
                            const cp_array *place, cp_array *to)
{
    cpi_resample r = {.source = source->type, .result = to->type, .order = s->order, .mode = mode, .cval = cval,
                      .pad = is_padded(s) ? PAD : 0, .in_ndim = source->ndim - s->images, .out_ndim = s->ndim,
                      .images = 1, .size = to->size, .kind = s->kind, .from = source->data, .to = to->data};
    for (int d = 0; d < s->images; d++) r.images *= source->shape[d];
    memcpy(r.in_shape, source->shape + s->images, (size_t)r.in_ndim * sizeof *r.in_shape);
    memcpy(r.out_shape, s->shape, (size_t)s->ndim * sizeof *r.out_shape);
    if (place) cpi_array_used(place), r.place = (const double *)place->data;
    else memcpy(r.numbers, s->numbers, (size_t)s->count * sizeof *r.numbers);
    cpi_array_used(source), cpi_array_used(to);
    return to->device->backend->geometry->resample(cpi_stream(to->device), &r);
}

/* Results of real numbers into `to`, of any layout and real type. */
static cp_code sample_real(const sampling *s, cp_array *x, double cval, cpi_boundary mode, cp_array *place,
                           cp_array *to)
{
    if (!to->size) return CP_OK;
    if (!x->size) return cp_assign(to, cp_float(cval));
    cp_array *source = source_of(s, x, cval, mode), *dense = to;
    if (!source) return cp_error();
    const bool direct = !cpi_is_half(to->type) && cp_is_c_contiguous(to) && !cpi_may_overlap(to, source) &&
                        !(place && cpi_may_overlap(to, place));
    cp_code code = CP_OK;
    if (!direct) dense = cp_empty((cp_shape){to->ndim, to->shape}, cpi_is_half(to->type) ? CP_FLOAT64 : to->type);
    if (!dense) code = cp_error();
    if (!code) code = sample_dense(s, source, mode, cval, place, dense);
    if (!code && !direct) code = cp_assign(to, dense);
    cp_free(source);
    return code;
}

static cp_code sample_into(const sampling *s, cpi_boundary mode, cp_array *to)
{
    cpi_device *device = cpi_common_device(s->name, 1, (cp_array *[]){to});
    if (!device) return cp_error();
    const bool few = !s->coordinates && s->count <= CPI_RESAMPLE_NUMBERS;
    cp_array *place = s->coordinates ? cpi_dense(s->name, s->coordinates, CP_FLOAT64, device)
                      : few          ? NULL
                                     : cp_from_host(s->numbers, CP_FLOAT64, (cp_shape){1, &s->count}, NULL);
    if (!place && !few) return cp_error();
    cp_code code;
    if (!cpi_is_complex(to->type)) {
        code = sample_real(s, s->x, s->cval[0], mode, place, to);
    } else {
        cp_array *x[2] = {cp_real_part(s->x), cp_imag_part(s->x)}, *parts[2] = {cp_real_part(to), cp_imag_part(to)};
        code = x[0] && x[1] && parts[0] && parts[1] ? CP_OK : cp_error();
        for (int i = 0; i < 2 && !code; i++) code = sample_real(s, x[i], s->cval[i], mode, place, parts[i]);
    }
    if (s->coordinates) cp_free(place);
    return code;
}

/* The shape of the whole result: images, then the sampled axes. */
static cp_shape whole_shape(const sampling *s, int64_t *dims)
{
    memcpy(dims, s->x->shape, (size_t)s->images * sizeof *dims);
    memcpy(dims + s->images, s->shape, (size_t)s->ndim * sizeof *dims);
    return (cp_shape){s->images + s->ndim, dims};
}

static cp_code check_ranks(const char *name, const cp_array *x, int ndim)
{
    if (x->ndim >= 1 && ndim >= 1) return CP_OK;
    return cpi_fail(CP_ERROR_RUNTIME, "%s: input and output rank must be > 0", name);
}

/* The result, or `out`; in the scope `f`. NULL: an error. */
static cp_array *sample(const cpi_composite *f, sampling *s)
{
    cpi_boundary mode = CPI_BOUNDARY_CONSTANT;
    int64_t dims[CP_MAXDIM];
    const cp_type type = cpi_result_type(s->name, s->x, s->out, s->typed, s->dtype, s->x->type);
    if (type == CP_DEFAULT || cpi_boundary_of(s->name, s->mode, &mode) ||
        check_ranks(s->name, s->x, s->ndim))
        return cpi_end(f, NULL);
    const cp_shape shape = whole_shape(s, dims);
    if (s->out && !cpi_has_shape(s->out, shape.n, dims))
        return cpi_end(f, (cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", s->name), NULL));
    if (s->out && (cpi_check_writable(s->name, s->out) || !cpi_common_device(s->name, 2, (cp_array *[]){s->x, s->out})))
        return cpi_end(f, NULL);
    if (s->out && cpi_may_overlap(s->out, s->x) && !(s->x = cp_copy(s->x))) return cpi_end(f, NULL);
    cp_array *r = s->out ? s->out : cp_empty(shape, type);
    if (r && sample_into(s, mode, r)) r = NULL;
    return cpi_end(f, r && s->out ? cpi_again(r) : r);
}

/* --- given coordinates --- */

/*: function("map_coordinates", "input: array, coordinates: array, order: int, mode: resample_mode = 'constant', "
             "cval: double = 0, cval_imag: double = 0, filtered: bool = False, dtype: dtype = None, out: out = None",
             module="_geometry", unlock="always",
             raises={"RuntimeError": "no axes, coordinates that are not one for each axis, an order beyond 0 to 5, an "
                     "output of another shape", "TypeError": "complex coordinates"},
             doc="""The values of a spline through the elements at coordinates (ndim, ...), by which elements are
continued beyond the edges by the mode, or by cval. filtered: the elements are coefficients already.""") */
cp_array *(cp_map_coordinates)(cp_array *input, cp_array *coordinates, int order,
                               const cp_map_coordinates_options *options)
{
    const cp_map_coordinates_options *o = CPI_GIVEN(cp_map_coordinates_options, options);
    sampling s = SAMPLING("map_coordinates", o);
    cpi_composite f;
    if (cpi_null(s.name, input) || cpi_null(s.name, coordinates) || cpi_check_order(s.name, order)) return NULL;
    if (cpi_check_real(s.name, coordinates) || check_ranks(s.name, input, coordinates->ndim - 1)) return NULL;
    if (coordinates->shape[0] != input->ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: invalid shape for coordinate array", s.name), NULL;
    if (!cpi_begin(&f, s.name, input)) return NULL;
    s.kind = CPI_POSITIONS_GIVEN;
    s.coordinates = coordinates;
    s.ndim = coordinates->ndim - 1;
    memcpy(s.shape, coordinates->shape + 1, (size_t)s.ndim * sizeof *s.shape);
    if (!cpi_common_device(s.name, 2, (cp_array *[]){input, coordinates})) return cpi_end(&f, NULL);
    return sample(&f, &s);
}

/* --- matrices --- */

/* The matrix of n rows and its offsets side by side: m + 1 numbers a row, for an m-d result. */
static cp_code read_matrix(const sampling *s, cp_array *matrix, cp_array *offset, double *cells)
{
    const int n = s->x->ndim;
    const int64_t columns = matrix->ndim == 2 ? matrix->shape[1] : 0;
    const int64_t rows = matrix->shape[0];
    const bool homogeneous = matrix->ndim == 2 && columns == n + 1 && (rows == n || rows == n + 1);
    double *all = cpi_malloc(sizeof *all * (size_t)(matrix->size + n + 1)), *offsets = all + matrix->size;
    if (!all) return CP_ERROR_MEMORY;
    const int64_t kept = homogeneous ? n : columns;
    cp_code code = cpi_doubles_of(s->name, matrix, all);
    for (int j = 0; !code && homogeneous && rows == n + 1 && j <= n; j++)
        if (all[n * (n + 1) + j] != (j == n))
            code = cpi_fail(CP_ERROR_VALUE, "%s: Expected homogeneous transformation matrix, but its bottom row is not "
                            "0, ..., 0, 1", s->name);
    if (!code && !homogeneous && rows != n)
        code = cpi_fail(CP_ERROR_RUNTIME, "%s: affine matrix has wrong number of rows", s->name);
    if (!code && matrix->ndim == 2 && kept != s->ndim)
        code = cpi_fail(CP_ERROR_RUNTIME, "%s: affine matrix has wrong number of columns", s->name);
    for (int i = 0; i < n; i++) offsets[i] = homogeneous && !code ? all[i * (n + 1) + n] : 0;
    if (!code && !homogeneous && offset) code = cpi_numbers_of(s->name, offset, n, offsets);
    for (int i = 0; !code && i < n; i++) {
        if (matrix->ndim == 1) {
            cells[2 * i] = all[i], cells[2 * i + 1] = offsets[i] / all[i];
            continue;
        }
        memcpy(cells + i * (kept + 1), all + i * columns, (size_t)kept * sizeof *cells);
        cells[i * (kept + 1) + kept] = offsets[i];
    }
    cpi_free_host(all);
    return code;
}

/*: function("affine_transform", "input: array, matrix: array, order: int, offset: array = None, "
             "output_shape: per_axis = None, mode: resample_mode = 'constant', cval: double = 0, cval_imag: double = "
             "0, "
             "filtered: bool = False, dtype: dtype = None, out: out = None", module="_geometry", unlock="always",
             raises={"RuntimeError": "no axes, a matrix of another shape, an order beyond 0 to 5, an output of another "
                     "shape", "ValueError": "a homogeneous matrix whose last row is not 0, ..., 0, 1"},
             doc="""Element o of the result is the value of a spline through the input at matrix @ o + offset. A matrix
of one axis is a diagonal; one of a column more has the offset in its last. Its numbers are read, which waits.""") */
cp_array *(cp_affine_transform)(cp_array *input, cp_array *matrix, int order,
                                const cp_affine_transform_options *options)
{
    const cp_affine_transform_options *o = CPI_GIVEN(cp_affine_transform_options, options);
    sampling s = SAMPLING("affine_transform", o);
    cpi_composite f;
    if (cpi_null(s.name, input) || cpi_null(s.name, matrix) || cpi_check_order(s.name, order)) return NULL;
    const cp_shape like = o->out ? (cp_shape){o->out->ndim, o->out->shape} : (cp_shape){input->ndim, input->shape};
    const cp_shape shape = o->output_shape.dim ? o->output_shape : like;
    if (check_ranks(s.name, input, shape.n)) return NULL;
    if (shape.n > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: too many dimensions", s.name), NULL;
    for (int d = 0; d < shape.n; d++)
        if (shape.dim[d] < 0) return cpi_fail(CP_ERROR_VALUE, "%s: negative dimensions are not allowed", s.name), NULL;
    if ((matrix->ndim != 1 && matrix->ndim != 2) || matrix->shape[0] < 1)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: no proper affine matrix provided", s.name), NULL;
    s.ndim = shape.n;
    memcpy(s.shape, shape.dim, (size_t)shape.n * sizeof *s.shape);
    s.kind = matrix->ndim == 1 ? CPI_POSITIONS_STEPS : CPI_POSITIONS_AFFINE;
    s.count = matrix->ndim == 1 ? 2 * input->ndim : (int64_t)input->ndim * (s.ndim + 1);
    if (matrix->ndim == 1 && s.ndim != input->ndim)
        return cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", s.name), NULL;
    double *cells = cpi_malloc(sizeof *cells * (size_t)s.count);
    if (!cells || !cpi_begin(&f, s.name, input)) return cpi_free_host(cells), NULL;
    s.numbers = cells;
    cp_array *r = read_matrix(&s, matrix, o->offset, cells) ? cpi_end(&f, NULL) : sample(&f, &s);
    cpi_free_host(cells);
    return r;
}

/* --- one number for each axis --- */

/*: function("shift", "input: array, shift: array, order: int, mode: resample_mode = 'constant', cval: double = 0, "
             "cval_imag: double = 0, filtered: bool = False, dtype: dtype = None, out: out = None", module="_geometry",
             unlock="always",
             raises={"RuntimeError": "no axes, shifts that are not one or one for each axis, an order beyond 0 to 5, "
                                     "an "
                     "output of another shape"},
             doc="The input moved by fractions of elements too, one shift for all axes or one for each.") */
cp_array *(cp_shift)(cp_array *input, cp_array *shift, int order, const cp_shift_options *options)
{
    const cp_shift_options *o = CPI_GIVEN(cp_shift_options, options);
    sampling s = SAMPLING("shift", o);
    cpi_composite f;
    double by[CP_MAXDIM], cells[2 * CP_MAXDIM];
    if (cpi_null(s.name, input) || cpi_check_order(s.name, order)) return NULL;
    if (check_ranks(s.name, input, input->ndim)) return NULL;
    if (cpi_numbers_of(s.name, shift, input->ndim, by) || !cpi_begin(&f, s.name, input)) return NULL;
    for (int d = 0; d < input->ndim; d++) cells[2 * d] = 1, cells[2 * d + 1] = -by[d];
    s.kind = CPI_POSITIONS_STEPS;
    s.numbers = cells, s.count = 2 * input->ndim;
    s.ndim = input->ndim;
    memcpy(s.shape, input->shape, (size_t)s.ndim * sizeof *s.shape);
    return sample(&f, &s);
}

/* The result's shape, and the factors from its indices to positions. */
static cp_code plan_zoom(sampling *s, const double *zoom, bool grid, double *cells)
{
    for (int d = 0; d < s->x->ndim; d++) {
        const double n = rint((double)s->x->shape[d] * zoom[d]), less = grid ? 0 : 1;
        if (isnan(n)) return cpi_fail(CP_ERROR_VALUE, "zoom: cannot convert float NaN to integer: axis %d", d);
        if (isinf(n)) return cpi_fail(CP_ERROR_OVERFLOW, "zoom: cannot convert float infinity to integer: axis %d", d);
        if (n < 0) return cpi_fail(CP_ERROR_VALUE, "zoom: negative dimensions are not allowed: axis %d", d);
        if (n > 0x1p62) return cpi_fail(CP_ERROR_VALUE, "zoom: maximum allowed dimension exceeded");
        s->shape[d] = (int64_t)n;
        cells[2 * d] = n - less != 0 ? ((double)s->x->shape[d] - less) / (n - less) : 1;
        cells[2 * d + 1] = 0;
    }
    return CP_OK;
}

/* The elements themselves, converted as by astype. */
static cp_array *unchanged(const cpi_composite *f, const sampling *s)
{
    const cp_type type = cpi_result_type(s->name, s->x, s->out, s->typed, s->dtype, s->x->type);
    if (type == CP_DEFAULT) return cpi_end(f, NULL);
    if (!s->out) return cpi_end(f, cp_astype(s->x, type));
    if (!cpi_has_shape(s->out, s->x->ndim, s->x->shape))
        return cpi_end(f, (cpi_fail(CP_ERROR_RUNTIME, "%s: output shape not correct", s->name), NULL));
    return cpi_end(f, cp_assign(s->out, s->x) ? NULL : cpi_again(s->out));
}

/*: function("zoom", "input: array, zoom: array, order: int, mode: resample_mode = 'constant', cval: double = 0, "
             "cval_imag: double = 0, filtered: bool = False, grid_mode: bool = False, dtype: dtype = None, "
             "out: out = None", module="_geometry", unlock="always",
             raises={"RuntimeError": "no axes, factors that are not one or one for each axis, an order beyond 0 to "
                                     "5, an "
                     "output of another shape"},
             doc="""The input with more or fewer elements along its axes, by one factor for all or one for each.
grid_mode: an element is as wide as the distance of two, so that edges lie over edges, not centres over centres.""") */
cp_array *(cp_zoom)(cp_array *input, cp_array *zoom, int order, const cp_zoom_options *options)
{
    const cp_zoom_options *o = CPI_GIVEN(cp_zoom_options, options);
    sampling s = SAMPLING("zoom", o);
    cpi_composite f;
    double by[CP_MAXDIM], cells[2 * CP_MAXDIM];
    if (cpi_null(s.name, input) || cpi_check_order(s.name, order)) return NULL;
    if (check_ranks(s.name, input, input->ndim)) return NULL;
    if (cpi_numbers_of(s.name, zoom, input->ndim, by) || plan_zoom(&s, by, o->grid_mode, cells)) return NULL;
    bool same = !o->filtered;
    for (int d = 0; d < input->ndim; d++) same &= by[d] == 1;
    if (!cpi_begin(&f, s.name, input)) return NULL;
    s.kind = o->grid_mode ? CPI_POSITIONS_CENTRES : CPI_POSITIONS_STEPS;
    s.numbers = cells, s.count = 2 * input->ndim;
    s.ndim = input->ndim;
    return same ? unchanged(&f, &s) : sample(&f, &s);
}

/* --- rotations --- */

static double polynomial(double x, const double *c, int degree)
{
    double y = c[0];
    for (int i = 1; i <= degree; i++) y = y * x + c[i];
    return y;
}

/* Sine or cosine of degrees, which are exact at multiples of 90: Cephes' sindg and cosdg, which SciPy rotates by. */
static double of_degrees(double x, bool cosine)
{
    static const double sin_terms[] = {1.58962301572218447952e-10, -2.50507477628503540135e-8,
        2.75573136213856773549e-6, -1.98412698295895384658e-4, 8.33333333332211858862e-3, -1.66666666666666307295e-1};
    static const double cos_terms[] = {1.13678171382044553091e-11, -2.08758833757683644217e-9,
        2.75573155429816611547e-7, -2.48015872936186303776e-5, 1.38888888888806666760e-3, -4.16666666666666348141e-2,
        4.99999999999999999798e-1};
    bool negative = x < 0 && !cosine;
    x = fabs(x);
    if (!(x <= 1e14)) return isfinite(x) ? 0 : (double)NAN;
    double octant = floor(x / 45.0);
    int j = (int)fmod(octant, 16);
    if (j & 1) j++, octant++;
    j &= 7;
    if (j > 3) negative = !negative, j -= 4;
    if (cosine && j > 1) negative = !negative;
    const double z = (x - octant * 45.0) * 1.74532925199432957692e-2, zz = z * z;
    const double y = (j == 1 || j == 2) != cosine ? 1.0 - zz * polynomial(zz, cos_terms, 6)
                                                  : z + z * (zz * polynomial(zz, sin_terms, 5));
    return negative ? -y : y;
}

/* The two axes of the plane, ascending. */
static cp_code plane_of(const cp_array *x, cp_axes axes, int *plane)
{
    if (x->ndim < 2) return cpi_fail(CP_ERROR_VALUE, "rotate: input array should be at least 2D");
    plane[0] = 0, plane[1] = 1;
    if (axes.at) {
        if (axes.n != 2) return cpi_fail(CP_ERROR_VALUE, "rotate: axes should contain exactly two values");
        for (int i = 0; i < 2; i++) plane[i] = axes.at[i] < 0 ? axes.at[i] + x->ndim : axes.at[i];
        if (plane[0] > plane[1]) plane[0] ^= plane[1], plane[1] ^= plane[0], plane[0] ^= plane[1];
    }
    if (plane[0] < 0 || plane[1] >= x->ndim) return cpi_fail(CP_ERROR_VALUE, "rotate: invalid rotation plane "
        "specified");
    return CP_OK;
}

/* The result's plane and the transformation from its indices to the input's. */
static void plan_rotation(sampling *s, const int64_t *in, double angle, bool keep, double *cells)
{
    const double c = of_degrees(angle, true), n = of_degrees(angle, false), iy = (double)in[0], ix = (double)in[1];
    const double m[2][2] = {{c, n}, {-n, c}};
    double centre[2];
    for (int i = 0; i < 2; i++) {
        const double ends[4] = {0, m[i][1] * ix, m[i][0] * iy, m[i][0] * iy + m[i][1] * ix};
        double low = 0, high = 0;
        for (int k = 1; k < 4; k++) low = ends[k] < low ? ends[k] : low, high = ends[k] > high ? ends[k] : high;
        s->shape[i] = keep ? in[i] : (int64_t)(high - low + 0.5);
        centre[i] = (double)(s->shape[i] - 1) / 2;
    }
    for (int i = 0; i < 2; i++) {
        cells[3 * i] = m[i][0], cells[3 * i + 1] = m[i][1];
        /* rounded as the product of NumPy that SciPy makes, since elements at an edge depend on it */
        cells[3 * i + 2] = (double)(in[i] - 1) / 2 - fma(m[i][0], centre[0], m[i][1] * centre[1]);
    }
}

/* The plane's axes last; their order kept. */
static cp_array *plane_last(cp_array *x, const int *plane)
{
    cp_array *one = x ? cpi_axis_moved(x, plane[0], x->ndim - 1) : NULL;
    return one ? cpi_axis_moved(one, plane[1] - 1, x->ndim - 1) : NULL;
}

/*: function("rotate", "input: array, angle: double, order: int, axes: index_axes = None, keep_shape: bool = False, "
             "mode: resample_mode = 'constant', cval: double = 0, cval_imag: double = 0, filtered: bool = False, "
             "dtype: dtype = None, out: out = None", module="_geometry", unlock="always",
             raises={"RuntimeError": "an order beyond 0 to 5, an output of another shape",
                     "ValueError": "fewer than two axes, other than two of a plane, an angle that is not finite"},
             doc="""The input turned by degrees in the plane of two axes (None: the first two); keep_shape: in an
array of the same shape, else in one that holds all of it.""") */
cp_array *(cp_rotate)(cp_array *input, double angle, int order, const cp_rotate_options *options)
{
    const cp_rotate_options *o = CPI_GIVEN(cp_rotate_options, options);
    sampling s = SAMPLING("rotate", o);
    cpi_composite f;
    double cells[6];
    int plane[2] = {0, 1};
    int64_t shape[CP_MAXDIM];
    if (cpi_null(s.name, input) || plane_of(input, o->axes, plane) || cpi_check_order(s.name, order)) return NULL;
    if (!isfinite(angle)) return cpi_fail(CP_ERROR_VALUE, "rotate: the angle %g is not finite", angle), NULL;
    if (!cpi_begin(&f, s.name, input)) return NULL;
    plan_rotation(&s, (const int64_t[]){input->shape[plane[0]], input->shape[plane[1]]}, angle, o->keep_shape, cells);
    s.kind = CPI_POSITIONS_AFFINE;
    s.numbers = cells, s.count = 6;
    s.ndim = 2;
    if (input->ndim == 2) return sample(&f, &s);
    /* the other axes are those of images */
    memcpy(shape, input->shape, (size_t)input->ndim * sizeof *shape);
    shape[plane[0]] = s.shape[0], shape[plane[1]] = s.shape[1];
    const cp_type type = cpi_result_type(s.name, input, o->out, o->typed, o->dtype, input->type);
    if (type == CP_DEFAULT) return cpi_end(&f, NULL);
    if (o->out && !cpi_has_shape(o->out, input->ndim, shape))
        return cpi_end(&f, (cpi_fail(CP_ERROR_RUNTIME, "rotate: output shape not correct"), NULL));
    cp_array *r = o->out ? o->out : cp_empty((cp_shape){input->ndim, shape}, type);
    cpi_composite inner;
    s.images = input->ndim - 2;
    s.x = plane_last(input, plane);
    s.out = r ? plane_last(r, plane) : NULL;
    if (!s.x || !s.out || !cpi_begin(&inner, s.name, s.x)) return cpi_end(&f, NULL);
    cp_array *done = sample(&inner, &s);
    return cpi_end(&f, done && o->out ? cpi_again(r) : done ? r : NULL);
}
