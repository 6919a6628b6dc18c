/* NumPy's files: declarations shared by npy.c, zip.c and zip_write.c. */
#ifndef CPI_IO_NPY_H
#define CPI_IO_NPY_H

#include "plugin.h"

enum { CPI_NPY_HEADER = 2048 }; /* the longest header that is written: 64 axes */

/* A member of an archive that is read sequentially. */
typedef struct cpi_member cpi_member;
int64_t cpi_member_size(const cpi_member *m);
/* Exactly n bytes from `offset`; seeking back restarts from the beginning. */
cp_code cpi_member_get(cpi_member *m, int64_t offset, void *to, int64_t n);
/* Reads the rest and verifies the checksum. */
cp_code cpi_member_end(cpi_member *m);
void cpi_member_free(cpi_member *m);

/* An open file of one array, or a member. */
typedef struct cpi_npy {
    cpi_file_source source;
    cpi_member *member; /* owned; NULL: a file */
    int64_t size;       /* of file or member */
    int64_t offset, bytes; /* of the elements */
    bool swapped;       /* their bytes are swapped */
    int characters;     /* of each string; 0: it has none */
} cpi_npy;

cp_code cpi_npy_open(const char *function, const char *path, int64_t most, cpi_io_image *image);
cp_code cpi_npy_open_member(const char *function, const char *path, cpi_member *member, int64_t most,
                            cpi_io_image *image); /* owns the member, on failure too */
cp_code cpi_npy_read(const char *function, const cpi_io_image *image, void *elements);
bool cpi_npy_position(const cpi_io_image *image, int64_t *offset, int64_t *bytes);
void cpi_npy_close(cpi_io_image *image);
int64_t cpi_npy_header(cp_type type, int ndim, const int64_t *shape, bool fortran, char *header);
int64_t cpi_npy_string_header(size_t length, char *header); /* of one string of bytes */
cp_code cpi_npy_write(const char *function, const char *path, cp_type type, int ndim, const int64_t *shape,
                      bool fortran, const void *elements);

/* --- zip.c --- */
cp_code cpi_zip_open(const char *function, const char *path, struct cpi_zip **zip);
int cpi_zip_count(const struct cpi_zip *zip);
const char *cpi_zip_name(const struct cpi_zip *zip, int i);
cp_code cpi_zip_member(const char *function, const struct cpi_zip *zip, int i, int64_t most, cpi_io_image *image);
void cpi_zip_close(struct cpi_zip *zip);

/* --- zip_write.c --- */
cp_code cpi_zip_begin(const char *function, const char *path, bool compressed, struct cpi_zip_writer **writer);
cp_code cpi_zip_add(struct cpi_zip_writer *w, const char *name, cp_type type, int ndim, const int64_t *shape,
                    bool fortran, const void *elements);
cp_code cpi_zip_add_string(struct cpi_zip_writer *w, const char *name, const char *text);
cp_code cpi_zip_end(struct cpi_zip_writer *w, cp_code code);

#endif
