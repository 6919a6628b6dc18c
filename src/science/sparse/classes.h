/* Includes CPI_EACH for each type that is computed with and each type of indices. CPI_SPARSE_TABLE(f) is then a table
 * of the functions f_VS_INDEX, [class of the type][wide]. */
#define V cpi_sparse_b
#define VS b
#define I int32_t
#define SUFFIX b_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX b_i64
#include CPI_EACH
#undef VS
#undef V
#define V uint8_t
#define VS u8
#define I int32_t
#define SUFFIX u8_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX u8_i64
#include CPI_EACH
#undef VS
#undef V
#define V uint16_t
#define VS u16
#define I int32_t
#define SUFFIX u16_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX u16_i64
#include CPI_EACH
#undef VS
#undef V
#define V uint32_t
#define VS u32
#define I int32_t
#define SUFFIX u32_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX u32_i64
#include CPI_EACH
#undef VS
#undef V
#define V uint64_t
#define VS u64
#define I int32_t
#define SUFFIX u64_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX u64_i64
#include CPI_EACH
#undef VS
#undef V
#define V float
#define VS f32
#define I int32_t
#define SUFFIX f32_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX f32_i64
#include CPI_EACH
#undef VS
#undef V
#define V double
#define VS f64
#define I int32_t
#define SUFFIX f64_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX f64_i64
#include CPI_EACH
#undef VS
#undef V
#define V cp_complex64
#define VS c64
#define I int32_t
#define SUFFIX c64_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX c64_i64
#include CPI_EACH
#undef VS
#undef V
#define V cp_complex128
#define VS c128
#define I int32_t
#define SUFFIX c128_i32
#include CPI_EACH
#define I int64_t
#define SUFFIX c128_i64
#include CPI_EACH
#undef VS
#undef V
#undef CPI_EACH

#define CPI_SPARSE_PAIR(f, suffix) {f##_##suffix##_i32, f##_##suffix##_i64}
#define CPI_SPARSE_TABLE(f)                                                                             \
    {CPI_SPARSE_PAIR(f, b), CPI_SPARSE_PAIR(f, u8), CPI_SPARSE_PAIR(f, u16), CPI_SPARSE_PAIR(f, u32), \
     CPI_SPARSE_PAIR(f, u64), CPI_SPARSE_PAIR(f, f32), CPI_SPARSE_PAIR(f, f64), CPI_SPARSE_PAIR(f, c64), \
     CPI_SPARSE_PAIR(f, c128)}
