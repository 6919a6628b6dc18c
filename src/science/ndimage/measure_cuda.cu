/* Measurements on the GPU, from pixels grouped by region (group_cuda.cuh); boxes by integer minima and maxima. */
#include "loop/unravel.cuh"
#include "ndimage/group_cuda.cuh"
#include "sort/cuda.h"


namespace {

#define WARPS 8 /* of a block */
enum { INTEGER_SUM, SUM, SQUARES, SPREAD };

/* The image: strides are in elements, C order. */
struct image {
    const void *x;
    cp_type type;
    int itemsize, ndim;
    int64_t shape[CP_MAXDIM], stride[CP_MAXDIM];
    double background; /* subtracted from each element in sums */
};

template <class P> __device__ __forceinline__ double index_along(const image &im, int64_t at, int axis)
{
    return (double)((P)at / (P)im.stride[axis] % (P)im.shape[axis]);
}

/* One number a region and quantity. Quantity 0 is the sum of the pixels (or of their squared deviations from `mean`),
 * quantity 1 + a the sum of pixel times index along axis a. */
template <class P, int WHAT> struct term {
    image im;
    const double *mean;
    __device__ __forceinline__ double operator()(int64_t at, int64_t region, int quantity) const
    {
        double v = cpi_load_double(im.type, im.x, at) - im.background;
        if (WHAT == SQUARES) {
            double d = v - mean[region];
            return d * d;
        }
        return quantity ? v * index_along<P>(im, at, quantity - 1) : v;
    }
};
/* Quantity a: the squared distance from the centre along axis a, by the sums of term<P, SUM> over `n` regions. */
template <class P> struct term<P, SPREAD> {
    image im;
    const double *sums;
    int64_t n;
    __device__ __forceinline__ double operator()(int64_t at, int64_t region, int axis) const
    {
        double d = index_along<P>(im, at, axis) - sums[(axis + 1) * n + region] / sums[region];
        return d * d;
    }
};
template <class P> struct term<P, INTEGER_SUM> {
    image im;
    const double *mean;
    __device__ __forceinline__ uint64_t operator()(int64_t at, int64_t, int) const
    {
        return (uint64_t)cpi_load_int(im.type, im.x, at);
    }
};

template <class T> __device__ __forceinline__ T warp_sum(T v)
{
    for (int d = 16; d; d >>= 1) v += __shfl_xor_sync(~0u, v, d);
    return v;
}

/* A warp sums a chunk: four partial sums in each lane, added in a fixed order. */
template <class P, class T, class F>
__global__ void __launch_bounds__(WARPS * 32) sum_chunks(groups<P> g, F f, T *partial)
{
    int lane = threadIdx.x & 31, quantity = blockIdx.y;
    int64_t nchunks = g.chunk[g.n], step = (int64_t)gridDim.x * WARPS;
    for (int64_t p = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5); p < nchunks; p += step) {
        int64_t r = region_of_chunk(g, p), i = g.begin[r] + (p - g.chunk[r]) * SEGMENT, end = g.begin[r + 1];
        if (end > i + SEGMENT) end = i + SEGMENT;
        T sum[4] = {0, 0, 0, 0};
        for (i += lane; i + 96 < end; i += 128) {
#pragma unroll
            for (int k = 0; k < 4; k++) sum[k] += f(position(g, i + 32 * k), r, quantity);
        }
        for (; i < end; i += 32) sum[0] += f(position(g, i), r, quantity);
        T all = warp_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
        if (lane == 0) partial[quantity * g.most_chunks + p] = all;
    }
}

/* A warp sums the chunks of a region. */
template <class P, class T>
__global__ void __launch_bounds__(WARPS * 32) sum_regions(groups<P> g, const T *partial, T *sums)
{
    int lane = threadIdx.x & 31, quantity = blockIdx.y;
    int64_t step = (int64_t)gridDim.x * WARPS;
    for (int64_t r = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5); r < g.n; r += step) {
        T sum = 0;
        for (int64_t p = g.chunk[r] + lane; p < g.chunk[r + 1]; p += 32) sum += partial[quantity * g.most_chunks + p];
        sum = warp_sum(sum);
        if (lane == 0) sums[quantity * g.n + r] = sum;
    }
}

