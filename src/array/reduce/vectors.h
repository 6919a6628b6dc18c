/* Accumulators of 64 bits side by side in vectors, for the runs made from rows (tools/generate/reducers.py).
 *
 * Vectors have 8, 4, 2 or 1 lanes whatever the processor has; what it lacks compilers cut into pieces. */
#ifndef CPI_REDUCE_VECTORS_H
#define CPI_REDUCE_VECTORS_H

#include <stdint.h>
#include <string.h>

#define CPL_VECTORS(s, T)                                              \
    typedef T cpl_##s##x8 __attribute__((vector_size(8 * sizeof(T)))); \
    typedef T cpl_##s##x4 __attribute__((vector_size(4 * sizeof(T)))); \
    typedef T cpl_##s##x2 __attribute__((vector_size(2 * sizeof(T)))); \
    typedef T cpl_##s##x1 __attribute__((vector_size(sizeof(T))));
CPL_VECTORS(i32, int32_t)
CPL_VECTORS(u32, uint32_t)
CPL_VECTORS(i64, int64_t)
CPL_VECTORS(u64, uint64_t)
CPL_VECTORS(f32, float)
CPL_VECTORS(f64, double)

/* N elements at p as accumulators: both types by the names above. */
#define CPL_LOAD(from, to, N, p)                                  \
    ({                                                            \
        cpl_##from##x##N v_;                                      \
        memcpy(&v_, (p), sizeof v_);                              \
        __builtin_convertvector(v_, cpl_##to##x##N);              \
    })
/* 1 for each element with one of these bits, else 0. Without a comparison, which GCC makes of vectors wider than
 * registers element by element: of a number that is not 0, it or its negative has the highest bit. */
#define CPL_NONZERO(from, to, N, bits, p)                                                              \
    ({                                                                                                 \
        cpl_##from##x##N v_;                                                                           \
        memcpy(&v_, (p), sizeof v_);                                                                   \
        v_ &= (bits);                                                                                  \
        __builtin_convertvector((v_ | -v_) >> (8 * sizeof v_[0] - 1), cpl_##to##x##N);                 \
    })
/* The halves of a vector. */
#define CPL_LOW4(V, a) ((V){(a)[0], (a)[1], (a)[2], (a)[3]})
#define CPL_HIGH4(V, a) ((V){(a)[4], (a)[5], (a)[6], (a)[7]})
#define CPL_LOW2(V, a) ((V){(a)[0], (a)[1]})
#define CPL_HIGH2(V, a) ((V){(a)[2], (a)[3]})

#endif
