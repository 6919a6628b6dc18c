/* Inline PTX: asm statements become blocks of C++ in one line: see ptx.h.
 *
 * The operands become local variables of their constraint's type, the instructions statements on them, in their order;
 * at the end the variables that are outputs are assigned. Registers that the text declares are local variables too.
 * Invariant: what is not understood is refused by its name; nothing is guessed. */
#include "kernel/ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static bool refuse(const cpi_ptx *x, const char *what, size_t length)
{
    cpi_fail(CP_ERROR_UNSUPPORTED, "line %d: inline PTX: %.*s is not available on the CPU device "
             "(docs/guide/kernels.md says what is)", x->line, (int)length, what);
    return false;
}

/* --- the text of the instructions --- */

/* The string literals from token i on, joined, without their escapes; i is then behind them. */
static bool read_text(const cpi_tokens *t, int *i, int end, cpi_string *text)
{
    for (; *i < end && t->at[*i].kind == CPI_W_STRING; ++*i) {
        const char *p = t->at[*i].text, *last = p + t->at[*i].length - 1;
        if (*p == 'R' && p[1] == '"') {
            p = memchr(p, '(', (size_t)(last - p));
            while (last > p && *last != ')') last--;
            if (p) cpi_string_add(text, p + 1, (size_t)(last - p - 1));
            continue;
        }
        for (p++; p < last; p++) {
            char c = *p;
            if (c == '\\' && p + 1 < last) c = *++p == 'n' ? '\n' : *p == 't' || *p == 'r' ? ' ' : *p;
            cpi_string_add(text, &c, 1);
        }
    }
    return !text->failed;
}

typedef struct operand { int name, first, last; bool reads, writes; } operand; /* token indices; name: -1: none */

/* `[name] "=r"(expression), ...` from i on; returns what is behind. */
static int read_operands(const cpi_tokens *t, int i, int end, cpi_ptx *x, operand *o, bool outputs)
{
    while (i < end && !cpi_token_is(&t->at[i], ":") && !cpi_token_is(&t->at[i], "::")) {
        int name = -1;
        if (cpi_token_is(&t->at[i], "[")) name = i + 1, i = t->at[i].match + 1;
        const cpi_token *w = &t->at[i];
        if (w->kind != CPI_W_STRING || !cpi_token_is(w + 1, "(") || x->noperands == CPI_PTX_OPERANDS) return -1;
        const char *c = w->text + 1;
        bool both = *c == '+';
        while (*c == '=' || *c == '+' || *c == '&') c++;
        x->constraint[x->noperands] = *c;
        o[x->noperands++] = (operand){name, i + 2, t->at[i + 1].match, both || !outputs, outputs};
        i = t->at[i + 1].match + 1;
        if (i < end && cpi_token_is(&t->at[i], ",")) i++;
    }
    return i;
}

/* %0, %[name] and %%: see cpi_ptx. */
static bool place_operands(const cpi_tokens *t, const cpi_ptx *x, const operand *o, const char *from, cpi_string *to)
{
    static const char place = CPI_PTX_MARK;
    for (const char *p = from; *p; p++) {
        if (p[0] == '%' && isdigit((unsigned char)p[1])) {
            cpi_string_add(to, &place, 1);
        } else if (p[0] == '%' && p[1] == '[') {
            size_t n = strcspn(p + 2, "]");
            int k = 0;
            while (k < x->noperands && !(o[k].name >= 0 && t->at[o[k].name].length == n &&
                                         memcmp(t->at[o[k].name].text, p + 2, n) == 0))
                k++;
            if (k == x->noperands || p[2 + n] != ']') return refuse(x, p, n + 2);
            cpi_string_printf(to, "%c%d", CPI_PTX_MARK, k);
            p += n + 2;
        } else {
            cpi_string_add(to, p, 1);
            if (p[0] == '%' && p[1] == '%') p++;
        }
    }
    return !to->failed;
}

/* --- statements --- */

