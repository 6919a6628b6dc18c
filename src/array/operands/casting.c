/* Types of operands: what they promote to, which conversions a rule allows, numbers as values of a type. */
#include "operands/operands.h"

#include <math.h>
#include <stdio.h>

/* --- promotion --- */

/* NumPy's number of a type, which decides which of several types leads. */
static int seniority(cp_type t) { return cpi_is_half(t) ? CP_NTYPES + t : t; }

/* Every type is promoted with the most senior one, and only then with one another: int8, uint16 and float32 make
 * float32, although int8 and uint16 alone make int32. */
cp_type cpi_common_type(int n, cp_array *const *arrays)
{
    cp_type leader = arrays[0]->type;
    for (int i = 1; i < n; i++)
        if (seniority(arrays[i]->type) > seniority(leader)) leader = arrays[i]->type;
    cp_type common = leader;
    for (int i = 0; i < n; i++) common = cp_promote(common, cp_promote(leader, arrays[i]->type));
    return common;
}

/* `t` with a Python number of that type (int64, float64 or complex128) beside it. */
static cp_type give_way(cp_type t, cp_type weak)
{
    if (weak == CP_INT64) return t == CP_BOOL ? CP_INT64 : t;
    if (weak == CP_FLOAT64) return cpi_is_whole(t) ? CP_FLOAT64 : t;
    if (cpi_is_whole(t) || t == CP_FLOAT64) return CP_COMPLEX128;
    return cpi_is_complex(t) ? t : CP_COMPLEX64;
}

cp_type cpi_promote_arrays(int n, cp_array *const *in, bool floating)
{
    cp_type strong = CP_DEFAULT, weak = floating ? CP_FLOAT64 : CP_DEFAULT;
    for (int i = 0; i < n; i++) {
        cp_type *t = in[i]->flags & CPI_WEAK ? &weak : &strong;
        *t = *t == CP_DEFAULT ? in[i]->type : cp_promote(*t, in[i]->type);
    }
    return strong == CP_DEFAULT ? weak : weak == CP_DEFAULT ? strong : give_way(strong, weak);
}

/* --- casting --- */

static const char *casting_name(cp_casting rule)
{
    static const char *const names[] = {
        [CP_SAME_KIND] = "same_kind", [CP_NO_CAST] = "no", [CP_EQUIV] = "equiv", [CP_SAFE] = "safe",
        [CP_UNSAFE] = "unsafe",
    };
    return (unsigned)rule <= CP_UNSAFE ? names[rule] : "no such rule";
}

cp_type cpi_counts_as(const cp_array *x, cp_type to)
{
    cp_type t = x->type;
    if (!(x->flags & CPI_WEAK)) return t;
    bool upwards = t == CP_INT64 ? to != CP_BOOL : t == CP_FLOAT64 ? !cpi_is_whole(to) : cpi_is_complex(to);
    return upwards ? to : t;
}

cp_code cpi_check_other_cast(const char *function, int what, cp_type from, cp_type to, cp_casting rule)
{
    char role[32];
    if (cp_can_cast(from, to, rule)) {
        if (cpi_discards(from, to)) cpi_warn(CP_WARNING_COMPLEX);
        return CP_OK;
    }
    if (what >= 0) snprintf(role, sizeof role, "input %d", what);
    return cpi_fail(what == CPI_DATA ? CP_ERROR_TYPE : CP_ERROR_CASTING,
                    "%s: Cannot cast %s from dtype('%s') to dtype('%s') according to the rule '%s'", function,
                    what == CPI_DATA ? "array data" : what == CPI_OUTPUT ? "output" : role, cp_type_name(from),
                    cp_type_name(to), casting_name(rule));
}

cp_code cpi_check_real(const char *function, const cp_array *x)
{
    return cpi_is_complex(x->type) ? cpi_fail(CP_ERROR_TYPE, "%s: complex type not supported", function) : CP_OK;
}

