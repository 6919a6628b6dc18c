/* Float32 products on tensor cores: the choice of tiles, and the launches. split_kernels.h has the kernels and explains
 * the algorithm. */
#include "products/split_product.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "products/split_kernels.h"

namespace {

using namespace split;


/* A kernel, and its time for a tile relative to one of 256 columns: narrow ones load more for what they compute. */
struct choice {
    int columns, rows; /* of a tile; rows of a's parts are a multiple */
    double cost;
    void (*kernel)(problem);
    int shared;
};

template <int TILE_N, int STAGES, int CLUSTER> constexpr choice choice_of(double cost)
{
    return {TILE_N, CLUSTER * TILE_M, cost, multiply<TILE_N, STAGES, CLUSTER, true>, shape<TILE_N, STAGES>::SHARED};
}

const choice choices[] = {choice_of<256, 3, 2>(1), choice_of<128, 4, 2>(0.62), choice_of<64, 6, 1>(0.44)};

/* CUPRITE_PRODUCTS: "own": by parts wherever possible; "fastest": where it should take less time; "library": never,
 * which is the default, because errors are not smaller than cuBLAS's for every kind of numbers (docs/architecture.md
 * has the figures). */
enum way { LIBRARY, OWN, FASTEST, UNSAID = LIBRARY };
way way_chosen()
{
    const char *word = getenv("CUPRITE_PRODUCTS");
    if (!word) return UNSAID;
    return !strcmp(word, "own")       ? OWN
           : !strcmp(word, "fastest") ? FASTEST
           : !strcmp(word, "library") ? LIBRARY
                                      : UNSAID;
}

/* The number of distinct matrices of an operand, from its strides. */
int64_t count(const int64_t *strides, const cpi_product &p) { return p.nbatch && strides[0] ? p.batch[0] : 1; }

/* The kernel that takes least time on so many multiprocessors; NULL where cuBLAS takes less, if that matters.
 * Microseconds, measured on an H200: a wave of tiles for each element along k, the launches, 10 bytes for each element
 * that is split, and cuBLAS at its best. */
const choice *fastest(const cpi_product &p, int64_t batches, int units, bool against_library)
{
    const double WAVE = 0.07, LAUNCHES = 8, BYTES = 3.0e6, LIBRARY = 51e6, LIBRARYS_LAUNCH = 3;
    const choice *best = nullptr;
    double elements = ((double)p.m * count(p.a_batch, p) + (double)p.n * count(p.b_batch, p)) * p.k;
    double least = 1.1 * (2.0 * p.m * p.n * p.k * batches / (LIBRARY * units / 132) + LIBRARYS_LAUNCH);
    for (const choice &c : choices) {
        int64_t tiles = cpi_round_up(p.m, c.rows) / TILE_M * (cpi_round_up(p.n, c.columns) / c.columns) * batches;
        double time = (double)cpi_ceil_div(tiles, units) * c.cost * WAVE * p.k;
        time += LAUNCHES + elements * 10 / BYTES;
        if (time < least || (!best && !against_library)) best = &c, least = time;
    }
    return best;
}

cp_code launch(cp_stream *stream, const choice &c, const problem &p, int64_t batches)
{
    cudaStream_t s = cpi_cuda_stream(stream);
    unsigned z = (unsigned)batches, y = (unsigned)(p.nchunks < 65535 ? p.nchunks : 65535);
    split_operands<<<dim3((unsigned)((p.a.padded + p.b.padded) / BLOCK), y, z), SPLIT_THREADS, 0, s>>>(p);
    cp_code code = CPI_LAUNCHED(stream, "matmul");
    if (code) return code;
    code = cpi_cuda_allow(stream, c.kernel, c.shared, "matmul");
    if (code) return code;
    c.kernel<<<dim3((unsigned)(p.tiles_m * p.tiles_n), 1, z), THREADS, c.shared, s>>>(p);
    return CPI_LAUNCHED(stream, "matmul");
}

/* Bytes of an operand's parts and of their shifts, for one of the batch. */
int64_t parts_bytes(const operand &o, int64_t nchunks) { return PARTS * o.padded * nchunks * WIDE; }
int64_t bytes(const operand &o, int64_t nchunks)
{
    return parts_bytes(o, nchunks) + cpi_round_up(o.padded / BLOCK * nchunks, 512);
}

/* Assigns them to memory for `n` of the batch; returns the end. */
char *assign_memory(operand *o, int64_t nchunks, int64_t n, char *memory)
{
    if (!o->batch) n = 1;
    o->parts = memory, o->shift = (signed char *)memory + n * parts_bytes(*o, nchunks);
    return memory + n * bytes(*o, nchunks);
}

} // namespace

cp_code cpi_split_product(cp_stream *stream, const cpi_product &p, bool *done)
{
    const int64_t MOST = (int64_t)4 << 30; /* bytes of parts at a time */
    int64_t batches = cpi_product_batches(&p);
    *done = false;
    way chosen = way_chosen();
    if (chosen == LIBRARY || p.type != CP_FLOAT32 || strcmp(stream->device->variant, "sm_90")) return CP_OK;
    const choice *fast = fastest(p, batches, cpi_cuda_units(stream), chosen == FASTEST);
    if (!fast) return CP_OK;
    const choice &c = *fast;
    int64_t a_batch = p.nbatch ? p.a_batch[0] : 0, b_batch = p.nbatch ? p.b_batch[0] : 0;
    problem q;
    q.a = {(const float *)p.a, p.m, p.a_row, p.a_col, a_batch, nullptr, nullptr, cpi_round_up(p.m, c.rows)};
    q.b = {(const float *)p.b, p.n, p.b_col, p.b_row, b_batch, nullptr, nullptr, cpi_round_up(p.n, c.columns)};
    q.k = p.k, q.nchunks = cpi_ceil_div(p.k, DEEP);
    q.c_row = p.c_row, q.c_batch = p.nbatch ? p.c_batch[0] : 0;
    if (q.a.padded / TILE_M > INT32_MAX / (q.b.padded / c.columns)) return CP_OK;
    q.tiles_m = (int)(q.a.padded / TILE_M), q.tiles_n = (int)(q.b.padded / c.columns);

    int64_t of_a = bytes(q.a, q.nchunks), of_b = bytes(q.b, q.nchunks);
    int64_t once = (a_batch ? 0 : of_a) + (b_batch ? 0 : of_b), each = of_a + of_b - once;
    if (once + each > MOST) return CP_OK;
    int64_t at_once = each ? (MOST - once) / each : batches;
    if (at_once > batches) at_once = batches;
    if (at_once > 65535) at_once = 65535;
    char *memory = (char *)cpi_host->work_alloc(stream, (size_t)(once + each * at_once));
    if (!memory) { /* the library needs less memory */
        char text[8];
        cpi_host->take_error(text, sizeof text);
        return CP_OK;
    }
    assign_memory(&q.b, q.nchunks, at_once, assign_memory(&q.a, q.nchunks, at_once, memory));
    cp_code code = CP_OK;
    for (int64_t i = 0; i < batches && !code; i += at_once) {
        q.a.x = (const float *)p.a + i * a_batch, q.b.x = (const float *)p.b + i * b_batch;
        q.c = (float *)p.c + i * q.c_batch;
        code = launch(stream, c, q, batches - i < at_once ? batches - i : at_once);
    }
    cpi_host->work_free(stream, memory);
    *done = true;
    return code;
}
