/* Memory of the deferred mock backend. A program gets addresses in a reserved, unmapped range: an access outside of a
 * queue faults at once, as with a GPU's. The elements lie SPAN bytes further.
 *
 * Invariant: `nchunks` is the list of live chunks, sorted by address; addresses are reused as late as the range
 * allows. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "late/late.h"

static const size_t SPAN = (size_t)64 << 30;
enum { PAGE = 4096 };

typedef struct chunk {
    size_t at, end; /* from the range's beginning */
    struct chunk *next;
} chunk;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *base; /* NULL: there is no such range */
static chunk *nchunks;
static size_t last; /* where the search continues */

static void *reserve(void *at, size_t bytes, int fixed)
{
    return mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
}

/* Where the range is, if it is free. Far from where libraries, stacks and heaps lie: a structure's padding has what is
 * left of their addresses, beside a small number of 32 bits or a flag, and must not look like an address of ours. */
static const uintptr_t WANTED = (uintptr_t)0x1640 << 32;

static void init(void)
{
    void *p = reserve((void *)WANTED, 2 * SPAN, 0);
    base = p == MAP_FAILED ? NULL : p;
}

/* The link after which a chunk of `size` bytes fits at or after *at; NULL when there is none. */
static chunk **gap_behind(size_t from, size_t size, size_t *at)
{
    chunk **link = &nchunks;
    for (; *link && (*link)->end <= from; link = &(*link)->next)
        ;
    for (*at = from; *link && *at + size > (*link)->at; link = &(*link)->next)
        if (*at < (*link)->end) *at = (*link)->end;
    return *at + size <= SPAN - PAGE ? link : NULL;
}

void *late_memory_new(cpi_device *device, size_t bytes)
{
    (void)device;
    pthread_once(&once, init);
    size_t size = (bytes + PAGE - 1) / PAGE * PAGE, at;
    if (!base || bytes > SPAN / 2) return NULL;
    chunk *p = malloc(sizeof *p);
    pthread_mutex_lock(&lock);
    chunk **link = p ? gap_behind(last, size, &at) : NULL;
    if (p && !link) link = gap_behind(0, size, &at);
    char *inside = link ? base + SPAN + at : NULL;
    if (link &&
        mmap(inside, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        link = NULL;
    if (link) {
        *p = (chunk){at, at + size, *link};
        *link = p;
        last = at + size;
    }
    pthread_mutex_unlock(&lock);
    if (!link) {
        free(p);
        return NULL;
    }
    memset(inside, LATE_POISON, size);
    return base + at;
}

/* As cudaFree, waits for the device's work first. */
void late_memory_free(cpi_device *device, void *memory, size_t bytes)
{
    (void)bytes;
    late_device_wait(device);
    pthread_mutex_lock(&lock);
    chunk **link = &nchunks;
    size_t at = (size_t)((char *)memory - base);
    while (*link && (*link)->at != at) link = &(*link)->next;
    if (*link) {
        chunk *p = *link;
        *link = p->next;
        reserve(base + SPAN + at, p->end - p->at, MAP_FIXED);
        free(p);
    }
    pthread_mutex_unlock(&lock);
}

void *late_address(const void *address)
{
    uintptr_t a = (uintptr_t)address;
    return (void *)(base && a - (uintptr_t)base < SPAN ? a + SPAN : a);
}

/* Integers in a structure are never mistaken for addresses: the range lies above every size, count or type, and apart
 * from what padding has (WANTED). */
static void move_addresses(void *structure, size_t bytes, uintptr_t from, uintptr_t by)
{
    char *word = structure;
    for (; base && bytes >= sizeof from; bytes -= sizeof from, word += sizeof from) {
        uintptr_t a;
        memcpy(&a, word, sizeof a);
        if (a - from >= SPAN) continue;
        a += by;
        memcpy(word, &a, sizeof a);
    }
}

void late_addresses_in(void *structure, size_t bytes) { move_addresses(structure, bytes, (uintptr_t)base, SPAN); }

void late_addresses_out(void *structure, size_t bytes)
{
    move_addresses(structure, bytes, (uintptr_t)base + SPAN, (uintptr_t)0 - SPAN);
}
