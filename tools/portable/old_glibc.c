/* Functions that glibc had under other names before 2.33: a portable library (stubs.py) calls them by the old ones. */
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
