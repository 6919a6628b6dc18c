/* Polynomials by their coefficients, the highest power first as numpy.polyval has them. */
#include "compose/compose.h"
#include "operands/operands.h"

/*: function("polyval", "p: array, x: array_like", module="_polynomials_in_c",
             doc="The polynomial with coefficients p, the highest power first, at x: Horner's rule.") */
cp_array *cp_polyval(cp_array *p, cp_array *x)
{
    cpi_composite f;
    if (cpi_null("polyval", x) || !cpi_begin(&f, "polyval", p)) return NULL;
    if (cp_ndim(p) < 1) return cpi_end(&f, (cpi_fail(CP_ERROR_TYPE, "polyval: iteration over a 0-d array"), NULL));
    cp_array *y = cp_zeros_like(x, CP_DEFAULT);
    for (int64_t i = 0; i < cp_dim(p, 0) && y; i++) y = cp_add(cp_multiply(y, x), cp_slice(p, 1, &CP_AT(i)));
    return cpi_end(&f, y);
}

/* Column k is x times the column before it, in sequence, which gives NumPy's roundings. Few columns are computed one by
 * one, where they are dense; many as cumulative products of rows. */
static bool fill_powers(cp_array *v, cp_array *x, cp_type type, bool rising)
{
    enum { FEW = 16 };
    const int64_t rows = cp_dim(v, 0), n = cp_dim(v, 1);
    cp_array *one = cp_astype(x, type), *power = one;
    for (int64_t k = 1; k < n && n <= FEW && power; k++) {
        if (k > 1) power = cp_multiply(power, one);
        const int64_t at = rising ? k : n - 1 - k;
        if (!power || cp_assign(cp_slice(v, 2, (cp_index[]){CP_FULL, CP_AT(at)}), power)) return false;
    }
    if (n <= FEW) return power != NULL;
    cp_array *rest = cpi_range(rising ? v : cp_flip(v, CP_AXES(1)), 1, 1, INT64_MAX);
    cp_array *column = one ? cp_expand_dims(one, CP_AXES(1)) : NULL;
    cp_array *powers = column ? cp_cumprod(cp_broadcast_to(column, CP_SHAPE(rows, n - 1)), 1) : NULL;
    return rest && powers && !cp_assign(rest, powers);
}

/*: function("vander", "x: array, N: int64, increasing: bool = False", module="_polynomials_in_c",
             doc="The powers 0 .. N - 1 of each element of x, those of one element in a row, the highest first.") */
cp_array *(cp_vander)(cp_array *x, int64_t N, const cp_vander_options *options)
{
    cpi_composite f;
    if (N < 0) return cpi_fail(CP_ERROR_VALUE, "vander: negative dimensions are not allowed"), NULL;
    if (!cpi_begin(&f, "vander", x)) return NULL;
    if (cp_ndim(x) != 1)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "vander: x must be a one-dimensional array or sequence."), NULL));
    const cp_type type = cp_promote(cp_type_of(x), CP_INT64);
    const int64_t rows = cp_dim(x, 0);
    const bool rising = options && options->increasing;
    cp_array *v = type == CP_DEFAULT ? NULL : cp_ones(CP_SHAPE(rows, N), type);
    if (v && N > 1 && !fill_powers(v, x, type, rising)) return cpi_end(&f, NULL);
    return cpi_end(&f, v);
}
/*: python_module("_polynomials_in_c", doc="What cuprite.polyval is made of.") */

/* --- sums, products, quotients --- */

/* Padded with leading zeros to n coefficients; a scalar is one coefficient. */
static cp_array *widened(cp_array *p, int64_t n)
{
    cp_array *line = cp_ndim(p) ? p : cp_reshape(p, CP_SHAPE(1));
    if (!line || cp_size(line) >= n) return line;
    cp_array *zeros = cp_zeros(CP_SHAPE(n - cp_size(line)), cp_type_of(p));
    return zeros ? cp_concatenate(2, ((cp_array *[]){zeros, line}), 0) : NULL;
}

