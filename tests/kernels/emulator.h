/* The device language of kernels, made as plainly as possible: each thread of a block is a coroutine with a stack of
 * its own, and waits at barriers and warp operations until those come for which it waits. Programs that are drawn are
 * compiled behind it (tests/python/kernel_emulator.py) and compared with what the library makes of them. */
#pragma once
#include <ucontext.h>
#include <cstring>
#include <cstdint>
#include <cstdlib>
#include <cstdio>
struct uint3 { unsigned x, y, z; };
struct dim3 { unsigned x, y, z; dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {} };
static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;
static const int warpSize = 32;
#define __global__
#define __device__
#define __host__
#define __constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __restrict__
#define __launch_bounds__(...)
#define __shared__ static
namespace emulated {
enum { RUNS, AT_BARRIER, AT_WARP, ENDED };
struct thread { ucontext_t context; int state; unsigned mask; long long slot, seen[32]; unsigned who; int vote; };
static thread threads[1024];
static char stacks[1024][65536];
static ucontext_t scheduler;
static int current, count;
static char dynamic[65536];
static void (*body)();
static void wait(int state)
{
    threads[current].state = state;
    swapcontext(&threads[current].context, &scheduler);
}
static void begin() { body(); threads[current].state = ENDED; swapcontext(&threads[current].context, &scheduler); }
static void place(int t)
{
    current = t;
    threadIdx.x = t % blockDim.x, threadIdx.y = t / blockDim.x % blockDim.y, threadIdx.z = t / blockDim.x / blockDim.y;
}
static bool release()
{
    bool any = false, all = true;
    int votes = 0, waiting = 0, alive = 0;
    for (int w = 0; w < count; w += 32)
        for (int i = w; i < w + 32 && i < count; i++) {
            if (threads[i].state != AT_WARP) continue;
            unsigned mask = threads[i].mask, here = 0;
            bool ready = true;
            for (int k = w; k < w + 32 && k < count; k++) {
                if (!(mask >> (k - w) & 1) || threads[k].state == ENDED) continue;
                if (threads[k].state == AT_WARP && threads[k].mask == mask) here |= 1u << (k - w);
                else ready = false;
            }
            if (!ready) continue;
            for (int k = w; k < w + 32 && k < count; k++)
                if (here >> (k - w) & 1) {
                    threads[k].state = RUNS, threads[k].who = here, any = true;
                    for (int q = 0; q < 32; q++) threads[k].seen[q] = w + q < count ? threads[w + q].slot : 0;
                }
        }
    for (int i = 0; i < count; i++) {
        if (threads[i].state == ENDED) continue;
        alive++;
        if (threads[i].state == AT_BARRIER) waiting++, votes += threads[i].vote;
        else all = false;
    }
    if (!any && alive && all)
        for (int i = 0; i < count; i++)
            if (threads[i].state == AT_BARRIER)
                threads[i].state = RUNS, threads[i].slot = votes, threads[i].mask = waiting, any = true;
    if (!any && alive) { fprintf(stderr, "deadlock: %d of %d wait\n", waiting, alive); abort(); }
    return any;
}
static void block()
{
    for (int i = 0; i < count; i++) {
        getcontext(&threads[i].context);
        threads[i].context.uc_stack.ss_sp = stacks[i], threads[i].context.uc_stack.ss_size = sizeof stacks[i];
        threads[i].context.uc_link = nullptr, threads[i].state = RUNS;
        makecontext(&threads[i].context, begin, 0);
    }
    do
        for (int i = 0; i < count; i++)
            if (threads[i].state == RUNS) place(i), swapcontext(&scheduler, &threads[i].context);
    while (release());
}
static void launch(void (*f)(), const unsigned *grid, const unsigned *size)
{
    body = f, blockDim = dim3(size[0], size[1], size[2]), gridDim = dim3(grid[0], grid[1], grid[2]);
    count = size[0] * size[1] * size[2];
    for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
        for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
            for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) block();
}
static thread &meet(unsigned mask, long long v)
{
    threads[current].mask = mask, threads[current].slot = v;
    wait(AT_WARP);
    return threads[current];
}
static int lane() { return current % 32; }
static int voted(int v) { threads[current].vote = v != 0; wait(AT_BARRIER); return (int)threads[current].slot; }
static int source(int lane, int width, int to) { return (lane & ~(width - 1)) | (to & (width - 1)); }
}
static inline void __syncthreads() { emulated::voted(0); }
static inline int __syncthreads_count(int p) { return emulated::voted(p); }
static inline int __syncthreads_or(int p) { return emulated::voted(p) > 0; }
static inline int __syncthreads_and(int p)
{
    int n = emulated::voted(p);
    return n == (int)emulated::threads[emulated::current].mask;
}
static inline void __syncwarp(unsigned mask = ~0u) { emulated::meet(mask, 0); }
static inline unsigned __ballot_sync(unsigned mask, int p)
{
    emulated::thread &t = emulated::meet(mask, p != 0);
    unsigned r = 0;
    for (int k = 0; k < 32; k++) r |= (unsigned)(t.who >> k & 1 && t.seen[k]) << k;
    return r;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p)
{
    unsigned r = __ballot_sync(mask, p);
    return r == emulated::threads[emulated::current].who;
}
static inline int __shfl_sync(unsigned mask, int v, int from, int width = 32)
{
    emulated::thread &t = emulated::meet(mask, v);
    return (int)t.seen[emulated::source(emulated::lane(), width, from)];
}
static inline int __shfl_xor_sync(unsigned mask, int v, int d, int width = 32)
{
    emulated::thread &t = emulated::meet(mask, v);
    int lane = emulated::lane(), from = lane ^ d;
    return from / width > lane / width ? v : (int)t.seen[from & 31];
}
static inline int __shfl_up_sync(unsigned mask, int v, unsigned d, int width = 32)
{
    emulated::thread &t = emulated::meet(mask, v);
    int lane = emulated::lane();
    return (lane & (width - 1)) < (int)d ? v : (int)t.seen[lane - d];
}
static inline int __shfl_down_sync(unsigned mask, int v, unsigned d, int width = 32)
{
    emulated::thread &t = emulated::meet(mask, v);
    int lane = emulated::lane();
    return (lane & (width - 1)) + (int)d >= width ? v : (int)t.seen[(lane + d) & 31];
}
template <class T> static inline T atomicAdd(T *p, T v) { T o = *p; *p += v; return o; }
static inline int atomicMax(int *p, int v) { int o = *p; *p = o < v ? v : o; return o; }
static inline int atomicMin(int *p, int v) { int o = *p; *p = o > v ? v : o; return o; }
static inline int atomicXor(int *p, int v) { int o = *p; *p = o ^ v; return o; }
static inline int min(int a, int b) { return a < b ? a : b; }
static inline int max(int a, int b) { return a > b ? a : b; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
