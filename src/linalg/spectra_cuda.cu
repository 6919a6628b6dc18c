/* Singular values and eigenvalues of Hermitian matrices.
 *
 * What a team can hold is rotated by one block (jacobi.cuh). Larger singular value problems are made square by QR, and
 * their columns are rotated in bands by many blocks, a launch a round: the host does not learn when they are
 * orthogonal, so it gives all rounds there may be, which end at once when a sweep has found nothing to do. Larger
 * Hermitian matrices are cuSOLVER's. */
#include "linalg/jacobi.cuh"

#include "linalg/cuda.h"

using la::wide;

namespace {

/* Beyond WHOLE the bands of columns serve where there is no cuSOLVER: they are faster up to some 700 rows (128: 3.2 and
 * 7.7 ms), but of matrices whose singular values lie far apart (256 rows, 6 decades) they leave vectors oblique. */
enum { WHOLE = 96, ROUNDS_OF = 24 /* sweeps at most */ };

/* ms on an H200, float64, 2026-11-23, ours / cuSOLVER's: */
enum {
    LIBRARY_EIGH = 32,  /* beyond these; 64: 1.24 / 0.716; 128: 43.3 / 1.56 */
    LIBRARY_EIGHS = 16, /* many in one call, from these on; 10000 of 8: 0.194 / 0.40; 1000 of 16: 0.165 / 0.133; of 32:
                           1.51 / 0.674 */
    TOGETHER = 1 << 26, /* elements of one call */
    FAR_EIGHS = 256,    /* and up to these: beyond them one after the other fills the device */
};

unsigned blocks_of(int64_t n, int64_t most) { return cpi_cuda_blocks(n, 1, most); }

template <class T> int64_t svd_bytes(const cpi_linalg *v)
{
    int64_t p = v->m > v->n ? v->m : v->n, r = v->m > v->n ? v->n : v->m, ld = p | 1, columns = v->full ? p : r;
    int64_t numbers = ld * columns + (v->u ? (r | 1) * r + ld * r + r : 0);
    return numbers * (int64_t)sizeof(T) + r * (int64_t)sizeof(la::real_of<T>) + (r + 1) * 4;
}

template <class T> cp_code whole_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t)
{
    int m = (int)v->m, n = (int)v->n, p = m > n ? m : n, r = m > n ? n : m;
    int lanes = 32;
    while (lanes > 1 && lanes / 2 >= p) lanes /= 2;
    typedef la::real_of<T> R;
    return cpi_la_by_teams(
        stream, la::svd_whole<T>, v->batch, svd_bytes<T>(v), cpi_la_threads((int64_t)((r + 1) / 2) * lanes),
        v->function,
        [&](wide first, wide end, unsigned grid, dim3 block, size_t shared, wide each, unsigned char *outside) {
            la::svd_whole<T><<<grid, block, shared, cpi_cuda_stream(stream)>>>(
                first, end, m, n, v->full ? p : r, (const T *)v->a, (T *)v->u, (R *)v->s, (T *)v->vt, each, outside,
                t.mailbox, t.number);
        });
}

/* Columns of a band, two of which a block's shared memory holds; 0: not one. */
int band_of(cp_stream *stream, int64_t r, int64_t bytes)
{
    int band = 8;
    while (band && 2 * band * r * bytes > cpi_la_shared(stream)) band /= 2;
    return band;
}

