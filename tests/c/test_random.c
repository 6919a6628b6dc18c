/* Random numbers from C: known words, the same numbers on every device, options, errors, every allocation failing. */
#include <math.h>

#include "check.h"

static void put(cp_array *x, size_t bytes, void *to)
{
    ok(x);
    ok(cp_to_host(x, to, bytes) == CP_OK);
    cp_free(x);
}

/* Philox 4x64-10 with key 0 from counter 0 on, as NumPy's Philox(key=0).random_raw(5) */
static void test_known_words(void **state)
{
    static const uint64_t want[5] = {0x2f4ba6408e4d89b, 0x3dd62b0b9ca8c5b2, 0x1c8667a55d902e79, 0x907d7a052fd5b4dc,
                                     0x809bf322883987c3};
    (void)state;
    for (FOR_DEVICES(d)) {
        uint64_t got[5];
        cp_rng *g = cp_rng_new(5);
        cp_rng_state s = {.kind = CP_RNG_PHILOX, .place = 4};
        ok(g);
        ok(cp_rng_set_state(g, &s) == CP_OK);
        put(cp_rng_raw(g, .shape = CP_SHAPE(5)), sizeof got, got);
        assert_memory_equal(got, want, sizeof want);
        ok(cp_rng_get_state(g, &s) == CP_OK);
        assert_int_equal(s.counter[0], 2);
        assert_int_equal(s.place, 1);
        cp_rng_free(g);
    }
}

/* Philox 4x32-10, Random123's known answers of counter and key 0 and of all bits set; uniform numbers are their upper
 * 53 bits, halves their upper 24 */
static void test_known_words32(void **state)
{
    static const uint64_t want[2][2] = {{0xe169c58d6627e8d5, 0x9b00dbd8bc57ac4c},
                                        {0x41c83b0e408f276d, 0x6d5451fda20bc7c6}};
    (void)state;
    for (FOR_DEVICES(d))
        for (int i = 0; i < 2; i++) {
            uint64_t words[2];
            double u[2];
            float f[4];
            const uint32_t seed = 1;
            cp_rng *g = cp_rng_new_kind(CP_RNG_PHILOX4X32, 1, &seed);
            cp_rng_state s = {.kind = CP_RNG_PHILOX4X32, .place = 4, .key = {i ? UINT64_MAX : 0}};
            s.counter[0] = i ? UINT64_MAX - 2 : UINT64_MAX - 1; /* a block, two values, before */
            s.counter[1] = s.counter[2] = s.counter[3] = UINT64_MAX;
            ok(g);
            ok(cp_rng_set_state(g, &s) == CP_OK);
            put(cp_rng_raw(g, .shape = CP_SHAPE(2)), sizeof words, words);
            assert_memory_equal(words, want[i], sizeof words);
            ok(cp_rng_set_state(g, &s) == CP_OK);
            put(cp_rng_random(g, .shape = CP_SHAPE(2)), sizeof u, u);
            ok(cp_rng_set_state(g, &s) == CP_OK);
            put(cp_rng_random(g, .shape = CP_SHAPE(4), .typed = true, .dtype = CP_FLOAT32), sizeof f, f);
            for (int k = 0; k < 2; k++) assert_true(u[k] == (double)(want[i][k] >> 11) / 0x1p53);
            for (int k = 0; k < 4; k++)
                assert_true(f[k] == (float)((uint32_t)(want[i][k / 2] >> (k % 2 * 32)) >> 8) / 0x1p24f);
            cp_rng_free(g);
        }
}

/* numpy.random.SeedSequence(42).generate_state(4), and Generator(Philox(42)).random(3) */
static void test_seed(void **state)
{
    static const uint32_t entropy[1] = {42}, want[4] = {3444837047, 2669555309, 2046530742, 3581440988};
    uint32_t got[4];
    (void)state;
    ok(cp_seed_state(1, entropy, 0, NULL, 4, 4, got) == CP_OK);
    assert_memory_equal(got, want, sizeof want);
    assert_int_equal(cp_seed_state(1, entropy, 0, NULL, 3, 4, got), CP_ERROR_VALUE);
    failed(CP_ERROR_VALUE);
    for (FOR_DEVICES(d)) {
        cp_rng *g = cp_rng_new(42);
        double u[3];
        put(cp_rng_random(g, .shape = CP_SHAPE(3)), sizeof u, u);
        assert_true(u[0] == 0.08607763073528474);
        cp_rng_free(g);
    }
}

