/* Random numbers on the CPU: calls are cut into pieces of CPI_RANDOM_CHUNK words, which threads share.
 *
 * Whole numbers go in one round over as many parts as there are places: each piece writes its good ones where its first
 * part would go, then pieces are pushed together. Invariant: pieces are cut at multiples of their size, whoever
 * computes them. */
#include "random/random.h"

#include <string.h>

#include "backend/device.h"
#include "core/memory.h"
#include "core/type_traits.h"
#include "cpu/features.h"
#include "cpu/threads.h"
#include "random/cpu.h"
#include "random/samplers.h"
#include "random/sequential.h"

extern const cpi_random_simd cpi_random_simd_v2;
#if defined(__x86_64__)
extern const cpi_random_simd cpi_random_simd_v3, cpi_random_simd_v4;
#endif

enum { SEGMENT = CPI_RANDOM_CHUNK, GRAIN = 8 }; /* pieces that are worth a task */

static int64_t at_most(int64_t a, int64_t b) { return a < b ? a : b; }

/* Shares pieces out: `run` gets the first piece of a task and the one behind its last. */
typedef struct job {
    void (*run)(const struct job *j, int64_t first, int64_t last);
    const cpi_random_simd *simd;
    int64_t nchunks, each;
    void *call;
} job;

static void task(void *context, int64_t t, int worker)
{
    const job *j = context;
    (void)worker;
    j->run(j, t * j->each, at_most((t + 1) * j->each, j->nchunks));
}

static void share(void (*run)(const job *j, int64_t first, int64_t last), int64_t nchunks, int64_t grain, void *call)
{
    job j = {
        .run = run, .simd = CPI_BEST(cpi_random_simd), .nchunks = nchunks, .each = (nchunks + 255) / 256, .call = call};
    if (j.each < grain) j.each = grain;
    cpi_parallel((nchunks + j.each - 1) / j.each, task, &j);
}

/* --- words --- */

typedef struct words_call {
    const cpi_bit_stream *from;
    const uint32_t *states;
    int64_t n;
    uint64_t *out;
} words_call;

static void words_chunks(const job *j, int64_t first, int64_t last)
{
    const words_call *c = j->call;
    for (int64_t p = first; p < last; p++) {
        const int64_t at = p * CPR_CHUNK, n = at_most(CPR_CHUNK, c->n - at);
        if (c->from->kind <= CPR_PHILOX32) {
            j->simd->fill(c->from, at, n, c->out + at);
            continue;
        }
        uint32_t s[6];
        memcpy(s, c->states + 6 * p, sizeof s);
        for (int64_t i = 0; i < n; i++) c->out[at + i] = cpr_step(c->from->kind, s);
    }
}

cp_code cpi_random_cpu_words(cp_stream *stream, const cpi_bit_stream *from, const uint32_t *states, int64_t states_n,
                             int64_t n, uint64_t *out)
{
    words_call c = {from, states, n, out};
    (void)stream, (void)states_n;
    share(words_chunks, (n + CPR_CHUNK - 1) / CPR_CHUNK, GRAIN, &c);
    return CP_OK;
}

/* --- distributions --- */

/* A word makes two elements. */
static bool is_narrow(const cpi_draw *d) { return d->distribution == CPR_NORMAL && d->type == CP_FLOAT32; }

/* Elements of a piece of words */
static int64_t chunk_of(const cpi_draw *d) { return d->distribution < CPR_SOURCES ? SEGMENT : SEGMENT / 4; }

static void draw_chunks(const job *j, int64_t first, int64_t last)
{
    const cpi_draw *d = j->call;
    const int64_t per = chunk_of(d);
    _Alignas(64) uint64_t buffer[SEGMENT];
    for (int64_t p = first; p < last; p++) {
        const int64_t at = p * per, n = at_most(per, d->n - at);
        int64_t word = at, words = n;
        if (is_narrow(d)) word = at / 2, words = (n + 1) / 2;
        else if (d->distribution >= CPR_SOURCES) word = 4 * at, words = 4 * n;
        else if (d->distribution >= CPR_PAIRS) words = n + (n & 1);
        const uint64_t *w = buffer;
        if (d->words) w = d->words + word;
        else j->simd->fill(&d->from, word, words, buffer);
        j->simd->draw(d, w, at, n);
    }
}

