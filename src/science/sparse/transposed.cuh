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
/* An element's product with the vector, and its number, by which those of a row are ordered. */
template <class V, class I>
struct alignas(sizeof(V) > 8 ? 8 : sizeof(V) + sizeof(I) > 8 ? 16 : 8) numbered { V product; I k; };

template <class V, class I> static __device__ __forceinline__ numbered<V, I> numbered_product(const V *data, int64_t k)
{
    numbered<V, I> p;
    p.product = data[k], p.k = (I)k;
    return p;
}
/* The line of element k for all threads of a block, each of which looks at one of THREADS places at a time. */
template <class I> static __device__ int64_t line_of_block(const I *ends, int64_t lines, int64_t k)
{
    int64_t low = 0;
    for (int64_t high = lines - 1; low < high;) {
        const int64_t each = (high - low + THREADS) / THREADS, last = low + each * (threadIdx.x + 1) - 1;
        low += each * __syncthreads_count(last < high && ends[last + 1] <= k);
        if (low + each - 1 < high) high = low + each - 1;
    }
    return low;
}
/* The same for a thread, from a line on that is not behind it: by steps that double, then by halves. */
template <class I> static __device__ int64_t line_from(const I *ends, int64_t lines, int64_t low, int64_t k)
{
    int64_t high = low;
    for (int64_t step = 1; high < lines - 1 && ends[high + 1] <= k; step *= 2)
        low = high + 1, high = high + step < lines ? high + step : lines - 1;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (ends[middle + 1] <= k) low = middle + 1;
        else high = middle;
    }
    return low;
}
/* The number of the first element behind `parts` parts of the lines. */
template <class I>
static __device__ __forceinline__ int64_t part_begin(const I *lines_from, int64_t lines, int64_t each, int64_t parts)
{
    return lines_from[each * parts < lines ? each * parts : lines];
}
/* Products in the rows of the transpose, each of which has room for `room` of them: they are made here, where elements
 * and lines come in their order, so that nothing is gathered later. count, 0 before: how many a row has. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
place_products(int64_t n, const I *row, const I *from, int64_t lines, const V *data, const V *in, int64_t room,
               I *count, I *place, numbered<V, I> *to)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS, k = first + threadIdx.x;
    const int64_t line = in && room ? line_of_block(from, lines, first) : 0;
    if (k >= n) return;
    const int64_t r = row[k];
    const I at = place[k] = add_one(count + r);
    if (at >= room) return;
    numbered<V, I> p = numbered_product<V, I>(data, k);
    if (in) p.product = cpi_sp_mul(p.product, in[line_from(from, lines, line, k)]);
    to[r * room + at] = p;
}
/* Rows with more than they have room for, in any order: where their products go, and their lists, which begin at the
 * two ends of one array. All 0 before. */
template <class I> struct rest { I products, few, many; };

