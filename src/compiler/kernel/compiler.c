/* Running the machine's C++ compiler: see compiler.h.
 *
 * Each run has a temporary folder inside the cache. The compiler gets the source as a file and the environment
 * unchanged, but for the language of its messages. */
#include "kernel/compiler.h"

#include <ctype.h>
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
#include "kernel/messages.h"
#include "kernel/translate.h"

extern char **environ;

/* --- finding the compiler --- */

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
        static const char *const reported[] = {"vendor_id", "cpu family", "model", "stepping",
                                               "flags",     "Features",   "CPU p"};
        for (size_t i = 0; i < sizeof reported / sizeof *reported; i++)
            if (strncmp(line, reported[i], strlen(reported[i])) == 0) cpi_sha256_string(&s, line);
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

/* What NVRTC defines; its version is the one that the device headers follow. */
static const char *const cuda_macros[] = {"-D__CUDACC__=1",
                                          "-D__CUDACC_RTC__=1",
                                          "-D__CUDA_ARCH__=900",
                                          "-D__CUDA_ARCH_LIST__=900",
                                          "-D__CUDACC_VER_MAJOR__=13",
                                          "-D__CUDACC_VER_MINOR__=0",
                                          "-D__CUDACC_VER_BUILD__=88",
                                          "-D__CUDA_API_VER_MAJOR__=13",
                                          "-D__CUDA_API_VER_MINOR__=0",
                                          "-DCUDART_VERSION=13000",
                                          "-D__NVCC_DIAG_PRAGMA_SUPPORT__=1",
                                          "-D__CUDACC_DEVICE_ATOMIC_BUILTINS__=1",
                                          "-D__CUDA_FTZ=0",
                                          "-D__CUDA_PREC_DIV=1",
                                          "-D__CUDA_PREC_SQRT=1",
                                          "-D__USE_FAST_MATH__=0",
                                          "-D__CUPRITE_CPU__=1",
                                          NULL};

/* How kernels are compiled; part of the key of a compiled one. */
static const char *const usual_flags[] = {"-std=c++17",
                                          "-O3",
                                          "-march=native",
                                          "-shared",
                                          "-fPIC",
                                          "-nostdlib",
                                          "-fno-exceptions",
                                          "-fno-rtti",
                                          "-w",
                                          "-fno-strict-aliasing",
                                          "-fno-tree-slp-vectorize", /* g++ 12: (double)(float)x of two x is x */
                                          "-fno-delete-null-pointer-checks",
                                          "-fno-math-errno",
                                          "-fno-trapping-math",
                                          "-ffp-contract=fast",
                                          "-fvisibility=hidden",
                                          "-fno-stack-protector",
                                          "-fstack-clash-protection", /* endless recursion meets the guard page */
                                          "-fno-asynchronous-unwind-tables",
                                          "-fno-threadsafe-statics",
                                          "-fno-plt",
                                          "-Wl,-z,relro,-z,now", /* what kernels write beside variables is no pointer */
                                          "-Wl,--wrap=malloc,--wrap=free,--wrap=realloc,--wrap=calloc",
                                          "-Wl,--wrap=printf,--wrap=vprintf,--wrap=puts,--wrap=putchar",
                                          "-Wl,--wrap=exit,--wrap=_exit,--wrap=_Exit,--wrap=quick_exit,--wrap=abort",
                                          "-Wl,--wrap=__cxa_atexit,--wrap=raise,--wrap=pthread_exit",
                                          "-Wl,--wrap=__assert_fail,--wrap=_ZSt9terminatev,--wrap=__cxa_pure_virtual",
                                          NULL};

/* What g++ alone knows: rows of threads are short for a call of memcpy. Loops of ours (-fwrapv) count strides in bytes:
 * a copy for those of 1 would double the time in which they are compiled. */
static const char *const gnu_flags[] = {"-fno-tree-loop-distribute-patterns", NULL};
static const char *const gnu_loop_flags[] = {"-fno-tree-loop-distribute-patterns", "-fno-version-loops-for-strides",
                                             NULL};

static pthread_once_t headers_once = PTHREAD_ONCE_INIT;
static char headers_key[2 * CPI_SHA256 + 1];

