/* How the library calls a kernel: its arguments are passed by address, its threads are loops. */
#pragma once

#ifdef __CU_WIDE
#define __CU_NARROW(block, size) ((void)0)
#else
/* The library keeps to it that all indices of threads are below 2^31 and those of blocks below 2^20, which lets loops
 * become vectors. */
#define __CU_NARROW(block, size) \
    do { if ((block) >= 1u << 20 || (block) * (size) > 0x7fffffffu - 1024) __builtin_unreachable(); } while (0)
#endif

/* What row_sums.c writes around a sum with threadIdx.x, to be an int and to be an index. `rest` is the same sum for the
 * thread whose index is 0: where sum and rest differ by the index, the value is written as the rest and the counter of
 * the loop over the threads, which is signed. */
template <class T, class R> static inline __attribute__((always_inline)) T __cu_int(const __cu_ctx &, T v, R)
{
    return v;
}
static inline __attribute__((always_inline)) int __cu_int(const __cu_ctx &c, unsigned v, unsigned rest)
{
    return rest + (1u << 30) < 1u << 31 && c.t.x < 1u << 30 && v == rest + c.t.x ? (int)rest + (int)c.t.x : (int)v;
}
template <class T, class R> static inline __attribute__((always_inline)) T __cu_at(const __cu_ctx &, T v, R)
{
    return v;
}
static inline __attribute__((always_inline)) long __cu_at(const __cu_ctx &c, unsigned v, unsigned rest)
{
    const bool wraps = rest > 0u - c.bd.x; /* the row does: it begins before the array */
    return v == rest + c.t.x ? (wraps ? (long)(int)rest : (long)rest) + (int)c.t.x : (long)v;
}

/* The beginning of a sum of type S that is an index of an array: a long integer where the sum is an int. */
template <class S, class T> static inline __attribute__((always_inline)) auto __cu_long(const T &v)
{
    if constexpr (__is_same(S, int)) return (long)v;
    else return v;
}

/* Threads of blocks that are joined: at most, and where something is kept for each. */
enum { __CU_JOINED = 1 << 20, __CU_JOINED_KEPT = 4096 };

template <class T> struct __cu_pointed { static constexpr unsigned size = 0; };
template <class T> struct __cu_pointed<T *> { static constexpr unsigned size = sizeof(T); };
template <> struct __cu_pointed<void *> { static constexpr unsigned size = 0; };
template <> struct __cu_pointed<const void *> { static constexpr unsigned size = 0; };
template <class R, class... A> struct __cu_pointed<R (*)(A...)> { static constexpr unsigned size = 0; };

/* The type of a kernel as the user names it, with the hidden parameter. */
template <class F> struct __cu_kernel_type;
template <class... A> struct __cu_kernel_type<void (*)(A...)> { typedef void (*type)(__cu_ctx, A...); };
template <class... A> struct __cu_kernel_type<void (A...)> : __cu_kernel_type<void (*)(A...)> {};

template <class T> struct __cu_kind {
    static constexpr char is = __is_enum(T) || __cu_is_integer<T>::value ? 'i' : 's';
};
template <> struct __cu_kind<float> { static constexpr char is = 'f'; };
template <> struct __cu_kind<double> { static constexpr char is = 'f'; };
template <class T> struct __cu_kind<T *> { static constexpr char is = 'p'; };
template <class T> struct __cu_kind<const T> : __cu_kind<T> {};

/* Static shared memory of each kernel of the source, by its number there: every place where variables end, reported
 * when the object is loaded. Instances of a template share a number, and so the most of them. */
#ifndef __CU_KERNELS
#define __CU_KERNELS 0
#endif
static unsigned __cu_shared_sizes[__CU_KERNELS + 1], __cu_shared_apart[__CU_KERNELS + 1];
template <unsigned kernel, unsigned bytes> struct __cu_reserve { static unsigned reported; };
template <unsigned kernel, unsigned bytes>
unsigned __cu_reserve<kernel, bytes>::reported =
    __cu_shared_sizes[kernel] = __cu_shared_sizes[kernel] > bytes ? __cu_shared_sizes[kernel] : bytes;