static const char *skip_blank(const char *p)
{
    for (;;) {
        if (isspace((unsigned char)*p)) p++;
        else if (p[0] == '/' && p[1] == '/') p += strcspn(p, "\n");
        else if (p[0] == '/' && p[1] == '*') p = strstr(p + 2, "*/") ? strstr(p + 2, "*/") + 2 : p + strlen(p);
        else return p;
    }
}

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static size_t trimmed(const char **p, size_t n)
{
    while (n && isspace((unsigned char)**p)) ++*p, --n;
    while (n && isspace((unsigned char)(*p)[n - 1])) --n;
    return n;
}

/* `.reg .u32 a, b<4>;` from behind .reg on. */
static bool put_registers(cpi_ptx *x, const char *p, const char *end)
{
    char part[CPI_PTX_WORD];
    p = skip_blank(p);
    size_t n = strcspn(p, " \t\n");
    if (n >= sizeof part) return refuse(x, p, n);
    memcpy(part, p, n);
    part[n] = 0;
    const char *type = cpi_ptx_type(part + (*part == '.'));
    if (!type) return refuse(x, p, n);
    for (p += n; p < end;) {
        n = strcspn(p, ",;");
        const char *name = p;
        p += n + 1;
        n = trimmed(&name, n);
        const char *angle = memchr(name, '<', n);
        int count = angle ? atoi(angle + 1) : -1;
        if (angle) n = (size_t)(angle - name);
        if (*name == '%') name++, n--;
        for (int i = 0; i < (count < 0 ? 1 : count); i++) {
            cpi_string_printf(x->out, "%s __r_%.*s", type, (int)n, name);
            cpi_string_printf(&x->registers, " %.*s", (int)n, name);
            if (count >= 0) cpi_string_printf(x->out, "%d", i), cpi_string_printf(&x->registers, "%d", i);
            cpi_string_printf(x->out, " = 0; ");
            cpi_string_printf(&x->registers, " ");
        }
    }
    return true;
}

/* The opcode's parts and the operands of the instruction from p to end. */
static bool read_instruction(const cpi_ptx *x, const char *p, const char *end, cpi_ptx_instruction *i)
{
    memset(i, 0, sizeof *i);
    size_t n = 0;
    while (p + n < end && !isspace((unsigned char)p[n])) n++;
    if (n >= sizeof i->opcode) return refuse(x, p, n);
    memcpy(i->opcode, p, n);
    for (const char *w = i->opcode; *w;) {
        size_t k = strcspn(w, ".");
        if (i->nparts == CPI_PTX_PARTS || k >= CPI_PTX_WORD) return refuse(x, p, n);
        memcpy(i->parts[i->nparts++], w, k);
        w += k + (w[k] == '.');
    }
    for (p += n; p < end;) {
        int depth = 0;
        const char *from = p;
        for (; p < end && !(depth == 0 && *p == ','); p++)
            depth += (*p == '{' || *p == '[' || *p == '(') - (*p == '}' || *p == ']' || *p == ')');
        size_t length = trimmed(&from, (size_t)(p - from));
        if (i->noperands == CPI_PTX_PARTS) return refuse(x, i->opcode, strlen(i->opcode));
        if (length) i->operand[i->noperands] = from, i->length[i->noperands++] = length;
        p++;
    }
    return true;
}

/* Behind `LABEL:` at p, NULL where there is none. */
static const char *behind_label(const char *p)
{
    if (!isalpha((unsigned char)*p) && *p != '_' && *p != '$') return NULL;
    while (is_word(*p)) p++;
    p = skip_blank(p);
    return *p == ':' && p[1] != ':' ? p + 1 : NULL;
}

