/* Sparse matrices in SciPy's files (scipy.sparse.save_npz): archives whose arrays have the names that SciPy gives them.
 *
 * Invariant: what a file says is believed only after cp_sparse_new has checked it. */
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/shape.h"
#include "io/files.h"
#include "move/move.h"

static const char SAVE[] = "sparse_save", LOAD[] = "sparse_load";

/* What SciPy calls the formats and their arrays. */
static const struct { const char *word, *first, *second; } FORMS[] = {
    [CP_SPARSE_CSR] = {"csr", "indices", "indptr"}, [CP_SPARSE_CSC] = {"csc", "indices", "indptr"},
    [CP_SPARSE_COO] = {"coo", "row", "col"}, [CP_SPARSE_DIA] = {"dia", "offsets", NULL},
    [CP_SPARSE_BSR] = {"bsr", "indices", "indptr"}};
enum { NFORMS = sizeof FORMS / sizeof *FORMS };

/* --- writing --- */

static cp_code add_array(const cpi_io_ops *ops, struct cpi_zip_writer *w, const char *name, cp_array *x)
{
    cpi_io_elements e;
    cp_code code = cpi_io_to_file(SAVE, x, &e);
    if (code != CP_OK) return code;
    code = ops->zip_add(w, name, x->type, x->ndim, x->shape, e.fortran, e.lying->data);
    cp_free(e.lying);
    return code;
}

/* The members in SciPy's order. */
static cp_code add_all(const cpi_io_ops *ops, struct cpi_zip_writer *w, const cp_sparse *a)
{
    const int form = (int)cp_sparse_format_of(a);
    const int64_t shape[] = {cp_sparse_rows(a), cp_sparse_columns(a)};
    cp_array *data, *first, *second;
    cp_code code = cp_sparse_arrays(a, &data, &first, &second);
    if (code != CP_OK) return code;
    code = add_array(ops, w, FORMS[form].first, first);
    if (code == CP_OK && second) code = add_array(ops, w, FORMS[form].second, second);
    if (code == CP_OK) code = ops->zip_add_string(w, "format", FORMS[form].word);
    if (code == CP_OK) code = ops->zip_add(w, "shape", CP_INT64, 1, (const int64_t[]){2}, false, shape);
    if (code == CP_OK) code = add_array(ops, w, "data", data);
    if (code == CP_OK) code = ops->zip_add(w, "_is_array", CP_BOOL, 0, NULL, false, &(bool){true});
    cp_free(data);
    cp_free(first);
    cp_free(second);
    return code;
}

cp_code (cp_sparse_save)(const char *path, cp_sparse *a, const cp_sparse_save_options *options)
{
    const cp_sparse_save_options *o = CPI_GIVEN(cp_sparse_save_options, options);
    struct cpi_zip_writer *w = NULL;
    if (cpi_null(SAVE, path) || cpi_null(SAVE, a)) return cp_error();
    const cpi_io_ops *ops = cpi_io_library(SAVE);
    cp_code code = ops ? ops->zip_begin(SAVE, path, o->compressed, &w) : cp_error();
    return code == CP_OK ? ops->zip_end(w, add_all(ops, w, a)) : code;
}

/* --- reading --- */

typedef struct reading {
    const cpi_io_ops *ops;
    const char *path;
    struct cpi_zip *zip;
} reading;

static cp_code malformed(const reading *r, const char *why)
{
    return cpi_fail(CP_ERROR_FORMAT, "%s: %s: %s", LOAD, r->path, why);
}

static int find(const reading *r, const char *name)
{
    int i = cpi_io_member_named(r->ops, r->zip, name);
    if (i < 0) cpi_fail(CP_ERROR_FORMAT, "%s: %s: there is no array %s in it", LOAD, r->path, name);
    return i;
}

/* An array that no scope owns: the matrix outlives the caller's. */
static cp_array *read_here(const reading *r, const char *name)
{
    const int i = find(r, name);
    return i < 0 ? NULL : cp_keep(cpi_io_load_member(LOAD, r->ops, r->zip, i, CPI_IO_HEADER));
}

