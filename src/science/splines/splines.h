/* The slots that a backend fills for the module splines. Everything is float64, C-contiguous, on the stream's device
 * and not empty; complex numbers are two columns. Each place is computed by itself (each.h), so that both devices give
 * the same bits where only + - * / and square roots are in it. */
#ifndef CPI_SPLINES_H
#define CPI_SPLINES_H

#include "backend/backend.h"
#include "cuprite/splines.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CPI_SPLINE_DEGREE = 63, /* the highest degree */
    CPI_TENSOR_DIMS = 16,   /* of functions of several variables */
    CPI_TENSOR_WEIGHTS = 96 /* sum of the degrees + 1 of a tensor product of B-splines */
};

/* sum over j of c[j] B_j(at), or a derivative of it. */
typedef struct cpi_bspline {
    int64_t n, m, places; /* coefficients; columns of each */
    int k, nu;
    bool extrapolate;     /* else NaN outside of t[k] .. t[n] */
    const double *t;      /* n + k + 1 knots or more, not descending */
    const double *c, *at; /* (n, m); (places) */
    double *to;           /* (places, m) */
} cpi_bspline;

/* The k + 1 B-splines that are not 0 at each place, or their derivatives, and the first one's index. */
typedef struct cpi_basis {
    int64_t n, places;
    int k, nu;
    const double *t, *at;
    double *values; /* (places, k + 1) */
    int64_t *first;
} cpi_basis;

/* Polynomials between breakpoints: of powers of the distance to the left one, or Bernstein's of the part of the way. */
typedef struct cpi_ppoly {
    int64_t n, m, places; /* intervals */
    int k, nu;            /* coefficients of a polynomial; which derivative (powers only) */
    bool extrapolate, descending, bernstein;
    const double *c;      /* (k, n, m), the highest power first */
    const double *x, *at; /* (n + 1) */
    double *to;
} cpi_ppoly;

typedef enum cpi_tensor_kind {
    CPI_TENSOR_BSPLINES, /* knots of each axis: t; lengths: coefficients */
    CPI_TENSOR_POWERS,   /* breakpoints; lengths: intervals; c is (degrees + 1 ..., intervals ..., m) */
    CPI_TENSOR_LINEAR,   /* coordinates of a grid; lengths: points */
    CPI_TENSOR_NEAREST
} cpi_tensor_kind;

/* Functions of several variables on a grid. */
typedef struct cpi_tensor {
    cpi_tensor_kind kind;
    int ndim;
    bool extrapolate;                /* else NaN outside */
    int64_t m, places;
    int64_t lengths[CPI_TENSOR_DIMS];
    int degree[CPI_TENSOR_DIMS], nu[CPI_TENSOR_DIMS];
    const double *knots[CPI_TENSOR_DIMS];
    const double *c, *at;            /* (places, ndim) */
    double *to;
} cpi_tensor;

/* Least squares of a matrix of which row i has `width` elements from column first[i] on; `first` does not descend. */
typedef struct cpi_banded {
    int64_t rows, n, m;
    int width;
    const double *values; /* (rows, width) */
    const int64_t *first; /* 0 .. n - width */
    const double *b;      /* (rows, m) */
    double *x;            /* (n, m) */
} cpi_banded;

/* sum over j of c[j] phi(|at - y[j]|), or with `c` NULL the matrix of phi itself. */
typedef struct cpi_rbf {
    int64_t n, m, places, ndim;
    cp_rbf_kernel kernel;
    const double *y, *at; /* (n, ndim), (places, ndim), scaled by epsilon */
    const double *c;      /* (n, m) */
    double *to;           /* (places, m), or (places, n) */
} cpi_rbf;

/* Systems of the points `which` next to one place each: (phi P; P^T 0) of N = n + terms rows, and the row that the
 * place would have. P are monomials of points in a frame, the middle and half the extent of the system's points. */
typedef struct cpi_rbf_near {
    int64_t systems, n, ndim, terms;
    cp_rbf_kernel kernel;
    int32_t unused;         /* no padding: the mock device looks for addresses in structures */
    double epsilon;
    const double *y, *at;   /* (points, ndim), (systems, ndim) */
    const double *smoothing;/* (points), added to the diagonal */
    const int64_t *which;   /* (systems, n), which of the points, checked */
    const int64_t *powers;  /* (terms, ndim) */
    double *frame;          /* work: (systems, 2, ndim) */
    double *matrix, *row;   /* (systems, N, N), (systems, N) */
    /* Or, where rbf_systems is false, sums at the places, of the coefficients with which the points have values d: */
    int64_t m;
    const double *d;        /* (points, m) */
    double *values;         /* (systems, m) */
    int64_t *singular;      /* 0 before; becomes 1 where a system is singular */
} cpi_rbf_near;

/*: slot("bspline", bytes="8 * p->places * (1 + p->m)")
 * slot("basis", bytes="8 * p->places * (3 + p->k)")
 * slot("ppoly", bytes="8 * p->places * (1 + p->m)")
 * slot("tensor", bytes="8 * p->places * (p->ndim + p->m)")
 * slot("banded", bytes="8 * p->rows * (p->width + 2 * p->m)")
 * slot("rbf", bytes="8 * p->places * (p->ndim + p->m)")
 * slot("rbf_near", bytes="8 * p->systems * (p->n + p->terms) * (p->n + p->terms)") */
typedef struct cpi_splines_ops {
    cp_code (*bspline)(cp_stream *stream, const cpi_bspline *p);
    cp_code (*basis)(cp_stream *stream, const cpi_basis *p);
    cp_code (*ppoly)(cp_stream *stream, const cpi_ppoly *p);
    cp_code (*tensor)(cp_stream *stream, const cpi_tensor *p);
    cp_code (*banded)(cp_stream *stream, const cpi_banded *p);
    cp_code (*rbf)(cp_stream *stream, const cpi_rbf *p);
    cp_code (*rbf_near)(cp_stream *stream, const cpi_rbf_near *p);
    bool rbf_systems; /* rbf_near makes the systems, and does not solve them */
} cpi_splines_ops;
/*: value("rbf_systems", cuda="true") */

#ifdef __cplusplus
}
#endif
#include "splines/slots.h"

#endif
