/* Writes archives of arrays: members are stored, or deflated in segments in parallel.
 *
 * Invariants: sizes and checksums precede the bytes, so no seek is needed and pipes work too; segments are split by the
 * size alone, so the same arrays give the same file. */
#include "npy.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

enum { SEGMENT = 1 << 20, WINDOW = 1 << 15, VERSION = 45, LOCAL = 30, ENTRY = 46, END = 22, END64 = 56, LOCATOR = 20 };

typedef struct written {
    char *name;
    int64_t at, packed, size;
    uint32_t crc;
} written;

struct cpi_zip_writer {
    cpi_out out;
    char *path;
    bool compressed;
    int64_t at; /* bytes written */
    int n, capacity;
    written *members;
};

static uint8_t *put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)v, p[1] = (uint8_t)(v >> 8);
    return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v) { return put16(put16(p, v), v >> 16); }
static uint8_t *put64(uint8_t *p, int64_t v) { return put32(put32(p, (uint32_t)v), (uint32_t)((uint64_t)v >> 32)); }

static void write_bytes(struct cpi_zip_writer *w, const void *bytes, int64_t n)
{
    if (cpi_out_write(&w->out, bytes, (size_t)n) == CP_OK) w->at += n;
}

cp_code cpi_zip_begin(const char *function, const char *path, bool compressed, struct cpi_zip_writer **writer)
{
    struct cpi_zip_writer *w = HOST->malloc(sizeof *w);
    size_t n = strlen(path) + 1;
    if (!w) return CP_ERROR_MEMORY;
    *w = (struct cpi_zip_writer){.compressed = compressed, .path = HOST->malloc(n)};
    cp_code code = w->path ? cpi_out_open(function, memcpy(w->path, path, n), &w->out) : CP_ERROR_MEMORY;
    if (code == CP_OK) {
        w->out.soon = true;
        *writer = w;
        return code;
    }
    HOST->free(w->path);
    HOST->free(w);
    return code;
}

/* --- packing --- */

/* A member's bytes: its header, then the elements; and the deflated segments. */
typedef struct packing {
    const uint8_t *header, *elements;
    int64_t head, size, nchunks;
    size_t capacity;   /* most bytes of a deflated segment */
    uint8_t *packed;   /* NULL: nothing is packed */
    uint32_t *crc;
    size_t *bytes;
    bool failed;
} packing;

/* Segment i: the first begins with the header. */
static const uint8_t *chunk_at(const packing *p, int64_t i, int64_t *n)
{
    if (i == 0) return *n = p->head, p->header;
    int64_t from = (i - 1) * SEGMENT;
    *n = p->size - p->head - from < SEGMENT ? p->size - p->head - from : SEGMENT;
    return p->elements + from;
}

static bool deflate_chunk(packing *p, int64_t i, const uint8_t *bytes, int64_t n)
{
    z_stream z = {0};
    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) return false;
    if (i > 1) deflateSetDictionary(&z, bytes - WINDOW, WINDOW); /* the preceding bytes as dictionary */
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = p->packed + (size_t)i * p->capacity;
    z.avail_out = (uInt)p->capacity;
    const bool last = i == p->nchunks - 1;
    int status = deflate(&z, last ? Z_FINISH : Z_SYNC_FLUSH);
    p->bytes[i] = p->capacity - z.avail_out;
    deflateEnd(&z);
    return last ? status == Z_STREAM_END : status == Z_OK && !z.avail_in;
}

static void pack_chunk(void *context, int64_t i, int worker)
{
    packing *p = context;
    int64_t n;
    const uint8_t *bytes = chunk_at(p, i, &n);
    (void)worker;
    p->crc[i] = (uint32_t)crc32(0, bytes, (uInt)n);
    if (p->packed && !deflate_chunk(p, i, bytes, n)) __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
}

static void end_packing(packing *p)
{
    HOST->free(p->packed);
    HOST->free(p->crc);
    HOST->free(p->bytes);
}

static cp_code pack(struct cpi_zip_writer *w, packing *p, written *m)
{
    p->nchunks = 1 + (p->size - p->head + SEGMENT - 1) / SEGMENT;
    p->capacity = SEGMENT + SEGMENT / 256 + 128; /* an upper bound for incompressible data */
    p->crc = HOST->malloc((size_t)p->nchunks * sizeof *p->crc);
    p->bytes = p->crc ? HOST->malloc((size_t)p->nchunks * sizeof *p->bytes) : NULL;
    if (p->bytes && w->compressed) p->packed = HOST->malloc((size_t)p->nchunks * p->capacity);
    if (!p->bytes || (w->compressed && !p->packed)) return CP_ERROR_MEMORY;
    HOST->parallel(p->nchunks, pack_chunk, p);
    if (p->failed) return HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", w->out.function, w->path);
    m->packed = w->compressed ? 0 : p->size;
    m->crc = p->crc[0];
    for (int64_t i = 0; i < p->nchunks; i++) {
        int64_t n;
        chunk_at(p, i, &n);
        if (i) m->crc = (uint32_t)crc32_combine(m->crc, p->crc[i], n);
        if (w->compressed) m->packed += (int64_t)p->bytes[i];
    }
    return CP_OK;
}

/* --- records --- */

static bool is_ascii(const char *text)
{
    while (*text > 0) text++;
    return !*text;
}

/* The fields common to both records of a member: version to length of the name. */
static uint8_t *put_facts(uint8_t *p, const struct cpi_zip_writer *w, const written *m, int extra)
{
    enum { UTF8 = 1 << 11, FIRST_DAY = 1 << 5 | 1 }; /* of January 1980, as NumPy's */
    p = put16(put16(p, is_ascii(m->name) ? 0 : UTF8), w->compressed ? 8 : 0);
    p = put32(put16(put16(p, 0), FIRST_DAY), m->crc);
    return put16(put16(put32(put32(p, UINT32_MAX), UINT32_MAX), (uint32_t)strlen(m->name)), (uint32_t)extra);
}

