/* Kernels of the elementwise table for float and double. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#define CPS_X f32
#define T float
#define CPS_LIBM f
#define CPI_PICK(B, I, R, C) R
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X f64
#define T double
#define CPS_LIBM
#define CPI_PICK(B, I, R, C) R
#define CPI_PART T
#include "elementwise/loops.inc"
