/* Small blocks of memory that kernels of the user may reach: the elements of small arrays, and what kernels allocate.
 *
 * Nothing of ours and nothing of the C library's lies among them. A write before or behind a block changes another
 * block at worst; what is known of blocks is kept elsewhere. They lie in slabs of one size each, in one range of
 * addresses that is reserved once, and a slab without blocks in use gives its pages back. */
#ifndef CPI_CORE_SLAB_H
#define CPI_CORE_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPI_SLAB_UNIT = 64, CPI_SLAB_FINE = 512, CPI_SLAB_SMALL = 4096, CPI_SLAB_MOST = 256 << 10 };
enum { CPI_SLAB_SMALL_SIZES = 15 }; /* sizes up to CPI_SLAB_SMALL */

/* Which size a block of that many bytes has; 0 <= bytes <= CPI_SLAB_SMALL. */
static inline size_t cpi_slab_size_of(size_t bytes)
{
    return bytes <= CPI_SLAB_FINE ? (bytes - !!bytes) / CPI_SLAB_UNIT : 7 + (bytes - 1) / CPI_SLAB_FINE;
}

/* Up to n blocks of a size, aligned to CPI_SLAB_UNIT; how many there are. */
int cpi_slab_take(size_t size, int n, void **into);
void cpi_slab_put(int n, void *const *blocks);
bool cpi_slab_has(const void *address);

/* What kernels allocate: at most CPI_SLAB_MOST bytes; NULL without memory. */
void *cpi_slab_heap_take(size_t bytes);
typedef enum cpi_slab_found { CPI_SLAB_GIVEN_BACK, CPI_SLAB_NOT_TAKEN, CPI_SLAB_NOWHERE } cpi_slab_found;
/* Gives it back; NOT_TAKEN: it was given back already, or lies inside of a block; NOWHERE: it is no such block. */
cpi_slab_found cpi_slab_heap_put(void *block);

/* Bytes that a block in use has; 0: it is none. */
size_t cpi_slab_heap_size(const void *block);


#endif
