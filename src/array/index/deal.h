/* Elements dealt out by ranges (deal_cpu.c): what deal_simd.c has once per instruction set. */
#ifndef CPI_INDEX_DEAL_H
#define CPI_INDEX_DEAL_H

#include "index/single.h"

enum {
    CPI_DEAL_RANGES = 512,  /* that there are at most */
    CPI_DEAL_PIECE = 1 << 16 /* places of a piece */
};

typedef struct cpi_deal_job {
    const cpi_gather *g;
    int64_t n, ranges;
    int shift;              /* 1 << shift elements of a range */
    uint32_t *next;         /* of piece and range: how many, then where the next goes */
    uint32_t *indices;      /* in their range; at a multiple of 64 bytes, as are */
    char *values;           /* these; NULL: one for all is written */
    int64_t first, pieces;  /* of the round */
    int bad;
} cpi_deal_job;

/* How many places a piece has. */
static inline int64_t cpi_deal_count(const cpi_deal_job *d, int64_t piece)
{
    const int64_t left = d->n - piece * CPI_DEAL_PIECE;
    return left < CPI_DEAL_PIECE ? left : CPI_DEAL_PIECE;
}

typedef struct cpi_deal_kernels {
    void (*count)(const cpi_deal_job *d, int64_t first, int64_t n); /* places of one piece that are right */
    void (*deal)(const cpi_deal_job *d, int64_t piece);
    void (*put)(const cpi_deal_job *d, int64_t range);
} cpi_deal_kernels;
extern const cpi_deal_kernels cpi_deal_kernels_v2, cpi_deal_kernels_v3, cpi_deal_kernels_v4;

#endif
