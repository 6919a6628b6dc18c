/* LU with partial pivoting of matrices of at most 1024 rows, whose rows stay where they are: `order` says which row
 * stands at which place. A panel is one block, a row in the registers of one thread; what follows it is one launch for
 * all columns beside it. Rows that are done go to their places in the result x, so nothing is exchanged and the rows
 * below are read and written by one block each.
 *
 * w and x: `columns` columns a row; w is destroyed. Places are counted as LAPACK's exchanges would have it, so equal
 * entries give its pivots. */
#ifndef CPI_LINALG_IMPLICIT_CUH
#define CPI_LINALG_IMPLICIT_CUH

#include "linalg/numbers.cuh"

namespace la {

/* Numbers that one access of the shared memory takes. */
template <class T> struct alignas(16) packet {
    enum { COUNT = 16 / sizeof(T) };
    T v[COUNT];
};

/* The larger of a warp's sizes (not negative; -1: none), as the bits of a number that is not negative order it. */
LA_DEVICE float warp_largest(float v)
{
    return __int_as_float((int)__reduce_max_sync(0xffffffffu, (unsigned)__float_as_int(v < 0 ? 0 : v)));
}
LA_DEVICE double warp_largest(double v)
{
    v = v < 0 ? 0 : v;
    unsigned high = (unsigned)__double2hiint(v), most = __reduce_max_sync(0xffffffffu, high);
    unsigned low = high == most ? (unsigned)__double2loint(v) : 0;
    return __hiloint2double((int)most, (int)__reduce_max_sync(0xffffffffu, low));
}
/* The lane whose value is largest (-1 counts for none), of equal ones that of the least place. */
template <class R> LA_DEVICE int first_lane(R value, int position, R *largest, int *at)
{
    R most = warp_largest(value);
    int least = __reduce_min_sync(0xffffffffu, value == most ? position : 0x7fffffff);
    *largest = most, *at = least;
    unsigned holds = __ballot_sync(0xffffffffu, value == most && position == least);
    return holds ? __ffs((int)holds) - 1 : -1;
}

/* Columns j0 .. j0 + nb (nb <= NB) of the rows at the places from j0 on, by one block a matrix, a thread a row. Before
 * the only barrier of a column each warp lays down the row that it would choose. A row turns in its registers, the
 * column at hand in the first, so that all columns are one small loop: unrolled, it would wait for its instructions. */
template <class T, int NB, int THREADS>
__global__ void __launch_bounds__(THREADS, 1)
implicit_panel(T *w, T *x, wide batch, int m, int columns, int j0, int nb, int r, int *order, int *pivots)
{
    typedef real_of<T> R;
    typedef packet<T> P;
    __shared__ P line[2][THREADS / 32][NB / P::COUNT];
    __shared__ R sizes[2][32];
    __shared__ int pivot_rows[2][32];
    int rank = (int)threadIdx.x, lane = rank % 32, warp = rank / 32, warps = (int)blockDim.x / 32;
    wide matrix = blockIdx.x;
    if (matrix >= batch) return;
    order += matrix * m;
    int h = m - j0, position = rank < h ? rank : 0x7fffffff, at = rank < h ? (j0 ? order[j0 + rank] : rank) : 0;
    T row[NB], *from = w + (matrix * m + at) * columns + j0;
#pragma unroll
    for (int c = 0; c < NB; c++) row[c] = rank < h && c < nb ? from[c] : number<T>(0);
#pragma unroll 1
    for (int j = 0; j < NB; j++) {
        int b = j & 1, p;
        bool left = position >= j && rank < h;
        R most;
        int holds = first_lane(left ? pivot_size(row[0]) : (R)-1, left ? position : 0x7fffffff, &most, &p);
        if (lane == holds) {
#pragma unroll
            for (int c = 0; c < NB; c += P::COUNT) {
                P some;
#pragma unroll
                for (int e = 0; e < P::COUNT; e++) some.v[e] = row[c + e];
                line[b][warp][c / P::COUNT] = some;
            }
        }
        if (lane == 0) sizes[b][warp] = holds < 0 ? (R)-1 : most, pivot_rows[b][warp] = holds < 0 ? 0x7fffffff : p;
        __syncthreads();
        T l = number<T>(0), now = row[0]; /* what becomes of the column at hand */
        int chosen = 0, some = 0; /* columns from here on that change */
        if (j < nb) {
            R mine = lane < warps ? sizes[b][lane] : (R)-1;
            chosen = first_lane(mine, lane < warps ? pivot_rows[b][lane] : 0x7fffffff, &most, &p);
            if (rank == 0) pivots[matrix * r + j0 + j] = j0 + p;
            if (position == p) position = j;
            else if (position == j) position = p;
            T pivot = line[b][chosen][0].v[0];
            if (position > j && !is_zero(pivot)) now = l = divide(row[0], pivot), some = NB - j;
        }
#pragma unroll
        for (int c = 0; c < NB; c += P::COUNT) {
            P part = line[b][chosen][c / P::COUNT];
#pragma unroll
            for (int e = 0; e < P::COUNT; e++)
                if (c + e) row[c + e - 1] = c + e < some ? minus_product(row[c + e], l, part.v[e]) : row[c + e];
        }
        row[NB - 1] = now;
    }
    if (rank >= h) return; /* the order was read before the first barrier */
    order[j0 + position] = at;
    T *to = position < nb ? x + (matrix * m + j0 + position) * columns + j0 : from;
#pragma unroll
    for (int c = 0; c < NB; c++)
        if (c < nb) to[c] = row[c];
}

template <class T> struct rows_of { enum { COUNT = sizeof(T) == 16 ? 32 : 64 }; };
/* What follows the panel j0 .. j0 + nb (nb <= 32). Blocks with blockIdx.x < right: 32 columns behind it, whose rows at
 * the panel's places are solved with its unit lower triangle and go to x, and rows_of<T> below them. The others: 32
 * columns before the panel, whose rows at its places go to x as they are. */
template <class T>
__global__ void __launch_bounds__(256)
implicit_follow(T *w, T *x, wide batch, int m, int columns, int j0, int nb, int right, const int *order)
{
    typedef packet<T> P;
    enum { WIDE = 32, ROWS = rows_of<T>::COUNT, LD = 32 + P::COUNT, EACH = 4 };
    __shared__ P below_[ROWS * LD / P::COUNT];
    __shared__ T top[32][WIDE + 1];
    T *below = (T *)below_;
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    for (wide matrix = blockIdx.z; matrix < batch; matrix += gridDim.z) {
        const int *rows = order + matrix * m;
        T *from = w + matrix * m * columns, *to = x + matrix * m * columns;
        if ((int)blockIdx.x >= right) { /* what lies before the panel */
            int c = ((int)blockIdx.x - right) * WIDE + lane;
            for (int i = warp; i < nb && c < j0 && blockIdx.y == 0; i += 8)
                to[(wide)(j0 + i) * columns + c] = from[(wide)rows[j0 + i] * columns + c];
            continue;
        }
        int c = j0 + nb + (int)blockIdx.x * WIDE + lane, i0 = j0 + nb + (int)blockIdx.y * ROWS;
        int mine[ROWS / 8];
        T sum[ROWS / 8], factor[ROWS / 8], corner[4]; /* all that is read, before anybody waits for it */
#pragma unroll
        for (int i = 0; i < ROWS / 8; i++) mine[i] = i0 + warp + 8 * i < m ? rows[i0 + warp + 8 * i] : -1;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int k = warp + 8 * i;
            corner[i] = k < nb && lane < k ? to[(wide)(j0 + k) * columns + j0 + lane] : number<T>(0);
            top[k][lane] = k < nb && c < columns ? from[(wide)rows[j0 + k] * columns + c] : number<T>(0);
        }
#pragma unroll
        for (int i = 0; i < ROWS / 8; i++) {
            bool there = mine[i] >= 0;
            sum[i] = there && c < columns ? from[(wide)mine[i] * columns + c] : number<T>(0);
            factor[i] = there && lane < nb ? from[(wide)mine[i] * columns + j0 + lane] : number<T>(0);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) below[(warp + 8 * i) * LD + lane] = corner[i];
        __syncthreads();
        T v[EACH]; /* a lane a row, and four columns */
#pragma unroll
        for (int q = 0; q < EACH; q++) v[q] = top[lane][warp * EACH + q];
#pragma unroll 4
        for (int j = 0; j < nb - 1; j++) {
            T l = below[lane * LD + j]; /* 0 on and above the diagonal */
#pragma unroll
            for (int q = 0; q < EACH; q++) {
                T above = from_lane(v[q], j);
                if (lane > j) v[q] = minus_product(v[q], l, above);
            }
        }
#pragma unroll
        for (int q = 0; q < EACH; q++) top[lane][warp * EACH + q] = v[q];
        __syncthreads();
        if (blockIdx.y == 0 && c < columns)
            for (int i = warp; i < nb; i += 8) to[(wide)(j0 + i) * columns + c] = top[i][lane];
#pragma unroll
        for (int i = 0; i < ROWS / 8; i++) below[(warp + 8 * i) * LD + lane] = factor[i];
        __syncthreads();
#pragma unroll 4
        for (int l = 0; l < nb; l += P::COUNT) {
            T u[P::COUNT];
#pragma unroll
            for (int e = 0; e < P::COUNT; e++) u[e] = top[l + e][lane]; /* rows beyond nb are zeros */
#pragma unroll
            for (int i = 0; i < ROWS / 8; i++) {
                P part = *(const P *)(below + (warp + 8 * i) * LD + l);
#pragma unroll
                for (int e = 0; e < P::COUNT; e++) sum[i] = minus_product(sum[i], part.v[e], u[e]);
            }
        }
#pragma unroll
        for (int i = 0; i < ROWS / 8; i++)
            if (mine[i] >= 0 && c < columns) from[(wide)mine[i] * columns + c] = sum[i];
        __syncthreads();
    }
}

