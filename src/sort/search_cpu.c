/* Binary search on the CPU: steps without branches on keys (keys.h), so that many searches are under way at once. Those
 * of many values begin in a grid (grid.h). */
#include "backend/device.h"
#include "cpu/threads.h"
#include "elementwise/engine_cpu.h"
#include "sort/grid.h"
#include "sort/keys.h"
#include "sort/sort.h"

enum {
    EACH = 4096, /* values of a task */
    AHEAD = 16,  /* searches whose memory is asked for before they begin */
    NEAR = 2048, /* elements among which nothing needs to be asked for */
    FEW = 16     /* elements that values are compared with all of */
};

typedef struct job {
    cpi_keys keys;
    cp_type type;
    const cpi_grid *grid; /* or NULL */
    const double *few;    /* the elements, where they are few and float64 tells them apart; or NULL */
    int64_t n, m;
    const void *from, *values;
    bool right;
    int64_t *to;
} job;

/* The search for v among n elements from `at` on, none or more: how many of all from `from` on are less. */
#define SEARCH_ONE(T, key)                                                                            \
    for (; n > 1;) {                                                                                  \
        int64_t half = n / 2;                                                                         \
        T here = key(k, at[half - 1]);                                                                \
        at += (j->right ? here <= v : here < v) ? half : 0;                                           \
        n -= half;                                                                                    \
    }

/* key(k, x): x's key, equal for equal values. */
#define SEARCH(T, key)                                                                                \
    do {                                                                                              \
        const T *from = j->from, *values = j->values;                                                 \
        const cpi_keys *k = &j->keys;                                                                 \
        for (int64_t i = first; i < last; i++) {                                                      \
            const T v = key(k, values[i]);                                                            \
            const T *at = from;                                                                       \
            int64_t n = j->n;                                                                         \
            SEARCH_ONE(T, key)                                                                        \
            T here = key(k, *at);                                                                     \
            j->to[i] = at - from + (j->right ? here <= v : here < v);                                 \
        }                                                                                             \
    } while (0)

/* The same where the grid says among which elements. */
#define SEARCH_CELLS(T, key)                                                                          \
    do {                                                                                              \
        const T *from = j->from, *values = j->values;                                                 \
        const cpi_keys *k = &j->keys;                                                                 \
        const int32_t *start = j->grid->start;                                                        \
        const bool far = j->n > NEAR;                                                                 \
        const int equal = j->right;                                                                   \
        int32_t cell[CPI_BLOCK + AHEAD];                                                              \
        for (int64_t block = first; block < last; block += CPI_BLOCK) {                               \
            const int64_t count = last - block < CPI_BLOCK ? last - block : CPI_BLOCK;                \
            cpi_grid_cells(j->grid, j->type, values + block, count, cell);                            \
            for (int64_t i = count; i < count + AHEAD; i++) cell[i] = cell[count - 1];                \
            for (int64_t i = 0; i < count; i++) {                                                     \
                if (far) __builtin_prefetch(&start[cell[i + AHEAD]]);                                 \
                if (far) __builtin_prefetch(&from[start[cell[i + AHEAD / 2]]]);                       \
                const T v = key(k, values[block + i]);                                                \
                const T *at = from + start[cell[i]];                                                  \
                int64_t n = start[cell[i] + 1] - start[cell[i]];                                      \
                const int any = n > 0;                                                                \
                SEARCH_ONE(T, key)                                                                    \
                T here = key(k, at < from + j->n ? *at : *from);                                      \
                j->to[block + i] = at - from + (any & ((here < v) | (equal & (here == v))));          \
            }                                                                                         \
        }                                                                                             \
    } while (0)

#define KEY16(k, x) cpi_same16(k, cpi_key16(k, x))
#define KEY32(k, x) cpi_same32(k, cpi_key32(k, x))
#define KEY64(k, x) cpi_same64(k, cpi_key64(k, x))
#define CKEY64(k, x) cpi_csame64(k, cpi_ckey64(k, x))
#define CKEY128(k, x) cpi_csame128(k, cpi_ckey128(k, x))

static void search_few(const job *j, int64_t first, int64_t last)
{
    double buffer[CPI_BLOCK];
    for (int64_t i = first; i < last; i += CPI_BLOCK) {
        const int64_t n = last - i < CPI_BLOCK ? last - i : CPI_BLOCK;
        const void *x = (const char *)j->values + i * j->keys.bytes;
        if (j->type != CP_FLOAT64) cpi_kernels_best()->convert[j->type][CP_FLOAT64](buffer, x, n), x = buffer;
        (*CPI_BEST(cpi_few))(x, n, j->few, (int)j->n, j->right, j->to + i);
    }
}

/* The few elements as float64; false where there are more, or float64 does not tell all from one another. */
static bool find_few(job *j, double *few)
{
    const bool wide = cpi_is_whole(j->type) && j->keys.bytes == 8;
    if (j->n > FEW || j->m < 64 || cpi_is_complex(j->type) || wide) return false;
    cpi_kernels_best()->convert[j->type][CP_FLOAT64](few, j->from, j->n);
    for (int64_t i = 0; i < j->n; i++)
        if (few[i] != few[i] || (i && few[i] < few[i - 1])) return false;
    j->few = few;
    return true;
}

static void search_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    (void)worker;
    int64_t first = task * EACH, last = first + EACH < j->m ? first + EACH : j->m;
    if (j->few) {
        search_few(j, first, last);
        return;
    }
    if (j->grid) {
        switch (j->keys.bytes) {
        case 1: SEARCH_CELLS(uint8_t, cpi_key8); break;
        case 2: SEARCH_CELLS(uint16_t, KEY16); break;
        case 4: SEARCH_CELLS(uint32_t, KEY32); break;
        default: SEARCH_CELLS(uint64_t, KEY64);
        }
        return;
    }
    switch (j->keys.bytes) {
    case 1: SEARCH(uint8_t, cpi_key8); break;
    case 2: SEARCH(uint16_t, KEY16); break;
    case 4: SEARCH(uint32_t, KEY32); break;
    case 8:
        if (j->keys.complex_parts) SEARCH(uint64_t, CKEY64);
        else SEARCH(uint64_t, KEY64);
        break;
    default: SEARCH(cpi_u128, CKEY128);
    }
}

cp_code cpi_cpu_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                       bool right, int64_t *to)
{
    cpi_grid grid;
    job j = {.keys = cpi_keys_of(type), .type = type, .n = n, .m = m, .from = from, .values = values, .right = right,
             .to = to};
    double few[FEW];
    if (!find_few(&j, few) && !cpi_is_complex(type) && cpi_grid_make(&grid, stream, type, from, n, m)) j.grid = &grid;
    cpi_parallel((m + EACH - 1) / EACH, search_task, &j);
    if (j.grid) cpi_work_free(stream, grid.start);
    return CP_OK;
}
