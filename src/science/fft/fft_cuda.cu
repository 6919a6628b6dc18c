/* Transforms on a GPU: what our own kernels do not serve (own_cuda.cu) is cuFFT's, loaded on first use, with a plan
 * cache.
 *
 * Output is C-contiguous. Input that is not, or that a transform would overwrite, is first copied to work memory. A
 * plan owns no work memory: each call takes some from the pool, in stream order, so a plan serves any stream, one call
 * at a time. Plans are reference-counted: by the list, by the call that uses them, and by the captures that recorded
 * them. */
#include <cufft.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "fft/fft.h"
#include "fft/own_cuda.h"
#include "loop/transpose.cuh"
#include "loop/unravel.cuh"

namespace {

/* --- the library --- */

#define CUFFT(X)                                                                                                 \
    X(cufftCreate) X(cufftDestroy) X(cufftSetStream) X(cufftSetAutoAllocation) X(cufftSetWorkArea)               \
    X(cufftMakePlanMany64) X(cufftExecC2C) X(cufftExecR2C) X(cufftExecC2R) X(cufftExecZ2Z) X(cufftExecD2Z)       \
    X(cufftExecZ2D)
struct cufft_calls {
#define X(name) decltype(&::name) name;
    CUFFT(X)
#undef X
} lib;

pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
bool library_open;

cp_code need_library(const char *function)
{
    if (__atomic_load_n(&library_open, __ATOMIC_ACQUIRE)) return CP_OK;
    static const char *const files[] = {"libcufft.so.12", "libcufft.so.11", "libcufft.so", nullptr};
#define X(name) #name,
    static const char *const names[] = {CUFFT(X) nullptr};
#undef X
    const char *missing = nullptr;
    pthread_mutex_lock(&library_lock);
    void *handle = library_open ? nullptr : cpi_cuda_library(files);
    if (handle) {
        missing = cpi_cuda_functions(handle, names, &lib);
        if (!missing) __atomic_store_n(&library_open, true, __ATOMIC_RELEASE);
    }
    bool open = library_open;
    pthread_mutex_unlock(&library_lock);
    if (open) return CP_OK;
    if (missing) return cpi_host->fail(CP_ERROR_UNSUPPORTED, "%s: this cuFFT has no %s", function, missing);
    return cpi_host->fail(CP_ERROR_UNSUPPORTED,
                          "%s: cuFFT (libcufft.so.11 or .12) is not there, which transforms on a GPU need: pip install "
                          "nvidia-cufft, or install the CUDA toolkit, or name its folder by CUPRITE_LIBRARY_PATH",
                          function);
}

const char *string_of(cufftResult r)
{
    switch ((int)r) {
    case 2: return "cuFFT could not allocate memory";
    case 4: return "cuFFT refused a value";
    case 5: return "internal error of cuFFT";
    case 6: return "cuFFT could not run the transform";
    case 7: return "cuFFT could not be set up";
    case 8: return "cuFFT refused the size";
    default: return "error of cuFFT";
    }
}

cp_code check(const char *function, cufftResult r)
{
    if (r == CUFFT_SUCCESS) return CP_OK;
    cudaGetLastError();
    return cpi_host->fail(r == CUFFT_ALLOC_FAILED ? CP_ERROR_MEMORY : CP_ERROR_DEVICE, "%s: %s (%d)", function,
                          string_of(r), (int)r);
}

/* --- plans --- */

/* The key of a plan. Complex elements; steps in elements. */
struct shape_of_plan {
    int device, rank;
    cufftType type;
    long long n[3], in_embed[3], out_embed[3], in_step, in_dist, out_step, out_dist, batch;
};

struct plan {
    int refs;
    shape_of_plan shape;
    cufftHandle handle;
    size_t work;         /* bytes of work memory for a call */
    int64_t bytes;       /* of the device's memory that the plan holds */
    pthread_mutex_t lock; /* held while a call sets stream and memory */
    plan *next;
};

enum { DEVICES = 64 };
pthread_mutex_t plans_lock = PTHREAD_MUTEX_INITIALIZER;
plan *kept[DEVICES]; /* the latest first */
struct limits {
    int64_t plans = 64, bytes = -1, hits = 0, misses = 0;
} limit[DEVICES];

void plan_release(void *memory)
{
    plan *p = (plan *)memory;
    if (__atomic_sub_fetch(&p->refs, 1, __ATOMIC_ACQ_REL)) return;
    int before = 0;
    cudaGetDevice(&before);
    cudaSetDevice(p->shape.device);
    {
        cpi_cuda_relaxed relaxed;
        lib.cufftDestroy(p->handle);
    }
    cudaSetDevice(before);
    pthread_mutex_destroy(&p->lock);
    cpi_host->free(p);
}

/* Unlinks the plans beyond the limits from the device's list; under the lock. */
plan *beyond_limits(int device)
{
    int64_t plans = 0, bytes = 0;
    plan **at = &kept[device];
    while (*at && plans < limit[device].plans &&
           (limit[device].bytes < 0 || bytes + (*at)->bytes <= limit[device].bytes)) {
        plans++;
        bytes += (*at)->bytes;
        at = &(*at)->next;
    }
    plan *rest = *at;
    *at = nullptr;
    return rest;
}

/* Destroys plans that are no longer in the list. Pending work may use them, so the device is synchronized first. Where
 * a capture forbids that, the list takes them back. */
void end_plans(cp_stream *stream, plan *gone)
{
    if (!gone) return;
    if (cpi_cuda_captured(stream) || cudaDeviceSynchronize() != cudaSuccess) {
        cudaGetLastError();
        pthread_mutex_lock(&plans_lock);
        plan **at = &kept[gone->shape.device];
        while (*at) at = &(*at)->next;
        *at = gone;
        pthread_mutex_unlock(&plans_lock);
        return;
    }
    while (gone) {
        plan *next = gone->next;
        plan_release(gone);
        gone = next;
    }
}

/* The plan with a reference for the caller, now the first of the list; under the lock. */
plan *find(const shape_of_plan *shape)
{
    for (plan **at = &kept[shape->device]; *at; at = &(*at)->next) {
        plan *p = *at;
        if (memcmp(&p->shape, shape, sizeof *shape) != 0) continue;
        *at = p->next;
        p->next = kept[shape->device];
        kept[shape->device] = p;
        __atomic_add_fetch(&p->refs, 1, __ATOMIC_RELAXED);
        return p;
    }
    return nullptr;
}

cufftResult make(const shape_of_plan *s, cufftHandle *handle, size_t *work)
{
    shape_of_plan c = *s;
    cpi_cuda_relaxed relaxed;
    cufftResult r = lib.cufftCreate(handle);
    if (r != CUFFT_SUCCESS) return r;
    r = lib.cufftSetAutoAllocation(*handle, 0);
    if (r == CUFFT_SUCCESS)
        r = lib.cufftMakePlanMany64(*handle, c.rank, c.n, c.in_step == 1 ? nullptr : c.in_embed, c.in_step, c.in_dist,
                                    c.in_step == 1 ? nullptr : c.out_embed, c.out_step, c.out_dist, c.type, c.batch,
                                    work); /* without gaps (embed NULL) it may be quicker */
    if (r != CUFFT_SUCCESS) {
        lib.cufftDestroy(*handle);
        cudaGetLastError();
    }
    return r;
}

/* Frees memory: kept plans, and, by a request that cannot be met, free blocks of the pool. */
void make_space(cp_stream *stream, int device)
{
    char text[8];
    pthread_mutex_lock(&plans_lock);
    plan *all = kept[device];
    kept[device] = nullptr;
    pthread_mutex_unlock(&plans_lock);
    end_plans(stream, all);
    void *too_much = cpi_host->work_alloc(stream, (size_t)1 << 46);
    if (too_much) cpi_host->work_free(stream, too_much);
    else cpi_host->take_error(text, sizeof text);
}

plan *plan_new(cp_stream *stream, const char *function, const shape_of_plan *shape)
{
    plan *p = (plan *)cpi_host->malloc(sizeof *p);
    if (!p) return nullptr;
    memset(p, 0, sizeof *p);
    p->refs = 1;
    memcpy(&p->shape, shape, sizeof *shape);
    pthread_mutex_init(&p->lock, nullptr);
    size_t before = 0, after = 0, total;
    const bool measured = !cpi_cuda_captured(stream) && cudaMemGetInfo(&before, &total) == cudaSuccess;
    cufftResult r = make(shape, &p->handle, &p->work);
    if ((r == CUFFT_ALLOC_FAILED || r == CUFFT_INTERNAL_ERROR) && !cpi_cuda_captured(stream)) {
        make_space(stream, shape->device);
        r = make(shape, &p->handle, &p->work);
    }
    if (measured && cudaMemGetInfo(&after, &total) == cudaSuccess && after < before)
        p->bytes = (int64_t)(before - after);
    if (r == CUFFT_SUCCESS) return p;
    check(function, r);
    pthread_mutex_destroy(&p->lock);
    cpi_host->free(p);
    return nullptr;
}

plan *plan_get(cp_stream *stream, const char *function, const shape_of_plan *shape)
{
    const int device = shape->device;
    pthread_mutex_lock(&plans_lock);
    plan *p = find(shape);
    if (p) limit[device].hits++;
    else limit[device].misses++;
    pthread_mutex_unlock(&plans_lock);
    if (p || !(p = plan_new(stream, function, shape))) return p;
    pthread_mutex_lock(&plans_lock);
    plan *other = find(shape), *gone = nullptr; /* of a thread that was quicker */
    if (!other) {
        __atomic_add_fetch(&p->refs, 1, __ATOMIC_RELAXED);
        p->next = kept[device];
        kept[device] = p;
        gone = beyond_limits(device);
    }
    pthread_mutex_unlock(&plans_lock);
    if (gone == p) { /* nothing is kept: the caller's call still uses it, so it is not destroyed here */
        plan *rest = p->next;
        p->next = nullptr;
        plan_release(p);
        gone = rest;
    }
    end_plans(stream, gone);
    if (!other) return p;
    plan_release(p);
    return other;
}

/* Runs the plan once on the stream; releases the caller's reference. */
cp_code run_plan(cp_stream *stream, const char *function, plan *p, const void *in, void *out, int sign)
{
    void *work = p->work ? cpi_host->work_alloc(stream, p->work) : nullptr;
    if (p->work && !work) {
        plan_release(p);
        return CP_ERROR_MEMORY;
    }
    const int direction = sign < 0 ? CUFFT_FORWARD : CUFFT_INVERSE;
    void *from = const_cast<void *>(in);
    pthread_mutex_lock(&p->lock);
    cufftResult r = lib.cufftSetStream(p->handle, cpi_cuda_stream(stream));
    if (r == CUFFT_SUCCESS && work) r = lib.cufftSetWorkArea(p->handle, work);
    if (r == CUFFT_SUCCESS) switch (p->shape.type) {
        case CUFFT_C2C: r = lib.cufftExecC2C(p->handle, (cufftComplex *)from, (cufftComplex *)out, direction); break;
        case CUFFT_R2C: r = lib.cufftExecR2C(p->handle, (cufftReal *)from, (cufftComplex *)out); break;
        case CUFFT_C2R: r = lib.cufftExecC2R(p->handle, (cufftComplex *)from, (cufftReal *)out); break;
        case CUFFT_Z2Z:
            r = lib.cufftExecZ2Z(p->handle, (cufftDoubleComplex *)from, (cufftDoubleComplex *)out, direction);
            break;
        case CUFFT_D2Z: r = lib.cufftExecD2Z(p->handle, (cufftDoubleReal *)from, (cufftDoubleComplex *)out); break;
        case CUFFT_Z2D: r = lib.cufftExecZ2D(p->handle, (cufftDoubleComplex *)from, (cufftDoubleReal *)out); break;
        }
    pthread_mutex_unlock(&p->lock);
    cpi_host->work_free(stream, work);
    cp_code code = check(function, r);
    if (!code) code = CPI_LAUNCHED(stream, "fft");
    const bool alone = __atomic_load_n(&p->refs, __ATOMIC_ACQUIRE) == 1;
    if (cpi_cuda_captured(stream)) { /* the recorded work uses it as long as it can be launched */
        if (!cpi_host->capture_own(stream, p, plan_release)) plan_release(p);
    } else {
        if (alone) cudaStreamSynchronize(cpi_cuda_stream(stream));
        plan_release(p);
    }
    return code;
}

/* --- copies and scales --- */

/* A C-contiguous copy. `half`: the last axis is the half of a real transform of n elements:
 * imaginary parts of its first element, and of its last of even n, are 0. */
struct gathering {
    int ndim;
    bool conjugate, half, even;
    int halved; /* the dimension that is */
    int64_t size, step[CP_MAXDIM];
    cpi_divisor64 shape[CP_MAXDIM];
    const char *from;
};

template <class T> struct pair_of { T re, im; };

template <class T, bool Complex> __global__ void gather(const __grid_constant__ gathering g, T *to)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < g.size; i += (int64_t)gridDim.x * blockDim.x) {
        int64_t at = 0, k = 1;
        cpi_indices_of(g.ndim, g.shape, (uint64_t)i, [&](int d, uint64_t index) {
            at += (int64_t)index * g.step[d];
            if (d == g.halved) k = (int64_t)index;
        });
        const T *p = (const T *)(g.from + at);
        if constexpr (Complex) {
            T im = g.conjugate ? -p[1] : p[1];
            if (g.half && (k == 0 || (g.even && k == (int64_t)g.shape[g.halved].by - 1))) im = 0;
            to[2 * i] = p[0];
            to[2 * i + 1] = im;
        } else to[i] = p[0];
    }
}

