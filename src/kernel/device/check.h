/* CUPRITE_CHECK=1: the compiler calls one of these before each access to memory (kernel address sanitizer), and the
 * library compares the address with the arrays of the launch. */
#pragma once
#ifdef __CU_CHECK

static __thread __cu_worker *__cu_checked; /* whose kernel this thread runs */
#define __CU_CHECK_BEGIN(w) (__cu_checked = (w))

#define __CU_CALLED \
    __attribute__((visibility("hidden"), used, no_sanitize_address, no_sanitize("kernel-address")))

extern "C" {
#define __CU_CALLBACK(name, bytes, writes)                                                       \
    __CU_CALLED void name(unsigned long p)                       \
    {                                                                                            \
        if (__cu_checked) __cu_checked->host->check(__cu_checked, p, bytes, writes);             \
    }
#define __CU_CALLBACKS(n)                                                                        \
    __CU_CALLBACK(__asan_load##n##_noabort, n, 0) __CU_CALLBACK(__asan_store##n##_noabort, n, 1) \
    __CU_CALLBACK(__asan_load##n, n, 0) __CU_CALLBACK(__asan_store##n, n, 1)
__CU_CALLBACKS(1) __CU_CALLBACKS(2) __CU_CALLBACKS(4) __CU_CALLBACKS(8) __CU_CALLBACKS(16)
#define __CU_CALLBACK_N(name, writes)                                                            \
    __CU_CALLED void name(unsigned long p, unsigned long n)      \
    {                                                                                            \
        if (__cu_checked) __cu_checked->host->check(__cu_checked, p, n, writes);                 \
    }
__CU_CALLBACK_N(__asan_loadN_noabort, 0) __CU_CALLBACK_N(__asan_storeN_noabort, 1)
__CU_CALLBACK_N(__asan_loadN, 0) __CU_CALLBACK_N(__asan_storeN, 1)
__CU_CALLED void __asan_handle_no_return() {}
}
#else
#define __CU_CHECK_BEGIN(w) ((void)0)
#endif
