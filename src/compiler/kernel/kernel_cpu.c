/* The module's slots on the CPU: CUDA C++ becomes C++, a shared object, and loops or fibers over the pool's threads.
 *
 * Blocks are distributed to the threads of the pool in their order. */
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "cpu/threads.h"
#include "kernel/cache.h"
#include "kernel/compiler.h"
#include "kernel/fibers.h"
#include "kernel/kernel.h"
#include "kernel/load.h"
#include "kernel/messages.h"
#include "kernel/rows.h"
#include "kernel/summary.h"
#include "kernel/ptx.h"
#include "kernel/translate.h"
#include "kernel/watchdog.h"

typedef struct module {
    cpi_kernel_library narrow, wide; /* wide: for launches with thread indices beyond 2^31, made when first needed */
    pthread_mutex_t lock;
    cpi_kernel_source source;    /* copies, for `wide` */
    char **strings;       /* of the copies */
    int ntexts;
    bool prints;
} module;

/* --- from source to a library --- */

/* Whether a macro's definition is one token: 256. Small letters are a type's, or may be a variable's. */
static bool is_plain_word(const char *p, const char *end)
{
    static const char *const types[] = {"float", "double", "int", "unsigned", "long", "short", "char", "bool", "half"};
    p += strspn(p, " \t");
    bool small = islower((unsigned char)*p) != 0;
    for (size_t i = 0; small && i < sizeof types / sizeof *types; i++)
        small = strncmp(p, types[i], strlen(types[i])) != 0;
    if (p < end && small) return false;
    while (p < end && (isalnum((unsigned char)*p) || *p == '_' || *p == '.')) p++;
    p += strspn(p, " \t\r");
    return p >= end || *p == '/';
}

/* Of a macro in the source, NAME 256, and of one in the options, NAME=256. */
static bool is_plain(const char *p, const char *end)
{
    p += strspn(p, " \t");
    p += strcspn(p, " \t(=\n");
    return p >= end || (*p != '(' && is_plain_word(p + (*p == '='), end));
}

/* Whether all macros that options define are plain: -DNAME=256, and the same in two options. */
static bool options_are_plain(const cpi_kernel_source *source)
{
    for (int i = 0; i < source->noptions; i++) {
        const char *o = source->options[i], *before = i ? source->options[i - 1] : "";
        if (strncmp(o, "-D", 2) == 0) o += 2;
        else if (strncmp(o, "--define-macro=", 15) == 0) o += 15;
        else if (strcmp(before, "-D") != 0 && strcmp(before, "--define-macro") != 0) continue;
        if (!is_plain(o, o + strlen(o))) return false;
    }
    return true;
}

/* Whether a macro contains a program's structure, or pastes tokens. */
static bool has_structure(const char *p, size_t n)
{
    static const char *const words[] = {"__sync", "__shfl", "__shared__", "__global__", "__device__", "threadIdx", "##",
                                        "blockIdx", "blockDim", "gridDim", "atomic", "cub", "cuda::", "asm", "{", ";"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(p, n, words[i], strlen(words[i]))) return true;
    return false;
}

/* Whether what an option or a #define defines, NAME or NAME(x) or NAME=..., has a name of ours (own.c). */
static bool names_ours(const char *definition)
{
    definition += strspn(definition, " \t");
    size_t length = 0;
    while (isalnum((unsigned char)definition[length]) || definition[length] == '_') length++;
    return cpi_cu_is_ours(definition, length);
}

/* Whether the ignored line end at p is inside a token. */
static bool is_spliced_word(const char *text, const char *p)
{
    return p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '_') && (isalnum((unsigned char)p[2]) || p[2] == '_');
}

/* What needs the preprocessor before the source can be read: tokens continued over several lines, conditions, headers
 * of the user's, macros with a program's structure in them, in the source or in the options. */
