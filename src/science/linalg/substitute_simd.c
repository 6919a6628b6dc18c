/* Substitution in a few rows, compiled once for each instruction set. */
#include <math.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/vectors.h"
#include "linalg/substitute.h"

enum { GROUP = 4 };

#if VECTOR_BYTES == 64
#define REAL_VECTORS 4
#define COMPLEX_VECTORS 2
#else
#define REAL_VECTORS 2
#define COMPLEX_VECTORS 1
#endif

#define T float
#define PARTS 1
#define NAME(f) f##_s
#define VECTORS REAL_VECTORS
#define FABS fabsf
#include "linalg/substitute.inc"

#define T double
#define PARTS 1
#define NAME(f) f##_d
#define VECTORS REAL_VECTORS
#define FABS fabs
#include "linalg/substitute.inc"

#define T float
#define PARTS 2
#define NAME(f) f##_c
#define VECTORS COMPLEX_VECTORS
#define FABS fabsf
#include "linalg/substitute.inc"

#define T double
#define PARTS 2
#define NAME(f) f##_z
#define VECTORS COMPLEX_VECTORS
#define FABS fabs
#include "linalg/substitute.inc"

const cpi_substitute_kernels CPI_ISA_NAME(cpi_substitute_kernels) = {
    {substitute_s, substitute_d, substitute_c, substitute_z}};
