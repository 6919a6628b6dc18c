/* Peaks from the ridges of transforms' maxima. Maxima are found on the device; ridges, of few maxima, on the host.
 *
 * Rows are passed from the last one (the widest wavelet) to the first. A maximum belongs to the ridge whose last one is
 * nearest, of equally near ones to the oldest; so ridges keep their order. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wavelets/transform.h"

#include "operands/operands.h"

typedef struct place { int64_t column, ridge; } place;           /* of a ridge's last maximum; ended: its row */
typedef struct ridge { int64_t length, row, column, gap; } ridge; /* its last maximum, and rows since that */
typedef struct ridges {
    ridge *at;       /* those that go on, the oldest first */
    place *last;     /* their last maxima, by column and then by age */
    place *ended;    /* the others' last maxima, where they are long enough */
    int64_t n, found;
    double least;    /* how long that is */
    bool begun;      /* a row has had maxima: the first one of these ends none */
} ridges;

static int by_column(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->column != y->column) return x->column < y->column ? -1 : 1;
    return (x->ridge > y->ridge) - (x->ridge < y->ridge);
}

/* The first of n places whose column is not below that. */
static int64_t lower(const place *p, int64_t n, int64_t column)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (p[middle].column < column) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The ridge whose last maximum is nearest, of equally near ones the oldest, and how near it is. n > 0. */
static int64_t nearest(const place *p, int64_t n, int64_t column, int64_t *distance)
{
    const int64_t above = lower(p, n, column);
    const place *right = above < n ? &p[above] : NULL;
    const place *left = above > 0 ? &p[lower(p, above, p[above - 1].column)] : NULL;
    const int64_t to_right = right ? right->column - column : INT64_MAX;
    const int64_t to_left = left ? column - left->column : INT64_MAX;
    *distance = to_left < to_right ? to_left : to_right;
    if (to_left == to_right) return left->ridge < right->ridge ? left->ridge : right->ridge;
    return to_left < to_right ? left->ridge : right->ridge;
}

/* A ridge has ended, which is remembered where it is long enough. */
static void end_ridge(ridges *r, const ridge *one)
{
    if (!((double)one->length < r->least)) r->ended[r->found++] = (place){one->column, one->row};
}

/* One row's maxima join ridges or begin some; ridges that have had none for more than `gap` rows end. */
static void pass_row(ridges *r, int64_t row, const unsigned char *maxima, int64_t columns, double distance, double gap)
{
    const int64_t before = r->n;
    const bool first = !r->begun;
    for (int64_t k = 0; k < before; k++) {
        r->at[k].gap++;
        r->last[k] = (place){r->at[k].column, k};
    }
    qsort(r->last, (size_t)before, sizeof *r->last, by_column);
    for (int64_t c = 0; c < columns; c++) {
        int64_t away = 0;
        if (!maxima[c]) continue;
        const int64_t k = before ? nearest(r->last, before, c, &away) : 0;
        if (before && (double)away <= distance) {
            ridge *joined = &r->at[k];
            joined->length++, joined->row = row, joined->column = c, joined->gap = 0;
        } else r->at[r->n++] = (ridge){1, row, c, 0};
    }
    int64_t kept = 0;
    for (int64_t k = 0; k < r->n; k++) {
        if (!first && (double)r->at[k].gap > gap) end_ridge(r, &r->at[k]);
        else r->at[kept++] = r->at[k];
    }
    r->begun |= r->n > 0;
    r->n = kept;
}

/* All rows from the last one on; false with an error. maxima: rows * columns. */
static bool find_ridges(ridges *r, const unsigned char *maxima, int64_t rows, int64_t columns, const double *distances,
                        double gap)
{
    int64_t total = 0;
    for (int64_t i = 0; i < rows * columns; i++) total += maxima[i];
    r->at = cpi_malloc((size_t)(total + 1) * sizeof *r->at);
    r->last = r->at ? cpi_malloc((size_t)(total + 1) * sizeof *r->last) : NULL;
    r->ended = r->last ? cpi_malloc((size_t)(total + 1) * sizeof *r->ended) : NULL;
    if (!r->ended) return false;
    /* the widest row with maxima begins ridges: before it no rows count as gaps, for there are no ridges */
    for (int64_t row = rows - 1; row >= 0; row--)
        pass_row(r, row, maxima + row * columns, columns, distances[row], gap);
    for (int64_t k = 0; k < r->n; k++) end_ridge(r, &r->at[k]);
    return true;
}

/* --- noise --- */

