/* Scans on the CPU.
 *
 * A long row is cut into tiles: first the sum of each, then each tile from the sum of those before it, by all threads.
 * Tiles and chains are cut from the sizes alone, so the number of threads changes no bit. Products of floating types
 * stay one chain: what overflows on the way is NumPy's, and so is every bit. */
#include "scan/scan.h"

#include "backend/device.h"
#include "cpu/threads.h"
#include "cpu/vectors.h"

/* Chains start this far apart, and not at a power of two, which would share the cache's places. */
enum { TILE = 8 * 1040, COLUMNS = 128, TASK = 65536, COLUMN_TASK = 1 << 15 };

typedef struct kernels kernels;
typedef struct job {
    const cpi_scan *s;
    const kernels *k;
    int64_t tile, tiles, each; /* elements of a tile; tiles of a row, and of a task */
    int64_t chunks;            /* of columns */
    void *totals;              /* of each tile; NULL where a row is one */
    bool sums;
} job;

struct kernels {
    void (*run_tile)(const job *j, int64_t t, bool sums);
    void (*offsets)(const job *j);
    void (*columns)(const job *j, int64_t outer, int64_t first, int count);
    size_t gathered; /* bytes of A */
    bool tiled;
};

#define ITSELF(x) (x)
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

/* --- integers: of each width, whatever their sign --- */
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_or
#define LOAD(x) ((x) != 0)
#define STORE ITSELF
#define JOIN(a, b) ((a) | (b))
#define NOTHING 0
#define CHAINS 8
#include "scan/rows.h"
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_and
#define LOAD(x) ((x) != 0)
#define STORE ITSELF
#define JOIN(a, b) ((a) & (b))
#define NOTHING 1
#define CHAINS 8
#include "scan/rows.h"
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_add_8
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint8_t)((a) + (b)))
#define NOTHING 0
#define CHAINS 8
#include "scan/rows.h"
#define T uint16_t
#define A uint16_t
#define NAME(f) f##_add_16
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint16_t)((a) + (b)))
#define NOTHING 0
#define CHAINS 8
#include "scan/rows.h"
#define T uint32_t
#define A uint32_t
#define NAME(f) f##_add_32
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN PLUS
#define NOTHING 0
#define CHAINS 8
#include "scan/rows.h"
#define T uint64_t
#define A uint64_t
#define NAME(f) f##_add_64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN PLUS
#define NOTHING 0
#define CHAINS 8
#include "scan/rows.h"
#define T uint8_t
#define A uint8_t
#define NAME(f) f##_multiply_8
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint8_t)((a) * (b)))
#define NOTHING 1
#define CHAINS 8
#include "scan/rows.h"
#define T uint16_t
#define A uint16_t
#define NAME(f) f##_multiply_16
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN(a, b) ((uint16_t)((uint32_t)(a) * (b)))
#define NOTHING 1
#define CHAINS 8
#include "scan/rows.h"
#define T uint32_t
#define A uint32_t
#define NAME(f) f##_multiply_32
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#define CHAINS 8
#include "scan/rows.h"
#define T uint64_t
#define A uint64_t
#define NAME(f) f##_multiply_64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#define CHAINS 8
#include "scan/rows.h"

/* --- floating types: -0 leaves every number's sign as it is --- */
#define T float
#define A double
#define NAME(f) f##_add_f32
#define LOAD(x) ((double)(x))
#define STORE(a) ((float)(a))
#define JOIN PLUS
#define NOTHING (-0.0)
#define CHAINS 8
#include "scan/rows.h"
#define T double
#define A double
#define NAME(f) f##_add_f64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN PLUS
#define NOTHING (-0.0)
#define CHAINS 8
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
#define CHAINS 4
#include "scan/rows.h"
#define T cp_complex128
#define A cp_complex128
#define NAME(f) f##_add_c128
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN add_parts
#define NOTHING ((cp_complex128){-0.0, -0.0})
#define CHAINS 4
#include "scan/rows.h"

#define T float
#define A float
#define NAME(f) f##_multiply_f32
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#define CHAINS 1
#include "scan/rows.h"
#define T double
#define A double
#define NAME(f) f##_multiply_f64
#define LOAD ITSELF
#define STORE ITSELF
#define JOIN TIMES
#define NOTHING 1
#define CHAINS 1
#include "scan/rows.h"
/* The first factor is the first element, not 1 times it, which would be NaN where a part is infinite: `begun` says
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
#define CHAINS 1
#include "scan/rows.h"
#define T cp_complex128
#define A product128
#define NAME(f) f##_multiply_c128
#define LOAD(x) ((product128){(x).re, (x).im, true})
#define STORE(a) ((cp_complex128){(a).re, (a).im})
#define JOIN times_c128
#define NOTHING ((product128){1, 0, false})
#define CHAINS 1
#include "scan/rows.h"

static const kernels *kernels_of(cpi_scan_op op, cp_type t)
{
    const bool add = op == CPI_SCAN_ADD;
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

static void tiles_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const int64_t all = j->s->outer * j->tiles, end = (task + 1) * j->each < all ? (task + 1) * j->each : all;
    for (int64_t t = task * j->each; t < end; t++) j->k->run_tile(j, t, j->sums);
}

static cp_code scan_rows(cp_stream *stream, job *j)
{
    const cpi_scan *s = j->s;
    const bool tiled = j->k->tiled && s->n > 2 * TILE;
    j->tile = tiled ? TILE : s->n;
    j->tiles = tiled ? (s->n - 1) / TILE + 1 : 1;
    j->each = j->tile < TASK ? TASK / j->tile : 1;
    const int64_t tasks = (s->outer * j->tiles - 1) / j->each + 1;
    if (tiled) {
        j->totals = cpi_work_alloc(stream, (size_t)(s->outer * j->tiles) * j->k->gathered);
        if (!j->totals) return cp_error();
        j->sums = true;
        cpi_parallel(tasks, tiles_task, j);
        j->k->offsets(j);
        j->sums = false;
    }
    cpi_parallel(tasks, tiles_task, j);
    cpi_work_free(stream, j->totals);
    return CP_OK;
}

static void columns_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const job *j = context;
    const int64_t all = j->s->outer * j->chunks, end = (task + 1) * j->each < all ? (task + 1) * j->each : all;
    for (int64_t c = task * j->each; c < end; c++) {
        const int64_t first = c % j->chunks * COLUMNS, left = j->s->inner - first;
        j->k->columns(j, c / j->chunks, first, left < COLUMNS ? (int)left : COLUMNS);
    }
}

static cp_code scan(cp_stream *stream, const cpi_scan *s)
{
    job j = {.s = s, .k = kernels_of(s->op, s->type)};
    if (s->inner == 1) return scan_rows(stream, &j);
    j.chunks = (s->inner - 1) / COLUMNS + 1;
    const int64_t work = s->n * (s->inner < COLUMNS ? s->inner : COLUMNS);
    j.each = work < COLUMN_TASK ? COLUMN_TASK / work : 1;
    cpi_parallel((s->outer * j.chunks - 1) / j.each + 1, columns_task, &j);
    return CP_OK;
}

const cpi_scan_ops cpi_scan_cpu = {scan};
