/* Selection by the whole GPU in one launch: the median of one long row, and all iterations of a clipping.
 *
 * A cooperative grid of one block per multiprocessor makes pass after pass over the elements, which stay in the L2
 * cache where they fit. After each pass there is one barrier. Then every block computes from the same numbers, and so
 * with the same result, what the next pass does. Nothing is returned to the host before the end.
 *
 * A pass processes the elements whose key is within klow..khigh (what is kept). It counts and, for a clipping, sums
 * them. It also counts the keys in a window of bins of equal width, or lists the keys of one range, or finds the
 * neighbours of a key. The first window comes from a sample; a window that missed is replaced by the whole range.
 *
 * Buffers that all blocks add to exist three times: pass p uses number p % 3 and clears number (p + 1) % 3, which was
 * last read two barriers ago. The blocks' own sums exist twice. They are added in the order of the blocks. */
#ifndef CPI_SORT_SELECT_GRID_H
#define CPI_SORT_SELECT_GRID_H

#include "sort/clip.h"
#include "sort/select_block.h"

enum {
    CPI_GRID_THREADS = 1024, CPI_GRID_BINS = 4096, CPI_GRID_LIST = 2048, CPI_GRID_BLOCKS = 1024, CPI_GRID_SAMPLES = 1024
};
enum { CPI_PASS_COUNT, CPI_PASS_BINS, CPI_PASS_LIST, CPI_PASS_EDGES };

typedef unsigned long long cpi_ull;

template <class K>
struct cpi_grid_part { /* of one block */
    cpi_ull count, below;
    double s1, s2;
    K largest, under, over; /* of all keys; the largest kept below `edge`, the smallest kept from it on */
};

/* In device memory; what comes before `list` and after hist[0] is cleared by the kernel itself. */
template <class K>
struct cpi_grid_space {
    unsigned arrived, listed[3];
    cpi_ull hist[3][CPI_GRID_BINS];
    cpi_grid_part<K> parts[2][CPI_GRID_BLOCKS];
    K list[3][CPI_GRID_LIST];
};
#define CPI_GRID_CLEARED(K) offsetof(cpi_grid_space<K>, hist[1])

/* Parameters of the next pass; the same in all blocks. */
template <class K>
struct cpi_grid_plan {
    int pass;
    bool fresh;     /* the kept set is new: its sums are needed */
    K klow, khigh;
    K base;         /* of the window */
    int shift;
    K from, to;     /* CPI_PASS_LIST */
    K edge;         /* CPI_PASS_EDGES */
    double pivot;
    /* about the kept set */
    cpi_ull count, less; /* less: kept keys below `from` */
    double s1, s2;
    K largest;
    K first, second;     /* found */
};

template <class K>
struct cpi_grid_shared {
    union {
        unsigned hist[CPI_GRID_BINS];
        K list[CPI_GRID_LIST];
        K sample[CPI_GRID_SAMPLES];
    };
    cpi_block_space<K> block;
    cpi_grid_plan<K> plan;
    cpi_grid_part<K> warps[32], total;
    cpi_ull sums[32], less1;
    unsigned listed, at, h1, h2;
    int bin1, bin2;
    double low, high;
    cp_clip_result result;
};

static __device__ __forceinline__ void cpi_grid_barrier(unsigned *arrived, unsigned goal)
{
    __syncthreads();
    if (!threadIdx.x) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (*(volatile unsigned *)arrived < goal) { }
        __threadfence();
    }
    __syncthreads();
}

/* Elements: R is an unsigned integer as wide as one, K the key's type (at least 32 bits). */
template <class R, class K>
static __device__ __forceinline__ K cpi_grid_key(const cpi_keys &k, R raw)
{
    if (sizeof(R) == 1) return (K)cpi_key8(&k, (uint8_t)raw);
    if (sizeof(R) == 2) return (K)cpi_same16(&k, cpi_key16(&k, (uint16_t)raw));
    if (sizeof(R) == 4) return (K)cpi_same32(&k, cpi_key32(&k, (uint32_t)raw));
    if (k.complex_parts) return (K)cpi_ckey64(&k, (uint64_t)raw);
    return (K)cpi_same64(&k, cpi_key64(&k, (uint64_t)raw));
}

