/* The processor's intrinsics. The header of all x86-64 ones takes a third of a second to parse, so files compiled for
 * less than AVX2 omit it. */
#ifndef CPI_CPU_INTRINSICS_H
#define CPI_CPU_INTRINSICS_H

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#endif
