/* CUPRITE_CHECK=1: names of the device headers that report their line. */
#pragma once
#ifdef __CU_CHECK

template <class T> static inline T __cu_done(T old)
{
    __cu_line = 0;
    return old;
}
/* Of one thread's update no other one need be apart. */
#ifndef __CU_OWN_ATOMICS
#define __CU_LINE(way) (__cu_how = (way), __cu_line = __LINE__, __ctx.arena)
#define __CU_ATOMIC(f, ...) __cu_done(f(__CU_LINE(__CU_A), __VA_ARGS__))
/* Locks: what is done before and behind them is in order. */
#define __CU_LOCK(f, way, ...) (__ctx.worker->host->fence(__ctx.worker), __cu_done(f(__CU_LINE(way), __VA_ARGS__)))
#undef atomicAdd
#undef atomicSub
#undef atomicExch
#undef atomicMin
#undef atomicMax
#undef atomicInc
#undef atomicDec
#undef atomicCAS
#undef atomicAnd
#undef atomicOr
#undef atomicXor
#define atomicAdd(...) __CU_ATOMIC(__cu_atomicAdd, __VA_ARGS__)
#define atomicSub(...) __CU_ATOMIC(__cu_atomicSub, __VA_ARGS__)
#define atomicExch(...) __CU_LOCK(__cu_atomicExch, __CU_X, __VA_ARGS__)
#define atomicMin(...) __CU_ATOMIC(__cu_atomicMin, __VA_ARGS__)
#define atomicMax(...) __CU_ATOMIC(__cu_atomicMax, __VA_ARGS__)
#define atomicInc(...) __CU_ATOMIC(__cu_atomicInc, __VA_ARGS__)
#define atomicDec(...) __CU_ATOMIC(__cu_atomicDec, __VA_ARGS__)
#define atomicCAS(...) __CU_LOCK(__cu_atomicCAS, __CU_A, __VA_ARGS__)
#define atomicAnd(...) __CU_ATOMIC(__cu_atomicAnd, __VA_ARGS__)
#define atomicOr(...) __CU_ATOMIC(__cu_atomicOr, __VA_ARGS__)
#define atomicXor(...) __CU_ATOMIC(__cu_atomicXor, __VA_ARGS__)
#endif

static inline void __cu_fence()
{
    if (__cu_checked) __cu_checked->host->fence(__cu_checked);
}
#define __threadfence() (__cu_fence(), __threadfence())
#define __threadfence_block() (__cu_fence(), __threadfence_block())

/* Copies and fills go by the C library, which tells nobody. */
static inline __attribute__((always_inline)) void *__cu_memcpy(void *to, const void *from, size_t n, int line)
{
    if (n && __cu_checked) {
        __cu_checked->host->check(__cu_checked, (unsigned long)from, n, 0, (const void *)(unsigned long)line);
        __cu_checked->host->check(__cu_checked, (unsigned long)to, n, 1, (const void *)(unsigned long)line);
    }
    return memmove(to, from, n);
}
static inline __attribute__((always_inline)) void *__cu_memset(void *to, int value, size_t n, int line)
{
    if (n && __cu_checked)
        __cu_checked->host->check(__cu_checked, (unsigned long)to, n, 1, (const void *)(unsigned long)line);
    return memset(to, value, n);
}
#define memcpy(to, from, n) __cu_memcpy(to, from, n, __LINE__)
#define memmove(to, from, n) __cu_memcpy(to, from, n, __LINE__)
#define memset(to, value, n) __cu_memset(to, value, n, __LINE__)
#endif
