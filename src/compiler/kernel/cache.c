/* The folder of compiled kernels: see cache.h. */
#include "kernel/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/memory.h"

/* Makes the missing folders of a path. */
static bool make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        int failed = mkdir(path, 0700) && errno != EEXIST;
        *p = '/';
        if (failed) return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static const char *given(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

/* Makes the folder where it is missing; CP_OK where it is ours alone. */
static cp_code take_folder(char *folder)
{
    struct stat s;
    if (!make_folders(folder)) return cpi_fail(CP_ERROR_IO, "kernel cache: %s: %s", folder, strerror(errno));
    if (stat(folder, &s) || !S_ISDIR(s.st_mode))
        return cpi_fail(CP_ERROR_IO, "kernel cache: %s is not a folder", folder);
    if (s.st_uid != geteuid()) return cpi_fail(CP_ERROR_IO, "kernel cache: %s belongs to another user", folder);
    if (s.st_mode & 022)
        return cpi_fail(CP_ERROR_IO, "kernel cache: others can write to %s (chmod go-w it, or name another folder by "
                        "CUPRITE_CACHE_DIR)", folder);
    return CP_OK;
}

/* The first of the user's folders that is writable; where the home is missing or not accessible, a folder for temporary
 * files. */
cp_code cpi_cache_folder(char folder[PATH_MAX])
{
    const char *own = given("CUPRITE_CACHE_DIR") ? given("CUPRITE_CACHE_DIR") : given("CUPY_CACHE_DIR");
    const char *xdg = given("XDG_CACHE_HOME"), *home = given("HOME");
    const char *here = own && *own == '-' ? "./" : ""; /* the compiler must not take the name for an option */
    int n = own ? snprintf(folder, PATH_MAX, "%s%s", here, own)
            : xdg ? snprintf(folder, PATH_MAX, "%s/cuprite/kernels", xdg)
            : home ? snprintf(folder, PATH_MAX, "%s/.cache/cuprite/kernels", home) : 0;
    if (n >= PATH_MAX - 100) return cpi_fail(CP_ERROR_IO, "kernel cache: the folder's name is too long");
    if (!own && (!n || !make_folders(folder) || access(folder, W_OK)))
        snprintf(folder, PATH_MAX, "/tmp/cuprite-%u", (unsigned)geteuid());
    return take_folder(folder);
}

/* All of an open file, terminated by a 0; NULL where it cannot be read. */
static char *read_all(int f, const struct stat *s, size_t *bytes)
{
    char *content = S_ISREG(s->st_mode) && s->st_size < 1 << 30 ? malloc((size_t)s->st_size + 1) : NULL;
    size_t have = 0;
    while (content && have < (size_t)s->st_size) {
        ssize_t n = read(f, content + have, (size_t)s->st_size - have);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return free(content), NULL;
        have += (size_t)n;
    }
    if (content) content[have] = 0;
    *bytes = have;
    return content;
}

/* `trusted`: a file that others own, or can write to, is refused. */
static void *read_file(const char *path, bool trusted, size_t *bytes)
{
    int f = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK); /* does not wait for a pipe's writer */
    struct stat s;
    if (f < 0) return NULL;
    bool fine = fstat(f, &s) == 0 && (!trusted || (s.st_uid == geteuid() && !(s.st_mode & 022)));
    char *content = fine ? read_all(f, &s, bytes) : NULL;
    close(f);
    return content;
}

void *cpi_cache_read(const char *path, size_t *bytes) { return read_file(path, false, bytes); }

static bool write_all(int f, const char *p, size_t n)
{
    while (n) {
        ssize_t wrote = write(f, p, n);
        if (wrote < 0 && errno == EINTR) continue;
        if (wrote <= 0) return false;
        p += wrote, n -= (size_t)wrote;
    }
    return true;
}

bool cpi_cache_write(const char *path, const void *content, size_t bytes, const void *tail, size_t tail_bytes)
{
    char beside[PATH_MAX];
    if (snprintf(beside, sizeof beside, "%s.XXXXXX", path) >= (int)sizeof beside) return false;
    int f = mkostemp(beside, O_CLOEXEC);
    if (f < 0) return false;
    bool done = write_all(f, content, bytes) && write_all(f, tail, tail_bytes);
    done = close(f) == 0 && done && rename(beside, path) == 0;
    if (!done) unlink(beside);
    return done;
}

