/* Systems of few rows on the CPU: as arrays, in which elimination takes less time than SuperLU takes to begin. What is
 * singular up to rounding is left to the caller. */
#include <float.h>
#include <string.h>

#include "backend/device.h"
#include "sparse/quotients_cpu.h"

static inline double size_of_f32(float x) { return fabsf(x); }
static inline double size_of_f64(double x) { return fabs(x); }
static inline double size_of_c64(cp_complex64 x) { return (double)fabsf(x.re) + (double)fabsf(x.im); }
static inline double size_of_c128(cp_complex128 x) { return fabs(x.re) + fabs(x.im); }

#define MOST FLT_MAX
#define EPSILON FLT_EPSILON
#define V float
#define VS f32
#define I int32_t
#define SUFFIX f32_i32
#include "sparse/solve.inc"
#define I int64_t
#define SUFFIX f32_i64
#include "sparse/solve.inc"
#undef VS
#undef V
#define V cp_complex64
#define VS c64
#define I int32_t
#define SUFFIX c64_i32
#include "sparse/solve.inc"
#define I int64_t
#define SUFFIX c64_i64
#include "sparse/solve.inc"
#undef VS
#undef V
#undef EPSILON
#undef MOST
#define MOST DBL_MAX
#define EPSILON DBL_EPSILON
#define V double
#define VS f64
#define I int32_t
#define SUFFIX f64_i32
#include "sparse/solve.inc"
#define I int64_t
#define SUFFIX f64_i64
#include "sparse/solve.inc"
#undef VS
#undef V
#define V cp_complex128
#define VS c128
#define I int32_t
#define SUFFIX c128_i32
#include "sparse/solve.inc"
#define I int64_t
#define SUFFIX c128_i64
#include "sparse/solve.inc"
#undef VS
#undef V
#undef EPSILON
#undef MOST

cp_code cpi_sparse_cpu_solve(cp_stream *stream, const cpi_sparse_system *s)
{
    void *work = cpi_work_alloc(stream, (size_t)(s->a.rows * s->a.rows * cpi_itemsize(s->a.type)));
    if (!work) return cp_error();
    switch ((int)s->a.type) {
    case CP_FLOAT32: *s->found = s->a.wide ? solve_f32_i64(s, work) : solve_f32_i32(s, work); break;
    case CP_FLOAT64: *s->found = s->a.wide ? solve_f64_i64(s, work) : solve_f64_i32(s, work); break;
    case CP_COMPLEX64: *s->found = s->a.wide ? solve_c64_i64(s, work) : solve_c64_i32(s, work); break;
    default: *s->found = s->a.wide ? solve_c128_i64(s, work) : solve_c128_i32(s, work);
    }
    cpi_work_free(stream, work);
    return CP_OK;
}
