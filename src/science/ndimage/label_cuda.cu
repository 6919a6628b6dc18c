/* Labelling on the GPU.
 *
 * Elements become bit masks, 32 to a word. A block unites the runs of a tile of 256 words in shared memory; a
 * second kernel unites across the tiles' edges in global memory; a third one finds every run's root and marks
 * roots. A scan of the roots in C order numbers them. Atomics are on integers and only affect the shape of the forest:
 * roots, and so the labels, are the same on every run. */
#include "cuda/cuda.h"
#include "ndimage/label_cuda.cuh"
#include "scalar/convert.h"
#include "scalar/type_list.h"
#include "sort/cuda.h"

namespace {

template <int SIZE> struct bits_of;
template <> struct bits_of<1> { typedef uint8_t type; };
template <> struct bits_of<2> { typedef uint16_t type; };
template <> struct bits_of<4> { typedef uint32_t type; };
template <> struct bits_of<8> { typedef uint64_t type; };

/* The bits of the elements, thread k getting the word k of the tile. */
template <int SIZE>
__device__ __forceinline__ unsigned tile_bits(const label_shape &s, const void *x, uint64_t keep, int64_t tile)
{
    typedef typename bits_of<SIZE>::type T;
    int lane = threadIdx.x & 31, warp = threadIdx.x & ~31;
    unsigned mine = 0;
#pragma unroll 8
    for (int k = 0; k < 32; k++) {
        word_position p = position_of(s, tile, warp + k);
        int64_t column = p.word * 32 + lane;
        T v = 0;
        if (p.line < s.lines && column < s.width) v = ((const T *)x)[p.line * s.width + column];
        unsigned w = __ballot_sync(~0u, (v & (T)keep) != 0);
        if (k == lane) mine = w;
    }
    return mine;
}

/* Unites the trees of a and b in a tile by atomic minima alone: the old parent of the larger one is then united with
 * the smaller one, so nothing is read that another thread may be writing. The larger one decreases in each
 * iteration. */
__device__ __forceinline__ void unite_in_tile(unsigned *parent, unsigned a, unsigned b)
{
    while (a != b) {
        const unsigned high = max(a, b);
        b = min(a, b);
        a = atomicMin(parent + high, b);
        if (a == high) return; /* it was a root */
    }
}

/* A pair of runs, `mine` in the thread's own word: the first pair of a run (see `linked`) makes the other one its
 * parent (LINK, before any read), all others are united (not LINK). */
template <bool LINK>
__device__ __forceinline__ void join_in_tile(unsigned *parent, unsigned mine, unsigned other, unsigned &linked)
{
    const unsigned bit = 1u << (mine & 31);
    if (!(linked & bit)) {
        linked |= bit;
        if (LINK) parent[mine] = other;
    } else if (!LINK) {
        unite_in_tile(parent, mine, other);
    }
}

/* The pairs that the runs of word `mine` make with those of a line above it in the tile. Where vertically adjacent runs
 * are united, a diagonal pair is already united if either run continues to a vertical contact with the other:
 * `thin`. */
template <bool LINK>
__device__ __forceinline__ void meet_in_tile(const label_shape &s, unsigned *parent, const unsigned *mask,
                                             const word_position &p, unsigned mine, int reach, int above,
                                             unsigned &linked)
{
    int me = threadIdx.x;
    unsigned up = mask[above], left = p.column ? mask[above - 1] : 0;
    unsigned right = p.column < p.tile_width - 1 ? mask[above + 1] : 0;
    const bool thin = s.joined && (reach & CPI_REACH_SAME);
    for (int d = -1; d <= 1; d++) {
        if (!(reach & (d < 0 ? CPI_REACH_BACK : d ? CPI_REACH_AHEAD : CPI_REACH_SAME))) continue;
        unsigned hit = mine & (d < 0 ? up << 1 | left >> 31 : d ? up >> 1 | right << 31 : up);
        if (d && thin) {
            unsigned on = d < 0 ? mine << 1 : mine >> 1;
            if (d < 0 && p.column) on |= mask[me - 1] >> 31;
            if (d > 0 && p.column < p.tile_width - 1) on |= mask[me + 1] << 31;
            hit &= ~(up | on);
        }
        unsigned h = heads(hit, s.joined);
        /* the pair of runs continues from the left, where it was united */
        if (d == 0 && s.joined && p.column && (h & 1) && (left >> 31) && (mask[me - 1] >> 31)) h &= ~1u;
        for (; h; h &= h - 1) {
            int b = __ffs((int)h) - 1, to = b + d;
            int word = above + (to < 0 ? -1 : to > 31 ? 1 : 0);
            unsigned other = to < 0 ? left : to > 31 ? right : up;
            join_in_tile<LINK>(parent, me * 32 + head_of(mine, b, s.joined),
                               word * 32 + head_of(other, to & 31, s.joined), linked);
        }
    }
}

/* All pairs of the thread's word with what precedes it in the tile. */
template <bool LINK>
__device__ __forceinline__ void meet_all(const label_shape &s, unsigned *parent, const unsigned *mask,
                                         const word_position &p, unsigned mine)
{
    const int me = threadIdx.x;
    unsigned linked = 0;
    if (s.joined && p.column && (mine & 1) && mask[me - 1] >> 31)
        join_in_tile<LINK>(parent, me * 32, (me - 1) * 32 + head_of(mask[me - 1], 31, true), linked);
    uint64_t low, high;
    line_masks(s, p.line, &low, &high);
    for (int i = 0; i < s.neighbours; i++) {
        cpi_neighbour n = neighbour_of(s, i);
        if (n.delta <= p.row && !(n.minus & low) && !(n.plus & high))
            meet_in_tile<LINK>(s, parent, mask, p, mine, n.reach, me - ((int)n.delta << s.tile_log), linked);
    }
}

__device__ __forceinline__ unsigned root_in_tile(const unsigned *parent, unsigned i)
{
    for (unsigned up; (up = parent[i]) != i;) i = up;
    return i;
}

template <int SIZE, class U>
__global__ void __launch_bounds__(TILE_WORDS) label_tiles(label_shape s, const void *x, uint64_t keep,
                                                          unsigned *masks, U *parents)
{
    __shared__ unsigned mask[TILE_WORDS];
    __shared__ unsigned parent[TILE_WORDS * 32];
    int me = threadIdx.x;
    word_position p = position_of(s, blockIdx.x, me);
    unsigned mine = tile_bits<SIZE>(s, x, keep, blockIdx.x);
    if (p.inside) masks[p.line * s.words + p.word] = mine;
    if (!__syncthreads_or(mine != 0)) return;
    mask[me] = mine;
    for (unsigned h = heads(mine, s.joined); h; h &= h - 1) {
        int b = __ffs((int)h) - 1;
        parent[me * 32 + b] = me * 32 + b;
    }
    __syncthreads();
    if (mine) meet_all<true>(s, parent, mask, p, mine);
    /* points every run at its root, one run of each word at a time: no entry is written during a search */
    for (unsigned h = heads(mine, s.joined); __syncthreads_or(h != 0); h &= h - 1) {
        const unsigned at = me * 32 + (h ? __ffs((int)h) - 1 : 0), root = h ? root_in_tile(parent, at) : 0;
        __syncthreads();
        if (h) parent[at] = root;
    }
    if (mine) meet_all<false>(s, parent, mask, p, mine);
    __syncthreads();
    for (unsigned h = heads(mine, s.joined); h; h &= h - 1) {
        int b = __ffs((int)h) - 1;
        unsigned root = root_in_tile(parent, me * 32 + b);
        word_position q = position_of(s, blockIdx.x, root >> 5);
        parents[p.line * s.width + p.word * 32 + b] = (U)(q.line * s.width + q.word * 32 + (root & 31));
    }
}

/* Unites the runs of word `mine` with those of line m above it: all pairs or, when the line is in the same tile, those
 * that cross the tile's side. Which pairs there are is as in meet_in_tile. */
template <class U>
__device__ void meet_outside(const label_shape &s, const unsigned *masks, U *parents, const word_position &p,
                             unsigned mine, int reach, int64_t m, bool same_tile)
{
    bool first = p.column == 0, last = p.column == p.tile_width - 1;
    if (same_tile && !(first && (reach & CPI_REACH_BACK)) && !(last && (reach & CPI_REACH_AHEAD))) return;
    const unsigned *row = masks + m * s.words + p.word;
    unsigned up = row[0], left = p.word ? row[-1] : 0, right = p.word < s.words - 1 ? row[1] : 0;
    U here = (U)(p.line * s.width + p.word * 32), there = (U)(m * s.width + p.word * 32);
    const bool thin = s.joined && (reach & CPI_REACH_SAME);
    const unsigned *beside = masks + p.line * s.words + p.word;
    for (int d = -1; d <= 1; d++) {
        if (!(reach & (d < 0 ? CPI_REACH_BACK : d ? CPI_REACH_AHEAD : CPI_REACH_SAME))) continue;
        unsigned hit = mine & (d < 0 ? up << 1 | left >> 31 : d ? up >> 1 | right << 31 : up);
        if (d && thin) {
            unsigned on = d < 0 ? mine << 1 : mine >> 1;
            if (d < 0 && p.word) on |= beside[-1] >> 31;
            if (d > 0 && p.word < s.words - 1) on |= beside[1] << 31;
            hit &= ~(up | on);
        }
        if (same_tile) hit &= d < 0 && first ? 1u : d > 0 && last ? 1u << 31 : 0;
        unsigned h = heads(hit, s.joined);
        if (d == 0 && s.joined && p.word && (h & 1) && (left >> 31) && (masks[p.line * s.words + p.word - 1] >> 31))
            h &= ~1u;
        for (; h; h &= h - 1) {
            int b = __ffs((int)h) - 1, to = b + d;
            unsigned other = to < 0 ? left : to > 31 ? right : up;
            int word = to < 0 ? -32 : to > 31 ? 32 : 0;
            unite<U>(parents, here + head_of(mine, b, s.joined), there + word + head_of(other, to & 31, s.joined));
        }
    }
}

template <class U>
__global__ void __launch_bounds__(TILE_WORDS) label_edges(label_shape s, const unsigned *masks, U *parents)
{
    word_position p = position_of(s, blockIdx.x, threadIdx.x);
    if (!p.inside) return;
    int64_t at = p.line * s.words + p.word;
    unsigned mine = masks[at];
    if (!mine) return;
    if (s.joined && p.column == 0 && p.word && (mine & 1)) {
        unsigned left = masks[at - 1];
        U here = (U)(p.line * s.width + p.word * 32);
        if (left >> 31) unite<U>(parents, here, here - 32 + head_of(left, 31, true));
    }
    uint64_t low, high;
    line_masks(s, p.line, &low, &high);
    for (int i = 0; i < s.neighbours; i++) {
        cpi_neighbour n = neighbour_of(s, i);
        if ((n.minus & low) || (n.plus & high)) continue;
        int64_t m = p.line - n.delta;
        meet_outside<U>(s, masks, parents, p, mine, n.reach, m, m >= p.first_line);
    }
}

/* Points every run at its root; marks and counts the roots of each word. */
template <class U>
__global__ void label_roots(label_shape s, const unsigned *masks, U *parents, unsigned *roots, U *counts)
{
    int64_t total = s.lines * s.words, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; w < total; w += step) {
        unsigned found = 0;
        int64_t line = w / s.words, here = line * s.width + (w - line * s.words) * 32;
        for (unsigned h = heads(masks[w], s.joined); h; h &= h - 1) {
            int b = __ffs((int)h) - 1;
            U i = (U)(here + b), root = seek_root<U>(parents, i);
            if (root == i)
                found |= 1u << b;
            else
                set_entry(parents + i, root);
        }
        roots[w] = found;
        counts[w] = (U)__popc(found);
    }
}

