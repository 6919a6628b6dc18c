/* cuSOLVER, loaded on first use, not linked; and products by cuBLAS.
 *
 * A device has one handle, held by one thread at a time while it enqueues work. Workspace comes from the pool. A kernel
 * copies cuSOLVER's `info` to the stream's mailbox, so nothing waits here. */
#include "blas/blas_cuda.h"

#include <cusolverDn.h>
#include <pthread.h>

#include "linalg/cuda.h"

namespace {

#define SOLVER(X)                                                                                                \
    X(cusolverDnCreate) X(cusolverDnSetStream) X(cusolverDnXpotrf_bufferSize) X(cusolverDnXpotrf)                \
    X(cusolverDnXsyevd_bufferSize) X(cusolverDnXsyevd) X(cusolverDnXgesvd_bufferSize) X(cusolverDnXgesvd)        \
    X(cusolverDnXgeqrf_bufferSize) X(cusolverDnXgeqrf) X(cusolverDnSorgqr_bufferSize) X(cusolverDnSorgqr)        \
    X(cusolverDnDorgqr_bufferSize) X(cusolverDnDorgqr) X(cusolverDnCungqr_bufferSize) X(cusolverDnCungqr)        \
    X(cusolverDnZungqr_bufferSize) X(cusolverDnZungqr) X(cusolverDnCreateParams)                                 \
    X(cusolverDnXgetrf_bufferSize) X(cusolverDnXgetrf) X(cusolverDnXgetrs)
#define SOLVER_NEWER(X)                                                                                          \
    X(cusolverDnXsyevBatched_bufferSize) X(cusolverDnXsyevBatched) /* since CUDA 12.6 */                         \
    X(cusolverDnXgesvdp_bufferSize) X(cusolverDnXgesvdp) /* 11.1 */
#define SOLVER_JACOBI(X)                                                                                         \
    X(cusolverDnCreateSyevjInfo) X(cusolverDnSsyevjBatched_bufferSize) X(cusolverDnSsyevjBatched)                \
    X(cusolverDnDsyevjBatched_bufferSize) X(cusolverDnDsyevjBatched) X(cusolverDnCheevjBatched_bufferSize)       \
    X(cusolverDnCheevjBatched) X(cusolverDnZheevjBatched_bufferSize) X(cusolverDnZheevjBatched)
struct calls {
#define X(name) decltype(&::name) name;
    SOLVER(X) SOLVER_JACOBI(X) SOLVER_NEWER(X)
#undef X
} lib;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum state { UNKNOWN, THERE, ABSENT };
state solver_state;
cusolverDnHandle_t solver_handles[CPI_DEVICES];
cusolverDnParams_t defaults;
syevjInfo_t jacobi;

state open_solver()
{
    static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so", nullptr};
    void *found = cpi_cuda_library(names);
    if (!found) return ABSENT;
#define X(name) #name,
    static const char *const old[] = {SOLVER(X) SOLVER_JACOBI(X) nullptr}, *const newer[] = {SOLVER_NEWER(X) nullptr};
#undef X
    if (cpi_cuda_functions(found, old, &lib)) return ABSENT;
    cpi_cuda_functions(found, newer, &lib.cusolverDnXsyevBatched_bufferSize); /* which may be lacking */
    bool good = lib.cusolverDnCreateParams(&defaults) == CUSOLVER_STATUS_SUCCESS &&
                lib.cusolverDnCreateSyevjInfo(&jacobi) == CUSOLVER_STATUS_SUCCESS;
    return good ? THERE : ABSENT;
}

struct locked {
    locked() { pthread_mutex_lock(&lock); }
    ~locked() { pthread_mutex_unlock(&lock); }
};

/* Whether cuBLAS is there, without a record where it is not. */
bool has_blas(const char *what)
{
    static bool absent;
    char text[600];
    if (__atomic_load_n(&absent, __ATOMIC_RELAXED)) return false;
    if (cpi_cublas_open(what)) return true;
    cpi_host->take_error(text, sizeof text);
    __atomic_store_n(&absent, true, __ATOMIC_RELAXED);
    return false;
}

cp_code refused(const cpi_linalg *v, const char *name, int status)
{
    return cpi_host->fail(CP_ERROR_DEVICE, "%s: %s failed with status %d", v->function, name, status);
}

/* A call of cuSOLVER's: the handle, and the workspace that it asks for. */
struct solving {
    cp_stream *stream;
    const cpi_linalg *v;
    cusolverDnHandle_t handle = nullptr;
    cpi_la_scratch device, information;
    void *host = nullptr;
    int *info = nullptr;
    cudaDataType type, real;

