/* <limits.h> for every device. The values are written as in CUDA's own headers, which may define them again. */
#pragma once
#ifndef CHAR_BIT
#define CHAR_BIT 8
#endif
#ifndef SCHAR_MAX
#define SCHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#endif
#ifndef CHAR_MAX
#ifdef __CHAR_UNSIGNED__
#define CHAR_MIN 0
#define CHAR_MAX UCHAR_MAX
#else
#define CHAR_MIN SCHAR_MIN
#define CHAR_MAX SCHAR_MAX
#endif
#endif
#ifndef SHRT_MAX
#define SHRT_MIN (-SHRT_MAX - 1)
#define SHRT_MAX 0x7fff
#define USHRT_MAX 0xffff
#endif
#ifndef INT_MAX
#define INT_MAX 0x7fffffff
#endif
#ifndef INT_MIN
#define INT_MIN (-INT_MAX - 1)
#endif
#ifndef UINT_MAX
#define UINT_MAX 0xffffffff
#endif
#ifndef LLONG_MAX
#define LLONG_MIN (-LLONG_MAX - 1)
#define LLONG_MAX 0x7fffffffffffffffLL
#ifdef __CUPRITE_CPU__
#define ULLONG_MAX 0xffffffffffffffffULL
#else
#define ULLONG_MAX 0xffffffffffffffffUL
#endif
#endif
#ifndef LONG_MAX
#define LONG_MIN (-LONG_MAX - 1)
#ifdef __CUPRITE_CPU__
#define LONG_MAX 0x7fffffffffffffffL
#define ULONG_MAX 0xffffffffffffffffUL
#else
#define LONG_MAX LLONG_MAX
#define ULONG_MAX ULLONG_MAX
#endif
#endif