template <class T> __global__ void finish(T *x, int64_t n, T scale, bool conjugate)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        x[i] *= conjugate && i & 1 ? -scale : scale;
}

/* Real numbers to complex ones, or back. */
template <class T> __global__ void between(const T *from, T *to, int64_t n, bool forward)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        if (forward) to[2 * i] = from[i], to[2 * i + 1] = 0;
        else to[i] = from[2 * i];
    }
}

/* [outer][length][inner] to [outer][inner][length], in square tiles through shared memory. */
template <class E, int SIDE, int ROWS>
__global__ void turn(const E *from, E *to, int64_t outer, int64_t length, int64_t inner)
{
    __shared__ cpi_tile<E, SIDE> tile;
    const int64_t wide = cpi_ceil_div(inner, SIDE), high = cpi_ceil_div(length, SIDE);
    for (int64_t b = blockIdx.x; b < outer * wide * high; b += gridDim.x) {
        const int64_t o = b / (wide * high), x0 = b % wide * SIDE, y0 = b / wide % high * SIDE;
        const E *read = from + o * length * inner;
        E *write = to + o * length * inner;
        cpi_transpose_tile<ROWS, true>(
            tile, threadIdx.x, threadIdx.y,
            [&](int j, E &v) {
                const int64_t x = x0 + threadIdx.x, y = y0 + threadIdx.y + j;
                if (x < inner && y < length) v = read[y * inner + x];
            },
            [&](int j, const E &v) {
                const int64_t x = x0 + threadIdx.y + j, y = y0 + threadIdx.x;
                if (x < inner && y < length) write[x * length + y] = v;
            });
    }
}

