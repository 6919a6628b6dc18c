/* partition on the CPU.
 *
 * Rows are converted to keys, in which quickselect moves each kth to its position, and back. A long row of 32 or 64 bit
 * elements is first partitioned by all threads into what is below, inside and above a narrow window around a kth, which
 * a sample gives; only the few keys inside are left to one thread. A kth that the window missed lies in one of the
 * other parts, which is partitioned again. The scratch memory is allocated before anything is written, so a failure
 * leaves the row as it was. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/select.h"
#include "sort/sort.h"

enum { LONG_ROW = 1 << 17, CHUNKS = 256 };

typedef struct placing {
    cp_type type;
    cpi_keys keys;
    int64_t rows, n, each;
    char *data;
    int nkth;
    const int64_t *kth;
} placing;

/* Elements to keys in place, and back. */
static void to_keys(const cpi_keys *k, void *data, int64_t n)
{
#define EACH(T, key) \
    for (int64_t i = 0; i < n; i++) ((T *)data)[i] = key(k, ((T *)data)[i])
    switch (k->bytes) {
    case 1: EACH(uint8_t, cpi_key8); break;
    case 2: EACH(uint16_t, cpi_key16); break;
    case 4: EACH(uint32_t, cpi_key32); break;
    case 8:
        if (k->complex_parts) EACH(uint64_t, cpi_ckey64);
        else EACH(uint64_t, cpi_key64);
        break;
    default: EACH(cpi_u128, cpi_ckey128);
    }
}

static void from_keys(const cpi_keys *k, void *data, int64_t n)
{
    switch (k->bytes) {
    case 1: EACH(uint8_t, cpi_unkey8); break;
    case 2: EACH(uint16_t, cpi_unkey16); break;
    case 4: EACH(uint32_t, cpi_unkey32); break;
    case 8:
        if (k->complex_parts) EACH(uint64_t, cpi_cunkey64);
        else EACH(uint64_t, cpi_unkey64);
        break;
    default: EACH(cpi_u128, cpi_cunkey128);
    }
#undef EACH
}

static void position(int bytes, char *data, int64_t n, int64_t k)
{
    switch (bytes) {
    case 1: cpi_nth_element8((uint8_t *)data, n, k); break;
    case 2: cpi_nth_element16((uint16_t *)data, n, k); break;
    case 4: cpi_nth_element32((uint32_t *)data, n, k); break;
    case 8: cpi_nth_element64((uint64_t *)data, n, k); break;
    default: cpi_nth_element128((cpi_u128 *)data, n, k); break;
    }
}

/* The middle one of several kth first: it divides the row for the others. */
static void partition_all(int bytes, char *data, int64_t begin, int64_t end, int nkth, const int64_t *kth)
{
    if (!nkth) return;
    int m = nkth / 2;
    position(bytes, data + begin * bytes, end - begin, kth[m] - begin);
    partition_all(bytes, data, begin, kth[m], m, kth);
    partition_all(bytes, data, kth[m] + 1, end, nkth - m - 1, kth + m + 1);
}

static void placing_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const placing *p = context;
    int64_t end = (task + 1) * p->each < p->rows ? (task + 1) * p->each : p->rows;
    for (int64_t row = task * p->each; row < end; row++) {
        char *x = p->data + row * p->n * p->keys.bytes;
        to_keys(&p->keys, x, p->n);
        partition_all(p->keys.bytes, x, 0, p->n, p->nkth, p->kth);
        from_keys(&p->keys, x, p->n);
    }
}

/* --- one long row, all threads --- */

typedef struct partitioning {
    cpi_keys keys;
    char *x;              /* the elements */
    char *ends, *middle;  /* scratch of their size */
    int64_t n, each;
    uint64_t lo, hi;
    cpi_parts parted[CHUNKS];
    int64_t below[CHUNKS], inside[CHUNKS], above[CHUNKS]; /* where a chunk's keys go */
} partitioning;

static void bin_task(void *context, int64_t task, int worker)
{
    (void)worker;
    partitioning *d = context;
    int64_t begin = task * d->each, n = d->n - begin < d->each ? d->n - begin : d->each;
    if (d->keys.bytes == 4)
        d->parted[task] = cpi_three_way32()((uint32_t *)d->x + begin, n, &d->keys, (uint32_t)d->lo, (uint32_t)d->hi,
                                            (uint32_t *)d->ends + begin, (uint32_t *)d->middle + begin);
    else
        d->parted[task] = cpi_three_way64()((uint64_t *)d->x + begin, n, &d->keys, d->lo, d->hi,
                                            (uint64_t *)d->ends + begin, (uint64_t *)d->middle + begin);
}

/* Keys from[f..) as elements into x[t..). */
static void store_keys(const partitioning *d, int64_t t, const char *from, int64_t f, int64_t n)
{
    if (d->keys.bytes == 4) {
        uint32_t *to = (uint32_t *)d->x + t;
        for (int64_t i = 0; i < n; i++) to[i] = cpi_unkey32(&d->keys, ((const uint32_t *)from)[f + i]);
    } else {
        uint64_t *to = (uint64_t *)d->x + t;
        for (int64_t i = 0; i < n; i++) to[i] = cpi_unkey64(&d->keys, ((const uint64_t *)from)[f + i]);
    }
}

