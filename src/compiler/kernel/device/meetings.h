/* Lanes that meet: what normal.c writes warp operations with, for loops between barriers (regions.h). */
#pragma once

/* Where lanes put what they bring: a value each, or votes. Two of them take turns, because a thread may put its next
 * value while others have not read the last. */
struct __cu_meeting {
    alignas(64) char before[256], bytes[8192], behind[256]; /* lanes may look beyond their warp, and not use it */
    unsigned yes[32], here[32]; /* by warps */
    unsigned votes;
    int fold_of; /* the warp whose fold is kept, by its first thread */
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
        if (counts) {
            const unsigned whole = some ? 0 : n / 32, left = some ? 0 : n % 32;
            for (unsigned w = 0; w < 32; w++) yes[w] = 0, here[w] = w < whole ? ~0u : 0;
            if (left) here[whole] = (1u << left) - 1;
        }
        fold_of = -1;
    }
    template <class T> inline __attribute__((always_inline)) T *of()
    {
        static_assert(sizeof(T) <= 8, "lanes exchange at most 8 bytes");
        return (T *)bytes;
    }
};
struct __cu_masks { unsigned mask[1024]; };

/* An array over the threads, in which lanes read where it lies (region_unmoved.c); lanes above the block bring 0. */
template <class P> struct __cu_place {
    P *at;
    template <class T> inline __attribute__((always_inline)) T *of() const { return (T *)at; }
};
template <class P> static inline __attribute__((always_inline)) __cu_place<P> __cu_in_place(P *at) { return {at}; }
template <class T> static inline __attribute__((always_inline)) void __cu_none_above(T *at, const __cu_ctx &block)
{
    const unsigned threads = __cu_threads(block);
    if (threads % 32) __builtin_memset((void *)(at + threads), 0, 32 * sizeof(T));
}
/* Where lanes read one array and write another. */
template <class T> static inline __attribute__((always_inline)) void __cu_take_turns(T *&kept, T *&other)
{
    T *const was = kept;
    kept = other;
    other = was;
}

