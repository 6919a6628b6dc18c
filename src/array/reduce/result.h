/* From accumulators to results: the finishes of reduce.def (generated), and how results are read and written; one text
 * for C17 and CUDA C++.
 *
 * Invariant: an accumulator of floating-point numbers is rounded once, from double to the result's type. */
#ifndef CPI_REDUCE_RESULT_H
#define CPI_REDUCE_RESULT_H

#include <math.h>

#include "reduce/reduce.h"
#include "scalar/halves.h"

#ifdef __CUDACC__
#define CPI_RESULT static __device__ inline
#else
#define CPI_RESULT static inline __attribute__((unused))
#endif

typedef cp_complex128 cpi_pair; /* may lie at multiples of 8 */
/* Count, mean, sum of squared deviations; im is the imaginary part of the mean. Kernels may leave a shift that is
 * common to all parts of a result out of the mean. */
typedef struct cpi_moments { double n, mean, im, m2; } cpi_moments;

/* The sum of squared deviations: about the mean, or about its real part alone, where nothing was left out of im. */
CPI_RESULT double cpi_deviations(const cpi_reduce_args *a, cpi_moments m)
{
    return a->about_real ? m.m2 + m.n * m.im * m.im : m.m2;
}

/* What finishes may say. */
CPI_RESULT double cpi_spread(double a, double divisor) { return a / (divisor <= 0 ? 0.0 : divisor); } /* by NaN too */
CPI_RESULT double cpi_root(double v) { return sqrt(v); }
#include "reduce/finalizes.h"

/* --- results in memory --- */

CPI_RESULT void cpi_store_int(cp_type t, void *to, uint64_t v)
{
    switch (t) {
    case CP_BOOL:
    case CP_INT8:
    case CP_UINT8: *(uint8_t *)to = (uint8_t)v; return;
    case CP_INT16:
    case CP_UINT16: *(uint16_t *)to = (uint16_t)v; return;
    case CP_INT32:
    case CP_UINT32: *(uint32_t *)to = (uint32_t)v; return;
    case CP_INT64:
    case CP_UINT64:
    CPI_CASE_FLOATS: /* none come here */
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT: break;
    }
    *(uint64_t *)to = v;
}

CPI_RESULT void cpi_store_number(cp_type t, void *to, double re, double im)
{
    if (cpi_is_half(t)) {
        cps_store_half(t, to, 0, cps_f64_to_odd(re));
        return;
    }
    if (t == CP_BOOL) {
        *(uint8_t *)to = re != 0;
        return;
    }
    switch (t) {
    case CP_FLOAT32: *(float *)to = (float)re; return;
    case CP_FLOAT64: *(double *)to = re; return;
    case CP_COMPLEX64: ((float *)to)[0] = (float)re, ((float *)to)[1] = (float)im; return;
    case CP_COMPLEX128: ((double *)to)[0] = re, ((double *)to)[1] = im; return;
    CPI_CASE_WHOLE:
    CPI_CASE_HALVES: /* stored above */
    case CP_DEFAULT: break;
    }
    cpi_store_int(t, to, t == CP_UINT64 ? cps_f64_to_u64(re) : (uint64_t)cps_f64_to_i64(re));
}

/* Signed types keep their sign in the upper bits. */
CPI_RESULT uint64_t cpi_load_word(cp_type t, const void *from)
{
    switch (t) {
    case CP_INT8: return (uint64_t)(int64_t)*(const int8_t *)from;
    case CP_INT16: return (uint64_t)(int64_t)*(const int16_t *)from;
    case CP_UINT16: return *(const uint16_t *)from;
    case CP_INT32: return (uint64_t)(int64_t)*(const int32_t *)from;
    case CP_UINT32: return *(const uint32_t *)from;
    case CP_INT64:
    case CP_UINT64: return *(const uint64_t *)from;
    case CP_BOOL:
    case CP_UINT8:
    CPI_CASE_FLOATS: /* none come here */
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT: break;
    }
    return *(const uint8_t *)from;
}

CPI_RESULT cpi_pair cpi_load_number(cp_type t, const void *from)
{
    if (cpi_is_half(t)) return cps_pair64((double)cps_load_half(t, from, 0), 0);
    switch (t) {
    case CP_FLOAT32: return cps_pair64((double)*(const float *)from, 0);
    case CP_FLOAT64: return cps_pair64(*(const double *)from, 0);
    case CP_COMPLEX64: return cps_pair64((double)((const float *)from)[0], (double)((const float *)from)[1]);
    case CP_COMPLEX128: return cps_pair64(((const double *)from)[0], ((const double *)from)[1]);
    CPI_CASE_WHOLE:
    CPI_CASE_HALVES: /* loaded above */
    case CP_DEFAULT: break;
    }
    uint64_t v = cpi_load_word(t, from);
    return cps_pair64(t == CP_UINT64 ? (double)v : (double)(int64_t)v, 0);
}

/* Writes the result of integers that were gathered modulo 2^64, or exactly, to be finished as a number. */
CPI_RESULT void cpi_finalize_whole(const cpi_reduce_args *a, void *to, uint64_t v)
{
    bool is_signed = cpi_is_signed(a->type);
    if (!a->exact) cpi_store_int(a->result, to, v);
    else
        cpi_store_number(a->result, to,
                         cpi_finalize_number(a->op, is_signed ? (double)(int64_t)v : (double)v, a->reduced), 0);
}

#endif
