/* argsort on the CPU.
 *
 * A key and its index are packed into 64 bits, key above index, and sorted as plain integers: equal keys stay
 * in the order of their indices, so the order is stable without a stable sort. Where key and index do not fit
 * together, the uppermost bits of the keys go first, and runs that agree in them are sorted again by the bits
 * below. Keys of 64 and more bits are first made smaller by the smallest of them. */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/cpu.h"
#include "sort/sort.h"

enum { SMALL = 1 << 15 /* elements of a task */ };

typedef struct order {
    const char *from;
    int64_t *to;
    cpi_keys keys;
    const cpi_sort_kernels *kernels;
    int64_t rows, n, rows_each, each;
    int index_bits;
    char *work; /* for each worker: keys of a row, then scratch of a sort of 64-bit keys */
    int64_t work_bytes, keys_bytes;
    /* one long row: */
    char *all;            /* its keys */
    cpi_u128 *low, *high; /* of each task's keys, in work */
} order;

static inline cpi_u128 key_at(int width, const void *keys, int64_t i)
{
    return width == 0   ? ((const uint32_t *)keys)[i]
           : width == 1 ? ((const uint64_t *)keys)[i]
                        : ((const cpi_u128 *)keys)[i];
}

/* What a packed order is made of: keys less `low`, of which `bits` bits matter. */
typedef struct packing {
    const void *keys;
    int width, bits, index_bits;
    cpi_u128 low;
} packing;

static inline uint64_t index_mask(const packing *p) { return ((uint64_t)1 << p->index_bits) - 1; }

/* Bits of the key that the first packing takes. */
static int taken(const packing *p, int rest)
{
    int capacity = 64 - p->index_bits;
    return rest < capacity ? rest : capacity;
}

static bool all_equal(const packing *p, const uint64_t *packed, int64_t n)
{
    uint64_t mask = index_mask(p);
    cpi_u128 first = key_at(p->width, p->keys, (int64_t)(packed[0] & mask));
    for (int64_t i = 1; i < n; i++)
        if (key_at(p->width, p->keys, (int64_t)(packed[i] & mask)) != first) return false;
    return true;
}

static void refine_runs(const packing *p, uint64_t *packed, int64_t n, int rest, uint64_t *scratch,
                        const cpi_sort_width *by);

/* Sorts entries (their indices count) by the lowest `rest` bits of their keys. */
static void refine(const packing *p, uint64_t *packed, int64_t n, int rest, uint64_t *scratch, const cpi_sort_width *by)
{
    if (rest == 0 || all_equal(p, packed, n)) return;
    int take = taken(p, rest), below = rest - take;
    uint64_t mask = index_mask(p), part = take == 64 ? ~(uint64_t)0 : ((uint64_t)1 << take) - 1;
    for (int64_t i = 0; i < n; i++) {
        uint64_t index = packed[i] & mask;
        packed[i] =
            ((uint64_t)((key_at(p->width, p->keys, (int64_t)index) - p->low) >> below) & part) << p->index_bits | index;
    }
    by->sort(packed, n, scratch);
    refine_runs(p, packed, n, below, scratch, by);
}

/* packed is in order of the key bits above the lowest `rest`: sorts each run of equal ones by these. */
static void refine_runs(const packing *p, uint64_t *packed, int64_t n, int rest, uint64_t *scratch,
                        const cpi_sort_width *by)
{
    if (rest == 0) return;
    for (int64_t i = 0; i < n;) {
        int64_t j = i + 1;
        while (j < n && packed[j] >> p->index_bits == packed[i] >> p->index_bits) j++;
        if (j - i > 1) refine(p, packed + i, j - i, rest, scratch, by);
        i = j;
    }
}

static int bits_of(cpi_u128 x)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    return high ? 128 - __builtin_clzll(high) : low ? 64 - __builtin_clzll(low) : 0;
}

