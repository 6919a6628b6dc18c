/* Kappa-sigma clipping on the GPU: all iterations in one launch (select_grid.h), then one read of the result. The
 * values that are kept are selected in cub_cuda.cu. At the end: one pass over a part of more data. */
#include "sort/select_grid.h"

#include "sort/clip_split.cuh"

/* The kernel's result for the host. */
struct clip_answer {
    cp_clip_result result;
    double low, high;
};

static __device__ __forceinline__ uint32_t key_of(const cpi_keys &k, double v, uint32_t)
{
    return cpi_same32(&k, cpi_key32(&k, __float_as_uint((float)v)));
}
static __device__ __forceinline__ uint64_t key_of(const cpi_keys &k, double v, uint64_t)
{
    return cpi_same64(&k, cpi_key64(&k, (uint64_t)__double_as_longlong(v)));
}
static __device__ __forceinline__ double value_of(const cpi_keys &k, uint32_t key)
{
    return cpi_grid_value(cpi_unkey32(&k, key));
}
static __device__ __forceinline__ double value_of(const cpi_keys &k, uint64_t key)
{
    return cpi_grid_value(cpi_unkey64(&k, key));
}

/* One thread: computes the bounds of the next set from the measured one. False when this was the last. */
template <class K>
static __device__ bool clip_step(const cpi_clip &q, const cpi_keys &k, int iteration, cpi_grid_shared<K> *s)
{
    cpi_grid_plan<K> *p = &s->plan;
    double mean, std, center, first = 0;
    s->result.iterations = iteration;
    s->result.count = (int64_t)p->count;
    cpi_clip_moments((double)p->count, p->s1, p->s2, p->pivot, &mean, &std);
    center = mean;
    if (q.center == CP_CLIP_MEDIAN) {
        first = value_of(k, p->first);
        center = p->count & 1 ? first : cpi_clip_middle(q.rule, first, value_of(k, p->second));
    }
    cpi_clip_bounds(q.rule, q.kappa, center, std, &s->result);
    if (iteration && iteration == q.max_iterations) return false;
    cpi_clip_narrow(q.type, s->result.lower, s->result.upper, &s->low, &s->high);
    if (!(s->low <= s->high)) {
        p->count = 0;
        return false;
    }
    p->klow = key_of(k, s->low, (K)0);
    p->khigh = key_of(k, s->high, (K)0);
    p->fresh = true;
    if (q.center == CP_CLIP_MEAN) {
        p->pivot = mean;
        return true;
    }
    p->pivot = first;
    double reach = s->result.std / 8; /* mostly the median has not moved further */
    cpi_grid_window(p, key_of(k, fmax(center - reach, -DBL_MAX), (K)0), key_of(k, fmin(center + reach, DBL_MAX), (K)0));
    return true;
}

/* One thread: true when the sums must be computed again about a better pivot, which then is set. */
template <class K>
static __device__ bool clip_again(cpi_grid_plan<K> *p)
{
    double mean, std;
    cpi_clip_moments((double)p->count, p->s1, p->s2, p->pivot, &mean, &std);
    if (!cpi_clip_off_center(mean, std, p->pivot)) return false;
    p->pivot = mean;
    p->fresh = true;
    p->pass = CPI_PASS_COUNT;
    return true;
}

template <class K>
__global__ void __launch_bounds__(CPI_GRID_THREADS, 1)
clip_grid(cpi_clip q, cpi_keys k, cpi_grid_space<K> *g, clip_answer *answer)
{
    __shared__ cpi_grid_shared<K> s;
    if (!threadIdx.x) {
        s.plan.fresh = true;
        s.plan.klow = key_of(k, -(double)INFINITY, (K)0);
        s.plan.khigh = key_of(k, (double)INFINITY, (K)0);
        s.low = -(double)INFINITY;
        s.high = (double)INFINITY;
    }
    __syncthreads();
    cpi_grid_guess<K, K, true>(k, q.from, q.n, (K)k.last, &s);
    cpi_ull before = ~(cpi_ull)0;
    int number = 0, iteration = 0;
    for (;; iteration++) {
        if (q.center == CP_CLIP_MEAN && !threadIdx.x) s.plan.pass = CPI_PASS_COUNT;
        bool left = true, again = true;
        for (int turn = 0; left && again; turn++) {
            __syncthreads();
            left = cpi_grid_median<K, K, true>(k, q.from, q.n, turn ? ~(cpi_ull)0 : before, &number, g, &s);
            __syncthreads();
            if (!threadIdx.x) s.at = left && turn < CPI_CLIP_AGAIN && clip_again(&s.plan);
            __syncthreads();
            again = s.at != 0;
        }
        if (!left) break;
        before = s.plan.count;
        __syncthreads();
        if (!threadIdx.x) s.at = clip_step(q, k, iteration, &s);
        __syncthreads();
        bool more = s.at != 0;
        __syncthreads();
        if (!more) break;
    }
    if (blockIdx.x || threadIdx.x) return;
    if (!s.plan.count) {
        /* an empty interval is found one iteration before the pass that would have counted nothing */
        int passes = s.low <= s.high ? iteration : iteration + 1;
        cp_clip_result none = {NAN, NAN, NAN, NAN, 0, passes};
        s.result = none;
        s.low = (double)INFINITY;
        s.high = -(double)INFINITY;
    } else {
        s.result.iterations = iteration;
    }
    answer->result = s.result;
    answer->low = s.low;
    answer->high = s.high;
}

