/* Legendre functions of whole degree and order with their derivatives, by the recurrence in the degree, whose
 * derivatives are recurrences too. A step is a few operations of whole arrays on their device.
 *
 * Invariant: a step has a scope of its own, so what lives at once does not grow with the degree. */
#include "special/parts.h"

enum { MOST = 3 }; /* a function and two derivatives */

typedef struct legendre {
    const char *name;
    cp_array *x, *m, *order;    /* the argument or the polar angle; m and its absolute value: float64 */
    bool norm, polar;
    int cut, diff;
    double start;               /* of degree 0 */
    cp_array *u, *s, *by[MOST]; /* the argument, the root of 1 - u * u, what the recurrence multiplies with */
} legendre;
typedef struct step { cp_array *at[MOST]; } step;

static cp_array *number(double v) { return cp_float(v); }
static cp_array *when(cp_array *condition, cp_array *a, double otherwise)
{
    return cp_where(condition, a, number(otherwise));
}
static cp_array *either(cp_array *condition, double a, double b) { return cp_where(condition, number(a), number(b)); }
static cp_array *negative_order(const legendre *l) { return cp_less(l->m, number(0)); }

/* The greatest absolute value of whole numbers, as many steps as are made; -1 with an error, also where no loop would
 * come to its end. Waits. */
static int64_t largest(const legendre *l, cp_array *n)
{
    cp_array *most = n && n->size ? cp_max(cp_absolute(n)) : NULL;
    if (!n || n->size == 0) return n ? 0 : -1;
    const double v = most ? cp_item_float(most) : -1;
    if (v > INT32_MAX) cpi_fail(CP_ERROR_VALUE, "%s: degrees and orders are at most 2147483647", l->name);
    return most && !cp_error() ? (int64_t)v : -1;
}

static bool begin(legendre *l, cp_array *x, cp_array *m)
{
    l->x = cp_astype(x, CP_FLOAT64), l->m = cp_astype(m, CP_FLOAT64), l->order = cp_absolute(l->m);
    l->norm |= l->polar;
    l->start = !l->norm ? 1 : l->polar ? 0.5 / sqrt(CPI_PI) : sqrt(0.5);
    if (l->polar) {
        l->u = cp_cos(l->x), l->s = cp_sin(l->x);
        l->by[0] = l->u, l->by[1] = cp_negative(l->s), l->by[2] = cp_negative(l->u);
    } else {
        cp_array *one = number(1), *x1 = l->cut == 2 ? cp_subtract(one, l->x) : cp_subtract(l->x, one);
        l->u = l->x, l->s = cp_multiply(cp_sqrt(x1), cp_sqrt(cp_add(l->x, one)));
        l->by[0] = l->x, l->by[1] = number(1), l->by[2] = number(0);
    }
    return l->order && l->s && l->by[1] && l->by[2];
}

/* By what the functions of degree and order i are larger than those of i - 1, but for s. */
static cp_array *factor(const legendre *l, int64_t i)
{
    const double sign = l->cut == 2 ? -1 : 1, d = (double)i;
    if (l->norm) return cp_multiply(either(negative_order(l), 1, sign), number(sqrt((2 * d + 1) / (2 * d))));
    return either(negative_order(l), 1 / (2 * d), sign * (2 * d - 1));
}

/* The functions of degree m without the four last powers of s: those of a derivative are fewer. */
static cp_array *without_powers(const legendre *l, int64_t most)
{
    cp_array *zero = cp_multiply(number(0), l->s); /* NaN beyond the cut, derivatives too */
    cp_array *q = when(cp_greater(l->order, number(0)), cp_add(number(l->start), zero), l->start);
    for (int64_t i = 1; i <= most && q; i++) {
        cp_scope *own = cp_scope_begin();
        if (!own) return NULL;
        cp_array *power = when(cp_less_equal(number((double)i), cp_subtract(l->order, number(4))), l->s, 1);
        cp_array *next = cp_multiply(cp_multiply(q, factor(l, i)), power);
        next = cp_where(cp_less_equal(number((double)i), l->order), next, q);
        next = cp_scope_return(own, next);
        cp_free(q);
        q = next;
    }
    return q;
}

/* factor times s**(order - less), 0 where the factor is 0; few: the powers that q lacks. */
static cp_array *with_power(const legendre *l, cp_array *by, cp_array *q, cp_array *few, double less)
{
    cp_array *r = cp_multiply(cp_multiply(by, q), cp_power(l->s, cp_subtract(few, number(less))));
    return cp_where(cp_equal(by, number(0)), number(0), r);
}

