/* Selection on arrays of keys, in one thread: quickselect in place, and for 32 and 64 bits narrowing first.
 *
 * place: pivots are medians of a sample; the loop without branches puts keys below the pivot in front; a step
 * that makes no progress counts against a budget, and a lane that uses its budget up is sorted by a heap, so no
 * input takes more than O(n log n). pick: a band around the rank, guessed from a sample, is cut out by the
 * kernels; a band that missed is replaced by the side on which the rank is. */
#include "cpu/features.h"
#include "sort/select.h"

cpi_band32_fn cpi_band32(void) { return CPI_BEST(cpi_band32); }
cpi_band64_fn cpi_band64(void) { return CPI_BEST(cpi_band64); }
cpi_deal32_fn cpi_deal32(void) { return CPI_BEST(cpi_deal32); }
cpi_deal64_fn cpi_deal64(void) { return CPI_BEST(cpi_deal64); }
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

cpi_pair128 cpi_pick128(cpi_u128 *a, int64_t n, int64_t k) { return pair128(a, n, k); }
