/* Recurrences and polyphase filters on the CPU. Rows, or chunks of long rows, fill the lanes of vectors; groups of them
 * are tasks. How rows are cut follows from the size of the problem, so the bits do not depend on the threads. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "lfilter/batch.h"
#include "lfilter/lfilter.h"
#include "lfilter/response.h"

static const cpi_lfilter_kernels *kernels_of(cp_type type)
{
    if (type == CP_FLOAT32) return CPI_BEST(cpi_lfilter_f32);
    if (type == CP_FLOAT64) return CPI_BEST(cpi_lfilter_f64);
    if (type == CP_COMPLEX64) return CPI_BEST(cpi_lfilter_c64);
    return CPI_BEST(cpi_lfilter_c128);
}

/* --- recurrences --- */

/* A row, or a part of one, that is computed from its state on. */
typedef struct piece {
    const char *from;
    char *to;    /* NULL: the state alone is wanted */
    char *state; /* filters x order elements */
    int64_t n;
} piece;

typedef struct job {
    const cpi_recurrence *r;
    const cpi_lfilter_kernels *kernels;
    int64_t item, part, vectors; /* bytes of an element and of a part; vectors of a state */
    piece *pieces;               /* of equal length, but that one alone may be longer: its rest follows */
    int64_t npieces, each;
    char *scratch;               /* a state in vectors for each worker */
} job;

/* One element's parts between a state and lane l of vectors. */
static void to_lane(const job *j, const char *state, char *z, int l)
{
    for (int64_t i = 0; i < j->vectors; i++)
        memcpy(z + (i * j->kernels->lanes + l) * j->part, state + i * j->part, (size_t)j->part);
}
static void from_lane(const job *j, char *state, const char *z, int l)
{
    for (int64_t i = 0; i < j->vectors; i++)
        memcpy(state + i * j->part, z + (i * j->kernels->lanes + l) * j->part, (size_t)j->part);
}

static void run_lanes(const job *j, const piece *p, int count, int64_t begin, int64_t n, char *z)
{
    cpi_batch lanes = {.filters = j->r->filters, .order = j->r->order, .n = n, .count = count, .c = j->r->c, .z = z};
    memset(z, 0, (size_t)(j->vectors * CPI_LFILTER_STATE));
    for (int l = 0; l < count; l++) {
        lanes.from[l] = p[l].from + begin * j->item;
        lanes.to[l] = p[l].to ? p[l].to + begin * j->item : NULL;
        to_lane(j, p[l].state, z, l);
    }
    j->kernels->run(&lanes);
    for (int l = 0; l < count; l++) from_lane(j, p[l].state, z, l);
}

static void run_group(void *context, int64_t task, int worker)
{
    const job *j = context;
    const int lanes = j->kernels->lanes;
    const piece *p = j->pieces + task * lanes;
    const int64_t left = j->npieces - task * lanes;
    const int count = left < lanes ? (int)left : lanes;
    char *z = j->scratch + worker * j->vectors * CPI_LFILTER_STATE;
    run_lanes(j, p, count, 0, j->each, z);
    for (int l = 0; l < count; l++)
        if (p[l].n > j->each) run_lanes(j, p + l, 1, j->each, p[l].n - j->each, z);
}

static void run_pieces(job *j)
{
    cpi_parallel((j->npieces + j->kernels->lanes - 1) / j->kernels->lanes, run_group, j);
}

static cpi_chunks cut(const cpi_recurrence *r)
{
    enum { PIECES = 64, LEAST = 1024 };
    int64_t chunks = (PIECES + r->rows - 1) / r->rows;
    if (chunks > r->n / LEAST) chunks = r->n / LEAST;
    if (chunks < 2) return (cpi_chunks){1, r->n};
    return (cpi_chunks){chunks, r->n / chunks};
}

static int64_t part_of(cp_type type) { return cpi_itemsize(type) / (cpi_is_complex(type) ? 2 : 1); }
static double number(cp_type type, const char *from, int64_t i)
{
    return type == CP_FLOAT32 || type == CP_COMPLEX64 ? (double)((const float *)from)[i] : ((const double *)from)[i];
}
static void put_number(cp_type type, char *to, int64_t i, double v)
{
    if (type == CP_FLOAT32 || type == CP_COMPLEX64) ((float *)to)[i] = (float)v;
    else ((double *)to)[i] = v;
}

/* next += response of z, in float64; false where a number is not finite. next: the last state of a chunk that began
 * with zeros, z: the state that it begins with. */
