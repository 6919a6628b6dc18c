/* Decodes the pixels of an image: big-endian to native bytes, BSCALE, BZERO and BLANK applied.
 *
 * The data is split into segments by its size alone; each is read and converted by one task. Scaling is done in float64
 * and rounded once. */
#include "plugin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEGMENT (1 << 18) /* pixels of a task */
#define STEP 4096       /* pixels converted at a time when the types differ */

/* The unsigned (bytes: signed) reading of a BITPIX by its BZERO, or CP_DEFAULT. No integer can mark a pixel as
 * undefined: with BLANK the image becomes floating-point. */
static cp_type shifted_type(const cpi_hdu *h)
{
    if (h->bscale != 1 || (h->has_blank && h->bitpix > 0)) return CP_DEFAULT;
    if (h->bitpix == 8 && h->bzero == -128) return CP_INT8;
    if (h->bitpix == 16 && h->bzero == 32768) return CP_UINT16;
    if (h->bitpix == 32 && h->bzero == 2147483648.0) return CP_UINT32;
    if (h->bitpix == 64 && h->bzero == 9223372036854775808.0) return CP_UINT64;
    return CP_DEFAULT;
}

static cp_type type_of(const cpi_hdu *h)
{
    if (h->bitpix == -32) return CP_FLOAT32;
    if (h->bitpix == -64) return CP_FLOAT64;
    if (shifted_type(h) != CP_DEFAULT) return shifted_type(h);
    if (h->bscale != 1 || h->bzero != 0 || h->has_blank) return h->bitpix <= 16 ? CP_FLOAT32 : CP_FLOAT64;
    return h->bitpix == 8 ? CP_UINT8 : h->bitpix == 16 ? CP_INT16 : h->bitpix == 32 ? CP_INT32 : CP_INT64;
}

cp_code cpi_fits_open(const char *function, const char *path, int ext, cpi_io_image *image)
{
    cpi_locale l = cpi_locale_c();
    *image = (cpi_io_image){0};
    struct cpi_fits *f = HOST->malloc(sizeof *f);
    cp_code code = f ? cpi_source_open(function, path, &f->source) : CP_ERROR_MEMORY;
    if (code == CP_OK && (code = cpi_hdu_find(&f->source, ext, &f->hdu)) != CP_OK) cpi_source_close(&f->source);
    cpi_locale_back(l);
    if (code != CP_OK) {
        HOST->free(f);
        return code;
    }
    image->fits = f;
    image->type = type_of(&f->hdu);
    image->plain = !f->hdu.compressed && f->source.fd >= 0;
    image->ndim = f->hdu.naxis;
    image->size = 1;
    bool empty = false;
    for (int i = 0; i < f->hdu.naxis; i++) {
        image->shape[i] = f->hdu.axis[f->hdu.naxis - 1 - i];
        empty |= image->shape[i] == 0;
    }
    for (int i = 0; i < image->ndim && !empty; i++) image->size *= image->shape[i];
    if (empty) image->size = 0;
    return CP_OK;
}

void cpi_fits_close(cpi_io_image *image)
{
    if (!image->fits) return;
    cpi_source_close(&image->fits->source);
    HOST->free(image->fits);
    image->fits = NULL;
}

/* --- plain images --- */

typedef struct job {
    const struct cpi_fits *f;
    cp_type type;
    int64_t from, size;
    char *pixels;
    bool same; /* bytes are swapped in place, and the sign bit flipped where `shifted` */
    bool shifted;
    int failed; /* of cpi_source_get, for any segment */
} job;

#define SWAP(bits, T)                                                      \
    static void swap##bits(void *p, int64_t n, T flip)                     \
    {                                                                      \
        T *v = p;                                                          \
        for (int64_t i = 0; i < n; i++) v[i] = __builtin_bswap##bits(v[i]) ^ flip; \
    }
SWAP(16, uint16_t)
SWAP(32, uint32_t)
SWAP(64, uint64_t)
static void flip8(void *p, int64_t n)
{
    uint8_t *v = p;
    for (int64_t i = 0; i < n; i++) v[i] ^= 0x80;
}

