/* CUDA kernels of the elementwise table for the 32-bit integers. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(i32)
CPI_DEFINE_LOADS(u32)
CPI_DEFINE_STORES(i32)
CPI_DEFINE_STORES(u32)
CPI_DEFINE_STORES(b)

#define CPS_X i32
#define T int32_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
#define CPS_X u32
#define T uint32_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
