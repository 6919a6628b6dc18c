/* Measurements on the CPU: one pass over the labels, run by run; the variance takes a second one.
 *
 * The image is cut into blocks that depend on its size and the number of regions alone. A block has its own table with
 * a cell for each region, and tables are merged in block order: the same bits for any number of threads. Runs of equal
 * labels are found 64 labels at a time. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "core/paste.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "loop/loop.h"
#include "ndimage/bits.h"
#include "ndimage/cpu.h"
#include "ndimage/lookup.h"
#include "ndimage/run_stats.h"

/* The 8-byte words of a cell; moments (one an axis) or boxes (two an axis) follow from j->more on, behind the
 * extremum's two words where it is wanted. Behind the moments, where errors are wanted, stand two more an axis: the
 * sums of the indices and of their squares. */
enum { COUNT, SUM, KEY, POSITION };
typedef union word { double d; int64_t i; uint64_t u; } word;

typedef struct measure_job {
    const cpi_measure_plan *plan;
    cpi_lookup lookup;
    int64_t slots, width;
    int words, more;           /* of a cell; of them, before moments or boxes */
    int want;                  /* WANT_ bits of this pass */
    int64_t blocks, per_block; /* elements */
    int64_t cells;             /* of a table: slots and a spare one */
    word *table;               /* bands * cells * words; the first band's is the sum of all in the end */
    double *mean;              /* cells, for the variance's second pass */
    run_function run;
    values_function values;
    bool one_by_one;           /* only one sum is wanted, of labels without gaps: short runs are not worth finding */
    uint64_t (*changes)(const void *p, int size);
    bool skip_zero;
} measure_job;

/* The indices of the line that holds element `at`, into c (the last one is left alone). */
static void line_index(const cpi_measure_plan *plan, int64_t line, int64_t *c)
{
    cpi_unravel(plan->ndim - 1, plan->shape, line, c);
}

/* Adds the indices of a run of n elements from index `c` on an axis that they follow (`along`) or stand on. */
static void add_indices(word *sums, int64_t c, int64_t n, bool along)
{
    double first = (double)c, many = (double)n;
    sums[0].d += many * first;
    sums[1].d += many * first * first;
    if (!along) return;
    sums[0].d += many * (many - 1) / 2;
    sums[1].d += first * many * (many - 1) + (many - 1) * many * (2 * many - 1) / 6;
}

/* Adds the run of n elements from `at`, column `column` of the line with indices c, to region `slot`. */
static void add_run(const measure_job *j, word *table, int64_t slot, int64_t at, int64_t column, int64_t n,
                    const int64_t *c, run_stats *r)
{
    const cpi_measure_plan *plan = j->plan;
    word *cell = table + slot * j->words;
    int ndim = plan->ndim;
    if (j->want & WANT_BOX) {
        word *box = cell + j->more;
        bool new = cell[COUNT].i == 0;
        for (int a = 0; a < ndim; a++) {
            int64_t from = a == ndim - 1 ? column : c[a], to = a == ndim - 1 ? column + n : c[a] + 1;
            if (new || from < box[2 * a].i) box[2 * a].i = from;
            if (new || to > box[2 * a + 1].i) box[2 * a + 1].i = to;
        }
    }
    cell[COUNT].i += n;
    if (!(j->want & ~WANT_BOX)) return;
    r->column = column;
    if (j->mean) r->mean = j->mean[slot];
    j->run(plan->x->data, at, n, r);
    if (j->want & WANT_INTEGER)
        cell[SUM].u += r->whole;
    else
        cell[SUM].d += r->sum;
    if (j->want & WANT_MOMENT) {
        for (int a = 0; a < ndim - 1; a++) cell[j->more + a].d += (double)c[a] * r->sum;
        cell[j->more + ndim - 1].d += r->moment;
    }
    if (j->want & WANT_SPREAD)
        for (int a = 0; a < ndim; a++)
            add_indices(cell + j->more + ndim + 2 * a, a < ndim - 1 ? c[a] : column, n, a == ndim - 1);
    if ((j->want & WANT_EXTREMUM) &&
        (cell[POSITION].i == 0 || (plan->greatest ? r->key > cell[KEY].u : r->key < cell[KEY].u))) {
        cell[KEY].u = r->key;
        cell[POSITION].i = r->position + 1; /* 0: none yet */
    }
}

