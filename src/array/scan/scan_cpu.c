/* Scans on the CPU.
 *
 * A long row is cut into tiles, which threads take in order. Each thread scans its tile by itself and waits for the
 * total of the tiles before it. It passes on that total joined with its own tile's, and only then joins it to its
 * elements. So one thread waits for another only a moment, and memory is read once. Tiles follow from the sizes alone
 * and are joined in order, so the number of threads changes no bit. Where a thread is preempted, another computes its
 * total in its stead. Products of floating types are computed in element order: they overflow where NumPy's do, and
 * every bit is NumPy's. */
#include "scan/scan.h"

#include <sched.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/bytes.h"
#include "cpu/threads.h"
#include "cpu/vectors.h"
#include "move/kernels.h"
#include "scan/tiles.h"

enum {
    COLUMNS = 1024,          /* most columns scanned side by side */
    ROW_TASK = 65536,        /* elements per task */
    COLUMN_TASK = 1 << 15,
    PATIENCE = 2000,         /* spins before a waiting thread does the work itself; some ten microseconds */
    MANY_ROWS = 64,          /* rows that keep all threads busy */
    PAST_BYTES = 6 << 20     /* results of at least this size are written with non-temporal stores */
};

/* The total of the tiles up to one. It fills a cache line, so that waiting threads do not disturb others. */
enum { MISSING, BEING_WRITTEN, READY };
typedef struct handed {
    _Alignas(64) char value[16];
    uint32_t state;
} handed;

typedef struct kernels kernels;
typedef struct job {
    const cpi_scan *s;
    const kernels *k;
    cpi_scan_tiles t;
    const cpi_move_kernels *set;  /* converters */
    cp_type wide;            /* the tiles' accumulator type */
    int64_t tile, tiles;     /* elements of a tile, tiles of a row */
    int64_t each;            /* rows, or blocks of columns, per task */
    int64_t chunks, chunk;   /* blocks of columns, and columns in one */
    handed *handed;          /* totals by tile; NULL where a task has whole rows */
    bool past;
} job;

/* Scans in element order; `carry` is at most 32 bytes. */
struct kernels {
    void (*begin)(void *carry);
    void (*row)(void *carry, const void *from, void *to, int64_t n);
    void (*rows)(const void *from, void *to, int64_t rows, int64_t n);
    void (*columns)(const job *j, int64_t outer, int64_t first, int count);
};

#define ITSELF(x) (x)
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

/* --- integers: by width, whatever their sign --- */
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_or
#define LOAD(x) ((x) != 0)
#define STORE ITSELF
#define JOIN(a, b) ((a) | (b))
#define NOTHING 0
#include "scan/rows.h"
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_and
#define LOAD(x) ((x) != 0)
#define STORE ITSELF
#define JOIN(a, b) ((a) & (b))
#define NOTHING 1
#include "scan/rows.h"
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_add_8
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint8_t)((a) + (b)))
#define NOTHING 0
#include "scan/rows.h"
#define T uint16_t
#define A uint16_t
#define NAME(f) f##_add_16
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint16_t)((a) + (b)))
#define NOTHING 0
#include "scan/rows.h"
#define T uint32_t
#define A uint32_t
#define NAME(f) f##_add_32
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN PLUS
#define NOTHING 0
#include "scan/rows.h"
#define T uint64_t
#define A uint64_t
#define NAME(f) f##_add_64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN PLUS
#define NOTHING 0
#include "scan/rows.h"
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_multiply_8
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint8_t)((a) * (b)))
#define NOTHING 1
#include "scan/rows.h"
#define T uint16_t
#define A uint16_t
#define NAME(f) f##_multiply_16
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint16_t)((uint32_t)(a) * (b)))
#define NOTHING 1
#include "scan/rows.h"
#define T uint32_t
#define A uint32_t
#define NAME(f) f##_multiply_32
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#include "scan/rows.h"
#define T uint64_t
#define A uint64_t
#define NAME(f) f##_multiply_64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#include "scan/rows.h"

/* --- floating types: -0 is the identity, as it keeps every number's sign --- */
#define T float
#define A double
#define NAME(f) f##_add_f32
#define LOAD(x) ((double)(x))
#define STORE(a) ((float)(a))
#define JOIN PLUS
#define NOTHING (-0.0)
#include "scan/rows.h"
#define T double
#define A double
#define NAME(f) f##_add_f64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN PLUS
#define NOTHING (-0.0)
#include "scan/rows.h"

