/* The shortest digits of a number that identify it among the numbers of its type: the free-format algorithm of Steele
 * and White in exact integers, with the limits of NumPy's printing.
 *
 * Invariant of the loop: the remainder of the number is value / scale, in units of the next digit; low and high are
 * half the distances to its neighbours in the same units. */
#include "arrayprint/digits.h"

#include <math.h>
#include <string.h>

#include "core/type_traits.h"

enum { LIMBS = 48 };

typedef struct big {
    int n; /* limbs in use; the last one is not 0 */
    uint32_t limb[LIMBS];
} big;

static void set(big *b, uint64_t value)
{
    b->n = 0;
    for (; value; value >>= 32) b->limb[b->n++] = (uint32_t)value;
}

static void multiply(big *b, uint32_t by)
{
    uint64_t carry = 0;
    for (int i = 0; i < b->n; i++) {
        carry += (uint64_t)b->limb[i] * by;
        b->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) b->limb[b->n++] = (uint32_t)carry;
}

static void multiply_by_power_of_ten(big *b, int power)
{
    for (; power >= 9; power -= 9) multiply(b, 1000000000);
    for (; power > 0; power--) multiply(b, 10);
}

static void shift(big *b, int bits)
{
    int limbs = bits / 32;
    if (!b->n) return;
    multiply(b, UINT32_C(1) << bits % 32);
    memmove(b->limb + limbs, b->limb, (size_t)b->n * sizeof *b->limb);
    memset(b->limb, 0, (size_t)limbs * sizeof *b->limb);
    b->n += limbs;
}

static int compare(const big *a, const big *b)
{
    if (a->n != b->n) return a->n < b->n ? -1 : 1;
    for (int i = a->n; i-- > 0;)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static int compare_sum(const big *a, const big *more, const big *b)
{
    big sum = *a;
    uint64_t carry = 0;
    for (int i = 0; i < sum.n || i < more->n || carry; i++) {
        carry += (uint64_t)(i < sum.n ? sum.limb[i] : 0) + (i < more->n ? more->limb[i] : 0);
        if (i >= sum.n) sum.n = i + 1;
        sum.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    return compare(&sum, b);
}

/* a -= b, where b is not greater */
static void subtract(big *a, const big *b)
{
    int64_t borrow = 0;
    for (int i = 0; i < a->n; i++) {
        borrow += (int64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0);
        a->limb[i] = (uint32_t)borrow;
        borrow >>= 32;
    }
    while (a->n && !a->limb[a->n - 1]) a->n--;
}

typedef struct state {
    big value, scale, low, high;
    bool even; /* the bounds themselves read back as this number */
    int point;
} state;

static void begin(state *s, double x, cp_type type, cpi_cutoff cutoff, int most)
{
    const int bits = cpi_float_formats[type].digits, least = cpi_float_formats[type].least;
    int exponent;
    frexp(x, &exponent);
    int unit = exponent - bits > least ? exponent - bits : least;
    uint64_t mantissa = (uint64_t)ldexp(x, -unit);
    /* below a power of two the neighbour is half as far away */
    int uneven = mantissa == UINT64_C(1) << (bits - 1) && unit > least;
    set(&s->value, mantissa), set(&s->scale, 1), set(&s->low, 1), set(&s->high, 1 + (uint64_t)uneven);
    shift(&s->value, 1 + uneven), shift(&s->scale, 1 + uneven);
    if (unit > 0) {
        shift(&s->value, unit), shift(&s->low, unit), shift(&s->high, unit);
    } else {
        shift(&s->scale, -unit);
    }
    s->even = mantissa % 2 == 0;
    s->point = (int)ceil(log10(x) - 1e-9); /* exact, or one too small */
    if (cutoff == CPI_CUT_FRACTION && s->point <= -most) s->point = -most + 1;
    if (s->point > 0) {
        multiply_by_power_of_ten(&s->scale, s->point);
    } else {
        multiply_by_power_of_ten(&s->value, -s->point);
        multiply_by_power_of_ten(&s->low, -s->point), multiply_by_power_of_ten(&s->high, -s->point);
    }
    if (compare(&s->value, &s->scale) >= 0) {
        s->point++;
        multiply(&s->scale, 10);
    }
}

/* Increments the last digit; 9s before it become 0 and are dropped. */
static void round_up(cpi_decimal *d)
{
    while (d->count && d->digit[d->count - 1] == 9) d->count--;
    if (d->count) {
        d->digit[d->count - 1]++;
    } else {
        d->digit[d->count++] = 1;
        d->point++;
    }
}

cpi_decimal cpi_digits(double x, cp_type type, cpi_cutoff cutoff, int most, int least)
{
    state s;
    begin(&s, x, type, cutoff, most);
    cpi_decimal d = {.point = s.point};
    for (;;) {
        int digit = 0;
        multiply(&s.value, 10), multiply(&s.low, 10), multiply(&s.high, 10);
        for (; compare(&s.value, &s.scale) >= 0; digit++) subtract(&s.value, &s.scale);
        d.digit[d.count++] = (char)digit;
        int to_low = compare(&s.value, &s.low), to_high = compare_sum(&s.value, &s.high, &s.scale);
        bool low = s.even ? to_low <= 0 : to_low < 0, high = s.even ? to_high >= 0 : to_high > 0;
        bool full =
            (cutoff == CPI_CUT_TOTAL && d.count == most) || (cutoff == CPI_CUT_FRACTION && d.count - d.point == most);
        if (!full && d.count < CPI_DIGITS && !((low || high) && d.count >= least)) continue;
        bool up = high;
        if (low == high) {
            int half = compare_sum(&s.value, &s.value, &s.scale);
            up = half > 0 || (half == 0 && digit % 2 == 1);
        }
        if (up) round_up(&d);
        return d;
    }
}
