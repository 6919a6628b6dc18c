/* Products, triangles, transposes and Cholesky of many matrices, for the slots of this room.
 *
 * A large triangle is solved by steps of 32 columns, whose products stay within OUTER rows; the other rows get one
 * product of OUTER columns. Large products are cuBLAS's where it is there. */
#include "linalg/blocks.cuh"

#include "linalg/cuda.h"

using la::operand;
using la::wide;

namespace {

enum { STEP = 32, OUTER = 256, WHOLE_CHOLESKY = 96 };

/* potrf beyond these rows; ms on an H200, float64, 2026-11-23, ours / potrf: 64: 0.051 / 0.031; 128: 0.149 / 0.056;
 * 512: 0.717 / 0.222 */
enum { LIBRARY_CHOLESKY = 48 };

template <class T> operand<T> operand_of(const cpi_la_operand &a, int64_t i = 0, int64_t j = 0)
{
    return {(const T *)a.at + i * a.down + j * a.right, a.down, a.right, a.next, a.conjugate};
}

cpi_la_operand part(const cpi_la_operand &a, cp_type type, int64_t i, int64_t j)
{
    cpi_la_operand p = a;
    p.at = (const char *)a.at + (i * a.down + j * a.right) * (int64_t)cpi_la_size(type);
    return p;
}

} // namespace

cp_code cpi_la_product(cp_stream *stream, cp_type type, cpi_la_operand a, cpi_la_operand b, void *c, int64_t ldc,
                       int64_t next, int64_t batch, int m, int n, int k, bool assign, bool lower, const char *what)
{
    if (m <= 0 || n <= 0 || k <= 0) return CP_OK;
    cp_code code = CP_OK;
    cpi_la_way way = cpi_la_way_of();
    double work = (double)m * n * k;
    if (way != CPI_LA_OWN && work >= (way == CPI_LA_LIBRARY ? 32768.0 : 1e9) && batch < 16 && m > 1 && n > 1 &&
        cpi_la_library_product(stream, type, &a, &b, c, ldc, next, batch, m, n, k, assign, &code, what))
        return code;
    return cpi_la_with(type, [&](auto t) {
        typedef decltype(t) T;
        unsigned high = (unsigned)cpi_ceil_div(m, 64); /* as many as a grid may have, one launch each */
        for (unsigned y = 0; y < high; y += 65535) {
            unsigned rows = high - y < 65535 ? high - y : 65535;
            int64_t i = (int64_t)y * 64;
            const dim3 grid(cpi_ceil_div(n, 64), rows, cpi_la_blocks(batch, 65535));
            la::subtract_product<T><<<grid, 256, 0, cpi_cuda_stream(stream)>>>(
                operand_of<T>(a, i), operand_of<T>(b), (T *)c + i * ldc, ldc, next, batch, (int)(m - i), n, k, assign,
                lower && !y);
        }
        return CPI_LAUNCHED(stream, what);
    });
}

cp_code cpi_la_triangle(cp_stream *stream, cp_type type, cpi_la_operand a, bool lower, bool unit, void *x, int64_t ldx,
                        int64_t next, int64_t batch, int n, int k, const char *what)
{
    cp_code code = CP_OK;
    int64_t size = (int64_t)cpi_la_size(type);
    auto rows = [&](int i) { return (char *)x + i * ldx * size; };
    auto right = [&](int i) { return cpi_la_operand{rows(i), ldx, 1, next, false}; };
    int outers = cpi_ceil_div(n, OUTER);
    for (int o = 0; o < outers && !code; o++) {
        int begin = (lower ? o : outers - 1 - o) * OUTER, end = begin + OUTER < n ? begin + OUTER : n;
        int steps = cpi_ceil_div(end - begin, STEP);
        for (int s = 0; s < steps && !code; s++) {
            int j = begin + (lower ? s : steps - 1 - s) * STEP, nb = end - j < STEP ? end - j : STEP;
            code = cpi_la_with(type, [&](auto t) {
                typedef decltype(t) T;
                const dim3 grid(cpi_ceil_div(k, 32), cpi_la_blocks(batch, 65535));
                la::triangle_step<T><<<grid, 512, 0, cpi_cuda_stream(stream)>>>(
                    operand_of<T>(a, j, j), (T *)rows(j), ldx, next, batch, nb, k, lower, unit);
                return CPI_LAUNCHED(stream, what);
            });
            int first = lower ? j + nb : begin, last = lower ? end : j;
            if (!code)
                code = cpi_la_product(stream, type, part(a, type, first, j), right(j), rows(first), ldx, next, batch,
                                      last - first, k, nb, false, false, what);
        }
        int first = lower ? end : 0, last = lower ? n : begin;
        if (!code)
            code = cpi_la_product(stream, type, part(a, type, first, begin), right(begin), rows(first), ldx, next,
                                  batch, last - first, k, end - begin, false, false, what);
    }
    return code;
}

