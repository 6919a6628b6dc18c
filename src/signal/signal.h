/* The slots a backend fills for the room signal. */
#ifndef CPI_SIGNAL_H
#define CPI_SIGNAL_H

#include "backend/backend.h"
#include "cuprite/signal.h"

#ifdef __cplusplus
extern "C" {
#endif

/* result[y, x] = sum over ky, kx of K[ky, kx] * I[origin_y + y + ky, origin_x + x + kx], where I is the image
 * continued beyond its edges by the boundary rule and K is the kernel, reversed along both axes where `flip`,
 * conjugated where `conjugate`. Everything is of one type, in C order, without gaps. */
typedef struct cpi_correlation {
    cp_type type;
    cp_boundary boundary;
    bool flip, conjugate;
    bool bounded;               /* of one row: no product with what lies beyond the image is formed (else 0 times an
                                 * infinity in the kernel would be NaN); boundary is FILL with 0 */
    int64_t image_h, image_w;   /* either may be 0 where boundary is FILL */
    int64_t kernel_h, kernel_w; /* positive */
    int64_t h, w;               /* of the result; positive */
    int64_t origin_y, origin_x; /* > -kernel_h, > -kernel_w */
    const void *image, *kernel; /* device memory */
    void *result;               /* device memory; overlaps neither */
    double fill[2];             /* holds one element of `type` */
} cpi_correlation;

typedef struct cpi_signal_ops {
    /* Products are added with ky, then kx ascending within tiles of the kernel whose sizes depend on the
     * problem alone. float16 and bfloat16 add in float32 and round once. */
    cp_code (*correlate)(cp_stream *stream, const cpi_correlation *c);
} cpi_signal_ops;


/* Where index i of the continued axis lies in the image's n elements; -1: beyond it, the fill value. n > 0
 * unless boundary is FILL. */
#ifdef __CUDACC__
__host__ __device__
#endif
static inline int64_t cpi_boundary_index(int64_t i, int64_t n, cp_boundary boundary)
{
    if (i >= 0 && i < n) return i;
    if (boundary == CP_BOUNDARY_FILL) return -1;
    if (boundary == CP_BOUNDARY_WRAP) {
        i %= n;
        return i < 0 ? i + n : i;
    }
    if (i < 0) i = -1 - i; /* the mirror image left of the edge starts with element 0 */
    i %= 2 * n;
    return i < n ? i : 2 * n - 1 - i;
}

#ifdef __cplusplus
}
#endif
#include "signal/slots.h"

#endif
