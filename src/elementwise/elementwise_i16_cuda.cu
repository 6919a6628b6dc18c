/* CUDA kernels of the elementwise table for the 16-bit integers. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(i16)
CPI_DEFINE_LOADS(u16)
CPI_DEFINE_STORES(i16)
CPI_DEFINE_STORES(u16)
CPI_DEFINE_STORES(b)

#define CPS_X i16
#define T int16_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
#define CPS_X u16
#define T uint16_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#define CPI_HIDDEN_HALVES
#include "elementwise/loops_cuda.inc"
