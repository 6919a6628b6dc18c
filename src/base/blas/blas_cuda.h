/* cuBLAS, opened when it is first needed, not linked. */
#ifndef CPI_BLAS_CUDA_H
#define CPI_BLAS_CUDA_H

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wswitch-enum" /* in NVIDIA's headers */
#include <cublas_v2.h>
#pragma GCC diagnostic pop

#include "cuda/cuda.h"

/* The functions in use, by the names that the library exports. */
#define CPI_CUBLAS(X)                                                                                              \
    X(cublasCreate_v2) X(cublasDestroy_v2) X(cublasSetStream_v2) X(cublasSetWorkspace_v2) X(cublasSetMathMode)     \
    X(cublasGetStatusString) X(cublasGemmEx_64) X(cublasGemmStridedBatchedEx_64)                                   \
    X(cublasSgemv_v2_64) X(cublasDgemv_v2_64) X(cublasCgemv_v2_64) X(cublasZgemv_v2_64)                            \
    X(cublasStrsm_v2_64) X(cublasDtrsm_v2_64) X(cublasCtrsm_v2_64) X(cublasZtrsm_v2_64)
typedef struct cpi_cublas {
#define X(name) decltype(&::name) name;
    CPI_CUBLAS(X)
#undef X
} cpi_cublas;

/* The library; NULL and CP_ERROR_UNSUPPORTED, with a message about what to install, if there is none. */
const cpi_cublas *cpi_cublas_open(const char *function);

/* May float32 products round their factors to TF32? Only where the user asks for it. */
bool cpi_cublas_tf32(void);

/* A handle for calls on one stream, with a workspace of the pool, by one thread, until it is given back. Scalars are
 * read from the host. The calls' status goes to cpi_cublas_give, which returns the slot's result. */
typedef struct cpi_cublas_use {
    const cpi_cublas *call;
    cublasHandle_t handle;
    cp_stream *stream;
    void *workspace;
    struct cpi_cublas_kept *kept;
} cpi_cublas_use;
cp_code cpi_cublas_take(const char *function, cp_stream *stream, cpi_cublas_use *use);
cp_code cpi_cublas_give(const char *what, cpi_cublas_use *use, cublasStatus_t status);

#endif
