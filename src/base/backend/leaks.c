/* CUPRITE_DEBUG=leaks: prints at exit, on stderr, the arrays that were never freed and where they were made.
 *
 * The call site is found by a stack trace: the outermost public function is the one that was called, the next frame its
 * caller. This works for every function and every language without changes in the program. File and line are given if
 * the program was compiled with -g and addr2line is installed. Nothing here runs or prints unless the switch is on.
 * Invariant: `table` holds the live arrays, each with its call site. */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backend/scope.h"
#include "core/forks.h"
#include "core/shape.h"

enum { FRAMES = 32, SHOWN = 20, BUCKETS = 1 << 14, NAME = 512, LINE = 1024 };

/* One call site: the return addresses from the innermost frame outwards. */
typedef struct site {
    struct site *next;
    int depth;
    void *frame[FRAMES];
    int64_t arrays, bytes;   /* for the report */
    const cp_array *example;
} site;
typedef struct entry {
    struct entry *next;
    const cp_array *array;
    site *made;
} entry;

bool cpi_leaks_wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static entry *table[BUCKETS];
static site *sites[BUCKETS];

static size_t bucket(uintptr_t key) { return (key * UINT64_C(0x9E3779B97F4A7C15)) >> 50; }

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CUPRITE_DEBUG");
    cpi_leaks_wanted = text && strcmp(text, "leaks") == 0;
}

static site *find_site(void *const *frame, int depth)
{
    uintptr_t key = 0;
    for (int i = 0; i < depth; i++) key = key * 31 + (uintptr_t)frame[i];
    site **first = &sites[bucket(key)], *p = *first;
    while (p && !(p->depth == depth && !memcmp(p->frame, frame, (size_t)depth * sizeof *frame))) p = p->next;
    if (p || !(p = calloc(1, sizeof *p))) return p;
    p->depth = depth;
    memcpy(p->frame, frame, (size_t)depth * sizeof *frame);
    p->next = *first;
    return *first = p;
}

