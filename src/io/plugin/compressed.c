/* Tile-compressed images, decoded by CFITSIO.
 *
 * CFITSIO gets a copy of the image's unit in memory, behind an empty primary one: it opens no file and
 * interprets no name. What the table says of its tiles is checked here first, since CFITSIO allocates by it. */
#include "plugin.h"

#include <fitsio.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void cpi_fitsio_lock(void)
{
    if (!fits_is_reentrant()) pthread_mutex_lock(&lock);
}
void cpi_fitsio_unlock(void)
{
    if (!fits_is_reentrant()) pthread_mutex_unlock(&lock);
}

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

/* A file in memory: an empty primary unit, then the table. */
typedef struct memory_file {
    fitsfile *fits;
    void *bytes;
    size_t size;
} memory_file;

static void put_card(char *block, int i, const char *text)
{
    memcpy(block + i * CPI_CARD, text, strlen(text));
}

static cp_code open_unit(const struct cpi_fits *f, memory_file *m)
{
    const cpi_hdu *h = &f->hdu;
    *m = (memory_file){0};
    int64_t length = h->data - h->header + h->data_bytes;
    m->size = CPI_BLOCK + (size_t)(length + CPI_BLOCK - 1) / CPI_BLOCK * CPI_BLOCK;
    char *b = m->bytes = HOST->malloc(m->size);
    if (!b) return CP_ERROR_MEMORY;
    memset(b, ' ', CPI_BLOCK);
    put_card(b, 0, "SIMPLE  =                    T");
    put_card(b, 1, "BITPIX  =                    8");
    put_card(b, 2, "NAXIS   =                    0");
    put_card(b, 3, "EXTEND  =                    T");
    put_card(b, 4, "END");
    memset(b + m->size - CPI_BLOCK, 0, CPI_BLOCK);
    cp_code code = cpi_source_read(&f->source, h->header, b + CPI_BLOCK, length);
    int status = 0;
    if (code == CP_OK && (fits_open_memfile(&m->fits, "image", READONLY, &m->bytes, &m->size, 0, NULL, &status) ||
                          fits_movabs_hdu(m->fits, 2, NULL, &status)))
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

/* Descriptors of a column of variable length: every row's bytes must lie in the heap. */
static cp_code check_column(const struct cpi_fits *f, fitsfile *fits, int column, int64_t rows, int64_t heap)
{
    int status = 0, type;
    long repeat, width;
    if (fits_get_coltype(fits, column, &type, &repeat, &width, &status)) return fail(f, status);
    if (type >= 0) return CP_OK;
    enum { STEP = 1024 };
    LONGLONG length[STEP], offset[STEP];
    for (int64_t row = 1; row <= rows; row += STEP) {
        int64_t n = rows - row + 1 < STEP ? rows - row + 1 : STEP;
        if (fits_read_descriptsll(fits, column, row, n, length, offset, &status)) return fail(f, status);
        for (int64_t i = 0; i < n; i++) {
            int64_t bytes;
            if (length[i] < 0 || offset[i] < 0 || __builtin_mul_overflow((int64_t)length[i], (int64_t)width, &bytes) ||
                offset[i] > heap || bytes > heap - offset[i])
                return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: tile %lld lies outside the file",
                                  f->source.function, f->source.path, (long long)(row + i));
        }
    }
    return CP_OK;
}

/* H-compressed tiles carry their own size, which CFITSIO believes. */
static cp_code check_hcompress(const struct cpi_fits *f, fitsfile *fits, int column, int64_t rows)
{
    int status = 0;
    char kind[FLEN_VALUE] = "";
    if (fits_read_key(fits, TSTRING, "ZCMPTYPE", kind, NULL, &status) || strncmp(kind, "HCOMPRESS", 9)) return CP_OK;
    int64_t most = 1;
    for (int i = 0; i < f->hdu.naxis; i++) most *= f->hdu.tile[i];
    for (int64_t row = 1; row <= rows; row++) {
        unsigned char head[10];
        LONGLONG length, offset;
        int any;
        fits_read_descriptll(fits, column, row, &length, &offset, &status);
        if (status == 0 && length < 10) continue; /* empty: the tile is in another column */
        if (fits_read_col(fits, TBYTE, column, row, 1, 10, NULL, head, &any, &status)) return fail(f, status);
        uint32_t a = (uint32_t)head[2] << 24 | head[3] << 16 | head[4] << 8 | head[5];
        uint32_t b = (uint32_t)head[6] << 24 | head[7] << 16 | head[8] << 8 | head[9];
        if (a > INT32_MAX || b > INT32_MAX || (b && (int64_t)a * b > most))
            return HOST->fail(CP_ERROR_FORMAT, "%s: %s: compressed image: tile %lld is larger than it should be",
                              f->source.function, f->source.path, (long long)row);
    }
    return CP_OK;
}

static cp_code check_tiles(const struct cpi_fits *f, fitsfile *fits)
{
    static const char *const names[] = {"COMPRESSED_DATA", "GZIP_COMPRESSED_DATA", "UNCOMPRESSED_DATA"};
    int status = 0, column;
    LONGLONG rows = 0, heap = 0;
    fits_get_num_rowsll(fits, &rows, &status);
    fits_read_key(fits, TLONGLONG, "PCOUNT", &heap, NULL, &status);
    if (status) return fail(f, status);
    for (int i = 0; i < 3; i++) {
        int absent = 0;
        if (fits_get_colnum(fits, CASESEN, (char *)names[i], &column, &absent)) continue;
        cp_code code = check_column(f, fits, column, rows, heap);
        if (code == CP_OK && i == 0) code = check_hcompress(f, fits, column, rows);
        if (code != CP_OK) return code;
    }
    fits_clear_errmsg();
    return CP_OK;
}

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
    if (code == CP_OK) code = check_tiles(f, m.fits);
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

cp_code cpi_compressed_header(const struct cpi_fits *f, char **cards, int *n)
{
    cpi_fitsio_lock();
    memory_file m;
    cp_code code = open_unit(f, &m);
    if (code == CP_OK) {
        int status = 0;
        char *text = NULL;
        if (fits_convert_hdr2str(m.fits, 1, NULL, 0, &text, n, &status)) code = fail(f, status);
        else if (!(*cards = HOST->malloc(strlen(text) + CPI_CARD))) code = CP_ERROR_MEMORY;
        else {
            size_t length = strlen(text);
            memcpy(*cards, text, length + 1);
            *n = (int)(length / CPI_CARD);
        }
        if (text) {
            status = 0;
            fits_free_memory(text, &status);
        }
    }
    close_unit(&m);
    cpi_fitsio_unlock();
    return code;
}
