/* The types of array elements, and the declarations every other header uses.
 *
 * An element type is one of element_types.h; the order is NumPy's, so that "the first type both can be
 * cast to" can be found by scanning upwards. Shapes and axes are passed as small by-value structs that point at the
 * caller's memory; nothing keeps the pointer after the call returns. */
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

#include "cuprite/element_types.h" /* cp_type: CP_BOOL, CP_INT8, ... CP_COMPLEX128; CP_TYPES */

#define CP_MAXDIM 64 /* most dimensions an array can have, as in NumPy 2 */

typedef struct { uint16_t bits; } cp_half;      /* IEEE 754 binary16 */
typedef struct { uint16_t bits; } cp_bfloat16;  /* upper half of a binary32 */
typedef struct { float re, im; } cp_complex64;
typedef struct { double re, im; } cp_complex128;

typedef struct cp_array cp_array;   /* a counted reference to an n-d array on one device */
typedef struct cp_stream cp_stream; /* an ordered queue of device work */
typedef struct cp_event cp_event;   /* a point in a stream */
typedef struct cp_graph cp_graph;   /* captured work */

/* A shape: `n` lengths. CP_SHAPE(3, 4) makes one from a list; CP_SHAPE0 is the 0-d shape. */
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

/* Casting rules: the names are NumPy's `casting=`. */
typedef enum cp_casting { CP_SAME_KIND, CP_NO_CAST, CP_EQUIV, CP_SAFE, CP_UNSAFE } cp_casting;
/* True when values of `from` may be converted to `to` under the rule. */
CP_API bool cp_can_cast(cp_type from, cp_type to, cp_casting rule);

#ifdef __cplusplus
}
#endif
#endif
