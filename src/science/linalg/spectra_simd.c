/* Loops for singular values and Hermitian eigenvalues, compiled once for each instruction set. */
#include <math.h>

#include "cpu/features.h"
#include "cpu/vectors.h"
#include "linalg/spectra.h"

#define T float
#define NAME(f) f##_s
#define SQRT sqrtf
#define ABS fabsf
#define SIGN copysignf
#include "linalg/spectra_loops.inc"

#define T double
#define NAME(f) f##_d
#define SQRT sqrt
#define ABS fabs
#define SIGN copysign
#include "linalg/spectra_loops.inc"

#define LOOPS(s)                                                                                             \
    {                                                                                                        \
        singular_z_##s, hermitian_z_##s, singular_vectors_##s, hermitian_vectors_##s, bidiagonal_columns_##s, \
            bidiagonal_rows_##s, symmetric_columns_##s, dot_##s, add_##s                                     \
    }
const cpi_spectra_kernels CPI_ISA_NAME(cpi_spectra_kernels) = {LOOPS(s), LOOPS(d)};