/* The functions of degree m and their derivatives. */
static bool diagonal(const legendre *l, step *found)
{
    const double sign = l->cut == 2 ? -1 : 1;
    const int64_t most = largest(l, l->order);
    cp_array *q = most < 0 ? NULL : without_powers(l, most), *few = cp_minimum(l->order, number(4)), *n = l->order;
    if (!q || !few) return false;
    cp_array *slope = cp_multiply(n, l->u);
    cp_array *one_less = cp_subtract(n, number(1)), *two_less = cp_subtract(n, number(2));
    found->at[0] = cp_multiply(q, cp_power(l->s, few));
    if (l->diff && l->polar) found->at[1] = with_power(l, slope, q, few, 1);
    else if (l->diff) found->at[1] = with_power(l, cp_multiply(slope, number(sign)), q, few, 2);
    if (l->diff > 1 && l->polar) {
        cp_array *bend = cp_multiply(cp_multiply(n, one_less), cp_multiply(l->u, l->u));
        found->at[2] = cp_subtract(with_power(l, bend, q, few, 2), with_power(l, n, q, few, 0));
    } else if (l->diff > 1) {
        cp_array *bend = cp_multiply(cp_multiply(n, two_less), cp_multiply(l->u, l->u));
        cp_array *straight = with_power(l, cp_multiply(number(sign), n), q, few, 2);
        found->at[2] = cp_add(straight, with_power(l, bend, q, few, 4));
    }
    if (l->polar) { /* of angles outside of 0 to pi too the sine is the root of 1 - u * u */
        cp_array *odd = cp_equal(cp_remainder(n, number(2)), number(1));
        cp_array *turned = either(cp_logical_and(cp_less(l->s, number(0)), odd), -1, 1);
        for (int d = 0; d <= l->diff; d++) found->at[d] = cp_multiply(turned, found->at[d]);
    }
    for (int d = 0; d <= l->diff; d++)
        if (!found->at[d]) return false;
    return true;
}

/* a and b of p(k) = a u p(k-1) - b p(k-2). */
static bool coefficients(const legendre *l, double k, cp_array **a, cp_array **b)
{
    cp_array *inside = cp_greater(number(k), l->order);
    if (l->norm) {
        cp_array *square = cp_multiply(l->order, l->order);
        cp_array *below = when(inside, cp_subtract(number(k * k), square), 1);
        const double less = (k - 1) * (k - 1), most = fmax(4 * less - 1, 1);
        cp_array *before = cp_divide(cp_subtract(number(less), square), number(most));
        before = when(cp_greater(number(k - 1), l->order), before, 0);
        *a = cp_sqrt(cp_divide(number(4 * k * k - 1), below));
        *b = cp_multiply(*a, cp_sqrt(cp_maximum(before, number(0))));
    } else {
        cp_array *below = when(inside, cp_subtract(number(k), l->m), 1);
        *a = cp_divide(number(2 * k - 1), below);
        *b = cp_divide(cp_add(number(k - 1), l->m), below);
    }
    return *a && *b;
}

/* Derivatives at -1 and 1 are infinite where a power of s below 1 is left. */
static void edges(const legendre *l, int64_t k, step *found)
{
    if (l->polar || !l->diff) return;
    const double left = k % 2 ? -1 : 1, sign = l->cut == 2 ? 1 : -1;
    cp_array *turned = l->cut == 2 ? either(negative_order(l), -1, 1) : number(1);
    cp_array *below = cp_less(l->x, number(0)), *edge = cp_equal(cp_absolute(l->x), number(1));
    edge = cp_logical_and(edge, cp_greater_equal(number((double)k), l->order));
    cp_array *one = cp_logical_and(edge, cp_equal(l->order, number(1)));
    cp_array *three = cp_logical_and(edge, cp_equal(l->order, number(3)));
    cp_array *slope = cp_multiply(cp_multiply(number(INFINITY), turned), either(below, left, 1));
    cp_array *bend = cp_multiply(cp_multiply(number(sign * INFINITY), turned), either(below, -left, 1));
    found->at[1] = cp_where(one, slope, found->at[1]);
    if (l->diff > 1) found->at[2] = cp_where(three, cp_negative(bend), cp_where(one, bend, found->at[2]));
}

