/* How much memory this process can hope for. */
#ifndef CPI_CPU_LIMITS_H
#define CPI_CPU_LIMITS_H

#include <stddef.h>

/* Bytes that no single request can pass: the machine's memory and swap (unless the kernel is told to promise anything),
 * or the least limit of the control groups that the process is in. Read once. */
size_t cpi_memory_most(void);

#endif
