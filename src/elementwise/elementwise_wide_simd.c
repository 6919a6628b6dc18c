/* Kernels of the elementwise table for the 32- and 64-bit integers. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#define CPS_X i32
#define T int32_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X u32
#define T uint32_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X i64
#define T int64_t
#define U uint64_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_HIDDEN "elementwise/mixed.def"
#include "elementwise/loops.inc"
#define CPS_X u64
#define T uint64_t
#define U uint64_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#include "elementwise/loops.inc"
