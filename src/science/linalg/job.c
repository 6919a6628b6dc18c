/* Jobs: matrices divided among threads, and operations on their elements. job.h says what a job is. */
#include "linalg/job.h"

#include "backend/device.h"
#include "cpu/threads.h"

typedef struct pair { double re, im; } pair;

/* to (columns x rows) = the transpose of from (rows x columns), rows first..last of it; `step` and `pitch` elements are
 * between the rows of the two. */
#define TURN(T, name)                                                                                                \
    static void name(int64_t first, int64_t last, int64_t columns, const T *from, int64_t step, T *to, int64_t pitch) \
    {                                                                                                                \
        enum { SIDE = 16 };                                                                                          \
        for (int64_t y = first; y < last; y += SIDE)                                                                  \
            for (int64_t x = 0; x < columns; x += SIDE) {                                                             \
                int64_t h = last - y < SIDE ? last - y : SIDE, w = columns - x < SIDE ? columns - x : SIDE;           \
                for (int64_t c = 0; c < w; c++)                                                                      \
                    for (int64_t l = 0; l < h; l++) to[(x + c) * pitch + y + l] = from[(y + l) * step + x + c];        \
            }                                                                                                        \
    }
TURN(uint32_t, turn4)
TURN(uint64_t, turn8)
TURN(pair, turn16)

typedef struct turn { size_t size; int64_t rows, columns, pitch; const void *from; void *to; } turn;
enum { TURN_ROWS = 64 };
static void turn_rows(size_t size, int64_t first, int64_t last, int64_t columns, const void *from, int64_t step,
                      void *to, int64_t pitch)
{
    if (size == 4) turn4(first, last, columns, from, step, to, pitch);
    else if (size == 8) turn8(first, last, columns, from, step, to, pitch);
    else turn16(first, last, columns, from, step, to, pitch);
}
static void turn_task(void *context, int64_t task, int worker)
{
    const turn *t = context;
    (void)worker;
    int64_t first = task * TURN_ROWS, last = first + TURN_ROWS < t->rows ? first + TURN_ROWS : t->rows;
    turn_rows(t->size, first, last, t->columns, t->from, t->columns, t->to, t->pitch);
}
void cpi_job_transpose(const job *j, int64_t rows, int64_t columns, const void *from, void *to)
{
    cpi_job_transpose_padded(j, rows, columns, from, to, rows);
}
void cpi_job_transpose_padded(const job *j, int64_t rows, int64_t columns, const void *from, void *to, int64_t pitch)
{
    turn t = {j->size, rows, columns, pitch, from, to};
    int64_t tasks = (rows + TURN_ROWS - 1) / TURN_ROWS;
    if (rows * columns > 1 << 16) cpi_parallel(tasks, turn_task, &t);
    else
        for (int64_t i = 0; i < tasks; i++) turn_task(&t, i, 0);
}
void cpi_job_transpose_part(const job *j, int64_t rows, int64_t columns, const void *from, int64_t step, void *to,
                            int64_t pitch)
{
    turn_rows(j->size, 0, rows, columns, from, step, to, pitch);
}

enum { SUMS = 8 }; /* which wait for one another only so often */
#define FINITE(T, name)                                                              \
    static bool name(int64_t n, const T *x)                                           \
    {                                                                                \
        T sums[SUMS] = {0}, sum = 0;                                                  \
        int64_t i = 0;                                                               \
        for (; i + SUMS <= n; i += SUMS)                                              \
            for (int k = 0; k < SUMS; k++) sums[k] += x[i + k] * 0;                    \
        for (; i < n; i++) sum += x[i] * 0;                                           \
        for (int k = 0; k < SUMS; k++) sum += sums[k];                                 \
        return sum == 0;                                                             \
    }
