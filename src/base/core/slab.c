/* Small blocks whose records lie apart: see slab.h.
 *
 * Invariants: a slab has blocks of one size and one use. A slab with a free block is on the list of its size and use.
 * Of slabs without blocks in use at most KEPT are there, the others are on the list of the unused ones. Threads cache
 * blocks of arrays (memory.c), so the lock is rarely taken. */
#include "core/slab.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#else
#define __lsan_register_root_region(start, bytes) ((void)0)
#endif

#include "core/forks.h"

enum { SLAB = CPI_SLAB_MOST, SIZES = CPI_SLAB_SMALL_SIZES + 6, NONE = -1, KEPT = 64 };
enum { ARRAYS, HEAP, USES };
static const size_t range_most = (size_t)16 << 30, range_least = (size_t)64 << 20;

typedef struct slab {
    uint16_t *free;         /* nfree indices of blocks that were given back, and `fresh` and above were never taken */
    uint8_t *taken;         /* HEAP: whether the block of that index is in use */
    uint32_t nfree, fresh, capacity, bytes; /* of a block */
    int32_t next, before;   /* in its list */
    uint8_t size, use;
    bool listed;
} slab;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static char *range;      /* NULL: not reserved yet */
static bool tried;
static slab *slabs;      /* one for each SLAB bytes of the range */
static int32_t nslabs, capacity;
static int32_t lists[USES][SIZES], unused = NONE;
static int kept;         /* slabs without blocks in use that are on the list of their size */

static size_t bytes_of(size_t size)
{
    if (size < 8) return (size + 1) * CPI_SLAB_UNIT;
    if (size < CPI_SLAB_SMALL_SIZES) return (size - 6) * CPI_SLAB_FINE;
    return (size_t)(2 * CPI_SLAB_SMALL) << (size - CPI_SLAB_SMALL_SIZES);
}

/* Addresses are reserved without memory, fewer where the process may not have so many. A page around it stays without
 * access. */
