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
    TOGETHER = 1 << 26, /* elements of one call */
    SMALL_EIGHS = 32,   /* of which there is a call by rotations, up to these; 1000 of 32: 0.671 */
    FAR_EIGHS = 256,    /* and up to these: beyond them one after the other fills the device */
};

template <class T> int64_t svd_bytes(const cpi_linalg *v)
{
    int64_t p = v->m > v->n ? v->m : v->n, r = v->m > v->n ? v->n : v->m, ld = p | 1, columns = v->full ? p : r;
    int64_t numbers = ld * columns + (v->u ? (r | 1) * r + ld * r + r : 0);
    return numbers * (int64_t)sizeof(T) + r * (int64_t)sizeof(la::real_of<T>) + (r + 1) * 4;
}

template <class T> cp_code whole_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_error t)
{
    int m = (int)v->m, n = (int)v->n, p = m > n ? m : n, r = m > n ? n : m;
    int lanes = 32;
    while (lanes > 1 && lanes / 2 >= p) lanes /= 2;
    typedef la::real_of<T> R;
    return cpi_la_by_teams(
        stream, la::svd_whole<T>, v->batch, svd_bytes<T>(v), cpi_la_threads((int64_t)cpi_ceil_div(r, 2) * lanes),
        v->function,
        [&](wide first, wide end, unsigned grid, dim3 block, size_t shared, wide each, unsigned char *outside) {
            la::svd_whole<T><<<grid, block, shared, cpi_cuda_stream(stream)>>>(
                first, end, m, n, v->full ? p : r, (const T *)v->a, (T *)v->u, (R *)v->s, (T *)v->vt, each, outside,
                t.mailbox, t.number);
        });
}

LA_DEVICE void raise_to(float *at, float v) { atomicMax((int *)at, __float_as_int(v)); } /* v >= 0 */
LA_DEVICE void raise_to(double *at, double v)
{
    atomicMax((unsigned long long *)at, (unsigned long long)__double_as_longlong(v));
}

/* Trouble where what is read, one triangle or all, is not finite: loops that may not end do not get it, but zeros.
 * sizes (zeros before): the largest entry of each matrix of `each` rows. */
enum which { LOWER, UPPER, ALL };
template <class T>
__global__ void only_finite(T *a, wide rows, int each, int n, int part, la::real_of<T> *sizes, unsigned *mailbox,
                            unsigned error)
{
    for (wide at = blockIdx.x; at < rows; at += gridDim.x) {
        int i = (int)(at % each);
        la::real_of<T> most = 0;
        for (int c = (int)threadIdx.x; c < n; c += (int)blockDim.x) {
            if (part != ALL && (part == UPPER ? c < i : c > i)) continue;
            la::real_of<T> size = la::finite_size(a[at * n + c]);
            if (size < (la::real_of<T>)INFINITY) {
                most = la::larger(most, size);
                continue;
            }
            a[at * n + c] = la::number<T>(0);
            *mailbox = error;
        }
        for (int d = 16; d; d /= 2) most = la::larger(most, la::across(most, d));
        if (threadIdx.x % 32 == 0 && most > 0) raise_to(sizes + at / each, most);
    }
}

/* The exponent of a matrix whose squares may leave the range of numbers, as LAPACK's drivers draw it (the root of the
 * least number over epsilon, and its inverse); 0: of others. cuSOLVER does not look. */
LA_DEVICE int far_exponent(float most)
{
    int e = most > 0 ? la::exponent_of(most) : 0;
    return e < -40 || e > 40 ? e : 0;
}
LA_DEVICE int far_exponent(double most)
{
    int e = most > 0 ? la::exponent_of(most) : 0;
    return e < -459 || e > 459 ? e : 0;
}