/* --- the slot --- */

/* The call with its dimensions in the order of the result's memory, without those of length 1. */
struct task {
    const cpi_fft_call *c;
    cp_stream *stream;
    int ndim, halved;      /* halved: the dimension of real numbers, -1: none */
    int64_t n[CP_MAXDIM];  /* logical lengths: of the dimension that is halved that of the real side */
    int64_t in_step[CP_MAXDIM];
    bool taken[CP_MAXDIM]; /* transformed */
    int64_t real, item;
    bool in_dense;         /* the input is C-contiguous */
};

int64_t extent(const task *t, int d, bool halved) { return halved && d == t->halved ? t->n[d] / 2 + 1 : t->n[d]; }

/* Elements, with the halved dimension as the array has it. */
int64_t elements(const task *t, int first, int end, bool halved)
{
    int64_t n = 1;
    for (int d = first; d < end; d++) n *= extent(t, d, halved);
    return n;
}

void add_dimension(task *t, int64_t *out_steps, int64_t n, int64_t in, int64_t out, bool taken, bool halved)
{
    if (n == 1 && !halved) return;
    int at = t->ndim++;
    for (; at > 0 && out_steps[at - 1] < out; at--) {
        t->n[at] = t->n[at - 1], t->in_step[at] = t->in_step[at - 1], t->taken[at] = t->taken[at - 1];
        out_steps[at] = out_steps[at - 1];
    }
    t->n[at] = n, t->in_step[at] = in, t->taken[at] = taken, out_steps[at] = out;
    if (t->halved >= at && !halved) t->halved++;
    if (halved) t->halved = at;
}

