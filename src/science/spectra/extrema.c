/* Extrema of arrays of any number of dimensions: elements that compare with each of their neighbours along an axis. */
#include "spectra/steps.h"

/*: words("comparison", "greater greater_equal less less_equal equal not_equal", c="cp_comparison") */
/*: words("beyond", "clip wrap", c="cp_beyond") */

/* What elements are compared with: `beyond` says what lies there beyond the ends. */
typedef struct search { const char *name; cp_comparison how; cp_beyond beyond; int axis; } search;

/* found[from:to] &= data[from:to] compared with others, which are of the same length or one element. */
static bool narrow(const search *s, cp_array *found, cp_array *data, int64_t from, int64_t to, cp_array *others)
{
    static const cp_op operations[] = {CP_OP_greater, CP_OP_greater_equal, CP_OP_less, CP_OP_less_equal, CP_OP_equal,
                                       CP_OP_not_equal};
    cp_array *here = cpi_range(data, s->axis, from, to), *kept = cpi_range(found, s->axis, from, to);
    cp_array *mask = here && kept && others ? cpi_apply_2(operations[s->how], here, others, NULL) : NULL;
    return mask && cpi_apply_2(CP_OP_logical_and, kept, mask, kept);
}

/* The elements `shift` places before and behind: those of the data, and the end's own or those of the other end. */
static bool compare(const search *s, cp_array *found, cp_array *data, int64_t shift)
{
    const int64_t n = cp_dim(data, s->axis);
    const bool around = s->beyond == CP_BEYOND_WRAP;
    cp_array *first = cpi_range(data, s->axis, around ? n - shift : 0, around ? n : 1);
    cp_array *last = cpi_range(data, s->axis, around ? 0 : n - 1, around ? shift : n);
    return narrow(s, found, data, shift, n, cpi_range(data, s->axis, 0, n - shift)) &&
           narrow(s, found, data, 0, n - shift, cpi_range(data, s->axis, shift, n)) &&
           narrow(s, found, data, 0, shift, first) && narrow(s, found, data, n - shift, n, last);
}

enum { LOOKED = 64 }; /* neighbours after which the host looks whether any element is left */

/* Neighbours further away than there are elements are the same ones again. */
static cp_array *positions(const search *s, cp_array *data, int64_t order)
{
    const int64_t n = cp_dim(data, s->axis);
    cp_array *found = cp_ones((cp_shape){cp_ndim(data), cp_dims(data)}, CP_BOOL);
    for (int64_t shift = 1; shift <= (order < n ? order : n) && found && cp_size(data); shift++) {
        bool good = false, any = true;
        for (CP_SCOPE) {
            good = compare(s, found, data, shift);
            if (!good || shift % LOOKED) break;
            cp_array *some = cp_any(found);
            good = some != NULL;
            any = good && cp_item_int(some);
        }
        if (!good) return NULL;
        if (!any) break;
    }
    return found ? cp_nonzero(found) : NULL;
}

static cp_array *extrema(const search *given, cp_array *data, int64_t neighbours)
{
    search s = *given;
    const int64_t order = neighbours ? neighbours : 1;
    cpi_composite f;
    if (!cpi_begin(&f, s.name, data)) return NULL;
    if (order < 1) cpi_fail(CP_ERROR_VALUE, "%s: Order must be an int >= 1, not %lld", s.name, (long long)order);
    else if ((unsigned)s.how > CP_COMPARISON_NOT_EQUAL) cpi_fail(CP_ERROR_VALUE, "%s: unknown comparison", s.name);
    else if ((unsigned)s.beyond > CP_BEYOND_WRAP) cpi_fail(CP_ERROR_VALUE, "%s: unknown mode", s.name);
    else if (cpi_axis(s.name, &s.axis, cp_ndim(data)) == CP_OK) return cpi_end(&f, positions(&s, data, order));
    return cpi_end(&f, NULL);
}

/*: function("argrelextrema", """data: array, comparison: comparison, axis: index_axis = 0, order: int64 = 0,
             mode: beyond = 'clip'""", module="_spectra", unlock="always", returns="rows",
             about={"comparison": "how an element compares with its neighbours",
                    "order": "how many neighbours on each side (0: 1)",
                    "mode": "what lies beyond the ends: the last element, or the other end's"},
             gives="a row of indices for each axis, as cp_nonzero gives them",
             doc="Where elements compare with each of their neighbours along an axis.") */
cp_array *(cp_argrelextrema)(cp_array *data, cp_comparison comparison, const cp_argrelextrema_options *options)
{
    const cp_argrelextrema_options *o = CPI_GIVEN(cp_argrelextrema_options, options);
    return extrema(&(search){"argrelextrema", comparison, o->mode, o->axis}, data, o->order);
}

/*: function("argrelmax", "data: array, axis: index_axis = 0, order: int64 = 0, mode: beyond = 'clip'",
             module="_spectra", unlock="always", returns="rows",
             about={"order": "how many neighbours on each side (0: 1)", "mode": "what lies beyond the ends"},
             gives="a row of indices for each axis, as cp_nonzero gives them",
             doc="Where elements are above each of their neighbours along an axis.") */
cp_array *(cp_argrelmax)(cp_array *data, const cp_argrelmax_options *options)
{
    const cp_argrelmax_options *o = CPI_GIVEN(cp_argrelmax_options, options);
    return extrema(&(search){"argrelmax", CP_COMPARISON_GREATER, o->mode, o->axis}, data, o->order);
}

/*: function("argrelmin", "data: array, axis: index_axis = 0, order: int64 = 0, mode: beyond = 'clip'",
             module="_spectra", unlock="always", returns="rows",
             about={"order": "how many neighbours on each side (0: 1)", "mode": "what lies beyond the ends"},
             gives="a row of indices for each axis, as cp_nonzero gives them",
             doc="Where elements are below each of their neighbours along an axis.") */
cp_array *(cp_argrelmin)(cp_array *data, const cp_argrelmin_options *options)
{
    const cp_argrelmin_options *o = CPI_GIVEN(cp_argrelmin_options, options);
    return extrema(&(search){"argrelmin", CP_COMPARISON_LESS, o->mode, o->axis}, data, o->order);
}
