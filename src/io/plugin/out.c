/* Atomic writing of files: a temporary file in the target's folder, renamed when its bytes are on the disk.
 *
 * Invariant: only the rename touches the target. A target that exists and is no regular file (a device, a pipe) is
 * written directly and never replaced. The same holds for a descriptor of this process (/dev/stdout), regular file or
 * not. */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER (1 << 20)

static cp_code failed(cpi_out *o)
{
    if (o->code == CP_OK) {
        o->code = errno == ENOENT || errno == ENOTDIR ? CP_ERROR_NOT_FOUND : CP_ERROR_IO;
        HOST->fail(o->code, "%s: %s: %s", o->function, o->path, strerror(errno));
    }
    return o->code;
}

static cp_code write_bytes(cpi_out *o, const uint8_t *bytes, size_t n)
{
    while (n > 0 && o->code == CP_OK) {
        ssize_t done = write(o->fd, bytes, n < 1 << 30 ? n : 1 << 30);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return failed(o);
        if (done == 0) {
            errno = ENOSPC;
            return failed(o);
        }
        bytes += done;
        n -= (size_t)done;
    }
    return o->code;
}

static cp_code flush(cpi_out *o)
{
    size_t n = o->used;
    o->used = 0;
    return write_bytes(o, o->buffer, n);
}

cp_code cpi_out_write(cpi_out *o, const void *bytes, size_t n)
{
    if (o->code != CP_OK) return o->code;
    if (n <= BUFFER - o->used) {
        memcpy(o->buffer + o->used, bytes, n);
        o->used += n;
        return CP_OK;
    }
    cp_code code = flush(o);
    if (code != CP_OK || n > BUFFER / 2) return code == CP_OK ? write_bytes(o, bytes, n) : code;
    memcpy(o->buffer, bytes, n);
    o->used = n;
    return CP_OK;
}

/* Is FOLDER/NAME a descriptor of this process? All links in FOLDER are resolved. */
static bool of_this_process(const char *folder, const char *name, int *descriptor)
{
    char own[40], thread[80], *end;
    snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    snprintf(thread, sizeof thread, "/proc/%ld/task/", (long)getpid());
    size_t n = strlen(folder);
    bool of_thread = !strncmp(folder, thread, strlen(thread)) && n > 3 && !strcmp(folder + n - 3, "/fd");
    if (strcmp(folder, own) && !of_thread) return false;
    long number = strtol(name, &end, 10);
    if (end == name || *end || number < 0 || number > INT_MAX) return false;
    *descriptor = (int)number;
    return true;
}

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = HOST->malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

/* Resolves symbolic links to *target, in HOST's memory, which need not exist. A name of a descriptor of this process
 * (/dev/stdout) gives its number in *descriptor instead. */
static cp_code follow_links(cpi_out *o, char **target, int *descriptor)
{
    char folder[PATH_MAX], real[PATH_MAX], link[PATH_MAX], *path = copy_text(o->path);
    *descriptor = -1;
    for (int links = 0; path; links++) {
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        int n = slash ? (int)(slash - path) + 1 : 0;
        snprintf(folder, sizeof folder, "%.*s", n, path);
        if (realpath(n ? folder : ".", real) && of_this_process(real, name, descriptor)) break;
        ssize_t length = readlink(path, link, sizeof link - 1);
        if (length < 0) { /* no link, or nothing */
            *target = path;
            return CP_OK;
        }
        link[length] = 0;
        size_t capacity = (size_t)n + (size_t)length + 1;
        char *next = HOST->malloc(capacity);
        if (next) snprintf(next, capacity, "%.*s%s", link[0] == '/' ? 0 : n, path, link);
        HOST->free(path);
        path = next;
        if (links >= 40 && path) {
            HOST->free(path);
            errno = ELOOP;
            return failed(o);
        }
    }
    if (!path) return o->code = CP_ERROR_MEMORY;
    HOST->free(path);
    return CP_OK;
}

/* The name of another temporary file beside the target. */
static void next_name(cpi_out *o, char *name, size_t capacity)
{
    static int counter;
    const char *slash = strrchr(o->target, '/');
    int folder = slash ? (int)(slash - o->target) + 1 : 0;
    snprintf(name, capacity, "%.*s.cuprite-%ld-%d.tmp", folder, o->target, (long)getpid(),
             __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED));
}

