/* Writes an array as the primary image of a FITS file: a header, then big-endian pixels in segments. */
#include "plugin.h"

#include "core/type_traits.h"

#include <stdio.h>
#include <string.h>

#define SEGMENT (1 << 16) /* pixels swapped at a time */

/* How FITS holds a type: BITPIX, and the BZERO of types it knows by an offset only. */
static int bitpix_of(cp_type t, const char **bzero)
{
    *bzero = NULL;
    switch (t) {
    case CP_UINT8: return 8;
    case CP_INT8: *bzero = "-128"; return 8;
    case CP_INT16: return 16;
    case CP_UINT16: *bzero = "32768"; return 16;
    case CP_INT32: return 32;
    case CP_UINT32: *bzero = "2147483648"; return 32;
    case CP_INT64: return 64;
    case CP_UINT64: *bzero = "9223372036854775808"; return 64;
    case CP_FLOAT32: return -32;
    case CP_BOOL: /* the API layer has converted or refused these */
    CPI_CASE_HALVES:
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT:
    case CP_FLOAT64: break;
    }
    return -64;
}

/* Header cards: each is 80 characters; `n` counts them for the padding. */
typedef struct cards { cpi_out *out; int n; } cards;

static void append_card(cards *c, const char *text, size_t length)
{
    char card[CPI_CARD];
    memset(card, ' ', sizeof card);
    memcpy(card, text, length < CPI_CARD ? length : CPI_CARD);
    cpi_out_write(c->out, card, sizeof card);
    c->n++;
}

static void put_value(cards *c, const char *key, const char *value, const char *comment)
{
    char text[128];
    int n = snprintf(text, sizeof text, "%-8s= %20s / %s", key, value, comment);
    append_card(c, text, (size_t)n);
}

static void put_integer(cards *c, const char *key, long long value, const char *comment)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    put_value(c, key, text, comment);
}

int cpi_next_card(const char *function, const char **lines, char card[CPI_CARD + 1])
{
    static const char *const ours[] = {"SIMPLE", "XTENSION", "BITPIX", "NAXIS", "EXTEND", "BZERO", "BSCALE", "PCOUNT",
                                       "GCOUNT", "TFIELDS", "TTYPE", "TFORM", "TUNIT", "END"};
    size_t n = 0;
    while (*lines && **lines && !(n = strcspn(*lines, "\n"))) ++*lines;
    if (!n) return 0;
    if (n > CPI_CARD) return HOST->fail(CP_ERROR_VALUE, "%s: a card is longer than 80 characters", function), -1;
    memset(card, ' ', CPI_CARD);
    memcpy(card, *lines, n);
    card[CPI_CARD] = 0;
    for (size_t i = 0; i < n; i++)
        if (card[i] < ' ' || card[i] > '~')
            return HOST->fail(CP_ERROR_VALUE, "%s: a card holds a byte that is no character", function), -1;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (cpi_card_value(card, ours[i]) || cpi_card_number(card, ours[i]) || !memcmp(card, "END     ", 8))
            return HOST->fail(CP_ERROR_VALUE, "%s: card %.8s is written by the function itself", function, card), -1;
    *lines += n;
    return 1;
}

static cp_code put_header(cpi_out *out, cp_type type, int ndim, const int64_t *shape, const char *lines)
{
    const char *bzero;
    cards c = {out, 0};
    put_value(&c, "SIMPLE", "T", "conforms to FITS standard");
    put_integer(&c, "BITPIX", bitpix_of(type, &bzero), "array data type");
    put_integer(&c, "NAXIS", ndim, "number of array dimensions");
    for (int i = 0; i < ndim; i++) {
        char key[16];
        snprintf(key, sizeof key, "NAXIS%d", i + 1);
        put_integer(&c, key, shape[ndim - 1 - i], "");
    }
    if (bzero) {
        put_value(&c, "BSCALE", "1", "");
        put_value(&c, "BZERO", bzero, "offset of this type");
    }
    char card[CPI_CARD + 1];
    int next;
    while ((next = cpi_next_card(out->function, &lines, card)) > 0) append_card(&c, card, CPI_CARD);
    if (next < 0) return CP_ERROR_VALUE;
    append_card(&c, "END", 3);
    while (c.n % (CPI_BLOCK / CPI_CARD)) append_card(&c, "", 0);
    return out->code;
}

#define SWAP(bits, T)                                                                   \
    static void swap##bits(const void *from, void *to, int64_t n, T flip)               \
    {                                                                                   \
        const T *f = from;                                                              \
        T *t = to;                                                                      \
        for (int64_t i = 0; i < n; i++) t[i] = __builtin_bswap##bits(f[i] ^ flip);      \
    }
SWAP(16, uint16_t)
SWAP(32, uint32_t)
SWAP(64, uint64_t)

static void swap(cp_type type, const void *from, void *to, int64_t n)
{
    const char *bzero;
    int bitpix = bitpix_of(type, &bzero);
    switch (bitpix < 0 ? -bitpix : bitpix) {
    case 8:
        for (int64_t i = 0; i < n; i++) ((uint8_t *)to)[i] = ((const uint8_t *)from)[i] ^ (bzero ? 0x80 : 0);
        break;
    case 16: swap16(from, to, n, bzero ? 0x8000 : 0); break;
    case 32: swap32(from, to, n, bzero ? 0x80000000u : 0); break;
    default: swap64(from, to, n, bzero ? 0x8000000000000000u : 0); break;
    }
}

static cp_code put_pixels(cpi_out *out, cp_type type, int64_t size, const char *pixels)
{
    const char *bzero;
    int bitpix = bitpix_of(type, &bzero), item = (bitpix < 0 ? -bitpix : bitpix) / 8;
    char *block = HOST->malloc((size_t)SEGMENT * 8);
    if (!block) return CP_ERROR_MEMORY;
    cp_code code = CP_OK;
    for (int64_t i = 0; i < size && code == CP_OK; i += SEGMENT) {
        int64_t n = size - i < SEGMENT ? size - i : SEGMENT;
        swap(type, pixels + i * item, block, n);
        code = cpi_out_write(out, block, (size_t)(n * item));
    }
    memset(block, 0, CPI_BLOCK);
    int64_t over = size % CPI_BLOCK * item % CPI_BLOCK;
    if (over && code == CP_OK) code = cpi_out_write(out, block, (size_t)(CPI_BLOCK - over));
    HOST->free(block);
    return code;
}

cp_code cpi_fits_write(const char *function, const char *path, cp_type type, int ndim, const int64_t *shape,
                       const void *pixels, const char *lines)
{
    static const int64_t one[1] = {1};
    if (ndim == 0) ndim = 1, shape = one; /* NAXIS = 0 would be no image */
    int64_t size = 1;
    for (int i = 0; i < ndim; i++) size = shape[i] ? size * shape[i] : 0;
    for (int i = 0; i < ndim; i++)
        if (shape[i] == 0) size = 0;
    cpi_out out;
    cp_code code = cpi_out_open(function, path, &out);
    if (code != CP_OK) return code;
    cpi_locale l = cpi_locale_c();
    code = put_header(&out, type, ndim, shape, lines);
    if (code == CP_OK) code = put_pixels(&out, type, size, pixels);
    cpi_locale_back(l);
    return cpi_out_close(&out, code);
}
