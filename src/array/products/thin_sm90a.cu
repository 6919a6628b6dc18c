/* Float64 products of at most MOST rows and columns (GRAM, of a matrix by its own transpose) and DEEP products a sum,
 * by tensor cores: no library has to be loaded for them, and the sum is cut into as many parts as keep the GPU busy.
 *
 * A block has a tile of c and a part of the sum. Operands are loaded into shared memory STAGES steps ahead, with the
 * sum's axis along its rows, whatever their layout. Of 64 x 64 a warp has a quarter; of 32 x 32 it has all, and every
 * fourth 8 of the sum. The parts follow from m, n and k alone, and are added in order, so the same input gives the same
 * bits.
 *
 * The floor, on an H200: 8 (m + n) k bytes at 4.8 TB/s (8 m k of a Gram matrix), 2 m n k operations at 67 TFLOP/s, or
 * two launches, 4 us: a 512 x 512 square is 4.0 us of operations. */
#include <string.h>

#include "cuda/cuda.h"
#include "products/thin.h"

namespace {

enum { THREADS = 128, STAGES = 4, MOST = 128, GRAM = 512, JOINED = 8 };
enum : int64_t {
    WORK = (int64_t)1 << 24,      /* m n k, up to which cuBLAS, once open, is not faster */
    GRAM_WORK = (int64_t)1 << 27, /* covariances: they are not worth the tenth of a second that loading it takes */
    DEEP = (int64_t)1 << 17,      /* 10 columns of 10^6 were 1.5 times cuBLAS's time, 2 of 10^7 twice */
};

template <int TILE> struct shape {
    static constexpr int DEPTH = 1024 / TILE, PITCH = DEPTH + 4; /* 4: avoids bank conflicts of 16 lanes */
    static constexpr int OPERAND = TILE * PITCH, SHARED = STAGES * 2 * OPERAND * (int)sizeof(double);
    static constexpr int LOADS = TILE * DEPTH / THREADS;
};

struct problem {
    const double *a, *b;
    double *c, *sums;                       /* sums: of each part, m x n; NULL: there is one */
    int64_t m, n, k, chunk;
    int64_t a_row, a_col, b_row, b_col, c_row;
    int tiles_n;
};

__device__ __forceinline__ void copy(double *to, const double *from, bool there)
{
    const unsigned shared = (unsigned)__cvta_generic_to_shared(to);
    const int bytes = there ? 8 : 0; /* and zeros for the rest */
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(shared), "l"(from), "r"(bytes) : "memory");
}

__device__ __forceinline__ void multiply(double (&c)[4], const double (&a)[4], const double (&b)[2])
{
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}

/* Loads TILE rows of an operand from `first` on, DEPTH of the sum from `from` on, 0 beyond both. Adjacent threads read
 * adjacent memory: along the sum, or 4 along the other axis and 4 along the sum. */
template <int TILE>
__device__ __forceinline__ void fetch(double *to, const double *x, int64_t row, int64_t col, int64_t first,
                                      int64_t rows, int64_t from, int64_t end)
{
    typedef shape<TILE> S;
    const bool along = col == 1;
#pragma unroll
    for (int l = 0; l < S::LOADS; l++) {
        const int e = threadIdx.x + l * THREADS;
        const int at = along ? e / S::DEPTH : e % 4 + e / 16 % (TILE / 4) * 4;
        const int deep = along ? e % S::DEPTH : e / 4 % 4 + e / (4 * TILE) * 4;
        const bool there = first + at < rows && from + deep < end;
        copy(to + at * S::PITCH + deep, there ? x + (first + at) * row + (from + deep) * col : x, there);
    }
}

template <int TILE> __global__ void __launch_bounds__(THREADS) products(const __grid_constant__ problem p)
{
    typedef shape<TILE> S;
    constexpr bool QUARTERS = TILE == 64;
    extern __shared__ double memory[];
    const int warp = threadIdx.x / 32, g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    const int64_t row = blockIdx.x / p.tiles_n * TILE, column = blockIdx.x % p.tiles_n * TILE;
    const int64_t begin = blockIdx.y * p.chunk, end = p.k - begin < p.chunk ? p.k : begin + p.chunk;
    const int y = QUARTERS ? warp / 2 * 32 : 0, x = QUARTERS ? warp % 2 * 32 : 0;
    const int64_t rows = p.m - row - y, columns = p.n - column - x; /* of this warp, if more than 0 */
    double sum[2][4][4] = {};
    auto get = [&](int64_t from, int stage) {
        double *to = memory + stage * 2 * S::OPERAND;
        if (from < end) {
            fetch<TILE>(to, p.a, p.a_row, p.a_col, row, p.m, from, end);
            fetch<TILE>(to + S::OPERAND, p.b, p.b_col, p.b_row, column, p.n, from, end);
        }
        asm volatile("cp.async.commit_group;" ::: "memory"); /* empty groups too: they are counted */
    };
    for (int s = 0; s < STAGES - 1; s++) get(begin + s * S::DEPTH, s);
    int stage = 0;
    for (int64_t from = begin; from < end; from += S::DEPTH) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads(); /* all have loaded theirs, and have finished with the stage that comes next */
        get(from + (STAGES - 1) * S::DEPTH, (stage + STAGES - 1) % STAGES);
        const double *as = memory + stage * 2 * S::OPERAND + (y + g) * S::PITCH + t;
        const double *bs = memory + stage * 2 * S::OPERAND + S::OPERAND + (x + g) * S::PITCH + t;
        stage = (stage + 1) % STAGES;
#pragma unroll
        for (int d = QUARTERS ? 0 : warp * 8, n = 0; n < (QUARTERS ? S::DEPTH / 8 : 1); d += 8, n++) {
            double u[2][4], v[4][2];
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int q = 0; q < 4; q++) u[i][q] = as[(i * 16 + q % 2 * 8) * S::PITCH + d + q / 2 * 4];
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int q = 0; q < 2; q++) v[j][q] = bs[j * 8 * S::PITCH + d + q * 4];
#pragma unroll
            for (int i = 0; i < 2; i++)
