/* Iterates over the header-data units of a FITS file.
 *
 * Invariant: for a unit that cpi_hdu_find returns, every product of axis lengths was computed without wrapping and its
 * data lie inside the file; a compressed image is at most RATIO times as large as its table. */
#include "plugin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATIO 4096            /* a tile-compressed image against its table */
#define MOST_CARDS (1 << 18)  /* 20 MiB of header */

/* Values collected from the cards of one header. */
typedef struct scan {
    char first[9], extension[9];
    int64_t bitpix, zbitpix; /* as wide as the card's number: a narrower one would take 2^32 + 16 for 16 */
    int64_t naxis, znaxis, pcount, gcount, axis[CP_MAXDIM], zaxis[CP_MAXDIM], tile[CP_MAXDIM];
    bool groups, zimage, has_blank;
    double bscale, bzero;
    int64_t blank;
    const char *wrong;    /* a structural keyword whose value is not an integer */
    const char *unscaled; /* BSCALE, BZERO, BLANK or ZBLANK whose value is not a number */
} scan;

static void structural(scan *s, const char *card, const char *value, const char *name, int64_t *to)
{
    if (value && !cpi_card_integer(value, card, to) && !s->wrong) s->wrong = name;
}

static void scaling(scan *s, const char *card, const char *value, const char *name, double *to)
{
    if (!cpi_card_real(value, card, to) && !s->unscaled) s->unscaled = name;
}

/* Some programs write an integer's BLANK as a real, -32768.0. */
static void blank(scan *s, const char *card, const char *value, const char *name)
{
    double real;
    s->has_blank = cpi_card_integer(value, card, &s->blank);
    if (s->has_blank) return;
    if (cpi_card_real(value, card, &real) && real == floor(real) && fabs(real) < 9e18) {
        s->blank = (int64_t)real;
        s->has_blank = true;
    } else if (!s->unscaled) s->unscaled = name;
}

static void take_card(scan *s, const char *card)
{
    const char *v;
    int n;
    if ((v = cpi_card_value(card, "BITPIX"))) structural(s, card, v, "BITPIX", &s->bitpix);
    else if ((v = cpi_card_value(card, "ZBITPIX"))) structural(s, card, v, "ZBITPIX", &s->zbitpix);
    else if ((v = cpi_card_value(card, "NAXIS"))) structural(s, card, v, "NAXIS", &s->naxis);
    else if ((v = cpi_card_value(card, "ZNAXIS"))) structural(s, card, v, "ZNAXIS", &s->znaxis);
    else if ((v = cpi_card_value(card, "PCOUNT"))) structural(s, card, v, "PCOUNT", &s->pcount);
    else if ((v = cpi_card_value(card, "GCOUNT"))) structural(s, card, v, "GCOUNT", &s->gcount);
    else if ((n = cpi_card_number(card, "NAXIS"))) structural(s, card, card + 9, "NAXISn", &s->axis[n - 1]);
    else if ((n = cpi_card_number(card, "ZNAXIS"))) structural(s, card, card + 9, "ZNAXISn", &s->zaxis[n - 1]);
    else if ((n = cpi_card_number(card, "ZTILE"))) structural(s, card, card + 9, "ZTILEn", &s->tile[n - 1]);
    else if ((v = cpi_card_value(card, "GROUPS"))) s->groups = cpi_card_true(v, card);
    else if ((v = cpi_card_value(card, "ZIMAGE"))) s->zimage = cpi_card_true(v, card);
    else if ((v = cpi_card_value(card, "BSCALE"))) scaling(s, card, v, "BSCALE", &s->bscale);
    else if ((v = cpi_card_value(card, "BZERO"))) scaling(s, card, v, "BZERO", &s->bzero);
    else if ((v = cpi_card_value(card, "BLANK"))) blank(s, card, v, "BLANK");
    else if ((v = cpi_card_value(card, "ZBLANK"))) blank(s, card, v, "ZBLANK");
}

/* Reads the header at `offset` into `s`; `*cards` is the number of cards before END, 0 when there is no header
 * there (the file's end, or bytes that begin no unit). */
static cp_code scan_header(const cpi_file_source *source, int64_t offset, bool primary, scan *s, int *cards)
{
    char block[CPI_BLOCK];
    *s = (scan){.gcount = 1, .bscale = 1};
    memset(s->axis, -1, sizeof s->axis);
    memset(s->zaxis, -1, sizeof s->zaxis);
    *cards = 0;
    for (int n = 0;; offset += CPI_BLOCK) {
        if (source->size - offset < CPI_BLOCK) {
            if (n == 0) return CP_OK;
            return HOST->fail(CP_ERROR_FORMAT, "%s: %s: truncated: the file ends inside a header",
                              source->function, source->path);
        }
        cp_code code = cpi_source_read(source, offset, block, CPI_BLOCK);
        if (code != CP_OK) return code;
        if (n == 0) {
            memcpy(s->first, block, 8);
            if (strcmp(s->first, primary ? "SIMPLE  " : "XTENSION") || block[8] != '=') return CP_OK;
            cpi_card_string(block + 9, block, s->extension, sizeof s->extension);
        }
        for (int i = 0; i < CPI_BLOCK; i += CPI_CARD, n++) {
            if (!memcmp(block + i, "END     ", 8)) {
                *cards = n;
                return CP_OK;
            }
            take_card(s, block + i);
        }
        if (n > MOST_CARDS)
            return HOST->fail(CP_ERROR_FORMAT, "%s: %s: a header without an END card", source->function,
                              source->path);
    }
}