/* a (r x r) = U S V^H for matrices in rows; u, vt NULL: values alone. */
template <class T>
cp_code square_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t, const T *a, wide batch, int r, T *u,
                   la::real_of<T> *s, T *vt)
{
    typedef la::real_of<T> R;
    cudaStream_t cs = cpi_cuda_stream(stream);
    cpi_la_scratch numbers(stream), reals(stream), integers(stream);
    int64_t all = batch * r * r, some = batch * r, flags = batch * (la::SWEEPS + 1);
    int band = band_of(stream, r, (u ? 2 : 1) * (int64_t)sizeof(T)), bands = (r + band - 1) / band;
    bands += bands % 2;
    if (bands < 2) bands = 2;
    T *w = numbers.get<T>((u ? 3 : 1) * all + some), *turns = u ? w + all : nullptr, *copy = u ? w + 2 * all : nullptr;
    R *sizes = reals.get<R>(some);
    int *order = integers.get<int>(some + flags + batch), *moved = order + some, *exponents = moved + flags;
    if (!w || !sizes || !order) return CP_ERROR_MEMORY;
    T *taus = w + (u ? 3 : 1) * all;
    cudaError_t status = cudaMemsetAsync(moved, 0, (size_t)flags * 4, cs);
    size_t shared = (size_t)2 * band * r * (u ? 2 : 1) * sizeof(T);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute((const void *)la::svd_round<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      (int)shared);
    if (status != cudaSuccess) return cpi_cuda_check(stream, status, v->function);
    la::svd_begin<T><<<blocks_of(batch, 1 << 20), 1024, 0, cs>>>(a, w, turns, batch, r, exponents, t.mailbox, t.number);
    cp_code code = CPI_LAUNCHED(stream, v->function);
    for (int sweep = 0; sweep < ROUNDS_OF && !code; sweep++) {
        for (int k = 0; k < bands - 1; k++)
            la::svd_round<T><<<dim3((unsigned)bands / 2, blocks_of(batch, 65535)), 32 * (unsigned)band, shared, cs>>>(
                w, turns, batch, r, band, bands, k, sweep, moved);
        code = CPI_LAUNCHED(stream, v->function);
    }
    if (code) return code;
    la::svd_end<T>
        <<<blocks_of(batch, 1 << 20), 1024, 0, cs>>>(w, turns, batch, r, copy, taus, sizes, order, exponents, u, s, vt);
    return CPI_LAUNCHED(stream, v->function);
}

/* One matrix with m != n: A, or where it is wide A^T, = Q R, and R is square. */
template <class T> cp_code tall_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t, int64_t matrix)
{
    typedef la::real_of<T> R;
    bool flip = v->m < v->n;
    int p = (int)(flip ? v->n : v->m), r = (int)(flip ? v->m : v->n), columns = v->full ? p : r;
    int64_t square = (int64_t)r * r, size = (int64_t)p * r, big = (int64_t)p * columns;
    const T *a = (const T *)v->a + matrix * size;
    cpi_la_scratch one(stream), two(stream), three(stream), four(stream);
    T *turned = flip ? one.get<T>(size) : nullptr, *rest = two.get<T>((int64_t)columns * r + 2 * square);
    T *q = v->u ? three.get<T>(2 * big) : nullptr, *left = rest + (int64_t)columns * r, *right = left + square;
    if ((flip && !turned) || !rest || (v->u && !q)) return CP_ERROR_MEMORY;
    cp_code code = flip ? cpi_la_transpose(stream, v->type, a, turned, 1, r, p, false, v->function) : CP_OK;
    cpi_linalg f = {};
    f.function = v->function, f.type = v->type, f.batch = 1, f.m = p, f.n = r;
    f.mode = !v->u ? CPI_QR_R : v->full ? CPI_QR_COMPLETE : CPI_QR_REDUCED;
    f.a = flip ? turned : a, f.x = rest, f.u = q;
    if (!code) code = cpi_la_qr(stream, &f);
    T *u = v->u ? (T *)v->u + matrix * (flip ? square : big) : nullptr;
    T *vt = v->u ? (T *)v->vt + matrix * (flip ? big : square) : nullptr;
    if (!code)
        code = square_svd<T>(stream, v, t, rest, 1, r, !v->u ? nullptr : left, (R *)v->s + matrix * r,
                             !v->u ? nullptr : flip ? right : vt);
    if (code || !v->u) return code;
    T *tall = flip ? q + big : u; /* Q diag(left, 1) */
    cudaError_t status = cudaMemcpyAsync(tall, q, (size_t)big * sizeof(T), cudaMemcpyDeviceToDevice,
                                         cpi_cuda_stream(stream));
    code = cpi_cuda_issued(stream, status, v->function);
    if (!code)
        code = cpi_la_product(stream, v->type, {q, columns, 1, big, false}, {left, r, 1, square, false}, tall, columns,
                              big, 1, p, r, r, true, false, v->function);
    if (code || !flip) return code;
    code = cpi_la_transpose(stream, v->type, tall, vt, 1, p, columns, false, v->function);
    return code ? code : cpi_la_transpose(stream, v->type, right, u, 1, r, r, false, v->function);
}

