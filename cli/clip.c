/* Kappa-sigma clipping in one pass over the parts of an image: a core is summed, the few values outside of it and those
 * near its middle are kept, each distinct one once. The iterations need no other. */
#include "clip.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRESH = 1 << 20 };

static void distinct_free(distinct *d)
{
    free(d->value), free(d->number), free(d->fresh);
    memset(d, 0, sizeof *d);
}

/* Merges two sorted lists of n and m values; the result has at most n + m. */
static int64_t merged(const distinct *d, const double *v, const int64_t *c, int64_t m, double *value, int64_t *number)
{
    int64_t i = 0, j = 0, k = 0;
    for (; i < d->count || j < m; k++) {
        bool mine = j == m || (i < d->count && d->value[i] <= v[j]);
        bool same = i < d->count && j < m && d->value[i] == v[j];
        value[k] = mine ? d->value[i] : v[j];
        number[k] = (mine ? d->number[i] : 0) + (!mine || same ? c[j] : 0);
        i += mine;
        j += !mine || same;
    }
    return k;
}

/* Sorts what was added last into the list. */
static cp_code settle(distinct *d)
{
    if (!d->held) return CP_OK;
    cp_code code = CP_ERROR_MEMORY;
    cp_array *numbers = NULL, *x = cp_from_host(d->fresh, CP_FLOAT64, CP_SHAPE(d->held), NULL);
    cp_array *values = cp_unique(x, .counts = &numbers);
    int64_t m = values ? cp_size(values) : 0;
    double *v = malloc((size_t)m * sizeof *v + 1), *value = malloc((size_t)(m + d->count) * sizeof *value + 1);
    int64_t *c = malloc((size_t)m * sizeof *c + 1), *number = malloc((size_t)(m + d->count) * sizeof *number + 1);
    if (values && v && c && value && number) {
        code = cp_to_host(values, v, (size_t)m * sizeof *v);
        if (code == CP_OK) code = cp_to_host(numbers, c, (size_t)m * sizeof *c);
    }
    if (code == CP_OK) {
        int64_t n = merged(d, v, c, m, value, number);
        free(d->value), free(d->number);
        d->value = value, d->number = number, d->count = n, d->held = 0;
        double *less = realloc(value, (size_t)n * sizeof *value);
        int64_t *fewer = realloc(number, (size_t)n * sizeof *number);
        if (less) d->value = less;
        if (fewer) d->number = fewer;
    } else free(value), free(number);
    free(v), free(c);
    cp_free(x), cp_free(values), cp_free(numbers);
    return code;
}

