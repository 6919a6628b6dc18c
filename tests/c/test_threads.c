/* The CPU device's threads: every task once, nested and concurrent calls, forked children, any thread count, and
 * on which processors helpers run. */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* The pool is internal to the library: the test compiles it in, under its own names. */
#define cp_threads test_threads
#define cp_threads_set test_threads_set
#include "cpu/threads.c"
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

/* --- where helpers run --- */

static cpu_set_t before;

static void bind_to(pthread_t thread, int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    assert_int_equal(pthread_setaffinity_np(thread, sizeof one, &one), 0);
}

/* The first two processors of the process, and three threads whose helpers may use all; false where there is one. */
static bool two_processors(int *cpus)
{
    int found = 0;
    cpi_workers_set(3);
    check_all_tasks(50);
    pthread_getaffinity_np(pthread_self(), sizeof before, &before);
    for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
        if (CPU_ISSET(i, &before)) cpus[found++] = i;
    if (found < 2) print_message("one processor: nothing to see\n");
    return found == 2;
}

static cpu_set_t mask_of(int helper)
{
    cpu_set_t mask;
    assert_int_equal(pthread_getaffinity_np(slots[helper].thread, sizeof mask, &mask), 0);
    return mask;
}

static void helpers_are_kept_apart(void **state)
{
    int cpus[2];
    (void)state;
    if (!two_processors(cpus)) return;
    for (int round = 0; round < 6; round++) {
        bind_to(pthread_self(), cpus[round % 2]);
        usleep(5000); /* they sleep */
        check_all_tasks(9);
        for (int h = 0; h < 2; h++) {
            cpu_set_t mask = mask_of(h), wanted = before;
            CPU_CLR(cpus[round % 2], &wanted);
            assert_true(CPU_EQUAL(&mask, &wanted));
        }
    }
    pthread_setaffinity_np(pthread_self(), sizeof before, &before);
}

static void bound_helpers_stay(void **state)
{
    int cpus[2];
    (void)state;
    if (!two_processors(cpus)) return;
    for (int which = 0; which < 2; which++) {
        bind_to(pthread_self(), cpus[which]);
        usleep(5000);
        check_all_tasks(9);
        bind_to(slots[0].thread, cpus[which]); /* where it was kept off */
        for (int round = 0; round < 4; round++) {
            bind_to(pthread_self(), cpus[round % 2]);
            usleep(5000);
            check_all_tasks(9);
            cpu_set_t mask = mask_of(0);
            assert_true(CPU_COUNT(&mask) == 1 && CPU_ISSET(cpus[which], &mask));
        }
        pthread_setaffinity_np(slots[0].thread, sizeof before, &before);
        pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    }
}

typedef struct meeting { int there, helper_ended_on; } meeting;
static void one_that_waits(void *context, int64_t task, int worker)
{
    meeting *m = context;
    (void)task;
    __atomic_add_fetch(&m->there, 1, __ATOMIC_RELAXED);
    while (__atomic_load_n(&m->there, __ATOMIC_RELAXED) < 2) usleep(100); /* each has one of the two tasks */
    if (!worker) return;
    usleep(100000); /* as if somebody else had the processor */
    m->helper_ended_on = sched_getcpu();
}

static void one_that_does_not_run_is_fetched(void **state)
{
    int cpus[2];
    (void)state;
    if (!two_processors(cpus)) return;
    for (int round = 0; round < 4; round++) {
        meeting m = {0, -1};
        bind_to(pthread_self(), cpus[round % 2]);
        usleep(5000);
        check_all_tasks(9); /* wakes them, apart */
        cpi_parallel(2, one_that_waits, &m);
        assert_int_equal(m.helper_ended_on, cpus[round % 2]);
        for (int h = 0; h < 2; h++) {
            cpu_set_t mask = mask_of(h);
            assert_false(CPU_ISSET(cpus[round % 2], &mask));
        }
    }
    pthread_setaffinity_np(pthread_self(), sizeof before, &before);
    check_all_tasks(N);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_once), cmocka_unit_test(nested_calls), cmocka_unit_test(concurrent_callers),
        cmocka_unit_test(sleeping_helpers_wake), cmocka_unit_test(helpers_are_kept_apart),
        cmocka_unit_test(bound_helpers_stay), cmocka_unit_test(one_that_does_not_run_is_fetched),
        cmocka_unit_test(forked_child),
    };
    return check_run(tests);
}
