/* CUPRITE_CHECK=1: the compiler calls one of these before each access to memory (thread sanitizer), and where an index
 * or an address is wrong by what is known of its type; the library compares addresses with live memory, and accesses
 * with those of other threads. */
#pragma once
#ifdef __CU_CHECK

static __thread __cu_worker *__cu_checked; /* whose kernel this thread runs */
static __thread unsigned long __cu_line;   /* the user's, while an atomic operation is carried out; else 0 */
static __thread int __cu_how;              /* which access it is then; -1: the one that is reported */
#define __CU_CHECK_BEGIN(w) (__cu_line = 0, __cu_checked = (w))

#ifdef __clang__
#define __CU_PLAIN disable_sanitizer_instrumentation, no_sanitize("thread", "alignment", "bounds")
#else
#define __CU_PLAIN no_sanitize("thread", "alignment", "bounds")
#endif
#define __CU_CALLED __attribute__((visibility("hidden"), used, noinline, __CU_PLAIN))
enum { __CU_R, __CU_W, __CU_A, __CU_VR, __CU_VW, __CU_X, __CU_AR }; /* ways of access, as the library numbers them */
/* One for all callbacks: there are many, and they are compiled with each kernel. */
static __attribute__((noinline, __CU_PLAIN)) void __cu_reported(unsigned long p, unsigned long n, int how,
                                                                const void *at)
{
    if (__cu_checked)
        __cu_checked->host->check(__cu_checked, p, n, __cu_line && __cu_how >= 0 ? __cu_how : how,
                                  __cu_line ? (const void *)__cu_line : at);
}
#define __CU_REPORT(p, n, how) __cu_reported((unsigned long)(p), n, how, __builtin_return_address(0))

