/* Numbers as words of equal width: how the elements of one array are written. */
#ifndef CPI_ARRAYPRINT_WORDS_H
#define CPI_ARRAYPRINT_WORDS_H

#include "core/string.h"
#include "cuprite/types.h"

/* The format of the real numbers of one array, chosen from all of them. */
typedef struct cpi_number_format {
    cp_type type;
    bool exponent;   /* 1.5e+08 */
    bool plus;       /* a sign for numbers that are not negative too */
    int precision;   /* digits behind the point: at most, with an exponent exactly */
    int left, right; /* characters before and behind the point */
    int exponent_digits;
} cpi_number_format;

/* values: n numbers, `step` apart, of the floating-point type `type`. */
cpi_number_format cpi_number_format_of(const double *values, int64_t n, int step, cp_type type, int precision,
                                       bool suppress, bool plus);
void cpi_number_write(cpi_string *t, const cpi_number_format *f, double x);

/* The format of an array's elements. Values lie in host memory: int64_t for bool and signed integers, uint64_t,
 * double, or pairs of double. */
typedef struct cpi_element_format {
    cp_type type;
    const void *values;
    int width; /* of integers and truth values */
    cpi_number_format real, imag;
} cpi_element_format;

void cpi_number_words_prepare(cpi_element_format *w, cp_type type, const void *values, int64_t n, int precision,
                              bool suppress);
void cpi_number_words_write(cpi_string *t, const cpi_element_format *w, int64_t i);
/* One value by itself, as str() of a NumPy scalar. */
void cpi_scalar_write(cpi_string *t, cp_type type, const void *value);

#endif
