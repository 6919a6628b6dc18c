/* The CPU's recurrences and polyphase filters, compiled once for each instruction set, with the same bits: rows stand
 * side by side in the lanes of a vector, so a lane's operations are those of one row alone. */
#include <stdbool.h>
#include <string.h>

#include "cpu/features.h"
#include "cpu/vectors.h"
#include "lfilter/batch.h"

#define WORD_f32 int32_t
#define WORD_f64 int64_t
#define WORD_c64 int32_t
#define WORD_c128 int64_t

#define T float
#define PARTS 1
#define SIDE 2
#define NAME(f) f##_f32
#include "lfilter/batch.inc"
#define T double
#define PARTS 1
#define SIDE 2
#define NAME(f) f##_f64
#include "lfilter/batch.inc"
#define T float
#define PARTS 2
#define SIDE 1
#define NAME(f) f##_c64
#include "lfilter/batch.inc"
#define T double
#define PARTS 2
#define SIDE 1
#define NAME(f) f##_c128
#include "lfilter/batch.inc"
