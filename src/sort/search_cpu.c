/* Binary search on the CPU: values are shared out to threads, search_simd.c has the steps. */
#include "cpu/threads.h"
#include "sort/search.h"
#include "sort/sort.h"

enum { EACH = 4096 /* values of a task */, NEAR = 1 << 18 /* bytes that the second cache holds */ };

typedef struct job {
    cpi_search search;
    int64_t m;
    cpi_searcher some;
} job;

static void search_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    const int64_t first = task * EACH;
    (void)worker;
    j->some(&j->search, first, first + EACH < j->m ? first + EACH : j->m);
}

cp_code cpi_cpu_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                       bool right, int64_t *to)
{
    (void)stream;
    job j = {{.keys = cpi_keys_of(type), .n = n, .from = from, .values = values, .right = right,
              .far = n > NEAR / cpi_itemsize(type), .to = to}, m, CPI_BEST(cpi_search_some)};
    cpi_parallel((m + EACH - 1) / EACH, search_task, &j);
    return CP_OK;
}
