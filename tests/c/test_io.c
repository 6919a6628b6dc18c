/* Files: written files read back on every device, failures leave no files, malformed files are errors. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/cuprite-test-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[4][128];
    static int turn;
    char *p = path[turn++ & 3];
    snprintf(p, sizeof path[0], "%s/%s", folder, name);
    return p;
}

static void put_file(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

/* A FITS header block of these cards, and `data` zero bytes. */
static const char *fits_file(const char *name, size_t data, const char *const *cards)
{
    const char *path = in_folder(name);
    char *text = calloc(1, 2880 + data);
    memset(text, ' ', 2880);
    int i = 0;
    for (; cards[i]; i++) memcpy(text + i * 80, cards[i], strlen(cards[i]));
    memcpy(text + i * 80, "END", 3);
    put_file(path, text, 2880 + data);
    free(text);
    return path;
}
#define FITS(name, data, ...) fits_file(name, data, (const char *const[]){"SIMPLE  = T", __VA_ARGS__, NULL})

static int entries(void)
{
    char command[160];
    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    FILE *p = popen(command, "r");
    int n = -1;
    assert_int_equal(fscanf(p, "%d", &n), 1);
    pclose(p);
    return n;
}

static void round_trip(void **state)
{
    (void)state;
    static const cp_type types[] = {CP_INT8, CP_UINT8, CP_INT16, CP_UINT16, CP_INT32, CP_UINT32,
                                    CP_INT64, CP_UINT64, CP_FLOAT32, CP_FLOAT64};
    for (FOR_DEVICES(d))
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            cp_array *x = cp_arange_int(0, 3 * 5 * 7, 1, types[t]);
            cp_array *y = cp_reshape(x, CP_SHAPE(3, 5, 7));
            ok(cp_fits_write(in_folder("x.fits"), y) == CP_OK);
            cp_array *back = cp_fits_read(in_folder("x.fits"));
            ok(back);
            assert_int_equal(cp_type_of(back), types[t]);
            assert_int_equal(cp_ndim(back), 3);
            assert_int_equal(cp_dim(back, 0), 3);
            assert_int_equal(cp_dim(back, 2), 7);
            double want[105];
            for (int i = 0; i < 105; i++) want[i] = i;
            check_values(back, 105, want);
            cp_free(back);
            cp_free(y);
            cp_free(x);
        }
}

/* A view with unusual strides is written by its values; extremes of unsigned types are preserved. */
static void strides_and_extremes(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        uint16_t host[6] = {0, 65535, 1, 32768, 2, 32767};
        cp_array *x = cp_from_host(host, CP_UINT16, CP_SHAPE(2, 3), NULL);
        cp_array *t = cp_transpose(x, (cp_axes){0});
        ok(t);
        ok(cp_fits_write(in_folder("t.fits"), t) == CP_OK);
        cp_array *back = cp_fits_read(in_folder("t.fits"));
        values(back, 0, 32768, 65535, 2, 1, 32767);
        cp_free(back);
        cp_free(t);
        cp_free(x);
    }
}

