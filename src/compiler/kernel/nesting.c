/* How deep a source may be nested. Passes that follow the structure of statements call themselves once a level, and
 * compilers do. Invariant: behind this check no bracket is deeper than BRACKETS and no statement, by itself or as an
 * else, deeper than STATEMENTS. */
#include "core/memory.h"
#include "kernel/translate.h"

enum { BRACKETS = 1000, STATEMENTS = 4000 };

/* Heads of statements at one level of braces, whose statement has not ended: `if (a) for (;;) if (b)`. */
typedef struct level { int heads; } level;

static bool is_head(const cpi_token *w)
{
    static const char *const words[] = {"if", "for", "while", "do", "switch", NULL};
    return w->kind == CPI_W_NAME && cpi_token_is_one_of(w, words);
}

/* Follows token i: how many heads are open at its level. */
static int heads_at(const cpi_tokens *t, int i, level *l)
{
    const cpi_token *w = &t->at[i];
    bool ends = cpi_token_is(w, ";") || cpi_token_is(w, "}");
    if (is_head(w)) l->heads++;
    else if (ends && !cpi_token_is(&t->at[i + 1], "else")) l->heads = 0;
    return l->heads;
}

static int deepest_line(const cpi_tokens *t, level *stack, const char **what, int *most)
{
    int top = 0, total = 0;
    stack[0] = (level){0};
    for (int i = 0; i < t->n; i++) {
        const cpi_token *w = &t->at[i];
        if (w->match >= 0 && w->match < i) {
            total -= stack[top].heads;
            top--;
        }
        if (w->kind == CPI_W_NAME || w->kind == CPI_W_MARK) {
            total -= stack[top].heads;
            total += heads_at(t, i, &stack[top]);
        }
        if (w->match > i) {
            if (top == BRACKETS) return *what = "brackets", *most = BRACKETS, w->line;
            stack[++top] = (level){0};
        }
        if (total > STATEMENTS) return *what = "statements", *most = STATEMENTS, w->line;
    }
    return 0;
}

int cpi_cu_too_deep(const char *text, const char **what, int *most)
{
    cpi_tokens t;
    bool unbalanced;
    *what = NULL;
    if (!cpi_tokens_read(text, &t, &unbalanced)) return unbalanced ? 0 : -1;
    level *stack = cpi_malloc((BRACKETS + 1) * sizeof *stack);
    int line = stack ? deepest_line(&t, stack, what, most) : -1;
    cpi_free_host(stack);
    cpi_tokens_free(&t);
    return line;
}