/* For every kind and call: the same numbers as on the CPU. */
static cp_array *any(cp_rng *g, int call)
{
    switch (call) {
    case 0: return cp_rng_normal(g, cp_float(1), cp_float(2), .shape = CP_SHAPE(301));
    case 1: return cp_rng_random(g, .shape = CP_SHAPE(7, 43), .typed = true, .dtype = CP_FLOAT32);
    case 2: return cp_rng_integers(g, cp_int(0), cp_int(3000000000), false, .shape = CP_SHAPE(301));
    case 3: return cp_rng_gamma(g, cp_float(0.5), cp_float(1), .shape = CP_SHAPE(301));
    case 4: return cp_rng_poisson(g, cp_float(30), .shape = CP_SHAPE(301));
    case 5: return cp_rng_permutation(g, 301);
    case 6: return cp_rng_choice(g, 1000, false, NULL, .shape = CP_SHAPE(7));
    case 7: return cp_rng_uniform(g, cp_float(-1), cp_float(1), .shape = CP_SHAPE(301));
    default: return cp_rng_hypergeometric(g, cp_int(50), cp_int(60), cp_int(40), .shape = CP_SHAPE(301));
    }
}

static void test_devices_agree(void **state)
{
    (void)state;
    const uint32_t seed = 9;
    for (int kind = 0; kind < CP_RNG_NKINDS; kind++) {
        char want[9][301 * 8], got[301 * 8];
        bool first = true;
        for (FOR_DEVICES(d)) {
            cp_rng *g = cp_rng_new_kind((cp_rng_kind)kind, 1, &seed);
            for (int call = 0; call < 9; call++) {
                size_t bytes = 0;
                for (CP_SCOPE) { /* the parameters of calls */
                    cp_array *x = any(g, call);
                    ok(x);
                    bytes = (size_t)cp_nbytes(x);
                    put(x, bytes, first ? want[call] : got);
                }
                if (!first) assert_memory_equal(got, want[call], bytes);
            }
            cp_rng_free(g);
            first = false;
        }
    }
}

static void test_copies_and_jumps(void **state)
{
    (void)state;
    for (int kind = 0; kind < CP_RNG_NKINDS; kind++) {
        const uint32_t seed = 3;
        uint64_t a[8], b[8], far[8];
        cp_rng *g = cp_rng_new_kind((cp_rng_kind)kind, 1, &seed);
        ok(g);
        put(cp_rng_raw(g, .shape = CP_SHAPE(3)), 24, a);
        cp_rng *h = cp_rng_copy(g), *j = cp_rng_jumped(g, 1);
        put(cp_rng_raw(g, .shape = CP_SHAPE(8)), sizeof a, a);
        put(cp_rng_raw(h, .shape = CP_SHAPE(8)), sizeof b, b);
        put(cp_rng_raw(j, .shape = CP_SHAPE(8)), sizeof far, far);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_not_equal(a, far, sizeof a);
        ok(cp_rng_advance(h, (uint64_t[4]){2}) == CP_OK);
        cp_rng_free(j);
        cp_rng_free(h);
        cp_rng_free(g);
    }
    cp_rng_free(NULL);
}

static void test_options_and_errors(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_rng *g = cp_rng_new(1);
        for (CP_SCOPE) {
            cp_array *out = cp_empty(CP_SHAPE(2, 3), CP_FLOAT32);
            cp_array *r = cp_rng_normal(g, cp_float(0), cp_float(1), .out = out);
            ok(r);
            assert_true(r != out && cp_data(r) == cp_data(out));
            assert_int_equal(cp_size(cp_rng_normal(g, doubles(1, 2, 3), cp_float(1))), 3);
            assert_int_equal(cp_ndim(cp_rng_exponential(g, cp_float(1))), 0);
            assert_int_equal(cp_type_of(cp_rng_poisson(g, cp_float(1), .typed = true, .dtype = CP_UINT8)), CP_UINT8);
            values(cp_sum(cp_rng_multinomial(g, cp_int(9), doubles(0.5, 0.5))), 9);
            assert_null(cp_rng_normal(g, cp_float(0), cp_float(-1)));
            assert_string_equal(cp_error_message(), "normal: scale < 0");
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_binomial(g, cp_int(3), doubles(0.5, 2)));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_integers(g, cp_int(3), cp_int(3), false));
            assert_string_equal(cp_error_message(), "integers: low >= high");
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_random(NULL));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_random(g, .typed = true, .dtype = CP_INT32));
            failed(CP_ERROR_TYPE);
            cp_array *x = ints(1, 2, 3, 4, 5);
            ok(cp_rng_shuffle(g, x, 0) == CP_OK);
            values(cp_sort(x, 0), 1, 2, 3, 4, 5);
            values(cp_sort(cp_rng_permuted(g, x, CP_FLAT), 0), 1, 2, 3, 4, 5);
            values(cp_rng_gather(x, cp_argsort(x, 0), 0), 1, 2, 3, 4, 5);
            assert_null(cp_rng_gather(x, ints(0, 5), 0));
            failed(CP_ERROR_INDEX);
        }
        cp_rng_free(g);
    }
}

