/* API layer of the distributions: bounds of parameters, shapes, types; then words are taken and a slot makes elements
 * of them. Invariant: a generator is not advanced before all arguments are checked. */
#include "random/draw.h"

#include <math.h>

#include "cuprite/elementwise.h"
#include "cuprite/reduce.h"
#include "random/sequential.h"

/* --- bounds --- */

static const struct { double low, high; bool above, below; const char *text; } bounds[] = {
    [CPI_POSITIVE] = {0, INFINITY, true, false, "%s: %s <= 0"},
    [CPI_SHARE] = {0, 1, false, false, "%s: %s < 0, %s > 1 or %s is NaN"},
    [CPI_SHARE_ABOVE_0] = {0, 1, true, false, "%s: %s <= 0, %s > 1 or %s contains NaNs"},
    [CPI_SHARE_BELOW_1] = {0, 1, false, true, "%s: %s < 0, %s >= 1 or %s is NaN"},
    [CPI_ABOVE_1] = {1, INFINITY, true, false, "%s: %s <= 1 or %s is NaN"},
    [CPI_MEAN] = {0, 9.223372006484771e18, false, false, "%s: %s < 0, %s is too large or NaN"},
    [CPI_COUNT] = {0, 0x1p63, false, true, "%s: %s < 0"},
};

static cp_code out_of_bounds(const char *name, const cpi_parameter *p)
{
    const char *what = p->name;
    if (p->bound == CPI_NOT_NEGATIVE) return cpi_fail(CP_ERROR_VALUE, "%s: %s < 0", name, what);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return cpi_fail(CP_ERROR_VALUE, bounds[p->bound].text, name, what, what, what);
#pragma GCC diagnostic pop
}

/* NaN is valid where the result is then NaN. */
static bool is_good(cpi_bound b, double v)
{
    if (b == CPI_ANY) return true;
    if (b == CPI_NOT_NEGATIVE) return isnan(v) || !signbit(v);
    if (b == CPI_COUNT) v = trunc(v);
    if (b == CPI_POSITIVE && isnan(v)) return true;
    return (bounds[b].above ? v > bounds[b].low : v >= bounds[b].low) &&
           (bounds[b].below ? v < bounds[b].high : v <= bounds[b].high);
}

/* A boolean array: which elements of an array are invalid. */
static cp_array *are_bad(const cpi_parameter *p)
{
    const int b = p->bound;
    cp_array *x = p->x;
    if (b == CPI_NOT_NEGATIVE) {
        if (!cpi_is_float(x->type)) return cp_less(x, cp_int(0));
        return cp_greater(cp_signbit(x), cp_isnan(x));
    }
    cp_array *low = cp_float(b == CPI_COUNT ? -1 : bounds[b].low), *high = cp_float(bounds[b].high);
    cp_array *under = bounds[b].above || b == CPI_COUNT ? cp_less_equal(x, low) : cp_less(x, low);
    cp_array *bad = cp_logical_or(under, bounds[b].below ? cp_greater_equal(x, high) : cp_greater(x, high));
    return b == CPI_POSITIVE ? bad : cp_logical_or(bad, cp_not_equal(x, x));
}

static double number(const cp_array *x)
{
    double v;
    cpi_convert_value(x->type, x->data, CP_FLOAT64, &v);
    return v;
}

cp_code cpi_check_bound(const char *name, const cpi_parameter *p)
{
    if (p->bound == CPI_ANY || !p->x->size) return CP_OK;
    if (p->x->flags & CPI_HOST_SCALAR) {
        const double v = number(p->x);
        if (p->bound == CPI_COUNT && v >= 0x1p63)
            return cpi_fail(CP_ERROR_OVERFLOW, "%s: %s is beyond int64", name, p->name);
        return is_good(p->bound, v) ? CP_OK : out_of_bounds(name, p);
    }
    bool bad = true;
    cp_code code = CP_ERROR_MEMORY;
    for (CP_SCOPE) {
        cp_array *any = cp_any(are_bad(p));
        code = any ? cp_to_host(any, &bad, sizeof bad) : cp_error();
    }
    if (!code && bad) code = out_of_bounds(name, p);
    return code ? (cp_error() ? cp_error() : code) : CP_OK;
}

bool cpi_no_parameter(const char *name, const cpi_parameter *p)
{
    if (cpi_null(name, p->x)) return true;
    if (!cpi_is_complex(p->x->type)) return false;
    cpi_fail(CP_ERROR_TYPE, "%s: %s is complex", name, p->name);
    return true;
}

/* --- shapes and devices --- */

