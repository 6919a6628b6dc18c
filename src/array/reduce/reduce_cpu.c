/* Reductions on the CPU: a reduction is cut into tasks and blocks, which the kernels process.
 *
 * There are two ways: by rows (blocks of consecutive reduced elements, joined pairwise) and by columns (a tile of
 * results at once, iterating over rows of them). Blocks that are not contiguous, are masked or of a half type are
 * packed into a buffer first. Invariant: cuts depend on shapes and strides only and joins have a fixed order, so bits
 * do not depend on the number of threads. */
#include "reduce/reduce.h"

#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "cuprite/testing.h"
#include "loop/loop.h"
#include "reduce/finalize.h"
#include "scalar/convert.h"

enum { MAX_ACC = 32, LEVELS = 64, GATHERED = 65536, SHORT = 12 };

/* Dimensions of the arguments, as loops take them. */
typedef struct axes {
    int ndim;
    int64_t shape[CPI_REDUCE_DIMS], x[CPI_REDUCE_DIMS], where[CPI_REDUCE_DIMS], out[CPI_REDUCE_DIMS];
} axes;

typedef struct job {
    const cpi_reduce_args *a;
    const axes *kept, *reduced;
    cp_stream *stream;
    cpi_reduce_choice c;
    const cpi_reduce_kernel *k; /* c's */
    cpi_reduce_widen widen;
    cp_type type;             /* the kernel's: float32 for the half types */
    int64_t item, wide;       /* bytes of an element in x, and for the kernel */
    bool half, indexed, direct; /* direct: kernels read x itself */
    int64_t grain;            /* elements per task */
    int64_t parts, each;      /* parts of the reduced range, and elements of one */
    int64_t units, per_task;  /* rows: results; columns: tiles; and how many per task */
    int64_t cols, tile, tiles, block;
    char *partial;            /* accumulators of the parts */
    char *scratch;            /* of the workers */
    int64_t scratch_each;
    int stop;                 /* any and all of one result: the answer is known */
} job;

/* --- iterating over the reduced dimensions --- */

typedef struct cursor {
    int64_t at[CPI_REDUCE_DIMS], offset[2]; /* of x and where */
} cursor;

static void seek(const job *j, cursor *c, int64_t flat)
{
    const axes *r = j->reduced;
    cpi_unravel(r->ndim, r->shape, flat, c->at);
    c->offset[0] = cpi_offset(r->ndim, c->at, r->x), c->offset[1] = cpi_offset(r->ndim, c->at, r->where);
}

/* m steps along the innermost dimension, at most to its end. */
static void advance(const job *j, cursor *c, int64_t m)
{
    const axes *r = j->reduced;
    const int64_t *const strides[2] = {r->x, r->where};
    if (j->a->where) cpi_advance_offsets(r->ndim, r->shape, m, c->at, 2, strides, c->offset);
    else cpi_advance_offsets(r->ndim, r->shape, m, c->at, 1, strides, c->offset);
}

static int64_t inner_extent(const cpi_reduce_args *a) { return a->nreduced ? a->reduce[a->nreduced - 1].n : 1; }
static int64_t inner_step(const cpi_reduce_args *a) { return a->nreduced ? a->reduce[a->nreduced - 1].x : 0; }
static int64_t left_inside(const cpi_reduce_args *a, const cursor *c)
{
    return a->nreduced ? a->reduce[a->nreduced - 1].n - c->at[a->nreduced - 1] : 1;
}

/* --- gathering --- */

/* every other element is common; a constant stride lets the compiler vectorize */
#define COPY_STRIDED(T)                                                                    \
    if (stride == 2 * (int64_t)sizeof(T))                                                  \
        for (int64_t i = 0; i < n; i++) ((T *)to)[i] = ((const T *)from)[2 * i];           \
    else                                                                                   \
        for (int64_t i = 0; i < n; i++) ((T *)to)[i] = *(const T *)(from + i * stride);    \
    break

typedef struct sixteen { uint64_t a, b; } sixteen;

