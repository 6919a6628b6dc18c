/* Catalogues: CSV, and FITS binary tables, which CFITSIO builds in memory. */
#include "plugin.h"

#include "core/type_traits.h"

#include <fitsio.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- CSV --- */

/* Shortest of 3 decimal forms that reads back as the value. */
static int format_number(char *to, size_t bytes, double v, bool single)
{
    if (isnan(v)) return snprintf(to, bytes, "nan");
    if (isinf(v)) return snprintf(to, bytes, v < 0 ? "-inf" : "inf");
    int n = 0;
    for (int digits = single ? 6 : 15; digits <= (single ? 9 : 17); digits++) {
        n = snprintf(to, bytes, "%.*g", digits, v);
        if (single ? strtof(to, NULL) == (float)v : strtod(to, NULL) == v) break;
    }
    return n;
}

static int value(char *to, size_t bytes, const cpi_io_column *c, int64_t i)
{
    switch (c->type) {
    case CP_BOOL:
    case CP_UINT8: return snprintf(to, bytes, "%u", ((const uint8_t *)c->values)[i]);
    case CP_INT8: return snprintf(to, bytes, "%d", ((const int8_t *)c->values)[i]);
    case CP_INT16: return snprintf(to, bytes, "%d", ((const int16_t *)c->values)[i]);
    case CP_UINT16: return snprintf(to, bytes, "%u", ((const uint16_t *)c->values)[i]);
    case CP_INT32: return snprintf(to, bytes, "%d", ((const int32_t *)c->values)[i]);
    case CP_UINT32: return snprintf(to, bytes, "%u", ((const uint32_t *)c->values)[i]);
    case CP_INT64: return snprintf(to, bytes, "%lld", (long long)((const int64_t *)c->values)[i]);
    case CP_UINT64: return snprintf(to, bytes, "%llu", (unsigned long long)((const uint64_t *)c->values)[i]);
    case CP_FLOAT32: return format_number(to, bytes, ((const float *)c->values)[i], true);
    CPI_CASE_HALVES: /* the API layer has converted or refused these */
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT:
    case CP_FLOAT64: break;
    }
    return format_number(to, bytes, ((const double *)c->values)[i], false);
}

/* A name, quoted if CSV needs it. */
static void put_name(cpi_out *out, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        cpi_out_write(out, name, strlen(name));
        return;
    }
    cpi_out_write(out, "\"", 1);
    for (; *name; name++) cpi_out_write(out, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
    cpi_out_write(out, "\"", 1);
}

static cp_code write_csv(cpi_out *out, int n, const cpi_io_column *columns, int64_t rows, const char *cards)
{
    char text[40], card[CPI_CARD + 1];
    int next;
    while ((next = cpi_next_card(out->function, &cards, card)) > 0) {
        size_t length = CPI_CARD;
        while (length && card[length - 1] == ' ') length--;
        card[length] = '\n';
        cpi_out_write(out, "# ", 2);
        cpi_out_write(out, card, length + 1);
    }
    if (next < 0) return CP_ERROR_VALUE;
    for (int c = 0; c < n; c++) {
        if (c) cpi_out_write(out, ",", 1);
        put_name(out, columns[c].name);
    }
    cpi_out_write(out, "\n", 1);
    for (int64_t i = 0; i < rows && out->code == CP_OK; i++)
        for (int c = 0; c < n; c++) {
            int length = value(text, sizeof text - 1, &columns[c], i);
            text[length++] = c + 1 < n ? ',' : '\n';
            cpi_out_write(out, text, (size_t)length);
        }
    return out->code;
}

/* --- FITS --- */

