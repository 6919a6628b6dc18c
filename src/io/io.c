/* The API layer of the module io: checks arguments, copies arrays to and from host memory, and calls the library
 * libcuprite-io.so, which lies beside libcuprite.so and is opened once, on first use.
 *
 * Invariant: CFITSIO, WCSLIB and libpng are not linked to the core, so a program that reads no file does not load
 * them. */
#include "io/files.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "backend/abi.h"
#include "backend/device.h"
#include "backend/libraries.h"
#include "core/array.h"
#include "core/forks.h"
#include "core/memory.h"
#include "cpu/threads.h"
#include "move/move.h"

struct cp_image_header; /* the library's own */

static void parallel(int64_t tasks, cpi_task fn, void *context) { cpi_parallel(tasks, fn, context); }
static const cpi_io_host host_table = {cpi_fail, cpi_malloc, cpi_realloc, cpi_free_host, parallel,
                                       cpi_fork_guard};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static const cpi_io_ops *opened; /* set once, under the lock */

static const cpi_io_ops *open_library(const char *function)
{
    char path[4096], why[512];
    void *handle = dlopen(cpi_library_path("libcuprite-io.so", path, sizeof path), RTLD_NOW | RTLD_LOCAL);
    if (handle && cpi_library_fits(handle, path, "cuprite_io_abi", CPI_IO_ABI, why, sizeof why)) {
        cpi_io_open_fn open = (cpi_io_open_fn)dlsym(handle, "cuprite_io_open");
        if (open) return open(&host_table);
        snprintf(why, sizeof why, "libcuprite-io.so has no cuprite_io_open");
    }
    if (handle) {
        cpi_fail(CP_ERROR_UNSUPPORTED, "%s: %s", function, why);
        dlclose(handle);
    } else {
        const char *error = dlerror();
        cpi_fail(CP_ERROR_UNSUPPORTED, "%s: libcuprite-io.so: %s", function, error ? error : "not found");
    }
    return NULL;
}

