/* CUDA's words for kernels whose blocks have one thread, which runs over everything: enough to run the sources of a
 * module's GPU code (grid-stride loops, no shared memory) without a GPU. test_filters_kernels.py compiles them so. */
#ifndef SERIAL_H
#define SERIAL_H

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "backend/backend.h"

#define __grid_constant__
template <class T> static T __ldg(const T *p) { return *p; }
#ifndef SERIAL_THREADS /* else emulator.h, included before, has blocks of threads */
#define __device__
#define __host__
#define __global__ static
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(n)
struct serial_index { unsigned x; };
static const serial_index blockIdx = {0}, threadIdx = {0}, gridDim = {1};
static void __syncthreads() {}
static int __syncthreads_and(int x) { return x; }
static int __syncthreads_or(int x) { return x; }
static void __threadfence() {}
#endif
static double __longlong_as_double(long long x)
{
    double d;
    memcpy(&d, &x, sizeof d);
    return d;
}
static long long __double_as_longlong(double x)
{
    long long i;
    memcpy(&i, &x, sizeof i);
    return i;
}
static float __uint_as_float(unsigned x)
{
    float f;
    memcpy(&f, &x, sizeof f);
    return f;
}
static unsigned __float_as_uint(float x)
{
    unsigned i;
    memcpy(&i, &x, sizeof i);
    return i;
}
#define sincos(x, s, c) (*(s) = sin(x), *(c) = cos(x))

/* --- the plugin's side of the host --- */
typedef void *cudaStream_t;
enum { cudaMemcpyDeviceToDevice };
static int failed; /* the code of the last error */
static cp_code serial_fail(cp_code code, const char *, ...) { return (cp_code)(failed = code); }
static void *serial_memory(cp_stream *, size_t bytes)
{
    void *p = malloc(bytes ? bytes : 1);
    memset(p, 0xa5, bytes); /* whatever is read before it is written */
    return p;
}
static void serial_free(cp_stream *, void *p) { free(p); }
static cp_code serial_from_host(cp_stream *, void *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return CP_OK;
}
static struct {
    cp_code (*fail)(cp_code, const char *, ...);
    void *(*work_alloc)(cp_stream *, size_t);
    void (*work_free)(cp_stream *, void *);
    void *(*malloc)(size_t);
    void (*free)(void *);
} serial_host = {serial_fail, serial_memory, serial_free, malloc, free}, *const cpi_host = &serial_host;
static cp_stream *serial_stream()
{
    static cpi_backend backend;
    static cpi_device device;
    static cp_stream stream;
    backend.from_host = serial_from_host;
    device.backend = &backend;
    stream.device = &device;
    return &stream;
}
#define CPI_LAUNCHED(stream, what) CP_OK
static inline cp_code cpi_cuda_check(cp_stream *, int, const char *) { return CP_OK; }
static inline cudaStream_t cpi_cuda_stream(cp_stream *) { return nullptr; }
static inline unsigned cpi_cuda_blocks(int64_t, int64_t, int64_t) { return 1; }
static inline int cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t) { return memset(p, v, n), 0; }
static inline int cudaMemcpyAsync(void *to, const void *from, size_t n, int, cudaStream_t)
{
    return memcpy(to, from, n), 0;
}
static inline cp_code cpi_cuda_read(cp_stream *, void *to, const void *from, size_t n)
{
    memcpy(to, from, n);
    return CP_OK;
}

#endif
