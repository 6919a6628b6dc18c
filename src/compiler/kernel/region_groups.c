/* Cooperative groups as what they are made of: `cta.sync()` is __syncthreads(), `tile.shfl_down(v, 1)` is
 * __shfl_down_sync(mask, v, 1, 16). So kernels that use groups become loops between barriers like others.
 *
 * Groups are variables and parameters whose kind the source says: the block, a tile of 1 to 32 threads, the grid. Their
 * declarations are left out; where a group is an argument of a function, it is made there. Invariant: a function is
 * rewritten whole or not at all. One that is not (coalesced_threads, thread_group, groups of a template's type) uses
 * the classes of device/cooperative_groups.h and runs in fibers; __cu_groups() at its beginning says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/translate.h"

typedef enum kind { NONE, BLOCK, TILE, GRID } kind;
typedef struct group {
    kind kind;
    int size, size_end;     /* of a tile: tokens */
    bool cut;               /* a tile that has fewer threads at the block's end */
    kind part;              /* of what it is a part; NONE: that is not known */
    int of, of_end;         /* of a tile that is a part of one: the larger one's size */
} group;

enum { VARIABLES = 64, ALIASES = 8 };
typedef struct variable { int name; group group; } variable;

typedef struct reader {
    const cpi_cu_program *p;
    const cpi_cu_function *f;
    int alias[ALIASES], naliases; /* names of the namespace */
    bool open;                    /* its names are used without it */
    variable variable[VARIABLES];
    int nvariables;
    bool failed;
    cpi_string *out;
} reader;

static const cpi_token *word(const reader *r, int i) { return &r->p->tokens.at[i]; }
static bool is(const reader *r, int i, const char *text) { return cpi_token_is(word(r, i), text); }
static int match(const reader *r, int i) { return word(r, i)->match; }
static bool named(const reader *r, int i) { return word(r, i)->kind == CPI_W_NAME; }
static bool member(const reader *r, int i) { return i && (is(r, i - 1, ".") || is(r, i - 1, "->")); }

/* --- names --- */

static void find_aliases(reader *r)
{
    for (int i = 0; i < r->p->tokens.n; i++) {
        if (!is(r, i, "cooperative_groups")) continue;
        if (is(r, i - 1, "=") && is(r, i - 3, "namespace") && r->naliases < ALIASES) r->alias[r->naliases++] = i - 2;
        for (int k = i; k > 0 && k > i - 4 && !is(r, k, ";"); k--) r->open = r->open || is(r, k, "using");
    }
}

static bool is_space(const reader *r, int i)
{
    if (is(r, i, "cooperative_groups")) return true;
    for (int k = 0; k < r->naliases; k++)
        if (cpi_token_same(word(r, i), word(r, r->alias[k]))) return true;
    return false;
}

/* The token of a name of the namespace's that begins at i: of `cg::sync` that of sync; -1: none begins there. */
static int space_name(const reader *r, int i)
{
    if (is(r, i, "::") && is_space(r, i + 1)) i++;
    if (is_space(r, i) && is(r, i + 1, "::")) return i + 2;
    bool qualified = i && is(r, i - 1, "::");
    return r->open && named(r, i) && !member(r, i) && !qualified ? i : -1;
}

static bool one_of(const reader *r, int i, const char *const *words)
{
    for (; *words; words++)
        if (is(r, i, *words)) return true;
    return false;
}

/* What the namespace has. */
static const char *const classes[] = {"thread_block", "thread_block_tile", "thread_group", "coalesced_group",
                                      "grid_group", "cluster_group", NULL};
static const char *const makers[] = {"this_thread_block", "this_grid", "tiled_partition", "coalesced_threads",
                                     "this_thread", "this_cluster", "binary_partition", "labeled_partition", NULL};
static const char *const actions[] = {"sync", "reduce", "inclusive_scan", "exclusive_scan", "memcpy_async", "wait",
                                      "wait_prior", "invoke_one", "invoke_one_broadcast", "thread_rank", "group_size",
                                      NULL};
static const char *const methods[] = {"sync", "shfl", "shfl_up", "shfl_down", "shfl_xor", "ballot", "any", "all",
                                      "match_any", "match_all", "thread_rank", "num_threads", "meta_group_rank",
                                      "meta_group_size", "group_index", "thread_index", "group_dim", "dim_threads",
                                      NULL};

/* --- groups --- */

