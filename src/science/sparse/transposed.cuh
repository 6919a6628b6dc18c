/* The kernels of transposed_cuda.cu, behind those of compress.cuh. It includes no header, so that tests can compile it
 * as a user's kernels.
 *
 * A row of the transpose has at most PARTS parts, of `each` lines, whose elements are added one after the other; then
 * the parts' sums are. in NULL: a vector of ones. */

enum { PARTS = 4, FEW = 48 };

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
/* products[k]: element k times its line's component of the vector, but where that is all ones. The numbers of elements
 * go to the rows of the transpose, each of which has space for `space` of them, in any order. count, 0 before: how many
 * a row has. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
place_numbers(int64_t n, const I *row, const I *from, int64_t lines, const V *data, const V *in, V *products,
              int64_t space, I *count, I *to)
{
    const int64_t first = (int64_t)blockIdx.x * THREADS, k = first + threadIdx.x;
    const int64_t r = k < n ? row[k] : 0;
    const I at = k < n ? add_one(count + r) : 0; /* under way while the line is sought */
    const int64_t line = in ? line_of_block(from, lines, first) : 0;
    if (k >= n) return;
    if (in) products[k] = cpi_sp_mul(data[k], in[line_from(from, lines, line, k)]);
    if (at < space) to[r * space + at] = (I)k;
}
/* Rows with more than they have space for, in any order: how many numbers they have, and their lists, which begin at
 * the two ends of one array. All 0 before. */
template <class I> struct rest { I numbers, few, many; };

/* The same for the numbers of those rows. cursor: where a row's numbers begin, and after this where they end. */
template <class I>
__global__ void __launch_bounds__(THREADS)
place_rest(int64_t n, const I *row, int64_t space, const I *count, I *cursor, const rest<I> *found, I *to)
{
    if (!found->numbers) return;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < n; k += (int64_t)gridDim.x * THREADS)
        if (count[row[k]] > space) to[add_one(cursor + row[k])] = (I)k;
}
/* Numbers of rows, one for each LANES threads; their products in the order of the numbers, and of which part each is.
 * An odd length: neither groups nor threads with a row each use one bank. */
template <class V, class I> struct ordered {
    V products[THREADS / LANES][FEW + 1];
    I numbers[THREADS / LANES][FEW + 1];
    uint8_t part[THREADS / LANES][FEW + 1];
    int length[THREADS / LANES];
    V *sum[THREADS / LANES];
};
/* Rows of n <= FEW numbers, each of LANES threads: how many are below one is where its product waits. Then a thread has
 * a row, and adds. All of a block call. */
template <class V, class I>
static __device__ void sum_short(int n, const I *numbers, const V *from, int64_t each, int64_t parts,
                                 const I *lines_from, int64_t lines, ordered<V, I> *shared, V *y)
{
    const int lane = (int)(threadIdx.x % LANES), group = (int)(threadIdx.x / LANES);
    I *mine = shared->numbers[group];
    int64_t begin[PARTS];
    for (int p = 1; p < PARTS; p++) begin[p] = part_begin(lines_from, lines, each, p);
    for (int i = lane; i < n; i += LANES) mine[i] = numbers[i];
    if (!lane) shared->length[group] = n, shared->sum[group] = y;
    __syncwarp();
    for (int i = lane; i < n; i += LANES) {
        const I e = mine[i];
        const V product = from[e];
        int rank = 0, of = 0;
        for (int k = 0; k < n; k++) rank += mine[k] < e;
        for (int p = 1; p < PARTS; p++) of += e >= begin[p];
        shared->products[group][rank] = product;
        shared->part[group][rank] = (uint8_t)of;
    }
    __syncthreads();
    if (threadIdx.x < THREADS / LANES && (y = shared->sum[threadIdx.x])) {
        const uint8_t *part = shared->part[threadIdx.x];
        V total;
        n = shared->length[threadIdx.x];
        for (int p = 0, i = 0; p < parts; p++) {
            V sum;
            memset(&sum, 0, sizeof sum);
            for (; i < n && part[i] == p; i++) sum = cpi_sp_add(sum, shared->products[threadIdx.x][i]);
            total = p ? cpi_sp_add(total, sum) : sum;
        }
        *y = total;
    }
    __syncthreads();
}
/* Lists a row of n numbers that has no space for them. All of a block call; n = 0: none. */
template <class I> static __device__ void list_row(int64_t r, I n, rest<I> *found, I *cursor, I *list, int64_t listed)
{
    __shared__ rest<I> here, before;
    if (!__syncthreads_or(n > 0)) return;
    if (!threadIdx.x) here.numbers = here.few = here.many = 0;
    __syncthreads();
    const bool few = n <= FEW;
    const I first = n ? add(&here.numbers, n) : 0, at = n ? add_one(few ? &here.few : &here.many) : 0;
    __syncthreads();
    if (!threadIdx.x) {
        before.numbers = add(&found->numbers, here.numbers);
        before.few = add(&found->few, here.few);
        before.many = add(&found->many, here.many);
    }
    __syncthreads();
    if (!n) return;
    cursor[r] = before.numbers + first;
    list[few ? before.few + at : listed - 1 - before.many - at] = (I)r;
}
/* Rows that have space for their numbers; the others are listed. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
sum_rows(int64_t rows, int64_t each, int64_t parts, const I *lines_from, int64_t lines, int64_t space, const I *count,
         const I *numbers, const V *products, V *y, rest<I> *found, I *cursor, I *list, int64_t listed)
{
    __shared__ ordered<V, I> shared;
    const int64_t r = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / LANES;
    const I n = r < rows ? count[r] : 0;
    const bool fits = n <= space;
    sum_short(fits ? (int)n : 0, numbers + r * space, products, each, parts, lines_from, lines, &shared,
              fits && r < rows ? y + r : NULL);
    list_row(r, fits || threadIdx.x % LANES ? (I)0 : n, found, cursor, list, listed);
}
/* A row by a block: its numbers are sorted in shared memory, or, where they do not fit there, found once more, in their
 * order; then a warp has a part, whose products come 32 at a time and are added one after the other all the same. */