static cp_array *joined(const char *name, cp_op op, cp_array *a1, cp_array *a2)
{
    cpi_composite f;
    if (!cpi_begin(&f, name, a1)) return NULL;
    if (cpi_null(name, a2)) return cpi_end(&f, NULL);
    const int64_t n = cp_size(a1) > cp_size(a2) ? cp_size(a1) : cp_size(a2);
    cp_array *p = widened(a1, n), *q = p ? widened(a2, n) : NULL;
    return cpi_end(&f, q ? cpi_apply_2(op, p, q, NULL) : NULL);
}

/*: function("polyadd", "a1: array, a2: array", module="_polynomials_in_c",
             doc="The sum of two polynomials, the highest power first.") */
cp_array *cp_polyadd(cp_array *a1, cp_array *a2) { return joined("polyadd", CP_OP_add, a1, a2); }

/*: function("polysub", "a1: array, a2: array", module="_polynomials_in_c",
             doc="The difference of two polynomials, the highest power first.") */
cp_array *cp_polysub(cp_array *a1, cp_array *a2) { return joined("polysub", CP_OP_subtract, a1, a2); }

/* Without leading zeros, which are read on the host; one coefficient at least. */
static cp_array *trimmed(cp_array *p)
{
    cp_array *line = cp_ndim(p) ? p : cp_reshape(p, CP_SHAPE(1)), *c = line ? cp_trim_zeros(line, true, false) : NULL;
    return c && !cp_size(c) ? cp_zeros(CP_SHAPE(1), cp_type_of(p)) : c;
}

/*: function("polymul", "a1: array, a2: array", module="_polynomials_in_c", unlock="always",
             doc="The product of two polynomials, the highest power first; leading zeros are removed.") */
cp_array *cp_polymul(cp_array *a1, cp_array *a2)
{
    cpi_composite f;
    if (!cpi_begin(&f, "polymul", a1)) return NULL;
    cp_array *p = cpi_null("polymul", a2) ? NULL : trimmed(a1), *q = p ? trimmed(a2) : NULL;
    return cpi_end(&f, q ? cp_convolve(p, q, CP_MODE_FULL) : NULL);
}

/* One step of long division: q[k] is the quotient at k, and q[k] times the divisor b is subtracted from r. */
static cp_code divide_step(cp_array *q, cp_array *r, cp_array *b, cp_array *scale, int64_t k)
{
    cp_array *d = cp_multiply(scale, cp_slice(r, 1, &CP_AT(k))), *part = cpi_range(r, 0, k, k + cp_size(b));
    if (!d || !part || cp_assign(cp_slice(q, 1, &CP_AT(k)), d)) return cp_error();
    return cpi_apply_2(CP_OP_subtract, part, cp_multiply(d, b), part) ? CP_OK : cp_error();
}

/* Without negligible leading coefficients, which are read on the host; one stays. */
static cp_array *remainder_of(cp_array *r)
{
    cp_array *large = cp_greater(cp_absolute(r), cp_float(1e-8)), *first = large ? cp_argmax(large) : NULL;
    const int64_t n = cp_size(r);
    if (!first) return NULL;
    int64_t from = cp_item_int(first);
    cp_array *any = cp_any(large);
    if (!any || cp_error() != CP_OK) return NULL;
    return cpi_range(r, 0, cp_item_int(any) ? from : n - 1, n);
}

/*: function("polydiv", "u: array, v: array", module="_polynomials_in_c", returns="(q, r)", unlock="always",
             doc="Quotient and remainder of two polynomials, the highest power first.") */
