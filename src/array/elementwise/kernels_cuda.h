/* What the CUDA files of the room share: arguments of kernels, walking a loop, conversion at load and store.
 *
 * Three kernels serve an operation with one result of inputs of one type. `flat`: contiguous operands of exactly that
 * type (or one value for all), 16 bytes a load, a kernel for each operation. `runs`: operands that are contiguous or
 * broadcast, of any types: CPI_RUN neighbours a thread. `general`: any strides, any types, a mask; one element a load.
 * Operations with several results, or inputs of other types, have `straight` for contiguous operands beside `general`.
 * Types are converted through a switch that all threads take alike. Kernels get their arguments as untyped structs, so
 * that one launcher serves all. Sums, differences and products of inputs that repeat have a kernel of their own
 * (bands.h). */
#ifndef CPI_KERNELS_CUDA_H
#define CPI_KERNELS_CUDA_H

#include "cuda/cuda.h"
#include "cuda/elements.h"
#include "elementwise/elementwise.h"
#include "elementwise/table.h"

enum { CPI_THREADS = 256, CPI_WALK_DIMS = 12, CPI_WALK_OPS = 5, CPI_PER_THREAD = 4, CPI_RUN = 4 };

struct cpi_flat_args {
    void *out;
    const void *in[3];
    alignas(16) unsigned char value[3][16]; /* of inputs whose bit is set in `values`, in the computing type */
    int64_t n;
    unsigned values;                        /* inputs given by value */
    unsigned singles;                       /* inputs that are one value in device memory */
    bool aligned;                           /* all pointers allow vector accesses */
};

/* Dimensions of a loop with divisors prepared: offsets of element i for every operand. Kernels count in 31 bits: larger
 * loops reach them in parts (cpi_walk_each). */
struct cpi_walk {
    int ndim;
    int64_t n;
    uint32_t magic[CPI_WALK_DIMS], shift[CPI_WALK_DIMS], shape[CPI_WALK_DIMS];
    int64_t strides[CPI_WALK_OPS][CPI_WALK_DIMS];
};

struct cpi_general_args {
    int op;
    cpi_walk walk;
    char *data[CPI_WALK_OPS];   /* output, inputs, mask */
    cp_type type[CPI_WALK_OPS];
    alignas(16) unsigned char value[3][16];
    unsigned values;
    int mask;                   /* operand that is the mask, 0: none */
    bool exact;                 /* no operand needs a conversion */
    bool plain;                 /* nor is given by value, and there is no mask */
    bool aligned;               /* for `straight`: runs begin at multiples of their size, or of 16 bytes */
    uint8_t size[CPI_WALK_OPS]; /* for `straight`: bytes of an element */
};

/* How operand k of `runs` finds the CPI_RUN elements of a thread. Runs end with a dimension where that divides the
 * last extent (or there is one dimension only); RUN and REPEAT need it. */
enum cpi_run_mode {
    CPI_RUN_VALUE,  /* given by value */
    CPI_RUN_FLAT,   /* C-contiguous throughout */
    CPI_RUN_RUN,    /* neighbours in the last dimension */
    CPI_RUN_REPEAT, /* one element, the last dimension's stride is 0 */
    CPI_RUN_EACH    /* neighbours in the last dimension, of at least two elements, and in the next row of it */
};
struct cpi_runs_args {
    int op;
    cpi_walk walk;
    char *data[4];              /* output, inputs */
    cp_type type[4];
    alignas(16) unsigned char value[3][16];
    uint8_t mode[4];
    uint8_t size[4];            /* bytes of an element */
    unsigned exact;             /* operands that need no conversion */
    unsigned aligned;           /* operands whose runs are aligned to their size, or to 16 bytes */
    bool locate;                /* an operand is RUN, REPEAT or EACH */
    bool each;                  /* an operand is EACH */
};

/* Of flat index i, the index in dimension d; i becomes the index in the dimensions outside it. */
__device__ __forceinline__ uint32_t cpi_split(const cpi_walk &w, int d, uint32_t &i)
{
    const uint32_t q = (__umulhi(i, w.magic[d]) + i) >> w.shift[d], at = i - q * w.shape[d];
    i = q;
    return at;
}

/* Offsets of the elements i, i + step, ... in operands FIRST, FIRST + 1, ...: one walk through the dimensions for all,
 * because a walk in every place that needs an offset was most of what there was to compile. */
