/* cuSOLVER and cuBLAS, opened when first needed; nothing of them is linked.
 *
 * A device has one handle of each, used by one thread at a time while it gives work to a stream. Workspace is the
 * pool's. What cuSOLVER tells by `info` a kernel carries to the stream's mailbox, so nobody waits for it here. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wswitch-enum" /* of cuBLAS' own switches */
#include <cublas_v2.h>
#pragma GCC diagnostic pop
#include <cusolverDn.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "linalg/cuda.h"

namespace {

#define BLAS(X) X(cublasCreate_v2) X(cublasSetStream_v2)
#define SOLVER(X)                                                                                                \
    X(cusolverDnCreate) X(cusolverDnSetStream) X(cusolverDnXpotrf_bufferSize) X(cusolverDnXpotrf)                \
    X(cusolverDnXsyevd_bufferSize) X(cusolverDnXsyevd) X(cusolverDnXgesvd_bufferSize) X(cusolverDnXgesvd)        \
    X(cusolverDnXgeqrf_bufferSize) X(cusolverDnXgeqrf) X(cusolverDnSorgqr_bufferSize) X(cusolverDnSorgqr)        \
    X(cusolverDnDorgqr_bufferSize) X(cusolverDnDorgqr) X(cusolverDnCungqr_bufferSize) X(cusolverDnCungqr)        \
    X(cusolverDnZungqr_bufferSize) X(cusolverDnZungqr)
struct calls {
#define X(name) decltype(&::name) name;
    BLAS(X) SOLVER(X)
#undef X
    /* in C++ there are two of this name */
    cublasStatus_t (*product)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,
                              const void *, cudaDataType, int, long long, const void *, cudaDataType, int, long long,
                              const void *, void *, cudaDataType, int, long long, int, cublasComputeType_t,
                              cublasGemmAlgo_t);
} lib;

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
enum state { UNKNOWN, THERE, ABSENT };
state blas_state, solver_state;
cublasHandle_t blas_handles[CPI_DEVICES];
cusolverDnHandle_t solver_handles[CPI_DEVICES];

/* By its name alone, in the toolkit's folder, in those of CUPRITE_LIBRARY_PATH. */
void *open_library(const char *const names[2])
{
    char folders[8192], path[1200];
    const char *own = getenv("CUPRITE_LIBRARY_PATH"), *home = getenv("CUDA_PATH");
    snprintf(folders, sizeof folders, "%s:%s/lib64:/usr/local/cuda/lib64", own ? own : "", home ? home : "");
    for (int i = 0; i < 2; i++)
        if (void *found = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL)) return found;
    for (char *rest = folders, *folder; (folder = strsep(&rest, ":")) != nullptr;)
        for (int i = 0; i < 2; i++) {
            snprintf(path, sizeof path, "%s/%s", folder, names[i]);
            void *found = *folder == '/' && access(path, R_OK) == 0 ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : nullptr;
            if (found) return found;
        }
    return nullptr;
}

state open_blas()
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12"};
    void *found = open_library(names);
    if (!found) return ABSENT;
#define X(name)                                          \
    *(void **)&lib.name = dlsym(found, #name);           \
    if (!lib.name) return ABSENT;
    BLAS(X)
#undef X
    *(void **)&lib.product = dlsym(found, "cublasGemmStridedBatchedEx");
    return lib.product ? THERE : ABSENT;
}

