/* What the CUDA files of the room share: types as kernels know them, teams and where they work, troubles, and the
 * operations on blocks that several slots are made of. Dimensions are `int` for kernels: cpi_la_fits refuses others. */
#ifndef CPI_LINALG_CUDA_H
#define CPI_LINALG_CUDA_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/cuda.h"
#include "linalg/linalg.h"
#include "linalg/numbers.cuh"

/* f(T()) for the type of the kernels. */
template <class F> static inline cp_code cpi_la_with(cp_type type, F f)
{
    if (type == CP_FLOAT32) return f(float());
    if (type == CP_FLOAT64) return f(double());
    if (type == CP_COMPLEX64) return f(la::complex<float>());
    return f(la::complex<double>());
}
static inline size_t cpi_la_size(cp_type type)
{
    return type == CP_FLOAT32 ? 4 : type == CP_COMPLEX128 ? 16 : 8;
}
/* Blocks for n items, one each, at most `most`. */
static inline unsigned cpi_la_blocks(int64_t n, int64_t most) { return cpi_cuda_blocks(n, 1, most); }
static inline size_t cpi_la_real_size(cp_type type) { return type == CP_FLOAT32 || type == CP_COMPLEX64 ? 4 : 8; }
static inline bool cpi_la_complex(cp_type type) { return type == CP_COMPLEX64 || type == CP_COMPLEX128; }

/* CUPRITE_LINALG: "own": nothing of NVIDIA's libraries where it can be done without; "library": they wherever they can
 * do it (matrices of more than 32 columns); else what measured faster. For comparisons. */
enum cpi_la_way { CPI_LA_BEST, CPI_LA_OWN, CPI_LA_LIBRARY };
static inline cpi_la_way cpi_la_way_of()
{
    const char *way = getenv("CUPRITE_LINALG");
    return !way                      ? CPI_LA_BEST
           : !strcmp(way, "own")     ? CPI_LA_OWN
           : !strcmp(way, "library") ? CPI_LA_LIBRARY
                                     : CPI_LA_BEST;
}

static inline cp_code cpi_la_fits(const cpi_linalg *v)
{
    int64_t most = v->m > v->n ? v->m : v->n;
    if (v->k > most) most = v->k;
    return most < INT_MAX / 2 ? CP_OK
                              : cpi_host->fail(CP_ERROR_UNSUPPORTED, "%s: matrices of more than 2^30 rows or columns "
                                               "are not for GPUs", v->function);
}

/* Memory of the stream's, given back at the end of the block. */
struct cpi_la_scratch {
    cp_stream *stream;
    void *memory = nullptr;
    explicit cpi_la_scratch(cp_stream *s) : stream(s) {}
    ~cpi_la_scratch() { cpi_host->work_free(stream, memory); }
    cpi_la_scratch(const cpi_la_scratch &) = delete;
    template <class T> T *get(int64_t count)
    {
        memory = cpi_host->work_alloc(stream, (size_t)count * sizeof(T));
        return (T *)memory;
    }
};

/* Where a kernel tells a trouble. */
struct cpi_la_error {
    unsigned *mailbox;
    unsigned number;
};
static inline cp_code cpi_la_error_of(cp_stream *stream, const cpi_linalg *v, int error, cpi_la_error *t)
{
    static const char *const text[] = {"",
#define X(name, words) words,
                                       CPI_LINALG_ERRORS(X)
#undef X
    };
    t->number = cpi_cuda_late(CP_ERROR_LINALG, v->function, text[error]);
    t->mailbox = cpi_cuda_mailbox(stream);
    return t->mailbox ? CP_OK : CP_ERROR_MEMORY;
}

/* Dynamic shared memory that a block of ours may have, beside the static one. */
static inline int64_t cpi_la_shared(cp_stream *stream)
{
    static int known[CPI_DEVICES];
    int *most = known + stream->device->slot;
    if (!*most && (cudaDeviceGetAttribute(most, cudaDevAttrMaxSharedMemoryPerBlockOptin, stream->device->ordinal) !=
                       cudaSuccess || *most < 49152)) {
        cudaGetLastError();
        *most = 49152;
    }
    return *most - 3072;
}

