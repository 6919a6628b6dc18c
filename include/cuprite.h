/* Cuprite: NumPy's array model in C, on CPUs and NVIDIA GPUs. This header brings all of it. */
#ifndef CUPRITE_H
#define CUPRITE_H

#include "cuprite/array.h"
#include "cuprite/compose.h"
#include "cuprite/device.h"
#include "cuprite/elementwise.h"
#include "cuprite/error.h"
#include "cuprite/index.h"
#include "cuprite/io.h"
#include "cuprite/ndimage.h"
#include "cuprite/reduce.h"
#include "cuprite/signal.h"
#include "cuprite/sort.h"
#include "cuprite/text.h"
#include "cuprite/types.h"

#define CP_VERSION_MAJOR 0
#define CP_VERSION_MINOR 1
#define CP_VERSION_PATCH 0

#endif