template <class V, class I>
static __device__ void sum_long(int64_t n, int64_t each, int64_t parts, const I *row, const I *lines_from,
                                int64_t lines, I r, int64_t length, I *numbers, const V *products, entry<I> *shared,
                                V *y)
{
    __shared__ V sums[PARTS];
    const int warp = (int)(threadIdx.x / 32), lane = (int)(threadIdx.x % 32);
    const bool fits = length <= SHARED;
    if (fits)
        sort_in_block(
            [=](int i) {
                const entry<I> e = {numbers[i], 0};
                return e;
            },
            (int)length, shared);
    else collect_in_block(n, row, r, [=](int64_t i, int64_t k) { numbers[i] = (I)k; });
    const auto number = [=](int64_t i) { return fits ? shared[i].high : numbers[i]; };
    if (warp < parts) {
        int64_t low[2]; /* the first elements of this part and of the next one */
        for (int b = 0; b < 2; b++) {
            const int64_t limit = part_begin(lines_from, lines, each, warp + b);
            int64_t begin = 0;
            for (int64_t end = length; begin < end;) {
                const int64_t middle = begin + (end - begin) / 2;
                if (number(middle) < limit) begin = middle + 1;
                else end = middle;
            }
            low[b] = begin;
        }
        V sum, product;
        memset(&sum, 0, sizeof sum);
        memset(&product, 0, sizeof product);
        for (int64_t base = low[0]; base < low[1]; base += 32) {
            if (base + lane < low[1]) product = products[number(base + lane)];
            const int count = (int)(low[1] - base < 32 ? low[1] - base : 32);
            for (int k = 0; k < count; k++) sum = cpi_sp_add(sum, from_lane(product, k));
        }
        if (!lane) sums[warp] = sum;
    }
    __syncthreads();
    if (!threadIdx.x) {
        V total = sums[0];
        for (int p = 1; p < parts; p++) total = cpi_sp_add(total, sums[p]);
        *y = total;
    }
    __syncthreads();
}
/* The listed rows. */
template <class V, class I>
__global__ void __launch_bounds__(THREADS)
sum_rest(int64_t n, int64_t each, int64_t parts, const I *row, const I *lines_from, int64_t lines, const I *count,
         const I *cursor, const rest<I> *found, I *numbers, const V *products, V *y, const I *list, int64_t listed)
{
    typedef ordered<V, I> few_type;
    typedef entry<I> many_type[SHARED];
    enum { SIZE = sizeof(few_type) > sizeof(many_type) ? sizeof(few_type) : sizeof(many_type) };
    __shared__ alignas(16) char memory[SIZE];
    const int64_t few = found->few, many = found->many;
    for (int64_t l = (int64_t)blockIdx.x * (THREADS / LANES); l < few; l += (int64_t)gridDim.x * (THREADS / LANES)) {
        const int64_t mine = l + threadIdx.x / LANES, r = mine < few ? list[mine] : 0;
        sum_short(mine < few ? (int)count[r] : 0, numbers + cursor[r] - count[r], products, each, parts, lines_from,
                  lines, (few_type *)memory, mine < few ? y + r : NULL);
    }
    for (int64_t l = blockIdx.x; l < many; l += gridDim.x) {
        const I r = list[listed - 1 - l];
        sum_long(n, each, parts, row, lines_from, lines, r, count[r], numbers + cursor[r] - count[r], products,
                 (entry<I> *)memory, y + r);
    }
}
