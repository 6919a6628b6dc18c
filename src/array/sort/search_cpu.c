/* Binary search on the CPU: values are distributed to threads; search_simd.c has the loops. Searches for very many
 * values begin in a lookup table (grid.h). */
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "move/kernels.h"
#include "sort/grid.h"
#include "sort/search.h"
#include "sort/sort.h"

enum {
    EACH = 4096, /* values of a task */
    AHEAD = 16,  /* searches whose memory is asked for before they begin */
    NEAR = 2048, /* elements among which nothing needs to be asked for */
    SECOND_CACHE = 1 << 18, /* bytes */
    NARROW = 2048,          /* integers in so small a range are marked in bytes */
    MANY = 1 << 16, /* values for which a grid is worth being made */
    FEW = 16     /* elements that values are compared with all of */
};

typedef struct job {
    cpi_search search;
    cpi_searcher some;
    cp_type type;
    const cpi_grid *grid; /* or NULL */
    const double *use_few_edges; /* the elements, where they are few and float64 tells them apart; or NULL */
    int64_t m;
} job;

#define KEY16(k, x) cpi_same16(k, cpi_key16(k, x))
#define KEY32(k, x) cpi_same32(k, cpi_key32(k, x))
#define KEY64(k, x) cpi_same64(k, cpi_key64(k, x))

#define FUNCTION search_cells_8
#define T uint8_t
#define KEY(k, x) cpi_key8(k, x)
#include "sort/search_cells.inc"

#define FUNCTION search_cells_16
#define T uint16_t
#define KEY(k, x) KEY16(k, x)
#include "sort/search_cells.inc"

#define FUNCTION search_cells_32
#define T uint32_t
#define KEY(k, x) KEY32(k, x)
#include "sort/search_cells.inc"

#define FUNCTION search_cells_64
#define T uint64_t
#define KEY(k, x) KEY64(k, x)
#include "sort/search_cells.inc"

static void search_few(const job *j, int64_t first, int64_t last)
{
    double buffer[CPI_BLOCK];
    for (int64_t i = first; i < last; i += CPI_BLOCK) {
        const int64_t n = last - i < CPI_BLOCK ? last - i : CPI_BLOCK;
        const void *x = (const char *)j->search.values + i * j->search.keys.bytes;
        if (j->type != CP_FLOAT64) cpi_move_kernels_best()->convert[j->type][CP_FLOAT64](buffer, x, n), x = buffer;
        (*CPI_BEST(cpi_count_edges))(x, n, j->use_few_edges, (int)j->search.n, j->search.right, j->search.to + i);
    }
}

/* The few elements as float64; false where there are more, or float64 does not tell all from one another. */
static bool find_few(job *j, double *use_few_edges)
{
    if (j->search.n > FEW || j->m < 64 || cpi_is_complex(j->type)) return false;
    if (cpi_is_whole(j->type) && j->search.keys.bytes == 8) return false;
    cpi_move_kernels_best()->convert[j->type][CP_FLOAT64](use_few_edges, j->search.from, j->search.n);
    for (int64_t i = 0; i < j->search.n; i++)
        if (use_few_edges[i] != use_few_edges[i] || (i && use_few_edges[i] < use_few_edges[i - 1])) return false;
    j->use_few_edges = use_few_edges;
    return true;
}

static void search_part(const job *j, int64_t first, int64_t last)
{
    if (j->use_few_edges) {
        search_few(j, first, last);
        return;
    }
    if (j->grid) {
        switch (j->search.keys.bytes) {
        case 1: search_cells_8(j, first, last); break;
        case 2: search_cells_16(j, first, last); break;
        case 4: search_cells_32(j, first, last); break;
        default: search_cells_64(j, first, last);
        }
        return;
    }
    j->some(&j->search, first, last);
}

static void search_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    (void)worker;
    search_part(j, task * EACH, task * EACH + EACH < j->m ? task * EACH + EACH : j->m);
}

/* Ready for searches of m values; the grid is the caller's. */
static job job_of(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, cpi_grid *grid,
                  double *use_few_edges)
{
    job j = {.search = {.keys = cpi_keys_of(type), .n = n, .from = from, .far = n > SECOND_CACHE / cpi_itemsize(type)},
             .some = CPI_BEST(cpi_search_some), .type = type, .m = m};
    if (!find_few(&j, use_few_edges) && m >= MANY && !cpi_is_complex(type) &&
        cpi_grid_make(grid, stream, type, from, n, m))
        j.grid = grid;
    return j;
}

