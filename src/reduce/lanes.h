/* Accumulators of 64 bits side by side in vectors, for the runs made from rows (tools/generate/folds.py).
 *
 * Vectors have 8, 4, 2 or 1 lanes whatever the processor has; what it lacks compilers cut into pieces. */
#ifndef CPI_REDUCE_LANES_H
#define CPI_REDUCE_LANES_H

#include <stdint.h>
#include <string.h>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

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
/* The same with `c` for NaN; `bits`: integers of the elements' size. */
#define CPL_KNOWN(from, to, bits, N, c, p)                                                                    \
    ({                                                                                                        \
        cpl_##from##x##N v_;                                                                                  \
        memcpy(&v_, (p), sizeof v_);                                                                          \
        cpl_##bits##x##N m_ = (cpl_##bits##x##N)(v_ != v_), c_ = (cpl_##bits##x##N)((c) - (cpl_##from##x##N){0}); \
        __builtin_convertvector((cpl_##from##x##N)(((cpl_##bits##x##N)v_ & ~m_) | (c_ & m_)), cpl_##to##x##N); \
    })
#ifdef __AVX512F__ /* which chooses without a mask in a vector */
#define CPL_KNOWN8(from, to, bits, c, p)                                                                      \
    ({                                                                                                        \
        __m512d k_ = (__m512d)CPL_LOAD(from, to, 8, p);                                                       \
        (cpl_##to##x8)_mm512_mask_mov_pd(_mm512_set1_pd(c), _mm512_cmp_pd_mask(k_, k_, _CMP_ORD_Q), k_);      \
    })
#else /* in parts of a register's width: GCC compares wider vectors element by element */
#define CPL_PART(from, i, p) ((const char *)(p) + (i) * sizeof(cpl_##from##x1))
#define CPL_KNOWN8(from, to, bits, c, p)                                                                         \
    CPL_JOIN4(cpl_##to##x8, CPL_KNOWN4(from, to, bits, c, p), CPL_KNOWN4(from, to, bits, c, CPL_PART(from, 4, p)))
#ifdef __AVX__
#define CPL_KNOWN4(from, to, bits, c, p) CPL_KNOWN(from, to, bits, 4, c, p)
#else
#define CPL_KNOWN4(from, to, bits, c, p)                                 \
    __builtin_shufflevector(CPL_KNOWN(from, to, bits, 2, c, p),          \
                            CPL_KNOWN(from, to, bits, 2, c, CPL_PART(from, 2, p)), 0, 1, 2, 3)
#endif
#define CPL_JOIN4(V, a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7)
#endif
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
