/* User kernels: CUDA C++ that is compiled at run time.
 *
 * A module is one source compiled for the device that is current then; a kernel is one of its __global__ functions. On
 * a GPU NVRTC compiles; on the CPU the C++ compiler of the machine (CUPRITE_CXX, CXX, g++, clang++), and the threads of
 * a block run as a loop, as loops between barriers, or as fibers, whichever is correct and fastest. Compiled code is
 * cached in a folder (CUPRITE_CACHE_DIR) for later processes. A launch has CUDA's limits and rules on both devices and
 * may return before a GPU is done. Modules and kernels may be used by several threads. */
#ifndef CUPRITE_KERNEL_H
#define CUPRITE_KERNEL_H

#include "array.h"
#include "calls.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_module cp_module;
typedef struct cp_kernel cp_kernel;
typedef struct cp_dim3 { uint32_t x, y, z; } cp_dim3;

/* Compiler options ("-DN=4", "-Ifolder", "--std=c++17"), and the template instances to compile, as C++ expressions
 * ("sum<float>", "space::f<int, 3>"). Other kernels go by their names. */
typedef struct cp_module_options {
    CP_OPTION(const char *const *, options);
    CP_OPTION(int, noptions);
    CP_OPTION(const char *const *, names);
    CP_OPTION(int, nnames);
    int _;
} cp_module_options;
/* CP_ERROR_COMPILE, with the compiler's messages, for a source that does not compile; CP_ERROR_UNSUPPORTED where there
 * is no compiler, or for features that a device lacks (inline PTX, textures, launches from kernels on the CPU). */
CP_API cp_module *cp_module_compile(const char *source, const cp_module_options *options);
#define cp_module_compile(...) CP_CALL(cp_module_compile, cp_module_options, __VA_ARGS__, ._ = 0)
/* A module that another compiler made: cubin, fatbin or PTX. CP_ERROR_UNSUPPORTED on the CPU, CP_ERROR_DRIVER for an
 * image that the driver rejects. */
CP_API cp_module *cp_module_load(const void *image, int64_t bytes);
CP_API void cp_module_free(cp_module *m); /* NULL is fine; its kernels keep it alive */
CP_API int cp_module_device(const cp_module *m); /* its number; CP_NO_DEVICE of NULL */
/* Address and size in bytes of a __device__ or __constant__ variable. CP_ERROR_DRIVER where there is none of that
 * name. */
CP_API cp_code cp_module_global(cp_module *m, const char *name, void **address, int64_t *bytes);

/* A kernel of the module, for the caller to free. CP_ERROR_DRIVER where there is none of that name. */
CP_API cp_kernel *cp_module_kernel(cp_module *m, const char *name);
/* cp_module_compile and cp_module_kernel in one. */
CP_API cp_kernel *cp_kernel_compile(const char *source, const char *name, const cp_module_options *options);
#define cp_kernel_compile(...) CP_CALL2(cp_kernel_compile, cp_module_options, __VA_ARGS__, ._ = 0)
CP_API void cp_kernel_free(cp_kernel *k); /* NULL is fine */
CP_API const char *cp_kernel_name(const cp_kernel *k); /* as it was asked for */
/* How the kernel is executed: "loop", "regions" or "fibers" on the CPU, "gpu". */
CP_API const char *cp_kernel_tier(const cp_kernel *k);

/* CUDA's attributes of a function; those from CP_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES on can be set. */
#define CP_KERNEL_ATTRIBUTES(X)                                                                                \
    X(MAX_THREADS_PER_BLOCK) X(SHARED_SIZE_BYTES) X(CONST_SIZE_BYTES) X(LOCAL_SIZE_BYTES) X(NUM_REGS)          \
    X(PTX_VERSION) X(BINARY_VERSION) X(CACHE_MODE_CA) X(MAX_DYNAMIC_SHARED_SIZE_BYTES)                         \
    X(PREFERRED_SHARED_MEMORY_CARVEOUT)
typedef enum cp_kernel_attribute {
#define X(NAME) CP_KERNEL_##NAME,
    CP_KERNEL_ATTRIBUTES(X)
#undef X
    CP_KERNEL_NATTRIBUTES
} cp_kernel_attribute;
/* CP_ERROR_VALUE for an unknown or read-only attribute; CP_ERROR_DRIVER for a value that the device refuses. */
CP_API cp_code cp_kernel_get(cp_kernel *k, cp_kernel_attribute attribute, int *value); /* value of an attribute */
CP_API cp_code cp_kernel_set(cp_kernel *k, cp_kernel_attribute attribute, int value); /* sets an attribute */

/* An argument of a launch: an array, whose address in the device's memory is passed (of a host scalar its value: int64,
 * double, complex double or its type), or else `bytes` bytes at `value`. With both, the bytes are passed, and the array
 * is the one that they point into. */
typedef struct cp_argument {
    cp_array *array;
    const void *value;
    int64_t bytes;
} cp_argument;
/* An array as a struct that a kernel takes by value: address, shape and strides. The caller keeps `array` alive until
 * the launch. */
typedef struct cp_struct {
    cp_array *array;
    int64_t bytes;
    int64_t value[2 + 2 * CP_MAXDIM];
} cp_struct;
/* As CArray<T, ndim> of <cupy/carray.cuh>: address, elements, shape, strides in bytes. */
CP_API cp_code cp_cstruct(cp_array *x, cp_struct *s);
/* As cuda::std::mdspan<T, dextents<int32_t or int64_t, ndim>, layout> of <cuda/std/mdspan>: address, extents, strides
 * in elements; layout_right and layout_left require C and F order. index_type is CP_INT32 or CP_INT64. CP_ERROR_VALUE
 * for more elements than the type counts, for strides that are no multiple of an element, and, unless allow_unsafe, for
 * strides below 1 and extents of 0, which mdspan's own functions cannot handle. */
typedef struct cp_mdspan_options {
    CP_OPTION(bool, allow_unsafe);
    int _;
} cp_mdspan_options;
CP_API cp_code cp_mdspan(cp_array *x, cp_type index_type, cp_struct *s, const cp_mdspan_options *options);
#define cp_mdspan(...) CP_CALL3(cp_mdspan, cp_mdspan_options, __VA_ARGS__, ._ = 0)
/* The struct as a launch argument; s must live until the launch. */
static inline cp_argument cp_struct_argument(const cp_struct *s)
{
    cp_argument a = {s->array, s->value, s->bytes};
    return a;
}
typedef struct cp_launch_options {
    CP_OPTION(int64_t, shared);    /* dynamic shared memory, bytes a block */
    CP_OPTION(bool, cooperative);  /* all blocks at once, so that grid.sync() is allowed */
    int _;
} cp_launch_options;
/* Launches the kernel on the calling thread's stream of its device. Zeros in grid and block count as 1, except in x.
 * CP_ERROR_VALUE for too few arguments or an array of another device, CP_ERROR_DRIVER for launches beyond
 * CUDA's limits (1024 threads a block), CP_ERROR_DEVICE for a kernel that fails on the CPU (a bad address, a divergent
 * barrier); a GPU reports that later. */
CP_API cp_code cp_kernel_launch(cp_kernel *k, cp_dim3 grid, cp_dim3 block, int n, const cp_argument *arguments,
                                const cp_launch_options *options);

#ifdef __cplusplus
}
#endif
#endif
