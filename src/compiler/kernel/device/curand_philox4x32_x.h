/* The part of <curand_kernel.h> that the CPU has. */
#pragma once
#include <curand_kernel.h>
