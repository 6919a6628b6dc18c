/* QR by blocks of reflections, or by one block that holds the columns of A and Q in registers.
 *
 * Matrices are worked on in columns: the transpose of what comes in, which is what `raw` gives back. */
#include "linalg/wy.cuh"

#include "linalg/cuda.h"

namespace {

typedef cpi_la_qr_wanted wanted;

/* Rows that blocks of reflections are for. */
template <class T> constexpr int64_t wy_rows() { return sizeof(T) == 16 ? 512 : 1024; }

template <class T, int EACH, int WARPS>
cp_code wy_panel(cp_stream *stream, const cpi_linalg *v, T *a, T *taus, T *factors, int j, int nb)
{
    la::wy_panel<T, EACH, WARPS><<<(unsigned)v->batch, (unsigned)(32 * nb), 0, cpi_cuda_stream(stream)>>>(
        a, taus, factors, v->batch, (int)v->m, (int)v->n, j);
    return CPI_LAUNCHED(stream, v->function);
}

/* a: in columns; taus; q: Q^H in columns, `more` (m or 0) of them. */
template <class T> cp_code by_blocks(cp_stream *stream, const cpi_linalg *v, T *a, T *taus, T *q, int more)
{
    typedef la::wy_of<T> W;
    enum { EACH = 128 / sizeof(T), TALL = sizeof(T) == 4 ? EACH : 2 * EACH /* float has no more rows */ };
    int m = (int)v->m, n = (int)v->n, r = m < n ? m : n;
    cpi_la_scratch made(stream);
    T *factors = made.get<T>(v->batch * 1024);
    if (!factors) return CP_ERROR_MEMORY;
    cp_code code = cpi_cuda_allow(stream, la::wy_apply<T>, W::bytes(m), v->function);
    for (int j = 0, nb; j < r && !code; j += nb) {
        int h = m - j;
        nb = h > 32 * EACH ? 16 : 32;
        if (nb > r - j) nb = r - j;
        code = h > 32 * EACH       ? wy_panel<T, TALL, 16>(stream, v, a, taus, factors, j, nb)
               : h > 32 * EACH / 2 ? wy_panel<T, EACH, 32>(stream, v, a, taus, factors, j, nb)
                                   : wy_panel<T, EACH / 2, 32>(stream, v, a, taus, factors, j, nb);
        int behind = n - j - nb, blocks = cpi_ceil_div(behind, W::WIDE) + cpi_ceil_div(more, W::WIDE);
        if (code || !blocks) continue;
        la::wy_apply<T><<<dim3((unsigned)blocks, cpi_la_blocks(v->batch, 65535)), 256, (size_t)W::bytes(h),
                          cpi_cuda_stream(stream)>>>(a, factors, q, v->batch, m, n, j, nb, behind, more);
        code = CPI_LAUNCHED(stream, v->function);
    }
    return code;
}

/* What one block holds in registers. */
template <class T, int EACH, int MANY> cp_code by_registers(cp_stream *stream, const cpi_linalg *v, wanted w)
{
    size_t bytes = (size_t)(v->m * (v->n | 1)) * sizeof(T);
    cp_code code = cpi_cuda_allow(stream, la::qr_registers<T, EACH, MANY>, (int64_t)bytes, v->function);
    if (code) return code;
    la::qr_registers<T, EACH, MANY><<<(unsigned)v->batch, 1024, bytes, cpi_cuda_stream(stream)>>>(
        v->batch, (int)v->m, (int)v->n, w.rows, w.columns, w.raw, (const T *)v->a, (T *)v->x, (T *)v->u, (T *)v->s);
    return CPI_LAUNCHED(stream, v->function);
}

template <class T> cp_code by_reflections(cp_stream *stream, const cpi_linalg *v, wanted w)
{
    int m = (int)v->m, n = (int)v->n, r = m < n ? m : n;
    cpi_la_scratch work(stream), more(stream), made(stream);
    T *a = w.raw ? (T *)v->x : work.get<T>(v->batch * m * n), *taus = w.raw ? (T *)v->s : more.get<T>(v->batch * r);
    bool own_q = w.columns != m || cpi_la_complex(v->type); /* else Q^H in columns is Q in rows */
    T *q = !w.columns ? nullptr : own_q ? made.get<T>(v->batch * m * m) : (T *)v->u;
    if (!a || !taus || (w.columns && !q)) return CP_ERROR_MEMORY;
    cp_code code = cpi_la_transpose(stream, v->type, v->a, a, v->batch, m, n, false, v->function);
    if (!code) code = by_blocks<T>(stream, v, a, taus, q, w.columns ? m : 0);
    if (code || w.raw) return code;
    int64_t all = (int64_t)cpi_ceil_div(w.rows, 32) * cpi_ceil_div(n, 32) * v->batch;
    la::qr_upper<T><<<cpi_la_blocks(all, 1 << 20), dim3(32, 8), 0, cpi_cuda_stream(stream)>>>(
        a, (T *)v->x, v->batch, m, n, w.rows);
    code = CPI_LAUNCHED(stream, v->function);
    if (code || !q || !own_q) return code;
    la::wy_rows<T><<<cpi_la_blocks(v->batch * m, 1 << 20), 128, 0, cpi_cuda_stream(stream)>>>(q, (T *)v->u, v->batch, m,
                                                                                         w.columns);
    return CPI_LAUNCHED(stream, v->function);
}

} // namespace

/* Whether a block's shared memory holds what they keep there. */
template <class T> static bool has_space(cp_stream *stream, const cpi_linalg *v)
{
    enum { STATIC = (sizeof(T) == 16 ? 4 : 8) * 32 * la::wy_of<T>::WIDE + 32 * 33 /* of wy_apply, numbers */ };
    int64_t most = v->m > v->n ? v->m : v->n, registers = sizeof(T) <= 8 ? 96 : 64;
    int64_t numbers = most <= registers ? v->m * (v->n | 1) : la::wy_of<T>::bytes(v->m) / (int64_t)sizeof(T) + STATIC;
    return numbers * (int64_t)sizeof(T) <= cpi_la_shared(stream);
}

bool cpi_la_has_reflections(cp_stream *stream, const cpi_linalg *v)
{
    enum { SLIM = 24 /* columns or rows, of many matrices: a team each */ };
    int64_t most = v->m > v->n ? v->m : v->n, least = v->m < v->n ? v->m : v->n;
    if (most <= 32 || (least <= SLIM && v->batch > cpi_cuda_units(stream))) return false;
    bool wide = v->type == CP_COMPLEX128;
    if (most > 64 && (v->m <= 32 || v->m > (wide ? wy_rows<la::complex<double>>() : 1024))) return false;
    return wide                       ? has_space<la::complex<double>>(stream, v)
           : v->type == CP_FLOAT32    ? has_space<float>(stream, v)
           : v->type == CP_COMPLEX64  ? has_space<la::complex<float>>(stream, v)
                                      : has_space<double>(stream, v);
}

cp_code cpi_la_reflections(cp_stream *stream, const cpi_linalg *v)
{
    int64_t most = v->m > v->n ? v->m : v->n;
    wanted w = cpi_la_qr_wanted_of(v);
    return cpi_la_with(v->type, [&](auto t) {
        typedef decltype(t) T;
        if (most <= 64) return by_registers<T, 2, 4>(stream, v, w);
        if constexpr (sizeof(T) <= 8)
            if (most <= 96) return by_registers<T, 3, 6>(stream, v, w);
        return by_reflections<T>(stream, v, w);
    });
}
