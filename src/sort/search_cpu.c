/* Binary search on the CPU: values are shared out to threads, search_simd.c has the steps. Those of very many values
 * begin in a grid (grid.h). */
#include "backend/device.h"
#include "cpu/threads.h"
#include "elementwise/engine_cpu.h"
#include "sort/grid.h"
#include "sort/search.h"
#include "sort/sort.h"

enum {
    EACH = 4096, /* values of a task */
    AHEAD = 16,  /* searches whose memory is asked for before they begin */
    NEAR = 2048, /* elements among which nothing needs to be asked for */
    SECOND_CACHE = 1 << 18, /* bytes */
    MANY = 1 << 16, /* values for which a grid is worth being made */
    FEW = 16     /* elements that values are compared with all of */
};

typedef struct job {
    cpi_search search;
    cpi_searcher some;
    cp_type type;
    const cpi_grid *grid; /* or NULL */
    const double *few;    /* the elements, where they are few and float64 tells them apart; or NULL */
    int64_t m;
} job;

/* The search for v among n elements from `at` on, none or more: how many of all from `from` on are less. */
#define SEARCH_ONE(T, key)                                                                            \
    for (; n > 1;) {                                                                                  \
        int64_t half = n / 2;                                                                         \
        T here = key(k, at[half - 1]);                                                                \
        at += (j->search.right ? here <= v : here < v) ? half : 0;                                    \
        n -= half;                                                                                    \
    }

/* key(k, x): x's key, equal for equal values. The grid says among which elements it is. */
#define SEARCH_CELLS(T, key)                                                                          \
    do {                                                                                              \
        const T *from = j->search.from, *values = j->search.values;                                   \
        const cpi_keys *k = &j->search.keys;                                                          \
        const int32_t *start = j->grid->start;                                                        \
        const bool far = j->search.n > NEAR;                                                          \
        const int equal = j->search.right;                                                            \
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
                T here = key(k, at < from + j->search.n ? *at : *from);                               \
                j->search.to[block + i] = at - from + (any & ((here < v) | (equal & (here == v))));   \
            }                                                                                         \
        }                                                                                             \
    } while (0)

#define KEY16(k, x) cpi_same16(k, cpi_key16(k, x))
#define KEY32(k, x) cpi_same32(k, cpi_key32(k, x))
#define KEY64(k, x) cpi_same64(k, cpi_key64(k, x))

static void search_few(const job *j, int64_t first, int64_t last)
{
    double buffer[CPI_BLOCK];
    for (int64_t i = first; i < last; i += CPI_BLOCK) {
        const int64_t n = last - i < CPI_BLOCK ? last - i : CPI_BLOCK;
        const void *x = (const char *)j->search.values + i * j->search.keys.bytes;
        if (j->type != CP_FLOAT64) cpi_kernels_best()->convert[j->type][CP_FLOAT64](buffer, x, n), x = buffer;
        (*CPI_BEST(cpi_few))(x, n, j->few, (int)j->search.n, j->search.right, j->search.to + i);
    }
}

/* The few elements as float64; false where there are more, or float64 does not tell all from one another. */
static bool find_few(job *j, double *few)
{
    if (j->search.n > FEW || j->m < 64 || cpi_is_complex(j->type)) return false;
    if (cpi_is_whole(j->type) && j->search.keys.bytes == 8) return false;
    cpi_kernels_best()->convert[j->type][CP_FLOAT64](few, j->search.from, j->search.n);
    for (int64_t i = 0; i < j->search.n; i++)
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
        switch (j->search.keys.bytes) {
        case 1: SEARCH_CELLS(uint8_t, cpi_key8); break;
        case 2: SEARCH_CELLS(uint16_t, KEY16); break;
        case 4: SEARCH_CELLS(uint32_t, KEY32); break;
        default: SEARCH_CELLS(uint64_t, KEY64);
        }
        return;
    }
    j->some(&j->search, first, last);
}

cp_code cpi_cpu_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                       bool right, int64_t *to)
{
    cpi_grid grid;
    job j = {.search = {.keys = cpi_keys_of(type), .n = n, .from = from, .values = values, .right = right,
                        .far = n > SECOND_CACHE / cpi_itemsize(type), .to = to},
             .some = CPI_BEST(cpi_search_some), .type = type, .m = m};
    double few[FEW];
    if (!find_few(&j, few) && m >= MANY && !cpi_is_complex(type) && cpi_grid_make(&grid, stream, type, from, n, m))
        j.grid = &grid;
    cpi_parallel((m + EACH - 1) / EACH, search_task, &j);
    if (j.grid) cpi_work_free(stream, grid.start);
    return CP_OK;
}
