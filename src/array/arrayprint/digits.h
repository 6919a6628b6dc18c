/* Decimal digits of floating-point numbers: the fewest that distinguish a number from its neighbours. */
#ifndef CPI_ARRAYPRINT_DIGITS_H
#define CPI_ARRAYPRINT_DIGITS_H

#include "cuprite/types.h"

enum { CPI_DIGITS = 20 };

/* 0.d1 d2 d3 ... times 10^point; digit[0] is 0 only when no other digit is within the cutoff. */
typedef struct cpi_decimal {
    int count, point;
    char digit[CPI_DIGITS]; /* 0..9 */
} cpi_decimal;

typedef enum cpi_cutoff { CPI_CUT_NOWHERE, CPI_CUT_FRACTION, CPI_CUT_TOTAL } cpi_cutoff;

/* Digits of x > 0, finite, a value of the floating-point type `type`. At most `most` of them behind the point
 * (FRACTION) or in all (TOTAL, at least 1); the rest is rounded, ties to even. At least `least` in all; digits added
 * for that are those of the exact x. */
cpi_decimal cpi_digits(double x, cp_type type, cpi_cutoff cutoff, int most, int least);

#endif