template <class R>
static __device__ __forceinline__ R cpi_grid_element(const cpi_keys &k, const void *from, int64_t i)
{
    if (sizeof(R) == 8 && k.complex_parts) { /* aligned as a float */
        const uint32_t *p = (const uint32_t *)from + 2 * i;
        return (R)(p[0] | (uint64_t)p[1] << 32);
    }
    return ((const R *)from)[i];
}

static __device__ __forceinline__ double cpi_grid_value(uint32_t raw) { return (double)__uint_as_float(raw); }
static __device__ __forceinline__ double cpi_grid_value(uint64_t raw) { return __longlong_as_double((long long)raw); }
static __device__ __forceinline__ double cpi_grid_value(uint16_t) { return 0; }
static __device__ __forceinline__ double cpi_grid_value(uint8_t) { return 0; }

/* One thread's sums over its elements of a pass. */
template <class R, class K, bool CLIP>
struct cpi_grid_thread {
    unsigned count, below;
    double s1, s2;
    K largest, under, over;

    __device__ __forceinline__ void take(const cpi_keys &k, const cpi_grid_plan<K> &p, cpi_grid_shared<K> *s, R raw)
    {
        K key = cpi_grid_key<R, K>(k, raw);
        if (!CLIP) largest = key > largest ? key : largest;
        if (key < p.klow || key > p.khigh) return;
        count++;
        if (CLIP && p.fresh) {
            double d = cpi_grid_value(raw) - p.pivot;
            s1 += d;
            s2 += d * d;
        }
        if (p.pass == CPI_PASS_BINS) {
            if (key < p.base) {
                below++;
            } else {
                K bin = (K)(key - p.base) >> p.shift;
                if (bin < (K)CPI_GRID_BINS) atomicAdd(&s->hist[(unsigned)bin], 1u);
            }
        } else if (p.pass == CPI_PASS_LIST) {
            if (key >= p.from && key <= p.to) {
                unsigned at = atomicAdd(&s->listed, 1u);
                if (at < CPI_GRID_LIST) s->list[at] = key;
            }
        } else if (p.pass == CPI_PASS_EDGES) {
            if (key < p.edge) under = key > under ? key : under;
            else over = key < over ? key : over;
        }
    }
};

/* All elements of this block, 16 bytes at a time, four loads in flight per thread. */
template <class R, class K, bool CLIP>
static __device__ void cpi_grid_read(const cpi_keys &k, const void *from, int64_t n, cpi_grid_thread<R, K, CLIP> *t,
                                     cpi_grid_shared<K> *s)
{
    enum { PER = 16 / sizeof(R), LOADS = 4 };
    const cpi_grid_plan<K> p = s->plan;
    int64_t vectors = (uintptr_t)from % 16 ? 0 : n / PER, step = (int64_t)gridDim.x * blockDim.x;
    int64_t id = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const uint4 *x = (const uint4 *)from;
    union pack { uint4 v; R r[PER]; };
    for (int64_t i = id; i < vectors; i += LOADS * step) {
        pack u[LOADS];
#pragma unroll
        for (int l = 0; l < LOADS; l++)
            if (i + l * step < vectors) u[l].v = __ldg(x + i + l * step);
#pragma unroll
        for (int l = 0; l < LOADS; l++)
            if (i + l * step < vectors) {
#pragma unroll
                for (int e = 0; e < PER; e++) t->take(k, p, s, u[l].r[e]);
            }
    }
    for (int64_t i = vectors * PER + id; i < n; i += step) t->take(k, p, s, cpi_grid_element<R>(k, from, i));
}

template <class K>
static __device__ __forceinline__ void cpi_grid_join(cpi_grid_part<K> *a, const cpi_grid_part<K> &b)
{
    a->count += b.count;
    a->below += b.below;
    a->s1 += b.s1;
    a->s2 += b.s2;
    a->largest = b.largest > a->largest ? b.largest : a->largest;
    a->under = b.under > a->under ? b.under : a->under;
    a->over = b.over < a->over ? b.over : a->over;
}

