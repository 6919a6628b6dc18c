/* Tiles of long rows on the CPU: what scan_simd.c has once per instruction set. */
#ifndef CPI_SCAN_TILES_H
#define CPI_SCAN_TILES_H

#include "cpu/features.h"
#include "scan/scan.h"

enum {
    CPI_SCAN_TILE = 1 << 15, /* bytes of a tile's gathered values, which stay in the second cache */
    CPI_SCAN_SHORT = 128     /* fewer elements than this are joined one after the other, as NumPy does it */
};

typedef struct cpi_scan_tiles {
    int size;       /* bytes of a gathered value; 0: there are no such tiles */
    char none[16];  /* the value before the first element: joined to another it leaves that as it is */
    /* local[i] = x[0] op ... op x[i], of gathered values; x may be local where sizes are the same. ahead: as much
     * memory as the n elements take that is read soon, or NULL; join, which writes, has enough to wait for */
    void (*scan)(const void *x, void *local, int64_t n, const char *ahead);
    /* carry = carry op *local */
    void (*pass)(void *carry, const void *local);
    /* to[i] = carry op local[i], as an element. past: beside the caches; `to` lies at a multiple of 64 bytes then */
    void (*join)(const void *carry, const void *local, void *to, int64_t n, bool past);
} cpi_scan_tiles;

/* Those of an operation and a type, as cpi_scan has them. */
#define CPI_DECLARE_TILES(isa) cpi_scan_tiles cpi_scan_tiles_of_##isa(cpi_scan_op op, cp_type type);
CPI_DECLARE_TILES(v2) CPI_DECLARE_TILES(v3) CPI_DECLARE_TILES(v4)

#endif
