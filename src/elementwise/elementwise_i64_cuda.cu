/* CUDA kernels of the elementwise table for the 64-bit integers. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(i64)
CPI_DEFINE_LOADS(u64)
CPI_DEFINE_STORES(i64)
CPI_DEFINE_STORES(u64)
CPI_DEFINE_STORES(b)

#define CPS_X i64
#define T int64_t
#define U uint64_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#define CPI_HIDDEN_MIXED
#include "elementwise/loops_cuda.inc"
#define CPS_X u64
#define T uint64_t
#define U uint64_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
