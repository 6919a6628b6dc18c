/* Singular values and eigenvalues of Hermitian matrices.
 *
 * What a team can hold is rotated by one block (jacobi.cuh); larger matrices are cuSOLVER's, and rotated in memory,
 * slowly, where there is none. */
#include "linalg/jacobi.cuh"

#include "linalg/cuda.h"

using la::wide;

namespace {

enum { WHOLE = 96 };

/* ms on an H200, float64, 2026-11-23, ours / cuSOLVER's: */
enum {
    LIBRARY_EIGH = 32,  /* beyond these; 64: 1.24 / 0.716; 128: 43.3 / 1.56 */
    LIBRARY_EIGHS = 17, /* many in one call, from these on; 10000 of 8: 0.194 / 0.40; of 16: 1.31 / 2.81; 1000 of 16:
                           0.165 / 0.133; of 32: 1.42 / 0.998 */
    NEW_EIGHS = 13,
    TOGETHER = 1 << 26, /* elements of one call */
    SMALL_EIGHS = 32,   /* of which there is a call by rotations, up to these: with CUPRITE_LINALG=new */
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
 * turned: A^T = U' S V'^H, A = conj(V') S U'^T. By gesvdp before that, not chosen by itself until its tests from a GPU
 * stand in bench/results but by CUPRITE_LINALG=new, unless it says no. ms on an H200, float64, 2026-11-23, gesvdp /
 * gesvd: 128: 4.18 / 7.7; 512: 12.2 / 43.5 */
template <class T> cp_code library_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_trouble t)
{
    typedef la::real_of<T> R;
    bool flip = v->m < v->n;
    int64_t p = flip ? v->n : v->m, r = flip ? v->m : v->n, columns = v->full ? p : r, size = p * r;
    cpi_la_scratch one(stream), two(stream);
    T *a = one.get<T>(size), *u = v->u ? two.get<T>(p * columns + 2 * r * r) : nullptr;
    T *vt = u ? u + p * columns : nullptr, *vectors = u ? vt + r * r : nullptr;
    if (!a || (v->u && !u)) return CP_ERROR_MEMORY;
    cp_code code = CP_OK;
    for (int64_t i = 0; i < v->batch && !code; i++) {
        const T *from = (const T *)v->a + i * size;
        T *to = v->u ? (T *)v->u + i * v->m * (flip ? v->m : columns) : nullptr;
        T *other = v->u ? (T *)v->vt + i * v->n * (flip ? columns : v->n) : nullptr;
        R *s = (R *)v->s + i * r;
        bool good = false;
        for (int way = u && columns == r && cpi_la_way_of() == CPI_LA_NEW ? 0 : 1; way < 2 && !good && !code; way++) {
            if (flip)
                code = cpi_cuda_issued(stream, cudaMemcpyAsync(a, from, (size_t)size * sizeof(T),
                                                               cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                                       v->function);
            else code = cpi_la_transpose(stream, v->type, from, a, 1, (int)p, (int)r, false, v->function);
            if (code) break;
            only_finite<T><<<blocks_of(r, 1 << 20), 256, 0, cpi_cuda_stream(stream)>>>(a, r, (int)p, ALL, t.mailbox,
                                                                                      t.number);
            code = CPI_LAUNCHED(stream, v->function);
            if (!code && way) code = cpi_la_library_svd(stream, v, a, p, r, u, columns, s, vt);
            if (code || way) break;
            code = cpi_la_library_polar(stream, v, a, p, r, u, s, vectors, &good);
            if (good) code = cpi_la_transpose(stream, v->type, vectors, vt, 1, (int)r, (int)r, true, v->function);
        }
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
        bool library = way != CPI_LA_OWN && cpi_la_library();
        return library ? library_svd<T>(stream, v, t) : whole_svd<T>(stream, v, t);
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
        bool newly = n <= SMALL_EIGHS && cpi_la_way_of() == CPI_LA_NEW;
        auto way = newly ? cpi_la_library_eigh_small : cpi_la_library_eigh_batch;
        code = way(stream, &some, a + i * n * n, (la::real_of<T> *)v->s + i * n, !v->upper, v->u != nullptr);
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
        bool library = way == CPI_LA_LIBRARY ? v->n > 32 : way != CPI_LA_OWN && !small;
        if (many && v->n >= (way == CPI_LA_NEW ? NEW_EIGHS : LIBRARY_EIGHS)) return library_eigh<T>(stream, v, t, true);
        return library && cpi_la_library() ? library_eigh<T>(stream, v, t, false) : whole_eigh<T>(stream, v, t);
    });
}
