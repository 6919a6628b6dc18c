/* How much memory this process can get at most. */
#ifndef CPI_CPU_LIMITS_H
#define CPI_CPU_LIMITS_H

#include <stddef.h>

/* Upper bound of a single request in bytes: the machine's memory and swap (unless overcommit is unlimited), or the
 * least limit of the process's control groups. Read once. */
size_t cpi_memory_most(void);

#endif