static bool put_guarded(cpi_ptx *x, const char *p, const char *end)
{
    cpi_ptx_instruction i;
    bool guarded = *p == '@';
    if (guarded) {
        p = skip_blank(p + 1);
        bool turned = *p == '!';
        const char *name = p = skip_blank(p + turned);
        while (p < end && !isspace((unsigned char)*p)) p++;
        cpi_string_printf(x->out, "if (%s", turned ? "!" : "");
        if (!cpi_ptx_put_source(x, name, (size_t)(p - name), "bool")) return refuse(x, name, (size_t)(p - name));
        cpi_string_printf(x->out, ") { ");
        p = skip_blank(p);
    }
    if (!read_instruction(x, p, end, &i)) return false;
    if (strcmp(i.opcode, "bra") == 0 || strcmp(i.opcode, "bra.uni") == 0) {
        if (i.noperands != 1) return refuse(x, i.opcode, strlen(i.opcode));
        cpi_string_printf(x->out, "goto __l%d_%.*s; ", x->number, (int)i.length[0], i.operand[0]);
    } else if (!cpi_ptx_put(x, &i)) {
        for (int k = 0; k < i.noperands; k++)
            if (cpi_ptx_is_unknown(x, i.operand[k], i.length[k])) return refuse(x, i.operand[k], i.length[k]);
        return refuse(x, i.opcode, strlen(i.opcode));
    }
    if (guarded) cpi_string_printf(x->out, "} ");
    return true;
}

static bool put_statements(cpi_ptx *x, const char *text)
{
    for (const char *p = skip_blank(text); *p; p = skip_blank(p)) {
        const char *label = behind_label(p), *end = p + strcspn(p, ";");
        if (*p == '{' || *p == '}' || *p == ';') {
            if (*p != ';') cpi_string_printf(x->out, "%c ", *p);
            p++;
        } else if (label) {
            cpi_string_printf(x->out, "__l%d_%.*s:; ", x->number, (int)strcspn(p, " \t\n:"), p);
            p = label;
        } else if (strncmp(p, ".reg", 4) == 0) {
            if (!put_registers(x, p + 4, end)) return false;
            p = end + (*end == ';');
        } else {
            if (!put_guarded(x, p, end)) return false;
            p = end + (*end == ';');
        }
    }
    return true;
}

static const char *operand_type(char constraint)
{
    switch (constraint) {
    case 'h': return "unsigned short";
    case 'r': return "unsigned";
    case 'l': return "unsigned long long";
    case 'q': return "unsigned __int128";
    case 'f': return "float";
    case 'd': return "double";
    case 'n': return "long long";
    default: return NULL;
    }
}

/* Tokens first to last - 1 in one line. */
static void put_expression(const cpi_tokens *t, int first, int last, cpi_string *out)
{
    for (int i = first; i < last; i++)
        cpi_string_printf(out, "%.*s ", (int)t->at[i].length, t->at[i].text);
}

/* Operands' expressions stand before all names of the block's own. */
static bool put_block(cpi_ptx *x, const cpi_tokens *t, const operand *o, const char *text)
{
    cpi_string_printf(x->out, "{ ");
    for (int k = 0; k < x->noperands; k++) {
        const char *type = operand_type(x->constraint[k]);
        if (!type) return refuse(x, t->at[o[k].first - 2].text, t->at[o[k].first - 2].length);
        if (o[k].writes) {
            cpi_string_printf(x->out, "auto &__o%d = (", k);
            put_expression(t, o[k].first, o[k].last, x->out);
            cpi_string_printf(x->out, "); ");
        }
        cpi_string_printf(x->out, "%s __p%d = ", type, k);
        if (!o[k].reads) {
            cpi_string_printf(x->out, "0; ");
        } else {
            cpi_string_printf(x->out, "__cu_operand<%s>(", type);
            if (o[k].writes) cpi_string_printf(x->out, "__o%d", k);
            else put_expression(t, o[k].first, o[k].last, x->out);
            cpi_string_printf(x->out, "); ");
        }
    }
    if (!put_statements(x, text)) return false;
    for (int k = 0; k < x->noperands; k++)
        if (o[k].writes) cpi_string_printf(x->out, "__cu_result(__o%d, __p%d); ", k, k);
    cpi_string_printf(x->out, "}");
    return true;
}

