/* Declarations shared by the subcommands. A subcommand is a function that gets its arguments (argv[0] is its own name)
 * and returns the exit status: 0, 1 when something failed, 2 for wrong usage. It uses the public C API alone. */
#ifndef CLI_H
#define CLI_H

#include <stdbool.h>
#include <stdint.h>

int cmd_sources(int argc, char **argv);
int cmd_sky(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_lesson(int argc, char **argv); /* runs python3 -m cuprite lesson */

/* Print "cuprite: COMMAND: TEXT" on stderr, as one line always; return 1 and 2. */
int fail(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
int usage_error(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The library's error as "cuprite: COMMAND: SUBJECT: cause": the function's name and the subject are removed from its
 * start. Clears the record; returns 1. */
int fail_error(const char *command, const char *subject);
/* The same if the library knew the subject by another name. */
int fail_error_of(const char *command, const char *known, const char *subject);

/* One option or positional argument. */
typedef struct args {
    const char *command;
    const char *const *flags;  /* options without a value; ends with NULL */
    const char *const *values; /* options with one; ends with NULL */
    int argc, at;
    char **argv;
    bool rest;                 /* after "--" */
    const char *option;        /* the option found ("-k"), NULL: an argument */
    const char *value;         /* its value, or the argument */
} args;
/* The next one: 1, 0 at the end, -1 for wrong usage (message printed). */
int args_next(args *a);
/* A value as a number in [low, high]; false (message printed) when it is none. */
bool args_number(const args *a, double low, double high, double *number);
bool args_integer(const args *a, int64_t low, int64_t high, int64_t *number);

/* A printable name: control characters become '?'. Valid until the fourth call after it. */
const char *shown(const char *name);

/* Seconds of a monotonic clock. */
double now(void);
/* "1.5 GiB". */
const char *bytes_string(int64_t bytes, char text[32]);
/* The path for `-`: standard input as a file that can be read (a pipe is copied to an unnamed file until the process
 * ends). NULL with the message printed on failure. */
const char *input_path(const char *command, const char *name);
/* /dev/stdout for `-`, else the name. */
const char *output_name(const char *name);

/* Shows a progress line if stderr is a terminal and `on`; NULL erases it. */
void progress(bool on, const char *subject, const char *what);
/* Flushes stdout. */
void flush_output(void);
/* Flushes and checks stdout (a full disk behind `>` is an error); returns the exit status. */
int finish_output(int status);

#endif
