/* What the programs of the lessons share: the synthetic sky of workshop.py, pictures, and the end of a program. */
#ifndef WORKSHOP_H
#define WORKSHOP_H

#include <cuprite.h>
#include <stdio.h>

enum { HEIGHT = 240, WIDTH = 360, SOURCES = 40 };

/* exp(-((x - centre) / width)^2 / 2) */
static inline cp_array *workshop_bell(cp_array *x, cp_array *centre, cp_array *width)
{
    cp_array *t = cp_divide(cp_subtract(x, centre), width);
    return cp_exp(cp_divide(cp_negative(cp_square(t)), cp_float(2)));
}

/* A radio map: noise of standard deviation 1 on a background of 0.5, and round sources. The same numbers as in Python.
 * The scope that is open owns it. */
static inline cp_array *workshop_sky(void)
{
    cp_scope *s = cp_scope_begin();
    cp_rng *g = cp_rng_new(24);
    cp_array *image = cp_rng_normal(g, cp_float(0.5), cp_float(1), .shape = CP_SHAPE(HEIGHT, WIDTH));
    cp_array *rows = cp_rng_uniform(g, cp_float(0), cp_float(HEIGHT), .shape = CP_SHAPE(SOURCES));
    cp_array *columns = cp_rng_uniform(g, cp_float(0), cp_float(WIDTH), .shape = CP_SHAPE(SOURCES));
    cp_array *peaks = cp_add(cp_rng_pareto(g, cp_float(1.5), .shape = CP_SHAPE(SOURCES)), cp_float(1));
    cp_array *widths = cp_rng_uniform(g, cp_float(1), cp_float(2.5), .shape = CP_SHAPE(SOURCES));
    cp_rng_free(g);
    peaks = cp_minimum(cp_multiply(peaks, cp_float(15)), cp_float(500));
    cp_array *y = cp_expand_dims(cp_arange(0, HEIGHT, 1, CP_FLOAT64), CP_AXES(1));
    cp_array *x = cp_arange(0, WIDTH, 1, CP_FLOAT64);
    cp_array *down = cp_multiply(workshop_bell(y, rows, widths), peaks);
    cp_array *along = workshop_bell(x, cp_expand_dims(columns, CP_AXES(1)), cp_expand_dims(widths, CP_AXES(1)));
    return cp_scope_return(s, cp_add(image, cp_matmul(down, along)));
}

/* Writes an array as a picture in greys, from its smallest number (black) to its largest one (white). */
static inline void workshop_show(cp_array *x, const char *file)
{
    for (CP_SCOPE) {
        cp_array *low = cp_min(x), *range = cp_subtract(cp_max(x), low);
        cp_array *grey = cp_divide(cp_multiply(cp_subtract(x, low), cp_float(255)), range);
        cp_png_write(file, grey ? cp_astype(cp_rint(grey), CP_UINT8) : NULL);
    }
}

/* What main returns: 0, or 1 after a message where a call has failed. */
static inline int workshop_end(void)
{
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    return cp_error() != CP_OK;
}
#endif
