/* What kernels with barriers are written with: loops over the threads of the block __cu_block.
 *
 * A row has __cu_block.row threads. Where blocks are joined (entry.h) that is more than a block has, and the first of
 * them is __cu_block.t.x; else that is 0. */
#pragma once

/* The loop, and, inside, the thread's number and its context. The counter is signed: sums with it do not wrap, so that
 * loops become vectors; those of a known length would be written out before. */
#define __CU_LOOP _Pragma("GCC unroll 1") for
#define __CU_ROWS                                                                                          \
    for (unsigned __cu_z = 0; __cu_z < __cu_block.bd.z; __cu_z++)                                          \
        __CU_LOOP (unsigned __cu_y = 0; __cu_y < __cu_block.bd.y; __cu_y++)
/* The threads of the row __cu_y, __cu_z; some of them, one or none, and every by-th; the same of ranks in the block. */
#define __CU_ROW __CU_LOOP (int __cu_x = 0; __cu_x < (int)__cu_block.row; __cu_x++)
#define __CU_ROW_OF(s) __CU_LOOP (int __cu_x = (int)(s).from; __cu_x < (int)(s).to; __cu_x++)
#define __CU_ROW_ONE(s) if (const int __cu_x = (int)(s).from; __cu_x < (int)(s).to)
#define __CU_ROW_BY(s, by) __CU_LOOP (int __cu_x = (int)(s).from; __cu_x < (int)(s).to; __cu_x += (int)(by))
#define __CU_ROW_RANKED(s) \
    for (__cu_span __cu_s = __cu_in_row(s, __cu_block, __cu_y, __cu_z); __cu_s.from < __cu_s.to; __cu_s.to = 0) \
        for (int __cu_x = (int)__cu_s.from; __cu_x < (int)__cu_s.to; __cu_x++)
#define __CU_ROW_RANKED_BY(s, by) \
    __CU_LOOP (int __cu_x = __cu_first_in_row(by, __cu_block, __cu_y, __cu_z); __cu_x < (int)__cu_block.row; \
               __cu_x += (int)(by))
/* Upwards, of values that threads above have not changed yet: nothing is carried from one thread to the next. */
#define __CU_ROW_UPWARDS _Pragma("GCC ivdep") for (int __cu_x = 0; __cu_x < (int)__cu_block.row; __cu_x++)
/* The same of an array that takes turns with another: a known length may be written out. */
#define __CU_ROW_IN_TURNS for (int __cu_x = 0; __cu_x < (int)__cu_block.row; __cu_x++)
/* The same of all rows. */
#define __CU_THREADS __CU_ROWS __CU_ROW
#define __CU_THREADS_OF(s) __CU_ROWS __CU_ROW_OF(s)
#define __CU_THREADS_ONE(s) __CU_ROWS __CU_ROW_ONE(s)
#define __CU_THREADS_BY(s, by) __CU_ROWS __CU_ROW_BY(s, by)
#define __CU_THREADS_RANKED(s) __CU_ROWS __CU_ROW_RANKED(s)
#define __CU_THREADS_RANKED_BY(s, by) __CU_ROWS __CU_ROW_RANKED_BY(s, by)
#define __CU_THREADS_UPWARDS __CU_ROWS __CU_ROW_UPWARDS
#define __CU_THREADS_IN_TURNS __CU_ROWS __CU_ROW_IN_TURNS
/* The first n of a row. */
#define __CU_THREADS_BELOW(n) for (int __cu_x = 0; __cu_x < (int)(n); __cu_x++)
/* The first of each n side by side; these n. */
#define __CU_TILES(n) __CU_ROWS __CU_LOOP (int __cu_x = 0; __cu_x < (int)__cu_block.row; __cu_x += (n))
#define __CU_THREADS_OF_TILE(n) \
    for (int __cu_w = __cu_x, __cu_end = __cu_x + (n) < (int)__cu_block.row ? __cu_x + (n) : (int)__cu_block.row, \
             __cu_once = 1; __cu_once; __cu_once = 0) \
        for (int __cu_x = __cu_w; __cu_x < __cu_end; __cu_x++)
#define __CU_THREAD                                                                                        \
    if (__cu_x < 0 || __cu_x >= __CU_JOINED) __builtin_unreachable();                                      \
    const int __cu_t = (int)((__cu_z * __cu_block.bd.y + __cu_y) * __cu_block.row) + __cu_x;               \
    __cu_ctx __ctx = __cu_block;                                                                           \
    __ctx.t = {__cu_block.t.x + (unsigned)__cu_x, __cu_y, __cu_z};                                         \
    if constexpr (__cu_shows) __CU_SHOW_THREAD(__ctx.t);