/* n elements, `stride` bytes apart, to contiguous ones, widening half types. */
static void pack(const job *j, char *restrict to, const char *restrict from, int64_t stride, int64_t n)
{
    if (j->half) {
        j->widen(j->a->type, from, stride, n, (float *)to);
        return;
    }
    if (stride == j->item) {
        memcpy(to, from, (size_t)(n * j->item));
        return;
    }
    switch (j->item) {
    case 1: COPY_STRIDED(uint8_t);
    case 2: COPY_STRIDED(uint16_t);
    case 4: COPY_STRIDED(uint32_t);
    case 8: COPY_STRIDED(uint64_t);
    default: COPY_STRIDED(sixteen);
    }
}

#define COMPRESS(T)                               \
    for (int64_t i = 0; i < n; i++) {             \
        ((T *)x)[m] = ((const T *)x)[i];          \
        m += mask[i * stride] != 0;               \
    }                                             \
    break

/* Keeps the elements of a packed run whose mask byte is set; returns how many. */
static int64_t compress(const job *j, char *x, const uint8_t *mask, int64_t stride, int64_t n)
{
    int64_t m = 0;
    switch (j->wide) {
    case 1: COMPRESS(uint8_t);
    case 2: COMPRESS(uint16_t);
    case 4: COMPRESS(uint32_t);
    case 8: COMPRESS(uint64_t);
    default: COMPRESS(sixteen);
    }
    return m;
}

/* Whole rows of `inner` elements into `buffer`: as many as are left of the next outer dimension, at most `most`
 * elements. Returns elements gathered; 0 inside a row, and where there is but one. Advancing the cursor after each
 * short row would take as long as copying it. */
static int64_t gather_rows(const job *j, cursor *c, const char *x, int64_t inner, int64_t step, int64_t most,
                           char *buffer)
{
    const axes *r = j->reduced;
    const int outer = r->ndim - 2;
    if (outer < 0 || c->at[outer + 1] || most < 2 * inner) return 0;
    const int64_t left = r->shape[outer] - c->at[outer], skip = r->x[outer], bytes = inner * j->wide;
    int64_t m = 0;
    for (x += c->offset[0]; m < left && most >= inner; m++, most -= inner, x += skip, buffer += bytes)
        pack(j, buffer, x, step, inner);
    c->at[outer] += m - 1, c->offset[0] += (m - 1) * skip;
    advance(j, c, inner);
    return m * inner;
}

/* The next `most` elements, those that `where` takes out left out, into `buffer`; returns elements gathered. */
static int64_t gather(const job *j, cursor *c, const char *x, const uint8_t *where, int64_t most, char *buffer)
{
    const axes *r = j->reduced;
    const int last = r->ndim - 1;
    const int64_t inner = last < 0 ? 1 : r->shape[last], step = last < 0 ? 0 : r->x[last];
    int64_t got = 0, at = last < 0 ? 0 : c->at[last];
    while (most > 0) {
        char *to = buffer + got * j->wide;
        int64_t n = where ? 0 : gather_rows(j, c, x, inner, step, most, to);
        if (n) {
            got += n;
        } else {
            n = inner - at < most ? inner - at : most;
            pack(j, to, x + c->offset[0], step, n);
            got += where ? compress(j, to, where + c->offset[1], last < 0 ? 0 : r->where[last], n) : n;
            advance(j, c, n);
        }
        most -= n, at = 0; /* of the next row, if there is one */
    }
    return got;
}

/* --- rows --- */

/* The shift of moments: an element, so that large means cost no precision. */
static void find_shift(const job *j, const char *x, double *shift)
{
    _Alignas(16) char raw[16] = {0};
    shift[0] = shift[1] = 0;
    if (j->a->class_of != CPI_MOMENTS || j->a->where || j->a->reduced == 0) return;
    pack(j, raw, x, 0, 1);
    cpi_pair v = cpi_load_number(j->type, raw);
    shift[0] = v.re, shift[1] = v.im;
    if (!isfinite(shift[0]) || !isfinite(shift[1])) shift[0] = shift[1] = 0;
    if (j->a->about_real) shift[1] = 0;
}

/* Is the answer of `any` or `all` known after a block of m elements counted `acc`? */
static bool settled(const job *j, const void *acc, int64_t m)
{
    if (j->a->class_of != CPI_COUNT) return false;
    int64_t count = *(const int64_t *)acc;
    return (j->a->op == CP_REDUCE_any && count > 0) || (j->a->op == CP_REDUCE_all && count < m);
}

