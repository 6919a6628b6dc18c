/* Kernels over packs of small matrices, compiled once for each instruction set. */
#include <math.h>

#include "cpu/features.h"
#include "cpu/vectors.h"
#include "linalg/small.h"

#define T float
#define PARTS 1
#define MASK int32_t
#define NAME(f) f##_s
#define SQRT sqrtf
#define LEAST 0x1p-30f
#define MOST 0x1p30f
#define LIMIT 120
#define EPSILON 0x1p-22f
#include "linalg/pack.h"

#define T double
#define PARTS 1
#define MASK int64_t
#define NAME(f) f##_d
#define SQRT sqrt
#define LEAST 0x1p-250
#define MOST 0x1p250
#define LIMIT 1000
#define EPSILON 0x1p-51
#include "linalg/pack.h"

#define T float
#define PARTS 2
#define MASK int32_t
#define NAME(f) f##_c
#define SQRT sqrtf
#define LEAST 0x1p-30f
#define MOST 0x1p30f
#define LIMIT 120
#define EPSILON 0x1p-22f
#include "linalg/pack.h"

#define T double
#define PARTS 2
#define MASK int64_t
#define NAME(f) f##_z
#define SQRT sqrt
#define LEAST 0x1p-250
#define MOST 0x1p250
#define LIMIT 1000
#define EPSILON 0x1p-51
#include "linalg/pack.h"

const cpi_small_kernels CPI_ISA_NAME(cpi_small_kernels) = {.run = {run_s, run_d, run_c, run_z}, .bytes = VECTOR_BYTES};
