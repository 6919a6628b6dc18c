/* Delaunay's triangulation of points in the plane, on the host. */
#ifndef CPI_SPATIAL_MESH_H
#define CPI_SPATIAL_MESH_H

#include "core/error.h"
#include "cpu/ending.h"
#include "spatial/exact.h"

/* Half an edge: it goes from `from` to the other half's. Halves 2k and 2k + 1 are one edge. */
typedef struct cpi_half {
    int32_t next, last; /* around `from`, counterclockwise and clockwise */
    int32_t from;       /* a point in the mesh's order; -1: the edge is not in use */
    int32_t face;       /* the triangle to its left; CPI_OUTSIDE */
} cpi_half;
enum { CPI_OUTSIDE = -1, CPI_INSIDE = -2 };

/* `n` points, of which no two are equal, in strips: strip i has the points i*n/strips to (i+1)*n/strips. A point comes
 * before another strip's where its x is smaller, or with the same x its y; within a strip where its y is smaller, or
 * with the same y its x is larger. Strips have 2 points or more. */
typedef struct cpi_mesh {
    cpi_plane plane;
    int64_t n, strips;
    const cpi_xy *points;
    cpi_half *halves; /* 6 n */
    int32_t border;   /* a half with the mesh to its left and nothing to its right */
    cpi_ending ending;
} cpi_mesh;

static inline int64_t cpi_mesh_strip(const cpi_mesh *m, int64_t i)
{
    const int64_t whole = m->n / m->strips, rest = m->n % m->strips;
    return i * whole + i * rest / m->strips;
}

/* The halves that follow along the triangle to the left, and along the border counterclockwise. */
static inline int32_t cpi_half_next(const cpi_half *h, int32_t e) { return h[e ^ 1].last; }
static inline int32_t cpi_half_rim(const cpi_half *h, int32_t e) { return h[e ^ 1].next; }
static inline int32_t cpi_half_to(const cpi_half *h, int32_t e) { return h[e ^ 1].from; }

/* Makes the triangulation: halves and border; faces are CPI_INSIDE, of the border's other halves CPI_OUTSIDE.
 * CP_ERROR_MEMORY, or CP_ERROR_INTERRUPTED, without words. */
cp_code cpi_mesh_make(cpi_mesh *m);
/* Takes away, from the border on, triangles that are lower than `flat` times their longest side, which lies at the
 * border. No point loses its last triangle. CP_ERROR_MEMORY without words. */
cp_code cpi_mesh_trim(cpi_mesh *m, double flat);
/* The triangles of a mesh. Those whose lowest half is among halves i*each to (i+1)*each are starts[i] to starts[i+1];
 * these halves stand from first[i*each] on. Whoever had them counted frees `first`. */
typedef struct cpi_faces {
    int32_t *first;
    int64_t count, each, tasks, starts[257];
} cpi_faces;
cp_code cpi_mesh_count(const cpi_mesh *m, cpi_faces *faces);
/* Their corners, counterclockwise, by the points' names, and the triangles across from each corner. */
void cpi_mesh_faces(const cpi_mesh *m, const cpi_faces *faces, const int32_t *names, int32_t *corners,
                    int32_t *neighbours);

#endif
