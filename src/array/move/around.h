/* Which element a place outside an array gets: one text for both devices. */
#ifndef CPI_AROUND_H
#define CPI_AROUND_H

#include "move/move.h"
#include "scalar/convert.h"

/* The element of n, at least one, that stands at place i, which may lie outside; -1: none does. */
CPS int64_t cpi_padded_from(cpi_pad_way way, int64_t i, int64_t n)
{
    if (i >= 0 && i < n) return i;
    if (way == CPI_PAD_VALUE) return -1;
    if (way == CPI_PAD_EDGE || (way == CPI_PAD_REFLECT && n == 1)) return i < 0 ? 0 : n - 1;
    const int64_t period = way == CPI_PAD_WRAP ? n : way == CPI_PAD_REFLECT ? 2 * n - 2 : 2 * n;
    i %= period;
    if (i < 0) i += period;
    return i < n ? i : way == CPI_PAD_REFLECT ? period - i : period - 1 - i;
}

#endif