static inline cp_complex128 add_parts(cp_complex128 a, cp_complex128 b)
{
    return (cp_complex128){a.re + b.re, a.im + b.im};
}
#define T cp_complex64
#define A cp_complex128
#define NAME(f) f##_add_c64
#define LOAD(x) ((cp_complex128){(x).re, (x).im})
#define STORE(a) ((cp_complex64){(float)(a).re, (float)(a).im})
#define JOIN add_parts
#define NOTHING ((cp_complex128){-0.0, -0.0})
#include "scan/rows.h"
#define T cp_complex128
#define A cp_complex128
#define NAME(f) f##_add_c128
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN add_parts
#define NOTHING ((cp_complex128){-0.0, -0.0})
#include "scan/rows.h"

#define T float
#define A float
#define NAME(f) f##_multiply_f32
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#include "scan/rows.h"
#define T double
#define A double
#define NAME(f) f##_multiply_f64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#include "scan/rows.h"
/* The first factor is the first element, not 1 times it: that would be NaN where a part is infinite. `begun` says
 * whether there is one. */
typedef struct product64 { float re, im; bool begun; } product64;
typedef struct product128 { double re, im; bool begun; } product128;
static inline product64 times_c64(product64 a, product64 b)
{
    if (!a.begun) return b;
    return (product64){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, true};
}
static inline product128 times_c128(product128 a, product128 b)
{
    if (!a.begun) return b;
    return (product128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, true};
}
#define T cp_complex64
#define A product64
#define NAME(f) f##_multiply_c64
#define LOAD(x) ((product64){(x).re, (x).im, true})
#define STORE(a) ((cp_complex64){(a).re, (a).im})
#define JOIN times_c64
#define NOTHING ((product64){1, 0, false})
#include "scan/rows.h"
#define T cp_complex128
#define A product128
#define NAME(f) f##_multiply_c128
#define LOAD(x) ((product128){(x).re, (x).im, true})
#define STORE(a) ((cp_complex128){(a).re, (a).im})
#define JOIN times_c128
#define NOTHING ((product128){1, 0, false})
#include "scan/rows.h"

static const kernels *kernels_of(cpi_scan_op op, cp_type t)
{
    const bool add = op == CPI_SCAN_ADD;
    if (!add && op != CPI_SCAN_MULTIPLY) return NULL;
#define PICK(name) (add ? &kernels_add_##name : &kernels_multiply_##name)
    switch ((int)t) {
    case CP_BOOL: return add ? &kernels_or : &kernels_and;
    case CP_FLOAT32: return PICK(f32);
    case CP_FLOAT64: return PICK(f64);
    case CP_COMPLEX64: return PICK(c64);
    case CP_COMPLEX128: return PICK(c128);
    }
    switch (cpi_itemsize(t)) {
    case 1: return PICK(8);
    case 2: return PICK(16);
    case 4: return PICK(32);
    default: return PICK(64);
    }
#undef PICK
}

/* --- tiles --- */

/* Do elements of the two types with the same value have the same bits? */
static bool same_bits(cp_type a, cp_type b)
{
    return a == b || (cpi_itemsize(a) == cpi_itemsize(b) && cpi_is_int(a) && cpi_is_int(b));
}

/* Elements of a tile in its accumulator type: where they lie, or converted into `buffer`. Truth is tested before
 * widening or narrowing: 0.5 and 2^32 are true. */
static const void *taken(const job *j, const char *x, int64_t n, void *buffer)
{
    uint8_t truths[CPI_SCAN_TILE / sizeof(uint32_t)];
    cp_type source = j->s->source;
    if (same_bits(source, j->wide)) return x;
    if (j->s->type == CP_BOOL && source != CP_BOOL) {
        j->set->convert[source][CP_BOOL](truths, x, n);
        x = (const char *)truths, source = CP_BOOL;
    }
    j->set->convert[source][j->wide](buffer, x, n);
    return buffer;
}

/* Stores n values of a type, from the cache, as elements of the result's type. */
static void store_results(const job *j, cp_type type, const char *joined, char *to, int64_t n, char *buffer)
{
    const cp_type result = j->s->result;
    if (!same_bits(result, type)) {
        char *narrow = j->past ? buffer : to;
        j->set->convert[type][result](narrow, joined, n);
        joined = narrow;
    }
    if (j->past) j->set->stream(to, joined, n * cpi_itemsize(result)), cpi_stream_done();
}

/* Stores n results: joined directly in `to`, or in the buffer first. */
static void given(const job *j, void *carry, const void *local, char *to, int64_t n, char *buffer)
{
    const bool same = same_bits(j->s->result, j->wide);
    const bool past = j->past && j->t.size && same && !((uintptr_t)to & 63);
    char *joined = same && (past || !j->past) ? to : buffer;
    if (j->t.size) j->t.join(carry, local, joined, n, past);
    else j->k->row(carry, local, joined, n);
    if (joined != to) store_results(j, j->wide, joined, to, n, buffer + CPI_SCAN_TILE);
}

