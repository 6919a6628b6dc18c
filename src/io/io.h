/* The contract between the core and libcuprite-io.so: one table of functions in each direction.
 *
 * The library knows files and formats but no arrays: pixels and columns are passed as plain host memory. Its only entry
 * point is cuprite_io_open, which is called only if it was compiled with the core's headers. Every function returns
 * CP_OK, or the code of the record it wrote with host->fail; messages begin with `function`, the public function's
 * name, and name the file. All functions are thread-safe. */
#ifndef CPI_IO_H
#define CPI_IO_H

#include <pthread.h>

#include "cuprite/io.h"

typedef struct cpi_io_host {
    cp_code (*fail)(cp_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
    void *(*malloc)(size_t bytes);            /* NULL: error written */
    void *(*realloc)(void *p, size_t bytes);  /* NULL: error written, p still valid */
    void (*free)(void *p);
    void (*parallel)(int64_t tasks, void (*fn)(void *context, int64_t task, int worker), void *context);
    void (*fork_guard)(pthread_mutex_t *lock); /* core/forks.h */
} cpi_io_host;

/* An image found in an open file: the data that the API layer needs to make the array. */
typedef struct cpi_io_image {
    cp_type type;
    int ndim;
    int64_t shape[CP_MAXDIM]; /* C order */
    int64_t size;             /* product of shape; size times bytes of an element fits */
    int64_t first;            /* (FITS) where the pixels to read begin, 0 but for parts */
    bool plain;               /* (FITS) neither gzip'd nor tile-compressed */
    struct cpi_fits *fits;    /* private to the library */
    struct cpi_png *png;
    struct cpi_npy *npy;
    bool fortran;             /* (npy) the elements lie in Fortran order */
    bool strings;             /* (npy) before opening: strings are read too; after: it is strings, whose characters are
                                 one more axis, of uint8 (NumPy's S) or uint32 (U) */
} cpi_io_image;

/* A column in host memory. */
typedef struct cpi_io_column {
    const char *name, *unit; /* unit may be NULL */
    cp_type type;            /* real, no half types */
    const void *values;
} cpi_io_column;

struct cpi_zip;
struct cpi_zip_writer;
typedef struct cpi_io_ops {
    const char *libraries;
    /* finds the image and checks its sizes against the file; allocates nothing of the image's size for plain
     * and tile-compressed files */
    cp_code (*fits_open)(const char *function, const char *path, int ext, cpi_io_image *image);
    /* `size` pixels from `first` on (all, unless the image is plain), C order, native bytes, image->type */
    cp_code (*fits_read)(const char *function, const cpi_io_image *image, void *pixels);
    cp_code (*fits_header)(const char *function, const cpi_io_image *image, cp_image_header **header);
    void (*fits_close)(cpi_io_image *image); /* does nothing for a zeroed image */
    void (*header_free)(cp_image_header *header);
    const char *(*header_unit)(const cp_image_header *header);
    const char *(*header_object)(const cp_image_header *header);
    const char *(*header_system)(const cp_image_header *header);
    cp_code (*header_sky)(const char *function, const cp_image_header *header, int64_t n, const double *x,
                          const double *y, double *longitude, double *latitude);
    /* type: any of the 12 that FITS can hold (bool and half types were converted) */
    cp_code (*fits_write)(const char *function, const char *path, cp_type type, int ndim, const int64_t *shape,
                          const void *pixels, const char *cards);
    bool (*header_beam)(const cp_image_header *header, cp_beam *beam);
    /* cards: lines of FITS text, or NULL */
    cp_code (*table_write)(const char *function, const char *path, int n, const cpi_io_column *columns,
                           int64_t rows, bool fits, const char *cards);
    cp_code (*png_write)(const char *function, const char *path, int64_t height, int64_t width, int channels,
                         const uint8_t *pixels);
    /* as those of FITS: sizes are checked against the file; pixels are uint8 or uint16 */
    cp_code (*png_open)(const char *function, const char *path, cpi_io_image *image);
    cp_code (*png_read)(const char *function, const cpi_io_image *image, void *pixels);
    void (*png_close)(cpi_io_image *image);
    /* the same; `most`: bytes of the longest header that is read */
    cp_code (*npy_open)(const char *function, const char *path, int64_t most, cpi_io_image *image);
    cp_code (*npy_read)(const char *function, const cpi_io_image *image, void *elements);
    bool (*npy_offset)(const cpi_io_image *image, int64_t *offset, int64_t *bytes); /* false: cannot be mapped */
    void (*npy_close)(cpi_io_image *image);
    cp_code (*npy_write)(const char *function, const char *path, cp_type type, int ndim, const int64_t *shape,
                         bool fortran, const void *elements);
    /* archives of arrays; a member is an image like npy_open's */
    cp_code (*zip_open)(const char *function, const char *path, struct cpi_zip **zip);
    int (*zip_count)(const struct cpi_zip *zip);
    const char *(*zip_name)(const struct cpi_zip *zip, int i);
    cp_code (*zip_member)(const char *function, const struct cpi_zip *zip, int i, int64_t most, cpi_io_image *image);
    void (*zip_close)(struct cpi_zip *zip);
    cp_code (*zip_begin)(const char *function, const char *path, bool compressed, struct cpi_zip_writer **writer);
    cp_code (*zip_add)(struct cpi_zip_writer *writer, const char *name, cp_type type, int ndim, const int64_t *shape,
                       bool fortran, const void *elements);
    cp_code (*zip_add_string)(struct cpi_zip_writer *writer, const char *name, const char *string); /* 0-d, NumPy's S */
    cp_code (*zip_end)(struct cpi_zip_writer *writer, cp_code code); /* ends it; no file is left unless code is CP_OK */
} cpi_io_ops;

/* The library's exports: CPI_IO_ABI of the headers that it was compiled with (backend/abi.h), and its entry point. */
extern CP_API const uint64_t cuprite_io_abi;
typedef const cpi_io_ops *(*cpi_io_open_fn)(const cpi_io_host *host);

#endif
