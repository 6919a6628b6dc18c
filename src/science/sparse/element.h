/* Arithmetic of a matrix's elements, as C17 and CUDA C++: one function a type in C, overloads in CUDA C++. Integers of
 * both signs wrap alike, so the unsigned types serve them. Booleans are added by OR, multiplied by AND, and their
 * difference is XOR, as SciPy's are. */
#ifndef CPI_SPARSE_ELEMENT_H
#define CPI_SPARSE_ELEMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/paste.h"
#include "cuprite/types.h"

#ifdef __CUDACC__
#define CPI_SPARSE_FN static __device__ __forceinline__
#define CPI_SPARSE_OF(name, suffix) name
#else
#define CPI_SPARSE_FN static inline
#define CPI_SPARSE_OF(name, suffix) CPI_PASTE(name, suffix)
#endif

typedef struct { uint8_t v; } cpi_sparse_b;
typedef struct { uint64_t low, high; } cpi_sparse_m16; /* 16 bytes that are only moved */

CPI_SPARSE_FN cpi_sparse_b CPI_SPARSE_OF(cpi_sp_add, b)(cpi_sparse_b a, cpi_sparse_b b)
{
    const cpi_sparse_b r = {(uint8_t)((a.v != 0) | (b.v != 0))};
    return r;
}
CPI_SPARSE_FN cpi_sparse_b CPI_SPARSE_OF(cpi_sp_sub, b)(cpi_sparse_b a, cpi_sparse_b b)
{
    const cpi_sparse_b r = {(uint8_t)((a.v != 0) ^ (b.v != 0))};
    return r;
}
CPI_SPARSE_FN cpi_sparse_b CPI_SPARSE_OF(cpi_sp_mul, b)(cpi_sparse_b a, cpi_sparse_b b)
{
    const cpi_sparse_b r = {(uint8_t)((a.v != 0) & (b.v != 0))};
    return r;
}
CPI_SPARSE_FN bool CPI_SPARSE_OF(cpi_sp_is, b)(cpi_sparse_b a) { return a.v != 0; }
/* 1 where a and b differ, else 0. */
CPI_SPARSE_FN cpi_sparse_b CPI_SPARSE_OF(cpi_sp_unlike, b)(cpi_sparse_b a, cpi_sparse_b b)
{
    return CPI_SPARSE_OF(cpi_sp_sub, b)(a, b);
}

/* `wide` is what C computes with: products of 16 bits must not overflow an int. */
#define CPI_SPARSE_REAL(suffix, type, wide)                                                               \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_add, suffix)(type a, type b) { return (type)((wide)a + (wide)b); } \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_sub, suffix)(type a, type b) { return (type)((wide)a - (wide)b); } \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_mul, suffix)(type a, type b) { return (type)((wide)a * (wide)b); } \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_unlike, suffix)(type a, type b) { return (type)(a != b); }         \
    CPI_SPARSE_FN bool CPI_SPARSE_OF(cpi_sp_is, suffix)(type a) { return a != 0; }
CPI_SPARSE_REAL(u8, uint8_t, uint32_t)
CPI_SPARSE_REAL(u16, uint16_t, uint32_t)
CPI_SPARSE_REAL(u32, uint32_t, uint32_t)
CPI_SPARSE_REAL(u64, uint64_t, uint64_t)
CPI_SPARSE_REAL(f32, float, float)
CPI_SPARSE_REAL(f64, double, double)
#undef CPI_SPARSE_REAL

#define CPI_SPARSE_COMPLEX(suffix, type)                                           \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_add, suffix)(type a, type b)           \
    {                                                                              \
        const type r = {a.re + b.re, a.im + b.im};                                 \
        return r;                                                                  \
    }                                                                              \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_sub, suffix)(type a, type b)           \
    {                                                                              \
        const type r = {a.re - b.re, a.im - b.im};                                 \
        return r;                                                                  \
    }                                                                              \
    CPI_SPARSE_FN type CPI_SPARSE_OF(cpi_sp_mul, suffix)(type a, type b)           \
    {                                                                              \
        const type r = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};     \
        return r;                                                                  \
    }                                                                              \
    CPI_SPARSE_FN bool CPI_SPARSE_OF(cpi_sp_is, suffix)(type a) { return a.re != 0 || a.im != 0; }
CPI_SPARSE_COMPLEX(c64, cp_complex64)
CPI_SPARSE_COMPLEX(c128, cp_complex128)
#undef CPI_SPARSE_COMPLEX
CPI_SPARSE_FN cp_complex64 CPI_SPARSE_OF(cpi_sp_unlike, c64)(cp_complex64 a, cp_complex64 b)
{
    const cp_complex64 r = {(float)((a.re != b.re) | (a.im != b.im)), 0};
    return r;
}
CPI_SPARSE_FN cp_complex128 CPI_SPARSE_OF(cpi_sp_unlike, c128)(cp_complex128 a, cp_complex128 b)
{
    const cp_complex128 r = {(double)((a.re != b.re) | (a.im != b.im)), 0};
    return r;
}

#endif
