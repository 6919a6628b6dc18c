/* Binary erosion and dilation on the GPU: steps over the bytes of two images that take turns; of up to three axes four
 * bytes at once, else of padded images.
 *
 * Until nothing changes: where changed elements stay so, the blocks of one launch each change a tile in place until it
 * is at rest, and only near tiles that the launch before changed; launches come in growing groups, and the host reads
 * once a group whether the last one found anything. */
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

/* --- steps over words: no padded image, one launch a step --- */

enum { WORD_TAPS = 128, WORD_STEPS = 4096 };
struct word_tap {
    int16_t z, y;
    int32_t x;
};
struct words_args {
    int64_t depth, height, width, total; /* total: of words */
    cpi_divisor by_words, by_height;     /* of a row, of an image */
    int taps;
    word_tap tap[WORD_TAPS];
    bool dilate, aligned;                /* aligned: rows are whole words */
    uint32_t border;
    const uint8_t *in, *mask;            /* mask: or NULL */
    uint8_t *out;
};

/* 1 for each byte that is not 0. */
__device__ __forceinline__ uint32_t bytes_set(uint32_t v)
{
    return (((v & 0x7f7f7f7f) + 0x7f7f7f7f) | v) >> 7 & 0x01010101;
}
/* Word q of a row, of 0 and 1. */
__device__ __forceinline__ uint32_t word_of(const words_args &a, const uint8_t *p, int64_t z, int64_t y, int64_t q)
{
    if (z < 0 || z >= a.depth || y < 0 || y >= a.height || q < 0 || q >= a.by_words.by) return a.border;
    const uint8_t *at = p + (z * a.height + y) * a.width + 4 * q;
    if (a.aligned) return bytes_set(__ldg((const uint32_t *)at));
    uint32_t v = 0;
#pragma unroll
    for (int k = 0; k < 4; k++)
        v |= (4 * q + k < a.width ? (uint32_t)(at[k] != 0) : a.border & 1) << 8 * k;
    return v;
}

__global__ void __launch_bounds__(FILTER_THREADS) step_words(const __grid_constant__ words_args a)
{
    EACH(uint32_t, i, a.total) {
        const uint32_t row = cpi_quotient(&a.by_words, i), q = i - row * a.by_words.by;
        const uint32_t z = cpi_quotient(&a.by_height, row), y = row - z * a.by_height.by;
        uint32_t r = a.dilate ? 0 : 0x01010101;
        for (int k = 0; k < a.taps; k++) {
            const word_tap t = a.tap[k];
            const int64_t at = (int64_t)q + (t.x >> 2), tz = (int64_t)z + t.z, ty = (int64_t)y + t.y;
            uint64_t v = word_of(a, a.in, tz, ty, at);
            if (t.x & 3) v = (v | (uint64_t)word_of(a, a.in, tz, ty, at + 1) << 32) >> 8 * (t.x & 3);
            r = a.dilate ? r | (uint32_t)v : r & (uint32_t)v;
        }
        if (a.mask) {
            const uint32_t change = word_of(a, a.mask, z, y, q) * 255;
            r = (r & change) | (word_of(a, a.in, z, y, q) & ~change);
        }
        uint8_t *to = a.out + (int64_t)row * a.width + 4 * (int64_t)q;
        if (a.aligned) {
            *(uint32_t *)to = r;
        } else {
#pragma unroll
            for (int k = 0; k < 4; k++)
                if (4 * (int64_t)q + k < a.width) to[k] = (uint8_t)(r >> 8 * k);
        }
    }
}