template <class K>
static cp_code run_clip(cp_stream *stream, cpi_clip *request)
{
    cpi_keys k = cpi_keys_of(request->type);
    size_t space = cpi_round_up(sizeof(cpi_grid_space<K>), 16);
    char *memory = (char *)cpi_host->work_alloc(stream, space + sizeof(clip_answer));
    if (!memory) return CP_ERROR_MEMORY;
    cpi_grid_space<K> *g = (cpi_grid_space<K> *)memory;
    clip_answer *there = (clip_answer *)(memory + space), here;
    void *arguments[] = {request, &k, &g, &there};
    cp_code code =
        cpi_cuda_issued(stream, cudaMemsetAsync(g, 0, CPI_GRID_CLEARED(K), cpi_cuda_stream(stream)), "sigma_clip");
    if (code == CP_OK) code = cpi_grid_launch((const void *)clip_grid<K>, stream, request->n, arguments, "sigma_clip");
    if (code == CP_OK) code = cpi_cuda_read(stream, &here, there, sizeof here);
    cpi_host->work_free(stream, memory);
    if (code != CP_OK) return code;
    request->result = here.result;
    request->low = here.low;
    request->high = here.high;
    return CP_OK;
}

cp_code cpi_sort_cuda_clip(cp_stream *stream, cpi_clip *request)
{
    return request->type == CP_FLOAT32 ? run_clip<uint32_t>(stream, request) : run_clip<uint64_t>(stream, request);
}

/* --- a part of more data --- */

template <class T>
__global__ void __launch_bounds__(CPI_SPLIT_THREADS)
split_part_of(const __grid_constant__ cpi_clip_split q, cpi_split_lists *lists)
{
    cpi_split_part<T>(q, lists);
}

cp_code cpi_sort_cuda_clip_split(cp_stream *stream, cpi_clip_split *q)
{
    cpi_split_lists *there = (cpi_split_lists *)cpi_host->work_alloc(stream, sizeof(cpi_split_lists)), here;
    if (!there) return CP_ERROR_MEMORY;
    const int64_t wanted = (q->n + 4 * CPI_SPLIT_THREADS - 1) / (4 * CPI_SPLIT_THREADS);
    const int blocks = (int)(wanted < CPI_SPLIT_BLOCKS ? wanted : CPI_SPLIT_BLOCKS);
    cp_code code =
        cpi_cuda_issued(stream, cudaMemsetAsync(there, 0, 2 * sizeof(cpi_ull), cpi_cuda_stream(stream)), "sigma_clip");
    if (code == CP_OK) {
        if (q->type == CP_FLOAT32)
            split_part_of<float><<<blocks, CPI_SPLIT_THREADS, 0, cpi_cuda_stream(stream)>>>(*q, there);
        else split_part_of<double><<<blocks, CPI_SPLIT_THREADS, 0, cpi_cuda_stream(stream)>>>(*q, there);
        code = CPI_LAUNCHED(stream, "sigma_clip");
    }
    if (code == CP_OK) code = cpi_cuda_read(stream, &here, there, sizeof here);
    cpi_host->work_free(stream, there);
    if (code != CP_OK) return code;
    cpi_split_sums all = {};
    for (int b = 0; b < blocks; b++) {
        all.count += here.parts[b].count;
        all.below += here.parts[b].below;
        all.s1 += here.parts[b].s1;
        all.s2 += here.parts[b].s2;
    }
    q->count = (int64_t)all.count;
    q->below = (int64_t)all.below;
    q->s1 = all.s1;
    q->s2 = all.s2;
    q->fringe_count = (int64_t)here.fringe;
    q->window_count = (int64_t)here.window;
    return CP_OK;
}
