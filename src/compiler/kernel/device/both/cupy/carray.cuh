/* CuPy's header of the arrays that kernels are given. */
#ifndef CUPRITE_CUPY_CARRAY_CUH
#define CUPRITE_CUPY_CARRAY_CUH

#include <cuprite_array.cuh>

#endif
