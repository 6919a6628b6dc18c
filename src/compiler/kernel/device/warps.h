/* Exchanges between the lanes of a warp, all made of one primitive: each lane brings 8 bytes and sees everybody's. */
#pragma once

#define __cu_exchange(mask, value) \
    __cu_wait(__ctx.worker->host->exchange(__ctx.worker, __LINE__, mask, __cu_pack(value)))
template <class T> static inline unsigned long long __cu_pack(T v)
{
    static_assert(sizeof(T) <= 8, "lanes exchange at most 8 bytes");
    unsigned long long r = 0;
    __builtin_memcpy(&r, &v, sizeof v);
    return r;
}
template <class T> static inline T __cu_unpack(unsigned long long v)
{
    T r;
    __builtin_memcpy((void *)&r, &v, sizeof r);
    return r;
}
static inline unsigned __cu_lane(const __cu_ctx &c) { return (c.t.x + c.bd.x * (c.t.y + c.bd.y * c.t.z)) & 31; }

/* The lane that a shuffle reads. As the instruction, it takes a distance's lowest five bits: 40 is 8. */
static inline unsigned __cu_idx_lane(unsigned me, int lane, int width)
{
    return (me & ~(width - 1u)) | (lane & (width - 1u));
}
static inline unsigned __cu_up_lane(unsigned me, unsigned by, int width)
{
    by &= 31;
    return (int)((me & (width - 1u)) - by) < 0 ? me : me - by;
}
static inline unsigned __cu_down_lane(unsigned me, unsigned by, int width)
{
    by &= 31;
    return (me & (width - 1u)) + by >= (unsigned)width ? me : me + by;
}
static inline unsigned __cu_xor_lane(unsigned me, int by, int width)
{
    unsigned lane = me ^ (by & 31);
    return (lane & ~(width - 1u)) > (me | (width - 1u)) ? me : lane;
}
template <class T> static inline T __cu_read(const unsigned long long *all, unsigned lane)
{
    return __cu_unpack<T>(all[lane & 31]);
}
/* The type of a value that is made only once: it may come from a function that waits or counts. */
template <class T> T __cu_value(T);
#define __cu_typeof(v) __typeof__(__cu_value(v))
#define __cu_shuffle(how, mask, v, by, width) \
    __cu_read<__cu_typeof(v)>(__cu_exchange(mask, v), how(__cu_lane(__ctx), by, width))
#define __cu_third(a, b, c, ...) c
#define __cu_width(...) __cu_third(__VA_ARGS__, 32, )
#define __cu_first(a, ...) a
#define __shfl_sync(mask, v, ...)                                                                                      \
    __cu_shuffle(__cu_idx_lane, mask, v, __cu_first(__VA_ARGS__, ), __cu_width(_, __VA_ARGS__))
#define __shfl_up_sync(mask, v, ...)                                                                                   \
    __cu_shuffle(__cu_up_lane, mask, v, __cu_first(__VA_ARGS__, ), __cu_width(_, __VA_ARGS__))
#define __shfl_down_sync(mask, v, ...)                                                                                 \
    __cu_shuffle(__cu_down_lane, mask, v, __cu_first(__VA_ARGS__, ), __cu_width(_, __VA_ARGS__))
#define __shfl_xor_sync(mask, v, ...)                                                                                  \
    __cu_shuffle(__cu_xor_lane, mask, v, __cu_first(__VA_ARGS__, ), __cu_width(_, __VA_ARGS__))

#define __syncwarp(...) ((void)__cu_exchange(__cu_first(__VA_ARGS__ __VA_OPT__(,) 0xffffffffu, ), 0))
/* The lanes that come to this line together; without a mask they wait for those that can still come. */
#define __cu_gather_at(line, part) __cu_wait(__ctx.worker->host->gather(__ctx.worker, (line) * 256 + (part)))
#define __cu_gather(line) __cu_gather_at(line, 0)
#define __activemask() __cu_gather_at(__LINE__, __COUNTER__ % 256)

