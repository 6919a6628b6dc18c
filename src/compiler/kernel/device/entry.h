/* How the library calls a kernel: its arguments are passed by address, its threads are loops. */
#pragma once

#ifdef __CU_WIDE
#define __CU_NARROW(block, size) ((void)0)
#define __CU_SPANS(spans) ((spans) & ~(__CU_GUARDED | __CU_JOINS))
#else
#define __CU_SPANS(spans) (spans)
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

static_assert(sizeof(__cu_ctx) == sizeof(__cu_site) && __builtin_offsetof(__cu_ctx, reported) ==
              __builtin_offsetof(__cu_site, reported), "one is read as the other");

/* spans: what __cu_kernel says of them (abi.h), and 8: it sets the thread's context. sx, sy, sz: the block's size for
 * which there is a copy of the regions (block_size.c). */
template <auto F, int spans = 0, unsigned sx = 0, unsigned sy = 0, unsigned sz = 0> struct __cu_entry;
template <class... A, void (*F)(__cu_ctx, A...), int spans, unsigned sx, unsigned sy, unsigned sz>
struct __cu_entry<F, spans, sx, sy, sz> {
    static constexpr bool guarded = __CU_SPANS(spans) & __CU_GUARDED, joined = __CU_SPANS(spans) & __CU_JOINS;
    static constexpr bool shows = spans & 8, columns = spans & __CU_COLUMNS;
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

    /* What is known of a place without looking: makes vectors. */
    template <bool sized = false> static inline __attribute__((always_inline)) __cu_ctx known(const __cu_ctx &at)
    {
        const unsigned gx = at.gd.x, gy = at.gd.y, bx = sized ? sx : at.bd.x, by = sized ? sy : at.bd.y,
                       bz = sized ? sz : at.bd.z;
        if (bx - 1 > 1023 || by - 1 > 1023 || bz - 1 > 63) __builtin_unreachable();
        const unsigned x = joined ? 0 : at.b.x, y = at.b.y, z = at.b.z;
        __CU_NARROW(x, bx);
        __CU_NARROW(y, by);
        __CU_NARROW(z, bz);
        return {at.t, {x, y, z}, dim3(bx, by, bz), dim3(gx, gy, at.gd.z), at.arena, at.dynamic, at.worker,
                __CU_TESTED, at.row};
    }
    /* Which test the thread fails, to *at.reported. */
    template <int... I> static void asked_of(const __cu_launch *l, const __cu_ctx &at, places<I...>)
    {
        __cu_ctx c = at;
        c.how = __CU_ASKED;
        F(c, *(const A *)l->args[I]...);
    }
    /* Threads of a row. */
    static inline __attribute__((always_inline)) void row(const __cu_ctx &block, const __cu_box &box, unsigned y,
                                                          unsigned z, A... a)
    {
        const unsigned end = box.to.x;
        if (end > (joined ? 0x7fffffffu - 1024 : 1024)) __builtin_unreachable();
        for (int x = (int)box.from.x; x < (int)end; x++) { /* signed: sums with it do not wrap */
            if (x < 0) __builtin_unreachable();
            __cu_ctx c = block;
            c.t = {(unsigned)x, y, z};
            c.how = guarded ? __CU_SURE : __CU_TESTED;
            if constexpr (shows) __CU_SHOW_THREAD(c.t);
            F(c, a...);
        }
    }
    /* The threads with one x and z: they write one behind the other. */
    static inline __attribute__((always_inline)) void column(const __cu_ctx &block, int x, unsigned z, A... a)
    {
        if (x < 0) __builtin_unreachable();
        for (unsigned y = 0; y < block.bd.y; y++) {
            __cu_ctx c = block;
            c.t = {(unsigned)x, y, z};
            F(c, a...);
        }
    }
    static inline __attribute__((always_inline)) void run_columns(__cu_ctx block, const __cu_box &box, A... a)
    {
        for (unsigned n = 0; n < (joined ? 1 : box.blocks); n++, block.b.x++) {
            __CU_NARROW(block.b.x, block.bd.x);
            for (unsigned z = 0; z < block.bd.z; z++)
                for (int x = (int)box.from.x; x < (int)box.to.x; x++) column(block, x, z, a...);
        }
    }
    /* Loops that a kernel does not need cost it a tenth of the time in which it is compiled. */
    static inline __attribute__((always_inline)) void run_loop(const __cu_ctx &at, const __cu_box &given, A... a)
    {
        const __cu_box box = given;
        __cu_ctx block = known(at);
        if constexpr (shows) __CU_SHOW(block);
        if constexpr (columns)
            if (block.bd.y > 1) return run_columns(block, box, a...);
        if constexpr (joined) {
            row(block, box, box.from.y, box.from.z, a...);
        } else if constexpr (guarded) {
            for (unsigned y = box.from.y; y < box.to.y; y++) row(block, box, y, box.from.z, a...);
        } else {
            for (unsigned n = 0; n < box.blocks; n++, block.b.x++) {
                __CU_NARROW(block.b.x, block.bd.x);
                if constexpr (shows) __CU_SHOW(block);
                for (unsigned z = 0; z < block.bd.z; z++)
                    for (unsigned y = 0; y < block.bd.y; y++) row(block, box, y, z, a...);
            }
        }
    }
    template <bool sized>
    static __attribute__((noinline)) void run_regions(const __cu_ctx &at, unsigned blocks, A... a)
    {
        __cu_ctx block = known<sized>(at);
        block.t = {joined ? at.t.x : 0, 0, 0};
        if constexpr (!joined) block.row = block.bd.x;
        if (block.row > __CU_JOINED) __builtin_unreachable();
        for (unsigned n = 0; n < (joined ? 1 : blocks); n++, block.b.x++) {
            __CU_NARROW(block.b.x, block.bd.x);
            if constexpr (shows) __CU_SHOW(block); /* what stands outside of the loops over threads */
            F(block, a...);
        }
    }
    template <int... I> static void loop_of(const __cu_launch *l, const __cu_ctx &at, const __cu_box &box, places<I...>)
    {
        run_loop(at, box, *(const A *)l->args[I]...);
    }
    template <int... I> static void regions_of(const __cu_launch *l, const __cu_ctx &at, unsigned blocks, places<I...>)
    {
        if constexpr (sx > 0 && !joined)
            if (l->block.x == sx && l->block.y == sy && l->block.z == sz)
                return run_regions<true>(at, blocks, *(const A *)l->args[I]...);
        run_regions<false>(at, blocks, *(const A *)l->args[I]...);
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
    static void asked(const __cu_launch *l, const __cu_site *at)
    {
        asked_of(l, *(const __cu_ctx *)at, typename upto<nargs>::type());
    }
    static void loop(const __cu_launch *l, const __cu_site *at, const __cu_box *box)
    {
        loop_of(l, *(const __cu_ctx *)at, *box, typename upto<nargs>::type());
    }
    static void regions(const __cu_launch *l, const __cu_site *at, const __cu_box *box)
    {
        regions_of(l, *(const __cu_ctx *)at, box->blocks, typename upto<nargs>::type());
    }
    static void fibers(const __cu_launch *l, __cu_worker *w, const __cu_thread *t)
    {
        thread_of(l, w, t, typename upto<nargs>::type());
    }
};
