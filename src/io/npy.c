/* NumPy's files: arrays to and from host memory, and memory-mapped files. The library knows the formats.
 *
 * Invariant: an array's memory is allocated only when the file is known to have its bytes. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/device.h"
#include "core/array.h"
#include "core/memory.h"
#include "core/shape.h"
#include "io/files.h"
#include "move/move.h"

struct cp_archive { struct cpi_zip *zip; };

/* --- reading --- */

cp_array *cpi_io_read_on_host(const char *function, const cpi_io_ops *ops, const cpi_io_image *image)
{
    cp_array *x = cpi_array_new(function, cpi_device_cpu(), image->type, image->ndim, image->shape,
                                image->fortran ? 'F' : 'C');
    if (!x || ops->npy_read(function, image, x->data) == CP_OK) return x; /* without elements there may still be a
                                                                             checksum to read */
    cp_free(x);
    return NULL;
}

/* Moves x, which is freed, to the current device in the same order. */
static cp_array *here(cp_array *x, bool fortran)
{
    cpi_device *device = x ? cpi_device_current() : NULL;
    if (device == cpi_device_cpu()) return x;
    cp_array *lying = fortran && device ? cp_transpose(x, CP_ALL) : cp_retain(x);
    cp_array *there = device && lying ? cp_to_device(lying, device->id) : NULL;
    cp_array *y = fortran && there ? cp_transpose(there, CP_ALL) : cp_retain(there);
    cp_free(there);
    cp_free(lying);
    cp_free(x);
    return y;
}

typedef struct mapping { void *memory; size_t bytes; } mapping;

static void unmap(void *owner)
{
    mapping *m = owner;
    munmap(m->memory, m->bytes);
    cpi_free_host(m);
}

