/* The entry point of libcuprite-io.so: its table of functions, and the C locale they run in. */
#include "npy.h"

#include <fitsio.h>
#include <png.h>
#include <stdio.h>
#include <wcslib/wcs.h>

#include "backend/abi.h"

const cpi_io_host *cpi_io_host_table;
static char libraries[128];

static const cpi_io_ops ops = {
    .libraries = libraries,
    .fits_open = cpi_fits_open,
    .fits_read = cpi_fits_read,
    .fits_header = cpi_header_new,
    .fits_close = cpi_fits_close,
    .header_free = cpi_header_free,
    .header_unit = cpi_header_unit,
    .header_object = cpi_header_object,
    .header_system = cpi_header_system,
    .header_sky = cpi_header_sky,
    .header_beam = cpi_header_beam,
    .fits_write = cpi_fits_write,
    .table_write = cpi_table_write,
    .png_write = cpi_png_write,
    .png_open = cpi_png_open,
    .png_read = cpi_png_read,
    .png_close = cpi_png_close,
    .npy_open = cpi_npy_open,
    .npy_read = cpi_npy_read,
    .npy_offset = cpi_npy_position,
    .npy_close = cpi_npy_close,
    .npy_write = cpi_npy_write,
    .zip_open = cpi_zip_open,
    .zip_count = cpi_zip_count,
    .zip_name = cpi_zip_name,
    .zip_member = cpi_zip_member,
    .zip_close = cpi_zip_close,
    .zip_begin = cpi_zip_begin,
    .zip_add = cpi_zip_add,
    .zip_add_string = cpi_zip_add_string,
    .zip_end = cpi_zip_end,
};

cpi_locale cpi_locale_c(void)
{
    cpi_locale l = {newlocale(LC_ALL_MASK, "C", (locale_t)0), (locale_t)0};
    if (l.c) l.before = uselocale(l.c);
    return l;
}

void cpi_locale_back(cpi_locale l)
{
    if (!l.c) return;
    uselocale(l.before);
    freelocale(l.c);
}

const uint64_t cuprite_io_abi = CPI_IO_ABI;

CP_API const cpi_io_ops *cuprite_io_open(const cpi_io_host *host);
const cpi_io_ops *cuprite_io_open(const cpi_io_host *host)
{
    cpi_io_host_table = host;
    cpi_fitsio_guard();
    cpi_wcs_guard();
    float cfitsio;
    int version[3] = {0};
    fits_get_version(&cfitsio);
    wcslib_version(version);
    char text[32]; /* CFITSIO gives 4.0200 for 4.2.0 */
    int v = (int)(cfitsio * 10000 + 0.5);
    snprintf(text, sizeof text, "%d.%d.%d", v / 10000, v / 100 % 100, v % 100);
    snprintf(libraries, sizeof libraries, "CFITSIO %s, WCSLIB %d.%d, libpng %s", text, version[0], version[1],
             png_get_libpng_ver(NULL));
    return &ops;
}
