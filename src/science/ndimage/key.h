/* One element of a real array as a number, as a label and as a sort key: the same code for C and CUDA.
 *
 * A label is compared as a 64-bit key. Labels fall in three domains (signed integers and bool; uint64; floating)
 * and an index is brought into the domain of the labels, so that equal numbers have equal keys and keys order
 * as the numbers do. What has no key (NaN, a number outside the domain) equals no label. */
#ifndef CPI_NDIMAGE_KEY_H
#define CPI_NDIMAGE_KEY_H

#include "core/array.h"
#include "scalar/halves.h"

#ifdef __CUDACC__
#define CPI_BOTH static __host__ __device__ __forceinline__
#else
#define CPI_BOTH static inline
#endif

typedef enum cpi_domain { CPI_DOMAIN_INT, CPI_DOMAIN_UINT64, CPI_DOMAIN_FLOAT } cpi_domain;

CPI_BOTH cpi_domain cpi_domain_of(cp_type t)
{
    return t == CP_UINT64 ? CPI_DOMAIN_UINT64 : cpi_is_float(t) ? CPI_DOMAIN_FLOAT : CPI_DOMAIN_INT;
}

CPI_BOTH uint64_t cpi_bits_of_double(double d)
{
    union { uint64_t u; double d; } v;
    v.d = d;
    return v.u;
}
/* Element i as an integer: integer types and bool; uint64 as its bits. */
CPI_BOTH int64_t cpi_load_int(cp_type t, const void *p, int64_t i)
{
    switch (t) {
    case CP_BOOL: return ((const uint8_t *)p)[i] != 0;
    case CP_INT8: return ((const int8_t *)p)[i];
    case CP_UINT8: return ((const uint8_t *)p)[i];
    case CP_INT16: return ((const int16_t *)p)[i];
    case CP_UINT16: return ((const uint16_t *)p)[i];
    case CP_INT32: return ((const int32_t *)p)[i];
    case CP_UINT32: return ((const uint32_t *)p)[i];
    case CP_INT64:
    case CP_UINT64:
    CPI_CASE_FLOATS: /* none come here */
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT: break;
    }
    return ((const int64_t *)p)[i];
}
/* Element i as a double; 64-bit integers are rounded. */
CPI_BOTH double cpi_load_double(cp_type t, const void *p, int64_t i)
{
    if (cpi_is_half(t)) return cps_load_half(t, p, i);
    switch (t) {
    case CP_FLOAT64: return ((const double *)p)[i];
    case CP_FLOAT32: return ((const float *)p)[i];
    CPI_CASE_WHOLE:
    CPI_CASE_HALVES:    /* loaded above */
    CPI_CASE_COMPLEXES: /* none come here */
    case CP_DEFAULT: break;
    }
    int64_t v = cpi_load_int(t, p, i);
    return t == CP_UINT64 ? (double)(uint64_t)v : (double)v;
}

/* Orders as the numbers do, 0 and -0 alike; NaNs are all `nan`. */
CPI_BOTH uint64_t cpi_order_double(double d, uint64_t nan)
{
    if (d != d) return nan;
    if (d == 0) return (uint64_t)1 << 63;
    uint64_t u = cpi_bits_of_double(d);
    return u >> 63 ? ~u : u | (uint64_t)1 << 63;
}
/* Sort key of element i within its type. */
CPI_BOTH uint64_t cpi_load_order(cp_type t, const void *p, int64_t i, uint64_t nan)
{
    if (cpi_is_float(t)) return cpi_order_double(cpi_load_double(t, p, i), nan);
    uint64_t u = (uint64_t)cpi_load_int(t, p, i);
    return t == CP_UINT64 ? u : u ^ (uint64_t)1 << 63;
}

CPI_BOTH bool cpi_double_key(double d, int64_t *key)
{
    *key = (int64_t)(cpi_order_double(d, 0) ^ (uint64_t)1 << 63);
    return d == d;
}
/* The key of label i, in the domain of its own type; false when it has none. */
CPI_BOTH bool cpi_label_key(cp_type t, const void *p, int64_t i, int64_t *key)
{
    if (cpi_is_float(t)) return cpi_double_key(cpi_load_double(t, p, i), key);
    uint64_t u = (uint64_t)cpi_load_int(t, p, i);
    *key = (int64_t)(t == CP_UINT64 ? u ^ (uint64_t)1 << 63 : u);
    return true;
}
/* The key of element i of an index, in the domain of the labels. Floating indices of integer labels are cut
 * towards 0, as SciPy does. */
CPI_BOTH bool cpi_index_key(cp_type t, const void *p, int64_t i, cpi_domain domain, int64_t *key)
{
    if (domain == CPI_DOMAIN_FLOAT) return cpi_double_key(cpi_load_double(t, p, i), key);
    bool there = true, wide = t == CP_UINT64;
    int64_t v = 0;
    if (cpi_is_float(t)) {
        double d = cpi_load_double(t, p, i);
        if (domain == CPI_DOMAIN_UINT64 && d >= 0x1p63 && d < 0x1p64) {
            v = (int64_t)(uint64_t)d;
            wide = true;
        } else {
            there = d >= -0x1p63 && d < 0x1p63;
            if (there) v = (int64_t)d;
        }
    } else {
        v = cpi_load_int(t, p, i);
    }
    if (domain == CPI_DOMAIN_INT) {
        if (wide && v < 0) there = false;
        *key = v;
    } else {
        if (!wide && v < 0) there = false;
        *key = (int64_t)((uint64_t)v ^ (uint64_t)1 << 63);
    }
    return there;
}
/* The key of label 1 and of label 0 in a domain. */
CPI_BOTH int64_t cpi_small_key(int64_t label, cpi_domain domain)
{
    int64_t key = label;
    if (domain == CPI_DOMAIN_UINT64) key = (int64_t)((uint64_t)label ^ (uint64_t)1 << 63);
    if (domain == CPI_DOMAIN_FLOAT) cpi_double_key((double)label, &key);
    return key;
}

#endif
