/* Regions of binary images of one or two axes on the GPU, until nothing changes: an element is a bit. A lane has a row
 * of BITS_WORDS words, a warp 32 rows, a block a warp's rows one below the other. Rows are handed from lane to lane
 * until the warp is at rest, and between warps by shared memory until the block is; what lies around the block is as
 * the launch found it, or newer, so that launches follow until one changes nothing. Structures have taps beside the
 * element alone. */
#include "filters/filters.cuh"

namespace {

enum { BITS_WORDS = 4, BITS_COLUMNS = 32 * BITS_WORDS, BITS_THREADS = 256, BITS_WARPS = BITS_THREADS / 32 };

struct bits_args {
    int64_t height, width;
    int64_t words;               /* of a row */
    int64_t tiles;               /* of BITS_COLUMNS columns */
    uint32_t taps;               /* bit 3 (y + 1) + x + 1 is the neighbour at y, x */
    bool dilate, aligned;        /* aligned: a row's bytes are whole words of four */
    uint32_t border;             /* bits beyond the edges */
    const uint8_t *in, *mask;    /* mask: or NULL */
    uint8_t *out;
    uint32_t *set, *open;        /* set: elements that are `dilate`; open: others that may become so */
    int *changed;
};

#define EACH(i, n)                                                                                              \
    for (int64_t i = (int64_t)blockIdx.x * BITS_THREADS + threadIdx.x; i < (n); i += (int64_t)gridDim.x * BITS_THREADS)

/* Which of 32 bytes are not 0; those from `n` on are 0. */
__device__ __forceinline__ uint32_t bits_of(const uint8_t *p, int n, bool aligned)
{
    uint32_t bits = 0;
    if (aligned && n == 32) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            const uint32_t v = __ldg((const uint32_t *)p + k);
            const uint32_t one = (((v & 0x7f7f7f7f) + 0x7f7f7f7f) | v) >> 7 & 0x01010101;
            bits |= (one * 0x01020408 >> 24 & 15) << 4 * k; /* no two of the product's terms meet */
        }
        return bits;
    }
    for (int k = 0; k < n; k++) bits |= (uint32_t)(p[k] != 0) << k;
    return bits;
}
__global__ void __launch_bounds__(BITS_THREADS) pack_bits(const __grid_constant__ bits_args a)
{
    EACH(i, a.height * a.words) {
        const int64_t y = i / a.words, x = (i - y * a.words) * 32, at = y * a.width + x;
        const int n = a.width - x < 32 ? (int)(a.width - x) : 32;
        const uint32_t inside = n < 32 ? (1u << n) - 1 : ~0u, v = bits_of(a.in + at, n, a.aligned);
        const uint32_t set = (a.dilate ? v : ~v) & inside, may = a.mask ? bits_of(a.mask + at, n, a.aligned) : ~0u;
        a.set[i] = set | (a.border & ~inside);
        a.open[i] = ~set & may & inside;
    }
}
__global__ void __launch_bounds__(BITS_THREADS) unpack_bits(const __grid_constant__ bits_args a)
{
    EACH(i, a.height * a.words) {
        const int64_t y = i / a.words, x = (i - y * a.words) * 32;
        const int n = a.width - x < 32 ? (int)(a.width - x) : 32;
        const uint32_t v = a.dilate ? a.set[i] : ~a.set[i];
        uint8_t *to = a.out + y * a.width + x;
        if (a.aligned && n == 32) {
#pragma unroll
            for (int k = 0; k < 8; k++)
                ((uint32_t *)to)[k] = (v >> 4 * k & 15) * 0x00204081 & 0x01010101;
        } else {
            for (int k = 0; k < n; k++) to[k] = (uint8_t)(v >> k & 1);
        }
    }
}

/* A row's words, and those beside them. */
struct bits_row {
    uint32_t left, own[BITS_WORDS], right;
};
__device__ __forceinline__ uint32_t bits_word(const bits_args &a, int64_t y, int64_t q)
{
    if (y < 0 || y >= a.height || q < 0 || q >= a.words) return a.border;
    return *(const volatile uint32_t *)(a.set + y * a.words + q);
}
__device__ __forceinline__ bits_row bits_read(const bits_args &a, int64_t y, int64_t q)
{
    bits_row r;
    r.left = bits_word(a, y, q - 1), r.right = bits_word(a, y, q + BITS_WORDS);
#pragma unroll
    for (int w = 0; w < BITS_WORDS; w++) r.own[w] = bits_word(a, y, q + w);
    return r;
}
/* What the row does to the elements for which it is the row `dy` of their window. */
__device__ __forceinline__ void bits_reach(const bits_row &r, uint32_t taps, int dy, uint32_t (&to)[BITS_WORDS])
{
    const uint32_t own = taps >> 3 * (dy + 1);
#pragma unroll
    for (int w = 0; w < BITS_WORDS; w++) {
        const uint32_t before = w ? r.own[w - 1] : r.left, behind = w + 1 < BITS_WORDS ? r.own[w + 1] : r.right;
        to[w] = (own & 1 ? r.own[w] << 1 | before >> 31 : 0) | (own & 2 ? r.own[w] : 0) |
                (own & 4 ? r.own[w] >> 1 | behind << 31 : 0);
    }
}

