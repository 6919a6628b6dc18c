/* Many threads at once in products, linear algebra, transforms, random numbers and fused expressions. All of them reach
 * the initialisation, planning and caches of a first call together, and no result depends on their order. Under the
 * thread sanitizer this tests the caches of these modules. */
#include "check.h"

#include <pthread.h>

enum { THREADS = 6, ROUNDS = 3, CALLS = 12, MOST = 16384 };

typedef struct worker {
    int device, first; /* the call that it begins with */
    size_t bytes[CALLS];
    char result[CALLS][MOST];
    char error[256];
} worker;

static cp_array *small, *large, *wave; /* shared by all threads: 20 matrices of 6 x 6, one of 40 x 40, 3 x 300 numbers
                                          */
static cp_rng *generator;
static pthread_barrier_t start;

static cp_array *if_done(cp_code code, cp_array **a) { return code ? NULL : *a; }

/* Inside a scope, which frees what is not returned. */
static cp_array *call(int which, cp_rng *own)
{
    cp_array *u = NULL, *s = NULL, *vt = NULL;
    switch (which) {
    case 0: return if_done(cp_svd(small, &u, &s, &vt), &s);
    case 1: return if_done(cp_svd(large, &u, &s, &vt), &s);
    case 2: return cp_solve(large, cp_slice(large, CP_ITEMS(CP_AT(0))));
    case 3: return cp_inv(small);
    case 4: return if_done(cp_eigh(large, &s, &vt), &s);
    case 5: return cp_matmul(large, large);
    case 6: return cp_einsum("ijk,ikl,lj->i", 3, ((cp_array *[]){small, small, cp_slice(small, CP_ITEMS(CP_AT(0)))}));
    case 7: return cp_rfft(wave);
    case 8: return cp_fft(wave, .n = 263); /* a prime: a convolution inside */
    case 9: return cp_dct(wave, 2);
    case 10: return cp_rng_gamma(own, cp_float(0.5), cp_float(1), .shape = CP_SHAPE(500));
    default: return cp_fused("t = exp(-x*x); where(x > 0, t, t / 2) + x", 1, (const char *[]){"x"}, &wave);
    }
}

static void work(worker *w)
{
    cp_rng *own = cp_rng_new(5);
    for (int k = 0; k < CALLS && own; k++) {
        int which = (w->first + k) % CALLS;
        for (CP_SCOPE) {
            cp_array *r = call(which, own);
            w->bytes[which] = r ? (size_t)cp_nbytes(r) : 0;
            if (!r || w->bytes[which] > MOST || cp_to_host(r, w->result[which], w->bytes[which]))
                snprintf(w->error, sizeof w->error, "call %d: %s", which, cp_error_message());
            cp_error_clear();
            r = cp_rng_random(generator, .shape = CP_SHAPE(100)); /* shared: any numbers */
            if (!r) snprintf(w->error, sizeof w->error, "random: %s", cp_error_message());
        }
    }
    cp_rng_free(own);
}

static void *run(void *argument)
{
    worker *w = argument;
    if (cp_device_use(w->device)) snprintf(w->error, sizeof w->error, "device: %s", cp_error_message());
    for (int round = 0; round < ROUNDS && !*w->error; round++) work(w);
    return NULL;
}

static void *run_together(void *argument)
{
    pthread_barrier_wait(&start);
    return run(argument);
}

static void make_operands(void)
{
    static double numbers[1600];
    for (int i = 0; i < 1600; i++) numbers[i] = sin(i * i) + (i < 720 ? i % 36 : i % 1600) % 7 * 0.25;
    ok(small = cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(20, 6, 6), NULL));
    ok(wave = cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(3, 300), NULL));
    for (int i = 0; i < 40; i++) numbers[41 * i] += 40;
    ok(large = cp_from_host(numbers, CP_FLOAT64, CP_SHAPE(40, 40), NULL));
    ok(generator = cp_rng_new(1));
}

static void many_threads(void **state)
{
    (void)state;
    static worker w[THREADS + 1];
    for (FOR_DEVICES(d)) {
        pthread_t thread[THREADS];
        memset(w, 0, sizeof w);
        make_operands();
        assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
        for (int i = 0; i <= THREADS; i++) w[i].device = d, w[i].first = 5 * i;
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&thread[i], NULL, run_together, &w[i]), 0);
        for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
        pthread_barrier_destroy(&start);
        run(&w[THREADS]); /* alone, after all of them */
        for (int i = 0; i <= THREADS; i++) {
            if (*w[i].error) fail_msg("thread %d: %s", i, w[i].error);
            for (int k = 0; k < CALLS; k++) {
                assert_true(w[i].bytes[k] > 0);
                assert_int_equal(w[i].bytes[k], w[THREADS].bytes[k]);
                if (memcmp(w[i].result[k], w[THREADS].result[k], w[i].bytes[k])) fail_msg("thread %d, call %d", i, k);
            }
        }
        cp_free(small), cp_free(large), cp_free(wave);
        cp_rng_free(generator);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_threads)};
    return check_run(tests);
}
