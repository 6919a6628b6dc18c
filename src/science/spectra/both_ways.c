/* Recurrences forth and back, from the states of their steady responses: twice the filter's order, no phase. */
#include "cuprite/lfilter.h"
#include "spectra/states.h"

/*: words("extension", "odd even constant none", c="cp_extension") */

/* x with n elements more at each end of the last axis. */
static cp_array *extended(cp_array *x, int64_t n, cp_extension how)
{
    const int64_t m = cpi_length(x);
    cp_array *first = cpi_last_range(x, 0, 1), *last = cpi_last_range(x, m - 1, m), *parts[3] = {NULL, x, NULL};
    if (!n) return x;
    if (how == CP_EXTENSION_CONSTANT) {
        parts[0] = cpi_with_length(x, n, cp_type_of(x), false), parts[2] = cpi_with_length(x, n, cp_type_of(x), false);
        if (!cpi_put(parts[0], first) || !cpi_put(parts[2], last)) return NULL;
    } else {
        parts[0] = cp_flip(cpi_last_range(x, 1, n + 1), CP_AXES(-1));
        parts[2] = cp_flip(cpi_last_range(x, m - n - 1, m - 1), CP_AXES(-1));
        if (how == CP_EXTENSION_ODD) {
            parts[0] = parts[0] ? cp_subtract(cp_multiply(first, cp_int(2)), parts[0]) : NULL;
            parts[2] = parts[2] ? cp_subtract(cp_multiply(last, cp_int(2)), parts[2]) : NULL;
        }
    }
    return parts[0] && parts[2] ? cp_concatenate(3, parts, cp_ndim(x) - 1) : NULL;
}

/* A filter, by its coefficients or its sections, and its states for an input of 1, which broadcast with x. */
typedef struct filter { cp_array *b, *a, *sos, *zi; } filter;

/* One pass along the last axis, from the steady state of the first element. */
static cp_array *pass(const filter *f, cp_array *x)
{
    cp_array *first = cpi_last_range(x, 0, 1), *zi = first ? cp_multiply(f->zi, first) : NULL;
    if (!zi) return NULL;
    return f->sos ? cp_sosfilt(f->sos, x, .zi = zi) : cp_lfilter(f->b, f->a, x, .zi = zi);
}

/* Both ways along an axis; pad 0: `usual` elements. */
static cp_array *both_ways(const char *name, const filter *f, cp_array *x, cp_axes given, cp_extension how, int64_t pad,
                           int64_t usual)
{
    int axis;
    if (!cpi_given_axis(name, x, given, &axis)) return NULL;
    const int64_t n = how == CP_EXTENSION_NONE ? 0 : pad ? pad : usual;
    if ((unsigned)how > CP_EXTENSION_NONE) return cpi_fail(CP_ERROR_VALUE, "%s: unknown padtype", name), NULL;
    if (n < 0 || cp_dim(x, axis) <= n)
        return cpi_fail(CP_ERROR_VALUE, "%s: The length of the input vector x must be greater than padlen, which is "
                        "%lld.", name, (long long)n), NULL;
    x = cpi_to_last(cpi_floating(x), axis);
    cp_array *longer = x ? extended(x, n, how) : NULL, *y = longer ? pass(f, longer) : NULL;
    y = y ? cp_flip(y, CP_AXES(-1)) : NULL;
    y = y ? pass(f, y) : NULL;
    y = y ? cp_flip(y, CP_AXES(-1)) : NULL;
    y = y ? cp_copy(cpi_last_range(y, n, cpi_length(y) - n)) : NULL;
    return cpi_from_last(y, axis);
}

/*: function("filtfilt", """b: array, a: array, x: array, axis: index_axes = None, padtype: extension = 'odd',
             padlen: int64 = 0""", module="_spectra", unlock="always",
             about={"b": "the numerator's coefficients", "a": "the denominator's, a[0] not 0",
                    "padtype": "how x is continued", "padlen": "by how many elements (0: 3 max(len(a), len(b)))"},
             doc="A filter forth and back along an axis: twice the filter's order, no phase.") */
cp_array *(cp_filtfilt)(cp_array *b, cp_array *a, cp_array *x, const cp_filtfilt_options *options)
{
    const cp_filtfilt_options *o = CPI_GIVEN(cp_filtfilt_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "filtfilt", x)) return NULL;
    if (cpi_null("filtfilt", b) || cpi_null("filtfilt", a)) return cpi_end(&f, NULL);
    if (cp_ndim(b) != 1 || cp_ndim(a) != 1 || !cp_size(b) || !cp_size(a))
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "filtfilt: b and a must be 1-D and not empty"), NULL));
    const int64_t nb = cp_size(b), na = cp_size(a), n = na > nb ? na : nb;
    const filter all = {.b = b, .a = a, .zi = cpi_steady_state("filtfilt", b, a, false)};
    if (!all.zi) return cpi_end(&f, NULL);
    return cpi_end(&f, both_ways("filtfilt", &all, x, o->axis, o->padtype, o->padlen, 3 * n));
}

/* The states of all sections: (sections, 1, ..., 1, 2). */
static cp_array *states_of_sections(cp_array *sos, int ndim, int64_t *usual)
{
    int64_t shape[CP_MAXDIM];
    for (int i = 0; i <= ndim; i++) shape[i] = 1;
    shape[0] = cp_dim(sos, 0), shape[ndim] = 2;
    cp_array *zi = cpi_steady_sections("sosfiltfilt", sos, usual);
    return zi ? cp_reshape(zi, (cp_shape){ndim + 1, shape}) : NULL;
}

/*: function("sosfiltfilt", """sos: array, x: array, axis: index_axes = None, padtype: extension = 'odd',
             padlen: int64 = 0""", module="_spectra", unlock="always",
             about={"sos": "(sections, 6), each b0 b1 b2 1 a1 a2", "padtype": "how x is continued",
                    "padlen": "by how many elements (0: three times the filter's length)"},
             doc="A filter in sections of second order, forth and back along an axis.") */
cp_array *(cp_sosfiltfilt)(cp_array *sos, cp_array *x, const cp_sosfiltfilt_options *options)
{
    const cp_sosfiltfilt_options *o = CPI_GIVEN(cp_sosfiltfilt_options, options);
    cpi_composite f;
    int64_t usual = 0;
    if (!cpi_begin(&f, "sosfiltfilt", x)) return NULL;
    if (cpi_null("sosfiltfilt", sos)) return cpi_end(&f, NULL);
    if (cp_ndim(sos) != 2 || cp_dim(sos, 1) != 6 || !cp_dim(sos, 0) || cp_ndim(x) + 1 > CP_MAXDIM)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "sosfiltfilt: sos must have the shape (sections, 6)"), NULL));
    filter all = {.sos = sos, .zi = states_of_sections(sos, cp_ndim(x), &usual)};
    if (!all.zi) return cpi_end(&f, NULL);
    return cpi_end(&f, both_ways("sosfiltfilt", &all, x, o->axis, o->padtype, o->padlen, usual));
}
