/* The types of array elements, and the words every other header uses.
 *
 * An element type is one of the 15 below; the order is NumPy's, so that "the first type both can be
 * cast to" can be found by walking upwards. Shapes and axes are passed as small by-value structs that
 * point at the caller's memory; nothing keeps the pointer after the call returns. */
#ifndef CUPRITE_TYPES_H
#define CUPRITE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calls.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CP_API __attribute__((visibility("default")))
#else
#define CP_API
#endif

#define CP_MAXDIM 64 /* most dimensions an array can have, as in NumPy 2 */

/* name, NumPy's name, C type that holds one element, kind letter, bytes */
#define CP_TYPES(X)                              \
    X(BOOL, "bool", uint8_t, 'b', 1)             \
    X(INT8, "int8", int8_t, 'i', 1)              \
    X(UINT8, "uint8", uint8_t, 'u', 1)           \
    X(INT16, "int16", int16_t, 'i', 2)           \
    X(UINT16, "uint16", uint16_t, 'u', 2)        \
    X(INT32, "int32", int32_t, 'i', 4)           \
    X(UINT32, "uint32", uint32_t, 'u', 4)        \
    X(INT64, "int64", int64_t, 'i', 8)           \
    X(UINT64, "uint64", uint64_t, 'u', 8)        \
    X(FLOAT16, "float16", cp_half, 'f', 2)       \
    X(BFLOAT16, "bfloat16", cp_bfloat16, 'f', 2) \
    X(FLOAT32, "float32", float, 'f', 4)         \
    X(FLOAT64, "float64", double, 'f', 8)        \
    X(COMPLEX64, "complex64", cp_complex64, 'c', 8) \
    X(COMPLEX128, "complex128", cp_complex128, 'c', 16)

typedef struct { uint16_t bits; } cp_half;      /* IEEE 754 binary16 */
typedef struct { uint16_t bits; } cp_bfloat16;  /* upper half of a binary32 */
typedef struct { float re, im; } cp_complex64;
typedef struct { double re, im; } cp_complex128;

typedef enum cp_type {
#define X(NAME, text, ctype, kind, bytes) CP_##NAME,
    CP_TYPES(X)
#undef X
    CP_NTYPES,
    CP_DEFAULT = -1 /* in options: the type that NumPy would choose */
} cp_type;

typedef struct cp_array cp_array;   /* a counted reference to an n-d array on one device */
typedef struct cp_stream cp_stream; /* an ordered queue of device work */
typedef struct cp_event cp_event;   /* a point in a stream */

/* A shape: `n` extents. CP_SHAPE(3, 4) makes one from a list; CP_SHAPE0 is the 0-d shape. */
typedef struct cp_shape { int n; const int64_t *dim; } cp_shape;
/* Axes of an operation: `at` NULL means all axes, n == 0 with `at` set means none (NumPy's `axis=()`). */
typedef struct cp_axes { int n; const int *at; } cp_axes;

#define CP_SHAPE(...) CP_VALUE(cp_shape, CP_COUNT(int64_t, __VA_ARGS__), CP_LIST(int64_t, __VA_ARGS__))
#define CP_SHAPE0 CP_VALUE(cp_shape, 0, NULL)
/* CP_AXES(0, -1): those; CP_ALL: all, as by default; CP_NONE: no axis. */
#define CP_AXES(...) CP_VALUE(cp_axes, CP_COUNT(int, __VA_ARGS__), CP_LIST(int, __VA_ARGS__))
#define CP_ALL CP_VALUE(cp_axes, 0, NULL)
#define CP_NONE CP_VALUE(cp_axes, 0, CP_LIST(int, 0))

/* NumPy's name of a type ("float32"), or NULL when `t` is none. */
CP_API const char *cp_type_name(cp_type t);
/* The type with that name, CP_DEFAULT when there is none (no error is set). */
CP_API cp_type cp_type_from_name(const char *name);
/* Bytes of one element; 0 when `t` is no type. */
CP_API size_t cp_type_size(cp_type t);
/* 'b' bool, 'i' signed, 'u' unsigned, 'f' floating, 'c' complex; 0 when `t` is no type. */
CP_API char cp_type_kind(cp_type t);
/* NumPy 2's promotion of two types (NEP 50); CP_DEFAULT when either is no type. */
CP_API cp_type cp_promote(cp_type a, cp_type b);

/* How far a conversion may go: the names are NumPy's `casting=`. */
typedef enum cp_casting { CP_SAME_KIND, CP_NO_CAST, CP_EQUIV, CP_SAFE, CP_UNSAFE } cp_casting;
/* True when values of `from` may be converted to `to` under the rule. */
CP_API bool cp_can_cast(cp_type from, cp_type to, cp_casting rule);

#ifdef __cplusplus
}
#endif
#endif
