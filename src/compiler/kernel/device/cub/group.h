/* What the collectives of <cub/...> are made of: threads that work together, each of which brings the address of a
 * record on its stack. All threads of a block run on one processor, so that the first thread does the work of all on
 * their records, in CUB's order, while the others wait.
 *
 * Invariant: between the two meetings of `run` nobody but the first thread runs; a record need not outlive it. */
#pragma once
#include "cuprite_device.h"

namespace cub {

/* While one thread works on the stacks of others, its accesses are not reported to CUPRITE_CHECK. */
struct __cu_unchecked {
#ifdef __CU_CHECK
    __cu_worker *worker = __cu_checked;
    __cu_unchecked() { __cu_checked = nullptr; }
    ~__cu_unchecked() { __cu_checked = worker; }
#else
    ~__cu_unchecked() {}
#endif
};
/* What it leaves for the others is. */
static inline void __cu_wrote(const void *p, unsigned long bytes, int line)
{
#ifdef __CU_CHECK
    ::__ctx.worker->host->check(::__ctx.worker, (unsigned long)p, bytes, __CU_W, (const void *)(unsigned long)line);
#else
    (void)p, (void)bytes, (void)line;
#endif
}

template <int n> struct __cu_addresses { void *at[n]; };

/* Storage of a collective that was made without any: one for each block that this worker has begun. */
template <class S> static inline S &__cu_private()
{
    struct node { const char *arena; node *next; S storage; };
    static thread_local node *first;
    __cu_unchecked unchecked;
    node *n = first;
    while (n && n->arena != ::__ctx.arena) n = n->next;
    if (!n) {
        n = (node *)malloc(sizeof(node));
        n->arena = ::__ctx.arena;
        n->next = first;
        first = n;
    }
    return n->storage;
}

/* The threads of a block of X * Y * Z. `line`: the user's. */
template <int X, int Y, int Z> struct __cu_block_threads {
    enum { count = X * Y * Z };
    typedef __cu_addresses<count> Storage;
    struct TempStorage : Storage {};
    Storage &storage;
    int line;
    unsigned rank;
    __cu_block_threads(Storage &s, int line)
        : storage(s), line(line), rank(::__ctx.t.x + (Y * Z > 1 ? X * (::__ctx.t.y + Y * ::__ctx.t.z) : 0))
    {
    }
    int number() const { return count; }
    void sync() const { (void)__cu_wait(::__ctx.worker->host->barrier(::__ctx.worker, line, 0, 0)); }
    /* f(j) by the first thread: j(i) is the record of thread i. */
    template <class J, class F> void run(J &own, F f) const
    {
        storage.at[rank] = &own;
        sync();
        if (rank == 0) {
            __cu_unchecked unchecked;
            void *const *at = storage.at;
            f([at](int i) -> J & { return *(J *)at[i]; });
        }
        sync();
    }
};

/* The threads of a logical warp of n: a part of one where n is a power of two, else its first n lanes. */
template <int n> struct __cu_warp_threads {
    enum { count = n, whole = (n & (n - 1)) == 0 };
    struct TempStorage { char unused; };
    unsigned first, rank, mask;
    int line;
    __cu_warp_threads(int line) : line(line)
    {
        const unsigned lane = __cu_lane(::__ctx);
        first = whole ? lane & ~(n - 1u) : 0;
        rank = lane - first;
        mask = (~0u >> (32 - n)) << first;
    }
    int number() const { return count; }
    const unsigned long long *exchange(unsigned long long v) const
    {
        return __cu_wait(::__ctx.worker->host->exchange(::__ctx.worker, line, mask, v));
    }
    void sync() const { (void)exchange(0); }
    template <class J, class F> void run(J &own, F f) const
    {
        const unsigned long long *all = exchange((unsigned long long)&own) + first;
        if (rank == 0) {
            __cu_unchecked unchecked;
            f([all](int i) -> J & { return *(J *)all[i]; });
        }
        sync();
    }
};

/* Memory for the time of one piece of work. */
template <class T> struct __cu_buffer {
    T *at;
    __cu_buffer(long n) : at((T *)(malloc)(sizeof(T) * (n ? n : 1))) {}
    ~__cu_buffer() { (free)(at); }
    T &operator[](long i) { return at[i]; }
};

/* n elements in a stable order, b is scratch of n: merges of ever longer runs. */
template <class T, class F> static inline void __cu_stable_sort(T *a, T *b, long n, F less)
{
    const long run = 16;
    for (long from = 0; from < n; from += run) {
        const long to = from + run < n ? from + run : n;
        for (long i = from + 1; i < to; i++) {
            T v = a[i];
            long k = i;
            for (; k > from && less(v, a[k - 1]); k--) a[k] = a[k - 1];
            a[k] = v;
        }
    }
    T *x = a, *y = b;
    for (long width = run; width < n; width *= 2) {
        for (long from = 0; from < n; from += 2 * width) {
            long i = from, middle = from + width < n ? from + width : n;
            long k = middle, to = from + 2 * width < n ? from + 2 * width : n;
            for (long o = from; o < to; o++) y[o] = k < to && (i >= middle || less(x[k], x[i])) ? x[k++] : x[i++];
        }
        T *other = x;
        x = y, y = other;
    }
    if (x != a)
        for (long i = 0; i < n; i++) a[i] = x[i];
}

} // namespace cub
