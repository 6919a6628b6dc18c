/* Texts to programs: a scanner and a parser by recursive descent, whose depth, and the number of nodes, are bounded.
 *
 * Invariant: nothing of the text is read beyond its end, and a text of any bytes gives a program or an error that says
 * where. What is made of literals alone is computed here. */
#include "fuse/fuse.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"

typedef enum { END, BREAK, NAME, NUMBER, SIGN } token_kind; /* BREAK: ; or the end of a line outside of parentheses */

typedef struct { const char *name; int length, node; } variable;

typedef struct {
    const char *text;
    int end, next;            /* bytes of the text; where the next token is looked for */
    token_kind kind;          /* of the token at hand */
    int at, length;           /* where it lies */
    int parentheses, depth;
    cpi_number number;        /* a NUMBER's value */
    bool beyond;              /* it is 2**63, which may stand behind a minus only */
    bool finds;               /* unknown names are operands */
    bool standing;            /* an error of before stands, and stays */
    cp_fusion *f;
    int nvariables;
    variable variables[CPI_FUSE_NODES];
} parser;

enum { FAILED = -1 };

void cpi_fuse_place(const cp_fusion *f, int at)
{
    char message[512];
    cp_code code = cp_error();
    snprintf(message, sizeof message, "%s", cp_error_message());
    cp_error_clear();
    if (strlen(f->text) <= 200) cpi_fail(code, "%s, at column %d of '%s'", message, at + 1, f->text);
    else cpi_fail(code, "%s, at column %d", message, at + 1);
}

/* Always FAILED: the error says the place, and shows the text where it is short. */
static int wrong(parser *p, int at, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int wrong(parser *p, int at, const char *format, ...)
{
    char what[256];
    va_list v;
    va_start(v, format);
    vsnprintf(what, sizeof what, format, v);
    va_end(v);
    if (p->end <= 200) cpi_fail(CP_ERROR_VALUE, "fused: %s at column %d of '%s'", what, at + 1, p->text);
    else cpi_fail(CP_ERROR_VALUE, "fused: %s at column %d", what, at + 1);
    return FAILED;
}

/* --- tokens --- */

static bool starts_name(char c) { return isalpha((unsigned char)c) || c == '_'; }
static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }
static char peek(const parser *p, int k) { return p->next + k < p->end ? p->text[p->next + k] : '\0'; }

static locale_t c_locale;
static void make_locale(void) { c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0); }

/* The digits of the token as a number, where a program's locale may have a comma for the point. */
static double real_of(const char *digits)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_locale);
    return c_locale ? strtod_l(digits, NULL, c_locale) : strtod(digits, NULL);
}

static int digit_of(char c, int base)
{
    int d = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                                                                        : 99;
    return d < base ? d : -1;
}

/* Digits from `next` on, with single underscores between them, to `digits`; how many, or FAILED. */
static int take_digits(parser *p, int base, char *digits, int room)
{
    int n = 0;
    for (;; p->next++) {
        char c = peek(p, 0);
        if (c == '_' && n && digit_of(peek(p, 1), base) >= 0) continue;
        if (digit_of(c, base) < 0) return n;
        if (n == room) return wrong(p, p->at, "a number of too many digits");
        digits[n++] = c;
    }
}

static int take_integer(parser *p, int base, const char *digits, int n)
{
    uint64_t v = 0;
    bool over = false;
    for (int i = 0; i < n; i++) {
        over |= __builtin_mul_overflow(v, (uint64_t)base, &v);
        over |= __builtin_add_overflow(v, (uint64_t)digit_of(digits[i], base), &v);
    }
    p->beyond = !over && v == (uint64_t)1 << 63;
    if (over || v > (uint64_t)1 << 63) return wrong(p, p->at, "an integer beyond 64 bits");
    p->number.type = CP_INT64;
    p->number.integer = (int64_t)v;
    return 0;
}

