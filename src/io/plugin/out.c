/* Writing a file so that it is there whole or not at all: a temporary file beside the target, renamed when its
 * bytes are on the disk.
 *
 * Invariant: the target is touched by the rename alone. A target that exists and is no regular file (a device, a
 * pipe) is written straight into: it must never be replaced. */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static cp_code put(cpi_out *o, const uint8_t *bytes, size_t n)
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
    return put(o, o->buffer, n);
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
    if (code != CP_OK || n > BUFFER / 2) return code == CP_OK ? put(o, bytes, n) : code;
    memcpy(o->buffer, bytes, n);
    o->used = n;
    return CP_OK;
}

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = HOST->malloc(n);
    return copy ? memcpy(copy, text, n) : NULL;
}

/* A new file beside the target, with the rights the target has or a new file gets. */
static cp_code open_temporary(cpi_out *o, const struct stat *old)
{
    static int counter;
    size_t room = strlen(o->target) + 48;
    if (!(o->temporary = HOST->malloc(room))) return o->code = CP_ERROR_MEMORY;
    const char *slash = strrchr(o->target, '/');
    int directory = slash ? (int)(slash - o->target) + 1 : 0;
    for (int attempt = 0; attempt < 100 && o->fd < 0; attempt++) {
        snprintf(o->temporary, room, "%.*s.cuprite-%ld-%d.tmp", directory, o->target, (long)getpid(),
                 __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED));
        o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (o->fd < 0 && errno != EEXIST) break;
    }
    if (o->fd < 0) {
        int why = errno; /* nothing to remove */
        HOST->free(o->temporary);
        o->temporary = NULL;
        errno = why;
        return failed(o);
    }
    if (old && fchmod(o->fd, old->st_mode & 0777) != 0) return failed(o);
    return CP_OK;
}

static cp_code open_target(cpi_out *o)
{
    struct stat old;
    bool exists = stat(o->path, &old) == 0;
    if (exists && S_ISDIR(old.st_mode)) {
        errno = EISDIR;
        return failed(o);
    }
    if (exists && !S_ISREG(old.st_mode)) {
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        return o->fd < 0 ? failed(o) : CP_OK;
    }
    if (exists && access(o->path, W_OK) != 0) return failed(o);
    char real[PATH_MAX]; /* a link stays, what it leads to is replaced */
    if (!(o->target = copy_text(exists && realpath(o->path, real) ? real : o->path))) return o->code = CP_ERROR_MEMORY;
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
    if (o->code == CP_OK && o->temporary && fsync(o->fd) != 0) failed(o);
    if (o->fd >= 0 && close(o->fd) != 0) failed(o);
    if (o->code == CP_OK && o->temporary && rename(o->temporary, o->target) != 0) failed(o);
    if (o->code != CP_OK && o->temporary) unlink(o->temporary);
    HOST->free(o->temporary);
    HOST->free(o->target);
    HOST->free(o->buffer);
    o->fd = -1;
    o->temporary = o->target = NULL;
    o->buffer = NULL;
    return o->code;
}
