/* The slots that a backend fills for the module spatial. Points are float64, C-contiguous (points, dimensions), on the
 * stream's device; nothing is empty. A pair of points is computed by itself, along its dimensions in order, so that
 * both devices give the same bits where no logarithm and no power is in it. */
#ifndef CPI_SPATIAL_H
#define CPI_SPATIAL_H

#include "backend/backend.h"
#include "cuprite/spatial.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distances of all pairs, (na, nb), or with `b` NULL of i < j, one row behind the other. */
typedef struct cpi_distances {
    cp_metric metric;
    int64_t na, nb, ndim;
    double p;              /* of Minkowski */
    const double *a, *b;
    const double *weights; /* of dimensions, or NULL; of Mahalanobis the matrix (ndim, ndim) */
    double *to;
} cpi_distances;

/* For each point of a the nearest of b by the Euclidean distance, the first of equally near ones. */
typedef struct cpi_nearby {
    int64_t na, nb, ndim;
    const double *a, *b;
    int64_t *which;
    double *distances;
} cpi_nearby;

/* A tree of points in the order `order`, along a curve that fills the space: node i of level l has the points i*n/2^l
 * to (i+1)*n/2^l, and each node a box. Nodes of level l begin at 2^l - 1. */
typedef struct cpi_point_tree {
    int64_t n, ndim;
    int levels;            /* the leaves' level */
    const double *points;  /* (n, ndim), in the order */
    const int64_t *order;  /* the points' indices */
    double *boxes;         /* (nodes, 2, ndim): lowest, highest */
    const double *period;  /* (ndim), 0: none; NULL */
} cpi_point_tree;

typedef struct cpi_tree_query {
    cpi_point_tree tree;
    int64_t count, k;      /* query points, and how many neighbours of each */
    double p, bound, eps;  /* power of distances; only what is nearer counts; (1 + eps) too far is near enough */
    const double *at;      /* (count, ndim) */
    const double *radius;  /* within: (count) */
    const double *weights; /* within: of the tree's points in its order, or NULL: 1 */
    const int64_t *start;  /* within: where each point's results begin; NULL: they are counted */
    double *distances;     /* nearest: (count, k), ascending, infinite where none is; within: of results, or NULL */
    int64_t *which;        /* their indices, n where there is none */
    int64_t *counts;       /* within, counted: (count), or NULL */
    double *sums;          /* within, counted: the weights' sums, or NULL */
} cpi_tree_query;

/* Triangulations: in which simplex points lie. */
typedef struct cpi_simplex_search {
    int64_t count, simplices, ndim;
    const double *at;          /* (count, ndim) */
    const double *transform;   /* (simplices, ndim + 1, ndim), as Qhull's */
    const int32_t *neighbours; /* (simplices, ndim + 1), -1 outside */
    double eps;
    bool all;                  /* look at all simplices */
    bool last;                 /* outside: -2 less the simplex that a search was in last */
    const int64_t *start;      /* where each point's search begins, or the searches from each cell of a grid */
    const double *grid;        /* lowest coordinates (ndim) and cells per unit (ndim) */
    int64_t sides;             /* cells along each dimension; 0: no grid */
    int32_t *which;            /* -1: in none */
    double *parts;             /* barycentric coordinates (count, ndim + 1) */
} cpi_simplex_search;

/* What leads to barycentric coordinates: the inverse of a simplex's edges, and its last corner. */
typedef struct cpi_simplex_corners {
    int64_t simplices, ndim, n;
    const double *points;   /* (n, ndim) */
    const int32_t *corners; /* (simplices, ndim + 1) */
    double *transform;      /* (simplices, ndim + 1, ndim); NaN of what is flat */
} cpi_simplex_corners;
enum { CPI_SIMPLEX_DIMENSIONS = 16 }; /* at most */

/*: slot("distances", bytes="8 * d->na * (d->b ? d->nb : d->na / 2)")
 * slot("nearby", bytes="8 * (d->na + d->nb) * d->ndim")
 * slot("keys", bytes="8 * n * (ndim + 1)")
 * slot("boxes", bytes="8 * tree->n * tree->ndim")
 * slot("nearest", bytes="8 * q->count * (q->tree.ndim + 2 * q->k)")
 * slot("within", bytes="8 * q->count * q->tree.ndim")
 * slot("simplices", bytes="8 * s->count * s->ndim")
 * slot("transforms", bytes="8 * c->simplices * c->ndim * (c->ndim + 1)") */
typedef struct cpi_spatial_ops {
    cp_code (*distances)(cp_stream *stream, const cpi_distances *d);
    cp_code (*nearby)(cp_stream *stream, const cpi_nearby *d);
    /* Keys along the curve; `range`: lowest coordinates, then one over the largest extent. */
    cp_code (*keys)(cp_stream *stream, int64_t n, int64_t ndim, const double *points, const double *range,
                    int64_t *keys);
    cp_code (*boxes)(cp_stream *stream, const cpi_point_tree *tree);
    cp_code (*nearest)(cp_stream *stream, const cpi_tree_query *q);
    cp_code (*within)(cp_stream *stream, const cpi_tree_query *q);
    cp_code (*simplices)(cp_stream *stream, const cpi_simplex_search *s);
    cp_code (*transforms)(cp_stream *stream, const cpi_simplex_corners *c);
} cpi_spatial_ops;

#ifdef __cplusplus
}
#endif
#include "spatial/slots.h"

#endif
