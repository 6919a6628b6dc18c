/* Host memory, counted. Invariant: cp_test_live is the number of blocks handed out and not yet given back.
 *
 * Each thread has its own counter, which may be negative: two locked instructions would be a fifth of a view's cost. A
 * thread that ends leaves its counter and its cached blocks to a new thread. */
#include "core/memory.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/error.h"
#include "core/slab.h"
#include "cuprite/testing.h"

static int64_t fail_at, asked;

/* Cached blocks have one of these sizes; sanitizer builds cache none. Fewer blocks of the larger sizes are cached: with
 * the elements of small arrays at most 350 KiB for each thread. */
enum { UNIT = 192, SIZES = 24, SMALL = 4, CELLS = CPI_SLAB_SMALL_SIZES, CELL_LOTS = 8 };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { KEPT = 0 };
#else
enum { KEPT = 16 };
#endif
static int most = KEPT;

typedef struct tally {
    int64_t live;
    int taken;
    struct tally *next;
    int nkept[SIZES];
    void *kept[SIZES][KEPT + 1];
    int ncells[CELLS]; /* memory for elements, by its size */
    void *cell[CELLS][CELL_LOTS * KEPT + 1];
} tally;
static tally common;            /* of threads that get none of their own; caches nothing */
static tally *tallies = &common;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool has_key;
static CPI_THREAD_WORD tally *mine;

bool cpi_allocation_fails(void)
{
    int64_t n = __atomic_load_n(&fail_at, __ATOMIC_RELAXED);
    return n > 0 && __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) == n;
}

static void leave_tally(void *t)
{
    mine = NULL;
    __atomic_store_n(&((tally *)t)->taken, 0, __ATOMIC_RELEASE);
}

static void make_key(void) { has_key = pthread_key_create(&key, leave_tally) == 0; }