    solving(cp_stream *s, const cpi_linalg *args) : stream(s), v(args), device(s), information(s)
    {
        bool wide = cpi_la_real_size(args->type) == 8;
        real = wide ? CUDA_R_64F : CUDA_R_32F;
        type = !cpi_la_complex(args->type) ? real : wide ? CUDA_C_64F : CUDA_C_32F;
    }
    ~solving() { cpi_host->free(host); }
    cp_code begin(int64_t matrices = 1)
    {
        cusolverDnHandle_t *h = solver_handles + stream->device->slot;
        /* Recorded calls would use, at the launch, workspace of the host that has ended: refused as CUDA refuses. */
        if (cpi_cuda_captured(stream))
            return cpi_cuda_check(stream, cudaStreamSynchronize(cpi_cuda_stream(stream)), v->function);
        cpi_cuda_relaxed relaxed;
        if (!*h && lib.cusolverDnCreate(h) != CUSOLVER_STATUS_SUCCESS) *h = nullptr;
        if (!*h || lib.cusolverDnSetStream(*h, cpi_cuda_stream(stream)) != CUSOLVER_STATUS_SUCCESS)
            return cpi_host->fail(CP_ERROR_DEVICE, "%s: cuSOLVER cannot be used here", v->function);
        handle = *h;
        info = information.get<int>(matrices);
        return info ? CP_OK : CP_ERROR_MEMORY;
    }
    cp_code space(size_t on_device, size_t on_host)
    {
        if (!device.get<char>((int64_t)on_device + 1)) return CP_ERROR_MEMORY;
        host = cpi_host->malloc(on_host + 1);
        return host ? CP_OK : CP_ERROR_MEMORY;
    }
    cp_code reported(int error, int64_t matrices = 1);
};

__global__ void carry(const int *info, la::wide matrices, unsigned *mailbox, unsigned error)
{
    for (la::wide i = threadIdx.x; i < matrices; i += blockDim.x)
        if (info[i] > 0) *mailbox = error;
}

/* Exchanges as getrf counts them, from 1; with NaN its row numbers may be out of range. pivots: from 0, or NULL. */
__global__ void exchanges_of(int64_t *pivot_rows, int n, int *pivots)
{
    int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= n) return;
    if (pivot_rows[i] <= i || pivot_rows[i] > n) pivot_rows[i] = i + 1;
    if (pivots) pivots[i] = (int)pivot_rows[i] - 1;
}

cp_code solving::reported(int error, int64_t matrices)
{
    cpi_la_error t;
    cp_code code = cpi_la_error_of(stream, v, error, &t);
    if (code) return code;
    carry<<<1, matrices > 1 ? 256 : 1, 0, cpi_cuda_stream(stream)>>>(info, matrices, t.mailbox, t.number);
    return CPI_LAUNCHED(stream, v->function);
}

/* The batch's matrix that the values or the memory `at` of so many bytes belong to: by the caller's loop. */
template <class T> T *matrix_of(void *base, int64_t i, int64_t bytes) { return (T *)((char *)base + i * bytes); }

#define TRY(call)                                                        \
    do {                                                                 \
        int status_ = (int)(call);                                       \
        if (status_) return refused(v, #call, status_);                  \
    } while (0)

} // namespace

bool cpi_la_library()
{
    locked l;
    if (solver_state == UNKNOWN) solver_state = open_solver();
    return solver_state == THERE;
}

/* C^T = B^T A^T in columns. A row-major operand is its own transpose there; a column-major one is passed as
 * transposed. */
