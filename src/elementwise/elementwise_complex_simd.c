/* Kernels of the elementwise table for complex numbers. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#define CPS_X c64
#define T cp_complex64
#define CPS_LIBM f
#define CPI_PICK(B, I, R, C) C
#define CPI_PART float
#include "elementwise/loops.inc"
#define CPS_X c128
#define T cp_complex128
#define CPS_LIBM
#define CPI_PICK(B, I, R, C) C
#define CPI_PART double
#include "elementwise/loops.inc"
