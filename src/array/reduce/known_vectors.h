/* Lanes (reduce/vectors.h) of folds that take no notice of NaN. */
#ifndef CPI_REDUCE_KNOWN_VECTORS_H
#define CPI_REDUCE_KNOWN_VECTORS_H

#include "cpu/intrinsics.h"
#include "reduce/vectors.h"

/* CPL_LOAD with `c` for NaN; `bits`: integers of the elements' size. */
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

#endif
