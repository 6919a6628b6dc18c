/* argpartition on the CPU: a selection, not an order.
 *
 * A copy of the rows is partitioned, which gives the value at each kth. These cut a row's indices into what is below,
 * equal to and between them: one pass counts, one writes, and within a part indices stay in order. So the result is
 * one, whatever the number of threads: long rows are walked in pieces that depend on their size alone, and short ones
 * several at a time. Where there are too many kth the full order is cheaper than comparing with each. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/select.h"
#include "sort/sort.h"

enum { MOST_CUTS = 8, PARTS = 2 * MOST_CUTS + 1, SEGMENT = 1 << 15, MOST_CHUNKS = 256 };

typedef struct cutting {
    cpi_keys keys;
    int64_t rows, n, each;             /* each: rows of a task, or elements of a piece of the row `row` */
    int64_t row;
    const char *from, *parted;
    int64_t *to;
    int nkth;
    const int64_t *kth;
    int64_t (*at)[PARTS];              /* a piece's numbers, then the places of its parts */
} cutting;

/* The values at the kth as keys, each once; their number. */
#define CUTS(T, key)                                                            \
    for (int j = 0; j < c->nkth; j++) {                                         \
        T k = key(&c->keys, ((const T *)parted)[c->kth[j]]);                    \
        if (!cuts || k != ((T *)cut)[cuts - 1]) ((T *)cut)[cuts++] = k;         \
    }

static int read_cuts(const cutting *c, int64_t row, void *cut)
{
    int cuts = 0;
    const char *parted = c->parted + row * c->n * c->keys.bytes;
    switch (c->keys.bytes) {
    case 1: CUTS(uint8_t, cpi_key8) break;
    case 2: CUTS(uint16_t, cpi_key16) break;
    case 4: CUTS(uint32_t, cpi_key32) break;
    case 8:
        if (c->keys.complex_parts) CUTS(uint64_t, cpi_ckey64)
        else CUTS(uint64_t, cpi_key64)
        break;
    default: CUTS(cpi_u128, cpi_ckey128)
    }
    return cuts;
}

/* Elements begin..end-1 of a row: how many lie in each part, or, with `to`, their indices to the parts' places. One
 * cut, which is the rule, is done in registers and without branches. */
#define VISIT(T, key)                                                                                  \
    if (cuts == 1) {                                                                                   \
        const T middle = ((const T *)cut)[0];                                                          \
        int64_t below = at[0], equal = at[1], above = at[2];                                           \
        for (int64_t i = begin; i < end; i++) {                                                        \
            const T k = key(&c->keys, ((const T *)x)[i]);                                              \
            const bool less = k < middle, more = k > middle;                                           \
            if (to) to[less ? below : more ? above : equal] = i;                                       \
            below += less, above += more, equal += !(less | more);                                     \
        }                                                                                              \
        at[0] = below, at[1] = equal, at[2] = above;                                                   \
    } else {                                                                                           \
        for (int64_t i = begin; i < end; i++) {                                                        \
            const T k = key(&c->keys, ((const T *)x)[i]);                                              \
            int part = 0;                                                                              \
            for (int j = 0; j < cuts; j++) part += (k >= ((const T *)cut)[j]) + (k > ((const T *)cut)[j]); \
            if (to) to[at[part]] = i;                                                                  \
            at[part]++;                                                                                \
        }                                                                                              \
    }

static void visit(const cutting *c, int64_t row, int64_t begin, int64_t end, int cuts, const void *cut, int64_t *at,
                  int64_t *to)
{
    const char *x = c->from + row * c->n * c->keys.bytes;
    switch (c->keys.bytes) {
    case 1: VISIT(uint8_t, cpi_key8) break;
    case 2: VISIT(uint16_t, cpi_key16) break;
    case 4: VISIT(uint32_t, cpi_key32) break;
    case 8:
        if (c->keys.complex_parts) VISIT(uint64_t, cpi_ckey64)
        else VISIT(uint64_t, cpi_key64)
        break;
    default: VISIT(cpi_u128, cpi_ckey128)
    }
}

static void rows_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const cutting *c = context;
    int64_t end = (task + 1) * c->each < c->rows ? (task + 1) * c->each : c->rows;
    for (int64_t row = task * c->each; row < end; row++) {
        cpi_u128 cut[MOST_CUTS];
        int64_t at[PARTS] = {0}, sum = 0;
        int cuts = read_cuts(c, row, cut);
        visit(c, row, 0, c->n, cuts, cut, at, NULL);
        for (int p = 0; p < 2 * cuts + 1; p++) {
            int64_t count = at[p];
            at[p] = sum;
            sum += count;
        }
        visit(c, row, 0, c->n, cuts, cut, at, c->to + row * c->n);
    }
}

static void chunk_of(const cutting *c, int64_t task, int64_t *to)
{
    cpi_u128 cut[MOST_CUTS];
    int cuts = read_cuts(c, c->row, cut);
    int64_t begin = task * c->each, end = begin + c->each < c->n ? begin + c->each : c->n;
    visit(c, c->row, begin, end, cuts, cut, c->at[task], to);
}

static void count_task(void *context, int64_t task, int worker)
{
    (void)worker;
    chunk_of(context, task, NULL);
}

static void write_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const cutting *c = context;
    chunk_of(c, task, c->to + c->row * c->n);
}

/* One row after the other, each in pieces. */
static void cut_long(cutting *c)
{
    c->each = (c->n + MOST_CHUNKS - 1) / MOST_CHUNKS;
    if (c->each < SEGMENT) c->each = SEGMENT;
    int64_t nchunks = (c->n + c->each - 1) / c->each;
    for (c->row = 0; c->row < c->rows; c->row++) {
        int64_t sum = 0;
        memset(c->at, 0, (size_t)nchunks * sizeof *c->at);
        cpi_parallel(nchunks, count_task, c);
        for (int p = 0; p < PARTS; p++)
            for (int64_t t = 0; t < nchunks; t++) {
                int64_t count = c->at[t][p];
                c->at[t][p] = sum;
                sum += count;
            }
        cpi_parallel(nchunks, write_task, c);
    }
}

cp_code cpi_sort_cpu_argpartition(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from,
                                  int64_t *to, int nkth, const int64_t *kth)
{
    if (nkth > MOST_CUTS) return cpi_sort_cpu_argsort(stream, type, rows, n, from, to);
    cutting c = {.keys = cpi_keys_of(type), .rows = rows, .n = n, .from = from, .to = to, .nkth = nkth, .kth = kth};
    size_t bytes = (size_t)rows * (size_t)n * (size_t)c.keys.bytes;
    const bool own = from == (const void *)to; /* integers of 64 bits may be worked on where they are */
    char *parted = cpi_work_alloc(stream, own ? 2 * bytes : bytes);
    c.at = parted ? cpi_work_alloc(stream, MOST_CHUNKS * sizeof *c.at) : NULL;
    cp_code code = c.at ? stream->device->backend->copy(stream, parted, from, bytes) : cp_error();
    if (own && !code) c.from = memcpy(parted + bytes, from, bytes);
    if (!code) code = cpi_sort_cpu_partition(stream, type, rows, n, parted, nkth, kth);
    if (!code) {
        c.parted = parted;
        if (n > 4 * SEGMENT && rows < 64) {
            cut_long(&c);
        } else {
            c.each = SEGMENT / n + 1;
            cpi_parallel((rows + c.each - 1) / c.each, rows_task, &c);
        }
    }
    if (c.at) cpi_work_free(stream, c.at);
    if (parted) cpi_work_free(stream, parted);
    return code;
}