static bool carry(const cpi_recurrence *r, const double *response, const char *z, char *next)
{
    const bool complex = cpi_is_complex(r->type);
    const int64_t parts = complex ? 2 : 1, states = r->filters * r->order;
    bool finite = true;
    for (int64_t j = 0; j < states; j++) {
        double re = number(r->type, next, j * parts), im = complex ? number(r->type, next, 2 * j + 1) : 0;
        for (int64_t i = 0; i < states; i++) {
            const double *c = response + (i * states + j) * parts;
            const double u = number(r->type, z, i * parts), v = complex ? number(r->type, z, 2 * i + 1) : 0;
            finite &= isfinite(u) && isfinite(v);
            re += c[0] * u - (complex ? c[1] * v : 0);
            if (complex) im += c[0] * v + c[1] * u;
        }
        finite &= isfinite(re) && isfinite(im);
        put_number(r->type, next, j * parts, re);
        if (complex) put_number(r->type, next, 2 * j + 1, im);
    }
    return finite;
}

/* Fills pieces for one row from its states on. */
static void row_pieces(job *j, int64_t row, cpi_chunks c, char *states, bool elements)
{
    const cpi_recurrence *r = j->r;
    const int64_t bytes = r->filters * r->order * j->item;
    for (int64_t k = 0; k < c.chunks - !elements; k++) {
        const int64_t at = (row * r->n + k * c.each) * j->item;
        j->pieces[j->npieces++] =
            (piece){(const char *)r->from + at, elements ? (char *)r->to + at : NULL, states + k * bytes,
                    k + 1 < c.chunks ? c.each : r->n - k * c.each};
    }
}

/* Every row in one piece, or those that are marked. */
static void run_rows(job *j, const bool *marked)
{
    const cpi_recurrence *r = j->r;
    j->npieces = 0;
    j->each = r->n;
    for (int64_t row = 0; row < r->rows; row++)
        if (!marked || marked[row])
            row_pieces(j, row, (cpi_chunks){1, r->n}, (char *)r->state + row * r->filters * r->order * j->item, true);
    run_pieces(j);
}

/* Rows in chunks. `states`: (chunks + 1) a row; ends[k]: chunk k's last state from zeros, then what chunk k + 1 begins
 * with. */
static void run_chunks(job *j, cpi_chunks c, const double *response, char *states, bool *whole)
{
    const cpi_recurrence *r = j->r;
    const int64_t bytes = r->filters * r->order * j->item, row_bytes = (c.chunks + 1) * bytes;
    memset(states, 0, (size_t)(r->rows * row_bytes));
    j->npieces = 0;
    j->each = c.each;
    for (int64_t row = 0; row < r->rows; row++) row_pieces(j, row, c, states + row * row_bytes + bytes, false);
    run_pieces(j);
    j->npieces = 0;
    bool any = false;
    for (int64_t row = 0; row < r->rows; row++) {
        char *z = states + row * row_bytes;
        memcpy(z, (char *)r->state + row * bytes, (size_t)bytes);
        whole[row] = false;
        for (int64_t k = 0; k + 1 < c.chunks && !whole[row]; k++)
            whole[row] = !carry(r, response, z + k * bytes, z + (k + 1) * bytes);
        any |= whole[row];
        if (!whole[row]) row_pieces(j, row, c, z, true);
    }
    if (j->npieces) run_pieces(j);
    for (int64_t row = 0; row < r->rows; row++)
        if (!whole[row])
            memcpy((char *)r->state + row * bytes, states + row * row_bytes + (c.chunks - 1) * bytes, (size_t)bytes);
    if (any) run_rows(j, whole);
}

cp_code cpi_lfilter_cpu_recur(cp_stream *stream, const cpi_recurrence *r)
{
    const int64_t parts = cpi_is_complex(r->type) ? 2 : 1, item = cpi_itemsize(r->type);
    job j = {.r = r, .kernels = kernels_of(r->type), .item = item, .part = item / parts,
             .vectors = r->filters * r->order * parts};
    double response[CPI_LFILTER_RESPONSE], size[CPI_LFILTER_CUT];
    cpi_chunks c = cut(r);
    if (c.chunks > 1 && !cpi_lfilter_response(r, c.each, response, size)) c = (cpi_chunks){1, r->n};
    const int64_t scratch = (int64_t)cpi_workers() * j.vectors * CPI_LFILTER_STATE;
    const int64_t pieces = r->rows * c.chunks * (int64_t)sizeof(piece);
    const int64_t states = c.chunks > 1 ? r->rows * (c.chunks + 1) * r->filters * r->order * item : 0;
    j.scratch = cpi_work_alloc(stream, (size_t)(scratch + pieces + states + r->rows));
    if (!j.scratch) return cp_error();
    j.pieces = (piece *)(j.scratch + scratch);
    char *rest = j.scratch + scratch + pieces;
    if (c.chunks > 1) run_chunks(&j, c, response, rest, (bool *)(rest + states));
    else run_rows(&j, NULL);
    cpi_work_free(stream, j.scratch);
    return CP_OK;
}

