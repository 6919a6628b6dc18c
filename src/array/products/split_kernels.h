/* Kernels of split_product_sm90a.cu: float32 products of matrices on the tensor cores of a GPU of compute capability
 * 9.0, with float32's accuracy.
 *
 * A float32 number is the sum of three bfloat16 numbers of 8 bits each. A product is then the sum of nine products, of
 * which the six largest are above its rounding error. Tensor cores multiply parts exactly, but truncate towards 0 when
 * they add. So they add up DEEP elements along k at a time, small products first. float32 registers add these sums,
 * with rounding to nearest: sums of thousands have a fraction of the errors of float32's own products (Ootomo and
 * Yokota, Int. J. High Perform. Comput. Appl. 36, 2022). Where those are exact, so are these.
 *
 * Blocks of an operand whose smallest numbers would have subnormal parts, or whose largest overflow, are scaled by a
 * power of two. A tile with an infinity, a NaN or a block that no scaling helps is computed by ordinary arithmetic.
 *
 * One kernel writes the parts in the order in which the other reads them: for each DEEP elements along k, each part,
 * each row, a segment of WIDE bytes, swizzled as the tensor cores need it; rows and columns past the end are 0. */
#ifndef CPI_SPLIT_KERNELS_H
#define CPI_SPLIT_KERNELS_H

#include <cuda_bf16.h>
#include <stdint.h>