static bool is_variable(const reader *r, int i, group *g)
{
    if (member(r, i) || (i && is(r, i - 1, "::"))) return false;
    for (int k = r->nvariables - 1; k >= 0; k--) {
        if (!cpi_token_same(word(r, i), word(r, r->variable[k].name))) continue;
        *g = r->variable[k].group;
        return true;
    }
    return false;
}

static int read_group(const reader *r, int i, group *g);

/* A tile of several warps. */
static bool is_wide(const reader *r, const group *g)
{
    return word(r, g->size)->kind == CPI_W_NUMBER && g->size_end == g->size + 1 && atoi(word(r, g->size)->text) > 32;
}

/* `tiled_partition<16>(g)` and, where the size is a number, `tiled_partition(g, 16)`; `name` is its token. */
static int read_partition(const reader *r, int name, group *g)
{
    group whole;
    int open = name + 1, close;
    *g = (group){.kind = TILE};
    if (is(r, open, "<")) {
        open = cpi_tokens_behind_angles(&r->p->tokens, open, r->p->tokens.n);
        if (open < 0 || !is(r, open, "(")) return -1;
        g->size = name + 2, g->size_end = open - 1;
        close = match(r, open);
        if (read_group(r, open + 1, &whole) != close) return -1;
    } else {
        if (!is(r, open, "(")) return -1;
        close = match(r, open);
        int comma = read_group(r, open + 1, &whole);
        if (comma < 0 || !is(r, comma, ",") || comma + 2 != close) return -1;
        if (word(r, comma + 1)->kind != CPI_W_NUMBER) return -1;
        g->size = comma + 1, g->size_end = close, g->cut = true;
    }
    for (int k = g->size; k < g->size_end; k++)
        if (is(r, k, ",")) return -1;
    if (is_wide(r, g)) return -1;
    if (whole.kind != BLOCK && (whole.kind != TILE || g->cut)) return -1;
    g->part = whole.kind, g->of = whole.size, g->of_end = whole.size_end;
    return close + 1;
}

/* Behind the group that the tokens at i are; -1 where they are none. */
static int read_group(const reader *r, int i, group *g)
{
    if (named(r, i) && is_variable(r, i, g)) return i + 1;
    int name = space_name(r, i);
    if (name < 0) return -1;
    bool call = is(r, name + 1, "(") && match(r, name + 1) == name + 2;
    if (is(r, name, "this_thread_block") && call) return *g = (group){.kind = BLOCK}, name + 3;
    if (is(r, name, "this_grid") && call) return *g = (group){.kind = GRID}, name + 3;
    return is(r, name, "tiled_partition") ? read_partition(r, name, g) : -1;
}

/* Behind the type of a group at i; -1: it is none, or one whose kind it does not say. */
static int read_type(const reader *r, int i, group *g)
{
    while (is(r, i, "const")) i++;
    int name = space_name(r, i), behind = name + 1;
    if (name < 0) return -1;
    if (is(r, name, "thread_block")) *g = (group){.kind = BLOCK};
    else if (is(r, name, "grid_group")) *g = (group){.kind = GRID};
    else if (is(r, name, "thread_block_tile") && is(r, behind, "<")) {
        behind = cpi_tokens_behind_angles(&r->p->tokens, behind, r->p->tokens.n);
        if (behind < 0) return -1;
        *g = (group){.kind = TILE, .size = name + 2, .size_end = name + 2};
        while (g->size_end < behind - 1 && !is(r, g->size_end, ",")) g->size_end++;
        for (int k = g->size_end; k < behind; k++)
            if (is(r, k, "thread_block")) g->part = BLOCK;
        if (is_wide(r, g)) return -1;
    } else {
        return -1;
    }
    while (is(r, behind, "const") || is(r, behind, "&")) behind++;
    return behind;
}

static void add(reader *r, int name, group g)
{
    if (r->nvariables == VARIABLES) r->failed = true;
    else r->variable[r->nvariables++] = (variable){name, g};
}