/* TFORM letter and CFITSIO's type of a column. */
static const char *form(cp_type t, int *type)
{
    switch (t) {
    case CP_BOOL: *type = TLOGICAL; return "L";
    case CP_UINT8: *type = TBYTE; return "B";
    case CP_INT8: *type = TSBYTE; return "S";
    case CP_INT16: *type = TSHORT; return "I";
    case CP_UINT16: *type = TUSHORT; return "U";
    case CP_INT32: *type = TINT; return "J";
    case CP_UINT32: *type = TUINT; return "V";
    case CP_INT64: *type = TLONGLONG; return "K";
    case CP_UINT64: *type = TULONGLONG; return "W";
    case CP_FLOAT32: *type = TFLOAT; return "E";
    CPI_CASE_HALVES: /* the API layer has converted or refused these */
    CPI_CASE_COMPLEXES:
    case CP_DEFAULT:
    case CP_FLOAT64: break;
    }
    *type = TDOUBLE;
    return "D";
}

#define WRITTEN (-1) /* a status: the error record says why */
/* Fills the table; `bytes` becomes the length of the file in memory. */
static int fill_table(fitsfile *fits, const char *function, int n, const cpi_io_column *columns, int64_t rows,
                const char *cards, char **words, LONGLONG *bytes)
{
    int status = 0, type, next;
    char card[CPI_CARD + 1];
    for (int c = 0; c < n; c++) {
        words[c] = (char *)columns[c].name;
        words[n + c] = (char *)form(columns[c].type, &type);
        words[2 * n + c] = (char *)(columns[c].unit ? columns[c].unit : "");
    }
    LONGLONG head, data, end = 0;
    fits_create_tbl(fits, BINARY_TBL, rows, n, words, words + n, words + 2 * n, "SOURCES", &status);
    while ((next = cpi_next_card(function, &cards, card)) > 0) fits_write_record(fits, card, &status);
    if (next < 0) return WRITTEN;
    for (int c = 0; c < n && rows; c++) {
        form(columns[c].type, &type);
        fits_write_col(fits, type, c + 1, 1, 1, rows, (void *)columns[c].values, &status);
    }
    fits_flush_file(fits, &status);
    fits_get_hduaddrll(fits, &head, &data, &end, &status);
    *bytes = end;
    return status;
}

static cp_code fits_failed(const cpi_out *out, int status)
{
    char text[81];
    return HOST->fail(status == MEMORY_ALLOCATION ? CP_ERROR_MEMORY : CP_ERROR_IO, "%s: %s: %s", out->function,
                      out->path, cpi_fitsio_string(status, text));
}

static cp_code write_fits(cpi_out *out, int n, const cpi_io_column *columns, int64_t rows, const char *cards)
{
    char **words = HOST->malloc(3 * (size_t)n * sizeof *words);
    if (!words) return CP_ERROR_MEMORY;
    size_t size = 20 * CPI_BLOCK;
    /* CFITSIO grows it by realloc. It must start with zeros: CFITSIO looks for an existing file in it, and a reused
     * heap block may hold one. */
    void *memory = calloc(1, size);
    LONGLONG bytes = 0;
    fitsfile *fits = NULL;
    int status = memory ? 0 : MEMORY_ALLOCATION;
    cpi_fitsio_lock();
    if (!status && !fits_create_memfile(&fits, &memory, &size, 200 * CPI_BLOCK, realloc, &status))
        status = fill_table(fits, out->function, n, columns, rows, cards, words, &bytes);
    cp_code code = status == WRITTEN ? CP_ERROR_VALUE
                   : status          ? fits_failed(out, status)
                                     : cpi_out_write(out, memory, (size_t)bytes);
    int ignored = 0;
    if (fits) fits_close_file(fits, &ignored);
    fits_clear_errmsg();
    cpi_fitsio_unlock();
    free(memory);
    HOST->free(words);
    return code;
}

cp_code cpi_table_write(const char *function, const char *path, int n, const cpi_io_column *columns, int64_t rows,
                        bool fits, const char *cards)
{
    cpi_out out;
    cp_code code = cpi_out_open(function, path, &out);
    if (code != CP_OK) return code;
    cpi_locale l = cpi_locale_c();
    code = fits ? write_fits(&out, n, columns, rows, cards) : write_csv(&out, n, columns, rows, cards);
    cpi_locale_back(l);
    return cpi_out_close(&out, code);
}