static int take_number(parser *p)
{
    enum { MOST = 400 };
    char digits[MOST + 8], prefix = peek(p, 0) == '0' ? (char)tolower(peek(p, 1)) : '\0';
    int base = prefix == 'x' ? 16 : prefix == 'o' ? 8 : prefix == 'b' ? 2 : 10, n;
    memset(&p->number, 0, sizeof p->number);
    if (base != 10) {
        p->next += 2;
        n = take_digits(p, base, digits, MOST);
        if (n <= 0) return n ? n : wrong(p, p->at, "a number without digits");
        return in_name(peek(p, 0)) ? wrong(p, p->at, "a number that is none") : take_integer(p, base, digits, n);
    }
    bool real = false;
    n = take_digits(p, 10, digits, MOST / 2);
    if (n < 0) return n;
    if (peek(p, 0) == '.') {
        real = true;
        digits[n++] = '.';
        p->next++;
        int more = take_digits(p, 10, digits + n, MOST / 4);
        if (more < 0) return more;
        n += more;
    }
    int sign = peek(p, 1) == '+' || peek(p, 1) == '-';
    if ((peek(p, 0) | 32) == 'e' && isdigit((unsigned char)peek(p, 1 + sign))) {
        real = true;
        digits[n++] = 'e';
        if (sign) digits[n++] = peek(p, 1);
        p->next += 1 + sign;
        int more = take_digits(p, 10, digits + n, 20);
        if (more < 0) return more;
        n += more;
    }
    digits[n] = '\0';
    bool imaginary = (peek(p, 0) | 32) == 'j';
    p->next += imaginary;
    if (in_name(peek(p, 0))) return wrong(p, p->at, "a number that is none");
    p->beyond = false;
    if (imaginary) p->number.type = CP_COMPLEX128, p->number.complex = (cp_complex128){0, real_of(digits)};
    else if (real) p->number.type = CP_FLOAT64, p->number.real = real_of(digits);
    else if (n > 1 && digits[0] == '0' && strspn(digits, "0") != (size_t)n)
        return wrong(p, p->at, "leading zeros of an integer");
    else return take_integer(p, 10, digits, n);
    return 0;
}

static void pass_blanks(parser *p)
{
    for (; p->next < p->end; p->next++) {
        char c = peek(p, 0);
        if (c == '#')
            while (p->next + 1 < p->end && peek(p, 1) != '\n') p->next++;
        else if (c != ' ' && c != '\t' && c != '\r' && c != '\f' && !(c == '\n' && p->parentheses)) return;
    }
}

/* The next token; 0, or FAILED. */
static int advance(parser *p)
{
    static const char *const twice[] = {"**", "//", "<<", ">>", "<=", ">=", "==", "!=", "<>", "&&", "||"};
    pass_blanks(p);
    p->at = p->next;
    char c = peek(p, 0);
    if (p->next >= p->end) {
        p->kind = END;
        p->length = 0;
        return 0;
    }
    if (c == ';' || c == '\n') {
        p->kind = BREAK;
        p->length = 1;
        p->next++;
        return 0;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(p, 1)))) {
        p->kind = NUMBER;
        int code = take_number(p);
        p->length = p->next - p->at;
        return code;
    }
    if (starts_name(c)) {
        p->kind = NAME;
        while (in_name(peek(p, 0))) p->next++;
        p->length = p->next - p->at;
        return 0;
    }
    if (!strchr("+-*/%&|^~<>=!(),", c) || !c) {
        if (isprint((unsigned char)c)) return wrong(p, p->at, "'%c', which means nothing", c);
        return wrong(p, p->at, "a byte of value %d, which means nothing", (unsigned char)c);
    }
    p->kind = SIGN;
    p->length = 1;
    for (size_t i = 0; i < sizeof twice / sizeof *twice; i++)
        if (c == twice[i][0] && peek(p, 1) == twice[i][1]) p->length = 2;
    p->next += p->length;
    return 0;
}

static bool is(const parser *p, token_kind kind, const char *word)
{
    return p->kind == kind && p->length == (int)strlen(word) && !memcmp(p->text + p->at, word, (size_t)p->length);
}