/* Reduces elements begin..end-1 of one result. Blocks are joined as a balanced tree. */
static void reduce_range(job *j, const char *x, const uint8_t *where, const double *shift, int64_t begin, int64_t end,
                         char *buffer, void *acc)
{
    const cpi_reduce_args *a = j->a;
    const cpi_reduce_kernel *k = j->k;
    _Alignas(16) char stack[LEVELS][MAX_ACC];
    int depth = 0;
    int64_t blocks = 0;
    cursor c;
    if (j->indexed) j->c.row->empty(acc);
    seek(j, &c, begin);
    for (int64_t i = begin; i < end;) {
        int64_t m = end - i < j->block ? end - i : j->block, n = m;
        const char *p = buffer;
        if (j->direct) {
            int64_t left = left_inside(a, &c);
            if (m > left) n = m = left;
            p = x + c.offset[0];
            advance(j, &c, m);
        } else {
            n = gather(j, &c, x, where, m, buffer);
        }
        if (j->indexed) {
            k->run(p, n, i, shift, acc);
        } else if (n) {
            k->run(p, n, i, shift, stack[depth]);
            if (where && a->op == CP_REDUCE_all) *(int64_t *)stack[depth] += m - n;
            if (settled(j, stack[depth], m)) {
                *(int64_t *)acc = a->op == CP_REDUCE_any;
                if (a->kept == 1) __atomic_store_n(&j->stop, 1, __ATOMIC_RELAXED);
                return;
            }
            depth++;
            for (int64_t t = ++blocks; !(t & 1); t >>= 1, depth--) k->join(stack[depth - 2], stack[depth - 1], 1);
        } else if (a->op == CP_REDUCE_all) {
            *(int64_t *)stack[depth++] = m;
            for (int64_t t = ++blocks; !(t & 1); t >>= 1, depth--) k->join(stack[depth - 2], stack[depth - 1], 1);
        }
        i += m;
    }
    if (j->indexed) return;
    for (; depth > 1; depth--) k->join(stack[depth - 2], stack[depth - 1], 1);
    if (depth) memcpy(acc, stack[0], (size_t)k->size);
    else j->c.row->empty(acc);
}

/* The beginning of result r's elements, and of its output. */
static void find_result(const job *j, int64_t r, const char **x, const uint8_t **where, char **out)
{
    const axes *k = j->kept;
    const cpi_reduce_args *a = j->a;
    int64_t offset[3];
    *x = a->x, *where = a->where, *out = a->out;
    if (!r) return;
    cpi_offsets(k->ndim, k->shape, r, 3, (const int64_t *const[]){k->x, k->where, k->out}, offset);
    *x += offset[0], *out += offset[2];
    if (a->where) *where += offset[1];
}

static bool is_nan_pair(const job *j, const char *p)
{
    if (j->type == CP_COMPLEX64) return isnan(((const float *)p)[0]) || isnan(((const float *)p)[1]);
    return isnan(((const double *)p)[0]) || isnan(((const double *)p)[1]);
}

/* The first element of a result that takes part and is NaN; NULL: there is none. */
static const char *first_nan(const job *j, const char *x, const uint8_t *where)
{
    const cpi_reduce_args *a = j->a;
    cursor c;
    seek(j, &c, 0);
    for (int64_t i = 0; i < a->reduced; i++, advance(j, &c, 1))
        if ((!where || where[c.offset[1]]) && is_nan_pair(j, x + c.offset[0])) return x + c.offset[0];
    return NULL;
}

/* n results from their accumulators. A complex extremum that is NaN must be the first NaN. SIMD lanes, blocks and
 * parts are not joined in element order, so these elements are searched again. */
static void finalize(const job *j, char *acc, int64_t n, const char *x, int64_t xstep, const uint8_t *where,
                     int64_t wstep, char *out, int64_t step)
{
    const char *nan;
    for (int64_t i = 0; i < n && j->a->class_of == CPI_OWN && cpi_is_complex(j->type); i++) {
        char *own = acc + i * j->k->size;
        if (is_nan_pair(j, own) && (nan = first_nan(j, x + i * xstep, where ? where + i * wstep : NULL)))
            memcpy(own, nan, (size_t)j->k->size);
    }
    cpi_reduce_finalize(j->a, &j->c, acc, n, out, step);
}

