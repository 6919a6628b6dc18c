/* Host memory, counted. Invariant: cp_test_live is the number of blocks handed out and not yet given back. */
#include "core/memory.h"

#include <stdlib.h>

#include "core/error.h"
#include "cuprite/testing.h"

static int64_t fail_at, asked, live;

bool cpi_allocation_fails(void)
{
    int64_t n = __atomic_load_n(&fail_at, __ATOMIC_RELAXED);
    return n > 0 && __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) == n;
}

void cpi_count_live(int change) { __atomic_add_fetch(&live, change, __ATOMIC_RELAXED); }

static void *counted(void *p, size_t bytes)
{
    if (p) {
        cpi_count_live(1);
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
        cpi_count_live(1);
    }
    return q;
}

void cpi_free_host(void *p)
{
    if (p) cpi_count_live(-1);
    free(p);
}

void cp_test_fail_allocation(int64_t n)
{
    __atomic_store_n(&asked, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&fail_at, n, __ATOMIC_RELAXED);
}

int64_t cp_test_allocations(void) { return __atomic_load_n(&asked, __ATOMIC_RELAXED); }

int64_t cp_test_live(void) { return __atomic_load_n(&live, __ATOMIC_RELAXED); }