namespace split {

enum {
    PARTS = 3, WIDE = 64, DEEP = WIDE / 2, /* bytes and elements of a row in one segment */
    BLOCK = 64,                            /* rows that are split together, and flagged together */
    TILE_M = 128, TEAM = 128, CONSUMERS = 256, THREADS = CONSUMERS + TEAM,
    GROUP = 16, /* rows of tiles that are processed concurrently */
};

/* Rows of a, or columns of b, of k elements; one of the strides is 1. */
struct operand {
    const float *x;
    int64_t rows, row, step, batch; /* strides of rows, along k, of the batch: 0 where all of it have the same parts */
    char *parts;                    /* their number of rows, padded to a multiple of BLOCK */
    signed char *shift;             /* for each BLOCK rows, each segment: parts are those of x 2^shift; ODD */
    int64_t padded;
    __device__ __forceinline__ int64_t batch_index() const { return batch ? blockIdx.z : 0; }
};

struct problem {
    operand a, b;
    float *c;
    int64_t c_row, c_batch, k, nchunks; /* segments along k */
    int tiles_m, tiles_n;
};

/* --- splitting --- */

/* Where all of a block is 0 or from 2^LOW to 2^(HIGH + 1), none of its parts is subnormal, and no sum of DEEP products
 * overflows. Others are scaled into that range, by as little as possible. */
enum { LOW = -100, HIGH = 60, HIGHEST = 123, ODD = -128 };

/* Of magnitudes' bits; ODD: infinities, NaN, and blocks whose range is too wide. */
__device__ __forceinline__ int shift_of(unsigned least, unsigned most)
{
    int low = (int)(least >> 23) - 127, high = (int)(most >> 23) - 127;
    if (!most) return 0;
    if (low == -127) low = -149;
    if (high > HIGHEST || high - low > HIGH - LOW) return ODD;
    return high > HIGH ? HIGH - high : low < LOW ? LOW - low : 0;
}
__device__ __forceinline__ float power_of_two(int e) { return __uint_as_float((unsigned)(e + 127) << 23); }

/* BLOCK rows of one segment by a block of threads, of 8 elements each: blocks of a, then of b, for each segment. */
enum { SPLIT_THREADS = BLOCK * WIDE / 16, SPLIT_WARPS = SPLIT_THREADS / 32 };
__global__ void __launch_bounds__(SPLIT_THREADS) split_operands(const __grid_constant__ problem p)
{
    constexpr int UNITS = WIDE / 16; /* of 8 elements in a segment */
    __shared__ unsigned most_of[2][SPLIT_WARPS], least_of[2][SPLIT_WARPS];
    int64_t of_a = p.a.padded / BLOCK, block = blockIdx.x;
    const operand &o = block < of_a ? p.a : p.b;
    if (block >= of_a) block -= of_a;
    if (blockIdx.z && !o.batch) return;
    bool along = o.step == 1; /* adjacent threads read adjacent memory */
    int unit = along ? threadIdx.x % UNITS : threadIdx.x / BLOCK, turn = 0;
    int64_t r = block * BLOCK + (along ? threadIdx.x / UNITS : threadIdx.x % BLOCK);
    for (int64_t chunk = blockIdx.y; chunk < p.nchunks; chunk += gridDim.y, turn ^= 1) {
        const float *x = o.x + blockIdx.z * o.batch + r * o.row;
        int64_t from = chunk * DEEP + unit * 8;
        float f[8];
        if (along && r < o.rows && ((uintptr_t)(x + from) & 15) == 0 && from + 8 <= p.k)
            *(float4 *)f = *(const float4 *)(x + from), *(float4 *)(f + 4) = *(const float4 *)(x + from + 4);
        else
#pragma unroll
            for (int i = 0; i < 8; i++) f[i] = r < o.rows && from + i < p.k ? x[(from + i) * o.step] : 0.0f;
        unsigned most = 0, least = ~0u;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            unsigned magnitude = __float_as_uint(f[i]) & 0x7fffffff;
            most = max(most, magnitude), least = min(least, magnitude - 1); /* 0 does not count as the least */
        }
        most = __reduce_max_sync(~0u, most), least = __reduce_min_sync(~0u, least);
        if (threadIdx.x % 32 == 0) most_of[turn][threadIdx.x / 32] = most, least_of[turn][threadIdx.x / 32] = least;
        __syncthreads();
#pragma unroll
        for (int w = 0; w < SPLIT_WARPS; w++) most = max(most, most_of[turn][w]), least = min(least, least_of[turn][w]);
        int shift = shift_of(least + 1, most);
        float scale = shift == ODD ? 0.0f : power_of_two(shift);
        __align__(16) __nv_bfloat16 part[PARTS][8];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            f[i] *= scale;
#pragma unroll
            for (int q = 0; q < PARTS; q++) {
                part[q][i] = __float2bfloat16_rn(f[i]);
                f[i] -= __bfloat162float(part[q][i]);
            }
        }
        char *to = o.parts + ((o.batch_index() * p.nchunks + chunk) * PARTS * o.padded + r) * WIDE;
        int at = (unit ^ (int)(r * WIDE >> 7) & UNITS - 1) * 16;
#pragma unroll
        for (int q = 0; q < PARTS; q++) *(uint4 *)(to + q * o.padded * WIDE + at) = *(uint4 *)part[q];
        if (!threadIdx.x)
            o.shift[(o.batch_index() * (o.padded / BLOCK) + block) * p.nchunks + chunk] = (signed char)shift;
    }
}

/* --- Hopper's instructions --- */

__device__ __forceinline__ unsigned shared_at(const void *p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void barrier_init(unsigned at, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(count));
}
__device__ __forceinline__ void barrier_expect(unsigned at, unsigned bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
/* at the barrier of the cluster's block `rank` */
__device__ __forceinline__ void barrier_arrive(unsigned at, unsigned rank)
{
    asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\n"
                 "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(at), "r"(rank) : "memory");
}
__device__ __forceinline__ void barrier_wait(unsigned at, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], %1;\n"
                 "@p bra done;\nbra again;\ndone:\n}" ::"r"(at), "r"(parity) : "memory");
}
__device__ __forceinline__ void copy(unsigned to, const void *from, unsigned bytes, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                 "l"(from), "r"(bytes), "r"(barrier) : "memory");
}
/* multicast to the same address of both blocks of a cluster; the barrier of each is signalled */
__device__ __forceinline__ void copy_to_both(unsigned to, const void *from, unsigned bytes, unsigned barrier)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
                 "[%0], [%1], %2, [%3], %4;" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier), "h"((short)3) : "memory");
}
__device__ __forceinline__ void cluster_sync()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}
__device__ __forceinline__ unsigned cluster_rank()
{
    unsigned r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}
