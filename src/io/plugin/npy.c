/* NumPy's files of one array (.npy, formats 1 to 3): the header, and the elements after it.
 *
 * Invariants: a header is parsed as text and never executed; nothing is allocated for which the file, or the archive's
 * member, has no bytes. NumPy's types that Cuprite lacks (objects, records, strings, dates) are an error;
 * strings are read as their characters where the caller wants that. */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- the header: a Python dictionary with three keys --- */

typedef struct text { const char *at, *end; } text;

static void skip_blanks(text *t)
{
    while (t->at < t->end && strchr(" \t\n\r\f", *t->at) && *t->at) t->at++;
}

static bool next_is(text *t, char c)
{
    skip_blanks(t);
    if (t->at == t->end || *t->at != c) return false;
    t->at++;
    return true;
}

/* A string without escapes, of at most `capacity` - 1 characters. */
static bool take_string(text *t, char *word, size_t capacity)
{
    char quote = next_is(t, '\'') ? '\'' : next_is(t, '"') ? '"' : 0;
    size_t n = 0;
    if (!quote) return false;
    for (; t->at < t->end && *t->at != quote; t->at++) {
        if (n + 1 == capacity || *t->at == '\\' || *t->at == '\n' || !*t->at) return false;
        word[n++] = *t->at;
    }
    word[n] = 0;
    return next_is(t, quote);
}

static bool take_word(text *t, const char *word)
{
    skip_blanks(t);
    size_t n = strlen(word);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n)) return false;
    t->at += n;
    return true;
}

static bool take_truth(text *t, bool *truth)
{
    if (take_word(t, "True")) return *truth = true;
    *truth = false;
    return take_word(t, "False");
}

/* A non-negative integer; Python 2 appended an L. */
static bool take_number(text *t, int64_t *number)
{
    skip_blanks(t);
    const char *from = t->at;
    *number = 0;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++)
        if (__builtin_mul_overflow(*number, 10, number) || __builtin_add_overflow(*number, *t->at - '0', number))
            return false;
    if (t->at == from || (*from == '0' && *number)) return false;
    if (t->at < t->end && *t->at == 'L') t->at++;
    return true;
}

static bool take_shape(text *t, cpi_io_image *image)
{
    image->ndim = 0;
    if (!next_is(t, '(')) return false;
    while (!next_is(t, ')')) {
        if (image->ndim == CP_MAXDIM || !take_number(t, &image->shape[image->ndim++])) return false;
        if (next_is(t, ',')) continue;
        return image->ndim > 1 && next_is(t, ')'); /* (3) is no tuple */
    }
    return true;
}

/* NumPy's own floats are named by their bits. */
static bool is_numpys(cp_type t)
{
    char name[16];
    snprintf(name, sizeof name, "float%d", (int)cp_type_size(t) * 8);
    return cp_type_kind(t) != 'f' || strcmp(cp_type_name(t), name) == 0;
}

/* "<f8", "|b1", ">c16", "float64": the type and whether its bytes are swapped. */
static bool take_type(const char *word, cpi_npy *f, cp_type *type)
{
    bool ordered = strchr("<>|=", word[0]) && word[0];
    const char *name = ordered ? word + 1 : word;
    int kind = name[0], size = 0, read = 0;
    *type = ordered ? CP_DEFAULT : cp_type_from_name(name);
    f->swapped = false;
    f->characters = 0;
    if (*type != CP_DEFAULT) return true;
    if (!kind || !strchr("biufc", kind) || sscanf(name + 1, "%2d%n", &size, &read) != 1 || name[1 + read]) return false;
    if (name[1] < '1' || name[1] > '9') return false;
    for (cp_type t = 0; t < CP_NTYPES; t++)
        if (cp_type_kind(t) == kind && (int)cp_type_size(t) == size && is_numpys(t)) *type = t;
    f->swapped = word[0] == '>' && size > 1;
    return *type != CP_DEFAULT;
}

/* "|S3", "<U3": the type of a character, and how many a string has. */
static bool take_characters(const char *word, cpi_npy *f, cp_type *type)
{
    int read = 0;
    if (!word[0] || !strchr("<>|=", word[0]) || (word[1] != 'S' && word[1] != 'U')) return false;
    if (word[2] < '1' || word[2] > '9' || sscanf(word + 2, "%2d%n", &f->characters, &read) != 1 || word[2 + read])
        return false;
    *type = word[1] == 'S' ? CP_UINT8 : CP_UINT32;
    f->swapped = word[0] == '>' && word[1] == 'U';
    return true;
}