static void hash_headers(void)
{
    cpi_sha256 s;
    unsigned char digest[CPI_SHA256];
    cpi_sha256_begin(&s);
    cpi_sha256_string(&s, cpi_device_sources_digest);
    for (const char *const *flag = usual_flags; *flag; flag++) cpi_sha256_string(&s, *flag);
    for (const char *const *flag = gnu_flags; *flag; flag++) cpi_sha256_string(&s, *flag);
    for (const char *const *flag = cuda_macros; *flag; flag++) cpi_sha256_string(&s, *flag);
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

/* Removes what write_header made, with the folders in it. */
static void remove_headers(const char *folder)
{
    char path[PATH_MAX];
    for (int pass = 0; pass < 2; pass++)
        for (const cpi_header *t = cpi_device_sources; t->name; t++) {
            if (!join(path, folder, t->name)) continue;
            if (pass == 0) unlink(path);
            for (char *slash = strrchr(path, '/'); pass && slash > path + strlen(folder); slash = strrchr(path, '/'))
                *slash = 0, rmdir(path);
        }
    rmdir(folder);
}

static bool header_is_whole(const char *folder, const cpi_header *t)
{
    char path[PATH_MAX];
    size_t bytes = 0;
    char *text = join(path, folder, t->name) ? cpi_cache_read(path, &bytes) : NULL;
    bool whole = text && bytes == strlen(t->text) && memcmp(text, t->text, bytes) == 0;
    free(text);
    return whole;
}

/* Temporary files are removed by age, and disks run full: what is missing or differs is written again. Those
 * of the C++ library's names and in folders only where the text may include one: they are many. */
static bool mend_headers(const char *folder, const char *text)
{
    static const char *const folders[] = {"cub/",    "cuda/",              "cuda_",    "cupy/",
                                          "thrust/", "cooperative_groups", "include <"};
    bool included = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) included = included || strstr(text, folders[i]);
    for (const cpi_header *t = cpi_device_sources; t->name; t++)
        if ((included || (strchr(t->name, '.') && !strchr(t->name, '/'))) && !header_is_whole(folder, t) &&
            !write_header(folder, t))
            return false;
    return true;
}

/* The folder of the headers, in the cache; written once. */
static bool need_headers(const char *folder, const char *text, char path[PATH_MAX])
{
    char name[100], made[PATH_MAX];
    struct stat s;
    snprintf(name, sizeof name, "headers-%.32s", cpi_compiler_headers_key());
    if (!join(path, folder, name)) return false;
    if (lstat(path, &s) == 0 && S_ISDIR(s.st_mode)) return mend_headers(path, text);
    unlink(path); /* what is not a folder */
    if (!join(made, folder, "making-XXXXXX") || !mkdtemp(made)) return false;
    bool done = true;
    for (const cpi_header *t = cpi_device_sources; done && t->name; t++) done = write_header(made, t);
    if (done && rename(made, path) == 0) return true;
    int why = errno;
    remove_headers(made); /* another process was faster, or the disk is full */
    bool there = lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
    errno = why;
    return there;
}

/* --- options --- */

typedef struct command {
    const char **word; /* n of them and a NULL; there is space for one more */
    int n, capacity;
} command;

static void add_word(command *c, const char *word)
{
    if (c->n < c->capacity) c->word[c->n++] = word;
}