static inline unsigned __cu_threads(const __cu_ctx &block) { return block.row * block.bd.y * block.bd.z; }
static inline int __cu_last_of(const __cu_ctx &block) { return (int)block.row - 1; }
static inline void __cu_fill(unsigned char *alive, const __cu_ctx &block)
{
    for (unsigned i = 0; i < __cu_threads(block); i++) alive[i] = 1;
}

template <class T> static inline __attribute__((always_inline)) void __cu_keep(T &to, const T &from)
{
    if constexpr (__is_assignable(T &, const T &)) to = from;
    else __builtin_memcpy((void *)&to, (const void *)&from, sizeof(T));
}
/* What each of n threads keeps between loops: a T, in memory of the worker's where it is large. */
template <class T, unsigned n, bool large = (sizeof(T) > 512 || !__is_trivially_constructible(T))> struct __cu_kept {
    T at[n];
    inline __attribute__((always_inline)) __cu_kept(const __cu_ctx &) {}
};
template <class T, unsigned n> struct __cu_kept<T, n, true> {
    __cu_worker *worker;
    char *before;
    T *at;
    __cu_kept(const __cu_ctx &block) : worker(block.worker), before(worker->space)
    {
        const unsigned long bytes = (sizeof(T) * (unsigned long)__cu_threads(block) + 255) / 256 * 256;
        if ((unsigned long)(worker->space_end - worker->space) < bytes) before = worker->host->space(worker, bytes);
        at = (T *)before;
        worker->space = before + bytes;
        if (worker->space > worker->space_most) worker->space_most = worker->space;
    }
    ~__cu_kept() { worker->space = before; }
};

/* Threads x with from <= x < to of the rows of a block. */
struct __cu_span { unsigned from, to; };
/* A block as one row of threads; those of such a span that are in a row of the block; the first there whose rank is a
 * multiple. */
static inline __cu_ctx __cu_as_row(const __cu_ctx &block)
{
    __cu_ctx r = block;
    r.bd.x = __cu_threads(block);
    return r;
}
static inline __cu_span __cu_in_row(__cu_span s, const __cu_ctx &block, unsigned y, unsigned z)
{
    const unsigned first = (z * block.bd.y + y) * block.row, to = s.to > first ? s.to - first : 0;
    return {s.from > first ? s.from - first : 0, to < block.row ? to : block.row};
}
static inline int __cu_first_in_row(unsigned by, const __cu_ctx &block, unsigned y, unsigned z)
{
    return (int)((by - (z * block.bd.y + y) * block.row % by) % by);
}
/* Those with (X)x < u, and with (X)x == u; threads have at most 1024 of them in a row. */
template <class X, class U> static inline __cu_span __cu_below(const __cu_ctx &block, X, U u)
{
    typedef decltype(X() + U()) common;
    const common c = (common)u;
    if (!(c > (common)0)) return {0, 0};
    if (c >= (common)block.bd.x) return {0, block.bd.x};
    return {0, (unsigned)c + ((common)(unsigned)c < c)};
}
template <class X, class U> static inline __cu_span __cu_one(const __cu_ctx &block, X, U u)
{
    typedef decltype(X() + U()) common;
    const common c = (common)u;
    if (!(c >= (common)0 && c < (common)block.bd.x) || (common)(unsigned)c != c) return {0, 0};
    return {(unsigned)c, (unsigned)c + 1};
}

/* Threads x with x * scale + added < u are among them. */
template <class A, class B, class U> static inline __cu_span __cu_at_most(const __cu_ctx &block, A scale, B added, U u)
{
    const long long s = (long long)scale, a = (long long)added, to = (long long)u;
    if (s <= 0 || s > 1 << 20 || a < 0 || to < 0) return {0, block.bd.x};
    const long long n = to / s + 1;
    return {0, n < (long long)block.bd.x ? (unsigned)n : block.bd.x};
}
/* Those with (X)x % u == 0 are so far apart. */
template <class X, class U> static inline unsigned __cu_steps(X, U u)
{
    typedef decltype(X() + U()) common;
    const common c = (common)u, most = (common)(1 << 20), size = c < (common)0 ? (common)0 - c : c;
    return size == (common)0 || size > most || size < (common)0 ? 1u << 20 : (unsigned)size;
}

/* Whether a thread is left. */
static inline bool __cu_left(const unsigned char *alive, const __cu_ctx &block)
{
    for (unsigned i = 0; i < __cu_threads(block); i++)
        if (alive[i]) return true;
    return false;
}