const cpi_io_ops *cpi_io_library(const char *function)
{
    const cpi_io_ops *ops = __atomic_load_n(&opened, __ATOMIC_ACQUIRE);
    if (ops) return ops;
    pthread_mutex_lock(&lock);
    if (!(ops = opened)) {
        ops = open_library(function);
        __atomic_store_n(&opened, ops, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return ops;
}

const char *cp_io_libraries(void)
{
    const cpi_io_ops *ops = cpi_io_library("io_libraries");
    return ops ? ops->libraries : NULL;
}

/* --- reading --- */

typedef cp_code (*pixel_reader)(const char *function, const cpi_io_image *image, void *pixels);

/* Reads pixels into a new array: directly into its memory on the CPU, through host memory elsewhere. */
static cp_array *read_pixels(const char *function, pixel_reader read, const cpi_io_image *image)
{
    cp_shape shape = {image->ndim, image->shape};
    if (cpi_device_current() == cpi_device_cpu()) {
        cp_array *x = cp_empty(shape, image->type);
        if (x && image->size && read(function, image, cp_data(x)) != CP_OK) {
            cp_free(x);
            return NULL;
        }
        return x;
    }
    void *pixels = cpi_malloc((size_t)image->size * (size_t)cpi_itemsize(image->type));
    cp_array *x = NULL;
    if (pixels && (!image->size || read(function, image, pixels) == CP_OK))
        x = cp_from_host(pixels, image->type, shape, NULL);
    cpi_free_host(pixels);
    return x;
}

/* Makes the image one of `count` pixels from `first` on. */
static cp_code take_part(cpi_io_image *image, int64_t first, int64_t count)
{
    if (!count && !first) return CP_OK;
    long long end;
    if (__builtin_add_overflow((long long)first, (long long)count, &end)) end = first < 0 ? LLONG_MIN : LLONG_MAX;
    if (count <= 0 || first < 0 || end > image->size)
        return cpi_fail(CP_ERROR_VALUE, "fits_read: pixels %lld to %lld are not inside the image of %lld",
                        (long long)first, end, (long long)image->size);
    if (!image->plain)
        return cpi_fail(CP_ERROR_UNSUPPORTED, "fits_read: no part can be read of a compressed image");
    image->first = first;
    image->size = image->shape[0] = count;
    image->ndim = 1;
    return CP_OK;
}

cp_array *(cp_fits_read)(const char *path, const cp_fits_read_options *options)
{
    if (cpi_null("fits_read", path)) return NULL;
    options = CPI_GIVEN(cp_fits_read_options, options);
    if (options->ext < CP_FITS_PRIMARY) {
        cpi_fail(CP_ERROR_VALUE, "fits_read: ext must be 0 or more, or CP_FITS_PRIMARY");
        return NULL;
    }
    const cpi_io_ops *ops = cpi_io_library("fits_read");
    cpi_io_image image = {0};
    if (!ops || ops->fits_open("fits_read", path, options->ext, &image) != CP_OK) return NULL;
    cp_image_header *header = NULL;
    cp_array *x = NULL;
    if ((!options->header || ops->fits_header("fits_read", &image, &header) == CP_OK) &&
        take_part(&image, options->first, options->count) == CP_OK)
        x = read_pixels("fits_read", ops->fits_read, &image);
    ops->fits_close(&image);
    if (!x) ops->header_free(header);
    else if (options->header) *options->header = header;
    return x;
}

cp_code cp_fits_describe(const char *path, int ext, cp_fits_layout *layout)
{
    if (cpi_null("fits_describe", path) || cpi_null("fits_describe", layout)) return cp_error();
    if (ext < CP_FITS_PRIMARY)
        return cpi_fail(CP_ERROR_VALUE, "fits_describe: ext must be 0 or more, or CP_FITS_PRIMARY");
    const cpi_io_ops *ops = cpi_io_library("fits_describe");
    cpi_io_image image = {0};
    if (!ops || ops->fits_open("fits_describe", path, ext, &image) != CP_OK) return cp_error();
    *layout = (cp_fits_layout){.type = image.type, .ndim = image.ndim, .plain = image.plain};
    memcpy(layout->dims, image.shape, sizeof layout->dims);
    ops->fits_close(&image);
    return CP_OK;
}

/*: function("png_read", "path: string", module="_io", unlock="always",
             doc="A picture from a PNG file: uint8 or uint16, (height, width) or (height, width, channels).") */
cp_array *cp_png_read(const char *path)
{
    if (cpi_null("png_read", path)) return NULL;
    const cpi_io_ops *ops = cpi_io_library("png_read");
    cpi_io_image image = {0};
    if (!ops || ops->png_open("png_read", path, &image) != CP_OK) return NULL;
    cp_array *x = read_pixels("png_read", ops->png_read, &image);
    ops->png_close(&image);
    return x;
}

void cp_image_header_free(cp_image_header *header)
{
    if (header) opened->header_free(header); /* a header exists only if the library is open */
}

const char *cp_image_unit(const cp_image_header *header)
{
    return cpi_null("image_unit", header) ? "" : opened->header_unit(header);
}

const char *cp_image_object(const cp_image_header *header)
{
    return cpi_null("image_object", header) ? "" : opened->header_object(header);
}

const char *cp_image_sky_system(const cp_image_header *header)
{
    return cpi_null("image_sky_system", header) ? NULL : opened->header_system(header);
}

bool cp_image_beam(const cp_image_header *header, cp_beam *beam)
{
    if (cpi_null("image_beam", header) || cpi_null("image_beam", beam)) return false;
    return opened->header_beam(header, beam);
}

cp_code cp_image_sky(const cp_image_header *header, int64_t n, const double *x, const double *y,
                     double *longitude, double *latitude)
{
    if (cpi_null("image_sky", header)) return cp_error();
    if (n < 0) return cpi_fail(CP_ERROR_VALUE, "image_sky: a number of pixels cannot be negative");
    if (n && (cpi_null("image_sky", x) || cpi_null("image_sky", y) || cpi_null("image_sky", longitude) ||
              cpi_null("image_sky", latitude)))
        return cp_error();
    return opened->header_sky("image_sky", header, n, x, y, longitude, latitude);
}

/* --- writing --- */

/* An array's values in C-ordered host memory: a CPU array's own memory, else a copy in `block`. */
typedef struct host_values {
    cp_array *array;
    void *block;
    const void *data;
} host_values;

static void release(host_values *v)
{
    cp_free(v->array);
    cpi_free_host(v->block);
}

static cp_code to_host(const char *function, cp_array *x, cp_type type, host_values *v)
{
    *v = (host_values){0};
    if (!(v->array = cpi_as_contiguous(function, x, type))) return cp_error();
    if (v->array->device == cpi_device_cpu()) {
        v->data = cp_data(v->array);
        return CP_OK;
    }
    size_t bytes = (size_t)cp_nbytes(v->array);
    v->data = v->block = cpi_malloc(bytes);
    if (v->block && cp_to_host(v->array, v->block, bytes) == CP_OK) return CP_OK;
    release(v);
    *v = (host_values){0};
    return cp_error();
}

cp_code (cp_fits_write)(const char *path, cp_array *x, const cp_fits_write_options *options)
{
    if (cpi_null("fits_write", path) || cpi_null("fits_write", x)) return cp_error();
    cp_type type = cp_type_of(x);
    if (cpi_is_complex(type))
        return cpi_fail(CP_ERROR_TYPE, "fits_write: a FITS image cannot hold %s", cp_type_name(type));
    if (type == CP_BOOL) type = CP_UINT8;
    type = cpi_compute_type(type);
    const cpi_io_ops *ops = cpi_io_library("fits_write");
    if (!ops) return cp_error();
    host_values v;
    cp_code code = to_host("fits_write", x, type, &v);
    if (code != CP_OK) return code;
    code = ops->fits_write("fits_write", path, type, cp_ndim(x), cp_dims(x), v.data,
                           options ? options->cards : NULL);
    release(&v);
    return code;
}

static bool ends_in(const char *path, const char *ending)
{
    size_t n = strlen(path), e = strlen(ending);
    return n >= e && !strcasecmp(path + n - e, ending);
}

/* Checks the columns and copies them to the host; on failure those already copied are in `held` for the caller. */
static cp_code fetch_columns(int n, const cp_column *columns, cpi_io_column *fetched,
                             host_values *held, int64_t *rows)
{
    *rows = 0;
    for (int i = 0; i < n; i++) {
        cp_array *v = columns[i].values;
        if (cpi_null("catalog_write", v) || cpi_null("catalog_write", columns[i].name)) return cp_error();
        cp_type type = cp_type_of(v);
        if (cp_ndim(v) != 1 || cpi_is_complex(type))
            return cpi_fail(CP_ERROR_VALUE, "catalog_write: column %s must be 1-d and of a real type",
                            columns[i].name);
        if (i && cp_size(v) != *rows)
            return cpi_fail(CP_ERROR_VALUE, "catalog_write: column %s has %lld rows, the first one %lld",
                            columns[i].name, (long long)cp_size(v), (long long)*rows);
        *rows = cp_size(v);
        type = cpi_compute_type(type);
        cp_code code = to_host("catalog_write", v, type, &held[i]);
        if (code != CP_OK) return code;
        fetched[i].values = held[i].data;
        fetched[i].name = columns[i].name;
        fetched[i].unit = columns[i].unit;
        fetched[i].type = type;
    }
    return CP_OK;
}

cp_code (cp_catalog_write)(const char *path, int n, const cp_column *columns, const cp_catalog_options *options)
{
    options = CPI_GIVEN(cp_catalog_options, options);
    if (cpi_null("catalog_write", path) || cpi_null("catalog_write", columns)) return cp_error();
    if (n < 1 || n > 999) return cpi_fail(CP_ERROR_VALUE, "catalog_write: a table has 1 to 999 columns");
    const cpi_io_ops *ops = cpi_io_library("catalog_write");
    if (!ops) return cp_error();
    cpi_io_column *fetched = cpi_calloc((size_t)n, sizeof *fetched);
    host_values *held = fetched ? cpi_calloc((size_t)n, sizeof *held) : NULL;
    if (!held) {
        cpi_free_host(fetched);
        return cp_error();
    }
    bool fits = options->format == CP_TABLE_FITS ||
                (options->format == CP_TABLE_BY_NAME &&
                 (ends_in(path, ".fits") || ends_in(path, ".fit") || ends_in(path, ".fts")));
    int64_t rows;
    cp_code code = fetch_columns(n, columns, fetched, held, &rows);
    if (code == CP_OK) code = ops->table_write("catalog_write", path, n, fetched, rows, fits, options->cards);
    for (int i = 0; i < n; i++) release(&held[i]);
    cpi_free_host(held);
    cpi_free_host(fetched);
    return code;
}

/*: function("png_write", "path: string, picture: array_like", module="_io", returns="none", unlock="always",
             doc="Writes a uint8 array as a PNG file: grey, or (height, width, 3) in colour.") */
cp_code cp_png_write(const char *path, cp_array *picture)
{
    if (cpi_null("png_write", path) || cpi_null("png_write", picture)) return cp_error();
    int ndim = cp_ndim(picture);
    bool colour = ndim == 3 && cp_dim(picture, 2) == 3;
    if (cp_type_of(picture) != CP_UINT8 || !(ndim == 2 || colour))
        return cpi_fail(CP_ERROR_VALUE, "png_write: a picture is uint8 of shape (height, width) or "
                                        "(height, width, 3)");
    if (cp_size(picture) == 0) return cpi_fail(CP_ERROR_VALUE, "png_write: the picture is empty");
    const cpi_io_ops *ops = cpi_io_library("png_write");
    if (!ops) return cp_error();
    host_values v;
    cp_code code = to_host("png_write", picture, CP_UINT8, &v);
    if (code != CP_OK) return code;
    code = ops->png_write("png_write", path, cp_dim(picture, 0), cp_dim(picture, 1), colour ? 3 : 1, v.data);
    release(&v);
    return code;
}