static bool command_new(command *c, int words)
{
    *c = (command){cpi_calloc((size_t)words + 1, sizeof *c->word), 0, words};
    return c->word != NULL;
}

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Options of NVRTC, and those of nvcc that programs pass with backend="nvcc". */
typedef enum meaning {
    NOTHING, /* ignored here */
    PASSED,  /* the compiler's own option with the value behind it */
    STANDARD, FMAD, QUICK
} meaning;
typedef enum value {
    NONE,   /* the option alone */
    EQUALS, /* --word=value */
    EITHER, /* --word=value or --word value */
    JOINED, /* -Dvalue, -D value, -D=value */
    MAYBE   /* --word or --word=value */
} value;
static const struct known { const char *word; uint8_t meaning, value; const char *passed; } known[] = {
    {"-D", PASSED, JOINED, "-D"}, {"--define-macro", PASSED, EITHER, "-D"},
    {"-U", PASSED, JOINED, "-U"}, {"--undefine-macro", PASSED, EITHER, "-U"},
    {"-include", PASSED, EITHER, "-include"}, {"--pre-include", PASSED, EITHER, "-include"},
    {"-I", PASSED, JOINED, "-I"}, {"--include-path", PASSED, EITHER, "-I"},
    {"-std", STANDARD, EITHER, NULL}, {"--std", STANDARD, EITHER, NULL},
    {"-fwrapv", PASSED, NONE, "-fwrapv"}, /* ours, for the CPU only */
    {"-fmad", FMAD, EITHER, NULL}, {"--fmad", FMAD, EITHER, NULL},
    {"-arch", NOTHING, EITHER, NULL}, {"--gpu-architecture", NOTHING, EITHER, NULL},
    {"-code", NOTHING, EITHER, NULL}, {"--gpu-code", NOTHING, EITHER, NULL},
    {"-gencode", NOTHING, EITHER, NULL}, {"--generate-code", NOTHING, EITHER, NULL},
    {"-dc", NOTHING, NONE, NULL}, {"--device-c", NOTHING, NONE, NULL},
    {"-dw", NOTHING, NONE, NULL}, {"--device-w", NOTHING, NONE, NULL},
    {"-rdc", NOTHING, EITHER, NULL}, {"--relocatable-device-code", NOTHING, EITHER, NULL},
    {"-ewp", NOTHING, NONE, NULL}, {"--extensible-whole-program", NOTHING, NONE, NULL},
    {"-G", NOTHING, NONE, NULL}, {"--device-debug", NOTHING, NONE, NULL},
    {"-g", NOTHING, NONE, NULL}, {"--debug", NOTHING, NONE, NULL},
    {"-lineinfo", NOTHING, NONE, NULL}, {"--generate-line-info", NOTHING, NONE, NULL},
    {"-dopt", NOTHING, EITHER, NULL}, {"--dopt", NOTHING, EITHER, NULL},
    {"-Ofc", QUICK, EITHER, NULL}, {"--Ofast-compile", QUICK, EITHER, NULL},
    {"-Xptxas", NOTHING, EITHER, NULL}, {"--ptxas-options", NOTHING, EITHER, NULL},
    {"-Xcompiler", NOTHING, EITHER, NULL}, {"--compiler-options", NOTHING, EITHER, NULL},
    {"-maxrregcount", NOTHING, EITHER, NULL}, {"--maxrregcount", NOTHING, EITHER, NULL},
    {"-ftz", NOTHING, EITHER, NULL}, {"--ftz", NOTHING, EITHER, NULL},
    {"-prec-sqrt", NOTHING, EITHER, NULL}, {"--prec-sqrt", NOTHING, EITHER, NULL},
    {"-prec-div", NOTHING, EITHER, NULL}, {"--prec-div", NOTHING, EITHER, NULL},
    {"-use_fast_math", NOTHING, NONE, NULL}, {"--use_fast_math", NOTHING, NONE, NULL},
    {"-extra-device-vectorization", NOTHING, NONE, NULL}, {"--extra-device-vectorization", NOTHING, NONE, NULL},
    {"-modify-stack-limit", NOTHING, EITHER, NULL}, {"--modify-stack-limit", NOTHING, EITHER, NULL},
    {"-dlto", NOTHING, NONE, NULL}, {"--dlink-time-opt", NOTHING, NONE, NULL},
    {"-gen-opt-lto", NOTHING, NONE, NULL}, {"--gen-opt-lto", NOTHING, NONE, NULL},
    {"-no-source-include", NOTHING, NONE, NULL}, {"--no-source-include", NOTHING, NONE, NULL},
    {"-no-cache", NOTHING, NONE, NULL}, {"--no-cache", NOTHING, NONE, NULL},
    {"-jump-table-density", NOTHING, EITHER, NULL}, {"--jump-table-density", NOTHING, EITHER, NULL},
    {"-device-stack-protector", NOTHING, EITHER, NULL}, {"--device-stack-protector", NOTHING, EITHER, NULL},
    {"-builtin-move-forward", NOTHING, EITHER, NULL}, {"--builtin-move-forward", NOTHING, EITHER, NULL},
    {"-builtin-initializer-list", NOTHING, EITHER, NULL}, {"--builtin-initializer-list", NOTHING, EITHER, NULL},
    {"-w", NOTHING, NONE, NULL}, {"--disable-warnings", NOTHING, NONE, NULL},
    {"-Werror", NOTHING, EITHER, NULL}, {"--Werror", NOTHING, EITHER, NULL},
    {"-restrict", NOTHING, NONE, NULL}, {"--restrict", NOTHING, NONE, NULL},
    {"-default-device", NOTHING, NONE, NULL}, {"--device-as-default-execution-space", NOTHING, NONE, NULL},
    {"-device-int128", NOTHING, NONE, NULL}, {"--device-int128", NOTHING, NONE, NULL},
    {"-device-float128", NOTHING, NONE, NULL}, {"--device-float128", NOTHING, NONE, NULL},
    {"-opt-info", NOTHING, EITHER, NULL}, {"--optimization-info", NOTHING, EITHER, NULL},
    {"-err-no", NOTHING, NONE, NULL}, {"--display-error-number", NOTHING, NONE, NULL},
    {"-no-err-no", NOTHING, NONE, NULL}, {"--no-display-error-number", NOTHING, NONE, NULL},
    {"-diag-error", NOTHING, EITHER, NULL}, {"--diag-error", NOTHING, EITHER, NULL},
    {"-diag-suppress", NOTHING, EITHER, NULL}, {"--diag-suppress", NOTHING, EITHER, NULL},
    {"-diag-warn", NOTHING, EITHER, NULL}, {"--diag-warn", NOTHING, EITHER, NULL},
    {"-brief-diag", NOTHING, EITHER, NULL}, {"--brief-diagnostics", NOTHING, EITHER, NULL},
    {"-time", NOTHING, EITHER, NULL}, {"--time", NOTHING, EITHER, NULL},
    {"-split-compile", NOTHING, EITHER, NULL}, {"--split-compile", NOTHING, EITHER, NULL},
    {"-minimal", NOTHING, NONE, NULL}, {"--minimal", NOTHING, NONE, NULL},
    {"-fdevice-syntax-only", NOTHING, NONE, NULL}, {"--fdevice-syntax-only", NOTHING, NONE, NULL},
    {"-expt-relaxed-constexpr", NOTHING, NONE, NULL}, {"--expt-relaxed-constexpr", NOTHING, NONE, NULL},
    {"-expt-extended-lambda", NOTHING, NONE, NULL}, {"--expt-extended-lambda", NOTHING, NONE, NULL},
    {"-extended-lambda", NOTHING, NONE, NULL}, {"--extended-lambda", NOTHING, NONE, NULL},
    {"-O0", NOTHING, NONE, NULL}, {"-O1", NOTHING, NONE, NULL}, {"-O2", NOTHING, NONE, NULL},
    {"-O3", NOTHING, NONE, NULL}, {"-O", NOTHING, EQUALS, NULL}, {"--optimize", NOTHING, EITHER, NULL},
    {"-res-usage", NOTHING, NONE, NULL}, {"--resource-usage", NOTHING, NONE, NULL}};