/* The functions of degree k of those of the two degrees before. */
static bool next_degree(const legendre *l, int64_t k, const step *first, const step *now, const step *before,
                        step *next)
{
    cp_array *a, *b, *product[MOST] = {cp_multiply(l->by[0], now->at[0])};
    if (!coefficients(l, (double)k, &a, &b)) return false;
    if (l->diff)
        product[1] = cp_add(cp_multiply(l->by[1], now->at[0]), cp_multiply(l->by[0], now->at[1]));
    if (l->diff > 1) {
        cp_array *both = cp_multiply(cp_multiply(number(2), l->by[1]), now->at[1]);
        product[2] = cp_add(cp_add(cp_multiply(l->by[2], now->at[0]), both), cp_multiply(l->by[0], now->at[2]));
    }
    cp_array *here = cp_equal(l->order, number((double)k)), *above = cp_less(l->order, number((double)k));
    cp_array *later = cp_greater(number((double)k - 1), l->order);
    for (int d = 0; d <= l->diff; d++) {
        cp_array *old = when(later, cp_multiply(b, before->at[d]), 0);
        cp_array *value = cp_subtract(cp_multiply(a, product[d]), old);
        next->at[d] = cp_where(above, value, when(here, first->at[d], 0));
        if (!next->at[d]) return false;
    }
    return true;
}

/* Where the functions of a degree go: those of degree n of `r`, or row k of each of its parts. */
typedef struct sink { cp_array *r, *n; } sink;

static bool put_degree(const legendre *l, const sink *to, int64_t k, const step *values)
{
    for (int d = 0; d <= l->diff; d++) {
        cp_array *part = cp_slice(to->r, to->n ? 1 : 2, (const cp_index[]){CP_AT(d), CP_AT(k)});
        if (!part || !values->at[d]) return false;
        if (!to->n && cp_assign(part, values->at[d])) return false;
        if (!to->n) continue;
        cp_array *mine = cp_equal(to->n, number((double)k));
        if (!mine || cp_copyto(part, values->at[d], .where = mine)) return false;
    }
    return true;
}

/* All degrees from 0 to top, one after the other, into `to`. */
static cp_array *degrees(const legendre *l, int64_t top, const sink *to)
{
    step first = {{NULL}}, now, before;
    if (to->r && !to->r->size) return to->r; /* whatever the degree */
    if (!to->r || top < 0 || !diagonal(l, &first)) return NULL;
    for (int d = 0; d < MOST; d++) {
        now.at[d] = d <= l->diff ? cp_multiply(number(0), cp_ones_like(first.at[d], CP_DEFAULT)) : NULL;
        before.at[d] = now.at[d] ? cp_copy(now.at[d]) : NULL;
        if (d <= l->diff && !before.at[d]) return NULL;
    }
    for (int64_t k = 0; k <= top; k++) {
        cp_scope *own = cp_scope_begin();
        step next = {{NULL}}, shown;
        bool good = own && next_degree(l, k, &first, &now, &before, &next);
        shown = next;
        if (good) edges(l, k, &shown);
        good = good && put_degree(l, to, k, &shown);
        for (int d = 0; d <= l->diff && good; d++) cp_keep(next.at[d]);
        cp_scope_end(own);
        if (!good) return NULL;
        for (int d = 0; d <= l->diff; d++) {
            cp_free(before.at[d]);
            cpi_into_scope(next.at[d]);
            before.at[d] = now.at[d], now.at[d] = next.at[d];
        }
    }
    return to->r;
}

static cp_code check(const char *name, const cp_array *n, const cp_array *m, const cp_array *x, int diff, int cut)
{
    if (n && !cpi_is_whole(n->type)) return cpi_fail(CP_ERROR_TYPE, "%s: n must be integers", name);
    if (m && !cpi_is_whole(m->type)) return cpi_fail(CP_ERROR_TYPE, "%s: m must be integers", name);
    if (cpi_check_real(name, x)) return cp_error();
    if (diff < 0 || diff > 2)
        return cpi_fail(CP_ERROR_VALUE, "%s: diff_n is 0, 1 or 2, not %d", name, diff);
    if (cut && cut != 2 && cut != 3) return cpi_fail(CP_ERROR_VALUE, "%s: branch_cut is 2 or 3, not %d", name, cut);
    return CP_OK;
}