/* Threads for a matrix with that many things to do at once. */
static inline int cpi_la_threads(int64_t things)
{
    int threads = 32;
    while (threads < 1024 && threads < things) threads *= 2;
    return threads;
}

/* Lets teams of `threads` work on matrices, `each` bytes a team: launch(first, end, grid, block, shared, outside). */
template <class K, class F>
static cp_code cpi_la_by_teams(cp_stream *stream, K *kernel, int64_t batch, int64_t each, int threads, const char *what,
                               F launch)
{
    cpi_la_scratch scratch(stream);
    unsigned char *outside = nullptr;
    int64_t together = batch < 1 << 30 ? batch : 1 << 30;
    int teams = 1;
    each = cpi_round_up(each, 16);
    if (each > cpi_la_shared(stream)) {
        if (together > 2 * cpi_cuda_units(stream)) together = 2 * cpi_cuda_units(stream);
        if (each > 4 * (int64_t)INT_MAX) /* kernels count a matrix's elements in 31 bits */
            return cpi_host->fail(CP_ERROR_UNSUPPORTED,
                                  "%s: matrices of this size need cuSOLVER (libcusolver.so), which is "
                                  "not there",
                                  what);
        outside = scratch.get<unsigned char>(together * each);
        if (!outside) return CP_ERROR_MEMORY;
    } else {
        while (threads == 32 && teams < 8 && teams < batch && 2 * teams * each <= 24576) teams *= 2;
        cp_code code = each > 49152 - 3072 ? cpi_cuda_allow(stream, kernel, each, what) : CP_OK;
        if (code) return code;
    }
    for (int64_t first = 0; first < batch; first += together) {
        int64_t end = first + together < batch ? first + together : batch;
        launch((la::wide)first, (la::wide)end, (unsigned)cpi_ceil_div(end - first, teams),
               dim3((unsigned)threads, (unsigned)teams), outside ? 0 : (size_t)(each * teams), (la::wide)each, outside);
        cp_code code = CPI_LAUNCHED(stream, what);
        if (code) return code;
    }
    return CP_OK;
}

/* --- blocks_cuda.cu --- */

/* op(A), an operand of products: element (i, j) at `at` + i * down + j * right, matrices `next` apart. */
struct cpi_la_operand {
    const void *at;
    int64_t down, right, next;
    bool conjugate;
};
/* C -= A B (`assign`: C = A B), C m x n in rows of ldc; `lower`: only at and below the diagonal need be done. */
cp_code cpi_la_product(cp_stream *stream, cp_type type, cpi_la_operand a, cpi_la_operand b, void *c, int64_t ldc,
                       int64_t next, int64_t batch, int m, int n, int k, bool assign, bool lower, const char *what);
/* op(A) X = B in place: X n x k in rows of ldx; op(A)'s `lower` or upper triangle. */
cp_code cpi_la_triangle(cp_stream *stream, cp_type type, cpi_la_operand a, bool lower, bool unit, void *x, int64_t ldx,
                        int64_t next, int64_t batch, int n, int k, const char *what);
/* y = x transposed, m x n to n x m, without gaps. */
cp_code cpi_la_transpose(cp_stream *stream, cp_type type, const void *x, void *y, int64_t batch, int m, int n,
                         bool conjugate, const char *what);

/* --- implicit_cuda.cu, wy_cuda.cu, warp_lu_cuda.cu --- */

enum { CPI_LA_IMPLICIT = 1024 }; /* rows at most */
cp_code cpi_la_implicit_lu(cp_stream *stream, const cpi_linalg *v);
/* v->b NULL: the inverse, k = n. */
cp_code cpi_la_implicit_solve(cp_stream *stream, const cpi_linalg *v, int64_t k);
cp_code cpi_la_implicit_det(cp_stream *stream, const cpi_linalg *v);
/* What a mode of QR asks for. */
struct cpi_la_qr_wanted {
    int rows, columns; /* of R; of Q, 0: none */
    bool raw;
};

