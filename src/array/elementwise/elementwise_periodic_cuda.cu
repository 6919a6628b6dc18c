/* Sums, differences and products of inputs that repeat, on the GPU: a row and a column, tables of short rows.
 *
 * Such loops mostly write. A thread makes a vector of each of BAND rows (periodic.h): it finds its place once, keeps
 * what does not change from row to row, and stores 16 bytes at a time beside its neighbours. */
#include "elementwise/periodic.h"
#include "elementwise/periodic_cuda.h"

namespace {

enum { TILE_ROWS = 4 };

struct periodic_input {
    const char *data;
    int64_t row;        /* bytes */
    cpi_divisor period; /* elements */
    bool vector;
};
struct periodic_args {
    int op;
    char *out;
    uint32_t n, inner, rows;
    cpi_divisor vectors; /* in a row */
    periodic_input x[CPI_PERIODIC_INPUTS];
};

/* The vectors of one input: columns c.. of the rows from r on, whose first element is `first` in the output. How they
 * lie is asked once, so that the rows' loads are under way together. */
template <class T, int V>
__device__ __forceinline__ void take_tile(const periodic_args &g, const periodic_input &o, uint32_t r, uint32_t c,
                                          uint32_t first, T (&x)[TILE_ROWS][V])
{
    const char *p = o.data + r * o.row;
    uint32_t periods = c;
    const uint32_t at = cpi_index_along(o.period, periods);
    if (o.row && o.vector) {
#pragma unroll
        for (int u = 0; u < TILE_ROWS; u++, p += o.row) {
            const uint32_t i = first + u * g.inner;
            const T *from = (const T *)p + at;
            cpi_pack<T, V> v = {};
            if (i + V <= g.n) {
                v = *(const cpi_pack<T, V> *)from;
            } else {
#pragma unroll
                for (int j = 0; j < V; j++)
                    if (i + j < g.n) v.x[j] = from[j];
            }
#pragma unroll
            for (int j = 0; j < V; j++) x[u][j] = v.x[j];
        }
    } else if (o.row && o.period.by == 1) {
        T one[TILE_ROWS] = {};
#pragma unroll
        for (int u = 0; u < TILE_ROWS; u++, p += o.row)
            if (first + u * g.inner < g.n) one[u] = *(const T *)p;
#pragma unroll
        for (int u = 0; u < TILE_ROWS; u++)
#pragma unroll
            for (int j = 0; j < V; j++) x[u][j] = one[u];
    } else {
        uint32_t position[V];
        position[0] = at;
#pragma unroll
        for (int j = 1; j < V; j++) position[j] = position[j - 1] + 1 == o.period.by ? 0 : position[j - 1] + 1;
#pragma unroll
        for (int j = 0; j < V; j++) x[0][j] = ((const T *)p)[position[j]];
#pragma unroll
        for (int u = 1; u < TILE_ROWS; u++) {
            if (o.row && first + u * g.inner < g.n) p += o.row; /* else as in the row before */
#pragma unroll
            for (int j = 0; j < V; j++) x[u][j] = o.row ? ((const T *)p)[position[j]] : x[0][j];
        }
    }
}

template <class T> __global__ void __launch_bounds__(CPI_THREADS) tiles(const __grid_constant__ periodic_args g)
{
    constexpr int V = 16 / (int)sizeof(T);
    uint32_t tile = blockIdx.x * CPI_THREADS + threadIdx.x;
    const uint32_t at = cpi_index_along(g.vectors, tile), r = tile * TILE_ROWS, c = at * V, first = r * g.inner + c;
    if (r >= g.rows) return;
    T x[TILE_ROWS][V], y[TILE_ROWS][V];
    take_tile<T, V>(g, g.x[0], r, c, first, x);
    take_tile<T, V>(g, g.x[1], r, c, first, y);
#pragma unroll
    for (int u = 0; u < TILE_ROWS; u++)
#pragma unroll
        for (int j = 0; j < V; j++)
            x[u][j] = g.op == CP_OP_add        ? x[u][j] + y[u][j]
                      : g.op == CP_OP_subtract ? x[u][j] - y[u][j]
                                               : x[u][j] * y[u][j];
#pragma unroll
    for (int u = 0; u < TILE_ROWS; u++) {
        const uint32_t i = first + u * g.inner;
        T *to = (T *)g.out + i;
        if (i + V <= g.n) {
            cpi_pack<T, V> v;
#pragma unroll
            for (int j = 0; j < V; j++) v.x[j] = x[u][j];
            *(cpi_pack<T, V> *)to = v;
        } else {
#pragma unroll
            for (int j = 0; j < V; j++)
                if (i + j < g.n) to[j] = x[u][j];
        }
    }
}

/* Integers wrap, so that signed ones are those without a sign. */
const void *kernel_of(cp_type type)
{
    return type == CP_INT32 || type == CP_UINT32   ? (const void *)tiles<uint32_t>
           : type == CP_INT64 || type == CP_UINT64 ? (const void *)tiles<uint64_t>
           : type == CP_FLOAT32                    ? (const void *)tiles<float>
           : type == CP_FLOAT64                    ? (const void *)tiles<double>
                                                   : nullptr;
}

bool operands_fit(const cpi_loop *loop, cp_type type)
{
    int64_t stride = cpi_itemsize(type);
    if (loop->nop != CPI_PERIODIC_INPUTS + 1 || (uintptr_t)loop->op[0].data % 16) return false;
    for (int k = 0; k <= CPI_PERIODIC_INPUTS; k++)
        if (loop->op[k].host || loop->op[k].type != type) return false;
    for (int d = loop->ndim - 1; d >= 0; d--) {
        if (loop->shape[d] != 1 && loop->op[0].strides[d] != stride) return false;
        stride *= loop->shape[d];
    }
    return true;
}

/* An input as large as the output is read best by `runs`, unless rows cut its runs. */
bool worth(const cpi_loop *loop, const cpi_periodic &b)
{
    bool whole = loop->shape[loop->ndim - 1] % CPI_RUN == 0;
    for (const cpi_periodic_input &x : b.x)
        if (x.full && (whole || !x.vector)) return false;
    return true;
}

} // namespace

