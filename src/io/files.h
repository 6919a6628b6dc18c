/* Declarations shared by the API files of the module io. */
#ifndef CPI_IO_FILES_H
#define CPI_IO_FILES_H

#include "io/io.h"

/* The library's table; NULL and CP_ERROR_UNSUPPORTED when it cannot be opened. */
const cpi_io_ops *cpi_io_library(const char *function);

#endif