bool cpi_la_library_product(cp_stream *stream, cp_type type, const cpi_la_operand *a, const cpi_la_operand *b, void *c,
                            int64_t ldc, int64_t next, int64_t batch, int m, int n, int k, bool assign, cp_code *code,
                            const char *what)
{
    auto form = [](const cpi_la_operand *o, cublasOperation_t *op, int64_t *ld) {
        bool rows = o->right == 1;
        *ld = rows ? o->down : o->right;
        *op = rows ? CUBLAS_OP_N : o->conjugate ? CUBLAS_OP_C : CUBLAS_OP_T;
        return rows ? !o->conjugate : o->down == 1;
    };
    cublasOperation_t op_a, op_b;
    int64_t lda, ldb;
    if (!form(a, &op_a, &lda) || !form(b, &op_b, &ldb) || batch >= INT_MAX || !has_blas(what)) return false;
    bool wide = cpi_la_real_size(type) == 8;
    cudaDataType t = cpi_la_complex(type) ? (wide ? CUDA_C_64F : CUDA_C_32F) : wide ? CUDA_R_64F : CUDA_R_32F;
    double alpha64[2] = {assign ? 1.0 : -1.0, 0}, beta64[2] = {assign ? 0.0 : 1.0, 0};
    float alpha32[2] = {assign ? 1.f : -1.f, 0}, beta32[2] = {assign ? 0.f : 1.f, 0};
    cpi_cublas_use use;
    if ((*code = cpi_cublas_take(what, stream, &use))) return true;
    cublasStatus_t status = use.call->cublasSetMathMode(use.handle, CUBLAS_DEFAULT_MATH); /* TF32 is for products */
    if (!status)
        status = use.call->cublasGemmStridedBatchedEx_64(
            use.handle, op_b, op_a, n, m, k, wide ? (void *)alpha64 : (void *)alpha32, b->at, t, ldb, b->next, a->at, t,
            lda, a->next, wide ? (void *)beta64 : (void *)beta32, c, t, ldc, next, batch,
            wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    *code = cpi_cublas_give(what, &use, status);
    return true;
}

cp_code cpi_la_library_cholesky(cp_stream *stream, const cpi_linalg *v, void *x)
{
    locked l;
    solving s(stream, v);
    int64_t n = v->n;
    size_t on_device = 0, on_host = 0;
    const cublasFillMode_t part = CUBLAS_FILL_MODE_LOWER; /* twice as fast as the other */
    cp_code code = s.begin();
    if (code) return code;
    TRY(lib.cusolverDnXpotrf_bufferSize(s.handle, nullptr, part, n, s.type, x, n, s.type, &on_device, &on_host));
    code = s.space(on_device, on_host);
    for (int64_t i = 0; i < v->batch && !code; i++) {
        TRY(lib.cusolverDnXpotrf(s.handle, nullptr, part, n, s.type,
                                 matrix_of<void>(x, i, n * n * (int64_t)cpi_la_size(v->type)), n, s.type,
                                 s.device.memory, on_device, s.host, on_host, s.info));
        code = s.reported(CPI_LINALG_NOT_POSITIVE);
    }
    return code;
}

cp_code cpi_la_library_lu(cp_stream *stream, const cpi_linalg *v, void *a, int *pivots, void *b, int64_t k)
{
    locked l;
    solving s(stream, v);
    cpi_la_scratch exchanges(stream);
    int64_t n = v->n, *pivot_rows = exchanges.get<int64_t>(n);
    size_t on_device = 0, on_host = 0;
    cp_code code = pivot_rows ? s.begin() : CP_ERROR_MEMORY;
    if (code) return code;
    TRY(lib.cusolverDnXgetrf_bufferSize(s.handle, defaults, n, n, s.type, a, n, s.type, &on_device, &on_host));
    code = s.space(on_device, on_host);
    if (code) return code;
    TRY(lib.cusolverDnXgetrf(s.handle, defaults, n, n, s.type, a, n, pivot_rows, s.type, s.device.memory, on_device,
                             s.host, on_host, s.info));
    exchanges_of<<<(unsigned)cpi_ceil_div(n, 256), 256, 0, cpi_cuda_stream(stream)>>>(pivot_rows, (int)n, pivots);
    if (b)
        TRY(lib.cusolverDnXgetrs(s.handle, defaults, CUBLAS_OP_N, n, k, s.type, a, n, pivot_rows, s.type, b, n,
                                 s.info));
    return CPI_LAUNCHED(stream, v->function);
}

cp_code cpi_la_library_triangles(cp_stream *stream, const cpi_linalg *v, const void *a, void *b, int64_t k)
{
    cpi_cublas_use use;
    int64_t n = v->n;
    const double one64[2] = {1, 0};
    const float one32[2] = {1, 0};
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
    cp_code code = cpi_cublas_take(v->function, stream, &use);
    if (code) return code;
    status = use.call->cublasSetMathMode(use.handle, CUBLAS_DEFAULT_MATH); /* TF32 is for products */
    for (int upper = 0; upper < 2 && !status; upper++) {
        cublasFillMode_t part = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
        cublasDiagType_t diagonal = upper ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT;
#define SOLVE(name, type, one)                                                                                  \
    status = use.call->name(use.handle, CUBLAS_SIDE_LEFT, part, CUBLAS_OP_N, diagonal, n, k, (const type *)one, \
                            (const type *)a, n, (type *)b, n)
        if (v->type == CP_FLOAT32) SOLVE(cublasStrsm_v2_64, float, one32);
        else if (v->type == CP_FLOAT64) SOLVE(cublasDtrsm_v2_64, double, one64);
        else if (v->type == CP_COMPLEX64) SOLVE(cublasCtrsm_v2_64, cuComplex, one32);
        else SOLVE(cublasZtrsm_v2_64, cuDoubleComplex, one64);
#undef SOLVE
    }
    return cpi_cublas_give(v->function, &use, status);
}

cp_code cpi_la_library_eigh_small(cp_stream *stream, const cpi_linalg *v, void *a, void *values, bool upper,
                                  bool vectors)
{
    locked l;
    solving s(stream, v);
    int n = (int)v->n, most = 0, batch = (int)v->batch;
    cublasFillMode_t part = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    cp_code code = s.begin(v->batch);
    if (code) return code;
#define SMALL(name, type, real)                                                                                      \
    do {                                                                                                             \
        TRY(lib.name##_bufferSize(s.handle, mode, part, n, (type *)a, n, (real *)values, &most, jacobi, batch));     \
        type *memory = s.device.get<type>(most + 1);                                                                 \
        if (!memory) return CP_ERROR_MEMORY;                                                                         \
        TRY(lib.name(s.handle, mode, part, n, (type *)a, n, (real *)values, memory, most, s.info, jacobi, batch));   \
    } while (0)
    if (v->type == CP_FLOAT32) SMALL(cusolverDnSsyevjBatched, float, float);
    else if (v->type == CP_FLOAT64) SMALL(cusolverDnDsyevjBatched, double, double);
    else if (v->type == CP_COMPLEX64) SMALL(cusolverDnCheevjBatched, cuComplex, float);
    else SMALL(cusolverDnZheevjBatched, cuDoubleComplex, double);
#undef SMALL
    return s.reported(CPI_LINALG_EIGENVALUES, v->batch);
}

bool cpi_la_library_has_batches()
{
    return cpi_la_library() && lib.cusolverDnXsyevBatched_bufferSize && lib.cusolverDnXsyevBatched;
}

cp_code cpi_la_library_eigh_batch(cp_stream *stream, const cpi_linalg *v, void *a, void *values, bool upper,
                                  bool vectors)
{
    locked l;
    solving s(stream, v);
    int64_t n = v->n;
    size_t on_device = 0, on_host = 0;
    cublasFillMode_t part = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    cp_code code = s.begin(v->batch);
    if (code) return code;
    TRY(lib.cusolverDnXsyevBatched_bufferSize(s.handle, defaults, mode, part, n, s.type, a, n, s.real, values, s.type,
                                              &on_device, &on_host, v->batch));
    code = s.space(on_device, on_host);
    if (code) return code;
    TRY(lib.cusolverDnXsyevBatched(s.handle, defaults, mode, part, n, s.type, a, n, s.real, values, s.type,
                                   s.device.memory, on_device, s.host, on_host, s.info, v->batch));
    return s.reported(CPI_LINALG_EIGENVALUES, v->batch);
}

cp_code cpi_la_library_eigh(cp_stream *stream, const cpi_linalg *v, void *a, void *values, bool upper, bool vectors)
{
    locked l;
    solving s(stream, v);
    int64_t n = v->n;
    size_t on_device = 0, on_host = 0;
    cublasFillMode_t part = upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    cp_code code = s.begin();
    if (code) return code;
    TRY(lib.cusolverDnXsyevd_bufferSize(s.handle, nullptr, mode, part, n, s.type, a, n, s.real, values, s.type,
                                        &on_device, &on_host));
    code = s.space(on_device, on_host);
    for (int64_t i = 0; i < v->batch && !code; i++) {
        TRY(lib.cusolverDnXsyevd(s.handle, nullptr, mode, part, n, s.type,
                                 matrix_of<void>(a, i, n * n * (int64_t)cpi_la_size(v->type)), n, s.real,
                                 matrix_of<void>(values, i, n * (int64_t)cpi_la_real_size(v->type)), s.type,
                                 s.device.memory, on_device, s.host, on_host, s.info));
        code = s.reported(CPI_LINALG_EIGENVALUES);
    }
    return code;
}

cp_code cpi_la_library_svd(cp_stream *stream, const cpi_linalg *v, void *a, int64_t m, int64_t n, void *u,
                           int64_t columns, void *values, void *vt)
{
    locked l;
    solving s(stream, v);
    size_t on_device = 0, on_host = 0;
    signed char job_u = !u ? 'N' : columns == m ? 'A' : 'S', job_v = u ? 'A' : 'N';
    cp_code code = s.begin();
    if (code) return code;
    TRY(lib.cusolverDnXgesvd_bufferSize(s.handle, nullptr, job_u, job_v, m, n, s.type, a, m, s.real, values, s.type, u,
                                        m, s.type, vt, n, s.type, &on_device, &on_host));
    code = s.space(on_device, on_host);
    if (code) return code;
    TRY(lib.cusolverDnXgesvd(s.handle, nullptr, job_u, job_v, m, n, s.type, a, m, s.real, values, s.type, u, m, s.type,
                             vt, n, s.type, s.device.memory, on_device, s.host, on_host, s.info));
    return s.reported(CPI_LINALG_SVD);
}

cp_code cpi_la_library_polar(cp_stream *stream, const cpi_linalg *v, void *a, int64_t m, int64_t n, void *u,
                             void *values, void *vectors, bool *good)
{
    locked l;
    solving s(stream, v);
    size_t on_device = 0, on_host = 0;
    double moved = 1; /* by how much it changed a matrix that it found singular */
    int reported = 1;
    *good = false;
    if (!lib.cusolverDnXgesvdp || !lib.cusolverDnXgesvdp_bufferSize || cpi_cuda_captured(stream)) return CP_OK;
    cp_code code = s.begin();
    if (code) return code;
    TRY(lib.cusolverDnXgesvdp_bufferSize(s.handle, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, s.type, a, m, s.real,
                                         values, s.type, u, m, s.type, vectors, n, s.type, &on_device, &on_host));
    code = s.space(on_device, on_host);
    if (code) return code;
    TRY(lib.cusolverDnXgesvdp(s.handle, nullptr, CUSOLVER_EIG_MODE_VECTOR, 1, m, n, s.type, a, m, s.real, values,
                              s.type, u, m, s.type, vectors, n, s.type, s.device.memory, on_device, s.host, on_host,
                              s.info, &moved));
    code = cpi_cuda_read(stream, &reported, s.info, sizeof reported);
    *good = !code && !reported && moved == 0;
    return code;
}

/* q (m x columns, whose first k are the reflections) becomes Q. */
static cp_code form_q(solving *s, void *q, int m, int columns, int k, const void *taus)
{
    const cpi_linalg *v = s->v;
    cpi_la_scratch work(s->stream);
    int n = 0;
#define FORM(name, type)                                                                                         \
    do {                                                                                                         \
        TRY(lib.name##_bufferSize(s->handle, m, columns, k, (type *)q, m, (const type *)taus, &n));              \
        type *memory = work.get<type>(n + 1);                                                                    \
        if (!memory) return CP_ERROR_MEMORY;                                                                     \
        TRY(lib.name(s->handle, m, columns, k, (type *)q, m, (const type *)taus, memory, n, s->info));           \
    } while (0)
    if (v->type == CP_FLOAT32) FORM(cusolverDnSorgqr, float);
    else if (v->type == CP_FLOAT64) FORM(cusolverDnDorgqr, double);
    else if (v->type == CP_COMPLEX64) FORM(cusolverDnCungqr, cuComplex);
    else FORM(cusolverDnZungqr, cuDoubleComplex);
#undef FORM
    return CPI_LAUNCHED(s->stream, v->function);
}

cp_code cpi_la_library_qr(cp_stream *stream, const cpi_linalg *v, void *a, void *taus, void *q, int64_t columns)
{
    locked l;
    solving s(stream, v);
    int64_t m = v->m, n = v->n, r = m < n ? m : n;
    size_t on_device = 0, on_host = 0;
    cp_code code = s.begin();
    if (code) return code;
    TRY(lib.cusolverDnXgeqrf_bufferSize(s.handle, nullptr, m, n, s.type, a, m, s.type, taus, s.type, &on_device,
                                        &on_host));
    code = s.space(on_device, on_host);
    if (code) return code;
    TRY(lib.cusolverDnXgeqrf(s.handle, nullptr, m, n, s.type, a, m, s.type, taus, s.type, s.device.memory, on_device,
                             s.host, on_host, s.info));
    if (!q) return CPI_LAUNCHED(stream, v->function);
    cudaError_t status = cudaMemcpyAsync(q, a, (size_t)(m * (columns < n ? columns : n)) * cpi_la_size(v->type),
                                         cudaMemcpyDeviceToDevice, cpi_cuda_stream(stream));
    code = cpi_cuda_issued(stream, status, v->function);
    return code ? code : form_q(&s, q, (int)m, (int)columns, (int)r, taus);
}
