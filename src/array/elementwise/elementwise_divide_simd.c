/* floor_divide and remainder of integers by a single divisor. Other operands take the scalar bodies. */
#include "elementwise/loops.h"
#include "scalar/scalar.h"

#undef F /* of the scalar bodies */
#undef T
#undef U
#undef X

#define T int8_t
#define U uint8_t
#define W uint16_t
#define BITS 8
#define SIGNED 1
#define X i8
#define F(name) cps_##name##_i8
#include "elementwise/divide_by_one.inc"

#define T uint8_t
#define U uint8_t
#define W uint16_t
#define BITS 8
#define SIGNED 0
#define X u8
#define F(name) cps_##name##_u8
#include "elementwise/divide_by_one.inc"

#define T int16_t
#define U uint16_t
#define W uint32_t
#define BITS 16
#define SIGNED 1
#define X i16
#define F(name) cps_##name##_i16
#include "elementwise/divide_by_one.inc"

#define T uint16_t
#define U uint16_t
#define W uint32_t
#define BITS 16
#define SIGNED 0
#define X u16
#define F(name) cps_##name##_u16
#include "elementwise/divide_by_one.inc"

#define T int32_t
#define U uint32_t
#define W uint64_t
#define BITS 32
#define SIGNED 1
#define X i32
#define F(name) cps_##name##_i32
#include "elementwise/divide_by_one.inc"

#define T uint32_t
#define U uint32_t
#define W uint64_t
#define BITS 32
#define SIGNED 0
#define X u32
#define F(name) cps_##name##_u32
#include "elementwise/divide_by_one.inc"

#define T int64_t
#define U uint64_t
#define W unsigned __int128
#define BITS 64
#define SIGNED 1
#define X i64
#define F(name) cps_##name##_i64
#include "elementwise/divide_by_one.inc"

#define T uint64_t
#define U uint64_t
#define W unsigned __int128
#define BITS 64
#define SIGNED 0
#define X u64
#define F(name) cps_##name##_u64
#include "elementwise/divide_by_one.inc"

const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i8)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i8), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i8)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u8)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u8), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u8)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i16)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i16), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i16)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u16)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u16), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u16)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i32)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i32), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i32)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u32)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u32), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u32)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_i64)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_i64), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_i64)};
const cpi_kernel CPI_ISA_NAME(cpi_mathematics_u64)[CPI_NKERNELS] = {
    [CP_OP_floor_divide] = CPI_ISA_NAME(cpi_floor_divide_u64), [CP_OP_remainder] = CPI_ISA_NAME(cpi_remainder_u64)};
