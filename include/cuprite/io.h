/* Files: reading and writing FITS images, catalogues, PNG pictures, NumPy's array files,
 * SciPy's files of sparse matrices.
 *
 * CFITSIO, WCSLIB, libpng and zlib are behind libcuprite-io.so, which is opened when one of these functions is first
 * called. A path is the name of a file and nothing else: no "[...]" syntax, no network, no commands. Sizes in a header
 * are checked against the file's size before anything is allocated. Files are written beside their target and renamed
 * when complete, so a failure leaves no partial file and keeps the old file. A device or a pipe is written directly.
 * Errors: CP_ERROR_NOT_FOUND, CP_ERROR_IO, CP_ERROR_FORMAT (malformed data), CP_ERROR_UNSUPPORTED (the library is
 * missing), with one line that names the file and the cause. */
#ifndef CUPRITE_IO_H
#define CUPRITE_IO_H

#include "array.h"
#include "ndimage.h"
#include "sparse.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cp_image_header cp_image_header; /* header cards of an image, with its WCS */

#define CP_FITS_PRIMARY (-1)
typedef struct cp_fits_read_options {
    CP_OPTION(int, ext);                  /* 0: the first HDU with an image; n: extension n; CP_FITS_PRIMARY */
    CP_OPTION(cp_image_header **, header); /* where not NULL: the image's header, freed with cp_image_header_free */
    CP_OPTION(int64_t, first);             /* with `count`: where the part begins, in the flattened image */
    CP_OPTION(int64_t, count);             /* where not 0: only so many pixels, as a 1-d array; of plain files */
    int _;
} cp_fits_read_options;
/* An image as an array on the current device, axes in C order (NAXIS1 is last). Types: BITPIX 8 uint8, 16, 32
 * and 64 signed integers, -32 float32, -64 float64; unsigned (BITPIX 8: signed) where BZERO says so. Integers
 * with another BSCALE, BZERO or a BLANK give float32 (8 and 16 bits) or float64, blank pixels NaN. Reads plain,
 * gzip'd and tile-compressed files. */
CP_API cp_array *cp_fits_read(const char *path, const cp_fits_read_options *options);
#define cp_fits_read(...) CP_CALL(cp_fits_read, cp_fits_read_options, __VA_ARGS__, ._ = 0)

/* What cp_fits_read would give, without reading it. */
typedef struct cp_fits_layout {
    cp_type type;
    int ndim;
    int64_t dims[CP_MAXDIM]; /* C order */
    bool plain;              /* neither gzip'd nor tile-compressed: parts can be read */
} cp_fits_layout;
CP_API cp_code cp_fits_describe(const char *path, int ext, cp_fits_layout *layout);

CP_API void cp_image_header_free(cp_image_header *header); /* NULL is fine */
/* BUNIT and OBJECT, "" when not given; valid as long as the header. */
CP_API const char *cp_image_unit(const cp_image_header *header); /* BUNIT */
CP_API const char *cp_image_object(const cp_image_header *header); /* OBJECT */
/* The celestial system of the WCS: "equatorial", "galactic", "ecliptic" or another word ("helioecliptic",
 * "supergalactic", "celestial"); NULL when the header has no celestial WCS that can be used. */
CP_API const char *cp_image_sky_system(const cp_image_header *header);
/* Longitude and latitude (RA and Dec when equatorial), degrees, of n pixels. Axes of length 1 are dropped first (except
 * in a 2-d image). x counts along the last and y along the first of the two remaining axes, from 0 at a pixel's centre.
 * On other axes the first pixel is used. NaN outside the projection. CP_ERROR_VALUE when there is no celestial WCS. */
CP_API cp_code cp_image_sky(const cp_image_header *header, int64_t n, const double *x, const double *y,
                            double *longitude, double *latitude);

/* The beam of a radio image, from BMAJ, BMIN and BPA: a Gaussian's widths at half its height and its angle from north
 * to east, degrees. */
typedef struct cp_beam {
    double major, minor, angle;
    double pixels; /* its area (integral over peak) in pixels of the image */
} cp_beam;
/* False when the header has no beam, or no celestial WCS that gives the size of a pixel. */
CP_API bool cp_image_beam(const cp_image_header *header, cp_beam *beam);

typedef struct cp_fits_write_options {
    CP_OPTION(const char *, cards); /* more cards for the header: lines of FITS text, "BUNIT   = 'JY/BEAM'\n..." */
    int _;
} cp_fits_write_options;
/* Writes an array as a file with one image. Types without a BITPIX: bool as uint8, float16 and bfloat16 as
 * float32; int8 and unsigned types by BZERO; complex ones are an error (CP_ERROR_TYPE). */
CP_API cp_code cp_fits_write(const char *path, cp_array *x, const cp_fits_write_options *options);
#define cp_fits_write(...) CP_CALL2(cp_fits_write, cp_fits_write_options, __VA_ARGS__, ._ = 0)

