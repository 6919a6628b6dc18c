/* Live memory by address: see live.h. */
#include "backend/live.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/forks.h"

enum {
    FREED = 4096, /* number of freed blocks that are remembered */
    CERTAIN = 4   /* bytes that are poison by chance once in 2^32 */
};

typedef struct extent { uintptr_t start; size_t bytes; } extent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static extent *live;
static size_t nlive, capacity;
static extent freed[FREED]; /* a ring */
static size_t nfreed;

bool cpi_live_kept(void)
{
    static int known; /* 0: not read yet */
    int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!k) {
        const char *text = getenv("CUPRITE_CHECK");
        k = text && *text && strcmp(text, "0") != 0 ? 1 : -1;
        __atomic_store_n(&known, k, __ATOMIC_RELAXED);
    }
    return k > 0;
}

/* Number of blocks that begin at or below the address. */
static size_t upto(uintptr_t address)
{
    size_t low = 0, high = nlive;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (live[middle].start <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

void cpi_live_add(const void *memory, size_t bytes)
{
    if (!cpi_live_kept() || !memory) return;
    pthread_mutex_lock(&lock);
    size_t at = upto((uintptr_t)memory);
    if (at && live[at - 1].start == (uintptr_t)memory) {
        live[at - 1].bytes = bytes;
    } else {
        extent *more = nlive < capacity ? live : realloc(live, (capacity ? 2 * capacity : 256) * sizeof *more);
        if (more) { /* out of memory: the block stays unknown */
            if (nlive == capacity) capacity = capacity ? 2 * capacity : 256;
            live = more;
            memmove(&live[at + 1], &live[at], (nlive - at) * sizeof *live);
            live[at] = (extent){(uintptr_t)memory, bytes};
            nlive++;
        }
    }
    pthread_mutex_unlock(&lock);
}

void cpi_live_remove(const void *memory)
{
    if (!cpi_live_kept() || !memory) return;
    pthread_mutex_lock(&lock);
    size_t at = upto((uintptr_t)memory);
    if (at && live[at - 1].start == (uintptr_t)memory) {
        freed[nfreed++ % FREED] = live[at - 1];
        memmove(&live[at - 1], &live[at], (nlive - at) * sizeof *live);
        nlive--;
    }
    pthread_mutex_unlock(&lock);
}

cpi_liveness cpi_live_find(uintptr_t address, uintptr_t *start, size_t *bytes)
{
    cpi_liveness found = CPI_LIVE_UNKNOWN;
    pthread_mutex_lock(&lock);
    size_t at = upto(address);
    const extent *e = at ? &live[at - 1] : NULL;
    if (e && address - e->start < e->bytes) found = CPI_LIVE;
    for (size_t i = nfreed; !found && i && nfreed - i < FREED; i--) {
        e = &freed[(i - 1) % FREED];
        if (address - e->start < e->bytes) found = CPI_LIVE_FREED;
    }
    if (found) *start = e->start, *bytes = e->bytes;
    pthread_mutex_unlock(&lock);
    return found;
}

bool cpi_live_nearest(uintptr_t address, uintptr_t *start, size_t *bytes)
{
    pthread_mutex_lock(&lock);
    size_t at = upto(address);
    const extent *below = at ? &live[at - 1] : NULL, *above = at < nlive ? &live[at] : NULL;
    if (below && above && above->start - address < address - (below->start + below->bytes)) below = NULL;
    const extent *e = below ? below : above;
    if (e) *start = e->start, *bytes = e->bytes;
    pthread_mutex_unlock(&lock);
    return e != NULL;
}

/* --- memory that nobody has written --- */

/* The word of an address: a hash of it, so that what a program computes is it by chance only. */
static uint64_t word_of(uintptr_t address)
{
    uint64_t x = (uint64_t)address * UINT64_C(0x9e3779b97f4a7c15) ^ UINT64_C(0xc2b2ae3d27d4eb4f);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ x >> 32;
}

/* Whole words only: the bytes before the first and behind the last one may be somebody else's. */
void cpi_live_poison(void *memory, size_t bytes)
{
    if (!cpi_live_kept()) return;
    uintptr_t end = ((uintptr_t)memory + bytes) & ~(uintptr_t)7;
    for (uintptr_t at = ((uintptr_t)memory + 7) & ~(uintptr_t)7; at < end; at += 8) {
        uint64_t word = word_of(at);
        memcpy((void *)at, &word, sizeof word);
    }
}

static bool all_poison(uintptr_t address, size_t bytes)
{
    for (uintptr_t at = address & ~(uintptr_t)7; at < address + bytes; at += 8) {
        uint64_t word;
        memcpy(&word, (const void *)at, sizeof word);
        if (word != word_of(at)) return false;
    }
    return true;
}

bool cpi_live_poisoned(uintptr_t address, size_t bytes)
{
    if (!all_poison(address, bytes)) return false;
    uintptr_t start = 0;
    size_t size = 0;
    return bytes >= CERTAIN || (cpi_live_find(address, &start, &size) == CPI_LIVE && size >= CERTAIN &&
                                all_poison(start, size));
}

/* Other threads may write the rest of the word meanwhile: it changes only while all of it is still poison. */
void cpi_live_unpoison(uintptr_t address, size_t bytes)
{
    for (uintptr_t at = address & ~(uintptr_t)7; bytes < CERTAIN && at < address + bytes; at += 8) {
        uint64_t word = word_of(at);
        if (all_poison(at, sizeof word))
            __atomic_compare_exchange_n((uint64_t *)at, &word, ~word, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    }
}