/* The same for the products of those rows. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
place_rest(int64_t n, const I *row, const I *from, int64_t lines, const V *data, const V *in, int64_t room,
           const I *count, const I *begin, const rest<I> *found, const I *place, numbered<V, I> *to)
{
    if (!found->products) return;
    for (int64_t first = (int64_t)blockIdx.x * THREADS; first < n; first += (int64_t)gridDim.x * THREADS) {
        const int64_t k = first + threadIdx.x, line = in ? line_of_block(from, lines, first) : 0;
        if (k >= n || count[row[k]] <= room) continue;
        numbered<V, I> p = numbered_product<V, I>(data, k);
        if (in) p.product = cpi_sp_mul(p.product, in[line_from(from, lines, line, k)]);
        to[begin[row[k]] + place[k]] = p;
    }
}
/* Where products wait to be added: in their order, and of which part each is. */
template <class V> struct waiting {
    V values[THREADS / LANES][SHORT];
    uint8_t part[THREADS / LANES][SHORT];
};
/* A row of n <= SHORT products, which LANES threads share: a product's rank is where it waits. All of a warp call. */
template <class V, class I>
static __device__ void sum_short(int n, const numbered<V, I> *x, int64_t each, int64_t parts, const I *lines_from,
                                 int64_t lines, waiting<V> *shared, V *y)
{
    const int lane = (int)(threadIdx.x % LANES), group = (int)(threadIdx.x / LANES);
    V *values = shared->values[group];
    uint8_t *part = shared->part[group];
    int64_t begin[PARTS];
    for (int p = 1; p < PARTS; p++) begin[p] = part_begin(lines_from, lines, each, p);
    for (int i = lane; i < n; i += LANES) {
        const numbered<V, I> e = x[i];
        int rank = 0, of = 0;
        for (int k = 0; k < n; k++) rank += x[k].k < e.k;
        for (int p = 1; p < PARTS; p++) of += e.k >= begin[p];
        values[rank] = e.product;
        part[rank] = (uint8_t)of;
    }
    __syncwarp();
    if (y && !lane) {
        V total;
        for (int p = 0, i = 0; p < parts; p++) {
            V sum;
            memset(&sum, 0, sizeof sum);
            for (; i < n && part[i] == p; i++) sum = cpi_sp_add(sum, values[i]);
            total = p ? cpi_sp_add(total, sum) : sum;
        }
        *y = total;
    }
    __syncwarp();
}
/* Rows that have room for their products; the others are listed. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
sum_rows(int64_t rows, int64_t each, int64_t parts, const I *lines_from, int64_t lines, int64_t room, const I *count,
         const numbered<V, I> *from, V *y, rest<I> *found, I *begin, I *list, int64_t listed)
{
    __shared__ waiting<V> shared;
    const int64_t r = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    const I n = r < rows ? count[r] : 0;
    const bool fits = n <= room;
    if (!fits && threadIdx.x % LANES == 0) {
        begin[r] = add(&found->products, n);
        if (n <= SHORT) list[add_one(&found->few)] = (I)r;
        else list[listed - 1 - add_one(&found->many)] = (I)r;
    }
    sum_short(fits ? (int)n : 0, from + r * room, each, parts, lines_from, lines, &shared,
              fits && r < rows ? y + r : NULL);
}
/* Listed rows. A long one has a block: its products' numbers are sorted in shared memory, or, where they do not fit
 * there, its products are made once more, in their order and in their places; then a warp has a part, whose products
 * come 32 at a time and are added one after the other all the same. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
sum_rest(int64_t n, int64_t each, int64_t parts, const I *row, const I *lines_from, int64_t lines, const I *count,
         const I *begin, const rest<I> *found, numbered<V, I> *from, const V *data, const V *in, V *y, const I *list,
         int64_t listed)
{
    __shared__ alignas(16) char memory[sizeof(waiting<V>) > sizeof(entry<I>[SHARED]) ? sizeof(waiting<V>)
                                                                                      : sizeof(entry<I>[SHARED])];
    __shared__ V sums[PARTS];
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    if (!found->products) return;
    for (int64_t l = (int64_t)blockIdx.x * (THREADS / LANES); l < found->few; l += gridDim.x * (THREADS / LANES)) {
        const int64_t mine = l + threadIdx.x / LANES, r = mine < found->few ? list[mine] : 0;
        const bool any = mine < found->few;
        sum_short(any ? (int)count[r] : 0, from + begin[r], each, parts, lines_from, lines, (waiting<V> *)memory,
                  any ? y + r : NULL);
    }
    __syncthreads();
    entry<I> *shared = (entry<I> *)memory;
    for (int64_t l = blockIdx.x; l < found->many; l += gridDim.x) {
        const int64_t r = list[listed - 1 - l], length = count[r];
        numbered<V, I> *x = from + begin[r];
        const bool fits = length <= SHARED;
        if (fits)
            sort_in_block(
                [=](int i) {
                    const entry<I> e = {x[i].k, (I)i};
                    return e;
                },
                (int)length, shared);
        else
            collect_in_block(n, row, (I)r, [=](int64_t i, int64_t k) {
                x[i] = numbered_product<V, I>(data, k);
                if (in) x[i].product = cpi_sp_mul(x[i].product, in[line_of(lines_from, lines, k)]);
            });
        if (warp < parts) {
            int64_t low[2]; /* the first elements of this part and of the next one */
            for (int b = 0; b < 2; b++) {
                const int64_t limit = part_begin(lines_from, lines, each, warp + b);
                int64_t begin = 0;
                for (int64_t end = length; begin < end;) {
                    const int64_t middle = begin + (end - begin) / 2;
                    if ((fits ? shared[middle].high : x[middle].k) < limit) begin = middle + 1;
                    else end = middle;
                }
                low[b] = begin;
            }
            V sum, product;
            memset(&sum, 0, sizeof sum);
            memset(&product, 0, sizeof product);
            for (int64_t base = low[0]; base < low[1]; base += 32) {
                const int64_t i = base + lane;
                if (i < low[1]) product = x[fits ? (int64_t)shared[i].low : i].product;
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