/* A column of a table: 1-d, real type. */
typedef struct cp_column {
    const char *name;
    const char *unit;  /* NULL: none */
    cp_array *values;
} cp_column;
typedef enum cp_table_format { CP_TABLE_BY_NAME, CP_TABLE_CSV, CP_TABLE_FITS } cp_table_format;
typedef struct cp_catalog_options {
    CP_OPTION(cp_table_format, format); /* by name: FITS where the path ends in .fits, .fit or .fts, else CSV */
    CP_OPTION(const char *, cards);     /* cards that describe the table: lines of FITS text, "KAPPA   = 3.0\n..." */
    int _;
} cp_catalog_options;
/* Writes n columns of one length as CSV (the cards, each after "# ", a line of names, then numbers that read back as
 * the same values) or as a FITS binary table. */
CP_API cp_code cp_catalog_write(const char *path, int n, const cp_column *columns, const cp_catalog_options *options);
#define cp_catalog_write(...) CP_CALL3(cp_catalog_write, cp_catalog_options, __VA_ARGS__, ._ = 0)

/* Writes a uint8 array (height, width) as a grey picture or (height, width, 3) as a colour one (by a
 * palette where it has at most 256 colours). */
CP_API cp_code cp_png_write(const char *path, cp_array *picture);
/* A picture from a PNG file, on the current device: uint8, of 16 bits uint16; (height, width) of greys, else (height,
 * width, channels) with 2 (grey and alpha), 3 (colour) or 4 channels. Palettes become colours, depths below 8 bits
 * become 8, and a transparent colour becomes alpha. */
CP_API cp_array *cp_png_read(const char *path);

/* Memory mapping of an array's file: none, read-only, copy-on-write, or shared writable. On a device other than the CPU
 * the contents are copied. */
typedef enum cp_map { CP_MAP_NONE, CP_MAP_READ, CP_MAP_COPY, CP_MAP_WRITE } cp_map;
typedef struct cp_load_options {
    CP_OPTION(const char *, name);  /* of an archive (.npz): the array of that name */
    CP_OPTION(cp_map, map);         /* for a file with one array; CP_MAP_WRITE only where its bytes can be mapped as
                                       they are */
    CP_OPTION(int64_t, max_header); /* bytes of the longest header that is read; 0: 10000 */
    int _;
} cp_load_options;
/* The array of NumPy's file (.npy, formats 1 to 3), on the current device, in the file's order; bytes of the other byte
 * order are swapped. Nothing in a file is executed: arrays of objects are CP_ERROR_FORMAT, as are unknown types.
 * CP_ERROR_END_OF_FILE: an empty file. */
CP_API cp_array *cp_load(const char *path, const cp_load_options *options);
#define cp_load(...) CP_CALL(cp_load, cp_load_options, __VA_ARGS__, ._ = 0)
/* Writes NumPy's file of x (numpy.save), byte for byte, in Fortran order if x is F-contiguous. A type that NumPy lacks
 * is stored under its name. */
CP_API cp_code cp_save(const char *path, cp_array *x);

typedef struct cp_savez_options {
    CP_OPTION(bool, compressed);
    int _;
} cp_savez_options;
/* Writes an archive of n arrays (.npz, numpy.savez); names are without ".npy". */
CP_API cp_code cp_savez(const char *path, int n, const char *const *names, cp_array *const *arrays,
                        const cp_savez_options *options);
#define cp_savez(...) CP_CALL4(cp_savez, cp_savez_options, __VA_ARGS__, ._ = 0)

typedef struct cp_archive cp_archive; /* an archive that is being read; its file stays open */
CP_API cp_archive *cp_archive_open(const char *path);
CP_API void cp_archive_close(cp_archive *archive); /* NULL is fine */
CP_API int cp_archive_count(const cp_archive *archive); /* number of arrays */
/* The name of member i with its ".npy"; NULL when there is none. */
CP_API const char *cp_archive_name(const cp_archive *archive, int i);
/* The array of member i; the longest header that is read has max_header bytes (0: 10000). */
CP_API cp_array *cp_archive_load(const cp_archive *archive, int i, int64_t max_header);

typedef struct cp_sparse_save_options {
    CP_OPTION(bool, compressed);
    int _;
} cp_sparse_save_options;
/* Writes a matrix in its format as SciPy's file (.npz, scipy.sparse.save_npz of a sparse array); each array in it has
 * the bytes that SciPy gives it. */
CP_API cp_code cp_sparse_save(const char *path, cp_sparse *a, const cp_sparse_save_options *options);
#define cp_sparse_save(...) CP_CALL2(cp_sparse_save, cp_sparse_save_options, __VA_ARGS__, ._ = 0)
/* The matrix of SciPy's file, of a sparse array or matrix of two axes, on the current device. CP_ERROR_FORMAT where
 * arrays are missing, do not fit, or have indices outside of the matrix. Waits. */
CP_API cp_sparse *cp_sparse_load(const char *path);

/* One line that names the libraries: "CFITSIO 4.2.0, WCSLIB 7.12, libpng 1.6.39"; NULL with the error set when
 * libcuprite-io.so cannot be opened. */
CP_API const char *cp_io_libraries(void);

#ifdef __cplusplus
}
#endif
#endif
