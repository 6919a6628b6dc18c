/* CUPRITE_CHECK=1: at exit the number of launches and the errors, on stderr, as compute-sanitizer does. With
 * CUPRITE_CHECK_EXIT=N a process that had errors ends with status N, also where the program caught them. */
#include "kernel/summary.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/forks.h"

enum { SHOWN = 20 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
CPI_FORK_GUARD(lock)
static long launches, errors;
static char *shown[SHOWN]; /* different messages, and how often each came */
static long times[SHOWN];
static pid_t process;      /* a forked child begins anew */

static void enter(void)
{
    pthread_mutex_lock(&lock);
    if (process == getpid()) return;
    process = getpid();
    launches = errors = 0;
    for (int i = 0; i < SHOWN; i++) shown[i] = NULL;
}

void cpi_summary_launch(void)
{
    enter();
    launches++;
    pthread_mutex_unlock(&lock);
}

void cpi_summary_error(const char *message)
{
    enter();
    errors++;
    for (int i = 0; i < SHOWN; i++) {
        bool same = shown[i] && strcmp(shown[i], message) == 0;
        if (shown[i] && !same) continue;
        if (!same) shown[i] = strdup(message), times[i] = 0;
        times[i]++;
        break;
    }
    pthread_mutex_unlock(&lock);
}

__attribute__((destructor)) static void tell(void)
{
    const char *status = getenv("CUPRITE_CHECK_EXIT");
    if (process != getpid() || !launches) return;
    fflush(NULL);
    fprintf(stderr, "========= CUPRITE CHECK: %ld launch%s of kernels\n", launches, launches == 1 ? "" : "es");
    for (int i = 0; i < SHOWN && shown[i]; i++) {
        fprintf(stderr, "========= %s", shown[i]);
        fprintf(stderr, times[i] > 1 ? " (%ld times)\n" : "\n", times[i]);
    }
    fprintf(stderr, "========= ERROR SUMMARY: %ld error%s\n", errors, errors == 1 ? "" : "s");
    fflush(stderr);
    if (errors && status && atoi(status)) _exit(atoi(status));
}
