/* Archives of arrays (.npz): a zip's directory, and its members read from their beginnings.
 *
 * Invariant: what the directory says is believed after it was compared with the file: a member's bytes lie in it, and
 * none can be longer than deflate makes of as many bytes. Each is compared with its checksum. */
#include "npy.h"

#include <string.h>
#include <zlib.h>

enum { END = 22, END64 = 56, LOCATOR = 20, ENTRY = 46, LOCAL = 30, COMMENT = 65535, RATIO = 1032 };
enum { STORED = 0, DEFLATED = 8 };

typedef struct entry {
    int64_t header, packed, size; /* where its local header is; bytes in the file and unpacked */
    uint32_t crc;
    int method, flags;
    const char *name;
} entry;

struct cpi_zip {
    cpi_file_source source;
    char *path;      /* the source's */
    int n;
    entry *entries;
    uint8_t *bytes;  /* the directory, in which the names end with 0 */
};

struct cpi_member {
    cpi_file_source source; /* the archive's, which stays open */
    const char *path;
    int64_t at, packed, size, taken; /* where its bytes begin, how many, unpacked, read so far of the packed */
    int64_t position;                /* unpacked so far */
    uint32_t crc, want;
    bool deflated, begun;
    z_stream z;
    uint8_t in[1 << 16];
};

static uint32_t u16(const uint8_t *p) { return p[0] | (uint32_t)p[1] << 8; }
static uint32_t u32(const uint8_t *p) { return u16(p) | u16(p + 2) << 16; }
static int64_t u64(const uint8_t *p) { return (int64_t)(u32(p) | (uint64_t)u32(p + 4) << 32); }

static cp_code damaged(const cpi_file_source *s, const char *why)
{
    return HOST->fail(CP_ERROR_FORMAT, "%s: %s: damaged archive: %s", s->function, s->path, why);
}

/* --- the directory --- */

typedef struct directory { int64_t at, bytes, n, shift; } directory; /* shift: bytes that stand before the archive */

/* The record at the end, behind which is nothing but its comment. */
static cp_code find_end(const cpi_file_source *s, directory *d)
{
    int64_t tail = s->size < END + COMMENT ? s->size : END + COMMENT, found = -1;
    uint8_t *p = HOST->malloc((size_t)tail + 1), more[END64];
    if (!p) return CP_ERROR_MEMORY;
    cp_code code = cpi_source_read(s, s->size - tail, p, tail);
    for (int64_t i = tail - END; code == CP_OK && i >= 0 && found < 0; i--)
        if (memcmp(p + i, "PK\5\6", 4) == 0 && i + END + u16(p + i + 20) <= tail) found = i;
    int64_t end = s->size - tail + found;
    if (code == CP_OK && found < 0) code = damaged(s, "File is not a zip file");
    if (code == CP_OK) *d = (directory){u32(p + found + 16), u32(p + found + 12), u16(p + found + 10), 0};
    if (code == CP_OK && found >= LOCATOR && memcmp(p + found - LOCATOR, "PK\6\7", 4) == 0) {
        int64_t at = end - LOCATOR - END64; /* what the locator says does not count what stands before the archive */
        if (at < 0) code = damaged(s, "its end record lies elsewhere");
        if (code == CP_OK) code = cpi_source_read(s, at, more, END64);
        if (code == CP_OK && memcmp(more, "PK\6\6", 4)) code = damaged(s, "its end record lies elsewhere");
        if (code == CP_OK) *d = (directory){u64(more + 48), u64(more + 40), u64(more + 32), 0};
        end = at;
    }
    HOST->free(p);
    if (code != CP_OK) return code;
    if (d->at < 0 || d->bytes < 0 || d->bytes > end || d->at > end - d->bytes)
        return damaged(s, "Bad offset for central directory");
    d->shift = end - d->bytes - d->at;
    d->at += d->shift;
    return CP_OK;
}

/* Numbers that 32 bits cannot hold stand in a field of their own. */
static bool take_large(entry *e, const uint8_t *extra, int64_t n)
{
    while (n >= 4) {
        const int64_t length = u16(extra + 2);
        if (length > n - 4) return false;
        if (u16(extra) == 1) {
            const uint8_t *p = extra + 4, *end = p + length;
            int64_t *large[] = {&e->size, &e->packed, &e->header};
            for (int i = 0; i < 3; i++) {
                if (*large[i] != UINT32_MAX) continue;
                if (end - p < 8) return false;
                *large[i] = u64(p);
                p += 8;
            }
        }
        extra += 4 + length;
        n -= 4 + length;
    }
    return true;
}

