/* What kernels with barriers are written with: loops over the threads of the block __cu_block.
 *
 * A row has __cu_block.row threads. Where blocks are joined (entry.h) that is more than a block has, and the first of
 * them is __cu_block.t.x; else that is 0. */
#pragma once

/* Threads of blocks that are joined: at most, and where something is kept for each. */
enum { __CU_JOINED = 1 << 20, __CU_JOINED_KEPT = 4096 };

/* The loop, and, inside, the thread's number and its context. */
#define __CU_THREADS                                                                                       \
    for (unsigned __cu_z = 0; __cu_z < __cu_block.bd.z; __cu_z++)                                          \
        for (unsigned __cu_y = 0; __cu_y < __cu_block.bd.y; __cu_y++)                                      \
            for (unsigned long __cu_x = 0,                                                                 \
                               __cu_t = (__cu_z * __cu_block.bd.y + __cu_y) * (unsigned long)__cu_block.row; \
                 __cu_x < __cu_block.row; __cu_x++, __cu_t++)
/* The same for some threads of each row. */
#define __CU_THREADS_OF(s)                                                                                 \
    for (unsigned __cu_z = 0; __cu_z < __cu_block.bd.z; __cu_z++)                                          \
        for (unsigned __cu_y = 0; __cu_y < __cu_block.bd.y; __cu_y++)                                      \
            for (unsigned long __cu_x = (s).from,                                                          \
                               __cu_t = (__cu_z * __cu_block.bd.y + __cu_y) * (unsigned long)__cu_block.row + __cu_x; \
                 __cu_x < (s).to; __cu_x++, __cu_t++)
/* Every by-th of them. */
#define __CU_THREADS_BY(s, by)                                                                             \
    for (unsigned __cu_z = 0; __cu_z < __cu_block.bd.z; __cu_z++)                                          \
        for (unsigned __cu_y = 0; __cu_y < __cu_block.bd.y; __cu_y++)                                      \
            for (unsigned long __cu_x = (s).from,                                                          \
                               __cu_t = (__cu_z * __cu_block.bd.y + __cu_y) * (unsigned long)__cu_block.row + __cu_x; \
                 __cu_x < (s).to; __cu_x += (by), __cu_t += (by))
#define __CU_THREAD                                                                                        \
    if (__cu_x >= __CU_JOINED) __builtin_unreachable(); /* that no int wraps: loops become vectors */       \
    __cu_ctx __ctx = __cu_block;                                                                           \
    __ctx.t = {__cu_block.t.x + (unsigned)__cu_x, __cu_y, __cu_z};                                         \
    if constexpr (__cu_shows) __CU_SHOW_THREAD(__ctx.t);

static inline unsigned __cu_threads(const __cu_ctx &block) { return block.row * block.bd.y * block.bd.z; }
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

/* --- lanes that meet: what normal.c writes warp operations with --- */

/* Where lanes put what they bring: a value each, or votes. Two of them take turns, because a thread may put its next
 * value while others have not read the last. */
struct __cu_meeting {
    alignas(64) char before[256], bytes[8192], behind[256]; /* lanes may look beyond their warp, and not use it */
    unsigned yes[32], here[32]; /* by warps */
    unsigned votes;
    unsigned long fold_of; /* the warp whose fold is kept, by its first thread */
    unsigned fold_mask;
    char fold[8];
    /* Lanes that are not there bring 0. */
    inline __attribute__((always_inline)) void begin(const __cu_ctx &block, __cu_span s, bool some, bool counts)
    {
        const unsigned n = __cu_threads(block), warps = (n + 31) / 32;
        if (n == block.bd.x && (s.from || s.to < n)) { /* of one row the warps that may come, in eights at most */
            const unsigned from = s.from / 32 * 32, to = __cu_up(s.to, 32);
            for (unsigned long width = from ? 1 : 8; width <= 8; width *= 2)
                __builtin_memset(bytes + width * from, 0, width * (to - from));
        } else if (some || n % 32) {
            __builtin_memset(bytes, 0, 256ul * warps);
        }
        if (counts) __builtin_memset(yes, 0, sizeof yes), __builtin_memset(here, 0, sizeof here);
        fold_of = ~0ul;
    }
    template <class T> inline __attribute__((always_inline)) T *of()
    {
        static_assert(sizeof(T) <= 8, "lanes exchange at most 8 bytes");
        return (T *)bytes;
    }
};
struct __cu_masks { unsigned mask[1024]; };

