/* CUDA's names of constants. */
#pragma once
#include <cupy/math_constants.h>
