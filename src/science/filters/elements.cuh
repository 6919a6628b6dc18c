/* Elements in the kernels of this module: as float64 for sums, as unsigned keys in the order of the numbers for
 * extremes and ranks. A type is a switch at run time: it is the same for all threads. */
#ifndef CPI_FILTERS_ELEMENTS_CUH
#define CPI_FILTERS_ELEMENTS_CUH

#include "filters/filters.h"
#include "scalar/convert.h"
#include "scalar/conversions.h"

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

#endif