/* Each method's vectors are the next normal numbers times its factor of ((2, 1), (1, 2)): Cholesky's, or the symmetric
 * root, of eigenvalues 3 and 1. */
static void test_normal_vectors(void **state)
{
    const double r3 = 1.7320508075688772935, high = (r3 + 1) / 2, low = (r3 - 1) / 2;
    const double lower[3] = {1.4142135623730950488, 0.70710678118654752440, 1.2247448713915890491};
    const double mean[2] = {3, -5};
    (void)state;
    for (FOR_DEVICES(d))
        for (int method = 0; method < 3; method++) {
            cp_rng *g = cp_rng_new(8), *h = cp_rng_new(8);
            double z[20], x[20];
            float narrow[20];
            for (CP_SCOPE) {
                cp_array *cov = cp_reshape(doubles(2, 1, 1, 2), CP_SHAPE(2, 2)), *m = doubles(3, -5);
                cp_array *out = cp_empty(CP_SHAPE(5, 2, 2), CP_FLOAT32);
                put(cp_rng_normal(h, cp_float(0), cp_float(1), .shape = CP_SHAPE(5, 2, 2)), sizeof z, z);
                put(cp_rng_multivariate_normal(g, m, cov, 1e-8, .method = (cp_normal_method)method,
                                               .shape = CP_SHAPE(5, 2)), sizeof x, x);
                for (int i = 0; i < 20; i += 2) {
                    const double a = method == 2 ? lower[0] * z[i] : high * z[i] + low * z[i + 1];
                    const double b = method == 2 ? lower[1] * z[i] + lower[2] * z[i + 1] : low * z[i] + high * z[i + 1];
                    assert_true(fabs(x[i] - (a + mean[0])) < 1e-14 && fabs(x[i + 1] - (b + mean[1])) < 1e-14);
                }
                cp_rng_free(g);
                g = cp_rng_new(8);
                cp_array *r = cp_rng_multivariate_normal(g, m, cov, 1e-8, .method = (cp_normal_method)method,
                                                         .out = out);
                ok(r);
                assert_true(cp_data(r) == cp_data(out));
                put(cp_copy(out), sizeof narrow, narrow);
                for (int i = 0; i < 20; i++) assert_true(narrow[i] == (float)x[i]);
            }
            cp_rng_free(h);
            cp_rng_free(g);
        }
}

static void test_covariances_that_are_none(void **state)
{
    (void)state;
    for (FOR_DEVICES(d)) {
        cp_rng *g = cp_rng_new(8), *h = cp_rng_new(8);
        uint64_t next[2];
        for (CP_SCOPE) {
            cp_array *bad = cp_reshape(doubles(1, 2, 2, 1), CP_SHAPE(2, 2)), *m = doubles(0, 0), *r = NULL;
            cp_array *one = cp_reshape(doubles(1, 0, 0, 1), CP_SHAPE(2, 2)), *out = cp_empty(CP_SHAPE(2), CP_FLOAT32);
            for (int method = 0; method < 2; method++) { /* no number is drawn */
                assert_null(cp_rng_multivariate_normal(g, m, bad, 1e-8, .method = (cp_normal_method)method,
                                                       .check_valid = CP_COVARIANCE_RAISE));
                failed(CP_ERROR_VALUE);
            }
            assert_null(cp_rng_multivariate_normal(g, m, doubles(1, 2), 1e-8));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_multivariate_normal(g, cp_float(0), one, 1e-8));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_multivariate_normal(g, doubles(0, 0, 0), one, 1e-8));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_multivariate_normal(g, cp_astype(m, CP_COMPLEX128), one, 1e-8));
            failed(CP_ERROR_TYPE);
            assert_null(cp_rng_multivariate_normal(g, m, one, 1e-8, .typed = true, .dtype = CP_INT64));
            failed(CP_ERROR_TYPE);
            assert_null(cp_rng_multivariate_normal(g, m, one, 1e-8, .typed = true, .dtype = CP_FLOAT64, .out = out));
            failed(CP_ERROR_TYPE);
            assert_null(cp_rng_multivariate_normal(g, m, one, 1e-8, .shape = CP_SHAPE(3), .out = out));
            failed(CP_ERROR_VALUE);
            assert_null(cp_rng_multivariate_normal(NULL, m, one, 1e-8));
            failed(CP_ERROR_VALUE);
            put(cp_rng_raw(g, .shape = CP_SHAPE(1)), sizeof *next, next);
            put(cp_rng_raw(h, .shape = CP_SHAPE(1)), sizeof *next, next + 1);
            assert_true(next[0] == next[1]);
            cp_warnings_clear();
            ok(r = cp_rng_multivariate_normal(g, m, bad, 1e-8, .check_valid = CP_COVARIANCE_IGNORE));
            assert_int_equal(cp_warnings(), 0);
            ok(r = cp_rng_multivariate_normal(g, m, bad, 1e-8));
            assert_int_equal(cp_ndim(r), 1);
            assert_int_equal(cp_warnings(), 1u << CP_WARNING_COVARIANCE);
            cp_warnings_clear();
        }
        cp_rng_free(h);
        cp_rng_free(g);
    }
}

