/* LU of one matrix on the CPU (lu_cpu.c), with right sides carried along. */
#ifndef CPI_LINALG_LU_H
#define CPI_LINALG_LU_H

#include "linalg/job.h"

/* Indices of a job's routines; the last one only where there may be right sides that are no unit matrix. */
enum { CPI_LU_GETRF, CPI_LU_GEMM, CPI_LU_TRSV };

typedef struct cpi_lu {
    const char *from;   /* A, m x n in rows without gaps */
    int64_t m, n;
    char *to;           /* A's place for L and U; NULL: L is not wanted, and U is where `u` says */
    bool inverse;       /* B is a unit matrix; of it comes the inverse of L */
    const char *sides;  /* k right sides B in rows, or NULL where b has them; b becomes L^-1 P B */
    char *b;
    int64_t k;          /* may be 0 */
    int32_t *pivots;    /* min(m, n): row i was exchanged with row pivots[i] >= i, in this order */
    int64_t info;       /* the result: 1 + the first zero pivot, or 0 */
    const char *u;      /* U, in `to` or in the workspace: element (i, c) lies i * row + c * column elements behind */
    int64_t row, column;
} cpi_lu;

/* Bytes of `work` for a job's matrix; `apart`: L is not wanted. */
size_t cpi_lu_bytes(const job *j, bool apart);
void cpi_lu_factor(const job *j, cpi_lu *lu, char *work);
/* Applies n exchanges to rows of k elements, or takes them back. */
void cpi_lu_exchange(const job *j, int64_t n, const int32_t *pivots, char *x, int64_t k, bool back);
/* The order of m rows after n exchanges. */
void cpi_lu_order(int64_t m, int64_t n, const int32_t *pivots, int32_t *rows);
/* After right sides or an inverse of L were made, with the same workspace: B becomes U^-1 B, or the inverse of A. */
void cpi_lu_finish(const job *j, const cpi_lu *lu, char *work);

#endif
