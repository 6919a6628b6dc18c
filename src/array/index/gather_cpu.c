/* Gather and scatter by integer arrays, on the CPU.
 *
 * The index is processed in chunks. A chunk's offsets are computed and checked first, into buffers that stay in the L1
 * cache; then its elements move, once for each position of the rest. Writing is split by destination, along the rest or
 * by ranges of offsets, for which each task selects its own from all chunks. No two tasks write one element, and in
 * each the chunks come in order, so of several values for one element the last one stays. Invariant: nothing is written
 * before all indices are known to be valid. */
#include "index/index.h"

#include <string.h>

#include "core/error.h"
#include "cpu/threads.h"
#include "loop/divisor.h"
#include "index/single.h"
#include "loop/loop.h"

enum { CHUNK = 1024, SEGMENT = 32768 /* bytes of a long run that one task moves */, AHEAD = 24 };

typedef struct job {
    const cpi_gather *g;
    int64_t count, chunks, nchunks, slots; /* slots: positions of the rest, times segments of a run */
    int64_t slice, slices, per;           /* slots of a task, parts of the rest, chunks of a task */
    int64_t parts, low, range;            /* of the offsets, for writing */
    bool even, put;                       /* the offsets in `result` have one step */
    int64_t *to;
    const cpi_numbered *axes;             /* `to` gets coordinates */
    int bad;
} job;

/* Adds the offsets of n indices; true where one is beyond the axis. */
static bool add_offsets(const cpi_axis_index *p, const int64_t *at, int64_t step, int64_t n, int64_t *to)
{
    const int64_t extent = p->extent, stride = p->stride;
    uint64_t bad = 0;
    switch (p->mode) {
    case CPI_INDEX_RAISE:
        if (step == 1) {
            for (int64_t i = 0; i < n; i++) {
                int64_t v = at[i] + (at[i] < 0 ? extent : 0);
                bad |= (uint64_t)v >= (uint64_t)extent;
                to[i] += (int64_t)((uint64_t)v * (uint64_t)stride); /* a wrong one wraps; it is not read */
            }
            return bad;
        }
        for (int64_t i = 0; i < n; i++) {
            int64_t v = at[i * step];
            v += v < 0 ? extent : 0;
            bad |= (uint64_t)v >= (uint64_t)extent;
            to[i] += (int64_t)((uint64_t)v * (uint64_t)stride); /* a wrong one wraps; it is not read */
        }
        return bad;
    case CPI_INDEX_EXACT:
        for (int64_t i = 0; i < n; i++) {
            bad |= (uint64_t)at[i * step] >= (uint64_t)extent;
            to[i] += at[i * step] * stride;
        }
        return bad;
    case CPI_INDEX_WRAP:
        if (!extent) return true;
        for (int64_t i = 0; i < n; i++) {
            int64_t v = at[i * step];
            if ((uint64_t)v >= (uint64_t)extent) v %= extent, v += v < 0 ? extent : 0;
            to[i] += (int64_t)((uint64_t)v * (uint64_t)stride); /* a wrong one wraps; it is not read */
        }
        return false;
    case CPI_INDEX_CLIP:
        if (!extent) return true;
        for (int64_t i = 0; i < n; i++) {
            int64_t v = at[i * step];
            v = v < 0 ? 0 : v >= extent ? extent - 1 : v;
            to[i] += (int64_t)((uint64_t)v * (uint64_t)stride); /* a wrong one wraps; it is not read */
        }
        return false;
    }
    return true;
}

/* Offsets of positions first..first+n-1; false where an index is wrong. result may be NULL. */
static bool find(const cpi_gather *g, int64_t first, int64_t n, int64_t *array, int64_t *result)
{
    int64_t c[CPI_GATHER_DIMS];
    const int last = g->ndim - 1;
    bool bad = false;
    cpi_unravel(g->ndim, g->shape, first, c);
    for (int64_t done = 0; done < n;) {
        int64_t run = g->shape[last] - c[last];
        const int64_t m = cpi_offset(g->ndim, c, g->array_step), f = cpi_offset(g->ndim, c, g->values_step);
        if (run > n - done) run = n - done;
        for (int64_t i = 0; i < run; i++) array[done + i] = m + i * g->array_step[last];
        if (result)
            for (int64_t i = 0; i < run; i++) result[done + i] = f + i * g->values_step[last];
        for (int k = 0; k < g->nindices; k++) {
            const cpi_axis_index *p = &g->axis_index[k];
            bad |= add_offsets(p, p->at + cpi_offset(g->ndim, c, p->step), p->step[last], run, array + done);
        }
        done += run;
        cpi_advance(g->ndim, g->shape, run, c);
    }
    return !bad;
}

/* --- moving --- */