/* The value of the option at i, where it is `k`, and how many arguments it takes; 0: it is another. */
static int match(const cpi_kernel_source *source, int i, const struct known *k, const char **value)
{
    const char *o = source->options[i];
    if (!begins(o, k->word)) return 0;
    const char *rest = o + strlen(k->word);
    *value = rest + (*rest == '=');
    if (k->value == NONE) return !*rest;
    if (k->value == EQUALS) return *rest == '=';
    if (*rest == ' ' || *rest == '\t') *value = rest + strspn(rest, " \t");
    else if (*rest && *rest != '=' && k->value != JOINED) return 0;
    if (*rest || k->value == MAYBE) return 1;
    if (i + 1 >= source->noptions) return 0; /* its value is missing */
    *value = source->options[i + 1];
    return 2;
}

/* How much the compiler optimises where it is to be quick: by the value of NVRTC's --Ofast-compile. -Og takes a third
 * of -O3's time for kernels of some hundred lines, -O1 a half. NULL: no such value; "": as without the option. */
static const char *quick_level(const char *value)
{
    static const char *const levels[][2] = {{"max", "-Og"}, {"mid", "-O1"}, {"min", "-O2"}, {"0", ""}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(value, levels[i][0]) == 0) return levels[i][1];
    return NULL;
}