cp_code cpi_sort_cpu_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                            bool right, int64_t *to)
{
    cpi_grid grid;
    double use_few_edges[FEW];
    job j = job_of(stream, type, n, from, m, &grid, use_few_edges);
    j.search.values = values, j.search.right = right, j.search.to = to;
    cpi_parallel((m + EACH - 1) / EACH, search_task, &j);
    if (j.grid) cpi_work_free(stream, grid.start);
    return CP_OK;
}

/* --- isin: where a value would be, there it is or not --- */

typedef struct isin_job {
    job job;
    bool invert;
    uint8_t *to;
} isin_job;

#define ISIN(T, key, nan)                                                              \
    do {                                                                               \
        const T *from = part.search.from, *x = part.search.values;                     \
        for (int64_t i = 0; i < n; i++) {                                              \
            const T v = key(k, x[i]);                                                  \
            const int64_t last = part.search.n - 1, p = at[i] < last ? at[i] : last;   \
            if (i + AHEAD < n) __builtin_prefetch(&from[at[i + AHEAD]]);               \
            to[i] = ((key(k, from[p]) == v) & !nan(k, v)) != a->invert;                \
        }                                                                              \
    } while (0)
#define KEY_PAIR(k, x) cpi_csame64(k, cpi_ckey64(k, x))
#define KEY_WIDE(k, x) cpi_csame128(k, cpi_ckey128(k, x))

static void isin_task(void *context, int64_t task, int worker)
{
    const isin_job *a = context;
    int64_t at[EACH], first = task * EACH, n = a->job.m - first < EACH ? a->job.m - first : EACH;
    job part = a->job;
    uint8_t *to = a->to + first;
    const cpi_keys *k = &part.search.keys;
    (void)worker;
    part.search.values = (const char *)part.search.values + first * k->bytes, part.search.to = at;
    search_part(&part, 0, n);
    switch (k->complex_parts ? 2 * k->bytes : k->bytes) {
    case 1: ISIN(uint8_t, cpi_key8, cpi_key_nan8); break;
    case 2: ISIN(uint16_t, KEY16, cpi_key_nan16); break;
    case 4: ISIN(uint32_t, KEY32, cpi_key_nan32); break;
    case 8: ISIN(uint64_t, KEY64, cpi_key_nan64); break;
    case 16: ISIN(uint64_t, KEY_PAIR, cpi_ckey_nan64); break;
    default: ISIN(cpi_u128, KEY_WIDE, cpi_ckey_nan128);
    }
}

/* Of integers that lie near one another: a table of bits says of each number between the least and the greatest
 * whether it is there. */
typedef struct table_job {
    cpi_keys keys;
    const void *values;
    int64_t m;
    uint64_t low, range;
    uint8_t *there;
    bool invert;
    uint8_t *to;
} table_job;

#define BY_KEY(DO)                              \
    switch (j->keys.bytes) {                    \
    case 1: DO(uint8_t, cpi_key8); break;       \
    case 2: DO(uint16_t, cpi_key16); break;     \
    case 4: DO(uint32_t, cpi_key32); break;     \
    default: DO(uint64_t, cpi_key64);           \
    }

static void find_range(table_job *j, const void *from, int64_t n)
{
    const cpi_keys *k = &j->keys;
    uint64_t low = UINT64_MAX, high = 0;
#define EXTREMES(T, key)                                     \
    for (int64_t i = 0; i < n; i++) {                        \
        const uint64_t v = key(k, ((const T *)from)[i]);     \
        low = v < low ? v : low, high = v > high ? v : high; \
    }
    BY_KEY(EXTREMES)
    j->low = low, j->range = high - low;
}

static size_t table_bytes(const table_job *j) { return (size_t)(j->range >> 3) + 1; }

/* Few different numbers are marked in bytes first: setting a bit waits for the one set before it in the same byte. */
static void mark_few(table_job *j, const void *from, int64_t n)
{
    const cpi_keys *k = &j->keys;
    const uint64_t low = j->low;
    uint8_t seen[NARROW] = {0};
#define MARK_BYTE(T, key) \
    for (int64_t i = 0; i < n; i++) seen[key(k, ((const T *)from)[i]) - low] = 1
    BY_KEY(MARK_BYTE)
    for (uint64_t v = 0; v <= j->range; v++) j->there[v >> 3] = (uint8_t)(j->there[v >> 3] | seen[v] << (v & 7));
}