cp_code cpi_draw_shape(const char *name, const cp_draw_options *o, int n, cp_array *const *x, int *ndim, int64_t *shape)
{
    char want[256], have[256];
    int64_t common[CP_MAXDIM];
    int meet = 0;
    if (n && cpi_common_shape(name, n, x, &meet, common)) return cp_error();
    const bool given = o->shape.dim != NULL;
    const int64_t *dim = given ? o->shape.dim : o->out ? o->out->shape : common;
    const int nd = given ? o->shape.n : o->out ? o->out->ndim : meet;
    if (nd < 0 || nd > CP_MAXDIM) return cpi_fail(CP_ERROR_VALUE, "%s: a shape of %d dimensions", name, nd);
    if (given && o->out && !cpi_has_shape(o->out, nd, dim))
        return cpi_fail(CP_ERROR_VALUE, "%s: size must match out.shape when used together", name);
    for (int i = 0; i < nd; i++) {
        if (dim[i] < 0) return cpi_fail(CP_ERROR_VALUE, "%s: negative dimensions are not allowed", name);
        shape[i] = dim[i];
    }
    *ndim = nd;
    bool fits = meet <= nd;
    for (int i = 0; i < meet && fits; i++) fits = common[i] == 1 || common[i] == shape[nd - meet + i];
    if (fits) return CP_OK;
    return cpi_fail(CP_ERROR_VALUE, "%s: Output size %s is not compatible with broadcast dimensions of inputs %s.",
                    name, cpi_shape_string(nd, shape, want, sizeof want),
                    cpi_shape_string(meet, common, have, sizeof have));
}

cpi_device *cpi_draw_device(const char *name, const cp_draw_options *o, int n, cp_array *const *x)
{
    cp_array *all[8] = {o->out};
    for (int i = 0; i < n; i++) all[i + 1] = x[i];
    return cpi_common_device(name, n + 1, all);
}

/* --- drawing --- */

cp_code cpi_random_words_in_memory(cp_stream *stream, const cpi_bit_stream *from, int64_t n, uint64_t **words)
{
    int64_t count;
    *words = NULL;
    if (from->kind <= CPR_PHILOX32 || n <= 0) return CP_OK;
    uint32_t *states = cpi_rng_states(from, n, &count);
    if (!states) return cp_error();
    cp_code code = CP_OK;
    *words = cpi_work_alloc(stream, (size_t)n * sizeof **words);
    if (!*words) code = cp_error();
    if (!code) code = stream->device->backend->random->words(stream, from, states, count, n, *words);
    if (code && *words) cpi_work_free(stream, *words), *words = NULL;
    cpi_free_host(states);
    return code;
}

/* A call's own stream, for distributions that need several words: Philox 4x32, with key and counter from the
 * generator's next four words. A word of it costs less than half of one of Philox 4x64, on GPUs and CPUs. */
static cpi_bit_stream own_words(cp_rng *g)
{
    uint64_t w[4];
    cpi_rng_lock(g);
    for (int i = 0; i < 4; i++) w[i] = cpi_rng_next(g);
    cpi_rng_unlock(g);
    return (cpi_bit_stream){.kind = CPR_PHILOX32, .key = {w[0]},
                           .counter = {w[1] & ~(uint64_t)UINT32_MAX, w[2] ^ w[3]}};
}

/* In one call for counter-based kinds, else in chunks. */
static cp_code draw_numbers(cp_stream *stream, cp_rng *g, cpi_draw *d)
{
    enum { MOST = 1 << 22 };
    const cpi_random_ops *ops = stream->device->backend->random;
    const int64_t all = d->n, bytes = (int64_t)cp_type_size(d->type);
    cp_code code = CP_OK;
    if (!all) return CP_OK;
    if (d->distribution >= CPR_PAIRS) {
        d->from = own_words(g);
        return ops->draw(stream, d);
    }
    cpi_rng_lock(g);
    const bool nchunks = cpi_rng_kind(g) > CP_RNG_PHILOX4X32;
    for (int64_t at = 0; at < all && !code; at += d->n) {
        uint64_t *words;
        d->n = nchunks && all - at > MOST ? MOST : all - at;
        d->from = cpi_rng_take(g, d->n);
        if (!nchunks) cpi_rng_unlock(g); /* its words are taken: other threads may take theirs while these are drawn */
        code = cpi_random_words_in_memory(stream, &d->from, d->n, &words);
        d->words = words;
        if (!code) code = ops->draw(stream, d);
        if (words) cpi_work_free(stream, words);
        d->out = (char *)d->out + d->n * bytes;
        for (int i = 0; i < 3; i++)
            if (d->array[i]) d->array[i] += d->n;
    }
    if (nchunks) cpi_rng_unlock(g);
    return code;
}

