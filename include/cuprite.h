/* Cuprite: NumPy's array model in C, on CPUs and NVIDIA GPUs. This header brings all of it. */
#ifndef CUPRITE_H
#define CUPRITE_H

#include "cuprite/modules.h"

#define CP_VERSION_MAJOR 0
#define CP_VERSION_MINOR 1
#define CP_VERSION_PATCH 0

#endif
