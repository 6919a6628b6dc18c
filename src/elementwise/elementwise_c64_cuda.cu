/* CUDA kernels of the elementwise table for complex64. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(c64)
CPI_DEFINE_STORES(c64)
CPI_DEFINE_STORES(b)
CPI_DEFINE_STORES(f32)

#define CPS_X c64
#define T cp_complex64
#define CPS_LIBM f
#define CPI_PICK(B, I, R, C) C
#define CPI_PART float
#define CPI_PART_X f32
#include "elementwise/loops_cuda.inc"