/* The arguments but in, out and aligned; false: not of that kind. */
bool plan_words(const cpi_binary_filter *f, words_args *a)
{
    if (f->ndim > 3 || f->iterations < 1 || f->iterations > WORD_STEPS || f->ntaps > WORD_TAPS) return false;
    int64_t shape[3] = {1, 1, 1}, size[3] = {1, 1, 1}, before[3] = {0};
    for (int d = 0, to = 3 - f->ndim; d < f->ndim; d++, to++) {
        shape[to] = f->shape[d], size[to] = f->size[d], before[to] = f->before[d];
        if (shape[to] > 1 << 30 || size[to] > 1 << 15 || before[to] < 0 || before[to] >= size[to]) return false;
    }
    const int64_t words = (shape[2] + 3) / 4;
    if (shape[0] > ((int64_t)1 << 31) / shape[1] || shape[0] * shape[1] * words >= (int64_t)1 << 31) return false;
    a->depth = shape[0], a->height = shape[1], a->width = shape[2], a->total = shape[0] * shape[1] * words;
    a->by_words = cpi_divisor_of(words), a->by_height = cpi_divisor_of(shape[1]);
    a->taps = (int)f->ntaps, a->dilate = f->dilate, a->border = f->border ? 0x01010101 : 0, a->mask = f->mask;
    for (int k = 0; k < a->taps; k++) {
        const int64_t at = f->taps[k], line = at / size[2];
        a->tap[k].z = (int16_t)(line / size[1] - before[0]), a->tap[k].y = (int16_t)(line % size[1] - before[1]);
        a->tap[k].x = (int32_t)(at % size[2] - before[2]);
    }
    return true;
}

/* Steps from f->in to f->out, by way of an image between them where there are several. */
cp_code run_words(cp_stream *stream, const cpi_binary_filter *f, words_args *a)
{
    const int64_t bytes = a->depth * a->height * a->width;
    uint8_t *between = f->iterations > 1 ? (uint8_t *)cpi_host->work_alloc(stream, (size_t)bytes) : NULL;
    if (f->iterations > 1 && !between) return CP_ERROR_MEMORY;
    const uintptr_t all = (uintptr_t)f->in | (uintptr_t)f->out | (uintptr_t)f->mask | (uintptr_t)between;
    a->aligned = !(all & 3) && a->width % 4 == 0;
    a->in = f->in;
    cp_code code = CP_OK;
    for (int64_t left = f->iterations; left > 0 && !code; left--) {
        a->out = left % 2 ? f->out : between;
        step_words<<<filter_blocks(a->total), FILTER_THREADS, 0, cpi_cuda_stream(stream)>>>(*a);
        code = CPI_LAUNCHED(stream, "binary_erosion");
        a->in = a->out;
    }
    cpi_host->work_free(stream, between);
    return code;
}

/* --- padded images --- */

enum { TILE_X = 64, TILE_Y = 16 };

/* Tiles of the last two axes; of a single axis they are one row high. `marks`, for spread_here: the last launch,
 * counted from 1, that changed a tile; without one nearby there is nothing to do. */
struct tiles_args {
    int64_t height, width, tiles_y, tiles_x, tiles, pitch; /* pitch: of a row in the padded image */
    int size_y, size_x, centre; /* of the window; the centre in a tile of shared memory */
    bool small;                 /* 32 bits count the elements */
    int *marks;
    int launch;
};

/* Did the launch before this one change tile t or one beside it? All threads of the block take part. */
__device__ __forceinline__ bool is_marked(const tiles_args &v, int64_t t)
{
    bool near = false;
    for (int k = threadIdx.x; k < 9; k += FILTER_THREADS) {
        const int64_t x = t % v.tiles_x + k % 3 - 1, y = t / v.tiles_x + k / 3 - 1;
        if (x >= 0 && y >= 0 && x < v.tiles_x && y < v.tiles_y)
            near = near || *(volatile int *)(v.marks + y * v.tiles_x + x) >= v.launch - 1;
    }
    return __syncthreads_or(near);
}

/* The same of images of one or two axes with windows of at most TILE_Y elements along each: a tile comes to rest in
 * shared memory. */