static void extremes(int width, const void *keys, int64_t n, cpi_u128 *low, cpi_u128 *high)
{
    cpi_u128 lo = key_at(width, keys, 0), hi = lo;
    for (int64_t i = 1; i < n; i++) {
        cpi_u128 key = key_at(width, keys, i);
        lo = key < lo ? key : lo;
        hi = key > hi ? key : hi;
    }
    *low = lo;
    *high = hi;
}

/* The first packing of items lo..hi of a row. */
static void pack(const packing *p, int64_t lo, int64_t hi, uint64_t *packed)
{
    int below = p->bits - taken(p, p->bits), up = p->index_bits;
    const uint32_t *k32 = p->keys;
    const uint64_t *k64 = p->keys;
    uint64_t low = (uint64_t)p->low;
    if (p->bits == 0) {
        for (int64_t i = lo; i < hi; i++) packed[i] = (uint64_t)i;
    } else if (p->width == 0) {
        for (int64_t i = lo; i < hi; i++) packed[i] = (uint64_t)(k32[i] - (uint32_t)low) >> below << up | (uint64_t)i;
    } else if (p->width == 1) {
        for (int64_t i = lo; i < hi; i++) packed[i] = (k64[i] - low) >> below << up | (uint64_t)i;
    } else {
        for (int64_t i = lo; i < hi; i++)
            packed[i] = (uint64_t)((key_at(2, p->keys, i) - p->low) >> below) << up | (uint64_t)i;
    }
}

static packing packing_of(const order *o, const void *keys, cpi_u128 low, cpi_u128 high)
{
    return (packing){.keys = keys,
                     .width = cpi_sort_width_of(&o->keys),
                     .bits = bits_of(high - low),
                     .index_bits = o->index_bits,
                     .low = low};
}

static void unpack(const packing *p, uint64_t *packed, int64_t n)
{
    uint64_t mask = index_mask(p);
    for (int64_t i = 0; i < n; i++) packed[i] &= mask;
}

/* --- short rows, many at a time --- */

static void order_rows(void *context, int64_t task, int worker)
{
    const order *o = context;
    char *keys = o->work + worker * o->work_bytes;
    uint64_t *scratch = (uint64_t *)(keys + o->keys_bytes);
    const cpi_sort_width *by = &o->kernels->width[1];
    int64_t end = (task + 1) * o->rows_each < o->rows ? (task + 1) * o->rows_each : o->rows;
    for (int64_t r = task * o->rows_each; r < end; r++) {
        uint64_t *packed = (uint64_t *)(o->to + r * o->n);
        cpi_u128 low, high;
        o->kernels->load(&o->keys, o->from + r * o->n * o->keys.bytes, keys, o->n);
        o->kernels->same(&o->keys, keys, o->n);
        if (o->keys.bytes <= 4)
            low = 0, high = ~(uint32_t)0; /* fits beside any index of a short row */
        else
            extremes(cpi_sort_width_of(&o->keys), keys, o->n, &low, &high);
        packing p = packing_of(o, keys, low, high);
        pack(&p, 0, o->n, packed);
        by->sort(packed, o->n, scratch);
        refine_runs(&p, packed, o->n, p.bits - taken(&p, p.bits), scratch, by);
        unpack(&p, packed, o->n);
    }
}

static cp_code order_short_rows(cp_stream *stream, order *o)
{
    o->rows_each = o->n >= SMALL ? 1 : SMALL / o->n;
    int64_t tasks = (o->rows + o->rows_each - 1) / o->rows_each;
    o->keys_bytes = (o->n * cpi_key_bytes(&o->keys) + 63) / 64 * 64;
    o->work_bytes = o->keys_bytes + ((o->n + CPI_SORT_SLACK) * 8 + 63) / 64 * 64;
    o->work = cpi_work_alloc(stream, (size_t)((tasks > 1 ? cpi_workers() : 1) * o->work_bytes));
    if (!o->work) return cp_error();
    if (tasks == 1)
        order_rows(o, 0, 0);
    else
        cpi_parallel(tasks, order_rows, o);
    cpi_work_free(stream, o->work);
    return CP_OK;
}