/* Whether token i stands in the body of a kernel: the outermost braces with parameters before them. */
static bool in_kernel(const cpi_tokens *t, int i)
{
    static const char *const ends[] = {";", "}", "{", NULL};
    bool kernel = false;
    for (int k = 0; k < i; k++) {
        if (!cpi_token_is(&t->at[k], "{") || t->at[k].match < i || !k || !cpi_token_is(&t->at[k - 1], ")")) continue;
        for (int m = t->at[k - 1].match; m >= 0 && !cpi_token_is_one_of(&t->at[m], ends); m--)
            kernel = kernel || cpi_token_is(&t->at[m], "__global__");
        return kernel;
    }
    return false;
}

/* Writes the asm statement at token i; returns what is behind its ;, -1: with an error record. */
static int put_asm(const cpi_tokens *t, int i, int number, cpi_string *out)
{
    static const char *const marks[] = {"volatile", "__volatile__", "inline", "__inline__", NULL};
    cpi_ptx x = {.out = out, .line = t->at[i].line, .number = number};
    operand o[CPI_PTX_OPERANDS];
    cpi_string text = {0}, placed = {0};
    int at = i + 1;
    while (cpi_token_is_one_of(&t->at[at], marks)) at++;
    int open = at, end = cpi_token_is(&t->at[at], "(") ? t->at[at].match : -1;
    bool done = end > 0 && cpi_token_is(&t->at[end + 1], ";");
    at++;
    done = done && read_text(t, &at, end, &text);
    for (int part = 0; done && at < end && part < 3; part++) { /* outputs, inputs, what is overwritten */
        bool two = cpi_token_is(&t->at[at], "::");
        if (!two && !cpi_token_is(&t->at[at], ":")) done = false;
        at++;
        if (two) part++;
        if (done && part < 2) at = read_operands(t, at, end, &x, o, part == 0);
        if (part >= 2) at = end;
        done = done && at >= 0;
    }
    x.kernel = in_kernel(t, i);
    if (!done) {
        refuse(&x, t->at[open].text, t->at[open].length);
        at = -1;
    } else {
        bool none = !text.at;
        done = none ? true : place_operands(t, &x, o, text.at, &placed);
        done = done && put_block(&x, t, o, placed.at ? placed.at : "");
        at = done ? end + 2 : -1;
    }
    cpi_string_free(&text);
    cpi_string_free(&placed);
    cpi_string_free(&x.registers);
    return at;
}

static bool is_asm(const cpi_token *w)
{
    static const char *const words[] = {"asm", "__asm__", "__asm", NULL};
    static const char *const marks[] = {"(", "volatile", "__volatile__", "inline", "__inline__", NULL};
    return w->kind == CPI_W_NAME && cpi_token_is_one_of(w, words) && cpi_token_is_one_of(&w[1], marks);
}

bool cpi_ptx_translate(char **text)
{
    cpi_tokens t;
    cpi_string out = {0};
    bool unbalanced, found = false;
    if (!strstr(*text, "asm")) return true;
    if (!cpi_tokens_read(*text, &t, &unbalanced)) return unbalanced; /* the compiler reports brackets */
    const char *from = *text;
    int number = 0;
    for (int i = 0; i < t.n; i++) {
        if (!is_asm(&t.at[i])) continue;
        found = true;
        cpi_string_add(&out, from, (size_t)(t.at[i].text - from));
        int behind = put_asm(&t, i, number++, &out);
        if (behind < 0) {
            cpi_tokens_free(&t);
            cpi_string_free(&out);
            return false;
        }
        from = t.at[behind - 1].text + 1;
        for (const char *c = t.at[i].text; c < from; c++) /* lines keep their numbers */
            if (*c == '\n') cpi_string_add(&out, "\n", 1);
        i = behind - 1;
    }
    cpi_tokens_free(&t);
    if (found) cpi_string_printf(&out, "%s", from);
    char *translated = found && !out.failed ? strdup(out.at) : NULL;
    cpi_string_free(&out);
    if (!found) return true;
    if (!translated) return cpi_fail(CP_ERROR_MEMORY, "module_compile: out of host memory"), false;
    free(*text);
    *text = translated;
    return true;
}
