/* Arithmetic of Python's numbers, for expressions of numbers alone: 2*3*x multiplies x by 6, as it does in Python.
 *
 * Invariant: a result is the very value that Python has, or an error; integers are those of 64 bits. */
#include "fuse/fuse.h"

#include <math.h>
#include <string.h>

#include "core/error.h"
#include "scalar/scalar.h"

static cp_code no_number(const char *what) { return cpi_fail(CP_ERROR_ZERO_DIVISION, "%s", what); }

static cp_code too_large(void) { return cpi_fail(CP_ERROR_OVERFLOW, "an integer does not fit into 64 bits"); }

static cp_code no_operation(cp_op op, cp_type type)
{
    return cpi_fail(CP_ERROR_TYPE, "%s: not supported for Python's %s numbers", cpi_op_rows[op].name,
                    cpi_is_complex(type) ? "complex" : "floating-point");
}

static cp_code set_truth(cpi_number *r, bool v) { return r->type = CP_BOOL, r->truth = v, CP_OK; }
static cp_code set_int(cpi_number *r, int64_t v) { return r->type = CP_INT64, r->integer = v, CP_OK; }
static cp_code set_real(cpi_number *r, double v) { return r->type = CP_FLOAT64, r->real = v, CP_OK; }

static cp_code power_of_ints(int64_t a, int64_t b, cpi_number *r)
{
    int64_t v = 1;
    if (b < 0 && a) return set_real(r, pow((double)a, (double)b));
    if (b < 0) return no_number("0.0 cannot be raised to a negative power");
    for (bool over = false; b; b >>= 1) {
        if (b & 1 && (over || __builtin_mul_overflow(v, a, &v))) return too_large();
        over |= __builtin_mul_overflow(a, a, &a); /* matters only where a further bit comes */
    }
    return set_int(r, v);
}

static cp_code shift_ints(cp_op op, int64_t a, int64_t b, cpi_number *r)
{
    int64_t v = 0;
    if (b < 0) return cpi_fail(CP_ERROR_VALUE, "negative shift count");
    if (op == CP_OP_right_shift) return set_int(r, a >> (b > 63 ? 63 : b));
    if (a && (b > 62 || __builtin_mul_overflow(a, (int64_t)1 << b, &v))) return too_large();
    return set_int(r, v);
}

static cp_code fold_ints(cp_op op, int64_t a, int64_t b, cpi_number *r)
{
    int64_t v;
    switch ((int)op) {
    case CP_OP_add: return __builtin_add_overflow(a, b, &v) ? too_large() : set_int(r, v);
    case CP_OP_subtract: return __builtin_sub_overflow(a, b, &v) ? too_large() : set_int(r, v);
    case CP_OP_multiply: return __builtin_mul_overflow(a, b, &v) ? too_large() : set_int(r, v);
    case CP_OP_divide:
        return b ? set_real(r, (double)((long double)a / (long double)b)) : no_number("division by zero");
    case CP_OP_floor_divide:
    case CP_OP_remainder:
        if (!b) return no_number("integer division or modulo by zero");
        if (b == -1) return op == CP_OP_remainder ? set_int(r, 0) : a == INT64_MIN ? too_large() : set_int(r, -a);
        v = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
        return set_int(r, op == CP_OP_remainder ? a - v * b : v);
    case CP_OP_power: return power_of_ints(a, b, r);
    case CP_OP_bitwise_and: return set_int(r, a & b);
    case CP_OP_bitwise_or: return set_int(r, a | b);
    case CP_OP_bitwise_xor: return set_int(r, a ^ b);
    case CP_OP_invert: return set_int(r, ~a);
    case CP_OP_negative: return a == INT64_MIN ? too_large() : set_int(r, -a);
    case CP_OP_positive: return set_int(r, a);
    default: return shift_ints(op, a, b, r);
    }
}

