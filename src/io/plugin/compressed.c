/* Tile-compressed images, decoded by CFITSIO.
 *
 * CFITSIO gets a copy of the image's table in memory, with a header written here from checked values: it
 * opens no file, interprets no name and never sees the file's own header, which it would trust. What the table
 * says of its tiles is checked too, since CFITSIO allocates by it. */
#include "plugin.h"

#include <fitsio.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* CFITSIO's table of memory files and its stack of messages belong to the process: one call at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void cpi_fitsio_lock(void) { pthread_mutex_lock(&lock); }
void cpi_fitsio_unlock(void) { pthread_mutex_unlock(&lock); }

const char *cpi_fitsio_text(int status, char text[81])
{
    /* the stack of messages is shared; the first one says most */
    char first[FLEN_ERRMSG];
    if (fits_read_errmsg(first) == 0 || !first[0]) fits_get_errstatus(status, first);
    fits_clear_errmsg();
    snprintf(text, 81, "%.80s", first);
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~') *c = ' ';
    return text;
}

static cp_code fail(const struct cpi_fits *f, int status)
{
    char text[81];
    return HOST->fail(status == MEMORY_ALLOCATION ? CP_ERROR_MEMORY : CP_ERROR_FORMAT, "%s: %s: compressed image: %s",
                      f->source.function, f->source.path, cpi_fitsio_text(status, text));
}

/* A file in memory: an empty primary unit, then the table with a header of our own. */
typedef struct memory_file {
    fitsfile *fits;
    char *bytes;
    size_t size;
    int cards;
} memory_file;

static void put(memory_file *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(memory_file *m, const char *format, ...)
{
    char text[128];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    memcpy(m->bytes + (size_t)m->cards++ * CPI_CARD, text, (size_t)(n < CPI_CARD ? n : CPI_CARD));
}

static void end_header(memory_file *m)
{
    put(m, "END");
    while (m->cards % (CPI_BLOCK / CPI_CARD)) m->cards++;
}

/* Does CFITSIO need the card to decode, beside those that put_header writes? */
static bool needed(const char *card)
{
    static const char *const numbered[] = {"TTYPE", "TFORM", "TSCAL", "TZERO", "ZNAME", "ZVAL"};
    static const char *const single[] = {"TFIELDS", "THEAP", "ZCMPTYPE", "ZQUANTIZ", "ZDITHER0", "ZBLANK", "ZSCALE",
                                         "ZZERO", "BSCALE", "BZERO", "BLANK"};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (cpi_card_number(card, numbered[i])) return true;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (cpi_card_value(card, single[i])) return true;
    return false;
}

/* Numbers of the cards above that CFITSIO counts with: NULL, or the name of a card whose value is wrong. */
static const char *wrong_card(const char *card, int64_t table)
{
    static const struct { const char *key; int64_t low, high; } ranges[] = {
        {"TFIELDS", 1, 64}, {"ZDITHER0", 1, 10000}};
    const char *v;
    int64_t number = 0;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if ((v = cpi_card_value(card, ranges[i].key)) &&
            (!cpi_card_integer(v, card, &number) || number < ranges[i].low || number > ranges[i].high))
            return ranges[i].key;
    if ((v = cpi_card_value(card, "THEAP")) && (!cpi_card_integer(v, card, &number) || number != table)) return "THEAP";
    if (cpi_card_number(card, "ZVAL") && cpi_card_integer(card + 9, card, &number) && (number < 0 || number > 4096))
        return "ZVALn";
    return NULL;
}

/* ZNAMEn = 'BLOCKSIZE' or 'BYTEPIX' with a value that Rice's method has. */
static bool rice_values(const char *cards, int n)
{
    for (int i = 0; i < n; i++) {
        const char *card = cards + (size_t)i * CPI_CARD;
        int k = cpi_card_number(card, "ZNAME");
        if (!k) continue;
        char name[24];
        cpi_card_text(card + 9, card, name, sizeof name);
        bool block = !strcmp(name, "BLOCKSIZE"), bytes = !strcmp(name, "BYTEPIX");
        for (int j = 0; j < n && (block || bytes); j++) {
            const char *other = cards + (size_t)j * CPI_CARD;
            int64_t v = 0;
            if (cpi_card_number(other, "ZVAL") != k) continue;
            if (!cpi_card_integer(other + 9, other, &v)) return false;
            if (block ? v != 16 && v != 32 : v != 1 && v != 2 && v != 4 && v != 8) return false;
        }
    }
    return true;
}

/* The table's header as far as CFITSIO needs it, from numbers that were checked. */
static cp_code put_header(const struct cpi_fits *f, memory_file *m, const char *cards)
{
    const cpi_hdu *h = &f->hdu;
    put(m, "XTENSION= 'BINTABLE'");
    put(m, "BITPIX  =                    8");
    put(m, "NAXIS   =                    2");
    put(m, "NAXIS1  = %20lld", (long long)h->row_bytes);
    put(m, "NAXIS2  = %20lld", (long long)h->rows);
    put(m, "PCOUNT  = %20lld", (long long)h->heap);
    put(m, "GCOUNT  =                    1");
    const char *wrong = rice_values(cards, h->cards) ? NULL : "ZVALn";
    for (int first = 1; first >= 0; first--) /* TFIELDS stands in front */
        for (int i = 0; i < h->cards; i++) {
            const char *card = cards + (size_t)i * CPI_CARD;
            char clean[CPI_CARD];
            if (!needed(card) || (cpi_card_value(card, "TFIELDS") != NULL) != first) continue;
            if (!cpi_card_clean(card, clean)) continue;
            if (!wrong) wrong = wrong_card(clean, h->row_bytes * h->rows);
            put(m, "%.80s", clean);
        }
    if (wrong)
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: %s has a wrong value", f->source.function,
                          f->source.path, wrong);
    put(m, "ZIMAGE  =                    T");
    put(m, "ZBITPIX = %20d", h->bitpix);
    put(m, "ZNAXIS  = %20d", h->naxis);
    for (int i = 0; i < h->naxis; i++) put(m, "ZNAXIS%d = %20lld", i + 1, (long long)h->axis[i]);
    for (int i = 0; i < h->naxis; i++) put(m, "ZTILE%d  = %20lld", i + 1, (long long)h->tile[i]);
    end_header(m);
    return CP_OK;
}

