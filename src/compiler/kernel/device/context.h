/* A thread's indices, barriers, and what it may ask of the library. */
#pragma once

/* Laid out as __cu_site is. */
struct __cu_ctx {
    uint3 t, b;
    dim3 bd, gd;
    char *arena, *dynamic;
    __cu_worker *worker;
    int how;
    unsigned row; /* in loops between barriers (regions.h): threads of a row, of all blocks that are one loop */
    int *reported;
};
/* Which of its tests a thread fails. */
static inline __attribute__((always_inline)) bool __cu_report(const __cu_ctx &c, int test, bool result)
{
    if (c.how == __CU_ASKED) *c.reported = test;
    return result;
}
#ifdef __CU_HIDDEN
static thread_local __cu_ctx __ctx = {};
#define __CU_SHOW(c) (::__ctx = (c))
#define __CU_SHOW_THREAD(v) (::__ctx.t = (v)) /* the rest is the block's */
#else
#define __CU_SHOW(c) ((void)0)
#define __CU_SHOW_THREAD(v) ((void)0)
extern const __cu_ctx __ctx; /* never defined: every use has a parameter of that name */
#endif
static constexpr bool __cu_shows = false; /* kernels that have to set it have one of their own */

#define threadIdx (__ctx.t)
#define blockIdx (__ctx.b)
#define blockDim (__ctx.bd)
#define gridDim (__ctx.gd)
static const int warpSize = 32;

#define __global__ inline __attribute__((always_inline))
#define __device__
#define __host__
#define __constant__
#define __managed__
#ifdef __clang__
#define __cu_constant __attribute__((require_constant_initialization))
#else
#define __cu_constant __constinit
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline__ inline
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __maxnreg__(...)
#define __grid_constant__
#define __restrict__ __restrict
#define __align__(n) __attribute__((aligned(n)))

constexpr unsigned __cu_up(unsigned n, unsigned to) { return (n + to - 1) / to * to; }

/* While a thread waits others run: what code without a parameter sees is put back behind it. */
#ifdef __CU_HIDDEN
#define __cu_wait(call) \
    ({ const __cu_ctx __cu_saved = __ctx; auto __cu_r = (call); ::__ctx = __cu_saved; __cu_r; })
#else
#define __cu_wait(call) (call)
#endif
#define __cu_barrier(how, value) __cu_wait(__ctx.worker->host->barrier(__ctx.worker, __LINE__, how, value))
#define __syncthreads() ((void)__cu_barrier(0, 0))
#define __syncthreads_count(p) __cu_barrier(1, (p) != 0)
#define __syncthreads_and(p) __cu_barrier(2, (p) != 0)
#define __syncthreads_or(p) __cu_barrier(3, (p) != 0)

/* Between `count` threads of the block, 0: all; how 0 to 3 as above, 4: comes and does not wait. */
#define __cu_part_barrier(which, count, how, value) \
    __cu_wait(__ctx.worker->host->part(__ctx.worker, __LINE__, which, count, how, value))

/* In a loop that waits in memory for other threads (turns.c). */
#ifdef __CU_HIDDEN
#define __cu_turn(c) __cu_wait(((c).worker->host->turn((c).worker), 0))
#else
#define __cu_turn(c) ((c).worker->host->turn((c).worker))
#endif
/* Cooperative groups (region_groups.c): the mark of functions that use their classes; a thread's rank in the block and
 * in the grid, for which loops between barriers have __cu_t already. */
#define __cu_groups() ((void)0)
#define __cu_grid_sync() ((void)__cu_wait((__ctx.worker->host->grid_barrier(__ctx.worker, __LINE__), 0)))
struct __cu_unknown {};
static constexpr __cu_unknown __cu_t = {};
static inline unsigned __cu_rank_of(__cu_unknown, const uint3 &t, const dim3 &d)
{
    return (t.z * d.y + t.y) * d.x + t.x;
}
static inline __attribute__((always_inline)) unsigned __cu_rank_of(int t, const uint3 &, const dim3 &)
{
    return (unsigned)t;
}
static inline unsigned long long __cu_rank_in_grid(unsigned rank, const uint3 &b, const dim3 &d, const dim3 &g)
{
    return (b.x + (unsigned long long)g.x * (b.y + (unsigned long long)g.y * b.z)) * (d.x * d.y * d.z) + rank;
}
static inline unsigned __cu_tile_mask_at(unsigned rank, unsigned n)
{
    return (n >= 32 ? ~0u : (1u << (n & 31)) - 1) << (rank & 31 & ~(n - 1));
}
static inline unsigned __cu_tile_threads(unsigned rank, unsigned threads, unsigned n)
{
    const unsigned left = threads - (rank & ~(n - 1));
    return left < n ? left : n;
}
struct __cu_group_plus { template <class T> T operator()(T a, T b) const { return a + b; } };