static bool needs_preprocessor(const cpi_kernel_source *source)
{
    const char *text = source->text;
    /* Then kernels are searched for variables. */
    bool waits = strstr(text, "__sync") != NULL || strstr(text, "gridDim") != NULL;
    for (int i = 0; i < source->noptions; i++)
        if (strstr(source->options[i], "-include") || strstr(source->options[i], "--pre-include") ||
            has_structure(source->options[i], strlen(source->options[i])))
            return true;
    if ((waits && !options_are_plain(source)) || cpi_compiler_defines_ours(source)) return true;
    for (const char *p = strstr(text, "\\\n"); p; p = strstr(p + 2, "\\\n"))
        if (is_spliced_word(text, p)) return true;
    for (const char *p = text; p; p = strchr(p, '\n')) {
        p += strspn(p, " \t\r\n");
        if (*p != '#') continue;
        const char *word = p + 1 + strspn(p + 1, " \t");
        size_t n = strcspn(p, "\n");
        while (p[n] && n && p[n - 1] == '\\') n += 1 + strcspn(p + n + 1, "\n");
        if (strncmp(word, "if", 2) == 0) return true;
        if (strncmp(word, "include", 7) == 0) {
            const char *name = word + 7 + strspn(word + 7, " \t");
            bool ours = false;
            size_t length = strcspn(name + 1, "\">");
            for (const cpi_header *t = cpi_device_sources; t->name; t++)
                ours = ours || (strlen(t->name) == length && memcmp(t->name, name + 1, length) == 0);
            if (!ours) return true;
        }
        if (strncmp(word, "define", 6) == 0 && waits && !is_plain(word + 6, p + n)) return true;
        if (strncmp(word, "define", 6) == 0 && (has_structure(p, n) || names_ours(word + 6))) return true;
        p += n;
        if (!*p) break;
    }
    return false;
}

typedef struct machine {
    char compiler[PATH_MAX], identity[PATH_MAX + 256], folder[PATH_MAX];
    bool classes; /* cooperative groups stay what they are */
} machine;

/* From the cache or from the compiler. A failure to compile loops between barriers is cached too: with `again`, which
 * says that another source will be tried, the cache has the compiler's messages. */
static cp_code compiled(const machine *m, const cpi_kernel_source *source, const char *text, bool again, void **object,
                        size_t *bytes)
{
    const char **parts = cpi_calloc((size_t)source->noptions + 5, sizeof *parts);
    char *words = NULL;
    int n = 5;
    size_t length;
    if (!parts) return CP_ERROR_MEMORY;
    parts[1] = m->identity, parts[2] = cpi_compiler_headers_key(), parts[3] = text, parts[4] = "options";
    for (int i = 0; i < source->noptions; i++) parts[n++] = source->options[i];
    parts[0] = "cuprite kernel of the CPU, 2";
    cp_code code = CP_OK;
    if ((*object = source->cached(n, parts, bytes)) && !cpi_object_is_whole(*object, *bytes)) {
        free(*object);
        *object = NULL;
    }
    if (!*object) {
        parts[0] = "cuprite kernel of the CPU, 2: what does not compile";
        words = again ? source->cached(n, parts, &length) : NULL;
        code = words ? cpi_fail(CP_ERROR_COMPILE, "%.*s", (int)length, words)
                     : cpi_compiler_run(m->compiler, m->folder, source, text, object, bytes);
        if (code == CP_ERROR_COMPILE && again && !words && strstr(cp_error_message(), "error:"))
            source->keep(n, parts, cp_error_message(), strlen(cp_error_message()));
        parts[0] = "cuprite kernel of the CPU, 2";
        if (!code && cpi_object_is_whole(*object, *bytes)) source->keep(n, parts, *object, *bytes);
    }
    free(words);
    cpi_free_host(parts);
    return code;
}

/* Reads the program. Where it has cooperative groups, *text becomes it without them, as far as their kinds are
 * known. */
static bool read_program(const machine *m, char **text, cpi_cu_program *p, bool *unbalanced)
{
    if (!cpi_cu_read(*text, p, unbalanced)) return false;
    if (!cpi_cu_has_groups(*text)) return true;
    bool some = true, all = true;
    cpi_string plain = {0};
    if (!m->classes) {
        cpi_cu_put_groups(p, *text, &plain, &some, &all);
        cpi_cu_free(p);
        free(*text);
        *text = plain.failed ? NULL : strdup(plain.at);
        cpi_string_free(&plain);
        if (!*text) return cpi_fail(CP_ERROR_MEMORY, "module_compile: out of host memory"), false;
        if (!cpi_cu_read(*text, p, unbalanced)) return false;
    }
    p->all_fibers = p->all_fibers || all;
    p->groups = p->groups || some || all;
    p->hidden_context = p->hidden_context || p->groups;
    return true;
}