/* Results begin..end-1, finalized a few at a time. */
static void rows_of_task(job *j, int64_t begin, int64_t end, char *buffer)
{
    enum { MOST = 32 };
    const cpi_reduce_args *a = j->a;
    const cpi_reduce_dim one = {1, 0, 0, 0}, *last = a->nkept ? &a->keep[a->nkept - 1] : &one;
    const bool whole = j->direct && a->nreduced <= 1 && a->reduced > 0 && a->reduced <= j->block;
    _Alignas(16) char acc[MOST * MAX_ACC];
    char *out;
    const char *x;
    const uint8_t *where;
    double shift[2] = {0, 0};
    for (int64_t r = begin, m; r < end; r += m) {
        find_result(j, r, &x, &where, &out);
        int64_t left = last->n - (a->nkept > 1 && r ? r % last->n : r);
        m = end - r < MOST ? end - r : MOST;
        if (m > left) m = left;
        for (int64_t i = 0; i < m; i++) {
            const char *row = x + i * last->x;
            if (a->class_of == CPI_MOMENTS) find_shift(j, row, shift);
            if (whole && j->indexed) j->c.row->empty(acc + i * j->k->size);
            if (whole) j->k->run(row, a->reduced, 0, shift, acc + i * j->k->size);
            else reduce_range(j, row, where ? where + i * last->where : NULL, shift, 0, a->reduced, buffer,
                              acc + i * j->k->size);
        }
        finalize(j, acc, m, x, last->x, where, last->where, out, last->out);
    }
}

static void row_task(void *context, int64_t task, int worker)
{
    job *j = context;
    const cpi_reduce_args *a = j->a;
    char *buffer = j->scratch + worker * j->scratch_each, *out;
    const char *x;
    const uint8_t *where;
    double shift[2];
    if (j->parts > 1) {
        find_result(j, task / j->parts, &x, &where, &out);
        find_shift(j, x, shift);
        int64_t begin = task % j->parts * j->each, end = begin + j->each;
        char *acc = j->partial + task * j->k->size;
        if (__atomic_load_n(&j->stop, __ATOMIC_RELAXED)) {
            memset(acc, 0, (size_t)j->k->size);
            return;
        }
        reduce_range(j, x, where, shift, begin, end < a->reduced ? end : a->reduced, buffer, acc);
        return;
    }
    int64_t begin = task * j->per_task, end = begin + j->per_task;
    rows_of_task(j, begin, end < a->kept ? end : a->kept, buffer);
}

/* Joins the `parts` accumulators of `n` results each, part after part, as a tree; the total is in part 0. */
static void join_parts(const job *j, char *first, int64_t n)
{
    int64_t size = n * j->k->size;
    for (int64_t d = 1; d < j->parts; d *= 2)
        for (int64_t p = 0; p + d < j->parts; p += 2 * d) j->k->join(first + p * size, first + (p + d) * size, n);
}

/* --- slabs: kept dimensions inside the outermost reduced one --- */

static void slab_task(void *context, int64_t part, int worker)
{
    job *j = context;
    const cpi_reduce_args *a = j->a;
    (void)worker;
    int64_t rest = a->reduced / a->reduce[0].n, first = part * j->each, end = first + j->each;
    char *acc = j->partial + part * a->kept * j->k->size;
    for (int64_t s = first; s < end && s < a->reduce[0].n; s++)
        for (int64_t r = 0; r < a->kept; r++) {
            _Alignas(16) char here[MAX_ACC];
            const char *x;
            const uint8_t *where;
            char *out;
            double shift[2];
            find_result(j, r, &x, &where, &out);
            find_shift(j, x, shift);
            reduce_range(j, x, NULL, shift, s * rest, (s + 1) * rest, NULL, s == first ? acc + r * j->k->size : here);
            if (s > first) j->k->join(acc + r * j->k->size, here, 1);
        }
}

/* Does iterating over results within each step of the outermost reduced dimension read memory in order? */
static bool slabs_fit(const job *j)
{
    const cpi_reduce_args *a = j->a;
    if (!j->direct || a->nreduced < 2 || a->kept < 2 || a->kept > 4096 || a->reduced * a->kept < 2 * j->grain)
        return false;
    for (int d = 0; d < a->nkept; d++)
        if (a->keep[d].x >= a->reduce[0].x) return false;
    return a->reduce[0].n >= 4 && a->kept * a->reduced / a->reduce[0].n < 4 * j->grain;
}