static inline cpi_la_qr_wanted cpi_la_qr_wanted_of(const cpi_linalg *v)
{
    int m = (int)v->m, r = v->m < v->n ? (int)v->m : (int)v->n;
    switch (v->mode) {
    case CPI_QR_REDUCED: return {r, r, false};
    case CPI_QR_COMPLETE: return {m, m, false};
    case CPI_QR_R: return {r, 0, false};
    case CPI_QR_RAW: return {r, 0, true};
    }
    return {r, 0, false};
}

/* Whether QR has such a way for these matrices, and that way. */
bool cpi_la_has_reflections(cp_stream *stream, const cpi_linalg *v);
cp_code cpi_la_reflections(cp_stream *stream, const cpi_linalg *v);
/* The same of solve and (v->b NULL) inv of small matrices. */
bool cpi_la_has_batch(const cpi_linalg *v);
cp_code cpi_la_batch(cp_stream *stream, const cpi_linalg *v);

/* --- lu_cuda.cu, qr_cuda.cu, spectra_cuda.cu --- */
/* Where a diagonal has a zero: the trouble SINGULAR. */
cp_code cpi_la_regular(cp_stream *stream, const cpi_linalg *v, const void *a, int64_t stride, int64_t next);

/* --- solver_cuda.cu: cuSOLVER and cuBLAS, opened on first use --- */
/* Whether they can be had on this machine. */
bool cpi_la_library();
/* C = A B or C -= A B as above by cuBLAS; false: nothing was done (no library, or operands that it has no form for). */
bool cpi_la_library_product(cp_stream *stream, cp_type type, const cpi_la_operand *a, const cpi_la_operand *b, void *c,
                            int64_t ldc, int64_t next, int64_t batch, int m, int n, int k, bool assign, cp_code *code,
                            const char *what);
/* Each of these works on matrices in columns, in place, and lets the stream's mailbox know what `info` says. */
cp_code cpi_la_library_cholesky(cp_stream *stream, const cpi_linalg *v, void *x);
/* One a (n x n) becomes its factors; pivots: its exchanges, from 0, or NULL; b (n x k), or NULL, the solution. What the
 * diagonal tells the caller looks for: `info` is not read. */
cp_code cpi_la_library_lu(cp_stream *stream, const cpi_linalg *v, void *a, int *pivots, void *b, int64_t k);
/* b (n x k) becomes U^-1 L^-1 b, of one such a's factors. */
cp_code cpi_la_library_triangles(cp_stream *stream, const cpi_linalg *v, const void *a, void *b, int64_t k);
/* Whether many Hermitian matrices are one call, and that call: for the rest as the next. */
bool cpi_la_library_has_batches();
cp_code cpi_la_library_eigh_batch(cp_stream *stream, const cpi_linalg *v, void *a, void *values, bool upper,
                                  bool vectors);
/* The same for at most 32 rows, by rotations. */
cp_code cpi_la_library_eigh_small(cp_stream *stream, const cpi_linalg *v, void *a, void *values, bool upper,
                                  bool vectors);
/* a (n x n) becomes the vectors, a column each, where `vectors`; `upper`: of what lies in columns. */
cp_code cpi_la_library_eigh(cp_stream *stream, const cpi_linalg *v, void *a, void *values, bool upper, bool vectors);
/* a (m x n, m >= n, in columns, is destroyed) = U S V^H: u m x columns, v n x n, in columns, NULL: not wanted. */
cp_code cpi_la_library_svd(cp_stream *stream, const cpi_linalg *v, void *a, int64_t m, int64_t n, void *u,
                           int64_t columns, void *s, void *vectors);
/* The same by the polar decomposition, m x n vectors u and n x n vectors V, not V^H, in columns. It waits. Not `good`:
 * a was singular, which it does not do well, or this is not a time to wait; a is destroyed nevertheless. */
cp_code cpi_la_library_polar(cp_stream *stream, const cpi_linalg *v, void *a, int64_t m, int64_t n, void *u,
                             void *values, void *vectors, bool *good);
/* a (m x n, in columns) becomes what geqrf leaves; and its first `columns` columns of Q in q, m x columns. */
cp_code cpi_la_library_qr(cp_stream *stream, const cpi_linalg *v, void *a, void *taus, void *q, int64_t columns);

#endif