static void put_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const partitioning *d = context;
    int64_t begin = task * d->each, n = d->n - begin < d->each ? d->n - begin : d->each;
    const cpi_parts *c = &d->parted[task];
    store_keys(d, d->below[task], d->ends, begin, c->below);
    store_keys(d, d->inside[task], d->middle, begin, c->inside);
    store_keys(d, d->above[task], d->ends, begin + n - c->above, c->above);
}

static uint64_t key_at(const partitioning *d, int64_t i)
{
    return d->keys.bytes == 4 ? cpi_key32(&d->keys, ((const uint32_t *)d->x)[i])
                              : cpi_key64(&d->keys, ((const uint64_t *)d->x)[i]);
}

/* The window around rank k: 4.5 standard deviations of a sample's rank on either side. */
static void guess_window(partitioning *d, int64_t k)
{
    enum { SAMPLES = 4096, MARGIN = 146 };
    uint64_t *s = (uint64_t *)d->ends;
    int64_t stride = d->n / SAMPLES, at = (int64_t)((double)k / (double)d->n * SAMPLES);
    for (int64_t i = 0; i < SAMPLES; i++) s[i] = key_at(d, cpi_sample_at(i, stride));
    d->lo = 0;
    d->hi = d->keys.bytes == 4 ? UINT32_MAX : UINT64_MAX;
    if (at >= MARGIN) cpi_nth_element64(s, SAMPLES, at - MARGIN), d->lo = s[at - MARGIN];
    if (at + MARGIN < SAMPLES) cpi_nth_element64(s, SAMPLES, at + MARGIN), d->hi = s[at + MARGIN];
}

/* Partitions x[0..n) around rank k; *first and *last become the bounds of what is inside. */
static void three_way(partitioning *d, int64_t k, int64_t *first, int64_t *last)
{
    int64_t tasks = cpi_cut(d->n, 32768, &d->each), below = 0, inside = 0, above = 0;
    guess_window(d, k);
    cpi_parallel(tasks, bin_task, d);
    for (int64_t t = 0; t < tasks; t++) {
        d->below[t] = below;
        d->inside[t] = inside;
        d->above[t] = above;
        below += d->parted[t].below;
        inside += d->parted[t].inside;
        above += d->parted[t].above;
    }
    for (int64_t t = 0; t < tasks; t++) {
        d->inside[t] += below;
        d->above[t] += below + inside;
    }
    cpi_parallel(tasks, put_task, d);
    *first = below;
    *last = below + inside;
}

/* Elements begin..end-1 of the row, which contain the kth. */
static void partition_range(partitioning *d, char *row, int64_t begin, int64_t end, int nkth, const int64_t *kth,
                            int depth)
{
    int bytes = d->keys.bytes, a = 0, b;
    if (!nkth) return;
    if (end - begin < LONG_ROW || depth > 8) {
        to_keys(&d->keys, row + begin * bytes, end - begin);
        partition_all(bytes, row, begin, end, nkth, kth);
        from_keys(&d->keys, row + begin * bytes, end - begin);
        return;
    }
    int64_t first, last;
    d->x = row + begin * bytes;
    d->n = end - begin;
    three_way(d, kth[nkth / 2] - begin, &first, &last);
    first += begin;
    last += begin;
    bool equal = d->lo == d->hi;
    while (a < nkth && kth[a] < first) a++;
    for (b = a; b < nkth && kth[b] < last;) b++;
    partition_range(d, row, begin, first, a, kth, depth + 1);
    if (!equal) partition_range(d, row, first, last, b - a, kth + a, depth + 1);
    partition_range(d, row, last, end, nkth - b, kth + b, depth + 1);
}

static cp_code partition_long(cp_stream *stream, const cpi_keys *keys, int64_t rows, int64_t n, char *data, int nkth,
                              const int64_t *kth)
{
    size_t bytes = (size_t)n * (size_t)keys->bytes;
    partitioning *d = cpi_work_alloc(stream, sizeof *d);
    char *scratch = d ? cpi_work_alloc(stream, 2 * bytes) : NULL;
    if (!scratch) {
        cpi_work_free(stream, d);
        return cp_error();
    }
    d->keys = *keys;
    d->ends = scratch;
    d->middle = scratch + bytes;
    for (int64_t row = 0; row < rows; row++) partition_range(d, data + (size_t)row * bytes, 0, n, nkth, kth, 0);
    cpi_work_free(stream, scratch);
    cpi_work_free(stream, d);
    return CP_OK;
}

cp_code cpi_sort_cpu_partition(cp_stream *stream, cp_type type, int64_t rows, int64_t n, void *data, int nkth,
                               const int64_t *kth)
{
    placing p = {type, cpi_keys_of(type), rows, n, 1, data, nkth, kth};
    bool three_way_type = (p.keys.bytes == 4 || p.keys.bytes == 8) && !p.keys.complex_parts;
    if (three_way_type && n >= LONG_ROW && (rows < 8 || n >= 1 << 22))
        return partition_long(stream, &p.keys, rows, n, data, nkth, kth);
    p.each = (rows + 1023) / 1024;
    if (p.each < 32768 / n) p.each = 32768 / n;
    cpi_parallel((rows + p.each - 1) / p.each, placing_task, &p);
    return CP_OK;
}