/* A feature that the CPU lacks: the error with the lines around, and where it stands which they are. */
static cp_code refused(const char *source)
{
    cp_code code = cp_error();
    char *words = code == CP_ERROR_UNSUPPORTED ? strdup(cp_error_message()) : NULL;
    cpi_string text = {0};
    if (!words) return code;
    int line = strncmp(words, "line ", 5) == 0 ? atoi(words + 5) : 0;
    cpi_string_printf(&text, "%s: see \"What the CPU lacks\" in docs/guide/kernels.md", words);
    if (line > 0) cpi_put_excerpt(source, line, -1, &text);
    free(words);
    if (text.at && !text.failed) {
        cp_error_clear();
        code = cpi_fail(code, "%s", text.at);
    }
    cpi_string_free(&text);
    return code;
}

/* Whether the source, or a header that it includes, may use what device/heap.h has: it takes a fifth of the time in
 * which a small kernel is compiled. */
static bool calls_host(const cpi_kernel_source *source, const char *text)
{
    static const char *const words[] = {"alloc", "free", "printf", "puts", "putchar", "exit", "abort", "raise", "new",
                                        "delete", "assert", "terminate", "virtual", "~", "##"};
    cpi_cu_sources sources = {.n = 0};
    if (!cpi_cu_read_sources(text, &sources)) return true;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        for (int i = 0; i < sources.n; i++)
            if (strstr(sources.text[i], words[k])) return true;
        for (int i = 0; i < source->noptions; i++)
            if (strstr(source->options[i], words[k])) return true;
    }
    return false;
}

/* Whether options may define macros, which stand in front of our headers. */
static bool defines_macros(const cpi_kernel_source *source)
{
    static const char *const ways[] = {"-D", "--define-macro", "-include", "--pre-include"};
    for (int i = 0; i < source->noptions; i++)
        for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
            if (strncmp(source->options[i], ways[k], strlen(ways[k])) == 0) return true;
    return false;
}

/* Whether no function of the program's needs a context. */
static bool is_context_free(const cpi_cu_program *p)
{
    for (int k = 0; k < p->nfunctions; k++)
        if (p->function[k].context && !p->function[k].global) return false;
    return !p->hidden_context;
}

/* Whether the source is nested too deep for its passes, and the compiler's: *code is its error. */
static bool is_too_deep(const cpi_kernel_source *source, const char *read, cp_code *code)
{
    char words[120];
    const char *what;
    int most = 0, line = cpi_cu_too_deep(read, &what, &most);
    if (!line) return false;
    snprintf(words, sizeof words, "kernel.cu:%d:1: error: %s are nested more than %d deep", line, what, most);
    *code = line < 0 ? CP_ERROR_MEMORY : cpi_compiler_refuse(words, source->text);
    return true;
}

/* As NVRTC refuses it; the compiler would take its lowest bits. */
static cp_code refuse_number(const cpi_kernel_source *source, cpi_cu_program *p, char *read, cpi_string *out)
{
    char words[100];
    snprintf(words, sizeof words, "kernel.cu:%d:1: error: integer constant is too large", cpi_cu_too_large(&p->tokens));
    cpi_cu_free(p);
    free(read);
    cpi_string_free(out);
    return cpi_compiler_refuse(words, source->text);
}

