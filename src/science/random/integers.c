/* Words as they are, and whole numbers, as NumPy makes them of a stream.
 *
 * Bounds that are numbers: rounds over parts of the stream, of which the first one is nearly always enough, and what is
 * not used is given back. Bounds that are arrays: one number after the other, on the host, since how many
 * parts one needs decides where the next one begins. Invariant: the generator's lock is held from the first part to the
 * last. */
#include <math.h>

#include "random/draw.h"

cp_array *(cp_rng_raw)(cp_rng *g, const cp_draw_options *options)
{
    const cp_draw_options *o = CPI_GIVEN(cp_draw_options, options);
    int64_t shape[CP_MAXDIM], count;
    int ndim;
    if (cpi_null("raw", g)) return NULL;
    if (o->typed && o->dtype != CP_UINT64) return cpi_fail(CP_ERROR_TYPE, "raw: words are uint64"), NULL;
    cpi_device *device = cpi_draw_device("raw", o, 0, NULL);
    if (!device || cpi_draw_shape("raw", o, 0, NULL, &ndim, shape)) return NULL;
    cp_array *r = cpi_array_new("raw", device, CP_UINT64, ndim, shape, 'C');
    if (!r || !r->size) return cpi_deliver("raw", r, o->out, CP_SAME_KIND);
    cpi_rng_lock(g);
    const cpi_bit_stream from = cpi_rng_take(g, r->size);
    cpi_rng_unlock(g);
    uint32_t *states = NULL;
    cp_code code = CP_OK;
    if (from.kind > CP_RNG_PHILOX4X32 && !(states = cpi_rng_states(&from, r->size, &count))) code = cp_error();
    if (!code)
        code = device->backend->random->words(cpi_stream(device), &from, states, states ? count : 0, r->size,
                                              (uint64_t *)r->data);
    cpi_free_host(states);
    if (code) return cp_free(r), NULL;
    return cpi_deliver("raw", r, o->out, CP_SAME_KIND);
}

/* --- one range --- */

/* NumPy draws bits of a type's size, of 64-bit types 32 where they suffice. */
static int bits_for(cp_type t, uint64_t range)
{
    if (t == CP_BOOL) return 1;
    const int bits = (int)cp_type_size(t) * 8;
    return bits == 64 && range <= UINT32_MAX ? 32 : bits;
}

/* The first `end` parts of what comes next; q has them, *words says how many words hold them. */
static void take(cp_rng *g, int64_t end, cpi_integers *q, int64_t *words)
{
    const int per = q->bits >= 32 ? 1 : 32 / q->bits;
    *words = end;
    if (q->bits == 64) q->from = cpi_rng_take(g, end), q->has_half = false;
    else *words = cpi_rng_take_halves(g, (end + per - 1) / per, q);
}

/* The parts first .. first + n - 1 of what begins at `before`. */
static cp_code one_round(cp_stream *stream, cp_rng *g, const cp_rng_state *before, cpi_integers *q)
{
    int64_t words;
    uint64_t *memory;
    cpi_rng_put(g, before);
    take(g, q->first + q->n, q, &words);
    cp_code code = cpi_random_words_in_memory(stream, &q->from, words, &memory);
    q->words = memory;
    if (!code) code = stream->device->backend->random->integers(stream, q);
    if (memory) cpi_work_free(stream, memory);
    return code;
}

/* Parts among which so many numbers are, but for one time in 10^15 */
static int64_t parts_for(const cpi_integers *q, int64_t numbers)
{
    const uint64_t threshold = cpr_threshold(q->range, q->bits);
    const double lost = ldexp((double)threshold, -q->bits), mean = (double)numbers / (1 - lost);
    return threshold ? (int64_t)(mean + 8 * sqrt(mean * lost)) + 32 : numbers;
}

/* Rounds go on where there are too few numbers; the generator stands behind the last part that was used. */
static cp_code of_range(cp_stream *stream, cp_rng *g, cpi_integers *q, int64_t size)
{
    const cp_rng_state before = cpi_rng_position(g);
    cp_code code = CP_OK;
    char *out = q->out;
    int64_t words;
    for (int64_t done = 0; done < size && !code; done += q->taken) {
        q->want = size - done;
        q->n = parts_for(q, q->want);
        q->out = out + done * q->size;
        code = one_round(stream, g, &before, q);
        q->first += q->used;
    }
    cpi_rng_put(g, &before);
    if (!code) take(g, q->first, q, &words);
    return code;
}

