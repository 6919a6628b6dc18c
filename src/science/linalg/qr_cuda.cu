/* QR: one launch where a team holds the matrix; up to 1024 rows by blocks of reflections (wy_cuda.cu); longer columns
 * are cuSOLVER's. Where there is none, or too little shared memory: panels of 32 columns, fewer where they are long,
 * and what they do to the columns behind them; Q by all reflections at once, a warp a column.
 *
 * Matrices are worked on in columns: the transpose of what comes in, which is what `raw` gives back. */
#include "linalg/qr.cuh"

#include "linalg/cuda.h"

using la::wide;

namespace {

typedef cpi_la_qr_wanted wanted;

enum { WHOLE = 96 };

/* geqrf and orgqr from LIBRARY_QR columns on, for one matrix and another for each LIBRARY_MORE rows: it takes one after
 * the other. ms on an H200, float64, 2026-11-23, by blocks / panels / theirs: 64: 0.085 / 0.292 / 0.214; 128: 0.192 /
 * 0.714 / 0.535; 512: 0.962 / 4.51 / 1.88; 1024: 3.29 / 19.0 / 4.60; 2048: - / 85.3 / 11.1 */
enum { LIBRARY_QR = 64, LIBRARY_MORE = 256 };

/* Elements of a column that a lane holds, of panels of 32 columns and where columns are longer. */
template <class T> struct each_of { enum { NARROW = 128 / sizeof(T), TALL = sizeof(T) == 16 ? 32 : 64 }; };

template <class T> int64_t bytes_of(const cpi_linalg *v, wanted w)
{
    int64_t ld = v->m | 1, r = v->m < v->n ? v->m : v->n;
    return (ld * v->n + r + ld * w.columns) * (int64_t)sizeof(T);
}

template <class T> cp_code whole(cp_stream *stream, const cpi_linalg *v, wanted w)
{
    int m = (int)v->m, n = (int)v->n;
    int threads = m <= 16 && n <= 16 ? 32 : cpi_la_threads((int64_t)n * (m < 32 ? m : 32));
    return cpi_la_by_teams(
        stream, la::qr_whole<T>, v->batch, bytes_of<T>(v, w), threads, v->function,
        [&](wide first, wide end, unsigned grid, dim3 block, size_t shared, wide each, unsigned char *outside) {
            la::qr_whole<T><<<grid, block, shared, cpi_cuda_stream(stream)>>>(
                first, end, m, n, w.rows, w.columns, w.raw, (const T *)v->a, (T *)v->x, (T *)v->u, (T *)v->s, each,
                outside);
        });
}

/* Columns of a panel that begins in row j. */
template <class T> int panel_width(cp_stream *stream, int h)
{
    if (h <= 32 * each_of<T>::NARROW) return 32;
    int nb = 32;
    while (nb > 1 && (int64_t)h * nb * (int64_t)sizeof(T) > cpi_la_shared(stream)) nb /= 2;
    return nb > 16 ? 16 : nb;
}

template <class T> cp_code panel(cp_stream *stream, const cpi_linalg *v, T *a, T *taus, int j, int nb)
{
    enum { EACH = each_of<T>::NARROW };
    cudaStream_t cs = cpi_cuda_stream(stream);
    int m = (int)v->m, n = (int)v->n, h = m - j;
    bool narrow = h <= 32 * EACH;
    size_t bytes = (size_t)(narrow ? 2 : nb) * (size_t)h * sizeof(T);
    cp_code code = narrow ? cpi_cuda_allow(stream, la::qr_panel<T, EACH>, bytes, v->function)
                          : cpi_cuda_allow(stream, la::qr_panel_shared<T>, bytes, v->function);
    if (code) return code;
    unsigned threads = (unsigned)(32 * nb);
    if (narrow) la::qr_panel<T, EACH><<<(unsigned)v->batch, threads, bytes, cs>>>(a, taus, v->batch, m, n, j);
    else la::qr_panel_shared<T><<<(unsigned)v->batch, threads, bytes, cs>>>(a, taus, v->batch, m, n, j, nb);
    return CPI_LAUNCHED(stream, v->function);
}

/* Few columns in a block while there are fewer than the device has room for. */
unsigned warps_of(cp_stream *stream, int64_t columns)
{
    return columns > 4 * cpi_cuda_units(stream) ? 8 : columns > 2 * cpi_cuda_units(stream) ? 4 : 2;
}

template <class T, int EACH>
cp_code reflect(cp_stream *stream, const cpi_linalg *v, const T *a, const T *taus, int j0, int j1, bool forward, T *x,
                int64_t next, int c0, int c1)
{
    if (c0 >= c1) return CP_OK;
    unsigned warps = warps_of(stream, (int64_t)(c1 - c0) * v->batch);
    la::qr_reflect<T, EACH>
        <<<dim3((unsigned)(c1 - c0 + (int)warps - 1) / warps, cpi_la_blocks(v->batch, 65535)), 32 * warps, 0,
           cpi_cuda_stream(stream)>>>(a, taus, v->batch, (int)v->m, (int)v->n, j0, j1, forward, x, next, c0, c1);
    return CPI_LAUNCHED(stream, v->function);
}

/* a: in columns; q (columns of m), taus. */
template <class T> cp_code by_panels(cp_stream *stream, const cpi_linalg *v, wanted w, T *a, T *taus, T *q)
{
    typedef each_of<T> E;
    int m = (int)v->m, n = (int)v->n, r = m < n ? m : n;
    cp_code code = CP_OK;
    for (int j = 0, nb; j < r && !code; j += nb) {
        bool narrow = m - j <= 32 * E::NARROW;
        nb = panel_width<T>(stream, m - j);
        if (nb > r - j) nb = r - j;
        code = panel<T>(stream, v, a, taus, j, nb);
        if (code) return code;
        int64_t next = (int64_t)m * n;
        code = narrow ? reflect<T, E::NARROW>(stream, v, a, taus, j, j + nb, true, a, next, j + nb, n)
                      : reflect<T, E::TALL>(stream, v, a, taus, j, j + nb, true, a, next, j + nb, n);
    }
    int64_t next = (int64_t)m * w.columns;
    if (!code && w.columns)
        code = m <= 32 * E::NARROW ? reflect<T, E::NARROW>(stream, v, a, taus, 0, r, false, q, next, 0, w.columns)
                                   : reflect<T, E::TALL>(stream, v, a, taus, 0, r, false, q, next, 0, w.columns);
    return code;
}

template <class T> cp_code large(cp_stream *stream, const cpi_linalg *v, wanted w, bool library)
{
    int m = (int)v->m, n = (int)v->n, r = m < n ? m : n;
    int64_t next = v->m * v->n;
    cpi_la_scratch work(stream), more(stream), made(stream);
    T *a = w.raw ? (T *)v->x : work.get<T>(v->batch * next), *taus = w.raw ? (T *)v->s : more.get<T>(v->batch * r);
    T *q = w.columns ? made.get<T>(v->batch * m * w.columns) : nullptr;
    if (!a || !taus || (w.columns && !q)) return CP_ERROR_MEMORY;
    cp_code code = cpi_la_transpose(stream, v->type, v->a, a, v->batch, m, n, false, v->function);
    if (!code && library)
        for (int64_t i = 0; i < v->batch && !code; i++)
            code = cpi_la_library_qr(stream, v, a + i * next, taus + i * r, q ? q + i * m * w.columns : nullptr,
                                     w.columns);
    else if (!code) code = by_panels<T>(stream, v, w, a, taus, q);
    if (code || w.raw) return code;
    int64_t all = (int64_t)cpi_ceil_div(w.rows, 32) * cpi_ceil_div(n, 32) * v->batch;
    la::qr_upper<T><<<cpi_la_blocks(all, 1 << 20), dim3(32, 8), 0, cpi_cuda_stream(stream)>>>(
        a, (T *)v->x, v->batch, m, n, w.rows);
    code = CPI_LAUNCHED(stream, v->function);
    return code || !q ? code : cpi_la_transpose(stream, v->type, q, v->u, v->batch, w.columns, m, false, v->function);
}

} // namespace