/* n elements of one position of the rest; `result` lies at f[i], or, without f, at multiples of `step`. */
#define MOVE_TYPE(T)                                                                                   \
    for (int64_t i = 0; i < n; i++) {                                                                  \
        if (i + AHEAD < n) __builtin_prefetch(array + m[i + AHEAD], put);                              \
        char *to = result + (f ? f[i] : i * step);                                                     \
        memcpy(put ? array + m[i] : to, put ? to : array + m[i], sizeof(T));                           \
    }                                                                                                  \
    break
/* One position of the index along n positions of the rest. */
#define MOVE_REST(T)                                                                                   \
    for (int64_t i = 0; i < n; i++)                                                                    \
        memcpy(put ? array + i * mstep : result + i * fstep, put ? result + i * fstep : array + i * mstep, sizeof(T)); \
    break
typedef struct twelve { uint32_t v[3]; } twelve;
typedef struct sixteen { uint64_t v[2]; } sixteen;
typedef struct wide24 { uint64_t v[3]; } wide24;
typedef struct wide32 { uint64_t v[4]; } wide32;

static inline __attribute__((always_inline)) void move_indexed(char *array, const int64_t *m, char *result,
                                                               const int64_t *f, int64_t step, int64_t n, int64_t bytes,
                                                               bool put)
{
    switch (bytes) {
    case 1: MOVE_TYPE(uint8_t);
    case 2: MOVE_TYPE(uint16_t);
    case 4: MOVE_TYPE(uint32_t);
    case 8: MOVE_TYPE(uint64_t);
    case 12: MOVE_TYPE(twelve);
    case 16: MOVE_TYPE(sixteen);
    case 24: MOVE_TYPE(wide24);
    case 32: MOVE_TYPE(wide32);
    default:
        for (int64_t i = 0; i < n; i++) {
            char *to = result + (f ? f[i] : i * step);
            memcpy(put ? array + m[i] : to, put ? to : array + m[i], (size_t)bytes);
        }
    }
}

static inline __attribute__((always_inline)) void move_rest(char *array, int64_t mstep, char *result, int64_t fstep,
                                                            int64_t n, int64_t bytes, bool put)
{
    switch (bytes) {
    case 1: MOVE_REST(uint8_t);
    case 2: MOVE_REST(uint16_t);
    case 4: MOVE_REST(uint32_t);
    case 8: MOVE_REST(uint64_t);
    case 16: MOVE_REST(sixteen);
    default:
        for (int64_t i = 0; i < n; i++)
            memcpy(put ? array + i * mstep : result + i * fstep, put ? result + i * fstep : array + i * mstep,
                   (size_t)bytes);
    }
}

static void offsets_get(char *array, const int64_t *m, char *result, const int64_t *f, int64_t s, int64_t n,
                        int64_t bytes)
{
    if (f) move_indexed(array, m, result, f, 0, n, bytes, false);
    else move_indexed(array, m, result, NULL, s, n, bytes, false);
}
static void offsets_put(char *array, const int64_t *m, char *result, const int64_t *f, int64_t s, int64_t n,
                        int64_t bytes)
{
    if (f) move_indexed(array, m, result, f, 0, n, bytes, true);
    else move_indexed(array, m, result, NULL, s, n, bytes, true);
}

/* The chunk's elements at slots first..last-1, which are segments of long runs. */
static void move_chunks(const job *j, const int64_t *m, const int64_t *f, int64_t n, int64_t first, int64_t last)
{
    const cpi_gather *g = j->g;
    for (int64_t slot = first; slot < last; slot++) {
        int64_t at = slot % j->nchunks * SEGMENT, length = g->bytes - at < SEGMENT ? g->bytes - at : SEGMENT, offset[2];
        cpi_offsets(g->rest, g->rest_shape, slot / j->nchunks, 2,
                    (const int64_t *const[]){g->rest_array_step, g->rest_values_step}, offset);
        (j->put ? offsets_put : offsets_get)(g->array + offset[0] + at, m, g->result + offset[1] + at, f, 0, n, length);
    }
}

/* The chunk's elements at positions first..last-1 of the rest. f NULL: `result` begins at f0. */
static void move_chunk(const job *j, const int64_t *m, const int64_t *f, int64_t f0, int64_t n, int64_t first,
                       int64_t last)
{
    const cpi_gather *g = j->g;
    const int inner = g->rest - 1;
    const int64_t step = g->values_step[g->ndim - 1];
    int64_t c[CPI_GATHER_DIMS + 1];
    cpi_unravel(g->rest, g->rest_shape, first, c);
    for (int64_t r = first; r < last;) {
        int64_t run = inner < 0 ? 1 : g->rest_shape[inner] - c[inner];
        int64_t ms = inner < 0 ? 0 : g->rest_array_step[inner], fs = inner < 0 ? 0 : g->rest_values_step[inner];
        if (run > last - r) run = last - r;
        char *array = g->array + cpi_offset(g->rest, c, g->rest_array_step);
        char *result = g->result + (f ? 0 : f0) + cpi_offset(g->rest, c, g->rest_values_step);
        if (run == 1 || n >= 16 || n >= run) {
            for (int64_t k = 0; k < run; k++)
                (j->put ? offsets_put : offsets_get)(array + k * ms, m, result + k * fs, f, step, n, g->bytes);
        } else {
            for (int64_t i = 0; i < n; i++) {
                char *to = result + (f ? f[i] : i * step);
                if (j->put) move_rest(array + m[i], ms, to, fs, run, g->bytes, true);
                else move_rest(array + m[i], ms, to, fs, run, g->bytes, false);
            }
        }
        r += run;
        cpi_advance(g->rest, g->rest_shape, run, c);
    }
}

