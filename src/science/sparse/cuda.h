/* What the module's CUDA sources share: the functions of rows as templates, and the types that kernels are made for. */
#ifndef CPI_SPARSE_CUDA_H
#define CPI_SPARSE_CUDA_H

#include "cuda/cuda.h"
#include "sparse/element.h"
#include "sparse/sparse.h"

#define CPI_MARK(p) (*(p) = 1)
#define CPI_NAME(f) f
#define EL(f) f
#define CPI_ROW template <class I> static __device__ inline
#include "sparse/indices.inc"
#undef CPI_ROW
#define CPI_ROW template <class V, class I> static __device__ inline
#define CPI_CALL(f) f<V, I>
#include "sparse/rows.inc"
#include "sparse/moves.inc"

enum { CPI_SPARSE_THREADS = 256 };

/* f(I()) with the type of the indices. */
template <class F> static cp_code cpi_sparse_with_index(bool wide, F f) { return wide ? f(int64_t()) : f(int32_t()); }
/* f(V(), I()) with the type of the elements that are computed with. */
template <class F> static cp_code cpi_sparse_with_types(cp_type t, bool wide, F f)
{
    return cpi_sparse_with_index(wide, [&](auto index) {
        switch (cpi_sparse_class(t)) {
        case 0: return f(cpi_sparse_b(), index);
        case 1: return f(uint8_t(), index);
        case 2: return f(uint16_t(), index);
        case 3: return f(uint32_t(), index);
        case 4: return f(uint64_t(), index);
        case 5: return f(float(), index);
        case 6: return f(double(), index);
        case 7: return f(cp_complex64(), index);
        default: return f(cp_complex128(), index);
        }
    });
}
/* The same with a type of the elements' size, for what only moves them. */
template <class F> static cp_code cpi_sparse_with_size(int64_t bytes, bool wide, F f)
{
    return cpi_sparse_with_index(wide, [&](auto index) {
        switch (bytes) {
        case 1: return f(uint8_t(), index);
        case 2: return f(uint16_t(), index);
        case 4: return f(uint32_t(), index);
        case 8: return f(uint64_t(), index);
        default: return f(cpi_sparse_m16(), index);
        }
    });
}

#endif