/* Behind the declaration of a group at i, which is added; -1: none is there. */
static int read_declaration(reader *r, int i)
{
    group g, value;
    int name = read_type(r, i, &g), first = i;
    bool deduced = false, of_any = false;
    if (name < 0) {
        while (is(r, first, "const")) first++;
        int any = space_name(r, first);
        of_any = any >= 0 && is(r, any, "thread_group");
        deduced = is(r, first, "auto");
        if (!deduced && !of_any) return -1;
        name = of_any ? any + 1 : first + 1;
        while (is(r, name, "&") || is(r, name, "const") || is(r, name, "&&")) name++;
    }
    if (!named(r, name)) return -1;
    bool paren = is(r, name + 1, "(") || is(r, name + 1, "{");
    if (!paren && !is(r, name + 1, "=")) return -1;
    int behind = read_group(r, name + 2, &value);
    if (paren && behind >= 0) behind = behind == match(r, name + 1) ? behind + 1 : -1;
    if (behind < 0 || !is(r, behind, ";")) return -1;
    add(r, name, value);
    return behind + 1;
}

/* --- writing --- */

static void put(reader *r, int first, int last);

static void put_text(reader *r, int first, int last)
{
    for (int i = first; i < last; i++) cpi_string_printf(r->out, "%.*s ", (int)word(r, i)->length, word(r, i)->text);
}

static const char rank[] = "__cu_rank_of(__cu_t, threadIdx, blockDim)";
static const char size[] = "(blockDim.x * blockDim.y * blockDim.z)";

static bool is_warp(const reader *r, const group *g) { return g->size_end == g->size + 1 && is(r, g->size, "32"); }

static void put_size(reader *r, const group *g)
{
    cpi_string_printf(r->out, "(unsigned)(");
    put_text(r, g->size, g->size_end);
    cpi_string_printf(r->out, ")");
}

static void put_mask(reader *r, const group *g)
{
    if (is_warp(r, g)) {
        cpi_string_printf(r->out, "0xffffffffu");
        return;
    }
    cpi_string_printf(r->out, "__cu_tile_mask_at(%s, ", rank);
    put_size(r, g);
    cpi_string_printf(r->out, ")");
}

/* The rank in the tile, or in the larger tile that it is a part of. */
static void put_rank_in(reader *r, int first, int last)
{
    cpi_string_printf(r->out, "(%s & ((unsigned)(", rank);
    put_text(r, first, last);
    cpi_string_printf(r->out, ") - 1u))");
}

static void put_rank(reader *r, const group *g)
{
    if (g->kind == TILE) put_rank_in(r, g->size, g->size_end);
    else if (g->kind == BLOCK) cpi_string_printf(r->out, "%s", rank);
    else cpi_string_printf(r->out, "__cu_rank_in_grid(%s, blockIdx, blockDim, gridDim)", rank);
}

static void put_threads(reader *r, const group *g)
{
    if (g->kind == TILE && g->cut) {
        cpi_string_printf(r->out, "__cu_tile_threads(%s, %s, ", rank, size);
        put_size(r, g);
        cpi_string_printf(r->out, ")");
    } else if (g->kind == TILE) put_size(r, g);
    else if (g->kind == BLOCK) cpi_string_printf(r->out, "%s", size);
    else cpi_string_printf(r->out, "((unsigned long long)gridDim.x * gridDim.y * gridDim.z * %s)", size);
}

static void put_sync(reader *r, const group *g)
{
    if (g->kind == BLOCK) cpi_string_printf(r->out, "__syncthreads()");
    else if (g->kind == GRID) cpi_string_printf(r->out, "__cu_grid_sync()");
    else cpi_string_printf(r->out, "__syncwarp("), put_mask(r, g), cpi_string_printf(r->out, ")");
}

/* Which of how many tiles it is. */
static void put_place(reader *r, const group *g, bool number)
{
    if (g->part == NONE) r->failed = true;
    cpi_string_printf(r->out, "((");
    if (number && g->part == BLOCK) {
        cpi_string_printf(r->out, "%s + ", size);
        put_size(r, g);
        cpi_string_printf(r->out, " - 1u");
    } else if (number) {
        cpi_string_printf(r->out, "(unsigned)(");
        put_text(r, g->of, g->of_end);
        cpi_string_printf(r->out, ")");
    } else if (g->part == BLOCK) {
        cpi_string_printf(r->out, "%s", rank);
    } else {
        put_rank_in(r, g->of, g->of_end);
    }
    cpi_string_printf(r->out, ") / ");
    put_size(r, g);
    cpi_string_printf(r->out, ")");
}