#pragma unroll
                for (int j = 0; j < 4; j++)
                    if (i * 16 < rows && j * 8 < columns) multiply(sum[i][j], u[i], v[j]);
        }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    double *c = p.sums ? p.sums + blockIdx.y * p.m * p.n : p.c;
    const int64_t pitch = p.sums ? p.n : p.c_row;
    if constexpr (!QUARTERS) { /* the sums of the other warps are added to the first's, in order */
        __syncthreads();
#pragma unroll
        for (int e = 0; e < 32; e++) memory[e * THREADS + threadIdx.x] = sum[e / 16][e / 4 % 4][e % 4];
        __syncthreads();
        if (warp) return;
#pragma unroll
        for (int e = 0; e < 32; e++)
#pragma unroll
            for (int w = 1; w < THREADS / 32; w++)
                sum[e / 16][e / 4 % 4][e % 4] += memory[e * THREADS + w * 32 + threadIdx.x];
    }
#pragma unroll
    for (int e = 0; e < 32; e++) {
        const int i = e / 16 * 16 + e % 4 / 2 * 8 + g, j = e / 4 % 4 * 8 + t * 2 + e % 2;
        if (i < rows && j < columns) c[(row + y + i) * pitch + column + x + j] = sum[e / 16][e / 4 % 4][e % 4];
    }
}

/* Adds the parts: blockDim.y threads to an element, whose sums are added in their order. */
__global__ void __launch_bounds__(256) join(const __grid_constant__ problem p, int parts)
{
    __shared__ double sums[JOINED][32];
    const int64_t size = p.m * p.n, at = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    double s = 0;
    if (at < size)
#pragma unroll 4
        for (int i = threadIdx.y; i < parts; i += blockDim.y) s += p.sums[i * size + at];
    if (blockDim.y > 1) {
        sums[threadIdx.y][threadIdx.x] = s;
        __syncthreads();
        if (threadIdx.y) return;
        for (int i = 1; i < JOINED; i++) s += sums[i][threadIdx.x];
    }
    if (at < size) p.c[at / p.n * p.c_row + at % p.n] = s;
}

template <int TILE> cp_code launch_tiles(cp_stream *stream, const cpi_product &given)
{
    const int LEAST = TILE == 64 ? 128 : 256, BLOCKS = TILE == 64 ? 264 : 528; /* of a part; at most, 2 or 4 a unit */
    problem p = {(const double *)given.a, (const double *)given.b, (double *)given.c, nullptr, given.m, given.n,
                 given.k, given.k, given.a_row, given.a_col, given.b_row, given.b_col, given.c_row,
                 (int)cpi_ceil_div(given.n, TILE)};
    const int tiles = (int)cpi_ceil_div(p.m, TILE) * p.tiles_n;
    int64_t parts = p.k / LEAST;
    if (parts > BLOCKS / tiles) parts = BLOCKS / tiles;
    if (parts < 1) parts = 1;
    p.chunk = cpi_round_up(cpi_ceil_div(p.k, parts), shape<TILE>::DEPTH);
    parts = cpi_ceil_div(p.k, p.chunk);
    cp_code code = cpi_cuda_allow(stream, products<TILE>, shape<TILE>::SHARED, "matmul");
    if (code) return code;
    if (parts > 1) {
        p.sums = (double *)cpi_host->work_alloc(stream, (size_t)(parts * p.m * p.n) * sizeof *p.sums);
        if (!p.sums) return CP_ERROR_MEMORY;
    }
    const cudaStream_t s = cpi_cuda_stream(stream);
    products<TILE><<<dim3((unsigned)tiles, (unsigned)parts), THREADS, shape<TILE>::SHARED, s>>>(p);
    code = CPI_LAUNCHED(stream, "matmul");
    if (!code && parts > 1) {
        const dim3 block = parts > JOINED ? dim3(32, JOINED) : dim3(256, 1);
        join<<<(unsigned)cpi_ceil_div(p.m * p.n, block.x), block, 0, s>>>(p, (int)parts);
        code = CPI_LAUNCHED(stream, "matmul");
    }
    cpi_host->work_free(stream, p.sums);
    return code;
}

} // namespace

cp_code cpi_thin_product(cp_stream *stream, const cpi_product &p, bool *done)
{
    const int64_t most = p.m > p.n ? p.m : p.n;
    const bool gram = p.a == p.b && p.m == p.n && p.a_row == p.b_col && p.a_col == p.b_row;
    *done = p.type == CP_FLOAT64 && !p.nbatch && p.m > 1 && p.n > 1 && !strcmp(stream->device->variant, "sm_90") &&
            p.k <= DEEP &&
            (most <= 64 || (most <= (gram ? GRAM : MOST) && p.k <= (gram ? GRAM_WORK : WORK) / (p.m * p.n)));
    if (!*done) return CP_OK;
    return most <= 32 ? launch_tiles<32>(stream, p) : launch_tiles<64>(stream, p);
}