static int64_t which;
static int kind_now;

static bool body(void)
{
    const uint32_t seed = 4;
    bool done = false;
    cp_rng *g = cp_rng_new_kind((cp_rng_kind)kind_now, 1, &seed);
    for (CP_SCOPE) {
        cp_array *r = NULL;
        if (!g) break;
        if (which < 9) r = any(g, (int)which);
        else if (which == 9) r = cp_rng_dirichlet(g, doubles(1, 2), .shape = CP_SHAPE(4));
        else if (which == 10)
            r = cp_rng_multinomial(g, cp_int(9), cp_reshape(doubles(0.5, 0.5, 0.1, 0.9), CP_SHAPE(2, 2)));
        else if (which == 11) r = cp_rng_multivariate_normal(g, doubles(0, 1), cp_eye(2, 2, 0, CP_FLOAT64), 1e-8);
        else if (which == 12) r = cp_rng_permuted(g, cp_reshape(doubles(1, 2, 3, 4), CP_SHAPE(2, 2)), 0);
        else if (which == 13 || which == 14) {
            cp_array *p = doubles(0.2, 0.3, 0.5); /* NULL would mean uniform */
            r = p ? cp_rng_choice(g, 3, which == 14, p, .shape = CP_SHAPE(2)) : NULL;
        }
        else if (which == 15) r = cp_rng_integers(g, ints(0, 1, 2), ints(5, 6, 700), true);
        else if (which == 16) r = cp_rng_normal(g, doubles(0, 1), cp_reshape(doubles(1, 2), CP_SHAPE(2, 1)));
        else if (which == 17) r = cp_rng_triangular(g, doubles(0, 0), cp_float(1), cp_float(2));
        else if (which == 18) r = cp_rng_negative_binomial(g, doubles(3, 4), cp_float(0.5));
        else if (which == 19) r = cp_rng_shuffled(g, cp_reshape(doubles(1, 2, 3, 4), CP_SHAPE(2, 2)), 0);
        else if (which == 20) r = cp_rng_multivariate_hypergeometric(g, ints(4, 5), 3);
        else if (which == 21) r = cp_rng_uniform(g, doubles(0, 1), cp_float(5));
        else if (which > 21)
            r = cp_rng_multivariate_normal(g, doubles(0, 1), cp_eye(2, 2, 0, CP_FLOAT64), 1e-8, .shape = CP_SHAPE(3),
                                           .method = which == 22 ? CP_NORMAL_EIGH : CP_NORMAL_CHOLESKY,
                                           .typed = true, .dtype = CP_FLOAT32);
        done = r != NULL;
    }
    cp_rng_free(g);
    return done;
}

static void test_allocations(void **state)
{
    (void)state;
    for (FOR_DEVICES(d))
        for (kind_now = 0; kind_now < CP_RNG_NKINDS; kind_now += 2)
            for (which = 0; which < 24; which++)
                if (check_share()) every_allocation_fails(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_words),      cmocka_unit_test(test_known_words32),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_devices_agree),    cmocka_unit_test(test_copies_and_jumps),
        cmocka_unit_test(test_options_and_errors), cmocka_unit_test(test_normal_vectors),
        cmocka_unit_test(test_covariances_that_are_none), cmocka_unit_test(test_allocations),
    };
    return check_run(tests);
}
