/* median, and elements at given ranks, on the CPU.
 *
 * A long row of 32 or 64 bit elements is read once by all threads: a sample gives a window of keys around the rank, the
 * pass counts what is below it and collects what is inside, and the rest is a selection from a few percent. 8 and 16
 * bit elements are counted in a histogram instead. Short rows are selected from by one thread each, in scratch memory
 * of the worker. Rows and chunks are cut by size, so results never depend on the number of threads. */
#include <math.h>
#include <string.h>

#include "backend/device.h"
#include "cpu/threads.h"
#include "sort/select.h"
#include "sort/sort.h"

enum { LONG_ROW = 1 << 17, SHORT_ROW = 48, CHUNKS = 256 };

/* --- from keys to the median --- */

/* One element of any type, and its bits. */
typedef union element {
    uint8_t bits8;
    uint16_t bits16;
    uint32_t bits32;
    uint64_t bits64;
    cpi_u128 bits128;
    float f;
    double d;
    cp_complex64 c;
    cp_complex128 z;
} element;

/* (a + b) / 2, or a alone: an odd count has one middle element, and adding it to itself could overflow. */
static float middle_float(bool even, float a, float b) { return even ? (0.0f + a + b) / 2 : 0.0f + a; }
static double middle_double(bool even, double a, double b) { return even ? (0.0 + a + b) / 2 : 0.0 + a; }

/* NumPy divides a complex sum by the count as by a complex number: an infinite part leaves NaN in the other. */
static cp_complex128 middle_complex(bool even, cp_complex128 a, cp_complex128 b)
{
    double re = even ? 0.0 + a.re + b.re : 0.0 + a.re, im = even ? 0.0 + a.im + b.im : 0.0 + a.im;
    double zero = 0, scale = even ? 0.5 : 1;
    return (cp_complex128){(re + im * zero) * scale, (im - re * zero) * scale};
}

/* The median of a row from its two middle elements. */
static void store_median(cp_type type, bool even, const element *a, const element *b, void *to)
{
    float x, y;
    double v, w;
    switch (type) {
    CPI_CASE_HALVES:
        cpi_convert_value(type, a, CP_FLOAT32, &x);
        cpi_convert_value(type, b, CP_FLOAT32, &y);
        x = middle_float(even, x, y);
        cpi_convert_value(CP_FLOAT32, &x, type, to);
        return;
    case CP_FLOAT32: x = middle_float(even, a->f, b->f); memcpy(to, &x, sizeof x); return;
    case CP_COMPLEX64: {
        float re = even ? 0.0f + a->c.re + b->c.re : 0.0f + a->c.re,
              im = even ? 0.0f + a->c.im + b->c.im : 0.0f + a->c.im;
        float zero = 0, scale = even ? 0.5f : 1;
        cp_complex64 c = {(re + im * zero) * scale, (im - re * zero) * scale};
        memcpy(to, &c, sizeof c);
        return;
    }
    case CP_COMPLEX128: {
        cp_complex128 z = middle_complex(even, a->z, b->z);
        memcpy(to, &z, sizeof z);
        return;
    }
    CPI_CASE_WHOLE:
    case CP_FLOAT64:
        cpi_convert_value(type, a, CP_FLOAT64, &v);
        cpi_convert_value(type, b, CP_FLOAT64, &w);
        v = middle_double(even, v, w);
        memcpy(to, &v, sizeof v);
        return;
    case CP_DEFAULT: return;
    }
}

static element from_key(cp_type type, const cpi_keys *k, uint64_t key)
{
    element e = {.bits128 = 0};
    if (type == CP_COMPLEX64) e.bits64 = cpi_cunkey64(k, key);
    else if (k->bytes == 8) e.bits64 = cpi_unkey64(k, key);
    else if (k->bytes == 4) e.bits32 = cpi_unkey32(k, (uint32_t)key);
    else if (k->bytes == 2) e.bits16 = cpi_unkey16(k, (uint16_t)key);
    else e.bits8 = cpi_unkey8(k, (uint8_t)key);
    return e;
}

/* The median from the keys of the two middle elements; where the row's largest key is a NaN's, it is the result. */
static void finish_keys(cp_type type, const cpi_keys *k, bool even, uint64_t first, uint64_t second, bool nan,
                        uint64_t largest, void *to)
{
    element a = from_key(type, k, nan ? largest : first), b = from_key(type, k, nan ? largest : second);
    if (nan) memcpy(to, &a, (size_t)k->bytes);
    else store_median(type, even, &a, &b, to);
}