cp_code cpi_la_transpose(cp_stream *stream, cp_type type, const void *x, void *y, int64_t batch, int m, int n,
                         bool conjugate, const char *what)
{
    return cpi_la_with(type, [&](auto t) {
        typedef decltype(t) T;
        int64_t all = (int64_t)cpi_ceil_div(m, 32) * cpi_ceil_div(n, 32) * batch;
        la::transpose<T><<<cpi_la_blocks(all, 1 << 20), dim3(32, 8), 0, cpi_cuda_stream(stream)>>>(
            (const T *)x, n, (wide)m * n, (T *)y, m, (wide)m * n, batch, m, n, conjugate);
        return CPI_LAUNCHED(stream, what);
    });
}

cp_code cpi_linalg_cuda_triangular(cp_stream *stream, const cpi_linalg *v)
{
    cp_code code = cpi_la_fits(v);
    size_t size = cpi_la_size(v->type);
    int64_t n = v->n;
    if (!code && !v->unit) code = cpi_la_regular(stream, v, v->a, n + 1, n * n);
    if (!code)
        code = cpi_cuda_issued(stream, cudaMemcpyAsync(v->x, v->b, (size_t)(v->batch * n * v->k) * size,
                                                       cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)), v->function);
    if (code) return code;
    bool transposed = v->trans != CPI_TRANS_NONE;
    cpi_la_operand a = {v->a, transposed ? 1 : n, transposed ? n : 1, n * n, v->trans == CPI_TRANS_CONJUGATE};
    return cpi_la_triangle(stream, v->type, a, v->upper == transposed, v->unit, v->x, v->k, n * v->k, v->batch, (int)n,
                           (int)v->k, v->function);
}

/* --- Cholesky --- */

