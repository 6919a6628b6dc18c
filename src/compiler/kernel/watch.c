/* What is watched under CUPRITE_CHECK: see watch.h. */
#include "kernel/watch.h"

#include <ctype.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "backend/live.h"
#include "kernel/fibers.h"
#include "kernel/kernel.h"

enum { NULL_PAGE = 1 << 16 };

static bool inside(uintptr_t address, unsigned long bytes, cpi_address_range r)
{
    return address >= r.start && address <= r.end && bytes <= r.end - address;
}

int cpi_watch_begin(const cpi_memory_access *a, cpi_fault *fault)
{
    static const char *const words[] = {"reads", "writes", "updates", "reads", "writes", "updates", "reads"};
    const __cu_extent *t = &a->where->thread, *b = &a->where->block;
    fault->at[0] = a->at;
    return snprintf(fault->text, sizeof fault->text, "\1thread (%u, %u, %u) of block (%u, %u, %u) %s %lu byte%s ",
                    t->x, t->y, t->z, b->x, b->y, b->z, words[a->how], a->bytes, a->bytes == 1 ? "" : "s");
}

/* --- global memory --- */

const char *cpi_watch_parameter(const __cu_kernel *kernel, int number)
{
    const char *p = kernel->parameters;
    for (int i = 1; p && *p && i < number; i++) {
        p += strcspn(p, ",");
        p += *p == ',';
    }
    return p ? p : "";
}

static const char *parameter(const cpi_watch *w, int number, int *length)
{
    const char *p = number > 0 ? cpi_watch_parameter(w->kernel, number) : "";
    *length = (int)strcspn(p, ",");
    return p;
}

/* Bytes of what parameter `number` points to; `other` where it is not a pointer, or one to void. */
static int64_t element(const cpi_watch *w, int number, int64_t other)
{
    unsigned n = number >= 1 && number <= w->kernel->nargs ? w->kernel->elements[number - 1] : 0;
    return n ? n : other ? other : 1;
}

static bool null_fault(const cpi_watch *w, const cpi_memory_access *a, cpi_fault *fault)
{
    int n = cpi_watch_begin(a, fault), only = 0, length;
    for (int i = 0; i < w->launch->n && i < w->kernel->nargs; i++) {
        void *value;
        if (w->launch->bytes[i] != sizeof value || !w->kernel->elements[i]) continue;
        memcpy(&value, w->launch->values[i], sizeof value);
        if (!value) only = only ? -1 : i + 1;
    }
    n += snprintf(fault->text + n, sizeof fault->text - (size_t)n, "through a null pointer");
    const char *name = parameter(w, only, &length);
    if (only > 0 && length)
        snprintf(fault->text + n, sizeof fault->text - (size_t)n, ": index %ld of %.*s (argument %d), which is null",
                 (long)a->address / (long)element(w, only, 1), length, name, only);
    return false;
}

static int put_index(const cpi_watch *w, const cpi_memory_access *a, const cpi_span *s, char *text, size_t bytes)
{
    int length;
    const char *name = parameter(w, s->argument, &length);
    int64_t each = element(w, s->argument, s->itemsize), away = (int64_t)a->address - (int64_t)(uintptr_t)s->data;
    int64_t index = away >= 0 ? away / each : -((-away + each - 1) / each);
    return snprintf(text, bytes, "at index %lld of %.*s (argument %d)", (long long)index, length ? length : 8,
                    length ? name : "an array", s->argument);
}

static bool array_fault(const cpi_watch *w, const cpi_memory_access *a, const cpi_span *s, cpi_fault *fault)
{
    int n = cpi_watch_begin(a, fault);
    int64_t each = element(w, s->argument, s->itemsize);
    int64_t size = s->itemsize == each || s->itemsize == 0 ? s->size : s->size * s->itemsize / each;
    n += put_index(w, a, s, fault->text + n, sizeof fault->text - (size_t)n);
    snprintf(fault->text + n, sizeof fault->text - (size_t)n, ", an array of %lld elements", (long long)size);
    return false;
}