/* A tally that a finished thread left, or a new one at the head of the list, which never shrinks. */
static tally *take_tally(void)
{
    for (tally *t = __atomic_load_n(&tallies, __ATOMIC_ACQUIRE); t; t = t->next) {
        int nobody = 0;
        bool own = t != &common;
        if (own && __atomic_compare_exchange_n(&t->taken, &nobody, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return t;
    }
    tally *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->taken = 1;
    t->next = __atomic_load_n(&tallies, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&tallies, &t->next, t, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) continue;
    return t;
}

static bool begin_tally(void)
{
    pthread_once(&once, make_key);
    tally *t = has_key ? take_tally() : NULL;
    if (t && pthread_setspecific(key, t) == 0) {
        mine = t;
        return true;
    }
    if (t) leave_tally(t);
    return false;
}

/* Inlined: as a call it took a quarter of a view's time. */
static inline __attribute__((always_inline)) void count_live(int change)
{
    tally *t = mine;
    if (t || (begin_tally() && (t = mine))) __atomic_store_n(&t->live, t->live + change, __ATOMIC_RELAXED);
    else __atomic_add_fetch(&common.live, change, __ATOMIC_RELAXED);
}

void cpi_count_live(int change) { count_live(change); }

static inline void *counted(void *p, size_t bytes)
{
    if (p) {
        count_live(1);
    } else {
        cpi_fail(CP_ERROR_MEMORY, "out of host memory: %zu bytes", bytes);
    }
    return p;
}

void *cpi_malloc(size_t bytes) { return counted(cpi_allocation_fails() ? NULL : malloc(bytes ? bytes : 1), bytes); }

void *cpi_calloc(size_t count, size_t bytes)
{
    return counted(cpi_allocation_fails() ? NULL : calloc(count ? count : 1, bytes ? bytes : 1), bytes);
}

void *cpi_realloc(void *p, size_t bytes)
{
    void *q = cpi_allocation_fails() ? NULL : realloc(p, bytes ? bytes : 1);
    if (!q) {
        cpi_fail(CP_ERROR_MEMORY, "out of host memory: %zu bytes", bytes);
    } else if (!p) {
        count_live(1);
    }
    return q;
}

void cpi_free_host(void *p)
{
    if (p) count_live(-1);
    free(p);
}

static size_t size_class(size_t bytes) { return (bytes - 1) / UNIT; }
static int most_of(size_t k) { return __atomic_load_n(&most, __ATOMIC_RELAXED) / (k < SMALL ? 1 : 4); }

static inline __attribute__((always_inline)) void *malloc_kept(tally *t, size_t bytes)
{
    const size_t k = size_class(bytes);
    if (k >= SIZES) return cpi_malloc(bytes);
    if (!t || !t->nkept[k]) return cpi_malloc((k + 1) * UNIT);
    if (cpi_allocation_fails()) return counted(NULL, bytes);
    __atomic_store_n(&t->live, t->live + 1, __ATOMIC_RELAXED);
    return t->kept[k][--t->nkept[k]];
}

static inline __attribute__((always_inline)) void free_kept(tally *t, void *p, size_t bytes)
{
    const size_t k = size_class(bytes);
    if (k >= SIZES || !t || t->nkept[k] >= most_of(k)) {
        cpi_free_host(p);
        return;
    }
    __atomic_store_n(&t->live, t->live - 1, __ATOMIC_RELAXED);
    t->kept[k][t->nkept[k]++] = p;
}

void *cpi_malloc_kept(size_t bytes) { return malloc_kept(mine, bytes); }

void cpi_free_kept(void *p, size_t bytes) { free_kept(mine, p, bytes); }

static int most_cells(size_t size)
{
    const int n = __atomic_load_n(&most, __ATOMIC_RELAXED);
    return size < 2 ? CELL_LOTS * n : size < 8 ? n : n / 4; /* up to 128 bytes, up to 512 */
}

/* From the slabs, some at a time. */
static __attribute__((noinline)) void *new_cell(size_t size)
{
    tally *t = mine;
    void *one;
    int n = t ? most_cells(size) / 2 : 0;
    if (n > 1 && (t->ncells[size] = cpi_slab_take(size, n, t->cell[size]))) return t->cell[size][--t->ncells[size]];
    return cpi_slab_take(size, 1, &one) ? one : NULL;
}

void *cpi_malloc_with_cell(size_t bytes, size_t cell, void **memory)
{
    const size_t size = cpi_slab_size_of(cell);
    tally *t = mine;
    void *p = malloc_kept(t, bytes);
    if (p) *memory = t && t->ncells[size] ? t->cell[size][--t->ncells[size]] : new_cell(size);
    return p;
}

/* Half of a full cache goes back to the slabs. */
static __attribute__((noinline)) void free_cell(void *memory, size_t size)
{
    tally *t = mine;
    int n = most_cells(size) / 2;
    if (!t || n < 2) {
        cpi_slab_put(1, &memory);
        return;
    }
    while (t->ncells[size] > n) {
        int more = t->ncells[size] - n < n ? t->ncells[size] - n : n;
        cpi_slab_put(more, &t->cell[size][t->ncells[size] -= more]);
    }
    t->cell[size][t->ncells[size]++] = memory;
}

void cpi_free_with_cell(void *p, size_t bytes, void *memory, size_t cell)
{
    const size_t size = cpi_slab_size_of(cell);
    tally *t = mine;
    if (t && t->ncells[size] < most_cells(size)) t->cell[size][t->ncells[size]++] = memory;
    else free_cell(memory, size);
    free_kept(t, p, bytes);
}

void cpi_keep_no_memory(void) { __atomic_store_n(&most, 0, __ATOMIC_RELAXED); }

void cp_test_fail_allocation(int64_t n)
{
    __atomic_store_n(&asked, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fail_at, n, __ATOMIC_RELAXED);
}

int64_t cp_test_allocations(void) { return __atomic_load_n(&asked, __ATOMIC_RELAXED); }

int64_t cp_test_live(void)
{
    int64_t all = 0;
    for (tally *t = __atomic_load_n(&tallies, __ATOMIC_ACQUIRE); t; t = t->next)
        all += __atomic_load_n(&t->live, __ATOMIC_RELAXED);
    return all;
}
