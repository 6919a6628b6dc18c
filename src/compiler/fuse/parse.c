/* Expressions' source to programs: a parser by recursive descent. Its depth and the number of nodes are bounded.
 *
 * Invariant: a string of any bytes gives a program or an error with its position. Expressions of literals alone are
 * evaluated here. */
#include "fuse/parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "core/memory.h"

void cpi_fuse_error_at(const cp_fusion *f, int at)
{
    char message[512];
    cp_code code = cp_error();
    snprintf(message, sizeof message, "%s", cp_error_message());
    cp_error_clear();
    if (strlen(f->text) <= 200) cpi_fail(code, "%s, at column %d of '%s'", message, at + 1, f->text);
    else cpi_fail(code, "%s, at column %d", message, at + 1);
}

/* --- nodes --- */

static bool same_node(const cpi_node *a, const cpi_node *b)
{
    return a->kind == b->kind && a->nin == b->nin && a->op == b->op && a->type == b->type && a->folds == b->folds &&
           !memcmp(a->in, b->in, sizeof a->in) && !memcmp(a->value, b->value, sizeof a->value);
}

/* The node, or an existing one that equals it. */
static int add_node(parser *p, const cpi_node *node)
{
    cp_fusion *f = p->f;
    for (int i = 0; i < f->nnodes; i++)
        if (same_node(&f->nodes[i], node)) return i;
    if (f->nnodes == CPI_FUSE_NODES) return cpi_wrong(p, node->at, "more than %d operations", CPI_FUSE_NODES);
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
        if (!cpi_fold_constants(op, &v, b < 0 ? NULL : &w, &r)) return add_number(p, &r, at);
        if (!p->standing) cpi_fuse_error_at(p->f, at);
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
    if (f->noperands == CPI_FUSE_OPERANDS) return cpi_wrong(p, at, "more than %d operands", CPI_FUSE_OPERANDS);
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
    if (!v && p->nvariables == CPI_FUSE_NODES) return cpi_wrong(p, p->at, "more than %d names", CPI_FUSE_NODES);
    if (!v) v = &p->variables[p->nvariables++];
    *v = (variable){name, length, node};
    return 0;
}

static bool is_keyword(const parser *p)
{
    static const char *const words[] = {"and", "or", "not", "if", "else", "lambda", "for", "in", "is", "return",
                                        "while", "def", "import", "None"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (cpi_sees(p, NAME, words[i])) return true;
    return false;
}

/* The operation that the current name means, NumPy's aliases included; CP_NOPS: none. */
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
    if (cpi_sees(p, NAME, "True") || cpi_sees(p, NAME, "False")) v.type = CP_BOOL, v.truth = cpi_sees(p, NAME, "True");
    else if (cpi_sees(p, NAME, "inf")) v.type = CP_FLOAT64, v.real = INFINITY;
    else if (cpi_sees(p, NAME, "nan")) v.type = CP_FLOAT64, v.real = NAN;
    else if (is_keyword(p))
        return cpi_wrong(p, at, "'%.*s', which is not for arrays (& | ~ and where() are),", p->length, p->text + at);
    else if (operation_of(p->text + at, p->length) != CP_NOPS || type_of(p->text + at, p->length) != CP_DEFAULT ||
             cpi_sees(p, NAME, "where"))
        return cpi_wrong(p, at, "the function '%.*s' without its arguments", p->length, p->text + at);
    else return cpi_wrong(p, at, "unknown name '%.*s'", p->length > 100 ? 100 : p->length, p->text + at);
    return cpi_scanner_advance(p) ? FAILED : add_number(p, &v, at);
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
    else return cpi_wrong(p, at, "unknown function '%.*s'", length > 100 ? 100 : length, name);
    if (cpi_past(p, "(")) return FAILED;
    while (!cpi_sees(p, SIGN, ")")) {
        int x = parse_expression(p);
        if (x < 0) return FAILED;
        if (n < CPI_MAXIN) node.in[n] = x;
        n++;
        if (!cpi_sees(p, SIGN, ")") && cpi_past(p, ",")) return FAILED;
    }
    if (n != wanted)
        return cpi_wrong(p, at, "%.*s() with %d argument%s instead of %d", length, name, n, n == 1 ? "" : "s", wanted);
    node.nin = (uint8_t)n;
    return cpi_past(p, ")") ? FAILED : add_node(p, &node);
}

