/* Areas below a line on the CPU: pieces of one size, whose sums are added in their order. */
#include "backend/device.h"
#include "cpu/threads.h"
#include "statistics/counts.h"
#include "statistics/statistics.h"

enum { SEGMENT = 1 << 14 };

typedef struct areas {
    cp_type type;
    int64_t n;
    const void *y, *x;
    double width, *sum; /* of each piece */
} areas;

#define DEFINE_CHUNK(T, NAME)                                                                \
    static double NAME(const T *y, const T *x, T width, int64_t n)                           \
    {                                                                                        \
        double sum[4] = {0};                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                    \
            const T wide = x ? x[i + 1] - x[i] : width;                                      \
            sum[i % 4] += wide * (y[i + 1] + y[i]) / 2;                                      \
        }                                                                                    \
        return (sum[0] + sum[1]) + (sum[2] + sum[3]);                                        \
    }
DEFINE_CHUNK(float, chunk_of_floats)
DEFINE_CHUNK(double, chunk_of_doubles)

static void areas_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const areas *a = context;
    const int64_t first = task * SEGMENT, left = a->n - 1 - first, n = left < SEGMENT ? left : SEGMENT;
    if (a->type == CP_FLOAT32) {
        const float *y = (const float *)a->y + first, *x = a->x ? (const float *)a->x + first : NULL;
        a->sum[task] = chunk_of_floats(y, x, (float)a->width, n);
    } else {
        const double *y = (const double *)a->y + first, *x = a->x ? (const double *)a->x + first : NULL;
        a->sum[task] = chunk_of_doubles(y, x, a->width, n);
    }
}

cp_code cpi_statistics_cpu_areas(cp_stream *stream, cp_type type, int64_t n, const void *y, const void *x, double width,
                                 void *to)
{
    const int64_t nchunks = (n - 2) / SEGMENT + 1;
    areas a = {type, n, y, x, width, cpi_work_alloc(stream, (size_t)nchunks * sizeof *a.sum)};
    if (!a.sum) return CP_ERROR_MEMORY;
    cpi_parallel(nchunks, areas_task, &a);
    double sum = 0;
    for (int64_t i = 0; i < nchunks; i++) sum += a.sum[i];
    if (type == CP_FLOAT32) *(float *)to = (float)sum;
    else *(double *)to = sum;
    cpi_work_free(stream, a.sum);
    return CP_OK;
}
