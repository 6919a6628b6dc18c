/* Casts of a program to integers go through __cu_cast of device/math.h, where real numbers lose the sign of a zero.
 *
 * With -fno-trapping-math, without which conditions are not vectorized, g++ takes (double)(long long)x for trunc(x),
 * which is -0.0 where x is -0.5. Only what is certainly a cast is changed: `(int)x`, `static_cast<int>(x)`, and
 * `int(x)` behind an operator. It says the same for every type of x, and stays a constant expression. What becomes an
 * integer without a cast, `int k = x;`, and casts in macros are left as they are. */
#include <string.h>

#include "kernel/translate.h"

static bool is_one_of(const cpi_token *w, const char *const *words)
{
    while (*words && !cpi_token_is(w, *words)) words++;
    return *words;
}

static bool is_integer_word(const cpi_token *w)
{
    static const char *const words[] = {
        "int", "long", "unsigned", "short", "char", "signed", "size_t", "ptrdiff_t", "int8_t", "int16_t", "int32_t",
        "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint", "uchar", "ushort", "ulong", "longlong",
        "ulonglong", NULL};
    return w->kind == CPI_W_NAME && is_one_of(w, words);
}

/* Behind the words of an integer type that begin at i; i: there are none. */
static int behind_type(const cpi_tokens *t, int i)
{
    while (is_integer_word(&t->at[i])) i++;
    return i;
}

/* Whether (type) behind `i`, a token or -1, can be no list of parameters and no operand of sizeof. */
static bool precedes_cast(const cpi_tokens *t, int i)
{
    if (i < 0) return false;
    const cpi_token *w = &t->at[i];
    if (w->kind == CPI_W_NAME) return cpi_token_is(w, "return");
    if (cpi_token_is(w, ")")) /* another cast: (T)(int)x */
        return w->match == i - 2 && w[-1].kind == CPI_W_NAME && precedes_cast(t, i - 3);
    return w->kind == CPI_W_MARK && !cpi_token_is(w, "]") && !cpi_token_is(w, "}");
}

static bool begins_operand(const cpi_token *w)
{
    static const char *const marks[] = {"(", "-", "+", "*", "&", "~", "!", "::", NULL};
    static const char *const others[] = {"const", "volatile", "noexcept", "override", "final", "try", "requires",
                                         "throw", "and", "or", "xor", "bitand", "bitor", "not_eq", "mutable",
                                         "__attribute__", "asm", "__asm__", NULL};
    if (w->kind == CPI_W_NAME) return !is_one_of(w, others);
    return w->kind == CPI_W_NUMBER || (w->kind == CPI_W_MARK && is_one_of(w, marks));
}

/* Whether `int(` behind token i is no declaration. */
static bool precedes_value(const cpi_tokens *t, int i)
{
    static const char *const words[] = {"=", "+", "-", "*", "/", "%", "return", "<", ">", "<=", ">=", "==", "!=", "+=",
                                        "-=", "*=", "/=", "%=", "?", "[", "<<", ">>", "&&", "||", "|", "^", "!", NULL};
    static const char *const before[] = {"float", "double", "if", "while", NULL};
    while (i > 0 && cpi_token_is(&t->at[i], "(")) /* (int(x)); behind a name it may be a parameter */
        if (is_one_of(&t->at[--i], before)) return true;
    return i > 0 && is_one_of(&t->at[i], words) && !cpi_token_is(&t->at[i - 1], "operator");
}

/* A cast of the tokens [open, close] that stands at i: the type's words are [type, type_end). */
typedef struct cast { int type, type_end, open, close; } cast;

/* static_cast<int>(x) and int(x); 0: there is none at i. */
static bool finds_call(const cpi_tokens *t, int i, cast *c)
{
    if (cpi_token_is(&t->at[i], "static_cast") && cpi_token_is(&t->at[i + 1], "<")) {
        c->type = i + 2;
        c->type_end = behind_type(t, c->type);
        if (c->type_end == c->type || !cpi_token_is(&t->at[c->type_end], ">")) return false;
        c->open = c->type_end + 1;
    } else if (is_integer_word(&t->at[i]) && precedes_value(t, i - 1)) {
        c->type = i;
        c->type_end = c->open = i + 1;
    } else {
        return false;
    }
    static const char *const declarations[] = {"float", "double", "void", "bool", "const", "*", "&", ")", "...", NULL};
    c->close = t->at[c->open].match;
    const cpi_token *first = &t->at[c->open + 1];
    return cpi_token_is(&t->at[c->open], "(") && c->close > c->open + 1 &&
           (c->type != i || !(is_one_of(first, declarations) || is_integer_word(first)));
}

static void put_type(const cpi_tokens *t, const cast *c, cpi_string *out)
{
    cpi_string_printf(out, "(__cu_cast<");
    for (int k = c->type; k < c->type_end; k++)
        cpi_string_printf(out, "%s%.*s", k > c->type ? " " : "", (int)t->at[k].length, t->at[k].text);
    cpi_string_printf(out, ">)");
}

/* The source up to the end of token i. */
static void copy_through(const cpi_tokens *t, int i, const char **from, cpi_string *out)
{
    const char *to = t->at[i].text + t->at[i].length;
    cpi_string_add(out, *from, (size_t)(to - *from));
    *from = to;
}

/* Writes tokens [first, last), whose casts may be within each other. */
static void put_casts(const cpi_tokens *t, int first, int last, const char **from, cpi_string *out)
{
    for (int i = first; i < last; i++) {
        cast c;
        if (finds_call(t, i, &c)) {
            copy_through(t, c.open, from, out);
            put_type(t, &c, out);
            cpi_string_printf(out, "(");
            put_casts(t, c.open + 1, c.close, from, out);
            copy_through(t, c.close - 1, from, out);
            cpi_string_printf(out, ")");
            i = c.close;
        } else if (cpi_token_is(&t->at[i], "(")) {
            c = (cast){.type = i + 1, .type_end = behind_type(t, i + 1), .close = t->at[i].match};
            if (c.type == c.type_end || c.type_end != c.close) continue;
            if (!precedes_cast(t, i - 1) || !begins_operand(&t->at[c.close + 1])) continue;
            copy_through(t, c.close, from, out);
            put_type(t, &c, out);
            i = c.close;
        }
    }
}

bool cpi_cu_put_casts(const char *text, cpi_string *out)
{
    cpi_tokens t;
    bool unbalanced;
    const char *from = text;
    if (!cpi_tokens_read(text, &t, &unbalanced)) {
        if (unbalanced) cpi_string_printf(out, "%s", text);
        return unbalanced;
    }
    put_casts(&t, 0, t.n, &from, out);
    cpi_string_printf(out, "%s", from);
    cpi_tokens_free(&t);
    return !out->failed;
}
