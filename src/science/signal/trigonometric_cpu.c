/* Sums of cosines and sines on the CPU: frequencies are shared out to the threads; cosines and sines are computed for a
 * block of times that fits into the nearest cache. */
#include "backend/device.h"
#include "cpu/ending.h"
#include "cpu/threads.h"
#include "elementwise/loops.h"
#include "signal/signal.h"

enum { SUMS = 6, LANES = 8, BLOCK = 512 };

typedef struct job {
    const cpi_trigonometric *t;
    cpi_kernel cos, sin;
    cpi_ending ending;
} job;

/* Adds a block of n times. Lanes are sums of their own, so that compilers make vectors of them. */
static void add_block(double sum[SUMS][LANES], int64_t n, const double *c, const double *s, const double *w,
                      const double *v)
{
    for (int64_t i = 0; i < n; i += LANES) {
        const int lanes = n - i < LANES ? (int)(n - i) : LANES;
        for (int l = 0; l < lanes; l++) {
            const double wc = w[i + l] * c[i + l], ws = w[i + l] * s[i + l];
            sum[0][l] += wc;
            sum[1][l] += ws;
            sum[2][l] += v[i + l] * c[i + l];
            sum[3][l] += v[i + l] * s[i + l];
            sum[4][l] += wc * c[i + l];
            sum[5][l] += wc * s[i + l];
        }
    }
}

static void one_frequency(void *context, int64_t task, int worker)
{
    job *j = context;
    cpi_lookout watch = {&j->ending, worker};
    const cpi_trigonometric *t = j->t;
    double angle[BLOCK], c[BLOCK], s[BLOCK], sum[SUMS][LANES] = {{0}};
    for (int64_t at = 0; at < t->n; at += BLOCK) {
        if (cpi_lookout_ends(&watch)) return;
        const int64_t n = t->n - at < BLOCK ? t->n - at : BLOCK;
        for (int64_t i = 0; i < n; i++) angle[i] = t->frequency[task] * t->x[at + i];
        j->cos((void *[]){c, angle}, n, 0);
        j->sin((void *[]){s, angle}, n, 0);
        add_block(sum, n, c, s, t->w + at, t->v + at);
    }
    for (int k = 0; k < SUMS; k++) {
        const double *p = sum[k];
        t->to[k * t->count + task] = ((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7]));
    }
}

cp_code cpi_signal_cpu_trigonometric(cp_stream *stream, const cpi_trigonometric *t)
{
    (void)stream;
    const cpi_kernels *set = cpi_kernels_best();
    job j = {t, cpi_kernel_of(set, CP_OP_cos, CP_FLOAT64), cpi_kernel_of(set, CP_OP_sin, CP_FLOAT64)};
    cpi_parallel(t->count, one_frequency, &j);
    return cpi_ending_code(&j.ending);
}
