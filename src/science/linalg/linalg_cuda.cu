/* The room's slots on a GPU. What has no kernel of its own here, eigenvalues of general matrices and Schur's form, the
 * CPU's slots do on copies in the host's memory: these two wait. */
#include "linalg/cuda.h"

namespace {

struct host_memory {
    char *memory = nullptr;
    ~host_memory() { cpi_host->free(memory); }
    char *get(int64_t bytes) { return memory = (char *)cpi_host->malloc((size_t)bytes); }
};

/* A slot of the CPU's, for results x, u, s of so many bytes a matrix (0: not wanted); pivots: one number a matrix. */
cp_code by_host(cp_stream *stream, const cpi_linalg *v, cp_code (*slot)(cp_stream *, const cpi_linalg *), int64_t x,
                int64_t u, int64_t s)
{
    int64_t each = v->m * v->n * (int64_t)cpi_la_size(v->type), counts = v->pivots ? (int64_t)sizeof(int32_t) : 0;
    const cpi_backend *backend = stream->device->backend;
    host_memory from, results;
    char *a = from.get(v->batch * each), *to = a ? results.get(v->batch * (x + u + s + counts)) : nullptr;
    if (!to) return CP_ERROR_MEMORY;
    cp_stream *host_stream = cpi_host->cpu_stream();
    if (!host_stream) return CP_ERROR_MEMORY;
    cp_code code = backend->to_host(stream, a, v->a, (size_t)(v->batch * each));
    cpi_linalg mine = *v;
    mine.a = a;
    host_memory pivot_rows; /* n a matrix */
    const int64_t listed = v->pivots_in ? v->batch * v->n * (int64_t)sizeof(int32_t) : 0;
    if (listed && !(mine.pivots_in = (int32_t *)(void *)pivot_rows.get(listed))) return CP_ERROR_MEMORY;
    if (!code && listed) code = backend->to_host(stream, pivot_rows.memory, v->pivots_in, (size_t)listed);
    mine.x = v->x ? to : nullptr;
    mine.u = v->u ? to + v->batch * x : nullptr;
    mine.s = v->s ? to + v->batch * (x + u) : nullptr;
    mine.pivots = v->pivots ? (int32_t *)(to + v->batch * (x + u + s)) : nullptr;
    if (!code) code = slot(host_stream, &mine);
    if (!code && v->x) code = backend->from_host(stream, v->x, mine.x, (size_t)(v->batch * x));
    if (!code && v->u) code = backend->from_host(stream, v->u, mine.u, (size_t)(v->batch * u));
    if (!code && v->s) code = backend->from_host(stream, v->s, mine.s, (size_t)(v->batch * s));
    if (!code && counts) code = backend->from_host(stream, v->pivots, mine.pivots, (size_t)(v->batch * counts));
    return code;
}

} // namespace

cp_code cpi_linalg_cuda_eig(cp_stream *stream, const cpi_linalg *v)
{
    int64_t pair = (int64_t)(2 * cpi_la_real_size(v->type)), n = v->n;
    return by_host(stream, v, cpi_host->cpu->linalg->eig, 0, v->u ? n * n * pair : 0, n * pair);
}

cp_code cpi_linalg_cuda_schur(cp_stream *stream, const cpi_linalg *v)
{
    int64_t each = v->n * v->n * (int64_t)cpi_la_size(v->type);
    return by_host(stream, v, cpi_host->cpu->linalg->schur, each, v->u ? each : 0, 0);
}