/* Selects the offsets in low..high-1. */
static int64_t within(int64_t low, int64_t high, int64_t n, int64_t *m, int64_t *f)
{
    int64_t k = 0;
    for (int64_t i = 0; i < n; i++) {
        m[k] = m[i], f[k] = f[i];
        k += m[i] >= low && m[i] < high;
    }
    return k;
}

static void do_chunk(job *j, int64_t chunk, int64_t first, int64_t last, int64_t part)
{
    int64_t m[CHUNK], f[CHUNK], at = chunk * CHUNK, n = j->count - at < CHUNK ? j->count - at : CHUNK;
    const cpi_gather *g = j->g;
    const bool even = j->even && j->parts == 1 && j->nchunks == 1;
    if (!find(g, at, n, m, even ? NULL : f)) { /* writing was checked before */
        __atomic_store_n(&j->bad, 1, __ATOMIC_RELAXED);
        return;
    }
    if (j->parts > 1) n = within(j->low + part * j->range, j->low + (part + 1) * j->range, n, m, f);
    if (j->nchunks > 1) move_chunks(j, m, f, n, first, last);
    else move_chunk(j, m, even ? NULL : f, at * g->values_step[g->ndim - 1], n, first, last);
}

static void task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    int64_t slice = task % j->slices, group = task / j->slices, first = slice * j->slice, last = first + j->slice;
    if (last > j->slots) last = j->slots;
    if (j->put) { /* group: a range of offsets */
        for (int64_t c = 0; c < j->chunks; c++) do_chunk(j, c, first, last, group);
        return;
    }
    for (int64_t c = group * j->per; c < (group + 1) * j->per && c < j->chunks; c++) do_chunk(j, c, first, last, 0);
}

/* --- checking --- */

/* Coordinates along the axes of n flat numbers, those of positions from `at` on. */
static void unravel(const job *j, int64_t at, int64_t n, int64_t *number)
{
    const cpi_numbered *a = j->axes;
    if (a->ndim == 1) memcpy(j->to + at, number, (size_t)n * sizeof *number);
    for (int k = 1; k < a->ndim; k++) {
        const int d = a->columns ? k - 1 : a->ndim - k, outermost = a->columns ? a->ndim - 1 : 0;
        int64_t *to = j->to + d * j->count + at;
        /* the last quotient is the outermost coordinate: a copy would take longer than the division */
        int64_t *rest = k == a->ndim - 1 ? j->to + outermost * j->count + at : number;
        const cpi_divisor64 extent = cpi_divisor64_of(a->shape[d]);
        for (int64_t i = 0; i < n; i++) {
            const uint64_t v = (uint64_t)number[i], q = cpi_quotient64(&extent, v);
            to[i] = (int64_t)(v - q * extent.by), rest[i] = (int64_t)q;
        }
    }
}

static void check_task(void *context, int64_t task, int worker)
{
    job *j = context;
    (void)worker;
    for (int64_t c = task * j->per; c < (task + 1) * j->per && c < j->chunks; c++) {
        int64_t m[CHUNK], at = c * CHUNK, n = j->count - at < CHUNK ? j->count - at : CHUNK;
        if (!find(j->g, at, n, j->to && !j->axes ? j->to + at : m, NULL))
            __atomic_store_n(&j->bad, 1, __ATOMIC_RELAXED);
        else if (j->axes)
            unravel(j, at, n, m);
    }
}

static bool all_right(job *j)
{
    j->per = 16;
    cpi_parallel((j->chunks + j->per - 1) / j->per, check_task, j);
    return !j->bad;
}

static bool is_right(const cpi_axis_index *p, int64_t v)
{
    if (p->mode == CPI_INDEX_EXACT) return (uint64_t)v < (uint64_t)p->extent;
    if (p->mode != CPI_INDEX_RAISE) return p->extent > 0;
    return v >= -p->extent && v < p->extent;
}