/* The source in C++. Unbalanced brackets are left to the compiler to report. */
static cp_code translated(const machine *m, const cpi_kernel_source *source, bool wide, bool preprocess,
                          const char *error, cpi_string *out, bool *regions)
{
    cpi_cu_program p;
    char *read = NULL;
    bool unbalanced = false, preprocessed = preprocess || needs_preprocessor(source);
    *regions = false;
    if (preprocessed) {
        cp_code code = cpi_compiler_preprocess(m->compiler, m->folder, source, &read);
        if (code) return code;
    }
    if (!read && !(read = strdup(source->text))) return CP_ERROR_MEMORY;
    cpi_tokens_plain(read);
    cp_code deep;
    if (is_too_deep(source, read, &deep)) {
        free(read);
        return deep;
    }
    if (!cpi_cu_rename_own(read) || !cpi_cu_rename_types(read) || !cpi_cu_order_specifiers(&read) ||
        !cpi_ptx_translate(&read)) {
        free(read);
        return cp_error() ? cp_error() : CP_ERROR_MEMORY;
    }
    if (wide) cpi_string_printf(out, "#define __CU_WIDE 1\n");
    if (calls_host(source, read)) cpi_string_printf(out, "#define __CU_HOST_CALLS 1\n");
    if (!defines_macros(source)) cpi_string_printf(out, "#define __CU_NO_MACROS 1\n");
    for (int i = 0; i < source->noptions; i++) cpi_cu_put_parts(source->options[i], out);
    for (int i = 0; i < source->nnames; i++) cpi_cu_put_parts(source->names[i], out);
    if (read_program(m, &read, &p, &unbalanced)) {
        if (!preprocessed && (cpi_cu_macros_call(&p) || !(options_are_plain(source) || is_context_free(&p)))) {
            cpi_cu_free(&p);
            free(read);
            cpi_string_free(out);
            return translated(m, source, wide, true, error, out, regions);
        }
        if (cpi_cu_too_large(&p.tokens)) return refuse_number(source, &p, read, out);
        const char *tier = getenv("CUPRITE_KERNEL_TIER"); /* for tests: fibers are correct wherever loops are */
        p.checked = cpi_kernel_checks();
        p.all_fibers = p.all_fibers || (tier && strcmp(tier, "fibers") == 0);
        cpi_cu_write(&p, read, source->nnames, source->names, error, out);
        for (int i = 0; i < p.nfunctions; i++)
            *regions = *regions || (p.function[i].global &&
                                    (p.function[i].tier == CPI_TIER_REGIONS || p.function[i].strides));
        cpi_cu_free(&p);
    } else if (unbalanced) {
        cpi_string_printf(out, "#define __CU_ALL 1\n#include \"cuprite_device.h\"\n#undef __CU_NO_MACROS\n"
                               "#line 1 \"kernel.cu\"\n%s", read);
    } else {
        free(read);
        return refused(source->text);
    }
    free(read);
    cpi_string plain = *out;
    *out = (cpi_string){0};
    bool done = !plain.failed && (!plain.at || cpi_cu_put_casts(plain.at, out));
    cpi_string_free(&plain);
    return done ? CP_OK : CP_ERROR_MEMORY;
}

static cp_code build_as(const machine *m, const cpi_kernel_source *source, bool wide, const char *error,
                        bool *regions, cpi_kernel_library *l)
{
    cpi_string text = {0};
    void *object = NULL;
    size_t bytes = 0;
    cp_code code = translated(m, source, wide, false, error, &text, regions);
    if (!code) code = compiled(m, source, text.at, *regions, &object, &bytes);
    if (!code && !cpi_kernel_open(object, bytes, l)) code = cp_error();
    if (getenv("CUPRITE_KERNEL_TEXT") && text.at) { /* the source without regions goes behind the one that failed */
        FILE *f = fopen(getenv("CUPRITE_KERNEL_TEXT"), error ? "a" : "w");
        if (f) fputs(text.at, f), fclose(f);
    }
    if (!code && cpi_kernel_checks()) {
        l->text = text.at, l->object = object, l->bytes = bytes;
        l->apart = cpi_statics_read(object, bytes);
        return CP_OK;
    }
    free(object);
    cpi_string_free(&text);
    return code;
}

/* Where the loops of a kernel between barriers do not compile, it is written once more without them: either the user's
 * source is wrong, or our rewriting was. Where that does not help either, all kernels are. */
static cp_code build(const cpi_kernel_source *source, bool wide, cpi_kernel_library *l)
{
    machine *m = cpi_malloc(sizeof *m);
    if (!m) return CP_ERROR_MEMORY;
    m->classes = false;
    bool regions = false;
    cp_code code = cpi_compiler_check_options(source);
    if (!code) code = cpi_compiler_find(m->compiler, sizeof m->compiler, m->identity, sizeof m->identity);
    if (!code) code = cpi_cache_folder(m->folder);
    if (!code) code = build_as(m, source, wide, NULL, &regions, l);
    for (int try = 0; try < 2 && code == CP_ERROR_COMPILE && regions; try++) {
        char *error = strdup(try ? "" : cp_error_message());
        if (!error) break;
        cp_error_clear();
        code = build_as(m, source, wide, error, &regions, l);
        free(error);
    }
    if (code == CP_ERROR_COMPILE && cpi_cu_has_groups(source->text)) {
        cp_error_clear();
        m->classes = true;
        code = build_as(m, source, wide, NULL, &regions, l);
    }
    cpi_free_host(m);
    return code;
}