/* --- one long row --- */

typedef struct long_order {
    const order *o;
    packing p;
    uint64_t *packed;
} long_order;

static void load_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const order *o = context;
    int64_t lo = task * o->each, m = o->n - lo < o->each ? o->n - lo : o->each;
    char *keys = o->all + lo * cpi_key_bytes(&o->keys);
    o->kernels->load(&o->keys, o->from + lo * o->keys.bytes, keys, m);
    o->kernels->same(&o->keys, keys, m);
    extremes(cpi_sort_width_of(&o->keys), keys, m, &o->low[task], &o->high[task]);
}

static void pack_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const long_order *l = context;
    int64_t lo = task * l->o->each, hi = lo + l->o->each < l->o->n ? lo + l->o->each : l->o->n;
    pack(&l->p, lo, hi, l->packed);
}

static void unpack_part(void *context, int64_t task, int worker)
{
    (void)worker;
    const long_order *l = context;
    int64_t lo = task * l->o->each, m = l->o->n - lo < l->o->each ? l->o->n - lo : l->o->each;
    unpack(&l->p, l->packed + lo, m);
}

static cp_code order_long_row(cp_stream *stream, order *o)
{
    int64_t tasks = cpi_cut(o->n, SMALL, &o->each);
    cp_code code = CP_ERROR_MEMORY;
    o->all = cpi_work_alloc(stream, (size_t)(o->n * cpi_key_bytes(&o->keys)));
    o->low = o->all ? cpi_work_alloc(stream, (size_t)(2 * tasks) * sizeof *o->low) : NULL;
    if (!o->low) goto done;
    o->high = o->low + tasks;
    cpi_parallel(tasks, load_part, o);
    for (int64_t t = 1; t < tasks; t++) {
        if (o->low[t] < o->low[0]) o->low[0] = o->low[t];
        if (o->high[t] > o->high[0]) o->high[0] = o->high[t];
    }
    long_order l = {.o = o, .p = packing_of(o, o->all, o->low[0], o->high[0]), .packed = (uint64_t *)o->to};
    cpi_parallel(tasks, pack_part, &l);
    code = cpi_sort_cpu_sort(stream, CP_UINT64, 1, o->n, l.packed, l.packed);
    int rest = l.p.bits - taken(&l.p, l.p.bits);
    if (code == CP_OK && rest > 0) {
        uint64_t *scratch = cpi_work_alloc(stream, (size_t)(o->n + CPI_SORT_SLACK) * sizeof *scratch);
        if (scratch)
            refine_runs(&l.p, l.packed, o->n, rest, scratch, &o->kernels->width[1]);
        else
            code = CP_ERROR_MEMORY;
        cpi_work_free(stream, scratch);
    }
    if (code == CP_OK) cpi_parallel(tasks, unpack_part, &l);
done:
    cpi_work_free(stream, o->low);
    cpi_work_free(stream, o->all);
    return code;
}

cp_code cpi_sort_cpu_argsort(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, int64_t *to)
{
    order o = {.from = from,
               .to = to,
               .keys = cpi_keys_of(type),
               .kernels = cpi_cpu_sort_kernels(),
               .rows = rows,
               .n = n,
               .index_bits = n > 1 ? bits_of((cpi_u128)(n - 1)) : 1};
    if (n == 1) {
        memset(to, 0, (size_t)rows * sizeof *to);
        return CP_OK;
    }
    if (n < 1 << 16 || rows >= 8) {
        if (n <= (int64_t)1 << 32) return order_short_rows(stream, &o);
    }
    for (int64_t r = 0; r < rows; r++) {
        o.from = (const char *)from + r * n * o.keys.bytes;
        o.to = to + r * n;
        cp_code code = order_long_row(stream, &o);
        if (code != CP_OK) return code;
    }
    return CP_OK;
}
