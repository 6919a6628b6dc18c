/* Shared variables of functions, methods and the source, which are variables of the worker's thread (write.c): which
 * there are, by the symbols of the compiled object, for CUPRITE_CHECK. Invariant: names and offsets lie in the object.
 *
 * What else is a variable of the thread is ours: its name is in our namespaces or has our prefix. */
#include <ctype.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/load.h"

static bool is_ours(const char *name)
{
    static const char *const parts[] = {"__cu_", "__ctx", "__tls", "_ZGV", "_ZZN3cub", "_ZZN4cuda", "_ZZNK3cub",
                                        "_ZZNK4cuda", "_ZZN18cooperative_groups", "_ZN4cuda", "_ZN3cub"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* The last name in a mangled one: _ZZN1S3getEvE4tile is tile. */
static void put_name(const char *name, char *to, size_t bytes)
{
    const char *last = name;
    size_t length = strlen(name);
    for (const char *p = strncmp(name, "_Z", 2) == 0 ? name : ""; *p; p++) {
        if (!isdigit((unsigned char)*p) || (p > name && isdigit((unsigned char)p[-1]))) continue;
        char *behind;
        unsigned long n = strtoul(p, &behind, 10);
        if (!n || n > strlen(behind) || isdigit((unsigned char)*behind)) continue;
        last = behind, length = n;
        p = behind + n - 1;
    }
    if (length >= bytes) length = bytes - 1;
    memcpy(to, last, length);
    to[length] = 0;
}

static bool lies_in(size_t bytes, uint64_t at, uint64_t n) { return at <= bytes && n <= bytes - at; }

static bool read_section(const char *object, size_t bytes, const ElfW(Ehdr) *e, unsigned i, ElfW(Shdr) *s)
{
    uint64_t at = e->e_shoff + (uint64_t)i * sizeof *s;
    if (i >= e->e_shnum || !lies_in(bytes, at, sizeof *s)) return false;
    memcpy(s, object + at, sizeof *s);
    return s->sh_type != SHT_NOBITS && lies_in(bytes, s->sh_offset, s->sh_size);
}

static void read_symbols(const char *object, const ElfW(Shdr) *symbols, const ElfW(Shdr) *strings, cpi_apart *a)
{
    const uint64_t n = symbols->sh_size / sizeof(ElfW(Sym));
    for (uint64_t i = 0; i < n && a->n < CPI_APART; i++) {
        ElfW(Sym) s;
        memcpy(&s, object + symbols->sh_offset + i * sizeof s, sizeof s);
        const char *name = object + strings->sh_offset + s.st_name;
        if (ELF64_ST_TYPE(s.st_info) != STT_TLS || !s.st_size || s.st_name >= strings->sh_size) continue;
        if (!memchr(name, 0, strings->sh_size - s.st_name) || is_ours(name)) continue;
        cpi_apart_variable *v = &a->variable[a->n++];
        v->offset = s.st_value, v->bytes = s.st_size;
        put_name(name, v->name, sizeof v->name);
    }
}

cpi_apart *cpi_apart_read(const void *memory, size_t bytes)
{
    const char *object = memory;
    cpi_apart *a = calloc(1, sizeof *a);
    ElfW(Ehdr) e;
    ElfW(Shdr) symbols, strings;
    if (!a || bytes < sizeof e) return a;
    memcpy(&e, object, sizeof e);
    for (unsigned i = 0; i < e.e_shnum; i++)
        if (read_section(object, bytes, &e, i, &symbols) && symbols.sh_type == SHT_SYMTAB &&
            read_section(object, bytes, &e, symbols.sh_link, &strings))
            read_symbols(object, &symbols, &strings, a);
    return a;
}

const cpi_apart_variable *cpi_apart_find(const cpi_apart *a, uint64_t offset)
{
    for (int i = 0; a && i < a->n; i++)
        if (offset - a->variable[i].offset < a->variable[i].bytes) return &a->variable[i];
    return NULL;
}