void read_call(task *t, cp_stream *stream, const cpi_fft_call *c)
{
    int64_t out_steps[CP_MAXDIM];
    memset(t, 0, sizeof *t);
    t->c = c, t->stream = stream, t->halved = -1;
    t->real = c->single ? 4 : 8, t->item = 2 * t->real;
    for (int i = 0; i < c->ndim; i++)
        add_dimension(t, out_steps, c->shape[i], c->in_stride[i], c->out_stride[i], false, false);
    for (int i = 0; i < c->rank; i++) {
        const bool halved = c->kind != CPI_FFT_C2C && i == c->rank - 1;
        add_dimension(t, out_steps, c->n[i], c->in_step[i], c->out_step[i], true, halved);
    }
    const bool half_in = c->kind == CPI_FFT_C2R;
    int64_t step = c->kind == CPI_FFT_R2C ? t->real : t->item;
    t->in_dense = true;
    for (int d = t->ndim - 1; d >= 0; d--) {
        const int64_t n = extent(t, d, half_in);
        t->in_dense = t->in_dense && (n == 1 || t->in_step[d] == step);
        step *= n;
    }
}

/* One plan over dimensions first..end-1, all transformed: of `type`, from `in` to `out`, both C-contiguous. */
cp_code exec(task *t, int first, int end, cufftType type, const void *in, void *out, bool half_in, bool half_out)
{
    const int64_t inner = elements(t, end, t->ndim, half_out), outer = elements(t, 0, first, half_out);
    const int64_t in_length = elements(t, first, end, half_in), out_length = elements(t, first, end, half_out);
    const bool whole = inner == 1 || outer == 1;
    const bool to_real = type == CUFFT_C2R || type == CUFFT_Z2D, from_real = type == CUFFT_R2C || type == CUFFT_D2Z;
    const int64_t in_item = from_real ? t->real : t->item, out_item = to_real ? t->real : t->item;
    shape_of_plan s;
    memset(&s, 0, sizeof s);
    s.device = t->stream->device->ordinal;
    s.rank = end - first;
    s.type = type;
    for (int i = 0; i < s.rank; i++) {
        s.n[i] = t->n[first + i];
        if (half_in && half_out) s.n[i] = extent(t, first + i, true);
        s.in_embed[i] = extent(t, first + i, half_in);
        s.out_embed[i] = extent(t, first + i, half_out);
    }
    s.in_step = s.out_step = inner;
    s.in_dist = inner == 1 ? in_length : 1;
    s.out_dist = inner == 1 ? out_length : 1;
    s.batch = whole ? inner * outer : inner;
    for (int64_t o = 0; o < (whole ? 1 : outer); o++) {
        plan *p = plan_get(t->stream, t->c->function, &s);
        if (!p) return CP_ERROR_MEMORY;
        cp_code code = run_plan(t->stream, t->c->function, p, (const char *)in + o * in_length * inner * in_item,
                                (char *)out + o * out_length * inner * out_item, t->c->sign);
        if (code) return code;
    }
    return CP_OK;
}