/* Such matrices, of `each` numbers, are brought near 1, and what belongs to them back. */
template <class T>
__global__ void bring(T *a, wide matrices, wide each, const la::real_of<T> *sizes, bool back)
{
    for (wide m = blockIdx.y; m < matrices; m += gridDim.y) {
        int e = far_exponent(sizes[m]);
        if (!e) continue;
        for (wide i = (wide)blockIdx.x * blockDim.x + threadIdx.x; i < each; i += (wide)gridDim.x * blockDim.x)
            a[m * each + i] = la::shifted(a[m * each + i], back ? e : -e);
    }
}
template <class T>
cp_code brought(cp_stream *stream, T *a, int64_t matrices, int64_t each, const la::real_of<T> *sizes, bool back,
                const char *what)
{
    dim3 grid(cpi_cuda_blocks(each, 256, 1024), cpi_la_blocks(matrices, 65535));
    bring<T><<<grid, 256, 0, cpi_cuda_stream(stream)>>>(a, matrices, each, sizes, back);
    return CPI_LAUNCHED(stream, what);
}

/* Matrices of `each` rows of n for a library: finite, and near 1 where squares need it. */
template <class T>
cp_code prepared(cp_stream *stream, const cpi_linalg *v, T *a, int64_t matrices, int64_t each, int64_t n, int part,
                 la::real_of<T> *sizes, cpi_la_error t)
{
    cudaStream_t cs = cpi_cuda_stream(stream);
    cp_code code = cpi_cuda_issued(stream, cudaMemsetAsync(sizes, 0, (size_t)matrices * sizeof *sizes, cs),
                                   v->function);
    if (code) return code;
    only_finite<T><<<cpi_la_blocks(matrices * each, 1 << 20), 256, 0, cs>>>(a, matrices * each, (int)each, (int)n, part,
                                                                       sizes, t.mailbox, t.number);
    code = CPI_LAUNCHED(stream, v->function);
    return code ? code : brought(stream, a, matrices, each * n, sizes, false, v->function);
}

/* By gesvd, for matrices in columns with m >= n: A, or where it is wide A^T in rows as it lies, which is A in columns
 * turned: A^T = U' S V'^H, A = conj(V') S U'^T. Thin vectors are gesvdp's (polar decomposition) unless it says no. ms
 * on an H200, float64, 2026-11-23, gesvdp / gesvd: 128: 4.30 / 8.0; 512: 12.4 / 47; 1024: 29.6 / 126 */