template <class U> __host__ __device__ constexpr U top() { return (U)1 << (sizeof(U) * 8 - 1); }

/* A root's entry becomes top | label. `counts` is the inclusive sum by now. */
template <class U>
__global__ void label_numbers(label_shape s, const unsigned *roots, const U *counts, U *parents)
{
    int64_t total = s.lines * s.words, step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t w = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; w < total; w += step) {
        unsigned r = roots[w];
        if (!r) continue;
        int64_t line = w / s.words, here = line * s.width + (w - line * s.words) * 32;
        U label = counts[w] - (U)__popc(r);
        for (; r; r &= r - 1) parents[here + __ffs((int)r) - 1] = top<U>() | ++label;
    }
}

/* A label as the bits of the output's type. */
__device__ __forceinline__ uint64_t label_bits(cp_type type, uint64_t label)
{
    switch (type) {
    case CP_BOOL: return 1;
#define LABEL_AS_HALF(A, s) case CPS_ENUM_##s: return cps_f32_to_##s((float)label);
        CPS_HALVES(LABEL_AS_HALF, )
    case CP_FLOAT32: return __float_as_uint((float)label);
    case CP_FLOAT64: return (uint64_t)__double_as_longlong((double)label);
    default: return label;
    }
}

template <int SIZE, int N> struct alignas(SIZE * N) pack { typename bits_of<SIZE>::type v[N]; };

