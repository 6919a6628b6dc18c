/* Functions of the C library that a kernel may not have as they are: the linker gives it these (--wrap). Memory comes
 * from the library, with nothing beside it that a kernel could destroy; what would end the process ends the launch. */
#pragma once
#ifdef __CU_HOST_CALLS
#pragma GCC diagnostic ignored "-Winline-new-delete"

extern "C" {
__attribute__((visibility("default"))) const __cu_host *__cu_library = 0; /* set when the object is loaded */
#define __CU_WRAPS __attribute__((visibility("hidden"), noinline, __CU_PLAIN))
#define __CU_HERE __builtin_return_address(0)
__attribute__((visibility("hidden"))) void *__dso_handle = 0;
__CU_WRAPS int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; } /* variables are never destroyed */
__CU_WRAPS void *__wrap_malloc(unsigned long n) { return __cu_library->allocate(n); }
__CU_WRAPS void __wrap_free(void *p) { __cu_library->release(p, __CU_HERE); }
__CU_WRAPS void *__wrap_realloc(void *p, unsigned long n) { return __cu_library->resize(p, n, __CU_HERE); }
__CU_WRAPS void *__wrap_calloc(unsigned long n, unsigned long m)
{
    unsigned long all;
    void *p = __builtin_mul_overflow(n, m, &all) ? 0 : __cu_library->allocate(all);
    return p ? memset(p, 0, all) : p;
}
__CU_WRAPS int __wrap_vprintf(const char *format, __builtin_va_list v) { return __cu_library->print(format, v); }
__CU_WRAPS int __wrap_printf(const char *format, ...)
{
    __builtin_va_list v;
    __builtin_va_start(v, format);
    int n = __cu_library->print(format, v);
    __builtin_va_end(v);
    return n;
}
__CU_WRAPS int __wrap_puts(const char *text) { return __wrap_printf("%s\n", text); }
__CU_WRAPS int __wrap_putchar(int c) { return __wrap_printf("%c", c), c; }
#define __CU_ENDS(name, words, ...) \
    __CU_WRAPS void __wrap_##name(__VA_ARGS__) { __cu_library->ended(words, __CU_HERE); }
__CU_ENDS(exit, "exit()", int)
__CU_ENDS(_exit, "_exit()", int)
__CU_ENDS(_Exit, "_Exit()", int)
__CU_ENDS(quick_exit, "quick_exit()", int)
__CU_ENDS(abort, "abort()")
__CU_ENDS(raise, "raise()", int)
__CU_ENDS(pthread_exit, "pthread_exit()", void *)
__CU_ENDS(__assert_fail, "abort() of the host's assert()", const char *, const char *, unsigned, const char *)
__CU_ENDS(_ZSt9terminatev, "std::terminate()")
__CU_ENDS(__cxa_pure_virtual, "a pure virtual function")
#undef __CU_ENDS
}

/* new and delete in kernels: the same memory. */
#ifdef __clang__ /* it has declared them already, for all to see */
#define __CU_HEAP void
#else
#define __CU_HEAP __attribute__((visibility("hidden"))) void
#endif
__CU_HEAP *operator new(size_t n) { return malloc(n); }
__CU_HEAP *operator new[](size_t n) { return malloc(n); }
__CU_HEAP operator delete(void *p) noexcept { free(p); }
__CU_HEAP operator delete[](void *p) noexcept { free(p); }
__CU_HEAP operator delete(void *p, size_t) noexcept { free(p); }
__CU_HEAP operator delete[](void *p, size_t) noexcept { free(p); }
#endif
/* In a place that there is; templates, so that a program may have its own. */
template <class = void> inline void *operator new(size_t, void *p) noexcept { return p; }
template <class = void> inline void *operator new[](size_t, void *p) noexcept { return p; }