__device__ __forceinline__ void wgmma_begin() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
template <int N> __device__ __forceinline__ void wgmma_end(float (&d)[N])
{
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int i = 0; i < N; i++) asm volatile("" : "+f"(d[i])::"memory");
}
/* Rows of WIDE bytes, swizzled; 8 rows are a group. */
__device__ __forceinline__ uint64_t descriptor(unsigned at)
{
    constexpr uint64_t swizzle = WIDE == 128 ? 1 : WIDE == 64 ? 2 : 3;
    return (uint64_t)((at & 0x3ffff) >> 4) | (uint64_t)1 << 16 | (uint64_t)(8 * WIDE >> 4) << 32 | swizzle << 62;
}

/* d (+)= a b: 64 rows, N columns, 16 elements deep. */
template <int N> struct wgmma;
#define CPI_4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define CPI_16(i) CPI_4(i), CPI_4(i + 4), CPI_4(i + 8), CPI_4(i + 12)
template <> struct wgmma<64> {
    static __device__ __forceinline__ void run(float (&d)[32], uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
                     "%32, %33, p, 1, 1, 0, 0;\n}\n"
                     : CPI_16(0), CPI_16(16)
                     : "l"(a), "l"(b), "r"(add));
    }
};
template <> struct wgmma<128> {
    static __device__ __forceinline__ void run(float (&d)[64], uint64_t a, uint64_t b, int add)
    {
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                     "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                     "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
                     "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
                     "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
                     "%64, %65, p, 1, 1, 0, 0;\n}\n"
                     : CPI_16(0), CPI_16(16), CPI_16(32), CPI_16(48)
                     : "l"(a), "l"(b), "r"(add));
    }
};
#undef CPI_4
#undef CPI_16

/* --- the product --- */

template <int TILE_N, int STAGES> struct shape {
    static constexpr int A_BYTES = TILE_M * WIDE, B_BYTES = TILE_N * WIDE, STAGE = PARTS * (A_BYTES + B_BYTES);
    static constexpr int SHARED = STAGE * STAGES + 1024 + 16 * STAGES; /* 1024: alignment to a multiple of it */
};

/* A share of ROWS x PLAIN_DEEP elements of an operand, by one of CONSUMERS threads. */
enum { PLAIN_DEEP = 16 };
template <int ROWS> struct share_of {
    static constexpr int LOADS = ROWS * PLAIN_DEEP / CONSUMERS, PITCH = ROWS + 4;
    float x[LOADS];
    /* position of the l-th: adjacent threads read adjacent memory */
    static __device__ __forceinline__ int row_of(const operand &o, int l)
    {
        int e = threadIdx.x + l * CONSUMERS;
        return o.step == 1 ? e / PLAIN_DEEP : e % ROWS;
    }
    static __device__ __forceinline__ int deep_of(const operand &o, int l)
    {
        int e = threadIdx.x + l * CONSUMERS;
        return o.step == 1 ? e % PLAIN_DEEP : e / ROWS;
    }
    __device__ __forceinline__ void fetch(const operand &o, int64_t row, int64_t from, int64_t k)
    {
        const float *at = o.x + blockIdx.z * o.batch;
#pragma unroll
        for (int l = 0; l < LOADS; l++) {
            int64_t r = row + row_of(o, l), d = from + deep_of(o, l);
            x[l] = r < o.rows && d < k ? at[r * o.row + d * o.step] : 0.0f;
        }
    }
    __device__ __forceinline__ void put(const operand &o, float *to)
    {
#pragma unroll
        for (int l = 0; l < LOADS; l++) to[deep_of(o, l) * PITCH + row_of(o, l)] = x[l];
    }
};

