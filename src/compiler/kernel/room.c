/* Address space for stacks, shared memory and local arrays: pages that have not been touched take no memory. */
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/fibers.h"

char *cpi_room_reserve(size_t bytes)
{
    char *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

void cpi_room_release(char *room, size_t bytes)
{
    if (room) munmap(room, bytes);
}

bool cpi_room_guard(char *page, size_t bytes) { return mprotect(page, bytes, PROT_NONE) == 0; }

bool cpi_room_touched(char *page)
{
    unsigned char there = 0;
    return mincore(page, 1, &there) == 0 && there & 1;
}

void cpi_room_forget(char *first, size_t bytes) { madvise(first, bytes, MADV_DONTNEED); }