int cpi_watch_position(const cpi_watch *w, const cpi_memory_access *a, char *text, size_t bytes)
{
    for (int i = 0; i < w->nspans; i++)
        if (a->address - (uintptr_t)w->spans[i].memory < (uintptr_t)w->spans[i].bytes)
            return put_index(w, a, &w->spans[i], text, bytes);
    for (const __cu_variable *v = w->variables; v && v->name; v++)
        if (a->address - (uintptr_t)v->address < v->bytes)
            return snprintf(text, bytes, "at byte %llu of the variable %s",
                            (unsigned long long)(a->address - (uintptr_t)v->address), v->name);
    return snprintf(text, bytes, "at %#llx", (unsigned long long)a->address);
}

/* Next to a block that a pointer argument points into: what is reported is that argument's. */
static bool pointer_fault(const cpi_watch *w, const cpi_memory_access *a, uintptr_t start, size_t bytes,
                          cpi_fault *fault)
{
    for (int i = 0; i < w->launch->n && i < w->kernel->nargs; i++) {
        uintptr_t value;
        if (w->launch->bytes[i] != sizeof value || !w->kernel->elements[i]) continue;
        memcpy(&value, w->launch->values[i], sizeof value);
        if (value < start || value >= start + bytes) continue;
        cpi_span s = {NULL, (char *)value, 0, 1, (int64_t)(start + bytes - value), i + 1};
        return array_fault(w, a, &s, fault), true;
    }
    return false;
}

/* Memory of another block than those of the launch's arrays, or of none. */
static bool other_fault(const cpi_watch *w, const cpi_memory_access *a, cpi_liveness how, uintptr_t start, size_t bytes,
                        cpi_fault *fault)
{
    bool beside = how == CPI_LIVE || (!how && cpi_live_nearest(a->address, &start, &bytes));
    if (beside && a->address + bytes + NULL_PAGE > start && a->address < start + 2 * bytes + NULL_PAGE &&
        pointer_fault(w, a, start, bytes, fault))
        return false;
    int n = cpi_watch_begin(a, fault);
    size_t capacity = sizeof fault->text - (size_t)n;
    char *to = fault->text + n;
    if (how == CPI_LIVE_FREED)
        snprintf(to, capacity, "in memory that was freed: byte %lld of what was an array of %zu bytes",
                 (long long)(a->address - start), bytes);
    else if (beside)
        snprintf(to, capacity, "at %#llx, where no array is: the nearest one has %zu bytes from %#llx on",
                 (unsigned long long)a->address, bytes, (unsigned long long)start);
    else
        snprintf(to, capacity, "at %#llx, where no array is", (unsigned long long)a->address);
    return false;
}

static bool remember(cpi_watch *w, uintptr_t start, uintptr_t end)
{
    w->known[w->next++ % CPI_KNOWN] = (cpi_address_range){start, end};
    return true;
}

typedef struct asked { uintptr_t image; cpi_address_range thread; } asked;
typedef struct place { unsigned long module, offset; } place; /* what __tls_get_addr takes */
extern void *__tls_get_addr(place *);

/* Variables of the thread that the compiled object has; the thread gets its own here, if it has none yet. */
static int find_thread_variables(struct dl_phdr_info *info, size_t size, void *memory)
{
    asked *q = memory;
    bool its = false;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        its = its || (p->p_type == PT_LOAD && q->image - (info->dlpi_addr + p->p_vaddr) < p->p_memsz);
    }
    for (int i = 0; its && i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        if (p->p_type != PT_TLS || !info->dlpi_tls_modid) continue;
        uintptr_t start = (uintptr_t)__tls_get_addr(&(place){info->dlpi_tls_modid, 0});
        q->thread = (cpi_address_range){start, start + p->p_memsz};
    }
    return its;
}

cpi_address_range cpi_watch_thread_variables(cpi_address_range image)
{
    asked q = {image.start, {0, 0}};
    dl_iterate_phdr(find_thread_variables, &q);
    return q.thread;
}

bool cpi_watch_is_private(const cpi_watch *w, uintptr_t address) { return inside(address, 1, w->thread); }

