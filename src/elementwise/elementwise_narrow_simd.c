/* Kernels of the elementwise table for bool and the 8- and 16-bit integers. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#define CPS_X b
#define T uint8_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) B
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X i8
#define T int8_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X u8
#define T uint8_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X i16
#define T int16_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#include "elementwise/loops.inc"
#define CPS_X u16
#define T uint16_t
#define U uint32_t
#define CPI_PICK(B, I, R, C) I
#define CPI_PART T
#define CPI_HIDDEN "elementwise/halves.def"
#include "elementwise/loops.inc"