/* The extremum so far: the greatest key (flipped for minima), the first position. */
struct best_pixel { uint64_t key; int64_t at; };
#define NOWHERE INT64_MAX

__device__ __forceinline__ best_pixel better(best_pixel a, best_pixel b)
{
    return b.key > a.key || (b.key == a.key && b.at < a.at) ? b : a;
}
__device__ __forceinline__ best_pixel warp_best(best_pixel v)
{
    for (int d = 16; d; d >>= 1) {
        best_pixel o;
        o.key = __shfl_xor_sync(~0u, (unsigned long long)v.key, d);
        o.at = __shfl_xor_sync(~0u, (long long)v.at, d);
        v = better(v, o);
    }
    return v;
}

template <class P>
__global__ void __launch_bounds__(WARPS * 32)
best_chunks(groups<P> g, image im, uint64_t nan, uint64_t flip, best_pixel *partial)
{
    int lane = threadIdx.x & 31;
    int64_t nchunks = g.chunk[g.n], step = (int64_t)gridDim.x * WARPS;
    for (int64_t p = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5); p < nchunks; p += step) {
        int64_t r = region_of_chunk(g, p), i = g.begin[r] + (p - g.chunk[r]) * SEGMENT, end = g.begin[r + 1];
        if (end > i + SEGMENT) end = i + SEGMENT;
        best_pixel best = {0, NOWHERE};
#pragma unroll 4
        for (i += lane; i < end; i += 32) {
            int64_t at = position(g, i);
            best_pixel here = {cpi_load_order(im.type, im.x, at, nan) ^ flip, at};
            best = better(best, here);
        }
        best = warp_best(best);
        if (lane == 0) partial[p] = best;
    }
}

template <class P>
__global__ void __launch_bounds__(WARPS * 32) best_regions(groups<P> g, const best_pixel *partial, int64_t *indices)
{
    int lane = threadIdx.x & 31;
    int64_t step = (int64_t)gridDim.x * WARPS;
    for (int64_t r = (int64_t)blockIdx.x * WARPS + (threadIdx.x >> 5); r < g.n; r += step) {
        best_pixel best = {0, NOWHERE};
        for (int64_t p = g.chunk[r] + lane; p < g.chunk[r + 1]; p += 32) best = better(best, partial[p]);
        best = warp_best(best);
        if (lane == 0) indices[r] = best.at == NOWHERE ? -1 : best.at;
    }
}

__global__ void make_means(const double *sums, const int64_t *begin, int64_t n, double *mean)
{
    for (int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; r < n; r += (int64_t)gridDim.x * blockDim.x)
        mean[r] = sums[r] / (double)(begin[r + 1] - begin[r]);
}

/* Outputs and inputs of the last kernel. */
struct results {
    int64_t n;
    int ndim;
    const void *index;        /* NULL: result i is region i */
    cp_type index_type;
    const int64_t *keys, *begin;
    cpi_domain domain;
    const double *sums;       /* n sums, then n moments an axis */
    const uint64_t *whole;    /* integer sums */
    const double *squares, *spread; /* of deviations from the mean; of indices from the centre, n an axis */
    double background, noise;
    const int64_t *indices;
    int64_t *count;
    void *sum;
    cp_type sum_type;
    double *mean, *variance, *deviation, *centre, *raw, *sum_error, *centre_error;
    void *value;
    int64_t *position;
};

__device__ void put_sum(const results &r, int64_t i, int64_t region)
{
    double d = region >= 0 && r.sums ? r.sums[region] : 0;
    if (cpi_is_half(r.sum_type)) cps_store_half(r.sum_type, r.sum, i, cps_f64_to_odd(d));
    else if (r.sum_type == CP_FLOAT64) ((double *)r.sum)[i] = d;
    else if (r.sum_type == CP_FLOAT32) ((float *)r.sum)[i] = (float)d;
    else ((uint64_t *)r.sum)[i] = region >= 0 ? r.whole[region] : 0;
}

