/* One instruction of inline PTX as a statement of C++: see ptx.h. device/ptx.h has the functions that are called. */
#include "kernel/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef const cpi_ptx_instruction instruction;

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static bool one_of(const char *part, const char *const *words)
{
    while (*words && !is(part, *words)) words++;
    return *words;
}

const char *cpi_ptx_type(const char *part)
{
    static const char *const types[][2] = {
        {"u8", "unsigned char"}, {"s8", "signed char"}, {"b8", "unsigned char"}, {"u16", "unsigned short"},
        {"s16", "short"}, {"b16", "unsigned short"}, {"u32", "unsigned"}, {"s32", "int"}, {"b32", "unsigned"},
        {"u64", "unsigned long long"}, {"s64", "long long"}, {"b64", "unsigned long long"}, {"f32", "float"},
        {"f64", "double"}, {"pred", "bool"}, {"b128", "unsigned __int128"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (is(part, types[i][0])) return types[i][1];
    return cpi_ptx_half_bits(part);
}

/* The n-th type among the opcode's parts, from 0. */
static const char *type_of(instruction *i, int n)
{
    for (int k = 1; k < i->nparts; k++)
        if (cpi_ptx_type(i->parts[k]) && n-- == 0) return cpi_ptx_type(i->parts[k]);
    return NULL;
}

static bool has(instruction *i, const char *part)
{
    for (int k = 1; k < i->nparts; k++)
        if (is(i->parts[k], part)) return true;
    return false;
}

/* Whether each part behind the name is a type, one of `allowed`, or changes nothing here. */
static bool known(instruction *i, const char *const *allowed)
{
    static const char *const nothing[] = {"ftz", "approx", "full", "relaxed", "acquire", "release", "acq_rel", "sc",
        "weak", "volatile", "gpu", "cta", "sys", "cluster", "global", "local", "const", "param", "ca", "cg", "cs", "lu",
        "cv", "nc", "wb", "wt", "sync", "aligned", "uni", "noftz", "L1::no_allocate", "L1::evict_first",
        "L1::evict_last", "L1::evict_normal", "L1::evict_unchanged", "L2::64B", "L2::128B", "L2::256B",
        "L2::evict_first",
        "L2::evict_last", "L2::evict_normal", NULL};
    for (int k = 1; k < i->nparts; k++)
        if (!cpi_ptx_type(i->parts[k]) && !one_of(i->parts[k], nothing) && !(allowed && one_of(i->parts[k], allowed)))
            return false;
    return true;
}

/* --- operands --- */

#define LINEAR "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"
#define LANE "(" LINEAR " & 31u)"

static const char *special(const char *name, size_t n)
{
    static const char *const registers[][2] = {
        {"%laneid", LANE}, {"%warpid", "(" LINEAR " >> 5)"},
        {"%nwarpid", "((blockDim.x * blockDim.y * blockDim.z + 31u) >> 5)"},
        {"%tid.x", "threadIdx.x"}, {"%tid.y", "threadIdx.y"}, {"%tid.z", "threadIdx.z"},
        {"%ntid.x", "blockDim.x"}, {"%ntid.y", "blockDim.y"}, {"%ntid.z", "blockDim.z"},
        {"%ctaid.x", "blockIdx.x"}, {"%ctaid.y", "blockIdx.y"}, {"%ctaid.z", "blockIdx.z"},
        {"%nctaid.x", "gridDim.x"}, {"%nctaid.y", "gridDim.y"}, {"%nctaid.z", "gridDim.z"},
        {"%lanemask_eq", "(1u << " LANE ")"}, {"%lanemask_lt", "((1u << " LANE ") - 1u)"},
        {"%lanemask_le", "(~0u >> (31u - " LANE "))"}, {"%lanemask_ge", "(~0u << " LANE ")"},
        {"%lanemask_gt", "(~1u << " LANE ")"}, {"%clock", "(unsigned)clock64()"},
        {"%clock_hi", "(unsigned)(clock64() >> 32)"}, {"%clock64", "(unsigned long long)clock64()"},
        {"%globaltimer", "globaltimer()"}, {"%globaltimer_lo", "(unsigned)globaltimer()"},
        {"%globaltimer_hi", "(unsigned)(globaltimer() >> 32)"}, {"%smid", "0u"}, {"%nsmid", "1u"}, {"%gridid", "0u"},
        {"WARP_SZ", "32u"}};
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (strlen(registers[i][0]) == n && memcmp(registers[i][0], name, n) == 0) return registers[i][1];
    return NULL;
}

/* 0f3F800000, 0d..., and what C++ reads too. */
static void put_number(cpi_string *out, const char *p, size_t n)
{
    const char *digits = p + (*p == '-');
    char kind = digits[0] == '0' ? (char)tolower((unsigned char)digits[1]) : 0;
    if (kind == 'f' || kind == 'd')
        cpi_string_printf(out, kind == 'f' ? "%s__uint_as_float(0x%.*su)" : "%s__longlong_as_double(0x%.*sll)",
                          *p == '-' ? "-" : "", (int)(n - (size_t)(digits - p) - 2), digits + 2);
    else cpi_string_printf(out, "%.*s", (int)n, p);
}

/* Whether the text declares the register. */
static bool is_declared(const cpi_ptx *x, const char *p, size_t n)
{
    char name[CPI_PTX_WORD + 2];
    if (n >= CPI_PTX_WORD || !x->registers.at) return false;
    snprintf(name, sizeof name, " %.*s ", (int)n, p);
    return strstr(x->registers.at, name) != NULL;
}

bool cpi_ptx_is_unknown(const cpi_ptx *x, const char *p, size_t n)
{
    return n && *p == '%' && !special(p, n) && !is_declared(x, p + 1, n - 1);
}

static bool put_register(cpi_ptx *x, const char *p, size_t n)
{
    if (*p == CPI_PTX_MARK) {
        int k = atoi(p + 1);
        if (k >= x->noperands) return false;
        cpi_string_printf(x->out, "__p%d", k);
        return true;
    }
    if (n && *p == '%') p++, n--;
    if (!is_declared(x, p, n)) return false;
    cpi_string_printf(x->out, "__r_%.*s", (int)n, p);
    return true;
}

bool cpi_ptx_put_source(cpi_ptx *x, const char *p, size_t n, const char *type)
{
    if (type) cpi_string_printf(x->out, "__cu_as<%s>(", type);
    bool turned = n && *p == '!', done = true;
    if (turned) cpi_string_printf(x->out, "!"), p++, n--;
    if (n && (isdigit((unsigned char)*p) || *p == '-')) put_number(x->out, p, n);
    else if (n && special(p, n)) cpi_string_printf(x->out, "%s", special(p, n));
    else done = n && put_register(x, p, n);
    if (type) cpi_string_printf(x->out, ")");
    return done;
}

static bool put_argument(cpi_ptx *x, instruction *i, int k, const char *type)
{
    return k < i->noperands && cpi_ptx_put_source(x, i->operand[k], i->length[k], type);
}

/* `__cu_set(register, ` of operand 0. */
static bool open_result(cpi_ptx *x, instruction *i)
{
    if (!i->noperands) return false;
    if (i->length[0] == 1 && *i->operand[0] == '_') {
        cpi_string_printf(x->out, "(void)(");
        return true;
    }
    cpi_string_printf(x->out, "__cu_set(");
    if (!put_register(x, i->operand[0], i->length[0])) return false;
    cpi_string_printf(x->out, ", ");
    return true;
}

/* The parts of {a, b}. Returns how many, 0: it is none. */
static int vector(const char *p, size_t n, const char **part, size_t *length, int most)
{
    int count = 0;
    if (n < 2 || *p != '{' || p[n - 1] != '}') return 0;
    for (const char *end = p + n - 1, *from = ++p; p <= end; p++) {
        if (p < end && *p != ',') continue;
        const char *to = p;
        while (from < to && isspace((unsigned char)*from)) from++;
        while (to > from && isspace((unsigned char)to[-1])) to--;
        if (count == most) return 0;
        part[count] = from, length[count++] = (size_t)(to - from);
        from = p + 1;
    }
    return count;
}

static bool is_shared(instruction *i) { return has(i, "shared") || has(i, "shared::cta"); }

/* The address in [a + 4]: in shared memory, an offset there. */
static bool put_address(cpi_ptx *x, instruction *i, int k, int more, bool shared)
{
    if (k >= i->noperands || i->length[k] < 3 || *i->operand[k] != '[') return false;
    const char *p = i->operand[k] + 1, *end = i->operand[k] + i->length[k] - 1, *plus = p;
    while (plus < end && *plus != '+') plus++;
    size_t n = (size_t)(plus - p);
    while (n && isspace((unsigned char)*p)) p++, n--;
    while (n && isspace((unsigned char)p[n - 1])) n--;
    if (shared) cpi_string_printf(x->out, "(unsigned long long)__cvta_shared_to_generic(");
    if (!cpi_ptx_put_source(x, p, n, "unsigned long long")) return false;
    if (plus < end) cpi_string_printf(x->out, " %.*s", (int)(end - plus), plus);
    if (more) cpi_string_printf(x->out, " + %d", more);
    if (shared) cpi_string_printf(x->out, ")");
    return true;
}

/* --- groups of instructions --- */

/* Functions of device/ptx.h, __cu_ptx_NAME: how many sources; which of them, the last ones, are counts, always
 * unsigned; what it is made for. A modifier that makes it another function (`named` of put_plain) is a part of its
 * name. */
enum { BY_TYPE, BY_TYPES, OF_WORDS }; /* f<type>(type, ...); f<type, type>(unsigned, ...); f(unsigned, ...) */
static const struct plain { const char *name; int sources, counts, how; } plain[] = {
    {"add", 2, 0, BY_TYPE}, {"sub", 2, 0, BY_TYPE}, {"mul", 2, 0, BY_TYPE}, {"mad", 3, 0, BY_TYPE},
    {"div", 2, 0, BY_TYPE}, {"rem", 2, 0, BY_TYPE}, {"min", 2, 0, BY_TYPE}, {"max", 2, 0, BY_TYPE},
    {"neg", 1, 0, BY_TYPE}, {"abs", 1, 0, BY_TYPE}, {"and", 2, 0, BY_TYPE}, {"or", 2, 0, BY_TYPE},
    {"xor", 2, 0, BY_TYPE}, {"not", 1, 0, BY_TYPE}, {"cnot", 1, 0, BY_TYPE}, {"shl", 2, 1, BY_TYPE},
    {"shr", 2, 1, BY_TYPE}, {"popc", 1, 0, BY_TYPE}, {"clz", 1, 0, BY_TYPE}, {"brev", 1, 0, BY_TYPE},
    {"bfind", 1, 0, BY_TYPE}, {"bfe", 3, 2, BY_TYPE}, {"bfi", 4, 2, BY_TYPE}, {"prmt", 3, 0, OF_WORDS},
    {"lop3", 4, 0, OF_WORDS}, {"sad", 3, 0, BY_TYPE}, {"fma", 3, 0, BY_TYPE}, {"shf", 3, 0, OF_WORDS},
    {"rcp", 1, 0, BY_TYPE}, {"sqrt", 1, 0, BY_TYPE}, {"rsqrt", 1, 0, BY_TYPE}, {"ex2", 1, 0, BY_TYPE},
    {"lg2", 1, 0, BY_TYPE}, {"sin", 1, 0, BY_TYPE}, {"cos", 1, 0, BY_TYPE}, {"tanh", 1, 0, BY_TYPE},
    {"copysign", 2, 0, BY_TYPE}, {"mul24", 2, 0, BY_TYPE}, {"mad24", 3, 0, BY_TYPE}, {"szext", 2, 1, BY_TYPE},
    {"bmsk", 2, 0, OF_WORDS}, {"fns", 3, 0, OF_WORDS}, {"dp4a", 3, 0, BY_TYPES}, {"dp2a", 3, 0, BY_TYPES}};

/* CUDA's function of a rounding, __fadd_rz, or false. */
static bool put_rounded(cpi_ptx *x, instruction *i, int sources)
{
    static const char *const modes[][2] = {{"rn", "rn"}, {"rz", "rz"}, {"rm", "rd"}, {"rp", "ru"}};
    static const char *const names[] = {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", NULL};
    const char *type = type_of(i, 0), *mode = NULL;
    for (size_t k = 0; k < 4; k++)
        if (has(i, modes[k][0])) mode = modes[k][1];
    if (!type || !mode || !one_of(i->parts[0], names) || !(is(type, "float") || is(type, "double"))) return false;
    bool fused = is(i->parts[0], "fma") || is(i->parts[0], "mad"), wide = is(type, "double");
    if (fused) cpi_string_printf(x->out, wide ? "__fma_%s(" : "__fmaf_%s(", mode);
    else cpi_string_printf(x->out, "__%c%s_%s(", wide ? 'd' : 'f', i->parts[0], mode);
    for (int k = 1; k <= sources; k++) {
        if (k > 1) cpi_string_printf(x->out, ", ");
        if (!put_argument(x, i, k, type)) return false;
    }
    cpi_string_printf(x->out, ")");
    return true;
}

static bool put_plain(cpi_ptx *x, instruction *i)
{
    static const char *const allowed[] = {"lo", "hi", "wide", "rn", "rz", "rm", "rp", "l", "r", "wrap", "clamp",
                                          "shiftamt", NULL};
    static const char *const named[] = {"lo", "hi", "wide", "l", "r", "wrap", "clamp", "shiftamt", NULL};
    const struct plain *f = NULL;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        if (is(i->parts[0], plain[k].name)) f = &plain[k];
    const char *type = type_of(i, 0), *other = type_of(i, 1);
    if (!f || !type || !known(i, allowed) || i->noperands != f->sources + 1 || !open_result(x, i)) return false;
    if ((f->how == BY_TYPES) != (other != NULL)) return false;
    size_t before = x->out->length;
    if (put_rounded(x, i, f->sources)) {
        cpi_string_printf(x->out, "); ");
        return true;
    }
    if (x->out->length != before || has(i, "rz") || has(i, "rm") || has(i, "rp")) return false;
    cpi_string_printf(x->out, "__cu_ptx_%s", f->name);
    for (int k = 1; k < i->nparts; k++)
        if (one_of(i->parts[k], named)) cpi_string_printf(x->out, "_%s", i->parts[k]);
    if (f->how == BY_TYPE) cpi_string_printf(x->out, "<%s>", type);
    if (f->how == BY_TYPES) cpi_string_printf(x->out, "<%s, %s>", type, other);
    cpi_string_printf(x->out, "(");
    for (int k = 1; k <= f->sources; k++) {
        bool wide = is(f->name, "mad") && has(i, "wide") && k == 3, count = k > f->sources - f->counts;
        if (k > 1) cpi_string_printf(x->out, ", ");
        if (!put_argument(x, i, k, wide ? "__int128" : count || f->how != BY_TYPE ? "unsigned" : type)) return false;
    }
    cpi_string_printf(x->out, ")); ");
    return true;
}

/* add.cc, addc, sub.cc, subc, mad.lo.cc, madc.hi: with the carry. */
static bool put_carried(cpi_ptx *x, instruction *i)
{
    static const char *const names[] = {"add", "addc", "sub", "subc", "mad", "madc", NULL};
    static const char *const allowed[] = {"cc", "lo", "hi", NULL};
    const char *type = type_of(i, 0), *name = i->parts[0];
    bool product = *name == 'm', reads = name[strlen(name) - 1] == 'c', less = *name == 's', writes = has(i, "cc");
    if (!one_of(name, names) || !type || !(reads || writes) || !known(i, allowed)) return false;
    if (i->noperands != (product ? 4 : 3) || !open_result(x, i)) return false;
    cpi_string_printf(x->out, less ? "__cu_ptx_borrowed<%s>(" : "__cu_ptx_carried<%s>(", type);
    if (product) cpi_string_printf(x->out, "__cu_ptx_mul_%s<%s>(", has(i, "hi") ? "hi" : "lo", type);
    if (!put_argument(x, i, 1, type)) return false;
    cpi_string_printf(x->out, ", ");
    if (!put_argument(x, i, 2, type)) return false;
    if (product) {
        cpi_string_printf(x->out, "), ");
        if (!put_argument(x, i, 3, type)) return false;
    }
    cpi_string_printf(x->out, ", %s, %s)); ", reads ? "__cu_carry" : "0", writes ? "&__cu_carry" : "nullptr");
    return true;
}

/* mov, also of {a, b} to one register and back. */
static bool put_move(cpi_ptx *x, instruction *i)
{
    const char *part[4], *type = type_of(i, 0);
    size_t length[4];
    if (!is(i->parts[0], "mov") || !type || i->nparts != 2 || i->noperands != 2) return false;
    int from = vector(i->operand[1], i->length[1], part, length, 4);
    if (from) {
        int bits = atoi(i->parts[1] + 1) / from;
        if (!open_result(x, i)) return false;
        for (int k = 0; k < from; k++) {
            cpi_string_printf(x->out, "%s(%s)__cu_as<%s>(", k ? " | " : "", type, bits == 32 ? "unsigned" : bits == 64
                              ? "unsigned long long" : bits == 16 ? "unsigned short" : "unsigned char");
            if (!cpi_ptx_put_source(x, part[k], length[k], NULL)) return false;
            cpi_string_printf(x->out, ") << %d", k * bits);
        }
        cpi_string_printf(x->out, "); ");
        return true;
    }
    int to = vector(i->operand[0], i->length[0], part, length, 4);
    for (int k = 0; k < to; k++) {
        int bits = atoi(i->parts[1] + 1) / to;
        if (length[k] == 1 && *part[k] == '_') continue;
        cpi_string_printf(x->out, "__cu_set(");
        if (!put_register(x, part[k], length[k])) return false;
        cpi_string_printf(x->out, ", (%s)(", bits == 32 ? "unsigned" : bits == 64 ? "unsigned long long" :
                          bits == 16 ? "unsigned short" : "unsigned char");
        if (!put_argument(x, i, 1, type)) return false;
        cpi_string_printf(x->out, " >> %d)); ", k * bits);
    }
    if (to) return true;
    if (!open_result(x, i) || !put_argument(x, i, 1, type)) return false;
    cpi_string_printf(x->out, "); ");
    return true;
}

/* setp, selp, cvt. */
static bool put_choice(cpi_ptx *x, instruction *i)
{
    const char *type = type_of(i, 0), *other = type_of(i, 1);
    if (is(i->parts[0], "setp") && type && i->nparts >= 3 && known(i, (const char *[]){i->parts[1], NULL})) {
        static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
                                            "ltu", "leu", "gtu", "geu", "num", "nan", NULL};
        if (i->noperands != 3 || !one_of(i->parts[1], tests) || !open_result(x, i)) return false;
        cpi_string_printf(x->out, "__cu_ptx_is_%s<%s>(", i->parts[1], type);
        if (!put_argument(x, i, 1, type)) return false;
        cpi_string_printf(x->out, ", ");
        if (!put_argument(x, i, 2, type)) return false;
        cpi_string_printf(x->out, ")); ");
        return true;
    }
    if (is(i->parts[0], "selp") && type && i->nparts == 2 && i->noperands == 4) {
        if (!open_result(x, i) || !put_argument(x, i, 3, "bool")) return false;
        cpi_string_printf(x->out, " ? ");
        if (!put_argument(x, i, 1, type)) return false;
        cpi_string_printf(x->out, " : ");
        if (!put_argument(x, i, 2, type)) return false;
        cpi_string_printf(x->out, "); ");
        return true;
    }
    static const char *const rounds[] = {"rn", "rni", "rzi", "rmi", "rpi", "sat", NULL};
    if (!is(i->parts[0], "cvt") || !type || !other || !known(i, rounds) || i->noperands != 2) return false;
    char how = has(i, "rni") ? 'n' : has(i, "rmi") ? 'm' : has(i, "rpi") ? 'p' : has(i, "rzi") ? 'z' : ' ';
    if (!open_result(x, i)) return false;
    cpi_string_printf(x->out, "__cu_ptx_cvt<%s, %s>(", type, other);
    if (!put_argument(x, i, 1, other)) return false;
    cpi_string_printf(x->out, ", '%c', %s)); ", how, has(i, "sat") ? "true" : "false");
    return true;
}

/* ld and st, also of vectors. */
static bool put_access(cpi_ptx *x, instruction *i)
{
    static const char *const allowed[] = {"shared", "shared::cta", "v2", "v4", NULL};
    bool load = is(i->parts[0], "ld") || is(i->parts[0], "ldu");
    const char *type = type_of(i, 0), *part[4];
    size_t length[4];
    if ((!load && !is(i->parts[0], "st")) || !type || i->noperands != 2 || !known(i, allowed)) return false;
    int value = load ? 0 : 1, n = vector(i->operand[value], i->length[value], part, length, 4);
    if ((has(i, "v2") ? 2 : has(i, "v4") ? 4 : 0) != n) return false;
    if (!n) part[0] = i->operand[value], length[0] = i->length[value], n = 1;
    int bytes = atoi(i->parts[i->nparts - 1] + 1) / 8;
    for (int k = 0; k < n; k++) {
        if (load) {
            cpi_string_printf(x->out, "__cu_set(");
            if (!put_register(x, part[k], length[k])) return false;
            cpi_string_printf(x->out, ", __cu_ptx_ld<%s>(", type);
            if (!put_address(x, i, 1, k * bytes, is_shared(i))) return false;
            cpi_string_printf(x->out, ")); ");
        } else {
            cpi_string_printf(x->out, "__cu_ptx_st<%s>(", type);
            if (!put_address(x, i, 0, k * bytes, is_shared(i))) return false;
            cpi_string_printf(x->out, ", ");
            if (!cpi_ptx_put_source(x, part[k], length[k], type)) return false;
            cpi_string_printf(x->out, "); ");
        }
    }
    return true;
}

/* atom and red, as CUDA's functions. */
static bool put_atomic(cpi_ptx *x, instruction *i)
{
    static const char *const operations[][2] = {{"add", "Add"}, {"min", "Min"}, {"max", "Max"}, {"inc", "Inc"},
        {"dec", "Dec"}, {"and", "And"}, {"or", "Or"}, {"xor", "Xor"}, {"exch", "Exch"}, {"cas", "CAS"}};
    static const char *const allowed[] = {"shared", "shared::cta", "add", "min", "max", "inc", "dec", "and", "or",
                                          "xor", "exch", "cas", NULL};
    bool returns = is(i->parts[0], "atom");
    const char *type = type_of(i, 0), *name = NULL;
    for (size_t k = 0; k < sizeof operations / sizeof *operations; k++)
        if (has(i, operations[k][0])) name = operations[k][1];
    int at = returns ? 1 : 0, values = name && is(name, "CAS") ? 2 : 1;
    if ((!returns && !is(i->parts[0], "red")) || !type || !name || !known(i, allowed)) return false;
    if (i->noperands != at + 1 + values || (returns && !open_result(x, i))) return false;
    cpi_string_printf(x->out, "atomic%s((%s *)(", name, type);
    if (!put_address(x, i, at, 0, is_shared(i))) return false;
    cpi_string_printf(x->out, ")");
    for (int k = 1; k <= values; k++) {
        cpi_string_printf(x->out, ", ");
        if (!put_argument(x, i, at + k, type)) return false;
    }
    cpi_string_printf(x->out, returns ? ")); " : "); ");
    return true;
}

/* cp.async: copies that are made at once, so there is nothing to wait for. */
static bool put_copy(cpi_ptx *x, instruction *i)
{
    static const char *const waits[] = {"cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all", NULL};
    static const char *const allowed[] = {"async", "shared", "shared::cta", NULL};
    if (one_of(i->opcode, waits)) {
        cpi_string_printf(x->out, "; ");
        return true;
    }
    if (!is(i->parts[0], "cp") || !has(i, "async") || !is_shared(i) || !has(i, "global")) return false;
    if (!known(i, allowed) || i->noperands < 3 || i->noperands > 4) return false;
    cpi_string_printf(x->out, "__cu_ptx_copy(");
    if (!put_address(x, i, 0, 0, true)) return false;
    cpi_string_printf(x->out, ", ");
    if (!put_address(x, i, 1, 0, false)) return false;
    for (int k = 2; k < 4; k++) {
        cpi_string_printf(x->out, ", ");
        if (!put_argument(x, i, k < i->noperands ? k : 2, "unsigned")) return false;
    }
    cpi_string_printf(x->out, "); ");
    return true;
}

/* bar and barrier: .sync, .arrive and .red of a number and, where not all threads come, how many do. */
static bool put_barrier(cpi_ptx *x, instruction *i)
{
    static const char *const allowed[] = {"arrive", "red", "popc", "and", "or", NULL};
    bool folds = has(i, "red"), comes = has(i, "arrive");
    int how = has(i, "popc") ? 1 : has(i, "and") ? 2 : has(i, "or") ? 3 : 0, at = folds ? 1 : 0;
    int values = i->noperands - at - folds;
    if (!(is(i->parts[0], "bar") || is(i->parts[0], "barrier")) || has(i, "warp") || !known(i, allowed)) return false;
    if (folds != (how > 0) || folds + comes + has(i, "sync") != 1 || values < 1 || values > 2) return false;
    if (comes && values != 2) return false;
    if (!folds && !comes && values == 1 && i->length[0] == 1 && *i->operand[0] == '0') {
        cpi_string_printf(x->out, "__syncthreads(); ");
        return true;
    }
    if (folds && !open_result(x, i)) return false;
    cpi_string_printf(x->out, folds ? "__cu_part_barrier(" : "(void)__cu_part_barrier(");
    if (!put_argument(x, i, at, "unsigned")) return false;
    cpi_string_printf(x->out, ", ");
    if (values == 1) cpi_string_printf(x->out, "0u");
    else if (!put_argument(x, i, at + 1, "unsigned")) return false;
    cpi_string_printf(x->out, ", %d, ", comes ? 4 : how);
    if (!folds) cpi_string_printf(x->out, "0); ");
    else if (!put_argument(x, i, at + values, "bool")) return false;
    else cpi_string_printf(x->out, ")); ");
    return true;
}

/* cvta, prefetch, fences, and what ends a thread. */
static bool put_other(cpi_ptx *x, instruction *i)
{
    static const char *const spaces[] = {"to", "shared", "shared::cta", NULL};
    static const char *const fences[] = {"gl", "proxy", "alias", "async", NULL};
    const char *name = i->parts[0];
    if (is(name, "cvta") && i->noperands == 2 && known(i, spaces) && open_result(x, i)) {
        bool shared = is_shared(i);
        cpi_string_printf(x->out, !shared ? "(" : has(i, "to") ? "__cvta_generic_to_shared((const void *)"
                                                              : "(unsigned long long)__cvta_shared_to_generic(");
        if (!put_argument(x, i, 1, "unsigned long long")) return false;
        cpi_string_printf(x->out, ")); ");
        return true;
    }
    if (is(name, "prefetch") || is(name, "prefetchu") || is(name, "griddepcontrol") || is(name, "pmevent") ||
        is(name, "discard") || is(name, "applypriority")) {
        cpi_string_printf(x->out, "; ");
        return true;
    }
    if ((is(name, "membar") || is(name, "fence")) && known(i, fences)) {
        cpi_string_printf(x->out, "__threadfence%s(); ", has(i, "cta") ? "_block" : has(i, "sys") ? "_system" : "");
        return true;
    }
    if (is(i->opcode, "bar.warp.sync") && i->noperands == 1) {
        cpi_string_printf(x->out, "__syncwarp(");
        bool done = put_argument(x, i, 0, "unsigned");
        cpi_string_printf(x->out, "); ");
        return done;
    }
    if (is(name, "nanosleep") && i->noperands == 1) {
        cpi_string_printf(x->out, "__nanosleep(");
        bool done = put_argument(x, i, 0, "unsigned");
        cpi_string_printf(x->out, "); ");
        return done;
    }
    if (is(i->opcode, "trap") || is(i->opcode, "brkpt")) {
        cpi_string_printf(x->out, "__trap(); ");
        return true;
    }
    if (!(is(i->opcode, "exit") || is(i->opcode, "ret")) || !x->kernel) return false;
    cpi_string_printf(x->out, "return; ");
    return true;
}

/* Between the lanes of a warp. */
static bool put_lanes(cpi_ptx *x, instruction *i)
{
    static const char *const shuffles[][2] = {{"up", "_up"}, {"down", "_down"}, {"bfly", "_xor"}, {"idx", ""}};
    static const char *const modes[] = {"up", "down", "bfly", "idx", "all", "any", "ballot", "add", "min", "max", "and",
                                        "or", "xor", NULL};
    static const char *const folds[] = {"add", "min", "max", "and", "or", "xor", NULL};
    const char *name = i->parts[0];
    if (is(i->opcode, "activemask.b32") && i->noperands == 1 && open_result(x, i)) {
        cpi_string_printf(x->out, "__activemask()); ");
        return true;
    }
    if (!has(i, "sync") || !known(i, modes) || i->nparts < 4) return false;
    if (is(name, "shfl") && i->noperands == 5 && open_result(x, i)) {
        for (size_t k = 0; k < 4; k++)
            if (is(i->parts[2], shuffles[k][0])) cpi_string_printf(x->out, "__shfl%s_sync(", shuffles[k][1]);
        if (!put_argument(x, i, 4, "unsigned")) return false;
        for (int k = 1; k < 3; k++) {
            cpi_string_printf(x->out, ", ");
            if (!put_argument(x, i, k, "unsigned")) return false;
        }
        cpi_string_printf(x->out, ", 32 - (int)(");
        if (!put_argument(x, i, 3, "unsigned")) return false;
        cpi_string_printf(x->out, " >> 8 & 31u))); ");
        return true;
    }
    bool fold = is(name, "redux") && one_of(i->parts[2], folds) && i->noperands == 3;
    bool vote = is(name, "vote") && (has(i, "all") || has(i, "any") || has(i, "ballot")) && i->noperands == 3;
    if ((!fold && !vote) || !open_result(x, i)) return false;
    cpi_string_printf(x->out, "%s%s_sync(", fold ? "__reduce_" : "__", i->parts[2]);
    if (!put_argument(x, i, 2, "unsigned")) return false;
    cpi_string_printf(x->out, ", ");
    if (!put_argument(x, i, 1, vote ? "bool" : type_of(i, 0))) return false;
    cpi_string_printf(x->out, "))%s", "; ");
    return true;
}

/* --- for ptx_half.c --- */

bool cpi_ptx_has(const cpi_ptx_instruction *i, const char *part) { return has(i, part); }
bool cpi_ptx_known(const cpi_ptx_instruction *i, const char *const *allowed) { return known(i, allowed); }
bool cpi_ptx_open_result(cpi_ptx *x, const cpi_ptx_instruction *i) { return open_result(x, i); }
bool cpi_ptx_is_shared(const cpi_ptx_instruction *i) { return is_shared(i); }
bool cpi_ptx_put_argument(cpi_ptx *x, const cpi_ptx_instruction *i, int k, const char *type)
{
    return put_argument(x, i, k, type);
}
bool cpi_ptx_put_address(cpi_ptx *x, const cpi_ptx_instruction *i, int k, int more, bool shared)
{
    return put_address(x, i, k, more, shared);
}

bool cpi_ptx_put(cpi_ptx *x, const cpi_ptx_instruction *i)
{
    bool (*const groups[])(cpi_ptx *, instruction *) = {
        cpi_ptx_put_half, put_carried, put_plain, put_move, put_choice, put_access, put_atomic, put_copy, put_barrier,
        put_other, put_lanes};
    const size_t before = x->out->length;
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        if (groups[k](x, i)) return true;
        x->out->length = before;
        if (x->out->at) x->out->at[before] = 0;
    }
    return false;
}
