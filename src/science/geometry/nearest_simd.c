/* Squared distances to the nearest zero along an axis; compiled once per instruction set.
 *
 * A line is searched step by step to both sides, all its elements at once, until no element can find a nearer one. That
 * takes as many steps as the largest distance; where it takes too many, the line's lower envelope of parabolas is
 * computed instead (Maurer, Qi and Raghavan, 2003, whose arithmetic SciPy has). Both find the same. */
#include <math.h>
#include <string.h>

#include "cpu/features.h"
#include "geometry/kernels.h"

enum { STEPS = CPI_NEAREST_STEPS, BLOCK = 64 };

/* Rows downwards hold the last zero's index above, -infinity before the first; then upwards the distances. */
static void columns(const uint8_t *x, int64_t n, int64_t inner, int64_t from, int64_t to, double step, int32_t *nearest,
                    double *squares)
{
    double below[BLOCK];
    for (; from < to; from += BLOCK) {
        const int64_t m = to - from < BLOCK ? to - from : BLOCK;
        for (int64_t i = 0; i < n; i++) {
            double *at = squares + i * inner + from;
            const uint8_t *set = x + i * inner + from;
            for (int64_t k = 0; k < m; k++) {
                const double before = i ? at[k - inner] : -(double)INFINITY;
                at[k] = set[k] ? before : (double)i;
            }
        }
        for (int64_t k = 0; k < m; k++) below[k] = (double)INFINITY;
        for (int64_t i = n; i-- > 0;) {
            double *at = squares + i * inner + from;
            const uint8_t *set = x + i * inner + from;
            const double here = (double)i;
            for (int64_t k = 0; k < m; k++) {
                below[k] = set[k] ? below[k] : here;
                const double up = here - at[k], down = below[k] - here;
                if (nearest) {
                    const double which = down < up ? below[k] : at[k];
                    nearest[i * inner + from + k] = which >= 0 && which < (double)n ? (int32_t)which : -1;
                }
                const double d = (down < up ? down : up) * step;
                at[k] = d * d;
            }
        }
    }
}

/* Elements first .. first + m - 1 of g, which is infinite for STEPS elements before and behind it. False: more steps
 * would have to be made. */
static bool search(const double *g, int64_t first, int64_t m, double step, double *squares, int32_t *nearest)
{
    double best[BLOCK], which[BLOCK];
    int k = 1;
    for (int64_t j = 0; j < m; j++) best[j] = g[first + j], which[j] = (double)(first + j);
    for (; k <= STEPS; k++) {
        const double *low = g + first - k, *high = g + first + k, d = k * step, t = d * d;
        double most = 0;
        for (int64_t j = 0; j < m; j++) most = best[j] > most ? best[j] : most;
        if (t > most) break;
        if (!nearest) {
            for (int64_t j = 0; j < m; j++) {
                const double a = low[j] < high[j] ? low[j] : high[j];
                best[j] = a + t < best[j] ? a + t : best[j];
            }
            continue;
        }
        for (int64_t j = 0; j < m; j++) {
            const double a = low[j] + t, b = high[j] + t, here = (double)(first + j);
            which[j] = a <= best[j] ? here - k : which[j]; /* of equal ones the least index */
            best[j] = a <= best[j] ? a : best[j];
            which[j] = b < best[j] ? here + k : which[j];
            best[j] = b < best[j] ? b : best[j];
        }
    }
    if (k > STEPS) return false;
    memcpy(squares + first, best, (size_t)m * sizeof *best);
    for (int64_t j = 0; j < m && nearest; j++) nearest[first + j] = (int32_t)which[j];
    return true;
}

/* Is the parabola of site b nowhere below those of a and c, a < b < c? */
static bool is_hidden(const double *g, int64_t a, int64_t b, int64_t c, double step)
{
    const double ab = (double)(b - a) * step, bc = (double)(c - b) * step, ac = ab + bc;
    return ac * g[b] - bc * g[a] - ab * g[c] - ab * bc * ac > 0.0;
}

static inline double square_at(const double *g, int64_t site, int64_t i, double step)
{
    const double t = (double)(site - i) * step;
    return g[site] + t * t;
}

static void envelope(const double *g, int64_t n, double step, double *squares, int32_t *nearest, int64_t *site)
{
    int64_t last = -1, at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!(g[i] < (double)INFINITY)) continue;
        while (last >= 1 && is_hidden(g, site[last - 1], site[last], i, step)) last--;
        site[++last] = i;
    }
    for (int64_t i = 0; i < n; i++) {
        double d = (double)INFINITY;
        if (last >= 0) d = square_at(g, site[at], i, step);
        while (at < last) {
            const double next = square_at(g, site[at + 1], i, step);
            if (d <= next) break;
            d = next, at++;
        }
        squares[i] = d;
        if (nearest) nearest[i] = last >= 0 ? (int32_t)site[at] : -1;
    }
}

static void line(double *squares, int64_t n, double step, int32_t *nearest, void *scratch)
{
    double *g = (double *)scratch + STEPS;
    int64_t *site = (int64_t *)(g + n + STEPS);
    for (int k = 0; k < STEPS; k++) g[-1 - k] = g[n + k] = (double)INFINITY;
    memcpy(g, squares, (size_t)n * sizeof *g);
    for (int64_t first = 0; first < n; first += BLOCK)
        if (!search(g, first, n - first < BLOCK ? n - first : BLOCK, step, squares, nearest)) {
            envelope(g, n, step, squares, nearest, site);
            return;
        }
}

static void roots(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = sqrt(x[i]);
}

const cpi_nearest_kernels CPI_ISA_NAME(cpi_nearest_kernels) = {columns, line, roots};
