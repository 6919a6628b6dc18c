/* Kernels that do not terminate: a thread ends launches of the CPU that run for longer than CUPRITE_KERNEL_TIMEOUT
 * seconds, and those of the main thread when the user interrupts the program (SIGINT) and they continue nevertheless.
 *
 * A launch and the workers inside it are noted in records, one a thread, by plain stores. The watchdog sends those
 * workers a signal. Its handler leaves the guarded call when it finds the thread in the compiled kernel itself, not in
 * a function that may hold a lock. Between launches the watchdog sleeps. */
#ifndef CPI_KERNEL_WATCHDOG_H
#define CPI_KERNEL_WATCHDOG_H

#include <signal.h>
#include <stdint.h>

#include "core/error.h"
#include "kernel/watch.h"

/* The calling thread launches; *launch gets a unique number. */
cp_code cpi_watchdog_begin(uint64_t *launch);
void cpi_watchdog_end(void);
/* The calling thread runs part of the launch, whose compiled code lies there; 0: it has left it. */
void cpi_watchdog_inside(uint64_t launch, cpi_address_range code);
/* In the handler of CPI_STOP, for an instruction there: whether it ends its part, with the fault filled. */
bool cpi_watchdog_stops(uintptr_t instruction, cpi_fault *fault);

#define CPI_STOP SIGURG /* ignored by default */

#endif
