/* Phases without jumps. */
#include "compose/compose.h"

#include <math.h>
#include <string.h>

/* The period as a number; integers with an integer period stay integers. */
typedef struct { bool whole; int64_t n; double v; } period_of;

static cp_array *half(const period_of *p, bool negative)
{
    if (!p->whole) return cp_float(negative ? -p->v / 2 : p->v / 2);
    int64_t h = p->n / 2 - (p->n % 2 != 0 && p->n < 0);
    return cp_int(negative ? -h : h);
}

/* The corrections that bring differences of neighbours to at most half a period. */
static cp_array *corrections(cp_array *d, const period_of *p, cp_array *period, cp_array *discont)
{
    cp_array *low = half(p, true), *high = half(p, false);
    cp_array *within = cp_add(cp_remainder(cp_subtract(d, low), period), low);
    bool ambiguous = !p->whole || p->n % 2 == 0; /* half a period is ambiguous: it keeps the difference's sign */
    if (!within) return NULL;
    if (ambiguous) {
        cp_array *turned = cp_logical_and(cp_equal(within, low), cp_greater(d, cp_int(0)));
        if (!turned || cp_copyto(within, high, .where = turned)) return NULL;
    }
    cp_array *r = cp_subtract(within, d), *small = cp_less(cp_absolute(d), discont ? discont : cp_float(p->v / 2));
    return r && small && !cp_copyto(r, cp_int(0), .where = small) ? r : NULL;
}

static cp_array *unwrapped(cp_array *x, int axis, cp_array *discont, cp_array *period)
{
    cp_array *d = cp_diff(x, 1, axis);
    if (!d) return NULL;
    const cp_array *typed = cp_add(cp_zeros(CP_SHAPE0, cp_type_of(d)), period);
    if (!typed) return NULL;
    char kind = cp_type_kind(cp_type_of(typed));
    period_of p = {.whole = kind == 'i' || kind == 'u', .v = cp_item_float(period)};
    if (p.whole) p.n = cp_item_int(period);
    if (p.whole && p.n == 0)
        return cpi_fail(CP_ERROR_ZERO_DIVISION, "unwrap: integer division or modulo by zero"), NULL;
    cp_array *add = corrections(d, &p, period, discont), *r = cp_astype(x, cp_type_of(typed));
    if (axis < 0) axis += cp_ndim(x);
    if (!add || !r) return NULL;
    cp_array *sums = cp_ufunc_accumulate(CP_OP_add, add, axis);
    cp_array *later = cp_add(cpi_range(x, axis, 1, INT64_MAX), sums), *to = cpi_range(r, axis, 1, INT64_MAX);
    return later && to && !cp_assign(to, later) ? r : NULL;
}

/*: function("unwrap",
             "p: array_like, discont: operand = None, axis: index_axis = -1, *, period: operand = 6.283185307179586",
             doc="""Phases along an axis without jumps: where neighbours differ by more than `discont` (half a period),
whole periods are added so that they differ by at most half of one.""") */
cp_array *(cp_unwrap)(cp_array *p, int axis, const cp_unwrap_options *options)
{
    const cp_unwrap_options *o = CPI_GIVEN(cp_unwrap_options, options);
    cpi_composite f;
    if (!cpi_begin(&f, "unwrap", p)) return NULL;
    return cpi_end(&f, unwrapped(p, axis, o->discont, o->period ? o->period : cp_float(2 * M_PI)));
}