/* A tile by ordinary arithmetic: the first CONSUMERS threads. */
template <int TILE_N>
__device__ __forceinline__ void tile_plainly(const problem &p, int64_t row, int64_t col, float *space)
{
    constexpr int ACROSS = TILE_N / 16, DOWN = TILE_M / 16;
    constexpr int PITCH_A = share_of<TILE_M>::PITCH, PITCH_B = share_of<TILE_N>::PITCH;
    constexpr int HALF = PLAIN_DEEP * (PITCH_A + PITCH_B); /* floats: double buffering */
    float *as = space, *bs = space + PLAIN_DEEP * PITCH_A;
    int y = threadIdx.x / 16 * 4, x = threadIdx.x % 16 * 4; /* four neighbours of each 64 rows and 64 columns */
    float sum[DOWN][ACROSS];
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++) sum[i][j] = 0;
    share_of<TILE_M> next_a;
    share_of<TILE_N> next_b;
    next_a.fetch(p.a, row, 0, p.k), next_b.fetch(p.b, col, 0, p.k);
    next_a.put(p.a, as), next_b.put(p.b, bs);
    int half = 0;
    for (int64_t from = 0; from < p.k; from += PLAIN_DEEP, half = HALF - half) {
        asm volatile("bar.sync 1, 256;" ::: "memory");
        bool more = from + PLAIN_DEEP < p.k;
        if (more) next_a.fetch(p.a, row, from + PLAIN_DEEP, p.k), next_b.fetch(p.b, col, from + PLAIN_DEEP, p.k);
#pragma unroll 2
        for (int d = 0; d < PLAIN_DEEP; d++) { /* past the end both are 0 */
            float u[DOWN], v[ACROSS];
#pragma unroll
            for (int i = 0; i < DOWN; i += 4) *(float4 *)(u + i) = *(float4 *)(as + half + d * PITCH_A + i * 16 + y);
#pragma unroll
            for (int j = 0; j < ACROSS; j += 4) *(float4 *)(v + j) = *(float4 *)(bs + half + d * PITCH_B + j * 16 + x);
#pragma unroll
            for (int i = 0; i < DOWN; i++)
#pragma unroll
                for (int j = 0; j < ACROSS; j++) sum[i][j] = __fmaf_rn(u[i], v[j], sum[i][j]);
        }
        if (more) next_a.put(p.a, as + (HALF - half)), next_b.put(p.b, bs + (HALF - half));
    }
    float *c = p.c + blockIdx.z * p.c_batch;
#pragma unroll
    for (int i = 0; i < DOWN; i++)
#pragma unroll
        for (int j = 0; j < ACROSS; j++) {
            int64_t r = row + i / 4 * 64 + y + i % 4, at = col + j / 4 * 64 + x + j % 4;
            if (r < p.a.rows && at < p.b.rows) c[r * p.c_row + at] = sum[i][j];
        }
}

/* Which shifts rows [from, from + n) of the operand have: all 0, others, or some ODD ones. All threads of the block
 * take part, and each knows the result for its share. */
enum { UNSHIFTED, SHIFTED, PLAIN = 3 };
__device__ __forceinline__ int way_of(const operand &o, int64_t from, int n, int64_t nchunks)
{
    int64_t blocks = o.padded / BLOCK, first = from / BLOCK, last = min(first + n / BLOCK, blocks);
    const signed char *shift = o.shift + o.batch_index() * blocks * nchunks;
    int way = UNSHIFTED;
    for (int64_t i = first * nchunks + threadIdx.x; i < last * nchunks; i += THREADS)
        if (shift[i]) way |= shift[i] == ODD ? PLAIN : SHIFTED;
    return way;
}

