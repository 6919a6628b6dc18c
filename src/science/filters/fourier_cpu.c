/* Fourier coefficients times a function of their indices, on the CPU. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "filters/cpu.h"
#include "filters/fourier.h"
#include "loop/loop.h"

typedef struct coefficients {
    const cpi_fourier_filter *f;
    int64_t rows, each;
    const double *table[CP_MAXDIM];
} coefficients;

/* What row r of coefficients is multiplied by along its axis: product, or sum. */
static double of_row(const coefficients *c, const int64_t *at)
{
    const bool product = c->f->op == CPI_FOURIER_PRODUCT;
    double v = product ? 1 : 0;
    for (int d = 0; d < c->f->ndim - 1; d++)
        if (product) v *= c->table[d][at[d]];
        else v += c->table[d][at[d]];
    return v;
}

#define SCALED(T, parts)                                                                                             \
    for (int64_t i = 0; i < n; i++) {                                                                                \
        const double k = c->f->op == CPI_FOURIER_PRODUCT ? v * last[i] : cpi_fourier_disc(v + last[i], c->f->ndim);  \
        for (int p = 0; p < (parts); p++) ((T *)to)[i * (parts) + p] = (T)(((const T *)in)[i * (parts) + p] * k);    \
    }
#define TURNED(T)                                                                                                    \
    for (int64_t i = 0; i < n; i++) {                                                                                \
        const double angle = v + last[i], re = cos(angle), im = sin(angle);                                          \
        const double a = ((const T *)in)[2 * i], b = ((const T *)in)[2 * i + 1];                                     \
        ((T *)to)[2 * i] = (T)(a * re - b * im);                                                                     \
        ((T *)to)[2 * i + 1] = (T)(a * im + b * re);                                                                 \
    }

static void run_row(const coefficients *c, char *to, const char *in, double v, int64_t n)
{
    const double *last = c->table[c->f->ndim - 1];
    const bool wide = c->f->type == CP_FLOAT64 || c->f->type == CP_COMPLEX128;
    if (c->f->op == CPI_FOURIER_SHIFT) {
        if (wide) TURNED(double)
        else TURNED(float)
    } else if (cpi_is_complex(c->f->type)) {
        if (wide) SCALED(double, 2)
        else SCALED(float, 2)
    } else {
        if (wide) SCALED(double, 1)
        else SCALED(float, 1)
    }
}

static void run_rows(void *context, int64_t task, int worker)
{
    (void)worker;
    const coefficients *c = context;
    const cpi_fourier_filter *f = c->f;
    const int outer = f->ndim - 1;
    const int64_t n = f->shape[outer], pitch = n * cpi_itemsize(f->type);
    int64_t at[CP_MAXDIM];
    cpi_unravel(outer, f->shape, task * c->each, at);
    for (int64_t r = task * c->each; r < (task + 1) * c->each && r < c->rows; r++) {
        run_row(c, (char *)f->out + r * pitch, (const char *)f->in + r * pitch, of_row(c, at), n);
        cpi_next(outer, f->shape, at);
    }
}

cp_code cpi_filters_cpu_fourier(cp_stream *stream, const cpi_fourier_filter *f)
{
    (void)stream;
    coefficients c = {.f = f, .rows = 1, .table = {f->tables}};
    for (int d = 0; d < f->ndim - 1; d++) {
        c.rows *= f->shape[d];
        c.table[d + 1] = c.table[d] + f->shape[d];
    }
    const int64_t tasks = cpi_split(c.rows, f->shape[f->ndim - 1], 1 << 16, &c.each);
    cpi_parallel(tasks, run_rows, &c);
    return CP_OK;
}