enum { FEW = 2, LARGE = 4 << 20, THREADS = 256 };

template <class E> void turn_with(cudaStream_t stream, const void *from, void *to, int64_t outer, int64_t length,
                                  int64_t inner)
{
    const int64_t side = length <= 16 || inner <= 16 ? 16 : 32;
    const unsigned blocks = cpi_cuda_blocks(outer * cpi_ceil_div(inner, side) * cpi_ceil_div(length, side), 1,
                                            1 << 30);
    const E *x = (const E *)from;
    if (side == 16) turn<E, 16, 4><<<blocks, dim3(16, 4), 0, stream>>>(x, (E *)to, outer, length, inner);
    else turn<E, 32, 8><<<blocks, dim3(32, 8), 0, stream>>>(x, (E *)to, outer, length, inner);
}

cp_code turn_blocks(task *t, int64_t item, const void *from, void *to, int64_t outer, int64_t length, int64_t inner)
{
    cudaStream_t stream = cpi_cuda_stream(t->stream);
    if (item == 4) turn_with<float>(stream, from, to, outer, length, inner);
    else if (item == 16) turn_with<pair_of<double>>(stream, from, to, outer, length, inner);
    else turn_with<pair_of<float>>(stream, from, to, outer, length, inner); /* 8 bytes */
    return CPI_LAUNCHED(t->stream, "fft");
}

