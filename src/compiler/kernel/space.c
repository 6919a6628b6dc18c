/* Address space for stacks, shared memory and local arrays: pages that have not been touched take no memory. */
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/fibers.h"

char *cpi_space_reserve(size_t bytes)
{
    char *space = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space == MAP_FAILED ? NULL : space;
}

void cpi_space_release(char *space, size_t bytes)
{
    if (space) munmap(space, bytes);
}

bool cpi_space_guard(char *page, size_t bytes) { return mprotect(page, bytes, PROT_NONE) == 0; }

bool cpi_space_only_read(char *page, size_t bytes)
{
    if (mprotect(page, bytes, PROT_READ)) return false;
    for (size_t i = 0; i < bytes; i += 4096) (void)*(const volatile char *)(page + i); /* now they are there */
    return true;
}

bool cpi_space_touched(char *page)
{
    unsigned char there = 0;
    return mincore(page, 1, &there) == 0 && there & 1;
}

void cpi_space_forget(char *first, size_t bytes) { madvise(first, bytes, MADV_DONTNEED); }