/* The n-th argument of the call with ( at `open`; false: there is none. */
static bool argument(const reader *r, int open, int n, int *first, int *last)
{
    int close = match(r, open);
    *first = open + 1;
    for (int i = open + 1; i <= close; i++) {
        if (i < close && match(r, i) > i) i = match(r, i);
        if (i < close && is(r, i, "<") && named(r, i - 1)) {
            int behind = cpi_tokens_behind_angles(&r->p->tokens, i, close);
            if (behind > 0) i = behind - 1;
        }
        if (i < close && !is(r, i, ",")) continue;
        *last = i;
        if (n-- == 0) return *last > *first;
        *first = i + 1;
    }
    return false;
}

/* `function(mask, arguments from the n-th on, more)`. */
static void put_call(reader *r, const group *g, const char *function, int open, int n, const char *before)
{
    int first, last;
    cpi_string_printf(r->out, "%s(", function);
    put_mask(r, g);
    for (; argument(r, open, n, &first, &last); n++) {
        cpi_string_printf(r->out, ", %s", before);
        put(r, first, last);
    }
}

/* The method at i, with ( behind it, of a group. */
static void put_method(reader *r, const group *g, int i)
{
    static const struct { const char *name, *function, *before; bool sized, shifted; } lanes[] = {
        {"shfl", "__shfl_sync", "", true, false}, {"shfl_up", "__shfl_up_sync", "", true, false},
        {"shfl_down", "__shfl_down_sync", "", true, false}, {"shfl_xor", "__shfl_xor_sync", "", true, false},
        {"any", "__any_sync", "", false, false}, {"all", "__all_sync", "", false, false},
        {"ballot", "__ballot_sync", "", false, true}, {"match_any", "__match_any_sync", "", false, true}};
    int open = i + 1;
    if (is(r, i, "sync")) {
        put_sync(r, g);
    } else if (is(r, i, "thread_rank")) {
        put_rank(r, g);
    } else if (is(r, i, "size") || is(r, i, "num_threads")) {
        put_threads(r, g);
    } else if (g->kind == BLOCK && (is(r, i, "group_dim") || is(r, i, "dim_threads"))) {
        cpi_string_printf(r->out, "blockDim");
    } else if (g->kind == BLOCK && (is(r, i, "group_index") || is(r, i, "thread_index"))) {
        const char *index = is(r, i, "group_index") ? "blockIdx" : "threadIdx";
        bool part = is(r, match(r, open) + 1, ".");
        if (part) cpi_string_printf(r->out, "%s", index);
        else cpi_string_printf(r->out, "dim3(%s.x, %s.y, %s.z)", index, index, index);
    } else if (g->kind == TILE && (is(r, i, "meta_group_rank") || is(r, i, "meta_group_size"))) {
        put_place(r, g, is(r, i, "meta_group_size"));
    } else if (g->kind == TILE) {
        for (size_t k = 0; k < sizeof lanes / sizeof *lanes; k++) {
            if (!is(r, i, lanes[k].name)) continue;
            bool shifts = lanes[k].shifted && !is_warp(r, g);
            cpi_string_printf(r->out, "(");
            put_call(r, g, lanes[k].function, open, 0, lanes[k].before);
            if (lanes[k].sized) cpi_string_printf(r->out, ", "), put_text(r, g->size, g->size_end);
            cpi_string_printf(r->out, ")");
            if (shifts) {
                cpi_string_printf(r->out, " >> (%s & 31u & ~(", rank);
                put_size(r, g);
                cpi_string_printf(r->out, " - 1u))");
            }
            cpi_string_printf(r->out, ")");
            return;
        }
        r->failed = true;
    } else {
        r->failed = true;
    }
}

/* The function `name` of the namespace, called with a group. */
static void put_action(reader *r, const group *g, int name, int open)
{
    static const char *const scans[][2] = {{"reduce", "__cu_group_fold"}, {"inclusive_scan", "__cu_group_scan"},
                                           {"exclusive_scan", "__cu_group_scan_before"}};
    int first, last;
    if (is(r, name, "sync") || is(r, name, "wait") || is(r, name, "wait_prior")) {
        put_sync(r, g);
    } else if (is(r, name, "thread_rank")) {
        put_rank(r, g);
    } else if (is(r, name, "group_size")) {
        put_threads(r, g);
    } else if (is(r, name, "memcpy_async") && g->kind != GRID && !argument(r, open, 4, &first, &last)) {
        cpi_string_printf(r->out, "cooperative_groups::__cu_copy_part(");
        put_rank(r, g), cpi_string_printf(r->out, ", "), put_threads(r, g);
        for (int n = 1; argument(r, open, n, &first, &last); n++) cpi_string_printf(r->out, ", "), put(r, first, last);
        cpi_string_printf(r->out, ")");
    } else if (g->kind == TILE) {
        for (size_t k = 0; k < sizeof scans / sizeof *scans; k++) {
            if (!is(r, name, scans[k][0])) continue;
            put_call(r, g, scans[k][1], open, 1, "");
            if (!argument(r, open, 2, &first, &last)) {
                if (k == 0) r->failed = true;
                cpi_string_printf(r->out, ", __cu_group_plus()");
            }
            cpi_string_printf(r->out, ")");
            return;
        }
        r->failed = true;
    } else {
        r->failed = true;
    }
}

