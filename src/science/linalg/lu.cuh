/* LU with partial pivoting: whole matrices by one team, panels of large ones by one block, and what follows a panel.
 *
 * Matrices are row-ordered. A pivot is the first entry of largest |re| + |im|, NaN counting as infinite. A panel's
 * block leaves, beside the pivots, which rows come to which places, so that the columns beside it need not walk
 * through the exchanges one by one. */
#ifndef CPI_LINALG_LU_CUH
#define CPI_LINALG_LU_CUH

#include "linalg/numbers.cuh"

namespace la {

/* Gauss' elimination of the first n of `columns` columns; L stays below the diagonal. pivots: min(m, n) rows, `first`
 * added. Whether every pivot is not 0. */
template <class T> LA_DEVICE bool eliminate(const team &t, T *a, int ld, int m, int n, int columns, int *pivots)
{
    spread lanes(t, columns);
    bool regular = true;
    for (int j = 0; j < m && j < n; j++) {
        real_of<T> best = -1;
        int at = j;
        for (int i = j + t.rank; i < m; i += t.size) {
            real_of<T> v = pivot_size(a[i * ld + j]);
            if (v > best) best = v, at = i;
        }
        int p = first_largest(t, best, at);
        if (t.rank == 0) pivots[j] = p;
        if (p != j)
            for (int c = t.rank; c < columns; c += t.size) exchange(a[j * ld + c], a[p * ld + c]);
        t.sync();
        T pivot = a[j * ld + j];
        bool nothing = is_zero(pivot);
        if (nothing) regular = false;
        if (!nothing)
            for (int i = j + 1 + t.rank; i < m; i += t.size) a[i * ld + j] = divide(a[i * ld + j], pivot);
        t.sync();
        if (!nothing)
            for (int i = j + 1 + lanes.y; i < m; i += lanes.rows) {
                T l = a[i * ld + j];
                for (int c = j + 1 + lanes.x; c < columns; c += lanes.width)
                    a[i * ld + c] = minus_product(a[i * ld + c], l, a[j * ld + c]);
            }
        t.sync();
    }
    return regular;
}

/* Columns n .. n + k of the eliminated matrix become the solutions. */
template <class T> LA_DEVICE void substitute(const team &t, T *a, int ld, int n, int k)
{
    spread lanes(t, k);
    for (int j = n - 1; j >= 0; j--) {
        T pivot = a[j * ld + j];
        for (int c = n + t.rank; c < n + k; c += t.size) a[j * ld + c] = divide(a[j * ld + c], pivot);
        t.sync();
        for (int i = lanes.y; i < j; i += lanes.rows) {
            T u = a[i * ld + j];
            for (int c = n + lanes.x; c < n + k; c += lanes.width)
                a[i * ld + c] = minus_product(a[i * ld + c], u, a[j * ld + c]);
        }
        t.sync();
    }
}

/* --- determinants --- */

LA_DEVICE int exponent_of(float a)
{
    int e = 0;
    frexpf(a, &e);
    return e;
}
LA_DEVICE int exponent_of(double a)
{
    int e = 0;
    frexp(a, &e);
    return e;
}
LA_DEVICE float shifted(float a, int e) { return ldexpf(a, e); }
LA_DEVICE double shifted(double a, int e) { return ldexp(a, e); }
template <class R> LA_DEVICE complex<R> shifted(complex<R> a, int e) { return {shifted(a.re, e), shifted(a.im, e)}; }
LA_DEVICE float logarithm(float a) { return logf(a); }
LA_DEVICE double logarithm(double a) { return log(a); }

/* value * 2^exponent, the value's size in [1/2, 1) unless it is 0 or not finite. */
template <class T> struct scaled {
    T value;
    wide exponent;
    __device__ void normalize()
    {
        real_of<T> v = larger(magnitude(real(value)), magnitude(imag(value)));
        if (!(v > 0) || v == (real_of<T>)INFINITY) return;
        int e = exponent_of(v);
        value = shifted(value, -e);
        exponent += e;
    }
};

/* By the first warp of a team: the determinant of what was eliminated, from its diagonal (entries `stride` apart) and
 * its pivots (their places counted from `first`). What is NULL is not wanted. */
template <class T>
LA_DEVICE void determinant(int lane, const T *diagonal, wide stride, int n, const int *pivots, T *det, T *sign,
                           real_of<T> *logarithm_of)
{
    typedef real_of<T> R;
    scaled<T> product = {number<T>(1), 0};
    int odd = 0, below = 0, zero = 0;
    for (int i = lane; i < n; i += 32) {
        T d = diagonal[i * stride];
        odd ^= pivots[i] != i;
        below ^= real(d) < 0;
        if (is_zero(d)) zero = 1;
        product.value = times(product.value, d);
        product.normalize();
    }
    for (int d = 16; d; d /= 2) {
        T v = across(product.value, d);
        wide e = __shfl_xor_sync(0xffffffffu, product.exponent, d);
        product.value = times(product.value, v);
        product.exponent += e;
        product.normalize();
        odd ^= __shfl_xor_sync(0xffffffffu, odd, d);
        below ^= __shfl_xor_sync(0xffffffffu, below, d);
        zero |= __shfl_xor_sync(0xffffffffu, zero, d);
    }
    if (lane) return;
    T value = odd ? negative(product.value) : product.value;
    R size = modulus(value);
    wide e = product.exponent < -100000 ? -100000 : product.exponent > 100000 ? 100000 : product.exponent;
    if (det) *det = zero ? number<T>(0) : shifted(value, (int)e);
    if (sign) {
        T one = traits<T>::pair ? divide(value, size) : number<T>(odd != below ? -1 : 1);
        *sign = zero ? number<T>(0) : one;
    }
    if (logarithm_of)
        *logarithm_of =
            zero ? -(R)INFINITY : (R)(logarithm((double)size) + (double)product.exponent * 0.6931471805599453);
}

template <class T> __global__ void lu_determinant(const T *a, const int *pivots, wide batch, int n, T *det, T *sign,
                                                  real_of<T> *logarithm_of)
{
    for (wide i = blockIdx.x; i < batch; i += gridDim.x)
        determinant((int)threadIdx.x, a + i * n * n, n + 1, n, pivots + i * n, det ? det + i : nullptr,
                    sign ? sign + i : nullptr, logarithm_of ? logarithm_of + i : nullptr);
}

/* --- one team, one matrix --- */

enum lu_task { LU_FACTORS, LU_SOLVE, LU_INVERSE, LU_DETERMINANT };

/* The order of rows that exchanges lead to, by one thread. */
LA_DEVICE void walk_exchanges(const int *pivots, int r, int m, int *rows)
{
    for (int i = 0; i < m; i++) rows[i] = i;
    for (int i = 0; i < r; i++) exchange(rows[i], rows[pivots[i]]);
}

/* What a slot wants of matrices that a team can hold: x and, where wanted, u, s, pivots, rows as linalg.h has them.
 * k: columns of b, or n for the inverse; ld >= n + k. */
template <class T>
__global__ void __launch_bounds__(1024)
lu_whole(int task, wide first, wide batch, int m, int n, int k, int ld, const T *a, const T *b, T *x, T *u,
         real_of<T> *s, int *pivots, int *rows, wide each, unsigned char *outside, unsigned *mailbox, unsigned error)
{
    team t;
    position at(first, batch, each, outside);
    if (at.matrix < 0) return;
    T *w = (T *)at.memory;
    int r = m < n ? m : n, *exchanges = (int *)(w + (wide)m * ld), columns = n;
    spread lanes(t, n), right(t, k > 0 ? k : 1);
    a += at.matrix * m * n;
    for (int i = lanes.y; i < m; i += lanes.rows)
        for (int c = lanes.x; c < n; c += lanes.width) w[i * ld + c] = a[(wide)i * n + c];
    if (task == LU_SOLVE || task == LU_INVERSE) {
        columns = n + k;
        for (int i = right.y; i < n; i += right.rows)
            for (int c = right.x; c < k; c += right.width)
                w[i * ld + n + c] =
                    task == LU_SOLVE ? b[at.matrix * n * k + (wide)i * k + c] : number<T>(i == c ? 1 : 0);
    }
    t.sync();
    bool regular = eliminate(t, w, ld, m, n, columns, exchanges);
    if (task == LU_SOLVE || task == LU_INVERSE) {
        if (!regular && mailbox && t.rank == 0) *mailbox = error;
        substitute(t, w, ld, n, k);
        x += at.matrix * n * k;
        for (int i = right.y; i < n; i += right.rows)
            for (int c = right.x; c < k; c += right.width)
                x[(wide)i * k + c] = regular ? w[i * ld + n + c] : number<T>((real_of<T>)NAN, NAN);
    } else if (task == LU_DETERMINANT) {
        if (t.rank < 32)
            determinant(t.rank, w, ld + 1, n, exchanges, x ? x + at.matrix : nullptr, u ? u + at.matrix : nullptr,
                        s ? s + at.matrix : nullptr);
    } else {
        x += at.matrix * m * n;
        for (int i = lanes.y; i < m; i += lanes.rows)
            for (int c = lanes.x; c < n; c += lanes.width) x[(wide)i * n + c] = w[i * ld + c];
        for (int i = t.rank; i < r; i += t.size) pivots[at.matrix * r + i] = exchanges[i];
        if (rows && t.rank == 0) walk_exchanges(exchanges, r, m, rows + at.matrix * m);
    }
}

/* What exchanges do in many matrices, a block each: which row comes to which place, or trouble where pivots name
 * others. With `shared` the walk is in shared memory. */
static __global__ void lu_rows(const int *pivots, wide batch, int r, int m, int shared, int *rows, unsigned *mailbox,
                               unsigned error)
{
    for (wide i = blockIdx.x; i < batch; i += gridDim.x) {
        int *to = shared ? (int *)la_shared : rows + i * m;
        for (int j = (int)threadIdx.x; j < m; j += (int)blockDim.x) to[j] = j;
        __syncthreads();
        if (threadIdx.x == 0)
            for (int j = 0; j < r; j++) {
                int p = pivots[i * r + j];
                if (p >= 0 && p < m) exchange(to[j], to[p]);
                else if (mailbox) *mailbox = error;
            }
        __syncthreads();
        for (int j = (int)threadIdx.x; j < m && shared; j += (int)blockDim.x) rows[i * m + j] = to[j];
        __syncthreads();
    }
}

/* x[i] = b[rows[i]], or backward x[rows[i]] = b[i]; rows of k numbers. */
template <class T>
__global__ void exchange_rows(const T *b, T *x, const int *rows, wide batch, int n, int k, int backward)
{
    for (wide at = blockIdx.x; at < batch * n; at += gridDim.x) {
        wide other = at / n * n + rows[at], from = backward ? at : other, to = backward ? other : at;
        for (int c = (int)threadIdx.x; c < k; c += (int)blockDim.x) x[to * k + c] = b[from * k + c];
    }
}

/* [A | B] in rows of n + k, of b or (NULL) the identity. */
template <class T> __global__ void beside(const T *a, const T *b, T *w, wide batch, int n, int k)
{
    for (wide at = blockIdx.x; at < batch * n; at += gridDim.x)
        for (int c = (int)threadIdx.x; c < n + k; c += (int)blockDim.x)
            w[at * (n + k) + c] = c < n ? a[at * n + c] : b ? b[at * k + c - n] : number<T>(at % n == c - n ? 1 : 0);
}

/* P in columns, of row rows[i] at place i: entry (i, rows[i]) of P lies in row rows[i] of x. */
template <class T> __global__ void exchanged_unit(T *x, const int *rows, wide count, int n)
{
    for (wide at = blockIdx.x; at < count; at += gridDim.x) {
        const int *of = rows + at / n * n;
        int line = (int)(at % n);
        for (int c = (int)threadIdx.x; c < n; c += (int)blockDim.x) x[at * n + c] = number<T>(of[c] == line ? 1 : 0);
    }
}

/* x (k columns) = the last k columns of w. */
template <class T> __global__ void right_part(const T *w, T *x, wide rows, int n, int k)
{
    for (wide at = blockIdx.x; at < rows; at += gridDim.x)
        for (int c = (int)threadIdx.x; c < k; c += (int)blockDim.x) x[at * k + c] = w[at * (n + k) + n + c];
}

/* Where a diagonal (entries `stride` apart, matrices `next`) has a zero: trouble, or without a mailbox the `count`
 * numbers that were made of the matrix become NaN. */
template <class T> __global__ void lu_regular(const T *a, wide batch, int n, wide stride, wide next, T *x, wide count,
                                              unsigned *mailbox, unsigned error)
{
    for (wide i = blockIdx.x; i < batch; i += gridDim.x) {
        int singular = 0;
        for (int j = (int)threadIdx.x; j < n; j += (int)blockDim.x)
            if (is_zero(a[i * next + j * stride])) singular = 1;
        if (!__syncthreads_or(singular)) continue;
        if (mailbox) *mailbox = error;
        else
            for (wide j = threadIdx.x; j < count; j += blockDim.x) x[i * count + j] = number<T>((real_of<T>)NAN, NAN);
    }
}

/* --- panels --- */

/* The columns j0 .. j0 + nb of an m x n matrix from row j0 on, by one block, which leaves for the other columns:
 * moves[0 .. nb): the row (counted from j0) that comes to place i; moves[nb .. 2 nb): the one that comes to place
 * pivots[j0 + i] - j0. */
template <class T>
__global__ void __launch_bounds__(1024)
lu_panel(T *a, wide batch, int m, int n, int j0, int nb, int *pivots, int *moves, unsigned char *outside, wide each)
{
    team t;
    wide matrix = blockIdx.x;
    if (matrix >= batch) return;
    int h = m - j0, ld = nb | 1, r = m < n ? m : n;
    T *w = outside ? (T *)(outside + matrix * each) : (T *)la_shared;
    int *origin = (int *)(w + (wide)h * ld), *chosen = origin + h;
    a += matrix * m * n + (wide)j0 * n + j0;
    spread lanes(t, nb);
    for (int i = lanes.y; i < h; i += lanes.rows)
        for (int c = lanes.x; c < nb; c += lanes.width) w[i * ld + c] = a[(wide)i * n + c];
    for (int i = t.rank; i < h; i += t.size) origin[i] = i;
    t.sync();
    real_of<T> best = -1;
    int at = 0;
    for (int i = t.rank; i < h; i += t.size) {
        real_of<T> v = pivot_size(w[i * ld]);
        if (v > best) best = v, at = i;
    }
    for (int j = 0; j < nb; j++) {
        int p = first_largest(t, best, best < 0 ? 0x7fffffff : at);
        if (t.rank == 0) chosen[j] = p;
        if (p != j) {
            for (int c = t.rank; c < nb; c += t.size) exchange(w[j * ld + c], w[p * ld + c]);
            if (t.rank == t.size - 1) exchange(origin[j], origin[p]);
        }
        t.sync();
        T pivot = w[j * ld + j];
        bool nothing = is_zero(pivot);
        best = -1;
        for (int i = t.rank; i < h; i += t.size) { /* a row is one thread's, so the next column can be looked at */
            if (i <= j) continue;
            T *row = w + i * ld;
            if (!nothing) {
                T l = divide(row[j], pivot);
                row[j] = l;
                for (int c = j + 1; c < nb; c++) row[c] = minus_product(row[c], l, w[j * ld + c]);
            }
            if (j + 1 < nb) {
                real_of<T> v = pivot_size(row[j + 1]);
                if (v > best) best = v, at = i;
            }
        }
    }
    t.sync();
    for (int i = lanes.y; i < h; i += lanes.rows)
        for (int c = lanes.x; c < nb; c += lanes.width) a[(wide)i * n + c] = w[i * ld + c];
    for (int i = t.rank; i < nb; i += t.size) {
        pivots[matrix * r + j0 + i] = j0 + chosen[i];
        moves[matrix * 2 * nb + i] = origin[i];
        moves[matrix * 2 * nb + nb + i] = origin[chosen[i]];
    }
}

/* The same for at most blockDim.x rows, each in the registers of one thread, which keeps it: what moves is the place
 * that the row will have. */
template <class T, int NB>
__global__ void __launch_bounds__(1024)
lu_panel_of_rows(T *a, wide batch, int m, int n, int j0, int *pivots, int *moves)
{
    __shared__ T line[2][NB];
    __shared__ int chosen[NB], origin_of[NB], origin_at[NB];
    team t;
    wide matrix = blockIdx.x;
    int h = m - j0, position = t.rank < h ? t.rank : 0x7fffffff, r = m < n ? m : n;
    T row[NB];
    a += matrix * m * n + (wide)j0 * n + j0;
#pragma unroll
    for (int c = 0; c < NB; c++) row[c] = t.rank < h ? a[(wide)t.rank * n + c] : number<T>(0);
#pragma unroll
    for (int j = 0; j < NB; j++) {
        bool left = position >= j && t.rank < h;
        real_of<T> v = left ? pivot_size(row[j]) : (real_of<T>)-1;
        int p = first_largest(t, v, left ? position : 0x7fffffff);
        if (left && position == p) {
            position = j;
            chosen[j] = p;
#pragma unroll
            for (int c = j; c < NB; c++) line[j & 1][c] = row[c];
        } else if (left && position == j) {
            position = p;
        }
        __syncthreads();
        T pivot = line[j & 1][j];
        if (position > j && !is_zero(pivot)) {
            T l = divide(row[j], pivot);
            row[j] = l;
#pragma unroll
            for (int c = j + 1; c < NB; c++) row[c] = minus_product(row[c], l, line[j & 1][c]);
        }
    }
    if (t.rank < h) {
#pragma unroll
        for (int c = 0; c < NB; c++) a[(wide)position * n + c] = row[c];
        if (position < NB) origin_of[position] = t.rank;
        for (int i = 0; i < NB; i++)
            if (chosen[i] == position) origin_at[i] = t.rank;
    }
    __syncthreads();
    if (t.rank < NB) {
        pivots[matrix * r + j0 + t.rank] = j0 + chosen[t.rank];
        moves[matrix * 2 * NB + t.rank] = origin_of[t.rank];
        moves[matrix * 2 * NB + NB + t.rank] = origin_at[t.rank];
    }
}

/* What a panel does to the other columns: rows change places in all of them; in those behind it, before `limit`, the
 * first nb rows are solved with the panel's unit lower triangle. A block has `tile` columns (a power of two, at most
 * 32). */
template <class T>
__global__ void __launch_bounds__(512)
lu_beside(T *a, wide batch, int m, int n, int j0, int nb, int limit, int tile, const int *pivots, const int *moves)
{
    __shared__ T lower[32 * 33], top[32 * 33];
    team t;
    T *rest = (T *)la_shared; /* nb x tile: what comes to the pivots' places */
    int r = m < n ? m : n, x = t.rank % tile, y = t.rank / tile, rows = t.size / tile;
    int c = (int)blockIdx.x * tile + x; /* of the columns without the panel's */
    bool mine = c < n - nb;
    if (c >= j0) c += nb;
    for (wide matrix = blockIdx.y; matrix < batch; matrix += gridDim.y) {
        T *w = a + matrix * m * n + (wide)j0 * n;
        const int *from = moves + matrix * 2 * nb, *to = pivots + matrix * r + j0;
        for (int i = y; i < nb && mine; i += rows) {
            top[i * 33 + x] = w[(wide)from[i] * n + c];
            rest[i * tile + x] = w[(wide)from[nb + i] * n + c];
        }
        for (int i = t.rank; i < nb * nb; i += t.size)
            lower[i / nb * 33 + i % nb] = w[(wide)(i / nb) * n + j0 + i % nb];
        __syncthreads();
        for (int i = y; i < nb && mine; i += rows)
            if (to[i] - j0 >= nb) w[(wide)(to[i] - j0) * n + c] = rest[i * tile + x];
        int lane = t.rank % 32, warp = t.rank / 32, begin = (int)blockIdx.x * tile;
        if (begin + tile > j0 && begin + nb < limit) /* some of the tile's columns lie behind the panel */
            for (int column = warp; column < tile; column += t.size / 32) {
                if (begin + column < j0 || begin + column + nb >= limit) continue;
                T v = lane < nb ? top[lane * 33 + column] : number<T>(0);
                for (int j = 0; j < nb - 1; j++) {
                    T above = from_lane(v, j);
                    if (lane > j && lane < nb) v = minus_product(v, lower[lane * 33 + j], above);
                }
                if (lane < nb) top[lane * 33 + column] = v;
            }
        __syncthreads();
        for (int i = y; i < nb && mine; i += rows) w[(wide)i * n + c] = top[i * 33 + x];
        __syncthreads();
    }
}

} // namespace la
#endif