__global__ void __launch_bounds__(FILTER_THREADS) spread_here(const __grid_constant__ binary_args a,
                                                              const __grid_constant__ tiles_args v)
{
    enum { OWN = TILE_X * TILE_Y / FILTER_THREADS, PITCH = TILE_X + TILE_Y, TAPS = TILE_Y * TILE_Y };
    __shared__ uint8_t tile[2 * TILE_Y * PITCH];
    __shared__ int at[TAPS];
    for (int k = threadIdx.x; k < (int)a.taps; k += FILTER_THREADS) {
        const int offset = (int)a.at[k], y = v.pitch ? offset / (int)v.pitch : 0;
        at[k] = y * PITCH + offset - y * (int)v.pitch;
    }
    for (int64_t t = blockIdx.x; t < v.tiles; t += gridDim.x) {
        if (!is_marked(v, t)) continue;
        const int64_t x0 = t % v.tiles_x * TILE_X, y0 = t / v.tiles_x * TILE_Y, start = y0 * v.pitch + x0;
        const int wide = v.width - x0 < TILE_X ? (int)(v.width - x0) : TILE_X;
        const int high = v.height - y0 < TILE_Y ? (int)(v.height - y0) : TILE_Y;
        for (int k = threadIdx.x; k < 2 * TILE_Y * PITCH; k += FILTER_THREADS) {
            const int y = k / PITCH, x = k % PITCH;
            if (y < high + v.size_y - 1 && x < wide + v.size_x - 1) tile[k] = a.image[start + y * v.pitch + x] != 0;
        }
        uint32_t open[(OWN + 31) / 32] = {0}, changed[(OWN + 31) / 32] = {0};
        __syncthreads();
        for (int k = 0; k < OWN; k++) {
            const int e = k * FILTER_THREADS + threadIdx.x, x = e % TILE_X, y = e / TILE_X;
            if (x >= wide || y >= high || tile[y * PITCH + x + v.centre] == a.dilate) continue;
            if (!a.mask || a.mask[(y0 + y) * v.width + x0 + x]) open[k / 32] |= 1u << k % 32;
        }
        bool any = false, again = true;
        while (again) {
            bool now = false;
            for (int k = 0; k < OWN; k++) {
                if (!(open[k / 32] >> k % 32 & 1)) continue;
                const int e = k * FILTER_THREADS + threadIdx.x;
                volatile uint8_t *in = tile + e / TILE_X * PITCH + e % TILE_X;
                bool found = false;
                for (int i = 0; i < (int)a.taps && !found; i++) found = in[at[i]] == a.dilate;
                if (!found) continue;
                in[v.centre] = a.dilate;
                open[k / 32] &= ~(1u << k % 32), changed[k / 32] |= 1u << k % 32;
                now = true;
            }
            any = any || now;
            again = __syncthreads_or(now);
        }
        for (int k = 0; k < OWN; k++) {
            const int e = k * FILTER_THREADS + threadIdx.x;
            if (changed[k / 32] >> k % 32 & 1) a.image[start + e / TILE_X * v.pitch + e % TILE_X + a.centre] = a.dilate;
        }
        if (any) *a.changed = 1, v.marks[t] = v.launch;
    }
}