/* Of a negative number; the base's angle is pi. */
static cp_code set_complex_power(double a, double b, cpi_number *r)
{
    double length = pow(-a, b), angle = 3.141592653589793 * b;
    r->type = CP_COMPLEX128;
    r->complex = (cp_complex128){length * cos(angle), length * sin(angle)};
    return CP_OK;
}

static cp_code power_of_reals(double a, double b, cpi_number *r)
{
    if (a == 0 && b < 0) return no_number("0.0 cannot be raised to a negative power");
    double v = pow(a, b);
    if (isnan(v) && !isnan(a) && !isnan(b))
        return set_complex_power(a, b, r);
    if (isinf(v) && !isinf(a) && !isinf(b)) return cpi_fail(CP_ERROR_OVERFLOW, "Numerical result out of range");
    return set_real(r, v);
}

static cp_code fold_reals(cp_op op, double a, double b, cpi_number *r)
{
    switch ((int)op) {
    case CP_OP_add: return set_real(r, a + b);
    case CP_OP_subtract: return set_real(r, a - b);
    case CP_OP_multiply: return set_real(r, a * b);
    case CP_OP_divide: return b != 0 ? set_real(r, a / b) : no_number("float division by zero");
    case CP_OP_floor_divide:
        return b != 0 ? set_real(r, cps_floor_divide_f64(a, b)) : no_number("float floor division by zero");
    case CP_OP_remainder: return b != 0 ? set_real(r, cps_remainder_f64(a, b)) : no_number("float modulo by zero");
    case CP_OP_power: return power_of_reals(a, b, r);
    case CP_OP_negative: return set_real(r, -a);
    case CP_OP_positive: return set_real(r, a);
    default: return no_operation(op, CP_FLOAT64);
    }
}

/* Smith's division, which is Python's. */
static cp_complex128 quotient(cp_complex128 a, cp_complex128 b)
{
    if (fabs(b.re) >= fabs(b.im)) {
        double ratio = b.im / b.re, below = b.re + b.im * ratio;
        return (cp_complex128){(a.re + a.im * ratio) / below, (a.im - a.re * ratio) / below};
    }
    double ratio = b.re / b.im, below = b.re * ratio + b.im;
    return (cp_complex128){(a.re * ratio + a.im) / below, (a.im * ratio - a.re) / below};
}

