/* cuprite sources: options, several images, the names of the outputs. */
#include "sources.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "cli.h"

static const char help[] =
    "usage: cuprite sources IMAGE.fits... [options]\n\n"
    "Finds the sources in images of the sky: background by kappa-sigma clipping, pixels brighter than\n"
    "median + k * sigma of it, connected groups of those, and their measurements above the background.\n\n"
    "  -k K             threshold above the background's median, in its sigma (5)\n"
    "  --kappa K        clip the background at K sigma (3)\n"
    "  --min-pixels N   a source has at least N pixels above the threshold (5)\n"
    "  --connectivity N 4: pixels that share an edge belong together; 8: those that share a corner too (4)\n"
    "  --ext N          read extension N, or `primary` (the first one that holds an image)\n"
    "  --plane I[,J..]  of a cube: indices on its axes before the last two, in NumPy's order, from 0\n"
    "  --memory SIZE    take larger images in tiles of whole lines: 500M, 4G, bytes\n"
    "  --device NAME    cpu, cuda, cuda:1, ... (the first GPU, where there is one)\n"
    "  --catalog PATH   write all sources: a FITS table where PATH ends in .fits, else CSV\n"
    "  --plot PATH      write a picture of the image and its sources, a PNG\n"
    "  --stretch NAME   of the picture: log or asinh (log)\n\n"
    "With several images PATH must be a folder, or hold {}, which stands for the image's name without its\n"
    "folder and ending. `-` is standard input as IMAGE and standard output as PATH; what else is printed goes to\n"
    "standard error then. Positions count from 0 at the centre of the first pixel, x along NAXIS1.\n";

typedef struct options {
    find_options find;
    const char *device, *catalog, *plot;
    stretch stretch;
    char **images;
    int count;
} options;

/* --- names of outputs --- */

/* Length of a file's name without .fits.gz and the like. */
static size_t stem_length(const char *name)
{
    static const char *const endings[] = {".gz", ".fz", ".fits", ".fit", ".fts"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t e = strlen(endings[i]);
        if (n > e && !strncasecmp(name + n - e, endings[i], e)) n -= e;
    }
    return n;
}

/* The output for an image, malloc'd: PATTERN with {} replaced, or FOLDER/NAME.ending; NULL: out of memory. */
static char *output_path(const char *pattern, const char *image, const char *ending)
{
    const char *slash = strrchr(image, '/'), *name = !strcmp(image, "-") ? "stdin" : slash ? slash + 1 : image;
    int stem = (int)stem_length(name);
    struct stat info;
    char *path = NULL;
    const char *braces = strstr(pattern, "{}");
    size_t n = strlen(pattern);
    bool folder = !braces && n && (pattern[n - 1] == '/' || (stat(pattern, &info) == 0 && S_ISDIR(info.st_mode)));
    int done;
    if (braces) done = asprintf(&path, "%.*s%.*s%s", (int)(braces - pattern), pattern, stem, name, braces + 2);
    else if (folder) done = asprintf(&path, "%s%s%.*s%s", pattern, pattern[n - 1] == '/' ? "" : "/", stem, name,
                                       ending);
    else done = asprintf(&path, "%s", pattern);
    return done < 0 ? NULL : path;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (!strcmp(a, "-") || !strncmp(a, "/dev/", 5)) return false;
    if (!strcmp(a, b)) return true;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino && S_ISREG(x.st_mode);
}

/* No output may be an input or another output; 0 or the exit status. */
static int check_outputs(const options *o)
{
    int n = 0, status = 0;
    char **out = calloc(2 * (size_t)o->count, sizeof *out);
    if (!out) return fail("sources", "out of memory");
    for (int i = 0; i < o->count; i++) {
        if (o->catalog && (out[n] = output_path(o->catalog, o->images[i], ".csv"))) n++;
        if (o->plot && (out[n] = output_path(o->plot, o->images[i], ".png"))) n++;
    }
    for (int i = 0; i < n && !status; i++) {
        for (int j = 0; j < o->count && !status; j++)
            if (same_file(out[i], o->images[j]))
                status = usage_error("sources", "%s: an output would replace an image", out[i]);
        for (int j = 0; j < i && !status; j++)
            if (same_file(out[i], out[j]))
                status = usage_error("sources", "%s: two outputs have this name%s", out[i],
                                     o->count > 1 ? "; a folder or {} in it tells images apart" : "");
    }
    for (int i = 0; i < n; i++) free(out[i]);
    free(out);
    return status;
}

