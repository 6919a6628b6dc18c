/* Arrays as strings: which elements are shown, and how lines are broken (numpy.array2string). Made of public
 * functions.
 *
 * Invariant: only elements that are shown are fetched from the device. */
#include "cuprite/arrayprint.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "core/shape.h"
#include "arrayprint/words.h"

typedef struct layout {
    int64_t threshold;
    int precision, edge, width;
    bool repr, suppress;
    const char *separator;
    bool summary;
    int ndim;
    int64_t full[CP_MAXDIM];  /* the array's shape */
    int64_t shown[CP_MAXDIM]; /* how many are shown */
} layout;

static void take_options(layout *l, const cp_print_options *o)
{
    o = CPI_GIVEN(cp_print_options, o);
    l->repr = o->repr;
    l->suppress = o->suppress;
    l->precision = o->precision < 0 ? 0 : o->precision == 0 ? 8 : o->precision < 400 ? o->precision : 400;
    l->threshold = o->threshold < 0 ? 0 : o->threshold == 0 ? 1000 : o->threshold;
    l->edge = o->edgeitems <= 0 ? 3 : o->edgeitems;
    l->width = (o->linewidth <= 0 ? 75 : o->linewidth) - l->repr; /* space for the ")" */
    l->separator = l->repr ? ", " : " ";
}

/* dst[at:at + n] = src[from:from + n] along an axis. */
static cp_code copy_range(cp_array *dst, cp_array *src, int axis, int64_t at, int64_t from, int64_t n)
{
    cp_index to_items[CP_MAXDIM], from_items[CP_MAXDIM];
    for (int i = 0; i < axis; i++) to_items[i] = from_items[i] = CP_FULL;
    to_items[axis] = CP_RANGE(at, at + n);
    from_items[axis] = CP_RANGE(from, from + n);
    cp_array *to = cp_slice(dst, axis + 1, to_items), *part = to ? cp_slice(src, axis + 1, from_items) : NULL;
    cp_code code = part ? cp_assign(to, part) : cp_error();
    cp_free(part);
    cp_free(to);
    return code;
}

/* The first and the last elements of x along an axis; frees x. */
static cp_array *ends(cp_array *x, int axis, int64_t edge)
{
    int64_t dims[CP_MAXDIM];
    int ndim = cp_ndim(x);
    memcpy(dims, cp_dims(x), (size_t)ndim * sizeof *dims);
    int64_t length = dims[axis];
    dims[axis] = 2 * edge;
    cp_array *y = cp_empty((cp_shape){ndim, dims}, cp_type_of(x));
    if (y && (copy_range(y, x, axis, 0, 0, edge) || copy_range(y, x, axis, edge, length - edge, edge))) {
        cp_free(y);
        y = NULL;
    }
    cp_free(x);
    return y;
}

/* x without the elements that a summary omits; a new reference. */
static cp_array *what_is_shown(cp_array *x, const layout *l)
{
    cp_array *y = cp_retain(x);
    for (int i = 0; y && i < l->ndim; i++)
        if (l->shown[i] != l->full[i]) y = ends(y, i, l->edge);
    return y;
}

/* The shown elements in host memory, in the widest type of their kind. */
static void *fetch(cp_array *x, const layout *l, int64_t *n)
{
    char kind = cp_type_kind(cp_type_of(x));
    cp_array *part = what_is_shown(x, l);
    cp_array *wide = cp_astype(part, kind == 'f'   ? CP_FLOAT64
                                     : kind == 'c' ? CP_COMPLEX128
                                     : kind == 'u' ? CP_UINT64
                                                   : CP_INT64);
    void *values = wide ? cpi_malloc((size_t)cp_nbytes(wide)) : NULL;
    *n = cp_size(wide);
    if (values && cp_to_host(wide, values, (size_t)cp_nbytes(wide))) {
        cpi_free_host(values);
        values = NULL;
    }
    cp_free(wide);
    cp_free(part);
    return values;
}

/* Adds a word to the line that began at `line` (less than 0 where it began further left), or to a new line. */
static void add_word(cpi_string *t, const cpi_string *word, int64_t *line, int indent, int width)
{
    int64_t length = (int64_t)t->length - *line;
    if (length + (int64_t)word->length > width && length > indent) {
        while (t->length && t->at[t->length - 1] == ' ') t->length--;
        cpi_string_fill(t, '\n', 1);
        *line = (int64_t)t->length;
        cpi_string_fill(t, ' ', indent);
    }
    cpi_string_add(t, word->at, word->length);
}

static const char dots[] = "...";

/* The last axis: elements from index `at` on, as many on a line as fit. */
static void write_row(cpi_string *t, const layout *l, const cpi_element_format *w, int64_t at, int indent, int width)
{
    int axis = l->ndim - 1;
    int64_t n = l->shown[axis], line = (int64_t)t->length - indent;
    cpi_string word = {0};
    for (int64_t i = 0; i < n && !t->failed; i++) {
        if (i == l->edge && n != l->full[axis]) {
            add_word(t, &(cpi_string){(char *)(uintptr_t)dots, 3, 4, false}, &line, indent, width - 1);
            cpi_string_add(t, l->separator, strlen(l->separator));
        }
        word.length = 0;
        cpi_number_words_write(&word, w, at + i);
        t->failed |= word.failed;
        if (t->failed) break;
        add_word(t, &word, &line, indent, width - 1);
        if (i < n - 1) cpi_string_add(t, l->separator, strlen(l->separator));
    }
    cpi_string_free(&word);
}