__device__ void put_extremum(const results &r, const image &im, int64_t i, int64_t region)
{
    int64_t at = region >= 0 ? r.indices[region] : -1;
    if (r.value) {
        switch (im.itemsize) {
        case 1: ((uint8_t *)r.value)[i] = at >= 0 ? ((const uint8_t *)im.x)[at] : (uint8_t)0; break;
        case 2: ((uint16_t *)r.value)[i] = at >= 0 ? ((const uint16_t *)im.x)[at] : (uint16_t)0; break;
        case 4: ((uint32_t *)r.value)[i] = at >= 0 ? ((const uint32_t *)im.x)[at] : 0; break;
        default: ((uint64_t *)r.value)[i] = at >= 0 ? ((const uint64_t *)im.x)[at] : 0; break;
        }
    }
    if (r.position && at >= 0)
        cpi_indices_of(r.ndim, im.shape, at, [&](int a, int64_t index) { r.position[i * r.ndim + a] = index; });
    else if (r.position)
        for (int a = 0; a < r.ndim; a++) r.position[i * r.ndim + a] = 0;
}

__global__ void put_results(results r, image im)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < r.n; i += (int64_t)gridDim.x * blockDim.x) {
        int64_t region = i, key;
        if (r.index)
            region = cpi_index_key(r.index_type, r.index, i, r.domain, &key) ? position_of_key(r.keys, r.n, key) : -1;
        int64_t n = region >= 0 ? r.begin[region + 1] - r.begin[region] : 0;
        double sum = region >= 0 && r.sums ? r.sums[region] : 0;
        if (r.count) r.count[i] = n;
        if (r.sum) put_sum(r, i, region);
        if (r.mean) r.mean[i] = sum / (double)n;
        if (r.squares) {
            double v = (region >= 0 ? r.squares[region] : 0) / (double)n;
            if (r.variance) r.variance[i] = v;
            if (r.deviation) r.deviation[i] = sqrt(v);
        }
        if (r.centre)
            for (int a = 0; a < r.ndim; a++)
                r.centre[i * r.ndim + a] = (region >= 0 ? r.sums[(a + 1) * r.n + region] : 0) / sum;
        if (r.raw) r.raw[i] = sum + (double)n * r.background;
        if (r.sum_error) r.sum_error[i] = r.noise * sqrt((double)n);
        if (r.centre_error)
            for (int a = 0; a < r.ndim; a++)
                r.centre_error[i * r.ndim + a] =
                    r.noise * sqrt(region >= 0 ? r.spread[a * r.n + region] : 0) / fabs(sum);
        if (r.value || r.position) put_extremum(r, im, i, region);
    }
}

#define SMALL 1024
/* Sorts the keys of an index of at most SMALL labels, in one block. Labels without a key sort last. */
__global__ void __launch_bounds__(SMALL) small_keys(const void *index, cp_type type, cpi_domain domain, int64_t n,
                                                    int64_t *keys)
{
    __shared__ int64_t s[SMALL];
    int me = threadIdx.x;
    int64_t key = INT64_MAX;
    if (me < n && !cpi_index_key(type, index, me, domain, &key)) key = INT64_MAX;
    s[me] = key;
    __syncthreads();
    if (__syncthreads_or(me > 0 && s[me - 1] > s[me])) {
        for (int size = 2; size <= SMALL; size <<= 1)
            for (int d = size >> 1; d; d >>= 1) {
                int other = me ^ d;
                if (other > me && (s[me] > s[other]) == ((me & size) == 0)) {
                    int64_t t = s[me];
                    s[me] = s[other];
                    s[other] = t;
                }
                __syncthreads();
            }
    }
    if (me < n) keys[me] = s[me];
}

__global__ void all_keys(const void *index, cp_type type, cpi_domain domain, int64_t n, int64_t *keys)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        int64_t key;
        keys[i] = cpi_index_key(type, index, i, domain, &key) ? key : INT64_MAX;
    }
}

