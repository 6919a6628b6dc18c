/* What kernels of the CPU ask of the host by names of the C library: malloc and free, printf, and the functions that
 * end a program. The linker gives kernels these for those (--wrap; device/heap.h).
 *
 * What kernels allocate has no record beside it, so that a write around a block changes another block at worst, and
 * free() of what is no such block ends the launch. It lives until it is given back, also beyond the launch. */
#ifndef CPI_KERNEL_HEAP_H
#define CPI_KERNEL_HEAP_H

#include <stdarg.h>

/* NULL without memory. */
void *cpi_heap_allocate(unsigned long bytes);
/* `at`: who called, for messages. Ends the launch where it is no block in use. */
void cpi_heap_free(void *memory, const void *at);
void *cpi_heap_resize(void *memory, unsigned long bytes, const void *at);
int cpi_heap_print(const char *format, va_list values);
/* Ends the launch: a function was called that would end the process. */
void cpi_heap_ended(const char *what, const void *at);

#endif