static int parse_name(parser *p)
{
    const char *name = p->text + p->at;
    int length = p->length, at = p->at;
    const parser before = {.next = p->next, .kind = p->kind, .at = p->at, .length = p->length};
    variable *v = find_variable(p, name, length);
    if (!is_keyword(p)) {
        if (cpi_scanner_advance(p)) return FAILED;
        if (cpi_sees(p, SIGN, "(")) return parse_call(p, name, length, at);
        if (v) return v->node;
        p->next = before.next, p->kind = before.kind, p->at = before.at, p->length = before.length;
        bool known = cpi_sees(p, NAME, "True") || cpi_sees(p, NAME, "False") || cpi_sees(p, NAME, "inf") ||
                     cpi_sees(p, NAME, "nan");
        if (p->finds && !known) {
            int node = add_operand(p, name, length, at);
            return node < 0 || set_variable(p, name, length, node) || cpi_scanner_advance(p) ? FAILED : node;
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
        if (p->beyond) return cpi_wrong(p, at, "an integer beyond 64 bits");
        return cpi_scanner_advance(p) ? FAILED : add_number(p, &v, at);
    }
    if (!cpi_sees(p, SIGN, "(")) return cpi_expected(p, "an expression");
    if (cpi_past(p, "(")) return FAILED;
    int x = parse_expression(p);
    return x < 0 || cpi_past(p, ")") ? FAILED : x;
}

static int parse_power(parser *p)
{
    int a = parse_primary(p), at = p->at;
    if (a < 0 || !cpi_sees(p, SIGN, "**")) return a;
    if (cpi_scanner_advance(p)) return FAILED;
    int b = parse_unary(p);
    return b < 0 ? FAILED : add_operator(p, CP_OP_power, a, b, at);
}

static int parse_signed(parser *p)
{
    static const struct { const char *sign; cp_op op; } signs[] = {
        {"-", CP_OP_negative}, {"+", CP_OP_positive}, {"~", CP_OP_invert}};
    int at = p->at;
    for (int i = 0; i < 3; i++) {
        if (!cpi_sees(p, SIGN, signs[i].sign)) continue;
        if (cpi_scanner_advance(p)) return FAILED;
        if (i == 0 && p->kind == NUMBER && p->beyond) { /* the least integer; a power binds tighter */
            cpi_number v = {.type = CP_INT64, .integer = INT64_MIN};
            if (cpi_scanner_advance(p)) return FAILED;
            return cpi_sees(p, SIGN, "**") ? cpi_wrong(p, at, "an integer beyond 64 bits") : add_number(p, &v, at);
        }
        int x = parse_unary(p);
        return x < 0 ? FAILED : add_operator(p, signs[i].op, x, -1, at);
    }
    return parse_power(p);
}

static int parse_unary(parser *p)
{
    if (p->depth == CPI_FUSE_DEPTH) return cpi_wrong(p, p->at, "more than %d levels", CPI_FUSE_DEPTH);
    p->depth++;
    int x = parse_signed(p);
    p->depth--;
    return x;
}

/* Binary operators by precedence, the highest first. */
static const struct { const char *sign; int level; cp_op op; } operators[] = {
    {"*", 5, CP_OP_multiply}, {"/", 5, CP_OP_divide}, {"//", 5, CP_OP_floor_divide}, {"%", 5, CP_OP_remainder},
    {"+", 4, CP_OP_add}, {"-", 4, CP_OP_subtract}, {"<<", 3, CP_OP_left_shift}, {">>", 3, CP_OP_right_shift},
    {"&", 2, CP_OP_bitwise_and}, {"^", 1, CP_OP_bitwise_xor}, {"|", 0, CP_OP_bitwise_or},
};

static int operator_at(const parser *p)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (cpi_sees(p, SIGN, operators[i].sign)) return (int)i;
    return -1;
}