/* Catalogue and picture of one image. */
static int write_outputs(const options *o, const char *image, found *f)
{
    double t = now();
    int status = 0;
    bool large = cp_size(f->image) > 64 << 20;
    if (cp_device_use(CP_CPU) != CP_OK) return fail_error("sources", image);
    if (o->catalog) {
        char *path = output_path(o->catalog, image, ".csv");
        if (!path) return fail("sources", "%s: out of memory", shown(image));
        progress(large, path, "write the catalogue");
        if (write_catalog(f, &o->find, image, output_name(path)) != CP_OK)
            status = fail_error_of("sources", output_name(path), path);
        free(path);
    }
    if (o->plot && !status) {
        char *path = output_path(o->plot, image, ".png");
        if (!path) return fail("sources", "%s: out of memory", shown(image));
        progress(large, path, "draw the picture");
        cp_array *picture = plot_sources(f, o->stretch);
        progress(large, path, "write the picture");
        if (!picture || cp_png_write(output_name(path), picture) != CP_OK)
            status = fail_error_of("sources", output_name(path), path);
        cp_free(picture);
        free(path);
    }
    progress(false, NULL, NULL);
    f->seconds[STEP_WRITE] = now() - t;
    return status;
}

/* --- arguments --- */

static int take_extension(options *o, const args *a)
{
    int64_t n;
    if (!strcmp(a->value, "primary")) o->find.ext = CP_FITS_PRIMARY;
    else if (!args_integer(a, 1, 1000000, &n)) return 2;
    else o->find.ext = (int)n;
    return 0;
}

/* "3" or "0,3": integers with commas between them. */
static int take_planes(options *o, const args *a)
{
    const int most = (int)(sizeof o->find.plane / sizeof *o->find.plane);
    const char *at = a->value;
    for (o->find.planes = 0; o->find.planes < most; at++) {
        char *end;
        errno = 0;
        long long v = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
        if (v < 0 || errno) break;
        o->find.plane[o->find.planes++] = v;
        at = end;
        if (!*at) return 0;
        if (*at != ',') break;
    }
    return usage_error("sources", "option --plane: %s is not an index, or several with commas between them", a->value);
}

/* The picture is a PNG: names with another format's ending are refused. */
static int check_picture(const char *path)
{
    static const char *const others[] = {".jpg", ".jpeg", ".pdf", ".svg", ".gif", ".tif", ".tiff", ".webp", ".bmp",
                                         ".eps", ".ps", ".fits"};
    const char *ending = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; ending && i < sizeof others / sizeof *others; i++)
        if (!strcasecmp(ending, others[i]))
            return usage_error("sources", "option --plot: %s: only PNG files are written", path);
    return 0;
}

/* "4G", "500M", "2.5GB", bytes. */
static int take_memory(options *o, const args *a)
{
    static const char units[] = "KMGT";
    char *end;
    double v = strtod(a->value, &end), unit = 1;
    const char *at = end != a->value && *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
    if (at) {
        for (end++; at >= units; at--) unit *= 1024;
        if (*end == 'i') end++;
        if (*end == 'B') end++;
    }
    if (end == a->value || *end || strpbrk(a->value, "xX") || !(v > 0) || v * unit < 1 || v * unit > 1e18)
        return usage_error("sources", "option --memory: %s is no size such as 4G or 500M", a->value);
    o->find.memory = (int64_t)(v * unit);
    return 0;
}