/* What the option becomes for the compiler, for free(): NULL: nothing. False without memory. */
static bool option_for_compiler(const struct known *k, const char *value, char **word)
{
    static const char *const older[] = {"c++03", "c++11", "c++14"};
    *word = NULL;
    if (k->meaning == FMAD && strcmp(value, "false") == 0) return (*word = strdup("-ffp-contract=off")) != NULL;
    if (k->meaning == QUICK && *quick_level(value)) return (*word = strdup(quick_level(value))) != NULL;
    if (k->meaning == STANDARD) /* the device headers need C++17 */
        for (size_t i = 0; i < sizeof older / sizeof *older; i++)
            if (strcmp(value, older[i]) == 0) return true;
    const char *passed = k->meaning == STANDARD ? "-std=" : k->meaning == PASSED ? k->passed : NULL;
    if (!passed) return true;
    size_t length = strlen(passed) + strlen(value) + 1;
    if (!(*word = malloc(length))) return false;
    snprintf(*word, length, "%s%s", passed, value);
    return true;
}

/* Reads the option at i: how many arguments it takes, 0: no such option. */
static int read_option(const cpi_kernel_source *source, int i, const struct known **k, const char **value)
{
    for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
        int words = match(source, i, &known[n], value);
        *k = &known[n];
        if (words) return words;
    }
    return 0;
}

static bool is_standard(const char *value)
{
    static const char *const standards[] = {"c++03", "c++11", "c++14", "c++17", "c++20", "c++23"};
    for (size_t i = 0; i < sizeof standards / sizeof *standards; i++)
        if (strcmp(value, standards[i]) == 0) return true;
    return false;
}

cp_code cpi_compiler_check_options(const cpi_kernel_source *source)
{
    const struct known *k;
    const char *value;
    for (int i = 0, n; i < source->noptions; i += n) {
        if (!(n = read_option(source, i, &k, &value)))
            return cpi_fail(CP_ERROR_COMPILE, "unrecognized option %s found", source->options[i]);
        if (k->meaning == STANDARD && !is_standard(value))
            return cpi_fail(CP_ERROR_COMPILE, "invalid value %s of option %s", value, source->options[i]);
        if ((k->meaning == FMAD && strcmp(value, "true") != 0 && strcmp(value, "false") != 0) ||
            (k->meaning == QUICK && !quick_level(value)))
            return cpi_fail(CP_ERROR_COMPILE, "invalid value %s of option %s", value, source->options[i]);
        if (k->meaning == PASSED && k->value != NONE && !*value)
            return cpi_fail(CP_ERROR_COMPILE, "option %s has no value", source->options[i]);
    }
    return CP_OK;
}

/* Whether the option, passed on as `passed`, defines a macro with a name of ours (own.c). */
static bool defines_ours(const char *passed, const char *value)
{
    size_t length = 0;
    while (isalnum((unsigned char)value[length]) || value[length] == '_') length++;
    return passed && strcmp(passed, "-D") == 0 && cpi_cu_is_ours(value, length);
}

bool cpi_compiler_defines_ours(const cpi_kernel_source *source)
{
    const struct known *k;
    const char *value;
    for (int i = 0, n; i < source->noptions && (n = read_option(source, i, &k, &value)); i += n)
        if (defines_ours(k->passed, value)) return true;
    return false;
}

/* The user's options as the compiler takes them, kept in `words`. Files that are included before the source are in it
 * already when it is `compiled`, and so are macros with names of ours. False without memory. */
static bool add_options(command *c, const cpi_kernel_source *source, bool compiled, char **words)
{
    const struct known *k;
    const char *value;
    for (int i = 0, n; i < source->noptions && (n = read_option(source, i, &k, &value)); i += n) {
        if (compiled && k->passed && (strcmp(k->passed, "-include") == 0 || defines_ours(k->passed, value))) continue;
        if (!option_for_compiler(k, value, &words[i])) return false;
        if (words[i]) add_word(c, words[i]);
    }
    return true;
}

/* --- running --- */

enum { NOT_RUN = -1, UNKNOWN = -2 };

/* Exit status, NOT_RUN where it cannot be run, UNKNOWN where the program collected it elsewhere: then compilers leave
 * no result. */