/* Variables of a scope behind one that has ended lie apart. */
template <unsigned kernel, unsigned place, unsigned bytes> struct __cu_reserve_apart { static unsigned reported; };
template <unsigned kernel, unsigned place, unsigned bytes>
unsigned __cu_reserve_apart<kernel, place, bytes>::reported = __cu_shared_apart[kernel] += bytes;

/* spans: 1 the kernel can be asked who takes part, 2 of x it uses a thread's place in the grid alone (spans.c); 4 loops
 * with the stride of the grid (strides.c) that keep something for each thread; 8 it sets the thread's context; 16 it
 * writes by columns (columns.c). sx, sy, sz: the block's size for which there is a copy of the regions
 * (block_size.c). */
template <auto F, int spans = 0, unsigned sx = 0, unsigned sy = 0, unsigned sz = 0> struct __cu_entry;
template <class... A, void (*F)(__cu_ctx, A...), int spans, unsigned sx, unsigned sy, unsigned sz>
struct __cu_entry<F, spans, sx, sy, sz> {
#ifdef __CU_WIDE
    static constexpr bool guarded = false, joined = false;
#else
    static constexpr bool guarded = spans & 1, joined = spans & 2;
#endif
    static constexpr bool shows = spans & 8, columns = (spans & 16) && !shows;
    static constexpr int nargs = sizeof...(A);
    static constexpr unsigned sizes[sizeof...(A) + 1] = {sizeof(A)..., 0};
    static constexpr unsigned elements[sizeof...(A) + 1] = {__cu_pointed<A>::size..., 0};
    static constexpr char kinds[sizeof...(A) + 1] = {__cu_kind<A>::is..., 0};
    static constexpr unsigned long bytes()
    {
        unsigned long n = 0;
        ((n = (n + alignof(A) - 1) / alignof(A) * alignof(A) + sizeof(A)), ...);
        return n;
    }
    static_assert(bytes() <= 32764, "Formal parameter space overflowed: max 32764 bytes allowed");
    template <int... I> struct places {};
    template <int n, int... I> struct upto : upto<n - 1, n - 1, I...> {};
    template <int... I> struct upto<0, I...> { typedef places<I...> type; };

