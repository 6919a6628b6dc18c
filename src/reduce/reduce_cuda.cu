/* The GPU's slot of the room reduce. */
#include "reduce/folds_cuda.h"

extern const cpi_reduce_ops cpi_reduce_cuda;
const cpi_reduce_ops cpi_reduce_cuda = {cpi_launch_fold};
