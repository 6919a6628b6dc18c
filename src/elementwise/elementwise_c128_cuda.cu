/* CUDA kernels of the elementwise table for complex128. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(c128)
CPI_DEFINE_STORES(c128)
CPI_DEFINE_STORES(b)
CPI_DEFINE_STORES(f64)

#define CPS_X c128
#define T cp_complex128
#define CPS_LIBM
#define CPI_PICK(B, I, R, C) C
#define CPI_PART double
#define CPI_PART_X f64
#include "elementwise/loops_cuda.inc"
