/* The words of an array: integers of equal width, real numbers with aligned points, by NumPy's rules. */
#include "arrayprint/words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "arrayprint/digits.h"

static void add_words(cpi_string *t, const char *words) { cpi_string_add(t, words, strlen(words)); }

/* A number split into sign and digits before the point, digits behind it, and exponent. */
typedef struct parts {
    bool negative;
    cpi_decimal d;
    int whole;    /* digits before the point */
    int fraction; /* digits behind it, without trailing zeros */
    int exponent;
} parts;

/* precision < 0: as many digits as there are; at least `least`. */
static parts split_number(double x, cp_type type, bool exponent, int precision, int least)
{
    parts p = {.negative = signbit(x) != 0, .d = {.count = 1, .point = 1}};
    cpi_cutoff cutoff = precision < 0 ? CPI_CUT_NOWHERE : exponent ? CPI_CUT_TOTAL : CPI_CUT_FRACTION;
    if (x != 0) p.d = cpi_digits(fabs(x), type, cutoff, exponent ? precision + 1 : precision, least);
    while (p.d.count > 1 && !p.d.digit[p.d.count - 1]) p.d.count--;
    if (!p.d.digit[0]) p.d = (cpi_decimal){.count = 1, .point = 1}; /* cut off to zero */
    if (exponent) {
        p.exponent = p.d.point - 1;
        p.d.point = 1;
    }
    p.whole = p.d.point > 0 ? p.d.point : 1;
    p.fraction = p.d.count > p.d.point ? p.d.count - p.d.point : 0;
    return p;
}

static int exponent_length(int exponent) { return exponent <= -100 || exponent >= 100 ? 3 : 2; }

static int most(int a, int b) { return a > b ? a : b; }

/* The magnitude from which numbers have an exponent: beyond the type's reliable digits. */
static double large(cp_type type, double most)
{
    const int digits = (int)((cpi_float_formats[type].digits - 1) * 0.30103); /* decimal ones */
    return type == CP_FLOAT64 ? most : pow(10, digits > 0 ? digits : 1);
}

/* x rounded to a type: NumPy compares and divides in the array's type. */
static double rounded(double x, cp_type type)
{
    cp_complex128 capacity;
    double y;
    cpi_convert_value(CP_FLOAT64, &x, type, &capacity);
    cpi_convert_value(type, &capacity, CP_FLOAT64, &y);
    return y;
}

/* NumPy's choice of exponents: for large numbers, and for small ones or a wide range unless suppressed. */
static bool wants_exponent(const double *values, int64_t n, int step, cp_type type, bool suppress)
{
    double low = INFINITY, high = 0;
    for (int64_t i = 0; i < n; i++) {
        double x = fabs(values[i * step]);
        if (!isfinite(x) || x == 0) continue;
        low = fmin(low, x);
        high = fmax(high, x);
    }
    if (high == 0) return false;
    if (high >= large(type, 1e8)) return true;
    return !suppress && (low < rounded(0.0001, type) || rounded(high / low, type) > 1000);
}

cpi_number_format cpi_number_format_of(const double *values, int64_t n, int step, cp_type type, int precision,
                                       bool suppress, bool plus)
{
    cpi_number_format f = {.type = type, .plus = plus, .precision = precision};
    int digits = 0;
    bool odd = false, negative = false;
    f.exponent = wants_exponent(values, n, step, type, suppress);
    for (int64_t i = 0; i < n; i++) {
        double x = values[i * step];
        if (!isfinite(x)) {
            odd = true;
            negative |= isinf(x) && x < 0;
            continue;
        }
        parts p = split_number(x, type, f.exponent, precision, 1);
        f.left = most(f.left, p.whole + (plus || p.negative));
        digits = most(digits, p.fraction);
        f.exponent_digits = most(f.exponent_digits, exponent_length(p.exponent));
    }
    f.right = digits;
    if (f.exponent) {
        f.precision = digits;
        f.right = digits + f.exponent_digits + 2;
    }
    if (odd) f.left = most(f.left, most(3, 3 + (plus || negative)) - (f.right + 1));
    return f;
}

static void write_digits(cpi_string *t, const parts *p, int from, int to)
{
    for (int i = from; i < to; i++) cpi_string_fill(t, (char)('0' + (i >= 0 && i < p->d.count ? p->d.digit[i] : 0)), 1);
}

static void write_exponent(cpi_string *t, int exponent, int digits)
{
    char text[16];
    snprintf(text, sizeof text, "e%c%0*d", exponent < 0 ? '-' : '+', digits, exponent < 0 ? -exponent : exponent);
    add_words(t, text);
}

static void write_odd(cpi_string *t, const cpi_number_format *f, double x)
{
    const char *sign = !isnan(x) && x < 0 ? "-" : f->plus ? "+" : "";
    cpi_string_fill(t, ' ', f->left + f->right + 1 - 3 - (int)strlen(sign));
    add_words(t, sign);
    add_words(t, isnan(x) ? "nan" : "inf");
}

