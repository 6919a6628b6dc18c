/* Many small matrices: packs of them, shared out to threads. */
#include "linalg/small.h"

#include <string.h>

#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "linalg/lapack.h"

enum { FEWEST = 4 }; /* matrices: with fewer, lanes are idle, and LAPACK is the quicker one */

typedef struct packs {
    const cpi_linalg *l;
    cpi_small_kind kind;
    cpi_small_fn run;
    int64_t each;
    char *memory;
    size_t work;
    int error;
} packs;

static void task(void *context, int64_t t, int worker)
{
    packs *p = context;
    int64_t first = t * p->each, last = first + p->each < p->l->batch ? first + p->each : p->l->batch;
    int error = p->run(p->kind, p->l, first, last, p->memory + (size_t)worker * p->work);
    if (error) __atomic_store_n(&p->error, error, __ATOMIC_RELAXED);
}

cp_code cpi_linalg_small(cpi_small_kind kind, cp_stream *stream, const cpi_linalg *l)
{
    bool has_sides = kind == CPI_SMALL_SOLVE;
    int64_t big = l->m > l->n ? l->m : l->n;
    if (has_sides && l->k > big) big = l->k;
    if (big > CPI_SMALL_MOST || (l->batch < FEWEST && cpi_lapack_there())) return CP_ERROR_UNSUPPORTED;
    const cpi_small_matrix_kernels *k = CPI_BEST(cpi_small_matrix_kernels);
    int which = l->type == CP_FLOAT32 ? 0 : l->type == CP_FLOAT64 ? 1 : l->type == CP_COMPLEX64 ? 2 : 3;
    packs p = {.l = l, .kind = kind, .run = k->run[which]};
    size_t element = (size_t)k->bytes * (which < 2 ? 1 : 2);
    p.work = (size_t)(5 * big * big + 4 * big) * element;
    int64_t lanes = k->bytes / (which % 2 ? 8 : 4), grain = 1 + 20000 / (big * big * big), count;
    grain = (grain + lanes - 1) / lanes * lanes;
    count = cpi_cut(l->batch, 1, &p.each); /* at most 256 tasks of multiples of 64 */
    if (grain > p.each) p.each = (grain + 63) / 64 * 64;
    else if (l->batch <= 64 && p.each > lanes) p.each = lanes > grain ? lanes : grain;
    count = (l->batch + p.each - 1) / p.each;
    if (!(p.memory = cpi_work_alloc(stream, p.work * (size_t)(count > 1 ? cpi_workers() : 1)))) return CP_ERROR_MEMORY;
    if (count > 1) cpi_parallel(count, task, &p);
    else task(&p, 0, 0);
    cpi_work_free(stream, p.memory);
    return cpi_linalg_error(l->function, p.error);
}