static int expected(parser *p, const char *what)
{
    if (p->kind == END) return wrong(p, p->at, "%s is missing", what);
    if (p->kind == BREAK) return wrong(p, p->at, "%s is missing before the statement's end", what);
    return wrong(p, p->at, "%s is expected, not '%.*s',", what, p->length > 40 ? 40 : p->length, p->text + p->at);
}

/* Passes over a sign that has to be there; parentheses decide whether line ends count. */
static int pass(parser *p, const char *sign)
{
    if (!is(p, SIGN, sign)) return expected(p, sign);
    p->parentheses += *sign == '(' ? 1 : *sign == ')' ? -1 : 0;
    return advance(p);
}

/* --- nodes --- */

static bool same_node(const cpi_node *a, const cpi_node *b)
{
    return a->kind == b->kind && a->nin == b->nin && a->op == b->op && a->type == b->type && a->folds == b->folds &&
           !memcmp(a->in, b->in, sizeof a->in) && !memcmp(a->value, b->value, sizeof a->value);
}

/* The node, or the one that is the same already. */
static int add_node(parser *p, const cpi_node *node)
{
    cp_fusion *f = p->f;
    for (int i = 0; i < f->nnodes; i++)
        if (same_node(&f->nodes[i], node)) return i;
    if (f->nnodes == CPI_FUSE_NODES) return wrong(p, node->at, "more than %d operations", CPI_FUSE_NODES);
    f->nodes[f->nnodes] = *node;
    return f->nnodes++;
}

static int add_number(parser *p, const cpi_number *v, int at)
{
    cpi_node node = {.kind = CPI_NODE_NUMBER, .at = at, .type = v->type};
    memcpy(node.value, v->bytes, cpi_itemsize(v->type));
    return add_node(p, &node);
}

static void number_of(const cpi_node *node, cpi_number *v)
{
    v->type = node->type;
    memcpy(v->bytes, node->value, sizeof v->bytes);
}

/* An operator on one or two nodes. */
static int add_operator(parser *p, cp_op op, int a, int b, int at)
{
    cpi_node node = {.kind = CPI_NODE_OP, .nin = b < 0 ? 1 : 2, .folds = true, .op = (int)op, .at = at,
                     .type = CP_DEFAULT};
    const cpi_node *x = &p->f->nodes[a], *y = &p->f->nodes[b < 0 ? a : b];
    if (x->kind == CPI_NODE_NUMBER && y->kind == CPI_NODE_NUMBER) {
        cpi_number v, w, r;
        number_of(x, &v);
        number_of(y, &w);
        if (!cpi_fold(op, &v, b < 0 ? NULL : &w, &r)) return add_number(p, &r, at);
        if (!p->standing) cpi_fuse_place(p->f, at);
        return FAILED;
    }
    node.in[0] = a;
    node.in[1] = b < 0 ? 0 : b;
    return add_node(p, &node);
}

static int add_operand(parser *p, const char *name, int length, int at)
{
    cp_fusion *f = p->f;
    cpi_node node = {.kind = CPI_NODE_OPERAND, .op = f->noperands, .at = at, .type = CP_DEFAULT};
    if (f->noperands == CPI_FUSE_OPERANDS) return wrong(p, at, "more than %d operands", CPI_FUSE_OPERANDS);
    char *copy = cpi_malloc((size_t)length + 1);
    if (!copy) return FAILED;
    memcpy(copy, name, (size_t)length);
    copy[length] = '\0';
    f->names[f->noperands++] = copy;
    return add_node(p, &node);
}

/* --- names --- */

static variable *find_variable(parser *p, const char *name, int length)
{
    for (int i = p->nvariables - 1; i >= 0; i--)
        if (p->variables[i].length == length && !memcmp(p->variables[i].name, name, (size_t)length))
            return &p->variables[i];
    return NULL;
}

static int set_variable(parser *p, const char *name, int length, int node)
{
    variable *v = find_variable(p, name, length);
    if (!v && p->nvariables == CPI_FUSE_NODES) return wrong(p, p->at, "more than %d names", CPI_FUSE_NODES);
    if (!v) v = &p->variables[p->nvariables++];
    *v = (variable){name, length, node};
    return 0;
}

