/* Binary search on the CPU: steps without branches on keys (keys.h), so that many searches are under way at once. */
#include "cpu/threads.h"
#include "sort/keys.h"
#include "sort/sort.h"

enum { EACH = 4096 }; /* values of a task */

typedef struct job {
    cpi_keys keys;
    int64_t n, m;
    const void *from, *values;
    bool right;
    int64_t *to;
} job;

/* key(k, x): x's key, equal for equal values. */
#define SEARCH(T, key)                                                                                \
    do {                                                                                              \
        const T *from = j->from, *values = j->values;                                                 \
        const cpi_keys *k = &j->keys;                                                                 \
        for (int64_t i = first; i < last; i++) {                                                      \
            const T v = key(k, values[i]);                                                            \
            const T *at = from;                                                                       \
            for (int64_t n = j->n; n > 1;) {                                                          \
                int64_t half = n / 2;                                                                 \
                T here = key(k, at[half - 1]);                                                        \
                at += (j->right ? here <= v : here < v) ? half : 0;                                   \
                n -= half;                                                                            \
            }                                                                                         \
            T here = key(k, *at);                                                                     \
            j->to[i] = at - from + (j->right ? here <= v : here < v);                                 \
        }                                                                                             \
    } while (0)

#define KEY16(k, x) cpi_same16(k, cpi_key16(k, x))
#define KEY32(k, x) cpi_same32(k, cpi_key32(k, x))
#define KEY64(k, x) cpi_same64(k, cpi_key64(k, x))
#define CKEY64(k, x) cpi_csame64(k, cpi_ckey64(k, x))
#define CKEY128(k, x) cpi_csame128(k, cpi_ckey128(k, x))

static void search_task(void *context, int64_t task, int worker)
{
    const job *j = context;
    (void)worker;
    int64_t first = task * EACH, last = first + EACH < j->m ? first + EACH : j->m;
    switch (j->keys.bytes) {
    case 1: SEARCH(uint8_t, cpi_key8); break;
    case 2: SEARCH(uint16_t, KEY16); break;
    case 4: SEARCH(uint32_t, KEY32); break;
    case 8:
        if (j->keys.complex_parts) SEARCH(uint64_t, CKEY64);
        else SEARCH(uint64_t, KEY64);
        break;
    default: SEARCH(cpi_u128, CKEY128);
    }
}

cp_code cpi_cpu_search(cp_stream *stream, cp_type type, int64_t n, const void *from, int64_t m, const void *values,
                       bool right, int64_t *to)
{
    (void)stream;
    job j = {.keys = cpi_keys_of(type), .n = n, .m = m, .from = from, .values = values, .right = right, .to = to};
    cpi_parallel((m + EACH - 1) / EACH, search_task, &j);
    return CP_OK;
}
