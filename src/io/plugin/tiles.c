/* Validates the tiles of a compressed image before CFITSIO decodes them.
 *
 * CFITSIO allocates by the table's values, trusts the size that an H-compressed tile states, inflates a damaged gzip
 * tile into ever more memory, and reads past the end of a Rice-coded tile or a line list (PLIO) that is too short. So
 * each tile is parsed here first (an H-compressed one in hcompress.c); tiles are independent, and the threads share
 * them. */
#include "plugin.h"

#include <fitsio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef enum method { OTHER, GZIP, HCOMPRESS, RICE, PLIO } method;
enum { STEP = 1024 }; /* tiles checked in one pass */

/* A column of tiles, and the rows of it in hand. */
typedef struct tiles {
    const struct cpi_fits *f;
    const char *heap;
    method method;
    int item, block; /* Rice: bytes of a pixel, pixels of a block */
    long width;      /* bytes of an element of the column */
    int64_t row;     /* of length[0], from 1 */
    LONGLONG length[STEP], offset[STEP];
    int64_t outside, damaged; /* first bad row; INT64_MAX: none */
    bool starved;             /* out of memory for checking a tile */
} tiles;

/* Does the tile inflate, to at most `most` bytes? */
static bool gzip_fits(const uint8_t *bytes, int64_t n, int64_t most)
{
    uint8_t out[1 << 15]; /* discarded */
    if (n > UINT32_MAX) return false;
    z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)n};
    if (inflateInit2(&z, 15 + 16) != Z_OK) return false;
    int status = Z_OK;
    for (int64_t used = 0; status == Z_OK && used <= most; used += (int64_t)(sizeof out - z.avail_out)) {
        z.next_out = out;
        z.avail_out = sizeof out;
        status = inflate(&z, Z_NO_FLUSH);
    }
    inflateEnd(&z);
    return status == Z_STREAM_END && z.total_out <= (uint64_t)most;
}

/* Word i (from 1) of a line list: 16 bits, big-endian. */
static int word_at(const uint8_t *b, int64_t i) { return (int16_t)((uint16_t)b[2 * i - 2] << 8 | b[2 * i - 1]); }

/* A line list states its length and where its instructions begin: the third word is the length if it is above 0 (the
 * instructions then begin at the fourth); else the fourth and fifth are the length, and the second is that of the
 * header. Checks that it ends inside the tile and that no instruction needs a word after the last. */
static bool plio_fits(const uint8_t *b, int64_t n, long width)
{
    int64_t words = n / 2, last, first = 4;
    if (width != 2 || words < 5) return false;
    last = word_at(b, 3);
    if (last <= 0) {
        last = (int64_t)word_at(b, 5) * 32768 + word_at(b, 4);
        first = word_at(b, 2) + 1;
    }
    if (first < 1 || last < first || last > words) return false;
    for (int64_t i = first; i <= last; i++)
        if (word_at(b, i) / 4096 == 1 && ++i > last) return false; /* a value of two words */
    return true;
}

/* The position after the next 1 bit at or after bit `at`; `end` + 1 when there is none. */
static int64_t behind_one(const uint8_t *b, int64_t at, int64_t end)
{
    while (at < end) {
        uint32_t rest = (uint32_t)(b[at >> 3] << (at & 7)) & 0xff;
        if (rest) return at + __builtin_clz(rest) - 24 + 1;
        at = (at | 7) + 1;
    }
    return end + 1;
}

/* Rice's code: the first pixel as it is, then blocks: a code for the number of low bits of each difference, and the
 * differences, high part unary. Checks that all bits of all pixels are present. */
static bool rice_fits(const uint8_t *b, int64_t n, int64_t pixels, int item, int block)
{
    const int code_bits = item == 1 ? 3 : item == 2 ? 4 : 5, most = item == 1 ? 6 : item == 2 ? 14 : 25;
    const int64_t end = 8 * n;
    int64_t at = 8 * item;
    for (int64_t i = 0; i < pixels; i += block) {
        int64_t count = pixels - i < block ? pixels - i : block;
        if (at + code_bits > end) return false;
        int code = 0;
        for (int k = 0; k < code_bits; k++, at++) code = code << 1 | (b[at >> 3] >> (7 - (at & 7)) & 1);
        if (--code < 0) continue; /* all differences are 0 */
        if (code > most) return false;
        if (code == most) at += 8 * item * count;
        else
            for (int64_t k = 0; k < count && at <= end; k++) at = behind_one(b, at, end) + code;
        if (at > end) return false;
    }
    return true;
}

/* Pixels of the tile in a row: tiles at the image's far edges are smaller. */
static int64_t tile_pixels(const cpi_hdu *h, int64_t row)
{
    int64_t pixels = 1, at = row - 1;
    for (int i = 0; i < h->naxis; i++) {
        int64_t tiles = (h->axis[i] - 1) / h->tile[i] + 1, first = at % tiles * h->tile[i];
        pixels *= h->axis[i] - first < h->tile[i] ? h->axis[i] - first : h->tile[i];
        at /= tiles;
    }
    return pixels;
}