    /* Where a block is; the next is found without a division. */
    struct place {
        unsigned x, y, z;
        inline __attribute__((always_inline)) place(const __cu_launch *l, unsigned long long b)
            : x((unsigned)(b % l->grid.x)), y((unsigned)(b / l->grid.x % l->grid.y)),
              z((unsigned)(b / l->grid.x / l->grid.y)) {}
        inline __attribute__((always_inline)) void next(const __cu_launch *l, unsigned n = 1)
        {
            if ((x += n) < l->grid.x) return;
            x = 0;
            if (++y == l->grid.y) y = 0, z++;
        }
    };
    template <bool sized = false>
    static inline __attribute__((always_inline)) __cu_ctx block_context(const __cu_launch *l, __cu_worker *w,
                                                                        const place &p)
    {
        const unsigned gx = l->grid.x, gy = l->grid.y, bx = sized ? sx : l->block.x, by = sized ? sy : l->block.y,
                       bz = sized ? sz : l->block.z;
        if (bx - 1 > 1023 || by - 1 > 1023 || bz - 1 > 63) __builtin_unreachable();
        const unsigned x = p.x, y = p.y, z = p.z;
        __CU_NARROW(x, bx);
        __CU_NARROW(y, by);
        __CU_NARROW(z, bz);
        return {{0, 0, 0}, {x, y, z}, dim3(bx, by, bz), dim3(gx, gy, l->grid.z), w->arena, w->dynamic, w};
    }
    /* The test that thread x of a row fails, 0: it takes part. */
    static inline __attribute__((always_inline)) int ask(const __cu_ctx &row, unsigned x, A... a)
    {
        int reported = 0;
        __cu_ctx c = row;
        c.t.x = x;
        c.how = __CU_ASKED;
        c.reported = &reported;
        F(c, a...);
        return reported;
    }
    static __attribute__((noinline)) int asked(const __cu_ctx &row, unsigned x, A... a) { return ask(row, x, a...); }
    /* The same of the first two and the last two of a row. */
    static __attribute__((noinline)) void ask_ends(const __cu_ctx &row, unsigned from, unsigned to, int (&answer)[4],
                                                   A... a)
    {
        const unsigned at[4] = {from, to - from > 1 ? from + 1 : from, to - from > 1 ? to - 2 : from, to - 1};
        for (int k = 0; k < 4; k++) answer[k] = ask(row, at[k], a...);
    }
    struct span { unsigned end; bool comes; };
    struct answers { int first, last; }; /* of the first and the last thread that are left of a row; -1: not asked */
    /* From x on, the threads of a row that do as x does. Each test changes once at most along the row, so that threads
     * with one answer stand side by side. Mostly only the first and the last thread of a row are different. */
    static __attribute__((noinline)) span alike(const __cu_ctx &row, unsigned x, unsigned end, answers &known, A... a)
    {
        const int reported = known.first >= 0 ? known.first : asked(row, x, a...);
        if (known.last < 0) known.last = end - x == 1 ? reported : asked(row, end - 1, a...);
        if (known.last == reported) return {end, !reported};
        unsigned other = end - 1; /* x answers as the first one did, this one does not */
        int answer = known.last;
        for (int tries = 0; other - x > 1; tries++) {
            const unsigned at = tries == 0 ? x + 1 : tries == 1 ? other - 1 : x + (other - x) / 2;
            const int now = asked(row, at, a...);
            if (now == reported) x = at;
            else other = at, answer = now;
        }
        known.first = answer;
        return {other, !reported};
    }
    /* The threads with one x and z: they write one behind the other. */
    static inline __attribute__((always_inline)) void run_column(const __cu_ctx &block, int x, unsigned z, A... a)
    {
        if (x < 0) __builtin_unreachable();
        for (unsigned y = 0; y < block.bd.y; y++) {
            __cu_ctx c = block;
            c.t = {(unsigned)x, y, z};
            c.how = __CU_TESTED;
            F(c, a...);
        }
    }
    static __attribute__((noinline)) void run_loop(const __cu_launch *l, __cu_worker *w, unsigned long long first,
                                                   unsigned long long last, A... a)
    {
        place p(l, first);
        unsigned n = 1; /* blocks that are one loop */
        for (unsigned long long b = first; b < last; b += n, p.next(l, n)) {
            __cu_ctx block = block_context(l, w, p);
            if constexpr (shows) __CU_SHOW(block);
            unsigned from = 0, to = block.bd.x;
            const unsigned ny = block.bd.y, nz = block.bd.z;
            if constexpr (joined) {
                n = l->grid.x - p.x;
                if (n > last - b) n = (unsigned)(last - b);
                const unsigned wide = 16384 / (ny * nz) > 256 ? 16384 / (ny * nz) : 256; /* rows stay neighbours */
                const unsigned most = ny * nz == 1 ? n : to < wide ? wide / to : 1;
                if (n > most) n = most;
                from = p.x * to, to = from + n * to;
                block.b.x = 0;
            }
            if constexpr (columns)
                if (ny > 1) {
                    for (unsigned z = 0; z < nz; z++)
                        for (int x = (int)from; x < (int)to; x++) run_column(block, x, z, a...);
                    continue;
                }
            for (unsigned z = 0; z < nz; z++)
                for (unsigned y = 0; y < ny; y++) {
                    __cu_ctx row = block;
                    row.t = {0, y, z};
                    answers known = {-1, -1};
                    unsigned begin = from, stop = to;
                    bool plain = true;
                    if constexpr (guarded) {
                        int end[4]; /* mostly all but the first and the last thread do the same */
                        ask_ends(row, from, to, end, a...);
                        plain = end[0] == end[3] || end[1] == end[2];
                        if (end[0] == end[3]) stop = end[0] ? from : to;
                        else if (plain && end[1]) (end[0] ? begin : stop) = end[0] ? to - 1 : from + 1;
                        else if (plain) begin += end[0] != 0, stop -= end[3] != 0;
                        if (plain && end[1] && end[0] && end[3]) continue;
                        known = {end[0], end[3]};
                    }
                    for (unsigned end; begin < stop; begin = end) {
                        const span s = plain ? span{stop, true} : alike(row, begin, to, known, a...);
                        end = s.end;
                        if (end > (joined ? 0x7fffffffu - 1024 : 1024)) __builtin_unreachable(); /* makes vectors */
                        if (!s.comes) continue;
                        for (int x = (int)begin; x < (int)end; x++) { /* signed: sums with it do not wrap */
                            if (x < 0) __builtin_unreachable();
                            __cu_ctx c = block;
                            c.t = {(unsigned)x, y, z};
                            c.how = guarded ? __CU_SURE : __CU_TESTED;
                            if constexpr (shows) __CU_SHOW_THREAD(c.t);
                            F(c, a...);
                        }
                    }
                }
        }
    }
    template <bool sized>
    static __attribute__((noinline)) void run_regions(const __cu_launch *l, __cu_worker *w, unsigned long long first,
                                                      unsigned long long last, A... a)
    {
        place p(l, first);
        unsigned n = 1;
        for (unsigned long long b = first; b < last; b += n, p.next(l, n)) {
            __cu_ctx block = block_context<sized>(l, w, p);
            block.row = block.bd.x;
            if constexpr (joined) {
                const unsigned most = (spans & 4 ? __CU_JOINED_KEPT : __CU_JOINED) / block.bd.x;
                n = block.bd.y * block.bd.z > 1 ? 1 : l->grid.x - p.x;
                if (n > last - b) n = (unsigned)(last - b);
                if (n > most) n = most;
                block.row = n * block.bd.x;
                if (block.row > __CU_JOINED) __builtin_unreachable();
                block.t.x = p.x * block.bd.x, block.b.x = 0;
            }
            if constexpr (shows) __CU_SHOW(block); /* what stands outside of the loops over threads */
            F(block, a...);
        }
    }
    static inline __attribute__((always_inline)) __cu_ctx thread_context(const __cu_launch *l, __cu_worker *w,
                                                                         const __cu_thread *t)
    {
        return {{t->thread.x, t->thread.y, t->thread.z},
                {t->block.x, t->block.y, t->block.z},
                dim3(l->block.x, l->block.y, l->block.z),
                dim3(l->grid.x, l->grid.y, l->grid.z),
                w->arena,
                w->dynamic,
                w};
    }
    template <int... I> static void loop_of(const __cu_launch *l, __cu_worker *w, unsigned long long first,
                                            unsigned long long last, places<I...>)
    {
        run_loop(l, w, first, last, *(const A *)l->args[I]...);
    }
    template <int... I> static void regions_of(const __cu_launch *l, __cu_worker *w, unsigned long long first,
                                               unsigned long long last, places<I...>)
    {
        if constexpr (sx > 0 && !joined)
            if (l->block.x == sx && l->block.y == sy && l->block.z == sz)
                return run_regions<true>(l, w, first, last, *(const A *)l->args[I]...);
        run_regions<false>(l, w, first, last, *(const A *)l->args[I]...);
    }
    /* Arguments are read before accesses are checked: they lie in the library's memory. */
    static inline __attribute__((always_inline)) void run_thread(const __cu_ctx c, __cu_worker *w, A... a)
    {
        if constexpr (shows) __CU_SHOW(c);
        __CU_CHECK_BEGIN(w);
        F(c, a...);
    }
    template <int... I> static void thread_of(const __cu_launch *l, __cu_worker *w, const __cu_thread *t, places<I...>)
    {
        __CU_CHECK_BEGIN(nullptr);
        run_thread(thread_context(l, w, t), w, *(const A *)l->args[I]...);
    }
    static void loop(const __cu_launch *l, __cu_worker *w, unsigned long long first, unsigned long long last)
    {
        loop_of(l, w, first, last, typename upto<nargs>::type());
    }
    static void regions(const __cu_launch *l, __cu_worker *w, unsigned long long first, unsigned long long last)
    {
        regions_of(l, w, first, last, typename upto<nargs>::type());
    }
    static void fibers(const __cu_launch *l, __cu_worker *w, const __cu_thread *t)
    {
        thread_of(l, w, t, typename upto<nargs>::type());
    }
};