enum { DESCR = 1, ORDER = 2, SHAPE = 4 };

/* Returns NULL, or a description of the error. */
static const char *take_header(text *t, cpi_npy *f, cpi_io_image *image)
{
    static char unknown[] = "its elements are of a type that arrays here cannot have";
    char key[16], type[32];
    int seen = 0;
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t')) t->at++;
    if (t->at < t->end && *t->at != '{') return "its header is no dictionary";
    if (!next_is(t, '{')) return "its header is no dictionary";
    while (!next_is(t, '}')) {
        bool known = take_string(t, key, sizeof key) && next_is(t, ':');
        if (known && strcmp(key, "descr") == 0) {
            skip_blanks(t);
            if (t->at < t->end && *t->at == '[') return unknown;
            if (!take_string(t, type, sizeof type)) return "its header names no type";
            if (strcmp(type, "|O") == 0 || strcmp(type, "O") == 0)
                return "Object arrays cannot be loaded when allow_pickle=False";
            if (!take_type(type, f, &image->type) && !(image->strings && take_characters(type, f, &image->type)))
                return unknown;
            seen |= DESCR;
        } else if (known && strcmp(key, "fortran_order") == 0) {
            if (!take_truth(t, &image->fortran)) return "its header's fortran_order is neither True nor False";
            seen |= ORDER;
        } else if (known && strcmp(key, "shape") == 0) {
            if (!take_shape(t, image)) return "its header's shape is none";
            seen |= SHAPE;
        } else {
            return "its header has a key that is not one of three";
        }
        if (next_is(t, ',')) continue;
        if (!next_is(t, '}')) return "its header is no dictionary";
        break;
    }
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\t')) t->at++; /* then the end of the line, and no other line
                                                                            */
    while (t->at < t->end && *t->at == '\n') t->at++;
    if (t->at != t->end) return "its header goes on behind its end";
    return seen == (DESCR | ORDER | SHAPE) ? NULL : "its header lacks one of three keys";
}

/* --- open and close --- */

static cp_code malformed(const cpi_npy *f, const char *why)
{
    return HOST->fail(CP_ERROR_FORMAT, "%s: %s: %s", f->source.function, f->source.path, why);
}

/* Bytes of the file or member from `offset` on. */
static cp_code get(cpi_npy *f, int64_t offset, void *to, int64_t n)
{
    if (f->member) return cpi_member_get(f->member, offset, to, n);
    return cpi_source_read(&f->source, offset, to, n);
}

static cp_code find_elements(cpi_npy *f, cpi_io_image *image)
{
    int64_t bytes = (int64_t)cp_type_size(image->type);
    image->size = 1;
    for (int i = 0; i < image->ndim; i++)
        if (image->shape[i] == 0) bytes = 0;
    for (int i = 0; i < image->ndim && bytes; i++)
        if (__builtin_mul_overflow(bytes, image->shape[i], &bytes))
            return malformed(f, "its header's shape is too large");
    image->size = bytes / (int64_t)cp_type_size(image->type);
    f->bytes = bytes;
    if (bytes <= f->size - f->offset) return CP_OK;
    return HOST->fail(CP_ERROR_FORMAT,
                      "%s: %s: Failed to read all data for array: its header says %lld bytes, of which %lld are there",
                      f->source.function, f->source.path, (long long)bytes, (long long)(f->size - f->offset));
}