static size_t result_bytes(cp_type type)
{
    return cpi_is_bool(type) || cpi_is_int(type) ? 8 : (size_t)cpi_itemsize(type);
}

/* --- one row, one thread --- */

static void lane8(cp_type type, const cpi_keys *k, const uint8_t *x, int64_t n, void *to)
{
    int64_t counts[256] = {0}, rank = (n - 1) / 2, seen = 0;
    for (int64_t i = 0; i < n; i++) counts[cpi_key8(k, x[i])]++;
    int first = 0, largest = 255;
    while (cpi_is_float(type) && !counts[largest]) largest--; /* only there it may be NaN */
    const bool nan = cpi_is_float(type) && cpi_key_nan8(k, (uint8_t)largest);
    while ((seen += counts[first]) <= rank) first++;
    int second = first;
    if (rank + 1 < n)
        for (; seen <= rank + 1; seen += counts[second]) second++;
    finish_keys(type, k, !(n & 1), (uint64_t)first, (uint64_t)second, nan, (uint64_t)largest, to);
}

static void lane16(cp_type type, const cpi_keys *k, const uint16_t *x, int64_t n, uint32_t *scratch, void *to)
{
    uint32_t largest = 0;
    for (int64_t i = 0; i < n; i++) {
        scratch[i] = cpi_key16(k, x[i]);
        largest = scratch[i] > largest ? scratch[i] : largest;
    }
    bool nan = largest > k->last && cpi_is_float(type);
    cpi_pair32 p = {0, 0};
    if (!nan) p = cpi_select32(scratch, n, (n - 1) / 2);
    finish_keys(type, k, !(n & 1), p.first, p.second, nan, largest, to);
}

static void lane32(cp_type type, const cpi_keys *k, const uint32_t *x, int64_t n, uint32_t *scratch, void *to)
{
    cpi_window b = cpi_window32()(x, n, k, 0, UINT32_MAX, scratch);
    bool nan = (uint32_t)b.largest > (uint32_t)k->last;
    cpi_pair32 p = {0, 0};
    if (!nan) p = cpi_select32(scratch, n, (n - 1) / 2);
    finish_keys(type, k, !(n & 1), p.first, p.second, nan, b.largest, to);
}

static void lane64(cp_type type, const cpi_keys *k, const uint64_t *x, int64_t n, uint64_t *scratch, void *to)
{
    uint64_t largest = 0;
    if (k->complex_parts) {
        for (int64_t i = 0; i < n; i++) {
            scratch[i] = cpi_ckey64(k, x[i]);
            largest = scratch[i] > largest ? scratch[i] : largest;
        }
    } else {
        largest = cpi_window64()(x, n, k, 0, UINT64_MAX, scratch).largest;
    }
    bool nan = k->complex_parts ? cpi_ckey_nan64(k, largest) : largest > k->last;
    cpi_pair64 p = {0, 0};
    if (!nan) p = cpi_select64(scratch, n, (n - 1) / 2);
    finish_keys(type, k, !(n & 1), p.first, p.second, nan, largest, to);
}

static void lane128(const cpi_keys *k, const cpi_u128 *x, int64_t n, cpi_u128 *scratch, void *to)
{
    cpi_u128 largest = 0;
    for (int64_t i = 0; i < n; i++) {
        scratch[i] = cpi_ckey128(k, x[i]);
        largest = scratch[i] > largest ? scratch[i] : largest;
    }
    if (cpi_ckey_nan128(k, largest)) {
        largest = cpi_cunkey128(k, largest);
        memcpy(to, &largest, sizeof largest);
        return;
    }
    cpi_pair128 p = cpi_select128(scratch, n, (n - 1) / 2);
    element a = {.bits128 = cpi_cunkey128(k, p.first)}, b = {.bits128 = cpi_cunkey128(k, p.second)};
    store_median(CP_COMPLEX128, !(n & 1), &a, &b, to);
}

typedef struct row_job {
    cp_type type;
    cpi_keys keys;
    int64_t rows, n, each;  /* rows, elements of a row, rows of a task */
    const char *from;
    char *to, *scratch;     /* `capacity` bytes a worker */
    size_t capacity;
} row_job;