/* What iterates over elements at..end-1, all of one line, of which `at` has column `column`. */
typedef void (*visit_function)(const measure_job *j, word *table, int64_t at, int64_t end, int64_t column,
                               const int64_t *c, run_stats *r);

/* At least 9 bits are set. */
static inline bool many_changes(uint64_t w)
{
    for (int i = 0; i < 8; i++) w &= w - 1;
    return w != 0;
}

#define T uint8_t
#define X BOOL
#define LABEL (v != 0)
#include "ndimage/measure_runs.inc"
#define T int8_t
#define X INT8
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T uint8_t
#define X UINT8
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T int16_t
#define X INT16
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T uint16_t
#define X UINT16
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T int32_t
#define X INT32
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T uint32_t
#define X UINT32
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T int64_t
#define X INT64
#define LABEL (v)
#include "ndimage/measure_runs.inc"
#define T uint64_t
#define X UINT64
#define LABEL ((int64_t)(v ^ (uint64_t)1 << 63))
#include "ndimage/measure_runs.inc"
#define T uint8_t
#define X BITS8
#define LABEL (0)
#include "ndimage/measure_runs.inc"
#define T uint16_t
#define X BITS16
#define LABEL (0)
#include "ndimage/measure_runs.inc"
#define T uint32_t
#define X BITS32
#define LABEL (0)
#include "ndimage/measure_runs.inc"
#define T uint64_t
#define X BITS64
#define LABEL (0)
#include "ndimage/measure_runs.inc"

static void visit_all(const measure_job *j, word *table, int64_t at, int64_t end, int64_t column, const int64_t *c,
                      run_stats *r)
{
    add_run(j, table, 0, at, column, end - at, c, r);
}

/* Floating labels have no near slots: equal bits are enough to iterate by. */
static visit_function visit_of(const cpi_measure_plan *plan)
{
    static const visit_function whole[CP_NTYPES] = {
        [CP_BOOL] = visit_BOOL,     [CP_INT8] = visit_INT8,   [CP_UINT8] = visit_UINT8,
        [CP_INT16] = visit_INT16,   [CP_UINT16] = visit_UINT16, [CP_INT32] = visit_INT32,
        [CP_UINT32] = visit_UINT32, [CP_INT64] = visit_INT64, [CP_UINT64] = visit_UINT64,
    };
    static const visit_function floating[] = {
        [1] = visit_BITS8, [2] = visit_BITS16, [4] = visit_BITS32, [8] = visit_BITS64};
    if (!plan->labels) return visit_all;
    const cp_type t = plan->labels->type;
    return cpi_is_float(t) ? floating[cpi_itemsize(t)] : whole[t];
}

static void measure_task(void *context, int64_t block, int worker)
{
    measure_job *j = context;
    (void)worker;
    word *table = j->table + block * j->cells * j->words;
    int64_t at = block * j->per_block, end = at + j->per_block, c[CP_MAXDIM];
    const cpi_measure_plan *plan = j->plan;
    visit_function visit = visit_of(plan);
    run_stats r = {.want = j->want, .greatest = plan->greatest, .background = plan->background,
                   .nan = plan->nan_wins && !plan->greatest ? 0 : UINT64_MAX};
    if (end > plan->size) end = plan->size;
    while (at < end) {
        int64_t line = at / j->width, column = at - line * j->width, stop = at - column + j->width;
        if (stop > end) stop = end;
        line_index(plan, line, c);
        visit(j, table, at, stop, column, c, &r);
        at = stop;
    }
}

/* Adds the cell of a later band to `to`. */
static void merge_cell(const measure_job *j, word *to, const word *from)
{
    int ndim = j->plan->ndim;
    bool new = to[COUNT].i == 0;
    to[COUNT].i += from[COUNT].i;
    if (j->want & WANT_INTEGER)
        to[SUM].u += from[SUM].u;
    else
        to[SUM].d += from[SUM].d;
    if ((j->want & WANT_EXTREMUM) && from[POSITION].i &&
        (!to[POSITION].i || (j->plan->greatest ? from[KEY].u > to[KEY].u : from[KEY].u < to[KEY].u))) {
        to[KEY] = from[KEY];
        to[POSITION] = from[POSITION];
    }
    if (j->want & WANT_MOMENT)
        for (int a = 0; a < (j->want & WANT_SPREAD ? 3 * ndim : ndim); a++) to[j->more + a].d += from[j->more + a].d;
    if (j->want & WANT_BOX)
        for (int a = 0; a < ndim; a++) {
            word *t = to + j->more + 2 * a;
            const word *f = from + j->more + 2 * a;
            if (new || f[0].i < t[0].i) t[0] = f[0];
            if (new || f[1].i > t[1].i) t[1] = f[1];
        }
}