/* --- polyphase filters --- */

typedef struct resampling {
    const cpi_polyphase *p;
    const cpi_lfilter_kernels *kernels;
    cpi_phases plan;
    int64_t item, pieces, each; /* pieces of a row's result */
    int64_t bytes;              /* of a worker's scratch */
    char *scratch;
} resampling;

static void run_piece(void *context, int64_t task, int worker)
{
    const resampling *s = context;
    const cpi_polyphase *p = s->p;
    const int64_t row = task / s->pieces, first = task % s->pieces * s->each;
    char *scratch = s->scratch + worker * s->bytes;
    cpi_phases plan = s->plan;
    plan.from = (const char *)p->from + row * p->n * s->item;
    plan.offsets = (int64_t *)scratch;
    char *to = (char *)p->to + (row * p->m + first) * s->item;
    s->kernels->polyphase(&plan, first, p->m - first < s->each ? p->m - first : s->each, to,
                          scratch + plan.length * (int64_t)sizeof(int64_t));
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* How many results a task has, and what it needs for them. */
static bool plan_pieces(resampling *s)
{
    enum { PRODUCTS = 1 << 17, ELEMENTS = 1 << 14, SPARE = 128 }; /* vectors may be read and written beyond the end */
    const cpi_polyphase *p = s->p;
    cpi_phases *plan = &s->plan;
    const int64_t divisor = common_divisor(p->up, p->down);
    *plan = (cpi_phases){.n = p->n, .up = p->up, .down = p->down, .length = (p->taps - 1) / p->up + 1,
                         .classes = p->up / divisor, .step = p->down / divisor};
    int64_t each = PRODUCTS / (plan->length < PRODUCTS ? plan->length : PRODUCTS), phases, span, all;
    if (each < 16 * (plan->classes < ELEMENTS ? plan->classes : ELEMENTS)) each = 16 * plan->classes;
    if (each > ELEMENTS) each = ELEMENTS;
    if (p->down / p->up > 0 && each > ELEMENTS / (p->down / p->up)) each = ELEMENTS / (p->down / p->up) + 1;
    if (each > p->m) each = p->m;
    s->each = each;
    s->pieces = (p->m + each - 1) / each;
    bool fits = !__builtin_mul_overflow(each, p->down, &span);
    span = span / p->up + plan->length + 1;
    plan->stride = span / plan->step + 1 + SPARE;
    fits &= !__builtin_mul_overflow(plan->stride, plan->step, &plan->apart);
    if (plan->apart < each + SPARE) plan->apart = each + SPARE;
    fits &= !__builtin_mul_overflow(plan->apart, 2 * s->item, &all);
    s->bytes = (all + plan->length * (int64_t)sizeof(int64_t) + 63) / 64 * 64;
    fits &= !__builtin_mul_overflow(plan->length * s->item, p->up, &phases);
    fits &= !__builtin_mul_overflow(s->bytes, (int64_t)cpi_workers(), &all);
    return fits && !__builtin_add_overflow(all, phases, &all);
}

cp_code cpi_lfilter_cpu_polyphase(cp_stream *stream, const cpi_polyphase *p)
{
    resampling s = {.p = p, .kernels = kernels_of(p->type), .item = cpi_itemsize(p->type)};
    if (!plan_pieces(&s))
        return cpi_fail(CP_ERROR_MEMORY, "upfirdn: no memory for %lld phases", (long long)p->up);
    const int64_t scratch = s.bytes * cpi_workers(), phases = s.plan.length * s.item * p->up;
    s.scratch = cpi_work_alloc(stream, (size_t)(scratch + phases));
    if (!s.scratch) return cp_error();
    char *taps = s.scratch + scratch;
    s.plan.phases = taps;
    memset(taps, 0, (size_t)phases);
    for (int64_t k = 0; k < p->taps; k++)
        memcpy(taps + (k % p->up * s.plan.length + k / p->up) * s.item, (const char *)p->h + k * s.item,
               (size_t)s.item);
    for (int64_t k = 0; k < p->taps * (s.item / part_of(p->type)) && !s.plan.exact; k++)
        s.plan.exact = !isfinite(number(p->type, p->h, k));
    cpi_parallel(p->rows * s.pieces, run_piece, &s);
    cpi_work_free(stream, s.scratch);
    return CP_OK;
}
