/* Inline PTX of 16 bits: instructions on f16, bf16 and pairs of them, written as CUDA's functions (cuda_fp16.h,
 * cuda_bf16.h). Registers hold their bits. device/ptx_half.h has what is called. */
#include "kernel/ptx.h"

#include <stdio.h>
#include <string.h>

typedef const cpi_ptx_instruction instruction;

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

typedef struct small { const char *part, *class, *bits; bool pair; } small;
static const small kinds[] = {{"f16", "__half", "unsigned short", false},
                              {"bf16", "__nv_bfloat16", "unsigned short", false},
                              {"f16x2", "__half2", "unsigned", true},
                              {"bf16x2", "__nv_bfloat162", "unsigned", true}};

static const small *kind_of(const char *part)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (is(part, kinds[k].part)) return &kinds[k];
    return NULL;
}

const char *cpi_ptx_half_bits(const char *part) { return kind_of(part) ? kind_of(part)->bits : NULL; }

/* The types of the opcode, the result's first; returns how many. */
static int types_of(instruction *i, const char **types)
{
    int n = 0;
    for (int k = 1; k < i->nparts && n < 3; k++)
        if (cpi_ptx_type(i->parts[k])) types[n++] = i->parts[k];
    return n;
}

static bool put_value(cpi_ptx *x, instruction *i, int k, const small *s)
{
    cpi_string_printf(x->out, "__cu_half_of<%s>(", s->class);
    bool done = cpi_ptx_put_argument(x, i, k, s->bits);
    cpi_string_printf(x->out, ")");
    return done;
}

/* Arithmetic: CUDA's functions of one number and of two. */
static bool put_arithmetic(cpi_ptx *x, instruction *i, const small *s)
{
    static const struct { const char *name, *one, *two; int sources; } functions[] = {
        {"add", "__hadd", "__hadd2", 2}, {"sub", "__hsub", "__hsub2", 2}, {"mul", "__hmul", "__hmul2", 2},
        {"fma", "__hfma", "__hfma2", 3}, {"neg", "__hneg", "__hneg2", 1}, {"abs", "__habs", "__habs2", 1},
        {"min", "__hmin", "__hmin2", 2}, {"max", "__hmax", "__hmax2", 2}, {"ex2", "hexp2", "h2exp2", 1},
        {"tanh", "htanh", "h2tanh", 1}};
    static const char *const allowed[] = {"rn", "sat", "relu", "NaN", NULL};
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        if (!is(i->parts[0], functions[k].name)) continue;
        if (!cpi_ptx_known(i, allowed) || i->noperands != functions[k].sources + 1) return false;
        if (!cpi_ptx_open_result(x, i)) return false;
        cpi_string_printf(x->out, "__cu_half_bits(%s%s(", s->pair ? functions[k].two : functions[k].one,
                          cpi_ptx_has(i, "sat") ? "_sat" : cpi_ptx_has(i, "relu") ? "_relu" :
                          cpi_ptx_has(i, "NaN") ? "_nan" : "");
        for (int n = 1; n <= functions[k].sources; n++) {
            if (n > 1) cpi_string_printf(x->out, ", ");
            if (!put_value(x, i, n, s)) return false;
        }
        cpi_string_printf(x->out, "))); ");
        return true;
    }
    return false;
}

/* The predicate in operand 0, of two that of the lower or the upper numbers: `p|q`. */
static bool put_test(cpi_ptx *x, instruction *i, const small *s)
{
    static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu",
                                        "num", "nan"};
    const char *test = NULL;
    for (size_t k = 0; k < sizeof tests / sizeof *tests; k++)
        if (is(i->parts[1], tests[k])) test = tests[k];
    if (!is(i->parts[0], "setp") || !test || i->noperands != 3 || !cpi_ptx_known(i, (const char *[]){test, NULL}))
        return false;
    const char *bar = memchr(i->operand[0], '|', i->length[0]);
    for (int n = 0; n < (s->pair ? 2 : 1); n++) {
        instruction part = *i;
        cpi_ptx_instruction to = part;
        if (s->pair && !bar) return false;
        if (bar && n == 0) to.length[0] = (size_t)(bar - i->operand[0]);
        if (bar && n == 1) to.operand[0] = bar + 1, to.length[0] = i->length[0] - (size_t)(bar + 1 - i->operand[0]);
        if (!cpi_ptx_open_result(x, &to)) return false;
        cpi_string_printf(x->out, "__cu_ptx_is_%s<float>(", test);
        for (int k = 1; k <= 2; k++) {
            cpi_string_printf(x->out, "%s(float)", k > 1 ? ", " : "");
            if (!put_value(x, i, k, s)) return false;
            if (s->pair) cpi_string_printf(x->out, n ? ".y" : ".x");
        }
        cpi_string_printf(x->out, ")); ");
    }
    return true;
}