#define SLOTS_A_TASK 4096
static void merge_task(void *context, int64_t task, int worker)
{
    measure_job *j = context;
    (void)worker;
    int64_t begin = task * SLOTS_A_TASK, end = begin + SLOTS_A_TASK < j->slots ? begin + SLOTS_A_TASK : j->slots;
    for (int64_t block = 1; block < j->blocks; block++)
        for (int64_t s = begin; s < end; s++) {
            const word *from = j->table + (block * j->cells + s) * j->words;
            if (from[COUNT].i) merge_cell(j, j->table + s * j->words, from);
        }
}

/* One pass: the first table holds the regions' statistics afterwards. */
static void measure_pass(measure_job *j, int want)
{
    j->want = want;
    memset(j->table, 0, (size_t)(j->blocks * j->cells * j->words) * sizeof *j->table);
    if (j->plan->kind == CPI_REGIONS_NONE) return;
    cpi_parallel(j->blocks, measure_task, j);
    if (j->blocks > 1) cpi_parallel((j->slots + SLOTS_A_TASK - 1) / SLOTS_A_TASK, merge_task, j);
}

/* The errors of a region's sum and centre when its elements have the plan's noise, each its own. */
static void put_errors(const measure_job *j, int64_t i, const word *cell)
{
    const cpi_measure_plan *p = j->plan;
    double n = (double)cell[COUNT].i, sum = cell[SUM].d;
    if (p->sum_error) ((double *)p->sum_error->data)[i] = p->noise * sqrt(n);
    for (int a = 0; p->centre_error && a < p->ndim; a++) {
        const word *indices = cell + j->more + p->ndim + 2 * a;
        double c = cell[j->more + a].d / sum, spread = indices[1].d - 2 * c * indices[0].d + n * c * c;
        ((double *)p->centre_error->data)[i * p->ndim + a] = p->noise * sqrt(spread < 0 ? 0 : spread) / fabs(sum);
    }
}

/* Writes result i from its region's cell (NULL: no such label). `second` has the sums of squares. */
static void write_result(const measure_job *j, int64_t i, const word *cell, bool second)
{
    const cpi_measure_plan *p = j->plan;
    static const word nothing[POSITION + 1 + 3 * CP_MAXDIM];
    if (!cell) cell = nothing;
    double n = (double)cell[COUNT].i, sum = cell[SUM].d;
    if (second) {
        double v = sum / n;
        if (p->variance) ((double *)p->variance->data)[i] = v;
        if (p->deviation) ((double *)p->deviation->data)[i] = sqrt(v);
        return;
    }
    if (p->count) ((int64_t *)p->count->data)[i] = cell[COUNT].i;
    if (p->mean) ((double *)p->mean->data)[i] = sum / n;
    if (p->sum) {
        cp_type t = p->sum->type;
        char *to = p->sum->data + i * cpi_itemsize(t);
        if (t == CP_FLOAT64 || cpi_is_int(t))
            memcpy(to, &cell[SUM], 8);
        else
            cpi_convert_value(CP_FLOAT64, &sum, t, to);
    }
    if (p->raw) ((double *)p->raw->data)[i] = sum + n * p->background;
    if (p->sum_error || p->centre_error) put_errors(j, i, cell);
    if (p->centre)
        for (int a = 0; a < p->ndim; a++) ((double *)p->centre->data)[i * p->ndim + a] = cell[j->more + a].d / sum;
    if (p->value) {
        size_t bytes = (size_t)cpi_itemsize(p->x->type);
        char *to = p->value->data + i * (int64_t)bytes;
        if (cell[POSITION].i)
            memcpy(to, p->x->data + (cell[POSITION].i - 1) * (int64_t)bytes, bytes);
        else
            memset(to, 0, bytes);
    }
    if (p->position)
        cpi_unravel(p->ndim, p->shape, cell[POSITION].i ? cell[POSITION].i - 1 : 0,
                    (int64_t *)p->position->data + i * p->ndim);
    if (p->box)
        for (int a = 0; a < 2 * p->ndim; a++)
            ((int64_t *)p->box->data)[i * 2 * p->ndim + a] = cell[COUNT].i ? cell[j->more + a].i : -1;
}