static void header_and_sky(void **state)
{
    (void)state;
    cp_array *x = cp_zeros(CP_SHAPE(1, 1, 8, 16), CP_FLOAT32);
    const char *cards = "BUNIT   = 'JY/BEAM '\nOBJECT  = 'it''s a test'\n"
                        "CTYPE1  = 'RA---TAN'\nCRVAL1  = 30.0\nCRPIX1  = 8.0\nCDELT1  = -0.5\n"
                        "CTYPE2  = 'DEC--TAN'\nCRVAL2  = 10.0\nCRPIX2  = 4.0\nCDELT2  = 0.5\n"
                        "CTYPE3  = 'FREQ'\nCRVAL3  = 1.5E8\nCTYPE4  = 'STOKES'\nCRVAL4  = 1\n";
    ok(cp_fits_write(in_folder("w.fits"), x, .cards = cards) == CP_OK);
    cp_free(x);
    cp_image_header *h = NULL;
    x = cp_fits_read(in_folder("w.fits"), .header = &h);
    ok(x);
    assert_string_equal(cp_image_unit(h), "JY/BEAM");
    assert_string_equal(cp_image_object(h), "it's a test");
    assert_string_equal(cp_image_sky_system(h), "equatorial");
    double px[2] = {7, 7}, py[2] = {3, 4}, ra[2], dec[2];
    ok(cp_image_sky(h, 2, px, py, ra, dec) == CP_OK);
    assert_true(fabs(ra[0] - 30) < 1e-12 && fabs(dec[0] - 10) < 1e-12);
    assert_true(fabs(dec[1] - (10 + atan(0.5 * M_PI / 180) * 180 / M_PI)) < 1e-9);
    cp_image_header_free(h);
    cp_free(x);
    x = cp_fits_read(in_folder("x.fits"), .header = &h);
    ok(x);
    assert_null(cp_image_sky_system(h));
    assert_true(cp_image_sky(h, 1, px, py, ra, dec) == CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    cp_image_header_free(h);
    cp_image_header_free(NULL);
    cp_free(x);
}

#define BROKEN(code, ...)                 \
    do {                                  \
        assert_null(cp_fits_read(__VA_ARGS__)); \
        failed(code);                     \
    } while (0)

static void broken_files(void **state)
{
    (void)state;
    BROKEN(CP_ERROR_NOT_FOUND, in_folder("none.fits"));
    BROKEN(CP_ERROR_IO, folder);
    put_file(in_folder("text.fits"), "just words\n", 11);
    BROKEN(CP_ERROR_FORMAT, in_folder("text.fits"));
    put_file(in_folder("empty.fits"), "", 0);
    BROKEN(CP_ERROR_FORMAT, in_folder("empty.fits"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = 100", "NAXIS2  = 100"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = -1", "NAXIS2  = 4"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = 4"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 15", "NAXIS   = 1", "NAXIS1  = 4"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 16", "NAXIS   = 1", "NAXIS1  = 99999999999999999999"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 64", "NAXIS   = 3", "NAXIS1  = 4294967296",
                                 "NAXIS2  = 4294967296", "NAXIS3  = 4294967296"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 16", "NAXIS   = 999"));
    /* 2^32 + 16 and 16 - 2^32 are not 16 */
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = 4294967312", "NAXIS   = 1", "NAXIS1  = 4"));
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 2880, "BITPIX  = -4294967280", "NAXIS   = 1", "NAXIS1  = 4"));
    assert_null(cp_fits_read(FITS("b.fits", 2880, "BITPIX  = 8", "NAXIS   = 1", "NAXIS1  = 9223372036854775806")));
    assert_non_null(strstr(cp_error_message(), "ends at byte 9223372036854778686,")); /* beyond INT64_MAX */
    failed(CP_ERROR_FORMAT);
    BROKEN(CP_ERROR_FORMAT, FITS("b.fits", 0, "BITPIX  = 16", "NAXIS   = 0"));
    BROKEN(CP_ERROR_FORMAT, in_folder("x.fits"), .ext = 3);
    BROKEN(CP_ERROR_VALUE, in_folder("x.fits"), .ext = -7);
    /* a path is only a path: no expressions, no commands, no network, no guessing of endings */
    BROKEN(CP_ERROR_NOT_FOUND, in_folder("x.fits[0]"));
    BROKEN(CP_ERROR_NOT_FOUND, "ls |");
    BROKEN(CP_ERROR_NOT_FOUND, "ftp://127.0.0.1/x.fits");
    assert_int_equal(rename(in_folder("t.fits"), in_folder("t.fits.gz")), 0);
    BROKEN(CP_ERROR_NOT_FOUND, in_folder("t.fits"));
    assert_null(cp_fits_read(NULL));
    failed(CP_ERROR_VALUE);
    /* an image without pixels is an array without elements */
    cp_array *x = cp_fits_read(FITS("z.fits", 0, "BITPIX  = 16", "NAXIS   = 2", "NAXIS1  = 0", "NAXIS2  = 5"));
    ok(x);
    assert_int_equal(cp_dim(x, 0), 5);
    assert_int_equal(cp_dim(x, 1), 0);
    cp_free(x);
}

static void writing_fails(void **state)
{
    (void)state;
    cp_array *x = cp_zeros(CP_SHAPE(64, 64), CP_FLOAT32), *z = cp_zeros(CP_SHAPE(2), CP_COMPLEX64);
    assert_true(cp_fits_write(in_folder("no/x.fits"), x) == CP_ERROR_NOT_FOUND);
    failed(CP_ERROR_NOT_FOUND);
    assert_true(cp_fits_write(folder, x) == CP_ERROR_IO);
    failed(CP_ERROR_IO);
    assert_true(cp_fits_write(in_folder("c.fits"), z) == CP_ERROR_TYPE);
    failed(CP_ERROR_TYPE);
    assert_true(cp_fits_write(in_folder("c.fits"), x, .cards = "NAXIS1  = 5") == CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    if (access("/dev/full", W_OK) == 0) { /* written into, never replaced */
        assert_true(cp_fits_write("/dev/full", x) == CP_ERROR_IO);
        failed(CP_ERROR_IO);
        struct stat info;
        assert_int_equal(stat("/dev/full", &info), 0);
        assert_true(S_ISCHR(info.st_mode));
    }
    assert_true(access(in_folder("c.fits"), F_OK) != 0);
    cp_free(x);
    cp_free(z);
}

static void catalogues(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *a = ints(1, 2, 3), *b = doubles(0.1, 1e300, NAN), *c = doubles(1, 2);
        cp_column columns[2] = {{"label", NULL, a}, {"a,b", "Jy", b}};
        ok(cp_catalog_write(in_folder("c.csv"), 2, columns) == CP_OK);
        char text[128] = "";
        FILE *f = fopen(in_folder("c.csv"), "r");
        assert_true(fread(text, 1, sizeof text - 1, f) > 0);
        fclose(f);
        assert_string_equal(text, "label,\"a,b\"\n1,0.1\n2,1e+300\n3,nan\n");
        ok(cp_catalog_write(in_folder("c.fits"), 2, columns) == CP_OK);
        BROKEN(CP_ERROR_FORMAT, in_folder("c.fits")); /* only a table */
        const char *said = "KAPPA   = 3.0 / clipped\n\nIMAGE   = 'x.fits'\n";
        ok(cp_catalog_write(in_folder("c.csv"), 1, columns, .cards = said) == CP_OK);
        f = fopen(in_folder("c.csv"), "r");
        memset(text, 0, sizeof text);
        assert_true(fread(text, 1, sizeof text - 1, f) > 0);
        fclose(f);
        assert_string_equal(text, "# KAPPA   = 3.0 / clipped\n# IMAGE   = 'x.fits'\nlabel\n1\n2\n3\n");
        static const char *const bad[] = {"TFIELDS = 3", "NAXIS2  = 9", "A\tB"};
        for (int i = 0; i < 3; i++) {
            assert_true(cp_catalog_write(in_folder("d.fits"), 1, columns, .cards = bad[i]) != CP_OK);
            cp_error_clear();
            assert_true(access(in_folder("d.fits"), F_OK) != 0);
        }
        columns[1].values = c;
        assert_true(cp_catalog_write(in_folder("d.csv"), 2, columns, .format = CP_TABLE_CSV) == CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        assert_true(access(in_folder("d.csv"), F_OK) != 0);
        cp_free(a);
        cp_free(b);
        cp_free(c);
    }
}

static void pictures(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_array *grey = cp_zeros(CP_SHAPE(4, 6), CP_UINT8), *rgb = cp_zeros(CP_SHAPE(4, 6, 3), CP_UINT8);
        cp_array *wrong = cp_zeros(CP_SHAPE(4, 6, 2), CP_UINT8);
        ok(cp_png_write(in_folder("p.png"), grey) == CP_OK);
        cp_array *back = cp_png_read(in_folder("p.png"));
        ok(back && cp_ndim(back) == 2 && cp_dim(back, 1) == 6 && cp_type_of(back) == CP_UINT8);
        cp_free(back);
        ok(cp_png_write(in_folder("p.png"), rgb) == CP_OK);
        ok((back = cp_png_read(in_folder("p.png"))) && cp_ndim(back) == 3 && cp_dim(back, 2) == 3);
        cp_free(back);
        assert_null(cp_png_read(in_folder("none.png")));
        failed(CP_ERROR_NOT_FOUND);
        assert_null(cp_png_read(in_folder("w.fits")));
        failed(CP_ERROR_FORMAT);
        assert_null(cp_png_read(NULL));
        failed(CP_ERROR_VALUE);
        assert_true(cp_png_write(in_folder("q.png"), wrong) == CP_ERROR_VALUE);
        failed(CP_ERROR_VALUE);
        cp_free(grey);
        cp_free(rgb);
        cp_free(wrong);
    }
}

static bool body_read(void)
{
    cp_image_header *h = NULL;
    cp_array *x = cp_fits_read(in_folder("w.fits"), .header = &h);
    cp_image_header_free(h);
    cp_free(x);
    return x != NULL;
}

static bool body_write(void)
{
    cp_array *x = cp_zeros(CP_SHAPE(3, 4), CP_FLOAT32);
    bool good = cp_fits_write(in_folder("f.fits"), x) == CP_OK;
    cp_free(x);
    return good;
}

static bool body_table(void)
{
    cp_array *x = cp_zeros(CP_SHAPE(3), CP_FLOAT32);
    cp_column column = {"x", "m", x};
    bool good = cp_catalog_write(in_folder("f.fit"), 1, &column) == CP_OK;
    cp_free(x);
    return good;
}

static bool body_picture(void)
{
    cp_array *x = cp_png_read(in_folder("p.png"));
    cp_free(x);
    return x != NULL;
}

static bool body_png(void)
{
    cp_array *x = cp_zeros(CP_SHAPE(3, 4), CP_UINT8);
    bool good = cp_png_write(in_folder("f.png"), x) == CP_OK;
    cp_free(x);
    return good;
}

static void memory_fails(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        every_allocation_fails(body_read);
        every_allocation_fails(body_write);
        every_allocation_fails(body_table);
        every_allocation_fails(body_png);
        every_allocation_fails(body_picture);
    }
    int before = entries();
    for (int n = 1; n < 8; n++) {
        cp_test_fail_allocation(n);
        if (!body_write()) cp_error_clear();
        cp_test_fail_allocation(0);
    }
    assert_int_equal(entries(), before); /* no temporary file is left */
}

