/* The CPU's functions for elements of each size, and tables of them, [log2 of the bytes][wide]; of sparse_cpu.c. */
#define V uint8_t
#define I int32_t
#define SUFFIX m1_i32
#include "sparse/moved.inc"
#define I int64_t
#define SUFFIX m1_i64
#include "sparse/moved.inc"
#undef V
#define V uint16_t
#define I int32_t
#define SUFFIX m2_i32
#include "sparse/moved.inc"
#define I int64_t
#define SUFFIX m2_i64
#include "sparse/moved.inc"
#undef V
#define V uint32_t
#define I int32_t
#define SUFFIX m4_i32
#include "sparse/moved.inc"
#define I int64_t
#define SUFFIX m4_i64
#include "sparse/moved.inc"
#undef V
#define V uint64_t
#define I int32_t
#define SUFFIX m8_i32
#include "sparse/moved.inc"
#define I int64_t
#define SUFFIX m8_i64
#include "sparse/moved.inc"
#undef V
#define V cpi_sparse_m16
#define I int32_t
#define SUFFIX m16_i32
#include "sparse/moved.inc"
#define I int64_t
#define SUFFIX m16_i64
#include "sparse/moved.inc"
#undef V

static const put_fn put_table[5][2] = {
    {cpi_sp_put_m1_i32, cpi_sp_put_m1_i64}, {cpi_sp_put_m2_i32, cpi_sp_put_m2_i64},
    {cpi_sp_put_m4_i32, cpi_sp_put_m4_i64}, {cpi_sp_put_m8_i32, cpi_sp_put_m8_i64},
    {cpi_sp_put_m16_i32, cpi_sp_put_m16_i64},
};
static const cpi_sparse_rows_fn align_table[5][2] = {
    {align_rows_m1_i32, align_rows_m1_i64}, {align_rows_m2_i32, align_rows_m2_i64},
    {align_rows_m4_i32, align_rows_m4_i64}, {align_rows_m8_i32, align_rows_m8_i64},
    {align_rows_m16_i32, align_rows_m16_i64},
};
static const cpi_sparse_rows_fn take_table[5][2] = {
    {take_rows_m1_i32, take_rows_m1_i64}, {take_rows_m2_i32, take_rows_m2_i64}, {take_rows_m4_i32, take_rows_m4_i64},
    {take_rows_m8_i32, take_rows_m8_i64}, {take_rows_m16_i32, take_rows_m16_i64},
};
static const cpi_sparse_rows_fn take_columns_table[5][2] = {
    {take_columns_rows_m1_i32, take_columns_rows_m1_i64}, {take_columns_rows_m2_i32, take_columns_rows_m2_i64},
    {take_columns_rows_m4_i32, take_columns_rows_m4_i64}, {take_columns_rows_m8_i32, take_columns_rows_m8_i64},
    {take_columns_rows_m16_i32, take_columns_rows_m16_i64},
};
static const sort_fn sort_table[5][2] = {
    {cpi_sp_sort_m1_i32, cpi_sp_sort_m1_i64}, {cpi_sp_sort_m2_i32, cpi_sp_sort_m2_i64},
    {cpi_sp_sort_m4_i32, cpi_sp_sort_m4_i64}, {cpi_sp_sort_m8_i32, cpi_sp_sort_m8_i64},
    {cpi_sp_sort_m16_i32, cpi_sp_sort_m16_i64},
};
static const bucket_row bucket_table[5][2] = {
    {{cpi_sp_count_buckets_m1_i32, cpi_sp_fill_buckets_m1_i32, cpi_sp_empty_bucket_m1_i32,
      sizeof(cpi_sp_element_m1_i32)},
     {cpi_sp_count_buckets_m1_i64, cpi_sp_fill_buckets_m1_i64, cpi_sp_empty_bucket_m1_i64,
      sizeof(cpi_sp_element_m1_i64)}},
    {{cpi_sp_count_buckets_m2_i32, cpi_sp_fill_buckets_m2_i32, cpi_sp_empty_bucket_m2_i32,
      sizeof(cpi_sp_element_m2_i32)},
     {cpi_sp_count_buckets_m2_i64, cpi_sp_fill_buckets_m2_i64, cpi_sp_empty_bucket_m2_i64,
      sizeof(cpi_sp_element_m2_i64)}},
    {{cpi_sp_count_buckets_m4_i32, cpi_sp_fill_buckets_m4_i32, cpi_sp_empty_bucket_m4_i32,
      sizeof(cpi_sp_element_m4_i32)},
     {cpi_sp_count_buckets_m4_i64, cpi_sp_fill_buckets_m4_i64, cpi_sp_empty_bucket_m4_i64,
      sizeof(cpi_sp_element_m4_i64)}},
    {{cpi_sp_count_buckets_m8_i32, cpi_sp_fill_buckets_m8_i32, cpi_sp_empty_bucket_m8_i32,
      sizeof(cpi_sp_element_m8_i32)},
     {cpi_sp_count_buckets_m8_i64, cpi_sp_fill_buckets_m8_i64, cpi_sp_empty_bucket_m8_i64,
      sizeof(cpi_sp_element_m8_i64)}},
    {{cpi_sp_count_buckets_m16_i32, cpi_sp_fill_buckets_m16_i32, cpi_sp_empty_bucket_m16_i32,
      sizeof(cpi_sp_element_m16_i32)},
     {cpi_sp_count_buckets_m16_i64, cpi_sp_fill_buckets_m16_i64, cpi_sp_empty_bucket_m16_i64,
      sizeof(cpi_sp_element_m16_i64)}},
};
