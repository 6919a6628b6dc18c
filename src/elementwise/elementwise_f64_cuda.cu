/* CUDA kernels of the elementwise table for double. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(f64)
CPI_DEFINE_STORES(f64)
CPI_DEFINE_STORES(b)

#define CPS_X f64
#define T double
#define CPS_LIBM
#define CPI_PICK(B, I, R, C) R
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