/* One cuFFT call for each block, or a transpose of all of them? Measured (H200): a call takes 4 us. */
bool by_blocks(int64_t outer, int64_t block_bytes) { return outer <= FEW || (outer <= 64 && block_bytes >= LARGE); }

/* As exec, where the dimensions may be inner ones of many blocks: these are transposed before and after, so that one
 * call does them all. cuFFT wants addresses aligned to a complex number, which blocks of odd lengths are not. */
cp_code exec_blocks(task *t, int first, int end, cufftType type, const void *in, void *out, bool half_in, bool half_out)
{
    const int64_t inner = elements(t, end, t->ndim, half_out), outer = elements(t, 0, first, half_out);
    const int64_t in_length = elements(t, first, end, half_in), out_length = elements(t, first, end, half_out);
    const bool to_real = type == CUFFT_C2R || type == CUFFT_Z2D, from_real = type == CUFFT_R2C || type == CUFFT_D2Z;
    const bool odd = (from_real && in_length * inner % 2) || (to_real && out_length * inner % 2);
    if (inner == 1 || outer == 1 || (by_blocks(outer, in_length * inner * t->item) && !odd))
        return exec(t, first, end, type, in, out, half_in, half_out);
    const int64_t in_item = from_real ? t->real : t->item, out_item = to_real ? t->real : t->item;
    const int64_t in_bytes = outer * inner * in_length * in_item, capacity = cpi_round_up(in_bytes, 512);
    char *swapped = (char *)cpi_host->work_alloc(t->stream, (size_t)(capacity + outer * inner * out_length * out_item));
    if (!swapped) return CP_ERROR_MEMORY;
    cp_code code = turn_blocks(t, in_item, in, swapped, outer, in_length, inner);
    task flat = *t; /* [outer inner][the dimensions] */
    flat.ndim = 1 + end - first;
    flat.halved = t->halved >= first && t->halved < end ? 1 + t->halved - first : -1;
    flat.n[0] = outer * inner;
    for (int d = first; d < end; d++) flat.n[1 + d - first] = t->n[d];
    if (!code) code = exec(&flat, 1, flat.ndim, type, swapped, swapped + capacity, half_in, half_out);
    if (!code) code = turn_blocks(t, out_item, swapped + capacity, out, outer, inner, out_length);
    cpi_host->work_free(t->stream, swapped);
    return code;
}

cp_code exec_complex(task *t, int first, int end, void *x, bool halved)
{
    return exec_blocks(t, first, end, t->c->single ? CUFFT_C2C : CUFFT_Z2Z, x, x, halved, halved);
}

/* Runs of neighbouring dimensions that are transformed, up to three at once, from the last; `but`: not this one. */
cp_code all_complex(task *t, void *x, bool halved, int but)
{
    for (int end = t->ndim; end > 0;) {
        int first = end;
        while (first > 0 && end - first < 3 && t->taken[first - 1] && first - 1 != but) first--;
        if (first < end) {
            cp_code code = exec_complex(t, first, end, x, halved);
            if (code) return code;
        }
        end = first < end ? first : end - 1;
    }
    return CP_OK;
}