/* The sum over the block's threads, the same tree on every run; in s->total. */
template <class K>
static __device__ void cpi_grid_sum(cpi_grid_part<K> part, cpi_grid_shared<K> *s)
{
    for (int step = 16; step; step /= 2) {
        cpi_grid_part<K> o;
        o.count = __shfl_down_sync(~0u, part.count, step);
        o.below = __shfl_down_sync(~0u, part.below, step);
        o.s1 = __shfl_down_sync(~0u, part.s1, step);
        o.s2 = __shfl_down_sync(~0u, part.s2, step);
        o.largest = (K)__shfl_down_sync(~0u, (cpi_ull)part.largest, step);
        o.under = (K)__shfl_down_sync(~0u, (cpi_ull)part.under, step);
        o.over = (K)__shfl_down_sync(~0u, (cpi_ull)part.over, step);
        cpi_grid_join(&part, o);
    }
    if (!(threadIdx.x & 31)) s->warps[threadIdx.x >> 5] = part;
    __syncthreads();
    if (!threadIdx.x) {
        for (int w = 1; w < (int)(blockDim.x >> 5); w++) cpi_grid_join(&part, s->warps[w]);
        s->total = part;
    }
    __syncthreads();
}

template <class K>
static __device__ __forceinline__ cpi_grid_part<K> cpi_grid_nothing(void)
{
    cpi_grid_part<K> part = {0, 0, 0, 0, 0, 0, (K) ~(K)0};
    return part;
}

/* One pass: this block's part of it, the barrier, and the sums over all blocks in s->total. */
template <class R, class K, bool CLIP>
static __device__ void cpi_grid_pass(const cpi_keys &k, const void *from, int64_t n, int number, cpi_grid_space<K> *g,
                                     cpi_grid_shared<K> *s)
{
    int now = number % 3, next = (number + 1) % 3, pass = s->plan.pass;
    int64_t id = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    for (int64_t i = id; i < CPI_GRID_BINS; i += (int64_t)gridDim.x * blockDim.x) g->hist[next][i] = 0;
    if (!id) g->listed[next] = 0;
    if (pass == CPI_PASS_BINS)
        for (int i = threadIdx.x; i < CPI_GRID_BINS; i += blockDim.x) s->hist[i] = 0;
    if (!threadIdx.x) s->listed = 0;
    __syncthreads();
    cpi_grid_thread<R, K, CLIP> t = {0, 0, 0, 0, 0, 0, (K) ~(K)0};
    cpi_grid_read<R, K, CLIP>(k, from, n, &t, s);
    cpi_grid_part<K> part = {t.count, t.below, t.s1, t.s2, t.largest, t.under, t.over};
    cpi_grid_sum(part, s); /* has barriers of the block */
    if (!threadIdx.x) g->parts[number & 1][blockIdx.x] = s->total;
    if (pass == CPI_PASS_BINS)
        for (int i = threadIdx.x; i < CPI_GRID_BINS; i += blockDim.x)
            if (s->hist[i]) atomicAdd(&g->hist[now][i], (cpi_ull)s->hist[i]);
    if (pass == CPI_PASS_LIST) {
        if (!threadIdx.x) s->at = atomicAdd(&g->listed[now], s->listed);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < s->listed; i += blockDim.x)
            if (i < CPI_GRID_LIST && s->at + i < CPI_GRID_LIST) g->list[now][s->at + i] = s->list[i];
    }
    __threadfence();
    cpi_grid_barrier(&g->arrived, gridDim.x * (unsigned)(number + 1));
    part = cpi_grid_nothing<K>();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
        const volatile cpi_grid_part<K> *v = &g->parts[number & 1][b];
        cpi_grid_part<K> o;
        o.count = v->count;
        o.below = v->below;
        o.s1 = v->s1;
        o.s2 = v->s2;
        o.largest = v->largest;
        o.under = v->under;
        o.over = v->over;
        cpi_grid_join(&part, o);
    }
    cpi_grid_sum(part, s);
}