/* --- modules --- */

static char *keep_text(module *m, const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *kept = cpi_malloc(bytes);
    if (kept) m->strings[m->ntexts++] = memcpy(kept, text, bytes);
    return kept;
}

/* A copy of the source, which outlives the call. */
static bool keep_source(module *m, const cpi_kernel_source *s)
{
    size_t n = (size_t)s->noptions + (size_t)s->nnames;
    m->strings = cpi_calloc(n + 1, sizeof *m->strings);
    const char **words = m->strings ? cpi_calloc(n + 1, sizeof *words) : NULL;
    if (!words) return false;
    m->source = *s;
    m->source.text = NULL;
    m->source.options = words;
    m->source.names = words + s->noptions;
    bool done = (m->source.text = keep_text(m, s->text)) != NULL;
    for (int i = 0; i < s->noptions; i++) done = done && (words[i] = keep_text(m, s->options[i]));
    for (int i = 0; i < s->nnames; i++) done = done && (words[s->noptions + i] = keep_text(m, s->names[i]));
    return done;
}

void cpi_kernel_cpu_unload(cp_stream *stream, void *memory)
{
    module *m = memory;
    (void)stream;
    if (!m) return;
    cpi_kernel_close(&m->narrow);
    cpi_kernel_close(&m->wide);
    for (int i = 0; i < m->ntexts; i++) cpi_free_host(m->strings[i]);
    cpi_free_host(m->strings);
    cpi_free_host((void *)m->source.options);
    pthread_mutex_destroy(&m->lock);
    cpi_free_host(m);
}

cp_code cpi_kernel_cpu_load(cp_stream *stream, const cpi_kernel_source *source, void **result)
{
    if (!source->text)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "module_load: cubin and PTX run on GPUs only, this is the CPU device");
    module *m = cpi_calloc(1, sizeof *m);
    if (!m) return CP_ERROR_MEMORY;
    pthread_mutex_init(&m->lock, NULL);
    m->prints = strstr(source->text, "printf") || strstr(source->text, "assert");
    cp_code code = keep_source(m, source) ? build(source, false, &m->narrow) : CP_ERROR_MEMORY;
    if (code) {
        cpi_kernel_cpu_unload(stream, m);
        return code;
    }
    *result = m;
    return CP_OK;
}

/* Whether two names are equal, ignoring white space. */
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " ");
        b += strspn(b, " ");
        if (*a != *b) return false;
        if (!*a) return true;
    }
}

/* A kernel by its name, also one that programs cannot find so. */
static const __cu_kernel *find(const cpi_kernel_library *l, const char *name, bool any)
{
    for (const __cu_kernel *k = l->kernels; k->name; k++)
        if (same_name(k->name, name) && (any || !k->mangled)) return k;
    return NULL;
}

/* A kernel by its mangled name: the function of that name returns its place in the table. */
static const __cu_kernel *find_mangled(const cpi_kernel_library *l, const char *name)
{
    if (strncmp(name, "_Z", 2) != 0) return NULL;
    int (*place)(void) = NULL;
    *(void **)&place = dlsym(l->handle, name);
    uintptr_t at = (uintptr_t)place;
    return at >= l->image.start && at < l->image.end ? &l->kernels[place()] : NULL;
}

cp_code cpi_kernel_cpu_function(cp_stream *stream, void *memory, const char *name, cpi_function *f)
{
    static const char *const tiers[] = {"loop", "regions", "fibers"};
    module *m = memory;
    (void)stream;
    const __cu_kernel *k = find(&m->narrow, name, false);
    if (!k) k = find_mangled(&m->narrow, name);
    if (!k)
        return cpi_fail(CP_ERROR_DRIVER, find(&m->narrow, name, true)
                        ? "CUDA_ERROR_NOT_FOUND: there is no kernel %s: as in CUDA, one that is not declared extern "
                          "\"C\" has a mangled name, and is found by it or if it is one of the name expressions"
                        : "CUDA_ERROR_NOT_FOUND: there is no kernel %s", name);
    *f = (cpi_function){.handle = (void *)k, .module = m, .tier = tiers[k->tier], .nargs = k->nargs};
    return CP_OK;
}

