/* Products and sums of a chunk of vectors on the CPU, compiled once per instruction set: every variant adds in the same
 * order. */
#include "sparse/vectors_cpu.h"

#include <string.h>

#include "core/paste.h"
#include "cpu/features.h"
#include "cpu/vectors.h"

#define PARTIAL CPI_SPARSE_PARTIAL

static cpi_number tree(double *re, double *im)
{
    for (int half = PARTIAL / 2; half; half /= 2)
        for (int l = 0; l < half; l++) re[l] += re[l + half], im[l] += im[l + half];
    return (cpi_number){re[0], im[0]};
}

#define CPI_NAME(f) CPI_PASTE(f, SUFFIX)
#define V float
#define SUFFIX f32
#include "sparse/vectors_real.inc"
#undef SUFFIX
#undef V
#define V double
#define SUFFIX f64
#include "sparse/vectors_real.inc"
#undef SUFFIX
#undef V
#define V float
#define SUFFIX c64
#include "sparse/vectors_complex.inc"
#undef SUFFIX
#undef V
#define V double
#define SUFFIX c128
#include "sparse/vectors_complex.inc"
#undef SUFFIX
#undef V

const cpi_vector_loops *CPI_ISA_NAME(cpi_vector_table)(cp_type type)
{
    static const cpi_vector_loops loops[4] = {
        {dot_f32, sum_f32, change_f32}, {dot_f64, sum_f64, change_f64}, {dot_c64, sum_c64, change_c64},
        {dot_c128, sum_c128, change_c128}};
    return &loops[type == CP_FLOAT32 ? 0 : type == CP_FLOAT64 ? 1 : type == CP_COMPLEX64 ? 2 : 3];
}