/* Reads the header: type, shape, and offset of the elements. */
static cp_code read_header(cpi_npy *f, int64_t most, cpi_io_image *image)
{
    uint8_t head[12];
    if (f->size < 10) return malformed(f, "it ends within its header");
    cp_code code = get(f, 0, head, 10);
    if (code != CP_OK) return code;
    const int major = head[6];
    if (major < 1 || major > 3 || head[7]) {
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: format version %d.%d is none of (1, 0), (2, 0), and (3, 0)",
                          f->source.function, f->source.path, major, head[7]);
    }
    int64_t length = head[8] | head[9] << 8;
    f->offset = 10;
    if (major > 1) {
        if (f->size < 12) return malformed(f, "it ends within its header");
        if ((code = get(f, 10, head + 10, 2)) != CP_OK) return code;
        length |= (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
        f->offset = 12;
    }
    if (length > f->size - f->offset) return malformed(f, "it ends within its header");
    if (length > most)
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: its header of %lld bytes is larger than max_header_size=%lld",
                          f->source.function, f->source.path, (long long)length, (long long)most);
    char *words = HOST->malloc((size_t)length + 1);
    if (!words) return CP_ERROR_MEMORY;
    code = get(f, f->offset, words, length);
    if (code == CP_OK) {
        text t = {words, words + length};
        const char *wrong = take_header(&t, f, image);
        if (wrong) code = malformed(f, wrong);
    }
    HOST->free(words);
    f->offset += length;
    image->strings = f->characters > 0;
    if (code == CP_OK && image->strings) {
        if (image->ndim == CP_MAXDIM) return malformed(f, "its header's shape is too large");
        image->shape[image->ndim++] = f->characters;
    }
    return code == CP_OK ? find_elements(f, image) : code;
}

const char cpi_npy_magic[6] = "\x93NUMPY";

cp_code cpi_npy_open(const char *function, const char *path, int64_t most, cpi_io_image *image)
{
    char magic[6] = {0};
    cpi_npy *f = HOST->malloc(sizeof *f);
    if (!f) return CP_ERROR_MEMORY;
    *f = (cpi_npy){.source.fd = -1};
    cp_code code = cpi_source_open_plain(function, path, &f->source);
    f->size = f->source.size;
    if (code == CP_OK && f->size == 0)
        code = HOST->fail(CP_ERROR_END_OF_FILE, "%s: %s: No data left in file", function, path);
    if (code == CP_OK && f->size >= (int64_t)sizeof magic) code = get(f, 0, magic, sizeof magic);
    if (code == CP_OK && memcmp(magic, cpi_npy_magic, sizeof magic)) code = malformed(f, "no NumPy array in it");
    if (code == CP_OK) code = read_header(f, most, image);
    image->npy = f;
    if (code != CP_OK) cpi_npy_close(image);
    return code;
}

cp_code cpi_npy_open_member(const char *function, const char *path, cpi_member *member, int64_t most,
                            cpi_io_image *image)
{
    char magic[6] = {0};
    cpi_npy *f = HOST->malloc(sizeof *f);
    if (!f) {
        cpi_member_free(member);
        return CP_ERROR_MEMORY;
    }
    *f = (cpi_npy){.source = {.function = function, .path = path, .fd = -1}, .member = member,
                   .size = cpi_member_size(member)};
    cp_code code = CP_OK;
    if (f->size >= (int64_t)sizeof magic) code = get(f, 0, magic, sizeof magic);
    if (code == CP_OK && memcmp(magic, cpi_npy_magic, sizeof magic)) code = malformed(f, "a member is no NumPy array");
    if (code == CP_OK) code = read_header(f, most, image);
    image->npy = f;
    if (code != CP_OK) cpi_npy_close(image);
    return code;
}

void cpi_npy_close(cpi_io_image *image)
{
    cpi_npy *f = image->npy;
    image->npy = NULL;
    if (!f) return;
    if (f->member) cpi_member_free(f->member);
    else cpi_source_close(&f->source);
    HOST->free(f);
}

/* --- elements --- */

enum { SEGMENT = 4 << 20 };

typedef struct reading {
    const cpi_npy *f;
    char *to;
    int unit; /* bytes that are swapped; 1: none */
    int why;  /* of the first chunk that failed */
} reading;

static void turn(char *p, int64_t n, int unit)
{
    for (; n > 0; n -= unit, p += unit)
        for (int i = 0; i < unit / 2; i++) {
            char c = p[i];
            p[i] = p[unit - 1 - i];
            p[unit - 1 - i] = c;
        }
}

static void read_chunk(void *context, int64_t task, int worker)
{
    reading *r = context;
    (void)worker;
    int64_t from = task * SEGMENT, n = r->f->bytes - from < SEGMENT ? r->f->bytes - from : SEGMENT;
    int why = r->f->member ? 0 : cpi_source_get(&r->f->source, r->f->offset + from, r->to + from, n);
    if (why) __atomic_store_n(&r->why, why, __ATOMIC_RELAXED);
    else if (r->unit > 1) turn(r->to + from, n, r->unit);
}

