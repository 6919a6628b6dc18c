/* The chapter of gamma's relatives that are called once for each element: their kernels are compiled as tools/
 * cuda_options.txt has it for such chapters, those of gamma.h for speed. */
#ifndef CPS_POLYGAMMA_H
#define CPS_POLYGAMMA_H

#include "scalar/zeta.h"

#endif