cp_code cpi_kernel_cpu_symbol(cp_stream *stream, void *memory, const char *name, void **address, int64_t *bytes)
{
    module *m = memory;
    (void)stream;
    for (const __cu_variable *v = m->narrow.variables; v->name; v++) {
        if (!same_name(v->name, name)) continue;
        *address = v->address;
        *bytes = (int64_t)v->bytes;
        return CP_OK;
    }
    return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_NOT_FOUND: there is no variable %s", name);
}

/* What a GPU compiler counts has no meaning here and is 0. Versions are those of the architecture that programs see
 * (__CUDA_ARCH__). */
cp_code cpi_kernel_cpu_get(cp_stream *stream, const cpi_function *f, cp_kernel_attribute which, int *value)
{
    const __cu_kernel *k = f->handle;
    (void)stream;
    unsigned called = 0; /* by functions that it calls */
    for (const int *c = k->calls; c && *c; c++) called += k->apart[*c];
    *value = which == CP_KERNEL_MAX_THREADS_PER_BLOCK ? 1024
             : which == CP_KERNEL_SHARED_SIZE_BYTES ? (int)(*k->shared + *k->apart + called)
             : which == CP_KERNEL_PTX_VERSION || which == CP_KERNEL_BINARY_VERSION ? 90
             : which == CP_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT ? -1 : 0;
    return CP_OK;
}

enum { DYNAMIC_MOST = 227 << 10 }; /* as a GPU of compute capability 9 */
cp_code cpi_kernel_cpu_set(cp_stream *stream, const cpi_function *f, cp_kernel_attribute which, int value)
{
    (void)stream;
    (void)f;
    if (which == CP_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES && (value < 0 || value > DYNAMIC_MOST))
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE: %d bytes of dynamic shared memory, %d are there",
                        value, DYNAMIC_MOST);
    if (which == CP_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT && (value < -1 || value > 100))
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_INVALID_VALUE: a carveout of %d percent", value);
    return CP_OK;
}

/* --- launching --- */

typedef struct job {
    __cu_launch launch;
    const __cu_kernel *kernel;
    uint64_t blocks, each;
    uint32_t dynamic;
    uint64_t number; /* of the launch */
    const cpi_launch *asked;
    const cpi_kernel_library *library; /* in which the kernel is */
    const char *source;
    bool together;
    cpi_turns turns; /* blocks: 0 where none may wait for another */
    int failed; /* the first worker that fails sets it */
    cpi_fault fault;
} job;

typedef struct part {
    const job *job;
    __cu_worker *worker;
    uint64_t first, last;
} part;

static void run_part(void *argument)
{
    const part *p = argument;
    cpi_rows_run(p->job->kernel, &p->job->launch, p->worker, p->first, p->last);
}

static void run_task(void *context, int64_t task, int worker)
{
    job *j = context;
    cpi_fault fault;
    (void)worker;
    if (__atomic_load_n(&j->failed, __ATOMIC_RELAXED)) return;
    uint64_t first = (uint64_t)task * j->each, last = first + j->each < j->blocks ? first + j->each : j->blocks;
    cpi_crew *crew = cpi_crew_here();
    uint32_t at_once = j->turns.blocks ? j->turns.most : j->together ? (uint32_t)j->blocks : 1;
    bool done = crew && cpi_crew_shared(crew, at_once, j->dynamic);
    fault.code = CP_OK, fault.address = NULL;
    cpi_watchdog_inside(j->number, j->library->image);
    if (!done) {
        snprintf(fault.text, sizeof fault.text, "out of host memory");
    } else if (j->kernel->tier == CPI_TIER_FIBERS) {
        cpi_watch watch = {.spans = j->asked->spans, .nspans = j->asked->nspans, .dynamic = j->dynamic,
                           .kernel = j->kernel, .text = j->library->text, .launch = j->asked,
                           .image = j->library->image, .variables = j->library->variables,
                           .apart = j->library->apart};
        __cu_run_thread run = (__cu_run_thread)j->kernel->run;
        done = j->turns.blocks ? cpi_crew_take_turns(crew, &j->launch, run, &j->turns, &watch, &fault)
                               : cpi_crew_run(crew, &j->launch, run, first, last, j->together, &watch, &fault);
    } else {
        part p = {j, cpi_crew_worker(crew, &j->launch), first, last};
        done = cpi_guarded_separately(run_part, &p, &fault);
    }
    cpi_watchdog_inside(0, j->library->image);
    if (!done && crew) cpi_crew_explain(crew, &fault);
    if (crew) cpi_crew_rest(crew, j->kernel->tier == CPI_TIER_FIBERS);
    if (!done && !__atomic_exchange_n(&j->failed, 1, __ATOMIC_ACQ_REL)) j->fault = fault;
}

