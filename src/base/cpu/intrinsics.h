/* The processor's instructions by name. The header of all x86-64 ones takes a third of a second to read, so what is
 * compiled for less than AVX2 does without. */
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
