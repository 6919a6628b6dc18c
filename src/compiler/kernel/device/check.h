/* CUPRITE_CHECK=1: the compiler calls one of these before each access to memory (kernel address sanitizer), and where
 * an index or an address is wrong by what is known of its type; the library compares addresses with live memory. */
#pragma once
#ifdef __CU_CHECK

static __thread __cu_worker *__cu_checked; /* whose kernel this thread runs */
static __thread unsigned long __cu_line;   /* the user's, while an atomic operation is carried out; else 0 */
#define __CU_CHECK_BEGIN(w) (__cu_line = 0, __cu_checked = (w))

#define __CU_PLAIN __CU_UNCHECKED
#define __CU_UNCHECKED no_sanitize_address, no_sanitize("kernel-address", "alignment", "bounds")
#define __CU_CALLED __attribute__((visibility("hidden"), used, noinline, __CU_UNCHECKED))
#define __CU_REPORT(p, n, how)                                                                                \
    if (__cu_checked)                                                                                         \
        __cu_checked->host->check(__cu_checked, p, n, __cu_line ? 2 : (how),                                  \
                                  __cu_line ? (const void *)__cu_line : __builtin_return_address(0))

extern "C" {
#define __CU_CALLBACK(name, bytes, writes) __CU_CALLED void name(unsigned long p) { __CU_REPORT(p, bytes, writes); }
#define __CU_CALLBACKS(n)                                                                         \
    __CU_CALLBACK(__asan_load##n##_noabort, n, 0) __CU_CALLBACK(__asan_store##n##_noabort, n, 1) \
    __CU_CALLBACK(__asan_load##n, n, 0) __CU_CALLBACK(__asan_store##n, n, 1)
__CU_CALLBACKS(1) __CU_CALLBACKS(2) __CU_CALLBACKS(4) __CU_CALLBACKS(8) __CU_CALLBACKS(16)
#define __CU_CALLBACK_N(name, writes) \
    __CU_CALLED void name(unsigned long p, unsigned long n) { __CU_REPORT(p, n, writes); }
__CU_CALLBACK_N(__asan_loadN_noabort, 0) __CU_CALLBACK_N(__asan_storeN_noabort, 1)
__CU_CALLBACK_N(__asan_loadN, 0) __CU_CALLBACK_N(__asan_storeN, 1)
__CU_CALLED void __asan_handle_no_return() {}
__CU_CALLED void __asan_before_dynamic_init(const char *) {}
__CU_CALLED void __asan_after_dynamic_init() {}

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
