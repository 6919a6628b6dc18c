/* Elements of a line, each as often as its own number says, on the CPU.
 *
 * A task has a piece of the line; where it writes, the sums of the pieces before it say. Four are written at once while
 * there is room in the piece's own part, since numbers of times that nobody foresees are dear as branches. */
#include "index/repeat.h"

#include <string.h>

#include "core/memory.h"
#include "cpu/threads.h"

enum { SEGMENT = 1 << 15 };
typedef struct pair { uint64_t v[2]; } pair;

typedef struct job {
    const char *x;
    const int64_t *times;
    int64_t n, bytes;
    char *to;
    int64_t *before; /* elements of the result before each piece */
} job;

static void sum_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    int64_t sum = 0, end = (task + 1) * SEGMENT < j->n ? (task + 1) * SEGMENT : j->n;
    (void)worker;
    for (int64_t i = task * SEGMENT; i < end; i++) sum += j->times[i];
    j->before[task + 1] = sum;
}

#define EXPAND(T)                                                               \
    {                                                                           \
        T *const to = (T *)j->to;                                               \
        const T *const x = (const T *)j->x;                                     \
        for (int64_t i = first; i < end; i++) {                                 \
            const int64_t n = times[i];                                         \
            const T v = x[i];                                                   \
            int64_t k = 0;                                                      \
            if (at + 4 <= last) to[at] = to[at + 1] = to[at + 2] = to[at + 3] = v, k = 4; \
            for (; k < n; k++) to[at + k] = v;                                  \
            at += n;                                                            \
        }                                                                       \
        break;                                                                  \
    }

static void expand_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    int64_t first = task * SEGMENT, end = first + SEGMENT < j->n ? first + SEGMENT : j->n;
    int64_t at = j->before[task], last = j->before[task + 1];
    const int64_t *times = j->times;
    (void)worker;
    switch (j->bytes) {
    case 1: EXPAND(uint8_t)
    case 2: EXPAND(uint16_t)
    case 4: EXPAND(uint32_t)
    case 8: EXPAND(uint64_t)
    default: EXPAND(pair)
    }
}

cp_code cpi_cpu_repeat(const char *x, const int64_t *times, int64_t n, int64_t bytes, char *to)
{
    const int64_t nchunks = (n + SEGMENT - 1) / SEGMENT;
    int64_t *before = cpi_malloc((size_t)(nchunks + 1) * sizeof *before);
    if (!before) return CP_ERROR_MEMORY;
    job j = {x, times, n, bytes, to, before};
    before[0] = 0;
    cpi_parallel(nchunks, sum_task, &j);
    for (int64_t p = 1; p <= nchunks; p++) before[p] += before[p - 1];
    cpi_parallel(nchunks, expand_task, &j);
    cpi_free_host(before);
    return CP_OK;
}