void cpi_number_write(cpi_string *t, const cpi_number_format *f, double x)
{
    if (!isfinite(x)) {
        write_odd(t, f, x);
        return;
    }
    parts p = split_number(x, f->type, f->exponent, f->precision, f->exponent ? f->precision + 1 : 1);
    cpi_string_fill(t, ' ', f->left - p.whole - (f->plus || p.negative));
    if (f->plus || p.negative) cpi_string_fill(t, p.negative ? '-' : '+', 1);
    write_digits(t, &p, p.d.point - p.whole, p.d.point);
    cpi_string_fill(t, '.', 1);
    write_digits(t, &p, p.d.point, p.d.point + (f->exponent ? f->precision : p.fraction));
    if (f->exponent) {
        write_exponent(t, p.exponent, f->exponent_digits);
    } else {
        cpi_string_fill(t, ' ', f->right - p.fraction);
    }
}

/* --- every kind of element --- */

static int integer_text(char text[24], const cpi_element_format *w, int64_t i)
{
    if (cp_type_kind(w->type) == 'u') return snprintf(text, 24, "%" PRIu64, ((const uint64_t *)w->values)[i]);
    return snprintf(text, 24, "%" PRId64, ((const int64_t *)w->values)[i]);
}

static cp_type part_type(cp_type type)
{
    return type == CP_COMPLEX64 ? CP_FLOAT32 : type == CP_COMPLEX128 ? CP_FLOAT64 : type;
}

void cpi_number_words_prepare(cpi_element_format *w, cp_type type, const void *values, int64_t n, int precision,
                              bool suppress)
{
    char text[24];
    const double *v = values;
    *w = (cpi_element_format){.type = type, .values = values};
    switch (cp_type_kind(type)) {
    case 'f':
        w->real = cpi_number_format_of(v, n, 1, type, precision, suppress, false);
        break;
    case 'c':
        w->real = cpi_number_format_of(v, n, 2, part_type(type), precision, suppress, false);
        w->imag = cpi_number_format_of(v + 1, n, 2, part_type(type), precision, suppress, true);
        break;
    case 'b':
        w->width = 5;
        break;
    default:
        for (int64_t i = 0; i < n; i++) w->width = most(w->width, integer_text(text, w, i));
    }
}

void cpi_number_words_write(cpi_string *t, const cpi_element_format *w, int64_t i)
{
    char text[24];
    const double *v = w->values;
    switch (cp_type_kind(w->type)) {
    case 'f':
        cpi_number_write(t, &w->real, v[i]);
        return;
    case 'c':
        cpi_number_write(t, &w->real, v[2 * i]);
        cpi_number_write(t, &w->imag, v[2 * i + 1]);
        {
            size_t spaces = 0; /* the j stands before them */
            while (!t->failed && t->at[t->length - 1 - spaces] == ' ') spaces++;
            if (!t->failed) t->length -= spaces;
            add_words(t, "j");
            cpi_string_fill(t, ' ', (int64_t)spaces);
        }
        return;
    case 'b':
        add_words(t, ((const int64_t *)w->values)[i] ? " True" : "False");
        return;
    default:
        cpi_string_fill(t, ' ', w->width - integer_text(text, w, i));
        add_words(t, text);
    }
}

/* A single number, with an exponent only where it is very large or small; `zero` keeps one digit behind the point. */
static void write_alone(cpi_string *t, cp_type type, double x, bool plus, bool zero)
{
    double size = fabs(x);
    bool exponent = isfinite(x) && x != 0 && (size >= large(type, 1e16) || size < 1e-4);
    if (!isfinite(x)) {
        write_odd(t, &(cpi_number_format){.plus = plus}, x);
        return;
    }
    parts p = split_number(x, type, exponent, -1, 1);
    if (plus || p.negative) cpi_string_fill(t, p.negative ? '-' : '+', 1);
    write_digits(t, &p, p.d.point - p.whole, p.d.point);
    if (p.fraction || (zero && !exponent)) cpi_string_fill(t, '.', 1);
    write_digits(t, &p, p.d.point, p.d.point + (p.fraction ? p.fraction : zero && !exponent));
    if (exponent) write_exponent(t, p.exponent, exponent_length(p.exponent));
}

void cpi_scalar_write(cpi_string *t, cp_type type, const void *value)
{
    char text[24];
    const double *v = value;
    cpi_element_format w = {.type = type, .values = value};
    switch (cp_type_kind(type)) {
    case 'f':
        write_alone(t, type, *v, false, true);
        return;
    case 'c':
        if (v[0] == 0 && !signbit(v[0])) {
            write_alone(t, part_type(type), v[1], false, false);
            add_words(t, "j");
            return;
        }
        add_words(t, "(");
        write_alone(t, part_type(type), v[0], false, false);
        write_alone(t, part_type(type), v[1], true, false);
        add_words(t, "j)");
        return;
    case 'b':
        add_words(t, *(const int64_t *)value ? "True" : "False");
        return;
    default:
        integer_text(text, &w, 0);
        add_words(t, text);
    }
}
