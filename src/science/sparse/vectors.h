/* What both devices share of a solver's vectors: numbers made of numbers, in the same order. C17 and CUDA C++. */
#ifndef CPI_SPARSE_VECTORS_H
#define CPI_SPARSE_VECTORS_H

#include <math.h>

#include "sparse/sparse.h"

#ifdef __CUDACC__
#define CPI_VECTORS_FN static __device__ __forceinline__
#else
#define CPI_VECTORS_FN static inline
#endif

static inline int64_t cpi_sparse_chunks(int64_t n) { return (n + CPI_SPARSE_CHUNK - 1) / CPI_SPARSE_CHUNK; }
#include "sparse/vectors.inc"
#include "sparse/least_turns.inc"
#include "sparse/turns.inc"

#endif
