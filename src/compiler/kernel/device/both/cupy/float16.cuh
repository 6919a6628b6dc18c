/* CuPy's class float16: stored in 16 bits, computed as float. It is that of the arrays' header. */
#ifndef CUPRITE_CUPY_FLOAT16_CUH
#define CUPRITE_CUPY_FLOAT16_CUH

#include <cuprite_array.cuh>

#endif