/* The entry at p, of `left` bytes; its length, 0 where there is none. The name loses the byte before it and is moved
 * there, so that it can end with 0. */
static int64_t take_entry(uint8_t *p, int64_t left, entry *e)
{
    if (left < ENTRY || memcmp(p, "PK\1\2", 4)) return 0;
    const int64_t name = u16(p + 28), extra = u16(p + 30), length = ENTRY + name + extra + u16(p + 32);
    if (length > left) return 0;
    *e = (entry){.flags = (int)u16(p + 8), .method = (int)u16(p + 10), .crc = u32(p + 16), .packed = u32(p + 20),
                 .size = u32(p + 24), .header = u32(p + 42)};
    if (!take_large(e, p + ENTRY + name, extra)) return 0;
    memmove(p + ENTRY - 1, p + ENTRY, (size_t)name);
    p[ENTRY - 1 + name] = 0;
    e->name = (const char *)p + ENTRY - 1;
    return length;
}

static cp_code read_directory(struct cpi_zip *z)
{
    directory d;
    const cpi_file_source *s = &z->source;
    cp_code code = find_end(s, &d);
    if (code != CP_OK) return code;
    if (d.n < 0 || d.n > d.bytes / ENTRY) return damaged(s, "Bad number of members");
    z->bytes = HOST->malloc((size_t)d.bytes + 1);
    z->entries = z->bytes ? HOST->malloc(((size_t)d.n + 1) * sizeof *z->entries) : NULL;
    if (!z->entries) return CP_ERROR_MEMORY;
    if ((code = cpi_source_read(s, d.at, z->bytes, d.bytes)) != CP_OK) return code;
    int64_t at = 0;
    for (; z->n < d.n; z->n++) {
        entry *e = &z->entries[z->n];
        int64_t length = take_entry(z->bytes + at, d.bytes - at, e);
        if (!length) return damaged(s, "Bad magic number for central directory");
        if (e->header < 0 || e->packed < 0 || e->size < 0 || e->header > d.at - d.shift - LOCAL)
            return damaged(s, "a member lies outside");
        e->header += d.shift;
        at += length;
    }
    return CP_OK;
}

cp_code cpi_zip_open(const char *function, const char *path, struct cpi_zip **zip)
{
    struct cpi_zip *z = HOST->malloc(sizeof *z);
    size_t n = strlen(path) + 1;
    if (!z) return CP_ERROR_MEMORY;
    *z = (struct cpi_zip){.source.fd = -1};
    cp_code code = (z->path = HOST->malloc(n)) ? CP_OK : CP_ERROR_MEMORY;
    if (code == CP_OK) code = cpi_source_open_plain(function, memcpy(z->path, path, n), &z->source);
    if (code == CP_OK) code = read_directory(z);
    if (code == CP_OK) *zip = z;
    else cpi_zip_close(z);
    return code;
}

int cpi_zip_count(const struct cpi_zip *zip) { return zip->n; }
const char *cpi_zip_name(const struct cpi_zip *zip, int i) { return zip->entries[i].name; }

void cpi_zip_close(struct cpi_zip *z)
{
    if (!z) return;
    cpi_source_close(&z->source);
    HOST->free(z->entries);
    HOST->free(z->bytes);
    HOST->free(z->path);
    HOST->free(z);
}

/* --- members --- */

int64_t cpi_member_size(const cpi_member *m) { return m->size; }

void cpi_member_free(cpi_member *m)
{
    if (!m) return;
    if (m->begun) inflateEnd(&m->z);
    HOST->free(m);
}

static cp_code begin_again(cpi_member *m)
{
    m->taken = m->position = 0;
    m->crc = 0;
    m->z.avail_in = 0;
    if (!m->deflated) return CP_OK;
    int status = m->begun ? inflateReset(&m->z) : inflateInit2(&m->z, -15);
    m->begun = true;
    if (status == Z_OK) return CP_OK;
    return HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", m->source.function, m->source.path);
}