cp_code sorted_keys(cp_stream *stream, const cpi_measure_plan *plan, cpi_domain domain, scratch *keys)
{
    int64_t n = plan->n;
    cudaStream_t q = cpi_cuda_stream(stream);
    if (!keys->make((size_t)n * sizeof(int64_t))) return CP_ERROR_MEMORY;
    if (n <= SMALL) {
        small_keys<<<1, SMALL, 0, q>>>(plan->index->data, plan->index->type, domain, n, keys->as<int64_t>());
        return CPI_LAUNCHED(stream, plan->function);
    }
    scratch raw(stream);
    if (!raw.make((size_t)n * sizeof(int64_t))) return CP_ERROR_MEMORY;
    all_keys<<<cpi_cuda_blocks(n, 256, 4096), 256, 0, q>>>(plan->index->data, plan->index->type, domain, n,
                                                           raw.as<int64_t>());
    cp_code code = CPI_LAUNCHED(stream, plan->function);
    return code ? code : cpi_cub_sort_row(stream, plan->function, CP_INT64, n, raw.memory, keys->memory);
}

/* Sums of `quantities` numbers a region into *sums (8 bytes each). */
template <class P, class T, class F>
cp_code sum_all(cp_stream *stream, const char *function, const groups<P> &g, F f, int quantities, scratch *sums)
{
    scratch partial(stream);
    if (!sums->make((size_t)g.n * quantities * sizeof(T)) ||
        !partial.make((size_t)g.most_chunks * quantities * sizeof(T)))
        return CP_ERROR_MEMORY;
    int64_t most = (int64_t)cpi_cuda_units(stream) * 32;
    cudaStream_t q = cpi_cuda_stream(stream);
    dim3 grid(cpi_cuda_blocks(g.most_chunks, WARPS, most), quantities);
    sum_chunks<P, T, F><<<grid, WARPS * 32, 0, q>>>(g, f, partial.as<T>());
    cp_code code = CPI_LAUNCHED(stream, function);
    if (code != CP_OK) return code;
    grid.x = cpi_cuda_blocks(g.n, WARPS, most);
    sum_regions<P, T><<<grid, WARPS * 32, 0, q>>>(g, partial.as<T>(), sums->as<T>());
    return CPI_LAUNCHED(stream, function);
}

template <class P>
cp_code best_all(cp_stream *stream, const cpi_measure_plan *plan, const groups<P> &g, const image &im, scratch *indices)
{
    scratch partial(stream);
    if (!indices->make((size_t)g.n * sizeof(int64_t)) || !partial.make((size_t)g.most_chunks * sizeof(best_pixel)))
        return CP_ERROR_MEMORY;
    int64_t most = (int64_t)cpi_cuda_units(stream) * 32;
    cudaStream_t q = cpi_cuda_stream(stream);
    uint64_t nan = plan->nan_wins && !plan->greatest ? 0 : UINT64_MAX, flip = plan->greatest ? 0 : UINT64_MAX;
    best_chunks<P><<<cpi_cuda_blocks(g.most_chunks, WARPS, most), WARPS * 32, 0, q>>>(g, im, nan, flip,
                                                                                     partial.as<best_pixel>());
    cp_code code = CPI_LAUNCHED(stream, plan->function);
    if (code != CP_OK) return code;
    best_regions<P><<<cpi_cuda_blocks(g.n, WARPS, most), WARPS * 32, 0, q>>>(g, partial.as<best_pixel>(),
                                                                             indices->as<int64_t>());
    return CPI_LAUNCHED(stream, plan->function);
}

template <class T> T *data_of(const cp_array *a) { return a ? (T *)a->data : (T *)NULL; }

results results_of(const cpi_measure_plan *plan)
{
    results r = {};
    r.n = plan->n;
    r.ndim = plan->ndim;
    r.count = data_of<int64_t>(plan->count);
    r.sum = data_of<void>(plan->sum);
    r.sum_type = plan->sum ? plan->sum->type : CP_FLOAT64;
    r.mean = data_of<double>(plan->mean);
    r.variance = data_of<double>(plan->variance);
    r.deviation = data_of<double>(plan->deviation);
    r.centre = data_of<double>(plan->centre);
    r.raw = data_of<double>(plan->raw);
    r.sum_error = data_of<double>(plan->sum_error);
    r.centre_error = data_of<double>(plan->centre_error);
    r.background = plan->background;
    r.noise = plan->noise;
    r.value = data_of<void>(plan->value);
    r.position = data_of<int64_t>(plan->position);
    return r;
}

