/* Live memory by address: which blocks there are, and which were freed last. Kept only where kernels' accesses are
 * checked (CUPRITE_CHECK); otherwise nothing is noted and the functions cost a load.
 *
 * Invariant: live blocks stand in the order of their addresses and do not overlap. */
#ifndef CPI_BACKEND_LIVE_H
#define CPI_BACKEND_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether CUPRITE_CHECK was set, not to 0, when the process first asked. */
bool cpi_live_kept(void);
void cpi_live_add(const void *memory, size_t bytes);
void cpi_live_remove(const void *memory);

typedef enum cpi_liveness { CPI_LIVE_UNKNOWN, CPI_LIVE_FREED, CPI_LIVE } cpi_liveness;
/* The block that `address` lies in, with its bounds where it is known. */
cpi_liveness cpi_live_find(uintptr_t address, uintptr_t *start, size_t *bytes);
/* The live block that begins last below the address, or begins first behind it: the nearer one. False: none. */
bool cpi_live_nearest(uintptr_t address, uintptr_t *start, size_t *bytes);

void cpi_live_after_fork(void); /* in the child */

#endif