static int run_command(const command *c, const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, usual;
    pid_t child;
    int status = NOT_RUN;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, 1, 2);
    posix_spawnattr_init(&attributes);
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGCHLD); /* the compiler waits for programs of its own */
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
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
            while (waitpid(child, &status, 0) < 0)
                if (errno != EINTR) { /* a program that ignores SIGCHLD, or waits for all children, has its status */
                    status = UNKNOWN;
                    break;
                }
    }
    free(with);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return status;
}

static cp_code compile_error(const char *compiler, const char *log, const cpi_kernel_source *source, int status)
{
    char words[PATH_MAX + 60];
    if (status != NOT_RUN && log && *log) return cpi_compiler_refuse(log, source->text);
    snprintf(words, sizeof words, status == NOT_RUN ? "%s cannot be run" : "%s failed without a word", compiler);
    return cpi_compiler_refuse(words, source->text);
}

typedef struct workplace {
    char folder[PATH_MAX], source[PATH_MAX], result[PATH_MAX], log[PATH_MAX], headers[PATH_MAX];
} workplace;

static bool enter(workplace *w, const char *folder, const char *text)
{
    return need_headers(folder, text, w->headers) && join(w->folder, folder, "work-XXXXXX") && mkdtemp(w->folder) &&
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

static int count(const char *const *words)
{
    int n = 0;
    while (words && words[n]) n++;
    return n;
}

/* Runs the compiler on the source; `words` has the user's options as the compiler takes them. */
static cp_code run_on(const workplace *w, command *c, const char *compiler, const cpi_kernel_source *source,
                      char **words, const char *const *flags, const char *const *more, bool compiled, void **result,
                      size_t *bytes)
{
    char include[PATH_MAX + 2];
    size_t log_bytes = 0;
    add_word(c, compiler);
    for (; *flags; flags++) add_word(c, *flags);
    for (const char *const *flag = cuda_macros; *flag; flag++) add_word(c, *flag);
    for (; more && *more; more++) add_word(c, *more);
    snprintf(include, sizeof include, "-I%s", w->headers);
    add_word(c, include);
    if (!add_options(c, source, compiled, words))
        return cpi_fail(CP_ERROR_MEMORY, "module_compile: out of host memory");
    add_word(c, w->source);
    add_word(c, "-o");
    add_word(c, w->result);
    if (compiled) add_word(c, "-lm"), add_word(c, "-lgcc"); /* libgcc: functions that the compiler calls itself */
    int status = run_command(c, w->log);
    *result = status == 0 || status == UNKNOWN ? cpi_cache_read(w->result, bytes) : NULL;
    char *log = *result ? NULL : cpi_cache_read(w->log, &log_bytes);
    cp_code code = *result ? CP_OK : compile_error(compiler, log, source, status);
    free(log);
    return code;
}

static cp_code run_in(const char *compiler, const char *folder, const cpi_kernel_source *source, const char *text,
                      const char *const *flags, const char *const *more, bool compiled, void **result, size_t *bytes)
{
    enum { OURS = 8 };
    command c = {0};
    workplace *w = cpi_calloc(1, sizeof *w);
    char **words = w ? cpi_calloc((size_t)source->noptions + 1, sizeof *words) : NULL;
    cp_code code = CP_ERROR_MEMORY;
    if (words && command_new(&c, count(flags) + count(cuda_macros) + count(more) + source->noptions + OURS)) {
        if (enter(w, folder, text))
            code = run_on(w, &c, compiler, source, words, flags, more, compiled, result, bytes);
        else
            code = cpi_fail(CP_ERROR_IO, "kernel cache: %s: %s", folder, strerror(errno));
    }
    if (w && *w->folder) leave(w);
    for (int i = 0; words && i < source->noptions; i++) free(words[i]);
    cpi_free_host(words);
    cpi_free_host(c.word);
    cpi_free_host(w);
    return code;
}

static bool is_clang(const char *compiler)
{
    char real[PATH_MAX];
    return realpath(compiler, real) && strstr(strrchr(real, '/'), "clang");
}

cp_code cpi_compiler_run(const char *compiler, const char *folder, const cpi_kernel_source *source, const char *text,
                         void **object, size_t *bytes)
{
    static const char *const checked[] = {"-O1", "-g1", "-finline-small-functions", "-fsanitize=thread",
                                          "-fsanitize=bounds-strict,alignment", "-fsanitize-recover=all",
                                          "--param=tsan-distinguish-volatile=1",
                                          "--param=tsan-instrument-func-entry-exit=0", "-fno-builtin-malloc",
                                          "-fno-builtin-free", NULL};
    static const char *const checked_clang[] = {"-O2", "-g1", "-fsanitize=thread",
                                                "-fsanitize=array-bounds,alignment",
                                                "-fsanitize-recover=alignment,array-bounds",
                                                "-fno-sanitize-link-runtime", "-mllvm",
                                                "-tsan-distinguish-volatile=1", "-mllvm",
                                                "-tsan-instrument-func-entry-exit=0", "-mllvm",
                                                "-tsan-compound-read-before-write=1", "-fno-builtin-malloc",
                                                "-fno-builtin-free", NULL};
    const bool clang = is_clang(compiler), checks = cpi_kernel_checks();
    bool ours = false;
    for (int i = 0; i < source->noptions; i++) ours = ours || strcmp(source->options[i], "-fwrapv") == 0;
    const char *const *gnu = checks ? checked : ours ? gnu_loop_flags : gnu_flags;
    const char *const *more = !clang ? gnu : checks ? checked_clang : NULL;
    return run_in(compiler, folder, source, text, usual_flags, more, true, object, bytes);
}

/* In #line directives the source file's name becomes kernel.cu: its path was another at each run, and the cache finds
 * what was compiled by its source. */
static void name_source(char *text, const char *folder)
{
    static const char file[] = "/kernel.cpp\"", name[] = "\"kernel.cu\"";
    size_t length = strlen(folder), rest = strlen("/work-XXXXXX") + sizeof file - 1;
    char *to = text;
    for (const char *p = text; (*to = *p);) {
        if (*p == '"' && strncmp(p + 1, folder, length) == 0 && strlen(p + 1 + length) >= rest &&
            strncmp(p + 1 + length, "/work-", 6) == 0 &&
            strncmp(p + 1 + length + rest - (sizeof file - 1), file, sizeof file - 1) == 0) {
            to = (char *)memcpy(to, name, sizeof name - 1) + sizeof name - 1;
            p += 1 + length + rest;
        } else {
            to++, p++;
        }
    }
}

cp_code cpi_compiler_preprocess(const char *compiler, const char *folder, const cpi_kernel_source *source, char **text)
{
    static const char *const flags[] = {"-std=c++17", "-E", "-w", "-D__CUPRITE_READ__=1", NULL};
    size_t bytes;
    cp_code code = run_in(compiler, folder, source, source->text, flags, NULL, false, (void **)text, &bytes);
    if (!code) name_source(*text, folder);
    return code;
}

/* The line that the compiler's tool prints for an address: all functions that are inlined there, the innermost first,
 * as FILE:LINE. The first one in the user's source counts. */
static int line_in(const char *log)
{
    static const char mark[] = "kernel.cu:";
    const char *p = log ? strstr(log, mark) : NULL;
    return p ? atoi(p + sizeof mark - 1) : 0;
}

int cpi_compiler_line(const void *object, size_t bytes, size_t offset)
{
    static const char *const programs[] = {"addr2line", "llvm-addr2line", "llvm-addr2line-14"};
    char folder[PATH_MAX], path[PATH_MAX], place[32];
    workplace *w = calloc(1, sizeof *w);
    int line = 0;
    bool found = false;
    for (size_t i = 0; i < sizeof programs / sizeof *programs && !found; i++)
        found = in_path(programs[i], path, sizeof path);
    if (w && object && found && cpi_cache_folder(folder) == CP_OK && enter(w, folder, "") &&
        cpi_cache_write(w->result, object, bytes, NULL, 0)) {
        const char *capacity[8] = {NULL};
        command c = {capacity, 0, 7};
        const char *const words[] = {path, "-i", "-e", w->result, place};
        snprintf(place, sizeof place, "%#zx", offset);
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) add_word(&c, words[i]);
        size_t log_bytes;
        char *log = run_command(&c, w->log) == 0 ? cpi_cache_read(w->log, &log_bytes) : NULL;
        line = line_in(log);
        free(log);
    }
    cp_error_clear(); /* a line less in an error's text */
    if (w && *w->folder) leave(w);
    free(w);
    return line;
}
