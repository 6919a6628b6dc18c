/* NumPy 2's choice of a loop (NEP 50). Operands are promoted, with weak scalars yielding. The computing type is the
 * first type, from small to large, that the promoted type casts to safely and that the operation has a body for. */
#include "elementwise/resolve.h"

#include <string.h>

#include "operands/operands.h"

static bool is_single(cp_type t) { return t == CP_FLOAT32 || t == CP_COMPLEX64; }

/* The type of the loop for n operands of types in[]: the first with a loop that each casts to safely; CP_DEFAULT:
 * none. */
static cp_type loop_for(const cpi_op_row *row, int n, const cp_type *in)
{
    bool all_bool = true, whole = true;
    for (int i = 0; i < n; i++) all_bool &= in[i] == CP_BOOL, whole &= cpi_is_whole(in[i]);
    if (row->rule == CPI_RULE_LOGIC) return CP_BOOL;
    if (row->rule == CPI_RULE_NUMBER && all_bool) return CP_DEFAULT;
    if (row->rule == CPI_RULE_DIVIDE && whole) return CP_FLOAT64;
    if (row->rule == CPI_RULE_COUNT && all_bool) return loop_for(row, 1, (cp_type[]){CP_INT64});
    bool alike = cpi_has_loop(row, in[0]); /* the common case, without a search */
    for (int i = 1; i < n && alike; i++) alike = in[i] == in[0];
    if (alike) return in[0];
    for (int t = 0; t < CP_NTYPES; t++) {
        bool fits = cpi_has_loop(row, (cp_type)t) && !(row->rule == CPI_RULE_DOUBLE && is_single((cp_type)t));
        for (int i = 0; i < n && fits; i++) fits = cp_can_cast(in[i], (cp_type)t, CP_SAFE);
        if (fits) return (cp_type)t;
    }
    return CP_DEFAULT;
}

/* How many of the operation's first inputs are whole orders: where all of them are integers, it computes in float64. */
static int orders_of(const cpi_op_row *row)
{
    return row->rule == CPI_RULE_ORDER ? 1 : row->rule == CPI_RULE_ORDERS ? 2 : 0;
}
/* Are the orders integers, and do the other inputs cast to float64? */
static bool has_whole_orders(const cpi_op_row *row, const cp_type *in)
{
    const int orders = orders_of(row);
    bool yes = orders > 0;
    for (int i = 0; i < row->nin && yes; i++)
        yes = i < orders ? cp_can_cast(in[i], CP_INT64, CP_SAFE) : cp_can_cast(in[i], CP_FLOAT64, CP_SAFE);
    return yes;
}
static bool orders_are_whole(const cpi_op_row *row, cp_array *const *in)
{
    cp_type types[CPI_MAXIN] = {CP_BOOL};
    if (!orders_of(row)) return false;
    for (int i = 0; i < row->nin; i++) types[i] = in[i]->type;
    return has_whole_orders(row, types);
}

static bool has_parts(const cpi_op_row *row)
{
    bool yes = false;
    for (int i = 0; i < row->nin; i++) yes |= row->in[i] == CPI_TYPE_PART;
    return yes;
}
/* The first loop to whose inputs all of these types cast safely, where an input is a complex type's part. With the rule
 * `double` float32 and complex64 are only for inputs of just these types. */
static cp_type loop_with_parts(const cpi_op_row *row, const cp_type *in)
{
    for (int t = 0; t < CP_NTYPES; t++) {
        const bool exact = row->rule == CPI_RULE_DOUBLE && (t == CP_FLOAT32 || t == CP_COMPLEX64);
        bool fits = cpi_has_loop(row, (cp_type)t);
        for (int i = 0; i < row->nin && fits; i++) {
            const cp_type to = cpi_in_type(row, i, (cp_type)t);
            fits = exact ? in[i] == to : cp_can_cast(in[i], to, CP_SAFE);
        }
        if (fits) return (cp_type)t;
    }
    return CP_DEFAULT;
}
/* The same for operands: Python numbers take the other operands' precision where these are not integers. */
static cp_type loop_with_parts_for(const cpi_op_row *row, cp_array *const *in)
{
    cp_type types[CPI_MAXIN];
    bool precise = false; /* is there an operand whose precision counts? */
    bool single = row->rule == CPI_RULE_DOUBLE; /* do all of them have the one that is only for its own kind? */
    for (int i = 0; i < row->nin; i++) {
        if (in[i]->flags & CPI_WEAK) continue;
        precise |= cpi_is_float(in[i]->type) || cpi_is_complex(in[i]->type);
        single &= is_single(in[i]->type);
    }
    for (int i = 0; i < row->nin; i++) {
        types[i] = in[i]->type;
        if (!(in[i]->flags & CPI_WEAK)) continue;
        bool alone = true; /* an integer beside integers alone is none of their size */
        for (int k = 0; k < row->nin; k++) alone &= (in[k]->flags & CPI_WEAK) != 0;
        if (precise) types[i] = cpi_is_complex(types[i]) ? CP_COMPLEX64 : single ? CP_FLOAT32 : CP_BOOL;
        else if (types[i] == CP_INT64 && !alone) types[i] = CP_BOOL;
    }
    return loop_with_parts(row, types);
}

