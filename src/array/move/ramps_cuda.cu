/* Evenly spaced numbers on the GPU. */
#include "cuda/elements.h"
#include "move/move_cuda.h"

#define DEFINE_RAMP(A, t)                                                                                      \
    static __global__ void ramp_##t(CPS_CTYPE_##t *out, int64_t n, double start, double step, double stop,     \
                                    bool use_stop, bool down)                                                  \
    {                                                                                                          \
        int64_t i = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;                                           \
        if (i >= n) return;                                                                                    \
        double v = use_stop && i == n - 1 ? stop : start + (double)i * step;                                   \
        v = down ? floor(v) : v;                                                                               \
        out[i] = cps_f64_to_##t(v);                                                                            \
    }                                                                                                          \
    static __global__ void ramp_int_##t(CPS_CTYPE_##t *out, int64_t n, int64_t start, int64_t step)            \
    {                                                                                                          \
        int64_t i = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;                                           \
        if (i >= n) return;                                                                                    \
        int64_t v = (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)step);                                 \
        out[i] = cps_i64_to_##t(v);                                                                            \
    }
CPS_TYPES(DEFINE_RAMP, )

cp_code cpi_move_cuda_ramp(cp_stream *stream, void *out, cp_type type, int64_t n, double start, double step,
                           double stop, bool use_stop)
{
    if (!n) return CP_OK;
    unsigned blocks = (unsigned)cpi_ceil_div(n, CPI_THREADS);
    cudaStream_t s = cpi_cuda_stream(stream);
    bool down = cpi_is_int(type);
    switch (type) {
#define RAMP_CASE(A, t)                                                                                        \
    case CPS_ENUM_##t:                                                                                         \
        ramp_##t<<<blocks, CPI_THREADS, 0, s>>>((CPS_CTYPE_##t *)out, n, start, step, stop, use_stop, down);   \
        break;
        CPS_TYPES(RAMP_CASE, )
    case CP_DEFAULT: break;
    }
    return CPI_LAUNCHED(stream, "arange");
}

cp_code cpi_move_cuda_ramp_int(cp_stream *stream, void *out, cp_type type, int64_t n, int64_t start, int64_t step)
{
    if (!n) return CP_OK;
    unsigned blocks = (unsigned)cpi_ceil_div(n, CPI_THREADS);
    cudaStream_t s = cpi_cuda_stream(stream);
    switch (type) {
#define RAMP_INT_CASE(A, t)                                                                                    \
    case CPS_ENUM_##t: ramp_int_##t<<<blocks, CPI_THREADS, 0, s>>>((CPS_CTYPE_##t *)out, n, start, step); break;
        CPS_TYPES(RAMP_INT_CASE, )
    case CP_DEFAULT: break;
    }
    return CPI_LAUNCHED(stream, "arange");
}

template <class T, class C = cpi_wide<T>>
static __global__ void ramp_on(T *out, int64_t n, C first, C second, C step)
{
    int64_t i = (int64_t)blockIdx.x * CPI_THREADS + threadIdx.x;
    if (i < n) out[i] = cpi_narrow<T>(i == 0 ? first : i == 1 ? second : first + (C)i * step);
}

cp_code cpi_move_cuda_ramp_on(cp_stream *stream, void *out, cp_type type, int64_t n, double first, double second)
{
    if (!n) return CP_OK;
    unsigned blocks = (unsigned)cpi_ceil_div(n, CPI_THREADS);
    cudaStream_t s = cpi_cuda_stream(stream);
    cpi_with_type(type, [&](auto e) {
        using T = typename decltype(e)::T;
        if constexpr (decltype(e)::kind == 'f') {
            using C = cpi_wide<T>;
            ramp_on<T><<<blocks, CPI_THREADS, 0, s>>>((T *)out, n, (C)first, (C)second, (C)second - (C)first);
        }
        return CP_OK;
    });
    return CPI_LAUNCHED(stream, "arange");
}