bool cpi_cuda_periodic(cp_stream *stream, int op, cp_type type, const cpi_loop *loop, const char *name, cp_code *code)
{
    const void *kernel = op == CP_OP_add || op == CP_OP_subtract || op == CP_OP_multiply ? kernel_of(type) : nullptr;
    if (!kernel || !operands_fit(loop, type)) return false;
    const int64_t size = cpi_itemsize(type), vector = 16 / size;
    cpi_periodic b;
    if (!cpi_periodic_of(loop, size, (int)vector, &b) || (b.rows + TILE_ROWS) * b.inner > UINT32_MAX - vector)
        return false;
    periodic_args g;
    g.op = op;
    g.out = loop->op[0].data;
    g.n = (uint32_t)b.n;
    g.inner = (uint32_t)b.inner;
    g.rows = (uint32_t)b.rows;
    g.vectors = cpi_divisor_of(b.inner / vector);
    for (int k = 0; k < CPI_PERIODIC_INPUTS; k++) {
        cpi_periodic_input *x = &b.x[k];
        const char *data = loop->op[k + 1].data;
        x->vector = x->period % vector == 0 && x->row % 16 == 0 && (uintptr_t)data % 16 == 0;
        g.x[k] = {data, x->row, cpi_divisor_of(x->period), x->vector};
    }
    const int64_t threads = cpi_ceil_div(b.rows, TILE_ROWS) * g.vectors.by;
    if (!worth(loop, b) || threads >= INT32_MAX - CPI_THREADS) return false;
    *code = cpi_cuda_launch(kernel, cpi_ceil_div(threads, CPI_THREADS), &g, stream, name);
    return true;
}