static cp_code reduce_slabs(job *j)
{
    const cpi_reduce_args *a = j->a;
    int64_t parts = a->kept * a->reduced / j->grain;
    if (parts > 256) parts = 256;
    if (parts > a->reduce[0].n) parts = a->reduce[0].n;
    j->each = (a->reduce[0].n + parts - 1) / parts;
    j->parts = (a->reduce[0].n + j->each - 1) / j->each;
    if (!(j->partial = cpi_work_alloc(j->stream, (size_t)(j->parts * a->kept * j->k->size)))) return CP_ERROR_MEMORY;
    cpi_parallel(j->parts, slab_task, j);
    join_parts(j, j->partial, a->kept);
    for (int64_t r = 0; r < a->kept; r++) {
        const char *x;
        const uint8_t *where;
        char *out;
        find_result(j, r, &x, &where, &out);
        finalize(j, j->partial + r * j->k->size, 1, x, 0, NULL, 0, out, 0);
    }
    return CP_OK;
}

static cp_code reduce_rows(job *j)
{
    const cpi_reduce_args *a = j->a;
    int64_t inner = inner_extent(a);
    j->direct = !a->where && !j->half && (inner_step(a) == j->item || inner == 1) && (a->nreduced <= 1 || inner >= 128);
    j->block = j->type == CP_FLOAT64 && a->reducer == CPI_REDUCER_SUM ? CPI_REDUCE_BLOCK / 2 : CPI_REDUCE_BLOCK;
    bool order = j->indexed || a->class_of == CPI_OWN;
    if (order && j->direct) j->block = 16 * CPI_REDUCE_BLOCK; /* there are no counters that a long block overflows */
    if (slabs_fit(j)) return reduce_slabs(j);
    j->parts = 1;
    int64_t tasks;
    if (a->kept < 64 && a->reduced >= 2 * j->grain) {
        j->parts = cpi_cut(a->reduced, j->grain, &j->each);
        tasks = a->kept * j->parts;
    } else if (a->kept <= j->grain && a->reduced <= j->grain && a->kept * a->reduced <= j->grain) {
        j->per_task = a->kept, tasks = 1; /* for little work divisions would be noticeable */
    } else {
        j->per_task = a->reduced >= j->grain ? 1 : j->grain / (a->reduced ? a->reduced : 1);
        tasks = (a->kept + j->per_task - 1) / j->per_task;
    }
    int workers = tasks > 1 ? cpi_workers() : 1;
    if (!j->direct) {
        j->scratch_each = CPI_REDUCE_BLOCK * 16;
        if (!(j->scratch = cpi_work_alloc(j->stream, (size_t)(workers * j->scratch_each)))) return CP_ERROR_MEMORY;
    }
    if (j->parts > 1 && !(j->partial = cpi_work_alloc(j->stream, (size_t)(tasks * j->k->size)))) return CP_ERROR_MEMORY;
    cpi_parallel(tasks, row_task, j);
    for (int64_t r = 0; j->parts > 1 && r < a->kept; r++) {
        const char *x;
        const uint8_t *where;
        char *out, *first = j->partial + r * j->parts * j->k->size;
        find_result(j, r, &x, &where, &out);
        join_parts(j, first, 1);
        finalize(j, first, 1, x, 0, where, 0, out, 0);
    }
    return CP_OK;
}

/* --- columns --- */