template <class P>
cp_code statistics(cp_stream *stream, const cpi_measure_plan *plan, const region_lookup &l, const image &im)
{
    scratch positions(stream), begin(stream), chunk(stream);
    scratch sums(stream), whole(stream), squares(stream), mean(stream), spread_sums(stream), indices(stream);
    const char *f = plan->function;
    cudaStream_t q = cpi_cuda_stream(stream);
    groups<P> g;
    cp_code code = cpi_group<P>(stream, plan, l, &g, &positions, &begin, &chunk);
    if (code != CP_OK) return code;
    if (plan->must && g.total == 0)
        return cpi_host->fail(CP_ERROR_VALUE, "%s: zero-size array to reduction operation %s which has no identity", f,
                              plan->greatest ? "maximum" : "minimum");
    results r = results_of(plan);
    bool integer = plan->sum && cpi_is_int(plan->sum->type), spread = plan->variance || plan->deviation;
    if (integer) {
        code = sum_all<P, uint64_t>(stream, f, g, term<P, INTEGER_SUM>{im, NULL}, 1, &whole);
    }
    if (code == CP_OK && ((plan->sum && !integer) || plan->mean || plan->centre || spread))
        code = sum_all<P, double>(stream, f, g, term<P, SUM>{im, NULL}, plan->centre ? 1 + plan->ndim : 1, &sums);
    if (code == CP_OK && spread) {
        if (!mean.make((size_t)g.n * sizeof(double))) return CP_ERROR_MEMORY;
        make_means<<<cpi_cuda_blocks(g.n, 256, 4096), 256, 0, q>>>(sums.as<double>(), g.begin, g.n, mean.as<double>());
        code = CPI_LAUNCHED(stream, f);
        if (code == CP_OK)
            code = sum_all<P, double>(stream, f, g, term<P, SQUARES>{im, mean.as<double>()}, 1, &squares);
    }
    if (code == CP_OK && plan->centre_error && plan->ndim)
        code = sum_all<P, double>(stream, f, g, term<P, SPREAD>{im, sums.as<double>(), g.n}, plan->ndim, &spread_sums);
    if (code == CP_OK && (plan->value || plan->position)) code = best_all<P>(stream, plan, g, im, &indices);
    if (code != CP_OK) return code;
    r.begin = g.begin;
    r.sums = sums.as<double>();
    r.whole = whole.as<uint64_t>();
    r.squares = squares.as<double>();
    r.spread = spread_sums.as<double>();
    r.indices = indices.as<int64_t>();
    if (plan->kind == CPI_REGIONS_INDEX) {
        r.index = plan->index->data;
        r.index_type = plan->index->type;
        r.keys = l.keys;
        r.domain = l.domain;
    }
    put_results<<<cpi_cuda_blocks(g.n, 256, 4096), 256, 0, q>>>(r, im);
    return CPI_LAUNCHED(stream, f);
}

/* --- boxes --- */

__device__ __forceinline__ void lower(int64_t *p, int64_t v)
{
    if (*(volatile int64_t *)p > v) atomicMin((long long *)p, (long long)v);
}
__device__ __forceinline__ void raise(int64_t *p, int64_t v)
{
    if (*(volatile int64_t *)p < v) atomicMax((long long *)p, (long long)v);
}

