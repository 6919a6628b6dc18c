/* Tile-compressed images, decoded by CFITSIO.
 *
 * CFITSIO gets a copy of the image's table in memory, with a header written here from checked values: it opens no file,
 * interprets no name and never sees the file's own header, which it would trust. The table's description of its tiles
 * is checked too, since CFITSIO allocates by it. */
#include "plugin.h"

#include "core/type_traits.h"

#include <fitsio.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* CFITSIO's table of memory files and its stack of messages belong to the process: one call at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void cpi_fitsio_lock(void) { pthread_mutex_lock(&lock); }
void cpi_fitsio_unlock(void) { pthread_mutex_unlock(&lock); }
void cpi_fitsio_guard(void) { HOST->fork_guard(&lock); }

const char *cpi_fitsio_string(int status, char text[81])
{
    /* the stack of messages is shared; the first message is the most specific */
    char first[FLEN_ERRMSG];
    if (fits_read_errmsg(first) == 0 || !first[0]) fits_get_errstatus(status, first);
    fits_clear_errmsg();
    snprintf(text, 81, "%.80s", first);
    for (char *c = text; *c; c++)
        if (*c < ' ' || *c > '~') *c = ' ';
    return text;
}

cp_code cpi_compressed_failed(const struct cpi_fits *f, int status)
{
    char text[81];
    return HOST->fail(status == MEMORY_ALLOCATION ? CP_ERROR_MEMORY : CP_ERROR_FORMAT, "%s: %s: compressed image: %s",
                      f->source.function, f->source.path, cpi_fitsio_string(status, text));
}

/* CFITSIO reads the parameters of the compression when it comes to the unit, drops the error of a table that it cannot
 * use, and decodes by the parameters that it had no time to set: so they are read once more, for the error. */
int imcomp_get_compressed_image_par(fitsfile *fits, int *status); /* of fitsio2.h */

/* A file in memory: an empty primary unit, then the table with a header of our own. */
typedef struct memory_file {
    fitsfile *fits;
    char *bytes;
    size_t size;
    int cards;
} memory_file;

static void append_format(memory_file *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append_format(memory_file *m, const char *format, ...)
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
    append_format(m, "END");
    while (m->cards % (CPI_BLOCK / CPI_CARD)) m->cards++;
}

/* Does CFITSIO need the card to decode, besides those that put_header writes? Columns are never scaled: CFITSIO would
 * scale the bytes of tiles after they were validated. */
static bool needed(const char *card)
{
    static const char *const numbered[] = {"TTYPE", "TFORM", "ZNAME", "ZVAL"};
    static const char *const single[] = {"TFIELDS", "THEAP", "ZCMPTYPE", "ZQUANTIZ", "ZDITHER0", "ZBLANK", "ZSCALE",
                                         "ZZERO", "BSCALE", "BZERO", "BLANK"};
    for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
        if (cpi_card_number(card, numbered[i])) return true;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (cpi_card_value(card, single[i])) return true;
    return false;
}

/* Checks the numbers of the cards above that CFITSIO computes with: NULL, or the name of a card whose value is
 * wrong. */
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

/* Writes the part of the table's header that CFITSIO needs, from checked numbers. */
static cp_code put_header(const struct cpi_fits *f, memory_file *m, const char *cards)
{
    const cpi_hdu *h = &f->hdu;
    append_format(m, "XTENSION= 'BINTABLE'");
    append_format(m, "BITPIX  =                    8");
    append_format(m, "NAXIS   =                    2");
    append_format(m, "NAXIS1  = %20lld", (long long)h->row_bytes);
    append_format(m, "NAXIS2  = %20lld", (long long)h->rows);
    append_format(m, "PCOUNT  = %20lld", (long long)h->heap);
    append_format(m, "GCOUNT  =                    1");
    const char *wrong = NULL;
    for (int first = 1; first >= 0; first--) /* TFIELDS comes first */
        for (int i = 0; i < h->cards; i++) {
            const char *card = cards + (size_t)i * CPI_CARD;
            char clean[CPI_CARD];
            if (!needed(card) || (cpi_card_value(card, "TFIELDS") != NULL) != first) continue;
            if (!cpi_card_clean(card, clean)) continue;
            if (!wrong) wrong = wrong_card(clean, h->row_bytes * h->rows);
            append_format(m, "%.80s", clean);
        }
    if (wrong)
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: %s has a wrong value", f->source.function,
                          f->source.path, wrong);
    append_format(m, "ZIMAGE  =                    T");
    append_format(m, "ZBITPIX = %20d", h->bitpix);
    append_format(m, "ZNAXIS  = %20d", h->naxis);
    for (int i = 0; i < h->naxis; i++) append_format(m, "ZNAXIS%d = %20lld", i + 1, (long long)h->axis[i]);
    for (int i = 0; i < h->naxis; i++) append_format(m, "ZTILE%d  = %20lld", i + 1, (long long)h->tile[i]);
    end_header(m);
    return CP_OK;
}

static cp_code open_unit(const struct cpi_fits *f, memory_file *m)
{
    const cpi_hdu *h = &f->hdu;
    char *cards;
    *m = (memory_file){0};
    cp_code code = cpi_hdu_cards(&f->source, h, &cards);
    size_t head = ((size_t)h->cards + 40) * CPI_CARD + 3 * CPI_BLOCK; /* space for both headers */
    size_t data = (size_t)(h->data_bytes + CPI_BLOCK - 1) / CPI_BLOCK * CPI_BLOCK;
    if (code == CP_OK && !(m->bytes = HOST->malloc(head + data))) code = CP_ERROR_MEMORY;
    if (code == CP_OK) {
        memset(m->bytes, ' ', head);
        append_format(m, "SIMPLE  =                    T");
        append_format(m, "BITPIX  =                    8");
        append_format(m, "NAXIS   =                    0");
        append_format(m, "EXTEND  =                    T");
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
        fits_movabs_hdu(m->fits, 2, NULL, &status) || imcomp_get_compressed_image_par(m->fits, &status))
        code = cpi_compressed_failed(f, status);
    return code;
}

static void close_unit(memory_file *m)
{
    int status = 0;
    if (m->fits) fits_close_file(m->fits, &status);
    fits_clear_errmsg();
    HOST->free(m->bytes);
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
    case CP_BOOL: /* FITS has none of these */
    CPI_CASE_HALVES:
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT:
    case CP_FLOAT64: break;
    }
    return TDOUBLE;
}

cp_code cpi_compressed_read(const struct cpi_fits *f, cp_type type, int64_t size, void *pixels)
{
    cpi_locale l = cpi_locale_c();
    cpi_fitsio_lock();
    memory_file m;
    cp_code code = open_unit(f, &m);
    if (code == CP_OK)
        code = cpi_tiles_check(f, m.fits, m.bytes + (size_t)m.cards * CPI_CARD + f->hdu.row_bytes * f->hdu.rows);
    if (code == CP_OK) {
        int status = 0, any;
        float nan32 = NAN;
        double nan64 = NAN;
        void *nan = type == CP_FLOAT32 ? (void *)&nan32 : type == CP_FLOAT64 ? (void *)&nan64 : NULL;
        if (fits_read_img(m.fits, fitsio_type(type), 1, size, nan, pixels, &any, &status))
            code = cpi_compressed_failed(f, status);
    }
    close_unit(&m);
    cpi_fitsio_unlock();
    cpi_locale_back(l);
    return code;
}