cp_code cpi_random_cpu_draw(cp_stream *stream, const cpi_draw *d)
{
    const int64_t per = chunk_of(d);
    cpi_draw call = *d;
    (void)stream;
    share(draw_chunks, (d->n + per - 1) / per, d->distribution < CPR_SOURCES ? GRAIN : 1, &call);
    return CP_OK;
}

/* --- parts of words --- */

typedef struct parts_call {
    const cpi_integers *q;
    int64_t *good; /* of each piece; NULL: floats */
} parts_call;

/* The halves `first` to first + n - 1 that parts are made of, in memory. The buffer has room for two words more. */
static const uint32_t *halves_of(const job *j, const cpi_integers *q, int64_t first, int64_t n, uint64_t *buffer)
{
    int64_t i = first - q->has_half, words = 0;
    const int64_t word = i < 0 ? 0 : i / 2, end = (i + n + 1) / 2;
    if (end > word) words = end - word;
    if (q->words) memcpy(buffer + 1, q->words + word, (size_t)words * sizeof *buffer);
    else if (words) j->simd->fill(&q->from, word, words, buffer + 1);
    if (i < 0) return ((uint32_t *)buffer)[1] = q->half, (const uint32_t *)buffer + 1;
    return (const uint32_t *)(buffer + 1) + i % 2;
}

static void parts_chunks(const job *j, int64_t first, int64_t last)
{
    const parts_call *c = j->call;
    const cpi_integers *q = c->q;
    const int64_t bytes = (int64_t)cp_type_size(q->type);
    const int shift = q->bits == 32 ? 0 : q->bits == 16 ? 1 : q->bits == 8 ? 2 : 5;
    _Alignas(64) uint64_t buffer[SEGMENT + 2];
    for (int64_t p = first; p < last; p++) {
        const int64_t at = p * SEGMENT, n = at_most(SEGMENT, q->n - at), from = q->first + at;
        char *out = (char *)q->out + at * bytes;
        const void *part;
        if (q->bits == 64) {
            part = buffer;
            if (q->words) part = q->words + from;
            else j->simd->fill(&q->from, from, n, buffer);
        } else {
            const int64_t half = from >> shift, in = from & ((1 << shift) - 1);
            part = halves_of(j, q, half, ((from + n - 1) >> shift) - half + 1, buffer);
            if (q->bits != 1) part = (const char *)part + in * q->bits / 8;
        }
        if (c->good) c->good[p] = j->simd->integers(q, part, (int)(from & 31), n, out);
        else j->simd->floats(part, n, (float *)out);
    }
}

cp_code cpi_random_cpu_halves(cp_stream *stream, const cpi_integers *q)
{
    parts_call c = {q, NULL};
    (void)stream;
    share(parts_chunks, (q->n + SEGMENT - 1) / SEGMENT, GRAIN, &c);
    return CP_OK;
}

cp_code cpi_random_cpu_integers(cp_stream *stream, cpi_integers *q)
{
    q->used = q->n = q->want; /* no more parts than there are places */
    const int64_t nchunks = (q->n + SEGMENT - 1) / SEGMENT, bytes = (int64_t)cp_type_size(q->type);
    int64_t one[8], *good = nchunks <= 8 ? one : cpi_malloc((size_t)nchunks * sizeof *good);
    (void)stream;
    if (!good) return cp_error();
    parts_call c = {q, good};
    share(parts_chunks, nchunks, GRAIN, &c);
    int64_t k = 0;
    for (int64_t p = 0; p < nchunks; p++) {
        char *to = (char *)q->out + k * bytes, *from = (char *)q->out + p * SEGMENT * bytes;
        if (to != from) memmove(to, from, (size_t)(good[p] * bytes));
        k += good[p];
    }
    q->taken = k;
    if (good != one) cpi_free_host(good);
    return CP_OK;
}
