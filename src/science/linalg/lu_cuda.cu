/* LU and what is made of it: systems, inverses, determinants.
 *
 * Matrices that lanes or a team can hold are one launch; up to 1024 rows stay in their places (implicit_cuda.cu); more
 * are cuSOLVER's. Where there is none, such are eliminated in place by panels: a panel of nb columns, what
 * it does to the columns beside it, and the product that is subtracted behind it. Within OUTER columns that happens at
 * once, for the columns behind them when all OUTER are there. The right-hand sides of a system lie beside the matrix,
 * so elimination has solved with L when it ends. */
#include "linalg/lu.cuh"

#include "linalg/cuda.h"

using la::wide;

namespace {

enum { WHOLE = 96, OUTER = 128, LARGE = 1024, FAR = 16 /* columns of panels in memory */ };

/* cuSOLVER's getrf and getrs beyond these rows; ms on an H200, float64, 2026-11-23, by implicit.cuh / panels / getrf:
 *  * solve 128: 0.173 / 0.249 / 0.255; 512: 1.01 / 1.26 / 1.11, complex 1.45 / - / 1.28; 1024: 2.79 / 3.14 / 2.55;
 * inv 128: 0.237 / 0.287 / 0.268; 512: 1.35 / 1.47 / 1.25; 1024: 3.72 / 3.76 / 2.88; det 512: 0.906 / 1.03 / 0.945,
 * float32 0.709 / 0.762 / 0.850, complex 1.20 / - / 1.08; 1024: 2.54 / 2.68 / 2.24 */
enum {
    LIBRARY_LU = 512,
    LIBRARY_MORE = 256, /* of inverses, and of complex numbers */
    LIBRARY_BATCH = 4, /* it takes one matrix after the other, ours all at once */
};
bool by_library(const cpi_linalg *v, bool inverse)
{
    cpi_la_way way = cpi_la_way_of();
    int64_t beyond = inverse || cpi_la_complex(v->type) ? LIBRARY_MORE : LIBRARY_LU;
    bool wanted = way == CPI_LA_LIBRARY ? v->n > 32
                                        : way != CPI_LA_OWN && v->n > beyond && v->batch <= LIBRARY_BATCH;
    return wanted && cpi_la_library();
}

/* w: batch matrices of m rows of n, of which the first `columns` columns are eliminated. */
struct elimination {
    cp_stream *stream;
    cp_type type;
    const char *what;
    int64_t batch;
    int m, n, columns;
    int *pivots, *moves;
};

/* The widest panel of `h` rows that a block's shared memory holds. 0: none. */
int panel_width(const elimination &e, int64_t h, int64_t size)
{
    for (int nb = 32; nb >= 4; nb /= 2)
        if (h * (nb | 1) * size + (h + nb) * 4 <= cpi_la_shared(e.stream)) return nb;
    return 0;
}

template <class T> cp_code panel(const elimination &e, T *w, int j, int nb)
{
    enum { NB = 128 / sizeof(T) };
    cudaStream_t cs = cpi_cuda_stream(e.stream);
    int h = e.m - j;
    int64_t bytes = cpi_round_up((int64_t)h * (nb | 1) * (int64_t)sizeof(T) + (int64_t)(h + nb) * 4, 16);
    if (h <= 1024 && nb == NB) {
        int threads = cpi_round_up(h, 32);
        la::lu_panel_of_rows<T, NB><<<(unsigned)e.batch, (unsigned)threads, 0, cs>>>(w, e.batch, e.m, e.n, j, e.pivots,
                                                                                    e.moves);
        return CPI_LAUNCHED(e.stream, e.what);
    }
    cpi_la_scratch scratch(e.stream);
    unsigned char *outside = nullptr;
    if (bytes > cpi_la_shared(e.stream)) {
        outside = scratch.get<unsigned char>(bytes * e.batch);
        if (!outside) return CP_ERROR_MEMORY;
    } else {
        cp_code code = cpi_cuda_allow(e.stream, la::lu_panel<T>, bytes, e.what);
        if (code) return code;
    }
    int threads = cpi_la_threads(h);
    la::lu_panel<T><<<(unsigned)e.batch, (unsigned)threads, outside ? 0 : (size_t)bytes, cs>>>(
        w, e.batch, e.m, e.n, j, nb, e.pivots, e.moves, outside, bytes);
    return CPI_LAUNCHED(e.stream, e.what);
}

template <class T> cp_code eliminate(const elimination &e, T *w)
{
    enum { NB = 128 / sizeof(T) };
    int r = e.m < e.columns ? e.m : e.columns, n = e.n, outer = r > LARGE ? OUTER : 0;
    int64_t square = (int64_t)e.m * n;
    cp_code code = CP_OK;
    auto at = [&](int i, int j) { return w + (int64_t)i * n + j; };
    for (int begin = 0, end; begin < r && !code; begin = end) {
        int width = panel_width(e, e.m - begin, sizeof(T));
        if (!width || e.m - begin <= 1024) width = e.m - begin <= 1024 ? (int)NB : (int)FAR;
        end = begin + (outer > width ? outer : width);
        if (end > r) end = r;
        for (int j = begin, nb; j < end && !code; j += nb) {
            nb = e.m - j <= 1024 ? NB : panel_width(e, e.m - j, sizeof(T));
            if (!nb) nb = FAR;
            if (nb > end - j) nb = end - j;
            code = panel(e, w, j, nb);
            int limit = outer ? end : n;
            if (code || n == nb) break;
            int tile = n - nb > 1024 ? 32 : 16;
            la::lu_beside<T><<<dim3((unsigned)cpi_ceil_div(n - nb, tile), cpi_la_blocks(e.batch, 65535)), 512,
                               (size_t)nb * tile * sizeof(T), cpi_cuda_stream(e.stream)>>>(
                w, e.batch, e.m, n, j, nb, limit, tile, e.pivots, e.moves);
            code = CPI_LAUNCHED(e.stream, e.what);
            if (!code)
                code = cpi_la_product(e.stream, e.type, {at(j + nb, j), n, 1, square, false},
                                      {at(j, j + nb), n, 1, square, false}, at(j + nb, j + nb), n, square, e.batch,
                                      e.m - j - nb, limit - j - nb, nb, false, false, e.what);
        }
        if (code || !outer || end >= n) continue;
        code = cpi_la_triangle(e.stream, e.type, {at(begin, begin), n, 1, square, false}, true, true, at(begin, end), n,
                               square, e.batch, end - begin, n - end, e.what);
        if (!code)
            code = cpi_la_product(e.stream, e.type, {at(end, begin), n, 1, square, false},
                                  {at(begin, end), n, 1, square, false}, at(end, end), n, square, e.batch, e.m - end,
                                  n - end, end - begin, false, false, e.what);
    }
    return code;
}

cp_code copy(cp_stream *stream, void *to, const void *from, int64_t count, cp_type type, const char *what)
{
    return cpi_cuda_issued(
        stream,
        cudaMemcpyAsync(to, from, (size_t)count * cpi_la_size(type), cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
        what);
}

/* The rows that exchanges lead to. */
cp_code rows_of(cp_stream *stream, const cpi_linalg *v, const int *pivots, int r, int m, int *rows, bool checked)
{
    cpi_la_error t = {nullptr, 0};
    cp_code code = checked ? CP_OK : cpi_la_error_of(stream, v, CPI_LINALG_PIVOTS, &t);
    if (code) return code;
    size_t shared = (size_t)m * 4 <= 45000 ? (size_t)m * 4 : 0;
    la::lu_rows<<<cpi_la_blocks(v->batch, 1 << 20), 128, shared, cpi_cuda_stream(stream)>>>(
        pivots, v->batch, r, m, shared != 0, rows, t.mailbox, t.number);
    return CPI_LAUNCHED(stream, v->function);
}

/* Whether one team takes the m x n matrix with k columns beside it. */
bool is_whole(cp_stream *stream, const cpi_linalg *v, int64_t m, int64_t n, int64_t k, int64_t *each)
{
    *each = m * ((n + k) | 1) * (int64_t)cpi_la_size(v->type) + (m + n) * 4;
    int64_t most = m > n ? m : n;
    return *each <= cpi_la_shared(stream) && (most <= 32 || (most <= WHOLE && k <= most) || v->batch > 64);
}

template <class T> cp_code whole(cp_stream *stream, const cpi_linalg *v, int task, int k, int64_t each, int error)
{
    cpi_la_error t = {nullptr, 0};
    cp_code code = error ? cpi_la_error_of(stream, v, error, &t) : CP_OK;
    if (code) return code;
    int m = (int)v->m, n = (int)v->n, ld = (n + k) | 1;
    bool small = m <= 24 && n + k <= 48;
    int threads = small ? 32 : cpi_la_threads((int64_t)m * (n + k) / 4);
    typedef la::real_of<T> R;
    return cpi_la_by_teams(
        stream, la::lu_whole<T>, v->batch, each, threads, v->function,
        [&](wide first, wide end, unsigned grid, dim3 block, size_t shared, wide each_team, unsigned char *outside) {
            la::lu_whole<T><<<grid, block, shared, cpi_cuda_stream(stream)>>>(
                task, first, end, m, n, k, ld, (const T *)v->a, (const T *)v->b, (T *)v->x, (T *)v->u, (R *)v->s,
                v->pivots, v->rows, each_team, outside, t.mailbox, t.number);
        });
}

} // namespace

cp_code cpi_la_regular(cp_stream *stream, const cpi_linalg *v, const void *a, int64_t stride, int64_t next)
{
    cpi_la_error t;
    cp_code code = cpi_la_error_of(stream, v, CPI_LINALG_SINGULAR, &t);
    return code ? code : cpi_la_with(v->type, [&](auto e) {
        typedef decltype(e) T;
        la::lu_regular<T><<<cpi_la_blocks(v->batch, 1 << 20), 256, 0, cpi_cuda_stream(stream)>>>(
            (const T *)a, v->batch, (int)v->n, stride, next, (T *)nullptr, 0, t.mailbox, t.number);
        return CPI_LAUNCHED(stream, v->function);
    });
}

cp_code cpi_linalg_cuda_lu(cp_stream *stream, const cpi_linalg *v)
{
    cp_code code = cpi_la_fits(v);
    int64_t each, r = v->m < v->n ? v->m : v->n;
    if (code) return code;
    if (is_whole(stream, v, v->m, v->n, 0, &each))
        return cpi_la_with(v->type, [&](auto e) { return whole<decltype(e)>(stream, v, la::LU_FACTORS, 0, each, 0); });
    if (v->m <= CPI_LA_IMPLICIT) return cpi_la_implicit_lu(stream, v);
    cpi_la_scratch moves(stream);
    elimination e = {stream, v->type, v->function, v->batch, (int)v->m, (int)v->n, (int)v->n, v->pivots,
                     moves.get<int>(v->batch * 64)};
    if (!e.moves) return CP_ERROR_MEMORY;
    code = copy(stream, v->x, v->a, v->batch * v->m * v->n, v->type, v->function);
    if (!code) code = cpi_la_with(v->type, [&](auto t) { return eliminate(e, (decltype(t) *)v->x); });
    if (!code && v->rows) code = rows_of(stream, v, v->pivots, (int)r, (int)v->m, v->rows, true);
    return code;
}

cp_code cpi_linalg_cuda_lu_solve(cp_stream *stream, const cpi_linalg *v)
{
    cp_code code = cpi_la_fits(v);
    int64_t n = v->n, k = v->k;
    bool transposed = v->trans != CPI_TRANS_NONE;
    cpi_la_scratch order(stream), work(stream);
    int *rows = code ? nullptr : order.get<int>(v->batch * n);
    if (!rows) return code ? code : CP_ERROR_MEMORY;
    code = rows_of(stream, v, v->pivots_in, (int)n, (int)n, rows, false);
    void *w = transposed ? work.get<char>(v->batch * n * k * (int64_t)cpi_la_size(v->type)) : v->x;
    if (!w) return CP_ERROR_MEMORY;
    auto permute = [&](const void *from, void *to) {
        return cpi_la_with(v->type, [&](auto e) {
            typedef decltype(e) T;
            const unsigned blocks = cpi_la_blocks(v->batch * n, 1 << 20);
            la::exchange_rows<T><<<blocks, k < 128 ? 32 : 256, 0, cpi_cuda_stream(stream)>>>(
                (const T *)from, (T *)to, rows, v->batch, (int)n, (int)k, transposed);
            return CPI_LAUNCHED(stream, v->function);
        });
    };
    auto solve = [&](bool lower, bool unit) {
        cpi_la_operand a = {v->a, transposed ? 1 : n, transposed ? n : 1, n * n, v->trans == CPI_TRANS_CONJUGATE};
        return cpi_la_triangle(stream, v->type, a, lower, unit, w, k, n * k, v->batch, (int)n, (int)k, v->function);
    };
    if (!code) code = transposed ? copy(stream, w, v->b, v->batch * n * k, v->type, v->function) : permute(v->b, w);
    if (!code) code = solve(true, !transposed); /* L, or U^T */
    if (!code) code = solve(false, transposed);
    return code || !transposed ? code : permute(w, v->x);
}

/* What the diagonals of factors, `stride` and `next` apart, say of systems: trouble, or quietly x all NaN. */
template <class T>
static cp_code judged(cp_stream *stream, const cpi_linalg *v, const void *factors, int64_t stride, int64_t next,
                      int64_t count)
{
    if (!v->quiet) return cpi_la_regular(stream, v, factors, stride, next);
    la::lu_regular<T><<<cpi_la_blocks(v->batch, 1 << 20), 256, 0, cpi_cuda_stream(stream)>>>(
        (const T *)factors, v->batch, (int)v->n, stride, next, (T *)v->x, count, nullptr, 0);
    return CPI_LAUNCHED(stream, v->function);
}

/* b = U^-1 L^-1 P of matrices a in columns, which become L and U. */
template <class T> static cp_code library_inverse(cp_stream *stream, const cpi_linalg *v, T *a, T *b)
{
    int64_t n = v->n, square = n * n;
    cpi_la_scratch pivot_rows(stream);
    int *pivots = pivot_rows.get<int>(v->batch * 2 * n), *rows = pivots + v->batch * n;
    cp_code code = pivots ? CP_OK : CP_ERROR_MEMORY;
    for (int64_t i = 0; i < v->batch && !code; i++)
        code = cpi_la_library_lu(stream, v, a + i * square, pivots + i * n, nullptr, 0);
    if (!code) code = rows_of(stream, v, pivots, (int)n, (int)n, rows, true);
    if (code) return code;
    la::exchanged_unit<T><<<cpi_la_blocks(v->batch * n, 1 << 20), 256, 0, cpi_cuda_stream(stream)>>>(
        b, rows, v->batch * n, (int)n);
    code = CPI_LAUNCHED(stream, v->function);
    for (int64_t i = 0; i < v->batch && !code; i++)
        code = cpi_la_library_triangles(stream, v, a + i * square, b + i * square, n);
    return code;
}

/* By getrf. An inverse needs no columns: A in rows is A^T there, P A^T = L U, and U^-1 L^-1 P the inverse in rows. That
 * by two triangles, which exchange no rows of a full matrix: ms on an H200, float64 2048, 7.11, by getrs 8.29. */
template <class T> static cp_code library_solve(cp_stream *stream, const cpi_linalg *v, bool inverse, int64_t k)
{
    int64_t n = v->n, square = n * n, side = n * k;
    bool transposed = !inverse && k > 1;
    cpi_la_scratch work(stream), sides(stream);
    T *a = work.get<T>(v->batch * square), *b = transposed ? sides.get<T>(v->batch * side) : (T *)v->x;
    if (!a || !b) return CP_ERROR_MEMORY;
    cp_code code = inverse ? copy(stream, a, v->a, v->batch * square, v->type, v->function)
                           : cpi_la_transpose(stream, v->type, v->a, a, v->batch, (int)n, (int)n, false, v->function);
    if (!code && inverse) code = library_inverse(stream, v, a, b);
    else if (!code) {
        code = transposed ? cpi_la_transpose(stream, v->type, v->b, b, v->batch, (int)n, (int)k, false, v->function)
                      : copy(stream, b, v->b, v->batch * side, v->type, v->function);
        for (int64_t i = 0; i < v->batch && !code; i++)
            code = cpi_la_library_lu(stream, v, a + i * square, nullptr, b + i * side, k);
    }
    if (!code && transposed)
        code = cpi_la_transpose(stream, v->type, b, v->x, v->batch, (int)k, (int)n, false, v->function);
    return code ? code : judged<T>(stream, v, a, n + 1, square, side);
}

/* X of A X = B, or the inverse. */
static cp_code solve(cp_stream *stream, const cpi_linalg *v, bool inverse)
{
    cp_code code = cpi_la_fits(v);
    int64_t each, n = v->n, k = inverse ? n : v->k;
    if (code) return code;
    if (cpi_la_has_batch(v)) return cpi_la_batch(stream, v);
    if (by_library(v, inverse))
        return cpi_la_with(v->type, [&](auto e) { return library_solve<decltype(e)>(stream, v, inverse, k); });
    if (is_whole(stream, v, n, n, k, &each))
        return cpi_la_with(v->type, [&](auto e) {
            return whole<decltype(e)>(stream, v, inverse ? la::LU_INVERSE : la::LU_SOLVE, (int)k, each,
                                      v->quiet ? 0 : CPI_LINALG_SINGULAR);
        });
    if (n <= CPI_LA_IMPLICIT) return cpi_la_implicit_solve(stream, v, k);
    cpi_la_scratch work(stream), moves(stream);
    int64_t columns = n + k, size = (int64_t)cpi_la_size(v->type);
    char *w = work.get<char>(v->batch * n * columns * size);
    int *more = moves.get<int>(v->batch * (64 + n));
    if (!w || !more) return CP_ERROR_MEMORY;
    elimination e = {stream, v->type, v->function, v->batch, (int)n, (int)columns, (int)n, more + v->batch * 64, more};
    return cpi_la_with(v->type, [&](auto t) {
        typedef decltype(t) T;
        cudaStream_t cs = cpi_cuda_stream(stream);
        unsigned all = cpi_la_blocks(v->batch * n, 1 << 20);
        la::beside<T><<<all, 256, 0, cs>>>((const T *)v->a, inverse ? nullptr : (const T *)v->b, (T *)w, v->batch,
                                           (int)n, (int)k);
        cp_code done = CPI_LAUNCHED(stream, v->function);
        if (!done) done = eliminate(e, (T *)w);
        if (!done)
            done = cpi_la_triangle(stream, v->type, {w, columns, 1, n * columns, false}, false, false, w + n * size,
                                   columns, n * columns, v->batch, (int)n, (int)k, v->function);
        if (done) return done;
        la::right_part<T><<<all, 256, 0, cs>>>((const T *)w, (T *)v->x, v->batch * n, (int)n, (int)k);
        done = CPI_LAUNCHED(stream, v->function);
        return done ? done : judged<T>(stream, v, w, columns + 1, n * columns, n * k);
    });
}

cp_code cpi_linalg_cuda_solve(cp_stream *stream, const cpi_linalg *v) { return solve(stream, v, false); }
cp_code cpi_linalg_cuda_inv(cp_stream *stream, const cpi_linalg *v) { return solve(stream, v, true); }

cp_code cpi_linalg_cuda_det(cp_stream *stream, const cpi_linalg *v)
{
    cp_code code = cpi_la_fits(v);
    int64_t each, n = v->n;
    if (code) return code;
    bool library = by_library(v, false);
    if (!library && is_whole(stream, v, n, n, 0, &each))
        return cpi_la_with(v->type,
                           [&](auto e) { return whole<decltype(e)>(stream, v, la::LU_DETERMINANT, 0, each, 0); });
    if (!library && n <= CPI_LA_IMPLICIT) return cpi_la_implicit_det(stream, v);
    cpi_la_scratch work(stream), moves(stream);
    char *w = work.get<char>(v->batch * n * n * (int64_t)cpi_la_size(v->type));
    int *more = moves.get<int>(v->batch * (64 + n)), *pivots = more + v->batch * 64;
    if (!w || !more) return CP_ERROR_MEMORY;
    elimination e = {stream, v->type, v->function, v->batch, (int)n, (int)n, (int)n, pivots, more};
    code = copy(stream, w, v->a, v->batch * n * n, v->type, v->function);
    for (int64_t i = 0; i < v->batch && library && !code; i++) /* of A^T, whose determinant is the same */
        code = cpi_la_library_lu(stream, v, w + i * n * n * (int64_t)cpi_la_size(v->type), pivots + i * n, nullptr, 0);
    return code ? code : cpi_la_with(v->type, [&](auto t) {
        typedef decltype(t) T;
        cp_code done = library ? CP_OK : eliminate(e, (T *)w);
        if (done) return done;
        la::lu_determinant<T><<<cpi_la_blocks(v->batch, 1 << 20), 32, 0, cpi_cuda_stream(stream)>>>(
            (const T *)w, pivots, v->batch, (int)n, (T *)v->x, (T *)v->u, (la::real_of<T> *)v->s);
        return CPI_LAUNCHED(stream, v->function);
    });
}