/* Bytes of a pixel, of a good BITPIX. */
static int64_t bytes_of(int64_t bitpix) { return (bitpix < 0 ? -bitpix : bitpix) / 8; }

static bool good_bitpix(int64_t b) { return b == 8 || b == 16 || b == 32 || b == 64 || b == -32 || b == -64; }

/* Product of n axis lengths times `bytes`; false when one is missing or negative, or the product wraps. */
static bool product(int64_t n, const int64_t *extent, int64_t bytes, int64_t *result)
{
    bool empty = false, wraps = false;
    for (int64_t i = 0; i < n; i++) {
        if (extent[i] < 0) return false;
        if (extent[i] == 0) empty = true;
        else wraps |= __builtin_mul_overflow(bytes, extent[i], &bytes);
    }
    *result = empty ? 0 : bytes;
    return empty || !wraps;
}

static cp_code bad(const cpi_file_source *s, int number, const char *what)
{
    return HOST->fail(CP_ERROR_FORMAT, "%s: %s: HDU %d: %s", s->function, s->path, number, what);
}

/* Bytes of the unit's data by its header. */
static cp_code data_bytes(const cpi_file_source *source, const scan *s, int number, int64_t *bytes)
{
    char text[64];
    if (s->wrong) {
        snprintf(text, sizeof text, "%s is not an integer", s->wrong);
        return bad(source, number, text);
    }
    if (!good_bitpix(s->bitpix)) return bad(source, number, "BITPIX is none of 8, 16, 32, 64, -32, -64");
    if (s->naxis < 0 || s->naxis > CP_MAXDIM) return bad(source, number, "NAXIS is not in 0 to 64");
    *bytes = 0;
    if (s->naxis == 0) return CP_OK;
    bool groups = s->groups && s->axis[0] == 0;
    int64_t items;
    if (!product(s->naxis - groups, s->axis + groups, 1, &items) || s->pcount < 0 || s->gcount < 0 ||
        __builtin_add_overflow(items, s->pcount, &items) || __builtin_mul_overflow(items, s->gcount, &items) ||
        __builtin_mul_overflow(items, bytes_of(s->bitpix), bytes))
        return bad(source, number, "NAXISn: an extent is missing or negative, or their product is too large");
    return CP_OK;
}

/* The sizes of a tile-compressed image against those of its table. */
static cp_code check_compressed(const cpi_file_source *source, scan *s, cpi_hdu *hdu)
{
    int number = hdu->number;
    if (!good_bitpix(s->zbitpix) || s->znaxis < 1 || s->znaxis > 6)
        return bad(source, number, "ZBITPIX or ZNAXIS of the compressed image is wrong");
    int64_t bytes, rows = s->axis[1], tiles[CP_MAXDIM], count, tile;
    if (!product(s->znaxis, s->zaxis, bytes_of(s->zbitpix), &bytes) || bytes == 0)
        return bad(source, number, "ZNAXISn: an extent is missing, 0 or negative, or their product is too large");
    if (bytes / RATIO > hdu->data_bytes)
        return bad(source, number, "the compressed image promises more pixels than its table can hold");
    for (int64_t i = 0; i < s->znaxis; i++) {
        if (s->tile[i] == 0) s->tile[i] = i == 0 ? s->zaxis[0] : 1;
        if (s->tile[i] < 1) return bad(source, number, "ZTILEn is negative");
        tiles[i] = (s->zaxis[i] - 1) / s->tile[i] + 1;
    }
    if (!product(s->znaxis, tiles, 1, &count) || count != rows)
        return bad(source, number, "the compressed image has not as many tiles as its size needs");
    if (!product(s->znaxis, s->tile, bytes_of(s->zbitpix), &tile) || tile / 16 > bytes + 65536)
        return bad(source, number, "ZTILEn: a tile is larger than the image");
    hdu->row_bytes = s->axis[0];
    hdu->rows = rows;
    hdu->heap = s->pcount;
    hdu->bitpix = (int)s->zbitpix;
    hdu->naxis = (int)s->znaxis;
    memcpy(hdu->axis, s->zaxis, sizeof hdu->axis);
    memcpy(hdu->tile, s->tile, sizeof hdu->tile);
    return CP_OK;
}