/* NaN is last, as NumPy sorts. */
static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    for (int i = 0; i < 2; i++) {
        if (isnan(x[i]) || isnan(y[i])) return isnan(x[i]) - isnan(y[i]);
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    }
    return 0;
}

/* The percentile of what lies around a place: of `size` elements at most; NaN of none. */
static double complex noise_at(const double complex *row, int64_t columns, int64_t at, int64_t size, double percent,
                               double complex *scratch)
{
    const int64_t half = size / 2, from = at > half ? at - half : 0;
    const int64_t to = at + half + size % 2 < columns ? at + half + size % 2 : columns, n = to - from;
    if (size < 1 || n < 1) return NAN;
    memcpy(scratch, row + from, (size_t)n * sizeof *scratch);
    qsort(scratch, (size_t)n, sizeof *scratch, by_value);
    const double place = percent / 100 * (double)(n - 1);
    const int64_t low = (int64_t)place;
    if ((double)low == place) return scratch[low];
    return scratch[low] * ((double)low + 1 - place) + scratch[low + 1] * (place - (double)low);
}

/* The elements of (row, column) places of transforms, on the host. */
static double complex *values_at(cp_array *transforms, const place *p, int64_t n)
{
    const int64_t columns = cp_dim(transforms, 1);
    int64_t *flat = cpi_malloc((size_t)(n + 1) * sizeof *flat);
    double complex *host = flat ? cpi_malloc((size_t)(n + 1) * sizeof *host) : NULL;
    for (int64_t i = 0; i < n && host; i++) flat[i] = p[i].ridge * columns + p[i].column;
    cp_array *at = host ? cp_from_host(flat, CP_INT64, CP_SHAPE(n), NULL) : NULL;
    cp_array *some = at ? cp_take(transforms, at, CP_FLAT) : NULL;
    some = some ? cp_astype(some, CP_COMPLEX128) : NULL;
    cpi_free_host(flat);
    if (some && cp_to_host(some, host, (size_t)n * sizeof *host) == CP_OK) return host;
    cpi_free_host(host);
    return NULL;
}

/* The first row on the host, and room for a copy of it behind. */
static double complex *first_row(cp_array *transforms)
{
    const int64_t n = cp_dim(transforms, 1);
    cp_array *row = cp_slice(transforms, 1, &CP_AT(0)), *wide = row ? cp_astype(row, CP_COMPLEX128) : NULL;
    double complex *host = wide ? cpi_malloc((size_t)(2 * n) * sizeof *host) : NULL;
    if (host && cp_to_host(wide, host, (size_t)n * sizeof *host) == CP_OK) return host;
    cpi_free_host(host);
    return NULL;
}

/* The columns of ended ridges that stand out of the noise: how many, in the places' `column`; < 0 with an error. */
static int64_t outstanding(ridges *r, cp_array *transforms, const cp_ridge_options *o)
{
    const int64_t columns = cp_dim(transforms, 1);
    const int64_t size = o->window_size ? o->window_size : (columns + 19) / 20;
    const double least = o->min_snr == 0 ? 1 : o->min_snr;
    const double percent = o->noise_perc == 0 ? 10 : o->noise_perc < 0 ? 0 : o->noise_perc;
    double complex *row = r->found ? first_row(transforms) : NULL;
    double complex *values = row ? values_at(transforms, r->ended, r->found) : NULL;
    int64_t kept = values || !r->found ? 0 : -1;
    for (int64_t i = 0; i < r->found && values; i++) {
        const double complex noise = noise_at(row, columns, r->ended[i].column, size, percent, row + columns);
        if (!(cabs(values[i] / noise) < least)) r->ended[kept++].column = r->ended[i].column;
    }
    cpi_free_host(values), cpi_free_host(row);
    return kept;
}

/* --- peaks --- */

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Where elements are above both their neighbours in a row; the ends are nowhere. */
static unsigned char *maxima_of(cp_array *transforms)
{
    const int64_t rows = cp_dim(transforms, 0), n = cp_dim(transforms, 1);
    unsigned char *host = cpi_malloc((size_t)(rows * n + 1));
    cp_array *mask = host ? cp_zeros(CP_SHAPE(rows, n), CP_BOOL) : NULL;
    if (mask && n > 2) {
        cp_array *middle = cpi_range(transforms, 1, 1, n - 1);
        cp_array *right = cp_greater(middle, cpi_range(transforms, 1, 2, n));
        cp_array *left = right ? cp_greater(middle, cpi_range(transforms, 1, 0, n - 2)) : NULL;
        cp_array *to = left ? cpi_range(mask, 1, 1, n - 1) : NULL;
        if (!to || !cpi_apply_2(CP_OP_logical_and, left, right, to)) mask = NULL;
    }
    if (mask && cp_to_host(mask, host, (size_t)(rows * n)) == CP_OK) return host;
    cpi_free_host(host);
    return NULL;
}

