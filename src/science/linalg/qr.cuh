/* Householder's QR: whole matrices by one team; panels of large ones with each column in the registers of one warp.
 *
 * Here a matrix lies in columns: a[c * ld + i]. A reflection is H = I - tau v v^H with v_j = 1, as LAPACK's: its H^H
 * takes the column to (beta, 0, ...), beta of the sign opposite to the diagonal's. */
#ifndef CPI_LINALG_QR_CUH
#define CPI_LINALG_QR_CUH

#include "cuda/integers.h"
#include "linalg/numbers.cuh"
#include "loop/transpose.cuh"

namespace la {

template <class T> struct reflection {
    T tau, scale, below; /* v_i = x_i * scale, or where that is out of range x_i / below */
    real_of<T> beta;
    bool divides;
    /* norm: of what lies below alpha */
    __device__ reflection(T alpha, real_of<T> norm)
    {
        typedef real_of<T> R;
        if (norm == 0 && imag(alpha) == 0) {
            tau = scale = below = number<T>(0);
            beta = real(alpha);
            divides = false;
            return;
        }
        take(alpha, modulus(number<complex<R>>(modulus(alpha), norm)));
    }
    __device__ reflection() {}
    /* length: of all of them, not 0 */
    __device__ void take(T alpha, real_of<T> length)
    {
        beta = real(alpha) < 0 ? length : -length;
        tau = number<T>((beta - real(alpha)) / beta, -imag(alpha) / beta);
        below = subtract(alpha, number<T>(beta));
        scale = divide(number<T>(1), below);
        divides = length < limits<real_of<T>>::least() * 64;
    }
    __device__ T of(T x) const { return divides ? divide(x, below) : times(x, scale); }
};

/* The length of what each(i, f) gives: f of all elements of the lanes. Squares that leave the range are taken again of
 * scaled elements. `width` lanes share a column. */
template <class R, class F> LA_DEVICE R length_of(int width, F each)
{
    R sum = 0, most = 1;
    each([&](R v) { sum += v * v; });
    sum = group_sum(sum, width);
    if (sum > limits<R>::tiny() && sum < (R)INFINITY) return root(sum);
    for (int turn = 0; turn < 2; turn++) { /* the largest, then the squares of what it divides */
        R now = 0;
        each([&](R v) {
            R size = magnitude(v);
            if (turn) now += (size / most) * (size / most);
            else now = size > now || size != size ? size : now;
        });
        if (turn) return most * root(group_sum(now, width));
        for (int d = width / 2; d; d /= 2) {
            R other = across(now, d);
            now = other > now || other != other ? other : now;
        }
        most = now;
        if (!(most > 0) || most == (R)INFINITY) return most;
    }
    return most;
}

/* --- one team, one matrix --- */

/* Lanes that share a column of m elements. */
LA_DEVICE int lanes_of(int m)
{
    int width = 32;
    while (width > 1 && width / 2 >= m) width /= 2;
    return width;
}

template <class T> LA_DEVICE void householder(const team &t, T *a, int ld, int m, int n, T *tau)
{
    typedef real_of<T> R;
    int width = lanes_of(m), lane = t.rank % width, group = t.rank / width, groups = t.size / width;
    for (int j = 0; j < m && j < n; j++) {
        T *v = a + j * ld;
        R norm = length_of<R>(width, [&](auto take) { /* in each group the same */
            for (int i = lane; i < m; i += width)
                if (i > j) {
                    take(real(v[i]));
                    if (traits<T>::pair) take(imag(v[i]));
                }
        });
        reflection<T> h(v[j], norm);
        for (int c0 = (j + 1) / groups * groups; c0 < n; c0 += groups) {
            bool mine = c0 + group > j && c0 + group < n;
            T *x = a + (mine ? c0 + group : j) * ld, w = number<T>(0);
            for (int i = lane; i < m; i += width) {
                if (i == j) w = add(w, x[i]);
                if (i > j) w = plus_conjugate(w, h.of(v[i]), x[i]);
            }
            w = times(conj(h.tau), group_sum(w, width));
            if (mine)
                for (int i = lane; i < m; i += width) {
                    if (i == j) x[i] = subtract(x[i], w);
                    if (i > j) x[i] = minus_product(x[i], h.of(v[i]), w);
                }
        }
        t.sync();
        if (group == 0) { /* the next step reads other columns */
            for (int i = lane; i < m; i += width) {
                if (i == j) v[i] = number<T>(h.beta), tau[j] = h.tau;
                if (i > j) v[i] = h.of(v[i]);
            }
        }
    }
    t.sync();
}

/* Columns c0 .. c1 of H_0 H_1 ... H_(r - 1), to q[(c - c0) * ldq + i]. */
template <class T>
LA_DEVICE void form(const team &t, const T *a, int ld, int m, int r, const T *tau, int c0, int c1, T *q, int ldq)
{
    int width = lanes_of(m), lane = t.rank % width, group = t.rank / width, groups = t.size / width;
    for (int first = c0; first < c1; first += groups) {
        int c = first + group, top = first + groups - 1 < r - 1 ? first + groups - 1 : r - 1;
        bool mine = c < c1;
        T *x = q + (wide)((mine ? c : c0) - c0) * ldq;
        if (mine)
            for (int i = lane; i < m; i += width) x[i] = number<T>(i == c ? 1 : 0);
        for (int j = top; j >= 0; j--) {
            const T *v = a + j * ld;
            T w = number<T>(0);
            for (int i = lane; i < m && mine; i += width) {
                if (i == j) w = add(w, x[i]);
                if (i > j) w = plus_conjugate(w, v[i], x[i]);
            }
            w = times(tau[j], group_sum(w, width));
            for (int i = lane; i < m && mine; i += width) {
                if (i == j) x[i] = subtract(x[i], w);
                if (i > j) x[i] = minus_product(x[i], v[i], w);
            }
        }
    }
    t.sync();
}

/* x: rows x n of R (`raw`: n x m, all that is left, and taus in s); u: m x columns of Q, columns 0: not wanted. */
template <class T>
__global__ void __launch_bounds__(1024)
qr_whole(wide first, wide batch, int m, int n, int rows, int columns, int raw, const T *a, T *x, T *u, T *s, wide each,
         unsigned char *outside)
{
    team t;
    position at(first, batch, each, outside);
    if (at.matrix < 0) return;
    int ld = m | 1, r = m < n ? m : n;
    T *w = (T *)at.memory, *tau = w + (wide)ld * n, *q = tau + r;
    spread lanes(t, n), wider(t, columns ? columns : 1);
    a += at.matrix * m * n;
    for (int i = lanes.y; i < m; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) w[c * ld + i] = a[(wide)i * n + c];
    t.sync();
    householder(t, w, ld, m, n, tau);
    if (raw) {
        for (int i = t.rank; i < r; i += t.size) s[at.matrix * r + i] = tau[i];
        for (int c = t.rank / 32; c < n; c += t.size / 32)
            for (int i = t.rank % 32; i < m; i += 32) x[at.matrix * m * n + (wide)c * m + i] = w[c * ld + i];
        return;
    }
    x += at.matrix * rows * n;
    for (int i = lanes.y; i < rows; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) x[(wide)i * n + c] = i <= c ? w[c * ld + i] : number<T>(0);
    if (!columns) return;
    form(t, w, ld, m, r, tau, 0, columns, q, ld);
    u += at.matrix * m * columns;
    for (int i = wider.y; i < m; i += wider.rows)
        for (int c = wider.x; c < columns; c += wider.width) u[(wide)i * columns + c] = q[c * ld + i];
}

/* --- panels --- */

/* Columns j0 .. j0 + blockDim.x / 32 of matrices with m - j0 <= 32 EACH: one warp a column, which it keeps in
 * registers. A column becomes a reflection in the shared memory, where all read it; two take turns, so one barrier a
 * column does. */
template <class T, int EACH>
__global__ void __launch_bounds__(1024)
qr_panel(T *a, T *taus, wide batch, int m, int n, int j0)
{
    typedef real_of<T> R;
    T *shared = (T *)la_shared; /* two of h elements */
    __shared__ T tau[2];
    int lane = (int)threadIdx.x % 32, column = (int)threadIdx.x / 32, columns = (int)blockDim.x / 32, h = m - j0;
    wide matrix = blockIdx.x;
    if (matrix >= batch) return;
    T x[EACH], *w = a + matrix * m * n + (wide)(j0 + column) * m + j0;
#pragma unroll
    for (int k = 0; k < EACH; k++) x[k] = lane + 32 * k < h ? w[lane + 32 * k] : number<T>(0);
    for (int j = 0; j < columns; j++) {
        T *v = shared + (j & 1) * h;
        if (column == j) {
#pragma unroll
            for (int k = 0; k < EACH; k++)
                if (lane + 32 * k < h) v[lane + 32 * k] = x[k];
            __syncwarp();
            R norm = length_of<R>(32, [&](auto take) {
                for (int i = lane; i < h; i += 32)
                    if (i > j) {
                        take(real(v[i]));
                        if (traits<T>::pair) take(imag(v[i]));
                    }
            });
            reflection<T> r(v[j], norm);
            __syncwarp();
            for (int i = lane; i < h; i += 32) v[i] = i > j ? r.of(v[i]) : number<T>(i == j ? 1 : 0);
            if (lane == 0) tau[j & 1] = r.tau, taus[matrix * (m < n ? m : n) + j0 + j] = r.tau;
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                int i = lane + 32 * k;
                if (i > j && i < h) x[k] = v[i];
                if (i == j) x[k] = number<T>(r.beta);
            }
        }
        __syncthreads();
        if (column > j) {
            T sum = number<T>(0);
#pragma unroll
            for (int k = 0; k < EACH; k++)
                if (lane + 32 * k < h) sum = plus_conjugate(sum, v[lane + 32 * k], x[k]);
            sum = times(conj(tau[j & 1]), group_sum(sum, 32));
#pragma unroll
            for (int k = 0; k < EACH; k++)
                if (lane + 32 * k < h) x[k] = minus_product(x[k], v[lane + 32 * k], sum);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (lane + 32 * k < h) w[lane + 32 * k] = x[k];
}

/* The same for columns of any length that the block's shared memory holds nb of. */
template <class T> __global__ void __launch_bounds__(1024) qr_panel_shared(T *a, T *taus, wide batch, int m, int n,
                                                                           int j0, int nb)
{
    team t;
    wide matrix = blockIdx.x;
    if (matrix >= batch) return;
    int h = m - j0;
    T *w = (T *)la_shared, *x = a + matrix * m * n + (wide)j0 * m + j0;
    for (int c = t.rank / 32; c < nb; c += t.size / 32)
        for (int i = t.rank % 32; i < h; i += 32) w[c * h + i] = x[(wide)c * m + i];
    t.sync();
    householder(t, w, h, h, nb, taus + matrix * (m < n ? m : n) + j0);
    for (int c = t.rank / 32; c < nb; c += t.size / 32)
        for (int i = t.rank % 32; i < h; i += 32) x[(wide)c * m + i] = w[c * h + i];
}

/* Reflections j0 .. j1 of `a` applied to columns of x (m rows each), a warp a column, which it keeps in registers.
 * forward: H_j^H, from j0 on; else H_j from j1 - 1 down, and columns begin as those of the identity. Rows above j0 stay
 * as they are: m - j0 <= 32 EACH. */
template <class T, int EACH>
__global__ void __launch_bounds__(256)
qr_reflect(const T *a, const T *taus, wide batch, int m, int n, int j0, int j1, int forward, T *x, wide next, int c0,
           int c1)
{
    int lane = (int)threadIdx.x % 32, c = c0 + (int)(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32), h = m - j0;
    int r = m < n ? m : n;
    if (c >= c1) return;
    for (wide matrix = blockIdx.y; matrix < batch; matrix += gridDim.y) {
        T y[EACH], *w = x + matrix * next + (wide)c * m + j0;
        const T *v0 = a + matrix * m * n + j0;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int i = lane + 32 * k;
            y[k] = i >= h ? number<T>(0) : forward ? w[i] : number<T>(i + j0 == c ? 1 : 0);
        }
        int last = !forward && c + 1 < j1 ? c + 1 : j1; /* H_j leaves the columns of the identity before j alone */
        for (int s = 0; s < last - j0; s++) {
            int j = forward ? j0 + s : last - 1 - s, at = j - j0;
            const T *v = v0 + (wide)j * m;
            T tau = taus[matrix * r + j], sum = number<T>(0);
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                int i = lane + 32 * k;
                if (i == at) sum = add(sum, y[k]);
                else if (i > at && i < h) sum = plus_conjugate(sum, v[i], y[k]);
            }
            sum = times(forward ? conj(tau) : tau, group_sum(sum, 32));
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                int i = lane + 32 * k;
                if (i == at) y[k] = subtract(y[k], sum);
                else if (i > at && i < h) y[k] = minus_product(y[k], v[i], sum);
            }
        }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (lane + 32 * k < h) w[lane + 32 * k] = y[k];
    }
}

/* R, rows x n in rows, of what lies in columns of m; the rest zeros. */
template <class T> __global__ void qr_upper(const T *a, T *x, wide batch, int m, int n, int rows)
{
    __shared__ cpi_tile<T, 32> tile;
    const int tx = (int)threadIdx.x, ty = (int)threadIdx.y, tiles = cpi_ceil_div(n, 32);
    const wide all = (wide)tiles * cpi_ceil_div(rows, 32);
    for (wide at = blockIdx.x; at < all * batch; at += gridDim.x) {
        const wide matrix = at / all, part = at % all;
        const int i0 = (int)(part / tiles) * 32, j0 = (int)(part % tiles) * 32;
        cpi_transpose_tile<8, true>(
            tile, tx, ty,
            [&](int j, T &v) {
                const int c = j0 + ty + j, i = i0 + tx;
                v = number<T>(0);
                if (c < n && i < m && i <= c) v = a[matrix * m * n + (wide)c * m + i];
            },
            [&](int j, const T &v) {
                if (i0 + ty + j < rows && j0 + tx < n) x[matrix * rows * n + (wide)(i0 + ty + j) * n + j0 + tx] = v;
            });
    }
}

} // namespace la
#endif