cp_code cpi_check_type(const char *function, cp_type type)
{
    return (unsigned)type < CP_NTYPES ? CP_OK
                                      : cpi_fail(CP_ERROR_TYPE, "%s: %d is not an element type", function, (int)type);
}

/* --- numbers --- */

void cpi_integer_range(cp_type t, int64_t *low, uint64_t *high)
{
    int bits = 8 * (int)cpi_itemsize(t);
    *low = cpi_is_signed(t) ? -(int64_t)((uint64_t)1 << (bits - 2)) * 2 : 0;
    *high = cpi_is_signed(t) ? ((uint64_t)1 << (bits - 1)) - 1 : UINT64_MAX >> (64 - bits);
    if (t == CP_BOOL) *low = 0, *high = 1;
}

bool cpi_integer_fits(cp_type from, const void *value, cp_type t)
{
    int64_t low, v;
    uint64_t high;
    cpi_integer_range(t, &low, &high);
    cpi_convert_value(from, value, CP_INT64, &v); /* of uint64 the bits */
    return cpi_is_signed(from) && v < 0 ? v >= low : (uint64_t)v <= high;
}

cp_code cpi_check_integer(const char *function, cp_type from, const void *value, cp_type t)
{
    int64_t v;
    if (cpi_integer_fits(from, value, t)) return CP_OK;
    cpi_convert_value(from, value, CP_INT64, &v);
    return cpi_is_signed(from) ? cpi_fail(CP_ERROR_OVERFLOW, "%s: Python integer %lld out of bounds for %s", function,
                                          (long long)v, cp_type_name(t))
                               : cpi_fail(CP_ERROR_OVERFLOW, "%s: Python integer %llu out of bounds for %s", function,
                                          (unsigned long long)v, cp_type_name(t));
}

/* A Python number as an element of type t. */
static cp_code check_number(const char *function, cp_type from, const void *value, cp_type t)
{
    double v;
    if (cpi_discards(from, t))
        return cpi_fail(CP_ERROR_TYPE, "%s: a complex number cannot become %s", function, cp_type_name(t));
    if (!cpi_is_int(t)) return CP_OK;
    if (cpi_is_whole(from)) return cpi_check_integer(function, from, value, t);
    cpi_convert_value(from, value, CP_FLOAT64, &v);
    if (isnan(v)) return cpi_fail(CP_ERROR_VALUE, "%s: cannot convert float NaN to integer", function);
    if (isinf(v)) return cpi_fail(CP_ERROR_OVERFLOW, "%s: cannot convert float infinity to integer", function);
    double whole = trunc(v), bits = 8 * (double)cpi_itemsize(t) - cpi_is_signed(t);
    if (whole >= (cpi_is_signed(t) ? -exp2(bits) : 0) && whole < exp2(bits)) return CP_OK;
    return cpi_fail(CP_ERROR_OVERFLOW, "%s: Python integer %.0f out of bounds for %s", function, whole,
                    cp_type_name(t));
}

cp_code cpi_value_as(const char *function, const cp_array *x, cp_type t, void *value)
{
    _Alignas(16) unsigned char raw[16];
    if (x->ndim)
        return cpi_fail(cpi_is_complex(t) ? CP_ERROR_TYPE : CP_ERROR_VALUE,
                        "%s: setting an array element with a sequence", function);
    cp_code code = cp_to_host(x, raw, sizeof raw);
    if (!code && x->flags & CPI_WEAK) code = check_number(function, x->type, raw, t);
    else if (!code && x->flags & CPI_HOST_SCALAR && cpi_is_int(t) && t != CP_UINT64 && x->type == CP_UINT64)
        code = cpi_check_integer(function, x->type, raw, CP_INT64); /* what is typed only because no int64 holds it */
    if (code) return code;
    if (cpi_discards(x->type, t)) cpi_warn(CP_WARNING_COMPLEX);
    cpi_convert_value(x->type, raw, t, value);
    return CP_OK;
}
