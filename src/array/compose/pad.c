/* Arrays with more elements around them, for the ways that take no argument but one value; python/cuprite/_pad.py has
 * the others. */
#include "compose/compose.h"
#include "shape/around.h"

/*: module("_padding", doc="What cuprite.pad is made of.") */
/*: words("pad_mode", "constant edge reflect symmetric wrap", c="cp_pad_mode") */

/* -1: the mode is none. */
static int way_of(cp_pad_mode mode)
{
    switch (mode) {
    case CP_PAD_MODE_CONSTANT: return CPI_PAD_VALUE;
    case CP_PAD_MODE_EDGE: return CPI_PAD_EDGE;
    case CP_PAD_MODE_REFLECT: return CPI_PAD_REFLECT;
    case CP_PAD_MODE_SYMMETRIC: return CPI_PAD_SYMMETRIC;
    case CP_PAD_MODE_WRAP: return CPI_PAD_WRAP;
    }
    return cpi_fail(CP_ERROR_VALUE, "pad: mode %d is none", (int)mode), -1;
}

/* Nothing can be made of an axis without elements but values. */
static bool can_extend(const cp_array *a, const int64_t *widths, int way)
{
    for (int i = 0; i < 2 * cp_ndim(a); i++) {
        if (widths[i] < 0) return cpi_fail(CP_ERROR_VALUE, "pad: index can't contain negative values"), false;
        if (way != CPI_PAD_VALUE && !cp_dim(a, i / 2) && widths[i])
            return cpi_fail(CP_ERROR_VALUE, "pad: can't extend empty axis %d using modes other than 'constant' or "
                            "'empty'", i / 2), false;
    }
    return true;
}

/*: function("pad", "a: array, widths: ints, mode: pad_mode, value: assigned", module="_padding",
             doc="""The array with elements around it: `widths` are how many before and behind each axis, `value` is
the number that the mode constant has there.""") */
cp_array *cp_pad(cp_array *a, int n, const int64_t *widths, cp_pad_mode mode, cp_array *value)
{
    int64_t before[CP_MAXDIM], behind[CP_MAXDIM];
    cpi_frame f;
    if ((n > 0 && cpi_null("pad", widths)) || cpi_null("pad", value) || !cpi_begin(&f, "pad", a)) return NULL;
    const int nd = cp_ndim(a), way = way_of(mode);
    if (n != 2 * nd)
        cpi_fail(CP_ERROR_VALUE, "pad: %d widths given, an array of %d axes has %d", n, nd, 2 * nd);
    if (n != 2 * nd || way < 0 || !can_extend(a, widths, way)) return cpi_end(&f, NULL);
    for (int i = 0; i < nd; i++) before[i] = widths[2 * i], behind[i] = widths[2 * i + 1];
    return cpi_end(&f, nd ? cpi_padded("pad", a, (cpi_pad_way)way, before, behind, value) : cp_copy(a));
}
