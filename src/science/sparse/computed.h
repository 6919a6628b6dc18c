/* The CPU's functions for each type that is computed with, and tables of them, [class_of the type][wide]; of
 * sparse_cpu.c. */
#define V cpi_sparse_b
#define VS b
#define I int32_t
#define SUFFIX b_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX b_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V uint8_t
#define VS u8
#define I int32_t
#define SUFFIX u8_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX u8_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V uint16_t
#define VS u16
#define I int32_t
#define SUFFIX u16_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX u16_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V uint32_t
#define VS u32
#define I int32_t
#define SUFFIX u32_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX u32_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V uint64_t
#define VS u64
#define I int32_t
#define SUFFIX u64_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX u64_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V float
#define VS f32
#define I int32_t
#define SUFFIX f32_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX f32_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V double
#define VS f64
#define I int32_t
#define SUFFIX f64_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX f64_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V cp_complex64
#define VS c64
#define I int32_t
#define SUFFIX c64_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX c64_i64
#include "sparse/computed.inc"
#undef VS
#undef V
#define V cp_complex128
#define VS c128
#define I int32_t
#define SUFFIX c128_i32
#include "sparse/computed.inc"
#define I int64_t
#define SUFFIX c128_i64
#include "sparse/computed.inc"
#undef VS
#undef V