/* x[...] in brackets, where `at` is the index of its first element; lines after the first begin with `indent`
 * spaces. */
static void write_axis(cpi_string *t, const layout *l, const cpi_element_format *w, int axis, int64_t at, int indent,
                       int width)
{
    int64_t n = l->shown[axis], step = 1;
    for (int i = axis + 1; i < l->ndim; i++) step *= l->shown[i];
    cpi_string_fill(t, '[', 1);
    if (axis == l->ndim - 1) write_row(t, l, w, at, indent, width);
    for (int64_t i = 0; axis < l->ndim - 1 && i < n && !t->failed; i++) {
        bool skip = i == l->edge && n != l->full[axis];
        for (int part = !skip; part < 2; part++) { /* the dots, the item */
            if (i) {
                cpi_string_add(t, l->separator, l->repr);
                cpi_string_fill(t, '\n', l->ndim - axis - 1);
                cpi_string_fill(t, ' ', indent);
            }
            if (part == 0) cpi_string_add(t, dots, 3);
            else write_axis(t, l, w, axis + 1, at + i * step, indent + 1, width - 1);
        }
    }
    cpi_string_fill(t, ']', 1);
}

static bool type_is_implied(cp_type t)
{
    return t == CP_BOOL || t == CP_INT64 || t == CP_FLOAT64 || t == CP_COMPLEX128;
}

/* The rest of a repr: `, dtype=...)`, on a line of its own where it does not fit. */
static void write_extras(cpi_string *t, const layout *l, const cp_array *x)
{
    cpi_string extra = {0};
    char text[256];
    int64_t size = cp_size(x);
    if ((size == 0 && !(l->ndim == 1)) || l->summary) {
        const char *shape = cpi_shape_string(l->ndim, l->full, text, sizeof text);
        cpi_string_add(&extra, "shape=", 6);
        cpi_string_add(&extra, shape, strlen(shape));
    }
    if (size == 0 || !type_is_implied(cp_type_of(x))) {
        const char *name = cp_type_name(cp_type_of(x));
        cpi_string_add(&extra, ", dtype=", 8);
        cpi_string_add(&extra, name, strlen(name));
    }
    t->failed |= extra.failed;
    if (extra.length && !t->failed) {
        size_t from = extra.at[0] == ',' ? 2 : 0, last = t->length;
        cpi_string_add(t, ",", 1);
        while (last && t->at[last - 1] != '\n') last--;
        if (t->length - last + extra.length - from + 2 > (size_t)l->width + 1) {
            cpi_string_fill(t, '\n', 1);
            cpi_string_fill(t, ' ', 6);
        } else {
            cpi_string_fill(t, ' ', 1);
        }
        cpi_string_add(t, extra.at + from, extra.length - from);
    }
    cpi_string_free(&extra);
    cpi_string_fill(t, ')', 1);
}

static void write_array(cpi_string *t, const layout *l, const cp_array *x, const void *values, int64_t n)
{
    cpi_element_format w;
    int prefix = l->repr ? 6 : 0;
    cpi_string_add(t, "array(", (size_t)prefix);
    if (!n) {
        cpi_string_add(t, "[]", 2);
    } else if (!l->ndim && !l->repr) {
        cpi_scalar_write(t, cp_type_of(x), values);
    } else {
        cpi_number_words_prepare(&w, cp_type_of(x), values, n, l->precision, l->suppress);
        if (!l->ndim) {
            size_t from = t->length;
            cpi_number_words_write(t, &w, 0);
            if (!t->failed && t->at[from] == ' ') { /* " True" is padded for columns */
                memmove(t->at + from, t->at + from + 1, t->length - from);
                t->length--;
            }
        } else {
            write_axis(t, l, &w, 0, 0, prefix + 1, l->width);
        }
    }
    if (l->repr) write_extras(t, l, x);
}

char *(cp_array_to_string)(cp_array *x, const cp_print_options *options)
{
    if (cpi_null("array_to_string", x)) return NULL;
    layout l = {.ndim = cp_ndim(x)};
    take_options(&l, options);
    l.summary = cp_size(x) > l.threshold;
    for (int i = 0; i < l.ndim; i++) {
        l.full[i] = l.shown[i] = cp_dims(x)[i];
        if (l.summary && l.full[i] > 2 * (int64_t)l.edge) l.shown[i] = 2 * (int64_t)l.edge;
    }
    int64_t n;
    void *values = fetch(x, &l, &n);
    if (!values) return NULL;
    cpi_string t = {0};
    write_array(&t, &l, x, values, n);
    cpi_free_host(values);
    if (!t.failed) return t.at;
    cpi_string_free(&t);
    return NULL;
}

void cp_string_free(char *text) { cpi_free_host(text); }

cp_code (cp_fprint)(FILE *file, cp_array *x, const cp_print_options *options)
{
    if (cpi_null("print", file) || cpi_null("print", x)) return cp_error();
    char *text = (cp_array_to_string)(x, options);
    if (!text) return cp_error();
    bool written = fputs(text, file) >= 0 && putc('\n', file) != EOF;
    cp_string_free(text);
    return written ? CP_OK : cpi_fail(CP_ERROR_IO, "print: the string cannot be written");
}

cp_code (cp_print)(cp_array *x, const cp_print_options *options) { return (cp_fprint)(stdout, x, options); }