/* The same for operands; weak ones take the type that the others promote to. Inputs of a fixed type must cast to it
 * safely, and take no part in the promotion. */
static cp_type loop_for_arrays(const cpi_op_row *row, cp_array *const *in, cp_type promoted)
{
    cp_type types[CPI_MAXIN] = {CP_BOOL};
    bool weak = false;
    int n = 0;
    if (has_parts(row)) return loop_with_parts_for(row, in);
    for (int i = 0; i < row->nin; i++) {
        if (row->in[i] != CPI_TYPE_T) {
            if (!cp_can_cast(in[i]->type, (cp_type)row->in[i], CP_SAFE)) return CP_DEFAULT;
            continue;
        }
        types[n++] = in[i]->type;
        weak |= (in[i]->flags & CPI_WEAK) != 0;
    }
    return weak ? loop_for(row, 1, &promoted) : loop_for(row, n, types);
}

/* The promotion of the inputs that choose the computing type. Where that is only a Python integer and the other
 * inputs are integers of a fixed type, it is the smallest integer type, as in NumPy. */
static cp_type promote_inputs(const cpi_op_row *row, cp_array *const *in)
{
    cp_array *choosing[CPI_MAXIN] = {NULL};
    int n = 0;
    bool counts = false;
    for (int i = 0; i < row->nin; i++) {
        if (row->in[i] == CPI_TYPE_T) choosing[n++] = in[i];
        else counts |= !(in[i]->flags & CPI_WEAK) && cpi_is_int(in[i]->type);
    }
    if (counts && n == 1 && choosing[0]->flags & CPI_WEAK && choosing[0]->type == CP_INT64) return CP_INT8;
    return cpi_promote_arrays(n, choosing, false);
}

static cp_code no_loop(cp_op op, cp_type p)
{
    const char *name = cpi_op_rows[op].name;
    if (p == CP_BOOL && op == CP_OP_subtract)
        return cpi_fail(CP_ERROR_TYPE, "%s: numpy boolean subtract, the `-` operator, is not supported, use the "
                        "bitwise_xor, the `^` operator, or the logical_xor function instead", name);
    if (p == CP_BOOL && op == CP_OP_negative)
        return cpi_fail(CP_ERROR_TYPE, "%s: The numpy boolean negative, the `-` operator, is not supported, use the "
                        "`~` operator or the logical_not function instead", name);
    return cpi_fail(CP_ERROR_TYPE, "%s: not supported for the input types, and the inputs could not be safely coerced "
                    "to any supported types according to the casting rule 'safe' (promoted type: %s)", name,
                    cp_type_name(p));
}

static bool is_comparison(cp_op op) { return op >= CP_OP_equal && op <= CP_OP_greater_equal; }

/* A comparison of int64 with uint64 values: the kernel takes the signed one first. */
static void plan_mixed(cp_op op, cpi_plan *plan, bool signed_first)
{
    static const int straight[] = {CP_OP_equal_mixed, CP_OP_not_equal_mixed, CP_OP_less_mixed,
                                   CP_OP_less_equal_mixed, CP_OP_greater_mixed, CP_OP_greater_equal_mixed};
    static const int transposed[] = {CP_OP_equal_mixed, CP_OP_not_equal_mixed, CP_OP_greater_mixed,
                                     CP_OP_greater_equal_mixed, CP_OP_less_mixed, CP_OP_less_equal_mixed};
    plan->op = (signed_first ? straight : transposed)[op - CP_OP_equal];
    plan->swap = !signed_first;
    plan->type = CP_INT64;
    plan->out[0] = CP_BOOL;
}