__global__ void box_start(int64_t *box, int64_t n)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        box[i] = i & 1 ? -1 : INT64_MAX;
}
/* Only the ends of a region's runs in a line can move its box. */
template <int LABELS>
__device__ __forceinline__ void box_grow_by(const region_lookup &l, const image &im, int64_t i, int64_t r, int64_t *box)
{
    int64_t width = im.ndim ? im.shape[im.ndim - 1] : 1, line = i, *b = box + r * 2 * im.ndim;
    int64_t column = cpi_index_along(width, line);
    if (column == 0 || region_of<LABELS>(l, i - 1) != r) {
        lower(&b[2 * im.ndim - 2], column);
        cpi_indices_of(im.ndim - 1, im.shape, line, [&](int a, int64_t c) {
            lower(&b[2 * a], c);
            raise(&b[2 * a + 1], c + 1);
        });
    }
    if (column == width - 1 || region_of<LABELS>(l, i + 1) != r) raise(&b[2 * im.ndim - 1], column + 1);
}
/* Where the labels' type is compiled in, four loads are issued before the first is waited for. */
template <int LABELS>
__global__ void __launch_bounds__(256) box_grow(const __grid_constant__ region_lookup l,
                                                const __grid_constant__ image im, int64_t size, int64_t *box)
{
    constexpr int EACH = LABELS < 0 ? 1 : 4;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += step * EACH) {
        int64_t r[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) r[k] = i + k * step < size ? region_of<LABELS>(l, i + k * step) : -1;
#pragma unroll 1 /* a large body, and most pixels have no region */
        for (int k = 0; k < EACH; k++) {
            if (r[0] >= 0) box_grow_by<LABELS>(l, im, i + k * step, r[0], box);
#pragma unroll
            for (int j = 0; j + 1 < EACH; j++) r[j] = r[j + 1];
        }
    }
}
__global__ void box_end(int64_t *box, int64_t n)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        if (box[i] == INT64_MAX) box[i] = -1;
}

cp_code boxes(cp_stream *stream, const cpi_measure_plan *plan, const region_lookup &l, const image &im)
{
    int64_t *box = (int64_t *)plan->box->data, n = plan->box->size, most = (int64_t)cpi_cuda_units(stream) * 32;
    cudaStream_t q = cpi_cuda_stream(stream);
    unsigned blocks = cpi_cuda_blocks(n, 256, most);
    box_start<<<blocks, 256, 0, q>>>(box, n);
    cp_code code = CPI_LAUNCHED(stream, plan->function);
    if (code == CP_OK && plan->kind != CPI_REGIONS_NONE) {
        const auto grow = l.type == CP_INT32 ? box_grow<CP_INT32> : l.type == CP_INT64 ? box_grow<CP_INT64>
                                                                                       : box_grow<-1>;
        grow<<<cpi_cuda_blocks(plan->size, 256, most), 256, 0, q>>>(l, im, plan->size, box);
        code = CPI_LAUNCHED(stream, plan->function);
    }
    if (code != CP_OK) return code;
    box_end<<<blocks, 256, 0, q>>>(box, n);
    return CPI_LAUNCHED(stream, plan->function);
}

} // namespace

cp_code cpi_ndimage_cuda_measure(cp_stream *stream, const cpi_measure_plan *plan)
{
    region_lookup l = {};
    l.kind = plan->kind;
    l.type = plan->labels ? plan->labels->type : CP_INT64;
    l.domain = cpi_domain_of(l.type);
    l.n = plan->n;
    l.key = plan->key;
    l.labels = plan->labels ? plan->labels->data : NULL;
    image im = {};
    im.x = plan->x ? plan->x->data : NULL;
    im.type = plan->x ? plan->x->type : CP_FLOAT64;
    im.itemsize = (int)cpi_itemsize(im.type);
    im.ndim = plan->ndim;
    im.background = plan->background;
    int64_t stride = 1;
    for (int a = plan->ndim; a-- > 0; stride *= im.shape[a]) {
        im.shape[a] = plan->shape[a];
        im.stride[a] = stride > 0 ? stride : 1;
    }
    if (plan->box) return boxes(stream, plan, l, im);
    scratch keys(stream);
    if (plan->kind == CPI_REGIONS_INDEX) {
        cp_code code = sorted_keys(stream, plan, l.domain, &keys);
        if (code != CP_OK) return code;
        l.keys = keys.as<int64_t>();
    }
    return plan->size <= (int64_t)UINT32_MAX ? statistics<uint32_t>(stream, plan, l, im)
                                             : statistics<uint64_t>(stream, plan, l, im);
}
