/* Source finding in one image by several processes, each with some of its rows; the same catalogue as one process's
 * (source_finding.c):
 *
 *     mpicc source_finding_mpi.c $(pkg-config --cflags --libs cuprite) -lcuprite-mpi -lm -o source_finding_mpi
 *     mpiexec -n 4 ./source_finding_mpi sky.fits [cpu|cuda]
 *
 * The median is exact: ranks show some of their values, and count what lies below. Sources that cross from one rank's
 * rows to the next one's are joined by their labels on both sides of the border. A call that fails on one rank is an
 * error on all of them, since every collective compares what the ranks are about to do. */
#include <cuprite.h>
#include <cuprite/mpi.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SHOWN = 10, PROBES = 256 };

static int rank, ranks;

/* n numbers of every rank, on all ranks: numbers[r * n + i]. */
static cp_code all_numbers(const double *mine, int n, double *numbers)
{
    cp_scope *s = cp_scope_begin();
    cp_array *every = cp_allgather(cp_from_host(mine, CP_FLOAT64, CP_SHAPE(n), NULL), MPI_COMM_WORLD);
    cp_code code = every ? cp_to_host(every, numbers, sizeof(double) * (size_t)(n * ranks)) : cp_error();
    cp_scope_end(s);
    return code;
}

/* Their sums. */
static cp_code sum_numbers(double *numbers, int n)
{
    cp_scope *s = cp_scope_begin();
    cp_array *sums = cp_allreduce(cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(n), NULL), MPI_COMM_WORLD);
    cp_code code = sums ? cp_to_host(sums, numbers, sizeof(double) * (size_t)n) : cp_error();
    cp_scope_end(s);
    return code;
}

/* This rank's rows of the image; `first`: how many lie before them. Each rank reads its own where the file can be read
 * in parts, else rank 0 reads all of them. */
static cp_array *share(const char *path, int64_t *first)
{
    cp_fits_layout layout;
    if (cp_fits_describe(path, 0, &layout) != CP_OK) return NULL;
    int64_t shape[2] = {1, 1};
    for (int i = 0, n = 0; i < layout.ndim && n < 2; i++) /* radio images have axes of length 1 */
        if (layout.dims[i] != 1) shape[n++] = layout.dims[i];
    const int64_t height = shape[0], width = shape[1], end = height * (rank + 1) / ranks;
    *first = height * rank / ranks;
    if (layout.plain && end > *first)
        return cp_reshape(cp_fits_read(path, .first = *first * width, .count = (end - *first) * width),
                          CP_SHAPE(end - *first, width));
    if (layout.plain) return cp_empty(CP_SHAPE(0, width), layout.type);
    if (rank > 0) return cp_recv(MPI_COMM_WORLD, 0);
    cp_array *image = cp_reshape(cp_fits_read(path), CP_SHAPE(height, width));
    for (int r = 1; r < ranks; r++)
        cp_send(cp_slice(image, CP_ITEMS(CP_RANGE(height * r / ranks, height * (r + 1) / ranks))), MPI_COMM_WORLD, r);
    return cp_slice(image, CP_ITEMS(CP_RANGE(0, height / ranks)));
}

/* --- the background --- */
static int64_t position(cp_array *sorted, double v, bool right)
{
    cp_scope *s = cp_scope_begin();
    cp_array *at = cp_searchsorted(sorted, cp_full(CP_SHAPE0, cp_type_of(sorted), cp_scalar(CP_FLOAT64, &v)),
                                   .side = right ? CP_SIDE_RIGHT : CP_SIDE_LEFT);
    int64_t i = cp_item_int(at);
    cp_scope_end(s);
    return i;
}

