/* <stdint.h>, which NVRTC lacks, for every device. On a GPU the types of 64 bits are those of CUDA's own headers, which
 * may declare them again. */
#pragma once
#if defined(__CUDACC_RTC__) && !defined(__CUPRITE_CPU__)
#define __CUPRITE_INT64 long long
#else
#define __CUPRITE_INT64 long
#endif
typedef signed char int8_t, int_least8_t;
typedef short int16_t, int_least16_t;
typedef int int32_t, int_least32_t;
typedef __CUPRITE_INT64 int64_t, int_least64_t;
typedef unsigned char uint8_t, uint_least8_t;
typedef unsigned short uint16_t, uint_least16_t;
typedef unsigned int uint32_t, uint_least32_t;
typedef unsigned __CUPRITE_INT64 uint64_t, uint_least64_t;
typedef __CUPRITE_INT64 intptr_t, intmax_t;
typedef unsigned __CUPRITE_INT64 uintptr_t, uintmax_t;
typedef signed char int_fast8_t;
typedef unsigned char uint_fast8_t;
#if defined(__CUDACC_RTC__) && !defined(__CUPRITE_CPU__)
typedef short int_fast16_t;
typedef unsigned short uint_fast16_t;
typedef int int_fast32_t;
typedef unsigned int uint_fast32_t;
#else
typedef long int_fast16_t, int_fast32_t;
typedef unsigned long uint_fast16_t, uint_fast32_t;
#endif
typedef __CUPRITE_INT64 int_fast64_t;
typedef unsigned __CUPRITE_INT64 uint_fast64_t;
#undef __CUPRITE_INT64
#ifndef INT64_MAX
#define INT8_MAX 127
#define INT8_MIN (-INT8_MAX - 1)
#define UINT8_MAX 255
#define INT16_MAX 32767
#define INT16_MIN (-INT16_MAX - 1)
#define UINT16_MAX 65535
#define INT32_MAX 2147483647
#define INT32_MIN (-INT32_MAX - 1)
#define UINT32_MAX 4294967295U
#define INT64_MAX 9223372036854775807L
#define INT64_MIN (-INT64_MAX - 1)
#define UINT64_MAX 18446744073709551615UL
#define INTPTR_MAX INT64_MAX
#define INTPTR_MIN INT64_MIN
#define UINTPTR_MAX UINT64_MAX
#define INTMAX_MAX INT64_MAX
#define INTMAX_MIN INT64_MIN
#define UINTMAX_MAX UINT64_MAX
#define PTRDIFF_MAX INT64_MAX
#define PTRDIFF_MIN INT64_MIN
#define SIZE_MAX UINT64_MAX
#endif
