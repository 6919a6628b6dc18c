/* The spline filter of lines side by side, and of one; compiled once per instruction set. */
#include "core/paste.h"
#include "cpu/features.h"
#include "geometry/kernels.h"

#define FILTER filter_lines
#define LINES CPI_SPLINE_LINES
#include "geometry/spline_lines.inc"
#define FILTER filter_line
#define LINES 1
#include "geometry/spline_lines.inc"

const cpi_spline_kernels CPI_ISA_NAME(cpi_spline_kernels) = {filter_lines, filter_line};