/* What threads say to a condition in front of a barrier. */
struct __cu_ballot {
    unsigned yes = 0, no = 0, one_yes = 0, one_no = 0;
    void add(unsigned thread, bool is)
    {
        if (is ? !yes++ : !no++) (is ? one_yes : one_no) = thread;
    }
    /* The lines of the barriers to which they would come. */
    bool all(const __cu_ctx &block, int line_yes, int line_no)
    {
        if (yes && no) block.worker->host->divergent(block.worker, &block.b.x, one_yes, line_yes, one_no, line_no);
        return yes > 0;
    }
};

/* --- marks: who is in a branch or a loop --- */

static inline void __cu_unmark(unsigned char *marks, const __cu_ctx &block)
{
    __builtin_memset(marks, 0, __cu_threads(block));
}
static inline bool __cu_any(const unsigned char *marks, unsigned char value, const unsigned char *alive,
                            const __cu_ctx &block)
{
    bool r = false;
    for (unsigned i = 0; i < __cu_threads(block); i++) r |= marks[i] == value && (!alive || alive[i]);
    return r;
}
/* Where they are, in a block of one row. */
static inline __cu_span __cu_marked(const unsigned char *marks, unsigned char value, const unsigned char *alive,
                                    const __cu_ctx &block)
{
    unsigned from = 0, to = block.bd.x;
    if (block.bd.y * block.bd.z != 1) return {0, __cu_any(marks, value, alive, block) ? to : 0};
    while (from < to && !(marks[from] == value && (!alive || alive[from]))) from++;
    for (bool any = false; to - from >= 32; to -= 32) {
        for (int i = 1; i <= 32; i++) any |= marks[to - i] == value;
        if (any) break;
    }
    return {from, to};
}
/* Who has skipped the rest of a round is in the next. */
static inline void __cu_again(unsigned char *marks, const __cu_ctx &block)
{
    for (unsigned i = 0; i < __cu_threads(block); i++) marks[i] = marks[i] == 2 ? 1 : marks[i];
}
/* Lanes that wait for others which are not there. */
static inline void __cu_meeting_check(const unsigned char *marks, unsigned char value, const unsigned char *alive,
                                      const unsigned *mask, const __cu_ctx &block, int line)
{
    const unsigned n = __cu_threads(block);
    for (unsigned w = 0; w < n; w += 32) {
        const unsigned lanes = n - w < 32 ? n - w : 32;
        unsigned here = 0, left = 0, wanted = 0;
        for (unsigned i = 0; i < lanes; i++) {
            const bool lives = !alive || alive[w + i], in = lives && marks[w + i] == value;
            left |= (unsigned)lives << i;
            here |= (unsigned)in << i;
            wanted |= in ? mask[w + i] : 0;
        }
        if (wanted & left & ~here)
            block.worker->host->fail(block.worker, line, "lanes of a warp wait there for lanes that are elsewhere");
    }
}

/* --- loops with the stride of the grid --- */

/* A loop `for (T i = first; i < limit; i += step)` of the threads of a block, which begin one behind the other.
 * Regular: nothing wraps, and the block is one row of threads. */
template <class T> struct __cu_striding {
    static constexpr unsigned long long most = (T)-1 < (T)0 ? ~0ull >> (65 - 8 * sizeof(T))
                                                            : ~0ull >> (64 - 8 * sizeof(T));
    bool regular;
    long long limit, step;
    unsigned count;
    unsigned threads(long long i) const
    {
        const long long left = limit - i;
        const unsigned n = left < (long long)count ? (unsigned)left : count;
        if (n > __CU_JOINED) __builtin_unreachable();
        return n;
    }
    T at(long long i, unsigned long x) const
    {
        if (i < 0 || i > (long long)(most / 2 < ~0ull >> 3 ? most - 2 * __CU_JOINED : ~0ull >> 2))
            __builtin_unreachable();
        return (T)(i + (long long)x);
    }
};
template <class T, class L, class S> static inline __cu_striding<T> __cu_strides(const __cu_ctx &block, long long first,
                                                                                 long long last, L limit, S step)
{
    __cu_striding<T> r = {false, 0, 0, block.row};
    if constexpr (__cu_is_integer<L>::value && __cu_is_integer<S>::value) {
        typedef decltype(T() + L()) common; /* in which they are compared */
        const common to = (common)limit;
        const unsigned long long most = __cu_striding<T>::most;
        const unsigned long long end = to < (common)1 ? 0 : (unsigned long long)to, by = (unsigned long long)step;
        const bool row = block.bd.y == 1 && block.bd.z == 1 && first >= 0 && last - first == (long long)block.row - 1;
        r.regular = row && step > (S)0 && by <= most && end <= most && by <= most - end &&
                    most - end - by > 2 * __CU_JOINED && end < ~0ull >> 2;
        r.limit = (long long)end;
        r.step = (long long)by;
    }
    return r;
}
