/* What the CUDA files of the room share: arguments of kernels, walking a loop, conversion at load and store.
 *
 * Two kernels serve an operation in a type. `flat`: contiguous operands of exactly that type (or one value for
 * all), 16 bytes a load. `general`: any strides, any types (converted through a switch that all threads take alike),
 * a mask. Kernels get their arguments as untyped structs, so that one launcher serves all. */
#ifndef CPI_KERNELS_CUDA_H
#define CPI_KERNELS_CUDA_H

#include "cuda/cuda.h"
#include "elementwise/elementwise.h"
#include "elementwise/table.h"
#include "scalar/convert.h"

enum { CPI_THREADS = 256, CPI_WALK_DIMS = 12, CPI_WALK_OPS = 5, CPI_PER_THREAD = 4 };

struct cpi_flat_args {
    void *out;
    const void *in[3];
    alignas(16) unsigned char value[3][16]; /* of inputs whose bit is set in `values`, in the computing type */
    int64_t n;
    unsigned values;                        /* inputs given by value */
    unsigned singles;                       /* inputs that are one value in device memory */
    bool aligned;                           /* all pointers allow vector accesses */
};

/* Dimensions of a loop with divisors prepared: offsets of element i for every operand. */
struct cpi_walk {
    int ndim;
    bool small; /* the size fits 31 bits */
    int64_t n;
    uint32_t magic[CPI_WALK_DIMS], shift[CPI_WALK_DIMS];
    int64_t shape[CPI_WALK_DIMS];
    int64_t strides[CPI_WALK_OPS][CPI_WALK_DIMS];
};

struct cpi_general_args {
    cpi_walk walk;
    char *data[CPI_WALK_OPS];   /* output, inputs, mask */
    cp_type type[CPI_WALK_OPS];
    alignas(16) unsigned char value[3][16];
    unsigned values;
    int mask;                   /* operand that is the mask, 0: none */
    bool exact;                 /* no operand needs a conversion */
};

template <int NOPS>
__device__ __forceinline__ void cpi_locate(const cpi_walk &w, int64_t i, int64_t (&offset)[NOPS])
{
#pragma unroll
    for (int k = 0; k < NOPS; k++) offset[k] = 0;
    if (w.small) {
        uint32_t rest = (uint32_t)i;
        for (int d = w.ndim - 1; d > 0; d--) {
            uint32_t q = (__umulhi(rest, w.magic[d]) + rest) >> w.shift[d];
            int64_t at = rest - q * (uint32_t)w.shape[d];
            rest = q;
#pragma unroll
            for (int k = 0; k < NOPS; k++) offset[k] += at * w.strides[k][d];
        }
#pragma unroll
        for (int k = 0; k < NOPS; k++) offset[k] += (int64_t)rest * w.strides[k][0];
    } else {
        int64_t rest = i;
        for (int d = w.ndim - 1; d > 0; d--) {
            int64_t q = rest / w.shape[d], at = rest - q * w.shape[d];
            rest = q;
#pragma unroll
            for (int k = 0; k < NOPS; k++) offset[k] += at * w.strides[k][d];
        }
#pragma unroll
        for (int k = 0; k < NOPS; k++) offset[k] += rest * w.strides[k][0];
    }
}

/* Which suffix of the prelude a C++ type has; half types are structs of their own here. */
struct cpi_f16 { uint16_t bits; };
struct cpi_bf16 { uint16_t bits; };

#define CPI_CASE_LOAD(to, from) \
    case CPS_ENUM_##from: return CPS_CONVERT(from, to, *(const CPS_CTYPE_##from *)p);
#define CPI_CASES_LOAD(to) CPS_TYPES_INNER(CPI_CASE_LOAD, to)
/* A value of any type in memory, converted to the stored form of type `to`. */
#define CPI_DEFINE_LOAD(to)                                                                        \
    static __host__ __device__ __noinline__ CPS_CTYPE_##to cpi_load_##to(const void *p, int type)  \
    {                                                                                              \
        switch (type) {                                                                            \
            CPI_CASES_LOAD(to)                                                                     \
        }                                                                                          \
        return CPS_CTYPE_##to();                                                                   \
    }
#define CPI_CASE_STORE(from, to) \
    case CPS_ENUM_##to: *(CPS_CTYPE_##to *)p = CPS_CONVERT(from, to, v); break;
#define CPI_CASES_STORE(from) CPS_TYPES_INNER(CPI_CASE_STORE, from)
#define CPI_DEFINE_STORE(from)                                                                     \
    static __device__ __noinline__ void cpi_store_##from(void *p, int type, CPS_CTYPE_##from v)    \
    {                                                                                              \
        switch (type) {                                                                            \
            CPI_CASES_STORE(from)                                                                  \
        }                                                                                          \
    }

/* --- host side (elementwise_cuda.cu) --- */
/* Fills the walk from dimensions first.. of a loop (at most CPI_WALK_DIMS of them). */
void cpi_walk_init(cpi_walk *walk, const cpi_loop *loop, int first, int nops);
/* Calls launch(context, loop) for the loop, or, when it has more dimensions than a walk, for every part of it. */
cp_code cpi_walk_each(const cpi_loop *loop, cp_code (*launch)(void *context, const cpi_loop *part), void *context);

/* The kernels of one operation in one computing type; NULL where there is no body. */
struct cpi_cuda_entry {
    const void *flat, *general;
    const void *flat_f16, *flat_bf16; /* float only: operands of a half type */
    int flat_elements;                /* elements a block of `flat` handles, and of the half variants */
    int half_elements;
};
#define CPI_DECLARE_ENTRIES(x) extern const cpi_cuda_entry cpi_cuda_ops_##x[CPI_NKERNELS];
CPI_DECLARE_ENTRIES(b)
CPI_DECLARE_ENTRIES(i8) CPI_DECLARE_ENTRIES(u8) CPI_DECLARE_ENTRIES(i16) CPI_DECLARE_ENTRIES(u16)
CPI_DECLARE_ENTRIES(i32) CPI_DECLARE_ENTRIES(u32) CPI_DECLARE_ENTRIES(i64) CPI_DECLARE_ENTRIES(u64)
CPI_DECLARE_ENTRIES(f32) CPI_DECLARE_ENTRIES(f64) CPI_DECLARE_ENTRIES(c64) CPI_DECLARE_ENTRIES(c128)

#endif