__global__ void __launch_bounds__(BITS_THREADS) spread_bits(const __grid_constant__ bits_args a)
{
    __shared__ bits_row edges[2 * BITS_WARPS + 2]; /* the row above the block, each warp's first and last, that below */
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t tile = blockIdx.x / a.tiles, q = (blockIdx.x - tile * a.tiles) * BITS_WORDS;
    const int64_t top = tile * BITS_THREADS, y = top + threadIdx.x;
    bits_row r = bits_read(a, y, q);
    uint32_t open[BITS_WORDS], was[BITS_WORDS];
    if (!threadIdx.x) edges[0] = bits_read(a, top - 1, q);
    if (threadIdx.x == 32) edges[2 * BITS_WARPS + 1] = bits_read(a, top + BITS_THREADS, q);
#pragma unroll
    for (int w = 0; w < BITS_WORDS; w++) {
        open[w] = y < a.height && q + w < a.words ? a.open[y * a.words + q + w] & ~r.own[w] : 0;
        was[w] = r.own[w];
    }
    bool again = true;
    while (again) {
        if (!lane) edges[1 + 2 * warp] = r;
        if (lane == 31) edges[2 + 2 * warp] = r;
        __syncthreads();
        uint32_t above[BITS_WORDS], below[BITS_WORDS];
        bits_reach(edges[2 * warp], a.taps, -1, above); /* of use to the first lane */
        bits_reach(edges[2 * warp + 3], a.taps, 1, below);
        bool any = false, more = true;
        while (more) {
            uint32_t up[BITS_WORDS], here[BITS_WORDS], down[BITS_WORDS], found = 0;
            bits_reach(r, a.taps, -1, up);
            bits_reach(r, a.taps, 0, here);
            bits_reach(r, a.taps, 1, down);
#pragma unroll
            for (int w = 0; w < BITS_WORDS; w++) {
                const uint32_t from_above = (uint32_t)__shfl_up_sync(~0u, (int)up[w], 1);
                const uint32_t from_below = (uint32_t)__shfl_down_sync(~0u, (int)down[w], 1);
                const uint32_t next = (here[w] | (lane ? from_above : above[w]) | (lane < 31 ? from_below : below[w])) &
                                      open[w];
                r.own[w] |= next, open[w] &= ~next;
                found |= next;
            }
            more = __any_sync(~0u, found != 0);
            any = any || more;
        }
        again = __syncthreads_or(any);
    }
    bool changed = false;
#pragma unroll
    for (int w = 0; w < BITS_WORDS; w++) {
        if (r.own[w] == was[w]) continue;
        *(volatile uint32_t *)(a.set + y * a.words + q + w) = r.own[w];
        changed = true;
    }
    if (changed) *a.changed = 1;
}

/* The taps as bits; 0: it is none that fits. */
uint32_t taps_of(const cpi_binary_filter *f)
{
    if (f->ndim > 2 || f->iterations >= 1 || !f->monotone) return 0;
    const int last = f->ndim - 1;
    const int64_t size = f->size[last], before_x = f->before[last], before_y = last ? f->before[0] : 0;
    if (f->shape[last] > 1 << 30 || (last && f->shape[0] > 1 << 30)) return 0;
    uint32_t taps = 0;
    for (int64_t k = 0; k < f->ntaps; k++) {
        const int64_t y = f->taps[k] / size - before_y, x = f->taps[k] % size - before_x;
        if (y < -1 || y > 1 || x < -1 || x > 1) return 0;
        taps |= 1u << (3 * (y + 1) + x + 1);
    }
    return taps;
}

cp_code run_bits(cp_stream *stream, bits_args &a)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    const unsigned each = cpi_cuda_blocks(a.height * a.words, BITS_THREADS, 1 << 30);
    const unsigned blocks = (unsigned)(a.tiles * cpi_ceil_div(a.height, (int64_t)BITS_THREADS));
    pack_bits<<<each, BITS_THREADS, 0, s>>>(a);
    cp_code code = CPI_LAUNCHED(stream, "binary_erosion");
    int found = 1;
    for (int group = 4; found && !code; group = group < 64 ? 2 * group : group) {
        for (int k = 0; k < group && !code; k++) {
            if (k == group - 1)
                code = cpi_cuda_check(stream, cudaMemsetAsync(a.changed, 0, sizeof *a.changed, s), "binary_erosion");
            spread_bits<<<blocks, BITS_THREADS, 0, s>>>(a);
            if (!code) code = CPI_LAUNCHED(stream, "binary_erosion");
        }
        if (!code) code = cpi_cuda_read(stream, &found, a.changed, sizeof found);
    }
    if (code) return code;
    unpack_bits<<<each, BITS_THREADS, 0, s>>>(a);
    return CPI_LAUNCHED(stream, "binary_erosion");
}

} // namespace

cp_code cpi_filter_spread_bits_cuda(cp_stream *stream, const cpi_binary_filter *f, bool *done)
{
    bits_args a = {};
    *done = false;
    a.taps = taps_of(f);
    if (!a.taps) return CP_OK;
    const int last = f->ndim - 1;
    a.width = f->shape[last], a.height = last ? f->shape[0] : 1, a.words = (a.width + 31) / 32;
    a.tiles = cpi_ceil_div(a.words, (int64_t)BITS_WORDS);
    if (a.tiles * cpi_ceil_div(a.height, (int64_t)BITS_THREADS) >= (int64_t)1 << 31) return CP_OK;
    a.dilate = f->dilate, a.border = f->border == f->dilate ? ~0u : 0;
    a.in = f->in, a.mask = f->mask, a.out = f->out;
    a.aligned = a.width % 4 == 0 && !(((uintptr_t)f->in | (uintptr_t)f->out | (uintptr_t)f->mask) & 3);
    const int64_t all = a.height * a.words;
    a.set = (uint32_t *)cpi_host->work_alloc(stream, (size_t)(2 * all + 1) * sizeof *a.set);
    if (!a.set) return CP_ERROR_MEMORY;
    a.open = a.set + all, a.changed = (int *)(a.open + all);
    const cp_code code = run_bits(stream, a);
    cpi_host->work_free(stream, a.set);
    *done = true;
    return code;
}
