// What programs do with the language and the machine: policies, curiously recurring templates, tables of functions,
// packs, unions and bit fields, lists in the device's heap, atomic operations on every type, groups of every size,
// named barriers, halves in PTX, overloads with default arguments, unnamed namespaces.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

#define CONCAT_(a, b) a##b
#define CONCAT(a, b) CONCAT_(a, b)
#define HERE (blockIdx.x * blockDim.x + threadIdx.x)

// --- templates ---

template <typename Derived> struct Shape {
    __device__ float twice_area() const { return 2 * static_cast<const Derived *>(this)->area(); }
};
struct Circle : Shape<Circle> {
    float r;
    __device__ explicit Circle(float radius) : r(radius) {}
    __device__ float area() const { return 3.0f * r * r; }
};
struct Box : Shape<Box> {
    float w, h;
    __device__ Box(float a, float b) : w(a), h(b) {}
    __device__ float area() const { return w * h; }
};
extern "C" __global__ void twice_areas(const float *x, float *out, int n)
{
    const int i = HERE;
    if (i < n) out[i] = i & 1 ? Circle(x[i]).twice_area() : Box(x[i], 2.0f).twice_area();
}

struct Clamp { static __device__ int index(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; } };
struct Wrap { static __device__ int index(int i, int n) { return (i % n + n) % n; } };
struct Mirror {
    static __device__ int index(int i, int n)
    {
        i = i < 0 ? -i - 1 : i;
        i %= 2 * n;
        return i < n ? i : 2 * n - 1 - i;
    }
};
template <class Border, int... taps> __global__ void filter_1d(const int *x, int *y, int n)
{
    constexpr int count = sizeof...(taps), values[] = {taps...};
    const int i = HERE;
    if (i >= n) return;
    int sum = 0;
    for (int k = 0; k < count; k++) sum += values[k] * x[Border::index(i + k - count / 2, n)];
    y[i] = sum;
}

constexpr unsigned crc_of(unsigned c)
{
    for (int k = 0; k < 8; k++) c = c & 1 ? c >> 1 ^ 0x82f63b78u : c >> 1;
    return c;
}
struct Table {
    unsigned at[256];
    constexpr Table() : at()
    {
        for (unsigned i = 0; i < 256; i++) at[i] = crc_of(i);
    }
};
__constant__ Table crc_table; // its constructor is evaluated by the compiler
extern "C" __global__ void crc32c(const unsigned char *x, unsigned *out, int rows, int columns)
{
    const int r = HERE;
    if (r >= rows) return;
    unsigned c = ~0u;
    for (int i = 0; i < columns; i++) c = c >> 8 ^ crc_table.at[(c ^ x[r * columns + i]) & 255];
    out[r] = ~c;
}

template <typename T> __device__ T folded(T v) { return v; }
template <typename T, typename... Rest> __device__ T folded(T v, Rest... rest)
{
    const T other = folded<T>(rest...);
    return v < other ? other : v;
}
template <typename... Columns> __global__ void largest_of(float *out, int n, const Columns *...columns)
{
    for (int i = HERE; i < n; i += gridDim.x * blockDim.x) out[i] = folded<float>(columns[i]...);
}

// Functions by their number, in constant memory's place of pointers.
typedef float (*Unary)(float);
__device__ float square(float x) { return x * x; }
__device__ float halved(float x) { return 0.5f * x; }
__device__ float plus_thread(float x) { return x + threadIdx.x; }
__device__ Unary const unary[] = {square, halved, &plus_thread};
extern "C" __global__ void by_number(const float *x, const int *which, float *y, int n)
{
    const int i = HERE;
    if (i < n) y[i] = unary[which[i]](x[i]);
}

enum class Op : unsigned char { add = 1, multiply, negate, stop };
struct Instruction {
    Op op;
    unsigned char target : 4, source : 4;
};
union Cell {
    int i;
    float f;
    struct { unsigned mantissa : 23, exponent : 8, sign : 1; } parts;
};
extern "C" __global__ void interpret(const Instruction *program, Cell *cells, int n)
{
    const int i = HERE;
    if (i >= n) return;
    Cell local[4];
    for (int k = 0; k < 4; k++) local[k] = cells[4 * i + k];
    for (const Instruction *at = program;; ++at) {
        Cell &to = local[at->target];
        switch (at->op) {
        case Op::add: to.f += local[at->source].f; break;
        case Op::multiply: to.f *= local[at->source].f; break;
        case Op::negate: to.parts.sign ^= 1; break;
        case Op::stop: goto done;
        }
    }
done:
    for (int k = 0; k < 4; k++) cells[4 * i + k] = local[k];
}

// --- memory ---

struct Node {
    int value;
    Node *next;
};
__device__ Node *volatile heads[8];
extern "C" __global__ void push_nodes(const int *x, int n)
{
    const int i = HERE;
    if (i >= n) return;
    Node *node = new Node{x[i], nullptr}, *seen;
    Node *volatile *head = &heads[x[i] & 7];
    do {
        seen = *head;
        node->next = seen;
        __threadfence();
    } while (atomicCAS((unsigned long long *)head, (unsigned long long)seen, (unsigned long long)node) !=
             (unsigned long long)seen);
}
extern "C" __global__ void pop_nodes(int *counts, long long *sums)
{
    const int b = threadIdx.x;
    for (Node *node = heads[b]; node;) {
        Node *next = node->next;
        counts[b]++, sums[b] += node->value;
        delete node;
        node = next;
    }
    heads[b] = nullptr;
}