static double value(cp_array *sorted, int64_t i)
{
    cp_scope *s = cp_scope_begin();
    double v = cp_item_float(cp_slice(sorted, CP_ITEMS(CP_AT(i))));
    cp_scope_end(s);
    return v;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers of one rank: how many values it has, and some of them in equal steps, the first and the last among them. */
typedef struct probes { double n, value[PROBES]; } probes;

static int64_t probe_at(const probes *p, int64_t i)
{
    const int64_t n = (int64_t)p->n;
    return n <= PROBES ? i : i * (n - 1) / (PROBES - 1);
}

static cp_code probe(cp_array *sorted, int64_t a, int64_t b, probes *p)
{
    int64_t at[PROBES];
    *p = (probes){.n = (double)(b - a)};
    const int64_t m = b - a < PROBES ? b - a : PROBES;
    for (int64_t i = 0; i < m; i++) at[i] = a + probe_at(p, i);
    cp_scope *s = cp_scope_begin();
    cp_array *some = cp_take(sorted, cp_from_host(at, CP_INT64, CP_SHAPE(m), NULL), 0);
    cp_code code = cp_to_host(cp_astype(some, CP_FLOAT64), p->value, sizeof(double) * (size_t)m);
    cp_scope_end(s);
    return code;
}

/* Bounds that follow from probes: at most `most` of all values lie below v, at least `least` not above it. */
static void bounds(const probes *all, double v, int64_t *most, int64_t *least)
{
    *most = *least = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t n = (int64_t)all[r].n, m = n < PROBES ? n : PROBES;
        int64_t below = 0, upto = 0;
        for (int64_t i = 0; i < m; i++) below += all[r].value[i] < v, upto += all[r].value[i] <= v;
        *most += below < m ? probe_at(&all[r], below) : n;
        *least += upto ? probe_at(&all[r], upto - 1) + 1 : 0;
    }
}

/* Of count values in order the greatest that is not above the k-th of all, and the least that is not below it. */
static void enclose(const probes *all, const double *values, int64_t count, int64_t k, double *low, double *high)
{
    int64_t first = 0, end = count, before = -1, last = count - 1, most, least;
    while (end - first > 1) {
        const int64_t middle = first + (end - first) / 2;
        bounds(all, values[middle], &most, &least);
        if (most <= k) first = middle;
        else end = middle;
    }
    while (last - before > 1) {
        const int64_t middle = before + (last - before) / 2;
        bounds(all, values[middle], &most, &least);
        if (least > k) last = middle;
        else before = middle;
    }
    *low = values[first];
    *high = values[last];
}

/* Makes [a, b) the values between the two, and k the number there; whether it is one of the two, *found. */
static cp_code narrow(cp_array *sorted, double low, double high, int64_t *a, int64_t *b, int64_t *k, double *found)
{
    int64_t from = position(sorted, low, true), to = position(sorted, high, false);
    from = from < *a ? *a : from > *b ? *b : from;
    to = to < from ? from : to > *b ? *b : to;
    double counts[2] = {(double)(from - *a), (double)(to - *a)};
    if (sum_numbers(counts, 2) != CP_OK) return cp_error();
    if (*k < (int64_t)counts[0] || low == high) *found = low;
    else if (*k >= (int64_t)counts[1]) *found = high;
    *a = from;
    *b = to;
    *k -= (int64_t)counts[0];
    return CP_OK;
}

/* The k-th smallest of all ranks' sorted[a..b). All show some of their values, which leave few that may be it, and so
 * on: three or four rounds, since each costs the time of some messages. */
static cp_code select_kth(cp_array *sorted, int64_t a, int64_t b, int64_t k, double *found)
{
    probes mine, *all = malloc(sizeof *all * (size_t)ranks);
    double low, high, *values = malloc(sizeof(double) * PROBES * (size_t)ranks);
    cp_code code = all && values ? CP_OK : CP_ERROR_MEMORY;
    *found = NAN;
    while (code == CP_OK && isnan(*found)) {
        if ((code = probe(sorted, a, b, &mine)) != CP_OK) break;
        if ((code = all_numbers(&mine.n, PROBES + 1, &all[0].n)) != CP_OK) break;
        int64_t count = 0;
        for (int r = 0; r < ranks; r++)
            for (int64_t i = 0; i < PROBES && i < (int64_t)all[r].n; i++) values[count++] = all[r].value[i];
        qsort(values, (size_t)count, sizeof *values, by_value);
        enclose(all, values, count, k, &low, &high);
        code = narrow(sorted, low, high, &a, &b, &k, found);
    }
    free(all);
    free(values);
    return code;
}

