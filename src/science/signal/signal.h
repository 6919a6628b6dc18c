/* The slots that a backend fills for the module signal. */
#ifndef CPI_SIGNAL_H
#define CPI_SIGNAL_H

#include "backend/backend.h"
#include "cuprite/signal.h"
#include "loop/boundary.h"

#ifdef __cplusplus
extern "C" {
#endif

/* result[y, x] = sum over ky, kx of K[ky, kx] * I[origin_y + y + ky, origin_x + x + kx], where I is the image
 * continued beyond its edges by the boundary rule and K is the kernel, reversed along both axes where `flip`,
 * conjugated where `conjugate`. Everything is of one type, in C order, without gaps. */
typedef struct cpi_correlation {
    cp_type type;
    cpi_boundary boundary;
    bool flip, conjugate;
    bool bounded;               /* of one row: no products beyond the image's edge are formed (else 0 times an infinity
                                   in the kernel would be NaN); boundary is CONSTANT with 0 */
    int64_t image_h, image_w;   /* either may be 0 where boundary is CONSTANT */
    int64_t kernel_h, kernel_w; /* positive */
    int64_t h, w;               /* of the result; positive */
    int64_t origin_y, origin_x; /* > -kernel_h, > -kernel_w */
    const void *image, *kernel; /* device memory */
    void *result;               /* device memory; overlaps neither */
    double fill[2];             /* holds one element of `type` */
} cpi_correlation;

/* Of `count` frequencies six sums over n times (cp_trigonometric_sums): to[k * count + i]. All float64, dense. */
typedef struct cpi_trigonometric {
    int64_t n, count; /* positive */
    const double *x, *w, *v, *frequency;
    double *to;
} cpi_trigonometric;

/*: slot("correlate",
 *      bytes="(c->image_h * c->image_w + c->kernel_h * c->kernel_w + c->h * c->w) * (int64_t)cp_type_size(c->type)")
 * slot("trigonometric", bytes="24 * sums->n + 56 * sums->count") */
typedef struct cpi_signal_ops {
    /* Products are added with ky, then kx ascending within tiles of the kernel whose sizes depend on the
     * problem alone. float16 and bfloat16 add in float32 and round once. */
    cp_code (*correlate)(cp_stream *stream, const cpi_correlation *c);
    cp_code (*trigonometric)(cp_stream *stream, const cpi_trigonometric *sums);
} cpi_signal_ops;


#ifdef __cplusplus
}
#endif
#include "signal/slots.h"

#endif