static bool is_whole(int distribution)
{
    switch (distribution) {
#define X(DISTRIBUTION) case CPR_##DISTRIBUTION:
    CPR_WHOLE_DISTRIBUTIONS(X)
#undef X
    case CPR_TABLE: case CPR_CHOICE: case CPR_MULTINOMIAL: case CPR_MULTIVARIATE_HYPERGEOMETRIC: return true;
    default: return false;
    }
}

/* The type of the result; *made is the type in which it is drawn. */
static cp_code types(const cpi_drawing *d, cp_type *type, cp_type *made)
{
    const cp_draw_options *o = d->options;
    const bool whole = is_whole(d->distribution);
    *type = o->typed ? o->dtype : o->out ? o->out->type : whole ? CP_INT64 : CP_FLOAT64;
    if (cpi_check_type(d->name, *type)) return cp_error();
    const bool good = whole ? cpi_is_int(*type) : *type == CP_FLOAT64 || *type == CP_FLOAT32;
    if (!good)
        return cpi_fail(CP_ERROR_TYPE, "%s: Unsupported dtype dtype('%s') for %s", d->name, cp_type_name(*type),
                        d->name);
    if (o->out && o->out->type != *type)
        return cpi_fail(CP_ERROR_TYPE, "%s: Supplied output array has the wrong type. Expected %s, got %s", d->name,
                        cp_type_name(*type), cp_type_name(o->out->type));
    *made = whole ? CP_INT64 : d->width ? CP_FLOAT64 : *type;
    return CP_OK;
}

/* Parameters as the slot has them: numbers, or dense arrays of the result's shape, which are held in `hold`. */
static cp_code fill_in(const cpi_drawing *d, cpi_device *device, int ndim, const int64_t *shape, cpi_draw *call,
                       cp_array **hold)
{
    for (int i = 0; i < d->n; i++) {
        const cpi_parameter *p = &d->parameter[i];
        if (p->x->flags & CPI_HOST_SCALAR) {
            call->value[i] = p->bound == CPI_COUNT ? trunc(number(p->x)) : number(p->x);
            continue;
        }
        cp_array *whole = NULL, *x = p->x;
        if (p->bound == CPI_COUNT && cpi_is_float(x->type)) x = whole = cp_astype(x, CP_INT64);
        hold[i] = x ? cpi_dense_shaped(d->name, x, CP_FLOAT64, device, ndim, shape) : NULL;
        if (whole) cp_free(whole);
        if (!hold[i]) return cp_error();
        cpi_array_used(p->x);
        call->array[i] = (const double *)hold[i]->data;
    }
    return CP_OK;
}

/* By a CDF table, where all parameters are scalars and it exists: it is held in `hold`. */
static cp_code by_table(const cpi_drawing *d, cpi_device *device, cpi_draw *call, cp_array **hold)
{
    for (int i = 0; i < d->n; i++)
        if (call->array[i]) return CP_OK;
    *hold = cpi_cdf_table(device, d->distribution, call->value, &call->least, &call->table_n);
    if (!*hold) return call->table_n < 0 ? CP_OK : cp_error();
    call->distribution = CPR_TABLE;
    call->cdf = (const uint64_t *)(*hold)->data;
    return CP_OK;
}

/* Converts the result to what the caller wants. */
static cp_array *delivered(const cpi_drawing *d, cp_array *r, cp_type type)
{
    if (r && r->type != type) {
        cp_array *other = cp_astype(r, type);
        cp_free(r);
        r = other;
    }
    return cpi_deliver(d->name, r, d->options->out, CP_SAME_KIND);
}

static const cp_draw_options no_options;

