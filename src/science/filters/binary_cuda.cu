/* Binary erosion and dilation on the GPU: steps over the bytes of two padded images that take turns.
 *
 * Until nothing changes: where changed elements stay so, the blocks of one launch each change a tile in place until it
 * is at rest; launches come in growing groups, and the host reads once a group whether the last one found anything. */
#include "filters/filters.cuh"

namespace {

struct binary_args {
    filter_starts starts;
    int64_t taps, centre;
    const int64_t *at;
    bool dilate;
    uint8_t *image, *to;
    const uint8_t *mask;     /* or NULL */
    int *changed;            /* set where an element does; or NULL */
};

__device__ __forceinline__ uint8_t of_window(const binary_args &a, const volatile uint8_t *in)
{
    for (int64_t k = 0; k < a.taps; k++)
        if ((in[__ldg(a.at + k)] != 0) == a.dilate) return a.dilate;
    return !a.dilate;
}

#define EACH(I, i, n)                                                                                                \
    for (I i = (I)blockIdx.x * FILTER_THREADS + threadIdx.x; i < (I)(n); i += (I)gridDim.x * FILTER_THREADS)

template <class I> __global__ void __launch_bounds__(FILTER_THREADS) step(const __grid_constant__ binary_args a)
{
    EACH(I, i, a.starts.total) {
        const int64_t at = filter_start(a.starts, i);
        const uint8_t own = a.image[at + a.centre];
        const uint8_t r = a.mask && !a.mask[i] ? own : of_window(a, a.image + at);
        a.to[at + a.centre] = r;
        if (a.changed && r != own) *a.changed = 1;
    }
}

enum { TILE_X = 64, TILE_Y = 16 };

/* Tiles of the last two axes; of a single axis they are one row high. */
__global__ void __launch_bounds__(FILTER_THREADS) spread(const __grid_constant__ binary_args a, int64_t height,
                                                         int64_t width, int64_t tiles_y, int64_t tiles_x, int64_t tiles)
{
    for (int64_t t = blockIdx.x; t < tiles; t += gridDim.x) {
        const int64_t x0 = t % tiles_x * TILE_X, y0 = t / tiles_x % tiles_y * TILE_Y, plane = t / tiles_x / tiles_y;
        bool any = false, again = true;
        while (again) {
            bool changed = false;
            for (int e = threadIdx.x; e < TILE_X * TILE_Y; e += FILTER_THREADS) {
                const int64_t x = x0 + e % TILE_X, y = y0 + e / TILE_X;
                if (x >= width || y >= height) continue;
                const int64_t i = (plane * height + y) * width + x, at = filter_start<uint64_t>(a.starts, (uint64_t)i);
                volatile uint8_t *in = a.image + at;
                if ((in[a.centre] != 0) == a.dilate || (a.mask && !a.mask[i])) continue;
                if ((of_window(a, in) != 0) != a.dilate) continue;
                in[a.centre] = a.dilate;
                changed = true;
            }
            any = any || changed;
            __threadfence();
            again = __syncthreads_or(changed);
        }
        if (any) *a.changed = 1;
    }
}

__global__ void __launch_bounds__(FILTER_THREADS) compare(const uint8_t *a, const uint8_t *b, int64_t n, int *differ)
{
    EACH(int64_t, i, n)
        if (a[i] != b[i]) *differ = 1;
}

template <class I> __global__ void __launch_bounds__(FILTER_THREADS) take(const __grid_constant__ binary_args a)
{
    EACH(I, i, a.starts.total)
        a.to[i] = a.image[filter_start(a.starts, i) + a.centre];
}

/* One step; `image` is then the new one. */
cp_code launch_step(cp_stream *stream, binary_args *a)
{
    const unsigned blocks = filter_blocks(a->starts.total);
    cudaStream_t s = cpi_cuda_stream(stream);
    if (filter_is_small(a->starts.total)) step<uint32_t><<<blocks, FILTER_THREADS, 0, s>>>(*a);
    else step<uint64_t><<<blocks, FILTER_THREADS, 0, s>>>(*a);
    uint8_t *image = a->image;
    a->image = a->to;
    a->to = image;
    return CPI_LAUNCHED(stream, "binary_erosion");
}

cp_code launch_spread(cp_stream *stream, const binary_args *a)
{
    const int n = a->starts.ndim;
    const int64_t width = a->starts.shape[n - 1], height = n > 1 ? a->starts.shape[n - 2] : 1;
    const int64_t tiles_x = (width - 1) / TILE_X + 1, tiles_y = (height - 1) / TILE_Y + 1;
    const int64_t tiles = tiles_x * tiles_y * (a->starts.total / (width * height));
    spread<<<cpi_cuda_blocks(tiles, 1, 1 << 30), FILTER_THREADS, 0, cpi_cuda_stream(stream)>>>(
        *a, height, width, tiles_y, tiles_x, tiles);
    return CPI_LAUNCHED(stream, "binary_erosion");
}

cp_code clear(cp_stream *stream, int *flag)
{
    return cpi_cuda_check(stream, cudaMemsetAsync(flag, 0, sizeof *flag, cpi_cuda_stream(stream)), "binary_erosion");
}

/* Changed elements stay so. */
cp_code spread_all(cp_stream *stream, binary_args *a)
{
    int found = 1;
    cp_code code = CP_OK;
    for (int group = 4; found && !code; group = group < 64 ? 2 * group : group) {
        for (int k = 0; k < group - 1 && !code; k++) code = launch_spread(stream, a);
        if (!code) code = clear(stream, a->changed);
        if (!code) code = launch_spread(stream, a);
        if (!code) code = cpi_cuda_read(stream, &found, a->changed, sizeof found);
    }
    return code;
}

/* Steps until nothing changes; a cycle of images, found by Brent's rule, is an error. */
cp_code settle(cp_stream *stream, binary_args *a, int64_t total)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    uint8_t *kept = (uint8_t *)cpi_host->work_alloc(stream, (size_t)total);
    cp_code code = kept ? CP_OK : CP_ERROR_MEMORY;
    int found[2] = {1, 1};
    for (int64_t n = 1, next = 0; !code; n++) {
        if (n > next) {
            code = cpi_cuda_check(stream, cudaMemcpyAsync(kept, a->image, (size_t)total, cudaMemcpyDeviceToDevice, s),
                                  "binary_erosion");
            next = 2 * n;
        }
        if (!code) code = clear(stream, a->changed);
        if (!code) code = clear(stream, a->changed + 1);
        if (!code) code = launch_step(stream, a);
        if (code) break;
        compare<<<filter_blocks(total), FILTER_THREADS, 0, s>>>(kept, a->image, total, a->changed + 1);
        code = CPI_LAUNCHED(stream, "binary_erosion");
        if (!code) code = cpi_cuda_read(stream, found, a->changed, sizeof found);
        if (code || !found[0]) break;
        if (!found[1])
            code = cpi_host->fail(CP_ERROR_RUNTIME, "binary_erosion: the iterations repeat themselves without an end");
    }
    cpi_host->work_free(stream, kept);
    return code;
}

