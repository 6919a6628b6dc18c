/* The CPU device's threads.
 *
 * cpi_parallel runs fn(context, task, worker) for task 0..tasks-1 on the pool's threads, including the caller, and
 * returns when all are done. The caller splits tasks by the size of the problem alone, never from the number of
 * threads, so that results have the same bits on every run. A call from inside a task, or of one task, runs in the
 * calling thread. `worker` is 0..cpi_workers()-1, and one worker runs one task at a time. A forked child starts with a
 * fresh pool. */
#ifndef CPI_CPU_THREADS_H
#define CPI_CPU_THREADS_H

#include <stdint.h>

typedef void (*cpi_task)(void *context, int64_t task, int worker);
void cpi_parallel(int64_t tasks, cpi_task fn, void *context);
/* Number of threads that cpi_parallel may use now, at least 1: scratch for that many workers is enough for the
 * calling thread's next cpi_parallel. */
int cpi_workers(void);
int cpi_workers_set(int n); /* 0, or -1 when n < 1 */

/* Splits n items into tasks of at least `grain` items, at most 256 of them (a multiple of 64 items each, but the last);
 * returns the number of tasks and the items of one. */
static inline int64_t cpi_cut(int64_t n, int64_t grain, int64_t *each)
{
    int64_t part = (n + 255) / 256;
    if (part < grain) part = grain;
    part = (part + 63) / 64 * 64;
    *each = part;
    return n <= part ? n > 0 : (n + part - 1) / part; /* no division for the small */
}
/* The same in equal parts, where the results do not depend on the split: of slightly more than a grain each of two
 * threads gets half. */
static inline int64_t cpi_cut_evenly(int64_t n, int64_t grain, int64_t *each)
{
    const int64_t tasks = cpi_cut(n, grain, each);
    if (tasks < 2) return tasks;
    *each = ((n + tasks - 1) / tasks + 63) / 64 * 64;
    return (n + *each - 1) / *each;
}

#endif