/* The median of all ranks' sorted[a..b), n values. */
static cp_code median(cp_array *sorted, int64_t a, int64_t b, int64_t n, double *center)
{
    double low = NAN, *next = malloc(sizeof(double) * 2 * (size_t)ranks);
    cp_code code = next ? select_kth(sorted, a, b, (n - 1) / 2, &low) : CP_ERROR_MEMORY;
    *center = low;
    if (code == CP_OK && n % 2 == 0) { /* the next one is as large, or the least above it */
        int64_t upto = position(sorted, low, true), all = 0;
        double high = INFINITY, mine[2] = {(double)(upto < b ? upto - a : b - a), INFINITY};
        if (upto < b) mine[1] = value(sorted, upto);
        code = all_numbers(mine, 2, next);
        for (int r = 0; r < ranks && code == CP_OK; r++) {
            all += (int64_t)next[2 * r];
            if (next[2 * r + 1] < high) high = next[2 * r + 1];
        }
        if (all <= n / 2) *center = low + (high - low) / 2;
    }
    free(next);
    return code;
}

/* Number, mean and sum of squared differences of all ranks' sorted[a..b), joined in the ranks' order. */
static cp_code moments(cp_array *sorted, int64_t a, int64_t b, double *n, double *std)
{
    cp_scope *s = cp_scope_begin();
    double mine[3] = {(double)(b - a), 0, 0}, mean = 0, squares = 0;
    double *all = malloc(sizeof(double) * 3 * (size_t)ranks);
    if (b > a) {
        cp_array *kept = cp_slice(sorted, CP_ITEMS(CP_RANGE(a, b)));
        mine[1] = cp_item_float(cp_mean(kept, .typed = true, .dtype = CP_FLOAT64));
        mine[2] = mine[0] * cp_item_float(cp_var(kept, .typed = true, .dtype = CP_FLOAT64));
    }
    cp_code code = all ? all_numbers(mine, 3, all) : CP_ERROR_MEMORY;
    *n = 0;
    for (int r = 0; r < ranks && code == CP_OK; r++) {
        const double *part = all + 3 * r, d = part[1] - mean, both = *n + part[0];
        if (!part[0]) continue;
        squares += part[2] + d * d * *n * part[0] / both;
        mean += d * part[0] / both;
        *n = both;
    }
    *std = sqrt(squares / *n);
    free(all);
    cp_scope_end(s);
    return code;
}

/* Median and standard deviation of what is left when everything beyond 3 sigma of the median is clipped away. */
static cp_code background(cp_array *rows, double *center, double *std)
{
    cp_array *values = cp_ravel(rows);
    if (values && cp_type_kind(cp_type_of(rows)) != 'f') values = cp_astype(values, CP_FLOAT64); /* as the bounds are */
    cp_array *sorted = cp_sort(values, -1); /* NaN comes last */
    const int64_t valid = cp_item_int(cp_count_nonzero(cp_equal(rows, rows)));
    int64_t a = 0, b = valid;
    double n = 0, before = -1;
    cp_code code = moments(sorted, a, b, &n, std);
    while (code == CP_OK && n != before && n > 0) {
        if ((code = median(sorted, a, b, (int64_t)n, center)) != CP_OK) break;
        const int64_t from = position(sorted, *center - 3 * *std, true);
        const int64_t to = position(sorted, *center + 3 * *std, false);
        before = n;
        if (from > a) a = from;
        if (to < b) b = to > a ? to : a;
        code = moments(sorted, a, b, &n, std);
    }
    return code == CP_OK ? cp_error() : code;
}

/* --- sources --- */
typedef struct part { double pixels, flux, y, x; } part;

