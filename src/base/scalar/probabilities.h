/* The chapter of distributions and of inverses that are called once for each element: their kernels are compiled as
 * tools/cuda_options.txt has it for such chapters, those of distributions.h for speed. */
#ifndef CPS_PROBABILITIES_H
#define CPS_PROBABILITIES_H

#include "scalar/distributions.h"

#endif