/* Reduces rows begin..end-1 of the tile of n columns at x into acc; tmp and buffer are scratch. */
static void reduce_tile(const job *j, const char *x, int64_t n, const double *shift, int64_t begin, int64_t end,
                        char *acc, char *tmp, char *buffer)
{
    const cpi_reduce_args *a = j->a;
    const cpi_reduce_kernel *k = j->k;
    int64_t cs = a->keep[a->nkept - 1].x, pitch = inner_step(a), rows = j->block;
    cursor c;
    seek(j, &c, begin);
    if (j->indexed)
        for (int64_t i = 0; i < n; i++) j->c.row->empty(acc + i * k->size);
    for (int64_t i = begin; i < end;) {
        int64_t m = end - i < rows ? end - i : rows;
        const char *p = buffer;
        int64_t step = n * j->wide;
        if (j->direct) {
            int64_t left = left_inside(a, &c);
            if (m > left) m = left;
            p = x + c.offset[0], step = pitch;
            advance(j, &c, m);
        } else {
            for (int64_t r = 0; r < m; r++, advance(j, &c, 1)) pack(j, buffer + r * step, x + c.offset[0], cs, n);
        }
        if (j->indexed) {
            k->columns(p, step, m, n, i, shift, acc);
        } else if (i == begin) {
            k->columns(p, step, m, n, i, shift, acc);
        } else {
            k->columns(p, step, m, n, i, shift, tmp);
            k->join(acc, tmp, n);
        }
        i += m;
    }
}

static void column_task(void *context, int64_t task, int worker)
{
    job *j = context;
    const cpi_reduce_args *a = j->a;
    const cpi_reduce_dim *col = &a->keep[a->nkept - 1];
    int64_t size = j->k->size, space = (j->tile * size + 63) / 64 * 64;
    char *scratch = j->scratch + worker * j->scratch_each;
    char *acc = scratch, *tmp = acc + space, *buffer = tmp + space;
    double *shift = (double *)(buffer + GATHERED);
    int64_t part = task % j->parts, first = task / j->parts * j->per_task;
    for (int64_t u = first; u < first + j->per_task && u < j->units; u++) {
        const char *x;
        const uint8_t *where;
        char *out;
        int64_t at = u % j->tiles * j->tile, n = j->cols - at < j->tile ? j->cols - at : j->tile;
        find_result(j, u / j->tiles * j->cols + at, &x, &where, &out);
        if (a->class_of == CPI_MOMENTS)
            for (int64_t i = 0; i < n; i++) find_shift(j, x + i * col->x, shift + 2 * i);
        int64_t begin = part * j->each, end = begin + j->each;
        if (j->parts > 1) acc = j->partial + (u * j->parts * j->tile + part * n) * size;
        reduce_tile(j, x, n, shift, begin, end < a->reduced ? end : a->reduced, acc, tmp, buffer);
        if (j->parts == 1) finalize(j, acc, n, x, col->x, where, col->where, out, col->out);
    }
}

static cp_code reduce_columns(job *j)
{
    const cpi_reduce_args *a = j->a;
    const cpi_reduce_dim *col = &a->keep[a->nkept - 1];
    int64_t size = j->k->size;
    j->cols = col->n;
    j->direct = !j->half && col->x == j->item;
    int64_t most = (a->class_of == CPI_MOMENTS ? 16384 : 32768) / size; /* accumulators stay in the L1 cache */
    j->tiles = (j->cols + most - 1) / most;
    j->tile = ((j->cols + j->tiles - 1) / j->tiles + 15) / 16 * 16;
    j->tiles = (j->cols + j->tile - 1) / j->tile;
    j->units = a->kept / j->cols * j->tiles;
    j->block = a->class_of == CPI_MOMENTS ? 64 : 128;
    if (!j->direct && j->block > GATHERED / (j->tile * j->wide)) j->block = GATHERED / (j->tile * j->wide);
    j->parts = 1, j->each = a->reduced, j->per_task = 1;
    if (j->units < 64 && a->reduced * j->tile >= 2 * j->grain) {
        int64_t rows = j->grain / j->tile;
        j->parts = cpi_cut(a->reduced, rows < 64 ? 64 : rows, &j->each);
    } else if (a->reduced * j->tile < j->grain) {
        j->per_task = j->grain / (a->reduced * j->tile);
    }
    int64_t tasks = (j->units + j->per_task - 1) / j->per_task * j->parts;
    int workers = tasks > 1 ? cpi_workers() : 1;
    j->scratch_each = 2 * ((j->tile * size + 63) / 64 * 64) + GATHERED + j->tile * 16;
    if (!(j->scratch = cpi_work_alloc(j->stream, (size_t)(workers * j->scratch_each)))) return CP_ERROR_MEMORY;
    if (j->parts > 1 && !(j->partial = cpi_work_alloc(j->stream, (size_t)(j->units * j->parts * j->tile * size))))
        return CP_ERROR_MEMORY;
    cpi_parallel(tasks, column_task, j);
    for (int64_t u = 0; j->parts > 1 && u < j->units; u++) {
        const char *x;
        const uint8_t *where;
        char *out, *first = j->partial + u * j->parts * j->tile * size;
        int64_t at = u % j->tiles * j->tile, n = j->cols - at < j->tile ? j->cols - at : j->tile;
        find_result(j, u / j->tiles * j->cols + at, &x, &where, &out);
        join_parts(j, first, n);
        finalize(j, first, n, x, col->x, where, col->where, out, col->out);
    }
    return CP_OK;
}