state open_solver()
{
    static const char *const names[] = {"libcusolver.so.12", "libcusolver.so.11"};
    void *found = open_library(names);
    if (!found) return ABSENT;
#define X(name)                                          \
    *(void **)&lib.name = dlsym(found, #name);           \
    if (!lib.name) return ABSENT;
    SOLVER(X)
#undef X
    return THERE;
}

struct locked {
    locked() { pthread_mutex_lock(&lock); }
    ~locked() { pthread_mutex_unlock(&lock); }
};

/* Under the lock. NULL: there is none. */
cublasHandle_t blas_of(cp_stream *stream)
{
    cublasHandle_t *h = blas_handles + stream->device->slot;
    if (blas_state == UNKNOWN) blas_state = open_blas();
    if (blas_state == ABSENT) return nullptr;
    cpi_cuda_relaxed relaxed;
    if (!*h && lib.cublasCreate_v2(h) != CUBLAS_STATUS_SUCCESS) *h = nullptr;
    if (!*h || lib.cublasSetStream_v2(*h, cpi_cuda_stream(stream)) != CUBLAS_STATUS_SUCCESS) return nullptr;
    return *h;
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
    cp_code begin()
    {
        cusolverDnHandle_t *h = solver_handles + stream->device->slot;
        cpi_cuda_relaxed relaxed;
        if (!*h && lib.cusolverDnCreate(h) != CUSOLVER_STATUS_SUCCESS) *h = nullptr;
        if (!*h || lib.cusolverDnSetStream(*h, cpi_cuda_stream(stream)) != CUSOLVER_STATUS_SUCCESS)
            return cpi_host->fail(CP_ERROR_DEVICE, "%s: cuSOLVER cannot be used here", v->function);
        handle = *h;
        info = information.get<int>(1);
        return info ? CP_OK : CP_ERROR_MEMORY;
    }
    cp_code space(size_t on_device, size_t on_host)
    {
        if (!device.get<char>((int64_t)on_device + 1)) return CP_ERROR_MEMORY;
        host = cpi_host->malloc(on_host + 1);
        return host ? CP_OK : CP_ERROR_MEMORY;
    }
    cp_code told(int trouble);
};

__global__ void carry(const int *info, unsigned *mailbox, unsigned trouble)
{
    if (*info > 0) *mailbox = trouble;
}

cp_code solving::told(int trouble)
{
    cpi_la_trouble t;
    cp_code code = cpi_la_trouble_of(stream, v, trouble, &t);
    if (code) return code;
    carry<<<1, 1, 0, cpi_cuda_stream(stream)>>>(info, t.mailbox, t.number);
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

/* C^T = B^T A^T in columns. An operand in rows is its own transpose there; one in columns is turned. */
bool cpi_la_library_product(cp_stream *stream, cp_type type, const cpi_la_operand *a, const cpi_la_operand *b, void *c,
                            int64_t ldc, int64_t next, int64_t batch, int m, int n, int k, bool assign, cp_code *code,
                            const char *what)
{
    auto form = [](const cpi_la_operand *o, cublasOperation_t *op, int64_t *ld) {
        bool rows = o->right == 1;
        *ld = rows ? o->down : o->right;
        *op = rows ? CUBLAS_OP_N : o->conjugate ? CUBLAS_OP_C : CUBLAS_OP_T;
        return (rows ? !o->conjugate : o->down == 1) && *ld < INT_MAX;
    };
    cublasOperation_t op_a, op_b;
    int64_t lda, ldb;
    if (!form(a, &op_a, &lda) || !form(b, &op_b, &ldb) || ldc >= INT_MAX || batch >= INT_MAX) return false;
    bool wide = cpi_la_real_size(type) == 8;
    cudaDataType t = cpi_la_complex(type) ? (wide ? CUDA_C_64F : CUDA_C_32F) : wide ? CUDA_R_64F : CUDA_R_32F;
    double minus64[2] = {assign ? 1.0 : -1.0, 0}, one64[2] = {assign ? 0.0 : 1.0, 0};
    float minus32[2] = {assign ? 1.f : -1.f, 0}, one32[2] = {assign ? 0.f : 1.f, 0};
    locked l;
    cublasHandle_t h = blas_of(stream);
    if (!h) return false;
    cublasStatus_t status = lib.product(
        h, op_b, op_a, n, m, k, wide ? (void *)minus64 : (void *)minus32, b->at, t, (int)ldb, b->next, a->at, t, (int)lda,
        a->next, wide ? (void *)one64 : (void *)one32, c, t, (int)ldc, next, (int)batch,
        wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
    *code = status == CUBLAS_STATUS_SUCCESS
                ? CPI_LAUNCHED(stream, what)
                : cpi_host->fail(CP_ERROR_DEVICE, "%s: cuBLAS failed with status %d", what, (int)status);
    return true;
}

cp_code cpi_la_library_cholesky(cp_stream *stream, const cpi_linalg *v, void *x)
{
    locked l;
    solving s(stream, v);
    int64_t n = v->n;
    size_t on_device = 0, on_host = 0;
    cublasFillMode_t part = v->upper ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; /* of the transpose */
    cp_code code = s.begin();
    if (code) return code;
    TRY(lib.cusolverDnXpotrf_bufferSize(s.handle, nullptr, part, n, s.type, x, n, s.type, &on_device, &on_host));
    code = s.space(on_device, on_host);
    for (int64_t i = 0; i < v->batch && !code; i++) {
        TRY(lib.cusolverDnXpotrf(s.handle, nullptr, part, n, s.type,
                                 matrix_of<void>(x, i, n * n * (int64_t)cpi_la_size(v->type)), n, s.type, s.device.memory,
                                 on_device, s.host, on_host, s.info));
        code = s.told(CPI_LINALG_NOT_POSITIVE);
    }
    return code;
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
        code = s.told(CPI_LINALG_EIGENVALUES);
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
    TRY(lib.cusolverDnXgesvd_bufferSize(s.handle, nullptr, job_u, job_v, m, n, s.type, a, m, s.real, values, s.type, u, m,
                                        s.type, vt, n, s.type, &on_device, &on_host));
    code = s.space(on_device, on_host);
    if (code) return code;
    TRY(lib.cusolverDnXgesvd(s.handle, nullptr, job_u, job_v, m, n, s.type, a, m, s.real, values, s.type, u, m, s.type, vt,
                             n, s.type, s.device.memory, on_device, s.host, on_host, s.info));
    return s.told(CPI_LINALG_SVD);
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