static inline unsigned __cu_votes(const unsigned long long *all, unsigned mask)
{
    unsigned r = 0;
    for (int i = 0; i < 32; i++) r |= (mask >> i & 1 && all[i]) ? 1u << i : 0u;
    return r;
}
#define __ballot_sync(mask, p) __cu_votes(__cu_exchange(mask, (p) ? 1 : 0), mask)
#define __any_sync(mask, p) (__ballot_sync(mask, p) != 0)
#define __all_sync(mask, p) (__cu_votes(__cu_exchange(mask, (p) ? 0 : 1), mask) == 0)
static inline unsigned __cu_equal(const unsigned long long *all, unsigned mask, unsigned lane)
{
    unsigned r = 0;
    mask &= (unsigned)all[32];
    for (int i = 0; i < 32; i++) r |= (mask >> i & 1 && all[i] == all[lane]) ? 1u << i : 0u;
    return r;
}
#define __match_any_sync(mask, v) __cu_equal(__cu_exchange(mask, v), mask, __cu_lane(__ctx))
static inline unsigned __cu_unanimous(unsigned equal, unsigned mask, int *all)
{
    return (*all = equal == mask) ? mask : 0;
}
static inline unsigned __cu_all_equal(const unsigned long long *of, unsigned mask, unsigned lane, int *all)
{
    return __cu_unanimous(__cu_equal(of, mask, lane), mask & (unsigned)of[32], all);
}
#define __match_all_sync(mask, v, all) __cu_all_equal(__cu_exchange(mask, v), mask, __cu_lane(__ctx), all)

/* The fold of 2^k lanes in the order in which a GPU's groups make it: each half with the other. */
template <int n, class T, class F> static inline T __cu_halves(const T *v, F f)
{
    if constexpr (n > 1) {
        T sum[n / 2];
        for (int i = 0; i < n / 2; i++) sum[i] = f(v[i], v[i + n / 2]);
        return __cu_halves<n / 2>(sum, f);
    }
    return v[0];
}
/* The fold of the lanes of `there`: of a whole tile in that order, else from lane to lane. */
template <class T, class F> static inline T __cu_fold_lanes(const T *all, unsigned there, F f)
{
    if (there == ~0u) return __cu_halves<32>(all, f);
    T r = T();
    const int first = there ? __builtin_ctz(there) : 0, n = __builtin_popcount(there);
    if (n && n < 32 && (n & (n - 1)) == 0 && there >> first == (1u << n) - 1) {
        T sum[16];
        for (int i = 0; i < n / 2; i++) sum[i] = f(all[first + i], all[first + n / 2 + i]);
        for (int m = n / 4; m; m /= 2)
            for (int i = 0; i < m; i++) sum[i] = f(sum[i], sum[i + m]);
        return n == 1 ? all[first] : sum[0];
    }
    for (int i = 0, begun = 0; i < 32; i++)
        if (there >> i & 1) r = begun ? f(r, all[i]) : all[i], begun = 1;
    return r;
}

/* Of the lanes in the mask. A mask names lanes that have ended too: those bring nothing. */
template <class T, class F> static inline T __cu_reduce(const unsigned long long *all, unsigned mask, T own, F f)
{
    bool first = true;
    T r = own;
    mask &= (unsigned)all[32];
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1) r = first ? __cu_unpack<T>(all[i]) : f(r, __cu_unpack<T>(all[i])), first = false;
    return r;
}
template <class T, class F> static inline T __cu_fold(const unsigned long long *all, unsigned mask, T, F f)
{
    T v[32];
    for (int i = 0; i < 32; i++) v[i] = __cu_unpack<T>(all[i]);
    return __cu_fold_lanes(v, mask & (unsigned)all[32], f);
}
#define __CU_REDUCE(mask, v, e) \
    __cu_fold(__cu_exchange(mask, v), mask, __cu_unpack<__cu_typeof(v)>(0), \
                [](auto a, decltype(a) b) { return e; })
#define __reduce_add_sync(mask, v) __CU_REDUCE(mask, v, a + b)
#define __reduce_min_sync(mask, v) __CU_REDUCE(mask, v, b < a ? b : a)
#define __reduce_max_sync(mask, v) __CU_REDUCE(mask, v, a < b ? b : a)
#define __reduce_and_sync(mask, v) __CU_REDUCE(mask, v, a & b)
#define __reduce_or_sync(mask, v) __CU_REDUCE(mask, v, a | b)
#define __reduce_xor_sync(mask, v) __CU_REDUCE(mask, v, a ^ b)

/* The fold of the lanes in the mask; of those up to the own and of those before it in their order. */
#define __cu_group_fold(mask, v, ...) \
    __cu_fold(__cu_exchange(mask, v), mask, __cu_unpack<__cu_typeof(v)>(0), __VA_ARGS__)
#define __cu_group_scan(mask, v, ...)                                                                                  \
    __cu_reduce(__cu_exchange(mask, v), (mask) & ((2u << __cu_lane(__ctx)) - 1u), __cu_unpack<__cu_typeof(v)>(0), \
                __VA_ARGS__)
#define __cu_group_scan_before(mask, v, ...)                                                                           \
    __cu_reduce(__cu_exchange(mask, v), (mask) & ((1u << __cu_lane(__ctx)) - 1u), __cu_unpack<__cu_typeof(v)>(0), \
                __VA_ARGS__)