/* Rows of a few elements: CPI_COLUMNS of them are sorted side by side. */
static void short_rows(const row_job *l, int64_t begin, int64_t end, void *tile)
{
    int64_t out = (int64_t)result_bytes(l->type), bytes = l->keys.bytes, n = l->n;
    uint32_t *narrow = tile;
    uint64_t *wide = tile;
    for (int64_t row = begin; row < end; row += CPI_COLUMNS) {
        int count = end - row < CPI_COLUMNS ? (int)(end - row) : CPI_COLUMNS;
        const char *x = l->from + row * n * bytes;
        if (bytes == 8) cpi_columns64()(&l->keys, x, count, (int)n, wide);
        else cpi_columns32()(&l->keys, x, count, (int)n, narrow);
        for (int c = 0; c < count; c++) {
            int64_t a = (n - 1) / 2 * CPI_COLUMNS + c, b = n / 2 * CPI_COLUMNS + c, z = (n - 1) * CPI_COLUMNS + c;
            uint64_t first = bytes == 8 ? wide[a] : narrow[a], second = bytes == 8 ? wide[b] : narrow[b];
            uint64_t largest = bytes == 8 ? wide[z] : narrow[z];
            finish_keys(l->type, &l->keys, !(n & 1), first, second, cpi_is_float(l->type) && largest > l->keys.last,
                        largest, l->to + (row + c) * out);
        }
    }
}

static bool is_short(const cpi_keys *k, int64_t n) { return n <= SHORT_ROW && k->bytes <= 8 && !k->complex_parts; }

static void rows_task(void *context, int64_t task, int worker)
{
    const row_job *l = context;
    int64_t end = (task + 1) * l->each < l->rows ? (task + 1) * l->each : l->rows;
    size_t out = result_bytes(l->type);
    void *scratch = l->scratch + l->capacity * (size_t)worker;
    if (is_short(&l->keys, l->n)) {
        short_rows(l, task * l->each, end, scratch);
        return;
    }
    for (int64_t row = task * l->each; row < end; row++) {
        const void *x = l->from + row * l->n * l->keys.bytes;
        void *to = l->to + row * (int64_t)out;
        switch (l->keys.bytes) {
        case 1: lane8(l->type, &l->keys, x, l->n, to); break;
        case 2: lane16(l->type, &l->keys, x, l->n, scratch, to); break;
        case 4: lane32(l->type, &l->keys, x, l->n, scratch, to); break;
        case 8: lane64(l->type, &l->keys, x, l->n, scratch, to); break;
        default: lane128(&l->keys, x, l->n, scratch, to); break;
        }
    }
}

static cp_code median_rows(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const char *from, char *to)
{
    row_job l = {type, cpi_keys_of(type), rows, n, 1, from, to, NULL, 0};
    size_t key = l.keys.bytes < 4 ? 4 : (size_t)l.keys.bytes;
    int64_t grain = 65536 / n;
    l.each = (rows + 1023) / 1024;
    if (l.each < grain) l.each = grain;
    if (l.each < 1) l.each = 1;
    if (is_short(&l.keys, n)) l.each = (l.each + CPI_COLUMNS - 1) / CPI_COLUMNS * CPI_COLUMNS;
    l.capacity = ((size_t)n * key * (is_short(&l.keys, n) ? CPI_COLUMNS : 1) + 127) / 64 * 64;
    int64_t tasks = (rows + l.each - 1) / l.each;
    int64_t workers = tasks > 1 ? cpi_workers() : 1;
    l.scratch = cpi_work_alloc(stream, l.capacity * (size_t)workers);
    if (!l.scratch) return cp_error();
    cpi_parallel(tasks, rows_task, &l);
    cpi_work_free(stream, l.scratch);
    return CP_OK;
}

/* --- one long row, all threads: 8 and 16 bits --- */

typedef struct counting {
    cpi_keys keys;
    const char *from;
    int64_t n, each, values; /* values: 256 or 65536 */
    uint32_t *counts;        /* that many a task; a task has fewer than 2^32 elements */
} counting;

/* Bytes in eight tables at once, so that equal neighbours do not wait for each other. */
static void count_bytes(const uint8_t *x, int64_t n, uint32_t *counts)
{
    uint32_t tables[8][256] = {{0}};
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t u;
        memcpy(&u, x + i, 8);
        for (int t = 0; t < 8; t++) tables[t][u >> 8 * t & 255]++;
    }
    for (; i < n; i++) tables[0][x[i]]++;
    for (int v = 0; v < 256; v++) {
        counts[v] = 0;
        for (int t = 0; t < 8; t++) counts[v] += tables[t][v];
    }
}