static int take_option(options *o, const args *a)
{
    if (!a->option) {
        o->images[o->count++] = (char *)a->value;
        return 0;
    }
    if (!strcmp(a->option, "-k")) return args_number(a, 0, 1e9, &o->find.k) ? 0 : 2;
    if (!strcmp(a->option, "--kappa")) return args_number(a, 1e-3, 1e9, &o->find.kappa) ? 0 : 2;
    if (!strcmp(a->option, "--min-pixels"))
        return args_integer(a, 1, INT64_MAX, &o->find.min_pixels) ? 0 : 2;
    if (!strcmp(a->option, "--ext")) return take_extension(o, a);
    if (!strcmp(a->option, "--plane")) return take_planes(o, a);
    if (!strcmp(a->option, "--memory")) return take_memory(o, a);
    if (!strcmp(a->option, "--device")) o->device = a->value;
    else if (!strcmp(a->option, "--catalog")) o->catalog = a->value;
    else if (!strcmp(a->option, "--plot")) o->plot = a->value;
    else if (!strcmp(a->option, "--connectivity")) {
        o->find.corners = !strcmp(a->value, "8");
        if (!o->find.corners && strcmp(a->value, "4"))
            return usage_error("sources", "option --connectivity: %s is neither 4 nor 8", a->value);
    }
    else if (!strcmp(a->value, "log")) o->stretch = STRETCH_LOG;
    else if (!strcmp(a->value, "asinh")) o->stretch = STRETCH_ASINH;
    else return usage_error("sources", "option --stretch: %s is neither log nor asinh", a->value);
    return 0;
}

static int pick_device(options *o)
{
    if (!o->device) {
        if ((o->find.device = cp_device_current()) == CP_NO_DEVICE) return fail_error("sources", "CUPRITE_DEVICE");
        /* opened here, not within the first transfer */
        return cp_device_synchronize(o->find.device) == CP_OK ? 0 : fail_error("sources", "device");
    }
    cp_code code = cp_device_parse(o->device, &o->find.device);
    if (code == CP_OK) code = cp_device_synchronize(o->find.device);
    if (code == CP_OK) return 0;
    char subject[160];
    snprintf(subject, sizeof subject, "device %.140s", o->device);
    fail_error("sources", subject);
    return code == CP_ERROR_VALUE ? 2 : 1;
}

static int search_image(options *o)
{
    if (!o->count) return usage_error("sources", "no image is given (see `cuprite sources --help`)");
    if ((o->catalog && !*o->catalog) || (o->plot && !*o->plot)) return usage_error("sources", "an output has no name");
    if (o->find.memory && o->plot) return usage_error("sources", "--plot needs the whole image: do without --memory");
    int status = check_picture(o->plot);
    if (!status) status = check_outputs(o);
    if (!status) status = pick_device(o);
    if (status) return status;
    if (!cp_io_libraries()) return fail_error("sources", "files"); /* loaded here, not within the first reading */
    bool piped = (o->catalog && !strcmp(o->catalog, "-")) || (o->plot && !strcmp(o->plot, "-"));
    FILE *to = piped ? stderr : stdout;
    for (int i = 0, printed = 0; i < o->count; i++) {
        found f;
        int one = find_sources(o->images[i], &o->find, &f);
        if (!one) one = write_outputs(o, o->images[i], &f);
        if (!one) {
            if (printed++) fprintf(to, "\n");
            print_found(to, &f, &o->find, o->images[i]);
            flush_output();
        }
        found_free(&f);
        if (one) status = one;
    }
    return status;
}

int cmd_sources(int argc, char **argv)
{
    static const char *const flags[] = {"--help", "-h", NULL};
    static const char *const values[] = {"-k", "--kappa", "--min-pixels", "--connectivity", "--ext", "--plane",
                                         "--device", "--memory", "--catalog", "--plot", "--stretch", NULL};
    args a = {.command = "sources", .flags = flags, .values = values, .argc = argc, .at = 1, .argv = argv};
    options o = {.find = {.k = 5, .kappa = 3, .min_pixels = 5}, .images = calloc((size_t)argc, sizeof *o.images)};
    if (!o.images) return fail("sources", "out of memory");
    int status = 0, next;
    bool helped = false;
    while (!status && !helped && (next = args_next(&a))) {
        if (next < 0) status = 2;
        else if (a.option && (!strcmp(a.option, "--help") || !strcmp(a.option, "-h"))) helped = true;
        else status = take_option(&o, &a);
    }
    if (helped) fputs(help, stdout);
    else if (!status) status = search_image(&o);
    free(o.images);
    return status;
}
