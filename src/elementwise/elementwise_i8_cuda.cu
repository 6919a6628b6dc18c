/* CUDA kernels of the elementwise table for bool and the 8-bit integers. */
#include "elementwise/flat_cuda.h"
#include "scalar/scalar.h"

CPI_DEFINE_LOADS(b)
CPI_DEFINE_LOADS(i8)
CPI_DEFINE_LOADS(u8)
CPI_DEFINE_STORES(b)
CPI_DEFINE_STORES(i8)
CPI_DEFINE_STORES(u8)

#define CPS_X b
#define T uint8_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) B
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
#define CPS_X i8
#define T int8_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
#define CPS_X u8
#define T uint8_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_PART_X CPS_X
#include "elementwise/loops_cuda.inc"