/* A thread loads what the others multiply; b is loaded in halves where two blocks, one above the other, share it. */
template <int TILE_N, int STAGES, int CLUSTER>
__device__ __forceinline__ void bring(const problem &p, int64_t row, int64_t col, unsigned stages, unsigned full,
                                      unsigned empty, unsigned rank)
{
    typedef shape<TILE_N, STAGES> S;
    constexpr int SHARE = S::B_BYTES / CLUSTER;
    int64_t a_part = p.a.padded * WIDE, b_part = p.b.padded * WIDE;
    const char *a = p.a.parts + p.a.batch_index() * p.nchunks * PARTS * a_part + row * WIDE;
    const char *b = p.b.parts + p.b.batch_index() * p.nchunks * PARTS * b_part + col * WIDE + rank * SHARE;
    int stage = 0, round = 0;
    for (int64_t i = 0; i < p.nchunks; i++) {
        unsigned to = stages + stage * S::STAGE, arrived = full + 8 * stage;
        if (round) barrier_wait(empty + 8 * stage, (round - 1) & 1);
        barrier_expect(arrived, S::STAGE);
#pragma unroll
        for (int q = 0; q < PARTS; q++, a += a_part, b += b_part) {
            unsigned b_to = to + PARTS * S::A_BYTES + q * S::B_BYTES + rank * SHARE;
            copy(to + q * S::A_BYTES, a, S::A_BYTES, arrived);
            if (CLUSTER == 2) copy_to_both(b_to, b, SHARE, arrived);
            else copy(b_to, b, SHARE, arrived);
        }
        if (++stage == STAGES) stage = 0, round++;
    }
}

/* The products of parts, the small ones first. */
__device__ constexpr int pair_a(int i) { return i == 0 ? 2 : i == 1 || i == 3 ? 1 : 0; }
__device__ constexpr int pair_b(int i) { return i == 2 ? 2 : i == 1 || i == 4 ? 1 : 0; }

/* Stores the sums of a tile whose first row of this thread's team is `row`. */
template <int TURNS, int OWN>
__device__ __forceinline__ void store_tile(const problem &p, int64_t row, int64_t col, const float (&sum)[TURNS][OWN])
{
    int lane = threadIdx.x % 32;
    int64_t r = row + threadIdx.x % TEAM / 32 * 16 + lane / 4, first = col + lane % 4 * 2;
    float *c = p.c + blockIdx.z * p.c_batch;
    bool paired = ((uintptr_t)c & 7) == 0 && p.c_row % 2 == 0;
#pragma unroll
    for (int down = 0; down < 2; down++) {
        if (r + 8 * down >= p.a.rows) continue;
        float *to = c + (r + 8 * down) * p.c_row;
#pragma unroll
        for (int i = 0; i < TURNS * OWN / 4; i++) {
            float x = sum[i * 4 / OWN][i * 4 % OWN + 2 * down], y = sum[i * 4 / OWN][i * 4 % OWN + 2 * down + 1];
            int64_t at = first + i * 8;
            if (paired && at + 1 < p.b.rows) *(float2 *)(to + at) = make_float2(x, y);
            else {
                if (at < p.b.rows) to[at] = x;
                if (at + 1 < p.b.rows) to[at + 1] = y;
            }
        }
    }
}