/* A new file in the target's folder, with the target's permissions or those of a new file. It has no name (O_TMPFILE)
 * where the file system supports that, so it vanishes however the process ends; else o->temporary names it. */
static cp_code open_temporary(cpi_out *o, const struct stat *old)
{
    size_t capacity = strlen(o->target) + 48;
    char *name = HOST->malloc(capacity);
    if (!name) return o->code = CP_ERROR_MEMORY;
    const char *slash = strrchr(o->target, '/');
    snprintf(name, capacity, "%.*s", slash ? (int)(slash - o->target) + 1 : 2, slash ? o->target : "./");
    o->fd = open(name, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    for (int attempt = 0; attempt < 100 && o->fd < 0; attempt++) {
        next_name(o, name, capacity);
        o->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd >= 0) o->temporary = name;
        else if (errno != EEXIST) break;
    }
    int why = errno;
    if (!o->temporary) HOST->free(name);
    errno = why;
    if (o->fd < 0 || (old && fchmod(o->fd, old->st_mode & 0777) != 0)) return failed(o);
    return CP_OK;
}

/* Gives an unnamed file a name, by linking its entry in /proc. */
static cp_code name_file(cpi_out *o)
{
    size_t capacity = strlen(o->target) + 48;
    char from[40], *name = HOST->malloc(capacity);
    if (!name) return o->code = CP_ERROR_MEMORY;
    snprintf(from, sizeof from, "/proc/self/fd/%d", o->fd);
    int done = -1;
    for (int attempt = 0; attempt < 100 && done != 0; attempt++) {
        next_name(o, name, capacity);
        done = linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
        if (done != 0 && errno != EEXIST) break;
    }
    if (done == 0) {
        o->temporary = name;
        return CP_OK;
    }
    int why = errno;
    HOST->free(name);
    errno = why;
    return failed(o);
}

/* The complete file replaces the target. Signals are blocked between the two steps, since one would leave a temporary
 * file. */
static void put_in_place(cpi_out *o)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if ((o->temporary || name_file(o) == CP_OK) && rename(o->temporary, o->target) != 0) failed(o);
    if (o->code != CP_OK && o->temporary) unlink(o->temporary);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static cp_code open_target(cpi_out *o)
{
    struct stat old;
    int descriptor;
    if (follow_links(o, &o->target, &descriptor) != CP_OK) return o->code;
    if (descriptor >= 0) {
        o->fd = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
        return o->fd < 0 ? failed(o) : CP_OK;
    }
    bool exists = stat(o->target, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return failed(o);
    }
    if (exists && !S_ISREG(old.st_mode)) {
        o->fd = open(o->target, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        HOST->free(o->target);
        o->target = NULL;
        return o->fd < 0 ? failed(o) : CP_OK;
    }
    if (exists && access(o->target, W_OK) != 0) return failed(o);
    return open_temporary(o, exists ? &old : NULL);
}

cp_code cpi_out_open(const char *function, const char *path, cpi_out *o)
{
    *o = (cpi_out){.function = function, .path = path, .fd = -1};
    if (!(o->buffer = HOST->malloc(BUFFER))) o->code = CP_ERROR_MEMORY;
    else open_target(o);
    if (o->code != CP_OK) return cpi_out_close(o, o->code);
    return CP_OK;
}

cp_code cpi_out_close(cpi_out *o, cp_code code)
{
    if (o->code == CP_OK) o->code = code;
    if (o->code == CP_OK) flush(o);
    if (o->code == CP_OK && o->target && !o->soon && fsync(o->fd) != 0) failed(o);
    if (o->code == CP_OK && o->target) put_in_place(o);
    else if (o->temporary) unlink(o->temporary);
    if (o->fd >= 0 && close(o->fd) != 0 && !o->target) failed(o);
    HOST->free(o->temporary);
    HOST->free(o->target);
    HOST->free(o->buffer);
    o->fd = -1;
    o->temporary = o->target = NULL;
    o->buffer = NULL;
    return o->code;
}