/* The window on all keys up to `to`, from `from` on. */
template <class K>
static __device__ __forceinline__ void cpi_grid_window(cpi_grid_plan<K> *p, K from, K to)
{
    int shift = cpi_bits_of<K>((K)(to - from)) - 12;
    p->pass = CPI_PASS_BINS;
    p->base = from;
    p->shift = shift > 0 ? shift : 0;
}

/* Sorts a sample and takes from it the first window and the pivot. */
template <class R, class K, bool CLIP>
static __device__ void cpi_grid_guess(const cpi_keys &k, const void *from, int64_t n, K limit, cpi_grid_shared<K> *s)
{
    enum { MARGIN = 76 }; /* 4.5 standard deviations of the rank, with a margin */
    int i = threadIdx.x;
    int64_t stride = n / CPI_GRID_SAMPLES, at = i;
    if (stride) at = i * stride + (int64_t)((uint64_t)i * 2654435769u % (uint64_t)stride);
    s->sample[i] = at < n ? cpi_grid_key<R, K>(k, cpi_grid_element<R>(k, from, at)) : (K) ~(K)0;
    for (int size = 2; size <= CPI_GRID_SAMPLES; size *= 2)
        for (int step = size / 2; step; step /= 2) {
            __syncthreads();
            int j = i ^ step;
            if (j > i) {
                K a = s->sample[i], b = s->sample[j];
                if ((a > b) == !(i & size)) {
                    s->sample[i] = b;
                    s->sample[j] = a;
                }
            }
        }
    __syncthreads();
    if (!i) {
        int valid = CPI_GRID_SAMPLES; /* NaN is last */
        while (valid > 0 && s->sample[valid - 1] > limit) valid--;
        cpi_grid_plan<K> *p = &s->plan;
        p->pivot = 0;
        if (CLIP && valid)
            p->pivot = cpi_grid_value((R)(sizeof(K) == 4 ? (K)cpi_unkey32(&k, (uint32_t)s->sample[valid / 2])
                                                         : (K)cpi_unkey64(&k, (uint64_t)s->sample[valid / 2])));
        if (!(fabs(p->pivot) <= DBL_MAX)) p->pivot = 0;
        if (valid > 4 * MARGIN) cpi_grid_window(p, s->sample[valid / 2 - MARGIN], s->sample[valid / 2 + MARGIN]);
        else cpi_grid_window(p, (K)0, (K) ~(K)0);
    }
    __syncthreads();
}

/* The bins of the ranks k1 and k2 of the kept set: s->bin1, s->bin2 (-1: not in the window). Four bins a thread. */
template <class K>
static __device__ void cpi_grid_find(const cpi_ull *hist, cpi_ull k1, cpi_ull k2, cpi_grid_shared<K> *s)
{
    enum { EACH = CPI_GRID_BINS / CPI_GRID_THREADS };
    cpi_ull h[EACH], sum = 0;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int i = 0; i < EACH; i++) sum += h[i] = ((const volatile cpi_ull *)hist)[threadIdx.x * EACH + i];
    cpi_ull upto = sum;
    for (int step = 1; step < 32; step *= 2) {
        cpi_ull v = __shfl_up_sync(~0u, upto, step);
        if (lane >= step) upto += v;
    }
    if (lane == 31) s->sums[warp] = upto;
    if (!threadIdx.x) s->bin1 = s->bin2 = -1;
    __syncthreads();
    cpi_ull before = s->total.below + upto - sum;
    for (int w = 0; w < warp; w++) before += s->sums[w];
    for (int i = 0; i < EACH; i++) {
        if (k1 >= before && k1 < before + h[i]) {
            s->bin1 = (int)threadIdx.x * EACH + i;
            s->less1 = before;
            s->h1 = h[i] > CPI_GRID_LIST ? CPI_GRID_LIST + 1 : (unsigned)h[i];
        }
        if (k2 >= before && k2 < before + h[i]) {
            s->bin2 = (int)threadIdx.x * EACH + i;
            s->h2 = h[i] > CPI_GRID_LIST ? CPI_GRID_LIST + 1 : (unsigned)h[i];
        }
        before += h[i];
    }
    __syncthreads();
}

