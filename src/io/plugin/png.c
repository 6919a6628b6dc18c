/* Pictures by libpng. */
#include "plugin.h"
#include "png_words.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <zlib.h>

/* What libpng's callbacks need. */
typedef struct picture { cpi_out *out; char text[CPI_PNG_WORDS]; } picture;

static void on_write(png_structp png, png_bytep bytes, size_t n)
{
    picture *p = png_get_io_ptr(png);
    if (cpi_out_write(p->out, bytes, n) != CP_OK) png_error(png, "write failed");
}

static void on_flush(png_structp png) { (void)png; }

/* The colours of a picture that has at most 256 of them. */
typedef struct palette { int n; png_color colour[256]; } palette;

/* Fills the palette and the pixels' places in it; false when there are more colours. Greys, which most pixels of
 * a plot are, are found by a table, the few others by search. */
static bool find_palette(const uint8_t *rgb, int64_t pixels, palette *p, uint8_t *indices)
{
    int grey[256], others[256], other = 0;
    for (int i = 0; i < 256; i++) grey[i] = -1;
    p->n = 0;
    for (int64_t i = 0; i < pixels; i++, rgb += 3) {
        int position = -1;
        bool is_grey = rgb[0] == rgb[1] && rgb[1] == rgb[2];
        if (is_grey) position = grey[rgb[0]];
        for (int k = 0; k < other && !is_grey && position < 0; k++) {
            const png_color *c = &p->colour[others[k]];
            if (c->red == rgb[0] && c->green == rgb[1] && c->blue == rgb[2]) position = others[k];
        }
        if (position < 0) {
            if (p->n == 256) return false;
            position = p->n++;
            p->colour[position] = (png_color){rgb[0], rgb[1], rgb[2]};
            if (is_grey) grey[rgb[0]] = position;
            else others[other++] = position;
        }
        indices[i] = (uint8_t)position;
    }
    return true;
}

/* All rows; nothing that longjmp could lose is held here. */
static cp_code encode(picture *p, png_structp png, png_infop info, uint32_t height, uint32_t width, int channels,
                      const uint8_t *pixels, const palette *colours)
{
    if (setjmp(png_jmpbuf(png)))
        return p->out->code != CP_OK ? p->out->code
                                     : HOST->fail(CP_ERROR_IO, "%s: %s: libpng: %s", p->out->function, p->out->path,
                                                  p->text);
    png_set_write_fn(png, p, on_write, on_flush);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_IHDR(png, info, width, height, 8,
                 colours ? PNG_COLOR_TYPE_PALETTE : channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    /* skies are noise, in which a search for repeated strings finds nothing: runs and Huffman's code alone give
     * smaller files in a fifth of the time */
    png_set_compression_strategy(png, Z_RLE);
    png_set_filter(png, 0, colours ? PNG_FILTER_NONE : PNG_FILTER_SUB);
    if (colours) png_set_PLTE(png, info, colours->colour, colours->n);
    png_write_info(png, info);
    for (uint32_t y = 0; y < height; y++) png_write_row(png, pixels + (size_t)y * width * (size_t)channels);
    png_write_end(png, info);
    return CP_OK;
}

cp_code cpi_png_write(const char *function, const char *path, int64_t height, int64_t width, int channels,
                      const uint8_t *pixels)
{
    if (height > INT32_MAX || width > INT32_MAX)
        return HOST->fail(CP_ERROR_VALUE, "%s: %s: a picture has at most 2147483647 pixels in a line", function, path);
    palette colours;
    uint8_t *indices = NULL;
    if (channels == 3) { /* a third of the bytes, where it goes */
        if (!(indices = HOST->malloc((size_t)(height * width)))) return CP_ERROR_MEMORY;
        if (find_palette(pixels, height * width, &colours, indices)) channels = 1, pixels = indices;
    }
    cpi_out out;
    cp_code code = cpi_out_open(function, path, &out);
    if (code != CP_OK) {
        HOST->free(indices);
        return code;
    }
    picture p = {.out = &out};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, p.text, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    code = info ? encode(&p, png, info, (uint32_t)height, (uint32_t)width, channels, pixels,
                         pixels == indices ? &colours : NULL)
                : HOST->fail(CP_ERROR_MEMORY, "%s: %s: out of memory", function, path);
    png_destroy_write_struct(&png, &info);
    HOST->free(indices);
    return cpi_out_close(&out, code);
}