/* Writes the labels, N elements a thread. */
template <int SIZE, int N, class U>
__global__ void label_write(label_shape s, const unsigned *masks, const U *parents, void *out, cp_type type)
{
    typedef typename bits_of<SIZE>::type T;
    U size = (U)(s.lines * s.width), width = (U)s.width, words = (U)s.words, step = (U)gridDim.x * blockDim.x;
    U packs = size / N + (size % N != 0);
    for (U t = (U)blockIdx.x * blockDim.x + threadIdx.x; t < packs; t += step) {
        U at = t * N, line = at / width, column = at - line * width, known = ~(U)0;
        pack<SIZE, N> p;
        T bits = 0;
        for (int k = 0; k < N; k++) {
            p.v[k] = 0;
            if (at + k >= size) break;
            unsigned w = masks[line * words + column / 32];
            int b = (int)(column & 31);
            if (w >> b & 1) {
                U head = at + k - (U)b + (U)head_of(w, b, s.joined);
                if (head != known) {
                    U up = parents[head];
                    if (!(up & top<U>())) up = parents[up];
                    bits = (T)label_bits(type, (uint64_t)(up & ~top<U>()));
                    known = head;
                }
                p.v[k] = bits;
            }
            if (++column == width) {
                column = 0;
                line++;
            }
        }
        if (at + N <= size) {
            *(pack<SIZE, N> *)((T *)out + at) = p;
        } else {
            for (int k = 0; at + k < size; k++) ((T *)out)[at + k] = p.v[k];
        }
    }
}

