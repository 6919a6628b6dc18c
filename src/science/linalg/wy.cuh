/* Householder's QR in blocks: the product of a panel's reflections is I - V T V^H (T upper triangular), which is
 * applied to the columns behind the panel, and to Q^H, in one launch. Matrices of at most 96 rows and columns are one
 * block's.
 *
 * Matrices lie in columns as in qr.cuh, whose reflections these are. */
#ifndef CPI_LINALG_WY_CUH
#define CPI_LINALG_WY_CUH

#include "linalg/qr.cuh"

namespace la {

/* Sums over a warp of COUNT numbers at once. */
template <int COUNT, class T> LA_DEVICE void warp_sums(T (&a)[COUNT])
{
#pragma unroll
    for (int d = 16; d; d /= 2) {
#pragma unroll
        for (int q = 0; q < COUNT; q++) a[q] = add(a[q], across(a[q], d));
    }
}

/* A warp's column x (its rows lane + 32 k, zeros behind its end) becomes a reflection that leaves row j = 32 K + at; v
 * (32 EACH elements) has it whole. Returns tau. */
template <int K, class T, int EACH> LA_DEVICE T reflect_column(T (&x)[EACH], int at, T *v)
{
    typedef real_of<T> R;
    int lane = (int)threadIdx.x % 32, j = 32 * K + at;
    R norms[2] = {lane > at ? square(x[K]) : (R)0, 0}; /* two, that neither waits for the other */
#pragma unroll
    for (int k = K + 1; k < EACH; k++) norms[k & 1] += square(x[k]);
    R norm[1] = {norms[0] + norms[1]};
    warp_sums(norm);
    T alpha = from_lane(x[K], at);
    R all = norm[0] + square(alpha);
    bool usual = norm[0] > limits<R>::tiny() && all < (R)INFINITY;
    reflection<T> r;
    if (usual) r.take(alpha, root(all));
    else { /* nothing, or out of range: by loops over v, which need few registers */
#pragma unroll
        for (int k = 0; k < EACH; k++) v[lane + 32 * k] = x[k];
        norm[0] = length_of<R>(32, [&](auto take) {
            for (int i = lane; i < 32 * EACH; i += 32)
                if (i > j) {
                    take(real(v[i]));
                    if (traits<T>::pair) take(imag(v[i]));
                }
        });
        r = reflection<T>(alpha, norm[0]);
        for (int i = lane; i < 32 * EACH; i += 32) v[i] = r.of(v[i]);
#pragma unroll
        for (int k = K; k < EACH; k++)
            if (k > K || lane > at) x[k] = v[lane + 32 * k];
        r.scale = number<T>(1);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) { /* k = K alone has rows above and below */
        if (k > K || (k == K && lane > at)) x[k] = times(x[k], r.scale);
        v[lane + 32 * k] = k > K || (k == K && lane > at) ? x[k] : number<T>(k == K && lane == at ? 1 : 0);
    }
    if (lane == at) x[K] = number<T>(r.beta);
    return r.tau;
}

/* Columns j0 .. j0 + nb, nb = blockDim.x / 32, of matrices with m - j0 <= 32 EACH, a warp a column; and T (32 x 32 a
 * matrix, in rows). Warps whose columns are done take the products of the reflections, of which T is made. */
template <class T, int EACH, int WARPS>
__global__ void __launch_bounds__(32 * WARPS, 1)
wy_panel(T *a, T *taus, T *factors, wide batch, int m, int n, int j0)
{
    __shared__ T v_[2][32 * EACH], tau[WARPS], met[WARPS][WARPS + 1];
    int lane = (int)threadIdx.x % 32, column = (int)threadIdx.x / 32, columns = (int)blockDim.x / 32, h = m - j0;
    wide matrix = blockIdx.x;
    if (matrix >= batch) return;
    T x[EACH], row = number<T>(0), *w = a + matrix * m * n + (wide)(j0 + column) * m + j0; /* row: of T, its lane's */
#pragma unroll
    for (int k = 0; k < EACH; k++) x[k] = lane + 32 * k < h ? w[lane + 32 * k] : number<T>(0);
#pragma unroll 1
    for (int j = 0; j <= columns; j++) {
        T *v = v_[j & 1];
        if (column == j) {
            T t = reflect_column<0>(x, j, v);
            if (lane == 0) tau[j] = t, taus[matrix * (m < n ? m : n) + j0 + j] = t;
        }
        __syncthreads();
        T sum[2] = {number<T>(0), number<T>(0)};
        if (column != j && j < columns) {
#pragma unroll
            for (int k = 0; k < EACH; k++) sum[k & 1] = plus_conjugate(sum[k & 1], v[lane + 32 * k], x[k]);
            sum[0] = add(sum[0], sum[1]);
            sum[1] = number<T>(0);
        }
        if (column > j) {
            T all[1] = {sum[0]};
            warp_sums(all);
            __syncwarp(); /* v is read again: registers have no room for it */
            all[0] = times(conj(tau[j]), all[0]);
#pragma unroll
            for (int k = 0; k < EACH; k++) x[k] = minus_product(x[k], v[lane + 32 * k], all[0]);
        } else if (column < j) { /* T's column j - 1, whose products were there before the barrier, and the next's */
            int c = j - 1;
            if (lane >= column && lane < c) sum[1] = times(row, met[lane][c]);
            warp_sums(sum);
            if (lane == 0 && j < columns) met[column][j] = conj(sum[0]);
            if (lane == c) row = column == c ? tau[c] : times(negative(tau[c]), sum[1]);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (lane + 32 * k < h) w[lane + 32 * k] = x[k];
    if (lane < columns) factors[matrix * 1024 + column * 32 + lane] = row;
}

/* Rows of V that a block holds at once, and columns that it takes. */
template <class T> struct wy_of {
    enum { ROWS = sizeof(T) == 16 ? 192 : 4096 / sizeof(T), WIDE = 8, LD = 33 };
    static constexpr wide bytes(wide h) { return ((h < ROWS ? h : ROWS) * LD + h * WIDE) * (wide)sizeof(T); }
};

/* The panel j0 .. j0 + nb (nb <= 32) of a, its H^H, applied to the columns behind it (`behind` of them) and to the
 * `more` columns of q (m rows each), which begin as those of the identity when j0 is 0: 8 columns a block. */
template <class T>
__global__ void __launch_bounds__(256)
wy_apply(T *a, const T *factors, T *q, wide batch, int m, int n, int j0, int nb, int behind, int more)
{
    enum { WIDE = wy_of<T>::WIDE, LD = wy_of<T>::LD, ROWS = wy_of<T>::ROWS, COUNT = 16 / sizeof(T) };
    struct alignas(16) packet { T v[COUNT]; };
    __shared__ packet parts_[(sizeof(T) == 16 ? 4 : 8) * 32 * WIDE / COUNT];
    __shared__ T square[32][33];
    T *parts = (T *)parts_;
    int h = m - j0, lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, blocks = cpi_ceil_div(behind, WIDE);
    bool other = (int)blockIdx.x >= blocks;
    int c0 = ((int)blockIdx.x - (other ? blocks : 0)) * WIDE, limit = other ? more : behind;
    T *c = (T *)la_shared, *v = c + (wide)h * WIDE; /* h rows of WIDE; ROWS rows of LD */
    for (wide matrix = blockIdx.y; matrix < batch; matrix += gridDim.y) {
        const T *reflections = a + matrix * m * n + (wide)j0 * m + j0;
        T *at = (other ? q + matrix * m * more + (wide)c0 * m : a + matrix * m * n + (wide)(j0 + nb + c0) * m) + j0;
        auto get = [&](int i0, int rows) { /* rows of V, and zeros to 32 columns; eight in flight */
            for (int k = warp; k < 32; k += 8)
                for (int first = lane; first < rows; first += 256) {
                    T some[8];
#pragma unroll
                    for (int s = 0; s < 8; s++) {
                        int i = first + 32 * s, row = i0 + i;
                        some[s] = k < nb && i < rows && row > k ? reflections[(wide)k * m + row]
                                                                : number<T>(k < nb && row == k ? 1 : 0);
                    }
#pragma unroll
                    for (int s = 0; s < 8; s++)
                        if (first + 32 * s < rows) v[(first + 32 * s) * LD + k] = some[s];
                }
        };
        for (int i = warp; i < 32; i += 8)
            square[i][lane] = i < nb && lane < nb ? factors[matrix * 1024 + i * 32 + lane] : number<T>(0);
        for (int first = lane; first < h; first += 256) { /* a warp a column */
            T some[8];
#pragma unroll
            for (int s = 0; s < 8; s++) {
                int i = first + 32 * s;
                some[s] = c0 + warp >= limit || i >= h ? number<T>(0)
                          : other && j0 == 0         ? number<T>(i == c0 + warp ? 1 : 0)
                                                     : at[(wide)warp * m + i];
            }
#pragma unroll
            for (int s = 0; s < 8; s++)
                if (first + 32 * s < h) c[(first + 32 * s) * WIDE + warp] = some[s];
        }
        T sum[WIDE];
#pragma unroll
        for (int k = 0; k < WIDE; k++) sum[k] = number<T>(0);
        for (int i0 = 0; i0 < h; i0 += ROWS) { /* V^H C: a lane a row of it */
            int rows = h - i0 < ROWS ? h - i0 : (int)ROWS;
            if (i0) __syncthreads();
            get(i0, rows);
            __syncthreads();
#pragma unroll 4
            for (int i = warp; i < rows; i += 8) {
                T one = conj(v[i * LD + lane]);
                const packet *line = (const packet *)(c + (i0 + i) * WIDE);
#pragma unroll
                for (int k = 0; k < WIDE; k += COUNT) {
                    packet some = line[k / COUNT];
#pragma unroll
                    for (int e = 0; e < COUNT; e++) sum[k + e] = plus_product(sum[k + e], one, some.v[e]);
                }
            }
        }
        T all = number<T>(0); /* of row `lane`, column `warp` */
        for (int turn = 0; turn < (sizeof(T) == 16 ? 2 : 1); turn++) { /* the warps' parts */
            __syncthreads();
            int many = sizeof(T) == 16 ? 4 : 8;
            if (warp / many == turn)
#pragma unroll
                for (int k = 0; k < WIDE; k++) parts[((warp % many) * WIDE + k) * 32 + lane] = sum[k];
            __syncthreads();
            for (int p = 0; p < many; p++) all = add(all, parts[(p * WIDE + warp) * 32 + lane]);
        }
        __syncthreads();
        parts[warp * 32 + lane] = all;
        __syncwarp();
        all = number<T>(0); /* T^H times that */
        for (int k = 0; k < nb; k++) all = plus_conjugate(all, square[k][lane], parts[warp * 32 + k]);
        __syncthreads();
        parts[lane * WIDE + warp] = all;
        __syncthreads();
        for (int i0 = (h - 1) / ROWS * ROWS; i0 >= 0; i0 -= ROWS) { /* C - V times that; the last rows are there */
            int rows = h - i0 < ROWS ? h - i0 : (int)ROWS;
            if (i0 + rows < h) {
                __syncthreads();
                get(i0, rows);
                __syncthreads();
            }
            for (int i = (int)threadIdx.x; i < rows; i += 256) {
                T now[WIDE];
#pragma unroll
                for (int k = 0; k < WIDE; k++) now[k] = c[(i0 + i) * WIDE + k];
#pragma unroll 4
                for (int l = 0; l < nb; l++) {
                    T one = v[i * LD + l];
                    const packet *line = (const packet *)(parts + l * WIDE);
#pragma unroll
                    for (int k = 0; k < WIDE; k += COUNT) {
                        packet some = line[k / COUNT];
#pragma unroll
                        for (int e = 0; e < COUNT; e++) now[k + e] = minus_product(now[k + e], one, some.v[e]);
                    }
                }
#pragma unroll
                for (int k = 0; k < WIDE; k++)
                    if (c0 + k < limit) at[(wide)k * m + i0 + i] = now[k];
            }
        }
        __syncthreads();
    }
}

/* u, m x columns in rows, of Q^H in columns: its own rows, conjugated. */
template <class T> __global__ void wy_rows(const T *q, T *u, wide batch, int m, int columns)
{
    for (wide at = blockIdx.x; at < batch * m; at += gridDim.x)
        for (int i = (int)threadIdx.x; i < columns; i += (int)blockDim.x) u[at * columns + i] = conj(q[at * m + i]);
}

/* --- one block, one matrix --- */

/* What qr_whole does, for m, n <= 32 EACH and n + m <= 32 MANY: a warp holds columns of A and of Q^H in registers. */
template <class T, int EACH, int MANY>
__global__ void __launch_bounds__(1024, 1)
qr_registers(wide batch, int m, int n, int rows, int columns, int raw, const T *a, T *x, T *u, T *s)
{
    T *tile = (T *)la_shared; /* m rows of n | 1 */
    __shared__ T v_[2][32 * EACH], tau[2];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, ld = n | 1, r = m < n ? m : n;
    wide matrix = blockIdx.x;
    if (matrix >= batch) return;
    a += matrix * m * n;
    for (int i = warp; i < m; i += 32)
        for (int c = lane; c < n; c += 32) tile[i * ld + c] = a[(wide)i * n + c];
    __syncthreads();
    T y[MANY][EACH];
#pragma unroll
    for (int q = 0; q < MANY; q++)
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int i = lane + 32 * k, c = warp + 32 * q;
            y[q][k] = i < m && c < n ? tile[i * ld + c] : number<T>(c - n == i && i < m ? 1 : 0);
        }
    int used = columns ? n + m : n;
#pragma unroll
    for (int K = 0; K < EACH; K++)
        for (int jl = 0; jl < 32; jl++) {
            int j = 32 * K + jl, b = jl & 1;
            if (j >= r) break;
            if (warp == jl) {
                T t = K == 0 ? reflect_column<0>(y[0], jl, v_[b])
                        : K == 1 ? reflect_column<1>(y[1], jl, v_[b])
                                 : reflect_column<EACH - 1>(y[EACH - 1], jl, v_[b]);
                if (lane == 0) {
                    tau[b] = t;
                    if (raw) s[matrix * r + j] = t;
                }
            }
            __syncthreads();
            T v[EACH], sum[MANY], factor = conj(tau[b]);
#pragma unroll
            for (int k = 0; k < EACH; k++) v[k] = v_[b][lane + 32 * k];
#pragma unroll
            for (int q = 0; q < MANY; q++) {
                sum[q] = number<T>(0);
#pragma unroll
                for (int k = 0; k < EACH; k++) sum[q] = plus_conjugate(sum[q], v[k], y[q][k]);
            }
            warp_sums(sum);
#pragma unroll
            for (int q = 0; q < MANY; q++) {
                int c = warp + 32 * q;
                T z = times(factor, sum[q]);
                if (c > j && c < used)
#pragma unroll
                    for (int k = 0; k < EACH; k++) y[q][k] = minus_product(y[q][k], v[k], z);
            }
        }
#pragma unroll
    for (int q = 0; q < MANY; q++)
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int i = lane + 32 * k, c = warp + 32 * q;
            if (raw && c < n && i < m) x[(matrix * n + c) * m + i] = y[q][k];
            if (!raw && c < n && i < m) tile[i * ld + c] = i <= c ? y[q][k] : number<T>(0);
            if (c >= n && c < used && i < columns) u[(matrix * m + c - n) * columns + i] = conj(y[q][k]);
        }
    __syncthreads();
    for (int i = warp; i < rows && !raw; i += 32)
        for (int c = lane; c < n; c += 32) x[(matrix * rows + i) * n + c] = tile[i * ld + c];
}

} // namespace la
#endif
