/* Running the machine's C++ compiler: see compiler.h.
 *
 * Each run has a folder of its own inside the cache, which goes with it. The compiler gets its text as a file and the
 * environment as it is, but for the language of its messages. */
#include "kernel/compiler.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/memory.h"
#include "kernel/cache.h"

extern char **environ;

/* --- which --- */

/* Path of a program in PATH. */
static bool in_path(const char *name, char *path, size_t bytes)
{
    const char *all = getenv("PATH");
    if (strchr(name, '/')) return snprintf(path, bytes, "%s", name) < (int)bytes && access(path, X_OK) == 0;
    for (const char *p = all ? all : "/usr/bin:/bin"; *p; p += *p == ':') {
        int n = (int)strcspn(p, ":");
        if (n && snprintf(path, bytes, "%.*s/%s", n, p, name) < (int)bytes && access(path, X_OK) == 0) return true;
        p += n;
    }
    return false;
}

static pthread_once_t processor_once = PTHREAD_ONCE_INIT;
static char processor[2 * CPI_SHA256 + 1];

/* What -march=native depends on. */
static void read_processor(void)
{
    char line[4096];
    cpi_sha256 s;
    unsigned char digest[CPI_SHA256];
    cpi_sha256_begin(&s);
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f) && *line != '\n') { /* of the first processor */
        static const char *const told[] = {"vendor_id", "cpu family", "model", "stepping",
                                           "flags",     "Features",   "CPU p"};
        for (size_t i = 0; i < sizeof told / sizeof *told; i++)
            if (strncmp(line, told[i], strlen(told[i])) == 0) cpi_sha256_text(&s, line);
    }
    if (f) fclose(f);
    cpi_sha256_end(&s, digest);
    cpi_sha256_hex(digest, processor);
}

cp_code cpi_compiler_find(char path[], size_t bytes, char identity[], size_t identity_bytes)
{
    const char *asked[] = {getenv("CUPRITE_CXX"), getenv("CXX"), "g++", "clang++", "c++"};
    struct stat s;
    char real[PATH_MAX];
    bool found = false;
    for (size_t i = 0; i < sizeof asked / sizeof *asked && !found; i++) {
        if (!asked[i] || !*asked[i]) continue;
        found = in_path(asked[i], path, bytes);
        if (!found && i == 0)
            return cpi_fail(CP_ERROR_UNSUPPORTED, "kernel: CUPRITE_CXX is '%s', which is no program", asked[i]);
    }
    if (!found)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "kernel: there is no C++ compiler, which user kernels on the CPU need: "
                        "install g++ (apt-get install g++) or clang++, or name one by CUPRITE_CXX");
    if (!realpath(path, real) || stat(real, &s)) return cpi_fail(CP_ERROR_IO, "kernel: %s: %s", path, strerror(errno));
    pthread_once(&processor_once, read_processor);
    snprintf(identity, identity_bytes, "%s %lld %lld.%09ld %s", real, (long long)s.st_size,
             (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec, processor);
    return CP_OK;
}

/* --- headers --- */

static pthread_once_t headers_once = PTHREAD_ONCE_INIT;
static char headers_key[2 * CPI_SHA256 + 1];

static void hash_headers(void)
{
    cpi_sha256 s;
    unsigned char digest[CPI_SHA256];
    cpi_sha256_begin(&s);
    for (const cpi_header *t = cpi_device_texts; t->name; t++) {
        cpi_sha256_text(&s, t->name);
        cpi_sha256_text(&s, t->text);
    }
    cpi_sha256_end(&s, digest);
    cpi_sha256_hex(digest, headers_key);
}

const char *cpi_compiler_headers_key(void)
{
    pthread_once(&headers_once, hash_headers);
    return headers_key;
}

static bool join(char *path, const char *folder, const char *name)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX;
}

/* A name may have folders in it: cupy/complex.cuh. */
static bool write_header(const char *folder, const cpi_header *t)
{
    char path[PATH_MAX];
    if (!join(path, folder, t->name)) return false;
    for (char *p = path + strlen(folder) + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        if (mkdir(path, 0700) && errno != EEXIST) return false;
        *p = '/';
    }
    return cpi_cache_write(path, t->text, strlen(t->text), NULL, 0);
}

/* The folder of the headers, in the cache; written once. */
static bool need_headers(const char *folder, char path[PATH_MAX])
{
    char name[100], made[PATH_MAX];
    struct stat s;
    snprintf(name, sizeof name, "headers-%.32s", cpi_compiler_headers_key());
    if (!join(path, folder, name)) return false;
    if (stat(path, &s) == 0) return S_ISDIR(s.st_mode);
    if (!join(made, folder, "making-XXXXXX") || !mkdtemp(made)) return false;
    bool done = true;
    for (const cpi_header *t = cpi_device_texts; done && t->name; t++) done = write_header(made, t);
    if (done && rename(made, path) == 0) return true;
    for (const cpi_header *t = cpi_device_texts; t->name; t++) { /* another process was faster */
        char file[PATH_MAX];
        if (join(file, made, t->name)) unlink(file);
    }
    rmdir(made);
    return stat(path, &s) == 0;
}