static cp_code open_unit(const struct cpi_fits *f, memory_file *m)
{
    const cpi_hdu *h = &f->hdu;
    char *cards;
    *m = (memory_file){0};
    cp_code code = cpi_hdu_cards(&f->source, h, &cards);
    size_t head = ((size_t)h->cards + 40) * CPI_CARD + 3 * CPI_BLOCK; /* room for both headers */
    size_t data = (size_t)(h->data_bytes + CPI_BLOCK - 1) / CPI_BLOCK * CPI_BLOCK;
    if (code == CP_OK && !(m->bytes = HOST->malloc(head + data))) code = CP_ERROR_MEMORY;
    if (code == CP_OK) {
        memset(m->bytes, ' ', head);
        put(m, "SIMPLE  =                    T");
        put(m, "BITPIX  =                    8");
        put(m, "NAXIS   =                    0");
        put(m, "EXTEND  =                    T");
        end_header(m);
        code = put_header(f, m, cards);
    }
    HOST->free(cards);
    if (code != CP_OK) return code;
    char *at = m->bytes + (size_t)m->cards * CPI_CARD;
    m->size = (size_t)m->cards * CPI_CARD + data;
    if (data) memset(at + data - CPI_BLOCK, 0, CPI_BLOCK);
    if ((code = cpi_source_read(&f->source, h->data, at, h->data_bytes)) != CP_OK) return code;
    int status = 0;
    if (fits_open_memfile(&m->fits, "image", READONLY, (void **)&m->bytes, &m->size, 0, NULL, &status) ||
        fits_movabs_hdu(m->fits, 2, NULL, &status))
        code = fail(f, status);
    return code;
}

static void close_unit(memory_file *m)
{
    int status = 0;
    if (m->fits) fits_close_file(m->fits, &status);
    fits_clear_errmsg();
    HOST->free(m->bytes);
}

/* --- what the table says of its tiles --- */

typedef enum tile_kind { TILE_OTHER, TILE_GZIP, TILE_HCOMPRESS } tile_kind;

static cp_code bad_tile(const struct cpi_fits *f, int64_t row, const char *what)
{
    return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: tile %lld %s", f->source.function, f->source.path,
                      (long long)row, what);
}

/* Does the tile inflate, to at most `most` bytes? CFITSIO allocates without end where it does not. */
static bool inflates(const char *bytes, int64_t n, uint8_t *scratch, size_t most)
{
    if (n > UINT32_MAX) return false;
    z_stream z = {.next_in = (Bytef *)bytes, .avail_in = (uInt)n};
    if (inflateInit2(&z, 15 + 16) != Z_OK) return false;
    int status = Z_OK;
    for (size_t used = 0; status == Z_OK && used < most; used += (size_t)(z.next_out - (scratch + used))) {
        z.next_out = scratch + used;
        z.avail_out = (uInt)(most - used < 1 << 30 ? most - used : 1 << 30);
        status = inflate(&z, Z_NO_FLUSH);
    }
    inflateEnd(&z);
    return status == Z_STREAM_END;
}

/* H-compressed tiles carry their own size, which CFITSIO believes. */
static bool hcompress_fits(const char *bytes, int64_t n, int64_t pixels)
{
    const uint8_t *b = (const uint8_t *)bytes;
    if (n < 10) return false;
    uint32_t x = (uint32_t)b[2] << 24 | (uint32_t)b[3] << 16 | (uint32_t)b[4] << 8 | b[5];
    uint32_t y = (uint32_t)b[6] << 24 | (uint32_t)b[7] << 16 | (uint32_t)b[8] << 8 | b[9];
    return x <= INT32_MAX && y <= INT32_MAX && (int64_t)x * y == pixels;
}

