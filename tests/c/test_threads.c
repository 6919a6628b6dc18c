/* The CPU device's threads: every task once, nested and concurrent calls, forked children, any thread count. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* The pool is internal to the library: the test compiles it in, under its own names. */
#define cp_threads test_threads
#define cp_threads_set test_threads_set
#include "../../src/cpu/threads.c"
cp_code cpi_fail(cp_code code, const char *format, ...) { (void)format; return code; }

enum { N = 1000 };

static void once_each(void *context, int64_t task, int worker)
{
    assert_true(worker >= 0 && worker < cpi_workers());
    __atomic_add_fetch((int *)context + task, 1, __ATOMIC_RELAXED);
}

static void check_all_tasks(int64_t tasks)
{
    int seen[N] = {0};
    cpi_parallel(tasks, once_each, seen);
    for (int i = 0; i < N; i++) assert_int_equal(seen[i], i < tasks);
}

static void every_task_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 5; threads++) {
        assert_int_equal(cpi_workers_set(threads), 0);
        for (int round = 0; round < 2000; round++) check_all_tasks(round % 20);
        check_all_tasks(N);
    }
    assert_int_equal(cpi_workers_set(0), -1);
    assert_int_equal(test_threads_set(0), CP_ERROR_VALUE);
}

static void nested(void *context, int64_t task, int worker)
{
    (void)worker;
    int seen[8] = {0};
    for (int i = 0; i < 8; i++) seen[i] = 0;
    cpi_parallel(8, once_each, seen);
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += seen[i];
    ((int *)context)[task] = sum;
}

static void nested_calls(void **state)
{
    (void)state;
    int sums[50];
    cpi_workers_set(3);
    cpi_parallel(50, nested, sums);
    for (int i = 0; i < 50; i++) assert_int_equal(sums[i], 8);
}

static void *caller(void *argument)
{
    (void)argument;
    for (int i = 0; i < 500; i++) check_all_tasks(17);
    return NULL;
}

static void concurrent_callers(void **state)
{
    (void)state;
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&thread[i], NULL, caller, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
}

static void sleeping_helpers_wake(void **state)
{
    (void)state;
    for (int i = 0; i < 30; i++) {
        usleep(2000);
        check_all_tasks(9);
    }
}

static void forked_child(void **state)
{
    (void)state;
    check_all_tasks(100);
    pid_t child = fork();
    if (child == 0) {
        alarm(20);
        check_all_tasks(100);
        check_all_tasks(7);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once), cmocka_unit_test(nested_calls), cmocka_unit_test(concurrent_callers),
        cmocka_unit_test(sleeping_helpers_wake), cmocka_unit_test(forked_child),
    };
    return check_run(tests);
}
