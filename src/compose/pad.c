/* Arrays with more elements around them, for the ways that take no argument but one value; python/cuprite/_pad.py has
 * the others. Axis after axis is padded, each over what the axes before it have got already, so corners are NumPy's. */
#include "compose/compose.h"

/* One axis of what is padded: the places start..stop-1 of `size` are there, later axes without their own padding. */
typedef struct side {
    cp_array *padded;
    const int64_t *widths;
    int axis;
    int64_t start, stop, size;
} side;

static cp_array *part(const side *s, int64_t from, int64_t to)
{
    cp_index items[CP_MAXDIM];
    const int nd = cp_ndim(s->padded);
    for (int i = 0; i < s->axis; i++) items[i] = CP_FULL;
    items[s->axis] = CP_RANGE(from, to);
    for (int i = s->axis + 1; i < nd; i++)
        items[i] = CP_RANGE(s->widths[2 * i], cp_dim(s->padded, i) - s->widths[2 * i + 1]);
    return cp_slice(s->padded, nd, items);
}

/* Places from..to-1 become `value`, which may broadcast. */
static cp_code put(const side *s, int64_t from, int64_t to, cp_array *value)
{
    if (from == to) return CP_OK;
    cp_array *place = value ? part(s, from, to) : NULL;
    return place ? cp_assign(place, value) : cp_error();
}

static cp_code put_edges(const side *s)
{
    cp_code code = s->start ? put(s, 0, s->start, part(s, s->start, s->start + 1)) : CP_OK;
    return code || s->stop == s->size ? code : put(s, s->stop, s->size, part(s, s->stop - 1, s->stop));
}

/* Elements in reverse order, step after step outwards, each as long as what was there at first. */
static cp_code put_mirrored(side s, bool with_edge)
{
    const int64_t step = s.stop - s.start - !with_edge;
    cp_code code = CP_OK;
    while (s.start > 0 && !code) {
        const int64_t n = step < s.start ? step : s.start, first = s.start + !with_edge;
        cp_array *chunk = part(&s, first, first + n);
        code = put(&s, s.start - n, s.start, chunk ? cp_flip(chunk, CP_AXES(s.axis)) : NULL);
        s.start -= n;
    }
    while (s.stop < s.size && !code) {
        const int64_t n = step < s.size - s.stop ? step : s.size - s.stop, last = s.stop - !with_edge;
        cp_array *chunk = part(&s, last - n, last);
        code = put(&s, s.stop, s.stop + n, chunk ? cp_flip(chunk, CP_AXES(s.axis)) : NULL);
        s.stop += n;
    }
    return code;
}

static cp_code put_wrapped(side s)
{
    const int64_t n = s.stop - s.start;
    cp_code code = CP_OK;
    while (s.start > 0 && !code) {
        const int64_t k = n < s.start ? n : s.start;
        code = put(&s, s.start - k, s.start, part(&s, s.start + n - k, s.start + n));
        s.start -= k;
    }
    while (s.stop < s.size && !code) {
        const int64_t k = n < s.size - s.stop ? n : s.size - s.stop;
        code = put(&s, s.stop, s.stop + k, part(&s, s.stop - n, s.stop - n + k));
        s.stop += k;
    }
    return code;
}

/*: module("_padding", doc="What cuprite.pad is made of.") */
/*: words("pad_mode", "constant edge reflect symmetric wrap", c="cp_pad_mode") */

static cp_code put_side(side s, int64_t there, cp_pad_mode mode, cp_array *value)
{
    cp_code code;
    switch (mode) {
    case CP_PAD_MODE_CONSTANT: return (code = put(&s, 0, s.start, value)) ? code : put(&s, s.stop, s.size, value);
    case CP_PAD_MODE_EDGE: return put_edges(&s);
    case CP_PAD_MODE_REFLECT: return there == 1 ? put_edges(&s) : put_mirrored(s, false);
    case CP_PAD_MODE_SYMMETRIC: return put_mirrored(s, true);
    case CP_PAD_MODE_WRAP: return put_wrapped(s);
    }
    return cpi_fail(CP_ERROR_VALUE, "pad: mode %d is none", (int)mode);
}

/* Nothing but its shape, in a's order. */
static cp_array *room_for(cp_array *a, const int64_t *widths)
{
    const int nd = cp_ndim(a);
    const bool turned = cp_is_f_contiguous(a) && !cp_is_c_contiguous(a);
    int64_t shape[CP_MAXDIM];
    for (int i = 0; i < nd; i++) {
        int64_t *to = &shape[turned ? nd - 1 - i : i];
        if (widths[2 * i] < 0 || widths[2 * i + 1] < 0)
            return cpi_fail(CP_ERROR_VALUE, "pad: index can't contain negative values"), NULL;
        if (__builtin_add_overflow(widths[2 * i], widths[2 * i + 1], to) ||
            __builtin_add_overflow(*to, cp_dim(a, i), to))
            return cpi_fail(CP_ERROR_VALUE, "pad: the result has too many elements"), NULL;
    }
    cp_array *r = cp_empty((cp_shape){nd, shape}, cp_type_of(a));
    return r && turned ? cp_transpose(r, CP_ALL) : r;
}

/*: function("pad", "a: array, widths: ints, mode: pad_mode, value: assigned", module="_padding",
             doc="""The array with elements around it: `widths` are how many before and behind each axis, `value` is
what the mode constant has there.""") */
cp_array *cp_pad(cp_array *a, int n, const int64_t *widths, cp_pad_mode mode, cp_array *value)
{
    cpi_frame f;
    if ((n > 0 && cpi_null("pad", widths)) || cpi_null("pad", value) || !cpi_begin(&f, "pad", a)) return NULL;
    const int nd = cp_ndim(a);
    if (n != 2 * nd)
        return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "pad: %d widths given, an array of %d axes has %d", n, nd, 2 * nd),
                            NULL));
    cp_array *r = room_for(a, widths);
    side s = {r, widths, -1, 0, 0, 0};
    if (!r) return cpi_end(&f, NULL);
    if (!cp_size(a) && mode != CP_PAD_MODE_CONSTANT)
        for (int i = 0; i < nd; i++)
            if (!cp_dim(a, i) && (widths[2 * i] || widths[2 * i + 1]))
                return cpi_end(&f, (cpi_fail(CP_ERROR_VALUE, "pad: can't extend empty axis %d using modes other than "
                                             "'constant' or 'empty'", i), NULL));
    if (!cp_size(r)) return cpi_end(&f, r);
    cp_array *middle = nd ? part(&(side){r, widths, 0, 0, 0, 0}, widths[0], cp_dim(r, 0) - widths[1]) : r;
    cp_code code = middle ? cp_assign(middle, a) : cp_error();
    for (s.axis = 0; s.axis < nd && !code && (cp_size(a) || mode == CP_PAD_MODE_CONSTANT); s.axis++) {
        s.size = cp_dim(r, s.axis);
        s.start = widths[2 * s.axis], s.stop = s.size - widths[2 * s.axis + 1];
        code = put_side(s, cp_dim(a, s.axis), mode, value);
    }
    return cpi_end(&f, code ? NULL : r);
}