/* Trouble where what is read, one triangle or all, is not finite: loops that may not end do not get it, but zeros. */
enum which { LOWER, UPPER, ALL };
template <class T>
__global__ void only_finite(T *a, wide rows, int n, int part, unsigned *mailbox, unsigned trouble)
{
    for (wide at = blockIdx.x; at < rows; at += gridDim.x) {
        int i = (int)(at % n);
        for (int c = (int)threadIdx.x; c < n; c += (int)blockDim.x) {
            if (part != ALL && (part == UPPER ? c < i : c > i)) continue;
            if (la::finite_size(a[at * n + c]) < (la::real_of<T>)INFINITY) continue;
            a[at * n + c] = la::number<T>(0);
            *mailbox = trouble;
        }
    }
}

/* By gesvd, for matrices in columns with m >= n: A, or where it is wide A^T in rows as it lies, which is A in columns
 * turned: A^T = U' S V'^H, A = conj(V') S U'^T. */
template <class T> cp_code library_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t)
{
    typedef la::real_of<T> R;
    bool flip = v->m < v->n;
    int64_t p = flip ? v->n : v->m, r = flip ? v->m : v->n, columns = v->full ? p : r, size = p * r;
    cpi_la_scratch one(stream), two(stream);
    T *a = one.get<T>(size), *u = v->u ? two.get<T>(p * columns + r * r) : nullptr, *vt = u ? u + p * columns : nullptr;
    if (!a || (v->u && !u)) return CP_ERROR_MEMORY;
    cp_code code = CP_OK;
    for (int64_t i = 0; i < v->batch && !code; i++) {
        const T *from = (const T *)v->a + i * size;
        T *to = v->u ? (T *)v->u + i * v->m * (flip ? v->m : columns) : nullptr;
        T *other = v->u ? (T *)v->vt + i * v->n * (flip ? columns : v->n) : nullptr;
        if (flip)
            code = cpi_cuda_issued(stream, cudaMemcpyAsync(a, from, (size_t)size * sizeof(T), cudaMemcpyDeviceToDevice,
                                                           cpi_cuda_stream(stream)), v->function);
        else code = cpi_la_transpose(stream, v->type, from, a, 1, (int)p, (int)r, false, v->function);
        if (!code) {
            only_finite<T><<<blocks_of(r, 1 << 20), 256, 0, cpi_cuda_stream(stream)>>>(a, r, (int)p, ALL, t.mailbox,
                                                                                      t.number);
            code = CPI_LAUNCHED(stream, v->function);
        }
        if (!code) code = cpi_la_library_svd(stream, v, a, p, r, u, columns, (R *)v->s + i * r, vt);
        if (code || !u) continue;
        if (flip) { /* U'^T lies in rows where U' lies in columns; V'^H in columns is conj(V') in rows */
            code = cpi_cuda_issued(stream,
                                   cudaMemcpyAsync(other, u, (size_t)(p * columns) * sizeof(T),
                                                   cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                                   v->function);
            if (!code)
                code = cpi_cuda_issued(stream, cudaMemcpyAsync(to, vt, (size_t)(r * r) * sizeof(T),
                                                               cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                                       v->function);
        } else {
            code = cpi_la_transpose(stream, v->type, u, to, 1, (int)columns, (int)p, false, v->function);
            if (!code) code = cpi_la_transpose(stream, v->type, vt, other, 1, (int)r, (int)r, false, v->function);
        }
    }
    return code;
}

} // namespace

cp_code cpi_la_svd(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_trouble t;
    cp_code code = cpi_la_fits(v);
    if (!code) code = cpi_la_trouble_of(stream, v, CPI_LINALG_SVD, &t);
    if (code) return code;
    cpi_la_way way = cpi_la_way_of();
    return cpi_la_with(v->type, [&](auto e) {
        typedef decltype(e) T;
        int64_t p = v->m > v->n ? v->m : v->n, r = v->m > v->n ? v->n : v->m;
        bool fits = svd_bytes<T>(v) <= cpi_la_shared(stream);
        if (way == CPI_LA_LIBRARY && r > 32 && cpi_la_library()) return library_svd<T>(stream, v, t);
        if (r == 1 || (fits && (p <= WHOLE || v->batch > 64))) return whole_svd<T>(stream, v, t);
        bool bands = band_of(stream, r, (v->u ? 2 : 1) * (int64_t)sizeof(T)) > 0;
        if (cpi_la_library()) return library_svd<T>(stream, v, t);
        if (!bands) return whole_svd<T>(stream, v, t);
        if (p == r)
            return square_svd<T>(stream, v, t, (const T *)v->a, v->batch, (int)r, (T *)v->u, (la::real_of<T> *)v->s,
                                 (T *)v->vt);
        cp_code done = CP_OK;
        for (int64_t i = 0; i < v->batch && !done; i++) done = tall_svd<T>(stream, v, t, i);
        return done;
    });
}

/* --- Hermitian matrices --- */

namespace {

template <class T> int64_t eigh_bytes(const cpi_linalg *v)
{
    int64_t n = v->n, ld = n | 1;
    return (v->u ? 2 : 1) * n * ld * (int64_t)sizeof(T) + (n + 1) / 2 * (int64_t)sizeof(la::rotation<T>) + (n + 1) * 4;
}

template <class T> cp_code whole_eigh(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t)
{
    int n = (int)v->n;
    typedef la::real_of<T> R;
    return cpi_la_by_teams(
        stream, la::eigh_whole<T>, v->batch, eigh_bytes<T>(v), n <= 12 ? 32 : cpi_la_threads((int64_t)n * n / 2),
        v->function,
        [&](wide first, wide end, unsigned grid, dim3 block, size_t shared, wide each, unsigned char *outside) {
            la::eigh_whole<T><<<grid, block, shared, cpi_cuda_stream(stream)>>>(
                first, end, n, v->upper, (const T *)v->a, (T *)v->u, (R *)v->s, each, outside, t.mailbox, t.number);
        });
}

/* In columns A's memory is conj(A), and its other triangle: so are the vectors conjugated. */
template <class T> cp_code library_eigh(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t, bool together)
{
    cpi_la_scratch work(stream);
    int n = (int)v->n;
    T *a = work.get<T>(v->batch * n * n);
    if (!a) return CP_ERROR_MEMORY;
    cudaStream_t cs = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_issued(stream, cudaMemcpyAsync(a, v->a, (size_t)(v->batch * n * n) * sizeof(T),
                                                           cudaMemcpyDeviceToDevice, cs), v->function);
    if (code) return code;
    only_finite<T><<<blocks_of(v->batch * n, 1 << 20), 256, 0, cs>>>(a, v->batch * n, n, v->upper ? UPPER : LOWER,
                                                                      t.mailbox, t.number);
    code = CPI_LAUNCHED(stream, v->function);
    if (!together && !code) code = cpi_la_library_eigh(stream, v, a, v->s, !v->upper, v->u != nullptr);
    int64_t call = TOGETHER / ((int64_t)n * n); /* the library counts elements in 32 bits, and wants workspace */
    for (int64_t i = 0; i < v->batch && together && !code; i += call) {
        cpi_linalg some = *v;
        some.batch = v->batch - i < call ? v->batch - i : call;
        code = cpi_la_library_eigh_batch(stream, &some, a + i * n * n, (la::real_of<T> *)v->s + i * n, !v->upper,
                                         v->u != nullptr);
    }
    return code || !v->u ? code : cpi_la_transpose(stream, v->type, a, v->u, v->batch, n, n, true, v->function);
}

} // namespace

cp_code cpi_la_eigh(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_trouble t;
    cp_code code = cpi_la_fits(v);
    if (!code) code = cpi_la_trouble_of(stream, v, CPI_LINALG_EIGENVALUES, &t);
    if (code) return code;
    cpi_la_way way = cpi_la_way_of();
    return cpi_la_with(v->type, [&](auto e) {
        typedef decltype(e) T;
        bool many = v->batch > 1 && v->n <= FAR_EIGHS && way != CPI_LA_OWN && cpi_la_library_has_batches();
        bool fits = eigh_bytes<T>(v) <= cpi_la_shared(stream);
        bool small = fits && (v->batch == 1 ? v->n <= LIBRARY_EIGH : v->n <= 64 || v->batch > 16);
        bool library = way == CPI_LA_LIBRARY ? v->n > 32 : way == CPI_LA_BEST && !small;
        if (many && v->n >= LIBRARY_EIGHS) return library_eigh<T>(stream, v, t, true);
        return library && cpi_la_library() ? library_eigh<T>(stream, v, t, false) : whole_eigh<T>(stream, v, t);
    });
}
