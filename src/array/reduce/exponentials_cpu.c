/* Exponentials of rows on the CPU: a row is looked at in blocks that stay in the nearest cache. */
#include <math.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "elementwise/loops.h"
#include "reduce/reduce.h"

enum { LANES = 16, BLOCK = 1024 };

typedef struct job {
    const cpi_exponentials *e;
    cpi_kernel exp, log, divide;
    int64_t each;
} job;

#define T float
#define NAME(f) f##_f32
#include "reduce/exponentials.inc"
#define T double
#define NAME(f) f##_f64
#include "reduce/exponentials.inc"

static void some_rows(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    for (int64_t row = task * j->each; row < (task + 1) * j->each && row < j->e->rows; row++) {
        if (j->e->type == CP_FLOAT32) row_f32(j, row);
        else row_f64(j, row);
    }
}

cp_code cpi_reduce_cpu_exponentials(cp_stream *stream, const cpi_exponentials *e)
{
    (void)stream;
    const cpi_kernels *set = cpi_kernels_best();
    job j = {.e = e, .exp = cpi_kernel_of(set, CP_OP_exp, e->type), .log = cpi_kernel_of(set, CP_OP_log, e->type),
             .divide = cpi_kernel_of(set, CP_OP_divide, e->type)};
    const int64_t least = e->n < 16384 ? 16384 / e->n : 1;
    cpi_parallel(cpi_cut(e->rows, least, &j.each), some_rows, &j);
    return CP_OK;
}
