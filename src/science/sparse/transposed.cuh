/* The kernels of transposed_cuda.cu, behind those of compress.cuh. It includes no header, so that tests can compile it
 * as a user's kernels.
 *
 * A row of the transpose has at most PARTS parts, of `each` lines, whose elements are added one after the other; then
 * the parts' sums are. in NULL: a vector of ones. */

enum { PARTS = 4 };

template <class V> static __device__ __forceinline__ V from_lane(V v, int lane)
{
    union {
        V v;
        uint32_t words[(sizeof(V) + 3) / 4];
    } u;
    u.words[0] = 0;
    u.v = v;
#pragma unroll
    for (int w = 0; w < (int)((sizeof(V) + 3) / 4); w++) u.words[w] = __shfl_sync(0xffffffffu, u.words[w], lane);
    return u.v;
}
template <class V, class I>
static __device__ __forceinline__ V product_with(const V *data, const V *in, int64_t k, I line)
{
    return in ? cpi_sp_mul(data[k], in[line]) : data[k];
}
static __device__ __forceinline__ int line_part(int64_t line, int64_t each)
{
    return (line >= each) + (line >= 2 * each) + (line >= 3 * each);
}
/* Rows of at most SHORT elements, of which LANES threads share one: a product's rank is where it waits to be added. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
sum_short(int64_t rows, int64_t each, int64_t parts, const I *ends, const entry<I> *from, const V *data, const V *in,
          V *y, I *listed, I *list)
{
    __shared__ V values[THREADS / LANES][SHORT];
    __shared__ uint8_t part[THREADS / LANES][SHORT];
    const int64_t r = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    const int lane = (int)(threadIdx.x % LANES), group = (int)(threadIdx.x / LANES);
    const int64_t first = r < rows ? ends[r] : 0, n = r < rows ? ends[r + 1] - first : 0;
    const entry<I> *x = from + first;
    if (n > SHORT && !lane) list[add_one(listed)] = (I)r;
    for (int i = lane; i < n && n <= SHORT; i += LANES) {
        const entry<I> e = x[i];
        int rank = 0;
        for (int k = 0; k < n; k++) rank += before(x[k], e);
        values[group][rank] = product_with(data, in, e.high, e.low);
        part[group][rank] = (uint8_t)line_part(e.low, each);
    }
    __syncwarp();
    if (r >= rows || n > SHORT || lane) return;
    V total;
    for (int p = 0, i = 0; p < parts; p++) {
        V sum;
        memset(&sum, 0, sizeof sum);
        for (; i < n && part[group][i] == p; i++) sum = cpi_sp_add(sum, values[group][i]);
        total = p ? cpi_sp_add(total, sum) : sum;
    }
    y[r] = total;
}
/* Listed rows, each by a block: its entries are sorted in shared memory, or, where they do not fit there, its products
 * and lines are collected in `products` and `at`; then a warp has a part, whose products come 32 at a time and are
 * added one after the other all the same. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
sum_long(int64_t n, int64_t each, int64_t parts, const I *row, const I *lines_from, int64_t lines, const I *ends,
         const entry<I> *from, const V *data, const V *in, V *y, V *products, I *at, const I *listed, const I *list)
{
    __shared__ entry<I> shared[SHARED];
    __shared__ V sums[PARTS];
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    for (int64_t l = blockIdx.x; l < *listed; l += gridDim.x) {
        const int64_t r = list[l], first = ends[r], length = ends[r + 1] - first;
        const bool fits = length <= SHARED;
        if (fits) sort_in_block(from + first, (int)length, shared);
        else
            collect_in_block(n, row, (I)r, [=](int64_t i, int64_t k) {
                const I line = line_of(lines_from, lines, k);
                at[first + i] = line;
                products[first + i] = product_with(data, in, k, line);
            });
        if (warp < parts) {
            int64_t low[2]; /* the first elements of this part and of the next one */
            for (int b = 0; b < 2; b++) {
                int64_t begin = 0;
                for (int64_t end = length; begin < end;) {
                    const int64_t middle = begin + (end - begin) / 2;
                    const int64_t line = fits ? shared[middle].low : at[first + middle];
                    if (line < (warp + b) * each) begin = middle + 1;
                    else end = middle;
                }
                low[b] = begin;
            }
            V sum, product;
            memset(&sum, 0, sizeof sum);
            memset(&product, 0, sizeof product);
            for (int64_t base = low[0]; base < low[1]; base += 32) {
                const int64_t i = base + lane;
                if (i < low[1])
                    product = fits ? product_with(data, in, shared[i].high, shared[i].low) : products[first + i];
                const int count = (int)(low[1] - base < 32 ? low[1] - base : 32);
                for (int k = 0; k < count; k++) sum = cpi_sp_add(sum, from_lane(product, k));
            }
            if (!lane) sums[warp] = sum;
        }
        __syncthreads();
        if (!threadIdx.x) {
            V total = sums[0];
            for (int p = 1; p < parts; p++) total = cpi_sp_add(total, sums[p]);
            y[r] = total;
        }
        __syncthreads();
    }
}
