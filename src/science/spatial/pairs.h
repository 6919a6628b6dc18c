/* The distance of two points, shared by C17 and CUDA C++: sums along the dimensions, and what is made of them. */
#ifndef CPI_SPATIAL_PAIRS_H
#define CPI_SPATIAL_PAIRS_H

#include <math.h>

#include "spatial/spatial.h"

#ifdef __CUDACC__
#define CPI_PAIRS static __host__ __device__ __forceinline__
#else
#define CPI_PAIRS static inline __attribute__((always_inline))
#endif

enum { CPI_PAIR_SUMS = 3 };

/* Adds dimension x of one point and y of another, of weight w, to the sums. */
CPI_PAIRS void cpi_pair_add(cp_metric metric, double p, double x, double y, double w, double *s)
{
    const double d = x - y, size = fabs(d);
    switch ((int)metric) {
        case CP_METRIC_EUCLIDEAN:
        case CP_METRIC_SQEUCLIDEAN: s[0] += w * (d * d); break;
        case CP_METRIC_CITYBLOCK: s[0] += w * size; break;
        case CP_METRIC_CHEBYSHEV: s[0] = w > 0 && size > s[0] ? size : s[0]; break; /* NaN is not larger */
        case CP_METRIC_MINKOWSKI: s[0] += w * pow(size, p); break;
        case CP_METRIC_CANBERRA: {
            const double whole = fabs(x) + fabs(y);
            s[0] += whole > 0 || whole != whole ? w * (size / whole) : 0;
            break;
        }
        case CP_METRIC_BRAYCURTIS: s[0] += w * size, s[1] += w * fabs(x + y); break;
        case CP_METRIC_HAMMING: s[0] += x != y ? w : 0, s[1] += w; break;
        case CP_METRIC_JACCARD: {
            const bool any = (x != 0) | (y != 0);
            s[0] += (x != 0) != (y != 0) ? w : 0, s[1] += any ? w : 0;
            break;
        }
        case CP_METRIC_COSINE: s[0] += w * (x * y), s[1] += w * (x * x), s[2] += w * (y * y); break;
        case CP_METRIC_JENSENSHANNON: {
            const double m = (x + y) * 0.5;
            s[0] += x > 0 ? x * log(x / m) : 0;
            s[0] += y > 0 ? y * log(y / m) : 0;
            break;
        }
        case CP_METRIC_KL_DIVERGENCE: s[0] += x > 0 ? x * log(x / y) : x == 0 ? 0 : INFINITY; break;
        case CP_METRIC_HELLINGER: s[0] += sqrt(x * y); break;
        default: s[0] += w * (x * y), s[1] += x != y ? w : 0, s[2] += w; /* truth values, as 0 and 1 */
    }
}

/* The distance from the sums. */
CPI_PAIRS double cpi_pair_end(cp_metric metric, double p, const double *s)
{
    const double both = s[0], unlike = s[1], all = s[2];
    switch ((int)metric) {
        case CP_METRIC_EUCLIDEAN: return sqrt(s[0]);
        case CP_METRIC_MINKOWSKI: return pow(s[0], 1 / p);
        case CP_METRIC_BRAYCURTIS:
        case CP_METRIC_HAMMING: return s[0] / s[1];
        case CP_METRIC_JACCARD: return s[1] != 0 ? s[0] / s[1] : 0;
        case CP_METRIC_COSINE: {
            const double c = s[0] / sqrt(s[1] * s[2]);
            return 1 - (c > 1 ? 1 : c < -1 ? -1 : c);
        }
        case CP_METRIC_JENSENSHANNON: return sqrt(s[0] / 2);
        case CP_METRIC_HELLINGER: return s[0] < 1 ? sqrt(1 - s[0]) : 0;
        case CP_METRIC_DICE: return unlike / (2 * both + unlike);
        case CP_METRIC_ROGERSTANIMOTO: return 2 * unlike / (all + unlike);
        case CP_METRIC_RUSSELLRAO: return (all - both) / all;
        case CP_METRIC_SOKALSNEATH: return 2 * unlike / (both + 2 * unlike);
        default: return s[0];
    }
}

/* Yule's, which counts the two ways to differ; and Mahalanobis' with the matrix. */
CPI_PAIRS double cpi_pair_alone(const cpi_distances *m, const double *x, const double *y)
{
    double tt = 0, tf = 0, ft = 0, ff = 0, sum = 0;
    for (int64_t i = 0; i < m->ndim; i++) {
        if (m->metric == CP_METRIC_YULE) {
            const double w = m->weights ? m->weights[i] : 1;
            tt += x[i] != 0 && y[i] != 0 ? w : 0, tf += x[i] != 0 && y[i] == 0 ? w : 0;
            ft += x[i] == 0 && y[i] != 0 ? w : 0, ff += x[i] == 0 && y[i] == 0 ? w : 0;
            continue;
        }
        double row = 0;
        for (int64_t k = 0; k < m->ndim; k++) row += (x[k] - y[k]) * m->weights[i * m->ndim + k];
        sum += row * (x[i] - y[i]);
    }
    if (m->metric != CP_METRIC_YULE) return sqrt(sum);
    return tf * ft == 0 ? 0 : 2 * (tf * ft) / (tt * ff + tf * ft);
}

CPI_PAIRS bool cpi_pair_is_alone(cp_metric metric)
{
    return metric == CP_METRIC_YULE || metric == CP_METRIC_MAHALANOBIS;
}

/* Where row i of the pairs i < j begins, its element j at + j. */
CPI_PAIRS int64_t cpi_pair_row(int64_t n, int64_t i) { return i * n - i * (i + 1) / 2 - i - 1; }

#endif