static int64_t int_value(const cp_array *x)
{
    int64_t v;
    memcpy(&v, x->value, sizeof v);
    return v;
}

/* A bound of clip beyond the loop's type on its own side limits nothing. */
static bool is_open_end(cp_op op, int position, const cp_array *x)
{
    return op == CP_OP_clip && (int_value(x) < 0 ? position == 1 : position == 2);
}

/* Weak integers must fit the type of an integer loop. */
static cp_code check_weak(cp_op op, cp_array *const *in, cpi_plan *plan)
{
    if (!cpi_is_int(plan->type)) return CP_OK;
    for (int i = 0; i < plan->nin; i++) {
        if (!(in[i]->flags & CPI_WEAK) || in[i]->type != CP_INT64 || cpi_op_rows[op].in[i] != CPI_TYPE_T ||
            cpi_integer_fits(CP_INT64, in[i]->value, plan->type) || is_open_end(op, i, in[i]))
            continue;
        if (is_comparison(op)) { /* compares by value */
            if (plan->type == CP_UINT64) {
                plan_mixed(op, plan, i == 0);
            } else {
                plan->type = CP_INT64;
            }
            return CP_OK;
        }
        return cpi_check_integer(cpi_op_rows[op].name, CP_INT64, in[i]->value, plan->type);
    }
    return CP_OK;
}

/* Do all results of the loop of type t have the type `wanted`? */
static bool results_are(const cpi_op_row *row, cp_type t, cp_type wanted)
{
    bool yes = true;
    for (int k = 0; k < row->nout; k++) yes &= cpi_out_type(row, k, t) == wanted;
    return yes;
}

static bool inputs_cast(const cpi_op_row *row, cp_array *const *in, cp_type type, cp_casting rule)
{
    bool yes = true;
    for (int i = 0; i < row->nin && yes; i++)
        yes = in[i]->flags & CPI_WEAK || cp_can_cast(in[i]->type, cpi_in_type(row, i, type), rule);
    return yes;
}

/* The loop asked for with dtype=: one whose results have that type. Preferred is the one of that type throughout,
 * where the casting rule allows the inputs' conversion; else the first that the inputs cast to safely, as in NumPy.
 * That one is preferred where the inputs would lose a part, so that a magnitude is not the real part's. */
static cp_code resolve_typed(cp_op op, cp_array *const *in, cp_type natural, cp_type wanted, cp_casting rule,
                             cpi_plan *plan)
{
    const cpi_op_row *row = &cpi_op_rows[op];
    bool homogeneous = (unsigned)wanted < CP_NTYPES && cpi_has_loop(row, wanted) && results_are(row, wanted, wanted);
    for (int i = 0; i < row->nin && homogeneous; i++) homogeneous = cpi_in_type(row, i, wanted) == wanted;
    plan->type = natural;
    if (natural != CP_DEFAULT && results_are(row, natural, wanted)) return CP_OK;
    plan->type = wanted;
    if (homogeneous && inputs_cast(row, in, wanted, rule == CP_UNSAFE ? CP_SAME_KIND : rule)) return CP_OK;
    for (cp_type t = 0; t < CP_NTYPES && row->rule != CPI_RULE_LOGIC; t++) {
        if (!cpi_has_loop(row, t) || !results_are(row, t, wanted) || !inputs_cast(row, in, t, CP_SAFE)) continue;
        plan->type = t;
        return CP_OK;
    }
    if (homogeneous) return CP_OK; /* the inputs' casts are refused next */
    return cpi_fail(CP_ERROR_TYPE, "%s: no loop matching the specified signature and casting was found for ufunc %s",
                    row->name, row->name);
}

/* Powers that a simpler operation computes as well. NumPy's powers of -0.0 and -inf by the single number 0.5 are
 * their square roots too, except for two-byte types. A complex zero's power is 0 + 0j whatever its signs, which a
 * square's is not. */