static void parts(void **state)
{
    (void)state;
    const float pixels[6] = {0, 1, 2, 3, 4, 5};
    cp_array *x = cp_from_host(pixels, CP_FLOAT32, CP_SHAPE(2, 3), NULL);
    assert_int_equal(cp_fits_write(in_folder("p.fits"), x), CP_OK);
    cp_fits_layout layout;
    assert_int_equal(cp_fits_describe(in_folder("p.fits"), 0, &layout), CP_OK);
    assert_true(layout.type == CP_FLOAT32 && layout.ndim == 2 && layout.dims[0] == 2 && layout.dims[1] == 3);
    assert_true(layout.plain);
    cp_array *part = cp_fits_read(in_folder("p.fits"), .first = 2, .count = 3);
    float got[3];
    assert_non_null(part);
    assert_int_equal(cp_to_host(part, got, sizeof got), CP_OK);
    assert_true(cp_ndim(part) == 1 && cp_size(part) == 3 && !memcmp(got, pixels + 2, sizeof got));
    const int64_t wrong[][2] = {{4, 3}, {-1, 2}, {0, 7}, {0, -1}, {1, 0}, {INT64_MAX, 1}, {1, INT64_MAX}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(cp_fits_read(in_folder("p.fits"), .first = wrong[i][0], .count = wrong[i][1]));
        assert_int_equal(cp_error(), CP_ERROR_VALUE);
        cp_error_clear();
    }
    assert_int_not_equal(cp_fits_describe(in_folder("absent.fits"), 0, &layout), CP_OK);
    cp_error_clear();
    assert_int_equal(cp_fits_describe(in_folder("p.fits"), -2, &layout), CP_ERROR_VALUE);
    cp_error_clear();
    assert_int_not_equal(cp_fits_describe(NULL, 0, &layout), CP_OK);
    cp_error_clear();
    cp_free(x), cp_free(part);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip), cmocka_unit_test(strides_and_extremes), cmocka_unit_test(header_and_sky),
        cmocka_unit_test(parts),
        cmocka_unit_test(broken_files), cmocka_unit_test(writing_fails), cmocka_unit_test(catalogues),
        cmocka_unit_test(pictures), cmocka_unit_test(memory_fails)};
    int failures = check_run(tests);
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) ? 1 : failures;
}
