/* Systems of few rows, or of a narrow band, on the CPU: as arrays, in which elimination takes less time than SuperLU's
 * bookkeeping. What is singular up to rounding is left to the caller. */
#include <float.h>
#include <string.h>

#include "backend/device.h"
#include "sparse/quotients_cpu.h"

static inline double size_of_f32(float x) { return fabsf(x); }
static inline double size_of_f64(double x) { return fabs(x); }
static inline double size_of_c64(cp_complex64 x) { return (double)fabsf(x.re) + (double)fabsf(x.im); }
static inline double size_of_c128(cp_complex128 x) { return fabs(x.re) + fabs(x.im); }

/* Is the matrix, with elements as far below and above the diagonal, held whole, or only its band? Rows are exchanged,
 * so that a row reaches as far above as both together. */
static inline bool solved_whole(int64_t n, const int64_t *far) { return n <= 2 * far[0] + far[1] + 1; }
static inline int64_t solved_size(int64_t n, const int64_t *far)
{
    return solved_whole(n, far) ? n * n : n * (2 * far[0] + far[1] + 1);
}
/* How far elements are from the diagonal; false where that is too far to be worth it. */
#define FAR(I)                                                                              \
    do {                                                                                    \
        const I *p = (const I *)s->a.indptr, *x = (const I *)s->a.indices;                  \
        for (int64_t r = 0; r < s->a.rows; r++) {                                           \
            for (int64_t i = p[r]; i < p[r + 1]; i++) {                                     \
                const int64_t below = s->transposed ? x[i] - r : r - x[i];                  \
                far[0] = below > far[0] ? below : far[0];                                   \
                far[1] = -below > far[1] ? -below : far[1];                                 \
            }                                                                               \
            if ((far[0] + 1) * (far[0] + far[1] + 1) > most) return false;                  \
        }                                                                                   \
        return true;                                                                        \
    } while (0)
static bool far_apart(const cpi_sparse_system *s, int64_t *far)
{
    const int64_t n = s->a.rows, most = n <= CPI_SPARSE_FEW ? INT64_MAX
                                        : n <= CPI_SPARSE_SOME ? CPI_SPARSE_WIDER : CPI_SPARSE_NARROW;
    if (s->a.wide) FAR(int64_t);
    else FAR(int32_t);
}

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
    int64_t far[2] = {0, 0};
    if (!far_apart(s, far)) {
        *s->found = CPI_SPARSE_NOT_NARROW;
        return CP_OK;
    }
    void *work = cpi_work_alloc(stream, (size_t)(solved_size(s->a.rows, far) * cpi_itemsize(s->a.type)));
    if (!work) return cp_error();
    switch ((int)s->a.type) {
    case CP_FLOAT32: *s->found = s->a.wide ? solve_f32_i64(s, far, work) : solve_f32_i32(s, far, work); break;
    case CP_FLOAT64: *s->found = s->a.wide ? solve_f64_i64(s, far, work) : solve_f64_i32(s, far, work); break;
    case CP_COMPLEX64: *s->found = s->a.wide ? solve_c64_i64(s, far, work) : solve_c64_i32(s, far, work); break;
    default: *s->found = s->a.wide ? solve_c128_i64(s, far, work) : solve_c128_i32(s, far, work);
    }
    cpi_work_free(stream, work);
    return CP_OK;
}