static cp_code simplify_power(cp_array *const *in, cpi_plan *plan)
{
    const cp_array *b = in[1];
    double e;
    bool whole = cpi_is_int(plan->type);
    if (!(b->flags & CPI_HOST_SCALAR) || cpi_is_complex(plan->type)) return CP_OK;
    _Alignas(16) unsigned char exponent[16]; /* in the loop's type */
    cpi_convert_value(b->type, b->value, whole ? plan->type : b->type, exponent);
    cpi_convert_value(whole ? plan->type : b->type, exponent, CP_FLOAT64, &e);
    if (whole && e < 0 && in[0]->size && b->size)
        return cpi_fail(CP_ERROR_VALUE, "power: integers to negative integer powers are not allowed");
    if (e != 1 && e != 2 && (e != 0.5 || cp_type_size(plan->type) < 4)) return CP_OK;
    plan->op = e == 2 ? CP_OP_square : e == 1 ? CP_OP_positive : CP_OP_sqrt;
    plan->nin = 1;
    return CP_OK;
}

/* May the inputs be converted to the loop's types? */
static cp_code check_inputs(const cpi_op_row *row, cp_array *const *in, cp_casting rule, cp_type type)
{
    cp_code code = CP_OK;
    for (int i = 0; i < row->nin && row->rule != CPI_RULE_LOGIC && !code; i++) {
        cp_type from = in[i]->type, to = cpi_in_type(row, i, type);
        if (from == to) continue;
        if (from == CP_INT32 && row->in[i] == CP_INT64) continue; /* ldexp has a loop for either */
        /* "equiv" takes numbers as typed; so does "no" where no other operand determines the type */
        bool typed = rule == CP_UNSAFE || rule == CP_EQUIV || (rule == CP_NO_CAST && row->nin == 1);
        if (!typed) from = cpi_counts_as(in[i], to);
        code = cpi_check_cast(row->name, i, from, to, rule);
    }
    return code;
}

/* May the results be converted to the outputs? */
static cp_code check_outputs(const cpi_op_row *row, cp_array *const *out, cp_casting rule, const cpi_plan *plan)
{
    cp_code code = CP_OK;
    for (int k = 0; k < row->nout && !code; k++)
        if (out[k]) code = cpi_check_cast(row->name, CPI_OUTPUT, plan->out[k], out[k]->type, rule);
    return code;
}

/* The common case: inputs of one type, which is the computing type, and Python numbers that take it (*weak). Else
 * CP_DEFAULT. */
static cp_type type_alike(const cpi_op_row *row, cp_array *const *in, bool *weak)
{
    cp_type t = CP_DEFAULT;
    bool alike = true;
    for (int i = 0; i < row->nin; i++) {
        const bool number = (in[i]->flags & CPI_WEAK) != 0;
        alike &= row->in[i] == CPI_TYPE_T;
        *weak |= number;
        if (number) continue;
        alike &= t == CP_DEFAULT || t == in[i]->type;
        t = in[i]->type;
    }
    for (int i = 0; *weak && t != CP_DEFAULT && i < row->nin; i++) alike &= cpi_counts_as(in[i], t) == t;
    return alike ? t : CP_DEFAULT;
}

cp_code cpi_resolve(cp_op op, cp_array *const *in, cp_array *const *out, const cp_ufunc_options *options,
                    cpi_plan *plan)
{
    const cpi_op_row *row = &cpi_op_rows[op];
    bool typed = options && options->typed && options->dtype != CP_DEFAULT;
    cp_casting rule = options ? options->casting : CP_SAME_KIND;
    *plan = (cpi_plan){op, row->nin, CP_DEFAULT, {CP_DEFAULT, CP_DEFAULT}, false};
    bool weak = typed;
    const bool whole = orders_are_whole(row, in);
    cp_type p = typed || whole ? CP_DEFAULT : type_alike(row, in, &weak);
    const bool alike = p != CP_DEFAULT;
    if (row->rule == CPI_RULE_LOGIC) p = CP_BOOL;
    else if (!alike) p = promote_inputs(row, in);
    plan->type = whole ? CP_FLOAT64 : alike ? loop_for(row, 1, &p) : loop_for_arrays(row, in, p);
    if (typed) {
        cp_code code = resolve_typed(op, in, plan->type, options->dtype, rule, plan);
        if (code) return code;
    }
    if (is_comparison(op) && p == CP_FLOAT64 && !(in[0]->flags & CPI_WEAK) && !(in[1]->flags & CPI_WEAK) &&
        cpi_is_int(in[0]->type) && cpi_is_int(in[1]->type)) {
        plan_mixed(op, plan, in[0]->type != CP_UINT64);
        return check_outputs(row, out, rule, plan);
    }
    if (plan->type == CP_DEFAULT) return no_loop(op, p);
    for (int k = 0; k < row->nout; k++) plan->out[k] = cpi_out_type(row, k, plan->type);
    const bool plain = alike && plan->type == p && (!weak || rule == CP_SAME_KIND);
    cp_code code = plain ? CP_OK : check_inputs(row, in, rule, plan->type);
    if (!code) code = check_outputs(row, out, rule, plan);
    if (!code && weak) code = check_weak(op, in, plan);
    return code || op != CP_OP_power ? code : simplify_power(in, plan);
}

