/* Elements dealt out by ranges (binned_scatter_cpu.c): what binned_scatter_simd.c has once per instruction set. */
#ifndef CPI_INDEX_BINNED_SCATTER_H
#define CPI_INDEX_BINNED_SCATTER_H

#include "index/single.h"

enum {
    CPI_BIN_RANGES = 512,   /* that there are at most */
    CPI_BIN_CHUNK = 1 << 16 /* places of a piece */
};

typedef struct cpi_bin_job {
    const cpi_gather *g;
    int64_t n, ranges;
    int shift;              /* 1 << shift elements of a range */
    uint32_t *next;         /* of piece and range: how many, then where the next goes */
    uint32_t *indices;      /* in their range; at a multiple of 64 bytes, as are */
    char *values;           /* these; NULL: one for all is written */
    int64_t first, nchunks; /* of the round */
    int bad;
} cpi_bin_job;

/* How many places a piece has. */
static inline int64_t cpi_bin_count(const cpi_bin_job *d, int64_t chunk)
{
    const int64_t left = d->n - chunk * CPI_BIN_CHUNK;
    return left < CPI_BIN_CHUNK ? left : CPI_BIN_CHUNK;
}

typedef struct cpi_bin_kernels {
    void (*count)(const cpi_bin_job *d, int64_t first, int64_t n);  /* places of one piece that are right */
    void (*bin)(const cpi_bin_job *d, int64_t chunk);
    void (*put)(const cpi_bin_job *d, int64_t range);
} cpi_bin_kernels;
extern const cpi_bin_kernels cpi_bin_kernels_v2, cpi_bin_kernels_v3, cpi_bin_kernels_v4;

#endif
