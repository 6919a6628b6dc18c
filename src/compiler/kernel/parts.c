/* Which parts of the device headers a program is compiled behind: each costs compile time, all of them a third of what
 * a small kernel takes.
 *
 * A part is there where the program, or a header of ours that it includes, contains one of its names (cpi_part_names,
 * made of the headers). All are where it includes another header or makes names by ##. So nothing that a program can
 * name is missing. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernel/compiler.h"
#include "kernel/translate.h"

/* What few kernels use is looked for by what its names contain: constants in a program alone, since headers include
 * those that they use. */
static void put_rare(const char *text, bool program, cpi_string *out)
{
    static const char *const parts[][2] = {{"_rn", "ROUNDING"}, {"_rz", "ROUNDING"}, {"_rd", "ROUNDING"},
                                           {"_ru", "ROUNDING"}, {"__v", "LANES"},    {"__dp", "LANES"},
                                           {"norm", "SPECIAL"}, {"cyl_bessel", "SPECIAL"}, {"4_16a", "SPECIAL"},
                                           {"4_32a", "SPECIAL"}, {"__cu_set", "PTX"}, {"__cu_ptx", "PTX"},
                                           {"__cu_operand", "PTX"}, {"__cu_as", "PTX"}, {"__cu_half", "PTX_HALF"},
                                           {"andStateMtgp32", "MTGP32"}, {"curand_mtgp32", "MTGP32"}};
    static const char *const constants[] = {"M_", "INFINITY", "NAN", "HUGE_VAL", "FP_", "_MAX", "_MIN", "CHAR_BIT",
                                            "FLT_", "DBL_"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(text, parts[i][0])) cpi_string_printf(out, "#define __CU_%s 1\n", parts[i][1]);
    bool named = false;
    for (size_t i = 0; program && i < sizeof constants / sizeof *constants; i++)
        named = named || strstr(text, constants[i]);
    if (named) cpi_string_printf(out, "#define __CU_CONSTANTS 1\n");
}

/* The first row with the name, or -1. */
static int row_of(const char *name, size_t length)
{
    int low = 0, high = cpi_part_names_n;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        const cpi_part_name *n = &cpi_part_names[middle];
        const size_t both = length < n->length ? length : n->length;
        const int order = memcmp(n->name, name, both);
        if (order < 0 || (order == 0 && n->length < length)) low = middle + 1;
        else high = middle;
    }
    const cpi_part_name *n = &cpi_part_names[low];
    return low < cpi_part_names_n && n->length == length && memcmp(n->name, name, length) == 0 ? low : -1;
}

/* Behind `#undef name` and `#pragma push_macro("name")` at p, which use no name, or p. */
static const char *behind_names(const char *p)
{
    if (*p != '#') return p;
    const char *word = p + 1 + strspn(p + 1, " \t");
    const bool is = strncmp(word, "undef ", 6) == 0 || strncmp(word, "pragma p", 8) == 0;
    return is ? p + strcspn(p, "\n") : p;
}

static void find_named(const char *text, bool needed[CPI_PARTS])
{
    for (const char *p = text; *p;) {
        p = behind_names(p);
        if (!isalpha((unsigned char)*p) && *p != '_') {
            p += *p != 0;
            continue;
        }
        size_t length = 1;
        while (isalnum((unsigned char)p[length]) || p[length] == '_') length++;
        int row = row_of(p, length);
        for (; row >= 0 && row < cpi_part_names_n && cpi_part_names[row].length == length &&
               memcmp(cpi_part_names[row].name, p, length) == 0; row++)
            needed[cpi_part_names[row].part] = true;
        p += length;
    }
}

/* --- headers that are included --- */

/* The header of ours that the directive whose name's < or " is at p includes; NULL: none. */
static const cpi_header *header_at(const char *p)
{
    const size_t length = *p == '<' || *p == '"' ? strcspn(p + 1, *p == '<' ? ">\n" : "\"\n") : 0;
    for (const cpi_header *t = cpi_device_sources; length && t->name; t++)
        if (strlen(t->name) == length && memcmp(t->name, p + 1, length) == 0) return t;
    return NULL;
}

/* Whether the `include` at p is a directive's, or asks for a header: anything but a word among others. */
static bool is_directive(const char *text, const char *p)
{
    while (p > text && (p[-1] == ' ' || p[-1] == '\t')) p--;
    return p > text && strchr("#/_\n", p[-1]);
}

bool cpi_cu_read_sources(const char *text, cpi_cu_sources *found)
{
    static const char *const words[] = {"include", "CUPRITE_INCLUDE"};
    const int most = (int)(sizeof found->text / sizeof *found->text);
    for (int k = 0; k < found->n; k++)
        if (found->text[k] == text) return true;
    if (found->n == most) return false;
    found->text[found->n++] = text;
    for (int k = 0; k < 2; k++)
        for (const char *p = strstr(text, words[k]); p; p = strstr(p, words[k])) {
            const bool asks = k || is_directive(text, p);
            p += strlen(words[k]);
            const cpi_header *header = asks ? header_at(p + strspn(p, " \t")) : NULL;
            if (asks && (!header || !cpi_cu_read_sources(header->text, found))) return false;
        }
    return true;
}

void cpi_cu_put_parts(const char *text, cpi_string *out)
{
    static const char *const names[CPI_PARTS] = {"ATOMICS", "BITS", "EXTREMES", "FUNCTIONS", "INVERSES", "WARPS"};
    bool needed[CPI_PARTS] = {false};
    cpi_cu_sources sources = {.n = 0};
    bool all = !cpi_cu_read_sources(text, &sources);
    for (int k = 0; k < sources.n; k++) {
        const char *part = sources.text[k];
        put_rare(part, !k, out);
        all = all || strstr(part, "##") || strstr(part, "%:");
        if (strstr(part, "__atomic") || strstr(part, "__sync_")) cpi_string_printf(out, "#define __CU_OWN_ATOMIC 1\n");
        find_named(part, needed);
    }
    if (all) cpi_string_printf(out, "#define __CU_ALL 1\n");
    for (int k = 0; k < CPI_PARTS && !all; k++)
        if (needed[k]) cpi_string_printf(out, "#define __CU_%s 1\n", names[k]);
}