/* cvt to or from one of the types; of a pair from two of float, the upper one first. */
static bool put_conversion(cpi_ptx *x, instruction *i, const char *const *types, int ntypes)
{
    static const char *const modes[][2] = {{"rn", "__CU_RN"}, {"rz", "__CU_RZ"}, {"rm", "__CU_RD"}, {"rp", "__CU_RU"}};
    static const char *const allowed[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "sat", "relu", NULL};
    const char *mode = "__CU_RN", *relu = cpi_ptx_has(i, "relu") ? "true" : "false";
    const char *sat = cpi_ptx_has(i, "sat") ? "true" : "false";
    if (!is(i->parts[0], "cvt") || ntypes != 2 || !cpi_ptx_known(i, allowed)) return false;
    for (size_t k = 0; k < 4; k++)
        if (cpi_ptx_has(i, modes[k][0])) mode = modes[k][1];
    const small *to = kind_of(types[0]), *from = kind_of(types[1]);
    const char *other = cpi_ptx_type(to ? types[1] : types[0]);
    if (to && to->pair) {
        if (from || !is(types[1], "f32") || i->noperands != 3 || !cpi_ptx_open_result(x, i)) return false;
        cpi_string_printf(x->out, "__cu_half_pair<%s>(", to->class);
        if (!cpi_ptx_put_argument(x, i, 2, "float")) return false;
        cpi_string_printf(x->out, ", ");
        if (!cpi_ptx_put_argument(x, i, 1, "float")) return false;
        cpi_string_printf(x->out, ", %s, %s)); ", mode, relu);
        return true;
    }
    if ((from && from->pair) || i->noperands != 2 || !cpi_ptx_open_result(x, i)) return false;
    if (to) {
        cpi_string_printf(x->out, "__cu_half_made<%s>(", to->class);
        if (from ? !put_value(x, i, 1, from) : !cpi_ptx_put_argument(x, i, 1, other)) return false;
        char how = cpi_ptx_has(i, "rni") ? 'n' : cpi_ptx_has(i, "rmi") ? 'm' : cpi_ptx_has(i, "rpi") ? 'p' :
                   cpi_ptx_has(i, "rzi") ? 'z' : ' ';
        cpi_string_printf(x->out, ", %s, %s, %s, '%c')); ", mode, sat, relu, how);
        return true;
    }
    char how = cpi_ptx_has(i, "rni") ? 'n' : cpi_ptx_has(i, "rmi") ? 'm' : cpi_ptx_has(i, "rpi") ? 'p' :
               cpi_ptx_has(i, "rzi") ? 'z' : ' ';
    cpi_string_printf(x->out, "__cu_ptx_cvt<%s, float>((float)", other);
    if (!put_value(x, i, 1, from)) return false;
    cpi_string_printf(x->out, ", '%c', %s)); ", how, sat);
    return true;
}

/* atom.add and red.add. */
static bool put_sum(cpi_ptx *x, instruction *i, const small *s)
{
    static const char *const allowed[] = {"add", "shared", "shared::cta", NULL};
    bool returns = is(i->parts[0], "atom");
    const int at = returns ? 1 : 0;
    if (!(returns || is(i->parts[0], "red")) || !cpi_ptx_has(i, "add") || !cpi_ptx_known(i, allowed)) return false;
    if (i->noperands != at + 2 || (returns && !cpi_ptx_open_result(x, i))) return false;
    cpi_string_printf(x->out, returns ? "__cu_half_bits(atomicAdd((%s *)(" : "(void)(atomicAdd((%s *)(", s->class);
    if (!cpi_ptx_put_address(x, i, at, 0, cpi_ptx_is_shared(i))) return false;
    cpi_string_printf(x->out, "), ");
    if (!put_value(x, i, at + 1, s)) return false;
    cpi_string_printf(x->out, returns ? "))); " : ")); ");
    return true;
}

bool cpi_ptx_put_half(cpi_ptx *x, instruction *i)
{
    const char *types[3];
    const int n = types_of(i, types);
    const small *s = NULL;
    for (int k = 0; k < n && !s; k++) s = kind_of(types[k]);
    if (!s) return false;
    if (is(i->parts[0], "cvt")) return put_conversion(x, i, types, n);
    if (n != 1) return false;
    const size_t before = x->out->length;
    bool (*const groups[])(cpi_ptx *, instruction *, const small *) = {put_arithmetic, put_test, put_sum};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        if (groups[k](x, i, s)) return true;
        x->out->length = before;
        if (x->out->at) x->out->at[before] = 0;
    }
    return false;
}