/* counts[v]: how often v occurs as bits. */
static void counting_task(void *context, int64_t task, int worker)
{
    (void)worker;
    const counting *c = context;
    int64_t begin = task * c->each, end = begin + c->each < c->n ? begin + c->each : c->n;
    uint32_t *counts = c->counts + task * c->values;
    if (c->keys.bytes == 1) {
        count_bytes((const uint8_t *)c->from + begin, end - begin, counts);
        return;
    }
    const uint16_t *x = (const uint16_t *)c->from;
    memset(counts, 0, 65536 * sizeof *counts);
    for (int64_t i = begin; i < end; i++) counts[x[i]]++;
}

static cp_code median_counted(cp_stream *stream, cp_type type, int64_t n, const char *from, char *to)
{
    counting c = {cpi_keys_of(type), from, n, 0, 256, NULL};
    int64_t tasks = 8 + (n >> 31);
    if (c.keys.bytes == 2) c.values = 65536;
    c.each = (n + tasks - 1) / tasks;
    c.counts = cpi_work_alloc(stream, (size_t)(tasks * c.values) * sizeof *c.counts);
    if (!c.counts) return cp_error();
    cpi_parallel(tasks, counting_task, &c);
    int64_t rank = (n - 1) / 2, seen = 0;
    int64_t first = -1, second = -1, largest = 0;
    for (int64_t key = 0; key < c.values; key++) {
        int64_t here = 0, v = c.values == 256 ? cpi_unkey8(&c.keys, (uint8_t)key) : cpi_unkey16(&c.keys, (uint16_t)key);
        for (int64_t t = 0; t < tasks; t++) here += c.counts[t * c.values + v];
        seen += here;
        if (here) largest = key;
        if (first < 0 && seen > rank) first = key;
        if (second < 0 && (seen > rank + 1 || seen == n)) second = key;
    }
    cpi_work_free(stream, c.counts);
    bool nan = cpi_is_float(type) && (uint64_t)largest > c.keys.last;
    finish_keys(type, &c.keys, !(n & 1), (uint64_t)first, (uint64_t)second, nan, (uint64_t)largest, to);
    return CP_OK;
}

/* --- one long row, all threads: 32 and 64 bits --- */

typedef struct windowed {
    cpi_keys keys;
    const char *from;
    char *inside;        /* capacity for n keys: a task writes where it reads */
    int64_t n, each, tasks;
    uint64_t lo, hi;
    cpi_window found[CHUNKS];
} windowed;

static void windowed_task(void *context, int64_t task, int worker)
{
    (void)worker;
    windowed *b = context;
    int64_t begin = task * b->each, n = b->n - begin < b->each ? b->n - begin : b->each;
    bool store = b->lo != b->hi;
    if (b->keys.bytes == 4)
        b->found[task] = cpi_window32()((const uint32_t *)b->from + begin, n, &b->keys, (uint32_t)b->lo,
                                        (uint32_t)b->hi, store ? (uint32_t *)b->inside + begin : NULL);
    else
        b->found[task] = cpi_window64()((const uint64_t *)b->from + begin, n, &b->keys, b->lo, b->hi,
                                        store ? (uint64_t *)b->inside + begin : NULL);
}

/* One pass over the row with the window lo..hi; the keys inside are then moved together, to the beginning. */
static cpi_window windowed_pass(windowed *b)
{
    cpi_window all = {0, 0, 0};
    size_t bytes = (size_t)b->keys.bytes;
    cpi_parallel(b->tasks, windowed_task, b);
    for (int64_t t = 0; t < b->tasks; t++) {
        if (b->lo != b->hi)
            memmove(b->inside + (size_t)all.inside * bytes, b->inside + (size_t)(t * b->each) * bytes,
                    (size_t)b->found[t].inside * bytes);
        all.below += b->found[t].below;
        all.inside += b->found[t].inside;
        if (b->found[t].largest > all.largest) all.largest = b->found[t].largest;
    }
    return all;
}

static uint64_t key_at(const windowed *b, int64_t i)
{
    return b->keys.bytes == 4 ? cpi_key32(&b->keys, ((const uint32_t *)b->from)[i])
                              : cpi_key64(&b->keys, ((const uint64_t *)b->from)[i]);
}

static uint64_t top_key(const windowed *b) { return b->keys.bytes == 4 ? UINT32_MAX : UINT64_MAX; }

/* A window that holds a rank and the next one but for one case in some ten thousands: 4.5 standard deviations of the
 * sample's rank on either side, or to the end. The sample temporarily lies in `inside`. */