/* Tiles: 8 words by 32 lines, wider where there are fewer lines, narrower where lines are short. */
void cut_tiles(label_shape *s)
{
    int rows_log = 0;
    while (rows_log < 5 && ((int64_t)1 << rows_log) < s->lines) rows_log++;
    s->tile_log = 8 - rows_log;
    while (s->tile_log && ((int64_t)1 << (s->tile_log - 1)) >= s->words) s->tile_log--;
    s->tiles_x = (s->words + ((int64_t)1 << s->tile_log) - 1) >> s->tile_log;
}

template <class U>
cp_code write_labels(cp_stream *stream, const label_shape &s, const unsigned *masks, const U *parents, cp_array *out)
{
    cudaStream_t q = cpi_cuda_stream(stream);
    int size = (int)cpi_itemsize(out->type), n = (uintptr_t)out->data % 16 ? 1 : 16 / size;
    unsigned blocks = cpi_cuda_blocks(out->size, 256 * n, (int64_t)cpi_cuda_units(stream) * 64);
    switch (n == 1 ? -size : size) {
    case 1: label_write<1, 16, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    case 2: label_write<2, 8, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    case 4: label_write<4, 4, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    case 8: label_write<8, 2, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    case -1: label_write<1, 1, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    case -2: label_write<2, 1, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    case -4: label_write<4, 1, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    default: label_write<8, 1, U><<<blocks, 256, 0, q>>>(s, masks, parents, out->data, out->type); break;
    }
    return CPI_LAUNCHED(stream, "label");
}

/* Masks, the forest of their runs, and how many roots there are in every word. */
template <class U>
cp_code forest(cp_stream *stream, const label_shape &s, const cp_array *x, unsigned *masks, U *parents,
               unsigned *roots, U *counts)
{
    cudaStream_t q = cpi_cuda_stream(stream);
    int rows = TILE_WORDS >> s.tile_log;
    int64_t tiles = cpi_ceil_div(s.lines, rows) * s.tiles_x;
    if (tiles > INT32_MAX) return cpi_host->fail(CP_ERROR_UNSUPPORTED, "label: the array is too large for the GPU");
    unsigned grid = (unsigned)tiles;
    uint64_t keep = cpi_magnitude(x->type);
    switch (cpi_itemsize(x->type)) {
    case 1: label_tiles<1, U><<<grid, TILE_WORDS, 0, q>>>(s, x->data, keep, masks, parents); break;
    case 2: label_tiles<2, U><<<grid, TILE_WORDS, 0, q>>>(s, x->data, keep, masks, parents); break;
    case 4: label_tiles<4, U><<<grid, TILE_WORDS, 0, q>>>(s, x->data, keep, masks, parents); break;
    default: label_tiles<8, U><<<grid, TILE_WORDS, 0, q>>>(s, x->data, keep, masks, parents); break;
    }
    cp_code code = CPI_LAUNCHED(stream, "label");
    if (code != CP_OK) return code;
    label_edges<U><<<grid, TILE_WORDS, 0, q>>>(s, masks, parents);
    code = CPI_LAUNCHED(stream, "label");
    if (code != CP_OK) return code;
    unsigned blocks = cpi_cuda_blocks(s.lines * s.words, 128, (int64_t)cpi_cuda_units(stream) * 64);
    label_roots<U><<<blocks, 128, 0, q>>>(s, masks, parents, roots, counts);
    return CPI_LAUNCHED(stream, "label");
}

