/* The header of an image: unit, object, and sky positions by WCSLIB.
 *
 * A header whose WCS WCSLIB cannot use is a header without one, never an error. The celestial axes are extracted from
 * the full WCS if they are independent of the others, so that an invalid frequency axis does no harm. */
#include "plugin.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wcslib/wcs.h>
#include <wcslib/wcsfix.h>
#include <wcslib/wcshdr.h>
#include <wcslib/wcsmath.h>

struct cp_image_header {
    char unit[72], object[72], system[24];
    double beam[3];        /* BMAJ, BMIN, BPA; the first two 0 where not given */
    int x, y;              /* FITS axes (from 1) that x and y count along */
    int n;                 /* pixel axes of `wcs` */
    int axis[CP_MAXDIM];   /* which FITS axis each of them is */
    bool sky;
    struct wcsprm wcs;     /* set when sky */
    pthread_mutex_t lock;  /* wcsp2s writes to wcs */
};

static const char *system_of(const char *lngtyp)
{
    static const struct { const char *type, *name; } systems[] = {
        {"RA", "equatorial"}, {"GLON", "galactic"}, {"ELON", "ecliptic"}, {"HLON", "helioecliptic"},
        {"SLON", "supergalactic"}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (!strncmp(lngtyp, systems[i].type, strlen(systems[i].type))) return systems[i].name;
    return "celestial";
}

/* Extracts the celestial part of `full` into h->wcs; false when there is none. */
static bool celestial(cp_image_header *h, struct wcsprm *full)
{
    int n = 2, axes[CP_MAXDIM] = {WCSSUB_LONGITUDE, WCSSUB_LATITUDE};
    h->wcs.flag = -1;
    if (wcssub(1, full, &n, axes, &h->wcs) == 0 && n == 2 && wcsset(&h->wcs) == 0) {
        h->n = 2;
        memcpy(h->axis, axes, 2 * sizeof *axes);
    } else { /* coupled with other axes: keep all */
        wcsfree(&h->wcs);
        h->wcs.flag = -1;
        if (full->naxis > CP_MAXDIM || wcssub(1, full, NULL, NULL, &h->wcs) != 0 || wcsset(&h->wcs) != 0) {
            wcsfree(&h->wcs);
            return false;
        }
        h->n = full->naxis;
        for (int i = 0; i < h->n; i++) h->axis[i] = i + 1;
    }
    if (h->wcs.lng < 0 || h->wcs.lat < 0) {
        wcsfree(&h->wcs);
        return false;
    }
    strcpy(h->system, system_of(h->wcs.lngtyp));
    return true;
}

/* One header at a time: the parser's thread safety depends on how WCSLIB was built. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void cpi_wcs_guard(void) { HOST->fork_guard(&lock); }

static void find_wcs(cp_image_header *h, char *cards, int n)
{
    int rejected, count = 0, fixed[NWCSFIX];
    struct wcsprm *all = NULL;
    pthread_mutex_lock(&lock);
    if (wcspih(cards, n, WCSHDR_all, 0, &rejected, &count, &all) == 0 && count > 0) {
        wcsfix(7, NULL, all, fixed); /* cards that it cannot fix stay unchanged */
        h->sky = celestial(h, all);
    }
    wcsvfree(&count, &all);
    pthread_mutex_unlock(&lock);
}

static void read_words(cp_image_header *h, const char *cards, int n)
{
    for (int i = 0; i < n; i++) {
        const char *card = cards + (size_t)i * CPI_CARD, *v;
        if ((v = cpi_card_value(card, "BUNIT"))) cpi_card_string(v, card, h->unit, sizeof h->unit);
        if ((v = cpi_card_value(card, "OBJECT"))) cpi_card_string(v, card, h->object, sizeof h->object);
        static const char *const beam[] = {"BMAJ", "BMIN", "BPA"};
        for (int b = 0; b < 3; b++)
            if ((v = cpi_card_value(card, beam[b]))) cpi_card_real(v, card, &h->beam[b]);
    }
}

/* Converts the cards of a compressed image to those of the image: the table's cards are removed, ZNAXIS becomes
 * NAXIS. */
static void image_cards(char *cards, int n)
{
    for (int i = 0; i < n; i++) {
        char *card = cards + (size_t)i * CPI_CARD;
        if (cpi_card_value(card, "NAXIS") || cpi_card_number(card, "NAXIS")) memset(card, ' ', CPI_CARD);
        if (!cpi_card_value(card, "ZNAXIS") && !cpi_card_number(card, "ZNAXIS")) continue;
        memmove(card, card + 1, 7);
        card[7] = ' ';
    }
}

/* Keeps only the cards for WCSLIB: well-formed ones, without table-based distortions (the tables cannot be read here,
 * and their records have a syntax of their own). Returns their number. */
static int clean_cards(char *cards, int n)
{
    static const char *const not_these[] = {"DP", "DQ", "CPDIS", "CQDIS", "CPERR", "CQERR"};
    int kept = 0;
    for (int i = 0; i < n; i++) {
        char clean[CPI_CARD];
        bool good = cpi_card_clean(cards + (size_t)i * CPI_CARD, clean);
        for (size_t k = 0; k < sizeof not_these / sizeof *not_these && good; k++) {
            size_t length = strlen(not_these[k]);
            good = strncmp(clean, not_these[k], length) || clean[length] < '1' || clean[length] > '9';
        }
        if (good) memcpy(cards + (size_t)kept++ * CPI_CARD, clean, CPI_CARD);
    }
    return kept;
}