#define MOST(T, name)                                                                \
    static double name(int64_t n, const T *x)                                  \
    {                                                                                \
        T most[SUMS] = {0}, all = 0;                                                  \
        int64_t i = 0;                                                               \
        for (; i + SUMS <= n; i += SUMS)                                              \
            for (int k = 0; k < SUMS; k++) {                                          \
                const T size = x[i + k] < 0 ? -x[i + k] : x[i + k];                   \
                most[k] = size > most[k] ? size : most[k];                           \
            }                                                                        \
        for (int k = 0; k < SUMS; k++) all = most[k] > all ? most[k] : all;            \
        for (; i < n; i++) all = x[i] > all ? x[i] : -x[i] > all ? -x[i] : all;        \
        return (double)all;                                                          \
    }
FINITE(float, finite4)
FINITE(double, finite8)
MOST(float, most4)
MOST(double, most8)
bool cpi_job_is_finite(const job *j, int64_t n, const void *x)
{
    n *= (int64_t)(j->size / j->part);
    return j->part == 4 ? finite4(n, x) : finite8(n, x);
}
double cpi_job_most(const job *j, int64_t n, const void *x)
{
    n *= (int64_t)(j->size / j->part);
    return j->part == 4 ? most4(n, x) : most8(n, x);
}
/* Is one triangle of an n x n matrix finite? */
bool cpi_job_is_finite_triangle(const job *j, int64_t n, bool upper, const char *x)
{
    bool good = true;
    for (int64_t y = 0; y < n && good; y++)
        good = upper ? cpi_job_is_finite(j, n - y, x + (size_t)(y * n + y) * j->size)
                     : cpi_job_is_finite(j, y + 1, x + (size_t)(y * n) * j->size);
    return good;
}

/* --- jobs --- */
static void task(void *context, int64_t t, int worker)
{
    job *j = context;
    int64_t last = (t + 1) * j->each < j->l->batch ? (t + 1) * j->each : j->l->batch;
    const int was = j->own ? 0 : cpi_lapack_alone_begin();
    for (int64_t i = t * j->each; i < last; i++) {
        int error = j->one(j, i, j->memory + (size_t)worker * j->work);
        if (error) __atomic_store_n(&j->error, error, __ATOMIC_RELAXED);       /* all of a call's are one kind */
    }
    if (!j->own) cpi_lapack_alone_end(was);
}

cp_code cpi_job_all(job *j, size_t work)
{
    const cpi_linalg *l = j->l;
    int64_t largest = l->m > l->n ? l->m : l->n;
    const bool shared = l->batch > 1 && largest <= 256; /* beyond that threads do as well within one */
    int workers = shared ? cpi_workers() : 1;
    if (!cpi_lapack_fits(largest) || !cpi_lapack_fits(l->k) || !cpi_lapack_fits(j->lwork))
        return cpi_fail(CP_ERROR_VALUE, "%s: the matrix is too large for a LAPACK of 32-bit integers", l->function);
    j->work = rounded(work + (size_t)j->lwork * j->size + 64);
    /* LAPACK's own workspace is the end of a matrix' one, so that it begins on an element's boundary */
    if (!(j->memory = cpi_work_alloc(j->stream, j->work * (size_t)workers))) return CP_ERROR_MEMORY;
    j->each = (l->batch + 255) / 256;
    if (shared) {
        cpi_parallel((l->batch + j->each - 1) / j->each, task, j);
    } else {
        /* below the work of a square of 160 rows waking threads takes longer, also with few columns */
        const double least = (double)(l->m < l->n ? l->m : l->n);
        j->own = (double)l->m * (double)l->n * least > 160.0 * 160 * 160 && !j->pooled;
        j->each = l->batch;
        if (j->own) cpi_lapack_threads(true);
        task(j, 0, 0);
        if (j->own) cpi_lapack_threads(false);
    }
    cpi_work_free(j->stream, j->memory);
    return cpi_linalg_error(l->function, j->error);
}

bool cpi_job_find(job *j, int n, const char *const *names)
{
    return cpi_lapack_all(j->l->function, n, names, j->l->type, j->f);
}
void cpi_job_wants(job *j, const void *answer)
{
    int64_t n = (int64_t)part_of(j, answer, 0);
    if (n > j->lwork) j->lwork = n + (j->part == 4 ? n >> 22 : 0); /* a float32 may have been rounded down */
}
