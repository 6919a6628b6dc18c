/* Tiles of long rows on the CPU, which scan_simd.c implements once per instruction set. */
#ifndef CPI_SCAN_TILES_H
#define CPI_SCAN_TILES_H

#include "cpu/features.h"
#include "scan/scan.h"

enum {
    CPI_SCAN_TILE = 1 << 15, /* bytes of a tile's accumulators, which stay in the L2 cache */
    CPI_SCAN_SHORT = 128     /* fewer elements than this are joined in order, as in NumPy */
};

typedef struct cpi_scan_tiles {
    int size;       /* bytes of an accumulator; 0: there are no such tiles */
    char none[16];  /* the identity */
    /* local[i] = x[0] op ... op x[i], of accumulators. x may be local where sizes are the same. ahead: memory that is
     * read soon, of the size of the n elements, to prefetch; or NULL. join, which writes, does not prefetch. */
    void (*scan)(const void *x, void *local, int64_t n, const char *ahead);
    /* carry = carry op *local */
    void (*pass)(void *carry, const void *local);
    /* to[i] = carry op local[i], as an element. past: with non-temporal stores; then `to` is aligned to 64 bytes. */
    void (*join)(const void *carry, const void *local, void *to, int64_t n, bool past);
} cpi_scan_tiles;

/* The tiles of an operation and a type, as in cpi_scan. */
#define CPI_DECLARE_TILES(isa) cpi_scan_tiles cpi_scan_tiles_of_##isa(cpi_scan_op op, cp_type type);
CPI_DECLARE_TILES(v2) CPI_DECLARE_TILES(v3) CPI_DECLARE_TILES(v4)

#endif
