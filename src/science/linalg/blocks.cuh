/* What blocked algorithms are made of: products that are subtracted, triangles of at most 32 columns, Cholesky.
 *
 * A matrix operand is an address and two steps, so transposes cost nothing. A block of a grid's second or third
 * dimension takes every so-manieth matrix of a batch. */
#ifndef CPI_LINALG_BLOCKS_CUH
#define CPI_LINALG_BLOCKS_CUH

#include "cuda/integers.h"
#include "linalg/numbers.cuh"
#include "loop/transpose.cuh"

namespace la {

/* op(A): the element (i, j) at at[i * down + j * right], conjugated where `conjugate`; matrices `next` apart. */
template <class T> struct operand {
    const T *at;
    wide down, right, next;
    int conjugate;
    __device__ T get(wide matrix, wide i, wide j) const
    {
        T v = at[matrix * next + i * down + j * right];
        return conjugate ? conj(v) : v;
    }
};

/* C -= A B (or C = A B), C m x n in rows of ldc, the sum over k in order. `lower`: only tiles that reach the diagonal
 * or lie below it. */
template <class T>
__global__ void __launch_bounds__(256)
subtract_product(operand<T> a, operand<T> b, T *c, wide ldc, wide next, wide batch, int m, int n, int k, int assign,
                 int lower)
{
    enum { TILE = 64, DEEP = 16, EACH = 4 };
    __shared__ T left[DEEP][TILE + 1], right[DEEP][TILE + 1];
    int i0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE, x = (int)threadIdx.x % 16, y = (int)threadIdx.x / 16;
    if (lower && j0 > i0 + TILE - 1) return;
    for (wide matrix = blockIdx.z; matrix < batch; matrix += gridDim.z) {
        T sum[EACH][EACH];
        for (int i = 0; i < EACH; i++)
            for (int j = 0; j < EACH; j++) sum[i][j] = number<T>(0);
        for (int l0 = 0; l0 < k; l0 += DEEP) {
            for (int e = (int)threadIdx.x; e < TILE * DEEP;
                 e += 256) { /* neighbours in memory to neighbouring threads */
                int i = a.right == 1 ? e / DEEP : e % TILE, l = a.right == 1 ? e % DEEP : e / TILE;
                left[l][i] = i0 + i < m && l0 + l < k ? a.get(matrix, i0 + i, l0 + l) : number<T>(0);
                int j = b.right == 1 ? e % TILE : e / DEEP;
                l = b.right == 1 ? e / TILE : e % DEEP;
                right[l][j] = j0 + j < n && l0 + l < k ? b.get(matrix, l0 + l, j0 + j) : number<T>(0);
            }
            __syncthreads();
#pragma unroll 4
            for (int l = 0; l < DEEP; l++) {
                T u[EACH], v[EACH];
#pragma unroll
                for (int i = 0; i < EACH; i++) u[i] = left[l][y + 16 * i], v[i] = right[l][x + 16 * i];
#pragma unroll
                for (int i = 0; i < EACH; i++)
#pragma unroll
                    for (int j = 0; j < EACH; j++) sum[i][j] = plus_product(sum[i][j], u[i], v[j]);
            }
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                int row = i0 + y + 16 * i, column = j0 + x + 16 * j;
                if (row >= m || column >= n) continue;
                T *p = c + matrix * next + row * ldc + column;
                *p = assign ? sum[i][j] : subtract(*p, sum[i][j]);
            }
    }
}

/* Rows of X that a triangle of nb <= 32 columns solves: op(A) X = B in place, X in rows of ldx. lower: of op(A). */
template <class T>
__global__ void __launch_bounds__(512)
triangle_step(operand<T> a, T *x, wide ldx, wide next, wide batch, int nb, int k, int lower, int unit)
{
    __shared__ T triangle[32 * 33], part[32 * 33];
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    int c0 = (int)blockIdx.x * 32, columns = k - c0 < 32 ? k - c0 : 32;
    for (wide matrix = blockIdx.y; matrix < batch; matrix += gridDim.y) {
        T *w = x + matrix * next + c0;
        for (int i = warp; i < nb; i += warps) {
            if (lane < nb) {
                if (a.right == 1) triangle[i * 33 + lane] = a.get(matrix, i, lane);
                else triangle[lane * 33 + i] = a.get(matrix, lane, i);
            }
            if (lane < columns) part[i * 33 + lane] = w[i * ldx + lane];
        }
        __syncthreads();
        for (int c = warp; c < columns; c += warps) {
            T v = lane < nb ? part[lane * 33 + c] : number<T>(0);
            for (int s = 0; s < nb; s++) {
                int j = lower ? s : nb - 1 - s;
                if (!unit && lane == j) v = divide(v, triangle[j * 33 + j]);
                T solved = from_lane(v, j);
                if (lane < nb && (lower ? lane > j : lane < j)) v = minus_product(v, triangle[lane * 33 + j], solved);
            }
            if (lane < nb) part[lane * 33 + c] = v;
        }
        __syncthreads();
        for (int i = warp; i < nb; i += warps)
            if (lane < columns) w[i * ldx + lane] = part[i * 33 + lane];
        __syncthreads();
    }
}

/* --- Cholesky --- */

/* A's lower triangle becomes L, by one team. False: a pivot was not > 0. */
template <class T> LA_DEVICE bool cholesky(const team &t, T *a, int ld, int n)
{
    spread lanes(t, n);
    for (int j = 0; j < n; j++) {
        real_of<T> d = real(a[j * ld + j]);
        if (!(d > 0) || d == (real_of<T>)INFINITY) return false;
        d = root(d);
        t.sync();
        for (int i = j + t.rank; i < n; i += t.size) a[i * ld + j] = i == j ? number<T>(d) : divide(a[i * ld + j], d);
        t.sync();
        for (int i = j + 1 + lanes.y; i < n; i += lanes.rows) {
            T l = a[i * ld + j];
            for (int c = j + 1 + lanes.x; c <= i; c += lanes.width)
                a[i * ld + c] = minus_product(a[i * ld + c], l, conj(a[c * ld + j]));
        }
        t.sync();
    }
    return true;
}

/* upper: the upper triangle is read, and written as U = L^H. */
template <class T>
__global__ void __launch_bounds__(1024)
cholesky_whole(wide first, wide batch, int n, int ld, int upper, const T *a, T *x, wide each, unsigned char *outside,
               unsigned *mailbox, unsigned error)
{
    team t;
    position at(first, batch, each, outside);
    if (at.matrix < 0) return;
    T *w = (T *)at.memory;
    spread lanes(t, n);
    a += at.matrix * n * n, x += at.matrix * n * n;
    for (int i = lanes.y; i < n; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) {
            if (!upper && c <= i) w[i * ld + c] = a[(wide)i * n + c];
            if (upper && c >= i) w[c * ld + i] = conj(a[(wide)i * n + c]);
        }
    t.sync();
    if (!cholesky(t, w, ld, n)) {
        if (t.rank == 0) *mailbox = error;
        return;
    }
    for (int i = lanes.y; i < n; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width)
            x[(wide)i * n + c] = upper ? (c >= i ? conj(w[c * ld + i]) : number<T>(0))
                                       : (c <= i ? w[i * ld + c] : number<T>(0));
}

/* The columns j0 .. j0 + nb (nb <= 32) of L, below a diagonal block that every block of the grid factors for itself.
 * It goes to `corners` (n x 32 a matrix), for others may still load it. */
template <class T>
__global__ void __launch_bounds__(512)
cholesky_panel(T *a, T *corners, wide batch, int n, int j0, int nb, unsigned *mailbox, unsigned error)
{
    __shared__ T corner[32 * 33];
    team t;
    int lane = t.rank % 32, warps = t.size / 32, row0 = j0 + nb + (int)blockIdx.x * 4 * warps + t.rank / 32;
    for (wide matrix = blockIdx.y; matrix < batch; matrix += gridDim.y) {
        T *w = a + matrix * n * n;
        for (int i = t.rank / 32; i < nb; i += warps)
            if (lane <= i) corner[i * 33 + lane] = w[(wide)(j0 + i) * n + j0 + lane];
        __syncthreads();
        if (!cholesky(t, corner, 33, nb)) {
            if (t.rank == 0) *mailbox = error;
            return;
        }
        for (int i = row0, s = 0; i < n && s < 4; i += warps, s++) {
            T v = lane < nb ? w[(wide)i * n + j0 + lane] : number<T>(0);
            for (int j = 0; j < nb; j++) {
                if (lane == j) v = divide(v, real(corner[j * 33 + j]));
                T solved = from_lane(v, j);
                if (lane > j && lane < nb) v = minus_product(v, solved, conj(corner[lane * 33 + j]));
            }
            if (lane < nb) w[(wide)i * n + j0 + lane] = v;
        }
        __syncthreads();
        if (blockIdx.x == 0)
            for (int i = t.rank / 32; i < nb; i += warps)
                if (lane <= i) corners[(matrix * n + j0 + i) * 32 + lane] = corner[i * 33 + lane];
        __syncthreads();
    }
}

/* After the panels: x = L or, upper, L^H. */
template <class T> __global__ void cholesky_finish(const T *a, const T *corners, T *x, wide batch, int n, int upper)
{
    __shared__ cpi_tile<T, 32> tile;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y;
    for (wide matrix = blockIdx.z; matrix < batch; matrix += gridDim.z) {
        const int i0 = (int)blockIdx.y * 32, j0 = (int)blockIdx.x * 32; /* of L */
        const T *w = a + matrix * n * n;
        T *to = x + matrix * n * n;
        auto take = [&](int j, T &v) {
            const int row = i0 + ty + j, column = j0 + tx;
            v = number<T>(0);
            if (row < n && column <= row)
                v = i0 == j0 ? corners[(matrix * n + row) * 32 + column - j0] : w[(wide)row * n + column];
        };
        auto put = [&](int j, const T &v) {
            const int row = (upper ? j0 : i0) + ty + j, column = (upper ? i0 : j0) + tx;
            if (row < n && column < n) to[(wide)row * n + column] = upper ? conj(v) : v;
        };
        if (upper) cpi_transpose_tile<8, true>(tile, tx, ty, take, put);
        else
            for (int j = 0; j < 32; j += 8) {
                T v;
                take(j, v);
                put(j, v);
            }
    }
}

/* --- copies --- */

/* y (n x m in rows of ldy) = the transpose of x (m x n in rows of ldx), conjugated where `conjugate`. */
template <class T>
__global__ void transpose(const T *x, wide ldx, wide nextx, T *y, wide ldy, wide nexty, wide batch, int m, int n,
                          int conjugate)
{
    __shared__ cpi_tile<T, 32> tile;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, tiles = cpi_ceil_div(n, 32);
    const wide all = (wide)tiles * cpi_ceil_div(m, 32);
    for (wide at = blockIdx.x; at < all * batch; at += gridDim.x) {
        const wide matrix = at / all, part = at % all;
        const int i0 = (int)(part / tiles) * 32, j0 = (int)(part % tiles) * 32;
        cpi_transpose_tile<8, true>(
            tile, tx, ty,
            [&](int j, T &v) {
                if (i0 + ty + j < m && j0 + tx < n) v = x[matrix * nextx + (i0 + ty + j) * ldx + j0 + tx];
            },
            [&](int j, const T &v) {
                if (j0 + ty + j < n && i0 + tx < m)
                    y[matrix * nexty + (j0 + ty + j) * ldy + i0 + tx] = conjugate ? conj(v) : v;
            });
    }
}

} // namespace la
#endif
