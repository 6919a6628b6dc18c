/* Peaks on the CPU: elements and peaks are shared out to the threads. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "peaks/look.h"
#include "peaks/peaks.h"

typedef struct job {
    const cpi_peaks *p;
    const double *x;
    int64_t n, count, each;
    uint8_t *mask;
    const int64_t *left;
    int64_t *right;
} job;

static void rises_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const int64_t begin = task * j->each, end = begin + j->each < j->n ? begin + j->each : j->n;
    for (int64_t i = begin; i < end; i++) /* most are decided by their neighbours */
        j->mask[i] = i > 0 && i + 1 < j->n && (j->x[i - 1] < j->x[i]) & !(j->x[i + 1] > j->x[i]);
    for (int64_t i = begin; i < end; i++)
        if (j->mask[i]) j->mask[i] = cpi_rises(j->x, j->n, i);
}

cp_code cpi_peaks_cpu_rises(cp_stream *stream, int64_t n, const double *x, uint8_t *mask)
{
    (void)stream;
    job j = {.x = x, .n = n, .mask = mask};
    cpi_parallel(cpi_cut(n, 16384, &j.each), rises_task, &j);
    return CP_OK;
}

cp_code cpi_peaks_cpu_ends(cp_stream *stream, int64_t n, const double *x, int64_t count, const int64_t *left,
                           int64_t *right)
{
    (void)stream;
    for (int64_t i = 0; i < count; i++) right[i] = cpi_plateau_end(x, n, left[i]);
    return CP_OK;
}

static void prominences_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    for (int64_t i = task * j->each; i < (task + 1) * j->each && i < j->count; i++) cpi_peak_prominence(j->p, i);
}

cp_code cpi_peaks_cpu_prominences(cp_stream *stream, const cpi_peaks *p)
{
    (void)stream;
    job j = {.p = p, .count = p->count};
    cpi_parallel(cpi_cut(p->count, 256, &j.each), prominences_task, &j);
    return CP_OK;
}

static void widths_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    for (int64_t i = task * j->each; i < (task + 1) * j->each && i < j->count; i++) cpi_peak_width(j->p, i);
}

cp_code cpi_peaks_cpu_widths(cp_stream *stream, const cpi_peaks *p)
{
    (void)stream;
    job j = {.p = p, .count = p->count};
    cpi_parallel(cpi_cut(p->count, 256, &j.each), widths_task, &j);
    return CP_OK;
}

cp_code cpi_peaks_cpu_distant(cp_stream *stream, int64_t count, const int64_t *peak, const int64_t *order,
                            int64_t distance, uint8_t *keep)
{
    (void)stream;
    memset(keep, 1, (size_t)count);
    for (int64_t i = count; i-- > 0;) {
        const int64_t k = order[i];
        if (!keep[k]) continue;
        for (int64_t j = k - 1; j >= 0 && peak[k] - peak[j] < distance; j--) keep[j] = 0;
        for (int64_t j = k + 1; j < count && peak[j] - peak[k] < distance; j++) keep[j] = 0;
    }
    return CP_OK;
}