/* --- bounds --- */

typedef __int128 wide; /* any integer of ours, and its neighbours */

static wide wide_of(cp_type t, const void *value)
{
    if (cpi_is_float(t)) {
        double v;
        cpi_convert_value(t, value, CP_FLOAT64, &v);
        return (wide)trunc(v < -0x1p70 ? -0x1p70 : v > 0x1p70 ? 0x1p70 : v);
    }
    int64_t v;
    cpi_convert_value(t, value, CP_INT64, &v);
    return t == CP_UINT64 ? (wide)(uint64_t)v : (wide)v;
}

static cp_code check_not_nan(cp_type t, const void *value)
{
    double v = 0;
    if (cpi_is_float(t)) cpi_convert_value(t, value, CP_FLOAT64, &v);
    return isnan(v) ? cpi_fail(CP_ERROR_VALUE, "integers: cannot convert float NaN to integer") : CP_OK;
}

/* Both bounds as what is drawn; the lower one alone is the upper one of [0, low). */
static cp_code range_of(cp_type t, wide low, wide high, bool endpoint, uint64_t *range, uint64_t *off)
{
    int64_t least;
    uint64_t most;
    cpi_integer_range(t, &least, &most);
    if (!endpoint) high -= 1;
    if (low < least) return cpi_fail(CP_ERROR_VALUE, "integers: low is out of bounds for %s", cp_type_name(t));
    if (high > (wide)most) return cpi_fail(CP_ERROR_VALUE, "integers: high is out of bounds for %s", cp_type_name(t));
    if (low > high) return cpi_fail(CP_ERROR_VALUE, "integers: low %s high", endpoint ? ">" : ">=");
    *range = (uint64_t)(high - low);
    *off = (uint64_t)low;
    return CP_OK;
}

static cp_code one_value(cp_array *x, wide *v)
{
    _Alignas(16) unsigned char value[16] = {0};
    if (cp_to_host(x, value, sizeof value) || check_not_nan(x->type, value)) return cp_error();
    *v = wide_of(x->type, value);
    return CP_OK;
}

/* --- arrays of bounds --- */

/* What is left of a half for parts of 8 and 16 bits, and of 1. */
typedef struct rest { uint32_t half; int n; } rest;

static uint64_t next_part(cp_rng *g, int bits, rest *r)
{
    if (bits == 64) return cpi_rng_next(g);
    if (bits == 32) return cpi_rng_next_half(g);
    if (!r->n) *r = (rest){cpi_rng_next_half(g), 32 / bits};
    const uint32_t part = r->half & ((1u << bits) - 1);
    r->half >>= bits;
    r->n--;
    return part;
}

static uint64_t next_number(cp_rng *g, cp_type t, uint64_t range, rest *r)
{
    const int bits = bits_for(t, range);
    const uint64_t threshold = cpr_threshold(range, bits);
    uint64_t x = 0;
    if (!range) return 0;
    while (!cpr_bounded(next_part(g, bits, r), range, bits, threshold, &x))
        ;
    return x;
}

/* x's values in a shape, on the host. */
static char *on_host(cp_array *x, cpi_device *device, int ndim, const int64_t *shape)
{
    cp_array *dense = cpi_dense_shaped("integers", x, x->type, device, ndim, shape);
    const size_t bytes = dense ? (size_t)dense->size * cp_type_size(x->type) : 0;
    char *values = dense ? cpi_malloc(bytes) : NULL;
    if (values && cp_to_host(dense, values, bytes)) cpi_free_host(values), values = NULL;
    cp_free(dense);
    return values;
}