/* Evaluates a pass of bins: true when the two keys are found. One thread. */
template <class K>
static __device__ bool cpi_grid_narrow(cpi_grid_shared<K> *s)
{
    cpi_grid_plan<K> *p = &s->plan;
    if (s->bin1 < 0 || s->bin2 < 0) {
        cpi_grid_window(p, (K)0, (K) ~(K)0);
        return false;
    }
    K first = p->base + ((K)s->bin1 << p->shift), second = p->base + ((K)s->bin2 << p->shift);
    if (!p->shift) {
        p->first = first;
        p->second = second;
        return true;
    }
    K end = second + (((K)1 << p->shift) - 1);
    if (end < second) end = (K) ~(K)0;
    if (s->h1 + (s->bin1 == s->bin2 ? 0 : s->h2) <= CPI_GRID_LIST) {
        p->pass = CPI_PASS_LIST;
        p->from = first;
        p->to = end;
        p->less = s->less1;
    } else if (s->bin1 == s->bin2) {
        cpi_grid_window(p, first, end);
    } else {
        p->pass = CPI_PASS_EDGES;
        p->edge = second;
    }
    return false;
}

/* Reads the list that a pass left, in arbitrary order. */
template <class K>
struct cpi_grid_listed {
    const volatile K *list;
    __device__ __forceinline__ K operator()(int64_t i) const { return list[i]; }
};

/* Makes passes until the two middle keys of what is kept are in the plan; false when nothing is kept, or as much as
 * `before`. With COUNT only the sums are made. */
template <class R, class K, bool CLIP>
static __device__ bool cpi_grid_median(const cpi_keys &k, const void *from, int64_t n, cpi_ull before, int *number,
                                       cpi_grid_space<K> *g, cpi_grid_shared<K> *s)
{
    for (bool fresh = true;; fresh = false) {
        int now = *number % 3, pass = s->plan.pass;
        cpi_grid_pass<R, K, CLIP>(k, from, n, (*number)++, g, s);
        if (!threadIdx.x && fresh) {
            s->plan.count = s->total.count;
            s->plan.s1 = s->total.s1;
            s->plan.s2 = s->total.s2;
            s->plan.largest = s->total.largest;
            s->plan.fresh = false;
        }
        __syncthreads();
        cpi_ull count = s->plan.count, k1 = (count - 1) / 2, k2 = count / 2;
        if (!count || count == before) return false;
        if (pass == CPI_PASS_COUNT) return true;
        bool found = true;
        if (pass == CPI_PASS_BINS) {
            cpi_grid_find(g->hist[now], k1, k2, s);
            if (!threadIdx.x) s->at = cpi_grid_narrow(s);
            __syncthreads();
            found = s->at != 0;
        } else if (pass == CPI_PASS_LIST) {
            cpi_grid_listed<K> listed = {g->list[now]};
            int64_t m = (int64_t)*(volatile unsigned *)&g->listed[now];
            K first, second, from_key = s->plan.from, to_key = s->plan.to;
            cpi_block_select<K>(listed, m, (int64_t)(k1 - s->plan.less), from_key, to_key, &s->block, &first, &second);
            if (!threadIdx.x) {
                s->plan.first = first;
                s->plan.second = k2 == k1 ? first : second;
            }
        } else if (!threadIdx.x) {
            s->plan.first = s->total.under;
            s->plan.second = s->total.over;
        }
        __syncthreads();
        if (found) return true;
    }
}

/* Launches a kernel of one block a multiprocessor, all of them running at once. */
static inline cp_code cpi_grid_launch(const void *kernel, cp_stream *stream, int64_t n, void **arguments,
                                      const char *what)
{
    int64_t blocks = cpi_cuda_units(stream), need = n / (4 * CPI_GRID_THREADS) + 1;
    if (blocks > need) blocks = need;
    if (blocks > CPI_GRID_BLOCKS) blocks = CPI_GRID_BLOCKS;
    cudaLaunchCooperativeKernel(kernel, dim3((unsigned)blocks), dim3(CPI_GRID_THREADS), arguments, 0,
                                cpi_cuda_stream(stream));
    return CPI_LAUNCHED(stream, what);
}

#endif