/* --- the slot --- */

/* Not inline, so that small arrays, which do not need it, do not pay for its code. */
static __attribute__((noinline)) void take_axes(axes *to, int n, const cpi_reduce_dim *from)
{
    to->ndim = n;
    for (int d = 0; d < n; d++)
        to->shape[d] = from[d].n, to->x[d] = from[d].x, to->where[d] = from[d].where, to->out[d] = from[d].out;
}

static _Thread_local bool rows_only;
void cp_test_row_kernels(bool on) { rows_only = on; }

/* The kernel generated from the reducer's row, with functions replaced by hand-written ones where these exist. */
static cpi_reduce_choice choose(const cpi_reduce_args *a, cp_type type)
{
    const cpi_reduce_kernels *made = CPI_BEST(cpi_reduce_rows);
    const cpi_reduce_kernels *tuned[2] = {CPI_BEST(cpi_reduce_sums), CPI_BEST(cpi_reduce_orders)};
    const cpi_reduce_kernel *row = (*made)[a->reducer][a->whole];
    if (!row[type].run) row = (*CPI_LOWEST(cpi_reduce_rows))[a->reducer][a->whole]; /* all of it is hand-written */
    cpi_reduce_choice c = {.k = row[type], .row = &row[type], .pairs = &row[CP_COMPLEX128], .type = type};
    for (int i = 0; i < 2 && !rows_only; i++) {
        const cpi_reduce_kernel *k = (*tuned[i])[a->reducer][a->whole];
        if (!k) continue;
        if (k[type].run) c.k.run = k[type].run;
        if (k[type].columns) c.k.columns = k[type].columns;
        if (k[type].join) c.k.join = k[type].join;
        if (a->type == CP_BOOL && k[CP_BOOL].run) c.k.run = k[CP_BOOL].run;
    }
    return c;
}

cp_code cpi_reduce_cpu_reduce(cp_stream *stream, const cpi_reduce_args *a)
{
    axes kept, reduced; /* outside the job, which is cleared */
    job j = {.a = a, .kept = &kept, .reduced = &reduced, .stream = stream, .item = cpi_itemsize(a->type)};
    kept.ndim = reduced.ndim = 0;
    if (a->nkept) take_axes(&kept, a->nkept, a->keep);
    if (a->nreduced) take_axes(&reduced, a->nreduced, a->reduce);
    j.half = cpi_is_half(a->type);
    j.type = cpi_reduce_kernel_type(cpi_compute_type(a->type));
    j.wide = cpi_itemsize(j.type);
    j.indexed = a->class_of == CPI_INDEXED;
    j.grain = 262144 >> __builtin_ctzll((uint64_t)j.item); /* sizes are powers of two */
    if (j.grain < 16384) j.grain = 16384;
    j.c = choose(a, j.type);
    j.k = &j.c.k;
    j.widen = *CPI_BEST(cpi_reduce_widen);
    /* short rows are reduced by columns: all of them where rows are strided, else those too short for vectors */
    int64_t few = !j.half && a->nreduced == 1 && a->reduce[0].x == j.item ? SHORT : 64;
    bool columns = a->reduced > 0 && (cpi_reduce_by_columns(a, 8) ||
                   (!a->where && a->reduced <= few && a->nkept && a->keep[a->nkept - 1].n >= 16));
    cp_code code = columns ? reduce_columns(&j) : reduce_rows(&j);
    if (j.partial) cpi_work_free(stream, j.partial); /* pages of the pool are touched already: no page faults */
    if (j.scratch) cpi_work_free(stream, j.scratch);
    return code;
}