__global__ void __launch_bounds__(FILTER_THREADS) spread(const __grid_constant__ binary_args a,
                                                         const __grid_constant__ tiles_args v)
{
    for (int64_t t = blockIdx.x; t < v.tiles; t += gridDim.x) {
        const int64_t x0 = t % v.tiles_x * TILE_X, rest = t / v.tiles_x, y0 = rest % v.tiles_y * TILE_Y;
        const int64_t from = (rest / v.tiles_y * v.height + y0) * v.width + x0;
        const int64_t start = v.small ? filter_start<uint32_t>(a.starts, (uint32_t)from)
                                      : filter_start<uint64_t>(a.starts, (uint64_t)from);
        const int wide = v.width - x0 < TILE_X ? (int)(v.width - x0) : TILE_X;
        const int high = v.height - y0 < TILE_Y ? (int)(v.height - y0) : TILE_Y;
        bool any = false, again = true;
        while (again) {
            bool changed = false;
            for (int e = threadIdx.x; e < TILE_X * TILE_Y; e += FILTER_THREADS) {
                const int x = e % TILE_X, y = e / TILE_X;
                if (x >= wide || y >= high) continue;
                volatile uint8_t *in = a.image + start + y * v.pitch + x;
                if ((in[a.centre] != 0) == a.dilate || (a.mask && !a.mask[from + y * v.width + x])) continue;
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

cp_code launch_spread(cp_stream *stream, const binary_args *a, tiles_args *v)
{
    v->launch++;
    const unsigned blocks = cpi_cuda_blocks(v->tiles, 1, 1 << 30);
    if (v->marks) spread_here<<<blocks, FILTER_THREADS, 0, cpi_cuda_stream(stream)>>>(*a, *v);
    else spread<<<blocks, FILTER_THREADS, 0, cpi_cuda_stream(stream)>>>(*a, *v);
    return CPI_LAUNCHED(stream, "binary_erosion");
}

cp_code clear(cp_stream *stream, int *flag)
{
    return cpi_cuda_check(stream, cudaMemsetAsync(flag, 0, sizeof *flag, cpi_cuda_stream(stream)), "binary_erosion");
}

/* Changed elements stay so. */
cp_code spread_all(cp_stream *stream, const cpi_binary_filter *f, binary_args *a)
{
    const int n = f->ndim;
    tiles_args v = {};
    v.width = f->shape[n - 1], v.height = n > 1 ? f->shape[n - 2] : 1, v.pitch = n > 1 ? a->starts.strides[n - 2] : 0;
    v.tiles_x = (v.width - 1) / TILE_X + 1, v.tiles_y = (v.height - 1) / TILE_Y + 1;
    v.tiles = v.tiles_x * v.tiles_y * (a->starts.total / (v.width * v.height));
    v.small = filter_is_small(a->starts.total);
    bool near = n <= 2 && v.tiles < 1 << 30 && v.pitch < 1 << 26;
    for (int d = 0; d < n; d++) near = near && f->size[d] <= TILE_Y;
    v.size_x = (int)f->size[n - 1], v.size_y = n > 1 ? (int)f->size[n - 2] : 1;
    v.centre = (n > 1 ? (int)f->before[n - 2] : 0) * (TILE_X + TILE_Y) + (int)f->before[n - 1];
    if (near) {
        v.marks = (int *)cpi_host->work_alloc(stream, (size_t)v.tiles * sizeof *v.marks);
        if (!v.marks) return CP_ERROR_MEMORY;
    }
    cp_code code = near ? cpi_cuda_check(stream, cudaMemsetAsync(v.marks, 0, (size_t)v.tiles * sizeof *v.marks,
                                                                 cpi_cuda_stream(stream)), "binary_erosion") : CP_OK;
    int found = 1;
    for (int group = 4; found && !code; group = group < 64 ? 2 * group : group) {
        for (int k = 0; k < group - 1 && !code; k++) code = launch_spread(stream, a, &v);
        if (!code) code = clear(stream, a->changed);
        if (!code) code = launch_spread(stream, a, &v);
        if (!code) code = cpi_cuda_read(stream, &found, a->changed, sizeof found);
    }
    cpi_host->work_free(stream, v.marks);
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
    if (f->iterations < 1 && f->monotone) return spread_all(stream, f, a);
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
    words_args words = {};
    if (plan_words(f, &words)) return run_words(stream, f, &words);
    bool done;
    const cp_code spread = cpi_filter_spread_bits_cuda(stream, f, &done);
    if (spread || done) return spread;
    filter_padded image = {};
    const filter_padding p = {f->ndim, f->shape, f->before, f->size, CPI_BOUNDARY_CONSTANT, CP_BOOL, f->in,
                              (double)f->border, FILTER_BYTES, false};
    cp_code code = cpi_filter_pad_cuda(stream, &p, &image);
    int64_t *at = code ? NULL : cpi_filter_offsets_cuda(stream, f->ndim, f->size, image.strides, f->ntaps, f->taps);
    const bool in_place = f->iterations < 1 && f->monotone; /* else a second image has the border too */
    uint8_t *other = at && !in_place ? (uint8_t *)cpi_host->work_alloc(stream, (size_t)image.total) : NULL;
    a.changed = at && (other || in_place) ? (int *)cpi_host->work_alloc(stream, 2 * sizeof *a.changed) : NULL;
    int *flags = a.changed;
    if (!code && !flags) code = CP_ERROR_MEMORY;
    if (!code) {
        a.starts = cpi_filter_starts_cuda(f->ndim, f->shape, image.strides);
        a.taps = f->ntaps, a.at = at, a.dilate = f->dilate, a.mask = f->mask;
        a.image = (uint8_t *)image.data, a.to = other;
        for (int d = 0; d < f->ndim; d++) a.centre += f->before[d] * image.strides[d];
        if (!in_place)
            code = cpi_cuda_check(stream, cudaMemcpyAsync(other, image.data, (size_t)image.total,
                                                          cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream)),
                                  "binary_erosion");
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