/* Ranges are all checked before a number is drawn. */
static cp_code check_all(const cp_array *low, const char *lows, const cp_array *high, const char *highs, int64_t n,
                         bool endpoint, cp_type t, uint64_t *ranges)
{
    const int64_t a = (int64_t)cp_type_size(low->type), b = (int64_t)cp_type_size(high->type);
    for (int64_t i = 0; i < n; i++) {
        if (check_not_nan(low->type, lows + i * a) || check_not_nan(high->type, highs + i * b) ||
            range_of(t, wide_of(low->type, lows + i * a), wide_of(high->type, highs + i * b), endpoint, &ranges[2 * i],
                     &ranges[2 * i + 1]))
            return cp_error();
    }
    return CP_OK;
}

static cp_code of_arrays(cpi_device *device, cp_rng *g, cp_array *low, cp_array *high, bool endpoint, cp_array *out)
{
    const int64_t n = out->size, size = (int64_t)cp_type_size(out->type);
    char *lows = on_host(low, device, out->ndim, out->shape), *highs = NULL, *values = NULL;
    uint64_t *ranges = NULL;
    if (lows) highs = on_host(high, device, out->ndim, out->shape);
    if (highs) ranges = cpi_calloc((size_t)n, 2 * sizeof *ranges);
    if (ranges) values = cpi_malloc((size_t)(n * size));
    cp_code code = values ? check_all(low, lows, high, highs, n, endpoint, out->type, ranges) : cp_error();
    if (!code) {
        rest r = {0, 0};
        cpi_rng_lock(g);
        for (int64_t i = 0; i < n; i++) {
            const uint64_t x = ranges[2 * i + 1] + next_number(g, out->type, ranges[2 * i], &r);
            memcpy(values + i * size, &x, (size_t)size); /* little endian: the low bytes */
        }
        cpi_rng_unlock(g);
        code = device->backend->from_host(cpi_stream(device), out->data, values, (size_t)(n * size));
    }
    cpi_free_host(values);
    cpi_free_host(ranges);
    cpi_free_host(highs);
    cpi_free_host(lows);
    return code;
}

static bool is_one(const cp_array *x) { return x->size == 1; }

cp_array *(cp_rng_integers)(cp_rng *g, cp_array *low, cp_array *high, bool endpoint, const cp_draw_options *options)
{
    const char *name = "integers";
    const cp_draw_options *o = CPI_GIVEN(cp_draw_options, options);
    const cpi_parameter p[2] = {{"low", low, CPI_ANY}, {"high", high, CPI_ANY}};
    cp_array *both[2] = {low, high};
    int64_t shape[CP_MAXDIM];
    int ndim;
    if (cpi_null(name, g) || cpi_no_parameter(name, &p[0]) || cpi_no_parameter(name, &p[1])) return NULL;
    const cp_type t = o->typed ? o->dtype : o->out ? o->out->type : CP_INT64;
    if (cpi_check_type(name, t)) return NULL;
    if (!cpi_is_int(t) && t != CP_BOOL)
        return cpi_fail(CP_ERROR_TYPE, "integers: Unsupported dtype dtype('%s') for integers", cp_type_name(t)), NULL;
    cpi_device *device = cpi_draw_device(name, o, 2, both);
    if (!device || cpi_draw_shape(name, o, 2, both, &ndim, shape)) return NULL;
    const bool numbers = is_one(low) && is_one(high);
    cpi_integers q = {.type = t, .size = (int)cp_type_size(t)};
    wide a, b;
    if (numbers && (one_value(low, &a) || one_value(high, &b))) return NULL;
    if (numbers && range_of(t, a, b, endpoint, &q.range, &q.off)) return NULL;
    cp_array *r = cpi_array_new(name, device, t, ndim, shape, 'C');
    if (!r) return NULL;
    cp_code code = CP_OK;
    if (r->size && !numbers) {
        code = of_arrays(device, g, low, high, endpoint, r);
    } else if (r->size && !q.range) {
        for (CP_SCOPE) {
            cp_array *v = cp_scalar(t, &q.off); /* little endian: the low bytes */
            code = v ? cp_fill(r, v) : cp_error();
        }
    } else if (r->size) {
        q.bits = bits_for(t, q.range);
        q.out = r->data;
        cpi_rng_lock(g);
        code = of_range(cpi_stream(device), g, &q, r->size);
        cpi_rng_unlock(g);
    }
    if (code) return cp_free(r), NULL;
    return cpi_deliver(name, r, o->out, CP_SAME_KIND);
}