/* Of degrees n and orders m (NULL: 0), which are arrays: (1 + diff, ...). */
static cp_array *of_arrays(legendre *l, cp_array *n, cp_array *m, cp_array *x)
{
    cpi_composite f;
    int ndim;
    int64_t shape[CP_MAXDIM + 1];
    if (cpi_null(l->name, n) || cpi_null(l->name, x) || check(l->name, n, m, x, l->diff, l->cut)) return NULL;
    if (!cpi_begin(&f, l->name, x->flags & CPI_HOST_SCALAR ? n : x)) return NULL;
    l->cut = l->cut ? l->cut : 2;
    cp_array *degree = cp_astype(n, CP_FLOAT64), *order = m ? m : cp_zeros(CP_SHAPE0, CP_FLOAT64);
    if (degree && !m) degree = cp_where(cp_less(degree, number(0)), number(1), degree); /* as in SciPy */
    if (!degree || !order || !begin(l, x, order)) return cpi_end(&f, NULL);
    if (cpi_common_shape(l->name, 3, (cp_array *[]){degree, l->m, l->x}, &ndim, shape + 1)) return cpi_end(&f, NULL);
    if (ndim >= CP_MAXDIM)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", l->name, CP_MAXDIM), NULL));
    shape[0] = 1 + l->diff;
    const sink to = {cp_zeros((cp_shape){ndim + 1, shape}, CP_FLOAT64), degree};
    return cpi_end(&f, degrees(l, largest(l, degree), &to));
}

/* 0, 1, ... m, -m, ... -1 before `ndim` axes, as SciPy orders them. */
static cp_array *orders(int m, int ndim)
{
    int64_t shape[CP_MAXDIM];
    shape[0] = 2 * (int64_t)m + 1;
    for (int d = 1; d <= ndim; d++) shape[d] = 1;
    cp_array *parts[2] = {cp_arange(0, m + 1.0, 1, CP_FLOAT64), cp_arange(-(double)m, 0, 1, CP_FLOAT64)};
    cp_array *both = parts[0] && parts[1] ? cp_concatenate(2, parts, 0) : NULL;
    return both ? cp_reshape(both, (cp_shape){ndim + 1, shape}) : NULL;
}

/* Of all degrees up to n, and of all orders up to m (-1: of order 0 alone): (1 + diff, n + 1, 2 m + 1, ...). */
static cp_array *of_all(legendre *l, int n, int m, cp_array *x)
{
    cpi_composite f;
    int64_t shape[CP_MAXDIM + 3] = {1 + (int64_t)l->diff, (int64_t)n + 1, 2 * (int64_t)m + 1};
    const int more = m < 0 ? 2 : 3;
    if (cpi_null(l->name, x) || check(l->name, NULL, NULL, x, l->diff, l->cut)) return NULL;
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "%s: n must be a non-negative integer", l->name), NULL;
    if (x->ndim + more > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "%s: more than %d dimensions", l->name, CP_MAXDIM), NULL;
    if (!cpi_begin(&f, l->name, x)) return NULL;
    l->cut = l->cut ? l->cut : 2;
    for (int d = 0; d < x->ndim; d++) shape[more + d] = x->shape[d];
    cp_array *order = m < 0 ? cp_zeros(CP_SHAPE0, CP_FLOAT64) : orders(m, x->ndim);
    if (!order || !begin(l, x, order)) return cpi_end(&f, NULL);
    const sink to = {cp_zeros((cp_shape){x->ndim + more, shape}, CP_FLOAT64), NULL};
    return cpi_end(&f, degrees(l, n, &to));
}

static bool negative(const char *name, int m)
{
    if (m < 0) cpi_fail(CP_ERROR_VALUE, "%s: m must be a non-negative integer", name);
    return m < 0;
}

/*: function("legendre_p", "n: array_like, z: array_like, diff_n: int = 0", module="_special", unlock="always",
             raises={"ValueError": "a diff_n beyond 0 to 2", "TypeError": "degrees that are not whole"},
             doc="""Legendre's polynomial of degree n at z, in float64, and its derivatives up to diff_n (0 to 2):
(diff_n + 1, ...). Degrees below 0 give z, as SciPy's. Waits for the largest degree.""") */
cp_array *(cp_legendre_p)(cp_array *n, cp_array *z, const cp_legendre_p_options *options)
{
    return of_arrays(&(legendre){.name = "legendre_p", .diff = CPI_GIVEN(cp_legendre_p_options, options)->diff_n}, n,
                     NULL, z);
}