cp_code cp_polydiv(cp_array *u, cp_array *v, cp_array **q, cp_array **r)
{
    cpi_composite f;
    if (cpi_null("polydiv", q) || cpi_null("polydiv", r)) return CP_ERROR_VALUE;
    *q = *r = NULL;
    if (!cpi_begin(&f, "polydiv", u)) return cp_error();
    cp_array *a = cpi_null("polydiv", v) ? NULL : cp_add(widened(u, 1), cp_float(0));
    cp_array *b = a ? cp_add(widened(v, 1), cp_float(0)) : NULL, *rest = NULL, *whole = NULL;
    if (b && (!cp_size(a) || !cp_size(b))) cpi_fail(CP_ERROR_INDEX, "polydiv: no coefficients");
    else if (b) {
        const cp_type t = cp_promote(cp_type_of(a), cp_type_of(b));
        const int64_t steps = cp_size(a) - cp_size(b) + 1;
        cp_array *scale = cp_divide(cp_float(1), cp_slice(b, 1, &CP_AT(0)));
        rest = scale ? cp_astype(a, t) : NULL;
        whole = rest ? cp_zeros(CP_SHAPE(steps > 1 ? steps : 1), t) : NULL;
        for (int64_t k = 0; whole && k < steps; k++)
            if (divide_step(whole, rest, b, scale, k)) whole = NULL;
        rest = whole ? remainder_of(rest) : NULL;
    }
    if (whole && rest) *q = cp_keep(whole), *r = cp_keep(cp_copy(rest));
    cpi_end(&f, NULL);
    if (*r) cpi_into_scope(*q), cpi_into_scope(*r);
    return *r ? CP_OK : (cp_free(*q), *q = NULL, cp_error());
}

/* --- derivatives and integrals --- */
/*: function("polyder", "p: array, m: int64 = 1", module="_polynomials_in_c",
             doc="The m-th derivative of a polynomial, the highest power first.") */
cp_array *cp_polyder(cp_array *p, int64_t m)
{
    cpi_composite f;
    if (m < 0) return cpi_fail(CP_ERROR_VALUE, "polyder: Order of derivative must be positive (see polyint)"), NULL;
    if (!cpi_begin(&f, "polyder", p)) return NULL;
    cp_array *c = cp_slice(widened(p, 0), 1, &CP_ELLIPSIS);
    for (int64_t i = 0; c && i < m && cp_size(c); i++)
        c = cp_multiply(cpi_range(c, 0, 0, -1), cp_arange_int(cp_size(c) - 1, 0, -1, CP_INT64));
    return cpi_end(&f, c);
}

/*: function("polyint", "p: array, m: int64 = 1, k: array = None", module="_polynomials_in_c",
             about={"k": "the constants of the integrals: one, or one for each"},
             doc="The m-th integral of a polynomial, the highest power first.") */
cp_array *(cp_polyint)(cp_array *p, int64_t m, const cp_polyint_options *options)
{
    const cp_polyint_options *o = CPI_GIVEN(cp_polyint_options, options);
    cpi_composite f;
    if (m < 0) return cpi_fail(CP_ERROR_VALUE, "polyint: Order of integral must be positive (see polyder)"), NULL;
    if (!cpi_begin(&f, "polyint", p)) return NULL;
    cp_array *c = cp_slice(widened(p, 0), 1, &CP_ELLIPSIS);
    cp_array *k = o->k ? widened(o->k, 0) : cp_zeros(CP_SHAPE(m), CP_FLOAT64);
    const bool one = k && cp_size(k) == 1;
    if (k && !one && cp_size(k) < m)
        return cpi_fail(CP_ERROR_VALUE, "polyint: k must be a scalar or a rank-1 array of length 1 or >m."),
               cpi_end(&f, NULL);
    for (int64_t i = 0; c && k && i < m; i++) {
        cp_array *powers = cp_arange_int(cp_size(c), 0, -1, CP_INT64), *rest = powers ? cp_divide(c, powers) : NULL;
        cp_array *last = cpi_range(k, 0, one ? 0 : i, one ? 1 : i + 1);
        c = rest && last ? cp_concatenate(2, ((cp_array *[]){rest, last}), 0) : NULL;
    }
    return cpi_end(&f, k ? c : NULL);
}