/* A group as a value: an argument of a function. */
static void put_group(reader *r, const group *g)
{
    if (g->kind == BLOCK) {
        cpi_string_printf(r->out, "cooperative_groups::this_thread_block()");
    } else if (g->kind == GRID) {
        cpi_string_printf(r->out, "cooperative_groups::this_grid()");
    } else {
        cpi_string_printf(r->out, "cooperative_groups::thread_block_tile<");
        put_text(r, g->size, g->size_end);
        cpi_string_printf(r->out, ">(cooperative_groups::__cu_lanes{");
        put_mask(r, g);
        cpi_string_printf(r->out, ", ");
        if (g->part == NONE) cpi_string_printf(r->out, "0u, 0u");
        else put_place(r, g, false), cpi_string_printf(r->out, ", "), put_place(r, g, true);
        cpi_string_printf(r->out, "})");
    }
}

/* A size that is known when a template is instantiated: where it is that of several warps, the source does not compile,
 * and is translated with the classes. */
static void put_assumption(reader *r, const group *g)
{
    if (g->kind != TILE || word(r, g->size)->kind == CPI_W_NUMBER) return;
    cpi_string_printf(r->out, "static_assert((");
    put_text(r, g->size, g->size_end);
    cpi_string_printf(r->out, ") <= 32, \"a tile of one warp\");");
}

/* What begins at token i, where it is of groups; returns what is behind it, or -1 (nothing written). */
static int put_construct(reader *r, int i)
{
    group g;
    bool begins = is(r, i - 1, ";") || is(r, i - 1, "{") || is(r, i - 1, "}") || word(r, i - 1)->kind == CPI_W_LINE;
    int behind = begins ? read_declaration(r, i) : -1;
    if (behind >= 0) {
        put_assumption(r, &r->variable[r->nvariables - 1].group);
        return behind;
    }
    int name = space_name(r, i);
    if (name >= 0 && one_of(r, name, actions)) {
        int open = is(r, name + 1, "<") ? cpi_tokens_behind_angles(&r->p->tokens, name + 1, r->f->end) : name + 1;
        int comma = open > 0 && is(r, open, "(") ? read_group(r, open + 1, &g) : -1;
        if (comma > 0 && (is(r, comma, ",") || comma == match(r, open))) {
            put_action(r, &g, name, open);
            return match(r, open) + 1;
        }
        if (name != i) r->failed = true;
        return -1;
    }
    behind = read_group(r, i, &g);
    if (behind < 0) {
        if (name >= 0 && (one_of(r, name, classes) || one_of(r, name, makers))) r->failed = true;
        if (member(r, i) && one_of(r, i, methods) && is(r, i + 1, "(")) r->failed = true;
        return -1;
    }
    if (is(r, behind, ".") && is(r, behind + 2, "(")) {
        put_method(r, &g, behind + 1);
        return match(r, behind + 2) + 1;
    }
    if ((is(r, i - 1, "(") || is(r, i - 1, ",")) && (is(r, behind, ",") || is(r, behind, ")"))) {
        put_group(r, &g);
        return behind;
    }
    r->failed = true;
    return -1;
}

static void put_newlines(reader *r, int first, int last, size_t from)
{
    int missing = 0;
    for (const char *c = word(r, first)->text; c < word(r, last - 1)->text; c++) missing += *c == '\n';
    for (size_t k = from; k < r->out->length; k++) missing -= r->out->at[k] == '\n';
    for (; missing > 0; missing--) cpi_string_printf(r->out, "\n");
}

