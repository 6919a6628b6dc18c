/* The slots that a backend fills for the module fft. */
#ifndef CPI_FFT_H
#define CPI_FFT_H

#include "backend/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cpi_fft_kind { CPI_FFT_C2C, CPI_FFT_R2C, CPI_FFT_C2R } cpi_fft_kind;

/* Transforms along one axis of an array, or several of a complex one. result = scale * sum over j of in[j] * exp(sign *
 * 2 pi i j k / n). R2C writes the first n / 2 + 1 results along the last of the axes; the other axes are complex
 * transforms of these. C2R reads as many, takes the others as their conjugates, and the imaginary parts of the first
 * one (and of the last one, n even) as 0. Steps are strides in bytes, of any sign. `in` and `out` do not overlap,
 * unless they are equal, with equal steps, and the kind is C2C. */
typedef struct cpi_fft_call {
    const char *function;
    cpi_fft_kind kind;
    bool ready;                 /* by kernels that need no library to be opened, where there are any (cp_fft_ready) */
    bool single;                /* float32 and complex64, else float64 and complex128 */
    int sign;                   /* -1: forward */
    double scale;
    int rank;                   /* axes that are transformed, from the last to the first: of C2R 1 */
    int64_t n[CP_MAXDIM], in_step[CP_MAXDIM], out_step[CP_MAXDIM]; /* of these; n > 0 */
    int ndim;                   /* the other axes */
    int64_t shape[CP_MAXDIM], in_stride[CP_MAXDIM], out_stride[CP_MAXDIM]; /* lengths > 0 */
    const void *in;
    void *out;
} cpi_fft_call;

/* Cosine and sine transforms of real numbers along an axis, types 1 to 4, scaled by `scale` only; orthogonal: the first
 * and last elements are weighted to make the transform orthogonal. `in` and `out` share no memory. */
enum { CPI_COSINE_MOST = 1 << 20 }; /* n is no larger */
typedef struct cpi_cosine_call {
    const char *function;
    bool single, sine, orthogonal;
    int type;
    double scale;
    int64_t n, in_step, out_step;
    int ndim;                   /* the other axes */
    int64_t shape[CP_MAXDIM], in_stride[CP_MAXDIM], out_stride[CP_MAXDIM]; /* lengths > 0 */
    const void *in;
    void *out;
} cpi_cosine_call;

/* State of a device's plan cache. */
typedef struct cpi_fft_cache {
    int64_t plans, most_plans;  /* kept now; at most */
    int64_t bytes, most_bytes;  /* their memory; -1: no limit but the device's */
    int64_t hits, misses;
} cpi_fft_cache;

/* Bytes that are read and written, of as many complex numbers as there are places. */
static inline int64_t cpi_fft_bytes(const cpi_fft_call *call)
{
    int64_t bytes = call->single ? 16 : 32;
    for (int d = 0; d < call->rank; d++) bytes *= call->n[d];
    for (int d = 0; d < call->ndim; d++) bytes *= call->shape[d];
    return bytes;
}

typedef struct cpi_fft_ops {
    cp_code (*transform)(cp_stream *stream, const cpi_fft_call *call);
    /* Sets the limits (plans -1, bytes -2: unchanged; bytes -1: none), clears the cache if `clear`, and returns its
     * state. */
    cp_code (*cache)(cp_stream *stream, int64_t most_plans, int64_t most_bytes, bool clear, cpi_fft_cache *now);
    /* NULL: the API layer composes them of `transform` and products, as it does for larger n. */
    cp_code (*cosine)(cp_stream *stream, const cpi_cosine_call *call);
} cpi_fft_ops;
/*: slot("transform", bytes="cpi_fft_bytes(call)") */
/*: slot("cosine", absent="cuda") */
/*: slot("cache", waits="true") */


#ifdef __cplusplus
}
#endif
#include "fft/slots.h"

#endif
