/* Declarations shared by the API files of the module io. */
#ifndef CPI_IO_FILES_H
#define CPI_IO_FILES_H

#include "io/io.h"

/* The library's table; NULL and CP_ERROR_UNSUPPORTED when it cannot be opened. */
const cpi_io_ops *cpi_io_library(const char *function);

/* --- npy.c --- */
enum { CPI_IO_HEADER = 10000 }; /* as NumPy: longer headers are not genuine */
/* A new host array of the file's shape and order, with its elements read. */
cp_array *cpi_io_read_on_host(const char *function, const cpi_io_ops *ops, const cpi_io_image *image);
/* The number of the archive's member `name`, with or without its ".npy"; -1: there is none. */
int cpi_io_member_named(const cpi_io_ops *ops, const struct cpi_zip *zip, const char *name);
/* Member i on the current device; `most`: bytes of the longest header that is read. */
cp_array *cpi_io_load_member(const char *function, const cpi_io_ops *ops, const struct cpi_zip *zip, int i,
                             int64_t most);

/* An array's elements in host memory in the file's order. */
typedef struct cpi_io_elements {
    cp_array *lying;   /* the array, or its transpose if it is in Fortran order; on the host; the caller's */
    bool fortran;
} cpi_io_elements;
cp_code cpi_io_to_file(const char *function, cp_array *x, cpi_io_elements *e);

#endif
