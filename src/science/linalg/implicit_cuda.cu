/* LU whose rows stay where they are, and what is made of it. */
#include "linalg/implicit.cuh"
#include "linalg/lu.cuh"

#include "linalg/cuda.h"

namespace {

struct matrices {
    cp_stream *stream;
    int64_t batch;
    int m, columns, r;
    int *order, *pivots;
    const char *what;
};

template <class T, int NB, int THREADS> cp_code panel(const matrices &a, T *w, T *x, int j, int nb)
{
    unsigned threads = cpi_round_up((unsigned)(a.m - j), 32);
    la::implicit_panel<T, NB, THREADS><<<(unsigned)a.batch, threads, 0, cpi_cuda_stream(a.stream)>>>(
        w, x, a.batch, a.m, a.columns, j, nb, a.r, a.order, a.pivots);
    return CPI_LAUNCHED(a.stream, a.what);
}

/* A thread's row has 256 bytes where a block has at most 512 of them, else 128. */
template <class T> cp_code eliminate(const matrices &a, T *w, T *x, bool lower)
{
    enum { FEW = 256 / sizeof(T) < 32 ? 256 / sizeof(T) : 32, MANY = 128 / sizeof(T), ROWS = la::rows_of<T>::COUNT };
    cudaStream_t cs = cpi_cuda_stream(a.stream);
    for (int j = 0, nb; j < a.r; j += nb) {
        bool many = a.m - j > 512;
        nb = many ? (int)MANY : (int)FEW;
        if (nb > a.r - j) nb = a.r - j;
        cp_code code = many ? panel<T, MANY, 1024>(a, w, x, j, nb) : panel<T, FEW, 512>(a, w, x, j, nb);
        if (code) return code;
        int right = cpi_ceil_div(a.columns - j - nb, 32), left = lower ? cpi_ceil_div(j, 32) : 0;
        int down = cpi_ceil_div(a.m - j - nb, ROWS);
        if (!right && !left) continue;
        dim3 grid((unsigned)(right + left), (unsigned)(down ? down : 1), cpi_cuda_blocks(a.batch, 1, 65535));
        la::implicit_follow<T><<<grid, 256, 0, cs>>>(w, x, a.batch, a.m, a.columns, j, nb, right, a.order);
        code = CPI_LAUNCHED(a.stream, a.what);
        if (code) return code;
    }
    if (a.r == a.m || !lower) return CP_OK;
    la::implicit_rest<T><<<cpi_cuda_blocks(a.batch * (a.m - a.r), 1, 1 << 20), 128, 0, cs>>>(w, x, a.batch, a.m,
                                                                                           a.columns, a.r, a.order);
    return CPI_LAUNCHED(a.stream, a.what);
}

template <class T> cp_code copy(cp_stream *stream, T *to, const void *from, int64_t count, const char *what)
{
    return cpi_cuda_issued(stream, cudaMemcpyAsync(to, from, (size_t)count * sizeof(T), cudaMemcpyDeviceToDevice,
                                                   cpi_cuda_stream(stream)), what);
}

/* v->x (n x k, k <= FEW_SIDES) from the n columns of U and the k columns beside it, in rows of ldu. */
enum { FEW_SIDES = 4 };
template <class T> cp_code back(cp_stream *stream, const cpi_linalg *v, const T *u, int64_t ldu, int k)
{
    int n = (int)v->n;
    size_t shared = (size_t)n * (size_t)k * sizeof(T);
    cp_code code = cpi_cuda_allow(stream, la::implicit_back<T>, (int64_t)shared, v->function);
    if (code) return code;
    la::implicit_back<T><<<(unsigned)v->batch, 1024, shared, cpi_cuda_stream(stream)>>>(u, u + n, (T *)v->x, (int)ldu,
                                                                                       n * ldu, n, k);
    return CPI_LAUNCHED(stream, v->function);
}

/* [A | B] is eliminated, B NULL being the identity, and what came of B solved with U. */
template <class T> cp_code solve(cp_stream *stream, const cpi_linalg *v, int64_t k)
{
    cudaStream_t cs = cpi_cuda_stream(stream);
    int64_t n = v->n, columns = n + k, all = v->batch * n * columns;
    cpi_la_scratch work(stream), more(stream), pivot_rows(stream);
    T *w = work.get<T>(all), *x = more.get<T>(all);
    int *order = pivot_rows.get<int>(v->batch * 2 * n);
    if (!w || !x || !order) return CP_ERROR_MEMORY;
    unsigned rows = cpi_cuda_blocks(v->batch * n, 1, 1 << 20);
    la::beside<T><<<rows, 256, 0, cs>>>((const T *)v->a, (const T *)v->b, w, v->batch, (int)n, (int)k);
    cp_code code = CPI_LAUNCHED(stream, v->function);
    matrices a = {stream, v->batch, (int)n, (int)columns, (int)n, order, order + v->batch * n, v->function};
    if (!code) code = eliminate(a, w, x, false);
    if (!code && k <= FEW_SIDES) code = back(stream, v, x, columns, (int)k);
    else if (!code) {
        code = cpi_la_triangle(stream, v->type, {x, columns, 1, n * columns, false}, false, false, x + n, columns,
                               n * columns, v->batch, (int)n, (int)k, v->function);
        if (code) return code;
        la::right_part<T><<<rows, 256, 0, cs>>>(x, (T *)v->x, v->batch * n, (int)n, (int)k);
        code = CPI_LAUNCHED(stream, v->function);
    }
    if (code || !v->quiet) return code ? code : cpi_la_regular(stream, v, x, columns + 1, n * columns);
    la::lu_regular<T><<<cpi_cuda_blocks(v->batch, 1, 1 << 20), 256, 0, cs>>>(
        x, v->batch, (int)n, columns + 1, n * columns, (T *)v->x, n * k, nullptr, 0);
    return CPI_LAUNCHED(stream, v->function);
}

} // namespace

