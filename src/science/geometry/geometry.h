/* The slots that a backend fills for the module geometry. Memory is C-contiguous, on the stream's device and not
 * empty. Real numbers only: the parts of complex ones are two calls. Everything is computed in float64; the same input
 * gives the same bits. */
#ifndef CPI_GEOMETRY_H
#define CPI_GEOMETRY_H

#include "backend/backend.h"
#include "geometry/spline.h"
#include "loop/boundary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The coefficients of splines along the middle axis of (outer, n, inner). */
typedef struct cpi_spline {
    cp_type source;         /* of `from`: float32 or float64 */
    int order;              /* 2 to 5 */
    cpi_spline_ends ends;
    int64_t outer, n, inner;
    const void *from;
    double *to;             /* may be `from`, where that is float64 */
} cpi_spline;

/* Where the elements of a result lie in the input. */
typedef enum cpi_positions {
    CPI_POSITIONS_AFFINE,   /* position[i] = place[i][out_ndim] + place[i][0] * index[0] + ..., added in this order */
    CPI_POSITIONS_STEPS,    /* position[i] = place[i][0] * (index[i] + place[i][1]): shift and zoom */
    CPI_POSITIONS_CENTRES,  /* the same of elements' centres: (index[i] + place[i][1] + 0.5) * place[i][0] - 0.5 */
    CPI_POSITIONS_GIVEN     /* position[i] = place[i][k] for element k of the result */
} cpi_positions;

enum { CPI_RESAMPLE_NUMBERS = 32 }; /* of `place` that need not be brought to the device */

/* Values of a spline at positions, rounded to the result's type as SciPy does it: half away from zero, and clipped. */
typedef struct cpi_resample {
    cp_type source, result;      /* float32 or float64; those, an integer, or bool */
    int order;                   /* 0 to 5 */
    cpi_boundary mode;
    double cval;
    double pad;                  /* added to every position: elements that the input is extended by at its beginning */
    int in_ndim, out_ndim;
    int64_t in_shape[CP_MAXDIM], out_shape[CP_MAXDIM];
    int64_t images;              /* of that shape, one behind the other, and results alike */
    int64_t size;                /* of all results */
    cpi_positions kind;
    const double *place;         /* on the device; NULL: it is `numbers` */
    double numbers[CPI_RESAMPLE_NUMBERS];
    const void *from;
    void *to;
} cpi_resample;

/* Distances to the nearest zero, and where it lies. Of several the one with the least last index counts, among those
 * the one with the least index before it, and so on. Without a zero it lies at -1, 0, 0, .... */
typedef struct cpi_nearest {
    int ndim;
    int64_t size, shape[CP_MAXDIM];
    double sampling[CP_MAXDIM];  /* the distance of neighbours along each axis */
    const uint8_t *x;
    double *distances;
    int32_t *indices;            /* (ndim, shape), or NULL */
} cpi_nearest;

/*: slot("spline", bytes="s->outer * s->n * s->inner * (8 + (int64_t)cp_type_size(s->source))")
 * slot("resample", bytes="r->size * (int64_t)(cp_type_size(r->source) + cp_type_size(r->result))")
 * slot("nearest", bytes="p->size * (p->indices ? 9 + 4 * p->ndim : 9)") */
typedef struct cpi_geometry_ops {
    cp_code (*spline)(cp_stream *stream, const cpi_spline *s);
    cp_code (*resample)(cp_stream *stream, const cpi_resample *r);
    cp_code (*nearest)(cp_stream *stream, const cpi_nearest *p);
} cpi_geometry_ops;

#ifdef __cplusplus
}
#endif
#include "geometry/slots.h"

#endif
