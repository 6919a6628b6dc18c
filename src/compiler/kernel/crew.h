/* What a crew has: records of threads, warps and blocks (fibers.c), and its memory (crew_memory.c). */
#ifndef CPI_KERNEL_CREW_H
#define CPI_KERNEL_CREW_H

#include "kernel/fibers.h"
#include "kernel/heap.h"
#include "kernel/races.h"

/* Of a stack: for a thread's local memory of 512 KiB, or, where there are many or address space is short, less. Of
 * shared memory: the static part, the dynamic part, which ends where nothing may be touched. */
enum { LANES = 32, STACK = 640 << 10, SMALL_STACK = 128 << 10, GUARD = 4 << 10, MANY = 8192,
       ARENA = 48 << 10, DYNAMIC = 232 << 10, BEHIND = 64 << 10, BEFORE = 8 << 10, SNAPSHOTS = LANES + 1,
       GUARDS = 8192 /* pages between stacks, at most */, DEEP = 96 << 10, KEPT_SPACE = 16 << 20,
       LOCAL_SPACE = 1 << 30 };

typedef struct snapshot {
    int users;
    unsigned long long value[LANES + 1]; /* the last: which lanes there were */
} snapshot;

/* A barrier between threads of a part of the block. */
typedef struct part_meeting { uint32_t come, count; uint64_t generation; int sum, result; } part_meeting;

typedef struct warp {
    unsigned alive, arrived;
    unsigned blocked;  /* lanes that wait at a barrier or in an exchange */
    unsigned gathered; /* lanes that wait in a gather, at `position`: */
    uint16_t syncs;    /* how often its lanes have waited for each other */
    int position[LANES];
    unsigned together[LANES]; /* for lanes whose gather is complete: which lanes came to the same position */
    unsigned long long value[LANES];
    snapshot *result[LANES]; /* for lanes whose exchange is complete */
    snapshot *kept;          /* SNAPSHOTS of them, made when first needed */
    part_meeting *parts;     /* of a block's first warp: __CU_PARTS of them, made when first needed */
} warp;

typedef struct block {
    uint32_t alive, waiting;
    uint64_t generation;
    uint32_t epoch, begun; /* between two barriers; never repeated (CUPRITE_CHECK); the block's first */
    int line, how;         /* of those that wait */
    uint32_t first;        /* the thread that came first */
    int sum, result;
    warp *warps;
} block;

typedef struct fiber {
    struct fiber *next, *before; /* in the ring */
    void *context;
    char *top;
    block *block;
    __cu_thread where;
    uint32_t number;  /* in its block */
    int line;         /* where it waits */
    uint64_t seen;    /* the crew's progress when it took its last turn */
    snapshot *held;
} fiber;

struct cpi_crew {
    __cu_worker worker; /* first: the part that kernels know */
    fiber *fiber;       /* nfibers of them */
    uint32_t nfibers;
    char *stacks;
    size_t stack;       /* bytes of one */
    block *blocks;
    uint32_t nblocks, nwarps; /* existing records */
    warp *warps;
    char *shared;       /* of each block: arena, dynamic */
    size_t shared_bytes, shared_each, dynamic_at;
    uint32_t dynamic;
    char *space;        /* LOCAL_SPACE bytes for local arrays of threads that are loops, or NULL */
    fiber *running;
    void *home;         /* the context that started the block */
    uint64_t progress, spins; /* events; turns taken in loops that wait in memory */
    uint32_t in_ring, idle;   /* fibers; turns in which nothing has happened */
    cpi_turns *turns;         /* where blocks may wait for each other; NULL */
    uint32_t *slots, nslots;  /* places for blocks that are free */
    uint32_t grid_waiting, grid_alive;
    uint64_t grid_generation;
    cpi_address_range own; /* where blocks run at once: the worker's variables of the thread */
    char *saved;           /* among them; what those of each block are while another one runs */
    uint32_t together;  /* blocks that run at once */
    __cu_run_thread run;
    const __cu_launch *launch;
    uint32_t threads;   /* of a block */
    cpi_watch watch;
    cpi_mark *marks;    /* of shared memory, while accesses are watched, and of global memory */
    cpi_mark *apart;    /* of shared variables that are those of the thread: so many bytes */
    size_t apart_bytes;
    cpi_shadow *shadow;
    cpi_pending pending;
    cpi_fault suspect;  /* a read of shared memory that nobody wrote before; text empty: none */
    uint32_t epochs, fences, start; /* start: the first epoch of the launch, or behind its last barrier of the grid */
};

/* Where dynamic shared memory of a block begins. */
char *cpi_crew_dynamic(const cpi_crew *crew, uint32_t block);
/* Bytes for local arrays of threads that are loops; the launch fails where there are none. */
char *cpi_crew_space(__cu_worker *worker, unsigned long bytes);
/* So many fibers with stacks; records of so many blocks. False without memory. */
bool cpi_crew_need_fibers(cpi_crew *crew, uint32_t n);
bool cpi_crew_need_blocks(cpi_crew *crew, uint32_t n, uint32_t warps);
/* Where `blocks` run at once: place for each one's variables of the thread (`own`). False without memory. */
bool cpi_crew_need_saved(cpi_crew *crew, cpi_address_range image, uint32_t blocks);
/* Gives all memory back, but for the crew itself. */
void cpi_crew_drop_memory(cpi_crew *crew);

#endif
