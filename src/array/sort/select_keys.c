/* Selection on arrays of keys, in one thread: quickselect in place, and for 32 and 64 bits narrowing first.
 *
 * cpi_nth_element: pivots are medians of a sample; the branchless loop puts keys below the pivot first. A step that
 * makes no progress counts against a budget, and a row that uses up its budget is sorted by heapsort, so no input takes
 * more than O(n log n). cpi_select: a window around the rank, guessed from a sample, is cut out by the kernels; a
 * window that missed is replaced by the side that has the rank. */
#include "cpu/features.h"
#include "sort/select.h"

cpi_window32_fn cpi_window32(void) { return CPI_BEST(cpi_window32); }
cpi_window64_fn cpi_window64(void) { return CPI_BEST(cpi_window64); }
cpi_three_way32_fn cpi_three_way32(void) { return CPI_BEST(cpi_three_way32); }
cpi_three_way64_fn cpi_three_way64(void) { return CPI_BEST(cpi_three_way64); }
cpi_columns32_fn cpi_columns32(void) { return CPI_BEST(cpi_columns32); }
cpi_columns64_fn cpi_columns64(void) { return CPI_BEST(cpi_columns64); }

static const cpi_keys identity = {0, 0, 0, ~(uint64_t)0, 0, 0, 0, 8, false};

#define W 8
#define T uint8_t
#include "sort/select_in_place.inc"

#define W 16
#define T uint16_t
#include "sort/select_in_place.inc"

#define W 32
#define T uint32_t
#include "sort/select_in_place.inc"

#define W 64
#define T uint64_t
#include "sort/select_in_place.inc"

#define W 128
#define T cpi_u128
#include "sort/select_in_place.inc"

#define W 32
#define T uint32_t
#include "sort/select_window.inc"

#define W 64
#define T uint64_t
#include "sort/select_window.inc"

cpi_pair128 cpi_select128(cpi_u128 *a, int64_t n, int64_t k) { return pair128(a, n, k); }
