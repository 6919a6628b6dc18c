/* CUDA's device language on the CPU, without any standard header: every kernel is compiled behind it.
 *
 * A kernel has a parameter __ctx, by value, whose members threadIdx and its like are; code that has none uses the
 * thread's (__CU_HIDDEN). Small files of one subject follow; each can be read alone. */
#pragma once
#pragma GCC system_header
#include "abi.h"
#include "types.h"
#include "check.h"
#include "context.h"
#ifdef __CU_CONSTANTS /* of programs that name one; what they declare themselves is undone (own.c) */
#include "math.h"
#include "limits.h"
#include "float.h"
#endif
#include "functions.h"
#include "bits.h"
#ifdef __CU_ROUNDING
#include "rounding.h"
#endif
#ifdef __CU_LANES
#include "lanes.h"
#endif
#ifdef __CU_SPECIAL
#include "special.h"
#endif
#include "atomics.h"
#include "warps.h"
#ifdef __CU_PTX
#include "ptx.h"
#endif
#ifdef __CU_PTX_HALF
#include "ptx_half.h"
#endif
#include "checked.h"
#include "heap.h"
#include "regions.h"
#include "entry.h"
