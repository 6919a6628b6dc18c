/* Linear filters along an axis: recurrences and filters with a change of the sampling rate.
 *
 * Results are new arrays of the operands' common type: float32, float64, complex64 or complex128 (half types give
 * float32, integers float64), on their device. Coefficients are read by the host, which waits for a device that has
 * them. CP_ERROR_VALUE for shapes that do not fit. */
#ifndef CUPRITE_LFILTER_H
#define CUPRITE_LFILTER_H

#include "array.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_lfilter_options {
    CP_OPTION(cp_axes, axis);  /* one axis; the last by default */
    CP_OPTION(cp_array *, zi); /* the state before the first element; zeros by default */
    CP_OPTION(cp_array **, zf); /* gets the state behind the last element, to be freed */
    int _;
} cp_lfilter_options;

/* scipy.signal.lfilter: a[0] y[n] = b[0] x[n] + ... - a[1] y[n-1] - ..., in transposed direct form II. b and a are 1-d,
 * a[0] is not 0. States: x's shape with max(len(a), len(b)) - 1 along the axis; zi may have 1 along other axes. */
CP_API cp_array *cp_lfilter(cp_array *b, cp_array *a, cp_array *x, const cp_lfilter_options *options);
#define cp_lfilter(...) CP_CALL3(cp_lfilter, cp_lfilter_options, __VA_ARGS__, ._ = 0)
/* scipy.signal.sosfilt: sections of second order, one after the other. sos: (sections, 6), each b0 b1 b2 1 a1 a2.
 * States: (sections, x's shape with 2 along the axis). */
CP_API cp_array *cp_sosfilt(cp_array *sos, cp_array *x, const cp_lfilter_options *options);
#define cp_sosfilt(...) CP_CALL2(cp_sosfilt, cp_lfilter_options, __VA_ARGS__, ._ = 0)

typedef struct cp_upfirdn_options {
    CP_OPTION(int64_t, up);   /* 1 when 0 */
    CP_OPTION(int64_t, down); /* 1 when 0 */
    CP_OPTION(cp_axes, axis); /* one axis; the last by default */
    int _;
} cp_upfirdn_options;
/* scipy.signal.upfirdn: up - 1 zeros behind each element, the filter h (1-d), every down-th element. */
CP_API cp_array *cp_upfirdn(cp_array *h, cp_array *x, const cp_upfirdn_options *options);
#define cp_upfirdn(...) CP_CALL2(cp_upfirdn, cp_upfirdn_options, __VA_ARGS__, ._ = 0)

#ifdef __cplusplus
}
#endif
#endif