/* What lies at this rank's lower border, to the next one; pairs of labels that touch across the upper one. */
static int64_t touching(cp_array *labels, int64_t *pairs)
{
    cp_array *above = NULL;
    cp_array *last = cp_slice(labels, CP_ITEMS(CP_AT(-1))), *first = cp_slice(labels, CP_ITEMS(CP_AT(0)));
    if (rank + 1 < ranks) cp_send(last, MPI_COMM_WORLD, rank + 1);
    if (rank > 0) above = cp_recv(MPI_COMM_WORLD, rank - 1);
    if (!above || cp_size(above) != cp_size(first)) return 0;
    const int64_t width = cp_size(first);
    int64_t n = 0, *up = malloc(sizeof *up * (size_t)width), *down = malloc(sizeof *down * (size_t)width);
    if (up && down && cp_to_host(cp_astype(above, CP_INT64), up, sizeof *up * (size_t)width) == CP_OK &&
        cp_to_host(cp_astype(first, CP_INT64), down, sizeof *down * (size_t)width) == CP_OK)
        for (int64_t i = 0; i < width; i++)
            if (up[i] && down[i]) pairs[2 * n] = up[i] - 1, pairs[2 * n++ + 1] = down[i] - 1;
    free(up);
    free(down);
    return n;
}

/* Measurements as rows of numbers: pixels, flux and centre in the whole image. */
static cp_array *measured(cp_array *rows, cp_array *labels, int64_t count, double center, double first)
{
    cp_sources s;
    if (cp_measure(rows, labels, count, &s, .background = center) != CP_OK) return NULL;
    const int64_t n = count;
    cp_array *of[4] = {cp_astype(s.pixels, CP_FLOAT64), s.flux,
                       cp_add(cp_slice(s.centroid, CP_ITEMS(CP_FULL, CP_AT(0))), cp_float(first)),
                       cp_slice(s.centroid, CP_ITEMS(CP_FULL, CP_AT(1)))};
    for (int i = 0; i < 4; i++) of[i] = cp_reshape(of[i], CP_SHAPE(n, 1));
    return cp_concatenate(4, of, 1);
}

