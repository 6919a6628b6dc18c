/* The CPU's kernels of the module, compiled once for each instruction set (NAME_simd.c), and what they get. */
#ifndef CPI_GEOMETRY_KERNELS_H
#define CPI_GEOMETRY_KERNELS_H

#include "geometry/geometry.h"

/* Lines that are filtered side by side, element i of line k at [i * CPI_SPLINE_LINES + k]. */
enum { CPI_SPLINE_LINES = 8 };

typedef struct cpi_spline_kernels {
    /* Filters CPI_SPLINE_LINES lines of n >= 2 elements side by side, or one alone. */
    void (*lines)(double *c, int64_t n, int order, cpi_spline_ends ends);
    void (*line)(double *c, int64_t n, int order, cpi_spline_ends ends);
} cpi_spline_kernels;

/* Positions that are evaluated together: along axis d of the input that of point k is at[d * CPI_POINTS + k]. The rest
 * is scratch: first elements, and weights of tap t at [(d * CPI_SPLINE_TAPS + t) * CPI_POINTS + k]. */
enum { CPI_POINTS = 128 };
typedef struct cpi_points { double *at, *first, *weight; } cpi_points;
static inline int64_t cpi_points_doubles(int ndim) { return (int64_t)ndim * CPI_POINTS * (2 + CPI_SPLINE_TAPS); }

/* An axis of a result whose positions depend on that axis' index alone: the taps of each of `n` results, tap t of
 * result i at [t * n + i]. Elements that are cval have the index `length`, that of the input's axis. */
typedef struct cpi_axis_taps {
    int64_t n, length;
    int taps;
    double *weight;
    int32_t *element;
    bool *outside;      /* the result is cval */
    bool any_outside;
    int64_t from, to;   /* of these results the taps are neighbours, ascending */
    bool unit;          /* and those of a result one beyond those of the result before */
} cpi_axis_taps;

typedef struct cpi_resample_kernels {
    /* result[k], k < n, for the positions; `image` is the input's first element. */
    void (*points)(const cpi_resample *r, const void *image, cpi_points *p, int n, double *result);
    /* line[i] = sum over k < rows of weight[k] * row[k][i], or that added to it; i < n. */
    void (*add_rows)(cp_type source, int rows, const void *const *row, const double *weight, bool add, int64_t n,
                     double *line);
    /* result[i] = the sum over taps of weights times elements of the line. */
    void (*along)(const cpi_axis_taps *a, const double *line, double *result);
    /* Rounds to the type as SciPy does. */
    void (*store)(cp_type type, const double *from, int64_t n, void *to);
} cpi_resample_kernels;

typedef struct cpi_nearest_kernels {
    /* The first axis of (n, inner), columns from .. to - 1: the index of the nearest zero, -1 where there is none, and
     * the squared distance, infinite there. */
    void (*columns)(const uint8_t *x, int64_t n, int64_t inner, int64_t from, int64_t to, double step, int32_t *nearest,
                    double *squares);
    /* One line: squares become those with this axis included; nearest[i] (or NULL): the index whose square it was.
     * Scratch: 2 * (n + 2 * CPI_NEAREST_STEPS) doubles and 2 n int64_t. */
    void (*line)(double *squares, int64_t n, double step, int32_t *nearest, void *scratch);
    void (*roots)(double *x, int64_t n);
} cpi_nearest_kernels;
enum { CPI_NEAREST_STEPS = 16 };
static inline int64_t cpi_nearest_scratch(int64_t n)
{
    return (2 * (n + 2 * CPI_NEAREST_STEPS) + 64) * (int64_t)sizeof(double) + 2 * n * (int64_t)sizeof(int64_t);
}

#define CPI_GEOMETRY_DECLARE(isa)                              \
    extern const cpi_spline_kernels cpi_spline_kernels_##isa;   \
    extern const cpi_resample_kernels cpi_resample_kernels_##isa; \
    extern const cpi_nearest_kernels cpi_nearest_kernels_##isa;
CPI_GEOMETRY_DECLARE(v2)
CPI_GEOMETRY_DECLARE(v3)
CPI_GEOMETRY_DECLARE(v4)
#undef CPI_GEOMETRY_DECLARE

#endif
