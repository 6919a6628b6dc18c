/* Live memory by address: the live blocks and those freed last. Kept only if kernels' accesses are checked
 * (CUPRITE_CHECK); otherwise nothing is recorded and the functions cost a load.
 *
 * Invariant: live blocks are sorted by address and do not overlap. */
#ifndef CPI_BACKEND_LIVE_H
#define CPI_BACKEND_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether CUPRITE_CHECK was set, not to 0, at the process's first query. */
bool cpi_live_kept(void);
void cpi_live_add(const void *memory, size_t bytes);
void cpi_live_remove(const void *memory);

typedef enum cpi_liveness { CPI_LIVE_UNKNOWN, CPI_LIVE_FREED, CPI_LIVE } cpi_liveness;
/* The block that contains `address`, with its bounds if known. */
cpi_liveness cpi_live_find(uintptr_t address, uintptr_t *start, size_t *bytes);
/* The nearer one of the last live block that begins below the address and the first that begins after it. False:
 * none. */
bool cpi_live_nearest(uintptr_t address, uintptr_t *start, size_t *bytes);

/* Fills memory that nobody has written with words that are different at each address (poison). Nothing is filled unless
 * accesses are checked. */
void cpi_live_poison(void *memory, size_t bytes);
/* Whether all words that the bytes touch are still poison. A byte that is written is its poison once in 256 times, so
 * for fewer than four bytes the whole block must be poison, of four bytes or more. */
bool cpi_live_poisoned(uintptr_t address, size_t bytes);
/* Before a kernel writes fewer than four bytes, which may be those that are there: the words around them are no longer
 * poison. */
void cpi_live_unpoison(uintptr_t address, size_t bytes);

#endif