/* The peaks of checked transforms. */
static cp_array *peaks(cp_array *transforms, const double *distances, double gap, const cp_ridge_options *o)
{
    const int64_t rows = cp_dim(transforms, 0);
    ridges r = {.least = o->min_length == 0 ? ceil((double)rows / 4) : o->min_length};
    unsigned char *maxima = maxima_of(transforms);
    cp_array *result = NULL;
    if (maxima && find_ridges(&r, maxima, rows, cp_dim(transforms, 1), distances, gap)) {
        const int64_t n = outstanding(&r, transforms, o);
        int64_t *columns = n < 0 ? NULL : cpi_malloc((size_t)(n + 1) * sizeof *columns);
        for (int64_t i = 0; i < n && columns; i++) columns[i] = r.ended[i].column;
        if (columns) {
            qsort(columns, (size_t)n, sizeof *columns, by_number);
            result = cp_from_host(columns, CP_INT64, CP_SHAPE(n), NULL);
        }
        cpi_free_host(columns);
    }
    cpi_free_host(maxima), cpi_free_host(r.at), cpi_free_host(r.last), cpi_free_host(r.ended);
    return result;
}

/* One distance for each row on the host, for the caller to free; NULL with an error. */
static double *distances_of(const char *name, cp_array *x, int64_t rows)
{
    if (cpi_null(name, x) || cpi_check_real(name, x)) return NULL;
    if (cp_ndim(x) != 1 || cp_size(x) < rows)
        return cpi_fail(CP_ERROR_VALUE, "%s: Max_distances must have at least as many rows as matr", name), NULL;
    cp_array *wide = cp_astype(x, CP_FLOAT64);
    double *host = wide ? cpi_malloc((size_t)(cp_size(x) + 1) * sizeof *host) : NULL;
    if (host && cp_to_host(wide, host, (size_t)cp_size(x) * sizeof *host) == CP_OK) return host;
    cpi_free_host(host);
    return NULL;
}

static bool percent_fits(const char *name, double percent)
{
    if (percent <= 100) return true;
    return !cpi_fail(CP_ERROR_VALUE, "%s: noise_perc: percentile must be in the range [0, 100], not %g", name, percent);
}

cp_array *(cp_ridge_peaks)(cp_array *transforms, cp_array *max_distances, double gap, const cp_ridge_options *options)
{
    const cp_ridge_options *o = CPI_GIVEN(cp_ridge_options, options);
    const char *name = "ridge_peaks";
    cpi_composite f;
    if (!cpi_begin(&f, name, transforms)) return NULL;
    if (cp_ndim(transforms) != 2)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: transforms must be (rows, columns)", name), NULL));
    if (!percent_fits(name, o->noise_perc)) return cpi_end(&f, NULL);
    double *distances = distances_of(name, max_distances, cp_dim(transforms, 0));
    cp_array *r = distances ? peaks(transforms, distances, gap, o) : NULL;
    cpi_free_host(distances);
    return cpi_end(&f, r);
}

cp_array *(cp_find_peaks_cwt)(cp_array *vector, cp_array *widths, const cp_find_peaks_cwt_options *options)
{
    const cp_find_peaks_cwt_options *o = CPI_GIVEN(cp_find_peaks_cwt_options, options);
    const char *name = "find_peaks_cwt";
    const cp_ridge_options ridges = {.min_length = o->min_length, .min_snr = o->min_snr, .noise_perc = o->noise_perc,
                                     .window_size = o->window_size};
    cpi_composite f;
    int64_t n = 0;
    if (!cpi_begin(&f, name, vector)) return NULL;
    if (!percent_fits(name, o->noise_perc)) return cpi_end(&f, NULL);
    double *host = cpi_wavelet_widths(name, widths, &n), *distances = NULL, gap = o->gap_thresh;
    cp_array *rows = host ? cpi_wavelet_rows(name, vector, host, n, o->wavelet, o->context) : NULL, *r = NULL;
    if (rows && gap == 0) gap = ceil(host[0]);
    if (rows && o->max_distances) distances = distances_of(name, o->max_distances, n);
    else if (rows && (distances = cpi_malloc((size_t)n * sizeof *distances)))
        for (int64_t i = 0; i < n; i++) distances[i] = host[i] / 4;
    if (distances) r = peaks(rows, distances, gap, &ridges);
    cpi_free_host(host), cpi_free_host(distances);
    return cpi_end(&f, r);
}
