/* Declarations shared by the files of libcuprite-io.so.
 *
 * source.c reads bytes of a file (plain or gzip'd); cards.c reads a header's cards; hdu.c finds the units of a FITS
 * file and checks that their data lie inside it; fits_read.c decodes pixels, compressed.c and tiles.c and hcompress.c
 * those of tile-compressed images (CFITSIO); wcs.c keeps a header and converts pixels to sky positions (WCSLIB);
 * png_read.c reads pictures, npy.c and zip.c NumPy's files; out.c writes files atomically; fits_write.c, table.c, png.c
 * and zip_write.c write their contents. */
#ifndef CPI_IO_PLUGIN_H
#define CPI_IO_PLUGIN_H

#include <locale.h>
#include <sys/types.h>

#include "io/io.h"

extern const cpi_io_host *cpi_io_host_table;
#define HOST cpi_io_host_table

/* The C locale for the calling thread: numbers in headers and tables have a dot. */
typedef struct cpi_locale { locale_t c, before; } cpi_locale;
cpi_locale cpi_locale_c(void);
void cpi_locale_back(cpi_locale l);

/* --- source.c --- */
typedef struct cpi_file_source {
    const char *function, *path;
    int fd;              /* a plain file */
    uint8_t *memory;     /* an inflated one; fd is -1 */
    int64_t size;
} cpi_file_source;
cp_code cpi_source_open(const char *function, const char *path, cpi_file_source *s);
/* As it is, also if gzip'd. */
cp_code cpi_source_open_plain(const char *function, const char *path, cpi_file_source *s);
/* Exactly n bytes from `offset`; CP_ERROR_IO, CP_ERROR_FORMAT when the file ends before. */
cp_code cpi_source_read(const cpi_file_source *s, int64_t offset, void *to, int64_t n);
/* The same for tasks in other threads, which may not write the error record: 0, an errno, -1 for the end of the
 * file; cpi_source_failed writes the record afterwards. */
int cpi_source_get(const cpi_file_source *s, int64_t offset, void *to, int64_t n);
cp_code cpi_source_failed(const cpi_file_source *s, int why);
void cpi_source_close(cpi_file_source *s);

/* --- hdu.c --- */
#define CPI_CARD 80
#define CPI_BLOCK 2880
typedef struct cpi_hdu {
    int number;                 /* 0: primary */
    int64_t header, data, data_bytes; /* offsets; data_bytes without padding */
    int cards;                  /* up to END, without it */
    bool image;                 /* pixels of its own, or a compressed image */
    bool compressed;            /* a binary table with ZIMAGE = T */
    int bitpix, naxis;          /* of the image; those behind Z keywords when compressed */
    int64_t axis[CP_MAXDIM];    /* NAXIS1 first */
    int64_t row_bytes, rows, heap; /* of the table when compressed: NAXIS1, NAXIS2, PCOUNT */
    int64_t tile[CP_MAXDIM];    /* sizes of a tile when compressed */
    double bscale, bzero;
    bool has_blank;
    int64_t blank;
} cpi_hdu;
/* Finds the image: the first one (ext 0), extension ext, or the primary (CP_FITS_PRIMARY). */
cp_code cpi_hdu_find(const cpi_file_source *s, int ext, cpi_hdu *hdu);
/* The cards of its header, with non-text bytes blanked; freed with HOST->free. */
cp_code cpi_hdu_cards(const cpi_file_source *s, const cpi_hdu *hdu, char **cards);

/* --- cards.c --- */
/* Where the value of a card (80 characters) with that keyword begins, else NULL. */
const char *cpi_card_value(const char *text, const char *key);
/* n when the card's keyword is PREFIXn with 1 <= n <= CP_MAXDIM; else 0. */
int cpi_card_number(const char *card, const char *prefix);
/* Parses a value of the expected kind; false, and nothing done, when it is another. A real is finite. */
bool cpi_card_integer(const char *value, const char *card, int64_t *result);
bool cpi_card_real(const char *value, const char *card, double *result);
bool cpi_card_true(const char *value, const char *card);
/* A string value without quotes and trailing blanks, into `to`. */
void cpi_card_string(const char *value, const char *card, char *to, size_t bytes);
/* The card rebuilt from its parts into `to` (80 characters); false when it has no keyword, or a value that is no
 * string, number or logical. Libraries get headers made of these: their parsers trust what they read. */