void cpi_leaks_made(const cp_array *x)
{
    void *frame[FRAMES];
    int depth = backtrace(frame, FRAMES);
    entry *e = malloc(sizeof *e), **first = &table[bucket((uintptr_t)x)];
    pthread_mutex_lock(&lock);
    if (e && (e->made = find_site(frame, depth))) {
        e->array = x;
        e->next = *first;
        *first = e;
        e = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(e);
}

void cpi_leaks_ended(const cp_array *x)
{
    pthread_mutex_lock(&lock);
    entry **at = &table[bucket((uintptr_t)x)], *e;
    while ((e = *at) && e->array != x) at = &e->next;
    if (e) *at = e->next;
    pthread_mutex_unlock(&lock);
    free(e);
}

/* Asks addr2line for an address in a file: the function into `name`, file and line into `line`; "" if unknown. */
static void ask_addr2line(const char *file, uintptr_t address, char name[NAME], char line[LINE])
{
    char text[32], *arguments[] = {"addr2line", "-f", "-C", "-e", (char *)(uintptr_t)file, text, NULL};
    int ends[2];
    pid_t child;
    posix_spawn_file_actions_t actions;
    name[0] = line[0] = 0;
    snprintf(text, sizeof text, "%#zx", (size_t)address);
    if (pipe(ends)) return;
    bool started = !posix_spawn_file_actions_init(&actions);
    if (started) {
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1 /* O_WRONLY */, 0);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        started = !posix_spawnp(&child, "addr2line", &actions, NULL, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[1]);
    FILE *answer = started ? fdopen(ends[0], "r") : NULL;
    if (answer) {
        if (!fgets(name, NAME, answer) || !fgets(line, LINE, answer)) name[0] = line[0] = 0;
        fclose(answer);
    } else {
        close(ends[0]);
    }
    if (started) waitpid(child, NULL, 0);
    name[strcspn(name, "\n")] = line[strcspn(line, " \n")] = 0; /* "leak.c:12 (discriminator 3)" */
    if (name[0] == '?') name[0] = 0;
    if (line[0] == '?' || strstr(line, ":?")) line[0] = 0;
}

/* The function and line of a return address; if no line is known, file and offset. */
static void describe(void *frame, bool want_line, char name[NAME], char line[LINE])
{
    Dl_info info;
    struct link_map *map = NULL;
    char *address = (char *)frame - 1; /* within the call instruction, not after it */
    name[0] = line[0] = 0;
    if (!dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return;
    uintptr_t offset = (uintptr_t)address - map->l_addr;
    bool unnamed = !info.dli_sname;
    if (want_line || unnamed) ask_addr2line(info.dli_fname, offset, name, line);
    if (!unnamed) snprintf(name, NAME, "%s", info.dli_sname);
    if (!line[0]) snprintf(line, LINE, "%s+%#zx", info.dli_fname, (size_t)offset);
}

/* A number that is made as an argument has no name by which it could be freed. */
static const char *advice(const char *function, const cp_array *x)
{
    static const char *const numbers[] = {"cp_int", "cp_float", "cp_complex", "cp_scalar"};
    for (size_t i = 0; !x->scope && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(function, numbers[i]) == 0)
            return "; outside of a scope the caller frees what it returns: for (CP_SCOPE) { ... } does that";
    return "";
}

static void report(const site *p)
{
    char function[NAME] = "", caller[NAME] = "", line[LINE] = "", text[NAME], unused[LINE];
    int last = -1;
    for (int i = 0; i < p->depth; i++) {
        describe(p->frame[i], false, text, unused);
        if (strncmp(text, "cp_", 3) != 0) continue;
        last = i;
        memcpy(function, text, NAME);
    }
    if (last + 1 < p->depth) describe(p->frame[last + 1], true, caller, line);
    const cp_array *x = p->example;
    fprintf(stderr, "    %lld made by %s, called by %s at %s%s: %lld bytes, the last one %s of shape %s%s\n",
            (long long)p->arrays, function[0] ? function : "the library", caller[0] ? caller : "a function",
            line[0] ? line : "an unknown call site", x->scope ? ", in a scope that was never ended" : "",
            (long long)p->bytes, cp_type_name(x->type), cpi_shape_string(x->ndim, x->shape, text, sizeof text),
            advice(function, x));
}

static int by_bytes(const void *a, const void *b)
{
    const site *p = *(site *const *)a, *q = *(site *const *)b;
    if (p->bytes != q->bytes) return p->bytes < q->bytes ? 1 : -1;
    return (p->arrays < q->arrays) - (p->arrays > q->arrays);
}

/* Runs after the program's atexit functions. */
__attribute__((destructor)) static void at_exit(void)
{
    int64_t arrays = 0, bytes = 0;
    site *worst[SHOWN + 1];
    size_t n = 0, more = 0;
    if (!cpi_leaks_wanted) return;
    cpi_leaks_wanted = false;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < BUCKETS; i++) {
        for (entry *e = table[i]; e; e = e->next) {
            int64_t own =
                e->array->buffer && e->array->buffer->block == e->array ? (int64_t)e->array->buffer->bytes : 0;
            e->made->arrays++, e->made->bytes += own, e->made->example = e->array;
            arrays++, bytes += own;
        }
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        for (site *p = sites[i]; p; p = p->next) {
            if (!p->arrays) continue;
            worst[n++] = p;
            qsort(worst, n, sizeof *worst, by_bytes);
            if (n > SHOWN) n = SHOWN, more++;
        }
    }
    if (arrays)
        fprintf(stderr, "cuprite: %lld arrays of %lld bytes were never freed:\n", (long long)arrays, (long long)bytes);
    for (size_t i = 0; i < n; i++) report(worst[i]);
    if (more) fprintf(stderr, "    and from %zu call sites more\n", more);
    pthread_mutex_unlock(&lock);
}