/* Copies the input, C-contiguous, to `to`. */
cp_code gather_input(task *t, void *to)
{
    const cpi_fft_call *c = t->c;
    const bool back = c->kind == CPI_FFT_C2R;
    gathering g;
    memset(&g, 0, sizeof g);
    g.ndim = t->ndim;
    g.halved = t->halved;
    g.half = back, g.conjugate = back && c->sign < 0;
    g.even = back && t->n[t->halved] % 2 == 0;
    for (int d = 0; d < t->ndim; d++)
        g.shape[d] = cpi_divisor64_of(extent(t, d, back)), g.step[d] = t->in_step[d];
    g.size = elements(t, 0, t->ndim, back);
    g.from = (const char *)c->in;
    const unsigned blocks = cpi_cuda_blocks(g.size, THREADS, 1 << 16);
    cudaStream_t stream = cpi_cuda_stream(t->stream);
    if (c->kind == CPI_FFT_R2C) {
        if (c->single) gather<float, false><<<blocks, THREADS, 0, stream>>>(g, (float *)to);
        else gather<double, false><<<blocks, THREADS, 0, stream>>>(g, (double *)to);
    } else if (c->single) gather<float, true><<<blocks, THREADS, 0, stream>>>(g, (float *)to);
    else gather<double, true><<<blocks, THREADS, 0, stream>>>(g, (double *)to);
    return CPI_LAUNCHED(t->stream, "fft");
}

cp_code finish_output(task *t)
{
    const cpi_fft_call *c = t->c;
    const bool conjugate = c->kind == CPI_FFT_R2C && c->sign > 0;
    if (c->scale == 1 && !conjugate) return CP_OK;
    const int64_t n = elements(t, 0, t->ndim, c->kind == CPI_FFT_R2C) * (c->kind == CPI_FFT_C2R ? 1 : 2);
    const unsigned blocks = cpi_cuda_blocks(n, THREADS, 1 << 16);
    cudaStream_t stream = cpi_cuda_stream(t->stream);
    if (c->single) finish<<<blocks, THREADS, 0, stream>>>((float *)c->out, n, (float)c->scale, conjugate);
    else finish<<<blocks, THREADS, 0, stream>>>((double *)c->out, n, c->scale, conjugate);
    return CPI_LAUNCHED(t->stream, "fft");
}

cp_code run_complex(task *t, const void *in)
{
    const cpi_fft_call *c = t->c;
    int first = -1, end = 0, count = 0;
    for (int d = 0; d < t->ndim; d++)
        if (t->taken[d]) {
            if (first < 0) first = d;
            end = d + 1;
            count++;
        }
    const cufftType type = c->single ? CUFFT_C2C : CUFFT_Z2Z;
    const int64_t bytes = elements(t, 0, t->ndim, false) * t->item;
    const bool at_once = count && count == end - first && count <= 3 &&
                         (elements(t, end, t->ndim, false) == 1 ||
                          by_blocks(elements(t, 0, first, false), elements(t, first, t->ndim, false) * t->item));
    if (at_once) return exec(t, first, end, type, in, c->out, false, false);
    if (in != c->out) {
        cp_code code = cpi_cuda_check(t->stream, cudaMemcpyAsync(c->out, in, (size_t)bytes, cudaMemcpyDeviceToDevice,
                                                                 cpi_cuda_stream(t->stream)), c->function);
        if (code) return code;
    }
    return all_complex(t, c->out, false, -1);
}

/* Of length 1: numbers become complex, or real parts are taken. */
cp_code one_real(task *t, const void *in, void *out, bool forward)
{
    const int64_t n = elements(t, 0, t->ndim, false);
    const unsigned blocks = cpi_cuda_blocks(n, THREADS, 1 << 16);
    cudaStream_t stream = cpi_cuda_stream(t->stream);
    if (t->c->single) between<<<blocks, THREADS, 0, stream>>>((const float *)in, (float *)out, n, forward);
    else between<<<blocks, THREADS, 0, stream>>>((const double *)in, (double *)out, n, forward);
    return CPI_LAUNCHED(t->stream, "fft");
}

/* Real to complex: in one call where the dimensions are adjacent and the last ones; else the halved one first. A
 * backward transform is the conjugate of a forward one. */