/* The line of an address in the compiled code; 0: not known. */
static int line_of(const job *j, const void *address)
{
    uintptr_t at = (uintptr_t)address;
    if (at < CPI_LINES) return (int)at;
    return cpi_compiler_line(j->library->object, j->library->bytes, at - 1 - j->library->image.start);
}

static void put_lockstep(const job *j, const int lines[2], cpi_string *text)
{
    if (cpi_lockstep_is_asked() || !cpi_lockstep_orders(j->source, lines[0], lines[1])) return;
    cpi_string_printf(text, "; both are lanes of one warp, which would be in order if they ran in lockstep: "
                            "CUPRITE_KERNEL_LOCKSTEP=1 runs programs that rely on it");
}

/* The error message, with lines for the addresses in the compiled code. */
static cp_code reported(const job *j)
{
    const cpi_fault *fault = &j->fault;
    cpi_string text = {0};
    int lines[2] = {0, 0};
    for (const char *p = fault->text; *p; p++) {
        if ((unsigned char)*p > 3) {
            cpi_string_add(&text, p, 1);
        } else if (*p == 3) {
            put_lockstep(j, lines, &text);
        } else {
            int which = *p - 1, number = lines[which] = line_of(j, fault->at[which]);
            if (number > 0) cpi_string_printf(&text, which ? " in line %d" : "line %d: ", number);
        }
    }
    const char *what = text.at ? text.at : fault->text;
    cp_code code = fault->code == CP_ERROR_DRIVER /* the message begins with CUDA's name of it */
                       ? cpi_fail(fault->code, "%s (%s)", what, j->kernel->name)
                       : cpi_fail(fault->code ? fault->code : CP_ERROR_DEVICE, "%s: %s", j->kernel->name, what);
    cpi_string_free(&text);
    if (j->asked->spans) cpi_summary_error(cp_error_message());
    return code;
}

/* Whether a value has more bytes than its parameter: it is passed as CUDA does it, by its first ones, where they have
 * the value. A double's do not have a float's; those of an integer that is too large are told if checks are on. */
static bool is_wrong_size(const cpi_launch *l, const __cu_kernel *k, int i)
{
    uint64_t given = 0, kept = 0;
    const unsigned size = k->sizes[i];
    if (l->bytes[i] <= size) return false;
    if (l->bytes[i] > sizeof given || k->kinds[i] == 's') return l->spans != NULL;
    memcpy(&given, l->values[i], l->bytes[i]);
    memcpy(&kept, l->values[i], size);
    if (k->kinds[i] == 'f') return given != 0;
    int64_t sign = size < 8 ? (int64_t)(kept << (64 - 8 * size)) >> (64 - 8 * size) : (int64_t)kept;
    return l->spans && given != kept && given != (uint64_t)sign;
}

/* CP_ERROR_VALUE where a value cannot be what its parameter takes. */
static cp_code check_sizes(const __cu_kernel *k, const cpi_launch *l)
{
    for (int i = 0; i < l->n; i++) {
        if (l->bytes[i] >= k->sizes[i] && !is_wrong_size(l, k, i)) continue;
        const char *name = cpi_watch_parameter(k, i + 1);
        bool half = l->bytes[i] == 8 && k->sizes[i] == 4;
        cp_code code = cpi_fail(CP_ERROR_VALUE, "%s: argument %d has %u bytes, the kernel takes %u%s%.*s%s", k->name,
                                i + 1, l->bytes[i], k->sizes[i], *name ? " for " : "", (int)strcspn(name, ","), name,
                                !half ? "" : k->kinds[i] == 'f' ? ": pass numpy.float32" : ": pass numpy.int32");
        if (l->spans) cpi_summary_error(cp_error_message());
        return code;
    }
    return CP_OK;
}

