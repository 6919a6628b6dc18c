/* Distances and neighbours on the GPU: a thread for each pair, point or place; points of a block of pairs are read by
 * all of its threads, so that they come from the cache. */
#include "cuda/cuda.h"
#include "spatial/pairs.h"
#include "spatial/tree.h"

namespace {

enum { THREADS = 256, SIDE = 16, CHUNK = 8 };
constexpr int64_t MOST = 1 << 20; /* blocks; kernels iterate over what is more */

#define FOR_EACH(i, n) \
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < (n); i += (int64_t)gridDim.x * THREADS)

static unsigned blocks(int64_t n) { return cpi_cuda_blocks(n, THREADS, MOST); }


/* Tiles of SIDE x SIDE pairs; their points' coordinates pass through shared memory. */
template <int METRIC>
__global__ void __launch_bounds__(SIDE *SIDE) pairs_kernel(const __grid_constant__ cpi_distances m)
{
    __shared__ double left[SIDE][CHUNK + 1], right[SIDE][CHUNK + 1];
    const double *others = m.b ? m.b : m.a;
    const int64_t nb = m.b ? m.nb : m.na, across = (nb + SIDE - 1) / SIDE, down = (m.na + SIDE - 1) / SIDE;
    for (int64_t tile = blockIdx.x; tile < across * down; tile += gridDim.x) {
        const int64_t i = tile / across * SIDE + threadIdx.y, j = tile % across * SIDE + threadIdx.x;
        if (!m.b && tile / across > tile % across) continue; /* all below the diagonal */
        double s[CPI_PAIR_SUMS] = {0, 0, 0};
        for (int64_t from = 0; from < m.ndim; from += CHUNK) {
            const int me = (int)(threadIdx.y * SIDE + threadIdx.x), row = me / CHUNK, d = me % CHUNK;
            __syncthreads();
            if (row < SIDE && from + d < m.ndim) {
                const int64_t a = tile / across * SIDE + row, b = tile % across * SIDE + row;
                left[row][d] = a < m.na ? m.a[a * m.ndim + from + d] : 0;
                right[row][d] = b < nb ? others[b * m.ndim + from + d] : 0;
            }
            __syncthreads();
            const int count = m.ndim - from < CHUNK ? (int)(m.ndim - from) : CHUNK;
            for (int k = 0; k < count; k++)
                cpi_pair_add((cp_metric)METRIC, m.p, left[threadIdx.y][k], right[threadIdx.x][k],
                             m.weights ? m.weights[from + k] : 1, s);
        }
        if (i >= m.na || j >= nb || (!m.b && j <= i)) continue;
        m.to[m.b ? i * nb + j : cpi_pair_row(m.na, i) + j] = cpi_pair_end((cp_metric)METRIC, m.p, s);
    }
}

__global__ void __launch_bounds__(THREADS) alone_kernel(const __grid_constant__ cpi_distances m)
{
    const int64_t nb = m.b ? m.nb : m.na;
    const double *others = m.b ? m.b : m.a;
    FOR_EACH(at, m.na * nb) {
        const int64_t i = at / nb, j = at - i * nb;
        if (!m.b && j <= i) continue;
        m.to[m.b ? at : cpi_pair_row(m.na, i) + j] = cpi_pair_alone(&m, m.a + i * m.ndim, others + j * m.ndim);
    }
}

__global__ void __launch_bounds__(THREADS) nearby_kernel(const __grid_constant__ cpi_nearby s)
{
    FOR_EACH(i, s.na) {
        const double *x = s.a + i * s.ndim;
        double best = INFINITY;
        int64_t which = 0;
        for (int64_t j = 0; j < s.nb; j++) {
            double sum = 0;
            for (int64_t d = 0; d < s.ndim; d++)
                sum += (x[d] - s.b[j * s.ndim + d]) * (x[d] - s.b[j * s.ndim + d]);
            if (sum < best) best = sum, which = j;
        }
        s.which[i] = which;
        s.distances[i] = sqrt(best);
    }
}

__global__ void __launch_bounds__(THREADS)
keys_kernel(int64_t n, int64_t ndim, const double *points, const double *range, int64_t *keys)
{
    FOR_EACH(i, n) keys[i] = cpi_tree_key(points + i * ndim, ndim, range);
}

/* The nodes of a level, which is the leaves' or has its children's boxes. */
__global__ void __launch_bounds__(THREADS) boxes_kernel(const __grid_constant__ cpi_point_tree t, int level)
{
    FOR_EACH(i, (int64_t)1 << level) {
        const int64_t node = ((int64_t)1 << level) - 1 + i;
        if (level == t.levels) cpi_leaf_box(&t, node);
        else cpi_inner_box(&t, node);
    }
}