static void guess_window(windowed *b, int64_t rank)
{
    uint64_t *s = (uint64_t *)b->inside;
    int64_t count = 4096;
    while (count < 32768 && count * 512 < b->n) count *= 2;
    const int64_t stride = b->n / count, margin = (int64_t)(2.25 * sqrt((double)count)) + 2;
    const int64_t middle = (int64_t)((double)rank / (double)b->n * (double)count);
    const int64_t at = middle - margin, to = middle + margin;
    for (int64_t i = 0; i < count; i++) s[i] = key_at(b, cpi_sample_at(i, stride));
    b->lo = 0, b->hi = top_key(b);
    if (at > 0) cpi_nth_element64(s, count, at), b->lo = s[at];
    if (to >= count) return;
    const int64_t from = at > 0 ? at : 0;
    cpi_nth_element64(s + from, count - from, to - from);
    b->hi = s[to];
}

/* The keys at a rank and behind it, and the largest; unless_nan: arbitrary where that is NaN's. */
static cpi_pair64 ranked(windowed *b, int64_t rank, bool unless_nan, uint64_t *largest)
{
    guess_window(b, rank);
    cpi_window found = windowed_pass(b);
    *largest = found.largest;
    if (unless_nan && found.largest > b->keys.last) return (cpi_pair64){0, 0};
    if (rank < found.below || (rank + 1 < b->n && rank + 1 >= found.below + found.inside)) {
        if (rank < found.below) b->lo = 0; /* missed: the side that has the rank, with the window itself */
        else b->hi = top_key(b);
        found = windowed_pass(b);
    }
    rank -= found.below;
    if (b->lo == b->hi) return (cpi_pair64){b->lo, b->lo};
    if (b->keys.bytes == 8) return cpi_select64((uint64_t *)b->inside, found.inside, rank);
    const cpi_pair32 q = cpi_select32((uint32_t *)b->inside, found.inside, rank);
    return (cpi_pair64){q.first, q.second};
}

static bool open_windowed(cp_stream *stream, windowed *b, cp_type type, int64_t n, const void *from)
{
    b->keys = cpi_keys_of(type), b->from = from, b->n = n;
    b->tasks = cpi_cut(n, 32768, &b->each);
    b->inside = cpi_work_alloc(stream, (size_t)n * (size_t)b->keys.bytes);
    return b->inside != NULL;
}

static cp_code median_windowed(cp_stream *stream, cp_type type, int64_t n, const char *from, char *to)
{
    windowed b;
    uint64_t largest;
    if (!open_windowed(stream, &b, type, n, from)) return cp_error();
    const bool real = !cpi_is_int(type);
    const cpi_pair64 p = ranked(&b, (n - 1) / 2, real, &largest);
    cpi_work_free(stream, b.inside);
    finish_keys(type, &b.keys, !(n & 1), p.first, p.second, real && largest > b.keys.last, largest, to);
    return CP_OK;
}

/* One pass for each two adjacent ranks; any pass also gives the last element. */
cp_code cpi_sort_cpu_select_kth(cp_stream *stream, cp_type type, int64_t n, const void *from, int nkth,
                                const int64_t *kth, void *to)
{
    windowed b;
    uint64_t largest;
    if (!open_windowed(stream, &b, type, n, from)) return cp_error();
    for (int i = 0; i < nkth; i++) {
        const bool last = i && kth[i] == n - 1, pair = i + 1 < nkth && kth[i + 1] == kth[i] + 1;
        const cpi_pair64 p = last ? (cpi_pair64){largest, largest} : ranked(&b, kth[i], false, &largest);
        for (int k = 0; k <= pair; k++) {
            const element e = from_key(type, &b.keys, k ? p.second : p.first);
            memcpy((char *)to + (i + k) * b.keys.bytes, &e, (size_t)b.keys.bytes);
        }
        i += pair;
    }
    cpi_work_free(stream, b.inside);
    return CP_OK;
}

cp_code cpi_sort_cpu_median(cp_stream *stream, cp_type type, int64_t rows, int64_t n, const void *from, void *to)
{
    int64_t bytes = cpi_itemsize(type);
    bool windowed_type = (bytes == 4 || bytes == 8) && !cpi_is_complex(type);
    /* With many rows the threads have enough to do with one row each. */
    bool alone = n >= LONG_ROW && (rows < 8 || n >= 1 << 22) && (windowed_type || bytes <= 2);
    if (!alone) return median_rows(stream, type, rows, n, from, to);
    for (int64_t row = 0; row < rows; row++) {
        const char *x = (const char *)from + row * n * bytes;
        char *y = (char *)to + row * (int64_t)result_bytes(type);
        cp_code code = windowed_type ? median_windowed(stream, type, n, x, y) : median_counted(stream, type, n, x, y);
        if (code != CP_OK) return code;
    }
    return CP_OK;
}
