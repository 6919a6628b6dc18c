/* Elements in the kernels of this module: as float64 for sums, as unsigned keys in the order of the numbers for
 * extremes and ranks. A type is a switch at run time: it is the same for all threads. */
#ifndef CPI_FILTERS_CUH
#define CPI_FILTERS_CUH

#include "cuda/cuda.h"
#include "filters/filters.h"
#include "scalar/convert.h"
#include "scalar/conversions.h"

enum { FILTER_THREADS = 256 };

/* Cases of the small floating types. */
#define FILTER_LOAD(A, s) case CPS_ENUM_##s: return cps_##s##_to_f64(((const CPS_CTYPE_##s *)p)[i]);
#define FILTER_STORE(A, s) case CPS_ENUM_##s: ((CPS_CTYPE_##s *)p)[i] = cps_f64_to_##s(v); break;
#define FILTER_KEY(A, s)                                                                                              \
    case CPS_ENUM_##s:                                                                                                \
        return filter_float_key<uint32_t>(((const CPS_CTYPE_##s *)p)[i], cps_f64_to_##s(FILTER_INFINITY), 0x8000u,   \
                                          nan_low);
#define FILTER_SET_KEY(A, s)                                                                                          \
    case CPS_ENUM_##s:                                                                                                \
        ((CPS_CTYPE_##s *)p)[i] =                                                                                     \
            (CPS_CTYPE_##s)filter_float_bits<uint32_t>((uint32_t)k, cps_f64_to_##s(FILTER_QUIET), 0x8000u);          \
        break;
#define FILTER_INFINITY __longlong_as_double(0x7ff0000000000000ll)
#define FILTER_QUIET __longlong_as_double(0x7ff8000000000000ll)

__device__ __forceinline__ double filter_load(cp_type t, const void *p, int64_t i)
{
    switch ((int)t) {
    case CP_BOOL: case CP_UINT8: return ((const uint8_t *)p)[i];
    case CP_INT8: return ((const int8_t *)p)[i];
    case CP_UINT16: return ((const uint16_t *)p)[i];
    case CP_INT16: return ((const int16_t *)p)[i];
    case CP_UINT32: return ((const uint32_t *)p)[i];
    case CP_INT32: return ((const int32_t *)p)[i];
    case CP_UINT64: return (double)((const uint64_t *)p)[i];
    case CP_INT64: return (double)((const int64_t *)p)[i];
        CPS_HALVES(FILTER_LOAD, )
    case CP_FLOAT32: return ((const float *)p)[i];
    default: return ((const double *)p)[i];
    }
}

__device__ __forceinline__ void filter_store(cp_type t, void *p, int64_t i, double v)
{
    switch ((int)t) {
    case CP_BOOL: ((uint8_t *)p)[i] = fabs(v) >= 1; break;
    case CP_UINT8: ((uint8_t *)p)[i] = cps_f64_to_u8(v); break;
    case CP_INT8: ((int8_t *)p)[i] = cps_f64_to_i8(v); break;
    case CP_UINT16: ((uint16_t *)p)[i] = cps_f64_to_u16(v); break;
    case CP_INT16: ((int16_t *)p)[i] = cps_f64_to_i16(v); break;
    case CP_UINT32: ((uint32_t *)p)[i] = cps_f64_to_u32(v); break;
    case CP_INT32: ((int32_t *)p)[i] = cps_f64_to_i32(v); break;
    case CP_UINT64: ((uint64_t *)p)[i] = cps_f64_to_u64(v); break;
    case CP_INT64: ((int64_t *)p)[i] = cps_f64_to_i64(v); break;
        CPS_HALVES(FILTER_STORE, )
    case CP_FLOAT32: ((float *)p)[i] = cps_f64_to_f32(v); break;
    default: ((double *)p)[i] = v;
    }
}

/* Bits of a floating number as a key: negative ones are turned round, NaN is above (or below) all. */
template <class U> __device__ __forceinline__ U filter_float_key(U bits, U infinity, U sign, bool nan_low)
{
    if ((bits & (U)(sign - 1)) > infinity) return nan_low ? 0 : (U)(2 * (sign - 1) + 1);
    return bits & sign ? (U)(~bits & (U)(2 * (sign - 1) + 1)) : (U)(bits | sign);
}
template <class U> __device__ __forceinline__ U filter_float_bits(U key, U quiet, U sign)
{
    if (key == 0 || key == (U)(2 * (sign - 1) + 1)) return quiet;
    return key & sign ? (U)(key ^ sign) : (U)(~key & (U)(2 * (sign - 1) + 1));
}

/* The bits of a type's keys. */
static inline int filter_key_bits(cp_type t) { return (int)cpi_itemsize(t) * 8; }

template <class K> __device__ __forceinline__ K filter_key(cp_type t, const void *p, int64_t i, bool nan_low)
{
    switch ((int)t) {
    case CP_BOOL: case CP_UINT8: return ((const uint8_t *)p)[i];
    case CP_INT8: return (uint8_t)(((const uint8_t *)p)[i] ^ 0x80);
    case CP_UINT16: return ((const uint16_t *)p)[i];
    case CP_INT16: return (uint16_t)(((const uint16_t *)p)[i] ^ 0x8000);
    case CP_UINT32: return ((const uint32_t *)p)[i];
    case CP_INT32: return ((const uint32_t *)p)[i] ^ 0x80000000u;
        CPS_HALVES(FILTER_KEY, )
    case CP_FLOAT32: return filter_float_key<uint32_t>(((const uint32_t *)p)[i], 0x7f800000u, 0x80000000u, nan_low);
    case CP_UINT64: return (K)((const uint64_t *)p)[i];
    case CP_INT64: return (K)(((const uint64_t *)p)[i] ^ 0x8000000000000000ull);
    default:
        return (K)filter_float_key<uint64_t>(((const uint64_t *)p)[i], 0x7ff0000000000000ull, 0x8000000000000000ull,
                                             nan_low);
    }
}

template <class K> __device__ __forceinline__ void filter_set_key(cp_type t, void *p, int64_t i, K k)
{
    switch ((int)t) {
    case CP_BOOL: case CP_UINT8: ((uint8_t *)p)[i] = (uint8_t)k; break;
    case CP_INT8: ((uint8_t *)p)[i] = (uint8_t)(k ^ 0x80); break;
    case CP_UINT16: ((uint16_t *)p)[i] = (uint16_t)k; break;
    case CP_INT16: ((uint16_t *)p)[i] = (uint16_t)(k ^ 0x8000); break;
    case CP_UINT32: ((uint32_t *)p)[i] = (uint32_t)k; break;
    case CP_INT32: ((uint32_t *)p)[i] = (uint32_t)k ^ 0x80000000u; break;
        CPS_HALVES(FILTER_SET_KEY, )
    case CP_FLOAT32:
        ((uint32_t *)p)[i] = filter_float_bits<uint32_t>((uint32_t)k, 0x7fc00000u, 0x80000000u);
        break;
    case CP_UINT64: ((uint64_t *)p)[i] = k; break;
    case CP_INT64: ((uint64_t *)p)[i] = (uint64_t)k ^ 0x8000000000000000ull; break;
    default:
        ((uint64_t *)p)[i] = filter_float_bits<uint64_t>((uint64_t)k, 0x7ff8000000000000ull, 0x8000000000000000ull);
    }
}

/* --- the padded image (padded_cuda.cu) --- */

/* What elements become in the padded image. */
enum filter_form { FILTER_NUMBERS, FILTER_KEYS32, FILTER_KEYS64, FILTER_BYTES };
struct filter_padded {
    char *data;                                   /* workspace */
    int64_t total, strides[CP_MAXDIM];            /* in elements */
};
struct filter_padding {
    int ndim;
    const int64_t *shape, *before, *size;
    cpi_boundary boundary;
    cp_type type;
    const void *in;
    double fill;
    filter_form form;
    bool nan_low;
};
cp_code cpi_filter_pad_cuda(cp_stream *stream, const filter_padding *p, filter_padded *to);
static inline filter_form filter_keys_of(cp_type t) { return cpi_itemsize(t) == 8 ? FILTER_KEYS64 : FILTER_KEYS32; }

/* The offsets of positions of a window (all of them: taps NULL) in the padded image, in device memory (workspace). */
int64_t *cpi_filter_offsets_cuda(cp_stream *stream, int ndim, const int64_t *size, const int64_t *strides, int64_t n,
                                 const int64_t *taps);

/* An image's shape and where its windows begin in the padded one. */
struct filter_starts {
    int ndim;
    int64_t total, shape[CP_MAXDIM], strides[CP_MAXDIM];
};
filter_starts cpi_filter_starts_cuda(int ndim, const int64_t *shape, const int64_t *strides);

template <class I> __device__ __forceinline__ int64_t filter_start(const filter_starts &p, I i)
{
    int64_t at = 0;
    for (int d = p.ndim - 1; d > 0; d--) {
        const I n = (I)p.shape[d], rest = i / n;
        at += (int64_t)(i - rest * n) * p.strides[d];
        i = rest;
    }
    return at + (int64_t)i * p.strides[0];
}

/* Blocks for n elements, and whether 32 bits count them. */
static inline unsigned filter_blocks(int64_t n) { return cpi_cuda_blocks(n, FILTER_THREADS, 1 << 30); }
static inline bool filter_is_small(int64_t n) { return n < (int64_t)1 << 31; }

#endif
