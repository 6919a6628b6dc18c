/* Windows of a size that fits in shared memory on the GPU: what tile.cuh and tile_window.cuh compute. What does not
 * fit is left to the kernels of line_cuda.cu and window_cuda.cu. */
#include "filters/filters.cuh"
#include "filters/tile_select.cuh"

namespace {

enum { TILE_BYTES = 48 << 10 };
extern __shared__ double tile_memory[];

template <class E, int R, bool ALONG>
__global__ void __launch_bounds__(TILE_THREADS) lines(const __grid_constant__ tile_lines a)
{
    if constexpr (ALONG) tile_lines_along<E, R>(a, (typename E::W *)tile_memory);
    else tile_lines_across<E, R>(a, (typename E::W *)tile_memory);
}

template <class T, int R>
__global__ void __launch_bounds__(TILE_THREADS) sums(const __grid_constant__ tile_windows a, int elements)
{
    tile_sums<T, R>(a, tile_memory, tile_memory + elements);
}
template <class K, class T, int N, int R, int RANK>
__global__ void __launch_bounds__(TILE_THREADS) ranks(const __grid_constant__ tile_windows a)
{
    tile_ranks<K, T, N, R, RANK>(a, (K *)tile_memory);
}

template <class K, class T, int R>
__global__ void __launch_bounds__(TILE_THREADS) selects(const __grid_constant__ tile_windows a)
{
    tile_selects<K, T, R>(a, (K *)tile_memory);
}

struct line_plan {
    tile_lines a;
    int64_t blocks, bytes;
    unsigned columns;
};

/* The tiles of a line filter with R results a thread; false: it does not fit. */
bool plan_lines(const cpi_line_filter *f, int r, int groups, int64_t item, int rank, line_plan *p)
{
    tile_lines &a = p->a;
    const int64_t lines = f->outer * f->inner;
    if (f->n > 1 << 30 || f->inner > 1 << 30 || f->size > 1 << 12 || lines >= (int64_t)1 << 31) return false;
    a = {};
    a.f = *f, a.nan_low = f->op == CPI_LINE_MINIMUM, a.rank = rank;
    a.n = (int)f->n, a.inner = (int)f->inner, a.size = (int)f->size, a.before = (int)f->before;
    a.all_lines = (uint32_t)lines;
    const bool along = f->inner < TILE_LANES;
    const int64_t most = along ? TILE_THREADS * r : 8 * r * groups;
    const int64_t tiles = cpi_ceil_div(f->n, most);
    const int64_t each = along ? cpi_round_up(cpi_ceil_div(f->n, tiles), (int64_t)r) : most;
    a.positions = (int)each, a.reach = (int)(each + f->size - 1);
    a.tiles = (uint32_t)cpi_ceil_div(f->n, each);
    if (along) {
        a.threads = a.positions / r;
        int64_t pitch = a.reach + a.reach / r + 1;
        pitch += ((a.threads * (r + 1) - pitch) % 32 + 32) % 32; /* the next line's threads go on with the banks */
        a.lines = TILE_THREADS / a.threads;
        if (a.lines > lines) a.lines = (int)lines;
        const int64_t fit = TILE_BYTES / item / pitch;
        if (fit < 1) return false;
        if (a.lines > fit) a.lines = (int)fit;
        a.pitch = (int)pitch;
        p->bytes = a.lines * pitch * item, p->columns = 1;
        p->blocks = cpi_ceil_div(lines, (int64_t)a.lines) * a.tiles;
    } else {
        p->bytes = a.reach * TILE_LANES * item;
        p->columns = (unsigned)cpi_ceil_div(f->inner, (int64_t)TILE_LANES);
        p->blocks = f->outer * a.tiles;
    }
    if (p->bytes > TILE_BYTES || p->columns > 65535 || p->blocks >= (int64_t)1 << 31) return false;
    a.by_inner = cpi_divisor_of(a.inner), a.by_tiles = cpi_divisor_of(a.tiles);
    a.by_threads = cpi_divisor_of(a.threads ? a.threads : 1);
    return true;
}

/* Results of a thread along lines and across; across, a warp makes them `groups` times. */
template <class E, int ALONG, int ACROSS, int GROUPS>
bool launch_lines(cudaStream_t s, const cpi_line_filter *f, int rank)
{
    line_plan p;
    const bool along = f->inner < TILE_LANES;
    if (!plan_lines(f, along ? ALONG : ACROSS, GROUPS, sizeof(typename E::W), rank, &p)) return false;
    const dim3 grid((unsigned)p.blocks, p.columns);
    if (along) lines<E, ALONG, true><<<grid, TILE_THREADS, p.bytes, s>>>(p.a);
    else lines<E, ACROSS, false><<<grid, TILE_THREADS, p.bytes, s>>>(p.a);
    return true;
}

template <class K, class T> bool launch_keys(cudaStream_t s, const cpi_line_filter *f)
{
    if (f->size >= 7) return launch_lines<tile_key<K, T>, 8, 8, 1>(s, f, 0);
    return f->size >= 3 && launch_lines<tile_key<K, T>, 4, 4, 2>(s, f, 0);
}

/* The tiles of windows over the last two axes; r: results of a thread, side by side or one above the other. */
bool plan_windows(const cpi_window_filter *f, int r, bool beside, int64_t item, tile_windows *a, int64_t *blocks,
                  int64_t *elements)
{
    const int last = f->ndim - 1;
    int64_t images = 1;
    for (int d = 0; d < last - 1; d++) {
        if (f->size[d] != 1) return false;
        images *= f->shape[d];
    }
    const int64_t h = last ? f->shape[last - 1] : 1, w = f->shape[last];
    const int64_t sy = last ? f->size[last - 1] : 1, sx = f->size[last];
    if (h > 1 << 30 || w > 1 << 30 || sy > 64 || sx > 64) return false;
    int bits = beside ? 0 : 5;
    while (beside && bits < 4 && (int64_t)r << bits < w) bits++;
    *a = {};
    a->from = f->from, a->to = f->to, a->boundary = f->boundary, a->fill = f->fill, a->rank = (int)f->rank;
    a->height = (int)h, a->width = (int)w, a->size_y = (int)sy, a->size_x = (int)sx;
    a->before_y = last ? (int)f->before[last - 1] : 0, a->before_x = (int)f->before[last];
    a->threads_bits = bits;
    a->tile_x = beside ? r << bits : 1 << bits, a->tile_y = (TILE_THREADS >> bits) * (beside ? 1 : r);
    const int64_t reach = a->tile_x + sx - 1;
    a->pitch = (int)(beside ? reach + reach / r + 1 : reach);
    const int64_t tiles_x = cpi_ceil_div(w, (int64_t)a->tile_x), tiles_y = cpi_ceil_div(h, (int64_t)a->tile_y);
    a->by_tiles_x = cpi_divisor_of(tiles_x), a->by_tiles_y = cpi_divisor_of(tiles_y);
    a->by_reach = cpi_divisor_of(reach);
    a->weights = f->weights, a->in = f->in, a->out = f->out;
    *elements = (int64_t)a->pitch * (a->tile_y + sy - 1);
    if (images >= ((int64_t)1 << 31) / (tiles_x * tiles_y)) return false;
    *blocks = images * tiles_x * tiles_y;
    return *elements * item + (f->op == CPI_WINDOW_SUM ? sx * sy * 8 : 0) <= TILE_BYTES;
}

template <class K, class T, int N, int R, int RANK> bool launch_ranks(cudaStream_t s, const cpi_window_filter *f)
{
    tile_windows a;
    int64_t blocks, elements;
    if (!plan_windows(f, R, false, sizeof(K), &a, &blocks, &elements)) return false;
    ranks<K, T, N, R, RANK><<<(unsigned)blocks, TILE_THREADS, elements * sizeof(K), s>>>(a);
    return true;
}
template <class K, class T> bool launch_squares(cudaStream_t s, const cpi_window_filter *f)
{
    if (f->ntaps == 9) return launch_ranks<K, T, 3, 8, -1>(s, f);
    return f->rank == 12 ? launch_ranks<K, T, 5, 8, 12>(s, f) : launch_ranks<K, T, 5, 8, -1>(s, f);
}

/* Larger boxes. Of a few rows a block would have little to do. */
template <class K, class T> bool launch_selects(cudaStream_t s, const cpi_window_filter *f)
{
    tile_windows a;
    int64_t blocks, elements;
    if (f->ndim < 2 || f->shape[f->ndim - 2] < 8) return false;
    if (!plan_windows(f, 4, false, sizeof(K), &a, &blocks, &elements)) return false;
    selects<K, T, 4><<<(unsigned)blocks, TILE_THREADS, elements * sizeof(K), s>>>(a);
    return true;
}

/* A window along one axis, as a filter along it. */
template <class K, class T> bool launch_line_ranks(cudaStream_t s, const cpi_window_filter *f, int axis)
{
    cpi_line_filter l = {};
    l.op = CPI_LINE_MAXIMUM, l.from = f->from, l.to = f->to, l.boundary = f->boundary, l.outer = l.inner = 1;
    for (int d = 0; d < f->ndim; d++)
        if (d < axis) l.outer *= f->shape[d];
        else if (d > axis) l.inner *= f->shape[d];
    l.n = f->shape[axis], l.before = f->before[axis], l.size = f->size[axis], l.fill = f->fill;
    l.in = f->in, l.out = f->out;
    switch (l.size) {
    case 3: return launch_lines<tile_ranked<K, T, 3>, 4, 4, 2>(s, &l, (int)f->rank);
    case 5: return launch_lines<tile_ranked<K, T, 5>, 4, 4, 2>(s, &l, (int)f->rank);
    case 7: return launch_lines<tile_ranked<K, T, 7>, 4, 4, 2>(s, &l, (int)f->rank);
    case 9: return launch_lines<tile_ranked<K, T, 9>, 4, 4, 2>(s, &l, (int)f->rank);
    default: return false;
    }
}

/* Ranks of full boxes: of 3, 5, 7 or 9 along one axis, 3 x 3, 5 x 5, and others. Integers of 64 bits are not worth
 * kernels of their own. */
bool launch_rank(cudaStream_t s, const cpi_window_filter *f)
{
    int64_t all = 1;
    int axis = -1, axes = 0;
    for (int d = 0; d < f->ndim; d++) {
        all *= f->size[d];
        if (f->size[d] > 1) axis = d, axes++;
    }
    const bool wide = cpi_itemsize(f->from) == 8;
    if (f->ntaps != all || (wide && f->from != CP_FLOAT64)) return false;
    if (axes == 1 && f->size[axis] % 2 && f->size[axis] < 10) {
        if (f->from == CP_FLOAT32) return launch_line_ranks<uint32_t, float>(s, f, axis);
        if (f->from == CP_FLOAT64) return launch_line_ranks<uint64_t, double>(s, f, axis);
        return launch_line_ranks<uint32_t, tile_any>(s, f, axis);
    }
    const int last = f->ndim - 1;
    if (axes == 2 && f->size[last] == f->size[last - 1] && (all == 9 || all == 25)) {
        if (f->from == CP_FLOAT32) return launch_squares<uint32_t, float>(s, f);
        if (f->from == CP_UINT8) return launch_squares<uint32_t, uint8_t>(s, f);
        if (f->from == CP_FLOAT64) return launch_squares<uint64_t, double>(s, f);
        return launch_squares<uint32_t, tile_any>(s, f);
    }
    if (f->from == CP_FLOAT32) return launch_selects<uint32_t, float>(s, f);
    if (f->from == CP_FLOAT64) return launch_selects<uint64_t, double>(s, f);
    return launch_selects<uint32_t, tile_any>(s, f);
}

template <class T> bool launch_sums(cudaStream_t s, const cpi_window_filter *f)
{
    tile_windows a;
    int64_t blocks, elements;
    if (!plan_windows(f, 8, true, 8, &a, &blocks, &elements)) return false;
    sums<T, 8><<<(unsigned)blocks, TILE_THREADS, (elements + a.size_x * a.size_y) * 8, s>>>(a, (int)elements);
    return true;
}

} // namespace