bool cpi_card_clean(const char *card, char *to);

/* --- fits_read.c --- */
struct cpi_fits { cpi_file_source source; cpi_hdu hdu; };
cp_code cpi_fits_open(const char *function, const char *path, int ext, cpi_io_image *image);
cp_code cpi_fits_read(const char *function, const cpi_io_image *image, void *pixels);
void cpi_fits_close(cpi_io_image *image);

/* --- compressed.c --- */
cp_code cpi_compressed_read(const struct cpi_fits *f, cp_type type, int64_t size, void *pixels);
/* CFITSIO's status as an error of this image. */
cp_code cpi_compressed_failed(const struct cpi_fits *f, int status);
/* CFITSIO's message for a status. */
const char *cpi_fitsio_string(int status, char text[81]);
void cpi_fitsio_lock(void);
void cpi_fitsio_unlock(void);
void cpi_fitsio_guard(void); /* forks wait for it */

/* --- tiles.c --- */
/* Checks that every tile of the open table lies in its heap and is valid for its compression method; `fits` is
 * CFITSIO's fitsfile. */
cp_code cpi_tiles_check(const struct cpi_fits *f, void *fits, const char *heap);

/* --- hcompress.c --- */
/* Checks that an H-compressed tile has all the bits that its decoder reads, and nothing that makes it fail. */
cp_code cpi_hcompress_check(const uint8_t *bytes, int64_t n, int64_t pixels, bool *good);

/* --- wcs.c --- */
cp_code cpi_header_new(const char *function, const cpi_io_image *image, cp_image_header **header);
void cpi_header_free(cp_image_header *header);
void cpi_wcs_guard(void); /* forks wait for the parser */
const char *cpi_header_unit(const cp_image_header *header);
const char *cpi_header_object(const cp_image_header *header);
const char *cpi_header_system(const cp_image_header *header);
bool cpi_header_beam(const cp_image_header *header, cp_beam *beam);
cp_code cpi_header_sky(const char *function, const cp_image_header *header, int64_t n, const double *x,
                       const double *y, double *longitude, double *latitude);

/* --- out.c --- */
typedef struct cpi_out {
    const char *function, *path;
    int fd;
    char *target;    /* the path with links resolved; NULL: written directly */
    char *temporary; /* NULL: the file has no name yet, or there is no target any more */
    uint8_t *buffer;
    size_t used;
    cp_code code;    /* the first failure; later writes do nothing */
    bool soon;       /* no fsync, as numpy.save */
} cpi_out;
cp_code cpi_out_open(const char *function, const char *path, cpi_out *out);
cp_code cpi_out_write(cpi_out *out, const void *bytes, size_t n);
/* Flushes, and renames to the target when all went well and `code` is CP_OK, else removes; always closes. */
cp_code cpi_out_close(cpi_out *out, cp_code code);

/* --- writers --- */
/* The next of the caller's lines of additional header cards: 1 and a card of 80 characters, 0 at the end, -1 (error
 * written) for a line that is no text, is too long or has a keyword that the function writes itself. Empty lines are
 * skipped. */
int cpi_next_card(const char *function, const char **lines, char card[CPI_CARD + 1]);
cp_code cpi_fits_write(const char *function, const char *path, cp_type type, int ndim, const int64_t *shape,
                       const void *pixels, const char *cards);
cp_code cpi_table_write(const char *function, const char *path, int n, const cpi_io_column *columns, int64_t rows,
                        bool fits, const char *cards);
cp_code cpi_png_write(const char *function, const char *path, int64_t height, int64_t width, int channels,
                      const uint8_t *pixels);

/* --- png_read.c --- */
cp_code cpi_png_open(const char *function, const char *path, cpi_io_image *image);
cp_code cpi_png_read(const char *function, const cpi_io_image *image, void *pixels);
void cpi_png_close(cpi_io_image *image);

#endif