/* Pixels of the tile in a row: those at the image's far edges are cut. */
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

/* A tile of `n` bytes. */
static cp_code check_tile(const struct cpi_fits *f, int64_t row, const char *bytes, int64_t n, tile_kind kind,
                          int64_t pixels, uint8_t *scratch)
{
    if (n == 0 || kind == TILE_OTHER) return CP_OK;
    if (kind == TILE_GZIP ? inflates(bytes, n, scratch, (size_t)pixels * 8 + 1) : hcompress_fits(bytes, n, pixels))
        return CP_OK;
    return bad_tile(f, row, "is damaged");
}

/* A column of variable length: every row's bytes lie in the heap, and are what they should be. */
static cp_code check_column(const struct cpi_fits *f, const memory_file *m, int column, tile_kind kind, uint8_t *scratch)
{
    const cpi_hdu *h = &f->hdu;
    const char *heap = m->bytes + (size_t)m->cards * CPI_CARD + h->row_bytes * h->rows;
    int status = 0, type;
    long repeat, width;
    if (fits_get_coltype(m->fits, column, &type, &repeat, &width, &status)) return fail(f, status);
    if (type >= 0) return CP_OK;
    enum { STEP = 1024 };
    LONGLONG length[STEP], offset[STEP];
    for (int64_t row = 1; row <= h->rows; row += STEP) {
        int64_t n = h->rows - row + 1 < STEP ? h->rows - row + 1 : STEP;
        if (fits_read_descriptsll(m->fits, column, row, n, length, offset, &status)) return fail(f, status);
        for (int64_t i = 0; i < n; i++) {
            int64_t bytes;
            if (length[i] < 0 || offset[i] < 0 || __builtin_mul_overflow((int64_t)length[i], (int64_t)width, &bytes) ||
                offset[i] > h->heap || bytes > h->heap - offset[i])
                return bad_tile(f, row + i, "lies outside the file");
            cp_code code = check_tile(f, row + i, heap + offset[i], bytes, kind, tile_pixels(h, row + i), scratch);
            if (code != CP_OK) return code;
        }
    }
    return CP_OK;
}

static cp_code check_tiles(const struct cpi_fits *f, const memory_file *m)
{
    static const char *const names[] = {"COMPRESSED_DATA", "GZIP_COMPRESSED_DATA", "UNCOMPRESSED_DATA"};
    char method[FLEN_VALUE] = "";
    int status = 0, column;
    size_t pixels = 1;
    if (fits_read_key(m->fits, TSTRING, "ZCMPTYPE", method, NULL, &status)) return fail(f, status);
    bool gzip = !strncmp(method, "GZIP", 4), hcompress = !strncmp(method, "HCOMPRESS", 9);
    for (int i = 0; i < f->hdu.naxis; i++) pixels *= (size_t)f->hdu.tile[i];
    uint8_t *scratch = HOST->malloc(pixels * 8 + 1);
    cp_code code = scratch ? CP_OK : CP_ERROR_MEMORY;
    for (int i = 0; i < 3 && code == CP_OK; i++) {
        tile_kind kind = i == 1 || (i == 0 && gzip) ? TILE_GZIP : i == 0 && hcompress ? TILE_HCOMPRESS : TILE_OTHER;
        int absent = 0;
        if (fits_get_colnum(m->fits, CASESEN, (char *)names[i], &column, &absent)) continue;
        code = check_column(f, m, column, kind, scratch);
    }
    HOST->free(scratch);
    fits_clear_errmsg();
    return code;
}

/* --- decoding --- */

static int fitsio_type(cp_type t)
{
    switch (t) {
    case CP_INT8: return TSBYTE;
    case CP_UINT8: return TBYTE;
    case CP_INT16: return TSHORT;
    case CP_UINT16: return TUSHORT;
    case CP_INT32: return TINT;
    case CP_UINT32: return TUINT;
    case CP_INT64: return TLONGLONG;
    case CP_UINT64: return TULONGLONG;
    case CP_FLOAT32: return TFLOAT;
    default: return TDOUBLE;
    }
}

cp_code cpi_compressed_read(const struct cpi_fits *f, cp_type type, int64_t size, void *pixels)
{
    cpi_locale l = cpi_locale_c();
    cpi_fitsio_lock();
    memory_file m;
    cp_code code = open_unit(f, &m);
    if (code == CP_OK) code = check_tiles(f, &m);
    if (code == CP_OK) {
        int status = 0, any;
        float nan32 = NAN;
        double nan64 = NAN;
        void *nan = type == CP_FLOAT32 ? (void *)&nan32 : type == CP_FLOAT64 ? (void *)&nan64 : NULL;
        if (fits_read_img(m.fits, fitsio_type(type), 1, size, nan, pixels, &any, &status)) code = fail(f, status);
    }
    close_unit(&m);
    cpi_fitsio_unlock();
    cpi_locale_back(l);
    return code;
}