static const rows_fn vector_table[CPI_SPARSE_CLASSES][2] = {
    {cpi_sp_vector_b_i32, cpi_sp_vector_b_i64}, {cpi_sp_vector_u8_i32, cpi_sp_vector_u8_i64},
    {cpi_sp_vector_u16_i32, cpi_sp_vector_u16_i64}, {cpi_sp_vector_u32_i32, cpi_sp_vector_u32_i64},
    {cpi_sp_vector_u64_i32, cpi_sp_vector_u64_i64}, {cpi_sp_vector_f32_i32, cpi_sp_vector_f32_i64},
    {cpi_sp_vector_f64_i32, cpi_sp_vector_f64_i64}, {cpi_sp_vector_c64_i32, cpi_sp_vector_c64_i64},
    {cpi_sp_vector_c128_i32, cpi_sp_vector_c128_i64},
};
static const rows_fn columns_table[CPI_SPARSE_CLASSES][2] = {
    {cpi_sp_columns_b_i32, cpi_sp_columns_b_i64}, {cpi_sp_columns_u8_i32, cpi_sp_columns_u8_i64},
    {cpi_sp_columns_u16_i32, cpi_sp_columns_u16_i64}, {cpi_sp_columns_u32_i32, cpi_sp_columns_u32_i64},
    {cpi_sp_columns_u64_i32, cpi_sp_columns_u64_i64}, {cpi_sp_columns_f32_i32, cpi_sp_columns_f32_i64},
    {cpi_sp_columns_f64_i32, cpi_sp_columns_f64_i64}, {cpi_sp_columns_c64_i32, cpi_sp_columns_c64_i64},
    {cpi_sp_columns_c128_i32, cpi_sp_columns_c128_i64},
};
static const scatter_fn scatter_table[CPI_SPARSE_CLASSES][2] = {
    {cpi_sp_scatter_b_i32, cpi_sp_scatter_b_i64}, {cpi_sp_scatter_u8_i32, cpi_sp_scatter_u8_i64},
    {cpi_sp_scatter_u16_i32, cpi_sp_scatter_u16_i64}, {cpi_sp_scatter_u32_i32, cpi_sp_scatter_u32_i64},
    {cpi_sp_scatter_u64_i32, cpi_sp_scatter_u64_i64}, {cpi_sp_scatter_f32_i32, cpi_sp_scatter_f32_i64},
    {cpi_sp_scatter_f64_i32, cpi_sp_scatter_f64_i64}, {cpi_sp_scatter_c64_i32, cpi_sp_scatter_c64_i64},
    {cpi_sp_scatter_c128_i32, cpi_sp_scatter_c128_i64},
};
static const gather_fn gather_table[CPI_SPARSE_CLASSES][2] = {
    {cpi_sp_gather_b_i32, cpi_sp_gather_b_i64}, {cpi_sp_gather_u8_i32, cpi_sp_gather_u8_i64},
    {cpi_sp_gather_u16_i32, cpi_sp_gather_u16_i64}, {cpi_sp_gather_u32_i32, cpi_sp_gather_u32_i64},
    {cpi_sp_gather_u64_i32, cpi_sp_gather_u64_i64}, {cpi_sp_gather_f32_i32, cpi_sp_gather_f32_i64},
    {cpi_sp_gather_f64_i32, cpi_sp_gather_f64_i64}, {cpi_sp_gather_c64_i32, cpi_sp_gather_c64_i64},
    {cpi_sp_gather_c128_i32, cpi_sp_gather_c128_i64},
};
static const product_fn product_table[CPI_SPARSE_CLASSES][2] = {
    {cpi_sp_product_b_i32, cpi_sp_product_b_i64}, {cpi_sp_product_u8_i32, cpi_sp_product_u8_i64},
    {cpi_sp_product_u16_i32, cpi_sp_product_u16_i64}, {cpi_sp_product_u32_i32, cpi_sp_product_u32_i64},
    {cpi_sp_product_u64_i32, cpi_sp_product_u64_i64}, {cpi_sp_product_f32_i32, cpi_sp_product_f32_i64},
    {cpi_sp_product_f64_i32, cpi_sp_product_f64_i64}, {cpi_sp_product_c64_i32, cpi_sp_product_c64_i64},
    {cpi_sp_product_c128_i32, cpi_sp_product_c128_i64},
};
static const rows_fn merge_count_table[CPI_SPARSE_CLASSES][2] = {
    {merge_count_b_i32, merge_count_b_i64}, {merge_count_u8_i32, merge_count_u8_i64},
    {merge_count_u16_i32, merge_count_u16_i64}, {merge_count_u32_i32, merge_count_u32_i64},
    {merge_count_u64_i32, merge_count_u64_i64}, {merge_count_f32_i32, merge_count_f32_i64},
    {merge_count_f64_i32, merge_count_f64_i64}, {merge_count_c64_i32, merge_count_c64_i64},
    {merge_count_c128_i32, merge_count_c128_i64},
};
static const rows_fn merge_fill_table[CPI_SPARSE_CLASSES][2] = {
    {merge_fill_b_i32, merge_fill_b_i64}, {merge_fill_u8_i32, merge_fill_u8_i64},
    {merge_fill_u16_i32, merge_fill_u16_i64}, {merge_fill_u32_i32, merge_fill_u32_i64},
    {merge_fill_u64_i32, merge_fill_u64_i64}, {merge_fill_f32_i32, merge_fill_f32_i64},
    {merge_fill_f64_i32, merge_fill_f64_i64}, {merge_fill_c64_i32, merge_fill_c64_i64},
    {merge_fill_c128_i32, merge_fill_c128_i64},
};
static const rows_fn sum_table[CPI_SPARSE_CLASSES][2] = {
    {sum_rows_b_i32, sum_rows_b_i64}, {sum_rows_u8_i32, sum_rows_u8_i64}, {sum_rows_u16_i32, sum_rows_u16_i64},
    {sum_rows_u32_i32, sum_rows_u32_i64}, {sum_rows_u64_i32, sum_rows_u64_i64}, {sum_rows_f32_i32, sum_rows_f32_i64},
    {sum_rows_f64_i32, sum_rows_f64_i64}, {sum_rows_c64_i32, sum_rows_c64_i64},
    {sum_rows_c128_i32, sum_rows_c128_i64},
};
static const rows_fn dense_table[CPI_SPARSE_CLASSES][2] = {
    {dense_rows_b_i32, dense_rows_b_i64}, {dense_rows_u8_i32, dense_rows_u8_i64},
    {dense_rows_u16_i32, dense_rows_u16_i64}, {dense_rows_u32_i32, dense_rows_u32_i64},
    {dense_rows_u64_i32, dense_rows_u64_i64}, {dense_rows_f32_i32, dense_rows_f32_i64},
    {dense_rows_f64_i32, dense_rows_f64_i64}, {dense_rows_c64_i32, dense_rows_c64_i64},
    {dense_rows_c128_i32, dense_rows_c128_i64},
};
static const rows_fn product_all_table[CPI_SPARSE_CLASSES][2] = {
    {product_rows_b_i32, product_rows_b_i64}, {product_rows_u8_i32, product_rows_u8_i64},
    {product_rows_u16_i32, product_rows_u16_i64}, {product_rows_u32_i32, product_rows_u32_i64},
    {product_rows_u64_i32, product_rows_u64_i64}, {product_rows_f32_i32, product_rows_f32_i64},
    {product_rows_f64_i32, product_rows_f64_i64}, {product_rows_c64_i32, product_rows_c64_i64},
    {product_rows_c128_i32, product_rows_c128_i64},
};