cp_code cpi_la_implicit_solve(cp_stream *stream, const cpi_linalg *v, int64_t k)
{
    return cpi_la_with(v->type, [&](auto t) { return solve<decltype(t)>(stream, v, k); });
}

cp_code cpi_la_implicit_lu(cp_stream *stream, const cpi_linalg *v)
{
    return cpi_la_with(v->type, [&](auto t) {
        typedef decltype(t) T;
        int m = (int)v->m, n = (int)v->n;
        cpi_la_scratch work(stream), pivot_rows(stream);
        T *w = work.get<T>(v->batch * m * n);
        int *order = v->rows ? v->rows : pivot_rows.get<int>(v->batch * m);
        if (!w || !order) return CP_ERROR_MEMORY;
        matrices a = {stream, v->batch, m, n, m < n ? m : n, order, v->pivots, v->function};
        cp_code code = copy(stream, w, v->a, v->batch * m * n, v->function);
        return code ? code : eliminate(a, w, (T *)v->x, true);
    });
}

cp_code cpi_la_implicit_det(cp_stream *stream, const cpi_linalg *v)
{
    return cpi_la_with(v->type, [&](auto t) {
        typedef decltype(t) T;
        int n = (int)v->n;
        int64_t all = v->batch * n * n;
        cpi_la_scratch work(stream), more(stream), pivot_rows(stream);
        T *w = work.get<T>(all), *x = more.get<T>(all);
        int *order = pivot_rows.get<int>(v->batch * 2 * n);
        if (!w || !x || !order) return CP_ERROR_MEMORY;
        matrices a = {stream, v->batch, n, n, n, order, order + v->batch * n, v->function};
        cp_code code = copy(stream, w, v->a, all, v->function);
        if (!code) code = eliminate(a, w, x, false);
        if (code) return code;
        la::lu_determinant<T><<<cpi_cuda_blocks(v->batch, 1, 1 << 20), 32, 0, cpi_cuda_stream(stream)>>>(
            x, a.pivots, v->batch, n, (T *)v->x, (T *)v->u, (la::real_of<T> *)v->s);
        return CPI_LAUNCHED(stream, v->function);
    });
}