static int64_t root_of(int64_t *parent, int64_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static int by_flux(const void *a, const void *b)
{
    const part *x = *(const part *const *)a, *y = *(const part *const *)b;
    return x->flux != y->flux ? (x->flux < y->flux ? 1 : -1) : (x > y) - (x < y);
}

/* Joins the parts, and shows the brightest sources. */
static cp_code show(part *parts, int64_t *parent, int64_t n)
{
    int64_t sources = 0, *label = calloc((size_t)n + 1, sizeof *label);
    part **order = calloc((size_t)n + 1, sizeof *order);
    if (!label || !order) return CP_ERROR_MEMORY;
    for (int64_t i = 0; i < n; i++) {
        const int64_t r = root_of(parent, i);
        part *to = &parts[r], *of = &parts[i];
        if (r == i) {
            order[sources] = to; /* the first part in the image's order has the least number */
            label[i] = ++sources;
            continue;
        }
        const double flux = to->flux + of->flux;
        to->y = (to->y * to->flux + of->y * of->flux) / flux;
        to->x = (to->x * to->flux + of->x * of->flux) / flux;
        to->flux = flux;
        to->pixels += of->pixels;
    }
    printf("sources: %lld\n%8s %14s %10s %10s\n", (long long)sources, "label", "flux", "x", "y");
    qsort(order, (size_t)sources, sizeof *order, by_flux);
    for (int64_t i = 0; i < sources && i < SHOWN; i++)
        printf("%8lld %14.6g %10.3f %10.3f\n", (long long)label[order[i] - parts], order[i]->flux, order[i]->x,
               order[i]->y);
    free(label);
    free(order);
    return CP_OK;
}

/* Rank 0 gets the parts of all ranks and the pairs that touch; others send theirs. */
static cp_code collect(cp_array *mine, const int64_t *pairs, int64_t n_pairs)
{
    double count = mine ? (double)cp_dim(mine, 0) : 0, *counts = malloc(sizeof(double) * (size_t)ranks);
    cp_code code = counts ? all_numbers(&count, 1, counts) : CP_ERROR_MEMORY;
    cp_array *touching_pairs = cp_from_host(pairs, CP_INT64, CP_SHAPE(n_pairs, 2), NULL);
    int64_t n = 0, at = 0;
    for (int r = 0; r < ranks && code == CP_OK; r++) n += (int64_t)counts[r];
    if (rank > 0) {
        cp_send(mine, MPI_COMM_WORLD, 0);
        cp_send(touching_pairs, MPI_COMM_WORLD, 0);
        free(counts);
        return cp_error();
    }
    part *parts = malloc(sizeof *parts * (size_t)(n + 1));
    int64_t *parent = malloc(sizeof *parent * (size_t)(n + 1));
    for (int64_t i = 0; i < n && parent; i++) parent[i] = i;
    for (int r = 0; r < ranks && code == CP_OK; r++) {
        cp_array *theirs = r ? cp_recv(MPI_COMM_WORLD, r) : mine, *touch = r ? cp_recv(MPI_COMM_WORLD, r) : NULL;
        if (!parts || !parent || !theirs) break;
        code = cp_to_host(theirs, parts + at, (size_t)cp_nbytes(theirs));
        int64_t m = touch ? cp_dim(touch, 0) : 0, *two = malloc(sizeof *two * 2 * (size_t)(m + 1));
        if (m && two && code == CP_OK) code = cp_to_host(touch, two, (size_t)cp_nbytes(touch));
        for (int64_t i = 0; i < m && two && code == CP_OK; i++) {
            int64_t a = root_of(parent, two[2 * i] + at - (int64_t)counts[r - 1]);
            int64_t b = root_of(parent, two[2 * i + 1] + at);
            if (a != b) parent[a > b ? a : b] = a > b ? b : a;
        }
        free(two);
        at += (int64_t)counts[r];
    }
    if (code == CP_OK && cp_error() == CP_OK) code = show(parts, parent, n);
    free(parts);
    free(parent);
    free(counts);
    return code == CP_OK ? cp_error() : code;
}

static cp_code find(const char *path)
{
    int64_t first = 0, count = 0;
    const double start = MPI_Wtime();
    cp_array *rows = share(path, &first), *labels = NULL;
    if (cp_barrier(MPI_COMM_WORLD) != CP_OK) return cp_error();
    const double before = MPI_Wtime();
    int64_t *pairs = rows ? malloc(sizeof *pairs * 2 * (size_t)cp_dim(rows, 1)) : NULL;
    double center = 0, std = 0;
    cp_code code = background(rows, &center, &std);
    if (code == CP_OK && rank == 0) printf("background: median %.6g, sigma %.6g\n", center, std);
    if (code == CP_OK) labels = cp_label(cp_greater(rows, cp_float(center + 5 * std)), NULL, NULL, &count);
    if (labels)
        code = collect(measured(rows, labels, count, center, (double)first), pairs, touching(labels, pairs));
    if (rank == 0 && code == CP_OK)
        fprintf(stderr, "seconds: %.3f for reading, %.3f for the rest\n", before - start, MPI_Wtime() - before);
    free(pairs);
    return code == CP_OK ? cp_error() : code;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    int device, failed = argc < 2;
    if (failed && rank == 0) fprintf(stderr, "usage: source_finding_mpi IMAGE.fits [DEVICE]\n");
    if (argc > 2 && cp_device_parse(argv[2], &device) == CP_OK) cp_device_use(device);
    for (CP_SCOPE) /* a rank without the device comes too: its error is an error on every rank */
        if (!failed && find(argv[1]) != CP_OK) failed = 1;
    if (cp_error() != CP_OK) fprintf(stderr, "%s\n", cp_error_message());
    if (failed) alarm(10); /* MPI_Finalize would wait for a rank that does not come; MPI_Abort may lose the message */
    MPI_Finalize();
    return failed;
}