/* The error of the first wrong index: of the first array that has one. */
static cp_code report(const cpi_gather *g)
{
    const int64_t count = cpi_gather_count(g);
    if (g->failure) return cpi_fail(CP_ERROR_VALUE, "%s: %s", g->function, g->failure);
    for (int k = 0; k < g->nindices; k++) {
        const cpi_axis_index *p = &g->axis_index[k];
        for (int64_t i = 0; i < count; i++) {
            int64_t at;
            cpi_offsets(g->ndim, g->shape, i, 1, (const int64_t *const[]){p->step}, &at);
            if (!is_right(p, p->at[at]))
                return cpi_fail(CP_ERROR_INDEX, "%s: index %lld is out of bounds for axis %d with size %lld",
                                g->function, (long long)p->at[at], p->axis, (long long)p->extent);
        }
    }
    return cpi_fail(CP_ERROR_INDEX, "%s: an index is out of bounds", g->function);
}

/* --- the slots --- */

static job job_of(const cpi_gather *g, bool put)
{
    job j = {.g = g, .count = cpi_gather_count(g), .nchunks = 1, .parts = 1, .put = put, .even = true};
    j.chunks = (j.count + CHUNK - 1) / CHUNK;
    j.slots = cpi_gather_rest(g);
    if (g->bytes > 2 * SEGMENT) j.nchunks = (g->bytes + SEGMENT - 1) / SEGMENT, j.slots *= j.nchunks;
    for (int d = 0; d + 1 < g->ndim; d++) j.even &= g->values_step[d] == g->values_step[d + 1] * g->shape[d + 1];
    return j;
}

/* Elements that are worth a task. */
static int64_t grain(const job *j)
{
    int64_t bytes = j->nchunks > 1 ? SEGMENT : j->g->bytes;
    return bytes + 16 > 262144 ? 1 : 262144 / (bytes + 16);
}

static int64_t cut(const job *j, int64_t each) /* slots of a task that has `each` elements of every one */
{
    int64_t slice = grain(j) / each;
    return slice < 1 ? 1 : slice > j->slots ? j->slots : slice;
}

cp_code cpi_index_cpu_gather(cp_stream *stream, const cpi_gather *g)
{
    (void)stream;
    if (cpi_is_single(g)) return cpi_single_get(g) ? CP_OK : report(g);
    job j = job_of(g, false);
    int64_t chunk = j.count < CHUNK ? j.count : CHUNK;
    j.slice = cut(&j, chunk);
    j.slices = (j.slots + j.slice - 1) / j.slice;
    j.per = grain(&j) / (chunk * j.slice);
    if (j.per < 1) j.per = 1;
    cpi_parallel((j.chunks + j.per - 1) / j.per * j.slices, task, &j);
    return j.bad ? report(g) : CP_OK;
}

/* The range of possible offsets, split into as many parts as there are writing threads. Each thread computes all
 * offsets and selects its own, which costs more than two threads gain (10^7 float32 by two: 105 ms, by one 51). */
static void cut_offsets(job *j)
{
    const cpi_gather *g = j->g;
    int64_t low = 0, high = 0;
    for (int k = 0; k < g->nindices; k++) {
        int64_t far = (g->axis_index[k].extent - 1) * g->axis_index[k].stride;
        low += far < 0 ? far : 0, high += far > 0 ? far : 0;
    }
    for (int d = 0; d < g->ndim; d++) {
        int64_t far = (g->shape[d] - 1) * g->array_step[d];
        low += far < 0 ? far : 0, high += far > 0 ? far : 0;
    }
    int64_t parts = cpi_workers();
    if (parts < 4) return;
    j->parts = parts > 16 ? 16 : parts;
    j->low = low;
    j->range = (high - low) / j->parts + 1;
}

cp_code cpi_index_cpu_scatter(cp_stream *stream, const cpi_gather *g)
{
    if (cpi_is_single(g)) return cpi_single_put(stream, g) ? CP_OK : report(g);
    job j = job_of(g, true);
    if (!all_right(&j)) return report(g);
    j.slice = cut(&j, j.count);
    j.slices = (j.slots + j.slice - 1) / j.slice;
    if (j.slices < 4 && j.count * j.slots > 2 * grain(&j)) cut_offsets(&j);
    cpi_parallel(j.slices * j.parts, task, &j);
    return CP_OK;
}

cp_code cpi_index_cpu_offsets(cp_stream *stream, const cpi_gather *g, int64_t *to)
{
    (void)stream;
    job j = job_of(g, false);
    j.to = to;
    return all_right(&j) ? CP_OK : report(g);
}

cp_code cpi_index_cpu_unravel(cp_stream *stream, const cpi_gather *g, const cpi_numbered *axes, int64_t *to)
{
    (void)stream;
    job j = job_of(g, false);
    j.to = to, j.axes = axes;
    return all_right(&j) ? CP_OK : report(g);
}
