/* The command `cuprite`: selects the subcommand, and has the functions that all of them share. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cuprite.h"

static const struct command {
    const char *name, *doc;
    int (*run)(int argc, char **argv);
} commands[] = {
    {"sources", "find the sources in images of the sky", cmd_sources},
    {"sky", "write a synthetic image of the radio sky", cmd_sky},
    {"info", "devices, libraries, memory", cmd_info},
    {"lesson", "list and copy the lessons of the Python module", cmd_lesson},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fprintf(to, "usage: cuprite COMMAND [options]\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].doc);
    fprintf(to, "\n`cuprite COMMAND --help` tells more; `cuprite --version` names the version.\n");
}

/* --- messages --- */

/* Control characters, including C1 in UTF-8, become '?'. */
static void blank_controls(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) c[0] = c[1] = '?';
        if (*c < ' ' || *c == 127) *c = '?';
    }
}

const char *shown(const char *name)
{
    static char text[4][4096];
    static int next;
    char *to = text[next++ % 4];
    snprintf(to, sizeof *text, "%s", name);
    blank_controls(to);
    return to;
}

static void print_line(const char *command, const char *format, va_list list)
{
    char text[4096];
    vsnprintf(text, sizeof text, format, list);
    blank_controls(text); /* a file name may contain any bytes */
    progress(true, NULL, NULL);
    fprintf(stderr, "cuprite: %s%s%s\n", command, *command ? ": " : "", text);
}

int fail(const char *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_line(command, format, list);
    va_end(list);
    return 1;
}

int usage_error(const char *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    print_line(command, format, list);
    va_end(list);
    return 2;
}

int fail_error_of(const char *command, const char *known, const char *subject)
{
    const char *text = cp_error_message();
    size_t word = strcspn(text, " "); /* the function's name and a colon, or "out of memory on ...: ..." */
    if (word && text[word] && text[word - 1] == ':') text += word + 1;
    size_t n = strlen(known);
    if (!strncmp(text, known, n) && !strncmp(text + n, ": ", 2)) text += n + 2;
    fail(command, "%s: %s", subject, *text ? text : cp_code_string(cp_error()));
    cp_error_clear();
    return 1;
}

int fail_error(const char *command, const char *subject) { return fail_error_of(command, subject, subject); }

/* --- arguments --- */

static bool listed(const char *const *list, const char *name, size_t n)
{
    for (; *list; list++)
        if (strlen(*list) == n && !strncmp(*list, name, n)) return true;
    return false;
}

int args_next(args *a)
{
    a->option = a->value = NULL;
    if (a->at >= a->argc) return 0;
    char *text = a->argv[a->at++];
    if (!a->rest && !strcmp(text, "--")) {
        a->rest = true;
        return args_next(a);
    }
    if (a->rest || text[0] != '-' || !text[1]) {
        a->value = text;
        return 1;
    }
    a->option = text;
    size_t n = text[1] == '-' ? strcspn(text, "=") : strlen(text);
    if (listed(a->flags, text, n) && !text[n]) return 1;
    if (listed(a->values, text, n)) {
        if (text[n] == '=') {
            text[n] = 0;
            a->value = text + n + 1;
        } else if (a->at < a->argc) a->value = a->argv[a->at++];
        else return usage_error(a->command, "option %s needs a value", text), -1;
        return 1;
    }
    if (text[1] != '-' && listed(a->values, text, 2)) { /* -k5 */
        static char letter[3];
        memcpy(letter, text, 2);
        a->option = letter;
        a->value = text + 2;
        return 1;
    }
    usage_error(a->command, "no option %s (see `cuprite %s --help`)", text, a->command);
    return -1;
}

bool args_number(const args *a, double low, double high, double *number)
{
    char *end;
    errno = 0;
    double v = strtod(a->value, &end);
    if (end != a->value && !*end && v >= low && v <= high) {
        *number = v;
        return true;
    }
    usage_error(a->command, "option %s: %s is no number from %g to %g", a->option, a->value, low, high);
    return false;
}

bool args_integer(const args *a, int64_t low, int64_t high, int64_t *number)
{
    char *end;
    errno = 0;
    long long v = strtoll(a->value, &end, 10);
    if (end != a->value && !*end && !errno && v >= low && v <= high) {
        *number = v;
        return true;
    }
    usage_error(a->command, "option %s: %s is no integer from %lld to %lld", a->option, a->value, (long long)low,
                (long long)high);
    return false;
}

/* --- standard input and output by name --- */

const char *input_path(const char *command, const char *name)
{
    static char path[40] = "";
    struct stat info;
    if (strcmp(name, "-")) return name;
    if (fstat(STDIN_FILENO, &info) == 0 && S_ISREG(info.st_mode)) return "/dev/stdin";
    if (*path) return path; /* `-` given twice */
    FILE *copy = tmpfile();
    char block[65536];
    ssize_t n = copy ? 0 : -1;
    while (copy && (n = read(STDIN_FILENO, block, sizeof block)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 || fwrite(block, 1, (size_t)n, copy) != (size_t)n) break;
    }
    if (!copy || n != 0 || fflush(copy) != 0) {
        fail(command, "standard input: %s", strerror(errno));
        if (copy) fclose(copy);
        return NULL;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(copy));
    return path;
}

const char *output_name(const char *name) { return name && !strcmp(name, "-") ? "/dev/stdout" : name; }

/* --- the rest --- */

double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

const char *bytes_string(int64_t bytes, char text[32])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double v = (double)bytes;
    int u = 0;
    for (; v >= 1024 && u < 5; u++) v /= 1024;
    snprintf(text, 32, u ? "%.1f %s" : "%.0f %s", v, units[u]);
    return text;
}

void progress(bool on, const char *subject, const char *what)
{
    static bool there;
    if (!what) {
        if (there) fputs("\r\033[K", stderr);
        there = false;
    } else if (on && isatty(STDERR_FILENO)) {
        fprintf(stderr, "\r\033[K%s: %s ...", shown(subject), what);
        there = true;
    }
    if (there || !what) fflush(stderr);
}

static int output_error;   /* errno of the first failure on stdout */

void flush_output(void)
{
    if (fflush(stdout) != 0 && !output_error) output_error = errno;
}

int finish_output(int status)
{
    flush_output();
    if (fclose(stdout) != 0 && !output_error) output_error = errno;
    if (!output_error) return status;
    fail("", "standard output: %s", strerror(output_error));
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file too large is an error of write */
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
        print_help(stdout);
        return finish_output(0);
    }
    if (!strcmp(argv[1], "--version")) {
        printf("cuprite %d.%d.%d\n", CP_VERSION_MAJOR, CP_VERSION_MINOR, CP_VERSION_PATCH);
        return finish_output(0);
    }
    for (int i = 0; i < COMMANDS; i++)
        if (!strcmp(argv[1], commands[i].name)) return finish_output(commands[i].run(argc - 1, argv + 1));
    return usage_error("", "no command %s (see `cuprite --help`)", argv[1]);
}