/* The kernel for launches in which a thread's index may exceed 2^31. */
static const __cu_kernel *wide_kernel(module *m, const char *name)
{
    pthread_mutex_lock(&m->lock);
    bool there = m->wide.handle || build(&m->source, true, &m->wide) == CP_OK;
    pthread_mutex_unlock(&m->lock);
    return there ? find(&m->wide, name, true) : NULL;
}

enum { NARROW = INT32_MAX - 1024, NARROW_GRID = 1 << 20, ALONE = 2048, TASKS = 256, TOGETHER = 1 << 16, WAITING = 8192,
       ROUND = 4096, ROWS = 64 };

/* Blocks whose loops are joined are neighbours in memory in every round: a task has as many as one thread may have.
 * Whichever thread runs them, each thread of a block does the same (they have no atomic operations), so results have
 * the same bits. */
static uint64_t shares(uint64_t blocks, uint64_t threads)
{
    uint64_t tasks = (uint64_t)cpi_workers(), each, least = (ROUND + threads - 1) / threads;
    tasks = tasks > 1 ? 2 * tasks : 1;
    each = (blocks + tasks - 1) / tasks;
    if (each < least) each = least;
    return (blocks + TASKS - 1) / TASKS > each ? (blocks + TASKS - 1) / TASKS : each;
}

/* Blocks that may wait for each other are begun by whatever thread has time. Where their threads can all live at once
 * they may; else they wait for those before them. Returns the number of tasks. */
static uint64_t share_turns(job *j, uint64_t threads)
{
    bool all = j->blocks <= TOGETHER / threads;
    uint64_t most = all ? j->blocks : WAITING / threads, workers = (uint64_t)cpi_workers();
    j->turns = (cpi_turns){.blocks = j->blocks, .failed = &j->failed, .most = most ? (uint32_t)most : 1};
    j->each = j->blocks;
    return j->blocks < workers ? j->blocks : workers;
}

cp_code cpi_kernel_cpu_launch(cp_stream *stream, const cpi_function *f, const cpi_launch *l)
{
    const __cu_kernel *k = f->handle;
    module *m = f->module;
    (void)stream;
    job j = {.launch = {{l->grid[0], l->grid[1], l->grid[2]}, {l->block[0], l->block[1], l->block[2]}, l->values},
             .dynamic = l->shared, .asked = l, .source = m->source.text};
    bool wide = false;
    for (int i = 0; i < 3; i++)
        wide = wide || l->grid[i] > NARROW_GRID || (uint64_t)l->grid[i] * l->block[i] > NARROW;
    j.kernel = wide && k->tier != CPI_TIER_FIBERS ? wide_kernel(m, k->name) : k;
    if (!j.kernel) return cp_error();
    j.library = j.kernel == k ? &m->narrow : &m->wide;
    if (l->spans) cpi_summary_launch();
    cp_code wrong = check_sizes(k, l);
    if (wrong) return wrong;
    j.blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (l->cooperative && j.blocks > TOGETHER / threads) /* their product may exceed 64 bits */
        return cpi_fail(CP_ERROR_DRIVER, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: %s: %llu blocks of %llu threads at "
                        "once, the CPU device runs at most %d threads", k->name, (unsigned long long)j.blocks,
                        (unsigned long long)threads, TOGETHER);
    j.together = l->cooperative && k->tier == CPI_TIER_FIBERS;
    j.each = j.together || j.blocks <= (ALONE - 1) / threads ? j.blocks : (j.blocks + TASKS - 1) / TASKS;
    /* Whole rows of blocks, which may be one loop, where there are enough of them. */
    if (k->tier == CPI_TIER_LOOP && j.each < l->grid[0] && j.blocks / l->grid[0] >= ROWS) j.each = l->grid[0];
    if (l->spans) j.each = j.blocks; /* one thread sees all accesses */
    if (k->spans & __CU_STRIDES && k->spans & __CU_JOINS && j.each < j.blocks) j.each = shares(j.blocks, threads);
    cpi_guard_install();
    cp_code watched = cpi_watchdog_begin(&j.number);
    if (watched) return watched;
    uint64_t tasks = (j.blocks + j.each - 1) / j.each;
    if (k->tier == CPI_TIER_FIBERS && k->turns && !j.together) tasks = share_turns(&j, threads);
    cpi_parallel((int64_t)tasks, run_task, &j);
    cpi_watchdog_end();
    if (m->prints) fflush(stdout);
    return j.failed ? reported(&j) : CP_OK;
}