cp_code cpi_npy_read(const char *function, const cpi_io_image *image, void *elements)
{
    const cpi_npy *f = image->npy;
    (void)function;
    if (f->member) {
        cp_code code = cpi_member_get(f->member, f->offset, elements, f->bytes);
        if (code == CP_OK) code = cpi_member_end(f->member);
        if (code != CP_OK || !f->swapped) return code;
    }
    int unit = (int)cp_type_size(image->type) / (cp_type_kind(image->type) == 'c' ? 2 : 1);
    reading r = {f, elements, f->swapped ? unit : 1, 0};
    HOST->parallel((f->bytes + SEGMENT - 1) / SEGMENT, read_chunk, &r);
    return r.why ? cpi_source_failed(&f->source, r.why) : CP_OK;
}

bool cpi_npy_position(const cpi_io_image *image, int64_t *offset, int64_t *bytes)
{
    const cpi_npy *f = image->npy;
    if (f->swapped || f->member) return false;
    *offset = f->offset;
    *bytes = f->bytes;
    return true;
}

/* --- writing --- */

/* "<f8": NumPy's descr. A type that NumPy lacks has its own name, which NumPy knows once its package is imported. */
static void type_words(cp_type type, char words[32])
{
    const bool one = cp_type_size(type) == 1;
    if (!is_numpys(type)) snprintf(words, 32, "%s", cp_type_name(type));
    else snprintf(words, 32, "%c%c%d", one ? '|' : '<', cp_type_kind(type), (int)cp_type_size(type));
}

/* Writes a header as NumPy does: with padding so that the first length can grow in place, and so that the elements
 * begin on a multiple of 64. Returns its length, at most CPI_NPY_HEADER. */
static int64_t put_header(const char *descr, int ndim, const int64_t *shape, bool fortran, char *header)
{
    enum { LONGEST = 21, ALIGN = 64, PREFIX = 10 };
    char number[24];
    memset(header, ' ', CPI_NPY_HEADER);
    memcpy(header, cpi_npy_magic, sizeof cpi_npy_magic);
    char *p = header + PREFIX;
    p += sprintf(p, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr, fortran ? "True" : "False");
    for (int i = 0; i < ndim; i++) p += sprintf(p, i ? ", %" PRId64 : "%" PRId64, shape[i]);
    p += sprintf(p, "%s), }", ndim == 1 ? "," : "");
    *p = ' ';
    if (ndim) p += LONGEST - snprintf(number, sizeof number, "%" PRId64, shape[fortran ? ndim - 1 : 0]);
    int64_t n = p - header + 1;
    n = n + ALIGN - n % ALIGN; /* NumPy adds a full line where none is needed */
    header[n - 1] = '\n';
    header[6] = 1;
    header[7] = 0;
    header[8] = (char)((n - PREFIX) & 255);
    header[9] = (char)((n - PREFIX) >> 8);
    return n;
}

int64_t cpi_npy_header(cp_type type, int ndim, const int64_t *shape, bool fortran, char *header)
{
    char descr[32];
    type_words(type, descr);
    return put_header(descr, ndim, shape, fortran, header);
}

int64_t cpi_npy_string_header(size_t length, char *header)
{
    char descr[32];
    snprintf(descr, sizeof descr, "|S%zu", length);
    return put_header(descr, 0, NULL, false, header);
}

cp_code cpi_npy_write(const char *function, const char *path, cp_type type, int ndim, const int64_t *shape,
                      bool fortran, const void *elements)
{
    char header[CPI_NPY_HEADER];
    cpi_out o;
    int64_t bytes = (int64_t)cp_type_size(type), n = cpi_npy_header(type, ndim, shape, fortran, header);
    for (int i = 0; i < ndim; i++) bytes *= shape[i];
    cp_code code = cpi_out_open(function, path, &o);
    if (code != CP_OK) return code;
    o.soon = true;
    cpi_out_write(&o, header, (size_t)n);
    return cpi_out_close(&o, cpi_out_write(&o, elements, (size_t)bytes));
}