/* --- options --- */

enum { ARGUMENTS = 256 };
typedef struct command {
    const char *word[ARGUMENTS];
    int n;
} command;

static void add(command *c, const char *word)
{
    if (c->n < ARGUMENTS - 2) c->word[c->n++] = word;
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Options of nvcc and NVRTC that mean nothing here. */
static bool means_nothing(const char *option)
{
    static const char *const known[] = {
        "-arch", "--gpu-architecture", "-G", "--device-debug", "-g", "-lineinfo", "--generate-line-info", "-dopt",
        "-rdc", "--relocatable-device-code", "-dc", "-dw", "--ptxas-options", "-maxrregcount", "--maxrregcount",
        "-ftz", "--ftz", "-prec-", "--prec-", "-use_fast_math", "--use_fast_math", "--extra-device-vectorization",
        "-default-device", "--device-as-default-execution-space", "-w", "--disable-warnings", "--restrict", "-res",
        "--dlink", "-dlto", "--builtin-", "-no-", "--no-", "-diag", "--diag", "-err", "--display-error-number",
        "--split-compile", "-split-compile", "-O", "--extensible-whole-program", "-ewp", "--expt-", "-expt-", "-W"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(option, known[i])) return true;
    return false;
}

/* How many words of `source->options` the option at i takes; 0: it is none. `word` is its form for the compiler. */
static int read_option(const cpi_source *source, int i, char word[], size_t bytes)
{
    static const char *const direct[][2] = {{"-D", "--define-macro"}, {"-U", "--undefine-macro"},
                                            {"-I", "--include-path"}, {"-include", "--pre-include"}};
    const char *o = source->options[i];
    *word = 0;
    for (int k = 0; k < 4; k++) {
        for (int form = 0; form < 2; form++) {
            if (!begins(o, direct[k][form])) continue;
            const char *value = o + strlen(direct[k][form]);
            int words = *value ? 1 : 2;
            if (words == 2 && i + 1 >= source->noptions) return 0;
            if (words == 2) value = source->options[i + 1];
            if (*value == '=' || *value == ' ') value++;
            snprintf(word, bytes, "%s%s", direct[k][0], value);
            return words;
        }
    }
    const char *standard = begins(o, "-std=") ? o + 5 : begins(o, "--std=") ? o + 6 : NULL;
    if (standard) { /* the vocabulary needs C++17 */
        bool older = strstr(standard, "03") || strstr(standard, "11") || strstr(standard, "14");
        if (!older) snprintf(word, bytes, "-std=%s", standard);
        return 1;
    }
    if (strcmp(o, "-fmad=false") == 0 || strcmp(o, "--fmad=false") == 0)
        return snprintf(word, bytes, "-ffp-contract=off"), 1;
    if (begins(o, "-fmad") || begins(o, "--fmad")) return 1;
    return means_nothing(o);
}

cp_code cpi_compiler_check_options(const cpi_source *source)
{
    char word[4096];
    for (int i = 0, n; i < source->noptions; i += n)
        if (!(n = read_option(source, i, word, sizeof word)))
            return cpi_fail(CP_ERROR_COMPILE, "unrecognized option %s", source->options[i]);
    return CP_OK;
}

/* The user's options; what they become is kept in `words`. */
static void add_options(command *c, const cpi_source *source, char **words)
{
    char word[4096];
    for (int i = 0, n; i < source->noptions; i += n) {
        n = read_option(source, i, word, sizeof word);
        if (*word && (words[i] = strdup(word))) add(c, words[i]);
    }
}

/* --- running --- */

/* Exit status, -1 where it cannot be run. */
static int run(const command *c, const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    pid_t child;
    int status = -1;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    size_t n = 0;
    while (environ[n]) n++;
    char **with = malloc((n + 2) * sizeof *with);
    if (with) {
        size_t kept = 0;
        for (size_t i = 0; i < n; i++)
            if (!begins(environ[i], "LC_ALL=") && !begins(environ[i], "LD_PRELOAD=")) with[kept++] = environ[i];
        with[kept++] = (char *)"LC_ALL=C";
        with[kept] = NULL;
        if (posix_spawn(&child, c->word[0], &files, &attributes, (char **)c->word, with) == 0)
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    }
    free(with);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return status;
}

/* The compiler's words and, with line numbers, the user's source. */
static cp_code compile_error(const char *compiler, const char *log, const cpi_source *source, int status)
{
    cpi_string text = {0};
    int line = 1;
    cpi_string_put(&text, "%s%s\n", log && *log ? log : "the compiler failed without a word: ",
                 log && *log ? "" : compiler);
    if (status < 0) cpi_string_put(&text, "%s cannot be run\n", compiler);
    for (const char *p = source->text; *p; line++) {
        int n = (int)strcspn(p, "\n");
        cpi_string_put(&text, "%4d %.*s\n", line, n, p);
        p += n + (p[n] == '\n');
    }
    cp_code code = cpi_fail(CP_ERROR_COMPILE, "%s", text.at ? text.at : "the source does not compile");
    cpi_string_free(&text);
    return code;
}

typedef struct workplace {
    char folder[PATH_MAX], source[PATH_MAX], result[PATH_MAX], log[PATH_MAX], headers[PATH_MAX];
} workplace;

static bool enter(workplace *w, const char *folder, const char *text)
{
    return need_headers(folder, w->headers) && join(w->folder, folder, "work-XXXXXX") && mkdtemp(w->folder) &&
           join(w->source, w->folder, "kernel.cpp") && join(w->result, w->folder, "kernel.so") &&
           join(w->log, w->folder, "log") && cpi_cache_write(w->source, text, strlen(text), NULL, 0);
}

static void leave(const workplace *w)
{
    unlink(w->source);
    unlink(w->result);
    unlink(w->log);
    rmdir(w->folder);
}

static cp_code run_in(const char *compiler, const char *folder, const cpi_source *source, const char *text,
                      const char *const *flags, const char *const *more, bool links, void **result, size_t *bytes)
{
    command *c = cpi_calloc(1, sizeof *c);
    char **words = cpi_calloc((size_t)source->noptions + 1, sizeof *words);
    char include[PATH_MAX + 2];
    workplace w = {0};
    cp_code code = CP_ERROR_MEMORY;
    if (c && words) {
        if (!enter(&w, folder, text)) {
            code = cpi_fail(CP_ERROR_IO, "kernel cache: %s: %s", folder, strerror(errno));
        } else {
            add(c, compiler);
            for (; *flags; flags++) add(c, *flags);
            for (; more && *more; more++) add(c, *more);
            snprintf(include, sizeof include, "-I%s", w.headers);
            add(c, include);
            add_options(c, source, words);
            add(c, w.source);
            add(c, "-o");
            add(c, w.result);
            if (links) add(c, "-lm"), add(c, "-lgcc"); /* libgcc: what the compiler calls by itself */
            int status = run(c, w.log);
            *result = status == 0 ? cpi_cache_read(w.result, bytes) : NULL;
            size_t log_bytes = 0;
            char *log = *result ? NULL : cpi_cache_read(w.log, &log_bytes);
            code = *result ? CP_OK : compile_error(compiler, log, source, status);
            free(log);
        }
        if (*w.folder) leave(&w);
    }
    for (int i = 0; words && i < source->noptions; i++) free(words[i]);
    cpi_free_host(words);
    cpi_free_host(c);
    return code;
}

cp_code cpi_compiler_run(const char *compiler, const char *folder, const cpi_source *source, const char *text,
                         void **object, size_t *bytes)
{
    static const char *const flags[] = {"-std=c++20",
                                        "-O3",
                                        "-march=native",
                                        "-shared",
                                        "-fPIC",
                                        "-nostdlib",
                                        "-fno-exceptions",
                                        "-fno-rtti",
                                        "-w",
                                        "-fno-strict-aliasing",
                                        "-fno-delete-null-pointer-checks",
                                        "-fno-math-errno",
                                        "-fno-trapping-math",
                                        "-ffp-contract=fast",
                                        "-fvisibility=hidden",
                                        "-fno-stack-protector",
                                        "-fno-asynchronous-unwind-tables",
                                        "-fno-threadsafe-statics",
                                        "-fno-plt",
                                        NULL};
    static const char *const checked[] = {"-O1", "-fsanitize=kernel-address", "-fsanitize-recover=kernel-address",
                                          "--param=asan-instrumentation-with-call-threshold=0", "--param=asan-stack=0",
                                          "--param=asan-globals=0", NULL};
    return run_in(compiler, folder, source, text, flags, cpi_kernel_checks() ? checked : NULL, true, object, bytes);
}

cp_code cpi_compiler_preprocess(const char *compiler, const char *folder, const cpi_source *source, char **text)
{
    static const char *const flags[] = {"-std=c++20", "-E", "-w", "-D__CUDA_ARCH__=900", "-D__CUDACC__=1",
                                        "-D__CUDACC_RTC__=1", "-D__CUPRITE_CPU__=1", "-D__CUPRITE_READ__=1", NULL};
    size_t bytes;
    return run_in(compiler, folder, source, source->text, flags, NULL, false, (void **)text, &bytes);
}