template <int FIRST, int U, int NOPS>
__device__ __forceinline__ void cpi_locate_all(const cpi_walk &w, int64_t i, int step, int64_t (&offset)[U][NOPS])
{
    uint32_t rest[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        rest[u] = (uint32_t)i + (uint32_t)(u * step);
#pragma unroll
        for (int k = 0; k < NOPS; k++) offset[u][k] = 0;
    }
#pragma unroll 1
    for (int d = w.ndim - 1; d > 0; d--) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t at = cpi_split(w, d, rest[u]);
#pragma unroll
            for (int k = 0; k < NOPS; k++) offset[u][k] += at * w.strides[FIRST + k][d];
        }
    }
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int k = 0; k < NOPS; k++) offset[u][k] += (int64_t)rest[u] * w.strides[FIRST + k][0];
}

/* Offsets of element i in the first operands. */
template <int NOPS>
__device__ __forceinline__ void cpi_locate(const cpi_walk &w, int64_t i, int64_t (&offset)[NOPS])
{
    int64_t one[1][NOPS];
    cpi_locate_all<0>(w, i, 0, one);
#pragma unroll
    for (int k = 0; k < NOPS; k++) offset[k] = one[0][k];
}

/* Neighbours at once; memory_runs_cuda.h loads and stores them as other types. */
template <class E, int V> struct alignas(sizeof(E) * V > 16 ? 16 : sizeof(E) * V) cpi_pack { E x[V]; };
template <class E> __device__ __forceinline__ cpi_pack<E, CPI_RUN> cpi_take(const void *p, bool aligned)
{
    if (aligned) return *(const cpi_pack<E, CPI_RUN> *)p;
    cpi_pack<E, CPI_RUN> v;
#pragma unroll
    for (int j = 0; j < CPI_RUN; j++) v.x[j] = ((const E *)p)[j];
    return v;
}
template <class E> __device__ __forceinline__ void cpi_give(void *p, bool aligned, const cpi_pack<E, CPI_RUN> &v)
{
    if (aligned) {
        *(cpi_pack<E, CPI_RUN> *)p = v;
        return;
    }
#pragma unroll
    for (int j = 0; j < CPI_RUN; j++) ((E *)p)[j] = v.x[j];
}

/* --- host side (elementwise_cuda.cu, elementwise_power_cuda.cu) --- */

/* Launches a kernel that takes one struct, by CPI_THREADS threads a block. */
static inline cp_code cpi_cuda_launch(const void *kernel, int64_t blocks, void *args, cp_stream *stream,
                                      const char *what)
{
    void *list[] = {args};
    cudaLaunchKernel(kernel, dim3((unsigned)blocks), dim3(CPI_THREADS), list, 0, cpi_cuda_stream(stream));
    return CPI_LAUNCHED(stream, what);
}
/* Can `runs` serve the loop (output, nin inputs; a part that cpi_walk_each gave)? Fills its arguments. */
bool cpi_runs_fit(const cpi_loop *loop, int nin, cp_type compute, cp_type result, cpi_runs_args *g);
/* Puts CPI_LATE_NEGATIVE_POWER into the stream's mailbox when an exponent that takes part is negative as a number of
 * the loop's type, an integer's. */
cp_code cpi_cuda_check_exponents(cp_stream *stream, cp_type type, const cpi_loop *loop);
/* How i / d is had for i below 2^31: (umulhi(i, magic) + i) >> shift. */
void cpi_divisor(uint32_t d, uint32_t *magic, uint32_t *shift);
/* Fills the walk from dimensions first.. of a loop (at most CPI_WALK_DIMS of them). */
void cpi_walk_init(cpi_walk *walk, const cpi_loop *loop, int first, int nops);
/* Calls launch(context, loop) for the loop or, where it has more dimensions or elements than a walk, for its parts. */
cp_code cpi_walk_each(const cpi_loop *loop, cp_code (*launch)(void *context, const cpi_loop *part), void *context);

/* Elements from..from + n of dimension d of a loop; a loop without its first dimension, whose extent is 1. */
cpi_loop cpi_loop_slice(const cpi_loop *loop, int d, int64_t from, int64_t n);
void cpi_loop_drop_first(cpi_loop *loop);

/* The kernels of one operation in one computing type; NULL where there is no body. */
struct cpi_cuda_entry {
    const void *flat, *runs, *general;
    const void *straight; /* of several results or inputs of other types: `general` for contiguous operands, no mask */
    int flat_elements;    /* elements a block of `flat` handles */
};

/* The kernels of chains and of places of one computing type. */
struct cpi_cuda_chain_entry {
    const void *chain, *places;
};
cp_code cpi_cuda_chain(cp_stream *stream, const cpi_chain *c);
cp_code cpi_cuda_at_places(cp_stream *stream, const cpi_places *p);

/* `flat` of one operation that computes in float, for operands of a half type. */
struct cpi_cuda_half_entry {
    const void *flat;
    int elements;
};

#endif
