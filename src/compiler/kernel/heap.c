/* What kernels of the CPU allocate and print, and how they are kept from ending the process: see heap.h.
 *
 * Invariant: blocks above CPI_SLAB_MOST bytes are on the list, each between two pages without access. */
#include "kernel/heap.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "backend/live.h"
#include "core/forks.h"
#include "core/slab.h"
#include "kernel/fibers.h"

enum { PAGE = 4 << 10 };

typedef struct large {
    struct large *next;
    char *memory;
    size_t bytes; /* a multiple of PAGE */
} large;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static large *all;

static void *large_new(size_t bytes)
{
    if (bytes > SIZE_MAX / 4) return NULL;
    bytes = (bytes + PAGE - 1) / PAGE * PAGE;
    large *l = malloc(sizeof *l);
    char *p = l ? mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
    if (p != MAP_FAILED && mprotect(p + PAGE, bytes, PROT_READ | PROT_WRITE)) {
        munmap(p, bytes + 2 * PAGE);
        p = MAP_FAILED;
    }
    if (p == MAP_FAILED) {
        free(l);
        return NULL;
    }
    *l = (large){NULL, p + PAGE, bytes};
    pthread_mutex_lock(&lock);
    l->next = all;
    all = l;
    pthread_mutex_unlock(&lock);
    return l->memory;
}

/* Takes the block off the list; NULL where it is not on it. */
static large *large_take(const void *memory)
{
    pthread_mutex_lock(&lock);
    large **link = &all;
    while (*link && (*link)->memory != memory) link = &(*link)->next;
    large *l = *link;
    if (l) *link = l->next;
    pthread_mutex_unlock(&lock);
    return l;
}

static void end_launch(const void *at, const char *format, const void *address)
{
    cpi_fault *fault = cpi_guard_fault();
    char text[200];
    snprintf(text, sizeof text, format, address);
    fault->at[0] = at;
    snprintf(fault->text, sizeof fault->text, "\1%s", text);
    cpi_guard_leave();
}

void *cpi_heap_allocate(unsigned long bytes)
{
    void *p = bytes <= CPI_SLAB_MOST ? cpi_slab_heap_take(bytes) : large_new(bytes);
    if (p && cpi_live_kept()) {
        cpi_live_poison(p, bytes);
        cpi_crew_forget(p, bytes);
        cpi_live_add(p, bytes ? bytes : 1);
    }
    return p;
}

void cpi_heap_free(void *memory, const void *at)
{
    if (!memory) return;
    cpi_slab_found found = cpi_slab_heap_put(memory);
    large *l = found == CPI_SLAB_NOWHERE ? large_take(memory) : NULL;
    if (l) {
        munmap(l->memory - PAGE, l->bytes + 2 * PAGE);
        free(l);
    } else if (found == CPI_SLAB_NOT_TAKEN) {
        end_launch(at, "free() of %p, which was freed already or is not the start of what malloc() gave", memory);
    } else if (found == CPI_SLAB_NOWHERE) {
        end_launch(at, "free() of %p, which malloc() did not give", memory);
    }
    cpi_live_remove(memory);
}

/* Bytes that the block has; 0: it is none. */
static size_t size_of(void *memory)
{
    size_t bytes = cpi_slab_heap_size(memory);
    pthread_mutex_lock(&lock);
    for (const large *l = all; l && !bytes; l = l->next)
        if (l->memory == memory) bytes = l->bytes;
    pthread_mutex_unlock(&lock);
    return bytes;
}

void *cpi_heap_resize(void *memory, unsigned long bytes, const void *at)
{
    size_t there = memory ? size_of(memory) : 0;
    if (memory && !there) cpi_heap_free(memory, at); /* ends the launch */
    void *p = cpi_heap_allocate(bytes);
    if (p && memory) {
        memcpy(p, memory, there < bytes ? there : bytes);
        cpi_heap_free(memory, at);
    }
    return p;
}

/* The text is made before a lock of the C library is taken: a bad pointer among the values ends the launch. */
int cpi_heap_print(const char *format, va_list values)
{
    char text[1024], *all_of_it = text;
    va_list again;
    va_copy(again, values);
    int n = vsnprintf(text, sizeof text, format, values);
    if (n >= (int)sizeof text && (all_of_it = cpi_heap_allocate((unsigned long)n + 1)))
        vsnprintf(all_of_it, (size_t)n + 1, format, again);
    va_end(again);
    if (all_of_it && n > 0) fwrite(all_of_it, 1, (size_t)n, stdout);
    if (all_of_it && all_of_it != text) cpi_heap_free(all_of_it, NULL);
    return n;
}

void cpi_heap_ended(const char *what, const void *at)
{
    end_launch(at, "%s was called, which would end the program: a kernel cannot", what);
}