static void lower(int64_t *least, int64_t row)
{
    int64_t old = __atomic_load_n(least, __ATOMIC_RELAXED);
    while (row < old && !__atomic_compare_exchange_n(least, &old, row, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

static void check_tile(void *context, int64_t task, int worker)
{
    (void)worker;
    tiles *t = context;
    const cpi_hdu *h = &t->f->hdu;
    int64_t row = t->row + task, n, length = t->length[task], offset = t->offset[task];
    if (length < 0 || offset < 0 || __builtin_mul_overflow(length, (int64_t)t->width, &n) || offset > h->heap ||
        n > h->heap - offset) {
        lower(&t->outside, row);
        return;
    }
    const uint8_t *bytes = (const uint8_t *)t->heap + offset;
    int64_t pixels = tile_pixels(h, row);
    bool good = true;
    if (n == 0) return; /* the tile is in another column */
    if (t->method == GZIP) good = gzip_fits(bytes, n, 8 * pixels);
    if (t->method == HCOMPRESS && cpi_hcompress_check(bytes, n, pixels, &good))
        __atomic_store_n(&t->starved, true, __ATOMIC_RELAXED);
    if (t->method == PLIO) good = plio_fits(bytes, n, t->width);
    if (t->method == RICE) good = rice_fits(bytes, n, pixels, t->item, t->block);
    if (!good) lower(&t->damaged, row);
}

static cp_code bad_tile(const tiles *t, int64_t row, const char *what)
{
    return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: tile %lld %s", t->f->source.function,
                      t->f->source.path, (long long)row, what);
}

static cp_code check_column(tiles *t, fitsfile *fits, int column)
{
    int status = 0, type;
    long repeat;
    if (fits_get_coltype(fits, column, &type, &repeat, &t->width, &status)) return cpi_compressed_failed(t->f, status);
    if (type >= 0)
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: a column of tiles is not of variable length",
                          t->f->source.function, t->f->source.path);
    int64_t rows = t->f->hdu.rows;
    for (t->row = 1; t->row <= rows; t->row += STEP) {
        int64_t n = rows - t->row + 1 < STEP ? rows - t->row + 1 : STEP;
        if (fits_read_descriptsll(fits, column, t->row, n, t->length, t->offset, &status))
            return cpi_compressed_failed(t->f, status);
        HOST->parallel(n, check_tile, t);
        if (t->starved) /* the error was set in the thread that failed, which need not be this one */
            return HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of host memory for its tiles", t->f->source.function,
                              t->f->source.path);
        if (t->outside != INT64_MAX) return bad_tile(t, t->outside, "lies outside the file");
        if (t->damaged != INT64_MAX) return bad_tile(t, t->damaged, "is damaged");
    }
    return CP_OK;
}

/* Rice's parameters, as CFITSIO finds them; false when they are invalid. */
static bool rice_parameters(fitsfile *fits, tiles *t)
{
    t->item = 4;
    t->block = 32;
    for (int i = 1; i <= 9; i++) {
        char key[16], name[FLEN_VALUE];
        int status = 0, value = 0;
        fits_make_keyn("ZNAME", i, key, &status);
        if (fits_read_key(fits, TSTRING, key, name, NULL, &status)) continue;
        bool block = !strcmp(name, "BLOCKSIZE"), item = !strcmp(name, "BYTEPIX");
        if (!block && !item) continue;
        fits_make_keyn("ZVAL", i, key, &status);
        if (fits_read_key(fits, TINT, key, &value, NULL, &status)) return false;
        if (block) t->block = value;
        else t->item = value;
    }
    return (t->block == 16 || t->block == 32) && (t->item == 1 || t->item == 2 || t->item == 4);
}

cp_code cpi_tiles_check(const struct cpi_fits *f, void *fits, const char *heap)
{
    static const char *const names[] = {"COMPRESSED_DATA", "GZIP_COMPRESSED_DATA", "UNCOMPRESSED_DATA"};
    char name[FLEN_VALUE] = "";
    int status = 0, column;
    if (fits_read_key(fits, TSTRING, "ZCMPTYPE", name, NULL, &status)) return cpi_compressed_failed(f, status);
    tiles *t = HOST->malloc(sizeof *t);
    if (!t) return CP_ERROR_MEMORY;
    memset(t, 0, sizeof *t);
    t->f = f;
    t->heap = heap;
    t->outside = t->damaged = INT64_MAX;
    method main = !strncmp(name, "RICE", 4) ? RICE : !strncmp(name, "GZIP", 4) ? GZIP
                : !strncmp(name, "HCOMPRESS", 9) ? HCOMPRESS : !strncmp(name, "PLIO", 4) ? PLIO : OTHER;
    cp_code code = CP_OK;
    if (main == OTHER) /* CFITSIO knows BZIP2_1, whose tiles nothing here checks */
        code = HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: ZCMPTYPE is none of RICE_1, GZIP_1, GZIP_2, "
                          "HCOMPRESS_1, PLIO_1", f->source.function, f->source.path);
    if (main == RICE && !rice_parameters(fits, t))
        code = HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: ZVALn has a wrong value", f->source.function,
                          f->source.path);
    for (int i = 0; i < 3 && code == CP_OK; i++) {
        int absent = 0;
        t->method = i == 0 ? main : i == 1 ? GZIP : OTHER;
        if (!fits_get_colnum(fits, CASESEN, (char *)names[i], &column, &absent)) code = check_column(t, fits, column);
        else if (i == 0)
            code = HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: no column COMPRESSED_DATA",
                              f->source.function, f->source.path);
    }
    HOST->free(t);
    fits_clear_errmsg();
    return code;
}
