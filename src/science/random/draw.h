/* What the fronts of this room share: parameters and their bounds, shapes, drawing of a distribution. */
#ifndef CPI_RANDOM_DRAW_H
#define CPI_RANDOM_DRAW_H

#include "operands/operands.h"
#include "random/generator.h"
#include "random/samplers.h"

/* What values a parameter may have; the texts are NumPy's (random.c). */
typedef enum cpi_bound {
    CPI_ANY, CPI_NOT_NEGATIVE, CPI_POSITIVE, CPI_SHARE, CPI_SHARE_ABOVE_0, CPI_SHARE_BELOW_1, CPI_ABOVE_1, CPI_MEAN,
    CPI_COUNT /* a whole number >= 0; fractions are cut off */
} cpi_bound;

typedef struct cpi_parameter {
    const char *name;
    cp_array *x;
    cpi_bound bound;
} cpi_parameter;

/* A result and how it is drawn. */
typedef struct cpi_drawing {
    const char *name;
    cp_rng *g;
    int distribution;
    int n;                       /* parameters */
    cpi_parameter parameter[3];
    const cp_draw_options *options;
    /* of rows */
    cp_array *table;             /* float64, dense, on the device */
    int64_t table_step;          /* numbers; 0: one for all rows */
    int64_t width;               /* 0: elements */
} cpi_drawing;

/* The drawing, or NULL. Parameters have been converted to arrays or numbers, and their bounds are checked. */
cp_array *cpi_draw_distribution(cpi_drawing *d);
/* The table of CPR_TABLE for a distribution of whole numbers on a device, and how many steps it has; the number below
 * the first one. NULL: none is made; then *count is -1, or an error is written. */
cp_array *cpi_cdf_table(cpi_device *device, int distribution, const double value[3], int64_t *least, int64_t *count);
/* n words where slots need them in memory, as work of the stream (NULL, no error: the kind has a counter). */
cp_code cpi_random_words_in_memory(cp_stream *stream, const cpi_bit_stream *from, int64_t n, uint64_t **words);
/* Checks a parameter; of an array all elements, which waits. */
cp_code cpi_check_bound(const char *name, const cpi_parameter *p);
/* True, and an error, unless x can be a parameter. */
bool cpi_no_parameter(const char *name, const cpi_parameter *p);
/* The shape of a result, from options and parameters. */
cp_code cpi_draw_shape(const char *name, const cp_draw_options *o, int n, cp_array *const *x, int *ndim,
                       int64_t *shape);
/* The device of a result. */
cpi_device *cpi_draw_device(const char *name, const cp_draw_options *o, int n, cp_array *const *x);

#endif