bool cpi_filter_tile_line_cuda(cp_stream *stream, const cpi_line_filter *f)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    if (f->op == CPI_LINE_CORRELATE || f->op == CPI_LINE_MEAN) {
        if (f->from == CP_FLOAT32) return launch_lines<tile_number<float>, 8, 4, 2>(s, f, 0);
        if (f->from == CP_FLOAT64) return launch_lines<tile_number<double>, 8, 4, 2>(s, f, 0);
        if (f->from == CP_UINT8) return launch_lines<tile_number<uint8_t>, 8, 4, 2>(s, f, 0);
        return launch_lines<tile_number<tile_any>, 8, 4, 2>(s, f, 0);
    }
    if (f->from == CP_FLOAT32) return launch_keys<uint32_t, float>(s, f);
    if (f->from == CP_FLOAT64) return launch_keys<uint64_t, double>(s, f);
    if (f->from == CP_UINT8) return launch_keys<uint32_t, uint8_t>(s, f);
    return cpi_itemsize(f->from) < 8 && launch_keys<uint32_t, tile_any>(s, f);
}

bool cpi_filter_tile_window_cuda(cp_stream *stream, const cpi_window_filter *f)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    if (f->op == CPI_WINDOW_RANK) return launch_rank(s, f);
    if (f->op != CPI_WINDOW_SUM) return false;
    if (f->from == CP_FLOAT32) return launch_sums<float>(s, f);
    if (f->from == CP_FLOAT64) return launch_sums<double>(s, f);
    return launch_sums<tile_any>(s, f);
}