__global__ void __launch_bounds__(THREADS) nearest_kernel(const __grid_constant__ cpi_tree_query q)
{
    FOR_EACH(i, q.count) cpi_tree_nearest(&q, i);
}

__global__ void __launch_bounds__(THREADS) within_kernel(const __grid_constant__ cpi_tree_query q)
{
    FOR_EACH(i, q.count) cpi_tree_within(&q, i);
}

__global__ void __launch_bounds__(THREADS) simplices_kernel(const __grid_constant__ cpi_simplex_search s)
{
    FOR_EACH(i, s.count) cpi_simplex_of(&s, i);
}

__global__ void __launch_bounds__(THREADS) transforms_kernel(const __grid_constant__ cpi_simplex_corners c)
{
    FOR_EACH(i, c.simplices) cpi_simplex_transform(&c, i);
}

} // namespace

cp_code cpi_spatial_cuda_distances(cp_stream *stream, const cpi_distances *m)
{
    const int64_t nb = m->b ? m->nb : m->na;
    cudaStream_t s = cpi_cuda_stream(stream);
    const dim3 square(SIDE, SIDE);
    const unsigned n = cpi_cuda_blocks(cpi_ceil_div(m->na, SIDE) * cpi_ceil_div(nb, SIDE), 1, MOST);
    switch ((int)m->metric) {
#define METRIC(name) \
    case name: pairs_kernel<name><<<n, square, 0, s>>>(*m); break;
        METRIC(CP_METRIC_EUCLIDEAN)
        METRIC(CP_METRIC_SQEUCLIDEAN)
        METRIC(CP_METRIC_CITYBLOCK)
        METRIC(CP_METRIC_CHEBYSHEV)
        METRIC(CP_METRIC_MINKOWSKI)
        METRIC(CP_METRIC_CANBERRA)
        METRIC(CP_METRIC_BRAYCURTIS)
        METRIC(CP_METRIC_HAMMING)
        METRIC(CP_METRIC_JACCARD)
        METRIC(CP_METRIC_COSINE)
        METRIC(CP_METRIC_JENSENSHANNON)
        METRIC(CP_METRIC_KL_DIVERGENCE)
        METRIC(CP_METRIC_HELLINGER)
        METRIC(CP_METRIC_DICE)
        METRIC(CP_METRIC_ROGERSTANIMOTO)
        METRIC(CP_METRIC_RUSSELLRAO)
        METRIC(CP_METRIC_SOKALSNEATH)
#undef METRIC
        default: alone_kernel<<<blocks(m->na * nb), THREADS, 0, s>>>(*m);
    }
    return CPI_LAUNCHED(stream, "cdist");
}

cp_code cpi_spatial_cuda_nearby(cp_stream *stream, const cpi_nearby *s)
{
    nearby_kernel<<<blocks(s->na), THREADS, 0, cpi_cuda_stream(stream)>>>(*s);
    return CPI_LAUNCHED(stream, "vq");
}

cp_code cpi_spatial_cuda_keys(cp_stream *stream, int64_t n, int64_t ndim, const double *points, const double *range,
                              int64_t *keys)
{
    keys_kernel<<<blocks(n), THREADS, 0, cpi_cuda_stream(stream)>>>(n, ndim, points, range, keys);
    return CPI_LAUNCHED(stream, "KDTree");
}

cp_code cpi_spatial_cuda_boxes(cp_stream *stream, const cpi_point_tree *t)
{
    for (int level = t->levels; level >= 0; level--)
        boxes_kernel<<<blocks((int64_t)1 << level), THREADS, 0, cpi_cuda_stream(stream)>>>(*t, level);
    return CPI_LAUNCHED(stream, "KDTree");
}

cp_code cpi_spatial_cuda_nearest(cp_stream *stream, const cpi_tree_query *q)
{
    nearest_kernel<<<blocks(q->count), THREADS, 0, cpi_cuda_stream(stream)>>>(*q);
    return CPI_LAUNCHED(stream, "KDTree.query");
}

cp_code cpi_spatial_cuda_within(cp_stream *stream, const cpi_tree_query *q)
{
    within_kernel<<<blocks(q->count), THREADS, 0, cpi_cuda_stream(stream)>>>(*q);
    return CPI_LAUNCHED(stream, "KDTree.query_ball_point");
}

cp_code cpi_spatial_cuda_simplices(cp_stream *stream, const cpi_simplex_search *s)
{
    simplices_kernel<<<blocks(s->count), THREADS, 0, cpi_cuda_stream(stream)>>>(*s);
    return CPI_LAUNCHED(stream, "find_simplex");
}

cp_code cpi_spatial_cuda_transforms(cp_stream *stream, const cpi_simplex_corners *c)
{
    transforms_kernel<<<blocks(c->simplices), THREADS, 0, cpi_cuda_stream(stream)>>>(*c);
    return CPI_LAUNCHED(stream, "Delaunay.transform");
}