static void swap_in_place(const job *j, void *p, int64_t n)
{
    int bits = abs(j->f->hdu.bitpix);
    if (bits == 8 && j->shifted) flip8(p, n);
    else if (bits == 16) swap16(p, n, j->shifted ? 0x8000 : 0);
    else if (bits == 32) swap32(p, n, j->shifted ? 0x80000000u : 0);
    else if (bits == 64) swap64(p, n, j->shifted ? 0x8000000000000000u : 0);
}

/* Native raw values to scaled ones; `raw` and `to` may be the same memory if the sizes are equal. */
#define SCALE(T, R)                                                                   \
    static void scale_##T##_##R(const cpi_hdu *h, const void *raw, void *to, int64_t n) \
    {                                                                                 \
        const T *v = raw;                                                             \
        R *r = to;                                                                    \
        const double scale = h->bscale, zero = h->bzero;                              \
        const bool blank = h->has_blank && h->bitpix > 0;                             \
        for (int64_t i = 0; i < n; i++) {                                             \
            T value = v[i];                                                           \
            r[i] = blank && (int64_t)value == h->blank ? (R)NAN : (R)((double)value * scale + zero); \
        }                                                                             \
    }
SCALE(uint8_t, float)
SCALE(int16_t, float)
SCALE(int32_t, double)
SCALE(float, float)
SCALE(double, double)

/* 64-bit integers that are only blanked, or also unsigned, keep all the bits that float64 can hold: one rounding. */
static void scale_int64_t_double(const cpi_hdu *h, const void *raw, void *to, int64_t n)
{
    const int64_t *v = raw;
    double *r = to;
    const bool unsigned_ones = h->bscale == 1 && h->bzero == 9223372036854775808.0;
    for (int64_t i = 0; i < n; i++) {
        int64_t value = v[i];
        if (h->has_blank && value == h->blank) r[i] = NAN;
        else if (unsigned_ones) r[i] = (double)((uint64_t)value ^ 0x8000000000000000u);
        else r[i] = (double)value * h->bscale + h->bzero;
    }
}

static void scale(const cpi_hdu *h, const void *raw, void *to, int64_t n)
{
    switch (h->bitpix) {
    case 8: scale_uint8_t_float(h, raw, to, n); break;
    case 16: scale_int16_t_float(h, raw, to, n); break;
    case 32: scale_int32_t_double(h, raw, to, n); break;
    case 64: scale_int64_t_double(h, raw, to, n); break;
    case -32: scale_float_float(h, raw, to, n); break;
    default: scale_double_double(h, raw, to, n); break;
    }
}

static void read_chunk(void *context, int64_t task, int worker)
{
    (void)worker;
    job *j = context;
    const cpi_hdu *h = &j->f->hdu;
    int raw = abs(h->bitpix) / 8, item = j->type == CP_FLOAT64 ? 8 : j->type == CP_FLOAT32 ? 4 : raw;
    int64_t first = task * SEGMENT, last = j->size - first < SEGMENT ? j->size : first + SEGMENT;
    int64_t step = j->same ? SEGMENT : STEP;
    _Alignas(64) char block[STEP * 8];
    for (int64_t i = first; i < last; i += step) {
        int64_t n = last - i < step ? last - i : step;
        char *to = j->pixels + i * item, *in = j->same ? to : block;
        int why = cpi_source_get(&j->f->source, h->data + (j->from + i) * raw, in, n * raw);
        if (why) {
            __atomic_store_n(&j->failed, why, __ATOMIC_RELAXED);
            return;
        }
        swap_in_place(j, in, n);
        if (!j->same) scale(h, block, to, n);
    }
}

cp_code cpi_fits_read(const char *function, const cpi_io_image *image, void *pixels)
{
    (void)function;
    const cpi_hdu *h = &image->fits->hdu;
    if (h->compressed) return cpi_compressed_read(image->fits, image->type, image->size, pixels);
    job j = {.f = image->fits, .type = image->type, .from = image->first, .size = image->size, .pixels = pixels};
    j.shifted = h->bitpix > 0 && shifted_type(h) != CP_DEFAULT;
    j.same = j.shifted || (h->bscale == 1 && h->bzero == 0 && !(h->has_blank && h->bitpix > 0));
    HOST->parallel((j.size + SEGMENT - 1) / SEGMENT, read_chunk, &j);
    return j.failed ? cpi_source_failed(&image->fits->source, j.failed) : CP_OK;
}