/* Maps the bytes from the start of the file to `end`. */
static mapping *map_file(const char *path, cp_map how, int64_t end)
{
    struct stat info;
    mapping *m = cpi_malloc(sizeof *m);
    int fd = m ? open(path, (how == CP_MAP_WRITE ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    m ? m->bytes = (size_t)end : 0;
    bool there = fd >= 0 && fstat(fd, &info) == 0 && info.st_size >= end;
    if (there)
        m->memory = mmap(NULL, m->bytes, how == CP_MAP_READ ? PROT_READ : PROT_READ | PROT_WRITE,
                         how == CP_MAP_COPY ? MAP_PRIVATE : MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (there && m->memory != MAP_FAILED) return m;
    if (m) cpi_fail(CP_ERROR_IO, "load: %s: the file cannot be mapped", path);
    cpi_free_host(m);
    return NULL;
}

/* The mapped file as a host array. */
static cp_array *mapped(const char *path, cp_map how, const cpi_io_image *image, int64_t offset, int64_t bytes)
{
    int64_t strides[CP_MAXDIM];
    mapping *m = map_file(path, how, offset + bytes);
    if (!m) return NULL;
    cpi_strides_contiguous(image->ndim, image->shape, cpi_itemsize(image->type), image->fortran ? 'F' : 'C', strides);
    cp_shape shape = {image->ndim, image->shape};
    cp_array *x = cp_from_memory((char *)m->memory + offset, image->type, shape, strides, CP_CPU, unmap, m);
    if (!x) unmap(m);
    else if (how == CP_MAP_READ) cp_set_writable(x, false);
    return x;
}

static cp_array *load_open(const cpi_io_ops *ops, const char *path, cp_map how, const cpi_io_image *image)
{
    int64_t offset = 0, bytes = 0;
    const int64_t part = cpi_itemsize(image->type) / (cpi_is_complex(image->type) ? 2 : 1);
    const bool can = how && ops->npy_offset(image, &offset, &bytes) && bytes && offset % part == 0;
    if (how == CP_MAP_WRITE && (!can || cpi_device_current() != cpi_device_cpu())) {
        cpi_fail(CP_ERROR_VALUE, "load: %s: the file cannot be the memory of an array", path);
        return NULL;
    }
    cp_array *x = can ? mapped(path, how, image, offset, bytes) : cpi_io_read_on_host("load", ops, image);
    return here(x, image->fortran);
}

int cpi_io_member_named(const cpi_io_ops *ops, const struct cpi_zip *zip, const char *name)
{
    const size_t n = strlen(name);
    for (int i = ops->zip_count(zip) - 1; i >= 0; i--) { /* of two with the same name the last counts */
        const char *own = ops->zip_name(zip, i);
        if (strncmp(own, name, n) == 0 && (!own[n] || strcmp(own + n, ".npy") == 0)) return i;
    }
    return -1;
}

cp_array *cpi_io_load_member(const char *function, const cpi_io_ops *ops, const struct cpi_zip *zip, int i,
                             int64_t most)
{
    cpi_io_image image = {0};
    if (ops->zip_member(function, zip, i, most, &image) != CP_OK) return NULL;
    cp_array *x = here(cpi_io_read_on_host(function, ops, &image), image.fortran);
    ops->npy_close(&image);
    return x;
}

static cp_array *load_named(const cpi_io_ops *ops, const char *path, const char *name, int64_t most)
{
    struct cpi_zip *zip = NULL;
    if (ops->zip_open("load", path, &zip) != CP_OK) return NULL;
    int i = cpi_io_member_named(ops, zip, name);
    cp_array *x = i < 0 ? NULL : cpi_io_load_member("load", ops, zip, i, most);
    if (i < 0) cpi_fail(CP_ERROR_VALUE, "load: %s: there is no array %s in it", path, name);
    ops->zip_close(zip);
    return x;
}

/*: function("load", "path: string, name: string = None, map: int = 0, max_header: int64 = 0", module="_io",
             unlock="always", doc="The array of NumPy's file, or of an archive the one of that name.") */
cp_array *(cp_load)(const char *path, const cp_load_options *options)
{
    const cp_load_options *o = CPI_GIVEN(cp_load_options, options);
    if (cpi_null("load", path)) return NULL;
    if (o->map < CP_MAP_NONE || o->map > CP_MAP_WRITE || o->max_header < 0 || (o->map && o->name)) {
        cpi_fail(CP_ERROR_VALUE, "load: a file is read or mapped in one of four ways, and a member is read");
        return NULL;
    }
    const cpi_io_ops *ops = cpi_io_library("load");
    const int64_t most = o->max_header ? o->max_header : CPI_IO_HEADER;
    cpi_io_image image = {0};
    if (!ops) return NULL;
    if (o->name) return load_named(ops, path, o->name, most);
    if (ops->npy_open("load", path, most, &image) != CP_OK) return NULL;
    cp_array *x = load_open(ops, path, o->map, &image);
    ops->npy_close(&image);
    return x;
}

cp_archive *cp_archive_open(const char *path)
{
    if (cpi_null("load", path)) return NULL;
    const cpi_io_ops *ops = cpi_io_library("load");
    cp_archive *a = ops ? cpi_malloc(sizeof *a) : NULL;
    if (!a || ops->zip_open("load", path, &a->zip) == CP_OK) return a;
    cpi_free_host(a);
    return NULL;
}

void cp_archive_close(cp_archive *a)
{
    if (!a) return;
    cpi_io_library("load")->zip_close(a->zip); /* an archive exists only if the library is open */
    cpi_free_host(a);
}

int cp_archive_count(const cp_archive *a)
{
    return cpi_null("archive_count", a) ? 0 : cpi_io_library("load")->zip_count(a->zip);
}

const char *cp_archive_name(const cp_archive *a, int i)
{
    if (cpi_null("archive_name", a)) return NULL;
    if (i >= 0 && i < cp_archive_count(a)) return cpi_io_library("load")->zip_name(a->zip, i);
    cpi_fail(CP_ERROR_INDEX, "archive_name: there is no member %d", i);
    return NULL;
}

cp_array *cp_archive_load(const cp_archive *a, int i, int64_t max_header)
{
    if (cpi_null("load", a) || !cp_archive_name(a, i)) return NULL;
    return cpi_io_load_member("load", cpi_io_library("load"), a->zip, i, max_header ? max_header : CPI_IO_HEADER);
}

/* --- writing --- */

cp_code cpi_io_to_file(const char *function, cp_array *x, cpi_io_elements *e)
{
    *e = (cpi_io_elements){.fortran = cp_is_f_contiguous(x) && !cp_is_c_contiguous(x)};
    cp_array *transposed = e->fortran ? cp_transpose(x, CP_ALL) : cp_retain(x);
    cp_array *dense = transposed ? cpi_as_contiguous(function, transposed, x->type) : NULL;
    e->lying = dense ? cp_to_device(dense, CP_CPU) : NULL;
    cp_free(dense);
    cp_free(transposed);
    return e->lying ? CP_OK : cp_error();
}

/*: function("save", "path: string, x: array", module="_io", returns="none", unlock="always",
             doc="Writes NumPy's file of an array.") */
cp_code cp_save(const char *path, cp_array *x)
{
    cpi_io_elements e;
    if (cpi_null("save", path) || cpi_null("save", x)) return cp_error();
    const cpi_io_ops *ops = cpi_io_library("save");
    cp_code code = ops ? cpi_io_to_file("save", x, &e) : cp_error();
    if (code != CP_OK) return code;
    code = ops->npy_write("save", path, x->type, x->ndim, x->shape, e.fortran, e.lying->data);
    cp_free(e.lying);
    return code;
}

cp_code (cp_savez)(const char *path, int n, const char *const *names, cp_array *const *arrays,
                   const cp_savez_options *options)
{
    const cp_savez_options *o = CPI_GIVEN(cp_savez_options, options);
    struct cpi_zip_writer *w = NULL;
    if (cpi_null("savez", path) || n < 0 || (n && (cpi_null("savez", names) || cpi_null("savez", arrays))))
        return n < 0 ? cpi_fail(CP_ERROR_VALUE, "savez: a number of arrays cannot be negative") : cp_error();
    for (int i = 0; i < n; i++)
        if (cpi_null("savez", names[i]) || cpi_null("savez", arrays[i])) return cp_error();
    const cpi_io_ops *ops = cpi_io_library("savez");
    cp_code code = ops ? ops->zip_begin("savez", path, o->compressed, &w) : cp_error();
    for (int i = 0; i < n && code == CP_OK; i++) {
        cpi_io_elements e;
        const cp_array *x = arrays[i];
        if ((code = cpi_io_to_file("savez", arrays[i], &e)) != CP_OK) break;
        code = ops->zip_add(w, names[i], x->type, x->ndim, x->shape, e.fortran, e.lying->data);
        cp_free(e.lying);
    }
    return w ? ops->zip_end(w, code) : code;
}
