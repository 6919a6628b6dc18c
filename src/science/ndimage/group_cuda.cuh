/* Pixels grouped by region, in device memory: what all measurements on the GPU are made from.
 *
 * The positions of the pixels that belong to a region, region by region and in C order within one, are cut into
 * pieces of PIECE. A warp reduces a piece in a fixed order, another one the partial results of a region's pieces:
 * no atomics on floating-point numbers, the same bits on every run. */
#ifndef CPI_NDIMAGE_GROUP_CUH
#define CPI_NDIMAGE_GROUP_CUH

#include "cuda/cuda.h"
#include "ndimage/key.h"
#include "ndimage/ndimage.h"

#define SEGMENT 1024

/* Workspace that ends with its block. */
struct scratch {
    cp_stream *stream;
    void *memory;
    explicit scratch(cp_stream *s) : stream(s), memory(NULL) {}
    ~scratch() { release(); }
    scratch(const scratch &) = delete;
    scratch &operator=(const scratch &) = delete;
    bool make(size_t bytes)
    {
        release();
        memory = cpi_host->work_alloc(stream, bytes ? bytes : 1);
        return memory != NULL;
    }
    void release()
    {
        if (memory) cpi_host->work_free(stream, memory);
        memory = NULL;
    }
    template <class T> T *as() const { return (T *)memory; }
};

/* From a label to its region: the device's part of the plan. With an index the region of a label is its place
 * in the sorted keys, the first one where labels are repeated. */
struct region_lookup {
    cpi_regions_kind kind;
    cp_type type;         /* of the labels */
    cpi_domain domain;
    int64_t n, key;
    const int64_t *keys;  /* n of them, ascending */
    const void *labels;
};

__device__ __forceinline__ int64_t position_of_key(const int64_t *keys, int64_t n, int64_t key)
{
    int64_t low = 0, high = n;
    while (low < high) {
        int64_t mid = low + (high - low) / 2;
        if (keys[mid] < key)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && keys[low] == key ? low : -1;
}

/* Region of label i, -1 for none. LABELS: the labels' type where it is compiled in, else -1. */
template <int LABELS> __device__ __forceinline__ int64_t region_of(const region_lookup &l, int64_t i)
{
    cp_type type = LABELS >= 0 ? (cp_type)LABELS : l.type;
    if (l.kind == CPI_REGIONS_COUNT) {
        int64_t label;
        switch (type) {
        CPI_CASE_FLOATS: {
            double d = cpi_load_double(type, l.labels, i);
            if (!(d >= 1 && d <= (double)l.n)) return -1;
            label = (int64_t)d;
            if ((double)label != d) return -1;
            break;
        }
        default: label = cpi_load_int(type, l.labels, i);
        }
        return label >= 1 && label <= l.n ? label - 1 : -1;
    }
    int64_t key;
    if (!cpi_label_key(type, l.labels, i, &key)) return -1;
    if (l.kind == CPI_REGIONS_POSITIVE) return key > cpi_small_key(0, l.domain) ? 0 : -1;
    if (l.kind == CPI_REGIONS_ONE) return key == l.key ? 0 : -1;
    int64_t first = l.keys[0];
    if (key < first || key > l.keys[l.n - 1]) return -1;
    uint64_t guess = (uint64_t)key - (uint64_t)first; /* right at once for labels without gaps */
    if (guess < (uint64_t)l.n && l.keys[guess] == key && (guess == 0 || l.keys[guess - 1] != key))
        return (int64_t)guess;
    return position_of_key(l.keys, l.n, key);
}

/* The grouped pixels. P is uint32_t where it can hold every position. */
template <class P> struct groups {
    int64_t n, total, most_chunks;
    const P *positions;    /* NULL: position i is i */
    const int64_t *begin;  /* n + 1: first pixel of each region */
    const int64_t *chunk;  /* n + 1: first piece of each region */
};

/* Region of a piece: the last one that begins at or before it. */
template <class P> __device__ __forceinline__ int64_t region_of_chunk(const groups<P> &g, int64_t chunk)
{
    int64_t low = 0, high = g.n;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (g.chunk[mid] <= chunk)
            low = mid;
        else
            high = mid;
    }
    return low;
}

template <class P> __device__ __forceinline__ int64_t position(const groups<P> &g, int64_t i)
{
    return g.positions ? (int64_t)g.positions[i] : i;
}

/* Groups the pixels; the three workspaces hold what *g points at. A plan of kind NONE gives empty regions. */
template <class P>
cp_code cpi_group(cp_stream *stream, const cpi_measure_plan *plan, const region_lookup &l, groups<P> *g,
                  scratch *positions, scratch *begin, scratch *chunk);

#endif