/* The format's word: bytes, or of files that SciPy wrote before 1.0 perhaps characters. */
static cp_code read_format(const reading *r, cp_sparse_format *format)
{
    enum { LETTERS = 15 };
    cpi_io_image image = {.strings = true};
    union { uint8_t narrow[LETTERS + 1]; uint32_t wide[LETTERS + 1]; } letters = {0};
    char word[LETTERS + 1] = {0};
    if (cpi_io_member_named(r->ops, r->zip, "format") < 0)
        return malformed(r, "there is no array format in it, so it has no sparse matrix");
    cp_code code = r->ops->zip_member(LOAD, r->zip, find(r, "format"), CPI_IO_HEADER, &image);
    if (code != CP_OK) return code;
    const bool fits = image.strings && image.ndim == 1 && image.size <= LETTERS, wide = image.type == CP_UINT32;
    if (fits) code = r->ops->npy_read(LOAD, &image, &letters);
    r->ops->npy_close(&image);
    if (!fits) return malformed(r, "its format is not one short word");
    for (int i = 0; code == CP_OK && i < LETTERS; i++) {
        const uint32_t letter = wide ? letters.wide[i] : letters.narrow[i];
        word[i] = letter < 127 && (letter >= ' ' || !letter) ? (char)letter : '?';
    }
    for (int i = 0; code == CP_OK && i < NFORMS; i++)
        if (strcmp(word, FORMS[i].word) == 0) return *format = (cp_sparse_format)i, CP_OK;
    if (code != CP_OK) return code;
    return cpi_fail(CP_ERROR_FORMAT, "%s: %s: its format \"%s\" is none of csr, csc, coo, dia and bsr", LOAD, r->path,
                    word);
}

static cp_code read_shape(const reading *r, int64_t shape[2])
{
    cpi_io_image image = {0};
    const int i = find(r, "shape");
    cp_code code = i < 0 ? cp_error() : r->ops->zip_member(LOAD, r->zip, i, CPI_IO_HEADER, &image);
    if (code != CP_OK) return code;
    cp_array *x = NULL, *wide = NULL;
    if (image.ndim != 1 || image.size != 2 || !cpi_is_int(image.type))
        malformed(r, "its shape is not two integers");
    else if ((x = cpi_io_read_on_host(LOAD, r->ops, &image)))
        wide = cpi_as_contiguous(LOAD, x, CP_INT64);
    r->ops->npy_close(&image);
    if (wide) memcpy(shape, wide->data, 2 * sizeof *shape);
    code = wide ? CP_OK : cp_error();
    cp_free(wide);
    cp_free(x);
    return code;
}

/* Triples' rows and columns as one array (2, n), which SciPy reads too and means to write. */
static cp_code read_coordinates(const reading *r, cp_array **rows, cp_array **columns)
{
    cp_array *both = read_here(r, "coords");
    if (!both) return cp_error();
    if (both->ndim == 2 && both->shape[0] == 2) {
        *rows = cp_keep(cp_slice(both, CP_ITEMS(CP_AT(0))));
        *columns = cp_keep(cp_slice(both, CP_ITEMS(CP_AT(1))));
    } else {
        malformed(r, "its coords are not rows and columns");
    }
    cp_free(both);
    return *rows && *columns ? CP_OK : cp_error();
}

/* The matrix of a file's arrays. What cp_sparse_new says of arrays that do not fit gets the file's name. */
static cp_sparse *made(const reading *r, cp_sparse_format format, const int64_t shape[2], cp_array *data,
                       cp_array *first, cp_array *second)
{
    enum { LONGEST = 400 };
    static const char NEW[] = "sparse_new: ";
    const bool before = cp_error() != CP_OK;
    cp_sparse *a = cp_sparse_new(format, shape[0], shape[1], data, first, second);
    if (a || before || (cp_error() != CP_ERROR_VALUE && cp_error() != CP_ERROR_TYPE)) return a;
    char why[LONGEST];
    const char *said = cp_error_message();
    snprintf(why, sizeof why, "%s", strncmp(said, NEW, strlen(NEW)) ? said : said + strlen(NEW));
    cp_error_clear();
    malformed(r, why);
    return NULL;
}

static cp_sparse *read_matrix(const reading *r)
{
    cp_sparse_format format = CP_SPARSE_CSR;
    int64_t shape[2] = {0};
    if (read_format(r, &format) != CP_OK || read_shape(r, shape) != CP_OK) return NULL;
    cp_array *data = read_here(r, "data"), *first = NULL, *second = NULL;
    const bool two = !FORMS[format].second;
    cp_code code = data ? CP_OK : cp_error();
    if (code == CP_OK && format == CP_SPARSE_COO && cpi_io_member_named(r->ops, r->zip, "coords") >= 0) {
        code = read_coordinates(r, &first, &second);
    } else if (code == CP_OK) {
        first = read_here(r, FORMS[format].first);
        if (first && !two) second = read_here(r, FORMS[format].second);
        if (!first || (!second && !two)) code = cp_error();
    }
    cp_sparse *a = code == CP_OK ? made(r, format, shape, data, first, second) : NULL;
    cp_free(data);
    cp_free(first);
    cp_free(second);
    return a;
}

cp_sparse *cp_sparse_load(const char *path)
{
    if (cpi_null(LOAD, path)) return NULL;
    reading r = {cpi_io_library(LOAD), path, NULL};
    if (!r.ops || r.ops->zip_open(LOAD, path, &r.zip) != CP_OK) return NULL;
    cp_sparse *a = read_matrix(&r);
    r.ops->zip_close(r.zip);
    return a;
}
