/* The subscripts of einsum: which label each axis has, and how long a label is. Errors are NumPy's. */
#include <ctype.h>
#include <string.h>

#include "core/error.h"
#include "products/einsum.h"

static int letter(char c) { return c >= 'a' ? c - 'a' + 26 : c - 'A'; }

static const char *past_spaces(const char *s)
{
    while (*s == ' ') s++;
    return s;
}

/* One operand's subscripts up to a comma, an arrow or the end; *s goes there. *dots: place of the ellipsis, or -1. */
static cp_code read_list(const char **s, cpi_einsum_term *t, int *dots)
{
    t->n = 0, *dots = -1;
    for (;;) {
        *s = past_spaces(*s);
        char c = **s;
        if (!c || c == ',' || (c == '-' && (*s)[1] == '>')) return CP_OK;
        if (c == '.') {
            if (*dots >= 0 || strncmp(*s, "...", 3) != 0)
                return cpi_fail(CP_ERROR_VALUE, "einsum: einstein sum subscripts string contains a '.' that is not "
                                "part of an ellipsis ('...')");
            *dots = t->n, *s += 3;
            continue;
        }
        if (!isalpha((unsigned char)c))
            return cpi_fail(CP_ERROR_VALUE, "einsum: invalid subscript '%c' in einstein sum subscripts string, "
                            "subscripts must be letters", c);
        if (t->n == CP_MAXDIM)
            return cpi_fail(CP_ERROR_VALUE, "einsum: einstein sum subscripts string contains too many subscripts");
        t->label[t->n++] = (unsigned char)letter(c), ++*s;
    }
}

/* The ellipsis at place `dots` of the list becomes `n` labels, those of the last axes of an ellipsis. */
static void expand(cpi_einsum_term *t, int dots, int n)
{
    memmove(t->label + dots + n, t->label + dots, (size_t)(t->n - dots));
    for (int i = 0; i < n; i++) t->label[dots + i] = (unsigned char)(CPI_LETTERS + n - 1 - i);
    t->n += n;
}

static cp_code fit(cpi_einsum_term *t, int dots, const cp_array *x, int axis_of)
{
    if (t->n > x->ndim)
        return cpi_fail(CP_ERROR_VALUE, "einsum: einstein sum subscripts string contains too many subscripts for "
                        "operand %d", axis_of);
    if (t->n < x->ndim && dots < 0)
        return cpi_fail(CP_ERROR_VALUE, "einsum: operand has more dimensions than subscripts given in einstein sum, "
                        "but no '...' ellipsis provided to broadcast the extra dimensions.");
    if (dots >= 0) expand(t, dots, x->ndim - t->n);
    return CP_OK;
}

static cp_code read_operands(cpi_einsum *e, const char **s, int n, cp_array *const *operands, int *most)
{
    for (int i = 0; i < n; i++) {
        int dots, own;
        if (read_list(s, &e->in[i], &dots)) return cp_error();
        own = operands[i]->ndim - e->in[i].n;
        if (fit(&e->in[i], dots, operands[i], i)) return cp_error();
        if (dots >= 0 && own > *most) *most = own;
        if (i < n - 1 && **s != ',')
            return cpi_fail(CP_ERROR_VALUE, "einsum: more operands provided to einstein sum function than specified in "
                            "the subscripts string");
        if (i == n - 1 && **s == ',')
            return cpi_fail(CP_ERROR_VALUE, "einsum: fewer operands provided to einstein sum function than specified "
                            "in the subscripts string");
        *s += **s == ',';
    }
    return CP_OK;
}

/* Without an arrow: the axes of the ellipsis, then the letters that stand once. */
static void implicit_output(cpi_einsum *e, int most)
{
    int times[CPI_LETTERS] = {0};
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < e->in[i].n; j++)
            if (e->in[i].label[j] < CPI_LETTERS) times[e->in[i].label[j]]++;
    e->out.n = 0;
    for (int c = 0; c < CPI_LETTERS; c++) /* in the order of characters: capitals first */
        if (times[c] == 1) e->out.label[e->out.n++] = (unsigned char)c;
    expand(&e->out, 0, most);
}

static cp_code explicit_output(cpi_einsum *e, const char *s, int most, cpi_label_set there)
{
    int dots;
    cpi_label_set seen = 0;
    s += 2;
    if (read_list(&s, &e->out, &dots)) return cp_error();
    if (*s) return cpi_fail(CP_ERROR_VALUE, "einsum: invalid subscript '%c' in einstein sum subscripts string, "
                            "subscripts must be letters", *s);
    for (int i = 0; i < e->out.n; i++) {
        int label = e->out.label[i];
        char c = (char)(label >= 26 ? 'a' + label - 26 : 'A' + label);
        if (!(there & CPI_LABEL(label)))
            return cpi_fail(CP_ERROR_VALUE, "einsum: einstein sum subscripts string included output subscript '%c' "
                            "which never appeared in an input", c);
        if (seen & CPI_LABEL(label))
            return cpi_fail(CP_ERROR_VALUE, "einsum: einstein sum subscripts string includes output subscript '%c' "
                            "multiple times", c);
        seen |= CPI_LABEL(label);
    }
    if (dots < 0 && most > 0)
        return cpi_fail(CP_ERROR_VALUE, "einsum: output subscripts must contain an ellipsis ('...') where the "
                        "operands' have broadcast dimensions");
    if (e->out.n + (dots >= 0 ? most : 0) > CP_MAXDIM)
        return cpi_fail(CP_ERROR_VALUE, "einsum: the result would have more than %d dimensions", CP_MAXDIM);
    if (dots >= 0) expand(&e->out, dots, most);
    return CP_OK;
}

/* The extent of each label: those of all its axes but 1, which are equal. */
static cp_code find_extents(cpi_einsum *e, cp_array *const *operands)
{
    for (int i = 0; i < CPI_LABELS; i++) e->extent[i] = 1;
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j < e->in[i].n; j++) {
            int label = e->in[i].label[j];
            int64_t n = operands[i]->shape[j], *known = &e->extent[label];
            for (int k = 0; k < j; k++) /* a diagonal broadcasts nothing */
                if (e->in[i].label[k] == label && operands[i]->shape[k] != n)
                    return cpi_fail(CP_ERROR_VALUE, "einsum: dimensions in operand %d for collapsing index '%c' don't "
                                    "match (%lld != %lld)", i, (char)(label >= 26 ? 'a' + label - 26 : 'A' + label),
                                    (long long)operands[i]->shape[k], (long long)n);
            if (*known == 1 || n == *known) *known = n;
            else if (n != 1)
                return cpi_fail(CP_ERROR_VALUE, "einsum: operands could not be broadcast together: an axis of operand "
                                "%d has %lld elements where others of its subscript have %lld", i, (long long)n,
                                (long long)*known);
        }
    return CP_OK;
}

cp_code cpi_einsum_parse(cpi_einsum *e, const char *subscripts, int n, cp_array *const *operands)
{
    if (n < 1 || n > CPI_TERMS)
        return cpi_fail(CP_ERROR_VALUE, "einsum: %d operands given, 1 to %d are possible", n, CPI_TERMS);
    const char *s = subscripts;
    int most = 0;
    cpi_label_set there = 0;
    e->n = n;
    if (read_operands(e, &s, n, operands, &most)) return cp_error();
    for (int i = 0; i < n; i++) there |= cpi_labels_of(&e->in[i]);
    if (*s && explicit_output(e, s, most, there)) return cp_error();
    if (!*s) implicit_output(e, most);
    return find_extents(e, operands);
}