static void put_all(const measure_job *j, bool second)
{
    for (int64_t i = 0; i < j->plan->n; i++) {
        int64_t slot = cpi_slot_of_result(&j->lookup, i);
        write_result(j, i, slot < 0 ? NULL : j->table + slot * j->words, second);
    }
}

/* The first pass's WANT_ bits. */
static int wanted(const cpi_measure_plan *p)
{
    int want = 0;
    if (p->sum && cpi_is_int(p->sum->type)) want |= WANT_INTEGER;
    if (p->sum || p->mean || p->centre || p->variance || p->deviation) want |= WANT_SUM;
    if (p->centre && p->ndim) want |= WANT_MOMENT;
    if (p->centre_error && p->ndim) want |= WANT_SPREAD;
    if (p->value || p->position) want |= WANT_EXTREMUM;
    if (p->box) want |= WANT_BOX;
    return want;
}

static cp_code measure_regions(measure_job *j)
{
    const cpi_measure_plan *p = j->plan;
    bool spread = p->variance || p->deviation;
    measure_pass(j, wanted(p));
    if (p->must && j->table[COUNT].i == 0)
        return cpi_fail(CP_ERROR_VALUE, "%s: zero-size array to reduction operation %s which has no identity",
                        p->function, p->greatest ? "maximum" : "minimum");
    if (!spread) {
        put_all(j, false);
        return CP_OK;
    }
    j->mean = cpi_malloc((size_t)j->cells * sizeof *j->mean);
    if (!j->mean) return CP_ERROR_MEMORY;
    for (int64_t s = 0; s < j->slots; s++)
        j->mean[s] = j->table[s * j->words + SUM].d / (double)j->table[s * j->words + COUNT].i;
    j->mean[j->slots] = 0;
    measure_pass(j, WANT_SQUARES);
    put_all(j, true);
    cpi_free_host(j->mean);
    return CP_OK;
}

/* Bands: at least 65536 elements each, at most 64, and tables that together are no larger than 4 bytes an
 * element (or 1 MiB). */
static void cut_row_blocks(measure_job *j)
{
    int64_t size = j->plan->size, blocks = size / 65536 < 64 ? size / 65536 : 64;
    int64_t budget = size < 1 << 18 ? 1 << 17 : size / 2, most = budget / j->cells / j->words;
    if (blocks > most) blocks = most;
    if (blocks < 1) blocks = 1;
    j->per_block = (size + blocks - 1) / blocks;
    j->blocks = j->per_block ? (size + j->per_block - 1) / j->per_block : 1;
}

cp_code cpi_ndimage_cpu_measure(cp_stream *stream, const cpi_measure_plan *plan)
{
    measure_job j = {.plan = plan, .changes = CPI_BEST(cpi_changes)};
    int want = wanted(plan);
    j.more = want & WANT_EXTREMUM ? POSITION + 1 : SUM + 1;
    int axis_words = want & WANT_BOX ? 2 : want & WANT_SPREAD ? 3 : want & WANT_MOMENT ? 1 : 0;
    j.words = j.more + axis_words * plan->ndim;
    cp_code code = cpi_lookup_make(&j.lookup, plan);
    if (code != CP_OK) return code;
    j.slots = j.lookup.slots;
    j.width = plan->ndim ? plan->shape[plan->ndim - 1] : 1;
    if (plan->labels) {
        uint64_t zero[2] = {0};
        j.skip_zero = cpi_slot_of(&j.lookup, zero, 0) < 0;
    }
    if (plan->x) {
        j.run = CPI_BEST(cpi_run_function)(plan->x->type);
        j.values = CPI_BEST(cpi_values_function)(plan->x->type);
    }
    j.one_by_one = want == WANT_SUM && j.lookup.span && !j.lookup.direct;
    j.cells = j.slots + 1;
    cut_row_blocks(&j);
    int64_t words;
    if (__builtin_mul_overflow(j.blocks * j.words, j.cells, &words) || words > INT64_MAX / 16) words = INT64_MAX / 16;
    j.table = cpi_work_alloc(stream, (size_t)words * sizeof *j.table);
    code = j.table ? measure_regions(&j) : CP_ERROR_MEMORY;
    cpi_work_free(stream, j.table);
    cpi_lookup_free(&j.lookup);
    return code;
}
