/* The names of cuComplex.h over complex<T>, for translate_cucomplex=True. */
#ifndef CUPRITE_CUPY_CUCOMPLEX_CUH
#define CUPRITE_CUPY_CUCOMPLEX_CUH

#include <cupy/complex.cuh>

#define CU_COMPLEX_H_ /* the guard of cuComplex.h itself: these are its names */

typedef complex<float> cuFloatComplex;
typedef complex<float> cuComplex;
typedef complex<double> cuDoubleComplex;

#define CUPRITE_CUCOMPLEX(F, T, suffix)                                                                       \
    CUPRITE_COMPLEX complex<T> make_cu##F##Complex(T re, T im) { return complex<T>(re, im); }                 \
    CUPRITE_COMPLEX T cuCreal##suffix(complex<T> z) { return z.real(); }                                      \
    CUPRITE_COMPLEX T cuCimag##suffix(complex<T> z) { return z.imag(); }                                      \
    CUPRITE_COMPLEX T cuCabs##suffix(complex<T> z) { return abs(z); }                                         \
    CUPRITE_COMPLEX complex<T> cuConj##suffix(complex<T> z) { return conj(z); }                               \
    CUPRITE_COMPLEX complex<T> cuCadd##suffix(complex<T> a, complex<T> b) { return a + b; }                   \
    CUPRITE_COMPLEX complex<T> cuCsub##suffix(complex<T> a, complex<T> b) { return a - b; }                   \
    CUPRITE_COMPLEX complex<T> cuCmul##suffix(complex<T> a, complex<T> b) { return a * b; }                   \
    CUPRITE_COMPLEX complex<T> cuCdiv##suffix(complex<T> a, complex<T> b) { return a / b; }                   \
    CUPRITE_COMPLEX complex<T> cuCfma##suffix(complex<T> a, complex<T> b, complex<T> c) { return a * b + c; }

CUPRITE_CUCOMPLEX(Float, float, f)
CUPRITE_CUCOMPLEX(Double, double, )
#undef CUPRITE_CUCOMPLEX

CUPRITE_COMPLEX cuComplex make_cuComplex(float re, float im) { return cuComplex(re, im); }
CUPRITE_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex(z); }
CUPRITE_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) { return cuFloatComplex(z); }

#endif