extern "C" {
__CU_CALLED void __tsan_init() {}
__CU_CALLED void __tsan_func_entry(void *) {}
__CU_CALLED void __tsan_func_exit() {}
#define __CU_CALLBACK(name, bytes, how) __CU_CALLED void __tsan_##name(unsigned long p) { __CU_REPORT(p, bytes, how); }
#define __CU_BOTH(name, bytes)                      \
    __CU_CALLED void __tsan_##name(unsigned long p) \
    {                                               \
        __CU_REPORT(p, bytes, __CU_R);              \
        __CU_REPORT(p, bytes, __CU_W);              \
    }
#define __CU_UNALIGNED(name) \
    void __tsan_unaligned_##name(unsigned long) __attribute__((visibility("hidden"), used, alias("__tsan_" #name)));
#define __CU_CALLBACKS(n)                                                                    \
    __CU_CALLBACK(read##n, n, __CU_R) __CU_CALLBACK(write##n, n, __CU_W)                     \
    __CU_CALLBACK(volatile_read##n, n, __CU_VR) __CU_CALLBACK(volatile_write##n, n, __CU_VW) \
    __CU_BOTH(read_write##n, n)                                                              \
    __CU_UNALIGNED(read##n) __CU_UNALIGNED(write##n) __CU_UNALIGNED(read_write##n)           \
    __CU_UNALIGNED(volatile_read##n) __CU_UNALIGNED(volatile_write##n)
__CU_CALLBACKS(1) __CU_CALLBACKS(2) __CU_CALLBACKS(4) __CU_CALLBACKS(8) __CU_CALLBACKS(16)
__CU_CALLED void __tsan_read_range(unsigned long p, unsigned long n) { __CU_REPORT(p, n, __CU_R); }
__CU_CALLED void __tsan_write_range(unsigned long p, unsigned long n) { __CU_REPORT(p, n, __CU_W); }
__CU_CALLBACK(vptr_read, 8, __CU_R)
__CU_CALLED void __tsan_vptr_update(unsigned long p, void *) { __CU_REPORT(p, 8, __CU_W); }

/* Atomic operations; what orders memory may be a lock. */
#if defined(__CU_ALL) || defined(__CU_ATOMICS) || defined(__CU_OWN_ATOMIC)
#define __CU_ORDERS(order) \
    if (__cu_checked && !__cu_line && (order)) __cu_checked->host->fence(__cu_checked)
#define __CU_ATOMIC_OF(result, name, parameters, how, call) \
    __CU_CALLED result __tsan_##name parameters             \
    {                                                       \
        __CU_REPORT(p, sizeof *p, how);                     \
        __CU_ORDERS(order);                                 \
        call;                                               \
    }
#define __CU_RMW(n, T, name)                                                    \
    __CU_ATOMIC_OF(T, atomic##n##_##name, (volatile T *p, T v, int order), __CU_A, \
                   return __atomic_##name(p, v, __ATOMIC_SEQ_CST))
#define __CU_CAS(n, T, name)                                                                                      \
    __CU_ATOMIC_OF(bool, atomic##n##_compare_exchange_##name, (volatile T *p, T *e, T v, int order, int), __CU_A, \
                   return __atomic_compare_exchange_n(p, e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
#define __CU_COMPARES(n, T)                                                                                       \
    __CU_ATOMIC_OF(T, atomic##n##_load, (const volatile T *p, int order), __CU_AR,                                \
                   return __atomic_load_n(p, __ATOMIC_SEQ_CST))                                                   \
    __CU_ATOMIC_OF(T, atomic##n##_compare_exchange_val, (volatile T *p, T e, T v, int order, int), __CU_A,        \
                   __atomic_compare_exchange_n(p, &e, v, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); return e)    \
    __CU_CAS(n, T, strong) __CU_CAS(n, T, weak)
#define __CU_FETCHES(n, T) \
    __CU_RMW(n, T, fetch_add) __CU_RMW(n, T, fetch_and) __CU_RMW(n, T, fetch_or) __CU_RMW(n, T, fetch_xor)
#define __CU_OTHERS(n, T)                                                                                         \
    __CU_ATOMIC_OF(void, atomic##n##_store, (volatile T *p, T v, int order), __CU_X,                              \
                   __atomic_store_n(p, v, __ATOMIC_SEQ_CST))                                                      \
    __CU_ATOMIC_OF(T, atomic##n##_exchange, (volatile T *p, T v, int order), __CU_X,                              \
                   return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST))                                            \
    __CU_RMW(n, T, fetch_sub) __CU_RMW(n, T, fetch_nand)
/* Those of atomics.h; others that a program may use. */
__CU_COMPARES(16, unsigned short) __CU_COMPARES(32, unsigned) __CU_COMPARES(64, unsigned long)
__CU_FETCHES(32, unsigned) __CU_FETCHES(64, unsigned long)
#if defined(__CU_ALL) || defined(__CU_OWN_ATOMIC)
__CU_COMPARES(8, unsigned char) __CU_FETCHES(8, unsigned char) __CU_FETCHES(16, unsigned short)
__CU_OTHERS(8, unsigned char) __CU_OTHERS(16, unsigned short)
__CU_OTHERS(32, unsigned) __CU_OTHERS(64, unsigned long)
#endif
#endif
__CU_CALLED void __tsan_atomic_thread_fence(int)
{
    if (__cu_checked) __cu_checked->host->fence(__cu_checked);
    __asm__ volatile("" ::: "memory");
}
__CU_CALLED void __tsan_atomic_signal_fence(int) { __asm__ volatile("" ::: "memory"); }

struct __cu_place { const char *file; unsigned line, column; };
struct __cu_type { unsigned short kind, info; char name[1]; };
struct __cu_bounds { __cu_place place; const __cu_type *array, *index; };
struct __cu_mismatch { __cu_place place; const __cu_type *type; unsigned char log_align, kind; };
__CU_CALLED void __ubsan_handle_out_of_bounds(const __cu_bounds *b, unsigned long index)
{
    bool narrow = (b->index->info >> 1) < 6, negative = b->index->info & 1; /* small values come as they are */
    if (__cu_checked)
        __cu_checked->host->bounds(__cu_checked, (int)b->place.line, (int)b->place.column, b->array->name,
                                   narrow && negative ? (int)index : (long)index);
}
__CU_CALLED void __ubsan_handle_type_mismatch_v1(const __cu_mismatch *m, unsigned long address)
{
    if (__cu_checked && m->log_align && (address & ((1ul << m->log_align) - 1)))
        __cu_checked->host->misaligned(__cu_checked, (int)m->place.line, m->type->name, address);
}
}
#else
#define __CU_PLAIN cold
#define __CU_CHECK_BEGIN(w) ((void)0)
#endif
