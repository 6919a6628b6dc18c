/* Peaks that meet conditions: masks of what the other functions find. */
#include <math.h>

#include "compose/compose.h"
#include "cuprite/peaks.h"
#include "operands/operands.h"

/* The limits of a condition, 0-d or one for each peak; NULL: none. */
typedef struct limits { cp_array *low, *high; } limits;

/* A number: the lowest value; (2,): also the highest; (2, elements): these for each of x's. False with an error. */
static bool read_limits(const char *what, cp_array *given, const cp_array *x, cp_array *peaks, limits *to)
{
    *to = (limits){NULL, NULL};
    if (!given) return true;
    if (cpi_check_real("find_peaks", given)) return false;
    const int ndim = cp_ndim(given);
    if (ndim > 2 || (ndim && cp_dim(given, 0) != 2) || (ndim == 2 && cp_dim(given, 1) != cp_size(x)))
        return !cpi_fail(CP_ERROR_VALUE, "find_peaks: %s is a number, two, or two for each element", what);
    if (!ndim) {
        to->low = given;
        return true;
    }
    to->low = cp_slice(given, 1, &CP_AT(0)), to->high = cp_slice(given, 1, &CP_AT(1));
    if (ndim == 2 && to->low && to->high) to->low = cp_take(to->low, peaks, 0), to->high = cp_take(to->high, peaks, 0);
    return to->low && to->high;
}

/* Which of the least values are not below the limit, and of the greatest not above it. */
static cp_array *mask_of(cp_array *least, cp_array *greatest, limits l)
{
    cp_array *above = l.low && least ? cp_greater_equal(least, l.low) : NULL;
    cp_array *below = l.high && greatest ? cp_less_equal(greatest, l.high) : NULL;
    return l.high ? (above && below ? cp_logical_and(above, below) : NULL) : above;
}

/* The elements of n arrays where the mask is true. */
static bool keep(cp_array *mask, int n, cp_array ***of)
{
    cp_array *where = mask ? cp_flatnonzero(mask) : NULL;
    for (int i = 0; i < n && where; i++)
        if (!(*of[i] = cp_take(*of[i], where, 0))) return false;
    return where != NULL;
}

/* Conditions that look at a peak and its neighbours. */
static bool by_values(cp_array *x, cp_array **peaks, const cp_find_peaks_options *o)
{
    limits l;
    cp_array *left, *right;
    if (cp_local_maxima(x, &left, &right) != CP_OK) return false;
    if (!(*peaks = cp_right_shift(cp_add(left, right), cp_int(1)))) return false;
    if (o->plateau_size) {
        cp_array *sizes = cp_add(cp_subtract(right, left), cp_int(1));
        if (!read_limits("plateau_size", o->plateau_size, x, *peaks, &l) ||
            !keep(mask_of(sizes, sizes, l), 1, (cp_array **[]){peaks})) return false;
    }
    if (o->height) {
        cp_array *heights = cp_take(x, *peaks, 0);
        if (!read_limits("height", o->height, x, *peaks, &l) ||
            !keep(mask_of(heights, heights, l), 1, (cp_array **[]){peaks})) return false;
    }
    if (o->threshold) {
        cp_array *top = cp_take(x, *peaks, 0);
        cp_array *before = cp_subtract(top, cp_take(x, cp_subtract(*peaks, cp_int(1)), 0));
        cp_array *behind = cp_subtract(top, cp_take(x, cp_add(*peaks, cp_int(1)), 0));
        if (!read_limits("threshold", o->threshold, x, *peaks, &l) || !before || !behind ||
            !keep(mask_of(cp_minimum(before, behind), cp_maximum(before, behind), l), 1, (cp_array **[]){peaks}))
            return false;
    }
    if (o->distance == 0) return true;
    const int64_t distance = o->distance < 1e18 ? (int64_t)ceil(o->distance) : (int64_t)1e18;
    return keep(cp_peaks_distant(*peaks, cp_take(x, *peaks, 0), distance), 1, (cp_array **[]){peaks});
}

/* Conditions on prominences and widths. */
static bool by_shape(cp_array *x, cp_array **peaks, const cp_find_peaks_options *o)
{
    limits l;
    cp_array *prominences, *left, *right, *widths, *heights, *from, *to;
    if (!o->prominence && !o->width) return true;
    if (cp_peak_prominences(x, *peaks, o->wlen, &prominences, &left, &right) != CP_OK) return false;
    if (o->prominence && (!read_limits("prominence", o->prominence, x, *peaks, &l) ||
                          !keep(mask_of(prominences, prominences, l), 4,
                                (cp_array **[]){peaks, &left, &right, &prominences}))) return false;
    if (!o->width) return true;
    const double part = o->rel_height == 0 ? 0.5 : o->rel_height;
    if (cp_peak_widths(x, *peaks, part, prominences, left, right, &widths, &heights, &from, &to) != CP_OK) return false;
    return read_limits("width", o->width, x, *peaks, &l) && keep(mask_of(widths, widths, l), 1, (cp_array **[]){peaks});
}

cp_array *(cp_find_peaks)(cp_array *x, const cp_find_peaks_options *options)
{
    const cp_find_peaks_options *o = CPI_GIVEN(cp_find_peaks_options, options);
    cpi_composite f;
    cp_array *peaks = NULL;
    if (!cpi_begin(&f, "find_peaks", x)) return NULL;
    if (o->distance != 0 && !(o->distance >= 1))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "find_peaks: distance must be 1 or above, not %g", o->distance),
                            NULL));
    if (cpi_check_real("find_peaks", x)) return cpi_end(&f, NULL);
    x = cp_astype(x, CP_FLOAT64); /* in which differences do not wrap */
    return cpi_end(&f, x && by_values(x, &peaks, o) && by_shape(x, &peaks, o) ? peaks : NULL);
}