namespace {

template <class T> cp_code whole_cholesky(cp_stream *stream, const cpi_linalg *v, cpi_la_error t)
{
    int n = (int)v->n, ld = n | 1;
    int threads = n <= 24 ? 32 : cpi_la_threads((int64_t)n * n / 4);
    return cpi_la_by_teams(
        stream, la::cholesky_whole<T>, v->batch, (int64_t)n * ld * (int64_t)sizeof(T), threads, v->function,
        [&](wide first, wide end, unsigned grid, dim3 block, size_t shared, wide each, unsigned char *outside) {
            la::cholesky_whole<T><<<grid, block, shared, cpi_cuda_stream(stream)>>>(
                first, end, n, ld, v->upper, (const T *)v->a, (T *)v->x, each, outside, t.mailbox, t.number);
        });
}

template <class T> cp_code blocked_cholesky(cp_stream *stream, const cpi_linalg *v, cpi_la_error t)
{
    cpi_la_scratch scratch(stream);
    int n = (int)v->n;
    int64_t all = v->batch * n * n, square = (int64_t)n * n;
    T *w = scratch.get<T>(all + v->batch * n * STEP), *corners = w + all;
    if (!w) return CP_ERROR_MEMORY;
    cudaStream_t cs = cpi_cuda_stream(stream);
    cp_code code = CP_OK;
    if (v->upper) code = cpi_la_transpose(stream, v->type, v->a, w, v->batch, n, n, true, v->function);
    else
        code = cpi_cuda_issued(stream, cudaMemcpyAsync(w, v->a, (size_t)all * sizeof(T), cudaMemcpyDeviceToDevice, cs),
                               v->function);
    unsigned batches = cpi_la_blocks(v->batch, 65535);
    for (int j = 0; j < n && !code; j += STEP) {
        int nb = n - j < STEP ? n - j : STEP, rest = n - j - nb;
        la::cholesky_panel<T><<<dim3(rest ? cpi_ceil_div(rest, 64) : 1, batches), 512, 0, cs>>>(
            w, corners, v->batch, n, j, nb, t.mailbox, t.number);
        code = CPI_LAUNCHED(stream, v->function);
        const T *below = w + (int64_t)(j + nb) * n + j;
        if (!code)
            code = cpi_la_product(stream, v->type, {below, n, 1, square, false}, {below, 1, n, square, true},
                                  w + (int64_t)(j + nb) * (n + 1), n, square, v->batch, rest, rest, nb, false, true,
                                  v->function);
    }
    if (code) return code;
    la::cholesky_finish<T><<<dim3(cpi_ceil_div(n, 32), cpi_ceil_div(n, 32), batches), dim3(32, 8), 0, cs>>>(
        w, corners, (T *)v->x, v->batch, n, v->upper);
    return CPI_LAUNCHED(stream, v->function);
}

/* x = the triangle of a that a library's Cholesky left, in columns; the rest zeros. */
template <class T> __global__ void keep_triangle(T *x, wide batch, int n, int upper)
{
    for (wide at = blockIdx.x; at < batch * n; at += gridDim.x) {
        int i = (int)(at % n);
        for (int c = (int)threadIdx.x; c < n; c += (int)blockDim.x)
            if (upper ? c < i : c > i) x[at * n + c] = la::number<T>(0);
    }
}

/* In columns U is already L of the conjugate; L is turned there and back, which costs less than potrf for the upper
 * triangle does: ms on an H200, float64 2048, 0.93 against 2.12. */
cp_code library_cholesky(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_scratch scratch(stream);
    int n = (int)v->n;
    size_t bytes = (size_t)(v->batch * n * n) * cpi_la_size(v->type);
    void *w = v->upper ? v->x : scratch.get<char>((int64_t)bytes);
    if (!w) return CP_ERROR_MEMORY;
    cp_code code = v->upper
                       ? cpi_cuda_issued(stream, cudaMemcpyAsync(w, v->a, bytes, cudaMemcpyDeviceToDevice,
                                                                 cpi_cuda_stream(stream)), v->function)
                       : cpi_la_transpose(stream, v->type, v->a, w, v->batch, n, n, false, v->function);
    if (!code) code = cpi_la_library_cholesky(stream, v, w);
    if (code || v->upper) return code;
    return cpi_la_transpose(stream, v->type, w, v->x, v->batch, n, n, false, v->function);
}

} // namespace

cp_code cpi_linalg_cuda_cholesky(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_error t;
    cp_code code = cpi_la_fits(v);
    if (!code) code = cpi_la_error_of(stream, v, CPI_LINALG_NOT_POSITIVE, &t);
    if (code) return code;
    int64_t n = v->n, bytes = n * (n | 1) * (int64_t)cpi_la_size(v->type);
    cpi_la_way way = cpi_la_way_of();
    bool library = way == CPI_LA_LIBRARY
                       ? n > 32
                       : way != CPI_LA_OWN && n > LIBRARY_CHOLESKY && v->batch <= (n > 1024 ? 8 : 2);
    if (library && cpi_la_library()) {
        code = library_cholesky(stream, v);
        return code ? code : cpi_la_with(v->type, [&](auto e) {
            typedef decltype(e) T;
            keep_triangle<T><<<cpi_la_blocks(v->batch * n, 1 << 20), 256, 0, cpi_cuda_stream(stream)>>>(
                (T *)v->x, v->batch, (int)n, v->upper);
            return CPI_LAUNCHED(stream, v->function);
        });
    }
    bool whole = bytes <= cpi_la_shared(stream) && (n <= WHOLE_CHOLESKY || v->batch > 16);
    return cpi_la_with(v->type, [&](auto e) {
        typedef decltype(e) T;
        return whole ? whole_cholesky<T>(stream, v, t) : blocked_cholesky<T>(stream, v, t);
    });
}