template <class T> cp_code library_svd(cp_stream *stream, const cpi_linalg *v, cpi_la_error t)
{
    typedef la::real_of<T> R;
    bool flip = v->m < v->n;
    int64_t p = flip ? v->n : v->m, r = flip ? v->m : v->n, columns = v->full ? p : r, size = p * r;
    cpi_la_scratch one(stream), two(stream), three(stream);
    R *sizes = three.get<R>(1);
    T *a = one.get<T>(size), *u = v->u ? two.get<T>(p * columns + 2 * r * r) : nullptr;
    T *vt = u ? u + p * columns : nullptr, *vectors = u ? vt + r * r : nullptr;
    if (!a || !sizes || (v->u && !u)) return CP_ERROR_MEMORY;
    cp_code code = CP_OK;
    for (int64_t i = 0; i < v->batch && !code; i++) {
        const T *from = (const T *)v->a + i * size;
        T *to = v->u ? (T *)v->u + i * v->m * (flip ? v->m : columns) : nullptr;
        T *other = v->u ? (T *)v->vt + i * v->n * (flip ? columns : v->n) : nullptr;
        R *s = (R *)v->s + i * r;
        bool good = false, polar = u && columns == r && cpi_la_way_of() != CPI_LA_LIBRARY;
        for (int way = polar ? 0 : 1; way < 2 && !good && !code; way++) {
            if (flip)
                code = cpi_cuda_issued(stream, cudaMemcpyAsync(a, from, (size_t)size * sizeof(T),
                                                               cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                                       v->function);
            else code = cpi_la_transpose(stream, v->type, from, a, 1, (int)p, (int)r, false, v->function);
            if (!code) code = prepared(stream, v, a, 1, r, p, ALL, sizes, t);
            if (!code && way) code = cpi_la_library_svd(stream, v, a, p, r, u, columns, s, vt);
            if (code || way) break;
            code = cpi_la_library_polar(stream, v, a, p, r, u, s, vectors, &good);
            if (good) code = cpi_la_transpose(stream, v->type, vectors, vt, 1, (int)r, (int)r, true, v->function);
        }
        if (!code) code = brought(stream, s, 1, r, sizes, true, v->function);
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

cp_code cpi_linalg_cuda_svd(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_error t;
    cp_code code = cpi_la_fits(v);
    if (!code) code = cpi_la_error_of(stream, v, CPI_LINALG_SVD, &t);
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
    return (v->u ? 2 : 1) * n * ld * (int64_t)sizeof(T) + cpi_ceil_div(n, 2) * (int64_t)sizeof(la::rotation<T>) +
           (n + 1) * 4;
}

template <class T> cp_code whole_eigh(cp_stream *stream, const cpi_linalg *v, cpi_la_error t)
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
template <class T> cp_code library_eigh(cp_stream *stream, const cpi_linalg *v, cpi_la_error t, bool together)
{
    typedef la::real_of<T> R;
    cpi_la_scratch work(stream), more(stream);
    int n = (int)v->n;
    T *a = work.get<T>(v->batch * n * n);
    R *sizes = more.get<R>(v->batch);
    if (!a || !sizes) return CP_ERROR_MEMORY;
    cp_code code = cpi_cuda_issued(stream, cudaMemcpyAsync(a, v->a, (size_t)(v->batch * n * n) * sizeof(T),
                                                           cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                                   v->function);
    if (!code) code = prepared(stream, v, a, v->batch, n, n, v->upper ? UPPER : LOWER, sizes, t);
    if (!together && !code) code = cpi_la_library_eigh(stream, v, a, v->s, !v->upper, v->u != nullptr);
    int64_t call = TOGETHER / ((int64_t)n * n); /* the library counts elements in 32 bits, and wants workspace */
    for (int64_t i = 0; i < v->batch && together && !code; i += call) {
        cpi_linalg some = *v;
        some.batch = v->batch - i < call ? v->batch - i : call;
        auto way = n <= SMALL_EIGHS ? cpi_la_library_eigh_small : cpi_la_library_eigh_batch;
        code = way(stream, &some, a + i * n * n, (R *)v->s + i * n, !v->upper, v->u != nullptr);
    }
    if (!code) code = brought(stream, (R *)v->s, v->batch, n, sizes, true, v->function);
    return code || !v->u ? code : cpi_la_transpose(stream, v->type, a, v->u, v->batch, n, n, true, v->function);
}

} // namespace

cp_code cpi_linalg_cuda_eigh(cp_stream *stream, const cpi_linalg *v)
{
    cpi_la_error t;
    cp_code code = cpi_la_fits(v);
    if (!code) code = cpi_la_error_of(stream, v, CPI_LINALG_EIGENVALUES, &t);
    if (code) return code;
    cpi_la_way way = cpi_la_way_of();
    return cpi_la_with(v->type, [&](auto e) {
        typedef decltype(e) T;
        bool many = v->batch > 1 && v->n <= FAR_EIGHS && way != CPI_LA_OWN && cpi_la_library_has_batches();
        bool fits = eigh_bytes<T>(v) <= cpi_la_shared(stream);
        bool small = fits && (v->batch == 1 ? v->n <= LIBRARY_EIGH : v->n <= 64 || v->batch > 16);
        bool library = way == CPI_LA_LIBRARY ? v->n > 32 : way != CPI_LA_OWN && !small;
        if (many && v->n >= LIBRARY_EIGHS) return library_eigh<T>(stream, v, t, true);
        return library && cpi_la_library() ? library_eigh<T>(stream, v, t, false) : whole_eigh<T>(stream, v, t);
    });
}