/* The two axes that remain when those of length 1 are dropped; the first ones if fewer remain. */
static void pick_axes(cp_image_header *h, int ndim, const int64_t *axis)
{
    for (int i = 0; i < ndim && !h->y; i++) {
        if (axis[i] == 1) continue;
        if (!h->x) h->x = i + 1;
        else h->y = i + 1;
    }
    if (h->y) return;
    h->y = h->x > 1 ? h->x : 2;
    h->x = 1;
}

cp_code cpi_header_new(const char *function, const cpi_io_image *image, cp_image_header **header)
{
    (void)function;
    cpi_locale l = cpi_locale_c();
    char *cards;
    int n = image->fits->hdu.cards;
    cp_image_header *h = NULL;
    cp_code code = cpi_hdu_cards(&image->fits->source, &image->fits->hdu, &cards);
    if (code == CP_OK && image->fits->hdu.compressed) image_cards(cards, n);
    if (code == CP_OK && !(h = HOST->malloc(sizeof *h))) code = CP_ERROR_MEMORY;
    if (code == CP_OK) {
        memset(h, 0, sizeof *h);
        pthread_mutex_init(&h->lock, NULL);
        pick_axes(h, image->ndim, image->fits->hdu.axis);
        read_words(h, cards, n);
        find_wcs(h, cards, clean_cards(cards, n));
        *header = h;
    }
    HOST->free(cards);
    cpi_locale_back(l);
    return code;
}

void cpi_header_free(cp_image_header *h)
{
    if (!h) return;
    if (h->sky) wcsfree(&h->wcs);
    pthread_mutex_destroy(&h->lock);
    HOST->free(h);
}

const char *cpi_header_unit(const cp_image_header *h) { return h->unit; }
const char *cpi_header_object(const cp_image_header *h) { return h->object; }
const char *cpi_header_system(const cp_image_header *h) { return h->sky ? h->system : NULL; }

/* Area of a pixel in square degrees, by the WCS' linear part at the reference pixel; 0 where it has none. */
static double pixel_area(const cp_image_header *h)
{
    const struct wcsprm *w = &h->wcs;
    int n = w->lin.naxis, column[2] = {-1, -1};
    for (int a = 0; a < h->n; a++) {
        if (h->axis[a] == h->x) column[0] = a;
        if (h->axis[a] == h->y) column[1] = a;
    }
    if (column[0] < 0 || column[1] < 0) return 0;
    const double *longitude = w->lin.pc + w->lng * n, *latitude = w->lin.pc + w->lat * n;
    return fabs(w->lin.cdelt[w->lng] * w->lin.cdelt[w->lat] *
                (longitude[column[0]] * latitude[column[1]] - longitude[column[1]] * latitude[column[0]]));
}

bool cpi_header_beam(const cp_image_header *h, cp_beam *beam)
{
    const double gaussian = 1.1330900354567985; /* pi / (4 ln 2) */
    double area = h->sky ? pixel_area(h) : 0, pixels = gaussian * h->beam[0] * h->beam[1] / area;
    if (!(h->beam[0] > 0 && h->beam[1] > 0 && area > 0 && isfinite(pixels))) return false;
    *beam = (cp_beam){h->beam[0], h->beam[1], h->beam[2], pixels};
    return true;
}

enum { STEP = 256 }; /* positions a call of WCSLIB */

/* Positions of up to STEP pixels; `work` has space for 3 n + 2 values for each pixel. */
static void positions(struct wcsprm *w, const cp_image_header *h, int n, const double *x, const double *y,
                      double *longitude, double *latitude, double *work)
{
    double *pixel = work, *img = pixel + n * h->n, *world = img + n * h->n, *phi = world + n * h->n, *theta = phi + n;
    int status[STEP] = {0};
    for (int i = 0; i < n; i++)
        for (int a = 0; a < h->n; a++)
            pixel[i * h->n + a] = h->axis[a] == h->x ? x[i] + 1 : h->axis[a] == h->y ? y[i] + 1 : 1;
    int code = wcsp2s(w, n, h->n, pixel, img, phi, theta, world, status);
    for (int i = 0; i < n; i++) {
        bool good = (code == 0 || code == WCSERR_BAD_PIX) && !status[i];
        longitude[i] = good ? world[i * h->n + w->lng] : NAN;
        latitude[i] = good ? world[i * h->n + w->lat] : NAN;
    }
}

cp_code cpi_header_sky(const char *function, const cp_image_header *header, int64_t n, const double *x,
                       const double *y, double *longitude, double *latitude)
{
    if (!header->sky) return HOST->fail(CP_ERROR_VALUE, "%s: the image has no celestial WCS", function);
    cp_image_header *h = (cp_image_header *)header;
    double *work = HOST->malloc(STEP * (3 * (size_t)h->n + 2) * sizeof *work);
    if (!work) return CP_ERROR_MEMORY;
    cpi_locale l = cpi_locale_c();
    pthread_mutex_lock(&h->lock);
    for (int64_t i = 0; i < n; i += STEP)
        positions(&h->wcs, h, n - i < STEP ? (int)(n - i) : STEP, x + i, y + i, longitude + i, latitude + i, work);
    pthread_mutex_unlock(&h->lock);
    cpi_locale_back(l);
    HOST->free(work);
    return CP_OK;
}
