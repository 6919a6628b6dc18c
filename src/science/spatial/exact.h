/* Signs of determinants of points in the plane, exact for all coordinates that cpi_plane_fits takes.
 *
 * A sign is that of the determinant in double where that is larger than its error can be. The bounds are those of
 * Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", Discrete &
 * Computational Geometry 18 (1997); exact.c computes the others. Invariant: coordinates are below 2^250 and multiples
 * of 2^-240, so that no product of four differences of them overflows and none underflows: the bounds hold. */
#ifndef CPI_SPATIAL_EXACT_H
#define CPI_SPATIAL_EXACT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct cpi_xy {
    double x, y;
} cpi_xy;

/* With u the largest power of two of which all coordinates are multiples: a determinant of which the terms' magnitudes
 * add up to 2^52 u^4 or less is computed without an error. */
typedef struct cpi_plane {
    double whole;
} cpi_plane;

/* Points (n, 2) scaled by a power of two to the invariant's range, into `to`. False where a number is not finite, which
 * `finite` says; where exponents differ too much for that; and where the largest number is not within 2^-1000 to
 * 2^1000, for a triangle's transform has reciprocals. */
bool cpi_plane_fits(const double *points, int64_t n, cpi_xy *to, cpi_plane *plane, bool *finite);

double cpi_orient_exact(cpi_xy a, cpi_xy b, cpi_xy c);
double cpi_circle_exact(cpi_xy a, cpi_xy b, cpi_xy c, cpi_xy d, double permanent);

#define CPI_UNIT 0x1p-53

/* Above 0 where c is to the left of the line from a to b, below 0 to its right, 0 on it. */
static inline double cpi_orient(cpi_xy a, cpi_xy b, cpi_xy c)
{
    const double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x), det = left - right;
    const double bound = (3 + 16 * CPI_UNIT) * CPI_UNIT * (fabs(left) + fabs(right));
    return fabs(det) >= bound ? det : cpi_orient_exact(a, b, c);
}

/* Above 0 where d is within the circle through a, b and c, which turn to the left; 0 on it. */
static inline double cpi_circle(const cpi_plane *plane, cpi_xy a, cpi_xy b, cpi_xy c, cpi_xy d)
{
    const double ax = a.x - d.x, ay = a.y - d.y, bx = b.x - d.x, by = b.y - d.y, cx = c.x - d.x, cy = c.y - d.y;
    const double bc = bx * cy, cb = cx * by, ca = cx * ay, ac = ax * cy, ab = ax * by, ba = bx * ay;
    const double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    const double det = aa * (bc - cb) + bb * (ca - ac) + cc * (ab - ba);
    const double permanent = (fabs(bc) + fabs(cb)) * aa + (fabs(ca) + fabs(ac)) * bb + (fabs(ab) + fabs(ba)) * cc;
    if (fabs(det) > (10 + 96 * CPI_UNIT) * CPI_UNIT * permanent || permanent <= plane->whole) return det;
    return cpi_circle_exact(a, b, c, d, permanent);
}

#endif
