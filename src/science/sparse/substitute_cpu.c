/* Systems of triangles on the CPU, row by row: each waits for those before it. */
#include "sparse/quotients_cpu.h"

static const float cpi_sp_zero_f32 = 0;
static const double cpi_sp_zero_f64 = 0;
static const cp_complex64 cpi_sp_zero_c64 = {0, 0};
static const cp_complex128 cpi_sp_zero_c128 = {0, 0};
static const float cpi_sp_one_f32 = 1;
static const double cpi_sp_one_f64 = 1;
static const cp_complex64 cpi_sp_one_c64 = {1, 0};
static const cp_complex128 cpi_sp_one_c128 = {1, 0};

#define V float
#define VS f32
#define I int32_t
#define SUFFIX f32_i32
#include "sparse/substitute.inc"
#define I int64_t
#define SUFFIX f32_i64
#include "sparse/substitute.inc"
#undef VS
#undef V
#define V double
#define VS f64
#define I int32_t
#define SUFFIX f64_i32
#include "sparse/substitute.inc"
#define I int64_t
#define SUFFIX f64_i64
#include "sparse/substitute.inc"
#undef VS
#undef V
#define V cp_complex64
#define VS c64
#define I int32_t
#define SUFFIX c64_i32
#include "sparse/substitute.inc"
#define I int64_t
#define SUFFIX c64_i64
#include "sparse/substitute.inc"
#undef VS
#undef V
#define V cp_complex128
#define VS c128
#define I int32_t
#define SUFFIX c128_i32
#include "sparse/substitute.inc"
#define I int64_t
#define SUFFIX c128_i64
#include "sparse/substitute.inc"

cp_code cpi_sparse_cpu_substitute(cp_stream *stream, const cpi_sparse_triangle *t)
{
    (void)stream;
    switch ((int)t->a.type) {
    case CP_FLOAT32: *t->found = t->a.wide ? substitute_f32_i64(t) : substitute_f32_i32(t); break;
    case CP_FLOAT64: *t->found = t->a.wide ? substitute_f64_i64(t) : substitute_f64_i32(t); break;
    case CP_COMPLEX64: *t->found = t->a.wide ? substitute_c64_i64(t) : substitute_c64_i32(t); break;
    default: *t->found = t->a.wide ? substitute_c128_i64(t) : substitute_c128_i32(t);
    }
    return CP_OK;
}
