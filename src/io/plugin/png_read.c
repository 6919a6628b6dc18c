/* Pictures from PNG files, by libpng: every colour type and depth, interlaced ones too.
 *
 * Sizes in a header are checked against the file before anything of that size is allocated: deflate makes at most 1032
 * bytes of one. libpng reports errors by longjmp; so everything that must be freed is held by the picture, not by the
 * interrupted function. */
#include "plugin.h"
#include "png_words.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#define RATIO 1032

struct cpi_png {
    cpi_file_source source;
    int64_t at;       /* bytes that are read */
    png_structp png;
    png_infop info;
    cp_code code;     /* of the source, where that failed */
    char text[CPI_PNG_WORDS]; /* libpng's last message */
};

static void on_read(png_structp png, png_bytep bytes, size_t n)
{
    struct cpi_png *p = png_get_io_ptr(png);
    p->code = cpi_source_read(&p->source, p->at, bytes, (int64_t)n);
    if (p->code != CP_OK) png_error(png, "read failed");
    p->at += (int64_t)n;
}

static cp_code failed(const struct cpi_png *p)
{
    if (p->code != CP_OK) return p->code;
    const cpi_file_source *s = &p->source;
    return HOST->fail(strstr(p->text, "emory") ? CP_ERROR_MEMORY : CP_ERROR_FORMAT, "%s: %s: libpng: %s", s->function,
                      s->path, p->text);
}

/* Reads header and palette; sets the format of rows. */
static cp_code read_header(struct cpi_png *p, cpi_io_image *image)
{
    const cpi_file_source *s = &p->source;
    if (setjmp(png_jmpbuf(p->png))) return failed(p);
    png_set_read_fn(p->png, p, on_read);
    png_set_user_limits(p->png, 0x7fffffff, 0x7fffffff);
    png_read_info(p->png, p->info);
    const int64_t height = png_get_image_height(p->png, p->info), width = png_get_image_width(p->png, p->info);
    const int64_t bits = png_get_bit_depth(p->png, p->info) * png_get_channels(p->png, p->info);
    if (height > (s->size + 1) * RATIO / ((width * bits + 7) / 8))
        return HOST->fail(CP_ERROR_FORMAT, "%s: %s: the header says %lld x %lld pixels, which %lld bytes cannot hold",
                          s->function, s->path, (long long)height, (long long)width, (long long)s->size);
    png_set_expand(p->png); /* palettes to colours, fewer than 8 bits to 8, a transparent colour to alpha */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    png_set_swap(p->png);
#endif
    png_set_interlace_handling(p->png);
    png_read_update_info(p->png, p->info);
    const int channels = png_get_channels(p->png, p->info);
    image->type = png_get_bit_depth(p->png, p->info) == 16 ? CP_UINT16 : CP_UINT8;
    image->ndim = channels == 1 ? 2 : 3;
    image->shape[0] = height, image->shape[1] = width, image->shape[2] = channels;
    image->size = height * width * channels;
    return CP_OK;
}

cp_code cpi_png_open(const char *function, const char *path, cpi_io_image *image)
{
    struct cpi_png *p = image->png = HOST->malloc(sizeof *p);
    if (!p) return CP_ERROR_MEMORY;
    memset(p, 0, sizeof *p);
    cp_code code = cpi_source_open(function, path, &p->source);
    if (code == CP_OK) {
        uint8_t first[8];
        if (p->source.size < 8 || cpi_source_get(&p->source, 0, first, 8) || png_sig_cmp(first, 0, 8))
            code = HOST->fail(CP_ERROR_FORMAT, "%s: %s: is no PNG file", function, path);
        else {
            p->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, p->text, on_error, on_warning);
            p->info = p->png ? png_create_info_struct(p->png) : NULL;
            code = p->info ? read_header(p, image)
                           : HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", function, path);
        }
    } else p->source.fd = -1;
    if (code != CP_OK) cpi_png_close(image);
    return code;
}

cp_code cpi_png_read(const char *function, const cpi_io_image *image, void *pixels)
{
    struct cpi_png *p = image->png;
    (void)function;
    if (setjmp(png_jmpbuf(p->png))) return failed(p);
    const size_t row = png_get_rowbytes(p->png, p->info);
    const int passes = png_get_interlace_type(p->png, p->info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 0; pass < passes; pass++)
        for (int64_t y = 0; y < image->shape[0]; y++)
            png_read_row(p->png, (png_bytep)pixels + (size_t)y * row, NULL);
    png_read_end(p->png, NULL);
    return CP_OK;
}

void cpi_png_close(cpi_io_image *image)
{
    struct cpi_png *p = image->png;
    if (!p) return;
    png_destroy_read_struct(&p->png, &p->info, NULL);
    if (p->source.fd >= 0 || p->source.memory) cpi_source_close(&p->source);
    HOST->free(p);
    image->png = NULL;
}