/* The beginning of the tile after the next one, for prefetching; NULL: there is none. */
static const char *tile_ahead(const job *j, int64_t row, int64_t first)
{
    if (first + 3 * j->tile > j->s->n) return NULL;
    return (const char *)j->s->from + (row * j->s->n + first + 2 * j->tile) * cpi_itemsize(j->s->source);
}

/* --- totals passed between tiles --- */

static uint32_t state_of(const handed *h) { return __atomic_load_n(&h->state, __ATOMIC_ACQUIRE); }

/* The first thread that knows the total writes it; all would write the same value. */
static void hand_on(handed *h, const char *value)
{
    uint32_t missing = MISSING;
    if (!__atomic_compare_exchange_n(&h->state, &missing, BEING_WRITTEN, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    memcpy(h->value, value, sizeof h->value);
    __atomic_store_n(&h->state, READY, __ATOMIC_RELEASE);
}

static int64_t elements_of(const job *j, int64_t t)
{
    const int64_t first = t * j->tile;
    return j->s->n - first < j->tile ? j->s->n - first : j->tile;
}

static const char *tile_of(const job *j, int64_t row, int64_t t)
{
    return (const char *)j->s->from + (row * j->s->n + t * j->tile) * cpi_itemsize(j->s->source);
}

/* Computes and passes on the total of tile t for a thread that was preempted while working on it. Not where results
 * overwrite their elements: the other thread may resume and overwrite what is read here. */
static void stand_in(const job *j, int64_t row, int64_t t, char *buffer)
{
    char carry[16], *local = buffer + CPI_SCAN_TILE;
    handed *h = &j->handed[row * j->tiles + t];
    const int64_t n = elements_of(j, t);
    j->t.scan(taken(j, tile_of(j, row, t), n, buffer), local, n, NULL);
    memcpy(carry, t ? h[-1].value : j->t.none, sizeof carry);
    j->t.pass(carry, local + (n - 1) * j->t.size);
    hand_on(h, carry);
}

/* Waits for the total of the tiles before t. That takes a moment, as they are being computed. */
static void wait_for_tile(const job *j, int64_t row, int64_t t, char *buffer)
{
    const handed *h = &j->handed[row * j->tiles];
    for (int64_t turn = 1; state_of(&h[t - 1]) != READY; turn++) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
        if (turn % PATIENCE) continue;
        int64_t first = t - 1;
        while (first && state_of(&h[first - 1]) != READY) first--;
        if (state_of(&h[first]) == MISSING && j->s->to != j->s->from) stand_in(j, row, first, buffer);
        else sched_yield();
    }
}

/* Scans tile t of a row from `carry`, then adds the tile to `carry`. */
static void run_tile(const job *j, int64_t row, int64_t t, char *carry)
{
    _Alignas(64) char local[CPI_SCAN_TILE], buffer[2 * CPI_SCAN_TILE];
    const int64_t n = elements_of(j, t);
    const void *x = taken(j, tile_of(j, row, t), n, buffer);
    char *to = (char *)j->s->to + (row * j->s->n + t * j->tile) * cpi_itemsize(j->s->result);
    if (!j->t.size) {
        given(j, carry, x, to, n, buffer);
        return;
    }
    handed *const mine = j->handed ? &j->handed[row * j->tiles + t] : NULL;
    const char *ahead = mine ? tile_ahead(j, row, t * j->tile) : NULL;
    if (ahead && !same_bits(j->s->source, j->wide)) {
        for (int64_t k = 0; k < n * cpi_itemsize(j->s->source); k += 64) __builtin_prefetch(ahead + k, 0, 2);
        ahead = NULL;
    }
    j->t.scan(x, local, n, ahead);
    char before[sizeof j->t.none];
    if (mine && t) wait_for_tile(j, row, t, buffer);
    memcpy(before, mine && t ? mine[-1].value : carry, sizeof before);
    memcpy(carry, before, sizeof before);
    j->t.pass(carry, local + (n - 1) * j->t.size);
    if (mine) hand_on(mine, carry);
    given(j, before, local, to, n, buffer);
}

static void begin_row(const job *j, char *carry)
{
    if (j->t.size) memcpy(carry, j->t.none, sizeof j->t.none);
    else j->k->begin(carry);
}

/* One tile. cpi_parallel starts tasks in order, so a waiting tile never delays one before it, and there is no
 * deadlock. */
static void tile_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    char carry[32];
    (void)worker;
    begin_row(j, carry);
    run_tile(j, task / j->tiles, task % j->tiles, carry);
}