static bool reserve(void)
{
    if (tried) return range != NULL;
    tried = true;
    for (int u = 0; u < USES; u++)
        for (int i = 0; i < SIZES; i++) lists[u][i] = NONE;
    for (size_t bytes = range_most; bytes >= range_least; bytes /= 2) {
        char *p = mmap(NULL, bytes + 2 * (size_t)SLAB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (p == MAP_FAILED) continue;
        slabs = mmap(NULL, bytes / SLAB * sizeof *slabs, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (slabs == MAP_FAILED) {
            munmap(p, bytes + 2 * (size_t)SLAB);
            continue;
        }
        __lsan_register_root_region(slabs, bytes / SLAB * sizeof *slabs); /* it searches no mapping by itself */
        range = (char *)(((uintptr_t)p + 2 * (size_t)SLAB - 1) / SLAB * SLAB);
        capacity = (int32_t)(bytes / SLAB);
        return true;
    }
    return false;
}

static void list_add(int32_t *list, int32_t i)
{
    slab *s = &slabs[i];
    s->before = NONE;
    s->next = *list;
    if (*list != NONE) slabs[*list].before = i;
    *list = i;
    s->listed = true;
}

static void list_remove(int32_t *list, int32_t i)
{
    slab *s = &slabs[i];
    if (s->before == NONE) *list = s->next;
    else slabs[s->before].next = s->next;
    if (s->next != NONE) slabs[s->next].before = s->before;
    s->listed = false;
}

static void drop_records(slab *s)
{
    free(s->free);
    free(s->taken);
    s->free = NULL;
    s->taken = NULL;
}

/* A slab for blocks of that size, on their list; NONE without memory. */
static int32_t slab_new(int use, size_t size)
{
    int32_t i = unused;
    if (i == NONE) {
        if (!reserve() || nslabs == capacity) return NONE;
        if (mprotect(range + (size_t)nslabs * SLAB, SLAB, PROT_READ | PROT_WRITE)) return NONE;
        i = nslabs++;
    } else {
        list_remove(&unused, i);
    }
    slab *s = &slabs[i];
    uint32_t n = (uint32_t)(SLAB / bytes_of(size));
    s->free = malloc(n * sizeof *s->free);
    s->taken = use == HEAP ? calloc(n, sizeof *s->taken) : NULL;
    if (!s->free || (use == HEAP && !s->taken)) {
        drop_records(s);
        list_add(&unused, i);
        return NONE;
    }
    s->nfree = s->fresh = 0;
    s->capacity = n;
    s->bytes = (uint32_t)bytes_of(size);
    s->size = (uint8_t)size;
    s->use = (uint8_t)use;
    list_add(&lists[use][size], i);
    return i;
}

/* Up to n blocks of one slab; how many. */
static int take_some(int use, size_t size, int n, void **into)
{
    int32_t i = tried ? lists[use][size] : NONE;
    if (i == NONE && (i = slab_new(use, size)) == NONE) return 0;
    slab *s = &slabs[i];
    char *start = range + (size_t)i * SLAB;
    int k = 0;
    kept -= s->fresh && s->nfree == s->fresh;
    for (; k < n && (s->nfree || s->fresh < s->capacity); k++) {
        uint32_t at = s->nfree ? s->free[--s->nfree] : s->fresh++;
        if (s->taken) s->taken[at] = 1;
        into[k] = start + (size_t)at * s->bytes;
    }
    if (!s->nfree && s->fresh == s->capacity) list_remove(&lists[use][size], i);
    return k;
}

static void put_one(int32_t i, uint32_t at)
{
    slab *s = &slabs[i];
    int32_t *list = &lists[s->use][s->size];
    s->free[s->nfree++] = (uint16_t)at;
    if (!s->listed) list_add(list, i);
    if (s->nfree < s->fresh) return;
    if (kept < KEPT) {
        kept++;
        return;
    }
    list_remove(list, i);
    drop_records(s);
    madvise(range + (size_t)i * SLAB, SLAB, MADV_DONTNEED);
    list_add(&unused, i);
}

int cpi_slab_take(size_t size, int n, void **into)
{
    int taken = 0, more = 1;
    pthread_mutex_lock(&lock);
    for (; taken < n && more; taken += more) more = take_some(ARRAYS, size, n - taken, into + taken);
    pthread_mutex_unlock(&lock);
    return taken;
}

void cpi_slab_put(int n, void *const *blocks)
{
    pthread_mutex_lock(&lock);
    for (int k = 0; k < n; k++) {
        size_t away = (size_t)((char *)blocks[k] - range);
        int32_t i = (int32_t)(away / SLAB);
        put_one(i, (uint32_t)(away % SLAB) / slabs[i].bytes);
    }
    pthread_mutex_unlock(&lock);
}

bool cpi_slab_has(const void *address)
{
    uintptr_t away = (uintptr_t)address - (uintptr_t)__atomic_load_n(&range, __ATOMIC_ACQUIRE);
    return away < (size_t)capacity * SLAB;
}

/* --- what kernels allocate --- */

static size_t heap_size_of(size_t bytes)
{
    size_t size = CPI_SLAB_SMALL_SIZES;
    if (bytes <= CPI_SLAB_SMALL) return cpi_slab_size_of(bytes);
    while (bytes_of(size) < bytes) size++;
    return size;
}

void *cpi_slab_heap_take(size_t bytes)
{
    if (bytes > CPI_SLAB_MOST) return NULL;
    pthread_mutex_lock(&lock);
    void *p;
    int n = take_some(HEAP, heap_size_of(bytes), 1, &p);
    pthread_mutex_unlock(&lock);
    return n ? p : NULL;
}

/* The slab of kernels' blocks that the address is in, and which block begins there; NULL: none. */
static slab *heap_slab(const void *block, uint32_t *at)
{
    uintptr_t away = (uintptr_t)block - (uintptr_t)range;
    if (!range || away >= (size_t)nslabs * SLAB) return NULL;
    slab *s = &slabs[away / SLAB];
    if (s->free && s->use != HEAP) return NULL;
    size_t bytes = s->free ? s->bytes : 1; /* a slab without blocks in use has no records */
    *at = away % SLAB % bytes == 0 ? (uint32_t)(away % SLAB / bytes) : UINT32_MAX;
    return s;
}

static bool in_use(const slab *s, uint32_t at) { return s && s->free && at < s->capacity && s->taken[at]; }

cpi_slab_found cpi_slab_heap_put(void *block)
{
    uint32_t at = 0;
    pthread_mutex_lock(&lock);
    slab *s = heap_slab(block, &at);
    bool used = in_use(s, at);
    if (used) {
        s->taken[at] = 0;
        put_one((int32_t)(s - slabs), at);
    }
    pthread_mutex_unlock(&lock);
    return used ? CPI_SLAB_GIVEN_BACK : s ? CPI_SLAB_NOT_TAKEN : CPI_SLAB_NOWHERE;
}

size_t cpi_slab_heap_size(const void *block)
{
    uint32_t at = 0;
    pthread_mutex_lock(&lock);
    const slab *s = heap_slab(block, &at);
    size_t bytes = in_use(s, at) ? s->bytes : 0;
    pthread_mutex_unlock(&lock);
    return bytes;
}