cp_code iterate(cp_stream *stream, const cpi_binary_filter *f, binary_args *a, int64_t total)
{
    if (f->iterations < 1 && f->monotone) return spread_all(stream, a);
    if (f->iterations < 1) return settle(stream, a, total);
    int *changed = a->changed;
    a->changed = NULL;
    cp_code code = CP_OK;
    for (int64_t i = 0; i < f->iterations && !code; i++) {
        /* far more steps than an image is wide: is there still anything to do? */
        const bool ask = i && i % 4096 == 0;
        a->changed = ask ? changed : NULL;
        if (ask) code = clear(stream, changed);
        if (!code) code = launch_step(stream, a);
        int found = 1;
        if (ask && !code) code = cpi_cuda_read(stream, &found, changed, sizeof found);
        if (!found) break;
    }
    return code;
}

} // namespace

cp_code cpi_filters_cuda_binary(cp_stream *stream, const cpi_binary_filter *f)
{
    binary_args a = {};
    filter_padded image = {};
    const filter_padding p = {f->ndim, f->shape, f->before, f->size, CPI_BOUNDARY_CONSTANT, CP_BOOL, f->in,
                              (double)f->border, FILTER_BYTES, false};
    cp_code code = cpi_filter_pad_cuda(stream, &p, &image);
    int64_t *at = code ? NULL : cpi_filter_offsets_cuda(stream, f->ndim, f->size, image.strides, f->ntaps, f->taps);
    uint8_t *other = at ? (uint8_t *)cpi_host->work_alloc(stream, (size_t)image.total) : NULL;
    a.changed = other ? (int *)cpi_host->work_alloc(stream, 2 * sizeof *a.changed) : NULL;
    int *flags = a.changed;
    if (!code && !flags) code = CP_ERROR_MEMORY;
    if (!code) {
        a.starts = cpi_filter_starts_cuda(f->ndim, f->shape, image.strides);
        a.taps = f->ntaps, a.at = at, a.dilate = f->dilate, a.mask = f->mask;
        a.image = (uint8_t *)image.data, a.to = other;
        for (int d = 0; d < f->ndim; d++) a.centre += f->before[d] * image.strides[d];
        code = cpi_cuda_check(stream, cudaMemcpyAsync(other, image.data, (size_t)image.total, cudaMemcpyDeviceToDevice,
                                                      cpi_cuda_stream(stream)), "binary_erosion");
    }
    if (!code) code = iterate(stream, f, &a, image.total);
    if (!code) {
        a.to = f->out;
        const unsigned blocks = filter_blocks(a.starts.total);
        if (filter_is_small(a.starts.total)) take<uint32_t><<<blocks, FILTER_THREADS, 0, cpi_cuda_stream(stream)>>>(a);
        else take<uint64_t><<<blocks, FILTER_THREADS, 0, cpi_cuda_stream(stream)>>>(a);
        code = CPI_LAUNCHED(stream, "binary_erosion");
    }
    cpi_host->work_free(stream, flags);
    cpi_host->work_free(stream, other);
    cpi_host->work_free(stream, at);
    cpi_host->work_free(stream, image.data);
    return code;
}