/* Rows first .. end, of a few elements each: as many at once as a tile has elements. */
static void run_short_rows(const job *j, int64_t first, int64_t end)
{
    _Alignas(64) char given[CPI_SCAN_TILE], made[CPI_SCAN_TILE];
    const int64_t n = j->s->n, from_size = cpi_itemsize(j->s->source), to_size = cpi_itemsize(j->s->result);
    const cp_type type = j->s->type; /* these use the type itself, tiles a wider one */
    const bool same = same_bits(j->s->result, type);
    for (int64_t rows; first < end; first += rows) {
        rows = CPI_SCAN_TILE / (n * cpi_itemsize(type));
        if (rows > end - first) rows = end - first;
        const char *x = (const char *)j->s->from + first * n * from_size;
        char *to = (char *)j->s->to + first * n * to_size;
        if (!same_bits(j->s->source, type)) j->set->convert[j->s->source][type](given, x, rows * n), x = given;
        j->k->rows(x, same && !j->past ? to : made, rows, n);
        if (!same || j->past) store_results(j, type, made, to, rows * n, given);
    }
}

static void rows_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const int64_t end = (task + 1) * j->each < j->s->outer ? (task + 1) * j->each : j->s->outer;
    if (j->k && j->s->n < CPI_SCAN_SHORT) {
        run_short_rows(j, task * j->each, end);
        return;
    }
    for (int64_t row = task * j->each; row < end; row++) {
        char carry[32];
        begin_row(j, carry);
        for (int64_t t = 0; t < j->tiles; t++) run_tile(j, row, t, carry);
    }
}

/* Chooses the tiles' type: narrow integers are computed in 32 bits, bool as maximum or minimum. */
static void find_tiles(job *j)
{
    const cp_type type = j->s->type;
    cpi_scan_op op = j->s->op;
    j->wide = type;
    if (type == CP_BOOL) {
        j->wide = CP_UINT32;
        if (op == CPI_SCAN_ADD) op = CPI_SCAN_MAXIMUM;
        if (op == CPI_SCAN_MULTIPLY) op = CPI_SCAN_MINIMUM;
    } else if (cpi_is_whole(type) && cpi_itemsize(type) < 4) {
        j->wide = cpi_is_signed(type) ? CP_INT32 : CP_UINT32;
    }
    j->t = CPI_BEST(cpi_scan_tiles_of)(op, j->wide);
    const int64_t size = j->t.size > cpi_itemsize(j->wide) ? j->t.size : cpi_itemsize(j->wide);
    j->tile = CPI_SCAN_TILE / size;
    j->tiles = (j->s->n - 1) / j->tile + 1;
}

static cp_code scan_rows(cp_stream *stream, job *j)
{
    const cpi_scan *s = j->s;
    j->set = cpi_move_kernels_best();
    find_tiles(j);
    j->past = s->to != s->from && s->outer * s->n * cpi_itemsize(s->result) >= PAST_BYTES;
    if (!j->t.size || s->outer >= MANY_ROWS || j->tiles < 4) {
        j->each = s->n < ROW_TASK ? ROW_TASK / s->n : 1;
        cpi_parallel((s->outer - 1) / j->each + 1, rows_task, j);
        return CP_OK;
    }
    const size_t bytes = (size_t)(s->outer * j->tiles) * sizeof *j->handed;
    if (!(j->handed = cpi_work_alloc(stream, bytes))) return cp_error();
    memset(j->handed, 0, bytes);
    cpi_parallel(s->outer * j->tiles, tile_task, j);
    cpi_work_free(stream, j->handed);
    return CP_OK;
}

/* --- columns --- */

static void columns_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const int64_t all = j->s->outer * j->chunks, end = (task + 1) * j->each < all ? (task + 1) * j->each : all;
    for (int64_t c = task * j->each; c < end; c++) {
        const int64_t first = c % j->chunks * j->chunk, left = j->s->inner - first;
        j->k->columns(j, c / j->chunks, first, left < j->chunk ? (int)left : (int)j->chunk);
    }
}

cp_code cpi_scan_cpu_scan(cp_stream *stream, const cpi_scan *s)
{
    job j = {.s = s, .k = kernels_of(s->op, s->type)};
    if (s->inner == 1) return scan_rows(stream, &j);
    j.chunks = (s->inner - 1) / COLUMNS + 1;
    if (s->outer * j.chunks < 4 && s->inner >= 512) j.chunks = 4; /* so that threads share them evenly */
    j.chunk = ((s->inner - 1) / j.chunks + 64) / 64 * 64;
    j.chunks = (s->inner - 1) / j.chunk + 1;
    const int64_t work = s->n * (s->inner < j.chunk ? s->inner : j.chunk);
    j.each = work < COLUMN_TASK ? COLUMN_TASK / work : 1;
    cpi_parallel((s->outer * j.chunks - 1) / j.each + 1, columns_task, &j);
    return CP_OK;
}
