/* DLPack's structures, as its standard lays them out: an ABI, so nothing here may move. */
#ifndef CPI_DLPACK_H
#define CPI_DLPACK_H

#include "cuprite/dlpack.h"

enum { CPI_DL_CPU = 1, CPI_DL_CUDA = 2, CPI_DL_CUDA_HOST = 3, CPI_DL_EXTENSION = 12, CPI_DL_CUDA_MANAGED = 13 };
enum { CPI_DL_INT, CPI_DL_UINT, CPI_DL_FLOAT, CPI_DL_BFLOAT = 4, CPI_DL_COMPLEX, CPI_DL_BOOL };
enum { CPI_DL_MAJOR = 1, CPI_DL_MINOR = 0 };
enum { CPI_DL_READ_ONLY = 1, CPI_DL_COPIED = 2 };

typedef struct cpi_dl_tensor {
    void *data;
    struct { int32_t type, number; } device;
    int32_t ndim;
    struct { uint8_t code, bits; uint16_t lanes; } type;
    int64_t *shape, *strides; /* strides count elements; NULL for C order */
    uint64_t offset;          /* bytes from `data` to the first element */
} cpi_dl_tensor;

struct DLManagedTensor {
    cpi_dl_tensor tensor;
    void *owner;
    void (*deleter)(struct DLManagedTensor *self);
};

struct DLManagedTensorVersioned {
    uint32_t major, minor;
    void *owner;
    void (*deleter)(struct DLManagedTensorVersioned *self);
    uint64_t flags;
    cpi_dl_tensor tensor;
};

#endif