static cp_code add_value(distinct *d, double v)
{
    if (!d->fresh && !(d->fresh = malloc(FRESH * sizeof *d->fresh))) return CP_ERROR_MEMORY;
    d->fresh[d->held++] = v;
    return d->held == FRESH ? settle(d) : CP_OK;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double rounded(const clipping *c, double v)
{
    volatile float f = (float)v;
    return c->single ? (double)f : v;
}

cp_code clipping_predict(clipping *c, double *sample, int64_t n, double rim)
{
    clipping empty = {.kappa = c->kappa, .single = c->single, .core = {INFINITY, -INFINITY},
                      .window = {INFINITY, -INFINITY}};
    clipping_free(c);
    *c = empty;
    qsort(sample, (size_t)n, sizeof *sample, compare);
    int64_t begin = 0, end = n;
    double middle = 0, std = 0, low = INFINITY, high = -INFINITY;
    while (end - begin > 100) {
        double sum = 0, squares = 0;
        for (int64_t i = begin; i < end; i++) sum += sample[i];
        double mean = sum / (double)(end - begin);
        for (int64_t i = begin; i < end; i++) squares += (sample[i] - mean) * (sample[i] - mean);
        middle = sample[begin + (end - begin) / 2];
        std = sqrt(squares / (double)(end - begin));
        low = fmin(low, middle), high = fmax(high, middle);
        int64_t b = begin, e = end;
        while (b < e && !(sample[b] > middle - c->kappa * std)) b++;
        while (e > b && !(sample[e - 1] < middle + c->kappa * std)) e--;
        if (b == begin && e == end) break;
        begin = b, end = e;
    }
    c->pivot = n ? sample[n / 2] : 0;
    if (end - begin <= 100 || !(std > 0) || rim >= 0.5 || !isfinite(std)) return CP_OK;
    double space = 2 * rim * c->kappa * std, spread = 100 * rim * std / sqrt((double)(end - begin));
    c->core[0] = middle - c->kappa * std + space, c->core[1] = middle + c->kappa * std - space;
    c->window[0] = fmax(c->core[0], low - spread), c->window[1] = fmin(c->core[1], high + spread);
    c->pivot = middle;
    return CP_OK;
}

cp_code clipping_add(clipping *c, const double *values, int64_t n)
{
    double s1 = 0, s2 = 0;
    cp_code code = CP_OK;
    for (int64_t i = 0; i < n && code == CP_OK; i++) {
        double v = values[i], d = v - c->pivot;
        if (v > c->core[0] && v < c->core[1]) {
            s1 += d, s2 += d * d;
            c->core_count++;
            if (v <= c->window[0]) c->below++;
            else if (v < c->window[1]) code = add_value(&c->inner, v);
        } else if (!isnan(v)) code = add_value(&c->fringe, v);
    }
    c->s1 += s1, c->s2 += s2;
    return code;
}

/* The k-th value of a list from value `i` on. */
static double ranked(const distinct *d, int64_t i, int64_t k)
{
    while (k >= d->number[i]) k -= d->number[i++];
    return d->value[i];
}

/* The k-th value of what is kept: values i to j of the fringe, of which those before `left` are below the core, and the
 * core. False: it lies in the core and outside of the window. */
static bool rank_of(const clipping *c, int64_t i, int64_t left, int64_t k, double *value)
{
    int64_t low = 0, inside = 0;
    for (int64_t m = i; m < left; m++) low += c->fringe.number[m];
    for (int64_t m = 0; m < c->inner.count; m++) inside += c->inner.number[m];
    if (k < low) *value = ranked(&c->fringe, i, k);
    else if (k >= low + c->core_count) *value = ranked(&c->fringe, i > left ? i : left, k - low - c->core_count);
    else {
        k -= low + c->below;
        if (k < 0 || k >= inside) return false;
        *value = ranked(&c->inner, 0, k);
    }
    return true;
}

/* Median and standard deviation of the core and values i to j of the fringe; their number, -1: the window is too
 * narrow. */
static int64_t kept(const clipping *c, int64_t i, int64_t j, int64_t left, double *median, double *std)
{
    int64_t n = c->core_count;
    long double s1 = c->s1, s2 = c->s2;
    for (int64_t m = i; m < j; m++) {
        long double d = (long double)c->fringe.value[m] - c->pivot, times = (long double)c->fringe.number[m];
        n += c->fringe.number[m];
        s1 += d * times, s2 += d * d * times;
    }
    double low, high;
    if (!n) return 0;
    if (!rank_of(c, i, left, (n - 1) / 2, &low) || !rank_of(c, i, left, n / 2, &high)) return -1;
    *median = c->single ? rounded(c, (double)(((float)low + (float)high) / 2)) : (low + high) / 2;
    long double m2 = s2 - s1 * (s1 / (long double)n);
    *std = rounded(c, (double)sqrtl((m2 < 0 ? 0 : m2) / (long double)n)); /* NaN where a value is infinite */
    return n;
}

cp_code clipping_end(clipping *c, cp_clip_result *result, bool *held)
{
    const cp_clip_result none = {NAN, NAN, NAN, NAN, 0, 0};
    cp_code code = settle(&c->fringe);
    if (code == CP_OK) code = settle(&c->inner);
    if (code != CP_OK) return code;
    int64_t i = 0, j = c->fringe.count, left = 0;
    while (left < j && c->fringe.value[left] <= c->core[0]) left++;
    *result = none;
    for (int iteration = 0;; iteration++) {
        double median, std;
        int64_t n = kept(c, i, j, left, &median, &std);
        *held = n >= 0;
        if (n < 0) return CP_OK;
        int64_t before = result->count;
        if (!n) *result = none;
        result->iterations = iteration;
        if (!n || n == before) return CP_OK;
        double width = rounded(c, rounded(c, c->kappa) * std);
        *result = (cp_clip_result){median, std, rounded(c, median - width), rounded(c, median + width), n, iteration};
        if (isnan(result->lower) || isnan(result->upper)) {
            *result = none;
            result->iterations = iteration + 1;
            return CP_OK;
        }
        while (i < j && !(c->fringe.value[i] > result->lower)) i++;
        while (j > i && !(c->fringe.value[j - 1] < result->upper)) j--;
        if (c->core_count && !(result->lower <= c->core[0] && result->upper >= c->core[1])) {
            *held = false;
            return CP_OK;
        }
    }
}

void clipping_free(clipping *c)
{
    distinct_free(&c->fringe);
    distinct_free(&c->inner);
}