template <class U>
cp_code label_in(cp_stream *stream, const cpi_label_plan *plan, const label_shape &s, const cp_array *x, cp_array *out,
                 int64_t *count)
{
    int64_t words = s.lines * s.words;
    size_t word_bytes = ((size_t)words * sizeof(unsigned) + 511) & ~(size_t)511;
    size_t count_bytes = ((size_t)words * sizeof(U) + 511) & ~(size_t)511;
    char *work = (char *)cpi_host->work_alloc(stream, 2 * word_bytes + count_bytes + (size_t)x->size * sizeof(U));
    if (!work) return CP_ERROR_MEMORY;
    unsigned *masks = (unsigned *)work, *roots = (unsigned *)(work + word_bytes);
    U *counts = (U *)(work + 2 * word_bytes), *parents = (U *)(work + 2 * word_bytes + count_bytes);
    cp_code code = forest<U>(stream, s, x, masks, parents, roots, counts);
    if (code == CP_OK) code = cpi_cub_sum(stream, "label", sizeof(U), counts, words);
    U labels = 0;
    bool tight = plan->limit < x->size; /* else the number of labels is read when all work is under way */
    if (code == CP_OK && tight) code = cpi_cuda_read(stream, &labels, counts + words - 1, sizeof labels);
    if (code == CP_OK && (int64_t)labels > plan->limit)
        code = cpi_host->fail(CP_ERROR_RUNTIME, "label: insufficient bit-depth in requested output type");
    if (code == CP_OK) {
        unsigned blocks = cpi_cuda_blocks(words, 256, (int64_t)cpi_cuda_units(stream) * 64);
        label_numbers<U><<<blocks, 256, 0, cpi_cuda_stream(stream)>>>(s, roots, counts, parents);
        code = CPI_LAUNCHED(stream, "label");
    }
    if (code == CP_OK) code = write_labels<U>(stream, s, masks, parents, out);
    if (code == CP_OK && count && !tight) code = cpi_cuda_read(stream, &labels, counts + words - 1, sizeof labels);
    if (code == CP_OK && count) *count = (int64_t)labels;
    cpi_host->work_free(stream, work);
    return code;
}

} // namespace

cp_code cpi_ndimage_cuda_label(cp_stream *stream, const cpi_label_plan *plan, const cp_array *x, cp_array *out,
                               int64_t *count)
{
    label_shape s = {};
    s.lines = plan->lines;
    s.width = plan->width;
    s.words = cpi_ceil_div(plan->width, 32);
    s.axes = plan->axes;
    s.joined = plan->joined;
    s.neighbours = plan->neighbours;
    for (int a = 0; a < plan->axes; a++) s.lead[a] = plan->lead[a];
    cut_tiles(&s);
    void *list = NULL;
    if (plan->neighbours <= NEAR) {
        for (int i = 0; i < plan->neighbours; i++) s.near[i] = plan->neighbour[i];
    } else {
        size_t bytes = sizeof(cpi_neighbour) * (size_t)plan->neighbours;
        list = cpi_host->work_alloc(stream, bytes);
        if (!list) return CP_ERROR_MEMORY;
        cp_code code = stream->device->backend->from_host(stream, list, plan->neighbour, bytes);
        if (code != CP_OK) {
            cpi_host->work_free(stream, list);
            return code;
        }
        s.list = (const cpi_neighbour *)list;
    }
    cp_code code = x->size < INT32_MAX ? label_in<unsigned>(stream, plan, s, x, out, count)
                                       : label_in<unsigned long long>(stream, plan, s, x, out, count);
    if (list) cpi_host->work_free(stream, list);
    return code;
}
