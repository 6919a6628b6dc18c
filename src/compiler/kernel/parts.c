/* Which parts of the device headers a program is compiled behind: each costs compile time, all of them a third of what
 * a small kernel takes.
 *
 * A part is there where the program contains one of its names (cpi_part_names, made of the headers), or includes a
 * header, or makes names by ##. So nothing that a program can name is missing. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernel/compiler.h"
#include "kernel/translate.h"

/* What few kernels use is looked for by what its names contain. */
static void put_rare(const char *text, cpi_string *out)
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
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) named = named || strstr(text, constants[i]);
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

static void find_named(const char *text, bool needed[CPI_PARTS])
{
    for (const char *p = text; *p;) {
        if (!isalpha((unsigned char)*p) && *p != '_') {
            p++;
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

void cpi_cu_put_parts(const char *text, cpi_string *out)
{
    static const char *const names[CPI_PARTS] = {"ATOMICS", "BITS", "EXTREMES", "FUNCTIONS", "INVERSES", "WARPS"};
    bool needed[CPI_PARTS] = {false};
    put_rare(text, out);
    if (strstr(text, "include") || strstr(text, "INCLUDE") || strstr(text, "##") || strstr(text, "%:")) {
        cpi_string_printf(out, "#define __CU_ALL 1\n");
        return;
    }
    if (strstr(text, "__atomic") || strstr(text, "__sync_")) cpi_string_printf(out, "#define __CU_OWN_ATOMIC 1\n");
    find_named(text, needed);
    for (int k = 0; k < CPI_PARTS; k++)
        if (needed[k]) cpi_string_printf(out, "#define __CU_%s 1\n", names[k]);
}
