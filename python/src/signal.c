/* Convolution: cuprite.convolve and cuprite.scipy.signal. */
#include "cpy.h"

static const char *const modes[] = {"full", "valid", "same", NULL};        /* cp_mode's order */
/* cp_boundary's order, then SciPy's other words for the same */
static const char *const boundaries[] = {"fill", "wrap", "symm", "pad", "circular", "symmetric", NULL};

CPY_FUNCTION(convolve, "a, v, mode='full'",
             "1-d convolution; the operands are swapped where v is the longer one. ValueError for empty ones.")
{
    cp_array *r, *x = cpy_need(a[0]), *y = x ? cpy_need(a[1]) : NULL;
    int mode;
    if (!y || !cpy_word(a[2], "mode", modes, CP_MODE_FULL, &mode)) return NULL;
    CPY_UNLOCKED(r = cp_convolve(x, y, (cp_mode)mode));
    return cpy_wrap(r);
}

typedef cp_array *(*filter)(cp_array *a, cp_array *b, cp_mode mode, cp_boundary boundary, cp_array *fillvalue);
static PyObject *filter2d(filter f, PyObject *const *a)
{
    cp_array *x = cpy_need(a[0]), *y = x ? cpy_need(a[1]) : NULL, *value = NULL, *r;
    int mode, boundary;
    bool own = false;
    if (!y || !cpy_word(a[2], "mode", modes, CP_MODE_FULL, &mode) || !cpy_word(a[3], "boundary", boundaries, CP_BOUNDARY_FILL, &boundary))
        return NULL;
    if (cpy_given(a[4]) && !(value = cpy_operand(a[4], x, &own))) return NULL;
    CPY_UNLOCKED(r = f(x, y, (cp_mode)mode, (cp_boundary)(boundary % 3), value));
    if (own) cp_free(value);
    return cpy_wrap(r);
}

CPY_FUNCTION_IN("scipy.signal", convolve2d, "convolve2d", "in1, in2, mode='full', boundary='fill', fillvalue=0",
                "2-d convolution. mode: 'full', 'valid', 'same'; boundary: 'fill' (with fillvalue), 'wrap', 'symm'.\n"
                "TypeError for anything but Cuprite's arrays, ValueError for other than two axes.")
{
    return filter2d(cp_convolve2d, a);
}

CPY_FUNCTION_IN("scipy.signal", correlate2d, "correlate2d", "in1, in2, mode='full', boundary='fill', fillvalue=0",
                "2-d cross-correlation. mode: 'full', 'valid', 'same'; boundary: 'fill' (with fillvalue), 'wrap', 'symm'.")
{
    return filter2d(cp_correlate2d, a);
}