/* The next n bytes, n at most 2^30. */
static cp_code unpack(cpi_member *m, uint8_t *to, int64_t n)
{
    m->z.next_out = to;
    m->z.avail_out = (uInt)n;
    while (m->z.avail_out) {
        if (!m->z.avail_in && m->taken < m->packed) {
            int64_t more = m->packed - m->taken < (int64_t)sizeof m->in ? m->packed - m->taken : (int64_t)sizeof m->in;
            cp_code code = cpi_source_read(&m->source, m->at + m->taken, m->in, more);
            if (code != CP_OK) return code;
            m->z.next_in = m->in;
            m->z.avail_in = (uInt)more;
            m->taken += more;
        }
        int status = inflate(&m->z, Z_NO_FLUSH);
        if (status == Z_MEM_ERROR)
            return HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", m->source.function, m->source.path);
        if (status == Z_STREAM_END && m->z.avail_out) return damaged(&m->source, "a member is shorter than it says");
        if (status != Z_OK && status != Z_STREAM_END) return damaged(&m->source, "a member cannot be unpacked");
    }
    return CP_OK;
}

static cp_code next(cpi_member *m, uint8_t *to, int64_t n)
{
    while (n > 0) {
        int64_t some = n < 1 << 24 ? n : 1 << 24;
        cp_code code = m->deflated ? unpack(m, to, some) : cpi_source_read(&m->source, m->at + m->position, to, some);
        if (code != CP_OK) return code;
        m->crc = (uint32_t)crc32(m->crc, to, (uInt)some);
        m->position += some;
        to += some;
        n -= some;
    }
    return CP_OK;
}

static cp_code pass_over(cpi_member *m, int64_t to)
{
    uint8_t nothing[4096];
    cp_code code = CP_OK;
    while (code == CP_OK && m->position < to) {
        int64_t n = to - m->position < (int64_t)sizeof nothing ? to - m->position : (int64_t)sizeof nothing;
        code = next(m, nothing, n);
    }
    return code;
}

cp_code cpi_member_get(cpi_member *m, int64_t offset, void *to, int64_t n)
{
    if (offset < 0 || n < 0 || offset > m->size - n) return damaged(&m->source, "a member ends too early");
    cp_code code = offset < m->position ? begin_again(m) : CP_OK;
    if (code == CP_OK) code = pass_over(m, offset);
    return code == CP_OK ? next(m, to, n) : code;
}

cp_code cpi_member_end(cpi_member *m)
{
    cp_code code = pass_over(m, m->size);
    if (code == CP_OK && m->crc != m->want) code = damaged(&m->source, "Bad CRC-32 for a member");
    return code;
}

/* Where its bytes are: behind a header of its own, which says how long its name is. */
static cp_code find_bytes(const cpi_file_source *s, const entry *e, int64_t *at)
{
    uint8_t local[LOCAL];
    cp_code code = cpi_source_read(s, e->header, local, LOCAL);
    if (code != CP_OK) return code;
    if (memcmp(local, "PK\3\4", 4)) return damaged(s, "Bad magic number for file header");
    *at = e->header + LOCAL + u16(local + 26) + u16(local + 28);
    if (*at > s->size || e->packed > s->size - *at) return damaged(s, "a member goes on behind the file's end");
    return CP_OK;
}

cp_code cpi_zip_member(const char *function, const struct cpi_zip *zip, int i, int64_t most, cpi_io_image *image)
{
    const entry *e = &zip->entries[i];
    cpi_file_source source = zip->source;
    source.function = function;
    int64_t at = 0;
    if (e->flags & 1)
        return HOST->fail(CP_ERROR_RUNTIME, "%s: %s: %s is encrypted", function, zip->path, e->name);
    if (e->method != STORED && e->method != DEFLATED)
        return HOST->fail(CP_ERROR_UNSUPPORTED, "%s: %s: %s is packed by method %d, which is not known here", function,
                          zip->path, e->name, e->method);
    cp_code code = find_bytes(&source, e, &at);
    if (code != CP_OK) return code;
    if (e->method == STORED ? e->size != e->packed : e->size > e->packed * RATIO)
        return damaged(&source, "a member says more than its bytes can hold");
    cpi_member *m = HOST->malloc(sizeof *m);
    if (!m) return CP_ERROR_MEMORY;
    memset(m, 0, offsetof(cpi_member, in));
    m->source = source;
    m->at = at, m->packed = e->packed, m->size = e->size, m->want = e->crc;
    m->deflated = e->method == DEFLATED;
    code = begin_again(m);
    if (code == CP_OK) return cpi_npy_open_member(function, zip->path, m, most, image);
    cpi_member_free(m);
    return code;
}