static cp_complex128 product(cp_complex128 a, cp_complex128 b)
{
    return (cp_complex128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* By squares where the exponent is a small integer, as in Python. */
static cp_complex128 whole_power(cp_complex128 a, int n)
{
    cp_complex128 r = {1, 0};
    for (int left = n < 0 ? -n : n; left; left >>= 1) {
        if (left & 1) r = product(r, a);
        a = product(a, a);
    }
    return n < 0 ? quotient((cp_complex128){1, 0}, r) : r;
}

static cp_code power_of_complex(cp_complex128 a, cp_complex128 b, cpi_number *r)
{
    bool zero = a.re == 0 && a.im == 0;
    if (zero && (b.im != 0 || b.re < 0)) return no_number("0.0 to a negative or complex power");
    if (b.im == 0 && b.re == floor(b.re) && fabs(b.re) <= 100) return r->complex = whole_power(a, (int)b.re), CP_OK;
    double size = hypot(a.re, a.im), angle = atan2(a.im, a.re), length = pow(size, b.re), phase = angle * b.re;
    if (b.im != 0) length /= exp(angle * b.im), phase += b.im * log(size);
    r->complex = zero ? (cp_complex128){0, 0} : (cp_complex128){length * cos(phase), length * sin(phase)};
    if (isinf(r->complex.re) || isinf(r->complex.im))
        return cpi_fail(CP_ERROR_OVERFLOW, "complex exponentiation");
    return CP_OK;
}

static cp_code fold_complex(cp_op op, cp_complex128 a, cp_complex128 b, cpi_number *r)
{
    r->type = CP_COMPLEX128;
    switch ((int)op) {
    case CP_OP_add: r->complex = (cp_complex128){a.re + b.re, a.im + b.im}; break;
    case CP_OP_subtract: r->complex = (cp_complex128){a.re - b.re, a.im - b.im}; break;
    case CP_OP_multiply:
        r->complex = product(a, b);
        break;
    case CP_OP_power: return power_of_complex(a, b, r);
    case CP_OP_divide:
        if (b.re == 0 && b.im == 0) return no_number("complex division by zero");
        r->complex = quotient(a, b);
        break;
    case CP_OP_negative: r->complex = (cp_complex128){-a.re, -a.im}; break;
    case CP_OP_positive: r->complex = a; break;
    default: return no_operation(op, CP_COMPLEX128);
    }
    return CP_OK;
}

/* The difference's sign; long double holds every int64 and every double. 2: one is NaN. */
static int order(const cpi_number *a, const cpi_number *b)
{
    long double x = a->type == CP_INT64 ? (long double)a->integer : (long double)a->real;
    long double y = b->type == CP_INT64 ? (long double)b->integer : (long double)b->real;
    return isnan(x) || isnan(y) ? 2 : (x > y) - (x < y);
}

static cp_code compare(cp_op op, const cpi_number *a, const cpi_number *b, cpi_number *r)
{
    if (cpi_is_complex(a->type) || cpi_is_complex(b->type)) {
        cpi_number x, y;
        cpi_convert_value(a->type, a->bytes, CP_COMPLEX128, x.bytes);
        cpi_convert_value(b->type, b->bytes, CP_COMPLEX128, y.bytes);
        bool same = x.complex.re == y.complex.re && x.complex.im == y.complex.im;
        if (op != CP_OP_equal && op != CP_OP_not_equal) return no_operation(op, CP_COMPLEX128);
        return set_truth(r, same == (op == CP_OP_equal));
    }
    int sign = order(a, b);
    switch ((int)op) {
    case CP_OP_equal: return set_truth(r, sign == 0);
    case CP_OP_not_equal: return set_truth(r, sign != 0);
    case CP_OP_less: return set_truth(r, sign == -1);
    case CP_OP_less_equal: return set_truth(r, sign == -1 || sign == 0);
    case CP_OP_greater: return set_truth(r, sign == 1);
    default: return set_truth(r, sign == 1 || sign == 0);
    }
}

/* True and False count as integers, but among themselves the operations on bits leave truth values. */
static bool fold_truths(cp_op op, const cpi_number *a, const cpi_number *b, cpi_number *r)
{
    if (a->type != CP_BOOL || b->type != CP_BOOL) return false;
    if (op == CP_OP_bitwise_and) set_truth(r, a->truth && b->truth);
    else if (op == CP_OP_bitwise_or) set_truth(r, a->truth || b->truth);
    else if (op == CP_OP_bitwise_xor) set_truth(r, a->truth != b->truth);
    else return false;
    return true;
}

cp_code cpi_fold_constants(cp_op op, const cpi_number *a, const cpi_number *b, cpi_number *r)
{
    cpi_number x = *a, y = b ? *b : *a;
    memset(r, 0, sizeof *r);
    if (b && fold_truths(op, &x, &y, r)) return CP_OK;
    if (x.type == CP_BOOL) set_int(&x, x.truth);
    if (y.type == CP_BOOL) set_int(&y, y.truth);
    if (op >= CP_OP_equal && op <= CP_OP_greater_equal) return compare(op, &x, &y, r);
    cp_type type = cp_promote(x.type, y.type);
    cpi_number p, q;
    cpi_convert_value(x.type, x.bytes, type, p.bytes);
    cpi_convert_value(y.type, y.bytes, type, q.bytes);
    if (type == CP_INT64) return fold_ints(op, p.integer, q.integer, r);
    return type == CP_FLOAT64 ? fold_reals(op, p.real, q.real, r) : fold_complex(op, p.complex, q.complex, r);
}
