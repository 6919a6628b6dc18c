/* Launches of systems and inverses whose rows lanes hold in registers, several matrices a warp. */
#include "linalg/warp_lu.cuh"

#include "linalg/cuda.h"

namespace {

enum { LANES = 32 /* rows at most */, SIDES = 4 /* right sides at most */ };
/* Rows at most of an inverse, whose right sides are registers too. */
template <class T> constexpr int inverse_rows() { return sizeof(T) <= 8 ? 32 : 16; }

template <class T, int W, int K> cp_code launch(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_error t = {nullptr, 0};
    cp_code code = v->quiet ? CP_OK : cpi_la_error_of(stream, v, CPI_LINALG_SINGULAR, &t);
    if (code) return code;
    enum { WARPS = 4, EACH = WARPS * 32 / W };
    int n = (int)v->n, k = v->b ? (int)v->k : n;
    la::lu_by_warps<T, W, K><<<(unsigned)cpi_ceil_div(v->batch, EACH), dim3(32, WARPS), 0, cpi_cuda_stream(stream)>>>(
        v->batch, n, k, (const T *)v->a, (const T *)v->b, (T *)v->x, t.mailbox, t.number);
    return CPI_LAUNCHED(stream, v->function);
}

template <class T, int W> cp_code by_warps(cp_stream *stream, const cpi_linalg *v)
{
    if constexpr (W <= inverse_rows<T>())
        if (!v->b) return launch<T, W, W>(stream, v);
    return v->k == 1 ? launch<T, W, 1>(stream, v) : launch<T, W, SIDES>(stream, v);
}

} // namespace

bool cpi_la_has_batch(const cpi_linalg *v)
{
    int inverse = v->type == CP_COMPLEX128 ? inverse_rows<la::complex<double>>() : inverse_rows<double>();
    return (v->b ? v->n <= LANES && v->k <= SIDES : v->n <= inverse) && v->batch < INT_MAX;
}

cp_code cpi_la_batch(cp_stream *stream, const cpi_linalg *v)
{
    return cpi_la_with(v->type, [&](auto e) {
        typedef decltype(e) T;
        return v->n <= 4    ? by_warps<T, 4>(stream, v)
               : v->n <= 8  ? by_warps<T, 8>(stream, v)
               : v->n <= 16 ? by_warps<T, 16>(stream, v)
                            : by_warps<T, 32>(stream, v);
    });
}