#define __cu_put_mask(slot, m) (__cu_q##slot.mask[__cu_t] = (m))
#define __cu_put(slot, m, v) (__cu_put_mask(slot, m), (void)(__cu_x##slot.of<__cu_typeof(v)>()[__cu_t] = (v)))
/* Where all threads of the block come that is known before (region_reduce.c), else each tells. */
static constexpr bool __cu_all_come = false;
#define __cu_come(slot) ((void)(__cu_all_come ? 0u : __cu_x##slot.here[__cu_t >> 5] |= 1u << (__cu_t & 31)))
#define __cu_put_here(slot, m, v) (__cu_put(slot, m, v), __cu_come(slot))
#define __cu_vote(slot, m, p) \
    (__cu_put_mask(slot, m), (void)(__cu_x##slot.yes[__cu_t >> 5] |= ((p) ? 1u : 0u) << (__cu_t & 31)), __cu_come(slot))

/* Lanes read neighbours, and choose afterwards: so loops become vectors. */
template <class T> static inline T __cu_idx(const T *p, int t, int lane, int width)
{
    return p[(t & ~31) + (__cu_idx_lane((unsigned)t & 31, lane, width) & 31)];
}
template <class T> static inline T __cu_up(const T *p, int t, unsigned by, int width)
{
    by &= 31;
    const T far = p[t - (int)by], own = p[t];
    return (int)(((unsigned)t & (width - 1u)) - by) < 0 ? own : far;
}
template <class T> static inline T __cu_down(const T *p, int t, unsigned by, int width)
{
    by &= 31;
    const T far = p[t + (int)by], own = p[t];
    return ((unsigned)t & (width - 1u)) + by >= (unsigned)width ? own : far;
}
template <class T> static inline T __cu_xor(const T *p, int t, int by, int width)
{
    by &= 31;
    if (by > 0 && by < width && (by & (by - 1)) == 0) {
        const T above = p[t + by], below = p[t - by];
        return t & by ? below : above;
    }
    return p[(t & ~31) + (__cu_xor_lane((unsigned)t & 31, by, width) & 31)];
}
#define __cu_take_idx(slot, v, by, width) __cu_idx(__cu_x##slot.template of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_up(slot, v, by, width) __cu_up(__cu_x##slot.template of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_down(slot, v, by, width) \
    __cu_down(__cu_x##slot.template of<__cu_typeof(v)>(), __cu_t, by, width)
#define __cu_take_xor(slot, v, by, width) __cu_xor(__cu_x##slot.template of<__cu_typeof(v)>(), __cu_t, by, width)
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
#define __cu_warp_of(slot, v) (__cu_x##slot.of<__cu_typeof(v)>() + (__cu_t & ~31))
#define __cu_there(slot, m) (__cu_x##slot.here[__cu_t >> 5] & (m))
#define __cu_take_match(slot, m, v) __cu_same_as(__cu_warp_of(slot, v), __cu_there(slot, m), __cu_t & 31)
#define __cu_take_match_all(slot, m, v, all) __cu_unanimous(__cu_take_match(slot, m, v), __cu_there(slot, m), all)

/* The fold of the lanes of `there` one after the other; their scan, which each finds at its place. */
template <class T, class F> static inline T __cu_reduce_lanes(const T *all, unsigned there, F f)
{
    T r = T();
    for (int i = 0, first = 1; i < 32; i++)
        if (there >> i & 1) r = first ? all[i] : f(r, all[i]), first = 0;
    return r;
}
template <class T, class F> static inline void __cu_scan_lanes(T *all, unsigned there, bool before, F f)
{
    T r = T();
    for (int i = 0, first = 1; i < 32; i++) {
        const T last = r;
        if (there >> i & 1) r = first ? all[i] : f(r, all[i]), first = 0;
        all[i] = before ? last : r;
    }
}

/* What all lanes of a warp have from one computation: where they are all there with one mask it is made before the loop
 * over them, by the first of each (region_reduce.c), and put where they read it. Else whoever comes first keeps it for
 * the lanes with its mask. */
struct __cu_making {
    __cu_meeting &x;
    template <class T> inline __attribute__((always_inline)) T *of() { return x.of<T>(); }
};
struct __cu_made : __cu_making {};
template <class T, class F> static inline T __cu_folded(__cu_made &, int t, unsigned, T *all, F) { return all[t]; }
template <class T, class F> static inline void __cu_folded(__cu_making &making, int t, unsigned m, T *all, F f)
{
    const T r = __cu_fold_lanes(all + t, making.x.here[t >> 5] & m, f);
    for (int i = 0; i < 32; i++) all[t + i] = r;
}
template <class T, class F> static inline T __cu_folded(__cu_meeting &x, int t, unsigned m, T *all, F f)
{
    T r;
    if (x.fold_of == (t & ~31) && x.fold_mask == m) {
        __builtin_memcpy((void *)&r, x.fold, sizeof r);
        return r;
    }
    r = __cu_fold_lanes(all + (t & ~31), x.here[t >> 5] & m, f);
    x.fold_of = t & ~31, x.fold_mask = m;
    __builtin_memcpy(x.fold, &r, sizeof r);
    return r;
}
template <class T, class F> static inline T __cu_scanned(__cu_made &, int t, unsigned, T *all, bool, F)
{
    return all[t];
}
template <class T, class F>
static inline void __cu_scanned(__cu_making &making, int t, unsigned m, T *all, bool before, F f)
{
    __cu_scan_lanes(all + t, making.x.here[t >> 5] & m, before, f);
}
template <class T, class F>
static inline T __cu_scanned(__cu_meeting &x, int t, unsigned m, T *all, bool before, F f)
{
    const unsigned up_to = before ? 1u << (t & 31) : 2u << (t & 31);
    return __cu_reduce_lanes(all + (t & ~31), x.here[t >> 5] & m & (up_to - 1u), f);
}
#define __cu_take_fold(slot, m, v, ...) \
    __cu_folded(__cu_x##slot, __cu_t, m, __cu_x##slot.template of<__cu_typeof(v)>(), __VA_ARGS__)
#define __cu_take_scan(slot, m, v, ...) \
    __cu_scanned(__cu_x##slot, __cu_t, m, __cu_x##slot.template of<__cu_typeof(v)>(), false, __VA_ARGS__)
#define __cu_take_scan_before(slot, m, v, ...) \
    __cu_scanned(__cu_x##slot, __cu_t, m, __cu_x##slot.template of<__cu_typeof(v)>(), true, __VA_ARGS__)
#define __CU_TAKE(slot, m, v, e) __cu_take_fold(slot, m, v, [](auto a, decltype(a) b) { return e; })
#define __cu_take_add(slot, m, v) __CU_TAKE(slot, m, v, a + b)
#define __cu_take_min(slot, m, v) __CU_TAKE(slot, m, v, b < a ? b : a)
#define __cu_take_max(slot, m, v) __CU_TAKE(slot, m, v, a < b ? b : a)
#define __cu_take_and(slot, m, v) __CU_TAKE(slot, m, v, a & b)
#define __cu_take_or(slot, m, v) __CU_TAKE(slot, m, v, a | b)
#define __cu_take_eor(slot, m, v) __CU_TAKE(slot, m, v, a ^ b)
/* From one warp's first thread to the next one's, if all rows begin with one. */
static inline unsigned __cu_warp_steps(const __cu_ctx &block)
{
    return block.row % 32 == 0 || block.bd.y * block.bd.z == 1 ? 32 : 1;
}
