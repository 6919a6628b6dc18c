/* Distances of a point to a tile of others, whose coordinates lie side by side; compiled once per instruction set. */
#include "spatial/tiles.h"

#include <string.h>

#include "cpu/features.h"
#include "cpu/vectors.h"

/* A metric is a constant here, so that each has loops of its own. */
static inline __attribute__((always_inline)) void of(cp_metric metric, const cpi_distances *m, const double *x,
                                                     const double *tile, double *to)
{
    double sums[CPI_PAIR_SUMS][CPI_PAIR_TILE];
    const double p = m->p, *weights = m->weights;
    for (int s = 0; s < CPI_PAIR_SUMS; s++)
        for (int k = 0; k < CPI_PAIR_TILE; k++) sums[s][k] = 0;
    for (int64_t d = 0; d < m->ndim; d++) {
        const double here = x[d], w = weights ? weights[d] : 1;
        const double *line = tile + d * CPI_PAIR_TILE;
        for (int k = 0; k < CPI_PAIR_TILE; k++) {
            double s[CPI_PAIR_SUMS] = {sums[0][k], sums[1][k], sums[2][k]};
            cpi_pair_add(metric, p, here, line[k], w, s);
            sums[0][k] = s[0], sums[1][k] = s[1], sums[2][k] = s[2];
        }
    }
    for (int k = 0; k < CPI_PAIR_TILE; k++) {
        const double s[CPI_PAIR_SUMS] = {sums[0][k], sums[1][k], sums[2][k]};
        to[k] = cpi_pair_end(metric, p, s);
    }
}

/* The same of frequent metrics by vectors, four at a time, so that their sums stay in registers. */
typedef double vector __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t mask __attribute__((vector_size(VECTOR_BYTES)));
enum { LANES = VECTOR_BYTES / 8, SIDE = 4 };

static inline __attribute__((always_inline)) vector size_of(vector v)
{
    return (vector)((mask)v & INT64_MAX);
}
static inline __attribute__((always_inline)) vector larger(vector sum, vector v, double w)
{
    const mask take = (v > sum) & -(int64_t)(w > 0);
    return (vector)(((mask)v & take) | ((mask)sum & ~take));
}

static inline __attribute__((always_inline)) void by_vectors(cp_metric metric, const cpi_distances *m, const double *x,
                                                             const double *tile, double *to)
{
    for (int first = 0; first < CPI_PAIR_TILE; first += SIDE * LANES) {
        vector sum[SIDE] = {0};
        const double *line = tile + first;
        for (int64_t d = 0; d < m->ndim; d++, line += CPI_PAIR_TILE) {
            const double w = m->weights ? m->weights[d] : 1;
            UNROLL for (int s = 0; s < SIDE; s++) {
                vector y;
                memcpy(&y, line + s * LANES, sizeof y);
                const vector apart = x[d] - y;
                if (metric == CP_METRIC_SQEUCLIDEAN)
                    sum[s] += m->weights ? w * (apart * apart) : apart * apart;
                else if (metric == CP_METRIC_CITYBLOCK)
                    sum[s] += m->weights ? w * size_of(apart) : size_of(apart);
                else
                    sum[s] = larger(sum[s], size_of(apart), w);
            }
        }
        memcpy(to + first, sum, sizeof sum);
    }
}

void CPI_ISA_NAME(cpi_pair_tile)(const cpi_distances *m, const double *x, const double *tile, double *to)
{
    switch ((int)m->metric) {
#define METRIC(name) \
    case name: of(name, m, x, tile, to); break;
        case CP_METRIC_EUCLIDEAN:
            by_vectors(CP_METRIC_SQEUCLIDEAN, m, x, tile, to);
            for (int k = 0; k < CPI_PAIR_TILE; k++) to[k] = sqrt(to[k]);
            break;
        case CP_METRIC_SQEUCLIDEAN: by_vectors(CP_METRIC_SQEUCLIDEAN, m, x, tile, to); break;
        case CP_METRIC_CITYBLOCK: by_vectors(CP_METRIC_CITYBLOCK, m, x, tile, to); break;
        case CP_METRIC_CHEBYSHEV: by_vectors(CP_METRIC_CHEBYSHEV, m, x, tile, to); break;
        METRIC(CP_METRIC_CANBERRA)
        METRIC(CP_METRIC_BRAYCURTIS)
        METRIC(CP_METRIC_HAMMING)
        METRIC(CP_METRIC_JACCARD)
        METRIC(CP_METRIC_COSINE)
        METRIC(CP_METRIC_DICE)
#undef METRIC
        default: of(m->metric, m, x, tile, to);
    }
}
