/* CUDA kernels of the elementwise table for float and the half types. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(f32)
CPI_DEFINE_STORES(f32)
CPI_DEFINE_STORES(b)

#define CPS_X f32
#define T float
#define CPS_LIBM f
#define CPI_PICK(B, I, R, C) R
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
