/* Opens cuBLAS and keeps its handles.
 *
 * A handle belongs to a device and, while in use, to one thread and one stream; unused handles are kept in a list. The
 * workspace comes from the pool and is freed in stream order, so streams share none. Then cuBLAS gives the same bits
 * each time, and a captured call owns its memory. */
#include "blas/blas_cuda.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct cpi_cublas_kept {
    cublasHandle_t handle;
    int ordinal;
    cpi_cublas_kept *next;
};

namespace {

enum { WORKSPACE = 32 << 20 }; /* NVIDIA's recommendation from the H100 on */

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
cpi_cublas table;
const cpi_cublas *opened;
cpi_cublas_kept *unused;

bool fill(void *library)
{
#define X(name) #name,
    static const char *const names[] = {CPI_CUBLAS(X) nullptr};
#undef X
    return !cpi_cuda_functions(library, names, &table);
}

cp_code failed(const char *function, cublasStatus_t status)
{
    return cpi_host->fail(status == CUBLAS_STATUS_ALLOC_FAILED ? CP_ERROR_MEMORY : CP_ERROR_DEVICE, "%s: cuBLAS: %s",
                          function, table.cublasGetStatusString(status));
}

/* A handle of the device: one that is free, or a new one. */
cpi_cublas_kept *find(const char *function, cp_stream *stream)
{
    int ordinal = stream->device->ordinal;
    pthread_mutex_lock(&lock);
    cpi_cublas_kept **at = &unused;
    while (*at && (*at)->ordinal != ordinal) at = &(*at)->next;
    cpi_cublas_kept *k = *at;
    if (k) *at = k->next;
    pthread_mutex_unlock(&lock);
    if (k) return k;
    k = (cpi_cublas_kept *)cpi_host->malloc(sizeof *k);
    if (!k) return nullptr;
    cpi_cuda_relaxed relaxed; /* it allocates */
    cublasStatus_t status = table.cublasCreate_v2(&k->handle);
    if (status != CUBLAS_STATUS_SUCCESS) {
        failed(function, status);
        cpi_host->free(k);
        return nullptr;
    }
    k->ordinal = ordinal;
    return k;
}

} // namespace

bool cpi_cublas_tf32(void)
{
    const char *own = getenv("CUPRITE_TF32"), *cupys = getenv("CUPY_TF32");
    const char *wish = own ? own : cupys;
    return wish && strcmp(wish, "1") == 0;
}

const cpi_cublas *cpi_cublas_open(const char *function)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", nullptr};
    const cpi_cublas *b = __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
    if (b) return b;
    pthread_mutex_lock(&lock);
    if (!opened) {
        void *library = cpi_cuda_library(names);
        if (library && fill(library)) __atomic_store_n(&opened, &table, __ATOMIC_RELEASE);
    }
    b = opened;
    pthread_mutex_unlock(&lock);
    if (!b)
        cpi_host->fail(CP_ERROR_UNSUPPORTED, "%s: cuBLAS (libcublas.so.12 or .13) is not there, which products on a "
                       "GPU need: pip install nvidia-cublas, or install the CUDA toolkit, or name its folder by "
                       "CUPRITE_LIBRARY_PATH", function);
    return b;
}

cp_code cpi_cublas_take(const char *function, cp_stream *stream, cpi_cublas_use *use)
{
    *use = {cpi_cublas_open(function), nullptr, stream, nullptr, nullptr};
    if (!use->call) return CP_ERROR_UNSUPPORTED;
    if (!(use->workspace = cpi_host->work_alloc(stream, WORKSPACE))) return CP_ERROR_MEMORY;
    if (!(use->kept = find(function, stream))) {
        cpi_host->work_free(stream, use->workspace);
        return CP_ERROR_DEVICE;
    }
    use->handle = use->kept->handle;
    const cublasMath_t exact = (cublasMath_t)(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    cublasStatus_t status = table.cublasSetStream_v2(use->handle, cpi_cuda_stream(stream));
    if (!status) status = table.cublasSetWorkspace_v2(use->handle, use->workspace, WORKSPACE);
    if (!status) status = table.cublasSetMathMode(use->handle, cpi_cublas_tf32() ? CUBLAS_TF32_TENSOR_OP_MATH : exact);
    return status ? cpi_cublas_give(function, use, status) : CP_OK;
}

cp_code cpi_cublas_give(const char *what, cpi_cublas_use *use, cublasStatus_t status)
{
    cpi_host->work_free(use->stream, use->workspace);
    pthread_mutex_lock(&lock);
    use->kept->next = unused;
    unused = use->kept;
    pthread_mutex_unlock(&lock);
    return status == CUBLAS_STATUS_SUCCESS ? CPI_LAUNCHED(use->stream, what) : failed(what, status);
}