cp_code run_halved(task *t, const void *in)
{
    const cpi_fft_call *c = t->c;
    task forward = *t;
    cpi_fft_call call = *c;
    call.sign = -1;
    forward.c = &call;
    const cufftType type = c->single ? CUFFT_R2C : CUFFT_D2Z;
    int first = t->halved;
    while (first > 0 && t->taken[first - 1]) first--;
    bool together = t->halved == t->ndim - 1 && t->ndim - first <= 3;
    for (int d = 0; d < first; d++) together = together && !t->taken[d];
    if (t->n[t->halved] == 1) together = false;
    if (together) return exec(&forward, first, t->ndim, type, in, c->out, false, true);
    cp_code code = t->n[t->halved] == 1
                 ? one_real(&forward, in, c->out, true)
                 : exec_blocks(&forward, t->halved, t->halved + 1, type, in, c->out, false, true);
    return code ? code : all_complex(&forward, c->out, true, t->halved);
}

cp_code run_restored(task *t, const void *in)
{
    const cpi_fft_call *c = t->c;
    if (t->n[t->halved] == 1) return one_real(t, in, c->out, false);
    return exec_blocks(t, t->halved, t->halved + 1, c->single ? CUFFT_C2R : CUFFT_Z2D, in, c->out, true, false);
}

/* Copies input that is strided, unaligned, or would be overwritten; then transforms. */
cp_code run_call(task *t)
{
    const cpi_fft_call *c = t->c;
    const bool back = c->kind == CPI_FFT_C2R, unaligned = (uintptr_t)c->in % (uintptr_t)t->item != 0;
    const int64_t bytes = elements(t, 0, t->ndim, back) * (c->kind == CPI_FFT_R2C ? t->real : t->item);
    void *copy = nullptr;
    cp_code code = CP_OK;
    if (back || unaligned || !t->in_dense) {
        copy = cpi_host->work_alloc(t->stream, (size_t)bytes);
        code = copy ? gather_input(t, copy) : CP_ERROR_MEMORY;
    }
    const void *in = copy ? copy : c->in;
    if (!code) {
        code = c->kind == CPI_FFT_C2C ? run_complex(t, in) : c->kind == CPI_FFT_R2C ? run_halved(t, in)
                                                                                    : run_restored(t, in);
    }
    cpi_host->work_free(t->stream, copy);
    return code ? code : finish_output(t);
}

} // namespace

cp_code cpi_fft_cuda_transform(cp_stream *stream, const cpi_fft_call *c)
{
    task t;
    bool served;
    cp_code code = cpi_fft_own_transform(stream, c, &served);
    if (served) return code;
    read_call(&t, stream, c);
    code = need_library(c->function);
    if (code || (uintptr_t)c->out % (uintptr_t)t.item == 0) return code ? code : run_call(&t);
    const int64_t bytes =
        elements(&t, 0, t.ndim, c->kind == CPI_FFT_R2C) * (c->kind == CPI_FFT_C2R ? t.real : t.item);
    cpi_fft_call aside = *c; /* a result that is not aligned to a complex number is computed in scratch memory */
    aside.out = cpi_host->work_alloc(stream, (size_t)bytes);
    t.c = &aside;
    if (!aside.out) return CP_ERROR_MEMORY;
    code = run_call(&t);
    if (!code)
        code = cpi_cuda_check(stream, cudaMemcpyAsync(c->out, aside.out, (size_t)bytes, cudaMemcpyDeviceToDevice,
                                                      cpi_cuda_stream(stream)), c->function);
    cpi_host->work_free(stream, aside.out);
    return code;
}

cp_code cpi_fft_cuda_cache(cp_stream *stream, int64_t most_plans, int64_t most_bytes, bool clear, cpi_fft_cache *now)
{
    const int device = stream->device->ordinal;
    pthread_mutex_lock(&plans_lock);
    limits *l = &limit[device];
    if (most_plans >= 0) l->plans = most_plans;
    if (most_bytes >= -1) l->bytes = most_bytes;
    const int64_t plans = l->plans;
    if (clear) l->plans = 0, l->hits = l->misses = 0;
    plan *gone = beyond_limits(device);
    l->plans = plans;
    memset(now, 0, sizeof *now);
    for (plan *p = kept[device]; p; p = p->next) now->plans++, now->bytes += p->bytes;
    now->most_plans = l->plans, now->most_bytes = l->bytes, now->hits = l->hits, now->misses = l->misses;
    pthread_mutex_unlock(&plans_lock);
    end_plans(stream, gone);
    return CP_OK;
}

