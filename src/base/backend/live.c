/* Live memory by address: see live.h. */
#include "backend/live.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { FREED = 4096 }; /* how many of those that were freed are remembered */

typedef struct extent { uintptr_t start; size_t bytes; } extent;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static extent *live;
static size_t nlive, capacity;
static extent freed[FREED]; /* a ring */
static size_t nfreed;

bool cpi_live_kept(void)
{
    static int known; /* 0: not asked yet */
    int k = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!k) {
        const char *text = getenv("CUPRITE_CHECK");
        k = text && *text && strcmp(text, "0") != 0 ? 1 : -1;
        __atomic_store_n(&known, k, __ATOMIC_RELAXED);
    }
    return k > 0;
}

/* How many begin at or below the address. */
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
        if (more) { /* without memory for it the block is unknown */
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

void cpi_live_after_fork(void) { pthread_mutex_init(&lock, NULL); }
