/* CUDA's device language on the CPU, without any standard header: every kernel is compiled behind it.
 *
 * A kernel has a parameter __ctx, by value, whose members threadIdx and its like are; code that has none uses the
 * thread's (__CU_HIDDEN). Small files of one subject follow; each can be read alone. */
#pragma once
#pragma GCC system_header
#if defined(__CU_ROUNDING) || defined(__CU_LANES) || defined(__CU_SPECIAL) || defined(__CU_PTX) || \
    defined(__CU_PTX_HALF)
#define __CU_ALL 1
#endif
#include "abi.h"
#include "types.h"
#include "check.h"
#include "context.h"
#ifdef __CU_CONSTANTS /* of programs that name one; what they declare themselves is undone (own.c) */
#include "math.h"
#include "limits.h"
#include "float.h"
#endif
#include "casts.h"
#if defined(__CU_ALL) || defined(__CU_FUNCTIONS) || defined(__CU_INVERSES) /* parts.c */
#include "functions.h"
#endif
#if defined(__CU_ALL) || defined(__CU_EXTREMES)
#include "extremes.h"
#endif
#if defined(__CU_ALL) || defined(__CU_INVERSES)
#include "inverses.h"
#endif
#if defined(__CU_ALL) || defined(__CU_BITS)
#include "bits.h"
#endif
#ifdef __CU_ROUNDING
#include "rounding.h"
#endif
#ifdef __CU_LANES
#include "lanes.h"
#endif
#ifdef __CU_SPECIAL
#include "special.h"
#endif
#if defined(__CU_ALL) || defined(__CU_ATOMICS)
#include "atomics.h"
#endif
#if defined(__CU_ALL) || defined(__CU_WARPS) || defined(__CU_MEETINGS)
#include "warps.h"
#endif
#ifdef __CU_PTX
#include "ptx.h"
#endif
#ifdef __CU_PTX_HALF
#include "ptx_half.h"
#endif
#include "checked.h"
#include "heap.h"
#include "entry.h"
#ifdef __CU_REGIONS
#include "regions.h"
#endif
#ifdef __CU_MEETINGS
#include "meetings.h"
#endif
