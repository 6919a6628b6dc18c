/* The bytes of a file: a plain one is read in place, a gzip'd one is inflated into memory.
 *
 * Invariant: only a regular file is opened, by exactly the name given. The inflated size of a gzip'd file is bounded by
 * deflate's highest ratio and by the machine's memory. */
#include "plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define RATIO 1032 /* deflate cannot do better */

static cp_code system_error(const cpi_file_source *s)
{
    cp_code code = errno == ENOENT || errno == ENOTDIR ? CP_ERROR_NOT_FOUND : CP_ERROR_IO;
    return HOST->fail(code, "%s: %s: %s", s->function, s->path, strerror(errno));
}

int cpi_source_get(const cpi_file_source *s, int64_t offset, void *to, int64_t n)
{
    if (offset < 0 || n < 0 || offset > s->size || n > s->size - offset) return -1;
    if (s->fd < 0) {
        memcpy(to, s->memory + offset, (size_t)n);
        return 0;
    }
    for (uint8_t *p = to; n > 0;) {
        ssize_t got = pread(s->fd, p, (size_t)(n < 1 << 30 ? n : 1 << 30), offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : -1;
        p += got;
        offset += got;
        n -= got;
    }
    return 0;
}

cp_code cpi_source_failed(const cpi_file_source *s, int why)
{
    if (why < 0) return HOST->fail(CP_ERROR_FORMAT, "%s: %s: the file ends too early", s->function, s->path);
    errno = why;
    return system_error(s);
}

cp_code cpi_source_read(const cpi_file_source *s, int64_t offset, void *to, int64_t n)
{
    int why = cpi_source_get(s, offset, to, n);
    return why ? cpi_source_failed(s, why) : CP_OK;
}

void cpi_source_close(cpi_file_source *s)
{
    if (s->fd >= 0) close(s->fd);
    HOST->free(s->memory);
    s->fd = -1;
    s->memory = NULL;
}

/* Bytes of memory this machine has: nothing may inflate to more. */
static int64_t machine_memory(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGE_SIZE);
    return pages > 0 && page > 0 ? (int64_t)pages * page : INT64_MAX / 4;
}

/* Space for more output: doubles the block, up to `limit`. */
static cp_code grow(cpi_file_source *s, int64_t *capacity, int64_t limit)
{
    if (*capacity >= limit)
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: inflates to more than %lld bytes", s->function, s->path,
                          (long long)limit);
    int64_t want = *capacity > limit / 2 ? limit : *capacity * 2;
    uint8_t *more = HOST->realloc(s->memory, (size_t)want);
    if (!more) return CP_ERROR_MEMORY;
    s->memory = more;
    *capacity = want;
    return CP_OK;
}

/* Inflates all members of the file on s->fd into s->memory. */
static cp_code inflate_members(cpi_file_source *s, z_stream *z, uint8_t *in, size_t in_bytes, int64_t limit)
{
    int64_t capacity = limit < 1 << 20 ? limit : 1 << 20, used = 0, at = 0;
    bool inside = true; /* a member has begun and not ended */
    if (!(s->memory = HOST->malloc((size_t)capacity))) return CP_ERROR_MEMORY;
    for (;;) {
        if (!z->avail_in && at < s->size) {
            int64_t n = s->size - at < (int64_t)in_bytes ? s->size - at : (int64_t)in_bytes;
            cp_code code = cpi_source_read(s, at, in, n);
            if (code != CP_OK) return code;
            z->next_in = in;
            z->avail_in = (uInt)n;
            at += n;
        }
        if (!inside) { /* another member, padding after the last one, or the end */
            if (!z->avail_in || *z->next_in != 0x1f || inflateReset(z) != Z_OK) break;
            inside = true;
        }
        if (used == capacity) {
            cp_code code = grow(s, &capacity, limit);
            if (code != CP_OK) return code;
        }
        uInt space = (uInt)(capacity - used < 1 << 30 ? capacity - used : 1 << 30);
        z->next_out = s->memory + used;
        z->avail_out = space;
        int status = inflate(z, Z_NO_FLUSH);
        used += space - z->avail_out;
        if (status == Z_STREAM_END) inside = false;
        else if (status == Z_MEM_ERROR)
            return HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", s->function, s->path);
        else if (status == Z_BUF_ERROR && !z->avail_in && at >= s->size)
            return HOST->fail(CP_ERROR_FORMAT, "%s: %s: truncated gzip data", s->function, s->path);
        else if (status != Z_OK && status != Z_BUF_ERROR)
            return HOST->fail(CP_ERROR_FORMAT, "%s: %s: damaged gzip data", s->function, s->path);
    }
    s->size = used;
    return CP_OK;
}

static cp_code inflate_file(cpi_file_source *s)
{
    int64_t limit = s->size > INT64_MAX / RATIO / 2 ? INT64_MAX / 2 : s->size * RATIO + 4096;
    int64_t most = machine_memory();
    if (limit > most) limit = most;
    enum { IN = 1 << 18 };
    uint8_t *in = HOST->malloc(IN);
    if (!in) return CP_ERROR_MEMORY;
    z_stream z = {0};
    cp_code code;
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        code = HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", s->function, s->path);
    else code = inflate_members(s, &z, in, IN, limit);
    inflateEnd(&z);
    HOST->free(in);
    close(s->fd);
    s->fd = -1;
    return code;
}

cp_code cpi_source_open_plain(const char *function, const char *path, cpi_file_source *s)
{
    *s = (cpi_file_source){.function = function, .path = path, .fd = -1};
    struct stat info;
    /* a pipe must not block the call: it is refused below */
    s->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (s->fd < 0 || fstat(s->fd, &info) != 0) {
        cp_code code = system_error(s);
        cpi_source_close(s);
        return code;
    }
    if (!S_ISREG(info.st_mode)) {
        cpi_source_close(s);
        return HOST->fail(CP_ERROR_IO, "%s: %s: %s", function, path,
                          S_ISDIR(info.st_mode) ? "is a directory" : "not a regular file");
    }
    s->size = info.st_size;
    return CP_OK;
}

cp_code cpi_source_open(const char *function, const char *path, cpi_file_source *s)
{
    cp_code code = cpi_source_open_plain(function, path, s);
    if (code != CP_OK) return code;
    uint8_t magic[2] = {0};
    code = s->size >= 2 ? cpi_source_read(s, 0, magic, 2) : CP_OK;
    if (code == CP_OK && magic[0] == 0x1f && magic[1] == 0x8b) code = inflate_file(s);
    if (code != CP_OK) cpi_source_close(s);
    return code;
}
