/* What compiled kernels of the CPU and the library that runs them agree on; read as C by the one, as C++ by the other.
 *
 * A kernel's `run` is, by its tier: 0, a loop over the threads, and 1, loops between barriers: __cu_run_block(launch,
 * site, box), which runs some blocks, or rows of threads (rows.c); 2, fibers: __cu_run_thread(launch, worker, thread),
 * one thread of one block. */
#ifndef CUPRITE_KERNEL_ABI_H
#define CUPRITE_KERNEL_ABI_H

/* Numbers of such barriers: PTX has 16; those of tiles of 64 to 1024 threads are behind them. */
enum { __CU_PARTS = 16 + 32 };

typedef struct __cu_extent { unsigned x, y, z; } __cu_extent;

typedef struct __cu_worker {
    const struct __cu_host *host;
    char *arena;   /* static shared memory of the block that the worker runs */
    char *dynamic; /* dynamic shared memory */
    /* For the large local arrays of threads that are loops: what is free of it; how far it was used. */
    char *space, *space_end, *space_most;
} __cu_worker;

/* What a kernel asks of the library. `line` is the user's. */
typedef struct __cu_host {
    /* __syncthreads: 0: only waits; the others return the count of, the "and" of, the "or" of `value` */
    int (*barrier)(__cu_worker *worker, int line, int how, int value);
    /* All lanes of `mask` come here; what each brought, by lanes, and behind it the lanes that
     * have come: those of a mask may have ended. Valid until the caller's next call. */
    const unsigned long long *(*exchange)(__cu_worker *worker, int line, unsigned mask, unsigned long long value);
    unsigned (*lanes)(__cu_worker *worker); /* lanes of the calling warp that have not ended */
    /* Waits until every lane of the warp has come to a gather, has ended, or waits elsewhere, and those at places
     * before this one have gone on; the lanes that came to this place: 256 times the line, and a part of the line. */
    unsigned (*gather)(__cu_worker *worker, int place);
    void (*grid_barrier)(__cu_worker *worker, int line);
    /* A barrier that thread `in` of the block comes to and thread `out` does not. Does not return. */
    void (*divergent)(__cu_worker *worker, const unsigned block[3], unsigned one, int line, unsigned other,
                      int its_line);
    /* CUPRITE_CHECK. An access of `bytes` bytes: read 0, written 1, updated by an atomic operation 2, read and written
     * as volatile 3 and 4, exchanged 5, read by an atomic operation 6. `at`: where in the compiled code, or, below
     * 2^20, in which line. An index that an array's type refuses; an address that a type refuses. These do not return
     * where an access may not be. What may be a lock. */
    void (*check)(__cu_worker *worker, unsigned long address, unsigned long bytes, int how, const void *at);
    void (*bounds)(__cu_worker *worker, int line, int column, const char *type, long index);
    void (*misaligned)(__cu_worker *worker, int line, const char *type, unsigned long address);
    void (*fence)(__cu_worker *worker);
    void (*fail)(__cu_worker *worker, int line, const char *what); /* does not return */
    /* malloc, free, realloc and printf. What would end the process: does not return. */
    void *(*allocate)(unsigned long bytes);
    void (*release)(void *memory, const void *at);
    void *(*resize)(void *memory, unsigned long bytes, const void *at);
    int (*print)(const char *format, __builtin_va_list values);
    void (*ended)(const char *what, const void *at);
    void (*turn)(__cu_worker *worker); /* in a loop that waits for others: they run before it returns */
    /* A barrier between `count` threads of the block (0: all), number `which`: how 0 to 3 as for `barrier`, 4: comes
     * and does not wait. */
    int (*part)(__cu_worker *worker, int line, unsigned which, unsigned count, int how, int value);
    char *(*space)(__cu_worker *worker, unsigned long bytes); /* sets the worker's space, which lacks that many bytes */
} __cu_host;

typedef struct __cu_launch {
    __cu_extent grid, block;
    void *const *args;
} __cu_launch;

typedef struct __cu_thread { __cu_extent thread, block; } __cu_thread;

/* Where threads run; kernels read it as their context. */
typedef struct __cu_site {
    __cu_extent thread, block, threads, blocks;
    char *arena, *dynamic;
    __cu_worker *worker;
    int how;
    unsigned row;
    int *reported;
} __cu_site;
/* `how`, of a thread in a loop (entry.h): its tests are made; are known to be passed; are all that is asked. */
enum { __CU_TESTED, __CU_SURE, __CU_ASKED };

/* Of a kernel's `spans`. The kernel can be asked which of a row of threads take part, and is given those; of x it uses
 * a thread's place in the grid alone, and is given blocks side by side at once (spans.c); loops with the stride of the
 * grid that keep something for each thread; such loops (strides.c), made as those between barriers are; blocks of
 * several rows run by columns (columns.c), and are given whole. */
enum { __CU_GUARDED = 1, __CU_JOINS = 2, __CU_KEEPS = 4, __CU_STRIDES = 16, __CU_COLUMNS = 32 }; /* 8: entry.h */
/* Threads of blocks that are joined: at most, and where something is kept for each. */
enum { __CU_JOINED = 1 << 20, __CU_JOINED_KEPT = 4096 };

/* Threads from.x <= x < to.x: of a row, of blocks that are joined; of rows from.y to to.y - 1 with one z, of a kernel
 * that is __CU_GUARDED; else, and by columns, of all rows of that many blocks side by side, the first of which is the
 * site's. */
typedef struct __cu_box { unsigned blocks; __cu_extent from, to; } __cu_box;

typedef void (*__cu_run_block)(const __cu_launch *, const __cu_site *, const __cu_box *);
typedef void (*__cu_ask)(const __cu_launch *, const __cu_site *);
typedef void (*__cu_run_thread)(const __cu_launch *, __cu_worker *, const __cu_thread *);

typedef struct __cu_kernel {
    const char *name; /* NULL ends the table */
    int tier, nargs;
    const unsigned *sizes; /* bytes of each argument */
    void *run;
    const char *parameters;   /* their names, with commas between */
    const unsigned *elements; /* bytes of what each argument points to; 0: it is no pointer, or one to void */
    const unsigned *shared, *apart; /* bytes of static shared memory: in the arena, and elsewhere */
    const int *calls; /* NULL, or which of `apart` are counted too: how far behind it, 0 ends them */
    const char *kinds; /* of each argument: i integer, f real number, p pointer, s anything else */
    int spans;  /* of a loop: which rows of threads it is given */
    __cu_ask asked; /* writes which of its tests thread `site->thread` fails, of a kernel that is __CU_GUARDED */
    int turns;  /* fibers that wait in memory for each other, and for other blocks */
    int mangled; /* programs find it by its mangled name alone */
} __cu_kernel;

typedef struct __cu_variable {
    const char *name;
    void *address;
    unsigned long long bytes;
} __cu_variable;

#endif