static bool is_keyword(const parser *p)
{
    static const char *const words[] = {"and", "or", "not", "if", "else", "lambda", "for", "in", "is", "return",
                                        "while", "def", "import", "None"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is(p, NAME, words[i])) return true;
    return false;
}

/* The operation that the name at hand means, other names of NumPy among them; CP_NOPS: none. */
static cp_op operation_of(const char *name, int length)
{
    for (int op = 0; op < CP_NOPS; op++) {
        const cpi_op_row *row = &cpi_op_rows[op];
        if (!strncmp(row->name, name, (size_t)length) && !row->name[length]) return (cp_op)op;
        for (const char *const *alias = row->aliases; alias && *alias; alias++)
            if (!strncmp(*alias, name, (size_t)length) && !(*alias)[length]) return (cp_op)op;
    }
    return CP_NOPS;
}

static cp_type type_of(const char *name, int length)
{
    for (int t = 0; t < CP_NTYPES; t++)
        if (!strncmp(cpi_types[t].name, name, (size_t)length) && !cpi_types[t].name[length]) return (cp_type)t;
    return CP_DEFAULT;
}

static int parse_expression(parser *p);

static int parse_constant(parser *p)
{
    cpi_number v = {0};
    int at = p->at;
    if (is(p, NAME, "True") || is(p, NAME, "False")) v.type = CP_BOOL, v.truth = is(p, NAME, "True");
    else if (is(p, NAME, "inf")) v.type = CP_FLOAT64, v.real = INFINITY;
    else if (is(p, NAME, "nan")) v.type = CP_FLOAT64, v.real = NAN;
    else if (is_keyword(p))
        return wrong(p, at, "'%.*s', which is not for arrays (& | ~ and where() are),", p->length, p->text + at);
    else if (operation_of(p->text + at, p->length) != CP_NOPS || type_of(p->text + at, p->length) != CP_DEFAULT ||
             is(p, NAME, "where"))
        return wrong(p, at, "the function '%.*s' without its arguments", p->length, p->text + at);
    else return wrong(p, at, "unknown name '%.*s'", p->length > 100 ? 100 : p->length, p->text + at);
    return advance(p) ? FAILED : add_number(p, &v, at);
}

/* f(a, b, ...): the name has been passed. */
static int parse_call(parser *p, const char *name, int length, int at)
{
    cpi_node node = {.at = at, .type = CP_DEFAULT};
    cp_op op = operation_of(name, length);
    cp_type type = type_of(name, length);
    int wanted = 1, n = 0;
    bool where = length == 5 && !memcmp(name, "where", 5);
    if (where) node.kind = CPI_NODE_WHERE, wanted = 3;
    else if (op != CP_NOPS) node.kind = CPI_NODE_OP, node.op = (int)op, wanted = cpi_op_rows[op].nin;
    else if (type != CP_DEFAULT) node.kind = CPI_NODE_CAST, node.op = (int)type;
    else return wrong(p, at, "unknown function '%.*s'", length > 100 ? 100 : length, name);
    if (pass(p, "(")) return FAILED;
    while (!is(p, SIGN, ")")) {
        int x = parse_expression(p);
        if (x < 0) return FAILED;
        if (n < CPI_MAXIN) node.in[n] = x;
        n++;
        if (!is(p, SIGN, ")") && pass(p, ",")) return FAILED;
    }
    if (n != wanted)
        return wrong(p, at, "%.*s() with %d argument%s instead of %d", length, name, n, n == 1 ? "" : "s", wanted);
    node.nin = (uint8_t)n;
    return pass(p, ")") ? FAILED : add_node(p, &node);
}