static int parse_binary(parser *p, int level)
{
    int a = parse_unary(p);
    while (a >= 0) {
        int which = operator_at(p), at = p->at;
        if (which < 0 || operators[which].level < level) return a;
        if (cpi_scanner_advance(p)) return FAILED;
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
        if (cpi_sees(p, SIGN, all[i].sign)) return all[i].op;
    return CP_NOPS;
}

static int parse_expression(parser *p)
{
    int a = parse_binary(p, 0), at = p->at;
    cp_op op = a < 0 ? CP_NOPS : comparison_at(p);
    if (op == CP_NOPS) return a;
    if (cpi_scanner_advance(p)) return FAILED;
    int b = parse_binary(p, 0);
    if (b < 0) return FAILED;
    if (comparison_at(p) != CP_NOPS)
        return cpi_wrong(p, p->at, "a chain of comparisons, for which (a < b) & (b < c) is to be written,");
    return add_operator(p, op, a, b, at);
}

/* --- statements --- */

/* The single value of a node with several results. */
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

/* Only the selection of a result takes a node that has several. */
static int check_single(parser *p)
{
    for (int i = 0; i < p->f->nnodes; i++) {
        const cpi_node *n = &p->f->nodes[i];
        for (int k = 0; k < n->nin && n->kind != CPI_NODE_PART; k++)
            if (results_of(p, n->in[k]) > 1)
                return cpi_wrong(p, p->f->nodes[n->in[k]].at, "%s(), which has two results, inside of an expression",
                                 cpi_op_rows[p->f->nodes[n->in[k]].op].name);
    }
    return 0;
}

/* e1, e2, ...: the results. */
static int parse_results(parser *p)
{
    cp_fusion *f = p->f;
    do {
        if (f->nresults && cpi_past(p, ",")) return FAILED;
        int at = p->at, x = parse_expression(p);
        if (x < 0) return FAILED;
        int n = results_of(p, x);
        if (f->nresults + n > CPI_FUSE_RESULTS) return cpi_wrong(p, at, "more than %d results", CPI_FUSE_RESULTS);
        for (int k = 0; k < n; k++) {
            int one = n == 1 ? x : add_part(p, x, k);
            if (one < 0) return FAILED;
            f->results[f->nresults++] = one;
        }
    } while (cpi_sees(p, SIGN, ","));
    while (p->kind == BREAK)
        if (cpi_scanner_advance(p)) return FAILED;
    return p->kind == END ? 0 : cpi_expected(p, "the end");
}

/* Is a list of names with a single = next? They are left in `names`, n of them. */
static int targets(parser *p, variable *names, int capacity, int *n)
{
    const parser before = {.next = p->next, .kind = p->kind, .at = p->at, .length = p->length};
    bool found = false;
    *n = 0;
    while (p->kind == NAME && !is_keyword(p)) {
        if (*n < capacity) names[*n] = (variable){p->text + p->at, p->length, p->at};
        ++*n;
        if (cpi_scanner_advance(p)) return FAILED;
        found = cpi_sees(p, SIGN, "=");
        if (found || !cpi_sees(p, SIGN, ",")) break;
        if (cpi_scanner_advance(p)) return FAILED;
    }
    if (found) return cpi_scanner_advance(p) ? FAILED : 1;
    p->next = before.next, p->kind = before.kind, p->at = before.at, p->length = before.length;
    return 0;
}

static int parse_assignment(parser *p, const variable *names, int n)
{
    int at = p->at, x = parse_expression(p);
    if (x < 0) return FAILED;
    if (results_of(p, x) != n || n > CPI_MAXOUT)
        return cpi_wrong(p, at, "%d result%s for %d name%s", results_of(p, x), results_of(p, x) == 1 ? "" : "s", n,
                         n == 1 ? "" : "s");
    for (int k = 0; k < n; k++) {
        int one = n == 1 ? x : add_part(p, x, k);
        if (one < 0 || set_variable(p, names[k].name, names[k].length, one)) return FAILED;
    }
    if (cpi_sees(p, SIGN, "=")) return cpi_wrong(p, p->at, "a second '='");
    return p->kind == BREAK || p->kind == END ? 0 : cpi_expected(p, "an operator");
}

static int parse_statements(parser *p)
{
    if (cpi_scanner_advance(p)) return FAILED;
    for (;;) {
        variable names[CPI_MAXOUT];
        int n;
        while (p->kind == BREAK)
            if (cpi_scanner_advance(p)) return FAILED;
        if (p->kind == END) return cpi_wrong(p, p->at, "an expression, which is the result, is missing");
        if (cpi_sees(p, NAME, "return")) return cpi_scanner_advance(p) ? FAILED : parse_results(p);
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
        bool fine = length && length < CPI_FUSE_SOURCE && cpi_starts_name(*name);
        for (size_t k = 1; k < length && fine; k++) fine = cpi_in_name(name[k]);
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
    if (end > CPI_FUSE_SOURCE) return cpi_fail(CP_ERROR_VALUE, "fused: an expression of %zu bytes; %d at most", end,
                                               CPI_FUSE_SOURCE), NULL;
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