/*: function("legendre_p_all", "n: int, z: array_like, diff_n: int = 0", module="_special", unlock="always",
             raises={"ValueError": "a diff_n beyond 0 to 2, a negative n"},
             doc="Legendre's polynomials of degrees 0 to n and their derivatives: (diff_n + 1, n + 1, ...).") */
cp_array *(cp_legendre_p_all)(int n, cp_array *z, const cp_legendre_p_all_options *options)
{
    return of_all(&(legendre){.name = "legendre_p_all",
                              .diff = CPI_GIVEN(cp_legendre_p_all_options, options)->diff_n}, n, -1, z);
}

/*: function("assoc_legendre_p", """n: array_like, m: array_like, z: array_like, branch_cut: int = 0,
             norm: bool = False, diff_n: int = 0""", module="_special", unlock="always",
             raises={"ValueError": "a diff_n beyond 0 to 2, a branch_cut but 2 and 3",
                     "TypeError": "degrees and orders that are not whole"},
             doc="""The associated Legendre function of degree n and order m at z, in float64, and its derivatives:
(diff_n + 1, ...). branch_cut: 2 (also 0), for z from -1 to 1, or 3, for z from 1 on; norm: normalised.""") */
cp_array *(cp_assoc_legendre_p)(cp_array *n, cp_array *m, cp_array *z, const cp_assoc_legendre_p_options *options)
{
    const cp_assoc_legendre_p_options *o = CPI_GIVEN(cp_assoc_legendre_p_options, options);
    if (cpi_null("assoc_legendre_p", m)) return NULL;
    return of_arrays(&(legendre){.name = "assoc_legendre_p", .norm = o->norm, .cut = o->branch_cut,
                                 .diff = o->diff_n}, n, m, z);
}

/*: function("assoc_legendre_p_all", """n: int, m: int, z: array_like, branch_cut: int = 0, norm: bool = False,
             diff_n: int = 0""", module="_special", unlock="always",
             raises={"ValueError": "a diff_n beyond 0 to 2, a branch_cut but 2 and 3, a negative n or m"},
             doc="""The associated Legendre functions of degrees 0 to n and orders 0 to m and -m to -1 and their
derivatives: (diff_n + 1, n + 1, 2 m + 1, ...).""") */
cp_array *(cp_assoc_legendre_p_all)(int n, int m, cp_array *z, const cp_assoc_legendre_p_all_options *options)
{
    const cp_assoc_legendre_p_all_options *o = CPI_GIVEN(cp_assoc_legendre_p_all_options, options);
    legendre l = {.name = "assoc_legendre_p_all", .norm = o->norm, .cut = o->branch_cut, .diff = o->diff_n};
    return negative(l.name, m) ? NULL : of_all(&l, n, m, z);
}

/*: function("sph_legendre_p", "n: array_like, m: array_like, theta: array_like, diff_n: int = 0", module="_special",
             unlock="always", raises={"ValueError": "a diff_n beyond 0 to 2",
                                      "TypeError": "degrees and orders that are not whole"},
             doc="""The spherical Legendre function of degree n and order m at the polar angle theta, in float64, and
its derivatives: (diff_n + 1, ...).""") */
cp_array *(cp_sph_legendre_p)(cp_array *n, cp_array *m, cp_array *theta, const cp_sph_legendre_p_options *options)
{
    if (cpi_null("sph_legendre_p", m)) return NULL;
    return of_arrays(&(legendre){.name = "sph_legendre_p", .polar = true,
                                 .diff = CPI_GIVEN(cp_sph_legendre_p_options, options)->diff_n}, n, m, theta);
}

/*: function("sph_legendre_p_all", "n: int, m: int, theta: array_like, diff_n: int = 0", module="_special",
             unlock="always", raises={"ValueError": "a diff_n beyond 0 to 2, a negative n or m"},
             doc="""The spherical Legendre functions of degrees 0 to n and orders 0 to m and -m to -1 and their
derivatives: (diff_n + 1, n + 1, 2 m + 1, ...).""") */
cp_array *(cp_sph_legendre_p_all)(int n, int m, cp_array *theta, const cp_sph_legendre_p_all_options *options)
{
    legendre l = {.name = "sph_legendre_p_all", .polar = true,
                  .diff = CPI_GIVEN(cp_sph_legendre_p_all_options, options)->diff_n};
    return negative(l.name, m) ? NULL : of_all(&l, n, m, theta);
}