#define __cu_fail(what) (__ctx.worker->host->fail(__ctx.worker, __LINE__, what))
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __threadfence(); }
#define __trap() __builtin_trap()
#define __brkpt() __builtin_trap()
#ifndef __clang__
#define __builtin_assume(e) ((e) ? (void)0 : __builtin_unreachable())
#endif
static inline void __prof_trigger(int) {}
#define assert(e) ((e) ? (void)0 : __cu_assert(#e, __LINE__))
extern "C" int printf(const char *, ...) __attribute__((format(printf, 1, 2)));
extern "C" void *malloc(size_t) noexcept;
extern "C" void free(void *) noexcept;
extern "C" void *memcpy(void *, const void *, size_t) noexcept;
extern "C" void *memmove(void *, const void *, size_t) noexcept;
extern "C" void *memset(void *, int, size_t) noexcept;
extern "C" size_t strlen(const char *) noexcept;
static __attribute__((noinline, cold)) void __cu_assert(const char *what, int line)
{
    printf("kernel.cu:%d: assertion `%s' failed.\n", line, what);
    __builtin_trap();
}
static inline long long clock64()
{
#if defined(__x86_64__)
    return (long long)__builtin_ia32_rdtsc();
#else
    long long v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return v;
#endif
}
typedef long clock_t;
static inline clock_t clock() { return (clock_t)clock64(); }
/* Nanoseconds since 1970, as on a GPU: clock_gettime, under a name that no other header declares. */
extern "C" int __cu_clock_gettime(int, void *) __asm__("clock_gettime");
static inline unsigned long long globaltimer()
{
    long long t[2];
    __cu_clock_gettime(0, t);
    return (unsigned long long)t[0] * 1000000000 + (unsigned long long)t[1];
}
static inline void __nanosleep(unsigned) {}

/* Addresses of one kind of memory: of shared memory an offset, in 32 bits; of all else the address. */
static inline size_t __cu_shared_offset(const __cu_ctx &c, const void *p, int line)
{
    const size_t fixed = (size_t)((const char *)p - c.arena), dynamic = (size_t)((const char *)p - c.dynamic);
    if (fixed < 49152) return fixed;
    if (dynamic >= 1u << 20) c.worker->host->fail(c.worker, line, "an address that is not in shared memory");
    return 49152 + dynamic;
}
static inline void *__cu_shared_address(const __cu_ctx &c, size_t at)
{
    return at < 49152 ? c.arena + at : c.dynamic + (at - 49152);
}
#define __cvta_generic_to_shared(p) __cu_shared_offset(__ctx, p, __LINE__)
#define __cvta_shared_to_generic(at) __cu_shared_address(__ctx, at)
static inline size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_local(const void *p) { return (size_t)p; }
static inline size_t __cvta_generic_to_constant(const void *p) { return (size_t)p; }
static inline void *__cvta_global_to_generic(size_t p) { return (void *)p; }
static inline void *__cvta_local_to_generic(size_t p) { return (void *)p; }
static inline void *__cvta_constant_to_generic(size_t p) { return (void *)p; }

/* Loads and stores that a GPU caches in a way of its own. */
template <class T> static inline T __ldg(const T *p) { return *p; }
template <class T> static inline T __ldca(const T *p) { return *p; }
template <class T> static inline T __ldcg(const T *p) { return *p; }
template <class T> static inline T __ldcs(const T *p) { return *p; }
template <class T> static inline T __ldlu(const T *p) { return *p; }
template <class T> static inline T __ldcv(const T *p) { return *(const volatile T *)p; }
template <class T> static inline void __stcg(T *p, T v) { *p = v; }
template <class T> static inline void __stcs(T *p, T v) { *p = v; }
template <class T> static inline void __stwb(T *p, T v) { *p = v; }
template <class T> static inline void __stwt(T *p, T v) { *p = v; }