static int parse_name(parser *p)
{
    const char *name = p->text + p->at;
    int length = p->length, at = p->at;
    const parser before = {.next = p->next, .kind = p->kind, .at = p->at, .length = p->length};
    variable *v = find_variable(p, name, length);
    if (!is_keyword(p)) {
        if (advance(p)) return FAILED;
        if (is(p, SIGN, "(")) return parse_call(p, name, length, at);
        if (v) return v->node;
        p->next = before.next, p->kind = before.kind, p->at = before.at, p->length = before.length;
        bool known = is(p, NAME, "True") || is(p, NAME, "False") || is(p, NAME, "inf") || is(p, NAME, "nan");
        if (p->finds && !known) {
            int node = add_operand(p, name, length, at);
            return node < 0 || set_variable(p, name, length, node) || advance(p) ? FAILED : node;
        }
    }
    return parse_constant(p);
}

/* --- expressions --- */

static int parse_unary(parser *p);

static int parse_primary(parser *p)
{
    int at = p->at;
    if (p->kind == NAME) return parse_name(p);
    if (p->kind == NUMBER) {
        cpi_number v = p->number;
        if (p->beyond) return wrong(p, at, "an integer beyond 64 bits");
        return advance(p) ? FAILED : add_number(p, &v, at);
    }
    if (!is(p, SIGN, "(")) return expected(p, "an expression");
    if (pass(p, "(")) return FAILED;
    int x = parse_expression(p);
    return x < 0 || pass(p, ")") ? FAILED : x;
}

static int parse_power(parser *p)
{
    int a = parse_primary(p), at = p->at;
    if (a < 0 || !is(p, SIGN, "**")) return a;
    if (advance(p)) return FAILED;
    int b = parse_unary(p);
    return b < 0 ? FAILED : add_operator(p, CP_OP_power, a, b, at);
}

static int parse_signed(parser *p)
{
    static const struct { const char *sign; cp_op op; } signs[] = {
        {"-", CP_OP_negative}, {"+", CP_OP_positive}, {"~", CP_OP_invert}};
    int at = p->at;
    for (int i = 0; i < 3; i++) {
        if (!is(p, SIGN, signs[i].sign)) continue;
        if (advance(p)) return FAILED;
        if (i == 0 && p->kind == NUMBER && p->beyond) { /* the least integer; a power binds more */
            cpi_number v = {.type = CP_INT64, .integer = INT64_MIN};
            if (advance(p)) return FAILED;
            return is(p, SIGN, "**") ? wrong(p, at, "an integer beyond 64 bits") : add_number(p, &v, at);
        }
        int x = parse_unary(p);
        return x < 0 ? FAILED : add_operator(p, signs[i].op, x, -1, at);
    }
    return parse_power(p);
}

static int parse_unary(parser *p)
{
    if (p->depth == CPI_FUSE_DEPTH) return wrong(p, p->at, "more than %d levels", CPI_FUSE_DEPTH);
    p->depth++;
    int x = parse_signed(p);
    p->depth--;
    return x;
}

/* Operators of two operands, those that bind most first. */
static const struct { const char *sign; int level; cp_op op; } operators[] = {
    {"*", 5, CP_OP_multiply}, {"/", 5, CP_OP_divide}, {"//", 5, CP_OP_floor_divide}, {"%", 5, CP_OP_remainder},
    {"+", 4, CP_OP_add}, {"-", 4, CP_OP_subtract}, {"<<", 3, CP_OP_left_shift}, {">>", 3, CP_OP_right_shift},
    {"&", 2, CP_OP_bitwise_and}, {"^", 1, CP_OP_bitwise_xor}, {"|", 0, CP_OP_bitwise_or},
};

static int operator_at(const parser *p)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (is(p, SIGN, operators[i].sign)) return (int)i;
    return -1;
}

static int parse_binary(parser *p, int level)
{
    int a = parse_unary(p);
    while (a >= 0) {
        int which = operator_at(p), at = p->at;
        if (which < 0 || operators[which].level < level) return a;
        if (advance(p)) return FAILED;
        int b = parse_binary(p, operators[which].level + 1);
        a = b < 0 ? FAILED : add_operator(p, operators[which].op, a, b, at);
    }
    return FAILED;
}

