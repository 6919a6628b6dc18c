/* Functions that glibc had under other names before 2.33: a portable library (stubs.py) calls them by the old ones. And
 * what the static C++ library of newer compilers asks of it. */
#include <stdarg.h>
#include <sys/random.h>
#include <sys/stat.h>

extern int __xstat(int version, const char *path, struct stat *s);
extern int __lxstat(int version, const char *path, struct stat *s);
extern int __fxstat(int version, int file, struct stat *s);
extern int __fxstatat(int version, int folder, const char *path, struct stat *s, int flags);

enum { VERSION = 1 }; /* x86-64 has had one layout of struct stat */

int stat(const char *path, struct stat *s) { return __xstat(VERSION, path, s); }
int lstat(const char *path, struct stat *s) { return __lxstat(VERSION, path, s); }
int fstat(int file, struct stat *s) { return __fxstat(VERSION, file, s); }

int fstatat(int folder, const char *path, struct stat *s, int flags)
{
    return __fxstatat(VERSION, folder, path, s, flags);
}

/* Compiled code has these names for the same ones. */
#define SAME(name, of) extern __typeof__(of) name __attribute__((alias(#of)))
SAME(stat64, stat);
SAME(lstat64, lstat);
SAME(fstat64, fstat);
SAME(fstatat64, fstatat);

/* Headers of glibc 2.38 and later give these names to strtol and the like, which then read C23's binary numbers too
 * ("0b11"). Nothing here reads such. <stdlib.h> would rename what is declared here. */
#define OLD(type, name, ...) extern type old_##name(__VA_ARGS__) __asm__(#name)
OLD(long, strtol, const char *, char **, int);
OLD(long long, strtoll, const char *, char **, int);
OLD(unsigned long, strtoul, const char *, char **, int);
OLD(unsigned long long, strtoull, const char *, char **, int);
extern int old_vsscanf(const char *, const char *, va_list) __asm__("__isoc99_vsscanf");

long __isoc23_strtol(const char *s, char **end, int base) { return old_strtol(s, end, base); }
long long __isoc23_strtoll(const char *s, char **end, int base) { return old_strtoll(s, end, base); }
unsigned long __isoc23_strtoul(const char *s, char **end, int base) { return old_strtoul(s, end, base); }
unsigned long long __isoc23_strtoull(const char *s, char **end, int base) { return old_strtoull(s, end, base); }

int __isoc23_sscanf(const char *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int n = old_vsscanf(s, format, values);
    va_end(values);
    return n;
}

/* Of glibc 2.32 and 2.36. Whether the process has one thread only: not known, so no. */
char __libc_single_threaded;

unsigned arc4random(void)
{
    unsigned x = 0;
    for (size_t got = 0; got < sizeof x;) {
        ssize_t n = getrandom((char *)&x + got, sizeof x - got, 0);
        if (n > 0) got += (size_t)n; /* else interrupted */
    }
    return x;
}