cp_array *cpi_draw_distribution(cpi_drawing *d)
{
    cp_array *x[3] = {NULL}, *hold[4] = {NULL};
    int64_t shape[CP_MAXDIM + 1];
    int ndim;
    cp_type type = CP_DEFAULT, made = CP_DEFAULT;
    if (!d->options) d->options = &no_options;
    if (cpi_null(d->name, d->g)) return NULL;
    for (int i = 0; i < d->n; i++) {
        if (cpi_no_parameter(d->name, &d->parameter[i])) return NULL;
        x[i] = d->parameter[i].x;
    }
    cp_draw_options o = *d->options;
    if (d->width) o.out = NULL; /* its shape has one axis more */
    cpi_device *device = cpi_draw_device(d->name, d->options, d->n, x);
    if (!device || types(d, &type, &made) || cpi_draw_shape(d->name, &o, d->n, x, &ndim, shape)) return NULL;
    for (int i = 0; i < d->n; i++)
        if (cpi_check_bound(d->name, &d->parameter[i])) return NULL;
    const int behind = d->width && d->distribution != CPR_CHOICE;
    if (ndim + behind > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", d->name, CP_MAXDIM), NULL;
    if (behind) shape[ndim] = d->width;
    cpi_output out = {.function = d->name, .device = device, .type = made, .ndim = ndim + behind, .shape = shape,
                      .out = made == type ? d->options->out : NULL, .casting = CP_SAME_KIND, .dense = true};
    if (cpi_output_open(&out, d->n, x)) return NULL;
    cpi_draw call = {.distribution = d->distribution, .type = made, .width = d->width, .out = out.array->data};
    call.n = behind && d->width ? out.array->size / d->width : out.array->size;
    call.table = d->table ? (const double *)d->table->data : NULL;
    call.table_step = d->table_step;
    cp_code code = CP_OK;
    if (out.array->size) {
        code = fill_in(d, device, ndim, shape, &call, hold);
        if (!code && made == CP_INT64 && d->distribution < CPR_ROWS) code = by_table(d, device, &call, &hold[3]);
        if (!code) code = draw_numbers(cpi_stream(device), d->g, &call);
    }
    for (int i = 0; i < 4; i++) cp_free(hold[i]);
    cp_array *r = cpi_output_close(&out, code);
    return made == type ? r : delivered(d, r, type);
}

/* --- one by one --- */

#define P(NAME, X, BOUND) {NAME, X, BOUND}
#define DRAW(NAME, DISTRIBUTION, N, ...)                                                                               \
    cpi_draw_distribution(&(cpi_drawing){                                                                              \
        .name = NAME, .g = g, .distribution = CPR_##DISTRIBUTION, .n = N, .parameter = {__VA_ARGS__}, .options = o})

/* [0, 1) from halves of words, as NumPy draws float32. */
static cp_array *random_halves(cp_rng *g, const cp_draw_options *o)
{
    int64_t shape[CP_MAXDIM];
    int ndim;
    cpi_device *device = cpi_draw_device("random", o, 0, NULL);
    if (!device || cpi_draw_shape("random", o, 0, NULL, &ndim, shape)) return NULL;
    cpi_output out = {.function = "random", .device = device, .type = CP_FLOAT32, .ndim = ndim, .shape = shape,
                      .out = o->out, .casting = CP_SAME_KIND, .dense = true};
    if (cpi_output_open(&out, 0, NULL)) return NULL;
    cp_code code = CP_OK;
    if (out.array->size) {
        cp_stream *stream = cpi_stream(device);
        cpi_integers q = {.bits = 32, .type = CP_FLOAT32, .size = 4, .n = out.array->size, .out = out.array->data};
        uint64_t *memory;
        cpi_rng_lock(g);
        const int64_t words = cpi_rng_take_halves(g, q.n, &q);
        cpi_rng_unlock(g);
        code = cpi_random_words_in_memory(stream, &q.from, words, &memory);
        q.words = memory;
        if (!code) code = device->backend->random->halves(stream, &q);
        if (memory) cpi_work_free(stream, memory);
    }
    return cpi_output_close(&out, code);
}

cp_array *(cp_rng_random)(cp_rng *g, const cp_draw_options *options)
{
    const cp_draw_options *o = CPI_GIVEN(cp_draw_options, options);
    const bool narrow = o->typed ? o->dtype == CP_FLOAT32 : o->out && o->out->type == CP_FLOAT32;
    if (cpi_null("random", g)) return NULL;
    return narrow && !(o->out && o->out->type != CP_FLOAT32) ? random_halves(g, o) : DRAW("random", UNIT, 0, {0});
}

/* --- those whose parameters depend on one another --- */

/* Checks a condition on pairs of parameters: 1 where some element of `truth` is true; -1: error. Frees `truth`. */
static int any(cp_array *truth)
{
    bool found = false;
    cp_array *r = truth ? cp_any(truth) : NULL;
    const cp_code code = r ? cp_to_host(r, &found, sizeof found) : cp_error();
    return code ? -1 : found;
}

static bool fails(const char *text, int found)
{
    if (found > 0) cpi_fail(CP_ERROR_VALUE, "%s", text);
    return found != 0;
}

static bool missing(const char *name, cp_rng *g, int n, cp_array *const *x)
{
    if (cpi_null(name, g)) return true;
    for (int i = 0; i < n; i++)
        if (cpi_no_parameter(name, &(cpi_parameter){"a parameter", x[i], CPI_ANY})) return true;
    return false;
}

/* cp_float's are weak: beside arrays of float32 the range would be one. */
static cp_array *as_double(cp_array *x)
{
    if (!(x->flags & CPI_HOST_SCALAR)) return cp_astype(x, CP_FLOAT64);
    const double v = number(x);
    return cp_scalar(CP_FLOAT64, &v);
}

cp_array *(cp_rng_uniform)(cp_rng *g, cp_array *low, cp_array *high, const cp_draw_options *o)
{
    cp_array *r = NULL;
    if (missing("uniform", g, 2, (cp_array *[]){low, high})) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array *from = as_double(low), *to = from ? as_double(high) : NULL, *range = to ? cp_subtract(to, from) : NULL;
    if (range && range->size) {
        const int bad = any(cp_logical_not(cp_isfinite(range)));
        if (bad > 0) cpi_fail(CP_ERROR_OVERFLOW, "uniform: high - low range exceeds valid bounds");
        if (bad || fails("uniform: high - low < 0", any(cp_less(range, cp_int(0))))) range = NULL;
        if (range && low->flags & high->flags & CPI_HOST_SCALAR) {
            const double v = number(to) - number(from);
            range = cp_scalar(CP_FLOAT64, &v);
        }
    }
    if (range) r = DRAW("uniform", UNIFORM, 2, P("low", from, CPI_ANY), P("high", range, CPI_ANY));
    return cp_scope_return(s, r);
}

cp_array *(cp_rng_triangular)(cp_rng *g, cp_array *left, cp_array *mode, cp_array *right, const cp_draw_options *o)
{
    cp_array *r = NULL;
    if (missing("triangular", g, 3, (cp_array *[]){left, mode, right})) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    const bool bad = fails("triangular: left > mode", any(cp_greater(left, mode))) ||
                     fails("triangular: mode > right", any(cp_greater(mode, right))) ||
                     fails("triangular: left == right", any(cp_equal(left, right)));
    if (!bad)
        r = DRAW("triangular", TRIANGULAR, 3, P("left", left, CPI_ANY), P("mode", mode, CPI_ANY),
                 P("right", right, CPI_ANY));
    return cp_scope_return(s, r);
}

/* The poisson number of a gamma one: its mean has to stay in bounds. */
cp_array *(cp_rng_negative_binomial)(cp_rng *g, cp_array *n, cp_array *p, const cp_draw_options *o)
{
    const cpi_parameter first = P("n", n, CPI_POSITIVE), second = P("p", p, CPI_SHARE_ABOVE_0);
    cp_array *r = NULL;
    if (missing("negative_binomial", g, 2, (cp_array *[]){n, p})) return NULL;
    if (cpi_check_bound("negative_binomial", &first) || cpi_check_bound("negative_binomial", &second)) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array *a = as_double(n), *b = as_double(p), *scale = cp_divide(cp_subtract(cp_int(1), b), b);
    cp_array *most = cp_multiply(cp_add(a, cp_multiply(cp_int(10), cp_sqrt(a))), scale);
    if (!fails("negative_binomial: n too large or p too small",
               any(cp_logical_not(cp_less_equal(most, cp_float(9.2e18))))))
        r = DRAW("negative_binomial", NEGATIVE_BINOMIAL, 2, first, second);
    return cp_scope_return(s, r);
}

cp_array *(cp_rng_hypergeometric)(cp_rng *g, cp_array *ngood, cp_array *nbad, cp_array *nsample,
                                  const cp_draw_options *o)
{
    const cpi_parameter p[3] = {P("ngood", ngood, CPI_COUNT), P("nbad", nbad, CPI_COUNT),
                                P("nsample", nsample, CPI_COUNT)};
    cp_array *r = NULL;
    if (missing("hypergeometric", g, 3, (cp_array *[]){ngood, nbad, nsample})) return NULL;
    for (int i = 0; i < 3; i++)
        if (cpi_check_bound("hypergeometric", &p[i])) return NULL;
    cp_scope *s = cp_scope_begin();
    if (!s) return NULL;
    cp_array *a = as_double(ngood), *b = as_double(nbad), *c = as_double(nsample), *most = cp_float(999999999.5);
    const bool bad = fails("hypergeometric: both ngood and nbad must be less than 1000000000",
                           any(cp_logical_or(cp_greater(a, most), cp_greater(b, most)))) ||
                     fails("hypergeometric: ngood + nbad < nsample", any(cp_less(cp_add(a, b), c)));
    if (!bad) r = DRAW("hypergeometric", HYPERGEOMETRIC, 3, p[0], p[1], p[2]);
    return cp_scope_return(s, r);
}
