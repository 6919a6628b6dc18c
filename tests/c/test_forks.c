/* Children that are forked while other threads are at work in the library: each finds every lock free. What threads do
 * here takes the locks of blocks, scopes, the pool, plans and OpenBLAS's buffers all the time. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { THREADS = 3, FORKS = 300 };
static atomic_bool ended;
static atomic_int wrong;

/* Whether all of it is right. */
static bool work(int i)
{
    cp_scope *s = cp_scope_begin();
    cp_array *x = cp_arange(0, 64 + i % 7, 1, CP_FLOAT64), *one = cp_eye(6, 6, 0, CP_FLOAT64), *a = cp_add(one, one);
    cp_array *total = cp_sum(cp_absolute(cp_rfft(x))), *inverse = cp_inv(a);
    const bool good = total && inverse && cp_item_float(total) > 2000 && cp_item_float(cp_sum(inverse)) == 3;
    cp_scope_end(s);
    return good;
}

static void *worker(void *unused)
{
    for (int i = 0; !atomic_load(&ended); i++)
        if (!work(i)) atomic_fetch_add(&wrong, 1);
    return unused;
}

static void test_children_beside_threads(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    assert_int_equal(cp_device_use(CP_CPU), CP_OK);
    assert_true(work(0));
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, worker, NULL), 0);
    int bad = 0;
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (!child) {
            alarm(20); /* who waits for ever is ended by it */
            _exit(work(i) && work(i + 1) ? 0 : 1);
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (status && !bad++) print_error("child %d: status %x\n", i, (unsigned)status);
    }
    atomic_store(&ended, true);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(bad, 0);
    assert_int_equal(atomic_load(&wrong), 0);
}

/* CFITSIO's lock, which a table is written with, is held nearly all the time. */
static bool write_table(void)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/test_forks_%d_%lx.fits", (int)getpid(), (unsigned long)pthread_self());
    cp_scope *s = cp_scope_begin();
    const cp_column column = {"x", NULL, cp_arange(0, 5000, 1, CP_FLOAT64)};
    const bool good = cp_catalog_write(path, 1, &column) == CP_OK;
    cp_scope_end(s);
    return !unlink(path) && good;
}

static void *writer(void *unused)
{
    while (!atomic_load(&ended))
        if (!write_table()) atomic_fetch_add(&wrong, 1);
    return unused;
}

static void test_children_beside_writers(void **state)
{
    pthread_t threads[THREADS];
    (void)state;
    atomic_store(&ended, false);
    assert_true(write_table());
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, writer, NULL), 0);
    int bad = 0;
    for (int i = 0; i < 30 && !bad; i++) {
        const pid_t child = fork();
        if (!child) {
            alarm(20);
            _exit(!write_table());
        }
        int status = -1;
        assert_int_equal(waitpid(child, &status, 0), child);
        bad += status != 0;
    }
    atomic_store(&ended, true);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    assert_int_equal(bad, 0);
    assert_int_equal(atomic_load(&wrong), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_children_beside_threads),
                                       cmocka_unit_test(test_children_beside_writers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