static void put_local(struct cpi_zip_writer *w, const written *m)
{
    uint8_t record[LOCAL + 20], *p = record;
    memcpy(p, "PK\3\4", 4);
    p = put_facts(put16(p + 4, VERSION), w, m, 20);
    write_bytes(w, record, p - record);
    write_bytes(w, m->name, (int64_t)strlen(m->name));
    p = put64(put64(put16(put16(record, 1), 16), m->size), m->packed);
    write_bytes(w, record, p - record);
}

static void put_entry(struct cpi_zip_writer *w, const written *m)
{
    uint8_t record[ENTRY], *p = record;
    memcpy(p, "PK\1\2", 4);
    p = put_facts(put16(put16(p + 4, VERSION | 3 << 8), VERSION), w, m, 28);
    p = put32(put32(put16(put16(put16(p, 0), 0), 0), (uint32_t)0600 << 16), UINT32_MAX);
    write_bytes(w, record, p - record);
    write_bytes(w, m->name, (int64_t)strlen(m->name));
    p = put64(put64(put64(put16(put16(record, 1), 24), m->size), m->packed), m->at);
    write_bytes(w, record, p - record);
}

static void put_end(struct cpi_zip_writer *w, int64_t from)
{
    uint8_t record[END64 + LOCATOR + END], *p = record;
    const int64_t n = w->n, bytes = w->at - from, end = w->at;
    if (n > UINT16_MAX - 1 || from > UINT32_MAX - 1 || bytes > UINT32_MAX - 1) {
        memcpy(p, "PK\6\6", 4);
        p = put64(put64(put32(put32(put16(put16(put64(p + 4, END64 - 12), VERSION), VERSION), 0), 0), n), n);
        p = put64(put64(p, bytes), from);
        memcpy(p, "PK\6\7", 4);
        p = put32(put64(put32(p + 4, 0), end), 1);
    }
    memcpy(p, "PK\5\6", 4);
    uint32_t few = (uint32_t)(n < UINT16_MAX ? n : UINT16_MAX);
    p = put16(put16(put16(put16(p + 4, 0), 0), few), few);
    p = put32(put32(p, (uint32_t)(bytes < UINT32_MAX ? bytes : UINT32_MAX)),
              (uint32_t)(from < UINT32_MAX ? from : UINT32_MAX));
    p = put16(p, 0);
    write_bytes(w, record, p - record);
}

/* --- members --- */

static written *new_member(struct cpi_zip_writer *w, const char *name)
{
    if (w->n == w->capacity) {
        const int capacity = 2 * w->capacity + 8;
        written *more = HOST->realloc(w->members, (size_t)capacity * sizeof *more);
        if (!more) return NULL;
        w->members = more, w->capacity = capacity;
    }
    size_t n = strlen(name);
    written *m = &w->members[w->n];
    *m = (written){.at = w->at, .name = HOST->malloc(n + sizeof ".npy")};
    if (!m->name) return NULL;
    snprintf(m->name, n + sizeof ".npy", "%s.npy", name);
    w->n++;
    return m;
}

/* Adds a member of a header of `head` bytes and `bytes` of elements. */
static cp_code add(struct cpi_zip_writer *w, const char *name, const char *header, int64_t head, const void *elements,
                   int64_t bytes)
{
    packing p = {.header = (const uint8_t *)header, .elements = elements, .head = head, .size = head + bytes};
    if (strlen(name) > UINT16_MAX - sizeof ".npy")
        return HOST->fail(CP_ERROR_VALUE, "%s: %s: the name of an array is too long", w->out.function, w->path);
    written *m = new_member(w, name);
    cp_code code = m ? pack(w, &p, m) : CP_ERROR_MEMORY;
    if (code == CP_OK) {
        m->size = p.size;
        put_local(w, m);
        for (int64_t i = 0; i < p.nchunks; i++) {
            int64_t n;
            const uint8_t *bytes = chunk_at(&p, i, &n);
            if (p.packed) write_bytes(w, p.packed + (size_t)i * p.capacity, (int64_t)p.bytes[i]);
            else write_bytes(w, bytes, n);
        }
        code = w->out.code;
    }
    end_packing(&p);
    return code;
}

cp_code cpi_zip_add(struct cpi_zip_writer *w, const char *name, cp_type type, int ndim, const int64_t *shape,
                    bool fortran, const void *elements)
{
    char header[CPI_NPY_HEADER];
    int64_t bytes = (int64_t)cp_type_size(type);
    for (int i = 0; i < ndim; i++) bytes *= shape[i];
    return add(w, name, header, cpi_npy_header(type, ndim, shape, fortran, header), elements, bytes);
}

cp_code cpi_zip_add_string(struct cpi_zip_writer *w, const char *name, const char *text)
{
    char header[CPI_NPY_HEADER];
    const size_t length = strlen(text);
    return add(w, name, header, cpi_npy_string_header(length, header), text, (int64_t)length);
}

cp_code cpi_zip_end(struct cpi_zip_writer *w, cp_code code)
{
    if (code == CP_OK) {
        const int64_t from = w->at;
        for (int i = 0; i < w->n; i++) put_entry(w, &w->members[i]);
        put_end(w, from);
    }
    code = cpi_out_close(&w->out, code);
    for (int i = 0; i < w->n; i++) HOST->free(w->members[i].name);
    HOST->free(w->members);
    HOST->free(w->path);
    HOST->free(w);
    return code;
}
