/* new and delete in kernels: the C library's heap, as malloc is. */
#pragma once
#pragma GCC diagnostic ignored "-Winline-new-delete"
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
/* In a place that there is; templates, so that a program may have its own. */
template <class = void> inline void *operator new(size_t, void *p) noexcept { return p; }
template <class = void> inline void *operator new[](size_t, void *p) noexcept { return p; }