/* Fills hdu from the header; the caller has checked that the data lie in the file. */
static cp_code describe(const cpi_file_source *source, scan *s, cpi_hdu *hdu)
{
    int64_t bitpix = hdu->compressed ? s->zbitpix : s->bitpix;
    bool of_blank = s->unscaled && strstr(s->unscaled, "BLANK");
    if (s->unscaled && !(of_blank && bitpix < 0)) { /* BLANK means nothing in an image of floating-point numbers */
        char text[64];
        snprintf(text, sizeof text, "%s is not %s", s->unscaled, of_blank ? "an integer" : "a number");
        return bad(source, hdu->number, text);
    }
    hdu->bscale = s->bscale;
    hdu->bzero = s->bzero;
    hdu->has_blank = s->has_blank;
    hdu->blank = s->blank;
    if (hdu->compressed) return check_compressed(source, s, hdu);
    hdu->bitpix = (int)s->bitpix;
    hdu->naxis = (int)s->naxis;
    memcpy(hdu->axis, s->axis, sizeof hdu->axis);
    int64_t bytes = 0;
    product(s->naxis, s->axis, bytes_of(s->bitpix), &bytes);
    if (s->gcount != 1 || bytes > hdu->data_bytes) return bad(source, hdu->number, "groups of images cannot be read");
    return CP_OK;
}

static cp_code no_image(const cpi_file_source *s, int ext, int units, int tables)
{
    if (units == 0)
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: %s", s->function, s->path,
                          s->size ? "not a FITS file" : "the file is empty");
    if (ext >= units) return HOST->fail(CP_ERROR_FORMAT, "%s: %s: no extension %d, the last one is %d", s->function,
                                        s->path, ext, units - 1);
    return HOST->fail(CP_ERROR_FORMAT, "%s: %s: no image in the file%s", s->function, s->path,
                      tables ? ", only a table" : "");
}

cp_code cpi_hdu_find(const cpi_file_source *source, int ext, cpi_hdu *hdu)
{
    scan s, empty;
    cpi_hdu empty_hdu = {0};
    int units = 0, tables = 0, cards;
    bool have_empty = false;
    for (int64_t offset = 0; offset < source->size; units++) {
        cp_code code = scan_header(source, offset, units == 0, &s, &cards);
        if (code != CP_OK) return code;
        if (cards == 0) break;
        *hdu = (cpi_hdu){.number = units, .header = offset, .cards = cards};
        hdu->data = offset + ((int64_t)cards * CPI_CARD / CPI_BLOCK + 1) * CPI_BLOCK;
        if ((code = data_bytes(source, &s, units, &hdu->data_bytes)) != CP_OK) return code;
        bool table = !strcmp(s.extension, "BINTABLE") || !strcmp(s.extension, "A3DTABLE");
        hdu->compressed = table && s.zimage && s.naxis == 2;
        bool plain = (units == 0 || !strcmp(s.extension, "IMAGE") || !strcmp(s.extension, "IUEIMAGE")) &&
                     s.naxis > 0 && !s.groups;
        hdu->image = plain || hdu->compressed;
        tables += table && !hdu->compressed;
        bool wanted = ext == 0 ? hdu->image && hdu->data_bytes > 0 : ext == CP_FITS_PRIMARY ? units == 0 : units == ext;
        if (wanted && !hdu->image)
            return bad(source, units, table || !strcmp(s.extension, "TABLE") ? "a table, not an image" : "no image");
        bool inside = hdu->data_bytes <= source->size - hdu->data;
        if (wanted && !inside)
            return HOST->fail(CP_ERROR_FORMAT, "%s: %s: truncated: the image ends at byte %llu, the file has %lld",
                              source->function, source->path, /* the end may lie beyond INT64_MAX */
                              (unsigned long long)hdu->data + (unsigned long long)hdu->data_bytes,
                              (long long)source->size);
        if (wanted) return describe(source, &s, hdu);
        if (hdu->image && !have_empty) empty = s, empty_hdu = *hdu, have_empty = true;
        if (!inside) {
            units++;
            break;
        }
        offset = hdu->data + (hdu->data_bytes + CPI_BLOCK - 1) / CPI_BLOCK * CPI_BLOCK;
    }
    if (ext != 0 || !have_empty) return no_image(source, ext, units, tables);
    *hdu = empty_hdu;
    return describe(source, &empty, hdu);
}

cp_code cpi_hdu_cards(const cpi_file_source *source, const cpi_hdu *hdu, char **cards)
{
    size_t n = (size_t)hdu->cards * CPI_CARD;
    char *text = *cards = HOST->malloc(n + 1);
    if (!text) return CP_ERROR_MEMORY;
    cp_code code = cpi_source_read(source, hdu->header, text, (int64_t)n);
    for (size_t i = 0; i < n; i++)
        if (text[i] < ' ' || text[i] > '~') text[i] = ' ';
    text[n] = 0;
    return code;
}
