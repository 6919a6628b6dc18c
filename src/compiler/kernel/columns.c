/* Kernels without barriers whose neighbours along x write far apart and whose neighbours along y write side by side, as
 * transposes do: `y[c * n + r] = x[r * n + c];` with c = ... + threadIdx.x and r = ... + threadIdx.y. The threads of a
 * column are then run one after the other, so that a line of the cache is filled while it is there.
 *
 * Invariant: the order of a block's threads is nobody's business without barriers, so that what is found here decides
 * about speed alone; kernels with atomic operations or output keep their order, which people look at. */
#include <string.h>

#include "kernel/translate.h"

enum { NEITHER = 0, X = 1, Y = 2 };

static bool is(const cpi_cu_program *p, int i, const char *text) { return cpi_token_is(&p->tokens.at[i], text); }

static int index_at(const cpi_cu_program *p, int i)
{
    if (!is(p, i, "threadIdx") || !is(p, i + 1, ".")) return NEITHER;
    return is(p, i + 2, "x") ? X : is(p, i + 2, "y") ? Y : NEITHER;
}

/* Which of a thread's indices the name at i was declared with, `int c = ... + threadIdx.x`: both are neither. */
static int axis_of(const cpi_cu_program *p, const cpi_cu_function *f, int i)
{
    if (index_at(p, i)) return index_at(p, i);
    if (p->tokens.at[i].kind != CPI_W_NAME || is(p, i - 1, ".") || is(p, i + 1, "(")) return NEITHER;
    for (int k = f->body + 2; k < i; k++) {
        const bool declared = is(p, k + 1, "=") && (p->tokens.at[k - 1].kind == CPI_W_NAME || is(p, k - 1, ","));
        if (!declared || !cpi_token_same(&p->tokens.at[k], &p->tokens.at[i])) continue;
        int found = NEITHER;
        for (int q = k + 2; q < i && !is(p, q, ";") && !is(p, q, ","); q++) found |= index_at(p, q);
        return found == (X | Y) ? NEITHER : found;
    }
    return NEITHER;
}

/* Whether what is at i, or the parentheses around it behind `open`, is multiplied by a name. */
static bool is_scaled(const cpi_cu_program *p, int i, int open)
{
    for (int first = i, last = index_at(p, i) ? i + 3 : i + 1;;) {
        if (is(p, last, "*") && p->tokens.at[last + 1].kind == CPI_W_NAME) return true;
        if (is(p, first - 1, "*") && p->tokens.at[first - 2].kind == CPI_W_NAME) return true;
        int outer = first - 1;
        while (outer > open && !(is(p, outer, "(") && p->tokens.at[outer].match >= last)) outer--;
        if (outer <= open) return false;
        first = outer, last = p->tokens.at[outer].match + 1;
    }
}

/* Whether the index between the brackets goes along y from element to element, and along x in larger steps. */
static bool is_column(const cpi_cu_program *p, const cpi_cu_function *f, int open)
{
    bool far = false, near = false;
    for (int i = open + 1; i < p->tokens.at[open].match; i++) {
        const int axis = axis_of(p, f, i);
        const bool scaled = axis && is_scaled(p, i, open);
        if (axis == X ? !scaled : axis == Y && scaled) return false;
        far = far || axis == X, near = near || axis == Y;
        if (index_at(p, i)) i += 2;
    }
    return far && near;
}

bool cpi_cu_by_columns(const cpi_cu_program *p, const cpi_cu_function *f)
{
    bool found = false;
    for (int i = f->body + 2; i < f->end - 1; i++) {
        const cpi_token *w = &p->tokens.at[i];
        if (w->length > 6 && memcmp(w->text, "atomic", 6) == 0) return false;
        if (is(p, i, "printf")) return false;
        if (!is(p, i, "[") || w->match < i) continue;
        const int behind = w->match + 1;
        if (!is(p, behind, "=") && !is(p, behind, "+=")) continue;
        if (!is_column(p, f, i)) return false;
        found = true;
    }
    return found;
}