/* 64 rows of the tile by 128 threads: sums of two neighbours of two rows in each 8 columns. */
template <int TILE_N, int STAGES, int CLUSTER, bool APART>
__device__ __forceinline__ void tile_by_parts(const problem &p, int64_t row, int64_t col, unsigned stages,
                                              unsigned full, unsigned empty, bool shifted)
{
    typedef shape<TILE_N, STAGES> S;
    constexpr int AT_ONCE = TILE_N < 128 ? TILE_N : 128, OWN = AT_ONCE / 2, TURNS = TILE_N / AT_ONCE;
    int team = threadIdx.x / TEAM, lane = threadIdx.x % 32;
    float sum[TURNS][OWN];
#pragma unroll
    for (int t = 0; t < TURNS; t++)
#pragma unroll
        for (int i = 0; i < OWN; i++) sum[t][i] = 0;
    const signed char *shift_a = p.a.shift + (p.a.batch_index() * p.a.padded + row + team * 64) / BLOCK * p.nchunks;
    const signed char *shift_b = p.b.shift + (p.b.batch_index() * p.b.padded + col) / BLOCK * p.nchunks;
    int stage = 0, round = 0;
    for (int64_t chunk = 0; chunk < p.nchunks; chunk++) {
        float scale[TILE_N / BLOCK];
#pragma unroll
        for (int i = 0; i < TILE_N / BLOCK; i++)
            scale[i] = shifted ? power_of_two(-shift_a[chunk] - shift_b[i * p.nchunks + chunk]) : 1;
        barrier_wait(full + 8 * stage, round & 1);
        unsigned at = stages + stage * S::STAGE;
        uint64_t a = descriptor(at + team * 64 * WIDE), b = descriptor(at + PARTS * S::A_BYTES);
#pragma unroll
        for (int t = 0; t < TURNS; t++) {
            float now[OWN];
            auto add = [&](int first, int last) {
                wgmma_begin();
#pragma unroll
                for (int i = first; i < last; i++)
#pragma unroll
                    for (int from = 0; from < WIDE; from += 32)
                        wgmma<AT_ONCE>::run(now, a + (pair_a(i) * S::A_BYTES + from >> 4),
                                            b + (pair_b(i) * S::B_BYTES + t * AT_ONCE * WIDE + from >> 4),
                                            i > first || from);
                wgmma_end(now);
            };
            auto take = [&] {
#pragma unroll
                for (int j = 0; j < OWN; j++)
                    sum[t][j] = __fmaf_rn(now[j], scale[(t * AT_ONCE + j * 2) / BLOCK], sum[t][j]);
            };
            if (APART) add(0, 5), take(), add(5, 6);
            else add(0, 6);
            if (t == TURNS - 1 && lane < CLUSTER) barrier_arrive(empty + 8 * stage, CLUSTER > 1 ? lane : 0);
            take();
        }
        if (++stage == STAGES) stage = 0, round++;
    }
    store_tile(p, row + team * 64, col, sum);
}

template <int TILE_N, int STAGES, int CLUSTER, bool APART>
__global__ void __cluster_dims__(CLUSTER, 1, 1) __launch_bounds__(THREADS, 1)
    multiply(const __grid_constant__ problem p)
{
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    typedef shape<TILE_N, STAGES> S;
    extern __shared__ char shared[];
    char *space = (char *)(((uintptr_t)shared + 1023) & ~(uintptr_t)1023);
    unsigned stages = shared_at(space), full = stages + S::STAGE * STAGES, empty = full + 8 * STAGES;
    unsigned rank = CLUSTER > 1 ? cluster_rank() : 0;

    /* tiles in groups of rows, so that concurrent ones share what they read; `within` counts clusters */
    int64_t per_group = (int64_t)GROUP * p.tiles_n, group = blockIdx.x / per_group;
    int64_t high = (p.tiles_m - group * GROUP < GROUP ? p.tiles_m - group * GROUP : GROUP) / CLUSTER;
    int64_t within = blockIdx.x % per_group / CLUSTER;
    int64_t first = (group * GROUP + within % high * CLUSTER) * TILE_M;
    int64_t row = first + rank * TILE_M, col = within / high * TILE_N;

    /* blocks of a cluster take the same path, since each loads a share for the other */
    int way = way_of(p.a, first, CLUSTER * TILE_M, p.nchunks) | way_of(p.b, col, TILE_N, p.nchunks);
    if (!threadIdx.x) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, CLUSTER * CONSUMERS / 32);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    bool shifted = __syncthreads_or(way), plain = __syncthreads_or(way == PLAIN);
    if (CLUSTER > 1) cluster_sync();
    if (threadIdx.x >= CONSUMERS) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
        if (threadIdx.x == CONSUMERS && !plain)
            bring<TILE_N, STAGES, CLUSTER>(p, row, col, stages, full, empty, rank);
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
        if (plain) tile_plainly<TILE_N>(p, row, col, (float *)space);
        else tile_by_parts<TILE_N, STAGES, CLUSTER, APART>(p, row, col, stages, full, empty, shifted);
    }
    if (CLUSTER > 1) {
        __syncwarp();
        cluster_sync(); /* shared memory stays valid until the other block has read it */
    }
#endif
}

} // namespace split

#endif