static void path_of(const char *folder, const char *key, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s.bin", folder, key);
}

static void digest_of(const void *content, size_t bytes, unsigned char digest[CPI_SHA256])
{
    cpi_sha256 s;
    cpi_sha256_begin(&s);
    cpi_sha256_add(&s, content, bytes);
    cpi_sha256_end(&s, digest);
}

void *cpi_cache_get(const char *folder, const char *key, size_t *bytes)
{
    char path[PATH_MAX];
    unsigned char digest[CPI_SHA256];
    path_of(folder, key, path);
    char *content = read_file(path, true, bytes);
    if (!content) return NULL; /* it is replaced when the content is stored again */
    if (*bytes > CPI_SHA256) {
        digest_of(content, *bytes - CPI_SHA256, digest);
        *bytes -= CPI_SHA256;
        if (memcmp(content + *bytes, digest, CPI_SHA256) == 0) return content;
    }
    free(content);
    unlink(path);
    return NULL;
}

typedef struct kept { char name[2 * CPI_SHA256 + 8]; int64_t bytes, when; } kept;

static int older(const void *a, const void *b)
{
    const kept *x = a, *y = b;
    return x->when < y->when ? -1 : x->when > y->when;
}

/* Removes what killed processes have left: files that were being written, folders of compilers. */
static void remove_leftovers(DIR *d, const char *name, const struct stat *s)
{
    static const char *const files[] = {"kernel.cpp", "kernel.so", "log"};
    enum { OLD = 3600 };
    char path[NAME_MAX + 20];
    if (time(NULL) - s->st_mtime < OLD) return;
    if (S_ISREG(s->st_mode) && strstr(name, ".bin.")) unlinkat(dirfd(d), name, 0);
    if (!S_ISDIR(s->st_mode) || strncmp(name, "work-", 5) != 0) return;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (snprintf(path, sizeof path, "%s/%s", name, files[i]) < (int)sizeof path) unlinkat(dirfd(d), path, 0);
    unlinkat(dirfd(d), name, AT_REMOVEDIR);
}

/* The most bytes in the folder; an invalid number is ignored. */
static int64_t most_bytes(void)
{
    const char *text = given("CUPRITE_CACHE_SIZE");
    char *end = NULL;
    int64_t most = text ? strtoll(text, &end, 10) : 0;
    return end && end != text && !*end && most >= 0 ? most : (int64_t)1 << 30;
}

/* Removes the oldest files until three quarters of the bound are left. */
static void bound(const char *folder)
{
    int64_t most = most_bytes(), all = 0;
    size_t n = 0, capacity = 0;
    kept *file = NULL;
    DIR *d = opendir(folder);
    struct dirent *e;
    struct stat s;
    while (d && (e = readdir(d))) {
        size_t length = strlen(e->d_name);
        if (fstatat(dirfd(d), e->d_name, &s, AT_SYMLINK_NOFOLLOW)) continue;
        remove_leftovers(d, e->d_name, &s);
        if (length < 5 || length >= sizeof file->name || strcmp(e->d_name + length - 4, ".bin") != 0) continue;
        if (!S_ISREG(s.st_mode)) continue;
        if (n == capacity) {
            kept *more = realloc(file, (capacity = capacity ? 2 * capacity : 64) * sizeof *more);
            if (!more) break;
            file = more;
        }
        snprintf(file[n].name, sizeof file->name, "%.*s", (int)sizeof file->name - 1, e->d_name);
        file[n].bytes = s.st_size;
        file[n++].when = (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec;
        all += s.st_size;
    }
    if (n && all > most) {
        qsort(file, n, sizeof *file, older);
        for (size_t i = 0; i + 1 < n && all > most / 4 * 3; i++) /* the newest stays */
            if (unlinkat(dirfd(d), file[i].name, 0) == 0) all -= file[i].bytes;
    }
    if (d) closedir(d);
    free(file);
}

void cpi_cache_put(const char *folder, const char *key, const void *content, size_t bytes)
{
    char path[PATH_MAX];
    unsigned char digest[CPI_SHA256];
    path_of(folder, key, path);
    digest_of(content, bytes, digest);
    if (cpi_cache_write(path, content, bytes, digest, CPI_SHA256)) bound(folder);
}