cp_code cpi_linalg_cuda_qr(cp_stream *stream, const cpi_linalg *v)
{
    cp_code code = cpi_la_fits(v);
    if (code) return code;
    wanted w = cpi_la_qr_wanted_of(v);
    cpi_la_way way = cpi_la_way_of();
    bool theirs = way == CPI_LA_LIBRARY && cpi_la_library();
    if (!theirs && cpi_la_has_reflections(stream, v)) return cpi_la_reflections(stream, v);
    return cpi_la_with(v->type, [&](auto t) {
        typedef decltype(t) T;
        int64_t bytes = bytes_of<T>(v, w), most = v->m > v->n ? v->m : v->n;
        bool fits = bytes <= cpi_la_shared(stream), panels = v->m <= 32 * each_of<T>::TALL;
        int64_t least = v->m < v->n ? v->m : v->n, some = least / LIBRARY_MORE > 1 ? least / LIBRARY_MORE : 1;
        bool library = way == CPI_LA_LIBRARY ? most > 32
                                             : way == CPI_LA_BEST && least >= LIBRARY_QR && v->batch <= some;
        if (library && cpi_la_library()) return large<T>(stream, v, w, true);
        if (fits && (most <= WHOLE || v->batch > 64 || !panels)) return whole<T>(stream, v, w);
        if (panels) return large<T>(stream, v, w, false);
        return way != CPI_LA_OWN && cpi_la_library() ? large<T>(stream, v, w, true) : whole<T>(stream, v, w);
    });
}