template <typename T> __global__ void sum_any(const T *x, T *sum, int n)
{
    const int i = HERE;
    if (i < n) atomicAdd(sum, x[i]);
}
extern "C" __global__ void extremes(const float *x, int *least, int *most, unsigned long long *all, int n)
{
    const int i = HERE;
    if (i >= n) return;
    const int bits = __float_as_int(x[i]);
    if (bits >= 0) atomicMax(most, bits), atomicMin(least, bits);
    else atomicMin((unsigned *)most, 0u), atomicMax((unsigned *)least, (unsigned)bits);
    atomicXor(all, 1ull << (i & 63));
}

// --- groups ---

extern "C" __global__ void labelled_sums(const int *labels, const int *x, int *sums, int *sizes, int n)
{
    const int i = HERE;
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    const int label = i < n ? labels[i] : -1, v = i < n ? x[i] : 0;
    auto same = cg::labeled_partition(tile, label);
    const int sum = cg::reduce(same, v, cg::plus<int>());
    if (same.thread_rank() == 0 && label >= 0) atomicAdd(&sums[label], sum), atomicMax(&sizes[label], (int)same.size());
}
extern "C" __global__ void split_by_sign(const int *x, int *out)
{
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    const int v = x[HERE];
    const bool negative = v < 0;
    auto half = cg::binary_partition(tile, negative);
    const int before = cg::exclusive_scan(half, v, cg::plus<int>()), first = half.shfl(v, 0);
    const int next = half.shfl_down(v, 1), last = half.shfl_up(v, 1);
    out[4 * HERE] = before, out[4 * HERE + 1] = first;
    out[4 * HERE + 2] = half.thread_rank() + 1 < half.size() ? next : 0;
    out[4 * HERE + 3] = half.thread_rank() > 0 ? last : 0;
}
template <int N> __global__ void wide_tiles(const int *x, int *sums, int *scans, int *flags)
{
    __shared__ cg::block_tile_memory<512> memory;
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<N>(block);
    const int v = x[HERE];
    const int sum = cg::reduce(tile, v, cg::plus<int>()), most = cg::reduce(tile, v, cg::greater<int>());
    scans[HERE] = cg::inclusive_scan(tile, v, cg::plus<int>()) + 1000 * cg::exclusive_scan(tile, 1);
    const int last = tile.shfl(v, N - 1);
    tile.sync();
    if (tile.thread_rank() == 0) {
        const int at = blockIdx.x * (blockDim.x / N) + tile.meta_group_rank();
        sums[3 * at] = sum, sums[3 * at + 1] = most, sums[3 * at + 2] = last;
    }
    flags[HERE] = 2 * tile.any(v == 7) + tile.all(v >= 0) + 4 * (tile.meta_group_size() == blockDim.x / N);
}

// Half of the warps fill one of two buffers while the others take what is in the other one.
extern "C" __global__ void pipeline_of_warps(const int *x, int *out, int rounds)
{
    __shared__ int buffer[2][64];
    const int lane = threadIdx.x & 63;
    if (threadIdx.x < 64) {
        for (int r = 0; r < rounds; r++) {
            if (r >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + (r & 1)) : "memory"); // it is free again
            buffer[r & 1][lane] = 2 * x[r * 64 + lane];
            asm volatile("bar.arrive %0, 128;" ::"r"(1 + (r & 1)) : "memory");
        }
    } else {
        for (int r = 0; r < rounds; r++) {
            asm volatile("bar.sync %0, 128;" ::"r"(1 + (r & 1)) : "memory");
            out[r * 64 + lane] = buffer[r & 1][63 - lane] + 1;
            if (r + 2 < rounds) asm volatile("bar.arrive %0, 128;" ::"r"(3 + (r & 1)) : "memory");
        }
    }
}

__device__ __forceinline__ unsigned fma_pairs(unsigned a, unsigned b, unsigned c)
{
    unsigned r;
    asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
    return r;
}
extern "C" __global__ void halves_in_ptx(const unsigned *a, const unsigned *b, unsigned *c, unsigned short *d, int n)
{
    const int i = HERE;
    if (i >= n) return;
    c[i] = fma_pairs(a[i], b[i], c[i]);
    unsigned short low = (unsigned short)a[i], sum;
    asm("{ .reg .f16 t; add.f16 t, %1, %1; max.f16 %0, t, %2; }" : "=h"(sum) : "h"(low), "h"((unsigned short)b[i]));
    d[i] = sum;
}

// --- names ---

__global__ void fill(int *x, int n, int value = 3) { if (HERE < n) x[HERE] = value; }
__global__ void fill(float *x, int n, float value = 4.5f) { if (HERE < n) x[HERE] = value; }
namespace {
struct Step { int by; };
__global__ void count_up(int *x, int n, Step s) { if (HERE < n) x[HERE] = s.by * (int)HERE; }
template <typename T> __global__ void count_down(T *x, int n) { if (HERE < n) x[HERE] = (T)(n - HERE); }
}
