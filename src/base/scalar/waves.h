/* The chapter of wave functions: Mathieu's and spheroidal ones. */
#ifndef CPS_WAVES_H
#define CPS_WAVES_H

#include "scalar/mathieu.h"
#include "scalar/spheroidal.h"

#endif