static cp_op comparison_at(const parser *p)
{
    static const struct { const char *sign; cp_op op; } all[] = {
        {"==", CP_OP_equal}, {"!=", CP_OP_not_equal}, {"<", CP_OP_less}, {"<=", CP_OP_less_equal},
        {">", CP_OP_greater}, {">=", CP_OP_greater_equal}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (is(p, SIGN, all[i].sign)) return all[i].op;
    return CP_NOPS;
}

static int parse_expression(parser *p)
{
    int a = parse_binary(p, 0), at = p->at;
    cp_op op = a < 0 ? CP_NOPS : comparison_at(p);
    if (op == CP_NOPS) return a;
    if (advance(p)) return FAILED;
    int b = parse_binary(p, 0);
    if (b < 0) return FAILED;
    if (comparison_at(p) != CP_NOPS)
        return wrong(p, p->at, "a chain of comparisons, for which (a < b) & (b < c) is to be written,");
    return add_operator(p, op, a, b, at);
}

/* --- statements --- */

/* What a node with several results gives as one value. */
static int results_of(const parser *p, int node)
{
    const cpi_node *n = &p->f->nodes[node];
    return n->kind == CPI_NODE_OP ? cpi_op_rows[n->op].nout : 1;
}

static int add_part(parser *p, int node, int k)
{
    cpi_node part = {.kind = CPI_NODE_PART, .nin = 1, .op = k, .in = {node}, .at = p->f->nodes[node].at,
                     .type = CP_DEFAULT};
    return add_node(p, &part);
}

/* No operation but a part takes a node that has several results. */
static int check_single(parser *p)
{
    for (int i = 0; i < p->f->nnodes; i++) {
        const cpi_node *n = &p->f->nodes[i];
        for (int k = 0; k < n->nin && n->kind != CPI_NODE_PART; k++)
            if (results_of(p, n->in[k]) > 1)
                return wrong(p, p->f->nodes[n->in[k]].at, "%s(), which has two results, inside of an expression",
                             cpi_op_rows[p->f->nodes[n->in[k]].op].name);
    }
    return 0;
}

/* e1, e2, ...: the results. */
static int parse_results(parser *p)
{
    cp_fusion *f = p->f;
    do {
        if (f->nresults && pass(p, ",")) return FAILED;
        int at = p->at, x = parse_expression(p);
        if (x < 0) return FAILED;
        int n = results_of(p, x);
        if (f->nresults + n > CPI_FUSE_RESULTS) return wrong(p, at, "more than %d results", CPI_FUSE_RESULTS);
        for (int k = 0; k < n; k++) {
            int one = n == 1 ? x : add_part(p, x, k);
            if (one < 0) return FAILED;
            f->results[f->nresults++] = one;
        }
    } while (is(p, SIGN, ","));
    while (p->kind == BREAK)
        if (advance(p)) return FAILED;
    return p->kind == END ? 0 : expected(p, "the end");
}

/* Is what comes a list of names and a single = ? They are left in `names`, n of them. */
static int targets(parser *p, variable *names, int room, int *n)
{
    const parser before = {.next = p->next, .kind = p->kind, .at = p->at, .length = p->length};
    bool found = false;
    *n = 0;
    while (p->kind == NAME && !is_keyword(p)) {
        if (*n < room) names[*n] = (variable){p->text + p->at, p->length, p->at};
        ++*n;
        if (advance(p)) return FAILED;
        found = is(p, SIGN, "=");
        if (found || !is(p, SIGN, ",")) break;
        if (advance(p)) return FAILED;
    }
    if (found) return advance(p) ? FAILED : 1;
    p->next = before.next, p->kind = before.kind, p->at = before.at, p->length = before.length;
    return 0;
}

static int parse_assignment(parser *p, const variable *names, int n)
{
    int at = p->at, x = parse_expression(p);
    if (x < 0) return FAILED;
    if (results_of(p, x) != n || n > CPI_MAXOUT)
        return wrong(p, at, "%d result%s for %d name%s", results_of(p, x), results_of(p, x) == 1 ? "" : "s", n,
                     n == 1 ? "" : "s");
    for (int k = 0; k < n; k++) {
        int one = n == 1 ? x : add_part(p, x, k);
        if (one < 0 || set_variable(p, names[k].name, names[k].length, one)) return FAILED;
    }
    if (is(p, SIGN, "=")) return wrong(p, p->at, "a second '='");
    return p->kind == BREAK || p->kind == END ? 0 : expected(p, "an operator");
}

static int parse_statements(parser *p)
{
    if (advance(p)) return FAILED;
    for (;;) {
        variable names[CPI_MAXOUT];
        int n;
        while (p->kind == BREAK)
            if (advance(p)) return FAILED;
        if (p->kind == END) return wrong(p, p->at, "an expression, which is the result, is missing");
        if (is(p, NAME, "return")) return advance(p) ? FAILED : parse_results(p);
        int found = targets(p, names, CPI_MAXOUT, &n);
        if (found < 0) return FAILED;
        if (!found) return parse_results(p);
        if (parse_assignment(p, names, n)) return FAILED;
    }
}

/* --- programs --- */

static int declare(parser *p, int n, const char *const *names)
{
    for (int i = 0; i < n; i++) {
        const char *name = names[i];
        size_t length = name ? strlen(name) : 0;
        bool fine = length && length < CPI_FUSE_TEXT && starts_name(*name);
        for (size_t k = 1; k < length && fine; k++) fine = in_name(name[k]);
        if (!fine) return cpi_fail(CP_ERROR_VALUE, "fused: operand %d has no name", i), FAILED;
        if (find_variable(p, name, (int)length))
            return cpi_fail(CP_ERROR_VALUE, "fused: two operands have the name '%.100s'", name), FAILED;
        int node = add_operand(p, name, (int)length, 0);
        if (node < 0 || set_variable(p, p->f->names[i], (int)length, node)) return FAILED;
    }
    return 0;
}

static bool read_text(cp_fusion *f, int end, int n, const char *const *names)
{
    parser *p = cpi_calloc(1, sizeof *p);
    if (!p) return false;
    p->text = f->text;
    p->end = end;
    p->finds = !names;
    p->standing = cp_error() != CP_OK;
    p->f = f;
    bool done = !declare(p, names ? n : 0, names) && !parse_statements(p) && !check_single(p);
    cpi_free_host(p);
    return done;
}

cp_fusion *cp_fusion_new(const char *text, int n, const char *const *names)
{
    if (cpi_null("fused", text)) return NULL;
    size_t end = strlen(text);
    if (end > CPI_FUSE_TEXT) return cpi_fail(CP_ERROR_VALUE, "fused: a text of %zu bytes; %d at most", end,
                                             CPI_FUSE_TEXT), NULL;
    if (n < 0 || n > CPI_FUSE_OPERANDS)
        return cpi_fail(CP_ERROR_VALUE, "fused: %d operands; %d at most", n, CPI_FUSE_OPERANDS), NULL;
    cp_fusion *f = cpi_calloc(1, sizeof *f);
    if (f) f->text = cpi_malloc(end + 1);
    if (f && f->text) f->nodes = cpi_malloc(CPI_FUSE_NODES * sizeof *f->nodes);
    if (f && f->nodes) {
        memcpy(f->text, text, end + 1);
        if (read_text(f, (int)end, n, names)) {
            cpi_node *fit = cpi_realloc(f->nodes, (size_t)f->nnodes * sizeof *f->nodes);
            if (fit) return f->nodes = fit, f;
        }
    }
    cp_fusion_free(f);
    return NULL;
}

void cp_fusion_free(cp_fusion *f)
{
    if (!f) return;
    for (int i = 0; i < f->noperands; i++) cpi_free_host(f->names[i]);
    cpi_kept_free(f->kept);
    cpi_free_host(f->nodes);
    cpi_free_host(f->text);
    cpi_free_host(f);
}

int cp_fusion_operands(const cp_fusion *f) { return f ? f->noperands : 0; }
int cp_fusion_results(const cp_fusion *f) { return f ? f->nresults : 0; }
const char *cp_fusion_operand(const cp_fusion *f, int k)
{
    return f && k >= 0 && k < f->noperands ? f->names[k] : NULL;
}
