/* Memory of the CPU between pages without access: see segments.h. */
#include "cpu/segments.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/slab.h"
#include "cpu/limits.h"

enum { HUGE_PAGE = 2 << 20, ALIGNED = 512, GUARDED = 12 << 10 /* a process has some ten thousand mappings */ };

#if defined(__SANITIZE_ADDRESS__)
enum { CHECKED = 1 };
#else
enum { CHECKED = 0 };
#endif

static size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }

static int segments; /* that there are */

/* A page before and one behind belong to the segment. With very many segments they are ordinary ones, as each guard
 * takes one of the process's mappings. */
static void *mapped(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), unit = bytes < HUGE_PAGE ? page : HUGE_PAGE;
    const size_t inside = round_up(bytes, page), span = inside + unit + 2 * page;
    char *base = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    char *at = (char *)round_up((uintptr_t)base + page, unit), *end = at + inside + page;
    bool guarded = __atomic_add_fetch(&segments, 1, __ATOMIC_RELAXED) < GUARDED;
    if (mprotect(guarded ? at : at - page, guarded ? inside : inside + 2 * page, PROT_READ | PROT_WRITE)) {
        munmap(base, span);
        __atomic_sub_fetch(&segments, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    if (at - page > base) munmap(base, (size_t)(at - page - base));
    if (end < base + span) munmap(end, (size_t)(base + span - end));
    return at;
}

static void unmap(void *memory, size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    munmap((char *)memory - page, round_up(bytes, page) + 2 * page);
    __atomic_sub_fetch(&segments, 1, __ATOMIC_RELAXED);
}

/* Large segments use huge pages where the system has them: touching fresh small pages is slower than most operations on
 * them. Small ones, which pools with a limit ask for, lie between such pages too: kernels write around their arrays,
 * where malloc() would have records. */
void *cpi_segment_new(cpi_device *device, size_t bytes)
{
    (void)device;
    if (bytes > cpi_memory_most()) return NULL; /* the kernel would overcommit and kill the process on access */
    void *p = NULL;
    /* the sanitizer guards it */
    if (CHECKED && bytes < HUGE_PAGE) return posix_memalign(&p, ALIGNED, bytes) ? NULL : p;
    p = mapped(bytes);
    if (p && bytes >= HUGE_PAGE) madvise(p, bytes, MADV_HUGEPAGE);
    return p;
}

void cpi_segment_free(cpi_device *device, void *memory, size_t bytes)
{
    (void)device;
    if (CHECKED && bytes < HUGE_PAGE) free(memory);
    else unmap(memory, bytes);
}

/* What is known of a block of its own: two pages before it. Programs give it back without its size. */
typedef struct own_block { void *base; size_t span; } own_block;

static own_block *block_of(void *memory)
{
    return (own_block *)(void *)((char *)memory - 2 * (size_t)sysconf(_SC_PAGESIZE));
}

static int blocks; /* of their own, that there are */

static void *own_new(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), unit = bytes < HUGE_PAGE ? page : HUGE_PAGE;
    const size_t inside = round_up(bytes, page), span = inside + unit + 3 * page;
    char *base = mmap(NULL, span, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return NULL;
    char *at = (char *)round_up((uintptr_t)base + 2 * page, unit);
    bool guarded = __atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED) < GUARDED / 2;
    int failed = guarded ? mprotect(at, inside, PROT_READ | PROT_WRITE) : 0;
    failed |= guarded ? mprotect(at - 2 * page, page, PROT_READ | PROT_WRITE)
                      : mprotect(base, span, PROT_READ | PROT_WRITE);
    if (failed) {
        munmap(base, span);
        __atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    *block_of(at) = (own_block){base, span};
    if (bytes >= HUGE_PAGE) madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

void *cpi_segment_of_kind(cp_stream *stream, size_t bytes, cp_memory_kind kind)
{
    void *p = NULL;
    (void)stream;
    (void)kind;
    if (bytes > cpi_memory_most()) return NULL;
    if (CHECKED) return posix_memalign(&p, ALIGNED, bytes) ? NULL : p;
    if (bytes > CPI_SLAB_SMALL) return own_new(bytes);
    return cpi_slab_take(cpi_slab_size_of(bytes < ALIGNED ? ALIGNED : bytes), 1, &p) ? p : NULL;
}

void cpi_segment_of_kind_free(cp_stream *stream, void *memory, size_t bytes, cp_memory_kind kind)
{
    (void)stream;
    (void)bytes;
    (void)kind;
    if (CHECKED) {
        free(memory);
    } else if (cpi_slab_has(memory)) {
        cpi_slab_put(1, &memory);
    } else {
        const own_block b = *block_of(memory);
        munmap(b.base, b.span);
        __atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
    }
}