/* The rows at the places from r on, when all panels are done. */
template <class T>
__global__ void implicit_rest(const T *w, T *x, wide batch, int m, int columns, int r, const int *order)
{
    wide rest = m - r;
    for (wide at = blockIdx.x; at < batch * rest; at += gridDim.x) {
        wide matrix = at / rest, position = matrix * m + r + at % rest;
        for (int c = (int)threadIdx.x; c < columns; c += (int)blockDim.x)
            x[position * columns + c] = w[(matrix * m + order[position]) * columns + c];
    }
}

/* U X = Y for few columns, by a block a matrix: U the upper triangle in rows of ldu, Y the k columns of y in rows of
 * ldu, X in rows of k. A block of 32 rows is solved by a warp a column, and taken from all rows above it. */
template <class T>
__global__ void __launch_bounds__(1024) implicit_back(const T *u, const T *y, T *x, int ldu, wide next, int n, int k)
{
    __shared__ T corner[32 * 33];
    T *solved = (T *)la_shared; /* n x k */
    int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    u += blockIdx.x * next, y += blockIdx.x * next, x += (wide)blockIdx.x * n * k;
    for (int i = (int)threadIdx.x; i < n * k; i += (int)blockDim.x) solved[i] = y[(wide)(i / k) * ldu + i % k];
    for (int j = (n - 1) / 32 * 32; j >= 0; j -= 32) {
        int nb = n - j < 32 ? n - j : 32;
        for (int i = warp; i < nb; i += warps)
            if (lane < nb) corner[i * 33 + lane] = u[(wide)(j + i) * ldu + j + lane];
        __syncthreads();
        for (int c = warp; c < k; c += warps) {
            T v = lane < nb ? solved[(j + lane) * k + c] : number<T>(0);
            for (int s = nb - 1; s >= 0; s--) {
                if (lane == s) v = divide(v, corner[s * 33 + s]);
                T known = from_lane(v, s);
                if (lane < s) v = minus_product(v, corner[lane * 33 + s], known);
            }
            if (lane < nb) solved[(j + lane) * k + c] = v;
        }
        __syncthreads();
        for (int i = warp; i < j; i += warps) {
            T factor = lane < nb ? u[(wide)i * ldu + j + lane] : number<T>(0);
            for (int c = 0; c < k; c++) {
                T sum = lane < nb ? plus_product(number<T>(0), factor, solved[(j + lane) * k + c]) : number<T>(0);
                sum = group_sum(sum, 32);
                if (lane == 0) solved[i * k + c] = subtract(solved[i * k + c], sum);
            }
        }
        __syncthreads();
    }
    for (int i = (int)threadIdx.x; i < n * k; i += (int)blockDim.x) x[i] = solved[i];
}

} // namespace la
#endif