bool cpi_is_accumulated(const cpi_op_row *row, cp_type type)
{
    return row->nin == 2 && row->nout == 1 && cpi_in_type(row, 0, type) == type && cpi_in_type(row, 1, type) == type &&
           cpi_out_type(row, 0, type) == type;
}

cp_type cpi_resolve_accumulate(cp_op op, cp_type first, cp_type second, bool typed, cp_type wanted)
{
    const cpi_op_row *row = &cpi_op_rows[op];
    cp_type t = row->rule == CPI_RULE_LOGIC ? CP_BOOL : typed ? wanted : loop_for(row, 2, (cp_type[]){first, second});
    if (t != CP_DEFAULT && !typed && first != second &&
        !cpi_is_accumulated(row, t)) /* a comparison's result for `out` */
        t = loop_for(row, 2, (cp_type[]){second, second});
    if (t == CP_DEFAULT || (t == CP_BOOL && row->rule == CPI_RULE_NUMBER))
        return no_loop(op, cp_promote(first, second)), CP_DEFAULT;
    bool there = typed ? wanted == t && cpi_has_loop(row, t) : true;
    if (there && cpi_is_accumulated(row, t)) return t;
    cpi_fail(CP_ERROR_TYPE, "%s: No loop matching the specified signature and casting was found for ufunc %s",
             row->name, row->name);
    return CP_DEFAULT;
}

void cpi_scalar_value(cp_op op, const cp_array *x, cp_type type, void *value)
{
    if (op == CP_OP_clip && x->flags & CPI_WEAK && x->type == CP_INT64 && cpi_is_int(type) &&
        !cpi_integer_fits(CP_INT64, x->value, type)) {
        int64_t low;
        uint64_t high;
        cpi_integer_range(type, &low, &high);
        if (int_value(x) < 0) {
            cpi_convert_value(CP_INT64, &low, type, value);
        } else {
            cpi_convert_value(CP_UINT64, &high, type, value);
        }
        return;
    }
    cpi_convert_value(x->type, x->value, type, value);
}

cp_code cp_op_types(cp_op op, const cp_type *in, cp_type *loop_in, cp_type *loop_out)
{
    if ((unsigned)op >= CP_NOPS || cpi_null("op_types", in))
        return cpi_fail(CP_ERROR_VALUE, "op_types: no such operation");
    const cpi_op_row *row = &cpi_op_rows[op];
    cp_type types[CPI_MAXIN] = {0}, p = CP_DEFAULT;
    int n = 0;
    for (int i = 0; i < row->nin; i++) {
        if (cpi_check_type("op_types", in[i])) return cp_error();
        if (row->in[i] != CPI_TYPE_T) continue;
        p = n ? cp_promote(p, in[i]) : in[i];
        types[n++] = in[i];
    }
    const bool parts = has_parts(row);
    cp_type t = has_whole_orders(row, in) ? CP_FLOAT64 : parts ? loop_with_parts(row, in) : loop_for(row, n, types);
    for (int i = 0; i < row->nin && t != CP_DEFAULT && !parts; i++)
        if (row->in[i] != CPI_TYPE_T && !cp_can_cast(in[i], (cp_type)row->in[i], CP_SAFE)) t = CP_DEFAULT;
    if (t == CP_DEFAULT) return no_loop(op, p);
    for (int i = 0; i < row->nin && loop_in; i++) loop_in[i] = cpi_in_type(row, i, t);
    for (int k = 0; k < row->nout && loop_out; k++) loop_out[k] = cpi_out_type(row, k, t);
    return CP_OK;
}