static void put(reader *r, int first, int last)
{
    for (int i = first; i < last && !r->failed;) {
        const cpi_token *w = word(r, i);
        if (i > first) {
            const char *from = word(r, i - 1)->text + word(r, i - 1)->length;
            cpi_string_add(r->out, from, (size_t)(w->text - from));
        }
        size_t written = r->out->length;
        int behind = put_construct(r, i);
        if (behind < 0) {
            cpi_string_add(r->out, w->text, w->length);
            behind = i + 1;
        } else {
            cpi_string_printf(r->out, " ");
            put_newlines(r, i, behind, written);
        }
        i = behind;
    }
}

/* --- functions --- */

/* The groups among the parameters; false: one's kind is not known. */
static bool read_parameters(reader *r)
{
    int open = r->f->open, close = match(r, open);
    for (int i = open + 1; i < close; i++) {
        int name = space_name(r, i);
        if (name < 0 || !one_of(r, name, classes)) continue;
        group g;
        int at = read_type(r, i, &g);
        if (at < 0) return false;
        if (named(r, at)) add(r, at, g);
        i = at;
    }
    return true;
}

/* Whether the tokens name a group, or what is done with one. */
static bool mentions(const reader *r, int first, int last)
{
    for (int i = first; i < last; i++) {
        if (is_space(r, i)) return true;
        int name = space_name(r, i);
        if (name >= 0 && (one_of(r, name, classes) || one_of(r, name, makers))) return true;
        if (member(r, i) && one_of(r, i, methods) && is(r, i + 1, "(")) return true;
    }
    return false;
}

/* The function, rewritten, or with a note that it is not. */
static bool put_function(reader *r, cpi_string *out)
{
    const cpi_cu_function *f = r->f;
    cpi_string body = {0};
    const cpi_token *open = word(r, f->body), *end = word(r, f->end - 1);
    r->nvariables = 0, r->failed = false, r->out = &body;
    if (!read_parameters(r)) r->failed = true;
    put(r, f->body + 1, f->end - 1);
    bool done = !r->failed && !body.failed;
    cpi_string_add(out, word(r, f->start)->text, (size_t)(open->text + 1 - word(r, f->start)->text));
    if (done) {
        const char *from = open->text + 1, *last = word(r, f->end - 2)->text + word(r, f->end - 2)->length;
        cpi_string_add(out, from, (size_t)(word(r, f->body + 1)->text - from));
        cpi_string_add(out, body.at ? body.at : "", body.length);
        if (f->body + 1 < f->end - 1) cpi_string_add(out, last, (size_t)(end->text - last));
    } else {
        cpi_string_printf(out, " __cu_groups(); ");
        cpi_string_add(out, open->text + 1, (size_t)(end->text - open->text - 1));
    }
    cpi_string_add(out, end->text, end->length);
    cpi_string_free(&body);
    return done;
}

bool cpi_cu_has_groups(const char *text) { return strstr(text, "cooperative_groups") != NULL; }

void cpi_cu_put_groups(const cpi_cu_program *p, const char *text, cpi_string *out, bool *some, bool *all)
{
    reader r = {.p = p};
    const cpi_tokens *t = &p->tokens;
    const char *from = text;
    int k = 0;
    find_aliases(&r);
    *some = *all = false;
    for (int i = 0; i < t->n;) {
        while (k < p->nfunctions && p->function[k].start < i) k++;
        if (k < p->nfunctions && p->function[k].start == i) {
            const cpi_cu_function *f = r.f = &p->function[k];
            if (f->body >= 0 && mentions(&r, f->open, f->end)) {
                cpi_string_add(out, from, (size_t)(t->at[i].text - from));
                if (!put_function(&r, out)) *some = true;
                from = t->at[f->end - 1].text + t->at[f->end - 1].length;
            }
            i = f->end;
            continue;
        }
        int name = space_name(&r, i); /* in methods and macros */
        bool marker = t->at[i].kind == CPI_W_LINE && strncmp(t->at[i].text, "# ", 2) == 0; /* a preprocessor's */
        bool line = t->at[i].kind == CPI_W_LINE && !marker && !memmem(t->at[i].text, t->at[i].length, "nclude", 6) &&
                    !memmem(t->at[i].text, t->at[i].length, "INCLUDE", 7) &&
                    (memmem(t->at[i].text, t->at[i].length, "cg::", 4) ||
                     memmem(t->at[i].text, t->at[i].length, "cooperative_groups", 18));
        if (line || (name >= 0 && (one_of(&r, name, makers) || (name != i && one_of(&r, name, actions))))) *all = true;
        i++;
    }
    cpi_string_add(out, from, strlen(from));
}
