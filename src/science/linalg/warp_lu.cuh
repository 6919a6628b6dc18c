/* Systems and inverses of many small matrices, several a warp. */
#ifndef CPI_LINALG_WARP_LU_CUH
#define CPI_LINALG_WARP_LU_CUH

#include "linalg/numbers.cuh"

namespace la {

/* A X = B of many systems of at most W rows and K right sides, or (b NULL, k = n) inverses: 32 / W systems a warp. A
 * lane holds a row in registers, and rows are not exchanged but know where they stand. They turn, so that the column at
 * hand is the first on the way down and the last on the way up, and a step is one small loop's. */
template <class T, int W, int K>
__global__ void __launch_bounds__(128)
lu_by_warps(wide batch, int n, int k, const T *a, const T *b, T *x, unsigned *mailbox, unsigned error)
{
    int lane = (int)threadIdx.x % W, base = (int)threadIdx.x - lane, stands = lane, order = lane;
    wide matrix = ((wide)blockIdx.x * blockDim.y + threadIdx.y) * (32 / W) + (int)threadIdx.x / W;
    bool there = matrix < batch, mine = there && lane < n, regular = true;
    wide row = matrix * n + lane;
    T r[W], y[K];
#pragma unroll
    for (int c = 0; c < W; c++) r[c] = mine && c < n ? a[row * n + c] : number<T>(0);
#pragma unroll
    for (int c = 0; c < K; c++)
        y[c] = !b ? number<T>(c == lane ? 1 : 0) : mine && c < k ? b[row * k + c] : number<T>(0);
#pragma unroll 1
    for (int j = 0; j < W; j++) {
        T l = number<T>(0), first = r[0];
        bool below = false;
        int p = 0;
        if (j < n) {
            real_of<T> size = mine && stands >= j ? pivot_size(first) : (real_of<T>)-1;
            int found = stands * W + lane; /* of equal ones the upper */
#pragma unroll
            for (int d = W / 2; d; d /= 2) {
                real_of<T> other = across(size, d);
                int at = __shfl_xor_sync(0xffffffffu, found, d);
                if (other > size || (other == size && at < found)) size = other, found = at;
            }
            p = found % W;
            if (stands == j) stands = found / W;
            if (lane == p) stands = j;
            if (lane == j) order = p;
            T pivot = from_lane(first, base + p);
            bool zero = is_zero(pivot);
            if (zero) regular = false;
            below = mine && stands > j && !zero;
            if (below) l = divide(first, pivot);
#pragma unroll
            for (int c = 0; c < K; c++) {
                T u = from_lane(y[c], base + p);
                if (below) y[c] = minus_product(y[c], l, u);
            }
        }
#pragma unroll
        for (int c = 1; c < W; c++) { /* those behind column n, and those that came round, are multiplied by nothing */
            T u = from_lane(r[c], base + p);
            r[c - 1] = below && c + j < n ? minus_product(r[c], l, u) : r[c];
        }
        r[W - 1] = first;
    }
#pragma unroll 1
    for (int j = W - 1; j >= 0; j--) {
        T last = r[W - 1];
        if (j < n) {
            int p = base + __shfl_sync(0xffffffffu, order, base + j);
            T pivot = from_lane(last, p), inverse = divide(number<T>(1), pivot);
            real_of<T> size = pivot_size(pivot), least = limits<real_of<T>>::least() * 8;
            bool usual = K > 1 && size > least && size * least < 1; /* the inverse is in range */
#pragma unroll
            for (int c = 0; c < K; c++) {
                T v = from_lane(y[c], p);
                v = usual ? times(v, inverse) : divide(v, pivot);
                if (base + lane == p) y[c] = v;
                else if (stands < j) y[c] = minus_product(y[c], last, v);
            }
        }
#pragma unroll
        for (int c = W - 1; c > 0; c--) r[c] = r[c - 1];
        r[0] = last;
    }
    if (!regular && there && mailbox && lane == 0) *mailbox = error;
    if (!mine) return;
    x += (matrix * n + stands) * k;
#pragma unroll
    for (int c = 0; c < K; c++)
        if (c < k) x[c] = regular ? y[c] : number<T>((real_of<T>)NAN, NAN);
}

} // namespace la
#endif