static void mark(table_job *j, const void *from, int64_t n)
{
    const cpi_keys *k = &j->keys;
    const uint64_t low = j->low;
    uint8_t *there = j->there;
    memset(there, 0, table_bytes(j));
    if (j->range < NARROW && j->range < (uint64_t)n) {
        mark_few(j, from, n);
        return;
    }
#define MARK(T, key)                                               \
    for (int64_t i = 0; i < n; i++) {                              \
        const uint64_t v = key(k, ((const T *)from)[i]) - low;     \
        there[v >> 3] = (uint8_t)(there[v >> 3] | 1u << (v & 7)); \
    }
    BY_KEY(MARK)
}

static void look_up_task(void *context, int64_t task, int worker)
{
    const table_job *j = context;
    const cpi_keys *k = &j->keys;
    const int64_t first = task * EACH, last = first + EACH < j->m ? first + EACH : j->m;
    const uint64_t low = j->low, range = j->range;
    const uint8_t *there = j->there, invert = j->invert;
    uint8_t *to = j->to;
    (void)worker;
#define LOOK_UP(T, key)                                                            \
    for (int64_t i = first; i < last; i++) {                                       \
        const uint64_t v = key(k, ((const T *)j->values)[i]) - low;                \
        const uint64_t within = -(uint64_t)(v <= range), at = v & within; /* no jump */ \
        to[i] = (uint8_t)(((there[at >> 3] >> (at & 7)) & within & 1) ^ invert);   \
    }
    BY_KEY(LOOK_UP)
}

/* Integers of one byte, looked up in a table of all 256, and a few floating-point numbers, compared one by one. */
typedef struct direct_job {
    int64_t n, m;
    const void *from, *values;
    cp_type type;
    bool invert;
    uint8_t *to, there[256];
} direct_job;

static void direct_task(void *context, int64_t task, int worker)
{
    const direct_job *j = context;
    const int64_t first = task * EACH, m = j->m - first < EACH ? j->m - first : EACH;
    const char *x = (const char *)j->values + first * cpi_itemsize(j->type);
    uint8_t *to = j->to + first;
    (void)worker;
    if (cpi_itemsize(j->type) > 1) {
        CPI_BEST(cpi_isin_few)(j->type == CP_FLOAT64, j->n, j->from, m, x, j->invert, to);
    } else {
        for (int64_t i = 0; i < m; i++) to[i] = j->there[(uint8_t)x[i]];
    }
}

static bool isin_direct(cp_type type, int64_t n, const void *from, int64_t m, const void *values, bool invert,
                        uint8_t *to)
{
    const bool bytes = cpi_is_whole(type) && cpi_itemsize(type) == 1;
    if (!bytes && !((type == CP_FLOAT32 || type == CP_FLOAT64) && n <= FEW)) return false;
    direct_job j = {.n = n, .m = m, .from = from, .values = values, .type = type, .invert = invert, .to = to};
    if (bytes) memset(j.there, invert, sizeof j.there);
    for (int64_t i = 0; i < n && bytes; i++) j.there[((const uint8_t *)from)[i]] = !invert;
    cpi_parallel((m + EACH - 1) / EACH, direct_task, &j);
    return true;
}

/* False where a table is not the way; else *code says how it went. */
static bool isin_whole(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                       bool invert, uint8_t *to, cp_code *code)
{
    table_job j = {.keys = cpi_keys_of(type), .values = values, .m = m, .invert = invert, .to = to};
    if (!cpi_is_whole(type) || n + m < 256) return false;
    find_range(&j, from, n);
    if (j.range > 6 * (uint64_t)(n + m) || j.range / 8 >= SECOND_CACHE) return false;
    j.there = cpi_work_alloc(stream, table_bytes(&j));
    *code = j.there ? CP_OK : cp_error();
    if (!j.there) return true;
    mark(&j, from, n);
    cpi_parallel((m + EACH - 1) / EACH, look_up_task, &j);
    cpi_work_free(stream, j.there);
    return true;
}

cp_code cpi_sort_cpu_isin(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                           bool invert, uint8_t *to)
{
    cpi_grid grid;
    double use_few_edges[FEW];
    cp_code code;
    if (isin_direct(type, n, from, m, values, invert, to)) return CP_OK;
    if (isin_whole(stream, type, n, from, m, values, invert, to, &code)) return code;
    void *sorted = cpi_work_alloc(stream, (size_t)(n * cpi_itemsize(type)));
    if (!sorted) return cp_error();
    code = cpi_sort_cpu_sort(stream, type, 1, n, from, sorted);
    if (!code) {
        isin_job a = {job_of(stream, type, n, sorted, m, &grid, use_few_edges), invert, to};
        a.job.search.values = values;
        cpi_parallel((m + EACH - 1) / EACH, isin_task, &a);
        if (a.job.grid) cpi_work_free(stream, grid.start);
    }
    cpi_work_free(stream, sorted);
    return code;
}