#define __cu_put_mask(slot, m) (__cu_q##slot.mask[__cu_t] = (m))
#define __cu_put(slot, m, v) (__cu_put_mask(slot, m), (void)(__cu_x##slot.of<__cu_typeof(v)>()[__cu_t] = (v)))
#define __cu_come(slot) ((void)(__cu_x##slot.here[__cu_t >> 5] |= 1u << (__cu_t & 31)))
#define __cu_put_here(slot, m, v) (__cu_put(slot, m, v), __cu_come(slot))
#define __cu_vote(slot, m, p) \
    (__cu_put_mask(slot, m), (void)(__cu_x##slot.yes[__cu_t >> 5] |= ((p) ? 1u : 0u) << (__cu_t & 31)), __cu_come(slot))

/* Lanes read neighbours, and choose afterwards: so loops become vectors. */
template <class T> static inline T __cu_idx(const T *p, unsigned long t, int lane, int width)
{
    return p[(t & ~31ul) + (__cu_idx_lane((unsigned)t & 31, lane, width) & 31)];
}
template <class T> static inline T __cu_up(const T *p, unsigned long t, unsigned by, int width)
{
    const T far = p[(long)t - (long)(by < 32 ? by : 32)], own = p[t];
    return (int)(((unsigned)t & (width - 1u)) - by) < 0 ? own : far;
}
template <class T> static inline T __cu_down(const T *p, unsigned long t, unsigned by, int width)
{
    const T far = p[t + (by < 32 ? by : 32)], own = p[t];
    return ((unsigned)t & (width - 1u)) + by >= (unsigned)width ? own : far;
}
template <class T> static inline T __cu_xor(const T *p, unsigned long t, int by, int width)
{
    if (by > 0 && by < width && (by & (by - 1)) == 0) {
        const T above = p[t + (unsigned)by], below = p[(long)t - by];
        return (unsigned)t & (unsigned)by ? below : above;
    }
    return p[(t & ~31ul) + (__cu_xor_lane((unsigned)t & 31, by, width) & 31)];
}
#define __cu_take_idx(slot, v, by, width) __cu_idx(__cu_x##slot.of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_up(slot, v, by, width) __cu_up(__cu_x##slot.of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_down(slot, v, by, width) __cu_down(__cu_x##slot.of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_xor(slot, v, by, width) __cu_xor(__cu_x##slot.of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_ballot(slot, m) (__cu_x##slot.yes[__cu_t >> 5] & (m))
#define __cu_take_any(slot, m) (__cu_take_ballot(slot, m) != 0)
#define __cu_take_all(slot, m) (((__cu_x##slot.yes[__cu_t >> 5] ^ __cu_x##slot.here[__cu_t >> 5]) & (m)) == 0)

static inline unsigned __cu_sum(const unsigned (&bits)[32])
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r += (unsigned)__builtin_popcount(bits[i]);
    return r;
}
#define __cu_take_count(slot) ((int)__cu_sum(__cu_x##slot.yes))
#define __cu_take_some(slot) (__cu_sum(__cu_x##slot.yes) != 0)
#define __cu_take_every(slot) (__cu_sum(__cu_x##slot.yes) == __cu_sum(__cu_x##slot.here))

/* The lanes of `there` whose value is the one of lane `me`. */
template <class T> static inline unsigned __cu_same_as(const T *all, unsigned there, unsigned me)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++)
        r |= (unsigned)(__builtin_memcmp(&all[i], &all[me], sizeof(T)) == 0) << i;
    return r & there;
}
#define __cu_warp_of(slot, v) (__cu_x##slot.of<__cu_typeof(v)>() + (__cu_t & ~31ul))
#define __cu_there(slot, m) (__cu_x##slot.here[__cu_t >> 5] & (m))
#define __cu_take_match(slot, m, v) __cu_same_as(__cu_warp_of(slot, v), __cu_there(slot, m), __cu_t & 31)
#define __cu_take_match_all(slot, m, v, all) __cu_unanimous(__cu_take_match(slot, m, v), __cu_there(slot, m), all)

template <class T, class F> static inline T __cu_reduce_lanes(const T *all, unsigned there, F f)
{
    T r = T();
    for (int i = 0, first = 1; i < 32; i++)
        if (there >> i & 1) r = first ? all[i] : f(r, all[i]), first = 0;
    return r;
}
#define __CU_TAKE(slot, m, v, e) \
    __cu_folded(__cu_x##slot, __cu_t, m, __cu_warp_of(slot, v), [](auto a, decltype(a) b) { return e; })
#define __cu_take_add(slot, m, v) __CU_TAKE(slot, m, v, a + b)
#define __cu_take_min(slot, m, v) __CU_TAKE(slot, m, v, b < a ? b : a)
#define __cu_take_max(slot, m, v) __CU_TAKE(slot, m, v, a < b ? b : a)
#define __cu_take_and(slot, m, v) __CU_TAKE(slot, m, v, a & b)
#define __cu_take_or(slot, m, v) __CU_TAKE(slot, m, v, a | b)
#define __cu_take_eor(slot, m, v) __CU_TAKE(slot, m, v, a ^ b)

/* The fold of all is made once for the lanes that have the same mask. */
template <class T, class F> static inline T __cu_folded(__cu_meeting &x, unsigned long t, unsigned m, const T *all, F f)
{
    T r;
    if (x.fold_of == (t & ~31ul) && x.fold_mask == m) {
        __builtin_memcpy((void *)&r, x.fold, sizeof r);
        return r;
    }
    r = __cu_reduce_lanes(all, x.here[t >> 5] & m, f);
    x.fold_of = t & ~31ul, x.fold_mask = m;
    __builtin_memcpy(x.fold, &r, sizeof r);
    return r;
}
#define __cu_take_fold(slot, m, v, ...) __cu_folded(__cu_x##slot, __cu_t, m, __cu_warp_of(slot, v), __VA_ARGS__)
#define __cu_take_scan(slot, m, v, ...) \
    __cu_reduce_lanes(__cu_warp_of(slot, v), __cu_there(slot, m) & ((2u << (__cu_t & 31)) - 1u), __VA_ARGS__)
#define __cu_take_scan_before(slot, m, v, ...) \
    __cu_reduce_lanes(__cu_warp_of(slot, v), __cu_there(slot, m) & ((1u << (__cu_t & 31)) - 1u), __VA_ARGS__)

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