bool cpi_watch_global(cpi_watch *w, const cpi_memory_access *a, cpi_fault *fault)
{
    const cpi_span *nearest = NULL;
    uintptr_t best = UINTPTR_MAX, start = 0, address = a->address;
    size_t bytes = 0;
    for (int i = 0; i < w->nspans; i++) {
        const cpi_span *s = &w->spans[i];
        cpi_address_range r = {(uintptr_t)s->memory, (uintptr_t)s->memory + (uintptr_t)s->bytes};
        if (inside(address, a->bytes, r)) return true;
        uintptr_t away = address < r.start ? r.start - address : address >= r.end ? address - r.end : 0;
        if (away < best) best = away, nearest = s;
    }
    for (int i = 0; i < CPI_KNOWN; i++)
        if (inside(address, a->bytes, w->known[i])) return true;
    if (inside(address, a->bytes, w->thread)) return true;
    if (address < NULL_PAGE) return null_fault(w, a, fault);
    if (inside(address, a->bytes, w->image)) return true;
    cpi_liveness how = cpi_live_find(address, &start, &bytes);
    cpi_address_range whole = {start, start + bytes};
    if (how == CPI_LIVE && inside(address, a->bytes, whole)) return remember(w, whole.start, whole.end);
    w->thread = cpi_watch_thread_variables(w->image);
    if (inside(address, a->bytes, w->thread)) return true;
    /* an address closer to an array of the launch than the array's length, or a page, was meant to be in it, unless an
     * array that kernels know by a pointer in memory is closer still */
    uintptr_t other;
    bool rival = cpi_live_nearest(address, &other, &bytes) && other != (uintptr_t)(nearest ? nearest->memory : NULL);
    rival = rival && address >= other + bytes && address - (other + bytes) < best;
    if (nearest && !rival && how != CPI_LIVE_FREED && best <= (uintptr_t)nearest->bytes + 4096)
        return array_fault(w, a, nearest, fault);
    if (how != CPI_LIVE) how = cpi_live_find(address, &start, &bytes); /* `bytes` again */
    return other_fault(w, a, how, start, bytes, fault);
}

/* --- what the compiler's own checks report --- */

/* The line of the compiled source, which has its own behind the last #line 1. */
static const char *line_at(const char *text, int line)
{
    static const char mark[] = "#line 1 \"kernel.cu\"\n";
    const char *p = text ? strstr(text, mark) : NULL;
    if (!p) return NULL;
    p += sizeof mark - 1;
    for (int i = 1; i < line && p; i++) {
        if (*p == '#' && (p[1] == ' ' || strncmp(p, "#line", 5) == 0)) return NULL; /* lines of another count */
        p = strchr(p, '\n');
        if (p) p++;
    }
    return p;
}

/* The array whose last ] is there. */
static bool name_at(const char *line, int column, char *name, size_t bytes)
{
    int i = column - 1, depth = 0, length = (int)strcspn(line, "\n");
    if (i < 0 || i >= length) return false;
    if (line[i] != ']') { /* or the first letter of its name */
        int n = 0;
        while (isalnum((unsigned char)line[i + n]) || line[i + n] == '_') n++;
        if (!n || isdigit((unsigned char)line[i])) return false;
        return snprintf(name, bytes, "%.*s", n, line + i), true;
    }
    for (; i >= 0; i--) {
        depth += (line[i] == ']') - (line[i] == '[');
        if (depth == 0 && (i == 0 || (line[i - 1] != ']' && line[i - 1] != ' '))) break;
    }
    int end = i;
    while (i > 0 && (isalnum((unsigned char)line[i - 1]) || line[i - 1] == '_')) i--;
    if (i < 0 || i == end) return false;
    snprintf(name, bytes, "%.*s", end - i, line + i);
    return true;
}

void cpi_watch_bounds(const cpi_watch *w, int line, int column, const char *type, long index,
                      const __cu_thread *where, cpi_fault *fault)
{
    char name[100] = "an array";
    const char *text = line_at(w->text, line);
    if (text) name_at(text, column, name, sizeof name);
    snprintf(fault->text, sizeof fault->text,
             "line %d: thread (%u, %u, %u) of block (%u, %u, %u) uses index %ld of %s, which is %s", line,
             where->thread.x, where->thread.y, where->thread.z, where->block.x, where->block.y, where->block.z, index,
             name, type);
}

void cpi_watch_alignment(int line, const char *type, uintptr_t address, const __cu_thread *where, cpi_fault *fault)
{
    snprintf(fault->text, sizeof fault->text,
             "line %d: thread (%u, %u, %u) of block (%u, %u, %u) uses %#llx as the address of %s: misaligned address",
             line, where->thread.x, where->thread.y, where->thread.z, where->block.x, where->block.y, where->block.z,
             (unsigned long long)address, type);
}
